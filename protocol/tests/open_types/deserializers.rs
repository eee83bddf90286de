//! Tests of the deserializers that can read wire types. `.ci/run` also runs
//! them with the features of `serde_json` that change how it reads.

use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::control::{ControlRequest, ControlResponse};
use agentwire_protocol::hook::{HookInput, Hooks};
use agentwire_protocol::mcp::McpServerConfig;
use agentwire_protocol::message::Usage;
use agentwire_protocol::permission::PermissionMode;
use agentwire_protocol::{Json, Members, Message, Number};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{BufReader, Read};

/// A reader that returns one byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

/// A type that contains a wire type in several places.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Around<T> {
    at: u64,
    held: T,
    more: Vec<T>,
    by_name: BTreeMap<String, T>,
    #[serde(default = "none")]
    none: Option<T>,
}

fn none<T>() -> Option<T> {
    None
}

/// A type that is read from serde's buffer for untagged enums.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either<T> {
    Number(u64),
    Held(T),
}

/// A type whose member is flattened into its object.
#[derive(Debug, PartialEq, Deserialize)]
struct Beside<T> {
    line: u64,
    #[serde(flatten)]
    held: T,
}

#[track_caller]
fn is_read_from_all<T>(text: &str) -> T
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let read: T = serde_json::from_str(text).unwrap();
    assert_eq!(read, serde_json::from_slice(text.as_bytes()).unwrap());
    assert_eq!(read, serde_json::from_reader(text.as_bytes()).unwrap());
    assert_eq!(
        read,
        serde_json::from_reader(BufReader::with_capacity(3, Trickle(text.as_bytes()))).unwrap()
    );
    let json: Json = serde_json::from_str(text).unwrap();
    assert_eq!(read, json.read().unwrap());

    // Reads from a tree, in which members have another order.
    let tree: Value = serde_json::from_str(text).unwrap();
    let of_tree: T = serde_json::from_value(tree.clone()).unwrap();
    assert_eq!(serde_json::to_value(&of_tree).unwrap(), tree);
    assert_eq!(of_tree, T::deserialize(&tree).unwrap());

    let mut lines = serde_json::Deserializer::from_str(text).into_iter::<T>();
    assert_eq!(read, lines.next().unwrap().unwrap());
    assert!(lines.next().is_none());

    let around = format!(
        r#"{{"at":1,"held":{text},"more":[{text},{text}],"by_name":{{"a":{text}}},"none":null}}"#
    );
    let around: Around<T> = serde_json::from_str(&around).unwrap();
    assert_eq!(around.held, read);
    assert_eq!(
        (around.more.len(), around.by_name.len(), around.none),
        (2, 1, None)
    );
    let Either::Held(held) = serde_json::from_str::<Either<T>>(text).unwrap() else {
        panic!("{text}")
    };
    assert_eq!(serde_json::to_value(&held).unwrap(), tree);
    if let Some(members) = text.strip_prefix('{') {
        let beside = format!(r#"{{"line":7,{members}"#);
        let beside: Beside<T> = serde_json::from_str(&beside).unwrap();
        assert_eq!(
            (beside.line, serde_json::to_value(&beside.held).unwrap()),
            (7, tree)
        );
    }
    read
}

#[test]
fn wire_types_can_be_read_from_any_deserializer() {
    is_read_from_all::<Message>(
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"a\n\u00e9"},
            {"type":"tool_use","id":"t","name":"Bash","input":{"a":[1,2.5,null]}}],"stop_reason":null},"uuid":"u","new":{"b":1}}"#,
    );
    is_read_from_all::<Message>(r#"{"subtype":"init","cwd":"/","tools":[],"type":"system"}"#);
    is_read_from_all::<Message>(r#"{"type":"weather","wind":3}"#);
    is_read_from_all::<ControlRequest>(
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}"#,
    );
    is_read_from_all::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"a":1}}}"#,
    );
    is_read_from_all::<HookInput>(
        r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{}}"#,
    );
    is_read_from_all::<Hooks>(r#"{"PreToolUse":[{"hookCallbackIds":["h"]}]}"#);
    is_read_from_all::<Usage>(r#"{"input_tokens":3,"output_tokens":18446744073709551615}"#);
    is_read_from_all::<Content>(r#""text""#);
    is_read_from_all::<Content>(r#"[{"type":"text","text":"x"}]"#);
    is_read_from_all::<ContentBlock>(r#"{"text":"x","type":"text"}"#);
    is_read_from_all::<McpServerConfig>(r#"{"command":"x","args":["y"]}"#);
    is_read_from_all::<PermissionMode>(r#""acceptEdits""#);
    is_read_from_all::<PermissionMode>(r#""dreaming""#);
    is_read_from_all::<Members>(r#"{"a":1,"b":[true]}"#);
    is_read_from_all::<Json>(r#"{"a":1}"#);
    is_read_from_all::<Number>("2.5");
}

/// Every format can read enumerations from strings.
#[test]
fn enumerations_can_be_read_from_any_string_deserializer() {
    use serde::de::value::{Error, StrDeserializer};
    let text = StrDeserializer::<Error>::new("plan");
    assert_eq!(PermissionMode::deserialize(text), Ok(PermissionMode::Plan));
}

/// A text preserves digits that a tree loses.
#[test]
fn numbers_from_text_preserve_their_digits() {
    let text = r#"{"at":1,"held":0.10,"more":[1e400],"by_name":{"a":-0.0}}"#;
    let read: Around<Number> = serde_json::from_str(text).unwrap();
    let read = [&read.held, &read.more[0], &read.by_name["a"]].map(Number::get);
    assert_eq!(read, ["0.10", "1e400", "-0.0"]);
}

#[test]
fn invalid_values_are_refused_with_their_location() {
    let odd = json!({"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "tool_name": 7, "input": {}}});
    let text = odd.to_string();
    for error in [
        serde_json::from_str::<ControlRequest>(&text).unwrap_err(),
        serde_json::from_slice::<ControlRequest>(text.as_bytes()).unwrap_err(),
        serde_json::from_reader::<_, ControlRequest>(text.as_bytes()).unwrap_err(),
        serde_json::from_value::<ControlRequest>(odd).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.starts_with("request.tool_name: invalid type: integer `7`, expected a string"),
            "{error}"
        );
    }
}
