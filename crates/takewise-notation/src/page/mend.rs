//! What a page must have meant, where its code does not give what it shows.

use takewise_dialects::numbers::truth;
use takewise_dialects::operator::CmpOp;
use takewise_dialects::{EvalError, Value, elements, object, print};

use super::report::Kind;
use super::{ALIASES, Done, Replay, layout, names};
use crate::transcript;

/// Names that may be tried for a forgotten statement.
const TRIES: usize = 40;

impl Replay<'_> {
    /// Gives undefined names of a source the values of those that are meant. The names that stay unknown are returned.
    /// `says` tells whether this is to be reported.
    pub(super) fn resolve(&mut self, line: usize, source: &str, says: bool) -> Vec<String> {
        for (alias, meant, _) in &self.aliases {
            if let Some(value) = self.session.get(meant).cloned() {
                self.session.set(alias.clone(), value);
            }
        }
        let mut left = Vec::new();
        for name in names::unknown(self.session, source) {
            let looks = self.bound.len().min(self.looks);
            self.looks -= looks;
            let bound = if self.aliases.len() < ALIASES { &self.bound[self.bound.len() - looks..] } else { &[] };
            let found = names::meant(&name, bound).and_then(|meant| Some((self.session.get(&meant).cloned()?, meant)));
            match found {
                Some((value, meant)) => {
                    self.session.set(name.clone(), value);
                    self.aliases.push((name, meant, false));
                }
                None => left.push(name),
            }
        }
        if says {
            let used = names::used(source);
            let given = names::given(source);
            for at in 0..self.aliases.len() {
                let (written, meant, said) = self.aliases[at].clone();
                if !said && used.contains(&written) && !given.contains(&written) {
                    self.aliases[at].2 = true;
                    self.find(line, source, Kind::Name { written, meant }, &[], Vec::new());
                }
            }
        }
        left
    }

    /// Why an output may differ without the statement being wrong.
    pub(super) fn mended(&mut self, done: &Done, shown: &[String]) -> Option<Kind> {
        if done.got.is_empty() {
            return self.forgotten(&done.source, shown).map(|statement| Kind::Missing { statement });
        }
        let used = names::used(&done.source);
        let random = !self.seeded && (names::draws(&done.source) || used.iter().any(|name| self.drawn.contains(name)));
        if !random || layout::raised(&done.got).is_some() {
            return None;
        }
        let bare = done.source.trim();
        let bare = bare.strip_prefix("print(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(bare).trim();
        let named = self.drawn.iter().any(|name| name == bare);
        if !named {
            return Some(Kind::Random { taken: false });
        }
        self.take(bare, shown)?;
        self.drawn.retain(|name| name != bare);
        Some(Kind::Random { taken: true })
    }

    /// Puts the numbers that a page shows into an array of the same shape.
    fn take(&mut self, name: &str, shown: &[String]) -> Option<()> {
        let face = self.session.get(name)?.array()?.face;
        let make = match face.name {
            "torch" => "torch.tensor",
            "numpy" => "np.array",
            "mindspore" => "mindspore.Tensor",
            _ => return None,
        };
        let text = shown[..layout::unit(shown)].join("\n");
        let start = text.find('[')?;
        let end = text.rfind(']')?;
        let numbers = layout::squeezed(&[text.get(start..=end)?]);
        let listed = numbers.replace(' ', ",").replace("][", "],[");
        let same = format!("tuple({make}({listed}).shape) == tuple({name}.shape)");
        truth(&self.session.eval(&same).ok()?).ok().filter(|same| *same)?;
        self.session.exec(&format!("{name}[...] = {make}({listed})")).ok().map(|_| ())
    }

    /// The statement that gives what is shown below an assignment.
    fn forgotten(&mut self, source: &str, shown: &[String]) -> Option<String> {
        let name = names::assigned(source).pop()?;
        let others = self.bound.iter().rev().filter(|other| **other != name).take(TRIES);
        let tries = [name.clone(), format!("{name}.shape"), format!("{name}.dtype")];
        let tries: Vec<String> = tries.into_iter().chain(others.map(|other| format!("{other}[{name}]"))).collect();
        tries.into_iter().find(|attempt| {
            let (got, _) = transcript::perform(self.session, attempt);
            layout::raised(&got).is_none() && layout::taken(shown, &got) == Some(shown.len())
        })
    }

    /// Looks whether the sides of an equation between elements are equal.
    pub(super) fn equation(&mut self, line: usize, source: &str, sides: &[String]) {
        self.report.equations += 1;
        let values: Result<Vec<Value>, EvalError> = sides.iter().map(|side| self.session.eval(side)).collect();
        let right = match values {
            Err(error) => vec![format!("{}: {}", error.class(), error.first_line())],
            Ok(values) => {
                let Some((last, others)) = values.split_last() else { return };
                if others.iter().all(|value| equal(value, last)) {
                    return;
                }
                let shown = |(side, value): (&String, &Value)| format!("{side} = {}", plain(value));
                sides.iter().zip(&values).filter(|(side, _)| !is_number(side)).map(shown).collect()
            }
        };
        self.find(line, source, Kind::Equation, &[], right);
    }
}

fn is_number(side: &str) -> bool {
    side.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}

/// A value without the name of its type, where it is one number.
fn plain(value: &Value) -> String {
    let number = value.array().and_then(|array| object::item(array).ok());
    print::repr(number.as_ref().unwrap_or(value))
}

fn equal(a: &Value, b: &Value) -> bool {
    match object::compare(CmpOp::Eq, a, b) {
        Ok(Value::Array(found)) => {
            elements(&found.tensor()).is_ok_and(|all| all.iter().all(|value| matches!(value, Value::Bool(true))))
        }
        Ok(value) => truth(&value).unwrap_or(false),
        Err(_) => false,
    }
}
