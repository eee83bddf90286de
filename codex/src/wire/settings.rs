//! Settings of a thread: approvals, sandbox, collaboration mode.

use super::{enums, named_or, objects};
use agentwire_protocol::Json;
use agentwire_protocol::open::union;

named_or! {
    /// The policy for approvals: when Codex requests one.
    pub enum ApprovalPolicy { NamedPolicy, GranularPolicy }
}

union! {
    /// A sandbox with its settings.
    pub enum SandboxPolicy by "type" {
        /// Commands can only read files.
        "readOnly" => ReadOnly(ReadOnly),
        /// Commands can write in the working directory.
        "workspaceWrite" => WorkspaceWrite(WorkspaceWrite),
        /// The client runs Codex in its own sandbox, so Codex does not use one.
        "externalSandbox" => ExternalSandbox(ExternalSandbox),
        /// Commands run without a sandbox.
        "dangerFullAccess" => DangerFullAccess(DangerFullAccess),
    }
}

enums! {
    /// The name of an approval policy.
    pub enum NamedPolicy {
        /// All commands, patches and tools of MCP servers without `readOnlyHint`
        /// require an approval.
        Untrusted = "untrusted",
        /// The model decides which commands require an approval.
        OnRequest = "on-request",
        /// Codex never requests an approval.
        Never = "never",
    }

    /// A reviewer of approvals.
    pub enum ApprovalsReviewer {
        /// The client.
        User = "user",
        /// A model. The client is not asked.
        AutoReview = "auto_review",
        /// A sub-agent. The client is not asked.
        GuardianSubagent = "guardian_subagent",
    }

    /// The name of a sandbox.
    pub enum SandboxMode {
        /// Commands can only read files.
        ReadOnly = "read-only",
        /// Commands can write in the working directory.
        WorkspaceWrite = "workspace-write",
        /// Commands run without a sandbox.
        DangerFullAccess = "danger-full-access",
    }

    /// The name of a collaboration mode.
    pub enum ModeKind {
        /// Codex works on the task.
        Default = "default",
        /// Codex asks questions and proposes a plan.
        Plan = "plan",
    }
}

impl CollaborationMode {
    /// Creates a mode with a model, such as [`ModeKind::Plan`], in which the agent asks questions.
    #[must_use]
    pub fn new(mode: ModeKind, model: impl Into<String>) -> Self {
        Self {
            mode,
            settings: CollaborationSettings {
                model: model.into(),
                ..CollaborationSettings::default()
            },
            extra: agentwire_protocol::Members::default(),
        }
    }
}

objects! {
    /// An approval policy with one switch for each kind of approval.
    pub struct GranularPolicy {
        /// The switches.
        pub granular: Json,
    }

    /// A sandbox without write access.
    #[derive(Default)]
    pub struct ReadOnly tags("type" = "readOnly") {
        /// Whether commands can use the network. Default: no.
        pub network_access: Option<bool> = "networkAccess",
    }

    /// A sandbox with write access to some directories.
    #[derive(Default)]
    pub struct WorkspaceWrite tags("type" = "workspaceWrite") {
        /// Directories, besides the working directory, that commands can write
        /// in.
        pub writable_roots: Option<Vec<String>> = "writableRoots",
        /// Whether commands can use the network. Default: no.
        pub network_access: Option<bool> = "networkAccess",
        /// Whether the directory in `TMPDIR` is read-only. Default: no.
        pub exclude_tmpdir_env_var: Option<bool> = "excludeTmpdirEnvVar",
        /// Whether `/tmp` is read-only. Default: no.
        pub exclude_slash_tmp: Option<bool> = "excludeSlashTmp",
    }

    /// A sandbox that the client provides.
    #[derive(Default)]
    pub struct ExternalSandbox tags("type" = "externalSandbox") {
        /// `enabled` or `restricted`.
        pub network_access: Option<String> = "networkAccess",
    }

    /// No sandbox.
    #[derive(Default)]
    pub struct DangerFullAccess tags("type" = "dangerFullAccess") {}

    /// A collaboration mode. Experimental.
    pub struct CollaborationMode {
        /// The mode.
        pub mode: ModeKind,
        /// The settings of the model in this mode.
        pub settings: CollaborationSettings,
    }

    /// The settings of the model in a collaboration mode.
    #[derive(Default)]
    pub struct CollaborationSettings {
        /// The model.
        pub model: String,
        /// The reasoning effort.
        pub reasoning_effort: Option<String>,
        /// Instructions that replace those of the mode.
        pub developer_instructions: Option<String>,
    }
}
