//! `agentwire sessions list`.

use super::error::SessionsError;
use super::stored::Stored;
use crate::terminal::json as json_line;
use agentwire::permission::visible::{line, shortened};
use agentwire_history::{ListSessions, SessionInfo};
use indicatif::HumanDuration;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::SystemTime;

/// The maximum length of a title, in characters.
const TITLE: usize = 80;

/// List sessions, most recently modified first
///
/// Prints the ID, the time since the last change, the title, the tag, and whether the
/// session is archived.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    stored: Stored,

    /// The maximum number of sessions [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Print one JSON object per line, in the format of the official SDK's `listSessions`
    #[arg(long)]
    json: bool,
}

pub(super) fn list(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    if arguments.limit == Some(0) {
        return Ok(ExitCode::SUCCESS);
    }
    let list = ListSessions::new().limit(arguments.limit.unwrap_or(0));
    let sessions = arguments.stored.history()?.list_sessions(&list)?;
    let mut output = BufWriter::new(io::stdout().lock());
    for session in &sessions {
        if arguments.json {
            let session = serde_json::to_vec(session).map_err(io::Error::from)?;
            output.write_all(&json_line(&session))?;
            output.write_all(b"\n")?;
        } else {
            show(session, &mut output)?;
        }
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn show(session: &SessionInfo, output: &mut impl Write) -> io::Result<()> {
    let age = SystemTime::now().duration_since(session.modified());
    let age = format!("{} ago", HumanDuration(age.unwrap_or_default()));
    let title = shortened(&session.summary, TITLE);
    write!(
        output,
        "{}  {age:>14}  {}",
        session.session_id,
        line(&title)
    )?;
    if let Some(tag) = &session.tag {
        write!(output, "  #{}", line(&shortened(tag, TITLE)))?;
    }
    if session.archived == Some(true) {
        write!(output, "  (archived)")?;
    }
    writeln!(output)
}
