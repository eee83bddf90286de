//! A session: a client whose events become the history, and the operations of the page.

use crate::entry::{Entry, Painter};
use crate::log::Log;
use agentwire::event::RequestKind;
use agentwire::permission::Answers;
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::protocol::message::Priority;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{Client, Error, Event, Handle, Options, PermissionResult, UserMessage};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

pub struct Session {
    pub log: Log,
    handle: Handle,
    /// The first prompt.
    title: Mutex<Option<String>>,
    closing: Notify,
}

/// The user's response to a request.
#[derive(Debug, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Response {
    Allow,
    Always,
    Deny,
    /// The answers to a question of the model.
    Answer {
        answers: BTreeMap<String, String>,
    },
}

impl Session {
    pub async fn start(options: Options) -> Result<Arc<Self>, Error> {
        let options = options.partial_messages(true).requests_in_stream(true);
        let client = Client::connect(options).await?;
        let session = Arc::new(Self {
            log: Log::new(),
            handle: client.handle(),
            title: Mutex::default(),
            closing: Notify::new(),
        });
        tokio::spawn(Arc::clone(&session).run(client));
        Ok(session)
    }

    /// Writes the history until the session is over.
    async fn run(self: Arc<Self>, mut client: Client) {
        let mut painter = Painter::default();
        let error = loop {
            let event = tokio::select! {
                event = client.next() => event,
                () = self.closing.notified() => break None,
            };
            match event {
                Some(Ok(event)) => {
                    self.decline_form(&event);
                    for entry in painter.paint(&event) {
                        self.log.push(&entry);
                    }
                }
                Some(Err(error)) => break Some(error.to_string()),
                None => break None,
            }
        };
        client.abort().await;
        self.log.push(&Entry::Ended { error });
    }

    /// Declines a form of an MCP server: the page has no dialog for it.
    fn decline_form(&self, event: &Event) {
        if let Event::Request(pending) = event
            && let RequestKind::Elicitation(_) = pending.request
        {
            let decline = McpElicitationResult::decline();
            drop(self.handle.respond(&pending.request_id, decline));
        }
    }

    /// Sends a message. Its delivery status goes to the history as it changes.
    pub fn send(self: &Arc<Self>, text: String, priority: Priority) {
        let title = || text.chars().take(60).collect();
        self.title
            .lock()
            .expect("no panics")
            .get_or_insert_with(title);

        let message = UserMessage::text(&text).priority(priority.clone());
        // The agent may begin to respond at once.
        let mut submission = self.log.push_before(|| {
            let submission = self.handle.send(message);
            let id = submission.uuid().to_owned();
            (Entry::Prompt { id, text, priority }, submission)
        });

        let session = Arc::clone(self);
        tokio::spawn(async move {
            while !submission.state().is_end() {
                let status = submission.changed().await.to_string();
                let id = submission.uuid().to_owned();
                session.log.push(&Entry::Delivery { id, status });
            }
        });
    }

    /// Withdraws a message. Returns whether it was still queued.
    pub async fn withdraw(&self, id: &str) -> Result<bool, Error> {
        Ok(self.handle.cancel_message(id).await?.cancelled)
    }

    pub async fn interrupt(&self) -> Result<(), Error> {
        self.handle.interrupt().await.map(drop)
    }

    /// Responds to a request. Fails with [`Error::NoPendingRequest`] if the request was
    /// settled, for example in another window.
    pub async fn respond(&self, id: &str, response: Response) -> Result<(), Error> {
        let request = self.permission_request(id);
        let (result, how) = match (response, request) {
            (Response::Allow, _) => (PermissionResult::allow(), "allowed"),
            (Response::Always, Some(request)) => {
                (PermissionResult::allow_always(&request), "always allowed")
            }
            (Response::Answer { answers }, Some(request)) => {
                (answer(&request, answers), "answered")
            }
            // If the request is missing, the response fails below.
            (Response::Deny | Response::Always | Response::Answer { .. }, _) => {
                (PermissionResult::deny("The user denied this."), "denied")
            }
        };
        self.handle.respond(id, result).await?;
        let (id, how) = (id.to_owned(), how.to_owned());
        self.log.push(&Entry::Settled { id, how });
        Ok(())
    }

    pub fn close(&self) {
        self.closing.notify_one();
    }

    pub fn title(&self) -> Option<String> {
        self.title.lock().expect("no panics").clone()
    }

    /// Returns the pending permission request with this ID.
    fn permission_request(&self, id: &str) -> Option<CanUseTool> {
        let mut pending = self.handle.pending_requests().into_iter();
        match pending.find(|it| &*it.request_id == id)?.request {
            RequestKind::Permission(request) => Some(*request),
            _ => None,
        }
    }
}

fn answer(request: &CanUseTool, answers: BTreeMap<String, String>) -> PermissionResult {
    match Answers::to(request) {
        Ok(empty) => answers
            .into_iter()
            .fold(empty, |all, (question, answer)| all.say(&question, answer))
            .into(),
        Err(error) => PermissionResult::deny(error.to_string()),
    }
}
