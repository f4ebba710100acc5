//! The command on Zarr arrays: results, what is read, and what is said where nothing can be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use takewise::{DType, Tensor, ix};
use takewise_zarr::{Array, Compressor, Create};
use tempfile::TempDir;

const SHAPE: [usize; 3] = [12, 10, 7];

fn takewise(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_takewise")).current_dir(dir).args(args).stdin(Stdio::null()).output().unwrap()
}

fn ok(dir: &Path, args: &[&str]) -> String {
    let out = takewise(dir, args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn fails(dir: &Path, args: &[&str], status: i32) -> String {
    let out = takewise(dir, args);
    assert_eq!(out.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&out.stdout));
    String::from_utf8(out.stderr).unwrap()
}

/// 0, 1, 2, ... as float32, in chunks and in shards of chunks, and the same in a file; index arrays in files.
fn inputs() -> TempDir {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let count = SHAPE.iter().product::<usize>() as i64;
    let values = Tensor::arange(0, count, 1, Some(DType::F32)).unwrap().reshape(&SHAPE.map(|n| n as i64)).unwrap();
    for (name, shards) in [("x.zarr", None), ("s.zarr", Some([8, 8, 4]))] {
        let new = Create::new(&SHAPE, DType::F32, &[4, 4, 4]);
        let new = shards.map_or_else(|| new.clone(), |shards| new.clone().shards(&shards));
        let made = new.create(d.join(name)).unwrap();
        made.set(&ix![], values.read_any().unwrap().view().clone()).unwrap();
    }
    ok(d, &["eval", "torch.arange(840.).reshape(12, 10, 7)", "-o", "x.npy"]);
    ok(d, &["eval", "torch.tensor([11, 0, 3])", "-o", "i.npy"]);
    ok(d, &["eval", "torch.tensor([9, 0, 4])", "-o", "j.npy"]);
    dir
}

/// The files of the chunks of an array.
fn chunks(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    files
        .into_iter()
        .chain(folders.iter().flat_map(|path| chunks(path)))
        .filter(|p| !p.ends_with("zarr.json"))
        .collect()
}

/// Spoils all chunks but those.
fn only(folder: &Path, kept: &[&str]) {
    let kept: Vec<PathBuf> = kept.iter().map(|key| folder.join(key)).collect();
    for path in chunks(folder) {
        if !kept.contains(&path) {
            fs::write(path, "spoiled").unwrap();
        }
    }
}

/// Expressions of every library, of views of views, and statements.
const EXPRESSIONS: &[&str] = &[
    "x",
    "x[0, 1, 2]",
    "x[i, j]",
    "x[i, 2:5]",
    "x[:, torch.tensor([6, 0]), 3]",
    "x[..., -1]",
    "x[5]",
    "x[5][torch.tensor([3, 0])]",
    "x[1:9:3][:, 2][None, -1]",
    "x[None][0:1, ..., 3][0, 2]",
    "x[None][:0]",
    "x[2:2]",
    "x[x > 835]",
    "x[torch.tensor(3)][0]",
    "x.shape, x.dtype, x.ndim, len(x), x.size(), x.size(-1), x.numel(), x.dim()",
    "x[0, 0].numel(), x if len(x) > 3 else 0",
    "torch.gather(x, 1, torch.tensor([[[9], [0]], [[3], [3]]]))",
    "x[2:].gather(2, torch.tensor([[[6, 0]], [[3, 3]]]))",
    "x.take(torch.tensor([839, 0, -1]))",
    "x.index_select(1, j)",
    "x[3:, 1].index_select(-1, torch.tensor([6, 6, 0]))",
    "x.index_select(0, torch.tensor([], dtype=torch.int64)).shape",
    "torch.take_along_dim(x, torch.tensor([[[3]]]), 0)[:, :2]",
    "x[0].masked_select(x[0] > 60)",
    "torch.index_select(x.select(0, 2), 0, j)",
    "x.narrow(0, 3, 2)[0, 0]",
    "x.T[0, 0]",
    "torch.searchsorted(x[0, 0], torch.tensor([2.5]))",
    "a, b = x[:2, 0, 0]; b",
    "[x[0, 0], (x[1, 1],)]",
    "y = x[3]; y[0] = -1; x[3, :2, :2]",
    "y = x[3]; z = y[:, 2]; x[3, 0, 2] = -1; x[3, 1, 2] = 5; z",
    "y = x[3]; y.zero_(); x[3, 0], x[4, 0, 0]",
    "y = x[3]; z = y.T; z[0, 0] = -1; x[3, 0, 0]",
    "y = x; y is x",
    "x[2:4, 0] = 7; x[1:5, 0, 0]",
    "x.requires_grad_(True); x[i].requires_grad",
];

/// Those in NumPy's words.
const OF_NUMPY: &[&str] = &[
    "np.take(x, [11, -1, 0], axis=0)[:, 0]",
    "x[:, [1, 2], ::-2]",
    "x[2:8:2][::-1, 1][[0, -1]]",
    "x[0, 1, 2], x[0, 1, 2].dtype, x[..., 0][0, 0]",
    "np.take(x, [900, -1], mode='clip')",
    "np.take_along_axis(x, np.array([[[3]]]), 1).shape",
    "np.compress([True, False, True], x, axis=1)[0]",
    "np.extract(np.zeros((12, 10, 7)) == 0, x)[:3]",
    "x.take([5, 2]), x.nbytes, x.itemsize",
    "np.put(x, [0, 1], [5, 6]); x[0, 0]",
    "v = x[0]; np.put(v, [0, 1], [5, 6]); x[0, 0]",
];

#[test]
fn every_expression_gives_what_it_gives_of_a_file() {
    let dir = inputs();
    let d = dir.path();
    let all = EXPRESSIONS.iter().map(|e| ("torch", e)).chain(OF_NUMPY.iter().map(|e| ("numpy", e)));
    for (dialect, expression) in all {
        let of = |file: &str| {
            let operand = format!("x={file}");
            let out = takewise(d, &["eval", expression, &operand, "i=i.npy", "j=j.npy", "--dialect", dialect]);
            (out.status.code(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
        };
        let wanted = of("x.npy");
        assert_eq!(wanted.0, Some(0), "{expression}: {}", wanted.2);
        assert_eq!(of("x.zarr"), wanted, "{expression}");
        assert_eq!(of("s.zarr"), wanted, "{expression}");
    }
}

#[test]
fn errors_are_those_of_the_libraries() {
    let dir = inputs();
    for (dialect, expression) in [
        ("torch", "x[torch.tensor([0, 12])]"),
        ("torch", "x[0][10]"),
        ("torch", "x[::-1]"),
        ("torch", "x.gather(0, torch.tensor([[[12]]]))"),
        ("torch", "x[3].index_select(1, torch.tensor([7]))"),
        ("torch", "x.nothing"),
        ("torch", "x[0, 0, 0, 0]"),
        ("numpy", "np.take(x, [12], axis=0)"),
        ("numpy", "x[[0, 12], 1]"),
        ("numpy", "x[1.5]"),
        ("numpy", "np.take(x, [0], axis=3)"),
    ] {
        let of = |file: &str| fails(dir.path(), &["eval", expression, &format!("x={file}"), "--dialect", dialect], 1);
        assert_eq!(of("x.zarr"), of("x.npy"), "{expression}");
    }
}

#[test]
fn chunks_that_are_not_touched_are_not_read() {
    for (expression, kept) in [
        ("x[i, j]", &["c/2/2/0", "c/2/2/1", "c/0/0/0", "c/0/0/1", "c/0/1/0", "c/0/1/1"][..]),
        ("x[0, 0]", &["c/0/0/0", "c/0/0/1"]),
        ("y = x[5]; y[torch.tensor([3, 0]), 2]", &["c/1/0/0"]),
        ("x[4:8][:, 0].index_select(1, torch.tensor([6]))", &["c/1/0/1"]),
        ("torch.gather(x, 2, torch.tensor([[[5]]]))", &["c/0/0/1"]),
        ("x.take(torch.tensor([839]))", &["c/2/2/1"]),
        ("torch.searchsorted(x[0, 0], torch.tensor([2.5]))", &["c/0/0/0", "c/0/0/1"]),
        ("x.shape, len(x), x[3:].size(), x[1:3].dtype", &[]),
        ("x[0, 0, :3].clone()", &["c/0/0/0"]),
    ] {
        let dir = inputs();
        let d = dir.path();
        let args = ["eval", expression, "x=x.zarr", "i=i.npy", "j=j.npy"];
        let wanted = ok(d, &args);
        only(&d.join("x.zarr"), kept);
        assert_eq!(ok(d, &args), wanted, "{expression}");
        // What is touched is needed.
        only(&d.join("x.zarr"), &[]);
        if !kept.is_empty() {
            let told = fails(d, &args, 1);
            assert!(told.contains("cannot be decoded"), "{told}");
        }
    }
}

#[test]
fn results_are_written_and_arrays_stay_as_they_are() {
    let dir = inputs();
    let d = dir.path();
    ok(d, &["eval", "x[i, j] = -1; x", "x=x.zarr", "i=i.npy", "j=j.npy", "-o", "y.npy"]);
    assert_eq!(ok(d, &["eval", "y[0, 0, 0]", "y=y.npy"]).trim(), "tensor(-1.)");
    assert_eq!(Array::open(d.join("x.zarr")).unwrap().index(&ix![0, 0, 0]).unwrap().to_vec::<f32>().unwrap(), [0.0]);
    ok(d, &["eval", "x[3]", "x=x.zarr", "-o", "z.npy"]);
    assert_eq!(ok(d, &["eval", "z.shape", "z=z.npy"]).trim(), "torch.Size([10, 7])");
}

#[test]
fn arrays_are_described_and_explained() {
    let dir = inputs();
    let d = dir.path();
    assert_eq!(
        ok(d, &["info", "s.zarr"]),
        "s.zarr: zarr folder, version 3\n  float32 [12, 10, 7], chunks of [4, 4, 4] in shards of [8, 8, 4], 3.3 KiB\n"
    );
    assert!(ok(d, &["info"]).contains("files: npy, npz, safetensors, gguf, raw, csv, tsv, parquet, arrow, zarr\n"));
    let of = |file: &str| ok(d, &["explain", "x[0, i, 1:3]", &format!("x={file}"), "i=j.npy"]);
    assert_eq!(of("x.zarr"), of("x.npy"));
    let of =
        |file: &str| ok(d, &["explain", "y = x[2]; y.index_select(0, i)", &format!("x={file}"), "i=j.npy", "--json"]);
    assert_eq!(of("x.zarr").matches("\"name\"").count(), of("x.npy").matches("\"name\"").count());
}

#[test]
fn groups_and_their_arrays() {
    let dir = inputs();
    let d = dir.path();
    fs::create_dir(d.join("g.zarr")).unwrap();
    fs::write(d.join("g.zarr/zarr.json"), r#"{"zarr_format": 3, "node_type": "group", "attributes": {}}"#).unwrap();
    Create::new(&[4], DType::I32, &[2]).fill(7).create(d.join("g.zarr/deep/a")).unwrap();
    assert_eq!(ok(d, &["eval", "x", "x=g.zarr#deep/a"]).trim(), "tensor([7, 7, 7, 7], dtype=torch.int32)");
    assert_eq!(ok(d, &["eval", "x[1]", "x=g.zarr/deep/a", "--dialect", "numpy"]).trim(), "np.int32(7)");
    let told = fails(d, &["eval", "x", "x=g.zarr"], 1);
    assert!(told.contains("is a group"), "{told}");
    let told = fails(d, &["eval", "x", "x=g.zarr#b"], 1);
    assert!(told.contains("holds no Zarr array"), "{told}");
    fails(d, &["info", "g.zarr", "s.zarr"], 1);
}

#[test]
#[cfg(not(feature = "remote"))]
fn what_reads_urls_is_told() {
    let told = fails(Path::new("."), &["eval", "x[0]", "x=https://example.org/x.zarr"], 1);
    assert!(
        told.starts_with("takewise: https://example.org/x.zarr: is a URL, and this build reads folders:"),
        "{told}"
    );
    assert!(told.contains("--features remote"), "{told}");
}

#[test]
fn dates_are_moved_to_files() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("days.zarr");
    let made = Create::new(&[3], DType::I64, &[3]).compressor(Compressor::None).create(&folder).unwrap();
    made.set(&ix![], &[18262i64, 18263, 18264]).unwrap();
    let metadata = fs::read_to_string(folder.join("zarr.json")).unwrap();
    let days = r#"{"name": "numpy.datetime64", "configuration": {"unit": "D", "scale_factor": 1}}"#;
    fs::write(folder.join("zarr.json"), metadata.replace("\"int64\"", days)).unwrap();
    assert!(ok(dir.path(), &["info", "days.zarr"]).contains("datetime64[D] [3]"));
    ok(dir.path(), &["eval", "x[[2, 0]]", "x=days.zarr", "-o", "o.csv"]);
    assert_eq!(fs::read_to_string(dir.path().join("o.csv")).unwrap(), "2020-01-03\n2020-01-01\n");
}
