//! A scenario, with its members and its conversion from and to JSON.

use super::expect::Expect;
use super::fault::Fault;
use super::reply::Reply;
use super::responses::{Permissions, Response, Responses};
use crate::agent::Profile;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::num::NonZeroU32;

/// A scripted session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Scenario {
    /// A description for readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Whether the fake agent has no queue: it ignores priorities, runs
    /// messages one by one, and reports neither delivery status nor session
    /// states. The scripted model ignores this member.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_queue: bool,
    /// Faults of the fake agent before it reads its first line. The scripted
    /// model ignores this member.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub startup: Vec<Fault>,
    /// The replies of the model, one for each request.
    pub replies: Vec<Reply>,
    /// Whether all replies become available again when none matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeat: bool,
    /// The maximum number of model requests for one prompt. Sub-agents have a
    /// common count, which restarts with the first request of each sub-agent.
    /// Default: 1,000. Further requests fail with an error that names the
    /// reply. This ends the loop of a tool call that is taken `always`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_prompt: Option<NonZeroU32>,
    /// The replies of sub-agents, one for each of their model requests. If
    /// there are any, the fake agent runs calls of the tools `Agent` and `Task`
    /// as sub-agents; otherwise they are ordinary tools. A sub-agent runs in
    /// the background unless its input has `run_in_background: false`. It
    /// finishes when no reply remains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<Reply>,
    /// The CLI version that the fake agent emulates: `2.0.77`, `2.1.197`,
    /// `2.1.332`, or `no-queue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "profile_schema"))]
    pub profile: Option<Profile>,
    /// Whether the fake agent has no API key, so that its turns fail before the
    /// model request. The scripted model ignores this member.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_key: bool,
    /// Responses to control requests, by subtype. They override the responses
    /// of the fake agent, for example for files, plans and titles. The scripted
    /// model ignores this member.
    #[serde(skip_serializing_if = "Responses::is_empty")]
    pub responses: Responses,
    /// The rule that decides whether a tool call needs a permission request.
    /// The scripted model ignores this member.
    #[serde(skip_serializing_if = "Permissions::is_script")]
    pub permissions: Permissions,
    /// Expectations about the host, which the fake agent checks. The scripted
    /// model ignores this member.
    #[serde(skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
    /// Data of a test harness, such as the prompts of its host. The fake agent
    /// and the scripted model ignore this member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Value>,
}

/// An invalid scenario.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The text is not a scenario.
    #[error("invalid scenario: {0}")]
    Parse(serde_json::Error),
}

impl From<serde_json::Error> for ScenarioError {
    fn from(error: serde_json::Error) -> Self {
        Self::Parse(error)
    }
}

impl Scenario {
    /// Reads a scenario from JSON.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a scenario, or breaks a rule that the schema
    /// cannot express. The error has the line and column.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        Ok(serde_json::from_str(text)?)
    }

    /// Adds a reply. `reply` is a list of steps, or a [`Reply`].
    #[must_use]
    pub fn reply(mut self, reply: impl Into<Reply>) -> Self {
        self.replies.push(reply.into());
        self
    }

    /// Makes all replies available again when none matches.
    #[must_use]
    pub fn repeated(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Sets the maximum number of model requests for one prompt.
    #[must_use]
    pub fn requests_per_prompt(mut self, most: NonZeroU32) -> Self {
        self.requests_per_prompt = Some(most);
        self
    }

    /// Adds a reply of a sub-agent.
    #[must_use]
    pub fn subagent(mut self, reply: impl Into<Reply>) -> Self {
        self.subagents.push(reply.into());
        self
    }

    /// Sets the response to control requests of this subtype.
    #[must_use]
    pub fn responding(mut self, subtype: impl Into<String>, response: Response) -> Self {
        self.responses.insert(subtype.into(), response);
        self
    }

    /// Applies the real CLI's rules for permission requests. Read-only tools
    /// then run without a request.
    #[must_use]
    pub fn deciding_as_cli(mut self) -> Self {
        self.permissions = Permissions::Cli;
        self
    }

    /// Sets the expectations about the host.
    #[must_use]
    pub fn expecting(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    /// Returns all replies, those of sub-agents last.
    pub(crate) fn every_reply(&self) -> impl Iterator<Item = &Reply> {
        self.replies.iter().chain(&self.subagents)
    }

    /// Disables the fake agent's queue.
    #[must_use]
    pub fn without_queue(mut self) -> Self {
        self.no_queue = true;
        self
    }

    /// Adds a fault that occurs before the first line is read.
    #[must_use]
    pub fn at_startup(mut self, fault: Fault) -> Self {
        self.startup.push(fault);
        self
    }

    /// Returns the scenario as JSON for [`Scenario::from_json`].
    ///
    /// # Panics
    ///
    /// If a reply has a [`Predicate`](crate::Predicate), which cannot be
    /// serialized.
    #[must_use]
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(json) => json,
            Err(error) => panic!("the scenario cannot be written: {error}"),
        }
    }
}

/// Returns the schema of a profile name.
#[cfg(feature = "schema")]
fn profile_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let mut names: Vec<_> = Profile::ALL.map(|it| Some(it.name())).into();
    names.push(None);
    schemars::json_schema!({ "enum": names })
}
