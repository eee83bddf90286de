//! Merging a stored transcript with the agent's own file.

use super::EntryHead;
use agentwire_protocol::Json;
use agentwire_protocol::sorted::SortedMap;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::mem;

/// A merged transcript.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    /// All entries.
    pub(crate) entries: Vec<Json>,
    /// The number of entries at the end that the store lacks.
    pub(crate) behind: usize,
    /// The number of entries in between that the store lacks. They cannot be added: a store only
    /// appends.
    pub(crate) holes: usize,
    /// The number of local entries that are omitted, because the session has continued elsewhere
    /// without them.
    pub(crate) diverged: usize,
}

/// Merges both. The store wins if they contradict each other.
pub(crate) fn merge(stored: Vec<Json>, local: Vec<Json>) -> Merged {
    let uuids = |entries: &[Json]| -> Vec<Option<String>> {
        let uuids = entries.iter().map(|it| EntryHead::of(it)?.uuid);
        uuids.collect()
    };
    let (of_stored, of_local) = (uuids(&stored), uuids(&local));
    let known: HashMap<&str, usize> = (of_stored.iter().enumerate())
        .filter_map(|(at, uuid)| Some((uuid.as_deref()?, at)))
        .collect();
    let is_known = |uuid: &Option<String>| {
        let uuid = uuid.as_deref();
        uuid.is_some_and(|uuid| known.contains_key(uuid))
    };
    let of_file: HashSet<&str> = of_local.iter().filter_map(|it| it.as_deref()).collect();
    let common = of_local.iter().rposition(is_known);
    let tail = common.map_or(0, |at| at + 1);
    let has_uuid = |uuids: &[Option<String>]| uuids.iter().filter(|it| it.is_some()).count();
    let is_elsewhere = match common {
        // They have no entry in common, or no `uuid` to compare.
        None => has_uuid(&of_stored) > 0,
        Some(_) => {
            let last = of_stored.iter().rposition(|uuid| {
                let uuid = uuid.as_deref();
                uuid.is_some_and(|uuid| of_file.contains(uuid))
            });
            let rest = last.map_or(0, |at| at + 1);
            has_uuid(&of_stored[rest..]) > 0
        }
    };
    // A local entry between stored ones is inserted after its local predecessor.
    let mut inserted = SortedMap::<Option<usize>, Vec<Json>>::new();
    let (mut holes, mut diverged, mut behind, mut added) = (0, 0, None, Vec::new());
    let texts: HashSet<&str> = stored.iter().map(Json::get).collect();
    let is_metadata = |entry: &Json| EntryHead::of(entry).is_some_and(|it| it.is_metadata());
    let has_metadata = stored.iter().any(is_metadata);
    // Entries without a `uuid` are compared by text.
    let is_there = |entry: &Json| texts.contains(entry.get()) || has_metadata && is_metadata(entry);
    for (at, (entry, uuid)) in local.iter().zip(&of_local).enumerate() {
        let place = uuid.as_deref().and_then(|uuid| known.get(uuid));
        if let Some(place) = place {
            behind = Some(*place);
        } else if at >= tail {
            if is_elsewhere {
                diverged += usize::from(uuid.is_some());
                continue;
            }
            if uuid.is_some() || !is_there(entry) {
                added.push(entry.clone());
            }
        } else if uuid.is_some() {
            holes += 1;
            let inserted = inserted.get_or_insert_with(behind, Vec::new);
            inserted.push(entry.clone());
        }
    }
    let behind = added.len();
    let mut entries = inserted.get_mut(&None).map(mem::take).unwrap_or_default();
    for (at, entry) in stored.into_iter().enumerate() {
        entries.push(entry);
        if let Some(inserted) = inserted.get_mut(&Some(at)) {
            entries.append(inserted);
        }
    }
    entries.extend(added);
    Merged {
        entries,
        behind,
        holes,
        diverged,
    }
}

/// Returns the `uuid` of the first entry whose parent is missing.
pub(crate) fn hole(entries: &[Json]) -> Option<String> {
    let links: Vec<Link> = entries.iter().filter_map(|it| it.read().ok()).collect();
    let known: HashSet<&str> = links.iter().filter_map(|it| it.uuid.as_deref()).collect();
    let mut holes = links.iter().filter(|it| {
        let parent = it.parent.as_deref();
        parent.is_some_and(|parent| !known.contains(parent))
    });
    holes.find_map(|it| it.uuid.clone())
}

/// The position of an entry in the conversation.
#[derive(Debug, Deserialize)]
struct Link {
    uuid: Option<String>,
    #[serde(rename = "parentUuid")]
    parent: Option<String>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Entries: a letter is an entry with that `uuid`, a digit is an entry without one.
    fn entries(letters: &str) -> Vec<Json> {
        let entry = |letter: char| {
            Json::of_text(match letter {
                'm' => r#"{"type":"agent_metadata","agentType":"x"}"#.to_owned(),
                '0'..='9' => format!(r#"{{"type":"mode","mode":"{letter}"}}"#),
                _ => format!(r#"{{"type":"user","uuid":"{letter}"}}"#),
            })
        };
        letters.chars().map(entry).collect()
    }

    #[test]
    fn local_entries_are_merged_unless_they_diverge() {
        // The stored and local entries; then the merged entries, and how many are missing at the
        // end, missing in between, and diverged.
        for (stored, local, all, behind, holes, diverged) in [
            ("", "", "", 0, 0, 0),
            ("abc", "", "abc", 0, 0, 0),
            ("", "abc", "abc", 3, 0, 0),
            ("abc", "abc", "abc", 0, 0, 0),
            ("abc", "abcde", "abcde", 2, 0, 0),
            // The file is outdated.
            ("abcde", "abc", "abcde", 0, 0, 0),
            ("abcde", "abcxy", "abcde", 0, 0, 2),
            ("abc", "xyz", "abc", 0, 0, 3),
            ("acd", "abcd", "abcd", 0, 1, 0),
            ("bd", "abcde", "abcde", 1, 2, 0),
            // A rewind that only the file has.
            ("abxc", "abcd", "abxcd", 1, 0, 0),
            // Entries without a `uuid`.
            ("a1b2", "a1b2", "a1b2", 0, 0, 0),
            ("a1b2", "a1b23c4", "a1b23c4", 3, 0, 0),
            ("a1b23", "a1b23c", "a1b23c", 1, 0, 0),
            ("12", "123", "123", 1, 0, 0),
            // Metadata of a sub-agent is not in its file.
            ("mab", "mabc", "mabc", 1, 0, 0),
        ] {
            let merged = merge(entries(stored), entries(local));
            let expected = Merged {
                entries: entries(all),
                behind,
                holes,
                diverged,
            };
            assert_eq!(merged, expected, "{stored} and {local}");
        }
    }

    fn uuids(entries: &[Json]) -> Vec<String> {
        let uuids = entries.iter().filter_map(|it| EntryHead::of(it)?.uuid);
        uuids.collect()
    }

    /// Returns whether `all` contains `some` in this order.
    fn is_in(some: &[String], all: &[String]) -> bool {
        let mut all = all.iter();
        some.iter().all(|it| all.any(|other| other == it))
    }

    proptest! {
        /// A session whose store loses entries, and which continues on one machine or on two.
        #[test]
        fn merging_loses_only_diverged_entries(
            reported in prop::collection::vec(prop::bool::weighted(0.8), 0..12),
            lost in prop::collection::vec(prop::bool::weighted(0.2), 12),
            behind in 0..12_usize,
            elsewhere in prop::option::of(1..4_usize),
            old in 0..4_usize,
        ) {
            let entry = |name: String, has_uuid: bool| match has_uuid {
                true => Json::of_text(format!(r#"{{"uuid":"{name}"}}"#)),
                false => Json::of_text(format!(r#"{{"mode":"{name}"}}"#)),
            };
            let local: Vec<Json> = (reported.iter().enumerate())
                .map(|(at, has_uuid)| entry(at.to_string(), *has_uuid))
                .collect();
            let known = local.len().saturating_sub(behind);
            let mut stored: Vec<Json> = (local[..known].iter().zip(&lost))
                .filter(|(_, lost)| !**lost)
                .map(|(entry, _)| entry.clone())
                .collect();
            let added = elsewhere.unwrap_or_default();
            stored.extend((0..added).map(|at| entry(format!("e{at}"), true)));
            // The file may be older than the session's last move.
            let local = &local[..local.len() - old.min(local.len())];
            let merged = merge(stored.clone(), local.to_vec());

            let all = uuids(&merged.entries);
            let distinct: HashSet<&String> = all.iter().collect();
            prop_assert_eq!(distinct.len(), all.len());
            prop_assert!(is_in(&uuids(&stored), &all));
            if merged.diverged > 0 {
                // An old file of a session with holes looks the same.
                prop_assert!(added + old > 0);
                prop_assert_eq!(merged.behind, 0);
            } else if added == 0 {
                prop_assert!(is_in(&uuids(local), &all));
                let lacked = uuids(local).iter().filter(|it| !uuids(&stored).contains(it)).count();
                let at_end = &merged.entries[merged.entries.len() - merged.behind..];
                prop_assert_eq!(uuids(at_end).len() + merged.holes, lacked);
                // After the missing entries are appended, only holes remain.
                let after: Vec<Json> = stored.iter().chain(at_end).cloned().collect();
                let again = merge(after, local.to_vec());
                prop_assert_eq!((again.behind, again.holes), (0, merged.holes));
            }
        }
    }

    #[test]
    fn a_missing_parent_is_a_hole() {
        let entry = |uuid: &str, parent: &str| {
            Json::of_text(format!(r#"{{"uuid":"{uuid}","parentUuid":{parent}}}"#))
        };
        let a = entry("a", "null");
        let other = Json::of_text(r#"{"type":"mode"}"#);
        let whole = [a.clone(), other, entry("b", r#""a""#), entry("c", r#""b""#)];
        assert_eq!(hole(&whole), None);
        assert_eq!(hole(&whole[1..]).as_deref(), Some("b"));
        assert_eq!(hole(&[a, entry("c", r#""b""#)]).as_deref(), Some("c"));
    }
}
