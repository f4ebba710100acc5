//! Arrays whose memory stands for something slower: what lies there is wrong, and who touches it gives a wrong result.

use crate::case::{Case, Op};
use crate::operand::Operand;
use crate::verify::differs;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use takewise::internal::far::{Brought, Far, Piece, Registered, stands_for};
use takewise::strategy::{Strategy, prefer_strategy};

/// Bytes that are elsewhere.
pub struct Away {
    truth: Vec<u8>,
    pieces: AtomicUsize,
}

impl Away {
    /// Bytes that are elsewhere, for memory from this address on.
    pub fn at(start: usize, truth: Vec<u8>) -> (Registered, Arc<Away>) {
        let range = start..start + truth.len();
        let away = Arc::new(Away { truth, pieces: AtomicUsize::new(0) });
        (stands_for(range, away.clone()), away)
    }

    /// Pieces that were asked for.
    pub fn pieces(&self) -> usize {
        self.pieces.load(Ordering::Relaxed)
    }
}

impl Far for Away {
    fn page(&self) -> usize {
        16
    }

    fn most_pages(&self) -> usize {
        self.truth.len() / 64
    }

    fn requests(&self, pieces: &[Piece], _: usize) -> usize {
        pieces.len()
    }

    unsafe fn bring(&self, pieces: &[Piece], chunk: usize, target: *mut u8) -> Result<Brought, String> {
        assert!(pieces.is_sorted());
        self.pieces.fetch_add(pieces.len(), Ordering::Relaxed);
        for piece in pieces {
            let bytes = &self.truth[piece.from..piece.from + chunk];
            // SAFETY: the engine's promise for where pieces go.
            unsafe { target.offset(piece.to).copy_from_nonoverlapping(bytes.as_ptr(), chunk) };
        }
        Ok(Brought::All)
    }

    fn ready(&self, _: &[Piece], _: usize) {}

    fn lost(&self, _: Range<usize>) -> Option<String> {
        None
    }
}

impl Case {
    /// Holds a read against the oracle whose array lies elsewhere; how many pieces of it were asked for. `None` for calls that
    /// write, and those that look at all elements themselves.
    pub fn verify_away(&self, label: &str) -> Option<usize> {
        if self.writes() || matches!(self.op, Op::Nonzero | Op::Search { .. }) {
            return None;
        }
        let (want, mut mine) = (self.expected(), self.clone());
        let (_far, away) = mine.x.send_away();
        let got = prefer_strategy(Strategy::Fetch, || mine.run());
        if let Some(what) = differs(&mine, &want, &got) {
            panic!("{label}, away: {what}\n{self:?}\n  expected {want:?}");
        }
        Some(away.pieces())
    }
}

impl Operand {
    /// Sends the elements elsewhere, until what is given is dropped.
    pub fn send_away(&mut self) -> (Registered, Arc<Away>) {
        let memory = self.memory();
        let (start, truth) = (memory.as_ptr().addr(), memory.to_vec());
        memory.iter_mut().for_each(|b| *b ^= 0x5a);
        Away::at(start, truth)
    }
}
