//! A random session as a plan, which is converted to a case. A reduced plan is also a
//! valid session.

use agentwire_testing::Random;
use serde_json::{Value, json};

/// The plan of a session.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) partial_messages: bool,
    pub(crate) replays_prompts: bool,
    /// Whether each answer is structured output.
    pub(crate) is_structured: bool,
    /// Whether the host has an MCP server.
    pub(crate) has_server: bool,
    /// The event of each hook, and its answer to each call.
    pub(crate) hooks: Vec<(&'static str, Value)>,
    pub(crate) episodes: Vec<Episode>,
}

/// A part of a session that begins and ends when the session is idle.
#[derive(Debug, Clone)]
pub(crate) enum Episode {
    Turn(Turn),
    /// A command of the CLI.
    Command(&'static str),
    /// An action of the host while the session is idle.
    Idle(Action),
    /// A turn in another permission mode.
    Mode(&'static str, Turn),
    /// A background shell, and the actions before it ends.
    Shell(Vec<Action>),
    /// A sub-agent. Unless it is awaited, the turn ends while the sub-agent still runs.
    Subagent {
        is_awaited: bool,
        uses_tool: bool,
        actions: Vec<Action>,
    },
}

/// A prompt and its turn, which consists of stages and a last text.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) stages: Vec<Stage>,
}

/// A part of a reply. A tool ends the reply.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    Thinking,
    Text,
    /// The model waits at the beginning of a reply, or after a part of it. The host acts
    /// during the pause.
    Gate(Vec<Action>),
    /// A call of a tool. With `while_pending`, the host acts before it answers the permission
    /// request. With `gate`, the tool waits while the host acts.
    Tool {
        tool: Tool,
        denied: bool,
        while_pending: Option<Vec<Action>>,
        gate: Option<Vec<Action>>,
    },
    /// Two calls in one reply. The second call may be denied.
    Two {
        denied: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Bash,
    Failing,
    Question,
    Mcp,
}

/// An action of the host.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    Prompt(Option<&'static str>),
    Command(&'static str, Option<&'static str>),
    /// Withdraws the latest prompt, or one that does not exist.
    Cancel {
        is_there: bool,
    },
    Request(Value),
    Interrupt {
        cancels_queued: bool,
    },
}

const COMMANDS: [&str; 8] = [
    "/cost",
    "/usage",
    "/context",
    "/clear",
    "/compact",
    "/model claude-haiku-4-5",
    "/model",
    "/no-such-command",
];

/// The number of requests that can be sent at any time. The others change the output of
/// the model, so they are sent only while the model is idle: the real CLI waits for that.
const ANY_TIME: usize = 16;

fn requests() -> Vec<Value> {
    let one = |subtype: &str| json!({ "subtype": subtype });
    let mut all = vec![
        one("mcp_status"),
        one("get_settings"),
        one("initialize"),
        one("no_such_request"),
        one("get_session_cost"),
        one("get_status"),
        one("list_models"),
        one("list_permission_rules"),
        one("get_hooks_listing"),
        one("get_plan"),
        json!({"subtype": "rename_session", "title": "Another"}),
        json!({"subtype": "rename_session"}),
        json!({"subtype": "set_permission_mode", "mode": "nonsense"}),
        json!({"subtype": "set_permission_mode", "mode": "default"}),
        json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1000}),
        json!({"subtype": "stop_task", "task_id": "none"}),
    ];
    debug_assert_eq!(all.len(), ANY_TIME);
    all.extend([
        one("get_context_usage"),
        one("get_usage"),
        json!({"subtype": "set_model", "model": "claude-haiku-4-5"}),
        json!({"subtype": "set_model", "model": "claude-opus-4-6"}),
        json!({"subtype": "set_model"}),
        json!({"subtype": "apply_flag_settings", "settings": {"model": "claude-haiku-4-5"}}),
        json!({"subtype": "background_tasks"}),
        json!({"subtype": "get_task_output", "task_id": "none"}),
        json!({"subtype": "mcp_toggle", "serverName": "none", "enabled": false}),
        json!({"subtype": "mcp_reconnect", "serverName": "none"}),
    ]);
    all
}

impl Plan {
    /// Returns the plan of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Random::new(seed);
        let mut plan = Self {
            partial_messages: rng.chance(75),
            replays_prompts: rng.chance(30),
            is_structured: rng.chance(10),
            has_server: rng.chance(20),
            hooks: hooks(&mut rng),
            episodes: vec![],
        };
        for _ in 0..2 + rng.below(4) {
            let episode = plan.episode(&mut rng);
            // With structured output, the model cannot distinguish prompts.
            if !plan.is_structured || plan.episodes.is_empty() || !episode.asks_model() {
                plan.episodes.push(episode);
            }
        }
        plan
    }

    /// Returns whether a hook decides about tools, so that the agent sends no permission
    /// requests.
    pub(crate) fn decides(&self) -> bool {
        let decision = "/answer/hookSpecificOutput/permissionDecision";
        (self.hooks.iter()).any(|(_, answers)| answers.pointer(decision).is_some())
    }

    fn has_hook(&self, event: &str) -> bool {
        self.hooks.iter().any(|(it, _)| *it == event)
    }

    fn episode(&self, rng: &mut Random) -> Episode {
        match rng.below(100) {
            0..50 => Episode::Turn(self.turn(rng)),
            50..62 => Episode::Command(self.command(rng)),
            62..77 => Episode::Idle(at_idle(rng)),
            77..82 => Episode::Mode(rng.pick(&["acceptEdits", "plan", "dontAsk"]), silent(rng)),
            82..90 => Episode::Shell(several_of(rng, 2, |rng| {
                Action::Request(request(rng, ANY_TIME))
            })),
            _ => Episode::Subagent {
                is_awaited: rng.chance(40),
                // The real CLI calls these hooks before it reports the call.
                uses_tool: rng.chance(40),
                actions: several_of(rng, 2, |rng| Action::Request(request(rng, ANY_TIME))),
            },
        }
    }

    fn turn(&self, rng: &mut Random) -> Turn {
        let mut stages = vec![];
        for _ in 0..1 + rng.below(3) {
            let stage = self.stage(rng);
            let is_last = stage.ends_the_turn();
            stages.push(stage);
            if is_last {
                break;
            }
        }
        Turn { stages }
    }

    fn stage(&self, rng: &mut Random) -> Stage {
        match rng.below(100) {
            0..10 => Stage::Thinking,
            10..25 => Stage::Text,
            25..50 => Stage::Gate(self.actions(rng)),
            // The real CLI calls the hooks of the second call before the result of the
            // first call, and the fake agent after it.
            50..60 => Stage::Two {
                denied: rng.chance(40),
            },
            _ => self.tool(rng),
        }
    }

    fn tool(&self, rng: &mut Random) -> Stage {
        let tool = match rng.below(10) {
            0..6 => Tool::Bash,
            6..8 => Tool::Failing,
            8 if self.has_server => Tool::Mcp,
            _ => Tool::Question,
        };
        // If a hook decides, no permission request can be held.
        let is_asked = !self.decides();
        // The host reads nothing until the gate is reached, so it answers no hook.
        let has_hook = self.has_hook("PermissionRequest");
        let can_wait = is_asked && !has_hook && tool == Tool::Bash;
        let while_pending = (is_asked && rng.chance(35)).then(|| self.actions(rng));
        let denied = rng.chance(20);
        let interrupted = while_pending.iter().flatten().any(Action::ends_the_turn);
        let gate =
            (can_wait && !denied && !interrupted && rng.chance(40)).then(|| self.actions(rng));
        Stage::Tool {
            tool,
            denied,
            while_pending,
            gate,
        }
    }

    /// Returns the host's actions while a turn waits. Only the last one may end the turn.
    fn actions(&self, rng: &mut Random) -> Vec<Action> {
        let mut all = vec![];
        for _ in 0..1 + rng.below(3) {
            let action = match rng.below(100) {
                0..40 => Action::Prompt(priority(rng)),
                40..47 => Action::Command(self.command(rng), priority(rng)),
                47..57 => Action::Cancel {
                    is_there: rng.chance(80),
                },
                57..80 => Action::Request(request(rng, ANY_TIME)),
                _ => Action::Interrupt {
                    cancels_queued: rng.chance(40),
                },
            };
            let is_last = action.ends_the_turn();
            all.push(action);
            if is_last {
                break;
            }
        }
        all
    }

    /// Returns a command. The real CLI counts the summary of `/compact` as a sub-agent,
    /// but the fake agent does not.
    fn command(&self, rng: &mut Random) -> &'static str {
        let command = rng.pick(&COMMANDS);
        if command == "/compact" && self.has_hook("SubagentStop") {
            return "/cost";
        }
        command
    }
}

/// Returns a turn without permission requests.
fn silent(rng: &mut Random) -> Turn {
    let stages = several_of(rng, 2, |rng| rng.pick(&[Stage::Thinking, Stage::Text]));
    Turn { stages }
}

fn several_of<T>(rng: &mut Random, most: usize, mut one: impl FnMut(&mut Random) -> T) -> Vec<T> {
    (0..rng.below(most + 1)).map(|_| one(rng)).collect()
}

fn at_idle(rng: &mut Random) -> Action {
    match rng.below(10) {
        0 => Action::Cancel {
            is_there: rng.chance(50),
        },
        1 => Action::Interrupt {
            cancels_queued: rng.chance(50),
        },
        _ => Action::Request(request(rng, usize::MAX)),
    }
}

fn request(rng: &mut Random, most: usize) -> Value {
    let all = requests();
    let most = most.min(all.len());
    rng.pick(&all[..most])
}

fn priority(rng: &mut Random) -> Option<&'static str> {
    rng.pick(&[None, None, Some("now"), Some("next"), Some("later")])
}

fn hooks(rng: &mut Random) -> Vec<(&'static str, Value)> {
    let answer = |it: Value| json!({ "answer": it });
    let mut all = vec![];
    if rng.chance(60) {
        return all;
    }
    for event in [
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PermissionDenied",
        "PreCompact",
        "SessionEnd",
        "Notification",
    ] {
        if rng.chance(60) {
            continue;
        }
        let specific =
            |members: Value| answer(json!({"hookSpecificOutput": with_event(event, members)}));
        let special = match event {
            "PreToolUse" => specific(json!({"permissionDecision": rng.pick(&["allow", "deny"])})),
            "UserPromptSubmit" | "PostToolUse" => {
                specific(json!({"additionalContext": "The sky is blue."}))
            }
            "Stop" => {
                json!([{"answer": {"decision": "block", "reason": "Not yet."}}, {"answer": {}}])
            }
            _ => answer(json!({})),
        };
        let plain = answer(json!({}));
        all.push((event, if rng.chance(25) { special } else { plain }));
    }
    all
}

fn with_event(event: &str, mut members: Value) -> Value {
    members["hookEventName"] = event.into();
    members
}

impl Episode {
    fn asks_model(&self) -> bool {
        !matches!(self, Self::Command(_) | Self::Idle(_))
    }
}

impl Stage {
    pub(crate) fn ends_the_turn(&self) -> bool {
        let ends = |actions: &Vec<Action>| actions.iter().any(Action::ends_the_turn);
        match self {
            Self::Gate(actions) => ends(actions),
            Self::Tool {
                while_pending,
                gate,
                ..
            } => while_pending.iter().chain(gate).any(ends),
            _ => false,
        }
    }
}

impl Action {
    pub(crate) fn is_interrupt(&self) -> bool {
        matches!(self, Self::Interrupt { .. })
    }

    pub(crate) fn ends_the_turn(&self) -> bool {
        matches!(
            self,
            Self::Interrupt { .. } | Self::Prompt(Some("now")) | Self::Command(_, Some("now"))
        )
    }
}
