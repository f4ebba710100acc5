//! Order, and how often values occur. Libraries have functions for this that are as good as ours, or better: they get the call
//! where the array is theirs. Here is what answers for lists, for the command, and for tensors of takewise's own.

use takewise::grad::NodeOp;
use takewise::index::rules::Conversion;
use takewise::internal::record;
use takewise::layout::normalize_dim;
use takewise::op::Op;
use takewise::tensor::cast;
use takewise::{DType, Result, Tensor};

use crate::call::{Arrays, array as find};
use crate::distinct::{counted, distinct, found};
use crate::parameter::{Parameter, Role};
use crate::ranges::{length, needed, of, refused};
use crate::record::{Operation, Run};

const X: Parameter = Parameter::new("x", Role::Data);
const LAST: Parameter = Parameter::new("axis", Role::AxisOrNone).or("-1");
const DESCENDING: Parameter = Parameter::new("descending", Role::Descending).or("False");
const STABLE: Parameter = Parameter::new("stable", Role::Stable).or("True");
const K: Parameter = Parameter::new("k", Role::Count);
const LARGEST: Parameter = Parameter::new("largest", Role::Largest).or("True");

const SORT: Op = Op::Sort;
const ARGSORT: Op = Op::ArgSort;
const TOPK: Op = Op::Named(&"topk");
const ARGTOPK: Op = Op::Named(&"argtopk");
const UNIQUE: Op = Op::Named(&"unique");
const ISIN: Op = Op::Named(&"isin");
const BINCOUNT: Op = Op::Named(&"bincount");

/// The array and the axis that is meant, which the flattened array has alone.
fn along(op: Op, c: &Arrays<'_>) -> Result<(Tensor, usize)> {
    let x = needed(op, c, Role::Data)?;
    match c.given.axis {
        Some(axis) => Ok((x.clone(), normalize_dim(op, axis, x.rank()).map_err(|e| e.in_words(c.rules.words))?)),
        None => Ok((x.reshape(&[-1])?, 0)),
    }
}

fn sort(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (x, axis) = along(SORT, c)?;
    let (values, order) = x.sort(axis as i64, c.given.descending, true, c.rules)?;
    record::sorted(&values, &x, axis as i64, &order);
    Ok(vec![values])
}

fn argsort(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (x, axis) = along(ARGSORT, c)?;
    Ok(vec![x.argsort(axis as i64, c.given.descending, true, c.rules)?])
}

/// The array, the axis, and the positions of the first `k` in order along it.
fn first(op: Op, c: &Arrays<'_>) -> Result<(Tensor, i64, Tensor)> {
    let (x, axis) = along(op, c)?;
    let (k, size) = (c.given.count.unwrap_or(0), x.shape().get(axis).map_or(1, |n| *n as i64));
    if !(0..=size).contains(&k) {
        return Err(refused(op, c, &format!("k must be from 0 to the {size} elements along axis {axis}, not {k}")));
    }
    let axis = axis as i64;
    let order = x.argsort(axis, c.given.largest, true, c.rules)?;
    match x.rank() {
        0 => Ok((x, axis, order)),
        _ => Ok((x, axis, order.narrow(axis, 0, k)?.contiguous()?)),
    }
}

fn argtopk(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    first(ARGTOPK, c).map(|(_, _, order)| vec![order])
}

fn topk(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (x, axis, order) = first(TOPK, c)?;
    if x.rank() == 0 {
        return Ok(vec![x.clone_data()?]);
    }
    let values = x.detach().gather(axis, &order, c.rules)?;
    record::picked(&values, &x, axis, &order, NodeOp::TopK);
    Ok(vec![values])
}

fn unique(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let x = needed(UNIQUE, c, Role::Data)?.detach();
    let axis = c.given.axis.map(|axis| normalize_dim(UNIQUE, axis, x.rank()).map_err(|e| e.in_words(c.rules.words)));
    let (values, found) = distinct(&x, axis.transpose()?, true)?;
    let asked =
        [(c.given.with_index, found.first), (c.given.with_inverse, found.inverse), (c.given.with_counts, found.counts)];
    let more = asked.into_iter().filter(|(asked, _)| *asked).map(|(_, array)| array);
    Ok(std::iter::once(values).chain(more).collect())
}

fn isin(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let mask = found(&needed(ISIN, c, Role::Data)?.detach(), &needed(ISIN, c, Role::Among)?.detach())?;
    Ok(vec![if c.given.invert { mask.logical_not()? } else { mask }])
}

fn bincount(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let x = needed(BINCOUNT, c, Role::Data)?;
    if x.rank() != 1 || !x.dtype().is_integer() && x.numel() > 0 {
        let given = format!("{} of rank {}", x.dtype().name(), x.rank());
        return Err(refused(BINCOUNT, c, &format!("x must be a vector of integers, not an array of {given}")));
    }
    let least = length(BINCOUNT, c, "minlength", Some(c.given.at_least))?.unwrap_or(0);
    let weights = find(c.all, Role::Weights);
    let weights = weights.map(|given| {
        if given.shape() != x.shape() {
            let text = format!("weights must have the shape of x, {:?}, not {:?}", x.shape(), given.shape());
            return Err(refused(BINCOUNT, c, &text));
        }
        cast(&given.detach().read_any()?.view(), DType::F64, Conversion::IntegersChecked)
    });
    Ok(vec![counted(x, weights.transpose()?.as_ref(), least)?])
}

/// An operation whose calls the array's library gets, but those on few elements.
const fn theirs(operation: Operation, few: usize) -> Operation {
    match operation.run {
        Run::Arrays(run) => Operation { run: Run::Theirs { run, few }, ..operation },
        _ => operation,
    }
}

pub(crate) const ALL: &[Operation] = &[
    theirs(
        of(
            "sort",
            SORT,
            &[X, LAST],
            &[DESCENDING],
            "The elements in order along ``axis``, the least first.",
            doc!(
                r#"
NaN is larger than all numbers. ``axis=None`` sorts the flattened array. The array's own library sorts its arrays. ``argsort``
has the positions.

>>> import numpy as np, takewise
>>> takewise.sort(np.array([3, 1, 2]), descending=True)
array([3, 2, 1])
"#
            ),
            sort,
        ),
        0,
    ),
    theirs(
        of(
            "argsort",
            ARGSORT,
            &[X, LAST],
            &[DESCENDING, STABLE],
            "The positions that put the elements in order along ``axis``, the least first.",
            doc!(
                r#"
NaN is larger than all numbers. Equal elements keep their order; with ``stable=False`` they need not, which is faster with some
libraries.

>>> import numpy as np, takewise
>>> takewise.argsort(np.array([3, 1, 2]))
array([1, 2, 0])
"#
            ),
            argsort,
        ),
        32,
    ),
    theirs(
        of(
            "topk",
            TOPK,
            &[X, K, LAST],
            &[LARGEST],
            "The ``k`` greatest elements along ``axis``, the greatest first; with ``largest=False`` the least, the least first.",
            doc!(
                r#"
NaN is larger than all numbers. ``argtopk`` has their positions; which of equal elements are chosen is left to the library.

>>> import numpy as np, takewise
>>> takewise.topk(np.array([3, 1, 4, 1, 5]), 2)
array([5, 4])
"#
            ),
            topk,
        ),
        32,
    ),
    theirs(
        of(
            "argtopk",
            ARGTOPK,
            &[X, K, LAST],
            &[LARGEST],
            "The positions of what ``topk`` gives.",
            doc!(
                r#"
>>> import numpy as np, takewise
>>> takewise.argtopk(np.array([3, 1, 4, 1, 5]), 2)
array([4, 2])
"#
            ),
            argtopk,
        ),
        32,
    ),
    theirs(
        of(
            "unique",
            UNIQUE,
            &[X, Parameter::new("axis", Role::AxisOrNone).or("None")],
            &[
                Parameter::new("return_index", Role::WithIndex).or("False"),
                Parameter::new("return_inverse", Role::WithInverse).or("False"),
                Parameter::new("return_counts", Role::WithCounts).or("False"),
            ],
            "The different elements, sorted; along ``axis`` the different slices.",
            doc!(
                r#"
As asked for, the positions where each was found first, which of them stands at every place (in the shape of ``x``), and how
often each occurs follow. All NaN are one element; slices with NaN differ from all others.

>>> import numpy as np, takewise
>>> takewise.unique(np.array([3, 1, 3]), return_index=True, return_counts=True)
(array([1, 3]), array([1, 0]), array([1, 2]))
>>> takewise.unique(np.array([[1, 2], [0, 5], [1, 2]]), axis=0)
array([[0, 5],
       [1, 2]])
"#
            ),
            unique,
        ),
        0,
    ),
    theirs(
        of(
            "isin",
            ISIN,
            &[X, Parameter::new("values", Role::Among)],
            &[Parameter::new("invert", Role::Invert).or("False")],
            "Which elements are among ``values``: a mask of the shape of ``x``; with ``invert=True`` those that are not.",
            doc!(
                r#"
``values`` may have any shape. NaN is among nothing.

>>> import numpy as np, takewise
>>> takewise.isin(np.array([3, 1, 2]), [2, 3])
array([ True, False,  True])
"#
            ),
            isin,
        ),
        32,
    ),
    theirs(
        of(
            "bincount",
            BINCOUNT,
            &[
                X,
                Parameter::new("weights", Role::Weights).or("None"),
                Parameter::new("minlength", Role::AtLeast).or("0"),
            ],
            &[],
            "How often each number from 0 to the largest occurs in a vector, or with ``weights`` the sum of its weights.",
            doc!(
                r#"
The result has at least ``minlength`` elements: int64, or float64 with weights. Negative numbers are refused. ``scatter_add``
counts along any axis.

>>> import numpy as np, takewise
>>> takewise.bincount(np.array([0, 2, 2]), minlength=4)
array([1, 0, 2, 0])
>>> takewise.bincount(np.array([0, 2, 2]), [0.5, 1.0, 1.0])
array([0.5, 0. , 2. ])
"#
            ),
            bincount,
        ),
        0,
    ),
];
