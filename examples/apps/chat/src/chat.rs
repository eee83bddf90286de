//! The state of the chat, and the effect of events and keys on it.

use crate::dialog::{Dialog, Outcome};
use crate::transcript::{From, Transcript};
use agentwire::event::{PendingRequest, RequestKind};
use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::protocol::message::{AssistantMessage, Priority, UserMessage};
use agentwire::{
    Event, Handle, Message, SessionUpdate, Submission, SubmissionState, TurnEnd, TurnEvent,
    TurnOutcome,
};
use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use std::collections::VecDeque;
use tokio::sync::mpsc::UnboundedSender;
use tui_input::Input;
use tui_input::backend::crossterm::EventHandler;

const HELP: &str = "Enter sends. While a turn runs, Tab chooses when the message is read: \
    next joins the turn, later waits for its end, now interrupts it. Esc withdraws the last \
    queued message. Ctrl-C interrupts the turn, and ends the chat when there is none. \
    Page Up and Page Down scroll. /model NAME changes the model, /quit ends the chat.";

pub struct Chat {
    session: Handle,
    /// The channel to which tasks send notes.
    notes: UnboundedSender<String>,
    pub transcript: Transcript,
    /// The number of lines that the user has scrolled up.
    pub scrolled: usize,
    /// Messages that no turn has picked up.
    queue: Vec<(String, Priority, Submission)>,
    /// Requests that wait for the user. The first one is shown.
    dialogs: VecDeque<Dialog>,
    /// The text that the user types.
    pub input: Input,
    /// The text that the user was typing when a dialog was opened.
    draft: Option<Input>,
    pub priority: Priority,
    pub model: String,
    pub cost_usd: f64,
    pub is_running: bool,
    is_interrupted: bool,
    is_over: bool,
    session_id: Option<String>,
}

impl Chat {
    pub fn new(session: Handle, notes: UnboundedSender<String>) -> Self {
        let mut chat = Self {
            session,
            notes,
            transcript: Transcript::default(),
            scrolled: 0,
            queue: vec![],
            dialogs: VecDeque::new(),
            input: Input::default(),
            draft: None,
            priority: Priority::Next,
            model: String::new(),
            cost_usd: 0.0,
            is_running: false,
            is_interrupted: false,
            is_over: false,
            session_id: None,
        };
        chat.note("/help lists the keys.");
        chat
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    pub fn dialog(&self) -> Option<&Dialog> {
        self.dialogs.front()
    }

    /// Returns the queued messages with their priorities and delivery status.
    pub fn queue(&self) -> impl Iterator<Item = (&str, &Priority, SubmissionState)> {
        let queue = self.queue.iter();
        queue.map(|(text, priority, it)| (text.as_str(), priority, it.state()))
    }

    pub fn note(&mut self, text: &str) {
        self.transcript.push(From::Chat, text);
    }

    // Events of the agent

    pub fn event(&mut self, event: Event) {
        match event {
            Event::Frame(frame) => self.message(frame.message()),
            Event::Turn(TurnEvent::Started { .. }) => self.is_running = true,
            Event::Turn(TurnEvent::PickedUp { uuid, .. }) => self.picked_up(&uuid),
            Event::Turn(TurnEvent::Ended(end)) => self.turn_ended(&end),
            Event::Session(SessionUpdate::Began(init) | SessionUpdate::Changed(init)) => {
                self.session_id = init.session_id;
                self.model = init.model.unwrap_or_default();
            }
            Event::Session(SessionUpdate::Renumbered { session_id, .. }) => {
                self.session_id = Some(session_id);
            }
            Event::Request(pending) => self.request(pending),
            Event::RequestWithdrawn { request_id } => {
                self.dialogs.retain(|it| it.id != request_id);
                self.restore_draft();
            }
            Event::Notice(notice) => self.note(&notice.to_string()),
            _ => {}
        }
        self.queue.retain(|(_, _, it)| !is_dropped(it.state()));
    }

    /// Messages of the main conversation; those of sub-agents are not shown.
    fn message(&mut self, message: Message) {
        if let Some(text) = message.text_delta() {
            self.transcript.stream(text);
            return;
        }
        match message {
            Message::Assistant(said) if said.parent_tool_use_id.is_none() => self.blocks(said),
            Message::User(said) if said.parent_tool_use_id.is_none() => {
                for result in said.tool_results() {
                    let text = result
                        .content
                        .as_ref()
                        .map_or_else(String::new, Content::text);
                    self.transcript
                        .push(From::Tool, &format!("  {}", beginning(&text)));
                }
            }
            _ => {}
        }
    }

    fn blocks(&mut self, said: AssistantMessage) {
        // The result of the turn also has the error.
        if said.error.is_some() {
            return;
        }
        for block in said.message.content {
            match block {
                // Some texts come in one piece, such as the output of `/cost`.
                ContentBlock::Text(block) if !self.transcript.end() => {
                    self.transcript.push(From::Agent, &block.text);
                }
                ContentBlock::ToolUse(call) => {
                    let call = format!("{} {}", call.name, beginning(call.input.get()));
                    self.transcript.push(From::Tool, &call);
                }
                _ => {}
            }
        }
    }

    fn picked_up(&mut self, uuid: &str) {
        let is_it = |(_, _, submission): &(_, _, Submission)| submission.uuid() == uuid;
        if let Some(at) = self.queue.iter().position(is_it) {
            let (text, ..) = self.queue.remove(at);
            self.transcript.push(From::User, &format!("> {text}"));
        }
    }

    fn turn_ended(&mut self, end: &TurnEnd) {
        self.is_running = false;
        self.is_interrupted = false;
        let Some(result) = end.result() else { return };
        self.cost_usd = result.cost_usd().unwrap_or(self.cost_usd);
        match (end.outcome, result.error_text()) {
            (TurnOutcome::Interrupted | TurnOutcome::Preempted, _) => {
                self.note(&end.outcome.to_string());
            }
            (_, Some(error)) => self.note(&error),
            (_, None) => {}
        }
    }

    fn request(&mut self, pending: PendingRequest) {
        match pending.request {
            RequestKind::Permission(request) => {
                // A text that was typed before the dialog is not an answer to it.
                if self.dialogs.is_empty() {
                    self.draft = Some(std::mem::take(&mut self.input));
                }
                self.dialogs
                    .push_back(Dialog::new(pending.request_id, request));
            }
            _ => {
                let decline = McpElicitationResult::decline();
                drop(self.session.respond(&pending.request_id, decline));
                self.note("declined a form of an MCP server: this chat has no forms");
            }
        }
    }

    // Keys of the user

    pub fn terminal_event(&mut self, event: &TerminalEvent) {
        match event {
            TerminalEvent::Key(key) if key.is_press() => self.key(key, event),
            _ => {}
        }
    }

    fn key(&mut self, key: &KeyEvent, event: &TerminalEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => self.interrupt(),
            KeyCode::Enter => {
                let line = self.input.value_and_reset();
                self.line(&line);
            }
            KeyCode::Tab => self.priority = after(&self.priority),
            KeyCode::Esc => self.withdraw(),
            KeyCode::PageUp => self.scrolled += 10,
            KeyCode::PageDown => self.scrolled = self.scrolled.saturating_sub(10),
            _ => drop(self.input.handle_event(event)),
        }
    }

    /// Interrupts the turn; without one, or the second time, ends the chat.
    fn interrupt(&mut self) {
        if self.is_running && !self.is_interrupted {
            self.is_interrupted = true;
            drop(self.session.interrupt());
        } else {
            self.is_over = true;
        }
    }

    fn line(&mut self, line: &str) {
        self.scrolled = 0;
        if !self.dialogs.is_empty() {
            self.answer(line);
            return;
        }
        match line.trim().split_once(' ').unwrap_or((line.trim(), "")) {
            ("", _) => {}
            ("/help", _) => self.note(HELP),
            ("/quit", _) => self.is_over = true,
            ("/model", model) if !model.is_empty() => self.set_model(model.trim().to_owned()),
            // The agent handles other commands.
            _ => self.send(line),
        }
    }

    fn send(&mut self, line: &str) {
        let priority = std::mem::replace(&mut self.priority, Priority::Next);
        let message = UserMessage::text(line).priority(priority.clone());
        let submission = self.session.send(message);
        self.queue.push((line.to_owned(), priority, submission));
    }

    fn answer(&mut self, line: &str) {
        let Some(dialog) = self.dialogs.front_mut() else {
            return;
        };
        let title = dialog.text().0;
        if let Outcome::Respond(result, how) = dialog.answer(line) {
            // If the agent has withdrawn the request, this has no effect.
            drop(self.session.respond(&dialog.id, result));
            self.dialogs.pop_front();
            self.note(&format!("{title} {how}"));
            self.restore_draft();
        }
    }

    fn restore_draft(&mut self) {
        if self.dialogs.is_empty()
            && let Some(draft) = self.draft.take()
        {
            self.input = draft;
        }
    }

    fn set_model(&mut self, model: String) {
        let answer = self.session.set_model(&model);
        let notes = self.notes.clone();
        tokio::spawn(async move {
            let note = match answer.await {
                Ok(_) => format!("the model is {model}"),
                Err(error) => error.to_string(),
            };
            // Sending fails only after the end of the chat.
            drop(notes.send(note));
        });
    }

    fn withdraw(&mut self) {
        if let Some((_, _, submission)) = self.queue.last() {
            drop(submission.cancel());
        }
    }
}

/// Returns whether no turn will pick the message up. The event of a completed message may
/// still be pending.
fn is_dropped(state: SubmissionState) -> bool {
    use SubmissionState::{Cancelled, Lost, Refused, Withdrawn};
    matches!(state, Withdrawn | Cancelled | Refused | Lost)
}

/// Returns the priority after this one, for the Tab key.
fn after(priority: &Priority) -> Priority {
    match priority {
        Priority::Next => Priority::Later,
        Priority::Later => Priority::Now,
        _ => Priority::Next,
    }
}

/// Returns the first line of a text, and the number of further lines.
fn beginning(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    match lines.count() {
        0 => first.to_owned(),
        more => format!("{first} (and {more} more lines)"),
    }
}
