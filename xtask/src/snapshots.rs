//! Stored plan explanations, so that a loop that no longer merges with its neighbour is a visible difference, and stored drawings of
//! explanations.

use crate::Outcome;
use crate::sh::cargo;

pub(crate) fn explain_snapshots(arguments: &[String]) -> Outcome {
    let plans: &[&str] = &["test", "-q", "-p", "takewise-testkit", "--test", "plan_snapshots"];
    let drawings: &[&str] = &["test", "-q", "-p", "takewise-explain", "--test", "render"];
    let calls: &[&str] = &["test", "-q", "-p", "takewise-explain", "--test", "all", "drawings::"];
    for step in [plans, drawings, calls] {
        match arguments {
            [] => cargo(step).env("TAKEWISE_BLESS", "1").run()?,
            [flag] if flag == "--check" => cargo(step).run()?,
            _ => return Err("takes nothing or --check".into()),
        }
    }
    Ok(())
}
