//! Outputs as pages show them: blanks lost or added, blank lines gone, prose right below.

use crate::transcript::{depth, is_traceback, unadvised};

/// Words that stand in the outputs of libraries.
const WORDS: [&str; 34] = [
    "True",
    "False",
    "None",
    "nan",
    "inf",
    "tensor",
    "array",
    "Tensor",
    "Array",
    "dtype",
    "torch",
    "np",
    "Size",
    "size",
    "device",
    "requires_grad",
    "grad_fn",
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "values",
    "indices",
];

/// A text without its blanks, but for one between two words or numbers.
pub(super) fn squeezed(lines: &[impl AsRef<str>]) -> String {
    let mut out = String::new();
    let mut blank = false;
    for c in lines.iter().flat_map(|line| line.as_ref().chars().chain(['\n'])) {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        let joins = |c: char| !"[](),:=".contains(c);
        if blank && joins(c) && out.ends_with(joins) {
            out.push(' ');
        }
        blank = false;
        out.push(c);
    }
    out
}

/// The `Class: text` line of an error, be it shown with its traceback or alone.
pub(super) fn raised(lines: &[impl AsRef<str>]) -> Option<&str> {
    let lines = || lines.iter().map(AsRef::as_ref);
    if lines().any(|line| is_traceback(line) || line.trim_end().ends_with("Traceback (most recent call last)")) {
        return lines().find(|line| is_error(line));
    }
    lines().next().filter(|line| is_error(line))
}

/// Whether a line is `Class: text` of an exception.
fn is_error(line: &str) -> bool {
    let class = line.split(':').next().unwrap_or_default();
    let plain = class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    plain && (class.ends_with("Error") || class.ends_with("Exception") || class == "KeyboardInterrupt")
}

/// How many of the lines show an output, with or without its blanks; the rest is something else.
pub(super) fn taken(lines: &[impl AsRef<str>], got: &[String]) -> Option<usize> {
    if got.is_empty() {
        return None;
    }
    let want = squeezed(got);
    if let Some(error) = raised(got) {
        let most =
            lines.iter().position(|line| squeezed(&[unadvised(line.as_ref())]) == squeezed(&[unadvised(error)]))?;
        return raised(&lines[..=most]).map(|_| most + 1);
    }
    // A broken line may stand on several, so more lines than there were may be needed, and never more text.
    let mut seen = String::new();
    for (at, line) in lines.iter().enumerate() {
        seen.push_str(line.as_ref());
        seen.push('\n');
        let have = squeezed(&[&seen]);
        if have == want {
            return Some(at + 1);
        }
        if have.len() > want.len() {
            break;
        }
    }
    None
}

/// Whether a line looks like an output of a library and not like prose.
pub(super) fn is_output(line: &str) -> bool {
    let line = line.trim();
    if is_traceback(line) || is_error(line) {
        return true;
    }
    let mut text = line.to_owned();
    for name in ["dtype=", "size=", "device=", "requires_grad=", "grad_fn=<", "Backward0>", "Backward>"] {
        text = text.replace(name, " ");
    }
    let string = |open: char| line.len() > 1 && line.starts_with(open) && line.ends_with(open);
    if string('\'') || string('"') {
        return true;
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let known = |word: &str| {
        let number = word.trim_end_matches(['e', 'j']);
        WORDS.contains(&word)
            || (!number.is_empty() && number.split('e').all(|w| w.chars().all(|c| c.is_ascii_digit())))
    };
    let holds = text.chars().any(|c| c.is_ascii_digit()) || text.contains('[') || WORDS[..5].contains(&line);
    holds
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "[](){}<>,.+-_'\" \t".contains(c))
        && words.into_iter().all(known)
}

/// The lines from the first on that close the brackets it opens.
pub(super) fn unit(lines: &[impl AsRef<str>]) -> usize {
    (1..=lines.len()).find(|&n| depth(&lines[..n]) <= 0).unwrap_or(lines.len())
}

/// Whether lines are the numbers beside the lines of a listing, which a browser copies below it.
pub(super) fn is_gutter(lines: &[impl AsRef<str>]) -> bool {
    let numbers = lines.iter().map(|line| line.as_ref().trim()).filter(|line| !line.is_empty());
    let mut counted = 0;
    numbers.zip(1..).all(|(line, k)| {
        counted = k;
        line == k.to_string()
    }) && counted > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn blanks_do_not_count() {
        let alike = |shown: &[&str], got: &str| taken(shown, &lines(got)) == Some(shown.len());
        assert!(alike(&["tensor([[2, 1],", "[6, 4]])"], "tensor([[2, 1],\n        [6, 4]])"));
        assert!(alike(&["[[-0.1 -0.1]", " [0.5   0.5]]"], "[[-0.1 -0.1]\n [ 0.5  0.5]]"));
        assert!(!alike(&["[1 2]"], "[12]") && !alike(&["tensor([1, 2])"], "tensor([1., 2.])"));
        let error = "Traceback (most recent call last):\nIndexError: no\n  facts";
        assert!(alike(&["IndexError:  no"], error) && !alike(&["IndexError: yes"], error) && !alike(&["no"], error));
    }

    #[test]
    fn prose_below_an_output_is_not_part_of_it() {
        let got = lines("[[1 2]\n [3 4]]");
        assert_eq!(taken(&["[[1 2]", " [3 4]]", "Tensor.gather(x) Tensor"], &got), Some(2));
        assert_eq!(taken(&["[[1", " 2]", "", "[3 4]]"], &got), Some(4));
        assert_eq!(taken(&["[[1 2]", " [3 5]]"], &got), None);
    }

    #[test]
    fn outputs_and_prose() {
        for line in [
            "tensor([[1, 2],",
            "[1.5e-3 2.]",
            "3",
            "torch.Size([2, 3])",
            "True",
            "array([1], dtype=int32)",
            "IndexError: x",
        ] {
            assert!(is_output(line), "{line}");
        }
        for line in [
            "1. 当dim为0的时候",
            "so [1, 2] is meant",
            "输出为:",
            "out[0][0]=input[0]=1",
            "dim",
            "10-5=5",
            "Example",
            "[i]",
        ] {
            assert!(!is_output(line), "{line}");
        }
        assert!(is_gutter(&["1", "2", "3"]) && !is_gutter(&["1"]) && !is_gutter(&["2", "3"]));
    }
}
