//! Plans of the model's, and what becomes of them.

use crate::callback::{PermissionAsk, Responder};
use crate::process::CliVersion;
use agentwire_protocol::Json;
use agentwire_protocol::permission::{
    Allow, ExitPlanModeInput, PermissionDestination, PermissionMode, PermissionResult,
    PermissionUpdate,
};

/// The tool that shows a plan.
pub(crate) const TOOL: &str = "ExitPlanMode";

/// A version that accepts the model's plan whatever the host makes of it.
const KEEPS_PLANS: CliVersion = CliVersion::new(2, 0, 77);

/// The model has made a plan and wants to begin, by its tool `ExitPlanMode`.
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
pub struct PlanAsk {
    /// The tool's input, with the plan.
    pub input: ExitPlanModeInput,
    /// The permission ask that it came as.
    pub ask: PermissionAsk,
}

impl PlanAsk {
    /// Reads it out of the permission ask that it came as.
    pub(crate) fn read(ask: PermissionAsk) -> Result<Self, String> {
        match ask.request.input.read() {
            Ok(input) => Ok(Self { input, ask }),
            Err(error) => Err(format!("the plan cannot be read: {error}")),
        }
    }

    /// The plan. Agents leave it out where none was written.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.input.plan.as_deref()
    }

    /// The plan is accepted, and the model begins. The permission mode is the
    /// one from before the planning; `default`, where there was none.
    #[must_use]
    pub fn approve(&self) -> PermissionResult {
        PermissionResult::allow()
    }

    /// The plan is accepted, and the model begins in this permission mode.
    #[must_use]
    pub fn approve_in(&self, mode: PermissionMode) -> PermissionResult {
        let session = PermissionDestination::Session;
        let update = PermissionUpdate::set_mode(mode, session);
        Allow::default().updated_permissions([update]).into()
    }

    /// The plan is accepted as it was changed here. CLIs up to 2.0.77 would
    /// accept the model's own plan instead: there the model is told to plan what
    /// was changed, and asks again.
    #[must_use]
    pub fn approve_changed(&self, plan: impl Into<String>) -> PermissionResult {
        let plan = plan.into();
        let version = self.ask.session.link().declared().cli_version();
        // Older ones do not say their version.
        if version.is_none_or(|version| version <= KEEPS_PLANS) {
            return self.reject(format!("Make this the plan, and ask again:\n\n{plan}"));
        }
        let mut input = self.input.clone();
        input.plan = Some(plan);
        match Json::from_value(&input) {
            Ok(input) => PermissionResult::allow_with(input),
            Err(error) => PermissionResult::deny(format!("The plan cannot be written: {error}")),
        }
    }

    /// The plan is not accepted; the model goes on planning, with this in mind.
    #[must_use]
    pub fn reject(&self, feedback: impl Into<String>) -> PermissionResult {
        PermissionResult::deny(feedback)
    }

    /// Takes the answering out of the callback; see
    /// [`Ask::later`](crate::Ask::later).
    pub fn later(&self) -> Responder<PermissionResult> {
        self.ask.later()
    }
}
