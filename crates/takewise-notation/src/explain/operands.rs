//! The arrays that go into an operation: their names and what each is for.

use std::ops::Range;
use std::rc::Rc;

use takewise::DType;
use takewise::OwnedIndex as Item;
use takewise::ops::Source;
use takewise_dialects::object;
use takewise_dialects::sig::{self, Arguments};
use takewise_dialects::{Array, Context, Function, NUMPY, Value};
use takewise_explain::data::Role;

use super::action::Action;
use super::prepare::{Written, is};

/// An array that goes in.
pub(super) struct Slot {
    pub(super) array: Array,
    /// The parameter it is given for; for parts of a subscript nothing.
    pub(super) parameter: &'static str,
    pub(super) role: Role,
}

/// The slots of an operation, in the order of the call.
pub(super) fn slots(action: &Action, context: &Rc<Context>) -> Vec<Slot> {
    let mut all = Vec::new();
    match action {
        Action::Get(array, key) => {
            push(&mut all, "input", Role::Data, &Value::Array(array.clone()));
            subscript(&mut all, key);
        }
        Action::Set(array, key, value) | Action::Update(array, key, _, value) => {
            push(&mut all, "input", Role::Data, &Value::Array(array.clone()));
            subscript(&mut all, key);
            push(&mut all, "value", Role::Values, value);
        }
        Action::Call(function, arguments) => called(&mut all, function, arguments, context),
        Action::Attribute(value, _) | Action::Unary(_, value) => push(&mut all, "input", Role::Data, value),
        Action::Binary(_, a, b) | Action::InPlace(_, a, b) | Action::Compare(_, a, b) => {
            push(&mut all, "input", Role::Data, a);
            push(&mut all, "other", Role::Values, b);
        }
        Action::Plain(_) => {}
    }
    all
}

fn push(all: &mut Vec<Slot>, parameter: &'static str, role: Role, value: &Value) {
    match value {
        Value::Array(array) => {
            let mask = role == Role::Index && array.dtype() == DType::Bool;
            let role = if mask { Role::Mask } else { role };
            all.push(Slot { array: array.clone(), parameter, role });
        }
        Value::At(array, key) => {
            push(all, parameter, role, &Value::Array(array.clone()));
            if let Some(key) = key {
                subscript(all, key);
            }
        }
        Value::Sparse(sparse, face) => {
            let part =
                |parameter, role, of: &takewise::Tensor| Slot { array: Array::new(of.clone(), face), parameter, role };
            all.push(part("indices", Role::Index, sparse.indices()));
            all.push(part("values", Role::Data, sparse.values()));
        }
        Value::Slice(_) | Value::Str(_) => {}
        other => other.items().iter().flatten().for_each(|v| push(all, parameter, role, v)),
    }
}

fn subscript(all: &mut Vec<Slot>, key: &Value) {
    push(all, "index", Role::Index, key);
}

fn called(all: &mut Vec<Slot>, function: &Value, arguments: &Arguments, context: &Rc<Context>) {
    let (f, receiver) = match function {
        Value::Function(f) => (f, None),
        Value::Method(receiver, f) => (f, Some((**receiver).clone())),
        _ => return,
    };
    match sig::bind(f, receiver.clone(), arguments.clone(), Rc::clone(context)) {
        Ok((_, call)) => {
            for (parameter, value) in call.named() {
                let parameter = if parameter == "args" { "input" } else { parameter };
                push(all, parameter, role(f, parameter), value);
            }
        }
        // The call will fail; what it was given is shown all the same.
        Err(_) => {
            let given = receiver.iter().chain(&arguments.positional).chain(arguments.keyword.iter().map(|(_, v)| v));
            given.for_each(|v| push(all, "argument", Role::Data, v));
        }
    }
}

/// What a parameter is for: of takewise's own functions by the catalogue, of the libraries' by its name.
fn role(f: &Function, parameter: &str) -> Role {
    if let Some(role) = f.operation().and_then(|entry| entry.role(parameter)) {
        return of_own(role);
    }
    let searches = ["searchsorted", "bucketize", "digitize", "isin"].contains(&f.name);
    match parameter {
        "input" if f.name.contains("embedding") => Role::Index,
        "input" if f.name == "choose" => Role::Index,
        "input" | "self" | "v" | "x" | "elements" | "element" if searches => Role::Values,
        "sorted_sequence" | "boundaries" | "bins" | "test_elements" | "test_element" => Role::Sequence,
        "sorter" => Role::Sorter,
        "index" | "indices" | "input_indices" | "segment_ids" | "multi_index" | "offsets" => Role::Index,
        "indices_or_sections" | "sections" => Role::Index,
        "mask" | "condition" | "condlist" => Role::Mask,
        "src" | "source" | "value" | "values" | "vals" | "val" | "updates" | "y" | "fill_value" => Role::Values,
        "gradient" | "grad_tensors" | "grad_outputs" | "per_sample_weights" => Role::Values,
        "other" if f.name.trim_end_matches('_') == "copy" => Role::Values,
        _ => Role::Data,
    }
}

/// What an explanation says of an argument of takewise's own functions.
pub fn of_own(role: takewise_operations::Role) -> Role {
    use takewise_operations::Role as Of;
    match role {
        Of::Index | Of::Key => Role::Index,
        rows if Of::ROWS.contains(&rows) => Role::Index,
        Of::Mask | Of::Condition => Role::Mask,
        Of::Values | Of::Array | Of::Sought | Of::Weights => Role::Values,
        Of::Sequence => Role::Sequence,
        Of::Sorter => Role::Sorter,
        _ => Role::Data,
    }
}

/// What a slot is called, of those with the same parameter by number.
pub(super) fn names(slots: &[Slot], written: &Written) -> Vec<String> {
    let name = |slot: &Slot| written.name(&slot.array).map(str::to_owned);
    let parameter = |slot: &Slot| match slot.role {
        Role::Mask if slot.parameter == "index" => "mask",
        _ => slot.parameter,
    };
    let unnamed =
        |p: &str, upto: usize| slots[..upto].iter().filter(|s| name(s).is_none() && parameter(s) == p).count();
    let all = slots.iter().enumerate().map(|(k, slot)| {
        name(slot).unwrap_or_else(|| {
            let own = parameter(slot);
            match unnamed(own, slots.len()) {
                1 => own.to_owned(),
                _ => format!("{own}{}", unnamed(own, k) + 1),
            }
        })
    });
    all.collect()
}

/// Where a slot is written.
pub(super) fn place(slot: &Slot, written: &Written) -> Option<Range<usize>> {
    written.place(&slot.array)
}

/// The same operation with lists as the arrays they stand for, so that what is read from them can be told.
pub(super) fn listed(action: Action, written: &mut Written, context: &Rc<Context>) -> Action {
    match action {
        Action::Get(array, key) => {
            let key = key_of(&array, &key, written);
            Action::Get(array, key)
        }
        Action::Set(array, key, value) => {
            let key = key_of(&array, &key, written);
            let value = match (value.items(), object::source(&array, &value)) {
                (Some(_), Ok(Source::Array(tensor))) => {
                    let made = Array::new(tensor, array.face);
                    written.also(&made, &value);
                    Value::Array(made)
                }
                _ => value,
            };
            Action::Set(array, key, value)
        }
        Action::Update(array, key, op, value) => {
            let key = key_of(&array, &key, written);
            Action::Update(array, key, op, value)
        }
        Action::Call(Value::Method(receiver, f), arguments) => {
            let receiver = match &*receiver {
                Value::At(array, Some(key)) => Value::At(array.clone(), Some(Rc::new(key_of(array, key, written)))),
                other => other.clone(),
            };
            let arguments = arrays_for(&f, Some(&receiver), arguments, written, context);
            Action::Call(Value::Method(Rc::new(receiver), f), arguments)
        }
        Action::Call(Value::Function(f), arguments) => {
            let arguments = arrays_for(&f, None, arguments, written, context);
            Action::Call(Value::Function(f), arguments)
        }
        other => other,
    }
}

/// A subscript with the arrays its items stand for; as it is where the library refuses it.
fn key_of(array: &Array, key: &Value, written: &mut Written) -> Value {
    let Ok(items) = object::items(array.face, key) else { return key.clone() };
    let given = match key {
        Value::Tuple(_) => key.items().filter(|given| given.len() == items.len()),
        _ if items.len() == 1 => Some(vec![key.clone()]),
        _ => None,
    };
    let Some(given) = given else { return key.clone() };
    let made = given.into_iter().zip(items).map(|(value, item)| match item {
        Item::Tensor(tensor) if !matches!(&value, Value::Array(a) if a.tensor().is_same(&tensor)) => {
            let made = Array::new(tensor, array.face);
            written.also(&made, &value);
            Value::Array(made)
        }
        _ => value,
    });
    Value::tuple(made.collect::<Vec<_>>())
}

/// Arguments with lists of numbers as arrays, for parameters that stand for elements and take anything.
fn arrays_for(
    f: &Function,
    receiver: Option<&Value>,
    arguments: Arguments,
    written: &mut Written,
    context: &Rc<Context>,
) -> Arguments {
    // Where these have lists for values they take other dtypes than of arrays.
    if *f.face != NUMPY || ["place", "putmask", "copyto", "array", "asarray", "at"].contains(&f.name) {
        return arguments;
    }
    let Ok((_, call)) = sig::bind(f, receiver.cloned(), arguments.clone(), Rc::clone(context)) else {
        return arguments;
    };
    let convert = |name: &str, value: &Value| {
        let wanted = match role(f, name) {
            Role::Data => ["input", "m", "ary", "arr"].contains(&name),
            Role::Index => ["index", "indices"].contains(&name),
            _ => true,
        };
        let whole = role(f, name) == Role::Index;
        let numbers = matches!(value, Value::List(_) | Value::Tuple(_)) && plain(value, whole);
        let made = if wanted && numbers { object::to_tensor(value, f.face).ok() } else { None };
        made.filter(|t| t.numel() > 0).map(|tensor| Value::Array(Array::new(tensor, f.face)))
    };
    let made: Vec<_> = call.named().filter_map(|(name, value)| Some((value.clone(), convert(name, value)?))).collect();
    for (list, made) in &made {
        if let Value::Array(made) = made {
            written.also(made, list);
        }
    }
    let Arguments { positional, keyword } = arguments;
    let stand = |given: Value| made.iter().find(|(v, _)| is(v, &given)).map_or(given, |(_, made)| made.clone());
    Arguments {
        positional: positional.into_iter().map(stand).collect(),
        keyword: keyword.into_iter().map(|(name, value)| (name, stand(value))).collect(),
    }
}

/// Whether nested lists hold numbers alone, or integers alone.
fn plain(value: &Value, whole: bool) -> bool {
    match value {
        Value::List(_) | Value::Tuple(_) => value.items().is_some_and(|items| items.iter().all(|v| plain(v, whole))),
        Value::Int(_) => true,
        Value::Bool(_) | Value::Float(_) | Value::Complex(..) => !whole,
        _ => false,
    }
}
