//! The JSON Schema of the scenario format.

use super::session::Scenario;
use schemars::Schema;

/// Returns the JSON Schema (2020-12) of a scenario file.
#[must_use]
pub fn schema() -> Schema {
    schemars::schema_for!(Scenario)
}
