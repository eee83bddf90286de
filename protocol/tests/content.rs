//! Content blocks and what comes with them: what the API's own tools answer,
//! and what it says beside the content, is typed and loses nothing.
#![allow(clippy::unwrap_used)]

use crate::exact;

use agentwire_protocol::content::{
    AdvisorContent, BashCodeExecutionContent, Caller, ChangedTool, CodeExecutionContent, Content,
    ContentBlock, FallbackCause, RefusalCategory, ServerToolName, TextEditorContent,
    ToolDefinition, ToolSearchContent, WebFetchContent, WebSearchContent, WebSearchErrorCode,
    WebSearchFinding,
};
use agentwire_protocol::message::{
    AppliedEdit, CacheMissReason, FallbackCreditStatus, InputTransformation, IterationUsage,
    Message, ServiceTier, StopDetails, StreamEvent,
};
use agentwire_protocol::{Loose, Untyped};
use exact::Exact;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a text as a type, and checks that it is written as the same value.
#[track_caller]
fn survives<T: DeserializeOwned + Serialize>(text: &str) -> T {
    let read: T = serde_json::from_str(text).unwrap();
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(
        Exact::of(&written),
        Exact::of(text),
        "{written}\n is not\n{text}"
    );
    read
}

/// The same, and nothing of it is without a type.
#[track_caller]
fn typed<T: DeserializeOwned + Serialize + Untyped>(text: &str) -> T {
    let read: T = survives(text);
    assert_eq!(read.untyped(), Vec::<String>::new(), "{text}");
    read
}

/// A result of one of the API's tools.
fn result(tool: &str, content: &str) -> String {
    format!(r#"{{"type":"{tool}_tool_result","tool_use_id":"srvtoolu_1","content":{content}}}"#)
}

macro_rules! content {
    ($variant:ident, $text:expr) => {{
        let ContentBlock::$variant(block) = typed(&$text) else {
            panic!()
        };
        block.content
    }};
}

#[test]
fn a_web_search_answers_with_a_list_or_an_error() {
    let pages = r#"[{"type":"web_search_result","url":"https://example.org","title":"x",
        "encrypted_content":"e","page_age":null}]"#;
    let WebSearchContent::Results(items) =
        content!(WebSearchToolResult, result("web_search", pages))
    else {
        panic!()
    };
    let [WebSearchFinding::Page(page)] = &items[..] else {
        panic!()
    };
    assert_eq!(page.url, "https://example.org");
    assert_eq!(
        content!(WebSearchToolResult, result("web_search", "[]")),
        WebSearchContent::Results(Vec::new())
    );

    let error = r#"{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}"#;
    let WebSearchContent::Error(error) = content!(WebSearchToolResult, result("web_search", error))
    else {
        panic!()
    };
    assert_eq!(error.error_code, WebSearchErrorCode::MaxUsesExceeded);
}

#[test]
fn a_web_fetch_answers_with_a_document_or_an_error() {
    let page = r#"{"type":"web_fetch_result","url":"https://example.org","retrieved_at":"2026-11-21T09:00:00Z",
        "content":{"type":"document","title":null,"citations":{"enabled":true},
            "source":{"type":"text","media_type":"text/plain","data":"x"}}}"#;
    let Loose::Object(WebFetchContent::Result(page)) =
        content!(WebFetchToolResult, result("web_fetch", page))
    else {
        panic!()
    };
    assert!(matches!(*page.content, ContentBlock::Document(_)));

    let error = r#"{"type":"web_fetch_tool_result_error","error_code":"url_not_accessible"}"#;
    assert!(matches!(
        content!(WebFetchToolResult, result("web_fetch", error)),
        Loose::Object(WebFetchContent::Error(_))
    ));
}

#[test]
fn code_that_ran_answers_with_its_output_and_its_files() {
    let ran = r#"{"type":"code_execution_result","stdout":"1\n","stderr":"","return_code":0,
        "content":[{"type":"code_execution_output","file_id":"file_1"}]}"#;
    let Loose::Object(CodeExecutionContent::Result(ran)) =
        content!(CodeExecutionToolResult, result("code_execution", ran))
    else {
        panic!()
    };
    assert_eq!((ran.stdout.as_str(), ran.return_code), ("1\n", Some(0)));

    let encrypted = r#"{"type":"encrypted_code_execution_result","encrypted_stdout":"e","stderr":"",
        "return_code":-1,"content":[]}"#;
    assert!(matches!(
        content!(CodeExecutionToolResult, result("code_execution", encrypted)),
        Loose::Object(CodeExecutionContent::Encrypted(_))
    ));

    let error =
        r#"{"type":"code_execution_tool_result_error","error_code":"execution_time_exceeded"}"#;
    assert!(matches!(
        content!(CodeExecutionToolResult, result("code_execution", error)),
        Loose::Object(CodeExecutionContent::Error(_))
    ));

    let shell = r#"{"type":"bash_code_execution_result","stdout":"1\n","stderr":"","return_code":0,
        "content":[{"type":"bash_code_execution_output","file_id":"file_1"}]}"#;
    assert!(matches!(
        content!(
            BashCodeExecutionToolResult,
            result("bash_code_execution", shell)
        ),
        Loose::Object(BashCodeExecutionContent::Result(_))
    ));

    let error =
        r#"{"type":"bash_code_execution_tool_result_error","error_code":"output_file_too_large"}"#;
    assert!(matches!(
        content!(
            BashCodeExecutionToolResult,
            result("bash_code_execution", error)
        ),
        Loose::Object(BashCodeExecutionContent::Error(_))
    ));
}

#[test]
fn the_text_editor_answers_by_what_it_was_told_to_do() {
    fn content(text: &str) -> TextEditorContent {
        let content = content!(
            TextEditorCodeExecutionToolResult,
            result("text_editor_code_execution", text)
        );
        content.object().unwrap().clone()
    }
    assert!(matches!(
        content(
            r#"{"type":"text_editor_code_execution_view_result","file_type":"text","content":"x",
            "num_lines":1,"start_line":1,"total_lines":null}"#
        ),
        TextEditorContent::View(_)
    ));
    assert!(matches!(
        content(r#"{"type":"text_editor_code_execution_create_result","is_file_update":false}"#),
        TextEditorContent::Create(_)
    ));
    assert!(matches!(
        content(
            r#"{"type":"text_editor_code_execution_str_replace_result","lines":["-a","+b"],
            "old_start":1,"old_lines":1,"new_start":1,"new_lines":1}"#
        ),
        TextEditorContent::StrReplace(_)
    ));
    assert!(matches!(
        content(
            r#"{"type":"text_editor_code_execution_tool_result_error","error_code":"file_not_found",
            "error_message":"no such file"}"#
        ),
        TextEditorContent::Error(_)
    ));
}

#[test]
fn a_tool_search_and_an_advisor_answer_or_fail() {
    let found = r#"{"type":"tool_search_tool_search_result",
        "tool_references":[{"type":"tool_reference","tool_name":"x"}]}"#;
    let Loose::Object(ToolSearchContent::Result(found)) =
        content!(ToolSearchToolResult, result("tool_search", found))
    else {
        panic!()
    };
    assert!(matches!(
        found.tool_references[..],
        [ContentBlock::ToolReference(_)]
    ));
    let error = r#"{"type":"tool_search_tool_result_error","error_code":"unavailable","error_message":null}"#;
    assert!(matches!(
        content!(ToolSearchToolResult, result("tool_search", error)),
        Loose::Object(ToolSearchContent::Error(_))
    ));

    for (advice, is_error) in [
        (
            r#"{"type":"advisor_result","text":"x","stop_reason":"end_turn"}"#,
            false,
        ),
        (
            r#"{"type":"advisor_redacted_result","encrypted_content":"e","stop_reason":null}"#,
            false,
        ),
        (
            r#"{"type":"advisor_tool_result_error","error_code":"overloaded"}"#,
            true,
        ),
    ] {
        let Loose::Object(advice) = content!(AdvisorToolResult, result("advisor", advice)) else {
            panic!()
        };
        assert_eq!(matches!(advice, AdvisorContent::Error(_)), is_error);
    }
}

#[test]
fn a_call_says_who_made_it() {
    let ContentBlock::ServerToolUse(call) = typed(
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"},
            "caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_0"}}"#,
    ) else {
        panic!()
    };
    assert_eq!(call.name, ServerToolName::WebSearch);
    let Some(Loose::Object(Caller::CodeExecution20260120(code))) = call.caller else {
        panic!()
    };
    assert_eq!(code.tool_id, "srvtoolu_0");

    let ContentBlock::ToolUse(call) = typed(
        r#"{"type":"tool_use","id":"toolu_1","name":"click","input":{},"toolset_name":"browser",
            "caller":{"type":"direct"}}"#,
    ) else {
        panic!()
    };
    assert!(matches!(
        call.caller,
        Some(Loose::Object(Caller::Direct(_)))
    ));
}

#[test]
fn a_content_is_read_alike_as_a_text_and_as_blocks() {
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
fn blocks_tell_what_became_of_the_conversation() {
    let ContentBlock::Fallback(fallback) = typed(
        r#"{"type":"fallback","from":{"model":"a"},"to":{"model":"b"},
            "trigger":{"type":"refusal","category":"bio"}}"#,
    ) else {
        panic!()
    };
    let Some(Loose::Object(FallbackCause::Refusal(refusal))) = fallback.trigger else {
        panic!()
    };
    assert_eq!(refusal.category, Some(RefusalCategory::Bio));

    let ContentBlock::Compaction(compaction) = typed(
        r#"{"type":"compaction","content":"x","encrypted_content":null,"signature":"s","tool_changes":[
            {"type":"tool_removal","tool":{"type":"mcp_tool_reference","name":"x","server_name":"y"}},
            {"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"z","input_schema":{"type":"object"}}}}]}"#,
    ) else {
        panic!()
    };
    let changes = compaction.tool_changes.unwrap();
    let [
        ContentBlock::ToolRemoval(removal),
        ContentBlock::ToolAddition(addition),
    ] = &changes[..]
    else {
        panic!()
    };
    assert!(matches!(removal.tool, ChangedTool::McpTool(_)));
    let ChangedTool::Definition(added) = &addition.tool else {
        panic!()
    };
    assert!(matches!(*added.definition, ToolDefinition::Custom(_)));

    typed::<ContentBlock>(
        r#"{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"browser_state",
            "tabs":[{"tab_id":"1","title":"x","url":"https://example.org","active":true}],
            "state_changes":[{"type":"download_failed","download_id":"d","url":"u","error":null}]}]}"#,
    );
    typed::<ContentBlock>(
        r#"{"type":"mcp_tool_listing","mcp_server_name":"x","tools":[{"name":"y","input_schema":{},"description":"z"}]}"#,
    );
}

#[test]
fn a_tool_of_the_host_needs_no_type_and_those_of_the_api_go_by_theirs() {
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
fn what_the_api_says_beside_the_content_is_typed() {
    let Message::Assistant(assistant) = typed(
        r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],
            "stop_reason":"refusal","stop_sequence":null,
            "stop_details":{"type":"refusal","category":null,"explanation":"x","fallback_credit_token":"t",
                "fallback_has_prefill_claim":true,"recommended_model":null},
            "container":{"id":"c","expires_at":"2026-11-21T09:00:00Z","skills":[
                {"type":"anthropic","skill_id":"pdf","version":"latest"}]},
            "context_management":{"applied_edits":[
                {"type":"clear_tool_uses_20250919","cleared_tool_uses":2,"cleared_input_tokens":100},
                {"type":"clear_thinking_20251015","cleared_thinking_turns":1,"cleared_input_tokens":50}]},
            "diagnostics":{"cache_miss_reason":{"type":"tools_changed","cache_missed_input_tokens":7}},
            "input_transformations":[{"type":"thinking_dropped","path":"messages.1.content.0","reason":"model_binding_mismatch"}],
            "usage":{"input_tokens":1,"output_tokens":2,"service_tier":"priority","speed":"fast",
                "iterations":[
                    {"type":"compaction","input_tokens":1,"output_tokens":1,"cache_creation":null,
                        "cache_creation_input_tokens":0,"cache_read_input_tokens":0},
                    {"type":"message","model":null,"input_tokens":1,"output_tokens":1,"cache_creation":null,
                        "cache_creation_input_tokens":0,"cache_read_input_tokens":0}],
                "fallback_credit":{"status":{"type":"not_applied","reason":"expired"}}}}}"#,
    ) else {
        panic!()
    };
    let body = assistant.message;
    assert!(matches!(
        body.stop_details.as_deref(),
        Some(Loose::Object(StopDetails::Refusal(_)))
    ));
    let container = body.container.unwrap();
    let skills = container.object().unwrap().skills.as_ref().unwrap();
    assert_eq!(skills[0].skill_id, "pdf");
    let edits = body.context_management.unwrap();
    assert!(matches!(
        edits.object().unwrap().applied_edits.as_deref(),
        Some([AppliedEdit::ClearToolUses(_), AppliedEdit::ClearThinking(_)])
    ));
    let diagnostics = body.diagnostics.unwrap();
    assert!(matches!(
        diagnostics.object().unwrap().cache_miss_reason,
        Some(CacheMissReason::ToolsChanged(_))
    ));
    assert!(matches!(
        body.input_transformations.as_deref(),
        Some([InputTransformation::ThinkingDropped(_)])
    ));
    let usage = body.usage.unwrap();
    assert_eq!(usage.service_tier, Some(ServiceTier::Priority));
    assert!(matches!(
        usage.iterations.as_deref(),
        Some([IterationUsage::Compaction(_), IterationUsage::Message(_)])
    ));
    let credit = usage.fallback_credit.unwrap();
    assert!(matches!(
        credit.object().unwrap().status,
        Some(FallbackCreditStatus::NotApplied(_))
    ));

    let StreamEvent::Error(error) = typed(
        r#"{"type":"error","request_id":"req_1","error":{"type":"overloaded_error","message":"x"}}"#,
    ) else {
        panic!()
    };
    let kind = &error.error.object().unwrap().kind;
    assert_eq!(kind.as_ref().unwrap().as_str(), "overloaded_error");
}

#[test]
fn kinds_that_nobody_knows_are_kept() {
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
fn a_text_in_place_of_an_object_is_kept_and_reported() {
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
fn a_known_shape_that_is_malformed_is_told_with_its_path() {
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
fn pages_inside_pages_are_read_or_refused_and_never_a_crash() {
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
