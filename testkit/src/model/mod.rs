//! The scripted model: a server on loopback that speaks the Anthropic
//! Messages API and says what a [`Scenario`] tells it to say.
//!
//! The real CLI talks to it when its environment has
//! `ANTHROPIC_BASE_URL=`[`url()`](ScriptedModel::url) and any
//! `ANTHROPIC_API_KEY`, and then needs neither a network nor an account.
//!
//! Each request of the main loop takes a reply of the script; a retry
//! is a request like any other, so an `error` 529 followed by a text shows a
//! CLI that recovers. A refusal that stands (400, 403, 404, 413, 422) answers
//! the same question however often it is put: the CLI takes an unknown 400 for
//! a server that lacks a beta feature, and asks up to six times with less of
//! them. When no reply is left, the answer is HTTP 400. Side requests (see
//! [`Answer::Side`]) never take a reply, and sub-agents take theirs.
//!
//! Where the script waits at a gate, [`open`](ScriptedModel::open) lets it go
//! on, and so does `POST /gates/NAME` on the server; `GET /gates/NAME` is
//! answered when the script has come to the gate.
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
mod facts;
mod handler;
mod message;
mod request;
mod said;
mod speaking;
mod state;
mod stranger;
#[cfg(test)]
mod tests;

pub use request::{Answer, ModelRequest};

use crate::scenario::{NoSuchGate, Scenario};
use axum::Router;
use handler::answer;
use speaking::until_dropped;
use state::ServerState;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// A model on loopback that follows a script. Dropping it stops the server.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    state: Arc<ServerState>,
    /// Dropped with the model, which the server and its streams wait for.
    _running: watch::Sender<()>,
}

impl ScriptedModel {
    /// Starts the server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start(scenario: Scenario) -> io::Result<Self> {
        Self::start_on(scenario, 0).await
    }

    /// Starts the server on this port of 127.0.0.1; 0 is a free one.
    ///
    /// # Errors
    ///
    /// When the port cannot be had.
    pub async fn start_on(scenario: Scenario, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let (running, stopped) = watch::channel(());
        let state = Arc::new(ServerState::new(&scenario, stopped.clone()));
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&state));
        // Not aborted: axum gives each connection a task of its own, and only
        // its graceful shutdown reaches those.
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

    /// Where the model is: the value for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state.requests.borrow().clone()
    }

    /// Waits until request `n` of [`requests`](Self::requests) (counted from
    /// 0) is there. It is there before it is answered.
    pub async fn request(&self, n: usize) -> ModelRequest {
        let mut requests = self.state.requests.subscribe();
        let seen = requests.wait_for(|seen| seen.len() > n).await;
        seen.expect("the model keeps the sender")[n].clone()
    }

    /// Waits for the request that got reply `n` (counted from 0, in the order in
    /// which replies are taken). Other requests than those of the main loop do
    /// not count.
    pub async fn asked(&self, n: usize) -> ModelRequest {
        self.wait_for(|request| request.reply() == Some(n)).await
    }

    /// Waits for the first request that is `wanted`, which may be there
    /// already. `|request| request.answer == Answer::Reply(1)` waits until
    /// the script's second reply is taken.
    pub async fn wait_for(&self, wanted: impl Fn(&ModelRequest) -> bool) -> ModelRequest {
        let mut requests = self.state.requests.subscribe();
        let seen = requests.wait_for(|seen| seen.iter().any(&wanted)).await;
        let seen = seen.expect("the model keeps the sender");
        let found = seen.iter().find(|request| wanted(request));
        found.expect("it was there").clone()
    }

    /// Opens a gate, for good.
    ///
    /// # Errors
    ///
    /// When no step of the scenario waits for such a gate.
    pub fn open(&self, gate: &str) -> Result<(), NoSuchGate> {
        self.state.open(gate)
    }

    /// Waits until the script has come to a gate, which it may have already.
    ///
    /// # Errors
    ///
    /// When no step of the scenario waits for such a gate.
    pub async fn reached(&self, gate: &str) -> Result<(), NoSuchGate> {
        self.state.reached(gate).await
    }
}
