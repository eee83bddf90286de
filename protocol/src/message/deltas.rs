//! Merges queued partial messages, so that many small pieces of a block become
//! one.

use super::stream_event::{BlockDelta, ContentBlockDelta, StreamEvent, StreamEventMessage};
use crate::frame::Frame;
use crate::json::Members;
use bytes::Bytes;
use std::mem::take;

/// Merges consecutive partial messages that add to the same block.
///
/// Frames come out in the order in which they were pushed. Only `stream_event`
/// frames with a `content_block_delta` of text, thinking or tool input are
/// merged, and only if they differ in nothing but their `uuid` and the added
/// content. A frame of another thread, session, block or kind ends the run, and
/// so does an unknown member of the delta. All other frames pass unchanged.
///
/// The merged frames assemble to the same messages. A merged frame is encoded
/// again and has the `uuid` of its first piece. The IDs of the other pieces are
/// lost. Pieces with lone surrogates, which could not be encoded again, are not
/// merged.
///
/// The cost is that of reading each frame once, even for long runs.
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
    /// The last run, which may grow.
    run: Option<Run>,
}

/// Consecutive frames that are merged.
#[derive(Debug)]
struct Run {
    /// The first frame, unchanged.
    first: Frame,
    /// The message with the content of all frames. `None` if no other frame can
    /// be merged with it.
    delta: Option<Delta>,
    is_joined: bool,
}

/// A partial message that can be merged with others.
#[derive(Debug)]
struct Delta {
    /// The message without its `uuid` and without the added content.
    message: StreamEventMessage,
    uuid: Option<String>,
    added: String,
    estimated_tokens: Option<u64>,
}

impl DeltaMerger {
    /// Merges these frames.
    #[must_use]
    pub fn merge(frames: Vec<Frame>) -> Vec<Frame> {
        let mut merger = Self::default();
        let mut merged = Vec::new();
        for frame in frames {
            merged.extend(merger.push(frame));
        }
        merged.extend(merger.finish());
        merged
    }

    /// Pushes the next frame. Returns the previous run once it can no longer
    /// grow.
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

    /// Returns the last run.
    pub fn finish(&mut self) -> Option<Frame> {
        self.run.take().map(Run::into_frame)
    }
}

impl Run {
    /// Merges the next message if it is of the same kind. Returns whether it
    /// was merged.
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
        // A vector that grew may have twice the capacity.
        let line = Bytes::from(line.into_boxed_slice());
        Frame::new(line).expect("a message is a frame")
    }
}

/// Returns the content that a partial message adds and its token estimate, if
/// the message can be merged.
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

/// Returns whether there are no unknown members that would have to be merged,
/// too.
fn is_plain(extra: &Members) -> bool {
    extra.iter().all(|(_, value)| value.is_null())
}
