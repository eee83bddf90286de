//! `agentwire sessions`: the sessions in the agent's files.

mod delete;
mod error;
mod export;
mod fork;
mod list;
mod search;
mod show;
mod stored;

use crate::terminal::complain;
use error::SessionsError;
use std::io;
use std::process::ExitCode;

/// The command failed.
const FAILED: u8 = 2;

/// Work with the sessions in the agent's files on this machine
///
/// Reads and changes the agent's files without starting it. Exit status: 0 on success; 1 if
/// nothing was found or a deletion was declined; 2 if the session does not exist, or a file cannot
/// be read or written.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Search(search::Arguments),
    Fork(fork::Arguments),
    Delete(delete::Arguments),
    Export(export::Arguments),
}

pub(crate) fn sessions(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Command::List(arguments) => list::list(arguments),
        Command::Show(arguments) => show::show(arguments),
        Command::Search(arguments) => search::search(arguments),
        Command::Fork(arguments) => fork::fork(arguments),
        Command::Delete(arguments) => delete::delete(arguments),
        Command::Export(arguments) => export::export(arguments),
    };
    match done {
        Ok(code) => code,
        // The reader of the output has closed it.
        Err(SessionsError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(error);
            FAILED.into()
        }
    }
}
