//! The folders where installers put the CLI.
//!
//! A program that is not started from a shell, such as a desktop application,
//! lacks the `PATH` entries that shell start-up files add.

use super::surroundings::Surroundings;
use std::path::{Path, PathBuf};

/// Unix, in the home directory: the CLI's own installers, npm with a prefix,
/// pnpm, bun, volta, yarn, n, mise and Nix.
const HOME: [&str; 15] = [
    ".local/bin",
    ".claude/local",
    ".claude/local/node_modules/.bin",
    ".npm-global/bin",
    ".npm-packages/bin",
    ".local/share/pnpm",
    ".local/share/pnpm/bin",
    "Library/pnpm",
    "Library/pnpm/bin",
    ".bun/bin",
    ".volta/bin",
    ".yarn/bin",
    "n/bin",
    ".local/share/mise/shims",
    ".nix-profile/bin",
];

/// Unix, elsewhere: the system, Homebrew and `MacPorts`.
const SYSTEM: [&str; 5] = [
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/opt/local/bin",
    "/usr/bin",
];

/// Windows, in the folders given by variables: the CLI's own installer, npm,
/// pnpm, bun, volta, yarn, scoop, `WinGet` and Node.
const WINDOWS: [(&str, &str); 13] = [
    ("USERPROFILE", ".local/bin"),
    ("USERPROFILE", ".claude/local"),
    ("APPDATA", "npm"),
    ("LOCALAPPDATA", "pnpm"),
    ("LOCALAPPDATA", "pnpm/bin"),
    ("USERPROFILE", ".bun/bin"),
    ("LOCALAPPDATA", "Volta/bin"),
    ("LOCALAPPDATA", "Yarn/bin"),
    ("USERPROFILE", "scoop/shims"),
    ("LOCALAPPDATA", "Microsoft/WinGet/Links"),
    ("ProgramFiles", "nodejs"),
    ("ProgramFiles", "Volta"),
    ("SystemDrive", "/nvm4w/nodejs"),
];

/// Variables that set the location of tools.
const CONFIGURED: [(&str, &str); 6] = [
    ("PNPM_HOME", ""),
    ("PNPM_HOME", "bin"),
    ("BUN_INSTALL", "bin"),
    ("VOLTA_HOME", "bin"),
    ("NVM_BIN", ""),
    ("NVM_SYMLINK", ""),
];

/// The folders where nvm and fnm have a folder for each version of Node on Linux and macOS, and
/// the path inside that.
const VERSIONS: [(&str, &str); 3] = [
    (".nvm/versions/node", "bin"),
    (".local/share/fnm/node-versions", "installation/bin"),
    (
        "Library/Application Support/fnm/node-versions",
        "installation/bin",
    ),
];

/// Returns the folders in the order in which they are tried.
pub(super) fn folders(around: &Surroundings) -> Vec<PathBuf> {
    let below = |(variable, rest): (&str, &str)| {
        let folder = PathBuf::from(around.variable(variable)?);
        Some(if rest.is_empty() {
            folder
        } else {
            folder.join(rest)
        })
    };
    let configured = CONFIGURED.into_iter().filter_map(below);
    if around.is_windows {
        let mut folders: Vec<_> = configured
            .chain(WINDOWS.into_iter().filter_map(below))
            .collect();
        if let Some(nvm) = below(("APPDATA", "nvm")) {
            folders.extend(versions(&nvm, ""));
        }
        return folders;
    }
    let home = around.home.as_deref();
    let mut folders: Vec<_> = home
        .iter()
        .flat_map(|it| HOME.map(|rest| it.join(rest)))
        .collect();
    folders.splice(0..0, configured);
    folders.extend(SYSTEM.map(PathBuf::from));
    if let Some(nvm) = below(("NVM_DIR", "versions/node")) {
        folders.extend(versions(&nvm, "bin"));
    }
    if let Some(home) = home {
        for (below, rest) in VERSIONS {
            folders.extend(versions(&home.join(below), rest));
        }
    }
    folders
}

/// Returns a folder for each installed version, the newest first.
fn versions(folder: &Path, rest: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut versions: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let numbers = name.to_str()?.strip_prefix('v')?.split('.');
            let numbers: Vec<u32> = numbers.filter_map(|it| it.parse().ok()).collect();
            Some((numbers, entry.path()))
        })
        .collect();
    versions.sort_by(|one, other| other.0.cmp(&one.0));
    versions
        .into_iter()
        .map(|(_, path)| {
            if rest.is_empty() {
                path
            } else {
                path.join(rest)
            }
        })
        .collect()
}
