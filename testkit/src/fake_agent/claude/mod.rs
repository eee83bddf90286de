//! Claude Code's behavior above the state machine of [`crate::agent`]: its
//! tools, control requests, commands and permission rules.
//!
//! The behavior was measured on 2.1.332 without plugins.

mod checks;
mod commands;
mod control;
mod models;
mod offers;
mod permissions;
mod reports;
mod rules;
mod settings;
mod tools;

use crate::agent::{Config, Rules};
use crate::scenario::{Permissions, Responses, Scenario};
use agentwire_protocol::permission::{PermissionBehavior, PermissionRule};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub(super) use models::effort;
pub(super) use settings::{Settings, Sources};
pub(super) use tools::{outcome, written_file};

/// The state of the emulated CLI.
#[derive(Debug)]
pub(super) struct Claude {
    /// Scripted responses to control requests.
    responses: Responses,
    /// Whether the CLI's rules decide which calls need permission.
    applies_rules: bool,
    /// The settings that the host applied.
    settings: Map<String, Value>,
    /// The model before any `set_model`.
    default_model: String,
    /// Whether files can be rewound.
    has_checkpoints: bool,
    /// The UUIDs of prompts, to which files can be rewound.
    prompts: Vec<String>,
}

impl Claude {
    pub(super) fn new(scenario: &Scenario, config: &Config, has_checkpoints: bool) -> Self {
        Self {
            responses: scenario.responses.clone(),
            applies_rules: scenario.permissions == Permissions::Cli,
            settings: Map::new(),
            default_model: config.model.clone(),
            has_checkpoints,
            prompts: vec![],
        }
    }

    /// Records a prompt, to which files can be rewound.
    pub(super) fn add_prompt(&mut self, uuid: Option<&str>) {
        self.prompts.extend(uuid.map(str::to_owned));
    }

    /// Resolves the host's model name. `None` is the default model.
    fn model(&self, name: Option<&str>) -> String {
        match name {
            None | Some("default") => self.default_model.clone(),
            Some(name) => models::resolve(name).to_owned(),
        }
    }
}

/// Sets what the agent reports in `system/init` and in its response to
/// `initialize`, except for what is already set.
pub(super) fn declare(config: &mut Config) {
    offers::declare(config);
}

/// Returns whether a sub-agent is built in.
pub(super) fn has_agent(name: &str) -> bool {
    offers::AGENTS.contains(&name)
}

/// Returns the built-in tools that `--tools` excludes.
pub(super) fn excluded_tools(listed: &[String]) -> BTreeSet<String> {
    offers::excluded_tools(listed)
}

/// Parses the rules of `--allowedTools` and `--disallowedTools`. Invalid rules
/// are ignored, as on the real CLI.
pub(super) fn rules(allowed: &[String], denied: &[String]) -> Rules {
    let mut rules = Rules::new(rules::covers);
    for (texts, behavior) in [
        (allowed, PermissionBehavior::Allow),
        (denied, PermissionBehavior::Deny),
    ] {
        let parsed = texts
            .iter()
            .filter_map(|text| text.parse::<PermissionRule>().ok());
        parsed.for_each(|rule| rules.add(rule, behavior.clone()));
    }
    rules
}
