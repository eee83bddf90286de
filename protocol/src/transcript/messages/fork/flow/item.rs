//! An item of a data flow record, which describes the data that a tool call or
//! a response touched.

use super::super::super::value::{elements, is, is_string, is_true, object, string};
use crate::{Json, Members};

/// The maximum length of a name, in UTF-16 units.
const MAX_NAME_UNITS: usize = 256;

/// An item, reduced to valid members.
#[derive(Debug, Clone)]
pub(super) struct Item(pub(super) Members);

impl Item {
    /// Reads an item. Returns `None` if the item is invalid.
    pub(super) fn of(json: &Json) -> Option<Self> {
        let given = object(Some(json))?;
        match given.get("response_id") {
            Some(id) => Self::of_response(id, &given),
            None => Self::of_call(&given),
        }
    }

    fn of_response(id: &Json, given: &Members) -> Option<Self> {
        let mut item = Members::default();
        is_response(id).then(|| item.push("response_id", id.clone()))?;
        let listed = elements(given.get("listed")).into_iter();
        let listed: Vec<Json> = listed.filter(is_response).collect();
        item.push("listed", json(&listed));
        if let Some(mark) = given.get("mark_sent_by").filter(|it| is_name(it)) {
            item.push("mark_sent_by", mark.clone());
        }
        Some(Self(item))
    }

    fn of_call(given: &Members) -> Option<Self> {
        let mut item = Members::default();
        let mut take = |name: &'static str, is_valid: fn(&Json) -> bool| {
            let value = given.get(name).filter(|it| is_valid(it));
            value.map(|value| item.push(name, value.clone())).is_some()
        };
        let has_tool = take("tool_name", is_string);
        let has_call = take("tool_use_id", is_name);
        let has_event = take("event_id", is_name);
        (has_call || has_event).then_some(())?;
        if given.get("inner_call_index").is_some() {
            take("inner_call_index", is_index).then_some(())?;
        }
        for flag in ["no_message", "implicit", "carried"] {
            take(flag, |it| is_true(Some(it)));
        }
        take("mcp_tool_name", is_name);
        if has_call && !has_tool {
            item.push("tool_name", "".into());
        }
        if let Some(given) = given.get("server") {
            item.push("server", server(given));
        }
        if let Some(given) = given.get("source") {
            item.push("source", source(given)?);
        }
        if let Some(given) = given.get("touched") {
            item.push("touched", touched(given)?);
        }
        Some(Self(item))
    }

    /// Returns the ID of the item's response, as text.
    pub(super) fn response(&self) -> Option<&str> {
        self.0.get("response_id").map(Json::get)
    }

    /// Removes and returns the IDs of the responses that the item replaces.
    pub(super) fn take_listed(&mut self) -> Vec<Json> {
        elements(self.0.remove("listed").as_ref())
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        is_true(self.0.get(flag))
    }

    /// Returns a key that is equal for items of the same call with the same
    /// data. Returns `None` for responses.
    pub(super) fn key(&self) -> Option<String> {
        let of = |name: &str| self.0.get(name).map_or("", Json::get);
        let index = self.0.get("inner_call_index");
        let mut key = if self.0.get("tool_use_id").is_some() {
            // Without an index, the tool's name is ignored.
            let tool = index.map_or("", |_| of("tool_name"));
            format!(
                "call {} {} {tool}",
                of("tool_use_id"),
                of("inner_call_index")
            )
        } else {
            self.0.get("event_id")?;
            let (event, tool) = (of("event_id"), of("tool_name"));
            format!("event {event} {tool} {}", of("inner_call_index"))
        };
        for (object, names) in [
            ("source", &["type", "id"][..]),
            ("touched", &["kind", "id", "action", "to"]),
        ] {
            for name in names {
                let value = self.0.get(object).and_then(|it| it.member(name));
                let value = value.filter(|it| !it.is_null());
                key.push(' ');
                key.push_str(value.as_ref().map_or("", Json::get));
            }
        }
        Some(key)
    }
}

/// Returns the server of a tool.
fn server(given: &Json) -> Json {
    let server = object(Some(given)).unwrap_or_default();
    let kind = string(server.get("type")).unwrap_or_default();
    let name = |name: &str| server.get(name).filter(|it| is_name(it)).cloned();
    let known = match &*kind {
        "anthropic" => name("id").map(|id| members([("id", Some(id))])),
        "claude_ai_connector" => {
            let id = name("id").map(|id| connector(&id));
            let directory = server
                .get("directory_id")
                .filter(|it| it.is_null() || is_name(it));
            id.zip(directory).map(|(id, directory)| {
                members([("id", Some(id)), ("directory_id", Some(directory.clone()))])
            })
        }
        "client_configured" => {
            let transport = server.get("transport").filter(|it| {
                ["stdio", "http", "in_process"]
                    .iter()
                    .any(|known| is(Some(it), known))
            });
            let hash = name("plugin_id_hash");
            let is_valid = hash.is_some() || server.get("plugin_id_hash").is_none();
            transport
                .filter(|_| is_valid)
                .map(|it| members([("transport", Some(it.clone())), ("plugin_id_hash", hash)]))
        }
        _ => None,
    };
    let kind = if known.is_some() { &*kind } else { "unknown" };
    let mut server = known.unwrap_or_default();
    server.set("type", kind);
    json(&server)
}

/// Returns the ID of a connector as a UUID, if the ID is a base-58 number after
/// `_01`.
fn connector(id: &Json) -> Json {
    let number = || {
        let id = string(Some(id))?;
        let (_, digits) = id.rsplit_once('_')?;
        let digits = digits.strip_prefix("01").filter(|it| it.len() == 22)?;
        let alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
        digits.chars().try_fold(0_u128, |number, digit| {
            let digit = alphabet.find(digit)? as u128;
            number.checked_mul(58)?.checked_add(digit)
        })
    };
    let Some(number) = number() else {
        return id.clone();
    };
    let hex = format!("{number:032x}");
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    (&*parts.join("-")).into()
}

fn source(given: &Json) -> Option<Json> {
    let source = object(Some(given))?;
    let kind = source.get("type").filter(|it| is_name(it))?;
    let id = source.get("id").filter(|it| it.is_null() || is_name(it))?;
    let source = [("type", Some(kind.clone())), ("id", Some(id.clone()))];
    Some(json(&members(source)))
}

fn touched(given: &Json) -> Option<Json> {
    let touched = object(Some(given))?;
    let one_of = |name: &str, known: &[&str]| {
        let value = touched.get(name)?;
        known
            .iter()
            .any(|it| is(Some(value), it))
            .then(|| value.clone())
    };
    let kind = one_of("kind", &["artifact", "memory", "session"])?;
    let action = one_of("action", &["read", "write", "copy"])?;
    let id = touched.get("id").filter(|it| it.is_null() || is_name(it))?;
    let to = touched.get("to");
    to.is_none_or(is_name).then(|| {
        json(&members([
            ("kind", Some(kind)),
            ("id", Some(id.clone())),
            ("action", Some(action)),
            ("to", to.cloned()),
        ]))
    })
}

fn members<const N: usize>(values: [(&'static str, Option<Json>); N]) -> Members {
    let mut members = Members::default();
    for (name, value) in values {
        if let Some(value) = value {
            members.push(name, value);
        }
    }
    members
}

pub(super) fn json(value: &(impl serde::Serialize + ?Sized)) -> Json {
    Json::from_value(value).unwrap_or_default()
}

/// Returns whether the SDK accepts a value as a name: a string of limited
/// length without control characters.
pub(in super::super) fn is_name(value: &Json) -> bool {
    let is_plain = |it: char| !matches!(it, '\0'..='\x1f' | '\x7f');
    string(Some(value)).is_some_and(|name| {
        let units = name.encode_utf16().count();
        (1..=MAX_NAME_UNITS).contains(&units) && name.chars().all(is_plain)
    })
}

/// Returns whether a value is the ID of an API message.
fn is_response(value: &Json) -> bool {
    let id = string(Some(value)).unwrap_or_default();
    let Some(id) = id.strip_prefix("msg_") else {
        return false;
    };
    let is_id =
        |id: &str| (1..=64).contains(&id.len()) && id.bytes().all(|it| it.is_ascii_alphanumeric());
    let local = ["staging_", "local_"]
        .iter()
        .find_map(|it| id.strip_prefix(it));
    is_id(local.unwrap_or(id))
}

fn is_index(value: &Json) -> bool {
    let is_number = value
        .get()
        .starts_with(|it: char| it == '-' || it.is_ascii_digit());
    let number = value.get().parse::<f64>().ok().filter(|_| is_number);
    number.is_some_and(|it| it.fract() == 0.0 && (0.0..2_147_483_648.0).contains(&it))
}
