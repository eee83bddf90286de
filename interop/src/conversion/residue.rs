//! Residues of conversions.

use super::{Delta, Fingerprint};
use serde::{Deserialize, Serialize};

/// The part of a conversation that its output lacks. A residue belongs to its output. The groups of
/// edited pieces are refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Residue {
    /// The groups, in the order of the conversation.
    pub groups: Vec<Group>,
}

/// The residue of pieces that were converted together. The JSON is `{"made": […], "of": "…",
/// "back": […], "with": […], "signed": […], "delta": {…}}`. See [`Delta`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The fingerprints of the output. Empty if there is none.
    pub made: Vec<Fingerprint>,
    /// The fingerprint of the input, as a list of pieces.
    pub of: Fingerprint,
    /// The fingerprint and kind of each piece to which the output is converted back. They restore
    /// the unedited pieces of an edited group. Empty if pieces cannot be distinguished.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub back: Vec<(Fingerprint, String)>,
    /// The parts of an input piece that returned as several pieces, such as a line with several
    /// blocks. Each pair is the index of a further piece and of the first piece.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<(usize, usize)>,
    /// The fingerprints of signatures and of their thinking. Edited thinking loses its signature.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<(Fingerprint, Fingerprint)>,
    /// The delta from the returned pieces to the input. `None` if they are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}
