//! The message systems that there are.

use super::input::superseded;
use super::{Arguments, ConvertError};
use agentwire_interop::conversion::{Direction, Import, System, Through};
use agentwire_interop::session::Session;
use std::fmt;

/// A message system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The lines of a session with an agent CLI, or a recording of one
    Agent,
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
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Openhands => "openhands",
            Self::Cua => "cua",
            Self::Bridgic => "bridgic",
            Self::BridgicBlocks => "bridgic-blocks",
        })
    }
}

/// Does something with a direction.
pub(super) trait Visitor {
    fn visit<D: Direction>(self, direction: D) -> Result<(), ConvertError>
    where
        D::From: Send + 'static,
        D::To: Send + 'static;
}

/// Calls `$then` with the system of a format.
macro_rules! with_system {
    ($format:expr, $system:ident => $then:expr, agent => $agent:expr) => {
        match $format {
            Format::Agent => $agent,
            Format::Chat => {
                let $system = agentwire_interop::chat::Chat;
                $then
            }
            Format::Responses => {
                let $system = agentwire_interop::responses::Responses;
                $then
            }
            Format::Openhands => {
                let $system = agentwire_interop::openhands::OpenHands;
                $then
            }
            Format::Cua => {
                let $system = agentwire_interop::cua::Cua::default();
                $then
            }
            Format::Bridgic => {
                let $system = agentwire_interop::bridgic::Chat;
                $then
            }
            Format::BridgicBlocks => {
                let $system = agentwire_interop::bridgic::Blocks;
                $then
            }
        }
    };
}

/// Calls the visitor with the direction from one format to another.
pub(super) fn visit(
    from: Format,
    to: Format,
    arguments: &Arguments,
    visitor: impl Visitor,
) -> Result<(), ConvertError> {
    if from == to {
        return Err(ConvertError::Same(from));
    }
    if from != Format::Agent && arguments.thread.is_some() {
        return Err(ConvertError::NoThreads);
    }
    with_system!(to, to => from_any(from, to, arguments, visitor), agent => {
        with_system!(from, from => visitor.visit(Import(from)), agent => Err(ConvertError::Same(from)))
    })
}

fn from_any<B: System>(
    from: Format,
    to: B,
    arguments: &Arguments,
    visitor: impl Visitor,
) -> Result<(), ConvertError>
where
    B::Item: Send + 'static,
{
    with_system!(from, from => visitor.visit(Through(from, to)), agent => {
        let mut session = Session::new(to);
        if let Some(thread) = &arguments.thread {
            session = session.of(thread.clone());
        }
        // On the way back the lines are still to come.
        if arguments.restore.is_none() {
            session = session.without(superseded(&arguments.file)?);
        }
        visitor.visit(session)
    })
}
