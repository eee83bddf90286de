//! `agentwire inspect`: prints the lines of a session or a recording, with
//! untyped members and faults.

use crate::terminal::{complain, json as json_line};
use agentwire::permission::visible::{line, shortened};
use agentwire_protocol::audit::{Audit, Auditor};
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::{Fault, Frame, Message};
use agentwire_testkit::recording::{Entry, EntryKind};
use console::style;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The file could not be read.
const USAGE: u8 = 2;

/// The maximum lengths of a displayed text and of a remark, in characters.
const MAX_TEXT: usize = 100;
const MAX_REMARK: usize = 1000;

/// Prints the lines of a session, or a recording of both directions
/// (`{"t", "dir", "msg"}` per line). Exit status: 0 on success, 2 if the file
/// cannot be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file: the lines of a session, or a recording; `-` is standard input
    file: PathBuf,

    /// Print one JSON object per line: `line`, `kind`, `typed`, `untyped`
    /// (pointers to members without a typed field), `faults` (missing or invalid
    /// members: `path` and `reason`), `lossless`, `error`
    #[arg(long)]
    json: bool,
}

/// A line of the output with `--json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    line: u64,
    kind: &'a str,
    typed: bool,
    untyped: &'a [String],
    faults: Vec<ReportedFault<'a>>,
    lossless: bool,
    error: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ReportedFault<'a> {
    path: &'a str,
    reason: &'a str,
}

pub(crate) fn inspect(arguments: &Arguments) -> ExitCode {
    match read(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let path = arguments.file.display();
            complain(format_args!("cannot read {path}: {error}"));
            USAGE.into()
        }
    }
}

fn read(arguments: &Arguments) -> io::Result<()> {
    let (mut input, progress) = open(&arguments.file)?;
    let mut output = BufWriter::new(io::stdout().lock());
    let mut inspector = Inspector::default();
    let mut line = Vec::new();
    let mut number = 0;
    while {
        line.clear();
        input.read_until(b'\n', &mut line)? > 0
    } {
        number += 1;
        progress.inc(line.len() as u64);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let inspected = inspector.line(line.trim_ascii());
        if arguments.json {
            let Audit {
                kind,
                typed,
                untyped,
                faults,
                lossless,
                error,
                ..
            } = &inspected.audit;
            let error = error.as_deref();
            let faults = faults
                .iter()
                .map(|Fault { path, reason, .. }| ReportedFault { path, reason });
            let report = Report {
                line: number,
                kind,
                typed: *typed,
                untyped,
                faults: faults.collect(),
                lossless: *lossless,
                error,
            };
            let report = serde_json::to_vec(&report)?;
            output.write_all(&json_line(&report))?;
            output.write_all(b"\n")?;
        } else {
            inspected.show(number, &mut output)?;
        }
    }
    progress.finish_and_clear();
    output.flush()
}

/// Opens the input, with a progress bar.
fn open(file: &Path) -> io::Result<(Box<dyn BufRead>, ProgressBar)> {
    if file == Path::new("-") {
        return Ok((Box::new(io::stdin().lock()), ProgressBar::hidden()));
    }
    let opened = File::open(file)?;
    let progress = if io::stderr().is_terminal() && !io::stdout().is_terminal() {
        let bar = ProgressBar::new(opened.metadata()?.len());
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta}") {
            bar.set_style(style);
        }
        bar
    } else {
        ProgressBar::hidden()
    };
    Ok((
        Box::new(BufReader::with_capacity(1 << 20, opened)),
        progress,
    ))
}

/// Follows a session, or a recording of one or more sessions.
#[derive(Debug, Default)]
struct Inspector {
    auditor: Auditor,
}

/// A line and its audit.
struct InspectedLine {
    at: Option<f64>,
    direction: Direction,
    audit: Audit,
    message: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    /// From the host to the agent.
    Sent,
    /// From the agent to the host.
    Received,
    /// A plain line, without a direction.
    Unknown,
    /// An entry about the process or the recording.
    Meta,
}

impl Inspector {
    fn line(&mut self, line: &[u8]) -> InspectedLine {
        // A line that is not an entry of a recording is a plain line. The line number is only
        // used in errors.
        match Entry::read(line, 0) {
            Ok(entry) => self.recorded(entry),
            Err(_) => InspectedLine {
                at: None,
                direction: Direction::Unknown,
                audit: self.auditor.line(line),
                message: line.to_vec(),
            },
        }
    }

    fn recorded(&mut self, Entry { t, kind: what, .. }: Entry) -> InspectedLine {
        let meta = |kind: &str, msg: String| (Direction::Meta, msg.into_bytes(), kind.to_owned());
        let (direction, message, kind) = match what {
            EntryKind::Sent(line) => (Direction::Sent, line.bytes().to_vec(), String::new()),
            EntryKind::Received(line) => {
                (Direction::Received, line.bytes().to_vec(), String::new())
            }
            EntryKind::Stderr(line) => {
                meta("stderr", String::from_utf8_lossy(line.bytes()).into_owned())
            }
            EntryKind::Spawn(spawn) => {
                // This is another session, which may reuse the IDs of the previous session.
                self.auditor = Auditor::default();
                meta("spawn", json(&spawn))
            }
            EntryKind::Note(text) => meta("note", text),
            EntryKind::Exit(exit) => meta("exit", json(&exit)),
            EntryKind::Other { dir, msg } => meta(&dir, msg.to_string()),
            _ => meta("other", String::new()),
        };
        let audit = if direction == Direction::Meta {
            Audit::aside(format!("recording/{kind}"))
        } else {
            self.auditor.line(&message)
        };
        InspectedLine {
            at: t,
            direction,
            audit,
            message,
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl InspectedLine {
    /// Prints the line in readable form.
    fn show(&self, number: u64, output: &mut impl Write) -> io::Result<()> {
        let at = self
            .at
            .map_or_else(|| format!("{number:>6}"), |at| format!("{at:>9.3}"));
        let arrow = match self.direction {
            Direction::Sent => style("→").cyan(),
            Direction::Received => style("←").green(),
            Direction::Unknown => style("·"),
            Direction::Meta => style("#").dim(),
        };
        let kind = style(truncated(&self.audit.kind));
        let kind = match (&self.audit.error, self.audit.typed) {
            (Some(_), _) => kind.red(),
            (None, true) if self.audit.faults.is_empty() => kind.bold(),
            (None, _) => kind.yellow(),
        };
        write!(output, "{} {arrow} {kind}", style(at).dim())?;
        if let Some(summary) = self.summary() {
            write!(output, "  {}", truncated(&summary))?;
        }
        writeln!(output)?;
        let mut remark = |text: String| {
            let text = shortened(&text, MAX_REMARK);
            writeln!(output, "          {}", style(line(&text)).yellow())
        };
        if let Some(error) = &self.audit.error {
            remark(format!("invalid: {error}"))?;
        } else if !self.audit.typed {
            remark("no type for this kind of line".to_owned())?;
        }
        if !self.audit.untyped.is_empty() {
            let places = without_indices(&self.audit.untyped).join(", ");
            remark(format!("no typed field for {places}"))?;
        }
        for fault in &self.audit.faults {
            remark(fault.to_string())?;
        }
        if self.audit.error.is_none() && !self.audit.lossless {
            remark("not lossless: serializing it changes the line".to_owned())?;
        }
        Ok(())
    }

    /// Returns a summary of the line.
    fn summary(&self) -> Option<String> {
        if self.direction == Direction::Meta {
            return Some(String::from_utf8_lossy(&self.message).into_owned());
        }
        let frame = Frame::new(self.message.clone().into()).ok()?;
        let id = || frame.request_id().map(str::to_owned);
        match frame.message() {
            Message::User(user) => {
                let content = user.message.content.as_ref()?;
                let results: Vec<String> = content
                    .tool_results()
                    .map(|result| {
                        let text = result.content.as_ref().map(Content::text);
                        format!("{}: {}", result.tool_use_id, text.unwrap_or_default())
                    })
                    .collect();
                Some(if results.is_empty() {
                    content.text()
                } else {
                    results.join("; ")
                })
            }
            Message::Assistant(assistant) => {
                let blocks = assistant.message.content.iter().map(|block| match block {
                    ContentBlock::Text(text) => text.text.clone(),
                    ContentBlock::Thinking(thinking) => format!("({})", thinking.thinking),
                    ContentBlock::ToolUse(call) => format!("{} {}", call.name, call.input),
                    block => block.tag().unwrap_or_default(),
                });
                Some(blocks.collect::<Vec<_>>().join(" "))
            }
            Message::StreamEvent(partial) => {
                let event = &partial.event;
                let text = event.text_delta().or_else(|| event.thinking_delta());
                Some(text.map_or_else(
                    || event.tag().unwrap_or_default(),
                    |text| format!("{text:?}"),
                ))
            }
            Message::Result(result) => result.error_text().or(result.result),
            Message::CommandLifecycle(command) => {
                Some(format!("{} {}", command.command_uuid, command.state))
            }
            _ => id(),
        }
    }
}

/// Replaces indices in pointers with `*`, and merges equal neighbours, so that a member of
/// every item of a list is named once.
fn without_indices(pointers: &[String]) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for pointer in pointers {
        let keys = pointer.split('/').map(|key| match key.parse::<usize>() {
            Ok(_) => "*",
            Err(_) => key,
        });
        let place = keys.collect::<Vec<_>>().join("/");
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    places
}

fn truncated(text: &str) -> String {
    let cut = match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    line(&cut).into_owned()
}
