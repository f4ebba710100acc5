//! Files for sessions: `np.load`, and tensors on mapped files that are cut short meanwhile.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use takewise::Tensor;
use takewise_dialects::{EvalError, Face, Files};
use takewise_files::{Loss, RawSpec, losses, open_one, stands_on};
use takewise_notation::Session;

/// The files this process has mapped, and what they had lost when that was last asked.
#[derive(Default)]
struct Stored {
    lost: RefCell<Vec<Loss>>,
}

impl Files for Stored {
    fn load(&self, path: &str) -> Result<Tensor, EvalError> {
        let tensor = open_one(Path::new(path), None, &RawSpec::default());
        tensor.map_err(|e| EvalError::new("FileError", e.to_string()))
    }

    fn lost(&self) -> Option<EvalError> {
        let lost = losses();
        let before = self.lost.replace(lost.clone());
        let news = lost.iter().find(|loss| !before.contains(loss))?;
        Some(EvalError::new("OSError", news.error()))
    }

    fn spoiled(&self, tensor: &Tensor) -> Option<EvalError> {
        let lost = self.lost.borrow();
        if lost.is_empty() {
            return None;
        }
        stands_on(tensor, &lost).map(|e| EvalError::new("OSError", e.to_string()))
    }
}

/// A session that can load files.
pub(crate) fn session(face: &'static Face) -> Session {
    Session::with_files(face, Rc::new(Stored::default()))
}
