//! Calls that are begun before their results are needed, on threads that wait for such calls.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use takewise::error::Fault;
use takewise::internal::Lock;
use takewise::{Error, Op, Result};

/// Calls that are under way at a time. Each has as many requests waiting for the disk as it takes.
const CALLS: usize = 8;

type Job = Box<dyn FnOnce() + Send>;

/// A call that is under way: [`FileArray::ahead`](super::FileArray::ahead) gives it at once, and [`Ahead::wait`] waits for its result.
///
/// It is a [`Future`] too. A call that has not begun when this is dropped is not made.
pub struct Ahead<R> {
    shared: Arc<Shared<R>>,
}

struct Shared<R> {
    state: Mutex<State<R>>,
    done: Condvar,
}

enum State<R> {
    /// Not begun, or not over, and who is to be told.
    UnderWay(Option<Waker>),
    /// Nobody wants the result any more.
    Dropped,
    Done(std::result::Result<Result<R>, Box<dyn Any + Send>>),
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_wanted(&self) -> bool {
        !matches!(*self.lock(), State::Dropped)
    }

    fn finish(&self, made: std::result::Result<Result<R>, Box<dyn Any + Send>>) {
        let mut state = self.lock();
        if let State::UnderWay(waker) = &mut *state {
            let waker = waker.take();
            *state = State::Done(made);
            drop(state);
            self.done.notify_all();
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

impl<R: Send + 'static> Ahead<R> {
    /// Begins a call. Where no thread can be started it is made here.
    pub(super) fn begin(call: impl FnOnce() -> Result<R> + Send + 'static) -> Ahead<R> {
        let shared = Arc::new(Shared { state: Mutex::new(State::UnderWay(None)), done: Condvar::new() });
        let theirs = Arc::clone(&shared);
        hand_over(Box::new(move || {
            if theirs.is_wanted() {
                theirs.finish(catch_unwind(AssertUnwindSafe(call)));
            }
        }));
        Ahead { shared }
    }

    /// Whether [`Ahead::wait`] does not wait.
    pub fn is_done(&self) -> bool {
        matches!(*self.shared.lock(), State::Done(_))
    }

    /// The result of the call, waited for if it is not over.
    ///
    /// # Errors
    /// The call's.
    ///
    /// # Panics
    /// If the call has.
    pub fn wait(self) -> Result<R> {
        let mut state = self.shared.lock();
        while matches!(*state, State::UnderWay(_)) {
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        taken(&mut state)
    }
}

/// The result of a call that is over.
fn taken<R>(state: &mut State<R>) -> Result<R> {
    match std::mem::replace(state, State::Dropped) {
        State::Done(Ok(result)) => result,
        State::Done(Err(panic)) => resume_unwind(panic),
        // A future that is asked again.
        _ => {
            Err(Error::plain(Fault::Storage { op: Op::Read, text: "the result of this read was taken before".into() }))
        }
    }
}

impl<R: Send + 'static> Future for Ahead<R> {
    type Output = Result<R>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<R>> {
        let mut state = self.shared.lock();
        if let State::UnderWay(waker) = &mut *state {
            *waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(taken(&mut state))
    }
}

impl<R> Drop for Ahead<R> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let State::UnderWay(_) = *state {
            *state = State::Dropped;
        }
    }
}

/// The threads of a process. They wait for calls as long as it lives.
struct Threads {
    process: u32,
    jobs: Sender<Job>,
    queue: Arc<Mutex<Receiver<Job>>>,
    started: usize,
    /// Calls that were handed over and are not over.
    open: Arc<AtomicUsize>,
}

impl Threads {
    fn new() -> Threads {
        let (jobs, queue) = channel();
        let (queue, open) = (Arc::new(Mutex::new(queue)), Arc::default());
        Threads { process: std::process::id(), jobs, queue, started: 0, open }
    }

    /// Hands a job to a thread that waits for one, or to a new one where all are busy and there may be more. Gives it back where
    /// there is no thread.
    fn hand_over(&mut self, job: Job) -> Option<Job> {
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        if self.started < open.min(CALLS) {
            let (queue, open) = (Arc::clone(&self.queue), Arc::clone(&self.open));
            let work = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = next else { return };
                    job();
                    open.fetch_sub(1, Ordering::Relaxed);
                }
            };
            self.started += usize::from(thread::Builder::new().name("takewise-ahead".into()).spawn(work).is_ok());
        }
        let left = if self.started > 0 { self.jobs.send(job).err().map(|unsent| unsent.0) } else { Some(job) };
        self.open.fetch_sub(usize::from(left.is_some()), Ordering::Relaxed);
        left
    }
}

static THREADS: Lock<Option<Threads>> = Lock::new(None);

fn hand_over(job: Job) {
    let left = {
        let mut threads = THREADS.lock();
        // A child that was forked has no threads. What those of the parent were doing is theirs.
        if threads.as_ref().is_none_or(|threads| threads.process != std::process::id()) {
            std::mem::forget(threads.replace(Threads::new()));
        }
        match threads.as_mut() {
            Some(threads) => threads.hand_over(job),
            None => Some(job),
        }
    };
    left.into_iter().for_each(|job| job());
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::task::Wake;

    use super::*;

    #[test]
    fn results_errors_and_panics_come_to_who_waits() {
        assert_eq!(Ahead::begin(|| Ok(5)).wait().unwrap(), 5);
        let failed = || Err::<(), _>(Error::plain(Fault::Storage { op: Op::Read, text: "no".into() }));
        assert!(Ahead::begin(failed).wait().unwrap_err().to_string().ends_with("no"));
        let panics: Ahead<()> = Ahead::begin(|| panic!("as it was told"));
        assert!(catch_unwind(AssertUnwindSafe(|| panics.wait())).is_err());
        assert_eq!(Ahead::begin(|| Ok(6)).wait().unwrap(), 6, "its thread lives on");
    }

    #[test]
    fn many_are_under_way_and_a_dropped_one_is_not_begun() {
        let (go, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let held = |k: usize| {
            let gate = Arc::clone(&gate);
            Ahead::begin(move || {
                gate.lock().unwrap().recv().unwrap();
                Ok(k)
            })
        };
        // Other tests may hold threads too: more than there are wait at a gate.
        let waiting: Vec<Ahead<usize>> = (0..CALLS).map(held).collect();
        assert!(waiting.iter().all(|call| !call.is_done()));
        let (told, begun) = sync_channel::<()>(1);
        drop(Ahead::begin(move || {
            told.send(()).unwrap();
            Ok(())
        }));
        (0..CALLS).for_each(|_| go.send(()).unwrap());
        let results: Vec<usize> = waiting.into_iter().map(|call| call.wait().unwrap()).collect();
        assert_eq!(results, (0..CALLS).collect::<Vec<_>>());
        // Its sender goes with it.
        assert!(begun.recv().is_err());
    }

    #[test]
    fn a_future_wakes_whoever_polled_it_last() {
        struct Told(Sender<()>);
        impl Wake for Told {
            fn wake(self: Arc<Self>) {
                self.0.send(()).unwrap();
            }
        }
        let (go, gate) = channel::<()>();
        let mut call = Ahead::begin(move || {
            gate.recv().unwrap();
            Ok(7)
        });
        let (told, woken) = channel();
        let waker = Waker::from(Arc::new(Told(told)));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut call).poll(&mut context).is_pending());
        go.send(()).unwrap();
        woken.recv().unwrap();
        assert!(matches!(Pin::new(&mut call).poll(&mut context), Poll::Ready(Ok(7))));
        assert!(matches!(Pin::new(&mut call).poll(&mut context), Poll::Ready(Err(_))));
    }
}
