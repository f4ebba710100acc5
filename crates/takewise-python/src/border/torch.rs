//! PyTorch's CPU tensors, through the exchange table of their type: no Python call, no copy, either way.
//!
//! The table forgets three things a tensor may carry, each of which would give wrong results in silence, so they are
//! looked for first ([`state`]): a pending conjugation, a pending negation, and a gradient.

mod kind;
mod library;
mod state;
mod written;

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use takewise::{Dims, Tensor};

use super::dlpack::{self, DlTensor, ElementType, ExchangeApi};
use super::{Home, Operand, lender};
use crate::error::refuse;
use crate::known::{Known, intern};
use crate::tensor::PyTensor;
pub(crate) use library::Library;
use state::{State, StorageMemory};
pub(crate) use written::{may_write, wrote};

static CLASS: Known<(Py<PyType>, &'static ExchangeApi)> = Known::new();

/// `torch.Tensor` and its exchange table, once torch is there and has one.
fn known(py: Python<'_>) -> PyResult<Option<&'static (Py<PyType>, &'static ExchangeApi)>> {
    if let Some(known) = CLASS.get(py) {
        return Ok(Some(known));
    }
    let Some(torch) = super::loaded(py, intern!(py, "torch")) else { return Ok(None) };
    let Ok(class) = torch.getattr(intern!(py, "Tensor")) else { return Ok(None) };
    let Some(table) = ExchangeApi::of(&class) else { return Ok(None) };
    let class = class.cast_into::<PyType>()?.unbind();
    Ok(Some(CLASS.get_or_init(py, || (class, table))))
}

/// The exchange table, if the object is a tensor of exactly PyTorch's class and one was met before.
pub(super) fn exact(object: &Bound<'_, PyAny>) -> Option<&'static ExchangeApi> {
    let (class, table) = CLASS.get(object.py())?;
    (object.get_type_ptr() == class.as_ptr().cast()).then_some(*table)
}

/// Whether the object is a tensor of exactly PyTorch's class, and one was met before.
pub(crate) fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    exact(object).is_some()
}

/// Whether the object is a tensor of PyTorch's, of whatever class.
pub(crate) fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
    table_of(object).is_ok_and(|table| table.is_some())
}

/// PyTorch's error for a tensor that its function does not take, in words that say what the tensor is; any other error as it is.
#[cold]
pub(crate) fn named(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = object.py();
    let inside = error.to_string().contains("INTERNAL ASSERT");
    if !is_tensor(object) || !(inside || error.is_instance_of::<PyNotImplementedError>(py)) {
        return error;
    }
    let dtype = || Some(format!("elements of dtype {}", object.getattr(intern!(py, "dtype")).ok()?)).filter(|_| inside);
    let what = kind::name(object).or_else(dtype);
    what.map_or(error, |what| refuse(py, "RuntimeError", &format!("PyTorch has no such function for {what}")))
}

/// The exchange table of the object's type, if it is a torch tensor.
pub(super) fn table_of(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static ExchangeApi>> {
    let Some((class, table)) = known(object.py())? else { return Ok(None) };
    Ok(object.is_instance(class.bind(object.py()))?.then_some(*table))
}

/// The tensor over the same memory: always one, in the form in which [`Operand::of`] gives it, as operands are large and
/// wrapping them again would move them.
///
/// Errors (class as torch has it): tensors on other devices, sparse ones, and those named at the head of the module.
pub(super) fn import(object: &Bound<'_, PyAny>, table: &ExchangeApi) -> PyResult<Option<Operand>> {
    if is_exact(object)
        && let Some(state) = State::read(object)
    {
        state.allowed(object)?;
        let dl = table.borrow(object).map_err(|error| kind::refused(object, &error))?;
        if !dl.element().is_whole() {
            without_tangent(object)?;
        }
        return over(object, &dl);
    }
    if !is_exact(object) {
        without_functions(object)?;
    }
    match table.borrow(object) {
        // PyTorch gives a gradient or a pending negation to floating and complex dtypes only.
        Ok(dl) if dl.element().is_whole() => over(object, &dl),
        Err(error) if kind::name(object).is_some() => Err(kind::refused(object, &error)),
        _ => {
            State::ask(object)?.allowed(object)?;
            without_tangent(object)?;
            // The questions may have run somebody's code, so a loan from before them is worth nothing.
            lend(object, table)
        }
    }
}

impl State {
    /// Errors: what the tensor carries would be lost.
    fn allowed(self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = object.py();
        let text = if self.gradient && grad_enabled(py)? {
            "the tensor requires a gradient, which would be lost here: use x.detach(), torch.no_grad(), or takewise.accelerate_torch()"
        } else if self.negation {
            "the tensor has its negative bit set: use x.resolve_neg() first"
        } else if self.conjugation {
            "the tensor has its conjugate bit set: use x.resolve_conj() first"
        } else {
            return Ok(());
        };
        Err(refuse(py, "RuntimeError", text))
    }
}

/// Fails of a tensor that has a tangent.
fn without_tangent(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !has_tangent(object)? {
        return Ok(());
    }
    let text =
        "the tensor has a tangent, which would be lost here: use torch.autograd.forward_ad.unpack_dual(x).primal";
    Err(refuse(object.py(), "RuntimeError", text))
}

/// Fails of a tensor whose class has a say in what functions make of it, by PyTorch's `__torch_function__`: the call goes on to that
/// (`_torch.handed_on`), and comes back within it.
#[cold]
fn without_functions(object: &Bound<'_, PyAny>) -> PyResult<()> {
    static ASK: Known<Py<PyAny>> = Known::new();
    let py = object.py();
    if !ASK.import(py, "torch._C", "_has_torch_function_unary")?.call1((object,))?.is_truthy()? {
        return Ok(());
    }
    let text = format!(
        "the tensor is a {}, and what its class makes of results would be lost here: use x.as_subclass(torch.Tensor)",
        object.get_type().name()?
    );
    Err(refuse(py, "RuntimeError", &text))
}

/// [`import`] for what is known to carry none of the three. Error: what the tensor is, if it lends no memory.
pub(super) fn lend(object: &Bound<'_, PyAny>, table: &ExchangeApi) -> PyResult<Option<Operand>> {
    match table.borrow(object) {
        Ok(dl) => over(object, &dl),
        Err(error) => Err(kind::refused(object, &error)),
    }
}

/// The operand over memory borrowed from the object.
///
/// Errors: as [`DlTensor::lent`], and dtypes narrower than a byte.
fn over(object: &Bound<'_, PyAny>, dl: &DlTensor) -> PyResult<Option<Operand>> {
    if dl.element().is_byte() {
        refuse_narrow(object)?;
    }
    // SAFETY: the table's promise: what it lends is valid while the object lives and its storage is not exchanged,
    // which torch forbids during any call that uses it. That the storage still has the memory is looked at.
    unsafe { dl.lent(object, Home::Torch, |low, high| is_stored(object, dl, low, high)) }
}

/// Whether the bytes between two addresses lie in the tensor's storage, which may have been cut or emptied since the tensor
/// was made.
#[inline]
fn is_stored(object: &Bound<'_, PyAny>, dl: &DlTensor, low: usize, high: usize) -> bool {
    let stored = match StorageMemory::read(object, dl.start().addr(), dl.element().bytes()) {
        Some(stored) => stored,
        None => StorageMemory::ask(object).ok(),
    };
    stored
        .is_some_and(|StorageMemory { start, bytes }| start != 0 && start <= low && high <= start.saturating_add(bytes))
}

/// Whether the object is a tensor in main memory whose storage does not have its elements.
pub(super) fn is_emptied(object: &Bound<'_, PyAny>) -> bool {
    let Ok(Some(table)) = table_of(object) else { return false };
    table.borrow(object).is_ok_and(|dl| dl.is_near() && over(object, &dl).is_err())
}

/// The tensor as PyTorch's own view of the one it is a part of: it shares that one's storage, and so keeps the storage alive
/// and not each view in between. `None` where it is no such view, or nothing lies in between.
fn view_of<'py>(base: &Bound<'py, PyAny>, part: &Tensor, element: ElementType) -> Option<Bound<'py, PyAny>> {
    let (py, size) = (base.py(), part.dtype().size());
    // Few loans are about at a time, and it is faster to lend the memory than to make a view.
    let table = exact(base).filter(|_| part.numel() > 0 && dlpack::lends_on())?;
    let dl = table.borrow(base).ok().filter(|dl| dl.element() == element)?;
    let steps = part.layout().strides().iter().map(|&s| usize::try_from(s).ok()?.checked_div(size));
    let steps: Dims<usize> = steps.collect::<Option<_>>()?;
    let before = base.call_method0(intern!(py, "storage_offset")).ok()?.extract::<isize>().ok()?;
    let bytes = (part.data_ptr().addr() as isize).checked_sub(dl.start().addr() as isize)?;
    let whole = bytes % size as isize == 0 && part.layout().strides().iter().all(|s| s % size as isize == 0);
    let offset = whole.then(|| before + bytes / size as isize)?;
    let (shape, steps) = (PyTuple::new(py, part.shape()).ok()?, PyTuple::new(py, &steps[..]).ok()?);
    base.call_method1(intern!(py, "as_strided"), (shape, steps, offset)).ok()
}

/// PyTorch's integers of fewer bits than a byte, which call themselves whole bytes in the exchange, are refused.
fn refuse_narrow(object: &Bound<'_, PyAny>) -> PyResult<()> {
    static WHOLE: Known<[Py<PyAny>; 2]> = Known::new();
    let py = object.py();
    let whole = WHOLE.get_or_try_init(py, || {
        let torch = py.import(intern!(py, "torch"))?;
        PyResult::Ok([torch.getattr(intern!(py, "uint8"))?.unbind(), torch.getattr(intern!(py, "int8"))?.unbind()])
    })?;
    let dtype = object.getattr(intern!(py, "dtype"))?;
    if whole.iter().any(|known| dtype.is(known)) {
        return Ok(());
    }
    let text = format!("elements of dtype {dtype} cannot be indexed here: use x.view(torch.uint8)");
    Err(refuse(py, "TypeError", &text))
}

/// `torch.is_grad_enabled()`.
fn grad_enabled(py: Python<'_>) -> PyResult<bool> {
    static ASK: Known<Py<PyAny>> = Known::new();
    ASK.import(py, "torch", "is_grad_enabled")?.call0()?.is_truthy()
}

/// Whether forward mode is on and has a tangent of the tensor.
fn has_tangent(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static FORWARD: Known<(Py<PyAny>, Py<PyAny>)> = Known::new();
    let py = object.py();
    let (forward, off) = FORWARD.get_or_try_init(py, || {
        let module = py.import(intern!(py, "torch.autograd.forward_ad"))?;
        PyResult::Ok((module.dict().into_any().unbind(), super::made::int(py, -1)?.unbind()))
    })?;
    let forward = forward.bind(py);
    let level = forward.get_item(intern!(py, "_current_level"))?;
    // There is one object for a number as small as this, and each call asks.
    if level.is(off) || level.extract::<i64>()? < 0 {
        return Ok(false);
    }
    static ENABLED: Known<Py<PyAny>> = Known::new();
    if !ENABLED.import(py, "torch._C", "_is_fwd_grad_enabled")?.call0()?.is_truthy()? {
        return Ok(false);
    }
    let parts = forward.get_item(intern!(py, "unpack_dual"))?.call1((object,))?;
    Ok(!parts.getattr(intern!(py, "tangent"))?.is_none())
}

/// A torch tensor over the same memory.
pub(super) fn export<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    element: Option<ElementType>,
) -> PyResult<Bound<'py, PyAny>> {
    if tensor.layout().strides().iter().zip(tensor.shape()).any(|(step, n)| *step < 0 && *n > 1) {
        let text = "this view has a negative step, which PyTorch's tensors cannot have: read it with a positive step, or \
                    use takewise.flip";
        return Err(refuse(py, "ValueError", text));
    }
    if let Some(base) = lender(py, tensor)
        && let Some(view) = element.and_then(|element| view_of(&base, tensor, element))
    {
        return Ok(view);
    }
    match known(py)? {
        Some((_, table)) => table.give(py, tensor, element),
        None => {
            let own = PyTensor::plain(py, tensor.clone())?;
            py.import(intern!(py, "torch"))?.call_method1(intern!(py, "from_dlpack"), (own,))
        }
    }
}
