//! Requests of the agent to the user.

use super::session::Session;
use super::updates::Updates;
use agent_client_protocol::v1::schema::{
    ElicitationCapabilities, PermissionOption, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, ToolCallUpdate,
};
use agent_client_protocol::{Error, UntypedMessage};
use agentwire::PermissionResult;
use agentwire::permission::Answers;
use agentwire::protocol::mcp::{McpElicitation, McpElicitationResult};
use agentwire::protocol::permission::{
    Allow, CanUseTool, PermissionDestination, PermissionMode, PermissionUpdate, Question,
};
use agentwire::view::{Body, View};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Sends a permission request for a tool to the client.
pub(super) fn permission(
    session: &Arc<Session>,
    request_id: Box<str>,
    request: CanUseTool,
    view: &View,
    updates: &mut Updates,
) {
    let id = request.tool_use_id.clone();
    let id = id.unwrap_or_else(|| request_id.to_string());
    let entry = view.get(&format!("approval/{request_id}"));
    let approval = match entry.map(|it| &it.body) {
        Some(Body::Approval(it)) => Some(&**it),
        _ => None,
    };
    let call = updates.of_approval(&id, &request, view, approval);
    let always = approval.map(|it| it.always.clone()).unwrap_or_default();
    let session = Arc::clone(session);
    tokio::spawn(async move {
        let result = match request.tool_name.as_str() {
            "AskUserQuestion" => question(&session, &request_id, &request, call).await,
            "ExitPlanMode" => plan(&session, &request_id, call).await,
            _ => tool(&session, &request_id, &request, call, &always).await,
        };
        respond(&session, &request_id, result).await;
    });
}

/// Responds, unless the agent has withdrawn the request.
async fn respond<A: agentwire::callback::CallbackResponse>(
    session: &Session,
    request_id: &str,
    response: A,
) {
    if let Err(error) = session.agent.respond(request_id, response).await {
        tracing::debug!(%error, "the agent does not take the response");
    }
}

/// The selection of the user.
enum Choice {
    Option(String),
    /// A rejection in the user's words.
    Feedback(String),
    Cancelled,
    /// The client does not support the request.
    Failed(Error),
}

async fn choose(
    session: &Session,
    request_id: &str,
    call: ToolCallUpdate,
    options: Vec<PermissionOption>,
) -> Choice {
    let request = RequestPermissionRequest::new(session.id().clone(), call, options);
    let sent = session.client.send_request(request);
    session.record_request(request_id, sent.cancellation_handle());
    match sent.block_task().await {
        Ok(RequestPermissionResponse { outcome, meta, .. }) => {
            let feedback = meta.as_ref().and_then(|meta| meta.get("agentwire"));
            let feedback = feedback
                .and_then(|it| it.get("feedback"))
                .and_then(Value::as_str);
            match (outcome, feedback) {
                (_, Some(feedback)) => Choice::Feedback(feedback.to_owned()),
                (RequestPermissionOutcome::Selected(it), _) => {
                    Choice::Option(it.option_id.0.to_string())
                }
                _ => Choice::Cancelled,
            }
        }
        Err(error) => Choice::Failed(error),
    }
}

/// Returns the denial, unless the user has selected an option that allows.
fn denial(choice: Choice) -> PermissionResult {
    match choice {
        Choice::Feedback(feedback) => PermissionResult::deny(feedback),
        Choice::Cancelled => PermissionResult::deny_and_interrupt("The user cancelled the turn."),
        Choice::Failed(error) => {
            PermissionResult::deny(format!("The editor could not ask the user: {error}"))
        }
        Choice::Option(_) => PermissionResult::deny("The user denied this."),
    }
}

fn option(id: &str, name: impl Into<String>, kind: PermissionOptionKind) -> PermissionOption {
    PermissionOption::new(id.to_owned(), name, kind)
}

async fn tool(
    session: &Session,
    request_id: &str,
    request: &CanUseTool,
    call: ToolCallUpdate,
    always: &[String],
) -> PermissionResult {
    let mut options = vec![option("allow", "Allow", PermissionOptionKind::AllowOnce)];
    if !always.is_empty() {
        let name = format!("Always allow: {}", always.join(", "));
        options.push(option(
            "allow_always",
            name,
            PermissionOptionKind::AllowAlways,
        ));
    }
    options.push(option("reject", "Reject", PermissionOptionKind::RejectOnce));
    match choose(session, request_id, call, options).await {
        Choice::Option(id) if id == "allow" => PermissionResult::allow(),
        Choice::Option(id) if id == "allow_always" => PermissionResult::allow_always(request),
        choice => denial(choice),
    }
}

/// Asks the client to approve the model's plan.
async fn plan(session: &Session, request_id: &str, call: ToolCallUpdate) -> PermissionResult {
    let options = vec![
        option(
            "default",
            "Yes, and ask before edits",
            PermissionOptionKind::AllowOnce,
        ),
        option(
            "acceptEdits",
            "Yes, and accept edits",
            PermissionOptionKind::AllowAlways,
        ),
        option(
            "plan",
            "No, keep planning",
            PermissionOptionKind::RejectOnce,
        ),
    ];
    match choose(session, request_id, call, options).await {
        Choice::Option(mode) if mode != "plan" => {
            let mode = match mode.as_str() {
                "acceptEdits" => PermissionMode::AcceptEdits,
                _ => PermissionMode::Default,
            };
            let update = PermissionUpdate::set_mode(mode, PermissionDestination::Session);
            Allow::default().updated_permissions([update]).into()
        }
        choice => denial(choice),
    }
}

/// Sends the questions of the model to the client: as a form if the client supports forms,
/// otherwise one after the other.
async fn question(
    session: &Session,
    request_id: &str,
    request: &CanUseTool,
    call: ToolCallUpdate,
) -> PermissionResult {
    let mut answers = match Answers::to(request) {
        Ok(answers) => answers,
        Err(error) => return PermissionResult::deny(error.to_string()),
    };
    let questions = answers.questions().to_vec();
    if has_forms(session) {
        let message = match questions.as_slice() {
            [only] => only.question.clone(),
            _ => "The agent has questions.".to_owned(),
        };
        let schema = form(&questions);
        let content = elicit(
            session,
            request_id,
            form_request(session, &message, &schema),
        )
        .await;
        let Some(Elicited::Accepted(content)) = content else {
            return PermissionResult::deny("The user did not answer.");
        };
        for (number, it) in questions.iter().enumerate() {
            let words = content
                .get(&format!("other_{number}"))
                .and_then(Value::as_str);
            answers = match (words, content.get(&format!("question_{number}"))) {
                (Some(words), _) if !words.is_empty() => answers.say(&it.question, words),
                (_, Some(Value::String(label))) => answers.choose(&it.question, [label]),
                (_, Some(Value::Array(labels))) => {
                    let labels = labels.iter().filter_map(Value::as_str);
                    answers.choose(&it.question, labels)
                }
                _ => answers,
            };
        }
        return answers.into();
    }
    for it in &questions {
        let mut call = call.clone();
        call.fields.title = Some(it.question.clone());
        let choices = it.options.iter().enumerate();
        let choices = choices.map(|(number, it)| {
            option(
                &number.to_string(),
                it.label.clone(),
                PermissionOptionKind::AllowOnce,
            )
        });
        let skip = option("skip", "Do not answer", PermissionOptionKind::RejectOnce);
        let options = choices.chain([skip]).collect();
        answers = match choose(session, request_id, call, options).await {
            Choice::Feedback(words) => answers.say(&it.question, words),
            Choice::Option(id) => {
                let chosen = id
                    .parse()
                    .ok()
                    .and_then(|number: usize| it.options.get(number));
                match chosen {
                    Some(chosen) => answers.choose(&it.question, [&chosen.label]),
                    None => return PermissionResult::deny("The user did not answer."),
                }
            }
            choice => return denial(choice),
        };
    }
    answers.into()
}

/// Returns a JSON Schema with a field for each question, and one for an answer in other words.
fn form(questions: &[Question]) -> Value {
    let mut properties = Map::new();
    for (number, it) in questions.iter().enumerate() {
        let choices = it.options.iter().map(
            |it| json!({"const": it.label, "title": format!("{}: {}", it.label, it.description)}),
        );
        let choices: Vec<Value> = choices.collect();
        let field = match it.multi_select {
            Some(true) => json!({"type": "array", "items": {"anyOf": choices}}),
            _ => json!({"type": "string", "oneOf": choices}),
        };
        let mut field = field.as_object().cloned().unwrap_or_default();
        field.insert("title".to_owned(), json!(it.question));
        properties.insert(format!("question_{number}"), Value::Object(field));
        let other = json!({"type": "string", "title": "Or in your own words"});
        properties.insert(format!("other_{number}"), other);
    }
    json!({"type": "object", "properties": properties})
}

/// Forwards an elicitation of an MCP server.
pub(super) fn elicitation(session: &Arc<Session>, request_id: Box<str>, request: McpElicitation) {
    let session = Arc::clone(session);
    tokio::spawn(async move {
        let capabilities = elicitations(&session);
        let schema = request.requested_schema.as_ref();
        let schema = schema.and_then(|it| it.read::<Value>().ok());
        let message = match (&request.url, schema) {
            (Some(url), _) if capabilities.is_some_and(|it| it.url.is_some()) => Some(json!({
                "mode": "url",
                "sessionId": session.id(),
                "message": request.message,
                "elicitationId": request.elicitation_id.as_deref().unwrap_or(&request_id),
                "url": url,
            })),
            (None, Some(schema)) if has_forms(&session) => {
                Some(form_request(&session, &request.message, &schema))
            }
            _ => None,
        };
        let elicited = match message {
            Some(message) => elicit(&session, &request_id, message).await,
            None => None,
        };
        let result = match elicited {
            Some(Elicited::Accepted(content)) => match request.url {
                Some(_) => McpElicitationResult::accept_url(),
                None => McpElicitationResult::accept(Value::Object(content)),
            },
            Some(Elicited::Cancelled) => McpElicitationResult::cancel(),
            None => McpElicitationResult::decline(),
        };
        respond(&session, &request_id, result).await;
    });
}

fn elicitations(session: &Session) -> Option<&ElicitationCapabilities> {
    session.capabilities.elicitation.as_ref()
}

fn has_forms(session: &Session) -> bool {
    elicitations(session).is_some_and(|it| it.form.is_some())
}

fn form_request(session: &Session, message: &str, schema: &Value) -> Value {
    json!({
        "mode": "form",
        "sessionId": session.id(),
        "message": message,
        "requestedSchema": schema,
    })
}

/// The response of a user who did not decline.
enum Elicited {
    Accepted(Map<String, Value>),
    Cancelled,
}

/// Sends a form or a page to the client. The schemas of servers are forwarded unchanged, with
/// members that the protocol does not have.
async fn elicit(session: &Session, request_id: &str, request: Value) -> Option<Elicited> {
    let request = UntypedMessage::new("elicitation/create", request).ok()?;
    let sent = session.client.send_request(request);
    session.record_request(request_id, sent.cancellation_handle());
    let response = sent.block_task().await.ok()?;
    match response.get("action").and_then(Value::as_str) {
        Some("accept") => {
            let content = response.get("content").and_then(Value::as_object);
            Some(Elicited::Accepted(content.cloned().unwrap_or_default()))
        }
        Some("cancel") => Some(Elicited::Cancelled),
        _ => None,
    }
}
