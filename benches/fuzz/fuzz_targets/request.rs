//! libFuzzer gives [`hustings_benches::targets::request`] its inputs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hustings_benches::targets::request(bytes));
