//! torch's names for folds along axes, and for what indices are made of.

use crate::run::{bounds, fold, join, unique};
use crate::sig::Form::{Both, Function, InPlace, Method};
use crate::sig::{Row, row};

/// Extremes, their positions, means and running sums; values and their counts; arrays joined, repeated and held between bounds.
pub(super) const FOLDS: &[Row] = &[
    row(Both, "max", "Tensor input, *, Tensor out=None", fold::max_of_all),
    row(Both, "max", "Tensor input, Tensor other, *, Tensor out=None", fold::greater),
    row(Both, "max", "Tensor input, int dim, bool keepdim=False, *, Tensors out=None", fold::max_along),
    row(Both, "min", "Tensor input, *, Tensor out=None", fold::min_of_all),
    row(Both, "min", "Tensor input, Tensor other, *, Tensor out=None", fold::lesser),
    row(Both, "min", "Tensor input, int dim, bool keepdim=False, *, Tensors out=None", fold::min_along),
    row(Both, "amax", "Tensor input, ints dim=None, bool keepdim=False, *, Tensor out=None", fold::amax),
    row(Both, "amax", "Tensor input, int dim, bool keepdim=False, *, Tensor out=None", fold::amax),
    row(Both, "amin", "Tensor input, ints dim=None, bool keepdim=False, *, Tensor out=None", fold::amin),
    row(Both, "amin", "Tensor input, int dim, bool keepdim=False, *, Tensor out=None", fold::amin),
    row(Both, "argmax", "Tensor input, int dim=None, bool keepdim=False, *, Tensor out=None", fold::argmax),
    row(Both, "argmin", "Tensor input, int dim=None, bool keepdim=False, *, Tensor out=None", fold::argmin),
    row(Both, "mean", "Tensor input, *, dtype dtype=None, Tensor out=None", fold::mean),
    row(
        Both,
        "mean",
        "Tensor input, ints dim=None, bool keepdim=False, *, dtype dtype=None, Tensor out=None",
        fold::mean,
    ),
    row(Both, "mean", "Tensor input, int dim, bool keepdim=False, *, dtype dtype=None, Tensor out=None", fold::mean),
    row(Both, "cumsum", "Tensor input, int dim, *, dtype dtype=None, Tensor out=None", fold::cumsum),
    row(
        Both,
        "topk",
        "Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True, *, Tensors out=None",
        unique::topk,
    ),
    row(
        Both,
        "unique",
        "Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False, int dim=None",
        unique::unique,
    ),
    row(Both, "bincount", "Tensor input, Tensor weights=None, int minlength=0", unique::bincount),
    row(Function, "cat", JOIN, join::cat),
    row(Function, "concat", JOIN, join::cat),
    row(Function, "concatenate", JOIN, join::cat),
    row(Function, "stack", JOIN, join::stack),
    row(Method, "repeat", "Tensor input, ints repeats", join::repeat),
    row(Both, "tile", "Tensor input, ints dims", join::tile),
    row(Function, "repeat_interleave", "Tensor repeats, *, int output_size=None", join::repeat_positions),
    row(
        Both,
        "repeat_interleave",
        "Tensor input, Tensor repeats, int dim=None, *, int output_size=None",
        join::repeat_interleave,
    ),
    row(
        Both,
        "repeat_interleave",
        "Tensor input, int repeats, int dim=None, *, int output_size=None",
        join::repeat_interleave,
    ),
    row(Both, "clamp", HELD_BY_TENSORS, bounds::clamp),
    row(Both, "clamp", HELD, bounds::clamp),
    row(InPlace, "clamp", "Tensor input, Number min=None, Number max=None", bounds::clamp),
    row(Both, "clip", HELD_BY_TENSORS, bounds::clamp),
    row(Both, "clip", HELD, bounds::clamp),
    row(InPlace, "clip", "Tensor input, Number min=None, Number max=None", bounds::clamp),
];

/// Parameters of what joins tensors, and of what holds them between bounds.
const JOIN: &str = "Tensors tensors, int dim=0, *, Tensor out=None";
const HELD: &str = "Tensor input, Number min=None, Number max=None, *, Tensor out=None";
const HELD_BY_TENSORS: &str = "Tensor input, Tensor min=None, Tensor max=None, *, Tensor out=None";
