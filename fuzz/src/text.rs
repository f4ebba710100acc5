//! The text form of subscripts: what is written is read back, and anything else is refused in one piece.

use takewise::Slice;
use takewise_testkit::Rng;
use takewise_testkit::parse::{Item, parse};

/// Items written as text with random spacing must parse to themselves; random text must not panic and must be told
/// where it is wrong.
pub fn subscript(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    if rng.one_in(2) {
        let items: Vec<Item> = (0..rng.below(6)).map(|_| item(rng)).collect();
        let text = written(rng, &items);
        let parsed = parse(&text).unwrap_or_else(|e| panic!("{text:?} was refused: {e}"));
        let back: Vec<Item> = parsed.iter().map(|p| p.item.clone()).collect();
        assert_eq!(back, items, "{text:?}");
        let spans = parsed.iter().map(|p| text.get(p.span.clone()));
        assert!(spans.flatten().count() == items.len(), "{text:?} has an item outside its text");
        return true;
    }
    let text = soup(rng);
    match parse(&text) {
        Ok(parsed) => {
            let items: Vec<Item> = parsed.into_iter().map(|p| p.item).collect();
            let again = written(rng, &items);
            let back = parse(&again).unwrap_or_else(|e| panic!("{text:?} became {again:?}, which was refused: {e}"));
            assert_eq!(back.into_iter().map(|p| p.item).collect::<Vec<_>>(), items, "{text:?} became {again:?}");
            true
        }
        Err(e) => {
            assert!(text.get(e.span.clone()).is_some(), "{text:?}: the error points outside, {:?}", e.span);
            assert!(e.caret(&text).ends_with('^') && !e.to_string().contains('\n'), "{text:?}");
            false
        }
    }
}

fn item(rng: &mut Rng) -> Item {
    let number = |rng: &mut Rng| if rng.one_in(8) { rng.pick(&[i64::MIN, i64::MAX]) } else { rng.between(-20, 20) };
    let bound = |rng: &mut Rng| if rng.one_in(2) { Some(number(rng)) } else { None };
    match rng.below(8) {
        0 => Item::Range(Slice { start: bound(rng), stop: bound(rng), step: bound(rng) }),
        1 => Item::NewAxis,
        2 => Item::Ellipsis,
        3 => Item::Bool(rng.one_in(2)),
        4 => Item::Name(rng.pick(&["i", "mask", "x_1", "größe", "None", "索引"]).to_owned()),
        5 | 6 => list(rng),
        _ => Item::Int(number(rng)),
    }
}

fn list(rng: &mut Rng) -> Item {
    let rank = 1 + rng.below(3);
    let mut shape: Vec<usize> = (0..rank).map(|_| 1 + rng.below(3)).collect();
    if rng.one_in(6) {
        shape[rank - 1] = 0;
    }
    let count = shape.iter().product();
    if count > 0 && rng.one_in(2) {
        Item::Bools(shape, (0..count).map(|_| rng.one_in(2)).collect())
    } else {
        Item::Ints(shape, (0..count).map(|_| rng.between(-9, 9)).collect())
    }
}

fn written(rng: &mut Rng, items: &[Item]) -> String {
    let parts: Vec<String> = items.iter().map(|i| show(rng, i)).collect();
    let comma = format!("{},{}", space(rng), space(rng));
    let last = if !parts.is_empty() && rng.one_in(4) { "," } else { "" };
    format!("{}{}{last}{}", space(rng), parts.join(&comma), space(rng))
}

fn space(rng: &mut Rng) -> &'static str {
    rng.pick(&["", "", " ", "  ", "\t"])
}

fn show(rng: &mut Rng, item: &Item) -> String {
    match item {
        Item::Int(i) => i.to_string(),
        Item::NewAxis => rng.pick(&["None", "newaxis"]).into(),
        Item::Ellipsis => "...".into(),
        Item::Bool(b) => python(*b).into(),
        Item::Name(name) => format!("@{name}"),
        Item::Range(s) => {
            let bound = |b: Option<i64>| b.map_or(String::new(), |v| v.to_string());
            let head = format!("{}{}:{}{}", bound(s.start), space(rng), space(rng), bound(s.stop));
            match s.step {
                None if rng.one_in(2) => head,
                step => format!("{head}{}:{}{}", space(rng), space(rng), bound(step)),
            }
        }
        Item::Ints(shape, values) => nested(rng, shape, &values.iter().map(|v| v.to_string()).collect::<Vec<_>>()),
        Item::Bools(shape, values) => nested(rng, shape, &values.iter().map(|v| python(*v).into()).collect::<Vec<_>>()),
    }
}

fn python(b: bool) -> &'static str {
    if b { "True" } else { "False" }
}

fn nested(rng: &mut Rng, shape: &[usize], values: &[String]) -> String {
    let Some((&n, inner)) = shape.split_first() else { return values[0].clone() };
    let each = values.len() / n.max(1);
    let rows: Vec<String> = (0..n).map(|k| nested(rng, inner, &values[k * each..(k + 1) * each])).collect();
    format!("[{}{}{}]", space(rng), rows.join(&format!("{},", space(rng))), space(rng))
}

/// Text made of the notation's tokens in no order, and sometimes of any characters.
fn soup(rng: &mut Rng) -> String {
    const TOKENS: &[&str] = &[
        "0",
        "-1",
        "12",
        "9223372036854775808",
        "1_0",
        ":",
        "::",
        ",",
        "[",
        "]",
        "[[",
        "]]",
        "...",
        "..",
        "None",
        "True",
        "False",
        "@",
        "@i",
        "i",
        " ",
        "\t",
        "\n",
        "-",
        "+",
        "1.5",
        "0x10",
        "é",
        "\u{2003}",
        "(",
        ")",
        "\0",
    ];
    (0..rng.below(14))
        .map(|_| match rng.below(12) {
            0 => char::from_u32(rng.below(0x11_0000) as u32).unwrap_or('?').to_string(),
            _ => rng.pick(TOKENS).to_owned(),
        })
        .collect()
}
