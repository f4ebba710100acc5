"""Gradients of functions of tensors, as MindSpore takes them."""

import threading

from takewise import _takewise, exceptions

# How many functions are being differentiated, one inside the other: gradients of inner ones are differentiated again.
_nested = threading.local()


def _tensor(x):
    return isinstance(x, _takewise.Tensor)


def _outputs(result):
    """The tensors among a function's results."""
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in _outputs(part)]
    return [result] if _tensor(result) else []


def _walk(fn, args, kwargs, positions, weights, has_aux=False, sens=None):
    """The function's result, and the gradients with respect to arguments and weights."""
    if not callable(fn):
        raise exceptions.TypeError(f"The fn should be callable, but got {type(fn).__name__}")
    args = [_takewise.variable(x) if at in positions and _tensor(x) else x for at, x in enumerate(args)]
    inputs = [args[at] for at in positions if at < len(args) and _tensor(args[at])] + weights
    marked = [w for w in weights if not _takewise.is_variable(w)]
    depth = getattr(_nested, "depth", 0)
    for weight in marked:
        weight.requires_grad = True
    _nested.depth = depth + 1
    try:
        result = fn(*args, **kwargs)
        if positions and max(positions) >= len(args):
            raise exceptions.RuntimeError(f"Position index {max(positions)} is exceed input size.")
        differentiated = result
        if has_aux:
            if not isinstance(result, tuple) or len(result) < 2:
                raise exceptions.ValueError("When has_aux is True, origin fn requires more than one outputs.")
            differentiated = result[0]
        outputs = _outputs(differentiated)
        if any(not x.dtype.is_floating_point and not x.dtype.is_complex for x in outputs):
            raise exceptions.NotImplementedError(
                "gradients of integer results are not to be had: differentiate float tensors"
            )
        given = _outputs(sens)
        if given and len(given) != len(outputs):
            raise exceptions.ValueError(f"{len(outputs)} results have {len(given)} gradients")
        pairs = list(zip(outputs, given or [None] * len(outputs)))
        return result, _takewise.gradients(pairs, inputs, depth > 0)
    finally:
        _nested.depth = depth
        for weight in marked:
            weight.requires_grad = False


def _positions(grad_position, weights):
    if grad_position is None:
        if weights is None:
            raise exceptions.ValueError("`grad_position` and `weight` can not be None at the same time.")
        return ()
    if not isinstance(grad_position, (int, tuple)):
        raise exceptions.TypeError("For 'F.grad', the 'grad_position' must be int or tuple.")
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if not all(isinstance(at, int) for at in positions):
        raise exceptions.TypeError("For 'F.grad', the element in 'grad_position' must be int.")
    if any(at < 0 for at in positions):
        raise exceptions.ValueError("grad_position must be >= 0.")
    if len(set(positions)) < len(positions):
        raise exceptions.ValueError("There are duplicate positions in `grad_position`, please check it")
    return positions


def _listed(weights):
    if weights is None:
        return []
    listed = [weights] if _tensor(weights) else weights
    if not isinstance(listed, (list, tuple)) or not all(map(_tensor, listed)):
        raise exceptions.TypeError(
            f"The weights you provided is expected to be a tensor, or a list or tuple. but got {weights}"
        )
    return list(listed)


def _differentiated(fn, grad_position, weights, has_aux, return_ids):
    """A function that gives the result and the gradients as they are asked for."""
    positions = _positions(grad_position, weights)

    def run(*args, **kwargs):
        if grad_position == ():
            raise exceptions.RuntimeError("grad_position should not be empty when grad by position!")
        listed = _listed(weights)
        result, found = _walk(fn, args, kwargs, positions, listed, has_aux)
        at = [p for p in positions if _tensor(args[p])]
        of_inputs, of_weights = found[: len(at)], found[len(at) :]
        if return_ids:
            of_inputs = list(zip(at, of_inputs))
            of_weights = [(getattr(w, "name", None), g) for w, g in zip(listed, of_weights)]
        one = len(positions) == 1 and len(of_inputs) == 1
        inputs = of_inputs[0] if one else tuple(of_inputs)
        if weights is None:
            return result, inputs
        weighed = of_weights[0] if _tensor(weights) else tuple(of_weights)
        return result, weighed if grad_position is None else (inputs, weighed)

    return run


def grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False):
    """The function that gives the gradient of ``fn`` with respect to some of its arguments.

    ``grad_position`` says which, by number: one, or a tuple of several, whose gradients come as a tuple. Several results
    are summed; with ``has_aux`` only the first is differentiated and the gradient comes with the others. ``weights`` are
    tensors the function reads besides its arguments. Arguments the results do not depend on have gradient zero.

    >>> from takewise.mindspore import Tensor, float32, grad, int32
    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]], float32)
    >>> index = Tensor([[0, 0], [1, 0]], int32)
    >>> print(grad(lambda x: x.gather(1, index))(x))
    [[2. 0.]
     [1. 1.]]
    """
    run = _differentiated(fn, grad_position, weights, has_aux, return_ids)

    def of(*args, **kwargs):
        result, found = run(*args, **kwargs)
        return (found, tuple(result[1:])) if has_aux else found

    return of


def value_and_grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False):
    """As :func:`grad`, but the function gives its result and the gradient."""
    return _differentiated(fn, grad_position, weights, has_aux, return_ids)


class GradOperation:
    """Gradients of a function with respect to its first argument or (``get_all``) all of them.

    ``get_by_list`` asks for those of the tensors given as ``weights``. With ``sens_param`` the last argument of the
    function made, or its ``sens``, is the gradient of the result; else that is one.
    """

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        for name, value in {"get_all": get_all, "get_by_list": get_by_list, "sens_param": sens_param}.items():
            if value is not True and value is not False:
                raise exceptions.TypeError(f"For 'GradOperation', the '{name}' should be bool, but got {type(value).__name__}")
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights=None):
        def of(*args, **kwargs):
            sens = None
            if self.sens_param:
                if "sens" in kwargs:
                    sens = kwargs.pop("sens")
                else:
                    *args, sens = args
            wanted = range(len(args)) if self.get_all else range(min(1, len(args)))
            positions = tuple(at for at in wanted if _tensor(args[at]))
            if self.get_by_list and not self.get_all:
                positions = ()
            listed = _listed(weights) if self.get_by_list else []
            _, found = _walk(fn, args, kwargs, positions, listed, sens=sens)
            inputs, weighed = tuple(found[: len(positions)]), tuple(found[len(positions) :])
            if not self.get_all:
                inputs = inputs[0] if inputs else ()
            if self.get_by_list:
                return (inputs, weighed) if self.get_all else weighed
            return inputs

        return of
