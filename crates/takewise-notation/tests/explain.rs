//! Explanations of expressions: what operands are called and for, where axes come from, what fails and where.

use crate::shared::replay;
use takewise_dialects::{Face, JAX, MINDSPORE, NUMPY, TORCH, Value, print};
use takewise_explain::Explanation;
use takewise_explain::data::{How, Kind, Memory, Origin, Role};
use takewise_notation::{Session, bounds, explanation, side_by_side};

fn explained_by(face: &'static Face, source: &str) -> Explanation {
    let explained = explanation(&mut Session::new(face), source).unwrap_or_else(|e| panic!("{source}: {e}"));
    if let Err(wrong) = replay(&explained) {
        panic!("{source}: {wrong}\n{explained:#?}");
    }
    explained
}

fn explained(source: &str) -> Explanation {
    explained_by(&TORCH, source)
}

/// The operands as `name: role`.
fn operands(explained: &Explanation) -> Vec<String> {
    explained.operands.iter().map(|o| format!("{}: {:?}", o.name, o.role)).collect()
}

fn values(explained: &Explanation) -> Vec<&str> {
    explained.results[0].values.iter().flatten().map(String::as_str).collect()
}

fn origins(explained: &Explanation) -> Vec<Origin> {
    explained.results[0].axes.iter().map(|a| a.from.clone()).collect()
}

const X: &str = "x = torch.arange(24).reshape(2, 3, 4); i = torch.tensor([0, 1]); ";

#[test]
fn operands_have_the_names_they_are_written_under_else_those_of_parameters() {
    assert_eq!(operands(&explained(&format!("{X}x[0, :, i]"))), ["x: Data", "i: Index"]);
    let call = "torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0], [1]]))";
    assert_eq!(operands(&explained(call)), ["input: Data", "index: Index"]);
    let write = "torch.zeros(3).scatter_add_(0, torch.tensor([0, 0, 2]), torch.tensor([1., 2., 3.]))";
    assert_eq!(operands(&explained(write)), ["input: Data", "index: Index", "src: Values"]);
    let search = "torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]))";
    assert_eq!(operands(&explained(search)), ["sorted_sequence: Sequence", "input: Values"]);
    assert_eq!(operands(&explained(&format!("{X}x[x > 20]"))), ["x: Data", "mask: Mask"]);
    assert_eq!(operands(&explained(&format!("{X}x[[0, 1], [2, 0]]"))), ["x: Data", "index1: Index", "index2: Index"]);
    let numpy = explained_by(&NUMPY, "np.take(np.array([5, 6, 7]), [2, 0])");
    assert_eq!(operands(&numpy), ["input: Data", "indices: Index"]);
    assert_eq!(numpy.results[0].cells[0].sources[0].by[0].operand, 1);
    let at = explained_by(&JAX, "x = jnp.zeros(3); x.at[jnp.array([0, 0])].add(jnp.array([1., 2.]))");
    assert_eq!(at.operation, "at.add");
    assert_eq!(operands(&at), ["x: Data", "index: Index", "values: Values"]);
    assert_eq!(
        operands(&explained("x = torch.zeros(3); x[torch.tensor([1])] = torch.tensor([4.])"))[2],
        "value: Values"
    );
}

#[test]
fn axes_of_subscripts() {
    let index = |axis, along: &[usize]| Origin::Index { operands: vec![1], axis, along: along.to_vec() };
    let axis = |axis, step| Origin::Axis { operand: 0, axis, step };
    assert_eq!(origins(&explained(&format!("{X}x[0, :, i]"))), [axis(1, 1), index(0, &[2])]);
    let numpy = explained_by(&NUMPY, "x = np.arange(24).reshape(2, 3, 4); x[0, :, np.array([0, 1])]");
    assert_eq!(origins(&numpy), [index(0, &[2]), axis(1, 1)]);
    assert_eq!(origins(&explained(&format!("{X}x[1, ::2, None]"))), [axis(1, 2), Origin::New, axis(2, 1)]);
    let mask = Origin::Mask { operand: 1, along: vec![1, 2] };
    assert_eq!(origins(&explained(&format!("{X}x[:, x[0] > 5]"))), [axis(0, 1), mask]);
}

#[test]
fn axes_of_functions_and_views() {
    let axis = |operand, axis, step| Origin::Axis { operand, axis, step };
    let index = |axis, along: &[usize]| Origin::Index { operands: vec![1], axis, along: along.to_vec() };
    let gather = explained(&format!("{X}torch.gather(x[0], 1, torch.tensor([[3, 0], [1, 1]]))"));
    assert_eq!(origins(&gather), [axis(1, 0, 1), index(1, &[1])]);
    assert_eq!(origins(&explained(&format!("{X}torch.take(x, i)"))), [index(0, &[])]);
    let select = explained(&format!("{X}x.index_select(2, i)"));
    assert_eq!(origins(&select), [axis(0, 0, 1), axis(0, 1, 1), index(0, &[2])]);
    let take = explained_by(&NUMPY, "np.take(np.zeros((2, 5, 3)), np.array([[0, 1, 2, 3]]), axis=1)");
    assert_eq!(origins(&take), [axis(0, 0, 1), index(0, &[1]), index(1, &[1]), axis(0, 2, 1)]);
    let nonzero = explained("torch.nonzero(torch.tensor([[0, 1], [2, 0]]))");
    assert_eq!(origins(&nonzero), [Origin::Mask { operand: 0, along: vec![0, 1] }, Origin::Coordinates]);
    assert_eq!(origins(&explained(&format!("{X}x.T"))), [axis(0, 2, 1), axis(0, 1, 1), axis(0, 0, 1)]);
    assert_eq!(origins(&explained(&format!("{X}x[0, 0].expand(2, 4)"))), [Origin::Repeated, axis(0, 0, 1)]);
    assert_eq!(origins(&explained(&format!("{X}torch.flip(i, [0])"))), [axis(0, 0, -1)]);
    let search = explained("torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([[3, 6]]))");
    assert_eq!(origins(&search), [axis(1, 0, 1), axis(1, 1, 1)]);
    let choose = explained("torch.where(torch.tensor([[True], [False]]), torch.zeros(3), torch.ones(2, 3))");
    assert_eq!(choose.results[0].axes.len(), 2);
}

#[test]
fn duplicates_are_told_in_order() {
    let sums = explained("torch.zeros(4).scatter_add_(0, torch.tensor([3, 1, 3]), torch.tensor([1., 2., 3.]))");
    let at = |k: usize| &sums.results[0].cells[k];
    assert_eq!((at(1).at, at(1).how, at(1).with_self), (3, How::Sum, true));
    assert_eq!(at(1).sources.iter().map(|s| s.at).collect::<Vec<_>>(), [0, 2]);
    assert!(matches!(sums.results[0].memory, Memory::InPlace { operand: 0 }));
    let last = explained("x = torch.zeros(3)\nx[torch.tensor([0, 2, 0])] = torch.tensor([5., 6., 7.])");
    let met: Vec<_> = last.results[0].cells[0].sources.iter().map(|s| (s.at, s.used)).collect();
    assert_eq!(met, [(0, false), (2, true)]);
    assert_eq!(values(&last), ["7.0", "0.0", "6.0"]);
}

#[test]
fn the_session_is_as_it_was() {
    let mut session = Session::new(&TORCH);
    let setup = "x = torch.arange(6.); y = x[1:4]; m = torch.tensor([True, False, True]); a = np.array([3, 1, 2]); \
                 w = torch.ones(3, requires_grad=True); s = w[[0, 0]]; s.retain_grad()";
    session.exec(setup).unwrap();
    session.exec("w[[1]].sum().backward()").unwrap();
    session.exec("torch.manual_seed(5)").unwrap();
    let names = ["x", "y", "m", "a", "w", "w.grad", "s.grad", "torch.is_grad_enabled()"];
    let all = |s: &mut Session| names.map(|name| print::repr(&s.eval(name).unwrap()));
    let before = all(&mut session);
    for source in [
        "x.index_add_(0, torch.tensor([0, 0]), torch.tensor([7., 8.]))",
        "x[y > 1] = 9",
        "x[:] = 3",
        "x[0] = y[2]",
        "y.zero_()",
        "m[0] &= False",
        "np.put(a, [0], [9])",
        "a.sort()",
        "np.add.at(a, [0, 0], 1)",
        "torch.take(x, torch.tensor([0]), out=y)",
        "s.sum().backward()",
        "w[[2, 2]].sum().backward()",
        "torch.autograd.grad(s.sum(), w)",
        "torch.set_grad_enabled(False)",
        "x.squeeze_()",
        "torch.randperm(3)",
        "x[99]",
    ] {
        let first = explanation(&mut session, source).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(all(&mut session), before, "{source}");
        assert_eq!(explanation(&mut session, source).unwrap(), first, "{source}");
    }
    // The numbers that explaining drew are drawn again.
    session.exec("r = torch.randperm(5)").unwrap();
    let mut other = Session::new(&TORCH);
    other.exec("torch.manual_seed(5); r = torch.randperm(5)").unwrap();
    assert_eq!(print::repr(session.get("r").unwrap()), print::repr(other.get("r").unwrap()));
    // The history still serves.
    session.exec("s.sum().backward()").unwrap();
}

#[test]
fn operands_that_share_memory_share_it_in_the_picture() {
    let shared = "x = torch.arange(4); y = x[1:]; y.index_copy_(0, torch.tensor([0, 1, 2]), x[:3])";
    let mut session = Session::new(&TORCH);
    let explained = explanation(&mut session, shared);
    let said = session.exec("y.index_copy_(0, torch.tensor([0, 1, 2]), x[:3])");
    match (explained.unwrap(), said) {
        (explained, Ok(Some(value))) => {
            let Value::Array(array) = value else { panic!() };
            let want: Vec<String> = array.tensor().to_vec::<i64>().unwrap().iter().map(i64::to_string).collect();
            assert_eq!(values(&explained), want);
        }
        (explained, said) => assert_eq!(explained.error.unwrap().class, said.unwrap_err().class()),
    }
}

#[test]
fn a_failing_call_names_the_operand_and_every_bad_position() {
    let source = "x = torch.zeros(3); i = torch.tensor([[0, 9], [-4, 2]]); x[i]";
    let error = explained(source).error.unwrap();
    assert_eq!((error.operand, error.at, error.value.as_deref()), (Some(1), Some(1), Some("9")));
    assert_eq!((&error.bad[..], error.count, error.axis, error.size), (&[1, 2][..], Some(2), Some(0), Some(3)));
    assert_eq!((&error.class[..], error.span), ("IndexError", Some([2, 3])));
    let want = Session::new(&TORCH).exec(source).unwrap_err();
    assert_eq!((error.class, error.message), (want.class().to_owned(), want.text().to_owned()));
    let write = explained("torch.zeros(3).scatter_(0, torch.tensor([0, 5, -1]), 1.)").error.unwrap();
    assert_eq!((write.operand, &write.bad[..]), (Some(1), &[1, 2][..]));
    let number = explained(&format!("{X}x[5]")).error.unwrap();
    assert_eq!((number.operand, number.value.as_deref(), number.size), (None, Some("5"), Some(2)));
    let shapes = explained("torch.zeros(2, 3).gather(0, torch.tensor([0]))").error.unwrap();
    assert!(shapes.operand.is_none() && shapes.message.contains("dimension"), "{}", shapes.message);
    let arguments = explained("torch.zeros(3).gather(0)").error.unwrap();
    assert_eq!(arguments.class, "TypeError");
}

#[test]
fn what_comes_before_the_last_operation_fails_as_it_does() {
    let mut session = Session::new(&TORCH);
    for source in ["x[0", "y[0]", "x = torch.zeros(2); x[5]; x[0]", "", "torch.zeros(3)[torch.zeros(2)[7]]", "del x"] {
        let error = explanation(&mut session, source).unwrap_err();
        assert!(error.span().is_some() || source.is_empty(), "{source}: {error}");
    }
}

#[test]
fn several_results_and_those_picked_from_them() {
    let names = |source: &str| -> Vec<String> { explained(source).results.iter().map(|r| r.name.clone()).collect() };
    assert_eq!(names("torch.sort(torch.tensor([3, 1, 2]))"), ["values", "indices"]);
    assert_eq!(names("torch.sort(torch.tensor([3, 1, 2])).values"), ["values", "indices"]);
    assert_eq!(names("a, b = torch.nonzero(torch.ones(2, 2), as_tuple=True)"), ["result1", "result2"]);
    assert_eq!(names("torch.tensor([3, 1]).tolist()"), ["result"]);
    assert_eq!(names("x = torch.zeros(2); x[0] = 1"), ["x"]);
    assert_eq!(explained("print(torch.tensor([3, 1])[0])").operation, "index");
}

#[test]
fn gradients_flow_back_to_leaves() {
    let source = "w = torch.zeros(4, requires_grad=True); y = w[torch.tensor([0, 0, 2])]; \
                  y.backward(torch.tensor([1., 2., 3.]))";
    let explained = explained(source);
    assert_eq!((explained.kind, &explained.results[0].name[..]), (Kind::Gradient, "w.grad"));
    assert_eq!(values(&explained), ["3.0", "0.0", "3.0", "0.0"]);
    let at = explained.operands.iter().position(|o| o.name == "gradient").unwrap();
    let cell = explained.results[0].cells.iter().find(|c| c.at == 0).unwrap();
    assert_eq!(cell.sources.iter().map(|s| (s.operand, s.at)).collect::<Vec<_>>(), [(Some(at), 0), (Some(at), 1)]);
}

/// What a gradient is multiplied by has a number, and the elements it was made of have names: what the way back has kept is
/// among the operands.
#[test]
fn weighted_gradients_name_what_weighs_them() {
    let source = "x = torch.tensor([2., 3.], requires_grad=True); v = torch.tensor([5., 7.], requires_grad=True); \
                  i = torch.tensor([0, 0]); y = x.scatter_reduce(0, i, v, 'prod'); y.backward(torch.tensor([1., 10.]))";
    let explained = explained(source);
    let named = |name: &str| explained.operands.iter().position(|o| o.name == name).unwrap();
    let (x, v, i, gradient) = (named("x"), named("v"), named("i"), named("gradient"));
    assert_eq!(explained.operands[i].role, Role::Index);
    let of = |name: &str, at: usize| {
        let result = explained.results.iter().find(|r| r.name == name).unwrap();
        let cell = result.cells.iter().find(|c| c.at == at).unwrap();
        let [source] = &cell.sources[..] else { panic!("{cell:?}") };
        assert_eq!((source.operand, source.used), (Some(gradient), true));
        let factors = source.factors.iter().map(|p| (p.operand, p.at)).collect::<std::collections::BTreeSet<_>>();
        let by = source.by.iter().map(|p| (p.operand, p.at)).collect::<Vec<_>>();
        (source.at, source.times.as_deref().map(str::to_owned), factors, by)
    };
    let all = std::collections::BTreeSet::from([(x, 0), (v, 0), (v, 1)]);
    assert_eq!(of("v.grad", 1), (0, Some("10.0".into()), all.clone(), vec![(i, 1)]));
    assert_eq!(of("v.grad", 0), (0, Some("14.0".into()), all, vec![(i, 0)]));
    assert_eq!(of("x.grad", 0).1, Some("35.0".into()));
    // What nothing was multiplied into is the gradient that was given.
    let result = explained.results.iter().find(|r| r.name == "x.grad").unwrap();
    match result.cells.iter().find(|cell| cell.at == 1) {
        Some(cell) => {
            let [source] = &cell.sources[..] else { panic!("{cell:?}") };
            assert_eq!((source.operand, source.at, source.times.as_deref()), (Some(gradient), 1, None));
        }
        None => assert_eq!(result.base, Some(gradient)),
    }
}

#[test]
fn added_gradients_are_all_listed() {
    let means = "w = torch.tensor([1., 2., 3.], requires_grad=True); i = torch.tensor([0, 0]); \
                 w.scatter_reduce(0, i, w[1:], 'mean').backward(torch.tensor([3., 6., 9.]))";
    let explained = explained_by(&TORCH, &format!("{means}; w.sum().backward()"));
    let result = &explained.results[0];
    let base = result.base.expect("what was collected before is kept");
    assert_eq!(explained.operands[base].name, "w.grad");
    assert_eq!(values(&explained), ["2.0", "8.0", "11.0"]);
    assert!(result.cells.iter().all(|cell| cell.with_self && cell.how == How::Sum && cell.sources.len() == 1));
    let explained = explained_by(&TORCH, means);
    let terms = |at: usize| {
        let cell = explained.results[0].cells.iter().find(|cell| cell.at == at).unwrap();
        cell.sources.iter().map(|s| (s.at, s.times.clone().unwrap_or("1".into()))).collect::<Vec<_>>()
    };
    let third = (1.0f32 / 3.0).to_string();
    assert_eq!(terms(0), [(0, third.clone())]);
    assert_eq!(terms(1), [(1, "1".to_owned()), (0, third)]);
}

#[test]
fn huge_arrays_are_explained_by_their_layout() {
    let view = explained("torch.zeros(1).expand(10**12)[5:]");
    assert_eq!((&view.results[0].shape[..], view.operands[0].values.as_ref()), (&[999_999_999_995][..], None));
    let read = explained("x = torch.zeros(1).expand(10**12); x[torch.tensor([7, 10**11])]");
    assert_eq!((&read.results[0].shape[..], read.results[0].cells.len()), (&[2][..], 2));
    let error = explained("x = torch.zeros(1).expand(10**12); x[torch.tensor([7, 10**12])]").error.unwrap();
    assert_eq!((error.operand, &error.bad[..]), (Some(1), &[1][..]));
    let large = explained("x = torch.zeros(2000, 2000); x[torch.tensor([5])] = 1");
    assert_eq!(large.results[0].shape, [2000, 2000]);
    assert!(explanation(&mut Session::new(&TORCH), "torch.zeros(10**12)[0]").is_err());
    // Results that no machine has room for are not made either.
    if cfg!(target_os = "linux") {
        for call in
            ["x.contiguous()", "x.index_fill(0, i, 7.)", "torch.flip(x, (0,))", "x.scatter_add(0, i, torch.ones(2))"]
        {
            let source = format!("x = torch.zeros(1).expand(10**12); i = torch.tensor([5, 7]); {call}");
            let made = explained(&source);
            assert_eq!((&made.results[0].shape[..], &made.error), (&[10usize.pow(12)][..], &None), "{call}");
            assert!(made.results[0].values.is_none() && made.sample.is_some(), "{call}");
        }
    }
}

#[test]
fn libraries_side_by_side() {
    let source = "x = torch.arange(24).reshape(2, 3, 4); x[0, :, torch.tensor([0, 1])]";
    let faces = [&TORCH, &NUMPY, &MINDSPORE, &JAX];
    let four = side_by_side(&mut Session::new(&TORCH), source, &faces).unwrap();
    let shapes: Vec<_> = four.columns.iter().map(|c| c.explanation.results[0].shape.clone()).collect();
    assert_eq!(shapes, [[3, 2], [2, 3], [2, 3], [2, 3]]);
    assert_eq!(four.columns.iter().map(|c| c.like).collect::<Vec<_>>(), [0, 1, 1, 1]);
    let outside = "x = torch.arange(3); x[torch.tensor([0, 7])]";
    let both = side_by_side(&mut Session::new(&TORCH), outside, &[&TORCH, &JAX]).unwrap();
    assert!(both.columns[0].explanation.error.is_some() && both.columns[1].explanation.error.is_none() && !both.same);
    let take = "torch.take(torch.tensor([4, 5, 6]), torch.tensor([1, -1]))";
    let both = side_by_side(&mut Session::new(&TORCH), take, &[&TORCH, &NUMPY]).unwrap();
    assert!(both.same, "{both:#?}");
    let lacking = "torch.zeros(3).scatter_add_(0, torch.tensor([0]), torch.ones(1))";
    let both = side_by_side(&mut Session::new(&TORCH), lacking, &[&TORCH, &NUMPY]).unwrap();
    assert_eq!(both.columns[1].explanation.error.as_ref().unwrap().class, "AttributeError");
}

#[test]
fn the_five_rules_side_by_side() {
    let five = bounds(&mut Session::new(&TORCH), "torch.tensor([5, 6, 7])[torch.tensor([1, 4])]").unwrap();
    let said: Vec<String> = five
        .columns
        .iter()
        .map(|c| match &c.explanation.error {
            Some(error) => format!("{}: {}", c.name, error.class),
            None => format!("{}: {}", c.name, values(&c.explanation).join(" ")),
        })
        .collect();
    let least = i64::MIN;
    assert_eq!(said, ["raise: IndexError", "wrap: 6 6", "clip: 6 7", &format!("fill: 6 {least}"), "drop: 6 0"]);
    assert_eq!(five.places, [1]);
    let source = "x = torch.zeros(3); x.scatter_add_(0, torch.tensor([1, 4]), torch.tensor([1., 2.]))";
    let five = bounds(&mut Session::new(&TORCH), source).unwrap();
    let said: Vec<Vec<&str>> = five.columns[1..].iter().map(|c| values(&c.explanation)).collect();
    assert_eq!(said, [["0.0", "3.0", "0.0"], ["0.0", "1.0", "2.0"], ["0.0", "1.0", "0.0"], ["0.0", "1.0", "0.0"]]);
    assert_eq!(five.columns[4].explanation.left_out.len(), 1);
}

#[test]
fn roles_by_function() {
    let roles = |e: &Explanation| e.operands.iter().map(|o| o.role).collect::<Vec<_>>();
    let embedding = explained("torch.nn.functional.embedding(torch.tensor([0, 1]), torch.zeros(3, 2))");
    assert_eq!(roles(&embedding), [Role::Index, Role::Data]);
    let sorter = "np.searchsorted(np.array([3, 1]), np.array([2]), sorter=np.array([1, 0]))";
    assert_eq!(roles(&explained_by(&NUMPY, sorter)), [Role::Sequence, Role::Values, Role::Sorter]);
    let chosen = explained_by(&NUMPY, "np.where(np.array([True, False]), np.array([1, 2]), np.array([3, 4]))");
    assert_eq!(roles(&chosen), [Role::Mask, Role::Data, Role::Data]);
}
