//! Pages without prompts: lines of code, formulas, outputs and prose, told apart.

use rustpython_parser::ast;
use takewise_dialects::Value;

use super::{Done, Replay, clean, layout, names};
use crate::syntax::{self, Parsed, is_open_block, span};

/// Lines that one statement may take.
const LONGEST: usize = 80;

/// What a line of a page is.
enum Reading {
    /// Code; `shown` says whether a prompt would show its value, which a page may leave out.
    Code { shown: bool },
    /// Elements that are said to be equal.
    Equation(Vec<String>),
    /// Anything else.
    Prose,
}

/// What a statement gave that the page has not shown yet.
struct Item {
    done: Done,
    /// A value that a script would not print.
    optional: bool,
}

/// Runs the lines of a page that are code, in order.
pub(super) fn replay(replay: &mut Replay<'_>, lines: &[String], number: &impl Fn(usize) -> usize) {
    replay.seeded = lines.iter().any(|line| names::seeds(line));
    let fenced = lines.iter().any(|line| fence(line).is_some_and(is_python));
    let mut block: Option<bool> = None;
    let mut pending: Vec<Item> = Vec::new();
    let mut fresh = true;
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        if let Some(language) = fence(line) {
            block = if block.is_some() { None } else { Some(is_python(language) || language.is_empty()) };
            fresh = true;
        } else if !line.trim().is_empty() {
            let taken = outputs(replay, &mut pending, &lines[at..]);
            if taken > 0 {
                at += taken;
                continue;
            }
            let found = if fenced && block != Some(true) { None } else { statement(&lines[at..]) };
            let next = |taken: usize| lines[at + taken..].iter().find(|l| !l.trim().is_empty() && fence(l).is_none());
            match found {
                Some((source, taken, item)) => {
                    let shows = next(taken).is_some_and(|line| layout::is_output(line));
                    match classify(replay, &source, item, shows) {
                        Reading::Code { shown } => {
                            if std::mem::take(&mut fresh) {
                                left_out(replay, &mut pending);
                            }
                            let done = replay.run(number(at + 1), &source, true);
                            if !done.got.is_empty() {
                                let optional = shown && layout::raised(&done.got).is_none();
                                pending.push(Item { done, optional });
                            }
                            at += taken;
                            continue;
                        }
                        Reading::Equation(sides) => replay.equation(number(at + 1), &source, &sides),
                        Reading::Prose => fresh = true,
                    }
                }
                None => fresh = true,
            }
        }
        at += 1;
    }
    left_out(replay, &mut pending);
}

/// The language of a fence, which opens or closes a block of Markdown.
fn fence(line: &str) -> Option<&str> {
    line.trim().strip_prefix("```").map(str::trim)
}

fn is_python(language: &str) -> bool {
    matches!(language.to_ascii_lowercase().as_str(), "python" | "py" | "python3" | "pycon" | "ipython")
}

/// Says which outputs the page does not show.
fn left_out(replay: &mut Replay<'_>, pending: &mut Vec<Item>) {
    for item in pending.drain(..).filter(|item| !item.optional) {
        replay.judge(item.done, &[]);
    }
}

/// Compares the first lines with what has been printed. The number of lines that are outputs.
fn outputs(replay: &mut Replay<'_>, pending: &mut Vec<Item>, lines: &[String]) -> usize {
    // What a script prints comes before the values that only a prompt shows.
    let find = |optional: bool| {
        let items = pending.iter().enumerate().filter(|(_, item)| item.optional == optional);
        items.into_iter().find_map(|(k, item)| Some((k, layout::taken(lines, &item.done.got)?)))
    };
    let found = find(false).or_else(|| find(true));
    let (at, taken) = match found {
        Some(found) => found,
        None => {
            let numbers = lines.iter().take_while(|line| line.trim().parse::<u32>().is_ok()).count();
            if layout::is_gutter(&lines[..numbers]) {
                return numbers;
            }
            match pending.iter().position(|item| !item.optional) {
                Some(first) if layout::is_output(&lines[0]) => (first, layout::unit(lines)),
                _ => return 0,
            }
        }
    };
    let mut items: Vec<Item> = pending.drain(..=at).collect();
    let last = items.pop();
    left_out(replay, &mut items);
    if let Some(item) = last {
        replay.judge(item.done, &lines[..taken]);
    }
    taken
}

/// The statement that begins at the first line, the lines it takes, and whether it is an item of a list.
fn statement(lines: &[String]) -> Option<(String, usize, bool)> {
    let (first, item) = clean::item(&lines[0]);
    let indent = lines[0].len() - lines[0].trim_start().len();
    let mut source = first.to_owned();
    for taken in 1..=LONGEST.min(lines.len()) {
        let next = lines.get(taken).filter(|line| !item && fence(line).is_none());
        match syntax::parse_partial(&source) {
            Ok(Parsed::Complete(statements)) => {
                let goes_on = |line: &&String| line.len() - line.trim_start().len() > indent;
                match next.filter(goes_on).filter(|_| is_open_block(&source)) {
                    Some(line) => push(&mut source, line, indent),
                    None => return (!statements.is_empty()).then_some((source, taken, item)),
                }
            }
            Ok(Parsed::Incomplete(_)) => push(&mut source, next?, indent),
            Err(_) => {
                let plain = clean::marks(&source);
                let code = plain != source && syntax::parse(&plain).is_ok_and(|statements| !statements.is_empty());
                return code.then_some((source, taken, item));
            }
        }
    }
    None
}

fn push(source: &mut String, line: &str, indent: usize) {
    let own = line.len() - line.trim_start().len();
    source.push('\n');
    source.push_str(&line[own.min(indent)..]);
}

/// What a statement is on a page where any line may be a formula or a heading.
fn classify(replay: &mut Replay<'_>, source: &str, item: bool, shows: bool) -> Reading {
    let plain = clean::marks(source);
    let readable = if syntax::parse(source).is_ok() { source } else { &plain };
    let Ok(statements) = syntax::parse(readable) else { return Reading::Prose };
    let mut reading = Reading::Prose;
    for statement in &statements {
        reading = match statement {
            ast::Stmt::Assign(s) => assignment(replay, readable, s, item),
            _ if item => Reading::Prose,
            ast::Stmt::Expr(s) => value(replay, readable, &s.value, shows),
            ast::Stmt::AnnAssign(s) if s.value.is_none() => Reading::Prose,
            ast::Stmt::AnnAssign(_) | ast::Stmt::AugAssign(_) | ast::Stmt::Delete(_) => {
                match replay.resolve(0, readable, false).is_empty() {
                    true => Reading::Code { shown: false },
                    false => Reading::Prose,
                }
            }
            _ => Reading::Code { shown: false },
        };
        if !matches!(reading, Reading::Code { .. }) {
            break;
        }
    }
    reading
}

/// An assignment, an equation between elements, or a formula of letters that stand for any number.
fn assignment(replay: &mut Replay<'_>, source: &str, s: &ast::StmtAssign, item: bool) -> Reading {
    let left = replay.resolve(0, source, false);
    let elements = s.targets.iter().all(|target| matches!(target, ast::Expr::Subscript(_)));
    if !elements {
        let library =
            names::used(source).iter().any(|name| matches!(replay.session.get(name), Some(Value::Module(..))));
        return match !item && (left.is_empty() || library) {
            true => Reading::Code { shown: false },
            false => Reading::Prose,
        };
    }
    if !left.is_empty() {
        return Reading::Prose;
    }
    let borrowed =
        s.targets.iter().filter_map(names::root).any(|name| replay.aliases.iter().any(|(alias, ..)| *alias == name));
    if s.targets.len() == 1 && !item && !borrowed {
        return Reading::Code { shown: false };
    }
    let sides = s.targets.iter().chain([&*s.value]);
    Reading::Equation(sides.map(|side| source[span(side)].to_owned()).collect())
}

/// An expression: a call of something known, or a value that the page shows below it.
fn value(replay: &mut Replay<'_>, source: &str, expr: &ast::Expr, shows: bool) -> Reading {
    let own = names::root(expr).is_some_and(|name| replay.bound.contains(&name));
    let code = match expr {
        ast::Expr::Call(call) if matches!(&*call.func, ast::Expr::Name(name) if name.id.as_str() == "print") => {
            return Reading::Code { shown: false };
        }
        ast::Expr::Call(call) => own || !call.args.is_empty() || shows,
        _ => own && shows,
    };
    match code && replay.resolve(0, source, false).is_empty() {
        true => Reading::Code { shown: true },
        false => Reading::Prose,
    }
}
