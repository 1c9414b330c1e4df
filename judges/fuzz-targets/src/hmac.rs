//! HMAC: batches of messages and of keys, messages in parts and in pieces, against the crate of that name.

use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::packets::{self, HmacKey, Packet};
use abreast::{Error, Kernel};
use arbitrary::Arbitrary;
use hmac::{KeyInit, Mac};

use crate::common::{Random, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    kernel: u8,
    long_hash: bool,
    seed: u64,
    messages: Vec<One>,
}

#[derive(Arbitrary, Debug)]
struct One {
    key: u8,
    len: u16,
    tag: u8,
    /// The bit of the tag that is wrong, if any.
    wrong: Option<u8>,
    cuts: [u8; 2],
}

/// The most messages: more than a window.
const MOST: usize = 140;
/// The longest message.
const LONGEST: usize = 1500;

pub(crate) fn run(data: &[u8]) {
    let Some(mut case) = fields::<Case>(data) else { return };
    case.messages.truncate(MOST);
    if case.long_hash {
        check::<Sha256>(&case, |key, message| {
            let mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(key).expect("any length");
            mac.chain_update(message).finalize().into_bytes().to_vec()
        });
    } else {
        check::<Sha1>(&case, |key, message| {
            let mac = hmac::Hmac::<sha1::Sha1>::new_from_slice(key).expect("any length");
            mac.chain_update(message).finalize().into_bytes().to_vec()
        });
    }
}

fn check<H: HmacHash>(case: &Case, judge: impl Fn(&[u8], &[u8]) -> Vec<u8>) {
    let kernel = pick(&Hmac::<H>::kernels().collect::<Vec<Kernel>>(), case.kernel);
    let mut random = Random::new(case.seed);
    let keys: Vec<_> = case.messages.iter().map(|one| random.bytes(one.key.into())).collect();
    let messages: Vec<_> =
        case.messages.iter().map(|one| random.bytes(usize::from(one.len) % LONGEST)).collect();
    let made = Hmac::<H>::many_with_kernel(&keys, kernel).expect("its kernel");
    let expected: Vec<_> = keys.iter().zip(&messages).map(|(key, message)| judge(key, message)).collect();

    for (((one, hmac), message), expected) in case.messages.iter().zip(&made).zip(&messages).zip(&expected) {
        let mut cuts = one.cuts.map(|cut| usize::from(cut) % (message.len() + 1));
        cuts.sort_unstable();
        let parts = [&message[..cuts[0]], &message[cuts[0]..cuts[1]], &message[cuts[1]..]];
        let mut tag = vec![0; H::TAG_LEN];
        hmac.mac_of_parts(parts, &mut tag).expect("a full tag");
        same(&tag, expected, || format!("{} in parts by {kernel}", H::NAME));
        let mut pieces = hmac.pieces();
        parts.into_iter().for_each(|part| pieces.update(part));
        pieces.finish(&mut tag).expect("a full tag");
        same(&tag, expected, || format!("{} in pieces by {kernel}", H::NAME));
    }

    let tag_len = |one: &One| 1 + usize::from(one.tag) % H::TAG_LEN;
    let mut tags: Vec<_> = case.messages.iter().map(|one| vec![0; tag_len(one)]).collect();
    let mut batch: Vec<Packet<'_, HmacKey<'_, H>>> = (made.iter().zip(&messages).zip(&mut tags))
        .map(|((hmac, message), tag)| {
            let key = hmac.with_tag_len(tag.len()).expect("a length of tags");
            Packet::new(key, &[], [].as_mut_slice()).with_tag(message, tag)
        })
        .collect();
    packets::hmac(&mut batch);
    for (packet, expected) in batch.iter().zip(&expected) {
        assert_eq!(packet.result, Ok(()));
        same(packet.tag, &expected[..packet.tag.len()], || format!("{} in a batch by {kernel}", H::NAME));
    }
    for (packet, one) in batch.iter_mut().zip(&case.messages) {
        if let Some(bit) = one.wrong {
            let bit = usize::from(bit) % (8 * packet.tag.len());
            packet.tag[bit / 8] ^= 1 << (bit % 8);
        }
    }
    packets::hmac_verify(&mut batch);
    for (packet, one) in batch.iter().zip(&case.messages) {
        let verdict = if one.wrong.is_some() { Err(Error::TagMismatch) } else { Ok(()) };
        assert_eq!(packet.result, verdict, "{} in a batch by {kernel}", H::NAME);
    }
}
