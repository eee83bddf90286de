//! Plans: what the model means to do. They come as a permission ask of the
//! tool `ExitPlanMode`.

use crate::open::{object, open_enum};

object! {
    /// The plan is ready. It comes as a permission ask, and the plan may be
    /// among the members that are not declared.
    #[derive(Default)]
    pub struct ExitPlanModeInput {
        /// What the plan was to be allowed. Not used any more.
        pub allowed_prompts: Option<Vec<AllowedPrompt>> = "allowedPrompts",
        /// The plan. Not declared; agents write it for the host.
        pub plan: Option<String>,
        /// The plan's file. Not declared; agents write it for the host.
        pub plan_file_path: Option<String> = "planFilePath",
    }
}

object! {
    /// What a plan was to be allowed.
    pub struct AllowedPrompt {
        /// The tool.
        pub tool: AllowedPromptTool,
        /// What for, in a few words.
        pub prompt: String,
    }
}

open_enum! {
    /// The tool that a plan was to be allowed.
    pub enum AllowedPromptTool {
        /// Shell commands.
        Bash = "Bash",
    }
}
