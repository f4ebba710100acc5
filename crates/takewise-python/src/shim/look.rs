//! Index values, looked at where they lie before PyTorch's own kernel has them.
//!
//! That is all that `takewise.torch_errors` does to a call whose index values lie inside. What is looked at here says nothing
//! of what is wrong: any call that is not known to be right goes to the kernel in Python.

use smallvec::SmallVec;
use takewise::DType;

use super::fields::{FIELDS, Fields, Ordinary};
use super::lent;
use super::symbols::{Api, Handle, Word};

/// Where an operator has its index values, and how they are counted.
#[derive(Clone, Copy)]
pub(super) struct Look {
    rule: Rule,
    /// Whether values are counted from the end too.
    back: bool,
    /// The most index values that are looked at.
    most: usize,
}

#[derive(Clone, Copy)]
enum Rule {
    /// At the third place, for the axis at the second.
    Along,
    /// At the second place, for all elements.
    Flat,
    /// A list at the second place, whose masks name no places that could be outside.
    Keyed,
}

impl Look {
    /// `None` for a rule of no such name.
    pub(super) fn new(rule: &str, back: bool, most: Option<usize>) -> Option<Look> {
        let rule = match rule {
            "along" => Rule::Along,
            "flat" => Rule::Flat,
            "keyed" => Rule::Keyed,
            _ => return None,
        };
        Some(Look { rule, back, most: most.unwrap_or(usize::MAX) })
    }

    /// Whether all index values of a call are known to lie inside.
    ///
    /// # Safety
    /// The words are the arguments, on the direct road, of a call of an operator that has the rule.
    #[inline]
    pub(super) unsafe fn is_inside(self, api: &Api, words: &[Word]) -> bool {
        // SAFETY: passed on.
        FIELDS.get().is_some_and(|fields| unsafe { self.looked_at(api, fields, words) }.unwrap_or(false))
    }

    /// # Safety
    /// As above.
    #[inline]
    unsafe fn looked_at(self, api: &Api, fields: &Fields, words: &[Word]) -> Option<bool> {
        // SAFETY: tensors by the rules, whose addresses are handles.
        let tensor = |word: Word| unsafe { fields.of(word as Handle) };
        let x = tensor(words[0])?;
        let inside = |index: Ordinary, len: usize| {
            if index.numel() > self.most {
                return None;
            }
            are_inside(api, index, if self.back { len } else { 0 }, len)
        };
        match self.rule {
            Rule::Along => inside(tensor(words[2])?, extent(x, words[1] as i64)?),
            Rule::Flat => inside(tensor(words[1])?, x.numel()),
            Rule::Keyed => {
                let mut axis = 0;
                // SAFETY: a list of tensors by the rule.
                for item in unsafe { lent::tensors(words[1], api.undefined) }? {
                    let Some(item) = item else {
                        axis += 1;
                        continue;
                    };
                    // SAFETY: a tensor of the list.
                    let index = unsafe { fields.of(item) }?;
                    if matches!(api.dtype_of(index.dtype()), Some(DType::Bool | DType::U8)) {
                        axis += index.rank();
                        continue;
                    }
                    if axis >= x.rank() || !inside(index, x.axis(axis).0)? {
                        return None;
                    }
                    axis += 1;
                }
                Some(true)
            }
        }
    }
}

/// The extent of an axis, which may be counted from the end; a tensor without axes has one of length 1.
#[inline]
pub(super) fn extent(x: Ordinary, dim: i64) -> Option<usize> {
    let rank = x.rank() as i64;
    if rank == 0 {
        return (dim == 0 || dim == -1).then_some(1);
    }
    let d = if dim < 0 { dim + rank } else { dim };
    (0..rank).contains(&d).then(|| x.axis(d as usize).0)
}

/// Extents and steps of axes, the longest steps first.
type Axes = SmallVec<[(usize, usize); 6]>;

/// Whether a tensor has index values from `-back` up to `len`; `None` if they cannot be read here.
#[inline]
fn are_inside(api: &Api, index: Ordinary, back: usize, len: usize) -> Option<bool> {
    let dtype = api.dtype_of(index.dtype())?;
    if index.numel() == 0 {
        return Some(true);
    }
    let start = index.stored().0.wrapping_add(index.offset() * dtype.size());
    if !index.is_stored(dtype.size()) || !start.is_multiple_of(dtype.size()) {
        return None;
    }
    let (back, last) = (i64::try_from(back).ok()?, i64::try_from(back + len).ok()? - 1);
    let axes = if index.is_contiguous() { Axes::from_slice(&[(index.numel(), 1)]) } else { axes(index)? };
    // SAFETY: the storage has all elements, and they are aligned. Should somebody write them meanwhile, PyTorch's kernel looks
    // at each once more.
    let signs = unsafe {
        match dtype {
            DType::I64 => signs_along(start as *const i64, &axes, back, last),
            DType::I32 => signs_along(start as *const i32, &axes, back, last),
            _ => return None,
        }
    };
    Some(signs >= 0)
}

/// The axes along which a tensor has more than one element of its own, joined where they can be stepped along as one.
#[inline]
fn axes(index: Ordinary) -> Option<Axes> {
    let mut axes = Axes::new();
    for d in 0..index.rank() {
        let (extent, step) = index.axis(d);
        if extent > 1 && step != 0 {
            axes.push((extent, usize::try_from(step).ok()?));
        }
    }
    axes.sort_unstable_by_key(|&(_, step)| std::cmp::Reverse(step));
    let mut joined = Axes::new();
    for (extent, step) in axes {
        match joined.last_mut() {
            Some(outer) if outer.1 == extent * step => *outer = (outer.0 * extent, step),
            _ => joined.push((extent, step)),
        }
    }
    Some(joined)
}

/// A negative number if there is a value below `-back` or above `last - back`.
///
/// # Safety
/// Elements lie at all steps along the axes.
unsafe fn signs_along<T: Copy + Into<i64>>(first: *const T, axes: &[(usize, usize)], back: i64, last: i64) -> i64 {
    // SAFETY: the caller's promise.
    unsafe {
        match *axes {
            [] => signs(std::slice::from_raw_parts(first, 1), back, last),
            [(extent, 1)] => signs(std::slice::from_raw_parts(first, extent), back, last),
            [(extent, step)] => {
                let values = (0..extent).map(|k| *first.add(k * step));
                values.fold(0, |signs, value| signs | sign(value.into(), back, last))
            }
            [(extent, step), ref inner @ ..] => {
                (0..extent).fold(0, |signs, k| signs | signs_along(first.add(k * step), inner, back, last))
            }
        }
    }
}

/// A negative number if there is a value below `-back` or above `last - back`.
#[inline]
pub(super) fn signs<T: Copy + Into<i64>>(values: &[T], back: i64, last: i64) -> i64 {
    #[cfg(target_arch = "x86_64")]
    if values.len() >= LONG {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions.
            return unsafe { signs_of_eight(values, back, last) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { signs_of_four(values, back, last) };
        }
    }
    signs_of_each(values, back, last)
}

/// Values from which on vectors are worth a call.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 32;

#[inline(always)]
fn signs_of_each<T: Copy + Into<i64>>(values: &[T], back: i64, last: i64) -> i64 {
    values.iter().fold(0, |signs, &value| signs | sign(value.into(), back, last))
}

/// One of the two numbers is negative for a value below or above. There are no branches, and no comparison of 64 bits, which few
/// vectors have.
#[inline(always)]
fn sign(value: i64, back: i64, last: i64) -> i64 {
    let place = value.wrapping_add(back);
    place | last.wrapping_sub(place)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn signs_of_eight<T: Copy + Into<i64>>(values: &[T], back: i64, last: i64) -> i64 {
    signs_of_each(values, back, last)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn signs_of_four<T: Copy + Into<i64>>(values: &[T], back: i64, last: i64) -> i64 {
    signs_of_each(values, back, last)
}
