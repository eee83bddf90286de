//! What is printed, and where: the answer on standard output, everything else
//! on standard error.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use agentwire::Message;
use agentwire::protocol::message::ResultMessage;
use agentwire::protocol::permission::CanUseTool;
use console::style;
use indicatif::ProgressBar;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// The terminal.
pub(crate) struct Screen(RefCell<State>);

struct State {
    json: bool,
    /// Whether there is somebody to see a spinner.
    watched: bool,
    /// Turns while something is waited for and nothing is being written.
    spinner: Option<ProgressBar>,
    /// Whether the answer is in the middle of a line.
    in_line: bool,
    /// Whether pieces of the text block that comes next were printed.
    has_pieces: bool,
    /// Whoever read standard output is gone.
    gone: bool,
}

impl Screen {
    pub(crate) fn new(json: bool) -> Self {
        let watched = io::stderr().is_terminal() && !json;
        let mut state = State {
            json,
            watched,
            spinner: None,
            in_line: false,
            has_pieces: false,
            gone: false,
        };
        state.wait("starting");
        Self(RefCell::new(state))
    }

    /// A line of the agent's, for `--json`.
    pub(crate) fn line(&self, raw: &[u8]) {
        let mut state = self.0.borrow_mut();
        if state.json {
            state.write(&[raw, b"\n"].concat());
        }
    }

    /// What a message says, for people.
    pub(crate) fn message(&self, message: &Message) {
        let mut state = self.0.borrow_mut();
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
                if !std::mem::take(&mut state.has_pieces) {
                    state.print(text);
                }
                state.end_line();
                state.wait("thinking");
            } else if let Some(call) = block.as_tool_use() {
                state.say(&dim(&plain(&format!("· {} {}", call.name, call.input))));
                state.wait(&call.name);
            }
        }
    }

    /// The end of a turn.
    pub(crate) fn result(&self, result: &ResultMessage) {
        let mut state = self.0.borrow_mut();
        state.end_line();
        if let Some(denials) = result
            .permission_denials
            .as_ref()
            .filter(|all| !all.is_empty())
        {
            let tools: Vec<&str> = denials.iter().map(|denial| &*denial.tool_name).collect();
            state.say(&dim(&format!("· denied: {}", tools.join(", "))));
        }
        state.wait("ending");
    }

    /// Asks whether a tool may run. The answer is read by whoever asks.
    pub(crate) fn ask(&self, request: &CanUseTool, can_be_always: bool) {
        let mut state = self.0.borrow_mut();
        let title = match &request.title {
            Some(title) => plain(title),
            None => format!("May {} run?", plain(&request.tool_name)),
        };
        state.say(&format!(
            "{} {}",
            style(title).for_stderr().bold(),
            dim(&plain(request.input.get()))
        ));
        if let Some(why) = &request.decision_reason {
            state.say(&format!("  {}", plain(why)));
        }
        let always = if can_be_always { ", [a]lways" } else { "" };
        eprint!("  [y]es, [n]o{always}: ");
        drop(io::stderr().flush());
    }

    /// Something that is good to know.
    pub(crate) fn note(&self, text: &str) {
        self.0.borrow_mut().say(&dim(&format!("· {text}")));
    }

    /// Something that went wrong.
    pub(crate) fn complain(&self, text: &str) {
        self.0.borrow_mut().say(&format!("agentwire: {text}"));
    }

    /// Whether nobody reads the answer any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.borrow().gone
    }

    /// Nothing more comes.
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
        self.write(text.as_bytes());
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.write(b"\n");
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
        self.gone |= written.is_err();
    }

    fn say(&mut self, text: &str) {
        self.stop_waiting();
        self.end_line();
        eprintln!("{text}");
    }

    /// Shows that something is waited for.
    fn wait(&mut self, what: &str) {
        if self.watched && !self.in_line {
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

/// What the agent says, without what a terminal would obey: no question is to
/// look like another.
fn plain(text: &str) -> String {
    let obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(obeyed, "\u{fffd}")
}
