//! The backend node cases of the ONNX package for its indexing operators, run under the ONNX rules.

use serde_json::Value as Json;
use takewise::{DType, Reduce, Tensor};
use takewise_dialects::rules::ONNX;

/// An array of a recorded case: its number and dtype.
fn tensor(json: &Json) -> Tensor {
    let shape: Vec<usize> = json["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let numbers: Vec<f64> = json["data"].as_array().unwrap().iter().map(number).collect();
    let wide = Tensor::from_slice(&numbers, &shape).unwrap();
    wide.to(DType::from_name(json["dtype"].as_str().unwrap()).unwrap()).unwrap()
}

fn number(json: &Json) -> f64 {
    match json.as_str() {
        Some(text) => text.parse().unwrap(),
        None => json.as_f64().unwrap(),
    }
}

/// The combination an attribute names; `none` stores.
fn reduction(attrs: &Json) -> Option<Reduce> {
    match attrs["reduction"].as_str().unwrap_or("none") {
        "none" => None,
        "add" => Some(Reduce::Sum),
        "mul" => Some(Reduce::Prod),
        "max" => Some(Reduce::Max),
        "min" => Some(Reduce::Min),
        other => panic!("reduction {other}"),
    }
}

fn run(op: &str, attrs: &Json, inputs: &[Tensor]) -> takewise::Result<Tensor> {
    let axis = attrs["axis"].as_i64().unwrap_or(0);
    let batch = attrs["batch_dims"].as_u64().unwrap_or(0) as usize;
    let how = reduction(attrs);
    match (op, inputs) {
        ("Gather", [x, i]) => x.gather_axis(axis, i, 0, &ONNX.gather_axis),
        ("GatherElements", [x, i]) => x.gather(axis, i, &ONNX.gather),
        ("GatherND", [x, i]) => x.gather_nd(i, batch, &ONNX.gather_nd),
        ("Scatter" | "ScatterElements", [x, i, v]) => x.scatter(axis, i, v, how, &ONNX.scatter),
        ("ScatterND", [x, i, v]) => x.tensor_scatter(i, v, how, &ONNX.scatter_nd),
        _ => panic!("{op} of {} inputs", inputs.len()),
    }
}

#[test]
fn node_cases_replay() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/onnx.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut seen = std::collections::BTreeMap::new();
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let op = case["op"].as_str().unwrap();
        let inputs: Vec<Tensor> = case["inputs"].as_array().unwrap().iter().map(tensor).collect();
        let got = run(op, &case["attrs"], &inputs).unwrap_or_else(|e| panic!("{}: {e}", case["id"]));
        let want = tensor(&case["output"]);
        let bits = |t: &Tensor| t.to(DType::F64).unwrap().to_vec::<f64>().unwrap();
        assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{}", case["id"]);
        assert_eq!(bits(&got), bits(&want), "{}", case["id"]);
        *seen.entry(op.to_owned()).or_insert(0) += 1;
    }
    let operators = ["Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"];
    assert!(operators.iter().all(|op| seen.get(*op).is_some_and(|n| *n >= 3)), "{seen:?}");
}
