"""Methods and attributes on the classes of tensors, as PyTorch has them."""

import inspect
import pickle

import pytest

import takewise
import takewise.mindspore
import takewise.torch
from takewise import explain


@pytest.mark.parametrize("module", [takewise, takewise.torch, takewise.mindspore])
def test_every_name_of_a_tensor_is_one_of_its_class(module):
    x = module.Tensor([[1.0, 2.0], [3.0, 4.0]])
    for name in dir(x):
        assert hasattr(module.Tensor, name), name
    assert not hasattr(module.Tensor, "no_such_name")


def test_a_method_of_the_class_takes_the_tensor_first():
    import takewise.torch as torch

    x, index = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [0, 1]])
    gather = torch.Tensor.gather
    assert torch.equal(gather(x, 1, index), x.gather(1, index))
    assert gather.__name__ == "gather" and gather.__qualname__ == "Tensor.gather" and gather.__objclass__ is torch.Tensor
    assert gather.__doc__ == x.gather.__doc__ and list(inspect.signature(gather).parameters)[:3] == ["self", "dim", "index"]
    assert pickle.loads(pickle.dumps(gather)) is gather  # noqa: S301
    assert explain(gather, x, 1, index).shape == (2, 2)
    with pytest.raises(TypeError, match="needs a tensor"):
        gather()
    assert "attribute" in repr(torch.Tensor.shape) and torch.Tensor.shape.__doc__ is None


def test_a_class_has_no_names_of_another_library():
    assert hasattr(takewise.torch.Tensor, "scatter_reduce") and not hasattr(takewise.mindspore.Tensor, "is_contiguous_of")
    described = {name for name, found in vars(takewise.Tensor).items() if type(found).__name__ == "Member"}
    for name in described - set(dir(takewise.mindspore.Tensor([1]))):
        assert not hasattr(takewise.mindspore.Tensor, name), name
        with pytest.raises(AttributeError):
            getattr(takewise.mindspore.Tensor([1]), name)


def test_a_class_derived_in_python_may_define_a_method_anew():
    class Mine(takewise.torch.Tensor):
        def gather(self):
            return "mine"

    x = Mine([1, 2])
    assert x.gather() == "mine" and x.take(takewise.torch.tensor([1])).tolist() == [2] and x.shape == (2,)


def test_help_finds_a_method():
    assert "gather" in dir(takewise.torch.Tensor) and "take" in dir(takewise.Tensor)
    members = {name for name, _ in inspect.getmembers(takewise.torch.Tensor)}
    assert {"gather", "scatter_", "index_select", "shape"} <= members
    public = [name for name in takewise.__all__ if callable(getattr(takewise, name))]
    assert not [name for name in public if not inspect.getdoc(getattr(takewise, name))]
