//! The arrays among a call's arguments, and private ones in their place.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use takewise::internal::gradients::check_in_place;
use takewise::tensor::Buffer;
use takewise::{DType, Tensor};
use takewise_explain::data::Role;

use super::roles::role;
use crate::border::arrive::Arrived;
use crate::border::private::{self, Private};
use crate::border::{Home, Operand, literal, numpy as np};
use crate::known::intern;
use crate::tensor::PyTensor;

/// Calls whose arrays have more bytes than this are run dry.
const MOST_BYTES: usize = 4 << 20;

/// How arguments are looked at.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// Whether they are PyTorch's, in a call of its own, which keeps gradients.
    pub(super) torch: bool,
    /// Whether copies take part in gradients where their originals do.
    pub(super) gradients: bool,
    /// Whether the function writes into its first array.
    pub(super) writes: bool,
    /// Whether lists of numbers are made arrays, which have a name.
    pub(super) lists: bool,
}

/// An array among the arguments.
pub(super) struct Found<'py> {
    /// As it was passed.
    object: Bound<'py, PyAny>,
    /// What is passed instead.
    pub(super) given: Bound<'py, PyAny>,
    /// Its parameter, and its place within that.
    pub(super) name: String,
    pub(super) role: Role,
    /// What is passed instead, as the engine sees it.
    pub(super) tensor: Tensor,
}

/// The arrays of a call.
pub(super) struct Operands<'py> {
    pub(super) found: Vec<Found<'py>>,
    /// Lists, and the arrays made of them.
    made: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    /// Whether there are lists that could be arrays.
    pub(super) convertible: bool,
    /// Whether elements are left where they are: there are too many to copy.
    pub(super) dry: bool,
}

/// An array that was met.
struct Met<'py> {
    object: Bound<'py, PyAny>,
    name: String,
    role: Role,
    /// Whether it is memory for the result.
    out: bool,
}

/// What is met on the way through the arguments.
struct Walk<'py> {
    look: Look,
    operation: String,
    met: Vec<Met<'py>>,
    made: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    convertible: bool,
}

impl<'py> Operands<'py> {
    /// The arrays of the arguments, each with the name of its parameter, and a private array for each.
    ///
    /// Errors: those of the call for what is no array it could take; no memory.
    pub(super) fn of(
        arguments: &[(String, Bound<'py, PyAny>)],
        operation: &str,
        look: Look,
    ) -> PyResult<Operands<'py>> {
        Operands::up_to(MOST_BYTES, arguments, operation, look)
    }

    /// [`Operands::of`] for what may write before it is watched: everything is copied.
    pub(super) fn whole(arguments: &[(String, Bound<'py, PyAny>)], look: Look) -> PyResult<Operands<'py>> {
        Operands::up_to(usize::MAX, arguments, "", look)
    }

    fn up_to(
        most: usize,
        arguments: &[(String, Bound<'py, PyAny>)],
        operation: &str,
        look: Look,
    ) -> PyResult<Operands<'py>> {
        let mut walk =
            Walk { look, operation: operation.to_owned(), met: Vec::new(), made: Vec::new(), convertible: false };
        // All arrive, and whatever code of the caller's that runs has run before any is opened.
        for (name, object) in arguments {
            walk.visit(name, name, object, 0)?;
        }
        let Walk { met, made, convertible, .. } = walk;
        let opened = met.iter().map(|met| opened(&met.object, look)).collect::<PyResult<Vec<_>>>()?;
        let bytes = opened.iter().fold(0usize, |sum, operand| sum.saturating_add(bytes(&operand.tensor)));
        let dry = bytes > most;
        let found = privates(met, opened, look, dry)?;
        Ok(Operands { found, made, convertible, dry })
    }

    /// The argument with private arrays in place of the caller's.
    ///
    /// Error: lists that are too deep.
    pub(super) fn replaced(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.nested(object, 0)
    }

    fn nested(&self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        literal::check_depth(object.py(), depth)?;
        let made = self.made.iter().find(|(list, _)| list.is(object)).map_or(object, |(_, made)| made);
        if let Some(found) = self.found.iter().find(|found| found.object.is(made)) {
            return Ok(found.given.clone());
        }
        let py = object.py();
        if let Ok(list) = object.cast_exact::<PyList>() {
            let items = list.iter().map(|item| self.nested(&item, depth + 1)).collect::<PyResult<Vec<_>>>()?;
            return Ok(PyList::new(py, items)?.into_any());
        }
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            let items = tuple.iter().map(|item| self.nested(&item, depth + 1)).collect::<PyResult<Vec<_>>>()?;
            return Ok(PyTuple::new(py, items)?.into_any());
        }
        Ok(object.clone())
    }

    /// [`Operands::replaced`] of all keyword arguments.
    pub(super) fn replaced_all(&self, kwargs: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(kwargs.py());
        for (name, value) in kwargs {
            all.set_item(name, self.replaced(&value)?)?;
        }
        Ok(all)
    }

    /// The private array that an object is.
    pub(super) fn position(&self, given: &Bound<'py, PyAny>) -> Option<usize> {
        self.found.iter().position(|found| found.given.is(given))
    }
}

impl<'py> Walk<'py> {
    /// Looks for arrays in an argument, or in what stands so deep in it.
    fn visit(&mut self, parameter: &str, name: &str, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<()> {
        literal::check_depth(object.py(), depth)?;
        if self.made.iter().any(|(list, _)| list.is(object)) {
            return Ok(());
        }
        let items: Option<Vec<_>> = match (object.cast_exact::<PyList>(), object.cast_exact::<PyTuple>()) {
            (Ok(list), _) => Some(list.iter().collect()),
            (_, Ok(tuple)) => Some(tuple.iter().collect()),
            _ => None,
        };
        let Some(items) = items else { return self.leaf(parameter, name, object) };
        if let Some(array) = self.array_of(parameter, object)? {
            self.convertible = true;
            if !self.look.lists {
                return Ok(());
            }
            self.made.push((object.clone(), array.clone()));
            return self.leaf(parameter, name, &array);
        }
        items
            .iter()
            .enumerate()
            .try_for_each(|(k, item)| self.visit(parameter, &format!("{name}[{k}]"), item, depth + 1))
    }

    fn leaf(&mut self, parameter: &str, name: &str, object: &Bound<'py, PyAny>) -> PyResult<()> {
        // NumPy's scalars do not change, and count as numbers.
        if literal::is_plain(object) || np::is_scalar(object) || self.met.iter().any(|met| met.object.is(object)) {
            return Ok(());
        }
        let dtype = match self.look.torch {
            true => Operand::of_kernel(object)?.map(|operand| operand.tensor.dtype()),
            false => Arrived::of(object)?.map(|arrived| arrived.dtype()).transpose()?,
        };
        if let Some(dtype) = dtype {
            let role = role(&self.operation, parameter, dtype == DType::Bool, self.met.is_empty());
            self.met.push(Met { object: object.clone(), name: name.to_owned(), role, out: parameter == "out" });
        }
        Ok(())
    }

    /// A list of numbers as an array, where an array may stand.
    fn array_of(&self, parameter: &str, object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let subscript = parameter == "key" && object.is_exact_instance_of::<PyTuple>();
        if subscript || !super::roles::takes_array(&self.operation, parameter) {
            return Ok(None);
        }
        let py = object.py();
        let empty = object.len()? == 0;
        match literal::tensor(object, empty.then_some(DType::I64)) {
            Ok(tensor) => PyTensor::plain(py, tensor).map(Some),
            Err(_) => Ok(None),
        }
    }
}

/// Bytes of all elements.
fn bytes(tensor: &Tensor) -> usize {
    tensor.numel().saturating_mul(tensor.dtype().size())
}

/// What arrived, opened: that runs no code but its library's own.
fn opened(object: &Bound<'_, PyAny>, look: Look) -> PyResult<Operand> {
    let found = match look.torch {
        true => Operand::of_kernel(object)?,
        false => Arrived::of(object)?.map(Arrived::open).transpose()?,
    };
    found.ok_or_else(|| literal::no_array(object))
}

/// A private array for each: copies that share and overlap as these do. Of large ones only those written into are private, and
/// their elements are left behind unless others are read from there too.
fn privates<'py>(met: Vec<Met<'py>>, opened: Vec<Operand>, look: Look, dry: bool) -> PyResult<Vec<Found<'py>>> {
    let tensors: Vec<&Tensor> = opened.iter().map(|operand| &operand.tensor).collect();
    let groups = private::groups(&tensors);
    let written = |k: usize| met[k].out || look.writes && k == 0;
    let copied = |k: usize| !dry || (0..met.len()).any(|other| written(other) && groups[other] == groups[k]);
    let alone = |k: usize| (0..met.len()).filter(|&other| groups[other] == groups[k]).count() == 1;
    let filled = |k: usize| !dry || !alone(k) && (tensors[k].dtype().is_integer() || tensors[k].dtype() == DType::Bool);
    let mut copies: Vec<Option<Private>> = (0..met.len()).map(|_| None).collect();
    for k in 0..met.len() {
        if copies[k].is_some() || !copied(k) || matches!(opened[k].home, Home::Jax(..)) {
            continue;
        }
        let of_group: Vec<usize> = (k..met.len()).filter(|&other| groups[other] == groups[k]).collect();
        let parts: Vec<_> = of_group.iter().map(|&k| (tensors[k], filled(k))).collect();
        for (other, copy) in of_group.into_iter().zip(private::copied(met[k].object.py(), &parts)?) {
            copies[other] = Some(copy);
        }
    }
    let (mut found, mut storages) = (Vec::with_capacity(met.len()), Vec::new());
    for ((met, Operand { tensor, home }), copy) in met.into_iter().zip(opened).zip(copies) {
        let (given, tensor) = match copy {
            Some(copy) => {
                let writable = tensor.is_writable();
                (object_of(&met.object, &home, &copy, writable, look, &mut storages)?, copy.tensor)
            }
            None => (locked(&met.object, &home)?, tensor.settled()),
        };
        found.push(Found { object: met.object, given, name: met.name, role: met.role, tensor });
    }
    Ok(found)
}

/// The private copy as an object of the original's kind.
fn object_of<'py>(
    object: &Bound<'py, PyAny>,
    home: &Home,
    copy: &Private,
    writable: bool,
    look: Look,
    storages: &mut Storages<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    match home {
        Home::Torch(..) => return of_torch(object, home, copy, look, storages),
        Home::NumPy(..) => {
            let given = home.give(py, copy.tensor.clone())?;
            let exact = given.get_type().is(object.get_type());
            // An array in a file is one of NumPy's when it is copied.
            let given = if exact || np::array(object).is_none() { given } else { np::of_class(given, object)? };
            // One that may not be written is refused as the original is.
            if !writable {
                given.getattr(intern!(py, "flags"))?.setattr(intern!(py, "writeable"), false)?;
            }
            return Ok(given);
        }
        _ => {}
    }
    let Ok(own) = object.cast::<PyTensor>() else { return home.give(py, copy.tensor.clone()) };
    let array = own.get().array();
    let given = PyTensor::wrap(py, copy.tensor.clone(), array.face, array.scalar)?;
    if array.with(|tensor| tensor.requires_grad() && tensor.is_leaf()) {
        given.setattr(intern!(py, "requires_grad"), true)?;
    } else if array.with(|tensor| tensor.requires_grad() && check_in_place(tensor).is_err()) {
        // A view of a leaf is written into no more than the leaf itself.
        given.setattr(intern!(py, "requires_grad"), true)?;
        return given.get_item(py.Ellipsis());
    }
    Ok(given)
}

/// Storages of PyTorch's, and the blocks they are over: it tells by the storage what overlaps.
type Storages<'py> = Vec<(Arc<Buffer>, Bound<'py, PyAny>)>;

/// A tensor of PyTorch's over the copy: those of one group share a storage, as overlapping tensors do.
fn of_torch<'py>(
    object: &Bound<'py, PyAny>,
    home: &Home,
    copy: &Private,
    look: Look,
    storages: &mut Storages<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let torch = py.import(intern!(py, "torch"))?;
    let size = copy.tensor.dtype().size();
    let layout = copy.tensor.layout();
    let whole = copy.offset.is_multiple_of(size) && layout.strides().iter().all(|step| step % size as isize == 0);
    let mut given = match whole {
        true => {
            let storage = match storages.iter().find(|(block, _)| Arc::ptr_eq(block, &copy.block)) {
                Some((_, storage)) => storage.clone(),
                None => {
                    let bytes = PyTensor::plain(py, copy.bytes(py)?)?;
                    let bytes = torch.call_method1(intern!(py, "from_dlpack"), (bytes,))?;
                    let storage = bytes.call_method0("untyped_storage")?;
                    storages.push((Arc::clone(&copy.block), storage.clone()));
                    storage
                }
            };
            let options = PyDict::new(py);
            options.set_item("dtype", object.getattr(intern!(py, "dtype"))?)?;
            let empty = torch.call_method("empty", (0,), Some(&options))?;
            let strides = PyTuple::new(py, layout.strides().iter().map(|step| step / size as isize))?;
            let shape = PyTuple::new(py, layout.shape())?;
            empty.call_method1("set_", (storage, copy.offset / size, shape, strides))?
        }
        false => home.give(py, copy.tensor.clone())?,
    };
    if object.call_method0("is_conj")?.is_truthy()? {
        given = torch.call_method1("conj", (given,))?;
    }
    if object.call_method0("is_neg")?.is_truthy()? {
        given = torch.call_method1("_neg_view", (given,))?;
    }
    let leaf =
        look.gradients && object.getattr("requires_grad")?.is_truthy()? && object.getattr("is_leaf")?.is_truthy()?;
    if leaf {
        given = given.call_method1("requires_grad_", (true,))?;
    }
    Ok(given)
}

/// The array itself, which nothing can be written into by way of what is returned, where its library has such a thing.
fn locked<'py>(object: &Bound<'py, PyAny>, home: &Home) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if !matches!(home, Home::NumPy(..)) || np::array(object).is_none() {
        return Ok(object.clone());
    }
    let view = object.call_method0(intern!(py, "view"))?;
    view.getattr(intern!(py, "flags"))?.setattr(intern!(py, "writeable"), false)?;
    Ok(view)
}
