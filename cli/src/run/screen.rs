//! Prints the response to standard output, and everything else to standard
//! error.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use crate::page::{failure, reason, status, title};
use crate::terminal::json;
use agentwire::permission::visible::{lines, shortened};
use agentwire::protocol::content::ContentBlock;
use agentwire::terminal::TerminalQuestion;
use agentwire::view::entry::{Notice, NoticeKind, Status};
use agentwire::view::{Body, Change, Entry, Member, Numbered, View};
use agentwire::{Event, Message};
use console::style;
use indicatif::ProgressBar;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// The maximum length of the spinner's text. The spinner must stay on one line.
const MAX_SPINNER: usize = 60;

/// The terminal on which the response is printed.
pub(crate) struct Screen {
    json: bool,
    /// Whether a spinner is shown, which requires that standard error is a terminal.
    shows_spinner: bool,
    /// Whether the response goes to a terminal, which interprets control characters.
    stdout_is_terminal: bool,
    /// The spinner, while the agent works and nothing is being written.
    spinner: Option<ProgressBar>,
    /// Whether the last output did not end with a newline.
    in_line: bool,
    /// The text of the last whole message, as the model wrote it.
    whole: String,
    /// Whether writing to standard output failed.
    pub(crate) closed: bool,
}

impl Screen {
    pub(crate) fn new(json: bool) -> Self {
        let mut screen = Self {
            json,
            shows_spinner: io::stderr().is_terminal() && !json,
            stdout_is_terminal: io::stdout().is_terminal(),
            spinner: None,
            in_line: false,
            whole: String::new(),
            closed: false,
        };
        screen.wait("starting");
        screen
    }

    /// Adds an event to the view, and prints what it changes.
    pub(crate) fn event(&mut self, view: &mut View, event: &Event) {
        let before = view.number();
        view.push(event);
        if let Event::Frame(frame) = event {
            let raw = frame.raw();
            match (frame.message(), self.json, self.stdout_is_terminal) {
                (_, true, true) => self.write(&[&*json(raw), b"\n"].concat()),
                (_, true, false) => self.write(&[&**raw, b"\n"].concat()),
                (Message::Assistant(message), ..) => {
                    let texts = message.message.content.iter();
                    self.whole = texts.filter_map(ContentBlock::as_text).collect();
                }
                (_, _, true) => {}
                // The texts of the view are escaped. Pipes and files get those of the model.
                (message, ..) => self.print(message.text_delta().unwrap_or_default()),
            }
        }
        for Numbered { change, .. } in view.since(before).unwrap_or_default() {
            self.change(view, change);
        }
    }

    /// Prints a permission prompt. The caller reads the answer.
    pub(crate) fn ask(&mut self, question: &TerminalQuestion<'_>) {
        self.say(&format!(
            "{} {}",
            style(question.title()).for_stderr().bold(),
            dim(&question.input())
        ));
        if let Some(why) = question.reason() {
            self.say(&format!("  {why}"));
        }
        eprint!("  {}: ", question.choices());
        drop(io::stderr().flush());
    }

    /// Prints a remark.
    pub(crate) fn note(&mut self, text: &str) {
        self.say(&dim(&lines(&format!("· {text}"))));
    }

    /// Prints an error.
    pub(crate) fn complain(&mut self, text: &str) {
        self.say(&lines(&format!("agentwire: {text}")));
    }

    /// Ends the output.
    pub(crate) fn end(&mut self) {
        self.end_line();
        self.stop_waiting();
    }

    fn change(&mut self, view: &View, change: &Change) {
        use Change::{Append, Insert, Set};
        let id = match change {
            Insert { entry, .. } => &entry.id,
            Append { id, .. } | Set { id, .. } => id,
            _ => return,
        };
        let Some(Entry { parent, body, .. }) = view.get(id) else {
            return;
        };
        match (body, change) {
            // Sub-agents work silently.
            _ if parent.is_some() => {}
            (Body::Notice(notice), Insert { .. }) => self.notice(notice),
            _ if self.json => {}
            (Body::Text(text), _) => {
                match (change, self.stdout_is_terminal) {
                    (Insert { .. }, true) => self.print(&text.text.text),
                    (Append { text, .. }, true) => self.print(text),
                    (Insert { .. }, false) if text.complete => {
                        let whole = std::mem::take(&mut self.whole);
                        self.print(&whole);
                    }
                    _ => {}
                }
                if text.complete {
                    self.end_line();
                    self.wait("thinking");
                }
            }
            (Body::TurnEnd(_), _) => self.end_line(),
            (body, Insert { .. }) => self.status(body, status(body)),
            (body, Set { set, .. }) => match set {
                Member::Status(status) => self.status(body, Some(*status)),
                _ => self.wait(&title(body)),
            },
            _ => {}
        }
    }

    /// Prints the status of a tool call.
    fn status(&mut self, body: &Body, status: Option<Status>) {
        let title = title(body);
        match (status, failure(body)) {
            (Some(Status::InProgress), _) => self.note(&title),
            (Some(Status::Failed), Some(failure)) => {
                let message = failure.message.lines().next().unwrap_or_default();
                self.note(&format!("{title}: {}: {message}", reason(failure)));
            }
            (Some(Status::Pending), _) => {}
            _ => return self.wait("thinking"),
        }
        self.wait(&title);
    }

    fn notice(&mut self, notice: &Notice) {
        match (notice.kind, &notice.detail) {
            // The end of the turn has the error.
            (NoticeKind::ApiError | NoticeKind::Message | NoticeKind::Interrupted, _) => {}
            (kind, _) if self.json && kind != NoticeKind::Warning => {}
            (NoticeKind::CommandOutput, Some(printed)) => self.note(&printed.text),
            _ => self.note(&notice.title),
        }
    }

    fn print(&mut self, text: &str) {
        if !text.is_empty() {
            self.stop_waiting();
            self.in_line = !text.ends_with('\n');
            self.write(text.as_bytes());
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
            spinner.set_message(shortened(what, MAX_SPINNER).into_owned());
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
