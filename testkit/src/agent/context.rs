//! The model's context: the tokens in use, and the remaining room in the window.

use super::config::Config;
use agentwire_protocol::message::{AssistantMessage, Usage};

/// The window is nearly full when at most this many tokens remain. The
/// messages before the last reply are then summarized.
const NEARLY_FULL: u64 = 33_000;

/// The window is full when at most this many tokens remain. The model is then
/// not called before the whole conversation is summarized.
const FULL_BELOW_TOKENS: u64 = 23_000;

/// The minimum of the window size that triggers automatic compaction, unless
/// the context window itself is smaller.
const MIN_COMPACT_WINDOW: u64 = 100_000;

/// The model's context.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The tokens of the last reply and of its input.
    tokens: u64,
    /// Whether the model has received a prompt.
    pub(super) is_begun: bool,
    /// Whether the agent adds an internal note after the last message.
    pub(super) is_followed: bool,
    /// Whether the next message is the first message of a reply.
    is_new: bool,
    /// The number of replies since the last summary.
    pub(super) replies: u64,
    /// The UUIDs of the last reply and of the user messages after it.
    pub(super) latest: Vec<String>,
    /// The output of commands since the last reply.
    pub(super) outputs: Vec<AssistantMessage>,
    /// The number of leading elements of `latest`, up to the last message that
    /// is not a prompt.
    answered: usize,
}

/// The remaining room in the context window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Enough,
    Little,
    None,
}

impl Context {
    /// Sets the token count from the usage of a reply.
    pub(super) fn charge(&mut self, usage: &Usage) {
        let counts = [
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
        ];
        let counts = counts.into_iter().flatten();
        self.tokens = counts.fold(0, u64::saturating_add);
    }

    /// Returns the tokens of the last reply and of its input.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Starts a reply. An empty reply does not count.
    pub(super) fn begin_reply(&mut self) {
        self.is_new = true;
    }

    /// Adds a message of the reply.
    pub(super) fn add_message(&mut self, uuid: &str) {
        if std::mem::take(&mut self.is_new) {
            self.replies += 1;
            self.latest.clear();
            self.outputs.clear();
            self.answered = 0;
        }
        self.add(uuid);
        self.is_followed = true;
    }

    /// Adds the output of a command.
    pub(super) fn add_output(&mut self, output: AssistantMessage) {
        self.add(output.uuid.as_deref().unwrap_or_default());
        self.outputs.push(output);
    }

    /// Adds a user message such as a tool result.
    pub(super) fn add(&mut self, uuid: &str) {
        self.latest.push(uuid.to_owned());
        self.answered = self.latest.len();
        self.is_followed = false;
    }

    /// Adds a prompt.
    pub(super) fn add_prompt(&mut self, uuid: &str) {
        self.latest.push(uuid.to_owned());
    }

    /// Replaces the conversation with a summary. With `preserves_reply`, the last
    /// reply and the messages after it stay; without, only the prompts after
    /// it. Returns the UUID of the message that the summary follows.
    pub(super) fn summarize(&mut self, preserves_reply: bool) -> Option<String> {
        let last = self.latest.last().cloned();
        if !preserves_reply {
            self.latest.drain(..self.answered);
            self.outputs.clear();
            self.answered = 0;
        }
        self.replies = u64::from(preserves_reply);
        self.tokens = 0;
        last
    }

    /// Returns the remaining room in the model's context window.
    pub(super) fn room(&self, config: &Config) -> Room {
        let window = config.context_window;
        let chosen = config.compact_window.unwrap_or(window);
        let chosen = chosen.max(MIN_COMPACT_WINDOW).min(window);
        let tokens = self.tokens;
        if tokens >= window.saturating_sub(FULL_BELOW_TOKENS) {
            Room::None
        } else if tokens >= chosen.saturating_sub(NEARLY_FULL) {
            Room::Little
        } else {
            Room::Enough
        }
    }
}
