//! Searches the code of a crate for paths that lead to other files.

use super::load::{Body, Leaf, Loaded, attributes, is_test, leaves};
use super::scope::{ANY, FileId, Item, Kind, MACRO, Meaning, ScopeId, Spaces, TYPE, VALUE};
use super::tokens::{self, Place, TokenPath, text};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use syn::visit::{self, Visit};
use syn::{Attribute, Pat};

/// The names that ride on each arrow from file to file.
pub(super) type Found = BTreeMap<(FileId, FileId), BTreeSet<String>>;

/// Finds all arrows, and the paths that lead nowhere.
pub(super) fn walk(loaded: &mut Loaded) -> (Found, Vec<String>) {
    let bodies = std::mem::take(&mut loaded.bodies);
    let mut walker = Walker {
        loaded,
        scope: ScopeId(0),
        file: FileId(0),
        locals: Vec::new(),
        mentioned: BTreeMap::new(),
        imports: Vec::new(),
        found: Found::new(),
        unresolved: BTreeSet::new(),
    };
    for body in &bodies {
        walker.body(body);
    }
    walker.count_imports();
    let Walker {
        found, unresolved, ..
    } = walker;
    let files = &loaded.files;
    let unresolved = unresolved
        .into_iter()
        .map(|(file, path)| format!("{}: {path}", files[file.0].path));
    (found, unresolved.collect())
}

/// A name that a private `use` brings into a file.
struct Imported {
    file: FileId,
    name: String,
    items: Vec<Item>,
}

struct Walker<'a> {
    loaded: &'a mut Loaded,
    scope: ScopeId,
    file: FileId,
    /// The local variables of the blocks around, the innermost one last.
    locals: Vec<HashSet<String>>,
    /// The identifiers in the code of each file, but for those of `use`.
    mentioned: BTreeMap<FileId, HashSet<String>>,
    imports: Vec<Imported>,
    found: Found,
    unresolved: BTreeSet<(FileId, String)>,
}

impl Walker<'_> {
    fn body(&mut self, body: &Body) {
        self.scope = body.scope;
        self.file = self.loaded.scopes.get(body.scope).file;
        for item in &body.items {
            self.visit_item(item);
        }
    }

    /// Takes a path that stands here.
    fn path(&mut self, path: &[String], spaces: Spaces) {
        match self.loaded.scopes.resolve(self.scope, path, spaces) {
            Ok(meanings) => self.lead_to(&meanings),
            Err(_) => self.unresolved(path.join("::")),
        }
    }

    /// Takes the path of a macro that is invoked here.
    fn invocation(&mut self, path: &[String]) {
        let meanings = self.loaded.scopes.resolve(self.scope, path, MACRO);
        match meanings {
            Ok(meanings) if meanings.is_empty() && self.loaded.defines_macro(&path[0]) => {
                self.unresolved(format!("{}!", path[0]));
            }
            Ok(meanings) => self.lead_to(&meanings),
            Err(_) => self.unresolved(format!("{}!", path.join("::"))),
        }
    }

    fn unresolved(&mut self, path: String) {
        self.unresolved.insert((self.file, path));
    }

    fn lead_to(&mut self, meanings: &[Meaning]) {
        for meaning in meanings {
            if let Meaning::Item(item) = meaning {
                self.arrow(self.file, item);
            }
        }
    }

    fn arrow(&mut self, from: FileId, item: &Item) {
        if from != item.file {
            let names = self.found.entry((from, item.file)).or_default();
            names.insert(item.name.clone());
        }
    }

    fn mention(&mut self, names: impl IntoIterator<Item = String>) {
        self.mentioned.entry(self.file).or_default().extend(names);
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|names| names.contains(name))
    }

    fn within_block(&mut self, visit: impl FnOnce(&mut Self)) {
        self.locals.push(HashSet::new());
        visit(self);
        self.locals.pop();
    }

    fn use_of(&mut self, leaf: Leaf) {
        let path = leaf.import.path.join("::");
        let known = self
            .loaded
            .scopes
            .resolve_import(self.scope, &leaf.import, ANY);
        let meanings = match known {
            Ok(meanings) if !meanings.is_empty() => meanings,
            _ => {
                self.unresolved(format!("use {path}"));
                return;
            }
        };
        let Some(name) = leaf.name.filter(|_| leaf.import.private) else {
            return;
        };
        let items = meanings.into_iter().filter_map(|meaning| match meaning {
            Meaning::Item(item) => Some(item),
            Meaning::Module(_) | Meaning::Elsewhere => None,
        });
        self.imports.push(Imported {
            file: self.file,
            name,
            items: items.collect(),
        });
    }

    /// A private `use` is an arrow, unless the file has it for the files below
    /// it alone. Whether a trait's methods are called cannot be seen.
    fn count_imports(&mut self) {
        for import in std::mem::take(&mut self.imports) {
            let mentioned = self.mentioned.get(&import.file);
            let mentioned = mentioned.is_some_and(|names| names.contains(&import.name));
            let has_code = self.loaded.files[import.file.0].has_code;
            for item in &import.items {
                let is_trait = item.kind == Kind::Trait;
                if has_code && (mentioned || is_trait || import.name == "_") {
                    self.arrow(import.file, item);
                }
            }
        }
    }

    fn tokens(&mut self, tokens: proc_macro2::TokenStream, place: Place, written_here: bool) {
        self.mention(tokens::identifiers(tokens.clone()));
        for path in tokens::paths(tokens, place) {
            self.token_path(&path, written_here);
        }
    }

    fn token_path(&mut self, path: &TokenPath, written_here: bool) {
        let TokenPath {
            segments,
            invoked,
            open,
            quoted,
        } = path;
        let absolute = matches!(segments[0].as_str(), "crate" | "super" | "self");
        if segments[0] == "Self" || (absolute && segments.len() == 1) {
            return;
        }
        if segments.len() == 1 && !invoked && self.is_local(&segments[0]) {
            return;
        }
        if *quoted {
            self.mention(segments.iter().cloned());
        }
        if *invoked && written_here {
            self.invocation(segments);
            return;
        }
        let spaces = match (invoked, open) {
            (true, _) => MACRO,
            // `a::B::$name`, `a::B::<T>::c`.
            (false, true) => TYPE | VALUE,
            (false, false) if segments.len() > 1 => ANY,
            (false, false) => TYPE | VALUE,
        };
        match self.loaded.scopes.resolve(self.scope, segments, spaces) {
            Ok(meanings) => {
                self.lead_to(&meanings);
                for meaning in meanings {
                    if let Meaning::Module(module) = meaning
                        && *quoted
                    {
                        // `with = "module"`: the functions in it.
                        let file = self.loaded.scopes.get(module).file;
                        let item = Item {
                            file,
                            name: segments.join("::"),
                            kind: Kind::Function,
                        };
                        self.arrow(self.file, &item);
                    }
                }
            }
            // A relative path in the body of a macro may begin where it is
            // invoked.
            Err(_) if absolute || written_here => {
                self.unresolved(segments.join("::"));
            }
            Err(_) => {}
        }
    }

    fn bind(&mut self, name: String) {
        if let Some(names) = self.locals.last_mut() {
            names.insert(name);
        }
    }

    /// Whether a lone name in a pattern is that of a constant.
    fn names_constant(&self, name: &str) -> Option<Item> {
        let path = [name.to_owned()];
        let meanings = self.loaded.scopes.resolve(self.scope, &path, VALUE);
        meanings
            .ok()?
            .into_iter()
            .find_map(|meaning| match meaning {
                Meaning::Item(item) if matches!(item.kind, Kind::Constant | Kind::Constructor) => {
                    Some(item)
                }
                _ => None,
            })
    }
}

/// Visits something that has attributes, unless it is for tests alone.
macro_rules! unless_test {
    ($($visit:ident: $node:ident,)*) => {$(
        fn $visit(&mut self, node: &'ast syn::$node) {
            if !is_test(&node.attrs) {
                visit::$visit(self, node);
            }
        }
    )*};
}

impl<'ast> Visit<'ast> for Walker<'_> {
    unless_test! {
        visit_field: Field,
        visit_field_value: FieldValue,
        visit_impl_item_const: ImplItemConst,
        visit_impl_item_type: ImplItemType,
        visit_trait_item_const: TraitItemConst,
        visit_variant: Variant,
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            syn::Item::Use(item) => {
                for leaf in leaves(item) {
                    self.use_of(leaf);
                }
            }
            syn::Item::Macro(item) if item.ident.is_some() => {
                for body in tokens::bodies(item.mac.tokens.clone()) {
                    self.tokens(body.stream(), Place::Code, false);
                }
            }
            // Modules of a file have been taken out; this is one in a function.
            syn::Item::Mod(item) => {
                self.unresolved(format!("mod {} in a function", item.ident));
            }
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within_block(|walker| visit::visit_item_fn(walker, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            self.within_block(|walker| visit::visit_impl_item_fn(walker, item));
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if !is_test(&item.attrs) {
            self.within_block(|walker| visit::visit_trait_item_fn(walker, item));
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let outer = self.scope;
        let mut items = block.stmts.iter().filter_map(|statement| match statement {
            syn::Stmt::Item(item) if !is_test(attributes(item)) => Some(item),
            _ => None,
        });
        if let Some(first) = items.next() {
            self.scope = self.loaded.scopes.add(self.file, Some(outer), true);
            for item in std::iter::once(first).chain(items) {
                self.loaded.declare(self.scope, item);
            }
            self.loaded.define_what_macros_make();
        }
        self.within_block(|walker| visit::visit_block(walker, block));
        self.scope = outer;
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if is_test(&local.attrs) {
            return;
        }
        // What it is set to does not see it yet.
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
        self.visit_pat(&local.pat);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.within_block(|walker| visit::visit_expr_closure(walker, closure));
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if !is_test(&arm.attrs) {
            self.within_block(|walker| visit::visit_arm(walker, arm));
        }
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.within_block(|walker| {
            walker.visit_expr(&branch.cond);
            walker.visit_block(&branch.then_branch);
        });
        if let Some((_, otherwise)) = &branch.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.within_block(|walker| visit::visit_expr_while(walker, repeated));
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast syn::ExprForLoop) {
        self.visit_expr(&repeated.expr);
        self.within_block(|walker| {
            walker.visit_pat(&repeated.pat);
            walker.visit_block(&repeated.body);
        });
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        self.visit_expr(&condition.expr);
        self.visit_pat(&condition.pat);
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(bound) = pattern {
            let name = text(&bound.ident);
            if bound.subpat.is_none()
                && let Some(item) = self.names_constant(&name)
            {
                self.mention([name]);
                self.arrow(self.file, &item);
                return;
            }
            self.bind(name);
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if let Some(name) = path.path.get_ident()
            && path.qself.is_none()
            && self.is_local(&text(name))
        {
            return;
        }
        self.qualified(path.qself.as_ref(), &path.path, VALUE);
    }

    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        self.qualified(path.qself.as_ref(), &path.path, TYPE);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.qualified(None, path, TYPE | VALUE);
    }

    fn visit_macro(&mut self, invoked: &'ast syn::Macro) {
        self.qualified(None, &invoked.path, MACRO);
        self.tokens(invoked.tokens.clone(), Place::Code, true);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let name = attribute.path().segments.first();
        if name.is_some_and(|name| tokens::may_hold_paths(&text(&name.ident)))
            && let syn::Meta::List(list) = &attribute.meta
        {
            self.tokens(list.tokens.clone(), Place::Attribute, true);
        }
    }

    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.mention([text(name)]);
    }
}

impl Walker<'_> {
    /// Takes a path, which may begin with `<Type as Trait>`.
    fn qualified(&mut self, qself: Option<&syn::QSelf>, path: &syn::Path, spaces: Spaces) {
        if let Some(qself) = qself {
            self.visit_type(&qself.ty);
        }
        for segment in &path.segments {
            self.visit_path_segment(segment);
        }
        // `<Type>::name` is no path of its own.
        let is_member = qself.is_some_and(|qself| qself.position == 0);
        if is_member || path.leading_colon.is_some() {
            return;
        }
        let segments: Vec<_> = path.segments.iter().collect();
        let segments: Vec<_> = segments.iter().map(|part| text(&part.ident)).collect();
        let is_self = segments[0] == "Self" || (segments[0] == "self" && segments.len() == 1);
        match spaces {
            MACRO => self.invocation(&segments),
            _ if is_self => {}
            _ => self.path(&segments, spaces),
        }
    }
}
