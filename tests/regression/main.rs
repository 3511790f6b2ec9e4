//! Every bug that was found, a file per cause, named after it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod a_branch_that_did_nothing_made_an_object;
mod a_lenient_move_lost_its_value;
mod a_move_that_became_two_operations_was_longer_than_its_array;
mod a_moves_target_was_not_there_before_the_removal;
mod a_position_past_all_strings_overflowed;
mod a_schema_let_nobody_keep_an_item;
mod a_schema_of_any_depth_was_endless;
mod a_schema_took_one_index_for_all;
mod a_segment_was_an_index_to_all_pointers_or_to_none;
mod a_splice_asked_for_endless_removals;
mod a_stored_revision_had_no_next;
mod a_value_moved_into_its_holders_place_was_not_taken_back;
mod conversions_were_one_unit_off;
mod copies_doubled_a_document_without_end;
mod growth_as_a_whole_value_was_longer_than_its_array;
mod large_changes_left_more_chunks_than_went;
mod logged_strings_were_not_checked;
mod removals_of_all_items_were_told_one_by_one;
mod twins_inside_raw_text_were_kept;
mod two_stored_names_became_one;
mod what_a_view_hides_was_in_a_requests_patch;
mod writes_were_derived_within_other_limits;
