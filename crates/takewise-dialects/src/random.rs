//! Random tensors from a seeded generator: torch's Mersenne Twister and the way torch draws from it, so the
//! same seed gives the numbers `torch.manual_seed` gives on the CPU, on every platform.

use half::{bf16, f16};
use rand_mt::Mt;
use std::f64::consts::TAU;
use takewise::Tensor;
use takewise::dtype::DType;
use takewise::error::{ArgumentRule, DTypeRule, Error, Fault, Result};
use takewise::op::Op;

/// Normal numbers are made this many at a time, from this many on.
const LANES: usize = 16;

/// Ranges from this length on take two draws for every number.
const WIDE: u128 = 1 << 28;

/// A seeded source of random numbers (MT19937). Not for secrets.
///
/// ```
/// use takewise::DType;
/// use takewise_dialects::random::{self, Generator};
/// let mut g = Generator::seeded(0);
/// let x = random::rand(&[3], DType::F32, &mut g)?;
/// assert_eq!(x.to_vec::<f32>()?, [0.49625659, 0.76822180, 0.08847743]); // as torch.manual_seed(0)
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    bits: Mt,
    /// The second of a pair of normal numbers, kept for the next single draw.
    normal: Option<f64>,
}

/// What torch starts a session with, but the same every time, so that a transcript repeats.
impl Default for Generator {
    fn default() -> Self {
        Self::seeded(0)
    }
}

impl Generator {
    /// The generator `torch.manual_seed(seed)` sets up; only the low 32 bits count, as there.
    pub fn seeded(seed: u64) -> Generator {
        Generator { bits: Mt::new(seed as u32), normal: None }
    }

    fn narrow(&mut self) -> u32 {
        self.bits.next_u32()
    }

    fn wide(&mut self) -> u64 {
        let high = u64::from(self.narrow());
        high << 32 | u64::from(self.narrow())
    }

    /// One normal number, by Box and Muller.
    fn normal(&mut self) -> f64 {
        self.normal.take().unwrap_or_else(|| {
            let (angle, length) = (unit(self.wide(), 53) * TAU, unit(self.wide(), 53));
            let length = (-2.0 * (-length).ln_1p()).sqrt();
            self.normal = Some(length * angle.sin());
            length * angle.cos()
        })
    }
}

/// As many low bits as a significand holds, scaled to [0, 1).
fn unit(draw: u64, bits: i32) -> f64 {
    (draw & ((1 << bits) - 1)) as f64 / (1u64 << bits) as f64
}

/// Normal numbers from uniform ones in [0, 1), eight pairs at a time; a last incomplete sixteen is drawn anew, over
/// numbers already made. Of the first draws there are `$first`: torch draws for the incomplete part too, but not in the
/// half formats.
macro_rules! normals {
    ($n:expr, $first:expr, $t:ty, $draw:expr) => {{
        let (n, mut draw) = ($n, $draw);
        let mut all: Vec<$t> = (0..$first).map(|_| draw()).collect();
        all.resize(n, 0.0);
        let paired = |part: &mut [$t]| {
            for k in 0..LANES / 2 {
                let (length, angle): ($t, $t) = (1.0 - part[k], part[k + LANES / 2] * TAU as $t);
                let length = <$t>::sqrt(-2.0 * length.ln());
                part[k] = length * angle.cos();
                part[k + LANES / 2] = length * angle.sin();
            }
        };
        all.chunks_exact_mut(LANES).for_each(paired);
        if n % LANES != 0 {
            let last = &mut all[n - LANES..];
            last.fill_with(draw);
            paired(last);
        }
        all
    }};
}

fn unsupported(op: Op, given: DType) -> Error {
    Error::plain(Fault::DType { op, rule: DTypeRule::Unsupported, given, wanted: None })
}

/// Uniform numbers in [0, 1), in row-major order of draws.
///
/// Errors: kind `DType` for a dtype that is no real float; `Memory`.
pub fn rand(shape: &[usize], dtype: DType, g: &mut Generator) -> Result<Tensor> {
    match dtype {
        DType::F64 => Tensor::from_fn(shape, |_| unit(g.wide(), 53)),
        DType::F32 => Tensor::from_fn(shape, |_| unit(g.narrow().into(), 24) as f32),
        // As torch: single precision rounded; what would round up to 1 stays below.
        DType::F16 => Tensor::from_fn(shape, |_| {
            let v = f16::from_f64(unit(g.narrow().into(), 24));
            if v < f16::ONE { v } else { f16::from_bits(f16::ONE.to_bits() - 1) }
        }),
        DType::BF16 => Tensor::from_fn(shape, |_| {
            let v = bf16::from_f64(unit(g.narrow().into(), 24));
            if v < bf16::ONE { v } else { bf16::from_bits(bf16::ONE.to_bits() - 1) }
        }),
        other => Err(unsupported(Op::Rand, other)),
    }
}

/// Normal numbers of mean 0 and variance 1, in row-major order of draws.
///
/// The numbers of `torch.randn` after the same seed and calls; from 16 numbers of float32 on some differ from its
/// in the last bit, as its vectors approximate logarithm and cosine.
///
/// Errors: kind `DType` for a dtype that is no real float; `Memory`.
///
/// ```
/// use takewise::DType;
/// use takewise_dialects::random::{self, Generator};
/// let x = random::randn(&[3], DType::F32, &mut Generator::seeded(0))?;
/// assert_eq!(x.to_vec::<f32>()?, [1.5409961, -0.2934289, -2.1787894]); // as torch.manual_seed(0)
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn randn(shape: &[usize], dtype: DType, g: &mut Generator) -> Result<Tensor> {
    macro_rules! normal {
        ($t:ty, $from:expr, $wide:ty, $whole:expr, $draw:expr) => {{
            // Refuses a shape that is too large before numbers are drawn.
            let out = Tensor::empty(shape, dtype)?;
            let n = out.numel();
            if n < LANES {
                Tensor::from_fn(shape, |_| $from(g.normal() as $wide))
            } else {
                let values = normals!(n, if $whole { n } else { n - n % LANES }, $wide, || $draw as $wide);
                Tensor::from_fn::<$t>(shape, |k| $from(values[k]))
            }
        }};
    }
    match dtype {
        DType::F64 => normal!(f64, std::convert::identity, f64, true, unit(g.wide(), 53)),
        DType::F32 => normal!(f32, std::convert::identity, f32, true, unit(g.narrow().into(), 24)),
        DType::F16 => normal!(f16, f16::from_f32, f32, false, unit(g.narrow().into(), 24)),
        DType::BF16 => normal!(bf16, bf16::from_f32, f32, false, unit(g.narrow().into(), 24)),
        other => Err(unsupported(Op::Randn, other)),
    }
}

/// Uniform integers in `low..high`, in row-major order of draws, as integers or as floats.
///
/// Errors: kind `Argument` if the range is empty or does not fit the dtype; `DType` for complex and
/// records; `Memory`.
///
/// ```
/// use takewise::DType;
/// use takewise_dialects::random::{self, Generator};
/// let x = random::randint(0, 10, &[6], DType::I64, &mut Generator::seeded(0))?;
/// assert_eq!(x.to_vec::<i64>()?, [4, 9, 3, 0, 3, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn randint(low: i64, high: i64, shape: &[usize], dtype: DType, g: &mut Generator) -> Result<Tensor> {
    let refuse = |text| Error::plain(Fault::text(Op::Randint, ArgumentRule::Other, text));
    if low >= high {
        return Err(refuse(format!("the range is empty: from {low} up to but without {high}")));
    }
    let range = (i128::from(high) - i128::from(low)) as u128;
    let mut draw = |_| {
        let draw = if range < WIDE { u128::from(g.narrow()) } else { u128::from(g.wide()) };
        i128::from(low) + (draw % range) as i128
    };
    let fits = |min: i128, max: i128| {
        let inside = i128::from(low) >= min && i128::from(high) - 1 <= max;
        let text = format!("{low} to {} does not fit {}", high - 1, dtype.name());
        if inside { Ok(()) } else { Err(refuse(text)) }
    };
    macro_rules! integers {
        ($t:ty) => {{
            fits(<$t>::MIN as i128, <$t>::MAX as i128)?;
            Tensor::from_fn(shape, |k| draw(k) as $t)
        }};
    }
    match dtype {
        DType::Bool => {
            fits(0, 1)?;
            Tensor::from_fn(shape, |k| draw(k) != 0)
        }
        DType::U8 => integers!(u8),
        DType::U16 => integers!(u16),
        DType::U32 => integers!(u32),
        DType::U64 => integers!(u64),
        DType::I8 => integers!(i8),
        DType::I16 => integers!(i16),
        DType::I32 => integers!(i32),
        DType::I64 => integers!(i64),
        DType::F16 => {
            fits(-65504, 65504)?;
            Tensor::from_fn(shape, |k| f16::from_f64(draw(k) as f64))
        }
        DType::BF16 => Tensor::from_fn(shape, |k| bf16::from_f64(draw(k) as f64)),
        DType::F32 => Tensor::from_fn(shape, |k| draw(k) as f32),
        DType::F64 => Tensor::from_fn(shape, |k| draw(k) as f64),
        other => Err(unsupported(Op::Randint, other)),
    }
}

/// The numbers `0..n` in random order, as int64. Errors: kind `Memory`.
///
/// ```
/// use takewise_dialects::random::{self, Generator};
/// let order = random::randperm(10, &mut Generator::seeded(0))?;
/// assert_eq!(order.to_vec::<i64>()?, [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn randperm(n: usize, g: &mut Generator) -> Result<Tensor> {
    let out = Tensor::from_fn(&[n], |k| k as i64)?;
    {
        let mut open = out.write::<i64>()?;
        let data = open.as_mut_slice().unwrap_or_default();
        for k in 0..n.saturating_sub(1) {
            let left = (n - k) as u64;
            let draw = if n < u32::MAX as usize / 20 { u64::from(g.narrow()) } else { g.wide() };
            data.swap(k, k + (draw % left) as usize);
        }
    }
    Ok(out)
}
