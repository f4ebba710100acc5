//! Which elements of an array an operation addresses, and the three verbs on them: what a gradient is made of.

use crate::dtype::DTypeSet;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::{self, Reduce};
use crate::index::mask::count;
use crate::index::rules::{Extent, Rules};
use crate::index::{Index, normalize};
use crate::kernel::compare::Relation;
use crate::layout::{Dims, Layout};
use crate::op::Op;
use crate::ops::compare::{CompareRules, compare};
use crate::ops::gather::{gather_axis_shape, gather_shape, plan_along, plan_axis};
use crate::ops::{self, Source, fresh, get, lifted, lifted_layout, nd, take};
use crate::plan::{Builder, Plan};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut, Form};
use crate::{DType, Scalar};

/// The places one operation addresses in arrays of one shape.
pub(super) struct Places<'a> {
    op: Op,
    rules: Rules,
    how: How<'a>,
    array: Dims<usize>,
    result: Dims<usize>,
}

enum How<'a> {
    Along { axis: i64, index: AnyView<'a> },
    Slices { axis: usize, batch: usize, index: AnyView<'a> },
    Flat { index: AnyView<'a> },
    Tuples { batch: usize, index: AnyView<'a> },
    Mask { mask: AnyView<'a> },
    Items(&'a [Index<'a>]),
}

/// The rules of an operation without its limits on data: gradients are of float dtypes whatever the operation takes.
fn open(rules: &Rules) -> Rules {
    Rules { data: DTypeSet::ALL, excluding: DTypeSet::ALL, slices: None, same_dtype: true, ..*rules }
}

/// The form of a contiguous array; its dtype plays no part.
fn form(shape: &[usize]) -> Result<(Layout, DType)> {
    Ok((Layout::contiguous(shape, DType::F32.size())?, DType::F32))
}

impl<'a> Places<'a> {
    fn new(op: Op, rules: Rules, how: How<'a>, array: &[usize], result: Dims<usize>) -> Places<'a> {
        Places { op, rules, how, array: Dims::from_slice(array), result }
    }

    /// Those of [`ops::gather`] and the scatter family; of [`ops::take_along`] if `both` broadcast.
    pub(super) fn along(
        op: Op,
        array: &[usize],
        axis: i64,
        index: AnyView<'a>,
        both: bool,
        rules: &Rules,
    ) -> Result<Self> {
        let mut rules = open(rules);
        if both {
            rules.extent = Extent::Broadcast;
        }
        let result = gather_shape(op, &form(array)?, axis, &index, &rules)?;
        Ok(Places::new(op, rules, How::Along { axis, index }, array, result))
    }

    /// Those of [`ops::index_select`] and the `index_*` family.
    pub(super) fn slices(op: Op, array: &[usize], axis: i64, index: AnyView<'a>, rules: &Rules) -> Result<Self> {
        let d = ops::dim(op, axis, array.len(), rules)?;
        let scatters = rules.accumulate.scatters(array.len(), d, index.dtype(), Scalar::Int(1));
        let rules = Rules { accumulate: rules.accumulate.settle(scatters), ..open(rules) };
        let result = take::select_shape(op, &form(array)?, axis, &index, &rules)?;
        let index = lifted(&index).into_owned();
        Ok(Places::new(op, rules, How::Slices { axis: d, batch: 0, index }, array, result))
    }

    /// Those of [`ops::gather_axis`].
    pub(super) fn rows(array: &[usize], axis: i64, batch: i64, index: AnyView<'a>, rules: &Rules) -> Result<Self> {
        let rules = open(rules);
        let (axis, batch, result) = gather_axis_shape(&form(array)?, &index, axis, batch, &rules)?;
        Ok(Places::new(Op::GatherAxis, rules, How::Slices { axis, batch, index }, array, result))
    }

    /// Those of [`ops::take`] and [`ops::put`].
    pub(super) fn flat(op: Op, array: &[usize], index: AnyView<'a>, rules: &Rules) -> Result<Self> {
        let rules = open(rules);
        take::check(op, &form(array)?, &index, &rules)?;
        let result = Dims::from_slice(index.shape());
        Ok(Places::new(op, rules, How::Flat { index }, array, result))
    }

    /// Those of [`ops::gather_nd`] and [`ops::scatter_nd`].
    pub(super) fn tuples(op: Op, array: &[usize], batch: usize, index: AnyView<'a>, rules: &Rules) -> Result<Self> {
        let rules = open(rules);
        let result = nd::result_shape(op, array, &index, batch, &rules)?;
        Ok(Places::new(op, rules, How::Tuples { batch, index }, array, result))
    }

    /// Those of the `masked_*` family; the mask broadcasts to the array.
    pub(super) fn mask(op: Op, array: &[usize], mask: &AnyView<'a>, rules: &Rules) -> Result<Self> {
        let layout = mask.layout().broadcast_to(op, array).map_err(|e| e.in_words(rules.words))?;
        let mask = mask.rearranged(0, layout);
        let result = smallvec::smallvec![count(&mask)];
        Ok(Places::new(op, open(rules), How::Mask { mask }, array, result))
    }

    /// Those of a subscript.
    pub(super) fn items(op: Op, array: &[usize], items: &'a [Index<'a>], rules: &Rules) -> Result<Self> {
        let (rules, (layout, dtype)) = (open(rules), form(array)?);
        let result = normalize(op, &layout, dtype.size(), items, &rules)?.shape();
        Ok(Places::new(op, rules, How::Items(items), array, result))
    }

    /// The shape of what is read or stored.
    pub(super) fn result(&self) -> &[usize] {
        &self.result
    }

    /// Fails unless a gradient has the shape it is the gradient of.
    pub(super) fn check(&self, g: &AnyView, shape: &[usize]) -> Result<()> {
        if g.shape() == shape {
            return Ok(());
        }
        let shapes = [("gradient", g.shape()), ("result", shape)];
        Err(self.rules.fail(Fault::shape(self.op, ShapeRule::Out, 0, &shapes)))
    }

    /// Runs `verb` with the plan between arrays of these layouts.
    fn with_plan(
        &self,
        x: &impl Form,
        linear: &Layout,
        verb: impl FnOnce(&Plan, &[AnyView]) -> Result<()>,
    ) -> Result<()> {
        let (op, rules) = (self.op, &self.rules);
        match &self.how {
            How::Along { axis, index } => {
                verb(&plan_along(op, x, *axis, index, linear, rules)?, std::slice::from_ref(index))
            }
            How::Slices { axis, batch, index } => {
                let size = x.dtype().size();
                let x = (lifted_layout(x).into_owned(), x.dtype());
                let linear = if linear.rank() == 0 { &linear.unsqueeze(0, size) } else { linear };
                verb(&plan_axis(op, &x, index, *axis, *batch, linear, rules)?, std::slice::from_ref(index))
            }
            How::Flat { index } => verb(&take::plan_flat(op, x, index, linear, rules)?, std::slice::from_ref(index)),
            How::Tuples { batch, index } => {
                let (parts, tuples) = (nd::components(index), &index.shape()[..index.rank() - 1]);
                verb(&nd::plan(op, x, &parts, tuples, *batch, linear, rules)?, &parts)
            }
            How::Mask { mask } => {
                let step = linear.strides().first().copied().unwrap_or(0);
                let mut b = Builder::new(op, rules, x.layout(), linear, x.dtype().size());
                b.select(mask.layout(), x.layout().strides(), self.result[0], step);
                verb(&b.build()?, std::slice::from_ref(mask))
            }
            How::Items(items) => {
                let n = normalize(op, x.layout(), x.dtype().size(), items, rules)?;
                let plan = get::plan(op, &n, x.layout(), linear, x.dtype().size(), rules)?;
                verb(&plan, &get::index_operands(&n))
            }
        }
    }

    /// The addressed elements of `x`.
    pub(super) fn read(&self, x: &AnyView) -> Result<Tensor> {
        fresh(&self.result, x.dtype(), |out| {
            let (x, mut out) = self.sides(x, out);
            self.with_plan(&x, &out.layout().clone(), |plan, operands| exec::read(plan, &x, operands, &mut out))
        })
    }

    /// Slices of a 0-d array are those of a vector of one.
    fn sides<'v>(&self, x: &AnyView<'v>, out: &'v mut AnyViewMut) -> (AnyView<'v>, AnyViewMut<'v>) {
        match self.how {
            How::Slices { .. } => (lifted(x).into_owned(), ops::lifted_mut(out)),
            _ => (x.clone(), out.reborrow()),
        }
    }

    /// Stores values that broadcast to the result's shape.
    pub(super) fn store(&self, dst: &mut AnyViewMut, values: Source) -> Result<()> {
        self.put(dst, values, exec::write)
    }

    /// Combines values that broadcast to the result's shape.
    pub(super) fn combine(&self, dst: &mut AnyViewMut, values: Source, how: Reduce, include_self: bool) -> Result<()> {
        self.put(dst, values, |plan, values, operands, dst| {
            exec::accumulate(plan, values, operands, dst, how, include_self)
        })
    }

    fn put(
        &self,
        dst: &mut AnyViewMut,
        values: Source,
        verb: impl FnOnce(&Plan, &AnyView, &[AnyView], &mut AnyViewMut) -> Result<()>,
    ) -> Result<()> {
        let mut keep = ops::Kept::default();
        let values = ops::stored(self.op, dst.dtype(), &values, &self.rules, &mut keep)?;
        let layout = values.layout().broadcast_to(self.op, &self.result)?;
        let (values, mut dst) = self.sides(&values.rearranged(0, layout), dst);
        let form = (dst.layout().clone(), dst.dtype());
        self.with_plan(&form, values.layout(), |plan, operands| verb(plan, &values, operands, &mut dst))
    }

    /// The gradient of a read: zeros with `g` added at the places, in index order.
    pub(super) fn scattered(&self, g: &AnyView) -> Result<Tensor> {
        self.check(g, &self.result)?;
        fresh(&self.array, g.dtype(), |out| self.combine(out, g.into(), Reduce::Sum, true))
    }

    /// The gradient a store leaves to what it overwrote: `g` with zeros at the places.
    pub(super) fn cleared(&self, g: &AnyView) -> Result<Tensor> {
        self.check(g, &self.array)?;
        ops::copied(g, |out| self.store(out, 0.into()))
    }

    /// The gradient of stored values, each of which had a place of its own or lost it to a later one: `g` at the
    /// places, 0 for losers.
    pub(super) fn survived(&self, g: &AnyView) -> Result<Tensor> {
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
        let basic = |items: &[Index]| !items.iter().any(|i| matches!(i, Index::Array(_) | Index::Tensor(_)));
        match &self.how {
            How::Mask { .. } => return Ok(None),
            How::Items(items) if basic(items) => return Ok(None),
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
