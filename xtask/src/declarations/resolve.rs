//! Resolves a type: looks its names up, and applies its operators.

use super::Declarations;
use super::model::{Conditional, Literal, Mapped, Member, Object, Reference, Type};

/// An alternative of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The innermost named declaration that contains the alternative.
    pub name: Option<Reference>,
    /// `Any`, `Null`, `Boolean`, `Number`, `String`, `Literal`, `Array`,
    /// `Tuple` or `Object`.
    pub ty: Type,
}

impl Declarations {
    /// Returns the alternatives of a type. An unknown type is `Any`.
    #[must_use]
    pub fn alternatives(&self, ty: &Type) -> Vec<Alternative> {
        match ty {
            Type::Absent => vec![],
            Type::Any
            | Type::Null
            | Type::Boolean
            | Type::Number
            | Type::String
            | Type::Literal(_)
            | Type::Array(_)
            | Type::Tuple(_)
            | Type::Object(_) => vec![Alternative::from(ty.clone())],
            Type::Union(parts) => parts
                .iter()
                .flat_map(|part| self.alternatives(part))
                .collect(),
            Type::Intersection(parts) => self.intersection(parts),
            Type::Named(reference, arguments) => self.named(reference, arguments),
            Type::Indexed(object, key) => self.indexed(object, key),
            Type::Keys(_) => match self.keys(ty) {
                Some(keys) => keys.into_iter().map(text).map(Alternative::from).collect(),
                None => vec![Alternative::from(Type::String)],
            },
            Type::Mapped(mapped) => vec![Alternative::from(Type::Object(self.mapped(mapped)))],
            Type::Conditional(conditional) => self.conditional(conditional),
            Type::TypeOf(reference) => self
                .find(reference)
                .and_then(|found| self.modules[found.module].constants.get(&found.name))
                .map_or_else(any, |constant| self.alternatives(constant)),
            // The parameter has no argument.
            Type::Parameter(_) => any(),
        }
    }

    /// Returns the members of the objects among the alternatives of a type.
    #[must_use]
    pub fn members(&self, ty: &Type) -> Vec<Member> {
        self.alternatives(ty)
            .into_iter()
            .filter_map(|alternative| match alternative.ty {
                Type::Object(object) => Some(object.members),
                _ => None,
            })
            .flatten()
            .collect()
    }

    fn named(&self, reference: &Reference, arguments: &[Type]) -> Vec<Alternative> {
        let Some(found) = self.find(reference) else {
            return self.built_in(&reference.name, arguments);
        };
        let Some(declaration) = self.declaration(&found) else {
            return any();
        };
        let given = |name: &str| {
            let position = declaration
                .parameters
                .iter()
                .position(|(parameter, _)| parameter == name)?;
            arguments
                .get(position)
                .cloned()
                .or_else(|| declaration.parameters[position].1.clone())
        };
        let mut alternatives = self.alternatives(&declaration.body.with_parameters(&given));
        for alternative in &mut alternatives {
            alternative.name.get_or_insert_with(|| found.clone());
        }
        alternatives
    }

    /// Returns the alternatives of a built-in type of TypeScript, or of a
    /// library type that is text on the wire.
    fn built_in(&self, name: &str, arguments: &[Type]) -> Vec<Alternative> {
        match (name, arguments) {
            ("UUID", _) => vec![Alternative::from(Type::String)],
            ("Array" | "ReadonlyArray", [item]) => {
                vec![Alternative::from(Type::Array(Box::new(item.clone())))]
            }
            ("Readonly", [of]) => self.alternatives(of),
            ("Record", [keys, value]) => {
                let mapped = Mapped {
                    parameter: String::new(),
                    keys: keys.clone(),
                    value: value.clone(),
                    optional: false,
                };
                vec![Alternative::from(Type::Object(self.mapped(&mapped)))]
            }
            ("Partial", [of]) => self.with_members(of, |member| Some(optional(member, true))),
            ("Required", [of]) => self.with_members(of, |member| Some(optional(member, false))),
            ("Pick", [of, keys]) => {
                let keys = self.keys(keys).unwrap_or_default();
                self.with_members(of, |member| keys.contains(&member.name).then_some(member))
            }
            ("Omit", [of, keys]) => {
                let keys = self.keys(keys).unwrap_or_default();
                self.with_members(of, |member| {
                    (!keys.contains(&member.name)).then_some(member)
                })
            }
            ("NonNullable", [of]) => self.filtered(of, |ty| *ty != Type::Null),
            ("Exclude", [of, pattern]) => {
                self.filtered(of, |ty| self.matches(ty, pattern) != Some(true))
            }
            ("Extract", [of, pattern]) => {
                self.filtered(of, |ty| self.matches(ty, pattern) == Some(true))
            }
            _ => any(),
        }
    }

    fn filtered(&self, of: &Type, keep: impl Fn(&Type) -> bool) -> Vec<Alternative> {
        let mut alternatives = self.alternatives(of);
        alternatives.retain(|alternative| keep(&alternative.ty));
        alternatives
    }

    fn with_members(
        &self,
        of: &Type,
        change: impl Fn(Member) -> Option<Member>,
    ) -> Vec<Alternative> {
        let mut alternatives = self.alternatives(of);
        for alternative in &mut alternatives {
            if let Type::Object(object) = &mut alternative.ty {
                object.members = std::mem::take(&mut object.members)
                    .into_iter()
                    .filter_map(&change)
                    .collect();
            }
        }
        alternatives
    }

    fn intersection(&self, parts: &[Type]) -> Vec<Alternative> {
        let mut whole = vec![Alternative::from(Type::Any)];
        for part in parts {
            let part = self.alternatives(part);
            whole = whole
                .iter()
                .flat_map(|one| part.iter().map(move |other| (one, other)))
                .filter_map(|(one, other)| both(&one.ty, &other.ty))
                .map(Alternative::from)
                .collect();
        }
        whole
    }

    fn indexed(&self, object: &Type, key: &Type) -> Vec<Alternative> {
        let keys = self.keys(key);
        self.alternatives(object)
            .into_iter()
            .flat_map(|alternative| match (alternative.ty, &keys) {
                (Type::Array(item), None) => self.alternatives(&item),
                (Type::Tuple(items), None) => self.alternatives(&Type::Union(items)),
                (Type::Object(object), Some(keys)) => object
                    .members
                    .iter()
                    .filter(|member| keys.contains(&member.name))
                    .flat_map(|member| self.alternatives(&member.value))
                    .collect(),
                (
                    Type::Object(Object {
                        index: Some(index), ..
                    }),
                    None,
                ) => self.alternatives(&index),
                _ => any(),
            })
            .collect()
    }

    /// Returns the texts of a type, or `None` if it has other alternatives.
    fn keys(&self, ty: &Type) -> Option<Vec<String>> {
        if let Type::Keys(of) = ty {
            let mut keys = Vec::new();
            for alternative in self.alternatives(of) {
                let Type::Object(object) = alternative.ty else {
                    return None;
                };
                keys.extend(object.members.into_iter().map(|member| member.name));
            }
            return Some(keys);
        }
        self.alternatives(ty)
            .into_iter()
            .map(|alternative| match alternative.ty {
                Type::Literal(Literal::String(text)) => Some(text),
                _ => None,
            })
            .collect()
    }

    fn mapped(&self, mapped: &Mapped) -> Object {
        let Some(keys) = self.keys(&mapped.keys) else {
            return Object {
                members: vec![],
                index: Some(Box::new(mapped.value.clone())),
            };
        };
        // A member of a mapped type may be absent if the original member may be
        // absent.
        let originals: Vec<Member> = match &mapped.keys {
            Type::Keys(of) => self.members(of),
            _ => vec![],
        };
        let members = keys
            .into_iter()
            .map(|key| Member {
                value: mapped
                    .value
                    .with_parameters(&|name| (name == mapped.parameter).then(|| text(key.clone()))),
                optional: mapped.optional
                    || originals
                        .iter()
                        .any(|original| original.name == key && original.optional),
                name: key,
            })
            .collect();
        Object {
            members,
            index: None,
        }
    }

    fn conditional(&self, conditional: &Conditional) -> Vec<Alternative> {
        let verdicts: Vec<Option<bool>> = self
            .alternatives(&conditional.check)
            .iter()
            .map(|alternative| self.matches(&alternative.ty, &conditional.pattern))
            .collect();
        let mut alternatives = Vec::new();
        if verdicts.iter().any(|verdict| *verdict != Some(false)) {
            alternatives.extend(self.alternatives(&conditional.then));
        }
        if verdicts.iter().any(|verdict| *verdict != Some(true)) {
            alternatives.extend(self.alternatives(&conditional.otherwise));
        }
        alternatives
    }

    /// Returns whether a type extends another one, or `None` if this is
    /// unknown.
    fn matches(&self, ty: &Type, pattern: &Type) -> Option<bool> {
        let patterns = self.alternatives(pattern);
        let is =
            |wanted: &dyn Fn(&Type) -> bool| patterns.iter().any(|pattern| wanted(&pattern.ty));
        match ty {
            Type::Literal(Literal::String(_)) => {
                Some(is(&|pattern| pattern == ty || *pattern == Type::String))
            }
            Type::Array(_) => Some(is(&|pattern| matches!(pattern, Type::Array(_)))),
            Type::Object(_) | Type::Any => None,
            ty => Some(is(&|pattern| pattern == ty)),
        }
    }
}

impl From<Type> for Alternative {
    fn from(ty: Type) -> Self {
        Self { name: None, ty }
    }
}

fn any() -> Vec<Alternative> {
    vec![Alternative::from(Type::Any)]
}

fn text(text: String) -> Type {
    Type::Literal(Literal::String(text))
}

fn optional(member: Member, optional: bool) -> Member {
    Member { optional, ..member }
}

/// Returns the intersection of two types, or `None` if it is empty.
fn both(one: &Type, other: &Type) -> Option<Type> {
    match (one, other) {
        (Type::Any, ty) | (ty, Type::Any) => Some(ty.clone()),
        (Type::Object(one), Type::Object(other)) => {
            let mut object = one.clone();
            for member in &other.members {
                match object
                    .members
                    .iter_mut()
                    .find(|known| known.name == member.name)
                {
                    Some(known) => {
                        known.optional &= member.optional;
                        known.value =
                            Type::Intersection(vec![known.value.clone(), member.value.clone()]);
                    }
                    None => object.members.push(member.clone()),
                }
            }
            object.index = object.index.or_else(|| other.index.clone());
            Some(Type::Object(object))
        }
        // The object is a brand, as in `string & {}`.
        (Type::Object(_), ty) | (ty, Type::Object(_)) => Some(ty.clone()),
        (Type::String, Type::Literal(Literal::String(_))) => Some(other.clone()),
        (Type::Literal(Literal::String(_)), Type::String) => Some(one.clone()),
        (one, other) => (one == other).then(|| one.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Vec<String> {
        let declarations =
            Declarations::read("a.d.ts", |file| (file == "a.d.ts").then(|| text.to_owned()))
                .expect("TypeScript");
        let root = declarations.root("Root").expect("declared");
        let mut found = Vec::new();
        for alternative in declarations.alternatives(&root) {
            let Type::Object(object) = alternative.ty else {
                found.push(format!("{:?}", alternative.ty));
                continue;
            };
            for member in object.members {
                let kinds: Vec<String> = declarations
                    .alternatives(&member.value)
                    .into_iter()
                    .map(|alternative| match alternative.ty {
                        Type::Literal(Literal::String(text)) => format!("'{text}'"),
                        Type::Array(_) => "[]".to_owned(),
                        Type::Object(_) => "{}".to_owned(),
                        ty => format!("{ty:?}").to_lowercase(),
                    })
                    .collect();
                let mark = if member.optional { "?" } else { "" };
                found.push(format!("{}{mark}: {}", member.name, kinds.join(" | ")));
            }
        }
        found
    }

    #[test]
    fn utility_types_are_carried_out() {
        let base = "type Boat = { name: string; crew?: number | null; flag: 'red' | 'blue' };";
        let root = |ty: &str| members(&format!("{base} type Root = {ty};"));
        assert_eq!(
            root("Omit<Boat, 'name' | 'flag'>"),
            ["crew?: number | null"]
        );
        assert_eq!(root("Pick<Boat, 'name'>"), ["name: string"]);
        assert_eq!(
            root("Required<Pick<Boat, 'crew'>>"),
            ["crew: number | null"]
        );
        assert_eq!(
            root("Partial<Record<'a' | 'b', Boat>>"),
            ["a?: {}", "b?: {}"]
        );
        assert_eq!(root("{ it: NonNullable<Boat['crew']> }"), ["it: number"]);
        assert_eq!(root("{ it: keyof Boat }"), ["it: 'name' | 'crew' | 'flag'"]);
    }

    #[test]
    fn a_mapped_type_keeps_what_is_optional_and_decides_by_key() {
        let text = "type Base = { a: string | null; b?: number | null };
            type Root = { [K in keyof Base]: K extends 'a' ? Base[K] : NonNullable<Base[K]> };";
        assert_eq!(members(text), ["a: string | null", "b?: number"]);
    }

    #[test]
    fn interfaces_and_intersections_are_merged() {
        let text = "interface Base { id?: string; kind: string }
            interface Child extends Base { kind: 'child' }
            type Root = Child & { id: string };";
        assert_eq!(members(text), ["id: string", "kind: 'child'"]);
    }

    #[test]
    fn generics_constants_and_what_is_foreign() {
        let text = "declare const COLOURS: readonly ['red', 'blue'];
            type Box<T, U = number> = { inside: T; weight: U };
            import type { Engine } from 'engines';
            type Root = Box<(typeof COLOURS)[number]> | Box<Engine, Array<string>>;";
        assert_eq!(
            members(text),
            [
                "inside: 'red' | 'blue'",
                "weight: number",
                "inside: any",
                "weight: []"
            ]
        );
    }
}
