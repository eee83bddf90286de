//! The contracts of stores for transcripts, by what they are about.

mod bed;
mod deletion;
mod keys;
mod lists;
mod order;
mod texts;
mod together;

use super::optional::Optional;
use agentwire::SessionStore;
pub(super) use bed::Bed;
use std::pin::Pin;

/// A contract: what a store has to do, and the test of it.
pub(super) struct Contract<S> {
    pub(super) name: &'static str,
    pub(super) needs: &'static [Optional],
    pub(super) check: fn(Bed<S>) -> Check,
}

type Check = Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! contracts {
    ($($module:ident: $($name:ident$([$($needs:ident)*])?)*;)*) => {
        /// The names of all contracts.
        pub(super) const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        /// All contracts.
        pub(super) fn all<S: SessionStore>() -> Vec<Contract<S>> {
            vec![$($(Contract {
                name: stringify!($name),
                needs: &[$($(Optional::$needs),*)?],
                check: |bed| Box::pin($module::$name(bed)),
            }),*),*]
        }
    };
}

// Fourteen have the names that they have in the conformance suite of the official Python SDK.
contracts! {
    order:
        append_then_load_returns_same_entries_in_same_order
        load_unknown_key_returns_none
        multiple_append_calls_preserve_call_order
        append_of_nothing_is_a_no_op
        a_long_transcript_comes_back_whole
        entries_that_are_sent_again_are_there_once_or_twice
        an_append_that_is_dropped_leaves_whole_entries;
    keys:
        subpath_keys_are_stored_independently_of_main
        project_key_isolation
        keys_that_look_alike_when_joined_are_kept_apart
        subpaths_below_others_are_kept_apart[Subpaths]
        unusual_keys_are_kept_apart;
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
        unusual_characters_come_back
        every_digit_comes_back
        unusual_members_come_back
        generated_characters_come_back
        long_entries_come_back;
    together:
        sessions_are_written_side_by_side
        readers_see_a_prefix_while_a_transcript_is_written;
}
