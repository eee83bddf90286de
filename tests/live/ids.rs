//! Tests of IDs of sessions and messages of the real CLI: a session with a new ID, and
//! two messages with the same ID.

use crate::support::{Live, until_idle, wait_for};
use agentwire::Error;
use agentwire::{Activity, Client, Event, SessionUpdate, SubmissionState, UserMessage};
use agentwire_testkit::{Scenario, Step};
use serde_json::Value;

/// Reads until the session is idle. Returns the session updates, and the session IDs of
/// the frames.
async fn read_turn(client: &mut Client) -> (Vec<SessionUpdate>, Vec<String>) {
    let (mut news, mut ids) = (vec![], vec![]);
    wait_for(client, |event| {
        match event {
            Event::Session(it) => news.push(it.clone()),
            Event::Frame(frame) => {
                let members: Value = frame.read().unwrap();
                ids.extend(members["session_id"].as_str().map(str::to_owned));
                ids.dedup();
            }
            _ => {}
        }
        matches!(event, Event::Activity(Activity::Idle)).then_some(())
    })
    .await;
    (news, ids)
}

#[tokio::test]
async fn a_cleared_session_continues_with_another_id() {
    let scenario = Scenario::default()
        .reply([Step::text("Hello.")])
        .reply([Step::text("Who are you?")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    client.send("Hello?");
    let (news, ids) = read_turn(&mut client).await;
    let [SessionUpdate::Began(init)] = &news[..] else {
        panic!("{news:?}");
    };
    let old = init.session_id.clone().unwrap();
    assert_eq!(ids, [old.as_str()]);

    let mut clear = client.send("/clear");
    let (news, ids) = read_turn(&mut client).await;
    let [
        SessionUpdate::Renumbered { session_id, before },
        SessionUpdate::Changed(init),
    ] = &news[..]
    else {
        panic!("{news:?}");
    };
    assert_eq!(before, &old);
    assert_eq!(init.session_id.as_ref(), Some(session_id));
    assert_eq!(ids, [old, session_id.clone()]);
    let end = clear.turn_ended().await.unwrap();
    assert_eq!(end.result().unwrap().num_turns, Some(0));

    let mut submission = client.send("Hello?");
    let (news, ids) = read_turn(&mut client).await;
    assert_eq!((news, ids), (vec![], vec![session_id.clone()]));
    let end = submission.turn_ended().await.unwrap();
    let result = end.result().unwrap();
    assert_eq!(result.result.as_deref(), Some("Who are you?"));
    client.close().await;
}

#[tokio::test]
async fn a_message_with_a_known_id_ends_without_a_turn() {
    let scenario = Scenario::default()
        .reply([Step::text("Once.")])
        .reply([Step::text("Twice.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let hello = UserMessage::text("Hello?").uuid("33333333-3333-4333-8333-333333333333");
    let mut first = client.send(hello.clone());
    let first = first.turn_ended().await.unwrap();
    let (_, ids) = read_turn(&mut client).await;
    let mut again = client.send(hello.clone());
    assert_eq!(again.final_state().await, SubmissionState::Completed);
    assert!(matches!(
        again.turn_ended().await,
        Err(Error::NoTurn { .. })
    ));
    until_idle(&mut client).await;
    let next = client.send("And?").turn_ended().await.unwrap();
    assert_eq!((first.turn, next.turn), (1, 2));
    client.close().await;

    // Another process that resumes the session has also received the message.
    let options = live.options().flag_value("--resume", &ids[0]);
    let mut client = Client::connect(options).await.unwrap();
    let mut again = client.send(hello);
    assert_eq!(again.final_state().await, SubmissionState::Completed);
    assert!(matches!(
        again.turn_ended().await,
        Err(Error::NoTurn { .. })
    ));
    until_idle(&mut client).await;
    let requests = live.model.requests();
    let replies = requests.iter().filter(|request| request.reply().is_some());
    assert_eq!(replies.count(), 2);
    client.close().await;
}
