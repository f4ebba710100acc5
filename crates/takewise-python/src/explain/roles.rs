//! What parameters are for: of our own functions by the catalogue, of others by their names.

use takewise_explain::data::Role;
use takewise_notation::of_own;
use takewise_operations::{Role as Of, named};

/// Parameters that take positions.
const INDICES: &[&str] = &["index", "indices", "ind", "idx", "key", "indexes"];
/// Parameters that take what selects.
const MASKS: &[&str] = &["mask", "condition", "cond"];
/// Parameters that take what is written or chosen.
const VALUES: &[&str] = &["src", "source", "value", "values", "vals", "v", "updates", "update"];
/// Parameters that take the array that is indexed.
const DATA: &[&str] = &["x", "input", "a", "arr", "self", "dst", "params", "input_x", "other", "y", "out", "tensor"];
/// Searches, and what they call the sorted sequence.
const SEARCHES: &[(&str, &str)] = &[
    ("searchsorted", "sorted_sequence"),
    ("searchsorted", "a"),
    ("bucketize", "boundaries"),
    ("digitize", "bins"),
    ("search_sorted", "sorted_sequence"),
];

/// Whether the operation is a search, and this parameter its sequence.
fn sought(operation: &str, parameter: &str) -> Option<bool> {
    let mut searches = SEARCHES.iter().filter(|(name, _)| *name == operation).peekable();
    searches.peek()?;
    Some(searches.any(|(_, sequence)| *sequence == parameter))
}

/// What an array is for that was passed for a parameter.
pub(super) fn role(operation: &str, parameter: &str, bools: bool, first: bool) -> Role {
    match named(operation).and_then(|entry| entry.role(parameter)) {
        Some(Of::Index | Of::Key) if bools => return Role::Mask,
        Some(known) => return of_own(known),
        None => {}
    }
    match (sought(operation, parameter), parameter) {
        (_, "sorter") => return Role::Sorter,
        (Some(true), _) => return Role::Sequence,
        (Some(false), _) => return Role::Values,
        _ => {}
    }
    match parameter {
        name if MASKS.contains(&name) => Role::Mask,
        name if INDICES.contains(&name) && bools => Role::Mask,
        name if INDICES.contains(&name) => Role::Index,
        name if VALUES.contains(&name) && !first => Role::Values,
        _ => Role::Data,
    }
}

/// Whether an array may be passed for a parameter.
pub(super) fn takes_array(operation: &str, parameter: &str) -> bool {
    if let Some(known) = named(operation).and_then(|entry| entry.role(parameter)) {
        return known.is_array() || known == Of::Key;
    }
    let named = [INDICES, MASKS, VALUES, DATA].iter().any(|names| names.contains(&parameter));
    named || parameter == "sorter" || sought(operation, parameter) == Some(true)
}
