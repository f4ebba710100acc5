//! Puzzles: whether an expression makes the target, from the operands that are shown and from others that are not.

use serde_json::{Value as Json, json};
use takewise_dialects::{Array, EvalError, Value, elements, print};

use crate::explain::face;
use crate::request::{Given, Puzzle, Request};
use crate::{Trouble, given};

/// What an expression makes: shape, dtype and elements as text.
#[derive(PartialEq)]
struct Made {
    shape: Vec<usize>,
    dtype: &'static str,
    values: Vec<String>,
    printed: String,
}

impl Made {
    fn json(&self) -> Json {
        json!({ "shape": self.shape, "dtype": self.dtype, "values": self.values, "printed": self.printed })
    }
}

/// Runs an expression on operands. An assignment (`x[i] = 1`) makes the array it writes into.
fn make(puzzle: &Puzzle, names: &[Given], expression: &str) -> Result<Made, Trouble> {
    let mut session = given::session(face(&puzzle.dialect)?, names)?;
    let trouble = |error: EvalError| Trouble::of(&error, expression);
    let array = match session.exec(expression).map_err(trouble)? {
        Some(Value::Array(array)) => array,
        Some(other) => {
            let text = format!("the target is an array, this is {}", print::repr(&other));
            return Err(Trouble::new("TypeError", text));
        }
        None => written(&session, expression)
            .ok_or_else(|| Trouble::new("TypeError", "the target is an array, this has no value"))?,
    };
    let tensor = array.tensor();
    let values = elements(&tensor).map_err(|error| Trouble::new("TypeError", error.to_string()))?;
    Ok(Made {
        shape: tensor.shape().to_vec(),
        dtype: tensor.dtype().name(),
        values: values.iter().map(print::repr).collect(),
        printed: print::repr(&Value::Array(array)),
    })
}

/// The array an assignment as the last statement writes into.
fn written(session: &takewise_notation::Session, expression: &str) -> Option<Array> {
    let last = expression.rsplit([';', '\n']).map(str::trim).find(|part| !part.is_empty())?;
    let end = last.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(last.len());
    session.get(&last[..end])?.array().cloned()
}

fn puzzle(request: &Request) -> Result<&Puzzle, Trouble> {
    request.puzzle.as_ref().ok_or_else(|| Trouble::new("ValueError", "no puzzle is named"))
}

/// What the puzzle's own solution makes of the operands that are shown.
pub(crate) fn target(request: &Request) -> Result<Json, Trouble> {
    let puzzle = puzzle(request)?;
    let target = make(puzzle, &puzzle.names, &puzzle.solution)?;
    Ok(json!({ "target": target.json() }))
}

/// Whether the expression makes the target: `verdict` is `solved`, `shape`, `dtype`, `values` (`count` differ, the first is `at`), or
/// `literal`, if it does so only for the operands that are shown. `made` is what it makes of these.
pub(crate) fn judge(request: &Request) -> Result<Json, Trouble> {
    let puzzle = puzzle(request)?;
    let made = make(puzzle, &puzzle.names, &request.expression)?;
    let answer = |verdict: &str, wrong: &[usize]| json!({ "verdict": verdict, "at": wrong.first(), "count": wrong.len(), "made": made.json() });
    let (verdict, wrong) = compare(puzzle, &make(puzzle, &puzzle.names, &puzzle.solution)?, &made);
    if verdict != "solved" {
        return Ok(answer(verdict, &wrong));
    }
    for names in &puzzle.hidden {
        let wanted = make(puzzle, names, &puzzle.solution)?;
        let same =
            make(puzzle, names, &request.expression).is_ok_and(|made| compare(puzzle, &wanted, &made).0 == "solved");
        if !same {
            return Ok(answer("literal", &[]));
        }
    }
    Ok(answer("solved", &[]))
}

/// What the two differ in, and where.
fn compare(puzzle: &Puzzle, target: &Made, made: &Made) -> (&'static str, Vec<usize>) {
    if target.shape != made.shape {
        return ("shape", Vec::new());
    }
    if puzzle.dtype && target.dtype != made.dtype {
        return ("dtype", Vec::new());
    }
    // Without a dtype to keep, 3 and 3.0 are the same number.
    let number = |text: &str| text.parse::<f64>().map_or_else(|_| text.to_owned(), |v| v.to_string());
    let differs = |(a, b): (&String, &String)| a != b && (puzzle.dtype || number(a) != number(b));
    let pairs = target.values.iter().zip(&made.values).enumerate();
    let wrong: Vec<usize> = pairs.filter(|(_, pair)| differs(*pair)).map(|(at, _)| at).collect();
    (if wrong.is_empty() { "solved" } else { "values" }, wrong)
}
