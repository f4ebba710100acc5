//! `takewise explain`: how an expression would be carried out.
//!
//! Statements before the last are run. The last one is run dry: shapes, dtypes, rules and plans are those
//! of the real call and so are its errors, but no element moves. For small tensors the elements that would move
//! are listed, by the offsets the plan resolves to.

use std::fmt::Write;
use takewise::op::Op;

use rustpython_parser::ast;
use takewise::{Tensor, strategy};
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Array, EvalError, Value, object};

use crate::elements;
use crate::eval;
use crate::session::Session;
use crate::syntax::{self, span};

type Result<T, E = EvalError> = std::result::Result<T, E>;

/// The pieces of the statement to explain.
pub(crate) enum Action {
    /// `array[key]`.
    Read(Array, Value),
    /// `array[key] = value`.
    Write(Array, Value, Value),
    /// A call, its function and arguments evaluated.
    Call(Value, Arguments),
    /// Anything else: its value.
    Plain(Value),
}

/// Explains the last statement of `source`, after running those before it.
///
/// # Errors
/// Those of evaluation.
pub fn explain(session: &mut Session, source: &str) -> Result<String> {
    let statements = syntax::parse(source)?;
    let Some((last, before)) = statements.split_last() else {
        return Err(EvalError::new("SyntaxError", "nothing to explain").at(0..source.len()));
    };
    for statement in before {
        session.run(statement)?;
    }
    let _ = session.take_output();
    let action = prepare(session, last)?;
    let (outcome, plans) = strategy::trace(true, || perform(session, &action));
    let result = outcome.map_err(|e| e.at(span(last)))?;
    let mut out = format!("{}\n", source[span(last)].trim());
    describe_result(&mut out, &action, &result);
    describe_axes(&mut out, &action, &result);
    describe_plans(&mut out, &plans, &result);
    if let Some(map) = elements::map(&action, &result, &plans) {
        out.push_str(&map);
    }
    Ok(out)
}

/// Evaluates the operands of a statement, but not its outermost operation.
fn prepare(session: &mut Session, statement: &ast::Stmt) -> Result<Action> {
    match statement {
        ast::Stmt::Expr(s) => prepare_expression(session, &s.value),
        ast::Stmt::Assign(s) => match &s.targets[..] {
            [ast::Expr::Subscript(target)] => {
                let array = eval::expression(session, &target.value)?;
                let key = eval::key(session, &target.slice)?;
                let value = eval::expression(session, &s.value)?;
                match array {
                    Value::Array(array) => Ok(Action::Write(array, key, value)),
                    other => Ok(Action::Plain(other)),
                }
            }
            _ => prepare_expression(session, &s.value),
        },
        other => Err(EvalError::unsupported("only expressions and assignments can be explained").at(span(other))),
    }
}

fn prepare_expression(session: &mut Session, expr: &ast::Expr) -> Result<Action> {
    match expr {
        ast::Expr::Subscript(s) => match eval::expression(session, &s.value)? {
            Value::Array(array) => Ok(Action::Read(array, eval::key(session, &s.slice)?)),
            _ => eval::expression(session, expr).map(Action::Plain),
        },
        ast::Expr::Call(c) => {
            let (function, arguments) = eval::call_parts(session, c)?;
            match function {
                Value::Function(_) | Value::Method(..) => Ok(Action::Call(function, arguments)),
                other => eval::call(session, &other, &arguments).map(Action::Plain),
            }
        }
        other => eval::expression(session, other).map(Action::Plain),
    }
}

fn perform(session: &mut Session, action: &Action) -> Result<Value> {
    match action {
        Action::Read(array, key) => object::get(array, key),
        Action::Write(array, key, value) => {
            object::set(array, key, value)?;
            Ok(Value::Array(array.clone()))
        }
        Action::Call(function, arguments) => eval::call(session, function, arguments),
        Action::Plain(value) => Ok(value.clone()),
    }
}

/// The tensor an action reads from or writes into: its first tensor operand.
pub(crate) fn main_operand(action: &Action) -> Option<Array> {
    match action {
        Action::Read(array, _) | Action::Write(array, ..) => Some(array.clone()),
        Action::Call(Value::Method(receiver, _), _) => match &**receiver {
            Value::At(array, _) => Some(array.clone()),
            other => other.array().cloned(),
        },
        Action::Call(_, arguments) => {
            let all = arguments.positional.iter().chain(arguments.keyword.iter().map(|(_, v)| v));
            all.filter_map(Value::array).next().cloned()
        }
        Action::Plain(_) => None,
    }
}

fn describe_result(out: &mut String, action: &Action, result: &Value) {
    let Value::Array(array) = result else {
        let _ = writeln!(out, "result: {}", result.type_name());
        return;
    };
    let tensor = array.tensor();
    let shared = main_operand(action).is_some_and(|m| m.tensor().shares_memory(&tensor));
    let kind = match action {
        Action::Write(..) => "written in place",
        _ if shared && main_operand(action).is_some_and(|m| m.same(array)) => "written in place",
        _ if shared => "view: shares memory, nothing is moved",
        Action::Plain(_) => "value",
        _ => "copy: fresh memory",
    };
    let _ = writeln!(out, "result: {} {:?}, {kind}", tensor.dtype().name(), tensor.shape());
    if shared && !tensor.is_contiguous() {
        let _ = writeln!(out, "  strides {:?} elements, offset {}", tensor.strides(), tensor.storage_offset());
    }
}

/// Where the axes of the result came from.
fn describe_axes(out: &mut String, action: &Action, result: &Value) {
    let lines = match action {
        Action::Read(array, key) | Action::Write(array, key, _) => subscript_axes(array, key),
        Action::Call(function, arguments) => call_axes(function, arguments, result)
            .or_else(|| main_operand(action).zip(result.array()).map(|(m, r)| view_axes(&m.tensor(), &r.tensor()))),
        Action::Plain(_) => None,
    };
    if matches!(action, Action::Write(..)) && lines.is_some() {
        out.push_str("  axes of the places written:\n");
    }
    for line in lines.into_iter().flatten() {
        let _ = writeln!(out, "  {line}");
    }
}

fn subscript_axes(array: &Array, key: &Value) -> Option<Vec<String>> {
    let items = object::items(array.face, key).ok()?;
    let tensor = array.tensor();
    // Tensors among the items are opened for as long as the normal form is looked at.
    let open: Vec<_> =
        items.iter().map(|i| if let object::Item::Tensor(t) = i { t.read_any().ok() } else { None }).collect();
    let index: Vec<takewise::Index<'_>> = items
        .iter()
        .zip(&open)
        .map(|(item, open)| match open {
            Some(guard) => takewise::Index::Array(guard.view()),
            None => item.index(),
        })
        .collect();
    let size = tensor.dtype().size();
    let rules = &array.face.rules.get;
    let normal = takewise::index::normalize::normalize(Op::Index, tensor.layout(), size, &index, rules).ok()?;
    let strides = tensor.layout().strides();
    let lines = normal.dims.iter().enumerate().map(|(i, dim)| {
        let from = match (dim.index, dim.axis) {
            (Some(_), _) if normal.mask.is_some() => "places the mask selects".to_owned(),
            (Some(b), _) => {
                let axes: Vec<String> = normal.arrays.iter().map(|a| a.axis.to_string()).collect();
                format!("axis {b} of the index arrays, for input axis {}", axes.join(", "))
            }
            (None, Some(axis)) => match strides.get(axis) {
                Some(&s) if s != 0 && dim.step != s => format!("input axis {axis}, every {}", dim.step / s),
                _ => format!("input axis {axis}"),
            },
            (None, None) => "inserted".to_owned(),
        };
        format!("axis {i} ({}): {from}", dim.extent)
    });
    Some(lines.collect())
}

/// Where the axes come from in functions that read along a dim or by flat position.
fn call_axes(function: &Value, arguments: &Arguments, result: &Value) -> Option<Vec<String>> {
    let (name, given) = match function {
        Value::Function(f) => (f.name, 1),
        Value::Method(_, f) => (f.name, 0),
        _ => return None,
    };
    let shape = result.array()?.shape();
    let argument = |at: usize, keyword: &str| {
        let named = arguments.keyword.iter().find(|(k, _)| k == keyword).map(|(_, v)| v);
        named.or_else(|| arguments.positional.get(given + at)).and_then(Value::as_int)
    };
    let rank = shape.len() as i128;
    let along = |dim: i128| if dim < 0 { dim + rank } else { dim };
    let line = |i: usize, from: String| format!("axis {i} ({}): {from}", shape[i]);
    let every = |from: &dyn Fn(usize) -> String| Some((0..shape.len()).map(|i| line(i, from(i))).collect());
    match name {
        "gather" | "take_along_dim" | "take_along_axis" => {
            let at = if name == "gather" { 0 } else { 1 };
            let dim = along(argument(at, "dim").or_else(|| argument(at, "axis"))?);
            every(&|i| match i as i128 == dim {
                true => format!("index axis {i}, its values choosing along input axis {i}"),
                false => format!("index axis {i}, walked together with input axis {i}"),
            })
        }
        "index_select" => {
            let dim = along(argument(0, "dim")?);
            every(&|i| match i as i128 == dim {
                true => format!("the index, choosing along input axis {i}"),
                false => format!("input axis {i}"),
            })
        }
        "take" if argument(1, "axis").is_none() => every(&|i| format!("index axis {i}, into the flattened input")),
        "searchsorted" | "bucketize" => every(&|i| format!("values axis {i}")),
        "masked_select" => every(&|_| "places the mask selects".to_owned()),
        _ => None,
    }
}

/// Axes of a view by their strides; those of a copy by their extents only where the shapes agree.
fn view_axes(from: &Tensor, to: &Tensor) -> Vec<String> {
    if !from.shares_memory(to) {
        return Vec::new();
    }
    let steps = from.layout().strides();
    to.shape()
        .iter()
        .zip(to.layout().strides())
        .enumerate()
        .map(|(i, (extent, step))| {
            let exact = steps.iter().zip(from.shape()).position(|(s, n)| s == step && n == extent);
            let source = exact.or_else(|| steps.iter().position(|s| s == step));
            match (source, step) {
                (Some(axis), _) => format!("axis {i} ({extent}): input axis {axis}"),
                (None, 0) => format!("axis {i} ({extent}): repeats the same elements"),
                (None, step) => format!("axis {i} ({extent}): step of {step} bytes"),
            }
        })
        .collect()
}

fn describe_plans(out: &mut String, plans: &[strategy::Traced], result: &Value) {
    if plans.is_empty() {
        let _ = writeln!(out, "plan: none, no indexed element is moved");
        return;
    }
    let mut total = 0usize;
    for traced in plans {
        let _ = writeln!(out, "plan ({}):", traced.verb);
        for line in traced.to_string().lines() {
            let _ = writeln!(out, "  {line}");
        }
        total = total.saturating_add(traced.plan.bytes());
    }
    let held = result.array().map_or(0, |a| a.tensor().numel() * a.dtype().size());
    let _ = writeln!(out, "moves {} (the result holds {})", size(total), size(held));
}

/// A byte count for people.
pub fn size(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}
