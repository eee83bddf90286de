//! The entries of a session's inbox: the messages that hosts have accepted, and their delivery
//! status.

use agentwire_protocol::Json;
use agentwire_protocol::host::Redelivery;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// An entry of an inbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InboxEntry {
    #[serde(rename = "type")]
    kind: Kind,
    /// The UUIDs of the messages.
    uuids: Vec<Box<str>>,
    /// The accepted message, as sent to the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Json>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// A host has accepted the message.
    #[serde(rename = "inbox_accepted")]
    Accepted,
    /// The turn that picked up the messages is about to run tools.
    #[serde(rename = "inbox_began")]
    Started,
    /// A host has reported the final delivery status to its application.
    #[serde(rename = "inbox_over")]
    Finished,
}

impl InboxEntry {
    pub(super) fn accepted(uuid: &str, message: Json) -> Self {
        Self {
            kind: Kind::Accepted,
            uuids: vec![uuid.into()],
            message: Some(message),
        }
    }

    pub(super) fn started(uuids: Vec<Box<str>>) -> Self {
        Self {
            kind: Kind::Started,
            uuids,
            message: None,
        }
    }

    pub(super) fn finished(uuids: Vec<Box<str>>) -> Self {
        Self {
            kind: Kind::Finished,
            uuids,
            message: None,
        }
    }

    /// Returns the UUID of the accepted message. Returns `None` for other entries.
    pub(super) fn accepted_uuid(&self) -> Option<&str> {
        let uuid = self.uuids.first();
        uuid.filter(|_| self.kind == Kind::Accepted).map(|it| &**it)
    }

    /// Returns whether the entry records that messages were started.
    pub(super) fn is_started(&self) -> bool {
        self.kind == Kind::Started
    }

    pub(super) fn to_json(&self) -> Json {
        // A value of strings and JSON can always be serialized.
        Json::from_value(self).unwrap_or_else(|_| Json::null())
    }
}

/// A message that an earlier host has accepted, but whose final delivery status it has not
/// reported.
#[derive(Debug, Clone)]
pub(super) struct Inherited {
    pub(super) uuid: Box<str>,
    pub(super) message: Json,
    /// How the delivery continues: [`Redelivery::Resent`] or [`Redelivery::CutOff`].
    pub(super) redelivery: Redelivery,
}

/// Returns the unfinished messages of an inbox in the order in which they were accepted. The agent
/// has read the messages that are in the transcript.
pub(super) fn inherited(inbox: &[Json], transcript: &[Json]) -> Vec<Inherited> {
    let mut unfinished: Vec<Inherited> = vec![];
    let mut indices: HashMap<Box<str>, usize> = HashMap::new();
    let (mut started, mut finished) = (HashSet::new(), HashSet::new());
    // Entries of later versions are skipped.
    for entry in inbox.iter().filter_map(|it| it.read::<InboxEntry>().ok()) {
        match entry.kind {
            Kind::Started => started.extend(entry.uuids),
            Kind::Finished => finished.extend(entry.uuids),
            Kind::Accepted => {
                let (Some(uuid), Some(message)) = (entry.uuids.into_iter().next(), entry.message)
                else {
                    continue;
                };
                // A message may be accepted twice under the same UUID.
                indices.entry(uuid.clone()).or_insert_with(|| {
                    unfinished.push(Inherited {
                        uuid,
                        message,
                        redelivery: Redelivery::Resent,
                    });
                    unfinished.len()
                });
            }
        }
    }
    unfinished.retain(|it| !finished.contains(&it.uuid));
    if unfinished.is_empty() {
        return unfinished;
    }
    started.extend(transcript.iter().flat_map(picked_up));
    for it in &mut unfinished {
        if started.contains(&it.uuid) {
            it.redelivery = Redelivery::CutOff;
        }
    }
    unfinished
}

/// Returns the UUIDs of the messages that were picked up according to a transcript entry: the
/// entry's own message, and a message that was picked up in the middle of a turn.
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
    let source = head.attachment.and_then(|it| it.read::<Attachment>().ok());
    (head.uuid.into_iter()).chain(source.and_then(|it| it.source_uuid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn unfinished(
        inbox: &[InboxEntry],
        transcript: &[serde_json::Value],
    ) -> Vec<(String, Redelivery)> {
        let inbox: Vec<Json> = inbox.iter().map(InboxEntry::to_json).collect();
        let transcript: Vec<Json> = transcript.iter().map(|it| it.clone().into()).collect();
        let unfinished = inherited(&inbox, &transcript).into_iter();
        unfinished
            .map(|it| (it.uuid.to_string(), it.redelivery))
            .collect()
    }

    fn accepted(uuid: &str) -> InboxEntry {
        InboxEntry::accepted(uuid, json!({ "type": "user", "uuid": uuid }).into())
    }

    #[test]
    fn unfinished_messages_are_inherited_once_and_in_order() {
        let inbox = ["b", "a", "c", "b"].map(accepted);
        let mut inbox = inbox.to_vec();
        inbox.push(InboxEntry::finished(vec!["c".into()]));
        let expected = ["b", "a"].map(|uuid| (uuid.to_owned(), Redelivery::Resent));
        assert_eq!(unfinished(&inbox, &[]), expected);
    }

    #[test]
    fn started_and_transcribed_messages_are_handed_back() {
        let mut inbox = ["a", "b", "c", "d"].map(accepted).to_vec();
        inbox.push(InboxEntry::started(vec!["a".into()]));
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
        assert_eq!(unfinished(&inbox, &transcript), expected);
    }

    #[test]
    fn unknown_entries_are_skipped() {
        let mut inbox = vec![accepted("a").to_json()];
        for other in [json!(3), json!({ "type": "inbox_new", "uuids": ["a"] })] {
            inbox.push(other.into());
        }
        assert_eq!(inherited(&inbox, &[]).len(), 1);
    }
}
