//! What the model is told to be.

use super::Options;

/// Stands between two blocks of a system prompt: what is before it is the same
/// in all sessions and can be cached for all of them.
pub const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// The system prompt. All of it goes over the pipe, in the first request:
/// it may be long, and nobody else on the machine can read it.
impl Options {
    /// The system prompt, in place of the agent's own. An empty one is none at
    /// all. Without this method the agent has its own, which is not what the
    /// official SDKs do: they give it an empty one.
    pub fn system_prompt(self, text: impl Into<String>) -> Self {
        self.system_prompt_blocks([text])
    }

    /// The system prompt, in blocks. A block that is [`DYNAMIC_BOUNDARY`]
    /// parts what all sessions share from what is of this session.
    pub fn system_prompt_blocks<S: Into<String>>(
        mut self,
        blocks: impl IntoIterator<Item = S>,
    ) -> Self {
        let blocks = blocks.into_iter().map(Into::into).collect();
        self.initialize.system_prompt = Some(blocks);
        self
    }

    /// What is added to the agent's own system prompt.
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.initialize.append_system_prompt = Some(text.into());
        self
    }

    /// Whether what differs between users (the directory, the state of git,
    /// where the memory is) moves from the agent's own system prompt to the
    /// first user message, so that all of them share one cache.
    pub fn exclude_dynamic_sections(mut self, wanted: bool) -> Self {
        self.initialize.exclude_dynamic_sections = Some(wanted);
        self
    }

    /// Whether the first system prompt of a conversation is kept for all of
    /// it, resumed sessions included; it is, if not set.
    pub fn system_prompt_snapshot(mut self, wanted: bool) -> Self {
        self.initialize.system_prompt_snapshot = Some(wanted);
        self
    }

    /// What the model is told to do in plan mode, in place of the agent's own
    /// phases. That it may change nothing is said to it in any case.
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.initialize.plan_mode_instructions = Some(text.into());
        self
    }
}
