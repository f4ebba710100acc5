//! Drawings of calls that were made, from operands to text.
//!
//! `cargo xtask explain-snapshots` writes `tests/golden/calls.txt` again (it sets `TAKEWISE_BLESS=1`); read the diff.

use takewise::rules::{Fill, Outside};
use takewise::{AnyView, Rules, Tensor, ix, ops};
use takewise_explain::data::Role;
use takewise_explain::render::{HtmlOptions, SvgOptions, TextOptions, html, svg, text};
use takewise_explain::{Explanation, Picture};

const R: Rules = Rules::NEUTRAL;

type Operands<'a, 'b> = &'a [(&'b str, Role, AnyView<'b>)];

/// Makes a call of one result, or one that fails.
fn explain(
    expression: &str,
    operation: &str,
    operands: Operands<'_, '_>,
    call: impl FnOnce() -> takewise::Result<Tensor>,
) -> Explanation {
    let mut picture = Picture::new(expression, "takewise", operation);
    operands.iter().for_each(|(name, role, array)| {
        picture.operand(name, *role, array);
    });
    match picture.watch(false, call) {
        Ok(result) => picture.result("result", &result.read_any().unwrap().view()),
        Err(error) => {
            let failure = picture.failure(&error);
            picture.failed(failure);
        }
    }
    picture.finish()
}

fn reads() -> Vec<Explanation> {
    let x = Tensor::from_fn(&[2, 3], |k| k as f32 / 2.0).unwrap();
    let cube = Tensor::from_fn(&[2, 3, 4], |k| k as i64).unwrap();
    let index = Tensor::from_slice(&[2i64, 0, 1, 1], &[2, 2]).unwrap();
    let (x, cube, index) = (x.read_any().unwrap(), cube.read_any().unwrap(), index.read_any().unwrap());
    let (x, cube, index) = (x.view(), cube.view(), index.view());
    let (i, far, row) = ([3i64, -4], [2i64, 0, 7], [10i64, 20, 30]);
    let mask = [true, false, true];
    let filled = Rules { outside: Outside::Fill, fill: Some(Fill::Number(Into::into(-1))), ..R };
    let clipped = Rules { outside: Outside::Clip, ..R };
    let indexed: Operands<'_, '_> = &[("x", Role::Data, x.clone()), ("index", Role::Index, index.clone())];
    let taken: Operands<'_, '_> = &[("row", Role::Data, (&row).into()), ("far", Role::Index, (&far).into())];
    vec![
        explain("gather(x, 1, index)", "gather", indexed, || ops::gather(x.clone(), 1, index.clone(), &R)),
        explain("x[0, :, i]", "index", &[("x", Role::Data, cube.clone()), ("i", Role::Index, (&i).into())], || {
            ops::index(cube.clone(), &ix![0, .., &i], &R)
        }),
        explain("take(row, far, fill)", "take", taken, || ops::take(&row, &far, &filled)),
        explain("take(row, far, clip)", "take", taken, || ops::take(&row, &far, &clipped)),
        explain("take(row, far)", "take", taken, || ops::take(&row, &far, &R)),
        explain(
            "row[mask]",
            "index",
            &[("row", Role::Data, (&row).into()), ("mask", Role::Mask, (&mask).into())],
            || ops::masked_select(&row, &mask, &R),
        ),
    ]
}

fn others() -> Vec<Explanation> {
    let (x, i, v) = ([1.0f32, 2.0, 3.0], [2i64, 0, 2, 9], [5.0f32, 6.0, -7.0, 8.0]);
    let (s, found, unsorted) = ([1i64, 3, 5, 7, 9], [6i64, 1], [30.0f64, 10.0, 20.0]);
    let drop = Rules { outside: Outside::Drop, ..R };
    let written: Operands<'_, '_> =
        &[("x", Role::Data, (&x).into()), ("i", Role::Index, (&i).into()), ("v", Role::Values, (&v).into())];
    let zeros = [0i64, 5, 0, 7];
    vec![
        explain("scatter_add(x, 0, i, v)", "scatter_add", written, || ops::scatter_add(&x, 0, &i, &v, &drop)),
        explain("put(x, i, v)", "put", written, || ops::put(&x, &i, &v, false, &drop)),
        explain(
            "searchsorted(s, v)",
            "searchsorted",
            &[("s", Role::Sequence, (&s).into()), ("v", Role::Values, (&found).into())],
            || ops::searchsorted(&s, &found, &ops::Search::default(), &R),
        ),
        explain("argsort(x)", "argsort", &[("x", Role::Data, (&unsorted).into())], || {
            ops::argsort(&unsorted, 0, false, true, &R)
        }),
        explain("nonzero(x)", "nonzero", &[("x", Role::Data, (&zeros).into())], || ops::nonzero(&zeros, &R)),
    ]
}

#[test]
fn calls_are_told_as_they_were() {
    let all: Vec<String> = reads()
        .iter()
        .chain(&others())
        .map(|e| text(e, &TextOptions { plan: false, ..TextOptions::default() }))
        .collect();
    let (path, drawn) = (concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/calls.txt"), all.join("\n===\n"));
    if std::env::var_os("TAKEWISE_BLESS").is_some() {
        std::fs::write(path, drawn).unwrap();
        return;
    }
    assert_eq!(drawn, std::fs::read_to_string(path).unwrap_or_default(), "see the head of this file");
}

/// Each element of each result is in the picture and on the page, with its value.
#[test]
fn every_element_is_drawn() {
    for e in reads().into_iter().chain(others()) {
        let (picture, page) = (svg(&e, &SvgOptions::default()), html(&e, &HtmlOptions::default()));
        assert_eq!(e.results.is_empty(), e.error.is_some(), "{}", e.expression);
        for (k, outcome) in e.results.iter().enumerate() {
            for (at, value) in outcome.values.iter().flatten().enumerate() {
                assert!(page.contains(&format!("data-k=\"r{k}-{at}\"")), "{}: {at}", e.expression);
                let boxes = |text: &str| text.contains(&format!(">{value}<"));
                assert!(boxes(&picture) && boxes(&page), "{}: {at}", e.expression);
            }
        }
    }
}
