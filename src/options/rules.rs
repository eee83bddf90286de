//! Permission rules of the host.

use super::Options;
use super::settings::object;
use crate::event::Error;
use crate::hook::{Hook, HookCall};
use crate::permission::{Rules, RulesVerdict};
use agentwire_protocol::hook::{
    PreSkillShellCommand, PreSkillShellCommandOutput, PreToolUse, PreToolUseOutput,
};
use serde_json::{Value, json};
use std::sync::Arc;

impl Options {
    /// Sets permission rules for everything that the agent does in this session.
    ///
    /// ```
    /// use agentwire::{Options, Rules};
    ///
    /// let rules = Rules::builder()
    ///     .allow(["Bash(cargo *)", "Edit(src/**)"])
    ///     .deny(["Read(.env)", "Bash(git push *)"])
    ///     .build()?;
    /// let options = Options::new().rules(rules);
    /// # drop(options);
    /// # Ok::<(), agentwire::permission::RulesError>(())
    /// ```
    ///
    /// Deny and ask rules are passed to the agent as its own (`--disallowedTools`, and
    /// `permissions.ask` in the settings). So they also apply to actions without a permission
    /// request, such as reading a file of the project or a file that a prompt mentions as `@file`.
    /// A [gate](Hook::gate) before each tool call, and a hook before each shell command of a skill,
    /// deny calls that match a deny rule of [`Rules`] but not the agent's own.
    ///
    /// A call that matches an ask rule always goes to the permission callback. There is no request
    /// for a shell command of a skill, so one that matches is denied. A mentioned file that matches
    /// is read without a request. CLIs before 2.1.332 have no hook for shell commands of skills:
    /// there, only the agent's own rules apply to them.
    ///
    /// A rule without parentheses is about the tool: `Read` prevents neither `cat` nor `@file`;
    /// `Read(//**)` prevents both, and `*` prevents everything.
    ///
    /// Allow rules answer permission requests. Requests without a matching rule go to
    /// [`Options::on_permission`] or the stream ([`Options::requests_in_stream`]), or are denied.
    ///
    /// Relative paths start at [`Options::cwd`]. Connecting fails with
    /// [`Error::Option`](crate::Error) if the rules were built for another [working
    /// directory](crate::permission::RulesBuilder::working_directory), or if they contain ask rules
    /// and there is a [settings file](Options::settings_file), to which none can be added.
    pub fn rules(mut self, rules: Rules) -> Self {
        self.callbacks.rules = Some(Arc::new(rules));
        self.has_new_rules = true;
        self
    }

    /// Adds the rules to the agent's own, and adds the gate.
    pub(crate) fn with_rules(mut self) -> Result<Self, Error> {
        if !std::mem::take(&mut self.has_new_rules) {
            return Ok(self);
        }
        let Some(rules) = self.callbacks.rules.take() else {
            return Ok(self);
        };
        let rules = Arc::unwrap_or_clone(rules).of_session(self.cwd.as_deref());
        let rules = Arc::new(rules.map_err(|problem| Error::option("rules", problem))?);
        self.callbacks.rules = Some(Arc::clone(&rules));
        let (deny, ask) = rules.stopping();
        if deny.is_empty() && ask.is_empty() {
            return Ok(self);
        }
        self.disallowed_tools.extend(deny);
        if !ask.is_empty() {
            self.add_ask_rules(ask)?;
        }
        let gates = gates(&rules);
        Ok(gates.into_iter().fold(self, Self::hook))
    }

    fn add_ask_rules(&mut self, ask: Vec<String>) -> Result<(), Error> {
        if self.has("--settings") {
            let problem = "cannot be combined with a settings file: set `permissions.ask` there";
            return Err(Error::option("rules with ask rules", problem));
        }
        let settings = self.settings.as_ref();
        let settings = settings.map(|it| object("settings", it)).transpose()?;
        let mut settings = settings.unwrap_or_default();
        let permissions = settings.entry("permissions").or_insert_with(|| json!({}));
        let lists = permissions.as_object_mut();
        let lists = lists.map(|lists| lists.entry("ask").or_insert_with(|| json!([])));
        let Some(Value::Array(list)) = lists else {
            let problem = "`permissions` is not an object, or `permissions.ask` is not a list";
            return Err(Error::option("settings", problem));
        };
        list.extend(ask.into_iter().map(Value::from));
        self.settings = Some(settings.into());
        Ok(())
    }
}

/// Returns hooks that deny calls according to the rules before the agent runs them.
///
/// The second hook is not a gate, so that CLIs without the event are supported. The CLI does
/// not run a command whose hook does not respond in time, whether or not it is a gate.
fn gates(rules: &Arc<Rules>) -> [Hook; 2] {
    let (before_tool, before_command) = (Arc::clone(rules), Arc::clone(rules));
    let tool = Hook::new(move |call: HookCall<PreToolUse>| {
        let PreToolUse {
            tool_name,
            tool_input,
            ..
        } = call.event;
        let verdict = before_tool.stop(&tool_name, tool_input);
        async move {
            Some(match verdict? {
                RulesVerdict::Ask { .. } => PreToolUseOutput::ask(),
                verdict => PreToolUseOutput::deny(format!("Not allowed: {verdict}.")),
            })
        }
    });
    let command = Hook::new(move |call: HookCall<PreSkillShellCommand>| {
        let PreSkillShellCommand {
            tool_name,
            tool_input,
            ..
        } = call.event;
        let verdict = before_command.stop(&tool_name, tool_input);
        async move {
            let why = format!("Not allowed: {}.", verdict?);
            Some(PreSkillShellCommandOutput::deny(why))
        }
    });
    [tool.gate(), command]
}
