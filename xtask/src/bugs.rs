//! Deliberate bugs, which show that the simulations find bugs.
//!
//! `tests/bugs/bugs.txt` lists the bugs. All of them are applied to a copy of
//! the sources. In the copy, a test of each simulation switches the bugs on,
//! one by one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The path of the list of bugs.
const LIST: &str = "tests/bugs/bugs.txt";

/// The root of the crate that contains the switch in the copy.
const ROOT: &str = "protocol/src/lib.rs";

/// The path of the switch in the copy.
const SWITCH: &str = "protocol/src/bugs.rs";

/// A simulation.
struct Test<'a> {
    name: &'a str,
    file: &'a str,
    seeds: &'a str,
    /// An expression for the problem of the session of `seed`.
    problem: &'a str,
}

struct Bug<'a> {
    name: &'a str,
    /// The simulation that must find the bug.
    test: &'a str,
    edits: Vec<Edit<'a>>,
}

/// A text that occurs once in a file, and its replacement.
struct Edit<'a> {
    file: &'a str,
    find: &'a str,
    replacement: &'a str,
}

/// Returns the files that the bugs change, with all bugs, by their path in the
/// project.
///
/// # Errors
///
/// If the list is malformed, a text is not exactly once in its file, or a file
/// cannot be read.
pub fn with_bugs(project: &Path) -> Result<BTreeMap<String, String>, String> {
    let source = |file: &str| {
        fs::read_to_string(project.join(file)).map_err(|error| format!("{file}: {error}"))
    };
    let list = source(LIST)?;
    let (tests, bugs) = read(&list).map_err(|error| format!("{LIST}: {error}"))?;
    let mut files = BTreeMap::new();
    for bug in &bugs {
        for edit in &bug.edits {
            let file = match files.entry(edit.file.to_owned()) {
                Entry::Occupied(file) => file.into_mut(),
                Entry::Vacant(file) => file.insert(source(edit.file)?),
            };
            let times = file.matches(edit.find).count();
            if times != 1 {
                let Edit { file, find, .. } = edit;
                let name = bug.name;
                return Err(format!(
                    "{name}: `{find}` is {times} times in {file}, not once"
                ));
            }
            let owner = if edit.file.starts_with("protocol/") {
                "crate"
            } else {
                "agentwire_protocol"
            };
            let is_on = format!("{owner}::bugs::is_on(\"{}\")", bug.name);
            *file = file.replace(edit.find, &edit.replacement.replace("BUG", &is_on));
        }
    }
    for test in &tests {
        let names: Vec<_> = bugs
            .iter()
            .filter(|bug| bug.test == test.name)
            .map(|bug| bug.name)
            .collect();
        let Test { seeds, problem, .. } = test;
        let found = format!(
            "\n#[test]\nfn every_bug_is_found() {{\n    agentwire_protocol::bugs::find(&{names:?}, {seeds}, |seed| {problem});\n}}\n"
        );
        files.insert(test.file.to_owned(), source(test.file)? + &found);
    }
    files.insert(ROOT.to_owned(), source(ROOT)? + "\npub mod bugs;\n");
    files.insert(
        SWITCH.to_owned(),
        include_str!("../../tests/bugs/switch.rs").to_owned(),
    );
    Ok(files)
}

fn read(list: &str) -> Result<(Vec<Test<'_>>, Vec<Bug<'_>>), String> {
    let (mut tests, mut bugs) = (Vec::<Test<'_>>::new(), Vec::<Bug<'_>>::new());
    let mut file = None;
    let mut is_in_bug = false;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let malformed = || format!("malformed: {line}");
        if line.is_empty() {
            (file, is_in_bug) = (None, false);
            continue;
        }
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (first, bugs.last_mut().filter(|_| is_in_bug)) {
            ("test", None) => {
                let parts: Vec<_> = rest.splitn(4, ' ').collect();
                let [name, file, seeds, problem] = parts[..] else {
                    return Err(malformed());
                };
                tests.push(Test {
                    name,
                    file,
                    seeds,
                    problem,
                });
            }
            (name, None) => {
                if bugs.iter().any(|bug| bug.name == name)
                    || !tests.iter().any(|test| test.name == rest)
                {
                    return Err(malformed());
                }
                bugs.push(Bug {
                    name,
                    test: rest,
                    edits: vec![],
                });
                is_in_bug = true;
            }
            ("in", Some(_)) => file = Some(rest),
            ("-", Some(bug)) => bug.edits.push(Edit {
                file: file.ok_or_else(malformed)?,
                find: rest,
                replacement: rest,
            }),
            ("+", Some(bug)) => bug.edits.last_mut().ok_or_else(malformed)?.replacement = rest,
            // This line describes the bug.
            (_, Some(_)) => {}
        }
    }
    let has_switch = |bug: &&Bug<'_>| {
        !bug.edits
            .iter()
            .any(|edit| edit.replacement.contains("BUG"))
    };
    match bugs.iter().find(has_switch) {
        Some(bug) => Err(format!("{} is never switched on", bug.name)),
        None => Ok((tests, bugs)),
    }
}

/// Copies the files that git tracks to a folder, with the bugs. Equal files in
/// the folder are not written, so that cargo rebuilds only what changed.
///
/// # Errors
///
/// If the bugs cannot be applied, git cannot list the files, or a file cannot be
/// read or written.
pub fn copy(project: &Path, to: &Path) -> Result<(), String> {
    let mut changed = with_bugs(project)?;
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(project)
        .output();
    let listed = listed.map_err(|error| format!("git ls-files: {error}"))?;
    let listed =
        String::from_utf8(listed.stdout).map_err(|error| format!("git ls-files: {error}"))?;
    let mut files: Vec<(String, Vec<u8>)> = vec![];
    for path in listed.split_terminator('\0') {
        let content = match changed.remove(path) {
            Some(content) => content.into_bytes(),
            // The file was deleted, but the deletion is not committed.
            None if !project.join(path).is_file() => continue,
            None => fs::read(project.join(path)).map_err(|error| format!("{path}: {error}"))?,
        };
        files.push((path.to_owned(), content));
    }
    files.extend(
        changed
            .into_iter()
            .map(|(path, content)| (path, content.into_bytes())),
    );
    for (path, content) in files {
        let path = to.join(path);
        if fs::read(&path).is_ok_and(|there| there == content) {
            continue;
        }
        let folder = path.parent().unwrap_or(to);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, content));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_of_the_list_applies_to_the_sources() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let files = with_bugs(&project).expect("the list");
        for (name, file) in files {
            assert!(
                syn::parse_file(&file).is_ok(),
                "{name} with its bugs is no Rust"
            );
        }
    }

    #[test]
    fn a_list_with_an_entry_that_cannot_be_found_is_malformed() {
        const TEST: &str = "test t file 1 run(seed)\n\n";
        let is_read = |list: &str| read(&format!("{TEST}{list}")).is_ok();
        assert!(is_read("A t\nWhy.\nin file\n- a\n+ a && BUG\n"));
        for list in [
            "A other\nin file\n- a\n+ BUG\n",
            "A t\nin file\n- a\n+ b\n",
            "A t\n- a\n+ BUG\n",
            "A t\nin file\n+ BUG\n",
            "A t\nin file\n- a\n+ BUG\n\nA t\nin file\n- a\n+ BUG\n",
        ] {
            assert!(!is_read(list), "{list}");
        }
    }
}
