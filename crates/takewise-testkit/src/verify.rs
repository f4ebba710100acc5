//! Running a case on the engine and holding the outcome against the definition.
//!
//! Every case proves more than its result: nothing outside the elements changed (guards), operands that are
//! only read did not change, a failing call changed nothing, and all this at every thread count asked for.

use crate::arr::Arr;
use crate::case::{Case, Op};
use crate::num::{Num, Reduce};
use crate::operand::{Operand, Twist, arr_of};
use crate::oracle::{Bad, Facts, Sub};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use takewise::index::rules::{Outside, Rules};
use takewise::ops::{Search, Source};
use takewise::strategy::Strategy;
use takewise::{AnyView, DType, Error, Index, Kind, Result, Scalar, Tensor, ops, strategy, threads};

/// The engine's name of a reduction.
pub fn engine_reduce(r: Reduce) -> takewise::Reduce {
    match r {
        Reduce::Sum => takewise::Reduce::Sum,
        Reduce::Prod => takewise::Reduce::Prod,
        Reduce::Mean => takewise::Reduce::Mean,
        Reduce::Amax => takewise::Reduce::Max,
        Reduce::Amin => takewise::Reduce::Min,
    }
}

/// Runs `f` with calls divided into `n` parts (0 leaves it to the engine), on the next of the processor's levels. Every
/// second case prefers a strategy by name, so that over the cases of a table each meets every level.
pub fn in_parts<R>(n: usize, f: impl FnOnce() -> R) -> R {
    static LEVELS: LazyLock<Vec<takewise::Cpu>> = LazyLock::new(takewise::Cpu::supported);
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    let (round, next) = (turn / 2 / Strategy::ALL.len(), turn / 2 % Strategy::ALL.len());
    // A level further each round, as the two numbers may have a divisor in common.
    LEVELS[(round + next) % LEVELS.len()].force();
    let divided = || if n == 0 { f() } else { threads::with_threads(n, f) };
    if turn.is_multiple_of(2) { strategy::prefer_strategy(Strategy::ALL[next], divided) } else { divided() }
}

/// The elements of a result.
pub fn contents(t: Result<Tensor>) -> Result<Arr> {
    let t = t?;
    let guard = t.read_any()?;
    Ok(arr_of(&guard.view()))
}

/// The engine's form of a subscript whose arrays are the given views, in order.
pub fn entries<'a>(subs: &[Sub], views: &[AnyView<'a>]) -> Vec<Index<'a>> {
    let mut views = views.iter();
    let entry = |s: &Sub| match s {
        Sub::Int(v) => Index::Int(*v),
        Sub::Range(r) => Index::Range(*r),
        Sub::New => Index::NewAxis,
        Sub::Ellipsis => Index::Ellipsis,
        Sub::Bool(b) => Index::Bool(*b),
        Sub::Array(_) => Index::Array(views.next().expect("a view per array").clone()),
    };
    subs.iter().map(entry).collect()
}

impl Case {
    /// Calls the engine: the result of a read, the new contents of `x` for a write.
    pub fn run(&mut self) -> Result<Arr> {
        if !self.writes() {
            return contents(self.read());
        }
        self.write()?;
        Ok(self.x.now())
    }

    /// The call of a case that reads.
    pub fn read(&self) -> Result<Tensor> {
        let rules = &self.rules;
        let views: Vec<AnyView> = self.index.iter().map(Operand::view).collect();
        let v = self.value.as_ref().map(Operand::view);
        let x = self.x.view();
        let i = || views.first().expect("an index");
        match &self.op {
            Op::Get => ops::index(&x, &entries(&self.subs, &views), rules),
            Op::Gather { dim } => ops::gather(&x, *dim, i(), rules),
            Op::TakeAlong { dim } => ops::take_along(&x, Some(*dim), i(), rules),
            Op::Take => ops::take(&x, i(), rules),
            Op::TakeAxis { axis } => ops::take_axis(&x, *axis, i(), rules),
            Op::GatherAxis { axis, batch } => ops::gather_axis(&x, *axis, i(), *batch, rules),
            Op::IndexSelect { dim } => ops::index_select(&x, *dim, i(), rules),
            Op::GatherNd { batch } => ops::gather_nd(&x, i(), *batch, rules),
            Op::MaskedSelect => ops::masked_select(&x, i(), rules),
            Op::Nonzero => ops::nonzero(&x, rules),
            Op::Search { .. } => ops::searchsorted(&x, v.as_ref().expect("values"), &self.search(views.first()), rules),
            other => unreachable!("{other:?} writes"),
        }
    }

    /// The call of a case that writes into `x`.
    pub fn write(&mut self) -> Result<()> {
        let rules = &self.rules;
        let views: Vec<AnyView> = self.index.iter().map(Operand::view).collect();
        let i = views.first();
        let v = self.value.as_ref().map(Operand::view);
        let scalar = |v: i64| Source::Scalar(Scalar::Int(v as i128));
        let mut x = self.x.view_mut();
        let x = &mut x;
        let (i, v) = (|| i.expect("an index"), || v.as_ref().expect("a value"));
        match &self.op {
            Op::Set => ops::index_set_(x, &entries(&self.subs, &views), v(), rules),
            Op::SetAdd => ops::index_accumulate_(x, &entries(&self.subs, &views), v(), takewise::Reduce::Sum, rules),
            Op::Scatter { dim } => ops::scatter_(x, *dim, i(), v(), None, rules),
            Op::ScatterValue { dim, value } => ops::scatter_(x, *dim, i(), scalar(*value), None, rules),
            Op::ScatterReduce { dim, reduce, include_self } => {
                ops::scatter_reduce_(x, *dim, i(), v(), engine_reduce(*reduce), *include_self, rules)
            }
            Op::ScatterNd { reduce } => ops::scatter_nd_(x, i(), v(), reduce.map(engine_reduce), rules),
            Op::PutAlong { dim } => ops::put_along_(x, *dim, i(), v(), rules),
            Op::Put { accumulate } => ops::put_(x, i(), v(), *accumulate, rules),
            Op::IndexAdd { dim, alpha } => ops::index_add_(x, *dim, i(), v(), Scalar::Int(*alpha as i128), rules),
            Op::IndexCopy { dim } => ops::index_copy_(x, *dim, i(), v(), rules),
            Op::IndexFill { dim, value } => ops::index_fill_(x, *dim, i(), scalar(*value), rules),
            Op::IndexReduce { dim, reduce, include_self } => {
                ops::index_reduce_(x, *dim, i(), v(), engine_reduce(*reduce), *include_self, rules)
            }
            Op::MaskedFill { value } => ops::masked_fill_(x, i(), scalar(*value), rules),
            Op::MaskedScatter => ops::masked_scatter_(x, i(), v(), rules),
            other => unreachable!("{other:?} reads"),
        }
    }

    fn search<'a>(&self, sorter: Option<&AnyView<'a>>) -> Search<'a> {
        let Op::Search { right, int32, sorted } = self.op else { unreachable!("not a search") };
        Search { right, out_int32: int32, sorter: sorter.filter(|_| sorted).cloned(), ..Search::default() }
    }

    /// As [`Case::run`] for a read into memory of the caller; `false` if the operation has no such form.
    fn run_into(&self, out: &mut Operand) -> Option<Result<()>> {
        let rules = &self.rules;
        let x = self.x.view();
        let views: Vec<AnyView> = self.index.iter().map(Operand::view).collect();
        let i = || views.first().expect("an index");
        let out = &mut out.view_mut();
        Some(match &self.op {
            Op::Get => ops::index_into(&x, &entries(&self.subs, &views), out, rules),
            Op::Gather { dim } => ops::gather_into(&x, *dim, i(), out, rules),
            Op::TakeAlong { dim } => ops::take_along_into(&x, Some(*dim), i(), out, rules),
            Op::Take => ops::take_into(&x, i(), out, rules),
            Op::TakeAxis { axis } => ops::take_axis_into(&x, *axis, i(), out, rules),
            Op::GatherAxis { axis, batch } => ops::gather_axis_into(&x, *axis, i(), *batch, out, rules),
            Op::IndexSelect { dim } => ops::index_select_into(&x, *dim, i(), out, rules),
            Op::GatherNd { batch } => ops::gather_nd_into(&x, i(), *batch, out, rules),
            Op::MaskedSelect => ops::masked_select_into(&x, i(), out, rules),
            Op::Nonzero => ops::nonzero_into(&x, out, rules),
            Op::Search { .. } => {
                let values = self.value.as_ref().expect("values").view();
                ops::searchsorted_into(&x, &values, &self.search(views.first()), out, rules)
            }
            _ => return None,
        })
    }

    /// Holds the engine against the oracle at each thread count (0 is the engine's own choice); `label` goes into
    /// the failure's text.
    ///
    /// `out` is how the caller's memory lies for the forms that fill it.
    pub fn verify(&self, label: &str, threads: &[usize], out: &Twist) {
        let want = self.expected();
        for &n in threads {
            let fail = |what: String| {
                panic!("{label}, {n} threads: {what}\n{self:?}\n  expected {want:?}");
            };
            let mut mine = self.clone();
            let got = in_parts(n, || mine.run());
            if let Some(what) = self.differs(&want, &got) {
                fail(what);
            }
            if got.is_err() && mine.x.now() != *self.x.value() {
                fail(format!("failed, but changed x to {:?}", mine.x.now()));
            }
            let operands = mine.index.iter().chain(&mine.value).chain([&mine.x]);
            if !operands.clone().all(Operand::guards_intact) {
                fail("wrote outside its operands".into());
            }
            let kept = operands.filter(|o| !(self.writes() && std::ptr::eq(*o, &mine.x)));
            if !kept.clone().all(|o| o.now() == *o.value()) {
                fail("changed an operand it only reads".into());
            }
            if !self.writes() {
                self.verify_into(n, out, &want, &fail);
            }
        }
    }

    fn verify_into(&self, n: usize, twist: &Twist, want: &Result<Arr, Bad>, fail: &dyn Fn(String)) {
        // Under `Clip` nothing is out of range: the shape the result would have had.
        let shaped = Case { rules: Rules { outside: Outside::Clip, ..self.rules }, ..self.clone() }.expected();
        let Ok(shape) = want.as_ref().map(|a| &a.shape).or(shaped.as_ref().map(|a| &a.shape)) else { return };
        let dtype = want.as_ref().map_or(self.x.value().dtype, |a| a.dtype);
        let before = Operand::new(&Arr::arange(shape, dtype), twist);
        let mut out = before.clone();
        let Some(done) = in_parts(n, || self.run_into(&mut out)) else { return };
        if let Some(what) = self.differs(want, &done.map(|()| out.now())) {
            fail(format!("into: {what}"));
        }
        if want.is_err() && out.now() != before.now() {
            fail(format!("into: failed, but changed out to {:?}", out.now()));
        }
        if !out.guards_intact() {
            fail("into: wrote outside out".into());
        }
    }

    fn differs(&self, want: &Result<Arr, Bad>, got: &Result<Arr>) -> Option<String> {
        match (want, got) {
            (Ok(want), Ok(got)) => (!same(want, got, self.computes())).then(|| format!("got {got:?}")),
            (Err(Bad::Other(kind)), Err(e)) => (e.kind() != *kind).then(|| format!("failed otherwise: {e:?}")),
            (Err(Bad::OutOfRange(facts)), Err(e)) => wrong_facts(facts, e),
            (_, Ok(got)) => Some(format!("did not fail, got {got:?}")),
            (_, Err(e)) => Some(format!("failed: {e:?}")),
        }
    }
}

/// What is wrong with a result of a case, if anything.
pub fn differs(case: &Case, want: &Result<Arr, Bad>, got: &Result<Arr>) -> Option<String> {
    case.differs(want, got)
}

/// Whether two arrays are equal bit for bit; if `any_nan`, NaN equals NaN.
pub fn same(a: &Arr, b: &Arr, any_nan: bool) -> bool {
    if a.shape != b.shape || a.dtype != b.dtype {
        return false;
    }
    let nan = |v: f64, w: f64| v.to_bits() == w.to_bits() || (v.is_nan() && w.is_nan());
    let alike = |k: usize| match (a.num_at(k), b.num_at(k)) {
        (Num::Float(v), Num::Float(w)) => nan(v, w),
        (Num::Complex(v, p), Num::Complex(w, q)) => nan(v, w) && nan(p, q),
        _ => false,
    };
    let number = any_nan && !matches!(a.dtype, DType::Opaque { .. });
    (0..a.data.len()).all(|k| a.data[k] == b.data[k] || (number && alike(k)))
}

/// What an out-of-range error says wrongly, if anything.
pub fn wrong_facts(facts: &[Facts], e: &Error) -> Option<String> {
    // Nothing can be taken from an axis of length 0; that is said of the shape before any value is read.
    if e.kind() == Kind::Shape && facts.iter().any(|f| f.len == 0) {
        return None;
    }
    if e.kind() != Kind::OutOfRange {
        return Some(format!("failed otherwise: {e:?}"));
    }
    let said = Facts {
        axis: e.axis()?,
        position: e.position().map(<[usize]>::to_vec),
        value: e.value()?,
        len: e.len()?,
        bad: e.bad(),
    };
    // The gather and index families take a 0-d index as a vector of one: its value stands at [] or [0].
    let alike = |a: &Facts, b: &Facts| {
        let zero = |f: &Facts| f.position.as_ref().filter(|p| !p.is_empty() && **p != [0]).cloned();
        *a == *b
            || (zero(a).is_none() && zero(b).is_none() && Facts { position: b.position.clone(), ..a.clone() } == *b)
    };
    (!alike(&said, &facts[0])).then(|| format!("wrong facts {said:?} in {e:?}"))
}
