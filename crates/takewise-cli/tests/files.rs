//! Files from strangers: what each reader accepts, names and refuses, and what it costs. The bounds are those of
//! SECURITY.md.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::shared::{fails, inputs, npy, ok, takewise, text};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const FIVE: &str = "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }";

/// An npy image of 0 to 4.
fn five() -> Vec<u8> {
    npy(FIVE, &(0i64..5).flat_map(i64::to_le_bytes).collect::<Vec<_>>())
}

fn zip(members: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, bytes) in members {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A safetensors image with any header.
fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(dir.join(name), bytes).unwrap();
}

use CompressionMethod as Method;

#[test]
fn one_bad_member_does_not_hide_the_others() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let object = npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", &[0; 16]);
    let short = npy(FIVE, &[0; 8]);
    let members: [(&str, Method, &[u8]); 6] = [
        ("good.npy", Method::Stored, &five()),
        ("without an ending", Method::Deflated, &five()),
        ("object.npy", Method::Deflated, &object),
        ("short.npy", Method::Stored, &short),
        ("readme.txt", Method::Stored, b"hello"),
        ("packed.npy", Method::Deflated, &five()),
    ];
    write(d, "m.npz", zip(&members));
    let listed = ok(d, &["info", "m.npz"]);
    for line in [
        "m.npz: npz, 6 tensors (3 cannot be read), 120 bytes",
        "  good: int64 [5], 40 bytes",
        "  without an ending: int64 [5], 40 bytes",
        "  object: cannot be read: Python objects (pickled arrays) are not supported",
        "  short: cannot be read: truncated",
        "  readme.txt: cannot be read: is not an npy array",
        "  packed: int64 [5], 40 bytes",
    ] {
        assert!(listed.contains(line), "{listed}");
    }
    assert_eq!(ok(d, &["eval", "g[4], p[3]", "g=m.npz#good", "p=m.npz#packed"]), "(tensor(4), tensor(3))\n");
    assert!(fails(d, &["eval", "x", "x=m.npz#short"], 1).starts_with("takewise: m.npz: short: truncated"));

    let header = r#"{"a":{"dtype":"I4","shape":[2],"data_offsets":[0,1]},
        "f6":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[1,4]},
        "wrong":{"dtype":"F32","shape":[2],"data_offsets":[4,8]},
        "odd":{"dtype":"F32","shape":"no","data_offsets":[8,8]},
        "w":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[8,10]},
        "s":{"dtype":"I16","shape":[1],"data_offsets":[10,12]}}"#;
    write(d, "m.safetensors", safetensors(header, &[0, 0, 0, 0, 0, 0, 0, 0, 0x38, 0x40, 7, 0]));
    let out = takewise(d, &["info", "m.safetensors"]);
    let listed = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for line in [
        "a: cannot be read: dtype I4",
        "f6: cannot be read: dtype F6_E2M3",
        "wrong: cannot be read: shape [2]",
        "s: int16 [1]",
    ] {
        assert!(listed.contains(line), "{listed}");
    }
    assert!(
        listed.contains("odd: cannot be read: its entry in the header is malformed") && listed.contains("  w: "),
        "{listed}"
    );
    assert_eq!(ok(d, &["eval", "s", "s=m.safetensors#s"]), "tensor([7], dtype=torch.int16)\n");
}

#[test]
fn info_goes_on_to_the_next_file() {
    let dir = inputs();
    let d = dir.path();
    write(d, "bad.npy", "no");
    let out = takewise(d, &["info", "bad.npy", "none.npy", "x.npy"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("x.npy: npy, 1 tensor, 96 bytes"), "{}", text(&out.stdout));
    assert_eq!(text(&out.stderr).lines().count(), 2);
}

#[test]
fn a_safetensors_file_is_covered_by_its_tensors() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let two =
        r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#;
    write(d, "cut.safetensors", safetensors(two, &[1, 2, 3]));
    let out = takewise(d, &["info", "cut.safetensors"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("a: uint8 [2]") && text(&out.stdout).contains("b: cannot be read: truncated"));
    assert!(text(&out.stderr).contains("truncated"));
    assert_eq!(ok(d, &["eval", "a", "a=cut.safetensors#a"]), "tensor([1, 2], dtype=torch.uint8)\n");
    fails(d, &["eval", "a", "a=cut.safetensors#b"], 1);
    write(d, "long.safetensors", safetensors(two, &[1, 2, 3, 4, 5]));
    for args in [&["info", "long.safetensors"][..], &["eval", "a", "a=long.safetensors#a"]] {
        assert!(fails(d, args, 1).contains("not fully covered"));
    }
    let shared =
        r#"{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#;
    write(d, "shared.safetensors", safetensors(shared, &[1, 2, 3, 4]));
    let told = takewise(d, &["info", "shared.safetensors"]);
    assert!(told.status.code() == Some(1) && text(&told.stdout).matches("overlaps").count() == 2);
    assert_eq!(text(&told.stderr), "takewise: shared.safetensors: nothing in it can be read\n");
    let twice =
        r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#;
    write(d, "twice.safetensors", safetensors(twice, &[1, 2, 3, 4]));
    assert!(ok(d, &["info", "twice.safetensors"]).contains("twice"));
    let axes =
        |n: usize| format!(r#"{{"a":{{"dtype":"U8","shape":[{}],"data_offsets":[0,1]}}}}"#, vec!["1"; n].join(","));
    write(d, "axes.safetensors", safetensors(&axes(64), &[1]));
    assert_eq!(ok(d, &["eval", "a.sum()", "a=axes.safetensors"]), "tensor(1)\n");
    for n in [65, 300_000] {
        write(d, "axes.safetensors", safetensors(&axes(n), &[1]));
        assert!(fails(d, &["eval", "a.sum()", "a=axes.safetensors"], 1).contains("more than 64 axes"));
    }
    write(d, "header.safetensors", [&100_000_001u64.to_le_bytes()[..], b"{"].concat());
    assert!(fails(d, &["info", "header.safetensors"], 1).contains("longer than 100000000"));
    write(d, "deep.safetensors", safetensors(&format!("{{\"a\":{}", "[".repeat(1 << 20)), &[]));
    fails(d, &["info", "deep.safetensors"], 1);
}

#[test]
fn every_compression_python_writes_is_read() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    // What Python's zipfile.ZIP_LZMA makes of numpy.arange(5).
    let lzma = bytes_of(
        "504b03043f0002000e0000002150cb779da961000000a800000005000000782e6e7079090405005d0000800000499386a4de\
         d382796a5b0d233836ab9d9d4c4deee36dc31dec184a2fb31b7200d2a2463d0c5e6dda5b0a1d6959562e5761d7bd71b822e0\
         0f7a8bd2f1b3e29e542751b89fc233247a4a66594fbe5261e1d2f0ffe2ec8800504b01023f033f0002000e0000002150cb77\
         9da961000000a8000000050000000000000000000000800100000000782e6e7079504b050600000000010001003300000084\
         0000000000",
    );
    write(d, "lzma.npz", &lzma);
    write(d, "bz2.npz", zip(&[("x.npy", Method::Bzip2, &five())]));
    write(d, "zip.npz", zip(&[("x.npy", Method::Deflated, &five())]));
    for name in ["lzma.npz", "bz2.npz", "zip.npz"] {
        assert_eq!(ok(d, &["eval", "x", &format!("x={name}")]), "tensor([0, 1, 2, 3, 4])\n", "{name}");
        assert!(ok(d, &["info", name]).contains("x: int64 [5], 40 bytes"));
    }
    let mut greedy = lzma;
    greedy[40..44].copy_from_slice(&u32::MAX.to_le_bytes());
    write(d, "greedy.npz", greedy);
    assert!(fails(d, &["eval", "x", "x=greedy.npz"], 1).contains("4294967295 bytes"));
    let mut other = zip(&[("x.npy", Method::Stored, &five())]);
    for signature in [&b"PK\x03\x04"[..], b"PK\x01\x02"] {
        let at = other.windows(4).position(|w| w == signature).unwrap();
        let method = at + if signature[2] == 3 { 8 } else { 10 };
        other[method] = 97; // WavPack
    }
    write(d, "other.npz", &other);
    let error = fails(d, &["eval", "x", "x=other.npz"], 1);
    assert!(error.contains("method that is not supported") && !error.contains("damaged"), "{error}");
    let told = text(&takewise(d, &["info", "other.npz"]).stdout);
    assert!(told.contains("x: cannot be read: is compressed by a method"));
}

#[test]
fn checksums_are_compared() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    for method in [Method::Stored, Method::Deflated] {
        let good = zip(&[("a.npy", method, &five()), ("b.npy", method, &five())]);
        let mut bad = good.clone();
        // In the stored member a number changes; in the other, the checksum that both headers state.
        match method {
            Method::Stored => {
                let data = bad.windows(8).position(|w| w == 3i64.to_le_bytes()).unwrap();
                bad[data] = 99;
            }
            _ => {
                let at = bad.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
                bad[14] ^= 1;
                bad[at + 16] ^= 1;
            }
        }
        write(d, "bad.npz", bad);
        assert!(fails(d, &["eval", "a", "a=bad.npz#a"], 1).contains("bad.npz: a: is damaged"));
        assert_eq!(ok(d, &["eval", "b", "b=bad.npz#b"]), "tensor([0, 1, 2, 3, 4])\n");
    }
}

#[test]
fn archives_that_lie_are_refused() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let good = zip(&[("a.npy", Method::Deflated, &five()), ("b.npy", Method::Deflated, &five())]);
    let central = good.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    // A claimed size below and above what comes out.
    for claim in [100u32, 170, u32::MAX - 1] {
        let mut bad = good.clone();
        bad[22..26].copy_from_slice(&claim.to_le_bytes());
        bad[central + 24..central + 28].copy_from_slice(&claim.to_le_bytes());
        write(d, "size.npz", bad);
        if claim != 170 {
            fails(d, &["eval", "a", "a=size.npz#a"], 1);
        }
        assert_eq!(ok(d, &["eval", "b[1]", "b=size.npz#b"]), "tensor(1)\n");
    }
    // A compressed size that reaches into the next member.
    let mut bad = good.clone();
    let size = u32::from_le_bytes(bad[18..22].try_into().unwrap()) + 60;
    bad[18..22].copy_from_slice(&size.to_le_bytes());
    bad[central + 20..central + 24].copy_from_slice(&size.to_le_bytes());
    write(d, "overlap.npz", bad);
    assert!(fails(d, &["eval", "a", "a=overlap.npz#a"], 1).contains("another entry begins inside it"));
    // A member that is encrypted.
    let mut bad = good.clone();
    bad[6] |= 1;
    bad[central + 8] |= 1;
    write(d, "locked.npz", bad);
    assert!(ok(d, &["info", "locked.npz"]).contains("a: cannot be read: is encrypted"));
    // An offset beyond the end of the file.
    let mut bad = good;
    bad[central + 42..central + 46].copy_from_slice(&1_000_000u32.to_le_bytes());
    write(d, "far.npz", bad);
    let out = takewise(d, &["info", "far.npz"]);
    assert!(out.status.success() && text(&out.stdout).contains("b: int64 [5]"), "{}", text(&out.stdout));
}

/// The command with a limit on its memory, in KiB.
#[cfg(unix)]
fn limited(dir: &Path, kilobytes: u32, args: &[&str]) -> std::process::Output {
    let script = format!("ulimit -v {kilobytes}; exec \"$@\"");
    let program = ["-c", &script, "sh", env!("CARGO_BIN_EXE_takewise")];
    Command::new("sh").current_dir(dir).args(program).args(args).stdin(Stdio::null()).output().unwrap()
}

/// A bomb: hundreds of megabytes of zeros in less than one, beside a small array.
#[test]
#[cfg(target_os = "linux")]
fn only_the_member_asked_for_is_inflated() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let mut zip = ZipWriter::new(fs::File::create(d.join("bomb.npz")).unwrap());
    let packed = SimpleFileOptions::default().compression_method(Method::Deflated);
    zip.start_file("small.npy", packed).unwrap();
    zip.write_all(&five()).unwrap();
    let block = vec![0u8; 1 << 20];
    for (name, shape, blocks) in [("honest", "(335544320,)", 320), ("surplus", "(5,)", 4)] {
        zip.start_file(format!("{name}.npy"), packed).unwrap();
        zip.write_all(&npy(&format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"), &[])).unwrap();
        for _ in 0..blocks {
            zip.write_all(&block).unwrap();
        }
    }
    zip.finish().unwrap();
    let limit = 640 << 10;
    let listed = limited(d, limit, &["info", "bomb.npz"]);
    let shown = text(&listed.stdout);
    assert!(listed.status.success(), "{}", text(&listed.stderr));
    assert!(
        shown.contains("honest: uint8 [335544320]") && shown.contains("surplus: cannot be read: is damaged"),
        "{shown}"
    );
    let small = limited(d, limit, &["eval", "s[3]", "s=bomb.npz#small"]);
    assert_eq!(text(&small.stdout), "tensor(3)\n", "{}", text(&small.stderr));
    let honest = limited(d, limit, &["eval", "s[3]", "s=bomb.npz#honest"]);
    assert_eq!(honest.status.code(), Some(1));
    assert!(text(&honest.stderr).contains("does not fit into memory"), "{}", text(&honest.stderr));
}

#[test]
fn names_with_marks_and_escapes() {
    let dir = inputs();
    let d = dir.path();
    fs::copy(d.join("x.npy"), d.join("a#b.npy")).unwrap();
    assert_eq!(ok(d, &["eval", "x[1, 0, 0]", "x=a#b.npy"]), "tensor(12.)\n");
    write(d, "m#1.npz", zip(&[("k#2.npy", Method::Stored, &five()), ("k.npy", Method::Stored, &five())]));
    assert_eq!(ok(d, &["eval", "x[1]", "x=m#1.npz#k#2"]), "tensor(1)\n");
    let header = r#"{"evil\u001b[31m\n\u202e":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},
        "bad\u001b]0;x\u0007":{"dtype":"X\u001b[2J","shape":[1],"data_offsets":[1,2]}}"#;
    write(d, "e.safetensors", safetensors(header, &[1, 2]));
    write(d, "e.npz", zip(&[("a\x1b[31m.npy", Method::Stored, &five()), ("b\n.npy", Method::Stored, b"no")]));
    let dict = "{'descr': [('\\x1b[31m', '<i4')], 'fortran_order': False, 'shape': (1,), }";
    write(d, "r.npy", npy(dict, &[0; 4]));
    for args in [
        &["info", "e.safetensors"][..],
        &["info", "e.npz"],
        &["info", "r.npy"],
        &["eval", "x", "x=e.safetensors"],
        &["eval", "x", "x=e.safetensors#nothing"],
        &["eval", "x", "x=e.npz#b\n"],
        &["eval", "x", "x=\x1b[31m.npy"],
        &["eval", "np.load('e.npz')"],
        &["info", "\x1b[31m.npy"],
        &["run", "\x1b[31m.txt"],
    ] {
        let out = takewise(d, args);
        let shown = [text(&out.stdout), text(&out.stderr)].concat();
        assert!(!shown.is_empty() && !shown.contains(['\x1b', '\x07', '\u{202e}']), "{args:?}: {shown:?}");
    }
    assert!(ok(d, &["info", "e.safetensors"]).contains(r"  evil\x1b[31m\n\u202e: uint8 [1], 1 bytes"));
}

#[test]
#[cfg(unix)]
fn pipes_are_read() {
    let dir = inputs();
    let d = dir.path();
    write(d, "m.npz", zip(&[("k.npy", Method::Deflated, &five())]));
    ok(d, &["eval", "x[0, 0]", "x=x.npy", "-o", "s.safetensors"]);
    let piped = |file: &str, args: &[&str]| {
        let out = crate::shared::piped(d, args, &fs::read(d.join(file)).unwrap());
        [text(&out.stdout), text(&out.stderr)].concat()
    };
    assert_eq!(piped("x.npy", &["eval", "x[1, 0, 0]", "x=/dev/stdin"]), "tensor(12.)\n");
    assert_eq!(piped("m.npz", &["eval", "x[4]", "x=/dev/stdin#k"]), "tensor(4)\n");
    assert_eq!(piped("s.safetensors", &["eval", "x[3]", "x=/dev/stdin"]), "tensor(3.)\n");
    let raw = ["eval", "x.shape", "x=/dev/stdin", "--dtype", "uint8"];
    assert!(piped("x.npy", &raw).starts_with("torch.Size(["));
    assert!(piped("x.npy", &["info", "/dev/stdin"]).contains("npy, 1 tensor, 96 bytes"));
    // Two arrays one after another: the first is read, as by np.load.
    let two = [fs::read(d.join("x.npy")).unwrap(), fs::read(d.join("i.npy")).unwrap()].concat();
    write(d, "two", two);
    assert_eq!(piped("two", &["eval", "x[1, 0, 0]", "x=/dev/stdin"]), "tensor(12.)\n");
    // Streams without an end: one that is no tensor file, one that says how long it is.
    assert!(fails(d, &["eval", "x", "x=/dev/zero"], 1).contains("not an npy, npz, safetensors or gguf file; give"));
    fs::write(d.join("notes"), "a,b\n1,2\n").unwrap();
    assert!(fails(d, &["eval", "x", "x=notes"], 1).contains("and looks like text; call a table of text .csv or .tsv"));
    let script = "cat x.npy /dev/zero | \"$0\" eval 'x[1, 0, 0]' x=/dev/stdin";
    let out = Command::new("sh").current_dir(d).args(["-c", script, env!("CARGO_BIN_EXE_takewise")]).output().unwrap();
    assert_eq!(text(&out.stdout), "tensor(12.)\n");
}

/// Lines for the prompt, between which the files are changed.
#[cfg(unix)]
fn at_the_prompt(dir: &Path, args: &[&str], steps: &[(&str, &dyn Fn())]) -> String {
    use std::io::{BufRead, BufReader};
    let mut child = Command::new(env!("CARGO_BIN_EXE_takewise"))
        .current_dir(dir)
        .arg("repl")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut shown = String::new();
    for (line, then) in steps {
        writeln!(input, "{line}\nprint('---')").unwrap();
        loop {
            let before = shown.len();
            assert!(output.read_line(&mut shown).unwrap() > 0, "the prompt is gone after {line}: {shown}");
            if &shown[before..] == "---\n" {
                break;
            }
        }
        then();
    }
    drop(input);
    let status = child.wait().unwrap();
    assert!(status.success(), "{status:?}");
    shown.replace("---\n", "")
}

#[test]
#[cfg(unix)]
fn a_file_cut_short_is_an_error_and_nothing_else_is_lost() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    ok(d, &["eval", "torch.arange(1000000)", "-o", "x.npy"]);
    ok(d, &["eval", "torch.arange(1000000)", "-o", "z.npy"]);
    let cut = || fs::OpenOptions::new().write(true).open(d.join("x.npy")).unwrap().set_len(4096 + 50).unwrap();
    let nothing = || {};
    let steps: [(&str, &dyn Fn()); 9] = [
        ("x[0]; a = x[:10]; k = [x]; c = x[500000:500003].clone()", &cut),
        ("x[500000]", &nothing),
        ("k[0][500000]", &nothing),
        ("x.sum()", &nothing),
        ("c", &nothing),
        ("a[9]", &nothing),
        ("z[999999]", &nothing),
        ("z[:] = x", &nothing),
        ("z[999999]", &nothing),
    ];
    let shown = at_the_prompt(d, &["x=x.npy", "z=z.npy"], &steps);
    let error = "OSError: x.npy: was cut short while it was in use: it had 8000128 bytes and has 4146";
    assert_eq!(shown.matches(error).count(), 4, "{shown}");
    for line in ["tensor(0)\n", "tensor([500000, 500001, 500002])\n", "tensor(9)\n", "tensor(999999)\n"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(shown.matches("tensor(999999)\n").count(), 2, "{shown}");
}

#[test]
fn headers_of_other_writers_are_read() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let data: Vec<u8> = (0i32..6).flat_map(i32::to_le_bytes).collect();
    for (descr, shape) in
        [("'<i4'", "(2L, 3L)"), ("'=i4'", "(2, 3)"), ("'|i4'", "(2, 3)"), ("'i4'", "(2, 3,)"), ("'int32'", "(2, 3)")]
    {
        write(d, "h.npy", npy(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"), &data));
        if cfg!(target_endian = "little") {
            assert_eq!(ok(d, &["eval", "x[1, 2]", "x=h.npy"]), "tensor(5, dtype=torch.int32)\n", "{descr} {shape}");
        }
    }
}

/// What is only moved comes back as what it was, and never as numbers.
#[test]
#[cfg(target_endian = "little")]
fn what_has_no_arithmetic_is_moved() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let header = |descr: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
    for (descr, size, name) in [
        ("'<M8[D]'", 8, "datetime64[D]"),
        ("'<m8[25s]'", 8, "timedelta64[25s]"),
        ("'<U2'", 8, "<U2"),
        ("'>U2'", 8, ">U2"),
        ("'|S3'", 3, "|S3"),
        ("'<f16'", 16, "float128"),
        ("'<f1'", 1, "float8_e5m2"),
        ("[('a', '<i2'), ('b', '>f8')]", 10, "[('a', '<i2'), ('b', '>f8')]"),
    ] {
        let data: Vec<u8> = (0..3 * size as u8).collect();
        write(d, "m.npy", npy(&header(descr), &data));
        let listed = ok(d, &["info", "m.npy"]);
        assert!(listed.contains(&format!("  {name} [3], {} bytes", 3 * size)), "{listed}");
        ok(d, &["eval", "x[[2, 0]]", "x=m.npy", "-o", "o.npy"]);
        let written = fs::read(d.join("o.npy")).unwrap();
        assert!(text(&written[10..128]).contains(&format!("'descr': {descr}, ")), "{}", text(&written[10..128]));
        assert_eq!(written[128..], [&data[2 * size..], &data[..size]].concat());
        for expression in ["x.tolist()", "x[0].item()", "x.sum()", "bool(x[0])"] {
            fails(d, &["eval", expression, "x=m.npy"], 1);
        }
        // Dates and text are keys.
        let key = ["datetime64", "timedelta64", "<U"].iter().any(|kind| name.starts_with(kind));
        assert_eq!(takewise(d, &["eval", "x == x", "x=m.npy"]).status.success(), key, "{name}");
        assert!(ok(d, &["eval", "x[1:]", "x=m.npy"]).contains(name));
    }
    // Two of one size are not the same.
    write(d, "days.npy", npy(&header("'<M8[D]'"), &[1; 24]));
    write(d, "seconds.npy", npy(&header("'<M8[s]'"), &[2; 24]));
    for expression in ["x[0] = y[0]", "x[:] = y", "torch.where(torch.tensor([True, False, True]), x, y)"] {
        fails(d, &["eval", &format!("{expression}; x[0:0]"), "x=days.npy", "y=seconds.npy"], 1);
    }
    ok(d, &["eval", "x[0] = x[1]; x.shape", "x=days.npy"]);
    // A date in the other byte order is turned round, as numbers are.
    write(d, "big.npy", npy(&header("'>M8[D]'"), &[0, 0, 0, 0, 0, 0, 0, 1].repeat(3)));
    ok(d, &["eval", "x[:1]", "x=big.npy", "-o", "o.npy"]);
    let written = fs::read(d.join("o.npy")).unwrap();
    assert!(text(&written[10..128]).contains("'<M8[D]'"));
    assert_eq!(written[128..], [1, 0, 0, 0, 0, 0, 0, 0]);

    let header = r#"{"w":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]},
        "v":{"dtype":"F8_E5M2","shape":[3],"data_offsets":[3,6]},
        "f":{"dtype":"F4","shape":[1,4],"data_offsets":[6,8]}}"#;
    write(d, "f8.safetensors", safetensors(header, &[1, 2, 3, 4, 5, 6, 7, 8]));
    let listed = ok(d, &["info", "f8.safetensors"]);
    for line in ["  w: float8_e4m3fn [3]", "  v: float8_e5m2 [3]", "  f: float4_e2m1fn_x2 [1, 2]"] {
        assert!(listed.contains(line), "{listed}");
    }
    let bind = ["w=f8.safetensors#w", "v=f8.safetensors#v", "f=f8.safetensors#f"];
    ok(d, &["eval", "(f, w[[2, 0]], v)", bind[0], bind[1], bind[2], "-o", "o.safetensors"]);
    let written = text(&fs::read(d.join("o.safetensors")).unwrap()[8..]).replace(", ", ",");
    for part in
        [r#""dtype":"F4","shape":[1,4]"#, r#""dtype":"F8_E4M3","shape":[2]"#, r#""dtype":"F8_E5M2","shape":[3]"#]
    {
        assert!(written.contains(part), "{written}");
    }
    assert!(ok(d, &["info", "o.safetensors"]).contains("arr_1: float8_e4m3fn [2], 2 bytes"));
    fails(d, &["eval", "w[:] = v; w", bind[0], bind[1]], 1);
    assert!(fails(d, &["eval", "x", "x=days.npy", "-o", "o.safetensors"], 1).contains("no dtype datetime64[D]"));
}
