//! The contracts of logs, by topic.

mod deletion;
mod fixture;
mod keys;
mod lists;
mod order;
mod ownership;
mod texts;
mod writers;

use agentwire_stores::session_log::LogStore;
pub(super) use fixture::Fixture;
use std::pin::Pin;

/// A contract: its name and its test.
pub(super) struct Contract<S> {
    pub(super) name: &'static str,
    pub(super) check: fn(Fixture<S>) -> Check,
}

type Check = Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! contracts {
    ($($module:ident: $($name:ident)*;)*) => {
        /// The names of all contracts.
        pub(super) const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        /// Returns all contracts.
        pub(super) fn all<S: LogStore>() -> Vec<Contract<S>> {
            vec![$($(Contract {
                name: stringify!($name),
                check: |fixture| Box::pin($module::$name(fixture)),
            }),*),*]
        }
    };
}

contracts! {
    order:
        entries_are_read_in_the_order_of_appends
        an_unwritten_log_does_not_exist
        an_empty_batch_is_a_no_op
        the_parts_of_a_session_are_distinct_and_listed
        a_repeated_append_is_idempotent
        a_batch_is_only_appended_at_the_end
        positions_after_the_end_are_empty_and_refused
        a_long_log_is_read_completely
        a_cancelled_append_can_be_repeated;
    ownership:
        an_append_with_a_newer_token_takes_ownership
        a_stale_writer_is_refused_at_every_position
        writers_with_equal_token_numbers_are_distinct
        a_refusal_names_the_new_owner
        a_stale_writer_can_confirm_its_earlier_batch
        large_token_numbers_are_compared_or_an_error;
    writers:
        one_of_concurrent_appends_at_a_position_is_stored
        concurrent_owners_never_write_after_a_successor
        readers_see_a_prefix_while_a_log_is_written
        sessions_are_written_concurrently;
    deletion:
        a_deleted_log_has_no_entries_and_keeps_its_end
        a_token_cannot_be_used_after_its_log_is_deleted
        a_deletion_removes_all_parts_and_nothing_else
        a_stale_writer_cannot_delete
        a_deleted_log_accepts_a_newer_token
        a_batch_from_before_a_deletion_is_refused;
    lists:
        sessions_are_listed_by_project
        times_come_from_the_store
        a_summary_is_that_of_the_last_batch;
    keys:
        unusual_keys_are_distinct
        unusual_part_names_round_trip
        tenants_are_isolated;
    texts:
        unusual_texts_round_trip
        generated_texts_round_trip
        long_entries_round_trip
        batches_of_many_entries_round_trip;
}
