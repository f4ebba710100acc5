//! An explanation as data: what every renderer draws from, and what `--json` prints.
//!
//! Elements are named by position: the place in row-major order among the elements of an array, from 0. Operands and
//! results are named by their number in [`Explanation::operands`] and [`Explanation::results`].

use serde::{Deserialize, Serialize};

/// The version of this schema. It changes when a field changes its meaning or goes; new fields do not change it.
pub const VERSION: u32 = 1;

/// Arrays of more elements than this show no values, and calls that move more have a sample of their elements.
pub const MOST: usize = 4096;

/// What one call does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// [`VERSION`].
    pub version: u32,
    /// The expression as it was typed, or the call as it would be.
    pub expression: String,
    /// The library whose rules hold: `torch`, `numpy`, `mindspore`, `jax`, or `takewise` for the neutral ones.
    pub dialect: String,
    /// The operation by its name in that library: `gather`, `index` for a subscript that is read, `setitem` for one written.
    pub operation: String,
    /// What kind of call it is.
    pub kind: Kind,
    /// The arrays that go in, in the order of the call.
    pub operands: Vec<Operand>,
    /// The arrays that come out; none where the call fails.
    pub results: Vec<Outcome>,
    /// Values that are not stored and index positions that read nothing, with the reason.
    pub left_out: Vec<LeftOut>,
    /// For a search: each value, what it was compared with, and the interval found.
    pub searches: Vec<Searched>,
    /// Masks, and how many places each selects.
    pub masks: Vec<Counted>,
    /// Where a gradient of the results flows to, for operands that take one.
    pub flows: Vec<Flow>,
    /// The plans that ran, in order.
    pub plans: Vec<Planned>,
    /// Bytes moved.
    pub bytes: Bytes,
    /// Why the call fails, if it does.
    pub error: Option<Failure>,
    /// Set where the lists of elements are a sample.
    pub sample: Option<Sample>,
}

/// What kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// Elements are read into fresh memory.
    Read,
    /// Elements are written into an array, or into a copy of it.
    Write,
    /// The result shares the memory of an operand.
    View,
    /// Values are searched in a sorted sequence.
    Search,
    /// Elements are put in order.
    Sort,
    /// Places that are not zero are listed or counted.
    Count,
    /// Gradients flow back.
    Gradient,
    /// Nothing is indexed: creation, a number, a comparison.
    Value,
}

/// What an operand is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The array that is indexed.
    Data,
    /// Positions.
    Index,
    /// Booleans that select.
    Mask,
    /// What is written or searched for.
    Values,
    /// The sorted sequence of a search.
    Sequence,
    /// The order of an unsorted sequence.
    Sorter,
}

/// An array that goes in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand {
    /// Its name in the expression, or the name of the parameter (`input`, `index`, `src`).
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Extents.
    pub shape: Vec<usize>,
    /// The dtype by the engine's name, `float32`.
    pub dtype: String,
    /// Bytes from one element to the next along each axis.
    pub strides: Vec<isize>,
    /// Its values before the call, in row-major order, as text; none above [`MOST`] elements.
    pub values: Option<Vec<String>>,
}

/// An array that comes out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// `result`, or the name of its part (`values`, `indices`).
    pub name: String,
    /// Extents.
    pub shape: Vec<usize>,
    /// The dtype by the engine's name.
    pub dtype: String,
    /// Bytes from one element to the next along each axis.
    pub strides: Vec<isize>,
    /// Its values, in row-major order; none above [`MOST`] elements, or where the call was not run.
    pub values: Option<Vec<String>>,
    /// Whose memory it is.
    pub memory: Memory,
    /// The operand whose elements it keeps wherever `cells` lists nothing: the destination of a write.
    pub base: Option<usize>,
    /// Where each axis comes from.
    pub axes: Vec<Axis>,
    /// Its elements, in row-major order. A write lists only what it touches.
    pub cells: Vec<Cell>,
}

/// Whose memory a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Memory {
    /// Its own.
    Fresh,
    /// An operand's: a view of it.
    View {
        /// Which operand.
        operand: usize,
    },
    /// An operand's, which the call has written into.
    InPlace {
        /// Which operand.
        operand: usize,
    },
}

/// An axis of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its extent.
    pub extent: usize,
    /// Where it comes from.
    pub from: Origin,
}

/// Where an axis comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
#[non_exhaustive]
pub enum Origin {
    /// An axis of an operand, walked whole or by a slice.
    Axis {
        /// Which operand.
        operand: usize,
        /// Which of its axes.
        axis: usize,
        /// The step of the slice, 1 for a whole axis.
        step: isize,
    },
    /// An axis of the index arrays, whose values choose along axes of the data.
    Index {
        /// The index operands.
        operands: Vec<usize>,
        /// Which axis of their common shape.
        axis: usize,
        /// The axes of the data they choose along; none where they are flat positions.
        along: Vec<usize>,
    },
    /// The places a mask selects.
    Mask {
        /// The mask.
        operand: usize,
        /// The axes of the data it covers.
        along: Vec<usize>,
    },
    /// `None` or `newaxis`, an axis of extent 1; any axis of an array that is made of no other.
    New,
    /// The axis repeats one element: `expand`, `broadcast_to`.
    Repeated,
    /// Coordinates: the columns of `nonzero`.
    Coordinates,
}

/// An element of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its position in the result.
    pub at: usize,
    /// What becomes of the sources.
    pub how: How,
    /// Whether the sum starts from the old element: the base's, or zero where there is no base.
    #[serde(default, skip_serializing_if = "is_false")]
    pub with_self: bool,
    /// What comes to it, in index order.
    pub sources: Vec<Source>,
    /// Where nothing comes to it: the index elements that led nowhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<Pointer>,
    /// Where nothing comes to it: the fill value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What becomes of the sources of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum How {
    /// The one source is taken.
    Copy,
    /// The last source stays.
    Last,
    /// The first source stays.
    First,
    /// They are added, in order.
    Sum,
    /// They are multiplied, in order.
    Prod,
    /// The greatest.
    Max,
    /// The least.
    Min,
    /// What was there is divided by each of them, in order.
    Div,
    /// They are added and divided by their number.
    Mean,
    /// No source: the fill value.
    Fill,
    /// A position, not a value: the result of a search, a sort, `argmax` or `nonzero`.
    Position,
}

/// What comes to an element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The operand it is read from; none for a number of the call itself (`x[i] = 5`).
    pub operand: Option<usize>,
    /// Its position there.
    pub at: usize,
    /// The index elements or mask elements that led there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<Pointer>,
    /// Whether it takes part in the result: not so for all but the last of values where the last stays, nor for gradients that
    /// are multiplied by zero.
    pub used: bool,
    /// The number it is, where it is one of the call itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// A number it is multiplied by first: the `alpha` of `index_add`, the weight of a gradient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<String>,
    /// The elements that this number was computed from, unless the call names it: the other factors of a product.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Pointer>,
}

/// An element of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    /// The operand.
    pub operand: usize,
    /// Its position there.
    pub at: usize,
}

/// What a rule leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The value that is stored nowhere.
    pub source: Source,
    /// Why.
    pub why: Why,
}

/// Why something is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The index value lies outside, and the rule drops it.
    Outside,
    /// The mask does not select it.
    NotSelected,
}

/// One value of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// The value looked for; a number of the call itself is an operand without axes.
    pub value: Pointer,
    /// The sequence's operand.
    pub sequence: usize,
    /// The position of the first element of the row that is searched.
    pub row: usize,
    /// The length of that row.
    pub length: usize,
    /// From an element of the row to the next, in positions; negative where a falling sequence is searched from its end.
    pub step: isize,
    /// The operand that says in which order the elements of the row come, if they are not in order themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sorter: Option<usize>,
    /// The answer: how many elements of the row come before the value.
    pub found: usize,
    /// Whether elements equal to the value come before it.
    pub right: bool,
    /// What halving compares the value with, in order. The engine may compare several at a time; the answer is the same.
    pub compared: Vec<Compared>,
}

/// One comparison of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Position in the row, in sorted order.
    pub at: usize,
    /// Which element of the sequence that is: its position there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<usize>,
    /// Whether the value comes after that element.
    pub after: bool,
}

/// A mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The mask's operand.
    pub operand: usize,
    /// How many places it selects.
    pub count: usize,
    /// Their positions, in order.
    pub places: Vec<usize>,
}

/// Where a gradient flows to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// The operand that takes it.
    pub operand: usize,
    /// For each element that takes something: the results' elements whose gradients are added up there.
    pub to: Vec<FlowTo>,
}

/// The gradient of one element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowTo {
    /// Its position in the operand.
    pub at: usize,
    /// Elements of results, in order: `operand` is the number of the result.
    pub from: Vec<Pointer>,
    /// What the gradient of each of these is multiplied by: the share of a mean, `alpha`, the other factors of a product. None
    /// where all are taken as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
}

/// A plan that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// `read`, `write`, `accumulate`, or `search`, `sort`, `count`.
    pub verb: String,
    /// Its loops, axes and steps in the plan's own notation.
    pub text: String,
    /// The strategies, the chosen one first, then those that ran within it.
    pub strategies: Vec<Named>,
    /// How "all or nothing" is kept.
    pub promise: String,
    /// Bytes read, at least.
    pub read: usize,
    /// Bytes written, at least.
    pub written: usize,
}

/// A strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Why it was chosen.
    pub reason: String,
}

/// Bytes moved by all plans together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// Read from operands, index arrays included.
    pub read: usize,
    /// Written to results.
    pub written: usize,
    /// Requests to files, where an operand stands on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<usize>,
}

/// Why a call fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The class of the exception in the dialect: `IndexError`.
    pub class: String,
    /// The whole message.
    pub message: String,
    /// The operand that holds the bad value.
    pub operand: Option<usize>,
    /// The position of the first bad value there.
    pub at: Option<usize>,
    /// That value.
    pub value: Option<String>,
    /// The axis of the data it was for.
    pub axis: Option<usize>,
    /// The size of that axis.
    pub size: Option<usize>,
    /// All bad positions, as far as they are listed.
    pub bad: Vec<usize>,
    /// How many values are bad.
    pub count: Option<usize>,
    /// Bytes of the expression the error is about: from, to.
    pub span: Option<[usize; 2]>,
}

/// How much of the elements is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Elements listed.
    pub shown: usize,
    /// Elements there are.
    pub of: usize,
}
