//! What earlier versions of the CLI, and others, could do.

use super::Config;
use serde::{Deserialize, Serialize};

/// A version whose behaviour was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Profile {
    /// 2.0.77: a request that it does not know gets no answer at all, and the
    /// answers to `interrupt` and `set_model` are empty.
    #[serde(rename = "2.0.77")]
    V2_0_77,
    /// 2.1.197: the answers to `interrupt` and `set_model` are empty.
    #[serde(rename = "2.1.197")]
    V2_1_197,
    /// 2.1.330, which is what the agent is by default.
    #[serde(rename = "2.1.330")]
    V2_1_330,
    /// One that minds no priorities: it runs messages one by one, and tells
    /// neither what becomes of them nor what it is doing.
    #[serde(rename = "no-queue")]
    NoQueue,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::V2_0_77, Self::V2_1_197, Self::V2_1_330, Self::NoQueue];

    /// Its name: a version, or `no-queue`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V2_0_77 => "2.0.77",
            Self::V2_1_197 => "2.1.197",
            Self::V2_1_330 => "2.1.330",
            Self::NoQueue => "no-queue",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Has an agent do what this version does.
    pub fn apply(self, config: &mut Config) {
        if self != Self::NoQueue {
            config.version = self.name().to_owned();
        }
        config.answers_unknown = self != Self::V2_0_77;
        config.has_receipts = !matches!(self, Self::V2_0_77 | Self::V2_1_197);
        if self == Self::NoQueue {
            config.has_queue = false;
            config.session_states = false;
        }
    }
}
