"""Tables of text by takewise.open: what the command reads of them, which tables.json tells and a test of the command runs too."""

import json
import pathlib
import pickle

import numpy as np
import pytest

import takewise

CASES = json.loads(pathlib.Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))
WORDS = {
    "header": "header=True",
    "no_header": "header=False",
    "missing": "missing=True",
    "text": "takewise.open reads a table of text that is called .csv or .tsv, or with delimiter=",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['file']}:{case['text']!r}")
def test_the_command_reads_the_same(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, _, name = case["file"].partition("#")
    pathlib.Path(file).write_text(case["text"], encoding="utf-8", newline="")
    how = {key: case[key] for key in ("header", "delimiter", "missing") if key in case}
    if "error" in case:
        with pytest.raises(ValueError) as error:  # noqa: PT011
            takewise.open(case["file"], **how)
        assert str(error.value) == case["error"].format_map(WORDS)
        return
    for x in (takewise.open(case["file"], **how), takewise.open(file, name or None, **how)):
        assert f"(dtype('{x.dtype}'), {x.shape})" == case["type"]
        assert "".join(",".join(map(str, np.atleast_1d(row))) + "\n" for row in x[...]) == case["cells"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("day,close,name\n" + "".join(f"2020-01-{k:02},{k / 2},{'ab'[k % 2]}\n" for k in range(1, 32)))
    return path


def test_subscripts_and_functions_are_those_of_the_column(path):
    x, want = takewise.open(path, "close"), np.arange(1, 32) / 2
    for key in (0, -1, [5, 5, 2], slice(None, None, -2), slice(5, 2), ..., None, [], want > 10):
        got = x[key]
        assert type(got) is type(want[key]) and got.dtype == want.dtype and np.array_equal(got, want[key]), key
    x[...][:] = 0
    assert np.array_equal(np.asarray(x), want) and np.array_equal(takewise.take(x, [30, 2]), want[[30, 2]])
    assert np.array_equal(takewise.open([path, path], "close")[[0, 61]], want[[0, 30]])
    assert takewise.open(path, "day")[[1]] == np.datetime64("2020-01-02") and x.names == ("day", "close", "name")
    with pytest.raises(IndexError, match="index 31 is out of bounds"):
        x[[31]]


def test_it_is_read_once_and_opened_again_as_it_was(tmp_path):
    path = tmp_path / "points.txt"
    path.write_text("1;NA\n3;4\n")
    x = takewise.open(path, delimiter=";", missing=True)
    sent = pickle.dumps(x)
    assert np.array_equal(pickle.loads(sent)[...], x[...], equal_nan=True)
    path.write_text("1;2\n")
    assert x[1].tolist() == [3, 4]
    with pytest.raises(OSError, match="was changed since"):
        pickle.loads(sent)
    path.unlink()
    assert x[1].tolist() == [3, 4]
    x.close()
    with pytest.raises(ValueError, match="closed"):
        x[1]


def test_tensors_of_torch(path):
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    got = takewise.open(path, "close", like="torch")[[2, 0]]
    assert got.dtype == torch.float64 and got.tolist() == [1.5, 0.5]
    with pytest.raises(TypeError, match="PyTorch's tensors have no datetime64"):
        takewise.open(path, "day", like="torch")


def test_what_does_not_fit_is_refused_by_name(path, tmp_path):
    for given in ({"mode": "r+"}, {"cache": 1}, {"shape": 3}):
        with pytest.raises(ValueError, match=f"read whole and not written in place: {next(iter(given))} is for files of arrays"):
            takewise.open(path, "close", **given)
    with pytest.raises(ValueError, match=r"delimiter is one character such as , ; | :, or tab, or blanks"):
        takewise.open(path, "close", delimiter="and")
    np.save(tmp_path / "x.npy", np.arange(3))
    with pytest.raises(ValueError, match="is no table of text: header is for tables of text"):
        takewise.open(tmp_path / "x.npy", header=True)
    with pytest.raises(FileNotFoundError):
        takewise.open(tmp_path / "none.csv", missing=True)
    # The content of a file of arrays says what it is, and so does a dtype.
    (tmp_path / "x.npy").rename(tmp_path / "x.csv")
    assert takewise.open(tmp_path / "x.csv")[2] == 2
    assert takewise.open(path, dtype="u1")[0] == ord("d")
    (tmp_path / "x.csv").write_bytes(b"a\n\xff\n")
    with pytest.raises(ValueError, match="line 2 is not UTF-8 text"):
        takewise.open(tmp_path / "x.csv")
    with pytest.raises(TypeError, match="TableArray"):
        takewise.put_(takewise.open(path, "close"), [0], 1.0)
