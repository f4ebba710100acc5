//! Tensors over memory that was not allocated here: mapped files, other libraries' arrays.

use super::{Buffer, Tensor};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::Layout;
use std::sync::Arc;

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
        let outside = || {
            let text = format!(
                "elements of shape {:?} and strides {:?} from byte {offset} do not lie in {} bytes",
                layout.shape(),
                layout.strides(),
                buffer.len()
            );
            Error::plain(Fault::text("from_buffer", ArgumentRule::Other, text))
        };
        if layout.numel() == 0 {
            return Ok(Tensor::raw(buffer, 0, layout, dtype));
        }
        let (low, high) = layout.reach();
        offset.checked_add_signed(low).ok_or_else(outside)?;
        let end = offset.checked_add_signed(high).and_then(|e| e.checked_add(dtype.size())).ok_or_else(outside)?;
        if end > buffer.len() {
            return Err(outside());
        }
        Ok(Tensor::raw(buffer, offset, layout, dtype))
    }

    /// The address of the first element, for handing the memory to another library together with a clone of this
    /// tensor that keeps it alive. Dangling if there are no elements.
    ///
    /// What is read or written through it does not pass the ledger: it is as if another program held the memory.
    pub fn data_ptr(&self) -> *mut u8 {
        self.start()
    }

    /// Whether the memory may be written: false for mapped files and arrays whose owner says so.
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
            return Err(Error::plain(Fault::text("view", ArgumentRule::Other, text)));
        }
        Ok(Tensor { dtype, ..self.clone() })
    }
}
