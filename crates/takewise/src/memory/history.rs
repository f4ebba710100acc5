//! How the elements of a storage came about, as far as memory and tensors have to know: which bytes it is about, and the
//! latest state. What was recorded of it is known to whoever recorded it.

use crate::dtype::DType;
use crate::fork::Lock;
use std::any::Any;
use std::sync::Arc;

/// The state of a storage after one operation, or a leaf.
pub(crate) trait State: Any + Send + Sync {
    /// Later states have greater numbers.
    fn number(&self) -> u64;

    /// The dtype of the elements.
    fn dtype(&self) -> DType;

    /// Whether gradients are collected here.
    fn is_leaf(&self) -> bool;
}

/// The bytes of a storage that one history is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Space {
    pub(crate) low: usize,
    pub(crate) len: usize,
}

/// What became of one storage, as far as gradients are concerned.
pub(crate) struct History {
    pub(crate) space: Space,
    latest: Lock<Option<Arc<dyn State>>>,
}

impl History {
    pub(crate) fn new(space: Space, latest: Option<Arc<dyn State>>) -> History {
        History { space, latest: Lock::new(latest) }
    }

    pub(crate) fn state(&self) -> Option<Arc<dyn State>> {
        self.latest.copy()
    }

    pub(crate) fn append(&self, state: Arc<dyn State>) {
        let _before = self.latest.lock().replace(state);
    }
}
