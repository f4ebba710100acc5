//! Seeded random arrays and shapes.

use crate::arr::{Arr, Elem, numel};
use crate::num::Num;
use takewise::DType;

/// A seeded source of test data; the seed is printed with every failure.
pub struct Rng(fastrand::Rng);

/// The number of random cases to run: `TAKEWISE_CASES`, or the default.
pub fn cases(default: u64) -> u64 {
    std::env::var("TAKEWISE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

impl Rng {
    /// A source with a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(fastrand::Rng::with_seed(seed ^ 0x9e37_79b9_7f4a_7c15))
    }

    /// 0 to n - 1.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.usize(0..n.max(1))
    }

    /// low to high, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.i64(low..=high)
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
            self.0.fill(&mut e[..size as usize]);
            return e;
        }
        let real = |r: &mut Rng| match r.below(40) {
            0 => -0.0,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            _ => (r.0.f64() - 0.5) * 64.0,
        };
        let number = if dtype.is_complex() {
            Num::Complex(real(self), real(self))
        } else if dtype.is_float() {
            Num::Float(real(self))
        } else if self.one_in(8) {
            Num::Int(self.0.i128(..))
        } else {
            Num::Int(self.between(-9, 9) as i128)
        };
        number.as_dtype(dtype).encode(dtype)
    }

    /// A random array.
    pub fn arr(&mut self, shape: &[usize], dtype: DType) -> Arr {
        Arr::new(shape, dtype, (0..numel(shape)).map(|_| self.elem(dtype)).collect())
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
