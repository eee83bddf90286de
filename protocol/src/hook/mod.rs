//! Hooks: callbacks of the host that the agent calls at defined events. The
//! output of a hook may change what the agent does.
//!
//! The host registers its hooks with `initialize`, as [`HookMatcher`]s with IDs
//! of its choice. When an event matches, the agent sends a [`HookCallback`]
//! with the hook's ID and a [`HookInput`]. The response is a [`HookOutput`].

mod denial;
mod event;
mod output;
mod specific;

pub use event::{
    BackgroundTaskSummary, BatchToolCall, ConfigChange, ConfigSource, CwdChanged, DirectoryAdded,
    DirectorySource, Elicitation, ElicitationResult, ExpansionKind, FileChange, FileChanged,
    HookEvent, HookKind, InstructionsLoaded, LoadReason, MemoryKind, MessageDisplay,
    ModelSwitchSource, Notification, PermissionDenied, PermissionRequest, PostCompact,
    PostModelSwitch, PostToolBatch, PostToolUse, PostToolUseFailure, PreCompact, PreModelSwitch,
    PreSkillShellCommand, PreToolUse, PriceSource, PromptSource, SessionCronSummary, SessionEnd,
    SessionEndReason, SessionStart, SessionStartSource, Setup, SetupTrigger, SkillInvoker, Stop,
    StopFailure, SubagentStart, SubagentStop, TaskCompleted, TaskCreated, TeammateIdle, TypedEvent,
    UserPromptExpansion, UserPromptSubmit, WorktreeCreate, WorktreeRemove,
};
pub use output::{AsyncOutput, HookDecision, HookOutput, SyncOutput};
pub use specific::{
    CwdChangedOutput, ElicitationOutput, ElicitationResultOutput, FileChangedOutput,
    MessageDisplayOutput, NotificationOutput, PermissionDeniedOutput, PermissionRequestAllow,
    PermissionRequestDecision, PermissionRequestDeny, PermissionRequestOutput,
    PostModelSwitchOutput, PostToolBatchOutput, PostToolUseFailureOutput, PostToolUseOutput,
    PreModelSwitchOutput, PreSkillShellCommandOutput, PreToolUseOutput, SessionStartOutput,
    SetupOutput, SpecificOutput, StopOutput, SubagentStartOutput, SubagentStopOutput, ToolDecision,
    UserPromptExpansionOutput, UserPromptSubmitOutput, WorktreeCreateOutput,
};

use crate::json::Number;
use crate::open::{
    Constant, Entries, Error, Field, Form, Name, Own, Reader, Slot, deserialize, each_member,
    object, open_enum, serialize_written,
};
use crate::permission::PermissionMode;
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The hooks that a host registers, by event.
pub type Hooks = BTreeMap<HookKind, Vec<HookMatcher>>;

object! {
    /// Hooks for one event, with a filter.
    #[derive(Default)]
    pub struct HookMatcher {
        /// A pattern for the tool, the source or another property of the event.
        /// If `None`, the hooks are called for every event of the kind.
        pub matcher: Option<String>,
        /// The host's IDs of the hooks. Each hook is called separately.
        pub hook_callback_ids: Vec<String> = "hookCallbackIds",
        /// The timeout in seconds.
        pub timeout: Option<Number>,
        /// The agent's handling of a failed hook.
        pub on_failure: Option<OnFailure> = "onFailure",
    }
}

open_enum! {
    /// The agent's handling of a failed hook, whose response is an error, or is
    /// malformed.
    ///
    /// Agents that do not support this option proceed. Agents that support it
    /// report `hook_on_failure_supported` in the `initialize` response. All
    /// agents proceed on `Stop`, `SubagentStop`, `TaskCompleted` and
    /// `TeammateIdle`, and if that response has `hooks_applied: false`.
    pub enum OnFailure {
        /// The agent proceeds.
        Continue = "continue",
        /// The agent does not proceed with the action.
        Block = "block",
    }
}

object! {
    /// Calls a hook of the host.
    pub struct HookCallback tags("subtype" = "hook_callback") {
        /// The host's ID of the hook.
        pub callback_id: String,
        /// The event and its context.
        pub input: HookInput,
        /// The ID of the event's tool call. If the event is not about a tool
        /// call, the agent generates an ID.
        pub tool_use_id: Option<String>,
    }
}

/// The input of a hook: the event and its context.
///
/// On the wire, context and event are one object.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HookInput {
    /// The context.
    pub context: HookContext,
    /// The event.
    pub event: HookEvent,
}

object! {
    /// The context of a hook event.
    #[derive(Default)]
    pub struct HookContext {
        /// The session ID.
        pub session_id: Option<String>,
        /// The transcript file of the session.
        pub transcript_path: Option<String>,
        /// The working directory.
        pub cwd: Option<String>,
        /// An ID shared by all events until the next prompt.
        pub prompt_id: Option<String>,
        /// The permission mode.
        pub permission_mode: Option<PermissionMode>,
        /// The ID of the event's sub-agent. `None` for the main agent.
        pub agent_id: Option<String>,
        /// The kind of the event's sub-agent, or of the main agent if the
        /// session configures one.
        pub agent_type: Option<String>,
        /// The effort level. Not available for every event and model.
        pub effort: Option<HookEffort>,
    }
}

object! {
    /// An effort level.
    pub struct HookEffort {
        /// The level, such as `medium`, as applied to the model.
        pub level: String,
    }
}

impl HookMatcher {
    /// Creates a matcher for every event of its kind.
    pub fn new<T: Into<String>>(hook_callback_ids: impl IntoIterator<Item = T>) -> Self {
        Self {
            hook_callback_ids: hook_callback_ids.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Sets the pattern that an event must match.
    #[must_use]
    pub fn matcher(mut self, pattern: impl Into<String>) -> Self {
        self.matcher = Some(pattern.into());
        self
    }

    /// Sets the timeout in seconds.
    #[must_use]
    pub fn timeout(mut self, seconds: impl Into<Number>) -> Self {
        self.timeout = Some(seconds.into());
        self
    }

    /// Sets the agent's handling of a failed hook.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }
}

impl HookInput {
    /// Creates an input for this event with an empty context.
    pub fn new(event: impl Into<HookEvent>) -> Self {
        Self {
            context: HookContext::default(),
            event: event.into(),
        }
    }

    /// Returns the kind of the event. Returns `None` if the agent did not send
    /// it.
    #[must_use]
    pub fn kind(&self) -> Option<HookKind> {
        self.event.tag().map(|tag| tag.as_str().into())
    }
}

impl<'de> Deserialize<'de> for HookInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

serialize_written!(HookInput);

/// Context and event share an object on the wire.
impl Entries for HookInput {
    fn count(&self) -> Option<usize> {
        None
    }

    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Form<'a>)) {
        each_member(self.context.form(), visit);
        each_member(self.event.form(), visit);
    }
}

impl Field for HookInput {
    fn form(&self) -> Form<'_> {
        Form::Own(self)
    }

    fn slot(&mut self) -> Slot<'_> {
        Slot::Own(self)
    }

    fn fresh() -> Self {
        Self::EMPTY
    }
}

impl Constant for HookInput {
    const EMPTY: Self = Self {
        context: Constant::EMPTY,
        event: Constant::EMPTY,
    };
}

impl Own for HookInput {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        fn is_context(key: &str) -> bool {
            matches!(
                key,
                "session_id"
                    | "transcript_path"
                    | "cwd"
                    | "prompt_id"
                    | "permission_mode"
                    | "agent_id"
                    | "agent_type"
                    | "effort"
            )
        }
        let place = reader.place();
        reader.part(&mut self.context, is_context)?;
        reader.back_to(place);
        reader.part(&mut self.event, |key| !is_context(key))
    }

    fn content(&self) -> Form<'_> {
        Form::Map(self)
    }
}

impl Name for HookKind {
    fn of_text(text: &str) -> Self {
        text.into()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for HookInput {
    crate::schema::named!(HookInput);

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The input of a hook: the event and its context.",
            "allOf": [
                generator.subschema_for::<HookContext>(),
                generator.subschema_for::<HookEvent>(),
            ],
        })
    }
}

#[cfg(feature = "audit")]
impl Untyped for HookInput {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        self.context.collect_untyped(at, found);
        self.event.collect_untyped(at, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use crate::text::is_same_value;

    fn input(text: &str) -> HookInput {
        let input: HookInput = serde_json::from_str(text).expect("a hook's input");
        let written = serde_json::to_string(&input).expect("JSON");
        assert!(is_same_value(text, &written).expect("JSON"), "{written}");
        input
    }

    #[test]
    fn context_and_event_share_an_object() {
        let input = input(
            r#"{"tool_name":"Bash","session_id":"s","cwd":null,"effort":{"level":"low"},"hook_event_name":"PreToolUse","tool_input":{"timeout":1.00},"agent_id":"a","new":1}"#,
        );
        assert_eq!(input.kind(), Some(HookKind::PreToolUse));
        #[cfg(feature = "audit")]
        assert_eq!(input.untyped(), ["/new"]);
        assert_eq!(input.context.session_id.as_deref(), Some("s"));
        assert_eq!(input.context.agent_id.as_deref(), Some("a"));
        assert_eq!(
            input.context.extra.get("cwd").map(Json::is_null),
            Some(true)
        );
        let HookEvent::PreToolUse(event) = input.event else {
            panic!("another event: {:?}", input.event);
        };
        assert_eq!(event.tool_name, "Bash");
        assert_eq!(event.tool_input.get(), r#"{"timeout":1.00}"#);
        assert_eq!(event.extra.get("new").map(Json::get), Some("1"));
    }

    #[test]
    fn an_unknown_event_preserves_its_members() {
        let input = input(r#"{"session_id":"s","hook_event_name":"PreDream","depth":1e400}"#);
        assert_eq!(input.kind(), Some(HookKind::Unknown("PreDream".into())));
        #[cfg(feature = "audit")]
        assert_eq!(input.untyped(), [""]);
        assert_eq!(input.context.session_id.as_deref(), Some("s"));
        let HookEvent::Unknown(members) = input.event else {
            panic!("a known event: {:?}", input.event);
        };
        assert_eq!(members.get("depth").map(Json::get), Some("1e400"));
    }

    #[test]
    fn every_kind_has_an_event() {
        for kind in HookKind::ALL {
            // The text contains every member that some event requires.
            let text = format!(
                r#"{{"hook_event_name":"{kind}","tool_name":"","tool_input":{{}},"error":"unknown","tool_calls":[],"message":"","message_id":"","index":0,"final":true,"delta":"","prompt":"","command_name":"","compact_summary":"","from_model":"","to_model":"","teammate_name":"","task_id":"","task_subject":"","mcp_server_name":"","name":"","worktree_path":"","file_path":"","old_cwd":"","new_cwd":"","directory":""}}"#
            );
            let input = input(&text);
            assert_eq!(input.kind().as_ref(), Some(kind));
            assert!(
                !matches!(input.event, HookEvent::Unknown(_)),
                "{kind} has no type"
            );
        }
    }

    #[test]
    fn hooks_are_registered_by_event() {
        let hooks = Hooks::from([(
            HookKind::PreToolUse,
            vec![
                HookMatcher::new(["h1"])
                    .matcher("Bash")
                    .timeout(20)
                    .on_failure(OnFailure::Block),
            ],
        )]);
        let text = r#"{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["h1"],"timeout":20,"onFailure":"block"}]}"#;
        assert_eq!(serde_json::to_string(&hooks).expect("JSON"), text);
        assert_eq!(serde_json::from_str::<Hooks>(text).expect("hooks"), hooks);

        let text = r#"{"PreDream":[{"hookCallbackIds":[],"new":1}]}"#;
        let hooks: Hooks = serde_json::from_str(text).expect("hooks");
        assert_eq!(serde_json::to_string(&hooks).expect("JSON"), text);
        #[cfg(feature = "audit")]
        assert_eq!(hooks.untyped(), ["/PreDream/0/new"]);
    }
}
