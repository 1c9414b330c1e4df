//! The ends of counters: they wrap inside a message at their width, a message has no more blocks than the counter has values,
//! and a rejected call has changed nothing.

#[cfg(all(unix, target_pointer_width = "64"))]
use crate::common::guarded::untouchable;
use crate::common::{Random, WIDTHS, label, long_or_short, nonce_for, same, short, subjects, subjects_16};
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher, Error};
use abreast_reference::ctr;

/// Libraries have been known to repeat keystream where a counter wraps inside a message or call.
#[test]
fn counters_wrap_inside_a_message() {
    let mut random = Random::new(21);
    let all = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128, 129];
    let steps_before = if short() { &all[..4] } else { &all[..] };
    for subject in subjects(&mut random) {
        let data = random.bytes(long_or_short(16 * 150 + 5, 16 * 9 + 5));
        let bits = 8 * subject.cipher.block_size();
        for width in subject.widths() {
            // The kernels count in 32 bits: a carry may leave those long before the counter wraps.
            for ones in [16, 32, 48, 64, 96, 128].into_iter().filter(|ones| *ones <= bits) {
                let random = subject.counter(&mut random);
                for before in steps_before {
                    let counter = (random | u128::MAX >> (128 - ones)) - before;
                    let block = subject.counter_block(counter);
                    let expected = subject.reference.ctr(counter, width, &data);
                    for aes in subject.kernels() {
                        let mut buffer = data.clone();
                        let mut ctr = Ctr::from_cipher(aes, &block, width).expect("a block");
                        assert_eq!(ctr.apply(buffer.as_mut_slice()), Ok(()));
                        same(&buffer, &expected, || format!("{}, {width:?}, {counter:#x}", label(aes)));
                    }
                }
            }
        }
    }
}

/// GCM counts in 32 bits, and a nonce of another length than 12 bytes makes it start anywhere.
#[test]
fn the_counter_of_gcm_wraps() {
    use abreast_reference::gcm;
    let mut random = Random::new(22);
    for subject in subjects_16(&mut random) {
        let reference = subject.reference.of_16();
        for before in [0, 1, 2, 3, 8, 30, 31, 32, 33, 64] {
            let first = (u128::from_be_bytes(random.block()) | 0xffff_ffff) - before;
            let nonce = nonce_for(reference, first);
            let data = random.bytes(16 * 70 + 3);
            let (ciphertext, tag) = gcm::seal(reference, &nonce, b"", &data, 16);
            // The reference as the judge of the nonce: it must have started where it should.
            let start = first & !0xffff_ffff | (first + 1) & 0xffff_ffff;
            same(&ctr::xor(reference, &start.to_be_bytes(), 32, &data), &ciphertext, || {
                "the nonce that was sought".to_owned()
            });
            for aes in subject.kernels_16() {
                let what = || format!("{}, {before} before the wrap", label(aes));
                let (mut buffer, mut made) = (data.clone(), [0; 16]);
                let gcm = Gcm::from_cipher(aes);
                assert_eq!(gcm.encrypt_detached(&nonce, b"", buffer.as_mut_slice(), &mut made), Ok(()));
                same(&buffer, &ciphertext, what);
                same(&made, &tag, what);
                let mut encryptor = gcm.encryptor(&nonce, b"").expect("a nonce");
                buffer.copy_from_slice(&data);
                let (head, tail) = buffer.split_at_mut(16 * 31 + 5);
                assert_eq!(encryptor.update(head), Ok(()));
                assert_eq!(encryptor.update(tail), Ok(()));
                same(&buffer, &ciphertext, what);
                assert_eq!(encryptor.finish(&mut made), Ok(()));
                same(&made, &tag, what);
            }
        }
    }
}

/// Every value of a counter of 16 bits is used once, and then no more.
#[test]
fn all_of_a_short_counter() {
    let mut random = Random::new(23);
    for subject in subjects(&mut random).into_iter().skip(2).step_by(long_or_short(2, 4)) {
        for aes in subject.kernels() {
            let first = subject.counter(&mut random);
            let block = subject.counter_block(first);
            let mut ctr = Ctr::from_cipher(aes, &block, CounterWidth::Bits16).expect("a block");
            let stream_16 = subject.cipher.block_size() << 16;

            let mut one_more = vec![0x77; stream_16 + 1];
            assert_eq!(ctr.apply(one_more.as_mut_slice()), Err(Error::CounterExhausted));
            assert!(one_more.iter().all(|byte| *byte == 0x77), "{}: refused data was written", label(aes));
            assert_eq!(ctr.position(), Some(0));

            // The keystream decrypts to the counter blocks: no two of them are equal.
            let mut stream = vec![0; stream_16];
            assert_eq!(ctr.apply(stream.as_mut_slice()), Ok(()), "{}", label(aes));
            assert_eq!(aes.decrypt_raw_blocks(stream.as_mut_slice().into()), Ok(()));
            for (i, block) in (0..).zip(stream.chunks(block.len())) {
                let expected = first & !0xffff | first.wrapping_add(i) & 0xffff;
                assert_eq!(block, subject.counter_block(expected), "{}, block {i}", label(aes));
            }
            exhausted(&mut ctr, stream_16 as u128, aes);
        }
    }
}

/// Expects that a stream has ended, and that asking for more changes nothing.
fn exhausted<C: BlockCipher>(ctr: &mut Ctr<C>, end: u128, aes: &dyn BlockCipher) {
    assert_eq!(ctr.position(), Some(end), "{}", label(aes));
    for len in [1, 15, 16, 17, 1000] {
        let mut more = vec![0x77; len];
        assert_eq!(ctr.apply(more.as_mut_slice()), Err(Error::CounterExhausted), "{}", label(aes));
        assert_eq!(more, vec![0x77; len], "{}: refused data was written", label(aes));
    }
    assert_eq!(ctr.apply([].as_mut_slice()), Ok(()));
    assert_eq!(ctr.position(), Some(end), "{}", label(aes));
}

/// The last bytes of the streams of all widths whose ends have numbers.
#[test]
fn ends_of_streams() {
    let mut random = Random::new(24);
    for subject in subjects(&mut random) {
        for width in subject.widths().filter(|width| *width != CounterWidth::Bits128) {
            let first = subject.counter(&mut random);
            let size = subject.cipher.block_size();
            let blocks_in_all = 1_u128 << subject.most_blocks(width);
            let end = size as u128 * blocks_in_all;
            for aes in subject.kernels() {
                let mut ctr = Ctr::from_cipher(aes, &subject.counter_block(first), width).expect("a block");
                for before in [0, 1, 15, 16, 17, 100, 1000, 5000] {
                    let what = || format!("{}, {width:?}, {before} bytes before the end", label(aes));
                    let seek = |ctr: &mut Ctr<&dyn BlockCipher>| {
                        assert_eq!(ctr.seek_to(end - before as u128), Ok(()), "{}", what());
                    };
                    seek(&mut ctr);
                    // One byte too many is refused as a whole, and the rest of the keystream is still there.
                    let mut too_many = vec![0x77; before + 1];
                    let refused = ctr.apply(too_many.as_mut_slice());
                    assert_eq!(refused, Err(Error::CounterExhausted), "{}", what());
                    assert_eq!(too_many, vec![0x77; before + 1], "{}", what());
                    assert_eq!(ctr.position(), Some(end - before as u128), "{}", what());

                    let mut last = vec![0; before];
                    assert_eq!(ctr.apply(last.as_mut_slice()), Ok(()), "{}", what());
                    exhausted(&mut ctr, end, aes);
                    // The stream of a counter that was used up ends with the value in front of the first.
                    let mask = u128::MAX >> (128 - width.bits());
                    let blocks = before.div_ceil(size);
                    let counter = first & !mask | first.wrapping_add(blocks_in_all - blocks as u128) & mask;
                    let expected = subject.reference.ctr(counter, width, &vec![0; size * blocks]);
                    same(&last, &expected[size * blocks - before..], what);

                    // In two pieces, the first of which stops inside a block.
                    seek(&mut ctr);
                    let mut pieces = vec![0; before];
                    let (head, tail) = pieces.split_at_mut(before / 2);
                    assert_eq!(ctr.apply(head), Ok(()), "{}", what());
                    let refused = ctr.apply(vec![0; tail.len() + 1].as_mut_slice());
                    assert_eq!(refused, Err(Error::CounterExhausted), "{}", what());
                    assert_eq!(ctr.apply(tail), Ok(()), "{}", what());
                    same(&pieces, &last, what);
                }
                for beyond in [end + 1, end + 16, end + 17, end << 1, u128::MAX - 16] {
                    assert_eq!(ctr.seek_to(7), Ok(()));
                    let sought = ctr.seek_to(beyond);
                    assert_eq!(sought, Err(Error::CounterExhausted), "{}, {width:?}", label(aes));
                    assert_eq!(ctr.position(), Some(7), "{}: a refused seek moved", label(aes));
                }
            }
        }
    }
}

/// A counter of 128 bits has more blocks than bytes have numbers: every number can be gone to, and the
/// stream goes on after them.
#[test]
fn the_longest_counter_goes_on() {
    let mut random = Random::new(25);
    for subject in subjects_16(&mut random) {
        let first = u128::from_be_bytes(random.block());
        for aes in subject.kernels() {
            let mut ctr =
                Ctr::from_cipher(aes, &subject.counter_block(first), CounterWidth::Bits128).expect("a block");
            let counter = first.wrapping_add((1 << 124) - 1).to_be_bytes();
            let expected = ctr::xor(subject.reference.of_16(), &counter, 128, &[0; 100]);
            for skipped in 0..16 {
                let byte = u128::MAX - 15 + skipped;
                let what = || format!("{}, from {byte:#x} on", label(aes));
                assert_eq!(ctr.seek_to(byte), Ok(()), "{}", what());
                assert_eq!(ctr.position(), Some(byte), "{}", what());
                let mut data = vec![0; 100 - skipped as usize];
                assert_eq!(ctr.apply(data.as_mut_slice()), Ok(()), "{}", what());
                same(&data, &expected[skipped as usize..], what);
                assert_eq!(ctr.position(), None, "{}", what());
            }
        }
    }
}

/// Blocks of 64 bits: a message in CBC ends at 2^32 of them. If the limit slips, the buffer cannot be touched, and
/// this program ends by a fault at once.
#[test]
#[cfg(all(unix, target_pointer_width = "64"))]
fn messages_too_long_for_small_blocks() {
    if short() {
        return;
    }
    let long = untouchable((8 << 32) + 8);
    let long = &mut long[..(8 << 32) + 8];
    for subject in subjects(&mut Random::new(30)).iter().filter(|subject| subject.cipher.block_size() == 8) {
        for xtea in subject.kernels() {
            let mut cbc = abreast::modes::Cbc::from_cipher(xtea, &[0; 8]).expect("a block");
            assert_eq!(cbc.encrypt(&mut *long), Err(Error::MessageTooLong), "{}", label(xtea));
            let mut block = [7; 8];
            assert_eq!(cbc.encrypt(block.as_mut_slice()), Ok(()));
            let all_but_one = &mut long[..8 << 32];
            assert_eq!(cbc.decrypt(all_but_one), Err(Error::MessageTooLong), "{}", label(xtea));
            assert_eq!(cbc.encrypt(block.as_mut_slice()), Ok(()), "a refusal changed something");
        }
    }
}

#[test]
fn counter_blocks_of_other_lengths_are_refused() {
    for subject in subjects(&mut Random::new(26)) {
        for aes in subject.kernels() {
            for len in (0..40).filter(|len| *len != subject.cipher.block_size()) {
                for width in WIDTHS {
                    let made = Ctr::from_cipher(aes, &vec![0; len], width).map(|_| ());
                    assert_eq!(made, Err(Error::CounterLength));
                }
            }
        }
    }
}

#[test]
fn counters_wider_than_blocks_are_refused() {
    for subject in subjects(&mut Random::new(28)) {
        let fitting: Vec<_> = subject.widths().collect();
        let block = vec![0; subject.cipher.block_size()];
        for cipher in subject.kernels() {
            for width in WIDTHS {
                let expected = if fitting.contains(&width) { Ok(()) } else { Err(Error::CounterWidth) };
                assert_eq!(
                    Ctr::from_cipher(cipher, &block, width).map(|_| ()),
                    expected,
                    "{}",
                    label(cipher)
                );
            }
        }
    }
}

/// AES-192 and AES-256 have been known elsewhere to give wrong keystream where four blocks go through the
/// registers together: every number of blocks up to some passes, for every cipher.
#[test]
fn keystream_of_every_number_of_blocks() {
    let mut random = Random::new(29);
    for subject in subjects(&mut random) {
        let counter = subject.counter(&mut random);
        let block = subject.counter_block(counter);
        let zeros = vec![0; block.len() * long_or_short(140, 36)];
        let expected = subject.reference.ctr(counter, CounterWidth::Bits64, &zeros);
        for cipher in subject.kernels() {
            for len in (0..=zeros.len()).step_by(block.len()) {
                let mut stream = zeros[..len].to_vec();
                let mut ctr = Ctr::from_cipher(cipher, &block, CounterWidth::Bits64).expect("a block");
                assert_eq!(ctr.apply(stream.as_mut_slice()), Ok(()));
                same(&stream, &expected[..len], || format!("{}, {len} bytes", label(cipher)));
            }
        }
    }
}

/// Bytes of the longest message of GCM.
#[cfg(all(unix, target_pointer_width = "64"))]
const LONGEST: usize = (1 << 36) - 32;

/// Checks that GCM rejects a message that is too long before it reads a byte of it. If the limit slips, the buffer cannot be
/// touched, and this program ends by a fault at once.
#[test]
#[cfg(all(unix, target_pointer_width = "64"))]
fn messages_too_long_for_gcm() {
    if short() {
        // An emulator keeps books of every page of so much address space.
        return;
    }
    let long = untouchable(LONGEST + 16);
    for subject in subjects_16(&mut Random::new(27)) {
        for aes in subject.kernels_16() {
            let gcm = Gcm::from_cipher(aes);
            let mut tag = [0x77; 16];
            for len in [LONGEST + 1, LONGEST + 16] {
                let io = long[..len].as_mut();
                assert_eq!(gcm.encrypt_detached(&[1; 12], b"", io, &mut tag), Err(Error::MessageTooLong));
                assert_eq!(tag, [0x77; 16]);
                let io = long[..len].as_mut();
                assert_eq!(gcm.decrypt_detached(&[1; 12], b"", io, &tag), Err(Error::MessageTooLong));
            }

            // In pieces: the sum counts, and a piece that is refused has changed nothing.
            let whole = {
                let (mut data, mut tag) = ([5; 40], [0; 16]);
                gcm.encrypt_detached(&[1; 12], b"", data.as_mut_slice(), &mut tag).expect("short");
                tag
            };
            let mut encryptor = gcm.encryptor(&[1; 12], b"").expect("a nonce");
            let mut decryptor = gcm.decryptor(&[1; 12], b"").expect("a nonce");
            let mut data = [5; 40];
            let (head, tail) = data.split_at_mut(17);
            encryptor.update(&mut *head).expect("short");
            let io = long[..LONGEST - 16].as_mut();
            assert_eq!(encryptor.update(io), Err(Error::MessageTooLong));
            encryptor.update(&mut *tail).expect("short");
            decryptor.update(head).expect("short");
            let io = long[..LONGEST - 16].as_mut();
            assert_eq!(decryptor.update(io), Err(Error::MessageTooLong));
            decryptor.update(tail).expect("short");
            encryptor.finish(&mut tag).expect("16 bytes");
            assert_eq!(tag, whole, "{}", label(aes));
            assert_eq!(decryptor.verify(&tag), Ok(()), "{}", label(aes));
            assert_eq!(data, [5; 40]);
        }
    }
}

/// The longest message, 64 GiB less two blocks, there and back, and not a byte more.
#[cfg(all(unix, target_pointer_width = "64"))]
#[test]
#[ignore = "encrypts and decrypts 64 GiB: about a minute"]
fn the_longest_message_of_gcm() {
    let cipher = *abreast::kernels::algorithms().first().expect("a cipher");
    let aes = cipher.with_key_128(&vec![3; cipher.key_len()], None).expect("a key");
    let gcm = Gcm::from_cipher(&*aes);
    let mut encryptor = gcm.encryptor(&[1; 12], b"data").expect("a nonce");
    let mut decryptor = gcm.decryptor(&[1; 12], b"data").expect("a nonce");
    let zeros = vec![0; 1 << 22];
    let mut sealed = zeros.clone();
    let mut done = 0;
    while done < LONGEST {
        let len = zeros.len().min(LONGEST - done);
        sealed.truncate(len);
        let io = abreast::InOutBuf::new(&zeros[..len], &mut sealed).expect("equal lengths");
        assert_eq!(encryptor.update(io), Ok(()));
        done += len;
        if done == LONGEST {
            // The first block had counter 2, and the last has the last there is.
            let mut last = [1; 16];
            last[12..].fill(0xff);
            assert_eq!(aes.encrypt_raw_blocks(last.as_mut_slice().into()), Ok(()));
            same(&sealed[len - 16..], &last, || "the last block of keystream".to_owned());
        }
        assert_eq!(decryptor.update(sealed.as_mut_slice()), Ok(()));
        same(&sealed, &zeros[..len], || format!("decrypted, before byte {done}"));
    }
    let mut more = [0x77];
    assert_eq!(encryptor.update(more.as_mut_slice()), Err(Error::MessageTooLong));
    assert_eq!(decryptor.update(more.as_mut_slice()), Err(Error::MessageTooLong));
    assert_eq!(more, [0x77]);
    let mut tag = [0; 16];
    assert_eq!(encryptor.finish(&mut tag), Ok(()));
    assert_eq!(decryptor.verify(&tag), Ok(()));
}
