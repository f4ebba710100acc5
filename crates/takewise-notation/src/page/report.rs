//! What was found in a page.

use std::fmt;

/// What came of a page.
#[derive(Debug, Default)]
pub struct PageReport {
    /// Statements that were run.
    pub examples: usize,
    /// Equations between elements that were looked at.
    pub equations: usize,
    /// Outputs that were compared with what the code gives, right or wrong.
    pub compared: usize,
    /// What is to be said of the page, in its order.
    pub findings: Vec<Finding>,
}

/// Something to be said of a page.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The line of the page, from 1.
    pub line: usize,
    /// The statement or equation.
    pub source: String,
    /// What is the matter.
    pub kind: Kind,
    /// What the page shows.
    pub shown: Vec<String>,
    /// What is right.
    pub right: Vec<String>,
    /// Where in the statement an error arose.
    pub caret: Option<String>,
}

/// What may be the matter with a line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The code gives something else than the page shows.
    Differs,
    /// An equation between elements does not hold.
    Equation,
    /// A name that the page does not define, and the one that is meant. What follows is read so.
    Name {
        /// As the page has it.
        written: String,
        /// What it stands for.
        meant: String,
    },
    /// What is shown is given by no statement of the page, but by this one.
    Missing {
        /// The statement.
        statement: String,
    },
    /// The output is right but for its blanks.
    Layout,
    /// The code is written with marks that are not Python's, such as wide commas.
    Marks,
    /// Random numbers: those of the page are taken where it shows them in full, otherwise nothing is compared.
    Random {
        /// Whether they are taken.
        taken: bool,
    },
    /// An output that the page leaves out.
    Unshown,
    /// A module that is not here; the statement is left out.
    Module,
    /// What looks like an output, and no statement is known that gives it.
    Uncompared,
}

impl Kind {
    /// Whether the page is wrong in what its code gives, and not only in how it looks.
    pub fn fails(&self) -> bool {
        matches!(self, Self::Differs | Self::Equation | Self::Name { .. } | Self::Missing { .. })
    }
}

impl PageReport {
    /// Whether the code of the page gives what the page shows, but for blanks.
    pub fn holds(&self) -> bool {
        !self.findings.iter().any(|finding| finding.kind.fails())
    }

    /// Whether anything was compared; what holds without that says nothing.
    pub fn says_something(&self) -> bool {
        self.compared + self.equations > 0 || !self.holds()
    }

    /// One line about the whole page.
    pub fn summary(&self) -> String {
        let lines = |wanted: &dyn Fn(&Kind) -> bool| {
            let mut lines: Vec<usize> = self.findings.iter().filter(|f| wanted(&f.kind)).map(|f| f.line).collect();
            lines.dedup();
            lines
        };
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let mut all = count(self.examples, "example");
        if self.equations > 0 {
            all += &format!(" and {}", count(self.equations, "equation"));
        }
        let wrong = lines(&Kind::fails);
        let mut text = match wrong.len() {
            0 if !self.says_something() => format!("{all}, nothing compared"),
            0 => format!("{all}, all as expected"),
            n => format!("{n} of {all} {} ({})", if n == 1 { "differs" } else { "differ" }, places(&wrong)),
        };
        let notes: [(&dyn Fn(&Kind) -> bool, &str); 5] = [
            (&|kind| *kind == Kind::Uncompared, "not compared"),
            (&|kind| matches!(kind, Kind::Layout | Kind::Marks), "badly set"),
            (&|kind| matches!(kind, Kind::Random { .. }), "random"),
            (&|kind| *kind == Kind::Unshown, "without the output"),
            (&|kind| *kind == Kind::Module, "left out"),
        ];
        for (wanted, what) in notes {
            let found = lines(wanted);
            if !found.is_empty() {
                text += &format!("; {} {what} ({})", found.len(), places(&found));
            }
        }
        text
    }
}

fn places(lines: &[usize]) -> String {
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    format!("{} {}", if lines.len() == 1 { "line" } else { "lines" }, numbers.join(", "))
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}:", self.line)?;
        block(f, &self.source.lines().collect::<Vec<_>>())?;
        match &self.kind {
            Kind::Differs => {
                titled(f, "expected", &self.shown)?;
                titled(f, "got", &self.right)?;
            }
            Kind::Equation => titled(f, "does not hold", &self.right)?,
            Kind::Name { written, meant } => {
                writeln!(f, "  '{written}' is not defined; it is read as '{meant}' from here on")?;
            }
            Kind::Missing { statement } => {
                titled(f, "gives nothing, but below it stands", &self.shown)?;
                writeln!(f, "  which is what this gives:\n    {statement}")?;
            }
            Kind::Layout if self.right.is_empty() => titled(f, "an output with prompts in it", &self.shown)?,
            Kind::Layout => titled(f, "right but for its blanks; it prints", &self.right)?,
            Kind::Marks => titled(f, "has marks that are not Python's; it is read as", &self.right)?,
            Kind::Random { taken: true } => writeln!(f, "  random: the numbers of the page are taken")?,
            Kind::Random { taken: false } => writeln!(f, "  random: what the page shows is not compared")?,
            Kind::Unshown => titled(f, "prints, and the page does not show it", &self.right)?,
            Kind::Uncompared => titled(f, "looks like an output, and is not compared", &self.shown)?,
            Kind::Module => writeln!(f, "  is left out: it needs a module that is not here")?,
        }
        if let Some(caret) = self.caret.as_ref().filter(|_| self.kind == Kind::Differs) {
            writeln!(f, "  at:")?;
            caret.lines().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        Ok(())
    }
}

fn titled(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    writeln!(f, "  {title}:")?;
    match lines {
        [] => writeln!(f, "    (nothing)"),
        lines => block(f, lines),
    }
}

fn block(f: &mut fmt::Formatter<'_>, lines: &[impl AsRef<str>]) -> fmt::Result {
    lines.iter().try_for_each(|line| writeln!(f, "{}", format!("    {}", line.as_ref()).trim_end()))
}
