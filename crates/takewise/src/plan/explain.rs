//! A plan as text: stable, so that a lost coalescing shows as a diff.

use super::Plan;
use std::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} positions x {} lanes x {} bytes", self.op, self.positions(), self.lanes(), self.chunk)?;
        if let Some(s) = &self.select {
            for d in &s.dims {
                writeln!(f, "  mask  {:>8}  mask {:+} indexed {:+}", d.extent, d.mask, d.indexed)?;
            }
            let most = if s.counted { "" } else { " at most" };
            writeln!(f, "  picks {:>8}  linear {:+}{most}", s.count, s.linear)?;
        }
        for (name, loops) in [("index", &self.index[..]), ("free", &self.free[..])] {
            for l in loops {
                write!(f, "  {name:<5} {:>8}  linear {:+} indexed {:+}", l.extent, l.linear, l.indexed)?;
                if name == "index" {
                    let steps: Vec<String> = l.operands.iter().map(|s| format!("{s:+}")).collect();
                    write!(f, " operands {}", steps.join(" "))?;
                }
                writeln!(f)?;
            }
        }
        for a in &self.axes {
            write!(f, "  axis {} len {} step {:+} from operand {}", a.axis, a.len, a.step, a.operand)?;
            if !a.digits.is_empty() {
                let parts: Vec<String> = a.digits.iter().map(|(n, s)| format!("{n}:{s:+}")).collect();
                write!(f, " unravelled over {}", parts.join(" "))?;
            }
            writeln!(f, " ({:?}, {:?})", self.rules.sign, self.rules.outside)?;
        }
        if self.flat_linear {
            writeln!(f, "  linear side walked by flat position")?;
        }
        Ok(())
    }
}
