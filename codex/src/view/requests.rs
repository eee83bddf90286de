//! Pending requests of Codex.

use super::items::{self, approval, call, text};
use super::{FOLLOWED, Feed, free, read, status, update};
use agentwire_protocol::Message;
use agentwire_view::entry::{Activity, Status};
use agentwire_view::{AcpInput, Input, View};
use serde_json::{Value, json};

/// The entry of a pending request.
#[derive(Debug, Clone)]
pub(super) enum RequestEntry {
    /// A call. `is_own` tells whether the entry was created for the request.
    Call { entry: String, is_own: bool },
    /// A question of the model.
    Question(String),
    /// A question of an MCP server.
    Form,
}

impl Feed {
    /// Shows a pending request: an approval or a question.
    pub(crate) fn request(
        &mut self,
        view: &mut View,
        request_id: &str,
        method: &str,
        params: &Value,
    ) {
        if self.is_other(params)
            || self.requests.len() >= FOLLOWED
            || self.requests.contains_key(request_id)
        {
            return;
        }
        let entry = match method {
            "item/tool/requestUserInput" => self.question(view, request_id, params),
            "mcpServer/elicitation/request"
                if params["_meta"]["codex_approval_kind"] != "mcp_tool_call" =>
            {
                read(items::elicitation(params)).map(|request| {
                    let request = &request;
                    view.push(Input::Elicitation {
                        request_id,
                        request,
                    });
                    RequestEntry::Form
                })
            }
            method => self.approval(view, request_id, method, params),
        };
        if let Some(entry) = entry {
            self.requests.insert(request_id.to_owned(), entry);
            view.push(Input::Activity(Activity::RequiresAction));
        }
    }

    fn approval(
        &self,
        view: &mut View,
        request_id: &str,
        method: &str,
        params: &Value,
    ) -> Option<RequestEntry> {
        let cwd = view.session().cwd.clone();
        let (mut approval, item) = approval(method, params, cwd.as_deref())?;
        let id = text(params, "itemId").unwrap_or(request_id);
        let known = match method {
            "mcpServer/elicitation/request" => {
                let calls = || {
                    self.open
                        .values()
                        .filter(|it| is_same_tool(&it.item, &item))
                };
                let same = calls().find(|it| it.item["arguments"] == item["arguments"]);
                same.or_else(|| calls().next())
            }
            // An item has several approvals if its command runs others.
            "item/commandExecution/requestApproval" => self.open.get(id).filter(|it| {
                params["command"].is_null() || it.item["command"] == params["command"]
            }),
            _ => self.open.get(id),
        };
        let known = known.filter(|it| !it.is_of_past);
        let entry = match known {
            Some(open) => open.entry.clone(),
            None => free(view, id),
        };
        if known.is_none() {
            approval["toolCall"] = call(&item, cwd.as_deref(), false)?;
        }
        approval["toolCall"]["toolCallId"] = entry.as_str().into();
        view.push(AcpInput::Permission {
            request_id,
            params: &approval,
        });
        Some(RequestEntry::Call {
            entry,
            is_own: known.is_none(),
        })
    }

    /// Shows a question of the model, in Claude Code's form.
    fn question(&self, view: &mut View, request_id: &str, params: &Value) -> Option<RequestEntry> {
        let entry = free(view, text(params, "itemId").unwrap_or(request_id));
        let input = items::questions(params);
        let call = json!({"type": "assistant", "uuid": entry, "message": {
            "id": entry, "role": "assistant", "content": [
                {"type": "tool_use", "id": entry, "name": "AskUserQuestion", "input": input}]}});
        let request = json!({"subtype": "can_use_tool", "tool_name": "AskUserQuestion",
            "input": input, "tool_use_id": entry});
        view.push(&read::<Message>(call)?);
        view.push(Input::Permission {
            request_id,
            request: &read(request)?,
        });
        Some(RequestEntry::Question(entry))
    }

    /// Shows that a request is no longer pending: the host has responded, with a denial or not, or
    /// it was withdrawn.
    pub(crate) fn finish_request(&mut self, view: &mut View, request_id: &str, denied: bool) {
        let Some(entry) = self.requests.remove(request_id) else {
            return;
        };
        view.push(Input::Settled { request_id });
        if self.requests.is_empty() && view.session().activity == Activity::RequiresAction {
            view.push(Input::Activity(Activity::Running));
        }
        match entry {
            RequestEntry::Call { entry, .. } if denied => {
                let params = json!({"toolCall": {"toolCallId": entry}});
                view.push(AcpInput::Denied { params: &params });
            }
            RequestEntry::Call { entry, is_own } => {
                if is_own && status(view, &entry) == Some(Status::InProgress) {
                    update(
                        view,
                        json!({"sessionUpdate": "tool_call_update", "toolCallId": entry,
                            "status": "completed"}),
                    );
                }
            }
            RequestEntry::Question(entry) => {
                let why = if denied { "There is no answer." } else { "" };
                let result: Option<Message> = read(json!({
                    "type": "user", "message": {"role": "user", "content": [{
                        "type": "tool_result", "tool_use_id": entry, "content": why,
                        "is_error": denied}]}}));
                if let Some(result) = &result {
                    view.push(result);
                }
            }
            RequestEntry::Form => {}
        }
    }
}

fn is_same_tool(a: &Value, b: &Value) -> bool {
    ["type", "server", "tool"].iter().all(|it| a[it] == b[it])
}
