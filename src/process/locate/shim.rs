//! What is behind the scripts that package managers put on a Windows `PATH`.
//!
//! A `.cmd` is run by a shell, which takes arguments apart by rules of its own
//! (what is quoted, what is a variable, what begins another command), and which
//! is what a signal or a kill hits in place of the CLI. So it is never run: it
//! is read, and what it would start is started.

use std::path::{Path, PathBuf};

/// How much of a file is read. Shims have some hundred bytes.
const LIMIT: u64 = 64 * 1024;

/// What the scripts call the folder that they are in: for `cmd.exe`, for
/// PowerShell and for `sh`.
const OWN_FOLDER: [&str; 4] = ["%~dp0", "%dp0%", "$basedir", "$PSScriptRoot"];

/// Whether Windows would need a shell to run the file.
pub(super) fn is_shim(file: &Path) -> bool {
    match extension(file).as_deref() {
        Some("cmd" | "bat" | "ps1") => true,
        Some(_) => false,
        // npm puts a script for `sh` beside the others.
        None => !starts_with(file, b"MZ"),
    }
}

/// Whether it is Node that runs the file.
pub(super) fn is_node_script(file: &Path) -> bool {
    matches!(extension(file).as_deref(), Some("js" | "mjs" | "cjs"))
}

/// Whether the file says in its first line that Node runs it.
pub(super) fn asks_for_node(file: &Path) -> bool {
    let Some(text) = start_of(file) else {
        return false;
    };
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("#!").is_some_and(|line| {
        let mut words = line.split_whitespace();
        words.any(|word| word == "node" || word.ends_with("/node"))
    })
}

/// The executable or the script of Node's that the shim starts, if it is there.
pub(super) fn behind(shim: &Path) -> Option<PathBuf> {
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

/// The beginning of a script, as text; nothing if the file is something else.
fn start_of(file: &Path) -> Option<String> {
    use std::io::Read;

    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).ok()?;
    opened.take(LIMIT).read_to_end(&mut bytes).ok()?;
    // A script of Node's is megabytes long, and is cut off, maybe in a character.
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
