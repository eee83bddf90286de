//! Prints the response to standard output, and everything else to standard
//! error.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use crate::terminal::json;
use agentwire::Message;
use agentwire::permission::visible::{line, lines, shortened};
use agentwire::protocol::message::ResultMessage;
use agentwire::terminal::TerminalQuestion;
use console::style;
use indicatif::ProgressBar;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// The maximum length of a displayed tool input, in characters.
const MAX_INPUT: usize = 1000;
/// The maximum length of a tool name in the spinner. The spinner must stay on one line.
const MAX_NAME: usize = 20;

/// The terminal on which the response is printed.
pub(crate) struct Screen(RefCell<State>);

struct State {
    json: bool,
    /// Whether a spinner is shown, which requires that standard error is a terminal.
    shows_spinner: bool,
    /// Whether the response goes to a terminal, which interprets control characters.
    stdout_is_terminal: bool,
    /// The spinner, while the agent works and nothing is being written.
    spinner: Option<ProgressBar>,
    /// Whether the last output did not end with a newline.
    in_line: bool,
    /// Whether parts of the next text block were printed.
    has_printed_deltas: bool,
    /// Whether writing to standard output failed.
    closed: bool,
}

impl Screen {
    pub(crate) fn new(json: bool) -> Self {
        let shows_spinner = io::stderr().is_terminal() && !json;
        let mut state = State {
            json,
            shows_spinner,
            stdout_is_terminal: io::stdout().is_terminal(),
            spinner: None,
            in_line: false,
            has_printed_deltas: false,
            closed: false,
        };
        state.wait("starting");
        Self(RefCell::new(state))
    }

    /// Prints a line of the agent, with `--json`.
    pub(crate) fn line(&self, raw: &[u8]) {
        let mut state = self.0.borrow_mut();
        if state.json {
            let raw = match state.stdout_is_terminal {
                true => json(raw),
                false => raw.into(),
            };
            state.write(&[&*raw, b"\n"].concat());
        }
    }

    /// Prints a message in readable form.
    pub(crate) fn message(&self, message: &Message) {
        let mut state = self.0.borrow_mut();
        if state.json {
            return;
        }
        if let Some(text) = message.text_delta() {
            state.has_printed_deltas = true;
            state.print(text);
            return;
        }
        let Message::Assistant(assistant) = message else {
            return;
        };
        if assistant.parent_tool_use_id.is_some() {
            return;
        }
        for block in &assistant.message.content {
            if let Some(text) = block.as_text() {
                if !std::mem::take(&mut state.has_printed_deltas) {
                    state.print(text);
                }
                state.end_line();
                state.wait("thinking");
            } else if let Some(call) = block.as_tool_use() {
                let input = call.input.to_string();
                let input = shortened(&input, MAX_INPUT);
                state.say(&dim(&line(&format!("· {} {input}", call.name))));
                state.wait(&line(&shortened(&call.name, MAX_NAME)));
            }
        }
    }

    /// Ends the output of a turn, and prints the denied tools.
    pub(crate) fn result(&self, result: &ResultMessage) {
        let mut state = self.0.borrow_mut();
        state.end_line();
        if let Some(denials) = result
            .permission_denials
            .as_ref()
            .filter(|all| !all.is_empty())
        {
            let tools: Vec<&str> = denials.iter().map(|denial| &*denial.tool_name).collect();
            state.say(&dim(&line(&format!("· denied: {}", tools.join(", ")))));
        }
        state.wait("ending");
    }

    /// Prints a permission prompt. The caller reads the answer.
    pub(crate) fn ask(&self, question: &TerminalQuestion<'_>) {
        let mut state = self.0.borrow_mut();
        state.say(&format!(
            "{} {}",
            style(question.title()).for_stderr().bold(),
            dim(&question.input())
        ));
        if let Some(why) = question.reason() {
            state.say(&format!("  {why}"));
        }
        eprint!("  {}: ", question.choices());
        drop(io::stderr().flush());
    }

    /// Prints a remark.
    pub(crate) fn note(&self, text: &str) {
        let text = dim(&lines(&format!("· {text}")));
        self.0.borrow_mut().say(&text);
    }

    /// Prints an error.
    pub(crate) fn complain(&self, text: &str) {
        let text = format!("agentwire: {text}");
        self.0.borrow_mut().say(&lines(&text));
    }

    /// Returns whether writing to standard output failed.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.borrow().closed
    }

    /// Ends the output.
    pub(crate) fn end(&self) {
        let mut state = self.0.borrow_mut();
        state.end_line();
        state.stop_waiting();
    }
}

impl State {
    fn print(&mut self, text: &str) {
        self.stop_waiting();
        self.in_line = if text.is_empty() {
            self.in_line
        } else {
            !text.ends_with('\n')
        };
        match self.stdout_is_terminal {
            true => self.write(lines(text).as_bytes()),
            // Pipes and files get the text unchanged.
            false => self.write(text.as_bytes()),
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.write(b"\n");
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
        self.closed |= written.is_err();
    }

    fn say(&mut self, text: &str) {
        self.stop_waiting();
        self.end_line();
        eprintln!("{text}");
    }

    /// Shows a spinner with this text.
    fn wait(&mut self, what: &str) {
        if self.shows_spinner && !self.in_line {
            let spinner = self.spinner.get_or_insert_with(|| {
                let spinner = ProgressBar::new_spinner();
                spinner.enable_steady_tick(Duration::from_millis(120));
                spinner
            });
            spinner.set_message(what.to_owned());
        }
    }

    fn stop_waiting(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }
}

fn dim(text: &str) -> String {
    style(text).for_stderr().dim().to_string()
}
