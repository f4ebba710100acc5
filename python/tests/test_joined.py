"""Several files as one long array: every key reads what NumPy reads of the joined arrays."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import takewise

LENGTHS = (3, 0, 1, 5)
X = np.arange(9 * 4 * 3).reshape(9, 4, 3)


def opened(folder, x=X, lengths=LENGTHS, **how):
    paths = []
    for k, part in enumerate(np.split(x, np.cumsum(lengths)[:-1])):
        paths.append(folder / f"{k}.npy")
        np.save(paths[-1], part)
    return takewise.open(paths, **how)


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("joined"))


KEYS = [
    0, -1, 3, (8, 1), (-9, ..., 2), slice(None), slice(None, None, -1), slice(1, 8, 3), slice(8, 0, -2), slice(5, 2), slice(3, 4), ..., (),
    None, (None, 4), (None, slice(2, 7), None, 1), (..., None, 0), (slice(None), slice(3, 0, -1), -1), [8, 0, 3, 0], [[8], [-1]], [],
    np.array(4), np.array([2, 3], "u1"), ([8, 0], [3, 1]), ([8, 0], slice(None), [2, 1]), (None, [8, 0], 1), (None, [8, 0], slice(None), 1),
    (slice(2, 8), [0, 3], [1, 1]), (slice(2, 8), [0, 3], slice(None)), (slice(2, 8), None, [0, 3], [1, 1]), (4, slice(None), [2, 0]),
    (4, [1, 0], [2, 0]), (slice(None, None, -2), [[0], [3]], slice(None, 2)), (slice(2, 8), slice(None), [0, 2]), X[:, 0, 0] % 2 == 0, X % 5 == 0,
    (X[:, :, 0] % 5 == 0, 1), (slice(1, 7), X[0] % 2 == 0), ([True] * 9, 1), np.int64(7), (slice(2, 8), [0, 3], None, [1, 1]), (slice(7, 3), [0, 1]),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key).replace("\n", "")[:40])
def test_subscripts_are_numpys(joined, key):
    want, got = X[key], joined[key]
    assert type(got) is type(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.array_equal(got, want)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_random_subscripts(joined, data):
    key = data.draw(hnp.basic_indices(X.shape, allow_newaxis=True))
    assert np.array_equal(joined[key], X[key])
    rows = data.draw(hnp.arrays("i4", hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4), elements=st.integers(-9, 8)))
    rest = data.draw(hnp.basic_indices(X.shape[1:]))
    key = (rows, *(rest if isinstance(rest, tuple) else (rest,)))
    got, want = joined[key], X[key]
    assert got.shape == want.shape and np.array_equal(got, want)


def test_what_it_says_and_does(joined, tmp_path):
    assert (joined.shape, joined.dtype, joined.ndim, joined.size, joined.nbytes, len(joined)) == (X.shape, X.dtype, 3, X.size, X.nbytes, 9)
    assert repr(joined) == "<JoinedArray of 4 files, shape=(9, 4, 3), dtype=int64>"
    assert np.array_equal(np.asarray(joined), X) and np.asarray(joined, "f4").dtype == np.float32
    assert all(np.array_equal(a, b) for a, b in zip(joined, X, strict=True))
    assert np.array_equal(joined == 5, X == 5) and np.array_equal(joined + 1, X + 1) and 7 in joined
    assert np.array_equal(joined.take([8, -1, 0], axis=0), X.take([8, -1, 0], axis=0))
    assert np.array_equal(joined.take([[3, 0]], axis=-2), X.take([[3, 0]], axis=-2))
    assert np.array_equal(joined.take([107, 5, -1]), X.take([107, 5, -1]))
    assert np.array_equal(joined.prefetch([8, 0]).result(), X[[8, 0]])
    assert np.array_equal(pickle.loads(pickle.dumps(joined))[[8, 0]], X[[8, 0]])
    rows = joined.__getitems__([8, 3])
    assert np.array_equal(rows[0], X[8]) and np.array_equal(rows[1], X[3])
    with opened(tmp_path, cache="1MiB") as x:
        assert np.array_equal(x[[8, 0]], X[[8, 0]]) and all(part.kept.most == 1 << 20 for part in x.parts)
    assert all(part.closed for part in x.parts)


def test_torchs_tensors(tmp_path):
    torch = pytest.importorskip("torch")
    x = opened(tmp_path, like="torch")
    for key in ([8, 0], slice(1, 8, 3), (slice(None), [0, 3]), ([8, 0], slice(None), [2, 1]), 4, slice(5, 2)):
        assert torch.equal(x[key], torch.from_numpy(X[key]))
    for call in (lambda x: takewise.take(x, [8, 0], 0), lambda x: takewise.gather(x, 0, [[[8, 0]]]), lambda x: takewise.index_select(x, 1, [3])):
        assert torch.equal(call(x), torch.from_numpy(call(X)))


def test_what_is_wrong_is_told(joined, tmp_path):
    with pytest.raises(IndexError, match=r"index 9 is out of bounds for axis 0 with size 9 \(position \[1\]"):
        joined[[3, 9]]
    with pytest.raises(IndexError, match=r"index 4 is out of bounds for axis 1 with size 4"):
        joined[3, 4]
    with pytest.raises(IndexError, match="out of bounds"):
        joined.take([108])
    with pytest.raises(NotImplementedError, match="bare True and False"):
        joined[True]
    with pytest.raises(TypeError):
        joined[0] = 1
    with pytest.raises(ValueError, match="at least one path"):
        takewise.open([])
    np.save(tmp_path / "a.npy", X)
    for name, other in (("b", X[:, :3]), ("c", X.astype("f4"))):
        np.save(tmp_path / f"{name}.npy", other)
        with pytest.raises(ValueError, match=rf"{name}\.npy: holds .* which is not joined to the int64 of shape \(9, 4, 3\) of .*a\.npy"):
            takewise.open([tmp_path / "a.npy", tmp_path / f"{name}.npy"])
    np.save(tmp_path / "d.npy", np.int64(3))
    with pytest.raises(ValueError, match="without axes"):
        takewise.open([tmp_path / "d.npy"])
    with pytest.raises(ValueError, match=r"opened with mode='r'"):
        takewise.open([tmp_path / "a.npy"], mode="r+")
    with pytest.raises(FileNotFoundError, match="none"):
        takewise.open([tmp_path / "a.npy", tmp_path / "none.npy"])


CALLS = [
    ("take", ([8, 0, -1], 0), {}), ("take", ([[3, 107]],), {}), ("take", ([2, -4], 1), {}), ("take", ([8, 9, -10], 0), {"bounds": "clip"}),
    ("take", ([8, 9], 0), {"bounds": "fill", "fill_value": -5}), ("take", ([9, 11], 0), {"bounds": "fill"}), ("index_select", (0, [5, 5]), {}),
    ("index_select", (-1, [2, 0]), {}), ("gather", (0, [[[8, 0, 3]]]), {}), ("gather", (2, [[[2, 0]], [[1, 1]]]), {}),
    ("take_along_axis", ([[[8]], [[0]]], 0), {}), ("gather_nd", ([[8, 3], [0, 0]],), {}), ("gather_nd", ([[8, 3, 2], [0, 0, 1]],), {}),
    ("index", (([8, 0], slice(None), [2, 1]),), {}), ("index", (3,), {}), ("index", ((slice(None), 1),), {}), ("index", ((..., None),), {}),
    ("oindex", (([8, 0], [3, 1, 1]),), {}), ("vindex", (([8, 0], slice(None), [2, 1]),), {}), ("masked_select", (X % 7 == 0,), {}),
    ("nonzero", (), {}), ("index_put", (([8, 0],), -1), {}), ("scatter_add", (0, [[[8, 0, 3]]], [[[5, 5, 5]]]), {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "policies"), CALLS, ids=lambda part: str(part).replace("\n", "")[:40])
def test_functions_are_those_of_an_array(joined, name, arguments, policies):
    want, got = (getattr(takewise, name)(x, *arguments, **policies) for x in (X, joined))
    assert type(got) is type(want) and got.dtype == want.dtype and np.array_equal(got, want)


def test_functions_read_what_they_touch(tmp_path):
    x = opened(tmp_path, np.arange(1 << 20).reshape(-1, 64), (1 << 13, 1 << 13))
    whole = takewise.take(x, [5, 16000, 9999], 0)
    assert np.array_equal(whole, np.arange(1 << 20).reshape(-1, 64)[[5, 16000, 9999]])
    assert np.array_equal(takewise.gather(x, 0, [[7, 16383]]), [[7 * 64, 16383 * 64 + 1]])
    assert np.array_equal(takewise.at(x)[[4, 16000]].get(), x[[4, 16000]])
    out = np.empty((1, 64), np.int64)
    assert takewise.take(x, [3], 0, out=out) is out and out[0, 0] == 192
    with pytest.raises(IndexError, match=r"take: index 16384 is out of bounds for axis 0 with size 16384 \(position \[1\]"):
        takewise.take(x, [0, 16384], 0, bounds="raise")
    for call in (lambda: takewise.put_(x, [0], 1), lambda: takewise.at(x)[0].set_(1), lambda: takewise.scatter_add_(x, 0, [[0]], [[1]])):
        with pytest.raises(TypeError, match="cannot write into a JoinedArray"):
            call()


def test_an_array_in_one_file_is_memory(tmp_path):
    np.save(tmp_path / "x.npy", X)
    x = takewise.open(tmp_path / "x.npy")
    positions = np.rec.array(np.zeros(2, [("a", "i8")]))
    with pytest.raises(TypeError, match="cannot be read: use one of a native integer dtype"):
        takewise.take(x, positions)
    with pytest.raises((TypeError, IndexError)):
        takewise.take(opened(tmp_path), positions)
