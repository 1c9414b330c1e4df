#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| abreast_fuzz_targets::run("parquet", data));
