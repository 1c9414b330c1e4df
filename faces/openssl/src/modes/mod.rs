//! Modes, as contexts of OpenSSL have them: each over any of the ciphers that it is for.

pub(crate) mod aead;
pub(crate) mod aez;
pub(crate) mod blocks;
pub(crate) mod gcm_siv;
mod passive;
mod pending;
pub(crate) mod rc4;
pub(crate) mod streams;
mod tls_cbc;
mod tls_gcm;
mod tls_padding;
mod tls_records;
pub(crate) mod whole;
pub(crate) mod xts;
