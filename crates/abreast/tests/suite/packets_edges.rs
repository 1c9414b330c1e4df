//! Packets where something ends: bad ones among good ones, counters that wrap, buffers that end where the accessible
//! memory ends.

use crate::common::guarded::untouchable;
use crate::common::packets::{
    How, Key, Kind, Member, Parts, Pool, check, counter_before, random_parts, test_per_how,
};
use crate::common::{Random, Reference, long_or_short, nonce_for, same, short};
use abreast::modes::{CounterWidth, Direction};
use abreast::packets::{self, Packet};
use abreast::{Error, InOutBuf};

/// Messages of a batch in which one is bad.
const BATCH: usize = 20;

/// A change that makes a message invalid, and the error that it causes.
struct Fault {
    make: fn(&mut Parts),
    error: Error,
}

/// Returns the faults that a message can have.
fn faults(how: How, direction: Direction) -> Vec<Fault> {
    let fault = |error, make| Fault { make, error };
    let iv = |error| {
        [
            fault(error, |parts| parts.iv.truncate(7)),
            fault(error, |parts| parts.iv.push(7)),
            fault(error, |parts| parts.iv.clear()),
            fault(error, |parts| parts.iv = vec![7; 24]),
        ]
    };
    let ragged = |error| {
        [
            fault(error, |parts| parts.input.push(7)),
            fault(error, |parts| parts.input.resize(1, 7)),
            fault(error, |parts| parts.input = vec![7; 1025]),
        ]
    };
    let mut faults = Vec::new();
    match how {
        How::Ecb => faults.extend(ragged(Error::PartialBlock)),
        How::Cbc => {
            faults.extend(iv(Error::IvLength));
            faults.extend(ragged(Error::PartialBlock));
        }
        How::Ctr(_) => faults.extend(iv(Error::CounterLength)),
        How::Ofb => faults.extend(iv(Error::IvLength)),
        How::Xts => {
            faults.extend(iv(Error::IvLength));
            faults.push(fault(Error::UnitLength, |parts| parts.input.truncate(15)));
            faults.push(fault(Error::UnitLength, |parts| parts.input.clear()));
        }
        How::Gcm => {
            faults.push(fault(Error::NonceLength, |parts| parts.iv.clear()));
            faults.push(fault(Error::TagLength, |parts| parts.tag.truncate(7)));
        }
        How::Hctr2 => {
            faults.push(fault(Error::MessageTooShort, |parts| parts.input.truncate(15)));
            faults.push(fault(Error::MessageTooShort, |parts| parts.input.clear()));
        }
        How::Siv => faults.push(fault(Error::TagLength, |parts| parts.tag.truncate(15))),
        How::Eax | How::Cmac => {}
    }
    if how.has_tags() {
        faults.push(fault(Error::TagLength, |parts| parts.tag = vec![7; 17]));
        faults.push(fault(Error::TagLength, |parts| parts.tag.clear()));
        if direction == Direction::Decrypt {
            faults.push(fault(Error::TagMismatch, |parts| parts.tag[0] ^= 0x80));
            faults.push(fault(Error::TagMismatch, |parts| *parts.tag.last_mut().expect("a tag") ^= 1));
            faults.push(fault(Error::TagMismatch, |parts| parts.aad.push(0)));
            if how != How::Cmac {
                faults.push(fault(Error::TagMismatch, |parts| parts.input.push(0)));
            }
        }
    }
    faults
}

/// A bad one in any place is refused there, and nowhere else.
fn bad_ones_among_good_ones(how: How) {
    let mut random = Random::new(311);
    let some = |random: &mut Random, kinds: &[Kind]| {
        let messages: Vec<_> = (0..BATCH).map(|_| (random.pick(kinds), 1 + random.up_to(150))).collect();
        Pool::new(random, how, messages)
    };
    let alike = |random: &mut Random, kind, len| Pool::new(random, how, [(kind, len); BATCH]);
    let mut suited = Kind::all();
    suited.retain(|kind| how.suits(*kind));
    let mut pools = vec![some(&mut random, &suited)];
    for kind in [Kind::listed("aes-128"), Kind::Serpent(32), Kind::listed("xtea")]
        .into_iter()
        .filter(|kind| how.suits(*kind))
    {
        pools.push(some(&mut random, &[kind]));
        pools.push(alike(&mut random, kind, 48));
        pools.push(alike(&mut random, kind, 16));
    }
    for pool in &pools {
        for &direction in how.directions() {
            for form in (0..pool.forms(0)).step_by(long_or_short(1, 4)) {
                for (number, fault) in faults(how, direction).into_iter().enumerate() {
                    let bad = |at: usize| {
                        let good = pool.member(direction, at, form, true);
                        let mut before = good.before;
                        (fault.make)(&mut before);
                        let before = before.in_place((at + number).is_multiple_of(2));
                        let judge = pool.key(at, 0);
                        let member = Member::judged(how, direction, judge, good.key, before);
                        assert_eq!(member.result, Err(fault.error));
                        if fault.error == Error::TagMismatch && how != How::Cmac {
                            assert!(member.after.written().iter().all(|byte| *byte == 0));
                        } else {
                            assert_eq!(member.after, member.before);
                        }
                        member
                    };
                    let good = |at: usize| pool.member(direction, at, form, at.is_multiple_of(3));
                    for place in 0..BATCH {
                        let one_bad: Vec<_> =
                            (0..BATCH).map(|at| if at == place { bad(at) } else { good(at) }).collect();
                        check("one bad", how, direction, &one_bad);
                        if place % 4 == form % 4 {
                            let one_good: Vec<_> =
                                (0..BATCH).map(|at| if at == place { good(at) } else { bad(at) }).collect();
                            check("one good", how, direction, &one_good);
                        }
                    }
                }
            }
        }
    }
}
test_per_how!(bad_ones_among_good_ones);

/// A counter as wide as the blocks of some and wider than those of others.
#[test]
fn counters_too_wide_for_some() {
    let mut random = Random::new(312);
    let how = How::Ctr(CounterWidth::Bits128);
    for form in 0..8 {
        let keys: Vec<_> = Kind::all()
            .iter()
            .cycle()
            .take(40)
            .map(|kind| {
                let kernels = kind.kernels();
                (*kind, kind.key(&random.bytes(kind.key_len()), kernels[form % kernels.len()], false))
            })
            .collect();
        let batch: Vec<_> = (0..)
            .zip(&keys)
            .map(|(at, (kind, key))| {
                let parts = random_parts(&mut random, how, *kind, 3 * at).in_place(at % 2 == 0);
                Member::judged(how, Direction::Encrypt, &**key, &**key, parts)
            })
            .collect();
        let refused = |member: &&Member<'_>| member.result == Err(Error::CounterWidth);
        let narrow = keys.iter().filter(|(kind, _)| kind.block() < 16).count();
        assert!(narrow > 0 && narrow < keys.len());
        assert_eq!(batch.iter().filter(refused).count(), narrow);
        check("counters too wide for some", how, Direction::Encrypt, &batch);
    }
}

/// A message of a block more than the counter has values, in any place. Nothing of it is looked at: if the limit slips,
/// the buffer cannot be touched, and this program ends by a fault at once.
#[test]
fn a_message_that_exhausts_its_counter() {
    let mut random = Random::new(313);
    // An emulator keeps books of every page of so much address space.
    let all =
        if short() { None } else { 16_usize.checked_mul(1 << 16).and_then(|half| half.checked_mul(1 << 16)) };
    let longest = all.unwrap_or(16 << 16);
    let long = untouchable(longest + 1);
    for kind in [Kind::listed("aes-128"), Kind::Serpent(16), Kind::listed("xtea")] {
        let block = kind.block();
        for (width, blocks) in [
            (CounterWidth::Bits16, 1 << 16),
            (CounterWidth::Bits32, 1 << 32),
            (CounterWidth::Bits64, if block == 8 { 1 << 32 } else { u64::MAX }),
        ] {
            let how = How::Ctr(width);
            let len = usize::try_from(blocks).ok().and_then(|blocks| blocks.checked_mul(block));
            let Some(len) = len.filter(|len| *len <= longest) else { continue };
            let pool = Pool::new(&mut random, how, (0..BATCH).map(|at| (kind, 5 * at)));
            for form in 0..pool.forms(0) {
                for place in (0..BATCH).step_by(long_or_short(1, 7)) {
                    let members: Vec<_> =
                        (0..BATCH).map(|at| pool.member(Direction::Encrypt, at, form, true)).collect();
                    let mut texts: Vec<_> =
                        members.iter().map(|member| member.before.input.clone()).collect();
                    let mut bad = Some(InOutBuf::from(&mut long[..len + 1]));
                    let mut batch = Vec::new();
                    for (at, (member, text)) in members.iter().zip(&mut texts).enumerate() {
                        let bad = bad.take_if(|_| at == place);
                        let buffer = bad.unwrap_or_else(|| text.as_mut_slice().into());
                        batch.push(Packet::new(member.key.cipher(), &member.before.iv, buffer));
                    }
                    packets::ctr(&mut batch, width);
                    for (at, packet) in batch.iter_mut().enumerate() {
                        let what = || format!("{kind:?}, {width:?}, {at} beside {place}");
                        if at == place {
                            assert_eq!(packet.result, Err(Error::CounterExhausted), "{}", what());
                        } else {
                            assert_eq!(packet.result, Ok(()), "{}", what());
                            same(packet.buffer.get_out(), &members[at].after.input, what);
                        }
                    }
                }
            }
        }
    }
}

/// Blocks of 64 bits: a packet in CBC has at most 2^32 of them. If the limit slips, the buffer cannot be touched, and
/// this program ends by a fault at once.
#[test]
#[cfg(all(unix, target_pointer_width = "64"))]
fn a_message_too_long_for_small_blocks() {
    if short() {
        return;
    }
    let long = untouchable((8 << 32) + 8);
    let xtea = abreast::xtea::Xtea::new(&[7; 16]);
    for operation in [packets::cbc_encrypt, packets::cbc_decrypt] {
        for place in 0..3 {
            let mut texts = [[5; 24]; 3];
            let mut long = Some(&mut long[..(8 << 32) + 8]);
            let mut batch: Vec<_> = (texts.iter_mut().enumerate())
                .map(|(at, text)| {
                    let buffer = long.take_if(|_| at == place).unwrap_or(text.as_mut_slice());
                    Packet::new(&xtea, &[1; 8], buffer)
                })
                .collect();
            operation(&mut batch);
            for (at, packet) in batch.iter().enumerate() {
                let expected = if at == place { Err(Error::MessageTooLong) } else { Ok(()) };
                assert_eq!(packet.result, expected, "{at} beside {place}");
            }
        }
    }
}

/// Counters that wrap, and carries that leave a byte or a word, at another block in every lane.
fn counters_wrap(how: How) {
    let mut random = Random::new(314);
    // Messages that fill one, two and four of the widest registers, and longer and shorter ones.
    let lens = [16 * 5 + 5, 16 * 4, 16 * 8, 16 * 16, 16 * 40 + 5, 16];
    let lens = &lens[..long_or_short(lens.len(), 2)];
    for kind in Kind::all().into_iter().filter(|kind| how.suits(*kind)) {
        for len in lens.iter().copied() {
            let pool = Pool::new(&mut random, how, [(kind, len); 5]);
            for ones in
                [8, 16, 32, 48, 64, 96, 128].into_iter().filter(|ones| *ones <= 8 * kind.block() as u32)
            {
                let batch: Vec<_> = (0..33)
                    .map(|at| {
                        let mut parts = random_parts(&mut random, how, kind, len - at % 7);
                        parts.iv = counter_before(&mut random, kind.block(), ones, at);
                        Member::judged(how, Direction::Encrypt, pool.key(at, 0), pool.key(at, 0), parts)
                    })
                    .collect();
                for form in 0..pool.forms(0) {
                    let batch: Vec<_> =
                        (0..).zip(&batch).map(|(at, member)| member.with(pool.key(at, form))).collect();
                    check("counters that wrap", how, Direction::Encrypt, &batch);
                    check("counters that wrap", how, Direction::Encrypt, &batch[5..13]);
                }
            }
        }
    }
}

#[test]
fn counters_wrap_inside_packets() {
    for how in How::ALL.into_iter().filter(|how| matches!(how, How::Ctr(_))) {
        counters_wrap(how);
    }
}

/// GCM counts in 32 bits, and may begin anywhere.
#[test]
fn the_counter_of_gcm_wraps_inside_packets() {
    let mut random = Random::new(315);
    for (kind, name) in [
        (Kind::listed("aes-128"), "aes-128"),
        (Kind::listed("aes-256"), "aes-256"),
        (Kind::Serpent(24), "serpent-192"),
    ] {
        let len = 16 * long_or_short(40, 5) + 5;
        let bytes = random.bytes(kind.key_len());
        let reference = Reference::new(name, &bytes);
        let kernels = kind.kernels();
        let keys: Vec<Box<dyn Key>> = kernels.iter().map(|kernel| kind.key(&bytes, *kernel, false)).collect();
        let batch: Vec<_> = (0..20)
            .map(|at| {
                let mut parts = random_parts(&mut random, How::Gcm, kind, len - at % 7);
                let first = (u128::from_be_bytes(random.block()) | 0xffff_ffff) - at as u128;
                parts.iv = nonce_for(reference.of_16(), first).to_vec();
                Member::judged(How::Gcm, Direction::Encrypt, &*keys[0], &*keys[0], parts)
            })
            .collect();
        for key in &keys {
            let batch: Vec<_> = batch.iter().map(|member| member.with(&**key)).collect();
            check("GCM's counters that wrap", How::Gcm, Direction::Encrypt, &batch);
        }
    }
}
