//! Every row of every library's table is explained: each way in which it can be called is, with arguments that the row takes, and
//! what is said of the call replays to its result and leaves nothing out.
//!
//! The arguments stand in one list for each library, by the name of the row. A row without any, or whose calls all fail, fails
//! the test.

#[path = "../shared/mod.rs"]
mod shared;

mod jax;
mod mindspore;
mod numpy;
mod torch;

use std::rc::Rc;

use shared::check::{Checked, checked, complete};
use takewise::Tensor;
use takewise_dialects::sig::{self, Arguments, Form, Overload, Row};
use takewise_dialects::{
    Context, EvalError, Face, Files, Function, JAX, MINDSPORE, NEUTRAL, NUMPY, TORCH, Value, lookup,
};
use takewise_notation::Session;

/// The calls of a library.
struct Library {
    face: &'static Face,
    /// Its module, as expressions name it.
    module: &'static str,
    /// Statements that make what the arguments name.
    setup: &'static str,
    /// Names of rows, and arguments for them; the first is a method's receiver.
    calls: &'static [(&'static str, &'static [&'static str])],
}

/// Rows whose calls touch no element and make none: they ask for or change the state of the session.
const TOUCH_NOTHING: &[&str] = &["no_grad", "enable_grad", "inference_mode", "manual_seed", "set_grad_enabled"];

/// The file that `np.load` reads.
struct OneFile;

impl Files for OneFile {
    fn load(&self, _: &str) -> Result<Tensor, EvalError> {
        Tensor::from_slice(&[1i64, 2, 3], &[3]).map_err(|e| EvalError::runtime_error(e.to_string()))
    }
}

impl Library {
    fn session(&self) -> Session {
        // What a call before may have left off.
        takewise::grad::set_grad_enabled(true);
        let mut session = Session::with_files(self.face, Rc::new(OneFile));
        // Torch's statements serve takewise's own names too.
        session
            .exec(&format!("tw = {}; {}", self.module, self.setup))
            .unwrap_or_else(|e| panic!("{}: {e}", self.module));
        session.take_output();
        session
    }

    /// The arguments for a row, those of the whole path first.
    fn arguments(&self, path: &str) -> Vec<Vec<String>> {
        let leaf = path.trim_start_matches("at.").rsplit('.').next().unwrap_or(path);
        let own = self.calls.iter().filter(|(name, _)| *name == path);
        let all = own.chain(self.calls.iter().filter(|(name, _)| *name == leaf && leaf != path));
        all.flat_map(|(_, calls)| calls.iter()).map(|call| parts(call)).collect()
    }
}

/// Text between commas that stand in no brackets.
fn parts(text: &str) -> Vec<String> {
    let (mut all, mut depth, mut part) = (Vec::new(), 0, String::new());
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        match (c, depth) {
            (',', 0) => all.push(std::mem::take(&mut part).trim().to_owned()),
            _ => part.push(c),
        }
    }
    if !part.trim().is_empty() {
        all.push(part.trim().to_owned());
    }
    all
}

/// How a row is called.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Function,
    Method,
    InPlace,
}

fn ways(form: Form) -> &'static [Way] {
    match form {
        Form::Both => &[Way::Function, Way::Method],
        Form::BothInPlace => &[Way::Function, Way::Method, Way::InPlace],
        Form::Function => &[Way::Function],
        Form::Method => &[Way::Method],
        Form::InPlace => &[Way::InPlace],
    }
}

/// A call as it is written, in parts.
struct Call {
    receiver: Option<String>,
    name: String,
    arguments: Vec<String>,
}

impl Call {
    fn of(library: &Library, row: &Row, way: Way, mut arguments: Vec<String>) -> Option<Call> {
        if way == Way::Function {
            return Some(Call { receiver: None, name: format!("{}.{}", library.module, row.name), arguments });
        }
        let receiver = (!arguments.is_empty()).then(|| arguments.remove(0))?;
        let suffix = if way == Way::InPlace { "_" } else { "" };
        let name = format!("{}{suffix}", row.name.trim_start_matches("at."));
        Some(Call { receiver: Some(receiver), name, arguments })
    }

    fn text(&self) -> String {
        let receiver = self.receiver.as_ref().map_or(String::new(), |r| format!("{r}."));
        format!("{receiver}{}({})", self.name, self.arguments.join(", "))
    }

    /// Whether the library takes this row for the call: the first whose signature fits.
    fn binds_to(&self, session: &mut Session, row: &Row) -> bool {
        self.bound(session, row).unwrap_or(false)
    }

    fn bound(&self, session: &mut Session, row: &Row) -> Result<bool, EvalError> {
        let receiver = self.receiver.as_ref().map(|text| session.eval(text)).transpose()?;
        let function = match &receiver {
            Some(receiver) => lookup::attribute(receiver, &self.name)?,
            None => session.eval(&self.name)?,
        };
        let (Value::Function(function) | Value::Method(_, function)) = function else { return Ok(false) };
        let mut arguments = Arguments { positional: vec![], keyword: vec![] };
        for text in &self.arguments {
            match text.split_once('=').filter(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_')) {
                Some((name, value)) => arguments.keyword.push((name.to_owned(), session.eval(value)?)),
                None => arguments.positional.push(session.eval(text)?),
            }
        }
        let fits = |one: &Overload| {
            let alone = Function { rows: [*one].into(), ..function.clone() };
            sig::bind(&alone, receiver.clone(), arguments.clone(), Rc::new(Context::default())).is_ok()
        };
        let taken: Option<&Row> = function.rows.iter().find(|one| fits(one)).map(|one| &**one);
        Ok(taken.is_some_and(|taken| std::ptr::eq(taken, row)))
    }
}

/// Explains every call that a row takes; a failure for each that is wrongly explained, and one where none succeeds.
fn explained(library: &Library, row: &'static Row, way: Way, failures: &mut Vec<String>) -> usize {
    let (mut told, mut seen) = (false, 0);
    for arguments in library.arguments(row.name) {
        let Some(call) = Call::of(library, row, way, arguments) else { continue };
        if !call.binds_to(&mut library.session(), row) {
            continue;
        }
        let text = call.text();
        match checked(&mut library.session(), &text) {
            Ok(Checked::Replayed(explained, count)) => {
                told |= explained.error.is_none();
                seen += count;
                if let Err(wrong) = complete(&explained) {
                    failures.push(format!("{}: {text}\n  {wrong}", library.face.name));
                }
            }
            Ok(Checked::Nothing) => told |= TOUCH_NOTHING.contains(&row.name),
            Err(wrong) => failures.push(format!("{}: {text}\n  {wrong}", library.face.name)),
        }
    }
    if !told {
        failures
            .push(format!("{}: {}({}), {way:?}: no call of it is explained", library.face.name, row.name, row.params));
    }
    seen
}

fn every_row(library: &Library) {
    let mut failures = Vec::new();
    let (mut rows, mut elements) = (0, 0);
    for row in library.face.tables.iter().flat_map(|table| table.iter()) {
        // The catalogue has the functions of these names; tests/test_doors.py of the package explains each of them.
        let own = (library.face.own)().iter().any(|own| own.name == row.name);
        for way in ways(row.form).iter().filter(|way| !own || **way != Way::Function) {
            elements += explained(library, row, *way, &mut failures);
            rows += 1;
        }
    }
    println!("{}: {rows} rows and ways, {elements} elements replayed", library.face.name);
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    // Takewise's own share torch's list, and lack some of its rows.
    for (name, _) in library.calls.iter().filter(|_| *library.face != NEUTRAL) {
        let known = |row: &Row| row.name == *name || row.name.rsplit('.').next() == Some(name);
        assert!(library.face.tables.iter().flat_map(|t| t.iter()).any(known), "no row is called {name}");
    }
}

#[test]
fn rows_of_torch() {
    every_row(&Library { face: &TORCH, module: "torch", setup: torch::SETUP, calls: torch::CALLS });
}

#[test]
fn rows_of_takewise() {
    every_row(&Library { face: &NEUTRAL, module: "takewise", setup: torch::SETUP, calls: torch::CALLS });
}

#[test]
fn rows_of_numpy() {
    every_row(&Library { face: &NUMPY, module: "np", setup: numpy::SETUP, calls: numpy::CALLS });
}

#[test]
fn rows_of_jax() {
    every_row(&Library { face: &JAX, module: "jax", setup: jax::SETUP, calls: jax::CALLS });
}

#[test]
fn rows_of_mindspore() {
    every_row(&Library { face: &MINDSPORE, module: "mindspore", setup: mindspore::SETUP, calls: mindspore::CALLS });
}
