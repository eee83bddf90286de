//! Permission requests, and the tools that require the user. Such a tool has no
//! other effect than the host's response.

use super::answer::ToolAnswer;
use super::call::{PendingPermission, ToolCall};
use super::hooks::{Occasion, Verdict};
use super::rules::Rules;
use super::ruling::Ruling;
use super::{Agent, Decision};
use agentwire_protocol::codec::encode;
use agentwire_protocol::control;
use agentwire_protocol::hook::{HookKind, PermissionRequest, PermissionRequestDecision};
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{PermissionDeniedMessage, SessionState, Status};
use agentwire_protocol::permission::{
    CanUseTool, DecisionReason, PermissionBehavior, PermissionDestination, PermissionMode,
    PermissionResult, PermissionRule, PermissionUpdate,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::time::Instant;

impl Agent {
    /// Decides whether a tool may run: by a rule, by the permission mode, or by
    /// a permission request to the host.
    ///
    /// `reason` is the reason of a hook that requires the request. The
    /// permission mode and rules that allow the tool do not decide such a
    /// request, nor a request for a tool that requires the user.
    pub(super) fn ask(&mut self, now: Instant, id: &str, reason: Option<String>) {
        let Some(open) = self.calls.get(id) else {
            return;
        };
        let (call, input) = (open.call.clone(), open.input.clone());
        let rule = |behavior| self.config.rules.find(&behavior, &call.name, &input);
        if let Some(rule) = rule(PermissionBehavior::Deny) {
            let ruling = Ruling::by_rule(rule, &call.name, false);
            return self.deny_without_request(now, id, ruling, None);
        }
        let is_forced =
            reason.is_some() || call.requires_user() || rule(PermissionBehavior::Ask).is_some();
        let allowed = rule(PermissionBehavior::Allow).filter(|_| !is_forced);
        let allowed = allowed.map(|rule| Ruling::by_rule(rule, &call.name, true));
        let ruling = match &self.config.permission_mode {
            _ if is_forced => None,
            PermissionMode::BypassPermissions => Some(Ruling::MODE_ALLOWED),
            PermissionMode::AcceptEdits
                if self.config.declared.edits(&call.name)
                    || !call.needs_permission && call.name != "Bash" =>
            {
                Some(Ruling::MODE_ALLOWED)
            }
            _ if !call.needs_permission => Some(Ruling::without_request(&call.name)),
            _ => allowed,
        };
        if let Some(ruling) = ruling {
            self.set_ruling(id, ruling);
            return self.decide(now, id, Decision::Allowed(input));
        }
        match &self.config.permission_mode {
            mode if !is_forced && *mode == PermissionMode::DontAsk => {
                self.deny_without_request(now, id, Ruling::MODE_DENIED, None);
            }
            _ if !self.config.asks_host => {
                self.deny_without_request(now, id, Ruling::REQUESTS_DISABLED, reason);
            }
            _ if self.input_ended => self.deny_without_response(now, id),
            _ => {
                let request_id = (self.ids)();
                let owner = open.owner.clone();
                let mut question = self.question(&call, input, reason);
                question.agent_id = owner;
                self.set_state(SessionState::RequiresAction);
                let line = control::request(&request_id, &question);
                let request = (line.as_ref().ok())
                    .and_then(|line| serde_json::from_slice(line).ok())
                    .unwrap_or_else(Json::null);
                self.send(line);
                let ask = PendingPermission {
                    tool_use_id: id.to_owned(),
                    request,
                };
                self.permission_requests.insert(request_id, ask);
                let event = wire!(PermissionRequest {
                    tool_name: call.name.clone(),
                    tool_input: question.input,
                    permission_suggestions: question.permission_suggestions,
                    mcp_server: question.mcp_server,
                });
                let occasion = Occasion::Permission(id.to_owned());
                self.raise(now, occasion, Some(&call.name), event, Some(id));
            }
        }
    }

    /// Denies a tool call that needs permission without asking the host, and
    /// reports the denial. `reason` is set if a hook required the request.
    fn deny_without_request(
        &mut self,
        now: Instant,
        id: &str,
        ruling: Ruling,
        reason: Option<String>,
    ) {
        let Some(open) = self.calls.get(id) else {
            return;
        };
        let kind = reason.is_some().then_some("hook");
        let why = (reason.clone()).unwrap_or_else(|| {
            let name = &open.call.name;
            match open.input.member("command") {
                Some(command) if ruling.is_by_rule() => {
                    let command = command.read::<String>().unwrap_or_default();
                    format!("Permission to use {name} for {command} was not given.")
                }
                _ => format!("Permission to use {name} was not given."),
            }
        });
        let denied = wire!(PermissionDeniedMessage {
            tool_name: open.call.name.clone(),
            tool_use_id: id.to_owned(),
            agent_id: open.owner.clone(),
            decision_reason: reason,
            decision_reason_type: kind.or(ruling.reason_type()).map(str::to_owned),
            message: Some(why.clone()),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&denied));
        self.note_denial(id);
        self.set_ruling(id, ruling);
        self.decide(now, id, Decision::Denied(why));
    }

    /// Denies a tool because the host can no longer respond. Unlike
    /// [`deny_without_request`](Self::deny_without_request), the real agent does not report it.
    pub(super) fn deny_without_response(&mut self, now: Instant, id: &str) {
        self.note_denial(id);
        self.set_ruling(id, Ruling::INVALID_RESPONSE);
        let why = "The host closed the session.".to_owned();
        self.decide(now, id, Decision::Denied(why));
    }

    fn question(&self, call: &ToolCall, input: Json, reason: Option<String>) -> CanUseTool {
        let is_mcp = self.mcp.owns_tool(&call.name);
        let mut question = wire!(CanUseTool {
            display_name: Some(self.mcp.display_name(&call.name)),
            tool_use_id: Some(call.id.clone()),
            mcp_server: self.mcp.provenance(&call.name),
            // A hook may decide in place of the host.
            server_policy_ask_only: is_mcp.then(|| !self.hooks.has(&HookKind::PermissionRequest)),
            requires_user_interaction: call.requires_user().then_some(true),
            ..CanUseTool::new(&call.name, input)
        });
        if is_mcp {
            question.permission_suggestions = Some(vec![suggestion(&call.name)]);
        }
        if let Some(reason) = reason {
            question.decision_reason = Some(reason);
            question.decision_reason_type = Some(DecisionReason::Hook);
            let extra = &mut question.extra;
            extra.set("decision_reason_hook_event", "PreToolUse");
            extra.set("decision_reason_hook_source", "settings");
        }
        with_members(question, &call.question)
    }

    /// Handles the response to a permission request.
    pub(super) fn permission_answered(
        &mut self,
        now: Instant,
        ask: &PendingPermission,
        answer: Result<Option<Json>, String>,
    ) {
        let id = &ask.tool_use_id;
        // The first response decides.
        self.drop_permission_hooks(id);
        let requires_input = self.config.requires_updated_input;
        let result = answer.and_then(|answer| read_strictly(answer.as_ref()));
        let result = result.and_then(|result| match result {
            PermissionResult::Allow(allow) if requires_input && allow.updated_input.is_none() => {
                Err("`updatedInput` is missing".to_owned())
            }
            result => Ok(result),
        });
        if let Ok(PermissionResult::Allow(allow)) = &result {
            self.apply_updates(allow.updated_permissions.as_deref().unwrap_or_default());
        }
        self.set_state(SessionState::Running);
        let ruling = match &result {
            Ok(PermissionResult::Allow(_)) => Ruling::HOST_ALLOWED,
            Ok(PermissionResult::Deny(_)) => Ruling::HOST_DENIED,
            _ => Ruling::INVALID_RESPONSE,
        };
        self.set_ruling(id, ruling);
        match result {
            Ok(PermissionResult::Allow(allow)) => self.allow(now, id, allow.updated_input),
            Ok(PermissionResult::Deny(deny)) => {
                let ends_turn = deny.interrupt == Some(true);
                self.deny(now, id, deny.message, ends_turn);
            }
            Ok(_) => self.deny(now, id, "The permission answer is not valid.", false),
            Err(why) => {
                let why = format!("The permission answer is not valid: {why}");
                self.deny(now, id, why, false);
            }
        }
    }

    /// Applies the permission updates of a response: rules and the mode.
    fn apply_updates(&mut self, updates: &[PermissionUpdate]) {
        for update in updates {
            match update {
                PermissionUpdate::SetMode(update) => self.enter_mode(update.mode.clone()),
                update => self.config.rules.update(update),
            }
        }
    }

    /// Returns the permission mode.
    #[must_use]
    pub fn permission_mode(&self) -> &PermissionMode {
        &self.config.permission_mode
    }

    /// Returns the permission rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.config.rules
    }

    /// Switches to another permission mode, and reports it to the host.
    pub(super) fn enter_mode(&mut self, mode: PermissionMode) {
        if self.config.permission_mode == mode {
            return;
        }
        self.config.permission_mode = mode.clone();
        self.send_status(wire!(Status {
            permission_mode: Some(mode),
        }));
    }

    /// Continues after the `PermissionRequest` hooks, which run at the same
    /// time as the request to the host. All of them have responded, or one has
    /// decided.
    pub(super) fn after_permission_hooks(&mut self, now: Instant, id: &str, verdict: Verdict) {
        let decision = verdict.permission;
        if decision.is_none() && !verdict.timed_out {
            // No hook has decided, so the host decides.
            return;
        }
        let Some(request_id) = self.find_permission_request(id) else {
            return;
        };
        // After a timeout the request to the host stays pending, and the
        // session state remains `requires_action`.
        if decision.is_some() {
            self.permission_requests.remove(&request_id);
            self.cancel(&request_id);
            self.set_state(SessionState::Running);
        }
        self.send_hook_messages("PermissionRequest", verdict.messages);
        match decision {
            Some(PermissionRequestDecision::Allow(allow)) => {
                self.set_ruling(id, Ruling::HOOK_ALLOWED);
                self.allow(now, id, allow.updated_input);
            }
            Some(PermissionRequestDecision::Deny(deny)) => {
                self.set_ruling(id, Ruling::HOOK_DENIED);
                let why = deny.message.as_deref();
                let why = why.unwrap_or("A PermissionRequest hook denied it.");
                self.deny(now, id, why, deny.interrupt == Some(true));
            }
            _ => {
                self.set_ruling(id, Ruling::INVALID_RESPONSE);
                let why = "A PermissionRequest hook did not answer in time.";
                self.deny(now, id, why, false);
            }
        }
    }

    fn find_permission_request(&self, id: &str) -> Option<String> {
        let mut requests = self.permission_requests.iter();
        requests.find_map(|(request, ask)| (ask.tool_use_id == id).then(|| request.clone()))
    }

    fn allow(&mut self, now: Instant, id: &str, updated: Option<Json>) {
        let Some(open) = self.calls.get(id) else {
            return;
        };
        let input = updated.unwrap_or_else(|| open.input.clone());
        self.decide(now, id, Decision::Allowed(input));
    }

    fn deny(&mut self, now: Instant, id: &str, why: impl Into<String>, ends_turn: bool) {
        self.note_denial(id);
        if ends_turn {
            self.abort(now, true);
        } else {
            self.decide(now, id, Decision::Denied(why.into()));
        }
    }

    /// Cancels all pending permission requests, and records them as denials.
    /// Returns whether there were any.
    pub(super) fn cancel_permission_requests(&mut self) -> bool {
        let requests = std::mem::take(&mut self.permission_requests);
        for (request_id, ask) in &requests {
            self.cancel(request_id);
            self.note_denial(&ask.tool_use_id);
        }
        !requests.is_empty()
    }

    /// Cancels all pending permission requests, because of a prompt with the
    /// priority `now`. Returns their tool calls, which must still be denied.
    pub(super) fn withdraw_permission_requests(&mut self) -> Vec<String> {
        let requests = std::mem::take(&mut self.permission_requests);
        for request_id in requests.keys() {
            self.cancel(request_id);
        }
        let calls: Vec<_> = requests.into_values().map(|ask| ask.tool_use_id).collect();
        self.cancel_permission_hooks(&calls);
        calls
    }

    /// Denies tool calls whose permission requests were cancelled.
    pub(super) fn deny_withdrawn(&mut self, now: Instant, calls: &[String]) {
        for id in calls {
            self.set_state(SessionState::Running);
            self.set_ruling(id, Ruling::WITHDRAWN_FOR_PROMPT);
            self.deny(now, id, "The permission ask was taken back.", false);
        }
    }

    pub(super) fn note_denial(&mut self, id: &str) {
        if let (Some(turn), Some(open)) = (&mut self.turn, self.calls.get(id)) {
            let listed = self.config.declared.listed_names.get(&open.call.name);
            let name = listed.unwrap_or(&open.call.name).clone();
            turn.note_denial(&open.call, name);
        }
    }

    /// Returns whether a tool does not exist for the model.
    pub(super) fn is_disabled(&self, tool: &str) -> bool {
        let disabled = &self.config.declared.disabled_tools;
        disabled.contains(tool) || self.config.rules.disable(tool)
    }

    /// Returns why a tool cannot run at all, without a permission request.
    /// Returns `None` if the tool can run.
    pub(super) fn refusal(&self, call: &ToolCall) -> Option<String> {
        let in_plan_mode = self.config.permission_mode == PermissionMode::Plan;
        if call.name == "ExitPlanMode" && !in_plan_mode {
            return Some("There is no plan mode to leave.".to_owned());
        }
        if self.is_disabled(&call.name) {
            let name = &call.name;
            return Some(format!("No such tool available: {name}. It is disabled."));
        }
        self.mcp.refusal(&call.name)
    }

    /// Handles the approval of a plan. Leaves plan mode, unless the approval
    /// already set another mode.
    pub(super) fn leave_plan_mode(&mut self, input: &Json) -> ToolAnswer {
        if self.config.permission_mode == PermissionMode::Plan {
            self.enter_mode(PermissionMode::Default);
        }
        let plan = input.member("plan").and_then(|it| it.read::<String>().ok());
        let text = match plan {
            Some(plan) => format!("The user approved the plan.\n\n{plan}"),
            None => "The user approved the plan.".to_owned(),
        };
        ToolAnswer::text(&text, None)
    }

    /// Sends a status. Without a [`Status::status`], the member is sent as
    /// `null`.
    pub(super) fn send_status(&mut self, status: Status) {
        let mut status = wire!(Status {
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..status
        });
        if status.status.is_none() {
            status.extra.set("status", Json::null());
        }
        self.send(encode(&status));
    }
}

/// Reads a permission response as strictly as the real CLI does: if
/// `updatedInput` is `null`, the whole response is invalid.
fn read_strictly<T: DeserializeOwned>(answer: Option<&Json>) -> Result<T, String> {
    let answer = answer.ok_or("there is none")?;
    if answer
        .member("updatedInput")
        .is_some_and(|input| input.is_null())
    {
        return Err("`updatedInput` is null".to_owned());
    }
    answer.read().map_err(|error| error.to_string())
}

/// Returns the suggested rule in a permission request for a tool of a server.
fn suggestion(tool: &str) -> PermissionUpdate {
    PermissionUpdate::add_rules(
        [PermissionRule::new(tool)],
        PermissionBehavior::Allow,
        PermissionDestination::LocalSettings,
    )
}

/// Adds members to a permission request. Returns the request unchanged if the
/// result would be invalid.
fn with_members(question: CanUseTool, members: &Json) -> CanUseTool {
    let all = || -> serde_json::Result<CanUseTool> {
        let mut all: BTreeMap<String, Json> = Json::from_value(&question)?.read()?;
        all.extend(members.read::<BTreeMap<String, Json>>()?);
        Json::from_value(&all)?.read()
    };
    all().unwrap_or(question)
}
