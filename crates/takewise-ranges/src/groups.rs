//! Groups without sorting: values combined at the places that an index names, in ways that the engine's own writes do not have.
//!
//! Pseudo code:
//!
//! ```text
//! turn index values into places; nothing is stored before all of them are known
//! for each entry of the index, in order, for each element of it that counts:
//!     combine it with what its place holds so far, and remember where the extreme stands
//! for each place that something came to: what it holds, combined with what was there where that counts
//! ```

use takewise::error::DTypeRule;
use takewise::index::rules::Conversion;
use takewise::tensor::cast;
use takewise::{DType, Fault, Op, Result, Rules, Tensor};

use crate::how::How;
use crate::moves::{Along, told};
use crate::number::{Number, with_number};
use crate::ranges::{Said, placed};
use crate::search::unordered;

/// What is asked of groups.
///
/// ```
/// use takewise_ranges::{Grouping, How};
/// let asked = Grouping { how: How::Last, include_self: true, skip_nan: false };
/// assert_eq!(asked.how, How::Last);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Grouping {
    /// How values that meet are combined.
    pub how: How,
    /// Whether what is there counts, before all others.
    pub include_self: bool,
    /// Whether NaN is passed over.
    pub skip_nan: bool,
}

/// A copy of `x` with the subarrays of `source` combined at `index` along `axis`.
///
/// Values keep the dtype of `x`, and truths, counts and positions are cast to it. Positions count along `axis` of the source; of equal
/// extremes the first is named, and what is there has none. A place that nothing came to keeps what it has.
///
/// Errors: kinds `Axis`, `Argument` for shapes that do not fit, `DType`, `OutOfRange`. Cost: one pass over the source, in its order.
///
/// ```
/// use takewise::{Op, Rules, tensor};
/// use takewise_ranges::{Grouping, How, index_reduce};
///
/// let asked = Grouping { how: How::ArgMax, include_self: true, skip_nan: false };
/// let made = index_reduce(Op::Take, &tensor!([-1, -1]), 0, &tensor!([1, 1, 1]), &tensor!([4, 9, 9]), asked, &Rules::NEUTRAL)?;
/// assert_eq!(made.to_vec::<i64>()?, [-1, 1]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_reduce(
    op: Op,
    x: &Tensor,
    axis: i64,
    index: &Tensor,
    source: &Tensor,
    asked: Grouping,
    rules: &Rules,
) -> Result<Tensor> {
    let said = Said { op, rules };
    let (to, from) = (Along::of(said, x, axis)?, Along::of(said, source, axis)?);
    let places = placed(said, "index", index, to.len)?;
    let same =
        x.shape()[..to.axis] == source.shape()[..to.axis] && x.shape()[to.axis + 1..] == source.shape()[to.axis + 1..];
    if x.rank() != source.rank() || !same || places.len() != from.len {
        let (wanted, given) = (x.shape(), source.shape());
        let text =
            format!("a source of shape {given:?} and {} index values do not fit x of shape {wanted:?}", places.len());
        return Err(said.refuse(text));
    }
    // Of a source without elements nothing comes, however many subarrays it has.
    let count = if source.numel() == 0 { 0 } else { to.outer * from.len };
    let entries = (0..count).filter_map(|entry| {
        let (outer, k) = (entry / from.len.max(1), entry % from.len.max(1));
        places[k].map(|place| Entry { to: (outer * to.len + place) * to.inner, from: entry * to.inner, at: k })
    });
    combined(said, x, source, &mut blocks(entries), to.inner, asked)
}

/// A copy of `x` with elements of `source` combined at `index` along `axis`, for each element of `index`; see [`index_reduce`].
///
/// ```
/// use takewise::{Op, Rules, tensor};
/// use takewise_ranges::{Grouping, How, scatter_reduce};
///
/// let asked = Grouping { how: How::Count, include_self: false, skip_nan: false };
/// let made = scatter_reduce(Op::Take, &tensor!([0, 0]), 0, &tensor!([1, 1]), &tensor!([4, 9]), asked, &Rules::NEUTRAL)?;
/// assert_eq!(made.to_vec::<i64>()?, [0, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_reduce(
    op: Op,
    x: &Tensor,
    axis: i64,
    index: &Tensor,
    source: &Tensor,
    asked: Grouping,
    rules: &Rules,
) -> Result<Tensor> {
    let said = Said { op, rules };
    let (to, shape) = (Along::of(said, x, axis)?, index.shape());
    let fits = |k: usize, n: usize| n <= source.shape()[k] && (k == to.axis || n <= x.shape()[k]);
    if x.rank() != index.rank() || x.rank() != source.rank() || !shape.iter().enumerate().all(|(k, n)| fits(k, *n)) {
        let (given, wanted) = (source.shape(), x.shape());
        return Err(said.refuse(format!(
            "index of shape {shape:?} does not fit x of shape {wanted:?} and source of shape {given:?}"
        )));
    }
    let places = placed(said, "index", &index.reshape(&[-1])?, to.len)?;
    let (of_x, of_source) = (steps(x.shape()), steps(source.shape()));
    let mut coordinates = vec![0; shape.len()];
    let entries = places.into_iter().filter_map(|place| {
        let at = coordinates[to.axis];
        let sum = |steps: &[usize], along: usize| -> usize {
            let all = coordinates.iter().zip(steps).enumerate();
            all.map(|(k, (n, step))| if k == to.axis { along } else { *n } * step).sum()
        };
        let entry = place.map(|place| Entry { to: sum(&of_x, place), from: sum(&of_source, at), at });
        for (k, n) in coordinates.iter_mut().enumerate().rev() {
            *n += 1;
            if *n < shape[k] {
                break;
            }
            *n = 0;
        }
        entry
    });
    combined(said, x, source, &mut blocks(entries), 1, asked)
}

/// The elements from one to the next along each axis, in row-major order.
fn steps(shape: &[usize]) -> Vec<usize> {
    (0..shape.len()).map(|k| shape[k + 1..].iter().product()).collect()
}

/// So many elements of a source, the place they go to, and the position they are told by.
struct Entry {
    to: usize,
    from: usize,
    at: usize,
}

/// Entries at a time. The loops below know nothing of how they are made, so each is compiled once a dtype.
const BLOCK: usize = 128;

/// Puts the next entries into a vector; none where there are no more.
type Blocks<'b> = &'b mut dyn FnMut(&mut Vec<Entry>);

fn blocks(mut entries: impl Iterator<Item = Entry>) -> impl FnMut(&mut Vec<Entry>) {
    move |block| {
        block.clear();
        block.extend(entries.by_ref().take(BLOCK));
    }
}

fn combined(
    said: Said<'_>,
    x: &Tensor,
    source: &Tensor,
    entries: Blocks<'_>,
    width: usize,
    asked: Grouping,
) -> Result<Tensor> {
    let (dtype, own) = (x.dtype(), asked.how.dtype(source.dtype()));
    if own == source.dtype() && own != dtype {
        let rule = DTypeRule::Same;
        return Err(said.rules.fail(Fault::DType { op: said.op, rule, given: own, wanted: Some(dtype) }));
    }
    if own == source.dtype() && (x.requires_grad() || source.requires_grad()) {
        return Err(said.refuse("values combined so keep no record for gradients: detach them".into()));
    }
    let refused = |dtype: DType| said.refuse(format!("elements of dtype {} are not combined", dtype.name()));
    if dtype.is_foreign() || own == DType::I64 && matches!(dtype, DType::Bool) {
        return Err(refused(dtype));
    }
    let (held, source) = (x.detach().contiguous()?, source.detach().contiguous()?);
    let (known, came) = with_number!(source.dtype(), T => {
        let open = source.read::<T>()?;
        fold(said, open.as_slice().unwrap_or_default(), held.numel(), entries, width, asked)?
    }, return Err(refused(source.dtype())));
    // What came, in the dtype of the array it is stored in.
    let known = cast(&known.read_any()?.view(), dtype, Conversion::Wrap)?;
    let made = with_number!(dtype, T => {
        let (held, known) = (held.read::<T>()?, known.read::<T>()?);
        let (held, known) = (held.as_slice().unwrap_or_default(), known.as_slice().unwrap_or_default());
        let both = held.iter().zip(known).zip(&came);
        let all = both.map(|((x, v), n)| if *n == 0 { *x } else { met(asked, *x, *v, *n) });
        let mut made: Vec<T> = said.room(held.len())?;
        made.extend(all);
        Tensor::from_vec(made, x.shape())?
    }, return Err(refused(dtype)));
    told(made)
}

/// What a place holds that `n` values came to, which make `v` together.
fn met<T: Number>(asked: Grouping, x: T, v: T, n: u64) -> T {
    let counts = asked.include_self && !(asked.skip_nan && x.is_nan());
    let beyond = |further: bool| !x.is_nan() && (v.is_nan() || further);
    let of_truth = |truth: bool| T::narrow(if truth { T::ONE } else { T::ZERO });
    let (wide, one) = (|v: T| v.widen(), T::narrow(T::ONE).widen());
    match asked.how {
        _ if !counts => match asked.how {
            How::Mean => T::narrow(T::over(wide(v), n)),
            _ => v,
        },
        How::Sum => T::narrow(T::add(wide(x), wide(v))),
        How::Mean => T::narrow(T::over(T::add(wide(x), wide(v)), n + 1)),
        How::Prod => T::narrow(T::mul(wide(x), wide(v))),
        How::Count => T::narrow(T::add(wide(v), one)),
        How::Min if !beyond(v.less(x)) => x,
        How::Max if !beyond(x.less(v)) => x,
        How::First => x,
        How::Any => of_truth(x.truth() || v.truth()),
        How::All => of_truth(x.truth() && v.truth()),
        _ => v,
    }
}

/// What comes to each of so many places, and how many values do.
fn fold<T: Number>(
    said: Said<'_>,
    all: &[T],
    places: usize,
    entries: Blocks<'_>,
    width: usize,
    asked: Grouping,
) -> Result<(Tensor, Vec<u64>)> {
    if matches!(asked.how, How::Min | How::Max | How::ArgMin | How::ArgMax) && !T::ORDERED {
        return Err(unordered(said, T::DTYPE));
    }
    let came = Came { all, entries, width, skip_nan: asked.skip_nan };
    let made = match asked.how {
        How::Sum | How::Mean => came.summed(said, places, T::ZERO, T::add)?,
        How::Prod => came.summed(said, places, T::ONE, T::mul)?,
        How::Count => {
            let (_, came) = came.kept(said, places, |_, _| false, |_, _, _| {})?;
            (Tensor::from_vec(came.iter().map(|n| *n as i64).collect::<Vec<i64>>(), &[places])?, came)
        }
        How::ArgMin | How::ArgMax => {
            let least = asked.how == How::ArgMin;
            let mut at: Vec<i64> = said.room(places)?;
            at.resize(places, -1);
            let beyond = |best: T, v: T| takes(best, v, if least { v.less(best) } else { best.less(v) });
            let (_, came) =
                came.kept(said, places, beyond, |to, taken, entry| at[to] = if taken { entry as i64 } else { at[to] })?;
            (Tensor::from_vec(at, &[places])?, came)
        }
        How::Min => came.values(said, places, |best, v| takes(best, v, v.less(best)))?,
        How::Max => came.values(said, places, |best, v| takes(best, v, best.less(v)))?,
        How::First | How::Last => came.values(said, places, |_, _| asked.how == How::Last)?,
        How::Any | How::All => came.truths(said, places, |_, v| v.truth() == (asked.how == How::Any))?,
    };
    Ok(made)
}

/// Whether an extreme takes the place of the one that is there: NaN does, and stays.
fn takes<T: Number>(best: T, value: T, further: bool) -> bool {
    !best.is_nan() & (value.is_nan() | further)
}

/// The values that come to places.
struct Came<'a, T> {
    all: &'a [T],
    entries: Blocks<'a>,
    width: usize,
    skip_nan: bool,
}

impl<T: Number> Came<'_, T> {
    /// Runs `one` on every value that counts: with its place, and with the position it is told by.
    #[inline(always)]
    fn each(self, mut one: impl FnMut(usize, T, usize)) {
        let Came { all, entries, width, skip_nan } = self;
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            entries(&mut block);
            for entry in &block {
                for (e, value) in all[entry.from..entry.from + width].iter().enumerate() {
                    if !(skip_nan && value.is_nan()) {
                        one(entry.to + e, *value, entry.at);
                    }
                }
            }
            if block.is_empty() {
                return;
            }
        }
    }

    fn summed(
        self,
        said: Said<'_>,
        places: usize,
        start: T::Wide,
        add: impl Fn(T::Wide, T::Wide) -> T::Wide,
    ) -> Result<(Tensor, Vec<u64>)> {
        let (mut sums, mut came): (Vec<T::Wide>, Vec<u64>) = (said.room(places)?, said.room(places)?);
        sums.resize(places, start);
        came.resize(places, 0);
        self.each(|to, value, _| {
            sums[to] = add(sums[to], value.widen());
            came[to] += 1;
        });
        Ok((Tensor::from_vec(sums.into_iter().map(T::narrow).collect::<Vec<T>>(), &[places])?, came))
    }

    /// The value that each place keeps: the first, and later ones that take its place. `told` learns of each whether it is kept.
    fn kept(
        self,
        said: Said<'_>,
        places: usize,
        takes: impl Fn(T, T) -> bool,
        mut told: impl FnMut(usize, bool, usize),
    ) -> Result<(Vec<T>, Vec<u64>)> {
        let (mut best, mut came): (Vec<T>, Vec<u64>) = (said.room(places)?, said.room(places)?);
        best.resize(places, T::narrow(T::ZERO));
        came.resize(places, 0);
        self.each(|to, value, at| {
            // Chosen without a jump, which would go either way.
            let taken = (came[to] == 0) | takes(best[to], value);
            best[to] = if taken { value } else { best[to] };
            told(to, taken, at);
            came[to] += 1;
        });
        Ok((best, came))
    }

    fn values(self, said: Said<'_>, places: usize, takes: impl Fn(T, T) -> bool) -> Result<(Tensor, Vec<u64>)> {
        let (best, came) = self.kept(said, places, takes, |_, _, _| {})?;
        Ok((Tensor::from_vec(best, &[places])?, came))
    }

    fn truths(self, said: Said<'_>, places: usize, takes: impl Fn(T, T) -> bool) -> Result<(Tensor, Vec<u64>)> {
        let (best, came) = self.kept(said, places, takes, |_, _, _| {})?;
        Ok((Tensor::from_vec(best.iter().map(|v| v.truth()).collect::<Vec<bool>>(), &[places])?, came))
    }
}
