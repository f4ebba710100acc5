//! Calls so small that PyTorch's own kernel is faster than ours, and is jumped to.
//!
//! How many elements a small call has, and what has to be true of it, is data in `python/takewise/_accelerate.py`: the sizes are
//! measured. What our kernels are there for besides speed holds for such calls too. So they are looked at before: index values
//! have to lie inside, memory has to be there, and nothing may be left open about which of several stores counts.

use std::sync::atomic::{AtomicBool, Ordering};

use super::fields::{FIELDS, Fields, Ordinary};
use super::lent;
use super::look::{extent, signs};
use super::stack::{Kind, Parameter};
use super::symbols::{Api, Handle, Word};

/// What a small call of an operator is.
#[derive(Clone, Copy)]
pub(super) struct Small {
    /// The most elements it has.
    most: usize,
    rule: Rule,
}

/// What is counted, and what has to be true.
#[derive(Clone, Copy)]
enum Rule {
    /// Index values at the third place, counted from the start of the axis at the second.
    Along,
    /// The same, and the reduction is a sum.
    Sum,
    /// Index values at the second place into all elements.
    Flat,
    /// The same for stores: of no more than one axis, and PyTorch is not asked to give the same result each time, which it
    /// refuses then.
    Put,
    /// A list of index arrays.
    Keyed,
    /// The same with no more than one axis each, as the order of stores is known there.
    Stored,
    /// The elements of the argument at this place; nothing has to be true.
    Of(usize),
    /// The first argument's, which a mask picks from, and the third has as many.
    Room,
    /// Those sought, at the second place, without an order at the last.
    Sought,
}

/// Elements that one index value names as a whole, from which on PyTorch's own kernel is faster for longer, and how much so.
const SLAB: usize = 64;
const SLABS: usize = 8;

/// Whether small calls are PyTorch's: tests have our kernels answer them too.
static LEFT: AtomicBool = AtomicBool::new(true);

/// Leaves small calls to PyTorch's own kernels, or not.
pub(super) fn leave(small: bool) {
    LEFT.store(small, Ordering::Relaxed);
}

/// Index values are looked at in full, so there are not to be many.
const MOST: usize = 1 << 16;

impl Small {
    /// `None` for a rule of no such name.
    pub(super) fn new(most: usize, rule: &str) -> Option<Small> {
        let rule = match rule {
            "along" => Rule::Along,
            "sum" => Rule::Sum,
            "flat" => Rule::Flat,
            "put" => Rule::Put,
            "keyed" => Rule::Keyed,
            "stored" => Rule::Stored,
            "first" => Rule::Of(0),
            "second" => Rule::Of(1),
            "room" => Rule::Room,
            "sought" => Rule::Sought,
            _ => return None,
        };
        Some(Small { most: most.min(MOST), rule })
    }

    /// Whether PyTorch's own kernel is to have a call.
    ///
    /// # Safety
    /// The words are a call's arguments on the direct road, of the types that the parameters say.
    #[inline]
    pub(super) unsafe fn is(&self, api: &Api, parameters: &[Parameter], words: &[Word]) -> bool {
        let Some(fields) = FIELDS.get().filter(|_| LEFT.load(Ordering::Relaxed)) else { return false };
        // SAFETY: tensors by their types, whose addresses are handles.
        unsafe {
            let call = Call { api, fields, words };
            self.counts(&call).unwrap_or(false) && call.is_there(parameters)
        }
    }

    /// # Safety
    /// As above.
    #[inline]
    unsafe fn counts(&self, call: &Call<'_>) -> Option<bool> {
        let few = |tensor: Ordinary| tensor.numel() <= self.most;
        // SAFETY: the places are those of the operators that have the rule.
        unsafe {
            Some(match self.rule {
                Rule::Along | Rule::Sum => {
                    let (x, index) = (call.tensor(0)?, call.tensor(2)?);
                    let sums = || matches!(self.rule, Rule::Along) || lent::size(call.words[4]) == 3;
                    few(index) && sums() && call.is_inside(index, 0, extent(x, call.words[1] as i64)?)
                }
                Rule::Flat => {
                    let (x, index) = (call.tensor(0)?, call.tensor(1)?);
                    few(index) && call.is_inside(index, x.numel(), x.numel())
                }
                Rule::Put => {
                    let (x, index) = (call.tensor(0)?, call.tensor(1)?);
                    let known = index.rank() <= 1 && !call.api.settled?.is_wanted();
                    known && few(index) && call.is_inside(index, x.numel(), x.numel())
                }
                Rule::Keyed => call.is_keyed(self.most, usize::MAX)?,
                Rule::Stored => call.is_keyed(self.most, 1)?,
                Rule::Of(place) => few(call.tensor(place)?),
                Rule::Room => {
                    let (x, source) = (call.tensor(0)?, call.tensor(2)?);
                    few(x) && source.numel() >= x.numel()
                }
                Rule::Sought => lent::within(call.words[5], false).is_none() && few(call.tensor(1)?),
            })
        }
    }
}

/// A call's arguments.
struct Call<'a> {
    api: &'a Api,
    fields: &'a Fields,
    words: &'a [Word],
}

impl Call<'_> {
    /// # Safety
    /// The argument at this place is a tensor.
    #[inline]
    unsafe fn tensor(&self, k: usize) -> Option<Ordinary> {
        // SAFETY: the caller's promise.
        unsafe { self.fields.of(self.words[k] as Handle) }
    }

    /// Whether all tensors are ordinary, and their storages have their elements.
    ///
    /// # Safety
    /// As [`Small::is`].
    #[inline]
    unsafe fn is_there(&self, parameters: &[Parameter]) -> bool {
        // SAFETY: tensors by their types.
        let is_stored = |handle: Handle| unsafe {
            self.fields.of(handle).is_some_and(|t| self.api.size_of(t.dtype()).is_some_and(|size| t.is_stored(size)))
        };
        parameters.iter().zip(self.words).all(|(parameter, &word)| match parameter.kind {
            Kind::Tensor { .. } => is_stored(word as Handle),
            // SAFETY: as above.
            Kind::MaybeTensor => unsafe { lent::within(word, false) }.is_none_or(|word| is_stored(word as Handle)),
            // The index arrays of a list have been looked at.
            _ => true,
        })
    }

    /// Whether a tensor has index values of int64 that lie side by side, from `-back` up to `len`.
    #[inline]
    fn is_inside(&self, index: Ordinary, back: usize, len: usize) -> bool {
        if index.dtype() != self.api.long || !index.is_contiguous() || !index.is_stored(8) {
            return false;
        }
        if index.numel() == 0 {
            return true;
        }
        let first = (index.stored().0 as *const i64).wrapping_add(index.offset());
        if !first.is_aligned() {
            return false;
        }
        // SAFETY: so many numbers, which the storage has. Should somebody write them meanwhile, PyTorch's kernel looks at each
        // once more.
        let values = unsafe { std::slice::from_raw_parts(first, index.numel()) };
        let (back, last) = (back as i64, (back + len) as i64 - 1);
        signs(values, back, last) >= 0
    }

    /// Whether the second argument is a list of index arrays with values inside the axes of the first, of at most so many axes
    /// each, that name at most so many elements.
    ///
    /// # Safety
    /// As [`Small::is`].
    #[inline]
    unsafe fn is_keyed(&self, most: usize, axes: usize) -> Option<bool> {
        // SAFETY: the caller's promise.
        let (x, list) = unsafe { (self.tensor(0)?, lent::tensors(self.words[1], self.api.undefined)?) };
        if list.len() > x.rank() {
            return Some(false);
        }
        let (mut points, mut rest) = (None, x.numel());
        for (d, item) in list.into_iter().enumerate() {
            let Some(item) = item else { continue };
            // SAFETY: a tensor of a list.
            let index = unsafe { self.fields.of(item) }?;
            let (extent, _) = x.axis(d);
            let alike = points.is_none_or(|points| points == index.numel());
            if !alike || index.rank() > axes || index.numel() > most || extent == 0 {
                return Some(false);
            }
            if !self.is_inside(index, extent, extent) {
                return Some(false);
            }
            (points, rest) = (Some(index.numel()), rest / extent);
        }
        let most = if rest >= SLAB { most.saturating_mul(SLABS) } else { most };
        Some(points.is_some_and(|points| points.saturating_mul(rest) <= most))
    }
}
