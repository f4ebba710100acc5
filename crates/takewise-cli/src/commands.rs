//! What each command of the program does.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use takewise_dialects::{Array, EvalError, Face, NUMPY, TORCH, Value, lookup, object};
use takewise_files::{self as files, Destination, FileError, RawSpec};
use takewise_notation::{Session, page, transcript};

use crate::args::{self, Args, Command, Inputs, Raw};
use crate::explain::Forms;
use crate::progress::Progress;
use crate::{info, repl, stored};

/// Evaluation happens on a thread with room for deeply nested expressions.
const STACK: usize = 256 << 20;

/// Why a command failed, and which exit status says so.
enum Failure {
    /// An expression, a file or a transcript: status 1, after this message.
    Evaluation(String),
    /// Mismatches, or files, that have been reported already: status 1.
    Reported,
    /// The command line: status 2.
    Usage(String),
}

impl From<FileError> for Failure {
    fn from(e: FileError) -> Self {
        Self::Evaluation(e.to_string())
    }
}

/// Runs the command and gives the exit status: 0, 1 (evaluation, file or mismatch) or 2 (usage).
pub fn run(args: Args) -> ExitCode {
    files::install_fault_handler();
    files::show_progress(|label, total| Box::new(Progress::start(label, Some(total))));
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || dispatch(args.command));
    let outcome = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err(Failure::Evaluation("internal error: please report the expression above".into())),
        Err(e) => Err(Failure::Evaluation(format!("cannot start: {e}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Reported) => ExitCode::from(1),
        Err(Failure::Evaluation(text)) => {
            eprintln!("takewise: {text}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(text)) => {
            eprintln!("takewise: {text}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Eval { expression, inputs, output } => evaluate(&expression, &inputs, output),
        Command::Run { pages, strict, dialect } => check(&pages, strict, dialect.map_or(&TORCH, |d| d.face())),
        Command::Repl { inputs } => {
            let mut session = session("", &inputs)?;
            repl::run(&mut session).map_err(|e| Failure::Evaluation(e.to_string()))
        }
        Command::Explain { expression, inputs, forms } => explained(&expression, &inputs, &forms),
        Command::Info { files, raw } => {
            if files.is_empty() {
                return show(&info::build());
            }
            let mut failed = false;
            for path in &files {
                // What is wrong with one file is no reason not to describe the next.
                let wrong = match info::file(path, &spec(&raw)) {
                    Ok((text, flaw)) => {
                        show(&text)?;
                        flaw
                    }
                    Err(e) => Some(e),
                };
                if let Some(e) = wrong {
                    failed = true;
                    eprintln!("takewise: {e}");
                }
            }
            if failed { Err(Failure::Reported) } else { Ok(()) }
        }
    }
}

fn at_source(error: &EvalError, source: &str) -> Failure {
    Failure::Evaluation(error.render(source))
}

fn spec(raw: &Raw) -> RawSpec {
    RawSpec { dtype: raw.dtype, shape: raw.shape.clone() }
}

/// Writes to standard output; a reader that has gone away is not an error.
fn show(text: &str) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{newline}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Evaluation(format!("cannot write the result: {e}")))
        }
        _ => Ok(()),
    }
}

/// A session with the files of the command line bound.
fn session(source: &str, inputs: &Inputs) -> Result<Session, Failure> {
    let face: &'static Face = inputs.dialect.map_or_else(|| lookup::guess(source), |d| d.face());
    let mut session = stored::session(face);
    let mut bound = Vec::new();
    for text in &inputs.bindings {
        bound.push(args::binding(text).map_err(Failure::Usage)?);
    }
    for (name, path, key) in bound {
        let tensor = files::open_one(&path, key.as_deref(), &spec(&inputs.raw))?;
        session.set(name, Value::Array(Array::new(tensor, face)));
    }
    Ok(session)
}

fn evaluate(expression: &str, inputs: &Inputs, output: Option<PathBuf>) -> Result<(), Failure> {
    let destination = output.map(Destination::new).transpose().map_err(|e| Failure::Usage(e.to_string()))?;
    let mut session = session(expression, inputs)?;
    let working = Progress::start("evaluating", None);
    let outcome = session.exec(expression);
    drop(working);
    let printed = session.take_output();
    let value = match outcome {
        Ok(value) => value,
        Err(error) => {
            show(&printed)?;
            return Err(at_source(&error, expression));
        }
    };
    let Some(destination) = destination else {
        show(&printed)?;
        let Some(value) = value else { return Ok(()) };
        return show(&session.repr(&value).map_err(|e| at_source(&e, expression))?);
    };
    let Some(value) = value else {
        return Err(Failure::Evaluation("the expression has no value to write".into()));
    };
    let entries = entries(&value)
        .ok_or_else(|| Failure::Evaluation(format!("a {} cannot be written to a tensor file", value.type_name())))?;
    show(&printed)?;
    files::save(&destination, &entries)?;
    Ok(())
}

fn explained(expression: &str, inputs: &Inputs, forms: &Forms) -> Result<(), Failure> {
    if let Some(text) = forms.refused() {
        return Err(Failure::Usage(text.into()));
    }
    let mut session = session(expression, inputs)?;
    let working = Progress::start("explaining", None);
    let outcome = forms.explain(&mut session, expression);
    drop(working);
    let shown = outcome.map_err(|e| at_source(&e, expression))?;
    for (path, content) in &shown.files {
        std::fs::write(path, content).map_err(|e| FileError::new(path, e.to_string()))?;
    }
    show(&shown.text)?;
    match (shown.failed, shown.error) {
        (_, Some(error)) => Err(Failure::Evaluation(error)),
        (true, None) => Err(Failure::Reported),
        (false, None) => Ok(()),
    }
}

/// The tensors to write for a value: one, or those of a tuple or list.
fn entries(value: &Value) -> Option<Vec<files::Entry>> {
    match value {
        Value::Array(array) => Some(vec![(String::new(), array.tensor())]),
        Value::Tuple(_) | Value::Record(..) | Value::List(_) => {
            let items = value.items()?;
            items.iter().map(|v| Some((String::new(), v.array()?.tensor()))).collect()
        }
        number => Some(vec![(String::new(), object::to_tensor(number, &NUMPY).ok()?)]),
    }
}

fn check(paths: &[PathBuf], strict: bool, face: &'static Face) -> Result<(), Failure> {
    let mut failed = false;
    for path in paths {
        let text = read(path)?;
        let shown = path.to_string_lossy();
        let name = files::plain(&shown);
        let mut session = stored::session(face);
        let examples = transcript::parse(&text);
        let is_python = path.extension().is_some_and(|end| end == "py");
        if examples.is_empty() && (strict || is_python || page::is_script(&text)) {
            script(&mut session, &text).map_err(|e| at_source(&e, &text))?;
            continue;
        }
        if strict {
            let report = transcript::check(&mut session, &examples);
            for mismatch in &report.failed {
                show(&format!("{name}: {mismatch}\n"))?;
            }
            failed |= !report.failed.is_empty();
            show(&format!("{name}: {}", report.summary()))?;
            continue;
        }
        let report = page::replay(&mut session, &text).map_err(|e| at_source(&e, &text))?;
        for finding in &report.findings {
            show(&format!("{name}: {finding}\n"))?;
        }
        failed |= !report.holds();
        show(&format!("{name}: {}", report.summary()))?;
    }
    if failed { Err(Failure::Reported) } else { Ok(()) }
}

fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let outcome = if path == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|content| bytes = content)
    };
    outcome.map_err(|e| FileError::new(path, e.to_string()))?;
    String::from_utf8(bytes).map_err(|_| FileError::new(path, "is not UTF-8 text").into())
}

/// Runs a file without prompts. Only `print` shows anything, as in a script.
fn script(session: &mut Session, text: &str) -> Result<(), EvalError> {
    let outcome = session.script(text);
    let _ = show(&session.take_output());
    outcome
}

/// Whether standard output is a terminal.
pub(crate) fn interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
