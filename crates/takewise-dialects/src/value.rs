//! What an expression evaluates to.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use takewise::{DType, Dims, Tensor};

use crate::face::Face;
use crate::sig::{Overload, Wording};
use crate::stored::StoredArray;

/// A tensor together with the library whose name made it: that library's printing, rule tables and
/// error classes apply to everything done with it.
///
/// It has the identity of a Python object: clones are the same object, so that `out=` may give a tensor
/// another shape for every name that holds it.
#[derive(Clone)]
pub struct Array {
    object: Rc<RefCell<Tensor>>,
    /// The library it speaks for.
    pub face: &'static Face,
    /// A NumPy scalar (`np.int64(3)`, or the result of indexing every axis by an integer): rank 0,
    /// but it prints and behaves as a number.
    pub scalar: bool,
}

impl Array {
    /// A tensor that speaks for `face`.
    #[inline]
    pub fn new(tensor: Tensor, face: &'static Face) -> Self {
        Self { object: Rc::new(RefCell::new(tensor)), face, scalar: false }
    }

    /// The object that holds a tensor already.
    pub(crate) fn of_object(object: Rc<RefCell<Tensor>>, face: &'static Face) -> Self {
        Self { object, face, scalar: false }
    }

    /// The same object, counted as a scalar or not.
    #[must_use]
    #[inline]
    pub fn as_scalar(self, scalar: bool) -> Self {
        Self { scalar, ..self }
    }

    /// The same object, speaking for another library.
    #[must_use]
    pub fn of_face(self, face: &'static Face) -> Self {
        Self { face, ..self }
    }

    /// What `f` finds in the data.
    #[inline]
    pub fn with<R>(&self, f: impl FnOnce(&Tensor) -> R) -> R {
        f(&self.object.borrow())
    }

    /// The data as long as nothing is put in its place.
    #[inline]
    pub fn borrow(&self) -> Ref<'_, Tensor> {
        self.object.borrow()
    }

    /// The data; writes through it show in this array.
    #[inline]
    pub fn tensor(&self) -> Tensor {
        self.object.borrow().clone()
    }

    /// The data, taken out where nobody else holds this object.
    #[inline]
    pub fn into_tensor(self) -> Tensor {
        Rc::try_unwrap(self.object).map_or_else(|shared| shared.borrow().clone(), RefCell::into_inner)
    }

    /// Makes this object hold other data.
    pub fn replace(&self, tensor: Tensor) {
        *self.object.borrow_mut() = tensor;
    }

    /// Whether both are the same object.
    #[inline]
    pub fn same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.object, &other.object)
    }

    /// Element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.object.borrow().dtype()
    }

    /// Extents.
    pub fn shape(&self) -> Dims<usize> {
        Dims::from_slice(self.object.borrow().shape())
    }
}

/// A function of a library: its name as called and every signature it answers to.
#[derive(Clone)]
pub struct Function {
    /// Name shown in messages, e.g. `gather`.
    pub name: &'static str,
    /// The library it belongs to.
    pub face: &'static Face,
    /// Its overloads, tried in order.
    pub rows: Arc<[Overload]>,
}

impl Function {
    /// The operation of the catalogue that it is; `None` for the functions of the libraries.
    pub fn operation(&self) -> Option<takewise_operations::Entry> {
        let own = self.rows.first().is_some_and(|row| (self.face.own)().iter().any(|own| own.name == row.name));
        if own { takewise_operations::named(self.name) } else { None }
    }

    /// How errors about its arguments are worded.
    pub(crate) fn wording(&self) -> &'static Wording {
        match self.operation() {
            Some(_) => &Wording::OWN,
            None => self.face.wording,
        }
    }
}

/// The result of an evaluation: the few Python objects that index expressions are made of.
#[derive(Clone)]
pub enum Value {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// `True` or `False`.
    Bool(bool),
    /// An integer. Python's are unbounded; 128 bits cover every value a dtype can hold and detect
    /// every overflow a dialect reports.
    Int(i128),
    /// A float.
    Float(f64),
    /// A complex number, real and imaginary.
    Complex(f64, f64),
    /// A string.
    Str(Rc<str>),
    /// A tuple.
    Tuple(Rc<[Value]>),
    /// A tuple whose items have names.
    Record(&'static RecordType, Rc<[Value]>),
    /// A list; shared, because `list[i] = v` shows through every name.
    List(Rc<RefCell<Vec<Value>>>),
    /// A slice object: start, stop, step.
    Slice(Rc<[Value; 3]>),
    /// `range(start, stop, step)`.
    Range(i128, i128, i128),
    /// A tensor or array.
    Array(Array),
    /// A shape as torch shows it: `torch.Size([2, 3])`.
    Size(Rc<[usize]>),
    /// A dtype under the name its library gives it.
    DType(DType, &'static Face),
    /// A library or part of one, by its path: `torch`, `np`, `np.add`.
    Module(&'static Face, &'static str),
    /// A library function.
    Function(Function),
    /// A library function with its first argument already given.
    Method(Rc<Value>, Function),
    /// One of Python's own functions.
    Builtin(&'static str),
    /// A sparse array: the gradient of an operation that was asked for one.
    Sparse(Rc<takewise::grad::SparseCoo>, &'static Face),
    /// An operation gradients flow back through.
    GradFn(takewise::grad::GradFn),
    /// What `with` sets for a while.
    Recording(Recording),
    /// What `type(v)` gives.
    Type(Rc<str>),
    /// JAX's `x.at`, and `x.at[key]` once subscripted.
    At(Array, Option<Rc<Value>>),
    /// An array that is not in memory, and the library it speaks for: [`object::settled`](crate::object::settled) reads it.
    Stored(StoredArray, &'static Face),
}

/// Whether operations are recorded for gradients, as a `with` block sets it.
#[derive(Clone, Copy, Debug)]
pub struct Recording {
    /// What made it: `no_grad`.
    pub name: &'static str,
    /// Whether they are recorded inside.
    pub on: bool,
    /// Whether they were before, if it holds from the call on and not only inside the block.
    pub before: Option<bool>,
}

/// The type of a tuple with named items.
#[derive(Debug)]
pub struct RecordType {
    /// Its name, module included: `torch.return_types.sort`.
    pub name: &'static str,
    /// Names of the items, in order.
    pub fields: &'static [&'static str],
}

impl Value {
    /// A string value.
    pub fn str(text: impl Into<Rc<str>>) -> Self {
        Self::Str(text.into())
    }

    /// A list value.
    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Rc::new(RefCell::new(items)))
    }

    /// A tuple value.
    pub fn tuple(items: impl Into<Rc<[Value]>>) -> Self {
        Self::Tuple(items.into())
    }

    /// The tensor inside, if this is one.
    pub fn array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The name Python's `type(v).__name__` gives, as error messages use it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Ellipsis => "ellipsis",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Complex(..) => "complex",
            Self::Str(_) => "str",
            Self::Tuple(_) => "tuple",
            Self::Record(record, _) => record.name,
            Self::List(_) => "list",
            Self::Slice(_) => "slice",
            Self::Range(..) => "range",
            Self::Array(a) if a.scalar => a.face.scalar_type_name(a.dtype()),
            Self::Array(a) => a.face.tensor_type,
            Self::Sparse(_, face) => face.tensor_type,
            Self::Size(_) => "torch.Size",
            Self::DType(_, face) => face.dtype_type,
            Self::Module(..) => "module",
            Self::Function(_) | Self::Method(..) | Self::Builtin(_) => "builtin_function_or_method",
            Self::GradFn(f) => crate::words::node_name(f.op()),
            Self::Recording(r) => r.name,
            Self::Type(_) => "type",
            Self::At(..) => "_IndexUpdateHelper",
            Self::Stored(_, face) => face.tensor_type,
        }
    }

    /// The elements, for anything Python would call a sequence (tensors excepted).
    pub fn items(&self) -> Option<Vec<Value>> {
        Some(match self {
            Self::Tuple(items) | Self::Record(_, items) => items.to_vec(),
            Self::List(items) => items.borrow().clone(),
            Self::Size(dims) => dims.iter().map(|&d| Value::Int(d as i128)).collect(),
            Self::Range(start, stop, step) => return range_items(*start, *stop, *step),
            _ => return None,
        })
    }

    /// The value as an integer, where Python's `operator.index` would give one (bool included).
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(i) => Some(*i),
            Self::Bool(b) => Some(i128::from(*b)),
            _ => None,
        }
    }
}

/// The integers of `range(start, stop, step)`, `None` if there is no memory for them.
fn range_items(start: i128, stop: i128, step: i128) -> Option<Vec<Value>> {
    let span = if step > 0 { stop.checked_sub(start)? } else { start.checked_sub(stop)? };
    let count = if span > 0 { (span - 1) / step.checked_abs().filter(|s| *s > 0)? + 1 } else { 0 };
    let mut items = Vec::new();
    items.try_reserve_exact(usize::try_from(count).ok()?).ok()?;
    items.extend((0..count).map(|k| Value::Int(start + k * step)));
    Some(items)
}
