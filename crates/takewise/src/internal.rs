//! What the crates of this workspace need beside the public surface. No promise of stability: other programs leave it alone.

/// Putting operations on the tape by hand.
pub mod record {
    pub use crate::autograd::record::*;
}

/// Walking back without a trace.
pub mod gradients {
    use crate::autograd::Gradient;
    use crate::{Result, Tensor};

    /// Fails as a write into a tensor does that its history forbids: into a leaf that takes a gradient, into a view of one.
    pub fn check_in_place(tensor: &Tensor) -> Result<()> {
        tensor.check_in_place()
    }

    /// Makes the gradient of a leaf, or of a tensor that keeps one, what it was.
    pub fn put_back(tensor: &Tensor, grad: Option<Gradient>) {
        tensor.put_back(grad);
    }
}

/// Elements of another dtype.
pub mod convert {
    pub use crate::values::convert::{convert_as, convert_into};
}

/// Numbers as elements, and elements as numbers.
pub mod number {
    pub use crate::values::number::{element_scalar, integer_range, scalar_bytes};
}

/// What is told to whoever watches a call.
pub mod watched {
    use crate::view::AnyView;

    /// Says that the numbers of an array were put there by hand: they are numbers of the call itself.
    #[inline]
    pub fn numbers(array: &AnyView<'_>) {
        crate::ops::numbered(array);
    }
}

/// Dividing work of other crates among the threads of calls.
pub mod parts {
    /// Parts for work that costs as much as moving so many bytes of single elements.
    pub fn parts_for(bytes: usize) -> usize {
        crate::threads::parts_for(bytes)
    }

    /// Calls `f` for `0..count`, side by side.
    pub fn each(count: usize, f: &(dyn Fn(usize) + Sync)) {
        crate::threads::each(count, f);
    }

    /// Asks for the memory of elements that are needed soon.
    #[inline(always)]
    pub fn prefetch<T>(soon: &[T]) {
        crate::kernel::cpu::prefetch_all(soon.as_ptr().cast(), size_of_val(soon));
    }

    /// Whether the moves of this thread's calls are watched: what moves elements by itself shows none.
    pub fn watched() -> bool {
        crate::notes::watched()
    }
}

/// Memory that stands for something slower, and whoever can bring its bytes.
pub mod far {
    pub use crate::memory::far::{Brought, Far, Piece, Registered, holds, stands_for};
}

pub use crate::fork::{Lock, Locked};
pub use crate::once::{Once, Table};
