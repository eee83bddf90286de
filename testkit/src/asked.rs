//! What a model is asked.

/// What is known of a request of the agent's model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// The text of the prompt that is being answered, as the user wrote it.
    /// Prompts that became one turn have a line break between them.
    pub prompt: String,
    /// What tools answered, where the request brings that.
    pub results: Vec<String>,
    /// The model's name.
    pub model: String,
    /// How many prompts have been asked, this one included.
    pub turn: usize,
    /// Whether the request brings the results of tools.
    pub after_tools: bool,
    /// Whether a sub-agent asks.
    pub is_subagent: bool,
    /// Whether it is the same question as before, such as after an error that
    /// passes.
    pub is_retry: bool,
}
