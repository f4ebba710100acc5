//! Private copies of a call's operands, so that it can be made without anybody seeing it.

use std::sync::Arc;

use takewise::internal::gradients::check_in_place;
use takewise::tensor::Buffer;
use takewise::{Index, Rules, Tensor, grad};
use takewise_dialects::Array;

/// Bytes of operands up to which a call is really made.
pub(super) const MOST: usize = 1 << 20;

/// Arrays and what stands for them.
#[derive(Default)]
pub(super) struct Copies {
    known: Vec<(Array, Array)>,
    /// The copies and their versions when they were made. Held here too, for changes are counted where somebody else holds an
    /// array.
    versions: Vec<(Tensor, u64)>,
    /// Whether the copies hold the elements, so that the call can be made.
    pub(super) whole: bool,
}

/// A stretch of memory that arrays share.
struct Stretch {
    low: usize,
    high: usize,
    /// An array in it, by its number.
    members: Vec<usize>,
}

impl Copies {
    /// Copies of arrays that lie to each other as these do: what shares memory shares it, what overlaps overlaps. Of large
    /// ones there are none, and the arrays stand for themselves.
    pub(super) fn of(arrays: &[Array]) -> Copies {
        let tensors: Vec<Tensor> = arrays.iter().map(Array::tensor).collect();
        let held = |t: &Tensor| t.numel().saturating_mul(t.dtype().size());
        let small = tensors.iter().all(|t| held(t) <= MOST) && tensors.iter().map(held).sum::<usize>() <= MOST;
        let made = if small { copied(&tensors) } else { None };
        let whole = made.is_some();
        let stand = made.unwrap_or(tensors);
        let versions = stand.iter().map(|tensor| (tensor.clone(), tensor.version())).collect();
        let known = arrays.iter().zip(stand).map(|(array, tensor)| {
            let copy = Array::new(tensor, array.face).as_scalar(array.scalar);
            (array.clone(), copy)
        });
        Copies { known: known.collect(), versions, whole }
    }

    /// Whether a copy was written into whose original refuses that: its memory may not be written, or its history forbids it.
    pub(super) fn trespassed(&self) -> bool {
        let changed = |(tensor, version): &(Tensor, u64)| tensor.version() != *version;
        let refuses = |original: Tensor| !original.is_writable() || check_in_place(&original).is_err();
        self.whole && self.known.iter().zip(&self.versions).any(|((a, _), copy)| changed(copy) && refuses(a.tensor()))
    }

    /// The arrays as they are, for calls that write into none.
    pub(super) fn none(arrays: &[Array]) -> Copies {
        Copies { known: arrays.iter().map(|a| (a.clone(), a.clone())).collect(), versions: Vec::new(), whole: true }
    }

    /// What stands for an array.
    pub(super) fn stands_for(&self, array: &Array) -> Array {
        let found = self.known.iter().find(|(known, _)| known.same(array));
        found.map_or_else(|| array.clone(), |(_, copy)| copy.clone().of_face(array.face).as_scalar(array.scalar))
    }
}

/// Copies of tensors in memory of their own, stretch by stretch; nothing if a stretch is large.
fn copied(tensors: &[Tensor]) -> Option<Vec<Tensor>> {
    let mut made: Vec<Option<Tensor>> = vec![None; tensors.len()];
    let mut alone = vec![false; tensors.len()];
    for stretch in stretches(tensors)? {
        let buffer = Arc::new(Buffer::zeroed(stretch.high - stretch.low).ok()?);
        for &k in &stretch.members {
            let (tensor, at) = (&tensors[k], tensors[k].data_ptr().addr() - stretch.low);
            let copy = Tensor::from_buffer(Arc::clone(&buffer), at, tensor.layout().clone(), tensor.dtype()).ok()?;
            grad::no_grad(|| fill(&copy, tensor))?;
            made[k] = Some(copy);
            alone[k] = stretch.members.len() == 1;
        }
    }
    let parts = made.into_iter().zip(alone).zip(tensors);
    parts.map(|((copy, alone), tensor)| requiring(copy?, tensor, alone)).collect()
}

/// A leaf's copy is a leaf. The copy of what was computed is computed too, unless it shares its memory with others.
fn requiring(mut copy: Tensor, tensor: &Tensor, alone: bool) -> Option<Tensor> {
    if tensor.requires_grad() && tensor.is_leaf() {
        copy.requires_grad_(true).ok()?;
    } else if tensor.requires_grad() && alone {
        let before = grad::set_grad_enabled(true);
        let _ = computed(&copy);
        grad::set_grad_enabled(before);
    }
    Some(copy)
}

/// Gives a tensor a history: its elements are put there from a leaf.
fn computed(copy: &Tensor) -> takewise::Result<()> {
    let mut leaf = copy.clone_data()?;
    leaf.requires_grad_(true)?;
    copy.index_set_(&[Index::Ellipsis], &leaf, &Rules::NEUTRAL)
}

/// The stretches of memory tensors lie in, each from the beginning of its storage if that is near.
fn stretches(tensors: &[Tensor]) -> Option<Vec<Stretch>> {
    let mut all: Vec<Stretch> = Vec::new();
    for (k, tensor) in tensors.iter().enumerate() {
        let first = tensor.data_ptr().addr();
        let (low, high) = match tensor.numel() {
            0 => (first, first),
            _ => {
                let (low, high) = tensor.layout().reach();
                (first.checked_add_signed(low)?, first.checked_add_signed(high)? + tensor.dtype().size())
            }
        };
        let start = first - tensor.storage_offset().saturating_mul(tensor.dtype().size()).min(first);
        let low = if tensor.numel() > 0 && low - start.min(low) <= MOST { start.min(low) } else { low };
        let mut joined = Stretch { low, high, members: vec![k] };
        let meets = |s: &Stretch, j: &Stretch| {
            (s.low < j.high && j.low < s.high) || s.members.iter().any(|&m| tensors[m].shares_memory(tensor))
        };
        // What joins may meet a further one.
        while let Some(at) = all.iter().position(|s| meets(s, &joined)) {
            let other = all.swap_remove(at);
            joined.low = joined.low.min(other.low);
            joined.high = joined.high.max(other.high);
            joined.members.extend(other.members);
        }
        if joined.high - joined.low > 2 * MOST {
            return None;
        }
        all.push(joined);
    }
    Some(all)
}

/// Copies the elements. Where several coordinates reach one element it goes part by part.
fn fill(copy: &Tensor, of: &Tensor) -> Option<()> {
    if of.numel() == 0 {
        return Some(());
    }
    if let Some(axis) = of.layout().strides().iter().zip(of.shape()).position(|(s, n)| *s == 0 && *n > 1) {
        return fill(&copy.select(axis as i64, 0).ok()?, &of.select(axis as i64, 0).ok()?);
    }
    let of = of.detach();
    if copy.index_set_(&[Index::Ellipsis], &of, &Rules::NEUTRAL).is_ok() {
        return Some(());
    }
    let parts = of.shape().first().copied().filter(|n| *n > 0)?;
    (0..parts as i64).try_for_each(|k| fill(&copy.select(0, k).ok()?, &of.select(0, k).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use takewise_dialects::TORCH;

    fn copies(tensors: &[&Tensor]) -> Vec<Tensor> {
        let arrays: Vec<Array> = tensors.iter().map(|t| Array::new((*t).clone(), &TORCH)).collect();
        let copies = Copies::of(&arrays);
        assert!(copies.whole);
        arrays.iter().map(|a| copies.stands_for(a).tensor()).collect()
    }

    #[test]
    fn what_overlaps_overlaps_and_nothing_is_shared_with_the_original() {
        let x = Tensor::from_slice(&[1i64, 2, 3, 4], &[4]).unwrap();
        let tail = x.narrow(0, 1, 3).unwrap();
        let made = copies(&[&tail, &x]);
        assert_eq!(made[0].to_vec::<i64>().unwrap(), [2, 3, 4]);
        made[1].index_set_(&[Index::Int(3)], 9, &Rules::NEUTRAL).unwrap();
        assert_eq!(made[0].to_vec::<i64>().unwrap(), [2, 3, 9]);
        assert_eq!(x.to_vec::<i64>().unwrap(), [1, 2, 3, 4]);
        assert_eq!(made[0].storage_offset(), 1);
    }

    #[test]
    fn views_that_repeat_elements_repeat_them() {
        let x = Tensor::from_slice(&[1f32, 2., 3., 4.], &[4]).unwrap();
        let windows = x.as_strided(&[3, 2], &[1, 1], None).unwrap();
        let wide = x.broadcast_to(&[5, 4]).unwrap();
        let made = copies(&[&windows, &wide]);
        assert_eq!(made[0].to_vec::<f32>().unwrap(), [1., 2., 2., 3., 3., 4.]);
        assert_eq!((made[1].shape(), made[1].strides()), (&[5, 4][..], vec![0, 1]));
        let backwards = x.reversed(&[0]).unwrap();
        assert_eq!(copies(&[&backwards])[0].to_vec::<f32>().unwrap(), [4., 3., 2., 1.]);
    }

    #[test]
    fn large_arrays_stand_for_themselves() {
        let one = Tensor::from_slice(&[1u8], &[1]).unwrap();
        let huge = Array::new(one.broadcast_to(&[1 << 40]).unwrap(), &TORCH);
        let copies = Copies::of(std::slice::from_ref(&huge));
        assert!(!copies.whole && copies.stands_for(&huge).tensor().is_same(&huge.tensor()));
    }
}
