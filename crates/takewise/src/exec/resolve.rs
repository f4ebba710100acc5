//! Index operands to blocks of checked byte offsets.
//!
//! Memory safety must not depend on index memory keeping still, so a block goes through three private
//! steps: values are *widened* into a buffer of our own (the only time foreign memory is read), then
//! *checked* there, then *added up*. The buffer is handed through an optimisation barrier in between, so the
//! compiler cannot decide to read the foreign memory again. Widening knows dtypes and no rules, checking
//! knows rules and no dtypes: their number is a sum, not a product.
//!
//! What a block promises:
//!
//! * **R1** every offset that is not [`SKIP`] is a sum [`Plan::prove`] has bounded: the address it names, a
//!   whole chunk, lies in the hull of the indexed layout.

use super::costs::costs;
use crate::bounds::{back, clipped, from_end, is_place, misses, modulus, place, wrapped, wrapped_once};
use crate::dims::{advance, unravel, unravel_in};
use crate::dtype::DType;
use crate::index::rules::{Outside, Rules, Sign};
pub(crate) use crate::kernel::SKIP;
use crate::kernel::bounds::{within, within_one_length};
use crate::kernel::cpu::{per_level, prefetch_all, prefetch_on};
use crate::kernel::gather::ROWS_AHEAD;
use crate::plan::{Axis, Loop, Plan};
use smallvec::SmallVec;
use std::cell::Cell;
use std::hint::black_box;

/// Positions resolved at a time.
pub(crate) const BLOCK: usize = 512;
/// The same where many lanes reuse a block, so that rows stay in cache meanwhile.
pub(crate) const WIDE_BLOCK: usize = 4096;

/// Base address and dtype of an index operand.
#[derive(Clone, Copy)]
pub(crate) struct IndexOperand {
    pub ptr: *const u8,
    pub dtype: DType,
}

// SAFETY: an operand is a shared borrow of plain bytes (L1), as AnyView is.
unsafe impl Send for IndexOperand {}
// SAFETY: as above.
unsafe impl Sync for IndexOperand {}

/// The index arrays, in the order the plan registered them.
pub(crate) type Operands = SmallVec<[IndexOperand; 2]>;

/// Room for a block of so many positions at most, on the stack.
pub(crate) struct Block<const N: usize> {
    /// Index values, private to us.
    pub raw: [i64; N],
    /// Indexed-side offsets.
    pub indexed: [isize; N],
    /// Linear-side offsets, where they are not evenly spaced.
    pub linear: [isize; N],
    /// Positions in it.
    pub count: usize,
}

impl<const N: usize> Block<N> {
    pub(crate) const EMPTY: Block<N> = Block { raw: [0; N], indexed: [0; N], linear: [0; N], count: 0 };

    /// Resolves the first `count` values, whose offsets start at `base` and step by `step`; `false` at a bad one under a rule
    /// that raises.
    ///
    /// # Safety
    /// So many values are readable (L1).
    #[inline]
    pub(crate) unsafe fn resolve(&mut self, named: &Named, base: isize, step: isize, count: usize) -> bool {
        self.count = count;
        // SAFETY: passed on.
        unsafe { resolve_run(named, base, step, &mut self.raw[..count], &mut self.indexed[..count]) }
    }

    /// Keeps the positions that fall into a window, closing the gaps, and notes where on a linear side of this step they lie.
    pub(crate) fn keep(&mut self, (low, high): (isize, isize), step: isize) {
        let mut kept = 0;
        for k in 0..self.count.min(N) {
            let o = self.indexed[k];
            self.indexed[kept] = o;
            self.linear[kept] = k as isize * step;
            kept += usize::from(o >= low && o < high);
        }
        self.count = kept;
    }
}

/// Room for a block of any length, on the heap.
#[derive(Default)]
pub(crate) struct LongBlock {
    raw: Vec<i64>,
    /// As those of [`Block`].
    pub indexed: Vec<isize>,
    pub linear: Vec<isize>,
}

/// Index values along one loop, and the axis whose places they name.
#[derive(Clone, Copy)]
pub(crate) struct Named<'p> {
    pub axis: &'p Axis,
    pub rules: &'p Rules,
    pub dtype: DType,
    /// The first value, and the bytes from one to the next.
    pub first: *const u8,
    pub each: isize,
}

impl<'p> Named<'p> {
    /// The values of a plan's axis that begin `base` bytes on and lie `each` bytes apart.
    #[inline(always)]
    pub(crate) fn of(plan: &'p Plan, axis: &'p Axis, operand: IndexOperand, base: isize, each: isize) -> Named<'p> {
        Named { axis, rules: &plan.rules, dtype: operand.dtype, first: operand.ptr.wrapping_offset(base), each }
    }

    /// What values beyond 64 bits are reduced by before anything else.
    #[inline(always)]
    pub(crate) fn modulus(&self) -> Option<u64> {
        modulus(self.rules.outside, self.axis.len)
    }
}

thread_local! {
    /// The block of the last call on this thread, so that small calls allocate nothing.
    static SPARE: Cell<Option<LongBlock>> = const { Cell::new(None) };
}

impl LongBlock {
    pub(crate) fn new(capacity: usize) -> LongBlock {
        LongBlock { raw: Vec::with_capacity(capacity), indexed: Vec::with_capacity(capacity), linear: Vec::new() }
    }

    /// A block that returns to the thread when dropped.
    pub(crate) fn borrow(capacity: usize) -> Borrowed {
        let mut block = SPARE.try_with(Cell::take).ok().flatten().unwrap_or_default();
        block.indexed.clear();
        block.indexed.reserve(capacity);
        Borrowed(block)
    }
}

/// A block on loan from its thread.
pub(crate) struct Borrowed(LongBlock);

impl std::ops::Deref for Borrowed {
    type Target = LongBlock;
    fn deref(&self) -> &LongBlock {
        &self.0
    }
}

impl std::ops::DerefMut for Borrowed {
    fn deref_mut(&mut self) -> &mut LongBlock {
        &mut self.0
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let block = std::mem::take(&mut self.0);
        let _ = SPARE.try_with(|spare| spare.set(Some(block)));
    }
}

/// Index loops shorter than this are not worth checking one by one.
const SHORT: usize = 16;

/// Calls `run(first, count, coordinates-derived bases)` for each stretch of positions along the innermost
/// index loop in `start..start+count`.
pub(super) fn runs(plan: &Plan, start: usize, count: usize, mut run: impl FnMut(usize, usize, &[usize])) {
    blocks(plan, start, count, 1, |first, _, n, at| run(first, n, at));
}

/// [`runs`], up to `most` whole stretches of the loop around the innermost at once: calls
/// `run(first, stretches, count, coordinates)`.
pub(super) fn blocks(
    plan: &Plan,
    start: usize,
    count: usize,
    most: usize,
    mut run: impl FnMut(usize, usize, usize, &[usize]),
) {
    let (rank, extent) = (plan.index.len(), |d: usize| plan.index[d].extent);
    let mut at = unravel_in(start, rank, extent);
    let inner = plan.index.last().map_or(count, |l| l.extent);
    let mut done = 0;
    while done < count {
        let n = (inner - at.last().copied().unwrap_or(0)).min(count - done);
        let rows = if n == inner && rank > 1 {
            ((count - done) / inner).min(plan.index[rank - 2].extent - at[rank - 2]).min(most)
        } else {
            1
        };
        run(done, rows, n, &at);
        done += rows * n;
        if rows > 1 {
            at[rank - 2] += rows - 1;
        }
        advance(&mut at, n, extent, |_, _| {});
    }
}

/// Resolves positions `start..start+count`; `false` if a value is out of range under a raising rule (the
/// block must then not be used).
///
/// # Safety
/// The operands must be those the plan was built for (L1 over their proven hulls).
pub(crate) unsafe fn resolve(
    plan: &Plan,
    operands: &[IndexOperand],
    start: usize,
    count: usize,
    block: &mut LongBlock,
) -> bool {
    let LongBlock { raw, indexed, .. } = block;
    let last = plan.index.last();
    // The first axis of long loops sets offsets, so that none has to be laid out before it.
    let sets = !plan.axes.is_empty() && last.is_none_or(|l| l.extent >= SHORT);
    indexed.resize(count, 0);
    raw.resize(count, 0);
    let step = last.map_or(0, |l| l.indexed);
    let steps = |l: &Loop| l.indexed;
    let from = |at: &[usize]| plan.offset + sum(plan, at, steps);
    if !sets {
        side(plan, start, count, steps, |done, n, base| {
            let base = plan.offset + base;
            indexed[done..done + n].iter_mut().enumerate().for_each(|(k, o)| *o = base + k as isize * step);
        });
    }
    for (nth, axis) in plan.axes.iter().enumerate() {
        let operand = operands[axis.operand];
        let steps = |l: &Loop| l.operands[axis.operand];
        let each = last.map_or(0, steps);
        let far = row_step(plan, axis.operand);
        let values = |n: usize, base: isize| {
            let named = Named::of(plan, axis, operand, base, each);
            if far != 0 {
                prefetch_all(named.first.wrapping_offset(far.wrapping_mul(ROWS_AHEAD)), n * operand.dtype.size());
            }
            named
        };
        let mut good = true;
        if sets && nth == 0 {
            runs(plan, start, count, |done, n, at| {
                let named = values(n, sum(plan, at, steps));
                let (raw, out) = (&mut raw[done..done + n], &mut indexed[done..done + n]);
                // SAFETY: L1: base and step stay in the operand's hull, as the plan proves; K1.
                good &= unsafe { resolve_run(&named, from(at), step, raw, out) };
            });
        } else {
            side(plan, start, count, steps, |done, n, base| {
                let named = values(n, base);
                // SAFETY: as above.
                unsafe { widen(named.dtype, named.first, each, named.modulus(), &mut raw[done..done + n]) };
            });
            let raw = black_box(&mut raw[..]);
            // SAFETY: K1.
            good = unsafe { check(axis, &plan.rules, raw, indexed) };
        }
        if !good {
            return false;
        }
    }
    true
}

per_level! {
    /// Resolves the values of one loop, whose offsets start at `base` and step by `step`: the three steps for a single axis.
    /// `false` at a bad value under a rule that raises.
    ///
    /// # Safety
    /// As many values as there is room for are readable (L1).
    pub(super) unsafe fn resolve_run(named: &Named, base: isize, step: isize, raw: &mut [i64], out: &mut [isize]) -> bool {
        all: resolve_run_body
    }
}

#[inline(always)]
unsafe fn resolve_run_body(named: &Named, base: isize, step: isize, raw: &mut [i64], out: &mut [isize]) -> bool {
    // SAFETY: passed on.
    unsafe { widen_body(named.dtype, named.first, named.each, named.modulus(), raw) };
    let raw = black_box(&*raw);
    match step {
        0 => check_body(named.axis, named.rules, raw, out, Still(base)),
        _ => check_body(named.axis, named.rules, raw, out, Along { base, step }),
    }
}

/// The step from one row of an operand to the next, if rows are short and lie apart: the processor's own prefetching does
/// not follow those.
pub(super) fn row_step(plan: &Plan, operand: usize) -> isize {
    let [.., rows, inner] = &plan.index[..] else { return 0 };
    let (step, each) = (rows.operands[operand], inner.operands[operand]);
    let bytes = each.unsigned_abs().saturating_mul(inner.extent);
    if (64..=4096).contains(&bytes) && step.unsigned_abs() > bytes { step } else { 0 }
}

/// Values looked at between two requests for memory.
const LOOKED: usize = 256;

/// Whether [`resolve`] would find every value of positions `start..start+count` in range; nothing is resolved. Only the
/// verdict leaves, so the values are looked at where they lie.
///
/// # Safety
/// As [`resolve`].
pub(crate) unsafe fn verify(plan: &Plan, operands: &[IndexOperand], start: usize, count: usize) -> bool {
    let asks = plan.positions() >= costs().asked_writes;
    plan.axes.iter().all(|axis| {
        if plan.rules.outside != Outside::Raise && axis.len > 0 {
            return true;
        }
        let operand = operands[axis.operand];
        let steps = |l: &Loop| l.operands[axis.operand];
        let each = plan.index.last().map_or(0, steps);
        let mut good = true;
        side(plan, start, count, steps, |_, n, base| {
            let signed = plan.rules.sign == Sign::FromEnd;
            for start in (0..n).step_by(LOOKED) {
                let from = operand.ptr.wrapping_offset(base + start as isize * each);
                let count = LOOKED.min(n - start);
                if asks {
                    prefetch_on(from, each, count);
                }
                // SAFETY: L1: base and step stay in the operand's hull, as the plan proves.
                good &= unsafe { within(operand.dtype, from, each, count, axis.len as i64, signed) };
            }
        });
        good
    })
}

/// Fills the linear offsets of positions `start..start+count`.
pub(crate) fn linear_offsets(plan: &Plan, start: usize, count: usize, block: &mut LongBlock) {
    block.linear.clear();
    if plan.flat_linear {
        let layout = &plan.linear_layout;
        let mut at = unravel(start, layout.shape());
        for _ in 0..count {
            block.linear.push(layout.offset(&at));
            advance(&mut at, 1, |d| layout.shape()[d], |_, _| {});
        }
        return;
    }
    let steps = |l: &Loop| l.linear;
    let step = plan.index.last().map_or(0, steps);
    side(plan, start, count, steps, |_, n, base| block.linear.extend((0..n as isize).map(|k| base + k * step)));
}

/// The one step by which the linear side moves over all index positions, if there is one.
pub(crate) fn even_linear(plan: &Plan) -> Option<isize> {
    if plan.flat_linear {
        return None;
    }
    plan.select.as_ref().map(|s| s.linear).or_else(|| even(plan, |l| l.linear))
}

/// The one step by which a side moves over all index positions, if there is one, given its step in each loop.
fn even(plan: &Plan, step: impl Fn(&Loop) -> isize) -> Option<isize> {
    let even = plan.index.windows(2).all(|w| step(&w[1]).checked_mul(w[1].extent as isize) == Some(step(&w[0])));
    even.then(|| plan.index.last().map_or(0, step))
}

/// How far a side has moved at some coordinates.
fn sum(plan: &Plan, at: &[usize], step: impl Fn(&Loop) -> isize) -> isize {
    at.iter().zip(&plan.index).map(|(&c, l)| c as isize * step(l)).sum()
}

/// [`runs`] for a side, given its step in each loop: calls `run(first, count, base)`, once for all where the side moves evenly.
/// Rows are often shorter than a call takes.
fn side(
    plan: &Plan,
    start: usize,
    count: usize,
    step: impl Fn(&Loop) -> isize,
    mut run: impl FnMut(usize, usize, isize),
) {
    match even(plan, &step) {
        Some(each) => run(0, count, start as isize * each),
        None => runs(plan, start, count, |done, n, at| run(done, n, sum(plan, at, &step))),
    }
}

per_level! {
    /// Reads values as i64 into `out`. A u64 beyond i64 becomes i64::MAX, which is outside any axis (or is reduced
    /// modulo `wrap` first).
    ///
    /// # Safety
    /// As many readable elements of that dtype as `out` holds, `step` bytes apart, from `ptr` on (L1).
    pub(crate) unsafe fn widen(dtype: DType, ptr: *const u8, step: isize, wrap: Option<u64>, out: &mut [i64]) {
        all: widen_body
    }
}

#[inline(always)]
pub(super) unsafe fn widen_body(dtype: DType, ptr: *const u8, step: isize, wrap: Option<u64>, out: &mut [i64]) {
    macro_rules! load {
        ($t:ty, $f:expr) => {{
            let f = $f;
            if step == size_of::<$t>() as isize {
                for (k, o) in out.iter_mut().enumerate() {
                    // SAFETY: L1 by the caller; contiguous.
                    *o = f(unsafe { ptr.cast::<$t>().add(k).read_unaligned() });
                }
            } else {
                for (k, o) in out.iter_mut().enumerate() {
                    // SAFETY: L1 by the caller.
                    *o = f(unsafe { ptr.offset(k as isize * step).cast::<$t>().read_unaligned() });
                }
            }
        }};
    }
    match dtype {
        DType::Bool | DType::U8 => load!(u8, |v: u8| v as i64),
        DType::U16 => load!(u16, |v: u16| v as i64),
        DType::U32 => load!(u32, |v: u32| v as i64),
        DType::U64 => match wrap {
            Some(len) if len > 0 => load!(u64, |v: u64| (v % len) as i64),
            _ => load!(u64, |v: u64| v.min(i64::MAX as u64) as i64),
        },
        DType::I8 => load!(i8, |v: i8| v as i64),
        DType::I16 => load!(i16, |v: i16| v as i64),
        DType::I32 => load!(i32, |v: i32| v as i64),
        DType::I64 => load!(i64, |v: i64| v),
        // In the other byte order.
        DType::Opaque { .. } => match dtype.native() {
            DType::U16 => load!(u16, |v: u16| v.swap_bytes() as i64),
            DType::U32 => load!(u32, |v: u32| v.swap_bytes() as i64),
            DType::U64 => match wrap {
                Some(len) if len > 0 => load!(u64, |v: u64| (v.swap_bytes() % len) as i64),
                _ => load!(u64, |v: u64| v.swap_bytes().min(i64::MAX as u64) as i64),
            },
            DType::I16 => load!(i16, |v: i16| v.swap_bytes() as i64),
            DType::I32 => load!(i32, |v: i32| v.swap_bytes() as i64),
            DType::I64 => load!(i64, |v: i64| v.swap_bytes()),
            _ => out.fill(i64::MAX),
        },
        // Never planned: index dtypes are integers. Out of range for every axis.
        _ => out.fill(i64::MAX),
    }
}

/// Where a position's offset starts before an axis adds to it.
pub(super) trait Base: Copy {
    fn at(self, k: usize, so_far: isize) -> isize;
}

/// At one place.
#[derive(Clone, Copy)]
struct Still(isize);

/// At evenly spaced places.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub base: isize,
    pub step: isize,
}

/// Where the axes before left it.
#[derive(Clone, Copy)]
pub(super) struct Onward;

impl Base for Still {
    #[inline(always)]
    fn at(self, _: usize, _: isize) -> isize {
        self.0
    }
}

impl Base for Along {
    #[inline(always)]
    fn at(self, k: usize, _: isize) -> isize {
        self.base + k as isize * self.step
    }
}

impl Base for Onward {
    #[inline(always)]
    fn at(self, _: usize, so_far: isize) -> isize {
        so_far
    }
}

per_level! {
    /// Adds each value's offset to where the axes before left it; `false` if a raising rule met a value outside.
    ///
    /// # Safety
    /// None of its own.
    unsafe fn check(axis: &Axis, rules: &Rules, raw: &[i64], out: &mut [isize]) -> bool {
        all: check_onward
    }
}

#[inline(always)]
fn check_onward(axis: &Axis, rules: &Rules, raw: &[i64], out: &mut [isize]) -> bool {
    check_body(axis, rules, raw, out, Onward)
}

/// Adds each value's offset to its start and puts it into `out`; `false` if a raising rule met a value outside.
#[inline(always)]
pub(super) fn check_body<S: Base>(axis: &Axis, rules: &Rules, raw: &[i64], out: &mut [isize], start: S) -> bool {
    let (sign, outside) = (rules.sign, rules.outside);
    let n = axis.len as i64;
    let step = axis.step as i64;
    if !axis.digits.is_empty() || n == 0 {
        for (k, o) in out.iter_mut().enumerate() {
            *o = start.at(k, *o);
        }
        return check_slowly(axis, sign, outside, raw, out);
    }
    let back = back(sign, axis.len);
    match outside {
        Outside::Raise => {
            // Steps along contiguous axes are powers of two, and a shift is one instruction in the vectors of any
            // processor where a 64-bit product is a dozen.
            let shift = (step > 0 && step & (step - 1) == 0).then(|| step.trailing_zeros());
            match (sign, shift) {
                (Sign::FromEnd, Some(shift)) => raise::<S, true, true>(n, shift.into(), raw, out, start),
                (Sign::FromEnd, None) => raise::<S, true, false>(n, step, raw, out, start),
                (_, Some(shift)) => raise::<S, false, true>(n, shift.into(), raw, out, start),
                (_, None) => raise::<S, false, false>(n, step, raw, out, start),
            }
        }
        Outside::Clip => {
            for (k, (v, o)) in raw.iter().zip(out).enumerate() {
                *o = start.at(k, *o) + (clipped(*v, n, back) * step) as isize;
            }
            true
        }
        Outside::Wrap if within_one_length(n, raw) => {
            for (k, (v, o)) in raw.iter().zip(out).enumerate() {
                *o = start.at(k, *o) + (wrapped_once(*v, n) * step) as isize;
            }
            true
        }
        Outside::Wrap => {
            for (k, (v, o)) in raw.iter().zip(out).enumerate() {
                *o = start.at(k, *o) + (wrapped(*v, n) * step) as isize;
            }
            true
        }
        _ => {
            for (k, (v, o)) in raw.iter().zip(out).enumerate() {
                let (v, from) = (from_end(*v, back), start.at(k, *o));
                let inside = is_place(v, axis.len) && from != SKIP;
                *o = if inside { from + (v * step) as isize } else { SKIP };
            }
            true
        }
    }
}

/// The raising rule; `scale` is the step, or its logarithm.
#[inline(always)]
fn raise<S: Base, const SIGNED: bool, const SHIFT: bool>(
    n: i64,
    scale: i64,
    raw: &[i64],
    out: &mut [isize],
    start: S,
) -> bool {
    let mut bad = 0i64;
    for (k, (v, o)) in raw.iter().zip(out).enumerate() {
        let v = if SIGNED { from_end(*v, n) } else { *v };
        bad |= misses(v, n);
        let by = if SHIFT { v << (scale & 63) } else { v.wrapping_mul(scale) };
        *o = start.at(k, *o).wrapping_add(by as isize);
    }
    bad >= 0
}

fn check_slowly(axis: &Axis, sign: Sign, outside: Outside, raw: &[i64], out: &mut [isize]) -> bool {
    let mut good = true;
    for (v, o) in raw.iter().zip(out) {
        if *o == SKIP {
            continue;
        }
        let Some(at) = place(i128::from(*v), axis.len, sign, outside) else {
            *o = SKIP;
            good &= matches!(outside, Outside::Fill | Outside::Drop);
            continue;
        };
        if axis.digits.is_empty() {
            *o += at as isize * axis.step;
        } else {
            let mut flat = at;
            for (n, step) in axis.digits.iter().rev() {
                *o += (flat % n) as isize * step;
                flat /= n;
            }
        }
    }
    good
}
