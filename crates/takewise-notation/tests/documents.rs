//! The calls of five tutorials that people learn indexing from (`torch.gather`, subscripts of a tensor, `mindspore.Tensor.gather`,
//! `scatter_`, `torch.searchsorted`), one by one: what is said of each is what its page works out by hand, element for element.

use crate::shared::replay;
use takewise_dialects::{Face, MINDSPORE, TORCH};
use takewise_explain::Explanation;
use takewise_explain::data::{Kind, Pointer};
use takewise_notation::{Session, explanation};

fn explained(face: &'static Face, setup: &str, call: &str) -> Explanation {
    let mut session = Session::new(face);
    session.exec(setup).unwrap_or_else(|e| panic!("{setup}: {e}"));
    let explained = explanation(&mut session, call).unwrap_or_else(|e| panic!("{call}: {e}"));
    replay(&explained).unwrap_or_else(|wrong| panic!("{call}: {wrong}"));
    explained
}

/// An element as the pages write it: `input[1][0]`.
fn place(name: &str, shape: &[usize], at: usize) -> String {
    let mut rest = at;
    let mut coordinates: Vec<usize> = shape.iter().rev().map(|n| (rest % n, rest /= n).0).collect();
    coordinates.reverse();
    coordinates.iter().fold(name.to_owned(), |text, k| format!("{text}[{k}]"))
}

fn element(explained: &Explanation, pointer: Pointer) -> String {
    let operand = &explained.operands[pointer.operand];
    place(&operand.name, &operand.shape, pointer.at)
}

/// The elements of the result, each as `out[0][1]=input[0][0] by index[0][1]`.
fn moves(explained: &Explanation) -> Vec<String> {
    let result = &explained.results[0];
    let one = |(at, source): (usize, &takewise_explain::data::Source)| {
        let from = match (source.operand, &source.value) {
            (Some(operand), _) => element(explained, Pointer { operand, at: source.at }),
            (None, number) => number.clone().unwrap_or_default(),
        };
        let by: Vec<String> = source.by.iter().map(|pointer| element(explained, *pointer)).collect();
        let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
        let name = if result.base.is_some() { "self" } else { "out" };
        format!("{}={from}{by}", place(name, &result.shape, at))
    };
    result.cells.iter().flat_map(|cell| cell.sources.iter().map(move |source| (cell.at, source))).map(one).collect()
}

fn values(explained: &Explanation) -> String {
    explained.results[0].values.as_ref().map_or(String::new(), |values| values.join(" "))
}

#[track_caller]
fn gives(face: &'static Face, setup: &str, call: &str, shape: &[usize], wanted: &str) -> Explanation {
    let explained = explained(face, setup, call);
    assert_eq!(explained.error, None, "{call}");
    assert_eq!((&explained.results[0].shape[..], &values(&explained)[..]), (shape, wanted), "{call}");
    explained
}

const PAIR: &str = "input = torch.tensor([[1, 2], [3, 4]]); index = torch.tensor([[0, 0], [1, 0]])";

#[test]
fn gather() {
    let one = gives(
        &TORCH,
        "input = torch.tensor([1, 2]); index = torch.tensor([0, 0])",
        "out = torch.gather(input, 0, index)",
        &[2],
        "1 1",
    );
    assert_eq!(moves(&one), ["out[0]=input[0] by index[0]", "out[1]=input[0] by index[1]"]);
    let rows = gives(&TORCH, PAIR, "out = torch.gather(input, 0, index)", &[2, 2], "1 2 3 2");
    let wanted = [
        "out[0][0]=input[0][0] by index[0][0]",
        "out[0][1]=input[0][1] by index[0][1]",
        "out[1][0]=input[1][0] by index[1][0]",
        "out[1][1]=input[0][1] by index[1][1]",
    ];
    assert_eq!(moves(&rows), wanted);
    let columns = gives(&TORCH, PAIR, "out = torch.gather(input, 1, index)", &[2, 2], "1 1 4 3");
    let wanted = [
        "out[0][0]=input[0][0] by index[0][0]",
        "out[0][1]=input[0][0] by index[0][1]",
        "out[1][0]=input[1][1] by index[1][0]",
        "out[1][1]=input[1][0] by index[1][1]",
    ];
    assert_eq!(moves(&columns), wanted);
    // The pages write the index where it is used.
    let written = "torch.gather(input, 1, torch.tensor([[0, 0], [1, 0]]))";
    assert_eq!(moves(&gives(&TORCH, PAIR, written, &[2, 2], "1 1 4 3")), wanted);
    let six = "input_tensor = torch.tensor([[1, 2, 3], [4, 5, 6]]); index = ";
    let narrow = format!("{six}torch.tensor([[1, 0], [2, 0]])");
    gives(&TORCH, &narrow, "out = torch.gather(input_tensor, 1, index)", &[2, 2], "2 1 6 4");
    let wide = format!("{six}torch.tensor([[1, 0, 1, 0], [2, 0, 2, 0]])");
    gives(&TORCH, &wide, "out = torch.gather(input_tensor, 1, index)", &[2, 4], "2 1 2 1 6 4 6 4");
}

/// `out[i][j][k] = input[index[i][j][k]][j][k]` and so on, for every element.
#[test]
fn gather_of_three_axes() {
    let setup = "input = torch.arange(8).reshape(2, 2, 2); index = torch.tensor([[[1, 0], [0, 1]], [[0, 0], [1, 1]]])";
    let index = [1, 0, 0, 1, 0, 0, 1, 1];
    for dim in 0..3 {
        let explained = explained(&TORCH, setup, &format!("torch.gather(input, {dim}, index)"));
        for (at, cell) in explained.results[0].cells.iter().enumerate() {
            let mut from = [at / 4, at / 2 % 2, at % 2];
            from[dim] = index[at];
            let wanted = format!("input[{}][{}][{}]", from[0], from[1], from[2]);
            let source = &cell.sources[0];
            assert_eq!(element(&explained, Pointer { operand: 0, at: source.at }), wanted);
            assert_eq!((source.by.len(), source.by[0].at), (1, at));
        }
    }
}

const A: &str = "a = torch.tensor([0, 1, 2, 3, 4])";
const B: &str = "b = torch.tensor([[0, 1], [2, 3], [4, 5]])";

#[test]
fn integers_and_lists_in_subscripts() {
    gives(&TORCH, A, "a[0]", &[], "0");
    gives(&TORCH, A, "a[3]", &[], "3");
    let row = gives(&TORCH, B, "b[1]", &[2], "2 3");
    assert_eq!((row.kind, moves(&row)), (Kind::View, vec!["out[0]=b[1][0]".into(), "out[1]=b[1][1]".into()]));
    gives(&TORCH, B, "b[:, 1]", &[3], "1 3 5");
    gives(&TORCH, B, "b[1, 1]", &[], "3");
    let list = gives(&TORCH, A, "a[[1, 2, 1]]", &[3], "1 2 1");
    assert_eq!(moves(&list), ["out[0]=a[1] by index[0]", "out[1]=a[2] by index[1]", "out[2]=a[1] by index[2]"]);
    let rows = gives(&TORCH, B, "b[[2, 0, 2]]", &[3, 2], "4 5 0 1 4 5");
    let wanted = ["b[2][0] by index[0]", "b[2][1] by index[0]", "b[0][0] by index[1]", "b[0][1] by index[1]"];
    let told = moves(&rows);
    assert!(told.iter().zip(wanted).all(|(told, wanted)| told.ends_with(wanted)), "{told:?}");
    let c = "c = torch.tensor([[0.6478, 0.3120, 0.6656], [0.4470, 0.6383, 0.6878], [0.9854, 0.9709, 0.4868], \
             [0.1797, 0.3453, 0.9005]])";
    let wanted = "0.447 0.6383 0.6878 0.9854 0.9709 0.4868 0.447 0.6383 0.6878";
    gives(&TORCH, c, "c[[1, 2, 1]]", &[3, 3], wanted);
}

#[test]
fn masks_in_subscripts() {
    let mask = format!("{A}; boolt_1 = torch.tensor([False, True, False, True, True])");
    let taken = gives(&TORCH, &mask, "a[boolt_1]", &[3], "1 3 4");
    assert_eq!((taken.masks[0].count, &taken.masks[0].places[..]), (3, &[1, 3, 4][..]));
    assert_eq!(moves(&taken)[0], "out[0]=a[1] by boolt_1[1]");
    let mask = format!("{B}; boolt_2 = torch.tensor([True, False, True])");
    gives(&TORCH, &mask, "b[boolt_2]", &[2, 2], "0 1 4 5");
    let mask = format!("{B}; boolt_3 = torch.tensor([[False, True], [True, False], [True, True]])");
    gives(&TORCH, &mask, "b[boolt_3]", &[4], "1 2 4 5");
    let mask = format!("{B}; boolt_4 = torch.tensor([[False, True], [True, False]])");
    let error = explained(&TORCH, &mask, "b[boolt_4]").error.unwrap();
    let says =
        "The shape of the mask [2, 2] at index 0 does not match the shape of the indexed tensor [3, 2] at index 0";
    assert!(error.class == "IndexError" && error.message.starts_with(says), "{error:?}");
}

#[test]
fn slices_and_index_arrays_in_subscripts() {
    gives(&TORCH, A, "a[1:3]", &[2], "1 2");
    gives(&TORCH, A, "a[0:4:2]", &[2], "0 2");
    gives(&TORCH, B, "b[0:2, 0:1]", &[2, 1], "0 2");
    gives(&TORCH, B, "b[1:, 1:]", &[2, 1], "3 5");
    let d = "d = torch.tensor([[[2, 1, 4], [4, 1, 1], [1, 2, 4]], [[1, 4, 4], [0, 3, 4], [1, 2, 2]], \
             [[4, 4, 4], [1, 3, 3], [0, 0, 4]]])";
    gives(&TORCH, d, "d[:, 1:2, 0:2]", &[3, 1, 2], "4 1 0 3 1 3");
    gives(&TORCH, d, "d[[2, 0, 1], 1:2, 0:2]", &[3, 1, 2], "1 3 4 1 0 3");
    gives(&TORCH, &format!("{A}; idx_0 = torch.tensor([[3, 2], [1, 4]])"), "a[idx_0]", &[2, 2], "3 2 1 4");
    let both = format!("{B}; idx_0 = torch.tensor([[1, 0], [2, 1]]); idx_1 = torch.tensor([0, 1])");
    let fancy = gives(&TORCH, &both, "b[idx_0, idx_1]", &[2, 2], "2 1 4 3");
    // The four pairs of coordinates, the second index stretched over the rows.
    let wanted = [
        "out[0][0]=b[1][0] by idx_0[0][0], idx_1[0]",
        "out[0][1]=b[0][1] by idx_0[0][1], idx_1[1]",
        "out[1][0]=b[2][0] by idx_0[1][0], idx_1[0]",
        "out[1][1]=b[1][1] by idx_0[1][1], idx_1[1]",
    ];
    assert_eq!(moves(&fancy), wanted);
}

#[test]
fn gather_of_mindspore() {
    let setup = "input = Tensor([[-0.1, 0.3, 3.6], [0.4, 0.5, -3.2]], mindspore.float32); \
                 index = Tensor([[0, 0], [1, 1]], mindspore.int32)";
    let along = gives(&MINDSPORE, setup, "output = input.gather(1, index)", &[2, 2], "-0.1 -0.1 0.5 0.5");
    assert_eq!(moves(&along)[2], "out[1][0]=input[1][1] by index[1][0]");
    let seven = "input_params = Tensor([1, 2, 3, 4, 5, 6, 7], mindspore.float32); axis = 0; input_indices = ";
    let call = "output = input_params.gather(input_indices=input_indices, axis=axis)";
    let setup = format!("{seven}Tensor([0, 2, 4, 2, 6], mindspore.int32)");
    let one = gives(&MINDSPORE, &setup, call, &[5], "1.0 3.0 5.0 3.0 7.0");
    assert_eq!(moves(&one)[3], "out[3]=input_params[2] by input_indices[3]");
    let setup = format!("{seven}Tensor([[0, 2], [2, 6]], mindspore.int32)");
    gives(&MINDSPORE, &setup, call, &[2, 2], "1.0 3.0 3.0 7.0");
    let twelve = "input_params = Tensor([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], mindspore.float32); ";
    let setup = format!("{twelve}input_indices = Tensor([0, 2], mindspore.int32); axis = 0");
    gives(&MINDSPORE, &setup, call, &[2, 4], "1.0 2.0 3.0 4.0 9.0 10.0 11.0 12.0");
    let setup = format!("{twelve}input_indices = Tensor([0, 2, 1], mindspore.int32); axis = 1; batch_dims = 1");
    let batch = gives(
        &MINDSPORE,
        &setup,
        "output = input_params.gather(input_indices, axis, batch_dims)",
        &[3],
        "1.0 7.0 10.0",
    );
    let wanted = ["input_params[0][0]", "input_params[1][2]", "input_params[2][1]"];
    let told = moves(&batch);
    assert!(told.iter().zip(wanted).all(|(told, wanted)| told.contains(wanted)), "{told:?}");
    // What the page says of the shape of its last index is not what it uses.
    let setup = format!("{twelve}input_indices = Tensor([0, 2], mindspore.int32)");
    assert!(explained(&MINDSPORE, &setup, "input_params.gather(input_indices, 1, 1)").error.is_some());
}

#[test]
fn scatter() {
    let setup = "a = torch.arange(1, 6).long(); i = torch.LongTensor([4,3,2]); t = torch.zeros(10).long()";
    let one = gives(&TORCH, setup, "t.scatter_(0, i, a)", &[10], "0 0 3 2 1 0 0 0 0 0");
    assert_eq!(moves(&one), ["self[2]=a[2] by i[2]", "self[3]=a[1] by i[1]", "self[4]=a[0] by i[0]"]);
    // Nothing is said of the two elements of the source that the index does not reach: they are no part of the call.
    assert!(one.left_out.is_empty());
    let error = explained(&TORCH, setup, "t.scatter_(1, i, a)").error.unwrap();
    let says = "Dimension out of range (expected to be in range of [-1, 0], but got 1)";
    assert!(error.class == "IndexError" && error.message.starts_with(says), "{error:?}");
    let setup = "a = torch.arange(1, 11).long().reshape(2,5); i = torch.LongTensor([[4], [3]]); \
                 t = torch.zeros(10).long().reshape(2, 5)";
    let two = gives(&TORCH, setup, "t.scatter_(1, i, a)", &[2, 5], "0 0 0 0 1 0 0 0 6 0");
    assert_eq!(moves(&two), ["self[0][4]=a[0][0] by i[0][0]", "self[1][3]=a[1][0] by i[1][0]"]);
    // A single number for a source.
    let number = gives(&TORCH, setup, "t.scatter_(1, i, 7)", &[2, 5], "0 0 0 0 7 0 0 0 7 0");
    assert_eq!(moves(&number)[0], "self[0][4]=7 by i[0][0]");
}

#[test]
fn searchsorted() {
    let setup = "sorted_sequence = torch.tensor([[1, 3, 5, 7, 9], [2, 4, 6, 8, 10]]); \
                 values = torch.tensor([[3, 6, 9], [3, 6, 9]]); sorted_sequence_1d = torch.tensor([1, 3, 5, 7, 9])";
    let calls = [
        ("torch.searchsorted(sorted_sequence, values)", "1 3 4 1 2 4"),
        ("torch.searchsorted(sorted_sequence, values, side='right')", "2 3 5 1 3 4"),
        ("torch.searchsorted(sorted_sequence_1d, values)", "1 3 4 1 3 4"),
    ];
    for (call, wanted) in calls {
        let found = gives(&TORCH, setup, call, &[2, 3], wanted);
        assert_eq!((found.kind, found.searches.len()), (Kind::Search, 6));
        for search in &found.searches {
            let held = |operand: usize, at: usize| {
                found.operands[operand].values.as_ref().unwrap()[at].parse::<i64>().unwrap()
            };
            let value = held(search.value.operand, search.value.at);
            let row = |k: usize| held(search.sequence, search.row + k);
            // `sequence[i-1] < value <= sequence[i]`, and with the other sides where the right one is asked for.
            let before = |k: usize| if search.right { row(k) <= value } else { row(k) < value };
            assert!((0..search.found).all(before) && !(search.found..search.length).any(before), "{call}: {search:?}");
        }
    }
}
