//! Exact and fast tensor indexing.
