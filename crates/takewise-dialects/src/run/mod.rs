//! The operations behind the names: each takes bound arguments and makes one call into the engine.

pub(crate) mod arithmetic;
pub(crate) mod attributes;
pub(crate) mod bag;
pub(crate) mod bounds;
pub(crate) mod bytes;
pub(crate) mod cast;
pub(crate) mod casting;
pub(crate) mod choose;
pub(crate) mod compare;
pub(crate) mod create;
pub(crate) mod fold;
pub(crate) mod fold_numpy;
pub(crate) mod grad;
pub(crate) mod jax;
pub(crate) mod join;
pub(crate) mod member;
pub(crate) mod mindspore;
pub(crate) mod numpy;
pub(crate) mod own;
pub(crate) mod parameters;
pub(crate) mod positions;
pub(crate) mod random;
pub(crate) mod ranges;
pub(crate) mod read;
pub(crate) mod rearrange;
pub(crate) mod search;
pub(crate) mod shape;
pub(crate) mod sort;
pub(crate) mod split;
pub(crate) mod subscript;
pub(crate) mod triangle;
pub(crate) mod unique;
pub(crate) mod write;

use std::cell::Ref;
use std::ops::Deref;
use takewise::op::Op;

use takewise::error::{DTypeRule, Words};
use takewise::index::rules::{Overlap, Rules};
use takewise::ops::{Access, Reads};
use takewise::{AnyViewMut, DType, Error, Fault, Scalar, Tensor};

pub(crate) use crate::error::raise;
pub(crate) use crate::scalars::{elements, item, room, to_i64, to_scalar};
pub(crate) use crate::sig::fresh_copy;

use crate::error::EvalError;
use crate::face::Face;
use crate::sig::Call;
use crate::value::{Array, Value};

/// The data of an argument for the length of a call.
pub(crate) enum Data<'c> {
    /// As the argument holds it.
    Borrowed(Ref<'c, Tensor>),
    /// For a call that may put other data into an argument: a share of its own.
    Shared(Tensor),
}

impl Deref for Data<'_> {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        match self {
            Data::Borrowed(tensor) => tensor,
            Data::Shared(tensor) => tensor,
        }
    }
}

/// What an operation gives.
pub(crate) type Outcome = Result<Value, EvalError>;

impl Call {
    /// A required tensor argument.
    pub fn array(&self, name: &str) -> Result<Array, EvalError> {
        match self.get(name) {
            Some(Value::Array(array)) => Ok(array),
            Some(other) => Err(EvalError::type_error(format!(
                "{}(): argument '{name}' must be Tensor, not {}",
                self.name,
                other.type_name()
            ))),
            None => Err(self.missing(name)),
        }
    }

    /// The data of a required tensor argument.
    pub fn tensor(&self, name: &str) -> Result<Tensor, EvalError> {
        match self.passed(name) {
            Some(Value::Array(array)) => Ok(array.tensor()),
            _ => Ok(self.array(name)?.tensor()),
        }
    }

    /// [`Call::tensor`] without a share in it, where nothing can take its place during the call.
    pub(crate) fn data(&self, name: &str) -> Result<Data<'_>, EvalError> {
        match self.passed(name) {
            Some(Value::Array(array)) if self.out().is_none() => Ok(Data::Borrowed(array.borrow())),
            _ => self.tensor(name).map(Data::Shared),
        }
    }

    /// The data of an optional tensor argument.
    pub fn maybe_tensor(&self, name: &str) -> Option<Tensor> {
        Some(self.passed(name)?.array()?.tensor())
    }

    /// A required integer.
    pub fn int(&self, name: &str) -> Result<i64, EvalError> {
        if let Some(passed @ Value::Int(_)) = self.passed(name) {
            return to_i64(passed);
        }
        to_i64(&self.get(name).ok_or_else(|| self.missing(name))?)
    }

    /// An integer that may be absent or `None`.
    pub fn maybe_int(&self, name: &str) -> Result<Option<i64>, EvalError> {
        self.get(name).map(|v| to_i64(&v)).transpose()
    }

    /// A flag, false when absent.
    pub fn flag(&self, name: &str) -> bool {
        self.switch(name).unwrap_or_else(|| self.get(name).is_some_and(|v| crate::numbers::truth(&v).unwrap_or(false)))
    }

    /// A string that may be absent.
    pub fn text(&self, name: &str) -> Option<std::rc::Rc<str>> {
        match self.get(name)? {
            Value::Str(s) => Some(s),
            _ => None,
        }
    }

    /// A required number.
    pub fn number(&self, name: &str) -> Result<Scalar, EvalError> {
        if let Some(number) = self.plain(name) {
            return Ok(number);
        }
        let value = self.get(name).ok_or_else(|| self.missing(name))?;
        to_scalar(&value).ok_or_else(|| {
            EvalError::type_error(format!(
                "{}(): argument '{name}' must be Number, not {}",
                self.name,
                value.type_name()
            ))
        })
    }

    /// A dtype that may be absent; Python's `int`, `float`, `bool` and names of dtypes count.
    pub fn dtype(&self, name: &str) -> Result<Option<DType>, EvalError> {
        self.get(name).map(|v| as_dtype(&v, self.face)).transpose()
    }

    /// A required sequence of integers; a lone integer counts as one.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>, EvalError> {
        let value = self.get(name).ok_or_else(|| self.missing(name))?;
        match value.items() {
            Some(items) => items.iter().map(to_i64).collect(),
            None => Ok(vec![to_i64(&value)?]),
        }
    }

    /// A required shape.
    pub fn shape(&self, name: &str) -> Result<Vec<usize>, EvalError> {
        let dims = self.ints(name)?;
        dims.iter()
            .map(|&d| {
                usize::try_from(d).map_err(|_| {
                    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
                    if self.name == "zeros" {
                        return EvalError::runtime_error("zeros: Dimension size must be non-negative.");
                    }
                    EvalError::runtime_error(format!(
                        "Trying to create tensor with negative dimension {d}: [{}]",
                        dims.join(", ")
                    ))
                })
            })
            .collect()
    }

    /// A result of this library.
    pub fn wrap(&self, tensor: Tensor) -> Value {
        Value::Array(Array::new(tensor, self.face))
    }

    /// The result of an engine call.
    pub fn give(&self, result: takewise::Result<Tensor>) -> Outcome {
        result.map(|t| self.wrap(t)).map_err(raise)
    }

    fn missing(&self, name: &str) -> EvalError {
        EvalError::type_error(format!("{}(): argument '{name}' is missing", self.name))
    }
}

/// A dtype from what Python code passes for one.
///
/// # Errors
/// `TypeError` for anything else.
pub(crate) fn as_dtype(value: &Value, face: &Face) -> Result<DType, EvalError> {
    let named = match value {
        Value::DType(dtype, _) => Some(*dtype),
        Value::Builtin("int") => Some(face.int),
        Value::Builtin("float") => Some(face.float),
        Value::Builtin("bool") => Some(DType::Bool),
        Value::Builtin("complex") => Some(face.complex),
        Value::Str(name) => {
            let name = name.trim_start_matches("torch.");
            face.dtype(name)
        }
        _ => None,
    };
    named.ok_or_else(|| EvalError::type_error(format!("{} is not a dtype", crate::print::repr(value))))
}

/// Runs a read over registered operands.
pub(crate) fn reading<R>(
    op: Op,
    operands: &[&Tensor],
    rules: &Rules,
    run: impl FnOnce(Reads<'_>) -> takewise::Result<R>,
) -> Result<R, EvalError> {
    // Both are large, and stay where they were made.
    match Access::reading(op, operands, rules.words) {
        Ok(access) => match run(access.reads()) {
            Ok(result) => Ok(result),
            Err(error) => Err(raise(error)),
        },
        Err(error) => Err(raise(error)),
    }
}

/// Runs a write into `dst` over registered operands.
pub(crate) fn writing(
    op: Op,
    dst: &Tensor,
    operands: &[&Tensor],
    rules: &Rules,
    run: impl FnOnce(&mut AnyViewMut<'_>, Reads<'_>) -> takewise::Result<()>,
) -> Result<(), EvalError> {
    match Access::begin(op, operands, Some(dst), rules.overlap, rules.words) {
        Ok(mut access) => {
            let (reads, mut view) = access.split();
            run(&mut view, reads).map_err(raise)
        }
        Err(error) => Err(raise(error)),
    }
}

/// Converts every element of `src` into `dst`, which has the same shape.
pub(crate) fn copy_into(op: Op, dst: &Tensor, src: &Tensor, words: Words) -> Result<(), EvalError> {
    let mut access = Access::begin(op, &[src], Some(dst), Overlap::CopyInput, words).map_err(raise)?;
    let (reads, mut view) = access.split();
    takewise::internal::convert::convert_into(&reads.get(0), &mut view).map_err(|e| raise(e.in_words(words)))
}

/// Fails, in the library's words, unless `out` has the dtype of the result.
pub(crate) fn check_out_dtype(call: &Call, op: Op, out: &Tensor, wanted: DType) -> Result<(), EvalError> {
    if out.dtype() == wanted {
        return Ok(());
    }
    let fault = Fault::DType { op, rule: DTypeRule::Out, given: out.dtype(), wanted: Some(wanted) };
    Err(raise(Error::new(call.face.words, fault)))
}

/// Puts a fresh result into `out=`, if that was given: in place when the shape fits, else `out` becomes
/// the result, for every name that holds it (torch resizes it).
pub(crate) fn into_out(call: &Call, op: Op, fresh: Tensor) -> Outcome {
    let Some(out) = call.out().cloned() else { return Ok(call.wrap(fresh)) };
    takewise::internal::record::check_out(op, &[&fresh, &out.tensor()]).map_err(raise)?;
    check_out_dtype(call, op, &out.tensor(), fresh.dtype())?;
    fill_out(call, op, &out, fresh)?;
    Ok(Value::Array(out))
}

/// Fails as [`fill_out`] would, and writes nothing.
pub(crate) fn check_writable(call: &Call, op: Op, out: &Array, fresh: &Tensor) -> Result<(), EvalError> {
    let target = out.tensor();
    if target.shape() != fresh.shape() {
        return Ok(());
    }
    Access::begin(op, &[], Some(&target), Overlap::CopyInput, call.face.words).map(|_| ()).map_err(raise)
}

/// Puts a result into an array of its dtype; see [`into_out`].
pub(crate) fn fill_out(call: &Call, op: Op, out: &Array, fresh: Tensor) -> Result<(), EvalError> {
    let target = out.tensor();
    if target.shape() == fresh.shape() {
        return copy_into(op, &target, &fresh, call.face.words);
    }
    out.replace(fresh);
    Ok(())
}

/// A read, or the same straight into `out=`, which becomes another tensor where the shape does not fit.
pub(crate) fn read(
    call: &Call,
    fresh: impl FnOnce() -> takewise::Result<Tensor>,
    into: impl FnOnce(&mut Tensor) -> takewise::Result<bool>,
) -> Outcome {
    let Some(out) = call.out() else {
        // Tensors are large, and stay where they were made.
        return match fresh() {
            Ok(made) => Ok(call.wrap(made)),
            Err(error) => Err(raise(error)),
        };
    };
    let mut target = out.tensor();
    into(&mut target).map_err(raise)?;
    if !target.is_identical(&out.tensor()) {
        out.replace(target);
    }
    Ok(Value::Array(out.clone()))
}
