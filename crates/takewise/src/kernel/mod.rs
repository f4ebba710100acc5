//! Kernels: the loops that touch elements, and the only code that looks at their bits. Moves know a chunk's
//! size and nothing else, reductions and conversions know dtypes. None knows ranks, and of rules they know what a value outside
//! its axis becomes (`bounds`).

#![allow(unsafe_code)]

/// Offset of a position that is left out.
pub(crate) const SKIP: isize = isize::MIN;

pub(crate) mod admit;
pub(crate) mod bounds;
pub(crate) mod compare;
pub(crate) mod compress;
pub(crate) mod convert;
pub(crate) mod cpu;
pub(crate) mod gather;
pub(crate) mod halves;
pub(crate) mod lanes;
pub(crate) mod last_position;
pub(crate) mod level;
pub(crate) mod mask_words;
pub(crate) mod move_;
pub(crate) mod nonzero;
pub(crate) mod number;
pub(crate) mod partition;
pub(crate) mod reduce;
pub(crate) mod scatter;
pub(crate) mod stored;
pub(crate) mod stream;
pub(crate) mod transpose;
