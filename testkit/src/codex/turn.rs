//! Turns: model requests, streamed replies, steering, interrupts and failures.

use super::call::Call;
use super::core::Core;
use super::patch::ChangedFiles;
use super::thread::{StoredTurn, Thread, Tokens, WINDOW};
use crate::request_info::RequestInfo;
use crate::scenario::{ApiError, Step, Streamed};
use crate::script::TakenReply;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// The time between the response to `turn/start` and `turn/started`, in
/// milliseconds. An interrupt in between fails.
const START_MS: u64 = 25;

/// The time before a request is repeated, in milliseconds.
const RETRY_MS: u64 = 50;

/// The kind of an error that is not retried.
const OVERLOADED: &str = "server_is_overloaded";

const DISCONNECTED: &str = "stream disconnected before completion: Transport error: network error: error \
                            decoding response body";

/// A running turn.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) id: String,
    start_at: u64,
    pub(super) is_started: bool,
    /// The item of a compaction.
    compaction: Option<Value>,
    /// User messages that the model has not got.
    pub(super) input: VecDeque<Value>,
    playing: Option<Playing>,
    pub(super) calls: Vec<Call>,
    /// Whether a model request follows.
    has_next: bool,
    has_new_tokens: bool,
    answer: Option<Value>,
    request_tries: u64,
    stream_tries: u64,
    retry_at: Option<u64>,
    is_retry: bool,
    pub(super) is_cancelled: bool,
    pub(super) changed: ChangedFiles,
}

/// A reply that is streamed.
#[derive(Debug)]
struct Playing {
    taken: TakenReply,
    step: usize,
    /// The number of items so far.
    items: usize,
    tools: usize,
    /// The item that is streamed.
    item: Option<Value>,
    chunk: usize,
    wake: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    Continue,
    Waits,
    Over,
}

/// Returns the item of a user message.
pub(super) fn user_message(core: &mut Core, input: &Value, client_id: &Value) -> Value {
    let content = input
        .as_array()
        .into_iter()
        .flatten()
        .cloned()
        .map(|mut part| {
            let (name, value) = match part["type"].as_str() {
                Some("text") => ("text_elements", json!([])),
                Some("image" | "localImage") => ("detail", Value::Null),
                _ => return part,
            };
            if let Some(members) = part.as_object_mut() {
                members.entry(name).or_insert(value);
            }
            part
        });
    let content: Vec<_> = content.collect();
    json!({ "type": "userMessage", "id": core.uuid(), "clientId": client_id, "content": content })
}

impl Turn {
    pub(super) fn new(core: &mut Core, input: Vec<Value>, is_compaction: bool) -> Self {
        let compaction = json!({ "type": "contextCompaction", "id": core.uuid() });
        Self {
            id: core.uuid(),
            start_at: core.now.saturating_add(START_MS),
            is_started: false,
            compaction: is_compaction.then_some(compaction),
            input: input.into(),
            playing: None,
            calls: vec![],
            has_next: true,
            has_new_tokens: false,
            answer: None,
            request_tries: 0,
            stream_tries: 0,
            retry_at: None,
            is_retry: false,
            is_cancelled: false,
            changed: ChangedFiles::default(),
        }
    }

    pub(super) fn is_compaction(&self) -> bool {
        self.compaction.is_some()
    }

    /// Returns the turn as it is before its start.
    pub(super) fn stored(&self, tokens: (Tokens, Option<Tokens>)) -> StoredTurn {
        StoredTurn {
            id: self.id.clone(),
            items: vec![],
            status: "inProgress".to_owned(),
            error: Value::Null,
            started_ms: None,
            completed_ms: None,
            tokens,
        }
    }

    fn due(&self) -> impl Iterator<Item = u64> {
        let start = (!self.is_started).then_some(self.start_at);
        let play = self.playing.as_ref().and_then(|it| it.wake);
        let calls = self.calls.iter().filter_map(Call::due);
        calls.chain(start).chain(self.retry_at).chain(play)
    }
}

impl Thread {
    /// Returns the times of events.
    pub(super) fn due(&self) -> impl Iterator<Item = u64> {
        let background = self.background.iter().filter_map(Call::due);
        background.chain(self.turn.iter().flat_map(Turn::due))
    }

    /// Runs the turn until it waits.
    pub(super) fn advance(&mut self, core: &mut Core) {
        self.advance_background(core);
        while let Some(mut turn) = self.turn.take() {
            let next = self.step(core, &mut turn);
            if next == Next::Over {
                self.is_approval_pending = false;
                self.store(core);
                return;
            }
            self.turn = Some(turn);
            if next == Next::Waits {
                return;
            }
        }
    }

    fn step(&mut self, core: &mut Core, turn: &mut Turn) -> Next {
        if !turn.is_started {
            if core.now < turn.start_at {
                return Next::Waits;
            }
            return self.begin(core, turn);
        }
        if self.advance_calls(core, turn) {
            return Next::Continue;
        }
        if let Some(at) = turn.retry_at {
            if core.now < at {
                return Next::Waits;
            }
            turn.retry_at = None;
            return self.request(core, turn);
        }
        if turn.playing.is_some() {
            if turn.input.is_empty() {
                return self.play(core, turn);
            }
            // Steering cuts the text that is streamed.
            turn.playing = None;
        }
        if turn.calls.iter().any(|call| call.result().is_none()) {
            return Next::Waits;
        }
        self.results
            .extend(turn.calls.drain(..).filter_map(Call::into_result));
        if std::mem::take(&mut turn.has_new_tokens) {
            self.report_tokens(core, &turn.id);
        }
        if turn.is_cancelled {
            self.end(core, turn, "interrupted", &Value::Null);
            return Next::Over;
        }
        while let Some(message) = turn.input.pop_front() {
            self.add_user_message(core, turn, message);
            turn.has_next = true;
        }
        if std::mem::take(&mut turn.has_next) {
            return self.request(core, turn);
        }
        if let Some(mut item) = turn.compaction.take() {
            self.stored.last = Some(Tokens::default());
            self.report_tokens(core, &turn.id);
            self.item_completed(core, &turn.id, &mut item);
        } else if let Some(diff) = turn.changed.diff(core, &self.stored.settings.cwd) {
            self.report_diff(core, &turn.id, &diff);
        }
        self.end(core, turn, "completed", &Value::Null);
        Next::Over
    }

    pub(super) fn report_diff(&self, core: &mut Core, turn: &str, diff: &str) {
        let params = json!({ "threadId": self.stored.id, "turnId": turn, "diff": diff });
        core.notify("turn/diff/updated", params);
    }

    fn stored_turn(&mut self, id: &str) -> Option<&mut StoredTurn> {
        self.stored.turns.iter_mut().find(|it| it.id == id)
    }

    fn begin(&mut self, core: &mut Core, turn: &mut Turn) -> Next {
        turn.is_started = true;
        self.set_status(core, "active");
        let time = core.time_ms();
        if let Some(stored) = self.stored_turn(&turn.id) {
            stored.started_ms = Some(time);
            let json = stored.json(&[], "notLoaded");
            let params = json!({ "threadId": self.stored.id, "turn": json });
            core.notify("turn/started", params);
        }
        if let Some(item) = &mut turn.compaction {
            item["startedAtMs"] = time.into();
            item["completedAtMs"] = Value::Null;
            self.item_started(core, &turn.id, item);
        }
        // Input that arrives before the first request cuts its reply.
        if let Some(message) = turn.input.pop_front() {
            self.add_user_message(core, turn, message);
            if !turn.input.is_empty() {
                turn.has_next = false;
                return self.request(core, turn);
            }
        }
        Next::Continue
    }

    fn add_user_message(&mut self, core: &mut Core, turn: &Turn, mut message: Value) {
        let texts = message["content"].as_array().into_iter().flatten();
        let texts: Vec<_> = texts.filter_map(|it| it["text"].as_str()).collect();
        if self.stored.preview.is_empty() {
            self.stored.preview = texts.join("\n");
        }
        self.texts.extend(texts.into_iter().map(str::to_owned));
        message["startedAtMs"] = core.time_ms().into();
        message["completedAtMs"] = Value::Null;
        self.item_started(core, &turn.id, &message);
        self.item_completed(core, &turn.id, &mut message);
    }

    /// Sends a request to the model.
    fn request(&mut self, core: &mut Core, turn: &mut Turn) -> Next {
        let after_tools = self.texts.is_empty() && !self.results.is_empty();
        if !self.texts.is_empty() {
            self.prompt = self.texts.join("\n");
        }
        let info = RequestInfo {
            prompt: self.prompt.clone(),
            results: if after_tools {
                self.results.clone()
            } else {
                vec![]
            },
            model: self.stored.settings.model.clone(),
            after_tools,
            is_retry: std::mem::take(&mut turn.is_retry),
            ..RequestInfo::default()
        };
        let (error, says_when) = match core.script.take(info) {
            Ok(taken) => match taken.refusal() {
                Some(error) => (
                    error.clone(),
                    taken.reply.headers.contains_key("retry-after"),
                ),
                None => {
                    turn.playing = Some(Playing {
                        taken,
                        step: 0,
                        items: 0,
                        tools: 0,
                        item: None,
                        chunk: 0,
                        wake: None,
                    });
                    return Next::Continue;
                }
            },
            Err(none) => (ApiError::from(&none), false),
        };
        self.refused(core, turn, &error, says_when)
    }

    /// Handles an error of the model's server. `says_when` is whether it has the
    /// header `retry-after`.
    fn refused(
        &mut self,
        core: &mut Core,
        turn: &mut Turn,
        error: &ApiError,
        says_when: bool,
    ) -> Next {
        let ApiError {
            status,
            kind,
            message,
        } = error;
        if *status >= 500 && kind != OVERLOADED && turn.request_tries < self.request_retries {
            turn.request_tries += 1;
            self.retry(core, turn);
            return Next::Continue;
        }
        turn.request_tries = 0;
        let disconnected =
            |status: Value| json!({ "responseStreamDisconnected": { "httpStatusCode": status } });
        let (why, retry, info) = match (*status, kind.as_str()) {
            (_, OVERLOADED) => {
                let why = "Selected model is at capacity. Please try a different model.";
                (why.to_owned(), None, "serverOverloaded".into())
            }
            (400, "context_length_exceeded") => {
                let full = Tokens {
                    total: WINDOW,
                    ..Tokens::default()
                };
                (self.stored.total, self.stored.last) = (full, Some(full));
                self.report_tokens(core, &turn.id);
                let why = "Codex ran out of room in the model's context window. Start a new thread or \
                           clear earlier history before retrying.";
                (why.to_owned(), None, "contextWindowExceeded".into())
            }
            (400, _) => {
                let error =
                    json!({ "code": kind, "message": message, "param": null, "type": kind });
                (json!({ "error": error }).to_string(), None, "other".into())
            }
            (429, "usage_limit_reached") => {
                let why = "You’ve hit your usage limit. Try again later.";
                (why.to_owned(), None, "usageLimitExceeded".into())
            }
            (429, _) => {
                let why = "exceeded retry limit, last status: 429 Too Many Requests";
                let info = json!({ "responseTooManyFailedAttempts": { "httpStatusCode": 429 } });
                (
                    why.to_owned(),
                    says_when.then(|| disconnected(429.into())),
                    info,
                )
            }
            (500.., _) => {
                let why =
                    "We’re currently experiencing high demand, which may cause temporary errors.";
                let retry = disconnected(Value::Null);
                (why.to_owned(), Some(retry), "internalServerError".into())
            }
            (status, _) => {
                let reason = match status {
                    401 => " Unauthorized",
                    403 => " Forbidden",
                    404 => " Not Found",
                    _ => "",
                };
                let url = &self.base_url;
                let why =
                    format!("unexpected status {status}{reason}: {message}, url: {url}/responses");
                let info = json!({ "httpConnectionFailed": { "httpStatusCode": status } });
                (why, Some(disconnected(status.into())), info)
            }
        };
        self.broken(core, turn, &why, retry.as_ref(), &info)
    }

    /// Repeats a request after a while.
    fn retry(&mut self, core: &Core, turn: &mut Turn) {
        turn.retry_at = Some(core.now.saturating_add(RETRY_MS));
        turn.is_retry = true;
    }

    /// Repeats a request that failed, or fails the turn. `retry` is the
    /// `codexErrorInfo` of a retry, if there can be one.
    fn broken(
        &mut self,
        core: &mut Core,
        turn: &mut Turn,
        why: &str,
        retry: Option<&Value>,
        info: &Value,
    ) -> Next {
        let Some(retry) = retry.filter(|_| turn.stream_tries < self.stream_retries) else {
            let error = error(why, info, &Value::Null);
            self.set_status(core, "systemError");
            self.report_error(core, turn, &error, false);
            self.end(core, turn, "failed", &error);
            return Next::Over;
        };
        turn.stream_tries += 1;
        let message = format!(
            "Reconnecting... {}/{}",
            turn.stream_tries, self.stream_retries
        );
        let error = error(&message, retry, &why.into());
        self.report_error(core, turn, &error, true);
        self.retry(core, turn);
        Next::Continue
    }

    fn report_error(&self, core: &mut Core, turn: &Turn, error: &Value, will_retry: bool) {
        let params = json!({
            "error": error, "willRetry": will_retry, "threadId": self.stored.id, "turnId": turn.id,
        });
        core.notify("error", params);
    }

    /// Ends a turn.
    fn end(&mut self, core: &mut Core, turn: &mut Turn, status: &str, error: &Value) {
        self.texts.clear();
        self.results.clear();
        self.is_approval_pending = false;
        self.is_asking = false;
        if status != "failed" {
            self.set_status(core, "idle");
        }
        let time = core.time_ms();
        self.stored.updated = core.time();
        let answer = turn.answer.take().filter(|_| status == "completed");
        if let Some(stored) = self.stored_turn(&turn.id) {
            status.clone_into(&mut stored.status);
            stored.error = error.clone();
            stored.completed_ms = Some(time);
            let turn = match answer {
                Some(answer) => stored.json(&[answer], "summary"),
                None => stored.json(&[], "notLoaded"),
            };
            let params = json!({ "threadId": self.stored.id, "turn": turn });
            core.notify("turn/completed", params);
        }
    }

    /// Interrupts the turn. `id` is the request to respond to meanwhile.
    pub(super) fn interrupt(&mut self, core: &mut Core, id: Option<&Value>) {
        let Some(mut turn) = self.turn.take() else {
            return;
        };
        let mut open = vec![];
        for mut call in std::mem::take(&mut turn.calls) {
            if call.is_pending_tool() {
                self.fail_tool(core, &mut call);
            } else if let Some(request) = call.pending_approval() {
                open.push(request);
            } else if call.is_running_command() {
                self.background.push(call);
            }
        }
        self.report_tokens(core, &turn.id);
        if let Some(id) = id {
            core.respond(id, &json!({}));
        }
        self.end(core, &mut turn, "interrupted", &Value::Null);
        for request in open {
            self.resolve(core, request);
        }
        self.store(core);
    }

    /// Marks the turn as interrupted, because the process ends.
    pub(super) fn abandon(&mut self, core: &mut Core) {
        if let Some(turn) = self.turn.take() {
            let time = core.time_ms();
            if let Some(stored) = self.stored_turn(&turn.id) {
                "interrupted".clone_into(&mut stored.status);
                stored.completed_ms = Some(time);
            }
            self.store(core);
        }
    }

    /// Plays the next step of a reply.
    fn play(&mut self, core: &mut Core, turn: &mut Turn) -> Next {
        let Some(mut playing) = turn.playing.take() else {
            return Next::Waits;
        };
        let Some(step) = playing.taken.reply.say.get(playing.step).cloned() else {
            if turn.is_compaction() {
                self.report_tokens(core, &turn.id);
            }
            self.reply_ended(turn, &playing);
            return Next::Continue;
        };
        let is_silent = turn.is_compaction();
        let is_done = match &step {
            Step::Text(_) | Step::Thinking(_) | Step::RedactedThinking(_) | Step::Tool(_)
                if is_silent =>
            {
                true
            }
            Step::Text(text) => self.stream(core, turn, &mut playing, text, true),
            Step::Thinking(thinking) => {
                self.stream(core, turn, &mut playing, &thinking.text, false)
            }
            Step::RedactedThinking(_) => {
                let text = Streamed::Words(String::new());
                self.stream(core, turn, &mut playing, &text, false)
            }
            Step::Tool(tool) => {
                self.texts.clear();
                self.results.clear();
                let id = playing.taken.tool_id(playing.tools);
                playing.tools += 1;
                playing.items += 1;
                self.begin_call(core, turn, tool.clone(), id);
                true
            }
            Step::WaitMs(time) => playing.has_waited(core.now, Duration::from_millis(*time)),
            Step::Gate(gate) => {
                core.gates.reach(gate);
                core.gates.is_open(gate)
            }
            Step::Cut => {
                let retry = json!({ "responseStreamDisconnected": { "httpStatusCode": null } });
                return self.broken(core, turn, DISCONNECTED, Some(&retry), &"other".into());
            }
            Step::Fault(fault) => {
                core.fault(fault.clone());
                true
            }
            Step::Error(_) | Step::Ask(_) | Step::Message(_) | Step::Load(_) => true,
        };
        if is_done {
            playing.step += 1;
        }
        turn.playing = Some(playing);
        if is_done { Next::Continue } else { Next::Waits }
    }

    /// Streams a text or reasoning. Returns whether it is complete.
    fn stream(
        &mut self,
        core: &mut Core,
        turn: &mut Turn,
        playing: &mut Playing,
        text: &Streamed,
        is_text: bool,
    ) -> bool {
        let message = playing.taken.message_id().replacen("msg_", "item_", 1);
        let id = format!("{message}_{}", playing.items);
        let chunks = text.chunks();
        let time = core.time_ms();
        if playing.item.is_none() {
            let item = match is_text {
                true => json!({
                    "type": "agentMessage", "moderation": null, "id": id, "text": "", "phase": null,
                    "memoryCitation": null, "delivery": null, "questions": null,
                    "startedAtMs": time, "completedAtMs": null,
                }),
                false => json!({
                    "type": "reasoning", "id": id, "summary": [], "content": [],
                    "startedAtMs": time, "completedAtMs": null,
                }),
            };
            self.item_started(core, &turn.id, &item);
            playing.item = Some(item);
            if !is_text && !chunks.is_empty() {
                let index = json!({ "summaryIndex": 0 });
                let method = "item/reasoning/summaryPartAdded";
                self.notify_delta(core, method, &turn.id, &id, index);
            }
        }
        while let Some(chunk) = chunks.get(playing.chunk) {
            if !playing.has_waited(core.now, text.delay()) {
                return false;
            }
            playing.chunk += 1;
            let (method, delta) = match is_text {
                true => ("item/agentMessage/delta", json!({ "delta": chunk })),
                false => (
                    "item/reasoning/summaryTextDelta",
                    json!({ "delta": chunk, "summaryIndex": 0 }),
                ),
            };
            self.notify_delta(core, method, &turn.id, &id, delta);
        }
        playing.chunk = 0;
        playing.items += 1;
        if let Some(mut item) = playing.item.take() {
            match is_text {
                true => item["text"] = text.whole().into(),
                false if chunks.is_empty() => {}
                false => item["summary"] = json!([text.whole()]),
            }
            self.item_completed(core, &turn.id, &mut item);
            if is_text {
                turn.answer = Some(item);
            }
        }
        self.texts.clear();
        self.results.clear();
        true
    }

    /// Counts the tokens of a whole reply.
    fn reply_ended(&mut self, turn: &mut Turn, playing: &Playing) {
        let reply = &playing.taken.reply;
        let usage = reply.usage.unwrap_or_default();
        let cached = usage.cache_read_input_tokens.unwrap_or(0);
        let written = usage.cache_creation_input_tokens.unwrap_or(0);
        let pieces: usize = reply.say.iter().map(pieces).sum();
        let input = usage.input_tokens.unwrap_or(10);
        let input = input.saturating_add(written).saturating_add(cached);
        let output = usage.output_tokens;
        let output = output.unwrap_or_else(|| u64::try_from(pieces).unwrap_or_default());
        let last = Tokens {
            total: input.saturating_add(output),
            input,
            cached,
            output,
        };
        self.stored.total.add(&last);
        self.stored.last = Some(last);
        turn.has_new_tokens = true;
        turn.has_next = playing.tools > 0;
        turn.stream_tries = 0;
    }
}

impl Playing {
    /// Returns whether a pause has ended, which begins with the first call.
    fn has_waited(&mut self, now: u64, time: Duration) -> bool {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let wake = *self.wake.get_or_insert(now.saturating_add(time));
        let has_ended = now >= wake;
        if has_ended {
            self.wake = None;
        }
        has_ended
    }
}

/// Returns the number of events of a step, as the scripted model counts them.
fn pieces(step: &Step) -> usize {
    match step {
        Step::Text(text) => text.chunks().len(),
        Step::Thinking(thinking) => thinking.text.chunks().len() + 1,
        Step::Tool(call) => {
            let input = match &call.input {
                Value::Null => "{}".to_owned(),
                input => input.to_string(),
            };
            let length = input.chars().count();
            length.div_ceil(length.div_ceil(3).max(1))
        }
        _ => 0,
    }
}

fn error(message: &str, info: &Value, details: &Value) -> Value {
    json!({
        "message": message, "codexErrorInfo": info, "additionalDetails": details, "misalignment": null,
    })
}
