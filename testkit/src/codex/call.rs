//! Tool calls: approvals, results and items.

use super::core::Core;
use super::patch::{self, Change};
use super::thread::Thread;
use super::turn::Turn;
use crate::scenario::ToolCall;
use serde_json::{Value, json};

/// A tool call of a turn.
#[derive(Debug)]
pub(super) struct Call {
    turn: String,
    tool: ToolCall,
    kind: Kind,
    pub(super) item: Value,
    state: State,
    /// The scope of an acceptance for the session.
    keys: Vec<String>,
    approval: Value,
}

#[derive(Debug)]
enum Kind {
    Command,
    Patch(Vec<Change>),
    Dynamic,
    Mcp,
    /// Questions for the user, which have no item.
    Question,
    Unknown,
}

#[derive(Debug)]
enum State {
    /// Waits for the approval with this ID.
    AwaitsApproval(u64),
    /// Waits for the result of a dynamic tool, or for answers.
    Called(u64),
    /// Runs until this time, after its gate has opened.
    Runs(Option<u64>),
    Done(String),
}

impl Call {
    fn new(turn: &Turn, tool: ToolCall, kind: Kind, item: Value) -> Self {
        Self {
            turn: turn.id.clone(),
            tool,
            kind,
            item,
            state: State::Runs(None),
            keys: vec![],
            approval: Value::Null,
        }
    }

    fn id(&self) -> &str {
        self.item["id"].as_str().unwrap_or_default()
    }

    pub(super) fn result(&self) -> Option<&str> {
        match &self.state {
            State::Done(result) => Some(result),
            _ => None,
        }
    }

    pub(super) fn into_result(self) -> Option<String> {
        match self.state {
            State::Done(result) => Some(result),
            _ => None,
        }
    }

    pub(super) fn due(&self) -> Option<u64> {
        match self.state {
            State::Runs(wake) => wake,
            _ => None,
        }
    }

    pub(super) fn is_pending_tool(&self) -> bool {
        matches!((&self.state, &self.kind), (State::Called(_), Kind::Dynamic))
    }

    pub(super) fn pending_approval(&self) -> Option<u64> {
        match self.state {
            State::AwaitsApproval(id) => Some(id),
            State::Called(id) if matches!(self.kind, Kind::Question) => Some(id),
            _ => None,
        }
    }

    pub(super) fn is_running_command(&self) -> bool {
        matches!((&self.state, &self.kind), (State::Runs(_), Kind::Command))
    }

    pub(super) fn process(&self) -> &Value {
        &self.item["processId"]
    }

    pub(super) fn command(&self) -> &str {
        self.tool.input["cmd"].as_str().unwrap_or_default()
    }

    /// Returns the method of the approval request.
    fn method(&self) -> &'static str {
        match self.kind {
            Kind::Patch(_) => "item/fileChange/requestApproval",
            Kind::Mcp => "mcpServer/elicitation/request",
            _ => "item/commandExecution/requestApproval",
        }
    }

    /// Returns whether the call is ready, after its gate and its duration.
    fn is_ready(&mut self, core: &mut Core) -> bool {
        let State::Runs(wake) = &mut self.state else {
            return false;
        };
        if let Some(gate) = &self.tool.gate {
            core.gates.reach(gate);
            if !core.gates.is_open(gate) {
                return false;
            }
        }
        core.now >= *wake.get_or_insert(core.now.saturating_add(self.tool.takes_ms))
    }
}

/// Returns a command as a shell gets it.
fn quoted(command: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_=/,.+:@%".contains(it);
    if !command.is_empty() && command.chars().all(is_plain) {
        return format!("/bin/bash -lc {command}");
    }
    match command.contains('\'') {
        true => format!(
            "/bin/bash -lc \"{}\"",
            command.replace('\\', "\\\\").replace('"', "\\\"")
        ),
        false => format!("/bin/bash -lc '{command}'"),
    }
}

/// Returns the words of the first of several plain commands. Returns `None` for
/// other syntax of the shell.
fn words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (vec![vec![]], None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some('"'), '$' | '`' | '\\') => return None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (
                None,
                '$' | '`' | '\\' | '<' | '>' | '(' | ')' | '{' | '}' | '*' | '?' | '~' | '#' | '!'
                | '\n' | '[',
            ) => {
                return None;
            }
            (None, ' ' | '\t' | '|' | '&' | ';') => {
                words.last_mut()?.extend(word.take());
                if !letter.is_whitespace() {
                    words.push(vec![]);
                }
            }
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.last_mut()?.extend(word);
    let first = words.into_iter().next().filter(|it| !it.is_empty());
    first.filter(|_| quote.is_none())
}

fn actions(command: &str) -> Value {
    match command {
        "ls" => json!([{ "type": "listFiles", "command": command, "path": null }]),
        _ => json!([{ "type": "unknown", "command": command }]),
    }
}

impl Thread {
    /// Begins a tool call of the model.
    pub(super) fn begin_call(
        &mut self,
        core: &mut Core,
        turn: &mut Turn,
        tool: ToolCall,
        id: String,
    ) {
        let times = json!({ "startedAtMs": core.time_ms(), "completedAtMs": null });
        let cwd = self.stored.settings.cwd.clone();
        let (kind, mut item) = match tool.name.as_str() {
            "exec_command" => {
                let command = tool.input["cmd"].as_str().unwrap_or_default();
                let item = json!({
                    "type": "commandExecution", "id": id, "pluginId": null, "scriptPath": null,
                    "command": quoted(command), "cwd": cwd, "processId": null, "source": "agent",
                    "status": "inProgress", "commandActions": actions(command),
                    "aggregatedOutput": null, "exitCode": null, "durationMs": null,
                });
                (Kind::Command, item)
            }
            "apply_patch" => {
                let text = tool.input["input"].as_str().unwrap_or_default();
                match patch::parse(core, &cwd, text) {
                    Some(changes) => {
                        let shown: Vec<_> = changes.iter().map(Change::json).collect();
                        let item = json!({
                            "type": "fileChange", "id": id, "changes": shown, "status": "inProgress",
                        });
                        (Kind::Patch(changes), item)
                    }
                    None => (Kind::Unknown, Value::Null),
                }
            }
            name if self.stored.dynamic_tools.contains(name) => {
                let item = json!({
                    "type": "dynamicToolCall", "id": id, "namespace": null, "tool": name,
                    "arguments": tool.input, "status": "inProgress", "contentItems": null,
                    "success": null, "durationMs": null,
                });
                (Kind::Dynamic, item)
            }
            "request_user_input" if self.has_questions => (Kind::Question, json!({ "id": id })),
            name => {
                let qualified = name
                    .strip_prefix("mcp__")
                    .and_then(|it| it.split_once("__"));
                match qualified.filter(|(server, _)| self.servers.contains_key(*server)) {
                    Some((server, tool_name)) => {
                        let item = json!({
                            "type": "mcpToolCall", "id": id, "server": server, "environmentId": null,
                            "tool": tool_name, "status": "inProgress", "arguments": tool.input,
                            "appContext": null, "mcpAppUi": null, "pluginId": null,
                            "readOnlyHint": (!tool.ask).then_some(true), "result": null,
                            "error": null, "durationMs": null,
                        });
                        (Kind::Mcp, item)
                    }
                    None => (Kind::Unknown, Value::Null),
                }
            }
        };
        if let (Value::Object(item), Value::Object(times)) = (&mut item, times) {
            item.extend(times);
        }
        let mut call = Call::new(turn, tool, kind, item);
        self.start(core, turn, &mut call);
        turn.calls.push(call);
        self.advance_calls(core, turn);
    }

    /// Starts a call, or asks for an approval.
    fn start(&mut self, core: &mut Core, turn: &Turn, call: &mut Call) {
        let settings = &self.stored.settings;
        let policy = settings.approval.as_str();
        let is_read_only = settings.is_read_only();
        let is_open = settings.sandbox["type"] == "dangerFullAccess";
        call.keys = match &call.kind {
            Kind::Command => vec![call.command().to_owned()],
            Kind::Patch(changes) => changes.iter().map(|it| it.path.clone()).collect(),
            Kind::Mcp => vec![call.tool.name.clone()],
            Kind::Dynamic | Kind::Question | Kind::Unknown => vec![],
        };
        let is_accepted = call.keys.iter().all(|key| self.accepted.contains(key));
        let escalates = call.tool.input["sandbox_permissions"] == "require_escalated";
        let asks = match (&call.kind, policy) {
            (Kind::Command, "untrusted") => true,
            (Kind::Command, "on-request") => escalates,
            (Kind::Patch(_), "untrusted") => true,
            (Kind::Patch(_), "on-request") => is_read_only,
            (Kind::Mcp, "untrusted" | "on-request") => {
                let server = call.item["server"].as_str().unwrap_or_default();
                call.tool.ask || self.servers.get(server) == Some(&true)
            }
            _ => false,
        };
        match call.kind {
            Kind::Unknown => {
                call.state = State::Done(format!("unsupported call: {}", call.tool.name));
            }
            Kind::Dynamic => {
                self.item_started(core, &turn.id, &call.item);
                let id = core.request_id();
                let item = &call.item;
                let params = json!({
                    "threadId": self.stored.id, "turnId": turn.id, "callId": item["id"],
                    "namespace": null, "tool": item["tool"], "arguments": item["arguments"],
                });
                core.send_request(id, "item/tool/call", &params);
                call.state = State::Called(id);
            }
            Kind::Question => {
                let questions = call.tool.input["questions"]
                    .as_array()
                    .into_iter()
                    .flatten();
                let questions = questions.map(|it| {
                    let mut it = it.clone();
                    it["isOther"] = true.into();
                    it["isSecret"] = false.into();
                    it
                });
                self.is_asking = true;
                self.report_status(core);
                let id = core.request_id();
                let params = json!({
                    "threadId": self.stored.id, "turnId": turn.id, "itemId": call.item["id"],
                    "questions": questions.collect::<Vec<_>>(), "isBlocking": false,
                    "autoResolutionMs": null,
                });
                core.send_request(id, "item/tool/requestUserInput", &params);
                call.state = State::Called(id);
            }
            _ if asks && !is_accepted => self.request_approval(core, turn, call),
            Kind::Command => {
                occupy(core, call);
                self.item_started(core, &turn.id, &call.item);
            }
            Kind::Patch(_) => {
                // A patch that the sandbox refuses has no item.
                if policy == "never" && is_read_only {
                    call.state = State::Done("patch rejected".to_owned());
                } else {
                    self.item_started(core, &turn.id, &call.item);
                }
            }
            Kind::Mcp => {
                self.item_started(core, &turn.id, &call.item);
                if policy == "never" && call.tool.ask && !is_open {
                    let why = "MCP tool call requires approval, but approval policy is never";
                    call.item["error"] = json!({ "message": why });
                    self.reject(core, call, "failed", why);
                }
            }
        }
    }

    fn request_approval(&mut self, core: &mut Core, turn: &Turn, call: &mut Call) {
        let item = &call.item;
        let id = core.request_id();
        let had_to_wait = std::mem::replace(&mut self.is_approval_pending, true);
        let mut params = json!({ "threadId": self.stored.id, "turnId": turn.id });
        let more = match &call.kind {
            Kind::Patch(_) => json!({
                "itemId": item["id"], "startedAtMs": core.time_ms(), "reason": null, "grantRoot": null,
            }),
            Kind::Mcp => {
                let (server, tool) = (&item["server"], &item["tool"]);
                let name = |it: &Value| it.as_str().unwrap_or_default().to_owned();
                let message = format!("Allow the {} MCP server to run tool {tool}?", name(server));
                json!({
                    "serverName": server, "environmentId": null, "mode": "form", "message": message,
                    "requestedSchema": { "type": "object", "properties": {} },
                    "_meta": {
                        "codex_approval_kind": "mcp_tool_call", "persist": ["session", "always"],
                        "tool_name": tool, "tool_description": tool,
                        "tool_params": item["arguments"], "tool_params_display": [],
                    },
                })
            }
            _ => {
                let command = call.command();
                let amendment = match words(command) {
                    Some(words) => json!(words),
                    None => json!(["/bin/bash", "-lc", command]),
                };
                let always = json!({ "acceptWithExecpolicyAmendment": { "execpolicy_amendment": amendment } });
                let mut params = json!({
                    "kind": "command", "itemId": item["id"], "startedAtMs": core.time_ms(),
                    "environmentId": "local", "command": item["command"], "cwd": item["cwd"],
                    "commandActions": item["commandActions"],
                    "proposedExecpolicyAmendment": amendment,
                    "availableDecisions": ["accept", always, "cancel"],
                });
                if let reason @ Value::String(_) = &call.tool.input["justification"] {
                    params["reason"] = reason.clone();
                }
                params
            }
        };
        if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
            params.extend(more);
        }
        let is_command = matches!(call.kind, Kind::Command);
        if !is_command {
            self.item_started(core, &turn.id, &call.item);
        }
        if !had_to_wait {
            self.report_status(core);
        }
        if is_command {
            self.item_started(core, &turn.id, &call.item);
        }
        core.send_request(id, call.method(), &params);
        call.approval = params;
        call.state = State::AwaitsApproval(id);
    }

    /// Sends pending requests again.
    pub(super) fn repeat_request(&self, core: &mut Core) {
        for call in self.turn.iter().flat_map(|turn| &turn.calls) {
            if let State::AwaitsApproval(id) = call.state {
                core.send_request(id, call.method(), &call.approval);
            }
        }
    }

    pub(super) fn resolve(&self, core: &mut Core, id: u64) {
        let params = json!({ "threadId": self.stored.id, "requestId": id });
        core.notify("serverRequest/resolved", params);
    }

    /// Handles the client's response to a request. Returns whether the request
    /// was the thread's.
    pub(super) fn answered(&mut self, core: &mut Core, id: u64, result: Option<&Value>) -> bool {
        let Some(mut turn) = self.turn.take() else {
            return false;
        };
        let is_asked = |call: &Call| matches!(call.state, State::AwaitsApproval(it) | State::Called(it) if it == id);
        let index = turn.calls.iter().position(is_asked);
        if let Some(index) = index {
            let mut call = turn.calls.remove(index);
            match call.state {
                State::Called(_) if matches!(call.kind, Kind::Question) => {
                    self.resolve(core, id);
                    self.is_asking = false;
                    self.report_status(core);
                    let answers = result.cloned().unwrap_or_else(|| json!({ "answers": {} }));
                    call.state = State::Done(answers.to_string());
                }
                State::Called(_) => self.tool_answered(core, &mut call, result),
                _ => self.decided(core, &mut turn, &mut call, id, result),
            }
            turn.calls.insert(index, call);
        }
        self.turn = Some(turn);
        index.is_some()
    }

    fn tool_answered(&mut self, core: &mut Core, call: &mut Call, result: Option<&Value>) {
        let answer =
            result.filter(|it| it["contentItems"].is_array() && it["success"].is_boolean());
        let failed = json!([{ "type": "inputText", "text": match result {
            Some(_) => "dynamic tool response was invalid",
            None => "dynamic tool request failed",
        } }]);
        let items = answer.map_or(failed, |it| it["contentItems"].clone());
        let is_success = answer.is_some_and(|it| it["success"] == true);
        let texts = items.as_array().into_iter().flatten();
        let texts: Vec<_> = texts.filter_map(|it| it["text"].as_str()).collect();
        let text = texts.join("\n");
        call.item["contentItems"] = items;
        call.item["success"] = is_success.into();
        self.finish(
            core,
            call,
            if is_success { "completed" } else { "failed" },
            text,
        );
    }

    /// Fails the pending call of a dynamic tool, because of an interrupt.
    pub(super) fn fail_tool(&mut self, core: &mut Core, call: &mut Call) {
        call.item["contentItems"] = json!([]);
        call.item["success"] = false.into();
        self.finish(core, call, "failed", String::new());
    }

    fn decided(
        &mut self,
        core: &mut Core,
        turn: &mut Turn,
        call: &mut Call,
        id: u64,
        result: Option<&Value>,
    ) {
        self.resolve(core, id);
        let mut still = turn.calls.iter().filter_map(Call::pending_approval);
        let is_last = still.next().is_none();
        self.is_approval_pending = !is_last;
        let null = Value::Null;
        let result = result.unwrap_or(&null);
        let decision = match call.kind {
            Kind::Mcp => &result["action"],
            _ => &result["decision"],
        };
        let accepts_more = decision.get("acceptWithExecpolicyAmendment").is_some();
        let persists = result["_meta"]["persist"].is_string();
        let is_command = matches!(call.kind, Kind::Command);
        match decision.as_str().unwrap_or_default() {
            word @ ("accept" | "acceptForSession") => {
                if word == "acceptForSession" || persists {
                    self.accepted.extend(call.keys.iter().cloned());
                }
            }
            _ if accepts_more => self.accepted.extend(call.keys.iter().cloned()),
            word => {
                let status = match (&call.kind, word) {
                    (Kind::Patch(_), _) | (Kind::Command, "decline" | "cancel") => "declined",
                    _ => "failed",
                };
                turn.is_cancelled |= word == "cancel" && !matches!(call.kind, Kind::Mcp);
                if is_command {
                    self.reject(core, call, status, "rejected by user");
                }
                if is_last {
                    self.report_status(core);
                }
                match call.kind {
                    Kind::Command => {}
                    // The item of a cancelled patch stays open.
                    Kind::Patch(_) if word == "cancel" => {
                        call.state = State::Done("rejected by user".to_owned());
                    }
                    Kind::Mcp => {
                        let why = match word {
                            "cancel" => "user cancelled MCP tool call",
                            _ => "user rejected MCP tool call",
                        };
                        call.item["error"] = json!({ "message": why });
                        self.reject(core, call, status, why);
                    }
                    _ => self.reject(core, call, status, "rejected by user"),
                }
                return;
            }
        }
        if is_last {
            self.report_status(core);
        }
        if is_command {
            occupy(core, call);
        }
        call.state = State::Runs(None);
    }

    fn reject(&mut self, core: &mut Core, call: &mut Call, status: &str, why: &str) {
        self.finish(core, call, status, why.to_owned());
    }

    /// Completes the item of a call.
    fn finish(&mut self, core: &mut Core, call: &mut Call, status: &str, result: String) {
        call.item["status"] = status.into();
        if matches!(call.kind, Kind::Dynamic | Kind::Mcp) {
            call.item["durationMs"] = duration(core, call);
        }
        let turn = call.turn.clone();
        self.item_completed(core, &turn, &mut call.item);
        call.state = State::Done(result);
    }

    /// Completes calls that are ready. Returns whether there was one.
    pub(super) fn advance_calls(&mut self, core: &mut Core, turn: &mut Turn) -> bool {
        let mut has_finished = false;
        let mut calls = std::mem::take(&mut turn.calls);
        for call in &mut calls {
            // A command that was asked about waits for the other approvals.
            let is_approval_pending = self.is_approval_pending && !call.approval.is_null();
            if !is_approval_pending && call.is_ready(core) {
                has_finished = true;
                self.run(core, Some(&mut *turn), call);
            }
        }
        turn.calls = calls;
        has_finished
    }

    /// Completes commands that run on after an interrupt.
    pub(super) fn advance_background(&mut self, core: &mut Core) {
        for mut call in std::mem::take(&mut self.background) {
            if call.is_ready(core) {
                self.run(core, None, &mut call);
                self.store(core);
            } else {
                self.background.push(call);
            }
        }
    }

    /// Ends a command of the background.
    pub(super) fn terminate(&mut self, core: &mut Core, mut call: Call) {
        call.item["exitCode"] = (-1).into();
        call.item["durationMs"] = duration(core, &call);
        self.finish(core, &mut call, "failed", String::new());
        self.store(core);
    }

    fn run(&mut self, core: &mut Core, turn: Option<&mut Turn>, call: &mut Call) {
        let text = call.tool.result.clone();
        let status = if call.tool.is_error {
            "failed"
        } else {
            "completed"
        };
        match &call.kind {
            Kind::Command => {
                call.item["durationMs"] = duration(core, call);
                // The output of a short command is only in its item.
                let is_slow = call.tool.gate.is_some() || call.tool.takes_ms > 0;
                if is_slow && !text.is_empty() {
                    let (method, delta) = (
                        "item/commandExecution/outputDelta",
                        json!({ "delta": text }),
                    );
                    self.notify_delta(core, method, &call.turn, call.id(), delta);
                }
                if !text.is_empty() {
                    call.item["aggregatedOutput"] = text.as_str().into();
                }
                call.item["exitCode"] = i32::from(call.tool.is_error).into();
                self.finish(core, call, status, text);
            }
            Kind::Patch(changes) => {
                let mut diff = None;
                if let (false, Some(turn)) = (call.tool.is_error, turn) {
                    turn.changed.apply(core, changes, call.tool.writes);
                    diff = turn.changed.diff(core, &self.stored.settings.cwd);
                }
                let turn = call.turn.clone();
                self.finish(core, call, status, text);
                if let Some(diff) = diff {
                    self.report_diff(core, &turn, &diff);
                }
            }
            Kind::Mcp | Kind::Dynamic | Kind::Question | Kind::Unknown => {
                let content = json!([{ "type": "text", "text": text }]);
                call.item["result"] =
                    json!({ "content": content, "structuredContent": null, "_meta": null });
                self.finish(core, call, status, text);
            }
        }
    }
}

/// Sets the process of a command.
fn occupy(core: &mut Core, call: &mut Call) {
    // The numbers of the real one are of chance.
    let number = core
        .uuid()
        .rsplit('-')
        .next()
        .and_then(|it| u64::from_str_radix(it, 16).ok());
    call.item["processId"] = number.unwrap_or_default().to_string().into();
    call.item["source"] = "unifiedExecStartup".into();
}

fn duration(core: &Core, call: &Call) -> Value {
    let started = call.item["startedAtMs"].as_u64().unwrap_or_default();
    core.time_ms().saturating_sub(started).into()
}
