//! Random arrays and shapes, from a seed or from the bytes of a fuzzer.

use crate::arr::{Arr, Elem, numel};
use crate::num::Num;
use takewise::DType;

/// A source of test data: a seed, which is printed with every failure, or given bytes.
pub struct Rng(Source);

enum Source {
    Seed(fastrand::Rng),
    Bytes(Vec<u8>, usize),
}

impl Source {
    /// A number from 0 to `n`, `n` included. Of given bytes it takes as few as `n` needs, and past
    /// their end a fixed sequence.
    fn upto(&mut self, n: u64) -> u64 {
        match self {
            Source::Seed(rng) => rng.u64(0..=n),
            Source::Bytes(bytes, at) => {
                let used = (u64::BITS - n.leading_zeros()).div_ceil(8) as usize;
                let past = |k: usize| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[1];
                let byte = |k: usize| u64::from(bytes.get(k).copied().unwrap_or_else(|| past(k)));
                let word = (*at..*at + used).fold(0, |w, k| w << 8 | byte(k));
                *at += used;
                n.checked_add(1).map_or(word, |m| word % m)
            }
        }
    }
}

/// The number of random cases to run: `TAKEWISE_CASES`, or the default.
pub fn cases(default: u64) -> u64 {
    std::env::var("TAKEWISE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

impl Rng {
    /// A source with a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(Source::Seed(fastrand::Rng::with_seed(seed ^ 0x9e37_79b9_7f4a_7c15)))
    }

    /// A source whose every decision is made by the next of these bytes; when they are used up, by a fixed
    /// sequence.
    pub fn from_bytes(bytes: &[u8]) -> Rng {
        Rng(Source::Bytes(bytes.to_vec(), 0))
    }

    /// 0 to n - 1.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.upto(n.max(1) as u64 - 1) as usize
    }

    /// low to high, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low.wrapping_add(self.0.upto(high.wrapping_sub(low) as u64) as i64)
    }

    /// True once in `n` calls.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// A shape of the given rank; most extents are small, some 0 or 1.
    pub fn shape(&mut self, rank: usize, most: usize) -> Vec<usize> {
        (0..rank).map(|_| if self.one_in(12) { 0 } else { 1 + self.below(most) }).collect()
    }

    /// One random element: small numbers so that sums collide and stay exact in no dtype only by luck; NaN,
    /// infinities and negative zero now and then. Records get random bytes.
    pub fn elem(&mut self, dtype: DType) -> Elem {
        if let DType::Opaque { size, .. } = dtype {
            let mut e = [0; 24];
            e[..size as usize].fill_with(|| self.below(256) as u8);
            return e;
        }
        let real = |r: &mut Rng| match r.below(40) {
            0 => -0.0,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            _ => (r.0.upto((1 << 53) - 1) as f64 / (1u64 << 53) as f64 - 0.5) * 64.0,
        };
        let number = if dtype.is_complex() {
            Num::Complex(real(self), real(self))
        } else if dtype.is_float() {
            Num::Float(real(self))
        } else if self.one_in(8) {
            Num::Int((self.0.upto(u64::MAX) as i128) << 64 | self.0.upto(u64::MAX) as i128)
        } else {
            Num::Int(self.between(-9, 9) as i128)
        };
        number.as_dtype(dtype).encode(dtype)
    }

    /// A random array. One draw decides all its elements, so that given bytes are spent on decisions.
    pub fn arr(&mut self, shape: &[usize], dtype: DType) -> Arr {
        let mut elements = Rng::new(self.0.upto(u64::MAX));
        Arr::new(shape, dtype, (0..numel(shape)).map(|_| elements.elem(dtype)).collect())
    }

    /// An index array for an axis of length `n`: mostly valid values, sometimes negative, rarely outside.
    pub fn index(&mut self, shape: &[usize], dtype: DType, n: usize, negative: bool, outside: bool) -> Arr {
        let n = n as i64;
        let low = if negative && !dtype.is_unsigned_integer() { -n } else { 0 };
        let wild = outside && self.one_in(3);
        let one = |r: &mut Rng| {
            if wild && r.one_in(4) {
                let floor = if dtype.is_unsigned_integer() { 0 } else { -n - 2 };
                return r.between(floor, n + 2);
            }
            if n == 0 { 0 } else { r.between(low, n - 1) }
        };
        let values: Vec<i64> = (0..numel(shape)).map(|_| one(self)).collect();
        Arr::ints(shape, dtype, &values)
    }

    /// A mask of a shape, about `one in` true.
    pub fn mask(&mut self, shape: &[usize]) -> Arr {
        let sparse = 1 + self.below(4);
        let values: Vec<bool> = (0..numel(shape)).map(|_| self.one_in(sparse)).collect();
        Arr::mask(shape, &values)
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn bytes_decide_and_stay_in_range() {
        let mut rng = Rng::from_bytes(&[7, 1, 2, 250]);
        assert_eq!((rng.below(10), rng.below(1000), rng.between(-3, 3)), (7, 258, 2));
        for k in 0..2000i64 {
            assert!(rng.below(k as usize + 1) <= k as usize);
            assert!((-k..=k).contains(&rng.between(-k, k)));
        }
        assert_eq!(Rng::from_bytes(&[]).between(i64::MIN, i64::MAX), Rng::from_bytes(&[]).between(i64::MIN, i64::MAX));
    }

    #[test]
    fn past_the_bytes_decisions_still_vary() {
        let mut rng = Rng::from_bytes(&[]);
        let drawn: std::collections::HashSet<usize> = (0..200).map(|_| rng.below(10)).collect();
        assert_eq!(drawn.len(), 10);
    }
}
