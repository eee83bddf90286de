//! JSON Schema of the format, for editors and for other languages.

use super::session::Scenario;
use schemars::Schema;

/// JSON Schema (2020-12) of a scenario file. It stands in the folder `schema`
/// of this crate, where a test holds it against the types.
#[must_use]
pub fn schema() -> Schema {
    schemars::schema_for!(Scenario)
}
