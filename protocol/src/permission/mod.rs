//! Permission requests for tool calls, and the responses to them.

mod always;
mod mode;
mod plan;
mod question;
mod rule;
mod tool_name;
mod update;

pub use mode::PermissionMode;
pub use plan::{AllowedPrompt, AllowedPromptTool, ExitPlanModeInput};
pub use question::{
    AskUserQuestionInput, AskUserQuestionOutput, Question, QuestionAnnotation, QuestionMetadata,
    QuestionOption, QuestionUnanswered,
};
pub use rule::RuleError;
pub use tool_name::{built_in_tools, closest_tool};
pub use update::{
    AddDirectories, AddRules, PermissionBehavior, PermissionDestination, PermissionRule,
    PermissionUpdate, RemoveDirectories, RemoveRules, ReplaceRules, SetMode,
};

use crate::json::Json;
use crate::mcp::McpServerProvenance;
use crate::open::{object, open_enum, union};

object! {
    /// A permission request for a tool call. There is no deadline: the turn
    /// waits until the request has a response, the turn is interrupted, or the
    /// session ends.
    pub struct CanUseTool tags("subtype" = "can_use_tool") {
        /// The name of the tool.
        pub tool_name: String,
        /// The input of the tool, an object.
        pub input: Json,
        /// The ID of the tool call. Agents before 2.0 do not send it.
        pub tool_use_id: Option<String>,
        /// Rule updates that would make this request unnecessary next time.
        pub permission_suggestions: Option<Vec<PermissionUpdate>>,
        /// A path that the call accesses. Do not rely on it: it is often absent for a path outside
        /// of the working directories, and the input has the path of a file tool.
        ///
        /// Measured on Claude Code 2.1.332:
        ///
        /// - For a file tool (`Read`, `Write`, `Edit`, `Glob`, `Grep`): the target of the link,
        ///   if its path leads through a symbolic link out of the working directories.
        ///   Otherwise, the member is absent, even if the path itself is outside, as in `Read`
        ///   of `/etc/passwd`. On 2.1.197 and 2.0.77, the member is always absent.
        /// - For `Bash`: the first path that the agent recognises in the command and that needs
        ///   a permission, as an absolute path. The path may be inside the working directories
        ///   (`touch new.txt`). The member is absent if the agent recognises no path (`python3
        ///   -c 1`). On 2.0.77, the member has only paths outside.
        /// - For other tools such as `WebFetch`, the member is absent.
        pub blocked_path: Option<String>,
        /// The reason for the permission request.
        pub decision_reason: Option<String>,
        /// The kind of reason for the permission request.
        pub decision_reason_type: Option<DecisionReason>,
        /// A title for the prompt.
        pub title: Option<String>,
        /// The display name of the tool.
        pub display_name: Option<String>,
        /// The model's description of the call.
        pub description: Option<String>,
        /// The ID of the sub-agent that makes the call.
        pub agent_id: Option<String>,
        /// The MCP server that provides the tool.
        pub mcp_server: Option<McpServerProvenance>,
        /// The `ask` rule that matches the call, although the reason of the
        /// request is another one. The request requires a human.
        pub matched_ask_rule: Option<MatchedAskRule>,
        /// Whether the prompt must not default to yes.
        pub default_to_no: Option<bool>,
        /// Whether the prompt must not offer a permanent permission.
        pub suppress_always_allow_rule: Option<bool>,
        /// Whether a classifier may decide.
        pub classifier_approvable: Option<bool>,
        /// Whether the request requires a human, as for questions and plans.
        pub requires_user_interaction: Option<bool>,
        /// A member that is set for tools of MCP servers. Its meaning is not
        /// documented.
        pub server_policy_ask_only: Option<bool>,
    }
}

object! {
    /// An `ask` rule that matches a tool call.
    pub struct MatchedAskRule {
        /// The settings that contain the rule.
        pub source: Option<String>,
        /// The tool that the rule names.
        pub tool_name: String,
        /// The part of the tool that the rule covers. `None` for the whole
        /// tool.
        pub rule_content: Option<String>,
    }
}

open_enum! {
    /// The reason why the agent requests a permission.
    pub enum DecisionReason {
        /// A rule.
        Rule = "rule",
        /// The permission mode.
        Mode = "mode",
        /// A part of a compound command.
        SubcommandResults = "subcommandResults",
        /// The permission prompt tool.
        PermissionPromptTool = "permissionPromptTool",
        /// A hook.
        Hook = "hook",
        /// The call is made by a sub-agent in the background.
        AsyncAgent = "asyncAgent",
        /// The call requests to run outside the sandbox.
        SandboxOverride = "sandboxOverride",
        /// The call refers to a path outside the working directories.
        WorkingDir = "workingDir",
        /// A safety check.
        SafetyCheck = "safetyCheck",
        /// A classifier.
        Classifier = "classifier",
        /// Another or unknown reason.
        Other = "other",
    }
}

union! {
    /// The response to [`CanUseTool`]. Values from [`PermissionResult::allow`],
    /// [`PermissionResult::allow_with`] and [`PermissionResult::deny`] are
    /// always valid for the agent.
    pub enum PermissionResult by "behavior" {
        /// Allows the tool call.
        "allow" => Allow(Allow),
        /// Denies the tool call.
        "deny" => Deny(Deny),
    }
}

object! {
    /// Allows a tool call.
    #[derive(Default)]
    pub struct Allow tags("behavior" = "allow") {
        /// The input to run the tool with. `None` for the requested input.
        pub updated_input: Option<Json> = "updatedInput",
        /// Rule updates to apply.
        pub updated_permissions: Option<Vec<PermissionUpdate>> = "updatedPermissions",
        /// The ID of the tool call.
        pub tool_use_id: Option<String> = "toolUseID",
        /// How the user decided, for the agent's statistics.
        pub decision_classification: Option<DecisionClassification> = "decisionClassification",
    }
}

object! {
    /// Denies a tool call. Create it with [`Deny::new`], because the agent
    /// rejects a denial without a message.
    pub struct Deny tags("behavior" = "deny") {
        /// The message for the model.
        pub message: String,
        /// Whether to end the turn. The agent then replaces the message with
        /// its own.
        pub interrupt: Option<bool>,
        /// The ID of the tool call.
        pub tool_use_id: Option<String> = "toolUseID",
        /// How the user decided, for the agent's statistics.
        pub decision_classification: Option<DecisionClassification> = "decisionClassification",
    }
}

open_enum! {
    /// How a user decided about a tool call. If this is unset, the agent
    /// assumes `UserTemporary` or `UserReject`.
    pub enum DecisionClassification {
        /// The user allowed the call once.
        UserTemporary = "user_temporary",
        /// The user allowed the tool permanently, now or earlier.
        UserPermanent = "user_permanent",
        /// The user denied the call.
        UserReject = "user_reject",
    }
}

impl CanUseTool {
    /// Creates a permission request. `input` is an object.
    pub fn new(tool_name: impl Into<String>, input: impl Into<Json>) -> Self {
        Self {
            tool_name: tool_name.into(),
            input: input.into(),
            tool_use_id: None,
            permission_suggestions: None,
            blocked_path: None,
            decision_reason: None,
            decision_reason_type: None,
            title: None,
            display_name: None,
            description: None,
            agent_id: None,
            mcp_server: None,
            matched_ask_rule: None,
            default_to_no: None,
            suppress_always_allow_rule: None,
            classifier_approvable: None,
            requires_user_interaction: None,
            server_policy_ask_only: None,
            extra: Default::default(),
        }
    }

    /// Returns whether this request requires a human, so that rules and other
    /// programs must not approve it in advance. This is the case
    ///
    /// - if only a human can respond (`requires_user_interaction`),
    /// - if the prompt must not default to yes (`default_to_no`), or
    /// - if the cause is an `ask` rule, a hook, a safety check, a classifier, a
    ///   call that requests to leave the sandbox, or a reason unknown to this
    ///   version.
    ///
    /// A shell command that the agent could not analyse requires a human, too.
    /// Its reason is [`Other`](DecisionReason::Other), and it suggests no rule
    /// although it could (`suppress_always_allow_rule` is not set).
    ///
    /// `server_policy_ask_only` does not count. It was measured on every tool
    /// of an MCP server, and the agent's rules decide about such tools.
    #[must_use]
    pub fn requires_human(&self) -> bool {
        let for_a_reason = match &self.decision_reason_type {
            None => false,
            Some(
                DecisionReason::Mode
                | DecisionReason::SubcommandResults
                | DecisionReason::PermissionPromptTool
                | DecisionReason::AsyncAgent
                | DecisionReason::WorkingDir
                | DecisionReason::Other,
            ) => false,
            Some(_) => true,
        };
        let suggests = |rules: &Vec<PermissionUpdate>| !rules.is_empty();
        let is_opaque = self.tool_name == "Bash"
            && self.decision_reason_type == Some(DecisionReason::Other)
            && self.suppress_always_allow_rule != Some(true)
            && !self.permission_suggestions.as_ref().is_some_and(suggests);
        for_a_reason
            || is_opaque
            || self.requires_user_interaction == Some(true)
            || self.default_to_no == Some(true)
            || self.matched_ask_rule.is_some()
    }
}

impl Allow {
    /// Sets the rule updates to apply, such as the `permission_suggestions` of
    /// the request.
    ///
    /// ```
    /// use agentwire_protocol::permission::{
    ///     Allow, PermissionBehavior, PermissionDestination, PermissionResult, PermissionRule,
    ///     PermissionUpdate,
    /// };
    ///
    /// let git = PermissionUpdate::add_rules(
    ///     [PermissionRule::new("Bash").content("git *")],
    ///     PermissionBehavior::Allow,
    ///     PermissionDestination::Session,
    /// );
    /// let answer = PermissionResult::from(Allow::default().updated_permissions([git]));
    /// # drop(answer);
    /// ```
    #[must_use]
    pub fn updated_permissions(
        mut self,
        updates: impl IntoIterator<Item = PermissionUpdate>,
    ) -> Self {
        self.updated_permissions = Some(updates.into_iter().collect());
        self
    }

    /// Sets how the user decided, for the agent's statistics.
    #[must_use]
    pub fn decision_classification(mut self, classification: DecisionClassification) -> Self {
        self.decision_classification = Some(classification);
        self
    }
}

impl Deny {
    /// Denies the tool call with a message for the model.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            interrupt: None,
            tool_use_id: None,
            decision_classification: None,
            extra: Default::default(),
        }
    }

    /// Ends the turn. The agent then replaces the message with its own.
    #[must_use]
    pub fn interrupt(mut self) -> Self {
        self.interrupt = Some(true);
        self
    }

    /// Sets how the user decided, for the agent's statistics.
    #[must_use]
    pub fn decision_classification(mut self, classification: DecisionClassification) -> Self {
        self.decision_classification = Some(classification);
        self
    }
}

/// The message of a denial because of an updated input that is not an object.
/// If the tool ran with its original input, it might do what the host meant to
/// prevent.
pub(crate) const NO_OBJECT: &str =
    "The host wanted to run the tool with an input that is no object.";

/// Returns the input of a tool, if it is an object.
pub(crate) fn input_object(input: impl Into<Json>) -> Option<Json> {
    Some(input.into()).filter(|input| input.get().starts_with('{'))
}

/// Returns a value for a member that may be absent but not `null`.
pub(crate) fn unless_null(value: impl Into<Json>) -> Option<Json> {
    Some(value.into()).filter(|value| !value.is_null())
}

impl PermissionResult {
    /// Allows the tool call with the requested input.
    #[must_use]
    pub fn allow() -> Self {
        Self::Allow(Allow::default())
    }

    /// Allows the tool call with another input. The agent accepts only objects.
    /// If the input is not an object, the result is a denial whose message says
    /// so.
    #[must_use]
    pub fn allow_with(input: impl Into<Json>) -> Self {
        match input_object(input) {
            Some(input) => Self::Allow(Allow {
                updated_input: Some(input),
                ..Allow::default()
            }),
            None => Self::deny(NO_OBJECT),
        }
    }

    /// Denies the tool call with a message for the model.
    #[must_use]
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(Deny::new(message))
    }

    /// Denies the tool call and ends the turn.
    #[must_use]
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        Self::Deny(Deny::new(message).interrupt())
    }
}
