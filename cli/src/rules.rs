//! `agentwire rules`: evaluates permission rules for requests.

use crate::terminal::complain;
use agentwire::Rules;
use agentwire::permission::{RulesError, RulesVerdict, visible};
use agentwire::protocol::permission::CanUseTool;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// A rule or a request cannot be read.
const USAGE: u8 = 2;

/// Evaluate permission rules
///
/// Reads `can_use_tool` requests from standard input, one per line: the request
/// (`{"tool_name": "Bash", "input": {"command": "ls"}}`), or the whole
/// `control_request` that contains it. For each request, prints the decision of
/// the rules: `allow`, `deny`, `ask`, or `none` if they have no decision. Exit
/// status: 0 on success, 2 if a rule or a line is invalid.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A rule for calls to allow, such as `Bash(git *)` or `Edit(src/**)`; may be
    /// repeated
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// A rule for calls that require a prompt; may be repeated
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,

    /// A rule for calls to deny; may be repeated
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// The agent's working directory [default: the current directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// The agent's home directory [default: the value of `HOME`]
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,

    /// Also print the reason, after a tab
    #[arg(long)]
    explain: bool,
}

/// A `control_request` that contains a request.
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
    match build(arguments).and_then(|rules| evaluate(&rules, explain)) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed it.
        Err(Failure::Pipe(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            match failure {
                Failure::Rules(error) => complain(error),
                Failure::Line(number, error) => complain(format_args!(
                    "line {number} is not a `can_use_tool` request: {error}"
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

fn evaluate(rules: &Rules, explain: bool) -> Result<(), Failure> {
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
        let text = match explain {
            true => format!("{word}\t{}\n", visible::line(&verdict.to_string())),
            false => format!("{word}\n"),
        };
        let written = output.write_all(text.as_bytes());
        written
            .and_then(|()| output.flush())
            .map_err(Failure::Pipe)?;
    }
    Ok(())
}

fn read(line: &str) -> Result<CanUseTool, serde_json::Error> {
    let envelope: Line<'_> = serde_json::from_str(line)?;
    serde_json::from_str(envelope.request.map_or(line, RawValue::get))
}
