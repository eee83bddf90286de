//! Removes private data from a recording.

use super::{Entry, EntryKind, RecordedLine, Spawn};
use crate::secret::{MASKED, is_given, is_secret, is_sure, masked};
use crate::strings::{self, Position};
use agentwire_protocol::Json;
use std::path::Path;

/// The minimum length of a value that is searched for in texts. Shorter values
/// occur everywhere.
const MIN_SECRET: usize = 8;

/// Members that are not secret although their names say so.
const NO_SECRETS: [&str; 3] = ["apiKeySource", "tokenSource", "progressToken"];

/// Members that contain text of a person or a model.
const PROSE: [&str; 12] = [
    "text",
    "thinking",
    "content",
    "result",
    "message",
    "prompt",
    "description",
    "summary",
    "title",
    "question",
    "last_assistant_message",
    "append_system_prompt",
];

/// The selection of private data to remove from a recording. By default,
/// nothing is removed.
///
/// Streamed text is scanned chunk by chunk: a secret or a path that is split
/// between two chunks is not found.
#[derive(Debug, Clone, Default)]
pub struct Scrub {
    hides_secrets: bool,
    /// Values of the environment, longest first.
    secrets: Vec<String>,
    /// Paths and their replacements, longest first.
    paths: Vec<(String, String)>,
    prose: bool,
}

impl Scrub {
    /// Removes nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Replaces secrets by `***`. A secret is found by the name of its member
    /// or flag, by a preceding name, flag or header in a text, by its form
    /// ([`masked`]), or because it is the value of an environment variable with
    /// a secret name. JSON in texts is scanned as JSON.
    #[must_use]
    pub fn secrets(mut self, environment: impl IntoIterator<Item = (String, String)>) -> Self {
        self.hides_secrets = true;
        let secret = environment.into_iter().filter(|(name, _)| is_secret(name));
        let values = secret.map(|(_, value)| value);
        let mut values: Vec<_> = values.filter(|it| it.len() >= MIN_SECRET).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        self.secrets = values;
        self
    }

    /// Replaces the working directory by `/project`, and the home directory by
    /// `/home/agent`.
    #[must_use]
    pub fn paths(mut self, home: Option<&Path>, cwd: Option<&Path>) -> Self {
        for (path, neutral) in [(cwd, "/project"), (home, "/home/agent")] {
            let path = path.map(|path| path.to_string_lossy().into_owned());
            // A root directory occurs everywhere.
            let Some(path) = path.filter(|path| path.len() > 1) else {
                continue;
            };
            // The CLI derives directory names from such paths.
            let key = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            self.paths.push((key(&path), key(neutral)));
            self.paths.push((path, neutral.to_owned()));
        }
        (self.paths).sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        self
    }

    /// Replaces text of people and models by the word `text`.
    #[must_use]
    pub fn prose(mut self) -> Self {
        self.prose = true;
        self
    }

    /// Returns the entry without the selected data.
    #[must_use]
    pub fn entry(&self, mut entry: Entry) -> Entry {
        if self.does_nothing() {
            return entry;
        }
        entry.kind = match entry.kind {
            EntryKind::Sent(line) => EntryKind::Sent(self.line(line)),
            EntryKind::Received(line) => EntryKind::Received(self.line(line)),
            EntryKind::Stderr(line) => EntryKind::Stderr(self.line(line)),
            EntryKind::Spawn(spawn) => EntryKind::Spawn(self.spawn(spawn)),
            EntryKind::Note(text) => EntryKind::Note(self.text(&text)),
            EntryKind::Other { dir, msg } => EntryKind::Other {
                dir,
                msg: self.json(&msg),
            },
            EntryKind::Exit(exit) => EntryKind::Exit(exit),
        };
        entry
    }

    fn does_nothing(&self) -> bool {
        !self.hides_secrets && self.paths.is_empty() && !self.prose
    }

    fn line(&self, line: RecordedLine) -> RecordedLine {
        match line {
            RecordedLine::Json(json) => RecordedLine::Json(self.json(&json)),
            // The content of a raw line is unknown.
            RecordedLine::Raw { unfinished, .. } if self.prose => RecordedLine::Raw {
                bytes: b"text".to_vec(),
                unfinished,
            },
            RecordedLine::Raw { bytes, unfinished } => RecordedLine::Raw {
                bytes: self.text(&String::from_utf8_lossy(&bytes)).into_bytes(),
                unfinished,
            },
        }
    }

    fn spawn(&self, spawn: Spawn) -> Spawn {
        let mut before = Flag::Other;
        let argument = |argument: String| {
            let is_value = !argument.starts_with('-');
            // The value of a flag may be the next argument.
            let hidden = match std::mem::replace(&mut before, Flag::Other) {
                Flag::Secret if !argument.starts_with("--") => Some(MASKED.to_owned()),
                Flag::MaybeSecret if is_name(&argument) && is_value => Some(MASKED.to_owned()),
                Flag::Header => header_without_value(&argument),
                Flag::User => user_without_password(&argument),
                _ => None,
            };
            if let Some(hidden) = hidden {
                return hidden;
            }
            if !self.hides_secrets {
                return self.value(&argument);
            }
            match argument.split_once('=') {
                Some((name, _)) if is_name(name) && is_secret(name) => format!("{name}={MASKED}"),
                Some((flag, value)) if !is_value && is_name(flag) => {
                    format!("{flag}={}", self.value(value))
                }
                _ => {
                    before = Flag::classify(&argument);
                    self.value(&argument)
                }
            }
        };
        Spawn {
            argv: spawn.argv.into_iter().map(argument).collect(),
            ..spawn
        }
    }

    /// Scrubs a text that may be JSON.
    fn value(&self, value: &str) -> String {
        let looks_like_json = value.trim_ascii_start().starts_with(['{', '[']);
        match serde_json::from_str::<Json>(value) {
            Ok(json) if looks_like_json => self.json(&json).get().to_owned(),
            _ => self.text(value),
        }
    }

    fn json(&self, json: &Json) -> Json {
        let text = strings::replace(json.get(), |position, string| {
            let new = self.string(position, string);
            (new != string).then_some(new)
        });
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn string(&self, position: &Position, string: &str) -> String {
        if position.is_key {
            return self.text(string);
        }
        let key = position.key().unwrap_or_default();
        if self.hides_secrets && is_hidden(position) {
            return MASKED.to_owned();
        }
        if position.is_number {
            return string.to_owned();
        }
        if self.prose && PROSE.contains(&key) {
            return "text".to_owned();
        }
        self.value(string)
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, MASKED);
        }
        if self.hides_secrets {
            text = masked(&text).into_owned();
        }
        for (path, neutral) in &self.paths {
            text = without_path(&text, path, neutral);
        }
        text
    }
}

/// Returns whether a member is secret by its name or its parents.
fn is_hidden(position: &Position) -> bool {
    let Some((key, parents)) = position.keys.split_last() else {
        return false;
    };
    let says_so = |key: &String| !NO_SECRETS.contains(&&**key);
    // A schema contains names of secrets, but no secrets.
    let is_declared = |at: usize| at > 0 && parents[at - 1] == "properties";
    let mut groups = parents.iter().enumerate();
    match position.is_number {
        true => is_sure(key) && says_so(key),
        false => {
            (is_secret(key) && says_so(key))
                || groups.any(|(at, group)| {
                    is_given(group) || (is_sure(group) && says_so(group) && !is_declared(at))
                })
        }
    }
}

/// The kind of a flag, which determines how its value is scrubbed.
#[derive(Debug, Clone, Copy)]
enum Flag {
    /// The value is a secret.
    Secret,
    /// CLIs differ in the meaning of the flag: the value may be a secret, or
    /// the next argument is not a value.
    MaybeSecret,
    /// The value is the name and value of a header.
    Header,
    /// The value is a user and a password.
    User,
    Other,
}

impl Flag {
    fn classify(argument: &str) -> Self {
        match argument {
            "-H" | "--header" => Self::Header,
            "-u" | "--user" | "--proxy-user" => Self::User,
            "-k" => Self::MaybeSecret,
            _ if argument.starts_with("--") && is_secret(argument) => Self::Secret,
            _ => Self::Other,
        }
    }
}

fn header_without_value(header: &str) -> Option<String> {
    let (name, _) = header.split_once(':').filter(|(name, _)| is_name(name))?;
    Some(format!("{name}: {MASKED}"))
}

fn user_without_password(user: &str) -> Option<String> {
    let (user, _) = user.split_once(':')?;
    Some(format!("{user}:{MASKED}"))
}

/// Returns whether a text is a valid name of a flag, a header or a variable.
fn is_name(text: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    !text.is_empty() && text.bytes().all(is_of_name)
}

/// Replaces a path, except where it is the beginning of a longer name.
fn without_path(text: &str, path: &str, neutral: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let (before, after) = (&rest[..at], &rest[at + path.len()..]);
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        written.push_str(before);
        written.push_str(if goes_on { path } else { neutral });
        rest = after;
    }
    written + rest
}
