//! Compares two descriptions of the same JSON: the declarations, and the
//! schemas of our types.

mod shape;

use crate::declarations::{Alternative, Declarations, Literal, Object, Type};
use shape::{Shape, describe, is_any_object, is_anything, kind, kinds, merged, shapes, texts};
use std::collections::BTreeSet;

/// Compares declared types with ours, and collects a line for each difference.
///
/// - `+ Type.member: kind`: the member is declared, but our type lacks it;
/// - `- Type.member: kind`: our type has the member, but it is not declared;
/// - `~ Type.member: …`: both have the member, but it differs.
///
/// `Type` is the declared type. A type without a name is its path: members and
/// `[]` after a named type. Our type follows in parentheses.
#[derive(Debug)]
pub struct Comparison<'a> {
    declared: &'a Declarations,
    ours: &'a Declarations,
    lines: BTreeSet<String>,
    /// The named types that have been compared.
    seen: BTreeSet<(Vec<String>, Vec<String>)>,
}

/// Objects of both sides that describe the same object.
#[derive(Default)]
struct Group {
    declared: Vec<Shape>,
    ours: Vec<Shape>,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison without differences.
    #[must_use]
    pub fn new(declared: &'a Declarations, ours: &'a Declarations) -> Self {
        Self {
            declared,
            ours,
            lines: BTreeSet::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Returns the differences.
    #[must_use]
    pub fn into_lines(self) -> BTreeSet<String> {
        self.lines
    }

    /// Compares two types. `path` names types that have no name.
    pub fn types(&mut self, path: &str, declared: &Type, ours: &Type) {
        let declared = self.declared.alternatives(declared);
        let ours = self.ours.alternatives(ours);
        // If nothing is declared, our type may be any type.
        if declared.is_empty() || declared.iter().any(|one| one.ty == Type::Any) {
            return;
        }
        if ours.iter().any(|one| one.ty == Type::Any) {
            if !declared.iter().all(|one| is_any_object(&one.ty)) {
                self.line(format!("~ {path}: {}, opaque here", kinds(&declared)));
            }
            return;
        }
        self.kinds(path, &declared, &ours);
        self.literals(path, &declared, &ours);
        let items = |alternatives: &[Alternative]| -> Vec<Type> {
            alternatives
                .iter()
                .filter_map(|one| match &one.ty {
                    Type::Array(item) => Some(vec![(**item).clone()]),
                    Type::Tuple(items) => Some(items.clone()),
                    _ => None,
                })
                .flatten()
                .collect()
        };
        let (declared_items, our_items) = (items(&declared), items(&ours));
        if !declared_items.is_empty() && !our_items.is_empty() {
            let path = format!("{path}[]");
            self.types(&path, &Type::Union(declared_items), &Type::Union(our_items));
        }
        self.objects(path, shapes(declared), shapes(ours));
    }

    /// Adds a difference that the caller found.
    pub fn line(&mut self, line: String) {
        self.lines.insert(line);
    }

    fn kinds(&mut self, path: &str, declared: &[Alternative], ours: &[Alternative]) {
        let of = |alternatives: &[Alternative]| -> BTreeSet<&'static str> {
            alternatives.iter().map(|one| kind(&one.ty)).collect()
        };
        let (mut ours_of, declared_of) = (of(ours), of(declared));
        // Our members are `None` for `null` if they may be absent.
        if !declared_of.contains("null") {
            ours_of.remove("null");
        }
        if declared_of != ours_of {
            self.line(format!(
                "~ {path}: {} declared, {} here",
                kinds(declared),
                kinds(ours)
            ));
        }
    }

    fn literals(&mut self, path: &str, declared: &[Alternative], ours: &[Alternative]) {
        let of = |alternatives: &[Alternative]| -> BTreeSet<String> {
            alternatives
                .iter()
                .filter_map(|one| match &one.ty {
                    Type::Literal(Literal::String(text)) => Some(text.clone()),
                    _ => None,
                })
                .collect()
        };
        let (declared_of, ours_of) = (of(declared), of(ours));
        let any_text =
            |alternatives: &[Alternative]| alternatives.iter().any(|one| one.ty == Type::String);
        if ours_of.is_empty() {
            if !declared_of.is_empty() && any_text(ours) && !any_text(declared) {
                let texts = match declared_of.len() {
                    1 => "one text".to_owned(),
                    count => format!("one of {count} texts"),
                };
                self.line(format!("~ {path}: {texts}, any text here"));
            }
            return;
        }
        for text in declared_of.difference(&ours_of) {
            self.line(format!("+ {path}: \"{text}\""));
        }
        if !any_text(declared) {
            for text in ours_of.difference(&declared_of) {
                self.line(format!("- {path}: \"{text}\""));
            }
        }
    }

    fn objects(&mut self, path: &str, declared: Vec<Shape>, ours: Vec<Shape>) {
        if declared.is_empty() || ours.is_empty() {
            return;
        }
        for group in self.groups(path, declared, ours) {
            self.group(path, &group);
        }
    }

    /// Groups the objects of both sides that describe the same object. One of
    /// ours can describe several declared objects, and vice versa.
    fn groups(&mut self, path: &str, declared: Vec<Shape>, ours: Vec<Shape>) -> Vec<Group> {
        // Remove our variants for unknown kinds.
        let (_, ours): (Vec<Shape>, Vec<Shape>) = match ours.len() {
            1 => (vec![], ours),
            _ => ours
                .into_iter()
                .partition(|shape| is_anything(&shape.object)),
        };
        let mut groups: Vec<Group> = ours
            .into_iter()
            .map(|shape| Group {
                declared: vec![],
                ours: vec![shape],
            })
            .collect();
        for shape in declared {
            let best = (0..groups.len())
                .filter_map(|at| {
                    let similar = self.similar(&shape.object, &groups[at].ours[0].object)?;
                    Some((similar, std::cmp::Reverse(at)))
                })
                .max();
            match best {
                Some((_, std::cmp::Reverse(at))) => groups[at].declared.push(shape),
                None => self.line(format!("+ {path}: {}", self.describe(&shape))),
            }
        }
        let (mut paired, alone): (Vec<Group>, Vec<Group>) = groups
            .into_iter()
            .partition(|group| !group.declared.is_empty());
        for shape in alone.into_iter().flat_map(|group| group.ours) {
            let best = (0..paired.len())
                .filter_map(|at| {
                    let similar = paired[at]
                        .declared
                        .iter()
                        .filter_map(|declared| self.similar(&declared.object, &shape.object))
                        .max()?;
                    Some((similar, std::cmp::Reverse(at)))
                })
                .max();
            match best {
                Some((_, std::cmp::Reverse(at))) => paired[at].ours.push(shape),
                None => {
                    let line = format!("- {path}: {}", self.describe_ours(&shape));
                    self.line(line);
                }
            }
        }
        paired
    }

    /// Returns how similar two objects are: the number of equal tags, then the
    /// number of equal names of members. Returns `None` if their tags differ.
    fn similar(&self, declared: &Object, ours: &Object) -> Option<(usize, usize)> {
        let mut tags = 0;
        let mut names = 0;
        for member in &declared.members {
            let Some(other) = ours.members.iter().find(|other| other.name == member.name) else {
                continue;
            };
            names += 1;
            let declared = texts(&self.declared.alternatives(&member.value));
            let ours = texts(&self.ours.alternatives(&other.value));
            let (Some(declared), Some(ours)) = (declared, ours) else {
                continue;
            };
            if declared.is_disjoint(&ours) {
                return None;
            }
            tags += 1;
        }
        Some((tags, names))
    }

    fn group(&mut self, path: &str, group: &Group) {
        let names = |shapes: &[Shape]| -> Option<Vec<String>> {
            shapes.iter().map(|shape| shape.name.clone()).collect()
        };
        if let (Some(declared), Some(ours)) = (names(&group.declared), names(&group.ours))
            && !self.seen.insert((declared, ours))
        {
            return;
        }
        let first = group.declared[0].name.as_deref().unwrap_or(path).to_owned();
        let aside = match &group.ours[0].name {
            Some(name) => format!(" ({name})"),
            None => String::new(),
        };
        let declared = merged(&group.declared);
        let ours = merged(&group.ours);
        let index = |shapes: &[Shape]| -> Option<Type> {
            shapes
                .iter()
                .find_map(|shape| shape.object.index.as_deref().cloned())
        };
        let (declared_index, our_index) = (index(&group.declared), index(&group.ours));
        for (name, (owner, member)) in &declared {
            let owner = owner.as_deref().unwrap_or(path);
            let member_path = format!("{owner}.{name}");
            let ours = ours.get(name).map(|(_, member)| member);
            match (ours, &our_index) {
                (Some(ours), _) => {
                    if member.optional && !ours.optional {
                        self.line(format!(
                            "~ {member_path}: may be absent, must not here{aside}"
                        ));
                    }
                    self.types(&member_path, &member.value, &ours.value);
                }
                (None, Some(index)) => self.types(&member_path, &member.value, index),
                (None, None) => {
                    let kinds = kinds(&self.declared.alternatives(&member.value));
                    self.line(format!("+ {member_path}: {kinds}{aside}"));
                }
            }
        }
        for (name, (_, member)) in &ours {
            let member_path = format!("{first}.{name}");
            match &declared_index {
                _ if declared.contains_key(name) => {}
                Some(index) => self.types(&member_path, index, &member.value),
                None => {
                    let kinds = kinds(&self.ours.alternatives(&member.value));
                    self.line(format!("- {member_path}: {kinds}{aside}"));
                }
            }
        }
        if let (Some(declared), Some(ours)) = (declared_index, our_index) {
            self.types(&format!("{first}.*"), &declared, &ours);
        }
    }

    fn describe(&self, shape: &Shape) -> String {
        describe(shape, |ty| texts(&self.declared.alternatives(ty)))
    }

    fn describe_ours(&self, shape: &Shape) -> String {
        describe(shape, |ty| texts(&self.ours.alternatives(ty)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use serde_json::{Value, json};

    fn differences(declared: &str, ours: &Value) -> Vec<String> {
        let declared = Declarations::read("a.d.ts", |file| {
            (file == "a.d.ts").then(|| declared.to_owned())
        })
        .expect("TypeScript");
        let root = declared.root("Root").expect("declared");
        let (ours, our_root) = schema::read(ours);
        let mut comparison = Comparison::new(&declared, &ours);
        comparison.types("Root", &root, &our_root);
        comparison.into_lines().into_iter().collect()
    }

    #[test]
    fn members_are_compared_in_both_directions() {
        let ours = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "age": { "type": ["string", "null"] },
                "wet": { "type": "boolean" },
            },
            "required": ["name"],
        });
        let declared = "type Root = { name?: string; age?: number; legs: number | null };";
        assert_eq!(
            differences(declared, &ours),
            [
                "+ Root.legs: null | number (#)",
                "- Root.wet: boolean (#)",
                "~ Root.age: number declared, null | string here",
                "~ Root.name: may be absent, must not here (#)",
            ]
        );
    }

    #[test]
    fn alternatives_are_paired_by_their_tags() {
        let ours = json!({
            "$defs": {
                "Cat": { "type": "object", "required": ["type"], "properties": {
                    "type": { "const": "cat" }, "lives": { "type": "integer" } } },
                "Dog": { "type": "object", "required": ["type"], "properties": {
                    "type": { "const": "dog" } } },
            },
            "anyOf": [
                { "$ref": "#/$defs/Cat" },
                { "$ref": "#/$defs/Dog" },
                { "type": "object", "description": "Of a kind that is not known." },
            ],
        });
        let declared = "type Cat = { type: 'cat'; lives: number; tail?: string };
            type Fish = { type: 'fish' };
            type Root = Cat | Fish;";
        assert_eq!(
            differences(declared, &ours),
            [
                "+ Cat.tail: string (Cat)",
                "+ Root: Fish { type: \"fish\" }",
                "- Root: Dog { type: \"dog\" }",
            ]
        );
    }

    #[test]
    fn one_type_can_stand_for_several() {
        let ours = json!({
            "$defs": { "Result": { "type": "object", "required": ["kind"], "properties": {
                "kind": { "anyOf": [{ "enum": ["good", "odd"] }, { "type": "string" }] },
                "value": { "type": "number" } } } },
            "$ref": "#/$defs/Result",
        });
        let declared = "type Good = { kind: 'good'; value: number };
            type Bad = { kind: 'bad' | 'worse'; error: string };
            type Root = Good | Bad;";
        assert_eq!(
            differences(declared, &ours),
            [
                "+ Bad.error: string (Result)",
                "+ Good.kind: \"bad\"",
                "+ Good.kind: \"worse\"",
                "- Good.kind: \"odd\"",
            ]
        );
    }

    #[test]
    fn depth_opacity_maps_and_recursion() {
        let ours = json!({
            "$defs": { "Tree": { "type": "object", "properties": {
                "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                "by_name": { "type": "object",
                    "additionalProperties": { "$ref": "#/$defs/Leaf" } },
                "soil": true,
                "air": true,
            } }, "Leaf": { "type": "object", "properties": {
                "colour": { "type": "string" } } } },
            "$ref": "#/$defs/Tree",
        });
        let declared = "type Tree = {
                children?: Tree[];
                by_name?: Partial<Record<'oak' | 'elm', { colour: 'red' | 'green'; age: number }>>;
                soil?: string;
                air?: unknown;
            };
            type Root = Tree;";
        assert_eq!(
            differences(declared, &ours),
            [
                "+ Tree.by_name.elm.age: number (Leaf)",
                "+ Tree.by_name.oak.age: number (Leaf)",
                "~ Tree.by_name.elm.colour: one of 2 texts, any text here",
                "~ Tree.by_name.oak.colour: one of 2 texts, any text here",
                "~ Tree.soil: string, opaque here",
            ]
        );
    }
}
