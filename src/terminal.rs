//! Permission prompts on the terminal.

mod question;

use crate::callback::{BoxFuture, Handler, Response};
use crate::permission::{PermissionRequest, visible};
use agentwire_protocol::permission::{
    Allow, CanUseTool, DecisionClassification, Deny, PermissionBehavior, PermissionDestination,
    PermissionResult, PermissionUpdate,
};
use agentwire_protocol::sorted::SortedMap;
pub use question::{Always, TerminalQuestion};
use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Prompts the user on the terminal, one request at a time. Prompts go to
/// standard error; answers are lines of standard input.
///
/// - `y` allows the call.
/// - `a` allows it for the rest of the session. The prompt shows what that
///   includes ([`Always`]): the rules that the agent suggests, which are added
///   to the agent's rules for this session only; or, without suggestions, this
///   tool with this exact input, byte for byte, which the prompter remembers.
///   It is not offered if the agent forbids it (`suppress_always_allow_rule`),
///   nor, without suggested rules, for requests that require a human
///   ([`CanUseTool::requires_human`]).
/// - Anything else denies the call.
///
/// Control characters and hidden characters in the agent's text are escaped
/// ([`visible`]). Of a long input, the beginning and the end are shown.
///
/// Lines typed before a prompt are discarded. A prompt ends when the agent
/// withdraws its request. If standard input or standard error is not a
/// terminal, every request is denied. Questions of the model need
/// [`Options::on_question`](crate::Options::on_question): allowing them here
/// leaves them unanswered.
///
/// After the first prompt, a thread of this process reads standard input until
/// the process exits.
///
/// ```
/// use agentwire::Options;
/// use agentwire::permission::{Policy, ReadOnly};
/// use agentwire::terminal::TerminalPrompter;
///
/// let options = Options::new().permission_handler(ReadOnly.or_ask(TerminalPrompter::new()));
/// # drop(options);
/// ```
#[derive(Clone)]
pub struct TerminalPrompter(Arc<Terminal>);

struct Terminal {
    /// Whether there is a user to prompt.
    has_person: bool,
    /// Locked by the current prompt.
    lines: tokio::sync::Mutex<Lines>,
    /// Tools and inputs that the user allowed for the rest of the session.
    always: Mutex<SortedMap<(String, String), ()>>,
}

/// A text to display to the user.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum TerminalPrompt<'a> {
    /// The prompt.
    Question(&'a TerminalQuestion<'a>),
    /// The agent withdrew the request.
    NoPendingRequest,
    /// The request is denied, because there is no user to prompt.
    Nobody {
        /// The request.
        request: &'a CanUseTool,
    },
}

enum Lines {
    NotReadYet,
    Read(mpsc::UnboundedReceiver<String>),
}

impl TerminalPrompter {
    /// Creates a prompter for the terminal of this process, if it has one.
    #[must_use]
    pub fn new() -> Self {
        Self::with_person(io::stdin().is_terminal() && io::stderr().is_terminal())
    }

    /// Creates a prompter that denies every request, for a program that uses
    /// standard input for something else.
    #[must_use]
    pub fn nobody() -> Self {
        Self::with_person(false)
    }

    fn with_person(has_person: bool) -> Self {
        Self::reading(Lines::NotReadYet, has_person)
    }

    fn reading(lines: Lines, has_person: bool) -> Self {
        Self(Arc::new(Terminal {
            has_person,
            lines: tokio::sync::Mutex::new(lines),
            always: Mutex::default(),
        }))
    }

    /// Prompts the user, and displays with `show`: for programs that draw on
    /// the terminal themselves. Returns `None` if the agent withdrew the
    /// request.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was typed meanwhile is discarded at the next prompt.
    pub async fn put(
        &self,
        ask: &PermissionRequest,
        show: impl FnMut(TerminalPrompt<'_>),
    ) -> Option<PermissionResult> {
        self.put_request(&ask.request, &ask.cancelled, show).await
    }

    async fn put_request(
        &self,
        request: &CanUseTool,
        cancelled: &CancellationToken,
        mut show: impl FnMut(TerminalPrompt<'_>),
    ) -> Option<PermissionResult> {
        if !self.0.has_person {
            show(TerminalPrompt::Nobody { request });
            return Some(nobody());
        }
        let mut lines = tokio::select! {
            lines = self.0.lines.lock() => lines,
            () = cancelled.cancelled() => return None,
        };
        if self.is_always(request) {
            return Some(PermissionResult::allow());
        }
        lines.forget();
        let question = TerminalQuestion::new(request);
        show(TerminalPrompt::Question(&question));
        let line = tokio::select! {
            line = lines.next() => line,
            () = cancelled.cancelled() => {
                show(TerminalPrompt::NoPendingRequest);
                return None;
            }
        };
        let Some(line) = line else {
            return Some(nobody());
        };
        Some(match line.trim().to_lowercase().as_str() {
            "y" | "yes" => PermissionResult::allow(),
            "a" | "always" if *question.always() != Always::No => self.allow_for_good(&question),
            _ => Deny::new("The user denied this call.")
                .decision_classification(DecisionClassification::UserReject)
                .into(),
        })
    }

    fn is_always(&self, request: &CanUseTool) -> bool {
        let always = self.0.always.lock().unwrap_or_else(PoisonError::into_inner);
        always.contains_key(&key(request)) && !request.requires_human()
    }

    fn allow_for_good(&self, question: &TerminalQuestion<'_>) -> PermissionResult {
        let allow = Allow::default().decision_classification(DecisionClassification::UserPermanent);
        let Always::Rules(rules) = question.always() else {
            let mut always = self.0.always.lock().unwrap_or_else(PoisonError::into_inner);
            always.insert(key(question.request()), ());
            return allow.into();
        };
        let update = PermissionUpdate::add_rules(
            rules.clone(),
            PermissionBehavior::Allow,
            PermissionDestination::Session,
        );
        allow.updated_permissions([update]).into()
    }
}

/// A tool and its input, as displayed to the user.
fn key(request: &CanUseTool) -> (String, String) {
    (request.tool_name.clone(), request.input.get().to_owned())
}

impl Default for TerminalPrompter {
    fn default() -> Self {
        Self::new()
    }
}

impl Handler<CanUseTool> for TerminalPrompter {
    fn handle(&self, ask: PermissionRequest) -> BoxFuture<Response<PermissionResult>> {
        let terminal = self.clone();
        Box::pin(async move {
            let answer = terminal.put(&ask, show).await;
            // A withdrawn request gets no response, whatever is returned.
            answer.unwrap_or_else(nobody).into()
        })
    }
}

impl fmt::Debug for TerminalPrompter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalPrompter")
            .field("has_person", &self.0.has_person)
            .finish_non_exhaustive()
    }
}

impl Lines {
    /// Discards what was typed so far.
    fn forget(&mut self) {
        if let Self::Read(lines) = self {
            while lines.try_recv().is_ok() {}
        }
    }

    /// Returns the next line; `None` at the end of the input.
    async fn next(&mut self) -> Option<String> {
        if let Self::NotReadYet = self {
            let (sender, lines) = mpsc::unbounded_channel();
            // Reading a terminal blocks, and cannot be cancelled.
            std::thread::spawn(move || {
                for line in io::stdin().lock().lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
            *self = Self::Read(lines);
        }
        match self {
            Self::Read(lines) => lines.recv().await,
            Self::NotReadYet => None,
        }
    }
}

fn show(showing: TerminalPrompt<'_>) {
    let text = match showing {
        TerminalPrompt::Question(question) => {
            let why = question.reason().map(|why| format!("  {why}\n"));
            format!(
                "{} {}\n{}  {}: ",
                question.title(),
                question.input(),
                why.unwrap_or_default(),
                question.choices()
            )
        }
        TerminalPrompt::NoPendingRequest => "the agent withdrew the request\n".to_owned(),
        TerminalPrompt::Nobody { request } => {
            format!(
                "denied {}: no terminal to prompt on\n",
                visible::line(&request.tool_name)
            )
        }
    };
    let mut stderr = io::stderr().lock();
    // Without standard error there is nothing to display on.
    drop(
        stderr
            .write_all(text.as_bytes())
            .and_then(|()| stderr.flush()),
    );
}

fn nobody() -> PermissionResult {
    PermissionResult::deny("No user is available to allow this call.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentwire_protocol::permission::{DecisionReason, PermissionRule};
    use serde_json::json;

    fn typed() -> (mpsc::UnboundedSender<String>, TerminalPrompter) {
        let (keyboard, lines) = mpsc::unbounded_channel();
        (
            keyboard,
            TerminalPrompter::reading(Lines::Read(lines), true),
        )
    }

    fn bash() -> CanUseTool {
        CanUseTool::new("Bash", json!({"command": "date"}))
    }

    /// Returns the answer when this line is typed after the question is displayed.
    async fn answer(request: &CanUseTool, line: &str) -> PermissionResult {
        let (keyboard, terminal) = typed();
        answer_and_prompts(&terminal, &keyboard, request, line)
            .await
            .0
    }

    async fn answer_and_prompts(
        terminal: &TerminalPrompter,
        keyboard: &mpsc::UnboundedSender<String>,
        request: &CanUseTool,
        line: &str,
    ) -> (PermissionResult, usize) {
        let mut shown = 0;
        let show = |showing: TerminalPrompt<'_>| {
            assert!(
                matches!(showing, TerminalPrompt::Question(_)),
                "{showing:?}"
            );
            shown += 1;
            keyboard.send(line.to_owned()).expect("the terminal reads");
        };
        let never = CancellationToken::new();
        let answer = terminal.put_request(request, &never, show).await;
        (answer.expect("an answer"), shown)
    }

    fn allows(answer: &PermissionResult) -> bool {
        matches!(answer, PermissionResult::Allow(_))
    }

    #[tokio::test]
    async fn yes_allows_and_everything_else_denies() {
        for line in ["y", " Yes "] {
            assert!(allows(&answer(&bash(), line).await), "{line}");
        }
        for line in ["", "n", "yep", "ya", "allow"] {
            assert!(!allows(&answer(&bash(), line).await), "{line}");
        }
    }

    #[tokio::test]
    async fn what_was_typed_before_the_question_is_no_answer() {
        let (keyboard, terminal) = typed();
        keyboard.send("y".to_owned()).expect("the terminal reads");
        let (answer, _) = answer_and_prompts(&terminal, &keyboard, &bash(), "n").await;
        assert!(!allows(&answer));
    }

    #[tokio::test]
    async fn always_adds_what_was_suggested_for_this_session() {
        let suggestion = |behavior, destination| {
            PermissionUpdate::add_rules(
                [PermissionRule::new("Bash").content("date *")],
                behavior,
                destination,
            )
        };
        let mut request = bash();
        request.permission_suggestions = Some(vec![
            suggestion(
                PermissionBehavior::Allow,
                PermissionDestination::LocalSettings,
            ),
            suggestion(PermissionBehavior::Deny, PermissionDestination::Session),
            PermissionUpdate::set_mode(
                agentwire_protocol::permission::PermissionMode::AcceptEdits,
                PermissionDestination::Session,
            ),
        ]);
        let PermissionResult::Allow(allow) = answer(&request, "a").await else {
            panic!("it was allowed");
        };
        assert_eq!(
            allow.updated_permissions,
            Some(vec![suggestion(
                PermissionBehavior::Allow,
                PermissionDestination::Session
            )])
        );
    }

    #[tokio::test]
    async fn always_without_suggested_rules_is_about_this_very_input() {
        let (keyboard, terminal) = typed();
        let mut request = CanUseTool::new("Write", json!({"file_path": "new", "content": "x"}));
        // What the CLI suggests for a file: a mode, in which more would pass.
        request.permission_suggestions = Some(vec![PermissionUpdate::set_mode(
            agentwire_protocol::permission::PermissionMode::AcceptEdits,
            PermissionDestination::Session,
        )]);
        let (answer, shown) = answer_and_prompts(&terminal, &keyboard, &request, "always").await;
        assert_eq!((answer.clone(), shown), (permanent(), 1));
        let (answer, shown) = answer_and_prompts(&terminal, &keyboard, &request, "n").await;
        assert_eq!((allows(&answer), shown), (true, 0));
        for (tool, input) in [
            ("Write", json!({"file_path": ".profile", "content": "x"})),
            ("Write", json!({"file_path": "new", "content": "y"})),
            ("Edit", json!({"file_path": "new", "content": "x"})),
        ] {
            let other = CanUseTool::new(tool, input);
            let (answer, shown) = answer_and_prompts(&terminal, &keyboard, &other, "n").await;
            assert_eq!((allows(&answer), shown), (false, 1));
        }
        request.default_to_no = Some(true);
        let (answer, shown) = answer_and_prompts(&terminal, &keyboard, &request, "n").await;
        assert_eq!((allows(&answer), shown), (false, 1));
    }

    fn permanent() -> PermissionResult {
        let allow = Allow::default();
        allow
            .decision_classification(DecisionClassification::UserPermanent)
            .into()
    }

    #[tokio::test]
    async fn always_is_not_offered_for_what_the_agent_could_not_look_through() {
        let (keyboard, terminal) = typed();
        let mut request = CanUseTool::new("Bash", json!({"command": "cat $X"}));
        request.decision_reason_type = Some(DecisionReason::Other);
        for _ in 0..2 {
            let (answer, shown) = answer_and_prompts(&terminal, &keyboard, &request, "a").await;
            assert_eq!((allows(&answer), shown), (false, 1));
        }
    }

    #[test]
    fn a_question_says_what_always_would_allow() {
        let mut request = bash();
        let choices = |request: &CanUseTool| TerminalQuestion::new(request).choices();
        assert_eq!(
            choices(&request),
            "[y]es, [n]o, [a]lways with this exact input"
        );
        let rules = ["date *", "id\u{1b}[2K\u{202e}"];
        let rules = rules.map(|content| PermissionRule::new("Bash").content(content));
        request.permission_suggestions = Some(vec![PermissionUpdate::add_rules(
            rules,
            PermissionBehavior::Allow,
            PermissionDestination::LocalSettings,
        )]);
        assert_eq!(
            choices(&request),
            r"[y]es, [n]o, [a]lways Bash(date *), Bash(id\u{1b}[2K\u{202e})"
        );
        request.suppress_always_allow_rule = Some(true);
        assert_eq!(choices(&request), "[y]es, [n]o");
    }

    #[test]
    fn nothing_in_a_question_is_obeyed_or_hidden() {
        let odd = "\u{1b}[2K\r\u{9b}1A\u{202e}\u{200b}\u{e0041}\u{61c}\n";
        let mut request = CanUseTool::new(odd, json!({"command": odd.repeat(10_000)}));
        request.decision_reason = Some(odd.to_owned());
        let question = TerminalQuestion::new(&request);
        let shown = [
            question.title(),
            question.input(),
            question.reason().unwrap_or_default(),
        ];
        for text in shown {
            assert!(!text.contains(visible::is_hidden), "{text}");
            assert!(text.chars().count() < 50_000);
        }
        request.title = Some(odd.to_owned());
        assert!(
            !TerminalQuestion::new(&request)
                .title()
                .contains(visible::is_hidden)
        );
    }

    #[tokio::test]
    async fn always_is_no_answer_where_it_is_not_offered() {
        let mut request = bash();
        request.suppress_always_allow_rule = Some(true);
        assert!(!allows(&answer(&request, "a").await));
    }

    #[tokio::test]
    async fn a_question_that_is_taken_back_is_not_waited_for() {
        let (_keyboard, terminal) = typed();
        let cancelled = CancellationToken::new();
        let mut shown = Vec::new();
        let show = |showing: TerminalPrompt<'_>| {
            shown.push(matches!(showing, TerminalPrompt::NoPendingRequest));
            cancelled.cancel();
        };
        let request = bash();
        let answer = terminal.put_request(&request, &cancelled, show).await;
        assert_eq!((answer, shown), (None, vec![false, true]));
    }

    #[tokio::test]
    async fn where_nobody_is_it_is_denied() {
        let terminal = TerminalPrompter::nobody();
        let mut was_said = false;
        let show = |showing: TerminalPrompt<'_>| {
            was_said = matches!(showing, TerminalPrompt::Nobody { .. });
        };
        let request = bash();
        let never = CancellationToken::new();
        let answer = terminal.put_request(&request, &never, show).await;
        assert!(was_said && !allows(&answer.expect("an answer")));

        // The end of the input is nobody as well.
        let (keyboard, terminal) = typed();
        drop(keyboard);
        let answer = terminal.put_request(&request, &never, |_| ()).await;
        assert!(!allows(&answer.expect("an answer")));
    }
}
