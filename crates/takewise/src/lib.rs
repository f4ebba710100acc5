//! Exact and fast tensor indexing.
//!
//! Reading and writing the elements of an N-d strided array by index: subscripts of every kind, gather,
//! scatter, take, masks, searchsorted, with the results and errors PyTorch, NumPy and MindSpore define.

#![deny(unsafe_code)]

#[doc(hidden)] // its public name is `grad`
pub mod autograd;
mod dims;
pub mod dtype;
pub mod error;
pub mod exec;
pub mod foreign;
pub mod fork;
pub mod index;
pub mod kernel;
pub mod layout;
mod memory;
mod methods;
mod node_op;
pub mod once;
pub mod op;
pub mod ops;
pub mod plan;
pub mod promote;
pub mod rules;
pub(crate) mod search;
mod tags;
pub mod tensor;
pub(crate) mod threads;
pub mod view;

#[doc(inline)]
pub use autograd as grad;
pub use dtype::{DType, DTypeSet, Element, Scalar};
pub use error::{Class, Error, Fault, Kind, Result};
pub use exec::Reduce;
pub use layout::{Dims, Layout, Slice};
pub use op::Op;
pub use rules::Rules;
pub use tensor::{Index, Tensor};
pub use view::{AnyView, AnyViewMut, View, ViewMut};

pub use half::{bf16, f16};
pub use num_complex::Complex;
