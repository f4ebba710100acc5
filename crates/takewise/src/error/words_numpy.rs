//! NumPy's wording (spec section 15).

use super::{Class, Fault};

/// Class and text as NumPy gives them.
pub fn numpy(fault: &Fault) -> Option<(Class, String)> {
    super::words_search::numpy(fault)
}
