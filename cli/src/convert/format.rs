//! The message formats.

use std::fmt;

/// A message format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The lines of a session with an agent CLI, or a recording of one
    Agent,
    /// A transcript of a session, in the configuration directory of an agent CLI;
    /// read only
    Transcript,
    /// Messages of OpenAI's Chat Completions
    Chat,
    /// Items of OpenAI's Responses
    Responses,
    /// Messages of OpenHands
    Openhands,
    /// Items of Cua
    Cua,
    /// Chat messages of Bridgic
    Bridgic,
    /// Block messages of Bridgic
    BridgicBlocks,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agent => "agent",
            Self::Transcript => "transcript",
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Openhands => "openhands",
            Self::Cua => "cua",
            Self::Bridgic => "bridgic",
            Self::BridgicBlocks => "bridgic-blocks",
        })
    }
}
