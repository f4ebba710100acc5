//! What the `takewise` binary leaves on disk: permissions, links, pipes, and nothing of what was not completed.

use std::fs;
use std::process::Command;

use crate::shared::{fails, inputs, leftovers, ok};
use tempfile::TempDir;

#[test]
fn what_is_written_has_the_permissions_of_a_new_file_or_the_old_one() {
    use std::os::unix::fs::PermissionsExt;
    let dir = inputs();
    let d = dir.path();
    let mode = |name: &str| fs::metadata(d.join(name)).unwrap().permissions().mode() & 0o777;
    for (umask, want) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        for name in ["p.npy", "p.npz", "p.safetensors", "p.bin"] {
            let _ = fs::remove_file(d.join(name));
            let script = format!("umask {umask}; \"$0\" eval 'torch.arange(3)' -o {name}");
            let run = Command::new("sh").current_dir(d).args(["-c", &script, env!("CARGO_BIN_EXE_takewise")]).status();
            assert!(run.unwrap().success());
            assert_eq!(mode(name), want, "{name} under {umask}");
        }
    }
    fs::set_permissions(d.join("p.npy"), fs::Permissions::from_mode(0o640)).unwrap();
    ok(d, &["eval", "torch.arange(4)", "-o", "p.npy"]);
    assert_eq!(mode("p.npy"), 0o640);
    assert_eq!(leftovers(d), Vec::<std::path::PathBuf>::new());
}

#[test]
fn links_pipes_and_directories_as_destinations() {
    use std::os::unix::fs::symlink;
    let dir = inputs();
    let d = dir.path();
    fs::create_dir(d.join("sub")).unwrap();
    fs::create_dir(d.join("dir.npy")).unwrap();
    symlink("sub/real.npy", d.join("link.npy")).unwrap();
    for _ in 0..2 {
        // The first time the link leads nowhere yet.
        ok(d, &["eval", "x[0]", "x=x.npy", "-o", "link.npy"]);
        assert!(fs::symlink_metadata(d.join("link.npy")).unwrap().is_symlink());
        assert_eq!(ok(d, &["eval", "x.shape", "x=sub/real.npy"]), "torch.Size([3, 4])\n");
    }
    symlink("loop.npy", d.join("loop.npy")).unwrap();
    fails(d, &["eval", "x[0]", "x=x.npy", "-o", "loop.npy"], 2);
    assert!(fails(d, &["eval", "x[0]", "x=x.npy", "-o", "dir.npy"], 2).contains("is a directory"));
    symlink("/dev/null", d.join("null.npy")).unwrap();
    ok(d, &["eval", "x[0]", "x=x.npy", "-o", "null.npy"]);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let script = "mkfifo f.npy && { cat f.npy > got.npy & } && \"$0\" eval 'x[1]' x=x.npy -o f.npy && wait";
    let run = Command::new("sh").current_dir(d).args(["-c", script, env!("CARGO_BIN_EXE_takewise")]).status();
    assert!(run.unwrap().success());
    assert_eq!(ok(d, &["eval", "x[0, 0]", "x=got.npy"]), "tensor(12.)\n");
    assert_eq!(leftovers(d), Vec::<std::path::PathBuf>::new());
}

/// A large result on its way to a file when the signal comes: neither it nor half of it is left, and what was there is.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_leaves_no_half_written_file() {
    for (signal, name) in [("TERM", "o.npy"), ("INT", "o.npz"), ("HUP", "o.safetensors")] {
        let dir = TempDir::new().unwrap();
        let d = dir.path();
        fs::write(d.join(name), "before").unwrap();
        // Whoever runs the tests may have told signals to be ignored, which a child inherits.
        let mut child = Command::new("env")
            .args(["--default-signal=TERM,INT,HUP", env!("CARGO_BIN_EXE_takewise")])
            .current_dir(d)
            .args(["eval", "torch.zeros(3000000000, dtype=torch.uint8)", "-o", name])
            .spawn()
            .unwrap();
        let seen = (0..3000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            leftovers(d).iter().any(|p| fs::metadata(p).is_ok_and(|m| m.len() > 0))
        });
        assert!(seen, "nothing was written");
        Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        let status = child.wait().unwrap();
        use std::os::unix::process::ExitStatusExt;
        assert!(status.signal().is_some(), "{signal}: {status:?}");
        assert_eq!(leftovers(d), Vec::<std::path::PathBuf>::new(), "{signal}");
        assert_eq!(fs::read(d.join(name)).unwrap(), b"before");
    }
}

/// What a process that was killed left beside its target goes with the next run of that target; what is being written stays.
#[test]
fn what_a_killed_run_left_is_removed() {
    let dir = inputs();
    let d = dir.path();
    for name in [".takewise-y.npy-Ab12Cd", ".takewise-z.npy-Ab12Cd", ".takewise-y.npy-held"] {
        fs::write(d.join(name), "part").unwrap();
    }
    let held = fs::File::options().write(true).open(d.join(".takewise-y.npy-held")).unwrap();
    held.lock().unwrap();
    ok(d, &["eval", "x", "x=x.npy", "-o", "y.npy"]);
    let mut left: Vec<_> = leftovers(d).into_iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    left.sort();
    assert_eq!(left, [".takewise-y.npy-held", ".takewise-z.npy-Ab12Cd"]);
}
