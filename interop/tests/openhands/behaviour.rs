//! What the conversions do, one thing a test.

use crate::support::{ours::message, tree};
use agentwire_interop::chat::{self, Chat};
use agentwire_interop::conversion::{Residue, System, export, import, undo_export, undo_import};
use agentwire_interop::openhands::{
    self, ChatOptions, Content, MessageToolCall, OpenHands, Origin, ToChatError, ToolCallError,
};
use agentwire_interop::responses::{self, Responses};
use agentwire_interop::{Compat, Message};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

/// What items of theirs are here.
fn here<S: System>(system: S, items: &Value) -> Value {
    tree(&import(system, read(items)).made)
}

/// What a message of ours is there.
fn there<S: System>(system: S, ours: Value) -> Value {
    tree(&export(system, vec![message(ours)]).made)
}

fn assistant(content: &Value) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": content}})
}

fn user(content: &Value) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": content}})
}

#[test]
fn answers_of_tools_are_one_message_with_what_the_user_says_next() {
    let answers = json!([
        {"type": "tool_result", "tool_use_id": "1", "content": "a"},
        {"type": "tool_result", "tool_use_id": "2", "content": "b"},
        {"type": "text", "text": "go on"},
    ]);
    let tools = json!([
        {"role": "tool", "tool_call_id": "1", "content": "a"},
        {"role": "tool", "tool_call_id": "2", "content": "b"},
        {"role": "user", "content": "go on"},
    ]);
    assert_eq!(here(Chat, &tools), json!([user(&answers)]));
    assert_eq!(here(OpenHands, &tools), json!([user(&answers)]));
    let outputs = json!([
        {"type": "function_call_output", "call_id": "1", "output": "a"},
        {"type": "function_call_output", "call_id": "2", "output": "b"},
        {"role": "user", "content": "go on"},
    ]);
    assert_eq!(here(Responses, &outputs), json!([user(&answers)]));
}

#[test]
fn answers_come_before_what_else_the_user_said() {
    let ours = user(&json!([
        {"type": "text", "text": "look"},
        {"type": "tool_result", "tool_use_id": "1", "content": "a"},
    ]));
    let roles = |made: Value| -> Vec<Value> {
        made.as_array()
            .unwrap()
            .iter()
            .map(|it| it["role"].clone())
            .collect()
    };
    assert_eq!(roles(there(Chat, ours.clone())), ["tool", "user"]);
    assert_eq!(roles(there(OpenHands, ours.clone())), ["tool", "user"]);
    let lost = export(Chat, vec![message(ours)]).losses;
    assert_eq!(
        lost.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["0/message/content: the order in `content`: it has another form there"]
    );
}

#[test]
fn thinking_that_nobody_signed_is_reasoning_and_not_thinking() {
    let ours = assistant(&json!([
        {"type": "thinking", "thinking": "a"},
        {"type": "thinking", "thinking": "b", "signature": "s"},
        {"type": "thinking", "thinking": "c"},
        {"type": "text", "text": "hi"},
    ]));
    for made in [there(Chat, ours.clone()), there(OpenHands, ours)] {
        assert_eq!(made[0]["reasoning_content"], "a\n\nc");
        assert_eq!(
            made[0]["thinking_blocks"],
            json!([{"type": "thinking", "thinking": "b", "signature": "s"}])
        );
    }
}

#[test]
fn reasoning_that_the_blocks_have_as_well_is_not_there_twice() {
    let theirs = json!([{
        "role": "assistant", "content": "hi", "reasoning_content": "ab", "thinking_blocks": [
            {"type": "thinking", "thinking": "a", "signature": "s"},
            {"type": "thinking", "thinking": "b", "signature": "t"},
        ],
    }]);
    for ours in [here(Chat, &theirs), here(OpenHands, &theirs)] {
        let blocks = ours[0]["message"]["content"].as_array().unwrap();
        let kinds: Vec<_> = blocks.iter().map(|it| &it["type"]).collect();
        assert_eq!(kinds, ["thinking", "thinking", "text"]);
    }
}

#[test]
fn encrypted_reasoning_is_no_signature_and_is_not_printed() {
    let item = json!({
        "type": "reasoning", "id": "rs_1", "encrypted_content": "c2VjcmV0",
        "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}],
    });
    assert_eq!(
        here(Responses, &json!([item])),
        json!([assistant(
            &json!([{"type": "thinking", "thinking": "a\n\nb"}])
        )])
    );
    let items: Vec<responses::Item> = read(&json!([item]));
    let message = openhands::Message::from_llm_responses_output(&items, Compat::Right).unwrap();
    assert!(!format!("{items:?} {message:?}").contains("c2VjcmV0"));
    // Only the model's API can read it: nothing is said here.
    let secret = json!([{"type": "reasoning", "encrypted_content": "c2VjcmV0", "summary": []}]);
    assert_eq!(here(Responses, &secret), json!([]));
}

#[test]
fn arguments_that_are_no_object_have_a_home_and_come_back() {
    for arguments in ["{\"a\":", "[1]", "rm -rf"] {
        let theirs = json!([{"role": "assistant", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}},
        ]}]);
        let messages: Vec<Message> = import(Chat, read(&theirs)).made;
        let block = &tree(&messages)[0]["message"]["content"][0];
        assert_eq!(block["input"], json!({"INVALID_JSON": arguments}));
        // Without a residue.
        let back = undo_import(Chat, messages, Residue::default());
        assert_eq!(tree(&back.pieces), theirs);
    }
}

#[test]
fn a_residue_fits_whoever_wrote_the_json_anew() {
    let theirs = json!([{"role": "assistant", "content": "hé", "name": "n", "tool_calls": [
        {"id": "1", "type": "function", "function": {
            "name": "f", "arguments": "{ \"b\": \"é\",\n \"a\": 1.0 }"}},
    ]}]);
    let carried = import(Chat, read(&theirs));
    let written = serde_json::to_string(&carried.made).unwrap();
    assert!(!written.contains('\n'), "a message is a line: {written}");
    // As Python's `json.dumps` writes it.
    let anew = written
        .replace('é', "\\u00e9")
        .replace(":", ": ")
        .replace(",\"", ", \"");
    assert_ne!(anew, written);
    let back = undo_import(Chat, serde_json::from_str(&anew).unwrap(), carried.residue);
    assert_eq!((back.refused, tree(&back.pieces)), (vec![], theirs));
}

#[test]
fn a_tool_s_answer_names_the_tool() {
    let call = json!([{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]);
    let answer = json!([{"type": "tool_result", "tool_use_id": "1", "content": "a"}]);
    let messages = [assistant(&call), user(&answer)].map(message).to_vec();
    let made = export(OpenHands, messages).made;
    assert_eq!(made[1].name.as_deref(), Some("Bash"));
    made[1].to_chat_dict(ChatOptions::default()).unwrap();
    let mut nameless = made[1].clone();
    nameless.name = None;
    assert_eq!(
        nameless.to_chat_dict(ChatOptions::default()),
        Err(ToChatError::NoToolName("1".to_owned()))
    );
}

#[test]
fn images_and_documents_are_urls_there() {
    let blocks = json!([
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        {"type": "document", "title": "a.txt",
            "source": {"type": "text", "media_type": "text/plain", "data": "hé"}},
    ]);
    let ours = user(&blocks);
    assert_eq!(
        there(Chat, ours.clone())[0]["content"],
        json!([
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
            {"type": "file", "file": {
                "file_data": "data:text/plain;base64,aMOp", "filename": "a.txt"}},
        ])
    );
    assert_eq!(
        there(Responses, ours.clone())[0]["content"],
        json!([
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
            {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"},
            {"type": "input_file", "file_data": "data:text/plain;base64,aMOp", "filename": "a.txt"},
        ])
    );
    // Both say all of it.
    for pieces in [
        undo_export(
            Chat,
            export(Chat, vec![message(ours.clone())]).made,
            Residue::default(),
        )
        .pieces,
        undo_export(
            Responses,
            export(Responses, vec![message(ours.clone())]).made,
            Residue::default(),
        )
        .pieces,
    ] {
        assert_eq!(tree(&pieces), json!([ours]));
    }
}

#[test]
fn what_a_model_says_keeps_its_order_in_responses() {
    let blocks = json!([
        {"type": "text", "text": "first"},
        {"type": "tool_use", "id": "1", "name": "f", "input": {}},
        {"type": "text", "text": "then"},
        {"type": "text", "text": "more"},
        {"type": "tool_use", "id": "2", "name": "f", "input": {}},
    ]);
    let made = export(Responses, vec![message(assistant(&blocks))]);
    let kinds: Vec<_> = tree(&made.made)
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["type"].clone())
        .collect();
    assert_eq!(
        kinds,
        ["message", "function_call", "message", "function_call"]
    );
    assert_eq!(made.losses, vec![]);
    let back = undo_export(Responses, made.made, Residue::default());
    assert_eq!(tree(&back.pieces), json!([assistant(&blocks)]));
}

#[test]
fn what_needs_no_type_is_read_and_written_without_one() {
    let theirs = json!({
        "role": "assistant", "content": [{"text": "hi"}, {"image_urls": ["u"]}],
        "thinking_blocks": [{"thinking": "so"}, {"data": "x"}],
    });
    let message: openhands::Message = read(&theirs);
    assert!(matches!(
        message.contents()[..],
        [Content::Text(_), Content::Image(_)]
    ));
    assert!(message.contains_image());
    assert_eq!(tree(&message), theirs);
    let item = json!({"role": "user", "content": "hi"});
    assert!(matches!(read(&item), responses::Item::Message(_)));
    assert_eq!(tree(&read::<responses::Item>(&item)), item);
}

#[test]
fn what_nobody_knows_is_kept() {
    let part = json!({"type": "smell", "of": ["roses", null]});
    for theirs in [
        json!({"role": "user", "content": [part], "mood": 1.0}),
        json!({"role": "bird", "content": [part]}),
    ] {
        assert_eq!(tree(&read::<chat::Message>(&theirs)), theirs);
        assert_eq!(tree(&read::<responses::Item>(&theirs)), theirs);
        assert_eq!(tree(&read::<openhands::Message>(&theirs)), theirs);
    }
    let item = json!({"type": "computer_call", "call_id": "c", "action": {"type": "wait"}});
    assert!(matches!(read(&item), responses::Item::Unknown(_)));
    assert_eq!(tree(&read::<responses::Item>(&item)), item);
}

#[test]
fn a_call_without_an_id_is_refused() {
    let mut call = chat::ToolCall::function("1", "f", "{}");
    let made = MessageToolCall::from_chat_tool_call(&call).unwrap();
    assert_eq!(
        made,
        MessageToolCall::new("1", "f", "{}", Origin::Completion)
    );
    call.id = None;
    assert_eq!(
        MessageToolCall::from_chat_tool_call(&call),
        Err(ToolCallError::NoId)
    );
}
