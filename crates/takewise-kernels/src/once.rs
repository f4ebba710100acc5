//! Values made at first use, without waiting.
//!
//! The standard library's cells let one thread make the value and the others wait for it. A process forked meanwhile has
//! the cell but not the thread, and waits for ever. Here whoever finds nothing makes the value, and the first to be done
//! is who made it; what the others made is dropped.

#![allow(unsafe_code)]

use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A value that stays once it was made.
///
/// ```
/// use takewise::internal::Once;
/// static NAME: Once<String> = Once::new();
/// assert_eq!(NAME.get(), None);
/// assert_eq!(NAME.get_or_make(|| "first".to_owned()), "first");
/// assert_eq!(NAME.get_or_make(|| "second".to_owned()), "first");
/// ```
pub struct Once<T>(AtomicPtr<T>, PhantomData<T>);

// SAFETY: a shared cell hands out `&T`, and takes a `T` made on any thread.
unsafe impl<T: Send + Sync> Sync for Once<T> {}

impl<T> Once<T> {
    /// A cell without a value.
    pub const fn new() -> Once<T> {
        Once(AtomicPtr::new(null_mut()), PhantomData)
    }

    /// The value, if it was made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: what stands here came from a box, and is freed with the cell alone.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// The value; the one given, if there was none.
    pub fn keep(&self, value: T) -> &T {
        match self.put(Box::new(value)) {
            Ok(own) => own,
            Err((first, _)) => first,
        }
    }

    /// The value given; where there was one already, that one and the one given.
    #[cold]
    fn put(&self, value: Box<T>) -> Result<&T, (&T, Box<T>)> {
        let fresh = Box::into_raw(value);
        match self.0.compare_exchange(null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: just made, and freed with the cell alone from now on.
            Ok(_) => Ok(unsafe { &*fresh }),
            // SAFETY: as in `get`; ours was never shared.
            Err(first) => Err(unsafe { (&*first, Box::from_raw(fresh)) }),
        }
    }

    /// The value, made now if it was not. Several threads may make one; one of those stays.
    #[inline]
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        match self.get() {
            Some(known) => known,
            None => self.keep(make()),
        }
    }

    /// [`Once::get_or_make`] of what can fail; then there is no value yet.
    ///
    /// # Errors
    /// Those of `make`.
    #[inline]
    pub fn get_or_try_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.get() {
            Some(known) => Ok(known),
            None => make().map(|value| self.keep(value)),
        }
    }
}

impl<T> Default for Once<T> {
    fn default() -> Once<T> {
        Once::new()
    }
}

impl<T> Drop for Once<T> {
    fn drop(&mut self) {
        let value = *self.0.get_mut();
        if !value.is_null() {
            // SAFETY: from a box, and nobody has it any more.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

/// Lists a table is divided into.
const LISTS: usize = 512;

/// Values by their keys, each made at first use, which stay as long as the program.
///
/// ```
/// use takewise::internal::Table;
/// static LENGTHS: Table<&str, usize> = Table::new();
/// assert_eq!(LENGTHS.get_or_make(&"four", |text| text.len()), &4);
/// assert!(std::ptr::eq(LENGTHS.get_or_make(&"four", |text| text.len()), LENGTHS.get_or_make(&"four", |_| 0)));
/// ```
pub struct Table<K: 'static, V: 'static>([Once<Link<K, V>>; LISTS]);

struct Link<K: 'static, V: 'static> {
    key: K,
    value: V,
    next: Once<Link<K, V>>,
}

impl<K: Hash + Eq + Clone, V> Table<K, V> {
    /// An empty table.
    pub const fn new() -> Table<K, V> {
        Table([const { Once::new() }; LISTS])
    }

    /// The value of a key.
    pub fn get_or_make(&'static self, key: &K, make: impl FnOnce(&K) -> V) -> &'static V {
        let mut hasher = std::hash::DefaultHasher::new();
        key.hash(&mut hasher);
        let mut place = &self.0[hasher.finish() as usize % LISTS];
        while let Some(entry) = place.get() {
            if entry.key == *key {
                return &entry.value;
            }
            place = &entry.next;
        }
        let mut fresh = Box::new(Link { key: key.clone(), value: make(key), next: Once::new() });
        loop {
            match place.put(fresh) {
                Ok(own) => return &own.value,
                // Another thread was first, with the same key or another.
                Err((other, _)) if other.key == *key => return &other.value,
                Err((other, ours)) => (place, fresh) = (&other.next, ours),
            }
        }
    }
}

impl<K: Hash + Eq + Clone, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_those_made_at_once_stays() {
        static CELL: Once<usize> = Once::new();
        static TABLE: Table<usize, String> = Table::new();
        let all = |k: usize| {
            (
                *CELL.get_or_make(|| k),
                (0..2000).map(|n| TABLE.get_or_make(&n, |n| format!("{n} by {k}"))).collect::<Vec<_>>(),
            )
        };
        let made: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|k| scope.spawn(move || all(k))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (cell, table) in &made[1..] {
            assert_eq!(*cell, made[0].0);
            assert!(table.iter().zip(&made[0].1).all(|(a, b)| std::ptr::eq(*a, *b)));
        }
        assert!(made[0].1.iter().enumerate().all(|(n, text)| text.starts_with(&format!("{n} by "))));
    }

    #[test]
    fn what_failed_is_made_again() {
        let cell = Once::new();
        assert_eq!(cell.get_or_try_make(|| Err::<u8, _>("no")), Err("no"));
        assert_eq!(cell.get_or_try_make(|| Ok::<_, ()>(1)), Ok(&1));
        assert_eq!(cell.keep(2), &1);
    }
}
