//! Functions that read by index.

use std::borrow::Cow;
use takewise::op::Op;

use pyo3::prelude::*;
use takewise::{Index, Rules, Tensor};

use super::arguments::{Bounds, Data, Out, Places, Policy, Target, beside, bytes};
use crate::border::{Home, Operand};
use crate::error::OrRaise;
use crate::threads::divided;

/// Runs a read into fresh memory or the caller's.
fn run<'py>(
    py: Python<'py>,
    op: Op,
    x: Data<'py>,
    index: Places<'py>,
    out: Option<Out<'py>>,
    threads: Option<usize>,
    rules: Cow<'static, Rules>,
    fresh: impl Fn(&Tensor, &Tensor, &Rules) -> takewise::Result<Tensor>,
    into: impl FnOnce(&Tensor, &Tensor, &mut Tensor, &Rules) -> takewise::Result<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, index) = (x.open()?, index.open(py)?);
    let (home, index) = (Home::first_of([&x.home, &index.home]), &index.tensor);
    let (work, rules) = (bytes(index), beside(rules, home));
    let rules: &Rules = &rules;
    match out {
        None => {
            let made = divided(py, threads, work, || fresh(&x.tensor, index, rules));
            let made = made.map_err(|e| e.in_op(op)).or_raise(py)?;
            home.give_read(py, made, x.tensor.shape(), rules, |places, rules| fresh(places, index, rules))
        }
        Some(out) => {
            let mut target = Target::of(out)?;
            divided(py, threads, work, || into(&x.tensor, index, &mut target.tensor, rules))
                .map_err(|e| e.in_op(op))
                .or_raise(py)?;
            target.finish()
        }
    }
}

/// Reads `x` at `index`: the signature before and after it, and the engine's two forms.
macro_rules! reads {
    ($($(#[$doc:meta])* fn $name:ident($($before:ident: $bt:ty,)* [$index:ident] $($after:ident: $at:ty = $default:expr,)*)
        |$x:ident, $i:ident, $r:ident| $fresh:expr, |$out:ident| $into:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, $($before,)* $index, $($after = $default,)* *, bounds=None, negative=None, fill_value=None, out=None, threads=None))]
            fn $name<'py>(
                py: Python<'py>,
                x: Data<'py>,
                $($before: $bt,)*
                $index: Places<'py>,
                $($after: $at,)*
                bounds: Option<Bounds>,
                negative: Option<bool>,
                fill_value: Option<Bound<'py, PyAny>>,
                out: Option<Out<'py>>,
                threads: Option<usize>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let rules = Policy { bounds, negative, fill: fill_value, ..Policy::default() };
                let rules = rules.rules_for(py, &x)?;
                let fresh = |$x: &Tensor, $i: &Tensor, $r: &Rules| $fresh;
                let into = |$x: &Tensor, $i: &Tensor, $out: &mut Tensor, $r: &Rules| $into;
                run(py, Op::Named(&stringify!($name)), x, $index, out, threads, rules, fresh, into)
            }
        )*

        /// Adds the functions to the module.
        pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($name, m)?)?;)*
            m.add_function(wrap_pyfunction!(copy, m)?)?;
            m.add_function(wrap_pyfunction!(take_along_dim, m)?)?;
            m.add_function(wrap_pyfunction!(masked_select, m)?)
        }
    };
}

reads! {
    /// One element of ``x`` for each element of ``index``, along ``dim``.
    ///
    /// ``out[i][j] = x[i][index[i][j]]`` for ``dim=1``; the result has the shape of ``index``, which may be smaller than
    /// ``x`` along the other axes.
    ///
    /// >>> import numpy as np, takewise
    /// >>> x = np.array([[10, 20, 30], [40, 50, 60]])
    /// >>> takewise.gather(x, 1, np.array([[2, 0], [1, -1]]))
    /// array([[30, 10],
    ///        [50, 60]])
    /// >>> takewise.gather(x, 1, [[0, 9], [1, 1]], bounds="fill", fill_value=-1)
    /// array([[10, -1],
    ///        [50, 50]])
    fn gather(dim: i64, [index])
        |x, i, r| x.gather(dim, i, r),
        |out| x.gather_out(dim, i, out, r);
    /// The elements (with ``axis=None``, of the flattened array) or whole subarrays of ``x`` at ``index``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> x = np.array([[10, 20, 30], [40, 50, 60]])
    /// >>> takewise.take(x, [0, -1])
    /// array([10, 60])
    /// >>> takewise.take(x, [2, 0], axis=1)
    /// array([[30, 10],
    ///        [60, 40]])
    ///
    /// With ``batch_dims``, so many leading axes of ``x`` and ``index`` are paired instead of crossed, and ``axis`` is by
    /// default the one after them; a negative number counts from the axes of ``index``.
    ///
    /// >>> takewise.take(x, [[2, 0], [1, 1]], batch_dims=1)
    /// array([[30, 10],
    ///        [50, 50]])
    fn take([index] axis: Option<i64> = None, batch_dims: i64 = 0,)
        |x, i, r| match (axis, batch_dims) {
            (None, 0) => x.take(i, r),
            (Some(axis), 0) => x.take_axis(axis, i, r),
            _ => x.gather_axis(after(axis, batch_dims, i), i, batch_dims, r),
        },
        |out| match (axis, batch_dims) {
            (None, 0) => x.take_out(i, out, r),
            (Some(axis), 0) => x.take_axis_out(axis, i, out, r),
            _ => x.gather_axis_out(after(axis, batch_dims, i), i, batch_dims, out, r),
        };
    /// One element of ``x`` for each element of ``index``, along ``axis``; the other axes broadcast.
    ///
    /// >>> import numpy as np, takewise
    /// >>> x = np.array([[30, 10, 20], [5, 6, 4]])
    /// >>> takewise.take_along_axis(x, np.argsort(x, axis=1), axis=1)
    /// array([[10, 20, 30],
    ///        [ 4,  5,  6]])
    fn take_along_axis([index] axis: Option<i64> = Some(-1),)
        |x, i, r| x.take_along(axis, i, r),
        |out| x.take_along_out(axis, i, out, r);
    /// Whole subarrays of ``x`` along ``dim``, at the places of a one-dimensional ``index``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> takewise.index_select(np.array([[1, 2], [3, 4], [5, 6]]), 0, [2, 0])
    /// array([[5, 6],
    ///        [1, 2]])
    fn index_select(dim: i64, [index])
        |x, i, r| x.index_select(dim, i, r),
        |out| x.index_select_out(dim, i, out, r);
    /// Elements or subarrays of ``x`` at index tuples: the last axis of ``index`` runs over the axes of ``x``.
    ///
    /// >>> import numpy as np, takewise
    /// >>> x = np.array([[10, 20, 30], [40, 50, 60]])
    /// >>> takewise.gather_nd(x, [[0, 2], [1, 0]])
    /// array([30, 40])
    fn gather_nd([index] batch_dims: usize = 0,)
        |x, i, r| x.gather_nd(i, batch_dims, r),
        |out| x.gather_nd_out(i, batch_dims, out, r);
}

/// The axis given, or the one after the batch axes.
fn after(axis: Option<i64>, batch_dims: i64, index: &Tensor) -> i64 {
    axis.unwrap_or(if batch_dims < 0 { batch_dims.saturating_add(index.rank() as i64) } else { batch_dims })
}

/// One element of ``input`` for each element of ``indices``, along ``dim``; the other axes broadcast. Without a ``dim`` both
/// are flattened. PyTorch's name of ``take_along_axis``, which takes the last axis unless told otherwise.
///
/// >>> import numpy as np, takewise
/// >>> x = np.array([[30, 10, 20], [5, 6, 4]])
/// >>> takewise.take_along_dim(x, np.argsort(x, axis=1), dim=1)
/// array([[10, 20, 30],
///        [ 4,  5,  6]])
/// >>> takewise.take_along_dim(x, [0, 9], bounds="clip")
/// array([30,  4])
#[pyfunction]
#[pyo3(signature = (input, indices, dim=None, *, bounds=None, negative=None, fill_value=None, out=None, threads=None))]
fn take_along_dim<'py>(
    py: Python<'py>,
    input: Data<'py>,
    indices: Places<'py>,
    dim: Option<i64>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    fill_value: Option<Bound<'py, PyAny>>,
    out: Option<Out<'py>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = Policy { bounds, negative, fill: fill_value, ..Policy::default() }.rules_for(py, &input)?;
    let fresh = |x: &Tensor, i: &Tensor, r: &Rules| x.take_along(dim, i, r);
    let into = |x: &Tensor, i: &Tensor, out: &mut Tensor, r: &Rules| x.take_along_out(dim, i, out, r);
    run(py, Op::Named(&"take_along_dim"), input, indices, out, threads, rules, fresh, into)
}

/// ``x`` with its elements in row-major order, in memory of its own.
///
/// >>> import numpy as np, takewise
/// >>> x = np.array([[10, 20, 30], [40, 50, 60]])
/// >>> takewise.copy(x[:, ::-1].T)
/// array([[30, 60],
///        [20, 50],
///        [10, 40]])
#[pyfunction]
#[pyo3(signature = (x, *, out=None, threads=None))]
fn copy<'py>(
    py: Python<'py>,
    x: Data<'py>,
    out: Option<Out<'py>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let Operand { tensor, home } = x.open()?;
    let work = bytes(&tensor);
    let Some(out) = out else {
        let result = divided(py, threads, work, || tensor.to_row_major()).or_raise(py)?;
        return home.give_changed(py, result);
    };
    let mut target = Target::of(out)?;
    let all = [Index::Ellipsis];
    divided(py, threads, work, || tensor.index_out(&all, &mut target.tensor, &super::RULES))
        .map_err(|e| e.in_op(Op::Copy))
        .or_raise(py)?;
    target.finish()
}

/// The elements of ``x`` where ``mask`` is true, as one row; the two broadcast.
///
/// >>> import numpy as np, takewise
/// >>> x = np.array([[10, 20], [30, 40]])
/// >>> takewise.masked_select(x, x > 15)
/// array([20, 30, 40])
#[pyfunction]
#[pyo3(signature = (x, mask, *, out=None, threads=None))]
fn masked_select<'py>(
    py: Python<'py>,
    x: Data<'py>,
    mask: Data<'py>,
    out: Option<Out<'py>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = Policy::default().rules()?;
    let op = Op::MaskedSelect;
    run(py, op, x, Places::from(mask), out, threads, rules, Tensor::masked_select, Tensor::masked_select_out)
}
