//! Memory: buffers and what they lie in, who uses them right now, pages kept for the next call, room for a call's own needs.

#![allow(unsafe_code)]

pub(crate) mod buffer;
pub(crate) mod far;
mod history;
pub(crate) mod ledger;
mod scratch;
mod spare;
pub(crate) mod storage;

/// What the ledger locks with and knows of forks; a model checker puts its own here.
mod sync {
    pub(super) use crate::fork::{Lock, Locked, generation, lives, thread};
}

pub use buffer::Buffer;
pub(crate) use history::{History, Space, State};
pub(crate) use scratch::{Scratch, block, scratch};
pub use storage::Keep;
pub(crate) use storage::{Lent, Storage};
