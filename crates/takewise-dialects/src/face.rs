//! The libraries whose names, printing, rules and errors the notation can speak.
//!
//! A [`Face`] is data: which names exist, how values print, which rule tables apply. Operations take the
//! face of the values they are given and never ask which one it is.

use takewise::DType;
use takewise::index::rules::{Conversion, Outside, Rules, Sign};
use takewise::internal::Table;
use takewise::ops::compare::CompareRules;

use crate::error::EvalError;
use crate::facts::LibraryFacts;
use crate::policy::SubscriptPolicy;
use crate::refusals::Refusals;
use crate::sig::{Form, Overload, Row, Wording};
use crate::value::{Array, Function, Value};

/// Reads an attribute of an array.
pub type Attribute = fn(&Array) -> Result<Value, EvalError>;

/// A named policy for values out of range.
pub struct Mode {
    /// As written: `clip`.
    pub name: &'static str,
    /// What negative values mean under it.
    pub sign: Sign,
    /// What values outside do under it.
    pub outside: Outside,
}

/// What the arrays of a library can hold of what comes from elsewhere.
pub struct Holds {
    /// Whether it has the dtype of another package that is called so.
    pub foreign: fn(&str) -> bool,
    /// Whether it takes numbers in the other byte order.
    pub swapped: bool,
    /// Class and text of the refusal of any other.
    pub refusal: fn(DType) -> (&'static str, String),
}

impl Holds {
    /// Class and text of the refusal of a dtype that is not among what it holds.
    pub fn refused(&self, dtype: DType) -> Option<(&'static str, String)> {
        let has = match dtype.is_foreign() {
            true => takewise::foreign::full_name(dtype).is_some_and(self.foreign),
            false => self.swapped || dtype.native() == dtype,
        };
        (!has).then(|| (self.refusal)(dtype))
    }
}

/// One library as the notation shows it.
#[derive(Clone)]
pub struct Face {
    /// Name for `--dialect`.
    pub name: &'static str,
    /// Its modules, as `import` names them, and the path of each within the tables.
    pub modules: &'static [(&'static str, &'static str)],
    /// Names bound when a session starts.
    pub names: &'static [(&'static str, &'static str)],
    /// Type name of its tensors in messages.
    pub tensor_type: &'static str,
    /// Type name of its dtypes.
    pub dtype_type: &'static str,
    /// What its functions do where the engine's rules leave it open.
    pub facts: LibraryFacts,
    /// Whose dtypes plain numbers and lists have beside arrays in a function of any number of them; `None` refuses them.
    pub plain_as: Option<fn() -> &'static Face>,
    /// What they say of arguments they refuse.
    pub refusals: &'static Refusals<Array, Value>,
    /// Wording of argument errors.
    pub wording: &'static Wording,
    /// Functions that are operations of the catalogue, before those of the tables; they have one signature each.
    pub own: fn() -> &'static [Row],
    /// Functions and methods.
    pub tables: &'static [&'static [Row]],
    /// Attributes of its tensors.
    pub attributes: &'static [(&'static str, Attribute)],
    /// Which dtypes its arrays may have beside those the engine computes with; `None` for any.
    pub holds: Option<&'static Holds>,
    /// Dtypes under its names, in several lists.
    pub dtypes: &'static [&'static [(&'static str, DType)]],
    /// Constants such as `nan` and `newaxis`.
    pub constants: &'static [(&'static str, fn() -> Value)],
    /// dtype of a Python float.
    pub float: DType,
    /// dtype of a Python int.
    pub int: DType,
    /// dtype of a Python complex number.
    pub complex: DType,
    /// dtype of positions that functions such as `nonzero` return.
    pub position: DType,
    /// How numbers become elements.
    pub conversion: Conversion,
    /// Whose words engine errors use.
    pub words: takewise::error::Words,
    /// How it compares and promotes.
    pub compare: &'static CompareRules,
    /// Its `mode=` names for values out of range.
    pub modes: &'static [Mode],
    /// Modes it knows but does not have, and what it says of them.
    pub refused_modes: &'static [(&'static str, &'static str)],
    /// Functions and methods whose results are of the weak type of an array given (JAX), and where that array stands among the
    /// arguments of the function.
    pub alike: &'static [(&'static str, usize)],
    /// Functions to which what lends memory (`bytearray`, `array.array`) is the list of its numbers.
    pub by_items: &'static [&'static str],
    /// Functions that write into their first argument, which has to be an array then, where others are taken for arrays.
    pub writers: &'static [&'static str],
    /// What its subscripts make of Python objects.
    pub subscripts: &'static SubscriptPolicy<Array, Value>,
    /// Its rule tables in the engine.
    pub rules: &'static crate::rules::Dialect,
    /// `repr` of a tensor.
    pub repr: fn(&Array, &[usize]) -> String,
    /// `print` of a tensor.
    pub display: fn(&Array, &[usize]) -> String,
    /// `repr` and `str` of a dtype.
    pub dtype_text: fn(DType) -> (String, String),
}

impl std::fmt::Debug for Face {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Face {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

impl Face {
    /// Rules of takewise's own for a call beside arrays of this library: numbers are converted, and values of other dtypes combined,
    /// as there.
    pub const fn beside(&self, rules: Rules) -> Rules {
        match self.facts.operands.meets {
            Some(meet) => Rules { meet, conversion: self.conversion, ..rules },
            None => rules,
        }
    }

    /// What it says of a value, a shape or an axis that it refuses.
    pub(crate) fn refused(&self, text: impl Into<String>) -> EvalError {
        EvalError::new(self.refusals.class, text)
    }

    /// `repr(array)`.
    pub fn repr(&self, array: &Array) -> String {
        (self.repr)(array, &array.shape())
    }

    /// What `print(array)` writes.
    pub fn display(&self, array: &Array) -> String {
        (self.display)(array, &array.shape())
    }

    /// `repr(dtype)`.
    pub fn dtype_repr(&self, dtype: DType) -> String {
        (self.dtype_text)(dtype).0
    }

    /// What `print(dtype)` writes.
    pub fn dtype_display(&self, dtype: DType) -> String {
        (self.dtype_text)(dtype).1
    }

    /// Type name of a NumPy scalar of that dtype.
    pub fn scalar_type_name(&self, dtype: DType) -> &'static str {
        match dtype {
            DType::Bool => "numpy.bool",
            other => SCALAR_NAMES
                .iter()
                .find(|(d, _)| *d == other.native())
                .map_or_else(|| foreign_scalar(other), |(_, n)| n),
        }
    }

    /// Every signature of `path` (such as `gather` or `ops.gather`) usable in the given way.
    fn rows(&self, path: &str, usable: impl Fn(Form) -> bool) -> Vec<&'static Row> {
        self.tables.iter().flat_map(|t| t.iter()).filter(|r| r.name == path && usable(r.form)).collect()
    }

    /// The dtype of that name.
    pub(crate) fn dtype(&self, name: &str) -> Option<DType> {
        self.dtypes.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
    }

    pub(crate) fn function(&'static self, path: &str) -> Option<Value> {
        if let Some(row) = (self.own)().iter().find(|row| row.name == path) {
            return Some(Value::Function(Function { name: row.name, face: self, rows: Overload::all(&[row]) }));
        }
        self.tabled(path)
    }

    /// The function of the tables at a path, whatever the catalogue has of that name: with it another library's call is made under
    /// this one's rules.
    pub fn tabled(&'static self, path: &str) -> Option<Value> {
        let rows = self.rows(path, |f| matches!(f, Form::Both | Form::BothInPlace | Form::Function));
        let name = rows.first()?.name;
        let name = name.rsplit('.').next().unwrap_or(name);
        Some(Value::Function(Function { name, face: self, rows: Overload::all(&rows) }))
    }

    pub(crate) fn method(&'static self, attr: &str) -> Option<Function> {
        let mut rows = self.rows(attr, |f| matches!(f, Form::Both | Form::BothInPlace | Form::Method));
        if rows.is_empty() {
            let base = attr.strip_suffix('_')?;
            rows = self.rows(base, |f| matches!(f, Form::BothInPlace | Form::InPlace));
            rows.first()?;
            return Some(Function { name: underscored(base), face: self, rows: Overload::all(&rows) });
        }
        Some(Function { name: rows.first()?.name, face: self, rows: Overload::all(&rows) })
    }

    /// Names completion can offer after a dot: functions of a module path, or methods and attributes.
    pub fn members(&self, path: Option<&str>) -> Vec<String> {
        let own = path.map(|_| (self.own)().iter()).into_iter().flatten();
        let rows = own.chain(self.tables.iter().flat_map(|t| t.iter()));
        let mut out: Vec<String> = match path {
            Some(path) => {
                let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
                rows.filter(|r| !matches!(r.form, Form::Method | Form::InPlace))
                    .filter_map(|r| r.name.strip_prefix(&prefix)?.split('.').next().map(str::to_owned))
                    .chain(self.dtypes.iter().copied().flatten().map(|d| d.0.to_owned()))
                    .chain(self.constants.iter().map(|c| c.0.to_owned()))
                    .collect()
            }
            None => rows
                .filter(|r| !r.name.contains('.'))
                .flat_map(|r| match r.form {
                    Form::Function => vec![],
                    Form::Both | Form::Method => vec![r.name.to_owned()],
                    Form::BothInPlace => vec![r.name.to_owned(), format!("{}_", r.name)],
                    Form::InPlace => vec![format!("{}_", r.name)],
                })
                .chain(self.attributes.iter().map(|a| a.0.to_owned()))
                .collect(),
        };
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Type name of a NumPy scalar of a dtype that only NumPy computes with.
fn foreign_scalar(dtype: DType) -> &'static str {
    const KINDS: [(&str, &str); 7] = [
        ("datetime64", "numpy.datetime64"),
        ("timedelta64", "numpy.timedelta64"),
        ("U", "numpy.str_"),
        ("S", "numpy.bytes_"),
        ("float", "numpy.longdouble"),
        ("complex", "numpy.clongdouble"),
        ("[", "numpy.void"),
    ];
    let name = dtype.name();
    let plain = name.trim_start_matches(['<', '>', '|']);
    KINDS.iter().find(|(start, _)| plain.starts_with(start)).map_or(name, |(_, class)| class)
}

const SCALAR_NAMES: [(DType, &str); 14] = [
    (DType::U8, "numpy.uint8"),
    (DType::U16, "numpy.uint16"),
    (DType::U32, "numpy.uint32"),
    (DType::U64, "numpy.uint64"),
    (DType::I8, "numpy.int8"),
    (DType::I16, "numpy.int16"),
    (DType::I32, "numpy.int32"),
    (DType::I64, "numpy.int64"),
    (DType::F16, "numpy.float16"),
    (DType::F32, "numpy.float32"),
    (DType::F64, "numpy.float64"),
    (DType::C64, "numpy.complex64"),
    (DType::C128, "numpy.complex128"),
    (DType::BF16, "ml_dtypes.bfloat16"),
];

/// Names of in-place methods live as long as the program.
fn underscored(base: &str) -> &'static str {
    static NAMES: Table<String, String> = Table::new();
    NAMES.get_or_make(&base.to_owned(), |base| format!("{base}_"))
}
