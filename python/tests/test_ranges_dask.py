"""Rows of different lengths in Dask's arrays, and as SciPy and awkward hold them."""

import numpy as np
import pytest

import takewise

OFFSETS = [0, 4, 4, 9, 10]


def arrays():
    da = pytest.importorskip("dask.array")
    known = np.arange(20.0).reshape(10, 2)[::-1]
    return da.from_array(known, chunks=(3, 1)), known


@pytest.mark.parametrize("ids", [None, [3, 0, -4], []])
def test_rows_of_chunks(ids):
    x, known = arrays()
    made, offsets = takewise.take_ranges(x, OFFSETS, ids)
    wanted, edges = takewise.take_ranges(known, OFFSETS, ids)
    assert np.array_equal(made.compute(), wanted) and np.array_equal(offsets, edges)


@pytest.mark.parametrize("how", ["sum", "mean", "min", "max", "prod", "any", "all", "count", "first", "last", "argmin", "argmax"])
def test_reductions_of_chunks(how):
    x, known = arrays()
    for given in ({}, {"ids": [9, 1, 1, 0, 4, 5, -1, 7, 8, 2]}, {"empty": 3}):
        made, wanted = (takewise.reduce_ranges(one, OFFSETS, how, **given) for one in (x, known))
        assert made.dtype == wanted.dtype and np.array_equal(made.compute(), wanted), given
        assert np.array_equal(takewise.reduce_ranges(x.T, OFFSETS, how, axis=1, **given).compute(), wanted.T)


@pytest.mark.parametrize("offsets", [OFFSETS, [0], [0, 0], [5, 5, 5], [10, 10], [2, 3]])
def test_padded_chunks(offsets):
    x, known = arrays()
    dense, mask = takewise.pad_ranges(x, offsets, fill_value=-1, mask=True)
    wanted, told = takewise.pad_ranges(known, offsets, fill_value=-1, mask=True)
    assert np.array_equal(dense.compute(), wanted) and np.array_equal(mask, told)
    assert np.array_equal(takewise.reduce_ranges(x, offsets, "sum").compute(), takewise.reduce_ranges(known, offsets, "sum"))


def test_weights_of_chunks_and_what_a_graph_cannot_know():
    x, known = arrays()
    weights = np.arange(10.0)
    made = takewise.reduce_ranges(x, OFFSETS, "sum", weights=weights)
    assert np.array_equal(made.compute(), takewise.reduce_ranges(known, OFFSETS, "sum", weights=weights))
    source = np.arange(12.0).reshape(6, 2)
    for given in ([2, 3], source), ([3, 2], source[:6], [0, 1, 6]):
        assert np.array_equal(takewise.put_ranges(x, OFFSETS, *given).compute(), takewise.put_ranges(known, OFFSETS, *given))
    packed, offsets = takewise.pack_ranges(x, [2, 0, 1, 2, 0, 0, 0, 1, 1, 1])
    assert np.array_equal(packed.compute(), takewise.pack_ranges(known, np.diff(offsets))[0])
    rows = {"starts": [6, 0], "lengths": [4, 3]}
    assert np.array_equal(takewise.reduce_ranges(x, reduce="argmax", **rows).compute(), takewise.reduce_ranges(known, reduce="argmax", **rows))
    assert np.array_equal(takewise.pad_ranges(x, **rows).compute(), takewise.pad_ranges(known, **rows))
    assert np.array_equal(takewise.repeat_ranges(x, np.arange(0, 22, 2)).compute(), np.repeat(known, 2, 0))
    with pytest.raises(ValueError, match="reduce='argmax' has no form"):
        takewise.index_reduce(x, 0, [0, 0], known[:2], "argmax")
    for call in (lambda: takewise.take_ranges(x, x[:, 0]), lambda: takewise.searchsorted_ranges(x[:, 0], OFFSETS, x[:4, 0])):
        with pytest.raises(TypeError, match="known when the graph is built|no form for arrays of Dask's"):
            call()


def test_rows_of_sparse_matrices_are_scipys():
    sparse = pytest.importorskip("scipy.sparse")
    made = sparse.random(50, 40, 0.2, format="csr", random_state=0)
    rows = np.array([3, 1, -1, 3])
    for matrix in (made, sparse.csr_array(made)):
        for taken in (
            takewise.take(matrix, rows, axis=0), takewise.index_select(matrix, 0, rows), takewise.index(matrix, rows),
            takewise.take_ranges(matrix, rows),
        ):  # fmt: skip
            assert type(taken) is type(matrix) and taken.indices.dtype == matrix.indices.dtype and (taken != matrix[rows]).nnz == 0
    columns = made.tocsc()
    assert (takewise.take(columns, [0, 5, 5], axis=1) != columns[:, [0, 5, 5]]).nnz == 0
    assert (takewise.take(made, [0, 5, 5], axis=1) != made[:, [0, 5, 5]]).nnz == 0
    assert (takewise.index(made, np.arange(50) % 7 == 0) != made[::7]).nnz == 0
    assert takewise.take(made, [99, 1], axis=0, bounds="fill").toarray()[0].sum() == 0
    with pytest.raises(IndexError, match="take: index 99 is out of bounds for axis 0 with size 50"):
        takewise.take(made, [99], axis=0)
    for call in (lambda: takewise.scatter(made, 0, [1], 2.0), lambda: takewise.take(made, [1]), lambda: takewise.take(made, [[1]], axis=0)):
        with pytest.raises(TypeError, match="scipy's csr_matrix"):
            call()


def test_rows_of_awkward_arrays():
    ak = pytest.importorskip("awkward")
    x = ak.Array([[1, 2], [], [3, 4, 5]])
    assert takewise.take(x, [2, 0], axis=0).tolist() == [[3, 4, 5], [1, 2]]
    assert takewise.index(x, [-1, 1]).tolist() == [[3, 4, 5], []]
    assert takewise.take(ak.Array(["ab", "", "cde"]), [2, 0], axis=0).tolist() == ["cde", "ab"]
    with pytest.raises(TypeError, match="deeper ones"):
        takewise.take(ak.Array([[[1], [2]], []]), [1], axis=0)


def test_rows_of_columns_of_lists_and_texts():
    pa = pytest.importorskip("pyarrow")
    lists = [[1, 2], None, [], [3, None]]
    texts = ["ab", None, "", "cde"]
    columns = [
        pa.array(lists), pa.array(lists, pa.large_list(pa.int64())), pa.array([[1, 2], None, [3, 4], [5, 6]], pa.list_(pa.int64(), 2)),
        pa.array(texts), pa.array(texts, pa.large_string()), pa.array([b"ab", None, b"", b"c"]), pa.array(texts).dictionary_encode(),
        pa.chunked_array([pa.array(texts[:1]), pa.array(texts[1:])]), pa.chunked_array([pa.array(lists[:3]), pa.array(lists[3:])]),
    ]  # fmt: skip
    for column in columns:
        taken = takewise.take(column, [3, 1, -4, 3])
        assert taken.type == column.type and taken.to_pylist() == [column[k].as_py() for k in (3, 1, 0, 3)]
        assert takewise.take(column, [9, 0], bounds="fill").to_pylist() == [None, column[0].as_py()]
        with pytest.raises(IndexError, match="take: index 4 is out of bounds for axis 0 with size 4"):
            takewise.take(column, [0, 4])


def test_columns_of_data_frames():
    pl = pytest.importorskip("polars")
    column = pl.Series([[1, 2], None, [3]])
    assert takewise.take(column, [2, 0]).to_list() == [[3], [1, 2]]
    assert takewise.take(pl.Series(["a", None, "c"]), [2, 1]).to_list() == ["c", None]
    pd = pytest.importorskip("pandas")
    assert takewise.take(pd.Series(["a", None, "c"], dtype="string"), [2, 0]).tolist() == ["c", "a"]


def test_rows_of_a_sparse_matrix_on_disk(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(50, 40, 0.2, format="csr", random_state=1)
    np.savez(tmp_path / "m.npz", data=matrix.data, indices=matrix.indices, indptr=matrix.indptr)
    with takewise.open_group(tmp_path / "m.npz") as parts:
        data, offsets = takewise.take_ranges(parts["data"], parts["indptr"], [4, 0, 49])
        indices, _ = takewise.take_ranges(parts["indices"], parts["indptr"], [4, 0, 49])
    made = sparse.csr_array((data, indices, offsets), shape=(3, 40))
    assert (made != sparse.csr_array(matrix)[[4, 0, 49]]).nnz == 0
