//! Libraries of PyTorch's that are loaded, and what they export.

use std::ffi::{CStr, CString, c_void};

/// A library that is loaded. It stays so.
pub(crate) struct Library(*mut c_void);

impl Library {
    #[cfg(unix)]
    pub(crate) fn loaded(folder: &str, name: &str) -> Option<Library> {
        let kind = if cfg!(target_os = "macos") { "dylib" } else { "so" };
        let path = CString::new(format!("{folder}/lib/lib{name}.{kind}")).ok()?;
        // SAFETY: a path that ends in zero; nothing is loaded that is not, so nothing runs.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!library.is_null()).then_some(Library(library))
    }

    #[cfg(unix)]
    pub(crate) fn find(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: a library that is loaded, and a name that ends in zero.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    /// Names of C++ differ elsewhere.
    #[cfg(not(unix))]
    pub(crate) fn loaded(_: &str, _: &str) -> Option<Library> {
        None
    }

    #[cfg(not(unix))]
    pub(crate) fn find(&self, _: &CStr) -> Option<*mut c_void> {
        let _ = self.0;
        None
    }
}
