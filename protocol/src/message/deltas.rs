//! Partial messages that wait, joined: many small pieces of one block become
//! one larger piece.

use super::stream_event::{BlockDelta, ContentBlockDelta, StreamEvent, StreamEventMessage};
use crate::frame::Frame;
use crate::json::Members;
use bytes::Bytes;
use std::mem::take;

/// Joins partial messages that follow each other and add to the same block.
///
/// Frames go in in order and come out in order. Joined are `stream_event`
/// frames with a `content_block_delta` of text, thinking or a tool's input,
/// where nothing but their `uuid` and what they add tells them apart: a frame
/// of another thread, session, block or kind ends the run, and so does a
/// member of the delta that is not known here. Everything else passes through
/// as it is.
///
/// Whoever puts whole messages together gets the same from what is joined. A
/// frame that was joined is written anew and has the `uuid` of the first of
/// its pieces; those of the others are gone. Halves of surrogate pairs, which
/// could not be written again, are not joined.
///
/// Joining takes as long as reading each frame once, however long a run is.
///
/// ```
/// use agentwire_protocol::Frame;
/// use agentwire_protocol::message::DeltaMerger;
/// use bytes::Bytes;
///
/// let mut merger = DeltaMerger::default();
/// let mut frames = Vec::new();
/// for piece in ["Hel", "lo ", "there"] {
///     let line = format!(
///         r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{piece}"}}}}}}"#
///     );
///     frames.extend(merger.push(Frame::new(Bytes::from(line))?));
/// }
/// frames.extend(merger.finish());
/// assert_eq!(frames.len(), 1);
/// assert_eq!(frames[0].message().text_delta(), Some("Hello there"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct DeltaMerger {
    /// What came last, and may grow.
    run: Option<Run>,
}

/// Frames that are to be one.
#[derive(Debug)]
struct Run {
    /// The first of them, as it came.
    first: Frame,
    /// What it is, with what all of them add; `None` when nothing can be
    /// joined to it.
    delta: Option<Delta>,
    is_joined: bool,
}

/// A partial message that can be joined to others.
#[derive(Debug)]
struct Delta {
    /// The message without its `uuid` and without what it adds.
    message: StreamEventMessage,
    uuid: Option<String>,
    added: String,
    estimated_tokens: Option<u64>,
}

impl DeltaMerger {
    /// Takes the next frame, and gives what came before it once that cannot
    /// grow any more.
    pub fn push(&mut self, frame: Frame) -> Option<Frame> {
        let delta = Delta::of(&frame);
        if let (Some(run), Some(next)) = (&mut self.run, &delta)
            && run.join(next)
        {
            return None;
        }
        let run = Run {
            first: frame,
            delta,
            is_joined: false,
        };
        self.run.replace(run).map(Run::into_frame)
    }

    /// Gives what came last.
    pub fn finish(&mut self) -> Option<Frame> {
        self.run.take().map(Run::into_frame)
    }
}

impl Run {
    /// Joins the next one, if it is of the same kind. Says whether it was.
    fn join(&mut self, next: &Delta) -> bool {
        let Some(delta) = self.delta.as_mut().filter(|it| it.message == next.message) else {
            return false;
        };
        delta.added.push_str(&next.added);
        if let Some(tokens) = next.estimated_tokens {
            let so_far = delta.estimated_tokens.unwrap_or_default();
            delta.estimated_tokens = Some(so_far.saturating_add(tokens));
        }
        self.is_joined = true;
        true
    }

    fn into_frame(self) -> Frame {
        match self.delta {
            Some(delta) if self.is_joined => delta.into_frame(),
            _ => self.first,
        }
    }
}

impl Delta {
    fn of(frame: &Frame) -> Option<Self> {
        if frame.kind() != "stream_event" || frame.has_lone_surrogates() {
            return None;
        }
        let mut message: StreamEventMessage = frame.read().ok()?;
        if message.abandoned_blocks.is_some() {
            return None;
        }
        let uuid = message.uuid.take();
        let (added, estimated_tokens) = content(&mut message)?;
        let (added, estimated_tokens) = (take(added), estimated_tokens.and_then(Option::take));
        Some(Self {
            message,
            uuid,
            added,
            estimated_tokens,
        })
    }

    fn into_frame(mut self) -> Frame {
        self.message.uuid = self.uuid;
        if let Some((added, estimated_tokens)) = content(&mut self.message) {
            *added = self.added;
            if let Some(place) = estimated_tokens {
                *place = self.estimated_tokens;
            }
        }
        let line = serde_json::to_vec(&self.message).expect("what was read can be written");
        // A vector that grew may hold twice what is in it.
        let line = Bytes::from(line.into_boxed_slice());
        Frame::new(line).expect("a message is a frame")
    }
}

/// What a partial message adds to its block, if that can be joined, and how
/// many tokens it says that is.
fn content(message: &mut StreamEventMessage) -> Option<(&mut String, Option<&mut Option<u64>>)> {
    let StreamEvent::ContentBlockDelta(ContentBlockDelta { delta, .. }) = &mut message.event else {
        return None;
    };
    let (added, estimated_tokens, extra) = match delta {
        BlockDelta::Text(it) => (&mut it.text, None, &it.extra),
        BlockDelta::InputJson(it) => (&mut it.partial_json, None, &it.extra),
        BlockDelta::Thinking(it) => {
            let tokens = Some(&mut it.estimated_tokens);
            (&mut it.thinking, tokens, &it.extra)
        }
        _ => return None,
    };
    is_plain(extra).then_some((added, estimated_tokens))
}

/// Whether nothing is said that would have to be joined as well.
fn is_plain(extra: &Members) -> bool {
    extra.iter().all(|(_, value)| value.is_null())
}
