//! The counterpart of each option of the official SDK.

use crate::sets::Set;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Our counterpart of an option.
enum Ours {
    /// A method of our options.
    Method(&'static str),
    /// No counterpart, for this reason.
    Never(&'static str),
}

use Ours::{Method, Never};

const OPTIONS: &[(&str, Ours)] = &[
    (
        "abortController",
        Never("a session is dropped, or aborted by its client"),
    ),
    ("additionalDirectories", Method("additional_directories")),
    ("agent", Method("agent")),
    ("agentProgressSummaries", Method("agent_progress_summaries")),
    ("agents", Method("agents")),
    (
        "allowDangerouslySkipPermissions",
        Method("allow_bypassing_permissions"),
    ),
    ("allowedTools", Method("allowed_tools")),
    ("betas", Method("betas")),
    ("canUseTool", Method("on_permission")),
    ("continue", Method("continue_latest")),
    ("cwd", Method("cwd")),
    ("debug", Method("debug")),
    ("debugFile", Method("debug_file")),
    ("disallowedTools", Method("disallowed_tools")),
    ("effort", Method("effort")),
    ("enableFileCheckpointing", Method("file_checkpointing")),
    ("env", Method("env")),
    (
        "executable",
        Never("it is which JavaScript runs a CLI that is a script"),
    ),
    ("executableArgs", Never("as `executable`")),
    ("extraArgs", Method("flag_value")),
    ("fallbackModel", Method("fallback_models")),
    ("forkSession", Method("fork_session")),
    ("forwardSubagentText", Method("forward_subagent_text")),
    ("hooks", Method("hook")),
    ("includeHookEvents", Method("hook_events")),
    ("includePartialMessages", Method("partial_messages")),
    ("loadTimeoutMs", Method("load_timeout")),
    ("managedSettings", Method("managed_settings")),
    ("maxBudgetUsd", Method("max_budget_usd")),
    ("maxThinkingTokens", Method("thinking")),
    ("maxTurns", Method("max_turns")),
    ("mcpServers", Method("mcp_servers")),
    ("mcpServersDelivery", Method("flag_value")),
    ("model", Method("model")),
    ("onElicitation", Method("on_elicitation")),
    ("onUserDialog", Method("on_dialog")),
    ("outputFormat", Method("output_format")),
    ("pathToClaudeCodeExecutable", Method("cli")),
    ("perTaskStopAffordance", Method("per_task_stop")),
    ("permissionMode", Method("permission_mode")),
    ("permissionPromptToolName", Method("permission_prompt_tool")),
    ("permissionPrompts", Method("permission_prompts")),
    ("persistSession", Method("persist_session")),
    ("planModeInstructions", Method("plan_mode_instructions")),
    ("pluginDelivery", Method("flag_value")),
    ("plugins", Method("plugins")),
    ("projectConfigRoot", Method("project_config_root")),
    ("promptSuggestions", Method("prompt_suggestions")),
    ("resume", Method("resume")),
    ("resumeDropsTurn", Method("resume_drops_turn")),
    ("resumeSessionAt", Method("resume_at")),
    ("sandbox", Method("sandbox")),
    ("sessionId", Method("session_id")),
    ("sessionStore", Method("session_store")),
    ("sessionStoreFlush", Method("session_store_flush")),
    ("settingSources", Method("setting_sources")),
    ("settings", Method("settings")),
    ("skills", Method("skills")),
    (
        "spawnClaudeCodeProcess",
        Never("a `Transport`, for `Client::connect_over`"),
    ),
    ("stderr", Method("on_stderr")),
    ("strictMcpConfig", Method("strict_mcp_config")),
    ("supportedDialogKinds", Method("on_dialog")),
    ("systemPrompt", Method("system_prompt")),
    ("taskBudget", Method("task_budget")),
    ("thinking", Method("thinking")),
    ("title", Method("title")),
    ("toolAliases", Method("tool_aliases")),
    ("toolConfig", Method("question_preview")),
    ("tools", Method("tools")),
    ("verbatimPrompts", Method("verbatim_prompts")),
];

/// The option that the test sets in every set.
const IN_EVERY_SET: &str = "pathToClaudeCodeExecutable";

/// Returns each option of the official SDK with our method.
pub(crate) fn named() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPTIONS.iter().filter_map(|(name, ours)| match ours {
        Method(method) => Some((*name, *method)),
        Never(_) => None,
    })
}

/// Returns the differences from the table.
pub(crate) fn differences(official: &Path, sets: &[Set]) -> Vec<String> {
    let declarations = std::fs::read_to_string(official.join("sdk.d.ts")).unwrap();
    let declared = declared(&declarations);
    assert!(
        declared.len() > 60,
        "the declarations are read wrongly: {declared:?}"
    );
    let table: BTreeMap<_, _> = OPTIONS.iter().map(|(name, ours)| (*name, ours)).collect();
    assert_eq!(table.len(), OPTIONS.len(), "an option stands there twice");
    let tried: BTreeSet<_> = (sets.iter())
        .filter_map(|set| set.official.as_object())
        .flat_map(|official| official.keys().map(String::as_str))
        .chain([IN_EVERY_SET])
        .collect();
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let methods = methods(&project.join("src"));
    let calls = calls(&project.join("tests/parity/sets"));

    let mut complaints = Vec::new();
    for name in &declared {
        if !table.contains_key(name.as_str()) {
            complaints.push(format!(
                "`{name}` is an option of theirs, and not in the table"
            ));
        }
    }
    for (name, ours) in OPTIONS {
        if !declared.contains(*name) {
            complaints.push(format!("`{name}` is in the table, and no option of theirs"));
        }
        let is_tried = tried.contains(name);
        match ours {
            Method(method) if !methods.contains(*method) => {
                complaints.push(format!("`{name}`: there is no `Options::{method}`"));
            }
            Method(method) if *name != IN_EVERY_SET && !calls.contains(*method) => {
                complaints.push(format!("`{name}`: no set calls `Options::{method}`"));
            }
            Never(reason) if is_tried => {
                complaints.push(format!("`{name}` is in a set, and never ours: {reason}"));
            }
            Method(_) if !is_tried => {
                complaints.push(format!("`{name}` is in no set"));
            }
            _ => {}
        }
    }
    complaints
}

/// Returns the names in the type `Options`.
fn declared(declarations: &str) -> BTreeSet<String> {
    declarations
        .lines()
        .skip_while(|line| !line.starts_with("export declare type Options ="))
        .skip(1)
        .take_while(|line| *line != "};")
        .filter_map(|line| line.strip_prefix("    "))
        .filter_map(|line| line.split_once("?:").or(line.split_once(':')))
        .map(|(name, _)| name)
        .filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric()))
        .map(str::to_owned)
        .collect()
}

/// Returns the names of the public methods of our options.
fn methods(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(methods(&path));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        while lines.by_ref().any(|line| line == "impl Options {") {
            let methods = (lines.by_ref())
                .take_while(|line| *line != "}")
                .filter_map(|line| line.strip_prefix("    pub fn "))
                .filter_map(|line| line.split(['(', '<']).next());
            found.extend(methods.map(str::to_owned));
        }
    }
    found
}

/// Returns the names of all methods that the sets call.
fn calls(folder: &Path) -> BTreeSet<String> {
    let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let calls = text.split(['.', ':']).skip(1);
        let names = calls.filter_map(|call| call.split(|letter| !is_of_a_name(letter)).next());
        found.extend(names.map(str::to_owned));
    }
    found
}
