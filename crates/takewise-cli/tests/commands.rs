//! The `takewise` binary on real files: exit statuses, messages, formats, and what is left on disk.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::shared::{fails, inputs, leftovers, npy, ok, takewise, text};
use tempfile::TempDir;

#[test]
fn evaluates_files_in_the_dialect_of_the_names() {
    let dir = inputs();
    let d = dir.path();
    assert_eq!(
        ok(d, &["eval", "x[i, 0, 1:3]", "x=x.npy", "i=i.npy"]),
        "tensor([[13., 14.],\n        [ 1.,  2.],\n        [13., 14.]])\n"
    );
    let numpy = ok(d, &["eval", "np.take(x[0, 0], i)", "x=x.npy", "i=i.npy"]);
    assert_eq!(numpy, "array([1., 0., 1.], dtype=float32)\n");
    assert_eq!(ok(d, &["eval", "x[0, :, [0, 1]].shape", "x=x.npy"]), "torch.Size([3, 2])\n");
    assert_eq!(ok(d, &["eval", "x[0, :, [0, 1]].shape", "x=x.npy", "--dialect", "numpy"]), "(2, 3)\n");
    assert_eq!(
        ok(d, &["eval", "y = x[1]; y[0] = 0; y[0], x[1, 0, 0]", "x=x.npy"]),
        "(tensor([0., 0., 0., 0.]), tensor(0.))\n"
    );
    // The write above went to memory, not to the file.
    assert_eq!(ok(d, &["eval", "x[1, 0, 0]", "x=x.npy"]), "tensor(12.)\n");
}

#[test]
fn formats_read_back() {
    let dir = inputs();
    let d = dir.path();
    for name in ["o.npy", "o.npz", "o.safetensors"] {
        ok(d, &["eval", "x[i]", "x=x.npy", "i=i.npy", "-o", name]);
        let same = ok(d, &["eval", "torch.equal(a, x[i])", "x=x.npy", "i=i.npy", &format!("a={name}")]);
        assert_eq!(same, "True\n", "{name}");
    }
    ok(d, &["eval", "x[i]", "x=x.npy", "i=i.npy", "-o", "o.bin"]);
    let raw = ["eval", "a[1, 2, 3]", "a=o.bin", "--dtype", "float32", "--shape", "-1,3,4"];
    assert_eq!(ok(d, &raw), "tensor(11.)\n");
    ok(d, &["eval", "(x, i)", "x=x.npy", "i=i.npy", "-o", "two.npz"]);
    assert_eq!(ok(d, &["eval", "k", "k=two.npz#arr_1"]), "tensor([1, 0, 1])\n");
    assert!(fails(d, &["eval", "k", "k=two.npz"], 1).contains("arr_0, arr_1"));
    assert!(ok(d, &["info", "two.npz"]).contains("arr_0: float32 [2, 3, 4], 96 bytes"));
}

#[test]
fn odd_layouts_are_read_as_they_are() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let columns: Vec<u8> = [0f32, 3., 1., 4., 2., 5.].iter().flat_map(|v| v.to_le_bytes()).collect();
    fs::write(d.join("f.npy"), npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", &columns)).unwrap();
    assert_eq!(ok(d, &["eval", "x", "x=f.npy"]), "tensor([[0., 1., 2.],\n        [3., 4., 5.]])\n");
    assert_eq!(ok(d, &["eval", "x.stride()", "x=f.npy"]), "(1, 2)\n");
    let big: Vec<u8> = [7i32, -2].iter().flat_map(|v| v.to_be_bytes()).collect();
    fs::write(d.join("b.npy"), npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", &big)).unwrap();
    assert_eq!(ok(d, &["eval", "x", "x=b.npy"]), "tensor([ 7, -2], dtype=torch.int32)\n");
}

#[test]
fn bad_files_give_one_line() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    let cases: [(&str, Vec<u8>, &str); 8] = [
        ("empty.npy", vec![], "magic"),
        ("junk.npy", b"this is no array".to_vec(), "magic"),
        ("cut.npy", npy(good, &[0; 11]), "truncated: shape [2, 3] of float32 needs 24 bytes, the file has 11"),
        (
            "huge.npy",
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9), }", &[]),
            "larger than any file",
        ),
        ("object.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", &[0; 16]), "pickled"),
        ("record.npy", npy("{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (2,), }", &[0; 8]), "pickled"),
        ("zip.npz", b"PK\x03\x04 not really".to_vec(), "not a readable npz"),
        ("st.safetensors", [&u64::MAX.to_le_bytes()[..], b"{}"].concat(), "not a readable safetensors"),
    ];
    for (name, bytes, what) in cases {
        fs::write(d.join(name), bytes).unwrap();
        let err = fails(d, &["eval", "x", &format!("x={name}")], 1);
        assert!(
            err.starts_with(&format!("takewise: {name}: ")) && err.contains(what) && err.lines().count() == 1,
            "{err}"
        );
    }
    assert_eq!(fails(d, &["eval", "x", "x=none.npy"], 1), "takewise: none.npy: no such file\n");
    assert!(fails(d, &["info", "."], 1).contains("is a directory"));
}

#[test]
fn errors_point_into_the_source_and_write_nothing() {
    let dir = inputs();
    let d = dir.path();
    fs::write(d.join("kept.npy"), b"before").unwrap();
    let err = fails(d, &["eval", "x[0] + x[7]", "x=x.npy", "-o", "kept.npy"], 1);
    assert!(err.contains("IndexError: ") && err.ends_with("  x[0] + x[7]\n           ^\n"), "{err}");
    assert_eq!(fs::read(d.join("kept.npy")).unwrap(), b"before");
    assert!(fails(d, &["eval", "x[0", "x=x.npy", "-o", "new.npy"], 1).ends_with("  x[0\n   ^\n"));
    assert!(fails(d, &["eval", "x[0].shape, 'a'", "x=x.npy", "-o", "new.npy"], 1).contains("cannot be written"));
    assert!(!d.join("new.npy").exists());
    assert!(fails(d, &["eval", "z", "x=x.npy"], 1).contains("name 'z' is not defined"));
    assert_eq!(leftovers(d), Vec::<PathBuf>::new());
}

#[test]
fn usage_errors_have_their_own_status() {
    let dir = inputs();
    let d = dir.path();
    fails(d, &[], 2);
    fails(d, &["eval"], 2);
    fails(d, &["eval", "1", "noequals"], 2);
    fails(d, &["eval", "1", "--dialect", "basic"], 2);
    fails(d, &["eval", "x", "x=x.npy", "-o", "x.txt"], 2);
    fails(d, &["eval", "x", "x=x.npy", "-o", "missing/x.npy"], 2);
    fails(d, &["eval", "x", "x=x.npy", "--dtype", "float31"], 2);
}

#[test]
fn transcripts_are_checked() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::write(d.join("good.txt"), ">>> x = torch.arange(3)\n>>> x[1:]\ntensor([1, 2])\n").unwrap();
    assert_eq!(ok(d, &["run", "good.txt"]), "good.txt: 2 examples, all as expected\n");
    fs::write(d.join("bad.txt"), ">>> 1 + 1\n3\n").unwrap();
    let out = takewise(d, &["run", "good.txt", "bad.txt"]);
    assert_eq!(out.status.code(), Some(1));
    let shown = text(&out.stdout);
    assert!(shown.contains("bad.txt: line 1:") && shown.contains("  expected:\n    3\n  got:\n    2\n"), "{shown}");
    fs::write(d.join("script.py"), "import torch\nx = torch.zeros(2)\nprint(x.shape)\n").unwrap();
    assert_eq!(ok(d, &["run", "script.py"]), "torch.Size([2])\n");
}

/// What the prompt shows for lines that come through a pipe.
fn at_the_prompt(lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_takewise"))
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    text(&out.stdout)
}

#[test]
fn the_prompt_reads_lines_from_a_pipe() {
    let shown = at_the_prompt("x = torch.tensor([[1, 2],\n[3, 4]])\nx[1]\nx[5]\nx[0]\n");
    assert!(shown.starts_with("tensor([3, 4])\nIndexError: ") && shown.ends_with("tensor([1, 2])\n"), "{shown}");
}

#[test]
fn the_prompt_explains() {
    let lines = "x = torch.tensor([[1, 2],\n[3, 4]])\nexplain x[\n1]\nexplain x[5]\nexplain = 3\nexplain\nx[0]\n";
    let shown = at_the_prompt(lines);
    assert!(shown.starts_with("x[\n1]\n") && shown.contains("IndexError"), "{shown}");
    assert!(shown.ends_with("3\ntensor([1, 2])\n"), "{shown}");
}

#[test]
fn the_prompt_reads_blocks() {
    let head = "w = torch.tensor([1., 2.], requires_grad=True)\n";
    let block = "with torch.no_grad():\n  w[0]\n  with torch.enable_grad():\n    w[1]\n";
    // An empty line ends a block, and so does one that is not indented.
    for end in ["\nw[0]\n", "w[0]\n"] {
        let shown = at_the_prompt(&format!("{head}{block}{end}"));
        let want = "tensor(1.)\ntensor(2., grad_fn=<SelectBackward0>)\ntensor(1., grad_fn=<SelectBackward0>)\n";
        assert_eq!(shown, want);
    }
    let shown = at_the_prompt(&format!("{head}with torch.no_grad():\n  w[5]\n\nw[0].requires_grad\nwith w:\n  1\n"));
    assert!(
        shown.starts_with("IndexError: ") && shown.contains("True\n") && shown.contains("`with` for torch.no_grad()")
    );
}

/// A sparse file far larger than memory: ten rows are read without touching the rest.
#[test]
#[cfg(target_os = "linux")]
fn a_gather_touches_only_its_pages() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let rows: u64 = 5 << 20; // of 1 KiB: 5 GiB
    let header = npy(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 256), }}"), &[]);
    let mut file = fs::File::create(d.join("table.npy")).unwrap();
    file.write_all(&header).unwrap();
    file.set_len(header.len() as u64 + rows * 1024).unwrap();
    let ids =
        format!("torch.tensor([{}])", (0..10).map(|k| (k * (rows / 10)).to_string()).collect::<Vec<_>>().join(", "));
    let start = std::time::Instant::now();
    assert_eq!(ok(d, &["eval", &format!("x[{ids}].shape"), "x=table.npy"]), "torch.Size([10, 256])\n");
    // Reading five gigabytes, even of holes, takes longer than this.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    use std::os::unix::fs::MetadataExt;
    assert!(fs::metadata(d.join("table.npy")).unwrap().blocks() < 1000, "the file was written to");
}

#[test]
fn what_reads_zarr_arrays_is_told() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("x.zarr")).unwrap();
    fs::write(d.join("x.zarr/zarr.json"), "{}").unwrap();
    let what =
        "Zarr, Parquet and Arrow are in the command that `cargo install --path crates/takewise-zarr/cli` builds.\n";
    let zarr = format!("takewise: x.zarr: is a Zarr array or group. {what}");
    assert_eq!(fails(d, &["eval", "x[0]", "x=x.zarr"], 1), zarr);
    assert_eq!(fails(d, &["eval", "x[0]", "x=x.zarr#deep/y"], 1), zarr);
    assert_eq!(fails(d, &["info", "x.zarr"], 1), zarr);
    let url = format!("takewise: https://example.org/x.zarr: is a URL. {what}");
    assert_eq!(fails(d, &["explain", "x[0]", "x=https://example.org/x.zarr"], 1), url);
}
