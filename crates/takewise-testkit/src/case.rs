//! One call of one operation: its operands in memory, its rules, and what must come of it.

use crate::arr::{Arr, coords, numel};
use crate::num::{Num, Reduce};
use crate::operand::Operand;
use crate::oracle::*;
use std::fmt;
use takewise::index::rules::{NanOrder, Outside, Rules};
use takewise::{DType, Kind};

/// An operation and its plain arguments. Array arguments are in the [`Case`].
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Get,
    Set,
    SetAdd,
    Gather { dim: i64 },
    TakeAlong { dim: i64 },
    Take,
    TakeAxis { axis: i64 },
    GatherAxis { axis: i64, batch: i64 },
    IndexSelect { dim: i64 },
    GatherNd { batch: usize },
    ScatterNd { reduce: Option<Reduce> },
    Scatter { dim: i64 },
    ScatterValue { dim: i64, value: i64 },
    ScatterReduce { dim: i64, reduce: Reduce, include_self: bool },
    PutAlong { dim: i64 },
    Put { accumulate: bool },
    IndexAdd { dim: i64, alpha: i64 },
    IndexCopy { dim: i64 },
    IndexFill { dim: i64, value: i64 },
    IndexReduce { dim: i64, reduce: Reduce, include_self: bool },
    MaskedSelect,
    MaskedFill { value: i64 },
    MaskedScatter,
    Nonzero,
    Search { right: bool, int32: bool, sorted: bool },
}

/// A call: the operation, its operands as they lie in memory, and its rules.
#[derive(Clone)]
pub struct Case {
    /// What is called.
    pub op: Op,
    /// The rules in force.
    pub rules: Rules,
    /// The array indexed; the destination of a write.
    pub x: Operand,
    /// A subscript's entries; the arrays in them stand in `index`, in order.
    pub subs: Vec<Sub>,
    /// Index arrays and masks.
    pub index: Vec<Operand>,
    /// Source of a write, or the values searched for.
    pub value: Option<Operand>,
}

impl Case {
    /// A call with one index operand.
    pub fn new(op: Op, rules: &Rules, x: Operand, index: Operand, value: Option<Operand>) -> Case {
        Case { op, rules: *rules, x, subs: vec![], index: vec![index], value }
    }

    /// Whether the call changes `x`.
    pub fn writes(&self) -> bool {
        use Op::*;
        !matches!(
            self.op,
            Get | Gather { .. }
                | TakeAlong { .. }
                | Take
                | TakeAxis { .. }
                | GatherAxis { .. }
                | IndexSelect { .. }
                | GatherNd { .. }
                | MaskedSelect
                | Nonzero
                | Search { .. }
        )
    }

    /// Whether the call does arithmetic, so that NaN may have any bits.
    pub fn computes(&self) -> bool {
        use Op::*;
        matches!(
            self.op,
            SetAdd | ScatterReduce { .. } | IndexAdd { .. } | IndexReduce { .. } | ScatterNd { .. } | Put { .. }
        )
    }

    fn index(&self) -> &Arr {
        self.index[0].value()
    }

    fn value(&self) -> &Arr {
        self.value.as_ref().expect("this operation has a value").value()
    }

    /// The subscript with its arrays as they lie in memory.
    fn subscript(&self) -> Vec<Sub> {
        let mut arrays = self.index.iter();
        let own = |s: &Sub| match s {
            Sub::Array(_) => Sub::Array(arrays.next().expect("an operand per array").value().clone()),
            other => other.clone(),
        };
        self.subs.iter().map(own).collect()
    }

    /// What must come of it, by definition: the result of a read, the new contents of `x` for a write.
    #[expect(clippy::too_many_lines)] // a row for each operation
    pub fn expected(&self) -> Outcome<Arr> {
        let (x, rules) = (self.x.value(), &self.rules);
        let shape = || Bad::Other(Kind::Shape);
        let scalar = |v: i64| Num::Int(v as i128).as_dtype(x.dtype);
        match self.op {
            Op::Get => Ok(subscript(&x.shape, &self.subscript(), rules)?.read(x, rules)),
            Op::Set | Op::SetAdd => {
                let find = |rules: &Rules| subscript(&x.shape, &self.subscript(), rules);
                let fit = |shape: &[usize]| self.value().drop_leading_ones(shape.len()).broadcast_to(shape);
                let (cells, value) = self.stretched(find, fit)?;
                if self.op == Op::Set {
                    return cells.store(x, &value.data, rules);
                }
                cells.accumulate(x, &Cells::nums(&value), Reduce::Sum, true, rules)
            }
            Op::Gather { dim } => Ok(along(&x.shape, dim, self.index(), rules)?.read(x, rules)),
            Op::TakeAlong { dim } => Ok(take_along(&x.shape, dim, self.index(), rules)?.read(x, rules)),
            Op::Take => Ok(take(&x.shape, self.index(), rules)?.read(x, rules)),
            Op::TakeAxis { axis } => Ok(take_axis(&x.shape, axis, self.index(), rules)?.read(x, rules)),
            Op::GatherAxis { axis, batch } => {
                let batch = if batch < 0 { batch + self.index().shape.len() as i64 } else { batch };
                let batch = usize::try_from(batch).map_err(|_| Bad::Other(Kind::Argument))?;
                Ok(axis_batch(&x.shape, axis, self.index(), batch, rules)?.read(x, rules))
            }
            Op::IndexSelect { dim } => Ok(index_select(&x.shape, dim, self.index(), rules)?.read(x, rules)),
            Op::GatherNd { batch } => Ok(nd(&x.shape, self.index(), batch, rules)?.read(x, rules)),
            Op::ScatterNd { reduce } => {
                let cells = nd(&x.shape, self.index(), 0, rules)?;
                if self.value().shape != cells.shape {
                    return Err(shape());
                }
                match reduce {
                    None => cells.store(x, &self.value().data, rules),
                    Some(r) => cells.accumulate(x, &Cells::nums(self.value()), r, true, rules),
                }
            }
            Op::Scatter { dim } | Op::ScatterReduce { dim, .. } => {
                let (cells, source) = self.scatter(dim)?;
                match self.op {
                    Op::ScatterReduce { reduce, include_self, .. } => {
                        cells.accumulate(x, &Cells::nums(&source), reduce, include_self, rules)
                    }
                    _ => cells.store(x, &source.data, rules),
                }
            }
            Op::ScatterValue { dim, value } => {
                let cells = along(&x.shape, dim, self.index(), rules)?;
                let data = vec![scalar(value).encode(x.dtype); cells.cell.len()];
                cells.store(x, &data, rules)
            }
            Op::PutAlong { dim } => {
                let find = |rules: &Rules| take_along(&x.shape, dim, self.index(), rules);
                let (cells, value) = self.stretched(find, |shape| self.value().broadcast_to(shape))?;
                cells.store(x, &value.data, rules)
            }
            Op::Put { accumulate } => {
                let cells = put(&x.shape, self.index(), self.value(), rules)?;
                if accumulate {
                    return cells.accumulate(x, &Cells::nums(self.value()), Reduce::Sum, true, rules);
                }
                cells.store(x, &self.value().data, rules)
            }
            Op::IndexAdd { dim, alpha } => {
                let cells = self.rows(dim)?;
                let scaled = |v: Num| if alpha == 1 { v } else { v.times(scalar(alpha), x.dtype) };
                let values: Vec<Num> = Cells::nums(self.value()).into_iter().map(scaled).collect();
                cells.accumulate(x, &values, Reduce::Sum, true, rules)
            }
            Op::IndexCopy { dim } => self.rows(dim)?.store(x, &self.value().data, rules),
            Op::IndexFill { dim, value } => {
                let cells = vector(&x.shape, dim, self.index(), rules)?;
                cells.store(x, &vec![scalar(value).encode(x.dtype); cells.cell.len()], rules)
            }
            Op::IndexReduce { dim, reduce, include_self } => {
                let cells = self.rows(dim)?;
                cells.accumulate(x, &Cells::nums(self.value()), reduce, include_self, rules)
            }
            Op::MaskedSelect => Ok(masked(&x.shape, self.index())?.read(x, rules)),
            Op::MaskedFill { value } => {
                let cells = self.mask()?;
                cells.store(x, &vec![scalar(value).encode(x.dtype); cells.cell.len()], rules)
            }
            Op::MaskedScatter => {
                let cells = self.mask()?;
                masked_scatter_count(&cells, self.value())?;
                cells.store(x, &self.value().data[..cells.cell.len()], rules)
            }
            Op::Nonzero => Ok(nonzero(x)),
            Op::Search { right, int32, sorted } => {
                let out = if int32 { DType::I32 } else { DType::I64 };
                let sorter = sorted.then(|| self.index());
                searchsorted(x, self.value(), right, sorter, self.order(), out)
            }
        }
    }

    /// The cells to store in and the value at their shape. The value's shape is looked at before the values of index
    /// arrays, yet after a plain integer, which has no position.
    fn stretched(
        &self,
        find: impl Fn(&Rules) -> Outcome<Cells>,
        fit: impl Fn(&[usize]) -> Option<Arr>,
    ) -> Outcome<(Cells, Arr)> {
        let found = find(&self.rules);
        if let Err(Bad::OutOfRange(facts)) = &found
            && facts.iter().all(|f| f.position.is_some())
            && let Ok(cells) = find(&Rules { outside: Outside::Clip, ..self.rules })
        {
            fit(&cells.shape).ok_or(Bad::Other(Kind::Shape))?;
        }
        let cells = found?;
        let value = fit(&cells.shape).ok_or(Bad::Other(Kind::Shape))?;
        Ok((cells, value))
    }

    fn order(&self) -> NanOrder {
        self.rules.order
    }

    /// A scatter's cells and the part of its source they take: the box of the index's shape.
    fn scatter(&self, d: i64) -> Outcome<(Cells, Arr)> {
        let (x, index, source) = (self.x.value(), self.index(), self.value());
        dim(d, x.shape.len())?;
        let ranks = at_least_1d(&x.shape).len() == at_least_1d(&index.shape).len();
        if !index.is_empty() && ranks && !source.shape.is_empty() {
            dim(d, source.shape.len())?;
        }
        let (i, s) = (at_least_1d(&index.shape), at_least_1d(&source.shape));
        let sized = i.len() == s.len() && i.iter().zip(&s).all(|(i, s)| i <= s);
        // Sizes are looked at before values.
        let cells = match along(&x.shape, d, index, &self.rules) {
            Err(Bad::OutOfRange(_)) if !sized => return Err(Bad::Other(Kind::Shape)),
            other => other?,
        };
        if index.is_empty() {
            return Ok((cells, Arr::zeros(&[0], x.dtype)));
        }
        if !sized {
            return Err(Bad::Other(Kind::Shape));
        }
        let source = source.reshape(&s);
        let part = coords(&i).iter().map(|c| source.at(c)).collect();
        Ok((cells, Arr::new(&i, x.dtype, part)))
    }

    /// The cells of the index families, whose source has `x`'s shape but for one slice per index along `dim`.
    fn rows(&self, d: i64) -> Outcome<Cells> {
        let (x, index, source) = (self.x.value(), self.index(), self.value());
        let axis = dim(d, x.shape.len())?;
        let mut want = at_least_1d(&x.shape);
        want[axis] = numel(&index.shape);
        // Only index_copy takes a 0-d source for a vector, or a vector for a 0-d array.
        let ranks = x.shape.len() == source.shape.len() || matches!(self.op, Op::IndexCopy { .. });
        if !ranks || at_least_1d(&source.shape) != want || index.shape.len() > 1 {
            return Err(Bad::Other(Kind::Shape));
        }
        vector(&x.shape, d, index, &self.rules)
    }

    /// The cells of a mask that broadcasts to `x`, whose shape stays.
    fn mask(&self) -> Outcome<Cells> {
        let (x, mask) = (self.x.value(), self.index());
        mask.broadcast_to(&x.shape).ok_or(Bad::Other(Kind::Shape))?;
        masked(&x.shape, mask)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.op)?;
        writeln!(f, "  x = {:?}", self.x)?;
        if !self.subs.is_empty() {
            writeln!(f, "  [{:?}]", self.subs)?;
        }
        for index in &self.index {
            writeln!(f, "  index = {index:?}")?;
        }
        if let Some(value) = &self.value {
            writeln!(f, "  value = {value:?}")?;
        }
        let r = &self.rules;
        write!(f, "  {:?} {:?} {:?} {:?} ", r.sign, r.outside, r.duplicates, r.extent)?;
        write!(f, "{:?} {:?} {:?} fill={:?}", r.lone_int, r.empty, r.accumulate, r.fill)
    }
}
