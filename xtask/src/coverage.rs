//! Checks that each declaration is on the wire, or is listed as not on the
//! wire.

use crate::declarations::{Declarations, Error, PACKAGE};
use crate::reasons::Reasons;
use std::collections::BTreeSet;

/// Declarations of the SDK that no line contains, each with the reason.
const NOT_ON_THE_WIRE: &str = include_str!("../not-on-the-wire.txt");

/// The types from which `wire.d.ts` reaches everything on the wire.
const ROOTS: [&str; 5] = ["Lines", "Stdout", "AgentAnswers", "HostAnswers", "Tools"];

/// Returns the declarations of the SDK that are neither on the wire nor listed,
/// and the listed patterns that match no such declaration.
pub fn undecided(declarations: &Declarations) -> Result<Vec<String>, Error> {
    let mut reached = BTreeSet::new();
    for root in ROOTS {
        reached.extend(declarations.reached_from(&declarations.root(root)?));
    }
    let mut reasons = Reasons::read(NOT_ON_THE_WIRE);
    let mut lines = Vec::new();
    for file in ["sdk.d.ts", "sdk-tools.d.ts"] {
        for reference in declarations.declared_in(&format!("{PACKAGE}/{file}")) {
            if !reached.contains(&reference) && reasons.why(&reference.name).is_none() {
                lines.push(format!(
                    "? {}: on no line, and not in xtask/not-on-the-wire.txt",
                    reference.name
                ));
            }
        }
    }
    lines.extend(reasons.unused().map(|pattern| {
        format!("? {pattern}: in xtask/not-on-the-wire.txt, and not declared, or on a line")
    }));
    Ok(lines)
}
