//! Comments cite pages of this repository, by headings that exist.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::sh::root;

/// The pages in `docs` whose headings comments cite: `(SEMANTICS.md, Overlap)` or `SEMANTICS.md#overlap`.
const PAGES: &[&str] = &["SEMANTICS.md", "DESIGN.md"];

/// Where sources are.
const FOLDERS: [&str; 7] = ["bench", "crates", "examples", "fuzz", "python", "tools", "xtask"];

/// Fails with every citation of a heading that is not there, or of a numbered section of a page that is elsewhere.
pub(crate) fn citations() -> Outcome {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut pages = Vec::new();
    for &page in PAGES {
        pages.push((page, read(&root().join("docs").join(page))?));
    }
    let (mut folders, mut found) = (FOLDERS.map(|folder| root().join(folder)).to_vec(), Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if (name.ends_with(".rs") || name.ends_with(".py")) && name != "citations.rs" {
                found
                    .extend(wrong(&read(&path)?, &pages).into_iter().map(|line| format!("{}: {line}", path.display())));
            }
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// The lines of a source that cite what is not there.
fn wrong<'t>(text: &'t str, pages: &[(&str, String)]) -> Vec<&'t str> {
    text.lines().filter(|line| numbered(line) || pages.iter().any(|(page, text)| astray(line, page, text))).collect()
}

/// Whether a line cites a section by number: `spec 3.1`, `spec sections 10`.
fn numbered(line: &str) -> bool {
    let section = |rest: &str| rest.trim_start_matches(" section").trim_start_matches('s').to_owned();
    let number = |rest: &str| rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let word = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    line.contains("architecture section")
        || line.match_indices("spec").any(|(at, found)| word(at) && number(&section(&line[at + found.len()..])))
}

/// Whether a line cites a heading that the page does not have.
fn astray(line: &str, page: &str, text: &str) -> bool {
    let headings = || text.lines().filter_map(|line| line.strip_prefix("## "));
    let anchor = |heading: &str| -> String {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    line.match_indices(page).any(|(at, _)| {
        let rest = &line[at + page.len()..];
        if let Some(cited) = rest.strip_prefix('#') {
            let cited = cited.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_')).next();
            return !headings().any(|heading| Some(anchor(heading).as_str()) == cited);
        }
        let Some(cited) = rest.strip_prefix(", ") else { return rest.trim_start() == "," };
        !headings().any(|heading| cited.split([')', '.', ';', ':']).next() == Some(heading))
    })
}

#[cfg(test)]
mod tests {
    use super::{citations, wrong};

    #[test]
    fn tells_what_is_not_there() {
        let pages = [("SEMANTICS.md", "# Page\n## Overlap\n## Put and take\n".to_owned())];
        let good = "// (SEMANTICS.md, Overlap)\n// SEMANTICS.md, Put and take.\n// docs/SEMANTICS.md#put-and-take\n\
                    // docs/SEMANTICS.md\n// a raw_spec 3, aspect 2, spec of 3, docs/SEMANTICS.md).\n";
        assert_eq!(wrong(good, &pages), Vec::<&str>::new());
        for bad in ["spec 3.1", "(spec sections 10)", "spec section 2", "architecture section 7"] {
            assert_eq!(wrong(bad, &pages), [bad]);
        }
        for bad in ["SEMANTICS.md, Overlaps)", "(SEMANTICS.md,", "SEMANTICS.md#put"] {
            assert_eq!(wrong(bad, &pages), [bad]);
        }
    }

    #[test]
    fn every_citation_is_there() {
        assert_eq!(citations(), Ok(()));
    }
}
