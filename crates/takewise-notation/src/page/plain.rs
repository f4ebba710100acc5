//! Pages without prompts: lines of code, formulas, outputs and prose, told apart.

use rustpython_parser::ast;
use takewise_dialects::{EvalError, Value};

use super::{Done, Replay, clean, layout, names};
use crate::budget::{Pending, STATEMENTS};
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
    /// What it gave, without its blanks.
    got: String,
}

/// Outputs that are kept until they are shown.
const KEPT: usize = 1000;

impl Item {
    /// Whether the output may begin with this line, of which the second has no blanks.
    fn may_begin(&self, line: &str, squeezed: &str) -> bool {
        match layout::raised(&self.done.got) {
            Some(_) => {
                line.contains("Error")
                    || line.contains("Exception")
                    || line.contains("Traceback")
                    || line.starts_with('-')
            }
            None => self.got.starts_with(squeezed),
        }
    }
}

/// Runs the lines of a page that are code, in order.
///
/// # Errors
/// A page of too many statements.
pub(super) fn replay(
    replay: &mut Replay<'_>,
    lines: &[String],
    number: &impl Fn(usize) -> usize,
) -> Result<(), EvalError> {
    replay.seeded = lines.iter().any(|line| names::seeds(line));
    let fenced = lines.iter().any(|line| fence(line).is_some_and(is_python));
    let mut block: Option<bool> = None;
    let mut pending: Vec<Item> = Vec::new();
    let mut fresh = true;
    // Whether only code, outputs and what introduces them came since the last statement.
    let mut near = false;
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        if let Some(language) = fence(line) {
            block = if block.is_some() { None } else { Some(is_python(language) || language.is_empty()) };
            fresh = true;
        } else if !line.trim().is_empty() {
            let taken = outputs(replay, &mut pending, &lines[at..], near);
            if taken > 0 {
                at += taken;
                continue;
            }
            if let Some((shown, taken)) = layout::commented(&lines[at..lines.len().min(at + LONGEST)]) {
                if outputs(replay, &mut pending, &shown, near) == 0 && layout::is_array(&shown[0]) {
                    replay.uncompared(number(at + 1), &shown);
                }
                at += taken;
                continue;
            }
            if layout::unmarked(line).is_empty() {
                at += 1;
                continue;
            }
            let found = if fenced && block != Some(true) { None } else { statement(&lines[at..]) };
            let next = |taken: usize| {
                let texts = lines[at + taken..].iter().filter(|line| fence(line).is_none());
                texts.map(|line| layout::unmarked(line)).find(|text| !text.is_empty())
            };
            match found {
                Some((source, taken, item)) => {
                    let shows = super::remark(&source).is_some() || next(taken).is_some_and(layout::is_output);
                    match classify(replay, &source, item, shows) {
                        Reading::Code { shown } => {
                            if std::mem::take(&mut fresh) {
                                left_out(replay, &mut pending);
                            }
                            if replay.report.examples == STATEMENTS {
                                return Err(super::too_long());
                            }
                            let done = replay.run(number(at + 1), &source, true);
                            near = true;
                            if let Some(shown) = super::remark(&source) {
                                at += taken + remarked(replay, done, shown, &lines[at + taken..]);
                                continue;
                            }
                            if !done.got.is_empty() {
                                let optional = shown && layout::raised(&done.got).is_none();
                                let got = layout::squeezed(&done.got);
                                pending.push(Item { done, optional, got });
                                if pending.len() > KEPT {
                                    left_out(replay, &mut pending.drain(..1).collect());
                                }
                            }
                            at += taken;
                            continue;
                        }
                        Reading::Equation(sides) => replay.equation(number(at + 1), &source, &sides),
                        Reading::Prose => (fresh, near) = (true, false),
                    }
                }
                None => {
                    (fresh, near) = (true, false);
                    if let Some((shown, taken)) = super::outputs_at(&lines[at..]) {
                        replay.uncompared(number(at + 1), &shown);
                        at += taken;
                        continue;
                    }
                }
            }
        }
        at += 1;
    }
    left_out(replay, &mut pending);
    Ok(())
}

/// Compares what a remark behind a statement shows, with the remarks below that go on with it: how many lines those are.
fn remarked(replay: &mut Replay<'_>, done: Done, mut shown: Vec<String>, rest: &[String]) -> usize {
    let open = layout::unit(&[&shown[..], rest].concat()) - 1;
    let more = rest.iter().take(open.min(LONGEST)).map_while(|line| line.trim_start().strip_prefix('#'));
    shown.extend(more.map(str::to_owned));
    replay.beside(done, &shown);
    shown.len() - 1
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

/// Compares the first lines with what has been printed; `near` says whether a statement is right above them. The number of lines
/// that are outputs.
fn outputs(replay: &mut Replay<'_>, pending: &mut Vec<Item>, lines: &[String], near: bool) -> usize {
    let plain = layout::unmarked(&lines[0]);
    if plain.len() < lines[0].trim().len() && layout::is_output(plain) && !pending.is_empty() {
        let mut lines = lines[..lines.len().min(LONGEST)].to_vec();
        lines[0] = plain.to_owned();
        return outputs(replay, pending, &lines, near);
    }
    // What a script prints comes before the values that only a prompt shows.
    let squeezed = layout::squeezed(&lines[..1]);
    let find = |optional: bool| {
        let fits = |item: &Item| item.optional == optional && item.may_begin(lines[0].trim(), &squeezed);
        let items = pending.iter().enumerate().filter(|(_, item)| fits(item));
        items.into_iter().find_map(|(k, item)| Some((k, layout::taken(lines, &item.done.got)?)))
    };
    let found = find(false).or_else(|| find(true));
    let (at, taken) = match found {
        Some(found) => found,
        None => {
            let numbers = layout::gutter(lines);
            if numbers > 0 {
                return numbers;
            }
            // What is wrong is that of the first statement that prints, or of the last one whose value a prompt shows.
            let shown = || if near { pending.len().checked_sub(1) } else { None };
            match pending.iter().position(|item| !item.optional).or_else(shown) {
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
    let mut pending = Pending::default();
    pending.push(first);
    for taken in 1..=LONGEST.min(lines.len()) {
        let next = lines.get(taken).filter(|line| !item && fence(line).is_none());
        if pending.is_unfinished() {
            pending.push(dedent(next?, indent));
            continue;
        }
        let source = pending.source();
        match syntax::parse_partial(source) {
            Ok(Parsed::Complete(statements)) => {
                let goes_on = |line: &&String| line.len() - line.trim_start().len() > indent;
                match next.filter(goes_on).filter(|_| is_open_block(source)) {
                    Some(line) => pending.push(dedent(line, indent)),
                    None => return (!statements.is_empty()).then(|| (source.to_owned(), taken, item)),
                }
            }
            Ok(Parsed::Incomplete(_)) | Err(_) => {
                let plain = clean::marks(source);
                let code = plain != source && syntax::parse(&plain).is_ok_and(|statements| !statements.is_empty());
                return code.then(|| (source.to_owned(), taken, item));
            }
        }
    }
    None
}

fn dedent(line: &str, indent: usize) -> &str {
    let own = line.len() - line.trim_start().len();
    &line[own.min(indent)..]
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
    let known = |name: &String| replay.bound.contains(name);
    let own = match names::root(expr) {
        Some(name) => known(&name) || names::used(source).iter().any(known),
        None => names::used(source).iter().any(known),
    };
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
