//! What a picture says of single calls.

use takewise::rules::Outside;
use takewise::{AnyView, AnyViewMut, Rules, Tensor, View, ViewMut, ops};
use takewise_explain::Picture;
use takewise_explain::data::{Cell, Explanation, How, Kind, Memory, Pointer, Role, Source, Why};

const R: Rules = Rules::NEUTRAL;

fn show(picture: &mut Picture, name: &str, result: &Tensor) {
    picture.result(name, &result.read_any().unwrap().view());
}

/// The one call of `call` with these operands.
fn explain(operands: &[(&str, Role, AnyView<'_>)], call: impl FnOnce() -> takewise::Result<Tensor>) -> Explanation {
    let mut picture = Picture::new("", "takewise", "");
    operands.iter().for_each(|(name, role, array)| {
        picture.operand(name, *role, array);
    });
    let result = picture.watch(false, call).unwrap();
    show(&mut picture, "result", &result);
    picture.finish()
}

fn at(source: &Source) -> (Option<usize>, usize) {
    (source.operand, source.at)
}

/// Operand and position of every source, and index positions, of every cell.
fn brief(cells: &[Cell]) -> Vec<(usize, How, Vec<(Option<usize>, usize)>)> {
    cells.iter().map(|cell| (cell.at, cell.how, cell.sources.iter().map(at).collect())).collect()
}

#[test]
fn a_read_says_which_element_and_by_which_index() {
    let (x, i) = ([10i64, 20, 30, 40], [3usize, 0]);
    let e = explain(&[("x", Role::Data, (&x).into()), ("i", Role::Index, (&i).into())], || ops::take(&x, &i, &R));
    assert_eq!((e.kind, e.results[0].memory), (Kind::Read, Memory::Fresh));
    assert_eq!(brief(&e.results[0].cells), [(0, How::Copy, vec![(Some(0), 3)]), (1, How::Copy, vec![(Some(0), 0)])]);
    assert_eq!(e.results[0].cells[1].sources[0].by, [Pointer { operand: 1, at: 1 }]);
    assert_eq!(e.results[0].values.as_deref().unwrap(), ["40", "10"]);
    assert_eq!((e.bytes.read, e.bytes.written), (16 + 16, 16));
    assert!(e.plans[0].text.contains("take"));
}

#[test]
fn a_sum_says_what_meets_in_order_and_what_it_began_from() {
    let (x, i, v) = ([1.0f32, 2.0, 3.0], [2i64, 0, 2, 9], [5.0f32, 6.0, 7.0, 8.0]);
    let rules = Rules { outside: Outside::Drop, ..R };
    let operands = [("x", Role::Data, (&x).into()), ("i", Role::Index, (&i).into()), ("v", Role::Values, (&v).into())];
    let e = explain(&operands, || ops::scatter_add(&x, 0, &i, &v, &rules));
    let result = &e.results[0];
    assert_eq!((e.kind, result.base, result.memory), (Kind::Write, Some(0), Memory::Fresh));
    assert_eq!(
        brief(&result.cells),
        [(0, How::Sum, vec![(Some(2), 1)]), (2, How::Sum, vec![(Some(2), 0), (Some(2), 2)])]
    );
    assert!(result.cells.iter().all(|cell| cell.with_self));
    assert_eq!(e.left_out.len(), 1);
    assert_eq!((at(&e.left_out[0].source), e.left_out[0].why), ((Some(2), 3), Why::Outside));
    assert_eq!(e.left_out[0].source.by, [Pointer { operand: 1, at: 3 }]);
    // Every element of the destination goes on, and every value that was not dropped.
    let flows: Vec<usize> = e.flows.iter().map(|flow| flow.to.len()).collect();
    assert_eq!(flows, [3, 3]);
}

#[test]
fn in_place_writes_keep_the_last() {
    let (mut x, i, v) = ([1i64, 2, 3], [2usize, 2], [5i64, 6]);
    let mut picture = Picture::new("", "takewise", "put");
    picture.operand("x", Role::Data, &(&x).into());
    picture.operand("i", Role::Index, &(&i).into());
    picture.operand("v", Role::Values, &(&v).into());
    picture.watch(false, || ops::put_(&mut (&mut x).into(), &i, &v, false, &R)).unwrap();
    picture.result("x", &(&x).into());
    let e = picture.finish();
    assert_eq!(e.results[0].memory, Memory::InPlace { operand: 0 });
    assert_eq!((e.operands[0].values.as_deref().unwrap(), x), (&["1", "2", "3"].map(String::from)[..], [1, 2, 6]));
    let [cell] = &e.results[0].cells[..] else { panic!() };
    assert_eq!((cell.at, cell.how), (2, How::Last));
    assert_eq!(cell.sources.iter().map(|s| (s.at, s.used)).collect::<Vec<_>>(), [(0, false), (1, true)]);
}

#[test]
fn several_plans_are_seen_through() {
    let x = [30.0f64, 10.0, 20.0];
    let operands = [("x", Role::Data, (&x).into())];
    let e = explain(&operands, || {
        let order = ops::argsort(&x, 0, false, true, &R)?;
        ops::take(&x, order.read_any()?.view(), &R)
    });
    let takes = [1, 2, 0].map(|k| (How::Copy, vec![(Some(0), k)]));
    let cells: Vec<_> = brief(&e.results[0].cells).into_iter().map(|(_, how, from)| (how, from)).collect();
    assert_eq!(cells, takes);
    let (sorted, positions) = ops::sort(&x, 0, true, true, &R).unwrap();
    drop((sorted, positions));
    let e = explain(&operands, || ops::sort(&x, 0, true, true, &R).map(|(values, _)| values));
    assert_eq!((e.kind, brief(&e.results[0].cells)[0].clone()), (Kind::Sort, (0, How::Copy, vec![(Some(0), 0)])));
}

#[test]
fn views_are_elements_of_the_operand() {
    let x = Tensor::from_fn(&[2, 3], |k| k as i64).unwrap();
    let open = x.read_any().unwrap();
    let e = explain(&[("x", Role::Data, open.view())], || x.t());
    assert_eq!((e.kind, e.results[0].memory), (Kind::View, Memory::View { operand: 0 }));
    let places: Vec<usize> = e.results[0].cells.iter().map(|cell| cell.sources[0].at).collect();
    assert_eq!(places, [0, 3, 1, 4, 2, 5]);
    let axes = serde_json::to_value(&e.results[0].axes).unwrap();
    assert_eq!(axes[0]["from"]["axis"], 1);
}

#[test]
fn searches_tell_their_comparisons() {
    let (s, v) = ([1i64, 3, 5, 7, 9], [6i64]);
    let e = explain(&[("s", Role::Sequence, (&s).into()), ("v", Role::Values, (&v).into())], || {
        ops::searchsorted(&s, &v, &ops::Search::default(), &R)
    });
    let [search] = &e.searches[..] else { panic!() };
    assert_eq!((search.value, search.found, search.length), (Pointer { operand: 1, at: 0 }, 3, 5));
    let compared: Vec<_> = search.compared.iter().map(|c| (c.at, c.after)).collect();
    assert_eq!(compared, [(2, true), (4, false), (3, false)]);
    assert_eq!((e.kind, e.results[0].cells[0].how), (Kind::Search, How::Position));
}

#[test]
fn masks_and_numbers() {
    let (x, m) = ([1i64, 2, 3], [true, false, true]);
    let operands = [("x", Role::Data, (&x).into()), ("m", Role::Mask, (&m).into())];
    for in_place in [false, true] {
        let e = explain(&operands, || {
            if in_place {
                return ops::masked_fill(&x, &m, 9, &R);
            }
            ops::index_put(&x, &takewise::ix![&m[..]], 9, false, &R)
        });
        assert_eq!((e.kind, e.results[0].base), (Kind::Write, Some(0)));
        assert_eq!(brief(&e.results[0].cells), [(0, How::Copy, vec![(None, 0)]), (2, How::Copy, vec![(None, 0)])]);
        assert_eq!(e.results[0].cells[1].sources[0].value.as_deref(), Some("9"));
        assert_eq!((e.masks[0].operand, e.masks[0].count, &e.masks[0].places[..]), (1, 2, &[0, 2][..]));
    }
    let e = explain(&operands, || ops::nonzero(&m, &R));
    assert_eq!((e.kind, e.results[0].cells[1].sources[0].at), (Kind::Count, 2));
}

#[test]
fn fills_tell_their_value_and_the_index_that_led_nowhere() {
    let (x, i) = ([1.5f32, 2.5], [1i64, 7]);
    let rules = Rules { outside: Outside::Fill, fill: Some(takewise::rules::Fill::Number(0.1.into())), ..R };
    let e = explain(&[("x", Role::Data, (&x).into()), ("i", Role::Index, (&i).into())], || ops::take(&x, &i, &rules));
    let cell = &e.results[0].cells[1];
    assert_eq!(
        (cell.how, cell.value.as_deref(), &cell.by[..]),
        (How::Fill, Some("0.1"), &[Pointer { operand: 1, at: 1 }][..])
    );
    assert_eq!(e.left_out[0].source.by, cell.by);
}

#[test]
fn operands_may_share_memory() {
    let mut data = [1i64, 2, 3, 4];
    let i = [0usize, 1];
    let mut picture = Picture::new("", "takewise", "");
    let whole = View::new(&data, &[4]).unwrap();
    picture.operand("x", Role::Data, &whole.any());
    picture.operand("v", Role::Values, &whole.slice(0, 2..4).unwrap().any());
    picture.operand("i", Role::Index, &(&i).into());
    let (front, back) = data.split_at_mut(2);
    let mut front: AnyViewMut = ViewMut::new(front, &[2]).unwrap().into();
    picture.watch(false, || ops::put_(&mut front, &i, &*back, false, &R)).unwrap();
    picture.result("x", &(&data).into());
    let e = picture.finish();
    assert_eq!(e.results[0].memory, Memory::InPlace { operand: 0 });
    assert_eq!(brief(&e.results[0].cells), [(0, How::Copy, vec![(Some(1), 0)]), (1, How::Copy, vec![(Some(1), 1)])]);
    let zero = [3u8];
    let wide = View::new(&zero, &[1]).unwrap().expand(&[4]).unwrap();
    let e =
        explain(&[("x", Role::Data, wide.any()), ("i", Role::Index, (&i).into())], || ops::take(wide.any(), &i, &R));
    assert_eq!(brief(&e.results[0].cells), [(0, How::Copy, vec![(Some(0), 0)]), (1, How::Copy, vec![(Some(0), 0)])]);
}

#[test]
fn an_error_points_at_all_bad_elements() {
    let (x, i) = ([1i64, 2, 3], [0i32, 5, 1, -9]);
    let mut picture = Picture::new("", "takewise", "take");
    picture.operand("x", Role::Data, &(&x).into());
    picture.operand("i", Role::Index, &(&i).into());
    let error = picture.watch(false, || ops::take(&x, &i, &R)).unwrap_err();
    let failure = picture.failure(&error);
    assert_eq!((failure.operand, failure.at, failure.count), (Some(1), Some(1), Some(2)));
    assert_eq!((failure.value.as_deref(), failure.axis, failure.size), (Some("5"), Some(0), Some(3)));
    assert_eq!(failure.bad, [1, 3]);
}
