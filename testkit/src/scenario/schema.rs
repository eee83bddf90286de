//! JSON Schema of the format, for editors and for other languages.

use super::Scenario;
use agentwire_protocol::agent::Profile;
use schemars::{Schema, SchemaGenerator, json_schema};

/// JSON Schema (2020-12) of a scenario file. It stands in the folder `schema`
/// of this crate, where a test holds it against the types.
#[must_use]
pub fn schema() -> Schema {
    schemars::schema_for!(Scenario)
}

/// The names of the profiles, or nothing.
pub(super) fn profile(_: &mut SchemaGenerator) -> Schema {
    let mut names: Vec<_> = Profile::ALL.map(|it| Some(it.name())).into();
    names.push(None);
    json_schema!({ "enum": names })
}
