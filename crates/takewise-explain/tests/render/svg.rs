use takewise_explain::Explanation;
use takewise_explain::render::{Language, SvgOptions, svg};

use crate::{fixtures, matches};

fn drawn(e: &Explanation) -> String {
    svg(e, &SvgOptions::default())
}

#[test]
fn pictures_stay_as_they_were() {
    for (name, e) in fixtures::all() {
        matches(&format!("{name}.svg"), &drawn(&e));
    }
    matches(
        "scatter_add.zh.svg",
        &svg(&fixtures::scatter_add(), &SvgOptions { language: Language::Chinese, ..SvgOptions::default() }),
    );
}

/// Well-formed, with a name and a description, and nothing in it that runs or is fetched.
#[test]
fn pictures_are_plain_xml() {
    for (name, e) in fixtures::all().into_iter().chain([("hostile", fixtures::hostile())]) {
        let text = drawn(&e);
        let tree = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        for node in tree.descendants().filter(roxmltree::Node::is_element) {
            let tag = node.tag_name().name();
            let known = ["svg", "title", "desc", "style", "rect", "text", "path", "g"];
            assert!(known.contains(&tag), "{name}: {tag}");
            for attribute in node.attributes() {
                assert!(
                    !attribute.name().starts_with("on") && !attribute.name().contains("href"),
                    "{name}: {attribute:?}"
                );
                let fetched = ["url(", "http:", "https:", "javascript:"].iter().any(|s| attribute.value().contains(s));
                assert!(!fetched, "{name}: {attribute:?}");
            }
        }
        let first = |tag| tree.descendants().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", tag)));
        assert!(first("title").unwrap().text().is_some_and(|text| !text.is_empty()), "{name}");
        assert!(first("desc").unwrap().text().is_some_and(|text| !text.is_empty()), "{name}");
        assert!(!first("style").unwrap().text().unwrap().contains("@import"), "{name}");
    }
}

/// Each element that is listed has a box that tells by its name where it is, and shows its value.
#[test]
fn every_element_is_drawn() {
    for (name, e) in fixtures::all().into_iter().filter(|(name, _)| *name != "sample") {
        let text = drawn(&e);
        let tree = roxmltree::Document::parse(&text).unwrap();
        let boxes: Vec<_> = tree.descendants().filter(|node| node.tag_name().name() == "g").collect();
        let titles = || boxes.iter().map(|node| node.first_element_child().unwrap().text().unwrap());
        for outcome in e.results.iter().filter(|outcome| outcome.shape.len() == 1) {
            for cell in &outcome.cells {
                let value = &outcome.values.as_ref().unwrap()[cell.at];
                let wanted = format!("{}[{}] = {value}", outcome.name, cell.at);
                assert!(titles().any(|title| title.starts_with(&wanted)), "{name}: {wanted}");
            }
        }
        for operand in e.operands.iter().filter(|operand| operand.shape.len() == 1) {
            for (at, value) in operand.values.iter().flatten().enumerate() {
                let wanted = format!("{}[{at}] = {value}", operand.name);
                assert!(titles().any(|title| title == wanted), "{name}: {wanted}");
            }
        }
    }
}

#[test]
fn values_that_meet_are_stacked_and_those_not_kept_struck() {
    let text = drawn(&fixtures::index_put());
    let section = &text[text.find("Where values meet").unwrap()..];
    let places = ["src[0], replaced", "src[1], replaced", "src[3], stays", "= 8"].map(|s| section.find(s).unwrap());
    assert!(places.is_sorted(), "{section}");
    assert_eq!(section.matches("tw-r").count(), 2, "{section}");
    assert_eq!(section.matches("tw-kept").count(), 1, "{section}");
}

#[test]
fn bad_index_values_are_hatched() {
    assert_eq!(drawn(&fixtures::error()).matches("class=\"tw-x\"").count(), 2);
    assert_eq!(drawn(&fixtures::gather()).matches("class=\"tw-x\"").count(), 0);
}

#[test]
fn arrows_are_drawn_where_there_are_few() {
    let heads =
        |arrows| svg(&fixtures::gather(), &SvgOptions { arrows, ..SvgOptions::default() }).matches("tw-p\"").count();
    assert_eq!((heads(4), heads(3)), (4, 0));
}

/// Of a large call a part is drawn, and it says so.
#[test]
fn large_calls_are_drawn_in_part() {
    let text = drawn(&fixtures::sample());
    assert!(text.contains("A sample: 40 of 3145728 elements are listed."), "{text}");
    assert!(text.contains("of 38400000 elements are drawn."), "{text}");
    assert!(text.contains("result[0, 102, 307] ← weight[977, 307] (ids[0, 102])"), "{text}");
    let boxes = |cells| svg(&fixtures::sample(), &SvgOptions { cells, ..SvgOptions::default() }).matches("<g>").count();
    assert!(boxes(30) <= 3 * 30 && boxes(30) < boxes(120));
}
