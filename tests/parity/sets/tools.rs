//! Sets of options about tools and permissions.

use super::Set;
use agentwire::options::{PermissionPrompts, QuestionPreview};
use agentwire::protocol::permission::PermissionMode;
use agentwire::{Options, PermissionResult};
use serde_json::json;

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "tools": { "tools": ["Read", "Bash"] } => |it| it.tools(["Read", "Bash"]);
        "no tools": { "tools": [] } => |it| it.tools([]);
        "preset tools": { "tools": { "type": "preset", "preset": "claude_code" } }
            => Options::default_tools;
        "allowed and disallowed": {
            "allowedTools": ["Read", "Bash(git log:*)"],
            "disallowedTools": ["WebFetch", "Bash(rm *)"],
        } => |it| it.allowed_tools(["Read", "Bash(git log:*)"])
            .disallowed_tools(["WebFetch", "Bash(rm *)"]);
        "nothing allowed or disallowed": { "allowedTools": [], "disallowedTools": [] }
            => |it| it.allowed_tools([]).disallowed_tools([]);
        "aliases": { "toolAliases": { "Bash": "mcp__box__bash" } }
            => |it| it.tool_aliases([("Bash", "mcp__box__bash")]);
        "permission callback": { "canUseTool": "$function" }
            => |it| it.on_permission(|_| async { PermissionResult::allow() });
        "permission callback, default mode": { "canUseTool": "$function", "permissionMode": "default" }
            => |it| it.on_permission(|_| async { PermissionResult::allow() })
                .permission_mode(PermissionMode::Default);
        "permission callback, allowed tools": { "canUseTool": "$function", "allowedTools": ["Read(./**)"] }
            => |it| it.on_permission(|_| async { PermissionResult::allow() })
                .allowed_tools(["Read(./**)"]);
        "questions and plans": { "canUseTool": "$function" }
            => |it| it.on_question(|_| async { PermissionResult::allow() })
                .on_plan(|_| async { PermissionResult::allow() });
        "plan": { "permissionMode": "plan" } => |it| it.permission_mode(PermissionMode::Plan);
        "plan with instructions": { "permissionMode": "plan", "planModeInstructions": "Write three lines." }
            => |it| it.plan_mode_instructions("Write three lines.")
                .permission_mode(PermissionMode::Plan);
        "accept edits": { "permissionMode": "acceptEdits" }
            => |it| it.permission_mode(PermissionMode::AcceptEdits);
        "auto": { "permissionMode": "auto" } => |it| it.permission_mode("auto".into());
        "ask nobody": { "permissionMode": "dontAsk" }
            => |it| it.permission_mode(PermissionMode::DontAsk);
        "bypass": { "permissionMode": "bypassPermissions", "allowDangerouslySkipPermissions": true }
            => |it| it.permission_mode(PermissionMode::BypassPermissions)
                .allow_bypassing_permissions(true);
        "bypass, not said to be meant": { "permissionMode": "bypassPermissions" }
            => |it| it.permission_mode(PermissionMode::BypassPermissions);
        "permission tool": { "permissionPromptToolName": "mcp__desk__ask" }
            => |it| it.permission_prompt_tool("mcp__desk__ask");
        "prompts for nobody": { "permissionPrompts": "none", "canUseTool": "$function" }
            => |it| it.permission_prompts(PermissionPrompts::Nobody)
                .on_permission(|_| async { PermissionResult::allow() });
        "sandbox": {
            "sandbox": { "enabled": true, "autoAllowBashIfSandboxed": true },
            "settingsDelivery": "initialize",
        } => |it| it.sandbox(json!({ "enabled": true, "autoAllowBashIfSandboxed": true }));
        "sandbox, settings": {
            "sandbox": { "enabled": true, "network": { "allowedDomains": ["example.org"] } },
            "settings": {
                "model": "haiku",
                "sandbox": {
                    "failIfUnavailable": false,
                    "network": { "httpProxyPort": 8080, "allowLocalBinding": true },
                },
            },
            "settingsDelivery": "initialize",
        } => |it| {
            let below = json!({
                "failIfUnavailable": false,
                "network": { "httpProxyPort": 8080, "allowLocalBinding": true },
            });
            it
                .sandbox(json!({
                    "enabled": true, "network": { "allowedDomains": ["example.org"] },
                }))
                .settings(json!({ "model": "haiku", "sandbox": below }))
        };
        "sandbox, settings that forbid": {
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
        } => |it| it.sandbox(json!({
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
            } }));
        "how questions are asked": { "toolConfig": { "askUserQuestion": { "previewFormat": "html" } } }
            => |it| it.question_preview(QuestionPreview::Html);
    }
}
