//! The direction from one format to another. Some directions read the input first.

use super::arguments::Arguments;
use super::before::{branch, superseded};
use super::error::ConvertError;
use super::format::Format;
use agentwire_interop::conversion::{Direction, Import, Ours, System, Through};
use agentwire_interop::session::Session;
use agentwire_interop::transcript::{Branch, History, Transcript};

/// A function that is generic over the [`Direction`]. It is compiled 55 times, so it should be
/// small.
pub(super) trait Visitor {
    type Output;

    fn visit<D: Direction + 'static>(self, direction: D) -> Self::Output;
}

/// Calls `$then` with the system of a format. `agent` and `transcript` have no system, so
/// each has its own expression.
macro_rules! with_system {
    (
        $format:expr, $system:ident => $then:expr,
        agent => $agent:expr, transcript => $transcript:expr
    ) => {
        match $format {
            Format::Agent => $agent,
            Format::Transcript => $transcript,
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

/// Calls the visitor with the [`Direction`] that converts `from` to `to`.
pub(super) fn visit<V: Visitor>(
    from: Format,
    to: Format,
    arguments: &Arguments,
    visitor: V,
) -> Result<V::Output, ConvertError> {
    if from == to {
        return Err(ConvertError::Same(from));
    }
    if !matches!(from, Format::Agent | Format::Transcript) && arguments.thread.is_some() {
        return Err(ConvertError::NoThreads);
    }
    if from != Format::Transcript && arguments.since_compaction {
        return Err(ConvertError::NoCompaction);
    }
    with_system!(
        to, to => from_any(from, to, arguments, visitor),
        agent => with_system!(
            from, from => Ok(visitor.visit(Import(from))),
            agent => Err(ConvertError::Same(from)),
            transcript => Ok(visitor.visit(transcript(Ours, arguments)?))
        ),
        transcript => Err(ConvertError::NotTo(to))
    )
}

fn from_any<B: System + 'static, V: Visitor>(
    from: Format,
    to: B,
    arguments: &Arguments,
    visitor: V,
) -> Result<V::Output, ConvertError> {
    Ok(with_system!(
        from, from => visitor.visit(Through(from, to)),
        agent => visitor.visit(session(to, arguments)?),
        transcript => visitor.visit(transcript(to, arguments)?)
    ))
}

fn session<B: System>(to: B, arguments: &Arguments) -> Result<Session<B>, ConvertError> {
    let mut session = Session::new(to);
    if let Some(thread) = &arguments.thread {
        session = session.of(thread.clone());
    }
    // A restored session has no lines yet.
    if arguments.restore.is_none() {
        session = session.without(superseded(&arguments.file)?);
    }
    Ok(session)
}

fn transcript<B: System>(to: B, arguments: &Arguments) -> Result<Transcript<B>, ConvertError> {
    let history = if arguments.since_compaction {
        History::SinceCompaction
    } else {
        History::All
    };
    let branch = match arguments.restore {
        Some(_) => Branch::default(),
        None => branch(&arguments.file, history)?,
    };
    let transcript = Transcript::new(to, branch);
    Ok(match &arguments.thread {
        Some(thread) => transcript.of(thread.clone()),
        None => transcript,
    })
}
