//! A generated configuration directory with sessions, and queries.

mod text;
mod transcript;

use agentwire_testing::Random;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};
use text::{Object, text};
use transcript::Transcript;

/// A generated directory.
pub(crate) struct World {
    random: Random,
    root: PathBuf,
    pub(crate) config: PathBuf,
    /// The working directories of the sessions.
    pub(crate) directories: Vec<PathBuf>,
    /// The IDs of all sessions, and of some missing ones.
    pub(crate) sessions: Vec<String>,
    /// The IDs of the sub-agents of all sessions.
    pub(crate) agents: Vec<String>,
}

impl World {
    /// Creates the directories of a seed.
    pub(crate) fn new(root: &Path, seed: u64) -> Self {
        let root = root.canonicalize().unwrap();
        let mut world = Self {
            random: Random::new(seed),
            config: root.join("config"),
            root,
            directories: Vec::new(),
            sessions: Vec::new(),
            agents: Vec::new(),
        };
        world.directories();
        let sessions: Vec<String> = (0..2 + world.random.below(7))
            .map(|_| world.random.uuid())
            .collect();
        world.sessions.clone_from(&sessions);
        for directory in world.directories.clone() {
            if world.random.one_in(6) {
                continue;
            }
            let folder = world.folder(&directory);
            let name = folder.to_string_lossy().into_owned();
            if fs::create_dir_all(&folder).is_err() {
                panic!("cannot make {name}");
            }
            for _ in 0..world.random.below(4) {
                let at = world.random.below(sessions.len());
                world.session(&folder, &directory, &sessions[at]);
            }
            world.create_other_files(&folder);
        }
        let projects = world.config.join("projects");
        fs::create_dir_all(&projects).unwrap();
        if world.random.one_in(3) {
            fs::write(projects.join("a-file"), "x").unwrap();
            link(&projects, &projects.join("loop"));
        }
        world.sessions.push("nobody".to_owned());
        world.sessions.push("../../etc".to_owned());
        world
            .sessions
            .push("11111111-2222-4333-8444-555555555555".to_owned());
        world.agents.push("none".to_owned());
        world
    }

    /// Creates the working directories. Some have the same folder name, some have a long name, and
    /// some are worktrees.
    fn directories(&mut self) {
        let work = self.root.join("work");
        let long = "long directory/".repeat(16);
        let mut directories = vec![
            work.join("a-b"),
            work.join("a/b"),
            work.join("ü 🦀"),
            work.join(&long).join("x"),
            work.join(&long).join("y"),
        ];
        for directory in &directories {
            fs::create_dir_all(directory).unwrap();
        }
        directories.push(work.join("never/made"));
        link(&work.join("a-b"), &work.join("linked"));
        directories.push(work.join("linked"));
        if self.random.one_in(3) {
            let repository = work.join("repo");
            fs::create_dir_all(&repository).unwrap();
            git(&repository, &["init", "-q"]);
            git(
                &repository,
                &["commit", "-q", "--allow-empty", "-m", "first"],
            );
            directories.push(repository.clone());
            let trees = [
                work.join("repo-tree"),
                work.join("repo/.trees/one"),
                work.join(&long).join("tree"),
            ];
            for (at, tree) in trees.iter().enumerate() {
                if !self.random.one_in(4) {
                    let branch = format!("b{at}");
                    git(
                        &repository,
                        &[
                            "worktree",
                            "add",
                            "-q",
                            "-b",
                            &branch,
                            tree.to_str().unwrap(),
                        ],
                    );
                    directories.push(tree.clone());
                }
            }
            let inside = repository.join("inside");
            fs::create_dir_all(&inside).unwrap();
            directories.push(inside);
        }
        self.directories = directories;
    }

    /// Returns the folder of a directory's sessions. The name may be that of another agent version.
    fn folder(&mut self, directory: &Path) -> PathBuf {
        let projects = self.config.join("projects");
        let name = directory
            .canonicalize()
            .unwrap_or_else(|_| directory.to_owned());
        let key = agentwire_files::TranscriptKey::in_directory(&name, "x").unwrap();
        let key = key.project();
        if key.len() > 200 && self.random.one_in(2) {
            return projects.join(format!("{}-other{}", &key[..200], self.random.below(3)));
        }
        projects.join(key)
    }

    fn session(&mut self, folder: &Path, directory: &Path, id: &str) {
        let path = folder.join(format!("{id}.jsonl"));
        if self.random.one_in(25) {
            let elsewhere = folder.join("elsewhere.jsonl");
            if self.random.one_in(2) {
                let bytes = self.transcript(id, directory, 5, false);
                fs::write(&elsewhere, bytes).unwrap();
            }
            link(&elsewhere, &path);
            return;
        }
        let cwd = match self.random.below(8) {
            0 => self.directories[self.random.below(self.directories.len())].clone(),
            _ => directory.to_owned(),
        };
        let records = match self.random.below(12) {
            0 => 0,
            1 => 1,
            2 => 150,
            _ => 3 + self.random.below(40),
        };
        let mut bytes = self.transcript(id, &cwd, records, false);
        if self.random.one_in(40) {
            // The official SDK reads only a part of a file with more than 5 MiB.
            while bytes.len() < 6 << 20 {
                let more = self.transcript(id, &cwd, 200, false);
                bytes.extend(more);
            }
        }
        if self.random.one_in(30) {
            bytes.clear();
        }
        if self.random.one_in(60) {
            fs::create_dir_all(&path).ok();
            return;
        }
        if path.is_dir() || path.is_symlink() {
            return;
        }
        fs::write(&path, bytes).unwrap();
        self.touch(&path);
        self.create_session_folder(&folder.join(id), id, &cwd);
    }

    fn transcript(&mut self, id: &str, cwd: &Path, records: usize, is_agent: bool) -> Vec<u8> {
        let elsewhere: Vec<String> = self
            .directories
            .iter()
            .map(|it| it.to_string_lossy().into_owned())
            .collect();
        let sessions = self.sessions.clone();
        let cwd = cwd.to_string_lossy().into_owned();
        let mut transcript =
            Transcript::new(&mut self.random, id, &cwd, &elsewhere, &sessions, is_agent);
        transcript.bytes(records)
    }

    /// Sets the time of a file, possibly to the time of another file.
    fn touch(&mut self, path: &Path) {
        let seconds = 1_750_000_000 + self.random.number() % 5;
        let nanoseconds = [0, 1_000_000, 499_999_999, 999_500_000][self.random.below(4)];
        let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    }

    /// Creates the contents of the folder of a session.
    fn create_session_folder(&mut self, folder: &Path, id: &str, cwd: &Path) {
        if self.random.one_in(3) {
            fs::create_dir_all(folder).unwrap();
            let marks = [
                r#"{"archived":true,"at":"2025-06-01T00:00:00.000Z","by":"sdk"}"#,
                r#"{"archived":true,"at":"2030-01-01T00:00:00+02:00"}"#,
                r#"{"archived":true,"at":"2020-01-01T00:00:00Z"}"#,
                r#"{"archived":false,"at":"2025-06-01T00:00:00Z"}"#,
                r#" {"at":"2025-06-01T00:00:00Z","archived":true} "#,
                r#"{"archived":true,"at":"2025-06-01"}"#,
                r#"{"archived":"true","at":"2025-06-01T00:00:00Z"}"#,
                "not json",
                "[]",
                "",
            ];
            fs::write(folder.join("archived.json"), self.random.pick(&marks)).unwrap();
        }
        if self.random.one_in(4) {
            fs::create_dir_all(folder).unwrap();
            let title = text(&mut self.random);
            let title = match self.random.below(4) {
                0 => "5".to_owned(),
                1 => "{}".to_owned(),
                _ => Object::default().text("customTitle", &title).compact(),
            };
            fs::write(folder.join("custom-title.json"), title).unwrap();
        }
        if self.random.one_in(3) {
            let folders = [
                "subagents",
                "subagents/workflows/run-1",
                "subagents/z/deep/er",
            ];
            for sub in folders {
                for _ in 0..self.random.below(3) {
                    self.agent(&folder.join(sub), id, cwd);
                }
            }
        }
    }

    fn agent(&mut self, folder: &Path, id: &str, cwd: &Path) {
        fs::create_dir_all(folder).unwrap();
        let agent = match self.random.below(10) {
            0 => String::new(),
            1 => "same".to_owned(),
            2 => "ü x".to_owned(),
            _ => format!("a{:016x}", self.random.number()),
        };
        let path = folder.join(format!("agent-{agent}.jsonl"));
        if self.random.one_in(12) {
            link(&folder.join("agent-other.jsonl"), &path);
        } else if !path.is_symlink() {
            let records = self.random.below(25);
            let bytes = self.transcript(id, cwd, records, true);
            fs::write(&path, bytes).unwrap();
        }
        if self.random.one_in(2) {
            let metas = [
                r#"{"agentType":"x","toolUseId":"toolu_1","parentAgentId":"a1"}"#,
                r#"{"toolUseId":"not an id","parentAgentId":"a.1"}"#,
                r#"{"toolUseId":5,"parentAgentId":null}"#,
                "null",
                "{",
            ];
            let meta = self.random.pick(&metas);
            fs::write(folder.join(format!("agent-{agent}.meta.json")), meta).unwrap();
        }
        fs::write(folder.join("journal.jsonl"), "{}").unwrap();
        self.agents.push(agent);
    }

    /// Creates files that are not sessions.
    fn create_other_files(&mut self, folder: &Path) {
        if self.random.one_in(3) {
            fs::write(folder.join("notes.jsonl"), "{}").unwrap();
            fs::write(folder.join("sessions-index.json"), "{}").unwrap();
            let upper = self.random.uuid().to_uppercase();
            let bytes = self.transcript(&upper, folder, 3, false);
            fs::write(folder.join(format!("{upper}.jsonl")), bytes).unwrap();
            self.touch(&folder.join(format!("{upper}.jsonl")));
            self.sessions.push(upper);
        }
    }

    /// Returns a title.
    pub(crate) fn title(&mut self) -> String {
        match self.random.below(8) {
            0 => "x".repeat(70_000),
            1 => " \u{a0}\u{feff}\n\t".to_owned(),
            2 => "tab\t\u{0}\u{1b}[31m\u{7f}\u{202e}bell\u{7}".to_owned(),
            _ => text(&mut self.random),
        }
    }

    /// Returns a tag that NFKC does not change.
    pub(crate) fn tag(&mut self) -> String {
        let tags = [
            "work",
            " two words ",
            "",
            " \n",
            "\u{200b}\u{feff}",
            "a\u{200d}b\u{202e}c",
            "\u{e000}x\u{f8ff}\u{10fffd}",
            "\u{1f469}\u{200d}\u{1f4bb}",
            "line\nbreak\0\u{1b}",
            "ü\u{85}\u{2028}",
            "\u{fdd0}\u{ffff}ß",
            "\u{e0061}tag",
            "\"quoted\\",
        ];
        self.random.pick(&tags).to_owned()
    }

    /// Returns a limit or an offset.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }
}

fn link(to: &Path, from: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, from).ok();
    #[cfg(not(unix))]
    let _ = (to, from);
}

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=crab", "-c", "user.email=crab@example.com"])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(arguments)
        .current_dir(directory)
        .env_remove("GIT_DIR")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "git {arguments:?}");
}
