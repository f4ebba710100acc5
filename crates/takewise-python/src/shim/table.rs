//! The table of PyTorch's dispatcher: where it keeps the C++ function of a kernel.
//!
//! A kernel that comes through the C interface, or from Python, is called with its arguments packed, and packing costs more
//! than a small call. In the table each kernel has a place for a function of the operator's own C++ type, which is called with
//! the arguments as they are. For such kernels that place is empty. All that is written here is that place.
//!
//! How the table looks belongs to one build of PyTorch. The functions that find an operator and a kernel in it are exported,
//! and what they find is compared with what is known of it before anything is written: the operator's name, and which of a
//! kernel's places are empty.

use std::ffi::{CStr, c_char, c_void};

use super::library::Library;

/// `c10::KernelFunction`, as far as it is looked at.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    /// What the functions are called on.
    pub(super) functor: *mut c_void,
    /// What is called with packed arguments.
    packed: *const c_void,
    /// What is called with arguments as they are.
    pub(super) plain: *const c_void,
    /// The same for sizes that are symbols, which no operator here takes.
    symbolic: *const c_void,
}

/// `c10::impl::OperatorEntry`.
#[derive(Clone, Copy)]
pub(super) struct Row(*mut c_void);

// SAFETY: rows live as long as the process, and so do the kernels that PyTorch is compiled with.
unsafe impl Send for Row {}
// SAFETY: as above.
unsafe impl Sync for Row {}
// SAFETY: as above.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

/// `c10::Dispatcher::realSingleton()`
type Single = unsafe extern "C-unwind" fn() -> *mut c_void;
/// `c10::Dispatcher::findSchemaOrThrow(const char*, const char*)`, whose result lies where the first argument says.
type Find = unsafe extern "C-unwind" fn(*mut [usize; 2], *mut c_void, *const c_char, *const c_char) -> *mut [usize; 2];
/// `c10::impl::OperatorEntry::hasKernelForDispatchKey(c10::DispatchKey) const`
type Has = unsafe extern "C-unwind" fn(*mut c_void, u16) -> bool;
/// `c10::impl::OperatorEntry::kernelForDispatchKey(c10::DispatchKey) const`
type KernelOf = unsafe extern "C-unwind" fn(*mut c_void, u16) -> *mut Kernel;
/// `c10::impl::OperatorEntry::updateFallback(const c10::Dispatcher&, c10::DispatchKey)`, which looks the kernel of a key up
/// again.
type Update = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, u16);

/// The table, and the functions of PyTorch's that look at it.
pub(crate) struct Table {
    dispatcher: *mut c_void,
    find: Find,
    has: Has,
    kernel: KernelOf,
    update: Update,
}

// SAFETY: the dispatcher lives as long as the process, and its functions may be called on any thread.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Bytes before an element in a list's node.
const LINKS: usize = 16;
/// Bytes of a `std::string`.
const TEXT: usize = 32;

impl Table {
    /// The table of the PyTorch that is loaded; `None` where it is not known how functions are called there, or one is missing.
    pub(super) fn of(cpu: &Library) -> Option<Table> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return None;
        }
        let single = cpu.find(c"_ZN3c1010Dispatcher13realSingletonEv")?;
        let find = cpu.find(c"_ZN3c1010Dispatcher17findSchemaOrThrowEPKcS2_")?;
        let has = cpu.find(c"_ZNK3c104impl13OperatorEntry23hasKernelForDispatchKeyENS_11DispatchKeyE")?;
        let kernel = cpu.find(c"_ZNK3c104impl13OperatorEntry20kernelForDispatchKeyENS_11DispatchKeyE")?;
        let update = cpu.find(c"_ZN3c104impl13OperatorEntry14updateFallbackERKNS_10DispatcherENS_11DispatchKeyE")?;
        // SAFETY: the names say what they take, and the header `Dispatcher.h` what they return.
        unsafe {
            Some(Table {
                dispatcher: std::mem::transmute::<*mut c_void, Single>(single)(),
                find: std::mem::transmute::<*mut c_void, Find>(find),
                has: std::mem::transmute::<*mut c_void, Has>(has),
                kernel: std::mem::transmute::<*mut c_void, KernelOf>(kernel),
                update: std::mem::transmute::<*mut c_void, Update>(update),
            })
        }
    }

    /// The row of an operator, by its name with its namespace and its overload; `None` where the table looks otherwise.
    ///
    /// # Safety
    /// There is an operator of that name.
    pub(super) unsafe fn row(&self, name: &CStr, overload: &CStr) -> Option<Row> {
        let mut found = [0; 2];
        // SAFETY: texts that end in zero, and room for the result, of two pointers by `Dispatcher.h`.
        unsafe { (self.find)(&mut found, self.dispatcher, name.as_ptr(), overload.as_ptr()) };
        let [row, node] = found;
        if row.checked_sub(LINKS) != Some(node) {
            return None;
        }
        // SAFETY: an element of a list by what was compared, in which a text is the address of its bytes and their number.
        let is = |place: usize, known: &CStr| unsafe {
            let [start, size] = *(place as *const [usize; 2]);
            let known = known.to_bytes();
            size == known.len() && std::slice::from_raw_parts(start as *const u8, size) == known
        };
        (is(row, name) && is(row + TEXT, overload)).then_some(Row(row as *mut c_void))
    }

    /// The kernel of an operator for a dispatch key, the last one that was registered.
    ///
    /// # Safety
    /// The key is one of PyTorch's.
    pub(super) unsafe fn kernel(&self, row: Row, key: u16) -> Option<Kernel> {
        // SAFETY: a row of this table; the kernel is looked at where it lies, and there is one.
        unsafe { (self.has)(row.0, key).then(|| *(self.kernel)(row.0, key)) }
    }

    /// Puts a C++ function in the empty place of the last registered kernel, another than `native`; whether it was empty.
    ///
    /// # Safety
    /// The function is of the operator's C++ type. Nobody else changes this row meanwhile.
    pub(super) unsafe fn put(&self, row: Row, key: u16, native: &Kernel, function: *const c_void) -> bool {
        // SAFETY: as in `kernel`.
        unsafe {
            if !(self.has)(row.0, key) {
                return false;
            }
            let kernel = (self.kernel)(row.0, key);
            let Kernel { functor, packed, plain, symbolic } = *kernel;
            let packs = !packed.is_null() && functor != native.functor;
            if !packs || !plain.is_null() || !symbolic.is_null() {
                return false;
            }
            (&raw mut (*kernel).plain).write(function);
            (self.update)(row.0, self.dispatcher, key);
        }
        true
    }
}

impl Kernel {
    /// Whether it is one of PyTorch's own, compiled for its operator.
    pub(super) fn is_compiled(&self) -> bool {
        !self.functor.is_null() && !self.packed.is_null() && !self.plain.is_null()
    }
}
