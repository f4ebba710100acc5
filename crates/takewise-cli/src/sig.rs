//! Signatures as data, and the one routine that binds arguments to them.
//!
//! Every library function is a [`Row`]: its name, its parameters written as torch's own schema writes
//! them (`Tensor input, int dim, Tensor index, *, bool sparse_grad=False`), and the operation it
//! means. Overloads are rows of the same name, tried in order. Binding reproduces the argument errors
//! of the library: torch has its own texts, the others use Python's.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex};

use takewise::DType;

use crate::error::EvalError;
use crate::session::Context;
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
}

/// Shorthand for table files.
pub const fn row(
    form: Form,
    name: &'static str,
    params: &'static str,
    run: fn(&Call) -> Result<Value, EvalError>,
) -> Row {
    Row { name, form, params, run }
}

/// Whose wording argument errors use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// `gather(): argument 'dim' (position 2) must be int, not float`.
    Torch,
    /// `take() missing 1 required positional argument: 'indices'`.
    Python,
    /// `Failed calling gather with "gather(int)".`
    MindSpore,
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
    /// Anything; the operation converts.
    Any,
}

/// One parameter.
#[derive(Debug, Clone)]
pub struct Param {
    /// Name, as keyword.
    pub name: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// Text of the default, if it may be left out.
    pub default: Option<&'static str>,
    /// After the `*`.
    pub keyword_only: bool,
}

/// A parsed parameter list.
#[derive(Debug)]
pub struct Signature {
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The schema text, for "expected one of".
    pub text: &'static str,
}

impl Signature {
    /// The parsed form of a schema text; parsed once per text.
    pub fn of(text: &'static str) -> &'static Self {
        static CACHE: LazyLock<Mutex<HashMap<&'static str, &'static Signature>>> = LazyLock::new(Mutex::default);
        let mut cache = CACHE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        cache.entry(text).or_insert_with(|| Box::leak(Box::new(Self::parse(text))))
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
            params.push(Param { name, kind: Kind::named(kind), default, keyword_only });
        }
        Self { params, text }
    }

    fn required(&self) -> usize {
        self.params.iter().filter(|p| p.default.is_none()).count()
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
            Self::Any => "object",
        }
    }

    fn accepts(self, value: &Value) -> bool {
        let scalar = |a: &Array| a.shape().is_empty();
        match self {
            Self::Any => true,
            Self::Tensor => matches!(value, Value::Array(a) if !a.scalar && a.face.is_tensor),
            Self::Int => match value {
                Value::Int(_) => true,
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
    pub name: String,
    /// The library called.
    pub face: &'static crate::dialect::Face,
    /// Whether the result replaces the first argument.
    pub in_place: bool,
    /// What the session shares with its operations.
    pub context: Rc<Context>,
    signature: &'static Signature,
    values: Vec<Option<Value>>,
}

impl Call {
    /// The argument of that name: what was passed, else the default, `None` for a default of `None`.
    pub fn get(&self, name: &str) -> Option<Value> {
        let slot = self.signature.params.iter().position(|p| p.name == name)?;
        match &self.values[slot] {
            Some(Value::None) => None,
            Some(value) => Some(value.clone()),
            None => default_value(self.signature.params[slot].default?),
        }
    }

    /// Whether the caller passed that argument.
    pub fn given(&self, name: &str) -> bool {
        self.signature.params.iter().position(|p| p.name == name).is_some_and(|s| self.values[s].is_some())
    }

    /// Whether this signature has a parameter of that name.
    pub fn has(&self, name: &str) -> bool {
        self.signature.params.iter().any(|p| p.name == name)
    }
}

fn default_value(text: &'static str) -> Option<Value> {
    Some(match text {
        "None" => return None,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        number if number.parse::<i128>().is_ok() => Value::Int(number.parse().unwrap_or(0)),
        number if number.parse::<f64>().is_ok() => Value::Float(number.parse().unwrap_or(0.0)),
        text => Value::str(text.trim_matches(['\'', '"'])),
    })
}

/// Arguments as written.
#[derive(Default, Clone)]
pub struct Arguments {
    /// Positional, in order.
    pub positional: Vec<Value>,
    /// By keyword, in order.
    pub keyword: Vec<(String, Value)>,
}

/// Binds `arguments` to the first row that accepts them.
///
/// `receiver` is the object of a method call; it fills the first parameter and is not counted in the
/// positions of messages. `in_place` selects the trailing-underscore meaning.
///
/// # Errors
/// `TypeError` in the wording of the library.
pub fn bind(
    function: &crate::value::Function,
    receiver: Option<Value>,
    arguments: &Arguments,
    context: Rc<Context>,
) -> Result<(fn(&Call) -> Result<Value, EvalError>, Call), EvalError> {
    let in_place = receiver.is_some() && function.name.ends_with('_') && !function.name.ends_with("__");
    let attempt = |row: &'static Row| -> Result<Call, EvalError> {
        let signature = Signature::of(row.params);
        let values = fill(function.name, function.face.wording, signature, receiver.clone(), arguments)?;
        let context = Rc::clone(&context);
        Ok(Call { name: function.name.into(), face: function.face, in_place, context, signature, values })
    };
    let wording = function.face.wording;
    for row in function.rows.iter().copied() {
        if let Ok(call) = attempt(row) {
            return Ok((row.run, call));
        }
    }
    let count = arguments.positional.len() + arguments.keyword.len() + usize::from(receiver.is_some());
    let plausible: Vec<_> = function
        .rows
        .iter()
        .copied()
        .filter(|row| {
            let signature = Signature::of(row.params);
            let named = |k: &str| signature.params.iter().any(|p| alias(p.name, k));
            let fits = signature.required() <= count && count <= signature.params.len();
            fits && (wording == Wording::Torch || arguments.keyword.iter().all(|(k, _)| named(k)))
        })
        .collect();
    let only = match (&function.rows[..], &plausible[..]) {
        ([row], _) | (_, [row])
            if wording != Wording::MindSpore || count > row_least(row) || !arguments.keyword.is_empty() =>
        {
            Some(*row)
        }
        _ => None,
    };
    if let Some(row) = only {
        attempt(row)?;
    }
    Err(no_overload(function, arguments))
}

fn fill(
    name: &str,
    wording: Wording,
    signature: &'static Signature,
    receiver: Option<Value>,
    arguments: &Arguments,
) -> Result<Vec<Option<Value>>, EvalError> {
    let own = usize::from(receiver.is_some());
    let mut values: Vec<Option<Value>> = vec![None; signature.params.len()];
    if let (Some(value), Some(slot)) = (receiver, values.first_mut()) {
        *slot = Some(value);
    }
    let params = &signature.params[own.min(signature.params.len())..];
    let most = params.iter().filter(|p| !p.keyword_only).count();
    let mut positional = arguments.positional.clone();
    let spread = most == 1 && params[0].kind == Kind::Ints && positional.first().is_some_and(|v| Kind::Int.accepts(v));
    if spread {
        positional = vec![Value::tuple(positional)];
    }
    if positional.len() > most {
        let least = params.iter().filter(|p| p.default.is_none() && !p.keyword_only).count();
        return Err(too_many(name, wording, own, least, most, positional.len()));
    }
    for (i, value) in positional.into_iter().enumerate() {
        values[own + i] = Some(value);
    }
    for (keyword, value) in &arguments.keyword {
        let slot = params.iter().position(|p| alias(p.name, keyword));
        match slot {
            None => {
                return Err(EvalError::type_error(format!("{name}() got an unexpected keyword argument '{keyword}'")));
            }
            Some(slot) if values[own + slot].is_some() => {
                return Err(EvalError::type_error(format!("{name}() got multiple values for argument '{keyword}'")));
            }
            Some(slot) => values[own + slot] = Some(value.clone()),
        }
    }
    // torch lists every required parameter from the first missing one on, given by keyword or not.
    let first = signature.params.iter().zip(&values).position(|(p, v)| v.is_none() && p.default.is_none());
    let missing: Vec<&str> = signature
        .params
        .iter()
        .zip(&values)
        .enumerate()
        .filter(|(i, (p, v))| {
            let listed = wording == Wording::Torch && !p.keyword_only && first.is_some_and(|f| *i >= f);
            (v.is_none() || listed) && p.default.is_none()
        })
        .map(|(_, (p, _))| p.name)
        .collect();
    for (i, (param, value)) in signature.params.iter().zip(&values).enumerate() {
        let Some(value) = value else {
            if param.default.is_none() {
                return Err(absent(name, wording, &missing));
            }
            continue;
        };
        let none_allowed = param.default == Some("None");
        let plain = wording != Wording::MindSpore || param.kind != Kind::Int || !matches!(value, Value::Array(_));
        if (none_allowed && matches!(value, Value::None)) || (param.kind.accepts(value) && plain) {
            continue;
        }
        if !plain {
            return Err(EvalError::type_error(format!(
                "The type of '{}' must be 'int', but got 'Tensor'.",
                param.name
            )));
        }
        let by_keyword = arguments.keyword.iter().any(|(k, _)| alias(param.name, k)) && i >= own;
        let position = if by_keyword { String::new() } else { format!(" (position {})", i + 1 - own) };
        return Err(EvalError::type_error(format!(
            "{name}(): argument '{}'{position} must be {}, not {}{}",
            param.name,
            param.kind.words(),
            value.type_name(),
            if wording == Wording::MindSpore { "." } else { "" }
        )));
    }
    Ok(values)
}

/// NumPy's spellings are accepted by torch for the common parameters.
fn alias(param: &str, keyword: &str) -> bool {
    param == keyword
        || matches!(
            (param, keyword),
            ("dim", "axis") | ("input", "x" | "a") | ("keepdim", "keepdims") | ("other", "x2")
        )
}

fn too_many(name: &str, wording: Wording, own: usize, least: usize, most: usize, given: usize) -> EvalError {
    let own = if wording == Wording::Python { own } else { 0 };
    let (least, most, given) = (least + own, most + own, given + own);
    let were = if given == 1 { "was" } else { "were" };
    let takes = if least == most {
        format!("{most} positional argument{}", if most == 1 { "" } else { "s" })
    } else {
        format!("from {least} to {most} positional arguments")
    };
    EvalError::type_error(format!("{name}() takes {takes} but {given} {were} given"))
}

fn absent(name: &str, wording: Wording, missing: &[&str]) -> EvalError {
    let count = missing.len();
    EvalError::type_error(match wording {
        Wording::Torch => {
            let names = missing.iter().map(|m| format!("\"{m}\"")).collect::<Vec<_>>().join(", ");
            let plural = if count == 1 { "s" } else { "" }; // sic: the plural is the wrong way round there
            format!("{name}() missing {count} required positional argument{plural}: {names}")
        }
        Wording::Python | Wording::MindSpore => {
            let quoted: Vec<String> = missing.iter().map(|m| format!("'{m}'")).collect();
            let names = match &quoted[..] {
                [one] => one.clone(),
                [one, two] => format!("{one} and {two}"),
                [head @ .., last] => format!("{}, and {last}", head.join(", ")),
                [] => String::new(),
            };
            let plural = if count == 1 { "" } else { "s" };
            format!("{name}() missing {count} required positional argument{plural}: {names}")
        }
    })
}

fn no_overload(function: &crate::value::Function, arguments: &Arguments) -> EvalError {
    let mut got: Vec<String> = arguments.positional.iter().map(described).collect();
    got.extend(arguments.keyword.iter().map(|(k, v)| format!("{k}={}", described(v))));
    if function.face.wording == Wording::MindSpore {
        let got = got.iter().zip(&arguments.positional).map(|(_, v)| listed(v)).collect::<Vec<_>>();
        let named = arguments.keyword.iter().map(|(k, v)| format!("{k}={}", listed(v)));
        let all = got.into_iter().chain(named).collect::<Vec<_>>().join(", ");
        return EvalError::type_error(format!("Failed calling {0} with \"{0}({all})\".", function.name));
    }
    let mut text = format!(
        "{}() received an invalid combination of arguments - got ({}), but expected one of:",
        function.name,
        got.join(", ")
    );
    for row in function.rows.iter() {
        let shown = row.params.replace("ints ", "tuple of ints ").replace("dtype ", "torch.dtype ");
        text.push_str(&format!("\n * ({shown})"));
    }
    EvalError::type_error(text)
}

/// How torch names an argument in that message.
fn described(value: &Value) -> String {
    match (value, value.items()) {
        (Value::Tuple(_), Some(items)) if !items.is_empty() => {
            let names: Vec<&str> = items.iter().map(Value::type_name).collect();
            format!("tuple of ({})", names.join(", "))
        }
        (other, _) => other.type_name().into(),
    }
}

/// How MindSpore names an argument: lists by the types of their items.
fn listed(value: &Value) -> String {
    match (value, value.items()) {
        (Value::List(_), Some(items)) => format!("List<{}>", items.iter().map(listed).collect::<Vec<_>>().join(", ")),
        (Value::Tuple(_), Some(items)) => format!("Tuple<{}>", items.iter().map(listed).collect::<Vec<_>>().join(", ")),
        (other, _) => other.type_name().into(),
    }
}

/// Arguments a row needs, its receiver included.
fn row_least(row: &Row) -> usize {
    Signature::of(row.params).required()
}
