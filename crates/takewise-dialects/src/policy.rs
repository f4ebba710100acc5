//! What a library's subscripts make of Python objects, as data: of arrays `A` and values `V`.

use crate::error::EvalError;

/// What a list that is the whole subscript means.
pub enum BareList<V> {
    /// An index tuple if it is shorter than the limit and holds a sequence, tensor, slice, `None` or
    /// `...`; else one index array (torch).
    TupleIfNested(usize),
    /// One index array (NumPy).
    Array,
    /// An index tuple if it holds a sequence (MindSpore); an empty one is refused.
    TupleIfLists(fn(&V) -> EvalError),
    /// Refused (JAX).
    Refused(fn(&V) -> EvalError),
}

/// What floats among the items of an index list mean.
pub enum Floats<V> {
    /// They are truncated (torch).
    Truncate,
    /// They are refused.
    Refused(fn(&V) -> EvalError),
}

/// What may be assigned.
pub enum Assignable<A, V> {
    /// Numbers and tensors; the function words the refusal of anything else (torch).
    Tensors(fn(&A, &V) -> EvalError),
    /// Whatever can become an array.
    ArrayLike,
}

/// What a library's own tables have room for.
pub struct Limits {
    /// Axes of a result.
    pub axes: usize,
    /// Index arrays; a mask counts as one for each of its axes.
    pub arrays: usize,
}

/// One library's reading of Python objects in subscripts.
pub struct SubscriptPolicy<A, V> {
    /// A list as the whole subscript.
    pub bare_list: BareList<V>,
    /// Floats in lists.
    pub floats: Floats<V>,
    /// Whether float arrays of NumPy are truncated to integers rather than refused.
    pub truncates_arrays: bool,
    /// Whether a NumPy bool scalar counts as `True` or `False`.
    pub numpy_bools: bool,
    /// The refusal of an object that is no index at all.
    pub no_index: fn(&V) -> EvalError,
    /// The refusal of a complex number in a list.
    pub complex: fn(&V) -> EvalError,
    /// The refusal of an array of a dtype that cannot index.
    pub no_index_array: fn(&A) -> EvalError,
    /// The refusal of a string.
    pub string: fn(&V) -> EvalError,
    /// The refusal of an array of another library.
    pub foreign: Option<fn(&V) -> EvalError>,
    /// The refusal of an integer beyond 64 bits.
    pub too_large: fn(i128) -> EvalError,
    /// Whether objects that are no index are refused before the bounds of slices are looked at.
    pub slices_last: bool,
    /// How many axes a result may have, and how many index arrays there may be.
    pub limits: Option<Limits>,
    /// What may be assigned.
    pub values: Assignable<A, V>,
    /// Whether an element read by integers alone is a scalar object.
    pub scalars: bool,
    /// Whether assignment exists at all (JAX arrays are immutable).
    pub immutable: Option<&'static str>,
}
