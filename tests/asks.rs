//! Tests of the agent's requests, which are answered at once, late, never, or
//! incorrectly.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::callback::{Responder, Response};
use agentwire::event::{CallbackFailure, RequestSummary};
use agentwire::permission::PermissionRequest;
use agentwire::process::CliVersion;
use agentwire::protocol::dialog::UserDialogResult;
use agentwire::protocol::host;
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::protocol::permission::QuestionUnanswered;
use agentwire::{Client, Error, Event, Later, Notice, Options, PermissionResult};
use serde_json::{Value, json};
use support::peer::{Peer, connect, connect_with};
use support::{callback_failure, wait_for};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Returns a permission request for a tool.
fn tool(name: &str) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": name, "input": {"n": 1}})
}

/// Returns a session whose permission requests stay pending, and a channel that receives
/// them.
async fn connect_with_pending_requests() -> (Client, Peer, UnboundedReceiver<PermissionRequest>) {
    let (put, asks) = mpsc::unbounded_channel();
    let options = Options::new().on_permission(move |ask| {
        put.send(ask).unwrap();
        async { Later }
    });
    let (client, agent) = connect(options).await;
    (client, agent, asks)
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_come_hours_later_and_after_others() {
    let (_client, mut agent, mut asks) = connect_with_pending_requests().await;
    agent.asks("a1", &tool("Bash")).await;
    agent.asks("a2", &tool("Read")).await;
    let first: Responder<PermissionResult> = asks.recv().await.unwrap().later();
    let second = asks.recv().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(86_400)).await;
    assert!(!first.cancelled().is_cancelled());
    second
        .later()
        .respond(PermissionResult::deny("No."))
        .await
        .unwrap();
    let (id, answer) = agent.is_answered().await;
    assert_eq!((&*id, &answer["message"]), ("a2", &json!("No.")));
    // Respond from a thread without a runtime.
    std::thread::spawn(move || drop(first.respond(PermissionResult::allow())))
        .join()
        .unwrap();
    let (id, answer) = agent.is_answered().await;
    let allowed = json!({"behavior": "allow", "updatedInput": {"n": 1}});
    assert_eq!((&*id, answer), ("a1", allowed));
}

#[tokio::test]
async fn a_request_can_be_answered_once_by_its_id() {
    let (client, mut agent, mut asks) = connect_with_pending_requests().await;
    agent.asks("a1", &tool("Bash")).await;
    drop(asks.recv().await.unwrap());
    let session = client.handle();
    // Respond with the wrong kind of response, and with the wrong ID.
    for answering in [
        session.respond("a1", UserDialogResult::cancelled()),
        session.respond("a2", PermissionResult::allow()),
    ] {
        let error = answering.await.unwrap_err();
        assert!(matches!(error, Error::NoPendingRequest { .. }), "{error}");
    }
    session
        .respond("a1", PermissionResult::allow())
        .await
        .unwrap();
    assert_eq!(agent.is_answered().await.0, "a1");
    let again = session.respond("a1", PermissionResult::allow()).await;
    let Err(Error::NoPendingRequest { request_id }) = again else {
        panic!("{again:?}")
    };
    assert_eq!(&*request_id, "a1");
}

#[tokio::test]
async fn a_dropped_responder_denies_with_a_reason() {
    let (mut client, mut agent, mut asks) = connect_with_pending_requests().await;
    agent.asks("a1", &tool("Bash")).await;
    drop(asks.recv().await.unwrap().later());
    let (_, answer) = agent.is_answered().await;
    assert_eq!(answer["behavior"], "deny");
    let (asked, failure) = callback_failure(&mut client).await;
    let tool_name = "Bash".to_owned();
    assert_eq!(asked, RequestSummary::Permission { tool_name });
    assert_eq!(failure, CallbackFailure::Dropped);
    // Retaining the ID leaves the request pending.
    agent.asks("a2", &tool("Bash")).await;
    let id = asks.recv().await.unwrap().later().into_request_id();
    client
        .handle()
        .respond(&id, PermissionResult::allow())
        .await
        .unwrap();
    assert_eq!(agent.is_answered().await.0, "a2");
}

#[tokio::test]
async fn a_cancelled_request_gets_no_late_answer_even_if_its_id_is_reused() {
    let (_client, mut agent, mut asks) = connect_with_pending_requests().await;
    agent.asks("a1", &tool("Bash")).await;
    let ask = asks.recv().await.unwrap();
    let late = ask.later();
    agent.cancels("a1").await;
    ask.cancelled.cancelled().await;
    agent.asks("a1", &tool("Edit")).await;
    let again = asks.recv().await.unwrap();
    let refused = late.respond(PermissionResult::allow()).await;
    assert!(
        matches!(refused, Err(Error::NoPendingRequest { .. })),
        "{refused:?}"
    );
    drop(ask.later());
    again
        .later()
        .respond(PermissionResult::deny("No."))
        .await
        .unwrap();
    let (_, answer) = agent.is_answered().await;
    assert_eq!(answer["message"], "No.");
}

#[tokio::test]
async fn an_answer_of_a_responder_precedes_that_of_its_callback() {
    let options = Options::new().on_permission(|ask: PermissionRequest| async move {
        ask.later()
            .respond(PermissionResult::allow())
            .await
            .unwrap();
        ask.cancelled.cancelled().await;
        PermissionResult::deny("too late")
    });
    let (mut client, mut agent) = connect(options).await;
    agent.asks("a1", &tool("Bash")).await;
    assert_eq!(agent.is_answered().await.1["behavior"], "allow");
    agent.asks("a2", &tool("Bash")).await;
    assert_eq!(agent.is_answered().await.0, "a2");
    drop(agent);
    // The session reports no failure.
    while let Some(event) = client.next().await {
        assert!(!matches!(
            event,
            Ok(Event::Notice(Notice::CallbackFailed { .. }))
        ));
    }
}

#[tokio::test]
async fn a_failed_callback_denies_with_a_reason() {
    let options = Options::new().on_permission(|ask: PermissionRequest| async move {
        match &*ask.request.tool_name {
            "Bash" => Err("the database is gone"),
            _ => Ok(PermissionResult::allow()),
        }
    });
    let (mut client, mut agent) = connect(options).await;
    agent.asks("a1", &tool("Bash")).await;
    let (_, answer) = agent.is_answered().await;
    assert_eq!(answer["message"], "The host could not decide about Bash.");
    let why = "the database is gone".to_owned();
    assert_eq!(
        callback_failure(&mut client).await.1,
        CallbackFailure::Failed(why)
    );
    agent.asks("a2", &tool("Read")).await;
    assert_eq!(agent.is_answered().await.1["behavior"], "allow");
}

#[tokio::test]
async fn asks_that_are_open_when_the_session_ends_are_cancelled() {
    let (client, mut agent, mut asks) = connect_with_pending_requests().await;
    agent.asks("a1", &tool("Bash")).await;
    let ask = asks.recv().await.unwrap();
    let late = ask.later();
    drop(agent);
    ask.cancelled.cancelled().await;
    let refused = late.respond(PermissionResult::allow()).await;
    assert!(
        matches!(
            refused,
            Err(Error::NoPendingRequest { .. } | Error::Ended(_))
        ),
        "{refused:?}"
    );
    drop(client);
}

fn questions() -> Value {
    json!({
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "requires_user_interaction": true,
        "input": {"questions": [
            {"question": "Tea?", "header": "Drink", "multiSelect": true, "options": [
                {"label": "Green", "description": "leaf"}, {"label": "Black", "description": "leaf"}]},
            {"question": "Milk?", "header": "Milk", "options": []},
            {"question": "Sugar?", "header": "Sugar", "options": []},
        ]},
    })
}

#[tokio::test]
async fn answers_are_sent_with_their_questions() {
    let options = Options::new().on_question(|ask| async move {
        let labels = ask.questions()[0].options.iter().map(|it| &it.label);
        ask.answers()
            .choose("Tea?", labels)
            .say("Milk?", "A drop")
            .note("Milk?", "oat")
            .unanswered("Sugar?", QuestionUnanswered::Skipped)
    });
    let (_client, mut agent) = connect(options).await;
    agent.asks("a1", &questions()).await;
    let (_, answer) = agent.is_answered().await;
    let input = &answer["updatedInput"];
    assert_eq!(input["questions"], questions()["input"]["questions"]);
    assert_eq!(
        input["answers"],
        json!({"Tea?": "Green, Black", "Milk?": "A drop"})
    );
    assert_eq!(
        input["annotations"],
        json!({"Milk?": {"notes": "oat"}, "Sugar?": {"unanswered": "skipped"}})
    );
    // The other requests have no callback.
    agent.asks("a2", &tool("Bash")).await;
    assert_eq!(agent.is_answered().await.1["behavior"], "deny");
}

#[tokio::test]
async fn questions_that_cannot_be_read_are_denied_and_reported() {
    let options = Options::new().on_question(|ask| async move { ask.answers() });
    let (mut client, mut agent) = connect(options).await;
    let request = json!({"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": {}});
    agent.asks("a1", &request).await;
    assert_eq!(agent.is_answered().await.1["behavior"], "deny");
    let (_, CallbackFailure::Failed(why)) = callback_failure(&mut client).await else {
        panic!()
    };
    assert!(why.contains("`questions`"), "{why}");
}

#[tokio::test]
async fn plans_have_a_separate_callback() {
    let options = Options::new().cli_version(CliVersion::new(2, 1, 330));
    let options = options.on_plan(|plan| async move {
        match plan.text() {
            Some("dig") => plan.approve_changed("dig, then fill"),
            Some("fill") => plan.approve(),
            _ => plan.reject("There is none."),
        }
    });
    let (_client, mut agent) = connect(options).await;
    for (input, answer) in [
        (
            json!({"plan": "dig", "planFilePath": "p.md"}),
            json!({"behavior": "allow", "updatedInput": {"plan": "dig, then fill", "planFilePath": "p.md"}}),
        ),
        (
            json!({"plan": "fill"}),
            json!({"behavior": "allow", "updatedInput": {"plan": "fill"}}),
        ),
        (
            json!({}),
            json!({"behavior": "deny", "message": "There is none."}),
        ),
    ] {
        let ask = json!({"subtype": "can_use_tool", "tool_name": "ExitPlanMode", "input": input});
        agent.asks("a1", &ask).await;
        assert_eq!(agent.is_answered().await.1, answer);
    }
}

fn elicitation() -> Value {
    json!({"subtype": "elicitation", "mcp_server_name": "bank", "message": "Your name?",
        "mode": "form", "requested_schema": {"type": "object"}})
}

#[tokio::test]
async fn elicitations_without_a_callback_are_declined() {
    let options = Options::new().on_elicitation(|ask| async move {
        match &*ask.request.mcp_server_name {
            "bank" => Ok(McpElicitationResult::accept(json!({"name": "Ada"}))),
            other => Err(format!("who is {other}?")),
        }
    });
    let (mut client, mut agent) = connect(options).await;
    agent.asks("a1", &elicitation()).await;
    let (_, answer) = agent.is_answered().await;
    assert_eq!(
        answer,
        json!({"action": "accept", "content": {"name": "Ada"}})
    );
    let mut stranger = elicitation();
    stranger["mcp_server_name"] = json!("mill");
    agent.asks("a2", &stranger).await;
    assert_eq!(agent.is_answered().await.1, json!({"action": "decline"}));
    let server_name = "mill".to_owned();
    let (asked, _) = callback_failure(&mut client).await;
    assert_eq!(asked, RequestSummary::Elicitation { server_name });

    let (_client, mut agent) = connect(Options::new()).await;
    agent.asks("a1", &elicitation()).await;
    assert_eq!(agent.is_answered().await.1, json!({"action": "decline"}));
}

#[tokio::test]
async fn only_dialogs_of_declared_kinds_are_delivered() {
    let options = Options::new()
        .on_dialog("choice", |ask| async move {
            match ask.request.payload {
                Some(payload) => Response::Now(UserDialogResult::completed(payload)),
                None => Response::Failed("nothing to show".to_owned()),
            }
        })
        .on_dialog("text", |_| async { UserDialogResult::cancelled() });
    let (client, mut agent, initialize) = connect_with(options, &json!({})).await;
    let mut client = client.unwrap();
    assert_eq!(
        initialize["supportedDialogKinds"],
        json!(["choice", "text"])
    );
    let dialog = |kind: &str| json!({"subtype": "request_user_dialog", "dialog_kind": kind, "payload": {"n": 1}});
    agent.asks("a1", &dialog("video")).await;
    agent.asks("a2", &dialog("choice")).await;
    assert_eq!(
        agent.is_answered().await,
        (
            "a2".to_owned(),
            json!({"behavior": "completed", "result": {"n": 1}})
        )
    );
    let left = wait_for(&mut client, |event| match event {
        Event::Notice(Notice::NotSupported { request_id, .. }) => Some(request_id.clone()),
        _ => None,
    })
    .await;
    assert_eq!(&*left, "a1");
    agent
        .asks(
            "a3",
            &json!({"subtype": "request_user_dialog", "dialog_kind": "choice"}),
        )
        .await;
    assert_eq!(
        agent.is_answered().await.1,
        json!({"behavior": "cancelled"})
    );
}

/// Returns options with a callback that ignores cancellation, and a sender that ends all
/// its calls.
fn with_uncancellable_callback() -> (tokio::sync::watch::Sender<bool>, Options) {
    let (end, ended) = tokio::sync::watch::channel(false);
    let options = Options::new().on_permission(move |_: PermissionRequest| {
        let mut ended = ended.clone();
        async move {
            ended.wait_for(|ended| *ended).await.unwrap();
            PermissionResult::allow()
        }
    });
    (end, options)
}

fn is_too_many(event: &Event) -> Option<u32> {
    match event {
        Event::Notice(Notice::Wire(host::WireNotice::TooManyRequests { suppressed, .. })) => {
            Some(*suppressed)
        }
        _ => None,
    }
}

#[tokio::test]
async fn callbacks_of_cancelled_requests_continue_up_to_a_limit() {
    let (end, options) = with_uncancellable_callback();
    let (mut client, mut agent) = connect(options).await;
    for number in 0..1024 {
        let id = format!("ask {number}");
        agent.asks(&id, &tool("Bash")).await;
        agent.cancels(&id).await;
    }
    for number in 0..100 {
        agent.asks(&format!("more {number}"), &tool("Bash")).await;
        let (id, answer) = agent.is_answered().await;
        assert_eq!(
            (id, &answer["behavior"]),
            (format!("more {number}"), &json!("deny"))
        );
    }
    assert_eq!(wait_for(&mut client, is_too_many).await, 0);
    // When the calls end, further requests are accepted.
    end.send(true).unwrap();
    for number in 0.. {
        agent.asks(&format!("again {number}"), &tool("Bash")).await;
        let (_, answer) = agent.is_answered().await;
        if answer["behavior"] == "allow" {
            break;
        }
    }
}

#[tokio::test]
async fn requests_of_running_callbacks_are_limited_in_bytes() {
    let (_end, options) = with_uncancellable_callback();
    let (mut client, mut agent) = connect(options).await;
    let long = json!({"subtype": "can_use_tool", "tool_name": "Write", "input": {"content": "x".repeat(20 << 20)}});
    for number in 0..3 {
        let id = format!("ask {number}");
        agent.asks(&id, &long).await;
        agent.cancels(&id).await;
    }
    agent.asks("one more", &long).await;
    let (id, answer) = agent.is_answered().await;
    assert_eq!((&*id, &answer["behavior"]), ("one more", &json!("deny")));
    wait_for(&mut client, is_too_many).await;
    // A short request still fits.
    agent.asks("short", &tool("Bash")).await;
    agent.cancels("short").await;
}
