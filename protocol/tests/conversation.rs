//! Conversations are put together from the messages of a session, whatever
//! came of them and in whichever pieces.
#![allow(clippy::unwrap_used)]

#[path = "common/recorded.rs"]
mod recorded;

use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::conversation::{
    Assembler, BlockState, Change, Conversation, Entry, PartialJson, Place, Reply, ReplyState,
};
use agentwire_protocol::message::{Message, StopReason};
use proptest::prelude::*;
use recorded::Recorded;
use serde_json::{Value, json};

fn message(value: Value) -> Message {
    serde_json::from_value(value).unwrap()
}

fn event(event: Value) -> Message {
    message(json!({"type": "stream_event", "event": event, "session_id": "s"}))
}

fn start(id: &str) -> Message {
    event(json!({"type": "message_start", "message": {
        "id": id, "role": "assistant", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1},
    }}))
}

fn block_start(index: u64, block: Value) -> Message {
    event(json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn text_start(index: u64) -> Message {
    block_start(index, json!({"type": "text", "text": ""}))
}

fn delta(index: u64, delta: Value) -> Message {
    event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn text(index: u64, text: &str) -> Message {
    delta(index, json!({"type": "text_delta", "text": text}))
}

fn input(index: u64, json: &str) -> Message {
    delta(
        index,
        json!({"type": "input_json_delta", "partial_json": json}),
    )
}

fn block_stop(index: u64) -> Message {
    event(json!({"type": "content_block_stop", "index": index}))
}

fn end(stop_reason: &str, output_tokens: u64) -> [Message; 2] {
    [
        event(
            json!({"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": null},
            "usage": {"output_tokens": output_tokens}}),
        ),
        event(json!({"type": "message_stop"})),
    ]
}

fn said(id: &str, uuid: &str, block: Value) -> Message {
    message(
        json!({"type": "assistant", "uuid": uuid, "session_id": "s", "parent_tool_use_id": null,
        "message": {"id": id, "role": "assistant", "content": [block], "stop_reason": null,
            "usage": {"input_tokens": 3, "output_tokens": 1}}}),
    )
}

fn said_text(id: &str, uuid: &str, text: &str) -> Message {
    said(id, uuid, json!({"type": "text", "text": text}))
}

fn tool_use(id: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Write", "input": input})
}

fn user(uuid: &str, content: Value) -> Message {
    message(json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}}))
}

fn result(uuid: &str) -> Message {
    message(json!({"type": "result", "subtype": "success", "is_error": false, "uuid": uuid}))
}

fn assembled<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Assembler {
    let mut assembler = Assembler::default();
    for message in messages {
        assembler.push(message);
    }
    assembler
}

fn conversation<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Conversation {
    assembled(messages).into_conversation()
}

#[track_caller]
fn reply(conversation: &Conversation, entry: usize) -> &Reply {
    conversation.entries[entry].reply().unwrap()
}

fn states(reply: &Reply) -> Vec<&str> {
    reply
        .blocks
        .iter()
        .map(|block| block.state.as_str())
        .collect()
}

const MAIN: Option<&str> = None;

fn at(entry: usize) -> Place<'static> {
    Place {
        thread: MAIN,
        entry,
    }
}

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
        // The tool ran while the model went on.
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
fn what_is_streamed_is_told_piece_by_piece_and_is_there_once() {
    let mut assembler = Assembler::default();
    assert_eq!(assembler.push(&start("m")), Some(Change::Added(at(0))));
    assembler.push(&block_start(
        0,
        json!({"type": "thinking", "thinking": "", "signature": ""}),
    ));
    let thinking = delta(0, json!({"type": "thinking_delta", "thinking": "Hm."}));
    assert_eq!(
        assembler.push(&thinking),
        Some(Change::Thinking {
            at: at(0),
            block: 0,
            thinking: "Hm."
        })
    );
    assembler.push(&delta(
        0,
        json!({"type": "signature_delta", "signature": "sig"}),
    ));
    assembler.push(&block_stop(0));
    assembler.push(&text_start(1));
    assert_eq!(
        assembler.push(&text(1, "Hel")),
        Some(Change::Text {
            at: at(0),
            block: 1,
            text: "Hel"
        })
    );
    assembler.push(&text(1, "lo"));

    let so_far = assembler.conversation();
    assert_eq!(states(reply(so_far, 0)), ["written", "streaming"]);
    assert_eq!(reply(so_far, 0).text(), "Hello");
    assert_eq!(reply(so_far, 0).state, ReplyState::Streaming);

    let thought = said(
        "m",
        "a",
        json!({"type": "thinking", "thinking": "Hm.", "signature": "sig"}),
    );
    assert_eq!(assembler.push(&thought), Some(Change::Changed(at(0))));
    assembler.push(&said_text("m", "b", "Hello"));
    assembler.push(&block_stop(1));
    for message in end("end_turn", 9) {
        assembler.push(&message);
    }
    let conversation = assembler.into_conversation();
    assert_eq!(conversation.entries.len(), 1);
    let reply = reply(&conversation, 0);
    assert_eq!(states(reply), ["whole", "whole"]);
    assert_eq!(reply.text(), "Hello");
    assert_eq!(reply.state, ReplyState::Done);
    let body = &reply.message.message;
    assert_eq!(body.stop_reason, Some(StopReason::EndTurn));
    let usage = body.usage.as_ref().unwrap();
    assert_eq!(
        (usage.input_tokens, usage.output_tokens),
        (Some(3), Some(9))
    );
}

#[test]
fn a_tools_input_can_be_read_while_it_streams() {
    let mut assembler = assembled(&[start("m"), block_start(0, tool_use("t", json!({})))]);
    let piece = input(0, r#"{"path":"/a","content":"fn ma"#);
    assert_eq!(
        assembler.push(&piece),
        Some(Change::ToolInput {
            at: at(0),
            block: 0,
            json: r#"{"path":"/a","content":"fn ma"#
        })
    );
    let so_far = |assembler: &mut Assembler| {
        let ContentBlock::ToolUse(call) = reply(assembler.conversation(), 0).content()[0].clone()
        else {
            panic!()
        };
        call.input.to_tree().unwrap()
    };
    assert_eq!(
        so_far(&mut assembler),
        json!({"path": "/a", "content": "fn ma"})
    );
    assembler.push(&input(0, r#"in","mode":"#));
    assert_eq!(
        so_far(&mut assembler),
        json!({"path": "/a", "content": "fn main"})
    );
    assembler.push(&input(0, "7}"));
    assembler.push(&block_stop(0));
    assert_eq!(
        so_far(&mut assembler),
        json!({"path": "/a", "content": "fn main", "mode": 7})
    );
}

#[test]
fn a_block_that_was_streamed_and_not_said_takes_no_other_blocks_place() {
    // The agent leaves out a text without words.
    let mut messages = vec![start("m"), text_start(0), block_stop(0)];
    messages.extend([block_start(1, tool_use("t", json!({}))), input(1, "{}")]);
    messages.extend([said("m", "a", tool_use("t", json!({}))), block_stop(1)]);
    messages.extend(end("tool_use", 1));
    let conversation = conversation(&messages);
    assert_eq!(states(reply(&conversation, 0)), ["written", "whole"]);
}

#[test]
fn an_aborted_reply_keeps_what_was_said_and_loses_what_was_not() {
    let aborted = {
        let mut message = serde_json::to_value(said_text("m", "a", "one wo")).unwrap();
        message["aborted"] = json!(true);
        self::message(message)
    };
    let stop = message(
        json!({"type": "stream_event", "event": {"type": "message_stop"},
        "abandoned_blocks": {"api_message_id": "m", "from_block_index": 1}}),
    );
    let mut assembler = assembled(&[start("m"), text_start(0), text(0, "one wo"), aborted]);
    assembler.push(&text_start(1));
    assembler.push(&text(1, "never"));
    assert_eq!(assembler.push(&stop), Some(Change::Rebuilt));
    let conversation = assembler.into_conversation();
    let reply = reply(&conversation, 0);
    assert_eq!(
        (reply.text().as_str(), &reply.state),
        ("one wo", &ReplyState::Aborted)
    );
    assert_eq!(states(reply), ["whole"]);
}

#[test]
fn a_stream_that_breaks_off_leaves_what_was_said() {
    // The API failed, and the agent asked again.
    let mut assembler = assembled(&[start("m1"), text_start(0), text(0, "lost")]);
    assert_eq!(assembler.push(&start("m2")), Some(Change::Rebuilt));
    assembler.push(&text_start(0));
    assembler.push(&said_text("m2", "a", "said"));
    assembler.push(&block_start(1, tool_use("t", json!({}))));
    assembler.push(&result("z"));
    let conversation = assembler.into_conversation();
    let kinds: Vec<_> = conversation
        .entries
        .iter()
        .map(|it| it.tag().unwrap())
        .collect();
    assert_eq!(kinds, ["reply", "result"]);
    assert_eq!(reply(&conversation, 0).text(), "said");
    assert_eq!(reply(&conversation, 0).state, ReplyState::Aborted);
    assert_eq!(states(reply(&conversation, 0)), ["whole"]);
}

#[test]
fn superseded_messages_are_taken_away() {
    let mut superseding = serde_json::to_value(said_text("m2", "d", "better")).unwrap();
    superseding["supersedes"] = json!(["b", "r"]);
    let mut assembler = assembled(&[
        said_text("m1", "a", "kept"),
        said("m1", "b", tool_use("t", json!({}))),
        user(
            "r",
            json!([{"type": "tool_result", "tool_use_id": "t", "content": "bad"}]),
        ),
    ]);
    let superseding = message(superseding);
    assert_eq!(assembler.push(&superseding), Some(Change::Rebuilt));
    let mut again = assembler.clone();
    assert_eq!(
        again.push(&superseding),
        Some(Change::Changed(at(1))),
        "the second time it changes nothing"
    );
    let conversation = assembler.into_conversation();
    assert_eq!(again.into_conversation(), conversation);
    assert_eq!(conversation.entries.len(), 2);
    assert_eq!(reply(&conversation, 0).text(), "kept");
    assert_eq!(reply(&conversation, 0).blocks.len(), 1);
    assert_eq!(reply(&conversation, 1).text(), "better");
}

#[test]
fn a_refusal_takes_back_what_the_refusing_model_said() {
    let fallback = message(
        json!({"type": "system", "subtype": "model_refusal_fallback", "uuid": "n",
        "retracted_message_uuids": ["a"], "content": "Another model answers."}),
    );
    let mut assembler = assembled(&[
        said_text("m1", "a", "refused"),
        said_text("m2", "b", "answer"),
    ]);
    assert_eq!(assembler.push(&fallback), Some(Change::Rebuilt));
    let conversation = assembler.into_conversation();
    assert_eq!(reply(&conversation, 0).text(), "answer");
    assert!(matches!(conversation.entries[1], Entry::Notice(_)));
}

#[test]
fn a_removal_while_something_streams_does_not_mix_texts_up() {
    let mut assembler = assembled(&[said_text("m1", "a", "old"), user("u", json!("go"))]);
    for message in [start("m2"), text_start(0), text(0, "one ")] {
        assembler.push(&message);
    }
    assert!(assembler.remove(&["a"]));
    assert!(!assembler.remove(&["a"]));
    assert_eq!(
        assembler.push(&text(0, "two")),
        Some(Change::Text {
            at: at(1),
            block: 0,
            text: "two"
        })
    );
    assert_eq!(reply(assembler.conversation(), 1).text(), "one two");
}

#[test]
fn sub_agents_are_kept_apart() {
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
fn an_echo_takes_the_place_of_what_the_host_showed() {
    let mut assembler = assembled(&[user("u1", json!("hello")), user("u2", json!("more"))]);
    let mut echo = serde_json::to_value(user("u1", json!("hello"))).unwrap();
    echo["isReplay"] = json!(true);
    assert_eq!(assembler.push(&message(echo)), Some(Change::Changed(at(0))));
    assert_eq!(assembler.conversation().entries.len(), 2);
}

#[test]
fn a_reset_begins_anew() {
    let mut assembler = assembled(&[user("u1", json!("hello")), start("m"), text_start(0)]);
    let reset = message(json!({"type": "conversation_reset", "new_conversation_id": "s2"}));
    assert_eq!(assembler.push(&reset), Some(Change::Rebuilt));
    assert_eq!(assembler.push(&text(0, "late")), None);
    let conversation = assembler.into_conversation();
    assert_eq!(conversation.session_id.as_deref(), Some("s2"));
    assert!(conversation.entries.is_empty());
}

#[test]
fn events_that_fit_nothing_change_nothing() {
    let mut assembler = assembled(&[start("m"), text_start(0)]);
    let before = assembler.conversation().clone();
    for odd in [
        text(7, "no such block"),
        delta(
            0,
            json!({"type": "thinking_delta", "thinking": "in a text"}),
        ),
        input(0, "{}"),
        delta(0, json!({"type": "new_delta", "x": 1})),
        block_stop(7),
        event(json!({"type": "ping"})),
        event(json!({"type": "new_event"})),
        message(json!({"type": "keep_alive"})),
    ] {
        assert_eq!(assembler.push(&odd), None, "{odd:?}");
    }
    assert_eq!(assembler.conversation(), &before);
    assert_eq!(Assembler::default().push(&text(0, "no stream")), None);
}

/// The messages that agents wrote, session by session.
fn recorded() -> Vec<Vec<Message>> {
    let messages = |session: Vec<Recorded>| {
        let lines = session.into_iter().filter(|it| it.dir == "recv");
        lines
            .filter_map(|it| serde_json::from_str(&it.line).ok())
            .collect()
    };
    recorded::sessions().into_iter().map(messages).collect()
}

/// What was said, without what only the stream knows.
fn whole(conversation: &Conversation) -> Vec<(String, Vec<ContentBlock>)> {
    let entries = conversation.entries.iter();
    let inner = conversation.subagents.values().flat_map(|it| &it.entries);
    entries
        .chain(inner)
        .map(|entry| match entry {
            Entry::Reply(reply) => {
                let whole = reply.content().iter().zip(&reply.blocks);
                let whole = whole.filter(|(_, at)| at.state == BlockState::Whole);
                let id = reply.message.message.id.clone().unwrap();
                (id, whole.map(|(block, _)| block.clone()).collect())
            }
            entry => (serde_json::to_string(entry).unwrap(), vec![]),
        })
        .collect()
}

#[test]
fn recorded_sessions_say_the_same_with_and_without_their_streams() {
    for messages in recorded() {
        let streamed = conversation(&messages);
        let plain = conversation(
            messages
                .iter()
                .filter(|it| !matches!(it, Message::StreamEvent(_))),
        );
        assert_eq!(whole(&streamed), whole(&plain));
        for entry in &streamed.entries {
            if let Some(reply) = entry.reply() {
                assert_ne!(reply.state, ReplyState::Streaming);
                assert!(reply.blocks.iter().all(|it| it.state == BlockState::Whole));
            }
        }
    }
}

#[test]
fn recorded_texts_are_painted_as_they_are_said_in_the_end() {
    let mut compared = 0;
    for messages in recorded() {
        let mut assembler = Assembler::default();
        let mut painted: std::collections::BTreeMap<(usize, usize), String> = Default::default();
        for message in &messages {
            match assembler.push(message) {
                Some(Change::Text { at, block, text }) if at.thread.is_none() => {
                    *painted.entry((at.entry, block)).or_default() += text;
                }
                Some(Change::Rebuilt) => panic!("nothing is taken away in the recordings"),
                _ => {}
            }
        }
        let conversation = assembler.into_conversation();
        for ((entry, block), text) in painted {
            let said = reply(&conversation, entry).content()[block]
                .as_text()
                .unwrap();
            // What the agent said in words of its own stands as `text` in the
            // recordings.
            if said != "text" {
                assert_eq!(said, text);
                compared += 1;
            }
        }
    }
    assert!(compared > 20);
}

#[test]
fn a_conversation_is_written_and_read_and_goes_on_anywhere() {
    for messages in recorded() {
        let all = whole(&conversation(&messages));
        for cut in (0..messages.len()).step_by(7) {
            let (before, behind) = messages.split_at(cut);
            let kept = serde_json::to_string(&conversation(before)).unwrap();
            let read: Conversation = serde_json::from_str(&kept).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), kept);
            let mut assembler = Assembler::from(read);
            for message in behind {
                assembler.push(message);
            }
            let again = whole(&assembler.into_conversation());
            for (again, once) in again.iter().zip(&all) {
                assert_eq!(again, once, "cut at {cut}");
            }
            assert_eq!(again.len(), all.len());
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Whether one value is the beginning of the other.
fn begins(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part
                    .iter()
                    .zip(whole)
                    .all(|(part, whole)| begins(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| begins(part, whole))),
        _ => part == whole,
    }
}

proptest! {
    #[test]
    fn every_beginning_of_a_json_text_is_read_as_a_beginning_of_its_value(value in any_json()) {
        let text = value.to_string();
        let mut partial = PartialJson::default();
        for piece in text.chars() {
            partial.push(piece.encode_utf8(&mut [0; 4]));
            if let Some(so_far) = partial.value() {
                let so_far: Value = so_far.read().unwrap();
                prop_assert!(begins(&so_far, &value), "{} of {value}", partial.text());
            }
        }
        prop_assert_eq!(partial.whole().unwrap().read::<Value>().unwrap(), value);
    }

    #[test]
    fn any_order_of_messages_is_survived(
        picks in prop::collection::vec((0..12usize, 0..3u64), 0..40)
    ) {
        let mut assembler = Assembler::default();
        for (kind, n) in picks {
            let id = format!("m{n}");
            let uuid = format!("u{n}");
            let message = match kind {
                0 => start(&id),
                1 => text_start(n),
                2 => text(n, "x"),
                3 => block_stop(n),
                4 => end("end_turn", n)[1].clone(),
                5 => said_text(&id, &uuid, "x"),
                6 => user(&uuid, json!("x")),
                7 => result("z"),
                8 => block_start(n, tool_use("t", json!({}))),
                9 => input(n, "{\"a\":"),
                10 => said(&id, &format!("t{n}"), tool_use("t", json!({}))),
                _ => {
                    assembler.remove(&[uuid]);
                    continue;
                }
            };
            assembler.push(&message);
            for entry in &assembler.conversation().entries {
                if let Some(reply) = entry.reply() {
                    prop_assert_eq!(reply.blocks.len(), reply.content().len());
                }
            }
            let kept = serde_json::to_string(assembler.conversation()).unwrap();
            let read: Conversation = serde_json::from_str(&kept).unwrap();
            prop_assert_eq!(&read, assembler.conversation());
        }
    }
}
