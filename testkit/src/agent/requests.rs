//! Control requests of the host.
//!
//! The agent handles requests about the session itself: the handshake,
//! interrupts, the queue, the permission mode, tasks and MCP servers inside the
//! host. All others are passed to the driver as [`Event::Requested`].

use super::{Agent, Event};
use agentwire_protocol::codec::encode;
use agentwire_protocol::control::{
    self, Answer, AnswerKind, ControlResponse, Initialize, InitializeAnswer, Interrupt,
    InterruptReceipt, McpStatusAnswer, Refusal, SetPermissionMode, SetPermissionModeAnswer,
    StopTask,
};
use agentwire_protocol::frame::Frame;
use agentwire_protocol::json::{Json, Members};
use agentwire_protocol::mcp::McpMessage;
use agentwire_protocol::message::{CommandState, SessionState, SessionTitleChanged, UserMessage};
use agentwire_protocol::permission::PermissionMode;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Instant;

impl Agent {
    pub(super) fn handle_request(&mut self, now: Instant, frame: &Frame) {
        let Some(request_id) = frame.request_id().map(Box::<str>::from) else {
            return;
        };
        #[derive(serde::Deserialize)]
        struct Envelope {
            request: Json,
        }
        let Ok(Envelope { request }) = frame.read::<Envelope>() else {
            return self.exit(1, Some("A control_request without a request.".to_owned()));
        };
        match frame.subtype().unwrap_or_default() {
            "initialize" => match request.read::<Initialize>() {
                Ok(request) => self.respond_to_initialize(&request_id, request),
                Err(error) => self.refuse_invalid(&request_id, &error),
            },
            // Values of `cancel_queued` other than `true` are ignored.
            "interrupt" => {
                let interrupt = request.read::<Interrupt>().unwrap_or_default();
                self.handle_interrupt(now, &request_id, &interrupt);
            }
            "set_permission_mode" => {
                let mode = request.read::<SetPermissionMode>().map(|it| it.mode);
                self.set_mode(&request_id, mode.ok());
            }
            "cancel_async_message" if self.config.has_queue => {
                let uuid = request.member("message_uuid");
                let uuid = uuid.and_then(|uuid| uuid.read::<String>().ok());
                let cancelled = uuid.as_ref().is_some_and(|uuid| self.withdraw(uuid));
                let mut answer = json!({ "cancelled": cancelled });
                if cancelled {
                    answer["message_uuid"] = uuid.into();
                }
                self.answer(&request_id, Ok(answer));
            }
            "mcp_status" => {
                let answer = wire!(McpStatusAnswer {
                    mcp_servers: self.mcp.statuses(),
                });
                self.answer(&request_id, Ok(answer));
            }
            "mcp_toggle" => self.toggle_server(&request_id, &request),
            "mcp_set_servers" => self.set_servers(&request_id, &request),
            // An invalid message is accepted and discarded.
            "mcp_message" => {
                self.send(control::success::<Json>(&request_id, None));
                if let Ok(message) = request.read::<McpMessage>() {
                    self.handle_server_message(&message);
                }
            }
            "stop_task" => match request.read::<StopTask>() {
                Ok(request) => {
                    self.stop_task(now, &request.task_id);
                    self.answer(&request_id, Ok(json!({})));
                }
                Err(_) => {
                    let why = "stop_task: task_id must be a string";
                    self.respond(&request_id, Err(Refusal::new(why)));
                }
            },
            _ => {
                self.awaits_driver = true;
                self.events.push_back(Event::Requested {
                    request_id: request_id.into(),
                    request,
                });
            }
        }
    }

    /// Responds to a request that arrived as [`Event::Requested`]. The response
    /// has a payload or none, or is an error.
    pub fn respond(&mut self, request_id: &str, response: Result<Option<Json>, Refusal>) {
        match response {
            Ok(payload) => self.send(control::success(request_id, payload.as_ref())),
            Err(refusal) => self.write_raw(control::failure(request_id, &refusal)),
        }
    }

    /// Responds to `initialize`. The response lists the pending requests to the
    /// host, for a host that connects again.
    fn respond_to_initialize(&mut self, request_id: &str, request: Initialize) {
        let sdk_mcp_manifests_parked = self.connect_servers(&request);
        self.configure(&request);
        let mut initialized = wire!(InitializeAnswer {
            hooks_applied: request.hooks.is_some().then_some(true),
            plugins_applied: request.plugins.is_some().then_some(true),
            mcp_servers_applied: request.mcp_servers.is_some().then_some(true),
            sdk_mcp_manifests_parked,
            ..self.initialize()
        });
        for (given, taken) in [
            ("settings", "settings_applied"),
            ("managedSettings", "managed_settings_applied"),
        ] {
            if request.extra.get(given).is_some() {
                initialized.extra.set(taken, Value::Bool(true));
            }
        }
        if let Some(hooks) = request.hooks {
            self.hooks.register(hooks);
        }
        let open = self
            .permission_requests
            .values()
            .map(|ask| listed(&ask.request));
        let dialogs = self.open_requests("request_user_dialog");
        let response = wire!(Answer {
            subtype: AnswerKind::Success,
            request_id: request_id.to_owned(),
            response: Json::from_value(&initialized).ok(),
            pending_permission_requests: Some(open.collect()),
            pending_elicitation_requests: self.open_requests("elicitation"),
            pending_user_dialog_requests: Some(dialogs.unwrap_or_default()),
        });
        self.send(encode(&wire!(ControlResponse { response })));
        if std::mem::replace(&mut self.is_initialized, true) {
            self.send_tasks();
        }
        self.list_manifest_tools();
    }

    /// Applies what the host configures with `initialize`.
    fn configure(&mut self, request: &Initialize) {
        let agents = request.agents.iter().flatten();
        let agents = agents.map(|(name, agent)| agent.info(name.clone()));
        self.config.declared.add_agents(agents);
        self.config.has_output_schema |= request.json_schema.is_some();
        self.config.forwards_subagent_text |= request.forward_subagent_text == Some(true);
    }

    fn initialize(&self) -> InitializeAnswer {
        let declared = &self.config.declared.initialize;
        wire!(InitializeAnswer {
            hook_on_failure_supported: Some(true),
            hooks_when_unanswered_kept: Some(0),
            other_hook_ask_outranks_host: Some(true),
            claude_code_version: Some(self.config.version.clone()),
            current_permission_mode: Some(self.config.permission_mode.clone()),
            pid: Some(self.config.pid),
            session_state: Some(self.state.clone()),
            capabilities: (self.config.has_queue)
                .then(|| declared.capabilities.clone().unwrap_or_default()),
            ..declared.clone()
        })
    }

    /// Sets the title of the session, and reports it to the host.
    pub fn set_title(&mut self, title: &str) {
        self.title = Some(title.to_owned());
        self.send_title();
    }

    /// Sends the title of the session to the host, if it has one.
    pub(super) fn send_title(&mut self) {
        let Some(title) = self.title.clone() else {
            return;
        };
        let changed = wire!(SessionTitleChanged {
            title,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&changed));
    }

    /// Sets the working directory, which the next `init` reports.
    pub fn set_cwd(&mut self, cwd: &str) {
        cwd.clone_into(&mut self.config.cwd);
    }

    /// Sets the model without reporting the change to the host.
    pub fn change_model(&mut self, model: &str) {
        model.clone_into(&mut self.config.model);
    }

    /// Sets the model. Reports a change to the host, unless the conversation
    /// has not begun.
    pub fn set_model(&mut self, model: &str) {
        if self.config.model == model {
            return;
        }
        self.change_model(model);
        if self.config.has_receipts && self.context.is_begun {
            let text =
                format!("<local-command-stdout>The model is {model} now.</local-command-stdout>");
            let mut message = UserMessage::new(text);
            message.is_replay = Some(true);
            self.send_user_message(message);
            // The echo of the command is then the last message, in place of the
            // result.
            self.last_turn_failed = false;
        }
    }

    /// Switches to a permission mode, or refuses to. `mode` is `None` if the
    /// request has no valid one.
    fn set_mode(&mut self, request_id: &str, mode: Option<PermissionMode>) {
        let mode = match mode {
            None | Some(PermissionMode::Unknown(_)) => {
                let why = "Cannot set permission mode: must be one of acceptEdits, auto, \
                           bypassPermissions, default, dontAsk, plan";
                let refusal = Refusal::new(why).code("invalid_mode");
                return self.respond(request_id, Err(refusal));
            }
            Some(PermissionMode::BypassPermissions) if !self.config.may_bypass => {
                let why = "Cannot set permission mode to bypassPermissions: the session was \
                           not launched with --dangerously-skip-permissions";
                let refusal = Refusal::new(why).code("bypass_not_launched");
                return self.respond(request_id, Err(refusal));
            }
            Some(mode) => mode,
        };
        let answer = wire!(SetPermissionModeAnswer {
            mode: Some(mode.clone()),
        });
        self.answer(request_id, Ok(answer));
        self.enter_mode(mode);
    }

    /// Handles an interrupt without a control request, such as SIGINT. Pending
    /// requests to the host are cancelled, the turn is aborted, queued messages
    /// are discarded, and then the agent exits with status 0.
    pub fn interrupt(&mut self, now: Instant) {
        self.cancel_requests();
        self.queue.drain().for_each(drop);
        self.exit(0, None);
        self.abort(now, true);
    }

    fn handle_interrupt(&mut self, now: Instant, request_id: &str, interrupt: &Interrupt) {
        // Pending requests are cancelled before the interrupt is answered.
        let had_permission_request = self.cancel_requests();
        let mut receipt = wire!(InterruptReceipt {
            still_queued: Some(vec![]),
        });
        if interrupt.cancel_queued == Some(true) {
            let withdrawn: Vec<String> = self.queue.drain().filter_map(|m| m.uuid).collect();
            for uuid in &withdrawn {
                self.lifecycle(uuid, CommandState::Cancelled);
            }
            receipt.cancelled = Some(withdrawn);
        } else {
            receipt.still_queued = Some(self.queue.uuids());
        }
        if self.config.has_receipts {
            self.answer(request_id, Ok(receipt));
        } else {
            self.respond(request_id, Ok(None));
        }
        if had_permission_request {
            self.set_state(SessionState::Running);
        }
        if self.turn.is_some() {
            self.abort(now, true);
        }
    }

    /// Cancels all pending requests to the host. Returns whether a permission
    /// request was among them.
    pub(super) fn cancel_requests(&mut self) -> bool {
        let had_permission_request = self.cancel_permission_requests();
        self.cancel_hooks();
        self.cancel_scripted_requests();
        self.cancel_mcp_calls();
        had_permission_request
    }

    fn withdraw(&mut self, uuid: &str) -> bool {
        let withdrawn = self.queue.withdraw(uuid);
        if withdrawn {
            self.lifecycle(uuid, CommandState::Cancelled);
        }
        withdrawn
    }

    fn answer<T: Serialize>(&mut self, request_id: &str, answer: serde_json::Result<T>) {
        match answer {
            Ok(answer) => self.send(control::success(request_id, Some(&answer))),
            Err(error) => self.refuse_invalid(request_id, &error),
        }
    }

    pub(super) fn refuse_invalid(&mut self, request_id: &str, error: &serde_json::Error) {
        let refusal = Refusal::new(error.to_string()).code("invalid_request");
        self.respond(request_id, Err(refusal));
    }
}

/// Returns a pending permission request, in the form that `initialize` lists.
fn listed(request: &Json) -> Json {
    let read = || {
        let mut line: Members = request.read().ok()?;
        let mut members: Members = line.get("request")?.read().ok()?;
        members.remove("server_policy_ask_only")?;
        line.set("request", Json::from_value(&members).ok()?);
        Json::from_value(&line).ok()
    };
    read().unwrap_or_else(|| request.clone())
}
