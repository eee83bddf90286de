//! Tests of accepted messages in the inbox of a claimed session.

#![allow(clippy::unwrap_used)]

#[path = "../../tests/support/mod.rs"]
mod support;

use agentwire::attachment::Attach;
use agentwire::protocol::Json;
use agentwire::protocol::host::Redelivery;
use agentwire::protocol::message::{Priority, UserMessage};
use agentwire::store::{MemoryStore, StoreError, TranscriptFailure, TranscriptKey};
use agentwire::{
    Client, EndReason, Error, Event, Notice, Options, SessionStore, SessionUpdate, SubmissionState,
    TurnEvent,
};
use agentwire_stores::session_log::LeaseClock;
use agentwire_stores::{Claim, ClaimRenewer, Claimed, LeasedStore, Leases};
use agentwire_testing::TempDir;
use agentwire_testkit::{Reply, Scenario, Step, When};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use support::{ended, fake, wait_for};
use tokio::sync::watch;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// A store in which each claim succeeds.
#[derive(Clone)]
struct Claimable {
    store: MemoryStore,
    inbox: Arc<Mutex<Vec<(TranscriptKey, Json)>>>,
    renewer: Arc<Mutex<Weak<ClaimRenewer>>>,
    /// Whether the inbox accepts entries, and the number of appends.
    is_open: Arc<watch::Sender<bool>>,
    asked: Arc<watch::Sender<usize>>,
}

impl Claimable {
    fn new() -> Self {
        Self {
            store: MemoryStore::new(),
            inbox: Arc::default(),
            renewer: Arc::default(),
            is_open: Arc::new(watch::channel(true).0),
            asked: Arc::new(watch::channel(0).0),
        }
    }

    /// Returns the types and UUIDs of the inbox's entries.
    fn inbox(&self, session: &str) -> Vec<(String, Vec<String>)> {
        let inbox = self.inbox.lock().unwrap();
        let entries = inbox.iter().filter(|(key, _)| key.session_id() == session);
        let entries = entries.map(|(_, it)| it.to_value().unwrap());
        entries
            .map(|it| {
                let uuids = serde_json::from_value(it["uuids"].clone()).unwrap();
                (it["type"].as_str().unwrap().to_owned(), uuids)
            })
            .collect()
    }

    /// Ends the claim, because another host owns the session.
    fn revoke(&self) {
        self.renewer.lock().unwrap().upgrade().unwrap().revoke();
    }
}

impl SessionStore for Claimable {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        self.store.append(key, entries).await
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.store.load(key).await
    }

    fn attachment(&self) -> Option<Arc<dyn Attach>> {
        let length = Duration::from_secs(3600);
        Some(Arc::new(Leases::new(self.clone(), length)))
    }
}

impl LeasedStore for Claimable {
    async fn claim(&self, _: &TranscriptKey) -> Result<Claimed, StoreError> {
        let clock = LeaseClock::default();
        let (renewer, claim) = Claim::new(clock, clock.now() + Duration::from_secs(3600));
        let renewer = Arc::new(renewer);
        *self.renewer.lock().unwrap() = Arc::downgrade(&renewer);
        tokio::spawn(async move { renewer.released().await });
        Ok(Claimed::Acquired(claim))
    }

    async fn append_inbox(
        &self,
        session: &TranscriptKey,
        entries: &[Json],
    ) -> Result<(), StoreError> {
        self.asked.send_modify(|it| *it += 1);
        let mut is_open = self.is_open.subscribe();
        is_open.wait_for(|it| *it).await?;
        let entries = entries.iter().map(|it| (session.clone(), it.clone()));
        self.inbox.lock().unwrap().extend(entries);
        Ok(())
    }

    async fn load_inbox(&self, session: &TranscriptKey) -> Result<Vec<Json>, StoreError> {
        let inbox = self.inbox.lock().unwrap();
        let entries = inbox.iter().filter(|(key, _)| key == session);
        Ok(entries.map(|(_, it)| it.clone()).collect())
    }
}

fn host(machine: &Path, store: &Claimable, scenario: &Scenario) -> Options {
    fake(scenario)
        .env("HOME", machine)
        .env("CLAUDE_CONFIG_DIR", machine.join(".claude"))
        .allowed_tools(["Bash"])
        .session_store(store.clone())
}

fn message(uuid: &str, text: &str) -> UserMessage {
    let mut message = UserMessage::new(text);
    message.uuid = Some(uuid.to_owned());
    message
}

async fn inherited(client: &mut Client) -> (String, Redelivery) {
    wait_for(client, |event| match event {
        Event::Notice(Notice::Inherited {
            uuid, redelivery, ..
        }) => Some((uuid.to_string(), *redelivery)),
        _ => None,
    })
    .await
}

async fn lose_session(client: &mut Client, store: &Claimable) {
    store.revoke();
    let error = loop {
        match client.next().await.unwrap() {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(ended(error).reason, EndReason::OwnershipLost);
    client.close().await;
}

#[tokio::test]
async fn messages_are_sent_once_stored_and_finished_in_the_inbox() {
    let (machine, store) = (TempDir::new().unwrap(), Claimable::new());
    let options = host(
        machine.path(),
        &store,
        &Scenario::default().reply([Step::text("Hello.")]),
    );
    let mut client = Client::connect(options.session_id(ID)).await.unwrap();
    store.is_open.send_replace(false);
    let mut submission = client.send(message("u1", "Hello?"));
    store
        .asked
        .subscribe()
        .wait_for(|it| *it > 0)
        .await
        .unwrap();
    // The response to another request shows that everything pending has been processed.
    assert_eq!(submission.state(), SubmissionState::Waiting);
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 1);
    store.is_open.send_replace(true);
    let result = submission.result().await.unwrap();
    assert_eq!(result.text(), "Hello.");
    client.close().await;
    let expected = [("inbox_accepted", "u1"), ("inbox_over", "u1")];
    let expected = expected.map(|(kind, uuid)| (kind.to_owned(), vec![uuid.to_owned()]));
    assert_eq!(store.inbox(ID), expected);
}

#[tokio::test]
async fn the_next_host_resends_unstarted_and_hands_back_started_messages() {
    let id = uuid::Uuid::new_v4().to_string();
    let (machines, store) = (TempDir::new().unwrap(), Claimable::new());
    let call = Step::tool("Bash", json!({ "command": "true" }), "");
    let scenario = Scenario::default()
        .reply(Reply::new([call]).when(When::prompt_is("First")))
        .reply([
            Step::text("Ran. "),
            Step::WaitMs(600_000),
            Step::text("Done."),
        ]);
    let options = host(&machines.path().join("one"), &store, &scenario).session_id(&id);
    let mut one = Client::connect(options).await.unwrap();
    one.send(message("u1", "First")).await.unwrap();
    let ran = |event: &Event| match event {
        Event::Frame(frame) if frame.kind() == "user" => Some(()),
        _ => None,
    };
    wait_for(&mut one, ran).await;
    let mut later = message("u2", "Second");
    later.priority = Some(Priority::Later);
    one.send(later).await.unwrap();
    one.send(message("u3", "Third")).await.unwrap();
    lose_session(&mut one, &store).await;

    let says = |steps: Vec<Step>| Scenario::default().reply(steps).repeated();
    let next = |steps| host(&machines.path().join("two"), &store, &says(steps)).resume(&id);
    // The message is reported until a host has completed a turn.
    for number in 0..2 {
        let options = next(vec![Step::WaitMs(600_000)]);
        let mut two = Client::connect(options).await.unwrap();
        let told = [
            inherited(&mut two).await,
            inherited(&mut two).await,
            inherited(&mut two).await,
        ];
        let expected = [
            ("u1", Redelivery::CutOff),
            ("u2", Redelivery::Resent),
            ("u3", Redelivery::Resent),
        ];
        let expected = expected.map(|(uuid, fate)| (uuid.to_owned(), fate));
        // The third message may have been picked up and transcribed by now.
        let sure = if number == 0 { 3 } else { 2 };
        assert_eq!(told[..sure], expected[..sure]);
        lose_session(&mut two, &store).await;
    }
    let options = next(vec![Step::text("Here.")]);
    let mut two = Client::connect(options).await.unwrap();
    two.prompt("Anything else?").await.unwrap();
    two.close().await;
    let over: Vec<_> = (store.inbox(&id).into_iter())
        .filter(|(kind, _)| kind == "inbox_over")
        .flat_map(|(_, uuids)| uuids)
        .collect();
    for uuid in ["u1", "u2", "u3"] {
        assert_eq!(over.iter().filter(|it| *it == uuid).count(), 1, "{over:?}");
    }
}

#[tokio::test]
async fn unfinished_messages_move_to_a_new_session() {
    let (machine, store) = (TempDir::new().unwrap(), Claimable::new());
    let scenario = Scenario::default().reply([Step::text("Here.")]).repeated();
    let options = host(machine.path(), &store, &scenario).session_id(ID);
    let mut client = Client::connect(options).await.unwrap();
    client.prompt(message("u1", "First")).await.unwrap();
    store.is_open.send_replace(false);
    let cleared = client.send(message("u2", "/clear"));
    let mut asked = store.asked.subscribe();
    let before = *asked.borrow_and_update();
    asked.wait_for(|it| *it > before).await.unwrap();
    // This message is sent; the next one waits for the store.
    store.is_open.send_replace(true);
    cleared.await.unwrap();
    store.is_open.send_replace(false);
    let mut third = client.send(message("u3", "Third"));
    let renumbered = wait_for(&mut client, |event| match event {
        Event::Session(SessionUpdate::Renumbered { session_id, .. }) => {
            Some(session_id.to_string())
        }
        _ => None,
    })
    .await;
    store.is_open.send_replace(true);
    third.result().await.unwrap();
    client.close().await;
    let of = |session: &str, uuid: &str| -> Vec<String> {
        let entries = store.inbox(session).into_iter();
        let entries = entries.filter(|(_, uuids)| uuids.iter().any(|it| it == uuid));
        entries.map(|(kind, _)| kind).collect()
    };
    assert_eq!(of(ID, "u3"), ["inbox_accepted", "inbox_over"]);
    assert_eq!(of(&renumbered, "u3"), ["inbox_accepted", "inbox_over"]);
    assert_eq!(of(&renumbered, "u1"), [""; 0]);
}

#[tokio::test]
async fn a_session_with_accepted_messages_can_be_resumed() {
    let (machine, store) = (TempDir::new().unwrap(), Claimable::new());
    let id = uuid::Uuid::new_v4().to_string();
    let scenario = Scenario::default().reply([Step::text("Here.")]).repeated();
    let options = || host(machine.path(), &store, &scenario);
    let begin = || options().resume_from(store.clone(), &id);
    let missing = Client::connect(begin()).await.err().unwrap();
    assert!(
        matches!(
            &missing,
            Error::SessionStore {
                failure: TranscriptFailure::Missing,
                ..
            }
        ),
        "{missing}"
    );
    let accepted = json!({
        "type": "inbox_accepted", "uuids": ["u1"],
        "message": { "type": "user", "uuid": "u1", "message": { "role": "user", "content": "Hi" } },
    });
    let key = TranscriptKey::in_directory(std::env::current_dir().unwrap(), &id).unwrap();
    store.append_inbox(&key, &[accepted.into()]).await.unwrap();
    let mut client = Client::connect(begin()).await.unwrap();
    assert_eq!(
        inherited(&mut client).await,
        ("u1".to_owned(), Redelivery::Resent)
    );
    let answered = wait_for(&mut client, |event| match event {
        Event::Turn(TurnEvent::Ended(end)) => Some(end.messages[0].to_string()),
        _ => None,
    });
    assert_eq!(answered.await, "u1");
    let result = client.prompt("And?").await.unwrap();
    assert_eq!(result.session_id, Some(id));
    client.close().await;
}

#[tokio::test]
async fn messages_withdrawn_before_they_are_stored_are_not_sent() {
    let (machine, store) = (TempDir::new().unwrap(), Claimable::new());
    let scenario = Scenario::default().reply([Step::text("Here.")]).repeated();
    let id = uuid::Uuid::new_v4().to_string();
    let options = host(machine.path(), &store, &scenario).session_id(&id);
    let mut client = Client::connect(options).await.unwrap();
    store.is_open.send_replace(false);
    let mut first = client.send(message("u1", "First"));
    first.cancel().await.unwrap();
    assert_eq!(first.final_state().await, SubmissionState::Withdrawn);
    store.is_open.send_replace(true);
    let mut second = client.send(message("u2", "Second"));
    let end = second.turn_ended().await.unwrap();
    let messages: Vec<_> = end.messages.iter().map(|it| &**it).collect();
    assert_eq!((end.turn, &messages[..]), (1, &["u2"][..]));
    client.close().await;
    let of_first: Vec<_> = (store.inbox(&id).into_iter())
        .filter(|(_, uuids)| uuids.iter().any(|it| it == "u1"))
        .map(|(kind, _)| kind)
        .collect();
    assert_eq!(
        of_first.last().map(String::as_str),
        Some("inbox_over"),
        "{of_first:?}"
    );
}
