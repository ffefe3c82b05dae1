//! libFuzzer gives [`hustings_benches::targets::session`] its inputs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hustings_benches::targets::session(bytes));
