//! The last errors of programs that XLA ran, by the numbers in their texts: XLA hands on a text alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use takewise::Error;

/// How many are kept: who catches one asks for it at once.
const MOST: usize = 64;

struct Errors {
    next: u64,
    errors: VecDeque<(u64, Arc<Error>)>,
}

static KEPT: Mutex<Errors> = Mutex::new(Errors { next: 1, errors: VecDeque::new() });

/// Keeps an error, and gives its number.
pub(super) fn keep(error: Error) -> u64 {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let number = kept.next;
    kept.next += 1;
    if kept.errors.len() == MOST {
        kept.errors.pop_front();
    }
    kept.errors.push_back((number, Arc::new(error)));
    number
}

/// The error of a number, if it is still kept.
pub(super) fn error(number: u64) -> Option<Arc<Error>> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.errors.iter().find(|(known, _)| *known == number).map(|(_, error)| error.clone())
}
