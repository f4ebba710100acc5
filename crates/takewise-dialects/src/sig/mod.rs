//! Signatures as data, and the one routine that binds arguments to them.
//!
//! Every library function is a [`Row`]: its name, its parameters written as torch's own schema writes
//! them (`Tensor input, int dim, Tensor index, *, bool sparse_grad=False`), and the operation it
//! means. Overloads are rows of the same name, tried in order. Binding reproduces the argument errors
//! of the library: torch has its own texts, the others use Python's.

mod bind;
mod plain;
mod unfit;
mod wording;

use std::rc::Rc;
use std::sync::Arc;

use takewise::internal::Table;
use takewise::{DType, Op, Scalar};

pub use bind::bind;
pub use plain::Plain;
pub(crate) use plain::fresh_copy;
pub use wording::Wording;

use crate::context::Context;
use crate::error::EvalError;
use crate::value::{Array, Value};

/// How a row can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `torch.gather(x, ...)` and `x.gather(...)`.
    Both,
    /// As [`Form::Both`], and `x.index_add_(...)` writing into `x`.
    BothInPlace,
    /// Only `torch.arange(...)`.
    Function,
    /// Only `x.long()`; the first parameter is `x`.
    Method,
    /// Only `x.gather_(...)`, writing into `x`; the name is given without the underscore.
    InPlace,
}

/// One callable signature.
pub struct Row {
    /// Path below the module, e.g. `gather` or `add.at`.
    pub name: &'static str,
    /// How it can be called.
    pub form: Form,
    /// Parameters in schema notation.
    pub params: &'static str,
    /// What it does.
    pub run: fn(&Call) -> Result<Value, EvalError>,
    /// The engine's method for it, where its arguments are tensors alone.
    pub plain: Option<Plain>,
    /// Whether it writes no elements, though its name ends in an underscore.
    pub keeps: bool,
}

impl Row {
    /// The row with a short road.
    #[must_use]
    pub const fn plain(self, plain: Plain) -> Row {
        Row { plain: Some(plain), ..self }
    }

    /// The row of what writes no elements, though its name ends in an underscore.
    #[must_use]
    pub const fn keeps(self) -> Row {
        Row { keeps: true, ..self }
    }
}

/// A row with its parameters parsed.
#[derive(Clone, Copy)]
pub struct Overload {
    row: &'static Row,
    pub(crate) signature: &'static Signature,
}

impl Overload {
    /// The rows, each with its parameters.
    pub(crate) fn all(rows: &[&'static Row]) -> Arc<[Overload]> {
        rows.iter().map(|&row| Overload { row, signature: Signature::of(row.params) }).collect()
    }

    /// The parameters in order, a method's receiver included.
    pub fn parameters(&self) -> &'static [Param] {
        &self.signature.params
    }

    /// The name of the parameter at a place, a method's receiver included.
    pub fn parameter(&self, place: usize) -> Option<&'static str> {
        self.signature.params.get(place).map(|p| p.name)
    }
}

impl std::ops::Deref for Overload {
    type Target = Row;
    fn deref(&self) -> &Row {
        self.row
    }
}

/// Shorthand for table files.
pub const fn row(
    form: Form,
    name: &'static str,
    params: &'static str,
    run: fn(&Call) -> Result<Value, EvalError>,
) -> Row {
    Row { name, form, params, run, plain: None, keeps: false }
}

/// What a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tensor of the same library.
    Tensor,
    /// An integer, or an integer tensor of rank 0.
    Int,
    /// `True` or `False`.
    Bool,
    /// A real number.
    Float,
    /// Any Python number, or a tensor of rank 0.
    Number,
    /// A string.
    Str,
    /// A dtype.
    DType,
    /// A sequence of integers; as the only positional parameter, also spread over the call.
    Ints,
    /// A sequence of tensors.
    Tensors,
    /// Whatever is left of the positional arguments, as a tuple.
    Rest,
    /// Anything; the operation converts.
    Any,
}

/// A default as data: values themselves belong to one thread.
#[derive(Debug, Clone, Copy)]
enum Literal {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(&'static str),
}

impl Literal {
    fn of(text: &'static str) -> Self {
        match text {
            "None" => Self::None,
            "True" => Self::Bool(true),
            "False" => Self::Bool(false),
            number => match (number.parse(), number.parse()) {
                (Ok(i), _) => Self::Int(i),
                (_, Ok(x)) => Self::Float(x),
                _ => Self::Str(number.trim_matches(['\'', '"'])),
            },
        }
    }

    fn value(self) -> Option<Value> {
        Some(match self {
            Self::None => return None,
            Self::Bool(b) => Value::Bool(b),
            Self::Int(i) => Value::Int(i),
            Self::Float(x) => Value::Float(x),
            Self::Str(text) => Value::str(text),
        })
    }
}

/// One parameter.
#[derive(Debug, Clone)]
pub struct Param {
    /// Name, as keyword.
    pub name: &'static str,
    /// What tells most names apart without reading them.
    tag: u32,
    /// What it accepts.
    pub kind: Kind,
    /// Text of the default, if it may be left out.
    pub default: Option<&'static str>,
    /// What that text stands for.
    literal: Literal,
    /// After the `*`.
    pub keyword_only: bool,
}

/// A parsed parameter list.
#[derive(Debug)]
pub struct Signature {
    /// The parameters in order.
    pub params: Vec<Param>,
    /// How many of them may be given by position.
    positional: usize,
    /// Which of them is the memory for the result.
    out: Option<usize>,
    /// The schema text, for "expected one of".
    pub text: &'static str,
}

impl Signature {
    /// The parsed form of a schema text; parsed once per text.
    pub fn of(text: &'static str) -> &'static Self {
        static KNOWN: Table<&str, Signature> = Table::new();
        KNOWN.get_or_make(&text, |text| Self::parse(text))
    }

    fn parse(text: &'static str) -> Self {
        let mut params = Vec::new();
        let mut keyword_only = false;
        for part in text.split(", ").filter(|p| !p.is_empty()) {
            if part == "*" {
                keyword_only = true;
                continue;
            }
            let (head, default) = match part.split_once('=') {
                Some((head, default)) => (head.trim(), Some(default.trim())),
                None => (part, None),
            };
            let (kind, name) = head.split_once(' ').unwrap_or(("Any", head));
            let literal = default.map_or(Literal::None, Literal::of);
            params.push(Param { name, tag: tag(name), kind: Kind::named(kind), default, literal, keyword_only });
        }
        let positional = params.iter().filter(|p| !p.keyword_only).count();
        let out = params.iter().position(|p| p.name == "out");
        Self { params, positional, out, text }
    }

    fn required(&self) -> usize {
        self.params.iter().filter(|p| p.default.is_none()).count()
    }
}

/// The length of a name, its first and its last letter.
#[inline]
fn tag(name: &str) -> u32 {
    let ends = name.as_bytes().first().zip(name.as_bytes().last());
    ends.map_or(0, |(&first, &last)| (name.len() as u32) << 16 | u32::from(first) << 8 | u32::from(last))
}

impl Param {
    /// Whether the value may be passed for it.
    #[inline]
    fn takes(&self, value: &Value, wording: &Wording) -> bool {
        (matches!(value, Value::None) && self.default == Some("None"))
            || (self.kind.accepts(value) && self.is_plain(value, wording))
    }

    /// Whether the value is not an array where a number of Python's is wanted.
    fn is_plain(&self, value: &Value, wording: &Wording) -> bool {
        !wording.plain_integers || self.kind != Kind::Int || !matches!(value, Value::Array(_))
    }
}

impl Kind {
    fn named(name: &str) -> Self {
        match name {
            "Tensor" => Self::Tensor,
            "int" => Self::Int,
            "bool" => Self::Bool,
            "float" => Self::Float,
            "Number" => Self::Number,
            "str" => Self::Str,
            "dtype" => Self::DType,
            "ints" => Self::Ints,
            "Tensors" => Self::Tensors,
            "args" => Self::Rest,
            _ => Self::Any,
        }
    }

    /// The words torch uses for it.
    fn words(self) -> &'static str {
        match self {
            Self::Tensor => "Tensor",
            Self::Int => "int",
            Self::Bool => "bool",
            Self::Float => "float",
            Self::Number => "Number",
            Self::Str => "str",
            Self::DType => "torch.dtype",
            Self::Ints => "tuple of ints",
            Self::Tensors => "tuple of Tensors",
            Self::Rest | Self::Any => "object",
        }
    }

    #[inline]
    fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any | Self::Rest, _) | (Self::Int, Value::Int(_)) => true,
            (Self::Tensor, value) => matches!(value, Value::Array(a) if !a.scalar && a.face.facts.tensors),
            _ => self.accepts_rarer(value),
        }
    }

    fn accepts_rarer(self, value: &Value) -> bool {
        let scalar = |a: &Array| a.with(|tensor| tensor.rank() == 0);
        match self {
            Self::Any | Self::Rest | Self::Tensor => self.accepts(value),
            Self::Int => match value {
                Value::Array(a) => scalar(a) && is_integer(a.dtype()),
                _ => false,
            },
            Self::Bool => match value {
                Value::Bool(_) => true,
                Value::Array(a) => a.scalar && a.dtype() == DType::Bool,
                _ => false,
            },
            Self::Float => match value {
                Value::Float(_) | Value::Int(_) | Value::Bool(_) => true,
                Value::Array(a) => scalar(a),
                _ => false,
            },
            Self::Number => match value {
                Value::Float(_) | Value::Int(_) | Value::Bool(_) | Value::Complex(..) => true,
                Value::Array(a) => scalar(a),
                _ => false,
            },
            Self::Str => matches!(value, Value::Str(_)),
            Self::DType => matches!(value, Value::DType(..) | Value::Builtin("int" | "float" | "bool" | "complex")),
            Self::Ints => value.items().is_some_and(|items| items.iter().all(|v| Self::Int.accepts(v))),
            Self::Tensors => matches!(value, Value::Tuple(_) | Value::List(_)),
        }
    }
}

fn is_integer(dtype: DType) -> bool {
    dtype.is_integer()
}

/// A bound call: what an operation receives.
pub struct Call {
    /// The name messages use: `gather`, or `gather_` when writing in place.
    pub name: &'static str,
    /// The library called.
    pub face: &'static crate::face::Face,
    /// Whether the result replaces the first argument.
    pub in_place: bool,
    /// What the session shares with its operations.
    pub context: Rc<Context>,
    signature: &'static Signature,
    values: Values,
}

/// The values of a call's parameters.
enum Values {
    /// Those of the first ones; the others have their defaults.
    First(Vec<Value>),
    /// Each one's, where it was given.
    Each(Vec<Option<Value>>),
}

impl Values {
    #[inline]
    fn get(&self, slot: usize) -> Option<&Value> {
        match self {
            Self::First(values) => values.get(slot),
            Self::Each(values) => values.get(slot)?.as_ref(),
        }
    }
}

impl Call {
    /// The function called, as errors of the engine name it.
    #[cold]
    pub(crate) fn op(&self) -> Op {
        static NAMES: Table<&'static str, &'static str> = Table::new();
        Op::Named(NAMES.get_or_make(&self.name, |name| name))
    }

    /// The argument of that name: what was passed, else the default, `None` for a default of `None`.
    pub fn get(&self, name: &str) -> Option<Value> {
        let slot = self.slot(name)?;
        match self.values.get(slot) {
            Some(Value::None) => None,
            Some(value) => Some(value.clone()),
            None => self.signature.params[slot].literal.value(),
        }
    }

    /// The argument of that name as it was passed.
    pub fn passed(&self, name: &str) -> Option<&Value> {
        self.values.get(self.slot(name)?)
    }

    /// Where the argument of that name stands.
    #[inline]
    fn slot(&self, name: &str) -> Option<usize> {
        let tag = tag(name);
        self.signature.params.iter().position(|p| p.tag == tag && p.name == name)
    }

    /// The argument of that name, or its default, if that is a plain real number.
    pub(crate) fn plain(&self, name: &str) -> Option<Scalar> {
        let slot = self.slot(name)?;
        match (self.values.get(slot), self.signature.params[slot].literal) {
            (Some(Value::Int(i)), _) => Some(Scalar::Int(*i)),
            (Some(Value::Float(x)), _) => Some(Scalar::Float(*x)),
            (None, Literal::Int(i)) => Some(Scalar::Int(i)),
            (None, Literal::Float(x)) => Some(Scalar::Float(x)),
            _ => None,
        }
    }

    /// The argument of that name, or its default, if that is a boolean.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        let slot = self.slot(name)?;
        match (self.values.get(slot), self.signature.params[slot].literal) {
            (Some(Value::Bool(b)), _) => Some(*b),
            (None, Literal::Bool(b)) => Some(b),
            _ => None,
        }
    }

    /// The memory for the result, if the caller passed any.
    pub fn out(&self) -> Option<&Array> {
        self.values.get(self.signature.out?)?.array()
    }

    /// The arguments that were passed, each under the name of its parameter, in the order of the signature.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.signature.params.iter().enumerate().filter_map(|(slot, p)| Some((p.name, self.values.get(slot)?)))
    }

    /// Whether the caller passed that argument.
    pub fn given(&self, name: &str) -> bool {
        self.passed(name).is_some()
    }

    /// Whether this signature has a parameter of that name.
    pub fn has(&self, name: &str) -> bool {
        self.slot(name).is_some()
    }
}

/// Arguments as written.
#[derive(Default, Clone)]
pub struct Arguments {
    /// Positional, in order.
    pub positional: Vec<Value>,
    /// By keyword, in order.
    pub keyword: Vec<(String, Value)>,
}
