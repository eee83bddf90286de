//! Requests of Codex, and the callbacks that respond to them.

use crate::machine::{ErrorObject, Event, Frame};
use crate::tools::{Tools, response};
use crate::wire::{
    AgentRequest, CommandApproval, CommandApprovalKind, Decision, Elicitation, ElicitationAction,
    ElicitationResponse, FileChangeApproval, FileUpdate, PermissionsApproval, UserInputRequest,
    UserInputResponse,
};
use agentwire::permission::{Decision as PolicyDecision, Policy};
use agentwire::{PermissionResult, protocol::permission::CanUseTool};
use agentwire_protocol::{Json, Members};
use serde_json::{Value, json};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

pub(crate) type Answer<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Observer = dyn Fn(&Event) + Send + Sync;
type Callback<A, T> = Arc<dyn Fn(A) -> Answer<T> + Send + Sync>;

/// A request of Codex for approval of an action.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Approval {
    /// The ID of the request.
    pub request_id: String,
    /// The thread.
    pub thread_id: String,
    /// The action.
    pub action: Action,
}

/// An action that needs an [`Approval`].
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "one exists at a time")]
pub enum Action {
    /// Run a command.
    Command(CommandApproval),
    /// Change files.
    FileChange {
        /// The request.
        request: FileChangeApproval,
        /// The changes, from the item that started before the request. Empty if there is no such
        /// item.
        changes: Vec<FileUpdate>,
    },
    /// Call a tool of an MCP server.
    McpTool(Elicitation),
    /// Get more permissions.
    Permissions(PermissionsApproval),
}

impl Approval {
    /// Returns the approval as requests of Claude Code's tools, one for each file, so that the same
    /// [`Policy`] decides about both agents: `Bash`, `Edit`, `Write` and `mcp__SERVER__TOOL`.
    ///
    /// If a command runs a shell with a script of one word without expansions, the command of
    /// `Bash` is that script. A network connection of a command is a call of `WebFetch`, text for a
    /// running command one of `WriteStdin`, and any other permission one of `Permissions`, which no
    /// rule of Claude Code allows.
    #[must_use]
    pub fn as_tools(&self) -> Vec<CanUseTool> {
        let request =
            |tool: &str, input: Value| CanUseTool::new(tool, Json::of_text(input.to_string()));
        match &self.action {
            Action::Command(it) => {
                let command = it.script().unwrap_or_default();
                let is_command = matches!(it.kind, None | Some(CommandApprovalKind::Command));
                vec![match &it.network {
                    Some(network) => {
                        let url = format!("https://{}/", network.host);
                        request("WebFetch", json!({"url": url}))
                    }
                    None if !is_command => request("WriteStdin", json!({"command": command})),
                    None => {
                        let mut input = json!({"command": command});
                        if it.additional_permissions.is_some() {
                            // No rule for commands allows this.
                            input["dangerouslyDisableSandbox"] = true.into();
                        }
                        request("Bash", input)
                    }
                }]
            }
            Action::FileChange { request: it, .. } if it.grant_root.is_some() => {
                vec![request("Permissions", json!({"write": it.grant_root}))]
            }
            Action::FileChange { changes, .. } if changes.is_empty() => {
                vec![request("Edit", json!({}))]
            }
            Action::FileChange { changes, .. } => {
                let moved = changes.iter().filter_map(|it| it.kind.move_path.as_ref());
                let paths = changes.iter().map(|it| &it.path).chain(moved);
                let edits = paths.map(|path| request("Edit", json!({"file_path": path})));
                edits.collect()
            }
            Action::McpTool(it) => {
                let meta = |name| it.meta.as_ref().and_then(|meta| meta.member(name));
                let tool = meta("tool_name").and_then(|it| it.read::<String>().ok());
                let name = format!("mcp__{}__{}", it.server_name, tool.unwrap_or_default());
                let input = meta("tool_params").unwrap_or_else(|| Json::of_text("{}"));
                vec![CanUseTool::new(name, input)]
            }
            Action::Permissions(_) => vec![request("Permissions", json!({}))],
        }
    }
}

impl ElicitationResponse {
    /// Creates a response without content.
    #[must_use]
    pub fn new(action: ElicitationAction) -> Self {
        Self {
            action,
            content: None,
            meta: None,
            extra: Members::default(),
        }
    }
}

/// A pending request of Codex, with the data for its response.
pub(crate) struct PendingRequest {
    pub(crate) request_id: String,
    pub(crate) frame: Frame,
    /// The file changes of the item that needs the approval.
    pub(crate) changes: Option<Json>,
}

/// The callbacks of a thread.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) policy: Option<Arc<dyn Policy>>,
    pub(crate) approval: Option<Callback<Approval, Decision>>,
    pub(crate) question: Option<Callback<UserInputRequest, UserInputResponse>>,
    pub(crate) elicitation: Option<Callback<Elicitation, ElicitationResponse>>,
    pub(crate) tools: Tools,
    /// Called with each event of the thread, before receivers and other callbacks.
    pub(crate) observer: Option<Arc<Observer>>,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks")
            .field("policy", &self.policy.is_some())
            .field("approval", &self.approval.is_some())
            .field("question", &self.question.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .finish_non_exhaustive()
    }
}

impl Callbacks {
    /// Answers a request. Requests without a callback are denied.
    pub(crate) async fn answer(&self, asked: PendingRequest) -> Result<Json, ErrorObject> {
        let params = asked.frame.params();
        let approval = |thread_id: &str, action| Approval {
            request_id: asked.request_id.clone(),
            thread_id: thread_id.to_owned(),
            action,
        };
        match AgentRequest::read(asked.frame.method(), &params) {
            AgentRequest::CommandApproval(it) => {
                let approval = approval(&it.thread_id.clone(), Action::Command(it));
                written(&json!({"decision": self.decide(approval).await}))
            }
            AgentRequest::FileChangeApproval(request) => {
                let thread_id = request.thread_id.clone();
                let changes = asked.changes.and_then(|it| it.read().ok());
                let changes = changes.unwrap_or_default();
                let approval = approval(&thread_id, Action::FileChange { request, changes });
                written(&json!({"decision": self.decide(approval).await}))
            }
            AgentRequest::Elicitation(it) if it.is_tool_approval() => {
                let approval = approval(&it.thread_id.clone(), Action::McpTool(it));
                let (action, meta) = match self.decide(approval).await {
                    Decision::Accept => ("accept", Value::Null),
                    Decision::AcceptForSession => ("accept", json!({"persist": "session"})),
                    Decision::Cancel => ("cancel", Value::Null),
                    _ => ("decline", Value::Null),
                };
                written(&json!({"action": action, "content": {}, "_meta": meta}))
            }
            AgentRequest::Permissions(it) => {
                let wanted = it.permissions.clone();
                let approval = approval(&it.thread_id.clone(), Action::Permissions(it));
                let (permissions, scope) = match self.decide(approval).await {
                    Decision::Accept => (wanted, "turn"),
                    Decision::AcceptForSession => (wanted, "session"),
                    _ => (Members::default(), "turn"),
                };
                written(&json!({"permissions": permissions, "scope": scope}))
            }
            AgentRequest::Elicitation(it) => match &self.elicitation {
                Some(callback) => written(&callback(it).await),
                None => written(&ElicitationResponse::new(ElicitationAction::Decline)),
            },
            AgentRequest::UserInput(it) => match &self.question {
                Some(callback) => written(&callback(it).await),
                None => written(&UserInputResponse::default()),
            },
            AgentRequest::ToolCall(it) => {
                let tool = CanUseTool::new(self.tools.rule_name(&it.tool), it.arguments.clone());
                let response = match self.verdict(&[tool]) {
                    Some(Decision::Accept) | None => self.tools.call(it).await,
                    Some(_) => response("The user denied the call.", false),
                };
                written(&response)
            }
            AgentRequest::Unreadable { method, faults, .. } => {
                let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
                let why = format!("invalid parameters of {method}: {}", faults.join("; "));
                Err(ErrorObject::new(-32602, why))
            }
            other => {
                let why = format!("the client does not support {}", other.method());
                Err(ErrorObject::new(-32601, why))
            }
        }
    }

    async fn decide(&self, approval: Approval) -> Decision {
        match (self.verdict(&approval.as_tools()), &self.approval) {
            (Some(decision), _) => decision,
            (None, Some(callback)) => callback(approval).await,
            (None, None) => Decision::Decline,
        }
    }

    /// Returns the decision of the policy about all calls. An allow with a changed input becomes a
    /// denial, because Codex cannot change an input.
    fn verdict(&self, calls: &[CanUseTool]) -> Option<Decision> {
        let policy = self.policy.as_ref()?;
        let mut all_allowed = true;
        for call in calls {
            match policy.decide(call) {
                PolicyDecision::Decided(PermissionResult::Allow(it)) => {
                    let changed = it.updated_input.as_ref();
                    if changed.is_some_and(|it| *it != call.input) {
                        return Some(Decision::Decline);
                    }
                }
                PolicyDecision::Decided(_) => return Some(Decision::Decline),
                _ => all_allowed = false,
            }
        }
        all_allowed.then_some(Decision::Accept)
    }
}

fn written<T: serde::Serialize>(response: &T) -> Result<Json, ErrorObject> {
    Json::from_value(response).map_err(|it| ErrorObject::new(-32603, it.to_string()))
}
