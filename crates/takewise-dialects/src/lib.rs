//! Five libraries as data: PyTorch, NumPy, MindSpore, JAX and the rules of takewise's own.
//!
//! ```
//! use takewise_dialects::{TORCH, Value, lookup, object, print, sig::Arguments};
//! let torch = Value::Module(&TORCH, "");
//! let arange = lookup::attribute(&torch, "arange")?;
//! let four = Arguments { positional: vec![Value::Int(4)], keyword: vec![] };
//! let value = object::call(&arange, &four, &Default::default())?;
//! assert_eq!(print::repr(&value), "tensor([0, 1, 2, 3])");
//! # Ok::<(), takewise_dialects::EvalError>(())
//! ```
//!
//! A [`Face`] is one library: which functions exist, what arguments they take, whose rules apply, how values print.
//! [`Value`] is what its functions take and give, [`EvalError`] says which exception the library would raise, and
//! [`object`] does what Python's syntax does.
//!
//! A face is put together from parts that serve Rust alone as well: [`rules`] for the engine's operations
//! (`x.gather(1, &i, &rules::TORCH.gather)`), [`words`] for its faults, [`mod@print`] for its arrays, [`random`] for PyTorch's
//! numbers from a seed.
//!
//! The crate stands on the engine alone. It parses nothing, reads no files and knows no terminal.

#![deny(unsafe_code)]

pub mod about;
mod context;
mod error;
mod face;
pub mod facts;
pub mod glimpse;
pub mod lookup;
pub mod numbers;
pub mod object;
pub mod operator;
mod parts;
pub mod policy;
pub mod print;
pub mod random;
pub mod refusals;
pub mod rules;
mod run;
mod scalars;
pub mod sig;
mod stored;
mod table;
pub mod texts;
mod value;
pub mod words;

pub use context::{Context, Files};
pub use error::{EvalError, Facts, caret};
pub use face::{Attribute, Face, Holds, Mode};
pub use run::search::spread;
pub use scalars::elements;
pub use stored::{Store, StoredArray};
pub use table::jax::JAX;
pub use table::mindspore::MINDSPORE;
pub use table::numpy::NUMPY;
pub use table::torch::{NEUTRAL, TORCH};
pub use value::{Array, Function, Value};
