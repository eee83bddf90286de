//! Tests of slow consumers and of several consumers. No event is lost, the buffers are
//! bounded, and a program never blocks itself.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::event::{StreamKind, Unread};
use agentwire::options::Backpressure;
use agentwire::{
    Activity, Client, EndReason, Error, Event, Handle, Notice, Options, PermissionResult,
    Subscription, query,
};
use agentwire_testing::TempDir;
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::ops::Range;
use std::time::Duration;
use support::{ended, fake, kill, patient, peer::connect, wait_for};
use tokio::io::AsyncWriteExt;

const MIB: usize = 1024 * 1024;

/// Returns a fault that writes numbered, unknown messages of about 200 bytes.
fn flood(numbers: Range<usize>) -> Fault {
    let padding = "x".repeat(160);
    let line = |n| format!("{}\n", json!({"type": "drop", "n": n, "padding": padding}));
    Fault::Stdout(numbers.map(line).collect())
}

/// Returns the number of a message of a [`flood`].
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

/// Returns options for a session with the fake agent, whose script is too long for a
/// variable.
fn fake_from(folder: &TempDir, scenario: &Scenario) -> Options {
    let path = folder.path().join("scenario.json");
    std::fs::write(&path, scenario.to_json()).unwrap();
    fake(&Scenario::default())
        .env(fake_agent::SCRIPT, path)
        .partial_messages(false)
        .unread_limit(MIB)
}

/// Returns a turn of ten thousand messages. After every hundred messages, the agent
/// handles its input.
fn turn_of_ten_thousand_messages() -> Scenario {
    let floods = (0..100).map(|part| flood(part * 100..(part + 1) * 100));
    let mut steps: Vec<Step> = floods
        .flat_map(|flood| [Step::Fault(flood), Step::WaitMs(1)])
        .collect();
    steps.push(Step::text("Done."));
    Scenario::default().reply(steps)
}

/// Waits until reading is paused.
async fn until_paused(handle: &Handle) -> Unread {
    loop {
        let unread = handle.unread().await.unwrap();
        if unread.paused.is_some() {
            return unread;
        }
        tokio::task::yield_now().await;
    }
}

/// Returns the events until the session ends.
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

/// Returns a session whose program has read only one event, so that reading has paused.
async fn paused(folder: &TempDir, scenario: &Scenario) -> Client {
    let mut client = Client::connect(fake_from(folder, scenario)).await.unwrap();
    client.next().now_or_pending().await;
    client.send("Go").await.unwrap();
    until_paused(&client).await;
    client
}

/// Polls a future once and drops it.
trait NowOrPending: Future + Sized {
    async fn now_or_pending(self) -> Option<Self::Output> {
        tokio::time::timeout(Duration::ZERO, self).await.ok()
    }
}

impl<F: Future> NowOrPending for F {}

/// Returns the numbers of the remaining messages of a flood, up to the result.
async fn numbers_to_result(client: &mut Client) -> Vec<u64> {
    let mut numbers = Vec::new();
    loop {
        let event = client.next().await.unwrap().unwrap();
        assert!(!is_lagged(&event), "{event:?}");
        numbers.extend(number(&event));
        if is_result(&event).is_some() {
            return numbers;
        }
    }
}

fn is_lagged(event: &Event) -> bool {
    matches!(event, Event::Notice(Notice::Lagged { .. }))
}

fn all() -> impl Iterator<Item = u64> {
    0..10_000
}

#[tokio::test]
async fn with_dropped_events_requests_are_answered_and_the_end_is_kept() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options =
        fake_from(&folder, &turn_of_ten_thousand_messages()).backpressure(Backpressure::DropOldest);
    let mut client = Client::connect(options).await.unwrap();
    let mut watch = client.subscribe();
    client.send("Go").await.unwrap();
    let handle = client.handle();
    let requests = async {
        for _ in 0..100 {
            handle.set_model("other").await.unwrap();
        }
    };
    let result = async { while is_result(&watch.next().await.unwrap().unwrap()).is_none() {} };
    tokio::join!(requests, result);
    client.set_model("last").await.unwrap();
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
    // The remaining numbers have no gap up to the end.
    let first = numbers[0];
    assert!(numbers.iter().copied().eq(first..10_000), "from {first}");
    let bytes = events.iter().map(|event| match event {
        Event::Frame(frame) => frame.raw().len(),
        _ => 0,
    });
    assert!(bytes.sum::<usize>() < MIB);
}

#[tokio::test]
async fn a_program_that_never_reads_its_client_stops_nothing_and_loses_nothing_below_the_hard_limit()
 {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = fake_from(&folder, &turn_of_ten_thousand_messages());
    let mut client = Client::connect(options).await.unwrap();
    client.send("Go").await.unwrap();
    // No operation needs input, but all of it is read.
    let unread = loop {
        let unread = client.unread().await.unwrap();
        assert_eq!(unread.paused, None);
        if unread.streams.iter().any(|stream| stream.events > 10_000) {
            break unread;
        }
        tokio::task::yield_now().await;
    };
    let own = &unread.streams[0];
    assert_eq!((&own.stream, own.in_use), (&StreamKind::Client, false));
    assert!(own.bytes > 4 * MIB, "{own:?}");
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
}

#[tokio::test]
async fn a_slow_program_loses_nothing() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut client = paused(&folder, &turn_of_ten_thousand_messages()).await;
    let mut numbers = Vec::new();
    // Reading continues at half of the limit, and pauses again.
    for _ in 0..3 {
        let unread = until_paused(&client).await;
        let own = &unread.streams[0];
        // The program may have read a part after the buffer was full.
        assert!(own.in_use && own.bytes > MIB / 2, "{own:?}");
        while numbers.len() < 2_500 && client.unread().await.unwrap().paused.is_some() {
            let event = client.next().await.unwrap().unwrap();
            numbers.extend(number(&event));
        }
        let left = client.unread().await.unwrap().streams;
        assert!(left.is_empty() || left[0].bytes < 2 * MIB, "{left:?}");
    }
    numbers.extend(numbers_to_result(&mut client).await);
    assert!(numbers.into_iter().eq(all()));
}

#[tokio::test]
async fn a_response_arrives_while_events_are_unread() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut client = paused(&folder, &turn_of_ten_thousand_messages()).await;
    for _ in 0..10 {
        client.set_model("other").await.unwrap();
    }
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
}

#[tokio::test]
async fn a_request_that_was_never_polled_is_answered_too() {
    let folder = agentwire_testing::tempdir().unwrap();
    let client = paused(&folder, &turn_of_ten_thousand_messages()).await;
    let before = until_paused(&client).await.streams[0].bytes;
    let request = client.set_model("other");
    while until_paused(&client).await.streams[0].bytes == before {}
    request.now_or_pending().await.unwrap().unwrap();
}

#[tokio::test]
async fn message_states_are_reported_although_no_event_is_read() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut client = paused(&folder, &turn_of_ten_thousand_messages()).await;
    let mut submission = client.send("One more");
    assert!(submission.final_state().await.is_end());
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
}

#[tokio::test]
async fn the_end_of_a_turn_is_reported_although_no_event_is_read() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = fake_from(&folder, &turn_of_ten_thousand_messages());
    let mut client = Client::connect(options).await.unwrap();
    client.next().now_or_pending().await;
    let mut submission = client.send("Go");
    let turn = submission.turn();
    until_paused(&client).await;
    turn.turn_ended().await.unwrap();
    submission.turn_ended().await.unwrap();
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
}

#[tokio::test]
async fn one_stream_that_is_read_is_not_held_up_by_another() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut client = paused(&folder, &turn_of_ten_thousand_messages()).await;
    let mut log = client.subscribe();
    while is_result(&log.next().await.unwrap().unwrap()).is_none() {}
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
}

#[tokio::test]
async fn a_session_with_callbacks_is_read_up_to_the_hard_limit() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = fake_from(&folder, &turn_of_ten_thousand_messages())
        .unread_hard_limit(3 * MIB)
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();
    client.next().now_or_pending().await;
    client.send("Go").await.unwrap();
    let unread = until_paused(&client).await;
    let own = &unread.streams[0];
    assert!(own.bytes >= 3 * MIB, "{own:?}");
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
}

#[tokio::test]
async fn at_the_hard_limit_the_oldest_events_are_dropped_while_a_response_is_pending() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = fake_from(&folder, &turn_of_ten_thousand_messages()).unread_hard_limit(2 * MIB);
    let mut client = Client::connect(options).await.unwrap();
    client.next().now_or_pending().await;
    let mut submission = client.send("Go");
    submission.turn_ended().await.unwrap();
    let unread = client.unread().await.unwrap();
    assert!(unread.streams[0].bytes <= 2 * MIB, "{unread:?}");
    client.close().await;
    let (events, error) = to_end(&mut client).await;
    assert!(error.is_none(), "{error:?}");
    // Earlier output was delivered first.
    assert!(is_lagged(&events[0]), "{:?}", events[0]);
    let numbers: Vec<u64> = events.iter().filter_map(number).collect();
    assert!(numbers.iter().copied().eq(numbers[0]..10_000));
    assert!(numbers[0] > 1_000);
}

#[tokio::test]
async fn closing_reads_on_and_loses_nothing_below_the_hard_limit() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut client = paused(&folder, &turn_of_ten_thousand_messages()).await;
    client.close().await;
    let (events, error) = to_end(&mut client).await;
    assert!(error.is_none(), "{error:?}");
    assert!(events.iter().filter_map(number).eq(all()));
    assert_eq!(events.iter().filter_map(is_result).count(), 1);
}

#[tokio::test]
async fn closing_without_a_limit_reads_on_too() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = fake_from(&folder, &turn_of_ten_thousand_messages())
        .close_policy(patient().finish(Duration::MAX));
    let mut client = Client::connect(options).await.unwrap();
    client.next().now_or_pending().await;
    client.send("Go").await.unwrap();
    until_paused(&client).await;
    client.close().await;
    let (events, error) = to_end(&mut client).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events.iter().filter_map(is_result).count(), 1);
}

#[tokio::test]
async fn output_before_a_crash_is_delivered_although_reading_was_paused() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut client = paused(&folder, &turn_of_ten_thousand_messages()).await;
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
    let folder = agentwire_testing::tempdir().unwrap();
    let scenario = Scenario::default().reply([Step::Fault(flood(0..10_000)), Step::text("Done.")]);
    let mut answer = query("Go", fake_from(&folder, &scenario)).await.unwrap();
    let first = answer.next().await.unwrap().unwrap();
    until_paused(&answer.handle()).await;
    let mut numbers: Vec<u64> = number(&first).into_iter().collect();
    while let Some(event) = answer.next().await {
        numbers.extend(number(&event.unwrap()));
    }
    assert!(numbers.into_iter().eq(all()));
}

#[tokio::test]
async fn output_before_the_first_response_never_pauses_reading() {
    let folder = agentwire_testing::tempdir().unwrap();
    let scenario = turn_of_ten_thousand_messages().at_startup(flood(0..10_000));
    let mut client = Client::connect(fake_from(&folder, &scenario))
        .await
        .unwrap();
    wait_for(&mut client, |event| (number(event)? == 9_999).then_some(())).await;
}

/// Returns the kinds of the events of a subscription until the session is idle.
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
    // A dropped subscription has no effect.
    drop(client.subscribe());
    client.send("Go").await.unwrap();
    let two = turn(&mut first).await;
    assert_eq!(turn(&mut late).await, two);
    assert_eq!(turn(&mut slow).await, one);
    assert_eq!(turn(&mut slow).await, two);
    // The client's own stream has all events.
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
async fn a_subscription_that_is_not_read_lags_alone_beyond_the_hard_limit() {
    let folder = agentwire_testing::tempdir().unwrap();
    let scenario = Scenario::default().reply([Step::Fault(flood(0..10_000)), Step::text("Done.")]);
    let options = fake_from(&folder, &scenario).unread_hard_limit(2 * MIB);
    let mut client = Client::connect(options).await.unwrap();
    let mut log = client.subscribe();
    client.send("Go").await.unwrap();
    assert!(numbers_to_result(&mut client).await.into_iter().eq(all()));
    let first = log.next().await.unwrap().unwrap();
    assert!(is_lagged(&first), "{first:?}");
    let second = log.next().await.unwrap().unwrap();
    assert!(number(&second).unwrap() > 1_000, "{second:?}");
}

#[tokio::test]
async fn texts_are_whole_without_partial_messages_and_in_pieces_with_them() {
    for partial in [false, true] {
        let reply = || [Step::text("One. "), Step::text("Two. ")];
        let scenario = Scenario::default()
            .reply(reply())
            .reply([Step::text("Three. ")]);
        let options = fake(&scenario).partial_messages(partial);
        let client = Client::connect(options).await.unwrap();
        let mut texts = client.texts();
        let mut said = String::new();
        for until in ["One. Two. ", "One. Two. Three. "] {
            let mut turn = client.send("Go");
            while said.len() < until.len() {
                said += &texts.next().await.unwrap().unwrap();
            }
            assert_eq!(said, until);
            turn.turn_ended().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_consumer_of_many_events_lets_other_tasks_run() {
    let (mut client, mut agent) = support::peer::connect(Options::new()).await;
    let lines = "{\"type\":\"keep_alive\"}\n".repeat(1_000);
    agent.says(lines.trim_end()).await;
    agent.says(r#"{"type":"last"}"#).await;
    // Wait until all events can be read at once.
    while client
        .unread()
        .await
        .unwrap()
        .streams
        .iter()
        .map(|it| it.events)
        .sum::<usize>()
        < 1_000
    {
        tokio::task::yield_now().await;
    }
    let turns = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = std::sync::Arc::clone(&turns);
    let other = tokio::spawn(async move {
        loop {
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event.unwrap()
            && frame.kind() == "last"
        {
            break;
        }
    }
    let turns = turns.load(std::sync::atomic::Ordering::Relaxed);
    assert!(turns >= 5, "{turns}");
    other.abort();
    drop(agent);
    client.abort().await;
}

/// The last output of the agent must be delivered.
#[tokio::test(start_paused = true)]
async fn an_agent_that_has_closed_its_input_is_read_to_its_end() {
    let (mut client, mut agent) = connect(Options::new().unread_limit(MIB)).await;
    client.next().now_or_pending().await;
    let line = json!({"type": "drop", "padding": "x".repeat(2 * MIB)}).to_string();
    agent.says(&line).await;
    until_paused(&client).await;
    drop(agent.input);
    // Writing this message fails.
    let _submission = client.send("Go");
    let last = agent.output.write_all(line.as_bytes());
    let written = tokio::time::timeout(Duration::from_secs(1), last).await;
    assert!(written.is_ok(), "the output is not read");
}
