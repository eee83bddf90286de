//! Creates records that change a session's entry in a list.

use super::summary::{tag, trimmed};
use crate::{Json, Members};

/// Returns the line that sets the title of a session. Append it to the
/// session's transcript. The title is trimmed. Returns `None` if the title is
/// blank.
///
/// ```
/// use agentwire_protocol::transcript::title_line;
///
/// let line = r#"{"type":"custom-title","customTitle":"Crabs","sessionId":"1"}"#;
/// assert_eq!(title_line("1", " Crabs\n"), Some(format!("{line}\n")));
/// assert_eq!(title_line("1", " "), None);
/// ```
#[must_use]
pub fn title_line(session: &str, title: &str) -> Option<String> {
    let title = Some(trimmed(title)).filter(|it| !it.is_empty())?;
    let members = [
        ("type", "custom-title".into()),
        ("customTitle", title.into()),
        ("sessionId", session.into()),
    ];
    Some(object(members) + "\n")
}

/// Returns the line that sets or removes the tag of a session. Append it to the
/// session's transcript. Returns `None` if the tag is blank.
///
/// The tag is trimmed, and format characters and characters for private use are
/// removed.
#[must_use]
pub fn tag_line(session: &str, new: Option<&str>) -> Option<String> {
    let tag = match new {
        Some(new) => Some(tag(new)).filter(|it| !it.is_empty())?,
        None => String::new(),
    };
    let members = [
        ("type", "tag".into()),
        ("tag", (&*tag).into()),
        ("sessionId", session.into()),
    ];
    Some(object(members) + "\n")
}

/// Returns the content of the file `archived.json` of a session that was archived or
/// unarchived at the time `at`, as RFC 3339.
#[must_use]
pub fn archived_mark(archived: bool, at: &str) -> String {
    let archived = if archived { "true" } else { "false" };
    object([
        ("archived", Json::of_text(archived)),
        ("at", at.into()),
        ("by", "sdk".into()),
    ])
}

fn object<const N: usize>(members: [(&'static str, Json); N]) -> String {
    let mut object = Members::default();
    for (name, value) in members {
        object.push(name, value);
    }
    Json::from_value(&object).unwrap_or_default().into_text()
}
