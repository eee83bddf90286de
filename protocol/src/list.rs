//! Lists of strings as arguments.

use std::fmt;

/// A list of strings as an argument. It is created from an array of `&str`,
/// which may be empty; from a vector, a slice or a reference to an array of
/// values that can be displayed; or by collecting an iterator.
///
/// An `impl IntoIterator<Item = impl ToString>` would accept more types, but
/// not `[]`, whose items have no type.
///
/// ```
/// use agentwire_protocol::StringList;
/// use agentwire_protocol::agent_definition::AgentDefinition;
///
/// let agent = AgentDefinition::new("Reviews code", "You review code.");
/// let reader = agent.clone().tools(["Read", "Grep"]);
/// let thinker = agent.clone().tools([]);
/// let configured = agent.clone().tools(&[String::from("Read")]);
/// let found = agent.tools("Read Grep".split(' ').collect::<StringList>());
/// # assert_eq!(thinker.tools, Some(vec![]));
/// # assert_eq!(configured.tools, Some(vec!["Read".to_owned()]));
/// # assert_eq!(found.tools, reader.tools);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StringList(Vec<String>);

impl StringList {
    fn of<S: ToString>(items: impl IntoIterator<Item = S>) -> Self {
        Self(items.into_iter().map(|item| item.to_string()).collect())
    }
}

/// Converts an array. This is the only implementation for arrays, so that the
/// type of `[]` is known.
impl<const N: usize> From<[&str; N]> for StringList {
    fn from(items: [&str; N]) -> Self {
        Self::of(items)
    }
}

impl<S: fmt::Display> From<Vec<S>> for StringList {
    fn from(items: Vec<S>) -> Self {
        Self::of(items)
    }
}

impl<S: fmt::Display> From<&Vec<S>> for StringList {
    fn from(items: &Vec<S>) -> Self {
        Self::of(items)
    }
}

impl<S: fmt::Display> From<&[S]> for StringList {
    fn from(items: &[S]) -> Self {
        Self::of(items)
    }
}

impl<S: fmt::Display, const N: usize> From<&[S; N]> for StringList {
    fn from(items: &[S; N]) -> Self {
        Self::of(items)
    }
}

impl<S: fmt::Display> FromIterator<S> for StringList {
    fn from_iter<I: IntoIterator<Item = S>>(items: I) -> Self {
        Self::of(items)
    }
}

impl IntoIterator for StringList {
    type Item = String;
    type IntoIter = std::vec::IntoIter<String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<StringList> for Vec<String> {
    fn from(list: StringList) -> Self {
        list.0
    }
}
