//! The archived state of a session, which a later prompt ends.

use super::date::{exact_milliseconds, milliseconds};
use super::fields::{has, lines, object, string_of};
use super::prompt::Prompts;
use super::script::trimmed;
use crate::{Json, Members};

/// The content of the file `archived.json` of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Archived {
    is_archived: bool,
    /// The time of the change, in milliseconds since 1970.
    at: i64,
}

impl Archived {
    /// The maximum size of the file in bytes.
    pub const LARGEST: u64 = 4096;

    /// Reads the file. Returns `None` if it is invalid. An invalid file counts
    /// as absent.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let members = object(text.trim_ascii())?;
        let is_archived = match members.get("archived")?.get() {
            "true" => true,
            "false" => false,
            _ => return None,
        };
        let at = exact_milliseconds(&string_of(&members, "at")?)?;
        Some(Self { is_archived, at })
    }

    /// Returns whether the session is archived.
    pub(super) fn holds(self, head: &[u8], tail: &[u8]) -> bool {
        self.is_archived && !self.is_over(tail) && (head == tail || !self.is_over(head))
    }

    /// Returns whether a prompt in `text` was sent after the session was
    /// archived.
    fn is_over(self, text: &[u8]) -> bool {
        let candidates = lines(text).filter(|line| {
            has(line, &["\"user\"", "\"queued_command\""]) && !has(line, &["\"tool_result\""])
        });
        let mut prompts = candidates.filter_map(|line| prompted_at(&object(line)?));
        prompts.any(|at| at > self.at)
    }
}

/// Returns the time of a prompt, if the record is a prompt.
fn prompted_at(record: &Members) -> Option<i64> {
    let (content, origin) = match &*string_of(record, "type")? {
        "user" => {
            let is_one = is_sent(record);
            (
                is_one
                    .then(|| record.get("message"))??
                    .members()?
                    .get("content")
                    .cloned(),
                record.get("origin").cloned(),
            )
        }
        "attachment" => {
            let attachment = record.get("attachment")?.members()?;
            let is_one = string_of(&attachment, "type").as_deref() == Some("queued_command")
                && is_one_of(&attachment, "commandMode", &["prompt", "bash"])
                && is_false(&attachment, "isMeta")
                && is_false(record, "isSidechain");
            is_one.then_some(())?;
            (
                attachment.get("prompt").cloned(),
                attachment.get("origin").cloned(),
            )
        }
        _ => return None,
    };
    let kind = match &origin {
        None => None,
        Some(origin) => Some(string_of(&origin.members()?, "kind")?),
    };
    if kind.as_deref().is_some_and(|kind| kind != "human") {
        return None;
    }
    let at = string_of(record, "timestamp")?;
    let content = content.unwrap_or_default();
    is_prompt(&content, kind.is_some())
        .then(|| milliseconds(&at))
        .flatten()
}

/// Returns whether the user sent a `user` record, according to the record's
/// members.
fn is_sent(record: &Members) -> bool {
    let never = [
        "isCompactSummary",
        "isSidechain",
        "isVirtual",
        "isVisibleInTranscriptOnly",
        "isMeta",
        "textNotTyped",
        "handedOff",
        "queueSkipAttachments",
    ];
    let absent = ["persist", "wakeupSource", "scheduledTaskId"];
    never.iter().all(|name| is_false(record, name))
        && absent.iter().all(|name| record.get(name).is_none())
        && record.get("toolUseResult").is_none_or(Json::is_null)
        && is_one_of(record, "turnOrigin", &["human", "sdk", "unknown"])
        && record
            .get("promptSource")
            .is_none_or(|it| it.get().starts_with('"'))
}

fn is_false(members: &Members, name: &str) -> bool {
    members.get(name).is_none_or(|it| it.get() == "false")
}

fn is_one_of(members: &Members, name: &str, of: &[&str]) -> bool {
    members
        .get(name)
        .is_none_or(|it| it.read::<String>().is_ok_and(|it| of.contains(&&*it)))
}

/// Returns whether a content is a prompt, and not the output of a command.
fn is_prompt(content: &Json, is_humans: bool) -> bool {
    let blocks = match content.read::<String>() {
        Ok(text) => vec![("text".to_owned(), text)],
        Err(_) => blocks(content).unwrap_or_default(),
    };
    if blocks.iter().any(|(kind, _)| kind == "tool_result") {
        return false;
    }
    let begins = |tag: &str| {
        blocks.iter().any(|(_, text)| {
            text.trim_start_matches(super::script::is_space)
                .starts_with(tag)
        })
    };
    let is_text = if is_humans {
        blocks.iter().any(|(_, text)| !trimmed(text).is_empty()) && !begins("<command-name>")
    } else {
        let mut record = Members::default();
        let mut message = Members::default();
        message.push("content", content.clone());
        record.push("type", "user".into());
        record.push("message", Json::from_value(&message).unwrap_or_default());
        Prompts::default().read(&record).is_some() || begins("<command-message>")
    };
    is_text
        || blocks
            .iter()
            .any(|(kind, _)| matches!(&**kind, "image" | "document"))
}

/// Returns the types and texts of blocks, if each has a type.
fn blocks(content: &Json) -> Option<Vec<(String, String)>> {
    let blocks: Vec<Json> = content.read().ok()?;
    let blocks = blocks.iter().map(|block| {
        let block = block.members()?;
        let text = string_of(&block, "text").unwrap_or_default();
        Some((string_of(&block, "type")?, text))
    });
    blocks.collect()
}

trait OfObject {
    fn members(&self) -> Option<Members>;
}

impl OfObject for Json {
    fn members(&self) -> Option<Members> {
        self.get()
            .starts_with('{')
            .then(|| self.read().ok())
            .flatten()
    }
}
