//! Types of Arrow's that are stored as another type: their names and what they are told stand in the metadata of a schema.

use std::ffi::c_char;

use takewise_files::budget::AXES;

/// The type that elements stand for, where it is another than the one they are stored as.
#[derive(Default)]
pub(super) struct Meant {
    /// Its name.
    pub(super) name: Option<String>,
    /// What the type is told, as JSON.
    about: String,
}

impl Meant {
    /// Reads the metadata of a schema: a number of pairs, each of two texts with their lengths before them.
    ///
    /// # Safety
    /// Null, or metadata as the interface has them.
    pub(super) unsafe fn of(metadata: *const c_char) -> Meant {
        let (mut found, mut at) = (Meant::default(), metadata.cast::<u8>());
        if at.is_null() {
            return found;
        }
        // SAFETY: the caller's promise: a number, then as many pairs of texts, each behind its length; walked in this order.
        let mut next = |text: bool| unsafe {
            let number = usize::try_from(at.cast::<i32>().read_unaligned()).unwrap_or(0);
            at = at.add(size_of::<i32>());
            let bytes = std::slice::from_raw_parts(at, if text { number } else { 0 });
            at = at.add(bytes.len());
            (number, String::from_utf8_lossy(bytes).into_owned())
        };
        for _ in 0..next(false).0 {
            let ((_, key), (_, value)) = (next(true), next(true));
            match key.as_str() {
                "ARROW:extension:name" if !value.is_empty() => found.name = Some(value),
                "ARROW:extension:metadata" => found.about = value,
                _ => {}
            }
        }
        found
    }

    /// The extents of lists of so many elements and the order of their axes; those of tensors are told. Nothing if they do not go
    /// with that.
    pub(super) fn tensor(&self, length: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        if self.name.is_none() {
            return Some((vec![length], vec![0]));
        }
        let about: serde_json::Value = serde_json::from_str(&self.about).ok()?;
        let numbers = |key: &str| -> Option<Vec<usize>> {
            let numbers = about.get(key)?.as_array()?;
            numbers.iter().map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok())).collect()
        };
        let shape = numbers("shape").filter(|shape| shape.len() < AXES)?;
        let order = match about.get("permutation") {
            Some(told) if !told.is_null() => numbers("permutation")?,
            _ => (0..shape.len()).collect(),
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let whole = shape.iter().try_fold(1usize, |all, n| all.checked_mul(*n)) == Some(length);
        (whole && sorted.iter().copied().eq(0..shape.len())).then_some((shape, order))
    }
}
