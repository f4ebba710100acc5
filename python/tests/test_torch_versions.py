"""PyTorch is asked before its memory is written, and told after: versions, inference tensors, and what a backward pass saved."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import takewise as tw  # noqa: E402
import takewise.numpy as tn  # noqa: E402
import takewise.torch as tt  # noqa: E402

pytestmark = [pytest.mark.filterwarnings(f"ignore::{kind}") for kind in ("FutureWarning", "UserWarning", "DeprecationWarning")]

ROW = torch.arange(3.0)
BACK, FIRST, MASK = [2, 1, 0], torch.tensor([0]), torch.tensor([True, False, False])
POSITIONS = torch.zeros(3, dtype=torch.int64)

# Every way to write into a tensor of PyTorch's.
WRITES = {
    "index_put_": lambda x: tw.index_put_(x, ([0],), 5.0),
    "index_set": lambda x: tw.index_set(x, [0], 5.0),
    "index_set view": lambda x: tw.index_set(x, 0, 5.0),
    "scatter_": lambda x: tw.scatter_(x, 0, [0], [5.0]),
    "scatter_add_": lambda x: tw.scatter_add_(x, 0, [0], [5.0]),
    "scatter_reduce_": lambda x: tw.scatter_reduce_(x, 0, [0], [5.0], "sum"),
    "index_add_": lambda x: tw.index_add_(x, 0, [0], [5.0]),
    "index_copy_": lambda x: tw.index_copy_(x, 0, [0], [5.0]),
    "index_fill_": lambda x: tw.index_fill_(x, 0, [0], 5.0),
    "index_reduce_": lambda x: tw.index_reduce_(x, 0, [0], [5.0], "mean"),
    "put_": lambda x: tw.put_(x, [0], [5.0]),
    "put_along_axis": lambda x: tw.put_along_axis(x, [0], [5.0], 0),
    "masked_fill_": lambda x: tw.masked_fill_(x, MASK, 5.0),
    "masked_scatter_": lambda x: tw.masked_scatter_(x, MASK, [5.0]),
    "tensor_scatter_": lambda x: tw.tensor_scatter_(x, [[0]], [5.0]),
    "at set_": lambda x: tw.at(x)[[0]].set_(5.0),
    "at add_": lambda x: tw.at(x)[[0]].add_(5.0),
    "at min_": lambda x: tw.at(x)[[0]].min_(5.0),
    "fill_": lambda x: tw.fill_(x, 3.0),
    "take out": lambda x: tw.take(np.arange(3, dtype="f4"), BACK, out=x),
    "gather out": lambda x: tw.gather(ROW, 0, BACK, out=x),
    "index out": lambda x: tw.index(ROW, BACK, out=x),
    "copy out": lambda x: tw.copy(ROW, out=x),
    "where out": lambda x: tw.where(MASK, ROW, ROW + 1, out=x),
    "masked_select out": lambda x: tw.masked_select(ROW, [True] * 3, out=x),
    "another shape out": lambda x: tw.take(ROW, [2, 1], out=x),
    "torch index_put_": lambda x: tt.index_put_(x, (FIRST,), torch.tensor(5.0)),
    "torch index_put_ named": lambda x: tt.index_put_(input=x, indices=(FIRST,), values=torch.tensor(5.0)),
    "torch fill_": lambda x: tt.fill_(x, 5.0),
    "torch gather out": lambda x: tt.gather(ROW, 0, torch.tensor(BACK), out=x),
    "torch sort out": lambda x: tt.sort(ROW, out=(x, POSITIONS.clone())),
    "torch topk out": lambda x: tt.topk(ROW, 3, out=(x, POSITIONS.clone())),
    "torch aten": lambda x: tt.ops.aten._index_put_impl_(x, (FIRST,), torch.tensor(5.0)),
    "torch embedding": lambda x: tt.nn.functional.embedding(FIRST, x.view(3, 1), max_norm=0.5),
    "numpy put": lambda x: tn.put(x, [0], 5.0),
    "numpy setindex": lambda x: tn.setindex(x, [0], 5.0),
    "numpy add.at": lambda x: tn.add.at(x, [0], 1.0),
    "our tensor over it": lambda x: tt.from_dlpack(x).__setitem__(0, 5.0),
    "an operator of ours": lambda x: tt.from_dlpack(x).__iadd__(5.0),
    "another class of ours": lambda x: tw.from_dlpack(x).__imul__(5.0),
    "a method of ours": lambda x: tt.from_dlpack(x).scatter_(0, tt.tensor([0]), tt.tensor([5.0])),
    "a subclass": lambda x: tw.scatter_(x.as_subclass(torch.nn.Buffer), 0, [0], [5.0]),
}  # fmt: skip


def fresh():
    return torch.full((3,), 9.0)


@pytest.mark.parametrize("write", WRITES)
def test_versions_go_up(write):
    x = fresh()
    WRITES[write](x)
    assert not torch.equal(x, fresh()) and x._version > 0


@pytest.mark.parametrize("write", WRITES)
def test_a_backward_pass_is_refused(write):
    a, b = torch.ones(3, requires_grad=True), fresh()
    c = a * b
    WRITES[write](b)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.sum().backward()


@pytest.mark.parametrize("write", WRITES)
def test_inference_tensors(write):
    with torch.inference_mode():
        x, y = fresh(), fresh()
        WRITES[write](x)
    assert not torch.equal(x, fresh())
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        WRITES[write](y)
    assert torch.equal(y, fresh())


def test_what_fails_raises_no_version():
    x = fresh()
    for call in (
        lambda: tw.scatter_(x, 0, [9], [1.0]),
        lambda: tw.take(ROW, [9, 1, 1], out=x),
        lambda: tt.index_put_(x, (FIRST + 9,), torch.tensor(1.0)),
        lambda: tn.put(x, [9], 1.0),
    ):
        with pytest.raises(IndexError):
            call()
    assert x._version == 0 and torch.equal(x, fresh())


def test_reads_raise_no_version():
    x, k = fresh(), torch.tensor([0, 1])
    tw.take(x, k), tw.scatter(x, 0, k, ROW[:2]), tt.index_put(x, (k,), ROW[:2]), tw.nonzero(x), tn.take(x, k)
    with torch.inference_mode():
        y = fresh()
    assert torch.equal(tw.take(y, k), y[k])
    assert x._version == k._version == 0


def test_positions_that_were_saved():
    a, k = torch.ones(3, requires_grad=True), torch.tensor([0, 1])
    c = tw.take(a, k)
    tw.put_(k, [0], [2])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.sum().backward()


def test_leaves_are_written_without_gradients_alone():
    p = torch.nn.Parameter(torch.zeros(3))
    with pytest.raises(RuntimeError, match="leaf Variable"):
        tw.scatter_(p, 0, [0], [1.0])
    with torch.no_grad():
        tw.scatter_(p, 0, [0], [1.0])
    assert p.tolist() == [1, 0, 0] and p._version == 1
