//! Tests of the inputs and outputs of the agent's own tools. The name
//! determines the type, the type knows every member, and the value is written
//! as the same JSON value.
#![allow(clippy::unwrap_used)]

use crate::open_types::check::assert_writes;
use crate::recorded;

use agentwire_protocol::Untyped;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::tool::{
    TodoStatus, ToolError, ToolInput, ToolOutput, ToolSide, WebSearchItem, mcp_tool,
};
use agentwire_protocol::{Json, Message};
use recorded::Recorded;
use std::collections::{BTreeSet, HashMap};

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

/// Reads an input. Asserts that every member is known, and that it is written
/// as the same value.
#[track_caller]
fn input(name: &str, text: &str) -> ToolInput {
    let input = ToolInput::read(name, &json(text)).unwrap();
    assert_writes(&input, text);
    assert_eq!(input.untyped(), [""; 0]);
    input
}

/// Reads an output. Asserts that every member is known, and that it is written
/// as the same value.
#[track_caller]
fn output(name: &str, text: &str) -> ToolOutput {
    let output = ToolOutput::read(name, &json(text)).unwrap();
    assert_writes(&output, text);
    assert_eq!(output.untyped(), [""; 0]);
    output
}

/// Returns the input or output if it matches the pattern.
macro_rules! the {
    ($read:expr, $pattern:pat => $held:expr) => {
        match $read {
            $pattern => $held,
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn a_tool_is_found_by_its_former_names() {
    let text =
        r#"{"server":"s","uri":"u","task_id":"t","description":"d","prompt":"p","condition":"c"}"#;
    for (former, name) in [
        ("KillBash", "TaskStop"),
        ("KillShell", "TaskStop"),
        ("ListMcpResources", "ListMcpResourcesTool"),
        ("ProposeGoal", "SetGoal"),
        ("ReadMcpResource", "ReadMcpResourceTool"),
        ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
        ("Task", "Agent"),
    ] {
        let input = ToolInput::read(former, &json(text)).unwrap();
        assert_eq!(input.name(), name);
    }
}

#[test]
fn a_search_result_is_a_list_or_a_text() {
    let search = the!(
        output("WebSearch", r#"{"query":"tea","results":[{"tool_use_id":"t","content":[{"title":"Tea","url":"https://tea"}]},"There is tea."]}"#),
        ToolOutput::WebSearch(search) => search
    );
    assert!(matches!(
        &search.results[..],
        [WebSearchItem::Hits(_), WebSearchItem::Text(_)]
    ));
}

#[test]
fn mcp_tools_and_unknown_tools_preserve_their_data() {
    let text = r#"{"a":2,"b":1e400}"#;
    let call = input("mcp__calc__add", text);
    assert_eq!(call.name(), "mcp__calc__add");
    let raw = the!(call, ToolInput::Mcp { input, .. } => input);
    assert_eq!(raw.get(), text);
    assert_eq!(mcp_tool("mcp__calc__add__all"), Some(("calc", "add__all")));
    assert_eq!(mcp_tool("mcp__calc"), None);
    // The output is a text, a list of blocks, or an object.
    for text in [
        r#""Error: it broke""#,
        r#"[{"type":"text","text":"42"}]"#,
        "{}",
    ] {
        the!(output("mcp__calc__add", text), ToolOutput::Mcp { output, .. } => output);
    }

    let unknown = ToolInput::read("Teleport", &json(text)).unwrap();
    assert_writes(&unknown, text);
    assert_eq!(
        (unknown.name(), unknown.untyped()),
        ("Teleport", vec![String::new()])
    );
    let unknown = ToolOutput::read("Teleport", &json("[null]")).unwrap();
    assert_writes(&unknown, "[null]");
    assert_eq!(
        (unknown.name(), unknown.untyped()),
        ("Teleport", vec![String::new()])
    );
}

#[test]
fn unknown_members_kinds_and_values_are_preserved() {
    let text = r#"{"command":"ls","shell":"fish","timeout":null}"#;
    let bash = ToolInput::read("Bash", &json(text)).unwrap();
    assert_writes(&bash, text);
    assert_eq!(bash.untyped(), ["/shell"]);

    let text = r#"{"type":"hologram","file":{"beam":1.0}}"#;
    let read = ToolOutput::read("Read", &json(text)).unwrap();
    assert_writes(&read, text);
    assert_eq!(read.untyped(), [""]);

    let text = r#"{"query":"tea","results":[{"content":[],"mood":"fine"}]}"#;
    let search = ToolOutput::read("WebSearch", &json(text)).unwrap();
    assert_writes(&search, text);
    assert_eq!(search.untyped(), ["/results/0/mood"]);

    let todos = the!(
        input("TodoWrite", r#"{"todos":[{"content":"boil","status":"dreaming"}]}"#),
        ToolInput::TodoWrite(list) => list.todos
    );
    assert_eq!(todos[0].status, TodoStatus::Unknown("dreaming".into()));
}

#[test]
fn a_failed_tool_has_a_text_as_output() {
    let failed = output("Task", r#""Error: No removing""#);
    assert_eq!(failed.name(), "Agent");
    let text = the!(failed, ToolOutput::Text { text, .. } => text);
    assert_eq!(text, "Error: No removing");
}

#[test]
fn an_error_names_the_tool_and_the_location() {
    #[track_caller]
    fn is(error: &ToolError, tool: &str, side: ToolSide, path: &str, reason: &str) {
        assert_eq!((&*error.tool, error.side, &*error.path), (tool, side, path));
        assert!(error.reason.contains(reason), "{error}");
    }
    let error = ToolInput::read("Bash", &json(r#"{"description":"x"}"#)).unwrap_err();
    is(
        &error,
        "Bash",
        ToolSide::Input,
        ".",
        "missing field `command`",
    );
    assert_eq!(
        error.to_string(),
        "the input of `Bash` cannot be read at `.`: missing field `command`"
    );
    let error = ToolInput::read(
        "AskUserQuestion",
        &json(r#"{"questions":[{"question":"Tea?","header":7,"options":[]}]}"#),
    )
    .unwrap_err();
    is(
        &error,
        "AskUserQuestion",
        ToolSide::Input,
        "questions[0].header",
        "expected a string",
    );
    // The error is the same if the tag comes last.
    let error =
        ToolOutput::read("Task", &json(r#"{"agentId":7,"status":"async_launched"}"#)).unwrap_err();
    is(
        &error,
        "Task",
        ToolSide::Output,
        "agentId",
        "expected a string",
    );
    let text = r#"[{"uri":"a","server":"std"},{"uri":"b"}]"#;
    let error = ToolOutput::read("ListMcpResourcesTool", &json(text)).unwrap_err();
    is(
        &error,
        "ListMcpResourcesTool",
        ToolSide::Output,
        "[1]",
        "missing field `server`",
    );
    let error = ToolOutput::read("WebSearch", &json(r#"{"results":["x",7]}"#)).unwrap_err();
    is(
        &error,
        "WebSearch",
        ToolSide::Output,
        "results[1]",
        "expected pages or a text",
    );
}

#[test]
fn every_tool_call_in_the_recordings_is_known() {
    let (mut took, mut gave) = (BTreeSet::new(), BTreeSet::new());
    for session in recorded::sessions().into_values() {
        let mut names = HashMap::new();
        for Recorded { line, .. } in session.into_iter().filter(|it| it.dir == "recv") {
            match serde_json::from_str(&line) {
                Ok(Message::Assistant(message)) => {
                    for call in message
                        .message
                        .content
                        .iter()
                        .filter_map(ContentBlock::as_tool_use)
                    {
                        let typed = call.typed_input().unwrap();
                        assert_writes(&typed, call.input.get());
                        assert_eq!(typed.untyped(), [""; 0], "{line}");
                        took.insert(typed.name().to_owned());
                        names.insert(call.id.clone(), call.name.clone());
                    }
                }
                Ok(Message::User(message)) => {
                    let Some(result) = message.tool_results().next() else {
                        continue;
                    };
                    let Some(typed) = message
                        .typed_tool_use_result(&names[&result.tool_use_id])
                        .unwrap()
                    else {
                        continue;
                    };
                    assert_writes(&typed, message.tool_use_result.as_ref().unwrap().get());
                    assert_eq!(typed.untyped(), [""; 0], "{line}");
                    gave.insert(typed.name().to_owned());
                }
                _ => {}
            }
        }
    }
    let all = [
        "Agent",
        "AskUserQuestion",
        "Bash",
        "Edit",
        "Read",
        "Write",
        "mcp__calc__add",
        "mcp__calc__boom",
        "mcp__std__echo",
        "mcp__two__add",
    ];
    assert_eq!(took.iter().map(String::as_str).collect::<Vec<_>>(), all);
    assert_eq!(gave.iter().map(String::as_str).collect::<Vec<_>>(), all);
}
