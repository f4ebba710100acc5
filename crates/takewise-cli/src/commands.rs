//! What each command of the program does.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use takewise_dialects::{Array, EvalError, Face, StoredArray, TORCH, Value, lookup, object};
use takewise_files::{self as files, FileError, RawSpec};
use takewise_notation::{Session, page, transcript};
use tempfile::NamedTempFile;

use crate::args::{self, Args, Command, Inputs, Output, Raw};
use crate::explain::Forms;
use crate::inputs::How;
use crate::opener::{Files, Opener};
use crate::output::Target;
use crate::progress::Progress;
use crate::{info, inputs, repl, say, stored};

/// Evaluation happens on a thread with room for deeply nested expressions.
const STACK: usize = 256 << 20;

/// What messages call what the command line gives.
static WORDS: files::Words = files::Words {
    choose: "choose one with '#name'",
    raw: "give --dtype (and --shape) to read raw bytes",
    text: "call a table of text .csv or .tsv, or give --delimiter",
    header: "--header",
    no_header: "--no-header",
    missing: "--missing",
};

/// Why a command failed, and which exit status says so.
enum Failure {
    /// An expression, a file or a transcript: status 1, after this message.
    Evaluation(String),
    /// Mismatches, or files, that have been reported already: status 1.
    Reported,
    /// The command line: status 2.
    Usage(String),
    /// Pages of which one shows nothing that could be compared: status 3.
    Silent,
}

impl From<FileError> for Failure {
    fn from(e: FileError) -> Self {
        Self::Evaluation(e.to_string())
    }
}

/// Runs the command and gives the exit status: 0, 1 (evaluation, file or mismatch), 2 (usage) or 3 (a page with nothing to compare).
pub fn run(args: Args) -> ExitCode {
    run_with(args, &Files)
}

/// [`run`], with operands that are no files of `takewise-files` opened by `opener`.
pub fn run_with(args: Args, opener: &'static dyn Opener) -> ExitCode {
    files::install_fault_handler();
    files::set_words(&WORDS);
    takewise::foreign::set_library(&takewise_dialects::texts::Keys);
    files::show_progress(|label, total| Box::new(Progress::start(label, Some(total))));
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || dispatch(args.command, opener));
    let outcome = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err(Failure::Evaluation("internal error: please report the expression above".into())),
        Err(e) => Err(Failure::Evaluation(format!("cannot start: {e}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Reported) => ExitCode::from(1),
        Err(Failure::Silent) => ExitCode::from(3),
        Err(Failure::Evaluation(text)) => {
            say::failure(&text);
            ExitCode::from(1)
        }
        Err(Failure::Usage(text)) => {
            say::failure(&text);
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: Command, opener: &dyn Opener) -> Result<(), Failure> {
    match command {
        Command::Eval { expression, inputs, output } => evaluate(&expression, &inputs, output, opener),
        Command::Completions { shell } => completions(shell, opener),
        Command::Man { command } => manual(command.as_deref(), opener),
        Command::Run { pages, strict, dialect } => check(&pages, strict, dialect.map_or(&TORCH, |d| d.face())),
        Command::Repl { inputs } => {
            let (mut session, _kept) = session("", &inputs, opener)?;
            repl::run(&mut session).map_err(|e| Failure::Evaluation(e.to_string()))
        }
        Command::Explain { expression, inputs, forms } => explained(&expression, &inputs, &forms, opener),
        Command::Info { files, raw, csv } => {
            let how = How { raw: spec(&raw), text: csv.spec() };
            if files.is_empty() {
                return show(&info::build(opener));
            }
            let mut failed = false;
            for path in &files {
                // What is wrong with one file is no reason not to describe the next.
                let wrong = match info::place(path, &how, opener) {
                    Ok((text, flaw)) => {
                        show(&text)?;
                        flaw
                    }
                    Err(e) => Some(e),
                };
                if let Some(e) = wrong {
                    failed = true;
                    say::failure(&e);
                }
            }
            if failed { Err(Failure::Reported) } else { Ok(()) }
        }
    }
}

fn at_source(error: &EvalError, source: &str) -> Failure {
    let text = if error.text().contains("<U") { TEXT } else { "" };
    Failure::Evaluation(error.render(source) + text)
}

/// What is said below an error about the dtype of a column of text.
const TEXT: &str = "\ntext is for unique, searchsorted, isin, sort and ==, and is moved as numbers are; \
     unique(x, return_inverse=True) numbers it";

fn spec(raw: &Raw) -> RawSpec {
    RawSpec { dtype: raw.dtype, shape: raw.shape.clone() }
}

fn show(text: &str) -> Result<(), Failure> {
    said(say::out(text))
}

fn said(outcome: std::io::Result<()>) -> Result<(), Failure> {
    outcome.map_err(|e| Failure::Evaluation(format!("cannot write the result: {e}")))
}

/// A session with the files of the command line bound, and what has to be kept as long as it is used.
fn session(source: &str, inputs: &Inputs, opener: &dyn Opener) -> Result<(Session, Vec<NamedTempFile>), Failure> {
    let face: &'static Face = inputs.dialect.map_or_else(|| lookup::guess(source), |d| d.face());
    let mut session = stored::session(face);
    let mut bound = Vec::new();
    for text in &inputs.bindings {
        bound.push(args::binding(text).map_err(Failure::Usage)?);
    }
    let how = How { raw: spec(&inputs.raw), text: inputs.csv.spec() };
    if bound.iter().filter(|(_, path, _)| inputs::is_standard(path)).count() > 1 {
        return Err(Failure::Usage("standard input can be given one name only".into()));
    }
    let mut kept = Vec::new();
    for (name, path, key) in bound {
        let value = match opener.open(&path, key.as_deref()) {
            Some(opened) => Value::Stored(StoredArray::new(opened.map_err(Failure::Evaluation)?), face),
            None => {
                let (tensor, copy) = inputs::open(&path, key.as_deref(), &how, opener)?;
                kept.extend(copy);
                Value::Array(Array::new(tensor, face))
            }
        };
        session.set(name, value);
    }
    Ok((session, kept))
}

fn evaluate(expression: &str, inputs: &Inputs, output: Output, opener: &dyn Opener) -> Result<(), Failure> {
    let target = Target::of(output, opener).map_err(Failure::Usage)?;
    let (mut session, _kept) = session(expression, inputs, opener)?;
    let working = Progress::start("evaluating", None);
    let outcome = session.exec_unread(expression);
    drop(working);
    let printed = session.take_output();
    let value = match outcome {
        Ok(value) => value,
        Err(error) => {
            show(&printed)?;
            return Err(at_source(&error, expression));
        }
    };
    if target.takes_output() {
        say::aside(&printed);
    } else {
        show(&printed)?;
    }
    match (value, &target) {
        (None, Target::Shown) => Ok(()),
        (None, _) => Err(Failure::Evaluation("the expression has no value to write".into())),
        (Some(value), Target::Shown) => show(&session.repr(&value).map_err(|e| at_source(&e, expression))?),
        (Some(value), target) => {
            let value = object::settled(value).map_err(|e| at_source(&e, expression))?;
            target.put(&value).map_err(Failure::Evaluation)?.map_or(Ok(()), |text| show(&text))
        }
    }
}

fn completions(shell: clap_complete::Shell, opener: &dyn Opener) -> Result<(), Failure> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut args::command(opener), "takewise", &mut out);
    let script = String::from_utf8_lossy(&out);
    show(&match shell {
        // Names of files are quoted when they are filled in, and a name with a blank is one: one of them may be written as a command.
        clap_complete::Shell::Bash => script
            .replace("complete -F _takewise ", "complete -F _takewise -o filenames ")
            .replace("COMPREPLY=($(compgen -f", "local IFS=$'\\n'; COMPREPLY=($(compgen -f"),
        _ => script.into_owned(),
    })
}

fn manual(command: Option<&str>, opener: &dyn Opener) -> Result<(), Failure> {
    let mut whole = args::command(opener);
    whole.build();
    let page = match command {
        None => clap_mangen::Man::new(whole),
        Some(name) => {
            let known = whole.get_subcommands().find(|c| c.get_name() == name).cloned();
            let found = known.ok_or_else(|| Failure::Usage(format!("there is no command '{name}'")))?;
            clap_mangen::Man::new(found).title(format!("takewise-{name}"))
        }
    };
    let mut out = Vec::new();
    page.render(&mut out).map_err(|e| Failure::Evaluation(e.to_string()))?;
    show(&String::from_utf8_lossy(&out))
}

fn explained(expression: &str, inputs: &Inputs, forms: &Forms, opener: &dyn Opener) -> Result<(), Failure> {
    if let Some(text) = forms.refused() {
        return Err(Failure::Usage(text.into()));
    }
    let (mut session, _kept) = session(expression, inputs, opener)?;
    let working = Progress::start("explaining", None);
    let outcome = forms.explain(&mut session, expression);
    drop(working);
    let shown = outcome.map_err(|e| at_source(&e, expression))?;
    for (path, content) in &shown.files {
        std::fs::write(path, content).map_err(|e| FileError::new(path, e.to_string()))?;
    }
    said(if shown.coloured { say::coloured(&shown.text) } else { say::out(&shown.text) })?;
    match (shown.failed, shown.error) {
        (_, Some(error)) => Err(Failure::Evaluation(error)),
        (true, None) => Err(Failure::Reported),
        (false, None) => Ok(()),
    }
}

fn check(paths: &[PathBuf], strict: bool, face: &'static Face) -> Result<(), Failure> {
    let (mut failed, mut silent) = (false, false);
    for path in paths {
        let text = read(path)?;
        let shown = path.to_string_lossy();
        let name = files::plain(&shown);
        let mut session = stored::session(face);
        let examples = transcript::parse(&text);
        let is_python = path.extension().is_some_and(|end| end == "py");
        let is_script = page::is_script(&text);
        if examples.is_empty() && (is_python || is_script) {
            script(&mut session, &text).map_err(|e| at_source(&e, &text))?;
            if !is_script {
                say::failure(&format!("{name}: is run as a script; what stands in it like an output is not compared"));
            }
            continue;
        }
        if examples.is_empty() && strict {
            silent = true;
            show(&format!("{name}: no prompts, and --strict compares what stands below prompts: nothing compared"))?;
            continue;
        }
        if strict {
            let report = transcript::check(&mut session, &examples);
            for mismatch in &report.failed {
                show(&format!("{name}: {mismatch}\n"))?;
            }
            failed |= !report.failed.is_empty();
            silent |= report.compared == 0;
            show(&format!("{name}: {}", report.summary()))?;
            continue;
        }
        let report = page::replay(&mut session, &text).map_err(|e| at_source(&e, &text))?;
        for finding in &report.findings {
            show(&format!("{name}: {finding}\n"))?;
        }
        failed |= !report.holds();
        silent |= !report.says_something();
        show(&format!("{name}: {}", report.summary()))?;
    }
    match (failed, silent) {
        (true, _) => Err(Failure::Reported),
        (false, true) => Err(Failure::Silent),
        (false, false) => Ok(()),
    }
}

/// Bytes of a document.
const LONGEST: u64 = 64 << 20;

fn read(path: &Path) -> Result<String, Failure> {
    let fail = |text: String| FileError::new(path, text);
    let source: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(std::fs::File::open(path).map_err(|e| fail(e.to_string()))?),
    };
    let mut bytes = Vec::new();
    source.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fail(format!("is longer than {LONGEST} bytes, which no document is")).into());
    }
    String::from_utf8(bytes).map_err(|_| fail("is not UTF-8 text".into()).into())
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
