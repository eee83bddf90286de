//! The contracts of logs, by what they are about.

mod bed;
mod deletion;
mod keys;
mod lists;
mod order;
mod ownership;
mod texts;
mod writers;

use agentwire_stores::session_log::LogStore;
pub(super) use bed::Bed;
use std::pin::Pin;

/// A contract: what a store has to do, and the test of it.
pub(super) struct Contract<S> {
    pub(super) name: &'static str,
    pub(super) check: fn(Bed<S>) -> Check,
}

type Check = Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! contracts {
    ($($module:ident: $($name:ident)*;)*) => {
        /// The names of all contracts.
        pub(super) const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        /// All contracts.
        pub(super) fn all<S: LogStore>() -> Vec<Contract<S>> {
            vec![$($(Contract {
                name: stringify!($name),
                check: |bed| Box::pin($module::$name(bed)),
            }),*),*]
        }
    };
}

contracts! {
    order:
        what_is_appended_comes_back_in_its_order
        a_log_that_was_never_written_is_none
        a_batch_without_entries_is_nothing
        the_parts_of_a_session_are_kept_apart_and_listed
        a_batch_that_is_appended_again_is_the_same_batch
        a_batch_goes_behind_the_end_or_nowhere
        a_position_that_no_log_reaches_is_nothing
        a_long_log_comes_back_whole
        an_append_that_is_dropped_can_be_made_again;
    ownership:
        a_log_is_taken_over_by_an_append
        a_stale_writer_is_refused_at_every_position
        two_writers_with_one_number_are_told_apart
        an_owner_is_told_to_whom_the_log_went
        what_a_stale_writer_appended_before_is_still_its_batch
        tokens_with_large_numbers_are_compared_or_an_error;
    writers:
        of_writers_at_one_position_one_is_kept
        of_many_owners_none_writes_behind_another
        readers_see_a_prefix_while_a_log_is_written
        sessions_are_written_side_by_side;
    deletion:
        a_deleted_log_has_no_entries_and_keeps_its_end
        the_token_of_a_deleted_log_is_spent
        a_deletion_takes_all_parts_and_nothing_else
        a_stale_writer_deletes_nothing
        a_deleted_log_goes_on_with_a_newer_token
        a_batch_from_before_a_deletion_is_refused;
    lists:
        sessions_are_listed_by_project
        times_are_those_of_the_store
        a_summary_is_that_of_the_last_batch;
    keys:
        odd_keys_are_kept_apart
        odd_names_of_parts_come_back
        tenants_see_nothing_of_each_other;
    texts:
        odd_texts_come_back
        generated_texts_come_back
        long_entries_come_back
        batches_of_many_entries_come_back;
}
