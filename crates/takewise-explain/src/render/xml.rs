//! XML and HTML: escaping, and the colours of groups.

use std::fmt::Write;

/// How many colours there are before they start again. The letter tells groups of one colour apart.
pub(super) const COLORS: usize = 8;

/// Border, fill on light ground, fill on dark ground. Text on each fill has a contrast above 7, borders on the ground above 3.
const PALETTE: [[&str; 4]; COLORS] = [
    ["#0067a5", "#cfe4f5", "#5db1ee", "#12395a"],
    ["#9a5b00", "#fce3b8", "#f0ad3f", "#4f3400"],
    ["#00755a", "#c5ebdd", "#3cc59f", "#0b4537"],
    ["#b3401a", "#fbd8ca", "#f58a63", "#5a2312"],
    ["#8b3a7a", "#f3d6ec", "#df8fcb", "#4c2244"],
    ["#4d5fb0", "#dcdffa", "#9daaf2", "#2c3569"],
    ["#6b6a00", "#ecebb0", "#cdca4a", "#403f08"],
    ["#59636e", "#dfe3e8", "#a9b4bf", "#373e46"],
];

/// Text for XML: markup is escaped. It is clean already, so that no character is left that XML forbids.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The variables of all colours under a selector, for light and for dark ground.
pub(super) fn colors(selector: &str) -> String {
    let (mut light, mut dark) = (String::new(), String::new());
    for (k, [light_edge, light_fill, dark_edge, dark_fill]) in PALETTE.iter().enumerate() {
        let _ = write!(light, "--e{k}:{light_edge};--f{k}:{light_fill};");
        let _ = write!(dark, "--e{k}:{dark_edge};--f{k}:{dark_fill};");
    }
    let ground =
        "--bg:#ffffff;--fg:#1b1f24;--soft:#57606a;--line:#8c959f;--cell:#f6f8fa;--bad:#b3141d;--badbg:#ffe3e1;";
    let night = "--bg:#16191d;--fg:#eceff2;--soft:#aab3bd;--line:#6e7781;--cell:#22272e;--bad:#ff8a84;--badbg:#55171b;";
    format!(
        "{selector}{{{ground}{light}color-scheme:light dark}}\n@media (prefers-color-scheme:dark){{{selector}{{{night}{dark}}}}}\n"
    )
}
