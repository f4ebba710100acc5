//! Room for what a call needs beside its arrays. Where its memory comes from is for the caller to say.
//!
//! Obligations: **L1** values lie inside the room, **E2** only those that were written are read.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Gives a block of so many bytes at least, none of them written; `None` if there is no memory for it.
pub type Room = fn(usize) -> Option<Block>;

/// Memory of one owner, and what gives it back when it is dropped.
pub struct Block {
    at: NonNull<u8>,
    _keep: Box<dyn Send + Sync>,
}

// SAFETY: plain bytes that nobody else has.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// What blocks are aligned to.
    pub const ALIGN: usize = 64;

    /// Memory that `keep` keeps alive.
    ///
    /// # Safety
    /// The bytes asked for lie from `at` on, aligned to [`Block::ALIGN`], in nobody else's hands until `keep` is dropped (L1).
    pub unsafe fn new(at: NonNull<u8>, keep: Box<dyn Send + Sync>) -> Block {
        Block { at, _keep: keep }
    }
}

/// Values written one after another, or all at once through [`Scratch::start`].
pub struct Scratch<T> {
    memory: Block,
    room: usize,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Copy> Scratch<T> {
    /// Room for so many values, none of them written; `None` if there is no memory for it.
    pub fn of(from: Room, room: usize) -> Option<Scratch<T>> {
        const { assert!(align_of::<T>() <= Block::ALIGN) }
        let memory = from(room.checked_mul(size_of::<T>())?)?;
        Some(Scratch { memory, room, len: 0, kind: PhantomData })
    }

    /// Writes a value behind those that are there, if there is room.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        if self.len < self.room {
            // SAFETY: L1: `len` is below `room`.
            unsafe { self.memory.at.as_ptr().cast::<T>().add(self.len).write(value) };
            self.len += 1;
        }
    }

    /// Where the room begins, for who writes it by itself.
    #[inline(always)]
    pub fn start(&mut self) -> *mut T {
        self.memory.at.as_ptr().cast()
    }

    /// Says that all there is room for was written.
    ///
    /// # Safety
    /// It was (E2).
    pub unsafe fn fill(&mut self) {
        self.len = self.room;
    }
}

impl<T> Deref for Scratch<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: L1 and E2: so many values were written, and nobody else has the memory.
        unsafe { std::slice::from_raw_parts(self.memory.at.as_ptr().cast(), self.len) }
    }
}

impl<T> DerefMut for Scratch<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.memory.at.as_ptr().cast(), self.len) }
    }
}
