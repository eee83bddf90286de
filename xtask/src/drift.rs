//! Compares our types with the declarations, by the exported JSON Schema of our
//! types.

use crate::compare::Comparison;
use crate::coverage;
use crate::declarations::{Declarations, Error, Type};
use crate::reasons::Reasons;
use crate::schema;
use agentwire_protocol::schema as types;
use std::collections::{BTreeMap, BTreeSet};

/// The intended differences, from `xtask/explained.txt`.
const EXPLAINED: &str = include_str!("../explained.txt");

/// The differences of a comparison.
#[derive(Debug)]
pub struct Drift {
    /// The differences that no reason explains, and reasons without a
    /// difference.
    pub lines: Vec<String>,
    /// The intended differences, by reason.
    pub explained: BTreeMap<String, Vec<String>>,
}

/// Compares the declarations with the schemas of our types.
///
/// # Errors
///
/// If the declarations lack a type that is compared.
pub fn drift(declarations: &Declarations) -> Result<Drift, Error> {
    let mut lines = BTreeSet::new();

    let (ours, our_lines) = schema::read(types::lines().as_value());
    let mut comparison = Comparison::new(declarations, &ours);
    comparison.types("Lines", &declarations.root("Lines")?, &our_lines);
    lines.extend(comparison.into_lines());

    let (ours, our_answers) = schema::read(types::answers().as_value());
    let mut comparison = Comparison::new(declarations, &ours);
    let mut declared = members(declarations, &declarations.root("AgentAnswers")?);
    for (subtype, answer) in members(declarations, &declarations.root("HostAnswers")?) {
        // A request of both sides has a response on both sides.
        let other = declared.remove(&subtype).unwrap_or(Type::Absent);
        declared.insert(subtype, Type::Union(vec![other, answer]));
    }
    tables(
        &mut comparison,
        "answer to ",
        &declared,
        &members(&ours, &our_answers),
    );
    lines.extend(comparison.into_lines());

    let (ours, our_tools) = schema::read(types::tools().as_value());
    let mut comparison = Comparison::new(declarations, &ours);
    let declared = members(declarations, &declarations.root("Tools")?);
    tables(
        &mut comparison,
        "tool ",
        &declared,
        &members(&ours, &our_tools),
    );
    lines.extend(comparison.into_lines());

    let mut found = sorted_out(lines, EXPLAINED);
    found.lines.extend(coverage::undecided(declarations)?);
    Ok(found)
}

/// Separates explained differences from others. Adds explanations that explain
/// nothing.
fn sorted_out(lines: BTreeSet<String>, explained: &str) -> Drift {
    let mut reasons = Reasons::read(explained);
    let mut drift = Drift {
        lines: Vec::new(),
        explained: BTreeMap::new(),
    };
    for line in lines {
        match reasons.why(&line) {
            Some(reason) => drift
                .explained
                .entry(reason.to_owned())
                .or_default()
                .push(line),
            None => drift.lines.push(line),
        }
    }
    drift.lines.extend(
        reasons
            .unused()
            .map(|pattern| format!("? {pattern}: in xtask/explained.txt, and explains nothing")),
    );
    drift
}

/// Compares the entries of two tables that have the same name.
fn tables(
    comparison: &mut Comparison<'_>,
    prefix: &str,
    declared: &BTreeMap<String, Type>,
    ours: &BTreeMap<String, Type>,
) {
    for (name, ty) in declared {
        let path = format!("{prefix}{name}");
        match ours.get(name) {
            Some(ours) => comparison.types(&path, ty, ours),
            None if matches!(ty, Type::Any | Type::Absent) => {}
            None => comparison.line(format!("+ {path}")),
        }
    }
    for name in ours.keys().filter(|name| !declared.contains_key(*name)) {
        comparison.line(format!("- {prefix}{name}"));
    }
}

fn members(declarations: &Declarations, ty: &Type) -> BTreeMap<String, Type> {
    declarations
        .members(ty)
        .into_iter()
        .map(|member| (member.name, member.value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_explained_is_counted_and_what_explains_nothing_is_reported() {
        let lines = [
            "+ Fish.fins: number",
            "- Fish.legs: number",
            "- Fish.arms: number",
        ];
        let drift = sorted_out(
            lines.iter().map(|line| (*line).to_owned()).collect(),
            "# measured\n- Fish.*\n# gone\n- Bird.*\n",
        );
        assert_eq!(
            drift.lines,
            [
                "+ Fish.fins: number",
                "? - Bird.*: in xtask/explained.txt, and explains nothing",
            ]
        );
        assert_eq!(
            drift.explained["measured"],
            ["- Fish.arms: number", "- Fish.legs: number"]
        );
    }
}
