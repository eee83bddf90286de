//! Resolving symbolic links from the root on.

use agentwire_protocol::sorted::SortedMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The targets of the paths of one call. Looks up each entry once.
#[derive(Debug, Default)]
pub(in crate::permission) struct Disk {
    entries: RefCell<SortedMap<OsString, Entry>>,
    /// The cost of the lookups so far.
    cost: Cell<usize>,
    /// The working directory and the home, resolved.
    work: OnceCell<Option<PathBuf>>,
    home: OnceCell<Option<PathBuf>>,
}

/// The most that the lookups for one call cost. A lookup costs 4, plus 1 for each directory
/// above, because the system walks through those.
const MOST: usize = 256 * 1024;

/// The deepest directory that is looked up.
const DEPTH: usize = 256;

/// The most links in one path, as in Linux.
const LINKS: usize = 40;

/// The longest path that a system call accepts.
const PATH_MAX: usize = 4096;

#[derive(Debug, Clone)]
enum Entry {
    Missing,
    Link(PathBuf),
    /// A file or a directory.
    Real,
    /// The lookup failed.
    Unknown,
}

/// The target of a path.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::permission) struct Target {
    /// The path without links, as far as it exists; `None` if that cannot be determined.
    pub(in crate::permission) path: Option<PathBuf>,
    pub(super) exists: bool,
    /// Whether it leads through a directory in which names depend on the process, such as `/proc`.
    pub(super) is_magic: bool,
}

/// Returns whether the path depends on the process that opens it.
pub(super) fn is_magic(path: &Path) -> bool {
    let magic = [
        "/proc",
        "/dev/fd",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
    ];
    magic.iter().any(|magic| path.starts_with(magic))
}

impl Disk {
    /// Returns the working directory, with links resolved.
    pub(super) fn work(&self, work: &Path) -> Option<&Path> {
        let find = || self.follow(work).path;
        self.work.get_or_init(find).as_deref()
    }

    /// Returns the home directory, with links resolved.
    pub(super) fn home(&self, home: &Path) -> Option<&Path> {
        let find = || self.follow(home).path;
        self.home.get_or_init(find).as_deref()
    }

    /// Resolves the links and `..` in an absolute path, as the system does.
    pub(in crate::permission) fn follow(&self, path: &Path) -> Target {
        let mut is_magic = false;
        let (path, exists) = match self.walk(path, &mut is_magic) {
            Some((path, exists)) => (Some(canonical(path)), exists),
            None => (None, false),
        };
        Target {
            path,
            exists,
            is_magic,
        }
    }

    #[cfg(test)]
    pub(super) fn cost(&self) -> usize {
        self.cost.get()
    }

    fn walk(&self, path: &Path, is_magic: &mut bool) -> Option<(PathBuf, bool)> {
        let mut real = PathBuf::new();
        let mut depth: usize = 0;
        let mut links = 0;
        let mut names = path.components();
        // The remaining names from followed links, in reverse.
        let mut linked: Vec<OsString> = Vec::new();
        loop {
            let link = linked.pop();
            let is_linked = link.is_some();
            let name = match &link {
                Some(name) => Path::new(name).components().next(),
                None => names.next(),
            };
            let Some(name) = name else {
                return Some((real, true));
            };
            match name {
                Component::Normal(_) => {}
                Component::ParentDir => {
                    real.pop();
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Component::CurDir => continue,
                root => {
                    real.push(root);
                    depth = 0;
                    continue;
                }
            }
            real.push(name);
            depth += 1;
            *is_magic |= self::is_magic(&real);
            match self.entry(&real, depth) {
                Entry::Real => {}
                // A dangling link has a target once that is created.
                Entry::Missing if is_linked => return None,
                Entry::Missing => {
                    real.extend(names);
                    return Some((real, false));
                }
                Entry::Unknown => return None,
                Entry::Link(target) => {
                    links += 1;
                    if links > LINKS {
                        return None;
                    }
                    real.pop();
                    depth -= 1;
                    let target = target.components().rev();
                    linked.extend(target.map(|name| name.as_os_str().to_owned()));
                }
            }
        }
    }

    fn entry(&self, path: &Path, depth: usize) -> Entry {
        let mut entries = self.entries.borrow_mut();
        let known = entries.get(path.as_os_str());
        let cost = self.cost.get() + known.map_or(depth + 4, |_| depth / 16 + 1);
        if cost > MOST || depth > DEPTH {
            return Entry::Unknown;
        }
        self.cost.set(cost);
        if let Some(entry) = known {
            return entry.clone();
        }
        let entry = look_up(path);
        entries.insert(path.as_os_str().to_owned(), entry.clone());
        entry
    }
}

fn look_up(path: &Path) -> Entry {
    // A shorter path may lead there from another directory.
    if path.as_os_str().len() >= PATH_MAX {
        return Entry::Unknown;
    }
    match path.symlink_metadata() {
        Ok(file) if file.is_symlink() => path.read_link().map_or(Entry::Unknown, Entry::Link),
        Ok(_) => Entry::Real,
        // No file has a name of this length.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::InvalidFilename
            ) =>
        {
            Entry::Missing
        }
        Err(_) => Entry::Unknown,
    }
}

/// Returns the path with the names as the file system stores them. On systems that ignore case or
/// have short names, a file has further names.
fn canonical(path: PathBuf) -> PathBuf {
    if cfg!(target_os = "linux") {
        return path;
    }
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return real.join(rest);
        }
    }
    path
}
