//! Room for what a call needs beside its arrays, in memory like that of results: on huge pages where it is large, and in
//! pages that were used a moment ago.
//!
//! Obligations: **L1** values lie inside the room, **E2** only those that were written are read.

use super::buffer::Buffer;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Values written one after another, or all at once through [`Scratch::start`].
pub(crate) struct Scratch<T> {
    memory: Buffer,
    room: usize,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Copy> Scratch<T> {
    /// Room for so many values, none of them written; `None` if there is no memory for it.
    pub(crate) fn of(room: usize) -> Option<Scratch<T>> {
        const { assert!(align_of::<T>() <= Buffer::ALIGN) }
        // SAFETY: E2: values are read up to `len`, which counts those that are known to be written.
        let memory = unsafe { Buffer::blank(room.checked_mul(size_of::<T>())?) }.ok()?;
        Some(Scratch { memory, room, len: 0, kind: PhantomData })
    }

    /// Writes a value behind those that are there, if there is room.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        if self.len < self.room {
            // SAFETY: L1: `len` is below `room`.
            unsafe { self.memory.as_mut_ptr().cast::<T>().add(self.len).write(value) };
            self.len += 1;
        }
    }

    /// Where the room begins, for who writes it by itself.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> *mut T {
        self.memory.as_mut_ptr().cast()
    }

    /// Says that all there is room for was written.
    ///
    /// # Safety
    /// It was (E2).
    pub(crate) unsafe fn fill(&mut self) {
        self.len = self.room;
    }
}

impl<T> Deref for Scratch<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: L1 and E2: so many values were written, and nobody else has the memory.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast(), self.len) }
    }
}

impl<T> DerefMut for Scratch<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_written_and_no_more_than_there_is_room_for() {
        for room in [0usize, 1, 3, if cfg!(miri) { 3000 } else { 100_000 }] {
            let mut scratch = Scratch::of(room).unwrap();
            assert!(scratch.is_empty());
            (0..2 * room).for_each(|k| scratch.push([k, k]));
            assert!(scratch.iter().enumerate().all(|(k, pair)| *pair == [k, k]) && scratch.len() == room);
            assert_eq!(scratch.as_ptr().addr() % Buffer::ALIGN, 0);
        }
        assert!(Scratch::<u64>::of(usize::MAX / 4).is_none() && Scratch::<u64>::of(usize::MAX / 8 - 512).is_none());
    }
}
