//! Hook matchers and hook outputs.

use super::writes;
use agentwire_protocol::hook::{
    AsyncOutput, CwdChangedOutput, ElicitationOutput, ElicitationResultOutput, FileChangedOutput,
    HookMatcher, HookOutput, MessageDisplayOutput, NotificationOutput, OnFailure,
    PermissionDeniedOutput, PermissionRequestOutput, PostModelSwitchOutput, PostToolBatchOutput,
    PostToolUseFailureOutput, PostToolUseOutput, PreModelSwitchOutput, PreSkillShellCommandOutput,
    PreToolUseOutput, SessionStartOutput, SetupOutput, SpecificOutput, StopOutput,
    SubagentStartOutput, SubagentStopOutput, SyncOutput, UserPromptExpansionOutput,
    UserPromptSubmitOutput, WorktreeCreateOutput,
};
use agentwire_protocol::permission::{PermissionDestination, PermissionMode, PermissionUpdate};
use serde_json::json;

#[test]
fn hook_matchers() {
    let matcher = || HookMatcher::new(["h"]);
    writes(matcher(), r#"{"hookCallbackIds":["h"]}"#);
    writes(
        matcher().matcher("Bash"),
        r#"{"matcher":"Bash","hookCallbackIds":["h"]}"#,
    );
    writes(
        matcher().timeout(5),
        r#"{"hookCallbackIds":["h"],"timeout":5}"#,
    );
    writes(
        matcher().on_failure(OnFailure::Block),
        r#"{"hookCallbackIds":["h"],"onFailure":"block"}"#,
    );
}

#[test]
fn hook_outputs() {
    writes(HookOutput::proceed(), "{}");
    writes(
        HookOutput::block("no"),
        r#"{"decision":"block","reason":"no"}"#,
    );
    writes(
        HookOutput::end_turn("enough"),
        r#"{"continue":false,"stopReason":"enough"}"#,
    );
    writes(HookOutput::detach(), r#"{"async":true}"#);
    writes(
        HookOutput::from(AsyncOutput::new().timeout(1500)),
        r#"{"async":true,"asyncTimeout":1500}"#,
    );
    let sync = SyncOutput::default;
    for (output, json) in [
        (
            SyncOutput::block("no").system_message("S"),
            r#"{"decision":"block","reason":"no","systemMessage":"S"}"#,
        ),
        (
            SyncOutput::end_turn("enough").suppress_output(),
            r#"{"continue":false,"stopReason":"enough","suppressOutput":true}"#,
        ),
        (
            sync().specific(StopOutput::default()),
            r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#,
        ),
    ] {
        writes(HookOutput::from(output), json);
    }
}

#[test]
fn what_hooks_of_one_event_can_say() {
    let path = ["/a"];
    let update =
        || PermissionUpdate::set_mode(PermissionMode::Plan, PermissionDestination::Session);
    let table: [(SpecificOutput, &str, &str); 29] = [
        (
            PreToolUseOutput::allow().into(),
            "PreToolUse",
            r#","permissionDecision":"allow""#,
        ),
        (
            PreToolUseOutput::allow_with(json!({ "a": 1 })).into(),
            "PreToolUse",
            r#","permissionDecision":"allow","updatedInput":{"a":1}"#,
        ),
        (
            PreToolUseOutput::deny("no").into(),
            "PreToolUse",
            r#","permissionDecision":"deny","permissionDecisionReason":"no""#,
        ),
        (
            PreToolUseOutput::ask().into(),
            "PreToolUse",
            r#","permissionDecision":"ask""#,
        ),
        (
            PreToolUseOutput::defer().into(),
            "PreToolUse",
            r#","permissionDecision":"defer""#,
        ),
        (
            PostToolUseOutput::default()
                .updated_tool_output("new")
                .into(),
            "PostToolUse",
            r#","updatedToolOutput":"new""#,
        ),
        (
            PermissionRequestOutput::allow(vec![]).into(),
            "PermissionRequest",
            r#","decision":{"behavior":"allow"}"#,
        ),
        (
            PermissionRequestOutput::allow(vec![update()]).into(),
            "PermissionRequest",
            r#","decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"plan","destination":"session"}]}"#,
        ),
        (
            PermissionRequestOutput::allow_with(json!({ "a": 1 })).into(),
            "PermissionRequest",
            r#","decision":{"behavior":"allow","updatedInput":{"a":1}}"#,
        ),
        (
            PermissionRequestOutput::deny("no").into(),
            "PermissionRequest",
            r#","decision":{"behavior":"deny","message":"no"}"#,
        ),
        (
            PermissionDeniedOutput::retry().into(),
            "PermissionDenied",
            r#","retry":true"#,
        ),
        (
            UserPromptSubmitOutput::default().session_title("T").into(),
            "UserPromptSubmit",
            r#","sessionTitle":"T""#,
        ),
        (
            SessionStartOutput::default()
                .initial_user_message("Go")
                .into(),
            "SessionStart",
            r#","initialUserMessage":"Go""#,
        ),
        (
            SessionStartOutput::default().session_title("T").into(),
            "SessionStart",
            r#","sessionTitle":"T""#,
        ),
        (
            SessionStartOutput::default().watch_paths(path).into(),
            "SessionStart",
            r#","watchPaths":["/a"]"#,
        ),
        (
            PreModelSwitchOutput::allow().into(),
            "PreModelSwitch",
            r#","permissionDecision":"allow""#,
        ),
        (
            PreModelSwitchOutput::deny("no").into(),
            "PreModelSwitch",
            r#","permissionDecision":"deny","permissionDecisionReason":"no""#,
        ),
        (
            ElicitationOutput::accept(json!({ "a": 1 })).into(),
            "Elicitation",
            r#","action":"accept","content":{"a":1}"#,
        ),
        (
            ElicitationOutput::decline().into(),
            "Elicitation",
            r#","action":"decline""#,
        ),
        (
            ElicitationOutput::cancel().into(),
            "Elicitation",
            r#","action":"cancel""#,
        ),
        (
            ElicitationResultOutput::accept(json!({ "a": 1 })).into(),
            "ElicitationResult",
            r#","action":"accept","content":{"a":1}"#,
        ),
        (
            ElicitationResultOutput::decline().into(),
            "ElicitationResult",
            r#","action":"decline""#,
        ),
        (
            ElicitationResultOutput::cancel().into(),
            "ElicitationResult",
            r#","action":"cancel""#,
        ),
        (
            CwdChangedOutput::watch(path).into(),
            "CwdChanged",
            r#","watchPaths":["/a"]"#,
        ),
        (
            FileChangedOutput::watch(path).into(),
            "FileChanged",
            r#","watchPaths":["/a"]"#,
        ),
        (
            WorktreeCreateOutput::at("/a").into(),
            "WorktreeCreate",
            r#","worktreePath":"/a""#,
        ),
        (
            MessageDisplayOutput::show("***").into(),
            "MessageDisplay",
            r#","displayContent":"***""#,
        ),
        (
            PreSkillShellCommandOutput::deny("Why").into(),
            "PreSkillShellCommand",
            r#","permissionDecision":"deny","permissionDecisionReason":"Why""#,
        ),
        (SetupOutput::default().into(), "Setup", ""),
    ];
    for (output, event, members) in table {
        let json = format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}"{members}}}}}"#);
        writes(HookOutput::from(output), &json);
    }
}

#[test]
fn most_events_let_a_hook_add_something_for_the_model() {
    macro_rules! add {
        ($($output:ident = $event:literal,)*) => {$(
            writes(
                $output::default().additional_context("C"),
                concat!(r#"{"hookEventName":""#, $event, r#"","additionalContext":"C"}"#),
            );
        )*};
    }
    add! {
        PreToolUseOutput = "PreToolUse",
        PostToolUseOutput = "PostToolUse",
        PostToolUseFailureOutput = "PostToolUseFailure",
        PostToolBatchOutput = "PostToolBatch",
        NotificationOutput = "Notification",
        UserPromptSubmitOutput = "UserPromptSubmit",
        UserPromptExpansionOutput = "UserPromptExpansion",
        SessionStartOutput = "SessionStart",
        SetupOutput = "Setup",
        PostModelSwitchOutput = "PostModelSwitch",
        StopOutput = "Stop",
        SubagentStartOutput = "SubagentStart",
        SubagentStopOutput = "SubagentStop",
    }
}
