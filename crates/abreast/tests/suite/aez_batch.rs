//! AEZ in batches: every message of a batch has the same result as alone, whatever lies beside it.

use crate::common::aez::{Message, Shape, aez_kernels, at_len, in_place_or_not};
use crate::common::boundaries::{counts as boundary_counts, lengths as boundary_lengths};
use crate::common::modes::DIRECTIONS;
use crate::common::{Random, long_or_short, number, same, tally};
use abreast::aez::Aez;
use abreast::modes::Direction;
use abreast::packets::{Packet, aez_decrypt, aez_encrypt};
use abreast::{Error, Kernel};

/// Messages with a key each, at every kernel.
struct Pool {
    messages: Vec<Message>,
    /// Kernel by kernel, the keys of the messages.
    keys: Vec<Vec<Aez>>,
}

impl Pool {
    fn new(messages: Vec<Message>) -> Self {
        let at = |kernel: Kernel| {
            let key = |message: &Message| Aez::with_kernel(&message.key, kernel).expect("a kernel of AEZ");
            messages.iter().map(key).collect()
        };
        Self { keys: aez_kernels().into_iter().map(at).collect(), messages }
    }

    /// With shapes by chance around messages of lengths given.
    fn of_lengths(random: &mut Random, lengths: impl IntoIterator<Item = usize>) -> Self {
        let message = |len| {
            let shape = Shape::random(random, len).of_packet();
            Message::new(random, &shape)
        };
        Self::new(lengths.into_iter().map(message).collect())
    }

    /// A member at one of the kernels.
    fn at(&self, kernel: usize, which: usize) -> Member<'_> {
        let which = which % self.messages.len();
        Member { message: &self.messages[which], key: &self.keys[kernel][which], fault: Fault::None }
    }

    /// Some of them in their order, beginning with any.
    fn batch(&self, kernel: usize, from: usize, count: usize) -> Vec<Member<'_>> {
        (from..from + count).map(|which| self.at(kernel, which)).collect()
    }

    fn kernels(&self) -> std::ops::Range<usize> {
        0..self.keys.len()
    }
}

/// The fault of a message of a batch.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// This bit of its tag is flipped for decryption.
    Bit(usize),
    /// Its tag has this length instead of the key's.
    TagLen(usize),
}

/// A message of a batch.
#[derive(Clone, Copy)]
struct Member<'p> {
    message: &'p Message,
    key: &'p Aez,
    fault: Fault,
}

/// A buffer before and after.
type BeforeAndAfter = (Vec<u8>, Vec<u8>);

impl Member<'_> {
    fn result(&self, direction: Direction) -> Result<(), Error> {
        match (self.fault, direction) {
            (Fault::TagLen(_), _) => Err(Error::TagLength),
            (Fault::Bit(_), Direction::Decrypt) => Err(Error::TagMismatch),
            _ => Ok(()),
        }
    }

    /// Returns the input and the expected output. An output that is not written keeps `UNTOUCHED`, or the input if in place.
    fn text(&self, direction: Direction, in_place: bool) -> BeforeAndAfter {
        let (plaintext, ciphertext) = (self.message.plaintext.clone(), self.message.parts().0.to_vec());
        let len = plaintext.len();
        let (from, to) = match direction {
            Direction::Encrypt => (plaintext, ciphertext),
            Direction::Decrypt => (ciphertext, plaintext),
        };
        let to = match self.result(direction) {
            Ok(()) => to,
            Err(Error::TagMismatch) => vec![0; len],
            Err(_) if in_place => from.clone(),
            Err(_) => vec![UNTOUCHED; len],
        };
        (from, to)
    }

    fn tag(&self, direction: Direction) -> BeforeAndAfter {
        let mut tag = self.message.parts().1.to_vec();
        match (self.fault, direction) {
            (Fault::TagLen(len), _) => tag = vec![UNTOUCHED; len],
            (_, Direction::Encrypt) => return (vec![UNTOUCHED; tag.len()], tag),
            (Fault::Bit(bit), Direction::Decrypt) => {
                let len = tag.len();
                tag[bit / 8 % len] ^= 1 << (bit % 8);
            }
            (Fault::None, Direction::Decrypt) => {}
        }
        (tag.clone(), tag)
    }
}

/// The byte that fills an output before a call.
const UNTOUCHED: u8 = 0x3c;

/// Runs a batch, some of it in place, and expects the same result for each message as alone.
#[track_caller]
fn check(what: &str, direction: Direction, members: &[Member<'_>], in_place: impl Fn(usize) -> bool) {
    let texts: Vec<_> = (0..).zip(members).map(|(at, member)| member.text(direction, in_place(at))).collect();
    let all_tags: Vec<_> = members.iter().map(|member| member.tag(direction)).collect();
    let mut inputs: Vec<_> = texts.iter().map(|(input, _)| input.clone()).collect();
    let mut outputs: Vec<_> = texts.iter().map(|(input, _)| vec![UNTOUCHED; input.len()]).collect();
    let mut tags: Vec<_> = all_tags.iter().map(|(tag, _)| tag.clone()).collect();

    let mut packets = Vec::new();
    let buffers = inputs.iter_mut().zip(&mut outputs).zip(&mut tags);
    for (at, (member, ((input, output), tag))) in members.iter().zip(buffers).enumerate() {
        let io = in_place_or_not(in_place(at), input, output);
        let mut packet = Packet::new(at_len(member.key, member.message.tag_len), &member.message.nonce, io)
            .with_tag(member.message.string(), tag);
        assert_eq!(packet.result, Err(Error::NotProcessed));
        // An earlier result does not matter.
        packet.result = [Ok(()), Err(Error::NotProcessed), Err(Error::TagLength)][at % 3];
        packets.push(packet);
    }
    match direction {
        Direction::Encrypt => aez_encrypt(&mut packets),
        Direction::Decrypt => aez_decrypt(&mut packets),
    }
    let results: Vec<_> = packets.into_iter().map(|packet| packet.result).collect();
    tally::packets(members.len());

    for (at, member) in members.iter().enumerate() {
        let what = || {
            let (count, kernel, shape) = (members.len(), member.key.kernel(), member.message.shape());
            format!("{what}, {direction:?}, {at} of {count} on {kernel}, {shape:?}")
        };
        assert_eq!(results[at], member.result(direction), "{}", what());
        let (before, after) = &texts[at];
        same(if in_place(at) { &inputs[at] } else { &outputs[at] }, after, what);
        if !in_place(at) {
            same(&inputs[at], before, || format!("{}, the input", what()));
        }
        same(&tags[at], &all_tags[at].1, || format!("{}, the tag", what()));
    }
}

/// Both directions; in place, from buffer to buffer, and by turns.
#[track_caller]
fn check_all_ways(what: &str, members: &[Member<'_>]) {
    for direction in DIRECTIONS {
        check(what, direction, members, |_| true);
        check(what, direction, members, |_| false);
        check(what, direction, members, |at| at % 3 == 1);
    }
}

/// Up to some of the widest batches, and one more.
fn counts() -> impl Iterator<Item = usize> {
    (0..=65).step_by(long_or_short(1, 13))
}

#[test]
fn mixed_messages() {
    let mut random = Random::new(221);
    let lengths: Vec<_> = (0..211).map(|_| random.up_to(600)).collect();
    let pool = Pool::of_lengths(&mut random, lengths);
    for kernel in pool.kernels() {
        for count in counts() {
            check_all_ways("mixed", &pool.batch(kernel, 66 * count, count));
        }
    }
}

/// In such batches nothing but the lane differs, or nothing but the content.
#[test]
fn equal_lengths() {
    let mut random = Random::new(222);
    let lengths = [0, 1, 5, 15, 16, 17, 20, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 96, 128, 250, 509, 512];
    for len in lengths.into_iter().step_by(long_or_short(1, 3)) {
        for tag in [0, 16, 32] {
            let shape = Shape { tag, ..Shape::of(len) };
            let pool = Pool::new((0..66).map(|_| Message::new(&mut random, &shape)).collect());
            for kernel in pool.kernels() {
                let counts = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65];
                for count in counts.into_iter().step_by(long_or_short(1, 3)) {
                    check_all_ways("equal lengths", &pool.batch(kernel, count, count));
                }
            }
        }
    }
}

/// Messages without associated data, which go together as they come where their lengths and those of their nonces are
/// equal; and some among them whose nonces have another length, and which must not.
#[test]
fn nonces_without_associated_data() {
    let mut random = Random::new(228);
    for len in [0, 16, 20, 32, 48, 65, 250, 512] {
        for (usual, other) in [(12, 12), (16, 16), (5, 5), (0, 0), (12, 13), (12, 0), (16, 15), (8, 16)] {
            let message = |at: usize| {
                let nonce = if at % 7 == 3 { other } else { usual };
                Message::new(&mut random, &Shape { ads: Vec::new(), nonce, ..Shape::of(len) })
            };
            let pool = Pool::new((0..20).map(message).collect());
            for kernel in pool.kernels() {
                check_all_ways("without associated data", &pool.batch(kernel, 0, 20));
            }
        }
    }
}

/// Lengths one after the other, so that neighbours are nearly alike.
#[test]
fn every_length() {
    let mut random = Random::new(223);
    let usual = (0..=600).map(|len| Message::new(&mut random, &Shape::of(len)));
    for pool in [Pool::new(usual.collect()), Pool::of_lengths(&mut random, 0..=600)] {
        for kernel in pool.kernels() {
            for from in (0..=600).step_by(long_or_short(11, 61)) {
                check_all_ways("lengths in order", &pool.batch(kernel, from, 16));
                let mut turned = pool.batch(kernel, from, 13);
                turned.reverse();
                check_all_ways("lengths in the reverse order", &turned);
            }
        }
    }
}

/// Messages whose lengths are those at which a batch goes another way: all of them in one batch, and any of them beside
/// any other, in as many packets as make a difference.
#[test]
fn boundaries() {
    let mut random = Random::new(227);
    let lengths = boundary_lengths([], 16, long_or_short(4200, 900));
    let counts = boundary_counts([], long_or_short(129, 20));
    let pool = Pool::of_lengths(&mut random, lengths.iter().copied());
    for kernel in pool.kernels() {
        let mut all = pool.batch(kernel, 0, lengths.len());
        random.shuffle(&mut all);
        check_all_ways("all boundaries", &all);
        for count in &counts {
            let some: Vec<_> =
                (0..*count).map(|_| pool.at(kernel, random.up_to(lengths.len() - 1))).collect();
            check_all_ways("boundaries", &some);
        }
    }
}

/// Messages too long for lanes beside messages that go in lanes.
#[test]
fn long_messages_among_short_ones() {
    let mut random = Random::new(224);
    let lengths: Vec<_> = (0..97)
        .map(|i| match i % 8 {
            0 => 0,
            1 => 5000,
            3 => random.pick(&[2015, 2032, 2047, 2048, 2049, 2064, 2080, 2081, 4096]),
            5 => random.up_to(31),
            _ => random.up_to(600),
        })
        .collect();
    let pool = Pool::of_lengths(&mut random, lengths);
    for kernel in pool.kernels() {
        for count in counts().filter(|count| count % 3 == 2) {
            check_all_ways("long ones among short ones", &pool.batch(kernel, 7 * count, count));
        }
    }
}

/// A kernel is the key's, so that there may be several in a batch.
#[test]
fn mixed_kernels() {
    let mut random = Random::new(225);
    let lengths: Vec<_> = (0..97).map(|i| if i % 4 == 0 { 64 } else { random.up_to(600) }).collect();
    let pool = Pool::of_lengths(&mut random, lengths);
    let kernels = pool.kernels().len();
    for count in counts() {
        let by_turns: Vec<_> = (0..count).map(|at| pool.at(at % kernels, 3 * count + at)).collect();
        check_all_ways("kernels by turns", &by_turns);
        let at_random: Vec<_> =
            (0..count).map(|at| pool.at(random.up_to(kernels - 1), 5 * count + at)).collect();
        check_all_ways("kernels at random", &at_random);
    }
}

/// The very same message many times, and messages under one key.
#[test]
fn shared_keys() {
    let mut random = Random::new(226);
    let pool = Pool::of_lengths(&mut random, [0, 20, 64, 333]);
    let key = random.bytes(20);
    let messages = (0..33).map(|i| {
        let shape = Shape::random(&mut random, 17 * i % 200).of_packet();
        let mut message = Message::new(&mut random, &shape);
        message.key.clone_from(&key);
        message.ciphertext = message.by_another();
        message
    });
    let one_key = Pool::new(messages.collect());
    for kernel in pool.kernels() {
        for which in 0..pool.messages.len() {
            check_all_ways("one message", &vec![pool.at(kernel, which); 17]);
        }
        let key = &one_key.keys[kernel][0];
        for count in [2, 8, 33] {
            let members: Vec<_> =
                one_key.batch(kernel, 0, count).into_iter().map(|member| Member { key, ..member }).collect();
            check_all_ways("one key", &members);
        }
    }
}

#[test]
fn random_batches() {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(150, 5) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x0ae2_ba7c);
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let (count, most) = (1 + random.up_to(40), random.pick(&[15, 64, 300, 2100]));
        let lengths: Vec<_> = (0..count).map(|_| random.up_to(most)).collect();
        let pool = Pool::of_lengths(&mut random, lengths);
        for kernel in pool.kernels() {
            let mut members = pool.batch(kernel, 0, count);
            for member in &mut members {
                // No short tag, of which another is right by chance.
                match random.up_to(9) {
                    0 if member.message.tag_len >= 8 => member.fault = Fault::Bit(random.up_to(1000)),
                    1 => member.fault = Fault::TagLen(33 + random.up_to(20)),
                    _ => {}
                }
            }
            check_all_ways(&format!("seed {seed}"), &members);
        }
    }
}

/// A bad tag in any place is refused there, and nowhere else.
#[test]
fn forgeries() {
    let mut random = Random::new(227);
    let mixed: Vec<_> = (0..67).map(|_| random.up_to(300)).collect();
    let batches = [vec![64; 66], vec![20; 66], mixed.clone(), mixed, vec![0; 66]];
    let pools: Vec<_> = batches
        .into_iter()
        .enumerate()
        .map(|(i, lengths)| {
            let messages = lengths.into_iter().map(|len| {
                let mut shape = Shape::of(len);
                if i >= 3 {
                    shape =
                        Shape { tag: 8 + random.up_to(24), ..Shape::random(&mut random, len).of_packet() };
                }
                Message::new(&mut random, &shape)
            });
            Pool::new(messages.collect())
        })
        .collect();
    for pool in pools {
        for kernel in pool.kernels() {
            let counts = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 32, 33, 65];
            for count in counts.into_iter().step_by(long_or_short(1, 3)) {
                let genuine = pool.batch(kernel, count, count);
                for bad in (0..count).step_by(long_or_short(1, 5)) {
                    let mut members = genuine.clone();
                    members[bad].fault = Fault::Bit(bad * 29 + count);
                    check("one bad tag", Direction::Decrypt, &members, |at| at % 2 == 0);
                    check("one bad tag", Direction::Decrypt, &members, |at| at % 2 == 1);
                    // All of them but this.
                    for (at, member) in members.iter_mut().enumerate() {
                        member.fault = if at == bad { Fault::None } else { Fault::Bit(at * 31 + count) };
                    }
                    check("one good tag", Direction::Decrypt, &members, |at| at % 2 == bad % 2);
                }
            }
        }
    }
}

/// A tag of 33 bytes leaves its message alone, and the others are done.
#[test]
fn tags_too_long() {
    let mut random = Random::new(228);
    let pool =
        Pool::of_lengths(&mut random, [30, 64, 64, 0, 200, 5, 64, 64, 31, 100, 64, 17, 600, 64, 1, 2, 3]);
    for kernel in pool.kernels() {
        for direction in DIRECTIONS {
            let places = (0..17).flat_map(|bad| (bad + 1..=17).map(move |count| (bad, count)));
            for (bad, count) in places.step_by(long_or_short(1, 7)) {
                for tag_len in [33, 48, 100] {
                    let mut members = pool.batch(kernel, bad, count);
                    members[bad].fault = Fault::TagLen(tag_len);
                    check("a tag too long", direction, &members, |_| true);
                    check("a tag too long", direction, &members, |_| false);
                }
            }
        }
    }
}
