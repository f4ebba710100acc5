"""Rows that a loader of batches asks for together."""

import numpy as np
import pytest
import zarr

import takewise_zarr

X = np.arange(20 * 3 * 2, dtype="f4").reshape(20, 3, 2)
ORDERS = [[3, 1, 2], [], [19], [5, 5, 0], [-1, 0, -20], list(range(20)), np.array([4, 2])]


def same(got, want):
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype and one.shape == other.shape


@pytest.mark.parametrize("how", [{}, {"shards": (8, 4, 2)}, {"zarr_format": 2}], ids=["v3", "sharded", "v2"])
@pytest.mark.parametrize("data", [X, X[:, 0, 0], X.astype("i8") * 10**14, X[:, 0, 0].astype("M8[s]")], ids=["rows", "elements", "integers", "dates"])
@pytest.mark.filterwarnings("ignore:The data type")
def test_rows_are_those_of_a_loop(tmp_path, data, how):
    how = dict(how, shards=how["shards"][: data.ndim]) if "shards" in how else how
    zarr.create_array(str(tmp_path), data=data, chunks=(4, 2, 2)[: data.ndim], **how)
    x = takewise_zarr.open(tmp_path)
    for order in ORDERS:
        same(x.__getitems__(order), [x[k] for k in order])
    # Chunks that many rows lie in are decoded once.
    before = x.traffic.decoded
    x.__getitems__([0, 1, 2, 3])
    assert x.traffic.decoded - before == (2 if data.ndim == 3 else 1)
    with pytest.raises(IndexError, match="20"):
        x.__getitems__([0, 20])


def test_a_loader_of_pytorchs_takes_rows_together(tmp_path):
    data = pytest.importorskip("torch.utils.data")
    zarr.create_array(str(tmp_path), data=X, chunks=(4, 2, 2))
    x = takewise_zarr.open(tmp_path)
    batches = [batch.numpy() for batch in data.DataLoader(x, batch_size=6)]
    assert [len(batch) for batch in batches] == [6, 6, 6, 2]
    np.testing.assert_array_equal(np.concatenate(batches), X)
    order = data.DataLoader(x, batch_size=5, shuffle=True)
    np.testing.assert_array_equal(np.sort(np.concatenate([batch.numpy() for batch in order]), axis=0), X)
