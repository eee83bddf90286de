//! Hooks: what the agent tells the host while it works, and what the host
//! may change about it.
//!
//! The host registers its hooks with `initialize`, as [`HookMatcher`]s with
//! ids of its own. When one of them is due, the agent sends a
//! [`HookCallback`] with that id and a [`HookInput`]; the answer is a
//! [`HookOutput`].

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
    PreToolUse, PriceSource, PromptSource, SessionCronSummary, SessionEnd, SessionEndReason,
    SessionStart, SessionStartSource, Setup, SetupTrigger, Stop, StopFailure, SubagentStart,
    SubagentStop, TaskCompleted, TaskCreated, TeammateIdle, TypedEvent, UserPromptExpansion,
    UserPromptSubmit, WorktreeCreate, WorktreeRemove,
};
pub use output::{AsyncOutput, HookDecision, HookOutput, SyncOutput};
pub use specific::{
    CwdChangedOutput, ElicitationOutput, ElicitationResultOutput, FileChangedOutput,
    MessageDisplayOutput, NotificationOutput, PermissionDeniedOutput, PermissionRequestAllow,
    PermissionRequestDecision, PermissionRequestDeny, PermissionRequestOutput,
    PostModelSwitchOutput, PostToolBatchOutput, PostToolUseFailureOutput, PostToolUseOutput,
    PreModelSwitchOutput, PreToolUseOutput, SessionStartOutput, SetupOutput, SpecificOutput,
    StopOutput, SubagentStartOutput, SubagentStopOutput, ToolDecision, UserPromptExpansionOutput,
    UserPromptSubmitOutput, WorktreeCreateOutput,
};

use crate::json::Number;
use crate::open::{
    Entries, Error, Field, Form, Name, Reader, Written, deserialize, object, open_enum,
    serialize_written,
};
use crate::permission::PermissionMode;
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The hooks that a host registers, by event.
pub type Hooks = BTreeMap<HookKind, Vec<HookMatcher>>;

object! {
    /// Hooks of the host for one event, and what the event has to be about.
    #[derive(Default)]
    pub struct HookMatcher {
        /// A pattern that says which tools, sources or the like the hooks
        /// are for; all of them, when absent.
        pub matcher: Option<String>,
        /// The host's ids of the hooks. Each is asked on its own.
        pub hook_callback_ids: Vec<String> = "hookCallbackIds",
        /// Seconds after which the agent gives up on an answer.
        pub timeout: Option<Number>,
        /// What happens when a hook fails.
        pub on_failure: Option<OnFailure> = "onFailure",
    }
}

open_enum! {
    /// What happens when a hook fails: it is answered with an error, or with
    /// something that the agent does not understand.
    ///
    /// Agents that do not know of it go ahead; those that do answer
    /// `initialize` with `hook_on_failure_supported`. They all go ahead on
    /// `Stop`, `SubagentStop`, `TaskCompleted` and `TeammateIdle`, and when
    /// the answer says `hooks_applied: false`.
    pub enum OnFailure {
        /// The agent goes ahead.
        Continue = "continue",
        /// The agent does not do what the hook was about.
        Block = "block",
    }
}

object! {
    /// A hook of the host is due.
    pub struct HookCallback tags("subtype" = "hook_callback") {
        /// The host's id of the hook.
        pub callback_id: String,
        /// What happens.
        pub input: HookInput,
        /// The tool call that it is about; an id of the agent's, where it is
        /// about none.
        pub tool_use_id: Option<String>,
    }
}

/// What a hook is told: where it happens, and what.
///
/// On the wire the two are one object.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HookInput {
    /// Where it happens.
    pub context: HookContext,
    /// What happens.
    pub event: HookEvent,
}

object! {
    /// Where something happens that a hook is told of.
    #[derive(Default)]
    pub struct HookContext {
        /// The session ID.
        pub session_id: Option<String>,
        /// The file in which the agent keeps the session.
        pub transcript_path: Option<String>,
        /// The working directory.
        pub cwd: Option<String>,
        /// An id that all events have in common from one prompt to the next.
        pub prompt_id: Option<String>,
        /// How permissions are decided.
        pub permission_mode: Option<PermissionMode>,
        /// The sub-agent in which it happens; absent in the main one.
        pub agent_id: Option<String>,
        /// The kind of that sub-agent, or of the main agent where the session
        /// was given one.
        pub agent_type: Option<String>,
        /// How hard the model thinks. Not every event and model has it.
        pub effort: Option<HookEffort>,
    }
}

object! {
    /// How hard the model thinks.
    pub struct HookEffort {
        /// The level, such as `medium`, as the model really applies it.
        pub level: String,
    }
}

impl HookMatcher {
    /// These hooks, whatever the event is about.
    pub fn new<T: Into<String>>(hook_callback_ids: impl IntoIterator<Item = T>) -> Self {
        Self {
            hook_callback_ids: hook_callback_ids.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Sets what the event has to be about.
    #[must_use]
    pub fn matcher(mut self, pattern: impl Into<String>) -> Self {
        self.matcher = Some(pattern.into());
        self
    }

    /// Sets after how many seconds the agent gives up on an answer.
    #[must_use]
    pub fn timeout(mut self, seconds: impl Into<Number>) -> Self {
        self.timeout = Some(seconds.into());
        self
    }

    /// Sets what happens when a hook fails.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }
}

impl HookInput {
    /// This event, nowhere in particular.
    pub fn new(event: impl Into<HookEvent>) -> Self {
        Self {
            context: HookContext::default(),
            event: event.into(),
        }
    }

    /// Which event it is; none, when the agent does not say.
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

/// The two share an object.
impl Entries for HookInput {
    fn each(&self, write: &mut dyn FnMut(&str, &dyn Written)) {
        for part in [self.context.form(), self.event.form()] {
            if let Form::Map(_, members) = part {
                members.each(write);
            }
        }
    }
}

impl Written for HookInput {
    fn form(&self) -> Form<'_> {
        Form::Map(None, self)
    }
}

serialize_written!(HookInput);

impl Field for HookInput {
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

    fn empty() -> Self {
        Self {
            context: Field::empty(),
            event: Field::empty(),
        }
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
            "description": "What a hook is told: where it happens, and what.",
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
    fn an_unknown_event_keeps_its_members() {
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
            // Every member that is required somewhere.
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
