//! A temporary file that goes when a signal ends the program.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file being written, while it is.
static FILE: Mutex<Option<PathBuf>> = Mutex::new(None);

fn file() -> MutexGuard<'static, Option<PathBuf>> {
    FILE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives, a signal that ends the program removes the file first.
pub(super) struct Unfinished;

impl Unfinished {
    /// Watches for signals, from now on and for the rest of the program.
    pub(super) fn watch() -> Self {
        #[cfg(unix)]
        unix::watch();
        Self
    }

    /// Says which file it is.
    pub(super) fn is_at(&mut self, path: &Path) {
        *file() = Some(path.to_owned());
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        *file() = None;
    }
}

#[cfg(unix)]
mod unix {
    use std::sync::Once;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    pub(super) fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // What the caller had the program ignore (`nohup`, a job in the background) stays ignored.
            let ends = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|s| !crate::fault::is_ignored(*s));
            let Ok(mut signals) = Signals::new(ends) else { return };
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    if let Some(path) = super::file().take() {
                        let _ = std::fs::remove_file(path);
                    }
                    let _ = emulate_default_handler(signal);
                }
            });
        });
    }
}
