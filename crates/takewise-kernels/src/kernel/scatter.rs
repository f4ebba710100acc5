//! Elements stored or combined where index values say, in one pass: what [`gather`](super::gather) is to reads.
//!
//! A value is loaded, checked and used while it is in a register (R2 of `gather`), so what was stored before a bad value is met
//! stands: a caller who promises all or nothing has looked at every value before, or gives memory that can be thrown away.
//!
//! Every element type and way of combining has a function of its own. Compiled into one beside ninety others, the loop kept its
//! addresses on the stack and loaded them again for each element.

use super::cpu::{per_level, prefetch};
use super::gather::{each_place, settled};
use super::halves::Half;
use super::level::{Bytes, Level, WORD};
use super::reduce::{Number, Reduce, with_number, with_sum, without_sign};
use crate::bounds;
use crate::dtype::DType;
use half::{bf16, f16};
use std::marker::PhantomData;

/// What becomes of a place that meets a value.
trait Way {
    type Place: Copy;
    type Value: Copy;
    /// Whether a place that was stored a moment ago is waited for.
    const WAITS: bool = false;
    fn met(own: Self::Place, value: Self::Value) -> Self::Place;
}

/// The value stays.
struct Store<const S: usize>;

impl<const S: usize> Way for Store<S> {
    type Place = Bytes<S>;
    type Value = Bytes<S>;
    #[inline(always)]
    fn met(_: Bytes<S>, value: Bytes<S>) -> Bytes<S> {
        value
    }
}

macro_rules! combining {
    ($($name:ident $f:ident),*) => {
        $(struct $name<T>(PhantomData<T>);

        impl<T: Number> Way for $name<T> {
            type Place = T;
            type Value = T;
            const WAITS: bool = T::VECTOR;
            #[inline(always)]
            fn met(own: T, value: T) -> T {
                own.$f(value)
            }
        })*
    };
}
combining!(Added sum, Prod prod, Max max_alone, Min min_alone, Div div);

/// `N` elements side by side, each as it would be alone.
struct SideBySide<W, const N: usize>(PhantomData<W>);

impl<T: Copy, W: Way<Place = T, Value = T>, const N: usize> Way for SideBySide<W, N> {
    type Place = [T; N];
    type Value = [T; N];
    const WAITS: bool = W::WAITS;
    #[inline(always)]
    fn met(mut own: [T; N], value: [T; N]) -> [T; N] {
        for k in 0..N {
            own[k] = W::met(own[k], value[k]);
        }
        own
    }
}

/// Half floats into f32 places.
struct Widening<W, H>(PhantomData<(W, H)>);

impl<W: Way<Place = f32, Value = f32>, H: Half> Way for Widening<W, H> {
    type Place = f32;
    type Value = u16;
    const WAITS: bool = W::WAITS;
    #[inline(always)]
    fn met(own: f32, value: u16) -> f32 {
        W::met(own, H::whole(value))
    }
}

/// How positions name places.
#[derive(Clone, Copy)]
pub struct Naming {
    /// Positions of the axis, and the bytes between two.
    pub len: usize,
    pub step: isize,
    /// Whether negative values count from the end.
    pub from_end: bool,
    /// Bytes the places, and the values, move on with each position.
    pub along: isize,
    pub by: isize,
    /// Positions to ask for memory ahead of its use; 0 if the cache has it.
    pub ahead: usize,
    /// How far apart positions are compared, to find places named many times in a row.
    pub apart: usize,
}

/// Positions side by side.
#[derive(Clone, Copy)]
pub struct ScatterRun {
    /// The index values, `count` to use, and how many follow from the first on.
    pub first: *const i64,
    pub count: usize,
    pub known: usize,
    pub to: *mut u8,
    pub values: *const u8,
}

/// Places the values of a run; `false` if an index value lies outside its axis, before which all were placed.
///
/// # Safety
/// L1 for `known` index values and `count` values; R1: with values inside the axis every position names a place, which is
/// exclusively the caller's (L3, E1). An index value may change meanwhile.
type PlaceRun = unsafe fn(&Naming, ScatterRun) -> bool;

/// Places values at offsets that were checked before, each value at an offset of its own.
///
/// # Safety
/// R1 for the offsets, whose places are exclusively the caller's (L3, E1); L1 for as many values.
type PlaceListed = unsafe fn(to: *mut u8, offsets: &[isize], values: *const u8, at: &[isize]);

/// The loops of one element type and way.
#[derive(Clone, Copy)]
pub struct Place {
    pub whole: PlaceRun,
    pub listed: PlaceListed,
}

/// How places and values lie, a [`Lie`].
unsafe fn whole<W: Way, const AHEAD: bool, const LIE: u8>(naming: &Naming, run: ScatterRun) -> bool {
    // SAFETY: passed on.
    unsafe {
        match W::WAITS && naming.along == 0 && repeats(run.first, run.count, naming.apart) {
            true => runs::<W>(naming, run),
            false => each::<W, AHEAD, LIE>(naming, run),
        }
    }
}

/// Whether most positions seem to name the place of one that far apart.
///
/// # Safety
/// L1 for `count` values.
#[inline(always)]
unsafe fn repeats(first: *const i64, count: usize, apart: usize) -> bool {
    // SAFETY: L1, `k + apart` being below the count.
    let same = |k: usize| unsafe { first.add(k).read_unaligned() == first.add(k + apart).read_unaligned() };
    if count <= 2 * apart || !(same(0) || same(count / 2)) {
        return false;
    }
    let looks = (0..count - apart).step_by(apart);
    let all = looks.len();
    8 * looks.filter(|&k| same(k)).count() > 5 * all
}

#[inline(always)]
unsafe fn each<W: Way, const AHEAD: bool, const LIE: u8>(naming: &Naming, run: ScatterRun) -> bool {
    let Naming { len, from_end, ahead, .. } = *naming;
    let ScatterRun { first, count, known, to, values } = run;
    let (step, along, by) = match LIE {
        SIDE => (size_of::<W::Place>() as isize, 0, size_of::<W::Value>() as isize),
        ONE => (size_of::<W::Place>() as isize, 0, 0),
        _ => (naming.step, naming.along, naming.by),
    };
    // SAFETY: L1 for the value of position k.
    let value = |k: usize| unsafe { values.offset(k as isize * by).cast::<W::Value>().read_unaligned() };
    let only = (LIE == ONE && count > 0).then(|| value(0));
    // SAFETY: R2, R1 for the place of a value below the length.
    let place = |k: usize, v: i64| unsafe {
        let to = to.offset(k as isize * along + v as isize * step).cast::<W::Place>();
        to.write_unaligned(W::met(to.read_unaligned(), only.unwrap_or_else(|| value(k))));
    };
    // SAFETY: L1: position k is known.
    let named = |k: usize| unsafe { first.add(k).read_unaligned() };
    let ask_ahead = |k: usize, back: i64| {
        if AHEAD {
            // Not checked: asking for memory that is not ours does no harm.
            let k = (k + ahead).min(known - 1);
            let v = bounds::from_end(named(k), back) as isize;
            prefetch(to.wrapping_offset(v.wrapping_mul(step).wrapping_add(along.wrapping_mul(k as isize))));
        }
    };
    let back = if from_end { len as i64 } else { 0 };
    each_place(count, len, back, |k| settled(named(k)), ask_ahead, place)
}

/// Places each in a register as long as it is named.
#[inline(never)]
unsafe fn runs<W: Way>(naming: &Naming, run: ScatterRun) -> bool {
    let Naming { len, step, from_end, by, .. } = *naming;
    let ScatterRun { first, count, to, values, .. } = run;
    let back = if from_end { len as i64 } else { 0 };
    let mut k = 0;
    while k < count {
        // SAFETY: L1.
        let raw = settled(unsafe { first.add(k).read_unaligned() });
        let v = bounds::from_end(raw, back);
        if !bounds::is_place(v, len) {
            return false;
        }
        // SAFETY: R2, R1 for the place of a value below the length; L1 for the positions below the count.
        unsafe {
            let to = to.offset(v as isize * step).cast::<W::Place>();
            let mut own = to.read_unaligned();
            loop {
                own = W::met(own, values.offset(k as isize * by).cast::<W::Value>().read_unaligned());
                k += 1;
                if k == count || first.add(k).read_unaligned() != raw {
                    break;
                }
            }
            to.write_unaligned(own);
        }
    }
    true
}

/// Positions of a list whose memory is asked for ahead of its use.
const AHEAD: usize = 16;

unsafe fn listed<W: Way>(to: *mut u8, offsets: &[isize], values: *const u8, at: &[isize]) {
    let count = offsets.len().min(at.len());
    for k in 0..count {
        prefetch(to.wrapping_offset(offsets[(k + AHEAD).min(count - 1)]));
        // SAFETY: by the caller.
        unsafe {
            let to = to.offset(offsets[k]).cast::<W::Place>();
            let value = values.offset(at[k]).cast::<W::Value>().read_unaligned();
            to.write_unaligned(W::met(to.read_unaligned(), value));
        }
    }
}

/// What is known of a plan when its loop is chosen: whether memory is asked for ahead of its use, and how both sides lie.
#[derive(Clone, Copy)]
pub struct Known {
    pub far: bool,
    pub lie: Lie,
}

impl Known {
    /// What a loop of its own is kept for. A page is fetched before it runs: there one loop does for all.
    #[inline(always)]
    fn told_apart(self) -> Known {
        if cfg!(target_family = "wasm") { Known { far: false, lie: Lie::Apart } } else { self }
    }
}

/// How places and values lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    Apart,
    /// Both side by side.
    Side,
    /// Places side by side, for one value.
    One,
}

const APART: u8 = Lie::Apart as u8;
const SIDE: u8 = Lie::Side as u8;
const ONE: u8 = Lie::One as u8;

/// The loops of stores.
fn storing_of<W: Way>(known: Known) -> Place {
    let known = known.told_apart();
    let whole: PlaceRun = match (known.far, known.lie) {
        (false, Lie::One) => whole::<W, false, ONE>,
        (true, Lie::One) => whole::<W, true, ONE>,
        _ => return often::<W>(known),
    };
    Place { whole, listed: listed::<W> }
}

/// The loops of the ways that are in most use.
fn often<W: Way>(known: Known) -> Place {
    let known = known.told_apart();
    let whole: PlaceRun = match (known.far, known.lie) {
        (false, Lie::Side) => whole::<W, false, SIDE>,
        (true, Lie::Side) => whole::<W, true, SIDE>,
        _ => return of::<W>(known),
    };
    Place { whole, listed: listed::<W> }
}

fn of<W: Way>(known: Known) -> Place {
    let known = known.told_apart();
    let whole: PlaceRun = if known.far { whole::<W, true, APART> } else { whole::<W, false, APART> };
    Place { whole, listed: listed::<W> }
}

per_level! {
    /// Of the first `count` offsets those in `low..low + width`, in order, and for each of them `first + k * by`; how many.
    ///
    /// # Safety
    /// Room for a word of each.
    pub unsafe fn keep(
        offsets: &[isize; WORD], count: usize, low: isize, width: usize, first: isize, by: isize, kept: *mut isize,
        at: *mut isize,
    ) -> usize {
        level: keep_body
    }
}

#[allow(clippy::too_many_arguments, clippy::needless_range_loop)] // bounds that the compiler sees
#[inline(always)]
unsafe fn keep_body<L: Level>(
    offsets: &[isize; WORD],
    count: usize,
    low: isize,
    width: usize,
    first: isize,
    by: isize,
    kept: *mut isize,
    at: *mut isize,
) -> usize {
    let mut inside = [0u8; WORD];
    for k in 0..WORD {
        inside[k] = u8::from((offsets[k].wrapping_sub(low) as usize) < width);
    }
    // SAFETY: K1; a word of each by the caller; an offset is a number of 64 bits on every processor with levels.
    unsafe {
        let mut word = L::word(inside.as_ptr());
        if count < WORD {
            word &= (1 << count) - 1;
        }
        let mut wide = [0i64; WORD];
        L::places(word, first as i64, by as i64, wide.as_mut_ptr());
        L::pack::<{ size_of::<isize>() }>(word, offsets.as_ptr().cast(), kept.cast());
        let n = word.count_ones() as usize;
        for k in 0..n {
            at.add(k).write(wide[k] as isize);
        }
        n
    }
}

/// Stores of elements of a size.
pub fn storing(size: usize, known: Known) -> Option<Place> {
    Some(match size {
        1 => storing_of::<Store<1>>(known),
        2 => storing_of::<Store<2>>(known),
        4 => storing_of::<Store<4>>(known),
        8 => storing_of::<Store<8>>(known),
        16 => storing_of::<Store<16>>(known),
        _ => return None,
    })
}

/// Elements of a dtype combined; `Mean` adds.
pub fn combining(dtype: DType, how: Reduce, known: Known) -> Option<Place> {
    fn added<T: Number>(how: Reduce, known: Known) -> Place {
        match how {
            Reduce::Prod => of::<Prod<T>>(known),
            _ => often::<Added<T>>(known),
        }
    }
    Some(match how {
        Reduce::Sum | Reduce::Mean | Reduce::Prod => match dtype {
            DType::F16 => added::<f16>(how, known),
            DType::BF16 => added::<bf16>(how, known),
            _ => with_sum!(without_sign(dtype), T => added::<T>(how, known), return None),
        },
        Reduce::Max => with_number!(dtype, T => of::<Max<T>>(known), return None),
        Reduce::Min => with_number!(dtype, T => of::<Min<T>>(known), return None),
        // Its memory comes while it divides.
        Reduce::Div => with_number!(dtype, T => of::<Div<T>>(Known { far: false, ..known }), return None),
    })
}

/// Sums of short rows, so many elements of a dtype each: of the dtypes and lengths that are in most use.
pub fn summing(dtype: DType, width: usize, known: Known) -> Option<Place> {
    fn way<T: Number>(width: usize, known: Known) -> Option<Place> {
        match width {
            2 => Some(often::<SideBySide<Added<T>, 2>>(known)),
            3 => Some(often::<SideBySide<Added<T>, 3>>(known)),
            4 => Some(often::<SideBySide<Added<T>, 4>>(known)),
            8 => Some(often::<SideBySide<Added<T>, 8>>(known)),
            _ => None,
        }
    }
    match without_sign(dtype) {
        DType::F32 => way::<f32>(width, known),
        DType::F64 => way::<f64>(width, known),
        DType::U32 => way::<u32>(width, known),
        DType::U64 => way::<u64>(width, known),
        _ => None,
    }
}

/// Half floats combined into f32 places, as `combining`.
pub fn widening(dtype: DType, how: Reduce, known: Known) -> Option<Place> {
    fn way<H: Half>(how: Reduce, known: Known) -> Place {
        match how {
            Reduce::Sum | Reduce::Mean => often::<Widening<Added<f32>, H>>(known),
            Reduce::Prod => of::<Widening<Prod<f32>, H>>(known),
            Reduce::Max => of::<Widening<Max<f32>, H>>(known),
            Reduce::Min => of::<Widening<Min<f32>, H>>(known),
            Reduce::Div => of::<Widening<Div<f32>, H>>(known),
        }
    }
    match dtype {
        DType::F16 => Some(way::<f16>(how, known)),
        DType::BF16 => Some(way::<bf16>(how, known)),
        _ => None,
    }
}
