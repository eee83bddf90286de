//! Rewrites the agent's lines as older versions of the CLI write them. The
//! differences were measured with the same sessions on each version.
//!
//! The agent writes the lines of the newest version. Lines and members that an
//! older version does not have are removed.

use crate::agent::Profile;
use agentwire_protocol::{Json, Members};
use bytes::Bytes;
use serde_json::{Value, json};

/// The differences of an older version from the newest one.
#[derive(Debug)]
pub(super) struct OlderVersion {
    /// Lines that the older version does not write, by type and subtype.
    lines: &'static [&'static str],
    /// Members that the older version does not write. The key is the type, or
    /// the type and subtype, of the line; the values are paths.
    members: &'static [(&'static str, &'static [&'static str])],
    /// Applies the other differences to a line.
    change: fn(&mut Value),
}

const V2_1_197: OlderVersion = OlderVersion {
    lines: &[
        "command_lifecycle",
        "conversation_reset",
        "system/background_tasks_changed",
    ],
    members: &[
        (
            "assistant",
            &[
                "api_error_status",
                "api_error_type",
                "is_api_error_message",
                "message.diagnostics",
                "thinking_display",
                "thinking_duration_ms",
                "timestamp",
                "user_message_uuid",
                "user_message_uuids",
            ],
        ),
        (
            "control_response",
            &[
                "response.error_code",
                "response.pending_permission_requests",
                "response.pending_user_dialog_requests",
                "response.response.analytics_disabled",
                "response.response.capabilities",
                "response.response.claude_code_version",
                "response.response.current_permission_mode",
                "response.response.fast_mode_disabled_reason",
                "response.response.fast_mode_state",
                "response.response.feedback_mode",
                "response.response.hook_on_failure_supported",
                "response.response.hooks_applied",
                "response.response.hooks_when_unanswered_kept",
                "response.response.ide_rc_auto_enable_gate",
                "response.response.other_hook_ask_outranks_host",
                "response.response.remote_control_auto_connect_default",
                "response.response.remote_control_auto_enable",
                "response.response.remote_control_auto_on_by_default",
                "response.response.remote_control_available",
                "response.response.sandbox_enabled",
                "response.response.session_state",
                "response.response.user_output_styles_dir",
            ],
        ),
        (
            "result",
            &[
                "api_error_type",
                "begun_message_ids",
                "fast_mode_disabled_reason",
                "first_content_frame_ms",
                "first_request_cache_read_input_tokens",
                "first_request_input_tokens",
                "model_usage_since_last_result",
                "origin.producer",
                "origin.runId",
                "queued_turn_count",
                "request_sent_wall_ms",
                "result_index",
                "safety_stops",
                "subagent_stats",
                "usage.fallback_credit",
                "usage.output_tokens_details",
                "user_message_uuid",
                "user_message_uuids",
            ],
        ),
        (
            "stream_event",
            &[
                "abandoned_blocks",
                "api_message_id",
                "owed_rows",
                "thinking_display",
                "user_message_uuid",
                "user_message_uuids",
            ],
        ),
        (
            "system/init",
            &[
                "additional_directories",
                "capabilities",
                "fast_mode_disabled_reason",
                "messaging_socket_path",
                "original_cwd",
                "per_turn_effort_active",
                "sandbox_enabled",
                "served_by_anthropic",
                "terminal_slash_commands",
                "ultrathink_available",
                "ultrathink_typed_raises",
                "view_mode",
            ],
        ),
        (
            "system",
            &[
                "is_backgrounded",
                "run_id",
                "sdk_host_only",
                "user_message_uuid",
                "user_message_uuids",
            ],
        ),
        ("user", &["refusal_retry", "tool_result_meta"]),
    ],
    change: |line| {
        if line["type"] == "result" && line["terminal_reason"] == "api_error" {
            line["terminal_reason"] = "completed".into();
        }
        take_plugins(line);
    },
};

const V2_0_77: OlderVersion = OlderVersion {
    lines: &[
        "command_lifecycle",
        "conversation_reset",
        "system/api_retry",
        "system/background_tasks_changed",
        "system/session_state_changed",
        "system/status",
        "system/task_notification",
        "system/task_progress",
        "system/task_started",
        "system/task_updated",
        "system/thinking_tokens",
    ],
    members: &[
        V2_1_197.members[0],
        V2_1_197.members[1],
        V2_1_197.members[2],
        V2_1_197.members[3],
        V2_1_197.members[4],
        V2_1_197.members[6],
        ("assistant", &["message.stop_details"]),
        (
            "control_request",
            &["request.description", "request.display_name"],
        ),
        (
            "control_response",
            &["response.response.agents", "response.response.pid"],
        ),
        (
            "result",
            &[
                "api_error_status",
                "fast_mode_state",
                "origin",
                "stop_reason",
                "terminal_reason",
                "time_to_request_ms",
                "ttft_ms",
                "ttft_stream_ms",
                "usage.inference_geo",
                "usage.iterations",
                "usage.speed",
            ],
        ),
        ("stream_event", &["ttft_ms"]),
        (
            "system/init",
            &[
                "analytics_disabled",
                "fast_mode_state",
                "memory_paths",
                "product_feedback_disabled",
            ],
        ),
        (
            "user",
            &["isReplay", "timestamp", "tool_use_result.noOutputExpected"],
        ),
    ],
    change: |line| {
        if line["type"] == "result" && line["subtype"] == "error_during_execution" {
            line["is_error"] = false.into();
        }
        take_plugins(line);
    },
};

/// Removes the built-in plugins, which older versions do not have.
fn take_plugins(line: &mut Value) {
    for list in ["/plugins", "/response/response/plugins"] {
        if let Some(plugins) = line.pointer_mut(list) {
            *plugins = json!([]);
        }
    }
}

impl OlderVersion {
    /// Returns the differences of a version. `None` for the newest version.
    pub(super) fn of(profile: Profile) -> Option<&'static Self> {
        match profile {
            Profile::V2_1_197 => Some(&V2_1_197),
            Profile::V2_0_77 => Some(&V2_0_77),
            _ => None,
        }
    }

    /// Returns a line as the older version writes it, or `None` if that version
    /// does not write the line.
    pub(super) fn line(&self, line: Bytes) -> Option<Bytes> {
        let Ok(mut value) = serde_json::from_slice::<Value>(&line) else {
            return Some(line);
        };
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        let subtype = value["subtype"].as_str().unwrap_or_default();
        let whole = format!("{kind}/{subtype}");
        let is_lacking = self.lines.iter().any(|it| *it == kind || *it == whole);
        if is_lacking || is_end_of_cut_off(&value) {
            return None;
        }
        for (of, members) in self.members {
            if *of == kind || *of == whole {
                members.iter().for_each(|path| remove(&mut value, path));
            }
        }
        (self.change)(&mut value);
        let before = Json::of_text(String::from_utf8_lossy(&line).trim_end());
        Some(format!("{}\n", as_written(&before, &value)).into())
    }
}

/// Returns whether a line ends the stream of a reply that was cut off. Only the
/// newest version writes such lines.
fn is_end_of_cut_off(line: &Value) -> bool {
    let event = &line["event"];
    event["type"] == "message_delta" && event["delta"]["stop_reason"].is_null()
        || line.get("abandoned_blocks").is_some()
}

/// Serializes a value that may have been changed. Unchanged parts keep their
/// spelling, and members keep their order.
fn as_written(before: &Json, now: &Value) -> String {
    if before.to_value().is_ok_and(|before| before == *now) {
        return before.get().to_owned();
    }
    if let (Value::Array(items), Ok(old)) = (now, before.read::<Vec<Json>>())
        && items.len() == old.len()
    {
        let items = old.iter().zip(items).map(|(old, now)| as_written(old, now));
        return format!("[{}]", items.collect::<Vec<_>>().join(","));
    }
    let (Value::Object(members), Ok(old)) = (now, before.read::<Members>()) else {
        return now.to_string();
    };
    let kept = old.iter().filter_map(|(name, before)| {
        let now = members.get(name)?;
        Some((name, as_written(before, now)))
    });
    let new = members.iter().filter(|(name, _)| old.get(name).is_none());
    let new = new.map(|(name, now)| (name.as_str(), now.to_string()));
    let written = kept.chain(new);
    let written = written.map(|(name, value)| format!("{}:{value}", json!(name)));
    format!("{{{}}}", written.collect::<Vec<_>>().join(","))
}

/// Removes the member at a path.
fn remove(value: &mut Value, path: &str) {
    let (parents, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut parents = parents.split('.').filter(|it| !it.is_empty());
    let parent = parents.try_fold(value, |value, name| value.get_mut(name));
    if let Some(Value::Object(members)) = parent {
        members.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(profile: Profile, line: &Value) -> Option<Value> {
        let line = OlderVersion::of(profile).and_then(|it| it.line(format!("{line}\n").into()));
        line.map(|line| serde_json::from_slice(&line).expect("it is JSON"))
    }

    #[test]
    fn a_version_lacks_lines_and_members_that_came_later() {
        let lifecycle = json!({"type": "command_lifecycle", "state": "queued"});
        assert_eq!(line(Profile::V2_1_197, &lifecycle), None);
        let result = json!({"type": "result", "subtype": "success", "result_index": 0,
            "usage": {"input_tokens": 1, "fallback_credit": null}, "terminal_reason": "api_error"});
        let expected = json!({"type": "result", "subtype": "success",
            "usage": {"input_tokens": 1}, "terminal_reason": "completed"});
        assert_eq!(line(Profile::V2_1_197, &result), Some(expected));
        let status = json!({"type": "system", "subtype": "status", "status": "requesting"});
        assert_eq!(line(Profile::V2_1_197, &status), Some(status.clone()));
        assert_eq!(line(Profile::V2_0_77, &status), None);
    }

    #[test]
    fn members_keep_their_order_and_spelling() {
        let older = OlderVersion::of(Profile::V2_1_197).expect("an older version");
        let line = concat!(
            r#"{"type":"assistant","message":{"role":"assistant","diagnostics":null,"#,
            r#""content":[{"type":"tool_use","input":{"z":1.50,"a":"\u00e9"}}]},"#,
            r#""timestamp":"now","parent_tool_use_id":null}"#,
            "\n"
        );
        let expected = line.replace(r#""diagnostics":null,"#, "");
        let expected = expected.replace(r#""timestamp":"now","#, "");
        let written = older.line(line.into()).expect("it is written");
        assert_eq!(written, expected);
    }

    #[test]
    fn an_item_that_is_changed_leaves_the_others_as_they_are() {
        let before = r#"{"items":[{"b":1,"a":1.50},{"d":1,"c":{"z":1,"y":2}}]}"#;
        let now = json!({"items": [{"b": 1, "a": 1.5}, {"c": {"z": 1, "y": 2}}]});
        assert_eq!(
            as_written(&Json::of_text(before), &now),
            before.replace(r#""d":1,"#, "")
        );
    }

    #[test]
    fn only_the_newest_version_ends_the_stream_of_a_reply_that_was_cut_off() {
        let stop = json!({"type": "stream_event", "event": {"type": "message_stop"}});
        let mut cut_off = stop.clone();
        cut_off["abandoned_blocks"] = json!({"from_block_index": 1});
        assert_eq!(line(Profile::V2_1_197, &stop), Some(stop));
        assert_eq!(line(Profile::V2_1_197, &cut_off), None);
    }
}
