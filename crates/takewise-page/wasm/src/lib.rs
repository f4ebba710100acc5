//! `takewise_page::answer` for a browser: three C functions.
//!
//! The page asks for memory with `takewise_alloc`, writes its request there as UTF-8, calls `takewise_answer`, and reads the answer:
//! four bytes with its length, the lowest first, then as many bytes of UTF-8. It hands both pieces back with `takewise_free`.

use std::alloc::{Layout, alloc, dealloc};

fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(len.max(1), 4).ok()
}

/// So many bytes, or null.
#[unsafe(no_mangle)]
pub extern "C" fn takewise_alloc(len: usize) -> *mut u8 {
    // SAFETY: the size is not zero.
    layout(len).map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) })
}

/// Takes back what `takewise_alloc(len)` gave, or an answer of `len` bytes with its length before it.
///
/// # Safety
/// `at` is such a pointer, not handed back before, and `len` the length it was made with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn takewise_free(at: *mut u8, len: usize) {
    if let (false, Some(layout)) = (at.is_null(), layout(len)) {
        // SAFETY: the caller's promise; both were allocated with this layout.
        unsafe { dealloc(at, layout) };
    }
}

/// Answers the request of `len` bytes at `at`: its length in four bytes, then its text. Null without memory for it.
///
/// # Safety
/// `at` has `len` bytes that have been written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn takewise_answer(at: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    let request = unsafe { std::slice::from_raw_parts(at, len) };
    let answer = match std::str::from_utf8(request) {
        Ok(request) => takewise_page::answer(request),
        Err(_) => r#"{"error": {"class": "ValueError", "message": "the request is not UTF-8"}}"#.to_owned(),
    };
    let to = takewise_alloc(answer.len() + 4);
    if !to.is_null() {
        // SAFETY: there is room for four bytes and the text.
        unsafe {
            to.cast::<u32>().write(u32::to_le(answer.len() as u32));
            std::ptr::copy_nonoverlapping(answer.as_ptr(), to.add(4), answer.len());
        }
    }
    to
}
