//! The model's context: what it has to read, and how much room is left for it.

use super::config::Config;
use crate::message::Usage;

/// So many tokens below its end a window is nearly full: what was said before
/// the last reply is summarized.
const NEARLY_FULL: u64 = 33_000;

/// So many below, it is full: the model is not asked before all is summarized.
const FULL: u64 = 23_000;

/// The smallest window in which a conversation is summarized by itself.
const SMALLEST: u64 = 100_000;

/// What the model has to read.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The tokens of the last reply, and of all that it was read with.
    tokens: u64,
    /// Replies since the last summary.
    pub(super) replies: u64,
    /// The uuids of the last reply and of what the user said since.
    pub(super) latest: Vec<String>,
    /// How many of these are of the last reply and of what tools answered it.
    answered: usize,
}

/// How much room is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Enough,
    Little,
    None,
}

impl Context {
    /// The model gives a reply that takes so many tokens.
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

    /// The model begins a reply.
    pub(super) fn begin_reply(&mut self) {
        self.replies += 1;
        self.latest.clear();
        self.answered = 0;
    }

    /// A message of the reply, or what a tool answers.
    pub(super) fn add(&mut self, uuid: &str) {
        self.latest.push(uuid.to_owned());
        self.answered = self.latest.len();
    }

    /// A prompt.
    pub(super) fn add_prompt(&mut self, uuid: &str) {
        self.latest.push(uuid.to_owned());
    }

    /// Puts a summary in the place of what was said. With `keeps_reply`, the
    /// last reply and what came after it stay; without, only the prompts that
    /// came after it. Returns the uuid of the message that the summary follows.
    pub(super) fn summarize(&mut self, keeps_reply: bool) -> Option<String> {
        let last = self.latest.last().cloned();
        if !keeps_reply {
            self.latest.drain(..self.answered);
            self.answered = 0;
        }
        self.replies = u64::from(keeps_reply);
        self.tokens = 0;
        last
    }

    /// Returns how much room is left in the model's window.
    pub(super) fn room(&self, config: &Config) -> Room {
        let window = config.context_window;
        let chosen = config.compact_window.unwrap_or(window);
        let chosen = chosen.max(SMALLEST).min(window);
        let tokens = self.tokens;
        if tokens >= window.saturating_sub(FULL) {
            Room::None
        } else if tokens >= chosen.saturating_sub(NEARLY_FULL) {
            Room::Little
        } else {
            Room::Enough
        }
    }
}
