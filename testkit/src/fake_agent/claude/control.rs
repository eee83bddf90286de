//! Control requests of the host that are not about the session's state machine.

use super::{Claude, offers, reports};
use crate::scenario;
use agentwire_protocol::Json;
use agentwire_protocol::agent::Agent;
use agentwire_protocol::control::Refusal;
use serde_json::{Value, json};
use std::time::Instant;

/// What a request gets: a payload, none, or an error.
type Response = Result<Option<Value>, Refusal>;

impl Claude {
    /// Responds to a request: as the scenario says, or else as the CLI does.
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
        if subtype == "set_model" && !(request["model"].is_string() || request["model"].is_null()) {
            return refuse_model(agent, request_id);
        }
        let response = match self.responses.get(&subtype) {
            Some(scripted) => {
                self.begin(agent, request_id, &subtype);
                Some(scripted_response(scripted))
            }
            None => self.response(agent, request_id, &subtype, &request),
        };
        let Some(response) = response else {
            // A CLI that knows nothing of such requests does not answer.
            if agent.config().version != "2.0.77" {
                let why = format!("Unsupported control request subtype: {subtype}");
                let refusal = Refusal::new(why).code("unsupported_request");
                agent.respond(request_id, Err(refusal));
            }
            return;
        };
        agent.respond(request_id, response.map(|it| it.map(Json::from)));
    }

    /// Tells the host that a request takes its time, where the CLI does so.
    fn begin(&self, agent: &mut Agent, request_id: &str, subtype: &str) {
        if subtype != "side_question" {
            return;
        }
        let message = json!({
            "type": "system",
            "subtype": "control_request_progress",
            "request_id": request_id,
            "status": "started",
        });
        if let Value::Object(message) = message {
            agent.send_message(message);
        }
    }

    /// The response; none, if the CLI does not know the request.
    fn response(
        &mut self,
        agent: &mut Agent,
        request_id: &str,
        subtype: &str,
        request: &Value,
    ) -> Option<Response> {
        let done: Response = Ok(None);
        let with = |payload: Value| -> Response { Ok(Some(payload)) };
        Some(match subtype {
            "set_model" => self.set_model(agent, request),
            "set_max_thinking_tokens" => match &request["max_thinking_tokens"] {
                Value::Null | Value::Number(_) => done,
                _ => refuse(
                    "set_max_thinking_tokens: max_thinking_tokens must be an integer or null",
                ),
            },
            "apply_flag_settings" => self.apply_settings(agent, request),
            "update_settings" if !request["settings"].is_object() => {
                refuse(wrong("update_settings", "settings", "an object"))
            }
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
            "reload_skills" => {
                let skill = |name: &&str| json!({"name": name, "description": "", "builtin": true});
                let skills: Vec<_> = offers::SKILLS.iter().map(skill).collect();
                with(json!({ "skills": skills }))
            }
            "reload_plugins" => with(json!({
                "commands": offers::commands(), "agents": offers::agents(), "plugins": [],
                "mcpServers": [], "error_count": 0,
            })),
            "rename_session" => match request["title"].as_str() {
                None => refuse(wrong("rename_session", "title", "a string")),
                Some("") => refuse("The title must not be empty."),
                Some(title) => {
                    agent.set_title(title);
                    done
                }
            },
            "generate_session_title" => match request["description"].as_str() {
                None => refuse(wrong("generate_session_title", "description", "a string")),
                Some(_) => with(json!({"title": null})),
            },
            "side_question" => {
                self.begin(agent, request_id, subtype);
                let text = "The script does not answer side requests.";
                with(json!({"response": text, "synthetic": false}))
            }
            "set_has_subscribers" => match &request["has_subscribers"] {
                Value::Bool(_) => done,
                Value::Null if request.get("has_subscribers").is_some() => done,
                _ => refuse("set_has_subscribers: has_subscribers must be true, false or null"),
            },
            "set_cwd" => match request["path"].as_str().filter(|path| !path.is_empty()) {
                None => refuse(wrong("set_cwd", "path", "a string that is not empty")),
                Some(path) => with(json!({"status": "needs_trust", "directory": path})),
            },
            "file_suggestions" => with(json!({"suggestions": [], "cwd": agent.config().cwd})),
            "read_file" => {
                let path = request["path"].as_str().unwrap_or_default();
                refuse(format!("read denied: {path}"))
            }
            "register_repo_root" => refuse("register_repo_root: there is no such path"),
            "seed_read_state" => done,
            "rewind_files" => self.rewind(request),
            "background_tasks" => with(match request.get("tool_use_id") {
                Some(_) => json!({"backgrounded": false}),
                None => json!({}),
            }),
            "get_task_output" => match request["task_id"].as_str() {
                None => refuse(wrong("get_task_output", "task_id", "a string")),
                Some(_) => refuse("get_task_output: there is no such task in this session"),
            },
            "mcp_call" => match request["tool"].as_str() {
                None => refuse(wrong("mcp_call", "tool", "a string")),
                Some(tool) => {
                    let server = tool.split("__").nth(1).unwrap_or(tool);
                    refuse(format!("MCP server not connected: {server}"))
                }
            },
            "mcp_read_resource" | "mcp_reconnect" => match request["serverName"].as_str() {
                None => refuse(wrong(subtype, "serverName", "a string")),
                Some(server) => refuse(format!("Server not found: {server}")),
            },
            "set_mcp_permission_mode_override" => match request["serverName"].as_str() {
                None => refuse(wrong(subtype, "serverName", "a string")),
                Some(server) => with(json!({
                    "warning": format!("there is no server {server} yet"),
                })),
            },
            "message_rated" => {
                let is_known = |member: &str, values: [&str; 2]| {
                    request[member]
                        .as_str()
                        .is_some_and(|it| values.contains(&it))
                };
                let is_fine = request["messageUuid"].is_string()
                    && is_known("sentiment", ["positive", "negative"])
                    && is_known("surface", ["tool_use", "assistant_text"])
                    && request["cleared"].is_boolean();
                if is_fine {
                    done
                } else {
                    refuse("message_rated: a member is missing or not valid")
                }
            }
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
        let Value::Object(settings) = &request["settings"] else {
            return refuse(wrong("apply_flag_settings", "settings", "an object"));
        };
        if settings
            .get("permissions")
            .is_some_and(|it| !it.is_object())
        {
            return refuse(wrong("apply_flag_settings", "permissions", "an object"));
        }
        for (name, value) in settings {
            if value.is_null() {
                self.settings.remove(name);
            } else {
                self.settings.insert(name.clone(), value.clone());
            }
        }
        if let Some(model) = settings.get("model") {
            let model = self.model(model.as_str());
            agent.set_model(&model);
        }
        Ok(None)
    }

    /// Rewinds files. The tools of the fake agent change none.
    fn rewind(&self, request: &Value) -> Response {
        if !self.has_checkpoints {
            return refuse("rewind_files: file checkpoints are not enabled");
        }
        let is_known = request["user_message_id"]
            .as_str()
            .is_some_and(|id| self.prompts.iter().any(|it| it == id));
        let is_dry_run = request["dry_run"] == true;
        match (is_known, is_dry_run) {
            (true, true) => Ok(Some(json!({
                "canRewind": true, "filesChanged": [], "insertions": 0, "deletions": 0,
            }))),
            (true, false) => Ok(Some(json!({"canRewind": true, "skippedLinks": []}))),
            (false, true) => Ok(Some(json!({
                "canRewind": false, "error": "there is no checkpoint of this message",
            }))),
            (false, false) => refuse("rewind_files: there is no checkpoint of this message"),
        }
    }
}

/// Refuses a model that is no text. The error names the current one.
fn refuse_model(agent: &mut Agent, request_id: &str) {
    let response = json!({"type": "control_response", "response": {
        "subtype": "error",
        "request_id": request_id,
        "error": "set_model: model must be a string",
        "error_code": "invalid_request",
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

fn refuse(why: impl Into<String>) -> Response {
    Err(Refusal::new(why))
}

fn wrong(subtype: &str, member: &str, what: &str) -> String {
    format!("{subtype}: {member} must be {what}")
}
