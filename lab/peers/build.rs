//! Builds the C and C++ libraries that crates bring along, looks for those of the system, and compiles the shims.
//!
//! A library of the system that is not there is named to the program, which lists it as not measured.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/shim");
    for name in ["aez_reference", "ipsec_mb", "gcrypt", "nettle", "cryptopp"] {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }

    #[cfg(feature = "openssl")]
    openssl();
    #[cfg(feature = "botan")]
    botan();

    let architecture = std::env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    if cfg!(feature = "aez-reference") && ["x86", "x86_64"].contains(&architecture.as_str()) {
        println!("cargo::rustc-cfg=aez_reference");
    }
    // It brings no file for pkg-config.
    if architecture == "x86_64"
        && let Some(folder) = header("intel-ipsec-mb.h")
    {
        shim("ipsec_mb").include(folder).compile("shim_ipsec_mb");
        println!("cargo::rustc-link-lib=IPSec_MB");
        println!("cargo::rustc-cfg=ipsec_mb");
    }
    system("gcrypt", "libgcrypt", &mut shim("gcrypt"));
    system("nettle", "nettle", &mut shim("nettle"));
    system("cryptopp", "libcrypto++", &mut shim_cpp("cryptopp"));

    // A plain loop as a compiler translates it, with all that this CPU has.
    let mut article = shim("article");
    article.opt_level(3).flag_if_supported("-march=native").flag_if_supported("-mprefer-vector-width=512");
    article.compile("shim_article");
}

/// OpenSSL from source. It is built once: this program is run again after each change of a shim.
#[cfg(feature = "openssl")]
fn openssl() {
    let out = out().join(format!("openssl-{}", openssl_src::version()));
    let library = out.join("openssl-build/install/lib");
    if !library.join("libcrypto.a").exists() {
        openssl_src::Build::new().out_dir(out.join("openssl-build")).build();
    }
    println!("cargo::rustc-link-search=native={}", library.display());
    println!("cargo::rustc-link-lib=static=crypto");
    println!("cargo::rustc-env=OPENSSL_SRC={}", openssl_src::version());
}

/// Botan from source: with the modules that are measured, and without most others. Built once, too.
#[cfg(feature = "botan")]
fn botan() {
    /// Modules that take long to compile or bring much along.
    const WITHOUT: &str = "bigint,mp,pcurves,filters,kdf,pbkdf,passhash9,bcrypt,psk_db,tss,zfec,sig_padding,\
        enc_padding,hmac_drbg,system_rng,processor_rng,entropy,mem_pool,socket,keccak_perm,sha2_64,sha1,blake2,chacha,\
        salsa20,poly1305,camellia,aria,kuznyechik,twofish,sm4,shacal2,seed,idea,noekeon,threefish_512,blowfish,cast128,\
        des,gost_28147,whirlpool,streebog,skein,gost_3411,ascon_perm";
    let (build, built) = (out().join("botan-build"), out().join("botan-built"));
    if std::fs::read_to_string(&built).ok().as_deref() != Some(botan_src::BOTAN_VERSION) {
        // SAFETY: no other thread of this program runs.
        unsafe { std::env::set_var("BOTAN_CONFIGURE_DISABLE_MODULES", WITHOUT) };
        botan_src::build();
        std::fs::write(built, botan_src::BOTAN_VERSION).expect("a file in the folder for what is built");
    }
    shim_cpp("botan").include(build.join("build/include/public")).compile("shim_botan");
    println!("cargo::rustc-link-search=native={}", build.display());
    println!("cargo::rustc-link-lib=static=botan-3");
}

/// The folder for built libraries.
#[cfg(any(feature = "openssl", feature = "botan"))]
fn out() -> PathBuf {
    std::env::var_os("OUT_DIR").expect("cargo sets it").into()
}

/// A library of the system, with its shim, if it is there.
fn system(name: &str, package: &str, shim: &mut cc::Build) {
    // The shim comes before the library that it calls on the linker's command line.
    let Ok(library) = pkg_config::Config::new().cargo_metadata(false).probe(package) else { return };
    shim.includes(&library.include_paths).compile(&format!("shim_{name}"));
    for path in &library.link_paths {
        println!("cargo::rustc-link-search=native={}", path.display());
    }
    for library in &library.libs {
        println!("cargo::rustc-link-lib={library}");
    }
    println!("cargo::rustc-cfg={name}");
}

/// The folder of a header.
fn header(name: &str) -> Option<PathBuf> {
    ["/usr/include", "/usr/local/include"]
        .map(PathBuf::from)
        .into_iter()
        .find(|folder| folder.join(name).exists())
}

/// A shim in C.
fn shim(name: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build.file(format!("src/shim/{name}.c")).include("src/shim").std("c11").opt_level(2);
    build
}

/// A shim in C++.
fn shim_cpp(name: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).file(format!("src/shim/{name}.cpp")).include("src/shim").std("c++20").opt_level(2);
    build
}
