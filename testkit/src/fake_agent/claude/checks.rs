//! Validates the members of control requests as the CLI does. For many of them
//! `null` counts as absent, and some flags follow JavaScript's truthiness.

use agentwire_protocol::permission::PermissionMode;
use serde_json::{Map, Value};
use std::path::Path;

/// Returns the error for a request with invalid members.
pub(super) fn error(subtype: &str, request: &Value) -> Option<String> {
    let member = |name: &str| request.get(name).unwrap_or(&Value::Null);
    let is_one_of = |name: &str, values: &[&str]| {
        let value = member(name).as_str();
        value.is_some_and(|it| values.contains(&it))
    };
    let invalid_member = |name: &str, what: &str| Some(format!("{subtype}: {name} must be {what}"));
    match subtype {
        "apply_flag_settings" | "update_settings" => match member("settings") {
            Value::Object(settings) if subtype == "apply_flag_settings" => settings_error(settings),
            Value::Object(_) => None,
            _ => invalid_member("settings", "an object"),
        },
        "background_tasks" if !is_absent_or(request, "tool_use_id", Value::is_string) => {
            invalid_member("tool_use_id", "a string")
        }
        "generate_session_title" => require_string(subtype, request, "description"),
        "get_context_usage" => {
            let is_valid = member("detail").is_null() || is_one_of("detail", &["summary", "full"]);
            (!is_valid).then(|| format!("{subtype}: detail must be 'summary' or 'full'"))
        }
        "get_task_output" | "stop_task" => require_string(subtype, request, "task_id"),
        "get_usage" if !is_absent_or(request, "skip_behaviors", Value::is_boolean) => {
            invalid_member("skip_behaviors", "a boolean")
        }
        "mcp_call" => require_string(subtype, request, "tool"),
        "mcp_reconnect" => require_string(subtype, request, "serverName"),
        "mcp_read_resource" => require_string(subtype, request, "serverName").or_else(|| {
            let is_ui = member("uri")
                .as_str()
                .is_some_and(|it| it.starts_with("ui://"));
            (!is_ui).then(|| format!("{subtype}: uri must begin with ui://"))
        }),
        "message_rated" => {
            let is_valid = member("messageUuid").is_string()
                && is_one_of("sentiment", &["positive", "negative"])
                && is_one_of("surface", &["tool_use", "assistant_text"])
                && member("cleared").is_boolean();
            (!is_valid).then(|| {
                format!(
                    "{subtype}: messageUuid must be a string, sentiment \"positive\" or \
                     \"negative\", surface \"tool_use\" or \"assistant_text\", and cleared a \
                     boolean"
                )
            })
        }
        "reload_plugins" if !is_absent_or(request, "add_plugins", is_list_of_plugins) => {
            invalid_member("add_plugins", "a list of local plugins with absolute paths")
        }
        "rename_session" => require_string(subtype, request, "title").or_else(|| {
            if member("title").as_str().is_some_and(is_blank) {
                return Some("The title must not be empty.".to_owned());
            }
            let is_valid = member("source").is_null() || is_one_of("source", &["remote", "host"]);
            (!is_valid).then(|| format!("{subtype}: source must be 'remote' or 'host'"))
        }),
        "set_cwd" if member("path").as_str().is_none_or(str::is_empty) => {
            invalid_member("path", "a string that is not empty")
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
            let is_valid = value.is_some_and(|it| it.is_null() || it.is_boolean());
            (!is_valid).then(|| format!("{subtype}: has_subscribers must be true, false or null"))
        }
        "set_max_thinking_tokens" => {
            let tokens = member("max_thinking_tokens");
            let is_valid = (tokens.is_null() || tokens.is_i64() || tokens.is_u64())
                && (member("thinking_display").is_null()
                    || is_one_of("thinking_display", &["summarized", "omitted", "highlights"]));
            (!is_valid).then(|| {
                format!(
                    "{subtype}: max_thinking_tokens must be an integer or null, and \
                     thinking_display \"summarized\", \"omitted\", \"highlights\" or null"
                )
            })
        }
        "set_mcp_permission_mode_override" => require_string(subtype, request, "serverName")
            .or_else(|| {
                let mode = request.get("mode");
                let is_valid = mode.is_some_and(|mode| mode.is_null() || is_mode(mode));
                (!is_valid).then(|| "The permission mode is not one of the CLI's.".to_owned())
            }),
        _ => None,
    }
}

/// Returns the error for a member that must be a string.
fn require_string(subtype: &str, request: &Value, member: &str) -> Option<String> {
    (!request[member].is_string()).then(|| format!("{subtype}: {member} must be a string"))
}

/// Returns whether an optional member is absent or valid.
fn is_absent_or(request: &Value, member: &str, is_valid: fn(&Value) -> bool) -> bool {
    (request.get(member).filter(|it| !it.is_null())).is_none_or(is_valid)
}

/// Returns whether a value is truthy in JavaScript.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Returns whether a model name or a title is blank.
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

/// Returns the error for settings with invalid values. The CLI then applies no
/// setting. Only some settings are validated here.
fn settings_error(settings: &Map<String, Value>) -> Option<String> {
    let is_invalid = |(name, value): &(&String, &Value)| !is_setting(name, value);
    let invalid_member: Vec<_> = settings
        .iter()
        .filter(is_invalid)
        .map(|it| &**it.0)
        .collect();
    (!invalid_member.is_empty()).then(|| {
        let invalid_member = invalid_member.join(", ");
        format!("apply_flag_settings: nothing was applied; these settings are not valid: {invalid_member}")
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
