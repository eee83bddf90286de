//! `agentwire sessions show`.

use super::error::SessionsError;
use super::stored::{Stored, transcript};
use crate::terminal::json as json_line;
use agentwire::Message;
use agentwire::permission::visible::{line, lines, shortened};
use agentwire_history::MessageSelection;
use agentwire_protocol::content::{Content, ContentBlock};
use console::style;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// The maximum length of a tool's input or result, in characters.
const MAX_TOOL: usize = 500;

/// Print the messages of a session
///
/// Prints the main conversation, each message with its ID. Does not print messages from before a
/// compaction, of abandoned branches, and of sub-agents.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session ID
    id: String,

    #[command(flatten)]
    stored: Stored,

    /// Print one JSON object per line, in the format of the official SDK's `getSessionMessages`
    #[arg(long)]
    json: bool,
}

pub(super) fn show(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let history = arguments.stored.history()?;
    transcript(&history, &arguments.id)?;
    let messages = history.session_messages(&arguments.id, MessageSelection::new())?;
    let mut output = BufWriter::new(io::stdout().lock());
    for message in &messages {
        if arguments.json {
            let message = serde_json::to_vec(message).map_err(io::Error::from)?;
            output.write_all(&json_line(&message))?;
            output.write_all(b"\n")?;
        } else {
            print(message, &mut output)?;
        }
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn print(message: &Message, output: &mut impl Write) -> io::Result<()> {
    let (author, uuid, blocks) = match message {
        Message::User(message) => ("user", &message.uuid, message.blocks()),
        Message::Assistant(message) => {
            let blocks = Cow::Borrowed(&*message.message.content);
            ("model", &message.uuid, blocks)
        }
        _ => return Ok(()),
    };
    let uuid = uuid.as_deref().unwrap_or_default();
    writeln!(
        output,
        "{} {}",
        style(author).bold(),
        style(line(uuid)).dim()
    )?;
    for block in &*blocks {
        let text = displayed(block);
        for line in lines(&text).lines() {
            writeln!(output, "  {line}")?;
        }
    }
    Ok(())
}

fn displayed(block: &ContentBlock) -> Cow<'_, str> {
    match block {
        ContentBlock::Text(text) => text.text.as_str().into(),
        ContentBlock::Thinking(thinking) => format!("(thinks) {}", thinking.thinking).into(),
        ContentBlock::ToolUse(call) => {
            let input = call.input.to_string();
            format!("(calls {}) {}", call.name, shortened(&input, MAX_TOOL)).into()
        }
        ContentBlock::ToolResult(result) => {
            let text = result.content.as_ref().map(Content::text);
            let text = text.unwrap_or_default();
            let kind = if result.is_error == Some(true) {
                "error"
            } else {
                "result"
            };
            format!("({kind}) {}", shortened(&text, MAX_TOOL)).into()
        }
        block => format!("({})", block.tag().unwrap_or_default()).into(),
    }
}
