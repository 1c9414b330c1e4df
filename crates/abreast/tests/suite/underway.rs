//! Messages that are under way: their copies, the vector with which they go on, associated data in pieces, and whole blocks
//! out of pieces that are split anywhere.

use crate::common::{Random, label, long_or_short, same, subjects, subjects_16};
use abreast::modes::{
    BlockBuffer, Cbc, Cfb, Cfb8, Cmac, CounterWidth, Ctr, Direction, Eax, Encryptor, Gcm, Ofb, Streaming,
};
use abreast::{BlockCipher, Error};

/// A copy goes on as the message does, and so does a new one under the running vector, between two blocks.
macro_rules! goes_on {
    ($name:ident, $begin:expr, $encrypt:expr, $running:ident, $whole:expr, $error:expr) => {
        #[test]
        fn $name() {
            let mut random = Random::new(301);
            for subject in subjects(&mut random) {
                let block = subject.cipher.block_size();
                let iv = random.bytes(block);
                for cipher in subject.kernels() {
                    for _ in 0..long_or_short(8, 2) {
                        let mut cut = random.up_to(100);
                        let mut data = random.bytes(200);
                        if $whole || random.up_to(1) == 0 {
                            cut -= cut % block;
                        }
                        data.truncate(cut + (200 - cut) / block * block);
                        let mut expected = data.clone();
                        $encrypt(&mut $begin(cipher, &iv), &mut expected);

                        let what = || format!("{}, cut at {cut} of {}", label(cipher), data.len());
                        let mut message = $begin(cipher, &iv);
                        let mut head = data[..cut].to_vec();
                        $encrypt(&mut message, &mut head);
                        same(&head, &expected[..cut], what);
                        let (mut copy, mut running) = (message.clone(), vec![0; block]);
                        assert_eq!(message.$running(&mut running), Ok(()));
                        // Neither depends on the other any more.
                        for message in [&mut message, &mut copy] {
                            let mut tail = data[cut..].to_vec();
                            $encrypt(message, &mut tail);
                            same(&tail, &expected[cut..], what);
                        }
                        if cut % block == 0 {
                            let mut tail = data[cut..].to_vec();
                            $encrypt(&mut $begin(cipher, &running), &mut tail);
                            same(&tail, &expected[cut..], what);
                        }
                        for wrong in [0, block - 1, block + 1] {
                            assert_eq!(message.$running(&mut vec![0; wrong]), Err($error), "{}", what());
                        }
                    }
                }
            }
        }
    };
}

type Cipher<'c> = &'c dyn BlockCipher;

fn widest(cipher: Cipher<'_>) -> CounterWidth {
    if cipher.block_size() == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 }
}

goes_on!(
    cbc,
    |cipher, iv: &[u8]| Cbc::from_cipher(cipher, iv).expect("a block"),
    |cbc: &mut Cbc<Cipher<'_>>, data: &mut [u8]| cbc.encrypt(data).expect("whole blocks"),
    running_iv,
    true,
    Error::IvLength
);
goes_on!(
    cfb,
    |cipher, iv: &[u8]| Cfb::from_cipher(cipher, iv).expect("a block"),
    |cfb: &mut Cfb<Cipher<'_>>, data: &mut [u8]| cfb.encrypt(data),
    running_iv,
    false,
    Error::IvLength
);
goes_on!(
    cfb8,
    |cipher, iv: &[u8]| Cfb8::from_cipher(cipher, iv).expect("a block"),
    |cfb: &mut Cfb8<Cipher<'_>>, data: &mut [u8]| cfb.encrypt(data),
    running_iv,
    false,
    Error::IvLength
);
goes_on!(
    ofb,
    |cipher, iv: &[u8]| Ofb::from_cipher(cipher, iv).expect("a block"),
    |ofb: &mut Ofb<Cipher<'_>>, data: &mut [u8]| ofb.apply(data),
    running_iv,
    false,
    Error::IvLength
);
goes_on!(
    ctr,
    |cipher, iv: &[u8]| Ctr::from_cipher(cipher, iv, widest(cipher)).expect("a block"),
    |ctr: &mut Ctr<Cipher<'_>>, data: &mut [u8]| ctr.apply(data).expect("few blocks"),
    running_counter,
    false,
    Error::CounterLength
);

/// Compares the position inside a block with the bytes done, for messages in pieces of any length.
#[test]
fn within_blocks() {
    let mut random = Random::new(302);
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        let iv = random.bytes(block);
        let cipher: Cipher<'_> = subject.kernels().next().expect("a kernel");
        let mut ctr = Ctr::from_cipher(cipher, &iv, widest(cipher)).expect("a block");
        let (mut cfb, mut ofb) = (
            Cfb::from_cipher(cipher, &iv).expect("a block"),
            Ofb::from_cipher(cipher, &iv).expect("a block"),
        );
        let mut done = 0;
        for _ in 0..100 {
            let len = random.up_to(40);
            let mut data = random.bytes(len);
            ctr.apply(data.as_mut_slice()).expect("few blocks");
            cfb.encrypt(data.as_mut_slice());
            ofb.apply(data.as_mut_slice());
            done += len;
            let all = [ctr.within_block(), cfb.within_block(), ofb.within_block()];
            assert_eq!(all, [done % block; 3], "{done} bytes");
        }
    }
}

/// A message with its associated data in pieces and with copies on the way, beside that in one call.
fn in_pieces<'m, M: Streaming + 'm>(
    begin: impl Fn(&[u8]) -> Encryptor<'m, M>,
    (aad, data): (&[u8], &[u8]),
    (expected, tag): (&[u8], &[u8]),
    random: &mut Random,
    what: &str,
) {
    // Some of it at once, and the rest in pieces.
    let mut at = random.up_to(aad.len());
    let first = aad[..at].to_vec();
    let mut message = begin(&first);
    while at < aad.len() {
        let end = at + 1 + random.up_to(aad.len() - at - 1);
        message.associated_data(&aad[at..end]).expect("before the message");
        if random.up_to(3) == 0 {
            let mut other = message.clone();
            other.associated_data(b"of the copy alone").expect("before the message");
        }
        at = end;
    }
    let cut = random.up_to(data.len());
    let mut got = data.to_vec();
    message.update(&mut got[..cut]).expect("a short message");
    let mut copy = message.clone();
    copy.update([7; 33].as_mut_slice()).expect("a short message");
    let late = message.associated_data(b"late");
    assert_eq!(late, if cut == 0 { Ok(()) } else { Err(Error::AssociatedDataLate) }, "{what}");
    if cut == 0 {
        return;
    }
    message.update(&mut got[cut..]).expect("a short message");
    let mut got_tag = vec![0; tag.len()];
    message.finish(&mut got_tag).expect("a tag");
    same(&got, expected, || format!("{what}, cut at {cut}"));
    same(&got_tag, tag, || format!("{what}, {} bytes of associated data", aad.len()));
}

#[test]
fn associated_data_in_pieces() {
    let mut random = Random::new(303);
    for _ in 0..long_or_short(30, 2) {
        for subject in subjects(&mut random) {
            let (aad, data) = (random.length() % 3000, random.length() % 3000);
            let (aad, data) = (random.bytes(aad), random.bytes(data));
            let nonce = random.bytes(12);
            for cipher in subject.kernels() {
                let eax = Eax::from_cipher(cipher);
                let (mut expected, mut tag) = (data.clone(), vec![0; cipher.block_size()]);
                eax.encrypt_detached(&nonce, &aad, expected.as_mut_slice(), &mut tag).expect("a message");
                let what = format!("{}, EAX", label(cipher));
                let begin = |aad: &[u8]| eax.encryptor(&nonce, aad);
                in_pieces(begin, (&aad, &data), (&expected, &tag), &mut random, &what);
            }
        }
        for subject in subjects_16(&mut random) {
            let (aad, data) = (random.length() % 3000, random.length() % 3000);
            let (aad, data) = (random.bytes(aad), random.bytes(data));
            let nonce = random.bytes(12);
            for cipher in subject.kernels_16() {
                let gcm = Gcm::from_cipher(cipher);
                let (mut expected, mut tag) = (data.clone(), [0; 16]);
                gcm.encrypt_detached(&nonce, &aad, expected.as_mut_slice(), &mut tag).expect("a message");
                let what = format!("{}, GCM", label(cipher));
                let begin = |aad: &[u8]| gcm.encryptor(&nonce, aad).expect("a nonce");
                in_pieces(begin, (&aad, &data), (&expected, &tag), &mut random, &what);
            }
        }
    }
}

/// Associated data alone, in pieces, which the tag is made of when the message ends.
#[test]
fn associated_data_alone() {
    let mut random = Random::new(304);
    for subject in subjects_16(&mut random) {
        let cipher = subject.kernels_16().next().expect("a kernel");
        let (gcm, eax) = (Gcm::from_cipher(cipher), Eax::from_cipher(cipher));
        for len in 0..80 {
            let aad = random.bytes(len);
            let (mut one, mut other, mut got) = ([0; 16], [0; 16], [0; 16]);
            gcm.encrypt_detached(&[1; 12], &aad, [].as_mut_slice(), &mut one).expect("a message");
            eax.encrypt_detached(&[1; 12], &aad, [].as_mut_slice(), &mut other).expect("a message");
            let mut message = gcm.encryptor(&[1; 12], &[]).expect("a nonce");
            aad.iter().for_each(|byte| message.associated_data(&[*byte]).expect("before the message"));
            message.finish(&mut got).expect("a tag");
            assert_eq!(got, one, "{len} bytes");
            let mut message = eax.decryptor(&[1; 12], &[]);
            aad.iter().for_each(|byte| message.associated_data(&[*byte]).expect("before the message"));
            assert_eq!(message.verify(&other), Ok(()), "{len} bytes");
        }
    }
}

#[test]
fn copies_of_macs() {
    let mut random = Random::new(305);
    for subject in subjects(&mut random) {
        for cipher in subject.kernels() {
            let cmac = Cmac::from_cipher(cipher);
            let data = random.bytes(200);
            for cut in [0, 1, 8, 15, 16, 17, 100, 200] {
                let mut pieces = cmac.pieces();
                pieces.update(&data[..cut]);
                let copy = pieces.clone();
                pieces.update(&data[cut..]);
                let (mut got, mut expected) = (vec![0; cipher.block_size()], vec![0; cipher.block_size()]);
                for (message, pieces) in [(&data[..cut], copy), (&data[..], pieces)] {
                    cmac.mac(message, &mut expected).expect("a tag");
                    pieces.finish(&mut got).expect("a tag");
                    same(&got, &expected, || format!("{}, cut at {cut}", label(cipher)));
                }
            }
        }
    }
}

/// Pieces of a padded message that are split anywhere, in place or not, beside the message in one piece.
#[test]
fn blocks_out_of_pieces() {
    let mut random = Random::new(306);
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        let (iv, cipher) = (random.bytes(block), subject.kernels().next().expect("a kernel"));
        for _ in 0..long_or_short(300, 20) {
            let len = random.length() % 2000;
            let message = random.bytes(len);
            let mut sealed = [message.as_slice(), &[0; 16]].concat();
            let cbc = || Cbc::from_cipher(cipher, &iv).expect("a block");
            let sealed = cbc().encrypt_pkcs7(&mut sealed, len).expect("room for padding").to_vec();
            let in_place = random.up_to(1) == 0;
            for (direction, input, expected) in
                [(Direction::Encrypt, &message, &sealed), (Direction::Decrypt, &sealed, &message)]
            {
                let mut cbc = cbc();
                let mut blocks = |io: abreast::InOutBuf<'_, '_, u8>| match direction {
                    Direction::Encrypt => cbc.encrypt(io),
                    Direction::Decrypt => cbc.decrypt(io),
                };
                let mut buffer = BlockBuffer::padded(block, direction);
                let (mut got, mut at) = (Vec::new(), 0);
                while at < input.len() {
                    let piece = &input[at..][..1 + random.up_to((input.len() - at - 1).min(70))];
                    at += piece.len();
                    let expected = buffer.output_len(piece.len());
                    assert!(buffer.held() <= block && expected.is_multiple_of(block));
                    let mut output = vec![0x55; expected.max(piece.len()) + 3];
                    let written = if in_place {
                        output[..piece.len()].copy_from_slice(piece);
                        buffer.update_in_place(&mut output, piece.len(), &mut blocks)
                    } else {
                        let written = buffer.update(piece, &mut output, &mut blocks);
                        assert!(output[expected..].iter().all(|byte| *byte == 0x55));
                        written
                    };
                    assert_eq!(written, Ok(expected));
                    got.extend_from_slice(&output[..expected]);
                }
                let mut last = [0; 16];
                let written = buffer.finish(&mut last, &mut blocks).expect("the end");
                got.extend_from_slice(&last[..written]);
                same(&got, expected, || format!("{}, {direction:?}, {len} bytes", label(cipher)));
            }
        }
    }
}

/// Checks the calls that a buffer of blocks rejects. Each leaves it unchanged.
#[test]
fn blocks_that_are_refused() {
    let nothing = |_: abreast::InOutBuf<'_, '_, u8>| Ok(());
    let mut buffer = BlockBuffer::padded(16, Direction::Encrypt);
    assert_eq!(buffer.update(&[1; 31], &mut [0; 15], nothing), Err(Error::BufferLengths));
    assert_eq!(buffer.update_in_place(&mut [0; 20], 21, nothing), Err(Error::BufferLengths));
    assert_eq!(buffer.held(), 0);
    assert_eq!(buffer.update(&[1; 31], &mut [0; 16], nothing), Ok(16));
    assert_eq!(buffer.update_in_place(&mut [0; 15], 1, nothing), Err(Error::BufferLengths));
    assert_eq!(buffer.finish(&mut [0; 15], nothing), Err(Error::BufferLengths));
    assert_eq!(buffer.held(), 15);
    let refuses = |_: abreast::InOutBuf<'_, '_, u8>| Err(Error::MessageTooLong);
    assert_eq!(buffer.update(&[1; 1], &mut [0; 16], refuses), Err(Error::MessageTooLong));
    assert_eq!(buffer.held(), 15);
    let mut last = [0; 16];
    assert_eq!(buffer.finish(&mut last, nothing), Ok(16));
    assert_eq!(last, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);

    let mut buffer = BlockBuffer::whole(8);
    assert_eq!(buffer.finish(&mut [], nothing), Ok(0));
    assert_eq!(buffer.update(&[1; 9], &mut [0; 8], nothing), Ok(8));
    assert_eq!(buffer.finish(&mut [0; 8], nothing), Err(Error::PartialBlock));

    let mut buffer = BlockBuffer::padded(8, Direction::Decrypt);
    assert_eq!(buffer.finish(&mut [0; 8], nothing), Err(Error::Padding));
    assert_eq!(buffer.update(&[9; 8], &mut [0; 8], nothing), Ok(0));
    assert_eq!(buffer.finish(&mut [0; 8], nothing), Err(Error::Padding));
    let mut buffer = BlockBuffer::padded(8, Direction::Decrypt);
    assert_eq!(buffer.update(&[3; 9], &mut [0; 8], nothing), Ok(8));
    assert_eq!(buffer.finish(&mut [0; 8], nothing), Err(Error::PartialBlock));
}
