//! Working directory, additional directories and files.

use super::Options;
use std::ffi::OsString;
use std::path::PathBuf;

/// Directories and files.
impl Options {
    /// Sets the agent's working directory. Default: that of this process.
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets the directories that the agent may use in addition to its working
    /// directory (`--add-dir`).
    #[doc(alias = "add_dirs")]
    pub fn additional_directories<P: Into<PathBuf>>(
        self,
        directories: impl IntoIterator<Item = P>,
    ) -> Self {
        let directories = directories.into_iter().map(Into::into);
        self.set_all("--add-dir", directories.map(PathBuf::into_os_string))
    }

    /// Sets the trusted checkout if the working directory is a worktree of it
    /// (`--project-config-root`). The project's settings, agents, skills and MCP servers are read
    /// from there, regardless of the branch's contents.
    pub fn project_config_root(self, directory: impl Into<PathBuf>) -> Self {
        self.set("--project-config-root", OsString::from(directory.into()))
    }

    /// Sets whether the CLI backs up the files that it changes, so that
    /// [`Handle::rewind_files`](crate::Handle::rewind_files) can restore them
    /// (`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`).
    #[doc(alias = "enableFileCheckpointing")]
    #[doc(alias = "enable_file_checkpointing")]
    pub fn file_checkpointing(self, wanted: bool) -> Self {
        let name = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
        self.marker(name, wanted.then_some("true"))
    }
}
