//! What a session tells.

use super::Options;
use agentwire_protocol::Json;

/// What the session tells, and in which shape.
impl Options {
    /// The shape that the agent's answers are to have, as a JSON Schema. The
    /// answer is
    /// [`ResultMessage::structured`](agentwire_protocol::message::ResultMessage::structured)
    /// then.
    ///
    /// ```
    /// use agentwire::Options;
    /// use serde_json::json;
    ///
    /// let options = Options::new().output_format(json!({
    ///     "type": "object",
    ///     "properties": { "name": { "type": "string" } },
    ///     "required": ["name"],
    /// }));
    /// # drop(options);
    /// ```
    pub fn output_format(mut self, schema: impl Into<Json>) -> Self {
        self.initialize.json_schema = Some(schema.into());
        self
    }

    /// Whether what the model says comes in pieces as well, as
    /// `stream_event` messages (`--include-partial-messages`). Not if not set.
    pub fn partial_messages(self, wanted: bool) -> Self {
        self.switch("--include-partial-messages", wanted)
    }

    /// Whether the agent tells of every hook that runs, those of settings and
    /// plugins too (`--include-hook-events`). Not if not set.
    pub fn hook_events(self, wanted: bool) -> Self {
        self.switch("--include-hook-events", wanted)
    }

    /// Whether user messages come back when the agent takes them up
    /// (`--replay-user-messages`). Not if not set.
    pub fn replay_user_messages(self, wanted: bool) -> Self {
        self.switch("--replay-user-messages", wanted)
    }

    /// Whether the agent suggests the next prompt after each turn.
    pub fn prompt_suggestions(mut self, wanted: bool) -> Self {
        self.initialize.prompt_suggestions = Some(wanted);
        self
    }

    /// Whether the CLI writes a log of what it does to standard error
    /// (`--debug`); [`Options::on_stderr`] has it.
    pub fn debug(self, wanted: bool) -> Self {
        self.switch("--debug", wanted)
    }

    /// A file that the CLI writes a log of what it does to (`--debug-file`).
    pub fn debug_file(self, path: impl Into<std::path::PathBuf>) -> Self {
        self.set("--debug-file", path.into())
    }
}
