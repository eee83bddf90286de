//! Hook matchers and hook outputs.

use super::{write_all, writes};
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
    write_all! {
        matcher() => r#"{"hookCallbackIds":["h"]}"#,
        matcher().matcher("Bash") => r#"{"matcher":"Bash","hookCallbackIds":["h"]}"#,
        matcher().timeout(5) => r#"{"hookCallbackIds":["h"],"timeout":5}"#,
        matcher().on_failure(OnFailure::Block) => r#"{"hookCallbackIds":["h"],"onFailure":"block"}"#,
    }
}

#[test]
fn hook_outputs() {
    write_all! {
        HookOutput::proceed() => "{}",
        HookOutput::block("no") => r#"{"decision":"block","reason":"no"}"#,
        HookOutput::end_turn("enough") => r#"{"continue":false,"stopReason":"enough"}"#,
        HookOutput::detach() => r#"{"async":true}"#,
        HookOutput::from(AsyncOutput::new().timeout(1500)) => r#"{"async":true,"asyncTimeout":1500}"#,
    }
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
fn event_specific_hook_outputs() {
    let path = ["/a"];
    let update =
        || PermissionUpdate::set_mode(PermissionMode::Plan, PermissionDestination::Session);
    macro_rules! say {
        ($($output:expr => $event:literal $members:literal,)*) => {$(
            let event = concat!(r#"{"hookSpecificOutput":{"hookEventName":""#, $event, "\"", $members, "}}");
            writes(HookOutput::from(SpecificOutput::from($output)), event);
        )*};
    }
    say! {
        PreToolUseOutput::allow() => "PreToolUse" r#","permissionDecision":"allow""#,
        PreToolUseOutput::allow_with(json!({ "a": 1 })) => "PreToolUse" r#","permissionDecision":"allow","updatedInput":{"a":1}"#,
        PreToolUseOutput::deny("no") => "PreToolUse" r#","permissionDecision":"deny","permissionDecisionReason":"no""#,
        PreToolUseOutput::ask() => "PreToolUse" r#","permissionDecision":"ask""#,
        PreToolUseOutput::defer() => "PreToolUse" r#","permissionDecision":"defer""#,
        PostToolUseOutput::default().updated_tool_output("new") => "PostToolUse" r#","updatedToolOutput":"new""#,
        PermissionRequestOutput::allow(vec![]) => "PermissionRequest" r#","decision":{"behavior":"allow"}"#,
        PermissionRequestOutput::allow(vec![update()]) => "PermissionRequest" r#","decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"plan","destination":"session"}]}"#,
        PermissionRequestOutput::allow_with(json!({ "a": 1 })) => "PermissionRequest" r#","decision":{"behavior":"allow","updatedInput":{"a":1}}"#,
        PermissionRequestOutput::deny("no") => "PermissionRequest" r#","decision":{"behavior":"deny","message":"no"}"#,
        PermissionDeniedOutput::retry() => "PermissionDenied" r#","retry":true"#,
        UserPromptSubmitOutput::default().session_title("T") => "UserPromptSubmit" r#","sessionTitle":"T""#,
        SessionStartOutput::default().initial_user_message("Go") => "SessionStart" r#","initialUserMessage":"Go""#,
        SessionStartOutput::default().session_title("T") => "SessionStart" r#","sessionTitle":"T""#,
        SessionStartOutput::default().watch_paths(path) => "SessionStart" r#","watchPaths":["/a"]"#,
        PreModelSwitchOutput::allow() => "PreModelSwitch" r#","permissionDecision":"allow""#,
        PreModelSwitchOutput::deny("no") => "PreModelSwitch" r#","permissionDecision":"deny","permissionDecisionReason":"no""#,
        ElicitationOutput::accept(json!({ "a": 1 })) => "Elicitation" r#","action":"accept","content":{"a":1}"#,
        ElicitationOutput::decline() => "Elicitation" r#","action":"decline""#,
        ElicitationOutput::cancel() => "Elicitation" r#","action":"cancel""#,
        ElicitationResultOutput::accept(json!({ "a": 1 })) => "ElicitationResult" r#","action":"accept","content":{"a":1}"#,
        ElicitationResultOutput::decline() => "ElicitationResult" r#","action":"decline""#,
        ElicitationResultOutput::cancel() => "ElicitationResult" r#","action":"cancel""#,
        CwdChangedOutput::watch(path) => "CwdChanged" r#","watchPaths":["/a"]"#,
        FileChangedOutput::watch(path) => "FileChanged" r#","watchPaths":["/a"]"#,
        WorktreeCreateOutput::at("/a") => "WorktreeCreate" r#","worktreePath":"/a""#,
        MessageDisplayOutput::show("***") => "MessageDisplay" r#","displayContent":"***""#,
        PreSkillShellCommandOutput::deny("Why") => "PreSkillShellCommand" r#","permissionDecision":"deny","permissionDecisionReason":"Why""#,
        SetupOutput::default() => "Setup" "",
    }
}

#[test]
fn hooks_of_most_events_can_add_context_for_the_model() {
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
