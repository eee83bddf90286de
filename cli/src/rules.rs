//! `agentwire rules`: what permission rules say about what an agent asks.

use crate::terminal::complain;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{Rules, RulesError, RulesVerdict, visible};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// A rule or a request cannot be read.
const USAGE: u8 = 2;

/// Try permission rules.
///
/// Reads `can_use_tool` requests from standard input, one a line: the request
/// alone (`{"tool_name": "Bash", "input": {"command": "ls"}}`), or the
/// `control_request` around it, as a recording has it. For each it prints what
/// the rules say: `allow`, `deny`, `ask`, or `none` when they have no decision.
/// Exit status: 0, or 2 when a rule or a line cannot be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A rule for what may run, as `Bash(git *)` or `Edit(src/**)`; may be given
    /// several times
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// A rule for what a person has to be asked about
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,

    /// A rule for what may not run
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// Where the agent works; this directory, if not given
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// The home of the agent; `HOME`, if not given
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,

    /// Print the reason as well, behind a tab
    #[arg(long)]
    explain: bool,
}

/// What stands around a request, if anything does.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    request: Option<&'a RawValue>,
}

enum Failure {
    Rules(RulesError),
    Line(usize, serde_json::Error),
    Pipe(io::Error),
}

pub(crate) fn rules(arguments: Arguments) -> ExitCode {
    let explain = arguments.explain;
    match build(arguments).and_then(|rules| judge(&rules, explain)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read what is printed is gone.
        Err(Failure::Pipe(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            match failure {
                Failure::Rules(error) => complain(error),
                Failure::Line(number, error) => complain(format_args!(
                    "line {number} is no `can_use_tool` request: {error}"
                )),
                Failure::Pipe(error) => complain(error),
            }
            USAGE.into()
        }
    }
}

fn build(arguments: Arguments) -> Result<Rules, Failure> {
    let mut rules = Rules::builder()
        .allow(arguments.allow)
        .ask(arguments.ask)
        .deny(arguments.deny);
    if let Some(directory) = arguments.cwd {
        rules = rules.working_directory(directory);
    }
    if let Some(home) = arguments.home {
        rules = rules.home(home);
    }
    rules.build().map_err(Failure::Rules)
}

fn judge(rules: &Rules, explain: bool) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    for (index, line) in io::stdin().lock().lines().enumerate() {
        let line = line.map_err(Failure::Pipe)?;
        if line.trim().is_empty() {
            continue;
        }
        let request = read(&line).map_err(|error| Failure::Line(index + 1, error))?;
        let verdict = rules.verdict(&request);
        let word = match &verdict {
            RulesVerdict::Allow { .. } => "allow",
            RulesVerdict::Deny { .. } => "deny",
            RulesVerdict::Ask { .. } => "ask",
            _ => "none",
        };
        let told = match explain {
            true => format!("{word}\t{}\n", visible::line(&verdict.to_string())),
            false => format!("{word}\n"),
        };
        let written = output.write_all(told.as_bytes());
        written
            .and_then(|()| output.flush())
            .map_err(Failure::Pipe)?;
    }
    Ok(())
}

fn read(line: &str) -> Result<CanUseTool, serde_json::Error> {
    let around: Line<'_> = serde_json::from_str(line)?;
    serde_json::from_str(around.request.map_or(line, RawValue::get))
}
