//! System prompt options.

use super::Options;

/// Separates blocks of a system prompt: the blocks before it are the same in all sessions and
/// can be cached across them.
pub const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// The system prompt. It is sent over the pipe in the first request, so it can be long, and
/// other users of the machine cannot read it.
impl Options {
    /// Replaces the agent's system prompt. An empty text means no system prompt. Default: the
    /// agent's own prompt, unlike in the official SDKs, which set an empty one.
    pub fn system_prompt(self, text: impl Into<String>) -> Self {
        self.system_prompt_blocks([text])
    }

    /// Replaces the agent's system prompt by these blocks. A [`DYNAMIC_BOUNDARY`] block separates
    /// blocks common to all sessions from blocks specific to this one.
    pub fn system_prompt_blocks<S: Into<String>>(
        mut self,
        blocks: impl IntoIterator<Item = S>,
    ) -> Self {
        let blocks = blocks.into_iter().map(Into::into).collect();
        self.initialize.system_prompt = Some(blocks);
        self
    }

    /// Appends to the agent's own system prompt.
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.initialize.append_system_prompt = Some(text.into());
        self
    }

    /// Sets whether the agent's own system prompt omits sections that differ between users (working
    /// directory, git status, location of the memory). They move to the first user message, so that
    /// all users share one cache.
    pub fn exclude_dynamic_sections(mut self, wanted: bool) -> Self {
        self.initialize.exclude_dynamic_sections = Some(wanted);
        self
    }

    /// Sets whether a conversation retains its first system prompt, also when it is resumed.
    /// Default: `true`.
    pub fn system_prompt_snapshot(mut self, wanted: bool) -> Self {
        self.initialize.system_prompt_snapshot = Some(wanted);
        self
    }

    /// Replaces the agent's instructions for the phases of plan mode. The instruction not to change
    /// anything remains.
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.initialize.plan_mode_instructions = Some(text.into());
        self
    }
}
