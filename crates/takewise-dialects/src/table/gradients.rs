//! torch's names around gradients.

use crate::run::grad;
use crate::sig::Form::{Both, Function, Method};
use crate::sig::{Row, row};

/// Gradients, and the sparse arrays that come of them.
pub(super) const GRADIENTS: &[Row] = &[
    row(Method, "requires_grad_", "Tensor input, bool requires_grad=True", grad::requires_grad_).keeps(),
    row(
        Method,
        "backward",
        "Tensor input, Any gradient=None, Any retain_graph=None, bool create_graph=False, Any inputs=None",
        grad::backward,
    ),
    row(
        Function,
        "autograd.backward",
        "Any tensors, Any grad_tensors=None, Any retain_graph=None, bool create_graph=False, Any grad_variables=None, Any inputs=None",
        grad::backward,
    ),
    row(
        Function,
        "autograd.grad",
        "Any outputs, Any inputs, Any grad_outputs=None, Any retain_graph=None, bool create_graph=False, bool only_inputs=True, Any allow_unused=None, bool is_grads_batched=False, bool materialize_grads=False",
        grad::grad_of,
    ),
    row(Method, "retain_grad", "Tensor input", grad::retain_grad),
    row(Function, "is_grad_enabled", "", grad::is_grad_enabled),
    row(Function, "set_grad_enabled", "bool mode", grad::set_grad_enabled),
    row(Function, "no_grad", "", grad::no_grad),
    row(Function, "enable_grad", "", grad::enable_grad),
    row(Function, "inference_mode", "bool mode=True", grad::inference_mode),
    row(Both, "sum", "Tensor input, *, dtype dtype=None", grad::sum),
    row(
        Both,
        "sum",
        "Tensor input, ints dim=None, bool keepdim=False, *, dtype dtype=None, Tensor out=None",
        grad::sum,
    ),
    row(Both, "sum", "Tensor input, int dim, bool keepdim=False, *, dtype dtype=None, Tensor out=None", grad::sum),
    row(Method, "coalesce", "Any input", grad::coalesce),
    row(Method, "is_coalesced", "Any input", grad::is_coalesced),
    row(Method, "to_dense", "Any input", grad::to_dense),
    row(Method, "indices", "Any input", grad::indices),
    row(Method, "values", "Any input", grad::values),
    row(Method, "_indices", "Any input", grad::indices),
    row(Method, "_values", "Any input", grad::values),
    row(Method, "_nnz", "Any input", grad::nnz),
    row(
        Function,
        "nn.functional.embedding",
        "Tensor input, Tensor weight, int padding_idx=None, float max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False",
        grad::embedding,
    ),
];
