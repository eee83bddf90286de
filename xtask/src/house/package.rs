//! The packages of the workspace, as cargo lists them.

use super::error::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package: a library and programs, which share files.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The library first, then the programs.
    pub roots: Vec<Root>,
    /// The names by which code refers to other crates.
    pub others: Vec<String>,
}

/// A file that a crate begins with, such as `src/lib.rs`.
#[derive(Debug, Clone)]
pub struct Root {
    /// The file.
    pub path: PathBuf,
    /// The name of the crate, if it is the library.
    pub library: Option<String>,
}

/// The packages of a workspace, in the order of their names.
///
/// # Errors
///
/// If `cargo metadata` fails.
pub fn packages(workspace: &Path) -> Result<Vec<Package>, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(workspace)
        .output()
        .map_err(|error| Error::Packages(error.to_string()))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Packages(reason.trim().to_owned()));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Error::Packages(error.to_string()))?;
    let mut packages: Vec<_> = list(&metadata["packages"]).map(package).collect();
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(packages)
}

fn package(package: &Value) -> Package {
    let mut roots = Vec::new();
    for target in list(&package["targets"]) {
        let mut kinds = list(&target["kind"]);
        let path = PathBuf::from(text(&target["src_path"]));
        match kinds.next().and_then(Value::as_str) {
            Some("lib") => {
                let library = Some(text(&target["name"]).replace('-', "_"));
                roots.insert(0, Root { path, library });
            }
            Some("bin") => roots.push(Root {
                path,
                library: None,
            }),
            _ => {}
        }
    }
    let others = list(&package["dependencies"]).map(|dependency| {
        let name = match &dependency["rename"] {
            Value::String(name) => name,
            _ => text(&dependency["name"]),
        };
        name.replace('-', "_")
    });
    let manifest = Path::new(text(&package["manifest_path"]));
    Package {
        name: text(&package["name"]).to_owned(),
        folder: manifest.parent().unwrap_or(manifest).to_owned(),
        others: others.collect(),
        roots,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
