//! Converts conversations of an agent CLI to and from the message formats of other systems, in
//! order to continue with another model, to build training data, or to migrate. The crate does no
//! I/O.
//!
//! ```
//! use agentwire_interop::conversion::export;
//! use agentwire_interop::{Message, chat::Chat};
//! use agentwire_protocol::content::ContentBlock;
//!
//! let conversation = vec![
//!     Message::user("Who is there?"),
//!     Message::assistant(vec![ContentBlock::text("A crab.")]),
//! ];
//! let exported = export(Chat, conversation);
//! assert!(exported.losses.is_empty());
//! println!("{}", serde_json::to_string(&exported.made)?);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`Message`] | the message that all systems convert to and from |
//! | [`conversion`] | conversions, losses, residues and restoration |
//! | [`session`] | the lines of a session |
//! | [`transcript`] | transcripts on disk: the live branch, and sub-agents under their parents |
//! | [`chat`], [`responses`] | OpenAI's Chat Completions, and Responses |
//! | [`openhands`] | OpenHands, and the conversions of its library |
//! | [`cua`] | Cua's items and computer actions |
//! | `async_openai` | the types of the crate `async-openai` (feature `async-openai`) |
//! | [`bridgic`] | Bridgic's chat messages, messages of blocks, and tools |
//!
//! The README has examples of sessions and round trips.

// docs.rs builds with a nightly compiler, which marks the items that need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Implements the schema of a type that is one of other types, for the feature `schema` of the
/// protocol.
macro_rules! one_of_schema {
    ($name:ident, $docs:expr, [$($kind:ty),* $(,)?] $(, $unknown:ident)?) => {
        agentwire_protocol::if_schema! {
            impl agentwire_protocol::schema::schemars::JsonSchema for $name {
                agentwire_protocol::schema::named!($name);

                fn json_schema(
                    generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator,
                ) -> agentwire_protocol::schema::schemars::Schema {
                    let kinds = [
                        $( generator.subschema_for::<$kind>(), )*
                        $( agentwire_protocol::schema::$unknown(), )?
                    ];
                    agentwire_protocol::schema::any_of($docs, kinds)
                }
            }
        }
    };
}
pub(crate) use one_of_schema;

mod arguments;
#[cfg(feature = "async-openai")]
pub mod async_openai;
mod author;
mod blocks;
pub mod bridgic;
mod calls;
pub mod chat;
pub mod conversion;
pub mod cua;
mod encrypted;
mod lenient;
mod media;
mod message;
pub mod openhands;
pub mod responses;
pub mod session;
mod text_or;
pub mod transcript;

pub use calls::Calls;
pub use encrypted::Encrypted;
pub use message::{Instructions, Message};
pub use text_or::TextOr;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
