//! What became of each option of the official SDK.

use crate::sets::Set;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What we have for an option.
enum Ours {
    /// A method of our options.
    Method(&'static str),
    /// Nothing yet: the sets write by hand what it does. It is to be this
    /// method.
    Missing(&'static str),
    /// Nothing ever, for this reason.
    Never(&'static str),
}

use Ours::{Method, Missing, Never};

const OPTIONS: &[(&str, Ours)] = &[
    (
        "abortController",
        Never("a session is dropped, or aborted by its client"),
    ),
    ("additionalDirectories", Missing("additional_directories")),
    ("agent", Missing("agent")),
    (
        "agentProgressSummaries",
        Missing("agent_progress_summaries"),
    ),
    ("agents", Missing("agents")),
    (
        "allowDangerouslySkipPermissions",
        Missing("allow_dangerously_skip_permissions"),
    ),
    ("allowedTools", Missing("allowed_tools")),
    ("betas", Missing("betas")),
    ("canUseTool", Method("on_permission")),
    ("continue", Missing("continue_latest")),
    ("cwd", Method("cwd")),
    ("debug", Missing("debug")),
    ("debugFile", Missing("debug_file")),
    ("disallowedTools", Missing("disallowed_tools")),
    ("effort", Missing("effort")),
    ("enableFileCheckpointing", Missing("file_checkpointing")),
    ("env", Method("env")),
    (
        "executable",
        Never("it is which JavaScript runs a CLI that is a script"),
    ),
    ("executableArgs", Never("as `executable`")),
    ("extraArgs", Method("flag_value")),
    ("fallbackModel", Missing("fallback_model")),
    ("forkSession", Missing("fork_session")),
    ("forwardSubagentText", Missing("forward_subagent_text")),
    ("hooks", Method("hook")),
    ("includeHookEvents", Missing("hook_events")),
    ("includePartialMessages", Method("partial_messages")),
    ("loadTimeoutMs", Missing("session_store")),
    ("managedSettings", Missing("managed_settings")),
    ("maxBudgetUsd", Missing("max_budget_usd")),
    ("maxThinkingTokens", Missing("max_thinking_tokens")),
    ("maxTurns", Method("max_turns")),
    ("mcpServers", Method("mcp_server")),
    ("mcpServersDelivery", Missing("mcp_servers")),
    ("model", Method("model")),
    ("onElicitation", Method("on_elicitation")),
    ("onUserDialog", Method("on_dialog")),
    ("outputFormat", Missing("output_format")),
    ("pathToClaudeCodeExecutable", Method("cli")),
    ("perTaskStopAffordance", Missing("per_task_stop")),
    ("permissionMode", Method("permission_mode")),
    (
        "permissionPromptToolName",
        Missing("permission_prompt_tool"),
    ),
    ("permissionPrompts", Missing("permission_prompts")),
    ("persistSession", Missing("persist_session")),
    ("planModeInstructions", Missing("plan_mode_instructions")),
    ("pluginDelivery", Missing("plugins")),
    ("plugins", Missing("plugin")),
    ("projectConfigRoot", Missing("project_config_root")),
    ("promptSuggestions", Missing("prompt_suggestions")),
    ("resume", Missing("resume")),
    ("resumeDropsTurn", Missing("resume_drops_turn")),
    ("resumeSessionAt", Missing("resume_at")),
    ("sandbox", Missing("sandbox")),
    ("sessionId", Missing("session_id")),
    ("sessionStore", Missing("session_store")),
    ("sessionStoreFlush", Missing("session_store")),
    ("settingSources", Method("setting_sources")),
    ("settings", Missing("settings")),
    ("skills", Missing("skills")),
    (
        "spawnClaudeCodeProcess",
        Never("`Client::connect_over` takes any pipes"),
    ),
    ("stderr", Method("on_stderr")),
    ("strictMcpConfig", Missing("strict_mcp_config")),
    ("supportedDialogKinds", Method("on_dialog")),
    ("systemPrompt", Method("append_system_prompt")),
    ("taskBudget", Missing("task_budget")),
    ("thinking", Missing("thinking")),
    ("title", Missing("title")),
    ("toolAliases", Missing("tool_aliases")),
    ("toolConfig", Missing("question_preview")),
    ("tools", Missing("tools")),
    ("verbatimPrompts", Missing("verbatim_prompts")),
];

/// The test gives it to every set.
const IN_EVERY_SET: &str = "pathToClaudeCodeExecutable";

/// What is not as the table has it.
pub(crate) fn complaints(official: &Path, sets: &[Set]) -> Vec<String> {
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
    let methods = methods(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").as_path());

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
            Missing(method) if methods.contains(*method) => complaints.push(format!(
                "`{name}`: `Options::{method}` is there: use it in the sets, and say so here"
            )),
            Never(reason) if is_tried => {
                complaints.push(format!("`{name}` is in a set, and never ours: {reason}"));
            }
            Method(_) | Missing(_) if !is_tried => {
                complaints.push(format!("`{name}` is in no set"));
            }
            _ => {}
        }
    }
    complaints
}

/// The names in the type `Options`.
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

/// The public methods of our options.
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
