//! Plans and goals: what the model means to do, and what it is to reach.

use crate::open::object;

object! {
    /// The plan mode was entered.
    #[derive(Default)]
    pub struct EnterPlanModeOutput {
        /// What is to be said about it.
        pub message: Option<String>,
    }
}

object! {
    /// The plan was accepted, or waits for that.
    #[derive(Default)]
    pub struct ExitPlanModeOutput {
        /// The plan; `null`, when there is none.
        pub plan: Option<String>,
        /// Whether a sub-agent made it.
        pub is_agent: Option<bool> = "isAgent",
        /// The plan's file.
        pub file_path: Option<String> = "filePath",
        /// Whether the model can start sub-agents.
        pub has_task_tool: Option<bool> = "hasTaskTool",
        /// Whether the user changed the plan.
        pub plan_was_edited: Option<bool> = "planWasEdited",
        /// Whether the leader of the team has yet to accept it.
        pub awaiting_leader_approval: Option<bool> = "awaitingLeaderApproval",
        /// The id under which the leader is asked.
        pub request_id: Option<String> = "requestId",
    }
}

object! {
    /// A goal that the session is to reach before it stops.
    pub struct ProposeGoalInput {
        /// How to tell that it is reached.
        pub condition: String,
        /// Whether the user is asked first.
        pub ask_user: Option<bool>,
    }
}

object! {
    /// The goal was set, or the user was asked.
    pub struct ProposeGoalOutput {
        /// How to tell that it is reached.
        pub condition: String,
        /// Whether the user was asked.
        pub ask_user: Option<bool> = "askUser",
    }
}
