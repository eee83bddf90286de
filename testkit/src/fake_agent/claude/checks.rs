//! What the CLI refuses in a control request for its members alone. Many of them
//! may be `null`, which counts as absent; it tells some flags by whether
//! JavaScript takes them for true.

use agentwire_protocol::permission::PermissionMode;
use serde_json::{Map, Value};
use std::path::Path;

/// Why a request is refused; none, if its members have the right types.
pub(super) fn complaint(subtype: &str, request: &Value) -> Option<String> {
    let member = |name: &str| request.get(name).unwrap_or(&Value::Null);
    let is_one_of = |name: &str, values: &[&str]| {
        let value = member(name).as_str();
        value.is_some_and(|it| values.contains(&it))
    };
    let wrong = |name: &str, what: &str| Some(format!("{subtype}: {name} must be {what}"));
    match subtype {
        "apply_flag_settings" | "update_settings" => match member("settings") {
            Value::Object(settings) if subtype == "apply_flag_settings" => invalid(settings),
            Value::Object(_) => None,
            _ => wrong("settings", "an object"),
        },
        "background_tasks" if !is_absent_or(request, "tool_use_id", Value::is_string) => {
            wrong("tool_use_id", "a string")
        }
        "generate_session_title" => text(subtype, request, "description"),
        "get_context_usage" => {
            let is_fine = member("detail").is_null() || is_one_of("detail", &["summary", "full"]);
            (!is_fine).then(|| format!("{subtype}: detail must be 'summary' or 'full'"))
        }
        "get_task_output" | "stop_task" => text(subtype, request, "task_id"),
        "get_usage" if !is_absent_or(request, "skip_behaviors", Value::is_boolean) => {
            wrong("skip_behaviors", "a boolean")
        }
        "mcp_call" => text(subtype, request, "tool"),
        "mcp_reconnect" => text(subtype, request, "serverName"),
        "mcp_read_resource" => text(subtype, request, "serverName").or_else(|| {
            let is_ui = member("uri")
                .as_str()
                .is_some_and(|it| it.starts_with("ui://"));
            (!is_ui).then(|| format!("{subtype}: uri must begin with ui://"))
        }),
        "message_rated" => {
            let is_fine = member("messageUuid").is_string()
                && is_one_of("sentiment", &["positive", "negative"])
                && is_one_of("surface", &["tool_use", "assistant_text"])
                && member("cleared").is_boolean();
            (!is_fine).then(|| {
                format!(
                    "{subtype}: messageUuid must be a string, sentiment \"positive\" or \
                     \"negative\", surface \"tool_use\" or \"assistant_text\", and cleared a \
                     boolean"
                )
            })
        }
        "reload_plugins" if !is_absent_or(request, "add_plugins", is_list_of_plugins) => {
            wrong("add_plugins", "a list of local plugins with absolute paths")
        }
        "rename_session" => text(subtype, request, "title").or_else(|| {
            if member("title").as_str().is_some_and(is_blank) {
                return Some("The title must not be empty.".to_owned());
            }
            let is_fine = member("source").is_null() || is_one_of("source", &["remote", "host"]);
            (!is_fine).then(|| format!("{subtype}: source must be 'remote' or 'host'"))
        }),
        "set_cwd" if member("path").as_str().is_none_or(str::is_empty) => {
            wrong("path", "a string that is not empty")
        }
        "set_cwd"
            if member("trust_accepted") == true && !member("trusted_directory").is_string() =>
        {
            Some(format!(
                "{subtype}: trust_accepted is of use with trusted_directory only"
            ))
        }
        "set_has_subscribers" => {
            let value = request.get("has_subscribers");
            let is_fine = value.is_some_and(|it| it.is_null() || it.is_boolean());
            (!is_fine).then(|| format!("{subtype}: has_subscribers must be true, false or null"))
        }
        "set_max_thinking_tokens" => {
            let tokens = member("max_thinking_tokens");
            let is_fine = (tokens.is_null() || tokens.is_i64() || tokens.is_u64())
                && (member("thinking_display").is_null()
                    || is_one_of("thinking_display", &["summarized", "omitted", "highlights"]));
            (!is_fine).then(|| {
                format!(
                    "{subtype}: max_thinking_tokens must be an integer or null, and \
                     thinking_display \"summarized\", \"omitted\", \"highlights\" or null"
                )
            })
        }
        "set_mcp_permission_mode_override" => text(subtype, request, "serverName").or_else(|| {
            let mode = request.get("mode");
            let is_fine = mode.is_some_and(|mode| mode.is_null() || is_mode(mode));
            (!is_fine).then(|| "The permission mode is not one of the CLI's.".to_owned())
        }),
        _ => None,
    }
}

/// The complaint about a member that must be a text.
fn text(subtype: &str, request: &Value, member: &str) -> Option<String> {
    (!request[member].is_string()).then(|| format!("{subtype}: {member} must be a string"))
}

/// Whether a member has the type that it must have, if it is there.
fn is_absent_or(request: &Value, member: &str, is_fine: fn(&Value) -> bool) -> bool {
    (request.get(member).filter(|it| !it.is_null())).is_none_or(is_fine)
}

/// Whether JavaScript takes a value for true.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Whether the name of a model or a title is none.
pub(super) fn is_blank(name: &str) -> bool {
    name.trim().is_empty()
}

fn is_list_of_plugins(list: &Value) -> bool {
    let is_plugin = |it: &Value| {
        let path = it["path"].as_str();
        it["type"] == "local" && path.is_some_and(|it| Path::new(it).is_absolute())
    };
    list.as_array()
        .is_some_and(|list| list.iter().all(is_plugin))
}

/// The complaint about settings whose values the CLI does not take: all are
/// refused then, those that are fine too. Only some settings are known here.
fn invalid(settings: &Map<String, Value>) -> Option<String> {
    let is_wrong = |(name, value): &(&String, &Value)| !is_setting(name, value);
    let wrong: Vec<_> = settings.iter().filter(is_wrong).map(|it| &**it.0).collect();
    (!wrong.is_empty()).then(|| {
        let wrong = wrong.join(", ");
        format!("apply_flag_settings: nothing was applied; these settings are not valid: {wrong}")
    })
}

fn is_setting(name: &str, value: &Value) -> bool {
    if value.is_null() {
        return true;
    }
    match name {
        "model" | "outputStyle" | "language" | "apiKeyHelper" => value.is_string(),
        "includeCoAuthoredBy" | "alwaysThinkingEnabled" | "disableAllHooks" => value.is_boolean(),
        "cleanupPeriodDays" => value.is_u64(),
        "env" => value.is_object(),
        "permissions" => {
            let is_list = |name: &&str| value.get(name).is_none_or(Value::is_array);
            let lists = ["allow", "deny", "ask", "additionalDirectories"];
            value.is_object()
                && lists.iter().all(is_list)
                && value.get("defaultMode").is_none_or(is_mode)
        }
        _ => true,
    }
}

fn is_mode(value: &Value) -> bool {
    let mode = value.as_str().map(PermissionMode::from);
    mode.is_some_and(|mode| !matches!(mode, PermissionMode::Unknown(_)))
}
