//! Casts between dtypes, for tensors: integers wrap, floats truncate, complex numbers drop what does not
//! fit, and nothing ever fails (SEMANTICS.md, Conversion of arrays).
//!
//! A cast of n dtypes to n dtypes would be n*n loops. Here every element is lifted to one of four wide
//! numbers (i64, u64, f64, complex128, all exact) and lowered from it, a block at a time in L1: 15 loads
//! and 15 stores per wide number. Rejected: one loop per pair, 225 bodies for the same speed out of cache.

use crate::dtype::DType;
use crate::rules::Conversion;
use half::{bf16, f16};
use num_complex::Complex;

/// Elements lifted at a time: 4 KiB of the widest number.
pub const BLOCK: usize = 256;

/// The wide number a dtype is lifted to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mid {
    Signed,
    Unsigned,
    Real,
    Complex,
}

/// Which wide number holds every value of a dtype; records have none.
#[inline]
pub fn mid(dtype: DType) -> Option<Mid> {
    Some(match dtype {
        DType::U64 => Mid::Unsigned,
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Mid::Real,
        DType::C64 | DType::C128 => Mid::Complex,
        DType::Opaque { .. } => return None,
        _ => Mid::Signed,
    })
}

/// Room for one block of each wide number.
pub struct WideBlock {
    signed: [i64; BLOCK],
    unsigned: [u64; BLOCK],
    real: [f64; BLOCK],
    complex: [Complex<f64>; BLOCK],
    /// Elements in this machine's byte order.
    swapped: [u128; BLOCK],
}

impl WideBlock {
    pub fn new() -> Box<WideBlock> {
        let zero = Complex { re: 0.0, im: 0.0 };
        Box::new(WideBlock {
            signed: [0; BLOCK],
            unsigned: [0; BLOCK],
            real: [0.0; BLOCK],
            complex: [zero; BLOCK],
            swapped: [0; BLOCK],
        })
    }
}

/// Casts `count` strided elements.
///
/// # Safety
/// L1: `count` elements of `from` are readable at steps of `src_step` bytes, and of `to` writable; the two
/// do not overlap.
pub unsafe fn run(
    from: DType,
    src: *const u8,
    src_step: isize,
    to: DType,
    dst: *mut u8,
    dst_step: isize,
    count: usize,
    how: Conversion,
    scratch: &mut WideBlock,
) {
    if from == to {
        // SAFETY: L1, handed on.
        return unsafe { copy(src, src_step, dst, dst_step, from.size(), count) };
    }
    let (swaps_from, swaps_to) = (from != from.native(), to != to.native());
    let (from, to) = (from.native(), to.native());
    if from == to {
        // SAFETY: L1, handed on.
        return unsafe { swap_bytes(from, src, src_step, dst, dst_step, count) };
    }
    let mut done = 0;
    while done < count {
        let n = (count - done).min(BLOCK);
        // SAFETY: L1: element `done` is one of the `count`.
        let (mut s, d) = unsafe { (src.offset(done as isize * src_step), dst.offset(done as isize * dst_step)) };
        let swapped = scratch.swapped.as_mut_ptr().cast::<u8>();
        let mut s_step = src_step;
        if swaps_from {
            // SAFETY: L1: `n` elements from `s` on; the block has room for so many of the largest.
            unsafe { swap_bytes(from, s, src_step, swapped, from.size() as isize, n) };
            (s, s_step) = (swapped, from.size() as isize);
        }
        let (to_ptr, to_step) = if swaps_to { (swapped, to.size() as isize) } else { (d, dst_step) };
        macro_rules! pass {
            ($buffer:ident, $t:ty) => {{
                let block = &mut scratch.$buffer[..n];
                // SAFETY: L1: `n` elements from `s` and `d` on are among the `count`. Elements in the block are all lifted
                // before the first is lowered.
                unsafe {
                    <$t as Wide>::lift(from, s, s_step, block);
                    <$t as Wide>::lower(block, to, to_ptr, to_step, how);
                }
            }};
        }
        match mid(from) {
            Some(Mid::Signed) => pass!(signed, i64),
            Some(Mid::Unsigned) => pass!(unsigned, u64),
            Some(Mid::Real) => pass!(real, f64),
            Some(Mid::Complex) => pass!(complex, Complex<f64>),
            None => {}
        }
        if swaps_to {
            // SAFETY: L1: `n` elements from `d` on.
            unsafe { swap_bytes(to, swapped, to.size() as isize, d, dst_step, n) };
        }
        done += n;
    }
}

/// Copies `count` numbers of `dtype` or its swapped form, with their bytes in the other order.
///
/// # Safety
/// As [`run`].
pub unsafe fn swap_bytes(dtype: DType, src: *const u8, src_step: isize, dst: *mut u8, dst_step: isize, count: usize) {
    macro_rules! swapped {
        ($t:ty, $parts:expr) => {
            for k in 0..count as isize {
                for part in 0..$parts {
                    // SAFETY: L1 of both; any alignment.
                    unsafe {
                        let v = src.offset(k * src_step).cast::<$t>().add(part).read_unaligned();
                        dst.offset(k * dst_step).cast::<$t>().add(part).write_unaligned(v.swap_bytes());
                    }
                }
            }
        };
    }
    let parts = dtype.size() / dtype.unit();
    match dtype.unit() {
        2 => swapped!(u16, parts),
        4 => swapped!(u32, parts),
        8 => swapped!(u64, parts),
        // SAFETY: L1, handed on.
        _ => unsafe { copy(src, src_step, dst, dst_step, dtype.size(), count) },
    }
}

/// Elements that [`run_small`] converts at most.
pub const SMALL: usize = 32;

/// [`run`] of a few elements, with room for them on the stack.
///
/// # Safety
/// As [`run`]; `count` is [`SMALL`] at most.
pub unsafe fn run_small(
    from: DType,
    src: *const u8,
    src_step: isize,
    to: DType,
    dst: *mut u8,
    dst_step: isize,
    count: usize,
    how: Conversion,
) {
    if from == to {
        // SAFETY: L1, handed on.
        return unsafe { copy(src, src_step, dst, dst_step, from.size(), count) };
    }
    macro_rules! pass {
        ($zero:expr, $t:ty) => {{
            // Clearing room for the most would be most of the work for one.
            let (mut one, mut all);
            let block: &mut [$t] = if count == 1 {
                one = [$zero; 1];
                &mut one
            } else {
                all = [$zero; SMALL];
                &mut all[..count]
            };
            // SAFETY: L1: as many elements as the block has.
            unsafe {
                <$t as Wide>::lift(from, src, src_step, block);
                <$t as Wide>::lower(block, to, dst, dst_step, how);
            }
        }};
    }
    match mid(from) {
        Some(Mid::Signed) => pass!(0, i64),
        Some(Mid::Unsigned) => pass!(0, u64),
        Some(Mid::Real) => pass!(0.0, f64),
        Some(Mid::Complex) => pass!(Complex { re: 0.0, im: 0.0 }, Complex<f64>),
        None => {}
    }
}

/// Copies `count` elements of `size` bytes.
///
/// # Safety
/// As [`run`].
unsafe fn copy(src: *const u8, src_step: isize, dst: *mut u8, dst_step: isize, size: usize, count: usize) {
    if src_step == size as isize && dst_step == src_step {
        // SAFETY: L1 of both, without overlap.
        return unsafe { std::ptr::copy_nonoverlapping(src, dst, size * count) };
    }
    macro_rules! moves {
        ($t:ty) => {
            for k in 0..count as isize {
                // SAFETY: L1 of both; any alignment.
                unsafe {
                    let v = src.offset(k * src_step).cast::<$t>().read_unaligned();
                    dst.offset(k * dst_step).cast::<$t>().write_unaligned(v);
                }
            }
        };
    }
    match size {
        1 => moves!(u8),
        2 => moves!(u16),
        4 => moves!(u32),
        8 => moves!(u64),
        16 => moves!(u128),
        _ => {
            for k in 0..count as isize {
                // SAFETY: L1 of both, without overlap.
                unsafe { std::ptr::copy_nonoverlapping(src.offset(k * src_step), dst.offset(k * dst_step), size) }
            }
        }
    }
}

/// A wide number: how elements of each dtype become one, and how it becomes an element of each dtype.
pub trait Wide: Copy {
    /// Lifts strided elements into `out`. Does nothing for a dtype lifted to another wide number.
    ///
    /// # Safety
    /// L1: `out.len()` elements of `from` are readable at steps of `step` bytes.
    unsafe fn lift(from: DType, src: *const u8, step: isize, out: &mut [Self]);

    /// Lowers `block` into strided elements, as a library does it.
    ///
    /// # Safety
    /// L1: `block.len()` elements of `to` are writable at steps of `step` bytes.
    unsafe fn lower(block: &[Self], to: DType, dst: *mut u8, step: isize, how: Conversion);
}

/// # Safety
/// L1: `out.len()` values of `T` are readable at steps of `step` bytes.
#[inline(always)]
unsafe fn lift_each<T: Copy, M>(src: *const u8, step: isize, out: &mut [M], f: impl Fn(T) -> M) {
    if step == size_of::<T>() as isize {
        let src = src.cast::<T>();
        for (k, slot) in out.iter_mut().enumerate() {
            // SAFETY: L1; any alignment.
            *slot = f(unsafe { src.add(k).read_unaligned() });
        }
    } else {
        for (k, slot) in out.iter_mut().enumerate() {
            // SAFETY: L1; any alignment.
            *slot = f(unsafe { src.offset(k as isize * step).cast::<T>().read_unaligned() });
        }
    }
}

/// # Safety
/// L1: `block.len()` values of `T` are writable at steps of `step` bytes.
#[inline(always)]
unsafe fn lower_each<T, M: Copy>(block: &[M], dst: *mut u8, step: isize, f: impl Fn(M) -> T) {
    if step == size_of::<T>() as isize {
        let dst = dst.cast::<T>();
        for (k, &v) in block.iter().enumerate() {
            // SAFETY: L1; any alignment.
            unsafe { dst.add(k).write_unaligned(f(v)) }
        }
    } else {
        for (k, &v) in block.iter().enumerate() {
            // SAFETY: L1; any alignment.
            unsafe { dst.offset(k as isize * step).cast::<T>().write_unaligned(f(v)) }
        }
    }
}

/// `v` in f32, rounded to odd: rounding the result to half precision then equals rounding `v` once.
pub fn odd(v: f64) -> f32 {
    let near = v as f32;
    let bits = near.to_bits();
    if near as f64 == v || !near.is_finite() || bits & 1 == 1 {
        return near;
    }
    f32::from_bits(if v.abs() > (near as f64).abs() { bits + 1 } else { bits - 1 })
}

/// Float to integer as x86 converts: what torch and NumPy give for NaN and values out of range.
pub mod x86 {
    /// `cvttsd2si` with a 64-bit result.
    #[inline(always)]
    pub fn to_i64(v: f64) -> i64 {
        if v < 9223372036854775808.0 { v as i64 } else { i64::MIN }
    }

    /// `cvttsd2si` with a 32-bit result.
    #[inline(always)]
    pub fn to_i32(v: f64) -> i32 {
        if v > -2147483649.0 && v < 2147483648.0 { v as i32 } else { i32::MIN }
    }

    /// The two-step conversion compilers emit for a 64-bit unsigned result.
    #[inline(always)]
    pub fn to_u64(v: f64) -> u64 {
        const HALF: f64 = 9223372036854775808.0;
        if v >= HALF { to_i64(v - HALF) as u64 ^ (1 << 63) } else { to_i64(v) as u64 }
    }
}

macro_rules! wide {
    ($m:ty, lift { $($from:ident: $s:ty => $lift:expr,)* }, lower { $($to:ident: $d:ty => $lower:expr,)* },
     saturate { $($near:ident: $e:ty => $saturate:expr,)* }, halves { $once:expr, $single:expr }) => {
        impl Wide for $m {
            unsafe fn lift(from: DType, src: *const u8, step: isize, out: &mut [$m]) {
                // SAFETY: L1, handed on; every bit pattern of the raw types is valid.
                unsafe {
                    match from {
                        $(DType::$from => lift_each(src, step, out, |v: $s| -> $m { $lift(v) }),)*
                        _ => debug_assert!(false, "lifted elsewhere"),
                    }
                }
            }

            unsafe fn lower(block: &[$m], to: DType, dst: *mut u8, step: isize, how: Conversion) {
                let once = how == Conversion::IntegersChecked;
                // SAFETY: L1, handed on.
                unsafe {
                    match to {
                        $(DType::$near if how == Conversion::Saturate => {
                            lower_each(block, dst, step, |v: $m| -> $e { $saturate(v) })
                        })*
                        $(DType::$to => lower_each(block, dst, step, |v: $m| -> $d { $lower(v) }),)*
                        DType::F16 if once => lower_each(block, dst, step, |v: $m| f16::from_f32(odd($once(v)))),
                        DType::BF16 if once => lower_each(block, dst, step, |v: $m| bf16::from_f32(odd($once(v)))),
                        DType::F16 => lower_each(block, dst, step, |v: $m| f16::from_f32($single(v))),
                        DType::BF16 => lower_each(block, dst, step, |v: $m| bf16::from_f32($single(v))),
                        DType::Opaque { .. } => debug_assert!(false, "records are only copied"),
                    }
                }
            }
        }
    };
}

macro_rules! wide_integer {
    ($m:ty, lift { $($lift:tt)* }) => {
        wide!($m, lift { $($lift)* }, lower {
            Bool: bool => |v| v != 0,
            U8: u8 => |v| v as u8,
            U16: u16 => |v| v as u16,
            U32: u32 => |v| v as u32,
            U64: u64 => |v| v as u64,
            I8: i8 => |v| v as i8,
            I16: i16 => |v| v as i16,
            I32: i32 => |v| v as i32,
            I64: i64 => |v| v as i64,
            F32: f32 => |v| v as f32,
            F64: f64 => |v| v as f64,
            C64: Complex<f32> => |v| Complex { re: v as f32, im: 0.0 },
            C128: Complex<f64> => |v| Complex { re: v as f64, im: 0.0 },
        }, saturate {}, halves { |v| v as f64, |v| v as f32 });
    };
}

macro_rules! wide_float {
    ($m:ty, $re:expr, $im:expr, lift { $($lift:tt)* }) => {
        wide!($m, lift { $($lift)* }, lower {
            Bool: bool => |v| $re(v) != 0.0 || $im(v) != 0.0,
            U8: u8 => |v| x86::to_i64($re(v)) as u8,
            U16: u16 => |v| x86::to_i32($re(v)) as u16,
            U32: u32 => |v| x86::to_i64($re(v)) as u32,
            U64: u64 => |v| x86::to_u64($re(v)),
            I8: i8 => |v| x86::to_i32($re(v)) as i8,
            I16: i16 => |v| x86::to_i32($re(v)) as i16,
            I32: i32 => |v| x86::to_i32($re(v)),
            I64: i64 => |v| x86::to_i64($re(v)),
            F32: f32 => |v| $re(v) as f32,
            F64: f64 => $re,
            C64: Complex<f32> => |v| Complex { re: $re(v) as f32, im: $im(v) as f32 },
            C128: Complex<f64> => |v| Complex { re: $re(v), im: $im(v) },
        }, saturate {
            Bool: bool => |v| $re(v) != 0.0,
            U8: u8 => |v| $re(v) as u8,
            U16: u16 => |v| $re(v) as u16,
            U32: u32 => |v| $re(v) as u32,
            U64: u64 => |v| $re(v) as u64,
            I8: i8 => |v| $re(v) as i8,
            I16: i16 => |v| $re(v) as i16,
            I32: i32 => |v| $re(v) as i32,
            I64: i64 => |v| $re(v) as i64,
        }, halves { $re, |v| $re(v) as f32 });
    };
}

wide_integer!(i64, lift {
    Bool: u8 => |v: u8| (v != 0) as i64,
    U8: u8 => i64::from,
    U16: u16 => i64::from,
    U32: u32 => i64::from,
    I8: i8 => i64::from,
    I16: i16 => i64::from,
    I32: i32 => i64::from,
    I64: i64 => i64::from,
});
wide_integer!(u64, lift { U64: u64 => u64::from, });
wide_float!(f64, |v: f64| v, |_: f64| 0.0, lift {
    F16: f16 => |v: f16| v.to_f64(),
    BF16: bf16 => |v: bf16| v.to_f64(),
    F32: f32 => |v: f32| v as f64,
    F64: f64 => |v: f64| v,
});
wide_float!(Complex<f64>, |v: Complex<f64>| v.re, |v: Complex<f64>| v.im, lift {
    C64: Complex<f32> => |v: Complex<f32>| Complex { re: v.re as f64, im: v.im as f64 },
    C128: Complex<f64> => |v: Complex<f64>| v,
});
