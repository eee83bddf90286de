//! The state of the server: the script, its gates, and the requests.

use super::bodies::Bodies;
use super::request::{Answer, Kind, ModelRequest, WantedResponse};
use super::request_info::{self, PreviousRequest};
use super::user_content::UserContent;
use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, NoSuchGate, Scenario};
use crate::script::{NoReply, Script, TakenReply};
use axum::http::Method;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The state shared by the server's handlers.
#[derive(Debug)]
pub(super) struct ServerState {
    script: Mutex<Script>,
    pub(super) gates: watch::Sender<Gates>,
    /// All requests.
    pub(super) requests: watch::Sender<Vec<ModelRequest>>,
    bodies: Mutex<Bodies>,
    /// The last request of the main loop, and the last request of a sub-agent,
    /// that got a scripted reply.
    main: Mutex<Option<PreviousRequest>>,
    subagents: Mutex<Option<PreviousRequest>>,
    pub(super) stopped: watch::Receiver<()>,
}

impl ServerState {
    /// Creates the state of a new server. `stopped` closes when the model is
    /// dropped.
    pub(super) fn new(scenario: &Scenario, stopped: watch::Receiver<()>) -> Self {
        Self {
            script: Mutex::new(Script::new(scenario)),
            gates: watch::Sender::new(Gates::new(scenario)),
            requests: watch::Sender::default(),
            bodies: Mutex::default(),
            main: Mutex::default(),
            subagents: Mutex::default(),
            stopped,
        }
    }

    /// Records a request and selects its response. Returns the request's index,
    /// and the reply if one is taken.
    pub(super) fn record(
        &self,
        asked: &WantedResponse,
        method: &Method,
        path: &str,
        (body, bytes): (Option<Value>, usize),
    ) -> (usize, Answer, Option<Result<TakenReply, ApiError>>) {
        let mut recorded = (0, Answer::Other, None);
        self.requests.send_modify(|requests| {
            let (answer, taken) = match asked.kind {
                Kind::MainLoop => match self.take(asked, body.as_ref(), false) {
                    Ok(taken) => (Answer::Reply(taken.number), Some(Ok(taken))),
                    Err(none) => (Answer::EndOfScript, Some(Err(ApiError::from(&none)))),
                },
                Kind::Subagent => match self.take(asked, body.as_ref(), true) {
                    Ok(taken) => (Answer::Subagent(taken.number), Some(Ok(taken))),
                    // A sub-agent without a remaining reply gets a fixed text.
                    Err(NoReply::EndOfScript { .. }) => (Answer::Side, None),
                    Err(none) => (Answer::EndOfScript, Some(Err(ApiError::from(&none)))),
                },
                Kind::Side => (Answer::Side, None),
                Kind::CountTokens | Kind::NoMessage | Kind::Other => (Answer::Other, None),
            };
            let place = taken
                .as_ref()
                .and_then(|taken| Some(taken.as_ref().ok()?.index));
            requests.push(ModelRequest {
                method: method.to_string(),
                path: path.to_owned(),
                body,
                answer,
                place,
            });
            let index = requests.len() - 1;
            let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
            bodies.store(requests, index, bytes);
            recorded = (index, answer, taken);
        });
        recorded
    }

    /// Takes the reply for a request of the main loop or of a sub-agent.
    fn take(
        &self,
        asked: &WantedResponse,
        body: Option<&Value>,
        is_subagent: bool,
    ) -> Result<TakenReply, NoReply> {
        let content = UserContent::parse(&asked.format.read(body.unwrap_or(&Value::Null)));
        let last = match is_subagent {
            true => &self.subagents,
            false => &self.main,
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let info = request_info::request_info(&asked.model, &content, is_subagent, last.as_ref());
        let taken = self.script().take(info.clone())?;
        *last = Some(PreviousRequest {
            content,
            info,
            is_failed: taken.refusal().is_some(),
        });
        Ok(taken)
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self, gate: &str) -> Result<(), NoSuchGate> {
        let mut opened = Ok(());
        self.gates.send_modify(|gates| opened = gates.open(gate));
        opened
    }

    pub(super) async fn reached(&self, gate: &str) -> Result<(), NoSuchGate> {
        let mut gates = self.gates.subscribe();
        gates.borrow_and_update().check(gate)?;
        let reached = gates.wait_for(|gates| gates.is_reached(gate)).await;
        reached.map(drop).expect("the model owns the sender");
        Ok(())
    }
}
