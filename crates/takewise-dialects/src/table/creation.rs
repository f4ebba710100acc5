//! torch's names that make tensors.

use crate::run::{create, random, ranges};
use crate::sig::Form::{Both, Function, Method};
use crate::sig::{Row, row};

/// Making tensors.
pub(super) const CREATE: &[Row] = &[
    row(Function, "tensor", "Any data, *, dtype dtype=None, Any device=None, bool requires_grad=False", create::tensor),
    row(Function, "as_tensor", "Any data, dtype dtype=None, Any device=None", create::as_tensor),
    row(Function, "from_numpy", "Any ndarray", create::from_numpy),
    row(
        Function,
        "zeros",
        "ints size, *, Tensor out=None, dtype dtype=None, Any layout=None, Any device=None, bool requires_grad=False",
        create::zeros,
    ),
    row(
        Function,
        "ones",
        "ints size, *, Tensor out=None, dtype dtype=None, Any layout=None, Any device=None, bool requires_grad=False",
        create::ones,
    ),
    row(
        Function,
        "empty",
        "ints size, *, Tensor out=None, dtype dtype=None, Any layout=None, Any device=None, bool requires_grad=False",
        create::zeros,
    ),
    row(
        Function,
        "full",
        "ints size, Number fill_value, *, Tensor out=None, dtype dtype=None, Any layout=None, Any device=None, bool requires_grad=False",
        create::full,
    ),
    row(
        Both,
        "zeros_like",
        "Tensor input, *, dtype dtype=None, Any device=None, bool requires_grad=False",
        create::zeros_like,
    ),
    row(
        Both,
        "ones_like",
        "Tensor input, *, dtype dtype=None, Any device=None, bool requires_grad=False",
        create::ones_like,
    ),
    row(
        Both,
        "empty_like",
        "Tensor input, *, dtype dtype=None, Any device=None, bool requires_grad=False",
        create::zeros_like,
    ),
    row(
        Both,
        "full_like",
        "Tensor input, Number fill_value, *, dtype dtype=None, Any device=None, bool requires_grad=False",
        create::full_like,
    ),
    row(Method, "new_zeros", "Tensor input, ints size, *, dtype dtype=None, Any device=None", create::new_zeros),
    row(Method, "new_ones", "Tensor input, ints size, *, dtype dtype=None, Any device=None", create::new_ones),
    row(Method, "new_tensor", "Tensor input, Any data, *, dtype dtype=None, Any device=None", create::new_tensor),
    row(
        Function,
        "arange",
        "Number end, *, Tensor out=None, dtype dtype=None, Any layout=None, Any device=None, bool requires_grad=False",
        ranges::arange,
    ),
    row(
        Function,
        "arange",
        "Number start, Number end, Number step=1, *, Tensor out=None, dtype dtype=None, Any layout=None, Any device=None, bool requires_grad=False",
        ranges::arange,
    ),
    row(Function, "eye", "int n, int m=None, *, dtype dtype=None, Any device=None", create::eye),
    row(
        Function,
        "linspace",
        "Number start, Number end, int steps, *, dtype dtype=None, Any device=None",
        ranges::linspace,
    ),
    row(
        Function,
        "rand",
        "ints size, *, Any generator=None, dtype dtype=None, Any device=None, bool requires_grad=False",
        random::rand,
    ),
    row(
        Function,
        "randn",
        "ints size, *, Any generator=None, dtype dtype=None, Any device=None, bool requires_grad=False",
        random::randn,
    ),
    row(
        Function,
        "randint",
        "int high, ints size, *, Any generator=None, dtype dtype=None, Any device=None, bool requires_grad=False",
        random::randint,
    ),
    row(
        Function,
        "randint",
        "int low, int high, ints size, *, Any generator=None, dtype dtype=None, Any device=None, bool requires_grad=False",
        random::randint,
    ),
    row(
        Function,
        "randperm",
        "int n, *, Any generator=None, dtype dtype=None, Any device=None, bool requires_grad=False",
        random::randperm,
    ),
    row(Function, "manual_seed", "int seed", random::manual_seed),
    row(Function, "Size", "Any sizes=None", create::size),
    row(Function, "Tensor", "Any data=None", create::float_tensor),
    row(Function, "BoolTensor", "Any data=None", create::bool_tensor),
    row(Function, "ByteTensor", "Any data=None", create::byte_tensor),
    row(Function, "CharTensor", "Any data=None", create::char_tensor),
    row(Function, "ShortTensor", "Any data=None", create::short_tensor),
    row(Function, "IntTensor", "Any data=None", create::int_tensor),
    row(Function, "LongTensor", "Any data=None", create::long_tensor),
    row(Function, "HalfTensor", "Any data=None", create::half_tensor),
    row(Function, "BFloat16Tensor", "Any data=None", create::bfloat16_tensor),
    row(Function, "FloatTensor", "Any data=None", create::float_tensor),
    row(Function, "DoubleTensor", "Any data=None", create::double_tensor),
];
