//! How an operation gets at the memory of its tensors: one registration for all operands of a call.
//!
//! [`Access::begin`] settles three questions before a byte moves. Does an operand share memory with the
//! destination? (Then the *operand* is copied, or the call refused, by rule; the destination never is.)
//! May the destination be written at all? Is another call or guard using any of this memory? (Then the
//! call fails with kind `Busy`; it never waits.) What comes out are ordinary views, and ring 0 does the rest.

use super::copy;
use crate::error::{Error, Fault, Result, Words};
use crate::index::rules::Overlap;
use crate::layout::{dense, may_overlap};
use crate::memory::ledger::Registration;
use crate::notes::moving;
use crate::op::Op;
use crate::tensor::{Tensor, claim};
use crate::view::{AnyView, AnyViewMut};
use smallvec::SmallVec;

/// The registered operands of one call. Dropping it ends the registration.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::ops::Access;
/// use takewise::{Op, error};
/// let (x, out) = (tensor!([1, 2]), tensor!([0, 0]));
/// let mut access = Access::begin(Op::Copy, &[&x], Some(&out), Rules::NEUTRAL.overlap, error::neutral)?;
/// let (reads, mut write) = access.split();
/// ops::copy_into(&reads.get(0), &mut write)?;
/// drop(access);
/// assert_eq!(out.to_vec::<i64>()?, [1, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Access<'t> {
    reads: SmallVec<[Input<'t>; 4]>,
    write: Option<&'t Tensor>,
    _registration: Registration<'t>,
}

enum Input<'t> {
    Given(&'t Tensor),
    /// A private copy of an operand that met the destination.
    Copied(Box<Tensor>),
}

impl Input<'_> {
    #[inline]
    fn view(&self) -> AnyView<'_> {
        let tensor: &Tensor = match self {
            Input::Given(t) => t,
            Input::Copied(t) => t,
        };
        // SAFETY: L1 holds for every tensor; the registration (or privacy) keeps writers out for as long as
        // the access, and so this borrow of it, lives.
        unsafe { tensor.any_view() }
    }
}

/// The operands a call reads.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::ops::Access;
/// use takewise::{Op, error};
/// let (x, out) = (tensor!([1, 2]), tensor!([0, 0]));
/// let mut access = Access::begin(Op::Copy, &[&x], Some(&out), Rules::NEUTRAL.overlap, error::neutral)?;
/// let (reads, mut write) = access.split();
/// ops::copy_into(&reads.get(0), &mut write)?;
/// drop(access);
/// assert_eq!(out.to_vec::<i64>()?, [1, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Reads<'a>(&'a [Input<'a>]);

impl<'a> Reads<'a> {
    /// The view of operand `k`, in the order given to [`Access::begin`]; an empty view for any other `k`.
    #[inline]
    pub fn get(&self, k: usize) -> AnyView<'a> {
        self.0.get(k).map_or_else(|| AnyView::from(&[] as &[u8]), Input::view)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The views in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = AnyView<'a>> {
        self.0.iter().map(Input::view)
    }
}

/// What torch's overlap check says about two dense operands (SEMANTICS.md, Overlap).
#[derive(PartialEq)]
enum Status {
    /// No shared byte.
    Apart,
    /// The same bytes in the same order.
    Full,
    /// Dense operands that share bytes otherwise.
    Partial,
    /// Not both dense, and sharing bytes.
    Strided,
}

fn status(a: &Tensor, b: &Tensor) -> Status {
    if a.storage().apart(b.storage()) {
        return Status::Apart;
    }
    let (pa, pb) = (a.address(), b.address());
    let (sa, sb) = (a.dtype().size(), b.dtype().size());
    if !may_overlap(pa, a.layout(), sa, pb, b.layout(), sb) {
        return Status::Apart;
    }
    if !dense(a.layout(), sa) || !dense(b.layout(), sb) {
        return Status::Strided;
    }
    let same_range = pa == pb && a.numel() * sa == b.numel() * sb;
    if same_range && a.layout().strides() == b.layout().strides() { Status::Full } else { Status::Partial }
}

impl<'t> Access<'t> {
    /// Registers the operands of a call: `reads` in the order they are asked for later, and the tensor written.
    ///
    /// An operand that shares memory with the destination is copied or refused as `overlap` says; nothing is
    /// copied when they are disjoint. Errors, in the words given: kind `Argument` if the destination's memory
    /// is read-only; `Overlap` if two of its coordinates share memory or the rule refuses an operand; `Busy`
    /// if another call or guard is using memory this one needs; `Memory` if a copy cannot be allocated.
    /// Nothing stays registered on error. Cost: tens of nanoseconds.
    pub fn begin(
        op: Op,
        reads: &[&'t Tensor],
        write: Option<&'t Tensor>,
        overlap: Overlap,
        words: Words,
    ) -> Result<Access<'t>> {
        // Whether an operand has to be copied: seldom any, so that nothing is noted about each.
        let mut met = false;
        if let Some(dst) = write {
            dst.check_in_place().map_err(|e| e.in_op(op).in_words(words))?;
            dst.check_writable(op).map_err(|e| e.in_words(words))?;
            for (k, t) in reads.iter().enumerate() {
                let rule = match overlap {
                    Overlap::RefuseData if k == 0 => Overlap::Refuse,
                    Overlap::RefuseData => Overlap::RefusePartial,
                    rule => rule,
                };
                let refused = match (status(t, dst), rule) {
                    (Status::Apart, _) => continue,
                    (Status::Full, Overlap::Refuse) | (Status::Partial, Overlap::Refuse | Overlap::RefusePartial) => {
                        true
                    }
                    _ => false,
                };
                if refused {
                    return Err(Error::new(words, Fault::Overlap { op, internal: false }));
                }
                met = true;
            }
        }
        let registration = claim(op, reads, write).map_err(|e| e.in_words(words))?;
        if let Some(dst) = write {
            dst.count_change();
        }
        let mut operands: SmallVec<[Input<'t>; 4]> = SmallVec::with_capacity(reads.len());
        for &tensor in reads {
            let copied = met && write.is_some_and(|dst| status(tensor, dst) != Status::Apart);
            operands.push(if copied {
                // SAFETY: L1 holds for every tensor; the registration keeps writers out.
                let view = unsafe { tensor.any_view() };
                Input::Copied(Box::new(moving(|| copy(&view)).map_err(|e| e.in_op(op).in_words(words))?))
            } else {
                Input::Given(tensor)
            });
        }
        Ok(Access { reads: operands, write, _registration: registration })
    }

    /// Registers operands that are only read.
    pub fn reading(op: Op, reads: &[&'t Tensor], words: Words) -> Result<Access<'t>> {
        Access::begin(op, reads, None, Overlap::CopyInput, words)
    }

    /// The view of operand `k`, in the order given to [`Access::begin`]; an empty view for any other `k`.
    pub fn read(&self, k: usize) -> AnyView<'_> {
        Reads(&self.reads).get(k)
    }

    /// What is read.
    pub fn reads(&self) -> Reads<'_> {
        Reads(&self.reads)
    }

    /// The destination; an empty view if the call has none.
    pub fn write(&mut self) -> AnyViewMut<'_> {
        self.split().1
    }

    /// What is read and what is written, at once.
    pub fn split(&mut self) -> (Reads<'_>, AnyViewMut<'_>) {
        let written = match self.write {
            // SAFETY: L1 holds for every tensor and L3 was checked by `begin`; exclusive because the
            // registration keeps other calls out, overlapping operands of this one were copied, and the
            // borrow of this access is mutable.
            Some(t) => unsafe { t.any_view_mut() },
            None => AnyViewMut::from(&mut [] as &mut [u8]),
        };
        (Reads(&self.reads), written)
    }
}
