//! Kernels: the loops that touch elements, and the only code that looks at their bits. Moves know a chunk's
//! size and nothing else, reductions and conversions know dtypes. None knows ranks, and of rules they know what a value outside
//! its axis becomes (`bounds`).

#![allow(unsafe_code)]
#![allow(missing_docs)] // loops and what they are told: no word for programs

/// Offset of a position that is left out.
pub const SKIP: isize = isize::MIN;

pub mod bounds;
pub mod compress;
pub mod convert;
pub mod cpu;
pub mod gather;
pub mod halves;
pub mod lanes;
pub mod last_position;
pub mod level;
pub mod mask_words;
pub mod move_;
pub mod nonzero;
pub mod partition;
pub mod reduce;
pub mod scatter;
pub mod stored;
pub mod stream;
pub mod transpose;
