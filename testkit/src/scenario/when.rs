//! For which requests a reply is meant.

use crate::asked::Asked;
use regex_lite::Regex;
use serde::de::{Deserializer, Error};
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What has to be so for a reply to be taken: all that is said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct When {
    /// The text of the prompt that is being answered, as the user wrote it.
    /// Prompts that became one turn have a line break between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TextMatch>,
    /// What one of the tools answered that the request brings the results of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<TextMatch>,
    /// The model's name, as the agent knows it: the real CLI writes an alias
    /// out, the fake agent does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<TextMatch>,
    /// How many prompts the model has been asked, this one included. What an
    /// agent says in the user's name counts, such as a Stop hook's reason;
    /// tool results do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// Whether the request brings the results of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_tools: Option<bool>,
    /// What a Rust program says about it. Not in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub predicate: Option<Predicate>,
}

/// What a text has to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextMatch {
    /// It is this text, from its beginning to its end.
    Is(String),
    /// This is somewhere in it.
    Contains(String),
    /// This regular expression matches somewhere in it; `^` and `$` stand for
    /// its beginning and its end.
    #[serde(serialize_with = "write_regex", deserialize_with = "read_regex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    Matches(Regex),
}

/// A function that says whether a reply is meant for a request.
#[derive(Clone)]
pub struct Predicate(Arc<dyn Fn(&Asked) -> bool + Send + Sync>);

impl When {
    /// Whether a request is one that this is about.
    pub(crate) fn fits(&self, asked: &Asked) -> bool {
        let text = |wanted: &Option<TextMatch>, text: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.fits(text))
        };
        let results = asked.results.iter();
        text(&self.prompt, &asked.prompt)
            && text(&self.model, &asked.model)
            && self.turn.is_none_or(|turn| turn == asked.turn)
            && self.after_tools.is_none_or(|it| it == asked.after_tools)
            && (self.result.is_none()
                || results.map(String::as_str).any(|it| text(&self.result, it)))
            && self.predicate.as_ref().is_none_or(|it| it.0(asked))
    }

    /// Whether what tools answered matters.
    pub(crate) fn reads_results(&self) -> bool {
        self.result.is_some() || self.predicate.is_some()
    }

    /// When the prompt is this text.
    pub fn prompt_is(text: impl Into<String>) -> Self {
        Self::prompt(TextMatch::Is(text.into()))
    }

    /// When this is somewhere in the prompt.
    pub fn prompt_contains(text: impl Into<String>) -> Self {
        Self::prompt(TextMatch::Contains(text.into()))
    }

    /// When this regular expression matches somewhere in the prompt.
    ///
    /// # Errors
    ///
    /// When it is no regular expression.
    pub fn prompt_matches(pattern: &str) -> Result<Self, regex_lite::Error> {
        Regex::new(pattern).map(|regex| Self::prompt(TextMatch::Matches(regex)))
    }

    /// When a function says so, which sees all that is known of the request.
    pub fn predicate(is_meant: impl Fn(&Asked) -> bool + Send + Sync + 'static) -> Self {
        Self {
            predicate: Some(Predicate(Arc::new(is_meant))),
            ..Self::default()
        }
    }

    fn prompt(wanted: TextMatch) -> Self {
        Self {
            prompt: Some(wanted),
            ..Self::default()
        }
    }

    /// And one of the tools answered so.
    #[must_use]
    pub fn result(mut self, wanted: TextMatch) -> Self {
        self.result = Some(wanted);
        self
    }

    /// And the model's name is so.
    #[must_use]
    pub fn model(mut self, wanted: TextMatch) -> Self {
        self.model = Some(wanted);
        self
    }

    /// And it is the turn of this number, counted from 1.
    #[must_use]
    pub fn turn(mut self, number: usize) -> Self {
        self.turn = Some(number);
        self
    }

    /// And the request does, or does not, bring the results of tools.
    #[must_use]
    pub fn after_tools(mut self, it_does: bool) -> Self {
        self.after_tools = Some(it_does);
        self
    }
}

impl TextMatch {
    /// Whether a text is so.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        match self {
            Self::Is(whole) => text == whole,
            Self::Contains(part) => text.contains(part.as_str()),
            Self::Matches(pattern) => pattern.is_match(text),
        }
    }
}

impl PartialEq for TextMatch {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Is(one), Self::Is(other)) | (Self::Contains(one), Self::Contains(other)) => {
                one == other
            }
            (Self::Matches(one), Self::Matches(other)) => one.as_str() == other.as_str(),
            _ => false,
        }
    }
}

impl PartialEq for Predicate {
    /// Whether it is the same function; one that does the same is another.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate(…)")
    }
}

impl Serialize for Predicate {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom(
            "a reply has a predicate, a function that cannot be written down",
        ))
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Members {
            prompt: Option<TextMatch>,
            result: Option<TextMatch>,
            model: Option<TextMatch>,
            turn: Option<usize>,
            after_tools: Option<bool>,
        }
        let read = Members::deserialize(deserializer)?;
        let when = Self {
            prompt: read.prompt,
            result: read.result,
            model: read.model,
            turn: read.turn,
            after_tools: read.after_tools,
            predicate: None,
        };
        if when == Self::default() {
            return Err(D::Error::custom(
                "`when` says nothing; a reply without it fits every request",
            ));
        }
        if when.turn == Some(0) {
            return Err(D::Error::custom("turns are counted from 1"));
        }
        Ok(when)
    }
}

fn write_regex<S: Serializer>(regex: &Regex, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(regex.as_str())
}

fn read_regex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let pattern = String::deserialize(deserializer)?;
    Regex::new(&pattern)
        .map_err(|error| D::Error::custom(format_args!("{pattern:?} cannot be used: {error}")))
}
