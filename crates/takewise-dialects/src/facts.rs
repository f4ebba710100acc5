//! What a library's functions do where the rules of the engine leave it open, as named facts.
//!
//! Operations ask for a fact, never for the library. A library is added by one record of each kind.

use takewise::DType;
use takewise::index::rules::Meet;

use crate::error::EvalError;

/// What passes for an array.
#[derive(Clone)]
pub struct OperandFacts {
    /// Whether lists and numbers are taken where arrays are, and arrays where numbers are.
    pub array_likes: bool,
    /// Whether a function of any number of arrays takes one list of them as well.
    pub one_list: bool,
    /// Whether the numpy scalars among the choices of `where` are as weak as Python's numbers.
    pub weak_scalars: bool,
    /// Whether elsewhere its arrays of rank 0 pass for numbers to fill with.
    pub fills_elsewhere: bool,
    /// Whether `from_numpy` takes its own tensors as well.
    pub own_from_numpy: bool,
    /// Whether arrays of 64 bits that are not its own become 32 bits wide.
    pub narrows: bool,
    /// Which arrays have to have a dtype in common with what is stored in them, or searched for.
    pub must_meet: Meeting,
    /// How takewise's own functions combine values of other dtypes with its arrays; `None` as they do by themselves.
    pub meets: Option<Meet>,
}

/// Which arrays have to have a dtype in common with what is stored in them, or searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// None: all else has rules of its own.
    None,
    /// Those of dtypes without arithmetic.
    Foreign,
    /// All.
    All,
}

/// What constructors make of numbers.
#[derive(Clone)]
pub struct CreationFacts {
    /// Whether integers beyond 64 bits with a sign are uint64, and float64 beside smaller ones.
    pub large_are_unsigned: bool,
    /// The dtype of `arange` where arrays give its numbers.
    pub arange: Counting,
    /// Whether `linspace` counts from both ends, in the default dtype of floats; else from the start, in the dtype the
    /// ends meet in, rounding every step to it.
    pub both_ends: bool,
}

/// The dtype of `arange` where arrays give its numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// That of plain numbers.
    Plain,
    /// The one the arrays meet in; that of plain numbers where one of them is of 64 bits.
    Narrow,
    /// The one the arrays and the default dtype of integers meet in.
    Wide,
}

/// What functions of shapes, diagonals and parts give.
#[derive(Clone)]
pub struct ShapeFacts {
    /// Whether what needs no copy shares the memory of its array: `flip`, `rot90`, `diag` (SEMANTICS.md, Views and windows).
    pub shares_memory: bool,
    /// Whether the triangle of a vector is that of a matrix with the vector in every row.
    pub vector_triangles: bool,
    /// Whether coordinates of triangles are a tuple of arrays; else the rows of one.
    pub coordinate_tuples: bool,
    /// Whether writing functions give their target back.
    pub gives_target: bool,
    /// Whether the parts of an array are a list; else a tuple.
    pub parts_in_list: bool,
    /// Whether arrays stretched to one shape are a list; else a tuple.
    pub grids_in_list: bool,
    /// Whether `moveaxis` looks at its axes by itself, and names the argument that is wrong.
    pub names_axes: bool,
}

/// What masks, index lists and searches are about.
#[derive(Clone)]
pub struct SearchFacts {
    /// Whether the condition of `where` is "is not zero"; else a mask is wanted (SEMANTICS.md, Where and nonzero).
    pub truth_chooses: bool,
    /// Whether `all` and `any` of bytes are bytes.
    pub byte_truths: bool,
    /// Dtypes that `isin` is not defined for, as its error names them.
    pub isin_lacks: &'static [(DType, &'static str)],
    /// Whether `isin` has dtypes that are no numbers, and compares few of them one by one.
    pub isin_foreign: bool,
    /// Whether the bins of `digitize` are looked at as doubles (SEMANTICS.md, Sorted searches).
    pub double_bins: bool,
    /// Whether the floats in a list of positions are truncated (SEMANTICS.md, Put and take).
    pub truncates_positions: bool,
    /// Whether `ix_` leaves empty arrays the dtype they have.
    pub keeps_empty: bool,
}

/// Which class its tensors are of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TensorClass {
    /// That of no library in particular.
    Plain,
    /// PyTorch's.
    Torch,
    /// MindSpore's.
    MindSpore,
}

/// How objects of Python's become arrays, and arrays become objects.
#[derive(Clone)]
pub struct ObjectFacts {
    /// Whether its rules hold for the arrays of all libraries; else each array follows those of its own.
    pub for_all: bool,
    /// Functions that make an array of a list at once, in the dtype of the array they write into or in the one asked for: where
    /// the list stands, by its place and by its name.
    pub lists: &'static [(&'static str, usize, &'static str)],
    /// Whether NumPy reads lists of text for it, and objects that are arrays by what they can do.
    pub reads_objects: bool,
    /// Functions that warn before complex values are stored into real ones, as subscripts do then; none where nobody warns.
    pub warns_of_complex: &'static [&'static str],
    /// Whether its arrays may be as weak as numbers, which `where` passes on.
    pub weak_arrays: bool,
    /// The class of its tensors.
    pub class: TensorClass,
    /// The module that makes arrays of its own of NumPy's.
    pub maker: Option<&'static str>,
    /// The module whose own functions answer calls that ours have no answer to, where there are no tensors of ours.
    pub asks: Option<&'static str>,
}

/// How integers are reckoned with, where indices are made of others.
pub struct Arithmetic {
    /// Whether a number may stand beside an array of a dtype.
    pub number: fn(i128, DType) -> Result<(), EvalError>,
    /// What is said of `-` where the left or right side is boolean.
    pub minus: fn(bool, bool) -> Option<EvalError>,
    /// What is said of the negative of booleans.
    pub negative: fn() -> EvalError,
    /// The dtype of quotients and rests of booleans, where there are any.
    pub bool_quotients: Option<DType>,
    /// What a division by zero gives.
    pub division: Division,
    /// What is said of `x op= y` where the dtype of the result may not be stored as that of `x`: NumPy's name of the operator, and the
    /// two dtypes.
    pub cast: fn(&str, DType, DType) -> Option<EvalError>,
    /// What is said of `x op= y` where the shapes of `x` and `y` meet in another than that of `x`, or in none.
    pub grown: fn([&[usize]; 2], Option<&[usize]>) -> Option<EvalError>,
    /// Whether shapes are looked at before dtypes.
    pub shapes_first: bool,
    /// Whether unsigned integers of more than 8 bits have no arithmetic.
    pub signed_alone: bool,
    /// Whether a result of rank 0 is a scalar.
    pub scalars: bool,
}

/// What a division by zero gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// An error.
    Raises,
    /// Zero.
    Zero,
}

/// All of them about one library.
#[derive(Clone)]
pub struct LibraryFacts {
    /// Whether its arrays are tensors: what alone passes for a `Tensor` argument.
    pub tensors: bool,
    /// Whether its dtypes are NumPy's, which can be called; else objects of its own.
    pub numpy_dtypes: bool,
    /// What passes for an array.
    pub operands: OperandFacts,
    /// What constructors make of numbers.
    pub creation: CreationFacts,
    /// What functions of shapes, diagonals and parts give.
    pub shapes: ShapeFacts,
    /// What masks, index lists and searches are about.
    pub search: SearchFacts,
    /// How objects of Python's become arrays, and arrays become objects.
    pub objects: ObjectFacts,
    /// How integers are reckoned with; `None` where that is not known.
    pub arithmetic: Option<&'static Arithmetic>,
}
