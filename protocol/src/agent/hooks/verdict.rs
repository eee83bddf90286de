//! What several hooks say together.

use crate::hook::{
    HookDecision, HookKind, HookOutput, PermissionRequestDecision, PermissionRequestDeny,
    SpecificOutput, SyncOutput, ToolDecision,
};
use crate::json::Json;
use crate::message::Informational;

/// Why, where a hook does not say.
const NO_REASON: &str = "Blocked by hook";

/// What the hooks of an event said, taken together in the order in which they
/// answered.
#[derive(Debug, Default)]
pub(in crate::agent) struct Verdict {
    /// Whether the tool may run: to deny beats to ask, and that to allow.
    pub(in crate::agent) decision: Option<ToolDecision>,
    /// Why, from whoever said it last.
    pub(in crate::agent) reason: String,
    /// The answer to a permission ask, from whoever gave one first.
    pub(in crate::agent) permission: Option<PermissionRequestDecision>,
    /// Why it may not be, for each hook that blocks.
    pub(in crate::agent) blocks: Vec<String>,
    /// Whether a hook blocks because it failed.
    pub(in crate::agent) failed: bool,
    /// The turn is to end, and why.
    pub(in crate::agent) stop: Option<Option<String>>,
    /// The tool's input, from whoever changed it last.
    pub(in crate::agent) updated_input: Option<Json>,
    /// The tool's answer, likewise.
    pub(in crate::agent) updated_output: Option<Json>,
    /// Whether the model is told something, and has to go on for it.
    pub(in crate::agent) has_context: bool,
    /// Whether a prompt that is blocked is not repeated.
    pub(in crate::agent) suppresses_prompt: bool,
    /// What the user is told.
    pub(in crate::agent) messages: Vec<String>,
    /// What is told later of hooks that failed.
    pub(in crate::agent) notices: Vec<Informational>,
    /// Whether a hook did not answer in time.
    pub(in crate::agent) timed_out: bool,
    /// Whether the host is gone and was not asked, or did not answer.
    pub(in crate::agent) is_unheard: bool,
}

impl Verdict {
    /// A hook of this event answered.
    pub(super) fn add(&mut self, kind: &HookKind, output: SyncOutput) {
        if output.keep_going == Some(false) {
            self.stop = Some(output.stop_reason);
        }
        self.messages.extend(output.system_message);
        let reason = output.reason.unwrap_or_else(|| NO_REASON.to_owned());
        match output.decision {
            Some(HookDecision::Block) => self.block(kind, reason),
            Some(HookDecision::Approve) => self.decide(ToolDecision::Allow, String::new()),
            _ => {}
        }
        match output.specific {
            Some(SpecificOutput::PreToolUse(specific)) => {
                if let Some(decision) = specific.permission_decision {
                    let reason = specific.permission_decision_reason.unwrap_or_else(|| {
                        let is_denial = decision == ToolDecision::Deny;
                        if is_denial { NO_REASON } else { "" }.to_owned()
                    });
                    self.decide(decision, reason);
                }
                self.updated_input = specific.updated_input.or(self.updated_input.take());
            }
            Some(SpecificOutput::PostToolUse(specific)) => {
                let updated = specific
                    .updated_tool_output
                    .or(specific.updated_mcp_tool_output);
                self.updated_output = updated.or(self.updated_output.take());
            }
            Some(SpecificOutput::PermissionRequest(specific)) => {
                self.permission.get_or_insert(specific.decision);
            }
            Some(SpecificOutput::UserPromptSubmit(specific)) => {
                self.suppresses_prompt |= specific.suppress_original_prompt == Some(true);
            }
            Some(SpecificOutput::Stop(specific)) => {
                self.has_context |= specific.additional_context.is_some();
            }
            // What else can be said goes to the model, which is a script.
            _ => {}
        }
    }

    /// A hook failed for which that counts as a block.
    pub(super) fn fail(&mut self, kind: &HookKind, why: String) {
        self.failed = true;
        if *kind == HookKind::PermissionRequest {
            let denial = PermissionRequestDeny {
                message: Some(why),
                ..PermissionRequestDeny::default()
            };
            self.permission
                .get_or_insert(PermissionRequestDecision::Deny(denial));
        } else {
            self.block(kind, why);
        }
    }

    /// Whether the other hooks are not waited for.
    pub(super) fn is_final(&self, kind: &HookKind) -> bool {
        match kind {
            HookKind::PreToolUse => self.timed_out,
            HookKind::UserPromptSubmit => {
                self.timed_out || self.stop.is_some() || !self.blocks.is_empty()
            }
            HookKind::PermissionRequest => self.timed_out || self.permission.is_some(),
            _ => false,
        }
    }

    fn block(&mut self, kind: &HookKind, reason: String) {
        match kind {
            HookKind::PreToolUse => self.decide(ToolDecision::Deny, reason),
            // To this one it means nothing.
            HookKind::PermissionRequest => {}
            _ => self.blocks.push(reason),
        }
    }

    fn decide(&mut self, decision: ToolDecision, reason: String) {
        let weight = |decision: &ToolDecision| match decision {
            ToolDecision::Deny => 2,
            ToolDecision::Ask => 1,
            _ => 0,
        };
        let known = self.decision.as_ref().map_or(0, weight);
        if weight(&decision) >= known {
            self.decision = Some(decision);
            self.reason = reason;
        }
    }
}

/// Reads what a hook answered, as strictly as the real agent does. `None` is
/// a hook that is not waited for.
///
/// # Errors
///
/// When it is no answer to this event.
pub(super) fn read(kind: &HookKind, answer: Option<&Json>) -> Result<Option<SyncOutput>, String> {
    let answer = answer.ok_or("there is none")?;
    let output = match answer.read::<HookOutput>() {
        Ok(HookOutput::Sync(output)) => output,
        Ok(HookOutput::Async(_)) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if let Some(HookDecision::Unknown(decision)) = &output.decision {
        return Err(format!("`{decision}` is no decision"));
    }
    let Some(specific) = &output.specific else {
        return Ok(Some(output));
    };
    if specific.tag().as_deref() != Some(kind.as_str()) {
        return Err("it is the output of another event".to_owned());
    }
    let is_understood = match specific {
        SpecificOutput::PreToolUse(it) => {
            !matches!(it.permission_decision, Some(ToolDecision::Unknown(_)))
                && it.updated_input.as_ref().is_none_or(is_object)
        }
        SpecificOutput::PermissionRequest(it) => match &it.decision {
            PermissionRequestDecision::Allow(allow) => {
                allow.updated_input.as_ref().is_none_or(is_object)
            }
            PermissionRequestDecision::Deny(_) => true,
            _ => false,
        },
        _ => true,
    };
    if is_understood {
        Ok(Some(output))
    } else {
        Err("what it decides is not known".to_owned())
    }
}

fn is_object(value: &Json) -> bool {
    value.get().starts_with('{')
}
