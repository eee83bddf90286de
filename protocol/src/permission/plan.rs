//! Plans of the model. They arrive as a permission request for the tool
//! `ExitPlanMode`.

use crate::open::{object, open_enum};

object! {
    /// The model has finished its plan. Arrives as a permission request; the
    /// plan may be in members that are not part of the declared schema.
    #[derive(Default)]
    pub struct ExitPlanModeInput {
        /// Permissions that the plan asks for. No longer used.
        pub allowed_prompts: Option<Vec<AllowedPrompt>> = "allowedPrompts",
        /// The plan. Undeclared; agents add it for the host.
        pub plan: Option<String>,
        /// The file of the plan. Undeclared; agents add it for the host.
        pub plan_file_path: Option<String> = "planFilePath",
    }
}

object! {
    /// A permission that a plan asks for.
    pub struct AllowedPrompt {
        /// The tool.
        pub tool: AllowedPromptTool,
        /// A short description of the purpose.
        pub prompt: String,
    }
}

open_enum! {
    /// A tool that a plan can ask for.
    pub enum AllowedPromptTool {
        /// Shell commands.
        Bash = "Bash",
    }
}
