//! The names of dtypes that only another library can compute with: each has a tag, which is part of the dtype.

use crate::dtype::DType;
use crate::once::Once;

/// A foreign dtype in the list of all.
struct ForeignDType {
    name: String,
    /// The name as messages show it.
    shown: String,
    size: usize,
    next: Once<ForeignDType>,
}

/// The list only grows, and whoever reads it waits for nobody.
static FIRST: Once<ForeignDType> = Once::new();

/// The first tag that stands for no swapped number.
const START: u32 = 16;

/// What PyTorch calls complex numbers of two halves.
pub const COMPLEX_HALF: &str = "complex32";

/// What messages show of a long name, such as that of a struct of many fields.
const SHOWN: usize = 80;

/// See [`DType::foreign`].
pub fn named(name: &str, size: usize) -> Option<DType> {
    let (mut slot, mut tag) = (&FIRST, START);
    loop {
        let known = slot.get_or_make(|| {
            let shown = match name.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}...", &name[..end]),
                None => name.to_owned(),
            };
            ForeignDType { name: name.to_owned(), shown, size, next: Once::new() }
        });
        if known.size == size && known.name == name {
            return Some(DType::Opaque { size: u32::try_from(size).ok()?, align: 1, tag });
        }
        slot = &known.next;
        tag = tag.checked_add(1)?;
    }
}

fn known(tag: u32) -> Option<&'static ForeignDType> {
    let mut slot = &FIRST;
    for _ in START..tag {
        slot = &slot.get()?.next;
    }
    slot.get()
}

/// What a tag's dtype is called in messages.
pub fn name_of(tag: u32) -> &'static str {
    /// In the order of [`crate::dtype::DTYPES`]; those of one byte have no other order.
    const BIG: [&str; 15] = [
        "bool", "uint8", ">u2", ">u4", ">u8", "int8", ">i2", ">i4", ">i8", ">f2", ">bf16", ">f4", ">f8", ">c8", ">c16",
    ];
    const LITTLE: [&str; 15] = [
        "bool", "uint8", "<u2", "<u4", "<u8", "int8", "<i2", "<i4", "<i8", "<f2", "<bf16", "<f4", "<f8", "<c8", "<c16",
    ];
    let swapped = if cfg!(target_endian = "little") { BIG } else { LITTLE };
    match tag {
        0 => "record",
        1..START => swapped[tag as usize - 1],
        _ => known(tag).map_or("record", |known| &known.shown),
    }
}

/// The whole name of a foreign dtype, as it was given to [`DType::foreign`]; `None` of all others.
pub fn full_name(dtype: DType) -> Option<&'static str> {
    match dtype {
        DType::Opaque { tag: START.., .. } => known(dtype.tag()).map(|known| &known.name[..]),
        _ => None,
    }
}

impl DType {
    /// The tag of an opaque dtype, 0 of all others.
    #[doc(hidden)]
    #[inline]
    pub const fn tag(self) -> u32 {
        if let DType::Opaque { tag, .. } = self { tag } else { 0 }
    }
}
