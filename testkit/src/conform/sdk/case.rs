//! The cases, from `testkit/conform/sdk`.

use crate::scenario::{Expect, Scenario};
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

/// A case: a scenario, instructions for the adapter, and expectations.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    name: &'static str,
    pub(super) text: CaseText,
}

/// The content of its file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseText {
    /// The description.
    pub(super) about: String,
    /// The scenario of the fake agent.
    pub(super) agent: Scenario,
    /// The instructions for the adapter.
    pub(super) program: Value,
    /// Lines that the adapter must print in this order, among others.
    #[serde(default)]
    pub(super) sees: Vec<Value>,
    /// Lines that the adapter must not print.
    #[serde(default)]
    pub(super) sees_not: Vec<Value>,
    /// Lines that the SDK must send.
    #[serde(default)]
    pub(super) sends: Expect,
    /// The exit status that the agent must have.
    pub(super) exit: Option<i32>,
}

impl Case {
    /// Returns the name of the case, which is that of its file.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.text.about
    }

    /// Returns the instructions for the adapter.
    #[must_use]
    pub fn program(&self) -> &Value {
        &self.text.program
    }

    /// Returns the lines that the adapter must print, among others.
    #[must_use]
    pub fn sees(&self) -> &[Value] {
        &self.text.sees
    }
}

/// Returns all cases, in order of increasing difficulty.
#[must_use]
pub fn cases() -> &'static [Case] {
    &CASES
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let read = |&(name, text): &(&'static str, &str)| match serde_json::from_str(text) {
        Ok(text) => Case { name, text },
        Err(error) => panic!("case {name}: {error}"),
    };
    FILES.iter().map(read).collect()
});

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../conform/sdk/", $name, ".json"))),)*]
    };
}

const FILES: &[(&str, &str)] = files! {
    "hello"
    "two_turns"
    "pieces"
    "one_shot"
    "set_model"
    "refused_request"
    "interrupt"
    "tool_allowed"
    "tool_changed"
    "tool_denied"
    "ask_fails"
    "asks_at_once"
    "ask_cancelled"
    "same_id_twice"
    "ask_without_callback"
    "unknown_request"
    "one_shot_ask"
    "result_of_another_turn"
    "one_shot_goes_on"
    "hook_blocks"
    "hook_of_a_prompt"
    "hook_fails"
    "tool_of_the_host"
    "crlf"
    "byte_by_byte"
    "characters"
    "lone_surrogate"
    "invalid_utf8"
    "deep"
    "long_line"
    "noise"
    "no_messages"
    "missing_members"
    "unknown_messages"
    "unknown_members"
    "unknown_block"
    "message_twice"
    "stray_answers"
    "id_missing"
    "error_result"
    "exit_in_turn"
    "exit_at_start"
    "half_a_line"
    "killed"
    "output_closed"
    "output_held"
    "child_left"
    "stderr_flood"
    "stderr_closed"
    "deaf"
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_file_is_a_case() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/conform/sdk");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".json").unwrap().to_owned()
        };
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(name).collect();
        files.sort_unstable();
        let mut names: Vec<_> = cases().iter().map(|case| case.name).collect();
        names.sort_unstable();
        assert_eq!(files, names);
    }
}
