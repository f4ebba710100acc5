//! One operation under several libraries' rules, and under several rules for values out of range.

use std::rc::Rc;
use std::sync::OnceLock;

use crate::Result;
use takewise::index::rules::{FlatRules, Outside, Rules};
use takewise_dialects::rules::Dialect;
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Array, Context, EvalError, Face, Function, NEUTRAL, TORCH, Value, lookup};
use takewise_explain::data::Failure;
use takewise_explain::{Comparison, Picture};

use super::action::Action;
use super::{Asked, asked};
use crate::session::Session;

/// Explains the operation of the last statement under each library's rules. Operands are evaluated once, by the library
/// that the expression speaks of; then every library is given the same values. Where one has no function of that name its
/// explanation is that error.
///
/// ```
/// use takewise_dialects::{NUMPY, TORCH};
/// use takewise_notation::{Session, side_by_side};
/// let source = "x = torch.zeros(2, 3, 4); i = torch.tensor([0, 1]); x[0, :, i]";
/// let both = side_by_side(&mut Session::new(&TORCH), source, &[&TORCH, &NUMPY])?;
/// let shapes: Vec<_> = both.columns.iter().map(|c| &c.explanation.results[0].shape[..]).collect();
/// assert_eq!(shapes, [[3, 2], [2, 3]]);
/// assert!(!both.same);
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
///
/// # Errors
/// As [`explanation`](super::explanation).
pub fn side_by_side(session: &mut Session, source: &str, faces: &[&'static Face]) -> Result<Comparison> {
    Ok(by_libraries(&asked(session, source)?, faces))
}

/// [`side_by_side`] for a call of a library's function or method on values.
///
/// ```
/// use takewise_dialects::{NUMPY, TORCH, Value, lookup, sig::Arguments};
/// use takewise_notation::call_side_by_side;
/// let arange = lookup::attribute(&Value::Module(&TORCH, ""), "arange")?;
/// let arguments = Arguments { positional: vec![Value::Int(3)], keyword: vec![] };
/// let both = call_side_by_side("torch.arange(3)", &arange, &arguments, &Default::default(), &[&TORCH, &NUMPY]);
/// assert!(both.same && both.columns.len() == 2);
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
pub fn call_side_by_side(
    expression: &str,
    function: &Value,
    arguments: &Arguments,
    context: &Rc<Context>,
    faces: &[&'static Face],
) -> Comparison {
    by_libraries(&Asked::call(expression, function, arguments, context), faces)
}

fn by_libraries(asked: &Asked, faces: &[&'static Face]) -> Comparison {
    let columns = faces.iter().map(|face| {
        let name = if face.name == NEUTRAL.name { "takewise" } else { face.name };
        (name.to_owned(), under(asked, face, name))
    });
    Comparison::of(&asked.expression, columns.collect())
}

/// Explains the operation of the last statement under each rule for values out of range: `raise`, `wrap`, `clip`, `fill`
/// and `drop`. The other rules are takewise's own where the expression speaks torch's names, else those of its library.
///
/// ```
/// use takewise_dialects::TORCH;
/// use takewise_notation::{Session, bounds};
/// let five = bounds(&mut Session::new(&TORCH), "torch.tensor([5, 6, 7])[torch.tensor([1, 4])]")?;
/// let names: Vec<_> = five.columns.iter().map(|c| &c.name[..]).collect();
/// assert_eq!(names, ["raise", "wrap", "clip", "fill", "drop"]);
/// assert!(five.columns[0].explanation.error.is_some() && five.columns[1].explanation.error.is_none());
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
///
/// # Errors
/// As [`explanation`](super::explanation).
pub fn bounds(session: &mut Session, source: &str) -> Result<Comparison> {
    Ok(by_rules(&asked(session, source)?))
}

/// [`bounds`] for a call of a library's function or method on values.
///
/// ```
/// use takewise_dialects::{TORCH, Value, lookup, sig::Arguments};
/// use takewise_notation::call_bounds;
/// let arange = lookup::attribute(&Value::Module(&TORCH, ""), "arange")?;
/// let arguments = Arguments { positional: vec![Value::Int(3)], keyword: vec![] };
/// let five = call_bounds("torch.arange(3)", &arange, &arguments, &Default::default());
/// assert!(five.same && five.columns.len() == 5);
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
pub fn call_bounds(expression: &str, function: &Value, arguments: &Arguments, context: &Rc<Context>) -> Comparison {
    by_rules(&Asked::call(expression, function, arguments, context))
}

fn by_rules(asked: &Asked) -> Comparison {
    let own = asked.face();
    let base = if *own == TORCH { &NEUTRAL } else { own };
    let dialect = if base.name == NEUTRAL.name { "takewise" } else { base.name };
    let columns =
        RULES.iter().enumerate().map(|(k, (name, _))| ((*name).to_owned(), under(asked, ruled(base, k), dialect)));
    Comparison::of(&asked.expression, columns.collect())
}

const RULES: [(&str, Outside); 5] = [
    ("raise", Outside::Raise),
    ("wrap", Outside::Wrap),
    ("clip", Outside::Clip),
    ("fill", Outside::Fill),
    ("drop", Outside::Drop),
];

/// A library with another rule for values out of range. There are as many as libraries and rules.
fn ruled(face: &'static Face, rule: usize) -> &'static Face {
    static MADE: [[OnceLock<&'static Face>; 5]; 5] = [const { [const { OnceLock::new() }; 5] }; 5];
    let at = lookup::FACES.iter().position(|f| *f == face).unwrap_or(0);
    MADE[at][rule].get_or_init(|| {
        let outside = RULES[rule].1;
        let flat = |rules: Rules| rules.flat.map(|flat| FlatRules { outside, ..flat });
        let rules = face.rules.map(|rules| Rules { outside, flat: flat(rules), ..rules });
        let rules: &'static Dialect = Box::leak(Box::new(rules));
        Box::leak(Box::new(Face { rules, ..face.clone() }))
    })
}

/// The explanation of an operation by another library.
fn under(asked: &Asked, face: &'static Face, name: &str) -> takewise_explain::Explanation {
    match asked.action.by(face) {
        Ok(action) => Asked { action, ..asked.clone() }.explained(),
        Err(error) => {
            let mut picture = Picture::new(&asked.expression, name, &asked.action.name());
            picture.failed(Failure {
                class: error.class().to_owned(),
                message: error.text().to_owned(),
                span: Some([0, asked.expression.len()]),
                ..Failure::default()
            });
            picture.finish()
        }
    }
}

impl Action {
    /// The same operation of another library, on the same values.
    fn by(&self, face: &'static Face) -> Result<Action> {
        let action = self.on(&mut |array: &Array| array.clone().of_face(face));
        Ok(match action {
            Action::Call(Value::Function(f), arguments) => Action::Call(function(&f, face)?, arguments),
            Action::Call(Value::Method(receiver, f), arguments) => {
                let name = f.name.trim_start_matches("at.");
                Action::Call(lookup::attribute(&receiver, name)?, arguments)
            }
            other => other,
        })
    }
}

/// The function of that name in another library, in whichever of its modules it stands.
fn function(f: &Function, face: &'static Face) -> Result<Value> {
    let path = f.rows.first().map_or(f.name, |row| row.name);
    let own = f.face.modules.iter().map(|(_, inner)| *inner).filter(|inner| !inner.is_empty());
    let path = own.filter_map(|inner| path.strip_prefix(inner)?.strip_prefix('.')).next().unwrap_or(path);
    // The arguments of another library's function are not those of an operation of the catalogue.
    if f.operation().is_none()
        && !(face.own)().is_empty()
        && let Some(tabled) = face.tabled(path)
    {
        return Ok(tabled);
    }
    // MindSpore's `mint` is made after torch, and is asked first.
    let modules = || face.modules.iter().map(|(_, inner)| *inner);
    let mut in_order = modules().filter(|inner| *inner == "mint").chain(modules().filter(|inner| *inner != "mint"));
    let found = in_order.find_map(|inner| {
        path.split('.').try_fold(Value::Module(face, inner), |at, part| lookup::attribute(&at, part)).ok()
    });
    found
        .filter(|v| matches!(v, Value::Function(_)))
        .ok_or_else(|| EvalError::new("AttributeError", format!("{} has no function '{path}'", face.name)))
}
