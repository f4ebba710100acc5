//! Python numbers and nested lists: as one number, or as a fresh tensor.

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyComplex, PyEllipsis, PyFloat, PyInt, PyList, PyMemoryView, PyRange, PySequence, PySlice,
    PyString, PyTuple,
};
use takewise::index::rules::Conversion;
use takewise::internal::number::{integer_range, scalar_bytes};
use takewise::op::Op;
use takewise::promote::{self, Promotion};
use takewise::{DType, Dims, Fault, Scalar, Tensor};

use super::{Family, Operand, numpy};
use crate::error::{FINAL, OrRaise, refuse};

/// Whether the object is of one of Python's own types that no array library lends memory by.
pub(crate) fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyComplex>()
        || object.is_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyRange>()
        || object.is_exact_instance_of::<PySlice>()
        || object.is_exact_instance_of::<PyEllipsis>()
}

/// The numbers of what lends memory and is a sequence of Python's, as a list of them; `None` of all else.
pub(crate) fn items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if object.is_instance_of::<PyByteArray>() {
        return PyList::new(object.py(), object.try_iter()?.collect::<PyResult<Vec<_>>>()?).map(|l| Some(l.into_any()));
    }
    let class = object.get_type();
    let lends = object.is_instance_of::<PyMemoryView>() || class.module().is_ok_and(|m| m == "array");
    if lends { object.call_method0("tolist").map(Some) } else { Ok(None) }
}

/// Whether the first element of nested lists is text.
pub(crate) fn holds_text(object: &Bound<'_, PyAny>) -> bool {
    let mut item = object.clone();
    for _ in 0..DEEPEST {
        let Ok(list) = item.cast::<PyList>() else { break };
        let Ok(first) = list.get_item(0) else { return false };
        item = first;
    }
    item.is_instance_of::<PyString>() && !item.is(object)
}

/// The object as a number, if it is one of Python's.
pub(crate) fn scalar(object: &Bound<'_, PyAny>) -> Option<Scalar> {
    if let Ok(b) = object.cast::<PyBool>() {
        return Some(Scalar::Bool(b.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return Some(integer(object));
    }
    if let Ok(x) = object.cast::<PyFloat>() {
        return Some(Scalar::Float(x.value()));
    }
    let z = object.cast::<PyComplex>().ok()?;
    Some(Scalar::Complex(z.real(), z.imag()))
}

/// An integer of any size; those beyond 128 bits stand outside every dtype, whichever way.
fn integer(object: &Bound<'_, PyAny>) -> Scalar {
    if let Ok(small) = object.extract::<i64>() {
        return Scalar::Int(small.into());
    }
    Scalar::Int(
        object.extract::<i128>().unwrap_or_else(|_| if object.lt(0).unwrap_or(false) { i128::MIN } else { i128::MAX }),
    )
}

/// A fresh tensor of the numbers in nested lists, or of one number.
///
/// Without `like` it is the dtype NumPy gives it: booleans give bool, integers int64 (uint64 where only that holds them),
/// floats float64 and complex numbers complex128, and a library's numbers and arrays among them their own; an empty list is
/// float64. Errors: `ValueError` for lists of unequal
/// length, `TypeError` for anything but numbers, `OverflowError` for integers that the dtype cannot hold.
pub(crate) fn tensor(object: &Bound<'_, PyAny>, like: Option<DType>) -> PyResult<Tensor> {
    Numbers::of(object)?.tensor(object.py(), like)
}

/// Why what is no array cannot be written into.
#[cold]
pub(crate) fn unwritable(object: &Bound<'_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(name) => {
            refuse(object.py(), "TypeError", &format!("cannot write into a value of type {name}: pass an array"))
        }
        Err(error) => error,
    }
}

/// What is said of an object that is no array any more.
#[cold]
pub(crate) fn no_array(object: &Bound<'_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(name) => refuse(object.py(), "TypeError", &format!("a {name} is no array")),
        Err(error) => error,
    }
}

/// The numbers of nested lists, before it is known what dtype they take.
pub(crate) struct Numbers(Contents);

impl Numbers {
    /// Errors: `ValueError` for lists of unequal length, `TypeError` for anything but numbers.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Numbers> {
        let mut found = Contents::default();
        found.visit(object, 0)?;
        Ok(Numbers(found))
    }

    /// One number.
    pub(crate) fn one(number: Scalar) -> Numbers {
        Numbers(Contents { numbers: vec![number], ranks: Contents::rank(&number), ..Contents::default() })
    }

    /// Fails if a float or complex number among them is none that the dtype's library takes alone: a float is no date.
    pub(crate) fn check_foreign(&self, py: Python<'_>, dtype: DType) -> PyResult<()> {
        let inexact = |number: &&Scalar| matches!(number, Scalar::Float(_) | Scalar::Complex(..));
        match self.0.numbers.iter().find(inexact) {
            Some(number) => Tensor::full(&[], *number, dtype).map(|_| ()).or_raise(py),
            None => Ok(()),
        }
    }

    /// As [`tensor`].
    pub(crate) fn tensor(&self, py: Python<'_>, like: Option<DType>) -> PyResult<Tensor> {
        let Numbers(found) = self;
        let dtype = like.unwrap_or_else(|| found.dtype());
        filled(py, &found.shape, &found.numbers, dtype, Conversion::IntegersChecked)
    }

    /// Whether there is a number among them of a kind that the dtype does not hold: a float beside integers.
    pub(crate) fn is_other_kind(&self, dtype: DType) -> bool {
        let dtype = dtype.native();
        self.0.numbers.iter().any(|number| match number {
            Scalar::Bool(_) | Scalar::Int(_) => false,
            Scalar::Float(_) => !dtype.is_float() && !dtype.is_complex(),
            Scalar::Complex(..) => !dtype.is_complex(),
        })
    }

    /// Whether the dtype is one of integers or of booleans, and all of the integers are in its range.
    ///
    /// Error: kind `Value`, with the first that is not.
    pub(crate) fn fits(&self, op: Op, dtype: DType) -> takewise::Result<bool> {
        let native = dtype.native();
        let range = if native == DType::Bool { Some((0, 1)) } else { integer_range(native) };
        let Some((low, high)) = range else { return Ok(false) };
        let outside = |number: &Scalar| matches!(number, Scalar::Int(v) if *v < low || *v > high);
        let Numbers(Contents { shape, numbers, .. }) = self;
        let Some(mut at) = numbers.iter().position(outside) else { return Ok(true) };
        let Scalar::Int(value) = numbers[at] else { return Ok(true) };
        let mut position = Dims::from_slice(shape);
        for extent in position.iter_mut().rev() {
            (*extent, at) = (at % *extent, at / *extent);
        }
        let bad = numbers.iter().filter(|number| outside(number)).count();
        Err(takewise::Error::plain(Fault::Unfit { op, value, dtype, position, bad, total: numbers.len() }))
    }

    /// As [`tensor`], in the dtype that numbers have beside an array of a library.
    pub(crate) fn beside(&self, py: Python<'_>, family: Family, other: Option<DType>) -> PyResult<Tensor> {
        let own = self.0.dtype();
        // What a library says the dtype of is data.
        self.tensor(py, Some(if self.0.typed.is_some() { own } else { beside(own, family, other) }))
    }
}

/// The dtype of plain numbers beside an array of a library, given the one NumPy gives them: torch's and JAX's have no more
/// digits than the array beside them, and without one those of these libraries' default.
fn beside(own: DType, family: Family, other: Option<DType>) -> DType {
    let single = match (family, other) {
        (Family::NumPy, _) => return own,
        (Family::Torch, Some(d)) if d.is_float() && own.is_float() => return d,
        (Family::Torch, Some(d)) if d.is_float() || d.is_complex() => !matches!(d, DType::F64 | DType::C128),
        // No dtype of torch's is beside integers: the numbers stay what they are.
        (Family::Torch, Some(_)) => false,
        (Family::Torch, None) => true,
        (Family::Jax, d) => !d.is_some_and(|d| d.size() == 8 && d != DType::C64 || d == DType::C128),
    };
    match own {
        DType::F64 if single => DType::F32,
        DType::C128 if single => DType::C64,
        other => other,
    }
}

/// One number as a fresh tensor of rank 0, converted as a library does. What a floating dtype cannot hold is infinite there.
///
/// Errors: `OverflowError` for an integer that the dtype cannot hold.
pub(crate) fn number(py: Python<'_>, number: Scalar, dtype: DType, how: Conversion) -> PyResult<Tensor> {
    let how = if dtype.is_float() { Conversion::Wrap } else { how };
    filled(py, &[], &[number], dtype, how)
}

/// A fresh tensor of as many elements as there are numbers.
fn filled(py: Python<'_>, shape: &[usize], numbers: &[Scalar], dtype: DType, how: Conversion) -> PyResult<Tensor> {
    let tensor = Tensor::zeroed(shape, dtype).or_raise(py)?;
    let size = dtype.size();
    for (k, number) in numbers.iter().enumerate().take(tensor.numel()) {
        let bytes = scalar_bytes(Op::Named(&"tensor"), *number, dtype, how, takewise::error::neutral).or_raise(py)?;
        // SAFETY: L1: element `k` of a fresh contiguous tensor, which nobody else holds.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), tensor.data_ptr().add(k * size), size) };
    }
    Ok(tensor)
}

/// Makes what PyO3 looks up when it is first asked about a range, in a cell that others wait for.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    PyRange::new(py, 0, 0)?.into_any().cast::<PySequence>()?;
    Ok(())
}

/// A sequence that is spread out rather than taken as one element.
pub(crate) fn sequence<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PySequence>> {
    let list = object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PyRange>();
    list.then(|| object.cast::<PySequence>().ok())?
}

/// "1 item", "2 items".
fn plural(count: usize) -> String {
    if count == 1 { "1 item".into() } else { format!("{count} items") }
}

#[derive(Default)]
struct Contents {
    shape: Vec<usize>,
    numbers: Vec<Scalar>,
    /// Which kinds of Python's own numbers are among them.
    ranks: u8,
    /// The dtype in which the arrays and numbers of libraries among them meet.
    typed: Option<DType>,
}

/// Lists nested deeper than this contain themselves.
const DEEPEST: usize = 64;

/// Fails for what stands deeper in lists than anybody writes them. Whoever walks into lists asks this first, at each level.
pub(crate) fn check_depth(py: Python<'_>, depth: usize) -> PyResult<()> {
    if depth <= DEEPEST {
        return Ok(());
    }
    let error = refuse(py, "ValueError", "lists nested deeper than 64 levels");
    error.value(py).setattr(FINAL, true)?;
    Err(error)
}

impl Contents {
    fn visit(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        let py = object.py();
        check_depth(py, depth)?;
        let Some(items) = sequence(object) else { return self.leaf(object, depth) };
        let count = items.len()?;
        self.level(py, depth, count)?;
        self.reserve(py, count)?;
        for item in items.try_iter()? {
            self.visit(&item?, depth + 1)?;
        }
        Ok(())
    }

    /// Every list of one depth has the length of the first.
    fn level(&mut self, py: Python<'_>, depth: usize, count: usize) -> PyResult<()> {
        match self.shape.get(depth) {
            Some(&known) if known == count => Ok(()),
            None if self.numbers.is_empty() => {
                self.shape.push(count);
                Ok(())
            }
            known => {
                let known = known.map_or("a number".to_owned(), |n| plural(*n));
                let count = plural(count);
                let text = format!(
                    "nested lists of unequal length: expected {known} at depth {depth}, as before, but got {count}"
                );
                Err(refuse(py, "ValueError", &text))
            }
        }
    }

    /// Room for so many numbers more: a range, or an array in a list, may hold any number of them.
    fn reserve(&mut self, py: Python<'_>, count: usize) -> PyResult<()> {
        let lacking = |_| refuse(py, "MemoryError", &format!("there is no memory for {count} numbers of a list"));
        self.numbers.try_reserve(count).map_err(lacking)
    }

    fn leaf(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        let py = object.py();
        if let Some(number) = scalar(object) {
            if self.shape.len() != depth {
                let text = format!("expected a list at depth {depth} of the nested lists, as before, but got a number");
                return Err(refuse(py, "ValueError", &text));
            }
            self.numbers.push(number);
            self.ranks |= Contents::rank(&number);
            return Ok(());
        }
        let Some(array) = Operand::of(object)? else {
            let text = format!("expected numbers in nested lists, got a {}", object.get_type().name()?);
            return Err(refuse(py, "TypeError", &text));
        };
        // An array in a list is as many lists as it has axes.
        for (d, &n) in array.tensor.shape().iter().enumerate() {
            self.level(py, depth + d, n)?;
        }
        if self.shape.len() != depth + array.tensor.shape().len() {
            return Err(refuse(py, "ValueError", "arrays of different rank in nested lists"));
        }
        self.reserve(py, array.tensor.numel())?;
        let open = array.tensor.read_any().or_raise(py)?;
        let view = open.view();
        for at in takewise::layout::Coordinates::new(view.shape()) {
            let number = view.bytes_at(&at).and_then(|b| takewise::internal::number::element_scalar(&b, view.dtype()));
            self.numbers.push(number.ok_or_else(|| refuse(py, "TypeError", "records cannot stand in nested lists"))?);
        }
        self.meet(py, view.dtype().native())
    }

    /// One more dtype to meet in.
    fn meet(&mut self, py: Python<'_>, dtype: DType) -> PyResult<()> {
        let met = self.typed.map_or(Ok(dtype), |known| together(known, dtype)).or_raise(py)?;
        // NumPy, whose arrays come out, may not have it.
        self.typed = Some(if numpy::has(py, met) { met } else { DType::F32 });
        Ok(())
    }

    /// A bit for each kind of numbers: booleans, integers, those only uint64 holds, floats and complex numbers.
    fn rank(number: &Scalar) -> u8 {
        match number {
            Scalar::Bool(_) => 1,
            Scalar::Int(v) if i64::try_from(*v).is_ok() => 2,
            Scalar::Int(_) => 4,
            Scalar::Float(_) => 8,
            Scalar::Complex(..) => 16,
        }
    }

    fn dtype(&self) -> DType {
        let plain = match self.ranks {
            0 => return self.typed.unwrap_or(DType::F64),
            ranks if ranks >= 16 => DType::C128,
            ranks if ranks >= 8 => DType::F64,
            // NumPy takes each number by itself, and int64 and uint64 meet in doubles.
            ranks if ranks >= 4 && ranks & 2 != 0 => DType::F64,
            ranks if ranks >= 4 => DType::U64,
            ranks if ranks >= 2 => DType::I64,
            _ => DType::Bool,
        };
        self.typed.and_then(|typed| together(typed, plain).ok()).unwrap_or(plain)
    }
}

/// The dtype NumPy has two meet in.
fn together(one: DType, other: DType) -> takewise::Result<DType> {
    promote::result_type(Promotion::Widening, &[promote::Operand::Array(one), promote::Operand::Array(other)])
}
