//! Resolving the scripts that package managers put on a Windows `PATH`.
//!
//! A `.cmd` file is run by a shell, which parses arguments by its own rules (quotes, variables,
//! command separators) and receives signals instead of the CLI. So the file is not run: it is
//! parsed, and its program is started directly.

use std::path::{Path, PathBuf};

/// The most bytes that are read. Shims have a few hundred.
const LIMIT: u64 = 64 * 1024;

/// How scripts for `cmd.exe`, PowerShell and `sh` refer to their own folder.
const OWN_FOLDER: [&str; 4] = ["%~dp0", "%dp0%", "$basedir", "$PSScriptRoot"];

/// Returns whether Windows would need a shell to run the file.
pub(super) fn is_shim(file: &Path) -> bool {
    match extension(file).as_deref() {
        Some("cmd" | "bat" | "ps1") => true,
        Some(_) => false,
        // npm installs an `sh` script with the same name.
        None => !starts_with(file, b"MZ"),
    }
}

/// Returns whether the file is a Node script, by its extension.
pub(super) fn is_node_script(file: &Path) -> bool {
    matches!(extension(file).as_deref(), Some("js" | "mjs" | "cjs"))
}

/// Returns whether the `#!` line of the file names Node.
pub(super) fn has_node_shebang(file: &Path) -> bool {
    let Some(text) = start_of(file) else {
        return false;
    };
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("#!").is_some_and(|line| {
        let mut words = line.split_whitespace();
        words.any(|word| word == "node" || word.ends_with("/node"))
    })
}

/// Returns the executable or Node script that the shim starts, if it exists.
pub(super) fn target_of_shim(shim: &Path) -> Option<PathBuf> {
    let text = start_of(shim)?;
    let folder = shim.parent()?;
    text.split(['"', '\n', '\r'])
        .filter_map(|part| {
            let rest = OWN_FOLDER.iter().find_map(|own| part.strip_prefix(own))?;
            let steps = rest.split(['\\', '/']).filter(|step| !step.is_empty());
            let target: PathBuf = std::iter::once(folder.as_os_str())
                .chain(steps.map(AsRef::as_ref))
                .collect();
            let is_node = target
                .file_stem()
                .is_some_and(|stem| stem.eq_ignore_ascii_case("node"));
            let can_be_started =
                extension(&target).as_deref() == Some("exe") || is_node_script(&target);
            (can_be_started && !is_node && target.is_file()).then_some(target)
        })
        .next_back()
}

fn extension(file: &Path) -> Option<String> {
    Some(file.extension()?.to_str()?.to_ascii_lowercase())
}

/// Returns the beginning of a script as text; `None` for other kinds of files.
fn start_of(file: &Path) -> Option<String> {
    use std::io::Read;

    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).ok()?;
    opened.take(LIMIT).read_to_end(&mut bytes).ok()?;
    // A Node script has megabytes, and may be cut within a character.
    if !bytes.is_ascii() && !bytes.starts_with(b"#!") {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn starts_with(file: &Path, start: &[u8]) -> bool {
    use std::io::Read;

    let mut bytes = Vec::new();
    let read = std::fs::File::open(file)
        .and_then(|it| it.take(start.len() as u64).read_to_end(&mut bytes));
    read.is_ok() && bytes == start
}
