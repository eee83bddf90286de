//! Finds the paths in tokens that have no syntax tree: those of macro
//! invocations, of the bodies of `macro_rules!` and of attributes.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// A path in a stream of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenPath {
    /// Its segments. A first one `crate` stands for `$crate` too.
    pub(super) segments: Vec<String>,
    /// Whether it is followed by `!` and names a macro.
    pub(super) invoked: bool,
    /// Whether it goes on with something that is not known, such as `$name`.
    pub(super) open: bool,
    /// Whether it is the text of an attribute such as `serde(with = "…")`,
    /// where a module stands for what is in it.
    pub(super) quoted: bool,
}

/// Where tokens stand, which decides what a lone identifier may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a macro invocation or in the body of a macro.
    Code,
    /// In an attribute, where a lone identifier counts behind `=` only.
    Attribute,
}

/// The attributes that hold no path to an item of the crate.
const ATTRIBUTES_WITHOUT_PATHS: [&str; 10] = [
    "allow", "cfg", "cfg_attr", "deny", "derive", "doc", "expect", "forbid", "must_use", "warn",
];

/// The keys of serde's attributes whose text is a path.
const KEYS_OF_PATHS: [&str; 12] = [
    "bound",
    "default",
    "deserialize_with",
    "from",
    "getter",
    "into",
    "remote",
    "schema_with",
    "serialize_with",
    "skip_serializing_if",
    "try_from",
    "with",
];

/// The keywords that are followed by the name of what they define.
const DEFINING: [&str; 9] = [
    "const", "enum", "fn", "mod", "static", "struct", "trait", "type", "union",
];

/// Whether an attribute of this name can hold a path to an item.
pub(super) fn may_hold_paths(attribute: &str) -> bool {
    !ATTRIBUTES_WITHOUT_PATHS.contains(&attribute)
}

/// Finds every path in tokens, those in groups included.
pub(super) fn paths(tokens: TokenStream, place: Place) -> Vec<TokenPath> {
    let mut found = Vec::new();
    scan(&trees(tokens), place, &mut found);
    found
}

/// The right sides of the rules of a `macro_rules!`.
pub(super) fn bodies(rules: TokenStream) -> Vec<Group> {
    let rules = trees(rules);
    let mut bodies = Vec::new();
    for (at, tree) in rules.iter().enumerate() {
        if let TokenTree::Group(group) = tree
            && before(&rules, at, 1) == Some('>')
            && before(&rules, at, 2) == Some('=')
        {
            bodies.push(group.clone());
        }
    }
    bodies
}

/// An item that tokens define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Defined {
    /// The keyword: `struct`, `fn` and so on.
    pub(super) keyword: String,
    /// The name; `None` for `struct $name`, whose name the tokens do not tell.
    pub(super) name: Option<String>,
    /// The identifiers in the braces behind it: an enum's variants are among
    /// them.
    pub(super) within: BTreeSet<String>,
}

/// The items that tokens define by a keyword and a name, outside of braces.
pub(super) fn definitions(tokens: TokenStream) -> Vec<Defined> {
    let mut found = Vec::new();
    define(&trees(tokens), &mut found);
    found
}

fn define(trees: &[TokenTree], found: &mut Vec<Defined>) {
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        at += 1;
        match tree {
            TokenTree::Ident(keyword) if DEFINING.contains(&keyword.to_string().as_str()) => {
                let name = match trees.get(at) {
                    Some(TokenTree::Ident(name)) if name == "fn" || name == "unsafe" => continue,
                    Some(TokenTree::Ident(name)) => Some(text(name)),
                    Some(TokenTree::Punct(dollar)) if dollar.as_char() == '$' => None,
                    _ => continue,
                };
                // What is in the braces behind it is not defined here.
                let mut within = BTreeSet::new();
                while let Some(tree) = trees.get(at) {
                    at += 1;
                    match tree {
                        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                            within = identifiers(group.stream());
                            break;
                        }
                        TokenTree::Punct(end) if end.as_char() == ';' => break,
                        _ => {}
                    }
                }
                let keyword = keyword.to_string();
                found.push(Defined {
                    keyword,
                    name,
                    within,
                });
            }
            // A repetition, `$( … )*`, or rules within rules. The braces of an
            // `impl` define nothing that a path names by itself.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                define(&self::trees(group.stream()), found);
            }
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace
                    && at >= 2
                    && matches!(&trees[at - 2], TokenTree::Punct(mark) if mark.as_char() == '!') =>
            {
                define(&self::trees(group.stream()), found);
            }
            _ => {}
        }
    }
}

/// All identifiers in tokens.
pub(super) fn identifiers(tokens: TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = vec![tokens];
    while let Some(tokens) = left.pop() {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => left.push(group.stream()),
                TokenTree::Ident(name) => {
                    found.insert(text(&name));
                }
                _ => {}
            }
        }
    }
    found
}

/// An identifier without the mark of a raw one.
pub(super) fn text(name: &Ident) -> String {
    let name = name.to_string();
    match name.strip_prefix("r#") {
        Some(name) => name.to_owned(),
        None => name,
    }
}

fn trees(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// The punctuation so many tokens before this one.
fn before(trees: &[TokenTree], at: usize, steps: usize) -> Option<char> {
    punctuation(trees, at.checked_sub(steps)?)
}

fn punctuation(trees: &[TokenTree], at: usize) -> Option<char> {
    match trees.get(at)? {
        TokenTree::Punct(mark) => Some(mark.as_char()),
        _ => None,
    }
}

fn is_separator(trees: &[TokenTree], at: usize) -> bool {
    punctuation(trees, at) == Some(':') && punctuation(trees, at + 1) == Some(':')
}

fn scan(trees: &[TokenTree], place: Place, found: &mut Vec<TokenPath>) {
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        match tree {
            TokenTree::Ident(_) => at = scan_path(trees, at, place, found),
            TokenTree::Group(group) => {
                scan_group(trees, at, group, place, found);
                at += 1;
            }
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                let key = match at.checked_sub(2).map(|key| &trees[key]) {
                    Some(TokenTree::Ident(key)) if before(trees, at, 1) == Some('=') => text(key),
                    _ => String::new(),
                };
                if KEYS_OF_PATHS.contains(&key.as_str()) {
                    found.extend(quoted_path(&literal));
                } else if place == Place::Code {
                    found.extend(inlined_arguments(&literal));
                }
                at += 1;
            }
            TokenTree::Punct(_) => at += 1,
        }
    }
}

fn scan_group(
    trees: &[TokenTree],
    at: usize,
    group: &Group,
    place: Place,
    found: &mut Vec<TokenPath>,
) {
    let within = self::trees(group.stream());
    let attribute = group.delimiter() == Delimiter::Bracket
        && (before(trees, at, 1) == Some('#')
            || (before(trees, at, 1) == Some('!') && before(trees, at, 2) == Some('#')));
    match within.first() {
        Some(TokenTree::Ident(name)) if attribute => {
            if may_hold_paths(&text(name)) {
                scan(&within, Place::Attribute, found);
            }
        }
        _ => scan(&within, place, found),
    }
}

/// Reads the path that begins here and returns where it ends.
fn scan_path(trees: &[TokenTree], start: usize, place: Place, found: &mut Vec<TokenPath>) -> usize {
    let variable = before(trees, start, 1) == Some('$');
    let mut segments = Vec::new();
    let mut open = false;
    let mut at = start;
    while let Some(TokenTree::Ident(segment)) = trees.get(at) {
        segments.push(text(segment));
        at += 1;
        if !is_separator(trees, at) {
            break;
        }
        match trees.get(at + 2) {
            Some(TokenTree::Ident(_)) => at += 2,
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let mut within = Vec::new();
                scan(&self::trees(group.stream()), place, &mut within);
                for mut path in within {
                    let rest = path.segments;
                    path.segments = segments.clone();
                    path.segments
                        .extend(rest.into_iter().filter(|name| name != "self"));
                    found.push(path);
                }
                return at + 3;
            }
            _ => {
                open = true;
                break;
            }
        }
    }
    if variable && segments[0] != "crate" {
        return at;
    }
    // What follows `::` is an associated item or in another crate.
    if before(trees, start, 1) == Some(':') && before(trees, start, 2) == Some(':') {
        return at;
    }
    let invoked = punctuation(trees, at) == Some('!')
        && matches!(trees.get(at + 1), Some(TokenTree::Group(_)));
    if segments.len() == 1 && !invoked && !open && !may_be_path(trees, start, at, place) {
        return at;
    }
    found.push(TokenPath {
        segments,
        invoked,
        open,
        quoted: false,
    });
    at
}

/// Whether a lone identifier can name an item, by what stands around it.
fn may_be_path(trees: &[TokenTree], start: usize, end: usize, place: Place) -> bool {
    let TokenTree::Ident(name) = &trees[start] else {
        return false;
    };
    let name = text(name);
    // The name of a member or a method, but not the end of a range.
    let member = before(trees, start, 1) == Some('.') && before(trees, start, 2) != Some('.');
    let lifetime = before(trees, start, 1) == Some('\'');
    let defined = match start.checked_sub(1).map(|keyword| &trees[keyword]) {
        Some(TokenTree::Ident(keyword)) => {
            let keyword = keyword.to_string();
            keyword == "let" || DEFINING.contains(&keyword.as_str())
        }
        Some(TokenTree::Punct(mark)) => {
            mark.as_char() == '!'
                && matches!(
                    start.checked_sub(2).map(|rules| &trees[rules]),
                    Some(TokenTree::Ident(rules)) if rules == "macro_rules"
                )
        }
        _ => false,
    };
    if member || lifetime || defined {
        return false;
    }
    let is_value = before(trees, start, 1) == Some('=');
    if place == Place::Attribute {
        return is_value;
    }
    let is_type = name.starts_with(char::is_uppercase);
    // `name: value` and `name = value`.
    let named = match (punctuation(trees, end), punctuation(trees, end + 1)) {
        (Some(':'), _) => true,
        (Some('='), after) => after != Some('='),
        _ => false,
    };
    is_type || !named
}

/// The path that a text is, in an attribute of serde's.
fn quoted_path(literal: &str) -> Option<TokenPath> {
    let path = literal.strip_prefix('"')?.strip_suffix('"')?;
    let path = syn::parse_str::<syn::Path>(path).ok()?;
    Some(TokenPath {
        segments: path.segments.iter().map(|part| text(&part.ident)).collect(),
        invoked: false,
        open: false,
        quoted: true,
    })
}

/// The names in a text to be formatted: `{NAME}` and `{NAME:?}`.
fn inlined_arguments(literal: &str) -> Vec<TokenPath> {
    if !literal.ends_with(['"', '#']) || !literal.contains('{') {
        return Vec::new();
    }
    let starts = literal.split('{').skip(1);
    let names = starts.filter_map(|rest| {
        let end = rest.find(['}', ':'])?;
        syn::parse_str::<Ident>(&rest[..end]).ok()
    });
    let paths = names.map(|name| TokenPath {
        segments: vec![text(&name)],
        invoked: false,
        open: false,
        quoted: false,
    });
    paths.collect()
}
