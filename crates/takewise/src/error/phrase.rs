//! Names and notations the libraries use inside messages.

use super::Shape;
use crate::dtype::DType;

/// torch's name of a dtype: `Long`.
pub(super) fn torch_name(d: DType) -> &'static str {
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
        DType::Opaque { .. } => "Undefined",
    }
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
        _ => "record",
    }
}

/// MindSpore's name of a dtype: `Int64`.
pub(crate) fn mindspore_name(d: DType) -> &'static str {
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
        DType::Opaque { .. } => "Opaque",
    }
}

/// A Python tuple as NumPy prints shapes: `(2,3)`, `(3,)`, `()`.
pub(super) fn tuple<T: std::fmt::Display>(items: &[T]) -> String {
    let parts: Vec<String> = items.iter().map(T::to_string).collect();
    let comma = if parts.len() == 1 { "," } else { "" };
    format!("({}{comma})", parts.join(","))
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
