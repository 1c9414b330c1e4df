//! What GCM has to refuse: anything changed, and lengths that the mode does not have. A message that is not
//! authentic leaves zeros, and a call that is wrong leaves everything as it was.

mod common;

use abreast::modes::Gcm;
use abreast::{Error, GcmCipher, InOutBuf};
use abreast_reference::gcm;
use common::{Random, Subject, label, long_or_short, same, short, subjects};

const TAG_LENGTHS: [usize; 7] = [4, 8, 12, 13, 14, 15, 16];

/// A message with all that belongs to it.
#[derive(Clone)]
struct Message {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
    plaintext: Vec<u8>,
}

impl Message {
    fn new(subject: &Subject, random: &mut Random, lengths: [usize; 4]) -> Self {
        let [nonce, aad, plaintext] = [0, 1, 2].map(|i| random.bytes(lengths[i]));
        let (ciphertext, tag) = gcm::seal(&subject.reference, &nonce, &aad, &plaintext, lengths[3]);
        Self { nonce, aad, ciphertext, tag, plaintext }
    }

    /// Expects that it is opened: in place, from buffer to buffer, and in pieces.
    fn opens(&self, gcm: &Gcm<&dyn GcmCipher>) {
        let mut buffer = self.ciphertext.clone();
        let opened = gcm.decrypt(&self.nonce, &self.aad, buffer.as_mut_slice().into(), &self.tag);
        assert_eq!(opened, Ok(()), "{}", label(gcm.cipher()));
        same(&buffer, &self.plaintext, || label(gcm.cipher()));
    }

    /// Expects that it is refused, and that no byte of plaintext comes out.
    #[track_caller]
    fn is_refused(&self, gcm: &Gcm<&dyn GcmCipher>, why: impl Fn() -> String) {
        let what = || format!("{}, {}", label(gcm.cipher()), why());
        let mut buffer = self.ciphertext.clone();
        let opened = gcm.decrypt(&self.nonce, &self.aad, buffer.as_mut_slice().into(), &self.tag);
        assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
        assert!(buffer.iter().all(|byte| *byte == 0), "{}: plaintext was left", what());

        let mut output = vec![0x3c; self.ciphertext.len()];
        let io = InOutBuf::new(&self.ciphertext, &mut output).expect("equal lengths");
        let opened = gcm.decrypt(&self.nonce, &self.aad, io, &self.tag);
        assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
        assert!(output.iter().all(|byte| *byte == 0), "{}: plaintext was left", what());

        let mut decryptor = gcm.decryptor(&self.nonce, &self.aad).expect("a nonce");
        buffer.copy_from_slice(&self.ciphertext);
        let (head, tail) = buffer.split_at_mut(self.ciphertext.len() / 2);
        assert_eq!(decryptor.update(head.into()), Ok(()));
        assert_eq!(decryptor.update(tail.into()), Ok(()));
        assert_eq!(decryptor.verify(&self.tag), Err(Error::TagMismatch), "{}", what());
    }
}

/// Flips each bit of one part of a message, or every so manieth.
fn flips(message: &Message, part: fn(&mut Message) -> &mut Vec<u8>, each: impl Fn(&Message, usize)) {
    let mut message = message.clone();
    let bits = 8 * part(&mut message).len();
    let step = if short() { 1 + bits / 5 } else { 1 + bits / 600 };
    for bit in (0..bits).step_by(step) {
        part(&mut message)[bit / 8] ^= 1 << (bit % 8);
        each(&message, bit);
        part(&mut message)[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn any_bit_changed() {
    let mut random = Random::new(41);
    let shapes = [[12, 20, 50, 16], [12, 0, 0, 16], [12, 0, 16, 16], [12, 33, 1500, 16], [16, 5, 700, 16]];
    for subject in subjects(&mut random) {
        for shape in shapes {
            let message = Message::new(&subject, &mut random, shape);
            for aes in &subject.kernels {
                let gcm = Gcm::new(&**aes);
                message.opens(&gcm);
                flips(&message, |m| &mut m.tag, |m, bit| m.is_refused(&gcm, || format!("tag, bit {bit}")));
                flips(
                    &message,
                    |m| &mut m.ciphertext,
                    |m, bit| {
                        m.is_refused(&gcm, || format!("ciphertext, bit {bit} of {shape:?}"));
                    },
                );
                flips(&message, |m| &mut m.aad, |m, bit| m.is_refused(&gcm, || format!("data, bit {bit}")));
                flips(
                    &message,
                    |m| &mut m.nonce,
                    |m, bit| {
                        m.is_refused(&gcm, || format!("nonce, bit {bit}"));
                    },
                );
            }
        }
    }
}

#[test]
fn lengths_changed() {
    let mut random = Random::new(42);
    for subject in subjects(&mut random) {
        let shapes = [[12, 16, 64, 16], [12, 20, 50, 16], [12, 1, 600, 16], [13, 0, 5, 16], [12, 16, 0, 16]];
        for shape in shapes {
            let message = Message::new(&subject, &mut random, shape);
            for aes in &subject.kernels {
                let gcm = Gcm::new(&**aes);
                let with = |change: &dyn Fn(&mut Message), why: &str| {
                    let mut changed = message.clone();
                    change(&mut changed);
                    changed.is_refused(&gcm, || format!("{why} {shape:?}"));
                };
                with(&|m| m.ciphertext.push(0), "a zero behind the ciphertext of");
                with(&|m| m.ciphertext.extend([0; 16]), "a block of zeros behind the ciphertext of");
                with(&|m| m.aad.push(0), "a zero behind the data of");
                with(&|m| m.aad.extend([0; 16]), "a block of zeros behind the data of");
                with(&|m| m.nonce.push(0), "a zero behind the nonce of");
                if shape[2] > 0 {
                    with(&|m| m.ciphertext.truncate(m.ciphertext.len() - 1), "a byte less of");
                    with(&|m| m.ciphertext = m.ciphertext.split_off(1), "the first byte lost of");
                    with(&|m| m.ciphertext.clear(), "no ciphertext of");
                    // The border between the data and the message moves.
                    with(&|m| m.aad.push(m.ciphertext.remove(0)), "a byte more of data of");
                }
                if shape[1] > 0 {
                    with(&|m| m.aad.truncate(m.aad.len() - 1), "a byte less of data of");
                    with(&|m| m.aad.clear(), "no data of");
                }
            }
        }
    }
}

#[test]
fn another_key() {
    let mut random = Random::new(43);
    for (subject, other) in subjects(&mut random).into_iter().zip(subjects(&mut random)) {
        let message = Message::new(&subject, &mut random, [12, 5, 100, 16]);
        for aes in &other.kernels {
            message.is_refused(&Gcm::new(&**aes), || "another key".to_owned());
        }
    }
}

#[test]
fn short_tags() {
    let mut random = Random::new(44);
    for subject in subjects(&mut random) {
        for tag_len in TAG_LENGTHS {
            let message = Message::new(&subject, &mut random, [12, 7, 90, tag_len]);
            for aes in &subject.kernels {
                let gcm = Gcm::new(&**aes);
                message.opens(&gcm);
                let what = || format!("{}, a tag of {tag_len} bytes", label(aes));
                let (mut data, mut tag) = (message.plaintext.clone(), vec![0; tag_len]);
                let io = data.as_mut_slice().into();
                assert_eq!(gcm.encrypt(&message.nonce, &message.aad, io, &mut tag), Ok(()), "{}", what());
                same(&data, &message.ciphertext, what);
                same(&tag, &message.tag, what);

                let mut encryptor = gcm.encryptor(&message.nonce, &message.aad).expect("a nonce");
                data.copy_from_slice(&message.plaintext);
                assert_eq!(encryptor.update(data.as_mut_slice().into()), Ok(()));
                tag.fill(0);
                assert_eq!(encryptor.finish(&mut tag), Ok(()));
                same(&tag, &message.tag, what);

                let mut decryptor = gcm.decryptor(&message.nonce, &message.aad).expect("a nonce");
                assert_eq!(decryptor.update(data.as_mut_slice().into()), Ok(()));
                assert_eq!(decryptor.verify(&tag), Ok(()), "{}", what());

                flips(
                    &message,
                    |m| &mut m.tag,
                    |m, bit| {
                        m.is_refused(&gcm, || format!("bit {bit} of a tag of {tag_len} bytes"));
                    },
                );
            }
        }
    }
}

#[test]
fn tags_of_other_lengths() {
    let mut random = Random::new(45);
    let (plaintext, most) = (random.bytes(600), long_or_short(40, 18));
    for subject in subjects(&mut random) {
        for aes in &subject.kernels {
            let gcm = Gcm::new(&**aes);
            for len in (0..most).filter(|len| !TAG_LENGTHS.contains(len)) {
                let what = || format!("{}, a tag of {len} bytes", label(aes));
                let (mut data, mut tag) = (plaintext.clone(), vec![0x77; len]);
                let io = data.as_mut_slice().into();
                assert_eq!(gcm.encrypt(&[1; 12], b"data", io, &mut tag), Err(Error::TagLength), "{}", what());
                let io = data.as_mut_slice().into();
                assert_eq!(gcm.decrypt(&[1; 12], b"data", io, &tag), Err(Error::TagLength), "{}", what());
                same(&data, &plaintext, what);

                let encryptor = gcm.encryptor(&[1; 12], b"data").expect("a nonce");
                assert_eq!(encryptor.finish(&mut tag), Err(Error::TagLength), "{}", what());
                assert_eq!(tag, vec![0x77; len], "{}", what());
                let decryptor = gcm.decryptor(&[1; 12], b"data").expect("a nonce");
                assert_eq!(decryptor.verify(&tag), Err(Error::TagLength), "{}", what());
            }
        }
    }
}

#[test]
fn no_nonce() {
    let mut random = Random::new(46);
    let plaintext = random.bytes(600);
    for subject in subjects(&mut random) {
        for aes in &subject.kernels {
            let gcm = Gcm::new(&**aes);
            let (mut data, mut tag) = (plaintext.clone(), [0x77; 16]);
            let io = data.as_mut_slice().into();
            assert_eq!(gcm.encrypt(&[], b"data", io, &mut tag), Err(Error::NonceLength));
            let io = data.as_mut_slice().into();
            assert_eq!(gcm.decrypt(&[], b"data", io, &tag), Err(Error::NonceLength));
            assert_eq!(gcm.encryptor(&[], b"data").map(|_| ()), Err(Error::NonceLength));
            assert_eq!(gcm.decryptor(&[], b"data").map(|_| ()), Err(Error::NonceLength));
            assert_eq!(tag, [0x77; 16]);
            same(&data, &plaintext, || label(aes));
        }
    }
}
