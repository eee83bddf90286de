//! What of a conversation is not in what it became.

use super::{Delta, Fingerprint};
use serde::{Deserialize, Serialize};

/// What of a conversation is not in what it became, kept apart from it.
///
/// It has what the other system has no place for, and nothing of what is
/// there. A residue belongs to what was made with it: for a piece that was
/// edited since, its part is refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Residue {
    /// Its parts, in the order of the conversation.
    pub groups: Vec<Group>,
}

/// The part of a residue for pieces that were converted together. As JSON:
/// `{"made": […], "of": "…", "back": […], "with": […], "signed": […], "delta": {…}}`, see
/// [`Delta`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The fingerprints of the pieces that were made. Where there are none,
    /// nothing of the original is in what was made.
    pub made: Vec<Fingerprint>,
    /// The fingerprint of the original, as a list of pieces.
    pub of: Fingerprint,
    /// What comes back without the delta, each piece by its fingerprint and its kind:
    /// of an edited group, the pieces that were not edited are restored. Nothing,
    /// where it cannot be told which piece is made of which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub back: Vec<(Fingerprint, String)>,
    /// Of a piece that was made of several which came back, such as a line with several
    /// blocks: each of the others, and the one that it is made of, by their indices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<(usize, usize)>,
    /// The fingerprints of signatures, each with that of the thinking that it signs:
    /// thinking that is edited loses its signature.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<(Fingerprint, Fingerprint)>,
    /// How the original is made of what comes back without it. Nothing, when
    /// that is the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}
