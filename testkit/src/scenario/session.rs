//! A whole scenario: its members, and how it is read and written.

use super::expect::Expect;
use super::fault::Fault;
use super::reply::Reply;
use super::responses::{Permissions, Response, Responses};
use crate::agent::Profile;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::num::NonZeroU32;

/// A scripted session: what the model says, and what goes wrong.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Scenario {
    /// What the scenario shows, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Whether the fake agent has no queue of its own: it minds no priorities,
    /// runs messages one by one, and reports neither what becomes of them nor
    /// what it is doing. The real CLI knows nothing of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_queue: bool,
    /// What the fake agent does before it reads its first line. The real CLI
    /// knows nothing of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub startup: Vec<Fault>,
    /// What the model says, one entry for each time it is asked.
    pub replies: Vec<Reply>,
    /// Whether the replies begin again when none is left that fits, for
    /// sessions of any length.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeat: bool,
    /// How often the model may be asked about one prompt, or by sub-agents
    /// since one of them began; 1,000 times, if not set. After that it fails
    /// with an error that names the reply: one that calls a tool and is taken
    /// `always` would go on for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_prompt: Option<NonZeroU32>,
    /// What sub-agents say, one entry for each time one of them asks its
    /// model. On the fake agent a call of the tool `Agent` or `Task` is a
    /// sub-agent if there are any; without them it is a tool like the others.
    /// It runs in the background unless its input has `run_in_background:
    /// false`, and one for which nothing is left is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<Reply>,
    /// Which version of the CLI the fake agent is like: `2.0.77`, `2.1.197`,
    /// `2.1.332`, or `no-queue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "profile_schema"))]
    pub profile: Option<Profile>,
    /// Whether the fake agent has no key for the API, so that its turns fail
    /// before the model is asked. The real CLI has one or not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_key: bool,
    /// What control requests are answered, by subtype, in place of what the
    /// fake agent has by itself: files, plans, titles. The real CLI knows
    /// nothing of it.
    #[serde(skip_serializing_if = "Responses::is_empty")]
    pub responses: Responses,
    /// Who decides whether a tool call needs a permission request. The real CLI
    /// knows nothing of it.
    #[serde(skip_serializing_if = "Permissions::is_script")]
    pub permissions: Permissions,
    /// What the host is to do. The fake agent holds it to that; the real CLI
    /// knows nothing of it.
    #[serde(skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
    /// What a test harness keeps in the same file (the prompts it sends, what
    /// it expects). Neither the fake agent nor the scripted model reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Value>,
}

/// A scenario that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The text is not a scenario.
    #[error("the scenario cannot be read: {0}")]
    Parse(#[from] serde_json::Error),
}

impl Scenario {
    /// Reads a scenario from JSON.
    ///
    /// # Errors
    ///
    /// When the text is not a scenario, with line and column: also for what a
    /// schema cannot say, such as an error beside other steps of its reply.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        Ok(serde_json::from_str(text)?)
    }

    /// Adds a reply: its steps, or a [`Reply`] with more to it.
    #[must_use]
    pub fn reply(mut self, reply: impl Into<Reply>) -> Self {
        self.replies.push(reply.into());
        self
    }

    /// Lets the replies begin again when none is left, for ever.
    #[must_use]
    pub fn repeated(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Sets how often the model may be asked about one prompt.
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

    /// Sets what control requests of this subtype are answered.
    #[must_use]
    pub fn responding(mut self, subtype: impl Into<String>, response: Response) -> Self {
        self.responses.insert(subtype.into(), response);
        self
    }

    /// Has tool calls decided as the real CLI does: those that only read run
    /// without a permission request.
    #[must_use]
    pub fn deciding_as_cli(mut self) -> Self {
        self.permissions = Permissions::Cli;
        self
    }

    /// Says what the host is to do.
    #[must_use]
    pub fn expecting(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    /// All replies, those of sub-agents behind the others.
    pub(crate) fn every_reply(&self) -> impl Iterator<Item = &Reply> {
        self.replies.iter().chain(&self.subagents)
    }

    /// Takes the fake agent's queue away.
    #[must_use]
    pub fn without_queue(mut self) -> Self {
        self.no_queue = true;
        self
    }

    /// Adds something that goes wrong before the first line is read.
    #[must_use]
    pub fn at_startup(mut self, fault: Fault) -> Self {
        self.startup.push(fault);
        self
    }

    /// The scenario as JSON, as [`Scenario::from_json`] reads it.
    ///
    /// # Panics
    ///
    /// When a reply has a [`Predicate`](crate::Predicate), which is a function.
    #[must_use]
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(json) => json,
            Err(error) => panic!("the scenario cannot be written: {error}"),
        }
    }
}

/// The names of the profiles, or nothing.
#[cfg(feature = "schema")]
fn profile_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let mut names: Vec<_> = Profile::ALL.map(|it| Some(it.name())).into();
    names.push(None);
    schemars::json_schema!({ "enum": names })
}
