#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| botdesk_fuzz::frames(data));
