"""The functions of a library refuse, as it does, arrays of dtypes it does not have, and dtypes that meet nowhere in it."""

import array

import numpy as np
import pytest
import takewise as tw

X = np.arange(12.0).reshape(3, 4)
I = np.array([2, 0])  # noqa: E741


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed here")


@pytest.fixture(scope="module")
def small():
    return pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed here")


FOREIGN = [
    np.zeros(2, "M8[D]"), np.zeros(2, "m8[s]"), np.zeros(2, "S2"), np.zeros(2, "U3"), np.zeros(2, [("a", "i4")]),
    np.zeros(2, "g"), np.zeros(2, "G"), np.zeros(2, "V7"),
]  # fmt: skip


@pytest.mark.parametrize("values", FOREIGN, ids=lambda v: str(v.dtype))
def test_jax_has_numbers_alone(jax, values):
    import takewise.jax as tj

    name = "jax"
    for call in (
        lambda: tj.numpy.put(X, I, values, inplace=False),
        lambda: tj.numpy.searchsorted(X[0], values),
        lambda: tj.numpy.digitize(values, X[0]),
        lambda: tj.numpy.select([X[0, :2] > 0], [values], X[0, :2]),
        lambda: tj.numpy.where(X[0, :2] > 0, values, 1),
        lambda: tj.at(X[0])[I].set(values),
        lambda: tj.at(X[0])[I].add(values),
        lambda: tj.numpy.take(values, I),
    ):
        with pytest.raises(TypeError, match="is not a valid JAX array type") as refused:
            call()
        shown = values.dtype.name if values.dtype.kind in "Mmfc" else ""
        assert shown in str(refused.value), name


def test_the_argument_is_named(jax):
    import takewise.jax as tj

    with pytest.raises(TypeError, match=r"put\(\): argument 'values' \(position 3\): dtype datetime64\[D\] is not"):
        tj.numpy.put(X, I, np.zeros(2, "M8[D]"), inplace=False)
    with pytest.raises(TypeError, match=r"put\(\): argument 'values': dtype datetime64\[D\] is not"):
        tj.numpy.put(X, I, values=np.zeros(2, "M8[D]"), inplace=False)


def test_objects_that_are_nothing_here_are_named():
    import takewise.torch as tt

    with pytest.raises(TypeError, match=r"isin\(\): argument 'test_elements' \(position 2\): must be .*not Odd"):
        tt.isin(tt.tensor([1]), type("Odd", (), {})())


def test_numbers_in_the_other_byte_order_are_numbers_to_jax(jax):
    import takewise.jax as tj

    got = tj.numpy.put(X, I, np.array([6, 2], ">i4"), inplace=False)
    assert np.array_equal(np.asarray(got), np.asarray(tj.numpy.put(X, I, np.array([6, 2]), inplace=False)))


@pytest.mark.parametrize("pair", [("int4", "int8"), ("float8_e4m3fn", "float16"), ("uint2", "float8_e5m2"), ("int4", "int2")])
def test_narrow_dtypes_meet_nowhere_in_jax(jax, small, pair):
    import jax.numpy as jnp
    import takewise.jax as tj

    a, b = (jnp.asarray([0, 1]).astype(name) for name in pair)
    with pytest.raises(jax.dtypes.TypePromotionError):
        jnp.promote_types(*pair)
    for call in (
        lambda: tj.at(a)[jnp.array([0])].set(b[:1]),
        lambda: tj.at(a)[jnp.array([0])].add(b[:1]),
        lambda: tj.numpy.put(a, jnp.array([0]), b, inplace=False),
        lambda: tj.numpy.put_along_axis(a, jnp.array([0]), b[:1], 0, inplace=False),
        lambda: tj.numpy.searchsorted(a, b),
        lambda: tj.numpy.digitize(a, b),
        lambda: tj.numpy.where(jnp.array([True, False]), a, b),
        lambda: tj.numpy.select([jnp.array([True, False])], [a], b),
    ):
        with pytest.raises(ValueError, match="have no available implicit dtype promotion path") as refused:
            call()
        assert pair[0] in str(refused.value) and pair[1] in str(refused.value)


def test_narrow_dtypes_meet_themselves_booleans_and_numbers_in_jax(jax):
    import jax.numpy as jnp
    import takewise.jax as tj

    a, flags = jnp.asarray([0, 1, 3]).astype("int4"), jnp.array([True, False, True])
    assert np.asarray(tj.numpy.where(flags, a, flags)).tolist() == [0, 0, 3]
    assert tj.numpy.where(flags, a, 5).dtype == "int4"
    with pytest.raises(ValueError, match="promotion path"):
        tj.numpy.where(flags, a, 1.5)


@pytest.mark.parametrize("fill", [np.timedelta64(3, "s"), "x", np.array([1, 2])], ids=["timedelta", "text", "two"])
def test_what_fills_gaps_is_a_number(jax, fill):
    import takewise.jax as tj

    with pytest.raises(TypeError, match="fill_value"):
        tj.at(X)[np.array([9])].get(mode="fill", fill_value=fill)
    # What is no fill value of ours is JAX's to refuse.
    with pytest.raises((TypeError, ValueError)):
        tj.numpy.take(X, np.array([9]), axis=0, mode="fill", fill_value=fill)


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**64])
def test_numbers_beyond_what_jax_takes(jax, number):
    import jax.numpy as jnp
    import takewise.jax as tj

    x = jnp.array([1.0, 2.0])
    for call in (
        lambda m: m.where(x > 1, x, number),
        lambda m: m.isin(x, number),
        lambda m: m.searchsorted(x, number),
        lambda m: m.put(x, jnp.array([0]), number, inplace=False),
    ):
        for module in (jnp, tj.numpy):
            with pytest.raises(OverflowError):
                call(module)


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_numbers_beyond_what_torch_takes(torch, number):
    import takewise.torch as tt

    x = torch.tensor([1.0, 2.0])
    for call in (lambda m: m.eq(x, number), lambda m: m.where(x > 1, x, number), lambda m: m.isin(x, number)):
        for module in (torch, tt):
            with pytest.raises(OverflowError, match="int too big to convert|can't convert negative int to unsigned"):
                call(module)


def test_torch_takes_no_dates():
    import takewise.torch as tt

    for call in (tt.tensor, tt.as_tensor, tt.from_dlpack, lambda v: tt.fill(tt.tensor([1.0]), v)):
        with pytest.raises(TypeError, match=r"can't convert elements of dtype datetime64\[D\]"):
            call(np.zeros(2, "M8[D]"))
    with pytest.raises(ValueError, match="byte order"):
        tt.tensor(np.zeros(2, ">f8"))


def test_torch_crosses_tensors_of_one_dtype():
    import takewise.torch as tt

    a, b = tt.tensor([1, 2]), tt.tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match="same dtype"):
        tt.meshgrid(a, b, indexing="ij")
    for call in (tt.meshgrid, tt.broadcast_tensors, tt.atleast_2d):
        with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got"):
            call(a, np.zeros(2))
    # Elsewhere arrays of any dtype are crossed.
    assert [g.dtype for g in tw.meshgrid(np.array([1, 2]), np.array([1.0]))] == ["int64", "float64"]


def test_torch_reads_buffers_item_by_item(torch):
    import takewise.torch as tt

    for data in (array.array("b", [1, -2]), array.array("f", [1, 2]), bytearray(b"ab"), memoryview(b"ab")):
        want, got = torch.tensor(data), tt.tensor(data)
        assert (str(got.dtype), got.tolist()) == (str(want.dtype), want.tolist())
    with pytest.raises(TypeError, match="bytes"):
        tt.tensor(b"ab")


def test_torch_looks_for_unsigned_numbers(torch):
    import takewise.torch as tt

    x = torch.arange(4).to(torch.uint16)
    assert tt.isin(x, 1).tolist() == torch.isin(x, 1).tolist() == [False, True, False, False]


def test_torch_names_float8(torch):
    import takewise.torch as tt

    x = torch.arange(4.0).to(torch.float8_e4m3fn)
    for module in (torch, tt):
        with pytest.raises(RuntimeError, match="Promotion for Float8 Types is not supported, attempted to promote Float and"):
            module.searchsorted(torch.arange(4.0), x)
        with pytest.raises(NotImplementedError, match="not implemented for 'Float8_e4m3fn'"):
            module.sum(x)


def test_mindspore_names_dtypes():
    from takewise import mindspore

    x, n = mindspore.tensor(np.zeros(4, "M8[D]")), mindspore.tensor(np.array([[0]]))
    with pytest.raises(TypeError, match=r"input_x_type: datetime64\[D\], updates_type: Float32"):
        mindspore.ops.tensor_scatter_add(x, n, mindspore.tensor(np.zeros(1, "f4")))
    with pytest.raises(TypeError, match=r"Tensor\[datetime64\[D\]\]"):
        mindspore.ops.gather_elements(mindspore.tensor(X[0]), 0, x)


def test_contains_refuses_what_is_no_number():
    with pytest.raises(RuntimeError, match="__contains__"):
        np.zeros((), "O") in tw.tensor([1.0])  # noqa: B015
