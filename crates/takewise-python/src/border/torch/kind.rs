//! Tensors of PyTorch's without memory of their own that could be lent, each by its name.

use pyo3::prelude::*;

use crate::error::refuse;
use crate::known::intern;

/// What a tensor is that lends no memory, and what can be done about it; `None` for one like any other.
pub(super) fn name(object: &Bound<'_, PyAny>) -> Option<String> {
    let py = object.py();
    let flag = |name: &str| object.getattr(name).and_then(|it| it.is_truthy()).unwrap_or(false);
    let text = |name: &str| object.getattr(name).and_then(|it| Ok(it.str()?.to_string())).unwrap_or_default();
    // Tensors that functions of torch.func see tell of themselves what those that they stand for would tell.
    if let Some(found) = wrapped(py, object) {
        return Some(found.into());
    }
    if flag("is_nested") {
        return Some(
            "a nested tensor, whose parts differ in shape: use x.unbind(), or torch.nested.to_padded_tensor".into(),
        );
    }
    if flag("is_quantized") {
        return Some("a quantized tensor: use x.dequantize() or x.int_repr() first".into());
    }
    if flag("is_meta") {
        return Some("a meta tensor, which has a shape but no values".into());
    }
    let layout = text("layout");
    if !matches!(&*layout, "" | "torch.strided") {
        return Some(format!("a tensor of layout {layout}, not torch.strided: use x.to_dense() first"));
    }
    let device = text("device");
    if !device.is_empty() && !device.starts_with("cpu") && !device.starts_with("cuda") {
        return Some(format!("a tensor on device {device}, not in main memory: use x.cpu() first"));
    }
    None
}

/// A tensor that stands for another within `torch.func` or `torch.vmap`.
fn wrapped(py: Python<'_>, object: &Bound<'_, PyAny>) -> Option<&'static str> {
    let inside = super::super::loaded(py, intern!(py, "torch"))?.getattr(intern!(py, "_C")).ok()?;
    let inside = inside.getattr(intern!(py, "_functorch")).ok()?;
    let is = |name: &str| inside.call_method1(name, (object,)).and_then(|it| it.is_truthy()).unwrap_or(false);
    if !is("is_functorch_wrapped_tensor") {
        return None;
    }
    Some(if is("is_batchedtensor") {
        "a tensor within torch.vmap, which stands for a batch of others: call takewise outside of it"
    } else {
        "a tensor within torch.func, which stands for another: call takewise outside of it"
    })
}

/// The error for a tensor that lends no memory: what it is, else what PyTorch says in its first line.
pub(super) fn refused(object: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let py = object.py();
    if let Some(name) = name(object) {
        return refuse(py, "RuntimeError", &format!("takewise cannot read {name}"));
    }
    let said = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
    // Below it are addresses and names of C++.
    let said = said.lines().next().unwrap_or("no reason given").to_owned();
    let dtype =
        object.getattr(intern!(py, "dtype")).and_then(|it| it.str()).map_or_else(|_| String::new(), |t| t.to_string());
    refuse(py, "RuntimeError", &format!("PyTorch lends no memory of this tensor ({dtype}): {said}"))
}
