use super::*;
use std::fs;
use tempfile::TempDir;

const ID: &str = "11111111-2222-4333-8444-555555555555";

fn locked(config: &Path) -> Result<Option<SessionLock>, SessionOwner> {
    match attempt(config, ID, None) {
        Attempt::Locked(lock) => Ok(lock),
        Attempt::Owned(owner) => Err(owner),
    }
}

fn own_pid() -> Option<u32> {
    Some(std::process::id())
}

#[test]
fn a_session_has_one_lock_at_a_time() {
    let config = TempDir::new().unwrap();
    let first = locked(config.path()).unwrap();
    assert!(first.is_some());
    let pid = own_pid();
    assert_eq!(
        locked(config.path()).unwrap_err(),
        SessionOwner::Host { pid }
    );
    assert!(SessionLock::new(config.path(), "another").unwrap().is_ok());
    drop(first);
    assert!(locked(config.path()).unwrap().is_some());
    if cfg!(unix) {
        let left: Vec<_> = fs::read_dir(config.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn without_a_configuration_folder_nothing_is_locked_or_created() {
    let home = TempDir::new().unwrap();
    let config = home.path().join(".claude");
    assert!(locked(&config).unwrap().is_none());
    assert!(!config.exists());
}

/// A forked child has all files open until `exec`, like this duplicate.
#[test]
fn a_forked_child_before_exec_does_not_prolong_a_lock() {
    let config = TempDir::new().unwrap();
    // A process that did not take the session, and an owner.
    for text in ["4000000000\n", ""] {
        fs::create_dir(config.path().join("agentwire")).unwrap();
        let path = config.path().join(format!("agentwire/{ID}.lock"));
        fs::write(&path, text).unwrap();
        let looked = SessionLock::new(config.path(), ID).unwrap().unwrap();
        let of_child = looked.file.try_clone().unwrap();
        drop(looked);
        let taken = locked(config.path()).unwrap().unwrap();
        let of_another = taken.file.try_clone().unwrap();
        drop(taken);
        assert!(locked(config.path()).unwrap().is_some());
        drop((of_child, of_another));
    }
}

/// After a killed process left its file, other processes search for its agent.
#[cfg(target_os = "linux")]
#[test]
fn the_agent_of_a_killed_program_owns_its_session_before_it_writes_its_file() {
    let config = TempDir::new().unwrap();
    let id = uuid::Uuid::new_v4().to_string();
    let attempt = || match attempt(config.path(), &id, None) {
        Attempt::Locked(lock) => Ok(lock),
        Attempt::Owned(owner) => Err(owner),
    };
    // The shell retains the arguments while it runs other programs.
    let mut agent = std::process::Command::new("sh")
        .args(["-c", "read -r line", "agent", &format!("--resume={id}")])
        .env("AGENTWIRE_SESSION", "another")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = agent.id();
    // Without a leftover file, nobody looks for the agent.
    drop(attempt().unwrap());
    fs::create_dir(config.path().join("agentwire")).unwrap();
    let file = config.path().join(format!("agentwire/{id}.lock"));
    fs::write(&file, "1\n").unwrap();
    for _ in 0..2 {
        assert_eq!(attempt().unwrap_err(), SessionOwner::Agent { pid });
        assert!(file.exists(), "the leftover is still there");
    }
    agent.kill().unwrap();
    agent.wait().unwrap();
    let lock = attempt().unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        format!("{}\n", std::process::id())
    );
    drop(lock);
    assert!(!file.exists());
}

#[cfg(unix)]
#[test]
fn planted_links_and_pipes_are_not_used_as_locks() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let home = TempDir::new().unwrap();
    let (config, precious) = (home.path().join("config"), home.path().join("precious"));
    let folder = config.join("agentwire");
    fs::create_dir_all(&folder).unwrap();
    fs::write(&precious, "precious").unwrap();
    let lock = folder.join(format!("{ID}.lock"));
    let is_untouched = || {
        assert!(locked(&config).unwrap().is_none());
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
        assert!(!home.path().join("new").exists());
    };
    symlink(&precious, &lock).unwrap();
    is_untouched();
    fs::remove_file(&lock).unwrap();
    symlink(home.path().join("new"), &lock).unwrap();
    is_untouched();
    fs::remove_file(&lock).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&lock).status();
    assert!(made.unwrap().success());
    is_untouched();
    // The folder of the lock files.
    fs::remove_dir_all(&folder).unwrap();
    symlink(home.path(), &folder).unwrap();
    is_untouched();
    fs::remove_file(&folder).unwrap();
    // An earlier version created files that everyone could read.
    fs::create_dir(&folder).unwrap();
    fs::write(&lock, "").unwrap();
    let taken = locked(&config).unwrap().unwrap();
    assert_eq!(taken.file.metadata().unwrap().mode() & 0o777, 0o600);
    assert!(locked(&config).is_err());
}

/// Threads take and release one lock, whose file is created and removed each time.
#[test]
fn concurrent_threads_never_share_a_lock() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let config = TempDir::new().unwrap();
    let (inside, times) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    if let Ok(lock) = locked(config.path()) {
                        assert!(lock.is_some());
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        times.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert!(times.into_inner() > 0);
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_another_program_has_started_owns_its_session() {
    let start = crate::process::start(std::process::id()).unwrap();
    let domain = fs::read_link("/proc/self/ns/pid").unwrap();
    let domain = format!("linux:x:{}", domain.display());
    let pid = std::process::id();
    let gone = u32::MAX / 2;
    for (file, text, owns) in [
        (
            "1.json",
            format!(r#"{{"pid":{pid},"sessionId":"{ID}"}}"#),
            true,
        ),
        (
            "1.json",
            format!(r#"{{"pid":{pid},"sessionId":"other"}}"#),
            false,
        ),
        (
            "1.json",
            format!(r#"{{"pid":{gone},"sessionId":"{ID}"}}"#),
            false,
        ),
        (
            "1.key",
            format!(r#"{{"pid":{pid},"sessionId":"{ID}"}}"#),
            false,
        ),
        ("1.json", "{".to_owned(), false),
        (
            "1.json",
            format!(
                r#"{{"pid":{pid},"sessionId":"{ID}","procStart":"{start}","pidDomain":"{domain}"}}"#
            ),
            true,
        ),
        // The PID was reused.
        (
            "1.json",
            format!(
                r#"{{"pid":{pid},"sessionId":"{ID}","procStart":"{}"}}"#,
                start - 1
            ),
            false,
        ),
        // A process in another PID namespace cannot be checked.
        (
            "1.json",
            format!(r#"{{"pid":{pid},"sessionId":"{ID}","pidDomain":"linux:x:pid:[1]"}}"#),
            false,
        ),
    ] {
        let config = TempDir::new().unwrap();
        fs::create_dir(config.path().join("sessions")).unwrap();
        fs::write(config.path().join("sessions").join(file), &text).unwrap();
        let owner = locked(config.path()).err();
        assert_eq!(owner, owns.then_some(SessionOwner::Agent { pid }), "{text}");
        // The caller's own agent.
        assert!(matches!(
            attempt(config.path(), ID, own_pid()),
            Attempt::Locked(Some(_))
        ));
    }
}

/// For example a folder of dotfiles.
#[cfg(unix)]
#[test]
fn sessions_are_locked_in_a_linked_configuration_folder() {
    let home = TempDir::new().unwrap();
    let (config, dotfiles) = (home.path().join("config"), home.path().join("dotfiles"));
    fs::create_dir(&dotfiles).unwrap();
    std::os::unix::fs::symlink(&dotfiles, &config).unwrap();
    assert!(locked(&config).unwrap().is_some());
}
