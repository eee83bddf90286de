//! The message systems that there are.

use std::fmt;

/// A message system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The lines of a session with an agent CLI, or a recording of one
    Agent,
    /// What an agent CLI keeps of a session in its configuration directory; can
    /// only be read
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
    /// Messages of Bridgic that are made of blocks
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
