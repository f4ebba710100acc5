//! Random tensors from a seeded generator: torch's Mersenne Twister and the way torch draws from it, so the
//! same seed gives the numbers `torch.manual_seed` gives on the CPU, on every platform.

use super::Tensor;
use super::create::counted;
use crate::dtype::DType;
use crate::error::{ArgumentRule, DTypeRule, Error, Fault, Result};
use half::{bf16, f16};
use rand_mt::Mt;

/// Ranges from this length on take two draws for every number.
const WIDE: u128 = 1 << 28;

/// A seeded source of random numbers (MT19937). Not for secrets.
///
/// ```
/// use takewise::{tensor::Generator, DType, Tensor};
/// let mut g = Generator::seeded(0);
/// let x = Tensor::rand(&[3], DType::F32, &mut g)?;
/// assert_eq!(x.to_vec::<f32>()?, [0.49625659, 0.76822180, 0.08847743]); // as torch.manual_seed(0)
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator(Mt);

impl Generator {
    /// The generator `torch.manual_seed(seed)` sets up; only the low 32 bits count, as there.
    pub fn seeded(seed: u64) -> Generator {
        Generator(Mt::new(seed as u32))
    }

    fn narrow(&mut self) -> u32 {
        self.0.next_u32()
    }

    fn wide(&mut self) -> u64 {
        let high = u64::from(self.narrow());
        high << 32 | u64::from(self.narrow())
    }
}

fn unsupported(op: &'static str, given: DType) -> Error {
    Error::plain(Fault::DType { op, rule: DTypeRule::Unsupported, given, wanted: None })
}

impl Tensor {
    /// Uniform numbers in [0, 1), in row-major order of draws.
    ///
    /// Errors: kind `DType` for a dtype that is no real float; `Memory`.
    pub fn rand(shape: &[usize], dtype: DType, g: &mut Generator) -> Result<Tensor> {
        // As many low bits as the significand holds, scaled to [0, 1).
        fn unit(draw: u64, bits: i32) -> f64 {
            (draw & ((1 << bits) - 1)) as f64 / (1u64 << bits) as f64
        }
        match dtype {
            DType::F64 => counted(shape, |_| unit(g.wide(), 53)),
            DType::F32 => counted(shape, |_| unit(g.narrow().into(), 24) as f32),
            // As torch: single precision rounded; what would round up to 1 stays below.
            DType::F16 => counted(shape, |_| {
                let v = f16::from_f64(unit(g.narrow().into(), 24));
                if v < f16::ONE { v } else { f16::from_bits(f16::ONE.to_bits() - 1) }
            }),
            DType::BF16 => counted(shape, |_| {
                let v = bf16::from_f64(unit(g.narrow().into(), 24));
                if v < bf16::ONE { v } else { bf16::from_bits(bf16::ONE.to_bits() - 1) }
            }),
            other => Err(unsupported("rand", other)),
        }
    }

    /// Uniform integers in `low..high`, in row-major order of draws, as integers or as floats.
    ///
    /// Errors: kind `Argument` if the range is empty or does not fit the dtype; `DType` for complex and
    /// records; `Memory`.
    ///
    /// ```
    /// use takewise::{tensor::Generator, DType, Tensor};
    /// let x = Tensor::randint(0, 10, &[6], DType::I64, &mut Generator::seeded(0))?;
    /// assert_eq!(x.to_vec::<i64>()?, [4, 9, 3, 0, 3, 9]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn randint(low: i64, high: i64, shape: &[usize], dtype: DType, g: &mut Generator) -> Result<Tensor> {
        let refuse = |text| Error::plain(Fault::text("randint", ArgumentRule::Other, text));
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
                counted(shape, |k| draw(k) as $t)
            }};
        }
        match dtype {
            DType::Bool => {
                fits(0, 1)?;
                counted(shape, |k| draw(k) != 0)
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
                counted(shape, |k| f16::from_f64(draw(k) as f64))
            }
            DType::BF16 => counted(shape, |k| bf16::from_f64(draw(k) as f64)),
            DType::F32 => counted(shape, |k| draw(k) as f32),
            DType::F64 => counted(shape, |k| draw(k) as f64),
            other => Err(unsupported("randint", other)),
        }
    }

    /// The numbers `0..n` in random order, as int64. Errors: kind `Memory`.
    ///
    /// ```
    /// use takewise::{tensor::Generator, Tensor};
    /// let order = Tensor::randperm(10, &mut Generator::seeded(0))?;
    /// assert_eq!(order.to_vec::<i64>()?, [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn randperm(n: usize, g: &mut Generator) -> Result<Tensor> {
        let out = counted(&[n], |k| k as i64)?;
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
}
