//! Writing along one axis: the gather plan run the other way.

use super::at::{incoming, write_at};
use super::{Made, Source, copied, dim, lifted_shape};
use crate::dtype::DTypeSet;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::rules::{Extent, Rules};
use crate::layout::Layout;
use crate::op::{Op, ScatterWay};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// `dst[i][index[i][j][k]][k] = source[i][j][k]` for `axis` 1; with `reduce`, combines instead of storing.
///
/// `index` has the rank of `dst` and is no larger than it off `axis`, and no larger than an array source in any
/// axis; the rest of the source is ignored. An empty index does nothing. Duplicates: the last in index order
/// wins, or as the rules say; reductions apply in index order.
///
/// Errors: kinds `Axis`, `DType`, `Shape`, `OutOfRange`, `Value`; nothing is written on error. Cost: one pass over
/// the index to check, one to store. Source: Tensor.scatter_, ONNX ScatterElements.
///
/// ```
/// use takewise::{ops, Rules, View, ViewMut};
/// let mut t = [0i64; 10];
/// let i = [4i64, 3, 2];
/// let a = [1i64, 2, 3, 4, 5];
/// ops::scatter_(&mut (&mut t[..]).into(), 0, &View::from(&i[..]), &View::from(&a[..]), None, &Rules::NEUTRAL).unwrap();
/// assert_eq!(t, [0, 0, 3, 2, 1, 0, 0, 0, 0, 0]);
/// ```
pub fn scatter_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    reduce: Option<Reduce>,
    rules: &Rules,
) -> Result<()> {
    run(Op::Scatter, dst, axis, &index.into(), &source.into(), reduce, true, rules)
}

/// [`scatter_`] on a contiguous copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::scatter(&[0, 0, 0], 0, &[2usize, 0], &[5, 6], None, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [6, 0, 5]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    reduce: Option<Reduce>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| scatter_(dst, axis, index, source, reduce, rules))
}

/// `dst[index[i]] += source[i]` along `axis`: [`scatter_`] with [`Reduce::Sum`], under its own name in errors.
///
/// ```
/// use takewise::prelude::*;
/// let mut counts = [0i64; 3];
/// let words = [2usize, 0, 2, 2];
/// ops::scatter_add_(&mut (&mut counts).into(), 0, &words, 1, &Rules::NEUTRAL)?;
/// assert_eq!(counts, [1, 0, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_add_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<()> {
    run(Op::ScatterAdd, dst, axis, &index.into(), &source.into(), Some(Reduce::Sum), true, rules)
}

/// [`scatter_add_`] on a contiguous copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[0.0; 4], &[2, 2])?;
/// let index = View::new(&[1usize, 0, 1, 0], &[2, 2])?;
/// let source = View::new(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
/// let got = ops::scatter_add(&x, 0, &index, &source, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<f64>()?, [0.0, 6.0, 4.0, 0.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_add<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| scatter_add_(dst, axis, index, source, rules))
}

/// Combines `source` into the addressed places of `dst` along `axis`; with `include_self` false they start from
/// the identity of `reduce`. Places never addressed keep their value.
///
/// Errors and cost as [`scatter_`]; means and half sums take memory in proportion to the destination or to the index,
/// whichever is less, and 96 MiB at most; `include_self` false up to 64 KiB. Source: Tensor.scatter_reduce_.
///
/// ```
/// use takewise::prelude::*;
/// let mut least = [100, 100];
/// let (index, source) = ([0usize, 0, 1], [7, 5, 9]);
/// ops::scatter_reduce_(&mut (&mut least).into(), 0, &index, &source, Reduce::Min, true, &Rules::NEUTRAL)?;
/// assert_eq!(least, [5, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_reduce_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    reduce: Reduce,
    include_self: bool,
    rules: &Rules,
) -> Result<()> {
    run(
        Op::ScatterReduce(ScatterWay::Plain),
        dst,
        axis,
        &index.into(),
        &source.into(),
        Some(reduce),
        include_self,
        rules,
    )
}

/// [`scatter_reduce_`] on a contiguous copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let (index, source) = ([0usize, 0, 1], [1.0, 2.0, 5.0]);
/// let got = ops::scatter_reduce(&[9.0, 9.0, 9.0], 0, &index, &source, Reduce::Mean, false, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<f64>()?, [1.5, 5.0, 9.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_reduce<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    reduce: Reduce,
    include_self: bool,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| scatter_reduce_(dst, axis, index, source, reduce, include_self, rules))
}

/// The name under which a dtype is missing: torch has one kernel for each way of reducing.
fn variant(op: Op, reduce: Option<Reduce>) -> Op {
    match (op, reduce) {
        (Op::ScatterReduce(ScatterWay::Plain), Some(Reduce::Mean)) => Op::ScatterReduce(ScatterWay::Mean),
        (Op::ScatterReduce(ScatterWay::Plain), Some(Reduce::Max)) => Op::ScatterReduce(ScatterWay::Max),
        (Op::ScatterReduce(ScatterWay::Plain), Some(Reduce::Min)) => Op::ScatterReduce(ScatterWay::Min),
        _ => op,
    }
}

fn run(
    op: Op,
    dst: &mut AnyViewMut,
    axis: i64,
    index: &AnyView,
    source: &Source<AnyView>,
    reduce: Option<Reduce>,
    include_self: bool,
    rules: &Rules,
) -> Result<()> {
    let d = dim(op, axis, dst.rank(), rules)?;
    if index.numel() > 0 {
        rules.check_index(op, index.dtype())?;
    }
    let mut keep = Made::default();
    let empty = index.numel() == 0;
    let (values, passage) = match incoming(op, dst.dtype(), source, reduce, rules, &mut keep) {
        // A number is converted when the first place is filled.
        Err(_) if matches!(source, Source::Scalar(_)) && empty => return Ok(()),
        Err(e) if matches!(source, Source::Scalar(_)) => {
            let looked = Rules { data: DTypeSet::ALL, ..*rules };
            return match super::gather(dst.as_view(), axis, index.clone(), &looked) {
                Err(first) => Err(first.in_op(op)),
                Ok(_) => Err(e),
            };
        }
        other => other?,
    };
    if empty && rules.extent != Extent::Equal {
        // A mean still divides by its counts.
        return match reduce {
            Some(Reduce::Mean) => rules.check_data(Op::ScatterReduce(ScatterWay::MeanOfNone), dst.dtype()),
            _ => Ok(()),
        };
    }
    let scalar = matches!(source, Source::Scalar(_));
    let (x, i) = (lifted_shape(dst), lifted_shape(index));
    let v = if scalar { values.shape() } else { lifted_shape(&values) };
    let fail = |rule, k| {
        let shapes = [("index", index.shape()), ("self", x), ("dim", &[d][..]), ("source", values.shape())];
        Err(rules.fail(Fault::shape(op, rule, k, if scalar { &shapes[..3] } else { &shapes })))
    };
    if x.len() != i.len() {
        return fail(ShapeRule::IndexRank, d);
    }
    // A source that is not looked at may have any shape.
    let sourced = !scalar && !empty;
    if sourced && values.rank() > 0 {
        dim(op, axis, values.rank(), rules)?;
    }
    if sourced && v.len() != i.len() {
        return fail(ShapeRule::SourceRank, d);
    }
    let over = |k: &usize| {
        let (n, most) = (i[*k], x[*k]);
        let unequal = rules.extent == Extent::Equal && n != most;
        (*k != d && (n > most || unequal)) || (sourced && n > v[*k])
    };
    if let Some(k) = (0..i.len()).find(over) {
        return fail(if scalar { ShapeRule::AtMost } else { ShapeRule::AtMostSource }, k);
    }
    if empty {
        return Ok(());
    }
    if !include_self {
        let excluding = Rules { data: rules.excluding, ..*rules };
        excluding.check_data(Op::ScatterReduce(ScatterWay::Excluding), dst.dtype())?;
    }
    if let Err(refused) = rules.check_data(variant(op, reduce), dst.dtype()) {
        // Places are first cleared of themselves, and so looked at, where they do not take part.
        let looked = Rules { data: DTypeSet::ALL, ..*rules };
        match super::gather(dst.as_view(), axis, index, &looked) {
            Err(e) if !include_self => return Err(e.in_op(op)),
            _ => return Err(refused),
        }
    }
    // Only the index's box of the source takes part; a number stands in every place.
    let strides = if values.rank() == 0 { crate::plan::still(i.len()) } else { values.layout().strides().into() };
    let linear = values.rearranged(0, Layout::new(i, &strides)?);
    let combine = reduce.map(|how| (how, include_self, passage.as_ref()));
    write_at(op, &Address::Axis { dim: d }, dst, index, &linear, combine, rules)
}
