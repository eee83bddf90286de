//! Conditions under which a reply is taken.

use crate::request_info::RequestInfo;
use regex_lite::Regex;
use serde::de::{Deserializer, Error};
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The conditions under which a reply is taken. All of them must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct When {
    /// The text of the current prompt, as the user wrote it. Prompts that were
    /// merged into one turn are separated by `\n`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TextMatch>,
    /// The text of one of the tool results in the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<TextMatch>,
    /// The model's name. The real CLI resolves aliases; the fake agent does
    /// not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<TextMatch>,
    /// The number of the turn, counted from 1. A prompt that the agent sends in
    /// the user's name, such as the reason of a Stop hook, starts a turn. Tool
    /// results do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// Whether the request contains tool results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_tools: Option<bool>,
    /// A Rust function. It cannot be written in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub predicate: Option<Predicate>,
}

/// A condition on a text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextMatch {
    /// The text equals this one.
    Is(String),
    /// The text contains this one.
    Contains(String),
    /// The text contains a match of this regular expression. `^` and `$` match
    /// the beginning and end of the text.
    #[serde(serialize_with = "write_regex", deserialize_with = "read_regex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    Matches(Regex),
}

/// A function that decides whether a reply matches a request.
#[derive(Clone)]
pub struct Predicate(Arc<dyn Fn(&RequestInfo) -> bool + Send + Sync>);

impl When {
    /// Returns whether a request meets all conditions.
    pub(crate) fn fits(&self, asked: &RequestInfo) -> bool {
        let text = |wanted: &Option<TextMatch>, text: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.fits(text))
        };
        let results = asked.results.iter();
        text(&self.prompt, &asked.prompt)
            && text(&self.model, &asked.model)
            && self.turn.is_none_or(|turn| turn == asked.turn)
            && self
                .after_tools
                .is_none_or(|after_tools| after_tools == asked.after_tools)
            && (self.result.is_none()
                || results
                    .map(String::as_str)
                    .any(|result| text(&self.result, result)))
            && self
                .predicate
                .as_ref()
                .is_none_or(|predicate| predicate.0(asked))
    }

    /// Returns whether the conditions depend on tool results.
    pub(crate) fn reads_results(&self) -> bool {
        self.result.is_some() || self.predicate.is_some()
    }

    /// Matches a prompt that equals this text.
    pub fn prompt_is(text: impl Into<String>) -> Self {
        Self::prompt(TextMatch::Is(text.into()))
    }

    /// Matches a prompt that contains this text.
    pub fn prompt_contains(text: impl Into<String>) -> Self {
        Self::prompt(TextMatch::Contains(text.into()))
    }

    /// Matches a prompt that contains a match of this regular expression.
    ///
    /// # Errors
    ///
    /// Fails if the regular expression is invalid.
    pub fn prompt_matches(pattern: &str) -> Result<Self, regex_lite::Error> {
        Regex::new(pattern).map(|regex| Self::prompt(TextMatch::Matches(regex)))
    }

    /// Matches requests for which the function returns `true`.
    pub fn predicate(is_meant: impl Fn(&RequestInfo) -> bool + Send + Sync + 'static) -> Self {
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

    /// Requires a tool result that matches.
    #[must_use]
    pub fn result(mut self, wanted: TextMatch) -> Self {
        self.result = Some(wanted);
        self
    }

    /// Requires a model name that matches.
    #[must_use]
    pub fn model(mut self, wanted: TextMatch) -> Self {
        self.model = Some(wanted);
        self
    }

    /// Requires the turn of this number, counted from 1.
    #[must_use]
    pub fn turn(mut self, number: usize) -> Self {
        self.turn = Some(number);
        self
    }

    /// Requires, or forbids, tool results in the request.
    #[must_use]
    pub fn after_tools(mut self, has_results: bool) -> Self {
        self.after_tools = Some(has_results);
        self
    }
}

impl TextMatch {
    /// Returns whether a text matches.
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
    /// Compares the identity of the closures. Two equal closures are different
    /// predicates.
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
            "a reply has a predicate, which cannot be serialized",
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
                "`when` is empty; omit it to match every request",
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
    Regex::new(&pattern).map_err(|error| {
        D::Error::custom(format_args!(
            "{pattern:?} is not a valid regular expression: {error}"
        ))
    })
}
