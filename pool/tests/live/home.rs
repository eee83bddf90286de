//! Homes: what an agent sees of the user that runs the program, and of other tenants.
//!
//! The program is a child process of the test, with the environment of the planted user.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod evidence;
mod places;
mod sessions;
mod tap;

use agentwire::protocol::agent_definition::{AgentDefinition, AgentMemory};
use agentwire::protocol::permission::PermissionResult;
use agentwire::{Client, ClosePolicy, Event, Options};
use agentwire_pool::home::{Credentials, Home};
use agentwire_testing::TempDir;
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Scenario, Step};
use evidence::Evidence;
use places::{ContentOwner, KEY, PERMISSIONS, PLACES, Place, STORED, User, Visibility};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tap::Tap;
use tokio::process::Command;
use tokio::task::JoinSet;

/// A timeout that only a broken test exceeds, even on a busy machine.
const LONG: Duration = Duration::from_secs(120);

/// The variable with the sessions of the program.
const SESSIONS: &str = "SESSIONS_OF_THE_TEST";

const CLI: &str = "AGENTWIRE_LIVE_CLI";

fn cli() -> PathBuf {
    let path = env::var_os(CLI).expect("run the live tests with scripts/real live");
    path.into()
}

fn options(cwd: &Path) -> Options {
    Options::new()
        .cli(cli())
        .cwd(cwd)
        .request_timeout(LONG)
        .close_policy(ClosePolicy::default().exit(LONG).terminate(LONG).kill(LONG))
}

/// A session of the program.
#[derive(Serialize, Deserialize)]
struct Session {
    cwd: PathBuf,
    /// The folder of its home, if it gets one.
    home: Option<PathBuf>,
    key: Option<String>,
    sources: Option<Vec<String>>,
    url: String,
    /// The file for all messages of the CLI.
    reported: PathBuf,
}

/// Runs a session as a program of the user does.
async fn run(session: Session) {
    let keeper = AgentDefinition::new("Keeps.", "You keep.").memory(AgentMemory::User);
    let mut options = options(&session.cwd)
        .agents([("keeper", keeper)])
        .on_permission(|ask| async move {
            // Runs only if the user's settings allow it.
            match ask.request.input.to_string().contains("sh -c") {
                true => PermissionResult::deny("No."),
                false => PermissionResult::allow(),
            }
        });
    if let Some(folder) = session.home {
        let mut home = Home::new(folder).unwrap();
        if let Some(key) = session.key {
            home = home.credentials(Credentials::ApiKey(key));
        }
        options = quiet(home.apply(options), &session.url);
    }
    if let Some(sources) = session.sources {
        options = options.setting_sources(sources);
    }
    let mut client = Client::connect(options).await.unwrap();
    let mut reported = serde_json::to_string(client.initialized()).unwrap();
    client.send("Look around.").turn_ended().await.unwrap();
    client.close().await;
    while let Some(event) = client.next().await {
        if let Ok(Event::Frame(frame)) = event {
            reported.push_str(str::from_utf8(frame.raw()).unwrap());
        }
    }
    fs::write(session.reported, reported).unwrap();
}

fn quiet(options: Options, url: &str) -> Options {
    options
        .env("ANTHROPIC_BASE_URL", url)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
}

#[tokio::test]
#[ignore = "the program of the other tests"]
async fn host_program() {
    let sessions: Vec<Session> = serde_json::from_str(&env::var(SESSIONS).unwrap()).unwrap();
    let all: JoinSet<()> = sessions.into_iter().map(run).collect();
    all.join_all().await;
}

/// The user that runs the program, and the folder with everything of a test.
struct Machine {
    folder: TempDir,
    user: User,
}

impl Machine {
    /// Plants the user's places, with these logins.
    fn new(logins: &[&str]) -> Self {
        let folder = agentwire_testing::tempdir().unwrap();
        let [home, tmp, ran] = ["user", "user-tmp", "ran"].map(|it| folder.path().join(it));
        let user = User {
            code: 'a',
            config: home.join(".claude"),
            account: home.clone(),
            cwd: home.join("code/project"),
            home,
            tmp,
            ran,
        };
        for folder in [&user.cwd, &user.tmp, &user.ran] {
            fs::create_dir_all(folder).unwrap();
        }
        user.write_marks(|place| {
            place.owner != ContentOwner::Login || logins.contains(&place.name)
        });
        Self { folder, user }
    }

    /// Creates a tenant with a home below this folder.
    fn tenant(&self, code: char) -> User {
        let folder = self.folder.path().join(format!("tenant-{code}"));
        Home::new(&folder).unwrap();
        let cwd = self.user.home.join(format!("code/{code}"));
        fs::create_dir(&cwd).unwrap();
        User {
            code,
            home: folder.join("home"),
            config: folder.join("config"),
            account: folder.join("config"),
            tmp: folder.join("tmp"),
            cwd,
            ran: self.user.ran.clone(),
        }
    }

    /// Runs the program as the user, with a session for each of these, and returns what was seen
    /// of each.
    async fn run(&self, sessions: Vec<Planned<'_>>, logins: &[&str]) -> Vec<Evidence> {
        let (mut jobs, mut running) = (vec![], vec![]);
        for planned in sessions {
            let model = ScriptedModel::start(planned.scenario()).await.unwrap();
            let tap = Tap::start(&model).await;
            let user = planned.user;
            let reported = self.folder.path().join(format!("reported-{}", user.code));
            jobs.push(Session {
                cwd: user.cwd.clone(),
                home: planned.home,
                key: planned.key,
                sources: planned.sources,
                url: tap.url.clone(),
                reported: reported.clone(),
            });
            running.push((model, tap, reported, user.cwd.clone()));
        }
        let user = &self.user;
        let mut program = Command::new(env::current_exe().unwrap());
        program
            .args(["--exact", "--ignored", "--nocapture", "home::host_program"])
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap())
            .env("HOME", &user.home)
            .env("TMPDIR", &user.tmp)
            .env(CLI, cli())
            .env(SESSIONS, serde_json::to_string(&jobs).unwrap())
            .env("ANTHROPIC_BASE_URL", &jobs[0].url)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("CLAUDE_CODE_ENABLE_TELEMETRY", "1")
            .env("OTEL_LOGS_EXPORTER", "otlp")
            .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &jobs[0].url);
        for place in PLACES {
            let value = match place.owner {
                ContentOwner::Variable(value) => value,
                ContentOwner::Login if place.name == KEY && logins.contains(&KEY) => "{}",
                _ => continue,
            };
            program.env(place.name, value.replace("{}", &user.mark(place)));
        }
        let output = program.stdin(Stdio::null()).output().await.unwrap();
        assert!(output.status.success(), "{output:?}");
        let evidence = running.into_iter().map(|(_, tap, reported, cwd)| Evidence {
            sent: tap.sent(),
            reported: fs::read_to_string(reported).unwrap(),
            ran: self.ran_in(&cwd),
        });
        evidence.collect()
    }

    /// Returns the marks of programs that ran in this working directory.
    fn ran_in(&self, cwd: &Path) -> Vec<String> {
        let files = fs::read_dir(&self.user.ran).unwrap().map(Result::unwrap);
        let ran = files.filter(|file| {
            let text = fs::read_to_string(file.path()).unwrap();
            text.lines().any(|line| Path::new(line) == cwd)
        });
        ran.map(|file| file.file_name().into_string().unwrap())
            .collect()
    }

    /// Returns the files of the user, with their sizes.
    fn files(&self) -> BTreeMap<PathBuf, u64> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.user.home.clone(), self.user.tmp.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let metadata = entry.metadata().unwrap();
                match metadata.is_dir() {
                    true => folders.push(entry.path()),
                    false => drop(files.insert(entry.path(), metadata.len())),
                }
            }
        }
        files
    }
}

/// A session that is about to run.
struct Planned<'a> {
    user: &'a User,
    home: Option<PathBuf>,
    key: Option<String>,
    sources: Option<Vec<String>>,
    /// The marks of programs that start beside the turn.
    awaited: Vec<String>,
}

impl<'a> Planned<'a> {
    fn new(user: &'a User, sees: impl Fn(&Place) -> bool) -> Self {
        let starts = |place: &&Place| {
            matches!(place.visibility, Visibility::Ran) && place.name != PERMISSIONS && sees(place)
        };
        Self {
            user,
            home: None,
            key: None,
            sources: None,
            awaited: (PLACES.iter().filter(starts).map(|it| user.mark(it))).collect(),
        }
    }

    fn scenario(&self) -> Scenario {
        let bash = |command: &str| Step::tool("Bash", json!({ "command": command }), "");
        let permissions = PLACES.iter().find(|it| it.name == PERMISSIONS).unwrap();
        let allowed = self.user.command(&self.user.mark(permissions));
        let files = self.awaited.iter().map(|it| self.user.ran.join(it));
        let waits =
            files.map(|it| format!("until [ -e '{}' ]; do sleep 0.05; done;", it.display()));
        let waits: String = waits.collect();
        let task = json!({ "description": "d", "prompt": "p", "subagent_type": "keeper",
            "run_in_background": false });
        let look = "env; ls -A \"$TMPDIR\"; git config --list";
        let mut scenario = Scenario::default()
            .reply([bash(&format!("sh -c \"{allowed}\""))])
            .reply([Step::tool("Agent", task, "")])
            .reply([bash(&format!("{waits} {look}"))])
            .reply([Step::text("Done.")]);
        scenario.subagents = vec![vec![Step::text("Done.")].into()];
        scenario
    }
}

#[tokio::test]
async fn a_session_without_a_home_sees_everything_of_the_user() {
    let logins = PLACES
        .iter()
        .filter(|place| place.owner == ContentOwner::Login);
    for login in logins.map(|place| place.name) {
        let machine = Machine::new(&[login]);
        let files = machine.files();
        let sees = |place: &Place| place.owner != ContentOwner::Login || place.name == login;
        let session = Planned::new(&machine.user, sees);
        let evidence = machine.run(vec![session], &[login]).await;
        evidence[0].assert_sees(&machine.user, sees);
        assert_ne!(machine.files(), files);
    }
}

/// A program runs sessions of three tenants at once. The homes of two tenants have marks in the
/// same places as the user's home; the home of the third is empty.
#[tokio::test]
async fn tenants_see_nothing_of_the_user_and_of_each_other() {
    let logins = [KEY, STORED, "settings.json: apiKeyHelper"];
    let machine = Machine::new(&logins);
    let [with_key, with_login, empty] = ['b', 'c', 'd'].map(|code| machine.tenant(code));
    let own = |place: &Place| place.owner == ContentOwner::User;
    let own_and = |login| move |place: &Place| own(place) || place.name == login;
    with_key.write_marks(own);
    with_login.write_marks(own_and(STORED));
    let files = machine.files();

    let key = PLACES.iter().find(|place| place.name == KEY).unwrap();
    let session = |user, key, sees: &dyn Fn(&Place) -> bool| {
        let user: &User = user;
        Planned {
            home: user.config.parent().map(Path::to_owned),
            key,
            ..Planned::new(user, sees)
        }
    };
    let sessions = vec![
        session(&with_key, Some(with_key.mark(key)), &own),
        session(&with_login, None, &own),
        session(&empty, Some("key".to_owned()), &|_| false),
    ];
    let evidence = machine.run(sessions, &logins).await;
    let users = [&with_key, &with_login, &empty, &machine.user];
    for (index, evidence) in evidence.iter().enumerate() {
        for (_, other) in users.iter().enumerate().filter(|(it, _)| *it != index) {
            evidence.assert_sees_nothing_of(other);
        }
    }
    evidence[0].assert_sees(&with_key, own_and(KEY));
    evidence[1].assert_sees(&with_login, own_and(STORED));
    assert_eq!(machine.files(), files);
}

/// Settings of the project are the choice of the program. They include those of all parents of
/// the working directory, and the folder `.claude` of a home above it.
#[tokio::test]
async fn settings_of_the_project_include_those_of_a_home_above_it() {
    let machine = Machine::new(&[]);
    let tenant = machine.tenant('b');
    let above = [
        "CLAUDE.md",
        "rules",
        "agents",
        "commands",
        "skills",
        "workflows",
        "~/CLAUDE.md",
        "~/.mcp.json",
        "~/code/.claude/skills",
    ];
    let sees = |place: &Place| above.contains(&place.name);
    let awaited = Planned::new(&machine.user, sees).awaited;
    let session = Planned {
        awaited,
        home: tenant.config.parent().map(Path::to_owned),
        key: Some("key".to_owned()),
        sources: Some(vec!["user".to_owned(), "project".to_owned()]),
        ..Planned::new(&tenant, |_| false)
    };
    let evidence = machine.run(vec![session], &[]).await;
    evidence[0].assert_sees(&machine.user, sees);
}
