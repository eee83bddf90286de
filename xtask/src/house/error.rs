//! Why the structure of the code cannot be told.

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
    /// CONTRIBUTING.md lacks the marks of what is looked for, or has something
    /// between them that cannot be read.
    #[error("CONTRIBUTING.md: {0}")]
    Contributing(String),
}
