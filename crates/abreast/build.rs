//! Tells the sources if they are compiled without optimisation.
//!
//! Kernels inline every function down to the instruction. At `opt-level = 0` that multiplies the code and makes none of
//! it faster: 14 GB of memory and ten minutes for a debug build, against half a gigabyte and half a minute without. Cargo
//! hands a build script the level of its own package, overrides in a profile included.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(abreast_unoptimized)");
    if std::env::var_os("OPT_LEVEL").is_some_and(|level| level == "0") {
        println!("cargo::rustc-cfg=abreast_unoptimized");
    }
}
