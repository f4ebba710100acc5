//! Positions taken one by one, by loads and stores of a general register.
//!
//! Every index dtype, element size and form has a function of its own: compiled into one beside hundreds of others, the loop
//! kept its addresses on the stack and loaded them again for each element, which took twice as long. Vectors are no help
//! before AVX-512: what was checked in them has to go through memory to become addresses, and their gathers take longer than
//! loads.

use super::each::settled;
use super::rule::{Clip, Gaps, Positions, Raise, Rule, Wrap};
use super::{Next, Stretch, Values, Whole};
use crate::bounds;
use crate::dtype::DType;
use crate::kernel::cpu::{LINE, prefetch, prefetch_all};
use crate::kernel::level::Bytes;
use crate::kernel::stream;
use crate::rules::Outside;
use std::hint::select_unpredictable;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Positions between two requests for other memory.
const PIECE: usize = 64;

/// Lines of a chunk asked for ahead, at most: the processor follows by itself from there.
const LINES: usize = 8;

/// What all runs of a stretch have in common.
#[derive(Clone, Copy)]
struct Common {
    size: usize,
    len: [usize; 2],
    step: [isize; 2],
    /// Bytes from one value to the next.
    each: [isize; 2],
    from_end: bool,
    along: isize,
    ahead: usize,
    fill: *const u8,
}

impl Common {
    #[inline(always)]
    fn of(size: usize, stretch: &Stretch, [a, b]: [Values; 2]) -> Common {
        let Stretch { from_end, along, ahead, fill, .. } = *stretch;
        let (len, step, each) = ([a.len, b.len], [a.step, b.step], [a.each, b.each]);
        Common { size, len, step, each, from_end, along, ahead, fill }
    }
}

/// Positions side by side: the values of each axis, `count` to use and so many known from the first on.
#[derive(Clone, Copy)]
struct GatherRun {
    first: [*const u8; 2],
    count: usize,
    known: usize,
    from: *const u8,
    to: *mut u8,
}

/// Brings the elements of a run to `to`, side by side; `false` if a value lies outside its axis, before which all were brought.
///
/// # Safety
/// L1 for the known values; R1: with values inside their axes every position names an element; E1 for `count` places.
type Each = unsafe fn(&Common, GatherRun) -> bool;

/// How an element moves.
trait Move {
    /// Its bytes, or 0 if only the run knows.
    const SIZE: usize;

    /// # Safety
    /// L1 and E1 for `size` bytes, which are [`SIZE`](Move::SIZE) if that is not 0.
    unsafe fn move_(from: *const u8, to: *mut u8, size: usize);
}

/// As bytes of a known number.
struct Fixed<const S: usize>;

impl<const S: usize> Move for Fixed<S> {
    const SIZE: usize = S;
    #[inline(always)]
    unsafe fn move_(from: *const u8, to: *mut u8, _: usize) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<Bytes<S>>().write_unaligned(from.cast::<Bytes<S>>().read_unaligned()) }
    }
}

/// As memory of any length.
struct Any;

impl Move for Any {
    const SIZE: usize = 0;
    #[inline(always)]
    unsafe fn move_(from: *const u8, to: *mut u8, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, size) }
    }
}

/// Past the caches; places begin where [`stream::copy`] wants them.
struct Streamed;

impl Move for Streamed {
    const SIZE: usize = 0;
    #[inline(always)]
    unsafe fn move_(from: *const u8, to: *mut u8, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { stream::copy(from, to, size) }
    }
}

/// Asks for an element. Not checked: asking for memory that is not ours does no harm.
#[inline(always)]
fn ask<M: Move>(at: *const u8, size: usize) {
    if M::SIZE == 0 {
        prefetch_all(at, size.min(LINES * LINE));
    } else {
        prefetch(at);
        if M::SIZE > 16 {
            prefetch(at.wrapping_add(M::SIZE - 1));
        }
    }
}

/// A value, about which the optimiser knows nothing.
///
/// # Safety
/// L1.
#[inline(always)]
unsafe fn value<T: Whole>(at: *const u8) -> i64 {
    // SAFETY: the caller's promise.
    settled(unsafe { at.cast::<T>().read_unaligned() }.bits())
}

/// The positions of a run through one axis; with `SIDE` its elements lie side by side, values too, and nothing is added along
/// the positions.
struct OneAxis<'f, T, M, const AHEAD: bool, const SIDE: bool> {
    common: &'f Common,
    run: GatherRun,
    kinds: PhantomData<(T, M)>,
}

impl<T: Whole, M: Move, const AHEAD: bool, const SIDE: bool> OneAxis<'_, T, M, AHEAD, SIDE> {
    #[inline(always)]
    fn size(&self) -> usize {
        if M::SIZE == 0 { self.common.size } else { M::SIZE }
    }

    /// The bytes from one element to the next along the axis, and along the positions.
    #[inline(always)]
    fn steps(&self) -> [isize; 2] {
        if SIDE { [self.size() as isize, 0] } else { [self.common.step[0], self.common.along] }
    }

    #[inline(always)]
    fn back(&self) -> i64 {
        if self.common.from_end && T::SIGNED { self.common.len[0] as i64 } else { 0 }
    }
}

impl<T: Whole, M: Move, const AHEAD: bool, const SIDE: bool> Positions for OneAxis<'_, T, M, AHEAD, SIDE> {
    #[inline(always)]
    fn value(&self, k: usize) -> i64 {
        let each = if SIDE { size_of::<T>() as isize } else { self.common.each[0] };
        // SAFETY: L1: position k is known.
        unsafe { value::<T>(self.run.first[0].offset(k as isize * each)) }
    }

    #[inline(always)]
    fn ask_ahead(&self, k: usize, place: impl Fn(i64) -> i64) {
        if !AHEAD {
            return;
        }
        let k = (k + self.common.ahead).min(self.run.known - 1);
        let v = place(self.value(k)) as isize;
        let [step, along] = self.steps();
        let by = v.wrapping_mul(step).wrapping_add((k as isize).wrapping_mul(along));
        ask::<M>(self.run.from.wrapping_offset(by), self.size());
    }

    #[inline(always)]
    unsafe fn bring(&self, k: usize, place: i64) {
        let [step, along] = self.steps();
        // SAFETY: R1 by the caller; E1: the k-th place.
        unsafe {
            let from = self.run.from.offset(k as isize * along + place as isize * step);
            M::move_(from, self.run.to.add(k * self.size()), self.size());
        }
    }

    #[inline(always)]
    unsafe fn bring_or_fill(&self, k: usize, place: i64, there: bool) {
        let [step, along] = self.steps();
        let by = (k as isize).wrapping_mul(along).wrapping_add((place as isize).wrapping_mul(step));
        let from = select_unpredictable(there, self.run.from.wrapping_offset(by), self.common.fill);
        // SAFETY: R1 by the caller, who says what may be read; E1: the k-th place.
        unsafe { M::move_(from, self.run.to.add(k * self.size()), self.size()) };
    }
}

/// Through one axis.
unsafe fn each<T: Whole, M: Move, R: Rule, const AHEAD: bool, const SIDE: bool>(
    common: &Common,
    run: GatherRun,
) -> bool {
    let line = OneAxis::<T, M, AHEAD, SIDE> { common: &{ *common }, run, kinds: PhantomData };
    // SAFETY: R2, R1: an element for a place below the length.
    unsafe { R::serve(&line, run.count, common.len[0], line.back()) }
}

/// Through two axes; with `SIDE` as [`OneAxis`], along the second of them.
unsafe fn pairs<T: Whole, M: Move, const AHEAD: bool, const SIDE: bool>(common: &Common, run: GatherRun) -> bool {
    let Common { len, from_end, ahead, .. } = *common;
    let GatherRun { first: [a, b], count, known, from, to } = run;
    let size = if M::SIZE == 0 { common.size } else { M::SIZE };
    let (step, along, each) = match SIDE {
        true => ([common.step[0], size as isize], 0, [size_of::<T>() as isize; 2]),
        false => (common.step, common.along, common.each),
    };
    let back = if from_end && T::SIGNED { [len[0] as i64, len[1] as i64] } else { [0; 2] };
    // SAFETY: L1: position k is known.
    let named = |k: isize| unsafe { [value::<T>(a.offset(k * each[0])), value::<T>(b.offset(k * each[1]))] };
    // SAFETY: R2, R1: an element for values below the lengths; E1: the k-th place.
    let bring = |k: usize, a: i64, b: i64| unsafe {
        let at = from.offset(k as isize * along + a as isize * step[0] + b as isize * step[1]);
        M::move_(at, to.add(k * size), size);
    };
    let from_end = |[a, b]: [i64; 2], back: [i64; 2]| (bounds::from_end(a, back[0]), bounds::from_end(b, back[1]));
    let ask_ahead = |k: usize, back: [i64; 2]| {
        if !AHEAD {
            return;
        }
        let k = (k + ahead).min(known - 1);
        let (a, b) = from_end(named(k as isize), back);
        let by = (a as isize).wrapping_mul(step[0]).wrapping_add((b as isize).wrapping_mul(step[1]));
        ask::<M>(from.wrapping_offset(by.wrapping_add((k as isize).wrapping_mul(along))), size);
    };
    let inside = |a: i64, b: i64| bounds::is_place(a, len[0]) && bounds::is_place(b, len[1]);
    let mut k = 0;
    while k < count {
        ask_ahead(k, [0; 2]);
        let [a, b] = named(k as isize);
        if !inside(a, b) {
            break;
        }
        bring(k, a, b);
        k += 1;
    }
    for k in k..count {
        ask_ahead(k, back);
        let (a, b) = from_end(named(k as isize), back);
        if !inside(a, b) {
            return false;
        }
        bring(k, a, b);
    }
    true
}

/// Which functions a stretch is for.
trait Axes {
    /// Whether elements of 12, 32 and 64 bytes have functions of their own.
    const LONG: bool;
    fn of<T: Whole, M: Move>(ahead: bool, side: bool) -> Each;
}

impl<R: Rule> Axes for R {
    const LONG: bool = R::RAISES;
    fn of<T: Whole, M: Move>(ahead: bool, side: bool) -> Each {
        match (ahead, side) {
            (false, false) => each::<T, M, R, false, false>,
            (false, true) => each::<T, M, R, false, true>,
            (true, false) => each::<T, M, R, true, false>,
            (true, true) => each::<T, M, R, true, true>,
        }
    }
}

/// Two axes.
struct TwoAxes;

impl Axes for TwoAxes {
    const LONG: bool = true;
    fn of<T: Whole, M: Move>(ahead: bool, side: bool) -> Each {
        match (ahead, side) {
            (false, false) => pairs::<T, M, false, false>,
            (false, true) => pairs::<T, M, false, true>,
            (true, false) => pairs::<T, M, true, false>,
            (true, true) => pairs::<T, M, true, true>,
        }
    }
}

fn sized<T: Whole, W: Axes>(size: usize, stretch: &Stretch, side: bool) -> Each {
    if cfg!(target_family = "wasm") {
        // A page is fetched before it runs: eight hundred functions are larger than what they save there.
        return W::of::<T, Any>(false, false);
    }
    let (streamed, ahead) = (stretch.streamed && size >= LINE, stretch.ahead > 0);
    match size {
        _ if streamed => W::of::<T, Streamed>(ahead, side),
        1 => W::of::<T, Fixed<1>>(ahead, side),
        2 => W::of::<T, Fixed<2>>(ahead, side),
        4 => W::of::<T, Fixed<4>>(ahead, side),
        8 => W::of::<T, Fixed<8>>(ahead, side),
        16 => W::of::<T, Fixed<16>>(ahead, side),
        _ if const { !W::LONG } => W::of::<T, Any>(ahead, side),
        12 => W::of::<T, Fixed<12>>(ahead, side),
        32 => W::of::<T, Fixed<32>>(ahead, side),
        64 => W::of::<T, Fixed<64>>(ahead, side),
        _ => W::of::<T, Any>(ahead, side),
    }
}

/// Whether there are functions for values of a dtype along so many axes under a rule other than raising.
pub fn brings(dtype: DType, axes: usize) -> bool {
    axes == 1 && matches!(dtype, DType::I32 | DType::I64)
}

/// The function of a stretch, if there is one.
fn of(size: usize, stretch: &Stretch, side: bool) -> Option<Each> {
    let Stretch { axes, dtype, outside, .. } = *stretch;
    Some(match (axes.len(), outside, dtype) {
        (1, Outside::Clip, DType::I32) => sized::<i32, Clip>(size, stretch, side),
        (1, Outside::Clip, DType::I64) => sized::<i64, Clip>(size, stretch, side),
        (1, Outside::Wrap, DType::I32) => sized::<i32, Wrap>(size, stretch, side),
        (1, Outside::Wrap, DType::I64) => sized::<i64, Wrap>(size, stretch, side),
        (1, Outside::Fill | Outside::Drop, DType::I32) => sized::<i32, Gaps>(size, stretch, side),
        (1, Outside::Fill | Outside::Drop, DType::I64) => sized::<i64, Gaps>(size, stretch, side),
        (1, Outside::Raise, DType::I32) => sized::<i32, Raise>(size, stretch, side),
        (1, Outside::Raise, DType::I64) => sized::<i64, Raise>(size, stretch, side),
        (2, Outside::Raise, DType::I32) => sized::<i32, TwoAxes>(size, stretch, side),
        (2, Outside::Raise, DType::I64) => sized::<i64, TwoAxes>(size, stretch, side),
        _ => return None,
    })
}

/// Private memory from which lines are streamed.
#[repr(align(64))]
struct Lines([MaybeUninit<u8>; 8 * PIECE]);

/// Picks each row from its `done`-th position on.
///
/// # Safety
/// As [`super::gather`].
pub(super) unsafe fn gather(size: usize, stretch: &Stretch, done: usize) -> bool {
    let Stretch { axes, dtype, mut from, along, mut to, count, asks, streamed, mut next, rows, .. } = *stretch;
    let [a, b] = match axes {
        [a] => [*a, Values::NONE],
        [a, b] => [*a, *b],
        _ => return false,
    };
    if axes.iter().any(|a| a.len == 0) {
        return done >= count;
    }
    let common = Common::of(size, stretch, [a, b]);
    let near = axes.last().is_some_and(|last| last.step == size as isize);
    let side = near && along == 0 && axes.iter().all(|a| a.each == dtype.size() as isize);
    let Some(each) = of(size, stretch, side) else { return false };
    // Short elements are streamed by whole lines, which are put together first.
    let lines = streamed && size <= 8 && (to.addr() | rows.to as usize | (done * size)).is_multiple_of(LINE);
    let pieces = asks || lines || next.bytes > 0;
    let mut first = [a.first, b.first];
    let mut packed = Lines([MaybeUninit::uninit(); 8 * PIECE]);
    for _ in 0..rows.count {
        if done == 0 {
            rows.ask(&Values { first: first[0], ..a }, count);
        }
        let mut k = done;
        while k < count {
            let n = if pieces { PIECE.min(count - k) } else { count - k };
            if next.bytes > 0 {
                (k..k + n).step_by(16).for_each(|k| next.ask(k));
            }
            let here = |axis: usize| first[axis].wrapping_offset(k as isize * common.each[axis]);
            let values = [here(0), here(1)];
            if asks {
                axes.iter().zip(values).for_each(|(a, first)| Values { first, ..*a }.ask(n));
            }
            let whole = lines && n == PIECE;
            // SAFETY: E1: the k-th place.
            let place = unsafe { to.add(k * size) };
            let run = GatherRun {
                first: values,
                count: n,
                known: count - k,
                from: from.wrapping_offset(k as isize * along),
                to: if whole { packed.0.as_mut_ptr().cast() } else { place },
            };
            // SAFETY: L1: the positions from k on; R1 and E1 by the caller; the private memory has room for a piece.
            unsafe {
                if !each(&common, run) {
                    return false;
                }
                if whole {
                    stream::copy(packed.0.as_ptr().cast(), place, n * size);
                }
            }
            k += n;
        }
        (from, to, next) = (from.wrapping_offset(rows.from), to.wrapping_offset(rows.to), next.on(rows.from));
        for (first, by) in first.iter_mut().zip(rows.values) {
            *first = first.wrapping_offset(by);
        }
    }
    true
}

/// Brings the elements at offsets to `to`, side by side.
///
/// # Safety
/// R1 for every offset; E1 for as many places.
type BringListed = unsafe fn(size: usize, from: *const u8, offsets: &[i32], to: *mut u8);

unsafe fn listed<M: Move>(size: usize, from: *const u8, offsets: &[i32], to: *mut u8) {
    let size = if M::SIZE == 0 { size } else { M::SIZE };
    for (k, o) in offsets.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { M::move_(from.offset(*o as isize), to.add(k * size), size) }
    }
}

/// Fetches the elements at offsets, from the `done`-th on.
///
/// # Safety
/// As [`super::fetch`].
pub(super) unsafe fn fetch(size: usize, from: *const u8, offsets: &[i32], to: *mut u8, next: Next, done: usize) {
    let bring: BringListed = match size {
        1 => listed::<Fixed<1>>,
        2 => listed::<Fixed<2>>,
        4 => listed::<Fixed<4>>,
        8 => listed::<Fixed<8>>,
        12 => listed::<Fixed<12>>,
        16 => listed::<Fixed<16>>,
        _ => listed::<Any>,
    };
    let piece = if next.bytes > 0 { PIECE } else { offsets.len().max(1) };
    for k in (done..offsets.len()).step_by(piece) {
        let end = offsets.len().min(k + piece);
        (k..end).step_by(16).take_while(|_| next.bytes > 0).for_each(|k| next.ask(k));
        // SAFETY: R1 and E1 by the caller.
        unsafe { bring(size, from, &offsets[k..end], to.add(k * size)) };
    }
}
