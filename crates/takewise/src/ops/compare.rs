//! Comparisons and logical connectives: where boolean masks come from.
//!
//! Operands broadcast and meet in their common dtype, as torch or NumPy has it ([`CompareRules`]).

use crate::op::Op;
pub use crate::values::compare::Relation;

use super::fresh;
use crate::dtype::{DType, DTypeSet, Scalar};
use crate::error::{self, DTypeRule, Error, Fault, Result, ShapeRule, Words};
use crate::exec::Access;
use crate::foreign;
use crate::index::rules::{Conversion, CopyOrder};
use crate::layout::{broadcast_shapes, order::like_operands};
use crate::promote::{Operand, Promotion, result_type};
use crate::tensor::Tensor;
use crate::values::{
    compare::compare as run,
    number::{integer_range, scalar_bytes},
};
use crate::view::AnyView;

impl Relation {
    /// Whether only "is not zero" matters.
    ///
    /// ```
    /// use takewise::ops::compare::Relation;
    /// assert!(Relation::And.connective() && !Relation::Lt.connective());
    /// ```
    pub const fn connective(self) -> bool {
        matches!(self, Relation::And | Relation::Or | Relation::Xor)
    }

    /// The operation that compares so.
    ///
    /// ```
    /// use takewise::{Op, ops::compare::Relation};
    /// assert_eq!(Relation::Xor.op(), Op::LogicalXor);
    /// ```
    pub const fn op(self) -> Op {
        match self {
            Relation::Eq => Op::Eq,
            Relation::Ne => Op::Ne,
            Relation::Lt => Op::Lt,
            Relation::Le => Op::Le,
            Relation::Gt => Op::Gt,
            Relation::Ge => Op::Ge,
            Relation::And => Op::LogicalAnd,
            Relation::Or => Op::LogicalOr,
            Relation::Xor => Op::LogicalXor,
        }
    }

    /// The name of that operation, as torch has it.
    ///
    /// ```
    /// use takewise::ops::compare::Relation;
    /// assert_eq!(Relation::And.name(), "logical_and");
    /// ```
    pub const fn name(self) -> &'static str {
        self.op().name()
    }

    /// Whether the values need an order.
    const fn ordered(self) -> bool {
        matches!(self, Relation::Lt | Relation::Le | Relation::Gt | Relation::Ge)
    }
}

/// torch's unsigned integers beyond a byte: kept, but without most kernels.
const UNSIGNED: DTypeSet = DTypeSet::of(&[DType::U16, DType::U32, DType::U64]);

/// How a library compares.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::CopyOrder;
/// use takewise::ops::compare::{CompareRules, Relation, compare};
/// let rules = CompareRules { copies: CopyOrder::LikeOperands, ..CompareRules::BY_VALUE };
/// let (a, b) = ([1u64 << 63], [-1i64]);
/// assert_eq!(compare(&(&a).into(), &(&b).into(), Relation::Gt, &rules)?.to_vec::<bool>()?, [true]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CompareRules {
    /// Which dtype two operands meet in.
    pub promotion: Promotion,
    /// Dtypes whose values cannot be ordered; complex numbers elsewhere are, by real, then imaginary part.
    pub unordered: DTypeSet,
    /// Dtypes `And`, `Or` and `Xor` do not take.
    pub unlogical: DTypeSet,
    /// Whether integers are compared by value even where the common dtype cannot hold both.
    pub exact_integers: bool,
    /// How the result lies in memory: row-major, or as the operands do.
    pub copies: CopyOrder,
    /// Whose words errors use.
    pub words: Words,
}

impl CompareRules {
    /// Complex numbers have no order, numbers take the dtype of the tensor beside them (wrapping).
    pub const BY_KIND: CompareRules = CompareRules {
        promotion: Promotion::ByKind,
        unordered: UNSIGNED.with(DType::C64).with(DType::C128),
        unlogical: UNSIGNED,
        exact_integers: false,
        copies: CopyOrder::LikeOperands,
        words: error::neutral,
    };
    /// Complex numbers are ordered, integers compare by value.
    pub const BY_VALUE: CompareRules = CompareRules {
        promotion: Promotion::Widening,
        unordered: DTypeSet::of(&[]),
        unlogical: DTypeSet::of(&[]),
        exact_integers: true,
        copies: CopyOrder::RowMajor,
        words: error::neutral,
    };
}

/// The bool tensor of `a how b`, elementwise with broadcasting; `And`, `Or`, `Xor` ask "is not zero".
///
/// Errors: kind `Shape` if the shapes do not broadcast; kind `DType` if the dtypes have no common dtype
/// or complex numbers no order under these rules. Dtypes of another library are compared by that one
/// ([`crate::foreign`]), where the rules are NumPy's. Cost: one pass, extra memory independent of the size.
///
/// ```
/// use takewise::{ops::compare::{compare, CompareRules, Relation}, View};
/// let (a, b) = ([1, 5, 3], [3.0f32]);
/// let m = compare(&View::from(&a[..]).any(), &View::from(&b[..]).any(), Relation::Gt, &CompareRules::BY_KIND)?;
/// assert_eq!(m.to_vec::<bool>()?, [false, true, false]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn compare(a: &AnyView<'_>, b: &AnyView<'_>, how: Relation, rules: &CompareRules) -> Result<Tensor> {
    let op = how.op();
    let shape = broadcast_shapes([a.shape(), b.shape()]).map_err(|dim| {
        Error::new(rules.words, Fault::shape(op, ShapeRule::BroadcastPair, dim, &[("a", a.shape()), ("b", b.shape())]))
    })?;
    let operands = [Operand::of(a.dtype(), a.rank()), Operand::of(b.dtype(), b.rank())];
    let foreign = a.dtype().is_foreign() || b.dtype().is_foreign();
    if foreign && rules.promotion == Promotion::Widening {
        let (left, right) = (stretched(a, op, &shape)?, stretched(b, op, &shape)?);
        return fresh(&shape, DType::Bool, |out| foreign::compare(&left, &right, how, out))
            .map_err(|e| e.in_words(rules.words));
    }
    let met = meet(op, &operands, rules)?;
    check_kernel(how, met, rules)?;
    let common = if how.connective() { DType::Bool } else { met };
    let (left, right) = (stretched(a, op, &shape)?, stretched(b, op, &shape)?);
    let mut out = mask(&[&left, &right], rules)?;
    let exact = rules.exact_integers && a.dtype().is_integer() && b.dtype().is_integer();
    if let Some(mut dst) = out.unique() {
        run(&left, &right, Some(common).filter(|_| !exact), how, &mut dst).map_err(|e| e.in_words(rules.words))?;
    }
    Ok(out)
}

/// [`compare`] of an array with a number: the number is weak (SEMANTICS.md, Promotion beside numbers).
///
/// ```
/// use takewise::prelude::*;
/// use takewise::ops::compare::{CompareRules, Relation, compare_scalar};
/// let mask = compare_scalar(&AnyView::from(&[1, 5, 3]), 2.into(), Relation::Gt, &CompareRules::BY_VALUE)?;
/// assert_eq!(mask.to_vec::<bool>()?, [false, true, true]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn compare_scalar(a: &AnyView<'_>, b: Scalar, how: Relation, rules: &CompareRules) -> Result<Tensor> {
    let op = how.op();
    let common = match meet(op, &[Operand::of(a.dtype(), a.rank()), Operand::Number(b)], rules) {
        Err(_) if a.dtype().is_foreign() && rules.promotion == Promotion::Widening && !how.connective() => {
            // The library knows what is equal to nothing, such as a date to a number.
            let own = match b {
                Scalar::Bool(_) => DType::Bool,
                Scalar::Int(_) => DType::I64,
                Scalar::Float(_) => DType::F64,
                Scalar::Complex(..) => DType::C128,
            };
            let number = scalar_bytes(op, b, own, Conversion::IntegersChecked, rules.words)?;
            let number = stretched(&one(&number, own), op, a.shape())?;
            return fresh(a.shape(), DType::Bool, |out| foreign::compare(a, &number, how, out))
                .map_err(|e| e.in_words(rules.words));
        }
        met => met?,
    };
    if common.is_foreign() && rules.promotion == Promotion::Widening {
        let number = scalar_bytes(op, b, common, Conversion::IntegersChecked, rules.words)?;
        let number = stretched(&one(&number, common), op, a.shape())?;
        return fresh(a.shape(), DType::Bool, |out| foreign::compare(a, &number, how, out))
            .map_err(|e| e.in_words(rules.words));
    }
    check_kernel(how, common, rules)?;
    if let Some(above) = beyond(b, common).filter(|_| rules.exact_integers && !how.connective()) {
        let answer = match how {
            Relation::Ne => true,
            Relation::Lt | Relation::Le => above,
            Relation::Gt | Relation::Ge => !above,
            _ => false,
        };
        return filled(a.shape(), answer);
    }
    let held = if how.connective() { DType::Bool } else { common };
    let number = scalar_bytes(op, b, held, Conversion::Wrap, rules.words)?;
    let view = one(&number, held);
    let b = stretched(&view, op, a.shape())?;
    let mut out = mask(&[a, &b], rules)?;
    if let Some(mut dst) = out.unique() {
        run(a, &b, Some(held), how, &mut dst).map_err(|e| e.in_words(rules.words))?;
    }
    Ok(out)
}

/// The bool tensor of "is zero": torch's `logical_not`, and `~` of a mask. Error (kind `DType`) for records.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::ops::compare::{CompareRules, logical_not};
/// let mask = logical_not(&AnyView::from(&[true, false]), &CompareRules::BY_VALUE)?;
/// assert_eq!(mask.to_vec::<bool>()?, [false, true]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn logical_not(a: &AnyView<'_>, rules: &CompareRules) -> Result<Tensor> {
    compare_scalar(a, Scalar::Bool(true), Relation::Xor, rules).map_err(|e| e.in_op(Op::LogicalNot))
}

/// The memory of a result whose operands are stretched to its shape.
fn mask(operands: &[&AnyView; 2], rules: &CompareRules) -> Result<Tensor> {
    let shape = operands[0].shape();
    let laid: [_; 2] = operands.map(|v| (v.layout(), v.dtype().size()));
    // A number tells nothing of the order, nor does it keep the other operand from giving its own.
    let laid = if operands[1].layout().strides().iter().all(|s| *s == 0) { &laid[..1] } else { &laid[..] };
    match rules.copies {
        CopyOrder::LikeOperands => Tensor::dense(like_operands(shape, laid, 1)?, DType::Bool),
        _ => Tensor::zeroed(shape, DType::Bool),
    }
}

fn meet(op: Op, operands: &[Operand], rules: &CompareRules) -> Result<DType> {
    result_type(rules.promotion, operands).map_err(|e| e.in_op(op).in_words(rules.words))
}

fn check_kernel(how: Relation, common: DType, rules: &CompareRules) -> Result<()> {
    let op = how.op();
    let fail = |rule| Err(Error::new(rules.words, Fault::DType { op, rule, given: common, wanted: None }));
    match common {
        DType::Opaque { .. } => fail(DTypeRule::Unsupported),
        d if how.connective() && rules.unlogical.has(d) => fail(DTypeRule::Unsupported),
        d if how.ordered() && rules.unordered.has(d) => fail(DTypeRule::Unordered),
        _ => Ok(()),
    }
}

/// Whether an integer lies above (`true`) or below every value of an integer dtype; `None` if in range.
fn beyond(number: Scalar, dtype: DType) -> Option<bool> {
    let (Scalar::Int(v), Some((low, high))) = (number, integer_range(dtype)) else { return None };
    (!(low..=high).contains(&v)).then_some(v > high)
}

fn filled(shape: &[usize], answer: bool) -> Result<Tensor> {
    let mut out = Tensor::zeroed(shape, DType::Bool)?;
    let byte = [answer as u8; 16];
    let number = one(&byte, DType::Bool);
    let view = stretched(&number, Op::Full, shape)?;
    if let Some(mut dst) = out.unique() {
        crate::values::convert::convert_into(&view, &mut dst)?;
    }
    Ok(out)
}

fn stretched<'a>(v: &AnyView<'a>, op: Op, shape: &[usize]) -> Result<AnyView<'a>> {
    Ok(v.rearranged(0, v.layout().broadcast_to(op, shape)?))
}

/// One element as a view of rank 0.
fn one(bytes: &[u8; 16], dtype: DType) -> AnyView<'_> {
    AnyView::of_bytes(bytes, dtype).unwrap_or_else(|| AnyView::from(&bytes[..0]))
}

fn pair(a: &Tensor, b: &Tensor, how: Relation) -> Result<Tensor> {
    let open = Access::reading(how.op(), &[a, b], CompareRules::BY_KIND.words)?;
    compare(&open.read(0), &open.read(1), how, &CompareRules::BY_KIND)
}

fn beside(a: &Tensor, number: Scalar, how: Relation) -> Result<Tensor> {
    compare_scalar(&a.read_any()?.view(), number, how, &CompareRules::BY_KIND)
}

impl Tensor {
    /// Where the two are equal.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn eq(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Eq)
    }

    /// [`Tensor::eq`] with a number in the place of the other tensor.
    pub fn eq_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Eq)
    }

    /// Where the two differ.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn ne(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Ne)
    }

    /// [`Tensor::ne`] with a number in the place of the other tensor.
    pub fn ne_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Ne)
    }

    /// Where this is less.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn lt(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Lt)
    }

    /// [`Tensor::lt`] with a number in the place of the other tensor.
    pub fn lt_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Lt)
    }

    /// Where this is at most the other.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn le(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Le)
    }

    /// [`Tensor::le`] with a number in the place of the other tensor.
    pub fn le_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Le)
    }

    /// Where this is greater.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn gt(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Gt)
    }

    /// [`Tensor::gt`] with a number in the place of the other tensor.
    pub fn gt_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Gt)
    }

    /// Where this is at least the other.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn ge(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Ge)
    }

    /// [`Tensor::ge`] with a number in the place of the other tensor.
    pub fn ge_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Ge)
    }

    /// Where both are non-zero: `&` of masks.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn logical_and(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::And)
    }

    /// [`Tensor::logical_and`] with a number in the place of the other tensor.
    pub fn logical_and_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::And)
    }

    /// Where either is non-zero: `|` of masks.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn logical_or(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Or)
    }

    /// [`Tensor::logical_or`] with a number in the place of the other tensor.
    pub fn logical_or_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Or)
    }

    /// Where one of the two is non-zero: `^` of masks.
    ///
    /// Broadcasts and promotes as torch does; errors as [`compare`].
    pub fn logical_xor(&self, other: &Tensor) -> Result<Tensor> {
        pair(self, other, Relation::Xor)
    }

    /// [`Tensor::logical_xor`] with a number in the place of the other tensor.
    pub fn logical_xor_scalar(&self, other: impl Into<Scalar>) -> Result<Tensor> {
        beside(self, other.into(), Relation::Xor)
    }

    /// Where this is zero: `~` of a mask.
    pub fn logical_not(&self) -> Result<Tensor> {
        logical_not(&self.read_any()?.view(), &CompareRules::BY_KIND)
    }
}
