//! The facts of a model request that select its reply.

/// A model request, as [`When`](crate::When) matches it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestInfo {
    /// The text of the current prompt, as the user wrote it. Prompts that were
    /// merged into one turn are separated by `\n`.
    pub prompt: String,
    /// The texts of the tool results in the request.
    pub results: Vec<String>,
    /// The model's name.
    pub model: String,
    /// The number of the turn, counted from 1.
    pub turn: usize,
    /// Whether the request contains tool results.
    pub after_tools: bool,
    /// Whether a sub-agent sent the request.
    pub is_subagent: bool,
    /// Whether the request repeats the last one, for example after a temporary
    /// error.
    pub is_retry: bool,
}
