//! The interactive prompt.

use std::cell::RefCell;
use std::io::BufRead;
use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use takewise_notation::{Pending, Session};

use crate::commands::interactive;
use crate::complete::complete;
use crate::explain::Forms;
use crate::{help, say};

/// Completion over the names of a running session.
struct Prompt<'s> {
    session: RefCell<&'s mut Session>,
}

impl Completer for Prompt<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, names) = complete(&self.session.borrow(), line, pos);
        Ok((start, names.into_iter().map(|n| Pair { display: n.clone(), replacement: n }).collect()))
    }
}

impl Validator for Prompt<'_> {}

impl Hinter for Prompt<'_> {
    type Hint = String;
}

impl Highlighter for Prompt<'_> {}

impl Helper for Prompt<'_> {}

/// Where the history is kept: under the user's state directory.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let directory = state.or_else(|| Some(home()?.join(".local/state")))?.join("takewise");
    std::fs::create_dir_all(&directory).ok()?;
    Some(directory.join("history"))
}

/// Reads statements until the end of input. Errors in statements are shown and do not end the session.
/// When input is not a terminal the lines are evaluated one by one without a prompt.
///
/// # Errors
/// A terminal that cannot be used.
pub(crate) fn run(session: &mut Session) -> Result<(), ReadlineError> {
    if !interactive() {
        return piped(session);
    }
    let version = env!("CARGO_PKG_VERSION");
    say::out(&format!("takewise {version}: tensor indexing. Tab completes, help helps, Ctrl-D leaves."))?;
    let config = Config::builder().completion_type(CompletionType::List).build();
    let mut editor = Editor::<Prompt<'_>, _>::with_config(config)?;
    editor.set_helper(Some(Prompt { session: RefCell::new(session) }));
    let history = history_file();
    if let Some(path) = &history {
        let _ = editor.load_history(path); // the first session has none
    }
    let mut pending = Pending::default();
    loop {
        match editor.readline(if pending.is_empty() { ">>> " } else { "... " }) {
            Ok(line) if pending.is_empty() && matches!(line.trim(), "exit" | "quit" | "exit()" | "quit()") => break,
            Ok(line) => {
                let Some(helper) = editor.helper() else { continue };
                if goes_on(&helper.session.borrow(), &mut pending, &line) {
                    continue;
                }
                let whole = std::mem::take(&mut pending);
                answer(*helper.session.borrow_mut(), whole.source());
                let _ = editor.add_history_entry(whole.source().trim_end());
            }
            Err(ReadlineError::Interrupted) => {
                pending = Pending::default();
                say::out("KeyboardInterrupt")?;
            }
            Err(ReadlineError::Eof) => break,
            Err(e) => return Err(e),
        }
    }
    if let Some(path) = &history
        && let Err(e) = editor.save_history(path)
    {
        say::failure(&format!("the history was not saved: {e}"));
    }
    Ok(())
}

fn piped(session: &mut Session) -> Result<(), ReadlineError> {
    let mut pending = Pending::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        // A line that is not indented ends a block as an empty one does.
        if pending.in_block() && !pending.is_unfinished() && !line.starts_with([' ', '\t']) {
            answer(session, std::mem::take(&mut pending).source());
        }
        if !goes_on(session, &mut pending, &line) {
            answer(session, std::mem::take(&mut pending).source());
        }
    }
    if !pending.is_empty() {
        answer(session, pending.source());
    }
    Ok(())
}

/// What `explain ...` asks about, unless that is a name here.
fn asked<'l>(session: &Session, line: &'l str) -> Option<&'l str> {
    let rest = line.trim_start().strip_prefix("explain")?;
    let asks = rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with('=');
    (asks && session.get("explain").is_none()).then(|| rest.trim_start())
}

/// Takes one more line. Whether further ones belong to the statement.
fn goes_on(session: &Session, pending: &mut Pending, line: &str) -> bool {
    let first = pending.is_empty();
    pending.push(line);
    let helps = || help::asked(session, asked(session, line).unwrap_or(line)).is_some();
    !(first && helps()) && pending.is_open()
}

fn answer(session: &mut Session, source: &str) {
    // Where standard output is gone, there is nobody to be told.
    let show = |text: &str| drop(say::out(text));
    if let Some(name) = help::asked(session, source) {
        return show(&help::text(session, name));
    }
    if let Some(source) = asked(session, source) {
        return match Forms::default().explain(session, source) {
            Err(error) => show(&error.render(source)),
            Ok(shown) if shown.coloured => drop(say::coloured(&shown.text)),
            Ok(shown) => show(&shown.text),
        };
    }
    let outcome = session.exec_unread(source).and_then(|value| {
        let Some(value) = value else { return Ok(None) };
        let text = session.repr(&value)?;
        session.set("_", value);
        Ok(Some(text))
    });
    show(&session.take_output());
    match outcome {
        Ok(Some(text)) => show(&text),
        Ok(None) => {}
        Err(error) => show(&error.render(source)),
    }
}
