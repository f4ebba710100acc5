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

/// A text without its blanks, but for one between two words or numbers; it may be given line by line.
#[derive(Default)]
struct Squeezed {
    text: String,
    blank: bool,
}

impl Squeezed {
    fn push(&mut self, line: &str) {
        let joins = |c: char| !"[](),:=".contains(c);
        for c in line.chars() {
            if c.is_whitespace() {
                self.blank = true;
                continue;
            }
            if std::mem::take(&mut self.blank) && joins(c) && self.text.ends_with(joins) {
                self.text.push(' ');
            }
            self.text.push(c);
        }
        self.blank = true;
    }
}

/// A text without its blanks, but for one between two words or numbers.
pub(super) fn squeezed(lines: &[impl AsRef<str>]) -> String {
    let mut out = Squeezed::default();
    lines.iter().for_each(|line| out.push(line.as_ref()));
    out.text
}

/// Lines that a traceback may have.
const TRACEBACK: usize = 200;

/// The `Class: text` line of an error, be it shown with its traceback or alone.
pub(super) fn raised(lines: &[impl AsRef<str>]) -> Option<&str> {
    let lines = || lines.iter().map(AsRef::as_ref);
    if lines().any(|line| is_traceback(line) || line.trim_end().ends_with("Traceback (most recent call last)")) {
        return lines().find(|line| is_error(line));
    }
    lines().next().filter(|line| is_error(line))
}

/// The same without the names of types around them, as a remark shows them: `[1, 2]` for `tensor([1, 2])`.
pub(super) fn bare(lines: &[impl AsRef<str>]) -> String {
    let mut text = squeezed(lines);
    for name in ["torch.Size", "tensor", "array", "Array", "Tensor"] {
        if let Some(inner) = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')')) {
            let data = inner.find(",dtype=").map_or(inner, |at| &inner[..at]);
            text = data.to_owned();
        }
    }
    match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => format!("[{}]", inner.trim_end_matches(',')),
        None => text,
    }
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
        let error = squeezed(&[unadvised(error)]);
        let lines = &lines[..lines.len().min(TRACEBACK)];
        let most = lines.iter().position(|line| squeezed(&[unadvised(line.as_ref())]) == error)?;
        return raised(&lines[..=most]).map(|_| most + 1);
    }
    // A broken line may stand on several, so more lines than there were may be needed, and never more text.
    let mut have = Squeezed::default();
    for (at, line) in lines.iter().enumerate() {
        let known = have.text.len();
        have.push(line.as_ref());
        if have.text == want {
            return Some(at + 1);
        }
        if want.get(known..have.text.len()) != have.text.get(known..) {
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

/// Words before an output, which a page may put on its line.
const INTRODUCE: [&str; 20] = [
    "outputs",
    "output",
    "out",
    "results",
    "result",
    "prints",
    "printed",
    "returns",
    "gives",
    "shows",
    "value",
    "expected",
    "输出结果",
    "输出",
    "运行结果",
    "结果",
    "返回",
    "打印",
    "得到",
    "值",
];

/// A line without what only says that an output follows: the mark of a comment, an arrow, `Output:`.
pub(super) fn unmarked(line: &str) -> &str {
    let mut text = line.trim();
    loop {
        let before = text;
        for mark in ["#", "=>", "->", "→", "⇒", "==>", "-->", ">>>"] {
            text = text.strip_prefix(mark).unwrap_or(text).trim_start();
        }
        let word = INTRODUCE.iter().find(|word| text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word)));
        if let Some(word) = word {
            let rest = text[word.len()..].trim_start_matches(['为', '是', '如', '下', ' ']);
            let after = rest.strip_prefix([':', '\u{ff1a}']).unwrap_or(rest);
            // A word that goes on is another word, and one alone may be a name.
            let verb = word.ends_with('s') && text[word.len()..].starts_with(' ');
            let alone = rest.is_empty() && text.starts_with(char::is_uppercase);
            if after.len() < rest.len() || !word.is_ascii() || verb || alone {
                text = after.trim_start();
            }
        }
        if text == before {
            return text;
        }
    }
}

/// Whether a line is an output beyond doubt: an array as a library shows it.
pub(super) fn is_array(line: &str) -> bool {
    let line = line.trim();
    let named = ["tensor(", "array(", "Array(", "Tensor(", "torch.Size(", "torch.return_types.", "[["];
    named.iter().any(|begin| line.starts_with(begin)) && is_output(line)
}

/// Whether a line may be a shape: integers in one pair of brackets.
pub(super) fn is_shape(line: &str) -> bool {
    let inner = line.trim().strip_prefix(['(', '[']).and_then(|rest| rest.strip_suffix([')', ']']));
    inner.is_some_and(|inner| inner.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ')))
}

/// The lines that comments hold from the first on, if they show an output: the output, and how many comments it takes.
pub(super) fn commented(lines: &[impl AsRef<str>]) -> Option<(Vec<String>, usize)> {
    let bare = |line: &str| line.trim_start().strip_prefix('#').map(|rest| rest.trim_start_matches('#').to_owned());
    let heads = lines.iter().take_while(|line| {
        let line = line.as_ref().trim();
        line.starts_with('#') && unmarked(line).is_empty()
    });
    let heads = heads.count();
    let first = unmarked(bare(lines.get(heads)?.as_ref())?.as_str()).to_owned();
    if !is_output(&first) {
        return None;
    }
    let mut shown = vec![first];
    let rest = lines[heads + 1..].iter().map_while(|line| bare(line.as_ref()));
    for line in rest {
        if depth(&shown) <= 0 && !is_output(&line) {
            break;
        }
        shown.push(line);
    }
    let taken = heads + shown.len();
    Some((shown, taken))
}

/// The lines from the first on that close the brackets it opens.
pub(super) fn unit(lines: &[impl AsRef<str>]) -> usize {
    let mut open = 0;
    let closes = |line: &_| {
        open += depth(std::slice::from_ref(line));
        open <= 0
    };
    lines.iter().position(closes).map_or(lines.len(), |at| at + 1)
}

/// How many lines are the numbers beside the lines of a listing, which a browser copies below it: all of one, two, three and so on.
pub(super) fn gutter(lines: &[impl AsRef<str>]) -> usize {
    let numbers = || lines.iter().map(|line| line.as_ref().trim());
    let count = numbers().zip(1u32..).take_while(|(line, k)| line.parse() == Ok(*k)).count();
    let ends = numbers().nth(count).is_none_or(|line| line.parse::<u32>().is_err());
    if count > 1 && ends { count } else { 0 }
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
        assert_eq!(
            [gutter(&["1", "2", "3", ""]), gutter(&["1"]), gutter(&["2", "3"]), gutter(&["1", "2", "9"])],
            [3, 0, 0, 0]
        );
    }
}
