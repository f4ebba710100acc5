//! From a statement to its outermost operation, with the words its operands are written in.

use std::ops::Range;
use std::rc::Rc;

use crate::Result;
use rustpython_parser::ast;
use takewise_dialects::glimpse::{self, Shown};
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Array, EvalError, Value, lookup};

use super::action::Action;
use crate::session::Session;
use crate::syntax::span;
use crate::{eval, operators};

/// How much of an operand is shown, and up to which size calls are made.
const SHOWN: Shown = Shown { elements: takewise_explain::data::MOST, bytes: super::copies::MOST };

/// Whether there can be arrays that are not in memory.
const STORES: bool = cfg!(feature = "stores");

/// Longer texts than this do not serve as names.
const SHORT: usize = 16;

/// Whether both are the same list.
pub(super) fn is(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
        (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

/// How arrays are written: the text where it is short, and where it stands.
#[derive(Clone, Default)]
pub(crate) struct Written {
    known: Vec<(Array, Option<String>, Range<usize>)>,
    /// Lists that have a name: they may stand for arrays.
    lists: Vec<(Value, String, Range<usize>)>,
}

impl Written {
    fn note(&mut self, expr: &ast::Expr, value: &Value, source: &str) {
        let here = span(expr);
        match (expr, value) {
            (_, Value::Array(array)) => {
                let short = matches!(expr, ast::Expr::Name(_)) || is_path(expr);
                let text = source.get(here.clone()).filter(|text| short && text.len() <= SHORT);
                self.known.push((array.clone(), text.map(str::to_owned), here));
            }
            (ast::Expr::Name(name), list @ (Value::List(_) | Value::Tuple(_))) if name.id.len() <= SHORT => {
                self.lists.push((list.clone(), name.id.to_string(), here));
            }
            (ast::Expr::Tuple(ast::ExprTuple { elts, .. }) | ast::Expr::List(ast::ExprList { elts, .. }), sequence) => {
                let items = sequence.items().unwrap_or_default();
                if items.len() == elts.len() {
                    elts.iter().zip(&items).for_each(|(e, v)| self.note(e, v, source));
                }
            }
            _ => {}
        }
    }

    /// The name it is written under, if that is short.
    pub(super) fn name(&self, array: &Array) -> Option<&str> {
        self.known.iter().find(|(known, ..)| known.same(array)).and_then(|(_, name, _)| name.as_deref())
    }

    /// Where it is written.
    pub(super) fn place(&self, array: &Array) -> Option<Range<usize>> {
        self.known.iter().find(|(known, ..)| known.same(array)).map(|(.., place)| place.clone())
    }

    /// Takes an array for what it was made of: another array, or a list.
    pub(super) fn also(&mut self, array: &Array, like: &Value) {
        let found = match like {
            Value::Array(like) => {
                let known = self.known.iter().find(|(known, ..)| known.same(like));
                known.map(|(_, name, place)| (name.clone(), place.clone()))
            }
            list => {
                let known = self.lists.iter().find(|(known, ..)| is(known, list));
                known.map(|(_, name, place)| (Some(name.clone()), place.clone()))
            }
        };
        if let Some((name, place)) = found {
            self.known.push((array.clone(), name, place));
        }
    }
}

/// `x.T`, `self.x`: names alone, and dots.
fn is_path(expr: &ast::Expr) -> bool {
    match expr {
        ast::Expr::Name(_) => true,
        ast::Expr::Attribute(a) => is_path(&a.value),
        _ => false,
    }
}

/// A statement's operation, how its operands are written, and the part of the source that is explained.
pub(crate) struct Prepared {
    pub(crate) action: Action,
    pub(crate) written: Written,
    pub(crate) span: Range<usize>,
}

/// Evaluates the operands of a statement, but not its outermost operation.
///
/// # Errors
/// Those of evaluating the operands; a statement that is no expression and no assignment.
pub(super) fn prepared(session: &mut Session, statement: &ast::Stmt, source: &str) -> Result<Prepared> {
    let mut by = Preparing { session, source, written: Written::default() };
    let mut part = span(statement);
    let action = match statement {
        ast::Stmt::Expr(s) => by.expression(&s.value, &mut part)?,
        ast::Stmt::Assign(s) => match &s.targets[..] {
            [ast::Expr::Subscript(target)] => {
                let value = by.operand(&s.value)?;
                by.assignment(target, value)?
            }
            _ => by.expression(&s.value, &mut part)?,
        },
        ast::Stmt::AnnAssign(ast::StmtAnnAssign { value: Some(value), .. }) => by.expression(value, &mut part)?,
        ast::Stmt::AugAssign(s) => {
            let op = operators::binary(s.op);
            match &*s.target {
                ast::Expr::Subscript(target) => {
                    let (array, key) = by.indexed(target)?;
                    let value = by.operand(&s.value)?;
                    match array {
                        Value::Array(array) => Action::Update(array, key, op, value),
                        _ => return Err(EvalError::unsupported("no array is updated here").at(part)),
                    }
                }
                target => {
                    let before = by.operand(target)?;
                    Action::InPlace(op, before, by.operand(&s.value)?)
                }
            }
        }
        _ => return Err(EvalError::unsupported("only expressions and assignments can be explained").at(part)),
    };
    Ok(Prepared { action, written: by.written, span: part })
}

struct Preparing<'s> {
    session: &'s mut Session,
    source: &'s str,
    written: Written,
}

impl Preparing<'_> {
    fn operand(&mut self, expr: &ast::Expr) -> Result<Value> {
        let value = eval::expression(self.session, expr)?;
        self.written.note(expr, &value, self.source);
        Ok(value)
    }

    fn key(&mut self, expr: &ast::Expr) -> Result<Value> {
        let key = eval::key(self.session, expr)?;
        self.written.note(expr, &key, self.source);
        Ok(key)
    }

    /// What is written into, and where.
    fn indexed(&mut self, target: &ast::ExprSubscript) -> Result<(Value, Value)> {
        let object = eval::unread(self.session, &target.value)?;
        let key = self.key(&target.slice)?;
        let object = match object {
            Value::Stored(x, face) if STORES => {
                Value::Array(glimpse::part(&x, face, &key, SHOWN).map_err(|e| e.at(span(&*target.value)))?)
            }
            other => other,
        };
        self.written.note(&target.value, &object, self.source);
        Ok((object, key))
    }

    fn assignment(&mut self, target: &ast::ExprSubscript, value: Value) -> Result<Action> {
        let here = span(target);
        let (array, key) = self.indexed(target)?;
        match array {
            Value::Array(array) => Ok(Action::Set(array, key, value)),
            _ => Err(EvalError::unsupported("nothing is indexed here: no array is written into").at(here)),
        }
    }

    /// The outermost operation of an expression; `part` becomes where it stands.
    fn expression(&mut self, expr: &ast::Expr, part: &mut Range<usize>) -> Result<Action> {
        *part = span(expr);
        match expr {
            ast::Expr::Subscript(s) => match self.object(&s.value)? {
                (Value::Array(array), _) => Ok(Action::Get(array, self.key(&s.slice)?)),
                (Value::Stored(x, face), _) if STORES => {
                    let key = self.key(&s.slice)?;
                    let array = glimpse::part(&x, face, &key, SHOWN).map_err(|e| e.at(part.clone()))?;
                    Ok(Action::Get(self.standing(&s.value, array), key))
                }
                (object, inner) => {
                    let key = eval::key(self.session, &s.slice)?;
                    let value = eval::subscript(&object, &key).map_err(|e| e.at(part.clone()))?;
                    Ok(inner.unwrap_or(Action::Plain(value)))
                }
            },
            ast::Expr::Call(c) => self.call(c, part),
            ast::Expr::Attribute(a) => match self.object(&a.value)? {
                (object @ Value::Array(_), _) => Ok(Action::Attribute(object, a.attr.to_string())),
                (Value::Stored(x, face), _) if STORES => {
                    let array = glimpse::attribute(&x, face, &a.attr, SHOWN).map_err(|e| e.at(part.clone()))?;
                    Ok(Action::Attribute(Value::Array(self.standing(&a.value, array)), a.attr.to_string()))
                }
                (object, inner) => {
                    let value = lookup::attribute(&object, &a.attr).map_err(|e| e.at(part.clone()))?;
                    Ok(inner.unwrap_or(Action::Plain(value)))
                }
            },
            ast::Expr::UnaryOp(u) => Ok(Action::Unary(operators::unary(u.op), self.operand(&u.operand)?)),
            ast::Expr::BinOp(b) => {
                let left = self.operand(&b.left)?;
                Ok(Action::Binary(operators::binary(b.op), left, self.operand(&b.right)?))
            }
            ast::Expr::Compare(c) => match (&c.ops[..], &c.comparators[..]) {
                ([op], [right])
                    if !matches!(op, ast::CmpOp::In | ast::CmpOp::NotIn | ast::CmpOp::Is | ast::CmpOp::IsNot) =>
                {
                    let left = self.operand(&c.left)?;
                    Ok(Action::Compare(operators::comparison(*op), left, self.operand(right)?))
                }
                _ => eval::expression(self.session, expr).map(Action::Plain),
            },
            other => self.operand(other).map(Action::Plain),
        }
    }

    /// What is subscripted or asked for an attribute; of a call also the call, for where it gives several results, and one
    /// of them is picked, it is the call that has something to explain.
    fn object(&mut self, expr: &ast::Expr) -> Result<(Value, Option<Action>)> {
        let ast::Expr::Call(c) = expr else {
            let value = eval::unread(self.session, expr)?;
            self.written.note(expr, &value, self.source);
            return Ok((value, None));
        };
        let action = self.call(c, &mut span(c))?;
        let value = action.perform(&self.session.context()).map_err(|e| e.at(span(c)))?;
        self.written.note(expr, &value, self.source);
        Ok((value, Some(action).filter(|a| !matches!(a, Action::Plain(_)))))
    }

    /// What stands for an array that is not in memory, under that one's name.
    fn standing(&mut self, expr: &ast::Expr, array: Array) -> Array {
        self.written.note(expr, &Value::Array(array.clone()), self.source);
        array
    }

    fn call(&mut self, c: &ast::ExprCall, part: &mut Range<usize>) -> Result<Action> {
        // What is printed is what is asked about.
        if let (ast::Expr::Name(name), [inner]) = (&*c.func, &c.args[..])
            && matches!(name.id.as_str(), "print" | "repr" | "str")
            && self.session.get(&name.id).is_none()
        {
            return self.expression(inner, part);
        }
        let (function, arguments) = eval::call_parts(self.session, c)?;
        let (function, arguments) = glimpse::call(&function, &arguments, &self.session.context(), SHOWN)?;
        self.receiver(&c.func, &function);
        if !c.args.iter().any(|a| matches!(a, ast::Expr::Starred(_))) {
            c.args.iter().zip(&arguments.positional).for_each(|(e, v)| self.written.note(e, v, self.source));
        }
        let given = c.keywords.iter().zip(&arguments.keyword);
        given.for_each(|(k, (_, v))| self.written.note(&k.value, v, self.source));
        self.called(function, arguments)
    }

    fn called(&mut self, function: Value, arguments: Arguments) -> Result<Action> {
        match function {
            Value::Function(_) | Value::Method(..) => Ok(Action::Call(function, arguments)),
            other => eval::call(self.session, &other, &arguments).map(Action::Plain),
        }
    }

    /// The object of a method, and what stands between the brackets of `.at[...]`.
    fn receiver(&mut self, function: &ast::Expr, value: &Value) {
        let (ast::Expr::Attribute(a), Value::Method(receiver, _)) = (function, value) else { return };
        match (&**receiver, &*a.value) {
            (Value::At(array, Some(key)), ast::Expr::Subscript(s)) => {
                self.written.note(&s.slice, key, self.source);
                if let ast::Expr::Attribute(at) = &*s.value {
                    self.written.note(&at.value, &Value::Array(array.clone()), self.source);
                }
            }
            (object, expr) => self.written.note(expr, object, self.source),
        }
    }
}
