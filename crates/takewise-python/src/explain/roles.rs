//! What parameters are for, by their names.

use takewise_explain::data::Role;

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
    let named = [INDICES, MASKS, VALUES, DATA].iter().any(|names| names.contains(&parameter));
    named || parameter == "sorter" || sought(operation, parameter) == Some(true)
}
