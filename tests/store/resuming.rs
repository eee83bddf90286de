//! Tests of the sources from which a session is resumed. A script is the agent.

use super::*;
use agentwire::process::CloseStep;
use agentwire::query;
use agentwire::store::Refused;
use agentwire::store::{StoredSession, Transcript};
use agentwire_testing::TempDir;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use support::{answering, line_of};

/// A folder with the home directory of a user, and an agent that records its
/// configuration directory and its arguments.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(agentwire_testing::tempdir().unwrap());
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

    /// Returns the agent's configuration directory and arguments.
    async fn recorded_start(&self) -> (PathBuf, String) {
        let line = line_of(&self.0.path().join("told")).await;
        let (folder, arguments) = line.split_once(' ').unwrap();
        (folder.into(), arguments.to_owned())
    }

    /// Returns the key of a session of this project.
    fn key(&self, id: &str) -> TranscriptKey {
        TranscriptKey::in_directory(&self.0, id).unwrap()
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
    let part = own.part("subagents/agent-a1").unwrap();
    let known = |finished: bool| json!({ "type": "agent_metadata", "agentType": "crab", "finished": finished });
    let all = [known(false).into(), entry("x"), known(true).into()];
    store.append(&part, &all).await.unwrap();
    store
}

#[tokio::test]
async fn a_session_resumes_from_private_files_that_are_removed_with_it() {
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
    let (folder, arguments) = place.recorded_start().await;
    assert!(arguments.contains(&format!("--resume={ID}")), "{arguments}");
    assert!(arguments.contains("--session-mirror"), "{arguments}");
    assert!(!folder.starts_with(place.home()));

    let project = folder.join("projects").join(place.key(ID).project());
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
async fn the_private_files_are_removed_before_the_last_event() {
    let place = Place::new();
    let store = filled(&place).await;
    // The agent exits after a message.
    let options = place
        .options("read -r line")
        .session_store(store)
        .resume(ID);
    let mut answer = query("Hello?", options).await.unwrap();
    while answer.next().await.is_some() {}
    let (folder, _) = place.recorded_start().await;
    assert!(!folder.exists());
}

/// Returns entries, each of which follows the one before.
fn chain(uuids: &str) -> Vec<Json> {
    let mut parent = Value::Null;
    let entries = uuids.chars().map(|uuid| {
        let uuid = uuid.to_string();
        let entry = json!({ "type": "user", "uuid": uuid, "parentUuid": parent });
        parent = uuid.into();
        entry.into()
    });
    entries.collect()
}

fn uuids(entries: &[Json]) -> String {
    let uuids = entries.iter().map(|it| it.to_value().unwrap());
    uuids
        .map(|it| it["uuid"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns a store with these entries of the session.
async fn store_with(place: &Place, entries: &[Json]) -> MemoryStore {
    let store = MemoryStore::new();
    if !entries.is_empty() {
        store.append(&place.key(ID), entries).await.unwrap();
    }
    store
}

/// Returns the path of the session's transcript in a configuration directory.
fn file_in(config: &Path, place: &Place) -> PathBuf {
    let project = config.join("projects").join(place.key(ID).project());
    fs::create_dir_all(&project).unwrap();
    project.join(format!("{ID}.jsonl"))
}

fn write(file: &Path, entries: &[Json]) {
    let lines: String = entries.iter().map(|it| format!("{it}\n")).collect();
    fs::write(file, lines).unwrap();
}

fn lines(file: &Path) -> Vec<Json> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

/// Returns all notices about the store until the session ends.
async fn notices(client: &mut Client) -> Vec<Notice> {
    let mut found = vec![];
    while let Some(event) = client.next().await {
        match event.unwrap() {
            Event::Notice(it @ Notice::NotMirrored { .. }) => found.push(it),
            Event::Notice(it @ Notice::StoreBehind { .. }) => found.push(it),
            _ => {}
        }
    }
    found
}

#[tokio::test]
async fn entries_only_on_this_machine_are_resumed_and_stored() {
    for (stored, here, resumed, kept, told) in [
        ("ab", "abcd", "abcd", "abcd", None),
        ("abcd", "ab", "abcd", "abcd", None),
        ("", "abc", "", "abc", None),
        (
            "abcd",
            "abx",
            "abcd",
            "abcd",
            Some((1, TranscriptFailure::Diverged)),
        ),
    ] {
        let place = Place::new();
        let own = file_in(&place.home().join(".claude"), &place);
        let here = match here {
            // The store contains another continuation of the session.
            "abx" => [chain("ab"), vec![chain("bx")[1].clone()]].concat(),
            here => chain(here),
        };
        write(&own, &here);
        let store = store_with(&place, &chain(stored)).await;
        let options = place.options(WAIT).session_store(store.clone()).resume(ID);
        let mut client = Client::connect(options).await.unwrap();
        let (folder, _) = place.recorded_start().await;
        if resumed.is_empty() {
            assert_eq!(
                folder,
                Path::new("none"),
                "only the agent's own files have it"
            );
        } else {
            assert_eq!(uuids(&lines(&file_in(&folder, &place))), resumed);
        }
        client.flush_store().await.unwrap();
        assert_eq!(uuids(&store.entries(&place.key(ID))), kept);
        client.close().await;
        let told = told.map(|(entries, failure)| Notice::NotMirrored {
            key: Some(place.key(ID)),
            entries,
            failure,
        });
        assert_eq!(notices(&mut client).await, Vec::from_iter(told));
        // The agent's own file is unchanged.
        assert_eq!(lines(&own), here);
    }
}

#[tokio::test]
async fn an_incomplete_session_is_resumed_only_if_allowed() {
    let place = Place::new();
    let holed = [chain("ab"), chain("abcd")[3..].to_vec()].concat();
    let store = store_with(&place, &holed).await;
    let options = || {
        let options = place.options(WAIT).session_store(store.clone());
        options.resume(ID)
    };
    let error = Client::connect(options()).await.unwrap_err();
    assert!(
        matches!(
            &error,
            Error::SessionStore {
                failure: TranscriptFailure::Hole,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("resume_with_holes"), "{error}");
    let mut client = Client::connect(options().resume_with_holes(true))
        .await
        .unwrap();
    let (folder, _) = place.recorded_start().await;
    assert_eq!(uuids(&lines(&file_in(&folder, &place))), "abd");
    client.close().await;

    // The transcript on this machine is complete, so it is resumed. The store is not
    // changed.
    write(
        &file_in(&place.home().join(".claude"), &place),
        &chain("abcde"),
    );
    fs::remove_file(place.0.path().join("told")).unwrap();
    let mut client = Client::connect(options()).await.unwrap();
    let (folder, _) = place.recorded_start().await;
    assert_eq!(uuids(&lines(&file_in(&folder, &place))), "abcde");
    client.close().await;
    assert_eq!(uuids(&store.entries(&place.key(ID))), "abde");
    let [
        Notice::NotMirrored {
            entries: 1,
            failure: TranscriptFailure::Hole,
            ..
        },
    ] = &notices(&mut client).await[..]
    else {
        panic!("it is not told");
    };
}

/// A store that fails, or that another host owns.
#[derive(Clone)]
struct UnreliableStore(MemoryStore, Arc<AtomicUsize>);

impl SessionStore for UnreliableStore {
    async fn append(&self, key: &TranscriptKey, all: &[Json]) -> Result<(), StoreError> {
        match self.1.load(Ordering::SeqCst) {
            0 => self.0.append(key, all).await,
            1 => Err("out of order".into()),
            _ => Err(Refused::new("another host has it").into()),
        }
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.0.load(key).await
    }
}

#[tokio::test]
async fn entries_that_were_not_stored_are_stored_by_the_next_session() {
    for trouble in [1, 2] {
        let place = Place::new();
        let kept = store_with(&place, &chain("ab")).await;
        let store = UnreliableStore(kept.clone(), Arc::new(AtomicUsize::new(trouble)));
        let entry = json!({ "type": "user", "uuid": "c", "parentUuid": "b" });
        let file = format!("projects/{}/{ID}.jsonl", place.key(ID).project());
        let message = json!({
            "type": "transcript_mirror", "filePath": format!("/{file}"), "entries": [entry],
        });
        let adds =
            format!("echo '{entry}' >> \"$CLAUDE_CONFIG_DIR/{file}\"\necho '{message}'\n{WAIT}");
        let options = place.options(&adds).session_store(store.clone());
        let options = options.session_store_flush(StoreFlush::Eager);
        let mut client = Client::connect(options.resume(ID)).await.unwrap();
        let (folder, _) = place.recorded_start().await;
        // The failure is reported during the session, or at its end.
        let refused = match trouble {
            1 => None,
            _ => Some(not_mirrored(&mut client).await),
        };
        client.close().await;
        let told = match refused {
            Some((_, entries, failure)) => (entries, failure),
            None => match notices(&mut client).await.pop() {
                Some(Notice::NotMirrored {
                    entries, failure, ..
                }) => (entries, failure),
                notice => panic!("{notice:?}"),
            },
        };
        let failure = match trouble {
            1 => TranscriptFailure::Failed("out of order".to_owned()),
            _ => TranscriptFailure::Refused("another host has it".to_owned()),
        };
        assert_eq!(told, (1, failure));
        assert!(!folder.exists());
        let own = file_in(&place.home().join(".claude"), &place);
        assert_eq!(uuids(&lines(&own)), "abc");
        assert_eq!(uuids(&kept.entries(&place.key(ID))), "ab");

        store.1.store(0, Ordering::SeqCst);
        let options = place.options(WAIT).session_store(store);
        let mut client = Client::connect(options.resume(ID)).await.unwrap();
        client.close().await;
        assert_eq!(notices(&mut client).await, []);
        assert_eq!(uuids(&kept.entries(&place.key(ID))), "abc");
    }
}

#[tokio::test]
async fn files_of_a_killed_program_are_resumed_and_removed_once_stored() {
    // The host of the private files may still run, the files may belong to another user,
    // or the session may have continued.
    for case in ["killed", "lives", "open to others", "gone on"] {
        let place = Place::new();
        let name = format!("agentwire-resume-{}", uuid::Uuid::new_v4());
        let left = std::env::temp_dir().join(name);
        let file = file_in(&left, &place);
        let mut here = chain("abcd");
        if case == "gone on" {
            here.swap_remove(2);
            here.pop();
            here.push(chain("bx")[1].clone());
        }
        write(&file, &here);
        let mode = if case == "open to others" {
            0o755
        } else {
            0o700
        };
        fs::set_permissions(&left, fs::Permissions::from_mode(mode)).unwrap();
        let lock = fs::File::create(left.join("agentwire.lock")).unwrap();
        if case == "lives" {
            lock.lock().unwrap();
        }
        let stored = if case == "gone on" { "abcd" } else { "ab" };
        let store = store_with(&place, &chain(stored)).await;
        // An agent that cannot be started does not remove the private files.
        let absent = place.options(WAIT).cli(place.home().join("absent"));
        let absent = absent.session_store(store.clone()).resume(ID);
        Client::connect(absent).await.unwrap_err();
        assert!(left.exists(), "{case}");
        let options = place.options(WAIT).session_store(store.clone());
        let mut client = Client::connect(options.resume(ID)).await.unwrap();
        let (folder, _) = place.recorded_start().await;
        let is_used = case == "killed";
        let all = if is_used { "abcd" } else { stored };
        assert_eq!(uuids(&lines(&file_in(&folder, &place))), all, "{case}");
        while is_used && left.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(left.exists(), !is_used, "{case}");
        client.close().await;
        let told = notices(&mut client).await;
        assert_eq!(
            told.len(),
            usize::from(case == "gone on"),
            "{case}: {told:?}"
        );
        assert_eq!(uuids(&store.entries(&place.key(ID))), all, "{case}");
        if !is_used {
            fs::remove_dir_all(left).unwrap();
        }
    }
}

#[test]
fn the_private_files_are_removed_when_the_client_is_dropped_without_a_runtime() {
    let place = Place::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (client, folder) = runtime.block_on(async {
        let store = filled(&place).await;
        let options = place.options(WAIT).session_store(store).resume(ID);
        let client = Client::connect(options).await.unwrap();
        (client, place.recorded_start().await.0)
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
async fn the_private_files_are_removed_if_the_agent_does_not_start() {
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
    let (folder, arguments) = place.recorded_start().await;
    assert!(
        arguments.contains(&format!("--resume={last}")),
        "{arguments}"
    );
    assert!(!arguments.contains("--continue"), "{arguments}");
    let file = format!("projects/{}/{last}.jsonl", place.key(last).project());
    assert!(folder.join(file).exists());
    client.close().await;
}

#[tokio::test]
async fn sessions_that_are_not_in_the_store_are_resumed_by_the_agent() {
    for continues in [true, false] {
        let place = Place::new();
        let options = place.options(WAIT).session_store(MemoryStore::new());
        let options = match continues {
            true => options.continue_latest(true),
            false => options.resume(ID),
        };
        let mut client = Client::connect(options).await.unwrap();
        let (folder, arguments) = place.recorded_start().await;
        assert_eq!(folder, Path::new("none"));
        assert!(!arguments.contains("--continue"), "{arguments}");
        assert_eq!(arguments.contains("--resume="), !continues, "{arguments}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_failing_store_prevents_the_start_of_the_session() {
    for (then, said) in [
        (AppendOutcome::Fail(1), "no connection"),
        (AppendOutcome::Hang, "longer than 10ms"),
        (AppendOutcome::Panic, "it panicked: a bug"),
    ] {
        let place = Place::new();
        let options = place.options(WAIT).session_store(Recorder::new(then));
        let options = match then {
            AppendOutcome::Hang => options.load_timeout(Duration::from_millis(10)),
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
        // The store cannot list its sessions.
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

/// A store that returns a path outside the configuration directory.
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
async fn a_store_cannot_write_files_outside_the_configuration_directory() {
    let place = Place::new();
    let options = place.options(WAIT).session_store(Outside);
    let error = Client::connect(options.clone().resume(ID))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("the subpath"), "{error}");
    let options = options.continue_latest(true);
    let mut client = Client::connect(options).await.unwrap();
    let (folder, arguments) = place.recorded_start().await;
    assert_eq!(folder, Path::new("none"), "{arguments}");
    assert!(!arguments.contains("--resume"), "{arguments}");
    client.close().await;
}

/// A store that can load a session only with `load_session`.
struct LoadsAtOnce(Vec<Transcript>);

impl SessionStore for LoadsAtOnce {
    async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        Err("loaded one by one".into())
    }

    async fn subpaths(&self, _: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        Err("listed".into())
    }

    async fn load_session(&self, _: &TranscriptKey) -> Result<Option<Vec<Transcript>>, StoreError> {
        Ok(Some(self.0.clone()))
    }
}

#[tokio::test]
async fn a_store_can_load_a_session_with_one_call() {
    let place = Place::new();
    let own = place.key(ID);
    let store = LoadsAtOnce(vec![
        (own.part("subagents/agent-b").unwrap(), vec![entry("b")]),
        (own.part("subagents/agent-a").unwrap(), vec![entry("a")]),
        (own.clone(), vec![entry("own")]),
        (own.part("subagents/agent-c").unwrap(), vec![]),
    ]);
    let options = place.options(WAIT).session_store(store).resume(ID);
    let mut client = Client::connect(options).await.unwrap();
    let (folder, _) = place.recorded_start().await;
    let project = folder.join("projects").join(own.project());
    let parts = project.join(ID).join("subagents");
    let files = [
        (project.join(format!("{ID}.jsonl")), "own"),
        (parts.join("agent-a.jsonl"), "a"),
        (parts.join("agent-b.jsonl"), "b"),
    ];
    for (file, uuid) in files {
        assert_eq!(read(&file), json!({ "type": "user", "uuid": uuid }));
    }
    assert!(!parts.join("agent-c.jsonl").exists());
    client.close().await;
}

#[tokio::test]
async fn transcripts_of_another_session_in_one_call_are_refused() {
    let place = Place::new();
    let own = place.key(ID);
    let others = [
        TranscriptKey::new(own.project(), "another").unwrap(),
        TranscriptKey::new("another", ID).unwrap(),
    ];
    for other in others {
        let store = LoadsAtOnce(vec![
            (own.clone(), vec![entry("a")]),
            (other, vec![entry("b")]),
        ]);
        let options = place.options(WAIT).session_store(store).resume(ID);
        let error = Client::connect(options).await.unwrap_err();
        let said = error.to_string();
        assert!(said.contains("belongs to another session"), "{said}");
    }
    // A session without its main transcript does not exist.
    let store = LoadsAtOnce(vec![(
        own.part("subagents/agent-b").unwrap(),
        vec![entry("b")],
    )]);
    let options = place.options(WAIT).resume_from(store, ID);
    let error = Client::connect(options).await.unwrap_err();
    let Error::SessionStore { failure, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(failure, TranscriptFailure::Missing);
}

#[tokio::test]
async fn resuming_a_session_that_is_not_in_the_store_is_an_error() {
    let place = Place::new();
    let store = MemoryStore::new();
    for id in [ID, "not an ID"] {
        let options = place.options(WAIT).resume_from(store.clone(), id);
        let error = Client::connect(options).await.unwrap_err();
        let Error::SessionStore { call, failure, .. } = error else {
            panic!("{error}");
        };
        assert_eq!((call, failure), ("load", TranscriptFailure::Missing));
    }
    let key = place.key(ID);
    let entry = Json::from(json!({ "type": "user", "uuid": "1" }));
    store.append(&key, &[entry]).await.unwrap();
    let options = place.options(WAIT).resume_from(store, ID);
    let mut client = Client::connect(options).await.unwrap();
    let (_, arguments) = place.recorded_start().await;
    assert!(arguments.contains(&format!("--resume={ID}")), "{arguments}");
    client.close().await;
}
