//! Keys of transcripts, which mirror the paths of the agent's own files.

use crate::process::PassedEnvironment;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, absolute};
use uuid::Uuid;

/// The longest project name that is not shortened, as in the agent.
pub(crate) const LONGEST_NAME: usize = 200;

/// The key of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct TranscriptKey {
    /// The project: the path of the working directory with every character
    /// except letters and digits replaced by a dash, as the agent names its own
    /// folder for it. If both `CLAUDE_CONFIG_DIR` and
    /// `CLAUDE_CODE_PROJECT_DIR_NAME` are set in the agent's environment, the
    /// latter is the name.
    pub project: String,
    /// The session's ID.
    pub session_id: String,
    /// The part of the session, such as `subagents/agent-a1b2`; `None` for the
    /// session's own transcript. Its segments are separated by `/`.
    pub subpath: Option<String>,
}

impl TranscriptKey {
    /// Creates the key of a session's own transcript.
    pub fn new(project: impl Into<String>, session_id: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            session_id: session_id.into(),
            subpath: None,
        }
    }

    /// Creates the key of a session's own transcript from the agent's working
    /// directory, for projects without a name of their own.
    pub fn in_directory(directory: impl AsRef<Path>, session_id: impl Into<String>) -> Self {
        Self::new(directory_name(directory.as_ref()), session_id)
    }

    /// Returns the key of a part of the session.
    #[must_use]
    pub fn part(&self, subpath: impl Into<String>) -> Self {
        Self {
            subpath: Some(subpath.into()),
            ..self.clone()
        }
    }

    /// Returns the key for a path of the agent's. The agent may run on another
    /// machine, so the path above the folder of all projects is unknown.
    pub(crate) fn of_file(path: &str) -> Option<Self> {
        let separator = if path.contains('/') { '/' } else { '\\' };
        let parts: Vec<_> = path.split(separator).collect();
        let places = (0..parts.len()).rev();
        places
            .filter(|place| parts[*place] == "projects")
            .find_map(|place| Self::of_parts(&parts[place + 1..]))
    }

    /// Rejects parts that lead elsewhere, because a store may use keys as
    /// paths.
    fn of_parts(parts: &[&str]) -> Option<Self> {
        match parts {
            [project, ..] if !is_safe(project) => None,
            [project, file] => {
                let id = file.strip_suffix(".jsonl")?;
                is_session_id(id).then(|| Self::new(*project, id))
            }
            [project, id, folders @ .., file] if !folders.is_empty() && is_session_id(id) => {
                let mut subpath = folders.join("/");
                subpath.push('/');
                subpath.push_str(file.strip_suffix(".jsonl")?);
                is_safe(&subpath).then(|| Self::new(*project, *id).part(subpath))
            }
            _ => None,
        }
    }
}

impl fmt::Display for TranscriptKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.session_id)?;
        match &self.subpath {
            Some(subpath) => write!(f, "/{subpath}"),
            None => Ok(()),
        }
    }
}

/// Returns whether the path stays inside the folder that it is joined to.
pub(crate) fn is_safe(subpath: &str) -> bool {
    subpath
        .split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']))
}

/// Returns whether the ID has the agent's format, which is also safe as a file
/// name.
pub(crate) fn is_session_id(id: &str) -> bool {
    id.len() == 36 && Uuid::try_parse(id).is_ok()
}

/// Returns the project name of an agent that is started here with this
/// environment.
pub(crate) fn project(directory: Option<&Path>, environment: &PassedEnvironment) -> String {
    let directory = directory.unwrap_or(Path::new("."));
    given_name(environment).unwrap_or_else(|| directory_name(directory))
}

/// Returns the project name of a directory.
fn directory_name(directory: &Path) -> String {
    let directory = (directory.canonicalize().or_else(|_| absolute(directory)))
        .unwrap_or_else(|_| directory.to_owned());
    let name = directory.to_string_lossy();
    named(name.strip_prefix(r"\\?\").unwrap_or(&name))
}

/// Returns the project name set in the environment.
pub(crate) fn given_name(environment: &PassedEnvironment) -> Option<String> {
    environment
        .get("CLAUDE_CONFIG_DIR")
        .filter(|directory| !directory.is_empty())?;
    let name = environment
        .get("CLAUDE_CODE_PROJECT_DIR_NAME")
        .and_then(OsStr::to_str)?;
    let is_name = (1..=64).contains(&name.len())
        && (name.bytes()).all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-');
    (is_name && !is_device(name)).then(|| name.to_owned())
}

/// Returns whether this is a device name on Windows.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("com").or(name.strip_prefix("lpt")) {
        Some(number) => matches!(number.as_bytes(), [b'0'..=b'9']),
        None => ["con", "prn", "aux", "nul"].contains(&&*name),
    }
}

/// Returns the agent's project name for this directory. The agent counts in
/// UTF-16 units.
pub(crate) fn named(directory: &str) -> String {
    let dash = |unit: u16| match u8::try_from(unit) {
        Ok(letter) if letter.is_ascii_alphanumeric() => char::from(letter),
        _ => '-',
    };
    let name: String = directory.encode_utf16().map(dash).collect();
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let hash = directory.encode_utf16().fold(0_i32, |hash, unit| {
        (hash << 5).wrapping_sub(hash).wrapping_add(i32::from(unit))
    });
    format!("{}-{}", &name[..LONGEST_NAME], base36(hash.unsigned_abs()))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::options::Options;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    #[test]
    fn files_of_the_agents_have_the_keys_of_its_folders() {
        let main = TranscriptKey::new("-p", ID);
        let agent = main.part("subagents/agent-a1");
        for (file, key) in [
            (format!("/h/.claude/projects/-p/{ID}.jsonl"), Some(&main)),
            (format!(r"C:\h\.claude\projects\-p\{ID}.jsonl"), Some(&main)),
            (
                format!("/h/projects/-q/{ID}/x/projects/-p/{ID}.jsonl"),
                Some(&main),
            ),
            (
                format!("/c/projects/-p/{ID}/subagents/agent-a1.jsonl"),
                Some(&agent),
            ),
            (format!("/c/projects/-p/{ID}/agent-a1.jsonl"), None),
            (format!("/c/projects/-p/{ID}"), None),
            (format!("/c/projects/{ID}.jsonl"), None),
            ("/c/projects/-p/../x.jsonl".to_owned(), None),
            // What leads out of the folder of a store.
            (format!("/c/projects/../{ID}.jsonl"), None),
            (format!("/c/projects/./{ID}.jsonl"), None),
            (format!("/c/projects//{ID}.jsonl"), None),
            (format!("/c/projects/c:/{ID}.jsonl"), None),
            (format!("/c/projects/..\\..\\p/{ID}.jsonl"), None),
            (format!("/c/projects/-p/{ID}/../../x.jsonl"), None),
            (format!("/c/projects/-p/{ID}/subagents/..jsonl"), None),
            (format!("/c/projects/-p/{ID}/a//b.jsonl"), None),
            (format!("/c/projects/-p/{ID}/..\\b/c.jsonl"), None),
            (format!(r"C:\c\projects\..\{ID}.jsonl"), None),
            (String::new(), None),
        ] {
            assert_eq!(TranscriptKey::of_file(&file).as_ref(), key, "{file}");
        }
        assert_eq!(agent.to_string(), format!("-p/{ID}/subagents/agent-a1"));
    }

    #[test]
    fn projects_are_named_as_the_agent_names_them() {
        assert_eq!(named("/home/crab/a b_c.d"), "-home-crab-a-b-c-d");
        assert_eq!(named("/häß/🦀"), "-h-----");
        let long = format!("/{}", "a".repeat(199));
        assert_eq!(named(&long), long.replace('/', "-"));
        // Calculated with Node, as the hash is that of a JavaScript program.
        let long = format!("/{}", "a".repeat(200));
        assert_eq!(named(&long), format!("-{}-b6ymvl", "a".repeat(199)));
        let long = format!("/{}", "ü/".repeat(200));
        assert_eq!(named(&long), format!("{}-g182rr", "-".repeat(200)));
    }

    #[test]
    fn the_environment_can_name_a_project_that_has_a_configuration_of_its_own() {
        let name = |options: Options| project(None, &options.passed_environment());
        let named = |name| {
            let options = Options::new().clean_env();
            options.env("CLAUDE_CODE_PROJECT_DIR_NAME", name)
        };
        let unnamed = name(Options::new().clean_env());
        let own = |name| named(name).env("CLAUDE_CONFIG_DIR", "/c");
        assert_eq!(name(own("crabs_1")), "crabs_1");
        for options in [
            named("crabs_1"),
            named("crabs_1").env("CLAUDE_CONFIG_DIR", ""),
            own(""),
            own("a/b"),
            own("NUL"),
            own("com1"),
        ] {
            assert_eq!(name(options), unnamed);
        }
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let environment = Options::new().clean_env().passed_environment();
        let named_real = super::named(&real.to_string_lossy());
        assert_eq!(project(Some(folder.path()), &environment), named_real);
    }
}
