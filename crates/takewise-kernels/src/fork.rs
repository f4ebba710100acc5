//! Forked processes: which one this is, and locks that a child never finds held.
//!
//! A child has one thread, the one that forked. What other threads held at that moment, a lock or a claim on some bytes,
//! nobody in the child will ever give back. So every process knows its generation, and what an earlier generation left
//! behind counts as given up. Counting generations is the C library's business (`pthread_atfork`): asking for the process's
//! number at every lock would take longer than all else that a small call does.

#![allow(unsafe_code)]

use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};

/// Forks so far on the way to this process, plus one; 0 until somebody asks.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The thread that forked last.
static SURVIVOR: AtomicU32 = AtomicU32::new(0);

/// The generation of this process.
#[inline]
pub fn generation() -> u32 {
    match GENERATION.load(Ordering::Relaxed) {
        0 => first(),
        known => known,
    }
}

/// Sees to it that generations are counted from now on. Threads may do so at once: being told of a fork twice does not
/// matter.
#[cold]
fn first() -> u32 {
    watch();
    match GENERATION.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => 1,
        Err(known) => known,
    }
}

#[cfg(all(unix, not(miri)))]
fn watch() {
    extern "C" fn forked() {
        SURVIVOR.store(thread(), Ordering::Relaxed);
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: a function that only stores numbers, and lives as long as the process.
    let refused = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    // Without memory for a few words a process has other worries than its children.
    debug_assert_eq!(refused, 0);
}

#[cfg(not(all(unix, not(miri))))]
fn watch() {}

/// A number of this thread's own, which no other thread has or had.
#[inline]
pub fn thread() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    thread_local! {
        static NUMBER: Cell<u32> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// Whether what that thread does in that generation may still be going on.
#[inline]
pub fn lives(generation: u32, thread: u32) -> bool {
    generation == self::generation() || thread == SURVIVOR.load(Ordering::Relaxed)
}

/// A lock for short work. A child of the process finds it free, and what it guards fresh if some other thread was changing it
/// when the process forked.
///
/// ```
/// use takewise::internal::Lock;
/// static COUNT: Lock<u32> = Lock::new(0);
/// *COUNT.lock() += 1;
/// assert_eq!(*COUNT.lock(), 1);
/// ```
pub struct Lock<T> {
    /// The generation of the holder, and whether it only reads; 0 for none.
    holder: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by one thread at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// What a [`Lock`] guards, until dropped.
pub struct Locked<'l, T>(&'l Lock<T>);

// SAFETY: a shared guard hands out `&T` alone.
unsafe impl<T: Sync> Sync for Locked<'_, T> {}

/// Of a holder that changes nothing.
const READS: u32 = 1 << 31;

/// Looks at a held lock before its holder is given time.
const LOOKS: usize = 100;

impl<T> Lock<T> {
    /// A lock nobody holds.
    pub const fn new(value: T) -> Lock<T> {
        Lock { holder: AtomicU32::new(0), value: UnsafeCell::new(value) }
    }

    /// The value, when nobody else has it. What a thread lost to a fork may have left half changed is replaced.
    #[inline]
    pub fn lock(&self) -> Locked<'_, T>
    where
        T: Default,
    {
        self.take(generation())
    }

    /// A copy of the value. A thread that was copying when the process forked has left it as it was.
    ///
    /// ```
    /// use takewise::internal::Lock;
    /// static NAMES: Lock<Vec<u8>> = Lock::new(Vec::new());
    /// NAMES.lock().push(7);
    /// assert_eq!(NAMES.copy(), [7]);
    /// ```
    #[inline]
    pub fn copy(&self) -> T
    where
        T: Default + Clone,
    {
        self.take(generation() | READS).clone()
    }

    #[inline]
    fn take(&self, mark: u32) -> Locked<'_, T>
    where
        T: Default,
    {
        match self.holder.compare_exchange(0, mark, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Locked(self),
            Err(_) => self.wait(mark),
        }
    }

    #[cold]
    fn wait(&self, mark: u32) -> Locked<'_, T>
    where
        T: Default,
    {
        for looks in 0.. {
            match self.holder.compare_exchange(0, mark, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(holder) if holder & !READS == mark & !READS => match looks {
                    0..LOOKS => std::hint::spin_loop(),
                    _ if looks < 2 * LOOKS => std::thread::yield_now(),
                    _ => std::thread::sleep(std::time::Duration::from_micros(50)),
                },
                Err(lost) => {
                    let taken = self.holder.compare_exchange(lost, mark, Ordering::Acquire, Ordering::Relaxed);
                    if taken.is_ok() {
                        if lost & READS == 0 {
                            // SAFETY: held by this thread now. What was there may be in any state, and is not even dropped.
                            unsafe { self.value.get().write(T::default()) };
                        }
                        break;
                    }
                }
            }
        }
        Locked(self)
    }
}

impl<T: Default> Default for Lock<T> {
    fn default() -> Lock<T> {
        Lock::new(T::default())
    }
}

impl<T> std::fmt::Debug for Lock<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lock")
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: held by this guard.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Locked<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: held by this guard, which is borrowed mutably.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Locked<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.holder.store(0, Ordering::Release);
    }
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Runs `work` in a forked child; whether it said yes within ten seconds.
    fn in_child(work: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child makes no use of anything but this module and memory it allocates, and leaves by `_exit`.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::alarm(10);
                libc::_exit(i32::from(!work()));
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }

    #[test]
    fn children_are_of_the_next_generation() {
        let (now, me) = (generation(), thread());
        assert!(in_child(|| generation() == now + 1 && thread() == me && lives(now, me) && !lives(now, me + 1)));
        assert_eq!(generation(), now);
        assert!(std::thread::spawn(move || thread() != me).join().unwrap());
    }

    #[test]
    fn a_child_finds_no_lock_held() {
        let lock = Lock::new(vec![1, 2, 3]);
        let ((told, held), (done, end)) = (channel(), channel::<()>());
        std::thread::scope(|scope| {
            let lock = &lock;
            scope.spawn(move || {
                let guard = lock.lock();
                told.send(()).unwrap();
                end.recv().unwrap();
                assert_eq!(*guard, [1, 2, 3]);
            });
            held.recv().unwrap();
            assert!(in_child(|| lock.lock().is_empty()));
            done.send(()).unwrap();
        });
        assert_eq!(*lock.lock(), [1, 2, 3]);
    }

    #[test]
    fn a_child_keeps_what_was_only_read() {
        let lock = Lock::new(vec![1, 2, 3]);
        let ((told, held), (done, end)) = (channel(), channel::<()>());
        std::thread::scope(|scope| {
            let lock = &lock;
            scope.spawn(move || {
                let guard = lock.take(generation() | READS);
                told.send(()).unwrap();
                end.recv().unwrap();
                assert_eq!(*guard, [1, 2, 3]);
            });
            held.recv().unwrap();
            assert!(in_child(|| lock.copy() == [1, 2, 3] && *lock.lock() == [1, 2, 3]));
            done.send(()).unwrap();
        });
        assert_eq!(lock.copy(), [1, 2, 3]);
        assert!(in_child(|| *lock.lock() == [1, 2, 3]));
    }

    #[test]
    fn one_thread_at_a_time() {
        let count = Lock::new(0);
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| (0..10_000).for_each(|_| *count.lock() += 1))));
        });
        assert_eq!(*count.lock(), 40_000);
    }
}
