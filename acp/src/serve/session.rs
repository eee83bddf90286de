//! A session: an agent, its view, and the pending prompts.

use super::updates::{self, Updates};
use super::{asking, content, history::failure, lock};
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ConfigOptionUpdate, Cost, CurrentModeUpdate, PromptRequest, PromptResponse,
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionId,
    SessionMode, SessionModeState, SessionNotification, SessionUpdate,
    SetSessionConfigOptionRequest, StopReason, Usage, UsageUpdate,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Error, RequestCancellationHandle};
use agentwire::control::{InterruptFuture, StopPolicy};
use agentwire::event::RequestKind;
use agentwire::protocol::host::{TurnEnd, TurnEvent, TurnOutcome};
use agentwire::protocol::message::{Message, Priority, ResultMessage};
use agentwire::protocol::permission::PermissionMode;
use agentwire::protocol::transcript::Files;
use agentwire::view::{Input, View};
use agentwire::{Client, Event, Handle, Options, SubmissionState};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use tokio::time::timeout;

/// A way to start a session.
#[derive(Debug)]
pub(super) enum Start {
    New,
    /// Resume a session, and send its history to the client.
    Load(SessionId),
    /// Resume a session without sending its history.
    Resume(SessionId),
    /// Fork another session.
    Fork(SessionId),
}

/// An open session.
pub(super) struct Session {
    id: SessionId,
    pub(super) agent: Handle,
    pub(super) client: ConnectionTo<agent_client_protocol::Client>,
    pub(super) capabilities: ClientCapabilities,
    models: Vec<SessionConfigSelectOption>,
    modes: Vec<SessionMode>,
    state: Mutex<State>,
    /// The agent before it is started. It starts after the response that opens the session, so that
    /// no update precedes the response.
    events: Mutex<Option<Client>>,
}

#[derive(Default)]
struct State {
    view: View,
    updates: Updates,
    /// Pending prompts, by the `uuid` of their message.
    prompts: HashMap<Box<str>, Responder<Value>>,
    /// Messages that steer a turn and are not part of an ended turn, by their `uuid`.
    steering: HashSet<Box<str>>,
    /// Prompts whose turns have ended, and whose responses wait for the messages in `steering`.
    deferred: Vec<Responder<Value>>,
    /// Requests to the client that are pending, by `request_id`.
    requests: HashMap<Box<str>, RequestCancellationHandle>,
    model: String,
    /// The tokens of the last model request.
    context: u64,
}

impl Session {
    pub(super) async fn open(
        id: SessionId,
        options: Options,
        capabilities: ClientCapabilities,
        client: ConnectionTo<agent_client_protocol::Client>,
    ) -> Result<Arc<Self>, Error> {
        let agent = Client::connect(options).await.map_err(failure)?;
        let models = agent.models().iter().map(|it| {
            let name = it.display_name.clone().unwrap_or_else(|| it.value.clone());
            SessionConfigSelectOption::new(it.value.clone(), name)
                .description(it.description.clone())
        });
        let models: Vec<_> = models.collect();
        let has_auto = agent
            .models()
            .iter()
            .any(|it| it.supports_auto_mode == Some(true));
        let terminals = capabilities.meta.as_ref();
        let terminals = terminals.and_then(|meta| meta.get("terminal_output"));
        let updates = Updates::new(terminals == Some(&Value::Bool(true)));
        let model = models.first().map(|it| it.value.0.to_string());
        Ok(Arc::new(Self {
            id,
            agent: agent.handle(),
            client,
            capabilities,
            models,
            modes: modes(has_auto),
            state: Mutex::new(State {
                updates,
                model: model.unwrap_or_default(),
                ..State::default()
            }),
            events: Mutex::new(Some(agent)),
        }))
    }

    pub(super) fn id(&self) -> &SessionId {
        &self.id
    }

    /// Restores the history in the view. Sends it to the client if the session is loaded.
    pub(super) fn restore(&self, files: &Files, replays: bool) {
        let mut state = lock(&self.state);
        for record in files
            .main
            .iter()
            .chain(files.agents.values().flat_map(|it| &it.records))
        {
            if let Some(message) = record.message(None) {
                state.updates.note(&message);
            }
        }
        state.view.restore_files(files);
        if !replays {
            return;
        }
        let State { view, updates, .. } = &mut *state;
        updates.replays = true;
        let changes = view.since(0).unwrap_or_default();
        let replayed = updates.of(view, changes);
        updates.replays = false;
        drop(state);
        self.update(replayed);
    }

    /// Starts to forward events of the agent. Must be called after the response that opens the
    /// session.
    pub(super) fn start(self: &Arc<Self>) {
        if let Some(agent) = lock(&self.events).take() {
            self.update([updates::commands(agent.commands())]);
            tokio::spawn(Arc::clone(self).run(agent));
        }
    }

    async fn run(self: Arc<Self>, mut agent: Client) {
        let error = loop {
            match agent.next().await {
                Some(Ok(event)) => self.event(event),
                Some(Err(error)) => break Some(error.to_string()),
                None => break None,
            }
        };
        agent.abort().await;
        let mut state = lock(&self.state);
        let state = &mut *state;
        self.push(state, Input::Ended(error.as_deref()));
        let error = error.unwrap_or_else(|| "the session was closed".to_owned());
        let prompts = state.prompts.drain().map(|(_, responder)| responder);
        for responder in prompts.chain(state.deferred.drain(..)) {
            super::answer(responder, Err(failure(&error)));
        }
    }

    fn event(self: &Arc<Self>, event: Event) {
        let mut state = lock(&self.state);
        let state = &mut *state;
        match &event {
            Event::Frame(frame) => {
                let message = frame.message();
                state.updates.note(&message);
                if let Message::Assistant(message) = &message
                    && message.parent_tool_use_id.is_none()
                    && let Some(usage) = &message.message.usage
                {
                    state.context = [
                        usage.input_tokens,
                        usage.cache_creation_input_tokens,
                        usage.cache_read_input_tokens,
                        usage.output_tokens,
                    ]
                    .into_iter()
                    .flatten()
                    .sum();
                }
                self.push(state, &message);
            }
            event => self.push(state, event),
        }
        match event {
            Event::Turn(TurnEvent::Ended(end)) => self.turn_ended(state, &end),
            Event::Request(pending) => match pending.request {
                RequestKind::Permission(request) => {
                    let State { view, updates, .. } = state;
                    asking::permission(self, pending.request_id, *request, view, updates);
                }
                RequestKind::Elicitation(request) => {
                    asking::elicitation(self, pending.request_id, *request);
                }
                _ => {}
            },
            Event::RequestAnswered { request_id } => {
                state.requests.remove(&request_id);
            }
            Event::RequestWithdrawn { request_id } => {
                if let Some(request) = state.requests.remove(&request_id)
                    && let Err(error) = request.cancel()
                {
                    tracing::debug!(%error, "the client does not take the cancellation");
                }
            }
            _ => {}
        }
    }

    fn push<'a>(&self, state: &mut State, input: impl Into<Input<'a>>) {
        let before = state.view.number();
        state.view.push(input);
        let changes = state.view.since(before).unwrap_or_default();
        let updates = state.updates.of(&state.view, changes);
        let mut modes = updates.iter();
        let mode_changed = modes.any(|it| matches!(it, SessionUpdate::CurrentModeUpdate(_)));
        self.update(updates);
        if mode_changed {
            let options = self.options_of(state);
            self.update([SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(
                options,
            ))]);
        }
    }

    fn update(&self, updates: impl IntoIterator<Item = SessionUpdate>) {
        for update in updates {
            let update = SessionNotification::new(self.id.clone(), update);
            // Fails only if the connection is gone.
            if self.client.send_notification(update).is_err() {
                return;
            }
        }
    }

    /// Records a request to the client, to cancel it if the agent withdraws it.
    pub(super) fn record_request(&self, request_id: &str, request: RequestCancellationHandle) {
        lock(&self.state)
            .requests
            .insert(request_id.into(), request);
    }

    /// Sends a prompt. The response follows at the end of its turn.
    pub(super) fn prompt(self: &Arc<Self>, request: PromptRequest, responder: Responder<Value>) {
        let meta = request.meta.as_ref().and_then(|meta| meta.get("agentwire"));
        let priority = match meta
            .and_then(|it| it.get("priority"))
            .and_then(Value::as_str)
        {
            Some("now") => Priority::Now,
            Some("later") => Priority::Later,
            _ => Priority::Next,
        };
        let mut state = lock(&self.state);
        match self.send(&mut state, request, priority) {
            Ok(uuid) => drop(state.prompts.insert(uuid, responder)),
            Err(error) => super::answer(responder, Err(error)),
        }
    }

    /// Sends a message into the running turn. The pending prompts of that turn end together with
    /// this one.
    pub(super) fn steer(self: &Arc<Self>, request: PromptRequest) -> Result<Value, Error> {
        let mut state = lock(&self.state);
        if state.prompts.is_empty() && state.deferred.is_empty() {
            let steering = request.meta.as_ref().and_then(|meta| meta.get("steering"));
            let behavior = steering.and_then(|it| it.get("idleBehavior"));
            if behavior.and_then(Value::as_str) == Some("promptRequired") {
                return Ok(json!({"outcome": "promptRequired", "reason": "noRunningTurn"}));
            }
            self.send(&mut state, request, Priority::Next)?;
            return Ok(json!({"outcome": "startedNewTurn"}));
        }
        // `now` would withdraw a question to the user.
        let priority = match state.requests.is_empty() {
            true => Priority::Now,
            false => Priority::Later,
        };
        let uuid = self.send(&mut state, request, priority)?;
        state.steering.insert(uuid);
        Ok(json!({"outcome": "injected"}))
    }

    /// Sends a message. Returns its `uuid`.
    fn send(
        self: &Arc<Self>,
        state: &mut State,
        request: PromptRequest,
        priority: Priority,
    ) -> Result<Box<str>, Error> {
        let message = content::prompt(request.prompt)?.priority(priority);
        let mut submission = self.agent.send(message.clone());
        let uuid: Box<str> = submission.uuid().into();
        self.push(
            state,
            Input::Sent {
                uuid: &uuid,
                message: &message,
            },
        );
        let (session, sent) = (Arc::clone(self), uuid.clone());
        tokio::spawn(async move {
            use SubmissionState::{Cancelled, Lost, Refused, Unknown, Withdrawn};
            let state = submission.final_state().await;
            let response = match state {
                Withdrawn | Cancelled => Ok(PromptResponse::new(StopReason::Cancelled)),
                Refused | Lost | Unknown => Err(failure(format!("the prompt is {state}"))),
                // The end of the turn is the response.
                _ => return,
            };
            let mut state = lock(&session.state);
            let state = &mut *state;
            let mut ended: Vec<_> = state.prompts.remove(&sent).into_iter().collect();
            if state.steering.remove(&sent) && state.steering.is_empty() {
                ended.append(&mut state.deferred);
            }
            respond(ended, &response);
        });
        Ok(uuid)
    }

    fn turn_ended(&self, state: &mut State, end: &TurnEnd) {
        let result = end.result();
        if let Some(result) = &result {
            self.update(usage(result, state.context));
        }
        for uuid in &end.messages {
            state.steering.remove(uuid);
            state.deferred.extend(state.prompts.remove(uuid));
        }
        let goes_on = matches!(end.outcome, TurnOutcome::Completed | TurnOutcome::Preempted);
        if !goes_on || state.steering.is_empty() {
            let response = outcome(end.outcome, result.as_ref());
            respond(state.deferred.drain(..), &response);
        }
    }

    /// Stops the turn, and withdraws queued prompts.
    pub(super) fn cancel(&self) -> impl Future<Output = ()> + 'static {
        let state = lock(&self.state);
        for uuid in state.prompts.keys().chain(&state.steering) {
            // Has no effect on a prompt of the running turn. Its state tells the outcome.
            drop(self.agent.cancel_message(uuid));
        }
        // Sent here: it must not stop the turn of a prompt that follows.
        stop(self.agent.clone(), self.agent.interrupt())
    }

    /// Stops the turn and closes the session.
    pub(super) async fn close(&self) {
        self.cancel().await;
        self.agent.close().await;
    }

    pub(super) fn modes(&self) -> SessionModeState {
        let mode = lock(&self.state).updates.mode.clone();
        SessionModeState::new(mode, self.modes.clone())
    }

    pub(super) fn config_options(&self) -> Vec<SessionConfigOption> {
        self.options_of(&lock(&self.state))
    }

    fn options_of(&self, state: &State) -> Vec<SessionConfigOption> {
        let modes = self.modes.iter().map(|it| {
            SessionConfigSelectOption::new(it.id.0.clone(), it.name.clone())
                .description(it.description.clone())
        });
        let mode = SessionConfigOption::select(
            "mode",
            "Mode",
            state.updates.mode.clone(),
            modes.collect::<Vec<_>>(),
        );
        let model =
            SessionConfigOption::select("model", "Model", state.model.clone(), self.models.clone());
        vec![
            mode.category(SessionConfigOptionCategory::Mode),
            model.category(SessionConfigOptionCategory::Model),
        ]
    }

    pub(super) async fn set_mode_of_session(&self, mode: &str) -> Result<(), Error> {
        self.set_mode(mode).await?;
        // The mode is also an option.
        let options = ConfigOptionUpdate::new(self.config_options());
        self.update([SessionUpdate::ConfigOptionUpdate(options)]);
        Ok(())
    }

    async fn set_mode(&self, mode: &str) -> Result<(), Error> {
        if !self.modes.iter().any(|it| &*it.id.0 == mode) {
            let known: Vec<_> = self.modes.iter().map(|it| &*it.id.0).collect();
            let known = known.join(", ");
            let reason = format!("there is no mode {mode}; the modes are {known}");
            return Err(Error::invalid_params().data(reason));
        }
        // The agent may report the mode before it responds, and the client knows it.
        let set_known =
            |mode: &str| std::mem::replace(&mut lock(&self.state).updates.mode, mode.to_owned());
        let before = set_known(mode);
        let set = self.agent.set_permission_mode(PermissionMode::from(mode));
        let set = set.await;
        set_known(if set.is_ok() { mode } else { &before });
        set.map(drop).map_err(failure)
    }

    pub(super) async fn set_config_option(
        &self,
        request: SetSessionConfigOptionRequest,
    ) -> Result<(), Error> {
        let value = request.value.as_value_id().map(|it| &*it.0);
        match (&*request.config_id.0, value) {
            ("mode", Some(mode)) => {
                self.set_mode(mode).await?;
                let update = CurrentModeUpdate::new(mode.to_owned());
                self.update([SessionUpdate::CurrentModeUpdate(update)]);
                Ok(())
            }
            ("model", Some(model)) => {
                self.agent.set_model(model).await.map_err(failure)?;
                model.clone_into(&mut lock(&self.state).model);
                Ok(())
            }
            (option, _) => {
                let reason = format!("there is no option {option} with such a value");
                Err(Error::invalid_params().data(reason))
            }
        }
    }
}

fn modes(has_auto: bool) -> Vec<SessionMode> {
    let modes = [
        (
            "default",
            "Default",
            "Asks before it changes files or runs commands",
        ),
        (
            "acceptEdits",
            "Accept edits",
            "Changes files without asking",
        ),
        ("plan", "Plan", "Reads, and proposes a plan"),
        ("dontAsk", "Don't ask", "Denies what no rule allows"),
        ("auto", "Auto", "A model decides what to ask about"),
    ];
    let modes = modes
        .into_iter()
        .filter(|(id, ..)| has_auto || *id != "auto");
    modes
        .map(|(id, name, description)| {
            SessionMode::new(id, name).description(description.to_owned())
        })
        .collect()
}

/// Waits for the end of the interrupted turn. Closes the session if the agent does not stop.
async fn stop(agent: Handle, interrupt: InterruptFuture) {
    let limit = StopPolicy::default().turn;
    if let Ok(Ok(_)) = timeout(limit, interrupt.outcome()).await {
        return;
    }
    if let Err(error) = agent.stop(StopPolicy::default()).await {
        tracing::debug!(%error, "the turn was not stopped");
    }
}

fn respond(
    responders: impl IntoIterator<Item = Responder<Value>>,
    response: &Result<PromptResponse, Error>,
) {
    for responder in responders {
        let value = response.clone();
        let value = value.and_then(|it| serde_json::to_value(it).map_err(Error::from));
        super::answer(responder, value);
    }
}

/// Returns the response to a prompt of a turn.
fn outcome(outcome: TurnOutcome, result: Option<&ResultMessage>) -> Result<PromptResponse, Error> {
    let reason = result.and_then(|it| it.stop_reason.as_deref());
    let subtype = result.map(|it| it.subtype.as_str());
    let stop = match (outcome, subtype, reason) {
        (TurnOutcome::Interrupted | TurnOutcome::Preempted, ..) => StopReason::Cancelled,
        (_, Some("error_max_turns"), _) => StopReason::MaxTurnRequests,
        (TurnOutcome::Completed, _, Some("refusal")) => StopReason::Refusal,
        (TurnOutcome::Completed, _, Some("max_tokens")) => StopReason::MaxTokens,
        (TurnOutcome::Completed, ..) => StopReason::EndTurn,
        (outcome, ..) => {
            let errors = result.and_then(|it| it.errors.clone()).unwrap_or_default();
            let text = result.and_then(|it| it.result.clone());
            let text = text.unwrap_or_else(|| errors.join("\n"));
            let text = match text.is_empty() {
                true => format!("the turn has {outcome}"),
                false => text,
            };
            return Err(Error::internal_error().data(text));
        }
    };
    let usage = result.and_then(|it| it.usage.as_ref()).map(|it| {
        let (input, output) = (it.input_tokens.unwrap_or(0), it.output_tokens.unwrap_or(0));
        let read = it.cache_read_input_tokens.unwrap_or(0);
        let written = it.cache_creation_input_tokens.unwrap_or(0);
        Usage::new(input + output + read + written, input, output)
            .cached_read_tokens(read)
            .cached_write_tokens(written)
    });
    Ok(PromptResponse::new(stop).usage(usage))
}

/// Returns the used part of the model's context, and the cost of the session.
fn usage(result: &ResultMessage, context: u64) -> Option<SessionUpdate> {
    let models = result.model_usage.iter().flatten();
    let size = models.filter_map(|(_, it)| it.context_window).max()?;
    let cost = result.total_cost_usd.as_ref();
    let cost = cost.and_then(|it| it.to_string().parse().ok());
    let cost = cost.map(|cost: f64| Cost::new(cost, "USD"));
    let update = UsageUpdate::new(context, size).cost(cost);
    Some(SessionUpdate::UsageUpdate(update))
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
