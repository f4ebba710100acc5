//! What reading a file may cost, whatever it says of itself: the one budget of all formats. What is beyond it is refused before it is
//! read, and by name. The time to read a header is linear in its length.
//!
//! Texts that are read as code have theirs in `takewise-notation` (`budget.rs`). SECURITY.md lists both for users.

/// Axes of an array: what NumPy and PyTorch allow.
pub const AXES: usize = 64;

/// Brackets, lists or types within each other. A record inside a record takes two levels.
pub const NESTING: usize = 64;

/// Bytes of one element.
pub const ELEMENT: usize = 1 << 24;

/// Bytes of the header of an npy file. Those of plain arrays take 118, and NumPy's own limit is 10,000.
pub const NPY_HEADER: usize = 1 << 16;

/// Bytes of a header in JSON, or of an index of files: the limit of the format's own library.
pub const JSON_HEADER: usize = 100_000_000;

/// Bytes of the dictionary that an lzma entry may ask for. The highest level of compression uses 64 MiB.
pub const LZMA_DICTIONARY: u32 = 1 << 28;

/// Bytes that may follow the elements of a compressed entry.
pub const SURPLUS: usize = 1 << 20;

/// Links that are followed to the file that is meant.
pub const LINKS: usize = 40;

/// Bytes that are looked at to see whether a file is text.
pub const LOOK: usize = 4096;

/// How many times as much a column of text may take as its cells do in the file, each of which takes the bytes of the longest.
pub(super) const WIDER: usize = 1024;

/// Bytes that a column of text may take in any case.
pub(super) const TEXT: usize = 64 << 20;
