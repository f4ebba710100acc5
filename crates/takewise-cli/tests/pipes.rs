//! Standard input and output, tables and JSON, completions and the manual: the binary among other programs of a shell.

use std::fs;
use std::io::Write;

use crate::shared::{fails, inputs, leftovers, ok, piped, takewise, text};
use serde_json::Value;
use tempfile::TempDir;

#[test]
fn arrays_go_through_pipes() {
    let dir = inputs();
    let d = dir.path();
    let out = takewise(d, &["eval", "print('seen'); x[i]", "x=x.npy", "i=i.npy", "-o", "-"]);
    assert!(out.status.success() && out.stdout.starts_with(b"\x93NUMPY") && text(&out.stderr) == "seen\n");
    let next = piped(d, &["eval", "(y.shape, torch.equal(y, x[i]))", "y=-", "x=x.npy", "i=i.npy"], &out.stdout);
    assert_eq!(text(&next.stdout), "(torch.Size([3, 3, 4]), True)\n");
    let npz = takewise(d, &["eval", "(x, i)", "x=x.npy", "i=i.npy", "-o", "-", "--format", "npz"]);
    let next = piped(d, &["eval", "y", "y=-#arr_1"], &npz.stdout);
    assert_eq!(text(&next.stdout), "tensor([1, 0, 1])\n");
    let raw = piped(d, &["eval", "y", "y=-", "--dtype", "u1"], &[3, 1, 2]);
    assert_eq!(text(&raw.stdout), "tensor([3, 1, 2], dtype=torch.uint8)\n");
    let bad = piped(d, &["eval", "y", "y=-"], &[0, 1, 2]);
    assert!(bad.status.code() == Some(1) && text(&bad.stderr).starts_with("takewise: -: "));
    assert!(fails(d, &["eval", "x", "x=-", "y=-"], 2).contains("one name"));
    let failed = takewise(d, &["eval", "x[9]", "x=x.npy", "-o", "-"]);
    assert!(failed.stdout.is_empty() && failed.status.code() == Some(1));
}

#[test]
fn tables_in_and_out() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::write(d.join("prices.csv"), "id,price,name\n3,0.5,a\n1,,b\n2,4,c\n").unwrap();
    assert_eq!(
        ok(d, &["eval", "p[torch.argsort(i)]", "p=prices.csv#price", "i=prices.csv#id", "--missing"]),
        "tensor([   nan, 4.0000, 0.5000], dtype=torch.float64)\n"
    );
    let sorted = ok(d, &["eval", "np.sort(i)", "i=prices.csv#id", "--format", "tsv"]);
    assert_eq!(sorted, "1\n2\n3\n");
    ok(d, &["eval", "t[[2, 0]]", "t=prices.csv#id,price", "--missing", "-o", "two.csv"]);
    assert_eq!(fs::read_to_string(d.join("two.csv")).unwrap(), "2.0,4.0\n3.0,0.5\n");
    assert_eq!(
        ok(d, &["eval", "torch.sort(i)", "i=prices.csv#id", "--format", "csv"]),
        "values,indices\n1,1\n2,2\n3,0\n"
    );
    let from_pipe = piped(d, &["eval", "x[:, 1]", "x=-"], b"1\t2\n3\t4\n");
    assert_eq!(text(&from_pipe.stdout), "tensor([2, 4])\n");
    assert_eq!(
        ok(d, &["info", "prices.csv", "--missing"]),
        "prices.csv: table, 3 columns, 3 rows\n  'id': int64\n  'price': float64\n  'name': text\n"
    );
    let error = fails(d, &["eval", "x", "x=prices.csv", "--missing"], 1);
    assert_eq!(error, "takewise: prices.csv: has columns of text and of other values; choose one kind with '#name'\n");
    assert!(fails(d, &["eval", "x", "x=prices.csv#cost"], 1).contains("it holds: id, price, name"));
    let empty = "takewise: prices.csv: line 3, column 'price': the cell is empty; --missing reads it as no value\n";
    assert_eq!(fails(d, &["eval", "x", "x=prices.csv#price"], 1), empty);
    let by_name = piped(d, &["eval", "x.shape", "x=/dev/stdin"], b"1 2\n3 4\n");
    assert_eq!(text(&by_name.stdout), "torch.Size([2, 2])\n");
    fs::write(d.join("odd.txt"), "1;NA\n").unwrap();
    let odd = &["eval", "x.shape", "x=odd.txt", "--delimiter", ";"];
    assert!(fails(d, odd, 1).contains("line 1, cell 2: 'NA' is no number"));
    assert_eq!(ok(d, &[&odd[..], &["--missing"]].concat()), "torch.Size([1, 2])\n");
    assert_eq!(ok(d, &["eval", "x.shape", "x=odd.txt", "--header"]), "torch.Size([0, 2])\n");
    assert!(fails(d, &["eval", "torch.zeros(2, 2, 2)", "-o", "three.csv"], 1).contains("two axes"));
    assert!(fails(d, &["eval", "x", "x=none.csv"], 1).contains("none.csv: no such file"));
    assert!(!d.join("three.csv").exists() && leftovers(d).is_empty());
}

/// The cases that `takewise.open` of Python reads too, with the words of each.
#[test]
fn tables_of_text_are_those_of_python() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../python/tests/tables.json")).unwrap();
    for case in cases {
        let field = |name: &str| case[name].as_str();
        let file = field("file").unwrap();
        fs::write(d.join(file.split('#').next().unwrap()), field("text").unwrap()).unwrap();
        let binding = format!("x={file}");
        let mut how = vec![binding.as_str(), "--dialect", "numpy"];
        how.extend(case["header"].as_bool().map(|header| if header { "--header" } else { "--no-header" }));
        how.extend(field("delimiter").into_iter().flat_map(|mark| ["--delimiter", mark]));
        how.extend(case["missing"].as_bool().map(|_| "--missing"));
        let run = |asked: &[&'static str]| [&["eval"], asked, &how[..]].concat();
        if let Some(error) = field("error") {
            let said = error
                .replace("{header}", "--header")
                .replace("{no_header}", "--no-header")
                .replace("{missing}", "--missing")
                .replace("{text}", "call a table of text .csv or .tsv, or give --delimiter");
            assert_eq!(fails(d, &run(&["x"]), 1), format!("takewise: {said}\n"));
            continue;
        }
        assert_eq!(ok(d, &run(&["(x.dtype, x.shape)"])), format!("{}\n", field("type").unwrap()), "{case}");
        assert_eq!(ok(d, &run(&["x", "--format", "csv"])), field("cells").unwrap(), "{case}");
    }
}

/// Of tables that are no text the plain command says what reads them, before it reads or runs anything.
#[test]
fn tables_of_another_build_are_named() {
    let dir = inputs();
    let d = dir.path();
    let build =
        "Zarr, Parquet and Arrow are in the command that `cargo install --path crates/takewise-zarr/cli` builds.\n";
    for (name, what) in
        [("t.parquet", "a Parquet"), ("t.arrow", "an Arrow"), ("t.feather", "an Arrow"), ("t.arrows", "an Arrow")]
    {
        let wanted = format!("takewise: {name}: is {what} table. {build}");
        assert_eq!(fails(d, &["eval", "x", &format!("x={name}#a,b")], 1), wanted);
        assert_eq!(fails(d, &["info", name], 1), wanted);
        assert_eq!(fails(d, &["eval", "print('seen'); x[9]", "x=none.npy", "-o", name], 2), wanted);
        assert!(!d.join(name).exists());
    }
    let wanted = format!("takewise: -: is a Parquet table. {build}");
    assert_eq!(fails(d, &["eval", "1", "-o", "-", "--format", "parquet"], 2), wanted);
    let told = piped(d, &["eval", "x", "x=-"], b"PAR1and more");
    assert_eq!((told.status.code(), text(&told.stderr)), (Some(1), wanted));
    let told = piped(d, &["eval", "x", "x=-#a"], b"ARROW1\0\0and more");
    assert!(text(&told.stderr).starts_with("takewise: -: is an Arrow table"));
    // With a dtype the bytes are numbers, whatever they are called.
    fs::write(d.join("t.parquet"), [1, 2]).unwrap();
    assert_eq!(ok(d, &["eval", "x", "x=t.parquet", "--dtype", "u1"]), "tensor([1, 2], dtype=torch.uint8)\n");
}

#[test]
fn results_as_json() {
    let dir = inputs();
    let d = dir.path();
    let shown = ok(d, &["eval", "x[0, 0, i]", "x=x.npy", "i=i.npy", "--json"]);
    assert_eq!(shown, "{\"dtype\": \"float32\", \"shape\": [3], \"data\": [1.0, 0.0, 1.0]}\n");
    let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(read["data"][0], 1.0);
    ok(d, &["eval", "x.shape", "x=x.npy", "-o", "shape.json"]);
    assert_eq!(fs::read_to_string(d.join("shape.json")).unwrap(), "[2, 3, 4]");
    assert!(fails(d, &["eval", "torch.gather", "--json"], 1).contains("JSON"));
    assert!(fails(d, &["eval", "1", "--format", "npz"], 2).contains("-o"));
}

#[test]
fn pickles_are_named() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::write(d.join("old.pt"), b"\x80\x02rest").unwrap();
    let mut zip = zip::ZipWriter::new(fs::File::create(d.join("new.pt")).unwrap());
    zip.start_file("archive/data.pkl", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"\x80\x02.").unwrap();
    zip.finish().unwrap();
    for name in ["old.pt", "new.pt"] {
        let error = fails(d, &["eval", "x", &format!("x={name}")], 1);
        assert!(error.contains("a pickle of PyTorch's") && error.contains("safetensors.torch.save_file"), "{error}");
    }
}

#[test]
fn completions_and_the_manual() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = ok(d, &["completions", shell]);
        // A file may be named as a command: the shell quotes what it fills in.
        assert!(shell != "bash" || script.contains("complete -F _takewise -o filenames"));
        assert!(script.contains("takewise") && script.contains("explain"), "{shell}");
    }
    assert!(ok(d, &["man"]).contains(".TH") && ok(d, &["man", "eval"]).contains("takewise\\-eval"));
    fails(d, &["man", "nothing"], 2);
}

#[test]
fn the_prompt_helps_and_keeps_the_last_value() {
    let dir = TempDir::new().unwrap();
    let lines = "x = torch.arange(4)\nx[1:]\n_ > 1\nhelp\nhelp(torch.gather)\nx?\n?np.nonsense\nhelp gather\n_\n";
    let shown = text(&piped(dir.path(), &["repl"], lines.as_bytes()).stdout);
    for part in [
        "tensor([1, 2, 3])\ntensor([False,  True,  True])\n",
        "  _                  the last value shown\n",
        "gather(Tensor input, int dim, Tensor index",
        "x: Tensor of int64, shape [4]\n",
        "nothing is called np.nonsense\n",
        "nothing is called gather; see help torch.gather\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(shown.ends_with("tensor([False,  True,  True])\n"), "{shown}");
}

#[test]
fn errors_name_what_is_meant_and_point_at_it() {
    let dir = inputs();
    let d = dir.path();
    let said = |source: &str| fails(d, &["eval", source, "x=x.npy", "i=i.npy"], 1);
    assert!(said("gather(x, 0, i)").contains("name 'gather' is not defined. Did you mean: 'torch.gather'?"));
    assert!(said("argsrt(x)").contains("Did you mean: 'torch.argsort'?"));
    assert!(said("x.gathr(0, i)").contains("Did you mean: 'gather'?\n  x.gathr"));
    assert!(said("torch.gathr(x, 0, i)").contains("Did you mean: 'gather'?"));
    let caret = |source: &str| said(source).lines().last().unwrap_or_default().to_owned();
    assert_eq!(caret("x[0, [1, 9], :2]"), "       ^^^^^^");
    assert_eq!(caret("x[1, 7]"), "       ^");
    assert_eq!(caret("torch.take(i, torch.tensor([0, 3]))"), format!("{}{}", " ".repeat(16), "^".repeat(20)));
}
