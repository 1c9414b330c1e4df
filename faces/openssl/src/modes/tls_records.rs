//! The state of a context of GCM in TLS and SSH, between the calls that `tls_gcm` answers.

/// Bytes of the tag of a record.
pub(super) const TAG: usize = 16;

/// The state of records and of nonces with a counter. The associated data of the record to come is where the tag of a message
/// is, as in OpenSSL: neither outlives the other.
#[derive(Clone, Default)]
pub(crate) struct Records {
    /// True if a record is to come.
    pub(super) asked: bool,
    /// True if the cipher keeps the counter of the nonces.
    pub(super) generates: bool,
    /// True if a record was ever asked for: then it grows by a tag.
    pub(super) used: bool,
}

impl Records {
    /// Returns the number of bytes that a record grows by, beside its explicit nonce.
    pub(super) fn added(&self) -> usize {
        if self.used { TAG } else { 0 }
    }
}
