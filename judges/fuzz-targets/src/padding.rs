//! Padding of PKCS #7 in CBC: as the reference pads, and any plaintext at all in place of a padded one.

use abreast::Error;
use abreast::modes::Cbc;
use abreast_reference::cbc;
use arbitrary::Arbitrary;

use crate::common::{Random, Reference, label, same, with_reference};
use crate::input::{Choice, fields};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    seed: u64,
    len: u16,
    /// Bytes of room after the message.
    room: u8,
    /// Whole blocks that go through in front.
    before: u8,
    /// The plaintext of a sender that has not padded it.
    forged: &'a [u8],
}

/// The longest message.
const LONGEST: usize = 700;

pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case<'_>>(data) else { return };
    let (cipher, mut random) = (case.choice.cipher(), Random::new(case.seed));
    let block = cipher.block_size();
    let (key, iv) = (random.bytes(cipher.key_len()), random.bytes(block));
    let fast = cipher.with_key(&key, Some(case.choice.kernel())).expect("its kernel");
    let reference = Reference::new(cipher.name(), &key);
    let begin = || Cbc::from_cipher(&fast, &iv).expect("an IV of its length");
    let what = || format!("{}, {case:?}", label(&fast));

    let message = random.bytes(usize::from(case.len) % LONGEST);
    let front = (usize::from(case.before) * block).min(message.len() / block * block);
    let expected = with_reference!(&reference, cipher => {
        cbc::encrypt_padded(cipher, iv.as_slice().try_into().expect("a block"), &message)
    });
    let mut buffer = [&message[..], &vec![0xa5; usize::from(case.room % 40)]].concat();
    let (mut stream, room) = (begin(), buffer.len());
    let (head, tail) = buffer.split_at_mut(front);
    stream.encrypt(head).expect("whole blocks");
    match stream.encrypt_pkcs7(tail, message.len() - front) {
        Ok(end) => {
            let end = front + end.len();
            same(&buffer[..end], &expected, what);
            assert!(buffer[end..].iter().all(|byte| *byte == 0xa5), "written after the message, {}", what());
            let mut stream = begin();
            let (head, tail) = buffer[..end].split_at_mut(front);
            stream.decrypt(head).expect("whole blocks");
            let plain = stream.decrypt_pkcs7(tail).expect("the padding of the sender").len();
            same(&buffer[..front + plain], &message, what);
        }
        Err(Error::BufferLengths) => assert!(room < expected.len(), "{}", what()),
        Err(error) => panic!("{error}, {}", what()),
    }

    let forged = &case.forged[..case.forged.len().min(LONGEST)];
    let whole = &forged[..forged.len() / block * block];
    let (sent, judged) = with_reference!(&reference, cipher => {
        let iv = iv.as_slice().try_into().expect("a block");
        let sent = cbc::encrypt(cipher, iv, whole);
        let judged = cbc::decrypt_padded(cipher, iv, &sent);
        (sent, judged)
    });
    let mut buffer = sent.clone();
    match begin().decrypt_pkcs7(&mut buffer) {
        Ok(plain) => same(plain, &judged.expect("a padding"), what),
        Err(Error::Padding) => {
            assert!(judged.is_err(), "{}", what());
            same(&buffer, &vec![0; whole.len()], what);
        }
        Err(error) => panic!("{error}, {}", what()),
    }
    if !forged.len().is_multiple_of(block) {
        let mut buffer = forged.to_vec();
        assert_eq!(begin().decrypt_pkcs7(&mut buffer).err(), Some(Error::PartialBlock), "{}", what());
        same(&buffer, forged, what);
    }
}
