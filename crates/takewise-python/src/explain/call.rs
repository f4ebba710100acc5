//! A call made on private arrays, and watched.

use pyo3::exceptions::{PyException, PyMemoryError, PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use takewise::Tensor;
use takewise_explain::data::{Explanation, Failure, Operand as Described, Outcome};
use takewise_explain::{Picture, axes_led};

use super::failure;
use super::operands::{Look, Operands};
use crate::border::Operand;
use crate::error::OrRaise;
use crate::watched::{self, Notes};

/// A call as it is to be explained.
pub(super) struct Call<'py> {
    /// What is called, with a method's receiver as the first argument.
    pub(super) function: Bound<'py, PyAny>,
    pub(super) args: Bound<'py, PyTuple>,
    pub(super) kwargs: Bound<'py, PyDict>,
    /// The parameters that `args` are for.
    pub(super) names: Vec<String>,
    pub(super) expression: String,
    pub(super) dialect: &'static str,
    pub(super) operation: String,
    pub(super) look: Look,
}

/// An array that came out, and its name.
struct Made<'py> {
    name: String,
    object: Bound<'py, PyAny>,
}

impl<'py> Call<'py> {
    /// What the call does. Lists of numbers have a name in it if the call does the same with arrays in their place.
    ///
    /// Errors: what is no failure of the call itself, but of the way it is made.
    pub(super) fn explained(&self) -> PyResult<Explanation> {
        let (plain, converts) = self.watched(Look { lists: false, ..self.look })?;
        if !converts {
            return Ok(plain);
        }
        match self.watched(Look { lists: true, ..self.look }) {
            Ok((named, _)) if is_same(&plain, &named) => Ok(named),
            _ => Ok(plain),
        }
    }

    /// The parameters and what was passed for them, in order.
    fn arguments(&self) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let named = self.args.iter().enumerate().map(|(k, object)| {
            let name = self.names.get(k).cloned().unwrap_or_else(|| format!("argument {}", k + 1));
            Ok((name, object))
        });
        let keywords = self.kwargs.iter().map(|(name, object)| Ok((name.extract()?, object)));
        named.chain(keywords).collect()
    }

    /// The call on arrays of its own, and whether there are lists that could be arrays.
    fn watched(&self, look: Look) -> PyResult<(Explanation, bool)> {
        let py = self.function.py();
        let arguments = self.arguments()?;
        let operands = Operands::of(&arguments, &self.operation, look)?;
        let args = self.args.iter().map(|item| operands.replaced(&item)).collect::<PyResult<Vec<_>>>()?;
        let (args, kwargs) = (PyTuple::new(py, args)?, operands.replaced_all(&self.kwargs)?);
        let mut picture = Picture::new(&self.expression, self.dialect, &self.operation);
        for found in &operands.found {
            picture.operand(&found.name, found.role, &found.tensor.read_any().or_raise(py)?.view());
        }
        let (outcome, notes) =
            watched::watch(|| picture.watch(operands.dry, || self.function.call(&args, Some(&kwargs))));
        match outcome {
            Ok(result) => self.results(&mut picture, &operands, &result, &notes)?,
            Err(error) => picture.failed(self.failure(py, error, &operands, &notes)?),
        }
        let mut made = picture.finish();
        self.axes(&mut made);
        if self.look.torch {
            let operands = &made.operands;
            made.results.iter_mut().for_each(|result| result.base = result.base.or_else(|| kept(operands, result)));
        }
        Ok((made, operands.convertible))
    }

    /// Says where axes come from, as far as that follows from what the operation is called.
    fn axes(&self, made: &mut Explanation) {
        let given = |name: &str| {
            let place = self.names.iter().position(|known| known == name);
            let by_place = place.and_then(|k| self.args.get_item(k).ok());
            by_place.or_else(|| self.kwargs.get_item(name).ok().flatten()).filter(|value| !value.is_none())
        };
        if given("batch_dims").is_some() {
            return;
        }
        let axis = ["dim", "axis"].into_iter().find_map(given).map(|axis| axis.extract::<i64>());
        let Ok(axis) = axis.transpose() else { return };
        let operation = self.operation.trim_end_matches('_');
        let of = |result: &Outcome| match result.base {
            Some(_) => None,
            None => axes_led(operation, axis, &made.operands, &result.shape),
        };
        let all: Vec<_> = made.results.iter().map(of).collect();
        for (result, axes) in made.results.iter_mut().zip(all) {
            result.axes = axes.unwrap_or_else(|| std::mem::take(&mut result.axes));
        }
    }

    /// Names what came out.
    fn results(
        &self,
        picture: &mut Picture,
        operands: &Operands<'py>,
        result: &Bound<'py, PyAny>,
        notes: &Notes,
    ) -> PyResult<()> {
        let py = result.py();
        // A function that gives nothing has written into its first array.
        let written = operands.found.first().filter(|_| result.is_none() && self.look.writes);
        let made = match written {
            Some(found) => vec![Made { name: "result".to_owned(), object: found.given.clone() }],
            None => parts(result)?,
        };
        let mut given = notes.given.iter();
        for Made { name, object } in made {
            let Some(tensor) = self.tensor_of(&object, operands, &mut given)? else { continue };
            picture.result(&name, &tensor.read_any().or_raise(py)?.view());
        }
        Ok(())
    }

    /// The array that an object is, in the memory in which the call made it.
    fn tensor_of<'n>(
        &self,
        object: &Bound<'py, PyAny>,
        operands: &Operands<'py>,
        given: &mut impl Iterator<Item = &'n Tensor>,
    ) -> PyResult<Option<Tensor>> {
        let opened = match self.look.torch {
            true => Operand::of_kernel(object)?,
            false => Operand::of(object)?,
        };
        let Some(opened) = opened else { return Ok(None) };
        let tensor = opened.tensor.settled();
        if operands.position(object).is_some() {
            return Ok(Some(tensor));
        }
        // Another library may have copied what the call made.
        let alike = |other: &&Tensor| other.shape() == tensor.shape() && other.dtype() == tensor.dtype();
        Ok(Some(given.find(alike).filter(|_| !self.look.torch).cloned().unwrap_or(tensor)))
    }

    /// Why the call failed; an error for what is no failure of the call itself.
    fn failure(&self, py: Python<'py>, error: PyErr, operands: &Operands<'py>, notes: &Notes) -> PyResult<Failure> {
        let of_call = error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py);
        let of_arguments = error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyNotImplementedError>(py);
        if !of_call || !(notes.refused || self.look.torch && !of_arguments) {
            return Err(error);
        }
        failure::of(py, &error, &operands.found)
    }
}

/// The arrays of a result: itself, or the items of a tuple or list.
fn parts<'py>(result: &Bound<'py, PyAny>) -> PyResult<Vec<Made<'py>>> {
    let py = result.py();
    let items: Vec<_> = match (result.cast::<PyTuple>(), result.cast::<PyList>()) {
        (Ok(tuple), _) => tuple.iter().collect(),
        (_, Ok(list)) => list.iter().collect(),
        _ => return Ok(vec![Made { name: "result".to_owned(), object: result.clone() }]),
    };
    // Tuples whose items have names, ours and PyTorch's.
    let fields = match result.getattr_opt("_fields")? {
        Some(fields) => fields.extract().unwrap_or_default(),
        None => structured(result)?,
    };
    let name = |k: usize| fields.get(k).cloned().unwrap_or_else(|| format!("result[{k}]"));
    let _ = py;
    Ok(items.into_iter().enumerate().map(|(k, object)| Made { name: name(k), object }).collect())
}

/// The names of a structure of Python's own: those of its class whose items are its own.
fn structured(result: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let class = result.get_type();
    match class.getattr_opt("__match_args__")? {
        Some(names) if class.hasattr("n_sequence_fields")? => {
            names.try_iter()?.map(|name| Ok(name?.cast_into::<PyString>()?.to_string())).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// The operand that a result is wherever nothing was written: PyTorch copies some itself, which nobody sees here.
fn kept(operands: &[Described], result: &Outcome) -> Option<usize> {
    let values = result.values.as_ref().filter(|values| result.cells.len() < values.len())?;
    let mut untouched = vec![true; values.len()];
    for cell in &result.cells {
        *untouched.get_mut(cell.at)? = false;
    }
    let is = |operand: &Described| operand.shape == result.shape && operand.dtype == result.dtype;
    let same = |operand: &Described| {
        let before = operand.values.as_deref().unwrap_or_default();
        before.len() == values.len() && (0..values.len()).all(|k| !untouched[k] || before[k] == values[k])
    };
    let first = operands.iter().position(is)?;
    same(&operands[first]).then_some(first)
}

/// Whether both are of calls with the same results, or the same error.
fn is_same(one: &Explanation, other: &Explanation) -> bool {
    let outcome = |e: &Explanation| {
        let results =
            e.results.iter().map(|r| (r.shape.clone(), r.dtype.clone(), r.values.clone())).collect::<Vec<_>>();
        (results, e.error.as_ref().map(|failure| (failure.class.clone(), failure.message.clone())))
    };
    outcome(one) == outcome(other)
}
