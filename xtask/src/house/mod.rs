//! Reads the structure of the code: which file of a crate names items of which
//! other file.
//!
//! An **arrow** goes from a file to another one of the same package when a path
//! in its code names an item that is defined there:
//!
//! - A re-export counts as the file that defines the item. `pub use` and
//!   `pub(crate) use` make no arrow by themselves, and neither does a private
//!   `use` that only the modules below make use of. So a `mod.rs` that declares
//!   and re-exports has no arrows, and none lead to it.
//! - `Type::method` and `Enum::Variant` lead to the file of the type.
//! - Code in the arguments of a macro counts for the file of the invocation,
//!   code in the body of a `macro_rules!` for the file of the macro. An
//!   invocation is an arrow to the file of the macro.
//! - What is built for tests alone does not count, nor do docs and attributes,
//!   but for expressions in attributes and the functions that serde's
//!   attributes name (`#[serde(with = "…")]`).
//! - Every alternative of a `cfg` counts, on any platform and with any feature.
//!
//! Methods that are called on a value are no paths: what has no name in the code
//! has no arrow.

mod circles;
mod load;
mod package;
mod scope;
mod tokens;
mod walk;

pub use package::{Package, Root, packages};

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Why the structure cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A file is no Rust.
    #[error("cannot parse {}: {error}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: syn::Error,
    },
    /// Cargo does not list the packages.
    #[error("cannot list the packages of the workspace: {0}")]
    Packages(String),
}

/// A source file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path, from the folder of the package.
    pub path: String,
    /// Its length.
    pub lines: usize,
    /// Whether it defines or runs anything: not so in a `mod.rs` that only
    /// declares and re-exports.
    pub has_code: bool,
}

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
        let mut loaded = load::load(package)?;
        let (found, unresolved) = walk::walk(&mut loaded);
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
        let circles = circles::circles(&to).into_iter().map(|members| {
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

impl std::fmt::Display for Arrow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        write!(f, "{} -> {}: {}", self.from, self.to, names.join(", "))
    }
}
