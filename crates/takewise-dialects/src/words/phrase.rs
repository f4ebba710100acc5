//! Names and notations the libraries use inside messages.

use takewise::dtype::DType;
use takewise::error::{Class, Shape};

/// The class and the text of an error; `None` where a library has no words of its own.
pub(super) type Phrase = Option<(Class, String)>;

/// torch's name of a dtype: `Long`. Those torch has no name for are called as the library they come from calls them.
pub(crate) fn torch_name(d: DType) -> &'static str {
    match d {
        DType::Bool => "Bool",
        DType::U8 => "Byte",
        DType::U16 => "UInt16",
        DType::U32 => "UInt32",
        DType::U64 => "UInt64",
        DType::I8 => "Char",
        DType::I16 => "Short",
        DType::I32 => "Int",
        DType::I64 => "Long",
        DType::F16 => "Half",
        DType::BF16 => "BFloat16",
        DType::F32 => "Float",
        DType::F64 => "Double",
        DType::C64 => "ComplexFloat",
        DType::C128 => "ComplexDouble",
        DType::Opaque { .. } => {
            TORCH_NAMES.iter().find(|(name, _)| *name == d.name()).map_or(d.name(), |found| found.1)
        }
    }
}

/// What torch calls dtypes that the engine cannot compute with, beside what they are called here.
const TORCH_NAMES: &[(&str, &str)] = &[
    ("complex32", "ComplexHalf"),
    ("float8_e4m3fn", "Float8_e4m3fn"),
    ("float8_e4m3fnuz", "Float8_e4m3fnuz"),
    ("float8_e5m2", "Float8_e5m2"),
    ("float8_e5m2fnuz", "Float8_e5m2fnuz"),
    ("float8_e8m0fnu", "Float8_e8m0fnu"),
    ("float4_e2m1fn_x2", "Float4_e2m1fn_x2"),
    ("bits1x8", "Bits1x8"),
    ("bits2x4", "Bits2x4"),
    ("bits4x2", "Bits4x2"),
    ("bits8", "Bits8"),
    ("bits16", "Bits16"),
    ("int1", "Int1"),
    ("int2", "Int2"),
    ("int3", "Int3"),
    ("int4", "Int4"),
    ("int5", "Int5"),
    ("int6", "Int6"),
    ("int7", "Int7"),
    ("uint1", "UInt1"),
    ("uint2", "UInt2"),
    ("uint3", "UInt3"),
    ("uint4", "UInt4"),
    ("uint5", "UInt5"),
    ("uint6", "UInt6"),
    ("uint7", "UInt7"),
];

/// What torch says of two dtypes that it has no common one for.
pub(super) fn promotion(a: DType, b: DType) -> String {
    let float8 = [a, b].iter().any(|d| d.name().starts_with("float8_"));
    let kinds = if float8 { "Float8 Types" } else { "uint16, uint32, uint64 types" };
    let (a, b) = (torch_name(a), torch_name(b));
    format!("Promotion for {kinds} is not supported, attempted to promote {a} and {b}")
}

/// torch's class of tensors of a dtype in main memory: `torch.LongTensor`.
pub fn torch_class(d: DType) -> String {
    format!("torch.{}Tensor", torch_name(d))
}

/// torch's name of the C++ type of an element: `long int`.
pub(super) fn c_name(d: DType) -> &'static str {
    match d {
        DType::Bool => "bool",
        DType::U8 => "unsigned char",
        DType::U16 => "short unsigned int",
        DType::U32 => "unsigned int",
        DType::U64 => "long unsigned int",
        DType::I8 => "signed char",
        DType::I16 => "short int",
        DType::I32 => "int",
        DType::I64 => "long int",
        other => float_name(other),
    }
}

/// torch's name of the C++ type a number is converted to: `int64_t`.
pub(super) fn fixed_name(d: DType) -> &'static str {
    match d {
        DType::Bool => "bool",
        DType::U8 => "uint8_t",
        DType::U16 => "uint16_t",
        DType::U32 => "uint32_t",
        DType::U64 => "uint64_t",
        DType::I8 => "int8_t",
        DType::I16 => "int16_t",
        DType::I32 => "int",
        DType::I64 => "int64_t",
        other => float_name(other),
    }
}

fn float_name(d: DType) -> &'static str {
    match d {
        DType::F16 => "c10::Half",
        DType::BF16 => "c10::BFloat16",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 => "c10::complex<float>",
        DType::C128 => "c10::complex<double>",
        other => other.name(),
    }
}

/// MindSpore's name of a dtype: `Int64`. Those MindSpore does not have keep the name they come with.
pub fn mindspore_name(d: DType) -> &'static str {
    match d {
        DType::Bool => "Bool",
        DType::U8 => "UInt8",
        DType::U16 => "UInt16",
        DType::U32 => "UInt32",
        DType::U64 => "UInt64",
        DType::I8 => "Int8",
        DType::I16 => "Int16",
        DType::I32 => "Int32",
        DType::I64 => "Int64",
        DType::F16 => "Float16",
        DType::BF16 => "BFloat16",
        DType::F32 => "Float32",
        DType::F64 => "Float64",
        DType::C64 => "Complex64",
        DType::C128 => "Complex128",
        DType::Opaque { .. } => d.name(),
    }
}

/// MindSpore's notation of a constant list: `[const vector]{2, 3}`.
pub(super) fn constant<T: std::fmt::Display>(items: &[T]) -> String {
    let parts: Vec<String> = items.iter().map(T::to_string).collect();
    format!("[const vector]{{{}}}", parts.join(", "))
}

/// The extent of a shape at axis `dim` of a result of rank `rank`, shapes being aligned at their end.
pub(super) fn aligned(shape: &[usize], dim: usize, rank: usize) -> usize {
    (dim + shape.len()).checked_sub(rank).and_then(|d| shape.get(d)).copied().unwrap_or(1)
}

/// The shapes of a fault by name; empty where absent.
pub(super) struct Shapes<'a>(pub(super) &'a [(&'static str, Shape)]);

impl<'a> Shapes<'a> {
    /// The shape under any of these names; else the one at that place.
    pub(super) fn named(&self, names: &[&str], place: usize) -> &'a [usize] {
        let found = self.0.iter().find(|(n, _)| names.contains(n)).or(self.0.get(place));
        found.map_or(&[], |(_, s)| s.as_slice())
    }

    pub(super) fn at(&self, place: usize) -> &'a [usize] {
        self.named(&[], place)
    }

    /// A single number kept among the shapes.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().find(|(n, _)| *n == name).and_then(|(_, s)| s.first()).copied()
    }
}

/// A shape without its leading extents of 1.
pub(super) fn without_ones(shape: &[usize]) -> &[usize] {
    let lead = shape.iter().take_while(|n| **n == 1).count();
    &shape[lead..]
}
