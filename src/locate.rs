//! Finding the agent CLI.

use crate::error::CliNotFound;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variable that says where the CLI is.
const VARIABLE: &str = "AGENTWIRE_CLI";

/// The CLI's name, where it is looked for by name.
const NAME: &str = "claude";

/// Where installers put the CLI, below the home directory and elsewhere.
const HOME_PLACES: [&str; 6] = [
    ".local/bin",
    ".claude/local",
    ".claude/local/node_modules/.bin",
    ".npm-global/bin",
    ".bun/bin",
    ".yarn/bin",
];
const SYSTEM_PLACES: [&str; 3] = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"];

/// What the search looks at.
pub(crate) struct Surroundings {
    pub(crate) variable: Option<OsString>,
    pub(crate) path: Option<OsString>,
    pub(crate) home: Option<PathBuf>,
}

impl Surroundings {
    pub(crate) fn of_this_process() -> Self {
        Self {
            variable: env::var_os(VARIABLE).filter(|value| !value.is_empty()),
            path: env::var_os("PATH"),
            home: env::home_dir(),
        }
    }
}

/// Finds the CLI: `explicit`, else what `AGENTWIRE_CLI` says, else `claude`
/// on the `PATH`, else in the usual places.
///
/// What was said explicitly, or by the variable, is not replaced by anything
/// else when it is not there.
pub(crate) fn find_cli(
    explicit: Option<&Path>,
    around: &Surroundings,
) -> Result<PathBuf, CliNotFound> {
    let mut looked = Vec::new();
    let found = match (explicit, &around.variable) {
        (Some(path), _) => named(path.as_os_str(), "", around, &mut looked),
        (None, Some(path)) => named(path, &format!(" ({VARIABLE})"), around, &mut looked),
        (None, None) => {
            looked.push(format!("{VARIABLE} (not set)"));
            on_path(OsStr::new(NAME), around, &mut looked)
                .or_else(|| usual_places(around, &mut looked))
        }
    };
    // The CLI is started in a directory of its own, where a relative path would
    // name something else.
    found
        .and_then(|path| std::path::absolute(path).ok())
        .ok_or(CliNotFound { looked })
}

/// A path, or a bare name, which is looked for on the `PATH`.
fn named(
    name: &OsStr,
    whence: &str,
    around: &Surroundings,
    looked: &mut Vec<String>,
) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.has_root() {
        try_file(path.to_path_buf(), whence, looked)
    } else {
        on_path(name, around, looked)
    }
}

fn on_path(name: &OsStr, around: &Surroundings, looked: &mut Vec<String>) -> Option<PathBuf> {
    let name = format!("{}{}", name.to_string_lossy(), env::consts::EXE_SUFFIX);
    looked.push(format!("`{name}` on the PATH"));
    env::split_paths(around.path.as_ref()?)
        .map(|folder| folder.join(&name))
        .find(|file| is_executable(file))
}

fn usual_places(around: &Surroundings, looked: &mut Vec<String>) -> Option<PathBuf> {
    let home = around
        .home
        .iter()
        .flat_map(|home| HOME_PLACES.map(|place| home.join(place)));
    home.chain(SYSTEM_PLACES.map(PathBuf::from))
        .find_map(|folder| {
            try_file(
                folder.join(format!("{NAME}{}", env::consts::EXE_SUFFIX)),
                "",
                looked,
            )
        })
}

fn try_file(file: PathBuf, whence: &str, looked: &mut Vec<String>) -> Option<PathBuf> {
    let found = is_executable(&file);
    let problem = if file.exists() && !found {
        ", which cannot be executed"
    } else {
        ""
    };
    looked.push(format!("{}{whence}{problem}", file.display()));
    found.then_some(file)
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn file(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn around(&self, variable: Option<&str>) -> Surroundings {
            Surroundings {
                variable: variable.map(OsString::from),
                path: Some(self.0.path().join("bin").into()),
                home: Some(self.0.path().join("home")),
            }
        }
    }

    #[test]
    fn an_explicit_path_wins_over_the_variable_and_that_over_the_path() {
        let folder = Folder::new();
        let (explicit, variable) = (folder.file("a/x", 0o755), folder.file("b/y", 0o755));
        let on_path = folder.file("bin/claude", 0o755);
        let around = folder.around(variable.to_str());
        assert_eq!(find_cli(Some(&explicit), &around), Ok(explicit));
        assert_eq!(find_cli(None, &around), Ok(variable));
        assert_eq!(find_cli(None, &folder.around(None)), Ok(on_path.clone()));
        assert_eq!(
            find_cli(Some(Path::new("claude")), &folder.around(None)),
            Ok(on_path)
        );
    }

    #[test]
    fn the_usual_places_are_tried_last() {
        let folder = Folder::new();
        let installed = folder.file("home/.claude/local/claude", 0o755);
        folder.file("bin/claude", 0o644);
        assert_eq!(find_cli(None, &folder.around(None)), Ok(installed));
    }

    #[test]
    fn what_is_not_there_is_not_replaced_and_the_error_lists_where_it_was_looked_for() {
        let folder = Folder::new();
        folder.file("bin/claude", 0o755);
        let data = folder.file("data", 0o644);
        let missing = find_cli(Some(Path::new("/no/such/cli")), &folder.around(None)).unwrap_err();
        assert_eq!(missing.looked, ["/no/such/cli"]);
        let around = folder.around(data.to_str());
        let not_executable = find_cli(None, &around).unwrap_err();
        assert_eq!(
            not_executable.looked,
            [format!(
                "{} (AGENTWIRE_CLI), which cannot be executed",
                data.display()
            )]
        );

        let empty = Folder::new();
        let nowhere = find_cli(None, &empty.around(None));
        // A machine may have one in /usr/local/bin; then there is no error.
        if let Err(nowhere) = nowhere {
            let text = nowhere.to_string();
            for place in [
                "AGENTWIRE_CLI",
                "on the PATH",
                ".claude/local/claude",
                "/usr/local/bin/claude",
            ] {
                assert!(text.contains(place), "{text}");
            }
        }
    }
}
