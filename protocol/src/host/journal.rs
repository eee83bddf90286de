//! Records the settings of a session. A process that resumes a session does not
//! restore them.

use super::Request;
use crate::control::{Answer, CwdOutcome, SetCwdAnswer};
use crate::json::{Json, Members};
use crate::permission::PermissionMode;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

/// The last value of each setting, in the order in which the settings were first
/// made.
#[derive(Debug, Default)]
pub(super) struct Journal(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    setting: Setting,
    request: Retained,
}

/// A request that made a setting. It is parsed on demand, because most are
/// never needed again.
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

/// The identity of a setting. A later request with the same identity replaces
/// the setting.
#[derive(Debug, PartialEq, Eq)]
struct Setting {
    subtype: Box<str>,
    /// The key, if there is a value for each key.
    of: Option<String>,
}

/// The scope of the setting that a request makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sets {
    /// The whole value.
    Value,
    /// The value for one key, which the request's member of this name contains.
    Of(&'static str),
    /// Some members of `settings`. The other members are unchanged.
    Members,
}

/// The request whose settings are merged.
const FLAG_SETTINGS: &str = "apply_flag_settings";
const PERMISSION_MODE: &str = "set_permission_mode";
const SET_CWD: &str = "set_cwd";

/// Returns the scope of the setting that a request makes, if a resumed session
/// loses the setting. The agent itself stores other settings, such as the
/// title.
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

/// Returns whether a request of this subtype makes a setting that a restart
/// loses.
pub(super) fn is_setting(subtype: &str) -> bool {
    sets(subtype).is_some()
}

/// Returns whether a request of this subtype is read-only, so that it can be
/// repeated.
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

/// Returns whether a successful response means that the request took effect.
/// `set_cwd` is successful even if the directory is rejected or requires trust
/// first.
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
    /// Records a successful request, from its line.
    pub(super) fn record(&mut self, subtype: &str, line: &Bytes) {
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
    pub(super) fn record_mode(&mut self, mode: &PermissionMode) {
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
                let sum = both.and_then(|(earlier, later)| merged(&earlier, &later));
                entry.request = sum.map_or(request, Retained::Request);
            }
            Some(entry) => entry.request = request,
            None => self.0.push(Entry { setting, request }),
        }
    }

    /// Returns the last value that a request with this subtype set for this
    /// member.
    pub(super) fn value(&self, subtype: &str, member: &str) -> Option<String> {
        let entry = self.0.iter().find(|it| *it.setting.subtype == *subtype)?;
        entry.request.request()?.member(member)?.read().ok()
    }

    /// Returns the requests that restore all settings. Their IDs begin with `id`.
    pub(super) fn requests(&self, id: &str) -> Vec<Request> {
        let numbered = self.0.iter().enumerate();
        let requests = numbered.filter_map(|(number, entry)| {
            let id = format!("{id}-{number}");
            // Values read from JSON can always be written as JSON.
            Request::raw(id, &entry.setting.subtype, entry.request.request()?).ok()
        });
        requests.collect()
    }
}

/// Merges later settings into earlier ones.
fn merged(earlier: &Json, later: &Json) -> Option<Json> {
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
    fn the_last_value_of_each_setting_is_restored() {
        let mut journal = Journal::default();
        for model in ["a", "b"] {
            let request = json!({ "subtype": "set_model", "model": model });
            journal.record("set_model", &line(request));
        }
        journal.record("mcp_status", &line(json!({ "subtype": "mcp_status" })));
        for (server, enabled) in [("x", false), ("y", true), ("x", true)] {
            let request =
                json!({ "subtype": "mcp_toggle", "serverName": server, "enabled": enabled });
            journal.record("mcp_toggle", &line(request));
        }
        journal.record_mode(&PermissionMode::Plan);
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
    fn flag_settings_are_merged_like_by_the_agent() {
        let mut journal = Journal::default();
        for settings in [
            json!({ "model": "a", "permissions": { "allow": ["Read"] } }),
            json!({ "permissions": { "deny": ["Bash"] } }),
            json!({ "model": null }),
        ] {
            let request = json!({ "subtype": FLAG_SETTINGS, "settings": settings });
            journal.record(FLAG_SETTINGS, &line(request));
        }
        let settings = json!({ "model": null, "permissions": { "deny": ["Bash"] } });
        assert_eq!(
            lines(&journal),
            [json!({ "subtype": FLAG_SETTINGS, "settings": settings })]
        );
    }
}
