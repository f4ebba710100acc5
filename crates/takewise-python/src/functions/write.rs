//! Functions that write by index: into a copy, or, with a trailing underscore, into the caller's memory.

use std::borrow::Cow;
use takewise::op::Op;

use pyo3::prelude::*;
use takewise::ops::Source;
use takewise::{Rules, Scalar, Tensor};

use super::arguments::{Bounds, Cast, Combine, Data, Form, Out, Places, Policy, Stored, Twice, beside, bytes};
use crate::border::Home;
use crate::border::torch::wrote;
use crate::error::{OrRaise, refuse};
use crate::threads::divided;

/// What a write receives.
struct Call<'c> {
    x: &'c Tensor,
    index: &'c Tensor,
    value: Source<&'c Tensor>,
    rules: &'c Rules,
}

/// Runs a write into a copy of `x`.
fn copied<'py>(
    py: Python<'py>,
    op: Op,
    x: Data<'py>,
    index: Places<'py>,
    value: Stored<'py>,
    form: Form,
    rules: Cow<'static, Rules>,
    threads: Option<usize>,
    run: impl FnOnce(Call<'_>) -> takewise::Result<Tensor>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, index) = (x.open()?, index.open(py)?);
    let rules = beside(rules, &x.home);
    let source = value.open(py, &x, form, op, &rules)?;
    let value = source.map(|operand| &operand.tensor);
    let call = Call { x: &x.tensor, index: &index.tensor, value, rules: &rules };
    let made = divided(py, threads, bytes(&x.tensor), || run(call)).map_err(|e| e.in_op(op)).or_raise(py)?;
    Home::first_of([&x.home, &index.home]).give_changed(py, made)
}

/// Runs a write into the memory of `x`, and gives `x` back.
fn in_place<'py>(
    py: Python<'py>,
    op: Op,
    x: Out<'py>,
    index: Places<'py>,
    value: Stored<'py>,
    form: Form,
    rules: Cow<'static, Rules>,
    threads: Option<usize>,
    run: impl FnOnce(Call<'_>) -> takewise::Result<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let ((target, object), index) = (x.open()?, index.open(py)?);
    let rules = beside(rules, &target.home);
    let source = value.open(py, &target, form, op, &rules)?;
    let (index, value) = (&index.tensor, source.map(|operand| &operand.tensor));
    let call = Call { x: &target.tensor, index, value, rules: &rules };
    divided(py, threads, bytes(index), || run(call)).map_err(|e| e.in_op(op)).or_raise(py)?;
    wrote(py, &target.tensor)?;
    Ok(object)
}

/// The array of a write that takes no numbers.
fn array(value: Source<&Tensor>) -> takewise::Result<&Tensor> {
    match value {
        Source::Array(tensor) => Ok(tensor),
        Source::Scalar(_) => Err(takewise::Error::plain(takewise::Fault::Memory { op: Op::Write, bytes: None })),
    }
}

/// Whether a `reduce` combines.
fn combines(reduce: Option<Combine>) -> bool {
    reduce.is_some_and(|reduce| reduce.0.is_some())
}

/// Both forms of a write. `= array` says that the value must be one, `combining` when it is combined with what is there.
macro_rules! writes {
    ($($(#[$doc:meta])* fn $name:ident / fn $place:ident($($before:ident: $bt:ty,)* [$index:ident, $value:ident $(= $whole:ident)?] $($after:ident: $at:ty $(= $default:tt)?,)*)
        combining $combining:expr, |$c:ident| $fresh:expr, $into:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, $($before,)* $index, $value, $($after $(= $default)?,)* *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
            fn $name<'py>(
                py: Python<'py>,
                x: Data<'py>,
                $($before: $bt,)*
                $index: Places<'py>,
                $value: Stored<'py>,
                $($after: $at,)*
                bounds: Option<Bounds>,
                negative: Option<bool>,
                duplicates: Option<Twice>,
                casting: Option<Cast>,
                threads: Option<usize>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let rules = Policy { bounds, negative, duplicates, casting, fill: None }.rules_of(py, $combining)?;
                let form = Form { whole: false $(|| stringify!($whole) == "array")?, combined: $combining };
                let op = Op::Named(&stringify!($name));
                copied(py, op, x, $index, $value, form, rules, threads, |$c| $fresh)
            }

            #[doc = concat!("``", stringify!($name), "`` into the memory of ``x``, which is returned.")]
            #[pyfunction]
            #[pyo3(signature = (x, $($before,)* $index, $value, $($after $(= $default)?,)* *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
            fn $place<'py>(
                py: Python<'py>,
                x: Out<'py>,
                $($before: $bt,)*
                $index: Places<'py>,
                $value: Stored<'py>,
                $($after: $at,)*
                bounds: Option<Bounds>,
                negative: Option<bool>,
                duplicates: Option<Twice>,
                casting: Option<Cast>,
                threads: Option<usize>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let rules = Policy { bounds, negative, duplicates, casting, fill: None }.rules_of(py, $combining)?;
                let form = Form { whole: false $(|| stringify!($whole) == "array")?, combined: $combining };
                let op = Op::Named(&stringify!($place));
                in_place(py, op, x, $index, $value, form, rules, threads, |$c| $into)
            }
        )*

        /// Adds the functions to the module.
        pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(
                m.add_function(wrap_pyfunction!($name, m)?)?;
                m.add_function(wrap_pyfunction!($place, m)?)?;
            )*
            register_masks(m)?;
            m.add_function(wrap_pyfunction!(put_along_axis, m)?)?;
            m.add_function(wrap_pyfunction!(scatter_nd, m)?)
        }
    };
}

writes! {
    /// A copy of ``x`` with ``src`` stored at ``index`` along ``dim``: ``x[i][index[i][j]] = src[i][j]`` for ``dim=1``.
    ///
    /// ``src`` is an array at least as large as ``index``, or one number. ``reduce`` combines instead of storing:
    /// ``"sum"``, ``"prod"``, ``"max"``, ``"min"``, ``"mean"``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.scatter(np.zeros(4), 0, [3, 1], [7.0, 8.0])
    /// array([0., 8., 0., 7.])
    /// >>> takewise.scatter(np.zeros(3), 0, [1, 1], [7.0, 8.0], duplicates="first")
    /// array([0., 7., 0.])
    fn scatter / fn scatter_(dim: i64, [index, src] reduce: Option<Combine> = None,)
        combining combines(reduce), |c| c.x.scatter(dim, c.index, c.value, reduce.and_then(|r| r.0), c.rules),
        c.x.scatter_(dim, c.index, c.value, reduce.and_then(|r| r.0), c.rules);
    /// A copy of ``x`` with ``src`` added at ``index`` along ``dim``, in index order.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.scatter_add(np.zeros(3), 0, [0, 0, 2], [1.0, 2.0, 3.0])
    /// array([3., 0., 3.])
    fn scatter_add / fn scatter_add_(dim: i64, [index, src])
        combining true, |c| c.x.scatter_add(dim, c.index, c.value, c.rules),
        c.x.scatter_add_(dim, c.index, c.value, c.rules);
    /// A copy of ``x`` with ``src`` combined at ``index`` along ``dim``.
    ///
    /// ``reduce`` is ``"sum"``, ``"prod"``, ``"mean"``, ``"max"`` or ``"min"``; without ``include_self`` the places
    /// written forget what was there.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.scatter_reduce(np.zeros(3), 0, [0, 0, 2], [5.0, 9.0, -1.0], "max")
    /// array([9., 0., 0.])
    fn scatter_reduce / fn scatter_reduce_(dim: i64, [index, src] reduce: Combine, include_self: bool = true,)
        combining reduce.0.is_some(), |c| match reduce.0 {
            Some(how) => c.x.scatter_reduce(dim, c.index, c.value, how, include_self, c.rules),
            None => c.x.scatter(dim, c.index, c.value, None, c.rules),
        },
        match reduce.0 {
            Some(how) => c.x.scatter_reduce_(dim, c.index, c.value, how, include_self, c.rules),
            None => c.x.scatter_(dim, c.index, c.value, None, c.rules),
        };
    /// A copy of ``x`` with the subarrays of ``source``, times ``alpha``, added at ``index`` along ``dim``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.index_add(np.zeros((2, 2)), 0, [1, 1], np.ones((2, 2)))
    /// array([[0., 0.],
    ///        [2., 2.]])
    fn index_add / fn index_add_(dim: i64, [index, source = array] alpha: Option<Alpha> = None,)
        combining true, |c| c.x.index_add(dim, c.index, array(c.value)?, factor(alpha), c.rules),
        c.x.index_add_(dim, c.index, array(c.value)?, factor(alpha), c.rules);
    /// A copy of ``x`` with the subarrays of ``source`` stored at ``index`` along ``dim``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.index_copy(np.zeros((2, 2)), 0, [1], np.ones((1, 2)))
    /// array([[0., 0.],
    ///        [1., 1.]])
    fn index_copy / fn index_copy_(dim: i64, [index, source = array])
        combining false, |c| c.x.index_copy(dim, c.index, array(c.value)?, c.rules),
        c.x.index_copy_(dim, c.index, array(c.value)?, c.rules);
    /// A copy of ``x`` with one ``value`` stored at ``index`` along ``dim``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.index_fill(np.zeros((2, 3)), 1, [0, 2], 5)
    /// array([[5., 0., 5.],
    ///        [5., 0., 5.]])
    fn index_fill / fn index_fill_(dim: i64, [index, value])
        combining false, |c| c.x.index_fill(dim, c.index, c.value, c.rules),
        c.x.index_fill_(dim, c.index, c.value, c.rules);
    /// A copy of ``x`` with the subarrays of ``source`` combined at ``index`` along ``dim``; see ``scatter_reduce``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.index_reduce(np.ones(3), 0, [0, 0], [2.0, 4.0], "prod")
    /// array([8., 1., 1.])
    fn index_reduce / fn index_reduce_(dim: i64, [index, source = array] reduce: Combine, include_self: bool = true,)
        combining reduce.0.is_some(), |c| match reduce.0 {
            Some(how) => c.x.index_reduce(dim, c.index, array(c.value)?, how, include_self, c.rules),
            None => c.x.index_copy(dim, c.index, array(c.value)?, c.rules),
        },
        match reduce.0 {
            Some(how) => c.x.index_reduce_(dim, c.index, array(c.value)?, how, include_self, c.rules),
            None => c.x.index_copy_(dim, c.index, array(c.value)?, c.rules),
        };
    /// A copy of ``x`` with values stored at positions of the flattened array; with ``accumulate``, added.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.put(np.zeros((2, 2)), [0, 3], [5, 6])
    /// array([[5., 0.],
    ///        [0., 6.]])
    fn put / fn put_([index, values] accumulate: bool = false,)
        combining accumulate, |c| c.x.put(c.index, c.value, accumulate, c.rules),
        c.x.put_(c.index, c.value, accumulate, c.rules);
    /// A copy of ``x`` with ``updates`` stored, or combined by ``reduce``, at index tuples; see ``gather_nd``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.tensor_scatter(np.zeros((2, 2)), [[0, 1], [1, 0]], [5.0, 6.0])
    /// array([[0., 5.],
    ///        [6., 0.]])
    fn tensor_scatter / fn tensor_scatter_([index, updates] reduce: Option<Combine> = None,)
        combining combines(reduce), |c| c.x.tensor_scatter(c.index, c.value, reduce.and_then(|r| r.0), c.rules),
        c.x.scatter_nd_(c.index, c.value, reduce.and_then(|r| r.0), c.rules);
}

/// Both forms of a write through a mask, which has no values that could be outside or meet.
macro_rules! masks {
    ($($(#[$doc:meta])* fn $name:ident / fn $place:ident([mask, $value:ident $(= $whole:ident)?]) |$c:ident| $fresh:expr, $into:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, mask, $value, *, casting=None, threads=None))]
            fn $name<'py>(
                py: Python<'py>,
                x: Data<'py>,
                mask: Places<'py>,
                $value: Stored<'py>,
                casting: Option<Cast>,
                threads: Option<usize>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let form = Form { whole: false $(|| stringify!($whole) == "array")?, combined: false };
                let (op, rules) = (Op::Named(&stringify!($name)), Policy { casting, ..Policy::default() }.rules()?);
                copied(py, op, x, mask, $value, form, rules, threads, |$c| $fresh)
            }

            #[doc = concat!("``", stringify!($name), "`` into the memory of ``x``, which is returned.")]
            #[pyfunction]
            #[pyo3(signature = (x, mask, $value, *, casting=None, threads=None))]
            fn $place<'py>(
                py: Python<'py>,
                x: Out<'py>,
                mask: Places<'py>,
                $value: Stored<'py>,
                casting: Option<Cast>,
                threads: Option<usize>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let form = Form { whole: false $(|| stringify!($whole) == "array")?, combined: false };
                let (op, rules) = (Op::Named(&stringify!($place)), Policy { casting, ..Policy::default() }.rules()?);
                in_place(py, op, x, mask, $value, form, rules, threads, |$c| $into)
            }
        )*

        /// Adds those functions to the module.
        fn register_masks(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(
                m.add_function(wrap_pyfunction!($name, m)?)?;
                m.add_function(wrap_pyfunction!($place, m)?)?;
            )*
            Ok(())
        }
    };
}

masks! {
    /// A copy of ``x`` with ``value`` where ``mask`` is true; the mask broadcasts.
    ///
    /// >>> import numpy as np, takewise
    /// >>> x = np.array([1, -2, 3])
    /// >>> takewise.masked_fill(x, x < 0, 0)
    /// array([1, 0, 3])
    fn masked_fill / fn masked_fill_([mask, value]) |c| c.x.masked_fill(c.index, c.value, c.rules),
        c.x.masked_fill_(c.index, c.value, c.rules);
    /// A copy of ``x`` with the first elements of ``source``, in order, where ``mask`` is true.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.masked_scatter(np.zeros(4), [True, False, True, False], [5.0, 6.0, 7.0])
    /// array([5., 0., 6., 0.])
    fn masked_scatter / fn masked_scatter_([mask, source = array]) |c| c.x.masked_scatter(c.index, array(c.value)?, c.rules),
        c.x.masked_scatter_(c.index, array(c.value)?, c.rules);
}

/// Stores values in ``x`` along ``axis``, as ``take_along_axis`` reads them; the other axes broadcast. With ``axis=None``
/// they go to positions of the flattened array, which a one-dimensional ``index`` names.
///
/// >>> import numpy as np, takewise
/// >>> x = np.array([[10, 30, 20], [60, 40, 50]])
/// >>> takewise.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 99, axis=1)
/// >>> x
/// array([[10, 99, 20],
///        [99, 40, 50]])
/// >>> takewise.put_along_axis(x, [0, 5], [1, 2], axis=None)
/// >>> x
/// array([[ 1, 99, 20],
///        [99, 40,  2]])
#[pyfunction]
#[pyo3(signature = (x, index, values, axis=Some(-1), *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
fn put_along_axis<'py>(
    py: Python<'py>,
    x: Out<'py>,
    index: Places<'py>,
    values: Stored<'py>,
    axis: Option<i64>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    duplicates: Option<Twice>,
    casting: Option<Cast>,
    threads: Option<usize>,
) -> PyResult<()> {
    let rules = Policy { bounds, negative, duplicates, casting, fill: None }.rules()?;
    in_place(py, Op::PutAlongAxis, x, index, values, Form::default(), rules, threads, |c| match axis {
        Some(axis) => c.x.put_along_(axis, c.index, c.value, c.rules),
        None => c.x.put_along_flat_(c.index, c.value, c.rules),
    })
    .map(|_| ())
}

/// An array of zeros of the given shape with ``updates`` added at index tuples; see ``gather_nd``.
///
/// >>> import numpy as np, takewise
/// >>> takewise.scatter_nd(np.array([[0], [2], [0]]), np.array([1, 5, 2]), (4,))
/// array([3, 0, 5, 0])
#[pyfunction]
#[pyo3(signature = (index, updates, shape, *, bounds=None, negative=None, threads=None))]
fn scatter_nd<'py>(
    py: Python<'py>,
    index: Places<'py>,
    updates: Data<'py>,
    shape: Vec<usize>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = Policy { bounds, negative, ..Policy::default() }.rules()?;
    let (updates, index) = (updates.open()?, index.open(py)?);
    let work = bytes(&updates.tensor);
    let result = divided(py, threads, work, || {
        let zeros = Tensor::zeroed(&shape, updates.tensor.dtype())?;
        zeros
            .scatter_nd_(&index.tensor, &updates.tensor, Some(takewise::Reduce::Sum), &rules)
            .map_err(|e| e.in_op(Op::Named(&"scatter_nd")))?;
        Ok(zeros)
    });
    updates.home.result(py, result)
}

/// The factor of `index_add`.
struct Alpha(Scalar);

fn factor(alpha: Option<Alpha>) -> Scalar {
    alpha.map_or(Scalar::Int(1), |alpha| alpha.0)
}

impl<'a, 'py> FromPyObject<'a, 'py> for Alpha {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Alpha> {
        let number = crate::border::literal::scalar(&object);
        number.map(Alpha).ok_or_else(|| refuse(object.py(), "TypeError", "alpha must be a number"))
    }
}
