"""`takewise.mindspore.grad` and its kin, beyond the recorded calls."""

import pytest
import takewise.mindspore as mindspore
from takewise._takewise import is_variable
from takewise.mindspore import Tensor, grad, ops, value_and_grad

X = Tensor([[1.0, 2.0], [3.0, 4.0]], mindspore.float32)
I = Tensor([[0, 0], [1, 0]], mindspore.int32)


def test_arguments_are_left_as_they_are():
    found = grad(lambda x: x.gather(1, I))(X)
    assert type(found) is Tensor and found.tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert not is_variable(X) and not is_variable(found)
    with pytest.raises(RuntimeError, match="'GatherD'"):
        grad(lambda x: x.gather(1, Tensor([[7, 7]], mindspore.int32)))(X)
    assert not is_variable(X)


def test_weights_are_tensors_a_function_reads():
    p, q = Tensor([1.0, 2.0], mindspore.float32), Tensor([3.0], mindspore.float32)
    rows = Tensor([0, 1, 1], mindspore.int32)

    def f(x):
        return ops.tensor_scatter_mul(x, Tensor([[0]]), ops.gather(p, Tensor([1]), 0)), ops.gather(p, rows, 0)

    x = Tensor([5.0, 7.0], mindspore.float32)
    of_x, (of_p, of_q) = grad(f, 0, weights=[p, q])(x)
    assert of_x.tolist() == [2.0, 1.0] and of_p.tolist() == [1.0, 7.0] and of_q.tolist() == [0.0]
    assert grad(f, None, weights=p)(x).tolist() == [1.0, 7.0]
    (_, _), (alone,) = value_and_grad(f, None, weights=(p,))(x)
    assert alone.tolist() == [1.0, 7.0] and not is_variable(p)
    by_list = ops.GradOperation(get_all=True, get_by_list=True)(f, [p])(x)
    assert [g.tolist() for part in by_list for g in part] == [[2.0, 1.0], [1.0, 7.0]]
    with pytest.raises(TypeError, match="weights you provided"):
        grad(f, weights=[1])(x)


def test_gradients_of_gradients():
    at = Tensor([[0]])

    def cube(x):
        return ops.tensor_scatter_mul(ops.tensor_scatter_mul(x, at, x), at, x)

    x = Tensor([2.0], mindspore.float32)
    once, twice, thrice = grad(cube), grad(grad(cube)), grad(grad(grad(cube)))
    assert [f(x).tolist() for f in (cube, once, twice, thrice)] == [[8.0], [12.0], [12.0], [6.0]]
    assert grad(grad(lambda x: x.gather(1, I)))(X).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_integers():
    with pytest.raises(NotImplementedError, match="integer results"):
        grad(lambda x: x.gather(1, I))(Tensor([[1, 2], [3, 4]], mindspore.int32))
    of_x, of_index = grad(lambda x, i: x.gather(1, i), (0, 1))(X, I)
    assert of_x.tolist() == [[2.0, 0.0], [1.0, 1.0]] and of_index.tolist() == [[0, 0], [0, 0]] and of_index.dtype == mindspore.int32


def test_a_given_gradient():
    sens = Tensor([[1.0, 10.0], [100.0, 1000.0]], mindspore.float32)
    operation = ops.GradOperation(sens_param=True)(lambda x: x.gather(1, I))
    assert operation(X, sens).tolist() == operation(X, sens=sens).tolist() == [[11.0, 0.0], [1000.0, 100.0]]
