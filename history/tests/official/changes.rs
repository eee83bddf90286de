//! Compares changes of sessions. The official function changes one copy of a directory, and this
//! crate changes another copy. Then both copies must have the same files.

use super::Official;
use super::same::{self, Renamed};
use super::tree::{self, Entry};
use super::world::World;
use agentwire_history::{ForkSession, History, HistoryError, ListSessions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of compared and failed changes.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) changes: usize,
    pub(crate) failed: usize,
    /// The number of intentional differences.
    pub(crate) explained: usize,
}

/// A change: the calls of the official function and of this crate.
struct Change {
    official: Value,
    session: String,
    project: Option<PathBuf>,
    ours: Ours,
}

enum Ours {
    Rename(String),
    Tag(Option<String>),
    Archive(bool),
    Delete,
    Fork(ForkSession),
}

impl Change {
    fn make(&self, config: &Path) -> Result<Option<String>, HistoryError> {
        let history = History::in_directory(config);
        let history = match &self.project {
            Some(project) => history.project(project),
            None => history,
        };
        let id = &*self.session;
        match &self.ours {
            Ours::Rename(title) => history.rename_session(id, title)?,
            Ours::Tag(tag) => history.tag_session(id, tag.as_deref())?,
            Ours::Archive(true) => history.archive_session(id)?,
            Ours::Archive(false) => history.unarchive_session(id)?,
            Ours::Delete => history.delete_session(id)?,
            Ours::Fork(fork) => return history.fork_session(id, fork).map(Some),
        }
        Ok(None)
    }
}

/// The two copies of a directory.
struct Sides {
    official: PathBuf,
    ours: PathBuf,
}

/// Makes changes of the world's directory on both sides. Returns the differences.
pub(crate) fn compare(
    official: &mut Official,
    world: &mut World,
    changes: u64,
    counts: &mut Counts,
) -> Result<(), String> {
    let sides = Sides {
        official: world.config.with_file_name("official"),
        ours: world.config.with_file_name("ours"),
    };
    tree::copy(&world.config, &sides.official);
    tree::copy(&world.config, &sides.ours);
    let mut before = tree::read(&sides.official);
    for _ in 0..changes {
        let change = change(world, &sides.official);
        let answers = official.ask(&sides.official, &[&change.official]);
        let ours = change.make(&sides.ours);
        counts.changes += 1;
        let threw = answers[0].get("threw").map(Value::to_string);
        counts.failed += usize::from(threw.is_some());
        let difference = |what: String| Err(format!("{}\n  {what}", change.official));
        let (theirs, mine) = (tree::read(&sides.official), tree::read(&sides.ours));
        if let Some(reason) = explained(&change, threw.is_some(), &ours, &before) {
            counts.explained += 1;
            if mine != before {
                return difference(format!("{reason}, and ours changed the directory"));
            }
        } else {
            if let Some(what) = outcomes(threw.as_deref(), &ours) {
                return difference(what);
            }
            if let Some(what) = directories(&before, &theirs, &mine) {
                return difference(what);
            }
        }
        if let Ok(Some(id)) = answers[0]["is"]["sessionId"]
            .as_str()
            .map_or(Ok(None), |id| Ok::<_, ()>(Some(id.to_owned())))
        {
            world.sessions.push(id);
        }
        world
            .sessions
            .extend(answers[0]["is"]["sessionId"].as_str().map(str::to_owned));
        if theirs == before && mine == before {
            continue;
        }
        before = level(&sides, theirs, &mine);
        let changed = answers[0]["is"]["sessionId"].as_str().map(str::to_owned);
        if let Some(what) = info(official, &sides, &changed.unwrap_or(change.session)) {
            return Err(format!("{}\n  {what}", change.official));
        }
    }
    if let Some(what) = list(official, &sides) {
        return Err(what);
    }
    fs::remove_dir_all(&sides.official).unwrap();
    fs::remove_dir_all(&sides.ours).unwrap();
    Ok(())
}

/// Returns the reason of an intentional difference.
fn explained(
    change: &Change,
    threw: bool,
    ours: &Result<Option<String>, HistoryError>,
    before: &BTreeMap<PathBuf, Entry>,
) -> Option<&'static str> {
    match (threw, ours) {
        // This crate does not write through links.
        (false, Err(HistoryError::NotRegular { path })) => {
            let name = path.file_name()?;
            let is_it = |(path, entry): (&PathBuf, &Entry)| {
                path.file_name() == Some(name) && matches!(entry, Entry::Link(_))
            };
            let is_appended = matches!(change.ours, Ours::Rename(_) | Ours::Tag(_));
            (is_appended && before.iter().any(is_it)).then_some("the transcript is a link")
        }
        _ => None,
    }
}

fn outcomes(threw: Option<&str>, ours: &Result<Option<String>, HistoryError>) -> Option<String> {
    match (threw, ours) {
        (Some(threw), Ok(_)) => Some(format!("only the official function failed: {threw}")),
        (None, Err(error)) => Some(format!("only ours failed: {error}")),
        _ => None,
    }
}

/// Returns the differences of the directories after a change.
fn directories(
    before: &BTreeMap<PathBuf, Entry>,
    official: &BTreeMap<PathBuf, Entry>,
    ours: &BTreeMap<PathBuf, Entry>,
) -> Option<String> {
    let mut renamed = Renamed::default();
    let new = |side: &BTreeMap<PathBuf, Entry>| -> Vec<PathBuf> {
        let new = side.keys().filter(|path| !before.contains_key(*path));
        new.cloned().collect()
    };
    let (new_official, new_ours) = (new(official), new(ours));
    if new_official.len() != new_ours.len() {
        return Some(format!(
            "new: official {new_official:?}\n  ours {new_ours:?}"
        ));
    }
    for (official_path, our_path) in new_official.iter().zip(&new_ours) {
        let names = [official_path, our_path].map(|it| it.to_string_lossy().into_owned());
        if !renamed.is_same_path(&names[0], &names[1]) {
            return Some(format!("new: official {}\n  ours {}", names[0], names[1]));
        }
        let same = entry(
            &official[official_path],
            &ours[our_path],
            None,
            &mut renamed,
        );
        if let Some(what) = same {
            return Some(format!("{}{what}", names[0]));
        }
    }
    for (path, old) in before {
        let what = match (official.get(path), ours.get(path)) {
            (None, None) => None,
            (Some(official), Some(ours)) if official == ours => None,
            (Some(official), Some(ours)) => entry(official, ours, Some(old), &mut renamed),
            (official, _) => Some(format!(
                ": only {}",
                ["ours", "official"][usize::from(official.is_some())]
            )),
        };
        if let Some(what) = what {
            return Some(format!("{}{what}", path.display()));
        }
    }
    None
}

fn entry(
    official: &Entry,
    ours: &Entry,
    before: Option<&Entry>,
    renamed: &mut Renamed,
) -> Option<String> {
    match (official, ours) {
        (
            Entry::File {
                bytes: official,
                mode,
            },
            Entry::File {
                bytes: ours,
                mode: our_mode,
            },
        ) => {
            if mode != our_mode {
                return Some(format!(": mode {mode:o} official, {our_mode:o} ours"));
            }
            // This crate begins a new line after an incomplete one.
            let mut expected = official.clone();
            if let Some(Entry::File { bytes: before, .. }) = before
                && !before.is_empty()
                && !before.ends_with(b"\n")
                && official.starts_with(before)
                && official.len() > before.len()
            {
                expected.insert(before.len(), b'\n');
            }
            same::lines(&expected, ours, renamed)
        }
        _ if official == ours => None,
        _ => Some(": another kind of file".to_owned()),
    }
}

/// Makes both copies equal for the next change: new IDs, times and intentional differences. Returns
/// the contents.
fn level(
    sides: &Sides,
    mut official: BTreeMap<PathBuf, Entry>,
    ours: &BTreeMap<PathBuf, Entry>,
) -> BTreeMap<PathBuf, Entry> {
    for (path, entry) in &mut official {
        let (from, to) = (sides.official.join(path), sides.ours.join(path));
        match (entry, ours.get(path)) {
            (
                Entry::File { bytes, .. },
                Some(Entry::File {
                    bytes: our_bytes, ..
                }),
            ) => {
                if bytes.len() < our_bytes.len() {
                    // This crate appended the line separately.
                    fs::copy(&to, &from).unwrap();
                    bytes.clone_from(our_bytes);
                } else if bytes != our_bytes {
                    fs::copy(&from, &to).unwrap();
                }
                tree::level_time(&from, &to);
            }
            (_, None) => tree::copy(&from, &to),
            _ => {}
        }
    }
    for path in ours.keys().filter(|path| !official.contains_key(*path)) {
        tree::remove(&sides.ours.join(path));
    }
    official
}

/// Returns the difference of the information about a session.
fn info(official: &mut Official, sides: &Sides, session: &str) -> Option<String> {
    let answers = official.ask(&sides.official, &[&json!(["getSessionInfo", session])]);
    let ours = History::in_directory(&sides.ours).session_info(session);
    same::difference(&answers[0]["is"], &super::value(ours).unwrap(), "info")
}

/// Returns the difference of the lists of sessions.
fn list(official: &mut Official, sides: &Sides) -> Option<String> {
    let answers = official.ask(&sides.official, &[&json!(["listSessions", {}])]);
    let ours = History::in_directory(&sides.ours).list_sessions(&ListSessions::new());
    let ours = super::value(ours).unwrap();
    same::difference(&answers[0]["is"], &ours, "list")
}

fn change(world: &mut World, config: &Path) -> Change {
    let mut sessions = world.sessions.clone();
    if world.below(12) > 0 {
        let stored = tree::sessions(config);
        sessions.retain(|id| stored.contains(id));
    }
    let at = world.below(sessions.len());
    let mut session = sessions.get(at).cloned().unwrap_or_default();
    if world.below(25) == 0 {
        session = session.to_uppercase();
    }
    let project = (world.below(4) == 0).then(|| {
        let at = world.below(world.directories.len());
        world.directories[at].clone()
    });
    let dir = project.as_ref().map(|it| it.to_string_lossy().into_owned());
    let options = json!({ "dir": dir });
    let (official, ours) = match world.below(16) {
        0..3 => {
            let title = world.title();
            let official = json!(["renameSession", session, title, options]);
            (official, Ours::Rename(title))
        }
        3..5 => {
            let tag = (world.below(5) > 0).then(|| world.tag());
            let official = json!(["tagSession", session, tag, options]);
            (official, Ours::Tag(tag))
        }
        5 | 6 => (
            json!(["archiveSession", session, options]),
            Ours::Archive(true),
        ),
        7 => (
            json!(["unarchiveSession", session, options]),
            Ours::Archive(false),
        ),
        8 => (json!(["deleteSession", session, options]), Ours::Delete),
        _ => fork(world, config, &session, options),
    };
    Change {
        official,
        session,
        project,
        ours,
    }
}

fn fork(world: &mut World, config: &Path, session: &str, mut options: Value) -> (Value, Ours) {
    let mut fork = ForkSession::new();
    if world.below(4) > 0 {
        let ids = tree::ids(config, session);
        let id = match world.below(20) {
            0 => String::new(),
            1 => "unknown".to_owned(),
            _ if ids.is_empty() => "none".to_owned(),
            _ => ids[world.below(ids.len())].clone(),
        };
        options["upToMessageId"] = json!(id);
        fork = fork.up_to(id);
    }
    if world.below(4) == 0 {
        let title = world.title();
        options["title"] = json!(title);
        fork = fork.title(title);
    }
    (json!(["forkSession", session, options]), Ours::Fork(fork))
}
