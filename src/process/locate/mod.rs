//! Locating the agent CLI.
//!
//! The result can be started without a shell: the CLI itself, or Node and the
//! CLI's script. On Windows, the shell scripts of package managers are resolved
//! to the program behind them. That part is tested on Linux with folders laid
//! out as on Windows; it has not run on Windows yet.

#[cfg(unix)]
mod interpreter;
mod not_found;
mod places;
mod shim;
mod surroundings;

#[cfg(unix)]
pub(crate) use interpreter::explain;
pub use not_found::CliNotFound;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use surroundings::Surroundings;

/// The option and the variable that set the CLI.
const OPTION: &str = "Options::cli";
const VARIABLE: &str = "AGENTWIRE_CLI";

/// The name that is searched for by default.
const NAME: &str = "claude";

/// A located CLI, and how it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cli {
    /// The CLI: an executable or a Node script.
    pub(crate) file: PathBuf,
    node: Option<PathBuf>,
}

/// How the CLI was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CliSource {
    /// [`Options::cli`](crate::Options::cli) sets the CLI.
    Option,
    /// The variable `AGENTWIRE_CLI` sets the CLI.
    Variable,
    /// The CLI is on the `PATH`.
    Path,
    /// The CLI is in a folder that installers use.
    InstallFolder,
}

impl std::fmt::Display for CliSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Option => "set by `Options::cli`",
            Self::Variable => "set by AGENTWIRE_CLI",
            Self::Path => "found on the PATH",
            Self::InstallFolder => "found in a folder of an installer",
        })
    }
}

impl Cli {
    /// Returns the command that starts the CLI, without further arguments.
    pub(crate) fn command(&self) -> Command {
        match &self.node {
            Some(node) => {
                let mut command = Command::new(node);
                command.arg(&self.file);
                command
            }
            None => Command::new(&self.file),
        }
    }
}

/// Locates the CLI: `explicit`, else `AGENTWIRE_CLI`, else `claude` on the
/// `PATH`, else in the usual places.
///
/// If the CLI is set by `explicit` or the variable but does not exist, there is
/// no fallback.
pub(crate) fn find_cli(explicit: Option<&Path>) -> Result<Cli, CliNotFound> {
    Ok(locate_cli(explicit)?.0)
}

/// Locates the CLI as [`find_cli`] does, and returns how it was found.
pub(crate) fn locate_cli(explicit: Option<&Path>) -> Result<(Cli, CliSource), CliNotFound> {
    find(explicit, &Surroundings::of_this_process())
}

fn find(explicit: Option<&Path>, around: &Surroundings) -> Result<(Cli, CliSource), CliNotFound> {
    let mut search = Search {
        around,
        looked: Vec::new(),
        shim: None,
    };
    let (named_by, source, found) = match (explicit, around.variable(VARIABLE)) {
        (Some(path), _) => {
            let found = search.named(path.as_os_str());
            (Some(OPTION), CliSource::Option, found)
        }
        (None, Some(path)) => (Some(VARIABLE), CliSource::Variable, search.named(&path)),
        (None, None) => {
            search.looked.push(format!("{VARIABLE}: not set"));
            let name = OsStr::new(NAME);
            match search.on_path(name) {
                Some(cli) => (None, CliSource::Path, Some(cli)),
                None => (None, CliSource::InstallFolder, search.usual_places(name)),
            }
        }
    };
    found.map(|cli| (cli, source)).ok_or(CliNotFound {
        named_by,
        looked: search.looked,
        shim: search.shim,
    })
}

struct Search<'a> {
    around: &'a Surroundings,
    looked: Vec<String>,
    shim: Option<PathBuf>,
}

impl Search<'_> {
    /// Tries a path, or looks up a bare name on the `PATH`.
    fn named(&mut self, name: &OsStr) -> Option<Cli> {
        let path = Path::new(name);
        if path.components().count() > 1 || path.has_root() {
            self.try_file(path)
        } else {
            self.on_path(name)
        }
    }

    fn on_path(&mut self, name: &OsStr) -> Option<Cli> {
        let files = self.around.files(name);
        self.looked
            .push(format!("`{}`: not on the PATH", files[0].display()));
        let path = self.around.variable("PATH")?;
        let folders: Vec<_> = env::split_paths(&path).collect();
        let mut candidates = folders
            .iter()
            .flat_map(|folder| files.iter().map(|file| folder.join(file)))
            .filter(|file| is_executable(file));
        candidates.find_map(|file| match self.startable(&file) {
            Ok(cli) => Some(cli),
            Err(problem) => {
                self.looked.push(format!("`{}`: {problem}", file.display()));
                None
            }
        })
    }

    fn usual_places(&mut self, name: &OsStr) -> Option<Cli> {
        let files = self.around.files(name);
        let folders = places::folders(self.around);
        let mut candidates = folders
            .iter()
            .flat_map(|folder| files.iter().map(|file| folder.join(file)));
        candidates.find_map(|file| self.try_file(&file))
    }

    fn try_file(&mut self, file: &Path) -> Option<Cli> {
        match self.startable(file) {
            Ok(cli) => Some(cli),
            Err(problem) => {
                self.looked.push(format!("`{}`: {problem}", file.display()));
                None
            }
        }
    }

    /// Returns the command for a file, or why it cannot be started.
    fn startable(&mut self, file: &Path) -> Result<Cli, &'static str> {
        if !file.is_file() {
            return Err(match file {
                file if file.is_dir() => "it is a directory",
                file if file.exists() => "it is not a regular file",
                _ => "no such file",
            });
        }
        // The CLI may be started in another directory, where a relative path would name another
        // file.
        let file = std::path::absolute(file).map_err(|_| "it has no absolute path")?;
        let parent = file.parent().map(Path::to_path_buf);
        let target = if self.around.is_windows && shim::is_shim(&file) {
            self.shim.get_or_insert_with(|| file.clone());
            shim::target_of_shim(&file)
                .ok_or("it is a shell script, and the program that it starts was not found")?
        } else {
            file
        };
        if shim::is_node_script(&target) {
            let node = self.node(parent.as_deref());
            let node = Some(node.ok_or("it is a Node script, and Node was not found")?);
            return Ok(Cli { file: target, node });
        }
        if !is_executable(&target) {
            return Err("it is not executable (`chmod +x`)");
        }
        // Its `#!` line would search the `PATH` of the environment. Without Node, the CLI reports
        // the error itself.
        let node = if shim::has_node_shebang(&target) {
            self.node(parent.as_deref())
        } else {
            None
        };
        Ok(Cli { file: target, node })
    }

    /// Returns Node: next to the CLI, else on the `PATH`, else in the usual
    /// places.
    fn node(&self, parent: Option<&Path>) -> Option<PathBuf> {
        let name = if self.around.is_windows {
            "node.exe"
        } else {
            "node"
        };
        let path = self.around.variable("PATH").unwrap_or_default();
        let mut folders: Vec<_> = parent.map(Path::to_path_buf).into_iter().collect();
        folders.extend(env::split_paths(&path));
        folders.extend(places::folders(self.around));
        let mut files = folders.into_iter().map(|folder| folder.join(name));
        files
            .find(|file| is_executable(file))
            .and_then(|file| std::path::absolute(file).ok())
    }
}

fn is_executable(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

#[cfg(all(test, unix))]
mod tests;
