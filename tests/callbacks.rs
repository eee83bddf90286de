//! Tests of callbacks that make requests while the session's events are not read.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::permission::PermissionRequest;
use agentwire::protocol::Json;
use agentwire::protocol::control::McpStatus;
use agentwire::protocol::permission::PermissionMode;
use agentwire::{Client, Error, PermissionResult};
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::time::Duration;
use support::{answering, fake, line_of, log_to_end};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Calls every kind of control method in a permission callback. Returns the outcomes.
async fn control(ask: &PermissionRequest) -> Vec<String> {
    let session = &ask.session;
    let model = session.set_model("other").await.unwrap().model;
    let mode = session.set_permission_mode(PermissionMode::Plan).await;
    // Makes nested requests, and many requests at once.
    let (status, raw, unknown) = tokio::join!(
        session.request(&McpStatus::default()),
        async {
            session.reset_model().await.unwrap();
            session.request_raw("mcp_status", json!({})).await
        },
        session.request_raw("make_coffee", json!({})),
    );
    // The interrupt cancels the permission request, so no answer is possible. The
    // callback is notified.
    let receipt = session.interrupt().await.unwrap();
    ask.cancelled.cancelled().await;
    vec![
        model.unwrap(),
        mode.unwrap().mode.unwrap().to_string(),
        status.unwrap().mcp_servers.len().to_string(),
        raw.unwrap().member("mcpServers").unwrap().to_string(),
        matches!(unknown, Err(Error::NotSupported { .. })).to_string(),
        format!("{:?}", receipt.still_queued),
    ]
}

#[tokio::test]
async fn a_callback_may_make_any_request_while_ten_thousand_messages_are_unread() {
    let line = json!({"type": "drop", "padding": "x".repeat(160)});
    let flood = format!("{line}\n").repeat(10_000);
    let scenario = Scenario::default().reply([
        Step::Fault(Fault::Stdout(flood)),
        Step::tool("Bash", json!({ "command": "date" }), "today"),
    ]);
    let folder = agentwire_testing::tempdir().unwrap();
    let script = folder.path().join("scenario.json");
    std::fs::write(&script, scenario.to_json()).unwrap();

    let (done, mut outcome) = mpsc::unbounded_channel();
    let options = fake(&Scenario::default())
        .env(fake_agent::SCRIPT, script)
        .unread_limit(1024 * 1024)
        .on_permission(move |ask| {
            let done = done.clone();
            async move {
                done.send(control(&ask).await).unwrap();
                PermissionResult::allow()
            }
        });
    let mut client = Client::connect(options).await.unwrap();
    // The stream is in use, and has no events yet.
    drop(timeout(Duration::ZERO, client.next()).await);
    client.send("Go").await.unwrap();
    // The client does not read further events until the callback has ended.
    let seen = outcome.recv().await.unwrap();
    assert_eq!(seen, ["other", "plan", "0", "[]", "true", "Some([])"]);
    let unread = client.unread().await.unwrap();
    assert!(unread.streams[0].events > 10_000, "{unread:?}");
    client.close().await;
    let (log, error) = log_to_end(async || client.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert!(!log.iter().any(|it| it.starts_with("notice")), "{log:?}");
    assert_eq!(log.last().unwrap(), "result: error_during_execution error");
}

#[tokio::test]
async fn a_callback_makes_requests_and_answers_although_nothing_is_read() {
    let folder = agentwire_testing::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let then = format!(
        r#"echo '{{"type":"control_request","request_id":"a1","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{}}}}}}'
yes '{{"type":"drop"}}' | head -n 20000
while read -r line; do
  case "$line" in
    *control_response*) echo "$line" > {};;
    *) id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
       echo '{{"type":"control_response","response":{{"subtype":"success","request_id":"'$id'"}}}}';;
  esac
done"#,
        heard.display()
    );
    let options = answering(&folder, "{}", &then)
        .unread_limit(1_000)
        .unread_hard_limit(100_000)
        .on_permission(|ask| async move {
            ask.session.reset_model().await.unwrap();
            ask.session.interrupt().await.unwrap();
            PermissionResult::deny("Not now.")
        });
    let mut client = Client::connect(options).await.unwrap();
    client.next().await.unwrap().unwrap();
    // The agent has the answer, although the client read no further events.
    let answer: Json = serde_json::from_str(&line_of(&heard).await).unwrap();
    let answer = answer.member("response").unwrap();
    assert!(answer.get().contains("Not now."), "{answer}");
    let unread = client.unread().await.unwrap();
    assert!(unread.streams[0].bytes > 50_000, "{unread:?}");
}
