//! The contracts of stores for transcripts, by topic.

mod concurrency;
mod deletion;
mod fixture;
mod keys;
mod lists;
mod order;
mod texts;

use super::optional::Optional;
use agentwire::SessionStore;
pub(super) use fixture::Fixture;
use std::pin::Pin;

/// A contract: its name and its test.
pub(super) struct Contract<S> {
    pub(super) name: &'static str,
    pub(super) needs: &'static [Optional],
    pub(super) check: fn(Fixture<S>) -> Check,
}

type Check = Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! contracts {
    ($($module:ident: $($name:ident$([$($needs:ident)*])?)*;)*) => {
        /// The names of all contracts.
        pub(super) const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        /// Returns all contracts.
        pub(super) fn all<S: SessionStore>() -> Vec<Contract<S>> {
            vec![$($(Contract {
                name: stringify!($name),
                needs: &[$($(Optional::$needs),*)?],
                check: |fixture| Box::pin($module::$name(fixture)),
            }),*),*]
        }
    };
}

// The conformance suite of the official Python SDK has fourteen of these
// contracts, with the same names.
contracts! {
    order:
        append_then_load_returns_same_entries_in_same_order
        load_unknown_key_returns_none
        multiple_append_calls_preserve_call_order
        append_of_nothing_is_a_no_op
        a_long_transcript_is_loaded_completely
        repeated_entries_are_stored_once_or_twice
        a_cancelled_append_leaves_whole_entries;
    keys:
        subpath_keys_are_stored_independently_of_main
        project_key_isolation
        keys_that_are_equal_when_joined_are_distinct
        nested_subpaths_are_distinct[Subpaths]
        unusual_keys_are_distinct;
    lists:
        list_sessions_returns_session_ids_for_project[Sessions]
        list_sessions_excludes_subagent_subpaths[Sessions]
        list_subkeys_returns_subpaths[Subpaths]
        list_subkeys_excludes_main_transcript[Subpaths]
        list_session_summaries_returns_persisted_fold_output[Summaries]
        the_session_that_was_written_last_is_the_newest[Sessions];
    deletion:
        delete_main_then_load_returns_none[Delete]
        delete_main_cascades_to_subkeys[Delete]
        delete_with_subpath_removes_only_that_subkey[Delete];
    texts:
        unusual_characters_round_trip
        every_digit_is_preserved
        unusual_members_round_trip
        generated_characters_round_trip
        long_entries_round_trip;
    concurrency:
        sessions_are_written_concurrently
        readers_see_a_prefix_while_a_transcript_is_written;
}
