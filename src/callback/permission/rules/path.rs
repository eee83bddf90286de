//! Rules about files: patterns in the syntax of `.gitignore`.

use std::path::{Component, Path, PathBuf};

/// The directories that relative paths and `~` refer to.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The agent's working directory.
    pub(super) work: PathBuf,
    pub(super) home: Option<PathBuf>,
}

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    root: Root,
    /// The segments; `**` matches any number of directories.
    segments: Vec<String>,
    /// Whether the pattern matches at its root only, not in directories below
    /// it.
    anchored: bool,
    /// Whether the pattern ends with a `/` and matches directories only.
    folders: bool,
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

/// What a match is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// A match allows a call.
    Allow,
    /// A match denies a call.
    Deny,
}

impl PathPattern {
    pub(super) fn new(content: &str) -> Result<Self, &'static str> {
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
        let folders = rest.ends_with('/');
        let rest = rest.trim_end_matches('/');
        anchored |= rest.contains('/');
        let segments: Vec<String> = rest
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
            .map(str::to_owned)
            .collect();
        if segments.iter().any(|segment| segment == "..") {
            return Err("a pattern cannot contain `..`; `//` starts an absolute path");
        }
        if segments.is_empty() {
            return Err("a pattern requires a name, or `**`");
        }
        Ok(Self {
            root,
            segments,
            anchored,
            folders,
        })
    }

    /// Returns whether the pattern certainly matches this path, both as written
    /// and with symbolic links resolved. `is_folder` says whether the path is a
    /// directory to be searched.
    pub(super) fn covers(&self, path: &str, is_folder: bool, places: &Places) -> bool {
        let Some(path) = places.resolve(path) else {
            return false;
        };
        let matches = |path: &Path| self.matches(path, is_folder, places, Care::Allow);
        matches(&path) && real(&path).is_some_and(|path| matches(&path))
    }

    /// Returns whether the pattern may match this path, as written or with
    /// symbolic links resolved.
    pub(super) fn touches(&self, path: &str, places: &Places) -> bool {
        let Some(path) = places.resolve(path) else {
            // An unknown home directory may be the one that the pattern names.
            return true;
        };
        let matches = |path: &Path| self.matches(path, true, places, Care::Deny);
        matches(&path) || real(&path).is_none_or(|path| matches(&path))
    }

    fn matches(&self, path: &Path, is_folder: bool, places: &Places, care: Care) -> bool {
        let root = match self.root {
            Root::System => Path::new("/"),
            Root::Work => &places.work,
            Root::Home => match &places.home {
                Some(home) => home,
                None => return care == Care::Deny,
            },
        };
        let below = |root: &Path| {
            let path = path.strip_prefix(root).ok()?;
            let mut names = Vec::new();
            for component in path.components() {
                names.push(component.as_os_str().to_str()?);
            }
            Some(self.matches_names(&names, is_folder, care))
        };
        // The root may have another name, with symbolic links resolved.
        below(root)
            .or_else(|| below(&real(root)?))
            .unwrap_or(care == Care::Deny && path.to_str().is_none())
    }

    fn matches_names(&self, names: &[&str], is_folder: bool, care: Care) -> bool {
        // In the CLI, a deny rule for the working directory also applies in
        // every directory below it, unless it starts with `/`.
        let anywhere = !self.anchored || (care == Care::Deny && self.root == Root::Work);
        let mut segments: Vec<&str> = self.segments.iter().map(String::as_str).collect();
        if anywhere && segments.first() != Some(&"**") {
            segments.insert(0, "**");
        }
        // `src/**` also matches the directory itself if it is to be searched.
        let itself = match &segments[..] {
            [head @ .., "**"] if is_folder && !head.is_empty() => matches_all(head, names, care),
            _ => false,
        };
        // A pattern that matches a directory matches everything in it.
        itself
            || (1..=names.len()).any(|end| {
                (end < names.len() || is_folder || !self.folders)
                    && matches_all(&segments, &names[..end], care)
            })
    }
}

impl Places {
    /// The absolute path that a text means, without `.` and `..`. `None` for a
    /// home that is not known.
    pub(super) fn resolve(&self, text: &str) -> Option<PathBuf> {
        let path = if text == "~" || text.starts_with("~/") {
            let inner = text[1..].trim_start_matches('/');
            self.home.as_ref()?.join(inner)
        } else if text.starts_with('~') {
            return None;
        } else {
            self.work.join(text)
        };
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
        Some(plain)
    }

    /// Whether it is the working directory itself.
    pub(super) fn is_work(&self, text: &str) -> bool {
        self.resolve(text).is_some_and(|path| path == self.work)
    }

    /// Whether a path is in the working directory, by its name and by what that
    /// leads to.
    pub(super) fn is_at_work(&self, text: &str) -> bool {
        let is_inside = |path: &Path| {
            path.starts_with(&self.work)
                || real(&self.work).is_some_and(|work| path.starts_with(work))
        };
        self.resolve(text).is_some_and(|path| {
            is_inside(&path) && real(&path).is_some_and(|path| is_inside(&path))
        })
    }
}

/// What a path leads to, as far as it exists. `None` when that cannot be found
/// out.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    for ancestor in path.ancestors() {
        match ancestor.canonicalize() {
            Ok(real) => return Some(real.join(path.strip_prefix(ancestor).ok()?)),
            // A link that leads nowhere leads somewhere once that is made.
            Err(_) if ancestor.is_symlink() => return None,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => return None,
        }
    }
    None
}

/// Whether names are of the form that segments have.
fn matches_all(segments: &[&str], names: &[&str], care: Care) -> bool {
    match segments {
        [] => names.is_empty(),
        ["**"] => !names.is_empty(),
        ["**", rest @ ..] => {
            (0..=names.len()).any(|skipped| matches_all(rest, &names[skipped..], care))
        }
        [first, rest @ ..] => match names {
            [name, names @ ..] => is_name(first, name, care) && matches_all(rest, names, care),
            [] => false,
        },
    }
}

/// Whether a name is of a form: `*`, `?`, `[a-z]`. Upper and lower case are the
/// same to the CLI; to allow something takes the right one.
fn is_name(pattern: &str, name: &str, care: Care) -> bool {
    let fold = |text: &str| match care {
        Care::Allow => text.chars().collect::<Vec<_>>(),
        Care::Deny => text.to_lowercase().chars().collect(),
    };
    matches_name(&fold(pattern), &fold(name))
}

fn matches_name(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', pattern @ ..] => {
            (0..=name.len()).any(|skipped| matches_name(pattern, &name[skipped..]))
        }
        ['[', rest @ ..] if rest.iter().skip(1).any(|c| *c == ']') => {
            let Some((c, name)) = name.split_first() else {
                return false;
            };
            let (is_negative, rest) = match rest {
                ['!' | '^', rest @ ..] => (true, rest),
                _ => (false, rest),
            };
            let end = rest.iter().skip(1).position(|c| *c == ']');
            let Some(end) = end.map(|end| end + 1) else {
                return false;
            };
            is_one_of(&rest[..end], *c) != is_negative && matches_name(&rest[end + 1..], name)
        }
        [wanted, pattern @ ..] => {
            let (wanted, pattern) = match (wanted, pattern) {
                ('\\', [wanted, pattern @ ..]) => (Some(wanted), pattern),
                ('?', pattern) => (None, pattern),
                (wanted, pattern) => (Some(wanted), pattern),
            };
            name.split_first().is_some_and(|(c, name)| {
                wanted.is_none_or(|wanted| wanted == c) && matches_name(pattern, name)
            })
        }
    }
}

fn is_one_of(set: &[char], c: char) -> bool {
    match set {
        [] => false,
        [from, '-', to, rest @ ..] => (*from..=*to).contains(&c) || is_one_of(rest, c),
        [one, rest @ ..] => *one == c || is_one_of(rest, c),
    }
}
