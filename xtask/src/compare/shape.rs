//! The objects among the alternatives of a type, and their descriptions.

use crate::declarations::{Alternative, Literal, Member, Object, Type};
use std::collections::{BTreeMap, BTreeSet};

/// An object that is an alternative of a type.
pub(super) struct Shape {
    pub(super) name: Option<String>,
    pub(super) object: Object,
}

pub(super) fn shapes(alternatives: Vec<Alternative>) -> Vec<Shape> {
    alternatives
        .into_iter()
        .filter_map(|one| match one.ty {
            Type::Object(object) => Some(Shape {
                name: one.name.map(|name| name.name),
                object,
            }),
            _ => None,
        })
        .collect()
}

/// Returns the members of all these objects, each with the name of the first
/// object that has it. A member may be absent if it may be absent in one of the
/// objects, or is missing in one.
pub(super) fn merged(shapes: &[Shape]) -> BTreeMap<String, (Option<String>, Member)> {
    let mut members: BTreeMap<String, (Option<String>, Member)> = BTreeMap::new();
    for shape in shapes {
        for member in &shape.object.members {
            match members.get_mut(&member.name) {
                Some((_, known)) => {
                    known.optional |= member.optional;
                    known.value = Type::Union(vec![known.value.clone(), member.value.clone()]);
                }
                None => {
                    members.insert(member.name.clone(), (shape.name.clone(), member.clone()));
                }
            }
        }
    }
    for (name, (_, member)) in &mut members {
        member.optional |= shapes.iter().any(|shape| {
            shape
                .object
                .members
                .iter()
                .all(|member| member.name != *name)
        });
    }
    members
}

/// Returns the name and the tags of an object.
pub(super) fn describe(shape: &Shape, texts: impl Fn(&Type) -> Option<BTreeSet<String>>) -> String {
    let tags: Vec<String> = shape
        .object
        .members
        .iter()
        .filter_map(|member| {
            let texts = texts(&member.value)?;
            let only = texts.first().filter(|_| texts.len() == 1)?;
            Some(format!("{}: \"{only}\"", member.name))
        })
        .collect();
    let name = shape.name.as_deref().unwrap_or("object");
    match tags.is_empty() {
        true => name.to_owned(),
        false => format!("{name} {{ {} }}", tags.join(", ")),
    }
}

/// Returns the texts that a type allows, or `None` if it also allows other
/// values.
pub(super) fn texts(alternatives: &[Alternative]) -> Option<BTreeSet<String>> {
    alternatives
        .iter()
        .filter(|one| one.ty != Type::Null)
        .map(|one| match &one.ty {
            Type::Literal(Literal::String(text)) => Some(text.clone()),
            _ => None,
        })
        .collect::<Option<BTreeSet<_>>>()
        .filter(|texts| !texts.is_empty())
}

/// Returns whether nothing is known about an object.
pub(super) fn is_anything(object: &Object) -> bool {
    object.members.is_empty()
        && object
            .index
            .as_deref()
            .is_none_or(|index| *index == Type::Any)
}

pub(super) fn is_any_object(ty: &Type) -> bool {
    matches!(ty, Type::Null) || matches!(ty, Type::Object(object) if is_anything(object))
}

pub(super) fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Null => "null",
        Type::Boolean | Type::Literal(Literal::Boolean(_)) => "boolean",
        Type::Number | Type::Literal(Literal::Number(_)) => "number",
        Type::String | Type::Literal(Literal::String(_)) => "string",
        Type::Array(_) | Type::Tuple(_) => "array",
        Type::Object(_) => "object",
        _ => "anything",
    }
}

/// Returns the kinds of JSON that a type allows, in order.
pub(super) fn kinds(alternatives: &[Alternative]) -> String {
    let kinds: BTreeSet<&str> = alternatives.iter().map(|one| kind(&one.ty)).collect();
    match kinds.is_empty() {
        true => "nothing".to_owned(),
        false => kinds.into_iter().collect::<Vec<_>>().join(" | "),
    }
}
