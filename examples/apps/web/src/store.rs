//! The sessions that the agent has stored on disk.

use agentwire::Options;
use agentwire::protocol::transcript::{Files, Place};
use agentwire::view::View;
use agentwire_history::{History, HistoryError, ListSessions, SessionInfo};
use agentwire_pool::{Pool, PoolError, Session};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The timeout of a prompt that waits for a process.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(60);

pub struct Store {
    pool: Pool,
    options: Options,
    history: History,
}

impl Store {
    /// Creates the store of the agents that work in `cwd` with these options.
    pub fn new(pool: Pool, options: Options, cwd: &Path) -> Result<Self, HistoryError> {
        let environment = options.passed_environment();
        let history = History::of_environment(|name| environment.get(name))?.project(cwd);
        let options = options
            .cwd(cwd)
            .partial_messages(true)
            .forward_subagent_text(true)
            .requests_in_stream(true);
        Ok(Self {
            pool,
            options,
            history,
        })
    }

    /// Starts or resumes the session, when the pool has a process for it.
    pub async fn connect(&self, id: &str) -> Result<Session, PoolError> {
        let options = self.options.clone();
        let options = match self.exists(id) {
            true => options.resume(id),
            false => options.session_id(id),
        };
        let caller = self.pool.caller().within(SHUTDOWN_TIMEOUT);
        caller.connect(options).await
    }

    pub fn exists(&self, id: &str) -> bool {
        matches!(self.history.transcript_path(id), Ok(Some(_)))
    }

    /// Lists the stored sessions, newest first.
    pub fn list(&self) -> Result<Vec<SessionInfo>, HistoryError> {
        let list = ListSessions::new().worktrees(false).limit(100);
        self.history.list_sessions(&list)
    }

    /// Restores the view of a session. A session that is not stored has no entries.
    pub fn view(&self, id: &str) -> View {
        let mut view = View::new();
        let Ok(Some(main)) = self.history.transcript_path(id) else {
            return view;
        };
        let mut files = Files::default();
        let folder = fs::read_dir(main.with_extension("").join("subagents"));
        let agents = folder.into_iter().flatten().flatten().map(|it| it.path());
        for path in agents.chain([main]) {
            if let (Some(place), Ok(text)) = (place(&path), fs::read(&path)) {
                files.add(&place, &String::from_utf8_lossy(&text));
            }
        }
        view.restore(&files.main);
        // A sub-agent follows the one that started it.
        let mut agents: Vec<_> = files.agents.iter().collect();
        agents.sort_by_key(|(_, it)| it.meta.as_ref().and_then(|meta| meta.spawn_depth));
        for (agent, it) in agents {
            if let Some(call) = files.call_of(agent) {
                view.restore_subagent(&call, agent, &it.records);
            }
        }
        view
    }
}

fn place(path: &Path) -> Option<Place> {
    Place::of(&path.to_string_lossy())
}
