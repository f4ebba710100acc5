//! What the calls of a session share.

use std::rc::Rc;
use std::sync::Arc;

use takewise::Tensor;
use takewise::internal::Lock;

use crate::error::EvalError;
use crate::random::Generator;

/// The files of one session. The libraries read none themselves.
pub trait Files {
    /// The only tensor of a file.
    ///
    /// # Errors
    /// Why there is none to be had.
    fn load(&self, path: &str) -> Result<Tensor, EvalError>;

    /// What files in use have lost since this was last asked, if anything: a part that was cut off, or could not be
    /// read.
    fn lost(&self) -> Option<EvalError> {
        None
    }

    /// Why a tensor cannot be used: it stands on what had been lost when [`Files::lost`] was last asked.
    fn spoiled(&self, _: &Tensor) -> Option<EvalError> {
        None
    }
}

/// What operations share within a session.
#[derive(Default)]
pub struct Context {
    /// The random generator `torch.manual_seed` seeds; several sessions may share one.
    pub generator: Arc<Lock<Generator>>,
    /// The files that can be loaded; without them none can.
    pub files: Option<Rc<dyn Files>>,
}

impl Context {
    /// The same with a generator of its own, in the state this one's has now: for a call whose random numbers shall not be
    /// missed later.
    #[must_use]
    pub fn apart(&self) -> Context {
        let state = self.generator.lock().clone();
        Context { generator: Arc::new(Lock::new(state)), files: self.files.clone() }
    }
}
