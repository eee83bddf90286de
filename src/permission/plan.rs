//! Plans of the model, and their approval.

use super::PermissionRequest;
use crate::callback::Responder;
use crate::process::CliVersion;
use agentwire_protocol::Json;
use agentwire_protocol::permission::{
    Allow, ExitPlanModeInput, PermissionDestination, PermissionMode, PermissionResult,
    PermissionUpdate,
};

/// The tool with which the model presents a plan.
pub(crate) const TOOL: &str = "ExitPlanMode";

/// The last version that ignores the host's changes to the model's plan.
const KEEPS_PLANS: CliVersion = CliVersion::new(2, 0, 77);

/// A plan of the model for approval. The model presents it with its tool `ExitPlanMode`.
///
/// ```
/// use agentwire::Options;
///
/// let options = Options::new().on_plan(|plan| async move {
///     if plan.text().is_some_and(|text| text.contains("tests")) {
///         plan.approve()
///     } else {
///         plan.reject("Say how it is going to be tested.")
///     }
/// });
/// # drop(options);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlanRequest {
    /// The tool's input, with the plan.
    pub input: ExitPlanModeInput,
    /// The permission request for the tool call.
    pub ask: PermissionRequest,
}

impl PlanRequest {
    /// Reads the plan from the permission request.
    pub(crate) fn read(ask: PermissionRequest) -> Result<Self, String> {
        match ask.request.input.read() {
            Ok(input) => Ok(Self { input, ask }),
            Err(error) => Err(format!("invalid plan: {error}")),
        }
    }

    /// Returns the plan. `None` if the agent did not write one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.input.plan.as_deref()
    }

    /// Approves the plan. The model starts, in the permission mode that was set
    /// before plan mode, or in `default` if there was none.
    #[must_use]
    pub fn approve(&self) -> PermissionResult {
        PermissionResult::allow()
    }

    /// Approves the plan. The model starts, in this permission mode.
    #[must_use]
    pub fn approve_in(&self, mode: PermissionMode) -> PermissionResult {
        let session = PermissionDestination::Session;
        let update = PermissionUpdate::set_mode(mode, session);
        Allow::default().updated_permissions([update]).into()
    }

    /// Approves a changed plan. CLIs up to 2.0.77 would approve the model's own
    /// plan: with them, the plan is rejected with the changed plan as feedback,
    /// and the model presents it again.
    #[must_use]
    pub fn approve_changed(&self, plan: impl Into<String>) -> PermissionResult {
        let plan = plan.into();
        let version = self.ask.session.link().declared().cli_version();
        // Older versions do not report their version.
        if version.is_none_or(|version| version <= KEEPS_PLANS) {
            return self.reject(format!(
                "Replace the plan with this one, and present it again:\n\n{plan}"
            ));
        }
        let mut input = self.input.clone();
        input.plan = Some(plan);
        match Json::from_value(&input) {
            Ok(input) => PermissionResult::allow_with(input),
            Err(error) => PermissionResult::deny(format!("The plan cannot be serialized: {error}")),
        }
    }

    /// Rejects the plan. The model continues planning, with this feedback.
    #[must_use]
    pub fn reject(&self, feedback: impl Into<String>) -> PermissionResult {
        PermissionResult::deny(feedback)
    }

    /// Returns a responder to answer later; see
    /// [`Request::later`](crate::callback::Request::later).
    pub fn later(&self) -> Responder<PermissionResult> {
        self.ask.later()
    }
}
