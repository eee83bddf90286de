//! The inbox of a session: the messages that its hosts have accepted, and what became of
//! them.

use agentwire_protocol::Json;
use agentwire_protocol::host::Redelivery;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// An entry of an inbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InboxEntry {
    #[serde(rename = "type")]
    kind: Kind,
    /// The messages.
    uuids: Vec<Box<str>>,
    /// The message that was accepted, as the agent gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Json>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// A host has accepted a message.
    #[serde(rename = "inbox_accepted")]
    Accepted,
    /// The turn that has picked these up is about to run tools.
    #[serde(rename = "inbox_began")]
    Began,
    /// A host has told its application what became of these.
    #[serde(rename = "inbox_over")]
    Over,
}

impl InboxEntry {
    pub(super) fn accepted(uuid: &str, message: Json) -> Self {
        Self {
            kind: Kind::Accepted,
            uuids: vec![uuid.into()],
            message: Some(message),
        }
    }

    pub(super) fn began(uuids: Vec<Box<str>>) -> Self {
        Self {
            kind: Kind::Began,
            uuids,
            message: None,
        }
    }

    pub(super) fn over(uuids: Vec<Box<str>>) -> Self {
        Self {
            kind: Kind::Over,
            uuids,
            message: None,
        }
    }

    /// The message that was accepted.
    pub(super) fn accepts(&self) -> Option<&str> {
        let uuid = self.uuids.first();
        uuid.filter(|_| self.kind == Kind::Accepted).map(|it| &**it)
    }

    /// Whether the messages have begun.
    pub(super) fn is_begun(&self) -> bool {
        self.kind == Kind::Began
    }

    pub(super) fn to_json(&self) -> Json {
        // Strings and JSON can always be written as JSON.
        Json::from_value(self).unwrap_or_else(|_| Json::null())
    }
}

/// A message that an earlier host has accepted, and of which it has not told what became
/// of it.
#[derive(Debug, Clone)]
pub(super) struct Inherited {
    pub(super) uuid: Box<str>,
    pub(super) message: Json,
    /// [`Redelivery::Resent`] or [`Redelivery::CutOff`].
    pub(super) redelivery: Redelivery,
}

/// Returns what remains in an inbox, in the order in which it was accepted. The agent has
/// read what is in the transcript.
pub(super) fn inherited(inbox: &[Json], transcript: &[Json]) -> Vec<Inherited> {
    let mut remaining: Vec<Inherited> = vec![];
    let mut places: HashMap<Box<str>, usize> = HashMap::new();
    let (mut began, mut over) = (HashSet::new(), HashSet::new());
    // Entries of later versions may be there too.
    for entry in inbox.iter().filter_map(|it| it.read::<InboxEntry>().ok()) {
        match entry.kind {
            Kind::Began => began.extend(entry.uuids),
            Kind::Over => over.extend(entry.uuids),
            Kind::Accepted => {
                let (Some(uuid), Some(message)) = (entry.uuids.into_iter().next(), entry.message)
                else {
                    continue;
                };
                // Accepted again, it is the same one.
                places.entry(uuid.clone()).or_insert_with(|| {
                    remaining.push(Inherited {
                        uuid,
                        message,
                        redelivery: Redelivery::Resent,
                    });
                    remaining.len()
                });
            }
        }
    }
    remaining.retain(|it| !over.contains(&it.uuid));
    if remaining.is_empty() {
        return remaining;
    }
    began.extend(transcript.iter().flat_map(picked_up));
    for it in &mut remaining {
        if began.contains(&it.uuid) {
            it.redelivery = Redelivery::CutOff;
        }
    }
    remaining
}

/// The messages that an entry of a transcript says were picked up: its own, or the one that
/// was picked up in the middle of a turn.
fn picked_up(entry: &Json) -> impl Iterator<Item = Box<str>> + use<> {
    #[derive(Default, Deserialize)]
    struct Head {
        uuid: Option<Box<str>>,
        attachment: Option<Json>,
    }
    #[derive(Deserialize)]
    struct Attachment {
        source_uuid: Option<Box<str>>,
    }
    let head: Head = entry.read().unwrap_or_default();
    let attached = head.attachment.and_then(|it| it.read::<Attachment>().ok());
    (head.uuid.into_iter()).chain(attached.and_then(|it| it.source_uuid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn remaining(
        inbox: &[InboxEntry],
        transcript: &[serde_json::Value],
    ) -> Vec<(String, Redelivery)> {
        let inbox: Vec<Json> = inbox.iter().map(InboxEntry::to_json).collect();
        let transcript: Vec<Json> = transcript.iter().map(|it| it.clone().into()).collect();
        let remaining = inherited(&inbox, &transcript).into_iter();
        remaining
            .map(|it| (it.uuid.to_string(), it.redelivery))
            .collect()
    }

    fn accepted(uuid: &str) -> InboxEntry {
        InboxEntry::accepted(uuid, json!({ "type": "user", "uuid": uuid }).into())
    }

    #[test]
    fn what_is_not_over_is_left_in_order_and_once() {
        let inbox = ["b", "a", "c", "b"].map(accepted);
        let mut inbox = inbox.to_vec();
        inbox.push(InboxEntry::over(vec!["c".into()]));
        let expected = ["b", "a"].map(|uuid| (uuid.to_owned(), Redelivery::Resent));
        assert_eq!(remaining(&inbox, &[]), expected);
    }

    #[test]
    fn what_has_begun_or_is_in_the_transcript_is_handed_back() {
        let mut inbox = ["a", "b", "c", "d"].map(accepted).to_vec();
        inbox.push(InboxEntry::began(vec!["a".into()]));
        let transcript = [
            json!({ "type": "user", "uuid": "b" }),
            json!({ "type": "attachment", "uuid": "x",
                "attachment": { "type": "queued_command", "source_uuid": "c" } }),
            json!({ "type": "attachment", "attachment": "odd" }),
        ];
        let expected = [
            ("a", Redelivery::CutOff),
            ("b", Redelivery::CutOff),
            ("c", Redelivery::CutOff),
            ("d", Redelivery::Resent),
        ];
        let expected = expected.map(|(uuid, redelivery)| (uuid.to_owned(), redelivery));
        assert_eq!(remaining(&inbox, &transcript), expected);
    }

    #[test]
    fn what_is_not_an_entry_is_passed_over() {
        let mut inbox = vec![accepted("a").to_json()];
        for other in [json!(3), json!({ "type": "inbox_new", "uuids": ["a"] })] {
            inbox.push(other.into());
        }
        assert_eq!(inherited(&inbox, &[]).len(), 1);
    }
}
