//! The faults, and the expected outcome of each.

use crate::BEFORE;
use crate::support::{LONG, hasty, patient};
use agentwire::{ClosePolicy, Options};
use agentwire_testkit::{Child, Fault, LineFault, Signal};
use std::time::Duration;

/// A session with a fault.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The faults at the start of the agent.
    pub(crate) startup: Vec<Fault>,
    /// The faults in the middle of a reply.
    pub(crate) faults: Vec<Fault>,
    pub(crate) options: fn(Options) -> Options,
    /// Whether requests are not answered, so that they need a short deadline.
    pub(crate) is_hurried: bool,
    /// Whether the agent becomes silent, so that only a deadline of the user ends the
    /// turn.
    pub(crate) is_silent: bool,
    /// Whether the host sends many messages after the fault.
    pub(crate) is_flooded: bool,
    /// The additional events for the user.
    pub(crate) sees: Vec<String>,
    /// The outcome of the session.
    pub(crate) outcome: &'static str,
}

impl Row {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            startup: vec![],
            faults: vec![],
            options: |options| options,
            is_hurried: false,
            is_silent: false,
            is_flooded: false,
            sees: vec![],
            outcome: "goes on",
        }
    }

    fn with_startup_faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.startup.extend(faults);
        self
    }

    fn with_faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.faults.extend(faults);
        self
    }

    fn with_options(mut self, options: fn(Options) -> Options) -> Self {
        self.options = options;
        self
    }

    fn with_short_deadline(self) -> Self {
        Self {
            is_hurried: true,
            ..self
        }
    }

    fn silent(self) -> Self {
        Self {
            is_silent: true,
            ..self.with_short_deadline()
        }
    }

    fn flooded(self) -> Self {
        Self {
            is_flooded: true,
            ..self.silent()
        }
    }

    fn sees<const N: usize>(mut self, sees: [&str; N]) -> Self {
        self.sees.extend(sees.map(str::to_owned));
        self
    }

    /// Expects that the agent exits in the middle of the turn, in this way.
    fn ends(self, how: &str) -> Self {
        let end = format!("the agent CLI exited unexpectedly ({how})");
        self.sees([LOST, &end]).with_outcome("ends")
    }

    /// Expects that the session does not start, for this reason.
    fn refused(self, why: &str) -> Self {
        self.sees([why]).with_outcome("does not begin")
    }

    fn with_outcome(mut self, outcome: &'static str) -> Self {
        self.outcome = outcome;
        self
    }

    /// Returns how the session is closed. If the agent does not react, the timeouts are
    /// short. Only an agent that ignores SIGTERM must be killed.
    pub(crate) fn close_policy(&self) -> ClosePolicy {
        let short = Duration::from_millis(500);
        match (self.is_hurried, self.outcome.contains("killed")) {
            (false, _) => patient(),
            (true, false) => hasty().finish(short).terminate(LONG),
            (true, true) => hasty().finish(short),
        }
    }
}

/// The outcome of a prompt that the agent has not completed.
const LOST: &str = "notice: the session ended before the agent finished message …";

/// The outcome of a start that exceeds its deadline.
pub(crate) const TOO_SLOW: &str = "the agent CLI did not start up: the agent did not answer `initialize` \
                        within its deadline (`Options::request_timeout`)";

/// The outcome of a request without a response.
const UNANSWERED: &str = "the agent did not answer `set_model` within its deadline; agents \
                          up to 2.0.77 ignore unknown requests";

fn line(name: &'static str, line: LineFault) -> Row {
    Row::new(name).with_faults([Fault::Line(line)])
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = bytes();
    rows.extend(lines());
    rows.extend(ends());
    rows.extend(pipes());
    rows
}

/// Faults in the delivery of bytes.
fn bytes() -> Vec<Row> {
    vec![
        Row::new("one byte at a time").with_startup_faults([Fault::Chunked(1)]),
        Row::new("seven bytes at a time").with_startup_faults([Fault::Chunked(7)]),
        Row::new("CRLF").with_startup_faults([Fault::Crlf]),
        Row::new("CRLF, three bytes at a time")
            .with_startup_faults([Fault::Crlf, Fault::Chunked(3)]),
        Row::new("1000 deep")
            .with_faults([Fault::Nested(1000)])
            .sees(["call: Read {\"dee… (2020 bytes)"]),
        Row::new("100 000 deep")
            .with_faults([Fault::Nested(100_000)])
            .sees(["call: Read {\"dee… (200020 bytes)"]),
        Row::new("a line of 5 MiB")
            .with_faults([Fault::HugeMib(5)])
            .sees(["text: xxxxxxxxxx… (5242886 bytes)"]),
        Row::new("a line above the limit")
            .with_faults([Fault::HugeMib(2)])
            .with_options(|options| options.line_limit(1024 * 1024))
            .sees(["notice: a `assistant` line of 2097469 bytes exceeds the line limit and…"]),
    ]
}

/// Faults in the content of a line.
fn lines() -> Vec<Row> {
    vec![
        line("noise", LineFault::Noise)
            .sees(["notice: the line is not a JSON object: an object expected at byte 0: \"…"]),
        line("an empty line", LineFault::Empty),
        line("JSON that is no object", LineFault::NoObject)
            .sees(["notice: the line is not a JSON object: an object expected at byte 0: \"…"]),
        line("an object without a type", LineFault::NoType).sees([
            "notice: the line is a JSON object without a `type`: \"{\\\"uuid\\\":\\\"00000…",
        ]),
        line("half a line, and another", LineFault::Half)
            .sees(["notice: the line is not a JSON object: `:` expected at byte 173: \"{\\\"t…"]),
        line("invalid UTF-8", LineFault::InvalidUtf8)
            .sees(["fault: `.` is invalid: invalid UTF-8"]),
        line("a lone surrogate", LineFault::LoneSurrogate).sees(["text: Alone: �."]),
        line("U+2028 and its kin", LineFault::LineSeparators)
            .sees(["text: One\\u{2028}two\\u{2029}three\\u{85}four."]),
        line("missing fields", LineFault::MissingFields).sees([
            "fault: `message` is invalid: missing field `message`",
            "fault: `message` is invalid: missing field `message`",
            "fault: `event` is invalid: missing field `event`",
        ]),
        line("a member twice", LineFault::MemberTwice).sees(["text: The second."]),
        line("the same message twice", LineFault::MessageAgain).sees([BEFORE]),
        line("the same answer twice", LineFault::AnswerAgain)
            .sees(["notice: unexpected response: no pending request with id `…`"]),
        line("an answer that nobody asked for", LineFault::StrayAnswer)
            .sees(["notice: unexpected response: no pending request with id `nobody asked`"]),
        line("two requests with one id", LineFault::SameRequestId)
            .sees(["notice: `Bash` was denied: no callback is set; set `Options::on_permis…"]),
        line("a request without an id", LineFault::RequestWithoutId)
            .sees(["notice: a `control_request/can_use_tool` without a request_id, which c…"]),
        line("an unknown request", LineFault::UnknownRequest)
            .sees(["notice: cannot handle the agent's request `unknown_request`: this host…"]),
        line("an unknown type", LineFault::UnknownType)
            .sees(["a `unknown_type` message that has all that came"]),
        line("an unknown subtype", LineFault::UnknownSubtype)
            .sees(["a `system` message that has all that came"]),
        line("an unknown stream event", LineFault::UnknownEvent)
            .sees(["a `stream_event` message that has all that came"]),
        line("unknown fields", LineFault::UnknownField)
            .sees(["a `assistant` message that has all that came"]),
        line("an unknown value", LineFault::UnknownValue)
            .sees(["a `system` message that has all that came"]),
        line("an unknown block", LineFault::UnknownBlock)
            .sees(["a `assistant` message that has all that came"]),
    ]
}

/// Faults that end the process, or prevent its end.
fn ends() -> Vec<Row> {
    let signal = |signal| [Fault::Signal(signal)];
    vec![
        Row::new("exit 0 at the start")
            .with_startup_faults([Fault::Exit(0)])
            .refused("the agent CLI exited before its first turn (exit status: 0)"),
        Row::new("exit 3 at the start")
            .with_startup_faults([Fault::Stderr("no licence\n".into()), Fault::Exit(3)])
            .refused(
                "the agent CLI exited before its first turn (exit status: 3); \
 its standard error ends with:\\u{a}no licence",
            ),
        Row::new("dies at the start")
            .with_startup_faults(signal(Signal::Segv))
            .refused("the agent CLI exited before its first turn (signal: 11 (SIGSEGV))"),
        Row::new("a slow start").with_startup_faults([Fault::FreezeMs(300)]),
        Row::new("a start slower than its deadline")
            .with_startup_faults([Fault::FreezeMs(60_000)])
            .with_short_deadline()
            .refused(TOO_SLOW),
        Row::new("hangs at the start")
            .with_startup_faults([Fault::Hang])
            .with_short_deadline()
            .refused(TOO_SLOW),
        Row::new("exit 0")
            .with_faults([Fault::Exit(0)])
            .ends("exit status: 0"),
        Row::new("exit 3")
            .with_faults([Fault::Exit(3)])
            .ends("exit status: 3"),
        Row::new("dies by SIGKILL")
            .with_faults(signal(Signal::Kill))
            .ends("signal: 9 (SIGKILL)"),
        Row::new("dies by SIGTERM")
            .with_faults(signal(Signal::Term))
            .ends("signal: 15 (SIGTERM)"),
        Row::new("dies by SIGSEGV")
            .with_faults(signal(Signal::Segv))
            .ends("signal: 11 (SIGSEGV)"),
        Row::new("dies by SIGABRT")
            .with_faults(signal(Signal::Abrt))
            .ends("signal: 6 (SIGABRT)"),
        Row::new("exit in the middle of a line")
            .with_faults([Fault::Line(LineFault::Half), Fault::Exit(3)])
            .sees([
                "notice: the output ended in the middle of a line: \"{\\\"type\\\":\\\"assista…",
            ])
            .ends("exit status: 3"),
        Row::new("dies in the middle of a line")
            .with_faults([Fault::Line(LineFault::Half), Fault::Signal(Signal::Kill)])
            .sees([
                "notice: the output ended in the middle of a line: \"{\\\"type\\\":\\\"assista…",
            ])
            .ends("signal: 9 (SIGKILL)"),
        Row::new("hangs")
            .with_faults([Fault::Hang])
            .silent()
            .sees([UNANSWERED])
            .with_outcome("ends, then terminated"),
        Row::new("hangs, and ignores SIGTERM")
            .with_faults([Fault::IgnoreSigterm, Fault::Hang])
            .silent()
            .sees([UNANSWERED])
            .with_outcome("ends, then killed"),
        Row::new("ignores SIGTERM").with_faults([Fault::IgnoreSigterm]),
    ]
}

/// Faults of the pipes.
fn pipes() -> Vec<Row> {
    let child = |belongs| [Fault::LeaveChild(belongs)];
    vec![
        Row::new("a grandchild holds the pipes")
            .with_faults(child(Child::InSession))
            .with_outcome("goes on, with what it left"),
        Row::new("a grandchild in a session of its own holds them")
            .with_faults(child(Child::InOwnSession))
            .with_outcome("goes on, with what it left"),
        Row::new("exit 3, and a grandchild holds the pipes")
            .with_faults(child(Child::InSession))
            .with_faults([Fault::Exit(3)])
            .ends("exit status: 3")
            .with_outcome("ends, with what it left"),
        Row::new("exit 3, and a grandchild in a session of its own holds them")
            .with_faults(child(Child::InOwnSession))
            .with_faults([Fault::Exit(3)])
            .ends("exit status: 3")
            .with_outcome("ends, with what it left"),
        Row::new("stdin is not read, and 4 MiB are sent")
            .with_faults([Fault::LeaveStdin])
            .flooded()
            .sees([UNANSWERED])
            .with_outcome("ends, then terminated"),
        Row::new("nothing is read or said, and 4 MiB are sent")
            .with_faults([Fault::LeaveStdin, Fault::Hang])
            .flooded()
            .sees([UNANSWERED])
            .with_outcome("ends, then terminated"),
        Row::new("4 MiB on stderr").with_faults([Fault::FloodStderrKib(4096)]),
        Row::new("stderr is closed").with_faults([Fault::CloseStderr]),
        Row::new("stdout is closed, and it lives on")
            .with_faults([Fault::CloseStdout])
            .sees([LOST, "the agent CLI closed its output (exit status: 0)"])
            .with_outcome("ends"),
    ]
}
