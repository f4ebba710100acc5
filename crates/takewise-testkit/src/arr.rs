//! Arrays without strides: a shape and the elements in row-major order.

use crate::num::Num;
use std::fmt;
use takewise::{DType, Element, View};

/// The bytes of one element, zero padded. Large enough for every dtype and for the records tested.
pub type Elem = [u8; 24];

/// An array: shape, dtype, and elements in row-major order.
#[derive(Clone, PartialEq, Eq)]
pub struct Arr {
    /// Extents.
    pub shape: Vec<usize>,
    /// Type of the elements.
    pub dtype: DType,
    /// Elements, row-major; as many as the product of the extents.
    pub data: Vec<Elem>,
}

/// Number of elements of a shape.
pub fn numel(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// All coordinates of a shape in row-major order.
pub fn coords(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &n in shape {
        let longer = |c: &Vec<usize>| (0..n).map(|i| [&c[..], &[i]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Row-major position of a coordinate.
pub fn flat(shape: &[usize], at: &[usize]) -> usize {
    assert_eq!(shape.len(), at.len());
    shape.iter().zip(at).fold(0, |p, (&n, &i)| {
        assert!(i < n, "{at:?} is outside {shape:?}");
        p * n + i
    })
}

/// The shape several shapes broadcast to.
pub fn broadcast(shapes: &[&[usize]]) -> Option<Vec<usize>> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let padded = |s: &[usize]| [vec![1; rank - s.len()], s.to_vec()].concat();
    let all: Vec<_> = shapes.iter().map(|s| padded(s)).collect();
    let axis = |d: usize| {
        let n = all.iter().map(|s| s[d]).find(|&n| n != 1).unwrap_or(1);
        all.iter().all(|s| s[d] == 1 || s[d] == n).then_some(n)
    };
    (0..rank).map(axis).collect()
}

impl Arr {
    /// An array from its parts.
    pub fn new(shape: &[usize], dtype: DType, data: Vec<Elem>) -> Arr {
        assert_eq!(numel(shape), data.len(), "{shape:?}");
        Arr { shape: shape.to_vec(), dtype, data }
    }

    /// An array of numbers, each as it is stored in `dtype`.
    pub fn of(shape: &[usize], dtype: DType, values: &[f64]) -> Arr {
        Arr::new(shape, dtype, values.iter().map(|&v| Num::Float(v).as_dtype(dtype).encode(dtype)).collect())
    }

    /// An array of integers.
    pub fn ints(shape: &[usize], dtype: DType, values: &[i64]) -> Arr {
        Arr::new(shape, dtype, values.iter().map(|&v| Num::Int(v as i128).as_dtype(dtype).encode(dtype)).collect())
    }

    /// A mask.
    pub fn mask(shape: &[usize], values: &[bool]) -> Arr {
        Arr::new(shape, DType::Bool, values.iter().map(|&v| Num::Int(v as i128).encode(DType::Bool)).collect())
    }

    /// An array of Rust values of at most 16 bytes.
    pub fn from_slice<T: Element>(shape: &[usize], values: &[T]) -> Arr {
        let view = View::from(values).any();
        let bytes = |k: usize| {
            let mut e = [0; 24];
            e[..16].copy_from_slice(&view.bytes_at(&[k]).expect("at most 16 bytes"));
            e
        };
        Arr::new(shape, T::DTYPE, (0..values.len()).map(bytes).collect())
    }

    /// 0, 1, 2, ... in any dtype; records get distinct bytes.
    pub fn arange(shape: &[usize], dtype: DType) -> Arr {
        let one = |k: usize| match dtype {
            DType::Opaque { size, .. } => {
                let mut e = [0; 24];
                (0..size as usize).for_each(|b| e[b] = (k * 7 + b * 13 + 1) as u8);
                e[..2.min(size as usize)].copy_from_slice(&(k as u16).to_le_bytes()[..2.min(size as usize)]);
                e
            }
            _ => Num::Int(k as i128).as_dtype(dtype).encode(dtype),
        };
        Arr::new(shape, dtype, (0..numel(shape)).map(one).collect())
    }

    /// Zero bytes.
    pub fn zeros(shape: &[usize], dtype: DType) -> Arr {
        Arr::new(shape, dtype, vec![[0; 24]; numel(shape)])
    }

    /// The element at a coordinate.
    pub fn at(&self, at: &[usize]) -> Elem {
        self.data[flat(&self.shape, at)]
    }

    /// The number at a coordinate.
    pub fn num(&self, at: &[usize]) -> Num {
        Num::decode(self.dtype, &self.at(at))
    }

    /// The number at a row-major position.
    pub fn num_at(&self, k: usize) -> Num {
        Num::decode(self.dtype, &self.data[k])
    }

    /// The integer at a row-major position (indices).
    pub fn int_at(&self, k: usize) -> i128 {
        match self.num_at(k) {
            Num::Int(v) => v,
            other => panic!("{other:?} is not an integer"),
        }
    }

    /// Whether the element at a row-major position is true, or not zero.
    pub fn truth(&self, k: usize) -> bool {
        self.num_at(k).truth()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The same elements under another shape.
    pub fn reshape(&self, shape: &[usize]) -> Arr {
        Arr::new(shape, self.dtype, self.data.clone())
    }

    /// This array as if it had the (larger) shape `target`; `None` if it does not broadcast to it.
    pub fn broadcast_to(&self, target: &[usize]) -> Option<Arr> {
        if broadcast(&[&self.shape, target])? != target {
            return None;
        }
        let lead = target.len().checked_sub(self.shape.len())?;
        let mine = |c: &Vec<usize>| {
            let at: Vec<usize> = c[lead..].iter().zip(&self.shape).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect();
            self.at(&at)
        };
        Some(Arr::new(target, self.dtype, coords(target).iter().map(mine).collect()))
    }

    /// This array with leading extents of 1 dropped until the rank is at most `rank`.
    pub fn drop_leading_ones(&self, rank: usize) -> Arr {
        let mut shape = self.shape.clone();
        while shape.len() > rank && shape[0] == 1 {
            shape.remove(0);
        }
        self.reshape(&shape)
    }
}

impl fmt::Debug for Arr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.dtype.name(), self.shape)?;
        if self.data.len() > 4096 {
            return write!(f, "[{} elements]", self.data.len());
        }
        if let DType::Opaque { size, .. } = self.dtype {
            let part = |e: &Elem| e[..size as usize].iter().map(|b| format!("{b:02x}")).collect::<String>();
            return f.debug_list().entries(self.data.iter().map(part)).finish();
        }
        write!(f, "[")?;
        for k in 0..self.data.len() {
            write!(f, "{}{:?}", if k > 0 { ", " } else { "" }, self.num_at(k))?;
        }
        write!(f, "]")
    }
}
