//! The scripted model: a server on loopback that takes its replies from a
//! [`Scenario`] and speaks the APIs of four vendors' models.
//!
//! The path of a request selects the format. The scenario is the same for all.
//!
//! | path | format |
//! |---|---|
//! | `POST /v1/messages` | Anthropic Messages |
//! | `POST …/chat/completions` | OpenAI Chat Completions |
//! | `POST …/responses` | OpenAI Responses |
//! | `POST …/models/NAME:generateContent`, `:streamGenerateContent?alt=sse` | Gemini |
//!
//! `POST /v1/messages/count_tokens` and `POST …/models/NAME:countTokens` return
//! an estimate.
//!
//! Start the Claude CLI with `ANTHROPIC_BASE_URL=`[`url()`](ScriptedModel::url)
//! and any `ANTHROPIC_API_KEY`, the Gemini CLI with `GOOGLE_GEMINI_BASE_URL` and
//! `GEMINI_API_KEY`, and other agents with the URL and `/v1` as their base URL.
//! They then need neither a network nor an account.
//!
//! A format that cannot express a step leaves it out: Chat Completions and Gemini
//! have no redacted thinking. Stop reasons are those of the Messages API, and
//! are translated. A tool that Codex declares with a text as its input
//! (`apply_patch`) gets the member `input` of the scripted call.
//!
//! Each request of the main loop takes a reply of the script, and so does a
//! retry. An `error` 529 followed by a text therefore simulates a temporary
//! overload. A permanent error (400, 403, 404, 413, 422) is the response to
//! every retry of the same request, because the CLI treats an unknown 400 as a
//! server without a beta feature, and retries up to six times with fewer
//! features. When no reply remains, the response is HTTP 400. Side requests
//! (see [`Answer::Side`]) never take a reply. Sub-agents of the Claude CLI have
//! their own replies; requests of other sub-agents count as the main loop's.
//!
//! [`open`](ScriptedModel::open) and `POST /gates/NAME` open a gate. The
//! response to `GET /gates/NAME` arrives when the script has reached the gate.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! use agentwire_testkit::model::ScriptedModel;
//! use agentwire_testkit::{Scenario, Step};
//!
//! let scenario = Scenario::default().reply([Step::text("Hello there.")]);
//! let model = ScriptedModel::start(scenario).await?;
//! assert!(model.url().starts_with("http://127.0.0.1:"));
//! assert!(model.requests().is_empty());
//! # Ok(())
//! # }
//! ```

mod bodies;
mod format;
mod handler;
mod message;
mod origin;
mod request;
mod request_info;
mod response;
mod state;
#[cfg(test)]
mod tests;
mod user_content;

pub use request::{Answer, ModelRequest};

use crate::scenario::{NoSuchGate, Scenario};
use axum::Router;
use handler::answer;
use response::until_dropped;
use state::ServerState;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// A running scripted model. Dropping it stops the server.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    state: Arc<ServerState>,
    /// Stops the server and its streams when it is dropped.
    _running: watch::Sender<()>,
}

impl ScriptedModel {
    /// Starts the server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Fails if no port is free.
    pub async fn start(scenario: Scenario) -> io::Result<Self> {
        Self::start_on(scenario, 0).await
    }

    /// Starts the server on this port of 127.0.0.1. Port 0 selects a free port.
    ///
    /// # Errors
    ///
    /// Fails if the port is in use.
    pub async fn start_on(scenario: Scenario, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let (running, stopped) = watch::channel(());
        let state = Arc::new(ServerState::new(&scenario, stopped.clone()));
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&state));
        // Graceful shutdown, not abort: axum runs each connection in a task of
        // its own.
        tokio::spawn(
            axum::serve(listener, app)
                .with_graceful_shutdown(async move { until_dropped(stopped).await })
                .into_future(),
        );
        Ok(Self {
            address,
            state,
            _running: running,
        })
    }

    /// Returns the server's URL, without a path.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state.requests.borrow().clone()
    }

    /// Waits for request `n` of [`requests`](Self::requests), counted from 0.
    /// The request is available before its response is sent.
    pub async fn request(&self, n: usize) -> ModelRequest {
        let mut receiver = self.state.requests.subscribe();
        let requests = receiver.wait_for(|requests| requests.len() > n).await;
        requests.expect("the model owns the sender")[n].clone()
    }

    /// Waits for the request that takes reply `n` of the main loop, counted
    /// from 0 in the order in which replies are taken.
    pub async fn asked(&self, n: usize) -> ModelRequest {
        self.wait_for(|request| request.reply() == Some(n)).await
    }

    /// Waits for the first request for which `wanted` returns `true`. Earlier
    /// requests count. `|request| request.answer == Answer::Reply(1)` waits
    /// until the second reply is taken.
    pub async fn wait_for(&self, wanted: impl Fn(&ModelRequest) -> bool) -> ModelRequest {
        let mut receiver = self.state.requests.subscribe();
        let requests = receiver
            .wait_for(|requests| requests.iter().any(&wanted))
            .await;
        let requests = requests.expect("the model owns the sender");
        let found = requests.iter().find(|request| wanted(request));
        found.expect("the wait found it").clone()
    }

    /// Opens a gate permanently.
    ///
    /// # Errors
    ///
    /// Fails if the scenario has no gate of this name.
    pub fn open(&self, gate: &str) -> Result<(), NoSuchGate> {
        self.state.open(gate)
    }

    /// Waits until the script has reached a gate.
    ///
    /// # Errors
    ///
    /// Fails if the scenario has no gate of this name.
    pub async fn reached(&self, gate: &str) -> Result<(), NoSuchGate> {
        self.state.reached(gate).await
    }
}
