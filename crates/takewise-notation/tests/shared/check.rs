//! A statement explained, run, and both held together.

use std::collections::BTreeSet;

use takewise_dialects::{Array, Value, elements};
use takewise_explain::Explanation;
use takewise_explain::data::{How, Kind, Memory, Outcome};
use takewise_notation::{Session, explanation};

use super::{number, replay};

/// What has been explained: the library and the operation.
pub(crate) type Seen = BTreeSet<(String, String)>;

/// What came of a statement.
pub(crate) enum Checked {
    /// It is explained, and so many elements were replayed.
    Replayed(Box<Explanation>, usize),
    /// No operation is asked about, or it is not got as far as that.
    Nothing,
}

/// Explains a statement, runs it, and compares; then the session has gone on.
pub(crate) fn checked(session: &mut Session, source: &str) -> Result<Checked, String> {
    let explained = explanation(session, source);
    let done = session.exec(source);
    session.take_output();
    let explained = match (explained, &done) {
        (Ok(explained), _) => explained,
        (Err(_), Err(_)) => return Ok(Checked::Nothing),
        (Err(e), Ok(_)) if e.class() == "NotImplementedError" || e.text() == "nothing to explain" => {
            return Ok(Checked::Nothing);
        }
        (Err(e), Ok(_)) => return Err(format!("not explained: {e}")),
    };
    match (&explained.error, &done) {
        (Some(error), Err(e)) if error.class == e.class() => {}
        (None, Ok(_)) => {}
        (None, Err(e)) if e.text().starts_with("Trying to backward") => return Ok(Checked::Nothing),
        (error, done) => {
            let said = done.as_ref().err().map(|e| e.to_string());
            return Err(format!("explained as {error:?}, but the call gives {said:?}"));
        }
    }
    let replayed = replay(&explained)?;
    if let (Ok(Some(Value::Array(array))), Some(result)) = (&done, explained.results.first())
        && explained.results.len() == 1
    {
        same(&explained, result.values.as_deref(), array)?;
    }
    Ok(Checked::Replayed(explained.into(), replayed))
}

/// Whether the values shown are those of the real call.
fn same(explained: &Explanation, values: Option<&[String]>, array: &Array) -> Result<(), String> {
    let (Some(values), Ok(real)) = (values, elements(&array.tensor())) else { return Ok(()) };
    let wanted = real.iter().map(|v| match v {
        Value::Bool(b) => Some((f64::from(u8::from(*b)), 0.0)),
        Value::Int(i) => Some((*i as f64, 0.0)),
        Value::Float(x) => Some((*x, 0.0)),
        Value::Complex(re, im) => Some((*re, *im)),
        _ => None,
    });
    let nan = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    // Texts of narrow floats have as few digits as tell them apart.
    let near = |a: f64, b: f64| nan(a, b) || (a - b).abs() <= 1e-2 * a.abs().max(b.abs()).max(1e-5);
    let close = |text: &String, want: Option<(f64, f64)>| {
        want.is_none_or(|want| near(number(text).0, want.0) && near(number(text).1, want.1))
    };
    match values.len() == real.len() && values.iter().zip(wanted).all(|(text, want)| close(text, want)) {
        true => Ok(()),
        false => Err(format!("shows {values:?} for {}: {real:?}", explained.expression, real = real.len())),
    }
}

/// Whether nothing is left untold: every axis has an origin, every element of a result that was not there before is listed, and
/// what is listed is made of something.
pub(crate) fn complete(explained: &Explanation) -> Result<(), String> {
    if explained.error.is_some() || explained.sample.is_some() {
        return Ok(());
    }
    explained.results.iter().enumerate().try_for_each(|(number, result)| whole(explained, result, number > 0))
}

fn whole(explained: &Explanation, result: &Outcome, further: bool) -> Result<(), String> {
    let count: usize = result.shape.iter().product();
    // What cannot be told of all axes is not told of any.
    if !result.axes.is_empty() && result.axes.len() != result.shape.len() {
        return Err(format!("{} of {} axes have an origin", result.axes.len(), result.shape.len()));
    }
    // The bytes of another dtype are no elements of it.
    let fresh = match result.memory {
        Memory::Fresh => result.base.is_none(),
        Memory::View { operand } => explained.operands[operand].dtype == result.dtype,
        Memory::InPlace { .. } => false,
    };
    // Positions beside the elements found are numbers that the call works out: nothing is told of them.
    let worked_out = further && result.cells.is_empty();
    if fresh && explained.kind != Kind::Value && !worked_out && result.cells.len() != count {
        return Err(format!("{:?}: {} of {count} elements are listed", explained.kind, result.cells.len()));
    }
    for cell in &result.cells {
        let nothing = cell.sources.iter().any(|s| s.used && s.operand.is_none() && s.value.is_none());
        let bare = cell.sources.is_empty() && !matches!(cell.how, How::Fill | How::Position) && !cell.with_self;
        if nothing || bare {
            return Err(format!("an element is made of nothing: {cell:?}"));
        }
    }
    Ok(())
}
