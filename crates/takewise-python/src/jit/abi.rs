//! XLA's foreign function interface, as `xla/ffi/api/c_api.h` of jaxlib has it: the few structures that a handler in main memory needs.
//!
//! The structures are versioned: each begins with its size, and grows only at its end. What is used here is the same in versions 0.1
//! to 0.3 of the interface, and another major version is refused.

use std::ffi::{c_char, c_void};

/// The major version of the interface.
pub(super) const MAJOR: i32 = 0;

/// The minor version told where XLA does not say its own.
pub(super) const MINOR: i32 = 1;

/// The kind of the extension by which XLA asks what a handler was made for.
pub(super) const METADATA: u32 = 1;

/// The stage in which a handler does its work.
pub(super) const EXECUTE: u32 = 3;

/// The kind of arguments and results that are buffers.
pub(super) const BUFFER: u32 = 1;

/// The kind of attributes that are text.
pub(super) const STRING: u32 = 4;

/// Codes of errors.
pub(super) const INVALID_ARGUMENT: u32 = 3;
pub(super) const INTERNAL: u32 = 13;

#[repr(C)]
pub(super) struct Extension {
    pub(super) own_bytes: usize,
    pub(super) kind: u32,
    pub(super) next: *mut Extension,
}

#[repr(C)]
pub(super) struct Release {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) major: i32,
    pub(super) minor: i32,
}

#[repr(C)]
pub(super) struct Metadata {
    pub(super) own_bytes: usize,
    pub(super) version: Release,
    pub(super) traits: u32,
}

#[repr(C)]
pub(super) struct MetadataExtension {
    pub(super) base: Extension,
    pub(super) metadata: *mut Metadata,
}

/// What XLA makes of a text and a code.
#[repr(C)]
pub(super) struct Failure {
    _opaque: [u8; 0],
}

#[repr(C)]
pub(super) struct FailureOf {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) message: *const c_char,
    pub(super) code: u32,
}

#[repr(C)]
pub(super) struct Interface {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) version: Release,
    pub(super) internal: *const c_void,
    pub(super) fail: Option<unsafe extern "C" fn(*mut FailureOf) -> *mut Failure>,
}

#[repr(C)]
pub(super) struct Buffer {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) dtype: u32,
    pub(super) data: *mut c_void,
    pub(super) rank: i64,
    pub(super) dims: *const i64,
}

/// Arguments, or results.
#[repr(C)]
pub(super) struct Buffers {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) size: i64,
    pub(super) kinds: *const u32,
    pub(super) each: *const *const Buffer,
}

#[repr(C)]
pub(super) struct Text {
    pub(super) start: *const u8,
    pub(super) len: usize,
}

#[repr(C)]
pub(super) struct Attributes {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) size: i64,
    pub(super) kinds: *const u32,
    pub(super) names: *const *const Text,
    pub(super) each: *const *const c_void,
}

#[repr(C)]
pub(super) struct Frame {
    pub(super) own_bytes: usize,
    pub(super) extension: *mut Extension,
    pub(super) api: *const Interface,
    pub(super) context: *mut c_void,
    pub(super) stage: u32,
    pub(super) arguments: Buffers,
    pub(super) results: Buffers,
    pub(super) attributes: Attributes,
}
