//! Streamed text.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Text in chunks. A plain string is split after each word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
#[serde(untagged)]
pub enum Streamed {
    /// The whole text, which is split after each word and sent without delay.
    Words(String),
    /// Chunks that the scenario defines.
    Chunks {
        /// The chunks, in order.
        chunks: Vec<String>,
        /// The delay in milliseconds before each chunk.
        #[serde(default)]
        delay_ms: u64,
    },
}

/// The content of a thinking block, and its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking {
    /// The content.
    pub text: Streamed,
    /// The signature. If it is `None`, a signature is generated.
    pub signature: Option<String>,
}

/// The object form of streamed text.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ThinkingInChunks")
)]
#[serde(deny_unknown_fields)]
struct Pieces {
    /// The chunks, in order.
    chunks: Vec<String>,
    /// The delay in milliseconds before each chunk.
    #[serde(default)]
    delay_ms: u64,
    /// The signature of a thinking block. If it is `None`, a signature is
    /// generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// Either form of streamed text. An untagged enum would lose the position of an
/// error.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Thinking")
)]
#[serde(untagged)]
enum Written {
    /// The whole text, which is split after each word and sent without delay.
    Words(String),
    /// Chunks that the scenario defines.
    Pieces(Pieces),
}

impl Streamed {
    /// Returns the chunks, in order.
    #[must_use]
    pub fn chunks(&self) -> Vec<&str> {
        match self {
            Self::Words(text) => text.split_inclusive(' ').collect(),
            Self::Chunks { chunks, .. } => chunks.iter().map(String::as_str).collect(),
        }
    }

    /// Returns the delay before each chunk.
    #[must_use]
    pub fn delay(&self) -> Duration {
        match self {
            Self::Words(_) => Duration::ZERO,
            Self::Chunks { delay_ms, .. } => Duration::from_millis(*delay_ms),
        }
    }

    /// Returns the whole text.
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
                f.write_str("a string, or an object with `chunks`")
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
