//! Python objects to values; the way back is [`give`].

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyEllipsis, PyFloat, PyInt, PyList, PyRange, PySlice, PyString, PyTuple, PyType,
};
use smallvec::SmallVec;
use takewise::{DType, Scalar, Tensor};
use takewise_dialects::{Array, Face, Function, Value};

use super::dtype::PyDType;
use super::theirs::Refused;
use crate::border::torch::{may_write, wrote};
use crate::border::{
    Home, Operand, arrive, file, held, literal, loaded, numpy as np, torch::is_exact as is_exact_torch,
};
use crate::error::refuse;
use crate::known::{Known, intern};
use crate::tensor::{PySparse, PyTensor};
use crate::threads::detaches;

mod give;
pub(super) use give::give_fresh;
pub(crate) use give::python;

/// The arrays of one call, as values and as the objects they came from.
pub(crate) struct Exchange<'py> {
    /// The library called.
    face: &'static Face,
    /// How an object is opened that may be an array, after so many others.
    lend: fn(&Bound<'py, PyAny>) -> PyResult<Option<Operand>>,
    seen: SmallVec<[Seen<'py>; 4]>,
    /// Bytes of all arrays, by which a call is judged to be work or not.
    pub(crate) bytes: usize,
    /// Whether looking at the arguments may have run code of the caller's.
    strange: bool,
    /// Whether what lends memory counts as the list of its numbers.
    pub(super) by_items: bool,
    /// What is wrong with the object looked at last, for whoever knows what it was passed for.
    unfit: Option<(&'static str, String)>,
}

/// How an argument was passed.
#[derive(Clone, Copy)]
pub(super) enum Passed<'a> {
    /// By its place; a method's receiver is the first.
    At(usize),
    /// By its name.
    As(&'a str),
}

impl Passed<'_> {
    /// Whether a dtype is expected.
    fn is_dtype(self, function: &Function) -> bool {
        match self {
            Passed::As(name) => name == "dtype",
            Passed::At(k) => function.rows.first().is_some_and(|row| row.parameter(k) == Some("dtype")),
        }
    }

    /// What messages call it.
    fn named(self, function: &Function) -> String {
        let name = |k: usize| function.rows.first().and_then(|row| row.parameter(k));
        match self {
            Passed::As(name) => format!("'{name}'"),
            Passed::At(k) => match name(k) {
                Some(name) => format!("'{name}' (position {})", k + 1),
                None => format!("(position {})", k + 1),
            },
        }
    }
}

struct Seen<'py> {
    /// Whether the call writes into it.
    written: bool,
    array: Array,
    object: Bound<'py, PyAny>,
    home: Home,
}

impl<'py> Exchange<'py> {
    /// An exchange for a call of `face`.
    pub(crate) fn new(face: &'static Face) -> Exchange<'py> {
        Exchange::lent_by(face, Operand::of)
    }

    /// An exchange whose arrays are opened by `lend`.
    pub(crate) fn lent_by(
        face: &'static Face,
        lend: fn(&Bound<'py, PyAny>) -> PyResult<Option<Operand>>,
    ) -> Exchange<'py> {
        Exchange { face, lend, seen: SmallVec::new(), bytes: 0, strange: false, by_items: false, unfit: None }
    }

    /// [`Exchange::value`] of an argument of a function: what is wrong with it alone is said of the argument.
    pub(super) fn argument(
        &mut self,
        object: &Bound<'py, PyAny>,
        function: &Function,
        passed: Passed<'_>,
    ) -> PyResult<Value> {
        // NumPy makes a dtype of a text or of the fields of a struct.
        let described = object.is_instance_of::<PyString>() || object.is_instance_of::<PyList>();
        if described && self.face.facts.numpy_dtypes && passed.is_dtype(function) {
            let descr = np::descr_from(object)?;
            return Ok(Value::DType(np::dtype_of(&descr)?, &takewise_dialects::NUMPY));
        }
        match self.value(object) {
            Ok(value) => Ok(value),
            Err(error) => Err(match self.unfit.take() {
                Some((class, text)) => {
                    let text = format!("{}(): argument {}: {text}", function.name, passed.named(function));
                    refuse(object.py(), class, &text)
                }
                None => error,
            }),
        }
    }

    /// A refusal of the object looked at, whatever it was passed for.
    #[cold]
    fn unfit(&mut self, py: Python<'_>, class: &'static str, text: String) -> PyErr {
        let error = refuse(py, class, &text);
        self.unfit = Some((class, text));
        error
    }

    /// The library called.
    pub(super) fn face(&self) -> &'static Face {
        self.face
    }

    /// The object as a value.
    ///
    /// Errors: `TypeError` for objects that no table speaks of, `ValueError` for lists that contain themselves.
    pub(crate) fn value(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Value> {
        // Lists of text are NumPy's to read; no argument of its functions is a list of words.
        if self.face.facts.objects.reads_objects && literal::holds_text(object) {
            let array = np::asarray(object)?;
            return Ok(self.array(&array)?.map_or(Value::None, Value::Array));
        }
        self.nested(object, 0)
    }

    /// [`Exchange::value`] of what lies so deep in lists.
    fn nested(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        let py = object.py();
        literal::check_depth(py, depth)?;
        if object.is_none() {
            return Ok(Value::None);
        }
        // Nothing that is exactly a number of Python's is an array.
        let number = object.is_exact_instance_of::<PyInt>()
            || object.is_exact_instance_of::<PyFloat>()
            || object.is_exact_instance_of::<PyBool>();
        if self.face.holds.is_some() && object.is_instance_of::<PyBytes>() {
            let text = if self.by_items { "invalid data type 'bytes'" } else { "must be an array, not bytes" };
            return Err(self.unfit(py, "TypeError", text.into()));
        }
        if self.by_items
            && let Some(list) = literal::items(object)?
        {
            return self.nested(&list, depth);
        }
        if !number && let Some(array) = self.array(object)? {
            return Ok(Value::Array(array));
        }
        if let Some(number) = literal::scalar(object) {
            return Ok(match number {
                Scalar::Bool(b) => Value::Bool(b),
                Scalar::Int(i) => Value::Int(i),
                Scalar::Float(x) => Value::Float(x),
                Scalar::Complex(re, im) => Value::Complex(re, im),
            });
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            let items = tuple.iter().map(|item| self.nested(&item, depth + 1)).collect::<PyResult<Vec<_>>>()?;
            return Ok(Value::tuple(items));
        }
        if let Ok(list) = object.cast::<PyList>() {
            let items = list.iter().map(|item| self.nested(&item, depth + 1)).collect::<PyResult<Vec<_>>>()?;
            return Ok(Value::list(items));
        }
        if let Ok(slice) = object.cast::<PySlice>() {
            let mut part = |name| self.nested(&slice.getattr(name)?, depth + 1);
            let parts = [part(intern!(py, "start"))?, part(intern!(py, "stop"))?, part(intern!(py, "step"))?];
            return Ok(Value::Slice(parts.into()));
        }
        if object.is_instance_of::<PyEllipsis>() {
            return Ok(Value::Ellipsis);
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Value::str(text.to_str()?));
        }
        self.rare(object, depth)
    }

    /// Dtypes, ranges, and objects that stand for a number.
    fn rare(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        let py = object.py();
        if let Ok(dtype) = object.cast::<PyDType>() {
            return Ok(Value::DType(dtype.get().dtype, dtype.get().face));
        }
        if let Ok(sparse) = object.cast::<PySparse>() {
            return Ok(sparse.get().value());
        }
        if let Ok(range) = object.cast::<PyRange>() {
            let part = |name| range.getattr(name)?.extract::<i128>();
            return Ok(Value::Range(
                part(intern!(py, "start"))?,
                part(intern!(py, "stop"))?,
                part(intern!(py, "step"))?,
            ));
        }
        if let Some(dtype) = foreign_dtype(object)? {
            return Ok(dtype);
        }
        if self.face.facts.objects.reads_objects && np::is_array_like(object)? {
            let array = np::asarray(object)?;
            return Ok(self.array(&array)?.map_or(Value::None, Value::Array));
        }
        if object.hasattr(intern!(py, "__index__"))? {
            return self.nested(&object.call_method0(intern!(py, "__index__"))?, depth + 1);
        }
        if let Ok(kind) = object.getattr(intern!(py, "type")).and_then(|kind| kind.extract::<String>()) {
            // torch.device
            return Ok(Value::str(kind));
        }
        let text = format!("must be an array, a number or a list of these, not {}", object.get_type().name()?);
        Err(self.unfit(py, "TypeError", text))
    }

    /// Notes that the call writes into an array, or into those of a tuple: whose they are is told of it ([`Exchange::wrote`]).
    ///
    /// Error: its library forbids that.
    pub(crate) fn writes(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
            return object.try_iter()?.try_for_each(|item| self.writes(&item?));
        }
        if let Some(seen) = self.seen.iter_mut().find(|seen| seen.object.is(object)) {
            seen.array.with(|tensor| may_write(object.py(), tensor).and_then(|()| file::may_write(object, tensor)))?;
            seen.written = true;
        }
        Ok(())
    }

    /// Tells whose arrays were written that they were.
    pub(crate) fn wrote(&self, py: Python<'py>) -> PyResult<()> {
        self.seen.iter().filter(|seen| seen.written).try_for_each(|seen| seen.array.with(|tensor| wrote(py, tensor)))
    }

    /// Fails unless it is an array: what is written into the copy that another object offers is seen by nobody.
    pub(super) fn destination(&mut self, object: &Bound<'py, PyAny>) -> Result<(), Refused> {
        let array = self.array(object)?.ok_or_else(|| Refused::Judged(literal::unwritable(object)))?;
        let held = matches!(self.seen(object), Some((_, Home::Plain | Home::Held(_))));
        match held && !array.with(Tensor::is_writable) {
            true => held::unwritable(object),
            false => self.writes(object),
        }
        .map_err(Refused::Judged)
    }

    /// The object as an array, the same for the same object.
    pub(crate) fn array(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Option<Array>> {
        if let Some(seen) = self.seen.iter().find(|seen| seen.object.is(object)) {
            return Ok(Some(seen.array.clone()));
        }
        let own = if is_exact_torch(object) { None } else { object.cast::<PyTensor>().ok() };
        let (array, home) = match own {
            Some(own) => (own.get().array(), Home::Own),
            None => match self.opened(object) {
                Ok(Some(Operand { tensor, home })) => {
                    let alone = tensor.layout().rank() == 0;
                    let scalar = alone && matches!(home, Home::NumPy(..)) && np::is_scalar(object);
                    (Array::new(tensor, self.face_of(&home)).as_scalar(scalar), home)
                }
                Ok(None) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        let dtype = array.dtype();
        if matches!(dtype, DType::Opaque { .. })
            && let Some(holds) = self.face.holds
            && self.may_lack(&home)
            && let Some((class, text)) = holds.refused(dtype)
        {
            return Err(self.unfit(object.py(), class, text));
        }
        self.bytes += array.with(|tensor| tensor.numel().saturating_mul(tensor.dtype().size()));
        self.seen.push(Seen { written: false, array: array.clone(), object: object.clone(), home });
        Ok(Some(array))
    }

    /// The object opened, and whether that may have run code of the caller's.
    #[inline]
    fn opened(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Option<Operand>> {
        let tame = is_exact_torch(object) || Operand::is_exact_numpy(object) || literal::is_plain(object);
        self.strange |= !tame;
        (self.lend)(object)
    }

    /// Whether an array may have a dtype that the library called has not: arrays of its own have none, and tensors none that
    /// libraries of tensors lack.
    fn may_lack(&self, home: &Home) -> bool {
        match library_of(home) {
            Some(library) if !library.facts.tensors => library != self.face,
            _ => !self.face.facts.tensors,
        }
    }

    fn face_of(&self, home: &Home) -> &'static Face {
        face_of(self.face, home)
    }

    /// The array an argument was opened as, and whose it is.
    pub(super) fn seen(&self, object: &Bound<'py, PyAny>) -> Option<(&Array, &Home)> {
        self.seen.iter().find(|seen| seen.object.is(object)).map(|seen| (&seen.array, &seen.home))
    }

    /// Warns as the library does before complex values are stored into real ones.
    pub(super) fn warn_of_complex(&self, py: Python<'py>) -> PyResult<()> {
        static WARNING: Known<Py<PyAny>> = Known::new();
        let [first, .., last] = &self.seen[..] else { return Ok(()) };
        let (target, value) = (first.array.dtype(), last.array.dtype());
        let plain = target.is_integer() || target.is_float();
        if self.face.facts.objects.warns_of_complex.is_empty() || !plain || !value.is_complex() {
            return Ok(());
        }
        let warning = WARNING.import(py, "numpy.exceptions", "ComplexWarning")?;
        PyErr::warn(py, warning, c"Casting complex values to real discards the imaginary part", 1)
    }

    /// Makes ready for work, when all arguments have arrived. Arrays whose memory code of the caller's may have moved
    /// meanwhile are opened once more. For work without the interpreter's lock, if there is enough of it, small arrays beside
    /// large ones are settled too.
    pub(crate) fn prepare(&mut self) -> PyResult<()> {
        if self.strange {
            self.look_again()?;
        }
        if detaches(self.bytes) {
            self.seen.iter().for_each(|seen| seen.array.replace(seen.array.tensor().settled()));
        }
        Ok(())
    }

    /// Whether an argument is an array of a class that NumPy asks for the answer to calls of its functions.
    #[inline]
    pub(super) fn answers_itself(&self) -> PyResult<bool> {
        if !self.strange {
            return Ok(false);
        }
        for seen in self.seen.iter().filter(|seen| !Operand::is_exact_numpy(&seen.object)) {
            if seen.object.get_type().hasattr(intern!(seen.object.py(), "__array_function__"))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[cold]
    fn look_again(&mut self) -> PyResult<()> {
        self.bytes = 0;
        for seen in &self.seen {
            if arrive::is_loose(&seen.object) {
                // PyTorch lends its own kernels what requires a gradient too.
                let again = if is_exact_torch(&seen.object) { (self.lend)(&seen.object)? } else { None };
                seen.array.replace(again.map_or_else(|| arrive::again(&seen.object), Ok)?.tensor);
            }
            self.bytes += seen.array.with(|tensor| tensor.numel().saturating_mul(tensor.dtype().size()));
        }
        Ok(())
    }

    /// Whether the first array has several elements in one place.
    pub(crate) fn first_is_stretched(&self) -> bool {
        self.seen.first().is_some_and(|seen| seen.array.with(stretched))
    }

    /// Carries out what a call did to an argument that was given other data: `out=` of another shape.
    pub(crate) fn settle(&self, py: Python<'py>) -> PyResult<()> {
        for seen in &self.seen {
            match seen.object.cast::<PyTensor>() {
                Ok(own) => own.get().settle(&seen.array.borrow()),
                Err(_) => {
                    let now = seen.array.tensor();
                    let before = Operand::of(&seen.object)?.map(|operand| operand.tensor);
                    // A scalar of NumPy's, and what offers an array, is another copy each time.
                    let torch = matches!(seen.home, Home::Torch(..));
                    let same = |before: &Tensor| !torch || before.data_ptr() == now.data_ptr();
                    if before.as_ref().is_none_or(|before| before.shape() == now.shape() && same(before)) {
                        continue;
                    }
                    let Home::Torch(..) = seen.home else {
                        let text = format!("out= has shape {:?}", before.map_or(vec![], |b| b.shape().to_vec()));
                        return Err(refuse(py, "ValueError", &format!("{text}, the result {:?}", now.shape())));
                    };
                    seen.object.call_method1(intern!(py, "set_"), (seen.home.give(py, now)?,))?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a tensor has several elements in one place.
#[inline]
pub(crate) fn stretched(tensor: &Tensor) -> bool {
    let layout = tensor.layout();
    layout.shape().iter().zip(layout.strides()).any(|(&n, &step)| n > 1 && step == 0)
}

/// Whose rules an array from elsewhere follows in a call of `face`: its own library's, but those of the function called
/// where that function is for everybody's arrays.
pub(super) fn face_of(face: &'static Face, home: &Home) -> &'static Face {
    if face.facts.objects.for_all {
        return face;
    }
    library_of(home).unwrap_or(face)
}

/// The library an array came from, if it is one that is spoken here.
fn library_of(home: &Home) -> Option<&'static Face> {
    match home {
        Home::NumPy(..) | Home::Held(_) => Some(&takewise_dialects::NUMPY),
        Home::Torch(..) => Some(&takewise_dialects::TORCH),
        Home::Jax(..) => Some(&takewise_dialects::JAX),
        Home::Own | Home::Plain | Home::Standard(_) => None,
    }
}

/// Dtypes of Python, NumPy and torch themselves.
fn foreign_dtype(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    if let Ok(class) = object.cast::<PyType>() {
        let builtin = if class.is(py.get_type::<PyBool>()) {
            Some("bool")
        } else if class.is(py.get_type::<PyInt>()) {
            Some("int")
        } else if class.is(py.get_type::<PyFloat>()) {
            Some("float")
        } else if class.is(py.get_type::<PyComplex>()) {
            Some("complex")
        } else {
            None
        };
        if builtin.is_some() {
            return Ok(builtin.map(Value::Builtin));
        }
        if np::is_scalar_type(class) {
            let descr = np::descr_from(object)?;
            return Ok(Some(Value::DType(np::dtype_of(&descr)?, &takewise_dialects::NUMPY)));
        }
        return Ok(None);
    }
    if let Some(descr) = np::descr(object) {
        return Ok(Some(Value::DType(np::dtype_of(descr)?, &takewise_dialects::NUMPY)));
    }
    let Some(torch) = loaded(py, intern!(py, "torch")) else { return Ok(None) };
    if !object.is_instance(&torch.getattr(intern!(py, "dtype"))?)? {
        return Ok(None);
    }
    let text = object.str()?;
    let name = text.to_str()?.trim_start_matches("torch.");
    match DType::from_name(name) {
        Some(dtype) => Ok(Some(Value::DType(dtype, &takewise_dialects::TORCH))),
        None => Err(refuse(py, "TypeError", &format!("{name} has no arithmetic here; its elements can only be moved"))),
    }
}
