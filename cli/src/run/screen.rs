//! What is printed, and where: the answer on standard output, everything else
//! on standard error.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use agentwire::Message;
use agentwire::protocol::message::ResultMessage;
use console::style;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The terminal, shared with the permission questions.
#[derive(Clone)]
pub(crate) struct Screen(Arc<Mutex<State>>);

struct State {
    json: bool,
    /// Turns while nothing is written, on a terminal.
    spinner: ProgressBar,
    /// Whether the last thing on standard output was not a newline.
    in_line: bool,
    /// Whether the agent sends its text in pieces.
    has_pieces: bool,
}

impl Screen {
    pub(crate) fn new(json: bool) -> Self {
        let spinner = if io::stderr().is_terminal() && !json {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                spinner.set_style(style);
            }
            spinner.enable_steady_tick(Duration::from_millis(120));
            spinner.set_message("starting");
            spinner
        } else {
            ProgressBar::hidden()
        };
        let state = State {
            json,
            spinner,
            in_line: false,
            has_pieces: false,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// A line of the agent's, for `--json`.
    pub(crate) fn line(&self, raw: &[u8]) {
        let state = self.lock();
        if state.json {
            let mut stdout = io::stdout().lock();
            write_or_exit(stdout.write_all(raw).and_then(|()| stdout.write_all(b"\n")));
            write_or_exit(stdout.flush());
        }
    }

    /// What a message says, for people.
    pub(crate) fn message(&self, message: &Message) {
        let mut state = self.lock();
        if state.json {
            return;
        }
        if let Some(text) = message.text_delta() {
            state.has_pieces = true;
            state.print(text);
            return;
        }
        let Message::Assistant(said) = message else {
            return;
        };
        if said.parent_tool_use_id.is_some() {
            return;
        }
        for block in &said.message.content {
            if let Some(text) = block.as_text() {
                if !state.has_pieces {
                    state.print(text);
                }
                state.end_line();
            } else if let Some(call) = block.as_tool_use() {
                state.end_line();
                state.say(
                    &style(format!("· {} {}", call.name, call.input))
                        .dim()
                        .to_string(),
                );
                state.spinner.set_message(call.name.clone());
            }
        }
    }

    /// The end of a turn.
    pub(crate) fn result(&self, result: &ResultMessage) {
        let mut state = self.lock();
        state.end_line();
        state.spinner.set_message("ending");
        if let Some(denials) = result
            .permission_denials
            .as_ref()
            .filter(|all| !all.is_empty())
        {
            let tools: Vec<&str> = denials.iter().map(|denial| &*denial.tool_name).collect();
            state.say(
                &style(format!("· denied: {}", tools.join(", ")))
                    .dim()
                    .to_string(),
            );
        }
    }

    /// Asks a question; the answer is read by whoever asks.
    pub(crate) fn ask(&self, title: &str, input: &str, why: Option<&str>) {
        let mut state = self.lock();
        state.end_line();
        state.spinner.disable_steady_tick();
        state.spinner.suspend(|| {
            eprintln!("{} {}", style(title).bold(), style(input).dim());
            if let Some(why) = why {
                eprintln!("  {why}");
            }
            eprint!("  [y]es, [n]o, [a]lways this tool: ");
            drop(io::stderr().flush());
        });
    }

    /// Something that is good to know.
    pub(crate) fn note(&self, text: &str) {
        let mut state = self.lock();
        state.end_line();
        state.say(&style(format!("· {text}")).dim().to_string());
    }

    /// Something that went wrong.
    pub(crate) fn complain(&self, text: &str) {
        let mut state = self.lock();
        state.end_line();
        state.say(&format!("agentwire: {text}"));
    }

    /// Nothing more comes.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.end_line();
        state.spinner.finish_and_clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn print(&mut self, text: &str) {
        self.in_line = !text.ends_with('\n') && (self.in_line || !text.is_empty());
        self.spinner.set_message("writing");
        // The spinner and the answer must not share a line.
        self.spinner.suspend(|| {
            let mut stdout = io::stdout().lock();
            write_or_exit(
                stdout
                    .write_all(text.as_bytes())
                    .and_then(|()| stdout.flush()),
            );
        });
        if self.in_line {
            self.spinner.disable_steady_tick();
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.spinner
                .suspend(|| write_or_exit(io::stdout().write_all(b"\n")));
        }
        self.spinner.enable_steady_tick(Duration::from_millis(120));
    }

    fn say(&self, text: &str) {
        self.spinner.suspend(|| eprintln!("{text}"));
    }
}

/// Whoever read the answer is gone: so are we, and with us the session, whose
/// input closes.
fn write_or_exit(written: io::Result<()>) {
    if written.is_err() {
        std::process::exit(0);
    }
}
