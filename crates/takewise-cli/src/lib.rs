//! The command line of takewise as a library: the notation of the tensor libraries, evaluated by the
//! takewise engine.
//!
//! ```
//! use takewise_cli::{Session, dialect, print};
//! let mut session = Session::new(&dialect::TORCH);
//! session.exec("x = torch.tensor([[1, 2], [3, 4]])")?;
//! let value = session.eval("torch.gather(x, 1, torch.tensor([[0, 0], [1, 0]]))")?;
//! assert_eq!(print::repr(&value), "tensor([[1, 1],\n        [4, 3]])");
//! # Ok::<(), takewise_cli::EvalError>(())
//! ```
//!
//! [`Session`] holds names and runs statements; [`Value`] is what an expression gives; [`EvalError`] says
//! which exception the library would raise and where in the source. Which functions exist, what arguments
//! they take and whose rules apply is data: the tables of each [`dialect::Face`].

#![deny(unsafe_code)]

#[cfg(feature = "command")]
pub mod args;
mod builtins;
#[cfg(feature = "command")]
pub mod commands;
#[cfg(feature = "command")]
pub mod complete;
pub mod dialect;
mod error;
mod eval;
#[cfg(feature = "command")]
pub mod explain;
pub mod files;
#[cfg(feature = "command")]
mod info;
pub mod numbers;
pub mod object;
mod ops;
pub mod print;
#[cfg(feature = "command")]
mod progress;
#[cfg(feature = "command")]
mod repl;
mod session;
pub mod sig;
mod syntax;
mod table;
#[cfg(feature = "command")]
pub mod transcript;
mod value;

pub use error::{EvalError, Facts, caret};
pub use ops::elements;
pub use ops::random::Generator;
pub use session::{Context, Session};
pub use value::{Array, Function, Value};
