//! A session: names, output and statements.

use std::collections::HashMap;
use std::rc::Rc;

use rustpython_parser::ast;
use takewise_dialects::numbers::truth;
use takewise_dialects::{Array, Context, EvalError, Face, Files, Value, lookup, object};

use crate::syntax::{self, span};
use crate::{eval, operators, suggest};

/// Evaluates statements one after another, as an interactive Python prompt would.
///
/// ```
/// use takewise_dialects::{TORCH, print};
/// use takewise_notation::Session;
/// let mut session = Session::new(&TORCH);
/// session.exec("x = torch.tensor([[1, 2], [3, 4]])").unwrap();
/// let row = session.exec("x[1]").unwrap().unwrap();
/// assert_eq!(print::repr(&row), "tensor([3, 4])");
/// let error = session.exec("x[5]").unwrap_err();
/// assert_eq!(error.class(), "IndexError");
/// ```
pub struct Session {
    names: HashMap<String, Value>,
    output: String,
    face: &'static Face,
    context: Rc<Context>,
    /// Whether files are known to have lost anything.
    loses: bool,
}

impl Session {
    /// A session whose files and bare function names speak for `face`. It can load no files.
    pub fn new(face: &'static Face) -> Self {
        Self::sharing(face, Context::default())
    }

    /// A session that loads files, and whose tensors may stand on files.
    pub fn with_files(face: &'static Face, files: Rc<dyn Files>) -> Self {
        Self::sharing(face, Context { files: Some(files), ..Context::default() })
    }

    fn sharing(face: &'static Face, context: Context) -> Self {
        let names = lookup::globals(face);
        Self { names, output: String::new(), face, context: Rc::new(context), loses: false }
    }

    /// The library that files and bare names speak for.
    pub fn face(&self) -> &'static Face {
        self.face
    }

    /// Binds a name, as an assignment would.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.names.insert(name.into(), value);
    }

    /// The value bound to a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name)
    }

    /// Every bound name, for completion.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The error of a name that is not bound.
    pub(crate) fn unknown(&self, name: &str) -> EvalError {
        let bound: Vec<(&str, &Value)> = self.names.iter().map(|(name, value)| (name.as_str(), value)).collect();
        suggest::unknown_name(self.face, &bound, name)
    }

    /// What `print` has written since the last call.
    pub fn take_output(&mut self) -> String {
        std::mem::take(&mut self.output)
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.output.push_str(text);
    }

    pub(crate) fn context(&self) -> Rc<Context> {
        Rc::clone(&self.context)
    }

    /// Runs the statements of `source`. The value of a final expression statement is returned unless it
    /// is `None`; values of earlier ones are written to the output, as a prompt would show them.
    ///
    /// # Errors
    /// The error of the first statement that fails; the names bound before it stay bound, and a failing
    /// write leaves its destination untouched.
    pub fn exec(&mut self, source: &str) -> Result<Option<Value>, EvalError> {
        let value = self.exec_unread(source)?.map(object::settled).transpose();
        value.map_err(|e| e.at(0..source.len()))
    }

    /// [`Session::exec`], whose value may be an array that is not in memory.
    ///
    /// # Errors
    /// As [`Session::exec`].
    pub fn exec_unread(&mut self, source: &str) -> Result<Option<Value>, EvalError> {
        let statements = syntax::parse(source)?;
        let last = statements.len().saturating_sub(1);
        let mut shown = None;
        for (i, statement) in statements.iter().enumerate() {
            let value = self.statement(statement, true).map_err(|e| e.at(span(statement)))?;
            match value {
                Some(Value::None) | None => {}
                Some(value) if i == last => shown = Some(value),
                Some(value) => self.show(&value).map_err(|e| e.at(span(statement)))?,
            }
        }
        Ok(shown)
    }

    fn show(&mut self, value: &Value) -> Result<(), EvalError> {
        let text = self.repr(value)?;
        self.write(&text);
        self.write("\n");
        Ok(())
    }

    /// What a prompt shows for a value.
    ///
    /// # Errors
    /// A value whose file was cut short.
    pub fn repr(&mut self, value: &Value) -> Result<String, EvalError> {
        self.present(value)?;
        let text = object::text(value, false)?;
        self.intact().map(|()| text)
    }

    /// That no file has lost anything since this was last asked.
    fn intact(&mut self) -> Result<(), EvalError> {
        let news = self.context.files.as_ref().and_then(|files| files.lost());
        self.loses |= news.is_some();
        news.map_or(Ok(()), Err)
    }

    /// That a value does not stand on what its file has lost.
    pub(crate) fn present(&self, value: &Value) -> Result<(), EvalError> {
        let Some(files) = self.context.files.as_ref().filter(|_| self.loses) else { return Ok(()) };
        match value {
            Value::Array(array) => array.with(|tensor| files.spoiled(tensor)).map_or(Ok(()), Err),
            Value::List(items) => items.borrow().iter().try_for_each(|v| self.present(v)),
            Value::Tuple(items) | Value::Record(_, items) => items.iter().try_for_each(|v| self.present(v)),
            Value::Method(receiver, _) => self.present(receiver),
            Value::At(array, _) => self.present(&Value::Array(array.clone())),
            _ => Ok(()),
        }
    }

    /// Runs the statements of `source` as a script: only `print` shows anything.
    ///
    /// # Errors
    /// As [`Session::exec`].
    pub fn script(&mut self, source: &str) -> Result<(), EvalError> {
        for statement in &syntax::parse(source)? {
            self.statement(statement, false).map_err(|e| e.at(span(statement)))?;
        }
        Ok(())
    }

    /// Evaluates one expression and returns its value, `None` included.
    ///
    /// # Errors
    /// As [`Session::exec`]; a `SyntaxError` if the source is not a single expression.
    pub fn eval(&mut self, source: &str) -> Result<Value, EvalError> {
        let statements = syntax::parse(source)?;
        match &statements[..] {
            [ast::Stmt::Expr(e)] => eval::expression(self, &e.value),
            [other, ..] => Err(EvalError::new("SyntaxError", "an expression is needed here").at(span(other))),
            [] => Err(EvalError::new("SyntaxError", "nothing to evaluate").at(0..source.len())),
        }
    }

    /// What `f` gives, unless files have lost something meanwhile.
    pub(crate) fn intact_after<T>(
        &mut self,
        f: impl FnOnce(&mut Session) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let _ = self.intact();
        let value = f(self);
        self.intact().and(value)
    }

    /// Named arrays that take a gradient, in the order of their names.
    pub(crate) fn leaves(&self) -> Vec<(String, Array)> {
        let takes = |array: &Array| array.with(|t| t.requires_grad() && t.is_leaf() || t.retains_grad());
        self.arrays().into_iter().filter(|(_, array)| takes(array)).collect()
    }

    /// The arrays that have a name, by it.
    pub(crate) fn arrays(&self) -> Vec<(String, Array)> {
        let arrays = self.names.iter().filter_map(|(name, v)| Some((name.clone(), v.array()?.clone())));
        let mut all: Vec<_> = arrays.collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Runs one parsed statement.
    pub(crate) fn run(&mut self, statement: &ast::Stmt) -> Result<(), EvalError> {
        self.statement(statement, false).map(|_| ()).map_err(|e| e.at(span(statement)))
    }

    /// One statement; `shows` says whether values of expressions inside a block are written to the output.
    ///
    /// What a file had lost before is known by then, and names that stand on it are refused. What is lost in the course
    /// of the statement may have been read as zeros, so the statement fails.
    fn statement(&mut self, statement: &ast::Stmt, shows: bool) -> Result<Option<Value>, EvalError> {
        self.intact_after(|session| session.carry_out(statement, shows))
    }

    fn carry_out(&mut self, statement: &ast::Stmt, shows: bool) -> Result<Option<Value>, EvalError> {
        match statement {
            ast::Stmt::Expr(s) => return eval::unread(self, &s.value).map(Some),
            ast::Stmt::Assign(s) => {
                let value = eval::unread(self, &s.value)?;
                for target in &s.targets {
                    self.assign(target, value.clone())?;
                }
            }
            ast::Stmt::AnnAssign(s) => {
                if let Some(value) = &s.value {
                    let value = eval::unread(self, value)?;
                    self.assign(&s.target, value)?;
                }
            }
            ast::Stmt::AugAssign(s) => {
                let before = eval::expression(self, &s.target)?;
                let operand = eval::expression(self, &s.value)?;
                let op = operators::binary(s.op);
                let after = object::binary_in_place(op, &before, &operand).map_err(|e| e.at(span(s)))?;
                self.assign(&s.target, after)?;
            }
            ast::Stmt::Delete(s) => {
                for target in &s.targets {
                    let ast::Expr::Name(name) = target else {
                        return Err(EvalError::unsupported("only names can be deleted").at(span(target)));
                    };
                    if self.names.remove(name.id.as_str()).is_none() {
                        return Err(self.unknown(&name.id).at(span(target)));
                    }
                }
            }
            ast::Stmt::Assert(s) => {
                let held = eval::expression(self, &s.test)?;
                if !truth(&held)? {
                    return Err(EvalError::new("AssertionError", "").at(span(s.test.as_ref())));
                }
            }
            ast::Stmt::Import(s) => {
                for alias in &s.names {
                    let bound = lookup::import(&alias.name).ok_or_else(|| unknown_module(&alias.name).at(span(s)))?;
                    match &alias.asname {
                        Some(name) => self.set(name.as_str(), bound),
                        None => {
                            let root = alias.name.split('.').next().unwrap_or_default();
                            if let Some(module) = lookup::import(root) {
                                self.set(root, module);
                            }
                        }
                    }
                }
            }
            ast::Stmt::ImportFrom(s) => {
                let path = s.module.as_ref().map_or("", |m| m.as_str());
                let module = lookup::import(path).ok_or_else(|| unknown_module(path).at(span(s)))?;
                for alias in &s.names {
                    let value = lookup::attribute(&module, &alias.name).map_err(|_| {
                        EvalError::new("ImportError", format!("cannot import name '{}' from '{path}'", alias.name))
                            .at(span(s))
                    })?;
                    self.set(alias.asname.as_ref().unwrap_or(&alias.name).as_str(), value);
                }
            }
            ast::Stmt::With(s) => self.block(&s.items, &s.body, shows)?,
            ast::Stmt::Pass(_) => {}
            other => {
                let what = statement_name(other);
                return Err(EvalError::unsupported(format!(
                    "takewise evaluates expressions and assignments, not {what}"
                )));
            }
        }
        Ok(None)
    }

    /// `with a, b: body`, where the items say whether operations are recorded for gradients.
    fn block(&mut self, items: &[ast::WithItem], body: &[ast::Stmt], shows: bool) -> Result<(), EvalError> {
        let Some((item, rest)) = items.split_first() else {
            for statement in body {
                match self.statement(statement, shows).map_err(|e| e.at(span(statement)))? {
                    Some(Value::None) | None => {}
                    Some(value) if shows => self.show(&value).map_err(|e| e.at(span(statement)))?,
                    Some(_) => {}
                }
            }
            return Ok(());
        };
        let here = span(&item.context_expr);
        let Value::Recording(recording) = eval::expression(self, &item.context_expr)? else {
            let text = "takewise evaluates `with` for torch.no_grad(), enable_grad(), set_grad_enabled() and \
                        inference_mode()";
            return Err(EvalError::unsupported(text).at(here));
        };
        let before = takewise::grad::set_grad_enabled(recording.on);
        let done = match &item.optional_vars {
            Some(name) => self.assign(name, Value::None),
            None => Ok(()),
        };
        let done = done.and_then(|()| self.block(rest, body, shows));
        takewise::grad::set_grad_enabled(recording.before.unwrap_or(before));
        done
    }

    fn assign(&mut self, target: &ast::Expr, value: Value) -> Result<(), EvalError> {
        let here = span(target);
        match target {
            ast::Expr::Name(name) => {
                self.set(name.id.as_str(), value);
                Ok(())
            }
            ast::Expr::Tuple(ast::ExprTuple { elts, .. }) | ast::Expr::List(ast::ExprList { elts, .. }) => {
                let items = eval::iterate(&value).map_err(|e| e.at(here.clone()))?;
                if items.len() != elts.len() {
                    let text = match items.len().cmp(&elts.len()) {
                        std::cmp::Ordering::Less => {
                            format!("not enough values to unpack (expected {}, got {})", elts.len(), items.len())
                        }
                        _ => format!("too many values to unpack (expected {})", elts.len()),
                    };
                    return Err(EvalError::value_error(text).at(here));
                }
                elts.iter().zip(items).try_for_each(|(t, v)| self.assign(t, v))
            }
            ast::Expr::Subscript(s) => {
                let container = written(eval::unread(self, &s.value)?).map_err(|e| e.at(here.clone()))?;
                let key = eval::key(self, &s.slice)?;
                match &container {
                    Value::Array(array) => {
                        let value = object::settled(value).map_err(|e| e.at(here.clone()))?;
                        object::set(array, &key, &value).map_err(|e| e.at(here))
                    }
                    Value::List(items) => {
                        let mut items = items.borrow_mut();
                        let at = eval::position(&key, items.len(), "list assignment").map_err(|e| e.at(here))?;
                        items[at] = value;
                        Ok(())
                    }
                    other => Err(EvalError::type_error(format!(
                        "'{}' object does not support item assignment",
                        other.type_name()
                    ))
                    .at(here)),
                }
            }
            ast::Expr::Attribute(a) => {
                let object = written(eval::unread(self, &a.value)?).map_err(|e| e.at(here.clone()))?;
                let value = object::settled(value).map_err(|e| e.at(here.clone()))?;
                object::set_attribute(&object, &a.attr, &value).map_err(|e| e.at(here))
            }
            _ => Err(EvalError::new("SyntaxError", "cannot assign to this expression").at(here)),
        }
    }
}

/// What is written into, in memory.
fn written(value: Value) -> Result<Value, EvalError> {
    match value {
        Value::Stored(x, face) => object::in_memory(&x, face).map(Value::Array),
        other => Ok(other),
    }
}

fn unknown_module(name: &str) -> EvalError {
    EvalError::new("ModuleNotFoundError", format!("No module named '{name}'"))
}

fn statement_name(statement: &ast::Stmt) -> &'static str {
    match statement {
        ast::Stmt::For(_) | ast::Stmt::AsyncFor(_) | ast::Stmt::While(_) => "loops",
        ast::Stmt::If(_) | ast::Stmt::Match(_) => "`if` statements",
        ast::Stmt::FunctionDef(_) | ast::Stmt::AsyncFunctionDef(_) | ast::Stmt::ClassDef(_) => "definitions",
        ast::Stmt::AsyncWith(_) => "`async with` statements",
        ast::Stmt::Try(_) | ast::Stmt::TryStar(_) | ast::Stmt::Raise(_) => "exceptions",
        _ => "this statement",
    }
}
