//! The page `docs/explain`: its engine as WebAssembly, its static files, and its tests in a real browser.

use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::python::{Home, home};
use crate::sh::{cargo, program, root};
use crate::site;

const TARGET: &str = "wasm32-unknown-unknown";
/// A workspace of its own, see there.
const ENGINE: &str = "crates/takewise-page/wasm/Cargo.toml";
const SOURCES: &str = "docs/explain";
/// Where the page is written, ready to be served or opened.
const BUILT: &str = "target/page/site";
const SCREENSHOTS: &str = "target/page/screenshots";

/// What packs the engine, smaller than Python does by itself.
const PACKER: Home = Home { folder: "python-env-page", tools: &["pip"], library: &["zopfli==0.4.3"] };

/// Builds the page; with `--check` tests it and the site around it in Chromium, which is installed if the machine has none.
pub(crate) fn page(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [one] if one == "--check" => true,
        _ => return Err(format!("takes --check or nothing, got {arguments:?}")),
    };
    let built = built()?.ok_or("needed are rustup with the target wasm32-unknown-unknown, and zopfli from pip")?;
    println!("The page is {BUILT}/index.html: open it, or put the folder on a web server.");
    if !check {
        return Ok(());
    }
    let sources = root().join(SOURCES);
    tools(&sources)?;
    let browser = browser()?;
    // As the workspace's tests build it: another choice of features would compile all crates once more.
    cargo(&["test", "--workspace", "--test", "requests", "--no-run"]).run()?;
    let native = root().join("target/debug/takewise-page-answer");
    let screenshots = root().join(SCREENSHOTS);
    let paths = [&built, &browser, &native, &screenshots].map(|path| path.to_string_lossy().into_owned());
    node(&sources, "tests/links.mjs").run()?;
    node(&sources, "tests/page.mjs").args(&paths).run()?;
    let Some(site) = site::built(&[])? else { return Ok(()) };
    node(&sources, "tests/site.mjs").args([&*site.to_string_lossy(), &paths[1], &paths[3]]).run()
}

/// The folder of the page, built without Node; `None` where the target for WebAssembly or the packer cannot be had.
pub(crate) fn built() -> Result<Option<PathBuf>, String> {
    let rustup = |arguments: [&str; 3]| program(Path::new("rustup")).args(arguments);
    let installed = rustup(["target", "list", "--installed"]).output().unwrap_or_default();
    if !installed.lines().any(|line| line == TARGET) && rustup(["target", "add", TARGET]).run().is_err() {
        return Ok(None);
    }
    let Some(python) = home(&PACKER)? else { return Ok(None) };
    let built = root().join(BUILT);
    let build = root().join(SOURCES).join("tools/build.py");
    let paths = [&build, &engine()?, &built].map(|path| path.to_string_lossy().into_owned());
    program(&python).args(paths).run()?;
    Ok(Some(built))
}

/// The engine as the compiler makes it.
fn engine() -> Result<PathBuf, String> {
    // Where this checkout and the registry lie is no part of it, so that it is the same, and as large, wherever it is built.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let flags =
        [(root(), "."), (home, "cargo")].map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    cargo(&["build", "--release", "--locked", "--manifest-path", ENGINE, "--target", TARGET])
        .args([
            "--target-dir".into(),
            "target/page-wasm".into(),
            format!("--config=target.{TARGET}.rustflags={flags:?}"),
        ])
        .run()?;
    Ok(root().join("target/page-wasm").join(TARGET).join("release/takewise_page_wasm.wasm"))
}

/// The pinned tools, by npm.
pub(crate) fn tools(sources: &Path) -> Outcome {
    let stamp = sources.join("node_modules/.package-lock.json");
    let newer = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let lock = newer(&sources.join("package-lock.json"));
    if newer(&stamp).is_some_and(|made| lock.is_some_and(|lock| made > lock)) {
        return Ok(());
    }
    let step = program(Path::new("npm")).args(["ci", "--prefix"]).args([sources.to_string_lossy()]);
    step.run().map_err(|what| format!("needed is node 20 and npm with its registry: {what}"))
}

fn node(sources: &Path, script: &str) -> crate::sh::Step {
    program(Path::new("node")).args([sources.join(script).to_string_lossy()])
}

/// Chromium: the one named in `CHROMIUM`, or Debian's, which is installed where it is missing.
fn browser() -> Result<PathBuf, String> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let known = named.into_iter().chain([PathBuf::from("/usr/bin/chromium")]).find(|path| path.exists());
    if let Some(path) = known {
        return Ok(path);
    }
    let apt = || program(Path::new("apt-get"));
    let install = || apt().args(["-o", "DPkg::Lock::Timeout=300", "install", "-y", "chromium", "fonts-noto-cjk"]).run();
    let installed = install().or_else(|_| apt().args(["update"]).run().and_then(|()| install()));
    installed.map_err(|what| format!("the page was not tested, as Chromium could not be installed: {what}"))?;
    let path = PathBuf::from("/usr/bin/chromium");
    if path.exists() { Ok(path) } else { Err("the page was not tested: there is no /usr/bin/chromium".into()) }
}
