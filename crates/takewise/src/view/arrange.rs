//! The zero-copy rearrangements, once for every kind of array.
//!
//! Each array type provides `named(name, offset, layout)`: itself with another first element and layout; the name is
//! what torch calls the view where gradients are recorded. The
//! macros below turn the pure functions of [`crate::layout`] into its methods. `one_to_one` holds those that
//! reach every element at most once, which writable views may use too; `sharing` those that may reach one
//! element from several coordinates.

/// Rearrangements that reach every element at most once. Arguments: `self`, the receiver, and the type's
/// own word for what comes out.
macro_rules! one_to_one {
    ($self:ident, [$($recv:tt)*], $size:expr) => {
        /// Fixes `axis` at `index`; both count from the end when negative, and the axis disappears.
        ///
        /// Free. Errors: kind `Axis`, `OutOfRange`, `Shape` if 0-d.
        pub fn select($($recv)*, axis: i64, index: i64) -> Result<Self> {
            let (offset, layout) = $self.layout.select_at(Op::Select, axis, index)?;
            Ok($self.named($crate::node_op::NodeOp::Select, offset, layout))
        }

        /// `length` places of `axis` from `start` on; nothing is clamped.
        ///
        /// Free. Errors: kind `Axis`, `Argument` if start or end lie outside, `Shape` if 0-d.
        pub fn narrow($($recv)*, axis: i64, start: i64, length: i64) -> Result<Self> {
            let (offset, layout) = $self.layout.narrow(Op::Narrow, axis, start, length)?;
            Ok($self.named($crate::node_op::NodeOp::Slice, offset, layout))
        }

        /// `axis` sliced by Python's rules; the step may be negative.
        ///
        /// Free. Errors: kind `Axis`, `Argument` for step 0, `Shape` if 0-d.
        pub fn slice($($recv)*, axis: i64, slice: impl Into<Slice>) -> Result<Self> {
            let (offset, layout) = $self.layout.slice_at(Op::Slice, axis, &slice.into())?;
            Ok($self.named($crate::node_op::NodeOp::Slice, offset, layout))
        }

        /// Exchanges two axes. Free. Error: kind `Axis`.
        pub fn transpose($($recv)*, axis0: i64, axis1: i64) -> Result<Self> {
            let layout = $self.layout.transpose(Op::Transpose, axis0, axis1)?;
            Ok($self.named($crate::node_op::NodeOp::Transpose, 0, layout))
        }

        /// Exchanges the axes of a matrix; lower ranks stay as they are. Free. Error (kind `Argument`) above
        /// rank 2.
        pub fn t($($recv)*) -> Result<Self> {
            let layout = $self.layout.matrix_transpose(Op::T)?;
            Ok($self.named($crate::node_op::NodeOp::T, 0, layout))
        }

        /// Reorders all axes: axis `k` of the result is axis `axes[k]` here.
        ///
        /// Free. Errors: kind `Axis`; `Argument` unless every axis is named once.
        pub fn permute($($recv)*, axes: &[i64]) -> Result<Self> {
            let layout = $self.layout.permuted(Op::Permute, axes)?;
            Ok($self.named($crate::node_op::NodeOp::Permute, 0, layout))
        }

        /// Moves the axes `from` to the places `to`; the others keep their order.
        ///
        /// Free. Errors: kind `Axis`; `Argument` for lists of different length or a repeat.
        pub fn movedim($($recv)*, from: &[i64], to: &[i64]) -> Result<Self> {
            let layout = $self.layout.movedim(Op::Movedim, from, to)?;
            Ok($self.named($crate::node_op::NodeOp::Permute, 0, layout))
        }

        /// The same elements in row-major order under another shape, never copied; one extent may be -1.
        ///
        /// Free. Error (kind `Argument`) if the count differs or the strides do not allow it.
        pub fn view($($recv)*, shape: &[i64]) -> Result<Self> {
            let layout = $self.layout.view(Op::View, shape, $size)?;
            Ok($self.named($crate::node_op::NodeOp::View, 0, layout))
        }

        /// Drops every axis of extent 1. Free.
        pub fn squeeze($($recv)*) -> Self {
            let layout = $self.layout.squeeze_where(|_| true);
            $self.named($crate::node_op::NodeOp::Squeeze, 0, layout)
        }

        /// Drops the named axes that have extent 1; others named stay.
        ///
        /// Free. Errors: kind `Axis`; `Argument` for an axis named twice.
        pub fn squeeze_dims($($recv)*, axes: &[i64]) -> Result<Self> {
            let layout = $self.layout.squeeze(Op::Squeeze, axes)?;
            Ok($self.named($crate::node_op::NodeOp::SqueezeAxes, 0, layout))
        }

        /// Inserts an axis of extent 1 at place `axis` of the result. Free. Error: kind `Axis`.
        pub fn unsqueeze($($recv)*, axis: i64) -> Result<Self> {
            let layout = $self.layout.unsqueeze_at(Op::Unsqueeze, axis, $size)?;
            Ok($self.named($crate::node_op::NodeOp::Unsqueeze, 0, layout))
        }

        /// The named axes walked backwards, by negative strides.
        ///
        /// Free (torch's `flip` copies). Errors: kind `Axis`; `Argument` for an axis named twice.
        pub fn reversed($($recv)*, axes: &[i64]) -> Result<Self> {
            let (offset, layout) = $self.layout.reversed(Op::Flip, axes)?;
            Ok($self.named($crate::node_op::NodeOp::Flip, offset, layout))
        }

        /// The elements `(i, i + offset)` of two axes, as a new last axis.
        ///
        /// Free. Errors: kind `Axis`; `Argument` if the axes are the same.
        pub fn diagonal($($recv)*, offset: i64, axis1: i64, axis2: i64) -> Result<Self> {
            let (first, layout) = $self.layout.diagonal(Op::Diagonal, offset, axis1, axis2)?;
            Ok($self.named($crate::node_op::NodeOp::Diagonal, first, layout))
        }
    };
}

/// Rearrangements under which coordinates may share an element: reading only, or checked before a write.
macro_rules! sharing {
    ($self:ident, [$($recv:tt)*], $size:expr) => {
        /// Axes of extent 1 stretched and new axes put in front, all stepping 0; -1 keeps an extent.
        ///
        /// Free. Errors: kind `Argument` if another extent changes or the rank would fall.
        pub fn expand($($recv)*, shape: &[i64]) -> Result<Self> {
            let layout = $self.layout.expand(Op::Expand, shape)?;
            Ok($self.named($crate::node_op::NodeOp::Expand, 0, layout))
        }

        /// All windows of `size` places along `axis`, `step` apart; the window is a new last axis.
        ///
        /// Free; windows overlap when `step < size`. Errors: kind `Axis`, `Argument`.
        pub fn unfold($($recv)*, axis: i64, size: i64, step: i64) -> Result<Self> {
            let layout = $self.layout.unfold(Op::Unfold, axis, size, step, $size)?;
            Ok($self.named($crate::node_op::NodeOp::Unfold, 0, layout))
        }
    };
}

pub(crate) use {one_to_one, sharing};
