//! The operation of a statement: the outermost one, with its operands evaluated and itself not yet carried out.

use std::rc::Rc;

use crate::Result;
use takewise_dialects::numbers;
use takewise_dialects::operator::{CmpOp, Operator, UnaryOp};
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Array, Context, Value, lookup, object};

/// What is done to which values.
#[derive(Clone)]
pub(crate) enum Action {
    /// `array[key]`.
    Get(Array, Value),
    /// `array[key] = value`.
    Set(Array, Value, Value),
    /// `array[key] op= value`.
    Update(Array, Value, Operator, Value),
    /// A function or method called.
    Call(Value, Arguments),
    /// `value.name`.
    Attribute(Value, String),
    /// `op value`.
    Unary(UnaryOp, Value),
    /// `value op value`.
    Binary(Operator, Value, Value),
    /// `value op= value`: what is stored then.
    InPlace(Operator, Value, Value),
    /// `value op value` that gives truth.
    Compare(CmpOp, Value, Value),
    /// Nothing: a value that is there.
    Plain(Value),
}

/// A value with its arrays replaced.
pub(super) fn mapped(value: &Value, f: &mut dyn FnMut(&Array) -> Array) -> Value {
    let all = |items: &[Value], f: &mut dyn FnMut(&Array) -> Array| -> Vec<Value> {
        items.iter().map(|v| mapped(v, f)).collect()
    };
    match value {
        Value::Array(array) => Value::Array(f(array)),
        Value::Tuple(items) => Value::tuple(all(items, f)),
        Value::Record(record, items) => Value::Record(record, all(items, f).into()),
        Value::List(items) => Value::list(all(&items.borrow(), f)),
        Value::Slice(parts) => Value::Slice(std::array::from_fn::<_, 3, _>(|k| mapped(&parts[k], f)).into()),
        Value::At(array, key) => Value::At(f(array), key.as_ref().map(|key| Rc::new(mapped(key, f)))),
        Value::Method(receiver, function) => Value::Method(Rc::new(mapped(receiver, f)), function.clone()),
        other => other.clone(),
    }
}

impl Action {
    /// The same action on other arrays.
    pub(super) fn on(&self, f: &mut dyn FnMut(&Array) -> Array) -> Action {
        match self {
            Action::Get(array, key) => Action::Get(f(array), mapped(key, f)),
            Action::Set(array, key, value) => Action::Set(f(array), mapped(key, f), mapped(value, f)),
            Action::Update(array, key, op, value) => Action::Update(f(array), mapped(key, f), *op, mapped(value, f)),
            Action::Call(function, arguments) => {
                let function = mapped(function, f);
                let positional = arguments.positional.iter().map(|v| mapped(v, f)).collect();
                let keyword = arguments.keyword.iter().map(|(name, v)| (name.clone(), mapped(v, f))).collect();
                Action::Call(function, Arguments { positional, keyword })
            }
            Action::Attribute(value, name) => Action::Attribute(mapped(value, f), name.clone()),
            Action::Unary(op, value) => Action::Unary(*op, mapped(value, f)),
            Action::Binary(op, a, b) => {
                let a = mapped(a, f);
                Action::Binary(*op, a, mapped(b, f))
            }
            Action::InPlace(op, a, b) => {
                let a = mapped(a, f);
                Action::InPlace(*op, a, mapped(b, f))
            }
            Action::Compare(op, a, b) => {
                let a = mapped(a, f);
                Action::Compare(*op, a, mapped(b, f))
            }
            Action::Plain(value) => Action::Plain(mapped(value, f)),
        }
    }

    /// Carries it out.
    ///
    /// # Errors
    /// Those of the library.
    pub(super) fn perform(&self, context: &Rc<Context>) -> Result<Value> {
        match self {
            Action::Get(array, key) => object::get(array, key),
            Action::Set(array, key, value) => object::set(array, key, value).map(|()| Value::None),
            Action::Update(array, key, op, value) => {
                let after = object::binary_for(*op, &object::get(array, key)?, value)?;
                object::set(array, key, &after).map(|()| Value::None)
            }
            Action::Call(function, arguments) => object::call(function, arguments, context),
            Action::Attribute(value, name) => lookup::attribute(value, name),
            Action::Unary(op, value) => object::unary(*op, value),
            Action::Binary(op, a, b) => object::binary(*op, a, b),
            Action::InPlace(op, a, b) => object::binary_for(*op, a, b),
            Action::Compare(op, a, b) => object::compare(*op, a, b),
            Action::Plain(value) => Ok(value.clone()),
        }
    }

    /// The operation by its library's name.
    pub(super) fn name(&self) -> String {
        match self {
            Action::Get(..) => "index",
            Action::Set(..) | Action::Update(..) => "setitem",
            Action::Call(Value::Method(receiver, f), _) if matches!(**receiver, Value::At(..)) => {
                return format!("at.{}", f.name.trim_start_matches("at."));
            }
            Action::Call(Value::Function(f) | Value::Method(_, f), _) => f.name,
            Action::Call(Value::Builtin(name), _) => name,
            Action::Call(..) => "call",
            Action::Attribute(_, name) => name,
            Action::Unary(UnaryOp::Invert, _) => "~",
            Action::Unary(UnaryOp::Not, _) => "not",
            Action::Unary(UnaryOp::UAdd, _) => "+",
            Action::Unary(UnaryOp::USub, _) => "-",
            Action::Binary(Operator::Pow, ..) | Action::InPlace(Operator::Pow, ..) => "**",
            Action::Binary(op, ..) | Action::InPlace(op, ..) => numbers::symbol(*op),
            Action::Compare(op, ..) => numbers::comparison_symbol(*op),
            Action::Plain(_) => "value",
        }
        .to_owned()
    }

    /// The array that is indexed, or the first array there is.
    pub(super) fn first(&self) -> Option<Array> {
        let mut found = None;
        let _ = self.on(&mut |array| {
            found.get_or_insert_with(|| array.clone());
            array.clone()
        });
        found
    }
}
