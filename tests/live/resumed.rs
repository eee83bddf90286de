//! Tests of sessions that the fake agent stored and the real CLI resumes.

use crate::support::{Live, fake};
use agentwire::{Event, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};

/// Sends one prompt, and returns the ID of the session.
async fn ask(prompt: &str, options: Options) -> String {
    let mut answer = query(prompt, options).await.unwrap();
    let mut id = None;
    while let Some(event) = answer.next().await {
        if let Event::Frame(frame) = event.unwrap()
            && frame.kind() == "result"
        {
            let result: Value = serde_json::from_slice(frame.raw()).unwrap();
            assert_eq!(result["is_error"], false, "{result}");
            id = result["session_id"].as_str().map(str::to_owned);
        }
    }
    id.unwrap()
}

/// Returns the relevant blocks of a model request, one line each.
fn shown(body: &Value) -> Vec<String> {
    let mut shown = vec![];
    for message in body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        let text = json!([{"type": "text", "text": message["content"]}]);
        let blocks = message["content"].as_array();
        for block in blocks.unwrap_or(text.as_array().unwrap()) {
            shown.push(match block["type"].as_str().unwrap() {
                "text" => format!("{role}: {}", block["text"].as_str().unwrap().trim()),
                "tool_use" => format!("{role}: calls {} {}", block["name"], block["input"]),
                "tool_result" => format!("{role}: answers {}", block["content"]),
                kind => panic!("{kind}: {block}"),
            });
        }
    }
    // Omits additions of the CLI.
    let is_said =
        |line: &String| !line.starts_with("system") && !line.contains("<system-reminder>");
    shown.into_iter().filter(is_said).collect()
}

#[tokio::test]
async fn a_session_of_the_fake_agent_goes_on_on_the_real_cli() {
    let live = Live::start(Scenario::default().reply([Step::text("A crab.")])).await;
    let first = Scenario::default().reply([Step::text("Hello, Ferris.")]);
    let second = Scenario::default()
        .reply([
            Step::text("Let me look."),
            Step::tool("Bash", json!({ "command": "echo hi" }), "hi"),
        ])
        .reply([Step::text("It says hi.")]);
    let config = format!("{}/.claude", live.home.path().display());
    let fake = |scenario| {
        fake(scenario)
            .cwd(live.project())
            .env("CLAUDE_CONFIG_DIR", &*config)
            .on_permission(|_| async { PermissionResult::allow() })
    };
    let id = ask("My name is Ferris.", fake(&first)).await;
    assert_eq!(
        ask("What does it say?", fake(&second).resume(&*id)).await,
        id
    );

    let again = ask("What am I?", live.options().resume(&*id)).await;
    assert_eq!(again, id);
    let asked = live.model.asked(0).await;
    let expected = [
        "user: My name is Ferris.",
        "assistant: Hello, Ferris.",
        "user: What does it say?",
        "assistant: Let me look.",
        r#"assistant: calls "Bash" {"command":"echo hi"}"#,
        r#"user: answers "hi""#,
        "assistant: It says hi.",
        "user: What am I?",
    ];
    assert_eq!(shown(&asked.body.unwrap()), expected);
}
