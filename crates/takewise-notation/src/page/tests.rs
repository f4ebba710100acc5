use takewise_dialects::{MINDSPORE, NUMPY, TORCH};

use super::*;

/// What is found in a page, as `line: kind`.
fn found(text: &str) -> Vec<String> {
    let report = replay(&mut Session::new(&TORCH), text).unwrap_or_else(|e| panic!("{e}"));
    report.findings.iter().map(|f| format!("{}: {:?}", f.line, f.kind)).collect()
}

fn report(text: &str) -> PageReport {
    replay(&mut Session::new(&TORCH), text).unwrap()
}

const NONE: [&str; 0] = [];

#[test]
fn prose_formulas_and_headings_are_passed_over() {
    let page = "torch.gather(input, dim, index)\n沿指定的维收集值。\n参数:\n-\ndim (int) – 维 -\nout[i] = x[index[i]] # dim= 0\n\
                例如:\nx = torch.tensor([1, 2])\nindex = torch.tensor([1, 1])\nout = torch.gather(x, 0, index)\nprint(out)\n\
                dim=0:\nout[i][j] = x[index[i][j]][j]  # if dim == 0\n结果:\n\ntensor([2, 2])\n1. 完 [1, 2]\nout.shape\n";
    assert_eq!(found(page), NONE);
    assert_eq!(report(page).examples, 4);
}

#[test]
fn equations_are_checked() {
    let page = "x = torch.tensor([5, 6])\ni = torch.tensor([1, 0])\nout = x[i]\nout[0]=x[i[0]]=x[1]=6\nout[1]=x[i[1]]=x[0]=6\n\
                  • out[0] = 6\n  • out[1] = 7\n  • out[k] = 1\n";
    let report = report(page);
    assert_eq!((report.examples, report.equations), (3, 4));
    let wrong: Vec<_> = report.findings.iter().map(|f| (f.line, f.right.join("; "))).collect();
    assert_eq!(wrong, [(5, "out[1] = 5; x[i[1]] = 5; x[0] = 5".to_owned()), (7, "out[1] = 5".to_owned())]);
    assert!(!report.holds());
}

#[test]
fn an_assignment_to_an_element_is_one() {
    assert_eq!(found("x = torch.zeros(2)\nx[0] = 3\nprint(x)\ntensor([3., 0.])\n"), NONE);
}

#[test]
fn a_name_that_the_page_does_not_define() {
    let page = "input_tensor = torch.tensor([1, 2])\ninput[1]=2\nout = torch.gather(input, 0, torch.tensor([1]))\nprint(out)\n\
                input_tensor = torch.tensor([3, 4])\nprint(input)\ntensor([3, 4])\n";
    assert_eq!(found(page), ["3: Name { written: \"input\", meant: \"input_tensor\" }", "4: Unshown"]);
    assert_eq!(report(page).findings[1].right, ["tensor([2])"]);
    assert_eq!(found(">>> indx = torch.tensor([0])\n>>> torch.arange(2)[indexx]\ntensor([0])\n").len(), 1);
    assert_eq!(found(">>> y\nNameError: name 'y' is not defined\n"), NONE);
    assert_eq!(found(">>> gather(1)\nNameError: name 'gather' is not defined\n"), NONE);
    assert_eq!(found("out = torch.take(nothing, 1)\n"), ["1: Differs"]);
}

#[test]
fn a_statement_that_the_page_forgot() {
    let page = ">>> b = torch.tensor([[0, 1], [2, 3]])\n>>> m = torch.tensor([[True, False],\n>>>    [False, True]])\n\
                tensor([0, 3])\n>>> b[0, 0] = 9\ntensor([[9, 1],\n        [2, 3]])\n>>> k = b[0]\nand so on\n>>> k = b[1]\n[5, 5]\n";
    let names = ["2: Missing { statement: \"b[m]\" }", "5: Missing { statement: \"b\" }", "10: Differs"];
    assert_eq!(found(page), names);
}

#[test]
fn blanks_that_were_lost() {
    let page = ">>> d = torch.arange(4).reshape(2, 1, 2)\n>>> d\ntensor([[[0, 1]],\n        [[2, 3]]])\n>>> d[1]\ntensor([[2,\n3]])\nText.\n\
                >>> d.sum()\ntensor(6)\n1\n2\n3\n>>> d[0, 0]\ntensor([0, 2])\n";
    assert_eq!(found(page), ["2: Layout", "5: Layout", "14: Differs"]);
}

#[test]
fn random_numbers_are_those_of_the_page() {
    let page = ">>> c = torch.rand([2, 2])\n>>> c\ntensor([[0.6478, 0.3120],\n        [0.4470, 0.6383]])\n>>> c[[1, 1]]\n\
                tensor([[0.4470, 0.6383],\n        [0.4470, 0.6383]])\n>>> c[0]\ntensor([0.6478, 0.3121])\n>>> torch.rand(2)\ntensor([0.1000, 0.2000])\n";
    assert_eq!(found(page), ["2: Random { taken: true }", "8: Differs", "10: Random { taken: false }"]);
    let shape = ">>> c = torch.rand([2, 2])\n>>> c\ntensor([0.6478, 0.3120])\n";
    assert_eq!(found(shape), ["2: Differs"]);
    let seeded = format!(">>> _ = torch.manual_seed(0)\n{shape}");
    assert_eq!(found(&seeded), ["3: Differs"]);
    assert_eq!(found(">>> torch.manual_seed(0); torch.rand(2)\n")[0], "1: Unshown");
}

#[test]
fn marks_and_prompts_of_other_kinds() {
    let marks = "x = torch.tensor\u{ff08}[1\u{ff0c}2])\nprint(x[“”])\n";
    assert_eq!(found(marks), ["1: Marks", "2: Marks", "2: Differs"]);
    let page = "In [1]: x = torch.arange(4).reshape(2, 2)\n\nIn [2]: x\nOut[2]:\ntensor([[0, 1],\n        [2, 3]])\n\nIn [3]: x[0, 1]\nOut[3]: tensor(2)\n";
    assert_eq!(found(page), ["8: Differs"]);
}

#[test]
fn errors_with_and_without_their_traceback() {
    let page = ">>> torch.arange(4)[[9]]\n---------------------------------------------------------------------------\n\
                IndexError                                Traceback (most recent call last)\n----> 1 torch.arange(4)[[9]]\n\
                IndexError: index 9 is out of bounds for dimension 0 with size 4\n>>> torch.arange(4)[[9]]\nIndexError: no\n\
                >>> torch.arange(4)[[9]]\n";
    assert_eq!(found(page), ["6: Differs", "8: Differs"]);
    let plain = "x = torch.arange(4)\nx[[9]]\nIndexError: index 9 is out of bounds for dimension 0 with size 4\nprint(x[[8]])\n";
    assert_eq!(found(plain), ["4: Differs"]);
}

#[test]
fn values_below_expressions() {
    let page = "```python\nx = torch.arange(3)\nx[1:]\n```\n\n```\ntensor([1, 2])\n```\n\nx = 7\n\n```py\nx[0]\n# a comment\nx.shape\n```\n```\ntensor(3)\n```\n";
    // `x[0]` is not shown, so the output is that of `x.shape`; neither gives it.
    assert_eq!(found(page), ["15: Differs"]);
    let blocks = "w = torch.tensor([1.], requires_grad=True)\nwith torch.no_grad():\n    y = w[0]\n    print(y)\nprint(y)\ntensor(1.)\ntensor(1.)\n";
    assert_eq!(found(blocks), NONE);
    assert_eq!(found("for k in range(3):\n    print(k)\n"), ["1: Differs"]);
}

/// However a page shows an output, a wrong one is found and a right one holds.
#[test]
fn outputs_are_compared_wherever_they_stand() {
    let ways = [
        "x = torch.arange(6)\nx.shape\n{}\n",
        "x = torch.arange(6)\nx.shape  # {}\n",
        "x = torch.arange(6)\nx.shape\n# {}\n",
        "x = torch.arange(6)\nprint(x.shape)  # => {}\n",
        "x = torch.arange(6)\nprint(x.shape)\n\n# Output:\n# {}\n",
        "x = torch.arange(6)\ny = x.shape  # {}\n",
        "x = torch.arange(6)\nx.shape\n输出：{}\n",
        "x = torch.arange(6)\nx.shape\n\n输出为：\n\n{}\n",
        "x = torch.arange(6)\nx.shape\nOutput: {}\n",
        "```python\nx = torch.arange(6)\nx.shape\n```\n\nOutput:\n\n```text\n{}\n```\n",
        "```python\nx = torch.arange(6)\nx.shape\n```\n```\n{}\n```\n",
        "```python\nx = torch.arange(6)\nx.shape  # {}\n```\n",
        ">>> x = torch.arange(6)\n>>> x.shape  # {}\n",
        ">>> x = torch.arange(6)\n>>> x.shape\n# {}\n",
        "In [1]: x = torch.arange(6)\n\nIn [2]: x.shape\nOut[2]: {}\n",
    ];
    for way in ways {
        let with = |shape: &str| report(&way.replace("{}", shape));
        let right = with("torch.Size([6])");
        assert!(right.holds() && right.compared == 1, "{way}: {right:?}");
        let wrong = with("torch.Size([7])");
        assert!(!wrong.holds() && wrong.findings[0].kind == Kind::Differs, "{way}: {wrong:?}");
        assert!(!is_script(&way.replace("{}", "torch.Size([7])")), "{way}");
    }
    // Remarks may leave the types away, tell shapes, and go over several lines.
    let remarks = "x = torch.zeros(2, 3)  # (2, 3)\ny = x[0]  # [3]\nprint(y.sum())  # 0.\nx[:, :1]  # tensor([[0.],\n#  [0.]])\n";
    assert_eq!((found(remarks), report(remarks).compared), (vec![], 4));
    assert_eq!(found("out = torch.arange(2)\nout\ntensor([0, 2])\nresult = 3\nresult\n3\n"), ["2: Differs"]);
    let shape = "x = torch.zeros(2, 3)  # (4, 5)\n";
    assert_eq!(found(shape), ["1: Uncompared"]);
}

#[test]
fn a_page_with_nothing_compared_says_so() {
    let page = report(">>> x = torch.arange(6)\n>>> y = x[0]\n\n```\ny.shape\ntorch.Size([9])\n```\n");
    assert!(page.holds() && !page.says_something());
    assert_eq!(page.summary(), "2 examples, nothing compared; 1 not compared (line 6)");
}

/// What is read costs steps in proportion to its length: thousands of lines of any kind are no matter of minutes.
#[test]
fn long_pages_are_read_in_time() {
    let start = std::time::Instant::now();
    let mut session = Session::new(&TORCH);
    for part in
        ["tensor([[1,2],\n", "x = [\n", "5\n", "\n", "print(1)\n", "tensor([1])\n", "@a\n", "if 1:\n", "f\"\"\"\n"]
    {
        let _ = replay(&mut session, &part.repeat(5_000));
        let _ = replay(&mut session, &format!("print([1])\n{}", part.repeat(5_000)));
        let _ = replay(&mut session, &format!(">>> 1\n{}", format!("... {part}").repeat(5_000)));
        let _ = replay(&mut session, &format!(">>> (1,\n{}", format!("... {part}").repeat(5_000)));
        let _ = replay(&mut session, &format!(">>> 1\ntensor([\n{}", part.repeat(5_000)));
    }
    let nested: String = (0..2000).map(|k| format!("{}if 1:\n", " ".repeat(k))).collect();
    assert!(replay(&mut session, &nested).is_err());
    assert!(replay(&mut session, &format!("x = {}\n", "1_".repeat(500_000))).is_err());
    let many = ">>> x = 1\n".repeat(20_000);
    assert!(replay(&mut session, &many).unwrap_err().text().contains("10000 statements"));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn modules_that_are_not_here() {
    let report = report("import time\nimport torch\nx = torch.arange(2)\nprint(x)\ntensor([0, 1])\n");
    assert!(report.holds());
    assert_eq!(report.summary(), "4 examples, all as expected; 1 left out (line 1)");
}

#[test]
fn other_libraries() {
    let page = ">>> from mindspore import Tensor\n>>> x = Tensor(np.array([[-0.1, 0.3], [0.4, 0.5]]), mindspore.float32)\n>>> print(x)\n\
                [[-0.1 0.3]\n [0.4   0.5]]\nTensor.gather(dim, index) Tensor\n";
    let report = replay(&mut Session::new(&MINDSPORE), page).unwrap();
    assert!(report.holds() && report.findings[0].kind == Kind::Layout, "{:?}", report.findings);
    let report = replay(&mut Session::new(&NUMPY), "a = np.arange(4)\nprint(a)\n[0  1 2\n 3]\n").unwrap();
    assert!(report.holds() && report.findings[0].kind == Kind::Layout, "{:?}", report.findings);
}

#[test]
fn a_text_without_code_is_an_error() {
    let error = replay(&mut Session::new(&TORCH), "Nothing here.\n所以\n").unwrap_err();
    assert_eq!(error.class(), "SyntaxError");
    assert!(is_script("import torch\nprint(1)\n") && !is_script("print(1)\n1\n") && !is_script("你好\u{ff0c}世界\n"));
}
