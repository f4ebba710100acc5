//! The arguments of a call as PyTorch hands them over: each is a word, whose meaning its type in the schema tells, and the
//! kernel's to free.

use std::ffi::c_void;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;
use takewise::{Layout, Tensor, tensor::Keep};
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Array, TORCH, Value};

use super::symbols::{Api, Handle, Word};
use crate::error::refuse;

/// What a schema says of an argument.
pub(super) struct Parameter {
    name: String,
    kind: Kind,
    /// Whether it is given by its name.
    named: bool,
    /// What it is where a caller leaves it out.
    default: Option<Plain>,
}

/// A type of an argument.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Tensor { written: bool },
    Int,
    Bool,
    Text,
    MaybeTensor,
    MaybeText,
}

/// A value that a schema may name.
#[derive(Clone, PartialEq)]
enum Plain {
    None,
    Bool(bool),
    Int(i64),
    Text(String),
}

/// `(name, type, by name only, written, (default,) or ())` as Python has it.
pub(super) type ParameterRow<'py> = (String, String, bool, bool, Vec<Bound<'py, PyAny>>);

impl Parameter {
    /// `None` for a type that does not come through the interface. Numbers do not. Lists of tensors do, but are taken out of
    /// the caller's own list, which may need them again: the formula for the way back through `index_put` does.
    pub(super) fn new((name, kind, named, written, default): ParameterRow<'_>) -> Option<Parameter> {
        let kind = match &*kind {
            "Tensor" => Kind::Tensor { written },
            "int" => Kind::Int,
            "bool" => Kind::Bool,
            "str" => Kind::Text,
            "Optional[Tensor]" => Kind::MaybeTensor,
            "Optional[str]" => Kind::MaybeText,
            _ => return None,
        };
        let default = match default.first() {
            None => None,
            Some(object) if object.is_none() => Some(Plain::None),
            Some(object) => match (object.extract(), object.extract(), object.extract()) {
                (Ok(flag), _, _) => Some(Plain::Bool(flag)),
                (_, Ok(number), _) => Some(Plain::Int(number)),
                (_, _, Ok(text)) => Some(Plain::Text(text)),
                _ => return None,
            },
        };
        Some(Parameter { name, kind, named, default })
    }
}

/// A call's arguments. Dropped, they are freed.
pub(super) struct Given<'a> {
    api: &'a Api,
    parameters: &'a [Parameter],
    words: &'a [Word],
}

/// The arrays of a call, with what they were made of.
#[derive(Default)]
pub(super) struct Arrays(SmallVec<[(Handle, Array); 4]>);

/// A call's arguments as the tables take them.
pub(super) struct CallArguments {
    receiver: Option<Value>,
    arguments: Arguments,
    arrays: Arrays,
}

impl Arrays {
    /// What an array was made of, if it is an argument.
    #[inline]
    pub(super) fn handle_of(&self, array: &Array) -> Option<Handle> {
        self.0.iter().find(|(_, known)| known.same(array)).map(|(handle, _)| *handle)
    }

    /// The first array.
    #[inline]
    pub(super) fn first(&self) -> Option<&Array> {
        self.0.first().map(|(_, array)| array)
    }
}

impl CallArguments {
    /// The array an argument of that name became.
    #[inline]
    pub(super) fn named(&self, name: &str) -> Option<&Array> {
        self.arguments.keyword.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.array())
    }

    pub(super) fn parts(self) -> (Arrays, Option<Value>, Arguments) {
        (self.arrays, self.receiver, self.arguments)
    }
}

impl<'a> Given<'a> {
    /// Takes over a call's arguments.
    ///
    /// # Safety
    /// They are of the types that the parameters say, and nobody else frees them.
    pub(super) unsafe fn new(api: &'a Api, parameters: &'a [Parameter], words: &'a [Word]) -> Given<'a> {
        Given { api, parameters, words }
    }

    /// The arguments as values, over the memory that they have; `None` if one is not for the engine.
    #[inline]
    pub(super) fn open(&self, method: bool) -> Option<CallArguments> {
        let mut opened = CallArguments {
            receiver: None,
            arguments: Arguments { positional: Vec::with_capacity(8), keyword: Vec::new() },
            arrays: Arrays::default(),
        };
        let (places, names) = self.meant();
        for k in 0..places {
            let value = self.value(k, &mut opened.arrays)?;
            match method && k == 0 {
                true => opened.receiver = Some(value),
                false => opened.arguments.positional.push(value),
            }
        }
        for k in names {
            let value = self.value(k, &mut opened.arrays)?;
            opened.arguments.keyword.push((self.parameters[k].name.clone(), value));
        }
        Some(opened)
    }

    /// The arguments of a call of nothing but tensors and an axis: whether there are `count` of them, and no others that
    /// mean anything.
    #[inline]
    pub(super) fn are_plain(&self, count: usize) -> bool {
        let of_kind = |k: usize| match self.parameters[k].kind {
            Kind::Tensor { .. } => true,
            Kind::Int => k == 1,
            _ => false,
        };
        let all = self.parameters.len();
        count <= all
            && (0..count).all(|k| of_kind(k) && !self.parameters[k].named)
            && (count..all).all(|k| self.is_default(k))
    }

    /// The tensor at a place, if it is one for the engine.
    #[inline]
    pub(super) fn tensor(&self, k: usize) -> Option<Tensor> {
        let Kind::Tensor { written } = self.parameters[k].kind else { return None };
        // SAFETY: a tensor by its type, which lives as long as the arguments.
        unsafe { self.api.lend(self.handle(k), written) }
    }

    /// The axis at a place, which is a number.
    #[inline]
    pub(super) fn axis(&self, k: usize) -> Option<i64> {
        (self.parameters[k].kind == Kind::Int).then_some(self.words[k] as i64)
    }

    /// The tensor at a place as PyTorch has it.
    #[inline]
    pub(super) fn handle(&self, k: usize) -> Handle {
        self.words[k] as Handle
    }

    /// How many arguments are given by place, without those at the end that are what they would be anyhow, and which ones by
    /// name, without such.
    #[inline]
    fn meant(&self) -> (usize, SmallVec<[usize; 4]>) {
        let all = self.parameters.len();
        let mut places = self.parameters.iter().position(|p| p.named).unwrap_or(all);
        let names = (places..all).filter(|&k| !self.is_default(k)).collect();
        while places > 0 && self.is_default(places - 1) {
            places -= 1;
        }
        (places, names)
    }

    /// Whether an argument is what it would be had it been left out.
    #[inline]
    fn is_default(&self, k: usize) -> bool {
        let word = self.words[k];
        match (&self.parameters[k].default, self.parameters[k].kind) {
            (Some(Plain::None), Kind::MaybeTensor | Kind::MaybeText) => self.within(k).is_none(),
            (Some(Plain::Bool(flag)), Kind::Bool) => (word as u8 != 0) == *flag,
            (Some(Plain::Int(number)), Kind::Int) => word as i64 == *number,
            (Some(Plain::Text(text)), Kind::Text) => self.text(word).is_some_and(|given| given == *text),
            _ => false,
        }
    }

    /// One argument as a value.
    #[inline]
    fn value(&self, k: usize, arrays: &mut Arrays) -> Option<Value> {
        let word = self.words[k];
        let mut array = |handle: Handle, written: bool| {
            // SAFETY: the argument is a tensor by its type, and lives as long as these do.
            let array = Array::new(unsafe { self.api.lend(handle, written) }?, &TORCH);
            arrays.0.push((handle, array.clone()));
            Some(Value::Array(array))
        };
        Some(match self.parameters[k].kind {
            Kind::Tensor { written } => array(word as Handle, written)?,
            Kind::Int => Value::Int(i128::from(word as i64)),
            Kind::Bool => Value::Bool(word as u8 != 0),
            Kind::Text => Value::str(self.text(word)?),
            Kind::MaybeTensor => match self.within(k) {
                Some(word) => array(word as Handle, false)?,
                None => Value::None,
            },
            Kind::MaybeText => match self.within(k) {
                Some(word) => Value::str(self.text(word)?),
                None => Value::None,
            },
        })
    }

    /// What is in an argument that may be absent; `None` if it is.
    #[inline]
    fn within(&self, k: usize) -> Option<Word> {
        let word = self.words[k];
        (word != 0).then(|| inner(word))
    }

    /// The text behind a word.
    fn text(&self, word: Word) -> Option<String> {
        let (mut start, mut size) = (std::ptr::null(), 0);
        // SAFETY: a text by its type, which lives as long as the arguments; its bytes are read while it does.
        unsafe {
            if (self.api.text)(word as *mut c_void, &mut start) != 0
                || (self.api.text_size)(word as *mut c_void, &mut size) != 0
            {
                return None;
            }
            String::from_utf8(std::slice::from_raw_parts(start.cast(), size).to_vec()).ok()
        }
    }

    /// The arguments as PyTorch hands them to kernels in Python.
    pub(super) fn python<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let (places, names) = self.meant();
        let args = (0..places).map(|k| self.object(py, k)).collect::<PyResult<Vec<_>>>()?;
        let keywords = PyDict::new(py);
        for k in names {
            keywords.set_item(&self.parameters[k].name, self.object(py, k)?)?;
        }
        Ok((PyTuple::new(py, args)?, keywords))
    }

    /// One argument as an object.
    fn object<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyAny>> {
        let word = self.words[k];
        let lost = || refuse(py, "RuntimeError", "an argument of a call could not be read");
        match self.parameters[k].kind {
            Kind::Tensor { .. } => self.api.object(py, word as Handle),
            Kind::Int => (word as i64).into_bound_py_any(py),
            Kind::Bool => (word as u8 != 0).into_bound_py_any(py),
            Kind::Text => self.text(word).ok_or_else(lost)?.into_bound_py_any(py),
            Kind::MaybeTensor => match self.within(k) {
                Some(word) => self.api.object(py, word as Handle),
                None => Ok(py.None().into_bound(py)),
            },
            Kind::MaybeText => match self.within(k) {
                Some(word) => self.text(word).ok_or_else(lost)?.into_bound_py_any(py),
                None => Ok(py.None().into_bound(py)),
            },
        }
    }

    /// Frees one argument that is not there any more afterwards.
    fn free(&self, kind: Kind, word: Word) {
        if word == 0 && kind != Kind::Int && kind != Kind::Bool {
            return;
        }
        let within = |inside: Kind| {
            self.free(inside, inner(word));
            // SAFETY: an argument that may be absent and is not is a word of its own.
            unsafe { (self.api.word_delete)(word as *mut Word) }
        };
        match kind {
            Kind::Int | Kind::Bool => 0,
            // SAFETY: each is what its type says, ours alone, and freed once.
            Kind::Tensor { .. } => unsafe { (self.api.delete)(word as Handle) },
            // SAFETY: as above.
            Kind::Text => unsafe { (self.api.text_delete)(word as *mut c_void) },
            Kind::MaybeTensor => within(Kind::Tensor { written: false }),
            Kind::MaybeText => within(Kind::Text),
        };
    }
}

impl Drop for Given<'_> {
    #[inline]
    fn drop(&mut self) {
        for k in 0..self.words.len() {
            self.free(self.parameters[k].kind, self.words[k]);
        }
    }
}

/// The word that an argument points to that may be absent and is not.
#[inline]
fn inner(word: Word) -> Word {
    // SAFETY: by the interface, a pointer to a word of the argument's own.
    unsafe { *(word as *const Word) }
}

/// Bytes at the start of all addresses that are nobody's memory.
const NOBODYS: usize = 4096;

impl Api {
    /// The memory of a tensor, for the length of a call; `None` for what the engine cannot step over: other devices, layouts
    /// and dtypes, and storages that do not have the elements.
    ///
    /// # Safety
    /// A live tensor, whose handle outlives what is made here.
    #[inline]
    pub(super) unsafe fn lend(&self, handle: Handle, written: bool) -> Option<Tensor> {
        let (mut defined, mut stored, mut layout, mut device, mut dtype) = (false, false, 0, 0, 0);
        let (mut rank, mut offset, mut bytes) = (0, 0, 0);
        let (mut sizes, mut steps) = (std::ptr::null(), std::ptr::null());
        // SAFETY: a live tensor; each writes what its name says. Only what all tensors have is asked for before it is known
        // to be an ordinary one.
        let answered = !handle.is_null()
            && unsafe {
                (self.is_defined)(handle, &mut defined) == 0
                    && defined
                    && (self.layout)(handle, &mut layout) == 0
                    && layout == self.strided
                    && (self.device)(handle, &mut device) == 0
                    && device == self.main_memory
                    && (self.has_storage)(handle, &mut stored) == 0
                    && stored
                    && (self.dtype)(handle, &mut dtype) == 0
                    && (self.dim)(handle, &mut rank) == 0
                    && (self.sizes)(handle, &mut sizes) == 0
                    && (self.strides)(handle, &mut steps) == 0
                    && (self.offset)(handle, &mut offset) == 0
                    && (self.stored)(handle, &mut bytes) == 0
            };
        let dtype = self.dtype_of(dtype).filter(|_| answered)?;
        let size = dtype.size();
        let layout = Layout::from_axes(usize::try_from(rank).ok()?, |d| {
            // SAFETY: lists of so many numbers, which stay while the tensor is not changed.
            let (n, step) = unsafe { (*sizes.add(d), *steps.add(d)) };
            (n as usize, (step as isize).saturating_mul(size as isize))
        })
        .ok()?;
        if layout.numel() == 0 {
            // SAFETY: there is no element to be read or written, and nothing to count.
            return Some(unsafe { Tensor::lent(std::ptr::null_mut(), dtype, layout, true, keep()) });
        }
        let (low, high) = layout.reach();
        let first = usize::try_from(offset).ok()?.checked_mul(size)?;
        let end = first.checked_add_signed(high)?.checked_add(size)?;
        if low < 0 || end > usize::try_from(bytes).ok()? {
            return None;
        }
        let mut start: *mut c_void = std::ptr::null_mut();
        // SAFETY: an ordinary tensor in main memory. What is written is made its own memory first, if it shares it until then.
        let answer = unsafe {
            match written {
                true => (self.write)(handle, &mut start),
                false => (self.read)(handle, (&raw mut start).cast()),
            }
        };
        if answer != 0 || start.addr() < NOBODYS {
            return None;
        }
        // SAFETY: the elements lie within the storage, which the tensor keeps, and the caller the tensor.
        Some(unsafe { Tensor::lent(start.cast(), dtype, layout, true, keep()) })
    }

    /// A tensor as an object of Python's.
    fn object<'py>(&self, py: Python<'py>, handle: Handle) -> PyResult<Bound<'py, PyAny>> {
        let mut object = std::ptr::null_mut();
        // SAFETY: a live tensor, with the interpreter's lock held; the object is a reference of ours.
        unsafe {
            match (self.to_python)(handle, std::ptr::null_mut(), &mut object) {
                0 => Bound::from_owned_ptr_or_err(py, object.cast()),
                _ => Err(refuse(py, "RuntimeError", "PyTorch has no Python object for an argument of this call")),
            }
        }
    }
}

/// What keeps the memory of a call's arguments: whoever called.
#[inline]
fn keep() -> Keep {
    // SAFETY: there is nothing to count.
    unsafe { Keep::new(std::ptr::NonNull::dangling(), |_| true, |_| ()) }
}
