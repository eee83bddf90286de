//! Text that comes in pieces.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Text that comes in pieces: a plain string is cut after each word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
#[serde(untagged)]
pub enum Streamed {
    /// The whole text, which is cut after each word and sent without delay.
    Words(String),
    /// The pieces as they are to come.
    Chunks {
        /// The pieces, in order.
        chunks: Vec<String>,
        /// Milliseconds of silence before each piece.
        #[serde(default)]
        delay_ms: u64,
    },
}

/// What the model thinks, and how it signs that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking {
    /// The thoughts.
    pub text: Streamed,
    /// The signature. Without one the players make one up.
    pub signature: Option<String>,
}

/// An object in the place of text.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ThinkingInChunks")
)]
#[serde(deny_unknown_fields)]
struct Pieces {
    /// The pieces, in order.
    chunks: Vec<String>,
    /// Milliseconds of silence before each piece.
    #[serde(default)]
    delay_ms: u64,
    /// How the thinking is signed. Without one the players make one up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// What stands in the place of text, told apart by its JSON kind: an untagged
/// enum would lose where in the file an error is.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Thinking")
)]
#[serde(untagged)]
enum Written {
    /// The whole text, which is cut after each word and sent without delay.
    Words(String),
    /// The pieces as they are to come.
    Pieces(Pieces),
}

impl Streamed {
    /// The pieces, in order.
    #[must_use]
    pub fn chunks(&self) -> Vec<&str> {
        match self {
            Self::Words(text) => text.split_inclusive(' ').collect(),
            Self::Chunks { chunks, .. } => chunks.iter().map(String::as_str).collect(),
        }
    }

    /// The silence before each piece.
    #[must_use]
    pub fn delay(&self) -> Duration {
        match self {
            Self::Words(_) => Duration::ZERO,
            Self::Chunks { delay_ms, .. } => Duration::from_millis(*delay_ms),
        }
    }

    /// The whole text.
    #[must_use]
    pub fn whole(&self) -> String {
        self.chunks().concat()
    }
}

impl From<Streamed> for Thinking {
    fn from(text: Streamed) -> Self {
        Self {
            text,
            signature: None,
        }
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or an object with `chunks`")
            }

            fn visit_str<E>(self, text: &str) -> Result<Written, E> {
                Ok(Written::Words(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Written, A::Error> {
                Pieces::deserialize(MapAccessDeserializer::new(map)).map(Written::Pieces)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Streamed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let thinking = Thinking::deserialize(deserializer)?;
        if thinking.signature.is_some() {
            return Err(serde::de::Error::custom(
                "only `thinking` has a `signature`",
            ));
        }
        Ok(thinking.text)
    }
}

impl<'de> Deserialize<'de> for Thinking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Words(text) => Streamed::Words(text).into(),
            Written::Pieces(pieces) => Self {
                text: Streamed::Chunks {
                    chunks: pieces.chunks,
                    delay_ms: pieces.delay_ms,
                },
                signature: pieces.signature,
            },
        })
    }
}

impl Serialize for Thinking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match (&self.text, &self.signature) {
            (Streamed::Words(text), None) => Written::Words(text.clone()),
            (text, signature) => Written::Pieces(Pieces {
                chunks: text.chunks().into_iter().map(str::to_owned).collect(),
                delay_ms: u64::try_from(text.delay().as_millis()).unwrap_or(u64::MAX),
                signature: signature.clone(),
            }),
        };
        written.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Thinking {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Written::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Written::json_schema(generator)
    }
}
