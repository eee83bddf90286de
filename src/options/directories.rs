//! Where the agent works, and what it may touch there.

use super::Options;
use std::ffi::OsString;
use std::path::PathBuf;

/// Directories and files.
impl Options {
    /// The directory in which the agent works; this process's, if not set.
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Directories besides the working directory that the agent may use
    /// (`--add-dir`).
    pub fn additional_directories<P: Into<PathBuf>>(
        self,
        directories: impl IntoIterator<Item = P>,
    ) -> Self {
        let directories = directories.into_iter().map(Into::into);
        self.set_all("--add-dir", directories.map(PathBuf::into_os_string))
    }

    /// The checkout that is trusted, where the working directory is a worktree
    /// of it (`--project-config-root`): the project's settings, agents, skills
    /// and MCP servers come from there, whatever the branch has.
    pub fn project_config_root(self, directory: impl Into<PathBuf>) -> Self {
        self.set("--project-config-root", OsString::from(directory.into()))
    }

    /// Whether the CLI keeps copies of the files that it changes, so that they
    /// can be put back by [`Handle::rewind_files`](crate::Handle::rewind_files)
    /// (`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`).
    pub fn file_checkpointing(self, wanted: bool) -> Self {
        let name = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
        self.marker(name, wanted.then_some("true"))
    }
}
