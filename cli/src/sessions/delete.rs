//! `agentwire sessions delete`.

use super::error::SessionsError;
use super::stored::{Stored, title, transcript};
use agentwire::permission::visible::{line, shortened};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// The maximum length of the title, in characters.
const TITLE: usize = 80;

/// The user has declined.
const DECLINED: u8 = 1;

/// Delete a session with its sub-agents
///
/// Asks for confirmation unless `--yes` is given, which requires that standard input and standard
/// error are terminals. Do not delete a session that an agent is running. Exit status: 1 if the
/// answer is not `y`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session ID
    id: String,

    #[command(flatten)]
    stored: Stored,

    /// Delete without confirmation
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn delete(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let history = arguments.stored.history()?;
    let id = &*arguments.id;
    if !arguments.yes {
        transcript(&history, id)?;
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if !is_terminal {
            return Err(SessionsError::NoTerminal { id: id.to_owned() });
        }
        let title = title(history.session_info(id)?.as_ref());
        let title = line(&shortened(&title, TITLE)).into_owned();
        if !is_confirmed(&format!("Delete session {id} ({title})? [y/N] "))? {
            return Ok(DECLINED.into());
        }
    }
    history.delete_session(id)?;
    Ok(ExitCode::SUCCESS)
}

fn is_confirmed(question: &str) -> io::Result<bool> {
    let mut terminal = io::stderr();
    terminal.write_all(question.as_bytes())?;
    terminal.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(&*answer.trim().to_lowercase(), "y" | "yes"))
}
