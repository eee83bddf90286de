//! The state of the chat, and the effect of events and keys on it.

use crate::dialog::Dialog;
use agentwire::event::RequestKind;
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::protocol::message::{Priority, UserMessage};
use agentwire::protocol::permission::CanUseTool;
use agentwire::view::entry::{Activity, Delivery};
use agentwire::view::{Body, Input as ViewInput, View};
use agentwire::{Event, Handle, TurnEvent};
use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
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
    pub view: View,
    /// The last message of the chat itself.
    pub note: String,
    /// The number of lines that the user has scrolled up.
    pub scrolled: usize,
    /// The answers to the first questions of the dialog.
    pub answers: Vec<String>,
    /// The text that the user types.
    pub input: Input,
    /// The text that the user was typing when a dialog was opened.
    draft: Input,
    pub priority: Priority,
    is_interrupted: bool,
    is_over: bool,
}

impl Chat {
    pub fn new(session: Handle, notes: UnboundedSender<String>) -> Self {
        Self {
            session,
            notes,
            view: View::new(),
            note: "/help lists the keys.".to_owned(),
            scrolled: 0,
            answers: vec![],
            input: Input::default(),
            draft: Input::default(),
            priority: Priority::Next,
            is_interrupted: false,
            is_over: false,
        }
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn is_running(&self) -> bool {
        let activity = self.view.session().activity;
        matches!(activity, Activity::Running | Activity::RequiresAction)
    }

    pub fn session_id(&self) -> Option<&str> {
        self.view.session().session_id.as_deref()
    }

    pub fn dialog(&self) -> Option<Dialog<'_>> {
        Dialog::first(&self.view)
    }

    /// Returns the cost of the session so far, in US dollars.
    pub fn cost_usd(&self) -> f64 {
        let costs = self.view.entries().rev().filter_map(|it| match &it.body {
            Body::TurnEnd(end) => end.session_cost_usd.as_ref()?.parse().ok(),
            _ => None,
        });
        { costs }.next().unwrap_or_default()
    }

    // Events of the agent

    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Turn(TurnEvent::Ended(_)) => self.is_interrupted = false,
            Event::Request(pending) => {
                if let RequestKind::Elicitation(_) = pending.request {
                    let decline = McpElicitationResult::decline();
                    drop(self.session.respond(&pending.request_id, decline));
                    "declined a form of an MCP server: this chat has no forms"
                        .clone_into(&mut self.note);
                    return;
                }
            }
            _ => {}
        }
        let asked = |chat: &Self| chat.dialog().map(|it| it.id.to_owned());
        let before = asked(self);
        self.view.push(event);
        let after = asked(self);
        if before == after {
            return;
        }
        // A text that was typed before a dialog is not an answer to it.
        self.answers.clear();
        match (before, after) {
            (None, _) => self.draft = std::mem::take(&mut self.input),
            (_, None) => self.input = std::mem::take(&mut self.draft),
            _ => self.input.reset(),
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
            KeyCode::Tab => self.priority = next_priority(&self.priority),
            KeyCode::Esc => self.withdraw(),
            KeyCode::PageUp => self.scrolled += 10,
            KeyCode::PageDown => self.scrolled = self.scrolled.saturating_sub(10),
            _ => drop(self.input.handle_event(event)),
        }
    }

    /// Interrupts the turn; without one, or the second time, ends the chat.
    fn interrupt(&mut self) {
        if self.is_running() && !self.is_interrupted {
            self.is_interrupted = true;
            drop(self.session.interrupt());
        } else {
            self.is_over = true;
        }
    }

    fn line(&mut self, line: &str) {
        self.scrolled = 0;
        self.note.clear();
        if let Some(dialog) = Dialog::first(&self.view) {
            // The agent may have withdrawn the request.
            if let Some(request) = request(&self.session, dialog.id)
                && let Some(result) = dialog.answer(&request, &mut self.answers, line)
            {
                drop(self.session.respond(dialog.id, result));
            }
            return;
        }
        match line.trim().split_once(' ').unwrap_or((line.trim(), "")) {
            ("", _) => {}
            ("/help", _) => HELP.clone_into(&mut self.note),
            ("/quit", _) => self.is_over = true,
            ("/model", model) if !model.is_empty() => self.set_model(model.trim().to_owned()),
            // The agent handles other commands.
            _ => self.send(line),
        }
    }

    fn send(&mut self, line: &str) {
        let priority = std::mem::replace(&mut self.priority, Priority::Next);
        let message = UserMessage::text(line).priority(priority);
        let submission = self.session.send(message.clone());
        let (uuid, message) = (submission.uuid(), &message);
        self.view.push(ViewInput::Sent { uuid, message });
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

    /// Withdraws the last prompt that no turn has picked up.
    fn withdraw(&mut self) {
        let last = self.view.entries().rev().find(|it| match &it.body {
            Body::Prompt(prompt) => matches!(prompt.delivery, Delivery::Sent | Delivery::Queued),
            _ => false,
        });
        if let Some(prompt) = last {
            drop(self.session.cancel_message(&prompt.id));
        }
    }
}

/// Returns the pending permission request with this ID.
fn request(session: &Handle, id: &str) -> Option<Box<CanUseTool>> {
    let mut pending = session.pending_requests().into_iter();
    match pending.find(|it| &*it.request_id == id)?.request {
        RequestKind::Permission(request) => Some(request),
        _ => None,
    }
}

/// Returns the priority after this one, for the Tab key.
fn next_priority(priority: &Priority) -> Priority {
    match priority {
        Priority::Next => Priority::Later,
        Priority::Later => Priority::Now,
        _ => Priority::Next,
    }
}
