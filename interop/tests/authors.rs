//! Tests of the authors of messages with the role of a user, in every format.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_interop::conversion::{
    Loss, Lost, Ours, Residue, System, Why, convert, export, undo, undo_export,
};
use agentwire_interop::session::{Line, Session};
use agentwire_interop::transcript::{Author, History, Record, Transcript, Tree};
use agentwire_interop::{Message, bridgic, chat, cua, openhands, responses};
use serde_json::{Value, json};
use support::tree;

const NOTIFICATION: &str = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
const SUMMARY: &str = "This session is being continued from a previous conversation that ran out.";
const HOOK: &str = "Stop hook feedback:\nRun the tests.";

fn user(text: &str, more: Value) -> Value {
    let mut line = json!({"type": "user", "message": {"role": "user", "content": text}});
    let more = more.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    line
}

/// Returns lines of a session with the expected names of their authors.
fn on_the_wire() -> Vec<(Value, Option<&'static str>)> {
    let synthetic = json!({"isSynthetic": true});
    let task =
        json!({"isSynthetic": true, "origin": {"kind": "task-notification", "producer": "p"}});
    let channel = json!({"origin": {"kind": "channel", "server": "s"}});
    let command = "<local-command-stdout>x</local-command-stdout>";
    let lines = [
        ("hello", json!({}), None),
        // A text of a user has no other author, even if it looks like a notification.
        (NOTIFICATION, json!({}), None),
        (HOOK, json!({"origin": {"kind": "human"}}), None),
        (NOTIFICATION, task, Some("task-notification")),
        (NOTIFICATION, synthetic.clone(), Some("task-notification")),
        ("ping", channel, Some("channel")),
        (SUMMARY, synthetic.clone(), Some("summary")),
        (HOOK, synthetic.clone(), Some("hook")),
        (command, json!({"isReplay": true}), Some("command")),
        ("Continue.", synthetic, Some("agent")),
    ];
    lines
        .map(|(text, more, author)| (user(text, more), author))
        .into()
}

fn messages(lines: &[(Value, Option<&str>)]) -> Vec<Message> {
    let read = |(line, _): &(Value, _)| serde_json::from_str(&line.to_string()).unwrap();
    lines.iter().map(read).collect()
}

fn authors(messages: &[Message]) -> Vec<Author> {
    let author = |message: &Message| match message {
        Message::User(message) => message.author(),
        other => panic!("{other:?}"),
    };
    messages.iter().map(author).collect()
}

/// Exports the lines, and imports the output without a residue. Returns the output.
fn exported<S: System + Copy>(system: S) -> Vec<Value> {
    let lines = on_the_wire();
    let messages = messages(&lines);
    let exported = export(system, messages.clone());
    assert_eq!(exported.made.len(), lines.len());
    let back = undo_export(system, exported.made.clone(), Residue::default()).pieces;
    assert_eq!(authors(&back), authors(&messages));
    // The import restores the content, without a tag.
    for (back, message) in tree(&back).as_array().unwrap().iter().zip(&messages) {
        assert_eq!(back["message"], tree(message)["message"]);
    }
    // Other members of the origin are losses.
    let losses = exported.losses.iter();
    let losses_of_origins: Vec<_> = losses
        .filter(|loss| loss.path.starts_with("/origin"))
        .map(|loss| (loss.index, &*loss.path, loss.why))
        .collect();
    let of = |index, path| (index, path, Why::Envelope);
    assert_eq!(
        losses_of_origins,
        [
            of(2, "/origin"),
            of(3, "/origin/producer"),
            of(5, "/origin/server")
        ]
    );
    // Roles of authors are losses.
    let roles = no_role(&exported.losses).into_iter();
    let roles: Vec<_> = roles.map(|loss| (loss.index, loss.what.clone())).collect();
    let wanted = lines.iter().enumerate();
    let wanted: Vec<_> = wanted
        .filter_map(|(index, (_, author))| Some((index, Lost::Author((*author)?.to_owned()))))
        .collect();
    assert_eq!(roles, wanted);
    let through = convert(Session::new(system), lines_of(&lines));
    assert_eq!(no_role(&through.losses), no_role(&exported.losses));
    assert_eq!(tree(&through.made), tree(&exported.made));
    let back = undo(Session::new(system), through.made, through.residue);
    assert_eq!(
        tree(&back.pieces),
        Value::from_iter(lines.into_iter().map(|(line, _)| line))
    );
    exported.made.iter().map(tree).collect()
}

fn no_role(losses: &[Loss]) -> Vec<&Loss> {
    losses.iter().filter(|it| it.why == Why::NoRole).collect()
}

#[test]
fn lines_of_a_session_have_the_authors_of_a_transcript() {
    let lines = [
        record(
            "1",
            NOTIFICATION,
            json!({"origin": {"kind": "task-notification"}}),
        ),
        json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "message": {
            "role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "No."}]}}),
    ];
    let records: Vec<Record> = lines
        .iter()
        .map(|line| Record::read(&line.to_string()).unwrap())
        .collect();
    let mut of = Tree::default();
    records.iter().for_each(|record| of.note(record));
    let branch = of.branch(History::All);
    let ours = convert(Transcript::new(Ours, branch.clone()), records.clone());
    assert_eq!(no_role(&ours.losses), Vec::<&Loss>::new());
    let chat = convert(Transcript::new(chat::Chat, branch), records);
    let authors: Vec<_> = no_role(&chat.losses).iter().map(|it| &it.what).collect();
    let author = |name: &str| Lost::Author(name.to_owned());
    assert_eq!(authors, [&author("task-notification"), &author("agent")]);
}

fn lines_of(lines: &[(Value, Option<&str>)]) -> Vec<Line> {
    let read = |(line, _): &(Value, _)| serde_json::from_str(&line.to_string()).unwrap();
    lines.iter().map(read).collect()
}

fn names() -> Vec<Value> {
    let name = |name: &str| Value::from(format!("agentwire-{name}"));
    let lines = on_the_wire();
    let names = lines.into_iter();
    names
        .map(|(_, author)| author.map_or(Value::Null, name))
        .collect()
}

#[test]
fn authors_become_names() {
    for (made, place) in [
        (exported(chat::Chat), "/name"),
        (exported(openhands::OpenHands), "/name"),
        (exported(bridgic::Chat), "/name"),
        (exported(bridgic::Blocks), "/extras/name"),
    ] {
        let found = made.iter();
        let found: Vec<Value> = found
            .map(|item| item.pointer(place).cloned().unwrap_or_default())
            .collect();
        assert_eq!(found, names());
        let text = Value::from(made).to_string();
        assert!(!text.contains("[agentwire"), "{text}");
    }
}

#[test]
fn authors_become_tags_without_names() {
    for made in [
        exported(responses::Responses),
        exported(cua::Cua::default()),
    ] {
        for (item, (line, author)) in made.iter().zip(on_the_wire()) {
            let text = line["message"]["content"].as_str().unwrap();
            let wanted = match author {
                None => text.to_owned(),
                Some(author) => format!("[agentwire: written by {author}]\n{text}"),
            };
            assert_eq!(item["content"], wanted);
        }
    }
}

#[test]
fn tags_in_texts_of_users_are_not_authors() {
    let text = "[agentwire: written by summary]\nhello";
    for message in [
        Message::user(text),
        Message::user("[agentwire: written by user]"),
        Message::user(vec![agentwire_protocol::content::ContentBlock::text(text)]),
    ] {
        let message = vec![message];
        for back in [
            there_and_back(responses::Responses, &message),
            there_and_back(cua::Cua::default(), &message),
            there_and_back(chat::Chat, &message),
        ] {
            assert_eq!(back, message);
        }
    }
}

fn there_and_back<S: System + Copy>(system: S, messages: &[Message]) -> Vec<Message> {
    let made = export(system, messages.to_vec()).made;
    undo_export(system, made, Residue::default()).pieces
}

#[test]
fn names_of_participants_are_not_authors() {
    for name in [
        "bob",
        "summary",
        "agentwire",
        "agentwire-",
        "agentwire-a b",
        "agentwire-user",
    ] {
        let item = json!([{"role": "user", "content": "hello", "name": name}]);
        let items = serde_json::from_str(&item.to_string()).unwrap();
        let back = undo_export(chat::Chat, items, Residue::default()).pieces;
        assert_eq!(authors(&back), [Author::Person], "{name}");
    }
}

#[test]
fn notifications_after_results_are_separate_messages() {
    let lines = [
        json!({"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "done"}]}}),
        user(NOTIFICATION, json!({"isSynthetic": true})),
    ];
    let read = |line: &Value| serde_json::from_str(&line.to_string()).unwrap();
    let messages: Vec<Message> = lines.iter().map(read).collect();
    for back in [
        there_and_back(chat::Chat, &messages),
        there_and_back(responses::Responses, &messages),
        there_and_back(openhands::OpenHands, &messages),
        there_and_back(cua::Cua::default(), &messages),
        there_and_back(bridgic::Chat, &messages),
        there_and_back(bridgic::Blocks, &messages),
    ] {
        assert_eq!(authors(&back[1..]), [Author::Tool, Author::Notification]);
    }
}

/// Returns a user record of a transcript.
fn record(uuid: &str, text: &str, more: Value) -> Value {
    let mut record = user(
        text,
        json!({"uuid": uuid, "parentUuid": null, "isSidechain": false}),
    );
    let more = more.as_object().unwrap().clone();
    record.as_object_mut().unwrap().extend(more);
    record
}

#[test]
fn authors_round_trip_without_a_residue() {
    let task = json!({"kind": "task-notification"});
    let lines = [
        record("1", SUMMARY, json!({"isCompactSummary": true})),
        record(
            "2",
            NOTIFICATION,
            json!({"parentUuid": "1", "origin": task.clone()}),
        ),
        record("3", HOOK, json!({"parentUuid": "2", "isMeta": true})),
        record("4", "Look.", json!({"parentUuid": "3", "isMeta": true})),
        record(
            "5",
            NOTIFICATION,
            json!({"parentUuid": "4", "promptSource": "sdk"}),
        ),
        // This record has no origin.
        record("6", NOTIFICATION, json!({"parentUuid": "5"})),
        record(
            "7",
            "<bash-input>ls</bash-input>",
            json!({"parentUuid": "6"}),
        ),
    ];
    let wanted = [
        ("isCompactSummary", json!(true)),
        ("origin", task.clone()),
        ("isMeta", json!(true)),
        ("isMeta", json!(true)),
        ("origin", Value::Null),
        ("origin", task.clone()),
        ("isMeta", Value::Null),
    ];
    let records: Vec<Record> = lines
        .iter()
        .map(|line| Record::read(&line.to_string()).unwrap())
        .collect();
    let mut tree_of_records = Tree::default();
    records
        .iter()
        .for_each(|record| tree_of_records.note(record));
    let direction = Transcript::new(chat::Chat, tree_of_records.branch(History::All));
    let exported = convert(direction.clone(), records);
    let names = tree(&exported.made);
    let names = names
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].clone());
    let expected = [
        "summary",
        "task-notification",
        "hook",
        "agent",
        "",
        "task-notification",
        "command",
    ];
    let expected = expected.map(|it| match it {
        "" => Value::Null,
        name => format!("agentwire-{name}").into(),
    });
    assert_eq!(names.collect::<Vec<_>>(), expected);
    let back = undo(direction.clone(), exported.made.clone(), Residue::default()).pieces;
    for (record, (member, value)) in tree(&back).as_array().unwrap().iter().zip(wanted) {
        assert_eq!(record[member], value, "{record}");
    }
    let back = undo(direction, exported.made, exported.residue);
    assert_eq!(tree(&back.pieces), json!(lines));
}
