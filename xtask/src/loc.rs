//! Source files that hold more than one concept, by lines of code.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::sh::root;

/// Above this a file is asked to split. Blank lines, comments and unit tests do not count.
const LIMIT: usize = 450;

/// Prints every file over the limit, and fails if there is one.
pub(crate) fn loc(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let (mut files, mut total, mut large) = (0, 0, Vec::new());
    for path in sources(&root(), &[".rs"])? {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let lines = code_lines(&text);
        files += 1;
        total += lines;
        if lines > LIMIT {
            large.push((lines, path));
        }
    }
    large.sort_by(|a, b| b.cmp(a));
    println!("{files} source files, {total} lines of code; {} over {LIMIT}", large.len());
    for (lines, path) in &large {
        println!("{lines:>6}  {}", path.strip_prefix(root()).unwrap_or(path).display());
    }
    match large.as_slice() {
        [] => Ok(()),
        _ => Err(format!(
            "files of more than {LIMIT} lines of code hold more than one concept: split them where the seam is"
        )),
    }
}

/// Files whose names end so, outside build outputs and outside folders that hold only tests.
pub(crate) fn sources(folder: &Path, ends: &[&str]) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        if path.is_dir() {
            if !name.starts_with('.') && !matches!(name, "target" | "tests" | "benches") {
                found.extend(sources(&path, ends)?);
            }
        } else if ends.iter().any(|end| name.ends_with(end)) && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Lines that are neither blank nor comment, up to the unit tests at the end of the file.
fn code_lines(text: &str) -> usize {
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[cfg(test)]
mod tests {
    use super::code_lines;

    #[test]
    fn counts_code_only() {
        let text = "//! head\n\nfn a() {\n    // why\n    b();\n}\n\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(code_lines(text), 3);
    }
}
