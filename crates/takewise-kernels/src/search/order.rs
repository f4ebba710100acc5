//! Order in a sorted search: how a value is compared with the elements of a sequence.
//!
//! The value is brought to the sequence, never the sequence to the value. Whatever the promotion rules say
//! about two dtypes, "the search continues to the right of element `e`" is a threshold test on `e`, because
//! every conversion between numbers is monotone. So once per value, [`Hay::goal`] works out the threshold
//! *in the sequence's own type*, rounding and NaN rules included, and the search itself is one native
//! comparison per step. The alternative, a kernel per pair of dtypes, is 225 pairs times two sides times two
//! NaN orders, each converting at every step.

use crate::dtype::DType;
use half::{bf16, f16};
use std::marker::PhantomData;

/// A value to search for, exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Key {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

/// A float width something is rounded to before it is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatWidth {
    F16,
    BF16,
    F32,
    F64,
}

impl FloatWidth {
    /// The width of a float dtype, or of the parts of a complex one.
    pub fn of(dtype: DType) -> Option<FloatWidth> {
        match dtype {
            DType::F16 => Some(FloatWidth::F16),
            DType::BF16 => Some(FloatWidth::BF16),
            DType::F32 | DType::C64 => Some(FloatWidth::F32),
            DType::F64 | DType::C128 => Some(FloatWidth::F64),
            _ => None,
        }
    }

    /// Every integer of magnitude up to two to this power is kept by the rounding.
    fn precision(self) -> i32 {
        match self {
            FloatWidth::F16 => 11,
            FloatWidth::BF16 => 8,
            FloatWidth::F32 => 24,
            FloatWidth::F64 => 53,
        }
    }

    /// Rounds a float; halves go through f32, as torch's conversions do.
    fn round(self, v: f64) -> f64 {
        match self {
            FloatWidth::F16 => f16::from_f32(v as f32).to_f64(),
            FloatWidth::BF16 => bf16::from_f32(v as f32).to_f64(),
            FloatWidth::F32 => v as f32 as f64,
            FloatWidth::F64 => v,
        }
    }

    /// Rounds an integer; halves go through f32.
    fn round_int(self, v: i128) -> f64 {
        if let (FloatWidth::F64, Ok(v)) = (self, i64::try_from(v)) {
            return v as f64;
        }
        if self == FloatWidth::F64 {
            return v as f64;
        }
        let single = match (i64::try_from(v), u64::try_from(v)) {
            (Ok(v), _) => v as f32,
            (_, Ok(v)) => v as f32,
            _ => v as f32,
        };
        match self {
            FloatWidth::F16 => f16::from_f32(single).to_f64(),
            FloatWidth::BF16 => bf16::from_f32(single).to_f64(),
            _ => single as f64,
        }
    }
}

/// What happens to a value before it is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    Keep,
    Float(FloatWidth),
    /// An integer takes this dtype, wrapping around.
    Wrap(DType),
}

/// How values and sequence meet: the comparison dtype's effect on either side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// What happens to values.
    pub key: Rounding,
    /// The width integer elements of the sequence are seen in; `None` sees them exactly.
    pub seen: Option<FloatWidth>,
    /// Whether the search ends right of equal elements.
    pub right: bool,
}

impl Comparison {
    /// A value as it is compared.
    #[inline]
    pub fn rounded(&self, key: Key) -> Key {
        match (self.key, key) {
            (Rounding::Keep, key) => key,
            (Rounding::Float(w), Key::Int(i)) => Key::Float(w.round_int(i)),
            (Rounding::Float(w), Key::Float(f)) => Key::Float(w.round(f)),
            (Rounding::Float(w), Key::Complex(re, im)) => Key::Complex(w.round(re), w.round(im)),
            (Rounding::Wrap(d), Key::Int(i)) => Key::Int(wrap(i, d)),
            (Rounding::Wrap(_), key) => key,
        }
    }
}

fn wrap(v: i128, dtype: DType) -> i128 {
    match dtype {
        DType::Bool => (v != 0) as i128,
        DType::U8 => v as u8 as i128,
        DType::U16 => v as u16 as i128,
        DType::U32 => v as u32 as i128,
        DType::U64 => v as u64 as i128,
        DType::I8 => v as i8 as i128,
        DType::I16 => v as i16 as i128,
        DType::I32 => v as i32 as i128,
        DType::I64 => v as i64 as i128,
        _ => v,
    }
}

/// Where a search goes: straight to the front, to the back, or past the elements that pass a test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal<G> {
    Front,
    Past(G),
    Back,
}

/// The element type of a sequence, with its order.
pub trait Hay: 'static {
    /// An element as compared.
    type Elem: Copy;
    /// A threshold.
    type Goal: Copy + Default + Send + Sync;

    /// Reads an element.
    ///
    /// # Safety
    /// `at` is readable for one element of this type (any alignment).
    unsafe fn load(at: *const u8) -> Self::Elem;

    /// Whether the search continues to the right of `e`.
    fn before(e: Self::Elem, goal: Self::Goal) -> bool;

    /// The threshold of a value.
    fn goal(key: Key, comparison: &Comparison) -> Goal<Self::Goal>;
}

/// An integer type a sequence can hold.
pub trait Integer: Copy + PartialOrd + Default + Send + Sync + 'static {
    const MIN: i128;
    const MAX: i128;
    fn wrapping(v: i128) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Integer for $t {
            const MIN: i128 = <$t>::MIN as i128;
            const MAX: i128 = <$t>::MAX as i128;
            #[inline]
            fn wrapping(v: i128) -> $t { v as $t }
        }
    )*};
}
integers!(u8, u16, u32, u64, i8, i16, i32, i64);

/// Sequences of integers.
pub struct Ints<T>(PhantomData<T>);

impl<T: Integer> Hay for Ints<T> {
    type Elem = T;
    type Goal = T;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> T {
        // SAFETY: L1, from the caller.
        unsafe { at.cast::<T>().read_unaligned() }
    }

    #[inline(always)]
    fn before(e: T, goal: T) -> bool {
        e < goal
    }

    #[inline]
    fn goal(key: Key, comparison: &Comparison) -> Goal<T> {
        int_goal(key, comparison)
    }
}

/// Sequences of booleans: any nonzero byte is true.
pub struct Bools;

impl Hay for Bools {
    type Elem = u8;
    type Goal = u8;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> u8 {
        // SAFETY: L1, from the caller.
        unsafe { (at.read() != 0) as u8 }
    }

    #[inline(always)]
    fn before(e: u8, goal: u8) -> bool {
        e < goal
    }

    fn goal(key: Key, comparison: &Comparison) -> Goal<u8> {
        int_goal(key, comparison)
    }
}

/// The first integer the search does not pass.
#[inline]
fn int_goal<T: Integer>(key: Key, comparison: &Comparison) -> Goal<T> {
    let bound = match key {
        Key::Int(k) => k.saturating_add(comparison.right as i128),
        Key::Float(v) => match float_bound::<T>(v, comparison.right, comparison.seen) {
            Some(bound) => bound,
            None => return Goal::Back,
        },
        Key::Complex(re, im) => match real(re, im, comparison.right) {
            Some((re, right)) => match float_bound::<T>(re, right, comparison.seen) {
                Some(bound) => bound,
                None => return Goal::Back,
            },
            None => return Goal::Back,
        },
    };
    match bound {
        b if b <= T::MIN => Goal::Front,
        b if b > T::MAX => Goal::Back,
        b => Goal::Past(T::wrapping(b)),
    }
}

/// The first integer that, seen in width `seen`, is not below `v` (`right`: is above it); `None` for NaN,
/// which every integer is below.
fn float_bound<T: Integer>(v: f64, right: bool, seen: Option<FloatWidth>) -> Option<i128> {
    if v.is_nan() {
        return None;
    }
    let exact = if right { (v.floor() as i128).saturating_add(1) } else { v.ceil() as i128 };
    let Some(width) = seen else { return Some(exact) };
    if v.abs() < 2f64.powi(width.precision()) {
        return Some(exact);
    }
    // Beyond the precision several integers look alike. The first one that passes lies within a few units
    // in the last place of v (anywhere, for an infinite v), so bisect there.
    let slack = v.abs() * 2f64.powi(2 - width.precision());
    let end = T::MAX + 1;
    let (mut low, mut high) = match v.is_finite() {
        true => (((v - slack) as i128).clamp(T::MIN, end), ((v + slack) as i128).clamp(T::MIN, end)),
        false => (T::MIN, end),
    };
    while low < high {
        let mid = low + (high - low) / 2;
        let seen = width.round_int(mid);
        if seen < v || (right && seen == v) { low = mid + 1 } else { high = mid }
    }
    Some(low)
}

/// A complex value beside a real sequence, whose elements count as having imaginary part 0: the real value
/// and side that give the same answer, or `None` if every element is before it.
fn real(re: f64, im: f64, right: bool) -> Option<(f64, bool)> {
    let ties = im > 0.0 || (right && im == 0.0);
    match (re.is_nan(), im.is_nan()) {
        (false, false) => Some((re, ties)),
        (false, true) => Some((f64::NAN, false)),
        (true, false) if !ties => Some((f64::NAN, false)),
        _ => None,
    }
}

/// A float type a sequence is compared in.
pub trait Float: Copy + PartialOrd + Default + Send + Sync + 'static {
    const INFINITY: Self;
    const NEG_INFINITY: Self;
    fn up(self) -> Self;
    fn down(self) -> Self;
    /// The largest value at most `key`, and the smallest at least `key`; `None` for NaN.
    fn bracket(key: Key) -> Option<(Self, Self)>;
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Float for $t {
            const INFINITY: $t = <$t>::INFINITY;
            const NEG_INFINITY: $t = <$t>::NEG_INFINITY;
            #[inline]
            fn up(self) -> $t { self.next_up() }
            #[inline]
            fn down(self) -> $t { self.next_down() }
            #[inline]
            fn bracket(key: Key) -> Option<($t, $t)> {
                let (near, versus) = match key {
                    Key::Float(v) => {
                        let near = v as $t;
                        (near, (near as f64).partial_cmp(&v)?)
                    }
                    Key::Int(v) => {
                        let near = v as $t;
                        // Two to the 127th is above every i128, but saturates when cast back.
                        let top = near >= 170141183460469231731687303715884105728.0;
                        (near, if top { std::cmp::Ordering::Greater } else { (near as i128).cmp(&v) })
                    }
                    Key::Complex(..) => return None,
                };
                Some(match versus {
                    std::cmp::Ordering::Less => (near, near.next_up()),
                    std::cmp::Ordering::Equal => (near, near),
                    std::cmp::Ordering::Greater => (near.next_down(), near),
                })
            }
        }
    )*};
}
floats!(f32, f64);

/// A stored float and the type it is compared in.
pub trait StoredFloat: Copy + 'static {
    type As: Float;
    fn widen(self) -> Self::As;
}

macro_rules! stored {
    ($($t:ty => $c:ty, $f:expr);*) => {$(
        impl StoredFloat for $t {
            type As = $c;
            #[inline(always)]
            fn widen(self) -> $c { $f(self) }
        }
    )*};
}
stored!(f16 => f32, f16::to_f32; bf16 => f32, bf16::to_f32; f32 => f32, |v| v; f64 => f64, |v| v);

/// Sequences of floats. `LAST` sorts NaN after everything; otherwise comparisons with NaN are false and the
/// search goes right.
pub struct Floats<T, const LAST: bool>(PhantomData<T>);

impl<T: StoredFloat, const LAST: bool> Hay for Floats<T, LAST> {
    type Elem = T::As;
    type Goal = T::As;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> T::As {
        // SAFETY: L1, from the caller.
        unsafe { at.cast::<T>().read_unaligned() }.widen()
    }

    #[inline(always)]
    #[allow(clippy::neg_cmp_op_on_partial_ord)] // NaN must go right
    fn before(e: T::As, goal: T::As) -> bool {
        if LAST { e <= goal } else { !(e >= goal) }
    }

    #[inline]
    fn goal(key: Key, comparison: &Comparison) -> Goal<T::As> {
        let (key, right) = match key {
            Key::Complex(re, im) => match real(re, im, comparison.right) {
                Some((re, right)) => (Key::Float(re), right),
                None => return Goal::Back,
            },
            key => (key, comparison.right),
        };
        match (T::As::bracket(key), LAST, right) {
            (None, true, false) => Goal::Past(T::As::INFINITY),
            (None, ..) => Goal::Back,
            (Some((below, _)), true, true) => Goal::Past(below),
            (Some((_, above)), true, false) if above == T::As::NEG_INFINITY => Goal::Front,
            (Some((_, above)), true, false) => Goal::Past(above.down()),
            (Some((_, above)), false, false) => Goal::Past(above),
            (Some((below, _)), false, true) if below == T::As::INFINITY => Goal::Back,
            (Some((below, _)), false, true) => Goal::Past(below.up()),
        }
    }
}

/// Whether one complex number sorts before another: lexicographic, numbers with a NaN imaginary part after
/// all others, then those with a NaN real part, then those with both (NumPy's order).
pub fn complex_less(a: (f64, f64), b: (f64, f64)) -> bool {
    complex_key(a.0, a.1) < complex_key(b.0, b.1)
}

/// A key whose order is NumPy's order of complex numbers.
pub fn complex_key(re: f64, im: f64) -> (u8, u64, u64) {
    let class = (re.is_nan() as u8) * 2 + im.is_nan() as u8;
    (class, float_key(re), float_key(im))
}

/// A key whose order is that of floats, zeros equal, NaN after everything and equal to itself.
#[inline]
pub fn float_key(v: f64) -> u64 {
    if v.is_nan() {
        return u64::MAX;
    }
    let bits = (v + 0.0).to_bits();
    bits ^ (((bits as i64 >> 63) as u64) | 1 << 63)
}

/// As [`float_key`], for f32.
#[inline]
pub fn float_key32(v: f32) -> u32 {
    if v.is_nan() {
        return u32::MAX;
    }
    let bits = (v + 0.0).to_bits();
    bits ^ (((bits as i32 >> 31) as u32) | 1 << 31)
}

/// Sequences of complex numbers, in NumPy's order.
pub struct Complexes<T>(PhantomData<T>);

/// The parts of a complex threshold and whether ties are passed.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct ComplexGoal {
    at: (f64, f64),
    ties: bool,
}

/// Reads two parts and widens them.
macro_rules! complexes {
    ($($t:ty),*) => {$(
        impl Hay for Complexes<$t> {
            type Elem = (f64, f64);
            type Goal = ComplexGoal;

            #[inline(always)]
            unsafe fn load(at: *const u8) -> (f64, f64) {
                // SAFETY: L1, from the caller.
                let [re, im] = unsafe { at.cast::<[$t; 2]>().read_unaligned() };
                (re as f64, im as f64)
            }

            #[inline(always)]
            fn before(e: (f64, f64), goal: ComplexGoal) -> bool {
                if goal.ties { !complex_less(goal.at, e) } else { complex_less(e, goal.at) }
            }

            fn goal(key: Key, comparison: &Comparison) -> Goal<ComplexGoal> {
                let at = match key {
                    Key::Int(i) => (i as f64, 0.0),
                    Key::Float(f) => (f, 0.0),
                    Key::Complex(re, im) => (re, im),
                };
                Goal::Past(ComplexGoal { at, ties: comparison.right })
            }
        }
    )*};
}
complexes!(f32, f64);
