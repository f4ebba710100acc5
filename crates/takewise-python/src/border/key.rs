//! Subscripts: what Python puts between the brackets, as the engine's index list.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyFloat, PyInt, PySlice, PyTuple};
use smallvec::{SmallVec, smallvec};
use takewise::{DType, Index, OwnedIndex as Item, Slice};

use super::{Operand, arrive, literal, numpy};
use crate::error::refuse;
use crate::known::intern;

/// A subscript. Room for one entry, which most have: entries are large, and a key is moved about.
pub(crate) struct Key(SmallVec<[Item; 1]>);

impl Key {
    /// What an object between brackets means by the library's own rules: a tuple is one entry per item, a list one
    /// index array.
    ///
    /// Errors: `TypeError` for objects that are no index, `IndexError` for integers beyond 64 bits.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Key> {
        let Ok(tuple) = object.cast::<PyTuple>() else { return Ok(Key(smallvec![item(object)?])) };
        let mut key = Key(tuple.iter().map(|entry| item(&entry)).collect::<PyResult<_>>()?);
        if key.0.len() > 1 && !tuple.iter().all(|entry| is_tame(&entry)) {
            key.look_again(tuple)?;
        }
        Ok(key)
    }

    /// Opens loose arrays once more: what other entries are may have run code of the caller's, which moved their memory.
    #[cold]
    fn look_again(&mut self, tuple: &Bound<'_, PyTuple>) -> PyResult<()> {
        for (item, entry) in self.0.iter_mut().zip(tuple) {
            if let Item::Tensor(tensor) = item
                && arrive::is_loose(&entry)
            {
                *tensor = arrive::again(&entry)?.tensor;
            }
        }
        Ok(())
    }

    /// Bytes of its index arrays, by which a call is judged to be work or not.
    pub(crate) fn bytes(&self) -> usize {
        let size = |item: &Item| match item {
            Item::Tensor(tensor) => tensor.numel().saturating_mul(tensor.dtype().size()),
            _ => 0,
        };
        self.0.iter().map(size).sum()
    }

    /// The engine's list.
    pub(crate) fn indices<'k>(&'k self) -> SmallVec<[Index<'k>; 1]> {
        match &self.0[..] {
            [one] => smallvec![one.lent()],
            all => all.iter().map(Item::lent).collect(),
        }
    }
}

/// Whether looking at an entry runs no code of the caller's. Of lists and slices it would take longer to find out than to
/// look again.
fn is_tame(object: &Bound<'_, PyAny>) -> bool {
    numpy::exact(object).is_some()
        || Operand::may_be_tensor(object)
        || literal::is_plain(object) && literal::sequence(object).is_none() && !object.is_instance_of::<PySlice>()
}

/// What an object between brackets is.
fn item(object: &Bound<'_, PyAny>) -> PyResult<Item> {
    if let Some(array) = Operand::of_numpy(object) {
        return array.map(|array| Item::Tensor(array.tensor));
    }
    if let Ok(b) = object.cast::<PyBool>() {
        return Ok(Item::Bool(b.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object).map(Item::Int);
    }
    if object.is_none() {
        return Ok(Item::NewAxis);
    }
    if object.is_instance_of::<PyEllipsis>() {
        return Ok(Item::Ellipsis);
    }
    if let Ok(slice) = object.cast::<PySlice>() {
        return Ok(Item::Range(range(slice)?));
    }
    if let Some(array) = Operand::of(object)? {
        return Ok(Item::Tensor(array.tensor));
    }
    let py = object.py();
    match literal::sequence(object) {
        // An empty list names no places, whatever its dtype would be.
        Some(list) if list.is_empty()? => literal::tensor(object, Some(DType::I64)).map(Item::Tensor),
        Some(_) => literal::tensor(object, None).map(Item::Tensor),
        None if object.hasattr(intern!(py, "__index__"))? => {
            integer(&object.call_method0(intern!(py, "__index__"))?).map(Item::Int)
        }
        None => {
            let what = match object.is_instance_of::<PyFloat>() {
                true => "convert it to an integer first",
                false => "integers, slices, None, ..., masks, and arrays or lists of integers are",
            };
            Err(refuse(py, "TypeError", &format!("a {} is not an index: {what}", object.get_type().name()?)))
        }
    }
}

/// An integer of a subscript; those beyond 64 bits are outside every axis.
fn integer(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    object.extract::<i64>().map_err(|_| {
        let mut number = object.str().map_or_else(|_| String::new(), |s| s.to_string());
        if number.len() > 40 {
            number = format!("{}... of {} digits", &number[..20], number.trim_start_matches('-').len());
        }
        let text = format!("index {number} is beyond 64 bits");
        refuse(object.py(), "IndexError", &text)
    })
}

/// A slice; bounds beyond 64 bits are clamped as Python clamps them.
fn range(slice: &Bound<'_, PySlice>) -> PyResult<Slice> {
    match unpacked(slice) {
        Some(range) => Ok(range),
        None => spelled(slice),
    }
}

/// The slice as Python itself opens it; `None` for one it refuses, which is then refused in our words.
fn unpacked(slice: &Bound<'_, PySlice>) -> Option<Slice> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: a live slice, and three numbers to write to.
    if unsafe { ffi::PySlice_Unpack(slice.as_ptr(), &raw mut start, &raw mut stop, &raw mut step) } != 0 {
        drop(PyErr::take(slice.py()));
        return None;
    }
    // What was left out is left out again: the whole of an axis is told by that.
    let (start, stop) = match step > 0 {
        true => ((start != 0).then_some(start), (stop != isize::MAX).then_some(stop)),
        false => ((start != isize::MAX).then_some(start), (stop != isize::MIN).then_some(stop)),
    };
    let number = |n| n as i64;
    Some(Slice { start: start.map(number), stop: stop.map(number), step: (step != 1).then_some(step as i64) })
}

/// [`range`] part by part.
fn spelled(slice: &Bound<'_, PySlice>) -> PyResult<Slice> {
    let py = slice.py();
    let part = |name| -> PyResult<Option<i64>> {
        let bound = slice.getattr(name)?;
        if bound.is_none() {
            return Ok(None);
        }
        let whole = if bound.is_instance_of::<PyInt>() {
            bound
        } else if bound.hasattr(intern!(py, "__index__"))? {
            bound.call_method0(intern!(py, "__index__"))?
        } else {
            let text = "slice indices must be integers or None or have an __index__ method";
            return Err(refuse(py, "TypeError", text));
        };
        match whole.extract::<i64>() {
            Ok(i) => Ok(Some(i)),
            Err(_) => Ok(Some(if whole.lt(0)? { i64::MIN } else { i64::MAX })),
        }
    };
    Ok(Slice { start: part(intern!(py, "start"))?, stop: part(intern!(py, "stop"))?, step: part(intern!(py, "step"))? })
}
