//! `agentwire sessions fork`.

use super::error::SessionsError;
use super::stored::Stored;
use agentwire_history::ForkSession;
use std::io::{self, Write};
use std::process::ExitCode;

/// Copy a session and print the ID of the copy
///
/// The copy can be resumed in the same working directory. It has the messages of the main
/// conversation, without those of sub-agents.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session ID
    id: String,

    #[command(flatten)]
    stored: Stored,

    /// The last message of the copy, by its ID, which `show` and `search` print [default: the last
    /// message]
    #[arg(long, value_name = "UUID")]
    up_to: Option<String>,

    /// The title of the copy [default: the title of the session followed by ` (fork)`]
    #[arg(long)]
    title: Option<String>,
}

pub(super) fn fork(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let mut fork = ForkSession::new();
    if let Some(message) = &arguments.up_to {
        fork = fork.up_to(message);
    }
    if let Some(title) = &arguments.title {
        fork = fork.title(title);
    }
    let history = arguments.stored.history()?;
    let copy = history.fork_session(&arguments.id, &fork)?;
    writeln!(io::stdout(), "{copy}")?;
    Ok(ExitCode::SUCCESS)
}
