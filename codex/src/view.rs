//! Views of threads.
//!
//! Views take updates of the Agent Client Protocol. A [`Feed`] translates Codex' notifications,
//! requests and items into such updates.

mod items;
mod requests;
#[cfg(test)]
mod tests;

use agentwire_protocol::host::SubmissionState;
use agentwire_protocol::{Json, Message};
use agentwire_view::entry::{Activity, Status};
use agentwire_view::{AcpInput, Body, Input, View};
use items::{array, call, change_contents, notice, prompt, text, whole_text};
use requests::RequestEntry;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The maximum number of items and requests that are followed at the same time.
const FOLLOWED: usize = 4096;

/// Translates the messages of Codex about one thread into inputs of a view.
///
/// A view of a thread that was [restored](Self::restored) has the entries of the live view,
/// except for what Codex does not store: texts that were cut off, plans as to-do lists,
/// questions, approvals, notices that are no items, and the tokens of turns.
#[derive(Debug, Clone)]
pub(crate) struct Feed {
    thread_id: String,
    /// The items that are not completed, by ID.
    open: BTreeMap<String, Open>,
    /// The pending requests, by ID.
    requests: HashMap<String, RequestEntry>,
    /// The tokens of the turn: input, cached input, input written to the cache, output.
    tokens: [u64; 4],
    /// The total of the last report, to recognize a repeated one.
    last_total: Value,
    /// The rate limits for which a notice was shown, by window, with the time of their reset.
    limits: HashMap<String, Value>,
}

/// An item that is not completed.
#[derive(Debug, Clone)]
struct Open {
    entry: String,
    item: Value,
    /// Whether the turn of a call has ended, or the model request of a text has failed.
    is_of_past: bool,
    /// The current part of a reasoning item: whether it is raw content, and its index.
    part: Option<(bool, u64)>,
    /// The text of a plan so far, and the length of what is shown.
    plan: (String, usize),
}

impl Open {
    fn kind(&self) -> &str {
        text(&self.item, "type").unwrap_or_default()
    }

    fn is_text(&self) -> bool {
        matches!(self.kind(), "agentMessage" | "reasoning" | "plan")
    }
}

impl Feed {
    /// Creates the feed of the thread with this ID.
    pub(crate) fn new(thread_id: &str) -> Self {
        Self {
            thread_id: thread_id.to_owned(),
            open: BTreeMap::new(),
            requests: HashMap::new(),
            tokens: [0; 4],
            last_total: Value::Null,
            limits: HashMap::new(),
        }
    }

    fn is_other(&self, params: &Value) -> bool {
        let thread = text(params, "threadId").or(text(&params["thread"], "id"));
        thread.is_some_and(|it| it != self.thread_id)
    }

    /// Shows a notification of Codex. Those of other threads are ignored.
    pub(crate) fn notification(&mut self, view: &mut View, method: &str, params: &Value) {
        if self.is_other(params) {
            return;
        }
        match method {
            "item/started" => self.item(view, &params["item"], false),
            "item/completed" => self.item(view, &params["item"], true),
            "item/agentMessage/delta" => self.grow(view, params, "agentMessage", None),
            "item/reasoning/summaryTextDelta" => {
                let part = (false, params["summaryIndex"].as_u64().unwrap_or_default());
                self.grow(view, params, "reasoning", Some(part));
            }
            "item/reasoning/textDelta" => {
                let part = (true, params["contentIndex"].as_u64().unwrap_or_default());
                self.grow(view, params, "reasoning", Some(part));
            }
            "item/plan/delta" => self.grow_plan(view, params),
            "item/commandExecution/outputDelta" => {
                let delta = json!({"terminal_output_delta": {"data": params["delta"]}});
                self.update_call(view, params, json!({"_meta": delta}));
            }
            "item/fileChange/patchUpdated" => {
                let content = change_contents(&params["changes"]);
                self.update_call(view, params, json!({"content": content}));
            }
            "item/mcpToolCall/progress" => {
                let content = json!({"type": "text", "text": params["message"]});
                let content = json!([{"type": "content", "content": content}]);
                self.update_call(view, params, json!({"content": content}));
            }
            "turn/started" => {
                self.tokens = [0; 4];
                view.push(Input::Activity(Activity::Running));
            }
            "turn/completed" => {
                self.run_on(view);
                self.turn_end(view, &params["turn"]);
            }
            "turn/plan/updated" => plan(view, params),
            "thread/status/changed" => activity(view, &params["status"]),
            "thread/started" => self.session(view, &params["thread"]),
            "thread/settings/updated" => self.session(view, &params["threadSettings"]),
            "thread/name/updated" => self.session(view, &json!({"name": params["threadName"]})),
            "thread/tokenUsage/updated" => self.usage(&params["tokenUsage"]),
            "account/rateLimits/updated" => self.rate_limits(view, &params["rateLimits"]),
            "error" if params["willRetry"] == true => {
                for open in self.open.values_mut().filter(|it| it.is_text()) {
                    open.is_of_past = true;
                }
                retry(view, &params["error"]);
            }
            "serverRequest/resolved" => match &params["requestId"] {
                Value::String(id) => self.finish_request(view, id, false),
                id => self.finish_request(view, &id.to_string(), false),
            },
            method => {
                if let Some(notice) = notice(method, params) {
                    update(view, notice);
                }
            }
        }
    }

    /// Shows the members of a thread, of its settings, or of the response that opened it: the
    /// working directory, the model, the approval policy and the title.
    pub(crate) fn session(&self, view: &mut View, of: &Value) {
        let init: Option<Message> = read(json!({
            "type": "system", "subtype": "init", "session_id": self.thread_id,
            "cwd": text(of, "cwd"), "model": text(of, "model"),
            "permissionMode": text(of, "approvalPolicy"),
        }));
        if let Some(init) = &init {
            view.push(init);
        }
        if let Some(name) = text(of, "name") {
            update(
                view,
                json!({"sessionUpdate": "session_info_update", "title": name}),
            );
        }
    }

    /// Shows the history of a thread: turns with their items, or items. The view must not have
    /// entries for them yet.
    pub(crate) fn restored(&mut self, view: &mut View, history: &[Value]) {
        for it in history {
            if it["items"].is_array() {
                self.restored(view, array(it, "items"));
                if text(it, "status").is_some_and(|it| it != "inProgress") {
                    self.turn_end(view, it);
                }
            } else {
                self.item(view, it.get("item").unwrap_or(it), true);
            }
        }
    }

    /// Returns an item. Begins an entry if the item is new. An ID that an item of an earlier
    /// turn had gets a number.
    fn entry(&mut self, view: &View, id: &str, item: &Value, starts: bool) -> &mut Open {
        if starts && self.open.get(id).is_some_and(|it| it.is_of_past) {
            self.open.remove(id);
        }
        if self.open.len() >= FOLLOWED {
            self.open.clear();
        }
        self.open.entry(id.to_owned()).or_insert_with(|| Open {
            entry: free(view, id),
            item: item.clone(),
            is_of_past: false,
            part: None,
            plan: Default::default(),
        })
    }

    fn item(&mut self, view: &mut View, item: &Value, is_done: bool) {
        let (Some(kind), Some(id)) = (text(item, "type"), text(item, "id")) else {
            return;
        };
        // Items that go on are stored, too.
        let is_done = is_done && text(item, "status") != Some("inProgress");
        match kind {
            "userMessage" => {
                self.cut(view);
                let uuid = text(item, "clientId").unwrap_or(id);
                if let Some(message) = read(prompt(item)) {
                    let message = &message;
                    view.push(Input::Sent { uuid, message });
                    let state = SubmissionState::Started;
                    view.push(Input::Delivery { uuid, state });
                }
            }
            "agentMessage" | "reasoning" | "plan" if !is_done => {
                self.retract(view);
                let open = self.entry(view, id, &json!({"type": kind}), true);
                // A text that starts over replaces what came before.
                message(view, kind, &open.entry, Some(""));
                (open.part, open.plan) = Default::default();
            }
            "agentMessage" | "reasoning" | "plan" => {
                let open = self.open.remove(id);
                let entry = open.map_or_else(|| free(view, id), |it| it.entry);
                message(view, kind, &entry, Some(&whole_text(item)));
            }
            _ => match items::item_notice(item) {
                Some(mut notice) if is_done => {
                    notice["_meta"]["id"] = free(view, id).into();
                    update(view, notice);
                }
                Some(_) => {}
                None => self.call(view, id, item, is_done),
            },
        }
    }

    fn call(&mut self, view: &mut View, id: &str, item: &Value, is_done: bool) {
        let cwd = view.session().cwd.clone();
        let Some(mut call) = call(item, cwd.as_deref(), is_done) else {
            return;
        };
        let open = self.entry(view, id, item, !is_done);
        open.item = item.clone();
        let entry = open.entry.clone();
        if is_done {
            self.open.remove(id);
        }
        call["toolCallId"] = entry.as_str().into();
        update(view, call);
        if text(item, "status") == Some("declined") {
            let params = json!({"toolCall": {"toolCallId": entry}});
            view.push(AcpInput::Denied { params: &params });
        }
    }

    /// Appends to a text. The start of the item may have been missed.
    fn grow(&mut self, view: &mut View, params: &Value, kind: &str, part: Option<(bool, u64)>) {
        let (Some(id), Some(delta)) = (text(params, "itemId"), text(params, "delta")) else {
            return;
        };
        if !self.open.contains_key(id) && view.get(id).is_some() {
            return;
        }
        let open = self.entry(view, id, &json!({"type": kind}), false);
        let before = view.get(&open.entry).map(|it| &it.body);
        let separator = match before {
            // Something ended the text in the view. Its item will replace it.
            Some(Body::Text(it) | Body::Thought(it)) if it.complete => return,
            Some(_) if open.part != part => "\n\n",
            _ => "",
        };
        open.part = part;
        let name = match kind {
            "reasoning" => "agent_thought_chunk",
            _ => "agent_message_chunk",
        };
        let content = json!({"type": "text", "text": format!("{separator}{delta}")});
        let chunk = json!({"sessionUpdate": name, "messageId": open.entry, "content": content});
        update(view, chunk);
    }

    /// Appends to a plan. Each change of a view contains the whole plan, so it is made only after
    /// the plan has grown by an eighth: the length of all changes stays linear.
    fn grow_plan(&mut self, view: &mut View, params: &Value) {
        const LONGEST: usize = 64 * 1024;
        let (Some(id), Some(delta)) = (text(params, "itemId"), text(params, "delta")) else {
            return;
        };
        let is_over = !self.open.contains_key(id) && view.get(id).is_some();
        if is_over {
            return;
        }
        let open = self.entry(view, id, &json!({"type": "plan"}), false);
        let (plan, shown) = &mut open.plan;
        if plan.len() > LONGEST {
            return;
        }
        plan.push_str(delta);
        if plan.len() > *shown + *shown / 8 {
            *shown = plan.len();
            message(view, "plan", &open.entry, Some(plan));
        }
    }

    fn update_call(&self, view: &mut View, params: &Value, mut change: Value) {
        if let Some(open) = text(params, "itemId").and_then(|id| self.open.get(id)) {
            change["sessionUpdate"] = "tool_call_update".into();
            change["toolCallId"] = open.entry.as_str().into();
            update(view, change);
        }
    }

    /// Ends all incomplete texts. Codex does not complete a text that was cut off.
    fn cut(&mut self, view: &mut View) {
        self.open.retain(|_, open| {
            if open.is_text() {
                let whole = (open.kind() == "plan").then_some(&*open.plan.0);
                message(view, open.kind(), &open.entry, whole);
            }
            !open.is_text()
        });
    }

    /// Removes the texts of a failed model request that is repeated.
    fn retract(&mut self, view: &mut View) {
        self.open.retain(|_, open| {
            let is_retracted = open.is_text() && open.is_of_past;
            if is_retracted {
                message(view, open.kind(), &open.entry, Some(""));
            }
            !is_retracted
        });
    }

    /// Moves commands that run at the end of the turn into the background.
    fn run_on(&mut self, view: &mut View) {
        self.cut(view);
        for (id, open) in &self.open {
            let is_command = open.kind() == "commandExecution";
            if is_command && status(view, &open.entry) == Some(Status::InProgress) {
                let task = text(&open.item, "processId").unwrap_or(id);
                update(
                    view,
                    json!({"sessionUpdate": "tool_call_update", "toolCallId": open.entry,
                        "_meta": {"background": {"taskId": task}}}),
                );
            }
        }
    }

    fn turn_end(&mut self, view: &mut View, turn: &Value) {
        let questions = self.requests.iter();
        let questions = questions
            .filter(|(_, it)| matches!(it, RequestEntry::Question(_) | RequestEntry::Form));
        let questions: Vec<String> = questions.map(|(id, _)| id.clone()).collect();
        for id in questions {
            self.finish_request(view, &id, true);
        }
        let status = text(turn, "status").unwrap_or_default();
        let error = (status == "failed").then(|| items::failure(&turn["error"]));
        let [input, read, write, output] = std::mem::take(&mut self.tokens);
        let response = json!({
            "stopReason": if status == "interrupted" { "cancelled" } else { "end_turn" },
            "usage": {
                "inputTokens": input.saturating_sub(read.saturating_add(write)),
                "cachedReadTokens": read, "cachedWriteTokens": write, "outputTokens": output,
            },
            "_meta": {
                "error": error, "durationMs": turn["durationMs"],
                "turnId": text(turn, "id"),
            },
        });
        view.push(AcpInput::Response(&response));
        for open in self.open.values_mut() {
            open.is_of_past = true;
        }
    }

    fn usage(&mut self, usage: &Value) {
        // Codex repeats a report.
        if usage["total"] == self.last_total {
            return;
        }
        self.last_total = usage["total"].clone();
        let names = [
            "inputTokens",
            "cachedInputTokens",
            "cacheWriteInputTokens",
            "outputTokens",
        ];
        for (sum, name) in self.tokens.iter_mut().zip(names) {
            *sum = sum.saturating_add(usage["last"][name].as_u64().unwrap_or_default());
        }
    }

    /// Shows a notice once per window in which a limit is close.
    fn rate_limits(&mut self, view: &mut View, limits: &Value) {
        for name in ["primary", "secondary"] {
            let window = &limits[name];
            let used = window["usedPercent"].as_f64().unwrap_or_default();
            let key = format!("{name}/{}", used >= 100.0);
            if used < 90.0 || self.limits.get(&key) == Some(&window["resetsAt"]) {
                continue;
            }
            self.limits.insert(key, window["resetsAt"].clone());
            update(view, items::rate_limit(window, used));
        }
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    Json::from(value).read().ok()
}

fn update(view: &mut View, update: Value) {
    view.push(AcpInput::Update(&update));
}

/// Shows the complete text of an item, or marks its entry as complete.
fn message(view: &mut View, kind: &str, entry: &str, whole: Option<&str>) {
    let content = whole.map(|it| json!([{"type": "text", "text": it}]));
    let name = match kind {
        "plan" => {
            let plan = json!({"type": "markdown", "planId": entry, "content": whole});
            return update(view, json!({"sessionUpdate": "plan_update", "plan": plan}));
        }
        "reasoning" => "agent_thought",
        _ => "agent_message",
    };
    update(
        view,
        json!({"sessionUpdate": name, "messageId": entry, "content": content}),
    );
}

fn plan(view: &mut View, params: &Value) {
    let entry = |step: &Value| {
        let status = match text(step, "status") {
            Some("inProgress") => "in_progress",
            Some(status) => status,
            None => "pending",
        };
        json!({"content": step["step"], "status": status})
    };
    let entries: Vec<Value> = array(params, "plan").iter().map(entry).collect();
    update(view, json!({"sessionUpdate": "plan", "entries": entries}));
}

/// Shows that a model request is repeated. The view removes the notice when the model responds.
fn retry(view: &mut View, error: &Value) {
    let said = text(error, "message").unwrap_or_default();
    let numbers = said.rsplit(' ').next().and_then(|it| it.split_once('/'));
    let number = |it: &str| it.parse::<u32>().ok();
    let message: Option<Message> = read(json!({
        "type": "system", "subtype": "api_retry",
        "attempt": numbers.and_then(|it| number(it.0)),
        "max_retries": numbers.and_then(|it| number(it.1)),
        "error": text(error, "additionalDetails").unwrap_or(said),
    }));
    if let Some(message) = &message {
        view.push(message);
    }
}

fn activity(view: &mut View, status: &Value) {
    let activity = match text(status, "type") {
        Some("active") if array(status, "activeFlags").is_empty() => Activity::Running,
        Some("active") => Activity::RequiresAction,
        Some("idle" | "systemError" | "notLoaded") => Activity::Idle,
        _ => return,
    };
    view.push(Input::Activity(activity));
}

fn status(view: &View, entry: &str) -> Option<Status> {
    match &view.get(entry)?.body {
        Body::ToolCall(call) => Some(call.status),
        _ => None,
    }
}

/// Returns the ID, with a number appended if another entry has it.
fn free(view: &View, id: &str) -> String {
    let numbered = (2_u64..).map(|number| format!("{id}#{number}"));
    let mut ids = std::iter::once(id.to_owned()).chain(numbered);
    ids.find(|id| view.get(id).is_none())
        .unwrap_or_else(|| id.to_owned())
}
