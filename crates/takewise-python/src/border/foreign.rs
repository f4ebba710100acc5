//! Dtypes without arithmetic in the engine: dates, strings, structs, long doubles and what other packages add to NumPy.
//!
//! Each gets one dtype of the engine ([`DType::foreign`]), equal to itself alone. NumPy answers what the engine asks about
//! them: it casts, says which dtype two meet in, what is true, and in what order elements are.

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use takewise::error::{ArgumentRule, DTypeRule};
use takewise::foreign::Library;
use takewise::op::Op;
use takewise::ops::compare::Relation;
use takewise::{AnyView, AnyViewMut, DType, Error, Fault, Layout, Scalar};

use super::Home;
use super::numpy::{array_at, descr_of, dtype_of};
use super::operand::Operand;
use crate::error::refuse;
use crate::known::{Known, intern};

/// The dtype objects met so far: by dtype object its name here, and by that name the object.
struct MetDTypes {
    names: Py<PyDict>,
    objects: Py<PyDict>,
}

fn known(py: Python<'_>) -> &MetDTypes {
    static MET: Known<MetDTypes> = Known::new();
    MET.get_or_init(py, || MetDTypes { names: PyDict::new(py).unbind(), objects: PyDict::new(py).unbind() })
}

/// The engine's dtype for a dtype object of NumPy's that it has no numbers of.
///
/// Errors: elements too large to be indexed.
pub(super) fn named(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    let py = descr.py();
    let MetDTypes { names, objects } = known(py);
    let (names, objects) = (names.bind(py), objects.bind(py));
    // To NumPy a dtype is equal to that of the same fields whose elements are of another class, such as records.
    let key = (descr, descr.typeobj());
    let name: Bound<'_, PyString> = match names.get_item(&key)? {
        Some(name) => name.cast_into()?,
        None => {
            // Two dtypes may call themselves the same, as nobody keeps packages from it.
            let mut name = descr.str()?;
            let mut count = 1;
            while objects.contains(&name)? {
                count += 1;
                name = PyString::new(py, &format!("{} ({count})", descr.str()?.to_str()?));
            }
            objects.set_item(&name, descr)?;
            names.set_item(&key, &name)?;
            name
        }
    };
    let size = descr.itemsize();
    DType::foreign(name.to_str()?, size)
        .ok_or_else(|| refuse(py, "TypeError", &format!("elements of {size} bytes are too large")))
}

/// NumPy's dtype object for a foreign dtype, if it was met, or if `ml_dtypes` has one of that name.
pub(super) fn object_of<'py>(py: Python<'py>, dtype: DType) -> PyResult<Option<Bound<'py, PyArrayDescr>>> {
    let Some(name) = takewise::foreign::full_name(dtype) else { return Ok(None) };
    if let Some(found) = known(py).objects.bind(py).get_item(name)? {
        return Ok(Some(found.cast_into()?));
    }
    let Some(package) = super::loaded(py, intern!(py, "ml_dtypes")) else { return Ok(None) };
    let Ok(scalar) = package.getattr(name) else { return Ok(None) };
    let descr = PyArrayDescr::new(py, scalar)?;
    Ok(if named(&descr)? == dtype { Some(descr) } else { None })
}

/// Makes NumPy the library that the engine asks.
pub(crate) fn register() {
    takewise::foreign::set_library(&NumPy);
}

/// [`array_of`] of lists alone: a text by itself is no array.
pub(crate) fn listed(object: &Bound<'_, PyAny>) -> Option<Operand> {
    super::literal::sequence(object).and_then(|_| array_of(object))
}

/// What NumPy makes of an object that holds no numbers, if it makes an array of a foreign dtype.
pub(crate) fn array_of(object: &Bound<'_, PyAny>) -> Option<Operand> {
    let made = call(object.py(), "asarray", (object,), &[]).ok()?;
    let operand = super::numpy::import(made.cast().ok()?).ok()?;
    operand.tensor.dtype().is_foreign().then_some(operand)
}

/// Dates of Python's and pandas', one or in lists, as NumPy's.
///
/// Errors: those with a time zone.
pub(crate) fn dated(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    static DATED: Known<Py<PyAny>> = Known::new();
    let made = DATED.import(object.py(), "takewise._held", "dated")?.call1((object,))?;
    match super::numpy::array(&made) {
        Some(array) => super::numpy::import(array).map(Some),
        None => Ok(None),
    }
}

/// What is no array as NumPy's of a foreign dtype: `numpy.array(object, dtype)`.
///
/// Errors: what NumPy raises; `TypeError` for a dtype NumPy does not know.
pub(crate) fn made_of<'py>(object: &Bound<'py, PyAny>, dtype: DType) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let Some(descr) = object_of(py, dtype)? else {
        let text = format!("elements of dtype {} cannot be made of a {}", dtype.name(), object.get_type().name()?);
        return Err(refuse(py, "TypeError", &text));
    };
    call(py, "array", (object, descr), &[])
}

/// Whether NumPy is asked about a dtype, and knows it.
pub(crate) fn is_known(py: Python<'_>, dtype: DType) -> PyResult<bool> {
    Ok(dtype.is_foreign() && object_of(py, dtype)?.is_some())
}

/// [`made_of`], to be stored.
///
/// Errors: `TypeError` and `ValueError` of NumPy's, with the dtype they are about.
pub(crate) fn elements_of(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Operand> {
    let py = object.py();
    let made = made_of(object, dtype).map_err(|error| {
        let class = match error.is_instance_of::<PyTypeError>(py) {
            true => "TypeError",
            false if error.is_instance_of::<PyMemoryError>(py) => return error,
            false => "ValueError",
        };
        let said: String = error.value(py).to_string().chars().take(120).collect();
        refuse(py, class, &format!("values of dtype {} cannot be made of these: {said}", dtype.name()))
    })?;
    let Operand { tensor, .. } = super::numpy::import(made.cast()?)?;
    Ok(Operand { tensor, home: Home::Own })
}

/// An element for the gaps of a read: what is given, else what stands for no value in this dtype, or zero bytes.
///
/// Errors: what the dtype cannot hold, and elements of more than 16 bytes.
pub(crate) fn filling(py: Python<'_>, dtype: DType, given: Option<&Bound<'_, PyAny>>) -> PyResult<[u8; 16]> {
    let mut bytes = [0; 16];
    if dtype.size() > bytes.len() {
        let text = format!("fill_value: elements of dtype {} are too long to fill gaps with", dtype.name());
        return Err(refuse(py, "TypeError", &text));
    }
    let descr = object_of(py, dtype)?;
    let missing = || match descr.as_ref().map(|descr| descr.kind()) {
        Some(b'M' | b'm') => Some(PyString::new(py, "NaT").into_any()),
        Some(b'f' | b'c') => f64::NAN.into_bound_py_any(py).ok(),
        _ => None,
    };
    let Some(value) = given.cloned().or_else(missing) else { return Ok(bytes) };
    let Operand { tensor, .. } = super::numpy::import(made_of(&value, dtype)?.cast()?)?;
    if tensor.numel() != 1 {
        return Err(refuse(py, "TypeError", "fill_value must be one element"));
    }
    // SAFETY: L1: one element, whose size was looked at.
    unsafe { std::ptr::copy_nonoverlapping(tensor.data_ptr(), bytes.as_mut_ptr(), dtype.size()) };
    Ok(bytes)
}

struct NumPy;

/// An error of Python's as one of the engine's, about these dtypes.
fn told(py: Python<'_>, error: &PyErr, given: DType, wanted: Option<DType>) -> Error {
    let op = Op::Copy;
    if error.is_instance_of::<PyMemoryError>(py) {
        return Error::plain(Fault::Memory { op, bytes: None });
    }
    if error.is_instance_of::<PyTypeError>(py) {
        let rule = if wanted.is_some() { DTypeRule::Same } else { DTypeRule::Unsupported };
        return Error::plain(Fault::DType { op, rule, given, wanted });
    }
    let said: String = error.value(py).to_string().chars().take(120).collect();
    let text = match wanted {
        Some(wanted) => format!("dtype {} as {}: {said}", given.name(), wanted.name()),
        None => format!("dtype {}: {said}", given.name()),
    };
    Error::plain(Fault::text(op, ArgumentRule::Other, text))
}

/// The elements of a view as an array. It must not outlive the view.
fn over<'py>(py: Python<'py>, view: &AnyView<'_>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: L1 of the view, which is borrowed while the functions below run; none of them keeps the array.
    unsafe { array_at(py, view.as_ptr().cast_mut(), view.layout(), descr_of(py, view.dtype())?, false) }
}

/// Elements to be written as an array. It must not outlive the view.
fn into<'py>(py: Python<'py>, view: &mut AnyViewMut<'_>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: L1 and L3 of the view, which is borrowed while the functions below run; none of them keeps the array.
    unsafe { array_at(py, view.as_mut_ptr(), view.layout(), descr_of(py, view.dtype())?, true) }
}

/// `numpy.<name>(*args)`.
fn call<'py>(
    py: Python<'py>,
    name: &str,
    args: impl pyo3::call::PyCallArgs<'py>,
    kwargs: &[(&str, &str)],
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(py);
    for (name, value) in kwargs {
        keywords.set_item(name, value)?;
    }
    py.import(intern!(py, "numpy"))?.getattr(name)?.call(args, Some(&keywords))
}

impl Library for NumPy {
    fn cast(&self, src: &AnyView<'_>, dst: &mut AnyViewMut<'_>) -> takewise::Result<()> {
        let (given, wanted) = (src.dtype(), dst.dtype());
        Python::attach(|py| {
            let mut run = || -> PyResult<()> {
                if !self.can_cast(given, wanted, "unsafe") {
                    return Err(PyTypeError::new_err("there is no such cast"));
                }
                // An element of text, or a struct with some, may be refused when others are converted already.
                let (from, into) = (descr_of(py, given)?, descr_of(py, wanted)?);
                let fails = [&from, &into].into_iter().any(|descr| b"SUVT".contains(&descr.kind()));
                let to = self::into(py, dst)?;
                quietly(py, || {
                    let values = over(py, src)?;
                    let values = if fails { values.call_method1(intern!(py, "astype"), (&into,))? } else { values };
                    call(py, "copyto", (to, values), &[("casting", "unsafe")]).map(|_| ())
                })
            };
            run().map_err(|error| told(py, &error, given, Some(wanted)))
        })
    }

    fn common(&self, a: DType, b: DType, weak: bool) -> Option<DType> {
        Python::attach(|py| {
            let run = || -> PyResult<DType> {
                let other = match b {
                    DType::Bool if weak => false.into_bound_py_any(py)?,
                    _ if weak && b.is_integer() => 0.into_bound_py_any(py)?,
                    _ if weak && b.is_float() => 0.0.into_bound_py_any(py)?,
                    _ if weak && b.is_complex() => num_complex_zero(py)?,
                    _ => descr_of(py, b)?.into_any(),
                };
                let one = descr_of(py, a)?;
                let kinds = [one.getattr("kind")?, other.getattr("kind").unwrap_or_else(|_| one.clone().into_any())];
                // NumPy takes a span of time for a date where it chooses, and nowhere else.
                if kinds[0].eq("M")? != kinds[1].eq("M")? {
                    return Err(PyTypeError::new_err("a date meets dates alone"));
                }
                dtype_of(call(py, "result_type", (one, other), &[])?.cast()?)
            };
            run().ok()
        })
    }

    fn truth(&self, x: &AnyView<'_>, out: &mut AnyViewMut<'_>) -> takewise::Result<()> {
        Python::attach(|py| {
            let mut run = || -> PyResult<()> {
                let out = into(py, out)?;
                if let Some(sign) = sign_of_zero(x.dtype()) {
                    return bits_set(py, x, sign, &out);
                }
                let places = call(py, "atleast_1d", (over(py, x)?,), &[])?.call_method0("nonzero")?;
                // The same memory for an array of rank 0: the view shares it.
                call(py, "atleast_1d", (out,), &[])?.set_item(places, true)
            };
            run().map_err(|error| told(py, &error, x.dtype(), None))
        })
    }

    fn keys(&self, arrays: &[&AnyView<'_>], out: &mut [AnyViewMut<'_>]) -> takewise::Result<()> {
        let given = arrays.iter().map(|x| x.dtype()).find(|d| d.is_foreign()).unwrap_or(DType::Bool);
        Python::attach(|py| {
            let mut run = || -> PyResult<()> {
                let given = arrays.iter().map(|x| over(py, x)).collect::<PyResult<Vec<_>>>()?;
                let dtypes = given.iter().map(|x| x.getattr("dtype")).collect::<PyResult<Vec<_>>>()?;
                let common = call(py, "result_type", PyTuple::new(py, &dtypes)?, &[])?;
                let kind: String = common.getattr("kind")?.extract()?;
                let dates = kind == "M" || kind == "m";
                // A date and a span of time meet in a date, but neither comes before the other.
                for dtype in &dtypes {
                    let own: String = dtype.getattr("kind")?.extract()?;
                    if (kind == "M") != (own == "M") || kind == "m" && own == "b" {
                        return Err(PyTypeError::new_err("dates are compared with dates"));
                    }
                }
                let alike =
                    given.iter().map(|x| call(py, "asarray", (x, &common), &[])).collect::<PyResult<Vec<_>>>()?;
                let numbers = if dates { alike } else { ranks(py, alike)? };
                for (out, numbers) in out.iter_mut().zip(numbers) {
                    let out = into(py, out)?;
                    if dates {
                        later(py, &numbers, &out)?;
                    } else {
                        let shape = out.getattr("shape")?;
                        call(py, "copyto", (out, numbers.call_method1("reshape", (shape,))?), &[])?;
                    }
                }
                Ok(())
            };
            run().map_err(|error| told(py, &error, given, None))
        })
    }

    fn compare(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        how: Relation,
        out: &mut AnyViewMut<'_>,
    ) -> takewise::Result<()> {
        let name = how.name();
        let (first, second) = (a.dtype(), b.dtype());
        Python::attach(|py| {
            let mut run = || -> PyResult<()> {
                for dtype in [first, second] {
                    if dtype.is_foreign() && object_of(py, dtype)?.is_none() {
                        return Err(PyTypeError::new_err("NumPy has no such dtype"));
                    }
                }
                let (a, b) = (over(py, a)?, over(py, b)?);
                // The operators know of pairs that are never equal, where NumPy's functions refuse.
                let found = match how.connective() {
                    true => call(py, name, (a, b), &[])?,
                    false => py.import(intern!(py, "operator"))?.call_method1(name, (a, b))?,
                };
                call(py, "copyto", (into(py, out)?, found), &[]).map(|_| ())
            };
            run().map_err(|error| told(py, &error, first, Some(second)).in_op(how.op()))
        })
    }

    fn can_cast(&self, from: DType, to: DType, rule: &str) -> bool {
        Python::attach(|py| {
            let run = || {
                let (from, to) = (descr_of(py, from)?, descr_of(py, to)?);
                call(py, "can_cast", (from, to, rule), &[])?.is_truthy()
            };
            run().unwrap_or(false)
        })
    }

    fn element(&self, value: Scalar, dtype: DType, into: &mut [u8]) -> takewise::Result<()> {
        if dtype.size() > into.len() {
            let fault = Fault::DType { op: Op::Copy, rule: DTypeRule::Unsupported, given: dtype, wanted: None };
            return Err(Error::plain(fault));
        }
        Python::attach(|py| {
            let mut run = || -> PyResult<()> {
                let layout = Layout::scalar();
                // SAFETY: as many bytes as an element has, which are ours and outlive the array.
                let to = unsafe { array_at(py, into.as_mut_ptr(), &layout, descr_of(py, dtype)?, true) }?;
                let value = match value {
                    Scalar::Bool(b) => b.into_bound_py_any(py)?,
                    Scalar::Int(i) => i.into_bound_py_any(py)?,
                    Scalar::Float(x) => x.into_bound_py_any(py)?,
                    Scalar::Complex(re, im) => pyo3::types::PyComplex::from_doubles(py, re, im).into_any(),
                };
                to.set_item(PyTuple::empty(py), value)
            };
            run().map_err(|error| told(py, &error, dtype, None))
        })
    }
}

/// Runs `run` with NumPy's warnings about values that a cast changes left out: the engine's own casts give none.
fn quietly(py: Python<'_>, run: impl FnOnce() -> PyResult<()>) -> PyResult<()> {
    let state = PyDict::new(py);
    state.set_item("all", "ignore")?;
    let state = py.import(intern!(py, "numpy"))?.getattr("errstate")?.call((), Some(&state))?;
    state.call_method0("__enter__")?;
    let done = run();
    state.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    done
}

fn num_complex_zero(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(pyo3::types::PyComplex::from_doubles(py, 0.0, 0.0).into_any())
}

/// The bits of an element that a zero may have set, of small floats that NumPy may not know: those of its signs.
fn sign_of_zero(dtype: DType) -> Option<u32> {
    match dtype.name() {
        "complex32" => Some(0x8000_8000),
        "float8_e4m3fn" | "float8_e4m3" | "float8_e3m4" | "float8_e5m2" => Some(0x80),
        // The place of a negative zero stands for NaN in these.
        "float8_e4m3fnuz" | "float8_e5m2fnuz" | "float8_e4m3b11fnuz" => Some(0),
        _ => None,
    }
}

/// Stores into `out` which elements have another bit set.
fn bits_set(py: Python<'_>, x: &AnyView<'_>, sign: u32, out: &Bound<'_, PyAny>) -> PyResult<()> {
    let dtype = if x.dtype().size() == 1 { DType::U8 } else { DType::U32 };
    // SAFETY: as `over`: numbers of the size of an element.
    let bits = unsafe { array_at(py, x.as_ptr().cast_mut(), x.layout(), descr_of(py, dtype)?, false) }?;
    let mask = if x.dtype().size() == 1 { 0xff } else { u32::MAX } & !sign;
    let rest = call(py, "bitwise_and", (bits, mask), &[])?;
    call(py, "copyto", (out, rest.call_method1("astype", ("bool",))?), &[]).map(|_| ())
}

/// Dates of one unit as numbers in the same order, what is no date last: every number one less, so that the least of all
/// becomes the greatest.
fn later(py: Python<'_>, dates: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
    let whole = dates.call_method1("astype", ("i8",))?.call_method1("view", ("u8",))?;
    let by = call(py, "uint64", (u64::MAX,), &[])?;
    let keywords = PyDict::new(py);
    keywords.set_item("out", out.call_method1("view", ("u8",))?)?;
    py.import(intern!(py, "numpy"))?.getattr("add")?.call((whole, by), Some(&keywords)).map(|_| ())
}

/// The elements of arrays of one dtype as their places in the sorted list of all of them, those that no element comes between
/// at the same place: NumPy's search knows that structs with what is no number are alike, and its comparison does not.
fn ranks<'py>(py: Python<'py>, arrays: Vec<Bound<'py, PyAny>>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let flat = arrays.iter().map(|x| x.call_method0("ravel")).collect::<PyResult<Vec<_>>>()?;
    let lengths = flat.iter().map(|x| x.len()).collect::<PyResult<Vec<_>>>()?;
    let all = call(py, "concatenate", (PyList::new(py, flat)?,), &[])?;
    let places = call(py, "searchsorted", (call(py, "sort", (&all,), &[])?, &all), &[])?;
    let mut from = 0;
    let mut parts = Vec::with_capacity(lengths.len());
    for length in lengths {
        let part = pyo3::types::PySlice::new(py, from as isize, (from + length) as isize, 1);
        parts.push(places.get_item(part)?);
        from += length;
    }
    Ok(parts)
}
