use takewise_explain::render::{Language, TextOptions, comparison, text};
use unicode_width::UnicodeWidthStr;

use crate::{fixtures, matches};

#[test]
fn texts_stay_as_they_were() {
    for (language, tag) in [(Language::English, "en"), (Language::Chinese, "zh")] {
        let options = TextOptions { language, plan: true, ..TextOptions::default() };
        let all = fixtures::all().into_iter().map(|(name, e)| format!("=== {name}\n{}", text(&e, &options)));
        let both =
            fixtures::comparisons().into_iter().map(|(name, c)| format!("=== {name}\n{}", comparison(&c, &options)));
        matches(&format!("text.{tag}.txt"), &all.chain(both).collect::<Vec<_>>().join("\n"));
    }
}

/// What a drawing must hold: each element by name, with its value.
#[test]
fn every_element_is_named() {
    for (name, e) in fixtures::all() {
        let shown = text(&e, &TextOptions { most: 4096, ..TextOptions::default() });
        for outcome in &e.results {
            for cell in &outcome.cells {
                let mut place: Vec<usize> = Vec::new();
                let mut rest = cell.at;
                for extent in outcome.shape.iter().rev() {
                    place.insert(0, rest % extent);
                    rest /= extent;
                }
                assert!(shown.contains(&format!("{}{place:?}", outcome.name)), "{name}: {place:?}\n{shown}");
            }
        }
    }
}

#[test]
fn the_plan_is_shown_where_it_is_asked_for() {
    let e = fixtures::gather();
    let [with, without] = [true, false].map(|plan| text(&e, &TextOptions { plan, ..TextOptions::default() }));
    assert!(with.contains("strategy: few, because 4 positions are at most 32") && with.contains("loops  i0 < 2"));
    assert!(with.starts_with(&without));
}

#[test]
fn colour_adds_nothing_but_colour() {
    for (name, e) in fixtures::all() {
        let [plain, colored] = [false, true].map(|color| text(&e, &TextOptions { color, ..TextOptions::default() }));
        let mut bare = String::new();
        let mut rest = &*colored;
        while let Some(start) = rest.find('\x1b') {
            bare.push_str(&rest[..start]);
            rest = &rest[start..][rest[start..].find('m').unwrap() + 1..];
        }
        bare.push_str(rest);
        // Spaces inside colour are not trimmed from the end of a line.
        let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert_eq!(trimmed(&bare), trimmed(&plain), "{name}");
        assert!(!plain.contains('\x1b'), "{name}");
    }
}

#[test]
fn lines_keep_to_the_width() {
    for language in [Language::English, Language::Chinese] {
        for (name, e) in fixtures::all() {
            for width in [60, 100] {
                for line in text(&e, &TextOptions { language, width, ..TextOptions::default() }).lines() {
                    assert!(line.width() <= width, "{name}: {line}");
                }
            }
        }
    }
}

#[test]
fn long_lists_are_counted() {
    let shown = text(&fixtures::cube(), &TextOptions { most: 3, ..TextOptions::default() });
    assert!(shown.contains("  and 9 more"), "{shown}");
    assert!(!shown.contains("result[1, 0, 0]"), "{shown}");
}

#[test]
fn hidden_characters_are_spelled_out() {
    let shown = text(&fixtures::hostile(), &TextOptions { plan: true, ..TextOptions::default() });
    assert!(shown.chars().all(|c| c == '\n' || !(c.is_control() || matches!(c, '\u{202e}' | '\u{200f}'))), "{shown:?}");
    assert!(shown.contains("\\u{202e}"));
}

#[test]
fn places_that_differ_are_marked() {
    let [(_, rules), (_, dialects)] = &fixtures::comparisons()[..] else { panic!() };
    let shown = comparison(rules, &TextOptions::default());
    assert!(shown.contains("1 place differs, marked. Some of them fail."), "{shown}");
    assert!(
        shown.contains("30  10  30*") && shown.contains("30  10  -1*") && shown.contains("error, raise"),
        "{shown}"
    );
    assert!(comparison(dialects, &TextOptions::default()).contains("The results have different shapes."));
}

/// Also where the index is too long to show.
#[test]
fn a_bad_index_value_is_marked_among_its_neighbours() {
    let shown = text(&fixtures::error(), &TextOptions::default());
    assert!(shown.starts_with("torch.gather(x, 1, index)\n                   ^^^^^\n"), "{shown}");
    assert!(shown.contains("  index[0, :] = [0, >9<]\n"), "{shown}");
    let mut e = fixtures::refused();
    e.operands[1].shape = vec![500];
    e.operands[1].values = Some((0..500).map(|k| if k == 300 { "7".into() } else { "1".into() }).collect());
    let error = e.error.as_mut().unwrap();
    (error.at, error.bad) = (Some(300), vec![300]);
    let shown = text(&e, &TextOptions::default());
    assert!(shown.contains("  index = […, 1, 1, 1, 1, >7<, 1, 1, 1, 1, …]\n"), "{shown}");
}
