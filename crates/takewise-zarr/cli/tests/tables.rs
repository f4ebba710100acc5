//! The command on Parquet and Arrow tables: columns by name, results as tables, pipes, and what is refused.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use takewise::Tensor;
use takewise_arrow::{Format, Table, write};
use tempfile::TempDir;

const NAMES: [&str; 3] = ["t.parquet", "t.arrow", "t.arrows"];

fn takewise(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_takewise"))
        .current_dir(dir)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn ok(dir: &Path, args: &[&str]) -> String {
    let out = takewise(dir, args, b"");
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn fails(dir: &Path, args: &[&str], status: i32) -> String {
    let out = takewise(dir, args, b"");
    assert_eq!(out.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&out.stdout));
    String::from_utf8(out.stderr).unwrap()
}

/// `t.parquet`, `t.arrow` and `t.arrows` with the same columns, and the numbers of them in `t.csv`; `i.npy` holds `[2, 0]`.
fn inputs() -> TempDir {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let id = Tensor::from_vec(vec![3i64, 1, 2], &[3]).unwrap();
    let price = Tensor::from_vec(vec![0.5f32, 2.5, 4.0], &[3]).unwrap();
    let sold = Tensor::from_vec(vec![true, false, true], &[3]).unwrap();
    for (name, format) in NAMES.iter().zip([Format::Parquet, Format::Arrow, Format::ArrowStream]) {
        let file = fs::File::create(d.join(name)).unwrap();
        write(file, format, &[("id", &id), ("price", &price), ("sold", &sold)], 3).unwrap();
    }
    fs::write(d.join("t.csv"), "id,price,sold\n3,0.5,True\n1,2.5,False\n2,4.0,True\n").unwrap();
    ok(d, &["eval", "torch.tensor([2, 0])", "-o", "i.npy"]);
    dir
}

#[test]
fn columns_are_named_as_in_text() {
    let dir = inputs();
    let d = dir.path();
    for name in NAMES {
        assert_eq!(
            ok(d, &["eval", "x.gather(0, i)", &format!("x={name}#price"), "i=i.npy"]),
            "tensor([4.0000, 0.5000])\n"
        );
        for key in ["#id", "#0", "#sold", "#sold,2", "#id,price", "#price,id,price"] {
            let of = |file: &str| ok(d, &["eval", "x.tolist()", &format!("x={file}{key}")]);
            assert_eq!(of(name), of("t.csv"), "{name}{key}");
        }
        for key in ["", "#cost", "#id,cost", "#3", "#id,sold"] {
            let of = |file: &str| fails(d, &["eval", "x", &format!("x={file}{key}")], 1).replace(file, "");
            assert_eq!(of(name), of("t.csv"), "{name}{key}");
        }
        let rows = ok(d, &["explain", "x[i]", &format!("x={name}#id"), "i=i.npy"]);
        assert!(rows.contains("3"), "{rows}");
    }
    assert!(fails(d, &["eval", "x", "x=none.parquet"], 1).ends_with("none.parquet: no such file\n"));
}

#[test]
fn tables_are_described() {
    let dir = inputs();
    let d = dir.path();
    for (name, format) in NAMES.iter().zip(["parquet", "arrow", "arrow stream"]) {
        let wanted =
            format!("{name}: {format}, 3 columns, 3 rows\n  'id': int64\n  'price': float32\n  'sold': bool\n");
        assert_eq!(ok(d, &["info", name]), wanted);
    }
    assert!(ok(d, &["info"]).contains(", tsv, parquet, arrow"));
    // One bad file is no reason not to describe the next.
    fs::write(d.join("bad.parquet"), "PAR1").unwrap();
    let out = takewise(d, &["info", "bad.parquet", "t.arrow"], b"");
    let (said, told) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(said.starts_with("t.arrow: arrow") && told.contains("bad.parquet: is cut short"), "{said}{told}");
}

#[test]
fn results_are_columns() {
    let dir = inputs();
    let d = dir.path();
    let names = |file: &str| {
        let table = Table::open(d.join(file)).unwrap();
        table.columns().iter().map(|c| format!("{} {}", c.name(), c.type_name())).collect::<Vec<_>>()
    };
    for name in ["o.parquet", "o.pq", "o.arrow", "o.feather", "o.ipc", "o.arrows"] {
        for (expression, columns) in [
            ("torch.tensor([3, 1, 2])", &["0 int64"][..]),
            ("torch.arange(6.).reshape(3, 2)", &["0 float32", "1 float32"]),
            ("(torch.tensor([1, 2]), torch.tensor([True, False]))", &["0 int64", "1 bool"]),
            ("torch.sort(torch.tensor([0.5, -1.]))", &["values float32", "indices int64"]),
            ("torch.arange(6.).reshape(3, 2).T", &["0 float32", "1 float32", "2 float32"]),
            ("torch.tensor(2.5)", &["0 float32"]),
            ("torch.zeros(0, 2, dtype=torch.uint8)", &["0 uint8", "1 uint8"]),
            ("7", &["0 int64"]),
        ] {
            ok(d, &["eval", expression, "-o", name]);
            assert_eq!(names(name), columns, "{name} {expression}");
        }
        let shown = ok(d, &["eval", "x = torch.arange(6.).reshape(2, 3).half(); x", "-o", name]);
        assert_eq!(shown, "");
        let back = ok(d, &["eval", "x.shape, x.dtype, x[1].tolist()", &format!("x={name}")]);
        assert_eq!(back, "(torch.Size([2, 3]), torch.float16, [3.0, 4.0, 5.0])\n");
    }
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let dir = inputs();
    let d = dir.path();
    fs::write(d.join("o.parquet"), "before").unwrap();
    for (expression, told) in [
        ("torch.zeros(2, 2, 2)", "a table has two axes, the result has 3: [2, 2, 2]"),
        ("torch.zeros(2, dtype=torch.complex64)", "column '0': Parquet has no complex64 values"),
        ("torch.zeros(2, dtype=torch.bfloat16)", "column '0': Parquet has no bfloat16 values: convert it to float32"),
        ("(torch.zeros(2), torch.zeros(3))", "columns have one axis and one length"),
        ("torch.zeros(3, 0)", "without columns has no rows"),
        ("()", "a table has columns, the result has none"),
        ("torch.gather", "is no table"),
        ("x[9]", "index 9 is out of bounds"),
    ] {
        let said = fails(d, &["eval", expression, "x=t.parquet#id", "-o", "o.parquet"], 1);
        assert!(said.contains(told), "{expression}: {said}");
        assert_eq!(fs::read(d.join("o.parquet")).unwrap(), b"before", "{expression}");
    }
    assert!(fails(d, &["eval", "1", "--format", "parquet"], 2).contains("give a file with -o"));
    assert!(fails(d, &["eval", "1", "-o", "none/o.parquet"], 2).contains("its directory does not exist"));
    let left =
        fs::read_dir(d).unwrap().map(|e| e.unwrap().file_name()).filter(|n| n.to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0);
}

#[test]
fn tables_go_through_pipes() {
    let dir = inputs();
    let d = dir.path();
    for format in ["parquet", "arrow", "arrow-stream"] {
        let out = takewise(
            d,
            &["eval", "print('seen'); x[i]", "x=t.arrow#price", "i=i.npy", "-o", "-", "--format", format],
            b"",
        );
        assert!(out.status.success() && out.stderr == b"seen\n");
        let next = takewise(d, &["eval", "y", "y=-#0"], &out.stdout);
        assert_eq!(String::from_utf8_lossy(&next.stdout), "tensor([4.0000, 0.5000])\n", "{format}");
        let cut = takewise(d, &["eval", "y", "y=-"], &out.stdout[..out.stdout.len() - 1]);
        let told = String::from_utf8_lossy(&cut.stderr).into_owned();
        assert!(cut.status.code() == Some(1) && told.starts_with("takewise: -: is cut short"), "{format}: {told}");
    }
    // A table that is written over itself was read first.
    ok(d, &["eval", "x[i]", "x=t.parquet#id", "i=i.npy", "-o", "t.parquet"]);
    assert_eq!(ok(d, &["eval", "x", "x=t.parquet"]), "tensor([2, 3])\n");
}
