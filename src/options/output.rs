//! Structured output, and which messages are sent.

use super::Options;
use crate::event::Error;
use agentwire_protocol::Json;
use serde_json::{Map, Value};

/// The only supported draft, in both spellings that the CLI accepts.
const DRAFTS: [&str; 2] = [
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
];

/// Keywords that the API does not accept at the root of a schema, even with a type.
const COMPOSED: [&str; 4] = ["oneOf", "anyOf", "allOf", "$ref"];

/// Structured output, and which messages the session sends.
impl Options {
    /// Requests structured output that matches this JSON Schema (draft 07, type
    /// `object`). Read the output with
    /// [`ResultMessage::structured`](agentwire_protocol::message::ResultMessage::structured).
    ///
    /// The CLI refuses to start with an invalid schema, and with keywords that are not in any
    /// draft. A schema of more than 16 KiB is only sent over the pipe, where the CLI silently
    /// ignores an invalid one.
    ///
    /// The root of the schema must have `"type": "object"`, and no `oneOf`, `anyOf`, `allOf` or
    /// `$ref`; otherwise the API rejects every turn. A schema with another root, or of another
    /// draft, is an [`Error::Option`].
    ///
    /// The model returns the output by the tool `StructuredOutput`, which
    /// [`Options::tools`] does not remove. A gate that denies tools must let it through, as
    /// [`Hook::policy`](crate::Hook::policy) does.
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

    /// Requests structured output of this type. The model sees the type's doc comments. Requires
    /// the feature `schema`.
    ///
    /// The type must be a struct or a map: see [`Options::output_format`]. Put
    /// an enum, an `Option`, a list or a scalar into a field of a struct.
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
        let mut settings = schemars::generate::SchemaSettings::draft07();
        let mut schema = settings
            .clone()
            .into_generator()
            .into_root_schema_for::<T>();
        if schema.get("$ref").is_some() || schema.get("allOf").is_some() {
            // The root of a newtype is a reference, in an `allOf` if the newtype has a doc comment.
            settings.inline_subschemas = true;
            schema = settings.into_generator().into_root_schema_for::<T>();
        }
        // The name of a Rust type is not useful to a model.
        schema.remove("title");
        self.output_format(schema.to_value())
    }

    /// Rejects a schema that the CLI would silently ignore or the API would reject.
    pub(super) fn check_output_format(&self) -> Result<(), Error> {
        let Some(schema) = &self.initialize.json_schema else {
            return Ok(());
        };
        let refused = |problem: String| {
            let problem = format!("(`output_type`) {problem}");
            Err(Error::option("output_format", problem))
        };
        let Ok(schema) = schema.read::<Map<String, Value>>() else {
            return refused("is not a JSON object".to_owned());
        };
        if let Some(draft) = schema.get("$schema")
            && !DRAFTS.iter().any(|known| draft == known)
        {
            return refused(format!(
                "has the `$schema` {draft}; the CLI supports draft 07 only"
            ));
        }
        let not_a_struct = |what: String| {
            refused(format!(
                "has {what} at the root of the schema, and the API accepts only an object \
                 there: put the type into a field of a struct"
            ))
        };
        if let Some(keyword) = COMPOSED.iter().find(|it| schema.contains_key(**it)) {
            return not_a_struct(format!("`{keyword}`"));
        }
        match schema.get("type") {
            Some(kind) if kind == "object" => Ok(()),
            Some(kind) => not_a_struct(format!("the type {kind}")),
            None => not_a_struct("no `type`".to_owned()),
        }
    }

    /// Sets whether replies are also streamed in parts, as `stream_event` messages
    /// (`--include-partial-messages`). Default: `false`.
    #[doc(alias = "includePartialMessages")]
    #[doc(alias = "include_partial_messages")]
    pub fn partial_messages(self, wanted: bool) -> Self {
        self.switch("--include-partial-messages", wanted)
    }

    /// Sets whether the agent reports every hook that runs, including those of settings and plugins
    /// (`--include-hook-events`). Default: `false`.
    #[doc(alias = "includeHookEvents")]
    #[doc(alias = "include_hook_events")]
    pub fn hook_events(self, wanted: bool) -> Self {
        self.switch("--include-hook-events", wanted)
    }

    /// Sets whether the agent sends user messages back when it picks them up
    /// (`--replay-user-messages`). Default: `false`.
    pub fn replay_user_messages(self, wanted: bool) -> Self {
        self.switch("--replay-user-messages", wanted)
    }

    /// Sets whether the agent suggests the next prompt after each turn.
    pub fn prompt_suggestions(mut self, wanted: bool) -> Self {
        self.initialize.prompt_suggestions = Some(wanted);
        self
    }

    /// Sets whether the CLI writes a debug log to standard error (`--debug`).
    /// Read it with [`Options::on_stderr`].
    pub fn debug(self, wanted: bool) -> Self {
        self.switch("--debug", wanted)
    }

    /// Sets the file that the CLI writes a debug log to (`--debug-file`).
    pub fn debug_file(self, path: impl Into<std::path::PathBuf>) -> Self {
        self.set("--debug-file", path.into())
    }
}
