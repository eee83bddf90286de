//! The folders of projects.

use super::ends::EndsBuffer;
use super::error::{HistoryError, existing};
use agentwire_files::{LONGEST_NAME, dashed, project_name};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of all projects.
#[derive(Debug, Clone)]
pub(super) struct Projects {
    pub(super) folder: PathBuf,
    /// The folder name of every project, if the environment sets one.
    pub(super) name: Option<String>,
}

impl Projects {
    /// Returns the entries of the folder, sorted by name. A missing folder has no entries.
    pub(super) fn entries(&self) -> Result<Vec<DirEntry>, HistoryError> {
        let entries = existing(sorted(&self.folder));
        let entries = entries.map_err(HistoryError::unreadable(&self.folder))?;
        Ok(entries.unwrap_or_default())
    }

    /// Returns the names of the folders in the folder, links excluded.
    pub(super) fn folders(&self) -> Result<Vec<String>, HistoryError> {
        let entries = self.entries()?.into_iter().filter(is_folder);
        Ok(entries.map(|it| name_of(&it)).collect())
    }

    /// Returns the name of the project's folder.
    pub(super) fn name_of(&self, project: &str) -> String {
        self.name.clone().unwrap_or_else(|| project_name(project))
    }

    /// Returns the folders of a project. If its path is long, the name of its folder ends with a
    /// hash that depends on the version of the agent. A folder with another hash is included if it
    /// has a session of the project.
    pub(super) fn folders_of(&self, project: &str) -> Result<Vec<PathBuf>, HistoryError> {
        let own = self.folder.join(self.name_of(project));
        let default = project_name(project);
        let mut folders = Vec::new();
        for folder in [
            Some(own.clone()),
            self.name.as_ref().map(|_| self.folder.join(&default)),
        ] {
            let Some(folder) = folder.filter(|it| !folders.contains(it)) else {
                continue;
            };
            if existing(fs::read_dir(&folder))
                .map_err(HistoryError::unreadable(&folder))?
                .is_some()
            {
                folders.push(folder);
            }
        }
        if self.name.is_some() || default.len() <= LONGEST_NAME {
            return Ok(folders);
        }
        let prefix = format!("{}-", &default[..LONGEST_NAME]);
        for name in self
            .folders()?
            .iter()
            .filter(|name| name.starts_with(&prefix))
        {
            let folder = self.folder.join(name);
            if folder != own && has_session_of(&folder, project) {
                folders.push(folder);
            }
        }
        Ok(folders)
    }
}

/// Returns whether a session in the folder has this working directory.
pub(super) fn has_session_of(folder: &Path, project: &str) -> bool {
    let name = dashed(project);
    let mut buffer = EndsBuffer::default();
    let entries = sorted(folder).unwrap_or_default();
    let mut files = entries.iter().filter(|it| {
        it.file_type().is_ok_and(|it| it.is_file()) && name_of(it).ends_with(".jsonl")
    });
    files.any(|file| {
        let read = buffer.read(&file.path());
        read.is_some_and(|read| read.ends.directory().is_some_and(|it| dashed(&it) == name))
    })
}

/// Returns the canonical path of a directory, or the given path if it does not exist.
pub(super) fn real(directory: &Path) -> String {
    let path = directory.canonicalize();
    let path = path.as_deref().unwrap_or(directory).to_string_lossy();
    path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned()
}

pub(super) fn sorted(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries: Vec<DirEntry> = fs::read_dir(folder)?.filter_map(Result::ok).collect();
    entries.sort_by_cached_key(DirEntry::file_name);
    Ok(entries)
}

pub(super) fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|it| it.is_dir())
}

pub(super) fn name_of(entry: &DirEntry) -> String {
    entry.file_name().to_string_lossy().into_owned()
}
