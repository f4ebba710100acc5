//! Copying with two axes exchanged.
//!
//! What lies side by side on one side lies rows apart on the other. So a cache line of each of some rows is copied into a
//! tile, which the first-level cache holds whatever the distance of the rows, and turned from there in squares of registers;
//! lines of the other side are then written whole. Where they will not stay in the second-level cache anyway they are
//! streamed past it, and so need not be read before they are written; a row of the other side at a time, out of a second
//! tile: streamed to several rows in turn, whose distance is a power of two, lines took four times as long.

use super::cpu::{per_level, prefetch_all};
use super::level::copy;
use super::stream;
use std::mem::MaybeUninit;

/// Bytes of a tile's row.
const LINE: usize = 64;
/// Rows of a tile.
const ROWS: usize = 64;
/// Bytes of a square's row.
const VECTOR: usize = stream::UNIT;
/// Bytes of a destination from which it is streamed: beyond the second-level cache, so that its lines would be written back
/// before they are asked for again.
const STREAMED: usize = 4 << 20;

#[repr(align(64))]
struct Tile([MaybeUninit<u8>; LINE * ROWS]);

/// A matrix of elements side by side in rows, `row` bytes apart.
#[derive(Clone, Copy)]
pub struct Matrix<P> {
    pub first: P,
    pub row: isize,
}

/// Sizes of elements, in bytes, that [`transpose`] moves.
pub const SIZES: [usize; 5] = [1, 2, 4, 8, 16];

per_level! {
    /// Copies `to[i][j] = from[j][i]` for `height` rows j of `from`, `width` elements each. Other sizes than [`SIZES`] are left
    /// alone.
    ///
    /// # Safety
    /// All these elements lie in their operands (L1), are the caller's to write (E1), and the sides do not meet (L3).
    pub unsafe fn transpose(size: usize, from: Matrix<*const u8>, to: Matrix<*mut u8>, width: usize, height: usize) {
        all: transpose_body
    }
}

#[inline(always)]
unsafe fn transpose_body(size: usize, from: Matrix<*const u8>, to: Matrix<*mut u8>, width: usize, height: usize) {
    macro_rules! sized {
        ($($n:literal),*) => {
            match size {
                // SAFETY: passed on.
                $($n => unsafe { transpose_sized::<$n>(from, to, width, height) },)*
                _ => {}
            }
        };
    }
    sized!(1, 2, 4, 8, 16)
}

#[inline(always)]
unsafe fn transpose_sized<const S: usize>(from: Matrix<*const u8>, to: Matrix<*mut u8>, width: usize, height: usize) {
    // SAFETY: passed on.
    unsafe {
        if width * height * S >= STREAMED && stream::suits(to.first.addr() | to.row.unsigned_abs()) {
            tiles::<S, true>(from, to, width, height);
            stream::settle();
        } else {
            tiles::<S, false>(from, to, width, height);
        }
    }
}

/// Tile by tile; `STREAMED` asks for rows of `to` that begin at multiples of a vector. Streamed tiles follow the rows of `from`,
/// so that these are read on and on; others follow the rows of `to`, whose lines are asked for one strip ahead.
#[inline(always)]
unsafe fn tiles<const S: usize, const STREAMED: bool>(
    from: Matrix<*const u8>,
    to: Matrix<*mut u8>,
    width: usize,
    height: usize,
) {
    let (mut tile, mut turned) =
        (Tile([MaybeUninit::uninit(); LINE * ROWS]), Tile([MaybeUninit::uninit(); LINE * ROWS]));
    let (tile, turned): (*mut u8, *mut u8) = (tile.0.as_mut_ptr().cast(), turned.0.as_mut_ptr().cast());
    let (down, across) = (height.div_ceil(ROWS), width.div_ceil(LINE / S));
    for k in 0..down * across {
        let (j, i) = if STREAMED { (k / across, k % across) } else { (k % down, k / down) };
        let (top, left) = (j * ROWS, i * (LINE / S));
        let (rows, columns) = (ROWS.min(height - top), (LINE / S).min(width - left));
        for j in 0..rows {
            let row = from.first.wrapping_offset((top + j) as isize * from.row).wrapping_add(left * S);
            // SAFETY: L1: elements `left..left + columns` of a row; the tile has a row for them.
            unsafe {
                let packed = tile.add(j * LINE);
                if columns * S == LINE {
                    std::ptr::copy_nonoverlapping(row, packed, LINE);
                } else {
                    std::ptr::copy_nonoverlapping(row, packed, columns * S);
                }
            }
        }
        let place = |column: usize| to.first.wrapping_offset(column as isize * to.row).wrapping_add(top * S);
        if !STREAMED {
            for column in 0..columns {
                prefetch_all(place(left + LINE / S + column), rows * S);
            }
            // SAFETY: as many rows and columns are in the tile, and `to` has a place for each (L1, E1).
            unsafe { transpose_tile::<S>(tile, Matrix { first: place(left), ..to }, columns, rows) }
            continue;
        }
        let row = ROWS * S;
        // SAFETY: as above; the second tile has room for as many rows as a line has elements.
        unsafe {
            transpose_tile::<S>(tile, Matrix { first: turned, row: row as isize }, columns, rows);
            for column in 0..columns {
                let (from, to, bytes) = (turned.add(column * row), place(left + column), rows * S);
                stream::copy(from, to, bytes);
                let whole = bytes / VECTOR * VECTOR;
                std::ptr::copy_nonoverlapping(from.add(whole), to.add(whole), bytes - whole);
            }
        }
    }
}

/// Writes a tile's columns as rows of `to`.
///
/// # Safety
/// The tile has these elements, and `to` a place for each (E1).
#[inline(always)]
unsafe fn transpose_tile<const S: usize>(tile: *const u8, to: Matrix<*mut u8>, columns: usize, rows: usize) {
    let side = VECTOR / S;
    let (squares, down) = (columns / side * side, rows / side * side);
    for i in (0..squares).step_by(side) {
        let place = to.first.wrapping_offset(i as isize * to.row);
        for j in (0..down).step_by(side) {
            // SAFETY: a square of the tile, and of `to`.
            unsafe {
                square::<S>(tile.add(j * LINE + i * S), Matrix { first: place.wrapping_add(j * S), ..to });
            }
        }
    }
    for i in 0..columns {
        let place = to.first.wrapping_offset(i as isize * to.row);
        for j in if i < squares { down } else { 0 }..rows {
            // SAFETY: an element of the tile, and a place of `to`.
            unsafe { copy::<S>(tile.add(j * LINE), i, place, j) }
        }
    }
}

/// Turns a square of as many rows as a vector has elements.
///
/// # Safety
/// The tile and `to` have the square (E1).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn square<const S: usize>(tile: *const u8, to: Matrix<*mut u8>) {
    use std::arch::x86_64::*;
    let side = VECTOR / S;
    // SAFETY: SSE2 belongs to the target; vectors are rows of the square.
    unsafe {
        let mut rows = [_mm_setzero_si128(); VECTOR];
        for (j, row) in rows[..side].iter_mut().enumerate() {
            *row = _mm_loadu_si128(tile.add(j * LINE).cast());
        }
        // Each round shuffles the upper half of the rows into the lower, as a deck of cards; after as many rounds as the
        // side has bits every element has come to its place.
        for _ in 0..side.ilog2() {
            let old = rows;
            for j in 0..side / 2 {
                let (a, b) = (old[j], old[j + side / 2]);
                (rows[2 * j], rows[2 * j + 1]) = match S {
                    1 => (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)),
                    2 => (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)),
                    4 => (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)),
                    _ => (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)),
                };
            }
        }
        for (i, row) in rows[..side].iter().enumerate() {
            _mm_storeu_si128(to.first.offset(i as isize * to.row).cast(), *row);
        }
    }
}

/// # Safety
/// The tile and `to` have the square (E1).
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn square<const S: usize>(tile: *const u8, to: Matrix<*mut u8>) {
    for i in 0..VECTOR / S {
        for j in 0..VECTOR / S {
            // SAFETY: an element of the square.
            unsafe { copy::<S>(tile.add(j * LINE), i, to.first.offset(i as isize * to.row), j) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::cpu::Cpu;

    /// Every size, shapes around the edges of squares and tiles, rows with gaps, either direction.
    #[test]
    fn rows_become_columns_and_nothing_else_changes() {
        for size in SIZES {
            for (height, width) in
                [(1, 1), (2, 3), (15, 17), (16, 16), (63, 5), (64, 64), (65, 66), (3, 130), (130, 33)]
            {
                if cfg!(miri) && height * width > 400 {
                    continue;
                }
                for turned in [false, true] {
                    one(size, height, width, 3, turned);
                }
            }
        }
    }

    /// Large enough to be streamed, with rows that may be and rows that may not.
    #[test]
    #[cfg_attr(miri, ignore = "it takes megabytes")]
    fn large_results_are_streamed() {
        for gap in [0, 16, 4] {
            one(4, 1100, 1000, gap, false);
            one(8, 700, 801, gap, true);
        }
    }

    fn one(size: usize, height: usize, width: usize, gap: usize, turned: bool) {
        let (from_row, to_row) = (width * size + gap, height * size + gap);
        let from: Vec<u8> = (0..height * from_row).map(|k| (k * 7 + k / 251) as u8).collect();
        let mut to = vec![0xEE; width * to_row + VECTOR];
        let shift = to.as_ptr().align_offset(VECTOR);
        let mut want = to.clone();
        for i in 0..width {
            for j in 0..height {
                let row = if turned { height - 1 - j } else { j };
                let (s, d) = (row * from_row + i * size, shift + i * to_row + j * size);
                want[d..d + size].copy_from_slice(&from[s..s + size]);
            }
        }
        let row = if turned { -(from_row as isize) } else { from_row as isize };
        let first = if turned { from[(height - 1) * from_row..].as_ptr() } else { from.as_ptr() };
        let target = Matrix { first: to[shift..].as_mut_ptr(), row: to_row as isize };
        // SAFETY: the vectors have all rows.
        unsafe { transpose(size, Matrix { first, row }, target, width, height) };
        assert_eq!(to, want, "{size} bytes, {height} x {width}, turned {turned}, {:?}", Cpu::current());
    }
}
