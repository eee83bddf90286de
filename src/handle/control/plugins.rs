//! Requests about plugins, skills and output styles.

use crate::handle::{Handle, Pending};
use agentwire_protocol::control::{
    ReloadOutputStyles, ReloadOutputStylesAnswer, ReloadPlugins, ReloadPluginsAnswer, ReloadSkills,
    ReloadSkillsAnswer,
};

/// # Plugins and skills
///
/// They are files, which the agent reads when it starts and when it is told
/// to.
impl Handle {
    /// Loads the plugins again, from [`ReloadPlugins::default`] or with what
    /// its setters say.
    ///
    /// [`ReloadPlugins::refuse_if_busy`] needs the capability
    /// `reload_plugins_refuse_if_busy_v1`. An agent without it would load them
    /// in the middle of a turn: such a request is not sent, and fails with
    /// [`Error::NotSupported`](crate::Error::NotSupported).
    pub fn reload_plugins(&self, request: &ReloadPlugins) -> Pending<ReloadPluginsAnswer> {
        self.request(request)
    }

    /// Loads the skills again.
    pub fn reload_skills(&self) -> Pending<ReloadSkillsAnswer> {
        self.request(&ReloadSkills::default())
    }

    /// Loads the output styles again.
    pub fn reload_output_styles(&self) -> Pending<ReloadOutputStylesAnswer> {
        self.request(&ReloadOutputStyles::default())
    }
}
