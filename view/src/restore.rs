//! Views of transcripts.

use crate::entry::NoticeKind;
use crate::tool::Fields;
use crate::view::View;
use agentwire_protocol::Json;
use agentwire_protocol::content::Content;
use agentwire_protocol::message::{Message, ToolResultMeta, UserMessage};
use agentwire_protocol::transcript::{
    AttachmentEntry, Entry as Stored, Files, History, Record, Standing, SystemEntry, Tree,
    UserEntry,
};
use std::collections::HashMap;

impl View {
    /// Adds the conversation of a transcript: the records of the branch on which it continued,
    /// with those before compactions.
    ///
    /// The entries have the same IDs and content as in the view of the live session, except for
    /// parts that transcripts do not have:
    ///
    /// | live only | because |
    /// |---|---|
    /// | the ends of turns | an agent does not store results |
    /// | incomplete texts and thoughts | an agent stores a block when it is whole |
    /// | prompts that no turn picked up | they are not part of the conversation |
    /// | the `priority` of a prompt | it is not stored |
    /// | the other name of a command, such as `/cost` for `/usage` | the agent stores the first name |
    /// | pending approvals, and questions of MCP servers | requests are not stored |
    /// | notices about retries, rate limits, hooks and problems | they are not part of the conversation |
    /// | the usage of a sub-agent in the background | it is not stored |
    /// | the end of a background task that was not reported to the model | it is not stored: the task counts as stopped |
    ///
    /// Tool calls without a result have failed, because a transcript does not tell whether its
    /// session is still running.
    pub fn restore(&mut self, records: &[Record]) {
        let mut tree = Tree::default();
        self.branch(&mut tree, records, None);
        self.end_calls(true, "The session ended before the result.");
        self.end_tasks();
    }

    /// Adds the conversation of a sub-agent, after that of its parent agent. `tool_use_id` is
    /// the tool call that started the sub-agent, and `agent_id` its ID: both are in
    /// [`AgentFiles`](agentwire_protocol::transcript::AgentFiles).
    pub fn restore_subagent(&mut self, tool_use_id: &str, agent_id: &str, records: &[Record]) {
        let mut tree = Tree::of_agent(agent_id);
        self.branch(&mut tree, records, Some(tool_use_id));
        self.end_calls(true, "The session ended before the result.");
    }

    /// Adds the conversation of a session with those of its sub-agents. Omits sub-agents that no
    /// call in the conversation has started.
    pub fn restore_files(&mut self, files: &Files) {
        self.restore(&files.main);
        let agents = files.agents.iter();
        let mut left: Vec<_> = agents
            .filter_map(|(id, agent)| Some((files.call_of(id)?, id, &agent.records)))
            .collect();
        // A sub-agent comes after the one that started it.
        while let Some(next) = left.iter().position(|(call, ..)| self.get(call).is_some()) {
            let (call, id, records) = left.remove(next);
            self.restore_subagent(&call, id, records);
        }
    }

    fn branch(&mut self, tree: &mut Tree, records: &[Record], call: Option<&str>) {
        let mut last = HashMap::new();
        for (at, record) in records.iter().enumerate() {
            tree.note(record);
            if let Some(uuid) = record.uuid() {
                last.insert(uuid, at);
            }
        }
        let branch = tree.branch(History::All);
        let mut live = Vec::new();
        let is_copy = |at: usize, record: &Record| {
            record
                .uuid()
                .is_some_and(|uuid| last.get(uuid) != Some(&at))
        };
        let mut tip = None;
        for (at, record) in records.iter().enumerate() {
            let is_live = match branch.standing(record) {
                // The branch ends with a message, but the output of a command may follow.
                Standing::Dead => tip.is_some() && follows(record) == tip,
                // All messages are returned, so these are the summaries of some.
                Standing::Live | Standing::Summarised => !is_copy(at, record),
                Standing::Beside => call.is_none(),
                _ => false,
            };
            if is_live {
                tip = record.uuid().or(tip);
                live.push(record);
            }
        }
        // The agent stores `/compact` after the boundary that it causes.
        for at in 0..live.len() {
            if is_boundary(live[at]) {
                let rest = live[at + 1..].iter();
                let near = rest.take_while(|it| !matches!(it.entry(), Stored::Assistant(_)));
                if let Some(after) = near.clone().position(|it| is_compact(it)) {
                    live[at..=at + 1 + after].rotate_right(1);
                }
            }
        }
        for record in live {
            self.record(record, call);
        }
    }

    fn record(&mut self, record: &Record, call: Option<&str>) {
        match record.entry() {
            Stored::User(entry) => {
                self.of_session(entry.session_id.as_ref(), entry.cwd.as_ref());
            }
            Stored::Assistant(entry) => {
                self.of_session(entry.session_id.as_ref(), entry.cwd.as_ref());
            }
            Stored::System(entry) => return self.stored_system(entry),
            Stored::Attachment(entry) => return self.stored_attachment(entry, call),
            Stored::CustomTitle(entry) => {
                if let Some(title) = &entry.custom_title {
                    self.title(title);
                }
                return;
            }
            Stored::AiTitle(entry) => {
                if let Some(title) = &entry.ai_title {
                    self.title(title);
                }
                return;
            }
            _ => return,
        }
        let Some(mut message) = record.message(call) else {
            return;
        };
        if let (Stored::User(entry), Message::User(message)) = (record.entry(), &mut message) {
            message.tool_result_meta = denial(entry);
        }
        self.fold_message(&message);
    }

    fn of_session(&mut self, session_id: Option<&String>, cwd: Option<&String>) {
        let known = &self.session;
        if known.cwd.as_ref() == cwd && known.session_id.as_ref() == session_id {
            return;
        }
        let mut session = self.session.clone();
        session.session_id = session_id.cloned().or(session.session_id);
        session.cwd = cwd.cloned().or(session.cwd);
        self.session_changed(session);
    }

    fn stored_system(&mut self, entry: &SystemEntry) {
        let content = entry.content.as_deref().unwrap_or_default();
        match entry.subtype.as_deref() {
            Some("compact_boundary") => {
                let trigger = entry.compact_metadata.as_ref();
                let trigger = trigger.and_then(|it| Fields::of(it).text("trigger"));
                let boundary = serde_json::json!({
                    "type": "system",
                    "subtype": "compact_boundary",
                    "uuid": entry.uuid,
                    "compact_metadata": {"trigger": trigger},
                });
                if let Ok(boundary) = Json::from(boundary).read::<Message>() {
                    self.fold_message(&boundary);
                }
            }
            Some("local_command") => {
                let mut message = UserMessage::text(content).synthetic();
                message.uuid.clone_from(&entry.uuid);
                self.fold_message(&message.into());
            }
            Some("informational") => {
                let id = self.id_or_number(entry.uuid.as_ref(), "info");
                let kind = match entry.level.as_deref() {
                    Some("warning") => NoticeKind::Warning,
                    _ => NoticeKind::Info,
                };
                let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
                self.lines_notice(id, kind, first, rest);
            }
            _ => {}
        }
    }

    /// Adds a prompt that joined a running turn.
    fn stored_attachment(&mut self, entry: &AttachmentEntry, call: Option<&str>) {
        let attachment = Fields::of(&entry.attachment);
        if attachment.text("type").as_deref() != Some("queued_command") || call.is_some() {
            return;
        }
        let Some(prompt) = attachment
            .json("prompt")
            .and_then(|it| it.read::<Content>().ok())
        else {
            return;
        };
        let id = attachment
            .text("source_uuid")
            .or_else(|| entry.uuid.clone());
        let mut message = UserMessage::new(prompt);
        message.uuid = id;
        message.origin = attachment.get("origin");
        let notified = attachment.text("commandMode").as_deref() == Some("task-notification");
        if notified {
            message.is_synthetic = Some(true);
        }
        self.fold_message(&message.into());
    }

    fn fold_message(&mut self, message: &Message) {
        self.fold(&message.into());
    }
}

/// Returns the ID of the record that a system event follows.
fn follows(record: &Record) -> Option<&str> {
    match record.entry() {
        Stored::System(entry) => entry.parent_uuid.as_deref(),
        _ => None,
    }
}

fn is_boundary(record: &Record) -> bool {
    match record.entry() {
        Stored::System(entry) => entry.subtype.as_deref() == Some("compact_boundary"),
        _ => false,
    }
}

/// Returns whether the record is the command `/compact`.
fn is_compact(record: &Record) -> bool {
    let Stored::User(entry) = record.entry() else {
        return false;
    };
    let mut texts = entry.message.content.iter().flat_map(Content::texts);
    texts.any(|text| text.contains("<command-name>/compact</command-name>"))
}

/// Returns the reason why the only tool of a message did not run, as on the wire.
fn denial(entry: &UserEntry) -> Option<Vec<ToolResultMeta>> {
    let mut results = entry.message.content.iter().flat_map(Content::tool_results);
    let (result, None) = (results.next()?, results.next()) else {
        return None;
    };
    let decision = entry.permission_decision.as_ref().map(Fields::of);
    let decision = decision.map(|it| {
        serde_json::json!({
            "decision": it.text("decision"),
            "source": it.text("source"),
            "reason_type": it.text("reasonType"),
        })
    });
    let meta = serde_json::json!([{
        "id": result.tool_use_id,
        "non_execution_kind": entry.tool_denial_kind,
        "permission_decision": decision,
    }]);
    Json::from(meta).read().ok()
}
