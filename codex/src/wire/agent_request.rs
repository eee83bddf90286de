//! Requests of Codex to the client, and their responses.
//!
//! The requests are read strictly: if any member is invalid, the request is
//! [`AgentRequest::Unreadable`] and must be denied, or decided by a human.

use super::{CommandAction, ToolContent, enums, messages, named_or, objects};
use agentwire_protocol::{Json, Members};
use std::collections::BTreeMap;

messages! {
    /// A request of Codex.
    pub enum AgentRequest by read_strictly {
        /// An approval of a command. Respond with [`CommandApprovalResponse`].
        "item/commandExecution/requestApproval" => CommandApproval(CommandApproval),
        /// An approval of a patch. Respond with [`FileChangeApprovalResponse`].
        "item/fileChange/requestApproval" => FileChangeApproval(FileChangeApproval),
        /// Questions for the user. Respond with [`UserInputResponse`].
        "item/tool/requestUserInput" => UserInput(UserInputRequest),
        /// An elicitation of an MCP server, or an approval of one of its tools.
        /// Respond with [`ElicitationResponse`].
        "mcpServer/elicitation/request" => Elicitation(Elicitation),
        /// A call of a tool of the client. Respond with [`DynamicToolResponse`].
        "item/tool/call" => ToolCall(DynamicToolCall),
        /// Further permissions. Respond with [`PermissionsResponse`].
        "item/permissions/requestApproval" => Permissions(PermissionsApproval),
    }
}

named_or! {
    /// The decision about a command.
    pub enum CommandDecision { Decision, CommandAmendment }
}

impl QuestionAnswer {
    /// Creates an answer from labels of options, or texts.
    pub fn new<T: Into<String>>(answers: impl IntoIterator<Item = T>) -> Self {
        Self {
            answers: answers.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

impl UserInputResponse {
    /// Adds the answer to the question with this ID.
    #[must_use]
    pub fn answer(mut self, question_id: impl Into<String>, answer: QuestionAnswer) -> Self {
        self.answers.insert(question_id.into(), answer);
        self
    }
}

impl CommandApproval {
    /// Returns the command as a person writes it: the script, if the command line is a shell with
    /// a script.
    #[must_use]
    pub fn script(&self) -> Option<String> {
        let command = self.command.as_ref()?;
        Some(crate::shell::script(command).unwrap_or_else(|| command.clone()))
    }
}

impl Elicitation {
    /// Returns whether this is the approval of a call of a tool.
    #[must_use]
    pub fn is_tool_approval(&self) -> bool {
        let kind = self.meta.as_ref();
        let kind = kind.and_then(|meta| meta.member("codex_approval_kind"));
        kind.is_some_and(|kind| kind.read::<String>().is_ok_and(|it| it == "mcp_tool_call"))
    }
}

objects! {
    /// An approval of a command.
    pub struct CommandApproval of(item) {
        /// The subject of the approval.
        pub kind: Option<CommandApprovalKind>,
        /// The ID of this approval, if the item has more than one.
        pub approval_id: Option<String> = "approvalId",
        /// The command line, often a shell with a script: see [`script`](Self::script).
        pub command: Option<String>,
        /// The working directory.
        pub cwd: Option<String>,
        /// The model's reason.
        pub reason: Option<String>,
        /// The commands in the command line, as far as Codex recognises them.
        pub command_actions: Option<Vec<CommandAction>> = "commandActions",
        /// The connection that the command opens, if the approval is about that.
        pub network: Option<NetworkContext> = "networkApprovalContext",
        /// Permissions that the command requests besides those of the sandbox.
        pub additional_permissions: Option<Members> = "additionalPermissions",
        /// The prefix of the command that a permanent rule would allow.
        pub proposed_exec_policy: Option<Vec<String>> = "proposedExecpolicyAmendment",
        /// Rules for hosts that the client can add.
        pub proposed_network_policy: Option<Vec<NetworkRule>> = "proposedNetworkPolicyAmendments",
        /// Decisions that Codex suggests. Others are valid, too.
        pub available_decisions: Option<Vec<CommandDecision>> = "availableDecisions",
        /// The time of the request, as a Unix time in milliseconds.
        pub started_at_ms: i64 = "startedAtMs",
    }

    /// A connection of a command.
    pub struct NetworkContext {
        /// The host.
        pub host: String,
        /// The protocol, such as `https`.
        pub protocol: String,
    }

    /// A permanent rule for a host.
    pub struct NetworkRule {
        /// `allow` or `deny`.
        pub action: String,
        /// The host.
        pub host: String,
    }

    /// The response to [`CommandApproval`].
    pub struct CommandApprovalResponse {
        /// The decision.
        pub decision: CommandDecision,
    }

    /// Allows a command and adds a permanent rule. One member is present.
    #[derive(Default)]
    pub struct CommandAmendment {
        /// Allows all commands with a prefix.
        pub exec_policy: Option<ExecPolicyAmendment> = "acceptWithExecpolicyAmendment",
        /// Allows or denies a host.
        pub network_policy: Option<NetworkAmendment> = "applyNetworkPolicyAmendment",
    }

    /// A permanent rule for commands. Codex writes it to its `rules/`.
    #[derive(Default)]
    pub struct ExecPolicyAmendment {
        /// The prefix of the commands.
        pub prefix: Vec<String> = "execpolicy_amendment",
    }

    /// A permanent rule for a host.
    pub struct NetworkAmendment {
        /// The rule.
        pub rule: NetworkRule = "network_policy_amendment",
    }

    /// An approval of a patch. The changes are in the [`FileChange`] that has
    /// started.
    ///
    /// [`FileChange`]: super::FileChange
    pub struct FileChangeApproval of(item) {
        /// The reason why the patch requires an approval.
        pub reason: Option<String>,
        /// A directory that becomes writable for the session.
        pub grant_root: Option<String> = "grantRoot",
        /// The time of the request, as a Unix time in milliseconds.
        pub started_at_ms: i64 = "startedAtMs",
    }

    /// The response to [`FileChangeApproval`].
    pub struct FileChangeApprovalResponse {
        /// The decision.
        pub decision: Decision,
    }

    /// Questions for the user.
    pub struct UserInputRequest of(item) {
        /// The questions.
        pub questions: Vec<Question>,
        /// Whether the turn waits for the response.
        pub is_blocking: bool = "isBlocking",
    }

    /// A question.
    pub struct Question {
        /// The ID of the question.
        pub id: String,
        /// A title of a few words.
        pub header: String,
        /// The question.
        pub question: String,
        /// The options. The user can enter a text if there are none.
        pub options: Option<Vec<QuestionOption>>,
        /// Whether the user can enter a text instead of an option.
        pub is_other: Option<bool> = "isOther",
        /// Whether the answer is secret.
        pub is_secret: Option<bool> = "isSecret",
    }

    /// An option of a question.
    pub struct QuestionOption {
        /// The label, which is the answer.
        pub label: String,
        /// The consequences of the option.
        pub description: String,
    }

    /// The response to [`UserInputRequest`].
    #[derive(Default)]
    pub struct UserInputResponse {
        /// The answers by the IDs of the questions.
        pub answers: BTreeMap<String, QuestionAnswer>,
    }

    /// The answer to a question.
    #[derive(Default)]
    pub struct QuestionAnswer {
        /// Labels of options, or texts.
        pub answers: Vec<String>,
    }

    /// An elicitation of an MCP server, or an approval of one of its tools.
    pub struct Elicitation {
        /// The ID of the thread.
        pub thread_id: String = "threadId",
        /// The ID of the turn, if one is running.
        pub turn_id: Option<String> = "turnId",
        /// The name of the server.
        pub server_name: String = "serverName",
        /// The kind of elicitation.
        pub mode: ElicitationMode,
        /// The text for the user.
        pub message: Option<String>,
        /// The schema of the form's content.
        pub requested_schema: Option<Json> = "requestedSchema",
        /// The URL that the user is to open.
        pub url: Option<String>,
        /// The ID of the elicitation at the server.
        pub elicitation_id: Option<String> = "elicitationId",
        /// The metadata of the server or of Codex.
        pub meta: Option<Json> = "_meta",
    }

    /// The response to [`Elicitation`].
    pub struct ElicitationResponse {
        /// The decision.
        pub action: ElicitationAction,
        /// The content of the form.
        pub content: Option<Json>,
        /// `{"persist": "session"}` allows a tool for the session.
        pub meta: Option<Json> = "_meta",
    }

    /// A call of a tool of the client.
    pub struct DynamicToolCall of(turn) {
        /// The ID of the call, which is the ID of its item.
        pub call_id: String = "callId",
        /// The namespace of the tool.
        pub namespace: Option<String>,
        /// The name of the tool.
        pub tool: String,
        /// The input of the tool.
        pub arguments: Json,
    }

    /// The response to [`DynamicToolCall`].
    #[derive(Default)]
    pub struct DynamicToolResponse {
        /// The output.
        pub content_items: Vec<ToolContent> = "contentItems",
        /// Whether the call succeeded.
        pub success: bool,
    }

    /// An approval of further permissions.
    pub struct PermissionsApproval of(item) {
        /// The working directory.
        pub cwd: String,
        /// The permissions: access to files, and to the network.
        pub permissions: Members,
        /// The model's reason.
        pub reason: Option<String>,
        /// The time of the request, as a Unix time in milliseconds.
        pub started_at_ms: i64 = "startedAtMs",
    }

    /// The response to [`PermissionsApproval`].
    #[derive(Default)]
    pub struct PermissionsResponse {
        /// The permissions that are granted: a part of the requested ones.
        pub permissions: Members,
        /// The scope of the grant. Default: for the turn.
        pub scope: Option<PermissionsScope>,
    }
}

enums! {
    /// The subject of a command approval.
    pub enum CommandApprovalKind {
        /// A command of the model.
        Command = "command",
        /// Input for a running command.
        WriteStdin = "writeStdin",
        /// A command that requires a human.
        HumanCommand = "humanCommand",
    }

    /// A decision about a command or a patch.
    pub enum Decision {
        /// Denies it and tells the model.
        Decline = "decline",
        /// Denies it and interrupts the turn.
        Cancel = "cancel",
        /// Allows it once.
        Accept = "accept",
        /// Allows the action, and the same action for the rest of this session.
        AcceptForSession = "acceptForSession",
    }

    /// The kind of an elicitation.
    pub enum ElicitationMode {
        /// A form, as MCP defines it.
        Form = "form",
        /// A page that the user opens.
        Url = "url",
        /// A form with OpenAI's extensions to the forms of MCP.
        OpenAiForm = "openai/form",
        /// A verification of the user.
        UserVerification = "openai/userVerification",
    }

    /// The decision about an elicitation.
    pub enum ElicitationAction {
        /// Denies it.
        Decline = "decline",
        /// Dismisses it.
        Cancel = "cancel",
        /// Accepts it.
        Accept = "accept",
    }

    /// The scope of granted permissions.
    pub enum PermissionsScope {
        /// For the turn.
        Turn = "turn",
        /// For the session.
        Session = "session",
    }
}
