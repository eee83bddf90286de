//! Requests to the user.

use super::FOLLOWED;
use crate::change::Member;
use crate::entry::{Approval, Body, EntryId, Question, QuestionItem, Status};
use crate::text::{lines, title};
use crate::tool::describe;
use crate::view::View;
use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::permission::CanUseTool;

impl View {
    pub(super) fn permission(&mut self, request_id: &str, request: &CanUseTool) {
        if self.fold.requests.len() >= FOLLOWED || self.fold.requests.contains_key(request_id) {
            return;
        }
        let call = request.tool_use_id.as_deref();
        let call = call.map(|call| self.fold.calls.entry(call));
        let call = call.filter(|call| self.get(call).is_some());
        let parent = call.as_ref().and_then(|call| self.get(call));
        let parent = parent.and_then(|entry| entry.parent.clone());
        if request.tool_name == "AskUserQuestion"
            && let Some(call) = &call
        {
            self.set(call, Member::RequestId(Some(request_id.to_owned())));
            self.set(call, Member::Status(Status::Pending));
            self.fold.requests.insert(request_id.into(), call.clone());
            return;
        }
        let cwd = self.session.cwd.as_deref();
        let described = describe(&request.tool_name, &request.input, cwd, self.limits.output);
        let shown = request.title.as_deref().map(title);
        let is_offered =
            !request.requires_human() && request.suppress_always_allow_rule != Some(true);
        let suggestions = request.permission_suggestions.iter().flatten();
        let always = suggestions
            .filter(|_| is_offered)
            .map(|it| title(&it.to_string()));
        let approval = Approval {
            request_id: request_id.to_owned(),
            tool_call: call.clone(),
            title: shown.unwrap_or(described.title),
            reason: request.decision_reason.as_deref().map(title),
            content: described.content,
            always: always.collect(),
        };
        let id = EntryId::from(format!("approval/{request_id}"));
        self.fold.requests.insert(request_id.into(), id.clone());
        self.insert(id.clone(), parent, Body::Approval(Box::new(approval)));
        if let Some(call) = call {
            self.set(&call, Member::Approval(Some(id)));
            self.set(&call, Member::Status(Status::Pending));
        }
    }

    pub(super) fn elicitation(&mut self, request_id: &str, request: &McpElicitation) {
        if self.fold.requests.len() >= FOLLOWED || self.fold.requests.contains_key(request_id) {
            return;
        }
        let question = Question {
            request_id: Some(request_id.to_owned()),
            server: Some(title(&request.mcp_server_name)),
            questions: vec![QuestionItem {
                header: request.title.as_deref().map(title),
                question: lines(&request.message).into_owned(),
                choices: Vec::new(),
                multiple: false,
                answer: None,
            }],
            form: (request.requested_schema.as_ref()).map(|it| lines(it.get()).into_owned()),
            url: request.url.as_deref().map(|url| lines(url).into_owned()),
            status: Status::Pending,
            failure: None,
        };
        let id = EntryId::from(format!("question/{request_id}"));
        self.fold.requests.insert(request_id.into(), id.clone());
        self.insert(id, None, Body::Question(Box::new(question)));
    }

    /// Removes a request that is no longer pending.
    pub(super) fn finish_request(&mut self, request_id: &str) {
        let Some(id) = self.fold.requests.remove(request_id) else {
            return;
        };
        match self.get(&id).map(|it| &it.body) {
            Some(Body::Approval(approval)) => {
                let call = approval.tool_call.clone();
                self.remove(&id);
                if let Some(call) = call {
                    self.no_approval(&call);
                }
            }
            Some(Body::Question(question)) => {
                let is_call = question.server.is_none();
                self.set(&id, Member::RequestId(None));
                let status = match is_call {
                    true => Status::InProgress,
                    false => Status::Completed,
                };
                self.set(&id, Member::Status(status));
            }
            _ => {}
        }
    }

    /// Removes the approval of a call that no longer needs one.
    pub(crate) fn no_approval(&mut self, call: &EntryId) {
        let approval = match self.get(call).map(|it| &it.body) {
            Some(Body::ToolCall(it)) => it.approval.clone(),
            Some(Body::Plan(it)) => it.approval.clone(),
            Some(Body::SubAgent(it)) => it.approval.clone(),
            Some(Body::Question(it)) if it.request_id.is_some() => {
                self.set(call, Member::RequestId(None));
                return;
            }
            _ => None,
        };
        if let Some(approval) = approval {
            self.remove(&approval);
            self.set(call, Member::Approval(None));
            self.set(call, Member::Status(Status::InProgress));
        }
    }

    /// Removes all requests at the end of the session.
    pub(super) fn settle_all(&mut self) {
        let requests: Vec<Box<str>> = self.fold.requests.keys().cloned().collect();
        for request in requests {
            self.finish_request(&request);
        }
    }
}
