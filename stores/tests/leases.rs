//! Tests of leases: sessions are claimed, renewed, lost, released and taken over.

#![allow(clippy::unwrap_used)]

use agentwire::SessionStore;
use agentwire::store::{StoreError, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_stores::session_log::{
    AppendError, Batch, Head, LeaseClock, LogKey, LogStore, NewBatch, Part, Position, Summarized,
    Token,
};
use agentwire_stores::{Claim, Claimed, LeasedStore, LogBacked, MemoryLog};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

const LENGTH: Duration = Duration::from_secs(24);

/// Returns the runtime's clock, which is paused while tasks run.
fn clock() -> LeaseClock {
    fn now() -> Duration {
        thread_local!(static START: Instant = Instant::now());
        START.with(Instant::elapsed)
    }
    LeaseClock::new(now)
}

/// A host's connection to logs, which can fail.
#[derive(Clone)]
struct Connection {
    logs: Arc<MemoryLog>,
    is_cut: Arc<AtomicBool>,
    fault: Arc<Mutex<Fault>>,
}

/// The fault of the next append.
#[derive(Debug, Default, Clone)]
enum Fault {
    #[default]
    None,
    /// The batch is stored, but the response is lost.
    ResponseLost,
    /// The batch is not stored.
    NotStored,
    /// The batch is stored when the end of the log is read.
    StoredLate,
    /// The append never returns.
    Hangs,
    InFlight(LogKey, Batch),
}

impl Connection {
    fn to(logs: &Arc<MemoryLog>) -> Self {
        Self {
            logs: Arc::clone(logs),
            is_cut: Arc::default(),
            fault: Arc::default(),
        }
    }

    fn cut(&self, yes: bool) {
        self.is_cut.store(yes, Ordering::Relaxed);
    }

    fn fault(&self, fault: Fault) -> Fault {
        std::mem::replace(&mut self.fault.lock().unwrap(), fault)
    }

    fn check(&self) -> Result<(), StoreError> {
        match self.is_cut.load(Ordering::Relaxed) {
            true => Err("disconnected".into()),
            false => Ok(()),
        }
    }
}

impl LogStore for Connection {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        self.check().map_err(AppendError::Failed)?;
        match self.fault(Fault::None) {
            Fault::ResponseLost => {
                self.logs.append(session, batch).await?;
            }
            Fault::NotStored => {}
            Fault::Hangs => std::future::pending().await,
            Fault::StoredLate => {
                let entries = batch.entries.to_vec();
                let batch = Batch::new(batch.after, batch.token.clone(), entries);
                self.fault(Fault::InFlight(session.clone(), batch));
            }
            other => {
                self.fault(other);
                return self.logs.append(session, batch).await;
            }
        }
        Err(AppendError::failed("no response"))
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        self.check()?;
        let head = self.logs.head(session).await;
        match self.fault(Fault::None) {
            Fault::InFlight(of, late) => {
                let batch = NewBatch::new(late.position, &late.token, &late.entries);
                let _ = self.logs.append(&of, &batch).await;
            }
            other => drop(self.fault(other)),
        }
        head
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        self.check()?;
        self.logs.read(session, after).await
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        self.logs.summaries(project).await
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        self.logs.parts(session).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        self.logs.delete(session, token).await
    }
}

fn host(connection: &Connection) -> LogBacked<Connection> {
    LogBacked::new(connection.clone())
        .leased(LENGTH)
        .clock(clock())
}

fn key() -> TranscriptKey {
    TranscriptKey::new("crabs", "0d4f7d6a-0c67-4c92-b1a5-3ef1b7d3c3a7").unwrap()
}

fn entry(n: u32) -> Json {
    Json::from(json!({ "type": "user", "uuid": n.to_string() }))
}

async fn claim(host: &LogBacked<Connection>) -> Result<Claim, Duration> {
    match host.claim(&key()).await.unwrap() {
        Claimed::Acquired(claim) => Ok(claim),
        Claimed::OwnedElsewhere { expires_in } => Err(expires_in),
        other => panic!("{other:?}"),
    }
}

async fn count(host: &LogBacked<Connection>) -> usize {
    host.load(&key()).await.unwrap().map_or(0, |it| it.len())
}

#[tokio::test(start_paused = true)]
async fn renewed_leases_exclude_other_hosts() {
    let logs = Arc::new(MemoryLog::new());
    let (one, two) = (host(&Connection::to(&logs)), host(&Connection::to(&logs)));
    let mut claimed = claim(&one).await.unwrap();
    one.append(&key(), &[entry(1)]).await.unwrap();
    for _ in 0..20 {
        assert!(timeout(LENGTH / 2, claimed.lost()).await.is_err());
        let expires_in = claim(&two).await.unwrap_err();
        assert!(expires_in > LENGTH / 2, "{expires_in:?}");
    }
    // The same process cannot claim the session twice.
    assert_eq!(claim(&one).await.unwrap_err(), Duration::MAX);
    // Only the owner can append.
    one.append(&key(), &[entry(2)]).await.unwrap();
    assert!(two.append(&key(), &[entry(3)]).await.is_err());
    assert!(two.delete(&key()).await.is_err());
    assert_eq!(count(&two).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_released_session_can_be_claimed_at_once() {
    let logs = Arc::new(MemoryLog::new());
    let (one, two) = (host(&Connection::to(&logs)), host(&Connection::to(&logs)));
    let begun = Instant::now();
    let claimed = claim(&one).await.unwrap();
    one.append(&key(), &[entry(1)]).await.unwrap();
    let before = one.summaries("crabs").await.unwrap();
    claimed.release().await;
    let after = two.summaries("crabs").await.unwrap();
    assert_eq!(after[0].1.as_ref().unwrap(), before[0].1.as_ref().unwrap());
    let claimed = claim(&two).await.unwrap();
    assert!(claim(&one).await.is_err());
    drop(claimed);
    sleep(Duration::from_millis(1)).await;
    // The same process can claim the session again.
    let claimed = claim(&two).await.unwrap();
    assert!(claimed.is_valid());
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(count(&two).await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_disconnected_host_loses_the_session_before_another_claims_it() {
    let logs = Arc::new(MemoryLog::new());
    let cut = Connection::to(&logs);
    let (one, two) = (host(&cut), host(&Connection::to(&logs)));
    let mut claimed = claim(&one).await.unwrap();
    one.append(&key(), &[entry(1)]).await.unwrap();
    assert!(claim(&two).await.is_err());
    cut.cut(true);
    let begun = Instant::now();
    claimed.lost().await;
    let lost = begun.elapsed();
    assert_eq!(lost, LENGTH * 3 / 4);
    loop {
        match claim(&two).await {
            Ok(_) => break,
            Err(left) => sleep(left).await,
        }
    }
    assert_eq!(begun.elapsed(), LENGTH);
    // Connected again, the host is refused.
    cut.cut(false);
    let refused = one.append(&key(), &[entry(2)]).await.unwrap_err();
    assert!(refused.to_string().contains("is owned"), "{refused}");
    assert!(!claimed.is_valid());
    assert_eq!(count(&two).await, 1);
}

#[tokio::test(start_paused = true)]
async fn short_failures_do_not_end_the_lease() {
    let logs = Arc::new(MemoryLog::new());
    let cut = Connection::to(&logs);
    let one = host(&cut);
    let mut claimed = claim(&one).await.unwrap();
    for n in 0..5 {
        cut.cut(true);
        assert!(one.append(&key(), &[entry(n)]).await.is_err());
        assert!(timeout(LENGTH / 3, claimed.lost()).await.is_err());
        cut.cut(false);
        assert!(timeout(LENGTH, claimed.lost()).await.is_err());
        one.append(&key(), &[entry(n)]).await.unwrap();
    }
    assert_eq!(count(&one).await, 5);
}

#[tokio::test(start_paused = true)]
async fn hosts_without_leases_respect_leases() {
    let logs = Arc::new(MemoryLog::new());
    let one = host(&Connection::to(&logs));
    let without = LogBacked::new(Connection::to(&logs)).clock(clock());
    assert!(without.attachment().is_none());
    assert!(without.claim(&key()).await.is_err());
    without.append(&key(), &[entry(1)]).await.unwrap();
    // A log without a lease can be taken over at any time.
    let claimed = claim(&one).await.unwrap();
    assert!(without.append(&key(), &[entry(2)]).await.is_err());
    claimed.release().await;
    let without = LogBacked::new(Connection::to(&logs)).clock(clock());
    without.append(&key(), &[entry(3)]).await.unwrap();
    assert_eq!(count(&one).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_session_can_be_claimed() {
    let logs = Arc::new(MemoryLog::new());
    let (one, two) = (host(&Connection::to(&logs)), host(&Connection::to(&logs)));
    let mut claimed = claim(&one).await.unwrap();
    one.append(&key(), &[entry(1)]).await.unwrap();
    one.delete(&key()).await.unwrap();
    claimed.lost().await;
    assert!(claim(&two).await.is_ok());
    assert_eq!(count(&two).await, 0);
}

#[tokio::test(start_paused = true)]
async fn sessions_without_entries_are_not_listed() {
    let logs = Arc::new(MemoryLog::new());
    let one = host(&Connection::to(&logs));
    let claimed = claim(&one).await.unwrap();
    assert_eq!(one.sessions("crabs").await.unwrap(), []);
    assert!(one.summaries("crabs").await.unwrap().is_empty());
    one.append(&key(), &[entry(1)]).await.unwrap();
    claimed.release().await;
    assert_eq!(one.sessions("crabs").await.unwrap().len(), 1);
    assert_eq!(one.summaries("crabs").await.unwrap().len(), 1);
}

/// Entries whose append failed although they were stored are not appended again.
#[tokio::test(start_paused = true)]
async fn entries_with_lost_responses_are_stored_once() {
    for has_lease in [false, true] {
        for is_late in [false, true] {
            let logs = Arc::new(MemoryLog::new());
            let connection = Connection::to(&logs);
            let one = match has_lease {
                true => host(&connection),
                false => LogBacked::new(connection.clone()),
            };
            let claimed = match has_lease {
                true => Some(claim(&one).await.unwrap()),
                false => None,
            };
            let mut n = 0;
            for (between, more) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
                n += 1;
                let mut entries = vec![entry(n)];
                connection.fault(if is_late {
                    Fault::StoredLate
                } else {
                    Fault::ResponseLost
                });
                assert!(one.append(&key(), &entries).await.is_err());
                if between {
                    one.append(
                        &key().part("subagents/agent-a").unwrap(),
                        &[entry(1000 + n)],
                    )
                    .await
                    .unwrap();
                    // The lease is renewed during this time.
                    sleep(LENGTH / 2).await;
                }
                for _ in 0..more {
                    n += 1;
                    entries.push(entry(n));
                }
                one.append(&key(), &entries).await.unwrap();
                n += 1;
                one.append(&key(), &[entry(n)]).await.unwrap();
            }
            let found = one.load(&key()).await.unwrap().unwrap();
            let wanted: Vec<_> = (1..=n).map(entry).collect();
            let case = format!("with a lease: {has_lease}, late: {is_late}");
            assert_eq!(found, wanted, "{case}");
            let agents = one
                .load(&key().part("subagents/agent-a").unwrap())
                .await
                .unwrap();
            assert_eq!(agents.unwrap().len(), 2, "{case}");
            assert!(claimed.is_none_or(|it| it.is_valid()));
        }
    }
}

/// Appends fail in different ways, and are retried or abandoned. Successful appends are stored once
/// and in order. Abandoned appends are stored at most once.
#[tokio::test(start_paused = true)]
async fn failed_appends_are_stored_at_most_once() {
    let faults = [
        Fault::None,
        Fault::ResponseLost,
        Fault::NotStored,
        Fault::StoredLate,
    ];
    for case in 0..64 {
        let connection = Connection::to(&Arc::default());
        let store = LogBacked::new(connection.clone());
        let mut succeeded = vec![];
        let failing = [
            (&faults[case / 16], case & 1 > 0),
            (&faults[case / 4 % 4], case & 2 > 0),
        ];
        for (n, (fault, is_retried)) in
            (1..).zip(failing.into_iter().chain([(&Fault::None, false)]))
        {
            if !matches!(fault, Fault::None) {
                connection.fault(fault.clone());
            }
            let mut outcome = store.append(&key(), &[entry(n)]).await;
            if outcome.is_err() && is_retried {
                outcome = store.append(&key(), &[entry(n)]).await;
                assert!(outcome.is_ok(), "{outcome:?}");
            }
            succeeded.extend(outcome.is_ok().then(|| entry(n)));
        }
        let mut found = store.load(&key()).await.unwrap().unwrap();
        let all = found.len();
        found.dedup();
        assert_eq!(found.len(), all, "{failing:?}");
        found.retain(|it| succeeded.contains(it));
        assert_eq!(found, succeeded, "{failing:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_renewals_are_retried_before_expiry() {
    let logs = Arc::new(MemoryLog::new());
    let connection = Connection::to(&logs);
    let one = host(&connection);
    let mut claimed = claim(&one).await.unwrap();
    for n in 0..5 {
        connection.fault(Fault::Hangs);
        assert!(timeout(LENGTH, claimed.lost()).await.is_err());
        one.append(&key(), &[entry(n)]).await.unwrap();
    }
    assert_eq!(count(&one).await, 5);
}

/// The agent's first entries may come before the session is claimed (`/clear`).
#[tokio::test(start_paused = true)]
async fn entries_from_before_the_claim_are_stored_once() {
    let logs = Arc::new(MemoryLog::new());
    let connection = Connection::to(&logs);
    let one = host(&connection);
    connection.fault(Fault::ResponseLost);
    assert!(one.append(&key(), &[entry(1)]).await.is_err());
    let _claimed = claim(&one).await.unwrap();
    one.append(&key(), &[entry(1), entry(2)]).await.unwrap();
    assert_eq!(count(&one).await, 2);
}

#[tokio::test(start_paused = true)]
async fn leases_of_any_positive_length_are_released() {
    let logs = Arc::new(MemoryLog::new());
    let of = |length| {
        let store = LogBacked::new(Connection::to(&logs)).leased(length);
        store.clock(clock())
    };
    assert!(of(Duration::ZERO).claim(&key()).await.is_err());
    for length in [Duration::from_secs(1), Duration::MAX] {
        let store = of(length);
        let claimed = claim(&store).await.unwrap();
        assert!(claimed.is_valid());
        sleep(Duration::from_secs(3600)).await;
        assert!(claimed.is_valid());
        assert!(claim(&of(length)).await.is_err());
        claimed.release().await;
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_writes_the_inbox() {
    let logs = Arc::new(MemoryLog::new());
    let (connection, other) = (Connection::to(&logs), Connection::to(&logs));
    let (one, two) = (host(&connection), host(&other));
    let mut claimed = claim(&one).await.unwrap();
    let unusual: Json =
        serde_json::from_str(r#"{"b":1.00, "a":"\ud83d","type":"renewed"}"#).unwrap();
    let entries = [unusual.clone(), entry(1)];
    connection.fault(Fault::ResponseLost);
    assert!(one.append_inbox(&key(), &entries).await.is_err());
    one.append_inbox(&key(), &entries).await.unwrap();
    one.append_inbox(&key(), &[]).await.unwrap();
    one.append(&key(), &[entry(2)]).await.unwrap();
    assert_eq!(one.load_inbox(&key()).await.unwrap(), entries);
    // The inbox is not part of a transcript.
    assert_eq!(one.load(&key()).await.unwrap().unwrap(), [entry(2)]);
    assert_eq!(one.subpaths(&key()).await.unwrap(), [""; 0]);

    connection.cut(true);
    claimed.lost().await;
    let _claimed = loop {
        match claim(&two).await {
            Ok(claimed) => break claimed,
            Err(left) => sleep(left).await,
        }
    };
    connection.cut(false);
    assert!(one.append_inbox(&key(), &[entry(3)]).await.is_err());
    two.append_inbox(&key(), &[entry(4)]).await.unwrap();
    let found = two.load_inbox(&key()).await.unwrap();
    assert_eq!(found, [unusual, entry(1), entry(4)]);
    two.delete(&key()).await.unwrap();
    assert_eq!(two.load_inbox(&key()).await.unwrap(), []);
}

/// The clocks of the hosts may be hours apart, and may run a tenth faster or slower.
#[tokio::test(start_paused = true)]
async fn skewed_clocks_never_allow_two_owners() {
    fn fast() -> Duration {
        Duration::from_secs(3600 * 7) + clock().now() * 11 / 10
    }
    let pairs = [
        (clock(), LeaseClock::new(fast)),
        (LeaseClock::new(fast), clock()),
    ];
    for (first, second) in pairs {
        let logs = Arc::new(MemoryLog::new());
        let connection = Connection::to(&logs);
        let on = |connection: &Connection, clock| {
            let store = LogBacked::new(connection.clone()).leased(LENGTH);
            store.clock(clock)
        };
        let (one, two) = (on(&connection, first), on(&Connection::to(&logs), second));
        let mut claimed = claim(&one).await.unwrap();
        for n in 0..20 {
            assert!(claim(&two).await.is_err(), "it is renewed");
            one.append(&key(), &[entry(n)]).await.unwrap();
            sleep(LENGTH / 5).await;
        }
        connection.cut(true);
        let taken = async {
            while let Err(left) = claim(&two).await {
                sleep(left.min(LENGTH / 100)).await;
            }
            Instant::now()
        };
        let lost = async {
            claimed.lost().await;
            Instant::now()
        };
        let (lost, taken) = tokio::join!(lost, taken);
        assert!(lost < taken, "lost {:?} after", lost - taken);
        connection.cut(false);
        assert!(one.append(&key(), &[entry(99)]).await.is_err());
    }
}
