//! Tests of content blocks: results of the API's own tools are typed and
//! lossless.
#![allow(clippy::unwrap_used)]

use crate::open_types::check::survives;
use agentwire_protocol::Untyped;
use agentwire_protocol::content::{Content, ContentBlock, ToolDefinition};
use agentwire_protocol::message::{Message, StreamEvent};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a text. Asserts that it is written as the same value, and that every
/// part of it has a type.
#[track_caller]
fn typed<T: DeserializeOwned + Serialize + Untyped>(text: &str) -> T {
    let read: T = survives(text);
    assert_eq!(read.untyped(), Vec::<String>::new(), "{text}");
    read
}

/// Returns a result of one of the API's tools.
fn result(tool: &str, content: &str) -> String {
    format!(r#"{{"type":"{tool}_tool_result","tool_use_id":"srvtoolu_1","content":{content}}}"#)
}

#[test]
fn content_is_read_from_text_and_from_blocks() {
    let text: Content = typed(r#""Hello""#);
    let blocks: Content = typed(r#"[{"type":"text","text":"Hello"}]"#);
    for content in [text, blocks] {
        assert_eq!(content.texts().collect::<Vec<_>>(), ["Hello"]);
        assert_eq!(*content.blocks(), [ContentBlock::text("Hello")]);
        assert_eq!(content.tool_results().count(), 0);
        assert_eq!(content.into_blocks(), [ContentBlock::text("Hello")]);
    }
    let results: Content = typed(
        r#"[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"b"}]"#,
    );
    assert_eq!(results.text(), "a\nb");
    let calls: Vec<_> = results.tool_results().map(|it| &*it.tool_use_id).collect();
    assert_eq!(calls, ["1"]);
}

#[test]
fn results_of_host_tools_need_no_type_and_results_of_api_tools_have_their_own() {
    for text in [
        r#"{"name":"x","input_schema":{"type":"object"}}"#,
        r#"{"name":"x","input_schema":{},"type":null,"strict":true}"#,
        r#"{"name":"x","input_schema":{},"type":"custom"}"#,
    ] {
        assert!(matches!(typed(text), ToolDefinition::Custom(_)), "{text}");
    }
    let ToolDefinition::WebFetch(fetch) = typed(
        r#"{"type":"web_fetch_20260318","name":"web_fetch","max_uses":3,"use_cache":false,"url_sources":{
            "user_input":{"type":"all"},
            "client_tool_results":{"type":"only","tools":[{"type":"tool_reference","name":"x"}]}}}"#,
    ) else {
        panic!()
    };
    assert_eq!(fetch.kind.as_str(), "web_fetch_20260318");
    assert!(matches!(
        typed(
            r#"{"type":"browser_toolset_20260801","configs":{"type":{"enabled":false},"zoom":null}}"#
        ),
        ToolDefinition::BrowserToolset(_)
    ));
    for text in [
        r#"{"type":"web_fetch_29991231","name":"web_fetch","moons":2}"#,
        r#"{"type":7}"#,
    ] {
        assert!(
            matches!(survives(text), ToolDefinition::Unknown(_)),
            "{text}"
        );
    }
}

#[test]
fn unknown_kinds_of_blocks_are_preserved() {
    for (tool, content) in [
        (
            "web_search",
            r#"[{"type":"web_search_picture","beam":1e400}]"#,
        ),
        ("web_search", r#"{"type":"web_search_riddle","beam":1.0}"#),
        ("web_fetch", r#"{"type":"web_fetch_smell","beam":1.0}"#),
        (
            "web_fetch",
            r#"{"type":"web_fetch_result","url":"u","content":{"type":"hologram","beam":1}}"#,
        ),
        ("code_execution", r#"{"type":"code_execution_dream"}"#),
        (
            "code_execution",
            r#"{"type":"code_execution_result","stdout":"","content":[{"type":"smoke"}]}"#,
        ),
        ("bash_code_execution", r#"{"exit":1}"#),
        ("text_editor_code_execution", "{}"),
        ("tool_search", r#"{"type":null}"#),
        ("advisor", r#"{"type":"advisor_shrug"}"#),
    ] {
        let block: ContentBlock = survives(&result(tool, content));
        assert_eq!(block.untyped().len(), 1, "{content}");
    }
    survives::<Message>(
        r#"{"type":"assistant","message":{"content":[],"stop_details":{"type":"tide"},
            "context_management":{"applied_edits":[{"type":"burn_20990101"}]},
            "usage":{"service_tier":"moon","iterations":[{"type":"dream","input_tokens":1.0}]}}}"#,
    );
}

#[test]
fn text_in_place_of_an_object_is_preserved_and_reported() {
    for text in [r#""x""#, "7", "-0.0", "1e400", "true", "[1,{}]"] {
        let block: ContentBlock = survives(&result("web_search", text).replace("[1,{}]", "8"));
        assert_eq!(block.untyped(), ["/content"], "{text}");
        let block: ContentBlock = survives(&format!(
            r#"{{"caller":{text},"type":"tool_use","id":"t","name":"n","input":{{}}}}"#
        ));
        assert_eq!(block.untyped(), ["/caller"], "{text}");
        let block: ContentBlock = survives(&result("code_execution", text));
        assert_eq!(block.untyped(), ["/content"], "{text}");
        let message: Message = survives(&format!(
            r#"{{"type":"assistant","message":{{"content":[],"container":{text},"stop_details":{text},
                "context_management":{text},"diagnostics":{text},"usage":{{"fallback_credit":{text}}}}}}}"#
        ));
        assert_eq!(message.untyped().len(), 5, "{text}");
        survives::<StreamEvent>(&format!(r#"{{"type":"error","error":{text}}}"#));
    }
    survives::<ContentBlock>(&result("advisor", "null"));
}

#[test]
fn an_invalid_known_shape_is_reported_with_its_path() {
    for (text, path) in [
        (
            result("web_fetch", r#"{"type":"web_fetch_result","url":7}"#),
            "content.url",
        ),
        (
            result("web_search", r#"[{"type":"web_search_result","url":7}]"#),
            "content[0].url",
        ),
        (
            r#"{"type":"tool_use","id":"t","name":"n","input":{},"caller":{"type":"code_execution_20260120","tool_id":7}}"#.to_owned(),
            "caller.tool_id",
        ),
    ] {
        let line = format!(r#"{{"type":"assistant","message":{{"content":[{text}]}}}}"#);
        let frame = agentwire_protocol::Frame::new(bytes::Bytes::from(line)).unwrap();
        let faults = frame.faults();
        assert_eq!(faults[0].path, format!("message.content[0].{path}"));
    }
}

#[test]
fn nested_pages_are_read_or_refused_without_a_crash() {
    fn nested(depth: usize) -> String {
        let page = r#"{"type":"web_fetch_result","url":"u","content":"#;
        let block = result("web_fetch", &format!("{page}@}}"));
        let (before, behind) = block.split_once('@').unwrap();
        let innermost = r#"{"type":"text","text":"x"}"#;
        before.repeat(depth) + innermost + &behind.repeat(depth)
    }
    survives::<ContentBlock>(&nested(20));
    for depth in [100, 1_000, 10_000] {
        assert!(serde_json::from_str::<ContentBlock>(&nested(depth)).is_err());
    }
}
