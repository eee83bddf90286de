//! Plans of the model, which arrive as a permission request for the tool
//! `ExitPlanMode`.

use crate::open::{object, open_enum};

object! {
    /// The plan that the model has finished. It arrives as a permission
    /// request. The plan may be in members that are not part of the declared
    /// schema.
    #[derive(Default)]
    pub struct ExitPlanModeInput {
        /// The permissions that the plan requests. No longer used.
        pub allowed_prompts: Option<Vec<AllowedPrompt>> = "allowedPrompts",
        /// The plan. The member is undeclared; agents add it for the host.
        pub plan: Option<String>,
        /// The path of the plan's file. The member is undeclared; agents add it
        /// for the host.
        pub plan_file_path: Option<String> = "planFilePath",
    }
}

object! {
    /// A permission that a plan requests.
    pub struct AllowedPrompt {
        /// The name of the tool.
        pub tool: AllowedPromptTool,
        /// A short description of the purpose.
        pub prompt: String,
    }
}

open_enum! {
    /// A tool for which a plan can request a permission.
    pub enum AllowedPromptTool {
        /// Shell commands.
        Bash = "Bash",
    }
}
