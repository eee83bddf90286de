//! Tools, and who decides about them.

use super::{Set, set};
use agentwire::options::{PermissionPrompts, QuestionPreview};
use agentwire::protocol::permission::PermissionMode;
use agentwire::{Options, PermissionResult};
use serde_json::json;

pub(super) fn sets() -> Vec<Set> {
    vec![
        set("tools", json!({ "tools": ["Read", "Bash"] }), |options| {
            options.tools(["Read", "Bash"])
        }),
        set("no tools", json!({ "tools": [] }), |options| {
            options.tools([])
        }),
        set(
            "preset tools",
            json!({ "tools": { "type": "preset", "preset": "claude_code" } }),
            Options::default_tools,
        ),
        set(
            "allowed and disallowed",
            json!({
                "allowedTools": ["Read", "Bash(git log:*)"],
                "disallowedTools": ["WebFetch", "Bash(rm *)"],
            }),
            |options| {
                options
                    .allowed_tools(["Read", "Bash(git log:*)"])
                    .disallowed_tools(["WebFetch", "Bash(rm *)"])
            },
        ),
        set(
            "nothing allowed or disallowed",
            json!({ "allowedTools": [], "disallowedTools": [] }),
            |options| options.allowed_tools([]).disallowed_tools([]),
        ),
        set(
            "aliases",
            json!({ "toolAliases": { "Bash": "mcp__box__bash" } }),
            |options| options.tool_aliases([("Bash", "mcp__box__bash")]),
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
                    .allowed_tools(["Read(./**)"])
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
                options
                    .plan_mode_instructions("Write three lines.")
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
                    .allow_bypassing_permissions(true)
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
            |options| options.permission_prompt_tool("mcp__desk__ask"),
        ),
        set(
            "prompts for nobody",
            json!({ "permissionPrompts": "none", "canUseTool": "$function" }),
            |options| {
                options
                    .permission_prompts(PermissionPrompts::Nobody)
                    .on_permission(|_| async { PermissionResult::allow() })
            },
        ),
        set(
            "sandbox",
            json!({
                "sandbox": { "enabled": true, "autoAllowBashIfSandboxed": true },
                "settingsDelivery": "initialize",
            }),
            |options| options.sandbox(json!({ "enabled": true, "autoAllowBashIfSandboxed": true })),
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
                "settingsDelivery": "initialize",
            }),
            |options| {
                let below = json!({
                    "failIfUnavailable": false,
                    "network": { "httpProxyPort": 8080, "allowLocalBinding": true },
                });
                options
                    .sandbox(json!({
                        "enabled": true, "network": { "allowedDomains": ["example.org"] },
                    }))
                    .settings(json!({ "model": "haiku", "sandbox": below }))
            },
        ),
        set(
            "sandbox, settings that forbid",
            json!({
                "sandbox": {
                    "filesystem": { "denyRead": ["/etc"], "allowWrite": ["/a"] },
                    "network": { "deniedDomains": ["a.org", "b.org"] },
                    "credentials": { "files": [{ "path": "~/.key", "mode": "deny" }] },
                },
                "settings": { "sandbox": {
                    "enabled": true,
                    "filesystem": {
                        "disabled": true, "denyRead": ["/c"], "allowWrite": ["/b"],
                    },
                    "network": { "deniedDomains": ["b.org"], "socksProxyPort": 1 },
                    "credentials": { "files": [{ "path": "~/.key", "mode": "mask" }] },
                } },
                "settingsDelivery": "initialize",
            }),
            |options| {
                options
                    .sandbox(json!({
                        "filesystem": { "denyRead": ["/etc"], "allowWrite": ["/a"] },
                        "network": { "deniedDomains": ["a.org", "b.org"] },
                        "credentials": { "files": [{ "path": "~/.key", "mode": "deny" }] },
                    }))
                    .settings(json!({ "sandbox": {
                        "enabled": true,
                        "filesystem": {
                            "disabled": true, "denyRead": ["/c"], "allowWrite": ["/b"],
                        },
                        "network": { "deniedDomains": ["b.org"], "socksProxyPort": 1 },
                        "credentials": { "files": [{ "path": "~/.key", "mode": "mask" }] },
                    } }))
            },
        ),
        set(
            "how questions are asked",
            json!({ "toolConfig": { "askUserQuestion": { "previewFormat": "html" } } }),
            |options| options.question_preview(QuestionPreview::Html),
        ),
    ]
}
