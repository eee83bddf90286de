//! The policy for the files of one directory.

use super::policy::{Decision, Policy};
use super::rules::{Disk, EDITS, Places, READS};
use agentwire_protocol::Json;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use agentwire_protocol::text::contains;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A policy that allows the agent's file tools in a directory, and denies them outside of it.
///
/// ```
/// use agentwire::permission::{Policy, Within};
/// use agentwire::{Options, Rules};
///
/// let rules = Rules::builder().allow(["Bash(cargo test)", "mcp__wiki"]).build()?;
/// let policy = Within::new("src")?.or(rules).or_deny("Only files in src.");
/// let options = Options::new().permission_handler(policy);
/// # drop(options);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | call | decision |
/// |---|---|
/// | `Read`, `Write`, `Edit`, `MultiEdit`, `NotebookEdit`, `NotebookRead`, `Glob`, `Grep`, `LS` of paths in the directory | allowed, unless the request requires a human ([`CanUseTool::requires_human`]) |
/// | one of these tools, if a path leads out of the directory or cannot be checked | denied; the message names the path and the directory |
/// | another tool, if the request has a [`blocked_path`](CanUseTool::blocked_path) outside | denied |
/// | every other call: `Bash`, tools of MCP servers, unknown tools | no decision |
///
/// A call without a decision is not allowed: the next policy or handler decides. List the tools
/// that may run with [`Rules`](crate::Rules), and end with [`or_deny`](Policy::or_deny) or
/// [`or_ask`](Policy::or_ask). Rules that deny files must come before this policy, which would
/// allow them, or be set by [`Options::rules`](crate::Options::rules).
///
/// # Paths
///
/// - A path is in the directory if both the path as written and its target are, with `..` and
///   symbolic links resolved as [`Rules`](crate::Rules) do, on this machine. A file need not exist.
/// - Relative paths, and searches without a path, are denied unless there is a
///   [working directory](Self::working_directory): the agent's shell can change the directory
///   that they start at. The agent makes the paths of most requests absolute. `~` is denied.
/// - Denied are a path that is empty or not a string, a link to a missing file, and paths through
///   `/proc` and `/dev/fd`. Every path of the input counts, also in a member that belongs to
///   another tool.
/// - A pattern is denied if it has a `..` or a `\`, or braces or brackets that could be one or an
///   absolute path. The fixed part of an absolute `Glob` must be in the directory.
///
/// # Safety
///
/// A policy only decides about permission requests. The agent reads files of its working
/// directory and of its additional directories without one, so set [`Options::cwd`] to this
/// directory. [`Hook::policy`](crate::Hook::policy) checks every call.
///
/// Files that the agent writes in the directory may run later with your rights: a build script, a
/// git hook. The file that a tool opens may be another one than the file that was checked, if
/// something else replaces a directory by a link in between. Hard links and mounts cannot be
/// recognised. A shell command is not confined by its `blocked_path`: the agent reports one path at
/// most. Where this matters, use a [sandbox](crate::Options::sandbox) or a container.
///
/// [`Options::cwd`]: crate::Options::cwd
#[derive(Debug, Clone)]
pub struct Within {
    /// The directory as given, but absolute.
    directory: PathBuf,
    /// The directory with links resolved.
    real: PathBuf,
    /// The directory of relative paths, if it is known.
    work: Option<PathBuf>,
    is_read_only: bool,
}

/// Members of file tools that contain a path.
const PATHS: [&str; 3] = ["file_path", "notebook_path", "path"];

/// Texts in a pattern with which it may leave the directory that is searched: `..`, and what could
/// be one or the start of an absolute path after expansion. The agents up to 2.1.332 search only
/// below that directory, whatever the pattern.
const LEAVES: [&str; 9] = ["..", "\\", "{.", ",.", "[.", "{/", ",/", "{,", ",}"];

impl Within {
    /// Creates a policy for this directory. A relative one starts at the current directory of
    /// this process. A symbolic link is resolved now, not again later.
    ///
    /// # Errors
    ///
    /// If the directory does not exist or cannot be resolved, or this process has no current
    /// directory.
    pub fn new(directory: impl AsRef<Path>) -> io::Result<Self> {
        let directory = std::path::absolute(directory)?;
        if !directory.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let real = Disk::default().follow(&directory).path;
        let real = real.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self {
            directory,
            real,
            work: None,
            is_read_only: false,
        })
    }

    /// Denies `Write`, `Edit`, `MultiEdit` and `NotebookEdit` too.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self
    }

    /// Sets the directory that relative paths, and searches without a path, start at. Default:
    /// these are denied. Set it to the directory that a hook call reports, or if the agent's directory
    /// cannot change during the session: the agent has no shell, and the host does not change the
    /// directory.
    #[must_use]
    pub fn working_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        // A relative directory is of no use.
        self.work = Some(directory.into()).filter(|directory| directory.is_absolute());
        self
    }

    /// Returns whether the call accesses files in the directory and nothing else. Fails with the
    /// reason to deny it.
    fn stays_within(&self, request: &CanUseTool) -> Result<bool, String> {
        let disk = Disk::default();
        if let Some(path) = &request.blocked_path {
            self.check(path, &disk)?;
        }
        let tool = &*request.tool_name;
        if !EDITS.contains(&tool) && !READS.contains(&tool) {
            return Ok(false);
        }
        if self.is_read_only && EDITS.contains(&tool) {
            return Err(format!("`{tool}` changes files"));
        }
        let input: BTreeMap<String, Json> = match request.input.read() {
            Ok(input) => input,
            Err(_) => return Err(format!("the input of `{tool}` is not an object")),
        };
        let text = |name: &str| -> Result<Option<String>, String> {
            let value = input.get(name).map(Json::read).transpose();
            value.map_err(|_| format!("`{name}` of `{tool}` is not a string"))
        };
        let mut has_path = false;
        for name in PATHS {
            if let Some(path) = text(name)? {
                self.check(&path, &disk)?;
                has_path = true;
            }
        }
        if tool == "Grep"
            && let Some(glob) = text("glob")?
        {
            self.check_pattern(&glob)?;
        }
        if tool == "Glob"
            && let Some(pattern) = text("pattern")?
        {
            self.check_pattern(&pattern)?;
            if pattern.starts_with(['/', '~']) || Path::new(&pattern).is_absolute() {
                self.check(fixed_part(&pattern), &disk)?;
                has_path = true;
            }
        }
        match tool {
            _ if has_path => Ok(true),
            "Glob" | "Grep" | "LS" => self.check(".", &disk).map(|()| true),
            _ => Err(format!("`{tool}` names no file")),
        }
    }

    fn check(&self, path: &str, disk: &Disk) -> Result<(), String> {
        let directory = self.directory.display();
        if path.is_empty() {
            return Err(format!("an empty path; use one in {directory}"));
        }
        let work = match &self.work {
            Some(work) => work,
            None if Path::new(path).is_absolute() => &self.real,
            None => {
                return Err(format!(
                    "`{path}` is not an absolute path; use one in {directory}"
                ));
            }
        };
        // Of other homes than that of the agent, nothing is known here.
        let (work, home) = (work.clone(), None);
        let places = Places { work, home };
        match places.is_within(path, &self.directory, Some(&self.real), disk) {
            true => Ok(()),
            false => Err(format!("`{path}` is not in {directory}")),
        }
    }

    fn check_pattern(&self, pattern: &str) -> Result<(), String> {
        match LEAVES.iter().find(|text| contains(pattern, text)) {
            None => Ok(()),
            Some(text) => Err(format!(
                "the pattern `{pattern}` with `{text}` may leave {}",
                self.directory.display()
            )),
        }
    }
}

/// Returns the directory in which an absolute pattern matches.
fn fixed_part(pattern: &str) -> &str {
    let wild = pattern.find(['*', '?', '[', '{', '(']);
    let fixed = &pattern[..wild.unwrap_or(pattern.len())];
    match (wild, fixed.rfind('/')) {
        (Some(_), Some(end)) => &fixed[..=end],
        _ => fixed,
    }
}

impl Policy for Within {
    fn decide(&self, request: &CanUseTool) -> Decision {
        match self.stays_within(request) {
            Err(why) => PermissionResult::deny(format!("Not allowed: {why}.")).into(),
            Ok(true) if !request.requires_human() => PermissionResult::allow().into(),
            Ok(_) => Decision::None,
        }
    }

    fn decide_in(&self, request: &CanUseTool, directory: &Path) -> Decision {
        self.clone().working_directory(directory).decide(request)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Creates a project with links, and a directory outside of it.
    fn create_project() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        for folder in ["project/src", "projects", "out"] {
            std::fs::create_dir_all(real.join(folder)).unwrap();
        }
        for file in ["project/a.txt", "out/secret.txt", "projects/b.txt"] {
            std::fs::write(real.join(file), "text").unwrap();
        }
        for (target, link) in [
            ("../out", "project/link"),
            ("../out/secret.txt", "project/file"),
            ("src", "project/inner"),
            ("../out/none", "project/dangling"),
            ("loop", "project/loop"),
            ("project", "alias"),
        ] {
            std::os::unix::fs::symlink(target, real.join(link)).unwrap();
        }
        // Another process may have another root.
        let magic = format!("/proc/self/root{}/project/src", real.display());
        std::os::unix::fs::symlink(magic, real.join("project/magic")).unwrap();
        (root, real)
    }

    /// Returns the decision: `allow`, the message of a denial, or `none`.
    fn decision(within: &Within, request: &CanUseTool) -> String {
        match within.decide(request) {
            Decision::Decided(PermissionResult::Allow(_)) => "allow".to_owned(),
            Decision::Decided(PermissionResult::Deny(deny)) => deny.message,
            Decision::None => "none".to_owned(),
            decision => panic!("{decision:?}"),
        }
    }

    #[track_caller]
    fn allows(within: &Within, tool: &str, input: Value) {
        let request = CanUseTool::new(tool, input);
        assert_eq!(decision(within, &request), "allow", "{request:?}");
    }

    #[track_caller]
    fn denies(within: &Within, tool: &str, input: Value) {
        let request = CanUseTool::new(tool, input);
        let said = decision(within, &request);
        assert!(said.starts_with("Not allowed: "), "{said}: {request:?}");
    }

    #[test]
    fn file_tools_are_allowed_inside_and_denied_outside() {
        let (_root, root) = create_project();
        let project = root.join("project");
        let within = Within::new(&project).unwrap();
        let at = |path: &str| format!("{}/{path}", project.display());
        for path in [
            "a.txt",
            "new/file.txt",
            "src/../a.txt",
            "src/",
            "./a.txt",
            "inner/x",
            "",
            "src//x",
            "...",
        ] {
            allows(&within, "Read", json!({"file_path": at(path)}));
            allows(
                &within,
                "Write",
                json!({"file_path": at(path), "content": "x"}),
            );
        }
        for path in [
            "link",
            "magic/new.txt",
            "link/secret.txt",
            "link/new.txt",
            "file",
            "file/",
            "dangling",
            "loop",
            "../out",
            "../project/../out",
            "link/..",
            "inner/../../out",
            "src/../../projects/b.txt",
            "../projects/b.txt",
            "../PROJECT/a.txt",
            "a\0b",
            "new/../../out/x",
            "link/../a.txt",
        ] {
            denies(&within, "Read", json!({"file_path": at(path)}));
            denies(&within, "Edit", json!({"file_path": at(path)}));
            denies(&within, "NotebookEdit", json!({"notebook_path": at(path)}));
            denies(&within, "Grep", json!({"pattern": "x", "path": at(path)}));
            denies(&within, "Glob", json!({"pattern": "*", "path": at(path)}));
            denies(&within, "LS", json!({"path": at(path)}));
        }
        for path in [
            "/",
            "/etc/passwd",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd",
            "/dev/fd/0",
            "/dev/stdin",
            "~",
            "~/a",
            "~root/a",
            "a.txt",
            ".",
            "..",
            "",
            " ",
            "src",
        ] {
            denies(&within, "Read", json!({"file_path": path}));
            denies(
                &within,
                "MultiEdit",
                json!({"file_path": path, "edits": []}),
            );
        }
        let magic = format!("/proc/self/root{}", at("a.txt"));
        denies(&within, "Read", json!({"file_path": magic}));

        let request = CanUseTool::new("Read", json!({"file_path": "/etc/passwd"}));
        let expected = format!(
            "Not allowed: `/etc/passwd` is not in {}.",
            project.display()
        );
        assert_eq!(decision(&within, &request), expected);
    }

    #[test]
    fn an_input_that_cannot_be_checked_is_denied() {
        let (_root, root) = create_project();
        let within = Within::new(root.join("project")).unwrap();
        let file = root.join("project/a.txt");
        for input in [
            json!({}),
            json!([]),
            json!(null),
            json!("/etc/passwd"),
            json!({"file_path": null}),
            json!({"file_path": 7}),
            json!({"file_path": [file]}),
            json!({"file_path": {"a": file}}),
            json!({"File_Path": file}),
            json!({"filePath": file}),
            // What another tool reads counts too.
            json!({"file_path": file, "path": "/etc/passwd"}),
            json!({"file_path": file, "notebook_path": "/etc/passwd"}),
            json!({"file_path": "/etc/passwd", "path": file}),
        ] {
            denies(&within, "Read", input.clone());
            denies(&within, "Write", input);
        }
        allows(&within, "Read", json!({"file_path": file, "limit": 7}));
        let twice = format!(r#"{{"file_path":{file:?},"file_path":"/etc/passwd"}}"#);
        let escaped = r#"{"file\u005fpath":"/etc/passwd"}"#.to_owned();
        for input in [twice, escaped] {
            let input: Json = serde_json::from_str(&input).unwrap();
            let request = CanUseTool::new("Read", input);
            assert!(
                decision(&within, &request).starts_with("Not"),
                "{request:?}"
            );
        }
    }

    #[test]
    fn patterns_do_not_leave_the_directory() {
        let (_root, root) = create_project();
        let project = root.join("project");
        let within = Within::new(&project).unwrap();
        let at = |path: &str| format!("{}/{path}", project.display());
        let glob = |pattern: &str| json!({"pattern": pattern, "path": project});
        for pattern in [
            "*",
            "**/*.{rs,toml}",
            "src/[a-z]*.rs",
            "*.test.{ts,tsx}",
            ".github/**",
            "(group)/*",
        ] {
            allows(&within, "Glob", glob(pattern));
            allows(
                &within,
                "Grep",
                json!({"pattern": "x", "path": project, "glob": pattern}),
            );
        }
        for pattern in [
            "../*",
            "src/../../out/*",
            "*/../../out/*",
            "{..,src}/*",
            "{.,src}{.,src}/out/*",
            "{/etc,src}/*",
            "{src,/etc}/*",
            "{,src}/etc/*",
            "{src,}/etc/*",
            "[.][.]/out/*",
            ".\\./out/*",
            "@(..)/out/*",
            "~/*",
            "~root/*",
            "/etc/*",
            "/etc/pass{wd,x}",
            "/*",
        ] {
            denies(&within, "Glob", glob(pattern));
            denies(&within, "Glob", json!({"pattern": pattern}));
        }
        for pattern in ["**", "src/*", "a?txt", "*.{a,b}", "a.txt"] {
            allows(&within, "Glob", json!({"pattern": at(pattern)}));
        }
        for pattern in ["link/*", "../out/*", "src/../../out/*"] {
            denies(&within, "Glob", json!({"pattern": at(pattern)}));
        }
        denies(
            &within,
            "Glob",
            json!({"pattern": format!("{}s/*", project.display())}),
        );
        denies(&within, "Glob", json!({"pattern": at("*"), "path": "/etc"}));
        denies(&within, "Glob", json!({"pattern": 7, "path": project}));
        denies(
            &within,
            "Grep",
            json!({"pattern": "x", "path": project, "glob": "../out/*"}),
        );
        denies(
            &within,
            "Grep",
            json!({"pattern": "x", "path": project, "glob": ["*"]}),
        );
        // The pattern of a `Grep` is no path.
        allows(
            &within,
            "Grep",
            json!({"pattern": "../|\\s{,2}", "path": project}),
        );
    }

    #[test]
    fn relative_paths_start_at_the_working_directory() {
        let (_root, root) = create_project();
        let project = root.join("project");
        let within = Within::new(&project).unwrap();
        let searches = [
            ("Grep", json!({"pattern": "x"})),
            ("Glob", json!({"pattern": "*"})),
            ("LS", json!({})),
            ("Grep", json!({"pattern": "x", "path": "src"})),
        ];
        for (tool, input) in &searches {
            denies(&within, tool, input.clone());
            let other = within.clone().working_directory(&root);
            denies(&other, tool, input.clone());
            let relative = within.clone().working_directory("project");
            denies(&relative, tool, input.clone());
            allows(
                &within.clone().working_directory(&project),
                tool,
                input.clone(),
            );
        }
        let at_project = within.clone().working_directory(&project);
        denies(&at_project, "Grep", json!({"pattern": "x", "path": ""}));
        denies(&at_project, "Read", json!({"file_path": ""}));
        let at_src = within.working_directory(project.join("src"));
        allows(&at_src, "Read", json!({"file_path": "../a.txt"}));
        for path in [
            "../../out/secret.txt",
            "../link/secret.txt",
            "../file",
            "~/a.txt",
            "~",
        ] {
            denies(&at_src, "Read", json!({"file_path": path}));
        }
    }

    #[test]
    fn a_directory_may_be_a_link_and_must_exist() {
        let (_root, root) = create_project();
        let within = Within::new(root.join("alias")).unwrap();
        for folder in ["alias", "project"] {
            let at = |path: &str| root.join(folder).join(path);
            allows(&within, "Read", json!({"file_path": at("a.txt")}));
            denies(&within, "Read", json!({"file_path": at("link/secret.txt")}));
        }
        // The link now leads elsewhere.
        std::fs::remove_file(root.join("alias")).unwrap();
        std::os::unix::fs::symlink("out", root.join("alias")).unwrap();
        denies(
            &within,
            "Read",
            json!({"file_path": root.join("alias/secret.txt")}),
        );

        let slash = Within::new(format!("{}/project/", root.display())).unwrap();
        allows(
            &slash,
            "Read",
            json!({"file_path": root.join("project/a.txt")}),
        );
        denies(
            &slash,
            "Read",
            json!({"file_path": root.join("projects/b.txt")}),
        );
        let dots = Within::new(root.join("project/link/../project")).unwrap();
        allows(
            &dots,
            "Read",
            json!({"file_path": root.join("project/a.txt")}),
        );
        denies(
            &dots,
            "Read",
            json!({"file_path": root.join("projects/b.txt")}),
        );

        for folder in ["none", "project/a.txt", "project/dangling", ""] {
            let path = if folder.is_empty() {
                PathBuf::new()
            } else {
                root.join(folder)
            };
            Within::new(path).unwrap_err();
        }
    }

    #[test]
    fn other_tools_are_not_decided_and_denied_where_the_agent_names_a_path_outside() {
        let (_root, root) = create_project();
        let within = Within::new(root.join("project")).unwrap();
        let file = root.join("project/a.txt");
        for tool in [
            "Bash",
            "WebFetch",
            "mcp__files__read",
            "Teleport",
            "read",
            "Agent",
        ] {
            let mut request =
                CanUseTool::new(tool, json!({"path": "/etc/passwd", "command": "ls"}));
            assert_eq!(decision(&within, &request), "none", "{tool}");
            request.blocked_path = file.to_str().map(str::to_owned);
            assert_eq!(decision(&within, &request), "none", "{tool}");
            request.blocked_path = Some("/etc".to_owned());
            let said = decision(&within, &request);
            assert!(said.contains("`/etc` is not in"), "{said}");
        }
        let mut request = CanUseTool::new("Read", json!({"file_path": file}));
        request.requires_user_interaction = Some(true);
        assert_eq!(decision(&within, &request), "none");
        request.input = json!({"file_path": "/etc/passwd"}).into();
        assert!(decision(&within, &request).starts_with("Not"));
    }
}
