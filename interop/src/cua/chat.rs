//! Messages of Chat Completions, as the library's conversions write and read
//! them.

use super::computer::written;
use agentwire_protocol::{Json, Members};

/// What stands for a screenshot that comes in the message after it.
pub(super) const SEE_BELOW: &str = "[Execution completed. See screenshot below]";

/// A message that is being written.
#[derive(Debug, Default)]
pub(super) struct Chat {
    pub(super) role: &'static str,
    pub(super) content: Json,
    pub(super) tool_calls: Option<Vec<Json>>,
    pub(super) tool_call_id: Option<String>,
    pub(super) name: Option<String>,
}

impl Chat {
    pub(super) fn new(role: &'static str, content: impl Into<Json>) -> Self {
        Self {
            role,
            content: content.into(),
            ..Self::default()
        }
    }

    pub(super) fn into_json(self) -> Json {
        let mut members = Members::default();
        members.push("role", self.role.into());
        members.push("content", self.content);
        if let Some(calls) = self.tool_calls {
            members.push("tool_calls", written(&calls));
        }
        if let Some(id) = self.tool_call_id {
            members.push("tool_call_id", (&*id).into());
        }
        if let Some(name) = self.name {
            members.push("name", (&*name).into());
        }
        written(&members)
    }
}

/// An object.
pub(super) fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
    let mut object = Members::default();
    for (name, value) in members {
        object.push(name, value);
    }
    written(&object)
}

/// A list.
pub(super) fn list(items: &[Json]) -> Json {
    written(items)
}

/// A text, or `null`.
pub(super) fn maybe(text: Option<&str>) -> Json {
    text.map_or_else(Json::null, Json::from)
}

pub(super) fn text_part(text: Option<&str>) -> Json {
    object([("type", "text".into()), ("text", maybe(text))])
}

pub(super) fn image_part(url: Option<&str>) -> Json {
    let image = object([("url", maybe(url))]);
    object([("type", "image_url".into()), ("image_url", image)])
}

/// A call of a function.
pub(super) fn call(id: &str, name: &str, arguments: &str) -> Json {
    let function = object([("name", name.into()), ("arguments", arguments.into())]);
    object([
        ("id", id.into()),
        ("type", "function".into()),
        ("function", function),
    ])
}
