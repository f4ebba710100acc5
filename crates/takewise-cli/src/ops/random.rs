//! Random tensors. The generator is ours: seeded results repeat from run to run and machine to machine,
//! but are not the libraries' own sequences.

use std::sync::{MutexGuard, PoisonError};

use takewise::{DType, Tensor};

use super::{Outcome, raise};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::Value;

/// SplitMix64: one 64-bit state, every seed good.
pub struct Generator(u64);

impl Default for Generator {
    fn default() -> Self {
        Self(0x5EED)
    }
}

impl Generator {
    /// Starts over from a seed.
    pub fn seed(&mut self, seed: u64) {
        self.0 = seed;
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `0..n`, without bias; 0 for `n == 0`.
    pub fn below(&mut self, n: u64) -> u64 {
        let mut wide = u128::from(self.next_u64()) * u128::from(n);
        if (wide as u64) < n {
            let threshold = n.wrapping_neg() % n.max(1);
            while (wide as u64) < threshold {
                wide = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (wide >> 64) as u64
    }

    /// Uniform in [0, 1) with `bits` of precision.
    pub fn unit(&mut self, bits: u32) -> f64 {
        (self.next_u64() >> (64 - bits)) as f64 / (1u64 << bits) as f64
    }
}

/// Digits of randomness a dtype can hold.
fn precision(dtype: DType) -> u32 {
    match dtype {
        DType::BF16 => 8,
        DType::F16 => 11,
        DType::F64 => 53,
        _ => 24,
    }
}

fn count(shape: &[usize]) -> Result<usize, EvalError> {
    shape
        .iter()
        .try_fold(1usize, |n, d| n.checked_mul(*d))
        .filter(|n| *n <= isize::MAX as usize / 8)
        .ok_or_else(|| EvalError::new("MemoryError", "the tensor is larger than memory"))
}

fn generator(call: &Call) -> MutexGuard<'_, Generator> {
    call.context.generator.lock().unwrap_or_else(PoisonError::into_inner)
}

fn floats(call: &Call, mut draw: impl FnMut(&mut Generator, u32) -> f64) -> Outcome {
    let shape = call.shape("size")?;
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.float);
    if !dtype.is_float() {
        return Err(EvalError::new(
            "NotImplementedError",
            format!("random numbers of dtype {} are not defined", dtype.name()),
        ));
    }
    let mut generator = generator(call);
    let values: Vec<f64> = (0..count(&shape)?).map(|_| draw(&mut generator, precision(dtype))).collect();
    let wide = Tensor::from_slice(&values, &shape).map_err(raise)?;
    Ok(call.wrap(super::cast::convert(&wide, dtype, call.face)?))
}

/// `rand(size)`: uniform in [0, 1).
pub(crate) fn rand(call: &Call) -> Outcome {
    floats(call, Generator::unit)
}

/// `randn(size)`: normal, by Box and Muller.
pub(crate) fn randn(call: &Call) -> Outcome {
    floats(call, |g, _| {
        let (u, v) = (1.0 - g.unit(53), g.unit(53));
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    })
}

/// `randint(low, high, size)`: integers from `low` to below `high`.
pub(crate) fn randint(call: &Call) -> Outcome {
    let low = if call.has("low") { call.int("low")? } else { 0 };
    let high = call.int("high")?;
    let shape = call.shape("size")?;
    if low >= high {
        return Err(EvalError::runtime_error(format!(
            "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )));
    }
    let span = high.wrapping_sub(low) as u64;
    let mut generator = generator(call);
    let values: Vec<i64> = (0..count(&shape)?).map(|_| low.wrapping_add(generator.below(span) as i64)).collect();
    let wide = Tensor::from_slice(&values, &shape).map_err(raise)?;
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.int);
    Ok(call.wrap(super::cast::convert(&wide, dtype, call.face)?))
}

/// `randperm(n)`: 0 to n-1 in random order.
pub(crate) fn randperm(call: &Call) -> Outcome {
    let n = call.int("n")?;
    let len = usize::try_from(n).map_err(|_| EvalError::runtime_error("n must be non-negative"))?;
    count(&[len])?;
    let mut values: Vec<i64> = (0..n).collect();
    let mut generator = generator(call);
    for i in (1..len).rev() {
        values.swap(i, generator.below(i as u64 + 1) as usize);
    }
    let wide = Tensor::from_slice(&values, &[len]).map_err(raise)?;
    let dtype = call.dtype("dtype")?.unwrap_or(DType::I64);
    Ok(call.wrap(super::cast::convert(&wide, dtype, call.face)?))
}

/// `manual_seed(seed)`.
pub(crate) fn manual_seed(call: &Call) -> Outcome {
    generator(call).seed(call.int("seed")? as u64);
    Ok(Value::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_in_range_and_repeat() {
        let mut g = Generator::default();
        g.seed(7);
        let first: Vec<u64> = (0..100).map(|_| g.below(5)).collect();
        assert!(first.iter().all(|v| *v < 5) && (0..5).all(|v| first.contains(&v)));
        g.seed(7);
        assert_eq!(first, (0..100).map(|_| g.below(5)).collect::<Vec<_>>());
        assert!((0..1000).all(|_| (0.0..1.0).contains(&g.unit(24))));
    }
}
