//! The list of all operations.

use crate::record::{Entry, Operation};
use crate::{order, ranges, read, search, subscript, write};

/// Rows of different lengths, and order. The page has none, and its engine is small.
const RANGES: &[Operation] = if cfg!(target_family = "wasm") { &[] } else { ranges::ALL };
const ORDER: &[Operation] = if cfg!(target_family = "wasm") { &[] } else { order::ALL };

/// The operations, in families.
const FAMILIES: [&[Operation]; 6] = [read::ALL, write::ALL, search::ALL, subscript::ALL, RANGES, ORDER];

/// Every function.
pub fn all() -> impl Iterator<Item = Entry> {
    FAMILIES.iter().flat_map(|family| family.iter()).flat_map(|operation| {
        let first = Entry { operation, name: operation.name, in_place: operation.only_in_place() };
        let place = operation.place.map(|name| Entry { operation, name, in_place: true });
        [Some(first), place].into_iter().flatten()
    })
}

/// The function of that name.
pub fn named(name: &str) -> Option<Entry> {
    all().find(|entry| entry.name == name)
}
