//! The structure of one package: its files, the arrows between them, and the
//! circles.

use super::circles::circles;
use super::error::Error;
use super::load::{SourceFile, load};
use super::package::{Package, packages};
use super::walk::walk;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::thread;

/// What is named in one file and defined in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// The file that names.
    pub from: String,
    /// The file that defines.
    pub to: String,
    /// The items.
    pub names: BTreeSet<String>,
}

/// The structure of a package.
#[derive(Debug, Clone)]
pub struct House {
    /// The name of the package.
    pub name: String,
    /// Its source files, but for those of tests.
    pub files: Vec<SourceFile>,
    /// The arrows between them.
    pub arrows: Vec<Arrow>,
    /// Paths that lead nowhere, each with its file. There must be none: what is
    /// behind such a path is an arrow that is not seen.
    pub unresolved: Vec<String>,
}

impl House {
    /// Reads the sources of a package.
    ///
    /// # Errors
    ///
    /// If a file of one of its modules cannot be read or parsed.
    pub fn read(package: &Package) -> Result<Self, Error> {
        let mut loaded = load(package)?;
        let (found, unresolved) = walk(&mut loaded);
        let files = loaded.files;
        let arrows = found.into_iter().map(|((from, to), names)| Arrow {
            from: files[from.0].path.clone(),
            to: files[to.0].path.clone(),
            names,
        });
        let mut arrows: Vec<_> = arrows.collect();
        arrows.sort_by(|one, other| (&one.from, &one.to).cmp(&(&other.from, &other.to)));
        Ok(Self {
            name: package.name.clone(),
            arrows,
            files,
            unresolved,
        })
    }

    /// The circles: files that lead to each other, each with the arrows among
    /// them.
    #[must_use]
    pub fn circles(&self) -> Vec<Circle> {
        let paths: BTreeSet<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        let places: BTreeMap<&str, usize> = paths.iter().copied().zip(0..).collect();
        let mut to = vec![Vec::new(); paths.len()];
        for arrow in &self.arrows {
            to[places[arrow.from.as_str()]].push(places[arrow.to.as_str()]);
        }
        let circles = circles(&to).into_iter().map(|members| {
            let files: BTreeSet<String> = members.iter().map(|&at| paths[at].to_owned()).collect();
            let arrows = self.arrows.iter();
            let arrows =
                arrows.filter(|arrow| files.contains(&arrow.from) && files.contains(&arrow.to));
            Circle {
                arrows: arrows.cloned().collect(),
                files,
            }
        });
        circles.collect()
    }
}

/// Files that lead to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circle {
    /// The files.
    pub files: BTreeSet<String>,
    /// The arrows among them.
    pub arrows: Vec<Arrow>,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        write!(f, "{} -> {}: {}", self.from, self.to, names.join(", "))
    }
}

/// Reads the sources of all packages of a workspace.
///
/// # Errors
///
/// If cargo does not list them, or a source file cannot be read or parsed.
pub fn houses(workspace: &Path) -> Result<Vec<House>, Error> {
    let packages = packages(workspace)?;
    thread::scope(|scope| {
        let readers = packages
            .iter()
            .map(|package| scope.spawn(|| House::read(package)));
        let readers: Vec<_> = readers.collect();
        let houses = readers.into_iter().map(|reader| match reader.join() {
            Ok(house) => house,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        houses.collect()
    })
}
