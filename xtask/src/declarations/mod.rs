//! Reads TypeScript declarations into a small model: the types, and the JSON
//! that they describe.

mod model;
mod read;
mod resolve;

pub use model::{
    Conditional, Declaration, Import, Literal, Mapped, Member, Module, Object, Reference, Type,
};
pub use resolve::Alternative;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// The list of the declared types on the wire.
const WIRE: &str = include_str!("../wire.d.ts");
/// The name of the list in the folder of the packages.
const ENTRY: &str = "wire.d.ts";
/// The package that declares the protocol.
pub const PACKAGE: &str = "node_modules/@anthropic-ai/claude-agent-sdk";

/// The folder in the workspace to which `scripts/install declarations` installs
/// the pinned declarations.
pub const PINNED: &str = ".tools/declarations-0.3.332";

/// The error of reading declarations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The declarations are not installed.
    #[error("no declarations in {0}: scripts/install declarations installs them")]
    NotInstalled(String),
    /// A file is not TypeScript.
    #[error("{file}: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// The message of the parser.
        reason: String,
    },
    /// A required name is not declared.
    #[error("no declaration of {0}")]
    Missing(String),
}

/// Declaration files and their imports.
#[derive(Debug, Default)]
pub struct Declarations {
    modules: Vec<Module>,
    /// The paths of the files. The first one is where reading began.
    files: Vec<String>,
    /// The module to which an import of a module refers, if it was read.
    links: HashMap<(usize, String), usize>,
}

impl Declarations {
    /// Reads the installed declarations that `wire.d.ts` names. Fails if they
    /// are not installed or are not TypeScript.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        if !folder.join(PACKAGE).join("sdk.d.ts").is_file() {
            return Err(Error::NotInstalled(folder.display().to_string()));
        }
        Self::read(ENTRY, |file| match file {
            ENTRY => Some(WIRE.to_owned()),
            file => std::fs::read_to_string(folder.join(file)).ok(),
        })
    }

    /// Reads a file and all its imports. `text` returns the text of a file. A
    /// name from a missing file is opaque.
    pub fn read(entry: &str, text: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let mut declarations = Self::default();
        let mut known = HashMap::new();
        let mut next = vec![(
            entry.to_owned(),
            text(entry).ok_or_else(|| Error::Missing(entry.to_owned()))?,
        )];
        known.insert(entry.to_owned(), 0);
        while let Some((file, source)) = next.pop() {
            let index = known[&file];
            let module = read::read(index, &source).map_err(|reason| Error::Syntax {
                file: file.clone(),
                reason,
            })?;
            let imports: BTreeSet<&String> = module
                .imports
                .values()
                .map(|import| &import.from)
                .chain(&module.stars)
                .collect();
            for from in imports {
                for candidate in candidates(&file, from) {
                    let link = known.get(&candidate).copied();
                    let Some(link) = link.or_else(|| {
                        let source = text(&candidate)?;
                        let link = known.len();
                        known.insert(candidate.clone(), link);
                        next.push((candidate, source));
                        Some(link)
                    }) else {
                        continue;
                    };
                    declarations.links.insert((index, from.clone()), link);
                    break;
                }
            }
            let modules = index.max(declarations.modules.len().saturating_sub(1)) + 1;
            declarations.modules.resize_with(modules, Module::default);
            declarations.files.resize(modules, String::new());
            declarations.modules[index] = module;
            declarations.files[index] = file;
        }
        Ok(declarations)
    }

    /// Creates declarations of a module without imports.
    #[must_use]
    pub fn of_module(module: Module) -> Self {
        Self {
            modules: vec![module],
            files: vec![String::new()],
            links: HashMap::new(),
        }
    }

    /// Returns the type of a name in the first module. Fails if the name is not
    /// declared.
    pub fn root(&self, name: &str) -> Result<Type, Error> {
        let reference = Reference {
            module: 0,
            name: name.to_owned(),
        };
        match self.find(&reference) {
            Some(_) => Ok(Type::Named(reference, vec![])),
            None => Err(Error::Missing(name.to_owned())),
        }
    }

    /// Returns where a name is declared, following all imports.
    #[must_use]
    pub fn find(&self, reference: &Reference) -> Option<Reference> {
        self.lookup(reference.module, &reference.name, 0)
    }

    /// Returns the declaration of a name that [`Declarations::find`] returned.
    #[must_use]
    pub fn declaration(&self, found: &Reference) -> Option<&Declaration> {
        self.modules.get(found.module)?.types.get(&found.name)
    }

    /// Returns the names that a file declares. `file` is the end of its name.
    #[must_use]
    pub fn declared_in(&self, file: &str) -> Vec<Reference> {
        let Some(module) = self.files.iter().position(|name| name.ends_with(file)) else {
            return vec![];
        };
        self.modules[module]
            .types
            .keys()
            .map(|name| Reference {
                module,
                name: name.clone(),
            })
            .collect()
    }

    /// Returns the declarations that a type reaches, directly and through other
    /// declarations.
    #[must_use]
    pub fn reached_from(&self, ty: &Type) -> BTreeSet<Reference> {
        let mut reached = BTreeSet::new();
        let mut next = self.named_in(ty);
        while let Some(reference) = next.pop() {
            if let Some(declaration) = self.declaration(&reference)
                && reached.insert(reference)
            {
                next.extend(self.named_in(&declaration.body));
            }
        }
        reached
    }

    fn named_in(&self, ty: &Type) -> Vec<Reference> {
        let mut named = Vec::new();
        ty.walk(&mut |part| {
            if let Type::Named(reference, _) = part {
                named.extend(self.find(reference));
            }
        });
        named
    }

    fn lookup(&self, module: usize, name: &str, depth: usize) -> Option<Reference> {
        /// The limit for files that re-export each other.
        const MAX_DEPTH: usize = 16;
        let here = self.modules.get(module).filter(|_| depth < MAX_DEPTH)?;
        let link = |from: &String| self.links.get(&(module, from.clone())).copied();
        if let Some((space, inner)) = name.split_once('.') {
            if here.namespaces.iter().any(|namespace| namespace == space) {
                return self.lookup(module, inner, depth + 1);
            }
            let import = here.imports.get(space)?;
            return self.lookup(link(&import.from)?, inner, depth + 1);
        }
        if here.types.contains_key(name) || here.constants.contains_key(name) {
            return Some(Reference {
                module,
                name: name.to_owned(),
            });
        }
        if let Some(local) = here.aliases.get(name) {
            return self.lookup(module, local, depth + 1);
        }
        if let Some(import) = here.imports.get(name) {
            return self.lookup(link(&import.from)?, import.name.as_ref()?, depth + 1);
        }
        here.stars
            .iter()
            .find_map(|from| self.lookup(link(from)?, name, depth + 1))
    }
}

/// Returns the files to which an import can refer, in the order of preference.
fn candidates(importer: &str, from: &str) -> Vec<String> {
    let path = if from.starts_with('.') {
        let mut parts: Vec<&str> = importer.split('/').collect();
        parts.pop();
        for part in from.split('/') {
            match part {
                "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        parts.join("/")
    } else {
        format!("node_modules/{from}")
    };
    let stem = path
        .strip_suffix(".js")
        .or_else(|| path.strip_suffix(".mjs"))
        .unwrap_or(&path);
    vec![format!("{stem}.d.ts"), format!("{stem}/index.d.ts")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_files() -> Declarations {
        Declarations::read("a/one.d.ts", |file| match file {
            "a/one.d.ts" => Some(
                "import { Fish as Swimmer } from '../b/index.js';
                 import * as Zoo from '../b/birds.mjs';
                 import type { Car } from 'garage';
                 declare namespace here { export { Pond } }
                 export type Pond = { fish: Swimmer[]; bird: Zoo.Bird; car: Car };
                 export type Park = { pond: here.Pond };"
                    .to_owned(),
            ),
            "b/index.d.ts" => Some("export * from './fish.js';".to_owned()),
            "b/fish.d.ts" => Some("interface Hidden {} export { Hidden as Fish };".to_owned()),
            "b/birds.d.ts" => Some("export interface Bird { wings: 2 }".to_owned()),
            _ => None,
        })
        .expect("TypeScript")
    }

    #[test]
    fn names_are_followed_through_files() {
        let declarations = two_files();
        let park = declarations.root("Park").expect("declared");
        let reached: BTreeSet<String> = declarations
            .reached_from(&park)
            .into_iter()
            .map(|reference| reference.name)
            .collect();
        // `Car` is in a package that is not installed.
        assert_eq!(
            reached.iter().map(String::as_str).collect::<Vec<_>>(),
            ["Bird", "Hidden", "Park", "Pond"]
        );
    }

    #[test]
    fn a_file_that_is_no_typescript_is_an_error_with_its_name() {
        let error = Declarations::read("a.d.ts", |_| Some("export type = ;".to_owned()));
        assert!(error.is_err_and(|error| error.to_string().starts_with("a.d.ts: ")));
    }
}
