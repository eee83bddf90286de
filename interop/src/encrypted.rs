//! Data that only another system can decrypt.

use agentwire_protocol::open::{Constant, Error, Field, Form, Own, Reader, Slot};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Reasoning that an API encrypted. `Debug` does not print it. It is not a signature of thinking.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encrypted(String);

impl Encrypted {
    /// Wraps the data of an API.
    pub fn new(data: impl Into<String>) -> Self {
        Self(data.into())
    }

    /// Returns the data, which can be sent back to the API.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Own for Encrypted {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        self.0 = reader.value()?;
        Ok(())
    }

    fn content(&self) -> Form<'_> {
        Form::Text(&self.0)
    }
}

impl Field for Encrypted {
    fn form(&self) -> Form<'_> {
        Form::Own(self)
    }

    fn slot(&mut self) -> Slot<'_> {
        Slot::Own(self)
    }

    fn fresh() -> Self {
        Self::EMPTY
    }
}

impl Constant for Encrypted {
    const EMPTY: Self = Self(String::new());
}

agentwire_protocol::if_audit! {
    impl agentwire_protocol::Untyped for Encrypted {
        fn collect_untyped(&self, _: &mut agentwire_protocol::Pointer, _: &mut Vec<String>) {}
    }
}

agentwire_protocol::if_schema! {
    impl agentwire_protocol::schema::schemars::JsonSchema for Encrypted {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Encrypted".into()
        }

        fn json_schema(generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator) -> agentwire_protocol::schema::schemars::Schema {
            generator.subschema_for::<String>()
        }
    }
}
