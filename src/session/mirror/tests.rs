//! The mirror with failing stores and files that lag behind.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::store::{
    EntryHead, Refused, SessionStore, StoreError, TranscriptFailure, TranscriptKey,
};
use agentwire_protocol::Json;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::future::{pending, poll_fn};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use tempfile::TempDir;
use tokio::time::Instant;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// An agent that writes and reports transcripts.
struct Agent {
    home: TempDir,
    /// The reported entries of each transcript.
    reported: BTreeMap<TranscriptKey, Vec<Json>>,
    /// Reported entries that are not written yet.
    unwritten: Vec<(PathBuf, String)>,
    next: usize,
}

impl Agent {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            reported: BTreeMap::new(),
            unwritten: vec![],
            next: 0,
        }
    }

    /// Adds entries to a transcript: each with a size in bytes, some without a `uuid`.
    fn adds(&mut self, transcript: usize, entries: &[(usize, bool)]) -> Frame {
        let own = TranscriptKey::new("-p", ID).unwrap();
        let (key, name) = match transcript {
            0 => (own, format!("{ID}.jsonl")),
            it => (
                own.part(format!("subagents/agent-a{it}")).unwrap(),
                format!("{ID}/subagents/agent-a{it}.jsonl"),
            ),
        };
        let file = self.home.path().join("projects/-p").join(name);
        let entries: Vec<Json> = entries
            .iter()
            .map(|(bytes, has_uuid)| {
                let (number, text) = (self.next, "a".repeat(*bytes));
                self.next += 1;
                let name = if *has_uuid { "uuid" } else { "mode" };
                let entry = format!(r#"{{"type":"user","{name}":"{number}","text":"{text}"}}"#);
                Json::of_text(entry)
            })
            .collect();
        let lines: String = entries.iter().map(|it| format!("{it}\n")).collect();
        // The agent also writes entries that it does not report.
        let lines = format!("{{\"type\":\"api-request\",\"uuid\":\"r\"}}\n{lines}");
        self.unwritten.push((file.clone(), lines));
        let line = serde_json::json!({
            "type": "transcript_mirror", "filePath": file, "entries": entries,
        });
        self.reported.entry(key).or_default().extend(entries);
        Frame::new(line.to_string().into()).unwrap()
    }

    fn writes(&mut self) {
        for (file, lines) in self.unwritten.drain(..) {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let mut file = File::options()
                .append(true)
                .create(true)
                .open(file)
                .unwrap();
            file.write_all(lines.as_bytes()).unwrap();
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    Stores,
    Fails,
    Panics,
    /// Stores nothing, and never returns.
    Hangs,
    /// Stores the entries, and never returns.
    StoresAndHangs,
    /// Stores the entries, and returns an error.
    StoresAndFails,
    /// Refuses: another host owns the session.
    Refuses,
}

/// A store without deduplication whose calls have given outcomes.
#[derive(Debug, Clone, Default)]
struct TestStore(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    transcripts: BTreeMap<TranscriptKey, Vec<Json>>,
    then: Vec<Then>,
    calls: usize,
    most: usize,
}

impl SessionStore for TestStore {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        assert!(!entries.is_empty());
        let then = {
            let mut contents = self.0.lock().unwrap();
            let then = *contents.then.get(contents.calls).unwrap_or(&Then::Stores);
            contents.calls += 1;
            contents.most = contents.most.max(entries.len());
            if matches!(
                then,
                Then::Stores | Then::StoresAndHangs | Then::StoresAndFails
            ) {
                let transcript = contents.transcripts.entry(key.clone()).or_default();
                transcript.extend_from_slice(entries);
            }
            then
        };
        match then {
            Then::Stores => Ok(()),
            Then::Fails | Then::StoresAndFails => Err("full".into()),
            Then::Panics => panic!("a bug"),
            Then::Refuses => Err(Refused::new("another host has it").into()),
            Then::Hangs | Then::StoresAndHangs => pending().await,
        }
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        Ok(self.0.lock().unwrap().transcripts.get(key).cloned())
    }
}

fn started(store: &TestStore, flush: StoreFlush, limit: usize) -> Mirror {
    let options = Options::new().session_store(store.clone());
    let options = options.session_store_flush(flush);
    let options = options.session_store_memory(limit);
    Mirror::start(&options, vec![], None).unwrap().0
}

fn uuids(entries: &[Json]) -> Vec<String> {
    let uuids = entries.iter().filter_map(|it| EntryHead::of(it)?.uuid);
    uuids.collect()
}

fn without_again(uuids: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    uuids
        .into_iter()
        .filter(|it| seen.insert(it.clone()))
        .collect()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(work)
}

/// An event in a session.
#[derive(Debug, Clone)]
enum Step {
    Adds(usize, Vec<(usize, bool)>),
    /// The agent writes the reported entries.
    Writes,
    /// The agent writes them later.
    Lags(u64),
    TurnEnds,
    Waits(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let entries = prop::collection::vec((0..200_usize, prop::bool::weighted(0.9)), 1..6);
    prop_oneof![
        6 => (0..3_usize, entries).prop_map(|(it, entries)| Step::Adds(it, entries)),
        2 => Just(Step::Writes),
        2 => (0..2_000_u64).prop_map(Step::Lags),
        2 => Just(Step::TurnEnds),
        1 => (1..90_000_u64).prop_map(Step::Waits),
    ]
}

fn then() -> impl Strategy<Value = Then> {
    prop_oneof![
        4 => Just(Then::Stores),
        3 => Just(Then::Fails),
        1 => Just(Then::Panics),
        1 => Just(Then::Hangs),
        1 => Just(Then::StoresAndHangs),
        1 => Just(Then::StoresAndFails),
    ]
}

fn result() -> Frame {
    Frame::new(r#"{"type":"result"}"#.to_owned().into()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_store_always_has_a_prefix_and_finally_everything(
        steps in prop::collection::vec(step(), 1..40),
        then in prop::collection::vec(then(), 0..30),
        limit in 0..2000_usize,
        is_eager in any::<bool>(),
    ) {
        let store = TestStore::default();
        let stores_and_fails = then.contains(&Then::StoresAndFails);
        store.0.lock().unwrap().then = then;
        let flush = if is_eager { StoreFlush::Eager } else { StoreFlush::Batched };
        let mut agent = Agent::new();
        let check = |agent: &Agent, is_whole: bool| {
            let contents = &store.0.lock().unwrap().transcripts;
            for (key, reported) in &agent.reported {
                let reported = uuids(reported);
                let mut contents = contents.get(key).map(|it| uuids(it)).unwrap_or_default();
                // A store that returned an error may have stored the entries.
                if stores_and_fails {
                    contents = without_again(contents);
                }
                let len = if is_whole { reported.len() } else { contents.len() };
                assert_eq!(contents, reported[..len]);
            }
            if is_whole {
                for (key, reported) in &agent.reported {
                    let contents = contents.get(key).map_or(&[][..], |it| it);
                    let has = |entry: &&Json| {
                        let mode = entry.member("mode");
                        mode.is_some() && !contents.iter().any(|it| it.member("mode") == mode)
                    };
                    let missing: Vec<_> = reported.iter().filter(has).collect();
                    assert!(missing.is_empty(), "{missing:?}");
                }
            }
        };
        run(async {
            let mut mirror = started(&store, flush, limit);
            let mut lag = 0;
            for step in steps {
                match step {
                    Step::Adds(transcript, entries) => {
                        let frame = agent.adds(transcript, &entries);
                        assert!(mirror.intercept(&frame));
                    }
                    Step::Writes => agent.writes(),
                    Step::Lags(time) => {
                        lag += time;
                        // A real agent is faster.
                        if lag > 8_000 {
                            agent.writes();
                            lag = 0;
                        }
                        tokio::time::sleep(Duration::from_millis(time)).await;
                    }
                    Step::TurnEnds => drop(mirror.intercept(&result())),
                    Step::Waits(time) => {
                        agent.writes();
                        tokio::time::sleep(Duration::from_millis(time)).await;
                    }
                }
                check(&agent, false);
            }
            agent.writes();
            let begun = Instant::now();
            loop {
                let (reply, flushed) = oneshot::channel();
                mirror.work(Work::Flush(reply));
                if flushed.await.unwrap().is_ok() {
                    break;
                }
                assert!(begun.elapsed() < Duration::from_secs(3600 * 2));
            }
            check(&agent, true);
            let mut is_behind = false;
            while let Ok(notice) = mirror.notices.try_recv() {
                match notice {
                    Notice::StoreBehind { entries, .. } => {
                        assert!(entries > 0);
                        is_behind = true;
                    }
                    Notice::StoreCaughtUp { .. } => is_behind = false,
                    notice => panic!("{notice}"),
                }
            }
            assert!(!is_behind);
            let waiting = mirror.waiting.load(Ordering::Relaxed);
            assert_eq!(waiting, 0);
            assert_eq!(mirror.finish().await, []);
        });
    }
}

#[test]
fn entries_from_the_agents_file_are_sent_in_limited_calls() {
    let store = TestStore::default();
    store.0.lock().unwrap().then = vec![Then::Fails; 4];
    let mut agent = Agent::new();
    run(async {
        let mut mirror = started(&store, StoreFlush::Batched, 100);
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        for _ in 0..40 {
            mirror.intercept(&agent.adds(0, &[(10, true); 50]));
        }
        agent.writes();
        let behind = mirror.notices.recv().await.unwrap();
        assert!(
            matches!(behind, Notice::StoreBehind { entries: 2001, .. }),
            "{behind}"
        );
        while !matches!(
            mirror.notices.recv().await.unwrap(),
            Notice::StoreCaughtUp { .. }
        ) {}
        let key = TranscriptKey::new("-p", ID).unwrap();
        let contents = uuids(&store.0.lock().unwrap().transcripts[&key]);
        assert_eq!(contents, uuids(&agent.reported[&key]));
        assert_eq!(mirror.finish().await, []);
    });
    let contents = store.0.lock().unwrap();
    assert_eq!(contents.most, 500);
}

#[test]
fn a_transcript_ends_before_its_first_missing_entry() {
    let store = TestStore::default();
    store.0.lock().unwrap().then = vec![Then::Fails];
    let mut agent = Agent::new();
    run(async {
        let mut mirror = started(&store, StoreFlush::Eager, 0);
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        // These exceed the memory limit, and the file cannot be read.
        mirror.intercept(&agent.adds(0, &[(10, true), (10, true)]));
        let missing = |entries| Notice::NotMirrored {
            key: Some(TranscriptKey::new("-p", ID).unwrap()),
            entries,
            failure: TranscriptFailure::TooSlow,
        };
        assert_eq!(mirror.notices.recv().await.unwrap(), missing(2));
        let (reply, flushed) = oneshot::channel();
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        mirror.work(Work::Flush(reply));
        assert_eq!(mirror.notices.recv().await.unwrap(), missing(1));
        flushed.await.unwrap().unwrap();
        // Other transcripts continue.
        mirror.intercept(&agent.adds(1, &[(10, true)]));
        assert_eq!(mirror.finish().await, []);
    });
    let contents: Vec<_> = store
        .0
        .lock()
        .unwrap()
        .transcripts
        .values()
        .map(Vec::len)
        .collect();
    assert_eq!(contents, [1, 1]);
}

#[test]
fn flushes_do_not_shorten_the_wait_for_the_agents_file() {
    let store = TestStore::default();
    let mut agent = Agent::new();
    run(async {
        let mut mirror = started(&store, StoreFlush::BeforeResult, 0);
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        let flusher = mirror.flusher().unwrap();
        let flush = || {
            let flusher = flusher.clone();
            (0..50).map(move |_| {
                let flusher = flusher.clone();
                tokio::spawn(async move { flusher.flush().await })
            })
        };
        let waiters: Vec<_> = flush().collect();
        tokio::time::sleep(Duration::from_secs(2)).await;
        let more: Vec<_> = flush().collect();
        tokio::task::yield_now().await;
        agent.writes();
        for waiter in waiters.into_iter().chain(more) {
            waiter.await.unwrap().unwrap().unwrap();
        }
        assert_eq!(mirror.finish().await, []);
    });
    let contents = store.0.lock().unwrap();
    let key = TranscriptKey::new("-p", ID).unwrap();
    assert_eq!(
        uuids(&contents.transcripts[&key]),
        uuids(&agent.reported[&key])
    );
}

#[test]
fn a_store_that_refuses_is_not_called_again() {
    let store = TestStore::default();
    store.0.lock().unwrap().then = vec![Then::Stores, Then::Refuses];
    let mut agent = Agent::new();
    run(async {
        let mut mirror = started(&store, StoreFlush::Eager, 1000);
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        mirror.intercept(&agent.adds(0, &[(10, true), (10, true)]));
        let missing = |entries| Notice::NotMirrored {
            key: Some(TranscriptKey::new("-p", ID).unwrap()),
            entries,
            failure: TranscriptFailure::Refused("another host has it".to_owned()),
        };
        assert_eq!(mirror.notices.recv().await.unwrap(), missing(2));
        mirror.intercept(&agent.adds(0, &[(10, true)]));
        assert_eq!(mirror.notices.recv().await.unwrap(), missing(1));
        assert_eq!(mirror.finish().await, []);
    });
    assert_eq!(store.0.lock().unwrap().calls, 2);
}

#[test]
fn results_are_deferred_until_stored_or_the_store_is_behind() {
    for (then, seconds, reported) in [
        (vec![], 0, None),
        (vec![Then::Fails, Then::Fails], 1, None),
        (vec![Then::Fails; 3], 1, Some("full")),
        (vec![Then::Hangs], 60, Some("it took longer than 60s")),
    ] {
        let store = TestStore::default();
        store.0.lock().unwrap().then = then;
        let mut agent = Agent::new();
        run(async {
            let mut mirror = started(&store, StoreFlush::BeforeResult, 1000);
            let begun = Instant::now();
            mirror.intercept(&agent.adds(0, &[(10, true)]));
            assert_eq!(mirror.before_result(&result()), Gate::Wait);
            assert_eq!(mirror.before_result(&result()), Gate::Wait);
            let mut action = poll_fn(|context| mirror.poll(context)).await;
            assert_eq!(begun.elapsed().as_secs(), seconds);
            if let Some(why) = reported {
                // The reason is delivered first.
                let Action::Notify(Notice::StoreBehind {
                    entries: 1,
                    failure,
                    ..
                }) = action
                else {
                    panic!("{action:?}");
                };
                assert!(failure.to_string().contains(why), "{failure}");
                action = poll_fn(|context| mirror.poll(context)).await;
            }
            assert!(matches!(action, Action::Retry), "{action:?}");
            let gate = match reported {
                None => Gate::Pass,
                Some(_) => Gate::PassIfOwned,
            };
            assert_eq!(mirror.before_result(&result()), gate);
            let is_kept = !store.0.lock().unwrap().transcripts.is_empty();
            assert_eq!(is_kept, reported.is_none());
            // A store that is behind defers no further results.
            if reported.is_some() {
                let waits = Instant::now();
                assert_eq!(mirror.before_result(&result()), Gate::Wait);
                let action = poll_fn(|context| mirror.poll(context)).await;
                assert!(matches!(action, Action::Retry), "{action:?}");
                assert_eq!(waits.elapsed(), Duration::ZERO);
            }
        });
    }
}
