//! libFuzzer gives [`hustings_benches::targets::fault_line`] its inputs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hustings_benches::targets::fault_line(bytes));
