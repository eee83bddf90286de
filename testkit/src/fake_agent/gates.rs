//! Opens gates when files appear in a directory.

use super::environment::{GATES, ScriptError};
use super::player::Player;
use crate::scenario::Scenario;
use crate::scenario::gate::Gates;
use crate::scenario::gate_name::REACHED;
use std::io;
use std::path::PathBuf;
use std::process::exit;
use std::time::{Duration, Instant};

/// The interval between checks of the directory while the script waits at a
/// gate.
pub(super) const PERIOD: Duration = Duration::from_millis(2);

/// The directory of gates.
#[derive(Debug)]
pub(super) struct GateFolder(PathBuf);

impl GateFolder {
    /// Opens the directory that the environment names.
    pub(super) fn from_environment(scenario: &Scenario) -> Result<Self, ScriptError> {
        let folder = PathBuf::from(std::env::var_os(GATES).unwrap_or_default());
        if Gates::new(scenario).is_empty() || folder.is_dir() {
            Ok(Self(folder))
        } else {
            Err(ScriptError::NoGates)
        }
    }

    /// Opens the gates whose files exist.
    ///
    /// Exits if the directory was removed, so that an agent does not outlive its
    /// test.
    pub(super) fn open(&self, player: &mut Player, now: Instant) {
        let shut: Vec<String> = player.shut_gates().map(str::to_owned).collect();
        if !shut.is_empty() && !self.0.is_dir() {
            exit(1);
        }
        for gate in shut {
            if self.0.join(&gate).exists() {
                // A gate that the script has reached always exists.
                drop(player.open(now, &gate));
            }
        }
    }

    /// Creates the file that marks a gate as reached.
    pub(super) fn mark_reached(&self, gate: &str) -> io::Result<()> {
        std::fs::write(self.0.join(format!("{gate}{REACHED}")), "")
    }
}
