//! The documentation site: the pages of `docs/` as HTML, in English and Chinese.

use std::path::PathBuf;

use crate::Outcome;
use crate::page;
use crate::python::{Home, home};
use crate::sh::{leave_out, program, root};

/// Where `tools/site/build.py` writes the site, ready to be served or opened.
const BUILT: &str = "target/site";

/// What makes the pages. All of it may not be to be had, and then there is no site; pip is in the environment already.
pub(crate) const MKDOCS: Home = Home {
    folder: "python-env-site",
    tools: &["pip"],
    library: &[
        "mkdocs==1.6.1",
        "mkdocs-material==9.8.2",
        "mkdocs-static-i18n==1.3.1",
        // The search cuts Chinese into words by it.
        "jieba==0.42.1",
    ],
};

/// Builds the site with the page `docs/explain` in it, and fails where a page links to another page or heading that is not there.
/// With `--check` the built pages are looked through as well: every address in them, and that they ask for nothing outside.
pub(crate) fn site(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() && arguments != ["--check"] {
        return Err(format!("takes --check or nothing, got {arguments:?}"));
    }
    if built(arguments)?.is_some() {
        println!("The site is {BUILT}/index.html: open it, or put the folder on a web server.");
    }
    Ok(())
}

/// The folder of the site, built anew; `None` where what makes it cannot be had.
pub(crate) fn built(arguments: &[String]) -> Result<Option<PathBuf>, String> {
    let Some(interpreter) = home(&MKDOCS)? else { return leave_out("the documentation site").map(|()| None) };
    // The theme would print what its makers plan for another program.
    let build = program(&interpreter).args(["tools/site/build.py"]).env("NO_MKDOCS_2_WARNING", "1");
    let page = page::built()?;
    if page.is_none() {
        leave_out("the interactive page of the site")?;
    }
    let page = page.map(|folder| format!("--page={}", folder.display()));
    build.args(page).args(arguments).run()?;
    Ok(Some(root().join(BUILT)))
}
