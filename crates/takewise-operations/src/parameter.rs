//! What parameters are called, and what they are for.

/// What a parameter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The array that is read, or that is written to.
    Data,
    /// Positions: an array of integers.
    Index,
    /// What selects elements by being true.
    Mask,
    /// A subscript of any kind.
    Key,
    /// What is stored or combined: an array or a number.
    Values,
    /// The same where it has to be an array; a number counts as one of rank 0.
    Array,
    /// An axis.
    Axis,
    /// An axis, or `None` for the flattened array.
    AxisOrNone,
    /// How many leading axes are paired.
    BatchDims,
    /// How values that meet are combined; `None` stores them.
    Reduce,
    /// The same where there has to be a word.
    HasReduce,
    /// Whether what is there counts.
    IncludeSelf,
    /// Whether values are added rather than stored.
    Accumulate,
    /// A factor for what is added.
    Factor,
    /// The lengths of a new array.
    Shape,
    /// A sorted sequence.
    Sequence,
    /// What is looked for in it.
    Sought,
    /// The positions that sort a sequence.
    Sorter,
    /// Whether positions have 32 bits.
    Narrow,
    /// Where rows of different lengths begin, and the last ends.
    Offsets,
    /// Where each of such rows starts.
    Starts,
    /// Where it stops.
    Stops,
    /// How long it is.
    Lengths,
    /// The offsets of the rows of what is stored.
    SourceOffsets,
    /// A factor for each entry of the rows.
    Weights,
    /// How the values of a row are combined.
    How,
    /// Whether NaN is passed over.
    SkipNan,
    /// What a row without values gives.
    Empty,
    /// How long rows, or what a result lists, are made.
    Width,
    /// What stands behind the values: a number.
    Padding,
    /// Whether the places that hold values are told, too.
    WithMask,
    /// How many there are.
    Count,
    /// How many there are at least.
    AtLeast,
    /// What is looked for among other elements.
    Among,
    /// Whether the greatest come first.
    Descending,
    /// Whether equal elements keep their order.
    Stable,
    /// Whether the greatest are wanted, and not the least.
    Largest,
    /// Whether what is true becomes false.
    Invert,
    /// Whether the positions where each was found first are told, too.
    WithIndex,
    /// Whether it is told which stands at each place, too.
    WithInverse,
    /// Whether it is told how often each occurs, too.
    WithCounts,
    /// Whether equal elements are passed.
    Right,
    /// The same as a word.
    Side,
    /// Whether each axis has a result of its own.
    AsTuple,
    /// What chooses between two values.
    Condition,
    /// One of them, which may be left out together with the other.
    Choice,
    /// What values outside their axis do.
    Bounds,
    /// Whether negative values count from the end.
    Negative,
    /// What is read outside.
    Fill,
    /// Which of several stores to one place stays.
    Duplicates,
    /// Which values a write takes.
    Casting,
    /// What a key means that can be read in two ways.
    Mixed,
    /// Memory for the result.
    Out,
    /// Among how many threads a call is divided.
    Threads,
}

/// A parameter of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// What it is where it is left out, as Python writes it; `None` for what has to be given.
    pub default: Option<&'static str>,
    /// Whether its positions along an axis are one list for all places of the other axes.
    pub list: bool,
}

impl Parameter {
    pub(crate) const fn new(name: &'static str, role: Role) -> Parameter {
        Parameter { name, role, default: None, list: false }
    }

    pub(crate) const fn or(self, default: &'static str) -> Parameter {
        Parameter { default: Some(default), ..self }
    }
}

impl Role {
    /// How many there are.
    pub const COUNT: usize = Role::Threads as usize + 1;

    /// Whether [`Given`](crate::Given) holds it, beside the axis.
    pub fn says_how(self) -> bool {
        use Role::{Accumulate, BatchDims, Factor, HasReduce, IncludeSelf, Reduce, SkipNan};
        matches!(self, Accumulate | BatchDims | Factor | HasReduce | IncludeSelf | Reduce | SkipNan)
    }

    /// Whether it takes an array, or what stands for one.
    pub fn is_array(self) -> bool {
        use Role::{
            Among, Array, Choice, Condition, Data, Index, Mask, Out, Sequence, Sorter, Sought, Values, Weights,
        };
        Role::ROWS.contains(&self)
            || matches!(self, Among | Array | Choice | Condition | Data | Index | Mask | Out | Sequence)
            || matches!(self, Sorter | Sought | Values | Weights)
    }

    /// What is true or false.
    pub const SWITCHES: [Role; 15] = [
        Role::Accumulate,
        Role::IncludeSelf,
        Role::Right,
        Role::Narrow,
        Role::AsTuple,
        Role::Negative,
        Role::SkipNan,
        Role::WithMask,
        Role::Descending,
        Role::Stable,
        Role::Largest,
        Role::Invert,
        Role::WithIndex,
        Role::WithInverse,
        Role::WithCounts,
    ];

    /// What takes an array of integers that says where rows lie.
    pub const ROWS: [Role; 5] = [Role::Offsets, Role::Starts, Role::Stops, Role::Lengths, Role::SourceOffsets];
}
