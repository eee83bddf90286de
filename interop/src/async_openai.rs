//! Converts to and from the types of the crate `async-openai` (feature `async-openai`) by
//! `TryFrom`.
//!
//! Those types drop or refuse unknown members. Here both are errors.
//!
//! ```
//! use agentwire_interop::async_openai::NotThere;
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
//! let Err(NotThere::Lost(losses)) = ChatCompletionRequestMessage::try_from(message) else {
//!     panic!("nothing is left out")
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

/// A message or an item that the types of `async-openai` cannot hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotThere {
    /// The type refuses it.
    #[error("no type of async-openai can hold it: {0}")]
    Refused(#[from] serde_json::Error),
    /// The type would drop members.
    #[error("async-openai has no place for {}", told(.0))]
    Lost(Vec<Loss>),
}

fn told(losses: &[Loss]) -> String {
    let paths: Vec<&str> = losses.iter().map(|loss| &*loss.path).collect();
    paths.join(", ")
}

/// Converts a value to a type that must hold all of it.
fn whole<A: Serialize, B: Serialize + DeserializeOwned>(value: &A) -> Result<B, NotThere> {
    let value = Json::from_value(value)?;
    let other: B = value.read()?;
    let losses = of_value(&value, &Json::from_value(&other)?);
    if losses.is_empty() {
        Ok(other)
    } else {
        Err(NotThere::Lost(losses))
    }
}

/// Implements both directions between two types.
macro_rules! both_ways {
    ($($ours:ty, $theirs:ty;)*) => {$(
        impl TryFrom<$ours> for $theirs {
            type Error = NotThere;

            fn try_from(ours: $ours) -> Result<Self, NotThere> {
                whole(&ours)
            }
        }

        impl TryFrom<$theirs> for $ours {
            type Error = NotThere;

            fn try_from(theirs: $theirs) -> Result<Self, NotThere> {
                whole(&theirs)
            }
        }
    )*};
}

both_ways! {
    chat::Message, ChatCompletionRequestMessage;
    responses::Item, InputItem;
    responses::Item, OutputItem;
}
