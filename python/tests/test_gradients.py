"""Gradients of `takewise.torch` tensors, beyond what the transcripts and recorded cases show."""

import pytest
import takewise
import takewise.torch as torch


def test_no_grad_is_a_block_and_a_decorator():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        w[0] = 5.0
        assert not torch.is_grad_enabled() and not w.clone().requires_grad

    @torch.no_grad()
    def quiet():
        return w[0]

    assert not quiet().requires_grad
    assert torch.is_grad_enabled() and w.tolist() == [5.0, 2.0]
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        w[0] = 1.0


def test_attributes_are_assigned():
    w = torch.zeros(3)
    w.requires_grad = True
    w[[0, 0, 2]].sum().backward()
    assert w.grad.tolist() == [2.0, 0.0, 1.0]
    w.grad = None
    assert w.grad is None
    w.grad = torch.ones(3)
    w[1].backward()
    assert w.grad.tolist() == [1.0, 2.0, 1.0]
    with pytest.raises(RuntimeError):
        w.grad = torch.ones(2)
    w.requires_grad_(False)
    assert not w.requires_grad and w.is_leaf


def test_sparse_gradients():
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    torch.gather(w, 1, torch.tensor([[0, 0], [1, 0]]), sparse_grad=True).sum().backward()
    sparse = w.grad
    assert isinstance(sparse, takewise.SparseTensor)
    assert sparse.shape == (2, 2) and sparse.dtype is torch.float32 or sparse.dtype == torch.float32
    assert sparse._nnz() == 4 and not sparse.is_coalesced() and sparse.is_sparse
    assert sparse._indices().tolist() == [[0, 0, 1, 1], [0, 0, 1, 0]] and sparse._values().tolist() == [1.0] * 4
    with pytest.raises(RuntimeError, match="uncoalesced"):
        sparse.indices()
    once = sparse.coalesce()
    assert once.indices().tolist() == [[0, 1, 1], [0, 0, 1]] and once.values().tolist() == [2.0, 1.0, 1.0]
    assert sparse.to_dense().tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert repr(once).startswith("tensor(indices=tensor([[0, 1, 1],")
    w.grad = sparse
    w.sum().backward()
    assert w.grad.tolist() == [[3.0, 1.0], [2.0, 2.0]]


def test_training_rows_of_a_table():
    table = torch.zeros(5, 2, requires_grad=True)
    for _ in range(3):
        rows = torch.nn.functional.embedding(torch.tensor([1, 3, 3]), table, sparse=True)
        rows.backward(torch.ones(3, 2))
        step = table.grad.coalesce()
        with torch.no_grad():
            table.index_add_(0, step.indices()[0], step.values(), alpha=-1)
        table.grad = None
    assert table.tolist() == [[0.0, 0.0], [-3.0, -3.0], [0.0, 0.0], [-6.0, -6.0], [0.0, 0.0]]


def test_operations_are_objects():
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.scatter_add(w[1:], 0, torch.tensor([0]), torch.tensor([5.0]))
    f = y.grad_fn
    assert type(f).__name__ == f.name() == "ScatterAddBackward0" and repr(f).startswith("<ScatterAddBackward0 object at 0x")
    (view, k), (nothing, _) = f.next_functions
    assert (view.name(), k, nothing) == ("SliceBackward0", 0, None)
    assert view.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"
    assert f == y.grad_fn and f != view and len({f, y.grad_fn, view}) == 2
    assert w.grad_fn is None and w.detach().grad_fn is None
    first, rest = y[0], y[1:]
    y[0] = 7.0
    assert (y.grad_fn.name(), first.grad_fn.name()) == ("torch::autograd::CopySlices", "AsStridedBackward0")
    assert rest[0].grad_fn.next_functions[0][0].name() == "AsStridedBackward0"


def test_recording_is_switched_for_blocks_functions_and_from_a_call_on():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad(), torch.enable_grad():
        assert torch.is_grad_enabled()

    @torch.no_grad
    def bare():
        return w[0].requires_grad

    @torch.set_grad_enabled(False)
    def told():
        return w[0].requires_grad

    assert not bare() and not told() and torch.is_grad_enabled()
    with torch.set_grad_enabled(False):
        assert not w[0].requires_grad
    with torch.inference_mode():
        assert not w[0].requires_grad
    with torch.inference_mode(False):
        assert w[0].requires_grad
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.no_grad():
        part = w[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        part.fill_(5.0)
    with pytest.raises(NotImplementedError, match="register_hook"):
        w.register_hook(print)


def test_gradients_of_gradients():
    w = torch.tensor([2.0, 3.0, 5.0], requires_grad=True)
    v = torch.tensor([1.0, 10.0], requires_grad=True)
    y = w[[2, 2]]
    (g,) = torch.autograd.grad(y, w, v, create_graph=True)
    assert g.tolist() == [0.0, 0.0, 11.0] and g.requires_grad
    assert torch.autograd.grad(g, v, torch.tensor([1.0, 2.0, 4.0]), retain_graph=True)[0].tolist() == [4.0, 4.0]
    assert torch.autograd.grad([g.sum(), y.sum()], [v, w])[1].tolist() == [0.0, 0.0, 2.0]
    product = w[:1].scatter_reduce(0, torch.tensor([0, 0]), w[1:], "prod")
    product.backward(create_graph=True)
    assert w.grad.tolist() == [15.0, 10.0, 6.0]
    (second,) = torch.autograd.grad(w.grad.sum(), w)
    assert second.tolist() == [8.0, 7.0, 5.0]
    w.grad = None


def test_gradients_of_some_tensors():
    w, u = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
    y = w.clone()
    part = y[1:]
    total = part.sum()
    assert [g.tolist() for g in torch.autograd.grad(total, [part, y, w], retain_graph=True)] == [[1, 1], [0, 1, 1], [0, 1, 1]]
    with pytest.raises(RuntimeError, match="at index 1 appears to not have been used"):
        torch.autograd.grad(total, [w, u], retain_graph=True)
    assert torch.autograd.grad(total, [w, u], retain_graph=True, allow_unused=True)[1] is None
    zeros = torch.autograd.grad(total, [w, u], retain_graph=True, materialize_grads=True)[1]
    assert zeros.tolist() == [0.0, 0.0] and w.grad is None
    with pytest.raises(ValueError, match="Expected allow_unused to be True"):
        torch.autograd.grad(total, w, allow_unused=False, materialize_grads=True)
    total.backward(inputs=[part, w], retain_graph=True)
    assert part.grad.tolist() == [1.0, 1.0] and w.grad.tolist() == [0.0, 1.0, 1.0] and y.grad is None
    torch.autograd.backward([total, y], [None, torch.ones(3)], inputs=u, retain_graph=True)
    assert u.grad is None
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        torch.autograd.grad(total, 3)


def test_embedding_limits_rows_and_weighs_their_gradients():
    table = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], requires_grad=True)
    rows = torch.nn.functional.embedding(torch.tensor([0, 1, 0]), table, max_norm=1.0, scale_grad_by_freq=True)
    assert [round(x, 5) for x in table.tolist()[0]] == [0.6, 0.8] and table.tolist()[2] == [6.0, 8.0]
    rows.sum().backward()
    assert table.grad.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="embedding_renorm_"):
        torch.nn.functional.embedding(torch.tensor([0]), torch.ones(2), max_norm=1.0)
