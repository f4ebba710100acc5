//! Room for what a call needs beside its arrays, in memory like that of results: on huge pages where it is large, and in
//! pages that were used a moment ago.

use super::buffer::Buffer;
use std::ptr::NonNull;
use takewise_kernels::scratch::Block;
pub(crate) use takewise_kernels::scratch::Scratch;

/// Room for so many values, none of them written; `None` if there is no memory for it.
pub(crate) fn scratch<T: Copy>(room: usize) -> Option<Scratch<T>> {
    Scratch::of(block, room)
}

/// A buffer of so many bytes as room for loops.
pub(crate) fn block(bytes: usize) -> Option<Block> {
    const { assert!(Block::ALIGN <= Buffer::ALIGN) }
    // SAFETY: E2: what has a block reads no byte that it has not written.
    let memory = unsafe { Buffer::blank(bytes) }.ok()?;
    let at = NonNull::new(memory.as_mut_ptr())?;
    // SAFETY: L1: the buffer has so many bytes from there on, aligned, in nobody else's hands.
    Some(unsafe { Block::new(at, Box::new(memory)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_written_and_no_more_than_there_is_room_for() {
        for room in [0usize, 1, 3, if cfg!(miri) { 3000 } else { 100_000 }] {
            let mut scratch = scratch(room).unwrap();
            assert!(scratch.is_empty());
            (0..2 * room).for_each(|k| scratch.push([k, k]));
            assert!(scratch.iter().enumerate().all(|(k, pair)| *pair == [k, k]) && scratch.len() == room);
            assert_eq!(scratch.as_ptr().addr() % Buffer::ALIGN, 0);
        }
        assert!(scratch::<u64>(usize::MAX / 4).is_none() && scratch::<u64>(usize::MAX / 8 - 512).is_none());
    }
}
