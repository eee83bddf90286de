//! Tools, and who decides about them.

use super::{Set, introduce, set};
use agentwire::PermissionResult;
use agentwire::protocol::permission::PermissionMode;
use serde_json::json;

pub(super) fn sets() -> Vec<Set> {
    vec![
        set("tools", json!({ "tools": ["Read", "Bash"] }), |options| {
            options.flag_value("--tools", "Read,Bash")
        }),
        set("no tools", json!({ "tools": [] }), |options| {
            options.flag_value("--tools", "")
        }),
        set(
            "preset tools",
            json!({ "tools": { "type": "preset", "preset": "claude_code" } }),
            |options| options.flag_value("--tools", "default"),
        ),
        set(
            "allowed and disallowed",
            json!({
                "allowedTools": ["Read", "Bash(git log:*)"],
                "disallowedTools": ["WebFetch", "Bash(rm *)"],
            }),
            |options| {
                options
                    .flag_value("--allowedTools", "Read,Bash(git log:*)")
                    .flag_value("--disallowedTools", "WebFetch,Bash(rm *)")
            },
        ),
        set(
            "nothing allowed or disallowed",
            json!({ "allowedTools": [], "disallowedTools": [] }),
            |options| options,
        ),
        set(
            "aliases",
            json!({ "toolAliases": { "Bash": "mcp__box__bash" } }),
            |options| {
                introduce(options, |request| {
                    request.tool_aliases =
                        Some([("Bash".to_owned(), "mcp__box__bash".to_owned())].into());
                })
            },
        ),
        set(
            "permission callback",
            json!({ "canUseTool": "$function" }),
            |options| options.on_permission(|_| async { PermissionResult::allow() }),
        ),
        set(
            "permission callback, default mode",
            json!({ "canUseTool": "$function", "permissionMode": "default" }),
            |options| {
                options
                    .on_permission(|_| async { PermissionResult::allow() })
                    .permission_mode(PermissionMode::Default)
            },
        ),
        set(
            "permission callback, allowed tools",
            json!({ "canUseTool": "$function", "allowedTools": ["Read(./**)"] }),
            |options| {
                options
                    .on_permission(|_| async { PermissionResult::allow() })
                    .flag_value("--allowedTools", "Read(./**)")
            },
        ),
        set(
            "questions and plans",
            json!({ "canUseTool": "$function" }),
            |options| {
                options
                    .on_question(|_| async { PermissionResult::allow() })
                    .on_plan(|_| async { PermissionResult::allow() })
            },
        ),
        set("plan", json!({ "permissionMode": "plan" }), |options| {
            options.permission_mode(PermissionMode::Plan)
        }),
        set(
            "plan with instructions",
            json!({ "permissionMode": "plan", "planModeInstructions": "Write three lines." }),
            |options| {
                introduce(options, |request| {
                    request.plan_mode_instructions = Some("Write three lines.".to_owned());
                })
                .permission_mode(PermissionMode::Plan)
            },
        ),
        set(
            "accept edits",
            json!({ "permissionMode": "acceptEdits" }),
            |options| options.permission_mode(PermissionMode::AcceptEdits),
        ),
        set("auto", json!({ "permissionMode": "auto" }), |options| {
            options.permission_mode("auto".into())
        }),
        set(
            "ask nobody",
            json!({ "permissionMode": "dontAsk" }),
            |options| options.permission_mode(PermissionMode::DontAsk),
        ),
        set(
            "bypass",
            json!({
                "permissionMode": "bypassPermissions",
                "allowDangerouslySkipPermissions": true,
            }),
            |options| {
                options
                    .permission_mode(PermissionMode::BypassPermissions)
                    .flag("--allow-dangerously-skip-permissions")
            },
        ),
        set(
            "bypass, not said to be meant",
            json!({ "permissionMode": "bypassPermissions" }),
            |options| options.permission_mode(PermissionMode::BypassPermissions),
        ),
        set(
            "permission tool",
            json!({ "permissionPromptToolName": "mcp__desk__ask" }),
            |options| options.flag_value("--permission-prompt-tool", "mcp__desk__ask"),
        ),
        set(
            "prompts for nobody",
            json!({ "permissionPrompts": "none", "canUseTool": "$function" }),
            |options| {
                options
                    .flag_value("--permission-prompts", "none")
                    .on_permission(|_| async { PermissionResult::allow() })
            },
        ),
        set(
            "sandbox",
            json!({ "sandbox": { "enabled": true, "autoAllowBashIfSandboxed": true } }),
            |options| {
                let settings = json!({ "sandbox": {
                    "enabled": true,
                    "autoAllowBashIfSandboxed": true,
                    "failIfUnavailable": true,
                } });
                options.flag_value("--settings", settings.to_string())
            },
        ),
        set(
            "sandbox, settings",
            json!({
                "sandbox": { "enabled": true, "network": { "allowedDomains": ["example.org"] } },
                "settings": {
                    "model": "haiku",
                    "sandbox": {
                        "failIfUnavailable": false,
                        "network": { "httpProxyPort": 8080, "allowLocalBinding": true },
                    },
                },
            }),
            |options| {
                let settings = json!({
                    "model": "haiku",
                    "sandbox": {
                        "enabled": true,
                        "failIfUnavailable": false,
                        "network": {
                            "allowedDomains": ["example.org"],
                            "allowLocalBinding": true,
                        },
                    },
                });
                options.flag_value("--settings", settings.to_string())
            },
        ),
        set(
            "how questions are asked",
            json!({ "toolConfig": { "askUserQuestion": { "previewFormat": "html" } } }),
            |options| options.env("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", "html"),
        ),
    ]
}
