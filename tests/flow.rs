//! A program that does not read, or reads at several places: what it gets, how
//! much waits for it, and that nothing stands still for its sake that it did
//! not want to.

#![allow(clippy::unwrap_used)]

mod support;

use agentwire::protocol::host;
use agentwire::{
    Activity, Client, EndReason, Error, Event, Handle, Notice, Options, StopPolicy, Subscription,
    WhenUnread, query,
};
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::ops::Range;
use support::{answering, ended, fake, kill, patient, wait_for};
use tempfile::TempDir;

const MIB: usize = 1024 * 1024;

/// Lines of messages that nobody knows, numbered, of some 200 bytes.
fn flood(numbers: Range<usize>) -> Fault {
    let padding = "x".repeat(160);
    let line = |n| format!("{}\n", json!({"type": "drop", "n": n, "padding": padding}));
    Fault::Stdout(numbers.map(line).collect())
}

/// The number of a message of a flood.
fn number(event: &Event) -> Option<u64> {
    match event {
        Event::Frame(frame) if frame.kind() == "drop" => {
            frame.read::<Value>().unwrap()["n"].as_u64()
        }
        _ => None,
    }
}

fn is_result(event: &Event) -> Option<()> {
    matches!(event, Event::Frame(frame) if frame.kind() == "result").then_some(())
}

/// Options for a session with the fake agent, whose script is too long for a
/// variable.
fn fake_from(folder: &TempDir, scenario: &Scenario) -> Options {
    let path = folder.path().join("scenario.json");
    std::fs::write(&path, scenario.to_json()).unwrap();
    fake(&Scenario::default())
        .env(fake_agent::SCRIPT, path)
        .partial_messages(false)
        .unread_limit(MIB)
}

/// A turn of ten thousand messages; after every hundred of them the agent
/// looks at what it was asked.
fn ten_thousand() -> Scenario {
    let floods = (0..100).map(|part| flood(part * 100..(part + 1) * 100));
    let mut steps: Vec<Step> = floods
        .flat_map(|flood| [Step::Fault(flood), Step::WaitMs(1)])
        .collect();
    steps.push(Step::text("Done."));
    Scenario::default().reply(steps)
}

fn is_not_read<T>(outcome: &Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::NotRead))
}

/// Makes requests, one after the other, until one fails because nobody reads.
/// Says how many were answered before.
async fn until_not_read(handle: Handle) -> usize {
    for answered in 0..10_000 {
        let outcome = handle.set_model(Some("other")).await;
        if is_not_read(&outcome) {
            return answered;
        }
        outcome.unwrap();
    }
    panic!("the reader never stopped");
}

/// What comes until the session ends.
async fn to_end(client: &mut Client) -> (Vec<Event>, Option<Error>) {
    let mut events = Vec::new();
    while let Some(event) = client.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

/// A session in which so much is unread that reading has stopped.
async fn stopped(folder: &TempDir, scenario: &Scenario) -> Client {
    let options = fake_from(folder, scenario).when_unread(WhenUnread::StopReading);
    let client = Client::connect(options).await.unwrap();
    client.send("Go").await.unwrap();
    until_not_read(client.handle()).await;
    client
}

#[tokio::test]
async fn with_ten_thousand_messages_unread_requests_are_answered_and_what_is_left_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let options = fake_from(&folder, &ten_thousand());
    let mut client = Client::connect(options).await.unwrap();
    let mut watch = client.subscribe();
    client.send("Go").await.unwrap();
    let handle = client.handle();
    let requests = async {
        for _ in 0..100 {
            handle.set_model(Some("other")).await.unwrap();
        }
    };
    let result = async { while is_result(&watch.next().await.unwrap().unwrap()).is_none() {} };
    tokio::join!(requests, result);
    client.set_model(Some("last")).await.unwrap();
    client.close().await;

    let (events, error) = to_end(&mut client).await;
    assert!(error.is_none(), "{error:?}");
    let Event::Notice(Notice::Lagged {
        events: lost,
        bytes,
    }) = &events[0]
    else {
        panic!("{:?}", events[0])
    };
    assert!(lost + events.len() > 10_000, "{lost} and {}", events.len());
    assert!(*bytes > 100 * lost, "{bytes} bytes");
    let numbers: Vec<u64> = events.iter().filter_map(number).collect();
    // What is left is the end of it, without a gap.
    let first = numbers[0];
    assert!(numbers.iter().copied().eq(first..10_000), "from {first}");
    let bytes = events.iter().map(|event| match event {
        Event::Frame(frame) => frame.raw().len(),
        _ => 0,
    });
    assert!(bytes.sum::<usize>() < MIB);
}

#[tokio::test]
async fn a_reader_that_stops_loses_nothing_and_requests_fail_at_once_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = stopped(&folder, &ten_thousand()).await;
    for _ in 0..1_000 {
        assert!(is_not_read(&client.interrupt().await));
    }
    // It is not the agent that does not react.
    assert!(is_not_read(&client.stop(StopPolicy::default()).await));
    // What needs no answer goes out, and what needs no agent is done.
    client.send("One more").await.unwrap();
    client.unwritten().await.unwrap();

    // Whenever there is room again, requests go out. Whether one is answered in
    // time is a race with the flood; that it fails at once otherwise is not.
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let until = numbers.len() + 2_000;
        while numbers.len() < until {
            numbers.extend(number(&client.next().await.unwrap().unwrap()));
        }
        until_not_read(client.handle()).await;
    }
    let mut results = 0;
    // The script has no second reply, so the second result is an error.
    while results < 2 {
        let event = client.next().await.unwrap().unwrap();
        assert!(!matches!(event, Event::Notice(Notice::Lagged { .. })));
        numbers.extend(number(&event));
        results += usize::from(is_result(&event).is_some());
    }
    assert!(numbers.into_iter().eq(0..10_000));
    client.set_model(Some("again")).await.unwrap();
}

#[tokio::test]
async fn a_request_that_had_left_when_reading_stopped_is_answered_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    // The flood follows the request, and is more than is read at once.
    let then = r#"read -r line
id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
yes '{"type":"drop"}' | head -n 20000
echo '{"type":"control_response","response":{"subtype":"success","request_id":"'$id'"}}'
read -r line
subtype=$(printf %s "$line" | sed 's/.*"subtype":"\([^"]*\)".*/\1/')
echo '{"type":"heard","subtype":"'$subtype'"}'
read -r line"#;
    let options = answering(&folder, "{}", then)
        .unread_limit(100_000)
        .when_unread(WhenUnread::StopReading);
    let mut client = Client::connect(options).await.unwrap();
    assert!(is_not_read(&client.set_model(None).await));
    let stray = |event: &Event| match event {
        Event::Notice(Notice::Wire(host::Notice::StrayAnswer { .. })) => Some(()),
        _ => None,
    };
    wait_for(&mut client, stray).await;
    // Nothing was said to the agent of the request that nobody waits for.
    drop(client.request_raw("next", json!({})));
    let heard = wait_for(&mut client, |event| match event {
        Event::Frame(frame) if frame.kind() == "heard" => frame.subtype().map(str::to_owned),
        _ => None,
    })
    .await;
    assert_eq!(heard, "next");
}

#[tokio::test]
async fn closing_goes_on_reading_and_throws_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = stopped(&folder, &ten_thousand()).await;
    client.close().await;
    let (events, error) = to_end(&mut client).await;
    assert!(error.is_none(), "{error:?}");
    assert!(matches!(events[0], Event::Notice(Notice::Lagged { .. })));
    let last = events.iter().filter_map(number).next_back();
    assert_eq!(last, Some(9_999));
}

#[tokio::test]
async fn closing_without_a_limit_goes_on_reading_too() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = ten_thousand();
    let options = fake_from(&folder, &scenario)
        .when_unread(WhenUnread::StopReading)
        .close_policy(patient().finish(std::time::Duration::MAX));
    let mut client = Client::connect(options).await.unwrap();
    client.send("Go").await.unwrap();
    until_not_read(client.handle()).await;
    client.close().await;
    let (events, error) = to_end(&mut client).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events.iter().filter_map(is_result).count(), 1);
}

#[tokio::test]
async fn a_cli_that_dies_while_nobody_reads_leaves_what_it_had_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = stopped(&folder, &ten_thousand()).await;
    let mut log = client.subscribe();
    kill(client.pid().unwrap());
    let (events, error) = to_end(&mut client).await;
    assert_eq!(ended(error.unwrap()).reason, EndReason::Exited);
    let numbers: Vec<u64> = events.iter().filter_map(number).collect();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64));
    assert!(numbers.len() > 1_000, "{}", numbers.len());
    let mut last = None;
    while let Some(event) = log.next().await {
        last = Some(event);
    }
    assert_eq!(ended(last.unwrap().unwrap_err()).reason, EndReason::Exited);
}

#[tokio::test]
async fn a_query_can_be_read_as_slowly_as_one_likes() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Scenario::default().reply([Step::Fault(flood(0..10_000)), Step::text("Done.")]);
    let options = fake_from(&folder, &scenario).when_unread(WhenUnread::StopReading);
    let mut answer = query("Go", options).await.unwrap();
    until_not_read(answer.handle()).await;
    let mut numbers = Vec::new();
    while let Some(event) = answer.next().await {
        numbers.extend(number(&event.unwrap()));
    }
    assert!(numbers.into_iter().eq(0..10_000));
}

#[tokio::test]
async fn what_comes_before_the_first_answer_never_stops_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = ten_thousand().at_startup(flood(0..10_000));
    let options = fake_from(&folder, &scenario).when_unread(WhenUnread::StopReading);
    let mut client = Client::connect(options).await.unwrap();
    wait_for(&mut client, |event| (number(event)? == 9_999).then_some(())).await;
}

/// What a subscription delivers until the session rests, by kind.
async fn turn(log: &mut Subscription) -> Vec<String> {
    let mut kinds = Vec::new();
    loop {
        let event = log.next().await.unwrap().unwrap();
        if let Event::Frame(frame) = &event {
            kinds.push(frame.head().label());
        }
        if event == Event::Activity(Activity::Idle) {
            return kinds;
        }
    }
}

#[tokio::test]
async fn subscriptions_deliver_what_comes_from_then_on_each_at_its_own_pace() {
    let scenario = Scenario::default().reply([Step::text("Tick. ")]).repeated();
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    let (mut first, mut slow) = (client.subscribe(), client.handle().subscribe());
    client.send("Go").await.unwrap();
    let one = turn(&mut first).await;
    assert!(one.contains(&"stream_event".to_owned()), "{one:?}");
    let mut late = client.subscribe();
    // Whoever goes is not missed.
    drop(client.subscribe());
    client.send("Go").await.unwrap();
    let two = turn(&mut first).await;
    assert_eq!(turn(&mut late).await, two);
    assert_eq!(turn(&mut slow).await, one);
    assert_eq!(turn(&mut slow).await, two);
    // The client's own stream has it all.
    wait_for(&mut client, is_result).await;
    wait_for(&mut client, is_result).await;

    client.close().await;
    for mut log in [first, slow, late] {
        while let Some(event) = log.next().await {
            assert!(is_result(&event.unwrap()).is_none());
        }
        assert!(log.next().await.is_none());
    }
}

#[tokio::test]
async fn a_subscription_that_is_not_read_lags_alone() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Scenario::default().reply([Step::Fault(flood(0..10_000)), Step::text("Done.")]);
    // The client's own stream makes the reader wait; a subscription does not.
    let options = fake_from(&folder, &scenario).when_unread(WhenUnread::StopReading);
    let mut client = Client::connect(options).await.unwrap();
    let mut log = client.subscribe();
    client.send("Go").await.unwrap();
    let mut numbers = Vec::new();
    loop {
        let event = client.next().await.unwrap().unwrap();
        numbers.extend(number(&event));
        if is_result(&event).is_some() {
            break;
        }
    }
    assert!(numbers.into_iter().eq(0..10_000));
    let first = log.next().await.unwrap().unwrap();
    assert!(matches!(first, Event::Notice(Notice::Lagged { .. })));
    let second = log.next().await.unwrap().unwrap();
    assert!(number(&second).unwrap() > 1_000, "{second:?}");
}

#[tokio::test]
async fn whoever_subscribes_to_a_session_that_is_over_is_told_how_it_ended() {
    let scenario = Scenario::default().reply([Step::Fault(Fault::Exit(70))]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    client.send("Go").await.unwrap();
    let (_, error) = to_end(&mut client).await;
    let own = ended(error.unwrap());
    let mut log = client.subscribe();
    let end = ended(log.next().await.unwrap().unwrap_err());
    assert_eq!((end.reason, end.exit), (own.reason, own.exit));
    assert!(log.next().await.is_none());
    let mut texts = client.texts();
    let end = ended(texts.next().await.unwrap().unwrap_err());
    assert_eq!((end.reason, end.exit), (own.reason, own.exit));
    assert!(texts.next().await.is_none());
}

#[test]
fn subscriptions_end_when_their_runtime_is_shut_down() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let scenario = Scenario::default();
    let first = runtime();
    let (client, mut log) = first.block_on(async {
        let client = Client::connect(fake(&scenario)).await.unwrap();
        let log = client.subscribe();
        // The session knows of it.
        client.set_model(None).await.unwrap();
        (client, log)
    });
    // The session does not know of this one yet.
    let mut unknown = client.subscribe();
    drop(first);
    let mut after = client.subscribe();
    runtime().block_on(async {
        for log in [&mut log, &mut unknown, &mut after] {
            let error = loop {
                if let Err(error) = log.next().await.unwrap() {
                    break error;
                }
            };
            assert_eq!(ended(error).reason, EndReason::RuntimeGone);
            assert!(log.next().await.is_none());
        }
    });
}

/// A line of a text that is being written, by the main agent or a sub-agent.
fn piece(thread: Option<&str>, index: usize, text: &str) -> String {
    let event = json!({"type": "content_block_delta", "index": index,
        "delta": {"type": "text_delta", "text": text}});
    let line = json!({"type": "stream_event", "event": event, "parent_tool_use_id": thread});
    format!("{line}\n")
}

#[tokio::test]
async fn texts_are_what_the_main_agent_writes_and_nothing_else() {
    let scenario = Scenario::default().reply([
        Step::thinking("Hm. "),
        Step::text("One two "),
        Step::Fault(Fault::Stdout(piece(Some("t"), 0, "not mine"))),
        Step::text("three."),
    ]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    let mut texts = client.texts();
    client.send("Go").await.unwrap();
    client.close().await;
    let mut all = Vec::new();
    while let Some(text) = texts.next().await {
        all.push(text.unwrap());
    }
    assert_eq!(all, ["One ", "two ", "three."]);
}

#[tokio::test]
async fn texts_that_are_not_read_in_time_come_in_larger_pieces() {
    let words: String = (0..5_000).map(|n| format!("{n} ")).collect();
    let scenario = Scenario::default().reply([Step::text(&*words)]);
    let options = fake(&scenario).unread_limit(100_000);
    let mut client = Client::connect(options).await.unwrap();
    let mut texts = client.texts();
    client.send("Go").await.unwrap();
    client.close().await;
    let (mut all, mut pieces) = (String::new(), 0);
    while let Some(text) = texts.next().await {
        all += &text.unwrap();
        pieces += 1;
    }
    assert_eq!(all, words);
    assert!(pieces < 1_000, "{pieces}");
}

#[tokio::test]
async fn where_text_was_thrown_away_the_texts_say_so_and_go_on() {
    // No two of these belong to the same block.
    let lines: String = (0..1_000)
        .map(|n| piece(None, n, &format!("{n} ")))
        .collect();
    let scenario = Scenario::default().reply([Step::Fault(Fault::Stdout(lines))]);
    let folder = tempfile::tempdir().unwrap();
    let options = fake_from(&folder, &scenario).unread_limit(100_000);
    let mut client = Client::connect(options).await.unwrap();
    let mut texts = client.texts();
    client.send("Go").await.unwrap();
    client.close().await;
    let Some(Err(Error::Lagged { events, bytes })) = texts.next().await else {
        panic!()
    };
    assert!(bytes > 50 * events, "{events} with {bytes} bytes");
    let mut left = events;
    while let Some(text) = texts.next().await {
        assert_eq!(text.unwrap(), format!("{left} "));
        left += 1;
    }
    assert_eq!(left, 1_000);
}
