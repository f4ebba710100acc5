//! Arrays that are not in memory, where a call on them is explained and not made for its result: what stands for one holds the
//! elements that the call touches, and those alone are read.

use std::rc::Rc;

use takewise::strategy::watch;
use takewise::{DType, Rules, Tensor};

use crate::context::Context;
use crate::error::{Result, raise};
use crate::face::Face;
use crate::parts::{self, ABOUT, ALONG, FACTS, POINTS, STORES, for_reading};
use crate::sig::Arguments;
use crate::stored::StoredArray;
use crate::value::{Array, Value};
use crate::{lookup, object};

/// How much of an array an explanation shows, and what it does with it.
///
/// ```
/// use std::rc::Rc;
/// use takewise::{DType, Index, Result, Rules, Tensor};
/// use takewise_dialects::{NUMPY, Store, StoredArray, Value, glimpse};
///
/// /// As many zeros as nobody would read.
/// struct Zeros([usize; 2]);
///
/// impl Store for Zeros {
///     fn shape(&self) -> &[usize] {
///         &self.0
///     }
///     fn dtype(&self) -> DType {
///         DType::F64
///     }
///     fn read(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>> {
///         unreachable!("a call that is not made touches nothing")
///     }
/// }
///
/// let x = StoredArray::new(Rc::new(Zeros([1 << 20, 1 << 20])));
/// let shown = glimpse::Shown { elements: 4096, bytes: 1 << 20 };
/// let array = glimpse::part(&x, &NUMPY, &Value::Int(-1), shown)?;
/// assert_eq!(array.shape().to_vec(), [1 << 20, 1 << 20]);
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Arrays of up to so many elements are shown whole.
    pub elements: usize,
    /// Calls on arrays of up to so many bytes are made; of larger ones it is only said what they would do.
    pub bytes: usize,
}

/// Functions whose results are elements of their first array in other places, or views of it.
const MOVED: &[&str] = &[
    "broadcast_to",
    "diagonal",
    "expand",
    "expand_dims",
    "flatten",
    "flip",
    "moveaxis",
    "movedim",
    "narrow",
    "permute",
    "ravel",
    "reshape",
    "select",
    "squeeze",
    "swapaxes",
    "swapdims",
    "t",
    "transpose",
    "unsqueeze",
    "view",
];

/// Attributes that are views.
const TURNED: &[&str] = &["T", "mT"];

/// What stands for `x` in an explanation of `x[key]`, read or written.
///
/// # Errors
/// `OSError` for what cannot be read. Errors of the subscript are left to it.
pub fn part(x: &StoredArray, face: &'static Face, key: &Value, shown: Shown) -> Result<Array> {
    standing(x, face, shown, &|x| object::get(x, key))
}

/// What stands for `x` in an explanation of `x.attr`.
///
/// # Errors
/// As [`part`].
pub fn attribute(x: &StoredArray, face: &'static Face, attr: &str, shown: Shown) -> Result<Array> {
    match STORES && (TURNED.contains(&attr) || FACTS.contains(&attr)) {
        true => standing(x, face, shown, &|x| lookup::attribute(&Value::Array(x.clone()), attr)),
        false => for_reading(x, face),
    }
}

/// A call with what stands for the arrays in it that are not in memory. They are read, but for the one that a function is known to pick
/// elements of.
///
/// # Errors
/// As [`part`].
pub fn call(
    function: &Value,
    arguments: &Arguments,
    context: &Rc<Context>,
    shown: Shown,
) -> Result<(Value, Arguments)> {
    // A program without stores is smaller without all of this.
    if !STORES {
        return Ok((function.clone(), arguments.clone()));
    }
    let mut found = Vec::new();
    let values = arguments.positional.iter().chain(arguments.keyword.iter().map(|(_, value)| value));
    [function].into_iter().chain(values).for_each(|value| parts::stored(value, &mut found));
    if let ([(x, face)], Some(called)) = (&found[..], parts::called(function))
        && parts::is_data(x, called, function, arguments)
        && [POINTS, ABOUT, MOVED]
            .concat()
            .into_iter()
            .chain(ALONG.iter().map(|(name, _)| *name))
            .any(|n| n == called.name)
        && !arguments.keyword.iter().any(|(name, _)| name == "out")
    {
        let with = |array: &Array| parts::replaced(function, arguments, &mut |_, _| Ok(array.clone()));
        let array = standing(x, face, shown, &|x| {
            let (function, arguments) = with(x)?;
            object::call(&function, &arguments, context)
        })?;
        return with(&array);
    }
    parts::replaced(function, arguments, &mut |x, face| for_reading(x, face))
}

/// An array of the same shape and dtype for a call that picks elements. Which ones the call says, made on their positions.
fn standing(
    x: &StoredArray,
    face: &'static Face,
    shown: Shown,
    call: &dyn Fn(&Array) -> Result<Value>,
) -> Result<Array> {
    let shape = x.shape().to_vec();
    let count = shape.iter().product::<usize>();
    if !STORES || x.is_loaded() || count <= shown.elements {
        return for_reading(x, face);
    }
    let bytes = count.saturating_mul(x.dtype().size());
    // Memory for what does not move is not touched, and takes no room.
    let fresh = || Tensor::zeroed(&shape, x.dtype());
    let array = if bytes > shown.bytes { watch(true, fresh).0 } else { fresh() }.map_err(raise)?;
    if bytes > shown.bytes {
        return Ok(Array::new(array, face));
    }
    let extents: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let numbered = Tensor::arange(0, count as i64, 1, Some(DType::I64)).and_then(|t| t.reshape(&extents));
    let mut touched = Vec::new();
    let picked = match call(&Array::new(numbered.map_err(raise)?, face)) {
        Ok(value) => positions(&value, &mut touched),
        // What is wrong with the call it says itself.
        Err(_) => call(&Array::new(x.outline().map_err(raise)?, face)).is_err(),
    };
    touched.retain(|&place| usize::try_from(place).is_ok_and(|place| place < count));
    touched.sort_unstable();
    touched.dedup();
    if !picked || touched.len() == count {
        return for_reading(x, face);
    }
    if touched.is_empty() {
        return Ok(Array::new(array, face));
    }
    let found = parts::at(x, &[touched.len()], &mut |d| {
        let after: i64 = extents[d + 1..].iter().product();
        Ok(Some(touched.iter().map(|place| place / after % extents[d]).collect()))
    })?;
    let Some(found) = found else { return for_reading(x, face) };
    let places = Tensor::from_vec(touched, found.shape()).map_err(raise)?;
    array.put_(&places, &found, false, &Rules::NEUTRAL).map_err(raise)?;
    Ok(Array::new(array, face))
}

/// The integers of a result; whether all of its arrays hold integers.
fn positions(value: &Value, found: &mut Vec<i64>) -> bool {
    match value {
        Value::Array(array) => match array.with(|t| t.contiguous().and_then(|t| t.to_vec::<i64>())) {
            Ok(list) => {
                found.extend(list);
                true
            }
            Err(_) => false,
        },
        Value::Tuple(items) | Value::Record(_, items) => items.iter().all(|value| positions(value, found)),
        _ => true,
    }
}
