//! What makes the fake agent Claude Code, above the state machine that any
//! agent has: what it offers, its control requests, its commands, and which
//! tools it lets run without a permission request.
//!
//! It was measured on 2.1.332, without plugins.

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

/// The state of the imitation: what the host has changed, and what the scenario
/// has it answer.
#[derive(Debug)]
pub(super) struct Claude {
    /// Responses to control requests, from the scenario.
    responses: Responses,
    /// Whether calls without `ask` are decided as the CLI does.
    decides: bool,
    /// The settings that the host applied.
    settings: Map<String, Value>,
    /// The model before the host set one.
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
            decides: scenario.permissions == Permissions::Cli,
            settings: Map::new(),
            default_model: config.model.clone(),
            has_checkpoints,
            prompts: vec![],
        }
    }

    /// Notes a prompt, to which files can be rewound.
    pub(super) fn prompted(&mut self, uuid: Option<&str>) {
        self.prompts.extend(uuid.map(str::to_owned));
    }

    /// The model of a name that the host gives; the default one for none.
    fn model(&self, name: Option<&str>) -> String {
        match name {
            None | Some("default") => self.default_model.clone(),
            Some(name) => models::resolve(name).to_owned(),
        }
    }
}

/// Sets what the agent offers. What is set already is kept.
pub(super) fn declare(config: &mut Config) {
    offers::declare(config);
}

/// Whether a sub-agent is one of the CLI's own.
pub(super) fn has_agent(name: &str) -> bool {
    offers::AGENTS.contains(&name)
}

/// The agent's own tools that `--tools` leaves out.
pub(super) fn left_out(listed: &[String]) -> BTreeSet<String> {
    offers::left_out(listed)
}

/// The rules of the flags `--allowedTools` and `--disallowedTools`. What is no
/// rule is left out, as on the real CLI.
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
