//! torch's wording (spec section 1).

use super::{Class, Fault};

/// Class and text as torch gives them.
pub fn torch(fault: &Fault) -> Option<(Class, String)> {
    super::words_search::torch(fault)
}
