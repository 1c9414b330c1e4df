//! Cipher suites of AES-GCM for [`rustls`]: TLS 1.2, TLS 1.3 and QUIC.
//!
//! [`over`] takes a provider, such as that of ring or AWS-LC, and returns it with suites that encrypt by [`abreast`]. Key exchange,
//! signatures, hashes and random numbers remain the other provider's. rustls encrypts one record or packet a call.

#![forbid(unsafe_code)]

mod key;
mod quic;
#[cfg(test)]
mod tests;
mod tls12;
mod tls13;

use std::sync::{Mutex, PoisonError};

use rustls::crypto::{CipherSuiteCommon, CryptoProvider};
use rustls::{CipherSuite, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

/// Returns a provider whose suites of AES-GCM encrypt by abreast, with everything else from another one.
///
/// Its suites say that they are not validated for FIPS.
///
/// ```
/// use rustls::crypto::CryptoProvider;
/// use rustls::{ClientConfig, Error, RootCertStore};
///
/// // The provider is such as that of ring: `rustls::crypto::ring::default_provider()`.
/// fn client(provider: CryptoProvider, roots: RootCertStore) -> Result<ClientConfig, Error> {
///     Ok(ClientConfig::builder_with_provider(abreast_rustls::over(provider).into())
///         .with_safe_default_protocol_versions()?
///         .with_root_certificates(roots)
///         .with_no_client_auth())
/// }
/// ```
#[must_use]
pub fn over(mut provider: CryptoProvider) -> CryptoProvider {
    provider.cipher_suites.iter_mut().for_each(|suite| *suite = self::suite(*suite));
    provider
}

/// Returns a suite that encrypts by abreast, with the hashes of another one; suites without AES-GCM as they are.
///
/// A suite lives as long as the process. Each is made once.
///
/// ```
/// use rustls::crypto::CryptoProvider;
/// use rustls::CipherSuite;
///
/// // Only one suite goes over to abreast.
/// fn one(mut provider: CryptoProvider) -> CryptoProvider {
///     let suites = provider.cipher_suites.iter_mut();
///     for suite in suites.filter(|it| it.suite() == CipherSuite::TLS13_AES_128_GCM_SHA256) {
///         *suite = abreast_rustls::suite(*suite);
///     }
///     provider
/// }
/// ```
#[must_use]
pub fn suite(of: SupportedCipherSuite) -> SupportedCipherSuite {
    match (key_len(of.suite()), of) {
        (Some(key_len), SupportedCipherSuite::Tls13(of)) => SupportedCipherSuite::Tls13(TLS13.of(of, || {
            let aead_alg = if key_len == 16 { &tls13::AES_128 } else { &tls13::AES_256 };
            let quic: &'static dyn rustls::quic::Algorithm =
                if key_len == 16 { &quic::AES_128 } else { &quic::AES_256 };
            let quic = of.quic.is_some().then_some(quic);
            Tls13CipherSuite { common: common(&of.common), hkdf_provider: of.hkdf_provider, aead_alg, quic }
        })),
        (Some(key_len), SupportedCipherSuite::Tls12(of)) => SupportedCipherSuite::Tls12(TLS12.of(of, || {
            let aead_alg = if key_len == 16 { &tls12::AES_128 } else { &tls12::AES_256 };
            let (kx, sign, prf_provider) = (of.kx, of.sign, of.prf_provider);
            Tls12CipherSuite { common: common(&of.common), prf_provider, kx, sign, aead_alg }
        })),
        (None, of) => of,
    }
}

/// The bytes of a key of a suite with AES-GCM.
fn key_len(suite: CipherSuite) -> Option<usize> {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256
        | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
        | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => Some(16),
        CipherSuite::TLS13_AES_256_GCM_SHA384
        | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
        | CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 => Some(32),
        _ => None,
    }
}

/// Returns the parts that suites of TLS 1.2 and 1.3 have in common.
///
/// A key encrypts at most 2^24 records (RFC 9846, section 5.5).
fn common(of: &CipherSuiteCommon) -> CipherSuiteCommon {
    CipherSuiteCommon { suite: of.suite, hash_provider: of.hash_provider, confidentiality_limit: 1 << 24 }
}

/// Pairs of another provider's suite and the one that was made of it.
struct Made<S: 'static>(Mutex<Vec<(&'static S, &'static S)>>);

static TLS12: Made<Tls12CipherSuite> = Made(Mutex::new(Vec::new()));
static TLS13: Made<Tls13CipherSuite> = Made(Mutex::new(Vec::new()));

impl<S: 'static> Made<S> {
    /// Returns the suite that was made of another one, or makes it. A suite that was made here is returned.
    fn of(&self, of: &'static S, make: impl FnOnce() -> S) -> &'static S {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made.iter().find(|(from, to)| std::ptr::eq(*from, of) || std::ptr::eq(*to, of));
        if let Some((_, suite)) = known {
            return suite;
        }
        let suite = &*Box::leak(Box::new(make()));
        made.push((of, suite));
        suite
    }
}
