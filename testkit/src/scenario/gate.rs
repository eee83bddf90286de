//! The gates of a scenario and their states.

use super::session::Scenario;
use std::collections::BTreeMap;

/// The gates of a scenario. A gate stays open after it was opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates(BTreeMap<String, Gate>);

#[derive(Debug, Clone, Copy, Default)]
struct Gate {
    is_open: bool,
    is_reached: bool,
}

/// The error for a gate that the scenario does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the scenario has no gate {name:?}; it has: {known}")]
#[non_exhaustive]
pub struct NoSuchGate {
    /// The name of the gate.
    pub name: String,
    /// The names of the scenario's gates, separated by commas.
    pub known: String,
}

impl Gates {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let steps = scenario.every_reply().flat_map(|reply| &reply.say);
        let names = steps.filter_map(|step| step.gate_name());
        Self(
            names
                .map(|name| (name.to_owned(), Gate::default()))
                .collect(),
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that the scenario has a gate of this name.
    pub(crate) fn check(&self, name: &str) -> Result<(), NoSuchGate> {
        if self.0.contains_key(name) {
            return Ok(());
        }
        let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
        Err(NoSuchGate {
            name: name.to_owned(),
            known: known.join(", "),
        })
    }

    /// Opens a gate.
    pub(crate) fn open(&mut self, name: &str) -> Result<(), NoSuchGate> {
        self.check(name)?;
        self.0.entry(name.to_owned()).or_default().is_open = true;
        Ok(())
    }

    /// Records that the script has reached a gate.
    pub(crate) fn reach(&mut self, name: &str) {
        if let Some(gate) = self.0.get_mut(name) {
            gate.is_reached = true;
        }
    }

    /// Returns whether the script may pass this gate.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.0.get(name).is_none_or(|gate| gate.is_open)
    }

    /// Returns whether the script has reached this gate.
    #[cfg(feature = "model")]
    pub(crate) fn is_reached(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|gate| gate.is_reached)
    }

    /// Returns the gates at which the script waits.
    pub(crate) fn shut(&self) -> impl Iterator<Item = &str> {
        let shut = |gate: &Gate| gate.is_reached && !gate.is_open;
        let gates = self.0.iter().filter(move |(_, gate)| shut(gate));
        gates.map(|(name, _)| name.as_str())
    }
}
