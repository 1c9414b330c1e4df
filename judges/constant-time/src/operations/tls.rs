//! Records of TLS in CBC, as the provider for OpenSSL opens them: padding and MAC are removed.

use std::hint::black_box;

use crate::examiner::Examiner;

#[path = "../../../../faces/openssl/src/modes/tls_padding.rs"]
mod tls_padding;

/// Removes padding and MAC from records of several lengths: shorter and longer than the longest padding, with the MACs of
/// MD5 to SHA-512 and without.
#[inline(never)]
pub(super) fn run(x: &Examiner) {
    for len in [65, 80, 256, 336, 1024] {
        for mac_len in [0, 16, 20, 32, 48, 64] {
            let (record, mut mac) = (x.secret(len), x.secret(mac_len));
            x.run(format_args!("tls {len}, mac of {mac_len}"), || {
                black_box(tls_padding::remove(&record, &mut mac));
            });
            // Padding that is right: as many bytes as the last one says, whose value stays secret.
            let mut record = x.secret(len);
            let padding = record[len - 1] & 15;
            for byte in &mut record[len - 16..] {
                *byte = padding;
            }
            x.run(format_args!("tls {len}, mac of {mac_len}, right padding"), || {
                black_box(tls_padding::remove(&record, &mut mac));
            });
        }
    }
}
