//! C++ values of a caller's, read where they lie. Words are their addresses.
//!
//! How they lie there belongs to one build of PyTorch: `_shim.py` has values that are known read before it is relied on.

use smallvec::SmallVec;
use takewise_dialects::Value;

use super::symbols::{Handle, Word};

/// `c10::Scalar`: its kind, and 16 bytes.
#[repr(C)]
struct Number {
    kind: u32,
    _gap: [u32; 3],
    words: [u64; 2],
}

/// A number; `None` for one that is a symbol.
///
/// # Safety
/// The address of a `c10::Scalar`.
pub(super) unsafe fn number(word: Word) -> Option<Value> {
    // SAFETY: the caller's promise.
    let Number { kind, words: [first, second], .. } = unsafe { &*(word as *const Number) };
    Some(match kind {
        0 => Value::Float(f64::from_bits(*first)),
        1 => Value::Int(i128::from(*first as i64)),
        2 => Value::Int(i128::from(*first)),
        3 => Value::Complex(f64::from_bits(*first), f64::from_bits(*second)),
        4 => Value::Bool(*first != 0),
        _ => return None,
    })
}

/// Whether it is a number and no symbol.
///
/// # Safety
/// As above.
#[inline]
pub(super) unsafe fn is_number(word: Word) -> bool {
    // SAFETY: the caller's promise.
    unsafe { (*(word as *const Number)).kind < 5 }
}

/// `c10::IValue`: 8 bytes, and what they are.
#[repr(C)]
struct Item {
    word: u64,
    kind: u32,
}

/// The tensors of a list, each of which may be absent; `None` if there is anything else in it.
///
/// # Safety
/// The address of a `c10::List<std::optional<at::Tensor>>`, and that of what a tensor without anything points to.
#[inline]
pub(super) unsafe fn tensors(word: Word, undefined: usize) -> Option<SmallVec<[Option<Handle>; 4]>> {
    // SAFETY: the address of a pointer to a `c10::detail::ListImpl`, behind whose head, of two words, is a vector: the
    // addresses of its first item and behind its last.
    let items = unsafe {
        let list = *(word as *const *const *const Item);
        let (first, end) = (*list.add(2), *list.add(3));
        // A vector of nothing has no memory.
        if first == end { &[] } else { std::slice::from_raw_parts(first, end.offset_from_unsigned(first)) }
    };
    let item = |item: &Item| match item.kind {
        0 => Some(None),
        1 if item.word as usize == undefined => Some(None),
        1 => Some(Some((&raw const item.word).cast_mut().cast())),
        _ => None,
    };
    items.iter().map(item).collect()
}

/// What is in a `std::optional`; `None` if it is empty.
///
/// # Safety
/// The address of a `std::optional` of a tensor, or of a text.
#[inline]
pub(super) unsafe fn within(word: Word, text: bool) -> Option<Word> {
    // SAFETY: whether there is anything in it is said behind the place for it.
    let there = unsafe { *((word as *const Word).add(if text { 2 } else { 1 })).cast::<u8>() != 0 };
    there.then_some(word)
}

/// The length of a text.
///
/// # Safety
/// The address of a `std::string_view`.
#[inline]
pub(super) unsafe fn size(word: Word) -> usize {
    // SAFETY: the caller's promise.
    unsafe { *(word as *const usize) }
}

/// A text.
///
/// # Safety
/// The address of a `std::string_view`: its length and where it starts.
pub(super) unsafe fn text(word: Word) -> Option<String> {
    // SAFETY: the caller's promise.
    let bytes = unsafe {
        let [size, start] = *(word as *const [usize; 2]);
        if size == 0 { &[] } else { std::slice::from_raw_parts(start as *const u8, size) }
    };
    String::from_utf8(bytes.to_vec()).ok()
}
