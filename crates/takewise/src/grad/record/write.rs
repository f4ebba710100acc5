//! Writes, into a copy or in place.

use super::{items, kept};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::exec::Reduce;
use crate::grad::{self, Of};
use crate::index::Index;
use crate::index::rules::Rules;
use crate::layout::Slice;
use crate::ops::sum_to;
use crate::tensor::Tensor;
use crate::tensor::tape::{self, Written};

/// `scatter` of a source, or of a number if `None`; `input` is [`before`] for a product.
pub fn scatter(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: Option<&Tensor>,
    reduce: Option<Reduce>,
    input: Option<&Tensor>,
    rules: &Rules,
) {
    let rules = *rules;
    match (reduce, source, input) {
        (Some(Reduce::Sum), _, _) => {
            scatter_add(to, axis, index, source, &rules);
        }
        (Some(how), Some(source), Some(input)) => scatter_reduce(to, axis, index, source, how, true, input, &rules),
        (Some(_), Some(_), None) => {}
        (Some(_), None, _) => undefined(to, "scatter of a number that does not add"),
        (None, _, _) => {
            let name = if source.is_some() { "ScatterBackward0" } else { "ScatterBackward1" };
            tape::write(
                to,
                name,
                source,
                &[index],
                move |g, s| grad::scatter(g, Of::Input, axis, s[0].clone(), &rules).map(Some),
                move |shape, g, s| grad::scatter(g, Of::Source(shape), axis, s[0].clone(), &rules),
            );
        }
    }
}

/// An operation whose gradient is not to be had: asking for it will fail, saying `what` it was.
pub fn undefined(to: Written, what: &'static str) {
    let refuse = move || tape::refused("backward", format!("derivative for {what} is not implemented"));
    tape::write(to, "NotImplemented", None, &[], move |_, _| Err(refuse()), move |_, _, _| Err(refuse()));
}

/// `scatter_add` of a source, or of a number if `None`.
pub fn scatter_add(to: Written, axis: i64, index: &Tensor, source: Option<&Tensor>, rules: &Rules) {
    let rules = *rules;
    tape::write(
        to,
        "ScatterAddBackward0",
        source,
        &[index],
        |_, _| Ok(None),
        move |shape, g, s| grad::scatter_add(g, Of::Source(shape), axis, s[0].clone(), &rules),
    );
}

/// The array as it was before a write in place that needs it for its gradient: a copy, or nothing where no gradient is
/// asked for. Call it before the write. Error: kind `Memory`.
pub fn before(to: &Tensor, source: &Tensor) -> Result<Option<Tensor>> {
    if !tape::tracked(&[to, source]) {
        return Ok(None);
    }
    Ok(Some(tape::no_grad(|| to.detach().clone_data())?))
}

/// `scatter_reduce`; `input` is the array before the write ([`before`] if that was in place).
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub fn scatter_reduce(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: &Tensor,
    how: Reduce,
    include_self: bool,
    input: &Tensor,
    rules: &Rules,
) {
    let rules = *rules;
    let both = move |g: crate::AnyView, s: &[crate::AnyView]| {
        grad::scatter_reduce(g, axis, s[0].clone(), s[1].clone(), s[2].clone(), how, include_self, &rules)
    };
    tape::write(
        to,
        "ScatterReduceBackward0",
        Some(source),
        &[index, input, source],
        move |g, s| Ok(Some(both(g, s)?.0)),
        move |_, g, s| Ok(both(g, s)?.1),
    );
}

/// `index_reduce`; `input` is the array before the write ([`before`] if that was in place).
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub fn index_reduce(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: &Tensor,
    how: Reduce,
    include_self: bool,
    input: &Tensor,
    rules: &Rules,
) {
    let rules = *rules;
    let both = move |g: crate::AnyView, s: &[crate::AnyView]| {
        grad::index_reduce(g, axis, s[0].clone(), s[1].clone(), s[2].clone(), how, include_self, &rules)
    };
    tape::write(
        to,
        "IndexReduceBackward0",
        Some(source),
        &[index, input, source],
        move |g, s| Ok(Some(both(g, s)?.0)),
        move |_, g, s| Ok(both(g, s)?.1),
    );
}

/// `index_add` with this `alpha`.
pub fn index_add(to: Written, axis: i64, index: &Tensor, source: &Tensor, alpha: Scalar, rules: &Rules) {
    let rules = *rules;
    tape::write(
        to,
        "IndexAddBackward0",
        Some(source),
        &[index],
        |_, _| Ok(None),
        move |shape, g, s| grad::index_add(g, Of::Source(shape), axis, s[0].clone(), alpha, &rules),
    );
}

/// `index_copy`.
pub fn index_copy(to: Written, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::write(
        to,
        "IndexCopyBackward0",
        Some(source),
        &[index],
        move |g, s| grad::index_copy(g, Of::Input, axis, s[0].clone(), &rules).map(Some),
        move |shape, g, s| grad::index_copy(g, Of::Source(shape), axis, s[0].clone(), &rules),
    );
}

/// `index_fill` with a 0-d array, or a number if `None`.
pub fn index_fill(to: Written, axis: i64, index: &Tensor, value: Option<&Tensor>, rules: &Rules) {
    let rules = *rules;
    let name = if value.is_some() { "IndexFillBackward1" } else { "IndexFillBackward0" };
    tape::write(
        to,
        name,
        value,
        &[index],
        move |g, s| grad::index_fill(g, Of::Input, axis, s[0].clone(), &rules).map(Some),
        move |shape, g, s| grad::index_fill(g, Of::Source(shape), axis, s[0].clone(), &rules),
    );
}

/// `put`, with `accumulate` or without.
pub fn put(to: Written, index: &Tensor, source: Option<&Tensor>, accumulate: bool, rules: &Rules) {
    let rules = *rules;
    tape::write(
        to,
        "PutBackward0",
        source,
        &[index],
        move |g, s| match accumulate {
            true => Ok(None),
            false => grad::put(g, Of::Input, s[0].clone(), false, &rules).map(Some),
        },
        move |shape, g, s| grad::put(g, Of::Source(shape), s[0].clone(), accumulate, &rules),
    );
}

/// A write through a subscript with arrays or masks: `x[items] = value`, `index_put`. Error: kind `Memory` (arrays that
/// no tensor holds are copied).
pub fn index_put(
    to: Written,
    name: &'static str,
    subscript: &[Index<'_>],
    value: Option<&Tensor>,
    accumulate: bool,
    rules: &Rules,
) -> Result<()> {
    let (Written::InPlace(of) | Written::Copy { of, .. }) = to;
    if !tape::tracked(&[of]) && !value.is_some_and(|v| tape::tracked(&[v])) {
        return Ok(());
    }
    let rules = *rules;
    let (list, arrays) = kept(subscript)?;
    let list = std::sync::Arc::new(list);
    let own = list.clone();
    tape::write(
        to,
        name,
        value,
        &arrays.iter().collect::<Vec<_>>(),
        move |g, s| match accumulate {
            true => Ok(None),
            false => grad::index_put(g, Of::Input, &items(&own, s), false, &rules).map(Some),
        },
        move |shape, g, s| grad::index_put(g, Of::Source(shape), &items(&list, s), accumulate, &rules),
    );
    Ok(())
}

/// A view `part` filled with a value that was cast and broadcast to it.
pub fn set_view(part: &Tensor, name: &'static str, value: Option<&Tensor>) {
    fill(Written::InPlace(part), name, value);
}

/// Everything replaced by a value that was cast and broadcast to it: `fill_`, `zero_`, `copy_`, `x[...] = value`.
pub fn fill(to: Written, name: &'static str, value: Option<&Tensor>) {
    tape::write(
        to,
        name,
        value,
        &[],
        |g, _| Tensor::zeroed(g.shape(), g.dtype()).map(Some),
        |shape, g, _| sum_to(crate::ops::copied(&g, |_| Ok(()))?, shape),
    );
}

/// `masked_fill` with a 0-d array, or a number if `None`.
pub fn masked_fill(to: Written, mask: &Tensor, value: Option<&Tensor>, rules: &Rules) {
    let rules = *rules;
    let name = if value.is_some() { "MaskedFillBackward1" } else { "MaskedFillBackward0" };
    tape::write(
        to,
        name,
        value,
        &[mask],
        move |g, s| grad::masked_fill(g, Of::Input, s[0].clone(), &rules).map(Some),
        move |shape, g, s| grad::masked_fill(g, Of::Source(shape), s[0].clone(), &rules),
    );
}

/// `masked_scatter`.
pub fn masked_scatter(to: Written, mask: &Tensor, source: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::write(
        to,
        "MaskedScatterBackward0",
        Some(source),
        &[mask],
        move |g, s| grad::masked_scatter(g, Of::Input, s[0].clone(), &rules).map(Some),
        move |shape, g, s| grad::masked_scatter(g, Of::Source(shape), s[0].clone(), &rules),
    );
}

/// `tensor_scatter` and `scatter_nd_` of a source, or of a number if `None`; `input` is the array before the write
/// ([`before`] if that was in place) for reductions other than sums.
pub fn tensor_scatter(
    to: Written,
    index: &Tensor,
    source: Option<&Tensor>,
    reduce: Option<Reduce>,
    input: Option<&Tensor>,
    rules: &Rules,
) {
    let (name, rules) = ("TensorScatterBackward0", *rules);
    match (reduce, source, input) {
        (None | Some(Reduce::Sum), _, _) => {
            let sums = reduce.is_some();
            tape::write(
                to,
                name,
                source,
                &[index],
                move |g, s| match sums {
                    true => Ok(None),
                    false => grad::tensor_scatter(g, Of::Input, s[0].clone(), false, &rules).map(Some),
                },
                move |shape, g, s| grad::tensor_scatter(g, Of::Source(shape), s[0].clone(), sums, &rules),
            );
        }
        (Some(how), Some(source), Some(input)) => {
            let both = move |g: crate::AnyView, s: &[crate::AnyView]| {
                grad::tensor_scatter_reduce(g, s[0].clone(), s[1].clone(), s[2].clone(), how, &rules)
            };
            tape::write(
                to,
                name,
                Some(source),
                &[index, input, source],
                move |g, s| Ok(Some(both(g, s)?.0)),
                move |_, g, s| Ok(both(g, s)?.1),
            );
        }
        (Some(_), Some(_), None) => {}
        (Some(_), None, _) => undefined(to, "tensor_scatter of a number that does not add"),
    }
}

/// `put_along_` along an axis.
pub fn put_along(to: Written, axis: i64, index: &Tensor, source: Option<&Tensor>, rules: &Rules) {
    let rules = *rules;
    tape::write(
        to,
        "PutAlongBackward0",
        source,
        &[index],
        move |g, s| grad::put_along(g, Of::Input, axis, s[0].clone(), &rules).map(Some),
        move |shape, g, s| grad::put_along(g, Of::Source(shape), axis, s[0].clone(), &rules),
    );
}

/// `select_scatter`.
pub fn select_scatter(out: &Tensor, input: &Tensor, source: &Tensor, axis: i64, index: i64, rules: &Rules) {
    let rules = *rules;
    tape::write(
        Written::Copy { out, of: input },
        "SelectScatterBackward0",
        Some(source),
        &[],
        move |g, _| grad::select_scatter(g, Of::Input, axis, index, &rules).map(Some),
        move |shape, g, _| grad::select_scatter(g, Of::Source(shape), axis, index, &rules),
    );
}

/// `slice_scatter`.
pub fn slice_scatter(out: &Tensor, input: &Tensor, source: &Tensor, axis: i64, slice: Slice, rules: &Rules) {
    let rules = *rules;
    tape::write(
        Written::Copy { out, of: input },
        "SliceScatterBackward0",
        Some(source),
        &[],
        move |g, _| grad::slice_scatter(g, Of::Input, axis, slice, &rules).map(Some),
        move |shape, g, _| grad::slice_scatter(g, Of::Source(shape), axis, slice, &rules),
    );
}

/// `diagonal_scatter` with this offset along two axes.
pub fn diagonal_scatter(out: &Tensor, input: &Tensor, source: &Tensor, diagonal: (i64, i64, i64), rules: &Rules) {
    let (rules, (offset, a, b)) = (*rules, diagonal);
    tape::write(
        Written::Copy { out, of: input },
        "DiagonalScatterBackward0",
        Some(source),
        &[],
        move |g, _| grad::diagonal_scatter(g, Of::Input, offset, a, b, &rules).map(Some),
        move |shape, g, _| grad::diagonal_scatter(g, Of::Source(shape), offset, a, b, &rules),
    );
}
