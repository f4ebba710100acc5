//! Words of messages that differ from one door to another: the command has options, and Python has arguments.

use std::sync::OnceLock;

/// How messages call what the caller may give, for callers that are no Rust.
#[derive(Debug)]
pub struct Words {
    /// What to do where a file holds several tensors; their names follow.
    pub choose: &'static str,
    /// What to do where bytes have no header.
    pub raw: &'static str,
    /// What to do where they are text.
    pub text: &'static str,
    /// What takes the first line of a table of text for names.
    pub header: &'static str,
    /// What takes it for values.
    pub no_header: &'static str,
    /// What takes cells without a value for such.
    pub missing: &'static str,
}

static WORDS: OnceLock<&'static Words> = OnceLock::new();

/// Sets the words of messages; the first ones stay.
pub fn set_words(words: &'static Words) {
    let _ = WORDS.set(words);
}

/// The words in use.
pub(super) fn words() -> &'static Words {
    WORDS.get().copied().unwrap_or(&Words {
        choose: "choose one by its name",
        raw: "raw bytes are read with a dtype",
        text: "a TextTable reads text",
        header: "header: Some(true)",
        no_header: "header: Some(false)",
        missing: "missing: true",
    })
}
