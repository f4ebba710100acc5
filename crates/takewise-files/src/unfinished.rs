//! A temporary file that goes when a signal ends the program. One that is killed leaves its file to the next run.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

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

/// A temporary file whose name begins with `prefix`, from `make`. Others of that kind that nobody writes are removed: who writes
/// one holds its lock, and the system gives the lock of a dead process back.
pub(super) fn swept(
    folder: &Path,
    prefix: &str,
    make: impl Fn() -> std::io::Result<NamedTempFile>,
) -> std::io::Result<NamedTempFile> {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // Where it cannot be removed, it does no harm.
        if File::options().write(true).open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    for _ in 0..TRIES {
        let made = make()?;
        // Some file systems have no locks; there each run keeps to its own.
        let locked = made.as_file().try_lock().is_ok();
        // Another run may have taken it for one of a dead process before it was locked.
        if !locked || made.path().exists() {
            return Ok(made);
        }
    }
    make()
}

/// How often a temporary file is made again that another run removed.
const TRIES: usize = 5;

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
