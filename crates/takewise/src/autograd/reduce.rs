//! Gradients of reductions: `scatter_reduce`, `index_reduce`, and stores that multiply.

use super::places::Places;
use super::write::{boxed, front_of};
use crate::dtype::DType;
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::layout::Layout;
use crate::op::{Combine, Op, ReduceWay, ScatterWay};
use crate::ops::compare::{CompareRules, compare};
use crate::ops::{self, combined, fresh};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::values::compare::Relation;
use crate::view::AnyView;
use num_complex::Complex;

/// The gradients of `input` and `source` in [`ops::scatter_reduce`], whose result has gradient `g`.
///
/// Sums pass `g` on; means divide it by the number of contributions; maxima and minima divide it equally among the
/// contributions equal to the result (all of them NaN if that is NaN); a product gives every factor `g` times the
/// product of the others. The array's own value is a contribution if `include_self` says so, and otherwise gets 0 in
/// the places addressed. Source: torch (SEMANTICS.md, Gradients).
///
/// ```
/// use takewise::{grad, Reduce, Rules, View};
/// let (x, src, index, g) = ([5.0f64, 1.0], [5.0f64, 5.0], [0i64, 0], [12.0f64, 1.0]);
/// let (x, src, g) = (View::from(&x[..]), View::from(&src[..]), View::from(&g[..]));
/// let index = View::from(&index[..]);
/// let (dx, dsrc) = grad::scatter_reduce(&g, 0, &index, &x, &src, Reduce::Max, true, &Rules::NEUTRAL)?;
/// assert_eq!((dx.to_vec::<f64>()?, dsrc.to_vec::<f64>()?), (vec![4.0, 1.0], vec![4.0, 4.0]));
/// # Ok::<(), takewise::Error>(())
/// ```
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub fn scatter_reduce<'a>(
    g: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    input: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    how: Reduce,
    include_self: bool,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let (input, source) = (input.into(), source.into());
    let at = Address::axis(axis, input.rank());
    Reduction::new(&at, &index.into(), &input, &source, how, include_self, rules)?.gradients(&g.into())
}

/// The gradients of `input` and `source` in [`ops::index_reduce`]; see [`scatter_reduce`].
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub fn index_reduce<'a>(
    g: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    input: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    how: Reduce,
    include_self: bool,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let (input, source) = (input.into(), source.into());
    let at = Address::slices(axis, input.rank());
    Reduction::new(&at, &index.into(), &input, &source, how, include_self, rules)?.gradients(&g.into())
}

/// The gradients of `input` and `source` in [`ops::tensor_scatter`] with a reduction; see [`scatter_reduce`].
pub fn tensor_scatter_reduce<'a>(
    g: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    input: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    how: Reduce,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let (input, source) = (input.into(), source.into());
    Reduction::new(&Address::Nd { batch: 0 }, &index.into(), &input, &source, how, true, rules)?.gradients(&g.into())
}

/// One call that reduces.
pub(crate) struct Reduction<'v, 'a> {
    places: Places<'a>,
    input: &'v AnyView<'a>,
    /// The source as far as it takes part, in the shape of the places.
    part: AnyView<'a>,
    source: &'v [usize],
    how: Reduce,
    include_self: bool,
}

impl<'v, 'a> Reduction<'v, 'a> {
    pub(crate) fn new(
        at: &Address,
        index: &AnyView<'a>,
        input: &'v AnyView<'a>,
        source: &'v AnyView<'a>,
        how: Reduce,
        include_self: bool,
        rules: &Rules,
    ) -> Result<Self> {
        let op = match at {
            Address::Axis { .. } => Op::ScatterReduce(ScatterWay::Plain),
            Address::Slices { .. } => Op::IndexReduce(ReduceWay::Plain),
            _ => Op::TensorScatter(Combine::Update),
        };
        let places = Places::new(op, at, std::slice::from_ref(index), input.shape(), rules)?;
        let (layout, wanted) = (source.layout(), places.result());
        let part = match at {
            Address::Axis { .. } => Layout::new(wanted, &layout.strides()[..wanted.len()])?,
            _ => layout.broadcast_to(op, wanted)?,
        };
        let part = source.rearranged(0, part);
        Ok(Reduction { places, input, part, source: source.shape(), how, include_self })
    }

    /// The gradients of the array and of the source.
    pub(crate) fn gradients(&self, g: &AnyView) -> Result<(Tensor, Tensor)> {
        let (dx, ds) = reduced(&self.places, g, self.input, &self.part, self.how, self.include_self)?;
        Ok((dx, boxed(ds, self.source)?))
    }

    /// The transpose of the source's gradient, of a reduction whose gradient is linear in `g` alone: what becomes of a
    /// source beside an array of zeros.
    pub(crate) fn put(&self, source: &AnyView) -> Result<Tensor> {
        let (places, shape, dtype) = (&self.places, self.input.shape(), source.dtype());
        let values = front_of(source, places.result())?;
        let values = values.read_any()?;
        let values = values.view();
        match self.how {
            Reduce::Max | Reduce::Min => {
                let shares = Shares::new(places, self.input, &self.part, self.how, self.include_self, dtype)?;
                let mine = combined(&values, &shares.theirs.read_any()?.view(), Reduce::Prod)?;
                let sum =
                    fresh(shape, dtype, |out| places.combine(out, mine.read_any()?.view().into(), Reduce::Sum, true))?;
                with(&sum, &shares.count, |sum, count| combined(sum, count, Reduce::Div))
            }
            how => fresh(shape, dtype, |out| places.combine(out, (&values).into(), how, self.include_self)),
        }
    }
}

/// The gradients of the array and of the source, which has the shape of the places.
fn reduced(
    places: &Places,
    g: &AnyView,
    x: &AnyView,
    source: &AnyView,
    how: Reduce,
    include_self: bool,
) -> Result<(Tensor, Tensor)> {
    places.check(g, x.shape())?;
    // Factors and divisors are conjugated in the gradients of what they make.
    let (mut keep, linear) = ([None, None], !matches!(how, Reduce::Prod | Reduce::Div));
    let [own, other] = &mut keep;
    let (x, source) = if linear { (x, source) } else { (&conjugated(x, own)?, &conjugated(source, other)?) };
    let (mine, theirs) = match how {
        Reduce::Sum => (copy(g)?, places.read(g)?),
        Reduce::Mean => mean(places, g, include_self)?,
        Reduce::Prod => prod(places, g, x, source, include_self)?,
        Reduce::Max | Reduce::Min => Shares::new(places, x, source, how, include_self, g.dtype())?.of(places, g)?,
        _ => quotient(places, g, x, source)?,
    };
    if include_self { Ok((mine, theirs)) } else { Ok((places.cleared(&mine.read_any()?.view())?, theirs)) }
}

/// Complex numbers conjugated, in `keep`; others as they are.
fn conjugated<'k>(v: &AnyView<'k>, keep: &'k mut Option<Tensor>) -> Result<AnyView<'k>> {
    if !v.dtype().is_complex() {
        return Ok(v.clone());
    }
    Ok(keep.insert(conjugates(v)?).unique_view().unwrap_or_else(|| v.clone()))
}

/// A copy with every complex number conjugated.
pub(crate) fn conjugates(v: &AnyView) -> Result<Tensor> {
    fn each<T>(v: &AnyView) -> Result<Tensor>
    where
        T: Clone + num_complex::ComplexFloat + crate::Element,
    {
        let all: Vec<T> = copy(v)?.to_vec::<T>()?.into_iter().map(|z| z.conj()).collect();
        Tensor::from_slice(&all, v.shape())
    }
    match v.dtype() {
        DType::C64 => each::<Complex<f32>>(v),
        DType::C128 => each::<Complex<f64>>(v),
        _ => copy(v),
    }
}

fn copy(v: &AnyView) -> Result<Tensor> {
    ops::copy(v)
}

/// `f` on the views of two tensors.
fn with<R>(a: &Tensor, b: &Tensor, f: impl FnOnce(&AnyView, &AnyView) -> Result<R>) -> Result<R> {
    f(&a.read_any()?.view(), &b.read_any()?.view())
}

/// Where two arrays are equal, as numbers 1 and 0.
fn equal(a: &AnyView, b: &AnyView, dtype: DType) -> Result<Tensor> {
    compare(a, b, Relation::Eq, &CompareRules::BY_VALUE)?.to(dtype)
}

/// The mean divides by the number of contributions, so a mean of `g` and otherwise zeros is `g` divided by it.
fn mean(places: &Places, g: &AnyView, include_self: bool) -> Result<(Tensor, Tensor)> {
    let share = match include_self {
        true => ops::copied(g, |out| places.combine(out, 0.into(), Reduce::Mean, true))?,
        false => {
            let once = places.survived(g)?;
            let once = once.read_any()?;
            ops::copied(g, |out| places.combine(out, once.view().into(), Reduce::Mean, false))?
        }
    };
    let theirs = places.read(&share.read_any()?.view())?;
    Ok((share, theirs))
}

/// `g * result / factor`; where factors are zero, the one zero gets the product of the others.
fn prod(places: &Places, g: &AnyView, x: &AnyView, source: &AnyView, own: bool) -> Result<(Tensor, Tensor)> {
    let dtype = g.dtype();
    let zero = Tensor::zeroed(&[], dtype)?;
    let zero = zero.read_any()?;
    let product = |x: &AnyView, s: &AnyView| ops::copied(x, |out| places.combine(out, s.into(), Reduce::Prod, own));
    let times = |a: &AnyView, b: &AnyView| combined(a, b, Reduce::Prod);
    let without = |v: &AnyView, mask: &Tensor| {
        ops::copied(v, |out| ops::masked_fill_(out, mask.to(DType::Bool)?.read_any()?.view(), 1, &Rules::NEUTRAL))
    };
    let x_zero = equal(x, &zero.view(), dtype)?;
    let x_rest = without(x, &x_zero)?;
    let mine = with(&product(&x_rest.read_any()?.view(), source)?, &x_rest, |p, r| {
        let all = times(g, p)?;
        combined(&all.read_any()?.view(), r, Reduce::Div)
    })?;
    // How many zeros met in each place, seen from the contributions.
    let s_zero = equal(source, &zero.view(), dtype)?;
    let zeros =
        fresh(x.shape(), dtype, |out| places.combine(out, s_zero.read_any()?.view().into(), Reduce::Sum, true))?;
    let one = Tensor::full(&[], 1, dtype)?;
    let lone = with(&places.read(&zeros.read_any()?.view())?, &one, |z, one| equal(z, one, dtype))?;
    let lone = with(&lone, &s_zero, times)?;
    let others = with(&product(x, &without(source, &lone)?.read_any()?.view())?, &lone, |p, _| times(g, p))?;
    let whole = times(g, &product(x, source)?.read_any()?.view())?;
    let others = places.read(&others.read_any()?.view())?;
    let plain =
        with(&places.read(&whole.read_any()?.view())?, &without(source, &s_zero)?, |w, s| combined(w, s, Reduce::Div))?;
    let chosen = lone.to(DType::Bool)?;
    let theirs = with(&others, &plain, |a, b| ops::where_(chosen.read_any()?.view(), a, b, dtype, &Rules::NEUTRAL))?;
    Ok((mine, theirs))
}

/// Equal shares for every contribution equal to the result: 1 for those, 0 for the others, and how many they are.
struct Shares {
    own: Tensor,
    theirs: Tensor,
    count: Tensor,
}

impl Shares {
    fn new(
        places: &Places,
        x: &AnyView,
        source: &AnyView,
        how: Reduce,
        include_self: bool,
        dtype: DType,
    ) -> Result<Shares> {
        let result = ops::copied(x, |out| places.combine(out, source.into(), how, include_self))?;
        let back = places.read(&result.read_any()?.view())?;
        let back = back.read_any()?;
        let theirs = equal(source, &back.view(), dtype)?;
        // Places not addressed keep their own value.
        let mut own = Tensor::full(x.shape(), 1, dtype)?;
        if let Some(mut out) = own.unique() {
            match include_self {
                true => {
                    let held = equal(&places.read(x)?.read_any()?.view(), &back.view(), dtype)?;
                    places.store(&mut out, held.read_any()?.view().into())?;
                }
                false => places.store(&mut out, 0.into())?,
            }
        }
        let count = with(&own, &theirs, |own, theirs| {
            ops::copied(own, |out| places.combine(out, theirs.into(), Reduce::Sum, true))
        })?;
        Ok(Shares { own, theirs, count })
    }

    /// The gradients of the array and of the source.
    fn of(&self, places: &Places, g: &AnyView) -> Result<(Tensor, Tensor)> {
        let share = combined(g, &self.count.read_any()?.view(), Reduce::Div)?;
        let mine = with(&share, &self.own, |share, own| combined(share, own, Reduce::Prod))?;
        let read = places.read(&share.read_any()?.view())?;
        Ok((mine, with(&read, &self.theirs, |read, theirs| combined(read, theirs, Reduce::Prod))?))
    }
}

/// `x` divided by every divisor in turn: `g / d` for the array, `-g * result / d` for each.
fn quotient(places: &Places, g: &AnyView, x: &AnyView, source: &AnyView) -> Result<(Tensor, Tensor)> {
    let mine = ops::copied(g, |out| places.combine(out, source.into(), Reduce::Div, true))?;
    let down = combined(&mine.read_any()?.view(), x, Reduce::Prod)?;
    let down = places.read(&down.read_any()?.view())?;
    let minus = Tensor::full(&[], -1, g.dtype())?.broadcast_to(down.shape())?;
    let down = with(&down, &minus, |d, m| combined(d, m, Reduce::Prod))?;
    let theirs = combined(&down.read_any()?.view(), source, Reduce::Div)?;
    Ok((mine, theirs))
}
