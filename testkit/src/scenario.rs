//! What an agent's model says, written down: the one script that the fake
//! agent and the scripted model both play.
//!
//! A scenario is a list of replies. Each time the agent asks its model to go
//! on (once for the prompt, once more after every batch of tool results), it
//! takes the next reply. So the same file gives the same conversation whether
//! the fake agent plays both parts, or the real CLI talks to the scripted
//! model.
//!
//! Hooks and MCP servers need nothing in a scenario: the fake agent has those
//! that the host names in `initialize`, as the real CLI does. A call of
//! `mcp__server__tool` goes to the host's server of that name; only where
//! there is none, the call's `result` is the answer. Questions
//! (`AskUserQuestion`) and plans (`ExitPlanMode`) answer what the host allowed.
//! A prompt that begins with `/clear` or `/compact` takes no reply.
//!
//! ```
//! use agentwire_testkit::Scenario;
//!
//! let scenario = Scenario::from_json(r#"{
//!     "replies": [
//!         [ { "text": "Let me look." },
//!           { "tool": { "name": "Bash", "input": { "command": "echo hi" }, "result": "hi" } } ],
//!         [ { "text": { "chunks": ["It says ", "hi."], "delay_ms": 20 } } ]
//!     ]
//! }"#)?;
//! assert_eq!(scenario.replies.len(), 2);
//! # Ok::<(), agentwire_testkit::ScenarioError>(())
//! ```

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// A scripted session: what the model says, and what goes wrong.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// Whether the first reply follows the last one again, for sessions of any
    /// length. Not together with `subagents`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeat: bool,
    /// What sub-agents say, one entry for each time one of them asks its
    /// model. The scripted model says it; the fake agent has no sub-agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<Reply>,
    /// What a test harness keeps in the same file (the prompts it sends, what
    /// it expects). Neither the fake agent nor the scripted model reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Value>,
}

/// One reply of the model: its content, in order.
pub type Reply = Vec<Step>;

/// One piece of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// A text block, streamed.
    Text(Streamed),
    /// A thinking block, streamed.
    Thinking(Streamed),
    /// A tool call. Calls that follow each other belong to one reply.
    Tool(ToolCall),
    /// The model's server refuses the request. The only step of its reply.
    Error(ApiError),
    /// Silence for so many milliseconds.
    WaitMs(u64),
    /// The fake agent asks the host something: a request as it is on the
    /// wire, an object with a `subtype`, such as `elicitation` or
    /// `request_user_dialog`. The reply goes on when it is answered, with a
    /// text block that shows how: `answered: {…}`, or `refused: why`. The
    /// scripted model passes over it.
    Ask(Value),
    /// Something goes wrong in the agent's process. Only the fake agent does
    /// it; the scripted model passes over it.
    Fault(Fault),
}

/// Text that comes in pieces: a plain string is cut after each word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Streamed {
    /// The whole text, which is cut after each word and sent without delay.
    Words(String),
    /// The pieces as they are to come.
    Chunks {
        /// The pieces, in order.
        chunks: Vec<String>,
        /// Milliseconds of silence before each piece.
        #[serde(default)]
        delay_ms: u64,
    },
}

/// A tool call, and what the fake agent's tool answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool, by the name that the CLI gives it (`Bash`, `Read`, …).
    pub name: String,
    /// The tool's input, an object.
    #[serde(default)]
    pub input: Value,
    /// What the tool answers on the fake agent. The real CLI runs its tool.
    #[serde(default)]
    pub result: String,
    /// Whether that answer is an error.
    #[serde(default)]
    pub is_error: bool,
    /// How many milliseconds the tool takes on the fake agent.
    #[serde(default)]
    pub takes_ms: u64,
    /// Whether the fake agent asks the host before it runs the tool. The real
    /// CLI decides that by its own rules.
    #[serde(default = "yes")]
    pub ask: bool,
    /// Members that the fake agent's question has beside the usual ones, such
    /// as `permission_suggestions` or `blocked_path`: an object. They replace
    /// those of the same name. The real CLI asks as it likes.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub question: Value,
}

/// An error of the model's server, as the Messages API reports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The API's name for the error, such as `overloaded_error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The API's message.
    pub message: String,
}

/// What can go wrong in an agent's process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// Write this to standard output as it is. A line needs its own `\n`.
    Stdout(String),
    /// Write this to standard error as it is.
    Stderr(String),
    /// Exit with this status, at once and without ending anything.
    Exit(i32),
    /// Start this command and leave it running. It has the agent's standard
    /// output, so it holds the pipe open.
    Spawn(Vec<String>),
    /// Say nothing any more and read nothing any more.
    Hang,
}

fn yes() -> bool {
    true
}

/// A scenario that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The text is not a scenario.
    #[error("the scenario cannot be read: {0}")]
    Parse(#[from] serde_json::Error),
    /// An error of the model's server stands beside other steps of its reply.
    #[error("reply {reply} has an `error` beside other steps; an error is a reply of its own")]
    ErrorBesideOthers {
        /// The reply, counted from 0; those of sub-agents behind the others.
        reply: usize,
    },
    /// A request has no subtype, so that no host could know it.
    #[error("reply {reply} has an `ask` without a `subtype`")]
    AskWithoutSubtype {
        /// The reply, counted from 0; those of sub-agents behind the others.
        reply: usize,
    },
    /// The replies repeat, and sub-agents have some as well.
    #[error("`repeat` stands beside `subagents`; only a script without sub-agents can repeat")]
    RepeatBesideSubagents,
}

impl Scenario {
    /// Reads a scenario from JSON.
    ///
    /// # Errors
    ///
    /// When the text is not a scenario (with line and column), when a reply
    /// mixes an error with other steps, when a request has no subtype, or when
    /// replies repeat that are not all there is.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = serde_json::from_str(text)?;
        for (reply, steps) in scenario.every_reply().enumerate() {
            if steps.len() > 1 && steps.iter().any(|step| matches!(step, Step::Error(_))) {
                return Err(ScenarioError::ErrorBesideOthers { reply });
            }
            let is_nameless =
                |step: &Step| matches!(step, Step::Ask(it) if !it["subtype"].is_string());
            if steps.iter().any(is_nameless) {
                return Err(ScenarioError::AskWithoutSubtype { reply });
            }
        }
        if scenario.repeat && !scenario.subagents.is_empty() {
            return Err(ScenarioError::RepeatBesideSubagents);
        }
        Ok(scenario)
    }

    /// Adds a reply.
    #[must_use]
    pub fn reply(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.replies.push(steps.into_iter().collect());
        self
    }

    /// Lets the replies begin again after the last one, for ever.
    #[must_use]
    pub fn repeated(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Where the reply with this number is among [`Scenario::replies`], when
    /// there is one: numbers go on where replies repeat.
    pub(crate) fn place(&self, number: usize) -> Option<usize> {
        let length = self.replies.len();
        if self.repeat {
            number.checked_rem(length)
        } else {
            (number < length).then_some(number)
        }
    }

    /// Adds a reply of a sub-agent.
    #[must_use]
    pub fn subagent(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.subagents.push(steps.into_iter().collect());
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
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a scenario is always valid JSON")
    }
}

impl Step {
    /// A text block that is streamed word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Streamed::Words(text.into()))
    }

    /// A text block in the given pieces, with a delay before each.
    pub fn chunks<S: Into<String>>(chunks: impl IntoIterator<Item = S>, delay: Duration) -> Self {
        Self::Text(Streamed::Chunks {
            chunks: chunks.into_iter().map(Into::into).collect(),
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// A thinking block that is streamed word by word.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::Thinking(Streamed::Words(text.into()))
    }

    /// A tool call that the host is asked about, with what the tool answers.
    pub fn tool(name: impl Into<String>, input: Value, result: impl Into<String>) -> Self {
        Self::Tool(ToolCall {
            name: name.into(),
            input,
            result: result.into(),
            is_error: false,
            takes_ms: 0,
            ask: true,
            question: Value::Null,
        })
    }
}

impl Streamed {
    /// The pieces, in order.
    #[must_use]
    pub fn chunks(&self) -> Vec<&str> {
        match self {
            Self::Words(text) => text.split_inclusive(' ').collect(),
            Self::Chunks { chunks, .. } => chunks.iter().map(String::as_str).collect(),
        }
    }

    /// The silence before each piece.
    #[must_use]
    pub fn delay(&self) -> Duration {
        match self {
            Self::Words(_) => Duration::ZERO,
            Self::Chunks { delay_ms, .. } => Duration::from_millis(*delay_ms),
        }
    }

    /// The whole text.
    #[must_use]
    pub fn whole(&self) -> String {
        self.chunks().concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_the_agent_has_a_subtype() {
        for (ask, is_one) in [
            (r#"{"subtype":"elicitation"}"#, true),
            ("{}", false),
            ("7", false),
        ] {
            let script = format!(r#"{{"replies":[[{{"text":"x"}}],[{{"ask":{ask}}}]]}}"#);
            match Scenario::from_json(&script) {
                Ok(scenario) => assert!(is_one && scenario.to_json() == script),
                Err(error) => assert!(
                    !is_one && matches!(error, ScenarioError::AskWithoutSubtype { reply: 1 }),
                    "{error}"
                ),
            }
        }
    }

    #[test]
    fn a_script_with_sub_agents_cannot_repeat() {
        let script = r#"{"replies":[[{"text":"x"}]],"subagents":[[{"text":"y"}]],"repeat":true}"#;
        let error = Scenario::from_json(script).err();
        assert!(matches!(error, Some(ScenarioError::RepeatBesideSubagents)));
        let script = script.replace(r#""subagents":[[{"text":"y"}]],"#, "");
        let read = Scenario::from_json(&script).expect("a scenario");
        assert_eq!(
            read,
            Scenario::default().reply([Step::text("x")]).repeated()
        );
        assert_eq!(
            read.to_json(),
            r#"{"replies":[[{"text":"x"}]],"repeat":true}"#
        );
    }
}
