//! The notation of the command line: any text is a value, an exception or a complaint, and never a panic.

use takewise_dialects::TORCH;
use takewise_notation::Session;
use takewise_testkit::Rng;

/// Programs of a few statements made of the notation's words.
pub fn run(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let mut session = Session::new(&TORCH);
    let mut valid = session.exec("x = torch.arange(12).reshape(3, 4); i = torch.tensor([2, 0]); m = x > 5").is_ok();
    for _ in 0..1 + rng.below(4) {
        let text = if rng.one_in(3) { soup(rng) } else { statement(rng) };
        match session.exec(&text) {
            Ok(value) => {
                let shown = value.map(|v| takewise_dialects::print::repr(&v));
                assert!(shown.is_none_or(|s| !s.is_empty()), "{text:?} gave a value that prints as nothing");
            }
            Err(error) => {
                valid = false;
                assert!(!error.to_string().is_empty(), "{text:?} failed without a word");
                if let Some(span) = error.span() {
                    assert!(text.get(span.clone()).is_some(), "{text:?}: the error points outside, {span:?}");
                    takewise_dialects::caret(&text, span);
                }
            }
        }
        session.take_output();
    }
    valid
}

const NAMES: &[&str] = &["x", "i", "m", "y", "x[0]", "x[:, 1:3]", "x.t()", "x[i]", "x.float()", "i[:0]"];

fn expression(rng: &mut Rng, depth: usize) -> String {
    let leaf = depth == 0 || rng.one_in(3);
    if leaf {
        let number = rng.between(-3, 4).to_string();
        return if rng.one_in(3) { number } else { rng.pick(NAMES).to_owned() };
    }
    let mut inner = || expression(rng, depth - 1);
    let (a, b, c) = (inner(), inner(), inner());
    match rng.below(16) {
        0 => format!("{a}[{b}]"),
        1 => format!("{a}[{b}, {c}]"),
        2 => format!("{a}[..., {b}]"),
        3 => format!("{a}[{b}:{c}]"),
        4 => format!("torch.gather({a}, {b}, {c})"),
        5 => format!("torch.take({a}, {b})"),
        6 => format!("{a}.index_select({b}, {c})"),
        7 => format!("{a}.scatter(0, {b}, {c})"),
        8 => format!("torch.searchsorted({a}, {b})"),
        9 => format!("torch.where({a}, {b}, {c})"),
        10 => format!("{a} > {b}"),
        11 => format!("torch.tensor([{b}, {c}])"),
        12 => format!("{a}.masked_fill({b}, {c})"),
        13 => format!("torch.nonzero({a})"),
        14 => format!("({a}, {b})"),
        _ => format!("{a}.sum({b})"),
    }
}

fn statement(rng: &mut Rng) -> String {
    let value = expression(rng, 2);
    match rng.below(5) {
        0 => format!("{}[{}] = {value}", rng.pick(NAMES), expression(rng, 1)),
        1 => format!("y = {value}"),
        2 => format!("print({value})"),
        _ => value,
    }
}

/// Words and signs in no order.
fn soup(rng: &mut Rng) -> String {
    const TOKENS: &[&str] = &[
        "x",
        "i",
        "m",
        "torch",
        "np",
        ".",
        ",",
        "(",
        ")",
        "[",
        "]",
        ":",
        "=",
        "==",
        "<",
        "-",
        "+",
        "*",
        "~",
        "0",
        "3",
        "-1",
        "1e309",
        "99999999999999999999",
        "'a'",
        "\"",
        "'",
        "None",
        "True",
        "...",
        "gather",
        "print",
        "lambda",
        "\n",
        " ",
        "#",
        "\\",
        "{",
        "}",
        "é",
        "\u{1F600}",
        "\0",
        "__class__",
        "if",
        "for",
        "in",
        "not",
        "f'{x}'",
        "1j",
    ];
    (0..rng.below(16)).map(|_| rng.pick(TOKENS)).collect()
}
