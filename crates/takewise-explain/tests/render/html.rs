use std::collections::HashSet;

use takewise_explain::Explanation;
use takewise_explain::render::{HtmlOptions, Language, SvgOptions, html, html_comparison, svg_comparison};

use crate::{fixtures, matches};

fn page(e: &Explanation) -> String {
    html(e, &HtmlOptions { id: Some("t".into()), ..HtmlOptions::default() })
}

/// The elements of a piece as a tree. Names of styles and scripts aside, what is written is XML.
fn tree(text: &str, read: impl FnOnce(roxmltree::Document<'_>)) {
    let mut rest = text[text.find("<div class=\"tw\"").unwrap()..text.rfind("</div>").unwrap() + 6].to_owned();
    for tag in ["style", "script"] {
        let (start, end) = (rest.find(&format!("<{tag}>")).unwrap(), rest.find(&format!("</{tag}>")).unwrap());
        rest.replace_range(start..end + tag.len() + 3, "");
    }
    let rest = rest.replace(" hidden ", " ").replace(" readonly ", " ").replace("<details open>", "<details>");
    read(roxmltree::Document::parse(&rest).unwrap_or_else(|error| panic!("{error}\n{rest}")));
}

#[test]
fn pages_stay_as_they_were() {
    matches("scatter_add.html", &page(&fixtures::scatter_add()));
    let options =
        HtmlOptions { fragment: true, language: Language::Chinese, id: Some("t".into()), ..HtmlOptions::default() };
    matches("gather.zh.fragment.html", &html(&fixtures::gather(), &options));
}

/// The only scripts and styles are ours, nothing is fetched, and no text from outside is markup.
#[test]
fn pages_stand_alone() {
    for (name, e) in fixtures::all().into_iter().chain([("hostile", fixtures::hostile())]) {
        let text = page(&e);
        assert_eq!(text.matches("<script").count(), 1, "{name}");
        assert!(text.contains("default-src 'none'"), "{name}");
        for fetched in ["src=", "href", "url(", "@import", "http:", "https:", "fetch("] {
            assert!(!text.contains(fetched) || name == "hostile" && fetched == "src=", "{name}: {fetched}");
        }
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && !matches!(c, '\u{202e}' | '\u{200f}')), "{name}");
        tree(&text, |tree| {
            for node in tree.descendants().filter(roxmltree::Node::is_element) {
                assert!(node.attributes().all(|a| !a.name().starts_with("on")), "{name}");
            }
        });
    }
}

/// Every element is a cell of a table, and names those it is made of; they are cells as well.
#[test]
fn elements_name_their_sources() {
    for (name, e) in fixtures::all().into_iter().filter(|(name, _)| *name != "sample") {
        tree(&page(&e), |tree| {
            let cells: Vec<_> = tree.descendants().filter(|node| node.attribute("data-k").is_some()).collect();
            let keys: HashSet<_> = cells.iter().map(|node| node.attribute("data-k").unwrap()).collect();
            assert_eq!(keys.len(), cells.len(), "{name}");
            for (k, outcome) in e.results.iter().enumerate() {
                for cell in &outcome.cells {
                    let key = format!("r{k}-{}", cell.at);
                    let node = cells.iter().find(|node| node.attribute("data-k") == Some(&key)).unwrap();
                    let shown: String = node.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect();
                    assert!(shown.contains(&outcome.values.as_ref().unwrap()[cell.at]), "{name}: {key} {shown}");
                    let to = node.attribute("data-to").unwrap_or("");
                    let named: HashSet<&str> = to.split(' ').filter(|k| !k.is_empty()).collect();
                    for source in &cell.sources {
                        let mut wanted = vec![format!("o{}-{}", source.operand.unwrap(), source.at)];
                        wanted.extend(source.by.iter().map(|by| format!("o{}-{}", by.operand, by.at)));
                        assert!(wanted.iter().all(|key| named.contains(&**key)), "{name}: {key} {to} {wanted:?}");
                    }
                    assert!(named.iter().all(|key| keys.contains(key)), "{name}: {key} {to}");
                }
            }
        });
    }
}

/// The JSON is what was explained.
#[test]
fn the_data_is_in_the_page() {
    for (_, e) in fixtures::all().into_iter().chain([("hostile", fixtures::hostile())]) {
        tree(&page(&e), |tree| {
            let area = tree.descendants().find(|node| node.has_tag_name("textarea")).unwrap();
            assert_eq!(serde_json::from_str::<Explanation>(area.text().unwrap()).unwrap(), e);
        });
    }
}

/// Where scripts and styles are stripped, letters still say what belongs together.
#[test]
fn letters_are_text() {
    tree(&page(&fixtures::gather()), |tree| {
        let letter = |key: &str| {
            let cell = tree.descendants().find(|node| node.attribute("data-k") == Some(key)).unwrap();
            cell.first_element_child().and_then(|b| b.text()).unwrap().to_owned()
        };
        assert_eq!([letter("o0-0"), letter("o1-0"), letter("r0-0"), letter("r0-1")], ["A"; 4]);
        assert_eq!([letter("o0-4"), letter("o1-3"), letter("r0-3")], ["B"; 3]);
    });
}

#[test]
fn pieces_have_names_of_their_own() {
    let options = HtmlOptions { fragment: true, ..HtmlOptions::default() };
    let id = |text: &str| text.split("id=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let [a, b] = [0, 1].map(|_| html(&fixtures::gather(), &options));
    assert_ne!(id(&a), id(&b));
    assert!(a.starts_with("<div class=\"tw\"") && a.contains(&format!("getElementById(\"{}\")", id(&a))));
    assert!(!a.contains("<textarea"));
    let forced = html(&fixtures::gather(), &HtmlOptions { id: Some("a\"><script>".into()), ..options });
    assert_eq!(id(&forced), "ascript");
}

#[test]
fn large_data_is_not_embedded() {
    let mut e = fixtures::gather();
    e.operands[0].values = Some(vec!["1".repeat(2000); 1000]);
    let text = page(&e);
    assert!(text.contains("It is too long for this page.") && !text.contains("<textarea"));
}

/// Each explanation of a comparison has elements of its own, and those that differ are marked.
#[test]
fn comparisons_mark_what_differs() {
    let [(_, rules), (_, dialects)] = &fixtures::comparisons()[..] else { panic!() };
    let text = html_comparison(rules, &HtmlOptions { id: Some("t".into()), ..HtmlOptions::default() });
    matches("rules.html", &text);
    tree(&text, |tree| {
        let cells = || tree.descendants().filter(|node| node.attribute("data-k").is_some());
        let keys: HashSet<_> = cells().map(|node| node.attribute("data-k").unwrap()).collect();
        assert_eq!(keys.len(), cells().count());
        let differ = cells().filter(|node| node.attribute("class").unwrap().contains("tw-differs"));
        assert_eq!(differ.map(|node| node.attribute("data-k").unwrap()).collect::<Vec<_>>(), ["c1r0-2", "c2r0-2"]);
    });
    assert!(html_comparison(dialects, &HtmlOptions::default()).contains("The results have different shapes."));
    let drawn = svg_comparison(rules, &SvgOptions::default());
    matches("rules.svg", &drawn);
    roxmltree::Document::parse(&drawn).unwrap();
    assert_eq!(drawn.matches("class=\"tw-ne\"").count(), 2);
    assert_eq!(drawn.matches("<svg").count(), 1);
}
