//! Conversations, there and back.

use crate::bridgic::theirs;
use crate::support::{ours, properties, tree};
use agentwire_interop::Message as Ours;
use agentwire_interop::bridgic::{Blocks, Chat, ChatMessage, Message};
use agentwire_interop::conversion::{Residue, System, Why, export, import, undo_export};
use agentwire_protocol::Members;
use proptest::prelude::*;
use serde_json::{Value, json};

proptest! {
    #[test]
    fn chat_messages_there_and_back(messages in ours::conversation()) {
        properties::there_and_back(Chat, &messages)?;
    }

    #[test]
    fn chat_messages_back_and_there(items in theirs::chat()) {
        properties::back_and_there(Chat, &items)?;
    }

    #[test]
    fn an_edit_of_chat_messages_costs_only_what_was_edited(
        messages in ours::conversation(),
        at in any::<usize>(),
        by in prop::option::of(theirs::chat()),
    ) {
        let by = by.and_then(|items| items.into_iter().next());
        properties::edits_cost_only_what_was_edited(Chat, &messages, at, by)?;
    }

    #[test]
    fn blocks_there_and_back(messages in ours::conversation()) {
        properties::there_and_back(Blocks, &messages)?;
    }

    #[test]
    fn blocks_back_and_there(items in theirs::blocks()) {
        properties::back_and_there(Blocks, &items)?;
    }

    #[test]
    fn an_edit_of_blocks_costs_only_what_was_edited(
        messages in ours::conversation(),
        at in any::<usize>(),
        by in prop::option::of(theirs::blocks()),
    ) {
        let by = by.and_then(|items| items.into_iter().next());
        properties::edits_cost_only_what_was_edited(Blocks, &messages, at, by)?;
    }

    #[test]
    fn only_the_name_of_an_author_is_beside_what_is_declared(messages in ours::conversation()) {
        let is_name = |beside: &Members| {
            let name = beside.get_str("name").unwrap_or_default();
            beside.is_empty() || (beside.iter().count() == 1 && name.starts_with("agentwire-"))
        };
        for message in export(Blocks, messages.clone()).made {
            prop_assert!(is_name(&message.extras.unwrap()));
            prop_assert!(message.extra.is_empty());
        }
        for message in export(Chat, messages).made {
            let beside = match message {
                ChatMessage::System(message) => message.extra,
                ChatMessage::User(message) => message.extra,
                ChatMessage::Assistant(message) => message.extra,
                ChatMessage::Tool(message) => message.extra,
                other => panic!("{other:?}"),
            };
            prop_assert!(is_name(&beside));
        }
    }
}

fn conversation() -> Vec<Ours> {
    [
        json!({"type": "instructions", "text": "Be kind."}),
        json!({"type": "user", "message": {"role": "user", "content": "What is the weather?"}}),
        json!({"type": "assistant", "uuid": "a-1", "message": {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Look it up.", "signature": "c2ln"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t-1", "name": "weather", "input": {"city": "Köln"}},
            {"type": "text", "text": "Both."},
            {"type": "tool_use", "id": "t-2", "name": "weather", "input": {"city": "Bonn"}},
        ]}}),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t-1", "content": [
                {"type": "text", "text": "sun"}, {"type": "text", "text": "22 °C"},
            ]},
            {"type": "text", "text": "And now?"},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            {"type": "tool_result", "tool_use_id": "t-2", "content": "rain", "is_error": true},
        ]}}),
    ]
    .map(ours::message)
    .into()
}

fn told<S: System + Copy>(system: S) -> (Value, Vec<String>) {
    let carried = export(system, conversation());
    let losses = carried.losses.iter().map(ToString::to_string).collect();
    (tree(&carried.made), losses)
}

#[test]
fn a_conversation_as_chat_messages() {
    let (made, losses) = told(Chat);
    assert_eq!(
        made,
        json!([
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "What is the weather?"},
            {"role": "assistant", "content": "I look.\n\nBoth.", "tool_calls": [
                {"id": "t-1", "type": "function",
                 "function": {"name": "weather", "arguments": r#"{"city":"Köln"}"#}},
                {"id": "t-2", "type": "function",
                 "function": {"name": "weather", "arguments": r#"{"city":"Bonn"}"#}},
            ]},
            {"role": "tool", "tool_call_id": "t-1", "content": "sun\n22 °C"},
            {"role": "tool", "tool_call_id": "t-2", "content": "rain"},
            {"role": "user", "content": "And now?"},
        ])
    );
    assert_eq!(
        losses,
        [
            "2/message/content/0: thinking: there is no place for it",
            "2/message/content/1/text: `text` as it was: it has another form there",
            "2/message/content/3: text: it has another form there",
            "2/uuid: `uuid`: it is about how the message travelled",
            "3/message/content/0/content: `content` as it was: it has another form there",
            "3/message/content/2: image: there is no place for it",
            "3/message/content/3/is_error: `is_error`: there is no place for it",
            "3/message/content: the order in `content`: it has another form there",
        ]
    );
}

#[test]
fn a_conversation_as_messages_of_blocks() {
    let (made, losses) = told(Blocks);
    let message = |role: &str, blocks: Value| json!({"role": role, "blocks": blocks, "extras": {}});
    let call = |id: &str, city: &str| json!({"block_type": "tool_call", "id": id, "name": "weather", "arguments": {"city": city}});
    let text = |text: &str| json!({"block_type": "text", "text": text});
    assert_eq!(
        made,
        json!([
            message("system", json!([text("Be kind.")])),
            message("user", json!([text("What is the weather?")])),
            message(
                "assistant",
                json!([
                    text("I look."),
                    call("t-1", "Köln"),
                    text("Both."),
                    call("t-2", "Bonn"),
                ])
            ),
            message(
                "tool",
                json!([
                    {"block_type": "tool_result", "id": "t-1", "content": "sun\n22 °C"},
                ])
            ),
            message(
                "tool",
                json!([{"block_type": "tool_result", "id": "t-2", "content": "rain"}])
            ),
            message("user", json!([text("And now?")])),
        ])
    );
    assert_eq!(
        losses,
        [
            "2/message/content/0: thinking: there is no place for it",
            "2/uuid: `uuid`: it is about how the message travelled",
            "3/message/content/0/content: `content` as it was: it has another form there",
            "3/message/content/2: image: there is no place for it",
            "3/message/content/3/is_error: `is_error`: there is no place for it",
            "3/message/content: the order in `content`: it has another form there",
        ]
    );
}

#[test]
fn a_model_that_says_nothing_is_a_message() {
    let message: ChatMessage = theirs::read(&json!({"role": "assistant"}));
    let carried = import(Chat, vec![message]);
    assert_eq!(tree(&carried.made[0])["message"]["content"], json!([]));
    assert_eq!(carried.losses, []);
    assert_eq!(
        tree(&export(Chat, carried.made).made),
        json!([{"role": "assistant"}])
    );
}

#[test]
fn answers_of_tools_and_what_the_user_says_next_are_one_message() {
    let items: Vec<ChatMessage> = theirs::read(&json!([
        {"role": "tool", "tool_call_id": "t-1", "content": "a"},
        {"role": "tool", "tool_call_id": "t-2", "content": "b"},
        {"role": "user", "content": "c"},
        {"role": "user", "content": "d"},
    ]));
    let made = import(Chat, items).made;
    let kinds: Vec<usize> = made.iter().map(|it| it.blocks().len()).collect();
    assert_eq!(kinds, [3, 1]);
}

#[test]
fn arguments_that_are_no_json_come_back() {
    let item = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": "}},
    ]});
    let carried = import(Chat, vec![theirs::read(&item)]);
    let input = &tree(&carried.made[0])["message"]["content"][0]["input"];
    assert_eq!(*input, json!({"INVALID_JSON": "{\"a\": "}));
    let back = tree(&export(Chat, carried.made).made[0]);
    assert_eq!(back["tool_calls"], item["tool_calls"]);
}

#[test]
fn extras_and_what_is_not_declared_come_back_with_the_residue_alone() {
    let item: Message = theirs::read(&json!({
        "role": "user", "blocks": [{"block_type": "text", "text": "a", "x": 1}],
        "extras": {"name": "Ann"}, "y": 2,
    }));
    let carried = import(Blocks, vec![item]);
    let told: Vec<_> = carried
        .losses
        .iter()
        .map(|loss| (&*loss.path, loss.why))
        .collect();
    assert_eq!(
        told,
        [
            ("/blocks/0/x", Why::NoPlace),
            ("/extras/name", Why::NoPlace),
            ("/y", Why::NoPlace),
        ]
    );
}

#[test]
fn without_the_residue_a_conversation_is_what_is_said_there() {
    let carried = export(Chat, conversation());
    let back = undo_export(Chat, carried.made, Residue::default());
    let blocks = back.pieces.iter().map(|it| it.blocks().len());
    assert_eq!(blocks.collect::<Vec<_>>(), [0, 1, 3, 3]);
    assert_eq!(
        tree(&back.pieces[1])["message"]["content"],
        json!("What is the weather?")
    );
}
