//! Takes out of a recording what is nobody else's business.

use super::{Entry, Said, Spawn, What};
use crate::secret::{MASKED, is_given, is_secret, is_sure, masked};
use crate::strings::{self, Place};
use agentwire_protocol::Json;
use std::path::Path;

/// Values that are shorter are not looked for in texts: they would be found
/// everywhere.
const SHORTEST_SECRET: usize = 8;

/// Members that tell where a secret is from, or are none in spite of their
/// names.
const NO_SECRETS: [&str; 3] = ["apiKeySource", "tokenSource", "progressToken"];

/// Members that hold what a person or a model wrote.
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

/// What is taken out of a recording. Nothing, if nothing is asked for.
///
/// A text that comes in pieces is looked at piece by piece: a secret or a path
/// that is cut in two is not found.
#[derive(Debug, Clone, Default)]
pub struct Scrub {
    hides_secrets: bool,
    /// Values of the environment, the longest first.
    secrets: Vec<String>,
    /// Paths, the longest first, and what stands for them.
    paths: Vec<(String, String)>,
    prose: bool,
}

impl Scrub {
    /// Nothing is taken out.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Takes out what can be told to be a secret: by the name of its member or
    /// its flag, by the name, the flag or the header before it in a text, by its
    /// looks ([`masked`]), or because it is the value of one of these variables
    /// whose names tell of a secret. `***` stands for each of them. Text that is
    /// JSON is looked into as JSON.
    #[must_use]
    pub fn secrets(mut self, environment: impl IntoIterator<Item = (String, String)>) -> Self {
        self.hides_secrets = true;
        let secret = environment.into_iter().filter(|(name, _)| is_secret(name));
        let values = secret.map(|(_, value)| value);
        let mut values: Vec<_> = values.filter(|it| it.len() >= SHORTEST_SECRET).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        self.secrets = values;
        self
    }

    /// Puts `/project` in the place of the working directory, and
    /// `/home/agent` in that of the home.
    #[must_use]
    pub fn paths(mut self, home: Option<&Path>, cwd: Option<&Path>) -> Self {
        for (path, neutral) in [(cwd, "/project"), (home, "/home/agent")] {
            let path = path.map(|path| path.to_string_lossy().into_owned());
            // The root would be found everywhere.
            let Some(path) = path.filter(|path| path.len() > 1) else {
                continue;
            };
            // The CLI makes names of directories of such paths.
            let key = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            self.paths.push((key(&path), key(neutral)));
            self.paths.push((path, neutral.to_owned()));
        }
        (self.paths).sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        self
    }

    /// Puts the word `text` in the place of what people and models wrote.
    #[must_use]
    pub fn prose(mut self) -> Self {
        self.prose = true;
        self
    }

    /// The entry without all that.
    #[must_use]
    pub fn entry(&self, mut entry: Entry) -> Entry {
        if self.does_nothing() {
            return entry;
        }
        entry.what = match entry.what {
            What::Sent(said) => What::Sent(self.said(said)),
            What::Received(said) => What::Received(self.said(said)),
            What::Stderr(said) => What::Stderr(self.said(said)),
            What::Spawn(spawn) => What::Spawn(self.spawn(spawn)),
            What::Note(text) => What::Note(self.text(&text)),
            What::Other { dir, msg } => What::Other {
                dir,
                msg: self.json(&msg),
            },
            What::Exit(exit) => What::Exit(exit),
        };
        entry
    }

    fn does_nothing(&self) -> bool {
        !self.hides_secrets && self.paths.is_empty() && !self.prose
    }

    fn said(&self, said: Said) -> Said {
        match said {
            Said::Json(json) => Said::Json(self.json(&json)),
            // Whatever it was meant to be: there is no saying what is prose.
            Said::Raw { unfinished, .. } if self.prose => Said::Raw {
                bytes: b"text".to_vec(),
                unfinished,
            },
            Said::Raw { bytes, unfinished } => Said::Raw {
                bytes: self.text(&String::from_utf8_lossy(&bytes)).into_bytes(),
                unfinished,
            },
        }
    }

    fn spawn(&self, spawn: Spawn) -> Spawn {
        let mut before = Flag::Other;
        let argument = |argument: String| {
            let is_value = !argument.starts_with('-');
            // The value of a flag may stand behind it, on its own.
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
                    before = Flag::of(&argument);
                    self.value(&argument)
                }
            }
        };
        Spawn {
            argv: spawn.argv.into_iter().map(argument).collect(),
            ..spawn
        }
    }

    /// A text that may be JSON.
    fn value(&self, value: &str) -> String {
        let looks_like_json = value.trim_ascii_start().starts_with(['{', '[']);
        match serde_json::from_str::<Json>(value) {
            Ok(json) if looks_like_json => self.json(&json).get().to_owned(),
            _ => self.text(value),
        }
    }

    fn json(&self, json: &Json) -> Json {
        let text = strings::replace(json.get(), |place, string| {
            let new = self.string(place, string);
            (new != string).then_some(new)
        });
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn string(&self, place: &Place, string: &str) -> String {
        if place.is_key {
            return self.text(string);
        }
        let key = place.key().unwrap_or_default();
        if self.hides_secrets && is_hidden(place) {
            return MASKED.to_owned();
        }
        if place.is_number {
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

/// Whether a member is secret by its name or by what it is in.
fn is_hidden(place: &Place) -> bool {
    let Some((key, around)) = place.keys.split_last() else {
        return false;
    };
    let says_so = |key: &String| !NO_SECRETS.contains(&&**key);
    // A schema has the names of secrets, and no secrets.
    let is_declared = |at: usize| at > 0 && around[at - 1] == "properties";
    let mut groups = around.iter().enumerate();
    match place.is_number {
        true => is_sure(key) && says_so(key),
        false => {
            (is_secret(key) && says_so(key))
                || groups.any(|(at, group)| {
                    is_given(group) || (is_sure(group) && says_so(group) && !is_declared(at))
                })
        }
    }
}

/// What the next argument is.
#[derive(Debug, Clone, Copy)]
enum Flag {
    /// A secret.
    Secret,
    /// A secret, or something that is no value, with CLIs that mean something
    /// else by the flag.
    MaybeSecret,
    /// A header, with its name.
    Header,
    /// A user, with a password.
    User,
    Other,
}

impl Flag {
    fn of(argument: &str) -> Self {
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

/// A name of a flag, a header or a variable.
fn is_name(text: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    !text.is_empty() && text.bytes().all(is_of_name)
}

/// The text with another path in the place of this one, where it is not the
/// beginning of a longer name.
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
