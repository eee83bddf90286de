//! Tests of sessions with the fake agent: events, decisions and reports, in normal cases
//! and with faults.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::permission::PermissionRequest;
use agentwire::protocol::{Json, host};
use agentwire::{
    Activity, Client, EndReason, Error, Event, Message, Notice, Options, PermissionResult,
    TurnEvent, TurnOutcome, prompt, query,
};
use agentwire_testkit::{Fault, Scenario, Step};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{answering, describe, ended, fake, log_to_end, says, script, wait_for};

fn bash() -> Step {
    Step::tool("Bash", json!({ "command": "date" }), "today")
}

/// Returns a scenario whose model calls a tool and then writes a text.
fn tool_then_text() -> Scenario {
    Scenario::default()
        .reply([bash()])
        .reply([Step::text("Done.")])
}

#[tokio::test]
async fn a_query_requests_permission_before_its_input_closes_and_then_ends() {
    let options = fake(&tool_then_text()).on_permission(|ask| async move {
        // The response takes some time. The session must not end before it.
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(ask.request.tool_name, "Bash");
        PermissionResult::allow()
    });
    let mut answer = query("What day is it?", options).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        log,
        [
            r#"call: Bash {"command":"date"}"#,
            "tool answered: today",
            "text: Done.",
            "result: success fine"
        ]
    );
}

#[tokio::test]
async fn text_is_delivered_in_the_pieces_of_the_agent() {
    let scenario = Scenario::default().reply([Step::chunks(["One ", "two."], Duration::ZERO)]);
    let mut answer = query("Count", fake(&scenario)).await.unwrap();
    let mut pieces = Vec::new();
    while let Some(event) = answer.next().await {
        if let Event::Frame(frame) = event.unwrap()
            && let Some(text) = frame.message().text_delta()
        {
            pieces.push(text.to_owned());
        }
    }
    assert_eq!(pieces, ["One ", "two."]);
}

#[tokio::test]
async fn a_query_can_return_only_its_result() {
    let scenario = Scenario::default().reply([Step::text("42")]);
    let result = query("What is it?", fake(&scenario))
        .await
        .unwrap()
        .result()
        .await
        .unwrap();
    assert_eq!(
        (result.result.as_deref(), result.is_error),
        (Some("42"), false)
    );
}

#[tokio::test]
async fn a_result_with_an_invalid_member_is_read_and_its_turn_failed() {
    let folder = agentwire_testing::tempdir().unwrap();
    let odd =
        r#"{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1.5}"#;
    let says = format!("read -r prompt\necho '{odd}'\ncat > /dev/null");
    let options = || answering(&folder, r#"{"commands":[]}"#, &says);
    let result = query("Go", options()).await.unwrap().result().await;
    assert_eq!(result.unwrap().num_turns, Some(2));

    let mut answer = query("Go", options()).await.unwrap();
    let end = loop {
        let event = answer.next().await.expect("a turn that ends").unwrap();
        if let Event::Turn(TurnEvent::Ended(end)) = event {
            break end;
        }
    };
    assert_eq!(end.outcome, TurnOutcome::Failed);
    let faults = end.frame.as_ref().unwrap().faults();
    assert_eq!(faults[0].path, "num_turns", "{faults:?}");
}

#[tokio::test]
async fn without_a_callback_a_request_is_denied_with_a_notice() {
    // The flag makes the agent send the request, although the host has no callback.
    let options = fake(&tool_then_text()).flag_value("--permission-prompt-tool", "stdio");
    let mut answer = query("Go", options).await.unwrap();
    let (log, _) = log_to_end(async || answer.next().await).await;
    assert_eq!(
        log[1..3],
        [
            "notice: `Bash` was denied: no callback is set; set `Options::on_permission`",
            "tool failed: No permission callback is set, so Bash was denied."
        ]
    );
}

async fn panics(_: PermissionRequest) -> PermissionResult {
    panic!("out of order")
}

#[tokio::test]
async fn a_callback_that_panics_denies_and_is_reported_and_the_session_goes_on() {
    let options = fake(&tool_then_text()).on_permission(panics);
    let mut answer = query("Go", options).await.unwrap();
    let (mut log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{error:?}");
    log.retain(|line| !line.starts_with("call"));
    assert_eq!(
        log,
        [
            "notice: `Bash` was denied: its callback panicked: out of order",
            "tool failed: The host could not decide about Bash.",
            "text: Done.",
            "result: success fine"
        ]
    );
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_the_next_one_runs() {
    let scenario = Scenario::default()
        .reply([Step::text("Once upon a time "), Step::WaitMs(600_000)])
        .reply([Step::text("The end.")]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    client.send("Tell a story").await.unwrap();
    wait_for(&mut client, says("time")).await;
    client.interrupt().await.unwrap();
    client.send("And?").await.unwrap();
    let mut log = Vec::new();
    wait_for(&mut client, |event| {
        log.extend(describe(event));
        log.last()
            .is_some_and(|line| line == "result: success fine")
            .then_some(())
    })
    .await;
    assert_eq!(
        log,
        [
            "text: Once upon a time ",
            "result: error_during_execution error",
            "text: The end.",
            "result: success fine"
        ]
    );
    let report = client.close().await;
    assert!(report.exit.unwrap().success());
}

#[tokio::test]
async fn an_invalid_line_is_an_event_and_the_session_continues() {
    let noise =
        "not json\n{\"type\":\"from_the_future\",\"uuid\":\"f1\"}\n[1]\n{\"no\":\"type\"}\n";
    let scenario = Scenario::default().reply([
        Step::Fault(Fault::Stdout(noise.to_owned())),
        Step::text("Still here."),
    ]);
    let mut answer = query("Go", fake(&scenario)).await.unwrap();
    let (mut notices, mut unknown, mut text) = (Vec::new(), Vec::new(), String::new());
    while let Some(event) = answer.next().await {
        match event.unwrap() {
            Event::Notice(Notice::Wire(host::WireNotice::NotAFrame { line, .. })) => {
                notices.push(line);
            }
            Event::Frame(frame) => match frame.message() {
                Message::Unknown(_) => unknown.push(frame),
                message => text.extend(message.text_delta()),
            },
            _ => {}
        }
    }
    assert_eq!(notices, ["not json", "[1]", r#"{"no":"type"}"#]);
    assert_eq!(
        unknown[0].raw(),
        r#"{"type":"from_the_future","uuid":"f1"}"#
    );
    assert_eq!(text, "Still here.");
}

#[tokio::test]
async fn an_incomplete_last_line_is_reported_before_the_error() {
    let scenario = Scenario::default().reply([
        Step::text("Hm. "),
        Step::Fault(Fault::Stdout("{\"type\":\"assis".to_owned())),
        Step::Fault(Fault::Stderr("core meltdown\n".to_owned())),
        Step::Fault(Fault::Exit(70)),
    ]);
    let mut answer = query("Go", fake(&scenario)).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert_eq!(log[0], "text: Hm. ");
    assert!(
        log[1].contains(r#"in the middle of a line: "{\"type\":\"assis""#),
        "{log:?}"
    );
    assert!(
        log[2].contains("before the agent finished message"),
        "{log:?}"
    );
    let end = ended(error.unwrap());
    assert_eq!(
        (end.reason, end.exit.unwrap().code()),
        (EndReason::Exited, Some(70))
    );
    assert_eq!(end.stderr, "core meltdown\n");
}

#[tokio::test]
async fn an_oversized_line_is_reported_and_a_request_in_it_is_denied() {
    let long = "x".repeat(100_000);
    let scenario = Scenario::default()
        .reply([Step::tool(
            "Bash",
            json!({ "command": long }),
            "not reached",
        )])
        .reply([Step::text("Shorter.")]);
    let options = fake(&scenario).line_limit(50_000).on_permission(panics);
    let mut answer = query("Go", options).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert!(
        log.iter()
            .any(|line| line.contains("a `control_request/can_use_tool` line of")),
        "{log:?}"
    );
    assert!(
        log.iter().any(|line| line.starts_with("tool failed")),
        "{log:?}"
    );
    // The result contains the denied calls, so it is also too long. The session has ended
    // anyway.
    assert!(
        log.last().unwrap().contains("a `result/success` line of"),
        "{log:?}"
    );
}

#[tokio::test]
async fn requests_of_the_agent_are_answered_before_its_first_response() {
    let folder = agentwire_testing::tempdir().unwrap();
    let answers = folder.path().join("answers");
    // This CLI responds to `initialize` only after both its requests have responses.
    let cli = script(
        &folder,
        &format!(
            r#"read -r line
id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
echo '{{"type":"control_request","request_id":"a1","request":{{"subtype":"can_use_tool","tool_name":"X","input":{{}}}}}}'
read -r one
echo '{{"type":"control_request","request_id":"a2","request":{{"subtype":"make_coffee"}}}}'
read -r two
printf '%s\n%s\n' "$one" "$two" > {}
echo '{{"type":"control_response","response":{{"subtype":"success","request_id":"'$id'","response":{{"commands":[]}}}}}}'
cat > /dev/null"#,
            answers.display()
        ),
    );
    let options = Options::new()
        .cli(cli)
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();
    client.close().await;
    let (log, error) = log_to_end(async || client.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        log,
        ["notice: cannot handle the agent's request `make_coffee`: this host does not support it"]
    );
    let answers = std::fs::read_to_string(answers).unwrap();
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(
        lines,
        [
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"a1","response":{"behavior":"allow","updatedInput":{}}}}"#,
            r#"{"type":"control_response","response":{"subtype":"error","request_id":"a2","error":"this host does not support it","error_code":"unsupported_request"}}"#,
        ]
    );
}

#[tokio::test]
async fn an_unanswered_request_ends_at_its_deadline() {
    let scenario = Scenario::default().at_startup(Fault::Hang);
    let options = fake(&scenario)
        .request_timeout(Duration::from_millis(100))
        .close_policy(support::hasty());
    let error = Client::connect(options).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent CLI did not start up: the agent did not answer `initialize` within 100ms \
         (`Options::request_timeout`)"
    );
}

#[tokio::test]
async fn a_cancelled_request_ends_at_once() {
    // The agent reads no further input.
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::Fault(Fault::Hang)]);
    let options = fake(&scenario).close_policy(support::hasty());
    let mut client = Client::connect(options).await.unwrap();
    client.send("Go");
    wait_for(&mut client, says("Hm")).await;
    let pending = client.set_model("m");
    pending.cancel();
    let error = pending.await.unwrap_err();
    assert_eq!(error.to_string(), "`set_model` was cancelled");
    client.abort().await;
}

#[tokio::test]
async fn unknown_requests_and_refused_requests_are_distinguished() {
    let mut client = Client::connect(fake(&Scenario::default())).await.unwrap();
    #[derive(serde::Serialize)]
    struct MakeCoffee {
        subtype: &'static str,
    }
    impl agentwire::protocol::control::HostRequest for MakeCoffee {
        const SUBTYPE: &'static str = "make_coffee";
        type Response = serde_json::Value;
    }
    let error = client
        .request(&MakeCoffee {
            subtype: "make_coffee",
        })
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent does not support `make_coffee`: Unsupported control request subtype: make_coffee \
         (unsupported_request)"
    );
    let wrong = client.request_raw("set_model", serde_json::json!({ "model": 5 }));
    let error = wrong.await.unwrap_err();
    assert!(matches!(&error, Error::Request(_)), "{error:?}");
    let said = error.to_string();
    assert!(
        said.starts_with("the agent refused `set_model`: "),
        "{said}"
    );
    client.close().await;
}

#[tokio::test]
async fn a_request_without_a_type_is_answered_like_any_other() {
    let mut client = Client::connect(fake(&Scenario::default())).await.unwrap();
    let answer = client
        .request_raw("set_model", serde_json::json!({ "model": "other" }))
        .await
        .unwrap();
    assert_eq!(answer.get(), r#"{"model":"other"}"#);
    let error = client
        .request_raw("make_coffee", serde_json::json!({}))
        .await
        .unwrap_err();
    assert!(matches!(&error, Error::NotSupported { .. }), "{error:?}");
    assert!(error.to_string().contains("make_coffee"), "{error}");
    let error = client.request_raw("make_coffee", "two").await.unwrap_err();
    assert!(matches!(&error, Error::Encode(_)), "{error:?}");
    client.close().await;
}

#[tokio::test]
async fn activity_is_reported_when_it_changes() {
    let options = fake(&tool_then_text()).on_permission(|_| async { PermissionResult::allow() });
    let mut answer = query("Go", options).await.unwrap();
    let mut activities = Vec::new();
    while let Some(event) = answer.next().await {
        if let Event::Activity(activity) = event.unwrap() {
            activities.push(activity);
        }
    }
    use Activity::{Idle, RequiresAction, Running};
    assert_eq!(activities, [Running, RequiresAction, Running, Idle]);
}

#[test]
fn handles_can_be_sent_anywhere() {
    fn assert_send_sync_clone<T: Send + Sync + Clone + 'static>() {}
    fn sent<T: Send + 'static>() {}
    assert_send_sync_clone::<agentwire::Handle>();
    assert_send_sync_clone::<agentwire::Options>();
    assert_send_sync_clone::<Error>();
    sent::<Client>();
    sent::<agentwire::Query>();
    sent::<agentwire::Submission>();
    sent::<agentwire::Subscription>();
    sent::<agentwire::TextStream>();
}

#[tokio::test]
async fn a_query_takes_as_long_as_its_turn() {
    let scenario = Scenario::default().reply([Step::WaitMs(500), Step::text("At last.")]);
    let policy = support::patient().finish(Duration::from_millis(50));
    let result = query("Go", fake(&scenario).close_policy(policy))
        .await
        .unwrap()
        .result()
        .await;
    assert_eq!(result.unwrap().result.as_deref(), Some("At last."));
}

#[tokio::test]
async fn the_result_of_a_query_is_that_of_its_prompt_and_not_of_what_came_after() {
    let agent = json!({"description": "look", "prompt": "Look.", "run_in_background": true});
    let scenario = Scenario::default()
        .reply([Step::tool("Agent", agent, "")])
        .reply([Step::text("It looks.")])
        .subagent([Step::WaitMs(100), Step::text("Seen.")])
        .reply([Step::text("It has looked.")]);
    let options = || fake(&scenario).on_permission(|_| async { PermissionResult::allow() });
    let mut answer = query("Go", options()).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{error:?}");
    let results = log.iter().filter(|it| it.starts_with("result:")).count();
    assert_eq!(results, 2, "{log:?}");

    let answer = query("Go", options()).await.unwrap();
    let result = answer.result().await.unwrap();
    assert_eq!(result.result.as_deref(), Some("It looks."));
}

#[tokio::test]
async fn overflowing_timeouts_are_no_limit() {
    let scenario = Scenario::default().reply([Step::text("Fine.")]);
    let options = fake(&scenario)
        .request_timeout(Duration::MAX)
        .close_policy(support::patient().finish(Duration::MAX));
    let mut client = Client::connect(options).await.unwrap();
    client.send("Go").await.unwrap();
    assert!(client.close().await.exit.unwrap().success());
}

#[tokio::test]
async fn formatted_json_is_sent_as_one_line() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({ "command": "date" }), "today")])
        .reply([Step::text("Done.")]);
    let options = fake(&scenario).on_permission(|_| async {
        let pretty: Json = serde_json::from_str("{\n  \"command\":\r\n  \"a\\nb\"\n}").unwrap();
        PermissionResult::allow_with(pretty)
    });
    let result = query("Go", options).await.unwrap().result().await.unwrap();
    assert_eq!(result.result.as_deref(), Some("Done."));
}

#[tokio::test]
async fn an_invalid_initialize_response_is_kept_and_the_session_continues() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = answering(&folder, r#"{"commands":"none","pid":7}"#, "cat > /dev/null");
    let mut client = Client::connect(options).await.unwrap();
    let kept = client
        .initialized()
        .extra
        .get("commands")
        .unwrap()
        .to_string();
    assert_eq!(kept, "\"none\"");
    assert!(client.close().await.exit.unwrap().success());
}

#[tokio::test]
async fn a_panic_in_the_stderr_callback_disables_only_the_callback() {
    let scenario = Scenario::default().reply([
        Step::Fault(Fault::Stderr("one\n".to_owned())),
        Step::WaitMs(50),
        Step::Fault(Fault::Stderr("two\n".to_owned())),
        Step::Fault(Fault::Exit(5)),
    ]);
    let options = fake(&scenario).on_stderr(|_| panic!("I cannot hear this"));
    let error = query("Go", options)
        .await
        .unwrap()
        .result()
        .await
        .unwrap_err();
    let end = ended(error);
    assert_eq!(
        (end.exit.unwrap().code(), &*end.stderr),
        (Some(5), "one\ntwo\n")
    );
}

#[tokio::test]
async fn standard_error_is_delivered() {
    let heard = Arc::new(Mutex::new(String::new()));
    let listener = Arc::clone(&heard);
    let scenario = Scenario::default().reply([
        Step::Fault(Fault::Stderr("careful, 🦀\n".to_owned())),
        Step::text("Done."),
    ]);
    let options = fake(&scenario).on_stderr(move |text| listener.lock().unwrap().push_str(text));
    query("Go", options).await.unwrap().result().await.unwrap();
    assert_eq!(*heard.lock().unwrap(), "careful, 🦀\n");
}

#[tokio::test]
async fn notices_reach_their_callback_although_nobody_reads_the_stream() {
    let heard = Arc::new(Mutex::new(vec![]));
    let listener = Arc::clone(&heard);
    let scenario = Scenario::default()
        .reply([
            Step::Fault(Fault::Stdout("no JSON\n".to_owned())),
            Step::tool("Bash", json!({ "command": "ls" }), ""),
        ])
        .reply([Step::text("Done.")]);
    let options =
        fake(&scenario).on_notice(move |notice| listener.lock().unwrap().push(notice.to_string()));
    prompt("Go", options.clone()).await.unwrap();
    let heard = std::mem::take(&mut *heard.lock().unwrap());

    let mut delivered = vec![];
    let mut answer = query("Go", options).await.unwrap();
    while let Some(event) = answer.next().await {
        if let Event::Notice(notice) = event.unwrap() {
            delivered.push(notice.to_string());
        }
    }
    assert_eq!(heard, delivered);
    assert_eq!(heard.len(), 2, "{heard:?}");
}

#[tokio::test]
async fn a_callback_for_notices_that_panics_costs_nothing_but_itself() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let noise = || Step::Fault(Fault::Stdout("no JSON\n".to_owned()));
    let scenario = Scenario::default().reply([noise(), noise(), Step::text("Done.")]);
    let options = fake(&scenario).on_notice(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        panic!("I cannot hear this");
    });
    let text = String::from("Go");
    let result = prompt(&text, options).await.unwrap();
    assert_eq!(result.text(), "Done.");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_message_that_is_sent_twice_under_one_id_is_written_twice() {
    let scenario = Scenario::default()
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    let message = || agentwire::UserMessage::new("Go").uuid("same");
    let (first, second) = (client.send(message()), client.send(message()));
    assert_eq!((first.uuid(), second.uuid()), ("same", "same"));
    first.await.unwrap();
    second.await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn the_error_of_an_overlong_argument_names_it() {
    let error = Client::connect(fake(&Scenario::default()).model("x".repeat(200_000)))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("`--model` is 200008 bytes long"),
        "{error}"
    );
}
