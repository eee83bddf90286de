//! Requests about settings.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::Json;
use agentwire_protocol::control::{
    ApplyFlagSettings, Empty, GetSettings, GetSettingsAnswer, ListPermissionRules,
    ListPermissionRulesAnswer, UpdateSettings, WritableSettings,
};

/// # Settings
impl Handle {
    /// Returns the settings, both merged and by source.
    #[doc(alias = "get_settings")]
    pub fn settings(&self) -> ResponseFuture<GetSettingsAnswer> {
        self.request(&GetSettings::default())
    }

    /// Changes settings of this session, as if they had been given on the
    /// command line. Each member of the object replaces the earlier value;
    /// `null` removes it. The request is refused as a whole if one of them is
    /// invalid.
    pub fn apply_flag_settings(&self, settings: impl Into<Json>) -> ResponseFuture<Empty> {
        self.request(&ApplyFlagSettings::new(settings))
    }

    /// Writes settings, an object, to a file. The agent accepts only a few
    /// settings, and only for files that the session was started with; it
    /// refuses others.
    pub fn update_settings(
        &self,
        file: WritableSettings,
        settings: impl Into<Json>,
    ) -> ResponseFuture<Empty> {
        self.request(&UpdateSettings::new(file, settings))
    }

    /// Returns the agent's permission rules.
    #[doc(alias = "list_permission_rules")]
    pub fn permission_rules(&self) -> ResponseFuture<ListPermissionRulesAnswer> {
        self.request(&ListPermissionRules::default())
    }
}
