//! Converts to and from the types of the crate `async-openai` (feature `async-openai`) by
//! `TryFrom`.
//!
//! The types of `async-openai` drop or refuse unknown members. These conversions return an error in
//! both cases.
//!
//! ```
//! use agentwire_interop::async_openai::ConvertError;
//! use agentwire_interop::chat::Message;
//! use async_openai::types::chat::ChatCompletionRequestMessage;
//!
//! let message: Message = serde_json::from_str(r#"{"role": "user", "content": "Go"}"#)?;
//! let theirs = ChatCompletionRequestMessage::try_from(message.clone())?;
//! assert_eq!(Message::try_from(theirs)?, message);
//!
//! let message: Message = serde_json::from_str(
//!     r#"{"role": "user", "content": "Go", "cache_control": {"type": "ephemeral"}}"#,
//! )?;
//! let Err(ConvertError::Lost(losses)) = ChatCompletionRequestMessage::try_from(message) else {
//!     panic!("the member is unsupported")
//! };
//! assert_eq!(losses[0].path, "/cache_control");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::conversion::{Loss, of_value};
use crate::{chat, responses};
use agentwire_protocol::Json;
use async_openai::types::chat::ChatCompletionRequestMessage;
use async_openai::types::responses::{InputItem, OutputItem};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The error of a conversion to or from a type of `async-openai`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The type refuses the value.
    #[error("no type of async-openai can hold it: {0}")]
    Refused(serde_json::Error),
    /// The type would drop members.
    #[error("async-openai has no place for {}", listed(.0))]
    Lost(Vec<Loss>),
}

impl From<serde_json::Error> for ConvertError {
    fn from(error: serde_json::Error) -> Self {
        Self::Refused(error)
    }
}

fn listed(losses: &[Loss]) -> String {
    let paths: Vec<&str> = losses.iter().map(|loss| &*loss.path).collect();
    paths.join(", ")
}

/// Converts a value without losses.
fn lossless<A: Serialize, B: Serialize + DeserializeOwned>(value: &A) -> Result<B, ConvertError> {
    let value = Json::from_value(value)?;
    let other: B = value.read()?;
    let losses = of_value(&value, &Json::from_value(&other)?);
    if losses.is_empty() {
        Ok(other)
    } else {
        Err(ConvertError::Lost(losses))
    }
}

/// Implements the conversions between two types in both directions.
macro_rules! both_ways {
    ($($ours:ty, $theirs:ty;)*) => {$(
        impl TryFrom<$ours> for $theirs {
            type Error = ConvertError;

            fn try_from(ours: $ours) -> Result<Self, ConvertError> {
                lossless(&ours)
            }
        }

        impl TryFrom<$theirs> for $ours {
            type Error = ConvertError;

            fn try_from(theirs: $theirs) -> Result<Self, ConvertError> {
                lossless(&theirs)
            }
        }
    )*};
}

both_ways! {
    chat::Message, ChatCompletionRequestMessage;
    responses::Item, InputItem;
    responses::Item, OutputItem;
}
