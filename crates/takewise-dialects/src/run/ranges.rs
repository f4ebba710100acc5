//! Numbers at even steps: `arange` and `linspace`.

use takewise::op::Op;
use takewise::promote::{Operand, result_type};
use takewise::{DType, Scalar, Tensor};

use super::create::infer;
use super::{Outcome, raise, to_scalar};
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::facts::Counting;
use crate::sig::Call;
use crate::value::{Array, Value};

/// `arange(end)`, `arange(start, end, step)`.
pub(crate) fn arange(call: &Call) -> Outcome {
    let zero = Scalar::Int(0);
    let (start, end) = match (call.number("start"), call.get("end")) {
        (Ok(start), Some(end)) => (start, to_scalar(&end).unwrap_or(zero)),
        (Ok(end), None) => (zero, end),
        _ => (zero, call.number("end")?),
    };
    let step = if call.has("step") { call.number("step").unwrap_or(Scalar::Int(1)) } else { Scalar::Int(1) };
    if [start, end, step].iter().any(|number| matches!(number, Scalar::Complex(..))) {
        return Err(EvalError::value_error("arange: complex numbers are not counted in"));
    }
    let natural = || counted_dtype(call).unwrap_or_else(|| Ok(infer(&[start, end, step, Scalar::Int(0)], call.face)));
    let dtype = call.dtype("dtype")?.map_or_else(natural, Ok)?;
    let fresh = match (whole(start), whole(end), whole(step)) {
        (Some(a), Some(b), Some(s)) => integers(a, b, s, dtype, call.face)?,
        _ => {
            let [start, end, step] = doubles([start, end, step])?;
            reals(start, end, step, dtype, call.face)?
        }
    };
    super::grad::marked(call, super::into_out(call, Op::Out, fresh)?)
}

/// The dtype of `arange` by those of the arrays that give its numbers, where a library asks for it.
fn counted_dtype(call: &Call) -> Option<Result<DType>> {
    const NAMES: [&str; 3] = ["start", "end", "step"];
    let given: Vec<DType> = NAMES.iter().filter_map(|n| call.get(n)?.array().map(Array::dtype)).collect();
    match call.face.facts.creation.arange {
        _ if given.is_empty() => None,
        Counting::Plain => None,
        Counting::Narrow if given.iter().any(|d| d.size() >= 8) => None,
        Counting::Narrow => Some(met(call, &NAMES, Operand::Number(Scalar::Int(0)))),
        Counting::Wide => Some(met(call, &NAMES, Operand::Array(call.face.int))),
    }
}

fn whole(s: Scalar) -> Option<i128> {
    match s {
        Scalar::Int(i) => Some(i),
        Scalar::Bool(b) => Some(i128::from(b)),
        _ => None,
    }
}

pub(crate) fn real(s: Scalar) -> f64 {
    match s {
        Scalar::Float(x) | Scalar::Complex(x, _) => x,
        other => whole(other).unwrap_or(0) as f64,
    }
}

/// Numbers as doubles; integers beyond 128 bits, which stand at their ends, are none.
fn doubles<const N: usize>(numbers: [Scalar; N]) -> Result<[f64; N]> {
    if numbers.iter().any(|number| matches!(number, Scalar::Int(i128::MIN | i128::MAX))) {
        return Err(EvalError::new("OverflowError", "int too large to convert to float"));
    }
    Ok(numbers.map(real))
}

fn integers(start: i128, end: i128, step: i128, dtype: DType, face: &Face) -> Result<Tensor> {
    let too_many = || EvalError::new("MemoryError", "arange: too many elements");
    let span = end.checked_sub(start).ok_or_else(too_many)?;
    let count = match step {
        0 => return Err((face.refusals.zero_step)()),
        s if span != 0 && (span < 0) != (s < 0) => match face.refusals.wrong_step {
            Some(refused) => return Err(refused()),
            None => 0,
        },
        s => span.unsigned_abs().div_ceil(s.unsigned_abs()),
    };
    let count = usize::try_from(count).map_err(|_| too_many())?;
    let at = |i: usize| start + i as i128 * step;
    let last = count.checked_sub(1).map_or(start, at);
    // What 64 bits do not hold is counted in doubles.
    let wide = match [start, last].map(i64::try_from) {
        [Ok(_), Ok(_)] => {
            let values: Vec<i64> = collect(count, |i| at(i) as i64)?;
            let wide = Tensor::from_slice(&values, &[count]).map_err(raise)?;
            if dtype == DType::I64 {
                return Ok(wide);
            }
            wide
        }
        _ if dtype == DType::U64 && u64::try_from(start).is_ok() && u64::try_from(last).is_ok() => {
            let values: Vec<u64> = collect(count, |i| at(i) as u64)?;
            return Tensor::from_slice(&values, &[count]).map_err(raise);
        }
        _ if dtype.is_integer() => {
            let text = format!("arange: numbers from {start} to {last} are beyond {}", dtype.name());
            return Err(EvalError::new("OverflowError", text));
        }
        _ => {
            let values: Vec<f64> = collect(count, |i| at(i) as f64)?;
            Tensor::from_slice(&values, &[count]).map_err(raise)?
        }
    };
    super::cast::convert(&wide, dtype, face)
}

fn reals(start: f64, end: f64, step: f64, dtype: DType, face: &Face) -> Result<Tensor> {
    let count = ((end - start) / step).ceil();
    if step == 0.0 {
        return Err((face.refusals.zero_step)());
    }
    if let Some(refused) = face.refusals.wrong_step.filter(|_| count < 0.0) {
        return Err(refused());
    }
    if !count.is_finite() {
        return Err(EvalError::value_error("arange: the bounds must be finite"));
    }
    let count = count.max(0.0) as usize;
    let values: Vec<f64> = collect(count, |i| start + i as f64 * step)?;
    let wide = Tensor::from_slice(&values, &[count]).map_err(raise)?;
    super::cast::convert(&wide, dtype, face)
}

fn collect<T>(count: usize, at: impl Fn(usize) -> T) -> Result<Vec<T>> {
    let mut out = Vec::new();
    out.try_reserve_exact(count).map_err(|_| EvalError::new("MemoryError", "arange: not enough memory"))?;
    out.extend((0..count).map(at));
    Ok(out)
}

/// `linspace(start, end, steps)`.
pub(crate) fn linspace(call: &Call) -> Outcome {
    let ends = [call.number("start")?, call.number("end")?];
    if ends.iter().any(|end| matches!(end, Scalar::Complex(..))) {
        return Err(EvalError::unsupported("linspace: complex numbers are not supported"));
    }
    let [start, end] = doubles(ends)?;
    let steps = usize::try_from(call.int("steps")?)
        .map_err(|_| EvalError::runtime_error("number of steps must be non-negative"))?;
    let asked = call.dtype("dtype")?;
    let (natural, values) = if call.face.facts.creation.both_ends {
        (call.face.float, from_both_ends(start, end, steps)?)
    } else {
        let dtype = met(call, &["start", "end"], Operand::Number(Scalar::Float(1.0)))?;
        let mut values = from_start(start, end, steps, dtype)?;
        if asked.is_some_and(DType::is_integer) {
            values.iter_mut().for_each(|v| *v = v.floor());
        }
        (dtype, values)
    };
    let wide = Tensor::from_slice(&values, &[steps]).map_err(raise)?;
    Ok(call.wrap(super::cast::convert(&wide, asked.unwrap_or(natural), call.face)?))
}

fn from_both_ends(start: f64, end: f64, steps: usize) -> Result<Vec<f64>> {
    let gap = if steps > 1 { (end - start) / (steps - 1) as f64 } else { 0.0 };
    let middle = steps / 2;
    if steps == 1 {
        return Ok(vec![start]);
    }
    collect(steps, |i| if i < middle { start + gap * i as f64 } else { end - gap * (steps - 1 - i) as f64 })
}

/// Each step is rounded to the dtype, as NumPy computes in it.
fn from_start(start: f64, end: f64, steps: usize, dtype: DType) -> Result<Vec<f64>> {
    let round = |x: f64| match dtype {
        DType::F16 => f64::from(half::f16::from_f64(x)),
        DType::F32 => f64::from(x as f32),
        _ => x,
    };
    let span = round(end - start);
    let gaps = steps.saturating_sub(1) as f64;
    let gap = round(span / gaps);
    collect(steps, |i| match round(i as f64) {
        _ if i > 0 && i + 1 == steps => end,
        at if gaps == 0.0 => round(at * span + start),
        at if gap == 0.0 => round(round(round(at / gaps) * span) + start),
        at => round(round(at * gap) + start),
    })
}

/// The dtype in which the numbers of arguments meet another, those that arrays hold by their dtypes.
fn met(call: &Call, names: &[&str], beside: Operand) -> Result<DType> {
    let given = names.iter().filter_map(|name| call.get(name)).filter_map(|value| match &value {
        Value::Array(a) => Some(Operand::Array(a.dtype())),
        plain => to_scalar(plain).map(Operand::Number),
    });
    let operands: Vec<Operand> = given.chain([beside]).collect();
    let dtype = result_type(call.face.compare.promotion, &operands);
    let dtype = dtype.map_err(|e| raise(e.in_words(call.face.words)))?.native();
    match dtype.is_foreign() {
        true => Err(EvalError::type_error(format!("{}: not defined for dtype {}", call.name, dtype.name()))),
        false => Ok(dtype),
    }
}
