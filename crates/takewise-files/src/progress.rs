//! Word of reading and writing that lasts, for whoever wants to show it.

use takewise::internal::Once;

/// Work under way. It ends when this is dropped.
pub trait Progress {
    /// So many bytes more are done.
    fn advance(&self, bytes: u64);
}

/// Begins to show work: what it is, and how many bytes it takes.
pub type Show = fn(label: &'static str, total: u64) -> Box<dyn Progress>;

static SHOW: Once<Show> = Once::new();

/// Has all work of this process shown from now on. The first caller is the one who shows it.
pub fn show_progress(show: Show) {
    SHOW.get_or_make(|| show);
}

/// Work that is shown if somebody shows work.
pub(crate) struct Work(Option<Box<dyn Progress>>);

impl Work {
    /// Begins it.
    pub(crate) fn begin(label: &'static str, total: u64) -> Self {
        Self(SHOW.get().map(|show| show(label, total)))
    }

    /// So many bytes more are done.
    pub(crate) fn advance(&self, bytes: u64) {
        if let Some(shown) = &self.0 {
            shown.advance(bytes);
        }
    }
}
