//! AEZ against an independent implementation, zears: every length, with keys, nonces, associated data
//! and tags of many.

use abreast_reference::{aez, rc4::Rc4};
use zears::Aez;

/// Lengths of key, nonce, each string of associated data, and tag.
const SHAPES: [(usize, usize, &[usize], usize); 9] = [
    (48, 12, &[], 0),
    (48, 12, &[0], 16),
    (48, 0, &[], 16),
    (48, 16, &[5], 1),
    (16, 17, &[16, 0, 33], 8),
    (48, 33, &[1, 15, 16, 17], 32),
    (0, 1, &[130], 4),
    (129, 24, &[], 15),
    (47, 12, &[0, 0], 40),
];

#[test]
fn aez_gives_and_refuses_what_zears_does() {
    // A source of bytes that need be no better than RC4's.
    let mut random = Rc4::new(b"abreast");
    for len in 0..=300 {
        for (key_len, nonce_len, ad_lens, tag_len) in SHAPES {
            let shape = format!("{len} bytes, {key_len}, {nonce_len}, {ad_lens:?}, {tag_len}");
            let key = random.keystream(key_len);
            let nonce = random.keystream(nonce_len);
            let ads: Vec<_> = ad_lens.iter().map(|&len| random.keystream(len)).collect();
            let ads: Vec<_> = ads.iter().map(Vec::as_slice).collect();
            let message = random.keystream(len);
            let other = Aez::new(&key);

            let ciphertext = aez::encrypt(&key, &nonce, &ads, tag_len, &message);
            assert_eq!(other.encrypt(&nonce, &ads, tag_len as u32, &message), ciphertext, "{shape}");

            let decrypt = |ciphertext: &[u8]| {
                let opened = aez::decrypt(&key, &nonce, &ads, tag_len, ciphertext);
                assert_eq!(other.decrypt(&nonce, &ads, tag_len as u32, ciphertext), opened, "{shape}");
                opened
            };
            assert_eq!(decrypt(&ciphertext), Some(message), "{shape}");
            let long_tag = tag_len >= 8;
            if let Some(at) = (len * 7 + tag_len).checked_rem(ciphertext.len()) {
                let mut changed = ciphertext.clone();
                changed[at] ^= 1 << (len % 8);
                assert!(decrypt(&changed).is_none() || !long_tag, "{shape}");
                assert!(decrypt(&ciphertext[1..]).is_none() || !long_tag, "{shape}");
            }
            assert!(decrypt(&vec![0; len + tag_len]).is_none() || !long_tag, "{shape}");
            assert!(decrypt(&vec![0; tag_len.saturating_sub(1)]).is_none() || tag_len == 0, "{shape}");
        }
    }
}
