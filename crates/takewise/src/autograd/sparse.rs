//! Sparse gradients: the coordinates an operation read and the gradient of each, instead of an array of zeros.

use super::coo::{SparseCoo, refuse};
use super::places::Places;
use super::tape;
use crate::dtype::DType;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::rules::{Extent, Rules};
use crate::layout::{Dims, Layout};
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::gather::gather_shape;
use crate::ops::take::positions;
use crate::ops::{self, copy_into, fresh};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::AnyView;
use std::sync::Arc;

const N: Rules = Rules::NEUTRAL;
/// Coordinates are tuples.
const TUPLES: Address = Address::Nd { batch: 0 };

/// The rows of an array that have these numbers.
fn rows_at<'a>(array: &[usize], numbers: &'a [i64]) -> Result<Places<'a>> {
    Places::new(Op::GatherAxis, &Address::Rows { dim: 0, batch: 0 }, &[AnyView::from(numbers)], array, &N)
}

/// Fails where there is no memory for lists of so many items, `each` bytes for one in all, which are made without asking.
fn room(items: usize, each: usize) -> Result<()> {
    let bytes = items.checked_mul(each);
    let room = bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if room { Ok(()) } else { Err(crate::Error::plain(Fault::Memory { op: Op::SparseCoo, bytes })) }
}

impl SparseCoo {
    /// The same array with sorted coordinates that occur once; values of the same coordinates are added in order.
    ///
    /// Cost: a sort of the coordinates and one pass over the values. Error: kind `Memory`.
    pub fn coalesce(&self) -> Result<SparseCoo> {
        if self.coalesced {
            return Ok(self.clone());
        }
        let columns = self.columns()?;
        room(self.nnz(), 40)?;
        let mut order: Vec<usize> = (0..self.nnz()).collect();
        order.sort_unstable_by(|a, b| columns.at(*a).cmp(columns.at(*b)).then(a.cmp(b)));
        let groups: Vec<&[usize]> = order.chunk_by(|a, b| columns.at(*a).eq(columns.at(*b))).collect();
        let mut place = vec![0i64; self.nnz()];
        groups.iter().enumerate().for_each(|(k, group)| group.iter().for_each(|&at| place[at] = k as i64));
        let firsts: Vec<usize> = groups.iter().map(|g| g[0]).collect();
        let values = rows_added(&self.values_shape(firsts.len()), vec![(&self.values, place)])?;
        Ok(SparseCoo { indices: columns.select(&firsts)?, values, size: self.size.clone(), coalesced: true })
    }

    /// The array with all its zeros. Error: kind `Memory`. Cost: one pass over the values, added in order.
    pub fn to_dense(&self) -> Result<Tensor> {
        let out = fresh(&self.size, self.dtype(), |out| self.add_into(out))?;
        let indices = self.indices.clone();
        tape::read(
            &out,
            &self.values,
            [NodeOp::ToDense, NodeOp::SparseMask],
            &[],
            move |_, g, _| {
                with_tuples(&indices, |tuples| Places::new(Op::ToDense, &TUPLES, &[tuples], g.shape(), &N)?.read(g))
            },
            {
                let this = SparseCoo { values: self.values.detach(), ..self.clone() };
                move |v, _| fresh(&this.size, v.dtype(), |out| this.with_values(out, v))
            },
        );
        Ok(out)
    }

    /// Adds values with these coordinates to an array.
    fn with_values(&self, out: &mut crate::AnyViewMut, values: &AnyView) -> Result<()> {
        with_tuples(&self.indices, |tuples| {
            Places::new(Op::ToDense, &TUPLES, &[tuples], &self.size, &N)?.combine(out, values.into(), Reduce::Sum, true)
        })
    }

    /// Adds the values to an array of the same shape and dtype, in order.
    pub(crate) fn add_into(&self, out: &mut crate::AnyViewMut) -> Result<()> {
        self.with_values(out, &self.values.read_any()?.view())
    }

    /// The sum of two arrays of one shape: coordinates of both, merged as torch merges them. Where the next
    /// coordinates of both are the same their values are added, else the smaller goes first.
    ///
    /// Errors: kind `Argument` if shapes, dtypes or numbers of leading axes differ; `Memory`.
    pub fn add(&self, other: &SparseCoo) -> Result<SparseCoo> {
        let same = self.size == other.size && self.dtype() == other.dtype();
        if !same || self.indices.shape()[0] != other.indices.shape()[0] {
            return Err(refuse(format!("arrays of {:?} and {:?} do not add", self.size, other.size)));
        }
        let (a, b) = (self.columns()?, other.columns()?);
        room(a.count.saturating_add(b.count), 24)?;
        let (mut left, mut right) = (Vec::with_capacity(a.count), Vec::with_capacity(b.count));
        let mut from: Vec<(bool, usize)> = Vec::with_capacity(a.count + b.count);
        while left.len() < a.count || right.len() < b.count {
            let (i, j, k) = (left.len(), right.len(), from.len() as i64);
            let order = match (i < a.count, j < b.count) {
                (true, true) => a.at(i).cmp(b.at(j)),
                (true, false) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            from.push((order.is_le(), if order.is_le() { i } else { j }));
            if order.is_le() {
                left.push(k);
            }
            if order.is_ge() {
                right.push(k);
            }
        }
        let count = from.len();
        let mut indices = Vec::with_capacity(a.rank * count);
        for d in 0..a.rank {
            indices.extend(
                from.iter().map(|&(mine, k)| if mine { a.data[d * a.count + k] } else { b.data[d * b.count + k] }),
            );
        }
        let values = rows_added(&self.values_shape(count), vec![(&self.values, left), (&other.values, right)])?;
        let coalesced = self.coalesced && other.coalesced;
        Ok(SparseCoo {
            indices: Tensor::from_vec(indices, &[a.rank, count])?,
            values,
            size: self.size.clone(),
            coalesced,
        })
    }

    /// The values cast to another dtype.
    pub fn to(&self, dtype: DType) -> Result<SparseCoo> {
        Ok(SparseCoo { values: self.values.to(dtype)?, ..self.clone() })
    }

    fn values_shape(&self, count: usize) -> Dims<usize> {
        std::iter::once(count).chain(self.values.shape()[1..].iter().copied()).collect()
    }

    fn columns(&self) -> Result<Columns> {
        let data = self.indices.to_vec::<i64>()?;
        Ok(Columns { data, rank: self.indices.shape()[0], count: self.nnz() })
    }
}

/// Coordinates as numbers: row `d` has axis `d` of every coordinate.
struct Columns {
    data: Vec<i64>,
    rank: usize,
    count: usize,
}

impl Columns {
    fn at(&self, k: usize) -> impl Iterator<Item = i64> + '_ {
        (0..self.rank).map(move |d| self.data[d * self.count + k])
    }

    /// Some of the coordinates as a tensor.
    fn select(&self, which: &[usize]) -> Result<Tensor> {
        let data: Vec<i64> =
            (0..self.rank).flat_map(|d| which.iter().map(move |k| self.data[d * self.count + k])).collect();
        Tensor::from_vec(data, &[self.rank, which.len()])
    }
}

/// `f` on coordinates as they are addressed: a tuple a row.
fn with_tuples<R>(indices: &Tensor, f: impl FnOnce(AnyView) -> Result<R>) -> Result<R> {
    let tuples = indices.t()?;
    f(tuples.read_any()?.view())
}

/// Zeros of that shape with rows added at places, in order, on the tape.
fn rows_added(shape: &[usize], parts: Vec<(&Tensor, Vec<i64>)>) -> Result<Tensor> {
    let rows = |shape: &[usize], at: &[i64], f: &mut dyn FnMut(&Places) -> Result<()>| f(&rows_at(shape, at)?);
    let dtype = parts.first().map_or(DType::F32, |(part, _)| part.dtype());
    let sum = fresh(shape, dtype, |out| {
        parts.iter().try_for_each(|(part, at)| {
            let values = part.read_any()?;
            rows(shape, at, &mut |places| places.combine(out, values.view().into(), Reduce::Sum, true))
        })
    })?;
    if tape::tracked(&parts.iter().map(|(part, _)| *part).collect::<Vec<_>>()) {
        let targets = parts.iter().map(|(part, _)| tape::target(Some(part))).collect();
        let at: Vec<Arc<Vec<i64>>> = parts.into_iter().map(|(_, at)| Arc::new(at)).collect();
        let run: tape::Backward = Box::new(move |g, _| {
            let back = |at: &Arc<Vec<i64>>| {
                let (there, back, shape) = (at.clone(), at.clone(), g.shape().to_vec());
                let read = move |g: &AnyView| rows_at(g.shape(), &there)?.read(g);
                let put = move |v: &AnyView| {
                    let places = rows_at(&shape, &back)?;
                    fresh(&shape, v.dtype(), |out| places.combine(out, v.into(), Reduce::Sum, true))
                };
                tape::mapped(g, NodeOp::Add, read, put).map(tape::Contribution::Dense)
            };
            at.iter().map(back).collect()
        });
        tape::recorded(&sum, NodeOp::Add, targets, false, run);
    }
    Ok(sum)
}

/// The gradient of the input of [`ops::gather`] as coordinates and values, torch's `sparse_grad=True`: one for every
/// element of the index, in row-major order, not coalesced. A 0-d input gives coordinates without axes.
///
/// Values that the rules drop have no coordinates. Errors as [`gather`](super::gather()). Cost: one pass over the index,
/// 8 bytes an axis and element; independent of the size of the input.
pub fn gather_sparse<'a>(
    input: &[usize],
    axis: i64,
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<SparseCoo> {
    let g = g.into();
    let rows = gathered(input, axis, index.into(), &g, rules)?;
    let values = rows.of(&g)?;
    Ok(SparseCoo::trusted(rows.indices, values, input))
}

/// Which elements [`gather_sparse`] keeps, and their coordinates.
pub(crate) fn gathered(input: &[usize], axis: i64, index: AnyView, g: &AnyView, rules: &Rules) -> Result<KeptRows> {
    let op = Op::Gather;
    let d = ops::dim(op, axis, input.len(), rules)?;
    let form = (Layout::contiguous(input, g.dtype().size())?, g.dtype());
    let (_, shape) = gather_shape(op, &form, axis, &index, &Rules { extent: Extent::AtMost, ..*rules })?;
    check(op, g, &shape, rules)?;
    let positions = positions(op, &index, if input.is_empty() { 1 } else { input[d] }, rules)?;
    room(positions.len(), 16 + 8 * input.len())?;
    let kept: Vec<(usize, i64)> = positions.iter().enumerate().filter_map(|(k, p)| Some((k, (*p)?))).collect();
    let mut data = Vec::with_capacity(input.len() * kept.len());
    for axis in 0..input.len() {
        if axis == d {
            data.extend(kept.iter().map(|(_, p)| *p));
        } else {
            let inner: usize = shape[axis + 1..].iter().product();
            data.extend(kept.iter().map(|(k, _)| (k / inner.max(1) % shape[axis].max(1)) as i64));
        }
    }
    let indices = Tensor::from_vec(data, &[input.len(), kept.len()])?;
    Ok(KeptRows::new(indices, smallvec::smallvec![index.numel()], &kept))
}

/// The gradient of a table of rows from that of rows gathered along its first axis ([`ops::gather_axis`] with axis 0,
/// an embedding), as the numbers of the rows, of shape (1, n), and their gradients, of shape (n, row).
///
/// Rows numbered `padding` are left out. Errors as [`gather_axis`](super::gather_axis()). Cost: one pass over `g`,
/// independent of the number of rows of the table: ten million rows of which a thousand are read take a thousand.
///
/// ```
/// use takewise::{grad, Rules, View};
/// let g = [1.0f32, 2.0, 3.0, 4.0];
/// let rows = grad::rows_sparse(&[1_000_000, 2], &View::from(&[7i64, 7][..]), &View::new(&g, &[2, 2])?, None, &Rules::NEUTRAL)?;
/// assert_eq!((rows.nnz(), rows.coalesce()?.values().to_vec::<f32>()?), (2, vec![4.0, 6.0]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn rows_sparse<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    padding: Option<usize>,
    rules: &Rules,
) -> Result<SparseCoo> {
    let g = g.into();
    let rows = gathered_rows(input, index.into(), &g, padding, rules)?;
    let values = rows.of(&g)?;
    Ok(SparseCoo::trusted(rows.indices, values, input))
}

/// Which rows [`rows_sparse`] keeps, and their numbers.
pub(crate) fn gathered_rows(
    input: &[usize],
    index: AnyView,
    g: &AnyView,
    padding: Option<usize>,
    rules: &Rules,
) -> Result<KeptRows> {
    let op = Op::GatherAxis;
    let Some((&rows, row)) = input.split_first() else {
        return Err(rules.fail(Fault::shape(op, ShapeRule::ZeroDim, 0, &[("input", input)])));
    };
    let shape: Dims<usize> = index.shape().iter().chain(row).copied().collect();
    check(op, g, &shape, rules)?;
    rules.check_index(op, index.dtype())?;
    let positions = positions(op, &index, rows, rules)?;
    let skip = |p: i64| padding.is_some_and(|at| at as i64 == p);
    let kept: Vec<(usize, i64)> =
        positions.iter().enumerate().filter_map(|(k, p)| Some((k, (*p).filter(|p| !skip(*p))?))).collect();
    let indices = Tensor::from_vec(kept.iter().map(|(_, p)| *p).collect::<Vec<i64>>(), &[1, kept.len()])?;
    let whole: Dims<usize> = std::iter::once(index.numel()).chain(row.iter().copied()).collect();
    Ok(KeptRows::new(indices, whole, &kept))
}

fn check(op: Op, g: &AnyView, shape: &[usize], rules: &Rules) -> Result<()> {
    if g.shape() == shape {
        return Ok(());
    }
    let shapes = [("gradient", g.shape()), ("result", shape)];
    Err(rules.fail(Fault::shape(op, ShapeRule::Out, 0, &shapes)))
}

/// What a sparse gradient keeps of a dense one.
pub(crate) struct KeptRows {
    indices: Tensor,
    /// The shape of the dense one with its positions in one axis.
    whole: Dims<usize>,
    /// The positions kept, if not all.
    which: Option<Arc<[i64]>>,
}

impl KeptRows {
    fn new(indices: Tensor, whole: Dims<usize>, kept: &[(usize, i64)]) -> KeptRows {
        let which = (kept.len() < whole[0]).then(|| kept.iter().map(|(k, _)| *k as i64).collect());
        KeptRows { indices, whole, which }
    }

    /// The values kept.
    fn of(&self, g: &AnyView) -> Result<Tensor> {
        let packed = fresh(g.shape(), g.dtype(), |out| copy_into(g, out))?;
        let values = super::shaped(packed, &self.whole)?;
        match &self.which {
            None => Ok(values),
            Some(which) => ops::take_axis(values.read_any()?.view(), 0, AnyView::from(&which[..]), &N),
        }
    }

    /// Zeros of a shape with values in the places they were kept from: the transpose.
    fn back(&self, values: &AnyView, shape: &[usize]) -> Result<Tensor> {
        let out = fresh(&self.whole, values.dtype(), |out| match &self.which {
            None => copy_into(values, out),
            Some(which) => rows_at(&self.whole, which)?.store(out, values.into()),
        })?;
        super::shaped(out, shape)
    }

    /// The sparse gradient, on the tape.
    pub(crate) fn on_tape(self, g: &Tensor, input: &[usize]) -> Result<SparseCoo> {
        let (indices, shape) = (self.indices.clone(), g.shape().to_vec());
        let this = Arc::new(self);
        let there = this.clone();
        let values = tape::mapped(g, NodeOp::View, move |g| there.of(g), move |v| this.back(v, &shape))?;
        Ok(SparseCoo::trusted(indices, values, input))
    }
}
