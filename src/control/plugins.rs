//! Requests about plugins, skills and output styles.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::control::{
    ReloadOutputStyles, ReloadOutputStylesAnswer, ReloadPlugins, ReloadPluginsAnswer, ReloadSkills,
    ReloadSkillsAnswer,
};

/// # Plugins and skills
///
/// The agent reads these files when it starts, and on these requests.
impl Handle {
    /// Reloads the plugins. Pass [`ReloadPlugins::default`], or configure it
    /// with its setters.
    ///
    /// [`ReloadPlugins::refuse_if_busy`] requires the capability
    /// `reload_plugins_refuse_if_busy_v1`. An agent without it would reload in
    /// the middle of a turn. The request is then not sent, and fails with
    /// [`Error::NotSupported`](crate::Error::NotSupported).
    pub fn reload_plugins(&self, request: &ReloadPlugins) -> ResponseFuture<ReloadPluginsAnswer> {
        self.request(request)
    }

    /// Reloads the skills.
    pub fn reload_skills(&self) -> ResponseFuture<ReloadSkillsAnswer> {
        self.request(&ReloadSkills::default())
    }

    /// Reloads the output styles.
    pub fn reload_output_styles(&self) -> ResponseFuture<ReloadOutputStylesAnswer> {
        self.request(&ReloadOutputStyles::default())
    }
}
