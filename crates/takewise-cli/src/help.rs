//! Help at the prompt: `help`, `?`, `help(x)`, `help torch.gather`, `x?`.

use takewise_dialects::{Value, about};
use takewise_notation::{BUILTINS, Session};

use crate::complete::object;

const GENERAL: &str = "\
Write expressions as in PyTorch, NumPy, MindSpore or JAX: x[ids, 1:3], torch.gather(x, 1, i), x[x > 0] = 0.
  help NAME, NAME?   what a function does, or what a name holds: help torch.gather
  explain CALL       what a call does to each element: explain x[0, :, i]
  _                  the last value shown
  Tab                completes names, methods and arguments
  exit, Ctrl-D       leaves";

/// What a line asks help about: nothing in particular, or a name. `None` if it asks for none.
pub(crate) fn asked<'l>(session: &Session, line: &'l str) -> Option<&'l str> {
    let line = line.trim();
    let is_path = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    if let Some(name) = line.strip_suffix('?').or_else(|| line.strip_prefix('?')) {
        return Some(name.trim_matches('?').trim()).filter(|name| is_path(name));
    }
    let rest = line.strip_prefix("help")?;
    if session.get("help").is_some() {
        return None;
    }
    let inner = rest.trim_start().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let name = match inner {
        Some(inner) => inner.trim(),
        None if rest.is_empty() || rest.starts_with(' ') => rest.trim(),
        None => return None,
    };
    is_path(name).then_some(name)
}

/// The help on a name; on the prompt itself where it is empty.
pub(crate) fn text(session: &Session, name: &str) -> String {
    if name.is_empty() {
        return GENERAL.to_owned();
    }
    match object(session, name) {
        Some(Value::Function(f) | Value::Method(_, f)) => about::docstring(&f, false),
        Some(Value::Array(array)) => {
            let (dtype, shape) = (array.dtype().name(), array.shape());
            let members = array.face.members(None);
            let shown = columns(&members);
            format!("{name}: {} of {dtype}, shape {:?}\n{shown}", array.face.tensor_type, &shape[..])
        }
        Some(Value::Stored(x, face)) => {
            let shown = columns(&face.members(None));
            format!(
                "{name}: {} of {}, shape {:?}, not in memory\n{shown}",
                face.tensor_type,
                x.dtype().name(),
                x.shape()
            )
        }
        Some(Value::Module(face, path)) => columns(&face.members(Some(path))),
        Some(other) => format!("{name}: {}", other.type_name()),
        None if BUILTINS.contains(&name) => format!("{name}: one of Python's own functions"),
        None => match near(session, name) {
            Some(full) => format!("nothing is called {name}; see help {full}"),
            None => format!("nothing is called {name}"),
        },
    }
}

/// The function of the session's library with such a name.
fn near(session: &Session, name: &str) -> Option<String> {
    let module = session.face().names.iter().find(|(_, path)| path.is_empty())?.0;
    let full = format!("{module}.{name}");
    object(session, &full).map(|_| full)
}

/// Names side by side, as many as fit on a line.
fn columns(names: &[String]) -> String {
    let wide = names.iter().map(|name| name.len() + 2).max().unwrap_or(1);
    let (terminal_size::Width(width), _) =
        terminal_size::terminal_size().unwrap_or((terminal_size::Width(80), terminal_size::Height(24)));
    let fit = (usize::from(width) / wide).max(1);
    let line =
        |row: &[String]| row.iter().map(|name| format!("{name:wide$}")).collect::<String>().trim_end().to_owned();
    names.chunks(fit).map(line).collect::<Vec<_>>().join("\n")
}
