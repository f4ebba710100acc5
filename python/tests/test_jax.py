"""JAX arrays: read where they are, never written, and given back."""

import numpy as np
import pytest

import takewise as tw
import takewise.jax

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")


def test_reads_and_results():
    x = jax.numpy.arange(12.0).reshape(3, 4)
    got = tw.take(x, [2, 0], axis=0)
    assert isinstance(got, jax.Array) and np.array_equal(got, x[np.array([2, 0])])
    assert tw.from_dlpack(x).data_ptr() == np.asarray(x).__array_interface__["data"][0]
    half = jax.numpy.arange(3, dtype="bfloat16")
    assert tw.take(half, [1]).dtype == half.dtype


def test_jax_arrays_are_not_written():
    x = jax.numpy.zeros(3)
    with pytest.raises(Exception, match="read-only"):
        tw.put_(x, [0], 1.0)
    assert not x.any()
    assert tw.at(x)[0].set(1).tolist() == [1, 0, 0]


def test_names_of_jax():
    import takewise.jax

    x = jax.numpy.arange(4.0)
    for mode in ("fill", "clip", "wrap"):
        got = takewise.jax.numpy.take(x, jax.numpy.array([1, 9]), mode=mode)
        want = jax.numpy.take(x, jax.numpy.array([1, 9]), mode=mode)
        assert isinstance(got, jax.Array) and np.array_equal(got, want, equal_nan=True)


def same(got, want):
    assert isinstance(got, jax.Array) and (got.dtype, got.shape) == (want.dtype, want.shape), f"{got!r}, not {want!r}"
    assert got.weak_type == want.weak_type, f"weak type {got.weak_type}"
    assert np.allclose(np.asarray(got, complex), np.asarray(want, complex), rtol=1e-6, equal_nan=True), f"{got}, not {want}"


def test_modes_count_from_the_end_as_jax_does():
    import takewise.jax as ours

    jnp = jax.numpy
    x, i = jnp.arange(5), jnp.array([-1, -7, 9, 2])
    for mode in ("fill", "clip", "drop", "promise_in_bounds"):
        # What becomes of a promise that is not kept differs from one JAX to the next: 0.10 clips -1 here, and 0.12 counts it from the end.
        along = abs(i) % 5 if mode == "promise_in_bounds" else i
        same(ours.numpy.take_along_axis(x, along, 0, mode=mode), jnp.take_along_axis(x, along, 0, mode=mode))
        same(ours.at(x)[i].get(mode=mode), x.at[i].get(mode=mode))
        same(ours.at(x)[i].set(7, mode=mode), x.at[i].set(7, mode=mode))
        want = jnp.put_along_axis(x, i, 7, 0, inplace=False, mode=mode)
        same(ours.numpy.put_along_axis(x, i, 7, 0, inplace=False, mode=mode), want)
    for mode in (None, "clip", "wrap"):
        same(ours.numpy.put(x, i, 7, mode=mode, inplace=False), jnp.put(x, i, 7, mode=mode, inplace=False))
    for mode in ("fill", "clip", "wrap"):
        same(ours.numpy.take(x, i, mode=mode), jnp.take(x, i, mode=mode))
    for call in (
        lambda n: n.take(x, i, mode="drop"),
        lambda n: n.put(x, i, 7, mode="fill", inplace=False),
        lambda n: n.take_along_axis(x, i, 0, mode="wrap"),
    ):
        for library in (jnp, ours.numpy):
            with pytest.raises(ValueError):
                call(library)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_division_and_powers_are_jaxs():
    import takewise.jax as ours

    jnp = jax.numpy
    for x in (jnp.array([1.0, 0.0, -2.0]), jnp.array([3, 0, -2]), jnp.array([1 + 1j, 2j, -1])):
        same(ours.at(x)[:2].divide(2), x.at[:2].divide(2))
        same(ours.at(x)[1:].power(3), x.at[1:].power(3))
    x = jnp.array([1.0, 0.0, -2.0])
    same(ours.at(x)[:].divide(0.0), x.at[:].divide(0.0))
    z, w = jnp.array([1 + 1j, 2j, -1]), jnp.array([0.5 + 1j, 2, 0])
    same(ours.at(z)[:].power(w), z.at[:].power(w))
    i = jnp.array([2, 1, -1, 0, 3])
    same(ours.at(i)[:].power(jnp.array([-1, -2, -3, -1, 40])), i.at[:].power(jnp.array([-1, -2, -3, -1, 40])))


def test_masks_without_elements_fit():
    import takewise.jax as ours

    jnp = jax.numpy
    x, none = jnp.arange(12).reshape(3, 4), jnp.zeros(0, bool)
    for key in (none, (slice(None), none), jnp.zeros((3, 0), bool)):
        same(ours.at(x)[key].get(), x[key])
        same(ours.at(x)[key].set(5), x.at[key].set(5))
    with pytest.raises(IndexError):
        ours.at(x)[jnp.zeros((2, 0), bool)].get()


def test_descending_order_of_equal_elements():
    import takewise.jax as ours

    jnp = jax.numpy
    for x in (jnp.array([1, 2, 1, 2, 3, 3, 1]), jnp.array([1.0, jnp.nan, -0.0, 0.0, 2, jnp.nan, 0])):
        for stable in (True, False):
            for descending in (True, False):
                how = {"stable": stable, "descending": descending}
                same(ours.numpy.argsort(x, **how), jnp.argsort(x, **how))
                same(ours.numpy.sort(x, **how), jnp.sort(x, **how))


def test_what_is_searched_for_is_called_v():
    import takewise.jax as ours

    jnp = jax.numpy
    x, v, order = jnp.array([1, 3, 5]), jnp.array([[3, 9], [0, 4]]), jnp.array([2, 0, 1])
    for how in ({}, {"side": "right"}):
        same(ours.numpy.searchsorted(x, v=v, **how), jnp.searchsorted(x, v=v, **how))
        want = x.searchsorted(v=v, **how)
        assert np.array_equal(want, jnp.searchsorted(x, v, **how))
        text = ", ".join(["v=v", *(f"{name}={value!r}" for name, value in how.items())])
        for found in (
            tw.explain(f"x.searchsorted({text})", x=x, v=v, dialect="jax"),
            tw.explain(x.searchsorted, v=v, **how),
            tw.explain(jnp.searchsorted, x, v=v, **how),
        ):
            shown = found.to_dict()
            assert [operand["role"] for operand in shown["operands"]] == ["sequence", "values"]
            assert [int(value) for value in shown["results"][0]["values"]] == want.ravel().tolist()
    unsorted = jnp.array([3, 5, 1])
    same(ours.numpy.searchsorted(unsorted, v=v, sorter=order), jnp.searchsorted(unsorted, v=v, sorter=order))
    for call in (lambda: x.searchsorted(values=v), lambda: ours.numpy.searchsorted(x, values=v)):
        with pytest.raises(TypeError):
            call()


def test_sizes_of_what_is_found():
    import takewise.jax as ours

    jnp = jax.numpy
    for x in (jnp.array([[0, 3], [4, 0]]), jnp.zeros((3, 0)), jnp.array([0, 1, 2])):
        for how in ({}, {"size": 1}, {"size": 4}, {"size": 4, "fill_value": -1}):
            for name in ("argwhere", "flatnonzero"):
                same(getattr(ours.numpy, name)(x, **how), getattr(jnp, name)(x, **how))
            for got, want in zip(ours.numpy.nonzero(x, **how), jnp.nonzero(x, **how), strict=True):
                same(got, want)


def test_weak_types():
    import takewise.jax as ours

    jnp = jax.numpy
    weak, strong, small = jnp.full(4, 3), jnp.arange(4), jnp.arange(4, dtype="int8")
    assert weak.weak_type and not strong.weak_type
    i = jnp.array([1, 0])
    for f in (
        lambda n, at, x: n.take(x, i),
        lambda n, at, x: n.sort(x),
        lambda n, at, x: n.argsort(x),
        lambda n, at, x: n.compress(x > 1, x),
        lambda n, at, x: n.searchsorted(x, x),
        lambda n, at, x: at(x)[i].get(),
        lambda n, at, x: at(x)[i].set(strong[:2]),
        lambda n, at, x: at(x)[i].add(1),
        lambda n, at, x: at(x)[i].divide(2),
        lambda n, at, x: n.where(x > 1, x, 2),
        lambda n, at, x: n.where(x > 1, x, 2.5),
        lambda n, at, x: n.where(x > 1, small, 2.5),
        lambda n, at, x: n.where(x > 1, 1, 2),
    ):
        for x in (weak, strong):
            same(f(ours.numpy, ours.at, x), f(jnp, lambda x: x.at, x))


def test_numpys_subscript_of_such_an_array_is_numpys():
    import takewise.jax.numpy as tj
    import takewise.numpy as tn

    x = jax.numpy.arange(3)
    assert int(tn.index(x, -1)) == 2
    with pytest.raises(IndexError):
        tn.index(x, [7])
    assert int(tj.take(x, 7, mode="clip")) == 2


def test_narrow_dtypes_are_filled_and_looked_for_as_jax_does():
    jnp, ours = jax.numpy, takewise.jax.numpy
    for dtype in (jnp.int4, jnp.uint4, jnp.float8_e4m3fn):
        x, i = jnp.ones(3, dtype), jnp.array([7])
        got, expected = ours.take(x, i, mode="fill"), jnp.take(x, i, mode="fill")
        assert got.dtype == expected.dtype and str(got) == str(expected)
    with pytest.raises(ValueError, match="promotion"):
        ours.isin(jnp.ones(2, jnp.int4), jnp.ones(2))
    assert ours.isin(jnp.ones(2, jnp.int4), jnp.ones(2, jnp.int4)).tolist() == [True, True]


@pytest.mark.skipif(jax.version.__version_info__ < (0, 7), reason="JAX 0.6 finds other positions of uint8")
def test_dtypes_of_counts_and_positions_are_those_given():
    jnp, ours = jax.numpy, takewise.jax.numpy
    assert ours.arange(np.uint16(7)).dtype == jnp.arange(np.uint16(7)).dtype == np.uint16
    for given in (jnp.array([1, 5], jnp.uint8), [1, 5]):
        got, expected = ours.unravel_index(given, (2, 3)), jnp.unravel_index(jnp.array(given), (2, 3))
        assert [(x.dtype, x.tolist()) for x in got] == [(x.dtype, x.tolist()) for x in expected]


def test_what_jax_wants_in_one_axis():
    jnp, ours = jax.numpy, takewise.jax.numpy
    with pytest.raises(ValueError, match=r"must be 1D, got shapes \[\(\), \(3,\)\]"):
        ours.meshgrid(jnp.float32(1), jnp.zeros(3))
    with pytest.raises(ValueError, match="diag input must be 1d or 2d"):
        ours.diag(jnp.zeros((1, 1, 1)))


def test_what_no_value_names_is_of_the_narrow_dtype():
    jnp, ours = jax.numpy, takewise.jax.numpy
    for dtype in ("i8", "u8", "f8", "i4"):
        x, i = np.ones((2, 3), dtype), np.array([[7, 0, 1]])
        for name, call in {
            "take": lambda home: home.take(x, i),
            "take_along_axis": lambda home: home.take_along_axis(x, np.array([[0, 7, 1]]), 1, mode="fill"),
        }.items():
            got, expected = call(ours), call(jnp)
            assert got.dtype == expected.dtype, name
            np.testing.assert_array_equal(np.asarray(got), np.asarray(expected), err_msg=name)
