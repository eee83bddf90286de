//! Rules about files: patterns in the syntax of `.gitignore`.

mod disk;
mod pattern;
#[cfg(test)]
mod tests;

pub(in crate::permission) use disk::Disk;
use pattern::{Exhausted, Form, MatchPurpose, Segment, Steps};
use std::path::{Component, Path, PathBuf};

/// The directories that relative paths and `~` refer to.
#[derive(Debug, Clone)]
pub(in crate::permission) struct Places {
    /// The agent's working directory.
    pub(in crate::permission) work: PathBuf,
    pub(in crate::permission) home: Option<PathBuf>,
}

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    root: Root,
    /// The segments; `**` matches any number of directories.
    segments: Vec<Segment>,
    /// Whether the pattern matches at its root only, not in directories below
    /// it.
    anchored: bool,
    /// Whether the pattern ends with a `/` and matches directories only.
    directories_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// `//etc`
    System,
    /// `~/notes`
    Home,
    /// `/src`, `src`, `./src`: the working directory.
    Work,
}

/// The most names in a path. The system does not accept longer paths.
const MOST_NAMES: usize = 4096;

/// The most characters that one rule compares for one call.
const MOST_STEPS: usize = 1024 * 1024;

/// A path, and its targets.
#[derive(Debug)]
pub(super) struct Place {
    /// Absolute, and without `.` and `..`.
    path: PathBuf,
    /// The targets of its links, if it contains any; `None` if they cannot be determined.
    targets: Option<Vec<PathBuf>>,
    exists: bool,
    /// Whether it depends on the process that opens it, like `/proc/self/cwd/x`.
    is_magic: bool,
}

impl PathPattern {
    pub(super) fn new(content: &str) -> Result<Self, &'static str> {
        Self::parse(content).map(|(pattern, _)| pattern)
    }

    /// Returns the pattern, and its segments as written.
    fn parse(content: &str) -> Result<(Self, Vec<&str>), &'static str> {
        if content.starts_with('!') {
            return Err("negated patterns (`!`) are not supported");
        }
        let (root, mut rest, mut anchored) = if let Some(rest) = content.strip_prefix("//") {
            (Root::System, rest, true)
        } else if let Some(rest) = content.strip_prefix("~/") {
            (Root::Home, rest, true)
        } else if content == "~" {
            (Root::Home, "**", true)
        } else if let Some(rest) = content.strip_prefix('/') {
            (Root::Work, rest, true)
        } else {
            (Root::Work, content, false)
        };
        while let Some(inner) = rest.strip_prefix("./") {
            rest = inner;
            anchored = true;
        }
        let directories_only = rest.ends_with('/');
        let rest = rest.trim_end_matches('/');
        anchored |= rest.contains('/');
        let segments: Vec<&str> = rest
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
            .collect();
        if segments.contains(&"..") {
            return Err("a pattern cannot contain `..`; `//` starts an absolute path");
        }
        if segments.is_empty() {
            return Err("a pattern requires a name, or `**`");
        }
        let pattern = Self {
            root,
            segments: segments.iter().map(|text| Segment::new(text)).collect(),
            anchored,
            directories_only,
        };
        Ok((pattern, segments))
    }

    /// Returns whether the pattern certainly matches this path, both as written and with symbolic
    /// links resolved. `is_folder` says whether the path is a directory that is searched.
    pub(super) fn covers(&self, path: &str, is_folder: bool, places: &Places, disk: &Disk) -> bool {
        let Some(place) = places.locate(path, disk) else {
            return false;
        };
        let Some(targets) = &place.targets else {
            return false;
        };
        // Without links, a file in `/proc` is the same for every process.
        let is_plain = self.root == Root::System
            && place.path.starts_with("/proc")
            && place.exists
            && targets.is_empty();
        if place.is_magic && !is_plain {
            return false;
        }
        let mut steps = Steps(MOST_STEPS);
        let matches = |path: &PathBuf| {
            self.matches(
                path,
                is_folder,
                places,
                disk,
                MatchPurpose::Allow,
                &mut steps,
            ) == Ok(true)
        };
        std::iter::once(&place.path).chain(targets).all(matches)
    }

    /// Returns whether the pattern may match one of these paths, as written or
    /// with symbolic links resolved.
    pub(super) fn matches_path(
        &self,
        paths: &[Option<Place>],
        places: &Places,
        disk: &Disk,
    ) -> bool {
        let mut steps = Steps(MOST_STEPS);
        let mut matches = |path: &PathBuf| {
            self.matches(path, true, places, disk, MatchPurpose::Deny, &mut steps) != Ok(false)
        };
        paths.iter().any(|place| {
            // An unknown home directory may match any pattern.
            let Some(place) = place else {
                return true;
            };
            let Some(targets) = &place.targets else {
                return true;
            };
            place.is_magic || matches(&place.path) || targets.iter().any(&mut matches)
        })
    }

    fn matches(
        &self,
        path: &Path,
        is_folder: bool,
        places: &Places,
        disk: &Disk,
        care: MatchPurpose,
        steps: &mut Steps,
    ) -> Result<bool, Exhausted> {
        let (root, real_root) = match self.root {
            Root::System => (Path::new("/"), None),
            Root::Work => (&*places.work, disk.work(&places.work)),
            Root::Home => match &places.home {
                Some(home) => (&**home, disk.home(home)),
                None => return Ok(care == MatchPurpose::Deny),
            },
        };
        // The root may have another path, with symbolic links resolved.
        let names = names_below(root, path).or_else(|| names_below(real_root?, path));
        let Some(names) = names else {
            return Ok(care == MatchPurpose::Deny && path.to_str().is_none());
        };
        self.matches_names(&names, is_folder, care, steps)
    }

    fn matches_names(
        &self,
        names: &[&str],
        is_folder: bool,
        care: MatchPurpose,
        steps: &mut Steps,
    ) -> Result<bool, Exhausted> {
        if names.len() > MOST_NAMES {
            return Err(Exhausted);
        }
        let form = Form {
            // In the CLI, a deny rule for the working directory also applies in
            // every directory below it, unless it starts with `/`.
            in_any_directory: !self.anchored
                || (care == MatchPurpose::Deny && self.root == Root::Work),
            directories_only: self.directories_only,
            is_folder,
        };
        pattern::matches(&self.segments, form, names, care, steps)
    }
}

/// Returns the names of a path below this directory, at most one more than the limit; `None` if
/// it is not below the directory, or not UTF-8.
fn names_below<'a>(root: &Path, path: &'a Path) -> Option<Vec<&'a str>> {
    let below = path.strip_prefix(root).ok()?;
    below.to_str()?;
    let names = below.components().take(MOST_NAMES + 1);
    names.map(|name| name.as_os_str().to_str()).collect()
}

impl Places {
    /// Returns the absolute path of a text, including `.` and `..`; `None` if it needs an unknown
    /// home directory.
    fn absolute(&self, text: &str) -> Option<PathBuf> {
        if text == "~" || text.starts_with("~/") {
            let inner = text[1..].trim_start_matches('/');
            Some(self.home.as_ref()?.join(inner))
        } else if text.starts_with('~') {
            None
        } else {
            Some(self.work.join(text))
        }
    }

    /// Returns the absolute path of a text, without `.` and `..`; `None` if it needs an unknown
    /// home directory.
    pub(super) fn resolve(&self, text: &str) -> Option<PathBuf> {
        Some(plain(&self.absolute(text)?))
    }

    /// Returns the path of a text, and its targets; `None` if it needs an unknown home directory.
    pub(super) fn locate(&self, text: &str, disk: &Disk) -> Option<Place> {
        let absolute = self.absolute(text)?;
        let path = plain(&absolute);
        let target = disk.follow(&path);
        let mut place = Place {
            is_magic: target.is_magic || disk::is_magic(&path),
            exists: target.exists,
            targets: target.path.map(|real| match real == path {
                true => Vec::new(),
                false => vec![real],
            }),
            path,
        };
        // A program resolves `link/..` to the parent of the link's target.
        let is_parent = |name| name == Component::ParentDir;
        if absolute.components().any(is_parent) {
            let target = disk.follow(&absolute);
            place.is_magic |= target.is_magic;
            match (target.path, &mut place.targets) {
                // A path that does not exist has no links.
                (Some(real), _) if real.components().any(is_parent) => {}
                (Some(real), Some(targets)) if real != place.path => targets.push(real),
                (Some(_), _) => {}
                (None, targets) => *targets = None,
            }
        }
        Some(place)
    }

    /// Returns whether it is the working directory itself.
    pub(super) fn is_work(&self, text: &str) -> bool {
        self.resolve(text).is_some_and(|path| path == self.work)
    }

    /// Returns whether a path and its target are in the working directory.
    pub(super) fn is_at_work(&self, text: &str, disk: &Disk) -> bool {
        self.is_within(text, &self.work, disk.work(&self.work), disk)
    }

    /// Returns whether a path and its target are in a directory, as written or with links
    /// resolved.
    pub(in crate::permission) fn is_within(
        &self,
        text: &str,
        directory: &Path,
        real: Option<&Path>,
        disk: &Disk,
    ) -> bool {
        let is_inside = |path: &PathBuf| {
            path.starts_with(directory) || real.is_some_and(|real| path.starts_with(real))
        };
        let Some(place) = self.locate(text, disk) else {
            return false;
        };
        let mut targets = place.targets.iter().flatten();
        place.targets.is_some()
            && !place.is_magic
            && is_inside(&place.path)
            && targets.all(is_inside)
    }
}

/// Returns an absolute path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            component => plain.push(component),
        }
    }
    plain
}
