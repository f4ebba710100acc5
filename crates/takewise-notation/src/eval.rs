//! Expressions.

use crate::Result;
use rustpython_parser::ast::{self, BoolOp, Constant};
use takewise_dialects::numbers::truth;
use takewise_dialects::operator::CmpOp;
use takewise_dialects::sig::Arguments;
use takewise_dialects::{EvalError, Value, lookup, numbers, object};

use crate::session::Session;
use crate::syntax::span;
use crate::{builtins, operators, suggest};

/// Evaluates an expression; errors point at the part of the source that caused them. What it needs of arrays that are not in
/// memory is read.
pub(crate) fn expression(session: &mut Session, expr: &ast::Expr) -> Result<Value> {
    evaluate(session, expr).and_then(object::settled).map_err(|e| e.at(span(expr)))
}

/// [`expression`], for those who may need none of its elements, or few.
pub(crate) fn unread(session: &mut Session, expr: &ast::Expr) -> Result<Value> {
    evaluate(session, expr).map_err(|e| e.at(span(expr)))
}

fn evaluate(session: &mut Session, expr: &ast::Expr) -> Result<Value> {
    match expr {
        ast::Expr::Constant(c) => constant(&c.value),
        ast::Expr::Name(n) => name(session, &n.id),
        ast::Expr::Tuple(t) => Ok(Value::tuple(all(session, &t.elts)?)),
        ast::Expr::List(l) => Ok(Value::list(all(session, &l.elts)?)),
        ast::Expr::Attribute(a) => {
            let object = unread(session, &a.value)?;
            lookup::attribute(&object, &a.attr).map_err(|e| suggest::attribute(e, &object, &a.attr))
        }
        ast::Expr::Subscript(s) => {
            let object = unread(session, &s.value)?;
            let key = key(session, &s.slice)?;
            subscript(&object, &key).map_err(|e| suggest::blame(e, suggest::subscripts(&s.slice, &key)))
        }
        ast::Expr::Call(c) => {
            let (function, arguments) = call_parts(session, c)?;
            call(session, &function, &arguments).map_err(|e| suggest::blame(e, suggest::arguments(c, &arguments)))
        }
        ast::Expr::UnaryOp(u) => {
            let operand = expression(session, &u.operand)?;
            object::unary(operators::unary(u.op), &operand)
        }
        ast::Expr::BinOp(b) => {
            let left = expression(session, &b.left)?;
            let right = expression(session, &b.right)?;
            object::binary(operators::binary(b.op), &left, &right)
        }
        ast::Expr::BoolOp(b) => {
            let mut value = Value::None;
            for operand in &b.values {
                value = expression(session, operand)?;
                if truth(&value)? == (b.op == BoolOp::Or) {
                    break;
                }
            }
            Ok(value)
        }
        ast::Expr::Compare(c) => {
            let mut left = expression(session, &c.left)?;
            let mut result = Value::Bool(true);
            for (op, right) in c.ops.iter().zip(&c.comparators) {
                let right = expression(session, right)?;
                result = compare(operators::comparison(*op), &left, &right)?;
                if c.ops.len() > 1 && !truth(&result)? {
                    break;
                }
                left = right;
            }
            Ok(result)
        }
        ast::Expr::IfExp(e) => {
            let test = expression(session, &e.test)?;
            unread(session, if truth(&test)? { &e.body } else { &e.orelse })
        }
        ast::Expr::Slice(_) => key(session, expr),
        other => Err(EvalError::unsupported(format!("{} are not evaluated", unsupported_name(other)))),
    }
}

fn unsupported_name(expr: &ast::Expr) -> &'static str {
    match expr {
        ast::Expr::Lambda(_) => "lambdas",
        ast::Expr::Dict(_) | ast::Expr::DictComp(_) => "dicts",
        ast::Expr::Set(_) | ast::Expr::SetComp(_) => "sets",
        ast::Expr::ListComp(_) | ast::Expr::GeneratorExp(_) => "comprehensions",
        ast::Expr::JoinedStr(_) | ast::Expr::FormattedValue(_) => "f-strings",
        ast::Expr::NamedExpr(_) => "assignment expressions",
        _ => "expressions of this kind",
    }
}

fn all(session: &mut Session, exprs: &[ast::Expr]) -> Result<Vec<Value>> {
    let mut out = Vec::with_capacity(exprs.len());
    for e in exprs {
        match e {
            ast::Expr::Starred(s) => {
                let spread = expression(session, &s.value)?;
                out.extend(iterate(&spread)?);
            }
            plain => out.push(unread(session, plain)?),
        }
    }
    Ok(out)
}

fn constant(c: &Constant) -> Result<Value> {
    Ok(match c {
        Constant::None => Value::None,
        Constant::Bool(b) => Value::Bool(*b),
        Constant::Str(s) => Value::str(s.as_str()),
        Constant::Int(i) => match i.to_string().parse() {
            Ok(i) => Value::Int(i),
            Err(_) => return Err(EvalError::new("OverflowError", "integers are kept in 128 bits here")),
        },
        Constant::Float(x) => Value::Float(*x),
        Constant::Complex { real, imag } => Value::Complex(*real, *imag),
        Constant::Ellipsis => Value::Ellipsis,
        Constant::Tuple(items) => Value::tuple(items.iter().map(constant).collect::<Result<Vec<_>>>()?),
        Constant::Bytes(_) => return Err(EvalError::unsupported("bytes are not evaluated")),
    })
}

fn name(session: &Session, id: &str) -> Result<Value> {
    if let Some(value) = session.get(id) {
        session.present(value)?;
        return Ok(value.clone());
    }
    if let Some(builtin) = builtins::named(id) {
        return Ok(builtin);
    }
    Err(session.unknown(id))
}

/// The function of a call and its evaluated arguments, which may not be in memory.
pub(crate) fn call_parts(session: &mut Session, c: &ast::ExprCall) -> Result<(Value, Arguments)> {
    let function = unread(session, &c.func)?;
    let mut arguments = Arguments::default();
    for argument in &c.args {
        match argument {
            ast::Expr::Starred(s) => {
                let spread = expression(session, &s.value)?;
                arguments.positional.extend(iterate(&spread)?);
            }
            plain => arguments.positional.push(unread(session, plain)?),
        }
    }
    for keyword in &c.keywords {
        let Some(name) = &keyword.arg else {
            return Err(EvalError::unsupported("`**` arguments are not evaluated"));
        };
        arguments.keyword.push((name.to_string(), unread(session, &keyword.value)?));
    }
    Ok((function, arguments))
}

/// Calls a function value.
pub(crate) fn call(session: &mut Session, function: &Value, arguments: &Arguments) -> Result<Value> {
    match function {
        Value::Builtin(name) => builtins::call(session, name, arguments),
        other => object::call_reading(other, arguments, &session.context()),
    }
}

/// What stands between the brackets of a subscript.
pub(crate) fn key(session: &mut Session, expr: &ast::Expr) -> Result<Value> {
    match expr {
        ast::Expr::Slice(s) => {
            let mut part = |e: &Option<Box<ast::Expr>>| match e {
                Some(e) => expression(session, e),
                None => Ok(Value::None),
            };
            let parts = [part(&s.lower)?, part(&s.upper)?, part(&s.step)?];
            Ok(Value::Slice(parts.into()))
        }
        ast::Expr::Tuple(t) => {
            let items = t.elts.iter().map(|e| key(session, e)).collect::<Result<Vec<_>>>()?;
            Ok(Value::tuple(items))
        }
        plain => expression(session, plain),
    }
}

/// `object[key]`.
pub(crate) fn subscript(object: &Value, key: &Value) -> Result<Value> {
    match object {
        Value::Array(array) => object::get(array, key),
        Value::Stored(x, face) => object::part(x, face, key),
        Value::At(array, None) => Ok(Value::At(array.clone(), Some(key.clone().into()))),
        Value::Str(s) => {
            let chars: Vec<char> = s.chars().collect();
            let at = position(key, chars.len(), "string")?;
            Ok(Value::str(chars[at].to_string()))
        }
        sequence => {
            let Some(items) = sequence.items() else {
                let text = format!("'{}' object is not subscriptable", object.type_name());
                return Err(EvalError::type_error(text));
            };
            if let Value::Slice(parts) = key {
                let picked = slice_items(&items, parts)?;
                return Ok(match sequence {
                    Value::List(_) => Value::list(picked),
                    Value::Size(_) => {
                        Value::Size(picked.iter().filter_map(|v| usize::try_from(v.as_int()?).ok()).collect())
                    }
                    _ => Value::tuple(picked),
                });
            }
            let what = if matches!(sequence, Value::Record(..)) { "tuple" } else { sequence.type_name() };
            let at = position(key, items.len(), what)?;
            Ok(items[at].clone())
        }
    }
}

fn slice_items(items: &[Value], parts: &[Value; 3]) -> Result<Vec<Value>> {
    let bound = |v: &Value| match v {
        Value::None => Ok(None),
        v => v
            .as_int()
            .map(Some)
            .ok_or_else(|| EvalError::type_error("slice indices must be integers or None or have an __index__ method")),
    };
    let (start, stop, step) = (bound(&parts[0])?, bound(&parts[1])?, bound(&parts[2])?.unwrap_or(1));
    if step == 0 {
        return Err(EvalError::value_error("slice step cannot be zero"));
    }
    let n = items.len() as i128;
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let clamp = |v: i128| (if v < 0 { v.saturating_add(n) } else { v }).clamp(low, high);
    let mut at = start.map_or(if step > 0 { low } else { high }, clamp);
    let stop = stop.map_or(if step > 0 { high } else { low }, clamp);
    let mut out = Vec::new();
    while if step > 0 { at < stop } else { at > stop } {
        out.push(items[at as usize].clone());
        at = at.saturating_add(step);
    }
    Ok(out)
}

/// A sequence position from an index value, negatives counting from the end.
pub(crate) fn position(key: &Value, len: usize, what: &str) -> Result<usize> {
    let Some(i) = key.as_int() else {
        let text = format!("{what} indices must be integers or slices, not {}", key.type_name());
        return Err(EvalError::type_error(text));
    };
    let at = if i < 0 { i + len as i128 } else { i };
    usize::try_from(at)
        .ok()
        .filter(|&at| at < len)
        .ok_or_else(|| EvalError::index_error(format!("{what} index out of range")))
}

/// The items of anything iterable; the first axis of a tensor.
pub(crate) fn iterate(value: &Value) -> Result<Vec<Value>> {
    if let Some(items) = value.items() {
        return Ok(items);
    }
    match value {
        Value::Array(array) => object::rows(array),
        Value::Stored(x, face) => object::rows(&object::in_memory(x, face)?),
        other => Err(EvalError::type_error(format!("cannot unpack non-iterable {} object", other.type_name()))),
    }
}

fn compare(op: CmpOp, left: &Value, right: &Value) -> Result<Value> {
    let is_array = |v: &Value| matches!(v, Value::Array(_));
    match op {
        CmpOp::Is | CmpOp::IsNot => {
            let same = numbers::identical(left, right);
            Ok(Value::Bool(same == (op == CmpOp::Is)))
        }
        CmpOp::In | CmpOp::NotIn => {
            let mut found = false;
            for item in iterate(right)? {
                let equal = if is_array(&item) || is_array(left) {
                    truth(&object::compare(CmpOp::Eq, left, &item)?)?
                } else {
                    numbers::equal(left, &item)
                };
                found |= equal;
            }
            Ok(Value::Bool(found == (op == CmpOp::In)))
        }
        _ => object::compare(op, left, right),
    }
}
