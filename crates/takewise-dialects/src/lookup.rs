//! Finding things by name: libraries, what is in their modules, and attributes of values.

use std::collections::HashMap;
use std::rc::Rc;

use takewise::grad::GradFn;

use crate::error::EvalError;
use crate::face::Face;
use crate::sig::{Call, Form, Overload, Row, row};
use crate::value::{Function, Value};
use crate::words::{full_node_name, node_name};
use crate::{JAX, MINDSPORE, NEUTRAL, NUMPY, TORCH, parts, run};

/// Every library, the default first.
pub static FACES: [&Face; 5] = [&TORCH, &NUMPY, &MINDSPORE, &JAX, &NEUTRAL];

/// The library of that name.
pub fn named(name: &str) -> Option<&'static Face> {
    FACES.into_iter().find(|f| f.name == name)
}

/// The library an expression speaks of: that of the first name in it that belongs to one, torch if
/// none does.
pub fn guess(source: &str) -> &'static Face {
    let words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
    let face_of = |word: &str| FACES.into_iter().find(|f| f.names.iter().any(|(n, _)| *n == word));
    words.filter_map(face_of).next().unwrap_or(&TORCH)
}

/// The names a session starts with. Names of `preferred` win where two libraries share one.
pub fn globals(preferred: &'static Face) -> HashMap<String, Value> {
    let mut names = HashMap::new();
    for face in FACES.into_iter().chain([preferred]) {
        for (name, path) in face.names {
            if let Some(value) = at_path(face, path) {
                names.insert((*name).to_owned(), value);
            }
        }
    }
    names
}

/// What `import path` gives.
pub fn import(path: &str) -> Option<Value> {
    FACES.into_iter().find_map(|face| {
        let (_, inner) = face.modules.iter().find(|(name, _)| *name == path)?;
        Some(Value::Module(face, inner))
    })
}

/// The module, function, dtype or constant at a path of a library's tables.
fn at_path(face: &'static Face, path: &str) -> Option<Value> {
    if let Some((_, inner)) = face.modules.iter().find(|(_, inner)| *inner == path) {
        return Some(Value::Module(face, inner));
    }
    if let Some(function) = face.function(path) {
        return Some(function);
    }
    let leaf = path.rsplit('.').next().unwrap_or(path);
    if let Some(dtype) = face.dtype(leaf) {
        return Some(Value::DType(dtype, face));
    }
    if let Some((_, constant)) = face.constants.iter().find(|(name, _)| *name == leaf) {
        return Some(constant());
    }
    let prefix = format!("{path}.");
    let row = face.tables.iter().flat_map(|t| t.iter()).find(|r| r.name.starts_with(&prefix))?;
    Some(Value::Module(face, &row.name[..path.len()]))
}

/// `object.attr`.
///
/// # Errors
/// `AttributeError`, as the library of the object words it.
pub fn attribute(object: &Value, attr: &str) -> Result<Value, EvalError> {
    let missing = |what: &str| EvalError::new("AttributeError", format!("{what} has no attribute '{attr}'"));
    match object {
        Value::Module(face, path) => {
            let full = if path.is_empty() { attr.to_owned() } else { format!("{path}.{attr}") };
            at_path(face, &full).ok_or_else(|| missing(&format!("module '{}'", module_name(face, path))))
        }
        Value::Array(array) => {
            if let Some((_, read)) = array.face.attributes.iter().find(|(name, _)| *name == attr) {
                return read(array);
            }
            if let Some(method) = array.face.method(attr) {
                return Ok(Value::Method(object.clone().into(), method));
            }
            Err(missing(&format!("'{}' object", array.face.tensor_type)))
        }
        Value::Stored(x, face) => match parts::attribute(x, face, attr) {
            Some(value) => value,
            None => Err(missing(&format!("'{}' object", face.tensor_type))),
        },
        Value::Sparse(sparse, face) => match run::grad::sparse_attribute(sparse, face, attr) {
            Some(value) => Ok(value),
            None => match face.method(attr) {
                Some(method) => Ok(Value::Method(object.clone().into(), method)),
                None => Err(missing(&format!("'{}' object", face.tensor_type))),
            },
        },
        Value::At(array, Some(_)) => match array.face.method(&format!("at.{attr}")) {
            Some(method) => Ok(Value::Method(object.clone().into(), method)),
            None => Err(missing("'_IndexUpdateRef' object")),
        },
        Value::Function(f) => {
            let path = f.rows.first().map_or(f.name, |r| r.name);
            at_path(f.face, &format!("{path}.{attr}")).ok_or_else(|| missing("'builtin_function_or_method' object"))
        }
        Value::GradFn(f) => node_attribute(f, attr).ok_or_else(|| missing(&format!("'{}' object", node_name(f.op())))),
        Value::Type(name) if attr == "__name__" => Ok(Value::Str(name.clone())),
        Value::Record(record, items) => match record.fields.iter().position(|f| *f == attr) {
            Some(at) => Ok(items[at].clone()),
            None => Err(missing(&format!("'{}' object", record.name))),
        },
        other => Err(missing(&format!("'{}' object", other.type_name()))),
    }
}

fn name_of_node(call: &Call) -> Result<Value, EvalError> {
    match call.get("input") {
        Some(Value::GradFn(f)) => Ok(Value::str(full_node_name(f.op()))),
        _ => Err(EvalError::type_error("name() is asked of an operation")),
    }
}

fn node_method() -> Function {
    static NAME: Row = row(Form::Method, "name", "Any input", name_of_node);
    Function { name: NAME.name, face: &TORCH, rows: Overload::all(&[&NAME]) }
}

/// An attribute of an operation gradients flow back through.
fn node_attribute(f: &GradFn, attr: &str) -> Option<Value> {
    let next = |f: Option<GradFn>| Value::tuple(vec![f.map_or(Value::None, Value::GradFn), Value::Int(0)]);
    Some(match attr {
        "name" => Value::Method(Rc::new(Value::GradFn(f.clone())), node_method()),
        "next_functions" => Value::tuple(f.next_functions().into_iter().map(next).collect::<Vec<_>>()),
        _ => return None,
    })
}

fn module_name(face: &Face, path: &str) -> String {
    let named = face.modules.iter().find(|(_, inner)| *inner == path);
    named.map_or_else(|| format!("{}.{path}", face.name), |(name, _)| (*name).to_owned())
}
