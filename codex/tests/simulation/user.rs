//! The user's calls.

use crate::world::World;
use agentwire_codex::Priority;
use agentwire_codex::machine::{ErrorObject, Submission};
use agentwire_protocol::Json;
use serde_json::{Value, json};
use std::time::Duration;

impl World {
    /// Makes a random call.
    pub(crate) fn call(&mut self) -> Result<(), String> {
        let thread = self.dice.pick(&self.threads);
        let now = self.now;
        match self.dice.below(20) {
            0..7 => self.submit(&thread),
            7 => {
                let ids: Vec<String> = self.checks.messages().cloned().collect();
                if ids.is_empty() {
                    return Ok(());
                }
                let id = self.dice.pick(&ids);
                self.note(|| format!("user: withdraw {id}"));
                let thread = self.thread_of[&id].clone();
                let did = self.machine.withdraw(&thread, &id);
                self.checks.check_withdrawal(&id, did)?;
            }
            8 if self.dice.one_in(4) => {
                self.note(|| format!("user: withdraw all of {thread}"));
                self.machine.withdraw_all(&thread);
            }
            8..11 => {
                self.note(|| format!("user: interrupt {thread}"));
                let interrupt = self.machine.interrupt(now, &thread);
                self.checks.interrupts(interrupt, &thread);
            }
            11 => {
                self.note(|| format!("user: compact {thread}"));
                let request = self.machine.compact(now, &thread);
                self.checks.requests(request);
            }
            12 => {
                self.note(|| "user: requests".to_owned());
                let most = if self.dice.one_in(20) { 40 } else { 2 };
                for _ in 0..=self.dice.below(most) {
                    let timeout = Duration::from_secs(1 + self.dice.below(90) as u64);
                    self.request(timeout);
                }
            }
            13 => self.resume(&thread),
            14 if self.dice.one_in(4) => {
                self.machine.notify("initialized", &Json::of_text("{}"));
            }
            _ => self.respond(false)?,
        }
        self.run_driver()
    }

    pub(crate) fn submit(&mut self, thread: &str) {
        self.submitted += 1;
        let id = format!("m{}", self.submitted);
        let priority = self.dice.pick(&[
            Priority::Now,
            Priority::Next,
            Priority::Next,
            Priority::Later,
        ]);
        self.note(|| format!("user: submit {id} {priority:?} to {thread}"));
        self.checks.expect_submission(&id, thread, priority);
        self.thread_of.insert(id.clone(), thread.to_owned());
        let options = match self.dice.one_in(10) {
            true => json!({"effort": "low"}),
            false => Value::Null,
        };
        let submission = Submission {
            input: json!([{"type": "text", "text": id}]),
            id: id.into(),
            priority,
            options,
        };
        self.machine.submit(self.now, thread, submission);
    }

    pub(crate) fn request(&mut self, timeout: Duration) {
        let params = Json::of_text("{}");
        let request = self
            .machine
            .request(self.now, "model/list", &params, timeout);
        self.checks.requests(request);
    }

    fn resume(&mut self, thread: &str) {
        self.note(|| format!("user: resume {thread}"));
        let params = json!({"threadId": thread, "excludeTurns": true}).to_string();
        let timeout = Duration::from_secs(60);
        let request = self
            .machine
            .open(self.now, "thread/resume", &Json::of_text(params), timeout);
        self.checks.requests(request);
    }

    /// Responds to a request of Codex, open or not.
    pub(crate) fn respond(&mut self, is_kind: bool) -> Result<(), String> {
        let pending_requests = &self.checks.pending_requests;
        let Some((id, method)) = pending_requests
            .iter()
            .nth(self.dice.below(pending_requests.len()))
        else {
            if let Some(id) = self.responded.last().cloned() {
                let did = self.machine.respond(&id, Ok(Json::of_text("{}")));
                return self.checks.responded(&id, did);
            }
            return Ok(());
        };
        let id = id.clone();
        let decisions = ["accept", "accept", "acceptForSession", "decline", "cancel"];
        let decision = self.dice.pick(&decisions);
        let decision = if is_kind { "accept" } else { decision };
        let response = match &**method {
            _ if !is_kind && self.dice.one_in(10) => Err(ErrorObject::new(1, "No.")),
            "item/tool/call" => Ok(json!({"contentItems": [], "success": true})),
            _ => Ok(json!({ "decision": decision })),
        };
        self.note(|| format!("user: respond to {id}: {response:?}"));
        let response = response.map(|it| Json::of_text(it.to_string()));
        let did = self.machine.respond(&id, response);
        self.responded.push(id.clone());
        self.checks.responded(&id, did)
    }
}
