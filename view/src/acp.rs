//! The updates of agents that speak the Agent Client Protocol (ACP), as changes.
//!
//! The updates are JSON values and not the types of the protocol's crate: agents send members
//! and values for which these have no place.

use crate::change::Member;
use crate::entry::{
    Approval, Attachment, Background, Body, Command, Content, Delivery, Diff, EntryId, Failure,
    FailureReason, Hunk, Lines, Location, LongText, NoticeKind, Outcome, Plan, PlanItem, Prompt,
    Status, Text, Tokens, ToolCall, ToolKind, TurnEnd,
};
use crate::fold::FOLLOWED;
use crate::text::{append, cut, lines, output, title};
use crate::tool::{cut_diff, patch};
use crate::view::View;
use crate::{TextMember, entry::Activity};
use serde_json::Value;
use similar::TextDiff;
use std::borrow::Cow;

/// State that later updates need and that is not in the entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acp {
    /// The incomplete text, whether it is a thought, and the ID of its message.
    text: Option<(EntryId, bool, Option<Box<str>>)>,
    /// The incomplete prompt, while a session is loaded.
    prompt: Option<EntryId>,
    plan: Option<EntryId>,
    /// The calls of the turn.
    calls: Vec<EntryId>,
    texts: u64,
    /// The cost of the session, with its currency.
    cost: Option<(String, String)>,
}

/// A message of an agent in the Agent Client Protocol.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum AcpInput<'a> {
    /// The `update` of a `session/update`. Whole messages, patches and plans in Markdown have the
    /// form of version 2 of the protocol.
    ///
    /// Members of `_meta` extend the protocol: `background.taskId` of a tool call is the background
    /// task that it became, which does not end with its turn. `id` of a `notice` is the ID of the
    /// entry, and `kind` the name of its [`NoticeKind`].
    Update(&'a Value),
    /// The `update` of a `session/update` while a session is loaded. Then the updates include
    /// prompts.
    Replayed(&'a Value),
    /// The parameters of a `session/request_permission`.
    Permission {
        /// The host's ID of the request.
        request_id: &'a str,
        /// The parameters.
        params: &'a Value,
    },
    /// The host denied the tool call of a request. Some agents send no update for it.
    Denied {
        /// The parameters of the request.
        params: &'a Value,
    },
    /// The response to a `session/prompt`. Its `_meta` may have the `error` of a turn that failed,
    /// its `durationMs`, and the `turnId` that is the ID of the entry.
    Response(&'a Value),
    /// The error that is the response to a `session/prompt`.
    Failed(&'a str),
}

impl View {
    pub(crate) fn acp(&mut self, input: AcpInput<'_>) {
        match input {
            AcpInput::Update(update) => self.acp_update(update, false),
            AcpInput::Replayed(update) => self.acp_update(update, true),
            AcpInput::Permission { request_id, params } => self.acp_permission(request_id, params),
            AcpInput::Denied { params } => {
                let id = &params["toolCall"]["toolCallId"];
                if let Some(id) = id.as_str().map(EntryId::from)
                    && self.get(&id).is_some()
                {
                    self.acp_failed(
                        &id,
                        FailureReason::DeniedByUser,
                        "The user denied the call.",
                    );
                }
            }
            AcpInput::Response(response) => {
                self.acp_turn_end(response, text(&response["_meta"], "error"));
            }
            AcpInput::Failed(error) => self.acp_turn_end(&Value::Null, Some(error)),
        }
    }

    fn acp_update(&mut self, update: &Value, replayed: bool) {
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        if kind != "user_message_chunk" {
            self.fold.acp.prompt = None;
        }
        if kind.starts_with("agent_") || kind.starts_with("tool_call") {
            self.retried();
        }
        match kind {
            "agent_message_chunk" => self.acp_chunk(update, false),
            "agent_thought_chunk" => self.acp_chunk(update, true),
            "agent_message" => self.acp_message(update, false),
            "agent_thought" => self.acp_message(update, true),
            "user_message_chunk" if replayed => self.acp_prompt(update),
            "tool_call" | "tool_call_update" => {
                self.acp_call(update);
            }
            "plan" => self.acp_plan(update),
            "plan_update" => self.acp_plan_text(&update["plan"]),
            "current_mode_update" => {
                let mode = text(update, "currentModeId").map(title);
                let mut session = self.session.clone();
                session.permission_mode = mode.or(session.permission_mode);
                self.acp_session(session);
            }
            "session_info_update" => {
                if let Some(it) = text(update, "title") {
                    self.title(it);
                }
            }
            "usage_update" => {
                let cost = &update["cost"];
                if let (Some(amount), Some(currency)) =
                    (cost["amount"].as_number(), text(cost, "currency"))
                {
                    self.fold.acp.cost = Some((amount.to_string(), currency.to_owned()));
                }
            }
            "notice" => {
                let (title, detail) = (text(update, "title"), text(update, "description"));
                let id = self.acp_id(text(&update["_meta"], "id"), "notice");
                let severity = text(update, "severity");
                let kind = notice_of(text(&update["_meta"], "kind").or(severity));
                self.lines_notice(
                    id,
                    kind,
                    title.unwrap_or_default(),
                    detail.unwrap_or_default(),
                );
            }
            _ => {}
        }
    }

    fn acp_session(&mut self, session: crate::entry::Session) {
        if session != self.session {
            self.session_changed(session);
        }
    }

    fn acp_number(&mut self, kind: &str) -> EntryId {
        self.fold.acp.texts += 1;
        format!("{kind}/{}", self.fold.acp.texts).into()
    }

    /// Returns the agent's ID for an entry, if no other entry has it.
    fn acp_id(&mut self, id: Option<&str>, kind: &str) -> EntryId {
        match id {
            Some(id) if self.get(id).is_none() => id.into(),
            id => self.acp_number(id.unwrap_or(kind)),
        }
    }

    fn acp_chunk(&mut self, update: &Value, is_thought: bool) {
        let content = &update["content"];
        let Some(chunk) = text(content, "text") else {
            return;
        };
        if chunk.is_empty() {
            return;
        }
        let chunk = lines(chunk);
        let message = text(update, "messageId");
        if let Some((id, of_thought, of_message)) = &self.fold.acp.text
            && *of_thought == is_thought
            && of_message.as_deref() == message
            && let Some(Body::Text(it) | Body::Thought(it)) = self.get(id).map(|it| &it.body)
        {
            let room = self.limits.text.saturating_sub(it.text.text.len());
            if chunk.len() <= room {
                self.append(id.clone(), TextMember::Text, chunk.into_owned());
            }
            return;
        }
        self.acp_text_ends();
        let id = self.acp_id(message, "text");
        self.fold.acp.text = Some((id.clone(), is_thought, message.map(Into::into)));
        self.acp_insert_text(id, is_thought, chunk, false);
    }

    fn acp_insert_text(
        &mut self,
        id: EntryId,
        is_thought: bool,
        text: Cow<'_, str>,
        complete: bool,
    ) {
        let text = Text {
            text: cut(text, self.limits.text),
            complete,
        };
        let body = match is_thought {
            true => Body::Thought(text),
            false => Body::Text(text),
        };
        self.insert(id, None, body);
    }

    /// Applies a whole message, which replaces its chunks. Without content, the chunks are
    /// complete. A message with empty content is not shown.
    fn acp_message(&mut self, update: &Value, is_thought: bool) {
        let Some(id) = text(update, "messageId").map(EntryId::from) else {
            return;
        };
        let content = update["content"].as_array();
        let whole: Option<String> =
            content.map(|it| it.iter().filter_map(|it| text(it, "text")).collect());
        let whole = whole.as_deref().map(lines);
        if self.fold.acp.text.as_ref().is_some_and(|it| it.0 == id) {
            self.fold.acp.text = None;
        }
        let shown = match self.get(&id).map(|it| &it.body) {
            Some(Body::Text(it) | Body::Thought(it)) => Some(it),
            Some(_) => return,
            None => None,
        };
        match (shown, whole) {
            (Some(_), Some(whole)) if whole.is_empty() => self.remove(&id),
            (Some(shown), whole) => {
                let is_open = !shown.complete;
                let whole = whole.map(|it| cut(it, self.limits.text));
                if let Some(whole) = whole.filter(|it| *it != shown.text) {
                    self.set(&id, Member::Text(whole));
                }
                if is_open {
                    self.set(&id, Member::Complete(true));
                }
            }
            (None, Some(whole)) if !whole.is_empty() => {
                self.acp_text_ends();
                self.acp_insert_text(id, is_thought, whole, true);
            }
            (None, _) => {}
        }
    }

    fn acp_text_ends(&mut self) {
        if let Some((id, ..)) = self.fold.acp.text.take() {
            self.set(&id, Member::Complete(true));
        }
    }

    fn acp_prompt(&mut self, update: &Value) {
        self.acp_text_ends();
        let content = &update["content"];
        let before = self.fold.acp.prompt.take();
        let before = before.and_then(|id| match self.get(&id).map(|it| &it.body) {
            Some(Body::Prompt(prompt)) => Some((id, prompt.clone())),
            _ => None,
        });
        // A prompt cannot change: a longer one replaces it.
        let (id, mut prompt) = before.unwrap_or_else(|| {
            let prompt = Prompt {
                text: LongText::default(),
                attachments: Vec::new(),
                priority: None,
                delivery: Delivery::Delivered,
            };
            (self.acp_number("prompt"), prompt)
        });
        match text(content, "text") {
            Some(text) => {
                let whole = format!("{}{}", prompt.text.text, lines(text));
                prompt.text = cut(whole.into(), self.limits.output);
            }
            None => prompt.attachments.extend(self.acp_attachment(content)),
        }
        self.remove(&id);
        self.insert(id.clone(), None, Body::Prompt(prompt));
        self.fold.acp.prompt = Some(id);
    }

    /// Adds a tool call, or changes it. Some agents send no `tool_call` for calls with a permission
    /// request.
    fn acp_call(&mut self, update: &Value) -> Option<EntryId> {
        let id = EntryId::from(text(update, "toolCallId")?);
        if self.get(&id).is_none() {
            self.acp_text_ends();
            let call = ToolCall {
                tool: String::new(),
                title: String::new(),
                kind: ToolKind::Other,
                status: Status::Pending,
                locations: Vec::new(),
                input: None,
                content: Vec::new(),
                failure: None,
                approval: None,
                background: None,
            };
            let call = self.acp_changed(call, update);
            self.insert(id.clone(), None, Body::ToolCall(Box::new(call)));
            if self.fold.acp.calls.len() < FOLLOWED {
                self.fold.acp.calls.push(id.clone());
            }
            return Some(id);
        }
        let Some(Body::ToolCall(before)) = self.get(&id).map(|it| it.body.clone()) else {
            return None;
        };
        let after = self.acp_changed(ToolCall::clone(&before), update);
        let changes = [
            (before.title != after.title).then_some(Member::Title(after.title)),
            (before.kind != after.kind).then_some(Member::Kind(after.kind)),
            (before.status != after.status).then_some(Member::Status(after.status)),
            (before.locations != after.locations).then_some(Member::Locations(after.locations)),
            (before.input != after.input).then_some(Member::Input(after.input)),
            (before.content != after.content).then_some(Member::Content(after.content)),
            (before.failure != after.failure).then_some(Member::Failure(after.failure)),
            (before.background != after.background).then_some(Member::Background(after.background)),
        ];
        for change in changes.into_iter().flatten() {
            self.set(&id, change);
        }
        if matches!(after.status, Status::Completed | Status::Failed) {
            self.no_approval(&id);
            // The status of an approval that has ended is that of the call.
            self.acp_status(&id, after.status);
        }
        Some(id)
    }

    fn acp_status(&mut self, id: &EntryId, status: Status) {
        if let Some(Body::ToolCall(call)) = self.get(id).map(|it| &it.body)
            && call.status != status
        {
            self.set(id, Member::Status(status));
        }
    }

    /// Applies an update to a call. Members that are absent or invalid do not change the call.
    fn acp_changed(&self, mut call: ToolCall, update: &Value) -> ToolCall {
        if let Some(name) = tool(update) {
            call.tool = title(name);
        }
        if let Some(it) = text(update, "title").filter(|it| !it.is_empty()) {
            call.title = title(it);
        }
        if let Some(kind) = text(update, "kind") {
            call.kind = kind_of(kind);
        }
        if call.tool.is_empty() {
            call.tool = text(update, "kind").map(title).unwrap_or_default();
        }
        if let Some(status) = text(update, "status") {
            call.status = status_of(status).unwrap_or(call.status);
        }
        if let Some(locations) = update["locations"].as_array() {
            let locations = locations.iter().filter_map(|it| {
                Some(Location {
                    path: lines(text(it, "path")?).into_owned(),
                    line: it["line"].as_u64(),
                })
            });
            call.locations = locations.collect();
        }
        let command = text(&update["rawInput"], "command").or(text(&update["rawInput"], "cmd"));
        if let Some(command) = command
            && !matches!(call.content.first(), Some(Content::Command(_)))
        {
            let command = Command {
                command: cut(output(command), self.limits.output),
                output: None,
                exit_code: None,
                output_file: None,
            };
            call.content.insert(0, Content::Command(command));
        } else if command.is_none()
            && let Some(members) = update["rawInput"].as_object()
            && !members.is_empty()
        {
            let json = update["rawInput"].to_string();
            call.input = Some(cut(lines(&json), self.limits.output));
        }
        self.acp_content(&mut call, update);
        if let Some(task) = text(&update["_meta"]["background"], "taskId") {
            call.background = Some(Background {
                task_id: title(task),
                is_running: true,
                summary: None,
            });
        }
        if matches!(call.status, Status::Completed | Status::Failed)
            && let Some(background) = &mut call.background
        {
            background.is_running = false;
        }
        if call.status == Status::Completed {
            call.failure = None;
        }
        if call.status == Status::Failed && call.failure.is_none() {
            let message = call.content.iter().find_map(|it| match it {
                Content::Text(text) => Some(text.text.clone()),
                Content::Command(command) => command.output.as_ref().map(|it| it.text.clone()),
                _ => None,
            });
            call.failure = Some(Failure {
                reason: FailureReason::Error,
                message: message.unwrap_or_default(),
            });
        }
        call
    }

    fn acp_content(&self, call: &mut ToolCall, update: &Value) {
        let mut new = Vec::new();
        let mut texts = String::new();
        for content in update["content"].as_array().into_iter().flatten() {
            match text(content, "type") {
                Some("content") => match text(&content["content"], "text") {
                    Some(text) => texts += text,
                    None => {
                        let attachment = self.acp_attachment(&content["content"]);
                        new.extend(attachment.map(Content::Attachment));
                    }
                },
                Some("diff") => match text(&content["patch"], "text") {
                    Some(it) => {
                        let path = text(content, "path").unwrap_or_default();
                        let diffs = patch(it, path, call.status == Status::Completed);
                        new.extend(diffs.into_iter().map(|mut diff| {
                            cut_diff(&mut diff, self.limits.output);
                            Content::Diff(diff)
                        }));
                    }
                    None => new.extend(self.acp_diff(content, call.status)),
                },
                _ => {}
            }
        }
        // Codex sends output and exit code of a command nowhere else.
        let meta = &update["_meta"];
        let delta = text(&meta["terminal_output_delta"], "data");
        let whole = text(&meta["terminal_output"], "data");
        let raw = match &update["rawOutput"] {
            Value::String(text) => Some(text.as_str()),
            raw => text(raw, "output").or(text(raw, "stdout")),
        };
        if let Some(Content::Command(command)) = call.content.first_mut() {
            if let Some(delta) = delta {
                let before = command.output.take().unwrap_or_default();
                command.output = Some(append(before, &output(delta), self.limits.output));
            }
            let shown = whole.or((!texts.is_empty()).then_some(&*texts)).or(raw);
            if let Some(shown) = shown
                && call.status != Status::Pending
            {
                command.output = Some(cut(output(unfenced(shown)), self.limits.output));
            }
            let raw = &update["rawOutput"];
            let exit = [
                &meta["terminal_exit"]["exit_code"],
                &raw["exitCode"],
                &raw["exit_code"],
                &raw["metadata"]["exit"],
            ];
            command.exit_code = exit
                .into_iter()
                .find_map(Value::as_i64)
                .or(command.exit_code);
            call.content.truncate(1);
            call.content.extend(new);
            return;
        }
        if !texts.is_empty() {
            let plain = unfenced(&texts);
            new.push(match (call.kind, plain.len() < texts.len()) {
                (ToolKind::Read | ToolKind::Search, _) | (_, true) => Content::Lines(Lines {
                    path: None,
                    first_line: None,
                    total_lines: None,
                    text: cut(output(plain), self.limits.output),
                }),
                _ => Content::Text(cut(lines(&texts), self.limits.output)),
            });
        } else if new.is_empty()
            && call.status == Status::Completed
            && let Some(raw) = raw
        {
            new.push(Content::Text(cut(lines(raw), self.limits.output)));
        }
        let has_diff =
            |content: &[Content]| content.iter().any(|it| matches!(it, Content::Diff(_)));
        // A diff that an agent does not repeat at the end was made.
        if has_diff(&call.content) && !has_diff(&new) {
            for content in &mut call.content {
                if let Content::Diff(diff) = content {
                    diff.applied = call.status == Status::Completed;
                }
            }
        } else if !new.is_empty() {
            call.content = new;
        }
    }

    fn acp_diff(&self, content: &Value, status: Status) -> Option<Content> {
        let old = text(content, "oldText");
        let (old_text, new) = (old.unwrap_or_default(), text(content, "newText")?);
        let hunks = TextDiff::from_lines(old_text, new);
        let mut unified = hunks.unified_diff();
        let hunks = unified.context_radius(3).iter_hunks().map(|hunk| {
            let lines = hunk.iter_changes().map(|change| {
                let line = change.value().trim_end_matches(['\n', '\r']);
                format!("{}{}", change.tag(), lines(line))
            });
            let ops = hunk.ops().first();
            Hunk {
                old_start: ops.map(|op| op.old_range().start as u64 + 1),
                new_start: ops.map(|op| op.new_range().start as u64 + 1),
                lines: lines.collect(),
            }
        });
        let mut diff = Diff {
            path: lines(text(content, "path").unwrap_or_default()).into_owned(),
            is_new: old.is_none(),
            applied: status == Status::Completed,
            hunks: hunks.collect(),
            omitted_lines: None,
        };
        cut_diff(&mut diff, self.limits.output);
        Some(Content::Diff(diff))
    }

    fn acp_attachment(&self, content: &Value) -> Option<Attachment> {
        let resource = &content["resource"];
        let name = text(content, "name").or(text(content, "title"));
        let url = text(content, "uri").or(text(resource, "uri"));
        let data = text(content, "data").or(text(resource, "blob"));
        let media_type = text(content, "mimeType").or(text(resource, "mimeType"));
        if url.is_none() && data.is_none() {
            return None;
        }
        let line = |it: &str| lines(it).into_owned();
        Some(Attachment {
            media_type: media_type.map(line),
            name: name.map(line),
            url: url.map(line),
            data: data
                .filter(|it| it.len() <= self.limits.image)
                .map(str::to_owned),
            size: None,
        })
    }

    fn acp_plan(&mut self, update: &Value) {
        self.acp_text_ends();
        let items = update["entries"].as_array().into_iter().flatten();
        let items = items.filter_map(|it| {
            let status = text(it, "status").and_then(status_of);
            Some(PlanItem {
                content: lines(text(it, "content")?).into_owned(),
                status: status.unwrap_or(Status::Pending),
            })
        });
        let items: Vec<PlanItem> = items.collect();
        let known = self
            .fold
            .acp
            .plan
            .clone()
            .filter(|id| self.get(id).is_some());
        match known {
            Some(id) => self.set(&id, Member::Items(items)),
            None => {
                let id = self.acp_number("plan");
                self.fold.acp.plan = Some(id.clone());
                self.acp_insert_plan(id, None, items);
            }
        }
    }

    fn acp_insert_plan(&mut self, id: EntryId, text: Option<LongText>, items: Vec<PlanItem>) {
        let plan = Plan {
            text,
            items,
            status: Status::Completed,
            failure: None,
            approval: None,
        };
        self.insert(id, None, Body::Plan(Box::new(plan)));
    }

    /// Applies a plan in Markdown, which replaces the text of the plan with this ID.
    fn acp_plan_text(&mut self, plan: &Value) {
        let (Some(id), Some(content)) = (text(plan, "planId"), text(plan, "content")) else {
            return;
        };
        let id = EntryId::from(id);
        let content = Some(cut(lines(content), self.limits.output));
        match self.get(&id).map(|it| &it.body) {
            Some(Body::Plan(shown)) if shown.text != content => {
                self.set(&id, Member::PlanText(content));
            }
            None if content.as_ref().is_some_and(|it| !it.is_empty()) => {
                // A message with an ID may continue after the plan.
                if matches!(&self.fold.acp.text, Some((.., None))) {
                    self.acp_text_ends();
                }
                self.acp_insert_plan(id, content, Vec::new());
            }
            _ => {}
        }
    }

    fn acp_permission(&mut self, request_id: &str, params: &Value) {
        if self.fold.requests.len() >= FOLLOWED {
            return;
        }
        self.acp_text_ends();
        let call = self.acp_call(&params["toolCall"]);
        let shown = call.as_ref().and_then(|id| self.get(id)).map(|it| &it.body);
        let (title_of_call, content) = match shown {
            Some(Body::ToolCall(it)) => {
                let input = it.input.clone().map(Content::Json);
                let content = it.content.iter().cloned().chain(input);
                (it.title.clone(), content.collect())
            }
            _ => ("A tool call".to_owned(), Vec::new()),
        };
        let options = params["options"].as_array().into_iter().flatten();
        let always = options
            .filter(|it| text(it, "kind") == Some("allow_always"))
            .filter_map(|it| text(it, "name").map(title));
        let approval = Approval {
            request_id: request_id.to_owned(),
            tool_call: call.clone(),
            title: text(params, "title").map_or(title_of_call, title),
            reason: text(params, "description").map(title),
            content,
            always: always.collect(),
        };
        let id = EntryId::from(format!("approval/{request_id}"));
        self.fold.requests.insert(request_id.into(), id.clone());
        self.insert(id.clone(), None, Body::Approval(Box::new(approval)));
        if let Some(call) = call {
            self.set(&call, Member::Approval(Some(id)));
            self.acp_status(&call, Status::Pending);
        }
    }

    fn acp_failed(&mut self, id: &EntryId, reason: FailureReason, message: &str) {
        let failure = Failure {
            reason,
            message: message.to_owned(),
        };
        self.no_approval(id);
        if let Some(Body::ToolCall(call)) = self.get(id).map(|it| &it.body)
            && call.failure.as_ref() != Some(&failure)
        {
            self.set(id, Member::Failure(Some(failure)));
        }
        self.acp_status(id, Status::Failed);
    }

    /// Ends the calls that have no result. `background` tells whether calls in the background end,
    /// too.
    pub(crate) fn acp_calls_end(&mut self, background: bool, reason: FailureReason, why: &str) {
        for id in std::mem::take(&mut self.fold.acp.calls) {
            let Some(Body::ToolCall(call)) = self.get(&id).map(|it| &it.body) else {
                continue;
            };
            let mut task = call.background.clone().filter(|it| it.is_running);
            if matches!(call.status, Status::Completed | Status::Failed) {
                continue;
            }
            match &mut task {
                Some(_) if !background => {
                    self.fold.acp.calls.push(id);
                    continue;
                }
                Some(it) => it.is_running = false,
                None => {}
            }
            if task.is_some() {
                self.set(&id, Member::Background(task));
            }
            self.acp_failed(&id, reason, why);
        }
    }

    fn acp_turn_end(&mut self, response: &Value, error: Option<&str>) {
        self.acp_text_ends();
        self.retried();
        let meta = &response["_meta"];
        let reason = text(response, "stopReason").unwrap_or_default();
        let outcome = match (error, reason) {
            (Some(_), _) | (None, "refusal") => Outcome::Failed,
            (None, "cancelled") => Outcome::Interrupted,
            (None, "max_tokens" | "max_turn_requests") => Outcome::LimitReached,
            (None, _) => Outcome::Completed,
        };
        let (why, message) = match outcome {
            Outcome::Interrupted => (
                FailureReason::Interrupted,
                "The turn was interrupted before the result.",
            ),
            _ => (FailureReason::NoResult, "The turn ended before the result."),
        };
        self.acp_calls_end(false, why, message);
        self.fold.acp.plan = None;
        let message = match (error, reason) {
            (Some(error), _) => Some(lines(error).into_owned()),
            (None, "refusal") => Some("The agent refused to continue.".to_owned()),
            (None, "max_tokens") => Some("The limit of tokens was reached.".to_owned()),
            (None, "max_turn_requests") => {
                Some("The limit of model requests was reached.".to_owned())
            }
            _ => None,
        };
        let cost = self.fold.acp.cost.clone();
        let end = TurnEnd {
            outcome,
            message,
            session_cost_usd: cost.filter(|it| it.1 == "USD").map(|it| it.0),
            duration_ms: meta["durationMs"].as_u64(),
            tokens: tokens(response),
        };
        let id = self.acp_id(text(meta, "turnId"), "turn");
        self.insert(id, None, Body::TurnEnd(Box::new(end)));
        self.activity(Activity::Idle);
    }
}

/// Returns the tokens of a turn, if the agent reports any.
fn tokens(response: &Value) -> Option<Tokens> {
    let usage = &response["usage"];
    let quota = &response["_meta"]["quota"]["token_count"];
    let read = |names: [(&Value, &str); 2]| {
        let mut numbers = names.into_iter().map(|(of, name)| of[name].as_u64());
        numbers.find_map(|it| it)
    };
    let input = read([(usage, "inputTokens"), (quota, "input_tokens")]);
    let output = read([(usage, "outputTokens"), (quota, "output_tokens")]);
    let cached = |name| usage[name].as_u64().unwrap_or_default();
    // Some agents send zeros for what they do not know.
    if input.unwrap_or_default() + output.unwrap_or_default() == 0 {
        return None;
    }
    Some(Tokens {
        input: input.unwrap_or_default(),
        cache_write: cached("cachedWriteTokens"),
        cache_read: cached("cachedReadTokens"),
        output: output.unwrap_or_default(),
    })
}

fn text<'a>(value: &'a Value, member: &str) -> Option<&'a str> {
    value.get(member)?.as_str()
}

/// Returns the name of the tool, for which older agents use `_meta`.
fn tool(update: &Value) -> Option<&str> {
    let meta = &update["_meta"];
    text(update, "name")
        .or_else(|| text(meta, "toolName"))
        .or_else(|| text(&meta["claudeCode"], "toolName"))
}

/// Returns the text without its fence, if the whole text is in one.
fn unfenced(text: &str) -> &str {
    let inner = text.trim_end().strip_suffix("```").and_then(|text| {
        let (fence, rest) = text.split_once('\n')?;
        let rest = rest.strip_suffix('\n').unwrap_or(rest);
        fence.starts_with("```").then_some(rest)
    });
    inner.unwrap_or(text)
}

/// Returns the kind of a notice by its name or its severity.
fn notice_of(kind: Option<&str>) -> NoticeKind {
    match kind {
        Some("warning" | "error") => NoticeKind::Warning,
        Some("compacted") => NoticeKind::Compacted,
        Some("api_error") => NoticeKind::ApiError,
        Some("rate_limit") => NoticeKind::RateLimit,
        Some("model_changed") => NoticeKind::ModelChanged,
        Some("hook") => NoticeKind::Hook,
        _ => NoticeKind::Info,
    }
}

fn kind_of(kind: &str) -> ToolKind {
    match kind {
        "read" => ToolKind::Read,
        "edit" => ToolKind::Edit,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Execute,
        "think" => ToolKind::Think,
        "fetch" => ToolKind::Fetch,
        "switch_mode" => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

fn status_of(status: &str) -> Option<Status> {
    Some(match status {
        "pending" => Status::Pending,
        "in_progress" => Status::InProgress,
        "completed" => Status::Completed,
        "failed" => Status::Failed,
        _ => return None,
    })
}
