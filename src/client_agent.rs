//! Claude Code as an agent of the interface for agents of all kinds.

use crate::client::Client;
use crate::control::StopPolicy;
use crate::event::{Error, RequestKind};
use crate::handle::Handle;
use crate::options::Options;
use agentwire_protocol::Json;
use agentwire_protocol::host::{SubmissionState, TurnOutcome};
use agentwire_protocol::mcp::McpElicitationResult;
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::permission::{PermissionMode, PermissionResult};
use agentwire_view::agent::{Agent, AgentError, AgentFuture, Decision};
use agentwire_view::entry::Activity;
use agentwire_view::{Input, View};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::time::timeout;

/// With the feature `view`: a [`Client`] and its view, as an
/// [`Agent`](agentwire_view::agent::Agent) among agents of other kinds.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire::view::agent::Agent;
/// use agentwire::{ClientAgent, Options};
///
/// let agents: Vec<Box<dyn Agent>> = vec![Box::new(ClientAgent::connect(Options::new()).await?)];
/// for agent in &agents {
///     agent.prompt("Say hello").await?;
///     agent.read(&mut |view| println!("{:?}", view.entries().last()));
/// }
/// # Ok(())
/// # }
/// ```
///
/// Dropping it closes the session without waiting.
pub struct ClientAgent {
    handle: Handle,
    shared: Arc<Shared>,
}

struct Shared {
    view: watch::Sender<View>,
    /// The messages whose turn has not ended.
    prompts: Mutex<BTreeSet<Box<str>>>,
}

impl ClientAgent {
    /// Starts the agent CLI. The view has partial messages and the texts of sub-agents; requests
    /// for permission wait for [`Agent::respond`], unless the options have a callback.
    ///
    /// # Errors
    ///
    /// Those of [`Client::connect`].
    pub async fn connect(options: Options) -> Result<Self, Error> {
        let options = options
            .partial_messages(true)
            .forward_subagent_text(true)
            .requests_in_stream(true);
        let mut client = Client::connect(options).await?;
        let handle = client.handle();
        let shared = Arc::new(Shared {
            view: watch::Sender::new(View::new()),
            prompts: Mutex::default(),
        });
        let events = Arc::clone(&shared);
        tokio::spawn(async move {
            let error = loop {
                match client.next().await {
                    Some(Ok(event)) => events.push(&event),
                    Some(Err(error)) => break Some(error.to_string()),
                    None => break None,
                }
            };
            client.abort().await;
            events.push(Input::Ended(error.as_deref()));
        });
        Ok(Self { handle, shared })
    }

    /// Returns the handle of the session, for what only this kind of agent can do.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Shared {
    fn push<'a>(&self, input: impl Into<Input<'a>>) {
        self.view
            .send_if_modified(|view| !view.push(input).is_empty());
    }

    fn prompts(&self) -> MutexGuard<'_, BTreeSet<Box<str>>> {
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientAgent {
    fn drop(&mut self) {
        drop(self.handle.close());
    }
}

impl fmt::Debug for ClientAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientAgent")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

fn failure(error: Error) -> AgentError {
    match error {
        Error::Ended(_) => AgentError::Ended(error.to_string()),
        Error::NoPendingRequest { request_id, .. } => AgentError::NoRequest(request_id.into()),
        Error::NotSupported { .. } => AgentError::Unsupported(error.to_string()),
        error => AgentError::Failed(error.to_string()),
    }
}

impl Agent for ClientAgent {
    fn prompt(&self, text: &str) -> AgentFuture<'static, ()> {
        let message = UserMessage::text(text);
        let mut sent = None;
        // While the view is locked, so that the prompt is before the response.
        self.shared.view.send_modify(|view| {
            let submission = self.handle.send(message.clone());
            let uuid = submission.uuid();
            self.shared.prompts().insert(uuid.into());
            view.push(Input::Sent {
                uuid,
                message: &message,
            });
            sent = Some(submission);
        });
        let shared = Arc::clone(&self.shared);
        // In a task, so that the view has the outcome even if nobody waits for it.
        let turn = tokio::spawn(async move {
            let mut submission = sent.ok_or(AgentError::Cancelled)?;
            let state = submission.final_state().await;
            let ended = match state {
                SubmissionState::Started | SubmissionState::Completed => {
                    submission.turn_ended().await
                }
                state => {
                    let uuid = submission.uuid();
                    shared.push(Input::Delivery { uuid, state });
                    submission.turn_ended().await
                }
            };
            shared.prompts().remove(submission.uuid());
            match (state, ended) {
                (SubmissionState::Withdrawn | SubmissionState::Cancelled, _) => {
                    Err(AgentError::Cancelled)
                }
                (_, Err(error)) => Err(failure(error)),
                (_, Ok(end)) => match end.outcome {
                    TurnOutcome::Completed => Ok(()),
                    TurnOutcome::Interrupted | TurnOutcome::Preempted => Err(AgentError::Cancelled),
                    outcome => {
                        let text = end.result().and_then(|it| it.error_text());
                        let text = text.unwrap_or_else(|| format!("the turn is {outcome}"));
                        Err(AgentError::Failed(text))
                    }
                },
            }
        });
        Box::pin(async move {
            match turn.await {
                Ok(outcome) => outcome,
                Err(error) => Err(AgentError::Failed(error.to_string())),
            }
        })
    }

    fn cancel(&self) -> AgentFuture<'_, ()> {
        for uuid in self.shared.prompts().iter() {
            // Has no effect on a prompt of the running turn.
            drop(self.handle.cancel_message(uuid));
        }
        // Sent here: it must not stop the turn of a prompt that follows.
        let interrupt = self.handle.interrupt();
        Box::pin(async move {
            let policy = StopPolicy::default();
            if let Ok(Ok(_)) = timeout(policy.turn, interrupt.outcome()).await {
                return Ok(());
            }
            let stopped = self.handle.stop(policy).await;
            stopped.map(drop).map_err(failure)
        })
    }

    fn respond(&self, request_id: &str, decision: Decision) -> AgentFuture<'_, ()> {
        let id = request_id.to_owned();
        let pending = self.handle.pending_requests();
        let pending = pending.into_iter().find(|it| *it.request_id == *id);
        Box::pin(async move {
            let responded = match pending.map(|it| it.request) {
                Some(RequestKind::Permission(request)) => {
                    let result = match decision {
                        Decision::Allow => PermissionResult::allow(),
                        Decision::AllowAlways => PermissionResult::allow_always(&request),
                        Decision::AllowWith(input) => match input.parse::<Json>() {
                            Ok(input) => PermissionResult::allow_with(input),
                            Err(error) => PermissionResult::deny(error.to_string()),
                        },
                        Decision::Deny(feedback) if !feedback.is_empty() => {
                            PermissionResult::deny(feedback)
                        }
                        _ => PermissionResult::deny("The user denied this."),
                    };
                    self.handle.respond(&id, result).await
                }
                // Accepting needs input, which a decision does not have.
                Some(RequestKind::Elicitation(_)) => {
                    self.handle
                        .respond(&id, McpElicitationResult::decline())
                        .await
                }
                _ => return Err(AgentError::NoRequest(id)),
            };
            responded.map_err(failure)
        })
    }

    fn set_mode(&self, mode: &str) -> AgentFuture<'_, ()> {
        let set = self.handle.set_permission_mode(PermissionMode::from(mode));
        Box::pin(async move { set.await.map(drop).map_err(failure) })
    }

    fn set_model(&self, model: &str) -> AgentFuture<'_, ()> {
        let set = self.handle.set_model(model);
        Box::pin(async move { set.await.map(drop).map_err(failure) })
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
        let closing = self.handle.close();
        Box::pin(async move {
            match closing.await {
                report if report.remaining.is_empty() => Ok(()),
                report => Err(AgentError::Failed(format!(
                    "processes remain: {:?}",
                    report.remaining
                ))),
            }
        })
    }
}
