//! Tests that the conformance suite of session stores finds a deliberate bug in each of these
//! stores. Also tests stores behind programs.

#![allow(clippy::unwrap_used)]

#[macro_use]
#[path = "common/faults.rs"]
mod common;

use agentwire::SessionStore;
use agentwire::store::{MemoryStore, StoreError, StoredSession, StoredSummary, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_stores::{LogBacked, MemoryLog};
use agentwire_testkit::stores::{Conformance, Optional, transcript_contracts};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

faults! {
    /// Entries are returned in reverse.
    Backwards,
    /// An unknown transcript is an empty one.
    EmptyForUnknown,
    /// A batch replaces the previous one.
    OneBatch,
    /// A key is its parts, joined with a colon.
    JoinedByColon,
    /// A key is its parts, joined with a slash.
    JoinedBySlash,
    /// A key is its parts, joined with a dash.
    JoinedByDash,
    /// Subpaths are ignored.
    MainOnly,
    /// Projects are ignored.
    OneProject,
    /// Keys are folded to lower case.
    CaseFolded,
    /// Subpaths are matched by prefix.
    ByPrefix,
    /// Repeated entries are moved to the front.
    RepeatMovedToFront,
    /// Numbers are read as floating point.
    Rounded,
    /// NUL characters are replaced.
    Replaced,
    /// Sub-agents are listed as sessions.
    SubagentsListed,
    /// Other sessions' sub-agents are listed.
    SubpathsOfAll,
    /// The main conversation is one of the subpaths.
    MainIsASubpath,
    /// Times are in seconds.
    Seconds,
    /// The time of a session is that of its first append.
    OldTimes,
    /// A deletion does not delete sub-agents.
    DeletesMainOnly,
    /// Deleting a sub-agent deletes the session.
    DeletesAll,
    /// Nothing is deleted.
    DeletesNothing,
    /// A summary covers only the last batch.
    LastSummary,
    /// A summary covers all transcripts.
    SummaryOfSubagents,
}

struct Faulty {
    store: LogBacked<MemoryLog>,
    /// Holds the same entries under their original keys.
    keys: MemoryStore,
    fault: Fault,
}

fn valid(project: &str, id: &str, subpath: Option<&str>) -> TranscriptKey {
    let main = TranscriptKey::new(project, id).unwrap();
    subpath.map_or(main.clone(), |it| main.part(it).unwrap())
}

impl Faulty {
    /// Returns the key in the faulty store.
    fn key(&self, key: &TranscriptKey) -> TranscriptKey {
        match self.fault {
            Fault::JoinedByColon | Fault::JoinedBySlash | Fault::JoinedByDash => {
                let between = match self.fault {
                    Fault::JoinedByColon => ":",
                    Fault::JoinedBySlash => "/",
                    _ => "-",
                };
                let joined = [Some(key.project()), Some(key.session_id()), key.subpath()];
                let joined: Vec<&str> = joined.into_iter().flatten().collect();
                // Hash the key, because it may be too long or have invalid characters.
                let mut hasher = DefaultHasher::new();
                joined.join(between).hash(&mut hasher);
                valid("all", &hasher.finish().to_string(), None)
            }
            Fault::MainOnly => key.main(),
            Fault::OneProject => valid("one", key.session_id(), key.subpath()),
            Fault::CaseFolded => {
                let id = key.session_id().to_ascii_lowercase();
                valid(key.project(), &id, key.subpath())
            }
            Fault::ByPrefix => {
                let parts = key.subpath().map(|it| it.split('/').take(2));
                let subpath = parts.map(|it| it.collect::<Vec<_>>().join("/"));
                valid(key.project(), key.session_id(), subpath.as_deref())
            }
            _ => key.clone(),
        }
    }

    fn entry(&self, entry: &Json) -> Json {
        match self.fault {
            Fault::Rounded => {
                let value: Result<serde_json::Value, _> = serde_json::from_str(entry.get());
                value.map_or_else(|_| entry.clone(), Json::from)
            }
            Fault::Replaced => Json::of_text(entry.get().replace("\\u0000", "\\ufffd")),
            _ => entry.clone(),
        }
    }
}

impl SessionStore for Faulty {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        self.keys.append(key, entries).await?;
        let key = self.key(key);
        let mut entries: Vec<Json> = entries.iter().map(|it| self.entry(it)).collect();
        let before = match self.fault {
            Fault::RepeatMovedToFront | Fault::LastSummary => self.store.load(&key).await?,
            _ => None,
        };
        let before = before.unwrap_or_default();
        let is_again = entries.iter().any(|it| before.contains(it));
        match self.fault {
            Fault::OneBatch => self.store.delete(&key).await?,
            Fault::RepeatMovedToFront if is_again => {
                self.store.delete(&key).await?;
                entries.extend(before);
            }
            Fault::LastSummary if key.subpath().is_none() => {
                self.store.delete(&key).await?;
                let text = serde_json::to_string(&before)?;
                let hidden: Json = format!(r#"{{"hidden":{text}}}"#).parse()?;
                entries.insert(0, hidden);
            }
            Fault::SummaryOfSubagents if key.subpath().is_some() => {
                let main = key.main();
                self.store.append(&main, &entries).await?;
            }
            _ => {}
        }
        self.store.append(&key, &entries).await
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        let mut loaded = self.store.load(&self.key(key)).await?;
        match self.fault {
            Fault::Backwards => loaded.iter_mut().for_each(|it| it.reverse()),
            Fault::EmptyForUnknown => loaded = Some(loaded.unwrap_or_default()),
            _ => {}
        }
        Ok(loaded)
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let mut sessions = self.keys.sessions(project).await?;
        for session in &mut sessions {
            let since = session.modified.duration_since(UNIX_EPOCH)?;
            match self.fault {
                Fault::Seconds => session.modified = UNIX_EPOCH + since / 1_000,
                Fault::OldTimes => {
                    let bytes: u32 = session.id.bytes().map(u32::from).sum();
                    session.modified += Duration::from_secs(60) * (1_000 - bytes);
                }
                _ => {}
            }
        }
        if self.fault == Fault::SubagentsListed {
            let keys = self.keys.keys().into_iter();
            let subpaths = keys
                .filter(|it| it.project() == project)
                .filter_map(|it| it.subpath().map(str::to_owned));
            let modified = std::time::SystemTime::now();
            sessions.extend(subpaths.map(|it| StoredSession::new(it, modified)));
        }
        Ok(sessions)
    }

    async fn subpaths(&self, session: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        let mut subpaths = self.keys.subpaths(session).await?;
        match self.fault {
            Fault::SubpathsOfAll => {
                let keys = self.keys.keys().into_iter();
                let all: BTreeSet<String> = keys
                    .filter(|it| it.project() == session.project())
                    .filter_map(|it| it.subpath().map(str::to_owned))
                    .collect();
                subpaths = all.into_iter().collect();
            }
            Fault::MainIsASubpath => subpaths.push("main".to_owned()),
            _ => {}
        }
        Ok(subpaths)
    }

    async fn summaries(&self, project: &str) -> Result<Vec<StoredSummary>, StoreError> {
        self.store.summaries(project).await
    }

    async fn delete(&self, key: &TranscriptKey) -> Result<(), StoreError> {
        let subpaths = self.keys.subpaths(key).await?;
        let kept = |path: &String| key.part(path.clone()).unwrap();
        let kept: Vec<TranscriptKey> = subpaths.iter().map(kept).collect();
        match self.fault {
            Fault::DeletesNothing => Ok(()),
            Fault::DeletesMainOnly if key.subpath().is_none() => {
                self.keys.delete(key).await?;
                self.store.delete(&self.key(key)).await?;
                for key in &kept {
                    let left: Json = r#"{"left":1}"#.parse()?;
                    self.store.append(key, &[left]).await?;
                }
                Ok(())
            }
            Fault::DeletesAll => {
                let main = key.main();
                self.keys.delete(&main).await?;
                self.store.delete(&main).await
            }
            _ => {
                self.keys.delete(key).await?;
                self.store.delete(&self.key(key)).await
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_finds_every_bug() {
    let mut finders = BTreeSet::new();
    for &fault in FAULTS {
        let faulty = Arc::new(Faulty {
            store: LogBacked::new(MemoryLog::new()),
            keys: MemoryStore::new(),
            fault,
        });
        let mut failed = 0;
        // Skip long cases, which find the same bugs.
        let names = transcript_contracts().into_iter();
        for name in names.filter(|it| !it.contains("long")) {
            let conformance = Conformance::default().named(name);
            let outcomes = conformance.check_transcripts(Arc::clone(&faulty)).await;
            if !outcomes.all_hold() {
                failed += 1;
                finders.insert(name);
            }
        }
        assert!(failed > 0, "{fault:?} is not found");
    }
    let idle: Vec<_> = transcript_contracts()
        .into_iter()
        .filter(|it| !finders.contains(it))
        .collect();
    assert!(idle.len() < 8, "these find none of the faults: {idle:?}");
}

#[tokio::test]
async fn cases_of_unsupported_methods_are_skipped() {
    let conformance = Conformance::default().named("delete_main_then_load_returns_none");
    let conformance = conformance.without(Optional::Delete);
    let outcomes = conformance.check_transcripts(MemoryStore::new()).await;
    assert_eq!(outcomes.0.len(), 1);
    assert_eq!(outcomes.0[0].skipped, Some(Optional::Delete));
    assert!(!outcomes.all_hold(), "{outcomes}");
}

#[cfg(unix)]
mod programs {
    use agentwire::SessionStore;
    use agentwire::store::TranscriptKey;
    use agentwire_testkit::stores::StoreProgram;
    use std::time::Duration;
    use tokio::process::Command;

    async fn started(script: &str) -> std::io::Result<StoreProgram> {
        StoreProgram::start(Command::new("sh").args(["-c", script])).await
    }

    #[tokio::test]
    async fn a_program_without_a_greeting_is_an_error() {
        for (script, why) in [
            ("exit 3", "the program exited without output"),
            (
                "echo hello",
                "the program's first line is \"hello\\n\", expected its `calls`",
            ),
            ("echo '{\"calls\":1}'", "expected its `calls`"),
        ] {
            let error = started(script).await.unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }

    #[tokio::test]
    async fn invalid_output_of_a_program_fails_every_call() {
        let key = TranscriptKey::new("crabs", "a").unwrap();
        for rest in [
            "read line",
            "read line; echo hello; exec sleep 60",
            "exec 1>&-; exec sleep 60",
        ] {
            let script = format!("echo '{{\"calls\":[\"append\",\"load\"]}}'; {rest}");
            let program = started(&script).await.unwrap();
            for _ in 0..3 {
                let loaded = tokio::time::timeout(Duration::from_secs(60), program.load(&key));
                let error = loaded.await.expect("an answer").unwrap_err();
                assert!(error.to_string().starts_with("the program "), "{error}");
            }
        }
    }

    #[tokio::test]
    async fn errors_of_the_program_are_returned() {
        let answer = r#"{"id":1,"error":"the disk is full"}"#;
        let script = format!("echo '{{\"calls\":[]}}'; read line; echo '{answer}'; read line");
        let program = started(&script).await.unwrap();
        let key = TranscriptKey::new("crabs", "a").unwrap();
        let error = program.load(&key).await.unwrap_err();
        assert_eq!(error.to_string(), "the disk is full");
    }
}
