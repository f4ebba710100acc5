//! The command does what the catalogue says of each operation: its examples, which the Python package runs too.

use std::fmt::Write as _;
use std::fs;

use takewise_operations::all;
use tempfile::TempDir;

use crate::shared::ok;

#[test]
fn examples_of_operations_give_what_they_show() {
    let (mut page, mut count) = (String::new(), 0);
    // A form in place has the examples of the other.
    for entry in all().filter(|entry| entry.operation.place != Some(entry.name)) {
        let example = entry.docstring();
        let example =
            example.find(">>>").map(|at| &example[at..]).unwrap_or_else(|| panic!("{} has no example", entry.name));
        writeln!(page, "## {}\n\n```python\n{}\n```\n", entry.name, example.trim_end()).unwrap();
        count += 1;
    }
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("operations.md"), page).unwrap();
    let shown = ok(dir.path(), &["run", "operations.md"]);
    let examples: usize = shown.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
    assert!(shown.ends_with("all as expected\n") && examples >= count, "{count} operations: {shown}");
}
