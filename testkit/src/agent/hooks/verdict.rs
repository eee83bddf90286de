//! The combined output of the hooks of one event.

use agentwire_protocol::hook::{
    HookDecision, HookKind, HookOutput, PermissionRequestDecision, PermissionRequestDeny,
    SpecificOutput, SyncOutput, ToolDecision,
};
use agentwire_protocol::json::Json;
use agentwire_protocol::message::Informational;

/// The reason for a block if the hook gives none.
const NO_REASON: &str = "Blocked by hook";

/// The output of the hooks of one event, combined in the order of their
/// responses.
#[derive(Debug, Default)]
pub(in crate::agent) struct Verdict {
    /// Whether the tool may run: `deny` beats `ask`, which beats `allow`.
    pub(in crate::agent) decision: Option<ToolDecision>,
    /// The reason for the decision, from the last hook that made it.
    pub(in crate::agent) reason: String,
    /// The permission decision of the first hook that made one.
    pub(in crate::agent) permission: Option<PermissionRequestDecision>,
    /// The reasons of all hooks that block.
    pub(in crate::agent) blocks: Vec<String>,
    /// Whether a hook blocks because it failed.
    pub(in crate::agent) failed: bool,
    /// The reason why the turn must end. `None` if the turn continues.
    pub(in crate::agent) stop: Option<Option<String>>,
    /// The new input of the tool, from the last hook that changed it.
    pub(in crate::agent) updated_input: Option<Json>,
    /// The new output of the tool, from the last hook that changed it.
    pub(in crate::agent) updated_output: Option<Json>,
    /// Whether a hook adds context for the model, so that the turn must
    /// continue.
    pub(in crate::agent) has_context: bool,
    /// Whether the message about a blocked prompt omits the prompt.
    pub(in crate::agent) suppresses_prompt: bool,
    /// Messages for the user.
    pub(in crate::agent) messages: Vec<String>,
    /// Notices about failed hooks, sent later.
    pub(in crate::agent) notices: Vec<Informational>,
    /// Whether a hook timed out.
    pub(in crate::agent) timed_out: bool,
    /// Whether the host has closed the session. Hooks were then not called, or
    /// did not respond.
    pub(in crate::agent) host_is_gone: bool,
}

impl Verdict {
    /// Adds the output of a hook of this event.
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
            // Other output is meant for the model, which is scripted.
            _ => {}
        }
    }

    /// Adds the failure of a hook whose failure blocks.
    pub(super) fn fail(&mut self, kind: &HookKind, why: String) {
        self.failed = true;
        if *kind == HookKind::PermissionRequest {
            let denial = wire!(PermissionRequestDeny { message: Some(why) });
            self.permission
                .get_or_insert(PermissionRequestDecision::Deny(denial));
        } else {
            self.block(kind, why);
        }
    }

    /// Returns whether the verdict is final, so that the other hooks are not
    /// awaited.
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
            // A block does not apply to this event.
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

/// Reads the response of a hook as strictly as the real CLI does. Returns
/// `None` for an asynchronous hook, which is not awaited.
///
/// # Errors
///
/// If the response is not valid output for this event.
pub(super) fn read(kind: &HookKind, answer: Option<&Json>) -> Result<Option<SyncOutput>, String> {
    let answer = answer.ok_or("there is none")?;
    let output = match answer.read::<HookOutput>() {
        Ok(HookOutput::Sync(output)) => output,
        Ok(_) => return Ok(None),
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
