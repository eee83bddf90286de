//! Tests of failures that used to be silent: each reports the cause and the remedy.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::event::{CallbackFailure, RequestSummary};
use agentwire::{Client, EndReason, Event, Notice, Options, PermissionResult, query};
use agentwire_testkit::{Fault, Scenario, Step};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use support::peer::connect;
use support::{ended, fake, hasty, script, wait_for};

/// Returns the next request whose callback is missing or failed, with the failure and the
/// text of the notice.
async fn failure(client: &mut Client) -> (RequestSummary, CallbackFailure, String) {
    wait_for(client, |event| match event {
        Event::Notice(
            notice @ Notice::CallbackFailed {
                request, failure, ..
            },
        ) => Some((request.clone(), failure.clone(), notice.to_string())),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn operations_of_a_dropped_client_fail_with_the_reason() {
    let scenario = Scenario::default().reply([Step::Fault(Fault::Hang)]);
    let options = fake(&scenario).close_policy(hasty());
    let client = Client::connect(options).await.unwrap();
    let (mut texts, mut log) = (client.texts(), client.subscribe());
    let mut first = client.send("Go");
    let mut turn = first.turn();
    // The second message waits behind the first one.
    let mut second = client.send("And then?");
    let mut next_turn = second.turn();
    wait_until_it_runs(&mut log).await;
    drop(client);

    let mut errors = vec![
        texts.next().await.unwrap().unwrap_err(),
        first.turn_ended().await.unwrap_err(),
        second.turn_ended().await.unwrap_err(),
    ];
    for stream in [&mut turn, &mut next_turn] {
        let error = loop {
            match stream.next().await.unwrap() {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        errors.push(error);
        assert!(stream.next().await.is_none());
    }
    for error in errors {
        assert_eq!(
            error.to_string(),
            "the session is closed, because its `Client` was dropped"
        );
        assert_eq!(ended(error).reason, EndReason::Dropped);
    }
}

async fn wait_until_it_runs(log: &mut agentwire::Subscription) {
    while !matches!(
        log.next().await.unwrap().unwrap(),
        Event::Turn(agentwire::TurnEvent::PickedUp { .. })
    ) {}
}

#[tokio::test]
async fn a_denial_because_of_a_missing_callback_is_reported() {
    let (mut client, mut agent) = connect(Options::new()).await;
    let tool = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}});
    agent.asks("a1", &tool).await;
    let (_, answer) = agent.is_answered().await;
    assert_eq!(answer["behavior"], "deny");
    let (request, why, text) = failure(&mut client).await;
    let tool_name = "Bash".to_owned();
    assert_eq!(request, RequestSummary::Permission { tool_name });
    assert_eq!(why, CallbackFailure::NoCallback);
    assert_eq!(
        text,
        "`Bash` was denied: no callback is set; set `Options::on_permission`"
    );

    let elicitation =
        json!({"subtype": "elicitation", "mcp_server_name": "wiki", "message": "Who are you?"});
    agent.asks("a2", &elicitation).await;
    let (_, answer) = agent.is_answered().await;
    assert_eq!(answer["action"], "decline");
    let (_, _, text) = failure(&mut client).await;
    assert!(text.ends_with("set `Options::on_elicitation`"), "{text}");
}

#[tokio::test]
async fn answers_to_a_question_without_its_questions_are_refused() {
    let options = Options::new().on_permission(|ask| async move {
        let input = match &*ask.request_id {
            "without" => json!({"answers": {"Which?": "This."}}),
            "odd" => json!({"questions": "Which?", "answers": {}}),
            _ => json!({"questions": [{"question": "Which?"}], "answers": {}}),
        };
        PermissionResult::allow_with(input)
    });
    let (mut client, mut agent) = connect(options).await;
    let input = json!({"questions": [{"question": "Which?"}]});
    let question =
        json!({"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": input});
    for id in ["without", "odd"] {
        agent.asks(id, &question).await;
        let (_, answer) = agent.is_answered().await;
        assert_eq!(answer["behavior"], "deny", "{answer}");
        let (_, why, text) = failure(&mut client).await;
        assert!(matches!(why, CallbackFailure::Invalid(_)), "{why:?}");
        assert!(text.contains("lacks `questions`"), "{text}");
    }
    agent.asks("whole", &question).await;
    assert_eq!(agent.is_answered().await.1["behavior"], "allow");
    // The answers for other tools need no questions.
    let tool = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}});
    agent.asks("without", &tool).await;
    assert_eq!(agent.is_answered().await.1["behavior"], "allow");
}

#[tokio::test]
async fn a_cli_that_exits_before_its_first_turn_failed_to_start() {
    let folder = agentwire_testing::tempdir().unwrap();
    let refuses = script(&folder, "echo 'No conversation found' >&2; exit 1");
    let error = Client::connect(Options::new().cli(&refuses))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent CLI exited before its first turn (exit status: 1); its \
         standard error ends with:\nNo conversation found"
    );
    assert_eq!(ended(error).reason, EndReason::ExitedBeforeFirstTurn);

    // The CLI exits without output. The error names possible causes.
    let folder = agentwire_testing::tempdir().unwrap();
    let silent = Options::new().cli(script(&folder, "exit 1"));
    let options = silent.clone().env("NODE_OPTIONS", "--inspect");
    let error = Client::connect(options).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("environment has NODE_OPTIONS"), "{text}");
    let error = Client::connect(silent.clean_env()).await.unwrap_err();
    assert!(ended(error).suspects.is_empty());

    // The CLI refuses its options after its first response.
    let accepts = support::answering(&folder, "{}", "echo 'bad schema' >&2; exit 1");
    let error = match query("Go", accepts).await {
        Ok(answer) => answer.result().await.unwrap_err(),
        Err(error) => error,
    };
    assert!(
        error.to_string().contains("before its first turn"),
        "{error}"
    );
}

/// While the callback blocks the only thread, the session pauses. No event is lost.
#[tokio::test]
async fn a_callback_that_blocks_the_only_thread_loses_no_events() {
    let (entered, is_entered) = channel();
    let (go, wait) = channel();
    let wait = Mutex::new(wait);
    let other = std::thread::spawn(move || {
        is_entered.recv().unwrap();
        go.send(()).unwrap();
    });
    let options = Options::new().on_permission(move |ask| {
        if &*ask.request_id == "blocks" {
            // The callback blocks the thread of the runtime, like a prompt on a terminal.
            entered.send(()).unwrap();
            wait.lock().unwrap().recv().unwrap();
        }
        async { PermissionResult::allow() }
    });
    let (mut client, mut agent) = connect(options).await;
    let tool = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}});
    agent.asks("blocks", &tool).await;
    for number in 0..100 {
        let news = json!({"type": "news", "n": number});
        agent.says(&news.to_string()).await;
    }
    agent.asks("after", &tool).await;
    let mut answered = vec![agent.is_answered().await.0, agent.is_answered().await.0];
    answered.sort();
    assert_eq!(answered, ["after", "blocks"]);
    other.join().unwrap();
    for number in 0..100_u64 {
        let n = wait_for(&mut client, |event| match event {
            Event::Frame(frame) if frame.kind() == "news" => {
                frame.read::<Value>().unwrap()["n"].as_u64()
            }
            _ => None,
        })
        .await;
        assert_eq!(n, number);
    }
}
