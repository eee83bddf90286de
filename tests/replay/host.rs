//! A host that repeats the actions of a recorded host with our client.

use agentwire::callback::Response;
use agentwire::hook::HookCall;
use agentwire::permission::PermissionRequest;
use agentwire::process::CloseReport;
use agentwire::protocol::control::Initialize;
use agentwire::protocol::hook::{HookEvent, HookOutput};
use agentwire::protocol::message::UserMessage;
use agentwire::protocol::{Frame, Json};
use agentwire::{Client, ClosePolicy, Error, Event, Hook, Options, PermissionResult, SessionEnd};
use agentwire_testkit::recording::{Entry, EntryKind, INPUT_CLOSED, RecordedLine};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The outcome of a session.
pub(crate) struct Played {
    /// All events that the client delivered.
    pub(crate) events: Vec<Event>,
    pub(crate) report: CloseReport,
    /// The last error of the stream.
    pub(crate) end: Option<Arc<SessionEnd>>,
    /// The client's IDs of the recorded messages.
    names: BTreeMap<String, String>,
    /// The client's IDs of recorded messages without an ID. The recorded agent does not
    /// report their states.
    pub(crate) without_id: BTreeSet<String>,
}

/// Returns the lines of the agent.
pub(crate) fn received(session: &[Entry]) -> impl Iterator<Item = Value> {
    session.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Received(RecordedLine::Json(json)) => Some(json.read().unwrap()),
        _ => None,
    })
}

/// Returns the lines of the host, and their indices in the entries.
fn sent(session: &[Entry]) -> impl Iterator<Item = (usize, Value)> {
    let entries = session.iter().enumerate();
    entries.filter_map(|(at, entry)| match &entry.kind {
        EntryKind::Sent(RecordedLine::Json(json)) => Some((at, json.read().unwrap())),
        _ => None,
    })
}

/// Returns the agent's line, if it is delivered to the user.
pub(crate) fn message(entry: &Entry) -> Option<&str> {
    let EntryKind::Received(RecordedLine::Json(json)) = &entry.kind else {
        return None;
    };
    let frame = Frame::new(json.get().to_owned().into()).unwrap();
    let is_control = frame.kind().starts_with("control_");
    (!is_control).then_some(json.get())
}

/// Returns how many responses of the host the agent has echoed. It echoes responses
/// because of `--replay-user-messages`.
pub(crate) fn echoes(session: &[Entry]) -> usize {
    let answers = answers(session);
    let is_echo = |line: &Value| {
        let id = line["response"]["request_id"].as_str();
        id.is_some_and(|id| answers.contains_key(id))
    };
    received(session).filter(is_echo).count()
}

/// Returns whether the agent wrote messages after its input was closed.
pub(crate) fn writes_after_input_closed(session: &[Entry]) -> bool {
    let closed = session.iter().position(is_input_end).unwrap();
    session[closed..].iter().any(|it| message(it).is_some())
}

fn is_input_end(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Note(text) if text == INPUT_CLOSED)
}

/// Returns the responses of the recorded host, by request ID.
pub(crate) fn answers(session: &[Entry]) -> HashMap<String, Value> {
    sent(session)
        .filter(|(_, line)| line["type"] == "control_response")
        .map(|(_, mut line)| {
            let id = line["response"]["request_id"].as_str().unwrap().to_owned();
            (id, line["response"]["response"].take())
        })
        .collect()
}

fn read<T: DeserializeOwned>(answer: &Value) -> T {
    serde_json::from_value(answer.clone()).unwrap()
}

/// Sets the flags of the recorded host that our client passes only on request.
pub(crate) fn started_as_recorded(session: &[Entry], mut options: Options) -> Options {
    let Some(EntryKind::Spawn(spawn)) = session.first().map(|it| &it.kind) else {
        panic!("the recording does not say how the CLI was started");
    };
    for (at, flag) in spawn.argv.iter().enumerate() {
        options = match &**flag {
            "--allow-dangerously-skip-permissions" | "--replay-user-messages" => options.flag(flag),
            "--permission-mode" => options.flag_value(flag, &spawn.argv[at + 1]),
            _ => options,
        };
    }
    options
}

/// Adds the members of the recorded host's first request, and callbacks with its recorded
/// responses. A request without a recorded response is cancelled.
pub(crate) fn answering_as_recorded(session: &[Entry], options: Options) -> Options {
    let answers = Arc::new(answers(session));
    let (_, mut first) = sent(session).next().unwrap();
    let hooks = first["request"]["hooks"].take();
    let mut options = options.initialize(read::<Initialize>(&first["request"]));
    for (event, matchers) in hooks.as_object().into_iter().flatten() {
        for matcher in matchers.as_array().unwrap() {
            let answers = Arc::clone(&answers);
            let mut hook = Hook::named(event.as_str(), move |call: HookCall<HookEvent>| {
                let answer = answers.get(&*call.request_id).map(read::<HookOutput>);
                async move { answer.ok_or("nobody knows") }
            });
            if let Some(name) = matcher["matcher"].as_str() {
                hook = hook.matcher(name);
            }
            if let Some(seconds) = matcher["timeout"].as_u64() {
                hook = hook.timeout(Duration::from_secs(seconds));
            }
            options = options.hook(hook);
        }
    }
    options.on_permission(move |ask: PermissionRequest| {
        let answer = answers.get(&*ask.request_id).map(read::<PermissionResult>);
        async move {
            match answer {
                Some(answer) => Response::Now(answer),
                None => {
                    ask.cancelled.cancelled().await;
                    Response::Failed("it was cancelled".to_owned())
                }
            }
        }
    })
}

/// Repeats the actions of the recorded host. Each action waits until the client has
/// received everything that the recorded host had received before.
pub(crate) async fn play(session: &[Entry], options: Options) -> Played {
    let mut policy = ClosePolicy::default();
    if writes_after_input_closed(session) {
        policy = policy.finish(Duration::ZERO);
    }
    let mut client = Client::connect(options.close_policy(policy)).await.unwrap();
    let mut played = Played {
        events: Vec::new(),
        report: CloseReport::default(),
        end: None,
        names: BTreeMap::new(),
        without_id: BTreeSet::new(),
    };
    let mut messages = 0;
    let mut heard = 0;
    // The pending requests, by recorded ID.
    let mut asked = VecDeque::new();
    for (at, entry) in session.iter().enumerate() {
        if message(entry).is_some() {
            messages += 1;
        }
        if let EntryKind::Received(RecordedLine::Json(json)) = &entry.kind {
            let line: Value = json.read().unwrap();
            let answered = &line["response"]["request_id"];
            if let Some(place) = asked.iter().position(|(id, _)| id == answered) {
                let (_, pending): (_, agentwire::control::ResponseFuture<Json>) =
                    asked.remove(place).unwrap();
                let is_error = line["response"]["subtype"] == "error";
                assert_eq!(pending.await.is_err(), is_error, "{line}");
            }
        }
        if matches!(entry.kind, EntryKind::Sent(_)) || is_input_end(entry) {
            while heard < messages {
                let event = client.next().await.unwrap().unwrap();
                heard += usize::from(matches!(event, Event::Frame(_)));
                played.events.push(event);
            }
        }
        let EntryKind::Sent(RecordedLine::Json(json)) = &entry.kind else {
            continue;
        };
        let line: Value = serde_json::from_str(&played.renamed(json.get())).unwrap();
        match line["type"].as_str() {
            Some("user") => {
                let mut message: UserMessage = read(&line);
                let recorded = message.uuid.take();
                let known = recorded
                    .as_ref()
                    .and_then(|it| played.names.values().find(|id| *id == it));
                // A message that occurs twice keeps its ID. Each other message has a new
                // ID.
                message.uuid = known.cloned();
                let mut submission = client.send(message);
                let uuid = submission.uuid().to_owned();
                match (recorded, known) {
                    (Some(recorded), None) => drop(played.names.insert(recorded, uuid)),
                    (None, _) => drop(played.without_id.insert(uuid)),
                    _ => {}
                }
                // Messages that wait in the host are sorted by priority.
                submission.written().await.unwrap();
            }
            Some("control_request") => {
                let subtype = line["request"]["subtype"].as_str().unwrap();
                // The client itself sends the first request.
                if at != sent(session).next().unwrap().0 {
                    let pending = client.request_raw(subtype, line["request"].clone());
                    asked.push_back((line["request_id"].clone(), pending));
                }
            }
            _ => {}
        }
    }
    assert!(asked.is_empty());
    played.report = client.close().await;
    while let Some(event) = client.next().await {
        match event {
            Ok(event) => played.events.push(event),
            Err(Error::Ended(end)) => played.end = Some(end),
            Err(error) => panic!("{error}"),
        }
    }
    played
}

impl Played {
    /// Returns a recorded line, with the IDs that the client gave to its messages.
    pub(crate) fn renamed(&self, line: &str) -> String {
        (self.names.iter()).fold(line.to_owned(), |line, (recorded, now)| {
            line.replace(recorded, now)
        })
    }
}
