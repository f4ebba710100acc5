//! Printing against texts recorded from torch, NumPy and MindSpore (`tools/record/display.py`).

use takewise::{AnyView, DType, Tensor};
use takewise_dialects::print::{mindspore_repr, mindspore_str, numpy_repr, numpy_str, torch_repr};

/// A tensor of `dtype` from raw elements.
fn tensor(dtype: DType, shape: &[usize], bytes: &[u8]) -> Tensor {
    macro_rules! build {
        ($($d:ident: $t:ty, $n:literal;)*) => {
            match dtype {
                $(DType::$d => {
                    let v: Vec<$t> = bytes.chunks_exact($n).map(|c| <$t>::from_ne_bytes(c.try_into().unwrap())).collect();
                    Tensor::from_slice(&v, shape).unwrap()
                })*
                DType::Bool => Tensor::from_slice(&bytes.iter().map(|b| *b != 0).collect::<Vec<_>>(), shape).unwrap(),
                DType::C64 => {
                    let part = |c: &[u8]| f32::from_ne_bytes(c.try_into().unwrap());
                    let v: Vec<_> = bytes.chunks_exact(8).map(|c| takewise::Complex::new(part(&c[..4]), part(&c[4..]))).collect();
                    Tensor::from_slice(&v, shape).unwrap()
                }
                _ => {
                    let part = |c: &[u8]| f64::from_ne_bytes(c.try_into().unwrap());
                    let v: Vec<_> = bytes.chunks_exact(16).map(|c| takewise::Complex::new(part(&c[..8]), part(&c[8..]))).collect();
                    Tensor::from_slice(&v, shape).unwrap()
                }
            }
        };
    }
    build! {
        U8: u8, 1; U16: u16, 2; U32: u32, 4; U64: u64, 8; I8: i8, 1; I16: i16, 2; I32: i32, 4; I64: i64, 8;
        F16: takewise::f16, 2; BF16: takewise::bf16, 2; F32: f32, 4; F64: f64, 8;
    }
}

fn data(word: &str, dtype: DType, shape: &[usize]) -> Tensor {
    let n: usize = shape.iter().product();
    match word {
        "arange" => Tensor::from_slice(&(0..n as i64).collect::<Vec<_>>(), shape).unwrap().to(dtype).unwrap(),
        "alternate" => Tensor::from_slice(&(0..n).map(|k| k % 2 == 0).collect::<Vec<_>>(), shape).unwrap(),
        "-" => Tensor::zeroed(shape, dtype).unwrap(),
        hex => {
            let byte = |k: usize| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).unwrap();
            tensor(dtype, shape, &(0..hex.len() / 2).map(byte).collect::<Vec<_>>())
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
        let t = data(words[3], DType::from_name(words[1]).unwrap(), &shape);
        let open = t.read_any().unwrap();
        let print: fn(&AnyView<'_>) -> String = match words[0] {
            "torch" => torch_repr,
            "numpy" => numpy_repr,
            "numpy_str" => numpy_str,
            "mindspore" => mindspore_repr,
            "mindspore_str" => mindspore_str,
            other => panic!("no printer {other}"),
        };
        assert_eq!(print(&open.view()), want.join("\n"), "{head}");
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
