//! A kernel that PyTorch's dispatcher calls without Python: the engine answers, or the call goes on to the kernel in Python,
//! which does everything that is out of the ordinary, errors included.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::internal::Once;
use takewise_dialects::sig::Plain;

use super::give::given_back;
use super::stack::{Given, Parameter};
use super::symbols::{Api, Entry, Handle, Objects, Throw, Word};
use crate::closing::Inside;
use crate::error::refuse;
use crate::library::{Kernel, stretched};
use crate::watched;

const NO_MEMORY: &str = "there is no memory for the result";
const FAULT: &str = "takewise failed inside: this is a fault of its own, please report it";

/// As many operators as there may be.
const COUNT: usize = 80;

/// The operators by their numbers, once they are known. They stay.
static OPERATORS: [Once<Operator>; COUNT] = [const { Once::new() }; COUNT];

/// The functions of the PyTorch that is loaded.
pub(super) static LOADED: Once<Loaded> = Once::new();

pub(super) struct Loaded {
    pub(super) api: Api,
    pub(super) throw: Throw,
}

/// An operator with a kernel here.
struct Operator {
    parameters: Vec<Parameter>,
    /// That in Python, which counts the calls too.
    kernel: Py<Kernel>,
}

/// What became of a call.
enum Outcome {
    Done(Handle),
    /// The result is this argument.
    Itself(Handle),
    /// It is for the kernel in Python; nothing was written.
    Other,
    /// It was run, and its result cannot be handed over.
    Lost(&'static str),
}

impl Outcome {
    /// Of a call that was run.
    #[inline]
    fn of(result: Option<Handle>) -> Outcome {
        result.map_or(Outcome::Lost(NO_MEMORY), Outcome::Done)
    }
}

/// The interpreter's lock, until dropped. PyO3 takes it for held where a call of its own is under way, but PyTorch lets go of
/// it below that.
struct Locked(Option<ffi::PyGILState_STATE>);

impl Locked {
    fn take() -> Locked {
        // SAFETY: may be asked at any time.
        let lives = unsafe { ffi::Py_IsInitialized() } != 0;
        // SAFETY: the interpreter lives; given back when this is dropped, on this thread.
        Locked(lives.then(|| unsafe { ffi::PyGILState_Ensure() }))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            // SAFETY: what was taken, given back once.
            unsafe { ffi::PyGILState_Release(before) };
        }
    }
}

/// Gives an operator its number; `false` if there is none left.
pub(super) fn number(number: usize, parameters: Vec<Parameter>, kernel: Py<Kernel>) -> bool {
    let Some(place) = OPERATORS.get(number) else { return false };
    place.keep(Operator { parameters, kernel });
    true
}

/// The kernel of an operator with a number.
pub(super) fn entry(number: usize) -> Option<Entry> {
    macro_rules! entries {
        ($($tens:literal)*) => { [$(
            entered::<{ $tens * 10 }>, entered::<{ $tens * 10 + 1 }>, entered::<{ $tens * 10 + 2 }>,
            entered::<{ $tens * 10 + 3 }>, entered::<{ $tens * 10 + 4 }>, entered::<{ $tens * 10 + 5 }>,
            entered::<{ $tens * 10 + 6 }>, entered::<{ $tens * 10 + 7 }>, entered::<{ $tens * 10 + 8 }>,
            entered::<{ $tens * 10 + 9 }>,
        )*] };
    }
    const ENTRIES: [Entry; COUNT] = entries!(0 1 2 3 4 5 6 7);
    OPERATORS.get(number)?.get()?;
    ENTRIES.get(number).copied()
}

/// The kernel of operator `N`. The interface passes nothing along that tells operators apart, so each has its own.
///
/// # Safety
/// Called by PyTorch alone, for the operator of that number, with as many arguments as its schema has; they are ours then.
unsafe extern "C-unwind" fn entered<const N: usize>(stack: *mut Word, given: u64, _: u64) {
    let (Some(loaded), Some(operator)) = (LOADED.get(), OPERATORS[N].get()) else { return };
    // SAFETY: as many arguments as are said.
    let words = unsafe { std::slice::from_raw_parts(stack, (given as usize).min(operator.parameters.len())) };
    // SAFETY: the parameters are those of the schema, and the arguments ours.
    let arguments = unsafe { Given::new(&loaded.api, &operator.parameters, words) };
    let result = operator.answer(loaded, &arguments);
    drop(arguments);
    // SAFETY: there is room for the result, of which each of these operators has one.
    unsafe { *stack = result as Word };
}

impl Operator {
    /// The answer to a call, a new owner of a tensor. It is the engine's, or that of the kernel in Python, whose errors are
    /// thrown.
    fn answer(&self, loaded: &Loaded, given: &Given<'_>) -> Handle {
        let _inside = Inside::enter_detached();
        let shared = |argument| {
            // SAFETY: a live tensor; another owner of it is made.
            unsafe { loaded.api.shared(argument) }.unwrap_or_else(|| loaded.fail(NO_MEMORY))
        };
        match catch_unwind(AssertUnwindSafe(|| self.run(&loaded.api, given))) {
            Ok(Outcome::Done(result)) => result,
            Ok(Outcome::Itself(argument)) => shared(argument),
            Ok(Outcome::Other) => self.hand_on(loaded, given),
            Ok(Outcome::Lost(why)) => loaded.fail(why),
            Err(_) => loaded.fail(FAULT),
        }
    }

    /// The engine's answer, without Python.
    #[inline]
    fn run(&self, api: &Api, given: &Given<'_>) -> Outcome {
        let kernel = self.kernel.get();
        // Who watches a call sees it through the kernel in Python.
        if watched::any() {
            return Outcome::Other;
        }
        if let Some((plain, in_place)) = kernel.plain()
            && given.are_plain(plain.count())
        {
            return Operator::run_plain(api, given, kernel, plain, in_place).unwrap_or(Outcome::Other);
        }
        let Some(opened) = given.open(kernel.is_method()) else { return Outcome::Other };
        let out = opened.named("out").map(|out| (out.clone(), out.shape()));
        let (arrays, receiver, arguments) = opened.parts();
        let Some(result) = kernel.serve(arrays.first(), receiver, arguments) else { return Outcome::Other };
        if out.is_some_and(|(out, before)| out.shape() != before) {
            return Outcome::Other;
        }
        kernel.served();
        match arrays.handle_of(&result) {
            Some(argument) => Outcome::Itself(argument),
            None => Outcome::of(given_back(api, result.into_tensor())),
        }
    }

    /// The answer to a call of nothing but tensors and an axis; `None` where there is something out of the ordinary about it.
    #[inline]
    fn run_plain(api: &Api, given: &Given<'_>, kernel: &Kernel, plain: Plain, in_place: bool) -> Option<Outcome> {
        let (rules, along) = (kernel.rules(), plain.count() > 2);
        let (x, index) = (given.tensor(0)?, given.tensor(if along { 2 } else { 1 })?);
        // All that such calls are warned of is that a tensor is not contiguous.
        if kernel.warns() && !(x.is_contiguous() && index.is_contiguous()) {
            return None;
        }
        let axis = if along { given.axis(1)? } else { 0 };
        let made = match plain {
            Plain::Two(run) => run(&x, &index, rules).ok()?,
            Plain::Along(run) => run(&x, axis, &index, rules).ok()?,
            Plain::Write(run) => {
                let source = given.tensor(3)?;
                if !in_place {
                    let copy = Plain::copy(&x).ok()?;
                    run(&copy, axis, &index, &source, rules).ok()?;
                    copy
                } else if stretched(&x) {
                    return None;
                } else {
                    run(&x, axis, &index, &source, rules).ok()?;
                    kernel.served();
                    return Some(Outcome::Itself(given.handle(0)));
                }
            }
        };
        kernel.served();
        Some(Outcome::of(given_back(api, made)))
    }

    /// The answer of the kernel in Python. What it raises is thrown.
    #[cold]
    fn hand_on(&self, loaded: &Loaded, given: &Given<'_>) -> Handle {
        let _locked = Locked::take();
        let answer = Python::try_attach(|py| match self.ask(py, &loaded.api, given) {
            Ok(handle) => handle,
            Err(error) => loaded.throw(py, error),
        });
        answer.unwrap_or_else(|| loaded.fail("the interpreter has ended"))
    }

    fn ask(&self, py: Python<'_>, api: &Api, given: &Given<'_>) -> PyResult<Handle> {
        let (arguments, keywords) = given.python(py)?;
        let answer = self.kernel.bind(py).call(arguments, Some(&keywords))?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: an object, with the interpreter's lock held; the handle is ours.
        match unsafe { (api.from_python)(answer.as_ptr().cast::<c_void>(), &mut handle) } {
            0 => Ok(handle),
            _ => Err(refuse(py, "RuntimeError", "a kernel gave no tensor")),
        }
    }
}

impl Api {
    /// Another owner of a tensor.
    ///
    /// # Safety
    /// A live tensor.
    unsafe fn shared(&self, handle: Handle) -> Option<Handle> {
        let mut other = std::ptr::null_mut();
        // SAFETY: the caller's promise.
        (unsafe { (self.share)(handle, &mut other) } == 0).then_some(other)
    }
}

impl Loaded {
    /// Throws an error of Python's to PyTorch, which raises it again where the call came from.
    #[cold]
    fn throw(&self, py: Python<'_>, error: PyErr) -> ! {
        if let Ok(raise) = Bound::new(py, Raise(Mutex::new(Some(error.into_value(py))))) {
            let (first, none) = (raise.as_ptr(), PyTuple::empty(py));
            let objects = Objects { first: &raw const first, count: 1 };
            let text = c"takewise".as_ptr();
            // SAFETY: objects that live during the call, texts that end in zero, and the number of `__torch_dispatch__`. It
            // asks the object for its name or calls that method, either of which raises, and throws what was raised: what is
            // here and above is unwound.
            let answer = unsafe { (self.throw)(objects, none.as_ptr(), std::ptr::null_mut(), text, first, text, 1) };
            // SAFETY: a new reference, from somebody else's mode that answered in its place.
            unsafe { ffi::Py_XDECREF(answer) };
        }
        self.fail("takewise has refused a call, and PyTorch has lost the error")
    }

    /// Throws a RuntimeError of that text.
    #[cold]
    fn fail(&self, why: &str) -> ! {
        let text = std::ffi::CString::new(why).unwrap_or_default();
        // SAFETY: texts that end in zero. It throws: what is here and above is unwound.
        unsafe { (self.api.fail)(c"takewise".as_ptr(), c"takewise".as_ptr(), 0, text.as_ptr()) }
    }
}

/// An error, in the place of an operator and of an argument of it: it is raised by whatever PyTorch asks it first. It is given away
/// then: the frame that asked has this object, and the error has the frame.
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Raise(Mutex<Option<Py<pyo3::exceptions::PyBaseException>>>);

#[pymethods]
impl Raise {
    #[getter]
    fn __qualname__(&self, py: Python<'_>) -> PyResult<()> {
        Err(match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => PyErr::from_value(error.into_bound(py).into_any()),
            None => refuse(py, "RuntimeError", "the error of this call was raised before"),
        })
    }

    #[pyo3(signature = (*_arguments))]
    fn __torch_dispatch__(&self, py: Python<'_>, _arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.__qualname__(py)
    }
}
