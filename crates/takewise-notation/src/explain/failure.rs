//! What a failing call says, and where.

use takewise_dialects::EvalError;
use takewise_explain::Picture;
use takewise_explain::data::Failure;

use super::Asked;
use super::operands::{Slot, place};

/// The failure of a call on these operands.
pub(super) fn failure(picture: &Picture, error: &EvalError, slots: &[Slot], asked: &Asked) -> Failure {
    let mut failure = error.cause().map_or_else(Failure::default, |cause| picture.failure(cause));
    failure.class = error.class().to_owned();
    failure.message = error.text().to_owned();
    let blamed = failure.operand.and_then(|k| place(slots.get(k)?, &asked.written)).or_else(|| error.span());
    let part = &asked.part;
    let span = blamed.filter(|s| part.start <= s.start && s.end <= part.end).unwrap_or_else(|| asked.blamed.clone());
    failure.span = Some([span.start - part.start, span.end - part.start]);
    failure
}
