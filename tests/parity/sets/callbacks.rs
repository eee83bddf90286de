//! What the agent asks.

use super::{Set, set};
use agentwire::hook::HookCall;
use agentwire::mcp::Tools;
use agentwire::protocol::dialog::UserDialogResult;
use agentwire::protocol::hook::{PostToolUse, PreToolUse, Stop};
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::{Hook, PermissionResult};
use serde_json::json;
use std::time::Duration;

fn before() -> Hook {
    Hook::new(|_: HookCall<PreToolUse>| async {})
}

pub(super) fn sets() -> Vec<Set> {
    vec![
        set(
            "hook",
            json!({ "hooks": { "PreToolUse": [{ "hooks": ["$function"] }] } }),
            |options| options.hook(before()),
        ),
        set(
            "hooks",
            json!({ "hooks": {
                "PreToolUse": [
                    { "matcher": "Bash", "timeout": 5, "hooks": ["$function", "$function"] },
                    { "matcher": "Edit|Write", "hooks": ["$function"] },
                ],
                "PostToolUse": [{ "hooks": ["$function"] }],
                "Stop": [{ "hooks": ["$function"] }],
            } }),
            |options| {
                let bash = || before().matcher("Bash").timeout(Duration::from_secs(5));
                options
                    .hook(Hook::new(|_: HookCall<Stop>| async {}))
                    .hook(bash())
                    .hook(before().matcher("Edit|Write"))
                    .hook(Hook::new(|_: HookCall<PostToolUse>| async {}))
                    .hook(bash())
            },
        ),
        set(
            "gate",
            json!({ "hooks": { "PreToolUse": [{ "hooks": ["$function"], "onFailure": "block" }] } }),
            |options| options.hook(before().gate()),
        ),
        set("no hooks", json!({ "hooks": {} }), |options| options),
        set(
            "hooks, permission callback, plan",
            json!({
                "hooks": { "PreToolUse": [{ "hooks": ["$function"] }] },
                "canUseTool": "$function",
                "permissionMode": "plan",
            }),
            |options| {
                options
                    .hook(before())
                    .on_permission(|_| async { PermissionResult::allow() })
                    .permission_mode("plan".into())
            },
        ),
        set(
            "elicitations",
            json!({ "onElicitation": "$function" }),
            |options| options.on_elicitation(|_| async { McpElicitationResult::decline() }),
        ),
        set(
            "dialogs",
            json!({
                "onUserDialog": "$function",
                "supportedDialogKinds": ["a_dialog", "refusal_fallback_prompt"],
            }),
            |options| {
                options
                    .on_dialog("refusal_fallback_prompt", |_| async {
                        UserDialogResult::cancelled()
                    })
                    .on_dialog("a_dialog", |_| async { UserDialogResult::cancelled() })
            },
        ),
        set(
            "dialogs of no kind",
            json!({ "onUserDialog": "$function" }),
            |options| options,
        ),
        set(
            "server in the host",
            json!({ "mcpServers": { "calc": "$server" } }),
            |options| options.mcp_server("calc", Tools::new()),
        ),
        set(
            "standard error",
            json!({ "stderr": "$function" }),
            |options| options.on_stderr(|_| {}),
        ),
    ]
}
