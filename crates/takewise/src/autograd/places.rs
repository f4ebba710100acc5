//! Which elements of an array an operation addresses, and the three verbs on them: what a gradient is made of.

use crate::Index;
use crate::dtype::DTypeSet;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::{self, Reduce};
use crate::index::mask::count;
use crate::index::normalize;
use crate::index::rules::{Casting, Rules};
use crate::layout::{Dims, Layout};
use crate::op::Op;
use crate::ops::compare::{CompareRules, compare};
use crate::ops::gather::{gather_axis_shape, gather_shape};
use crate::ops::{self, Source, fresh, get, nd, take};
use crate::plan::{Address, Between, Plan};
use crate::tensor::Tensor;
use crate::values::compare::Relation;
use crate::view::{AnyView, AnyViewMut};
use crate::{DType, Scalar};
use smallvec::SmallVec;

/// The places one operation addresses in arrays of one shape.
pub(crate) struct Places<'a> {
    op: Op,
    rules: Rules,
    address: Address,
    /// The index, the mask, or the arrays of the subscript.
    operands: SmallVec<[AnyView<'a>; 2]>,
    array: Dims<usize>,
    result: Dims<usize>,
}

/// An operation and what it addresses.
#[derive(Clone)]
pub(crate) struct Addressed {
    pub(crate) op: Op,
    pub(crate) address: Address,
    pub(crate) rules: Rules,
}

impl Addressed {
    pub(crate) fn new(op: Op, address: Address, rules: &Rules) -> Addressed {
        Addressed { op, address, rules: *rules }
    }

    /// The places it addresses in an array of that shape.
    pub(crate) fn places<'a>(&self, operands: &[AnyView<'a>], array: &[usize]) -> Result<Places<'a>> {
        Places::new(self.op, &self.address, operands, array, &self.rules)
    }
}

/// The address of a subscript and its arrays, which are open while `f` runs.
pub(super) fn with_items<R>(
    items: &[Index<'_>],
    rules: &Rules,
    f: impl FnOnce(Address, &[AnyView]) -> Result<R>,
) -> Result<R> {
    get::with_open(items, rules, |items| {
        let (address, arrays) = Address::items(items);
        let views = arrays.into_iter().filter_map(|i| if let Index::Array(v) = i { Some(v.clone()) } else { None });
        f(address, &views.collect::<Vec<_>>())
    })
}

/// The rules of an operation without its limits on data: gradients are of float dtypes whatever the operation takes.
fn open(rules: &Rules) -> Rules {
    Rules {
        data: DTypeSet::ALL,
        excluding: DTypeSet::ALL,
        slices: None,
        same_dtype: true,
        casting: Casting::Any,
        ..*rules
    }
}

/// The form of a contiguous array; its dtype plays no part.
fn form(shape: &[usize]) -> Result<(Layout, DType)> {
    Ok((Layout::contiguous(shape, DType::F32.size())?, DType::F32))
}

impl<'a> Places<'a> {
    /// Those of an operation with an index, a mask or the arrays of a subscript, in arrays of a shape.
    ///
    /// Errors: those of the operation.
    pub(crate) fn new(
        op: Op,
        address: &Address,
        operands: &[AnyView<'a>],
        array: &[usize],
        rules: &Rules,
    ) -> Result<Places<'a>> {
        let (mut rules, form) = (open(rules), form(array)?);
        let mut operands = SmallVec::from(operands);
        let (address, result) = match (address, &mut operands[..]) {
            (Address::Axis { dim }, [index]) => gather_shape(op, &form, *dim as i64, index, &rules)?,
            (Address::Slices { dim }, [index]) => {
                let scatters = rules.accumulate.scatters(array.len(), *dim, index.dtype(), Scalar::Int(1));
                rules.accumulate = rules.accumulate.settle(scatters);
                take::select_shape(op, &form, *dim as i64, index, &rules)?
            }
            (Address::Rows { dim, batch }, [index]) => {
                gather_axis_shape(&form, index, *dim as i64, *batch as i64, &rules)?
            }
            (Address::Flat, [index]) => {
                take::check(op, &form, index, &rules)?;
                let flat = op == Op::TakeAlongDim { flat: true };
                let shape = if flat { Dims::from_slice(&[index.numel()]) } else { Dims::from_slice(index.shape()) };
                (Address::Flat, shape)
            }
            (Address::Nd { batch }, [index]) => {
                (Address::Nd { batch: *batch }, nd::result_shape(op, array, index, *batch, &rules)?)
            }
            // It broadcasts to the array.
            (Address::Mask, [mask]) => {
                let layout = mask.layout().broadcast_to(op, array).map_err(|e| e.in_words(rules.words))?;
                *mask = mask.rearranged(0, layout);
                (Address::Mask, smallvec::smallvec![count(mask)])
            }
            (address, operands) => {
                let items = address.subscript(operands);
                let shape = normalize(op, &form.0, form.1.size(), &items, &rules)?.shape();
                (address.clone(), shape)
            }
        };
        Ok(Places { op, rules, address, operands, array: Dims::from_slice(array), result })
    }

    /// The shape of what is read or stored.
    pub(crate) fn result(&self) -> &[usize] {
        &self.result
    }

    /// Fails unless a gradient has the shape it is the gradient of.
    pub(crate) fn check(&self, g: &AnyView, shape: &[usize]) -> Result<()> {
        if g.shape() == shape {
            return Ok(());
        }
        let shapes = [("gradient", g.shape()), ("result", shape)];
        Err(self.rules.fail(Fault::shape(self.op, ShapeRule::Out, 0, &shapes)))
    }

    /// The addressed elements of `x`.
    pub(crate) fn read(&self, x: &AnyView) -> Result<Tensor> {
        fresh(&self.result, x.dtype(), |out| {
            let linear = out.layout().clone();
            let between = Between { indexed: x.layout(), linear: &linear, size: x.dtype().size() };
            let read = |plan: &Plan, operands: &[AnyView]| exec::read(plan, x, operands, out);
            self.address.with_plan(self.op, &self.rules, &self.operands, between, read)
        })
    }

    /// Stores values that broadcast to the result's shape.
    pub(crate) fn store(&self, dst: &mut AnyViewMut, values: Source<AnyView>) -> Result<()> {
        self.put(dst, values, exec::write)
    }

    /// Combines values that broadcast to the result's shape.
    pub(crate) fn combine(
        &self,
        dst: &mut AnyViewMut,
        values: Source<AnyView>,
        how: Reduce,
        include_self: bool,
    ) -> Result<()> {
        self.put(dst, values, |plan, values, operands, dst| {
            exec::accumulate(plan, values, operands, dst, how, include_self)
        })
    }

    fn put(
        &self,
        dst: &mut AnyViewMut,
        values: Source<AnyView>,
        verb: impl FnOnce(&Plan, &AnyView, &[AnyView], &mut AnyViewMut) -> Result<()>,
    ) -> Result<()> {
        let mut keep = ops::Made::default();
        let values = ops::stored(self.op, dst.dtype(), &values, &self.rules, &mut keep)?;
        let layout = values.layout().broadcast_to(self.op, &self.result)?;
        let values = values.rearranged(0, layout);
        let (indexed, size) = (dst.layout().clone(), dst.dtype().size());
        let between = Between { indexed: &indexed, linear: values.layout(), size };
        let write = |plan: &Plan, operands: &[AnyView]| verb(plan, &values, operands, dst);
        self.address.with_plan(self.op, &self.rules, &self.operands, between, write)
    }

    /// The gradient of a read: zeros with `g` added at the places, in index order.
    pub(crate) fn scattered(&self, g: &AnyView) -> Result<Tensor> {
        self.check(g, &self.result)?;
        fresh(&self.array, g.dtype(), |out| self.combine(out, g.into(), Reduce::Sum, true))
    }

    /// The gradient a store leaves to what it overwrote: `g` with zeros at the places.
    pub(crate) fn cleared(&self, g: &AnyView) -> Result<Tensor> {
        self.check(g, &self.array)?;
        ops::copied(g, |out| self.store(out, 0.into()))
    }

    /// The gradient of stored values, each of which had a place of its own or lost it to a later one: `g` at the
    /// places, 0 for losers.
    pub(crate) fn survived(&self, g: &AnyView) -> Result<Tensor> {
        self.check(g, &self.array)?;
        let mut values = self.read(g)?;
        if let Some(losers) = self.losers()?
            && let Some(mut view) = values.unique()
        {
            ops::masked_fill_(&mut view, losers.read_any()?.view(), 0, &Rules::NEUTRAL)?;
        }
        Ok(values)
    }

    /// Which stored values do not stay: those overwritten by a later one and those dropped. `None` if all stay.
    fn losers(&self) -> Result<Option<Tensor>> {
        match &self.address {
            Address::Mask => return Ok(None),
            Address::Items(_) if self.operands.is_empty() => return Ok(None),
            _ => {}
        }
        losers(&self.array, &self.result, |out, v| self.store(out, v.into()), |x| self.read(x)).map(Some)
    }
}

/// Which of the values stored in an array come to nothing: they are numbered, the numbers are stored and read back, and
/// whoever does not find its own has lost. Takes 8 bytes for every place stored to (untouched pages are never
/// committed) and 24 for every value.
pub(crate) fn losers(
    array: &[usize],
    result: &[usize],
    store: impl FnOnce(&mut AnyViewMut, &AnyView) -> Result<()>,
    read: impl FnOnce(&AnyView) -> Result<Tensor>,
) -> Result<Tensor> {
    let count = result.iter().product::<usize>() as i64;
    let shape: Dims<i64> = result.iter().map(|n| *n as i64).collect();
    let numbers = Tensor::arange(1, count + 1, 1, Some(DType::I64))?.view(&shape)?;
    let numbers = numbers.read_any()?;
    let written = fresh(array, DType::I64, |out| store(out, &numbers.view()))?;
    let found = read(&written.read_any()?.view())?;
    let found = found.read_any()?;
    compare(&found.view(), &numbers.view(), Relation::Ne, &CompareRules::BY_VALUE)
}
