//! Tests of spans, with a subscriber that records them.

use super::recorder::{Recorded, Recorder};
use crate::support::{self, ended, fake, hasty, peer::connect, says, wait_for};
use agentwire::hook::HookCall;
use agentwire::protocol::hook::{HookOutput, PreToolUse};
use agentwire::protocol::message::Priority;
use agentwire::{
    Client, Error, Event, Hook, Later, Options, PermissionResult, RestartPolicy, SubmissionState,
    UserMessage,
};
use agentwire_testkit::scenario::Usage;
use agentwire_testkit::{Reply, Scenario, Step, fake_agent};
use serde_json::json;
use std::future::pending;
use tracing::{Instrument, info_span};

/// Texts that no field may contain.
const SECRETS: [&str; 4] = [
    "secret-prompt",
    "secret-input",
    "secret-output",
    "secret-reply",
];

/// Records the spans of this thread, which runs all tasks of a test.
fn record() -> (Recorder, tracing::subscriber::DefaultGuard) {
    let recorder = Recorder::default();
    let guard = tracing::subscriber::set_default(recorder.clone());
    (recorder, guard)
}

fn has_wait(span: &Recorded) -> bool {
    span.field("agentwire.wait_ms").parse::<u64>().is_ok()
}

/// Ends a session, and waits for its last event.
async fn end(mut client: Client) {
    client.abort().await;
    while client.next().await.is_some() {}
}

fn busy() -> Scenario {
    Scenario::default().reply([Step::text("Hm "), Step::WaitMs(600_000)])
}

#[tokio::test]
async fn a_turn_is_a_span_under_the_span_of_its_submission() {
    let (recorder, _guard) = record();
    let usage = Usage {
        input_tokens: Some(12),
        output_tokens: Some(5),
        cache_read_input_tokens: Some(1000),
        cache_creation_input_tokens: Some(100),
    };
    let scenario = Scenario::default()
        .reply(Reply::new([Step::text("secret-reply")]).usage(usage))
        .repeated();
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    for number in 0..2 {
        let asking = async {
            let mut submission = client.send("secret-prompt");
            submission.turn_ended().await.unwrap();
            submission.uuid().to_owned()
        };
        let uuid = asking.instrument(info_span!("program")).await;
        let turns = recorder.named("invoke_agent");
        assert_eq!(turns.len(), number + 1, "{turns:?}");
        let turn = &turns[number];
        assert_eq!(recorder.parent(turn).as_deref(), Some("program"));
        let session = client.session_id().unwrap();
        for (field, value) in [
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.provider.name", "anthropic"),
            ("gen_ai.conversation.id", &*session),
            ("gen_ai.request.model", "fake-model"),
            ("gen_ai.response.model", "fake-model"),
            ("gen_ai.usage.input_tokens", "1112"),
            ("gen_ai.usage.output_tokens", "5"),
            ("gen_ai.usage.cache_read.input_tokens", "1000"),
            ("gen_ai.usage.cache_write.input_tokens", "100"),
            ("gen_ai.response.finish_reasons", r#"["end_turn"]"#),
            ("agentwire.turn", &(number + 1).to_string()),
            ("agentwire.message.id", &uuid),
            ("agentwire.outcome", "completed"),
            ("error.type", ""),
            ("otel.status_code", ""),
        ] {
            assert_eq!(turn.field(field), value, "{field}");
        }
        assert!(has_wait(turn), "{turn:?}");
        // Also that of the program, whose origin the session does not retain.
        recorder.assert_closed_without(&SECRETS);
    }
    client.close().await;
}

#[tokio::test]
async fn messages_of_one_turn_have_one_span() {
    let (recorder, _guard) = record();
    let scenario = busy().reply([Step::text("Both.")]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let mut both =
        ["a", "b"].map(|text| info_span!("program", text).in_scope(|| client.send(text)));
    for submission in &mut both {
        while submission.state() < SubmissionState::Queued {
            submission.changed().await;
        }
    }
    client.interrupt().await.unwrap();
    for submission in &mut both {
        submission.turn_ended().await.unwrap();
    }
    let turns = recorder.named("invoke_agent");
    assert_eq!(turns.len(), 2, "{turns:?}");
    assert_eq!(turns[0].field("error.type"), "interrupted");
    assert_eq!(turns[0].field("otel.status_code"), "ERROR");
    assert_eq!(turns[1].field("agentwire.outcome"), "completed");
    assert_eq!(recorder.parent(&turns[1]).as_deref(), Some("program"));
    assert_eq!(turns[1].follows.len(), 1, "{turns:?}");
    recorder.assert_closed_without(&[]);
    client.close().await;
}

#[tokio::test]
async fn permission_requests_and_hook_calls_are_spans_with_the_time_they_waited() {
    let (recorder, _guard) = record();
    let scenario = Scenario::default()
        .reply([Step::tool(
            "Bash",
            json!({"command": "secret-input"}),
            "secret-output",
        )])
        .reply([Step::text("secret-reply")]);
    let options = fake(&scenario)
        .on_permission(|_| async {
            info_span!("decision").in_scope(|| ());
            PermissionResult::allow()
        })
        .hook(Hook::new(|_: HookCall<PreToolUse>| async {
            Err::<HookOutput, _>("secret-output")
        }));
    let mut client = Client::connect(options).await.unwrap();
    client.prompt("secret-prompt").await.unwrap();
    let (permission, hook) = (recorder.only("permission"), recorder.only("hook"));
    for span in [&permission, &hook] {
        assert_eq!(recorder.parent(span).as_deref(), Some("invoke_agent"));
        assert!(has_wait(span), "{span:?}");
        assert_eq!(span.field("gen_ai.tool.name"), "Bash");
        assert!(
            span.field("gen_ai.tool.call.id").starts_with("toolu_"),
            "{span:?}"
        );
        assert!(!span.field("gen_ai.conversation.id").is_empty());
        assert!(
            span.field("agentwire.request.bytes")
                .parse::<u64>()
                .unwrap()
                > 100
        );
    }
    assert_eq!(permission.field("otel.name"), "permission Bash");
    assert_eq!(permission.field("agentwire.outcome"), "allow");
    assert_eq!(hook.field("otel.name"), "hook PreToolUse");
    assert_eq!(hook.field("error.type"), "callback_failed");
    // A callback runs in the span of its request.
    let decision = recorder.only("decision");
    assert_eq!(recorder.parent(&decision).as_deref(), Some("permission"));
    recorder.assert_closed_without(&SECRETS);
    client.close().await;
}

/// Returns a permission request.
fn permission_request() -> serde_json::Value {
    json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "secret-input" },
        "tool_use_id": "toolu_1",
    })
}

#[tokio::test]
async fn a_request_is_a_span_until_its_response_or_its_cancellation() {
    let (recorder, _guard) = record();
    let options = Options::new().on_permission(|ask| async move {
        match &*ask.request_id {
            "later" => Later.into(),
            // The callback runs on after its request was cancelled.
            "hangs" => pending().await,
            _ => agentwire::callback::Response::Now(PermissionResult::deny("secret-output")),
        }
    });
    let (client, mut agent) = connect(options).await;
    for id in ["later", "hangs"] {
        agent.asks(id, &permission_request()).await;
    }
    agent.asks("denied", &permission_request()).await;
    agent.is_answered().await;
    let outcomes = || {
        let spans = recorder.named("permission");
        let outcomes = spans
            .iter()
            .map(|it| it.field("agentwire.outcome").to_owned());
        outcomes.collect::<Vec<_>>()
    };
    assert_eq!(outcomes(), ["", "", "deny"]);
    agent.cancels("hangs").await;
    client
        .respond("later", PermissionResult::allow())
        .await
        .unwrap();
    agent.is_answered().await;
    assert_eq!(outcomes(), ["allow", "cancelled", "deny"]);
    let spans = recorder.named("permission");
    assert!(
        spans.iter().all(|it| it.is_closed() && has_wait(it)),
        "{spans:?}"
    );
    // Without a turn, they have no parent.
    assert!(spans.iter().all(|it| it.parent.is_none()), "{spans:?}");
    recorder.assert_closed_without(&SECRETS);
    drop(client);
}

#[tokio::test]
async fn failed_turns_have_a_class_of_error() {
    let (recorder, _guard) = record();
    let scenario = Scenario::default()
        .reply([Step::error(400, "invalid_request_error", "secret-output")])
        .reply([Step::tool("Bash", json!({}), "1")])
        .repeated();
    let options = fake(&scenario).max_turns(1);
    let mut client = Client::connect(options).await.unwrap();
    for (error, outcome) in [("400", "api_error"), ("error_max_turns", "failed")] {
        client.send("secret-prompt").turn_ended().await.unwrap();
        let turn = recorder.named("invoke_agent").pop().unwrap();
        assert_eq!(turn.field("error.type"), error);
        assert_eq!(turn.field("agentwire.outcome"), outcome);
        assert_eq!(turn.field("otel.status_code"), "ERROR");
    }
    recorder.assert_closed_without(&SECRETS);
    client.close().await;
}

#[tokio::test]
async fn the_end_of_a_session_closes_its_spans() {
    let (recorder, _guard) = record();
    let scenario = Scenario::default().reply([
        Step::text("Hm "),
        Step::tool("Bash", json!({"command": "secret-input"}), "1"),
    ]);
    let options = fake(&scenario).close_policy(hasty());
    let options = options.on_permission(|_| pending::<PermissionResult>());
    let mut client = Client::connect(options).await.unwrap();
    let handle = client.handle();
    let mut running = info_span!("program").in_scope(|| client.send("secret-prompt"));
    wait_for(&mut client, |event| match event {
        Event::Activity(agentwire::Activity::RequiresAction) => Some(()),
        _ => None,
    })
    .await;
    let later = UserMessage::text("secret-prompt").priority(Priority::Later);
    let mut queued = info_span!("program").in_scope(|| client.send(later));
    support::kill(client.pid().unwrap());
    assert!(matches!(running.turn_ended().await, Err(Error::Ended(_))));
    ended(queued.turn_ended().await.unwrap_err());
    client.close().await;
    let turn = recorder.only("invoke_agent");
    assert_eq!(turn.field("agentwire.outcome"), "lost");
    assert_eq!(turn.field("error.type"), "session_ended");
    assert_eq!(
        recorder.only("permission").field("agentwire.outcome"),
        "cancelled"
    );
    // A message after the end has no turn.
    let late = info_span!("program").in_scope(|| handle.send("secret-prompt"));
    assert_eq!(late.state(), SubmissionState::Lost);
    recorder.assert_closed_without(&SECRETS);
}

#[tokio::test]
async fn a_withdrawn_message_has_no_span_and_its_origin_is_not_retained() {
    let (recorder, _guard) = record();
    let options = fake(&busy()).close_policy(hasty());
    let mut client = Client::connect(options).await.unwrap();
    client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let message = UserMessage::text("Never").priority(Priority::Later);
    let mut queued = info_span!("program").in_scope(|| client.send(message));
    assert!(!recorder.only("program").is_closed());
    assert!(queued.cancel().await.unwrap().cancelled);
    queued.final_state().await;
    assert!(recorder.only("program").is_closed());
    assert_eq!(recorder.named("invoke_agent").len(), 1);
    end(client).await;
    recorder.assert_closed_without(&SECRETS);
}

#[tokio::test]
async fn a_turn_that_goes_on_in_another_process_has_one_span() {
    let (recorder, _guard) = record();
    let folder = agentwire_testing::tempdir().unwrap();
    let options = fake(&busy().repeated())
        .env(fake_agent::SESSIONS, folder.path())
        .close_policy(hasty())
        .restart(RestartPolicy::default());
    let mut client = Client::connect(options).await.unwrap();
    info_span!("program").in_scope(|| client.send("Work"));
    for process in 0..2 {
        wait_for(&mut client, says("Hm")).await;
        let turn = recorder.only("invoke_agent");
        assert_eq!(recorder.parent(&turn).as_deref(), Some("program"));
        assert!(!turn.is_closed());
        if process == 0 {
            support::kill(client.pid().unwrap());
        }
    }
    end(client).await;
    recorder.assert_closed_without(&SECRETS);
}

#[cfg(feature = "mcp")]
mod tools {
    use super::*;
    use agentwire::mcp::Tools;
    use agentwire::protocol::host::Queueing;
    use agentwire::schemars::{self, JsonSchema};
    use serde::Deserialize;

    async fn until(is_done: impl Fn() -> bool) {
        let waiting = async {
            while !is_done() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(support::LONG, waiting).await.unwrap();
    }

    #[derive(Deserialize, JsonSchema)]
    struct Input {
        text: String,
    }

    #[tokio::test]
    async fn calls_of_in_process_tools_are_spans() {
        let (recorder, _guard) = record();
        let tools = Tools::new()
            .tool("good", "", |input: Input| async move {
                info_span!("inside").in_scope(|| ());
                Ok::<_, String>(input.text)
            })
            .tool("bad", "", |_: Input| async {
                Err::<(), _>("secret-output")
            })
            .tool("panics", "", |_: Input| async {
                if true {
                    panic!("secret-output");
                }
                Ok::<_, String>(())
            })
            .tool("hangs", "", |_: Input| pending::<Result<(), String>>());
        let options = Options::new().queueing(Queueing::ByAgent);
        let (client, mut agent) = connect(options.mcp_server("s", tools)).await;
        let init = json!({"type": "system", "subtype": "init", "session_id": "s1"});
        agent.says(&init.to_string()).await;
        for tool in ["good", "bad", "panics", "hangs"] {
            let message = json!({"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": {
                "name": tool, "arguments": {"text": "secret-input"},
                "_meta": {"claudecode/toolUseId": format!("toolu_{tool}")}}});
            let call = json!({"subtype": "mcp_message", "server_name": "s", "message": message});
            agent.asks(tool, &call).await;
            if tool != "hangs" {
                agent.is_answered().await;
            }
        }
        until(|| recorder.named("execute_tool").len() == 4).await;
        agent.cancels("hangs").await;
        until(|| recorder.named("execute_tool")[3].is_closed()).await;
        let spans = recorder.named("execute_tool");
        for (span, (tool, outcome, error)) in spans.iter().zip([
            ("good", "completed", ""),
            ("bad", "failed", "tool_error"),
            ("panics", "failed", "panic"),
            ("hangs", "cancelled", "cancelled"),
        ]) {
            assert_eq!(span.field("otel.name"), format!("execute_tool {tool}"));
            assert_eq!(span.field("gen_ai.operation.name"), "execute_tool");
            assert_eq!(span.field("gen_ai.tool.name"), tool);
            assert_eq!(span.field("gen_ai.tool.call.id"), format!("toolu_{tool}"));
            assert_eq!(span.field("gen_ai.tool.type"), "function");
            assert_eq!(span.field("gen_ai.conversation.id"), "s1");
            assert_eq!(span.field("agentwire.outcome"), outcome, "{tool}");
            assert_eq!(span.field("error.type"), error, "{tool}");
            assert_eq!(recorder.parent(span).as_deref(), Some("invoke_agent"));
        }
        let inside = recorder.only("inside");
        assert_eq!(recorder.parent(&inside).as_deref(), Some("execute_tool"));
        end(client).await;
        recorder.assert_closed_without(&SECRETS);
    }
}
