//! Lists sessions.

use super::ends::{EndsBuffer, milliseconds};
use super::error::HistoryError;
use super::folders::{Projects, has_session_of, name_of, real, sorted};
use super::info::SessionInfo;
use super::ownership::belongs_to_another;
use super::worktrees::worktrees;
use agentwire_files::{LONGEST_NAME, is_session_id};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The maximum number of threads.
const MAX_THREADS: usize = 4;

/// The minimum number of transcripts per thread.
const MIN_PER_THREAD: usize = 64;

/// The options of a list of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSessions {
    limit: Option<usize>,
    offset: usize,
    worktrees: bool,
    programmatic: bool,
}

impl Default for ListSessions {
    fn default() -> Self {
        Self::new()
    }
}

impl ListSessions {
    /// Selects all sessions.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limit: None,
            offset: 0,
            worktrees: true,
            programmatic: true,
        }
    }

    /// Sets the maximum number of sessions. Default (also 0): all. With a limit, only the
    /// necessary transcripts are read.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit).filter(|limit| *limit > 0);
        self
    }

    /// Sets the number of sessions to skip. Default: 0.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Sets whether the sessions of a [project](super::History::project) include those of the
    /// other worktrees of its git repository. Default: `true`.
    #[must_use]
    pub fn worktrees(mut self, worktrees: bool) -> Self {
        self.worktrees = worktrees;
        self
    }

    /// Sets whether to include sessions that were started by an SDK (entrypoints `sdk-cli`,
    /// `sdk-ts` and `sdk-py`) or by the daemon. Default: `true`.
    #[must_use]
    pub fn programmatic(mut self, programmatic: bool) -> Self {
        self.programmatic = programmatic;
        self
    }

    /// Returns whether the times of all transcripts are needed before any transcript is read.
    fn is_paged(&self) -> bool {
        self.limit.is_some() || self.offset > 0
    }
}

/// A transcript that may be listed.
struct Candidate {
    id: String,
    path: PathBuf,
    /// The time of the last modification in milliseconds since 1970. 0 if it is unknown.
    modified: i64,
    folder: Arc<Folder>,
}

/// A folder of a project.
#[derive(Default)]
struct Folder {
    /// The working directory of the project, if the list is restricted to one project.
    project: Option<String>,
    /// The worktrees whose sessions may be in the folder.
    own: Vec<String>,
}

/// Lists the sessions of one or all directories.
pub(super) fn list(
    projects: &Projects,
    directory: Option<&Path>,
    list: &ListSessions,
) -> Result<Vec<SessionInfo>, HistoryError> {
    let is_paged = list.is_paged();
    let mut candidates = match directory {
        Some(directory) => project_candidates(projects, directory, list)?,
        None => {
            let folder = Arc::new(Folder::default());
            let folders = projects.folders()?.into_iter();
            let in_folder =
                |name: String| in_folder(&projects.folder.join(name), is_paged, &folder);
            folders.flat_map(in_folder).collect()
        }
    };
    if is_paged {
        candidates.sort_by(|a, b| (b.modified, &b.id).cmp(&(a.modified, &a.id)));
        return Ok(page(&candidates, list));
    }
    let mut sessions: Vec<SessionInfo> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for session in read(&candidates, list.programmatic).into_iter().flatten() {
        match known.get(&session.session_id) {
            Some(at) if session.last_modified > sessions[*at].last_modified => {
                sessions[*at] = session;
            }
            Some(_) => {}
            None => {
                known.insert(session.session_id.clone(), sessions.len());
                sessions.push(session);
            }
        }
    }
    sessions
        .sort_by(|a, b| (b.last_modified, &b.session_id).cmp(&(a.last_modified, &a.session_id)));
    Ok(sessions)
}

/// Reads transcripts until the page is complete.
fn page(candidates: &[Candidate], list: &ListSessions) -> Vec<SessionInfo> {
    let limit = list.limit.unwrap_or(usize::MAX);
    let mut seen = HashSet::new();
    let mut sessions = Vec::new();
    let mut skipped = 0;
    // The first part is as large as the page. Each further part is larger.
    let mut part = limit.saturating_add(list.offset).clamp(32, 4096);
    let mut rest = candidates;
    while !rest.is_empty() && sessions.len() < limit {
        let (now, later) = rest.split_at(part.min(rest.len()));
        rest = later;
        part = (part * 2).min(4096);
        for session in read(now, list.programmatic).into_iter().flatten() {
            if sessions.len() == limit || !seen.insert(session.session_id.clone()) {
                continue;
            }
            if skipped < list.offset {
                skipped += 1;
            } else {
                sessions.push(session);
            }
        }
    }
    sessions
}

/// Returns the transcripts in the folders of a project and its worktrees.
fn project_candidates(
    projects: &Projects,
    directory: &Path,
    list: &ListSessions,
) -> Result<Vec<Candidate>, HistoryError> {
    let is_paged = list.is_paged();
    let directory = real(directory);
    let worktrees = match list.worktrees {
        true => worktrees(&directory),
        false => Vec::new(),
    };
    let is_single = worktrees.len() <= 1;
    let own = match is_single {
        true => Vec::new(),
        false => std::iter::once(&directory)
            .chain(&worktrees)
            .cloned()
            .collect(),
    };
    let mut candidates = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut add = |path: &Path, project: &str| {
        let folder = Folder {
            project: Some(project.to_owned()),
            own: own.clone(),
        };
        candidates.extend(in_folder(path, is_paged, &Arc::new(folder)));
    };
    for folder in projects.folders_of(&directory)? {
        taken.extend(
            folder
                .file_name()
                .map(|it| it.to_string_lossy().into_owned()),
        );
        add(&folder, &directory);
    }
    if is_single {
        return Ok(candidates);
    }
    let mut named: Vec<(String, &str)> = worktrees
        .iter()
        .map(|it| (projects.name_of(it), &**it))
        .collect();
    // The longest names are first, because a name may be the prefix of another.
    named.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for folder in projects.folders()? {
        if taken.contains(&folder) {
            continue;
        }
        let path = projects.folder.join(&folder);
        let worktree = named.iter().find(|(name, worktree)| {
            let shortened = name
                .get(..LONGEST_NAME)
                .filter(|_| name.len() > LONGEST_NAME);
            let is_like = shortened.is_some_and(|it| {
                folder
                    .strip_prefix(it)
                    .is_some_and(|rest| rest.starts_with('-'))
            });
            folder == *name || is_like && has_session_of(&path, worktree)
        });
        if let Some((_, worktree)) = worktree {
            add(&path, worktree);
        }
    }
    Ok(candidates)
}

/// Returns the transcripts in a folder.
fn in_folder(path: &Path, with_time: bool, folder: &Arc<Folder>) -> Vec<Candidate> {
    let entries = sorted(path).unwrap_or_default().into_iter();
    let candidates = entries.filter_map(|entry| {
        let name = name_of(&entry);
        let id = name.strip_suffix(".jsonl").filter(|id| is_session_id(id))?;
        let path = entry.path();
        let modified = match with_time {
            true => milliseconds(fs::metadata(&path).ok()?.modified().ok()?),
            false => 0,
        };
        Some(Candidate {
            id: id.to_owned(),
            path,
            modified,
            folder: Arc::clone(folder),
        })
    });
    candidates.collect()
}

/// Reads the ends of transcripts, with a few threads if there are many.
fn read(candidates: &[Candidate], programmatic: bool) -> Vec<Option<SessionInfo>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads
        .min(MAX_THREADS)
        .min(candidates.len() / MIN_PER_THREAD)
        .max(1);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffers = Buffers::default();
        let mut read = Vec::new();
        while let Some((at, candidate)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            candidates.get(at).map(|it| (at, it))
        } {
            read.extend(buffers.read(candidate, programmatic).map(|it| (at, it)));
        }
        read
    };
    let mut found: Vec<(usize, SessionInfo)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            // Propagate panics.
            found.extend(
                other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        found
    });
    found.sort_unstable_by_key(|(at, _)| *at);
    found
        .into_iter()
        .map(|(_, session)| Some(session))
        .collect()
}

/// The buffers of a thread.
#[derive(Default)]
struct Buffers {
    own: EndsBuffer,
    other: EndsBuffer,
}

impl Buffers {
    fn read(&mut self, candidate: &Candidate, programmatic: bool) -> Option<SessionInfo> {
        let read = self.own.read(&candidate.path)?;
        let ends = &read.ends;
        if !programmatic && ends.is_programmatic() {
            return None;
        }
        if let Some(id) = ends.continued_in().filter(|id| is_session_id(id)) {
            let path = candidate.path.with_file_name(format!("{id}.jsonl"));
            if self.other.has_conversation(&path) {
                return None;
            }
        }
        let Folder { project, own } = &*candidate.folder;
        let info = SessionInfo::of(&read, &candidate.path, &candidate.id, project.as_deref())?;
        if let Some(project) = project
            && let Some(directory) = ends.directory()
            && belongs_to_another(&directory, project, own)
        {
            return None;
        }
        Some(info)
    }
}
