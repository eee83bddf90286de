//! What was set in a session, so that the agent's next process can be given it
//! again: a process that resumes a session knows none of it.

use super::Request;
use crate::control::{Answer, CwdOutcome, SetCwdAnswer};
use crate::json::{Json, Members};
use crate::permission::PermissionMode;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

/// The last value of everything that was set, in the order in which it was set
/// first.
#[derive(Debug, Default)]
pub(super) struct Journal(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    setting: Setting,
    request: Retained,
}

/// A request that set something. Most are never needed again.
#[derive(Debug)]
enum Retained {
    /// The line that was sent.
    Line(Bytes),
    Request(Json),
}

impl Retained {
    fn request(&self) -> Option<Json> {
        match self {
            Self::Line(line) => request_in(line),
            Self::Request(request) => Some(request.clone()),
        }
    }
}

/// What a request sets. A later request with the same setting replaces it.
#[derive(Debug, PartialEq, Eq)]
struct Setting {
    subtype: Box<str>,
    /// What it is set for, if it can be set for several.
    of: Option<String>,
}

/// How a request sets something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sets {
    /// The whole value.
    Value,
    /// The value for what this member names.
    Of(&'static str),
    /// Some members of `settings`. The others stay.
    Members,
}

/// The request whose settings add up.
const FLAG_SETTINGS: &str = "apply_flag_settings";
const PERMISSION_MODE: &str = "set_permission_mode";
const SET_CWD: &str = "set_cwd";

/// How a request of this subtype sets something that a resumed session has
/// forgotten. What the agent writes down itself, such as a title, is not
/// among them.
fn sets(subtype: &str) -> Option<Sets> {
    Some(match subtype {
        "set_model"
        | PERMISSION_MODE
        | "set_max_thinking_tokens"
        | "mcp_set_servers"
        | SET_CWD
        | "set_color"
        | "set_has_subscribers" => Sets::Value,
        "mcp_toggle" | "set_mcp_permission_mode_override" => Sets::Of("serverName"),
        "register_repo_root" => Sets::Of("directory"),
        "seed_read_state" => Sets::Of("path"),
        FLAG_SETTINGS => Sets::Members,
        _ => return None,
    })
}

/// Whether a request of this subtype sets something.
pub(super) fn is_setting(subtype: &str) -> bool {
    sets(subtype).is_some()
}

/// Whether a request of this subtype only reads, so that it can be made again.
pub(super) fn only_reads(subtype: &str) -> bool {
    matches!(
        subtype,
        "file_suggestions"
            | "get_binary_version"
            | "get_context_usage"
            | "get_hooks_listing"
            | "get_plan"
            | "get_session_cost"
            | "get_settings"
            | "get_status"
            | "get_task_output"
            | "get_usage"
            | "list_models"
            | "list_permission_rules"
            | "mcp_read_resource"
            | "mcp_status"
            | "read_file"
    )
}

/// Whether a successful response says that the request took effect. A directory
/// may be rejected, or need trust first, without an error.
pub(super) fn took_effect(subtype: &str, answer: &Answer) -> bool {
    subtype != SET_CWD
        || answer
            .read::<SetCwdAnswer>()
            .is_ok_and(|it| it.status == CwdOutcome::Moved)
}

/// The line of a control request.
#[derive(Deserialize)]
struct Line {
    request: Json,
}

fn request_in(line: &[u8]) -> Option<Json> {
    let line: Line = serde_json::from_slice(line).ok()?;
    Some(line.request)
}

impl Journal {
    /// Records a request that succeeded, from its line.
    pub(super) fn has_set(&mut self, subtype: &str, line: &Bytes) {
        let of = match sets(subtype) {
            None => return,
            Some(Sets::Value | Sets::Members) => None,
            Some(Sets::Of(member)) => {
                let Some(request) = request_in(line) else {
                    return;
                };
                request.member(member).map(|it| it.get().to_owned())
            }
        };
        let setting = Setting {
            subtype: subtype.into(),
            of,
        };
        self.put(setting, Retained::Line(line.clone()));
    }

    /// Records the permission mode that the agent reports.
    pub(super) fn has_mode(&mut self, mode: &PermissionMode) {
        let request = json!({ "subtype": PERMISSION_MODE, "mode": mode });
        let setting = Setting {
            subtype: PERMISSION_MODE.into(),
            of: None,
        };
        self.put(setting, Retained::Request(request.into()));
    }

    fn put(&mut self, setting: Setting, request: Retained) {
        match self.0.iter_mut().find(|it| it.setting == setting) {
            Some(entry) if sets(&setting.subtype) == Some(Sets::Members) => {
                let both = entry.request.request().zip(request.request());
                let sum = both.and_then(|(earlier, later)| added_up(&earlier, &later));
                entry.request = sum.map_or(request, Retained::Request);
            }
            Some(entry) => entry.request = request,
            None => self.0.push(Entry { setting, request }),
        }
    }

    /// The last model and permission mode that were set, if any.
    pub(super) fn value(&self, subtype: &str, member: &str) -> Option<String> {
        let entry = self.0.iter().find(|it| *it.setting.subtype == *subtype)?;
        entry.request.request()?.member(member)?.read().ok()
    }

    /// The requests that set everything again. Their IDs begin with this.
    pub(super) fn requests(&self, id: &str) -> Vec<Request> {
        let numbered = self.0.iter().enumerate();
        let requests = numbered.filter_map(|(number, entry)| {
            let id = format!("{id}-{number}");
            // What was read from JSON can be written as JSON.
            Request::raw(id, &entry.setting.subtype, entry.request.request()?).ok()
        });
        requests.collect()
    }
}

/// Adds the members of later settings to those of earlier ones.
fn added_up(earlier: &Json, later: &Json) -> Option<Json> {
    let mut request: Members = earlier.read().ok()?;
    let mut all: Members = earlier.member("settings")?.read().ok()?;
    let more: Members = later.member("settings")?.read().ok()?;
    for (name, value) in more.into_entries() {
        all.set(name.into_owned(), value);
    }
    request.set("settings", Json::from_value(&all).ok()?);
    Json::from_value(&request).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn line(request: Value) -> Bytes {
        json!({ "type": "control_request", "request_id": "r", "request": request })
            .to_string()
            .into()
    }

    fn lines(journal: &Journal) -> Vec<Value> {
        let requests = journal.requests("again");
        let lines = requests.iter().map(|it| &it.outgoing.line);
        let lines = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap());
        lines.map(|line| line["request"].clone()).collect()
    }

    #[test]
    fn the_last_value_of_each_setting_is_kept() {
        let mut journal = Journal::default();
        for model in ["a", "b"] {
            let request = json!({ "subtype": "set_model", "model": model });
            journal.has_set("set_model", &line(request));
        }
        journal.has_set("mcp_status", &line(json!({ "subtype": "mcp_status" })));
        for (server, enabled) in [("x", false), ("y", true), ("x", true)] {
            let request =
                json!({ "subtype": "mcp_toggle", "serverName": server, "enabled": enabled });
            journal.has_set("mcp_toggle", &line(request));
        }
        journal.has_mode(&PermissionMode::Plan);
        assert_eq!(
            lines(&journal),
            [
                json!({ "subtype": "set_model", "model": "b" }),
                json!({ "subtype": "mcp_toggle", "serverName": "x", "enabled": true }),
                json!({ "subtype": "mcp_toggle", "serverName": "y", "enabled": true }),
                json!({ "subtype": "set_permission_mode", "mode": "plan" }),
            ]
        );
        assert_eq!(journal.value("set_model", "model").as_deref(), Some("b"));
    }

    #[test]
    fn flag_settings_add_up_as_the_agent_adds_them_up() {
        let mut journal = Journal::default();
        for settings in [
            json!({ "model": "a", "permissions": { "allow": ["Read"] } }),
            json!({ "permissions": { "deny": ["Bash"] } }),
            json!({ "model": null }),
        ] {
            let request = json!({ "subtype": FLAG_SETTINGS, "settings": settings });
            journal.has_set(FLAG_SETTINGS, &line(request));
        }
        let settings = json!({ "model": null, "permissions": { "deny": ["Bash"] } });
        assert_eq!(
            lines(&journal),
            [json!({ "subtype": FLAG_SETTINGS, "settings": settings })]
        );
    }
}
