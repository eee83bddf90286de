//! Control requests that do not change the session's state machine.

use super::{Claude, checks, offers, reports};
use crate::agent::Agent;
use crate::scenario;
use agentwire_protocol::Json;
use agentwire_protocol::control::Refusal;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The outcome of a request: an optional payload, or an error.
type Response = Result<Option<Value>, Refusal>;

impl Claude {
    /// Responds as the scenario says. If the scenario has no response, responds
    /// as the CLI does.
    pub(in crate::fake_agent) fn respond(
        &mut self,
        now: Instant,
        agent: &mut Agent,
        request_id: &str,
        request: &Json,
    ) {
        let request: Value = request.read().unwrap_or_default();
        let subtype = request["subtype"].as_str().unwrap_or_default().to_owned();
        if subtype == "end_session" {
            agent.respond(request_id, Ok(None));
            return agent.handle_input_end(now);
        }
        if subtype == "set_model" {
            match &request["model"] {
                Value::String(name) if checks::is_blank(name) => {
                    let why = "The model name is blank.";
                    return refuse_model(agent, request_id, why, "catalog_unknown");
                }
                Value::String(_) | Value::Null => {}
                _ => {
                    let why = "set_model: model must be a string";
                    return refuse_model(agent, request_id, why, "invalid_request");
                }
            }
        }
        let response = match self.responses.get(&subtype) {
            Some(scripted) => {
                self.begin(agent, request_id, &subtype);
                Some(scripted_response(scripted))
            }
            None => self.response(agent, request_id, &subtype, &request),
        };
        let Some(response) = response else {
            // 2.0.77 does not respond to unknown requests.
            if agent.config().version != "2.0.77" {
                let why = format!("Unsupported control request subtype: {subtype}");
                let refusal = Refusal::new(why).code("unsupported_request");
                agent.respond(request_id, Err(refusal));
            }
            return;
        };
        agent.respond(request_id, response.map(|it| it.map(Json::from)));
    }

    /// Reports the start of a slow request, as the CLI does.
    fn begin(&self, agent: &mut Agent, request_id: &str, subtype: &str) {
        if subtype != "side_question" {
            return;
        }
        let progress = json!({"request_id": request_id, "status": "started"});
        send_system(agent, "control_request_progress", progress);
    }

    /// Returns the response, or `None` if the CLI does not know the request.
    fn response(
        &mut self,
        agent: &mut Agent,
        request_id: &str,
        subtype: &str,
        request: &Value,
    ) -> Option<Response> {
        let done: Response = Ok(None);
        let with = |payload: Value| -> Response { Ok(Some(payload)) };
        if let Some(why) = checks::error(subtype, request) {
            return Some(refuse(why));
        }
        let text = |member: &str| request[member].as_str().unwrap_or_default();
        Some(match subtype {
            "set_model" => self.set_model(agent, request),
            "apply_flag_settings" => self.apply_settings(agent, request),
            "update_settings" => {
                let source = &request["source"];
                refuse(format!(
                    "update_settings: the source {source} is not supported"
                ))
            }
            "get_settings" => with(reports::settings(agent, &self.settings)),
            "list_permission_rules" => with(reports::rules(agent)),
            "get_context_usage" => with(reports::context(agent)),
            "get_session_cost" => with(json!({ "text": reports::cost(agent) })),
            "get_usage" => with(reports::usage(agent)),
            "get_status" => with(reports::status(agent)),
            "get_hooks_listing" => with(reports::hooks()),
            "get_plan" => with(json!({"exists": false})),
            "get_binary_version" => with(json!({
                "version": agent.config().version,
                "buildTime": "2026-01-01T00:00:00Z",
                "oldestDesktopSdk": "0.3.280",
            })),
            "list_models" => with(reports::list_models()),
            "reload_output_styles" => with(json!({"available_output_styles": offers::STYLES})),
            "reload_skills" => with(json!({ "skills": offers::skills() })),
            "reload_plugins" => with(reload_plugins(request)),
            "rename_session"
                if request
                    .get("session_id")
                    .is_some_and(|it| it != agent.session_id()) =>
            {
                refuse("The session_id is not that of this session.")
            }
            "rename_session" => {
                agent.set_title(text("title"));
                done
            }
            "generate_session_title" => with(json!({"title": null})),
            "side_question" => {
                self.begin(agent, request_id, subtype);
                let text = "The scenario has no response to side questions.";
                // Without a question, the CLI itself generates the response.
                let is_synthetic = !request["question"].is_string();
                with(json!({"response": text, "synthetic": is_synthetic}))
            }
            "set_has_subscribers" | "set_max_thinking_tokens" | "seed_read_state" => done,
            "message_rated" => with(json!({})),
            "set_cwd" => with(set_cwd(agent, request)),
            "file_suggestions" => with(json!({"suggestions": [], "cwd": agent.config().cwd})),
            "read_file" => refuse(format!("read denied: {}", text("path"))),
            "register_repo_root" => refuse("register_repo_root: there is no such path"),
            "rewind_files" => self.rewind(request),
            "background_tasks" => with(match text("tool_use_id") {
                "" => json!({}),
                _ => json!({"backgrounded": false}),
            }),
            "get_task_output" => refuse("get_task_output: there is no such task in this session"),
            "mcp_call" => {
                let tool = text("tool");
                let server = tool.split("__").nth(1).unwrap_or(tool);
                refuse(format!("MCP server not connected: {server}"))
            }
            "mcp_read_resource" | "mcp_reconnect" | "mcp_authenticate" | "mcp_clear_auth" => {
                refuse(format!("Server not found: {}", text("serverName")))
            }
            "mcp_oauth_callback_url" => refuse(format!(
                "No login to the server {} is running",
                text("serverName")
            )),
            // Scripted responses complete the login.
            "claude_authenticate" => with(json!({
                "manualUrl": "https://login.invalid/code",
                "automaticUrl": "https://login.invalid/redirect",
            })),
            "claude_oauth_callback" | "claude_oauth_wait_for_completion" => {
                refuse("No login of claude_authenticate is running")
            }
            "set_mcp_permission_mode_override" => with(json!({
                "warning": format!("there is no server {} yet", text("serverName")),
            })),
            _ => return None,
        })
    }

    fn set_model(&mut self, agent: &mut Agent, request: &Value) -> Response {
        let name = match &request["model"] {
            Value::Null => None,
            name => name.as_str(),
        };
        let model = self.model(name);
        agent.set_model(&model);
        if !agent.config().has_receipts {
            return Ok(None);
        }
        Ok(Some(json!({ "model": model })))
    }

    fn apply_settings(&mut self, agent: &mut Agent, request: &Value) -> Response {
        let settings = request["settings"].as_object();
        for (name, value) in settings.into_iter().flatten() {
            if value.is_null() {
                self.settings.remove(name);
            } else {
                self.settings.insert(name.clone(), value.clone());
            }
        }
        if let Some(model) = settings.and_then(|it| it.get("model")) {
            let model = self.model(model.as_str());
            agent.set_model(&model);
        }
        Ok(None)
    }

    /// Rewinds files. This changes nothing, because the tools of the fake agent
    /// do not change files.
    fn rewind(&self, request: &Value) -> Response {
        let is_known = request["user_message_id"]
            .as_str()
            .is_some_and(|id| self.prompts.iter().any(|it| it == id));
        let is_dry_run = checks::is_truthy(&request["dry_run"]);
        let why = if !self.has_checkpoints {
            "File checkpoints are not enabled."
        } else if !is_known {
            "There is no checkpoint of this message."
        } else if is_dry_run {
            return Ok(Some(json!({
                "canRewind": true, "filesChanged": [], "insertions": 0, "deletions": 0,
            })));
        } else {
            return Ok(Some(json!({"canRewind": true, "skippedLinks": []})));
        };
        if is_dry_run {
            return Ok(Some(json!({"canRewind": false, "error": why})));
        }
        refuse(why)
    }
}

/// Refuses a model. The error names the current model.
fn refuse_model(agent: &mut Agent, request_id: &str, why: &str, code: &str) {
    let response = json!({"type": "control_response", "response": {
        "subtype": "error",
        "request_id": request_id,
        "error": why,
        "error_code": code,
        "model": agent.model(),
    }});
    agent.write_raw(format!("{response}\n"));
}

fn scripted_response(scripted: &scenario::Response) -> Response {
    match scripted {
        scenario::Response::Success { response } if response.is_null() => Ok(None),
        scenario::Response::Success { response } => Ok(Some(response.clone())),
        scenario::Response::Error { error, code } => {
            let refusal = Refusal::new(error);
            Err(match code {
                Some(code) => refusal.code(code),
                None => refusal,
            })
        }
    }
}

/// Sends a system message.
fn send_system(agent: &mut Agent, subtype: &str, mut message: Value) {
    message["type"] = "system".into();
    message["subtype"] = subtype.into();
    if let Value::Object(message) = message {
        agent.send_message(message);
    }
}

fn refuse(why: impl Into<String>) -> Response {
    Err(Refusal::new(why))
}

/// Returns the response to `reload_plugins`, which reports that no plugin is
/// new.
fn reload_plugins(request: &Value) -> Value {
    let mut response = json!({
        "commands": offers::commands(), "agents": offers::agents(),
        "plugins": offers::plugins(), "mcpServers": [], "error_count": 0,
    });
    if checks::is_truthy(&request["hold_on_cache_impact"]) {
        response["held"] = false.into();
    }
    response
}

/// Changes the working directory if the host trusts it, and returns the
/// response to `set_cwd`.
fn set_cwd(agent: &mut Agent, request: &Value) -> Value {
    let cwd = Path::new(&agent.config().cwd);
    let path = cwd.join(request["path"].as_str().unwrap_or_default());
    let rejected = |reason: &str| {
        let message = format!("There is no directory {}.", path.display());
        json!({"status": "rejected", "reason": reason, "message": message})
    };
    let found = match fs::canonicalize(&path) {
        Err(_) => return rejected("not_found"),
        Ok(found) if !found.is_dir() => return rejected("not_a_directory"),
        Ok(found) => found,
    };
    let is_new = fs::canonicalize(cwd).is_ok_and(|cwd| cwd != found);
    let found = found.to_string_lossy().into_owned();
    if is_new && request["trust_accepted"] != true {
        return json!({"status": "needs_trust", "directory": found});
    }
    if is_new {
        agent.set_cwd(&found);
        send_system(agent, "ui_invalidate", json!({"event": "ui.render"}));
    }
    json!({
        "status": "ok", "cwd": agent.config().cwd, "changed": is_new, "transcript_relocated": true,
    })
}
