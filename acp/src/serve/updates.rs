//! Converts changes of a view to session updates.

use super::content;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ContentBlock, ContentChunk,
    CurrentModeUpdate, MessageId, Meta, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    SessionInfoUpdate, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind, UnstructuredCommandInput,
};
use agentwire::protocol::content::ContentBlock as Block;
use agentwire::protocol::control::SlashCommand;
use agentwire::protocol::message::Message;
use agentwire::protocol::permission::CanUseTool;
use agentwire::view::entry::{
    self, Approval, Content, Delivery, LongText, Notice, NoticeKind, PlanItem, Prompt, Session,
    Status,
};
use agentwire::view::{Body, Change, Entry, EntryId, Member, Numbered, TextMember, View};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Converts changes of a view to session updates.
#[derive(Debug, Default)]
pub(super) struct Updates {
    /// The number of bytes that were sent of each incomplete text.
    texts: HashMap<EntryId, usize>,
    /// The raw inputs and outputs of tool calls, until they are part of an update.
    raw: HashMap<Box<str>, Raw>,
    /// The tool calls that were sent to the client.
    calls: HashSet<EntryId>,
    /// Whether prompts are sent as updates, as while a session is loaded.
    pub(super) replays: bool,
    /// Whether the client displays the output of commands as a terminal.
    has_terminals: bool,
    title: Option<String>,
    /// The permission mode that was last sent to the client.
    pub(super) mode: String,
}

#[derive(Debug, Default)]
struct Raw {
    input: Option<Value>,
    output: Option<Value>,
}

impl Updates {
    pub(super) fn new(has_terminals: bool) -> Self {
        Self {
            has_terminals,
            mode: "default".to_owned(),
            ..Self::default()
        }
    }

    /// Stores the raw inputs and outputs of a message's tool calls.
    pub(super) fn note(&mut self, message: &Message) {
        match message {
            Message::Assistant(message) => {
                for block in &message.message.content {
                    if let Block::ToolUse(call) = block {
                        let raw = self.raw.entry(call.id.as_str().into()).or_default();
                        raw.input = call.input.read().ok();
                    }
                }
            }
            Message::User(message) => {
                for result in message.tool_results() {
                    let raw = self
                        .raw
                        .entry(result.tool_use_id.as_str().into())
                        .or_default();
                    raw.output = serde_json::to_value(&result.content).ok();
                }
            }
            _ => {}
        }
    }

    /// Returns the updates for these changes, which must be the latest ones of
    /// the view.
    pub(super) fn of(&mut self, view: &View, changes: &[Numbered]) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for change in changes {
            self.change(view, &change.change, &mut updates);
        }
        self.raw
            .retain(|id, raw| match view.get(id).map(|it| (it, &it.body)) {
                // An input that is not complete has a part of the items.
                Some((entry, Body::Plan(plan))) if plan.text.is_none() => {
                    if raw.input.is_some() && entry.parent.is_none() {
                        updates.push(to_dos(&plan.items));
                    }
                    false
                }
                // What no entry shows, such as the call of a tool that has none.
                entry => entry.is_some(),
            });
        updates
    }

    fn change(&mut self, view: &View, change: &Change, updates: &mut Vec<SessionUpdate>) {
        match change {
            Change::Insert { entry, .. } => self.insert(entry, updates),
            Change::Append {
                id,
                member: TextMember::Text,
                text,
            } => {
                if let Some(sent) = self.texts.get_mut(id) {
                    *sent += text.len();
                }
                if let Some(entry) = view.get(id) {
                    updates.extend(chunk(entry, text.clone()));
                }
            }
            Change::Set { id, set } => {
                if let Some(entry) = view.get(id) {
                    self.set(entry, set, updates);
                }
            }
            Change::Session { session } => self.session(session, updates),
            Change::Remove { id } => {
                self.calls.remove(id);
                self.texts.remove(id);
            }
            Change::Clear => {
                self.calls.clear();
                self.texts.clear();
            }
            _ => {}
        }
    }

    fn insert(&mut self, entry: &Entry, updates: &mut Vec<SessionUpdate>) {
        match &entry.body {
            Body::Prompt(prompt) if self.replays => updates.extend(replay(entry, prompt)),
            Body::Text(text) | Body::Thought(text) => {
                if !text.complete {
                    self.texts.insert(entry.id.clone(), text.text.text.len());
                }
                updates.extend(chunk(entry, content::long(&text.text)));
            }
            Body::Plan(plan) if plan.text.is_none() => {
                if self.replays && entry.parent.is_none() {
                    updates.push(to_dos(&plan.items));
                }
            }
            Body::Notice(notice) if entry.parent.is_none() => updates.extend(notice_update(notice)),
            _ => {
                if let Some(call) = self.call(entry) {
                    self.calls.insert(entry.id.clone());
                    updates.push(SessionUpdate::ToolCall(call));
                }
            }
        }
    }

    fn set(&mut self, entry: &Entry, set: &Member, updates: &mut Vec<SessionUpdate>) {
        match (&entry.body, set) {
            (Body::Text(_) | Body::Thought(_), Member::Text(text)) => {
                let sent = self.texts.insert(entry.id.clone(), text.text.len());
                // What was sent cannot be replaced.
                if let Some(rest) = text.text.get(sent.unwrap_or_default()..) {
                    updates.extend(chunk(entry, rest.to_owned()));
                }
            }
            (Body::Text(_) | Body::Thought(_), Member::Complete(true)) => {
                self.texts.remove(&entry.id);
            }
            (Body::Notice(notice), Member::Detail(Some(_))) => {
                updates.extend(notice_update(notice));
            }
            _ => self.set_in_call(entry, set, updates),
        }
    }

    fn set_in_call(&mut self, entry: &Entry, set: &Member, updates: &mut Vec<SessionUpdate>) {
        let Some(call) = self.call(entry) else {
            return;
        };
        // A plan is a tool call as soon as it has a text.
        if self.calls.insert(entry.id.clone()) {
            updates.push(SessionUpdate::ToolCall(call));
            return;
        }
        let fields = ToolCallUpdateFields::new();
        let fields = match set {
            Member::Title(_) => fields.title(call.title),
            Member::Kind(_) => fields.kind(call.kind),
            Member::Status(_) => fields.status(call.status),
            Member::Locations(_) => fields.locations(call.locations),
            Member::Content(_)
            | Member::Failure(_)
            | Member::Result(_)
            | Member::PlanText(_)
            | Member::Prompt(_)
            | Member::Questions(_) => fields.content(call.content),
            _ => return,
        };
        let fields = fields.raw_input(call.raw_input).raw_output(call.raw_output);
        match updates.last_mut() {
            Some(SessionUpdate::ToolCallUpdate(last)) if last.tool_call_id == call.tool_call_id => {
                merge(&mut last.fields, fields);
                last.meta = call.meta;
            }
            Some(SessionUpdate::ToolCall(last)) if last.tool_call_id == call.tool_call_id => {
                last.update(fields);
                last.meta = call.meta;
            }
            _ => {
                let update = ToolCallUpdate::new(call.tool_call_id, fields).meta(call.meta);
                updates.push(SessionUpdate::ToolCallUpdate(update));
            }
        }
    }

    /// Returns an entry as a tool call, if it is one.
    fn call(&mut self, entry: &Entry) -> Option<ToolCall> {
        let id = entry.id.as_str();
        let tool;
        let mut terminal = None;
        let mut call = match &entry.body {
            Body::ToolCall(it) => {
                tool = it.tool.clone();
                let mut content: Vec<_> = it.content.iter().flat_map(content::of_call).collect();
                if self.has_terminals
                    && let Some(Content::Command(command)) = it.content.first()
                {
                    content = vec![content::terminal(id)];
                    terminal = Some(content::terminal_meta(id, command, it.failure.as_ref()));
                }
                let failure = it.failure.as_ref().filter(|_| terminal.is_none());
                content.extend(failure.map(content::failure));
                let locations = it.locations.iter().map(content::location);
                ToolCall::new(entry.id.to_string(), it.title.clone())
                    .kind(kind(it.kind))
                    .status(status(it.status))
                    .content(content)
                    .locations(locations.collect::<Vec<_>>())
            }
            Body::Plan(it) => {
                tool = "ExitPlanMode".to_owned();
                let mut content = vec![content::text(content::long(it.text.as_ref()?))];
                content.extend(it.failure.as_ref().map(content::failure));
                ToolCall::new(entry.id.to_string(), "Plan")
                    .kind(ToolKind::SwitchMode)
                    .status(status(it.status))
                    .content(content)
            }
            Body::Question(it) if it.server.is_none() => {
                tool = "AskUserQuestion".to_owned();
                let title = it.questions.first().map(|it| it.question.clone());
                let content = it.questions.iter().map(content::question);
                let content = content.chain(it.failure.as_ref().map(content::failure));
                ToolCall::new(
                    entry.id.to_string(),
                    title.unwrap_or_else(|| "Question".to_owned()),
                )
                .status(status(it.status))
                .content(content.collect::<Vec<_>>())
            }
            Body::SubAgent(it) => {
                tool = "Agent".to_owned();
                let mut content = vec![content::text(content::long(&it.prompt))];
                content.extend(
                    it.result
                        .as_ref()
                        .map(|it| content::text(content::long(it))),
                );
                content.extend(it.failure.as_ref().map(content::failure));
                ToolCall::new(entry.id.to_string(), it.title.clone())
                    .kind(ToolKind::Think)
                    .status(status(it.status))
                    .content(content)
            }
            _ => return None,
        };
        if let Some(raw) = self.raw.remove(id) {
            call = call.raw_input(raw.input).raw_output(raw.output);
        }
        let mut meta = Meta::new();
        // Members under which clients look for what the protocol has no place for.
        meta.insert(
            "claudeCode".to_owned(),
            match entry.parent.as_deref() {
                Some(parent) => json!({"toolName": tool, "parentToolUseId": parent}),
                None => json!({"toolName": tool}),
            },
        );
        meta.extend(terminal.into_iter().flatten());
        Some(call.name(tool).meta(meta))
    }

    /// Returns the complete tool call of an approval, because a client may
    /// display it alone.
    pub(super) fn of_approval(
        &mut self,
        id: &str,
        request: &CanUseTool,
        view: &View,
        approval: Option<&Approval>,
    ) -> ToolCallUpdate {
        let mut fields = ToolCallUpdateFields::new()
            .name(request.tool_name.clone())
            .title(request.tool_name.clone());
        if let Some(call) = view.get(id).and_then(|entry| self.call(entry)) {
            fields = fields
                .title(call.title)
                .kind(call.kind)
                .locations(call.locations)
                .content(call.content);
        }
        if let Some(approval) = approval {
            let content = approval.content.iter().flat_map(content::of_call);
            fields = fields
                .title(approval.title.clone())
                .content(content.collect::<Vec<_>>());
        }
        let input = request.input.read().ok();
        let fields = fields.status(ToolCallStatus::Pending).raw_input(input);
        ToolCallUpdate::new(id.to_owned(), fields)
    }

    fn session(&mut self, session: &Session, updates: &mut Vec<SessionUpdate>) {
        if let Some(title) = &session.title
            && self.title.as_ref() != Some(title)
        {
            self.title = Some(title.clone());
            let update = SessionInfoUpdate::new().title(title.clone());
            updates.push(SessionUpdate::SessionInfoUpdate(update));
        }
        if let Some(mode) = &session.permission_mode
            && self.mode != *mode
        {
            self.mode.clone_from(mode);
            let update = CurrentModeUpdate::new(mode.clone());
            updates.push(SessionUpdate::CurrentModeUpdate(update));
        }
    }
}

/// Returns the update for the slash commands.
pub(super) fn commands(commands: &[SlashCommand]) -> SessionUpdate {
    let commands = commands.iter().map(|it| {
        let hint = it.argument_hint.clone().filter(|hint| !hint.is_empty());
        let input = hint
            .map(UnstructuredCommandInput::new)
            .map(AvailableCommandInput::Unstructured);
        let description = it.description.clone().unwrap_or_default();
        AvailableCommand::new(it.name.clone(), description).input(input)
    });
    let update = AvailableCommandsUpdate::new(commands.collect());
    SessionUpdate::AvailableCommandsUpdate(update)
}

/// Returns a part of a text. Texts of sub-agents are not part of the conversation.
fn chunk(entry: &Entry, text: String) -> Option<SessionUpdate> {
    if text.is_empty() || entry.parent.is_some() {
        return None;
    }
    // The ID of the message is the first part of the entry's ID.
    let message_id = entry.id.split('/').next().unwrap_or_default();
    let chunk = ContentChunk::new(text.into()).message_id(MessageId::new(message_id.to_owned()));
    match &entry.body {
        Body::Text(_) => Some(SessionUpdate::AgentMessageChunk(chunk)),
        Body::Thought(_) => Some(SessionUpdate::AgentThoughtChunk(chunk)),
        _ => None,
    }
}

fn replay(entry: &Entry, prompt: &Prompt) -> Vec<SessionUpdate> {
    if entry.parent.is_some() || prompt.delivery == Delivery::Cancelled {
        return Vec::new();
    }
    let text = content::long(&prompt.text);
    let text = (!text.is_empty()).then(|| ContentBlock::from(text));
    let attachments = prompt.attachments.iter().map(content::attachment);
    let blocks = text.into_iter().chain(attachments);
    let message_id = MessageId::new(entry.id.to_string());
    let chunk = |block| ContentChunk::new(block).message_id(message_id.clone());
    blocks
        .map(|block| SessionUpdate::UserMessageChunk(chunk(block)))
        .collect()
}

/// Returns the update for a notice that the user should read. Other notices
/// have none.
fn notice_update(notice: &Notice) -> Option<SessionUpdate> {
    let text = match notice.kind {
        NoticeKind::CommandOutput => {
            content::long(notice.detail.as_ref().unwrap_or(&LongText::default()))
        }
        NoticeKind::Compacted
        | NoticeKind::ModelChanged
        | NoticeKind::RateLimit
        | NoticeKind::Warning => format!("{}\n\n", notice.title),
        _ => return None,
    };
    let chunk = ContentChunk::new(text.into());
    Some(SessionUpdate::AgentMessageChunk(chunk))
}

fn to_dos(items: &[PlanItem]) -> SessionUpdate {
    let entries = items.iter().map(|it| {
        let status = match it.status {
            Status::Completed | Status::Failed => PlanEntryStatus::Completed,
            Status::InProgress => PlanEntryStatus::InProgress,
            _ => PlanEntryStatus::Pending,
        };
        // Claude Code has no priorities.
        PlanEntry::new(it.content.clone(), PlanEntryPriority::Medium, status)
    });
    SessionUpdate::Plan(Plan::new(entries.collect()))
}

fn merge(into: &mut ToolCallUpdateFields, fields: ToolCallUpdateFields) {
    into.kind = fields.kind.or(into.kind);
    into.status = fields.status.or(into.status);
    into.title = fields.title.or(into.title.take());
    into.content = fields.content.or(into.content.take());
    into.locations = fields.locations.or(into.locations.take());
    into.raw_input = fields.raw_input.or(into.raw_input.take());
    into.raw_output = fields.raw_output.or(into.raw_output.take());
}

pub(super) fn kind(kind: entry::ToolKind) -> ToolKind {
    match kind {
        entry::ToolKind::Read => ToolKind::Read,
        entry::ToolKind::Edit => ToolKind::Edit,
        entry::ToolKind::Delete => ToolKind::Delete,
        entry::ToolKind::Move => ToolKind::Move,
        entry::ToolKind::Search => ToolKind::Search,
        entry::ToolKind::Execute => ToolKind::Execute,
        entry::ToolKind::Think => ToolKind::Think,
        entry::ToolKind::Fetch => ToolKind::Fetch,
        entry::ToolKind::SwitchMode => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

fn status(status: Status) -> ToolCallStatus {
    match status {
        Status::Pending => ToolCallStatus::Pending,
        Status::InProgress => ToolCallStatus::InProgress,
        Status::Completed => ToolCallStatus::Completed,
        _ => ToolCallStatus::Failed,
    }
}
