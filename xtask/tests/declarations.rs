//! Tests every type that is declared to be on the wire against our types.
//! `scripts/install declarations` installs the declarations; without them these
//! tests fail.

#![allow(clippy::unwrap_used)]

use agentwire_protocol::audit::{Audit, Auditor};
use agentwire_protocol::tool::{ToolError, ToolInput, ToolOutput};
use agentwire_protocol::{Json, Untyped, is_same_value};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use xtask::coverage;
use xtask::declarations::{Declarations, PINNED};
use xtask::reasons::Reasons;
use xtask::samples::{Sample, samples, tool_samples};

/// Accepted faults of our types.
const EXCEPTIONS: &str = "
";

/// Accepted faults of the types of tools.
const TOOL_EXCEPTIONS: &str = "
# the tool is declared to take anything besides
ExitPlanMode takes: untyped /key 1
# declared as anything, and typed as the Messages API has it
Agent gives: untyped /content/*/citations/0
Agent gives: untyped /usage/fallback_credit/key
";

fn installed() -> Declarations {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    Declarations::load(&workspace.join("..").join(PINNED)).unwrap()
}

/// Returns the problems of a line, without the ID of its request and without
/// indices of lists.
fn problems(sample: &Sample, audit: &Audit) -> Vec<String> {
    let mut complaints: Vec<String> = audit
        .untyped
        .iter()
        .map(|pointer| {
            let steps: Vec<&str> = pointer
                .split('/')
                .map(|step| match step.parse::<usize>() {
                    Ok(_) => "[]",
                    Err(_) => step,
                })
                .collect();
            format!("{}: untyped {}", sample.name, steps.join("/"))
        })
        .collect();
    if let Some(error) = &audit.error {
        complaints.push(format!("{}: {error}", sample.name));
    } else if let Some(fault) = audit.faults.first() {
        complaints.push(format!("{}: {fault}", sample.name));
    } else if !audit.typed {
        complaints.push(format!("{}: no type for {}", sample.name, audit.kind));
    } else if !audit.lossless {
        complaints.push(format!("{}: written otherwise than read", sample.name));
    }
    complaints
}

#[test]
fn every_declared_message_is_typed_and_lossless() {
    let samples = samples(&installed()).unwrap();
    let mut auditor = Auditor::default();
    let mut reasons = Reasons::read(EXCEPTIONS);
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    for sample in &samples {
        let audit = auditor.line(sample.message.to_string().as_bytes());
        for complaint in problems(sample, &audit) {
            if reasons.why(&complaint).is_none() {
                wrong.entry(complaint).or_insert_with(|| sample.line());
            }
        }
    }
    let wrong: Vec<String> = wrong
        .into_iter()
        .map(|(complaint, line)| format!("{complaint}\n    such as {line:.2000}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unused: Vec<&str> = reasons.unused().collect();
    assert!(unused.is_empty(), "exceptions in vain: {unused:?}");
}

/// Returns the problems of the input or output of a tool.
fn tool_problems<T: Serialize + Untyped>(value: &Value, read: Result<T, ToolError>) -> Vec<String> {
    match read {
        Err(error) => vec![error.to_string()],
        Ok(read) => {
            let written = serde_json::to_string(&read).unwrap();
            let mut complaints: Vec<String> = read
                .untyped()
                .into_iter()
                .map(|pointer| format!("untyped {pointer}"))
                .collect();
            if !is_same_value(&written, &value.to_string()).unwrap() {
                complaints.push(format!("written as {written}, and read from {value}"));
            }
            complaints
        }
    }
}

#[test]
fn every_declared_input_and_output_of_a_tool_is_typed_and_lossless() {
    let mut wrong = Vec::new();
    let mut reasons = Reasons::read(TOOL_EXCEPTIONS);
    let mut complain = |complaint: String| {
        if reasons.why(&complaint).is_none() {
            wrong.push(complaint);
        }
    };
    for mut tool in tool_samples(&installed()).unwrap() {
        let name = &tool.name;
        assert!(
            !tool.inputs.is_empty() && !tool.outputs.is_empty(),
            "{name}"
        );
        for value in &tool.inputs {
            let read = ToolInput::read(name, &Json::from(value.clone()));
            for what in tool_problems(value, read) {
                complain(format!("{name} takes: {what}"));
            }
        }
        for value in &mut tool.outputs {
            // This member is declared as anything, but is a list in all other
            // declarations.
            if let Some(iterations) = value.pointer_mut("/usage/iterations") {
                *iterations = Value::Array(vec![]);
            }
            let read = ToolOutput::read(name, &Json::from(value.clone()));
            for what in tool_problems(value, read) {
                complain(format!("{name} gives: {what}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unused: Vec<&str> = reasons.unused().collect();
    assert!(unused.is_empty(), "exceptions in vain: {unused:?}");
}

#[test]
fn every_declaration_of_the_sdk_is_on_a_line_or_known_not_to_be() {
    let undecided = coverage::undecided(&installed()).unwrap();
    assert!(undecided.is_empty(), "{}", undecided.join("\n"));
}
