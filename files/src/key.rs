//! Keys of transcripts, which mirror the paths of the agent's own files.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, absolute};
use thiserror::Error;
use uuid::Uuid;

/// The maximum length of a project name that the agent does not shorten.
pub const LONGEST_NAME: usize = 200;

/// The maximum length of a segment in bytes. File systems accept 255; the difference is reserved
/// for suffixes such as `.meta.json`.
const MAX_SEGMENT: usize = 240;

/// The maximum length of a subpath in bytes.
const MAX_SUBPATH: usize = 1024;

/// The key of a transcript.
///
/// Each segment is a plain file name on every system, so that stores may use keys in paths. A
/// project and a session ID are one segment each; a subpath is one or more segments separated by
/// `/`. A segment has 1 to 240 bytes without `/`, `\\`, `:` and control characters, does not end
/// with a dot or a space, and is not a device name of Windows (`con`, `nul.txt`). File systems may
/// ignore case and Unicode normalisation; keys do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TranscriptKey {
    project: String,
    session_id: String,
    subpath: Option<String>,
}

/// A part of a [`TranscriptKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyPart {
    /// [`TranscriptKey::project`].
    Project,
    /// [`TranscriptKey::session_id`].
    SessionId,
    /// [`TranscriptKey::subpath`].
    Subpath,
}

impl fmt::Display for KeyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "project",
            Self::SessionId => "session ID",
            Self::Subpath => "subpath",
        })
    }
}

/// The error of a text that cannot be a part of a [`TranscriptKey`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the {part} {value:?} of a transcript key is invalid: {reason}")]
#[non_exhaustive]
pub struct InvalidKey {
    /// The part of the key.
    pub part: KeyPart,
    /// The text, or its first 80 characters.
    pub value: String,
    /// The reason.
    pub reason: &'static str,
}

impl TranscriptKey {
    /// Creates the key of a session's own transcript.
    ///
    /// # Errors
    ///
    /// [`InvalidKey`] if the project or the session ID is invalid.
    pub fn new(
        project: impl Into<String>,
        session_id: impl Into<String>,
    ) -> Result<Self, InvalidKey> {
        Ok(Self {
            project: checked(KeyPart::Project, project.into())?,
            session_id: checked(KeyPart::SessionId, session_id.into())?,
            subpath: None,
        })
    }

    /// Creates the key of a session's own transcript from the agent's working directory, for
    /// projects without an explicit name.
    ///
    /// # Errors
    ///
    /// [`InvalidKey`] if the session ID is invalid or the directory is empty.
    pub fn in_directory(
        directory: impl AsRef<Path>,
        session_id: impl Into<String>,
    ) -> Result<Self, InvalidKey> {
        Self::new(directory_name(directory.as_ref()), session_id)
    }

    /// Returns the key of a part of the session.
    ///
    /// # Errors
    ///
    /// [`InvalidKey`] if the subpath is invalid.
    pub fn part(&self, subpath: impl Into<String>) -> Result<Self, InvalidKey> {
        Ok(Self {
            subpath: Some(checked(KeyPart::Subpath, subpath.into())?),
            ..self.clone()
        })
    }

    /// Returns the key of the session's own transcript.
    #[must_use]
    pub fn main(&self) -> Self {
        Self {
            subpath: None,
            ..self.clone()
        }
    }

    /// Returns the project, as the agent names its folder: the path of the working directory with
    /// every character except letters and digits replaced by a dash. If both `CLAUDE_CONFIG_DIR`
    /// and `CLAUDE_CODE_PROJECT_DIR_NAME` are set in the agent's environment, the latter is the
    /// name.
    #[must_use]
    pub fn project(&self) -> &str {
        &self.project
    }

    /// Returns the session ID.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Returns the part of the session, such as `subagents/agent-a1b2`. Returns `None`
    /// for the session's own transcript. The segments of a part are separated by `/`.
    #[must_use]
    pub fn subpath(&self) -> Option<&str> {
        self.subpath.as_deref()
    }

    /// Returns whether both keys belong to the same session.
    #[must_use]
    pub fn is_of(&self, session: &Self) -> bool {
        (&self.project, &self.session_id) == (&session.project, &session.session_id)
    }

    /// Returns the key of an agent's file. Returns `None` if the file is not a
    /// transcript. Ignores the path above the folder `projects`, because the agent may
    /// run on another machine.
    #[must_use]
    pub fn of_file(path: &str) -> Option<Self> {
        let separator = if path.contains('/') { '/' } else { '\\' };
        let parts: Vec<_> = path.split(separator).collect();
        let places = (0..parts.len()).rev();
        places
            .filter(|place| parts[*place] == "projects")
            .find_map(|place| Self::of_parts(&parts[place + 1..]))
    }

    fn of_parts(parts: &[&str]) -> Option<Self> {
        match parts {
            [project, file] => {
                let id = file.strip_suffix(".jsonl")?;
                let key = Self::new(*project, id).ok();
                key.filter(|_| is_session_id(id))
            }
            [project, id, folders @ .., file] if !folders.is_empty() && is_session_id(id) => {
                let mut subpath = folders.join("/");
                subpath.push('/');
                subpath.push_str(file.strip_suffix(".jsonl")?);
                Self::new(*project, *id).ok()?.part(subpath).ok()
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

/// Validates a part of a key.
fn checked(part: KeyPart, value: String) -> Result<String, InvalidKey> {
    let reason = match part {
        KeyPart::Subpath if value.len() > MAX_SUBPATH => {
            Some("it is longer than 1024 bytes; use a shorter one")
        }
        KeyPart::Subpath => value.split('/').find_map(problem),
        KeyPart::Project | KeyPart::SessionId => problem(&value),
    };
    match reason {
        None => Ok(value),
        Some(reason) => Err(InvalidKey {
            part,
            value: value.chars().take(80).collect(),
            reason,
        }),
    }
}

/// Returns the reason why a segment is not a plain file name.
fn problem(segment: &str) -> Option<&'static str> {
    let is_reserved = |it: char| matches!(it, '/' | '\\' | ':') || it.is_control();
    let stem = segment.split('.').next().unwrap_or_default();
    Some(match segment {
        "" => "it has an empty segment",
        "." | ".." => "`.` and `..` lead to another folder",
        _ if segment.len() > MAX_SEGMENT => "a segment is longer than 240 bytes; use a shorter one",
        _ if segment.contains(is_reserved) => {
            "a segment has a separator, a colon or a control character; replace it"
        }
        _ if segment.ends_with(['.', ' ']) => {
            "a segment ends with a dot or a space, which Windows removes; remove it"
        }
        _ if is_device(stem.trim_end_matches(' ')) => {
            "a segment is a device name of Windows; use another one"
        }
        _ => return None,
    })
}

/// Returns whether an ID has the agent's format. Such IDs are safe as file names.
#[must_use]
pub fn is_session_id(id: &str) -> bool {
    id.len() == 36 && Uuid::try_parse(id).is_ok()
}

/// Returns the project name of an agent in a directory (default: the current one) with this
/// environment. `variable` returns the value of a variable.
pub fn project<V: AsRef<OsStr>>(
    directory: Option<&Path>,
    variable: impl Fn(&str) -> Option<V>,
) -> String {
    let directory = directory.unwrap_or(Path::new("."));
    given_name(variable).unwrap_or_else(|| directory_name(directory))
}

/// Returns the project name of a directory.
fn directory_name(directory: &Path) -> String {
    let directory = (directory.canonicalize().or_else(|_| absolute(directory)))
        .unwrap_or_else(|_| directory.to_owned());
    let name = directory.to_string_lossy();
    project_name(name.strip_prefix(r"\\?\").unwrap_or(&name))
}

/// Returns the name that the environment sets for all projects. `variable` returns the value of a
/// variable.
pub fn given_name<V: AsRef<OsStr>>(variable: impl Fn(&str) -> Option<V>) -> Option<String> {
    variable("CLAUDE_CONFIG_DIR").filter(|directory| !directory.as_ref().is_empty())?;
    let name = variable("CLAUDE_CODE_PROJECT_DIR_NAME")?;
    let name = name.as_ref().to_str()?;
    let is_name = (1..=64).contains(&name.len())
        && (name.bytes()).all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-');
    (is_name && !is_device(name)).then(|| name.to_owned())
}

/// Returns whether a name is a device name on Windows.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("com").or(name.strip_prefix("lpt")) {
        // Windows counts the superscripts of Latin-1 as digits.
        Some(number) => {
            matches!(number.as_bytes(), [b'0'..=b'9'])
                || ["\u{b9}", "\u{b2}", "\u{b3}"].contains(&number)
        }
        None => ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(&&*name),
    }
}

/// Returns the agent's project name for a directory. Names longer than [`LONGEST_NAME`] are
/// shortened and get a hash. The agent counts UTF-16 units.
#[must_use]
pub fn project_name(directory: &str) -> String {
    let name = dashed(directory);
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let hash = directory.encode_utf16().fold(0_i32, |hash, unit| {
        (hash << 5).wrapping_sub(hash).wrapping_add(i32::from(unit))
    });
    format!("{}-{}", &name[..LONGEST_NAME], base36(hash.unsigned_abs()))
}

/// Returns a path with every character except letters and digits replaced by a dash.
#[must_use]
pub fn dashed(path: &str) -> String {
    let dash = |unit: u16| match u8::try_from(unit) {
        Ok(letter) if letter.is_ascii_alphanumeric() => char::from(letter),
        _ => '-',
    };
    path.encode_utf16().map(dash).collect()
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

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    #[test]
    fn paths_of_transcripts_become_keys() {
        let main = TranscriptKey::new("-p", ID).unwrap();
        let agent = main.part("subagents/agent-a1").unwrap();
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
            // Paths that leave the folder of a store.
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
    fn unsafe_segments_are_invalid() {
        let long = "a".repeat(241);
        let controls = (0..=0x9f_u8).map(char::from).filter(|it| it.is_control());
        let controls: Vec<String> = controls.map(|it| format!("a{it}b")).collect();
        let mut invalid = vec![
            "",
            ".",
            "..",
            "...",
            ". ",
            "a.",
            "a ",
            "\\",
            "a\\b",
            "..\\a",
            "c:",
            "C:a",
            "a:b",
            "con",
            "NUL",
            "Aux.txt",
            "com1",
            "lpt9.a.b",
            "prn .x",
            "com\u{b9}",
            "CONIN$",
            &long,
        ];
        invalid.extend(controls.iter().map(String::as_str));
        let own = TranscriptKey::new("-p", ID).unwrap();
        let part = |key: Result<TranscriptKey, InvalidKey>| key.unwrap_err().part;
        for text in invalid
            .iter()
            .copied()
            .chain(["/", "/etc", "a/b", "../../outside"])
        {
            assert_eq!(
                part(TranscriptKey::new(text, ID)),
                KeyPart::Project,
                "{text:?}"
            );
            assert_eq!(
                part(TranscriptKey::new("-p", text)),
                KeyPart::SessionId,
                "{text:?}"
            );
            assert_eq!(
                part(TranscriptKey::in_directory("/p", text)),
                KeyPart::SessionId
            );
        }
        for text in &invalid {
            for subpath in [
                text.to_string(),
                format!("a/{text}"),
                format!("{text}/a"),
                format!("a/{text}/a"),
            ] {
                assert_eq!(part(own.part(&*subpath)), KeyPart::Subpath, "{subpath:?}");
                let frame = format!("/c/projects/-p/{ID}/x/{subpath}.jsonl");
                assert_eq!(TranscriptKey::of_file(&frame), None, "{frame:?}");
            }
        }
        let deep = ["a"; 513].join("/");
        assert_eq!(part(own.part(deep)), KeyPart::Subpath);
        for text in [
            "-p",
            "a b",
            "a.b",
            ".a",
            "*",
            "\"",
            "%2f",
            "é",
            "e\u{301}",
            "🦀",
            "com",
            "com10",
            "console",
            "a\u{2028}b",
            &long[1..],
        ] {
            TranscriptKey::new(text, text)
                .unwrap()
                .part(format!("{text}/{text}"))
                .unwrap();
        }
        let error = TranscriptKey::new("../../outside", ID).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the project \"../../outside\" of a transcript key is invalid: \
             a segment has a separator, a colon or a control character; replace it"
        );
    }

    #[test]
    fn project_names_match_the_agents() {
        assert_eq!(project_name("/home/crab/a b_c.d"), "-home-crab-a-b-c-d");
        assert_eq!(project_name("/häß/🦀"), "-h-----");
        let long = format!("/{}", "a".repeat(199));
        assert_eq!(project_name(&long), long.replace('/', "-"));
        // The expected hashes were calculated with Node.
        let long = format!("/{}", "a".repeat(200));
        assert_eq!(project_name(&long), format!("-{}-b6ymvl", "a".repeat(199)));
        let long = format!("/{}", "ü/".repeat(200));
        assert_eq!(project_name(&long), format!("{}-g182rr", "-".repeat(200)));
    }

    #[test]
    fn the_environment_can_set_the_project_name() {
        let name = |variables: &[(&str, &'static str)]| {
            let value = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1);
            project(None, value)
        };
        let named = |name| ("CLAUDE_CODE_PROJECT_DIR_NAME", name);
        let config = |directory| ("CLAUDE_CONFIG_DIR", directory);
        let unnamed = name(&[]);
        assert_eq!(name(&[config("/c"), named("crabs_1")]), "crabs_1");
        for variables in [
            vec![named("crabs_1")],
            vec![named("crabs_1"), config("")],
            vec![config("/c"), named("")],
            vec![config("/c"), named("a/b")],
            vec![config("/c"), named("NUL")],
            vec![config("/c"), named("com1")],
        ] {
            assert_eq!(name(&variables), unnamed);
        }
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let none = |_: &str| None::<&str>;
        let expected = project_name(&real.to_string_lossy());
        assert_eq!(project(Some(folder.path()), none), expected);
    }
}
