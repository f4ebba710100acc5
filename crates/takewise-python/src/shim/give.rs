//! What the engine made, as a tensor of PyTorch's.

use std::ffi::c_void;

use takewise::{Dims, Tensor, tensor::Hold};

use super::symbols::{Api, Handle};

/// Bytes up to which a result is copied into memory that PyTorch allocates. A larger one stays in the engine's, whose pages
/// are kept for the next call: that is faster than the copy, but such a tensor cannot grow.
const COPIED: usize = 64 * 1024;

/// The result as a tensor of PyTorch's; `None` if there is no memory.
#[inline]
pub(super) fn given_back(api: &Api, tensor: Tensor) -> Option<Handle> {
    let (number, size) = (api.number_of(tensor.dtype())?, tensor.dtype().size());
    let layout = tensor.layout();
    let shape: Dims<i64> = layout.shape().iter().map(|&n| n as i64).collect();
    let steps: Dims<i64> = layout.strides().iter().map(|&s| s as i64 / size as i64).collect();
    let bytes = layout.numel() * size;
    let (low, high) = layout.reach();
    let dense = bytes == 0 || low == 0 && high as usize + size == bytes;
    if !dense || bytes > COPIED {
        return lent(api, tensor, &shape, &steps, number);
    }
    let (mut handle, mut start) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: lists of as many numbers as are said; the handle is ours.
    let made = unsafe {
        (api.empty)(shape.len() as i64, shape.as_ptr(), steps.as_ptr(), number, api.main_memory, -1, &mut handle)
    };
    if made != 0 {
        return None;
    }
    if bytes > 0 {
        // SAFETY: a tensor that was just made, of so many bytes: both lie side by side, and nobody else has them.
        unsafe {
            if (api.write)(handle, &mut start) != 0 {
                (api.delete)(handle);
                return None;
            }
            std::ptr::copy_nonoverlapping(tensor.data_ptr(), start.cast::<u8>(), bytes);
        }
    }
    Some(handle)
}

/// The result in the engine's own memory, which PyTorch gives back when it needs it no more.
fn lent(api: &Api, tensor: Tensor, shape: &[i64], steps: &[i64], number: i32) -> Option<Handle> {
    unsafe extern "C" fn give_back(_: *mut c_void, held: *mut c_void) {
        // SAFETY: made below, and given back once.
        drop(unsafe { Box::from_raw(held.cast::<Hold>()) });
    }
    let tensor = tensor.settled();
    let start = tensor.data_ptr().cast();
    let held = Box::into_raw(Box::new(tensor.hold()));
    let mut handle = std::ptr::null_mut();
    // SAFETY: lists of as many numbers as are said, memory that lives as long as `held`, and the handle is ours.
    let made = unsafe {
        (api.from_blob)(
            start,
            shape.len() as i64,
            shape.as_ptr(),
            steps.as_ptr(),
            0,
            number,
            api.main_memory,
            -1,
            &mut handle,
            api.strided,
            std::ptr::null(),
            0,
            Some(give_back),
            held.cast(),
        )
    };
    if made == 0 {
        return Some(handle);
    }
    // SAFETY: nobody took it over.
    drop(unsafe { Box::from_raw(held) });
    None
}
