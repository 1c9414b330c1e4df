//! The name that the shared library bears inside, which programs linked to it ask for: that of its major version.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Other systems name libraries otherwise.
    if cfg!(target_os = "linux") {
        let major = env!("CARGO_PKG_VERSION_MAJOR");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libabreast.so.{major}");
    }
}
