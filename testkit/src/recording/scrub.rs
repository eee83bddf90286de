//! Takes out of a recording what is nobody else's business.

use super::{Entry, Said, Spawn, What};
use crate::strings::{self, Place};
use agentwire_protocol::Json;
use agentwire_protocol::secret::{MASKED, is_given, is_secret, without_users};
use regex_lite::Regex;
use std::path::Path;

/// Values that are shorter are not looked for in texts: they would be found
/// everywhere.
const SHORTEST_SECRET: usize = 8;

/// Tokens that can be told by their looks.
const TOKENS: &str = concat!(
    r"\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[a-z]-[\w-]{10,}",
    r"|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)|((?i:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{12,}"
);

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
    tokens: Option<Regex>,
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

    /// Takes out what can be told to be a secret by the name of its member, by
    /// its looks, or because it is the value of one of these variables whose
    /// names tell of a secret.
    #[must_use]
    pub fn secrets(mut self, environment: impl IntoIterator<Item = (String, String)>) -> Self {
        self.tokens = Some(Regex::new(TOKENS).expect("it is an expression"));
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
        self.tokens.is_none() && self.paths.is_empty() && !self.prose
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
        let mut hidden = false;
        let argument = |argument: String| {
            // The value of a flag may stand behind it, on its own.
            let is_value = !argument.starts_with("--");
            if std::mem::take(&mut hidden) && is_value {
                return MASKED.to_owned();
            }
            let (flag, value) = match argument.split_once('=') {
                Some((flag, value)) if !is_value => (flag, Some(value)),
                _ => (&*argument, None),
            };
            let is_hidden = self.tokens.is_some() && !is_value && is_secret(flag);
            match value {
                Some(_) if is_hidden => format!("{flag}={MASKED}"),
                Some(value) => format!("{flag}={}", self.value(value)),
                None => {
                    hidden = is_hidden;
                    self.value(&argument)
                }
            }
        };
        Spawn {
            argv: spawn.argv.into_iter().map(argument).collect(),
            ..spawn
        }
    }

    /// A value on the command line, which may be JSON.
    fn value(&self, value: &str) -> String {
        match serde_json::from_str::<Json>(value) {
            Ok(json) if value.starts_with(['{', '[']) => self.json(&json).get().to_owned(),
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
        let (keys, key) = (&place.keys, place.key().unwrap_or_default());
        if !place.is_key && self.tokens.is_some() {
            let around = &keys[..keys.len().saturating_sub(1)];
            let is_named = is_secret(key) && !NO_SECRETS.contains(&key);
            if is_named || around.iter().any(|key| is_given(key)) {
                return MASKED.to_owned();
            }
        }
        if !place.is_key && self.prose && PROSE.contains(&key) {
            return "text".to_owned();
        }
        self.text(string)
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, MASKED);
        }
        if let Some(tokens) = &self.tokens {
            text = tokens.replace_all(&text, "${2}***").into_owned();
            text = without_users(&text);
        }
        for (path, neutral) in &self.paths {
            text = without_path(&text, path, neutral);
        }
        text
    }
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
