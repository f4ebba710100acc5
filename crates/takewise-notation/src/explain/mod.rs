//! From an expression to its explanation.
//!
//! Statements before the last are run. The operands of the last are evaluated and named, and its operation is made on
//! private copies of them while the engine is watched. What is seen is an [`Explanation`].

mod action;
mod axes;
mod copies;
mod failure;
mod flows;
mod operands;
mod prepare;
mod side;

use std::ops::Range;
use std::rc::Rc;

use crate::Result;
use takewise::strategy::watch;
use takewise::{Tensor, grad};
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Array, Context, EvalError, Face, NEUTRAL, Value, object};
use takewise_explain::Picture;
use takewise_explain::data::Explanation;

use crate::session::Session;
use crate::syntax::{self, span};
use action::Action;
use axes::Known;
use copies::Copies;
use prepare::Written;

pub use operands::of_own;
pub use side::{bounds, call_bounds, call_side_by_side, side_by_side};

/// Explains the operation of the last statement of `source`, after running those before it. That operation is made on
/// copies: the session's arrays stay as they are.
///
/// A call that fails is explained too: [`Explanation::error`] says why.
///
/// ```
/// use takewise_dialects::TORCH;
/// use takewise_notation::{Session, explanation};
/// let mut session = Session::new(&TORCH);
/// let source = "x = torch.tensor([5, 6, 7]); i = torch.tensor([2, 0]); x[i]";
/// let explained = explanation(&mut session, source)?;
/// assert_eq!(explained.expression, "x[i]");
/// assert_eq!(explained.operands.iter().map(|o| &o.name[..]).collect::<Vec<_>>(), ["x", "i"]);
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
///
/// # Errors
/// A source that does not parse, and failures before the last operation.
pub fn explanation(session: &mut Session, source: &str) -> Result<Explanation> {
    let asked = asked(session, source)?;
    Ok(asked.explained())
}

/// Explains a call of a library's function or method on values. Operands have the names of its parameters.
///
/// ```
/// use takewise_dialects::{TORCH, lookup, sig::Arguments, Value};
/// use takewise_notation::explain_call;
/// let zeros = lookup::attribute(&Value::Module(&TORCH, ""), "zeros")?;
/// let arguments = Arguments { positional: vec![Value::Int(3)], keyword: vec![] };
/// let explained = explain_call("torch.zeros(3)", &zeros, &arguments, &Default::default());
/// assert_eq!(explained.results[0].shape, [3]);
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
pub fn explain_call(expression: &str, function: &Value, arguments: &Arguments, context: &Rc<Context>) -> Explanation {
    Asked::call(expression, function, arguments, context).explained()
}

/// Runs the statements before the last, and evaluates the operands of that.
fn asked(session: &mut Session, source: &str) -> Result<Asked> {
    let statements = syntax::parse(source)?;
    let Some((last, before)) = statements.split_last() else {
        return Err(EvalError::new("SyntaxError", "nothing to explain").at(0..source.len()));
    };
    for statement in before {
        session.run(statement)?;
    }
    let _ = session.take_output();
    let prepared = session.intact_after(|session| prepare::prepared(session, last, source));
    let prepared = prepared.map_err(|e| e.at(span(last)))?;
    let whole = span(last);
    let expression = source.get(whole.clone()).unwrap_or(source);
    Ok(Asked {
        part: whole,
        blamed: prepared.span,
        leaves: session.leaves(),
        named: session.arrays(),
        ..Asked::of(expression, prepared.action, prepared.written, session.face(), &session.context())
    })
}

/// An operation that is to be explained.
#[derive(Clone)]
struct Asked {
    expression: String,
    /// Where the expression stands in the source that errors speak of.
    part: Range<usize>,
    /// The part of it whose operation is explained.
    blamed: Range<usize>,
    action: Action,
    written: Written,
    /// The library that speaks where no operand belongs to one.
    face: &'static Face,
    context: Rc<Context>,
    /// Named arrays that take a gradient.
    leaves: Vec<(String, Array)>,
    /// All named arrays.
    named: Vec<(String, Array)>,
}

impl Asked {
    fn of(expression: &str, action: Action, written: Written, face: &'static Face, context: &Rc<Context>) -> Asked {
        let (mut written, apart) = (written, Rc::new(context.apart()));
        let action = operands::listed(action, &mut written, &apart);
        let part = 0..expression.len();
        Asked {
            expression: expression.to_owned(),
            blamed: part.clone(),
            part,
            action,
            written,
            face,
            context: apart,
            leaves: Vec::new(),
            named: Vec::new(),
        }
    }

    fn call(expression: &str, function: &Value, arguments: &Arguments, context: &Rc<Context>) -> Asked {
        let face = match function {
            Value::Function(f) | Value::Method(_, f) => f.face,
            _ => &NEUTRAL,
        };
        let action = Action::Call(function.clone(), arguments.clone());
        Asked::of(expression, action, Written::default(), face, context)
    }

    /// The library whose rules hold.
    fn face(&self) -> &'static Face {
        match &self.action {
            Action::Call(Value::Function(f) | Value::Method(_, f), _) => f.face,
            action => action.first().map_or(self.face, |array| array.face),
        }
    }

    fn explained(&self) -> Explanation {
        if let Some(explanation) = flows::backward(self) {
            return explanation;
        }
        let mut arrays: Vec<Array> = Vec::new();
        let _ = self.action.on(&mut |array| {
            if !arrays.iter().any(|known| known.same(array)) {
                arrays.push(array.clone());
            }
            array.clone()
        });
        // What looks beyond its operand's elements needs all of the memory they lie in; it writes nothing.
        let looks = matches!(&self.action, Action::Attribute(..))
            || matches!(&self.action, Action::Call(Value::Function(f) | Value::Method(_, f), _) if f.name == "as_strided");
        let copies = if looks { Copies::none(&arrays) } else { Copies::of(&arrays) };
        let private = self.action.on(&mut |array| copies.stands_for(array));
        let mut picture = self.picture(&private);
        let recording = grad::is_grad_enabled();
        let mut outcome = picture.watch(!copies.whole, || private.perform(&self.context));
        grad::set_grad_enabled(recording);
        if copies.trespassed() {
            // What the originals refuse they refuse before anything moves, and nothing moves in any case.
            if let (Err(refused), _) = watch(true, || self.action.perform(&self.context)) {
                outcome = Err(refused);
            }
            grad::set_grad_enabled(recording);
        }
        let error = outcome.as_ref().err().cloned();
        for (name, tensor) in outcome.map(|value| self.results(&private, &value)).unwrap_or_default() {
            if let Ok(open) = tensor.read_any() {
                picture.result(&name, &open.view());
            }
        }
        self.finished(picture, error)
    }

    /// A picture with the operands of an action named.
    fn picture(&self, private: &Action) -> Picture {
        let face = self.face();
        let dialect = if face.name == NEUTRAL.name { "takewise" } else { face.name };
        let mut picture = Picture::new(&self.expression, dialect, &self.action.name());
        let names = operands::names(&operands::slots(&self.action, &self.context), &self.written);
        for (name, slot) in names.iter().zip(operands::slots(private, &self.context)) {
            let tensor = slot.array.tensor();
            if let Ok(open) = tensor.read_any() {
                picture.operand(name, slot.role, &open.view());
            }
        }
        picture
    }

    fn finished(&self, mut picture: Picture, error: Option<EvalError>) -> Explanation {
        let slots = operands::slots(&self.action, &self.context);
        if let Some(error) = error {
            let failure = failure::failure(&picture, &error, &slots, self);
            picture.failed(failure);
        }
        let mut explanation = picture.finish();
        Known { action: &self.action, slots: &slots, context: &self.context }.axes(&mut explanation);
        explanation
    }

    /// The arrays that come out, with their names.
    fn results(&self, private: &Action, value: &Value) -> Vec<(String, Tensor)> {
        let whole = |tensor: Tensor| vec![("result".to_owned(), tensor)];
        let parts =
            |items: &[Value]| -> Option<Vec<Tensor>> { items.iter().map(|v| v.array().map(Array::tensor)).collect() };
        match value {
            Value::Array(array) => whole(array.tensor()),
            // Only what writes gives nothing.
            Value::None => self.written_into(private).into_iter().collect(),
            Value::Sparse(sparse, _) => {
                vec![("indices".into(), sparse.indices().clone()), ("values".into(), sparse.values().clone())]
            }
            Value::Record(record, items) => {
                let named = record.fields.iter().zip(items.iter());
                named.filter_map(|(name, v)| Some(((*name).to_owned(), v.array()?.tensor()))).collect()
            }
            sequence => match sequence.items().and_then(|items| parts(&items)) {
                Some(parts) if !parts.is_empty() => {
                    let named = parts.into_iter().enumerate();
                    named.map(|(k, tensor)| (format!("result{}", k + 1), tensor)).collect()
                }
                _ => object::to_tensor(value, self.face()).map(whole).unwrap_or_default(),
            },
        }
    }

    /// The array that a call without a result has written into.
    fn written_into(&self, private: &Action) -> Option<(String, Tensor)> {
        let array = private.first()?;
        let slots = operands::slots(private, &self.context);
        let at = slots.iter().position(|s| s.array.same(&array))?;
        let names = operands::names(&operands::slots(&self.action, &self.context), &self.written);
        Some((names.get(at)?.clone(), array.tensor()))
    }
}
