//! Gates: where a script waits for the test, and which of them are open.

use super::session::Scenario;
use std::collections::BTreeMap;

/// The gates of a scenario, and how they stand. A gate that is open stays
/// open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates(BTreeMap<String, Gate>);

#[derive(Debug, Clone, Copy, Default)]
struct Gate {
    is_open: bool,
    is_reached: bool,
}

/// No step of the scenario waits for such a gate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the scenario has no gate {name:?}; it has: {known}")]
#[non_exhaustive]
pub struct NoSuchGate {
    /// The name that was given.
    pub name: String,
    /// Those that there are, with commas between them.
    pub known: String,
}

impl Gates {
    pub(crate) fn of(scenario: &Scenario) -> Self {
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

    /// Whether there is such a gate.
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

    /// The script has come to a gate.
    pub(crate) fn reach(&mut self, name: &str) {
        if let Some(gate) = self.0.get_mut(name) {
            gate.is_reached = true;
        }
    }

    /// Whether a script that came to this gate may go on.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.0.get(name).is_none_or(|gate| gate.is_open)
    }

    /// Whether a script has come to this gate.
    #[cfg(feature = "model")]
    pub(crate) fn is_reached(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|gate| gate.is_reached)
    }

    /// Those that the script has come to and that are shut.
    pub(crate) fn shut(&self) -> impl Iterator<Item = &str> {
        let shut = |gate: &Gate| gate.is_reached && !gate.is_open;
        let gates = self.0.iter().filter(move |(_, gate)| shut(gate));
        gates.map(|(name, _)| name.as_str())
    }
}
