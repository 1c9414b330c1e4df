//! Every mode of authenticated encryption of the table, at every kernel: in one call, in batches and columns, by the reference,
//! and what it refuses. A mode that is added to the table is tested here without another line.

use crate::common::{Random, both_ways, long_or_short, same};
use abreast::columns::{Column, Offsets, Values};
use abreast::modes::Direction;
use abreast::packets::Packet;
use abreast::table::{Does, ModeRow, Sealer, Sealing, TagLengths, Vector, modes_with, sealing_modes};
use abreast::{Error, Kernel};
use abreast_reference::sealed;
use std::collections::BTreeSet;

/// The names of the modes that a test has gone through, which has to be all of them.
struct Visited(BTreeSet<&'static str>);

impl Visited {
    fn none() -> Self {
        Self(BTreeSet::new())
    }

    fn is_every(&self, modes: impl Iterator<Item = &'static ModeRow>) {
        assert_eq!(self.0, modes.map(|row| row.name).collect());
    }
}

/// A message of a mode, and its ciphertext and tag by the reference.
struct Message {
    key: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
}

impl Message {
    fn new(random: &mut Random, row: &ModeRow, key_len: usize, len: usize) -> Self {
        let Vector::Nonce(least, most) = row.vector else { panic!("{}: no nonce", row.name) };
        let nonce_len = random.pick(&[12, 12, 16, 1]).clamp(least, most);
        let (key, nonce) = (random.bytes(key_len), random.bytes(nonce_len));
        let aad_len = random.pick(&[0, 1, 16, 20, 33, 300, len]);
        let (aad, plaintext) = (random.bytes(aad_len), random.bytes(len));
        let (ciphertext, tag) = sealed(row.name, &key, &nonce, &aad, &plaintext)
            .unwrap_or_else(|| panic!("{}: the reference has no such mode", row.name));
        Self { key, nonce, aad, plaintext, ciphertext, tag }
    }

    fn sealer(&self, sealing: Sealing, kernel: Kernel) -> Box<dyn Sealer> {
        let sealer = sealing.make(&self.key, kernel).expect("a key");
        assert_eq!(sealer.kernel(), kernel);
        sealer
    }
}

/// Lengths about the multiples of the widest vectors and passes.
fn lengths() -> Vec<usize> {
    let every = long_or_short(70, 18);
    let steps = [64, 128, 256, 512, 528, 1024, 2048].into_iter().flat_map(|step| [step - 1, step, step + 1]);
    (0..=every).chain(steps.filter(|len| *len > every)).collect()
}

#[test]
fn one_call() {
    let (mut random, mut visited) = (Random::new(0x5ea1), Visited::none());
    for (row, sealing) in sealing_modes() {
        for (&key_len, len) in
            sealing.key_lens.iter().flat_map(|key| lengths().into_iter().map(move |len| (key, len)))
        {
            let message = Message::new(&mut random, row, key_len, len);
            let Message { nonce, aad, plaintext, ciphertext, tag, .. } = &message;
            for kernel in sealing.kernels() {
                let what = || format!("{} with a key of {key_len} on {kernel}, {len} bytes", row.name);
                let sealer = message.sealer(sealing, kernel);
                both_ways(plaintext, ciphertext, len, what, |io| {
                    let mut made = [0; 16];
                    assert_eq!(sealer.seal(nonce, aad, io, &mut made), Ok(()), "{}", what());
                    same(&made, tag, what);
                });
                both_ways(ciphertext, plaintext, len, what, |io| {
                    assert_eq!(sealer.open(nonce, aad, io, tag), Ok(()), "{}", what());
                });
                let mut wrong = tag.clone();
                wrong[random.up_to(15)] ^= 1 << random.up_to(7);
                let zeros = vec![0; len];
                both_ways(ciphertext, &zeros, len, what, |io| {
                    assert_eq!(sealer.open(nonce, aad, io, &wrong), Err(Error::TagMismatch), "{}", what());
                });
            }
        }
        visited.0.insert(row.name);
    }
    visited.is_every(sealing_modes().map(|(row, _)| row));
}

/// Keys, nonces and tags of lengths that the table does not have are refused, and nothing is written.
#[test]
fn lengths_that_are_not_in_the_table() {
    for (row, sealing) in sealing_modes() {
        let kernel = sealing.kernels().next().expect("a kernel");
        if !matches!(row.name, "aez") {
            for len in (0..80).filter(|len| !sealing.key_lens.contains(len)) {
                let made = sealing.make(&vec![1; len], kernel);
                assert_eq!(made.err(), Some(Error::KeyLength), "{}: a key of {len}", row.name);
            }
        }
        let sealer = sealing.make(&vec![7; sealing.key_lens[0]], kernel).expect("a key");
        let Vector::Nonce(least, most) = row.vector else { panic!("{}: no nonce", row.name) };
        let outside = [least.checked_sub(1), most.checked_add(1), (least > 0).then_some(0)];
        for len in outside.into_iter().flatten().filter(|len| *len < 1 << 20) {
            let (mut data, mut tag) = ([3; 20], [4; 16]);
            let sealed = sealer.seal(&vec![5; len], b"", data.as_mut_slice().into(), &mut tag);
            assert_eq!(
                (sealed, data, tag),
                (Err(Error::NonceLength), [3; 20], [4; 16]),
                "{}, {len}",
                row.name
            );
            let opened = sealer.open(&vec![5; len], b"", data.as_mut_slice().into(), &tag);
            assert_eq!((opened, data), (Err(Error::NonceLength), [3; 20]), "{}, {len}", row.name);
        }
        let nonce = vec![5; 12.clamp(least, most)];
        for len in 0..=40 {
            let takes = match row.tags {
                TagLengths::Of(lengths) => lengths.contains(&len),
                TagLengths::UpToABlock => (1..=16).contains(&len),
                TagLengths::UpTo(most) => (1..=most).contains(&len),
                TagLengths::NoTag => false,
            };
            let (mut data, mut tag) = ([3; 20], vec![4; len]);
            let sealed = sealer.seal(&nonce, b"", data.as_mut_slice().into(), &mut tag);
            assert_eq!(
                sealed,
                if takes { Ok(()) } else { Err(Error::TagLength) },
                "{}, a tag of {len}",
                row.name
            );
            assert_eq!(data == [3; 20], !takes, "{}, a tag of {len}", row.name);
        }
    }
}

/// Batches of keys of all lengths at all kernels, among them messages whose tags are wrong or of a wrong length.
#[test]
fn batches() {
    let (mut random, mut visited) = (Random::new(0x5ea2), Visited::none());
    for (row, sealing) in sealing_modes() {
        let kernels: Vec<_> = sealing.kernels().collect();
        for count in [1, 2, 3, 15, 16, 17, 33, 70, 150] {
            let messages: Vec<_> = (0..count)
                .map(|_| {
                    let (key_len, len) =
                        (random.pick(sealing.key_lens), random.pick(&[0, 1, 16, 20, 64, 100, 300]));
                    Message::new(&mut random, row, key_len, len)
                })
                .collect();
            let sealers: Vec<_> =
                messages.iter().map(|it| it.sealer(sealing, random.pick(&kernels))).collect();
            let mut data: Vec<_> = messages.iter().map(|message| message.plaintext.clone()).collect();
            let mut tags = vec![vec![0; 16]; count];
            let run = |direction, data: &mut [Vec<u8>], tags: &mut [Vec<u8>]| {
                let rest = messages.iter().zip(data).zip(tags);
                let mut packets: Vec<Packet<'_, &dyn Sealer>> = (sealers.iter().zip(rest))
                    .map(|(sealer, ((message, data), tag))| {
                        Packet::new(&**sealer, &message.nonce, data.as_mut_slice())
                            .with_tag(&message.aad, tag)
                    })
                    .collect();
                sealing.batch(direction, &mut packets);
                packets.iter().map(|packet| packet.result).collect::<Vec<_>>()
            };
            let results = run(Direction::Encrypt, &mut data, &mut tags);
            assert_eq!(results, vec![Ok(()); count], "{}", row.name);
            for ((message, data), tag) in messages.iter().zip(&data).zip(&tags) {
                same(data, &message.ciphertext, || format!("{}, {count} packets", row.name));
                same(tag, &message.tag, || format!("{}, {count} packets", row.name));
            }
            let wrong: Vec<_> = (0..count).map(|_| random.pick(&[0, 0, 0, 1, 2])).collect();
            for (tag, wrong) in tags.iter_mut().zip(&wrong) {
                match wrong {
                    1 => tag[3] ^= 0x10,
                    2 => tag.truncate(7),
                    _ => {}
                }
            }
            let results = run(Direction::Decrypt, &mut data, &mut tags);
            for (((message, data), result), wrong) in messages.iter().zip(&data).zip(results).zip(wrong) {
                let (expected, text) = match wrong {
                    1 => (Err(Error::TagMismatch), &vec![0; data.len()]),
                    2 if matches!(row.tags, TagLengths::Of(_)) => {
                        (Err(Error::TagLength), &message.ciphertext)
                    }
                    2 => continue,
                    _ => (Ok(()), &message.plaintext),
                };
                assert_eq!(result, expected, "{}, {count} packets", row.name);
                same(data, text, || format!("{}, {count} packets", row.name));
            }
        }
        visited.0.insert(row.name);
    }
    let sealing = |row: &&'static ModeRow| row.sealing.is_some();
    visited.is_every(modes_with(Does::Batch).filter(sealing));
}

/// A column whose values keep their lengths. In columns nonces have 12 bytes, or there are none.
#[test]
fn columns() {
    let (mut random, mut visited) = (Random::new(0x5ea3), Visited::none());
    for (row, sealing) in sealing_modes().filter(|(row, _)| row.operations.contains(&Does::Column)) {
        for (&key_len, kernel) in
            sealing.key_lens.iter().flat_map(|len| sealing.kernels().map(move |it| (len, it)))
        {
            let key = random.bytes(key_len);
            let sealer = sealing.make(&key, kernel).expect("a key");
            let lens = [0, 1, 16, 100, 5, 33, 0, 64];
            let offsets: Vec<i32> = (0..=lens.len()).map(|row| lens[..row].iter().sum::<i32>()).collect();
            let data = random.bytes(offsets[lens.len()] as usize);
            let nonce_len = if matches!(row.name, "siv" | "aez") { 0 } else { 12 };
            let (nonces, mut tags) = (random.bytes(nonce_len * lens.len()), vec![0; 16 * lens.len()]);
            let (mut out, mut opened, mut failed) = (vec![0; data.len()], vec![0; data.len()], [0]);
            let values = Values::new(Offsets::I32(&offsets), &data).expect("offsets");
            let column =
                Column { values, output: &mut out, nonces: &nonces, tags: &mut tags, aad: b"name".into() };
            let done = sealing.column(&*sealer, column, None);
            assert_eq!(done.expect("a mode with columns"), Ok(0), "{}", row.name);
            for (i, range) in offsets.windows(2).enumerate() {
                let range = range[0] as usize..range[1] as usize;
                let nonce = &nonces[nonce_len * i..][..nonce_len];
                let expected = sealed(row.name, &key, nonce, b"name", &data[range.clone()]).expect("a mode");
                same(&out[range], &expected.0, || format!("{} in a column, row {i}", row.name));
                same(&tags[16 * i..][..16], &expected.1, || format!("{} in a column, row {i}", row.name));
            }
            tags[16 * 3] ^= 1;
            let values = Values::new(Offsets::I32(&offsets), &out).expect("offsets");
            let column =
                Column { values, output: &mut opened, nonces: &nonces, tags: &mut tags, aad: b"name".into() };
            let done = sealing.column(&*sealer, column, Some(&mut failed));
            assert_eq!((done.expect("a mode with columns"), failed), (Ok(1), [1 << 3]), "{}", row.name);
            let mut expected = data.clone();
            expected[17..117].fill(0);
            same(&opened, &expected, || format!("{} in a column", row.name));
        }
        visited.0.insert(row.name);
    }
    let sealing = |row: &&'static ModeRow| row.sealing.is_some();
    visited.is_every(modes_with(Does::Column).filter(sealing));
}
