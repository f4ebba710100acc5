//! MindSpore's wording (spec section 14).

use super::{Class, Fault};

/// Class and text as MindSpore gives them.
pub fn mindspore(fault: &Fault) -> Option<(Class, String)> {
    let _ = fault;
    None
}
