//! What a call says beside its arrays, read once from the text that XLA hands back with every call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use smallvec::SmallVec;
use takewise::index::rules::{Duplicates, Fill, Outside};
use takewise::{DType, Dims, Op, Reduce, Rules, Scalar, Slice, Tensor};
use takewise_operations::{self as operations, Given, How, Policy, Role, Run, Settings};

/// Where an array of a call comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// It is among the operands.
    Given,
    /// Only its shape and dtype count, for the call is linear in it.
    Shaped(DType, Dims<usize>),
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// The result.
    Call,
    /// The gradient of one argument, of that of the result, which is the last operand.
    Back(Role),
    /// The tangent of the result, of those of the arguments, which are the last operands.
    Along,
}

/// An entry of a subscript.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Int(i64),
    Range(Slice),
    NewAxis,
    Ellipsis,
    Bool(bool),
    /// The next of the arrays of the key.
    Array,
}

/// A call without its arrays.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) entry: operations::Entry,
    pub(super) op: Op,
    pub(super) mode: Task,
    /// What each array is for, in order.
    pub(super) arrays: SmallVec<[(Role, Source); 4]>,
    /// The arguments that tangents were given of.
    pub(super) moved: Vec<Role>,
    /// The extents of the batch axes, which come first.
    pub(super) batch: Dims<usize>,
    /// The batch axes that each operand has, as bits.
    pub(super) batched: SmallVec<[u32; 4]>,
    pub(super) given: Given,
    pub(super) settings: Settings,
    pub(super) rules: Rules,
    /// What the rules say instead of the usual.
    pub(super) policy: Policy,
    /// What is stored where that is a number.
    pub(super) number: Option<Scalar>,
    pub(super) key: Vec<Part>,
    pub(super) shape: Vec<usize>,
    pub(super) narrow: bool,
    pub(super) side: Option<String>,
    pub(super) threads: usize,
}

/// More plans than programs have. Those that are in use are held by who uses them.
const MOST: usize = 4096;

static PLANS: Mutex<Option<HashMap<Box<[u8]>, Arc<Plan>>>> = Mutex::new(None);

impl Plan {
    /// The plan of a text.
    ///
    /// Error: what is wrong with it.
    pub(super) fn of(text: &[u8]) -> Result<Arc<Plan>, String> {
        let lock = || PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = lock().as_ref().and_then(|plans| plans.get(text)) {
            return Ok(plan.clone());
        }
        let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let plan = Arc::new(Plan::read(&value)?);
        let mut plans = lock();
        let plans = plans.get_or_insert_default();
        if plans.len() >= MOST {
            plans.clear();
        }
        plans.insert(text.into(), plan.clone());
        Ok(plan)
    }

    fn read(value: &Value) -> Result<Plan, String> {
        let name = text(&value["name"]).ok_or("no name")?;
        let entry = operations::named(name).ok_or_else(|| format!("there is no operation {name:?}"))?;
        let plain = Words(&value["plain"]);
        let arrays = list(&value["operands"], source)?;
        let axes = list(&value["which"], |one| one.as_u64().map(|bits| bits as u32))?;
        let op = match text(&value["said"]) {
            // Plans are few, and errors keep what they name.
            Some(said) => Op::Named(Box::leak(Box::new(&*Box::leak(said.to_owned().into_boxed_str())))),
            None => entry.op(),
        };
        let mode = match text(&value["mode"]) {
            Some("back") => Task::Back(plain.role(&value["wrt"])?),
            Some("along") => Task::Along,
            _ => Task::Call,
        };
        let given = plain.given()?;
        Ok(Plan {
            entry,
            op,
            mode,
            arrays: arrays.into(),
            moved: list(&value["moved"], |one| plain.role(one).ok())?,
            batch: list(&value["batch"], number)?.into(),
            batched: axes.into(),
            given,
            settings: plain.settings()?,
            rules: plain.rules()?,
            policy: plain.policy()?,
            number: plain.scalar("Values")?,
            key: list(&value["key"], key)?,
            shape: list(plain.get("Shape"), number)?,
            narrow: plain.flag("Narrow"),
            side: text(plain.get("Side")).map(str::to_owned),
            threads: number(plain.get("Threads")).unwrap_or(0),
        })
    }

    /// An array of zeros like one that only its shape counts of.
    pub(super) fn zeros(dtype: DType, shape: &[usize]) -> takewise::Result<Tensor> {
        Tensor::zeroed(shape, dtype)
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().map(|n| n as usize)
}

/// The items of a list; none where there is no list.
fn list<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, String> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().map(|one| item(one).ok_or_else(|| format!("{one} is not what is wanted here"))).collect()
}

/// The role of a name.
fn role(name: &str) -> Option<Role> {
    let mut known = operations::all().flat_map(|entry| entry.operation.all()).map(|parameter| parameter.role);
    known.find(|role| format!("{role:?}") == name)
}

/// `["Data"]` for an operand, `["Data", "float32", [3, 4]]` for what only its shape counts of.
fn source(value: &Value) -> Option<(Role, Source)> {
    let role = role(value.get(0)?.as_str()?)?;
    let Some(dtype) = value.get(1) else { return Some((role, Source::Given)) };
    let shape = list(value.get(2)?, number).ok()?;
    Some((role, Source::Shaped(DType::from_name(dtype.as_str()?)?, shape.into())))
}

/// An entry of a subscript: a number, `"..."`, `"None"`, `"array"`, a truth value, or the three parts of a slice.
fn key(value: &Value) -> Option<Part> {
    Some(match value {
        Value::Bool(b) => Part::Bool(*b),
        Value::String(word) if word == "..." => Part::Ellipsis,
        Value::String(word) if word == "None" => Part::NewAxis,
        Value::String(_) => Part::Array,
        Value::Array(parts) => match &parts[..] {
            [start, stop, step] => {
                Part::Range(Slice { start: start.as_i64(), stop: stop.as_i64(), step: step.as_i64() })
            }
            _ => return None,
        },
        one => Part::Int(one.as_i64()?),
    })
}

/// The arguments that are no arrays, by what they are for.
struct Words<'v>(&'v Value);

impl<'v> Words<'v> {
    fn get(&self, role: &str) -> &'v Value {
        &self.0[role]
    }

    fn flag(&self, role: &str) -> bool {
        self.get(role).as_bool().unwrap_or(false)
    }

    fn role(&self, value: &Value) -> Result<Role, String> {
        text(value).and_then(role).ok_or_else(|| format!("{value} is no role"))
    }

    /// A number: its kind and its digits.
    fn scalar(&self, role: &str) -> Result<Option<Scalar>, String> {
        let value = self.get(role);
        let (Some(kind), Some(digits)) = (value.get(0).and_then(text), value.get(1).and_then(text)) else {
            return Ok(None);
        };
        let wrong = || format!("{value} is no number");
        let float = |digits: &str| digits.parse::<f64>().map_err(|_| wrong());
        Ok(Some(match kind {
            "bool" => Scalar::Bool(digits == "True"),
            "int" => Scalar::Int(digits.parse().map_err(|_| wrong())?),
            "float" => Scalar::Float(float(digits)?),
            _ => {
                let imaginary = value.get(2).and_then(text).ok_or_else(wrong)?;
                Scalar::Complex(float(digits)?, float(imaginary)?)
            }
        }))
    }

    /// What one of several words stands for.
    fn word<T: Copy>(&self, role: &str, argument: &str, words: &[(&str, T)]) -> Result<Option<T>, String> {
        let given = self.get(role);
        match text(given) {
            None if given.is_null() => Ok(None),
            word => operations::choose(argument, words, word, &given.to_string()).map(Some),
        }
    }

    fn given(&self) -> Result<Given, String> {
        let plain = Given::default();
        let given = Given {
            axis: self.get("Axis").as_i64().or(self.get("AxisOrNone").as_i64()),
            batch_dims: self.get("BatchDims").as_i64().unwrap_or(0),
            reduce: self.word("Reduce", "reduce", operations::REDUCE)?.flatten(),
            include_self: self.get("IncludeSelf").as_bool().unwrap_or(true),
            accumulate: self.flag("Accumulate"),
            alpha: self.scalar("Factor")?.unwrap_or(plain.alpha),
            ..plain
        };
        Ok(match self.word("HasReduce", "reduce", operations::GROUP)? {
            Some(group) => given.grouped(group, self.flag("SkipNan")),
            None => given,
        })
    }

    fn settings(&self) -> Result<Settings, String> {
        let plain = Settings::default();
        Ok(Settings {
            axis: self.get("Axis").as_i64(),
            how: self.word::<How>("How", "reduce", operations::HOW)?.unwrap_or(plain.how),
            skip_nan: self.flag("SkipNan"),
            empty: self.scalar("Empty")?,
            width: self.get("Width").as_i64(),
            padding: self.scalar("Padding")?.unwrap_or(plain.padding),
            with_mask: self.flag("WithMask"),
            count: self.get("Count").as_i64(),
            right: self.flag("Right"),
            // The others are of operations that JAX has itself.
            ..plain
        })
    }

    fn policy(&self) -> Result<Policy, String> {
        Ok(Policy {
            bounds: self.word("Bounds", "bounds", operations::BOUNDS)?,
            negative: self.get("Negative").as_bool(),
            duplicates: self.word("Duplicates", "duplicates", operations::DUPLICATES)?,
            casting: self.word("Casting", "casting", operations::CASTING)?,
        })
    }

    fn rules(&self) -> Result<Rules, String> {
        let rules = self.policy()?.rules();
        let fill = self.scalar("Fill")?.map(Fill::Number);
        Ok(takewise_dialects::JAX.beside(Rules { fill: fill.or(rules.fill), ..rules }))
    }
}

impl Plan {
    /// All batch axes, as bits.
    pub(super) fn all_axes(&self) -> u32 {
        (1 << self.batch.len()) - 1
    }

    /// The plan for asking what shapes results have: no value is outside, and none is twice.
    pub(super) fn tolerant(&self) -> Plan {
        let rules = Rules { outside: Outside::Drop, fill: None, duplicates: Duplicates::Last, ..self.rules };
        Plan { rules, ..self.clone() }
    }

    /// What is said of rules that have no meaning for the call; `None` if there is nothing to say.
    pub(super) fn refused(&self) -> Option<String> {
        if self.rules.fill.is_some() && self.rules.outside != Outside::Fill {
            return Some(operations::FILL_UNUSED.to_owned());
        }
        self.policy.refused(match self.entry.operation.run {
            Run::Write { combines, .. } => combines(&self.given),
            _ => self.combined().is_some(),
        })
    }

    /// How the values of a write are combined; `None` for what stores them.
    pub(super) fn combined(&self) -> Option<Reduce> {
        self.given.reduce.or(self.given.accumulate.then_some(Reduce::Sum))
    }
}
