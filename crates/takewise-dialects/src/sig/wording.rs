//! What libraries say of arguments that fit no signature.

/// How one library words argument errors, and which names it takes for a parameter.
pub struct Wording {
    /// Keywords it takes for parameters of another name, beside those that all take.
    pub(super) spellings: &'static [(&'static str, &'static str)],
    /// Whether overloads without a keyword that was given are among those it may have meant.
    pub(super) any_keywords: bool,
    /// Whether too few arguments of an only overload are answered by that overload.
    pub(super) lone_overload: bool,
    /// Whether every required parameter from the first missing one on is listed.
    pub(super) lists_all: bool,
    /// Whether the receiver of a method is counted.
    pub(super) counts_receiver: bool,
    /// Whether arrays do not pass for integers.
    pub(super) plain_integers: bool,
    /// Whether NumPy's spellings of the common parameters are taken for those of other names.
    pub(super) common: bool,
    /// What ends a sentence.
    pub(super) stop: &'static str,
    /// `gather` without these parameters.
    pub(super) missing: fn(&str, &[&str]) -> String,
    /// Arguments that no overload takes.
    pub(super) unfit: Unfit,
}

/// What is said of arguments that no overload takes.
#[derive(Clone, Copy)]
pub(super) enum Unfit {
    /// Their types, and every overload.
    Overloads,
    /// The call that failed.
    Failed,
}

impl Wording {
    /// `gather(): argument 'dim' (position 2) must be int, not float`.
    pub const TORCH: Wording = Wording {
        spellings: &[],
        any_keywords: true,
        lone_overload: true,
        lists_all: true,
        counts_receiver: false,
        plain_integers: false,
        common: true,
        stop: "",
        missing: |name, missing| {
            let names = missing.iter().map(|m| format!("\"{m}\"")).collect::<Vec<_>>().join(", ");
            let plural = if missing.len() == 1 { "s" } else { "" }; // sic: the plural is the wrong way round there
            format!("{name}() missing {} required positional argument{plural}: {names}", missing.len())
        },
        unfit: Unfit::Overloads,
    };
    /// `take() missing 1 required positional argument: 'indices'`.
    pub const PYTHON: Wording = Wording {
        spellings: &[("input", "arr"), ("sorted_sequence", "a"), ("indices", "ind"), ("values", "v"), ("other", "y")],
        any_keywords: false,
        counts_receiver: true,
        lists_all: false,
        missing: missing_in_python,
        ..Wording::TORCH
    };
    /// takewise's own functions: Python's texts, and every parameter under its one name.
    pub const OWN: Wording = Wording { spellings: &[], common: false, ..Wording::PYTHON };
    /// `Failed calling gather with "gather(int)".`
    pub const MINDSPORE: Wording = Wording {
        any_keywords: false,
        lone_overload: false,
        lists_all: false,
        plain_integers: true,
        stop: ".",
        missing: missing_in_python,
        unfit: Unfit::Failed,
        ..Wording::TORCH
    };
}

fn missing_in_python(name: &str, missing: &[&str]) -> String {
    let quoted: Vec<String> = missing.iter().map(|m| format!("'{m}'")).collect();
    let names = match &quoted[..] {
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [head @ .., last] => format!("{}, and {last}", head.join(", ")),
        [] => String::new(),
    };
    let plural = if missing.len() == 1 { "" } else { "s" };
    format!("{name}() missing {} required positional argument{plural}: {names}", missing.len())
}
