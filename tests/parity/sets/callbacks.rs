//! Sets of options with callbacks.

use super::Set;
use agentwire::hook::HookCall;
use agentwire::mcp::Tools;
use agentwire::protocol::dialog::UserDialogResult;
use agentwire::protocol::hook::{PostToolUse, PreToolUse, Stop};
use agentwire::protocol::mcp::McpElicitationResult;
use agentwire::{Hook, PermissionResult};
use std::time::Duration;

fn before() -> Hook {
    Hook::new(|_: HookCall<PreToolUse>| async {})
}

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "hook": { "hooks": { "PreToolUse": [{ "hooks": ["$function"] }] } }
            => |it| it.hook(before());
        "hooks": { "hooks": {
            "PreToolUse": [
                { "matcher": "Bash", "timeout": 5, "hooks": ["$function", "$function"] },
                { "matcher": "Edit|Write", "hooks": ["$function"] },
            ],
            "PostToolUse": [{ "hooks": ["$function"] }],
            "Stop": [{ "hooks": ["$function"] }],
        } } => |it| {
            let bash = || before().matcher("Bash").timeout(Duration::from_secs(5));
            it
                .hook(Hook::new(|_: HookCall<Stop>| async {}))
                .hook(bash())
                .hook(before().matcher("Edit|Write"))
                .hook(Hook::new(|_: HookCall<PostToolUse>| async {}))
                .hook(bash())
        };
        "gate": { "hooks": { "PreToolUse": [{ "hooks": ["$function"], "onFailure": "block" }] } }
            => |it| it.hook(before().gate());
        "no hooks": { "hooks": {} } => |it| it;
        "hooks, permission callback, plan": {
            "hooks": { "PreToolUse": [{ "hooks": ["$function"] }] },
            "canUseTool": "$function",
            "permissionMode": "plan",
        } => |it| it.hook(before())
            .on_permission(|_| async { PermissionResult::allow() })
            .permission_mode("plan".into());
        "elicitations": { "onElicitation": "$function" }
            => |it| it.on_elicitation(|_| async { McpElicitationResult::decline() });
        "dialogs": {
            "onUserDialog": "$function",
            "supportedDialogKinds": ["a_dialog", "refusal_fallback_prompt"],
        } => |it| it.on_dialog("refusal_fallback_prompt", |_| async {
                UserDialogResult::cancelled()
            })
            .on_dialog("a_dialog", |_| async { UserDialogResult::cancelled() });
        "dialogs of no kind": { "onUserDialog": "$function" } => |it| it;
        "server in the host": { "mcpServers": { "calc": "$server" } }
            => |it| it.mcp_server("calc", Tools::new());
        "standard error": { "stderr": "$function" } => |it| it.on_stderr(|_| {});
    }
}
