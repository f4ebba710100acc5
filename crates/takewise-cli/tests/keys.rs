//! Columns of text as keys, how texts of other programs are read, and what is said of results as a whole.

use std::fs;
use std::io::Write;

use crate::shared::{fails, ok, piped, text};
use tempfile::TempDir;

/// Sales by city, and a table of the cities in another order.
fn sales() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("sales.csv"), "city,sold\nRiga,3\nOslo,1\nRiga,2\nParis,4\n").unwrap();
    fs::write(dir.path().join("cities.csv"), "name,people\nRiga,605\nOslo,717\nÅbo,203\n").unwrap();
    dir
}

const SALES: [&str; 2] = ["city=sales.csv#city", "sold=sales.csv#sold"];
const CITIES: [&str; 2] = ["name=cities.csv#name", "people=cities.csv#people"];

#[test]
fn groups_and_joins_by_name() {
    let dir = sales();
    let run = |expression: &str, more: &[&str]| ok(dir.path(), &[&["eval", expression], &SALES[..], more].concat());
    assert_eq!(run("np.unique(city)", &[]), "array(['Oslo', 'Paris', 'Riga'], dtype='<U5')\n");
    let groups = "names, code = np.unique(city, return_inverse=True); (names, np.bincount(code, sold))";
    assert_eq!(run(groups, &["--format", "csv"]), "Oslo,1.0\nParis,4.0\nRiga,5.0\n");
    let sums = "names, code = torch.unique(city, return_inverse=True); torch.zeros(len(names), dtype=torch.int64).scatter_add(0, code, sold)";
    assert_eq!(run(sums, &[]), "tensor([1, 4, 5])\n");
    assert_eq!(run("torch.unique(city)", &[]), "tensor(['Oslo', 'Paris', 'Riga'], dtype=<U5)\n");
    let json = "{\"dtype\": \"<U5\", \"shape\": [2], \"data\": [\"Riga\", \"Oslo\"]}\n";
    assert_eq!(run("city[:2]", &["--json"]), json);
    let both = [&CITIES[..], &["--format", "csv"]].concat();
    for module in ["np", "torch"] {
        assert_eq!(run(&format!("{module}.isin(city, name)"), &both), "True\nTrue\nTrue\nFalse\n", "{module}");
        let equal = format!("{module}.where(city == 'Riga', sold, 0)");
        assert_eq!(run(&equal, &both), "3\n0\n2\n0\n", "{module}");
    }
    assert_eq!(run("np.isin(city, ['Paris', 'Bonn'])", &both), "False\nFalse\nFalse\nTrue\n");
    for module in ["np", "torch"] {
        let joined = format!(
            "there = {module}.isin(city, name); order = {module}.argsort(name); \
             people[order[{module}.searchsorted(name, city[there], sorter=order)]]"
        );
        assert_eq!(run(&joined, &both), "605\n717\n605\n", "{module}");
    }
    assert_eq!(run("(city != city[[0]]).tolist()", &["--dialect", "numpy"]), "[False, True, False, True]\n");
    assert_eq!(run("np.searchsorted(np.unique(city), 'Paris')", &[]), "np.int64(1)\n");
    // Written, and read again as NumPy writes text.
    run("np.concatenate([city, name])", &[CITIES[0], "-o", "all.npy"]);
    assert_eq!(ok(dir.path(), &["eval", "x[-1:]", "x=all.npy", "--dialect", "numpy"]), "array(['Åbo'], dtype='<U5')\n");
}

#[test]
fn what_text_is_not_for_is_refused_by_name() {
    let dir = sales();
    let said =
        |expression: &str, more: &[&str]| fails(dir.path(), &[&["eval", expression], &SALES[..], more].concat(), 1);
    for expression in ["np.sum(city)", "torch.cumsum(city, 0)", "city > 2", "np.bincount(city)"] {
        let error = said(expression, &[]);
        assert!(error.contains("text is for") && error.contains("return_inverse=True"), "{expression}: {error}");
    }
    assert!(said("city", &["--summary"]).contains("a summary is of numbers or dates, not of <U5"));
    assert!(!said("sold[9]", &[]).contains("text is for"));
}

#[test]
fn columns_that_are_not_all_words_are_text_where_that_is_said() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::write(d.join("codes.csv"), "code,n,day\n007,1,2020-01-02\nA1,2,2020-01-01\n").unwrap();
    let error = fails(d, &["eval", "c", "c=codes.csv#code"], 1);
    let mixed = "takewise: codes.csv: line 3, column 'code': 'A1' is no number; '#name:text' reads a column as text\n";
    assert_eq!(error, mixed);
    assert_eq!(ok(d, &["eval", "c", "c=codes.csv#code:text", "--format", "csv"]), "007\nA1\n");
    assert_eq!(ok(d, &["eval", "c", "c=codes.csv#n,code:text", "--format", "csv"]), "1,007\n2,A1\n");
    assert!(fails(d, &["eval", "c", "c=codes.csv#cost:text"], 1).contains("has no column 'cost'"));
    assert!(ok(d, &["info", "codes.csv"]).contains("'code': mixed\n"));
    // Dates are keys too.
    assert_eq!(ok(d, &["eval", "np.unique(x, return_inverse=True)[1]", "x=codes.csv#day"]), "array([1, 0])\n");
    fs::write(d.join("names.csv"), "name\nAnn\nBob\n").unwrap();
    assert!(fails(d, &["eval", "x", "x=names.csv#name"], 1).contains("line 1 may hold names or text"));
    assert_eq!(ok(d, &["eval", "x.shape", "x=names.csv#name", "--header"]), "torch.Size([2])\n");
    assert_eq!(ok(d, &["eval", "x.shape", "x=names.csv", "--no-header"]), "torch.Size([3])\n");
    assert_eq!(ok(d, &["eval", "x.shape", "x=names.csv#name:text"]), "torch.Size([2])\n");
}

#[test]
fn texts_of_other_programs() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let read = |name: &str, written: &str, more: &[&str]| {
        fs::write(d.join(name), written).unwrap();
        let column = format!("x={name}");
        ok(d, &[&["eval", "x", column.as_str(), "--format", "csv"], more].concat())
    };
    // np.savetxt, and R's write.table and write.csv.
    assert_eq!(read("s.csv", "# a b\n1.5e+00 2.0e+00\n3.0e+00 4.0e+00\n", &[]), "1.5,2.0\n3.0,4.0\n");
    let table = "\"a\" \"b c\"\n\"1\" 1 2.5\n\"2\" 3 4.5\n";
    assert_eq!(read("r.txt", table, &["--delimiter", "blanks"]), "1.0,1.0,2.5\n2.0,3.0,4.5\n");
    assert_eq!(ok(d, &["eval", "x", "x=r.txt#b c", "--header", "--format", "csv"]), "2.5\n4.5\n");
    assert_eq!(read("w.csv", "\"\",\"a\"\n\"1\",5\n", &["--header"]), "1,5\n");
    assert_eq!(read("e.txt", "a;b\n1;NA\n3;4\n", &["--delimiter", ";", "--missing"]), "1.0,nan\n3.0,4.0\n");
}

/// What gzip has compressed, told by its bytes, in a file and in a pipe.
#[test]
fn compressed_tables() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let mut packed = Vec::new();
    for part in ["id,price\n3,0.5\n", "1,2.5\n"] {
        let mut gz = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
        gz.write_all(part.as_bytes()).unwrap();
        gz.finish().unwrap();
    }
    fs::write(d.join("p.csv.gz"), &packed).unwrap();
    let want = "array([0.5, 2.5])\n";
    assert_eq!(ok(d, &["eval", "np.asarray(x)", "x=p.csv.gz#price"]), want);
    for standard in ["x=-#price", "x=/dev/stdin#price"] {
        assert_eq!(text(&piped(d, &["eval", "np.asarray(x)", standard], &packed).stdout), want);
    }
    assert!(ok(d, &["info", "p.csv.gz"]).contains("2 columns, 2 rows"));
    fs::write(d.join("p.gz"), &packed).unwrap();
    assert!(fails(d, &["eval", "x", "x=p.gz"], 1).contains("is compressed by gzip"));
    fs::write(d.join("cut.csv.gz"), &packed[..packed.len() - 4]).unwrap();
    assert!(fails(d, &["eval", "x", "x=cut.csv.gz"], 1).starts_with("takewise: cut.csv.gz: "));
}

/// `<( )` of a shell is a pipe with the name of a file.
#[test]
#[cfg(target_os = "linux")]
fn pipes_with_names() {
    let dir = sales();
    let script = "\"$0\" eval 'x[y == \"Riga\"]' x=<(cut -d, -f2 sales.csv) y=<(cat sales.csv)#city --format csv";
    let out = std::process::Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_takewise")])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!((text(&out.stderr).as_str(), text(&out.stdout).as_str()), ("", "3\n2\n"));
}

#[test]
fn summaries() {
    let dir = sales();
    let run = |more: &[&str]| ok(dir.path(), &[&["eval"], more, &SALES[..]].concat());
    let wanted = "count    2\nmissing  0\nleast    2\ngreatest 3\nmean     2.5\nstd      0.5\n";
    assert_eq!(run(&["sold[city == 'Riga']", "--summary"]), wanted);
    let json = "{\"count\": 2, \"missing\": 0, \"least\": 2, \"greatest\": 3, \"mean\": 2.5, \"std\": 0.5}\n";
    assert_eq!(run(&["sold[city == 'Riga']", "--summary", "--json"]), json);
    let days = piped(dir.path(), &["eval", "x", "x=-", "--missing", "--summary"], b"2021-01-02\nNA\n2020-02-29\n");
    assert_eq!(text(&days.stdout), "count    2\nmissing  1\nleast    2020-02-29\ngreatest 2021-01-02\n");
    assert!(fails(dir.path(), &["eval", "torch.sort(torch.tensor([1]))", "--summary"], 1).contains("has 2"));
    fails(dir.path(), &["eval", "1", "--summary", "-o", "x.npy"], 2);
}
