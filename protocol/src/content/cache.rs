//! Breakpoints and lifetimes for the API's prompt cache.

use crate::open::{object, open_enum};

object! {
    /// A cache breakpoint for the prompt.
    pub struct CacheControl {
        /// The kind of caching.
        pub kind: CacheKind = "type",
        /// The lifetime; the default is five minutes.
        pub ttl: Option<CacheTtl>,
    }
}

open_enum! {
    /// How the API caches a prompt.
    pub enum CacheKind {
        /// The prompt is cached for minutes or an hour.
        Ephemeral = "ephemeral",
    }
}

open_enum! {
    /// The lifetime of an entry in the API's cache.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// An hour.
        OneHour = "1h",
    }
}

impl CacheControl {
    /// Creates a cache breakpoint with the default lifetime of five minutes.
    #[must_use]
    pub fn ephemeral() -> Self {
        Self {
            kind: CacheKind::Ephemeral,
            ttl: None,
            extra: Default::default(),
        }
    }
}
