//! Homes, without the real CLI.

use agentwire::process::PassedEnvironment;
use agentwire::{Client, Error, Options};
use agentwire_pool::home::{Credentials, Home, Shared};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn environment(home: &Home) -> PassedEnvironment {
    home.apply(Options::new()).passed_environment()
}

fn fake(home: &Home) -> Options {
    let scenario = Scenario::default().reply([Step::text("Hello.")]).repeated();
    let options = Options::new().cli(crate::fake_agent_path());
    home.apply(options)
        .env(fake_agent::SCRIPT, scenario.to_json())
}

#[test]
fn a_session_gets_the_folders_of_its_home_and_inherits_only_the_path() {
    let folder = agentwire_testing::tempdir().unwrap();
    let home = Home::new(folder.path().join("new/anna")).unwrap();
    let home = home.credentials(Credentials::ApiKey("secret".to_owned()));
    let options = Options::new()
        .env("HTTPS_PROXY", "http://proxy")
        .env("CLAUDE_CONFIG_DIR", "/elsewhere");
    let options = home.apply(options);
    let passed = options.passed_environment();
    let folder = folder.path().join("new/anna");
    for (variable, value) in [
        ("CLAUDE_CONFIG_DIR", "config"),
        #[cfg(not(windows))]
        ("HOME", "home"),
        #[cfg(not(windows))]
        ("TMPDIR", "tmp"),
        #[cfg(windows)]
        ("USERPROFILE", "home"),
        #[cfg(windows)]
        ("TEMP", "tmp"),
    ] {
        let value = folder.join(value);
        assert!(value.is_dir());
        assert_eq!(passed.get(variable), Some(value.as_os_str()), "{variable}");
    }
    assert_eq!(home.config(), folder.join("config"));
    assert_eq!(passed.get("HTTPS_PROXY"), Some(OsStr::new("http://proxy")));
    assert_eq!(passed.get("ANTHROPIC_API_KEY"), Some(OsStr::new("secret")));
    assert_eq!(passed.get("PATH"), std::env::var_os("PATH").as_deref());
    // Cargo sets it for this process.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert_eq!(passed.get("CARGO_MANIFEST_DIR"), None);
    let arguments = options.arguments().unwrap();
    assert!(arguments.contains(&"--setting-sources=user".to_owned()));
    assert!(!format!("{home:?}").contains("secret"), "{home:?}");
}

#[test]
fn homes_share_no_folder() {
    let folder = agentwire_testing::tempdir().unwrap();
    let [anna, bert] = ["anna", "bert"].map(|name| Home::new(folder.path().join(name)).unwrap());
    let (anna, bert) = (environment(&anna), environment(&bert));
    let below = |value: &OsStr| Path::new(value).starts_with(folder.path());
    let mut folders = anna.iter().filter(|(_, value)| below(value)).peekable();
    assert!(folders.peek().is_some());
    for (name, value) in folders {
        assert_ne!(bert.get(name), Some(value), "{name:?}");
    }
    let home = Home::new(folder.path().join("anna")).unwrap();
    assert_eq!(home.not_isolated(), Shared::ALL);
}

#[cfg(unix)]
#[test]
fn only_the_user_can_enter_a_home() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = agentwire_testing::tempdir().unwrap();
    let path = folder.path().join("anna");
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Home::new(&path).unwrap();
    for name in ["", "config", "home", "tmp"] {
        let mode = fs::metadata(path.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{name}");
    }
}

#[test]
fn a_folder_with_other_files_does_not_become_a_home() {
    let folder = agentwire_testing::tempdir().unwrap();
    fs::write(folder.path().join("thesis"), "").unwrap();
    let error = Home::new(folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DirectoryNotEmpty, "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn files_remain_in_a_home_that_is_opened_again() {
    let folder = agentwire_testing::tempdir().unwrap();
    let home = Home::new(folder.path()).unwrap();
    let file = home.config().join("CLAUDE.md");
    fs::write(&file, "Be brief.").unwrap();
    Home::new(folder.path()).unwrap();
    assert_eq!(fs::read_to_string(file).unwrap(), "Be brief.");
}

#[tokio::test]
async fn a_home_is_removed_only_when_no_session_uses_it() {
    let folder = agentwire_testing::tempdir().unwrap();
    let path = folder.path().join("anna");
    let home = Home::new(&path).unwrap();
    let mut clients = Vec::new();
    for _ in 0..2 {
        clients.push(Client::connect(fake(&home)).await.unwrap());
    }
    for mut client in clients {
        // Another value of the same home, as in another process.
        let error = Home::new(&path).unwrap().remove().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceBusy, "{error}");
        client.prompt("Hello?").await.unwrap();
        client.close().await;
    }
    let options = fake(&home);
    home.remove().unwrap();
    assert!(!path.exists());
    let error = Client::connect(options).await.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    assert!(!path.exists());
}

/// A process that another thread starts has the files of this one open until it calls `exec`.
#[test]
fn a_home_can_be_removed_while_other_threads_start_processes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let path = folder.path().join("anna");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    Command::new("true").status().unwrap();
                }
            });
        }
        let mut homes = (0..100).map(|_| Home::new(&path)?.remove());
        let busy = homes.find(Result::is_err);
        is_done.store(true, Ordering::Relaxed);
        assert!(busy.is_none(), "{busy:?}");
    });
}

#[test]
fn removal_of_a_home_leaves_other_files() {
    let folder = agentwire_testing::tempdir().unwrap();
    let home = Home::new(folder.path()).unwrap();
    let file = folder.path().join("thesis");
    fs::write(&file, "").unwrap();
    assert!(home.remove().is_err());
    assert!(file.exists());
    assert!(!home.config().exists());
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_refused_is_not_changed() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = agentwire_testing::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    Home::new(folder.path()).unwrap_err();
    let mode = folder.path().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    // A session has replaced a folder of its home.
    let home = folder.path().join("home");
    Home::new(&home).unwrap();
    fs::remove_dir(home.join("config")).unwrap();
    std::os::unix::fs::symlink(folder.path(), home.join("config")).unwrap();
    let error = Home::new(&home).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    let mode = folder.path().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_home_is_opened_by_many_at_once() {
    let folder = agentwire_testing::tempdir().unwrap();
    for number in 0..50 {
        let home = folder.path().join(number.to_string());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| Home::new(&home).unwrap());
            }
        });
    }
}

#[test]
fn a_home_with_a_file_of_somebody_else_can_be_removed_without_it() {
    let folder = agentwire_testing::tempdir().unwrap();
    let path = folder.path().join("home");
    let home = Home::new(&path).unwrap();
    fs::write(path.join("file"), "").unwrap();
    for _ in 0..2 {
        let error = home.remove().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DirectoryNotEmpty);
    }
    fs::remove_file(path.join("file")).unwrap();
    home.remove().unwrap();
    assert!(!path.exists());
}
