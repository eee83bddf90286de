//! A session: its view, the agent that changes it, and the operations of the page.

use crate::store::Store;
use agentwire::event::RequestKind;
use agentwire::permission::Answers;
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::protocol::message::Priority;
use agentwire::protocol::permission::CanUseTool;
use agentwire::view::{Body, Input, View};
use agentwire::{Error, Handle, PermissionResult, SubmissionState, UserMessage};
use agentwire_pool::{PoolError, Session as Agent};
use axum::response::sse::Event;
use futures::{Stream, StreamExt, stream};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use uuid::Uuid;

pub struct Session {
    id: String,
    store: Arc<Store>,
    view: watch::Sender<View>,
    /// Event IDs begin with it: the numbers of changes are those of this view.
    view_id: Uuid,
    /// The running agent. It starts with the first prompt.
    agent: Mutex<Option<Handle>>,
}

/// The user's response to a request.
#[derive(Debug, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Response {
    Allow,
    Always,
    Deny {
        /// Instructions for the agent.
        #[serde(default)]
        feedback: String,
    },
    /// Answers to the questions of the model, in order.
    Answer {
        answers: Vec<String>,
    },
    /// The fields of a form of an MCP server. Empty if it asks to open a page.
    Submit {
        fields: Value,
    },
}

impl Session {
    /// Creates the session with this ID. A stored session has its entries.
    pub fn open(store: Arc<Store>, id: String) -> Arc<Self> {
        Arc::new(Self {
            view: watch::Sender::new(store.view(&id)),
            view_id: Uuid::new_v4(),
            agent: Mutex::default(),
            store,
            id,
        })
    }

    /// Streams the view: what follows the event with this ID, or a snapshot, and then changes.
    pub fn follow(&self, last: Option<&str>) -> impl Stream<Item = Event> + use<> {
        let view_id = self.view_id;
        let number = last.and_then(|last| {
            let (view, number) = last.split_once('/')?;
            (view == view_id.to_string()).then(|| number.parse().ok())?
        });
        let event = move |name: &str, number: u64| {
            let id = format!("{view_id}/{number}");
            Event::default().event(name).id(id)
        };
        let state = (self.view.subscribe(), number);
        let changes = stream::unfold(
            state,
            move |(mut views, number): (_, Option<u64>)| async move {
                let view = views.wait_for(|view: &View| number != Some(view.number()));
                let view = view.await.ok()?;
                let events: Vec<_> = match number.and_then(|number| view.since(number)) {
                    Some(changes) => {
                        let changes = changes.iter();
                        changes
                            .map(|it| event("change", it.number).json_data(it))
                            .collect()
                    }
                    None => vec![event("snapshot", view.number()).json_data(view.snapshot())],
                };
                let number = Some(view.number());
                drop(view);
                Some((stream::iter(events), (views, number)))
            },
        );
        changes
            .flatten()
            .map(|event| event.expect("entries have string keys"))
    }

    fn push<'a>(&self, input: impl Into<Input<'a>>) {
        self.view
            .send_if_modified(|view| !view.push(input).is_empty());
    }

    /// Applies the events of the agent until it exits.
    async fn run(self: Arc<Self>, mut client: Agent) {
        let error = loop {
            match client.next().await {
                Some(Ok(event)) => self.push(&event),
                Some(Err(error)) => break Some(error.to_string()),
                None => break None,
            }
        };
        client.abort().await;
        *self.agent.lock().await = None;
        self.push(Input::Ended(error.as_deref()));
    }

    /// Sends a prompt. Starts the agent if it is not running.
    pub async fn send(self: &Arc<Self>, text: &str, priority: Priority) -> Result<(), PoolError> {
        let mut agent = self.agent.lock().await;
        let handle = match &*agent {
            Some(handle) => handle.clone(),
            None => {
                let client = self.store.connect(&self.stored_id()).await?;
                let handle = client.handle();
                tokio::spawn(Arc::clone(self).run(client));
                agent.insert(handle).clone()
            }
        };
        drop(agent);

        let message = UserMessage::text(text).priority(priority);
        let mut sent = None;
        // While the view is locked, so that the prompt is before the response.
        self.view.send_modify(|view| {
            let submission = handle.send(message.clone());
            let uuid = submission.uuid();
            view.push(Input::Sent {
                uuid,
                message: &message,
            });
            sent = Some(submission);
        });
        let mut submission = sent.expect("it was sent");
        let session = Arc::clone(self);
        tokio::spawn(async move {
            use SubmissionState::{Cancelled, Lost, Refused, Unknown, Withdrawn};
            let state = submission.final_state().await;
            // The agent reports other states itself.
            if matches!(state, Withdrawn | Cancelled | Refused | Lost | Unknown) {
                let uuid = submission.uuid();
                session.push(Input::Delivery { uuid, state });
            }
        });
        Ok(())
    }

    /// Withdraws a prompt. Returns whether it was still queued.
    pub async fn withdraw(&self, id: &str) -> Result<bool, Error> {
        match self.agent().await {
            Some(agent) => Ok(agent.cancel_message(id).await?.cancelled),
            None => Ok(false),
        }
    }

    pub async fn interrupt(&self) -> Result<(), Error> {
        match self.agent().await {
            Some(agent) => agent.interrupt().await.map(drop),
            None => Ok(()),
        }
    }

    /// Responds to a request. Returns `false` if there is no such request, for example because
    /// another page has responded.
    pub async fn respond(&self, id: &str, response: Response) -> Result<bool, Error> {
        let Some(agent) = self.agent().await else {
            return Ok(false);
        };
        let mut pending = agent.pending_requests().into_iter();
        let Some(pending) = pending.find(|it| &*it.request_id == id) else {
            return Ok(false);
        };
        let responded = match pending.request {
            RequestKind::Permission(request) => agent.respond(id, decide(&request, response)).await,
            RequestKind::Elicitation(request) => {
                let result = match response {
                    Response::Submit { .. } if request.url.is_some() => {
                        McpElicitationResult::accept_url()
                    }
                    Response::Submit { fields } => McpElicitationResult::accept(fields),
                    _ => McpElicitationResult::decline(),
                };
                agent.respond(id, result).await
            }
            _ => return Ok(false),
        };
        match responded {
            Err(Error::NoPendingRequest { .. }) => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Stops the agent. The next prompt resumes the session.
    pub async fn stop(&self) {
        if let Some(agent) = self.agent().await {
            agent.close().within(Duration::from_secs(5)).await;
        }
    }

    async fn agent(&self) -> Option<Handle> {
        self.agent.lock().await.clone()
    }

    /// Returns the ID under which the session is stored. `/clear` changes it.
    pub fn stored_id(&self) -> String {
        let id = self.view.borrow().session().session_id.clone();
        id.unwrap_or_else(|| self.id.clone())
    }

    /// Returns the title, or else the beginning of the first prompt.
    pub fn title(&self) -> Option<String> {
        let view = self.view.borrow();
        let first = view.entries().find_map(|entry| match &entry.body {
            Body::Prompt(prompt) => Some(prompt.text.text.chars().take(60).collect()),
            _ => None,
        });
        view.session().title.clone().or(first)
    }
}

fn decide(request: &CanUseTool, response: Response) -> PermissionResult {
    match response {
        Response::Allow => PermissionResult::allow(),
        Response::Always => PermissionResult::allow_always(request),
        Response::Answer { answers } => match Answers::to(request) {
            Ok(empty) => {
                let questions = empty.questions().to_vec();
                let given = questions.iter().zip(answers);
                given
                    .filter(|(_, answer)| !answer.is_empty())
                    .fold(empty, |all, (it, answer)| all.say(&it.question, answer))
                    .into()
            }
            Err(error) => PermissionResult::deny(error.to_string()),
        },
        Response::Deny { feedback } if !feedback.is_empty() => PermissionResult::deny(feedback),
        Response::Deny { .. } | Response::Submit { .. } => {
            PermissionResult::deny("The user denied this.")
        }
    }
}
