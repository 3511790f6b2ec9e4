import { expect, test } from "vitest";
// @ts-expect-error: a script has no types.
import { isPanic } from "../../../scripts/panics.mjs";

// As wasm-bindgen writes them, for which `scripts/optimise.mjs` looks.
test("only the standard library's ways to panic become traps", () => {
  const panics = [
    "core[6ae3d4dda3ae1b7e]::panicking::panic_fmt",
    "core::panicking::panic_bounds_check",
    "core[6ae3]::option::unwrap_failed",
    "core[6ae3]::slice::index::slice_index_fail",
    "<core[6ae3]::slice::copy_from_slice_impl>::len_mismatch_fail",
    "alloc[7c01]::raw_vec::capacity_overflow",
    "alloc[7c01]::raw_vec::handle_error",
    "<alloc[7c01]::vec::Vec<patchwire[1]::node::Node>>::remove::assert_failed",
    "std[9d]::panicking::begin_panic_handler",
    "std[9d]::panicking::panic_with_hook",
    "<std[9d]::panicking::panic_handler::FormatStringPayload as core[6ae3]::fmt::Display>::fmt",
    "<std[9d]::panicking::panic_handler::StaticStrPayload as core[6ae3]::panic::PanicPayload>::get",
    "<std[9d]::panicking::begin_panic::Payload<&str> as core[6ae3]::panic::PanicPayload>::as_str",
    "core[6ae3]::ptr::drop_in_place::<std[9d]::panicking::panic_handler::FormatStringPayload>",
    "std[9d]::sys::backtrace::__rust_end_short_backtrace::<std[9d]::panicking::panic_handler::{closure#0}, !>",
  ];
  const others = [
    "patchwire[1]::patch::apply::test_failed",
    "patchwire[1]::session::Session::handle_error",
    "patchwire::sync::client::panic_of",
    "<patchwire[1]::sync::Client>::connection_failed",
    "<core[6ae3]::option::Option<u8> as patchwire[1]::Told>::may_fail",
    "<patchwire[1]::error::Error as core[6ae3]::fmt::Debug>::fmt",
    "serde_wasm_bindgen[2]::error::capacity_overflow",
    "talc[3]::core::handle_alloc_error",
    "core[6ae3]::slice::sort::stable::driftsort_main",
    "alloc[7c01]::raw_vec::finish_grow",
  ];
  expect(panics.filter((name) => !isPanic(name))).toEqual([]);
  expect(others.filter((name) => isPanic(name))).toEqual([]);
});
