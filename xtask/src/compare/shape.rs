//! The objects among the things that something can be, and what is said of
//! them.

use crate::declarations::{Alternative, Literal, Member, Object, Type};
use std::collections::{BTreeMap, BTreeSet};

/// One of the objects that something can be.
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

/// The members of all of these, each with the object that has it first. One
/// may be absent if it may be in any, or is not there.
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

/// A name and tags.
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

/// The texts that something is one of; `None` if it can be anything else.
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

/// An object of which nothing is known.
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

/// The kinds of JSON that something can be, in order.
pub(super) fn kinds(alternatives: &[Alternative]) -> String {
    let kinds: BTreeSet<&str> = alternatives.iter().map(|one| kind(&one.ty)).collect();
    match kinds.is_empty() {
        true => "nothing".to_owned(),
        false => kinds.into_iter().collect::<Vec<_>>().join(" | "),
    }
}
