//! Random tensors, drawn as torch draws them: the same seed gives the same numbers.

use takewise::internal::Locked;
use takewise::{DType, Tensor};

use super::{Outcome, raise};
use crate::error::EvalError;
use crate::random::{self, Generator};
use crate::sig::Call;
use crate::value::Value;

fn source(call: &Call) -> Locked<'_, Generator> {
    call.context.generator.lock()
}

fn floats(call: &Call, draw: fn(&[usize], DType, &mut Generator) -> takewise::Result<Tensor>) -> Outcome {
    let shape = call.shape("size")?;
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.float);
    let drawn = draw(&shape, dtype, &mut source(call)).map_err(|e| e.in_words(call.face.words));
    super::grad::marked(call, call.give(drawn)?)
}

/// `rand(size)`: uniform in [0, 1).
pub(crate) fn rand(call: &Call) -> Outcome {
    floats(call, random::rand)
}

/// `randn(size)`: normal.
pub(crate) fn randn(call: &Call) -> Outcome {
    floats(call, random::randn)
}

/// `randint(low, high, size)`: integers from `low` to below `high`.
pub(crate) fn randint(call: &Call) -> Outcome {
    let low = if call.has("low") { call.int("low")? } else { 0 };
    let high = call.int("high")?;
    let shape = call.shape("size")?;
    if low >= high {
        return Err(EvalError::runtime_error(format!(
            "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )));
    }
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.int);
    let drawn = random::randint(low, high, &shape, dtype, &mut source(call));
    super::grad::marked(call, call.give(drawn.map_err(|e| e.in_words(call.face.words)))?)
}

/// `randperm(n)`: 0 to n-1 in random order.
pub(crate) fn randperm(call: &Call) -> Outcome {
    let n = call.int("n")?;
    let len = usize::try_from(n)
        .map_err(|_| EvalError::runtime_error(format!("Trying to create tensor with negative dimension {n}: [{n}]")))?;
    let dtype = call.dtype("dtype")?.unwrap_or(DType::I64);
    let order = random::randperm(len, &mut source(call)).map_err(raise)?;
    super::grad::marked(call, call.wrap(super::cast::convert(&order, dtype, call.face)?))
}

/// `manual_seed(seed)`.
pub(crate) fn manual_seed(call: &Call) -> Outcome {
    *source(call) = Generator::seeded(call.int("seed")? as u64);
    Ok(Value::None)
}
