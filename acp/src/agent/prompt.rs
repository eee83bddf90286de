//! Prompts in the form of the protocol.

use agentwire::protocol::content::{ContentBlock, Source};
use agentwire::protocol::message::UserMessage;
use serde_json::{Value, json};

/// Returns the blocks of a prompt. Fails if the agent does not support one of
/// them.
pub(super) fn blocks(
    message: &UserMessage,
    capabilities: &Value,
) -> Result<Vec<Value>, &'static str> {
    let blocks = message.blocks();
    let blocks = blocks.iter().map(|block| match block {
        ContentBlock::Text(it) => Ok(json!({"type": "text", "text": it.text})),
        ContentBlock::Image(_) if capabilities["image"] != true => Err("images"),
        ContentBlock::Image(it) => match &it.source {
            Source::Base64(it) => {
                Ok(json!({"type": "image", "mimeType": it.media_type, "data": it.data}))
            }
            _ => Err("images that are not in the message"),
        },
        ContentBlock::Document(_) if capabilities["embeddedContext"] != true => Err("files"),
        ContentBlock::Document(it) => {
            let uri = it.title.as_deref().unwrap_or("file");
            let resource = match &it.source {
                Source::Text(it) => {
                    json!({"uri": uri, "mimeType": it.media_type, "text": it.data})
                }
                Source::Base64(it) => {
                    json!({"uri": uri, "mimeType": it.media_type, "blob": it.data})
                }
                _ => return Err("files that are not in the message"),
            };
            Ok(json!({"type": "resource", "resource": resource}))
        }
        _ => Err("this content"),
    });
    blocks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_that_an_agent_does_not_declare_is_refused() {
        let image = ContentBlock::attachment("a.png", *b"\x89PNG\r\n\x1a\n").expect("it is one");
        let file = ContentBlock::attachment("notes.md", *b"crabs").expect("it is one");
        let message = UserMessage::text("Look").with(image).with(file);
        assert_eq!(blocks(&message, &Value::Null), Err("images"));
        let capabilities = json!({"image": true});
        assert_eq!(blocks(&message, &capabilities), Err("files"));
        let capabilities = json!({"image": true, "embeddedContext": true});
        let blocks = blocks(&message, &capabilities).expect("it is one");
        assert_eq!(blocks[0], json!({"type": "text", "text": "Look"}));
        assert_eq!(blocks[1]["mimeType"], "image/png");
        assert_eq!(blocks[2]["resource"]["uri"], "notes.md");
    }
}
