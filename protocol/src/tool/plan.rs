//! Tools for plans and goals.

use crate::open::object;

object! {
    /// The output of `EnterPlanMode`.
    #[derive(Default)]
    pub struct EnterPlanModeOutput {
        /// A message about the result.
        pub message: Option<String>,
    }
}

object! {
    /// The output of `ExitPlanMode`. The plan was approved, or awaits approval.
    #[derive(Default)]
    pub struct ExitPlanModeOutput {
        /// The plan. `None` if there is none.
        pub plan: Option<String>,
        /// Whether a sub-agent made the plan.
        pub is_agent: Option<bool> = "isAgent",
        /// The path of the plan file.
        pub file_path: Option<String> = "filePath",
        /// Whether the model can start sub-agents.
        pub has_task_tool: Option<bool> = "hasTaskTool",
        /// Whether the user edited the plan.
        pub plan_was_edited: Option<bool> = "planWasEdited",
        /// Whether the plan awaits approval by the team leader.
        pub awaiting_leader_approval: Option<bool> = "awaitingLeaderApproval",
        /// The ID of the approval request to the team leader.
        pub request_id: Option<String> = "requestId",
    }
}

object! {
    /// The input of `ProposeGoal`, a goal to reach before the session stops.
    pub struct ProposeGoalInput {
        /// The condition under which the goal is reached.
        pub condition: String,
        /// Whether to ask the user first.
        pub ask_user: Option<bool>,
    }
}

object! {
    /// The output of `ProposeGoal`. The goal was set, or the user's consent was
    /// requested.
    pub struct ProposeGoalOutput {
        /// The condition under which the goal is reached.
        pub condition: String,
        /// Whether the user's consent was requested.
        pub ask_user: Option<bool> = "askUser",
    }
}
