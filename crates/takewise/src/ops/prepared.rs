//! Plans that are kept: the same index operands used on many arrays, forward and backward.
//!
//! A [`Prepared`] owns a private copy of its index operands and has checked every value once, so later runs
//! skip the pass that looks for bad values before a write. They are still resolved block by block through the
//! same checks, so nothing here is trusted with memory safety.

use super::gather::{gather_axis_shape, gather_shape};
use super::{Source, copy, fresh, nd, take};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Fault, Result, ShapeRule};
use crate::exec::{self, Reduce};
use crate::index::mask::count;
use crate::index::rules::Rules;
use crate::layout::{Dims, Layout};
use crate::op::Op;
use crate::plan::{Address, Between, Plan};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut, Form};

/// A checked, normalised operation for inputs of one shape, ready to run on many arrays.
///
/// The array's strides and dtype may differ from run to run; the plan for contiguous arrays of the prepared dtype
/// is kept, another layout gets its plan at each call. `read` gathers; [`Prepared::accumulate`] with
/// [`Reduce::Sum`] into zeros is its gradient; [`Prepared::write`] stores.
///
/// ```
/// use takewise::{ops::Prepared, DType, Reduce, Rules, View};
/// let index = [1i64, 1, 0];
/// let rows = Prepared::take_axis(&[2, 2], DType::F32, 0, &View::from(&index[..]), &Rules::NEUTRAL).unwrap();
/// let x = [1f32, 2., 3., 4.];
/// let got = rows.read(&View::new(&x, &[2, 2]).unwrap()).unwrap();
/// assert_eq!(got.to_vec::<f32>().unwrap(), [3., 4., 3., 4., 1., 2.]);
/// let mut grad = [0f32; 4];
/// let ones = [1f32; 6];
/// let mut into = takewise::ViewMut::new(&mut grad, &[2, 2]).unwrap().into();
/// rows.accumulate(&View::new(&ones, &[3, 2]).unwrap(), &mut into, Reduce::Sum).unwrap();
/// assert_eq!(grad, [1., 1., 2., 2.]);
/// ```
pub struct Prepared {
    op: Op,
    address: Address,
    rules: Rules,
    input: Dims<usize>,
    result: Dims<usize>,
    dtype: DType,
    index: Tensor,
    plan: Plan,
}

impl Prepared {
    /// [`super::gather`] for inputs of shape `input`.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let index = View::new(&[2usize, 0], &[2, 1])?;
    /// let firsts = Prepared::gather(&[2, 3], DType::I32, 1, &index, &Rules::NEUTRAL)?;
    /// assert_eq!(firsts.read(&View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?)?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn gather<'a>(
        input: &[usize],
        dtype: DType,
        axis: i64,
        index: impl Into<AnyView<'a>>,
        rules: &Rules,
    ) -> Result<Prepared> {
        let index = index.into();
        let (at, result) = gather_shape(Op::Gather, &shaped(input, dtype)?, axis, &index, rules)?;
        Prepared::new(Op::Gather, at, input, dtype, result, &index, rules)
    }

    /// [`super::gather_axis`] for inputs of shape `input`.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let index = View::new(&[1usize, 0], &[2, 1])?;
    /// let paired = Prepared::gather_axis(&[2, 2], DType::I32, 1, &index, 1, &Rules::NEUTRAL)?;
    /// assert_eq!(paired.read(&View::new(&[1, 2, 3, 4], &[2, 2])?)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn gather_axis<'a>(
        input: &[usize],
        dtype: DType,
        axis: i64,
        index: impl Into<AnyView<'a>>,
        batch_dims: i64,
        rules: &Rules,
    ) -> Result<Prepared> {
        let index = index.into();
        let (at, result) = gather_axis_shape(&shaped(input, dtype)?, &index, axis, batch_dims, rules)?;
        Prepared::new(Op::GatherAxis, at, input, dtype, result, &index, rules)
    }

    /// [`super::take_axis`] for inputs of shape `input`.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let rows = Prepared::take_axis(&[2, 2], DType::I32, 0, &[1usize], &Rules::NEUTRAL)?;
    /// assert_eq!(rows.read(&View::new(&[1, 2, 3, 4], &[2, 2])?)?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn take_axis<'a>(
        input: &[usize],
        dtype: DType,
        axis: i64,
        index: impl Into<AnyView<'a>>,
        rules: &Rules,
    ) -> Result<Prepared> {
        Prepared::gather_axis(input, dtype, axis, index, 0, rules)
    }

    /// [`super::take`] for inputs of shape `input`.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let ends = Prepared::take(&[3], DType::I32, &[0isize, -1], &Rules::NEUTRAL)?;
    /// assert_eq!(ends.read(&[1, 2, 3])?.to_vec::<i32>()?, [1, 3]);
    /// assert_eq!(ends.read(&[4, 5, 6])?.to_vec::<i32>()?, [4, 6]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn take<'a>(input: &[usize], dtype: DType, index: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Prepared> {
        let index = index.into();
        take::check(Op::Take, &shaped(input, dtype)?, &index, rules)?;
        Prepared::new(Op::Take, Address::Flat, input, dtype, Dims::from_slice(index.shape()), &index, rules)
    }

    /// [`super::gather_nd`] for inputs of shape `input`.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let points = View::new(&[1usize, 0, 0, 1], &[2, 2])?;
    /// let at = Prepared::gather_nd(&[2, 2], DType::I32, &points, 0, &Rules::NEUTRAL)?;
    /// assert_eq!(at.read(&View::new(&[1, 2, 3, 4], &[2, 2])?)?.to_vec::<i32>()?, [3, 2]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn gather_nd<'a>(
        input: &[usize],
        dtype: DType,
        index: impl Into<AnyView<'a>>,
        batch_dims: usize,
        rules: &Rules,
    ) -> Result<Prepared> {
        let index = index.into();
        let result = nd::result_shape(Op::GatherNd, input, &index, batch_dims, rules)?;
        Prepared::new(Op::GatherNd, Address::Nd { batch: batch_dims }, input, dtype, result, &index, rules)
    }

    /// [`super::masked_select`] for inputs of the mask's shape.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let chosen = Prepared::masked_select(DType::I32, &[true, false, true], &Rules::NEUTRAL)?;
    /// assert_eq!(chosen.read(&[1, 2, 3])?.to_vec::<i32>()?, [1, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn masked_select<'a>(dtype: DType, mask: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Prepared> {
        let mask = mask.into();
        super::masked::check_mask(Op::MaskedSelect, &mask, rules)?;
        let result = smallvec::smallvec![count(&mask)];
        Prepared::new(Op::MaskedSelect, Address::Mask, mask.shape(), dtype, result, &mask, rules)
    }

    fn new(
        op: Op,
        address: Address,
        input: &[usize],
        dtype: DType,
        result: Dims<usize>,
        index: &AnyView,
        rules: &Rules,
    ) -> Result<Prepared> {
        let mut index = copy(index)?;
        let Some(view) = index.unique_view() else {
            return Err(rules.fail(Fault::Busy { op: Op::Prepare, writing: false }));
        };
        let (indexed, linear) = (Layout::contiguous(input, dtype.size())?, Layout::contiguous(&result, dtype.size())?);
        let between = Between { indexed: &indexed, linear: &linear, size: dtype.size() };
        let mut plan = address.with_plan(op, rules, std::slice::from_ref(&view), between, |plan, operands| {
            exec::check(plan, operands)?;
            Ok(plan.clone())
        })?;
        plan.trust_indices();
        Ok(Prepared { op, address, rules: *rules, input: Dims::from_slice(input), result, dtype, index, plan })
    }

    /// The rules it was prepared with.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The shape inputs have.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let rows = Prepared::take_axis(&[4, 3], DType::F32, 0, &[1usize, 0], &Rules::NEUTRAL)?;
    /// assert_eq!(rows.input_shape(), [4, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn input_shape(&self) -> &[usize] {
        &self.input
    }

    /// The shape results, and the values of writes, have.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let rows = Prepared::take_axis(&[4, 3], DType::F32, 0, &[1usize, 0], &Rules::NEUTRAL)?;
    /// assert_eq!(rows.result_shape(), [2, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn result_shape(&self) -> &[usize] {
        &self.result
    }

    /// The plan for contiguous arrays; its `Display` explains it.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let rows = Prepared::take_axis(&[4, 3], DType::F32, 0, &[1usize, 0], &Rules::NEUTRAL)?;
    /// assert!(!rows.plan().to_string().is_empty());
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The plan for these layouts: the kept one, or one made now.
    fn with_plan<R>(
        &self,
        x: &impl Form,
        linear: &impl Form,
        f: impl FnOnce(&Plan, &[AnyView]) -> Result<R>,
    ) -> Result<R> {
        for (name, shape, want) in [("input", x.shape(), &self.input), ("result", linear.shape(), &self.result)] {
            if shape != &want[..] {
                let shapes = [(name, shape), ("prepared", &want[..])];
                return Err(self.rules.fail(Fault::shape(Op::Prepared, ShapeRule::Out, 0, &shapes)));
            }
        }
        if x.dtype() != linear.dtype() {
            let text = format!("arrays of dtype {} and {}", x.dtype().name(), linear.dtype().name());
            return Err(self.rules.fail(Fault::text(Op::Prepared, ArgumentRule::Other, text)));
        }
        let guard = self.index.read_any()?;
        let index = guard.view();
        if self.plan.fits(x, linear, x.dtype().size()) {
            return f(&self.plan, &self.address.operands(&index));
        }
        let between = Between { indexed: x.layout(), linear: linear.layout(), size: x.dtype().size() };
        self.address.with_plan(self.op, &self.rules, std::slice::from_ref(&index), between, |plan, operands| {
            let mut plan = plan.clone();
            plan.trust_indices();
            f(&plan, operands)
        })
    }

    /// Reads the addressed elements of `x` into a fresh tensor of [`Prepared::result_shape`].
    ///
    /// Errors: kind `Shape` if `x` has another shape. Cost: one pass over the result.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let ends = Prepared::take(&[3], DType::I32, &[0usize, 2], &Rules::NEUTRAL)?;
    /// assert_eq!(ends.read(&[1, 2, 3])?.to_vec::<i32>()?, [1, 3]);
    /// assert_eq!(ends.read(&[1, 2]).unwrap_err().kind(), Kind::Shape);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn read<'a>(&self, x: impl Into<AnyView<'a>>) -> Result<Tensor> {
        let x = x.into();
        fresh(&self.result, x.dtype(), |out| self.read_into(&x, out))
    }

    /// [`Prepared::read`] into memory of the result's shape.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let ends = Prepared::take(&[3], DType::I32, &[0usize, 2], &Rules::NEUTRAL)?;
    /// let mut out = [0; 2];
    /// ends.read_into(&[1, 2, 3], &mut (&mut out).into())?;
    /// assert_eq!(out, [1, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn read_into<'a>(&self, x: impl Into<AnyView<'a>>, out: &mut AnyViewMut) -> Result<()> {
        let x = x.into();
        let linear = (out.layout().clone(), out.dtype());
        self.with_plan(&x, &linear, |plan, operands| exec::read(plan, &x, operands, out))
    }

    /// Stores `values`, of [`Prepared::result_shape`] or broadcasting to it, at the addressed places of `dst`. All
    /// or nothing; duplicates by the rules.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let ends = Prepared::take(&[3], DType::I32, &[0usize, 2], &Rules::NEUTRAL)?;
    /// let mut x = [1, 2, 3];
    /// ends.write(&[8, 9], &mut (&mut x).into())?;
    /// assert_eq!(x, [8, 2, 9]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn write<'a>(&self, values: impl Into<Source<AnyView<'a>>>, dst: &mut AnyViewMut) -> Result<()> {
        let mut keep = super::Made::default();
        let values = super::stored(Op::Prepared, dst.dtype(), &values.into(), &self.rules, &mut keep)?;
        self.store(&values, dst, exec::write)
    }

    /// Combines `values` into the addressed places of `dst`, in index order: with [`Reduce::Sum`] and zeros, the
    /// gradient of [`Prepared::read`].
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let places = Prepared::take(&[3], DType::I32, &[0usize, 2, 2], &Rules::NEUTRAL)?;
    /// let mut sums = [0; 3];
    /// places.accumulate(&[1, 2, 3], &mut (&mut sums).into(), Reduce::Sum)?;
    /// assert_eq!(sums, [1, 0, 5]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn accumulate<'a>(
        &self,
        values: impl Into<Source<AnyView<'a>>>,
        dst: &mut AnyViewMut,
        how: Reduce,
    ) -> Result<()> {
        let mut keep = super::Made::default();
        let (values, passage) = super::met(Op::Prepared, dst.dtype(), &values.into(), &self.rules, &mut keep)?;
        self.store(&values, dst, |plan, values, operands, dst| {
            exec::accumulate_through(plan, values, operands, dst, how, true, passage.as_ref())
        })
    }

    fn store(
        &self,
        values: &AnyView,
        dst: &mut AnyViewMut,
        run: impl FnOnce(&Plan, &AnyView, &[AnyView], &mut AnyViewMut) -> Result<()>,
    ) -> Result<()> {
        let layout = values.layout().broadcast_to(Op::Prepared, &self.result)?;
        let values = values.rearranged(0, layout);
        let x = (dst.layout().clone(), dst.dtype());
        let linear = (values.layout().clone(), dst.dtype());
        self.with_plan(&x, &linear, |plan, operands| run(plan, &values, operands, dst))
    }

    /// The dtype whose contiguous arrays run without building a plan.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let rows = Prepared::take_axis(&[4, 3], DType::F32, 0, &[1usize, 0], &Rules::NEUTRAL)?;
    /// assert_eq!(rows.dtype(), DType::F32);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.dtype
    }
}

/// The form of a contiguous array.
fn shaped(shape: &[usize], dtype: DType) -> Result<(Layout, DType)> {
    Ok((Layout::contiguous(shape, dtype.size())?, dtype))
}
