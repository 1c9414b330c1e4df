//! HMAC: keys alone and together, a message alone and in pieces, and batches.

use abreast::hmac::{Hmac, HmacHash};
use abreast::packets::{self, HmacKey, HmacPacket};
use abreast::{Error, Kernel};

use super::batches::{Messages, counts, lengths};
use crate::examiner::{Examiner, Secret};

/// Everything that there is of HMAC with one hash.
#[inline(never)]
pub(super) fn run<H: HmacHash>(x: &Examiner, kernel: Kernel) {
    // A key of more than a block is hashed first.
    for key_len in [20, 70] {
        let key = x.secret(key_len);
        let made = x.run(format_args!("key of {key_len}"), || Hmac::<H>::with_kernel(&key, kernel));
        let hmac = made.expect("its kernel");
        alone(x, &hmac);
        x.run(format_args!("drop"), || drop(hmac));
    }
    for &count in counts(x) {
        let keys: Vec<Secret> = (0..count).map(|i| x.secret(15 + 9 * i % 80)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
        let many = x.run(format_args!("{count} keys"), || Hmac::<H>::many_with_kernel(&keys, kernel));
        let many = many.expect("its kernel");
        let keys: Vec<HmacKey<'_, H>> = many.iter().map(HmacKey::from).collect();
        for lens in lengths(x, count, 1) {
            let mut m = Messages::new(x, &lens, 0, true, H::TAG_LEN);
            m.run(x, "hmac", &keys, packets::hmac);
            m.run(x, "hmac, verify", &keys, packets::hmac_verify);
            m.refuse(x, "hmac, wrong tags", &keys, packets::hmac_verify);
            in_parts(x, &keys, &lens);
        }
        x.run(format_args!("{count} keys, drop"), || drop(many));
    }
}

/// Messages in parts, in a batch.
#[inline(never)]
fn in_parts<H: HmacHash>(x: &Examiner, keys: &[HmacKey<'_, H>], lens: &[usize]) {
    let messages: Vec<_> = lens.iter().map(|len| x.secret(*len)).collect();
    let mut tags: Vec<_> = lens.iter().map(|_| x.secret(H::TAG_LEN)).collect();
    let mut batch: Vec<_> = (keys.iter().zip(&messages).zip(&mut tags))
        .map(|((key, message), tag)| {
            let (head, rest) = message.split_at(message.len() / 3);
            HmacPacket::new(*key, [head, rest, b"seven"], tag)
        })
        .collect();
    let count = batch.len();
    x.run(format_args!("batch of {count}, hmac of parts"), || packets::hmac_of_parts(&mut batch));
    x.run(format_args!("batch of {count}, hmac, verify parts"), || packets::hmac_verify_of_parts(&mut batch));
    for packet in &batch {
        x.publish(&packet.result);
        assert_eq!(packet.result, Ok(()));
    }
}

#[inline(never)]
fn alone<H: HmacHash>(x: &Examiner, hmac: &Hmac<H>) {
    for &len in x.lengths() {
        let (data, mut tag) = (x.secret(len), x.secret(H::TAG_LEN));
        x.try_run(format_args!("hmac {len}"), || hmac.mac(&data, &mut tag));
        x.try_run(format_args!("hmac {len}, verify"), || hmac.verify(&data, &tag));
        x.try_run(format_args!("hmac {len}, verify a cut tag"), || {
            hmac.with_tag_len(10)?.verify(&data, &tag[..10])
        });
        x.try_run(format_args!("hmac {len}, pieces"), || {
            let mut pieces = hmac.pieces();
            pieces.update(&data[..len / 3]);
            pieces.update(&data[len / 3..]);
            pieces.verify(&tag)
        });
        tag[H::TAG_LEN - 1] ^= 1;
        let wrong = x.outcome(format_args!("hmac {len}, a wrong tag"), || hmac.verify(&data, &tag));
        assert_eq!(wrong, Err(Error::TagMismatch));
    }
}
