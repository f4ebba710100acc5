//! `isin`: whether elements are among others. The others are sorted, the elements looked up.

use takewise::op::Op;
use takewise::ops::compare;
use takewise::ops::compare::Relation;
use takewise::promote::{Operand, result_type};
use takewise::{DType, Tensor};
use takewise_operations::distinct::found;

use super::create::{array_like, from_value};
use super::{Outcome, into_out, raise, to_scalar};
use crate::error::{EvalError, Result};
use crate::rules::NUMPY_COMPARE;

use crate::sig::Call;
use crate::texts;
use crate::value::Value;

/// Fails for dtypes without the operation. torch looks for others among few elements, or among many, as is the case here.
fn check(call: &Call, dtype: DType) -> Result<()> {
    let mut lacking = call.face.facts.search.isin_lacks.iter();
    let Some((_, name)) = lacking.find(|(lacking, _)| *lacking == dtype) else { return Ok(()) };
    Err(EvalError::unsupported(format!("Unsupported input type encountered for isin(): {name}")))
}

/// Both operands in the dtype they meet in, lists and numbers as arrays.
fn operands(call: &Call, a: &Value, b: &Value) -> Result<(Tensor, Tensor)> {
    let listed = |v: &Value| -> Result<Value> {
        match v.items() {
            Some(_) => array_like(v, call.face).map(Value::Array),
            None => Ok(v.clone()),
        }
    };
    let (a, b) = (listed(a)?, listed(b)?);
    for (one, other) in [(&a, &b), (&b, &a)] {
        super::casting::check_width(one, other.array().map(crate::value::Array::dtype), call.face)?;
    }
    let operand = |v: &Value| match v {
        Value::Array(x) => Some(Operand::of(x.dtype(), x.shape().len())),
        // An array is made of a number first, of its own dtype.
        other if call.face.facts.operands.array_likes => {
            to_scalar(other).map(|number| Operand::Array(super::create::infer(&[number], call.face)))
        }
        other => to_scalar(other).map(Operand::Number),
    };
    let (Some(x), Some(y)) = (operand(&a), operand(&b)) else {
        return Err(EvalError::type_error(format!("{}(): only arrays and numbers can be looked for", call.name)));
    };
    let dtype = result_type(call.face.compare.promotion, &[x, y]).map_err(|e| raise(e.in_words(call.face.words)))?;
    for v in [&a, &b] {
        if let Value::Array(x) = v {
            check(call, x.dtype())?;
        }
    }
    // An integer beside a tensor wraps around as the tensor's own would.
    let made = |v: &Value| match v {
        Value::Int(_) => {
            let wide = from_value(v, Some(DType::I64), call.face)?;
            super::cast::convert(&wide, dtype, call.face)
        }
        _ => from_value(v, Some(dtype), call.face),
    };
    Ok((made(&a)?, made(&b)?))
}

/// Whether NumPy compares elements with the others one by one: then what cannot be equal to anything is found nowhere, and
/// no common dtype is needed.
fn one_by_one(elements: &Tensor, among: &Tensor) -> bool {
    let foreign = elements.dtype().is_foreign() || among.dtype().is_foreign();
    foreign && (among.numel() as f64) < 10.0 * (elements.numel() as f64).powf(0.145)
}

/// [`found`] for a few others.
fn found_by_each(elements: &Tensor, among: &Tensor) -> takewise::Result<Tensor> {
    let (elements, flat) = (elements.read_any()?, among.reshape(&[-1])?);
    let mut mask = Tensor::zeroed(elements.view().shape(), DType::Bool)?;
    for k in 0..flat.numel() {
        let one = flat.select(0, k as i64)?;
        let one = one.read_any()?;
        mask = mask.logical_or(&compare::compare(&elements.view(), &one.view(), Relation::Eq, &NUMPY_COMPARE)?)?;
    }
    Ok(mask)
}

/// `isin(elements, test_elements, assume_unique, invert)`; NumPy's `kind` changes the way only.
pub(crate) fn isin(call: &Call) -> Outcome {
    let argument = |names: [&str; 2]| names.into_iter().find_map(|name| call.get(name)).unwrap_or(Value::None);
    let (a, b) = (argument(["elements", "element"]), argument(["test_elements", "test_element"]));
    if let Some(kind) = call.text("kind")
        && !["sort", "table"].contains(&&*kind)
    {
        let text = format!("Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.");
        return Err(EvalError::value_error(text));
    }
    let text = |one: &Value, other: &Value| texts::beside(one.array()?.dtype(), other);
    let (a, b) = match (text(&b, &a), text(&a, &b)) {
        (Some(a), _) => (call.wrap(a), b),
        (_, Some(b)) => (a, call.wrap(b)),
        _ => (a, b),
    };
    if let (Some(a), Some(b)) = (a.array(), b.array())
        && [a, b].into_iter().all(|x| texts::is_text(x.dtype()))
    {
        return masked(call, || found(&a.tensor(), &b.tensor()));
    }
    let foreign = |v: &Value| v.array().is_some_and(|a| a.dtype().is_foreign());
    let each = call.face.facts.search.isin_foreign;
    let arrays = each && (foreign(&a) || foreign(&b));
    let made = |v: Value| if arrays { array_like(&v, call.face).map(Value::Array) } else { Ok(v) };
    let (a, b) = (made(a)?, made(b)?);
    let (elements, among) = match (&a, &b) {
        (Value::Array(a), Value::Array(b)) if each && one_by_one(&a.tensor(), &b.tensor()) => {
            return masked(call, || found_by_each(&a.tensor(), &b.tensor()));
        }
        _ => operands(call, &a, &b)?,
    };
    if call.text("kind").as_deref() == Some("table") && (elements.dtype().is_float() || elements.dtype().is_complex()) {
        return Err(EvalError::value_error(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.",
        ));
    }
    if let Some(out) = call.out()
        && out.dtype() != DType::Bool
    {
        let text = format!("Expected out tensor to have dtype bool, but got {} instead", c_name(out.dtype()));
        return Err(EvalError::runtime_error(text));
    }
    masked(call, || found(&elements, &among))
}

/// The mask that is asked for, or its opposite.
fn masked(call: &Call, found: impl FnOnce() -> takewise::Result<Tensor>) -> Outcome {
    let mut mask = takewise::grad::no_grad(found).map_err(|e| raise(e.in_words(call.face.words)))?;
    if call.flag("invert") {
        mask = mask.logical_not().map_err(raise)?;
    }
    into_out(call, Op::Named(&"isin"), mask)
}

/// The name C++ has for a dtype, in torch's texts about results.
fn c_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::I64 => "long int",
        DType::I32 => "int",
        DType::I16 => "short int",
        DType::I8 => "signed char",
        DType::U8 => "unsigned char",
        DType::F16 => "c10::Half",
        DType::BF16 => "c10::BFloat16",
        other => other.name(),
    }
}
