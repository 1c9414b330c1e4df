//! The peers, a file for each that is called from Rust, and one for all that are called through a shim.

mod abreast_batches;
mod abreast_c;
mod abreast_rust;
#[cfg(aez_reference)]
mod aez_reference;
#[cfg(feature = "arti")]
mod arti;
#[cfg(feature = "aws-lc")]
mod aws_lc;
mod hctr2_rs;
#[cfg(feature = "openssl")]
mod openssl;
mod rustcrypto;
mod shim;
mod zears;

use crate::peer::Peer;
use abreast_lab::report::MissingLibrary;

/// Returns the peers that are here: abreast from Rust, abreast in C, and the others.
pub(crate) fn all() -> Vec<Box<dyn Peer>> {
    vec![
        Box::new(abreast_rust::Abreast),
        Box::new(abreast_c::AbreastC),
        #[cfg(feature = "openssl")]
        Box::new(openssl::OpenSsl),
        #[cfg(feature = "aws-lc")]
        Box::new(aws_lc::AwsLc),
        #[cfg(feature = "botan")]
        Box::new(shim::BOTAN),
        #[cfg(ipsec_mb)]
        Box::new(shim::IPSEC_MB),
        #[cfg(gcrypt)]
        Box::new(shim::GCRYPT),
        #[cfg(nettle)]
        Box::new(shim::NETTLE),
        #[cfg(cryptopp)]
        Box::new(shim::CRYPTOPP),
        Box::new(rustcrypto::RustCrypto),
        Box::new(zears::Zears),
        Box::new(hctr2_rs::Hctr2Rs),
        #[cfg(feature = "arti")]
        Box::new(arti::Arti),
        #[cfg(aez_reference)]
        Box::new(aez_reference::AezReference),
        Box::new(shim::ARTICLE),
    ]
}

/// Returns the libraries that are missing, and the requirement of each.
pub(crate) fn missing() -> Vec<MissingLibrary> {
    let known = [
        ("OpenSSL", cfg!(feature = "openssl"), "the feature openssl"),
        ("AWS-LC", cfg!(feature = "aws-lc"), "the feature aws-lc"),
        ("Botan", cfg!(feature = "botan"), "the feature botan"),
        ("arti", cfg!(feature = "arti"), "the feature arti"),
        ("AEZ reference", cfg!(aez_reference), "the feature aez-reference, and x86"),
        ("ipsec-mb", cfg!(ipsec_mb), "libipsec-mb-dev, and x86-64"),
        ("libgcrypt", cfg!(gcrypt), "libgcrypt20-dev"),
        ("nettle", cfg!(nettle), "nettle-dev"),
        ("Crypto++", cfg!(cryptopp), "libcrypto++-dev"),
    ];
    let absent = known.into_iter().filter(|(_, is_here, _)| !is_here);
    absent.map(|(name, _, wants)| MissingLibrary { name: name.into(), wants: wants.into() }).collect()
}

/// The version of a crate that this program was built with. Where a peer brings an older one of the same name, the last
/// is the newest.
fn locked(name: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let entry = lock.split(&format!("name = \"{name}\"\nversion = \"")).skip(1).last();
    entry.and_then(|entry| entry.split('"').next()).unwrap_or("of unknown version").into()
}
