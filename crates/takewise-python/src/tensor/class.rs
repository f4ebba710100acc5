//! The classes themselves: what they hold, and how they are made and read.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use takewise::Tensor;
use takewise_dialects::facts::TensorClass;
use takewise_dialects::{Array, Face};

/// An N-d array in shared storage, with PyTorch's methods.
///
/// ``Tensor(data, dtype=None)`` copies numbers, nested lists or an array of any library; ``as_tensor`` shares the
/// memory of arrays instead. Slices and other views share memory with the tensor they come from: writes through one
/// show in the others.
///
/// >>> import takewise
/// >>> x = takewise.Tensor([[1, 2, 3], [4, 5, 6]])
/// >>> x[:, 0] = 7
/// >>> x
/// tensor([[7, 2, 3],
///         [7, 5, 6]])
/// >>> x[x > 5]
/// tensor([7, 7, 6])
#[pyclass(frozen, subclass, weakref, name = "Tensor", module = "takewise")]
pub(crate) struct PyTensor {
    pub(super) tensor: Mutex<Tensor>,
    pub(super) face: &'static Face,
    pub(super) scalar: bool,
}

/// A tensor with PyTorch's rules, errors and printing.
#[pyclass(frozen, subclass, extends = PyTensor, name = "Tensor", module = "takewise.torch")]
pub(crate) struct TorchTensor;

/// A tensor with MindSpore's rules, errors and printing.
#[pyclass(frozen, subclass, extends = PyTensor, name = "Tensor", module = "takewise.mindspore")]
pub(crate) struct MindSporeTensor;

impl PyTensor {
    /// A tensor of no library in particular, as an object.
    pub(crate) fn plain(py: Python<'_>, tensor: Tensor) -> PyResult<Bound<'_, PyAny>> {
        PyTensor::wrap(py, tensor, &takewise_dialects::NEUTRAL, false)
    }

    /// The array as an object of its library's class.
    pub(crate) fn wrap<'py>(
        py: Python<'py>,
        tensor: Tensor,
        face: &'static Face,
        scalar: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = PyTensor { tensor: Mutex::new(tensor.settled()), face, scalar };
        Ok(match face.facts.objects.class {
            TensorClass::Plain => Bound::new(py, base)?.into_any(),
            TensorClass::Torch => Bound::new(py, PyClassInitializer::from(base).add_subclass(TorchTensor))?.into_any(),
            TensorClass::MindSpore => {
                Bound::new(py, PyClassInitializer::from(base).add_subclass(MindSporeTensor))?.into_any()
            }
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Tensor> {
        self.tensor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine's tensor, sharing the memory.
    pub(crate) fn tensor(&self) -> Tensor {
        self.lock().clone()
    }

    /// The tensor together with its library.
    pub(crate) fn array(&self) -> Array {
        Array::new(self.tensor(), self.face).as_scalar(self.scalar)
    }

    /// Whether it is what its library calls a tensor.
    pub(crate) fn is_tensor(&self) -> bool {
        !self.scalar && self.face.facts.tensors
    }

    /// Takes over the data a call gave the array.
    pub(crate) fn settle(&self, now: &Tensor) {
        // Few calls give it any.
        if !now.is_identical(&self.lock()) {
            // What was there is dropped when the lock is free again: that may run code that asks for it.
            let _before = std::mem::replace(&mut *self.lock(), now.clone().settled());
        }
    }
}
