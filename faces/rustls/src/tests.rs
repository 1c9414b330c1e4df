//! Known answers of GCM as packets of QUIC, and keys of a wrong length.
//!
//! rustls makes keys of 32 bytes alone for callers. `clients/rustls` has whole connections, with keys of both lengths.

use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, Tls12AeadAlgorithm, Tls13AeadAlgorithm};
use rustls::quic::Algorithm;

use crate::{key, quic, tls12, tls13};

#[test]
fn known_answers() {
    let mut checked = 0;
    for case in abreast_vectors::aead_sets("gcm").into_iter().flat_map(|(_, cases)| cases) {
        let (Ok(key), Ok(nonce)) = (<[u8; 32]>::try_from(&*case.key), <[u8; 12]>::try_from(&*case.nonce))
        else {
            continue;
        };
        if !case.valid || case.tag.len() != key::TAG || !case.cipher.starts_with("aes") {
            continue;
        }
        // The number of the packet changes no bit of the vector.
        let packets = quic::AES_256.packet_key(AeadKey::from(key), Iv::new(nonce));
        let mut data = case.plaintext.clone();
        let tag = packets.encrypt_in_place(0, &case.aad, &mut data).expect("the key has the right length");
        assert_eq!((&data, tag.as_ref()), (&case.ciphertext, &*case.tag), "{}", case.name);
        data.extend_from_slice(tag.as_ref());
        let plain = packets.decrypt_in_place(0, &case.aad, &mut data).expect("the tag is right");
        assert_eq!(plain, case.plaintext, "{}", case.name);
        // Another number is another nonce.
        let mut forged = [&*case.ciphertext, &case.tag].concat();
        assert_eq!(packets.decrypt_in_place(1, &case.aad, &mut forged), Err(Error::DecryptError));
        checked += 1;
    }
    assert!(checked > 40, "{checked} cases");
}

#[test]
fn keys_of_a_wrong_length_encrypt_nothing() {
    let wrong = || AeadKey::from([7; 32]);
    let packets = quic::AES_128.packet_key(wrong(), Iv::new([1; 12]));
    let mut data = [5; 40];
    assert_eq!(packets.encrypt_in_place(0, &[], &mut data).err(), Some(Error::EncryptError));
    assert_eq!(packets.decrypt_in_place(0, &[], &mut data).err(), Some(Error::DecryptError));
    assert_eq!(data, [5; 40]);
    let headers = quic::AES_128.header_protection_key(wrong());
    let (mut first, mut number) = (1, [2; 4]);
    let refused = headers.encrypt_in_place(&[3; 16], &mut first, &mut number);
    assert_eq!(refused, Err(Error::General("the header key has the wrong length".to_owned())));
    assert_eq!((first, number), (1, [2; 4]));
}

#[test]
fn lengths_are_those_of_the_suites() {
    assert_eq!([tls13::AES_128.key_len(), tls13::AES_256.key_len()], [16, 32]);
    assert_eq!([quic::AES_128.aead_key_len(), quic::AES_256.aead_key_len()], [16, 32]);
    let shapes = [tls12::AES_128.key_block_shape(), tls12::AES_256.key_block_shape()];
    assert_eq!(
        shapes.map(|it| (it.enc_key_len, it.fixed_iv_len, it.explicit_nonce_len)),
        [(16, 4, 8), (32, 4, 8)]
    );
}
