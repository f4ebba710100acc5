//! The notation of the tensor libraries: Python's expressions and assignments, evaluated by the takewise engine.
//!
//! ```
//! use takewise_dialects::{TORCH, print};
//! use takewise_notation::Session;
//! let mut session = Session::new(&TORCH);
//! session.exec("x = torch.tensor([[1, 2], [3, 4]])")?;
//! let value = session.eval("torch.gather(x, 1, torch.tensor([[0, 0], [1, 0]]))")?;
//! assert_eq!(print::repr(&value), "tensor([[1, 1],\n        [4, 3]])");
//! # Ok::<(), takewise_dialects::EvalError>(())
//! ```
//!
//! [`Session`] holds names and runs statements, [`transcript`] compares what they give with what a document says,
//! [`page`] does so for pages as the web has them, and
//! [`explanation`] says what one does to each element. What the names mean is data of `takewise-dialects`.
//!
//! The crate stands on the engine, the dialects and the explanations. It reads no files, but a session can be given some
//! ([`Session::with_files`]), and it knows no terminal.

#![deny(unsafe_code)]

use takewise_dialects::EvalError;

/// What evaluating gives.
pub(crate) type Result<T, E = EvalError> = std::result::Result<T, E>;

mod budget;
mod builtins;
mod eval;
mod explain;
mod operators;
pub mod page;
mod session;
mod suggest;
mod syntax;
pub mod transcript;

pub use budget::Pending;
pub use builtins::NAMES as BUILTINS;
pub use explain::{bounds, call_bounds, call_side_by_side, explain_call, explanation, of_own, side_by_side};
pub use session::Session;
