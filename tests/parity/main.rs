//! Compares our options with those of the official SDK for TypeScript. For the same sets
//! of options, both start an agent that records its arguments and its input. Unexplained
//! differences fail. `scripts/real parity` installs the SDK and runs this test.

#![allow(clippy::unwrap_used)]

mod aliases;
mod explained;
mod options;
mod recording;
mod sets;

use agentwire::{Options, query};
use agentwire_testing::TempDir;
use explained::Explanations;
use recording::Recording;
use serde_json::{Value, json};
use sets::Set;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The number of concurrent sessions of our SDK.
const AT_ONCE: usize = 16;

/// The recording of a set that must be refused.
const REFUSED: &str = "refused";

/// The result of each set, by its name.
type Outcomes = BTreeMap<String, Result<(), String>>;

/// Returns the folder of the official SDK.
fn official_sdk() -> PathBuf {
    let folder = std::env::var_os("AGENTWIRE_OFFICIAL_SDK")
        .map(PathBuf::from)
        .expect(
            "AGENTWIRE_OFFICIAL_SDK is not set: run scripts/real parity, which installs the SDK",
        );
    assert!(
        folder.join("sdk.mjs").exists(),
        "the official SDK is not in {}: run scripts/real parity, which installs it",
        folder.display()
    );
    folder
}

/// Returns the folder of the official SDK for Python.
fn python_sdk() -> PathBuf {
    let folder = std::env::var_os("AGENTWIRE_PYTHON_SDK").map(PathBuf::from);
    folder
        .expect("AGENTWIRE_PYTHON_SDK is not set: run scripts/real parity, which installs the SDK")
}

/// Returns the path of the recording agent. It is an example, because tests have no
/// binaries.
fn recorder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(2).unwrap();
    let path = target.join("examples/parity_recorder");
    assert!(
        path.exists(),
        "{} is not built: run scripts/real parity, which builds it",
        path.display()
    );
    path
}

/// The folders of one SDK, one for each set. The agent of a set writes its recording to
/// the folder of the set.
struct Folders(TempDir);

impl Folders {
    fn new(sets: &[Set]) -> Self {
        let folders = Self(agentwire_testing::tempdir().unwrap());
        for set in sets {
            std::fs::create_dir(folders.of(set)).unwrap();
            std::os::unix::fs::symlink(recorder(), folders.agent(set)).unwrap();
        }
        folders.create_home();
        folders
    }

    /// Creates the files of a user's home directory.
    fn create_home(&self) {
        let config = self.root().join(".claude");
        std::fs::create_dir_all(config.join("agents")).unwrap();
        std::fs::create_dir_all(config.join("state")).unwrap();
        let account = json!({ "accessToken": "a", "refreshToken": "r", "expiresAt": 1 });
        let settings = json!({
            "outputStyle": "terse",
            "enabledPlugins": { "crabs@sea": true },
            "extraKnownMarketplaces": {},
            "env": { "CLAUDE_CONFIG_DIR": "/elsewhere", "LANG": "C" },
        });
        let hybrid = json!({ "a": 1 });
        for (name, content) in [
            (
                ".credentials.json",
                json!({ "claudeAiOauth": account, "b": {} }),
            ),
            ("settings.json", settings.clone()),
            ("cowork_settings.json", settings),
            (".config.json", json!({ "c": 1 })),
            ("state/hybrid-settings.json", hybrid),
            ("agents/crab.md", json!("You are a crab.")),
            ("../.claude.json", json!({ "userID": "u" })),
        ] {
            std::fs::write(config.join(name), content.to_string()).unwrap();
        }
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn of(&self, set: &Set) -> PathBuf {
        self.root().join(&set.name)
    }

    fn agent(&self, set: &Set) -> PathBuf {
        self.of(set).join("agent")
    }

    /// Returns the environment that both SDKs have.
    fn environment(&self) -> [(&'static str, String); 2] {
        let path = std::env::var("PATH").unwrap();
        [("PATH", path), ("HOME", self.root().display().to_string())]
    }
}

/// Runs all sets with the official SDK, in one process.
async fn run_official_sdk(sets: &[Set], folders: &Folders) -> Outcomes {
    let all = sets.iter().map(|set| {
        let mut options = set.official.clone();
        options["pathToClaudeCodeExecutable"] = folders.agent(set).display().to_string().into();
        json!({ "name": set.name, "options": options })
    });
    let all: Value = all.collect();
    let mut node = Command::new("node")
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/parity/drive.mjs"
        ))
        .arg(official_sdk().join("sdk.mjs"))
        .env_clear()
        .envs(folders.environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node does not start: install it, and run scripts/real parity");
    let mut stdin = node.stdin.take().unwrap();
    stdin.write_all(all.to_string().as_bytes()).await.unwrap();
    drop(stdin);
    let output = node.wait_with_output().await.unwrap();
    let said: BTreeMap<String, Option<String>> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| {
            panic!(
                "drive.mjs failed: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
    said.into_iter()
        .map(|(name, failed)| (name, failed.map_or(Ok(()), Err)))
        .collect()
}

/// Runs all sets with our SDK.
async fn run_our_sdk(sets: &[Set], folders: &Folders) -> Outcomes {
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for set in sets {
        let options = Options::new().cli(folders.agent(set)).clean_env();
        let environment = folders.environment().into_iter();
        let options = environment.fold(options, |all, (name, value)| all.env(name, value));
        let options = set
            .ours
            .iter()
            .fold(options, |options, change| change(options));
        let name = set.name.clone();
        let at_once = Arc::clone(&at_once);
        running.spawn(async move {
            let _turn = at_once.acquire_owned().await.unwrap();
            let outcome = async { query("Hello.", options).await?.result().await }.await;
            let outcome = outcome.map(drop).map_err(|error| error.to_string());
            (name, outcome)
        });
    }
    running.join_all().await.into_iter().collect()
}

/// Returns the recording of a set by one SDK. If the set must be refused, returns whether
/// the SDK refused it without starting an agent.
fn seen(
    side: &str,
    set: &Set,
    outcomes: &Outcomes,
    folders: &Folders,
) -> Result<Recording, String> {
    let folder = folders.of(set);
    if set.is_refused {
        let is_refused = outcomes[&set.name].is_err() && !recording::exists(&folder);
        return Ok([(REFUSED.to_owned(), is_refused.into())].into());
    }
    (outcomes[&set.name].clone())
        .and_then(|()| recording::read(&folder))
        .map_err(|problem| format!("{}: {side}: {problem}", set.name))
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sdks_start_the_cli_alike_except_for_explained_differences() {
    let sets = sets::all();
    let [theirs, ours] = [(); 2].map(|()| Folders::new(&sets));
    let (their_outcomes, our_outcomes) =
        tokio::join!(run_official_sdk(&sets, &theirs), run_our_sdk(&sets, &ours));

    let mut explanations = Explanations::new();
    let mut complaints = Vec::new();
    for set in &sets {
        let theirs = seen("theirs", set, &their_outcomes, &theirs);
        let ours = seen("ours", set, &our_outcomes, &ours);
        match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => {
                let is_refused = [&theirs, &ours]
                    .iter()
                    .any(|side| side.get(REFUSED) == Some(&true.into()));
                if set.is_refused && !is_refused {
                    complaints.push(format!("{}: nobody refuses it", set.name));
                }
                complaints.extend(explanations.unexplained(&set.name, &set.parts, &theirs, &ours));
            }
            (theirs, ours) => complaints.extend(theirs.err().into_iter().chain(ours.err())),
        }
    }
    complaints.extend(explanations.stale());
    agentwire_testing::counted(sets.len(), "sets of options");
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_sets_are_many_and_have_unique_names() {
    let sets = sets::all();
    assert!(sets.len() >= 60, "{}", sets.len());
    for (place, set) in sets.iter().enumerate() {
        let others = &sets[..place];
        assert!(
            others.iter().all(|other| other.name != set.name),
            "{}",
            set.name
        );
    }
}

#[test]
fn every_option_of_the_official_sdk_has_a_counterpart_or_a_reason() {
    let complaints = options::differences(&official_sdk(), &sets::all());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn names_of_the_official_sdks_are_aliases() {
    let complaints = aliases::differences(&official_sdk(), &python_sdk(), options::named());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
