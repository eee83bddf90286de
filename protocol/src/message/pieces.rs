//! The text that an agent writes, from its messages and their pieces.

use super::{FailedTurn, Message, ResultMessage, StreamEvent, StreamEventMessage, TerminalReason};
use crate::content::ContentBlock;
use crate::frame::Frame;
use std::mem;

/// Reads the text that the agent writes in the main conversation from its messages.
#[derive(Debug, Default)]
pub struct Pieces {
    /// The message that the last partial message began.
    message_id: Option<String>,
    /// There were pieces of a message whose beginning was not seen.
    of_unknown: bool,
}

impl Pieces {
    /// The text that a frame adds to the main conversation.
    ///
    /// # Errors
    ///
    /// If a turn has failed, other than by an interrupt.
    pub fn text(&mut self, frame: &Frame) -> Result<Option<String>, FailedTurn> {
        Ok(match frame.message() {
            Message::StreamEvent(StreamEventMessage {
                parent_tool_use_id: None,
                event,
                ..
            }) => {
                if let StreamEvent::MessageStart(start) = &event {
                    self.message_id = start.message.id.clone();
                    self.of_unknown = false;
                }
                let text = event.text_delta().map(str::to_owned);
                self.of_unknown |= text.is_some() && self.message_id.is_none();
                text
            }
            // Its text is the error's, which the result has as well.
            Message::Assistant(said) if said.error.is_some() => None,
            Message::Assistant(said) if said.parent_tool_use_id.is_none() => {
                let id = &said.message.id;
                let is_known = id.is_some() && *id == self.message_id;
                if is_known || mem::take(&mut self.of_unknown) {
                    return Ok(None);
                }
                let content = said.message.content.iter();
                let text: String = content.filter_map(ContentBlock::as_text).collect();
                (!text.is_empty()).then_some(text)
            }
            Message::Result(result) if !is_interrupted(&result) => {
                result.error_for_result()?;
                None
            }
            _ => None,
        })
    }
}

/// The host requested this end, so it is not a failure.
fn is_interrupted(result: &ResultMessage) -> bool {
    use TerminalReason::{AbortedStreaming, AbortedTools};
    matches!(
        result.terminal_reason,
        Some(AbortedStreaming | AbortedTools)
    )
}
