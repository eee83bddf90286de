//! The behaviour of other versions of the CLI.

use serde::{Deserialize, Serialize};

/// A version of the CLI, as measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Profile {
    /// 2.0.77. Unsupported requests get no response, the responses to
    /// `interrupt` and `set_model` are empty, and there is no prompt queue.
    #[serde(rename = "2.0.77")]
    V2_0_77,
    /// 2.1.197. The responses to `interrupt` and `set_model` are empty. Session
    /// states are sent only if they are not meant for the host alone.
    #[serde(rename = "2.1.197")]
    V2_1_197,
    /// 2.1.332: the default.
    #[serde(rename = "2.1.332")]
    V2_1_332,
    /// An agent without a prompt queue: it ignores priorities, runs messages
    /// one by one, and reports neither the delivery status of messages nor
    /// session states.
    #[serde(rename = "no-queue")]
    NoQueue,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 4] = [Self::V2_0_77, Self::V2_1_197, Self::V2_1_332, Self::NoQueue];

    /// Returns the name: a version, or `no-queue`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V2_0_77 => "2.0.77",
            Self::V2_1_197 => "2.1.197",
            Self::V2_1_332 => "2.1.332",
            Self::NoQueue => "no-queue",
        }
    }

    /// Returns whether a resumed session continues with its usage, and `/clear`
    /// begins a new one.
    pub(crate) fn stores_usage(self) -> bool {
        !matches!(self, Self::V2_0_77 | Self::V2_1_197)
    }

    /// Returns the profile with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}
