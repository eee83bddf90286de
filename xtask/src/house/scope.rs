//! The modules of a crate, and what each name in them stands for.

use super::tokens::Defined;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A source file, by its place in [`Scopes::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileId(pub(super) usize);

/// A module, or a block with items of its own, by its place in [`Scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ScopeId(pub(super) usize);

/// What a name is looked up as: Rust has three spaces of names.
pub(super) type Spaces = u8;
pub(super) const TYPE: Spaces = 1;
pub(super) const VALUE: Spaces = 2;
pub(super) const MACRO: Spaces = 4;
pub(super) const ANY: Spaces = TYPE | VALUE | MACRO;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Module(ScopeId),
    Item(Item),
    /// Something in another crate.
    Elsewhere,
}

/// An item, and where it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) file: FileId,
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Type,
    Enum {
        variants: BTreeSet<String>,
    },
    Trait,
    Function,
    /// A constant, a static or an enum's variant: what a pattern may name.
    Constant,
    /// A struct that is a value as well.
    Constructor,
    Macro,
}

impl Item {
    fn spaces(&self) -> Spaces {
        match self.kind {
            Kind::Type | Kind::Enum { .. } | Kind::Trait => TYPE,
            Kind::Function | Kind::Constant => VALUE,
            Kind::Constructor => TYPE | VALUE,
            Kind::Macro => MACRO,
        }
    }
}

impl Meaning {
    fn spaces(&self) -> Spaces {
        match self {
            Self::Module(_) => TYPE,
            Self::Item(item) => item.spaces(),
            Self::Elsewhere => ANY,
        }
    }
}

/// A `use` of one name, or of all names of a module.
#[derive(Debug, Clone)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// Whether it begins with `::`.
    pub(super) of_crate: bool,
    /// Whether it is visible in its own module and below only.
    pub(super) private: bool,
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) file: FileId,
    /// The scope around it: that of a block, or the module above.
    pub(super) parent: Option<ScopeId>,
    pub(super) is_block: bool,
    pub(super) root: ScopeId,
    pub(super) names: HashMap<String, Vec<Meaning>>,
    pub(super) imports: HashMap<String, Vec<Import>>,
    pub(super) globs: Vec<Import>,
    /// Identifiers that a macro invocation may make names of.
    pub(super) made: BTreeSet<String>,
    /// The macros that are visible here by the order of the text.
    pub(super) macros: HashMap<String, Item>,
}

/// A path that leads nowhere.
#[derive(Debug)]
pub(super) struct Unresolved;

type Visit = (ScopeId, String, Spaces);

#[derive(Debug, Default)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    /// The names of other crates.
    pub(super) others: HashSet<String>,
    /// The library of the package, which its programs name.
    pub(super) library: Option<(String, ScopeId)>,
}

impl Scopes {
    /// Adds a module, below another one if there is one.
    pub(super) fn add(&mut self, file: FileId, parent: Option<ScopeId>, is_block: bool) -> ScopeId {
        let id = ScopeId(self.scopes.len());
        self.scopes.push(Scope {
            file,
            parent,
            is_block,
            root: parent.map_or(id, |parent| self.get(parent).root),
            names: HashMap::new(),
            imports: HashMap::new(),
            globs: Vec::new(),
            made: BTreeSet::new(),
            macros: HashMap::new(),
        });
        id
    }

    pub(super) fn get(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0]
    }

    pub(super) fn get_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id.0]
    }

    pub(super) fn define(&mut self, scope: ScopeId, name: String, meaning: Meaning) {
        let names = &mut self.get_mut(scope).names;
        names.entry(name).or_default().push(meaning);
    }

    /// Defines what the tokens of a macro invocation define.
    pub(super) fn define_made(&mut self, scope: ScopeId, defined: &Defined) {
        let Some(name) = &defined.name else {
            return;
        };
        let kind = match defined.keyword.as_str() {
            "enum" => Kind::Enum {
                variants: defined.within.clone(),
            },
            "struct" => Kind::Constructor,
            "fn" => Kind::Function,
            "const" | "static" => Kind::Constant,
            "trait" => Kind::Trait,
            _ => Kind::Type,
        };
        let file = self.get(scope).file;
        let name = name.clone();
        let item = Item {
            file,
            name: name.clone(),
            kind,
        };
        self.define(scope, name, Meaning::Item(item));
    }

    /// The module that a scope is, or that a block is in.
    fn module(&self, mut scope: ScopeId) -> ScopeId {
        while let Scope {
            is_block: true,
            parent: Some(parent),
            ..
        } = self.get(scope)
        {
            scope = *parent;
        }
        scope
    }

    fn is_within(&self, scope: ScopeId, module: ScopeId) -> bool {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if scope == module {
                return true;
            }
            at = self.get(scope).parent;
        }
        false
    }

    /// What a path that stands in a scope leads to.
    ///
    /// Empty for one that does not begin in this package: a local variable, a
    /// type parameter, a name of the prelude, another crate.
    pub(super) fn resolve(
        &self,
        scope: ScopeId,
        path: &[String],
        spaces: Spaces,
    ) -> Result<Vec<Meaning>, Unresolved> {
        self.resolve_within(scope, path, spaces, &mut Vec::new())
    }

    /// What an import leads to.
    pub(super) fn resolve_import(
        &self,
        scope: ScopeId,
        import: &Import,
        spaces: Spaces,
    ) -> Result<Vec<Meaning>, Unresolved> {
        self.follow(scope, import, spaces, &mut Vec::new())
    }

    fn follow(
        &self,
        scope: ScopeId,
        import: &Import,
        spaces: Spaces,
        visits: &mut Vec<Visit>,
    ) -> Result<Vec<Meaning>, Unresolved> {
        match import.of_crate {
            true => Ok(vec![Meaning::Elsewhere]),
            false => self.resolve_within(scope, &import.path, spaces, visits),
        }
    }

    fn resolve_within(
        &self,
        scope: ScopeId,
        path: &[String],
        spaces: Spaces,
        visits: &mut Vec<Visit>,
    ) -> Result<Vec<Meaning>, Unresolved> {
        let Some((first, mut rest)) = path.split_first() else {
            return Ok(Vec::new());
        };
        let module = self.module(scope);
        let mut meanings = match first.as_str() {
            "crate" => vec![Meaning::Module(self.get(scope).root)],
            "self" => vec![Meaning::Module(module)],
            "super" => {
                let mut module = self.get(module).parent.ok_or(Unresolved)?;
                module = self.module(module);
                while let [step, after @ ..] = rest
                    && step == "super"
                {
                    module = self.module(self.get(module).parent.ok_or(Unresolved)?);
                    rest = after;
                }
                vec![Meaning::Module(module)]
            }
            first => {
                let first_spaces = if rest.is_empty() { spaces } else { TYPE };
                self.lexical(scope, first, first_spaces, visits)
            }
        };
        for (at, segment) in rest.iter().enumerate() {
            if meanings.is_empty() {
                return Ok(meanings);
            }
            let wanted = if at + 1 == rest.len() { spaces } else { TYPE };
            let mut next = Vec::new();
            for meaning in meanings {
                match meaning {
                    Meaning::Module(module) => {
                        next.extend(self.lookup(module, segment, wanted, scope, visits));
                    }
                    // Variants and associated items are in their type's file.
                    other => next.push(other),
                }
            }
            if next.is_empty() {
                return Err(Unresolved);
            }
            meanings = next;
        }
        Ok(meanings)
    }

    /// Looks a lone name up in a scope and those around it.
    fn lexical(
        &self,
        scope: ScopeId,
        name: &str,
        spaces: Spaces,
        visits: &mut Vec<Visit>,
    ) -> Vec<Meaning> {
        let mut at = scope;
        if spaces & MACRO != 0
            && let Some(item) = self.textual_macro(scope, name)
        {
            return vec![Meaning::Item(item.clone())];
        }
        loop {
            let found = self.lookup(at, name, spaces, scope, visits);
            if !found.is_empty() {
                return found;
            }
            match self.get(at) {
                Scope {
                    is_block: true,
                    parent: Some(parent),
                    ..
                } => at = *parent,
                _ => break,
            }
        }
        if spaces & TYPE == 0 {
            return Vec::new();
        }
        match &self.library {
            Some((library, root)) if library == name => vec![Meaning::Module(*root)],
            _ if self.others.contains(name) => vec![Meaning::Elsewhere],
            _ => Vec::new(),
        }
    }

    /// The nearest `macro_rules!` of a name around a scope.
    fn textual_macro(&self, scope: ScopeId, name: &str) -> Option<&Item> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let scope = self.get(scope);
            if let Some(item) = scope.macros.get(name) {
                return Some(item);
            }
            at = scope.parent;
        }
        None
    }

    /// Looks a name up in one module, for a path that stands in `from`.
    fn lookup(
        &self,
        id: ScopeId,
        name: &str,
        spaces: Spaces,
        from: ScopeId,
        visits: &mut Vec<Visit>,
    ) -> Vec<Meaning> {
        // A circle of imports leads nowhere.
        let visit = (id, name.to_owned(), spaces);
        if visits.contains(&visit) {
            return Vec::new();
        }
        visits.push(visit);
        let found = self.lookup_once(id, name, spaces, from, visits);
        visits.pop();
        found
    }

    fn lookup_once(
        &self,
        id: ScopeId,
        name: &str,
        spaces: Spaces,
        from: ScopeId,
        visits: &mut Vec<Visit>,
    ) -> Vec<Meaning> {
        let scope = self.get(id);
        let fits = |meaning: &Meaning| meaning.spaces() & spaces != 0;
        let mut found: Vec<Meaning> = Vec::new();
        let mut add = |meaning: Meaning| {
            if fits(&meaning) && !found.contains(&meaning) {
                found.push(meaning);
            }
        };
        let names = scope.names.get(name).into_iter().flatten();
        names.cloned().for_each(&mut add);
        for import in scope.imports.get(name).into_iter().flatten() {
            let meanings = self.follow(id, import, spaces, visits).unwrap_or_default();
            meanings.into_iter().for_each(&mut add);
        }
        if !found.is_empty() {
            return found;
        }
        let mut add = |meaning: Meaning| {
            if fits(&meaning) && !found.contains(&meaning) {
                found.push(meaning);
            }
        };
        for glob in &scope.globs {
            if glob.private && !self.is_within(from, id) {
                continue;
            }
            for meaning in self.follow(id, glob, TYPE, visits).unwrap_or_default() {
                match meaning {
                    Meaning::Module(module) => {
                        let meanings = self.lookup(module, name, spaces, from, visits);
                        meanings.into_iter().for_each(&mut add);
                    }
                    Meaning::Item(Item {
                        file,
                        name: enumeration,
                        kind: Kind::Enum { variants },
                    }) if variants.contains(name) => add(Meaning::Item(Item {
                        file,
                        name: enumeration,
                        kind: Kind::Constant,
                    })),
                    _ => {}
                }
            }
        }
        if found.is_empty() && scope.made.contains(name) {
            found.push(Meaning::Item(Item {
                file: scope.file,
                name: name.to_owned(),
                kind: Kind::Constructor,
            }));
        }
        found
    }
}
