//! libFuzzer gives [`hustings_benches::targets::datagram`] its inputs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hustings_benches::targets::datagram(bytes));
