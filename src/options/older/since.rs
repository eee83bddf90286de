//! The CLI version that introduced each option.
//!
//! The versions were found by bisecting the versions on npm. VERSIONS.md has
//! the same table.

use super::super::CommandLine;
use super::super::command_line::SETTINGS;
use crate::handle::VERBATIM;
use crate::process::CliVersion;
use agentwire_protocol::agent_definition::AgentDefinition;
use agentwire_protocol::hook::OnFailure;

pub(super) const fn v(major: u32, minor: u32, patch: u32) -> CliVersion {
    CliVersion::new(major, minor, patch)
}

/// A member of the first request, or a variable, that older CLIs silently ignore.
pub(super) struct Ignored {
    /// The method of [`Options`](crate::Options), with the relevant part in parentheses.
    pub(super) option: &'static str,
    /// The first version that supports it.
    pub(super) since: CliVersion,
    pub(super) is_set: fn(&CommandLine) -> OptionUse,
}

/// Whether an option is set, and whether the session requires it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OptionUse {
    No,
    /// The session works without it.
    Optional,
    /// Without it, the session would not do what is configured.
    Needed,
}

impl OptionUse {
    fn needed(is_set: bool) -> Self {
        if is_set { Self::Needed } else { Self::No }
    }

    fn optional(is_set: bool) -> Self {
        if is_set { Self::Optional } else { Self::No }
    }
}

const fn since(
    (major, minor, patch): (u32, u32, u32),
    option: &'static str,
    is_set: fn(&CommandLine) -> OptionUse,
) -> Ignored {
    Ignored {
        option,
        since: v(major, minor, patch),
        is_set,
    }
}

/// Members of the first request, and variables.
pub(super) const IGNORED: &[Ignored] = &[
    since((2, 0, 44), "file_checkpointing", |it| {
        OptionUse::needed(it.has_variable("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"))
    }),
    since((2, 1, 39), "client_app", |it| {
        OptionUse::optional(it.has_variable("CLAUDE_AGENT_SDK_CLIENT_APP"))
    }),
    since((2, 1, 48), "prompt_suggestions", |it| {
        OptionUse::optional(it.initialize.prompt_suggestions == Some(true))
    }),
    since((2, 1, 70), "question_preview", |it| {
        OptionUse::optional(it.has_variable("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"))
    }),
    since((2, 1, 72), "agent_progress_summaries", |it| {
        OptionUse::optional(it.initialize.agent_progress_summaries == Some(true))
    }),
    // Older CLIs run commands unsandboxed if no sandbox is available.
    since((2, 1, 83), "sandbox", |it| {
        OptionUse::needed(wants_sandbox(it))
    }),
    since((2, 1, 97), "exclude_dynamic_sections", |it| {
        OptionUse::optional(it.initialize.exclude_dynamic_sections == Some(true))
    }),
    since((2, 1, 113), "title", |it| {
        OptionUse::optional(it.initialize.title.is_some())
    }),
    // Older CLIs give the agent all skills.
    since((2, 1, 116), "skills", |it| {
        OptionUse::needed(it.initialize.skills.is_some())
    }),
    since((2, 1, 118), "plan_mode_instructions", |it| {
        OptionUse::needed(it.initialize.plan_mode_instructions.is_some())
    }),
    since((2, 1, 119), "forward_subagent_text", |it| {
        OptionUse::optional(it.initialize.forward_subagent_text == Some(true))
    }),
    since((2, 1, 142), "tool_aliases", |it| {
        OptionUse::needed(it.initialize.tool_aliases.is_some())
    }),
    since((2, 1, 246), "per_task_stop", |it| {
        OptionUse::optional(it.initialize.per_task_stop_affordance == Some(true))
    }),
    Ignored {
        option: "verbatim_prompts",
        since: VERBATIM,
        is_set: |it| OptionUse::needed(it.verbatim_prompts),
    },
    since((2, 1, 257), "system_prompt_snapshot", |it| {
        OptionUse::optional(it.initialize.system_prompt_snapshot == Some(false))
    }),
    // Members of agent definitions. Members that restrict an agent are required.
    since((2, 0, 30), "agents(disallowed_tools)", |it| {
        OptionUse::needed(an_agent(it, |agent| agent.disallowed_tools.is_some()))
    }),
    since((2, 0, 44), "agents(permission_mode)", |it| {
        OptionUse::needed(an_agent(it, |agent| agent.permission_mode.is_some()))
    }),
    since((2, 0, 58), "agents(critical_system_reminder)", |it| {
        OptionUse::optional(an_agent(it, |agent| {
            agent.critical_system_reminder.is_some()
        }))
    }),
    since((2, 0, 77), "agents(mcp_servers)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.mcp_servers.is_some()))
    }),
    since((2, 1, 8), "agents(max_turns)", |it| {
        OptionUse::needed(an_agent(it, |agent| agent.max_turns.is_some()))
    }),
    since((2, 1, 10), "agents(skills)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.skills.is_some()))
    }),
    since((2, 1, 16), "agents(memory)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.memory.is_some()))
    }),
    since((2, 1, 38), "agents(effort)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.effort.is_some()))
    }),
    since((2, 1, 47), "agents(background)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.background == Some(true)))
    }),
    // In older CLIs, one agent with another model removes all agents.
    since((2, 1, 74), "agents(model)", |it| {
        OptionUse::needed(an_agent(it, |agent| {
            let model = agent.model.as_deref();
            model.is_some_and(|it| !["sonnet", "opus", "haiku", "inherit"].contains(&it))
        }))
    }),
    since((2, 1, 83), "agents(initial_prompt)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.initial_prompt.is_some()))
    }),
    since((2, 1, 200), "agents(observer)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.observer.is_some()))
    }),
    since((2, 1, 271), "agents(omit_claude_md)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.omit_claude_md == Some(true)))
    }),
    since((2, 1, 296), "agents(auto_compact_window)", |it| {
        OptionUse::optional(an_agent(it, |agent| agent.auto_compact_window.is_some()))
    }),
    // Hook events.
    since((2, 0, 44), "hook(SubagentStart)", |it| {
        hook(it, "SubagentStart")
    }),
    since((2, 0, 45), "hook(PermissionRequest)", |it| {
        hook(it, "PermissionRequest")
    }),
    since((2, 0, 56), "hook(PostToolUseFailure)", |it| {
        hook(it, "PostToolUseFailure")
    }),
    since((2, 1, 10), "hook(Setup)", |it| hook(it, "Setup")),
    since((2, 1, 33), "hook(TaskCompleted)", |it| {
        hook(it, "TaskCompleted")
    }),
    since((2, 1, 33), "hook(TeammateIdle)", |it| {
        hook(it, "TeammateIdle")
    }),
    since((2, 1, 48), "hook(ConfigChange)", |it| {
        hook(it, "ConfigChange")
    }),
    since((2, 1, 50), "hook(WorktreeCreate)", |it| {
        hook(it, "WorktreeCreate")
    }),
    since((2, 1, 50), "hook(WorktreeRemove)", |it| {
        hook(it, "WorktreeRemove")
    }),
    since((2, 1, 63), "hook(Elicitation)", |it| {
        hook(it, "Elicitation")
    }),
    // Older CLIs call the hook, but ignore a denial.
    since((2, 1, 284), "hook(Elicitation)", |it| {
        match hook(it, "Elicitation") {
            OptionUse::Needed => OptionUse::Needed,
            _ => OptionUse::No,
        }
    }),
    since((2, 1, 63), "hook(ElicitationResult)", |it| {
        hook(it, "ElicitationResult")
    }),
    since((2, 1, 64), "hook(InstructionsLoaded)", |it| {
        hook(it, "InstructionsLoaded")
    }),
    since((2, 1, 76), "hook(PostCompact)", |it| {
        hook(it, "PostCompact")
    }),
    since((2, 1, 78), "hook(StopFailure)", |it| {
        hook(it, "StopFailure")
    }),
    since((2, 1, 83), "hook(CwdChanged)", |it| hook(it, "CwdChanged")),
    since((2, 1, 83), "hook(FileChanged)", |it| {
        hook(it, "FileChanged")
    }),
    since((2, 1, 84), "hook(TaskCreated)", |it| {
        hook(it, "TaskCreated")
    }),
    since((2, 1, 88), "hook(PermissionDenied)", |it| {
        hook(it, "PermissionDenied")
    }),
    since((2, 1, 116), "hook(UserPromptExpansion)", |it| {
        hook(it, "UserPromptExpansion")
    }),
    since((2, 1, 118), "hook(PostToolBatch)", |it| {
        hook(it, "PostToolBatch")
    }),
    since((2, 1, 152), "hook(MessageDisplay)", |it| {
        hook(it, "MessageDisplay")
    }),
    since((2, 1, 219), "hook(DirectoryAdded)", |it| {
        hook(it, "DirectoryAdded")
    }),
    since((2, 1, 251), "hook(PreModelSwitch)", |it| {
        hook(it, "PreModelSwitch")
    }),
    since((2, 1, 251), "hook(PostModelSwitch)", |it| {
        hook(it, "PostModelSwitch")
    }),
    since((2, 1, 332), "hook(PreSkillShellCommand)", |it| {
        hook(it, "PreSkillShellCommand")
    }),
];

/// Returns the use of a hook event. The hook is required if its failure is configured to block.
fn hook(line: &CommandLine, event: &str) -> OptionUse {
    let hooks = line.initialize.hooks.iter().flatten();
    let matchers = hooks
        .filter(|(kind, _)| kind.as_str() == event)
        .flat_map(|(_, matchers)| matchers);
    let sets = matchers.map(|it| match it.on_failure {
        Some(OnFailure::Block) => OptionUse::Needed,
        _ => OptionUse::Optional,
    });
    sets.max().unwrap_or(OptionUse::No)
}

fn an_agent(line: &CommandLine, is_it: impl Fn(&AgentDefinition) -> bool) -> bool {
    let mut agents = line.initialize.agents.iter().flat_map(|it| it.values());
    agents.any(is_it)
}

/// Returns whether commands must run in a sandbox or not at all.
fn wants_sandbox(line: &CommandLine) -> bool {
    let settings = line.initialize.extra.get(SETTINGS);
    let Some(settings) = settings.and_then(|it| it.to_value().ok()) else {
        return false;
    };
    let sandbox = &settings["sandbox"];
    sandbox["enabled"] == true && sandbox["failIfUnavailable"] != false
}

/// Flags that a CLI may not support, with their methods and the first version that supports
/// them.
pub(super) const FLAGS: &[(&str, &str, CliVersion)] = &[
    ("--agent", "agent", v(2, 0, 59)),
    (
        "--allow-dangerously-skip-permissions",
        "allow_bypassing_permissions",
        v(2, 0, 26),
    ),
    ("--betas", "betas", v(2, 0, 58)),
    ("--debug-file", "debug_file", v(2, 1, 20)),
    ("--effort", "effort", v(2, 1, 38)),
    ("--include-hook-events", "hook_events", v(2, 1, 88)),
    ("--json-schema", "output_format", v(2, 0, 45)),
    ("--max-budget-usd", "max_budget_usd", v(2, 0, 30)),
    ("--max-thinking-tokens", "thinking", v(2, 0, 2)),
    ("--no-session-persistence", "persist_session", v(2, 0, 64)),
    ("--permission-prompts", "permission_prompts", v(2, 1, 259)),
    ("--plugin-dir", "plugins", v(2, 0, 25)),
    ("--project-config-root", "project_config_root", v(2, 1, 275)),
    ("--resume-drops-turn", "resume_drops_turn", v(2, 1, 223)),
    ("--session-mirror", "session_store", v(2, 1, 97)),
    ("--task-budget", "task_budget", v(2, 1, 84)),
    ("--thinking", "thinking", v(2, 1, 47)),
    ("--thinking-display", "thinking_display", v(2, 1, 94)),
    ("--tools", "tools", v(2, 0, 31)),
];
