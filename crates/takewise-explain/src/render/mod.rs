//! Drawings of an explanation, from its data alone.
