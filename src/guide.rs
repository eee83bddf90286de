//! The guide, chapter by chapter. It is documentation only: this module has no
//! items, and is not there in a build.
//!
//! | chapter | about |
//! |---|---|
//! | [`concepts`] | sessions, turns, delivery status, order, priorities, backpressure, callbacks, cancellation, errors |
//! | [`use_cases`] | what to start with for what you build |
//! | [`cookbook`] | recipes: a question, code that runs, what it prints |
//! | [`quiet`] | why is it quiet, and why is my callback not called |
//! | [`retries`] | overload, what to retry, fallback models |
//! | [`costs`] | what a session costs, and how to limit it |
//! | [`security`] | permissions, secrets, untrusted text and settings |
//! | [`testing`] | tests without a network |
//! | [`deployment`] | containers, signals, supervisors, memory |
//! | [`tenants`] | sessions for several users: homes, credentials, histories, what is shared |
//! | [`serving`] | sessions over HTTP: owners, disconnects, permission requests, shutdown |
//! | [`migration`] | from the official SDKs, name by name |
//! | [`upgrading`] | how versions are numbered |

/// Includes chapters. Links between chapters are references (`[Concepts]`), so
/// that they can lead to a module here and to a file in the book: of two
/// definitions the first counts.
macro_rules! chapters {
    ($($name:ident, $file:literal;)*) => {$(
        #[doc = "[Concepts]: crate::guide::concepts"]
        #[doc = "[Cookbook]: crate::guide::cookbook"]
        #[doc = "[Deployment]: crate::guide::deployment"]
        #[doc = "[Retries]: crate::guide::retries"]
        #[doc = "[Security]: crate::guide::security"]
        #[doc = "[Serving]: crate::guide::serving"]
        #[doc = "[Tenants]: crate::guide::tenants"]
        #[doc = "[Testing]: crate::guide::testing"]
        #[doc = "[quiet]: crate::guide::quiet"]
        #[doc = ""]
        #[doc = include_str!(concat!("../docs/guide/", $file))]
        // The examples need these features; without them they are no tests.
        #[cfg(any(not(doctest), all(feature = "mcp", feature = "view")))]
        pub mod $name {}
    )*};
}

chapters! {
    concepts, "concepts.md";
    use_cases, "use-cases.md";
    cookbook, "cookbook.md";
    quiet, "quiet.md";
    retries, "retries.md";
    costs, "costs.md";
    security, "security.md";
    testing, "testing.md";
    deployment, "deployment.md";
    tenants, "tenants.md";
    serving, "serving.md";
    migration, "migration.md";
    upgrading, "upgrading.md";
}
