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
