//! An open thread.

use crate::codex::{Codex, CodexError, answered};
use crate::driver::TurnOutcome as Outcome;
use crate::machine::{Priority, RequestError, Submission, SubmissionError, TurnEnd, TurnOutcome};
use crate::options::Prompt;
use crate::wire::{
    ApprovalPolicy, Item, ItemEntry, SandboxMode, SandboxPolicy, ThreadItemsList, ThreadOpened,
    ThreadRevert, ThreadSettingsUpdate, ThreadStart, TokenUsage, Turn as WireTurn, TurnError,
};
use serde_json::Value;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use uuid::Uuid;

/// An open thread of Codex. Handles are cheap clones.
#[derive(Debug, Clone)]
pub struct Thread {
    codex: Codex,
    id: Box<str>,
    opened: std::sync::Arc<ThreadOpened>,
    differences: std::sync::Arc<[String]>,
}

impl Thread {
    pub(crate) fn new(
        codex: Codex,
        opened: ThreadOpened,
        wanted: &ThreadStart,
        effort: Option<&str>,
    ) -> Self {
        Self {
            codex,
            id: opened.thread.id.clone().into(),
            differences: differences(&opened, wanted, effort).into(),
            opened: opened.into(),
        }
    }

    /// Returns the ID, which [`Codex::resume`] takes.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the process of the thread.
    #[must_use]
    pub fn codex(&self) -> &Codex {
        &self.codex
    }

    /// Returns the response that opened the thread, with its settings.
    #[must_use]
    pub fn opened(&self) -> &ThreadOpened {
        &self.opened
    }

    /// Returns a text for each option that Codex did not apply: model, effort, directory, approval
    /// policy, sandbox. Check this after [`Codex::resume`] and [`Codex::fork`]. Settings that were
    /// not in the options are in [`opened`](Self::opened).
    #[must_use]
    pub fn differences(&self) -> &[String] {
        &self.differences
    }

    /// Sends a message, in the order of the calls and priorities. Returns a future for the end of
    /// its turn. Dropping the future does not withdraw the message.
    ///
    /// A message with the priority `later` starts a turn when the thread is idle.
    pub fn send(&self, prompt: impl Into<Prompt>) -> Turn {
        self.send_as(&Uuid::new_v4().to_string(), prompt.into())
    }

    /// Sends a message with this ID.
    pub(crate) fn send_as(&self, id: &str, prompt: Prompt) -> Turn {
        let id: Box<str> = id.into();
        let mut turn = serde_json::to_value(&prompt.turn).unwrap_or_default();
        let input = turn["input"].take();
        if let Value::Object(members) = &mut turn {
            for name in ["input", "threadId", "clientUserMessageId"] {
                members.remove(name);
            }
        }
        let submission = Submission {
            id: id.clone(),
            priority: prompt.priority,
            input,
            options: turn,
        };
        let end = self.codex.link().submit(&self.id, submission);
        let thread = self.clone();
        Turn { thread, id, end }
    }

    /// Sends a message to the running turn, or starts a turn: [`send`](Self::send) with
    /// [`Priority::Next`].
    ///
    /// Codex cuts off its current text. While a command runs, the message waits for the end of the
    /// command. If the turn is interrupted before it has read the message, Codex discards it, and
    /// it is sent again as the next turn.
    pub fn steer(&self, prompt: impl Into<Prompt>) -> Turn {
        self.send(prompt.into().priority(Priority::Next))
    }

    /// Interrupts the turn. Returns the end of the turn, which may have completed in the meantime;
    /// `None` if no turn is running. Queued messages are sent afterwards.
    ///
    /// Codex refuses to interrupt a turn that it has not started yet, so this waits until it can.
    /// Commands that are still running after the turn are terminated.
    ///
    /// # Cancel safety
    ///
    /// The turn is interrupted even if the future is dropped.
    ///
    /// # Errors
    ///
    /// If Codex refuses it or does not respond in time.
    pub fn interrupt(
        &self,
    ) -> impl Future<Output = Result<Option<TurnEnd>, CodexError>> + Send + use<> {
        let interrupted = self.codex.link().interrupt(&self.id);
        async move { answered("turn/interrupt", interrupted.await) }
    }

    /// Withdraws all queued messages.
    pub fn withdraw_all(&self) {
        self.codex.link().withdraw_all(&self.id);
    }

    /// Starts a compaction of the conversation, a turn of its own. Messages wait until it is over.
    ///
    /// # Errors
    ///
    /// If Codex refuses it, such as during a turn.
    pub async fn compact(&self) -> Result<(), CodexError> {
        let started = self.codex.link().compact(&self.id);
        answered("thread/compact/start", started.await).map(|_| ())
    }

    /// Changes settings of later turns.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn set(
        &self,
        change: impl FnOnce(&mut ThreadSettingsUpdate),
    ) -> Result<(), CodexError> {
        let mut settings = ThreadSettingsUpdate::default();
        change(&mut settings);
        self.id().clone_into(&mut settings.thread_id);
        self.codex.request(&settings).await.map(|_| ())
    }

    /// Removes a turn and all later ones from the history. Files are not changed.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn revert(&self, turn_id: &str) -> Result<(), CodexError> {
        let params = ThreadRevert {
            thread_id: self.id().to_owned(),
            before_turn_id: turn_id.to_owned(),
            ..ThreadRevert::default()
        };
        self.codex.request(&params).await.map(|_| ())
    }

    /// Returns all stored items, the oldest first. Codex stores completed items only, so text that
    /// was cut off is missing.
    ///
    /// # Errors
    ///
    /// If Codex refuses it, such as before the first turn.
    pub async fn items(&self) -> Result<Vec<ItemEntry>, CodexError> {
        let mut items = Vec::new();
        let mut list = ThreadItemsList {
            thread_id: self.id().to_owned(),
            ..ThreadItemsList::default()
        };
        loop {
            let page = self.codex.request(&list).await?;
            items.extend(page.data);
            // A cursor that does not move would have no end.
            if page.next_cursor.is_none() || page.next_cursor == list.cursor {
                return Ok(items);
            }
            list.cursor = page.next_cursor;
        }
    }

    /// Returns the tokens of the last response of the model and of the thread, as Codex last
    /// reported them.
    #[must_use]
    pub fn usage(&self) -> Option<TokenUsage> {
        self.codex.link().usage(&self.id)?.read().ok()
    }
}

/// Returns the differences between the options and the settings of the thread.
fn differences(opened: &ThreadOpened, wanted: &ThreadStart, effort: Option<&str>) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |name: &str, wanted: Option<String>, is: String| {
        if let Some(wanted) = wanted
            && wanted != is
        {
            differences.push(format!("{name} is {is} and not {wanted}"));
        }
    };
    let json = |policy: &ApprovalPolicy| serde_json::to_string(policy).unwrap_or_default();
    compare("the model", wanted.model.clone(), opened.model.clone());
    compare(
        "the effort",
        effort.map(str::to_owned),
        opened.reasoning_effort.clone().unwrap_or_default(),
    );
    compare("the directory", wanted.cwd.clone(), opened.cwd.clone());
    compare(
        "the approval policy",
        wanted.approval_policy.as_ref().map(json),
        json(&opened.approval_policy),
    );
    let sandbox = match &opened.sandbox {
        SandboxPolicy::ReadOnly(_) => SandboxMode::ReadOnly,
        SandboxPolicy::WorkspaceWrite(_) => SandboxMode::WorkspaceWrite,
        SandboxPolicy::DangerFullAccess(_) => SandboxMode::DangerFullAccess,
        other => SandboxMode::Unknown(other.tag().unwrap_or_default().into()),
    };
    compare(
        "the sandbox",
        wanted.sandbox.as_ref().map(ToString::to_string),
        sandbox.to_string(),
    );
    differences
}

/// A sent message. It is a future, which resolves to the end of the message's turn.
///
/// A turn that was interrupted or failed is not an error: see [`TurnEnd::outcome`]. At that time,
/// the receivers of [`Codex::events`] have the events of the turn.
#[derive(Debug)]
pub struct Turn {
    thread: Thread,
    id: Box<str>,
    end: oneshot::Receiver<Outcome>,
}

impl Turn {
    /// Returns the ID of the message, which is the `clientId` of its item.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Withdraws the message. Returns false if it was sent already.
    #[must_use]
    pub fn withdraw(&self) -> bool {
        self.thread.codex.link().withdraw(&self.thread.id, &self.id)
    }
}

impl Future for Turn {
    type Output = Result<TurnEnd, SubmissionError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = |_| Err(RequestError::Ended("its driver has ended".into()).into());
        let end = Pin::new(&mut self.end).poll(context);
        end.map(|it| it.unwrap_or_else(ended))
    }
}

impl TurnEnd {
    /// Returns the turn, with its last message and its error.
    #[must_use]
    pub fn turn(&self) -> Option<WireTurn> {
        self.frame.params().member("turn")?.read().ok()
    }

    /// Returns the last message of the agent. Empty if no message was completed.
    #[must_use]
    pub fn text(&self) -> String {
        let items = self.turn().map(|it| it.items).unwrap_or_default();
        let texts = items.into_iter().rev().find_map(|it| match it {
            Item::AgentMessage(message) => Some(message.text),
            _ => None,
        });
        texts.unwrap_or_default()
    }

    /// Returns the error of a failed turn.
    #[must_use]
    pub fn error(&self) -> Option<TurnError> {
        self.turn()?.error
    }

    /// Returns whether the turn was completed.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.outcome == TurnOutcome::Completed
    }
}
