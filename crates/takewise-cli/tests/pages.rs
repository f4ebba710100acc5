//! `takewise run` on pages as a browser copies them: without prompts, with lost blanks, in two languages, with mistakes.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::shared::{fails, ok, takewise, text};
use tempfile::TempDir;

/// A page without a prompt, whose rows have lost their blanks.
const GATHER: &str = "torch.take_along_dim(input, indices, dim)\n按索引取值。\n参数:\n-\ninput (Tensor) – 输入 -\n\
    out[i][j] = x[index[i][j]][j]  # if dim == 0\n例如:\n\n    x = torch.tensor([[1, 2],\n        [3, 4]])\n\
    index = torch.tensor([[1, 0]])\nout = torch.gather(x, 0, index)\nprint('size:', out.size())\nprint(x)\n\
    结果如下:\n\nsize: torch.Size([1, 2])\ntensor([[1, 2],\n[3, 4]])\nout[0][0]=x[index[0][0]][0]=x[1][0]=3\n  • out[0][1] = 2\n|\n";

#[test]
fn a_page_that_is_right_but_for_its_blanks() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::write(d.join("page.txt"), GATHER).unwrap();
    let shown = ok(d, &["run", "page.txt"]);
    let want = "page.txt: line 14:\n    print(x)\n  right but for its blanks; it prints:\n    tensor([[1, 2],\n            [3, 4]])\n\n\
                page.txt: 5 examples and 2 equations, all as expected; 1 badly set (line 14)\n";
    assert_eq!(shown, want);
    let mut child = Command::new(env!("CARGO_BIN_EXE_takewise"))
        .args(["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(GATHER.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success() && text(&out.stdout).starts_with("-: line 14:"));
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_what_is_right() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    let page = GATHER.replace("gather(x,", "gather(the_x,").replace("[1][0]=3", "[1][0]=4");
    fs::write(d.join("page.txt"), page).unwrap();
    let out = takewise(d, &["run", "page.txt"]);
    let shown = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{shown}");
    for part in [
        "line 12:\n    out = torch.gather(the_x, 0, index)\n  'the_x' is not defined; it is read as 'x' from here on\n",
        "line 20:\n    out[0][0]=x[index[0][0]][0]=x[1][0]=4\n  does not hold:\n    out[0][0] = 3\n",
        "page.txt: 2 of 5 examples and 2 equations differ (lines 12, 20); 1 badly set (line 14)\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    fs::write(
        d.join("mask.md"),
        ">>> b = torch.arange(3)\n>>> m = torch.tensor([True, False,\n>>> True])\ntensor([0, 2])\n",
    )
    .unwrap();
    let out = takewise(d, &["run", "mask.md"]);
    assert!(text(&out.stdout).contains("  which is what this gives:\n    b[m]\n") && out.status.code() == Some(1));
    fs::write(d.join("none.txt"), "没有代码\nNo code at all.\n").unwrap();
    assert!(fails(d, &["run", "none.txt"], 1).contains("SyntaxError"));
}

#[test]
fn strict_compares_letter_by_letter() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    fs::write(d.join("page.txt"), ">>> torch.arange(4).reshape(2, 2)\ntensor([[0, 1],\n[2, 3]])\n").unwrap();
    assert!(ok(d, &["run", "page.txt"]).contains("badly set"));
    let out = takewise(d, &["run", "--strict", "page.txt"]);
    assert!(out.status.code() == Some(1) && text(&out.stdout).ends_with("1 of 1 examples differ (lines 1)\n"));
    fs::write(d.join("script.py"), "x = torch.zeros(2)\nprint(x)\nx[0]\n[1]\n").unwrap();
    assert_eq!(ok(d, &["run", "script.py"]), "tensor([0., 0.])\n");
    // What nothing was compared in is not as expected.
    fs::write(d.join("silent.txt"), ">>> x = torch.zeros(2)\n").unwrap();
    fs::write(d.join("script.txt"), "x = 1\nx\n2\n").unwrap();
    for args in [&["run", "silent.txt"][..], &["run", "--strict", "silent.txt"], &["run", "--strict", "script.txt"]] {
        let out = takewise(d, args);
        assert!(out.status.code() == Some(3) && text(&out.stdout).contains("nothing compared"), "{args:?}");
    }
    // Nothing that a document holds speaks to the terminal.
    fs::write(d.join("odd.txt"), ">>> 1\n\x1b]0;owned\x07 2\u{202e}\n").unwrap();
    let out = text(&takewise(d, &["run", "odd.txt"]).stdout);
    assert!(out.contains("\\x1b]0;owned\\x07 2\\u202e") && !out.contains(['\x1b', '\x07', '\u{202e}']), "{out}");
    // A chain that would end the process is refused.
    fs::write(d.join("deep.txt"), format!("x = torch.arange(3)\nx{}\ntensor(0)\n", "[0]".repeat(300_000))).unwrap();
    let out = takewise(d, &["run", "deep.txt"]);
    assert!(out.status.code().is_some_and(|code| code > 0), "{:?}", out.status);
}
