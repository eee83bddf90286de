//! Compares the view of a live session with that of its transcript.

use crate::support::wait_for;
use agentwire::event::{PendingRequest, RequestKind};
use agentwire::permission::Answers;
use agentwire::protocol::control::Initialize;
use agentwire::view::Input;
use agentwire::view::{Body, Change, Entries, Entry, Numbered, View};
use agentwire::{Activity, Client, Event, Options, PermissionResult, UserMessage};
use agentwire_protocol::transcript::{AgentMeta, Record};
use serde_json::{Value, json};
use std::path::Path;

/// A view, and the copy of it in a page.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) view: View,
    copy: Entries,
}

impl Watched {
    pub(crate) fn of(view: View) -> Self {
        let mut copy = Entries::default();
        let mut parents = vec![None];
        while let Some(parent) = parents.pop() {
            let entries: Vec<&Entry> = match parent {
                None => view.entries().collect(),
                Some(parent) => view.children(parent).collect(),
            };
            for entry in entries {
                let (entry, before) = (Box::new(entry.clone()), None);
                copy.apply(&Change::Insert { entry, before });
            }
            let inserted = copy.of(parent).map(|it| it.id.clone());
            let inserted: Vec<_> = inserted.collect();
            let ids = inserted.iter().filter_map(|id| view.get(id));
            parents.extend(ids.map(|it| Some(it.id.as_str())));
        }
        Self { view, copy }
    }

    pub(crate) fn push<'a>(&mut self, input: impl Into<agentwire::view::Input<'a>>) {
        let changes = self.view.push(input);
        for Numbered { change, .. } in changes {
            self.copy.apply(change);
        }
    }

    /// Asserts that the copy is equal to the view.
    pub(crate) fn assert_same(&self) {
        let of = |entries: Vec<&Entry>| serde_json::to_value(entries).unwrap();
        assert_eq!(
            of(self.view.entries().collect()),
            of(self.copy.of(None).collect())
        );
        for entry in self.view.entries() {
            assert_eq!(
                of(self.view.children(&entry.id).collect()),
                of(self.copy.of(Some(&entry.id)).collect())
            );
        }
    }
}

/// A session with a view, which responds to its requests.
pub(crate) struct Session {
    pub(crate) client: Client,
    watched: Watched,
    pub(crate) answer: fn(&PendingRequest) -> PermissionResult,
}

pub(crate) fn allow(pending: &PendingRequest) -> PermissionResult {
    match &pending.request {
        RequestKind::Permission(request) if request.tool_name == "AskUserQuestion" => {
            let answers = Answers::to(request).unwrap();
            let question = answers.questions()[0].question.clone();
            answers.choose(&question, ["Tea"]).into()
        }
        _ => PermissionResult::allow(),
    }
}

pub(crate) fn deny(_: &PendingRequest) -> PermissionResult {
    PermissionResult::deny("Not today.")
}

impl Session {
    pub(crate) async fn start(options: Options) -> Self {
        Self::resume(options, View::new()).await
    }

    /// Starts a session whose view has entries already.
    pub(crate) async fn resume(options: Options, view: View) -> Self {
        let mut initialize = Initialize::default();
        initialize.forward_subagent_text = Some(true);
        let options = options.initialize(initialize).requests_in_stream(true);
        let client = Client::connect(options).await.unwrap();
        Self {
            client,
            watched: Watched::of(view),
            answer: allow,
        }
    }

    pub(crate) fn send(&mut self, message: impl Into<UserMessage>) {
        let message = message.into();
        let submission = self.client.send(message.clone());
        let uuid = submission.uuid();
        let message = &message;
        self.watched.push(Input::Sent { uuid, message });
    }

    pub(crate) async fn until(&mut self, wanted: impl Fn(&Event) -> bool) {
        let (watched, handle, answer) = (&mut self.watched, self.client.handle(), self.answer);
        wait_for(&mut self.client, |event| {
            watched.push(event);
            if let Event::Request(pending) = event {
                drop(handle.respond(&pending.request_id, answer(pending)));
            }
            wanted(event).then_some(())
        })
        .await;
    }

    pub(crate) async fn idle(&mut self) {
        self.until(|event| matches!(event, Event::Activity(Activity::Idle)))
            .await;
    }

    /// Waits for a frame with this text.
    pub(crate) async fn frame(&mut self, text: &str) {
        self.until(|event| match event {
            Event::Frame(frame) => String::from_utf8_lossy(frame.raw()).contains(text),
            _ => false,
        })
        .await;
    }

    pub(crate) async fn say(&mut self, message: impl Into<UserMessage>) {
        self.send(message);
        self.idle().await;
    }

    /// Ends the session. Returns its view and its ID.
    pub(crate) async fn close(mut self) -> (View, String) {
        let closing = self.client.handle().close();
        while let Some(event) = self.client.next().await {
            self.watched.push(&event.unwrap());
        }
        closing.await;
        self.watched.push(Input::Ended(None));
        self.watched.assert_same();
        let session = self.watched.view.session().session_id.clone().unwrap();
        (self.watched.view, session)
    }

    /// Ends the session, and compares its view with that of its transcript.
    pub(crate) async fn check(self, projects: &Path) -> View {
        let (view, session) = self.close().await;
        let found = differences(&view, &restored(projects, &session));
        assert!(found.is_empty(), "{}", found.join("\n"));
        view
    }
}

/// Returns whether a transcript has this part of an entry. `View::restore` documents each.
fn is_stored(entry: &Entry) -> bool {
    match &entry.body {
        Body::TurnEnd(_) | Body::Approval(_) => false,
        Body::Text(text) | Body::Thought(text) => text.complete,
        Body::Prompt(prompt) => json!(prompt.delivery) == "delivered",
        Body::Question(question) => question.server.is_none(),
        Body::Notice(notice) => matches!(
            json!(notice.kind).as_str(),
            Some(
                "compacted"
                    | "api_error"
                    | "model_changed"
                    | "command_output"
                    | "task"
                    | "interrupted"
                    | "message"
                    | "info"
            )
        ),
        _ => true,
    }
}

/// Returns the entries of a view as JSON, without the parts that no transcript has.
fn stored(view: &View, parent: Option<&str>) -> Vec<Value> {
    let entries: Vec<&Entry> = match parent {
        None => view.entries().collect(),
        Some(parent) => view.children(parent).collect(),
    };
    let mut found = Vec::new();
    for entry in entries {
        if !is_stored(entry) {
            continue;
        }
        let mut value = serde_json::to_value(entry).unwrap();
        let members = value.as_object_mut().unwrap();
        members.remove("priority");
        members.remove("usage");
        if entry_is_command(entry) {
            members.remove("text");
        }
        found.push(value);
        found.extend(stored(view, Some(&entry.id)));
    }
    found
}

fn entry_is_command(entry: &Entry) -> bool {
    matches!(&entry.body, Body::Prompt(prompt) if prompt.text.text.starts_with('/'))
}

/// Removes ends of background tasks that were not reported to the model.
fn forget_end(live: &mut Value, stored: &Value) {
    let is_untold = stored["background"]["summary"].is_null()
        && stored["failure"]["reason"] == "no_result"
        || stored["type"] == "tool_call" && stored["background"]["summary"].is_null();
    if let Some(live) = live
        .as_object_mut()
        .filter(|_| !stored["background"].is_null() && is_untold)
    {
        for member in ["status", "result", "failure", "background"] {
            live.remove(member);
            if let Some(value) = stored.get(member) {
                live.insert(member.to_owned(), value.clone());
            }
        }
    }
}

/// Returns the differences between the view of a session and the view of its transcript.
pub(crate) fn differences(live: &View, restored: &View) -> Vec<String> {
    let (mut live, restored) = (stored(live, None), stored(restored, None));
    for entry in &mut live {
        if let Some(other) = restored.iter().find(|it| it["id"] == entry["id"]) {
            forget_end(entry, other);
        }
    }
    let mut found = Vec::new();
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    for entry in &live {
        match restored.iter().find(|it| it["id"] == entry["id"]) {
            None => found.push(format!("only live: {entry}")),
            Some(other) if other != entry => found.push(format!("live: {entry}\nstored: {other}")),
            Some(_) => {}
        }
    }
    for entry in &restored {
        if !live.iter().any(|it| it["id"] == entry["id"]) {
            found.push(format!("only stored: {entry}"));
        }
    }
    let (a, b): (Vec<_>, Vec<_>) = (
        live.iter().map(id).collect(),
        restored.iter().map(id).collect(),
    );
    let at = a.iter().zip(&b).position(|(a, b)| a != b);
    if let Some(at) = at.filter(|_| found.is_empty()) {
        let near = |ids: &[String]| ids[at.saturating_sub(3)..ids.len().min(at + 4)].join(" ");
        found.push(format!("order: live {}\nstored: {}", near(&a), near(&b)));
    }
    found
}

fn records(path: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter_map(|line| Record::read(line).ok())
        .collect()
}

/// Restores the view of a session from the transcripts below this folder.
pub(crate) fn restored(projects: &Path, session: &str) -> View {
    let mut view = View::new();
    for project in std::fs::read_dir(projects).unwrap().flatten() {
        let main = project.path().join(format!("{session}.jsonl"));
        if !main.exists() {
            continue;
        }
        view.restore(&records(&main));
        let agents = project.path().join(session).join("subagents");
        let mut files: Vec<_> = std::fs::read_dir(agents)
            .into_iter()
            .flatten()
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|it| it == "jsonl"))
            .collect();
        files.sort();
        for file in files {
            let meta = std::fs::read_to_string(file.with_extension("meta.json"));
            let meta: AgentMeta = serde_json::from_str(&meta.unwrap()).unwrap();
            let name = file.file_stem().unwrap().to_str().unwrap();
            let agent = name.strip_prefix("agent-").unwrap();
            let Some(call) = meta.tool_use_id else {
                continue;
            };
            view.restore_subagent(&call, agent, &records(&file));
        }
    }
    view
}
