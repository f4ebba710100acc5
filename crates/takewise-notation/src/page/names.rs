//! What a piece of code names: what it uses, what it binds, and what it may have meant.

use std::collections::HashSet;

use rustpython_parser::ast;
use rustpython_parser::lexer::lex;
use rustpython_parser::{Mode, Tok};

use crate::budget::Scan;
use crate::builtins;
use crate::session::Session;
use crate::suggest::distance;
use crate::syntax;

/// Functions whose values are not told by their arguments.
const RANDOM: [&str; 17] = [
    "rand",
    "rand_like",
    "randn",
    "randn_like",
    "randint",
    "randint_like",
    "randperm",
    "random",
    "random_",
    "normal",
    "normal_",
    "uniform",
    "uniform_",
    "standard_normal",
    "permutation",
    "empty",
    "empty_like",
];

/// Functions after which those are told.
const SEEDS: [&str; 4] = ["manual_seed", "seed", "default_rng", "set_seed"];

/// The names of a source in order: those that stand alone, and those after a dot.
fn words(source: &str) -> (Vec<String>, Vec<String>) {
    if Scan::of(source).is_err() {
        return (Vec::new(), Vec::new());
    }
    let tokens: Vec<Tok> = lex(source, Mode::Module).map_while(|token| token.ok().map(|(token, _)| token)).collect();
    let (mut alone, mut members, mut depth) = (Vec::new(), Vec::new(), 0usize);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Tok::Lpar | Tok::Lsqb | Tok::Lbrace => depth += 1,
            Tok::Rpar | Tok::Rsqb | Tok::Rbrace => depth = depth.saturating_sub(1),
            Tok::Name { name } if at > 0 && tokens[at - 1] == Tok::Dot => members.push(name.clone()),
            // The name of an argument is none of the page's.
            Tok::Name { .. } if depth > 0 && tokens.get(at + 1) == Some(&Tok::Equal) => {}
            Tok::Name { name } => alone.push(name.clone()),
            _ => {}
        }
    }
    (alone, members)
}

/// The names a source uses or binds, each once.
pub(super) fn used(source: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    words(source).0.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

/// Those that it needs and that mean nothing yet.
pub(super) fn unknown(session: &Session, source: &str) -> Vec<String> {
    let fresh: HashSet<String> = given(source).into_iter().collect();
    let known = |name: &String| session.get(name).is_some() || builtins::named(name).is_some() || fresh.contains(name);
    used(source).into_iter().filter(|name| !known(name)).collect()
}

/// The names a source gives a meaning of its own: plain targets, and what it imports.
pub(super) fn given(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for statement in syntax::parse(source).unwrap_or_default() {
        match &statement {
            ast::Stmt::Assign(s) => s.targets.iter().for_each(|target| plain(target, &mut names)),
            ast::Stmt::AnnAssign(s) => plain(&s.target, &mut names),
            ast::Stmt::Import(_) | ast::Stmt::ImportFrom(_) => names.extend(used(source)),
            ast::Stmt::With(s) => {
                s.items
                    .iter()
                    .filter_map(|item| item.optional_vars.as_deref())
                    .for_each(|target| plain(target, &mut names));
            }
            _ => {}
        }
    }
    names
}

/// The names a target is made of, where it is made of names alone.
fn plain(target: &ast::Expr, names: &mut Vec<String>) {
    match target {
        ast::Expr::Name(name) => names.push(name.id.to_string()),
        ast::Expr::Tuple(ast::ExprTuple { elts, .. }) | ast::Expr::List(ast::ExprList { elts, .. }) => {
            elts.iter().for_each(|target| plain(target, names));
        }
        _ => {}
    }
}

/// Whether a source draws random numbers.
pub(super) fn draws(source: &str) -> bool {
    let (alone, members) = words(source);
    alone.iter().chain(&members).any(|name| RANDOM.contains(&name.as_str()))
}

/// Whether a source says which random numbers are drawn.
pub(super) fn seeds(source: &str) -> bool {
    let (alone, members) = words(source);
    alone.iter().chain(&members).any(|name| SEEDS.contains(&name.as_str()))
}

/// The names that an assignment gives a value, or whose value it changes.
pub(super) fn assigned(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for statement in syntax::parse(source).unwrap_or_default() {
        match &statement {
            ast::Stmt::Assign(s) => s.targets.iter().for_each(|target| roots(target, &mut names)),
            ast::Stmt::AnnAssign(s) => roots(&s.target, &mut names),
            ast::Stmt::AugAssign(s) => roots(&s.target, &mut names),
            _ => {}
        }
    }
    names
}

/// The names at the roots of a target.
fn roots(target: &ast::Expr, names: &mut Vec<String>) {
    match target {
        ast::Expr::Tuple(ast::ExprTuple { elts, .. }) | ast::Expr::List(ast::ExprList { elts, .. }) => {
            elts.iter().for_each(|target| roots(target, names));
        }
        other => names.extend(root(other)),
    }
}

/// The name an expression starts from: `x` of `x[0].T`.
pub(super) fn root(expr: &ast::Expr) -> Option<String> {
    match expr {
        ast::Expr::Name(name) => Some(name.id.to_string()),
        ast::Expr::Subscript(s) => root(&s.value),
        ast::Expr::Attribute(a) => root(&a.value),
        ast::Expr::Call(c) => root(&c.func),
        _ => None,
    }
}

/// The name of `bound` that a page writes as `name`: one that says more or less, or a slip of a letter. The last one bound comes
/// first.
pub(super) fn meant(name: &str, bound: &[String]) -> Option<String> {
    if name.len() < 3 {
        return None;
    }
    let longer = |long: &str, short: &str| {
        let rest = long.strip_prefix(short).map(|rest| rest.starts_with('_'));
        rest.or_else(|| long.strip_suffix(short).map(|rest| rest.ends_with('_'))).unwrap_or(false)
    };
    let slip = |other: &str| other.len() > 2 && distance(other, name) <= if name.len() < 8 { 1 } else { 2 };
    let last = |fits: &dyn Fn(&str) -> bool| bound.iter().rev().find(|other| *other != name && fits(other)).cloned();
    last(&|other| longer(other, name) || longer(name, other)).or_else(|| last(&slip))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_source() {
        assert_eq!(used("y = torch.gather(x, dim=0, index=i)[k]"), ["y", "torch", "x", "i", "k"]);
        assert_eq!(assigned("a, b[0] = c.d = 1"), ["a", "b", "c"]);
        assert!(draws("c = torch.rand([4, 3])") && !draws("c = rand_4[0]") && seeds("torch.manual_seed(0)"));
    }

    #[test]
    fn what_is_meant() {
        let bound = ["index", "input_tensor", "boolt_1"].map(str::to_owned);
        assert_eq!(meant("input", &bound).as_deref(), Some("input_tensor"));
        assert_eq!(meant("bool_1", &bound).as_deref(), Some("boolt_1"));
        assert_eq!(meant("indx", &bound).as_deref(), Some("index"));
        assert!(meant("self", &bound).is_none() && meant("i", &bound).is_none());
    }
}
