//! Completion of names, methods, attributes and keyword arguments.

use takewise_dialects::sig::Signature;
use takewise_dialects::{Value, lookup};
use takewise_notation::{BUILTINS, Session};

/// Candidates for the word that ends at byte `at` of `line`, and where that word starts.
///
/// After a dot these are the members of the object before it (looked up, never evaluated); inside a call
/// also the keyword arguments of the function; otherwise the bound names.
pub fn complete(session: &Session, line: &str, at: usize) -> (usize, Vec<String>) {
    let before = &line[..at.min(line.len())];
    let start = before
        .rfind(|c: char| !c.is_alphanumeric() && c != '_')
        .map_or(0, |p| p + before[p..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    let mut found: Vec<String> = if before[..start].ends_with('.') {
        object(session, path_before(&before[..start - 1])).map_or_else(Vec::new, |v| members(&v))
    } else {
        let mut names: Vec<String> = session.names().map(str::to_owned).collect();
        names.extend(BUILTINS.iter().map(|n| (*n).to_owned()));
        names.extend(["None", "True", "False", "import", "from"].map(str::to_owned));
        names.extend(keywords(session, &before[..start]));
        if before[..start].trim().is_empty() {
            names.extend(["explain", "help"].map(str::to_owned));
        }
        names
    };
    found.retain(|name| name.starts_with(word));
    found.sort();
    found.dedup();
    (start, found)
}

/// The dotted name that ends a text: `torch.tensor` of `x = torch.tensor`.
fn path_before(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
        .map_or(0, |p| p + text[p..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

/// What a dotted name holds.
pub(crate) fn object(session: &Session, path: &str) -> Option<Value> {
    let mut parts = path.split('.');
    let mut value = session.get(parts.next()?)?.clone();
    for part in parts {
        value = lookup::attribute(&value, part).ok()?;
    }
    Some(value)
}

fn members(value: &Value) -> Vec<String> {
    match value {
        Value::Module(face, path) => face.members(Some(path)),
        Value::Array(array) => array.face.members(None),
        Value::Stored(_, face) => face.members(None),
        _ => Vec::new(),
    }
}

/// `name=` for every parameter of the call the text ends inside.
fn keywords(session: &Session, text: &str) -> Vec<String> {
    let mut depth = 0;
    let open = text.char_indices().rev().find(|(_, c)| match c {
        ')' | ']' => {
            depth += 1;
            false
        }
        '[' => {
            depth -= 1;
            false
        }
        '(' if depth == 0 => true,
        '(' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    let Some((open, _)) = open else { return Vec::new() };
    let (skip, function) = match object(session, path_before(&text[..open])) {
        Some(Value::Function(f)) => (0, f),
        Some(Value::Method(_, f)) => (1, f),
        _ => return Vec::new(),
    };
    let rows = function.rows.iter();
    rows.flat_map(|r| Signature::of(r.params).params.iter().skip(skip)).map(|p| format!("{}=", p.name)).collect()
}

#[cfg(test)]
mod tests {
    use takewise_dialects::TORCH;

    use super::*;

    #[test]
    fn names_members_and_keywords() {
        let mut session = Session::new(&TORCH);
        session.exec("values = torch.zeros(3)").unwrap();
        assert_eq!(complete(&session, "val", 3), (0, vec!["values".into()]));
        let (start, found) = complete(&session, "y = torch.searchs", 17);
        assert_eq!((start, found), (10, vec!["searchsorted".into()]));
        let (_, found) = complete(&session, "values.index_f", 14);
        assert_eq!(found, ["index_fill", "index_fill_"]);
        let (_, found) = complete(&session, "torch.gather(values, 0, spar", 28);
        assert_eq!(found, ["sparse_grad="]);
        assert!(complete(&session, "nothing.x", 9).1.is_empty());
    }
}
