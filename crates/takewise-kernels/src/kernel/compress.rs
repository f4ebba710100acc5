//! What the bits of a mask's words select is packed, spread, filled or numbered.
//!
//! Where fewer than 64 places are left on the packed side, elements are moved one by one and counted, so that nothing is
//! written behind them and nothing is read behind them.

use super::cpu::{per_level, prefetch};
use super::level::{Bytes, Level, SPARSE, WORD, copy, each_bit, each_run, each_sparse};
use super::mask_words::{FAR, Flags, MaskRow, Plainly, Serve, ask, each_word, in_runs};
use std::hint::select_unpredictable;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

/// Selected places of a word above which long elements are taken in runs.
const MANY: u32 = 48;

/// Runs `$sized` with `$s` bound to one of the sizes that moves are compiled for, else `$other`.
macro_rules! by_size {
    ($size:expr, $s:ident => $sized:expr, $other:expr) => {
        by_size!(@ $size, $s, $sized, $other, 1, 2, 4, 8, 12, 16, 32, 64)
    };
    (@ $size:expr, $s:ident, $sized:expr, $other:expr, $($n:literal),*) => {
        match $size {
            $($n => {
                const $s: usize = $n;
                $sized
            })*
            _ => $other,
        }
    };
}

/// Copies the elements of a word, a quarter of a line at a time: a call for so few bytes costs more, and where they come from
/// memory the processor follows it less well.
///
/// # Safety
/// L1, E1: 64 elements of either side.
#[inline(always)]
unsafe fn copy_word<const S: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise.
    (0..WORD * S / 16).for_each(|k| unsafe { copy::<16>(from, k, to, k) });
}

per_level! {
    /// How many places of a row are selected.
    ///
    /// # Safety
    /// L1 for the row.
    pub unsafe fn count(row: MaskRow) -> usize {
        level: count_body
    }
}

#[inline(always)]
unsafe fn count_body<L: Level>(row: MaskRow) -> usize {
    if row.step == 0 {
        // SAFETY: L1: a row with places has a first one.
        return if row.len > 0 && unsafe { *row.mask } != 0 { row.len } else { 0 };
    }
    // SAFETY: passed on.
    unsafe { count_flags::<L, MaskRow>(row, row.len) }
}

/// Counts set bits.
struct Count(usize);

impl Serve for Count {
    #[inline(always)]
    unsafe fn word(&mut self, _: usize, word: u64, _: *const u8, _: bool) -> ControlFlow<()> {
        self.0 += word.count_ones() as usize;
        ControlFlow::Continue(())
    }
}

/// # Safety
/// As [`each_word`].
#[inline(always)]
pub unsafe fn count_flags<L: Level, C: Flags>(flags: C, len: usize) -> usize {
    let mut counted = Count(0);
    // SAFETY: passed on.
    unsafe { each_word::<L, C, _>(flags, len, &mut counted) };
    counted.0
}

/// The side that lies packed: how far it is done, in elements, and where it ends.
struct Packed {
    done: usize,
    room: usize,
}

impl Packed {
    /// Whether a word may touch 64 elements.
    #[inline(always)]
    fn has_word(&self) -> bool {
        self.room - self.done >= WORD
    }

    /// Calls `f(n, k)` for the set bits k for which there is an n-th element.
    #[inline(always)]
    fn singly(&self, word: u64, mut f: impl FnMut(usize, usize)) {
        each_bit(word, |n, k| {
            if self.done + n < self.room {
                f(self.done + n, k);
            }
        });
    }

    /// Moves on by the selected places of a word.
    #[inline(always)]
    fn pass(&mut self, word: u64) -> ControlFlow<()> {
        self.done += (word.count_ones() as usize).min(self.room - self.done);
        if self.done < self.room { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

per_level! {
    /// Copies the `size`-byte elements a row selects, which lie side by side from `from` on, to `to` and on; stops after
    /// `room` of them. Returns how many it copied.
    ///
    /// # Safety
    /// L1 for the row and its elements; `room` elements of `to` are writable (E1), and the sides do not meet (L3).
    pub unsafe fn pack(row: MaskRow, size: usize, from: *const u8, to: *mut u8, room: usize) -> usize {
        level: pack_body
    }
}

#[inline(always)]
unsafe fn pack_body<L: Level>(row: MaskRow, size: usize, from: *const u8, to: *mut u8, room: usize) -> usize {
    // SAFETY: passed on.
    unsafe { by_size!(size, S => pack_row::<L, S>(row, from, to, room), pack_chunks::<L>(row, size, from, to, room)) }
}

/// Two sides, one of them packed: what a row selects of `from` goes to `to`.
struct Transfer<L, const S: usize> {
    from: *const u8,
    to: *mut u8,
    packed: Packed,
    /// Whether the side that is not packed is beyond the second-level cache.
    far: bool,
    level: PhantomData<L>,
}

impl<L, const S: usize> Transfer<L, S> {
    /// [`Serve::AHEAD`]: what is asked for must not fill the first-level cache.
    const AHEAD: usize = if S >= 16 { 8 } else { 32 };

    /// [`Serve::asks`]: where so many places were selected that the processor follows by itself, asking only takes time. It
    /// follows elements of a quarter of a line and more less well.
    #[inline(always)]
    fn asks(&self, k: usize) -> bool {
        self.far && (S >= 16 || self.packed.done <= k / 4)
    }
}

/// [`Transfer`] to a packed side.
struct Pack<L, const S: usize>(Transfer<L, S>);

impl<L: Level, const S: usize> Serve for Pack<L, S> {
    const AHEAD: usize = Transfer::<L, S>::AHEAD;

    #[inline(always)]
    unsafe fn word(&mut self, k: usize, word: u64, _: *const u8, whole: bool) -> ControlFlow<()> {
        let Transfer { from, to, packed, .. } = &mut self.0;
        // SAFETY: L1 and E1 by `pack`: a whole word is 64 places of the row, and the packed side is asked for room.
        unsafe {
            let (from, to, next) = (from.add(k * S), *to, to.add(packed.done * S));
            match word {
                _ if !whole || !packed.has_word() => packed.singly(word, |n, k| copy::<S>(from, k, to, n)),
                _ if word.count_ones() <= SPARSE as u32 => each_sparse(word, |n, k, there| {
                    let from = select_unpredictable(there, from.wrapping_add(k * S), next.cast_const());
                    copy::<S>(from, 0, next, n);
                }),
                u64::MAX if S > L::EVENLY => copy_word::<S>(from, next),
                _ if S > 16 && word.count_ones() > MANY => each_run(word, |n, k, run| {
                    std::ptr::copy_nonoverlapping(from.add(k * S), next.add(n * S), run * S);
                }),
                _ if S > 16 => each_bit(word, |n, k| copy::<S>(from, k, next, n)),
                _ => L::pack::<S>(word, from, next),
            }
        }
        packed.pass(word)
    }

    #[inline(always)]
    fn asks(&self, k: usize) -> bool {
        self.0.asks(k)
    }

    #[inline(always)]
    fn ask(&self, k: usize, word: u64) {
        let from = self.0.from.wrapping_add(k * S);
        match word {
            _ if S >= 16 && in_runs(word) => (0..S).for_each(|line| prefetch(from.wrapping_add(line * 64))),
            _ => ask::<S>(from, word, (&raw const self.0).cast()),
        }
    }
}

#[inline(always)]
unsafe fn pack_row<L: Level, const S: usize>(row: MaskRow, from: *const u8, to: *mut u8, room: usize) -> usize {
    let mut serve = Pack::<L, S>(Transfer {
        from,
        to,
        packed: Packed { done: 0, room },
        far: row.len * S >= FAR,
        level: PhantomData,
    });
    // SAFETY: passed on.
    unsafe { each_word::<L, MaskRow, _>(row, row.len, &mut serve) };
    serve.0.packed.done
}

#[inline(always)]
unsafe fn pack_chunks<L: Level>(row: MaskRow, size: usize, from: *const u8, to: *mut u8, room: usize) -> usize {
    let mut packed = Packed { done: 0, room };
    let word = |k: usize, word: u64| {
        each_run(word, |n, j, run| {
            let n = packed.done + n;
            if n < room {
                // SAFETY: L1 and E1 by the caller, as far as there is room.
                unsafe {
                    let (from, to) = (from.add((k + j) * size), to.add(n * size));
                    std::ptr::copy_nonoverlapping(from, to, run.min(room - n) * size);
                }
            }
        });
        packed.pass(word)
    };
    // SAFETY: passed on.
    unsafe { each_word::<L, MaskRow, _>(row, row.len, &mut Plainly(word)) };
    packed.done
}

per_level! {
    /// Copies elements from `from` and on to the places a row selects, which lie side by side from `to` on; stops after
    /// `room` of them. Returns how many it copied.
    ///
    /// # Safety
    /// L1 for the row; all its places at `to` are writable (E1), `room` elements of `from` are readable (L1), and the sides
    /// do not meet (L3).
    pub unsafe fn spread(row: MaskRow, size: usize, from: *const u8, to: *mut u8, room: usize) -> usize {
        level: spread_body
    }
}

#[inline(always)]
unsafe fn spread_body<L: Level>(row: MaskRow, size: usize, from: *const u8, to: *mut u8, room: usize) -> usize {
    // SAFETY: passed on.
    unsafe {
        by_size!(size, S => spread_row::<L, S>(row, from, to, room), spread_chunks::<L>(row, size, from, to, room))
    }
}

/// [`Transfer`] from a packed side.
struct Spread<L, const S: usize>(Transfer<L, S>);

impl<L: Level, const S: usize> Serve for Spread<L, S> {
    const AHEAD: usize = Transfer::<L, S>::AHEAD;

    #[inline(always)]
    unsafe fn word(&mut self, k: usize, word: u64, _: *const u8, whole: bool) -> ControlFlow<()> {
        let Transfer { from, to, packed, .. } = &mut self.0;
        // SAFETY: L1 and E1 by `spread`: a whole word is 64 places of the row, and the packed side is asked for room.
        unsafe {
            let (from, next, to) = (*from, from.add(packed.done * S), to.add(k * S));
            match word {
                _ if !whole || !packed.has_word() => packed.singly(word, |n, k| copy::<S>(from, n, to, k)),
                _ if word.count_ones() <= SPARSE as u32 => each_sparse(word, |n, k, there| {
                    let mut nowhere: Bytes<S> = [MaybeUninit::uninit(); S];
                    let to = select_unpredictable(there, to.wrapping_add(k * S), nowhere.as_mut_ptr().cast());
                    copy::<S>(next, n, to, 0);
                }),
                u64::MAX => copy_word::<S>(next, to),
                _ => L::spread::<S>(word, next, to),
            }
        }
        packed.pass(word)
    }

    #[inline(always)]
    fn asks(&self, k: usize) -> bool {
        self.0.asks(k)
    }

    #[inline(always)]
    fn ask(&self, k: usize, word: u64) {
        ask::<S>(self.0.to.wrapping_add(k * S), word, (&raw const self.0).cast());
    }
}

#[inline(always)]
unsafe fn spread_row<L: Level, const S: usize>(row: MaskRow, from: *const u8, to: *mut u8, room: usize) -> usize {
    let mut serve = Spread::<L, S>(Transfer {
        from,
        to,
        packed: Packed { done: 0, room },
        far: row.len * S >= FAR,
        level: PhantomData,
    });
    // SAFETY: passed on.
    unsafe { each_word::<L, MaskRow, _>(row, row.len, &mut serve) };
    serve.0.packed.done
}

#[inline(always)]
unsafe fn spread_chunks<L: Level>(row: MaskRow, size: usize, from: *const u8, to: *mut u8, room: usize) -> usize {
    let mut packed = Packed { done: 0, room };
    let word = |k: usize, word: u64| {
        each_run(word, |n, j, run| {
            let n = packed.done + n;
            if n < room {
                // SAFETY: L1 and E1 by the caller, as far as there are elements.
                unsafe {
                    let (from, to) = (from.add(n * size), to.add((k + j) * size));
                    std::ptr::copy_nonoverlapping(from, to, run.min(room - n) * size);
                }
            }
        });
        packed.pass(word)
    };
    // SAFETY: passed on.
    unsafe { each_word::<L, MaskRow, _>(row, row.len, &mut Plainly(word)) };
    packed.done
}

per_level! {
    /// Stores one element at all places a row selects, which lie side by side from `to` on.
    ///
    /// # Safety
    /// L1 for the row; all its places at `to` are writable (E1); `value` is one element.
    pub unsafe fn fill(row: MaskRow, size: usize, value: *const u8, to: *mut u8) {
        level: fill_body
    }
}

#[inline(always)]
unsafe fn fill_body<L: Level>(row: MaskRow, size: usize, value: *const u8, to: *mut u8) {
    // SAFETY: passed on.
    unsafe {
        match size {
            1 => fill_row::<L, 1>(row, value, to),
            2 => fill_row::<L, 2>(row, value, to),
            4 => fill_row::<L, 4>(row, value, to),
            8 => fill_row::<L, 8>(row, value, to),
            16 => fill_row::<L, 16>(row, value, to),
            _ => each_word::<L, MaskRow, _>(
                row,
                row.len,
                &mut Plainly(|k: usize, word| {
                    each_bit(word, |_, j| std::ptr::copy_nonoverlapping(value, to.add((k + j) * size), size));
                    ControlFlow::Continue(())
                }),
            ),
        }
    }
}

/// Stores one element, of which `pattern` holds 64 bytes again and again.
struct Overwrite<L, const S: usize> {
    pattern: Bytes<WORD>,
    to: *mut u8,
    far: bool,
    level: PhantomData<L>,
}

impl<L: Level, const S: usize> Serve for Overwrite<L, S> {
    #[inline(always)]
    unsafe fn word(&mut self, k: usize, word: u64, bytes: *const u8, whole: bool) -> ControlFlow<()> {
        let value: *const u8 = self.pattern.as_ptr().cast();
        // SAFETY: L1 and E1 by `fill`: a whole word is 64 places of the row.
        unsafe {
            let to = self.to.add(k * S);
            match word {
                _ if !whole => each_bit(word, |_, k| copy::<S>(value, 0, to, k)),
                _ if S <= L::MASKED => L::fill::<S>(word, bytes, value, to),
                _ if word.count_ones() <= SPARSE as u32 => each_sparse(word, |_, k, there| {
                    let mut nowhere: Bytes<S> = [MaybeUninit::uninit(); S];
                    let to = select_unpredictable(there, to.wrapping_add(k * S), nowhere.as_mut_ptr().cast());
                    copy::<S>(value, 0, to, 0);
                }),
                u64::MAX => (0..S).for_each(|k| std::ptr::copy_nonoverlapping(value, to.add(k * WORD), WORD)),
                _ => L::fill::<S>(word, bytes, value, to),
            }
        }
        ControlFlow::Continue(())
    }

    /// Masked stores are followed by the processor itself.
    #[inline(always)]
    fn asks(&self, _: usize) -> bool {
        self.far && S > L::MASKED
    }

    #[inline(always)]
    fn ask(&self, k: usize, word: u64) {
        ask::<S>(self.to.wrapping_add(k * S), word, self.pattern.as_ptr().cast());
    }
}

#[inline(always)]
unsafe fn fill_row<L: Level, const S: usize>(row: MaskRow, value: *const u8, to: *mut u8) {
    let mut serve =
        Overwrite::<L, S> { pattern: [MaybeUninit::uninit(); WORD], to, far: row.len * S >= FAR, level: PhantomData };
    // SAFETY: 64 bytes hold as many elements as fit; `value` is one (L1). The rest is passed on.
    unsafe {
        (0..WORD / S).for_each(|k| copy::<S>(value, 0, serve.pattern.as_mut_ptr().cast(), k));
        each_word::<L, MaskRow, _>(row, row.len, &mut serve);
    }
}

per_level! {
    /// Writes `base + k * step` for the selected places k of a row to `to` and on, at most `room` of them. Returns how
    /// many it wrote.
    ///
    /// # Safety
    /// L1 for the row; `room` numbers at `to` are writable (E1).
    pub unsafe fn places(row: MaskRow, base: i64, step: i64, to: *mut i64, room: usize) -> usize {
        level: places_body
    }
}

#[inline(always)]
unsafe fn places_body<L: Level>(row: MaskRow, base: i64, step: i64, to: *mut i64, room: usize) -> usize {
    // SAFETY: passed on.
    unsafe { places_flags::<L, MaskRow>(row, row.len, base, step, to, room) }
}

/// Writes the numbers `base + k * step` of places k.
struct Numbering<L> {
    base: i64,
    step: i64,
    to: *mut i64,
    packed: Packed,
    level: PhantomData<L>,
}

impl<L: Level> Serve for Numbering<L> {
    #[inline(always)]
    unsafe fn word(&mut self, k: usize, word: u64, _: *const u8, _: bool) -> ControlFlow<()> {
        let Numbering { step, to, packed, .. } = self;
        let (base, step) = (self.base + k as i64 * *step, *step);
        let place = |k: usize| base.wrapping_add((k as i64).wrapping_mul(step));
        // SAFETY: E1 by `places`, as far as there is room.
        unsafe {
            let next = to.add(packed.done);
            match word {
                _ if !packed.has_word() => packed.singly(word, |n, k| to.add(n).write_unaligned(place(k))),
                _ if word.count_ones() <= SPARSE as u32 => {
                    each_sparse(word, |n, k, _| next.add(n).write_unaligned(place(k)))
                }
                _ => L::places(word, base, step, next),
            }
        }
        packed.pass(word)
    }
}

/// # Safety
/// As [`places()`].
#[inline(always)]
pub unsafe fn places_flags<L: Level, C: Flags>(
    flags: C,
    len: usize,
    base: i64,
    step: i64,
    to: *mut i64,
    room: usize,
) -> usize {
    let mut serve = Numbering::<L> { base, step, to, packed: Packed { done: 0, room }, level: PhantomData };
    // SAFETY: passed on.
    unsafe { each_word::<L, C, _>(flags, len, &mut serve) };
    serve.packed.done
}
