//! The content of a declaration file, as far as it describes JSON.

use std::collections::BTreeMap;

/// A type expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// `unknown`, `any`, and types that are not JSON: functions, symbols,
    /// classes.
    Any,
    /// `undefined`, `void`, `never`: no JSON value.
    Absent,
    /// `null`.
    Null,
    /// `boolean`.
    Boolean,
    /// `number`.
    Number,
    /// `string`, and template literals.
    String,
    /// `'text'`, `1`, `true`.
    Literal(Literal),
    /// `T[]`.
    Array(Box<Type>),
    /// `[A, B]`, without rest elements.
    Tuple(Vec<Type>),
    /// `{…}`.
    Object(Object),
    /// `A | B`.
    Union(Vec<Type>),
    /// `A & B`.
    Intersection(Vec<Type>),
    /// A name, with its type arguments.
    Named(Reference, Vec<Type>),
    /// A type parameter of the enclosing declaration.
    Parameter(String),
    /// `T[K]`.
    Indexed(Box<Type>, Box<Type>),
    /// `keyof T`.
    Keys(Box<Type>),
    /// `{ [K in Keys]: T }`.
    Mapped(Box<Mapped>),
    /// `A extends B ? C : D`.
    Conditional(Box<Conditional>),
    /// `typeof X` for a constant.
    TypeOf(Reference),
}

/// A literal type.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `'text'`.
    String(String),
    /// `1`.
    Number(f64),
    /// `true`.
    Boolean(bool),
}

/// `{…}`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Object {
    /// The members, in order.
    pub members: Vec<Member>,
    /// The type of members with any other name: `[key: string]: T`.
    pub index: Option<Box<Type>>,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The name of the member.
    pub name: String,
    /// The type of the member.
    pub value: Type,
    /// Whether the member may be absent.
    pub optional: bool,
}

/// `{ [parameter in keys]: value }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// The name of the parameter.
    pub parameter: String,
    /// The type of the keys.
    pub keys: Type,
    /// The type of each member.
    pub value: Type,
    /// Whether the members may be absent.
    pub optional: bool,
}

/// `check extends pattern ? then : otherwise`.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditional {
    /// The checked type.
    pub check: Type,
    /// The type that `check` must extend.
    pub pattern: Type,
    /// The type if `check` extends `pattern`.
    pub then: Type,
    /// The type otherwise.
    pub otherwise: Type,
}

/// A name, and its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// The index of the module.
    pub module: usize,
    /// The name, with dots if it is qualified.
    pub name: String,
}

/// A type alias or an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The type parameters, with their defaults.
    pub parameters: Vec<(String, Option<Type>)>,
    /// The declared type.
    pub body: Type,
}

/// A declaration file.
#[derive(Debug, Clone, Default)]
pub struct Module {
    /// The declared types by name.
    pub types: BTreeMap<String, Declaration>,
    /// The types of the constants by name.
    pub constants: BTreeMap<String, Type>,
    /// The imported names, by their local name.
    pub imports: BTreeMap<String, Import>,
    /// The files that are re-exported completely.
    pub stars: Vec<String>,
    /// The exported names that differ from the local names.
    pub aliases: BTreeMap<String, String>,
    /// The namespaces, which group names of the file.
    pub namespaces: Vec<String>,
}

/// A name from another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module specifier of the import.
    pub from: String,
    /// The name in the imported file, or `None` for the whole file.
    pub name: Option<String>,
}

impl Type {
    /// Calls `look` with this type and every type inside it.
    pub fn walk(&self, look: &mut impl FnMut(&Type)) {
        look(self);
        match self {
            Self::Any
            | Self::Absent
            | Self::Null
            | Self::Boolean
            | Self::Number
            | Self::String
            | Self::Literal(_)
            | Self::Parameter(_)
            | Self::TypeOf(_) => {}
            Self::Array(item) | Self::Keys(item) => item.walk(look),
            Self::Tuple(parts)
            | Self::Union(parts)
            | Self::Intersection(parts)
            | Self::Named(_, parts) => parts.iter().for_each(|part| part.walk(look)),
            Self::Object(object) => {
                object
                    .members
                    .iter()
                    .for_each(|member| member.value.walk(look));
                if let Some(index) = &object.index {
                    index.walk(look);
                }
            }
            Self::Indexed(object, key) => {
                object.walk(look);
                key.walk(look);
            }
            Self::Mapped(mapped) => {
                mapped.keys.walk(look);
                mapped.value.walk(look);
            }
            Self::Conditional(conditional) => {
                conditional.check.walk(look);
                conditional.pattern.walk(look);
                conditional.then.walk(look);
                conditional.otherwise.walk(look);
            }
        }
    }

    /// Returns this type, in which each parameter is replaced if `value`
    /// returns a type for it.
    #[must_use]
    pub fn with_parameters(&self, value: &impl Fn(&str) -> Option<Type>) -> Type {
        let all = |parts: &[Type]| {
            parts
                .iter()
                .map(|part| part.with_parameters(value))
                .collect::<Vec<_>>()
        };
        let boxed = |part: &Type| Box::new(part.with_parameters(value));
        match self {
            Self::Parameter(name) => value(name).unwrap_or_else(|| self.clone()),
            Self::Array(item) => Self::Array(boxed(item)),
            Self::Keys(item) => Self::Keys(boxed(item)),
            Self::Tuple(parts) => Self::Tuple(all(parts)),
            Self::Union(parts) => Self::Union(all(parts)),
            Self::Intersection(parts) => Self::Intersection(all(parts)),
            Self::Named(reference, parts) => Self::Named(reference.clone(), all(parts)),
            Self::Object(object) => Self::Object(Object {
                members: object
                    .members
                    .iter()
                    .map(|member| Member {
                        value: member.value.with_parameters(value),
                        ..member.clone()
                    })
                    .collect(),
                index: object.index.as_deref().map(boxed),
            }),
            Self::Indexed(object, key) => Self::Indexed(boxed(object), boxed(key)),
            Self::Mapped(mapped) => Self::Mapped(Box::new(Mapped {
                parameter: mapped.parameter.clone(),
                keys: mapped.keys.with_parameters(value),
                value: mapped.value.with_parameters(value),
                optional: mapped.optional,
            })),
            Self::Conditional(conditional) => Self::Conditional(Box::new(Conditional {
                check: conditional.check.with_parameters(value),
                pattern: conditional.pattern.with_parameters(value),
                then: conditional.then.with_parameters(value),
                otherwise: conditional.otherwise.with_parameters(value),
            })),
            _ => self.clone(),
        }
    }
}
