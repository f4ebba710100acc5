//! Tensors over memory that was not allocated here: mapped files, other libraries' arrays.

use super::{Buffer, Keep, Tensor};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::Layout;
use crate::memory::{Lent, Storage};
use crate::op::Op;
use std::ptr::NonNull;
use std::sync::Arc;

/// Keeps the memory of a tensor alive, and nothing else of it: see [`Tensor::hold`].
///
/// ```
/// use takewise::prelude::*;
/// use takewise::tensor::Hold;
/// let x = Tensor::from_slice(&[1u8, 2, 3], &[3])?;
/// let (first, hold): (_, Hold) = (x.data_ptr(), x.hold());
/// // SAFETY: the memory lives as long as `hold`.
/// assert_eq!(unsafe { first.read() }, 1);
/// drop(hold);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Hold {
    memory: Storage,
}

impl Hold {
    /// The hold as an address, for owners that have room for no more; [`Hold::from_raw`] makes it a hold again. Free but
    /// for one allocation where memory is lent.
    ///
    /// ```
    /// use takewise::{Tensor, tensor::Hold};
    /// let x = Tensor::from_slice(&[1u8, 2, 3], &[3])?;
    /// let (first, raw) = (x.data_ptr(), x.hold().into_raw());
    /// // SAFETY: the memory lives until the hold is dropped, which was made into this address.
    /// unsafe {
    ///     assert_eq!(first.read(), 1);
    ///     drop(Hold::from_raw(raw));
    /// }
    /// # Ok::<(), takewise::Error>(())
    /// ```
    #[inline]
    pub fn into_raw(self) -> NonNull<()> {
        let raw = Arc::into_raw(self.memory.settled());
        // Never null.
        NonNull::new(raw.cast_mut().cast()).unwrap_or(NonNull::dangling())
    }

    /// The hold that was made into this address.
    ///
    /// # Safety
    /// The address comes from [`Hold::into_raw`], and is made a hold once.
    #[inline]
    pub unsafe fn from_raw(raw: NonNull<()>) -> Hold {
        // SAFETY: the caller's promise: the share that `into_raw` took.
        Hold { memory: Storage::Shared(unsafe { Arc::from_raw(raw.as_ptr().cast_const().cast::<Buffer>()) }) }
    }
}

impl Tensor {
    /// The tensor whose first element lies `offset` bytes into `buffer`. Nothing is copied; the memory may
    /// be unaligned and the strides of either sign.
    ///
    /// Error (kind `Argument`) unless every element lies inside the buffer (L1).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use takewise::{DType, Layout, Tensor, tensor::Buffer};
    /// let buffer = Arc::new(Buffer::zeroed(24)?);
    /// let backwards = Layout::new(&[3], &[-8])?;
    /// assert!(Tensor::from_buffer(buffer.clone(), 16, backwards.clone(), DType::I64).is_ok());
    /// assert!(Tensor::from_buffer(buffer, 8, backwards, DType::I64).is_err());
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn from_buffer(buffer: Arc<Buffer>, offset: usize, layout: Layout, dtype: DType) -> Result<Tensor> {
        Tensor::within(Storage::Shared(buffer), offset, layout, dtype)
    }

    /// [`Tensor::from_buffer`] for memory of any kind.
    pub(super) fn within(buffer: Storage, offset: usize, layout: Layout, dtype: DType) -> Result<Tensor> {
        let outside = || {
            let text = format!(
                "elements of shape {:?} and strides {:?} from byte {offset} do not lie in {} bytes",
                layout.shape(),
                layout.strides(),
                buffer.len()
            );
            Error::plain(Fault::text(Op::FromBuffer, ArgumentRule::Other, text))
        };
        if layout.numel() == 0 {
            return Ok(Tensor::at(buffer, 0, layout, dtype));
        }
        let (low, high) = layout.reach();
        offset.checked_add_signed(low).ok_or_else(outside)?;
        let end = offset.checked_add_signed(high).and_then(|e| e.checked_add(dtype.size())).ok_or_else(outside)?;
        if end > buffer.len() {
            return Err(outside());
        }
        Ok(Tensor::at(buffer, offset, layout, dtype))
    }

    /// The tensor over memory that its owner lends for one call: nothing is allocated, copied or registered.
    ///
    /// It serves every operation. What lives on after the call (a clone or view that is kept, a tensor saved for the
    /// way back) still holds its share of `keep`, so that the memory stays; [`Tensor::settled`] makes it a tensor like
    /// others.
    ///
    /// # Safety
    /// All elements the layout reaches from `start` stay readable (and writable, if `writable`) as long as a share of
    /// `keep` is held (L1). No ledger knows of this tensor: while a call writes through it, a clone or a view of it, no
    /// other call may use any of these.
    #[inline(always)] // tensors are large, and made where they are wanted
    pub unsafe fn lent(start: *mut u8, dtype: DType, layout: Layout, writable: bool, keep: Keep) -> Tensor {
        let (base, len, offset) = match layout.span() {
            None => (start, 0, 0),
            Some((low, high)) => (start.wrapping_offset(low), (high - low) as usize + dtype.size(), low.unsigned_abs()),
        };
        let ptr = NonNull::new(base).unwrap_or(NonNull::dangling());
        Tensor::at(Storage::Lent(Lent { ptr, len, writable, keep }), offset, layout, dtype)
    }

    /// The share that keeps the memory of a lent tensor alive, settled or not; nothing for other tensors.
    #[inline]
    pub fn lender(&self) -> Option<&Keep> {
        self.buffer.lender()
    }

    /// A tensor that lives on and may be used by several calls at once: a lent one in a buffer of its own (over the
    /// same memory), any other as it is. Free but for one allocation.
    pub fn settled(self) -> Tensor {
        if let Storage::Shared(_) = self.buffer {
            return self;
        }
        let Tensor { buffer, offset, layout, dtype, own, via } = self;
        Tensor { buffer: Storage::Shared(buffer.settled()), offset, layout, dtype, own, via }
    }

    /// What keeps the memory alive, for another library that has [`Tensor::data_ptr`]. Free.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1u8, 2, 3], &[3])?;
    /// let (first, hold) = (x.data_ptr(), x.hold());
    /// // SAFETY: the memory lives as long as `hold`.
    /// assert_eq!(unsafe { first.read() }, 1);
    /// drop(hold);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    #[inline]
    pub fn hold(self) -> Hold {
        Hold { memory: self.buffer }
    }

    /// [`Tensor::hold`] of a tensor that is still needed. Free but for counting one share more.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1u8, 2, 3], &[3])?;
    /// let (first, hold) = (x.data_ptr(), x.share());
    /// drop(x);
    /// // SAFETY: the memory lives as long as `hold`.
    /// assert_eq!(unsafe { first.read() }, 1);
    /// drop(hold);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    #[inline]
    pub fn share(&self) -> Hold {
        Hold { memory: self.buffer.clone() }
    }

    /// The address of the first element, for handing the memory to another library together with the [`Tensor::hold`] that
    /// keeps it alive. Dangling if there are no elements.
    ///
    /// What is read or written through it does not pass the ledger: it is as if another program held the memory.
    #[inline]
    pub fn data_ptr(&self) -> *mut u8 {
        self.start()
    }

    /// Whether the memory may be written: false for mapped files and arrays whose owner says so.
    #[inline]
    pub fn is_writable(&self) -> bool {
        self.buffer.writable()
    }

    /// The same bytes read as another dtype of equal size. Free.
    ///
    /// Error (kind `Argument`) if the sizes differ.
    ///
    /// ```
    /// use takewise::{DType, Tensor};
    /// let x = Tensor::from_slice(&[1.0f32, -0.0], &[2])?;
    /// assert_eq!(x.reinterpret(DType::U32)?.to_vec::<u32>()?, [0x3f80_0000, 0x8000_0000]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn reinterpret(&self, dtype: DType) -> Result<Tensor> {
        if dtype.size() != self.dtype.size() {
            let text = format!("{} and {} differ in size", self.dtype.name(), dtype.name());
            return Err(Error::plain(Fault::text(Op::View, ArgumentRule::Other, text)));
        }
        Ok(Tensor { dtype, ..self.clone() })
    }
}
