//! Sessions in homes: resuming them, and what they share with other homes.

use super::places::write;
use super::{options, quiet};
use agentwire::protocol::permission::PermissionResult;
use agentwire::store::MemoryStore;
use agentwire::{Client, Error, Options};
use agentwire_pool::home::{Credentials, Home, Shared};
use agentwire_testing::TempDir;
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::io::Read;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

/// Two homes, a working directory for both, and the model.
struct World {
    folder: TempDir,
    anna: Home,
    bert: Home,
    model: ScriptedModel,
}

impl World {
    async fn new(scenario: Scenario) -> Self {
        let folder = agentwire_testing::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let home = |name: &str| {
            let home = Home::new(folder.path().join(name)).unwrap();
            home.credentials(Credentials::ApiKey(format!("key-of-{name}")))
        };
        Self {
            anna: home("anna"),
            bert: home("bert"),
            model: ScriptedModel::start(scenario).await.unwrap(),
            folder,
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn options(&self, home: &Home) -> Options {
        quiet(home.apply(options(&self.project())), &self.model.url())
    }

    /// Returns the last request of the main loop.
    fn last(&self) -> String {
        let requests = self.model.requests();
        let last = requests.iter().rfind(|it| it.reply().is_some());
        last.unwrap().body.as_ref().unwrap().to_string()
    }
}

/// Sends a prompt and returns the session ID.
async fn ask(prompt: &str, options: Options) -> Result<String, Error> {
    let mut client = Client::connect(options).await?;
    let result = client.prompt(prompt).await;
    client.close().await;
    Ok(result?.session_id.clone().unwrap())
}

fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")]).repeated()
}

#[tokio::test]
async fn a_session_is_resumed_in_its_home_and_in_no_other() {
    let world = World::new(hello()).await;
    let id = ask("My name is Ferris.", world.options(&world.anna));
    let id = id.await.unwrap();
    let resumed = ask("What is it?", world.options(&world.anna).resume(&id));
    assert_eq!(resumed.await.unwrap(), id);
    assert!(world.last().contains("My name is Ferris."));
    let error = ask("What is it?", world.options(&world.bert).resume(&id)).await;
    let error = error.unwrap_err();
    assert!(matches!(error, Error::NoSuchSession { .. }), "{error}");
    world.anna.remove().unwrap();
}

/// The session's files are restored into a private folder, with the settings of the new home.
#[tokio::test]
async fn a_session_is_resumed_from_a_store_in_another_home() {
    let world = World::new(hello()).await;
    let store = MemoryStore::new();
    for (home, language) in [(&world.anna, "Annaic"), (&world.bert, "Bertish")] {
        let settings = json!({ "language": language }).to_string();
        write(home.config().join("settings.json"), settings);
    }
    let options = world.options(&world.anna).session_store(store.clone());
    let id = ask("My name is Ferris.", options).await.unwrap();
    assert!(world.last().contains("Annaic"));
    world.anna.remove().unwrap();

    let options = world.options(&world.bert).resume_from(store, &id);
    assert_eq!(ask("What is it?", options).await.unwrap(), id);
    let last = world.last();
    assert!(last.contains("My name is Ferris.") && last.contains("Bertish"));
    // The transcript contains context from the first home.
    assert!(last.contains("Annaic"));
}

/// Shows each of [`Shared`] with a session, except managed settings, which only an administrator
/// can install, and resources.
#[tokio::test]
async fn what_is_not_isolated_is_shared() {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = service.local_addr().unwrap().port();
    let folder = agentwire_testing::tempdir().unwrap();
    let file = folder.path().join("file");
    write(&file, "file of the user");
    let of_the_user = printed("eval echo ~$(id -un)");
    let commands = [
        format!("cat '{}'", file.display()),
        "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep key-of-bert".to_owned(),
        format!("printf hello > /dev/tcp/127.0.0.1/{port}"),
        "echo PATH=$PATH".to_owned(),
        "eval echo database: ~$(id -un)".to_owned(),
        "git config user.name".to_owned(),
    ];
    let call = Step::tool("Bash", json!({ "command": commands.join("; ") }), "");
    let scenario = Scenario::default().reply([Step::text("Hello.")]);
    let scenario = scenario.reply([call]).reply([Step::text("Done.")]);
    let world = World::new(scenario).await;
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let done = git.current_dir(world.project()).args(arguments).status();
        assert!(done.unwrap().success());
    };
    git(&["init", "--quiet", "--initial-branch=branch-of-the-project"]);
    git(&["config", "user.name", "name-in-the-project"]);

    let mut bert = Client::connect(world.options(&world.bert)).await.unwrap();
    bert.prompt("Hello?").await.unwrap();
    let allow = |_| async { PermissionResult::allow() };
    let options = world.options(&world.anna).on_permission(allow);
    ask("Look around.", options).await.unwrap();
    bert.close().await;

    let last = world.last();
    let mut received = String::new();
    let (mut connection, _) = service.accept().unwrap();
    connection.read_to_string(&mut received).unwrap();
    let is_seen = |shared: &Shared| match shared {
        Shared::Files => last.contains("file of the user"),
        Shared::Processes => last.contains("ANTHROPIC_API_KEY=key-of-bert"),
        Shared::Network => received == "hello",
        Shared::Programs => last.contains(&format!("PATH={}", std::env::var("PATH").unwrap())),
        Shared::UserDatabase => last.contains(&format!("database: {of_the_user}")),
        Shared::WorkingDirectory => {
            last.contains("branch-of-the-project") && last.contains("name-in-the-project")
        }
        _ => true,
    };
    let missing: Vec<_> = Shared::ALL.iter().filter(|it| !is_seen(it)).collect();
    assert!(missing.is_empty(), "{missing:?}: {last}");
}

fn printed(command: &str) -> String {
    let output = Command::new("bash").args(["-c", command]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
