//! The border: any array object to an engine tensor over the same memory, and results back to the same library.
//!
//! What an [`Operand`] proves is L1 of [`takewise::view`]: its elements lie in memory that stays readable while it
//! lives, by the promise of the library that lent it. That other code does not write them meanwhile cannot be proven,
//! and need not be: the engine checks a copy of every index value it uses, so a promise broken by another thread costs
//! stale values and never an address outside the array.

#![allow(unsafe_code)]

pub(crate) mod arrive;
mod arrow;
pub(crate) mod buffer;
pub(crate) mod callable;
pub(crate) mod dlpack;
pub(crate) mod file;
pub(crate) mod foreign;
pub(crate) mod held;
pub(crate) mod key;
pub(crate) mod literal;
pub(crate) mod made;
mod memmap;
pub(crate) mod numpy;
pub(crate) mod onward;
mod operand;
pub(crate) mod private;
pub(crate) mod release;
pub(crate) mod torch;

pub(crate) use operand::{Family, Home, Operand, foreign, lend_bytes, lender, lent, loaded};

use ::numpy::PyArrayDescr;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use takewise::{DType, Tensor};

use crate::error::{raise, refuse};
use crate::known::{Known, intern};
use crate::tensor::PyTensor;
use crate::watched::gives;
use operand::absent;

impl Operand {
    /// The object as an array; `None` if it is no array of any kind (a number, a list, ...).
    ///
    /// Errors: arrays on other devices, of object dtype, that would lose a gradient, and whatever their library raises.
    #[inline]
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        match Operand::of_usual(object) {
            Ok(None) => Operand::of_unusual(object),
            found => found,
        }
    }

    /// [`Operand::of`] for the classes most arrays are of, none of which counts as a number or a sequence of Python's.
    #[inline]
    pub(crate) fn of_usual(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        if let Some(table) = torch::exact(object) {
            return torch::import(object, table);
        }
        if let Ok(own) = object.cast::<PyTensor>() {
            return Ok(Some(Operand { tensor: own.get().tensor(), home: Home::Own }));
        }
        if let Some(array) = numpy::array(object) {
            return numpy::import(array).map(Some);
        }
        Ok(None)
    }

    /// [`Operand::of`] for arrays of exactly NumPy's class, which are neither numbers nor sequences. Operands are large:
    /// what can be made where it is wanted is not handed on.
    #[inline]
    pub(crate) fn of_numpy(object: &Bound<'_, PyAny>) -> Option<PyResult<Operand>> {
        numpy::exact(object).map(numpy::import_exact)
    }

    /// Whether the object is an array of exactly NumPy's class.
    #[inline]
    pub(crate) fn is_exact_numpy(object: &Bound<'_, PyAny>) -> bool {
        numpy::exact(object).is_some()
    }

    /// Whether [`Operand::of_tensor`] may find one.
    #[inline]
    pub(crate) fn may_be_tensor(object: &Bound<'_, PyAny>) -> bool {
        torch::is_exact(object) || object.is_instance_of::<PyTensor>()
    }

    /// [`Operand::of_usual`] for tensors alone, PyTorch's and ours.
    #[inline]
    pub(crate) fn of_tensor(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        match torch::exact(object) {
            Some(table) => torch::import(object, table),
            None => match object.cast::<PyTensor>() {
                Ok(own) if own.get().is_tensor() => Ok(Some(Operand { tensor: own.get().tensor(), home: Home::Own })),
                _ => Ok(None),
            },
        }
    }

    /// [`Operand::of`] for all others.
    fn of_unusual(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        if literal::is_plain(object) {
            return Ok(None);
        }
        if let Some(table) = torch::table_of(object)? {
            return torch::import(object, table);
        }
        Operand::of_other(object)
    }

    /// The operand of a kernel that PyTorch's dispatcher calls: below autograd, conjugation and negation, which it has
    /// dealt with.
    ///
    /// Errors: as [`Operand::of`], and elements the engine could only move.
    pub(crate) fn of_kernel(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        if literal::is_plain(object) {
            return Ok(None);
        }
        let Some(table) = torch::table_of(object)? else { return Ok(None) };
        let operand = torch::lend(object, table)?;
        if operand.as_ref().is_some_and(|operand| matches!(operand.tensor.dtype(), DType::Opaque { .. })) {
            return Err(refuse(object.py(), "NotImplementedError", "elements of this dtype can only be moved"));
        }
        Ok(operand)
    }

    /// What is said of a tensor of PyTorch's in main memory that has lost its memory.
    #[cold]
    pub(crate) fn emptied(object: &Bound<'_, PyAny>) -> Option<PyErr> {
        (!literal::is_plain(object) && torch::is_emptied(object)).then(|| absent(object.py()))
    }

    /// The slower roads.
    fn of_other(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        let py = object.py();
        if let Ok(file) = object.cast::<file::File>() {
            return file.get().operand(py).map(Some);
        }
        // To NumPy bytes are text, and only what can be written to is a row of numbers.
        if numpy::is_scalar(object) || object.is_instance_of::<PyBytes>() {
            let array = numpy::asarray(object)?;
            // Nobody would see what is written into a copy.
            array.getattr(intern!(py, "flags"))?.setattr(intern!(py, "writeable"), false)?;
            return numpy::import(array.cast()?).map(Some);
        }
        if is_jax(object)? {
            // Legacy capsules, all that JAX makes, cannot say that its arrays are immutable.
            let Operand { tensor, home } = numpy::import(numpy::asarray(object)?.cast()?)?;
            let home = match home {
                Home::NumPy(descr, dtype) => Home::Jax(descr, dtype),
                other => other,
            };
            return Ok(Some(Operand { tensor, home }));
        }
        if let Some(error) = onward::refused(object) {
            return Err(error);
        }
        if held::is_known(object) {
            return held::opened(object);
        }
        if object.hasattr(intern!(py, "__dlpack__"))? {
            let (tensor, _) = dlpack::import(object)?;
            let namespace = object.getattr(intern!(py, "__array_namespace__")).and_then(|method| method.call0());
            let home = match namespace {
                Ok(namespace) => Home::Standard(namespace.unbind()),
                Err(_) => Home::Plain,
            };
            return Ok(Some(Operand { tensor, home }));
        }
        if let Some(tensor) = buffer::import(object)? {
            return Ok(Some(Operand { tensor, home: Home::Plain }));
        }
        held::opened(object)
    }

    /// The object as an array, lists and numbers included: those become fresh tensors.
    ///
    /// `like` is the dtype plain values take where there is one to follow.
    #[inline]
    pub(crate) fn of_any(object: &Bound<'_, PyAny>, like: Option<DType>) -> PyResult<Operand> {
        if let Some(operand) = Operand::of_numpy(object) {
            return operand;
        }
        match Operand::of(object) {
            Ok(Some(operand)) => Ok(operand),
            Ok(None) => match literal::tensor(object, like) {
                Ok(tensor) => Ok(Operand { tensor, home: Home::Plain }),
                // What is no number may be an element of a dtype of NumPy's, such as a date.
                Err(error) => foreign::listed(object).ok_or(error),
            },
            Err(error) => Err(error),
        }
    }
}

impl Home {
    /// [`Home::give`] of what the engine made, or its error raised.
    pub(crate) fn result<'py>(&self, py: Python<'py>, made: takewise::Result<Tensor>) -> PyResult<Bound<'py, PyAny>> {
        match made {
            Ok(tensor) => self.give(py, tensor),
            Err(error) => Err(raise(py, &error)),
        }
    }

    /// The tensor as an array of this library, over the same memory where the library can share it.
    pub(crate) fn give<'py>(&self, py: Python<'py>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
        let tensor = file::read_out(py, tensor)?;
        gives(&tensor);
        match self {
            Home::Own => PyTensor::plain(py, tensor),
            Home::Plain | Home::Held(_) => match numpy::has(py, tensor.dtype()) {
                true => to_numpy(py, tensor, None),
                false => PyTensor::plain(py, tensor),
            },
            Home::NumPy(descr, dtype) => to_numpy(py, tensor, Some((descr, *dtype))),
            Home::Torch(element, dtype) => {
                let element = (tensor.dtype() == *dtype).then_some(*element);
                torch::export(py, &tensor, element)
            }
            Home::Jax(descr, dtype) => {
                let array = to_numpy(py, tensor, Some((descr, *dtype)))?;
                static ASARRAY: Known<Py<PyAny>> = Known::new();
                ASARRAY.import(py, "jax.numpy", "asarray")?.call1((array,))
            }
            Home::Standard(namespace) => {
                let own = PyTensor::plain(py, tensor)?;
                namespace.bind(py).call_method1(intern!(py, "from_dlpack"), (own,))
            }
        }
    }
}

/// A NumPy array over a tensor's memory; elements of the dtype given get its dtype object.
pub(crate) fn to_numpy<'py>(
    py: Python<'py>,
    tensor: Tensor,
    like: Option<(&Py<PyArrayDescr>, DType)>,
) -> PyResult<Bound<'py, PyAny>> {
    let descr = match like {
        Some((descr, dtype)) if dtype == tensor.dtype() => descr.bind(py).clone(),
        _ => numpy::descr_of(py, tensor.dtype())?,
    };
    numpy::export(py, tensor, descr)
}

/// Adds the module's own function.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(arrow::_arrow, m)?)
}

/// Whether the object is one of JAX's arrays.
fn is_jax(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    let Some(jax) = loaded(py, intern!(py, "jax")) else { return Ok(false) };
    let Ok(class) = jax.getattr(intern!(py, "Array")) else { return Ok(false) };
    if !object.is_instance(&class)? {
        return Ok(false);
    }
    if let Ok(core) = jax.getattr(intern!(py, "core"))
        && object.is_instance(&core.getattr(intern!(py, "Tracer"))?)?
    {
        let text = "this array is being traced by JAX and has no values yet: only functions of takewise's own take it";
        return Err(refuse(py, "TypeError", text));
    }
    Ok(true)
}
