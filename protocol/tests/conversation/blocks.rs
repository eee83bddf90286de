//! Tests of complete messages: blocks of a reply, sub-agents, and echoes.

use crate::conversation::said::*;
use agentwire_protocol::conversation::Change;
use agentwire_protocol::message::Message;
use serde_json::{Value, json};

#[test]
fn blocks_of_one_message_become_one_reply() {
    let messages = [
        user("u", json!("go")),
        said(
            "m1",
            "a",
            json!({"type": "thinking", "thinking": "Hm.", "signature": "s"}),
        ),
        said_text("m1", "b", "Now. "),
        said("m1", "c", tool_use("t1", json!({"n": 1}))),
        // The tool ran while the model was still writing.
        user(
            "r",
            json!([{"type": "tool_result", "tool_use_id": "t1", "content": "one"}]),
        ),
        said_text("m1", "d", "Then."),
        said_text("m2", "e", "Done."),
        result("z"),
    ];
    let conversation = conversation(&messages);
    let kinds: Vec<_> = conversation
        .entries
        .iter()
        .map(|it| it.tag().unwrap())
        .collect();
    assert_eq!(kinds, ["user", "reply", "user", "reply", "result"]);
    let first = reply(&conversation, 1);
    assert_eq!(first.text(), "Now. Then.");
    assert_eq!(states(first), ["whole"; 4]);
    assert_eq!(first.blocks[2].uuid.as_deref(), Some("c"));
    assert_eq!(reply(&conversation, 3).text(), "Done.");
    let answer = conversation.tool_result("t1").unwrap();
    assert_eq!(answer.content.as_ref().unwrap().text(), "one");
    assert!(conversation.tool_result("t2").is_none());
}

#[test]
fn sub_agents_have_separate_threads() {
    let of = |mut message: Value| {
        message["parent_tool_use_id"] = json!("task1");
        message["agent_id"] = json!("agent7");
        message["subagent_type"] = json!("Explore");
        self::message(message)
    };
    let inner = |message: &Message| of(serde_json::to_value(message).unwrap());
    let prompt =
        json!({"type": "user", "message": {"role": "user", "content": "look"}, "uuid": "p"});
    let messages = [
        start("m1"),
        text_start(0),
        of(prompt),
        inner(&start("i1")),
        inner(&text_start(0)),
        text(0, "outer "),
        inner(&text(0, "inner ")),
        text(0, "text"),
        inner(&text(0, "text")),
        inner(&said_text("i1", "b", "inner text")),
    ];
    let conversation = conversation(&messages);
    assert_eq!(reply(&conversation, 0).text(), "outer text");
    let subagent = &conversation.subagents["task1"];
    assert_eq!(subagent.subagent_type.as_deref(), Some("Explore"));
    assert_eq!(subagent.agent_id.as_deref(), Some("agent7"));
    assert_eq!(subagent.entries.len(), 2);
    assert_eq!(
        conversation.thread(Some("task1"))[1]
            .reply()
            .unwrap()
            .text(),
        "inner text"
    );
    assert!(conversation.thread(Some("other")).is_empty());
}

#[test]
fn an_echo_replaces_the_message_of_the_host() {
    let mut assembler = assembled(&[user("u1", json!("hello")), user("u2", json!("more"))]);
    let mut echo = serde_json::to_value(user("u1", json!("hello"))).unwrap();
    echo["isReplay"] = json!(true);
    assert_eq!(assembler.push(&message(echo)), Some(Change::Changed(at(0))));
    assert_eq!(assembler.conversation().entries.len(), 2);
}

#[test]
fn a_reset_clears_the_conversation() {
    let mut assembler = assembled(&[user("u1", json!("hello")), start("m"), text_start(0)]);
    let reset = message(json!({"type": "conversation_reset", "new_conversation_id": "s2"}));
    assert_eq!(assembler.push(&reset), Some(Change::Rebuilt));
    assert_eq!(assembler.push(&text(0, "late")), None);
    let conversation = assembler.into_conversation();
    assert_eq!(conversation.session_id, None);
    assert!(conversation.entries.is_empty());
}

#[test]
fn members_of_a_single_message_of_a_reply_are_retained() {
    let with = |mut said: Value, name: &str| {
        said[name] = json!(name);
        said["message"][name] = json!(name);
        message(said)
    };
    let json = |message: Message| serde_json::to_value(message).unwrap();
    let conversation = conversation(&[
        with(json(said_text("m", "a", "one")), "mood"),
        with(json(said_text("m", "b", "two")), "weather"),
    ]);
    let said = serde_json::to_value(&reply(&conversation, 0).message).unwrap();
    for name in ["mood", "weather"] {
        assert_eq!(
            (&said[name], &said["message"][name]),
            (&json!(name), &json!(name))
        );
    }
}
