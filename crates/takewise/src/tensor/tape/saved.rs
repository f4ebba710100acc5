//! Operands kept for the way back, by reference: a version says whether they are still what they were.

use super::refused;
use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::{AnyRef, Tensor};

/// An operand as it was when the operation ran.
pub(crate) struct Saved {
    tensor: Tensor,
    version: u64,
}

impl Saved {
    pub(crate) fn new(t: &Tensor) -> Saved {
        let mut tensor = t.clone();
        // The data alone: a history would keep what it came from alive, and might lead back here.
        tensor.own = None;
        Saved { tensor, version: t.version() }
    }

    /// The elements, if nobody changed them since.
    pub(crate) fn open(&self) -> Result<AnyRef<'_>> {
        let now = self.tensor.version();
        if now == self.version {
            return self.tensor.read_any();
        }
        // torch spells out where the nodes without a formula of their own come from.
        let home = |name: &str| if name.starts_with("Copy") { "torch::autograd::" } else { "" };
        let from = self
            .tensor
            .node()
            .filter(|n| !n.is_leaf())
            .map_or(String::new(), |n| format!(", which is output 0 of {}{},", home(n.name), n.name));
        Err(refused(
            "backward",
            format!(
                "one of the variables needed for gradient computation has been modified by an inplace operation: [{} \
                 {:?}]{from} is at version {now}; expected version {} instead. Hint: enable anomaly detection to find \
                 the operation that failed to compute its gradient, with \
                 torch.autograd.set_detect_anomaly(True, check_nan=False).",
                class(self.tensor.dtype()),
                self.tensor.shape(),
                self.version,
            ),
        ))
    }
}

/// torch's class of CPU tensors of a dtype.
fn class(dtype: DType) -> String {
    let name = match dtype {
        DType::Bool => "Bool",
        DType::U8 => "Byte",
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
        other => return other.name().to_string(),
    };
    format!("torch.{name}Tensor")
}
