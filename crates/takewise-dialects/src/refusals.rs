//! What a library says of arguments that the functions here refuse before the engine is asked, as data: arrays `A` and values
//! `V`.

use takewise::{DType, Tensor};

use crate::error::EvalError;

/// The words of one library; what is said in one class alone is its text.
pub struct Refusals<A, V> {
    /// The class of values, shapes and axes that are refused.
    pub class: &'static str,
    /// `len` of an array of rank 0: a `TypeError`.
    pub scalar_length: &'static str,
    /// Iteration over an array of rank 0: a `TypeError`.
    pub scalar_iteration: &'static str,
    /// The truth of an array without elements.
    pub truth_of_none: &'static str,
    /// The truth of several elements.
    pub truth_of_several: &'static str,
    /// One number of so many elements.
    pub not_one: fn(usize) -> EvalError,
    /// An array that is no bound of a slice, if it is none: a `TypeError`.
    pub bound: fn(&A) -> Option<&'static str>,
    /// What is an array of numbers: text.
    pub text_as_array: fn(&V) -> EvalError,
    /// What is a number: text.
    pub text_as_number: fn(&V) -> EvalError,
    /// What is a number: `None`.
    pub none_as_number: fn() -> EvalError,
    /// A list where an array is wanted: the function, the type and the position.
    pub list_as_array: Option<fn(&str, &str, usize) -> EvalError>,
    /// Sequences of two shapes at a depth.
    pub ragged: fn(&[usize], &[usize], usize) -> EvalError,
    /// A number of a list that an array of the dtype cannot hold (SEMANTICS.md, Conversion of numbers).
    pub item: fn(i128, DType) -> Option<EvalError>,
    /// A number assigned that an array of the dtype cannot hold (SEMANTICS.md, Conversion of numbers).
    pub assigned: fn(i128, DType) -> Option<EvalError>,
    /// A number too wide beside an array of the dtype (SEMANTICS.md, Promotion beside numbers).
    pub beside: fn(i128, Option<DType>) -> Option<EvalError>,
    /// `arange` with a step of zero.
    pub zero_step: fn() -> EvalError,
    /// `arange` with a step that leads away from its end; without it there are no elements.
    pub wrong_step: Option<fn() -> EvalError>,
    /// An axis of an array of rank 0: an `IndexError` (SEMANTICS.md, Axes).
    pub no_axes: Option<&'static str>,
    /// `unbind` of an array of rank 0, if not said as of an axis: a `ValueError`.
    pub unbound_scalar: Option<&'static str>,
    /// Shapes that do not broadcast, at an axis.
    pub unbroadcast: fn(usize) -> String,
    /// A rotation in so many axes.
    pub plane: fn(usize) -> String,
    /// A rotation of an array of so few axes, if not said as of an axis.
    pub flat: Option<fn(usize) -> String>,
    /// A rotation in two axes that are one.
    pub line: fn(i64, i64) -> String,
    /// So many shifts of so many axes, if those are not repeated.
    pub shifts: Option<fn(usize, usize) -> String>,
    /// The diagonal of an array of so many axes.
    pub diagonal: fn(usize) -> String,
    /// Writing to the diagonal of a vector.
    pub diagonal_of_vector: &'static str,
    /// Writing to the diagonal of a cuboid.
    pub diagonal_of_cuboid: &'static str,
    /// What cannot span a grid.
    pub grid: fn(&[Tensor]) -> Option<EvalError>,
    /// `hsplit` and its like: how many axes they want, and how many there are.
    pub few_axes: fn(&str, usize, usize) -> String,
    /// `split` and its like: an axis and its length, not divisible by a number of parts.
    pub indivisible: fn(&str, usize, i64, i64) -> EvalError,
    /// Positions of `put_along_axis` that are no integers, if the engine does not say it.
    pub positions: Option<fn(DType) -> EvalError>,
}
