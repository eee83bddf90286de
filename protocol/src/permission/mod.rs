//! Permissions: what the agent asks before it runs a tool, and the answers.

mod mode;
mod plan;
mod question;
mod rule;
mod update;

pub use mode::PermissionMode;
pub use plan::{AllowedPrompt, AllowedPromptTool, ExitPlanModeInput};
pub use question::{
    AskUserQuestionInput, AskUserQuestionOutput, Question, QuestionAnnotation, QuestionMetadata,
    QuestionOption, QuestionUnanswered,
};
pub use rule::RuleError;
pub use update::{
    AddDirectories, AddRules, PermissionBehavior, PermissionDestination, PermissionRule,
    PermissionUpdate, RemoveDirectories, RemoveRules, ReplaceRules, SetMode,
};

use crate::json::Json;
use crate::mcp::McpServerProvenance;
use crate::open::{object, open_enum, union};

object! {
    /// The agent asks whether a tool may run. There is no deadline: the turn
    /// waits until it is answered, interrupted or the session ends.
    pub struct CanUseTool tags("subtype" = "can_use_tool") {
        /// The tool.
        pub tool_name: String,
        /// Its input, an object.
        pub input: Json,
        /// The tool call. Agents before 2.0 do not say.
        pub tool_use_id: Option<String>,
        /// Changes of the rules with which the question would not come again.
        pub permission_suggestions: Option<Vec<PermissionUpdate>>,
        /// The path that is the reason for asking.
        pub blocked_path: Option<String>,
        /// The reason for asking.
        pub decision_reason: Option<String>,
        /// The kind of that reason.
        pub decision_reason_type: Option<DecisionReason>,
        /// A title for the question.
        pub title: Option<String>,
        /// The tool, as people are to read it.
        pub display_name: Option<String>,
        /// What the call does, in the model's words.
        pub description: Option<String>,
        /// The sub-agent that calls.
        pub agent_id: Option<String>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
        /// The rule by which it is asked, where the reason is another: a
        /// person is meant to decide.
        pub matched_ask_rule: Option<MatchedAskRule>,
        /// Whether the question must not default to yes.
        pub default_to_no: Option<bool>,
        /// Whether a standing permission must not be offered.
        pub suppress_always_allow_rule: Option<bool>,
        /// Whether a classifier may answer.
        pub classifier_approvable: Option<bool>,
        /// Whether only a person can answer, as for questions and plans.
        pub requires_user_interaction: Option<bool>,
        /// Set for tools of MCP servers; what it means is not declared.
        pub server_policy_ask_only: Option<bool>,
    }
}

object! {
    /// A rule by which a tool has to be asked for.
    pub struct MatchedAskRule {
        /// Where the rule is kept.
        pub source: Option<String>,
        /// The tool that it names.
        pub tool_name: String,
        /// What of the tool; all of it, when absent.
        pub rule_content: Option<String>,
    }
}

open_enum! {
    /// Why somebody is asked about a tool.
    pub enum DecisionReason {
        /// A rule says so.
        Rule = "rule",
        /// The permission mode says so.
        Mode = "mode",
        /// A part of a compound command needs it.
        SubcommandResults = "subcommandResults",
        /// The tool that decides about permissions says so.
        PermissionPromptTool = "permissionPromptTool",
        /// A hook says so.
        Hook = "hook",
        /// A sub-agent in the background calls.
        AsyncAgent = "asyncAgent",
        /// The call wants out of the sandbox.
        SandboxOverride = "sandboxOverride",
        /// It is about a place outside the working directories.
        WorkingDir = "workingDir",
        /// A safety check stopped it.
        SafetyCheck = "safetyCheck",
        /// A classifier stopped it.
        Classifier = "classifier",
        /// Another or unknown reason.
        Other = "other",
    }
}

union! {
    /// The answer to [`CanUseTool`]. Made by [`PermissionResult::allow`],
    /// [`PermissionResult::allow_with`] and [`PermissionResult::deny`], it is
    /// always one that the agent takes.
    pub enum PermissionResult by "behavior" {
        /// The tool may run.
        "allow" => Allow(Allow),
        /// The tool may not run.
        "deny" => Deny(Deny),
    }
}

object! {
    /// The tool may run.
    #[derive(Default)]
    pub struct Allow tags("behavior" = "allow") {
        /// The input to run it with. Left out, it is the one that was asked
        /// about.
        pub updated_input: Option<Json> = "updatedInput",
        /// Changes of the rules, for next time.
        pub updated_permissions: Option<Vec<PermissionUpdate>> = "updatedPermissions",
        /// The tool call that was asked about.
        pub tool_use_id: Option<String> = "toolUseID",
        /// Who decided, for statistics.
        pub decision_classification: Option<DecisionClassification> = "decisionClassification",
    }
}

object! {
    /// The tool may not run. It is made by [`Deny::new`]: the agent does not
    /// take a denial without a message.
    pub struct Deny tags("behavior" = "deny") {
        /// What the model is told.
        pub message: String,
        /// Whether the turn ends. The message is then replaced by one of the
        /// agent's own.
        pub interrupt: Option<bool>,
        /// The tool call that was asked about.
        pub tool_use_id: Option<String> = "toolUseID",
        /// Who decided, for statistics.
        pub decision_classification: Option<DecisionClassification> = "decisionClassification",
    }
}

open_enum! {
    /// How a user decided about a tool. Without it the agent assumes
    /// `UserTemporary` or `UserReject`.
    pub enum DecisionClassification {
        /// Allowed, this once.
        UserTemporary = "user_temporary",
        /// Allowed for good, now or earlier.
        UserPermanent = "user_permanent",
        /// Denied.
        UserReject = "user_reject",
    }
}

impl CanUseTool {
    /// May this tool run with this input, an object?
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

    /// Whether a person is to decide, and no rule or other program that allows
    /// things in advance: because the answer is a person's (`requires_user_interaction`),
    /// because the question must not default to yes (`default_to_no`), or
    /// because something asked for it on purpose: a rule that says "ask", a
    /// hook, a safety check, a classifier, a call that wants out of the
    /// sandbox, or a reason that is not known here. So it is with a shell
    /// command that the agent could not look through: its reason is
    /// [`Other`](DecisionReason::Other), and it suggests no rule, though it may
    /// (`suppress_always_allow_rule` is not set).
    ///
    /// `server_policy_ask_only` is none of them: it was seen on every tool of
    /// an MCP server, and the agent's own rules answer those.
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
    /// Changes the rules, for next time: the `permission_suggestions` that
    /// came with the question, or others.
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

    /// Says who decided, for statistics.
    #[must_use]
    pub fn decision_classification(mut self, classification: DecisionClassification) -> Self {
        self.decision_classification = Some(classification);
        self
    }
}

impl Deny {
    /// The tool may not run, and this is what the model is told.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            interrupt: None,
            tool_use_id: None,
            decision_classification: None,
            extra: Default::default(),
        }
    }

    /// Ends the turn. The agent then replaces the message by one of its own.
    #[must_use]
    pub fn interrupt(mut self) -> Self {
        self.interrupt = Some(true);
        self
    }

    /// Says who decided, for statistics.
    #[must_use]
    pub fn decision_classification(mut self, classification: DecisionClassification) -> Self {
        self.decision_classification = Some(classification);
        self
    }
}

/// Why a tool may not run whose input was to be replaced by something odd.
/// With the input that it was called with, it might do what the host meant to
/// prevent.
pub(crate) const NO_OBJECT: &str =
    "The host wanted to run the tool with an input that is no object.";

/// The input of a tool, when it is one.
pub(crate) fn input_object(input: impl Into<Json>) -> Option<Json> {
    Some(input.into()).filter(|input| input.get().starts_with('{'))
}

/// A value for a member that may be missing but not `null`.
pub(crate) fn unless_null(value: impl Into<Json>) -> Option<Json> {
    Some(value.into()).filter(|value| !value.is_null())
}

impl PermissionResult {
    /// The tool may run as it was asked about.
    #[must_use]
    pub fn allow() -> Self {
        Self::Allow(Allow::default())
    }

    /// The tool may run, with this input instead. The agent takes nothing but
    /// objects: anything else makes it a denial that says so.
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

    /// The tool may not run, and the model is told why.
    #[must_use]
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(Deny::new(message))
    }

    /// The tool may not run, and the turn ends.
    #[must_use]
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        Self::Deny(Deny::new(message).interrupt())
    }
}
