//! Tests of the history on directories with few sessions.

use super::*;
use std::fs::File;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const A: &str = "aaaaaaaa-0000-4000-8000-000000000000";
const B: &str = "bbbbbbbb-0000-4000-8000-000000000000";

/// A temporary folder with a configuration directory and working directories.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn history(&self) -> History {
        History::in_directory(self.0.path().join("config"))
    }

    fn directory(&self, name: &str) -> PathBuf {
        let directory = self.0.path().join(name);
        fs::create_dir_all(&directory).unwrap();
        directory.canonicalize().unwrap()
    }

    /// Writes a session that was started in `directory` to the project folder of `of`.
    fn session(&self, of: &Path, directory: &Path, id: &str, seconds: u64) -> PathBuf {
        let history = self.history();
        let folder = history
            .projects
            .folder
            .join(history.projects.name_of(&folders::real(of)));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{id}.jsonl"));
        let record = serde_json::json!({
            "type": "user", "uuid": "1", "parentUuid": null, "cwd": directory,
            "message": {"role": "user", "content": "Hello"},
        });
        fs::write(&path, format!("{record}\n")).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
        path
    }
}

fn messages(history: &History, id: &str) -> usize {
    let messages = history.session_messages(id, MessageSelection::new());
    messages.unwrap().len()
}

fn ids(history: &History, list: &ListSessions) -> Vec<String> {
    let sessions = history.list_sessions(list).unwrap();
    sessions.into_iter().map(|it| it.session_id).collect()
}

#[test]
fn sessions_are_listed_by_time() {
    let home = Home::new();
    let directory = home.directory("work");
    home.session(&directory, &directory, A, 2);
    home.session(&directory, &directory, B, 1);
    let history = home.history();
    assert_eq!(ids(&history, &ListSessions::new()), [A, B]);
    assert_eq!(ids(&history, &ListSessions::new().limit(1)), [A]);
    assert_eq!(ids(&history, &ListSessions::new().offset(1)), [B]);
    let info = history.session_info(A).unwrap().unwrap();
    assert_eq!((info.last_modified, info.summary.as_str()), (2000, "Hello"));
    assert_eq!(
        info.modified(),
        SystemTime::UNIX_EPOCH + Duration::from_secs(2)
    );
}

#[test]
fn missing_directories_have_no_sessions() {
    let home = Home::new();
    let history = home.history().project(home.0.path().join("nowhere"));
    assert!(ids(&history, &ListSessions::new()).is_empty());
    assert_eq!(history.session_info(A).unwrap(), None);
    assert_eq!(messages(&history, A), 0);
    assert!(history.list_subagents(A).unwrap().is_empty());
}

#[test]
fn only_uuids_are_ids() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let outside = path.parent().unwrap().join("outside.jsonl");
    fs::copy(&path, outside).unwrap();
    for id in ["outside", "../outside", ""] {
        assert_eq!(home.history().session_info(id).unwrap(), None, "{id}");
    }
}

#[test]
fn projects_with_the_same_folder_name_are_distinguished() {
    let home = Home::new();
    let (one, other) = (home.directory("a-b"), home.directory("a/b"));
    home.session(&one, &one, A, 1);
    home.session(&one, &other, B, 2);
    assert_eq!(
        ids(&home.history().project(&one), &ListSessions::new()),
        [A]
    );
    assert_eq!(
        ids(&home.history().project(&other), &ListSessions::new()),
        [B]
    );
    assert_eq!(ids(&home.history(), &ListSessions::new()), [B, A]);
}

#[test]
fn folders_of_long_paths_may_have_another_hash() {
    let home = Home::new();
    let directory = home.directory(&"long/".repeat(60));
    let path = home.session(&directory, &directory, A, 1);
    let folder = path.parent().unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let renamed = folder.with_file_name(format!("{}-other", &name[..200]));
    fs::rename(folder, renamed).unwrap();
    assert_eq!(
        ids(&home.history().project(&directory), &ListSessions::new()),
        [A]
    );
    let other = home.directory(&format!("{}x", "long/".repeat(60)));
    assert!(ids(&home.history().project(&other), &ListSessions::new()).is_empty());
}

#[test]
fn sub_agents_are_found_in_subfolders() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let folder = path.with_extension("").join("subagents");
    fs::create_dir_all(folder.join("nested")).unwrap();
    let record = br#"{"type":"user","uuid":"1","message":{"content":"Task"}}"#;
    fs::write(folder.join("agent-z.jsonl"), record).unwrap();
    fs::write(folder.join("nested/agent-a.jsonl"), record).unwrap();
    fs::write(folder.join("notes.jsonl"), record).unwrap();
    let history = home.history();
    assert_eq!(history.list_subagents(A).unwrap(), ["z", "a"]);
    for (agent, count) in [("a", 1), ("b", 0)] {
        let messages = history.subagent_messages(A, agent, MessageSelection::new());
        assert_eq!(messages.unwrap().len(), count);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_listed() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    std::os::unix::fs::symlink(&path, path.with_file_name(format!("{B}.jsonl"))).unwrap();
    assert_eq!(ids(&home.history(), &ListSessions::new()), [A]);
    assert_eq!(home.history().session_info(B).unwrap(), None);
    assert_eq!(messages(&home.history(), B), 1);
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folders::sorted(folder).unwrap();
    entries.iter().map(folders::name_of).collect()
}

#[test]
fn titles_and_tags_are_appended_to_the_transcript() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let history = home.history();
    history.rename_session(A, "\u{feff} Two\nlines ").unwrap();
    history.tag_session(A, Some("a\u{200b}b")).unwrap();
    let info = history.session_info(A).unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Two\nlines"));
    assert_eq!(info.tag.as_deref(), Some("ab"));
    history.tag_session(A, None).unwrap();
    assert_eq!(history.session_info(A).unwrap().unwrap().tag, None);
    let last = format!(r#"{{"type":"tag","tag":"","sessionId":"{A}"}}"#);
    assert_eq!(lines(&path)[3], last);
}

#[test]
fn a_title_is_appended_after_an_incomplete_line() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("{\"type\":\"user\",\"mess");
    fs::write(&path, &text).unwrap();
    home.history().rename_session(A, "Title").unwrap();
    let changed = fs::read_to_string(&path).unwrap();
    let line = format!(r#"{{"type":"custom-title","customTitle":"Title","sessionId":"{A}"}}"#);
    assert_eq!(changed, format!("{text}\n{line}\n"));
}

#[test]
fn invalid_changes_change_nothing() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let before = lines(&path);
    let history = home.history();
    let fork = ForkSession::new().up_to("x");
    assert!(matches!(
        history.rename_session("x", ""),
        Err(HistoryError::InvalidId { id }) if id == "x"
    ));
    assert!(matches!(
        history.rename_session(A, " \n"),
        Err(HistoryError::BlankTitle)
    ));
    assert!(matches!(
        history.tag_session(A, Some("\u{200b}")),
        Err(HistoryError::BlankTag)
    ));
    assert!(matches!(
        history.fork_session(A, &fork),
        Err(HistoryError::UnknownMessage { message, .. }) if message == "x"
    ));
    for failed in [
        history.rename_session(B, "x"),
        history.archive_session(B),
        history.delete_session(B),
        history.fork_session(B, &fork).map(drop),
    ] {
        assert!(matches!(
            failed,
            Err(HistoryError::NotFound { project: None, .. })
        ));
    }
    let elsewhere = history.project(home.directory("elsewhere"));
    let error = elsewhere.delete_session(A).unwrap_err().to_string();
    assert!(error.contains("in the project "), "{error}");
    assert_eq!(lines(&path), before);
    assert_eq!(names(path.parent().unwrap()), [format!("{A}.jsonl")]);
}

#[test]
fn archiving_can_be_undone() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let before = fs::read(&path).unwrap();
    let history = home.history().project(&directory);
    let archived = || history.session_info(A).unwrap().unwrap().archived;
    assert_eq!(archived(), None);
    history.archive_session(A).unwrap();
    assert_eq!(archived(), Some(true));
    history.unarchive_session(A).unwrap();
    assert_eq!(archived(), Some(false));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names(&path.with_extension("")), ["archived.json"]);
}

#[test]
fn deleting_removes_the_transcript_and_the_folder() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let other = home.session(&directory, &directory, B, 1);
    let agents = path.with_extension("").join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-a.jsonl"), "{}").unwrap();
    home.history().delete_session(A).unwrap();
    let remaining = other.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(names(path.parent().unwrap()), [remaining]);
    assert!(matches!(
        home.history().delete_session(A),
        Err(HistoryError::NotFound { .. })
    ));
}

#[test]
fn a_fork_is_a_new_session_in_the_same_folder() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let before = fs::read(&path).unwrap();
    let history = home.history();
    let id = history.fork_session(A, &ForkSession::new()).unwrap();
    let info = history.session_info(&id).unwrap().unwrap();
    assert_eq!(info.summary, "Hello (fork)");
    assert_eq!(info.cwd.as_deref(), directory.to_str());
    assert_eq!(messages(&history, &id), 1);
    assert_eq!(fs::read(&path).unwrap(), before);
    let mut expected = [format!("{A}.jsonl"), format!("{id}.jsonl")];
    expected.sort();
    assert_eq!(names(path.parent().unwrap()), expected);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let copy = fs::metadata(path.with_file_name(format!("{id}.jsonl"))).unwrap();
        assert_eq!(copy.permissions().mode() & 0o777, 0o600);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let before = fs::read(&path).unwrap();
    let link = path.with_file_name(format!("{B}.jsonl"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let history = home.history();
    for failed in [
        history.rename_session(B, "x"),
        history.tag_session(B, Some("x")),
    ] {
        assert!(matches!(failed, Err(HistoryError::NotRegular { path }) if path == link));
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    // The link is deleted; its target is not.
    history.delete_session(B).unwrap();
    assert!(!link.exists());
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// A planted link is a link below the folder of all projects. An archive or a repository can
/// contain one.
#[cfg(unix)]
#[test]
fn a_planted_link_is_not_followed_by_any_change() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    let history = home.history();
    let outside = home.directory("outside");
    let changes = |id: &str| {
        [
            history.rename_session(id, "x").err(),
            history.tag_session(id, Some("x")).err(),
            history.archive_session(id).err(),
            history.unarchive_session(id).err(),
            history.fork_session(id, &ForkSession::new()).err(),
            history.delete_session(id).err(),
        ]
    };
    // The folder of a session is a link.
    let folder = path.with_extension("");
    symlink(&outside, &folder).unwrap();
    fs::write(outside.join("archived.json"), "precious").unwrap();
    for failed in [history.archive_session(A), history.unarchive_session(A)] {
        assert!(matches!(failed, Err(HistoryError::NotRegular { path }) if path == folder));
    }
    assert_eq!(
        fs::read(outside.join("archived.json")).unwrap(),
        b"precious"
    );
    // The folder of a project is a link.
    let project = history.projects.folder.join("-planted");
    symlink(&outside, &project).unwrap();
    let planted = outside.join(format!("{B}.jsonl"));
    fs::copy(&path, &planted).unwrap();
    let before = (fs::read(&planted).unwrap(), names(&outside));
    for failed in changes(B) {
        assert!(matches!(failed, Some(HistoryError::NotRegular { path }) if path == project));
    }
    assert_eq!((fs::read(&planted).unwrap(), names(&outside)), before);
    // The session is still read. The agent also reads it.
    assert_eq!(messages(&history, B), 1);
}

/// These links may lead to a folder of dotfiles or to another disk.
#[cfg(unix)]
#[test]
fn the_configuration_directory_and_its_projects_may_be_links() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let (dotfiles, disk) = (home.directory("dotfiles"), home.directory("disk"));
    symlink(&dotfiles, home.0.path().join("config")).unwrap();
    symlink(&disk, dotfiles.join("projects")).unwrap();
    let directory = home.directory("work");
    let path = home.session(&directory, &directory, A, 1);
    // The project was moved, and its old name is a link to the new one.
    let project = path.parent().unwrap();
    symlink(project.file_name().unwrap(), project.with_file_name("-aaa")).unwrap();
    let history = home.history();
    history.rename_session(A, "x").unwrap();
    history.archive_session(A).unwrap();
    history.unarchive_session(A).unwrap();
    let copy = history.fork_session(A, &ForkSession::new()).unwrap();
    history.delete_session(A).unwrap();
    assert_eq!(
        names(&disk.join(project.file_name().unwrap())),
        [format!("{copy}.jsonl")]
    );
}

#[test]
fn the_configuration_directory_is_that_of_the_environment() {
    let variable = |name: &str| match name {
        "CLAUDE_CONFIG_DIR" => Some("/config"),
        "CLAUDE_CODE_PROJECT_DIR_NAME" => Some("crabs"),
        _ => None,
    };
    let history = History::of_environment(variable).unwrap();
    assert_eq!(
        history.projects.folder,
        Path::new("/config").join("projects")
    );
    assert_eq!(history.projects.name.as_deref(), Some("crabs"));
}

#[test]
fn the_files_of_a_session_have_its_subagents() {
    let home = Home::new();
    let directory = home.directory("work");
    let agents = home.session(&directory, &directory, A, 1);
    let agents = agents.with_extension("").join("subagents/deeper");
    fs::create_dir_all(&agents).unwrap();
    let record = r#"{"type":"user","uuid":"s1","message":{"role":"user","content":"Go"}}"#;
    fs::write(
        agents.join("agent-x.jsonl"),
        format!("{record}\n{record}\n"),
    )
    .unwrap();
    fs::write(agents.join("agent-x.meta.json"), r#"{"toolUseId":"call"}"#).unwrap();
    let files = home.history().session_files(A).unwrap().unwrap();
    assert_eq!((files.main.len(), files.agents["x"].records.len()), (1, 2));
    assert_eq!(files.call_of("x").as_deref(), Some("call"));
    assert!(home.history().session_files(B).unwrap().is_none());
}
