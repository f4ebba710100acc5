//! Claims of tensors in the ledgers of their storage.

use super::Tensor;
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::meets_itself;
use crate::memory::ledger::{Claim, Claims, Footprint, Registration, register};
use crate::op::Op;

/// Registers reads and a write without settling overlap among them.
pub(crate) fn claim<'t>(op: Op, reads: &[&'t Tensor], write: Option<&'t Tensor>) -> Result<Registration<'t>> {
    // Operands lent for the call have no ledger.
    if reads.iter().chain(&write).all(|t| t.buffer.ledger().is_none()) {
        return Ok(Registration::default());
    }
    let mut claims = Claims::new();
    for (t, writes) in reads.iter().map(|t| (t, false)).chain(write.iter().map(|t| (t, true))) {
        if let Some(claim) = t.claim(writes) {
            claims.push(claim);
        }
    }
    register(&mut claims).map_err(|c| Error::plain(Fault::Busy { op, writing: c.writing }))
}

/// Registers one operand.
pub(super) fn claim_one<'t>(op: Op, tensor: &'t Tensor, writes: bool) -> Result<Registration<'t>> {
    if writes {
        tensor.check_by_hand(op)?;
        tensor.count_change();
    }
    match tensor.claim(writes).map(Claim::register) {
        None => Ok(Registration::default()),
        Some(Ok(registration)) => Ok(registration),
        Some(Err(c)) => Err(Error::plain(Fault::Busy { op, writing: c.writing })),
    }
}

impl Tensor {
    /// What the ledger shall know of this operand; nothing if it has no bytes.
    fn claim(&self, writes: bool) -> Option<Claim<'_>> {
        let ledger = self.buffer.ledger()?;
        let region = Footprint::new(self.offset, &self.layout, self.dtype.size())?;
        Some(Claim { ledger, region, writes })
    }

    /// Fails unless the memory may be written and no two coordinates share any of it.
    pub(crate) fn check_writable(&self, op: Op) -> Result<()> {
        if !self.buffer.writable() {
            return Err(Error::plain(Fault::argument(op, ArgumentRule::ReadOnly, &[])));
        }
        if !self.is_contiguous() && meets_itself(&self.layout, self.dtype.size()) {
            return Err(Error::plain(Fault::Overlap { op, internal: true }));
        }
        Ok(())
    }
}
