//! The state of the server: the script, its gates, and the record of what was
//! asked.

use super::bodies::Bodies;
use super::facts::{self, Answered};
use super::request::{Answer, Kind, ModelRequest};
use super::said::Said;
use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, NoSuchGate, Scenario};
use crate::script::{NoReply, Script, Taken};
use axum::http::Method;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What the server's handlers share.
#[derive(Debug)]
pub(super) struct ServerState {
    script: Mutex<Script>,
    pub(super) gates: watch::Sender<Gates>,
    /// Every request so far.
    pub(super) requests: watch::Sender<Vec<ModelRequest>>,
    bodies: Mutex<Bodies>,
    /// The last request of the main loop and that of sub-agents which took a
    /// reply.
    main: Mutex<Option<Answered>>,
    subagents: Mutex<Option<Answered>>,
    pub(super) stopped: watch::Receiver<()>,
}

impl ServerState {
    /// A scenario of which nothing was played. `stopped` ends with the model.
    pub(super) fn new(scenario: &Scenario, stopped: watch::Receiver<()>) -> Self {
        Self {
            script: Mutex::new(Script::new(scenario)),
            gates: watch::Sender::new(Gates::of(scenario)),
            requests: watch::Sender::default(),
            bodies: Mutex::default(),
            main: Mutex::default(),
            subagents: Mutex::default(),
            stopped,
        }
    }

    /// Puts a request on record and decides what answers it. Gives its place
    /// in the record too, and the reply that it takes.
    pub(super) fn record(
        &self,
        kind: Kind,
        method: &Method,
        path: &str,
        (body, bytes): (Option<Value>, usize),
    ) -> (usize, Answer, Option<Result<Taken, ApiError>>) {
        let mut recorded = (0, Answer::Other, None);
        self.requests.send_modify(|requests| {
            let (answer, taken) = match kind {
                Kind::MainLoop => match self.take(body.as_ref(), false) {
                    Ok(taken) => (Answer::Reply(taken.number), Some(Ok(taken))),
                    Err(none) => (Answer::EndOfScript, Some(Err(ApiError::from(&none)))),
                },
                Kind::Subagent => match self.take(body.as_ref(), true) {
                    Ok(taken) => (Answer::Subagent(taken.number), Some(Ok(taken))),
                    // One for which the script has nothing is told that.
                    Err(NoReply::EndOfScript { .. }) => (Answer::Side, None),
                    Err(none) => (Answer::EndOfScript, Some(Err(ApiError::from(&none)))),
                },
                Kind::Side => (Answer::Side, None),
                Kind::CountTokens | Kind::NoMessage | Kind::Other => (Answer::Other, None),
            };
            let place = taken.as_ref().and_then(|it| Some(it.as_ref().ok()?.place));
            requests.push(ModelRequest {
                method: method.to_string(),
                path: path.to_owned(),
                body,
                answer,
                place,
            });
            let place = requests.len() - 1;
            let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
            bodies.keep(requests, place, bytes);
            recorded = (place, answer, taken);
        });
        recorded
    }

    /// The reply for a request of the main loop or of a sub-agent.
    fn take(&self, body: Option<&Value>, is_subagent: bool) -> Result<Taken, NoReply> {
        let body = body.unwrap_or(&Value::Null);
        let model = body["model"].as_str().unwrap_or_default();
        let said = Said::of(body);
        let last = match is_subagent {
            true => &self.subagents,
            false => &self.main,
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = facts::asked(model, &said, is_subagent, last.as_ref());
        let taken = self.script().take(asked.clone())?;
        *last = Some(Answered {
            said,
            asked,
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
        reached.map(drop).expect("the model keeps the sender");
        Ok(())
    }
}
