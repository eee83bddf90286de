//! Requests about settings.

use crate::handle::{Handle, Pending};
use agentwire_protocol::Json;
use agentwire_protocol::control::{
    ApplyFlagSettings, Empty, GetSettings, GetSettingsAnswer, ListPermissionRules,
    ListPermissionRulesAnswer, UpdateSettings, WritableSettings,
};

/// # Settings
impl Handle {
    /// Asks for the settings, merged and of each source.
    #[doc(alias = "get_settings")]
    pub fn settings(&self) -> Pending<GetSettingsAnswer> {
        self.request(&GetSettings::default())
    }

    /// Sets settings for this session, an object, as if they had been given on
    /// the command line: a member takes the place of the one before, and a
    /// `null` takes it away. Refused as a whole if one of them is wrong.
    pub fn apply_flag_settings(&self, settings: impl Into<Json>) -> Pending<Empty> {
        self.request(&ApplyFlagSettings::new(settings))
    }

    /// Writes settings, an object, to a file. Few may be written, and only to
    /// files that the session was started with: it is refused otherwise.
    pub fn update_settings(
        &self,
        file: WritableSettings,
        settings: impl Into<Json>,
    ) -> Pending<Empty> {
        self.request(&UpdateSettings::new(file, settings))
    }

    /// Asks for the rules by which permissions are decided.
    #[doc(alias = "list_permission_rules")]
    pub fn permission_rules(&self) -> Pending<ListPermissionRulesAnswer> {
        self.request(&ListPermissionRules::default())
    }
}
