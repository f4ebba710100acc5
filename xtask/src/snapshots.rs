//! Stored plan explanations, so that a loop that no longer merges with its neighbour is a visible difference.

use crate::Outcome;
use crate::sh::cargo;

pub(crate) fn explain_snapshots(arguments: &[String]) -> Outcome {
    let step = cargo(&["test", "-q", "-p", "takewise", "--test", "plan_snapshots"]);
    match arguments {
        [] => step.env("TAKEWISE_BLESS", "1").run(),
        [flag] if flag == "--check" => step.run(),
        _ => Err("takes nothing or --check".into()),
    }
}
