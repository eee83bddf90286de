//! Requests for information about the agent.

use super::request::host_requests;
use crate::json::Json;
use crate::model::ModelInfo;
use crate::open::object;

host_requests! {
    GetBinaryVersion = "get_binary_version" => BinaryVersion,
    ListModels = "list_models" => ListModelsAnswer,
    GetStatus = "get_status" => StatusReport,
    GetPlan = "get_plan" => PlanReport,
}

object! {
    /// Requests the agent's version.
    #[derive(Default)]
    pub struct GetBinaryVersion tags("subtype" = "get_binary_version") {}
}

object! {
    /// The agent's version.
    pub struct BinaryVersion {
        /// The version.
        pub version: String,
        /// The build time, as ISO 8601.
        pub build_time: Option<String> = "buildTime",
        /// The version of the oldest SDK that the agent supports in the desktop
        /// application.
        pub oldest_desktop_sdk: Option<String> = "oldestDesktopSdk",
    }
}

object! {
    /// Requests the available models.
    #[derive(Default)]
    pub struct ListModels tags("subtype" = "list_models") {}
}

object! {
    /// The available models.
    pub struct ListModelsAnswer {
        /// The models.
        pub models: Vec<ModelInfo>,
    }
}

object! {
    /// Requests a status report for display. The request was measured; the CLI
    /// does not declare it.
    #[derive(Default)]
    pub struct GetStatus tags("subtype" = "get_status") {}
}

object! {
    /// A status report for display.
    pub struct StatusReport {
        /// The sections.
        pub sections: Vec<StatusSection>,
    }
}

object! {
    /// A section of a status report.
    pub struct StatusSection {
        /// The title of the section.
        pub title: Option<String>,
        /// The rows of the section.
        pub rows: Vec<StatusRow>,
    }
}

object! {
    /// A row of a status report.
    pub struct StatusRow {
        /// The label.
        pub label: Option<String>,
        /// The value.
        pub value: Option<Json>,
    }
}

object! {
    /// Requests the model's plan. The request was measured; the CLI does not
    /// declare it.
    #[derive(Default)]
    pub struct GetPlan tags("subtype" = "get_plan") {}
}

object! {
    /// The model's plan.
    pub struct PlanReport {
        /// Whether there is a plan.
        pub exists: bool,
        /// The plan, in Markdown.
        pub content: Option<String>,
        /// The path of the plan's file.
        pub path: Option<String>,
    }
}
