//! The ways in which the values of a row are combined.

use takewise::DType;

/// How the values of a row are combined.
///
/// ```
/// assert_ne!(takewise_ranges::How::First, takewise_ranges::How::Last);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum How {
    Sum,
    Mean,
    Min,
    Max,
    Prod,
    Any,
    All,
    Count,
    First,
    Last,
    ArgMin,
    ArgMax,
}

impl How {
    /// Whether the engine combines values so.
    pub(crate) fn combines(self) -> bool {
        matches!(self, How::Sum | How::Mean | How::Min | How::Max | How::Prod)
    }

    /// The dtype of the result.
    pub(crate) fn dtype(self, of: DType) -> DType {
        match self {
            How::Any | How::All => DType::Bool,
            How::Count | How::ArgMin | How::ArgMax => DType::I64,
            _ => of,
        }
    }
}
