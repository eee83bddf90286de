//! `agentwire sessions show`.

use super::error::SessionsError;
use super::stored::{Stored, transcript, view};
use crate::page::terminal;
use crate::terminal::json as json_line;
use agentwire_history::MessageSelection;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// Print a session
///
/// Prints the prompts with their IDs, the texts and tool calls of the model, and the conversations
/// of sub-agents, indented. Long inputs and outputs of tools are shortened. Does not print
/// abandoned branches.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session ID
    id: String,

    #[command(flatten)]
    stored: Stored,

    /// Print the messages of the main conversation, one JSON object per line, in the format of
    /// the official SDK's `getSessionMessages`
    #[arg(long)]
    json: bool,
}

pub(super) fn show(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let history = arguments.stored.history()?;
    let mut output = BufWriter::new(io::stdout().lock());
    if arguments.json {
        transcript(&history, &arguments.id)?;
        for message in history.session_messages(&arguments.id, MessageSelection::new())? {
            let message = serde_json::to_vec(&message).map_err(io::Error::from)?;
            output.write_all(&json_line(&message))?;
            output.write_all(b"\n")?;
        }
    } else {
        let view = view(&history, &arguments.id)?;
        output.write_all(terminal(&view).as_bytes())?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
