//! Requests for what the agent is and has.

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
    /// Asks for the agent's version.
    #[derive(Default)]
    pub struct GetBinaryVersion tags("subtype" = "get_binary_version") {}
}

object! {
    /// The agent's version.
    pub struct BinaryVersion {
        /// The version.
        pub version: String,
        /// When it was built, as ISO 8601.
        pub build_time: Option<String> = "buildTime",
        /// The oldest SDK that it works with in the desktop application.
        pub oldest_desktop_sdk: Option<String> = "oldestDesktopSdk",
    }
}

object! {
    /// Asks for the models.
    #[derive(Default)]
    pub struct ListModels tags("subtype" = "list_models") {}
}

object! {
    /// The models that there are.
    pub struct ListModelsAnswer {
        /// The models.
        pub models: Vec<ModelInfo>,
    }
}

object! {
    /// Asks how the agent is set up, for people. Measured, not declared.
    #[derive(Default)]
    pub struct GetStatus tags("subtype" = "get_status") {}
}

object! {
    /// How the agent is set up, for people.
    pub struct StatusReport {
        /// The sections of a page.
        pub sections: Vec<StatusSection>,
    }
}

object! {
    /// A section of a page.
    pub struct StatusSection {
        /// Its title.
        pub title: Option<String>,
        /// Its rows.
        pub rows: Vec<StatusRow>,
    }
}

object! {
    /// A row of a page.
    pub struct StatusRow {
        /// What it is about.
        pub label: Option<String>,
        /// How that is.
        pub value: Option<Json>,
    }
}

object! {
    /// Asks for the plan that the model made. Measured, not declared.
    #[derive(Default)]
    pub struct GetPlan tags("subtype" = "get_plan") {}
}

object! {
    /// The plan that the model made.
    pub struct PlanReport {
        /// Whether there is one.
        pub exists: bool,
        /// The plan, in Markdown.
        pub content: Option<String>,
        /// The file that it is in.
        pub path: Option<String>,
    }
}
