//! Mapped files that get shorter while they are in use.
//!
//! Touching a page that its file no longer has raises SIGBUS, which ends a process. A program that owns its signals installs a
//! handler ([`install`]) that puts zeros where a page of ours is missing and leaves a note. It then asks for the
//! [`crate::losses`] after each statement and refuses the one that was running, so the zeros are seen by nobody. A fault anywhere else is passed on to whoever was there before.

#![allow(unsafe_code)] // a signal handler, and the pages it puts in place

use std::fs::File;
use std::ops::Range;

/// The mapping `start..start + len` of a file, known to the handler until dropped.
pub(super) struct Watch {
    #[cfg(unix)]
    slot: &'static unix::Slot,
}

#[cfg(unix)]
pub use unix::install;
#[cfg(all(unix, feature = "write"))]
pub(super) use unix::is_ignored;

/// Nothing to install: the system does not let a mapped file be cut.
#[cfg(not(unix))]
pub fn install() {}

#[cfg(not(unix))]
impl Watch {
    pub(super) fn new(_: usize, _: usize, _: &File) -> Self {
        Self {}
    }

    pub(super) fn hit(&self) -> Option<Range<usize>> {
        None
    }

    pub(super) fn forget(&self) {}
}

#[cfg(unix)]
impl Watch {
    /// Watches memory that is mapped from `file`, which must stay open as long as this lives.
    pub(super) fn new(start: usize, len: usize, file: &File) -> Self {
        Self { slot: unix::Slot::take(start, len, file) }
    }

    /// The addresses from the first page that was missing to the last one.
    pub(super) fn hit(&self) -> Option<Range<usize>> {
        self.slot.hit()
    }

    /// Says that what was missing is there again.
    pub(super) fn forget(&self) {
        self.slot.forget();
    }
}

#[cfg(unix)]
impl Drop for Watch {
    fn drop(&mut self) {
        self.slot.give_back();
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::mem::MaybeUninit;
    use std::ops::Range;
    use std::os::fd::AsRawFd;
    use std::ptr::null_mut;
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

    /// A place in the list the handler walks. Slots are never freed, only used again: a handler may be looking.
    pub(super) struct Slot {
        taken: AtomicBool,
        start: AtomicUsize,
        len: AtomicUsize,
        file: AtomicI32,
        /// From the first page that was missing to the end of the last one; nothing while the end is 0.
        first: AtomicUsize,
        end: AtomicUsize,
        next: AtomicPtr<Slot>,
    }

    static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(null_mut());
    static PAGE: AtomicUsize = AtomicUsize::new(0);
    /// The handler before ours. Written once, before ours is in place.
    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

    impl Slot {
        pub(super) fn take(start: usize, len: usize, file: &File) -> &'static Self {
            let slot = slots().find(|s| !s.taken.swap(true, Ordering::AcqRel)).unwrap_or_else(Self::add);
            slot.forget();
            slot.file.store(file.as_raw_fd(), Ordering::Relaxed);
            slot.len.store(len, Ordering::Relaxed);
            slot.start.store(start, Ordering::Release);
            slot
        }

        /// One more slot, taken.
        fn add() -> &'static Self {
            let slot: &'static Self = Box::leak(Box::new(Self {
                taken: AtomicBool::new(true),
                start: AtomicUsize::new(0),
                len: AtomicUsize::new(0),
                file: AtomicI32::new(-1),
                first: AtomicUsize::new(usize::MAX),
                end: AtomicUsize::new(0),
                next: AtomicPtr::new(null_mut()),
            }));
            let place = std::ptr::from_ref(slot).cast_mut();
            let mut first = SLOTS.load(Ordering::Acquire);
            loop {
                slot.next.store(first, Ordering::Relaxed);
                match SLOTS.compare_exchange_weak(first, place, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return slot,
                    Err(other) => first = other,
                }
            }
        }

        pub(super) fn hit(&self) -> Option<Range<usize>> {
            let end = self.end.load(Ordering::Acquire);
            (end > 0).then(|| self.first.load(Ordering::Acquire)..end)
        }

        fn note(&self, pages: Range<usize>) {
            self.first.fetch_min(pages.start, Ordering::AcqRel);
            self.end.fetch_max(pages.end, Ordering::AcqRel);
        }

        pub(super) fn forget(&self) {
            self.end.store(0, Ordering::Release);
            self.first.store(usize::MAX, Ordering::Release);
        }

        pub(super) fn give_back(&self) {
            self.start.store(0, Ordering::Release);
            self.len.store(0, Ordering::Release);
            self.taken.store(false, Ordering::Release);
        }
    }

    fn slots() -> impl Iterator<Item = &'static Slot> {
        let mut at = SLOTS.load(Ordering::Acquire);
        std::iter::from_fn(move || {
            // SAFETY: S1: the list holds leaked slots and ends with null.
            let slot = unsafe { at.as_ref() }?;
            at = slot.next.load(Ordering::Acquire);
            Some(slot)
        })
    }

    /// Puts the handler in place, once for the process. The command does, and the Python package when it opens a file: a
    /// library leaves its host's signals alone.
    pub fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: plain calls of the C library on memory of ours. S2: the handler is put in place only after what
            // it reads (the page size, the handler before it) has been written.
            unsafe {
                let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) else { return };
                PAGE.store(page, Ordering::Release);
                let mut before = MaybeUninit::<libc::sigaction>::zeroed();
                if libc::sigaction(libc::SIGBUS, null_mut(), before.as_mut_ptr()) != 0 {
                    return;
                }
                BEFORE.store(Box::into_raw(Box::new(before.assume_init())), Ordering::Release);
                let mut ours = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                ours.sa_sigaction = on_fault as *const () as usize;
                ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&raw mut ours.sa_mask);
                libc::sigaction(libc::SIGBUS, &raw const ours, null_mut());
            }
        });
    }

    /// Whether the process was told to ignore a signal.
    #[cfg(feature = "write")]
    pub(crate) fn is_ignored(signal: libc::c_int) -> bool {
        let mut now = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: asks the C library only; zeros are a valid value of this struct.
        unsafe {
            libc::sigaction(signal, null_mut(), now.as_mut_ptr()) == 0
                && now.assume_init().sa_sigaction == libc::SIG_IGN
        }
    }

    /// Runs on the thread that touched the page. Uses atomics and plain system calls only: nothing here allocates,
    /// locks or panics.
    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: S2: the system passes a valid `info` to a handler installed with SA_SIGINFO.
        let address = unsafe { (*info).si_addr() } as usize;
        let page = PAGE.load(Ordering::Acquire);
        for slot in slots() {
            let (start, len) = (slot.start.load(Ordering::Acquire), slot.len.load(Ordering::Acquire));
            let inside = start != 0 && address.checked_sub(start).is_some_and(|at| at < len);
            let from = address & !(page - 1);
            if inside && fill(slot, start, len, from, page) {
                slot.note(from..start.saturating_add(len).min(from.saturating_add(page)));
                return;
            }
        }
        pass_on(signal, info, context);
    }

    /// Puts zeros in the place of the page at `from`, and of all behind it where the file has ended.
    fn fill(slot: &Slot, start: usize, len: usize, from: usize, page: usize) -> bool {
        let mut state = MaybeUninit::<libc::stat>::zeroed();
        let end = start.saturating_add(len);
        // SAFETY: S1: the pages from `from` to `end` belong to a mapping that is registered, so nobody has unmapped it:
        // its owner is the one whose access faulted. They hold nothing any more; zeros take their place. The address of
        // the thread's error number is valid, and what it held is put back.
        unsafe {
            let number = error_number();
            let before = *number;
            let known = libc::fstat(slot.file.load(Ordering::Relaxed), state.as_mut_ptr()) == 0;
            let left = usize::try_from(state.assume_init().st_size).unwrap_or(0);
            let to = if known && from - start >= left { end } else { (from + page).min(end) };
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let place = from as *mut libc::c_void;
            let filled = |to: usize| libc::mmap(place, to - from, access, flags, -1, 0) != libc::MAP_FAILED;
            let done = filled(to) || filled(end);
            *number = before;
            done
        }
    }

    /// Where the C library keeps the error number of this thread.
    ///
    /// # Safety
    /// None beyond that of a C call.
    unsafe fn error_number() -> *mut libc::c_int {
        // SAFETY: takes no arguments, and gives an address of this thread.
        unsafe {
            #[cfg(any(target_os = "linux", target_os = "emscripten", target_os = "redox"))]
            return libc::__errno_location();
            #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
            return libc::__error();
            #[cfg(any(target_os = "android", target_os = "netbsd", target_os = "openbsd"))]
            return libc::__errno();
        }
    }

    /// Does what would have happened without us.
    fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: S2: written before this handler was in place, and never freed.
        let before = unsafe { BEFORE.load(Ordering::Acquire).as_ref() };
        let handler = before.map_or(libc::SIG_DFL, |b| b.sa_sigaction);
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // The access is tried again when we return, and ends the process as it would have.
            // SAFETY: a plain call of the C library.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            return;
        }
        let three = before.is_some_and(|b| b.sa_flags & libc::SA_SIGINFO != 0);
        // SAFETY: S2: the address of a handler that was installed with, or without, SA_SIGINFO has this type.
        unsafe {
            if three {
                let call: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(handler);
                call(signal, info, context);
            } else {
                let call: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                call(signal);
            }
        }
    }
}
