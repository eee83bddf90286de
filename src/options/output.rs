//! What a session tells.

use super::Options;
use crate::event::Error;
use agentwire_protocol::Json;
use serde_json::{Map, Value};

/// The draft that the CLI knows, as it takes its name.
const DRAFTS: [&str; 2] = [
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
];

/// What the session tells, and in which shape.
impl Options {
    /// The shape that the agent's answers are to have, as a JSON Schema of
    /// draft 07 for an object. The answer is
    /// [`ResultMessage::structured`](agentwire_protocol::message::ResultMessage::structured)
    /// then.
    ///
    /// The CLI does not start with a schema that it does not understand, and
    /// keywords that are in no draft are enough for that. One of more than
    /// 16 KiB goes over the pipe only, where it silently does without. What
    /// says of itself that it is of another draft, or no object, is an
    /// [`Error::Option`] in any case.
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

    /// The shape that the agent's answers are to have: that of a type, whose
    /// docs the model reads. Needs the feature `schema`.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use agentwire::{Options, query, schemars};
    ///
    /// /// A crab.
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Crab {
    ///     name: String,
    ///     /// Pincers included.
    ///     legs: u32,
    /// }
    ///
    /// let options = Options::new().output_type::<Crab>();
    /// let answer = query("Describe a crab.", options).await?;
    /// let crab: Crab = answer.result().await?.structured()?;
    /// println!("{} has {} legs", crab.name, crab.legs);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "schema")]
    pub fn output_type<T: schemars::JsonSchema>(self) -> Self {
        let settings = schemars::generate::SchemaSettings::draft07();
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        // The name of a Rust type says nothing to a model.
        schema.remove("title");
        self.output_format(schema.to_value())
    }

    /// A schema that the CLI would silently do without, or the API not take.
    pub(super) fn check_output_format(&self) -> Result<(), Error> {
        let Some(schema) = &self.initialize.json_schema else {
            return Ok(());
        };
        let refused = |problem: String| Err(Error::option("output_format", problem));
        let Ok(schema) = schema.read::<Map<String, Value>>() else {
            return refused("is no JSON object".to_owned());
        };
        if let Some(draft) = schema.get("$schema")
            && !DRAFTS.iter().any(|known| draft == known)
        {
            return refused(format!("is of {draft}; the CLI knows draft 07 only"));
        }
        match schema.get("type") {
            Some(kind) if kind != "object" => refused(format!(
                "has the type {kind}, and an answer has to be an object"
            )),
            _ => Ok(()),
        }
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
