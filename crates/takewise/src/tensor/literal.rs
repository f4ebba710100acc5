//! Tensors written down: [`tensor!`](crate::tensor!) and the nested arrays behind it.

use super::Tensor;
use crate::dtype::Element;
use crate::layout::Dims;

/// A number, or an array of equally shaped nested arrays, of elements `T`.
///
/// ```
/// use takewise::prelude::*;
/// let x = Tensor::from_nested::<u8>(&[[1, 2], [3, 4]])?;
/// assert_eq!(x.shape(), [2, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub trait Nested<T> {
    /// The extents, outer to inner.
    fn extents() -> Dims<usize>;

    /// Appends the elements in row-major order.
    fn flatten(&self, out: &mut Vec<T>);
}

impl<T: Element> Nested<T> for T {
    fn extents() -> Dims<usize> {
        Dims::new()
    }

    fn flatten(&self, out: &mut Vec<T>) {
        out.push(*self);
    }
}

impl<T: Element, N: Nested<T>, const K: usize> Nested<T> for [N; K] {
    fn extents() -> Dims<usize> {
        std::iter::once(K).chain(N::extents()).collect()
    }

    fn flatten(&self, out: &mut Vec<T>) {
        self.iter().for_each(|part| part.flatten(out));
    }
}

/// The element type torch gives a plain number: integers become int64, floats float32.
///
/// ```
/// use takewise::tensor::Literal;
/// assert_eq!((Literal::stored(3), Literal::stored(0.5)), (3i64, 0.5f32));
/// ```
pub trait Literal: Element {
    /// What is stored.
    type Stored: Element;

    /// The number as it is stored.
    fn stored(self) -> Self::Stored;
}

macro_rules! literals {
    ($($t:ty => $s:ty),*) => {$(
        impl Literal for $t {
            type Stored = $s;
            #[allow(trivial_numeric_casts)]
            fn stored(self) -> $s {
                self as $s
            }
        }
    )*};
}
// A number whose Rust type was not written is an i32 or an f64; every other type was chosen and stays.
literals!(bool => bool, i32 => i64, f64 => f32, u8 => u8, u16 => u16, u32 => u32, u64 => u64, i8 => i8,
    i16 => i16, i64 => i64, usize => usize, isize => isize, f32 => f32);

impl Tensor {
    /// The tensor of nested arrays, with their element type. Errors: kind `Memory`.
    pub fn from_nested<T: Element>(data: &impl Nested<T>) -> crate::Result<Tensor> {
        fn shape<T, N: Nested<T>>(_: &N) -> Dims<usize> {
            N::extents()
        }
        let mut flat = Vec::new();
        data.flatten(&mut flat);
        Tensor::from_vec(flat, &shape(data))
    }

    /// The tensor of nested plain literals, with torch's element type for them. Errors: kind `Memory`.
    pub fn from_literals<T: Literal, N: Nested<T>>(data: &N) -> crate::Result<Tensor> {
        let mut flat = Vec::new();
        data.flatten(&mut flat);
        Tensor::from_vec(flat.into_iter().map(T::stored).collect(), &N::extents())
    }
}

/// A tensor from nested literals, as `torch.tensor` makes it: plain integers give int64, plain floats
/// float32. A type in front fixes the element type instead.
///
/// Ragged nesting does not compile. Panics only if memory runs out, as `vec!` does.
///
/// ```
/// use takewise::{tensor, DType};
/// let x = tensor!([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!((x.shape(), x.dtype()), (&[2, 3][..], DType::I64));
/// assert_eq!(tensor!([0.5, 1.0]).dtype(), DType::F32);
/// assert_eq!(tensor!(u8: [1, 2]).dtype(), DType::U8);
/// assert_eq!(tensor!(true).shape(), &[] as &[usize]);
/// ```
#[macro_export]
macro_rules! tensor {
    ([$($data:tt)*]) => {
        $crate::Tensor::from_literals(&[$($data)*]).expect("a literal tensor needs little memory")
    };
    ($data:literal) => {
        $crate::Tensor::from_literals(&$data).expect("a literal tensor needs little memory")
    };
    ($t:ty : []) => {
        $crate::tensor!($t: [] as [$t; 0])
    };
    ($t:ty : $data:expr) => {
        $crate::Tensor::from_nested::<$t>(&$data).expect("a literal tensor needs little memory")
    };
}
