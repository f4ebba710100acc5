//! Printing against texts recorded from torch, NumPy and MindSpore (`tools/record/display.py`).

use takewise::{AnyView, DType, Tensor};
use takewise_dialects::print::{mindspore_repr, mindspore_str, numpy_repr, numpy_str, torch_repr};
use takewise_testkit::operand::arr_of;
use takewise_testkit::{Arr, Operand, numel};

fn data(word: &str, dtype: DType, shape: &[usize]) -> Arr {
    match word {
        "arange" => Arr::arange(shape, dtype),
        "alternate" => Arr::mask(shape, &(0..numel(shape)).map(|k| k % 2 == 0).collect::<Vec<_>>()),
        "-" => Arr::zeros(shape, dtype),
        hex => {
            let bytes: Vec<u8> =
                (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect();
            arr_of(&AnyView::of_elements(&bytes, dtype, shape).unwrap())
        }
    }
}

#[test]
fn prints_as_the_libraries_do() {
    let cases = include_str!("data/display.txt");
    let mut lines = cases.lines().peekable();
    let mut count = 0;
    while let Some(head) = lines.next() {
        let mut want = Vec::new();
        while let Some(line) = lines.next_if(|l| l.starts_with('|')) {
            want.push(&line[1..]);
        }
        let words: Vec<&str> = head.split(' ').collect();
        let shape: Vec<usize> =
            if words[2] == "-" { vec![] } else { words[2].split('x').map(|n| n.parse().unwrap()).collect() };
        let x = Operand::plain(&data(words[3], DType::from_name(words[1]).unwrap(), &shape));
        let print: fn(&AnyView<'_>) -> String = match words[0] {
            "torch" => torch_repr,
            "numpy" => numpy_repr,
            "numpy_str" => numpy_str,
            "mindspore" => mindspore_repr,
            "mindspore_str" => mindspore_str,
            other => panic!("no printer {other}"),
        };
        assert_eq!(print(&x.view()), want.join("\n"), "{head}");
        count += 1;
    }
    assert!(count > 400, "{count} cases read");
}

#[test]
fn prints_views_by_coordinate_not_by_memory() {
    let data = [1i64, 2, 3, 4, 5, 6];
    let v = takewise::View::strided(&data, 5, &[3, 2], &[-1, -3]).unwrap();
    assert_eq!(torch_repr(&v.any()), "tensor([[6, 3],\n        [5, 2],\n        [4, 1]])");
}

#[test]
fn suffixes_wrap() {
    let x = Tensor::from_slice(&[10i32; 20], &[20]).unwrap();
    let more = ["grad_fn=<IndexBackward0>".to_owned()];
    let text = takewise_dialects::print::torch_repr_with(&x.read_any().unwrap().view(), &more);
    let tens = |n: usize| vec!["10"; n].join(", ");
    assert_eq!(
        text,
        format!("tensor([{},\n        {}], dtype=torch.int32, grad_fn=<IndexBackward0>)", tens(18), tens(2))
    );
    let x = Tensor::from_slice(&[1.0f64; 9], &[9]).unwrap();
    let text = takewise_dialects::print::torch_repr_with(&x.read_any().unwrap().view(), &more);
    let ones = ["1."; 9].join(", ");
    assert_eq!(text, format!("tensor([{ones}], dtype=torch.float64,\n       grad_fn=<IndexBackward0>)"));
}

#[test]
fn sparse_tensors() {
    let (i, v) = ([0i64, 1, 1, 0], [1.0f32, 2.0]);
    let i = takewise::View::new(&i, &[2, 2]).unwrap();
    let text = takewise_dialects::print::torch_sparse_repr(&i.any(), &takewise::View::from(&v[..]).any(), &[2, 2], &[]);
    let want = "tensor(indices=tensor([[0, 1],\n                       [1, 0]]),\n       values=tensor([1., 2.]),\n       \
                size=(2, 2), nnz=2, layout=torch.sparse_coo)";
    assert_eq!(text, want);
}
