//! Codex as an [`Agent`], the interface for agents of all kinds.

use crate::asking::Approval;
use crate::codex::{Codex, CodexError};
use crate::machine::{Event, RequestError, SubmissionError, TurnOutcome};
use crate::options::{CodexOptions, ThreadOptions};
use crate::thread::Thread;
use crate::view::Feed;
use crate::wire::{self, NamedPolicy};
use agentwire_protocol::message::UserMessage;
use agentwire_view::agent::{Agent, AgentError, AgentFuture, Decision};
use agentwire_view::entry::Activity;
use agentwire_view::{Input, View};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

/// A process of Codex with one thread and its view. It implements [`Agent`], the interface for
/// agents of all kinds.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire::view::agent::Agent;
/// use agentwire_codex::{CodexAgent, CodexOptions, ThreadOptions};
///
/// let agent = CodexAgent::start(CodexOptions::new(), ThreadOptions::new()).await?;
/// agent.prompt("Say hello").await?;
/// agent.read(&mut |view| println!("{:?}", view.entries().last()));
/// agent.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// Its modes are the approval policies `untrusted`, `on-request` and `never`. Codex supports
/// neither a changed input nor a denial with a message: for both, [`Agent::respond`] denies the
/// call and returns [`AgentError::Unsupported`].
///
/// Dropping it closes the process without waiting.
pub struct CodexAgent {
    thread: Thread,
    shared: Arc<Shared>,
    /// Locked while a prompt is sent, so that prompts are sent in order.
    order: Mutex<()>,
    has_policy: bool,
    restored: u64,
}

struct Shared {
    view: watch::Sender<View>,
    feed: Mutex<Option<Feed>>,
    /// The approvals without a response.
    approvals: Mutex<HashMap<String, WaitingApproval>>,
    /// Whether [`Agent::respond`] answers approvals. Otherwise, a callback of the host does.
    has_approvals: bool,
}

/// An approval without a response. It is created before the view shows it; its callback is
/// called later.
struct WaitingApproval {
    sender: oneshot::Sender<wire::Decision>,
    receiver: Option<oneshot::Receiver<wire::Decision>>,
}

impl CodexAgent {
    /// Starts Codex and a thread. Approvals wait for [`Agent::respond`], unless the options have a
    /// callback or a policy that decides. Questions need the callbacks of the options.
    ///
    /// # Errors
    ///
    /// Those of [`Codex::spawn`] and [`Codex::start`].
    pub async fn start(codex: CodexOptions, thread: ThreadOptions) -> Result<Self, CodexError> {
        Self::open(codex, None, thread).await
    }

    /// Starts Codex and resumes a thread. The view has its stored entries.
    ///
    /// # Errors
    ///
    /// Those of [`Codex::spawn`] and [`Codex::resume`].
    pub async fn resume(
        codex: CodexOptions,
        thread_id: &str,
        thread: ThreadOptions,
    ) -> Result<Self, CodexError> {
        Self::open(codex, Some(thread_id), thread).await
    }

    async fn open(
        codex: CodexOptions,
        thread_id: Option<&str>,
        mut options: ThreadOptions,
    ) -> Result<Self, CodexError> {
        let shared = Arc::new(Shared {
            view: watch::Sender::new(View::new()),
            feed: Mutex::default(),
            approvals: Mutex::default(),
            has_approvals: options.callbacks.approval.is_none(),
        });
        let observer = Arc::clone(&shared);
        options.callbacks.observer = Some(Arc::new(move |event| observer.event(event)));
        if shared.has_approvals {
            let waiting = Arc::clone(&shared);
            options = options.on_approval(move |approval| waiting.approval(approval));
        }
        let has_policy = options.callbacks.policy.is_some();
        let codex = Codex::spawn(codex).await?;
        let opened = match thread_id {
            Some(thread_id) => codex.resume(thread_id, options).await,
            None => codex.start(options).await,
        };
        let thread = match opened {
            Ok(thread) => thread,
            Err(error) => {
                // The caller may be about to exit.
                codex.close().await;
                return Err(error);
            }
        };
        let stored = match thread_id {
            Some(_) => thread.items().await?,
            None => Vec::new(),
        };
        let stored: Vec<_> = stored
            .iter()
            .filter_map(|it| serde_json::to_value(it).ok())
            .collect();
        let opened = serde_json::to_value(thread.opened()).unwrap_or_default();
        shared.show(thread.id(), |feed, view| {
            feed.session(view, &opened["thread"]);
            feed.session(view, &opened);
            feed.restored(view, &stored);
        });
        let restored = shared.view.borrow().number();
        Ok(Self {
            thread,
            shared,
            order: Mutex::default(),
            has_policy,
            restored,
        })
    }

    /// Returns the thread, which has the operations that are specific to Codex.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Returns the number of the last change of the view that was restored. Later changes are new.
    #[must_use]
    pub fn restored(&self) -> u64 {
        self.restored
    }
}

impl Shared {
    /// Changes the view, and notifies its receivers.
    fn show(&self, thread_id: &str, change: impl FnOnce(&mut Feed, &mut View)) {
        let mut feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        let feed = feed.get_or_insert_with(|| Feed::new(thread_id));
        self.view.send_if_modified(|view| {
            let before = view.number();
            change(feed, view);
            view.number() > before
        });
    }

    fn event(&self, event: &Event) {
        match event {
            Event::Notification(frame) => {
                let (Some(thread_id), Ok(params)) = (frame.thread_id(), frame.params().to_value())
                else {
                    return;
                };
                self.show(thread_id, |feed, view| {
                    feed.notification(view, frame.method(), &params);
                });
            }
            Event::Request { request_id, frame } => {
                let (Some(thread_id), Ok(params)) = (frame.thread_id(), frame.params().to_value())
                else {
                    return;
                };
                if self.has_approvals && is_approval(frame.method(), &params) {
                    self.approvals()
                        .entry((**request_id).to_owned())
                        .or_insert_with(WaitingApproval::new);
                }
                self.show(thread_id, |feed, view| {
                    feed.request(view, request_id, frame.method(), &params);
                });
            }
            Event::Resolved {
                request_id,
                thread_id: Some(thread_id),
            } => {
                self.approvals().remove(&**request_id);
                self.show(thread_id, |feed, view| {
                    feed.finish_request(view, request_id, false);
                });
            }
            Event::Submission {
                thread_id,
                id,
                state,
            }
            | Event::SubmissionEnded {
                thread_id,
                id,
                state,
                ..
            } => self.show(thread_id, |_, view| {
                let (uuid, state) = (id, *state);
                view.push(Input::Delivery { uuid, state });
            }),
            Event::Ended(why) => {
                self.view
                    .send_if_modified(|view| !view.push(Input::Ended(Some(why))).is_empty());
            }
            _ => {}
        }
    }

    fn approvals(&self) -> MutexGuard<'_, HashMap<String, WaitingApproval>> {
        self.approvals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the response to an approval.
    fn approval(&self, approval: Approval) -> impl Future<Output = wire::Decision> + Send + use<> {
        // Without a receiver, it was withdrawn or answered just now.
        let receiver = match self.approvals().get_mut(&approval.request_id) {
            Some(waits) => waits.receiver.take(),
            None => None,
        };
        async move {
            match receiver {
                Some(decision) => decision.await.unwrap_or(wire::Decision::Decline),
                None => wire::Decision::Decline,
            }
        }
    }
}

impl WaitingApproval {
    fn new() -> Self {
        let (sender, receiver) = oneshot::channel();
        let receiver = Some(receiver);
        Self { sender, receiver }
    }
}

fn is_approval(method: &str, params: &serde_json::Value) -> bool {
    method.ends_with("/requestApproval")
        || params["_meta"]["codex_approval_kind"] == "mcp_tool_call"
}

fn failure(error: CodexError) -> AgentError {
    match error {
        CodexError::Unsupported(what) => AgentError::Unsupported(what.to_owned()),
        CodexError::Request {
            error: RequestError::Ended(why),
            ..
        } => AgentError::Ended(why.into()),
        error => AgentError::Failed(error.to_string()),
    }
}

impl Agent for CodexAgent {
    fn prompt(&self, text: &str) -> AgentFuture<'static, ()> {
        let message = UserMessage::text(text);
        let id = Uuid::new_v4().to_string();
        // The view has prompts in the order in which they are sent, and before what they cause.
        let order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.show(self.thread.id(), |_, view| {
            view.push(Input::Sent {
                uuid: &id,
                message: &message,
            });
        });
        let turn = self.thread.send_as(&id, text.into());
        drop(order);
        Box::pin(async move {
            match turn.await {
                Ok(end) if end.is_completed() => Ok(()),
                Ok(end) if end.outcome == TurnOutcome::Interrupted => Err(AgentError::Cancelled),
                Ok(end) => {
                    let why = end.error().map(|it| it.message);
                    Err(AgentError::Failed(why.unwrap_or_default()))
                }
                Err(SubmissionError::Withdrawn | SubmissionError::NotRead) => {
                    Err(AgentError::Cancelled)
                }
                Err(SubmissionError::Request(RequestError::Ended(why))) => {
                    Err(AgentError::Ended(why.into()))
                }
                Err(error) => Err(AgentError::Failed(error.to_string())),
            }
        })
    }

    fn cancel(&self) -> AgentFuture<'_, ()> {
        self.thread.withdraw_all();
        // Sent here: it must not stop the turn of a prompt that follows.
        let interrupted = self.thread.interrupt();
        Box::pin(async move { interrupted.await.map(drop).map_err(failure) })
    }

    fn respond(&self, request_id: &str, decision: Decision) -> AgentFuture<'_, ()> {
        let (decision, unsupported) = match decision {
            Decision::Allow => (wire::Decision::Accept, None),
            Decision::AllowAlways => (wire::Decision::AcceptForSession, None),
            Decision::AllowWith(_) => (
                wire::Decision::Decline,
                Some("allowing a call with another input; the call was denied"),
            ),
            Decision::Deny(message) if !message.is_empty() => (
                wire::Decision::Decline,
                Some("a message with a denial; the call was denied without it"),
            ),
            _ => (wire::Decision::Decline, None),
        };
        let is_denied = decision == wire::Decision::Decline;
        let mut approvals = self.shared.approvals();
        // The receiver may still be here, for a callback that comes later: then the entry stays.
        let sent = match approvals.remove(request_id) {
            Some(WaitingApproval { sender, receiver }) => {
                let sent = sender.send(decision).is_ok();
                if let Some(receiver) = receiver {
                    let (sender, _) = oneshot::channel();
                    let receiver = Some(receiver);
                    approvals.insert(request_id.to_owned(), WaitingApproval { sender, receiver });
                }
                sent
            }
            None => false,
        };
        drop(approvals);
        if sent && is_denied {
            self.shared.show(self.thread.id(), |feed, view| {
                feed.finish_request(view, request_id, true);
            });
        }
        let outcome = match (sent, unsupported) {
            (false, _) => Err(AgentError::NoRequest(request_id.to_owned())),
            (true, Some(what)) => Err(AgentError::Unsupported(what.to_owned())),
            (true, None) => Ok(()),
        };
        Box::pin(async move { outcome })
    }

    fn set_mode(&self, mode: &str) -> AgentFuture<'_, ()> {
        let policy = NamedPolicy::from(mode);
        Box::pin(async move {
            match policy {
                NamedPolicy::Unknown(mode) => Err(AgentError::Failed(format!(
                    "there is no mode {mode}; the modes are untrusted, on-request and never"
                ))),
                policy if self.has_policy && policy != NamedPolicy::Untrusted => {
                    let what = "other modes than untrusted with a policy for tool calls";
                    Err(AgentError::Unsupported(what.to_owned()))
                }
                policy => {
                    let set = self
                        .thread
                        .set(|it| it.approval_policy = Some(policy.into()));
                    set.await.map_err(failure)
                }
            }
        })
    }

    fn set_model(&self, model: &str) -> AgentFuture<'_, ()> {
        let model = model.to_owned();
        Box::pin(async move {
            let set = self.thread.set(|it| it.model = Some(model));
            set.await.map_err(failure)
        })
    }

    fn read(&self, read: &mut dyn FnMut(&View)) {
        read(&self.shared.view.borrow());
    }

    fn changed(&self, number: u64) -> AgentFuture<'_, ()> {
        let mut views = self.shared.view.subscribe();
        Box::pin(async move {
            let ended = |view: &View| view.session().activity == Activity::Ended;
            let view = views.wait_for(|view| view.number() > number || ended(view));
            match view.await {
                Ok(view) if view.number() > number => Ok(()),
                _ => Err(AgentError::Ended("it was closed".to_owned())),
            }
        })
    }

    fn close(&self) -> AgentFuture<'_, ()> {
        Box::pin(async move {
            match self.thread.codex().close().await {
                Some(report) if !report.remaining.is_empty() => Err(AgentError::Failed(format!(
                    "processes remain: {:?}",
                    report.remaining
                ))),
                _ => Ok(()),
            }
        })
    }
}

impl fmt::Debug for CodexAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodexAgent")
            .field("thread", &self.thread)
            .finish_non_exhaustive()
    }
}
