//! Reads the files of a crate and what each module defines.

use super::error::Error;
use super::package::Package;
use super::scope::{FileId, Import, Item, Kind, MACRO, Meaning, ScopeId, Scopes};
use super::tokens::{self, Place, text};
use proc_macro2::TokenStream;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use syn::{Attribute, Fields, ItemMod, ItemUse, UseTree, Visibility};

/// Names that invocations of macros mention and do not define.
const PRELUDE: [&str; 18] = [
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "Hash",
    "Into",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Some",
    "String",
    "Vec",
];

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

/// A module's items but its modules, to be searched for paths.
pub(super) struct Body {
    pub(super) scope: ScopeId,
    pub(super) items: Vec<syn::Item>,
}

/// A crate that has been read.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) files: Vec<SourceFile>,
    pub(super) scopes: Scopes,
    pub(super) bodies: Vec<Body>,
    /// What the bodies of each macro hold, by the file of its definition and
    /// its name.
    macros: HashMap<(FileId, String), Bodies>,
    /// Macro invocations among the items of a module.
    invocations: Vec<Invocation>,
}

/// What the right sides of a `macro_rules!` hold.
#[derive(Default)]
struct Bodies {
    defined: Vec<tokens::Defined>,
    /// The macros that they invoke.
    invoked: Vec<Vec<String>>,
    identifiers: BTreeSet<String>,
}

/// A macro invocation that stands where an item does.
struct Invocation {
    scope: ScopeId,
    path: Vec<String>,
    tokens: TokenStream,
}

/// Reads every module of a package.
pub(super) fn load(package: &Package) -> Result<Loaded, Error> {
    let mut loaded = Loaded::default();
    loaded.scopes.others = package.others.iter().cloned().collect();
    for name in ["std", "core", "alloc", "proc_macro"] {
        loaded.scopes.others.insert(name.to_owned());
    }
    for root in &package.roots {
        let scope = loaded.file(package, &root.path, None, true)?;
        if let Some(name) = &root.library {
            loaded.scopes.library = Some((name.clone(), scope));
        }
    }
    loaded.define_what_macros_make();
    Ok(loaded)
}

/// Where the modules are that a module declares.
#[derive(Debug, Clone)]
struct Folders {
    /// The folder of the file, for `#[path]`.
    file: PathBuf,
    /// The folder of its modules.
    modules: PathBuf,
    /// Whether the module is in the braces of another one, where `#[path]`
    /// begins at the folder of its modules.
    inline: bool,
}

impl Loaded {
    fn file(
        &mut self,
        package: &Package,
        path: &Path,
        parent: Option<ScopeId>,
        is_mod_rs: bool,
    ) -> Result<ScopeId, Error> {
        let source = std::fs::read_to_string(path).map_err(|error| Error::Read {
            path: path.to_owned(),
            error,
        })?;
        let parsed = syn::parse_file(&source).map_err(|error| Error::Parse {
            path: path.to_owned(),
            error,
        })?;
        let relative = path.strip_prefix(&package.folder).unwrap_or(path);
        let file = FileId(self.files.len());
        self.files.push(SourceFile {
            path: relative.to_string_lossy().replace('\\', "/"),
            lines: source.lines().count(),
            has_code: false,
        });
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let modules = match path.file_stem() {
            Some(stem) if !is_mod_rs => folder.join(stem),
            _ => folder.clone(),
        };
        let folders = Folders {
            file: folder,
            modules,
            inline: false,
        };
        let scope = self.scopes.add(file, parent, false);
        self.module(package, scope, parsed.items, &folders)?;
        Ok(scope)
    }

    fn module(
        &mut self,
        package: &Package,
        scope: ScopeId,
        items: Vec<syn::Item>,
        folders: &Folders,
    ) -> Result<(), Error> {
        let mut body = Vec::new();
        for item in items {
            if is_test(attributes(&item)) {
                continue;
            }
            match item {
                syn::Item::Mod(module) => self.declared(package, scope, module, folders)?,
                item => {
                    self.declare(scope, &item);
                    if !is_reexport(&item) {
                        let file = self.scopes.get(scope).file;
                        self.files[file.0].has_code |= !matches!(item, syn::Item::Use(_));
                    }
                    body.push(item);
                }
            }
        }
        self.bodies.push(Body { scope, items: body });
        Ok(())
    }

    fn declared(
        &mut self,
        package: &Package,
        scope: ScopeId,
        module: ItemMod,
        folders: &Folders,
    ) -> Result<(), Error> {
        let name = text(&module.ident);
        let spreads = module
            .attrs
            .iter()
            .any(|it| it.path().is_ident("macro_use"));
        let mut children = Vec::new();
        if let Some((_, items)) = module.content {
            let file = self.scopes.get(scope).file;
            let child = self.scopes.add(file, Some(scope), false);
            let folders = Folders {
                file: folders.file.clone(),
                modules: folders.modules.join(&name),
                inline: true,
            };
            self.module(package, child, items, &folders)?;
            children.push(child);
        } else {
            let below = match folders.inline {
                true => &folders.modules,
                false => &folders.file,
            };
            let (given, conditional) = paths_of(&module.attrs);
            for path in &given {
                children.push(self.file(package, &below.join(path), Some(scope), true)?);
            }
            let beside = folders.modules.join(format!("{name}.rs"));
            let within = folders.modules.join(&name).join("mod.rs");
            if given.is_empty() || conditional {
                if beside.is_file() {
                    children.push(self.file(package, &beside, Some(scope), false)?);
                } else if within.is_file() || given.is_empty() {
                    children.push(self.file(package, &within, Some(scope), true)?);
                }
            }
        }
        for child in children {
            if spreads {
                let macros = self.scopes.get(child).macros.clone();
                self.scopes.get_mut(scope).macros.extend(macros);
            }
            self.scopes
                .define(scope, name.clone(), Meaning::Module(child));
        }
        Ok(())
    }

    /// Defines what an item of a module or a block defines there.
    pub(super) fn declare(&mut self, scope: ScopeId, item: &syn::Item) {
        let (name, kind) = match item {
            syn::Item::Const(item) => (&item.ident, Kind::Constant),
            syn::Item::Static(item) => (&item.ident, Kind::Constant),
            syn::Item::Fn(item) => (&item.sig.ident, Kind::Function),
            syn::Item::Trait(item) => (&item.ident, Kind::Trait),
            syn::Item::TraitAlias(item) => (&item.ident, Kind::Trait),
            syn::Item::Type(item) => (&item.ident, Kind::Type),
            syn::Item::Union(item) => (&item.ident, Kind::Type),
            syn::Item::Struct(item) => match item.fields {
                Fields::Named(_) => (&item.ident, Kind::Type),
                Fields::Unnamed(_) | Fields::Unit => (&item.ident, Kind::Constructor),
            },
            syn::Item::Enum(item) => {
                let variants = item.variants.iter().map(|variant| text(&variant.ident));
                let variants = variants.collect();
                (&item.ident, Kind::Enum { variants })
            }
            syn::Item::Macro(item) => return self.declare_macro(scope, item),
            syn::Item::Use(item) => return self.import(scope, item),
            _ => return,
        };
        let file = self.scopes.get(scope).file;
        let name = text(name);
        let item = Item {
            file,
            name: name.clone(),
            kind,
        };
        self.scopes.define(scope, name, Meaning::Item(item));
    }

    fn declare_macro(&mut self, scope: ScopeId, item: &syn::ItemMacro) {
        let Some(name) = &item.ident else {
            let path = item.mac.path.segments.iter();
            self.invocations.push(Invocation {
                scope,
                path: path.map(|part| text(&part.ident)).collect(),
                tokens: item.mac.tokens.clone(),
            });
            return;
        };
        let file = self.scopes.get(scope).file;
        let name = text(name);
        let bodies = self.macros.entry((file, name.clone())).or_default();
        for body in tokens::bodies(item.mac.tokens.clone()) {
            let body = body.stream();
            bodies.defined.extend(tokens::definitions(body.clone()));
            bodies.identifiers.extend(tokens::identifiers(body.clone()));
            let paths = tokens::paths(body, Place::Code).into_iter();
            let invoked = paths.filter(|path| path.invoked);
            bodies.invoked.extend(invoked.map(|path| path.segments));
        }
        let item_of_macro = Item {
            file,
            name: name.clone(),
            kind: Kind::Macro,
        };
        if item
            .attrs
            .iter()
            .any(|it| it.path().is_ident("macro_export"))
        {
            let root = self.scopes.get(scope).root;
            let meaning = Meaning::Item(item_of_macro.clone());
            self.scopes.define(root, name.clone(), meaning);
        }
        self.scopes
            .get_mut(scope)
            .macros
            .insert(name, item_of_macro);
    }

    /// Whether a macro of this name is defined anywhere in the package.
    pub(super) fn defines_macro(&self, name: &str) -> bool {
        self.macros.keys().any(|(_, defined)| defined == name)
    }

    fn import(&mut self, scope: ScopeId, item: &ItemUse) {
        for leaf in leaves(item) {
            let scope = self.scopes.get_mut(scope);
            match leaf.name {
                None => scope.globs.push(leaf.import),
                Some(name) => scope.imports.entry(name).or_default().push(leaf.import),
            }
        }
    }

    /// Defines what the macro invocations among items define: by a keyword
    /// and a name in their tokens or in the body of the macro. Where there is
    /// none in the tokens and the macro defines `struct $name`, any of the
    /// identifiers that it is given may be one.
    ///
    /// What a macro invokes counts as well, and so does a macro whose name it
    /// is given.
    pub(super) fn define_what_macros_make(&mut self) {
        for invocation in std::mem::take(&mut self.invocations) {
            let Invocation {
                scope,
                path,
                tokens,
            } = invocation;
            let given = tokens::definitions(tokens.clone());
            for defined in &given {
                self.scopes.define_made(scope, defined);
            }
            let mut identifiers = tokens::identifiers(tokens);
            let mut left: Vec<_> = identifiers.iter().map(|it| vec![it.clone()]).collect();
            left.push(path.clone());
            let mut seen = BTreeSet::new();
            let mut is_elsewhere = true;
            let mut names_what_it_is_given = false;
            while let Some(at) = left.pop() {
                let meanings = self.scopes.resolve(scope, &at, MACRO).unwrap_or_default();
                for meaning in meanings {
                    let Meaning::Item(Item { file, name, .. }) = meaning else {
                        continue;
                    };
                    is_elsewhere &= at != path;
                    let key = (file, name);
                    let Some(bodies) = self.macros.get(&key).filter(|_| !seen.contains(&key))
                    else {
                        continue;
                    };
                    left.extend(bodies.invoked.iter().cloned());
                    identifiers.extend(bodies.identifiers.iter().cloned());
                    for defined in &bodies.defined {
                        names_what_it_is_given |= defined.name.is_none();
                        self.scopes.define_made(scope, defined);
                    }
                    seen.insert(key);
                }
            }
            if given.is_empty() && (names_what_it_is_given || is_elsewhere) {
                let names = identifiers.into_iter().filter(|name| {
                    name.starts_with(char::is_uppercase) && !PRELUDE.contains(&name.as_str())
                });
                self.scopes.get_mut(scope).made.extend(names);
            }
        }
    }
}

/// One name of a `use`; `None` for all names of a module.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) name: Option<String>,
    pub(super) import: Import,
}

/// What a `use` brings into its scope, one by one.
pub(super) fn leaves(item: &ItemUse) -> Vec<Leaf> {
    fn descend(tree: &UseTree, path: &mut Vec<String>, template: &Import, found: &mut Vec<Leaf>) {
        let mut leaf = |name: Option<String>, path: Vec<String>| {
            let import = Import {
                path,
                ..template.clone()
            };
            found.push(Leaf { name, import });
        };
        let ending = |path: &[String], last: String| {
            let mut path = path.to_vec();
            if last != "self" || path.is_empty() {
                path.push(last);
            }
            path
        };
        match tree {
            UseTree::Path(step) => {
                path.push(text(&step.ident));
                descend(&step.tree, path, template, found);
                path.pop();
            }
            UseTree::Name(name) => {
                let path = ending(path, text(&name.ident));
                leaf(path.last().cloned(), path);
            }
            UseTree::Rename(name) => {
                leaf(Some(text(&name.rename)), ending(path, text(&name.ident)));
            }
            UseTree::Glob(_) => leaf(None, path.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    descend(tree, path, template, found);
                }
            }
        }
    }
    let template = Import {
        path: Vec::new(),
        of_crate: item.leading_colon.is_some(),
        private: matches!(item.vis, Visibility::Inherited),
    };
    let mut found = Vec::new();
    descend(&item.tree, &mut Vec::new(), &template, &mut found);
    found
}

fn is_reexport(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Use(item) if !matches!(item.vis, Visibility::Inherited))
}

/// Whether attributes say that what they are on is built for tests alone.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<syn::Meta>()
                    .is_ok_and(|predicate| implies_test(&predicate)))
    })
}

fn implies_test(predicate: &syn::Meta) -> bool {
    let all = predicate.path().is_ident("all");
    if !all && !predicate.path().is_ident("any") {
        return predicate.path().is_ident("test") || predicate.path().is_ident("doctest");
    }
    let syn::Meta::List(list) = predicate else {
        return false;
    };
    let Ok(parts) = list.parse_args_with(
        syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated,
    ) else {
        return false;
    };
    match all {
        true => parts.iter().any(implies_test),
        false => !parts.is_empty() && parts.iter().all(implies_test),
    }
}

/// The files that `#[path]` and `#[cfg_attr(…, path)]` give a module, and
/// whether all of them are conditional.
fn paths_of(attributes: &[Attribute]) -> (Vec<String>, bool) {
    let mut paths = Vec::new();
    let mut conditional = true;
    for attribute in attributes {
        if let syn::Meta::NameValue(meta) = &attribute.meta
            && meta.path.is_ident("path")
        {
            conditional = false;
            paths.extend(text_of(&meta.value));
        }
        if attribute.path().is_ident("cfg_attr")
            && let Ok(parts) = attribute.parse_args_with(
                syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated,
            )
        {
            for part in parts.iter().skip(1) {
                if let syn::Meta::NameValue(meta) = part
                    && meta.path.is_ident("path")
                {
                    paths.extend(text_of(&meta.value));
                }
            }
        }
    }
    (paths, conditional)
}

fn text_of(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// The attributes of an item.
pub(super) fn attributes(item: &syn::Item) -> &[Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
