//! The table of the real CLI's flags, as measured. It contains their versions,
//! valid values, and support by the fake agent.

use crate::agent::Profile;
use serde_json::{Map, Value};

/// A command-line flag.
#[derive(Debug)]
pub(super) struct Flag {
    /// All names. Messages use the first name with two dashes.
    pub(super) names: &'static [&'static str],
    /// The arguments that the flag takes as its values.
    pub(super) takes: Values,
    /// The fake agent's support for the flag.
    pub(super) support: Support,
    /// The valid values of the flag.
    check: Check,
    /// The first and the last version that have the flag.
    versions: (Profile, Profile),
}

/// The arguments that a flag takes as its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// No argument.
    Nothing,
    /// The next argument.
    One,
    /// The next argument, unless that is a flag.
    Optional,
    /// The next argument, and all arguments up to the next flag.
    Several,
}

/// The fake agent's support for a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    Supported,
    /// Accepted, because the flag cannot change what a scripted agent does.
    Ignored,
    /// Reported on standard error, because the flag has no effect.
    Unsupported,
}

/// The valid values of a flag.
#[derive(Debug, Clone, Copy)]
enum Check {
    Any,
    OneOf(&'static [&'static str]),
    /// Any number of these values, separated by commas.
    AnyOf(&'static [&'static str]),
    Number,
    Positive,
    PositiveWhole,
    /// `auto`, or a number of tokens that is at least 100,000. A number below
    /// 1,000, or with the suffix `k`, counts thousands.
    Window,
    /// A file that exists.
    File,
    /// A JSON object, or a file that exists.
    ObjectOrFile,
    /// JSON text.
    Json,
    /// A JSON object.
    Object,
    /// A JSON object with servers, or a file that exists.
    Servers,
    /// A JSON object with agents, each with a description and a prompt, or a
    /// file that exists.
    Agents,
}

impl Flag {
    /// Returns the name for messages.
    pub(super) fn name(&self) -> &'static str {
        let long = self.names.iter().find(|name| name.starts_with("--"));
        long.or(self.names.first()).copied().unwrap_or_default()
    }

    /// Checks a value. Returns the expected values if it is invalid.
    pub(super) fn refuses(&self, value: &str) -> Option<String> {
        let is_number = |is_valid: fn(f64) -> bool| number(value).is_some_and(is_valid);
        let (is_valid, expected) = match self.check {
            Check::Any => return None,
            Check::OneOf(choices) => (choices.contains(&value), choices.join(", ")),
            Check::AnyOf(choices) => {
                let mut parts = value.split(',').map(str::trim);
                let is_valid = parts.all(|part| part.is_empty() || choices.contains(&part));
                (is_valid, choices.join(", "))
            }
            Check::Number => (is_number(|_| true), "a number".to_owned()),
            Check::Positive => (is_number(|it| it > 0.0), "a number above 0".to_owned()),
            Check::PositiveWhole => (
                is_number(|it| it > 0.0 && it.fract() == 0.0),
                "a whole number above 0".to_owned(),
            ),
            Check::Window => (
                value == "auto" || window(value).is_some_and(|tokens| tokens >= 100_000.0),
                "`auto`, or at least 100k".to_owned(),
            ),
            Check::File => (exists(value), "a file that exists".to_owned()),
            Check::Json => (
                serde_json::from_str::<Value>(value).is_ok(),
                "JSON".to_owned(),
            ),
            Check::Object => (is_object(value), "a JSON object".to_owned()),
            Check::ObjectOrFile => (
                is_object(value) || exists(value),
                "a JSON object, or a file that exists".to_owned(),
            ),
            Check::Servers => (
                object(value).is_some_and(|it| it.get("mcpServers").is_some_and(Value::is_object))
                    || exists(value),
                "a JSON object with `mcpServers`, or a file that exists".to_owned(),
            ),
            Check::Agents => (
                object(value).is_some_and(|agents| agents.values().all(is_agent)) || exists(value),
                "a JSON object of agents with `description` and `prompt`, or a file that exists"
                    .to_owned(),
            ),
        };
        (!is_valid).then_some(expected)
    }

    const fn check(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    const fn since(mut self, version: Profile) -> Self {
        self.versions.0 = version;
        self
    }

    const fn until(mut self, version: Profile) -> Self {
        self.versions.1 = version;
        self
    }

    fn is_in(&self, profile: Profile) -> bool {
        (order(self.versions.0)..=order(self.versions.1)).contains(&order(profile))
    }
}

/// Creates a flag that all versions have and that takes any value.
const fn flag(names: &'static [&'static str], takes: Values, support: Support) -> Flag {
    Flag {
        names,
        takes,
        support,
        check: Check::Any,
        versions: (Profile::V2_0_77, Profile::V2_1_332),
    }
}

/// Returns the flag with this name, if the version has it.
pub(super) fn find_flag(name: &str, profile: Profile) -> Option<&'static Flag> {
    FLAGS
        .iter()
        .find(|flag| flag.names.contains(&name) && flag.is_in(profile))
}

/// Returns a version's position in the order of versions. An agent without a
/// queue has the flags of the newest version.
fn order(profile: Profile) -> usize {
    match profile {
        Profile::V2_0_77 => 0,
        Profile::V2_1_197 => 1,
        _ => 2,
    }
}

/// Parses a number as JavaScript does. The empty string is 0.
pub(super) fn number(text: &str) -> Option<f64> {
    match text.trim() {
        "" => Some(0.0),
        text => text.parse().ok().filter(|it: &f64| it.is_finite()),
    }
}

fn window(text: &str) -> Option<f64> {
    let thousands = text.strip_suffix(['k', 'K']);
    let tokens = number(thousands.unwrap_or(text))?;
    let counts_thousands = thousands.is_some() || tokens < 1000.0;
    Some(if counts_thousands {
        tokens * 1000.0
    } else {
        tokens
    })
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

fn is_object(text: &str) -> bool {
    object(text).is_some()
}

fn is_agent(agent: &Value) -> bool {
    agent["description"].is_string() && agent["prompt"].is_string()
}

fn exists(path: &str) -> bool {
    std::fs::exists(path).unwrap_or(false)
}

use Check::{
    Agents, AnyOf, File, Json, Number, Object, ObjectOrFile, OneOf, Positive, PositiveWhole,
    Servers, Window,
};
use Profile::{V2_0_77, V2_1_197, V2_1_332};
use Support::{Ignored, Supported, Unsupported};
use Values::{Nothing, One, Optional, Several};

/// The permission modes. `manual` is another name of `default`.
const MODES: Check = OneOf(&[
    "acceptEdits",
    "auto",
    "bypassPermissions",
    "default",
    "dontAsk",
    "manual",
    "plan",
]);

/// The permission modes of 2.1.197.
const MODES_2_1_197: Check = OneOf(&[
    "acceptEdits",
    "auto",
    "bypassPermissions",
    "default",
    "dontAsk",
    "plan",
]);

/// The permission modes of 2.0.77.
const MODES_2_0_77: Check = OneOf(&[
    "acceptEdits",
    "bypassPermissions",
    "default",
    "delegate",
    "dontAsk",
    "plan",
]);

/// All flags of 2.0.77, 2.1.197 and 2.1.332, including hidden flags.
#[rustfmt::skip]
const FLAGS: &[Flag] = &[
    flag(&["--add-dir"], Several, Ignored),
    flag(&["--advisor"], One, Ignored).since(V2_1_197),
    flag(&["--agent"], One, Unsupported),
    flag(&["--agent-color"], One, Unsupported).since(V2_1_197),
    flag(&["--agent-id"], One, Unsupported).since(V2_1_197),
    flag(&["--agent-name"], One, Unsupported).since(V2_1_197),
    flag(&["--agent-type"], One, Unsupported).since(V2_1_197),
    flag(&["--agents"], One, Supported).check(Agents).since(V2_1_332),
    flag(&["--agents"], One, Supported).until(V2_1_197),
    flag(&["--agents-view-if-allowed"], Nothing, Unsupported).since(V2_1_332),
    flag(&["--allow-dangerously-skip-permissions"], Nothing, Supported),
    flag(&["--allow-other-models"], Nothing, Ignored).since(V2_1_332),
    flag(&["--allowedTools", "--allowed-tools"], Several, Supported),
    flag(&["--append-subagent-system-prompt"], One, Ignored).since(V2_1_332),
    flag(&["--append-subagent-system-prompt-file"], One, Ignored).since(V2_1_332),
    flag(&["--append-system-prompt"], One, Ignored),
    flag(&["--append-system-prompt-file"], One, Ignored).check(File),
    flag(&["--attach-serve"], One, Unsupported).since(V2_1_332),
    flag(&["--autocompact"], One, Ignored).check(Window).since(V2_1_332),
    flag(&["--await-claim"], Nothing, Unsupported).since(V2_1_332),
    flag(&["--await-initialize"], Nothing, Ignored).since(V2_1_332),
    flag(&["--ax-screen-reader"], Nothing, Ignored).since(V2_1_197),
    flag(&["--bare"], Nothing, Ignored).since(V2_1_197),
    flag(&["--betas"], Several, Ignored),
    flag(&["--bg", "--background"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--brief"], Nothing, Ignored).since(V2_1_197),
    flag(&["--channels"], Several, Unsupported).since(V2_1_197),
    flag(&["--chrome"], Nothing, Ignored),
    flag(&["--client-data-url"], One, Ignored).since(V2_1_332),
    flag(&["--cloud"], Optional, Unsupported).since(V2_1_197),
    flag(&["-c", "--continue"], Nothing, Supported),
    flag(&["--correlation-id"], One, Ignored).since(V2_1_332),
    flag(&["--dangerously-load-development-channels"], Several, Unsupported).since(V2_1_197),
    flag(&["--dangerously-skip-permissions"], Nothing, Supported),
    flag(&["-d", "--debug"], Optional, Ignored),
    flag(&["--debug-file"], One, Ignored).since(V2_1_197),
    flag(&["-d2e", "--debug-to-stderr"], Nothing, Ignored),
    flag(&["--deep-link-cwd-b64"], One, Unsupported).since(V2_1_197),
    flag(&["--deep-link-last-fetch"], One, Unsupported).since(V2_1_197),
    flag(&["--deep-link-origin"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--deep-link-repo"], One, Unsupported).since(V2_1_197),
    flag(&["--desktop"], Nothing, Unsupported).since(V2_1_332),
    flag(&["--disable-slash-commands"], Nothing, Unsupported),
    flag(&["--disallowedTools", "--disallowed-tools"], Several, Supported),
    flag(&["--effort"], One, Ignored).since(V2_1_197),
    flag(&["--enable-auth-status"], Nothing, Unsupported),
    flag(&["--enable-auto-mode"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--environment"], One, Unsupported).since(V2_1_332),
    flag(&["--exclude-dynamic-system-prompt-sections"], Nothing, Ignored).since(V2_1_197),
    flag(&["--fallback-model"], One, Supported),
    flag(&["--fast-mode"], One, Ignored).since(V2_1_332),
    flag(&["--file"], Several, Unsupported).since(V2_1_197),
    flag(&["--fork-session"], Nothing, Supported),
    flag(&["--forward-home-settings"], One, Unsupported).check(OneOf(&["true", "false", "1", "0"])).since(V2_1_332),
    flag(&["--forward-subagent-text"], Nothing, Supported).since(V2_1_332),
    flag(&["--from-pr"], Optional, Unsupported).since(V2_1_197),
    flag(&["-h", "--help"], Nothing, Unsupported),
    flag(&["--hold-repository-while-parked"], Nothing, Unsupported).since(V2_1_332),
    flag(&["--host-auth-is-org-sign-in"], Nothing, Ignored).since(V2_1_332),
    flag(&["--ide"], Nothing, Ignored),
    flag(&["--include-hook-events"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--include-partial-messages"], Nothing, Supported),
    flag(&["--include-unsupported-models"], Nothing, Ignored).since(V2_1_332),
    flag(&["--inherit-permission-mode"], One, Unsupported).check(MODES).since(V2_1_332),
    flag(&["--init"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--init-only"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--initialize-fields"], One, Ignored).since(V2_1_332),
    flag(&["--input-format"], One, Supported).check(OneOf(&["text", "stream-json"])),
    flag(&["--json-schema"], One, Supported).check(Object).since(V2_1_197),
    flag(&["--json-schema"], One, Supported).check(Json).until(V2_0_77),
    flag(&["--lead-verify-key"], One, Unsupported).since(V2_1_332),
    flag(&["--maintenance"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--managed-settings"], One, Ignored).since(V2_1_197),
    flag(&["--managed-settings-in-initialize"], Nothing, Ignored).since(V2_1_332),
    flag(&["--max-budget-usd"], One, Supported).check(Positive),
    flag(&["--max-thinking-tokens"], One, Ignored).check(Number).since(V2_1_332),
    flag(&["--max-thinking-tokens"], One, Ignored).until(V2_1_197),
    flag(&["--max-turns"], One, Supported).check(Number).since(V2_1_332),
    flag(&["--max-turns"], One, Supported).until(V2_1_197),
    flag(&["--mcp-config"], Several, Supported).check(Servers),
    flag(&["--mcp-debug"], Nothing, Ignored).until(V2_0_77),
    flag(&["--messaging-socket-path"], One, Unsupported).since(V2_1_332),
    flag(&["--metadata"], One, Ignored).since(V2_1_332),
    flag(&["--model"], One, Supported),
    flag(&["-n", "--name"], One, Ignored).since(V2_1_197),
    flag(&["--no-chrome"], Nothing, Ignored),
    flag(&["--no-session-persistence"], Nothing, Supported),
    flag(&["--on-branch"], One, Unsupported).since(V2_1_332),
    flag(&["--output-format"], One, Supported).check(OneOf(&["text", "json", "stream-json"])),
    flag(&["--parent-session-id"], One, Unsupported).since(V2_1_197),
    flag(&["--permission-mode"], One, Supported).check(MODES).since(V2_1_332),
    flag(&["--permission-mode"], One, Supported).check(MODES_2_1_197).since(V2_1_197).until(V2_1_197),
    flag(&["--permission-mode"], One, Supported).check(MODES_2_0_77).until(V2_0_77),
    flag(&["--permission-prompt-tool"], One, Supported),
    flag(&["--permission-prompts"], One, Unsupported).check(OneOf(&["host", "none"])).since(V2_1_332),
    flag(&["--plan-mode-instructions"], One, Unsupported).since(V2_1_197),
    flag(&["--plan-mode-required"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--plugin-dir"], One, Unsupported).since(V2_1_197),
    flag(&["--plugin-dir"], Several, Unsupported).until(V2_0_77),
    flag(&["--plugin-dir-no-mcp"], One, Unsupported).since(V2_1_197),
    flag(&["--plugin-url"], One, Unsupported).since(V2_1_197),
    flag(&["--pool"], One, Unsupported).since(V2_1_332),
    flag(&["--prefill"], One, Unsupported).since(V2_1_197),
    flag(&["--prefill-b64"], One, Unsupported).since(V2_1_197),
    flag(&["-p", "--print"], Nothing, Supported),
    flag(&["--proactivity"], One, Ignored).check(OneOf(&["ask", "default", "proactive"])).since(V2_1_332),
    flag(&["--project-config-root"], One, Ignored).since(V2_1_332),
    flag(&["--prompt-suggestions"], Optional, Unsupported).since(V2_1_197),
    flag(&["--rc"], Optional, Unsupported).since(V2_1_197),
    flag(&["--ref"], One, Unsupported).since(V2_1_332),
    flag(&["--remote"], Optional, Unsupported).since(V2_1_197),
    flag(&["--remote"], One, Unsupported).until(V2_0_77),
    flag(&["--remote-control"], Optional, Unsupported).since(V2_1_197),
    flag(&["--remote-control-session-name-prefix"], One, Unsupported).since(V2_1_197),
    flag(&["--replay-user-messages"], Nothing, Supported),
    flag(&["--reply-on-resume"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--restricted"], Nothing, Unsupported).since(V2_1_332),
    flag(&["-r", "--resume"], Optional, Supported),
    flag(&["--resume-drops-turn"], One, Supported).since(V2_1_332),
    flag(&["--resume-session-at"], One, Supported),
    flag(&["--rewind-files"], One, Unsupported),
    flag(&["--runner-declares"], One, Unsupported).since(V2_1_332),
    flag(&["--safe-mode"], Nothing, Ignored).since(V2_1_197),
    flag(&["--sdk-url"], One, Unsupported),
    flag(&["--session-began-as-copy"], One, Unsupported).since(V2_1_332),
    flag(&["--session-id"], One, Supported),
    flag(&["--session-mirror"], Nothing, Supported).since(V2_1_197),
    flag(&["--setting-sources"], One, Supported).check(AnyOf(&["user", "project", "local"])),
    flag(&["--settings"], One, Supported).check(ObjectOrFile),
    flag(&["--strict-mcp-config"], Nothing, Ignored),
    flag(&["--system-prompt"], One, Ignored),
    flag(&["--system-prompt-file"], One, Ignored).check(File),
    flag(&["--system-prompt-snapshot"], One, Ignored).check(OneOf(&["on", "off"])).since(V2_1_332),
    flag(&["--task-budget"], One, Ignored).check(PositiveWhole).since(V2_1_197),
    flag(&["--team-name"], One, Unsupported).since(V2_1_197),
    flag(&["--teammate-mode"], One, Unsupported).check(OneOf(&["auto", "tmux", "iterm2", "in-process"])).since(V2_1_197),
    flag(&["--teleport"], Optional, Unsupported),
    flag(&["--thinking"], One, Ignored).check(OneOf(&["enabled", "adaptive", "disabled"])).since(V2_1_197),
    flag(&["--thinking-display"], One, Ignored).check(OneOf(&["summarized", "omitted", "highlights"])).since(V2_1_197),
    flag(&["--tmux"], Nothing, Unsupported).since(V2_1_197),
    flag(&["--tools"], Several, Supported),
    flag(&["--verbose"], Nothing, Supported),
    flag(&["-v", "-V", "--version"], Nothing, Supported),
    flag(&["--watch-artifact"], One, Unsupported).since(V2_1_332),
    flag(&["--watch-artifact-no-autoreact"], One, Unsupported).since(V2_1_332),
    flag(&["--workload"], One, Ignored).since(V2_1_197),
    flag(&["-w", "--worktree"], Optional, Unsupported).since(V2_1_197),
];
