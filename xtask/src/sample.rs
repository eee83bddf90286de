//! Generates values of declared types.

use crate::declarations::{Declarations, Literal, Object, Reference, Type};
use serde_json::{Map, Value, json};

/// Generates values of types. The values are the same in every run.
#[derive(Debug)]
pub struct Sampler<'a> {
    declarations: &'a Declarations,
    /// The declarations around the current value, from the outside to the
    /// inside.
    inside: Vec<Reference>,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler of these declarations.
    #[must_use]
    pub fn new(declarations: &'a Declarations) -> Self {
        Self {
            declarations,
            inside: Vec::new(),
        }
    }

    /// Returns values of a type. Every alternative, every literal and every
    /// member occurs in them at every depth. The first value is the smallest. A
    /// type that contains itself is sampled without the inner value. If the
    /// inner value is required, there are no values.
    pub fn values(&mut self, ty: &Type) -> Vec<Value> {
        let mut values = Vec::new();
        for alternative in self.declarations.alternatives(ty) {
            let Some(name) = alternative.name else {
                values.extend(self.plain(&alternative.ty));
                continue;
            };
            if !self.inside.contains(&name) {
                self.inside.push(name);
                values.extend(self.plain(&alternative.ty));
                self.inside.pop();
            }
        }
        values
    }

    fn plain(&mut self, ty: &Type) -> Vec<Value> {
        match ty {
            Type::Null => vec![Value::Null],
            Type::Boolean => vec![json!(true)],
            Type::Number => vec![json!(3)],
            Type::String => vec![json!("text")],
            Type::Literal(literal) => vec![literal_value(literal)],
            Type::Array(item) => {
                let items = self.values(item);
                match items.is_empty() {
                    true => vec![json!([])],
                    false => vec![json!([]), Value::Array(items)],
                }
            }
            Type::Tuple(items) => {
                let items: Vec<Option<Value>> = items
                    .iter()
                    .map(|item| self.values(item).into_iter().next())
                    .collect();
                items
                    .into_iter()
                    .collect::<Option<_>>()
                    .map(Value::Array)
                    .into_iter()
                    .collect()
            }
            Type::Object(object) => self.objects(object),
            _ => vec![json!({ "key": "text" })],
        }
    }

    fn objects(&mut self, object: &Object) -> Vec<Value> {
        let members: Vec<(&str, bool, Vec<Value>)> = object
            .members
            .iter()
            .map(|member| {
                let values = self.values(&member.value);
                (member.name.as_str(), member.optional, values)
            })
            .filter(|(_, optional, values)| !(*optional && values.is_empty()))
            .collect();
        // The type must contain itself, so it has no finite value.
        if members.iter().any(|(_, _, values)| values.is_empty()) {
            return vec![];
        }
        let others = match &object.index {
            Some(index) => self.values(index),
            None => vec![],
        };
        let required: Map<String, Value> = members
            .iter()
            .filter(|(_, optional, _)| !optional)
            .map(|(name, _, values)| ((*name).to_owned(), values[0].clone()))
            .collect();
        let rounds = members.iter().map(|(_, _, values)| values.len()).max();
        let mut objects = vec![required];
        for round in 0..rounds.unwrap_or(0) {
            let whole: Map<String, Value> = members
                .iter()
                .map(|(name, _, values)| {
                    let value = values.get(round).unwrap_or(&values[0]);
                    ((*name).to_owned(), value.clone())
                })
                .collect();
            if !objects.contains(&whole) {
                objects.push(whole);
            }
        }
        if !others.is_empty() {
            let mut whole = objects[objects.len() - 1].clone();
            for (number, value) in (1..).zip(others) {
                whole.insert(format!("key {number}"), value);
            }
            objects.push(whole);
        }
        objects.into_iter().map(Value::Object).collect()
    }
}

fn literal_value(literal: &Literal) -> Value {
    match literal {
        Literal::String(text) => json!(text),
        Literal::Boolean(boolean) => json!(boolean),
        #[expect(clippy::cast_possible_truncation, reason = "it has no fraction")]
        Literal::Number(number) if number.fract() == 0.0 => json!(*number as i64),
        Literal::Number(number) => json!(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<Value> {
        let declarations =
            Declarations::read("a.d.ts", |file| (file == "a.d.ts").then(|| text.to_owned()))
                .expect("TypeScript");
        let root = declarations.root("Root").expect("declared");
        Sampler::new(&declarations).values(&root)
    }

    #[test]
    fn the_smallest_comes_first_and_then_all_members() {
        assert_eq!(
            values("type Root = { a: 'x'; b?: number; c?: string | null };"),
            [
                json!({ "a": "x" }),
                json!({ "a": "x", "b": 3, "c": "text" }),
                json!({ "a": "x", "b": 3, "c": null }),
            ]
        );
    }

    #[test]
    fn every_literal_occurs_at_every_depth() {
        let values = values(
            "type Leaf = { kind: 'one'; size: 'small' | 'large' } | { kind: 'two' };
             type Root = { leaves: { leaf: Leaf }[] };",
        );
        assert_eq!(
            values,
            [
                json!({ "leaves": [] }),
                json!({ "leaves": [
                    { "leaf": { "kind": "one", "size": "small" } },
                    { "leaf": { "kind": "one", "size": "large" } },
                    { "leaf": { "kind": "two" } },
                ] }),
            ]
        );
    }

    #[test]
    fn what_contains_itself_ends() {
        assert_eq!(
            values("interface Root { name: string; children: Root[]; parent?: Root }"),
            [json!({ "name": "text", "children": [] })]
        );
        assert!(values("interface Root { again: Root }").is_empty());
    }

    #[test]
    fn an_open_object_has_members_of_other_names() {
        assert_eq!(
            values("type Root = { a: 1; [k: string]: number | boolean };"),
            [
                json!({ "a": 1 }),
                json!({ "a": 1, "key 1": 3, "key 2": true }),
            ]
        );
    }
}
