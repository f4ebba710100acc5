//! takewise's own functions: the operations of the catalogue on arrays of any library.
//!
//! Each argument is converted by what its parameter is for. The result is an array of the library of the first array given; where
//! only lists are given it is NumPy's.

mod ranges;
mod search;

use takewise::index::rules::{Casting, Fill, Outside, Rules};
use takewise::ops::Source;
use takewise::{DType, Error, Index, OwnedIndex, Reduce, Scalar, Tensor};
use takewise_operations::{self as operations, Entry, Given, Mixed, Policy, Role, Run, Way};

use super::create::{array_like, from_value};
use super::{Outcome, raise, subscript, to_i64, to_scalar};
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::sig::Call;
use crate::value::{Array, Value};
use crate::{NEUTRAL, NUMPY};

/// Runs the operation that is called so.
pub(crate) fn call(call: &Call) -> Outcome {
    let unknown = || EvalError::type_error(format!("{} is no function of takewise", call.name));
    let own = Own { call, entry: operations::named(call.name).ok_or_else(unknown)? };
    own.flags()?;
    match own.entry.operation.run {
        Run::Read { fresh, .. } => own.read(fresh),
        Run::Write { copy, place, combines, gives } => own.write(copy, place, combines, gives),
        Run::Subscript(way) => own.subscript(way),
        Run::Store => own.store(),
        Run::Copy => own.copy(),
        Run::ScatterNd => own.scatter_nd(),
        Run::Arrays(run) | Run::Theirs { run, .. } => own.arrays(run),
        Run::SearchSorted | Run::Bucketize => own.search(),
        Run::Nonzero => own.nonzero(),
        Run::Where => own.choose(),
    }
}

/// An operation and its arguments.
struct Own<'c> {
    call: &'c Call,
    entry: Entry,
}

/// An array, and the library it is of.
struct Operand {
    tensor: Tensor,
    face: &'static Face,
    /// Whether it stood there as an array, and not as numbers in lists.
    array: bool,
}

/// Whose the result is: the first array's.
fn home(operands: &[&Operand]) -> &'static Face {
    operands.iter().find(|operand| operand.array).map_or(&NUMPY, |operand| operand.face)
}

impl Own<'_> {
    /// The argument for something, if it was given or has a default.
    fn value(&self, role: Role) -> Option<Value> {
        self.call.get(self.entry.parameter(role)?.name)
    }

    fn parameter(&self, role: Role) -> &'static str {
        self.entry.parameter(role).map_or("x", |p| p.name)
    }

    fn refused(&self, role: Role, wanted: &str, given: &Value) -> EvalError {
        let (name, argument) = (self.entry.name, self.parameter(role));
        EvalError::type_error(format!("{name}(): {argument} must be {wanted}, not {}", crate::print::repr(given)))
    }

    /// Fails for a switch that is neither true nor false.
    fn flags(&self) -> Result<()> {
        for role in Role::SWITCHES {
            if let Some(value) = self.value(role).filter(|value| !matches!(value, Value::Bool(_))) {
                return Err(self.refused(role, "True or False", &value));
            }
        }
        Ok(())
    }

    fn flag(&self, role: Role) -> Option<bool> {
        match self.value(role) {
            Some(Value::Bool(flag)) => Some(flag),
            _ => None,
        }
    }

    fn whole(&self, role: Role) -> Result<Option<i64>> {
        let Some(value) = self.value(role) else { return Ok(None) };
        to_i64(&value).map(Some).map_err(|_| self.refused(role, "an integer", &value))
    }

    fn word<T: Copy>(&self, role: Role, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(value) = self.value(role) else { return Ok(None) };
        let text = match &value {
            Value::Str(text) => Some(&**text),
            _ => None,
        };
        let shown = text.map_or_else(|| crate::print::repr(&value), |text| format!("{text:?}"));
        let chosen = operations::choose(self.parameter(role), words, text, &shown);
        chosen.map(Some).map_err(EvalError::value_error)
    }

    /// The rules of the call, `combining` values or not, beside arrays of a library.
    fn rules(&self, combining: bool, face: &'static Face) -> Result<Rules> {
        let policy = Policy {
            // An explanation asks for other rules than a call says by a library that has them.
            bounds: self.word(Role::Bounds, operations::BOUNDS)?.or(Some(self.call.face.rules.get.outside)),
            negative: self.flag(Role::Negative),
            duplicates: self.word(Role::Duplicates, operations::DUPLICATES)?,
            casting: self.word(Role::Casting, operations::CASTING)?,
        };
        if let Some(text) = policy.refused(combining) {
            return Err(EvalError::value_error(text));
        }
        let mut rules = policy.rules();
        if let Some(fill) = self.value(Role::Fill) {
            if rules.outside != Outside::Fill {
                return Err(EvalError::value_error(operations::FILL_UNUSED));
            }
            let number = to_scalar(&fill).ok_or_else(|| EvalError::type_error("fill_value must be a number"))?;
            rules.fill = Some(Fill::Number(number));
        }
        Ok(face.beside(rules))
    }

    fn axis(&self) -> Result<Option<i64>> {
        if let Some(axis) = self.whole(Role::Axis)? {
            return Ok(Some(axis));
        }
        // `None` was given where that means something, or is the default.
        match self.entry.parameter(Role::AxisOrNone) {
            Some(p) if !matches!(self.call.passed(p.name), Some(Value::None)) => self.whole(Role::AxisOrNone),
            _ => Ok(None),
        }
    }

    fn given(&self) -> Result<Given> {
        let axis = self.axis()?;
        let reduce = self.word(Role::Reduce, operations::REDUCE)?;
        let alpha = match self.value(Role::Factor) {
            Some(value) => to_scalar(&value).ok_or_else(|| EvalError::type_error("alpha must be a number"))?,
            None => Scalar::Int(1),
        };
        let given = Given {
            axis,
            batch_dims: self.whole(Role::BatchDims)?.unwrap_or(0),
            reduce: reduce.flatten(),
            include_self: self.flag(Role::IncludeSelf).unwrap_or(true),
            accumulate: self.flag(Role::Accumulate).unwrap_or(false),
            alpha,
            ..Given::default()
        };
        Ok(match self.word(Role::HasReduce, operations::GROUP)? {
            Some(group) => given.grouped(group, self.flag(Role::SkipNan).unwrap_or(false)),
            None => given,
        })
    }

    /// A value as an array.
    fn operand(&self, value: &Value) -> Result<Operand> {
        match value {
            Value::Array(array) => Ok(Operand { tensor: array.tensor(), face: array.face, array: true }),
            plain => {
                let empty = plain.items().is_some_and(|items| items.is_empty());
                let tensor = match empty {
                    true => from_value(plain, Some(DType::I64), &NUMPY)?,
                    false => array_like(plain, &NUMPY)?.tensor(),
                };
                Ok(Operand { tensor, face: &NUMPY, array: false })
            }
        }
    }

    fn array(&self, role: Role) -> Result<Operand> {
        let value = self.value(role).ok_or_else(|| self.refused(role, "an array", &Value::None))?;
        self.operand(&value)
    }

    /// The first argument of a write in place.
    fn target(&self) -> Result<Array> {
        match self.value(Role::Data) {
            Some(Value::Array(array)) if !array.scalar => Ok(array),
            other => Err(self.refused(Role::Data, "an array to write into", &other.unwrap_or(Value::None))),
        }
    }

    /// Positions or a mask.
    fn places(&self) -> Result<Operand> {
        self.array(if self.entry.parameter(Role::Index).is_some() { Role::Index } else { Role::Mask })
    }

    /// What is stored in an array: numbers in lists in its dtype if they are of its kind, and a number as an array where one has to be.
    fn stored(&self, x: &Tensor, face: &'static Face, combining: bool, rules: &Rules) -> Result<Source<Tensor>> {
        let whole = self.entry.parameter(Role::Array).is_some();
        let role = if whole { Role::Array } else { Role::Values };
        let value = self.value(role).ok_or_else(|| self.refused(role, "an array or a number", &Value::None))?;
        match &value {
            Value::Array(array) => Ok(Source::Array(array.tensor())),
            plain => match to_scalar(plain) {
                Some(number) if !whole => Ok(Source::Scalar(number)),
                _ => self.listed(plain, x.dtype(), face, combining, rules).map(Source::Array),
            },
        }
    }

    fn listed(
        &self,
        value: &Value,
        dtype: DType,
        face: &'static Face,
        combining: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let natural = from_value(value, None, &NUMPY)?;
        let kind = |d: DType| (d != DType::Bool, d.is_float() || d.is_complex(), d.is_complex());
        let fits = natural.dtype() == dtype || kind(natural.dtype()) <= kind(dtype);
        match rules.casting {
            Casting::SameKind if !fits || dtype.is_foreign() => Ok(natural),
            Casting::Any if !combining => Ok(natural),
            _ => from_value(value, Some(dtype), if face.facts.tensors { &NUMPY } else { face }),
        }
    }

    /// Among how many threads the call is divided, where it says so.
    fn threads(&self) -> Result<Option<usize>> {
        let Some(n) = self.whole(Role::Threads)? else { return Ok(None) };
        usize::try_from(n).map(Some).map_err(|_| {
            let wanted = "a number of threads, or 0 for as many as there are processors";
            self.refused(Role::Threads, wanted, &Value::Int(n.into()))
        })
    }

    /// Runs work among as many threads as the call says.
    fn divided<T>(&self, work: impl FnOnce() -> takewise::Result<T>) -> Result<T> {
        let done = match self.threads()? {
            Some(n) => takewise::threads::on_threads(n, work),
            None => work(),
        };
        done.map_err(|error| self.failed(error))
    }

    #[cold]
    fn failed(&self, error: Error) -> EvalError {
        raise(error.in_op(self.entry.op()))
    }

    /// Memory for the result.
    fn out(&self) -> Result<Option<Array>> {
        match self.value(Role::Out) {
            None => Ok(None),
            Some(Value::Array(array)) if !array.scalar => Ok(Some(array)),
            Some(other) => Err(self.refused(Role::Out, "an array to write into", &other)),
        }
    }

    fn read(&self, run: fn(&operations::Call<'_>) -> takewise::Result<Tensor>) -> Outcome {
        let (x, index, given) = (self.array(Role::Data)?, self.places()?, self.given()?);
        let face = home(&[&x, &index]);
        let rules = self.rules(false, face)?;
        let (dtype, value) = (x.tensor.dtype(), Source::Scalar(Scalar::Int(0)));
        let call =
            operations::Call { x: &x.tensor, index: &index.tensor, value, given: &given, rules: &rules, others: &[] };
        self.finish(face, dtype, &|| run(&call))
    }

    /// The result of work, of a dtype known before, in memory given or its own.
    fn finish(&self, face: &'static Face, dtype: DType, work: &dyn Fn() -> takewise::Result<Tensor>) -> Outcome {
        let Some(out) = self.out()? else {
            return self.divided(work).map(|made| Value::Array(Array::new(made, face)));
        };
        let mut target = out.tensor();
        super::check_out_dtype(self.call, self.entry.op(), &target, dtype)?;
        self.divided(|| work()?.index_out(&[Index::Ellipsis], &mut target, &operations::RULES))?;
        if target.shape() != &out.shape()[..] && !out.face.facts.tensors {
            let text = format!("out= has shape {:?}, the result {:?}", &out.shape()[..], target.shape());
            return Err(EvalError::value_error(text));
        }
        if !target.is_identical(&out.tensor()) {
            out.replace(target);
        }
        Ok(Value::Array(out))
    }

    fn write(
        &self,
        copy: Option<fn(&operations::Call<'_>) -> takewise::Result<Tensor>>,
        place: fn(&operations::Call<'_>) -> takewise::Result<()>,
        combines: fn(&Given) -> bool,
        gives: bool,
    ) -> Outcome {
        let given = self.given()?;
        let combining = combines(&given);
        let in_place = copy.filter(|_| !self.entry.in_place);
        let (x, target) = match in_place {
            Some(_) => (self.array(Role::Data)?, None),
            None => {
                let target = self.target()?;
                (Operand { tensor: target.tensor(), face: target.face, array: true }, Some(target))
            }
        };
        let index = self.places()?;
        let rules = self.rules(combining, x.face)?;
        let value = self.stored(&x.tensor, x.face, combining, &rules)?;
        let (x_tensor, value) = (&x.tensor, value.map(|tensor| tensor));
        let rows = self.rows()?;
        let others = ranges::lent(&rows);
        let call = operations::Call {
            x: x_tensor,
            index: &index.tensor,
            value,
            given: &given,
            rules: &rules,
            others: &others,
        };
        match (in_place, target) {
            (Some(copy), _) => {
                let made = self.divided(|| copy(&call))?;
                Ok(Value::Array(Array::new(made, home(&[&x, &index]))))
            }
            (None, target) => {
                self.divided(|| place(&call))?;
                Ok(target.filter(|_| gives).map_or(Value::None, Value::Array))
            }
        }
    }

    /// The key as the engine's list.
    fn key(&self) -> Result<Vec<OwnedIndex>> {
        subscript::items(&NEUTRAL, &self.value(Role::Key).unwrap_or(Value::None))
    }

    fn subscript(&self, way: Way) -> Outcome {
        let (x, key) = (self.array(Role::Data)?, self.key()?);
        let items: Vec<Index<'_>> = key.iter().map(OwnedIndex::lent).collect();
        let rules = self.rules(false, x.face)?;
        let mixed = self.mixed()?;
        self.finish(home(&[&x]), x.tensor.dtype(), &|| {
            mixed.check(self.entry.op(), &x.tensor, &items, &rules)?;
            way.read(&x.tensor, &items, &rules)
        })
    }

    /// What is done with keys that can be read in two ways.
    fn mixed(&self) -> Result<Mixed> {
        Ok(self.word(Role::Mixed, operations::MIXED)?.unwrap_or(Mixed::Front))
    }

    fn store(&self) -> Outcome {
        let how = self.flag(Role::Accumulate).filter(|add| *add).map(|_| Reduce::Sum);
        let target = match self.entry.in_place {
            true => self.target()?,
            false => {
                let x = self.array(Role::Data)?;
                Array::new(x.tensor.clone_data().map_err(raise)?, home(&[&x]))
            }
        };
        let key = self.key()?;
        let items: Vec<Index<'_>> = key.iter().map(OwnedIndex::lent).collect();
        let (x, rules) = (target.tensor(), self.rules(how.is_some(), target.face)?);
        let value = self.stored(&x, target.face, how.is_some(), &rules)?;
        let (value, mixed) = (value.map(|tensor| tensor), self.mixed()?);
        self.divided(|| {
            mixed.check(self.entry.op(), &x, &items, &rules)?;
            match how {
                Some(how) => x.index_accumulate_(&items, value, how, &rules),
                None => x.index_set_(&items, value, &rules),
            }
        })?;
        Ok(Value::Array(target))
    }

    fn copy(&self) -> Outcome {
        let x = self.array(Role::Data)?;
        self.finish(home(&[&x]), x.tensor.dtype(), &|| x.tensor.to_row_major())
    }

    fn scatter_nd(&self) -> Outcome {
        let (updates, index) = (self.array(Role::Array)?, self.places()?);
        let wrong = |value: &Value| self.refused(Role::Shape, "a sequence of lengths, none of them negative", value);
        let value = self.value(Role::Shape).unwrap_or(Value::None);
        let lengths = value.items().ok_or_else(|| wrong(&value))?;
        let length = |v: &Value| to_i64(v).ok().and_then(|n| usize::try_from(n).ok()).ok_or_else(|| wrong(&value));
        let shape = lengths.iter().map(length).collect::<Result<Vec<_>>>()?;
        let rules = self.rules(false, updates.face)?;
        let made = self.divided(|| {
            let zeros = Tensor::zeroed(&shape, updates.tensor.dtype())?;
            zeros.scatter_nd_(&index.tensor, &updates.tensor, Some(Reduce::Sum), &rules)?;
            Ok(zeros)
        })?;
        Ok(Value::Array(Array::new(made, home(&[&updates]))))
    }
}
