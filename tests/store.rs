//! Sessions that a store gets a copy of, and sessions that go on from there.

#![allow(clippy::unwrap_used)]

mod support;

use agentwire::protocol::Json;
use agentwire::{
    Client, Error, Event, MemoryStore, Notice, Options, SessionStore, StoreError, StoreFailure,
    StoreFlush, TranscriptKey,
};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::peer::{Peer, connect};
use tokio::time::Instant;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// The session's own transcript, in the project `-p`.
fn own() -> TranscriptKey {
    TranscriptKey::new("-p", ID)
}

fn entry(uuid: &str) -> Json {
    json!({ "type": "user", "uuid": uuid }).into()
}

/// What the agent says when it has added entries to a transcript.
async fn adds(agent: &mut Peer, file: &str, uuids: &[&str]) {
    let entries: Vec<_> = uuids.iter().map(|uuid| entry(uuid)).collect();
    let path = format!("/home/crab/.claude/projects/-p/{file}.jsonl");
    let line = json!({ "type": "transcript_mirror", "filePath": path, "entries": entries });
    agent.says(&line.to_string()).await;
}

async fn ends_a_turn(agent: &mut Peer) {
    let result = json!({
        "type": "result", "subtype": "success", "is_error": false, "session_id": ID,
        "uuid": "r", "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1,
        "total_cost_usd": 0, "usage": {}, "modelUsage": {}, "permission_denials": [],
    });
    agent.says(&result.to_string()).await;
}

/// What was appended, and where.
type Call = (TranscriptKey, Vec<Json>);

/// A store that writes down what is appended, before it does as it is told.
#[derive(Clone)]
struct Recorder {
    calls: Arc<Mutex<Vec<Call>>>,
    attempts: Arc<AtomicUsize>,
    then: Then,
}

#[derive(Clone, Copy)]
enum Then {
    Keep,
    /// So many calls fail.
    Fail(usize),
    Hang,
    Panic,
}

impl Recorder {
    fn new(then: Then) -> Self {
        Self {
            calls: Arc::default(),
            attempts: Arc::default(),
            then,
        }
    }

    /// How many entries each call had that was not refused, by transcript.
    fn calls(&self) -> Vec<(Option<String>, usize)> {
        let calls = self.calls.lock().unwrap();
        let calls = calls.iter();
        calls
            .map(|(key, entries)| (key.subpath.clone(), entries.len()))
            .collect()
    }
}

impl SessionStore for Recorder {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        let attempt = self.attempts.fetch_add(1, Ordering::SeqCst);
        match self.then {
            Then::Fail(count) if attempt < count => return Err("full".into()),
            Then::Hang => pending().await,
            Then::Panic => panic!("a bug"),
            Then::Keep | Then::Fail(_) => {}
        }
        let call = (key.clone(), entries.to_vec());
        self.calls.lock().unwrap().push(call);
        Ok(())
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        match self.then {
            Then::Keep => Ok(None),
            Then::Fail(_) => Err("no connection".into()),
            Then::Hang => pending().await,
            Then::Panic => panic!("a bug"),
        }
    }
}

/// The next notice that something is not in the store.
async fn not_mirrored(client: &mut Client) -> (Option<TranscriptKey>, usize, StoreFailure) {
    support::wait_for(client, |event| match event {
        Event::Notice(Notice::NotMirrored {
            key,
            entries,
            failure,
        }) => Some((key.clone(), *entries, failure.clone())),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn what_a_turn_adds_goes_to_the_store_in_one_call_for_each_transcript() {
    let store = Recorder::new(Then::Keep);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    adds(&mut agent, ID, &["a", "b"]).await;
    let part = format!("{ID}/subagents/agent-a1");
    adds(&mut agent, &part, &["x"]).await;
    adds(&mut agent, ID, &["c"]).await;
    ends_a_turn(&mut agent).await;
    let events = support::wait_for(&mut client, |event| match event {
        Event::Frame(frame) => Some(frame.kind().to_owned()),
        _ => None,
    })
    .await;
    assert_eq!(events, "result", "what is for the store is for nobody else");
    client.flush_store().await.unwrap();
    let subagent = Some("subagents/agent-a1".to_owned());
    assert_eq!(store.calls(), [(None, 3), (subagent, 1)]);
    let all = store.calls.lock().unwrap()[0].clone();
    assert_eq!(all, (own(), vec![entry("a"), entry("b"), entry("c")]));
}

#[tokio::test]
async fn an_eager_store_gets_each_message_by_itself() {
    let store = Recorder::new(Then::Keep);
    let options = Options::new().session_store(store.clone());
    let options = options.session_store_flush(StoreFlush::Eager);
    let (client, mut agent) = connect(options).await;
    adds(&mut agent, ID, &["a", "b"]).await;
    adds(&mut agent, ID, &["c"]).await;
    // The answer comes behind them.
    let receipt = json!({});
    let (answer, _) = tokio::join!(client.interrupt(), agent.answers(&receipt));
    answer.unwrap();
    client.flush_store().await.unwrap();
    assert_eq!(store.calls(), [(None, 2), (None, 1)]);
}

#[tokio::test]
async fn many_entries_do_not_wait_for_the_end_of_the_turn() {
    let store = Recorder::new(Then::Keep);
    let (_client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let many: Vec<_> = (0..501).map(|number| number.to_string()).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    adds(&mut agent, ID, &many).await;
    while store.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.calls(), [(None, 501)]);
}

#[tokio::test]
async fn what_the_agent_adds_when_it_ends_is_kept_before_the_session_is_over() {
    let store = Recorder::new(Then::Keep);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let far = async {
        while agent.input.next_line().await.unwrap().is_some() {}
        adds(&mut agent, ID, &["last"]).await;
        drop(agent);
    };
    tokio::join!(client.close(), far);
    assert_eq!(store.calls(), [(None, 1)]);
    assert!(matches!(client.flush_store().await, Err(Error::Ended(_))));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_is_made_three_times_and_then_told() {
    for (failing, kept) in [(2, true), (3, false)] {
        let store = Recorder::new(Then::Fail(failing));
        let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
        adds(&mut agent, ID, &["a", "b"]).await;
        ends_a_turn(&mut agent).await;
        if kept {
            while store.calls().is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        } else {
            let failure = StoreFailure::Failed("full".to_owned());
            let told = not_mirrored(&mut client).await;
            assert_eq!(told, (Some(own()), 2, failure));
        }
        assert_eq!(store.attempts.load(Ordering::SeqCst), 3);
        // The next ones are tried again.
        adds(&mut agent, ID, &["c"]).await;
        ends_a_turn(&mut agent).await;
        while store.calls().len() < 1 + usize::from(kept) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(store.calls().last().unwrap(), &(None, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_holds_nobody_up_and_is_given_up() {
    let store = Recorder::new(Then::Hang);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let begun = Instant::now();
    adds(&mut agent, ID, &["a"]).await;
    ends_a_turn(&mut agent).await;
    let receipt = json!({});
    let (answer, _) = tokio::join!(client.interrupt(), agent.answers(&receipt));
    answer.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    let failure = StoreFailure::TimedOut(Duration::from_secs(60));
    assert_eq!(
        not_mirrored(&mut client).await,
        (Some(own()), 1, failure),
        "it is not asked again: what it did may come to be"
    );
    assert_eq!(begun.elapsed(), Duration::from_secs(60));
    assert_eq!(store.attempts.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_store_that_panics_costs_what_it_was_given() {
    let (mut client, mut agent) =
        connect(Options::new().session_store(Recorder::new(Then::Panic))).await;
    adds(&mut agent, ID, &["a"]).await;
    ends_a_turn(&mut agent).await;
    let failure = StoreFailure::Panicked("a bug".to_owned());
    assert_eq!(not_mirrored(&mut client).await, (Some(own()), 1, failure));
}

#[tokio::test(start_paused = true)]
async fn closing_does_not_wait_for_ever_and_tells_all_that_is_lost() {
    let options = Options::new().session_store(Recorder::new(Then::Hang));
    let options = options.session_store_flush(StoreFlush::Eager);
    let (mut client, mut agent) = connect(options).await;
    for uuid in ["a", "b", "c"] {
        adds(&mut agent, ID, &[uuid]).await;
    }
    let begun = Instant::now();
    let far = async {
        while agent.input.next_line().await.unwrap().is_some() {}
        drop(agent);
    };
    tokio::join!(client.close(), far);
    assert_eq!(begun.elapsed(), Duration::from_secs(10));
    let mut lost = 0;
    while let Some(event) = client.next().await {
        if let Event::Notice(Notice::NotMirrored {
            entries, failure, ..
        }) = event.unwrap()
        {
            assert_eq!(failure, StoreFailure::SessionOver);
            lost += entries;
        }
    }
    assert_eq!(lost, 3);
}

#[tokio::test]
async fn what_belongs_to_no_transcript_is_told() {
    let (mut client, mut agent) = connect(Options::new().session_store(MemoryStore::new())).await;
    adds(&mut agent, "no-session", &["a", "b"]).await;
    let (key, entries, failure) = not_mirrored(&mut client).await;
    assert_eq!((key, entries), (None, 2));
    assert!(
        failure.to_string().contains("no-session.jsonl"),
        "{failure}"
    );
    agent
        .says(r#"{"type":"transcript_mirror","filePath":7}"#)
        .await;
    let (key, entries, failure) = not_mirrored(&mut client).await;
    assert_eq!((key, entries), (None, 0));
    assert!(matches!(failure, StoreFailure::Unreadable(_)), "{failure}");
}

#[tokio::test]
async fn without_a_store_it_is_a_message_like_any_other() {
    let (mut client, mut agent) = connect(Options::new()).await;
    adds(&mut agent, ID, &["a"]).await;
    let message = support::wait_for(&mut client, |event| match event {
        Event::Frame(frame) => Some(serde_json::from_slice::<Value>(frame.raw()).unwrap()),
        _ => None,
    })
    .await;
    assert_eq!(message["type"], "transcript_mirror");
    client.flush_store().await.unwrap();
}

#[test]
fn what_does_not_go_with_a_store_is_refused() {
    let options = || Options::new().session_store(MemoryStore::new());
    let line = options().command_line().unwrap();
    assert!(line.arguments.contains(&"--session-mirror".to_owned()));
    for refused in [
        options().persist_session(false),
        options().file_checkpointing(true),
    ] {
        let error = refused.command_line().unwrap_err().to_string();
        assert!(error.starts_with("the option `session_store`"), "{error}");
    }
}

/// What a session goes on from, with an agent that is a script.
#[cfg(unix)]
mod resuming {
    use super::*;
    use agentwire::{CloseStep, StoredSession, query};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::time::SystemTime;
    use support::{answering, line_of};
    use tempfile::TempDir;

    /// A folder with a home of a user's, and an agent that writes down where
    /// its configuration is, and its arguments.
    struct Place(TempDir);

    impl Place {
        fn new() -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(place.home().join(".claude/agents")).unwrap();
            place
        }

        fn home(&self) -> PathBuf {
            self.0.path().join("home")
        }

        fn file(&self, name: &str, content: &Value) {
            fs::write(self.home().join(name), content.to_string()).unwrap();
        }

        fn options(&self, then: &str) -> Options {
            let told = self.0.path().join("told");
            let then = format!(
                "echo \"${{CLAUDE_CONFIG_DIR-none}} $*\" > {}\n{then}",
                told.display()
            );
            answering(&self.0, "{}", &then)
                .clean_env()
                .env("PATH", std::env::var("PATH").unwrap())
                .env("HOME", self.home())
                .cwd(self.0.path())
        }

        /// Where the agent found its configuration, and its arguments.
        async fn told(&self) -> (PathBuf, String) {
            let line = line_of(&self.0.path().join("told")).await;
            let (folder, arguments) = line.split_once(' ').unwrap();
            (folder.into(), arguments.to_owned())
        }

        /// The key of a session here.
        fn key(&self, id: &str) -> TranscriptKey {
            TranscriptKey::in_directory(&self.0, id)
        }
    }

    const WAIT: &str = "cat > /dev/null";

    fn read(path: &Path) -> Value {
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    async fn filled(place: &Place) -> MemoryStore {
        let store = MemoryStore::new();
        let own = place.key(ID);
        let spread = "{\n  \"type\": \"assistant\",\n  \"uuid\": \"b\"\n}";
        let spread: Json = serde_json::from_str(spread).unwrap();
        store.append(&own, &[entry("a"), spread]).await.unwrap();
        let part = own.part("subagents/agent-a1");
        let known = |finished: bool| json!({ "type": "agent_metadata", "agentType": "crab", "finished": finished });
        let all = [known(false).into(), entry("x"), known(true).into()];
        store.append(&part, &all).await.unwrap();
        store
    }

    #[tokio::test]
    async fn a_session_goes_on_from_private_files_that_go_with_it() {
        let place = Place::new();
        place.file(
            ".claude/.credentials.json",
            &json!({ "claudeAiOauth": { "accessToken": "a", "refreshToken": "r" } }),
        );
        place.file(
            ".claude/settings.json",
            &json!({
                "model": "haiku", "enabledPlugins": { "a@b": true },
                "env": { "CLAUDE_CONFIG_DIR": "/x", "LANG": "C" },
            }),
        );
        place.file(".claude.json", &json!({ "userID": "u" }));
        let store = filled(&place).await;
        let options = place.options(WAIT).session_store(store).resume(ID);
        let mut client = Client::connect(options).await.unwrap();
        let (folder, arguments) = place.told().await;
        assert!(arguments.contains(&format!("--resume={ID}")), "{arguments}");
        assert!(arguments.contains("--session-mirror"), "{arguments}");
        assert!(!folder.starts_with(place.home()));

        let project = folder.join("projects").join(place.key(ID).project);
        let own = project.join(format!("{ID}.jsonl"));
        let lines = fs::read_to_string(&own).unwrap();
        let lines: Vec<Value> = (lines.lines())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let second = json!({ "type": "assistant", "uuid": "b" });
        assert_eq!(lines, [json!({ "type": "user", "uuid": "a" }), second]);
        let parts = project.join(ID).join("subagents");
        let said = read(&parts.join("agent-a1.jsonl"));
        assert_eq!(said, json!({ "type": "user", "uuid": "x" }));
        let known = read(&parts.join("agent-a1.meta.json"));
        assert_eq!(known, json!({ "agentType": "crab", "finished": true }));
        let credentials = folder.join(".credentials.json");
        let kept = json!({ "claudeAiOauth": { "accessToken": "a" } });
        assert_eq!(read(&credentials), kept);
        let kept = json!({ "model": "haiku", "env": { "LANG": "C" } });
        assert_eq!(read(&folder.join("settings.json")), kept);
        assert_eq!(read(&folder.join(".claude.json")), json!({ "userID": "u" }));
        assert!(!folder.join("agents").exists());
        for private in [&own, &credentials, &parts.join("agent-a1.jsonl")] {
            assert_eq!(mode(private), 0o600, "{}", private.display());
        }
        for private in [&folder, &project, &parts] {
            assert_eq!(mode(private), 0o700, "{}", private.display());
        }

        assert_eq!(client.close().await.step, CloseStep::Exited);
        assert!(!folder.exists());
    }

    #[tokio::test]
    async fn the_private_files_are_gone_when_the_last_event_has_come() {
        let place = Place::new();
        let store = filled(&place).await;
        // It exits when it has been told something.
        let options = place
            .options("read -r line")
            .session_store(store)
            .resume(ID);
        let mut answer = query("Hello?", options).await.unwrap();
        while answer.next().await.is_some() {}
        let (folder, _) = place.told().await;
        assert!(!folder.exists());
    }

    #[test]
    fn the_private_files_go_when_the_client_is_dropped_without_a_runtime() {
        let place = Place::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (client, folder) = runtime.block_on(async {
            let store = filled(&place).await;
            let options = place.options(WAIT).session_store(store).resume(ID);
            let client = Client::connect(options).await.unwrap();
            (client, place.told().await.0)
        });
        assert!(folder.exists());
        let pid = client.pid().unwrap();
        drop(runtime);
        drop(client);
        support::wait_until_gone(pid);
        let until = std::time::Instant::now() + support::LONG;
        while folder.exists() {
            assert!(std::time::Instant::now() < until, "it is left");
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn the_private_files_go_when_the_agent_does_not_start_up() {
        let place = Place::new();
        let store = filled(&place).await;
        let options = place.options(WAIT).session_store(store).resume(ID);
        let told = place.0.path().join("told");
        let text = format!("echo \"$CLAUDE_CONFIG_DIR\" > {}", told.display());
        let options = options.cli(support::script(&place.0, &text));
        let error = Client::connect(options).await.unwrap_err();
        assert!(matches!(error, Error::Ended(_)), "{error}");
        let folder = line_of(&told).await;
        assert!(folder.contains("agentwire-resume-"), "{folder}");
        assert!(!Path::new(&folder).exists());
    }

    #[tokio::test]
    async fn the_session_that_changed_last_is_continued() {
        let place = Place::new();
        let store = filled(&place).await;
        let last = "22222222-2222-4333-8444-555555555555";
        store.append(&place.key(last), &[entry("z")]).await.unwrap();
        let options = place.options(WAIT).session_store(store);
        let mut client = Client::connect(options.continue_latest(true))
            .await
            .unwrap();
        let (folder, arguments) = place.told().await;
        assert!(
            arguments.contains(&format!("--resume={last}")),
            "{arguments}"
        );
        assert!(!arguments.contains("--continue"), "{arguments}");
        let file = format!("projects/{}/{last}.jsonl", place.key(last).project);
        assert!(folder.join(file).exists());
        client.close().await;
    }

    #[tokio::test]
    async fn what_the_store_does_not_have_is_the_agents_own_affair() {
        for continues in [true, false] {
            let place = Place::new();
            let options = place.options(WAIT).session_store(MemoryStore::new());
            let options = match continues {
                true => options.continue_latest(true),
                false => options.resume(ID),
            };
            let mut client = Client::connect(options).await.unwrap();
            let (folder, arguments) = place.told().await;
            assert_eq!(folder, Path::new("none"));
            assert!(!arguments.contains("--continue"), "{arguments}");
            assert_eq!(arguments.contains("--resume="), !continues, "{arguments}");
            client.close().await;
        }
    }

    #[tokio::test]
    async fn a_store_that_cannot_answer_keeps_the_session_from_starting() {
        for (then, said) in [
            (Then::Fail(1), "no connection"),
            (Then::Hang, "longer than 10ms"),
            (Then::Panic, "it panicked: a bug"),
        ] {
            let place = Place::new();
            let options = place.options(WAIT).session_store(Recorder::new(then));
            let options = match then {
                Then::Hang => options.load_timeout(Duration::from_millis(10)),
                _ => options,
            };
            let error = Client::connect(options.clone().resume(ID))
                .await
                .unwrap_err();
            let Error::SessionStore { call, of, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!((*call, &**of), ("load", &*place.key(ID).to_string()));
            assert!(error.to_string().contains(said), "{error}");
            // It can list nothing.
            let error = Client::connect(options.continue_latest(true))
                .await
                .unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("does not implement `SessionStore::sessions`"),
                "{error}"
            );
            assert!(!place.0.path().join("told").exists(), "nothing was started");
        }
    }

    /// A store that would have files written where none belong.
    struct Outside;

    impl SessionStore for Outside {
        async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
            Ok(Some(vec![entry("a")]))
        }

        async fn sessions(&self, _: &str) -> Result<Vec<StoredSession>, StoreError> {
            let outside = "../../../../../../../../tmp/outside";
            Ok(vec![StoredSession::new(outside, SystemTime::now())])
        }

        async fn subpaths(&self, _: &TranscriptKey) -> Result<Vec<String>, StoreError> {
            Ok(vec!["subagents/../../../outside".to_owned()])
        }
    }

    #[tokio::test]
    async fn a_store_cannot_have_files_written_elsewhere() {
        let place = Place::new();
        let options = place.options(WAIT).session_store(Outside);
        let error = Client::connect(options.clone().resume(ID))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("leads outside the session"),
            "{error}"
        );
        let options = options.continue_latest(true);
        let mut client = Client::connect(options).await.unwrap();
        let (folder, arguments) = place.told().await;
        assert_eq!(folder, Path::new("none"), "{arguments}");
        assert!(!arguments.contains("--resume"), "{arguments}");
        client.close().await;
    }
}
