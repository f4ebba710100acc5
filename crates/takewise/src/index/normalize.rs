//! A subscript against a shape: no ellipsis, no negative bounds, no mask beside other arrays, and the place
//! of every result axis decided.
//!
//! Two passes over a list of *slots*, one per axis still there. The first walks the items left to right with
//! a cursor: integers select, slices narrow, `None` and bool scalars insert, arrays and masks mark the slots
//! they index. The second turns masks into index arrays where they must broadcast with others, broadcasts,
//! and reads the result axes off the slots: if the marked slots are adjacent the broadcast axes stand in
//! their place, else in front. What counts as marked is the whole difference between torch and NumPy: under
//! [`LoneInt::JoinsArrays`] a selected integer leaves a marked slot behind and under
//! [`Rules::ellipsis_splits`] an ellipsis of no axes a gap; in torch neither leaves a trace
//! (SEMANTICS.md, Placement of index axes).

use super::Item;
use super::mask::{self, check_masks, consumes, is_mask};
use super::slice::{check_step, narrowed};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Error, Fault, OutOfRange, Result, ShapeRule};
use crate::layout::{Dims, Layout, Slice, broadcast_shapes, broadcast_strides, product};
use crate::op::Op;
use crate::rules::{Empty, FalseIndex, LoneInt, Outside, Rules};
use crate::view::AnyView;
use smallvec::SmallVec;

/// A subscript in normal form: what a plan is built from.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Op, index::normalize};
/// let x = Tensor::zeros(&[2, 3, 4], DType::I32)?;
/// let items = ix![.., &[2usize, 0]];
/// let n = normalize(Op::Index, x.layout(), 4, &items, &Rules::NEUTRAL)?;
/// assert_eq!((&n.shape()[..], n.advanced, n.arrays.len()), (&[2, 2, 4][..], true, 1));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct Normalized<'a> {
    /// Byte offset of the first element after integers and slices. If the result is empty it may lie outside
    /// the array, as torch's storage offset does.
    pub offset: isize,
    /// The result axes in order.
    pub dims: Dims<Dim>,
    /// Broadcast shape of the index arrays (`[count]` for a lone mask); empty if there are none.
    pub index_shape: Dims<usize>,
    /// One per indexed axis, in subscript order; a mask of rank k beside other arrays gives k.
    pub arrays: Vec<ArrayAxis<'a>>,
    /// Set when one mask is the only index array: kept whole, never listed.
    pub mask: Option<MaskAxes<'a>>,
    /// Whether arrays, masks or bool scalars take part; if not, the result is a view.
    pub advanced: bool,
    forgiving: bool,
}

/// One axis of the result.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Op, index::normalize};
/// let x = Tensor::zeros(&[2, 3, 4], DType::I32)?;
/// let items = ix![.., &[2usize, 0]];
/// let n = normalize(Op::Index, x.layout(), 4, &items, &Rules::NEUTRAL)?;
/// assert_eq!((n.dims[0].extent, n.dims[0].step, n.dims[0].axis), (2, 48, Some(0)));
/// assert_eq!((n.dims[1].index, n.dims[1].axis), (Some(0), None));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    /// Its extent.
    pub extent: usize,
    /// Bytes per step on the indexed array; 0 for axes of the index arrays or mask.
    pub step: isize,
    /// `Some(b)`: axis `b` of [`Normalized::index_shape`].
    pub index: Option<usize>,
    /// The axis of the indexed array it came from; `None` for inserted and index axes.
    pub axis: Option<usize>,
}

/// An axis of the indexed array under the control of an index operand.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Op, index::normalize};
/// let x = Tensor::zeros(&[2, 3, 4], DType::I32)?;
/// let items = ix![.., &[2usize, 0]];
/// let n = normalize(Op::Index, x.layout(), 4, &items, &Rules::NEUTRAL)?;
/// assert_eq!((n.arrays[0].axis, n.arrays[0].len, n.arrays[0].step), (1, 3, 16));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct ArrayAxis<'a> {
    /// The axis of the indexed array.
    pub axis: usize,
    /// How manieth index array this is (a mask of rank k counts k, a bool scalar 1).
    pub ordinal: usize,
    /// Length of the axis.
    pub len: usize,
    /// Bytes per step along it.
    pub step: isize,
    /// The index values, in the operand's own shape.
    pub values: IndexValues<'a>,
    /// Byte steps of the values for each axis of [`Normalized::index_shape`]; 0 where they are stretched.
    pub steps: Dims<isize>,
}

/// Index values: the caller's array, or positions listed here.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Op, index::normalize};
/// let x = Tensor::zeros(&[2, 3, 4], DType::I32)?;
/// let items = ix![.., &[2usize, 0]];
/// let n = normalize(Op::Index, x.layout(), 4, &items, &Rules::NEUTRAL)?;
/// assert_eq!(n.arrays[0].values.view().dtype().size(), size_of::<usize>());
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub enum IndexValues<'a> {
    /// An integer array of any dtype and layout.
    View(AnyView<'a>),
    /// Positions of a mask that stands beside other arrays.
    Positions(Vec<i64>),
}

impl IndexValues<'_> {
    /// The values as a view.
    pub fn view(&self) -> AnyView<'_> {
        match self {
            IndexValues::View(v) => v.clone(),
            IndexValues::Positions(p) => p.into(),
        }
    }
}

/// The axes a lone mask covers.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Op, index::normalize};
/// let x = Tensor::zeros(&[2, 3, 4], DType::I32)?;
/// let mask = [true, false];
/// let items = ix![&mask];
/// let n = normalize(Op::Index, x.layout(), 4, &items, &Rules::NEUTRAL)?;
/// let mask = n.mask.unwrap();
/// assert_eq!((mask.axis, mask.count, &mask.steps[..]), (0, 1, &[48][..]));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct MaskAxes<'a> {
    /// The first axis of the indexed array covered.
    pub axis: usize,
    /// `bool` or `u8` bytes; nonzero selects.
    pub mask: AnyView<'a>,
    /// Byte steps of the indexed array, one per mask axis.
    pub steps: Dims<isize>,
    /// How many elements it selected when it was counted.
    pub count: usize,
}

impl Normalized<'_> {
    /// The result's shape.
    pub fn shape(&self) -> Dims<usize> {
        self.dims.iter().map(|d| d.extent).collect()
    }

    /// Whether out-of-range values are ignored because the result is empty anyway ([`Empty::Forgives`]).
    pub fn forgives(&self) -> bool {
        self.forgiving && self.dims.iter().any(|d| d.extent == 0)
    }

    /// Byte offset and layout of the result, for [`Normalized::advanced`] `== false`: no data is moved.
    pub fn view(&self) -> (isize, Layout) {
        (self.offset, Layout::derived(self.shape(), self.dims.iter().map(|d| d.step).collect()))
    }
}

/// What a slot is to the placement of the index axes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// An axis of the result.
    Kept,
    /// Controlled by an index array.
    Indexed,
    /// Left behind by an integer that joins the arrays.
    Gone,
    /// Left behind by an ellipsis of no axes.
    Gap,
}

#[derive(Clone, Copy)]
struct Slot {
    extent: usize,
    step: isize,
    /// `usize::MAX` for inserted axes.
    axis: usize,
    mark: Mark,
}

impl Slot {
    /// Whether a reader would still count it as an axis.
    fn counts(&self) -> bool {
        matches!(self.mark, Mark::Kept | Mark::Indexed)
    }
}

const INSERTED: usize = usize::MAX;

/// An index array, mask or bool scalar met by the first pass, and the first slot it controls.
#[derive(Clone, Copy)]
enum Record<'i, 'a> {
    Array(&'i AnyView<'a>, usize),
    Mask(&'i AnyView<'a>, usize),
    Bool(bool),
    /// An integer that the rules neither reject nor place: its elements are fill, or dropped.
    Outside(i64, Slot),
}

struct FirstPass<'i, 'a> {
    op: Op,
    rules: &'i Rules,
    itemsize: usize,
    /// Axes an ellipsis stands for.
    missing: usize,
    slots: Dims<Slot>,
    at: usize,
    offset: isize,
    records: SmallVec<[Record<'i, 'a>; 2]>,
    copies: bool,
}

/// Puts a subscript into normal form.
///
/// `layout` is the indexed array's and `itemsize` its bytes per element (the stride of an axis inserted at
/// the end). Index values are not read, except those of 0-d arrays, which are integers or bools; masks are
/// counted. Cost: a few hundred nanoseconds without masks, no allocation for plain subscripts of rank <= 4.
///
/// Errors, in this order: a second ellipsis (kind `Argument`); too many indices (kind `Shape`); left to right, an
/// integer outside its axis (kind `OutOfRange`), a zero or refused step (kind `Argument`); an index dtype the rules do
/// not accept (kind `DType`); a mask whose extents differ from the axes it covers, arrays that do not
/// broadcast, an axis of size 0 with something to index (kind `Shape`). See SEMANTICS.md, Subscript checks.
pub fn normalize<'a, T>(
    op: Op,
    layout: &Layout,
    itemsize: usize,
    items: &[Item<AnyView<'a>, T>],
    rules: &Rules,
) -> Result<Normalized<'a>> {
    let ellipses = items.iter().filter(|item| matches!(item, Item::Ellipsis)).count();
    if ellipses > 1 && !rules.many_ellipses {
        return Err(rules.fail(Fault::argument(op, ArgumentRule::ManyEllipses, &[])));
    }
    let consumed: usize = items.iter().map(|item| consumes(item, rules)).sum();
    let rank = layout.rank();
    if consumed > rank {
        // A single integer or slice on a 0-d array has words of its own in torch.
        let value;
        let (rule, dim, given): (_, _, &[(&'static str, &[usize])]) = match items {
            [Item::Int(i)] if rank == 0 => {
                value = [i.unsigned_abs() as usize];
                let sign = if *i < 0 { "minus" } else { "value" };
                (ShapeRule::ZeroDimIndex, 0, &[("array", layout.shape()), (sign, &value)])
            }
            [Item::Range(_)] if rank == 0 => (ShapeRule::ZeroDimIndex, 1, &[("array", layout.shape())]),
            _ => (ShapeRule::TooMany, consumed, &[("array", layout.shape())]),
        };
        return Err(rules.fail(Fault::shape(op, rule, dim, given)));
    }
    if rules.masks_first {
        check_masks(op, layout.shape(), items, rank - consumed, rules)?;
    }
    let axes = layout.shape().iter().zip(layout.strides()).enumerate();
    let slots = axes.map(|(axis, (&extent, &step))| Slot { extent, step, axis, mark: Mark::Kept }).collect();
    let mut cursor = FirstPass {
        op,
        rules,
        itemsize,
        missing: rank - consumed,
        slots,
        at: 0,
        offset: 0,
        records: SmallVec::new(),
        copies: false,
    };
    for (k, item) in items.iter().enumerate() {
        cursor.item(k, item)?;
    }
    cursor.finish()
}

impl<'i, 'a> FirstPass<'i, 'a> {
    fn item<T>(&mut self, k: usize, item: &'i Item<AnyView<'a>, T>) -> Result<()> {
        match item {
            Item::Int(i) => self.int(k, *i as i128),
            Item::Range(slice) => self.slice(slice),
            Item::NewAxis => {
                let next = self.slots.get(self.at..).unwrap_or(&[]).iter().find(|s| s.counts());
                let step = match next {
                    Some(s) => isize::try_from(s.extent).ok().and_then(|n| n.checked_mul(s.step)).unwrap_or(0),
                    None => self.itemsize as isize,
                };
                self.insert(Slot { extent: 1, step, axis: INSERTED, mark: Mark::Kept })
            }
            Item::Ellipsis => {
                if self.missing == 0 && self.rules.ellipsis_splits {
                    return self.insert(Slot { extent: 1, step: 0, axis: INSERTED, mark: Mark::Gap });
                }
                self.at += self.missing;
                Ok(())
            }
            Item::Bool(b) => self.bool(*b),
            Item::Tensor(_) => {
                let text = "a tensor must be opened for reading before it can index";
                Err(self.rules.fail(Fault::text(self.op, ArgumentRule::Other, text)))
            }
            Item::Array(v) if v.rank() == 0 && is_mask(v, self.rules) => {
                self.bool(v.bytes_at(&[]).is_some_and(|b| b[0] != 0))
            }
            Item::Array(v) if v.rank() == 0 && v.dtype().is_integer() => {
                // NumPy copies what a 0-d array selects: it is an index array, if one without axes.
                self.copies |= self.rules.lone_int == LoneInt::JoinsArrays;
                self.int(k, read_int(v))
            }
            Item::Array(v) => {
                let mask = is_mask(v, self.rules);
                let n = if mask { v.rank() } else { 1 };
                let Some(slots) = self.slots.get_mut(self.at..self.at + n) else {
                    // Only a repeated ellipsis leads here.
                    let given = self.at + n;
                    let shapes: &[(&'static str, &[usize])] = &[("array", &self.sizes()), ("given", &[given])];
                    return Err(self.rules.fail(Fault::shape(self.op, ShapeRule::TooMany, given, shapes)));
                };
                slots.iter_mut().for_each(|s| s.mark = Mark::Indexed);
                let record = if mask { Record::Mask(v, self.at) } else { Record::Array(v, self.at) };
                self.records.push(record);
                self.at += n;
                Ok(())
            }
        }
    }

    #[inline]
    fn insert(&mut self, slot: Slot) -> Result<()> {
        if self.at > self.slots.len() {
            let fault = Fault::Dim { op: self.op, dim: self.at as i64, rank: self.slots.len() + 1 };
            return Err(self.rules.fail(fault));
        }
        self.slots.insert(self.at, slot);
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn bool(&mut self, value: bool) -> Result<()> {
        if !value && self.rules.assign.false_index == FalseIndex::Refuse {
            return Err(self.rules.fail(Fault::argument(self.op, ArgumentRule::FalseIndex, &[])));
        }
        self.insert(Slot { extent: 1, step: 0, axis: INSERTED, mark: Mark::Indexed })?;
        self.records.push(Record::Bool(value));
        Ok(())
    }

    #[inline]
    fn int(&mut self, k: usize, value: i128) -> Result<()> {
        let slot = self.slots.get(self.at).copied();
        let slot = slot.unwrap_or(Slot { extent: 0, step: 0, axis: self.at, mark: Mark::Kept });
        match self.rules.place(value, slot.extent) {
            Some(i) => self.offset = self.offset.wrapping_add((i as isize).wrapping_mul(slot.step)),
            None if matches!(self.rules.outside, Outside::Fill | Outside::Drop) && self.at < self.slots.len() => {
                let value = value.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
                self.records.push(Record::Outside(value, slot));
            }
            None => {
                let fault = OutOfRange {
                    op: self.op,
                    axis: slot.axis,
                    ordinal: k,
                    len: slot.extent,
                    value,
                    position: None,
                    bad: 1,
                    total: 1,
                    from_end: self.rules.sign == super::rules::Sign::FromEnd,
                    shape: self.sizes(),
                    tuple: Vec::new(),
                };
                return Err(self.rules.fail(Fault::IntOutOfRange(fault)));
            }
        }
        match self.rules.lone_int {
            LoneInt::SelectsFirst => {
                self.slots.remove(self.at);
            }
            LoneInt::JoinsArrays => {
                self.slots[self.at].mark = Mark::Gone;
                self.at += 1;
            }
        }
        Ok(())
    }

    #[inline]
    fn slice(&mut self, slice: &Slice) -> Result<()> {
        check_step(self.op, slice, self.rules)?;
        // Past the last axis a slice narrows nothing; only a repeated ellipsis leads there.
        if let Some(slot) = self.slots.get_mut(self.at).filter(|_| *slice != Slice::ALL) {
            let (offset, extent, step) = narrowed(slice, slot.extent, slot.step);
            self.offset = self.offset.wrapping_add(offset);
            (slot.extent, slot.step) = (extent, step);
        }
        self.at += 1;
        Ok(())
    }

    /// Extents of the slots a reader would still count as axes.
    fn sizes(&self) -> Dims<usize> {
        self.slots.iter().filter(|s| s.counts()).map(|s| s.extent).collect()
    }

    #[inline]
    fn finish(mut self) -> Result<Normalized<'a>> {
        let records = std::mem::take(&mut self.records);
        let advanced = self.copies || !records.is_empty();
        let mut arrays = Vec::new();
        let mut mask = None;
        let mut index_shape = Dims::new();
        if !records.is_empty() {
            for record in &records {
                match *record {
                    Record::Array(v, _) => self.rules.check_index(self.op, v.dtype())?,
                    Record::Mask(v, _) if v.dtype() == DType::U8 => self.rules.check_index(self.op, DType::U8)?,
                    _ => {}
                }
            }
            (arrays, mask, index_shape) = self.broadcast(records)?;
        }
        let dims = self.place(&index_shape, advanced);
        let forgiving = self.rules.empty == Empty::Forgives;
        Ok(Normalized { offset: self.offset, dims, index_shape, arrays, mask, advanced, forgiving })
    }

    fn check_mask(&self, mask: &AnyView<'_>, first: usize) -> Result<()> {
        for (d, (&n, slot)) in mask.shape().iter().zip(&self.slots[first..]).enumerate() {
            if !self.rules.mask_fits(n, slot.extent) {
                let before = self.slots[..first].iter().filter(|s| s.counts());
                let axis = before.count() + d;
                let shapes: &[(&'static str, &[usize])] =
                    &[("mask", mask.shape()), ("array", &self.sizes()), ("axis", &[axis]), ("real axis", &[slot.axis])];
                return Err(self.rules.fail(Fault::shape(self.op, ShapeRule::Mask, d, shapes)));
            }
        }
        Ok(())
    }

    fn broadcast(
        &self,
        records: SmallVec<[Record<'i, 'a>; 2]>,
    ) -> Result<(Vec<ArrayAxis<'a>>, Option<MaskAxes<'a>>, Dims<usize>)> {
        for record in &records {
            if let Record::Mask(mask, first) = *record {
                self.check_mask(mask, first)?;
            }
        }
        let lone = records.iter().filter(|r| !matches!(r, Record::Bool(true))).count() == 1;
        let mut arrays = Vec::with_capacity(records.len());
        let mut shapes: SmallVec<[Dims<usize>; 3]> = SmallVec::new();
        let mut ordinal = 0;
        for record in records {
            let axis = |slot: &Slot, values, ordinal| ArrayAxis {
                axis: slot.axis,
                ordinal,
                len: slot.extent,
                step: slot.step,
                values,
                steps: Dims::new(),
            };
            match record {
                Record::Bool(b) => {
                    shapes.push(smallvec::smallvec![b as usize]);
                    ordinal += 1;
                }
                Record::Array(v, slot) => {
                    shapes.push(Dims::from_slice(v.shape()));
                    arrays.push(axis(&self.slots[slot], IndexValues::View(v.clone()), ordinal));
                    ordinal += 1;
                }
                Record::Outside(value, slot) => {
                    arrays.push(axis(&slot, IndexValues::Positions(vec![value]), ordinal));
                }
                Record::Mask(mask, first) if lone => {
                    let covered = &self.slots[first..first + mask.rank()];
                    let count = mask::count(mask);
                    let steps = covered.iter().map(|s| s.step).collect();
                    let axes = MaskAxes { axis: covered[0].axis, mask: mask.clone(), steps, count };
                    return Ok((Vec::new(), Some(axes), smallvec::smallvec![count]));
                }
                Record::Mask(mask, first) => {
                    for (d, list) in mask::positions(mask)?.into_iter().enumerate() {
                        shapes.push(smallvec::smallvec![list.len()]);
                        arrays.push(axis(&self.slots[first + d], IndexValues::Positions(list), ordinal));
                        ordinal += 1;
                    }
                }
            }
        }
        let target = broadcast_shapes(shapes.iter().map(|s| s.as_slice())).map_err(|d| {
            let named: Vec<(&'static str, &[usize])> = shapes.iter().map(|s| ("index", s.as_slice())).collect();
            self.rules.fail(Fault::shape(self.op, ShapeRule::Broadcast, d, &named))
        })?;
        let count = product(&target).ok_or_else(|| Error::plain(Fault::Memory { op: self.op, bytes: None }))?;
        for array in &mut arrays {
            let outside = matches!(&array.values, IndexValues::Positions(p) if p.len() == 1);
            let steps = match &array.values {
                _ if outside => Some(smallvec::smallvec![0; target.len()]),
                IndexValues::View(v) => broadcast_strides(v.shape(), v.layout().strides(), &target),
                IndexValues::Positions(p) => broadcast_strides(&[p.len()], &[8], &target),
            };
            array.steps = steps.unwrap_or_default();
            // Where values are checked anyway the first of them is reported instead, with its position.
            let nowhere = match self.rules.outside {
                Outside::Raise => self.rules.empty == Empty::Forgives,
                Outside::Clip | Outside::Wrap => true,
                _ => false,
            };
            if array.len == 0 && count > 0 && nowhere {
                let fault = Fault::shape(self.op, ShapeRule::EmptyAxis, array.axis, &[("array", &self.sizes())]);
                return Err(self.rules.fail(fault));
            }
        }
        Ok((arrays, None, target))
    }

    /// Result axes in order: the kept slots, and the index axes where the marked slots stand if those are
    /// adjacent, else in front.
    fn place(&self, index_shape: &[usize], advanced: bool) -> Dims<Dim> {
        let index = index_shape.iter().enumerate();
        let index = index.map(|(b, &extent)| Dim { extent, step: 0, index: Some(b), axis: None });
        let mut dims: Dims<Dim> = Dims::new();
        if advanced {
            let marked = |s: &Slot| matches!(s.mark, Mark::Indexed | Mark::Gone);
            let first = self.slots.iter().position(marked).unwrap_or(0);
            let last = self.slots.iter().rposition(marked).unwrap_or(0);
            let adjacent = self.slots[first..].iter().take(last + 1 - first).all(marked);
            let before = self.slots[..if adjacent { first } else { 0 }].iter();
            dims.extend(before.filter_map(kept));
            let lead = dims.len();
            dims.extend(index);
            dims.extend(self.slots.iter().filter_map(kept).skip(lead));
        } else {
            dims.extend(self.slots.iter().filter_map(kept));
        }
        dims
    }
}

fn kept(slot: &Slot) -> Option<Dim> {
    let axis = (slot.axis != INSERTED).then_some(slot.axis);
    (slot.mark == Mark::Kept).then_some(Dim { extent: slot.extent, step: slot.step, index: None, axis })
}

/// The value of a 0-d integer array.
fn read_int(v: &AnyView<'_>) -> i128 {
    let b = v.bytes_at(&[]).unwrap_or_default();
    let wide = u64::from_ne_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
    match v.dtype() {
        DType::U8 => b[0] as i128,
        DType::I8 => b[0] as i8 as i128,
        DType::U16 => u16::from_ne_bytes([b[0], b[1]]) as i128,
        DType::I16 => i16::from_ne_bytes([b[0], b[1]]) as i128,
        DType::U32 => u32::from_ne_bytes([b[0], b[1], b[2], b[3]]) as i128,
        DType::I32 => i32::from_ne_bytes([b[0], b[1], b[2], b[3]]) as i128,
        DType::U64 => wide as i128,
        _ => wide as i64 as i128,
    }
}
