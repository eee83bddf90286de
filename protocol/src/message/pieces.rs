//! Extracts the text that an agent writes, from complete and partial messages.

use super::{FailedTurn, Message, ResultMessage, StreamEvent, StreamEventMessage, TerminalReason};
use crate::content::ContentBlock;
use crate::frame::Frame;
use std::mem;

/// Extracts the text that the agent writes in the main conversation.
#[derive(Debug, Default)]
pub struct Pieces {
    /// The ID of the message that the last partial messages belong to.
    message_id: Option<String>,
    /// Whether there were pieces of a message whose beginning was not received.
    of_unknown: bool,
}

impl Pieces {
    /// Returns the text that a frame adds to the main conversation.
    ///
    /// # Errors
    ///
    /// If a turn has failed. An interrupt is not a failure.
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
            // This text is that of the error, which the result contains, too.
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

/// Returns whether the host requested this end, which is then not a failure.
fn is_interrupted(result: &ResultMessage) -> bool {
    use TerminalReason::{AbortedStreaming, AbortedTools};
    matches!(
        result.terminal_reason,
        Some(AbortedStreaming | AbortedTools)
    )
}
