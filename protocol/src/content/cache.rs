//! Where and for how long the API may cache a prompt.

use crate::open::{object, open_enum};

object! {
    /// Where the API may cache the prompt.
    pub struct CacheControl {
        /// How: `ephemeral`.
        pub kind: CacheKind = "type",
        /// For how long; five minutes, when absent.
        pub ttl: Option<CacheTtl>,
    }
}

open_enum! {
    /// How the API caches a prompt.
    pub enum CacheKind {
        /// For minutes or an hour.
        Ephemeral = "ephemeral",
    }
}

open_enum! {
    /// How long something stays in the API's cache.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// An hour.
        OneHour = "1h",
    }
}

impl CacheControl {
    /// The API may cache the prompt up to here, for five minutes.
    #[must_use]
    pub fn ephemeral() -> Self {
        Self {
            kind: CacheKind::Ephemeral,
            ttl: None,
            extra: Default::default(),
        }
    }
}
