//! The ends of the memory of packets, beside which nothing is touched.

use crate::common::guarded::{End, flush, guarded};
use crate::common::packets::{How, Kind, One, Parts, Pool, run_packets, test_per_how};
use crate::common::{Random, long_or_short};
use abreast::InOutBuf;

/// Guarded memory for each buffer of a message.
struct Memory {
    iv: &'static mut [u8],
    aad: &'static mut [u8],
    input: &'static mut [u8],
    output: &'static mut [u8],
    tag: &'static mut [u8],
}

impl Memory {
    fn new() -> Self {
        let [iv, aad, input, output, tag] = [(); 5].map(|()| guarded(4096));
        Self { iv, aad, input, output, tag }
    }

    /// Each buffer at an end of its memory, by the bits of a number.
    fn take(&mut self, parts: &Parts, ends: usize) -> One<'_> {
        fn placed<'m>(memory: &'m mut [u8], bytes: &[u8], end: End) -> &'m mut [u8] {
            let place = flush(memory, end, bytes.len());
            place.copy_from_slice(bytes);
            place
        }
        let [first, second, third, fourth, fifth] = each_end(ends);
        let input = placed(self.input, &parts.input, first);
        let io = match &parts.output {
            None => input.into(),
            Some(output) => InOutBuf::new(input, placed(self.output, output, second)).expect("equal lengths"),
        };
        let tag = placed(self.tag, &parts.tag, third);
        One { iv: placed(self.iv, &parts.iv, fourth), aad: placed(self.aad, &parts.aad, fifth), io, tag }
    }

    /// Reads the parts of a message back from this memory.
    fn holds(&mut self, parts: &Parts, ends: usize) -> Parts {
        let [first, second, third, fourth, fifth] = each_end(ends);
        let output = parts.output.as_ref().map(|output| flush(self.output, second, output.len()).to_vec());
        Parts {
            iv: flush(self.iv, fourth, parts.iv.len()).to_vec(),
            aad: flush(self.aad, fifth, parts.aad.len()).to_vec(),
            input: flush(self.input, first, parts.input.len()).to_vec(),
            output,
            tag: flush(self.tag, third, parts.tag.len()).to_vec(),
        }
    }
}

/// Five ends, by the bits of a number.
fn each_end(bits: usize) -> [End; 5] {
    [0, 1, 2, 3, 4].map(|bit| if bits >> bit & 1 == 0 { End::First } else { End::Last })
}

/// No byte beside a buffer is touched, of lanes that go on while others have ended too. A failure is a fault that
/// ends the test program; a debugger says where.
fn memory_ends(how: How) {
    let mut random = Random::new(316);
    let mut memory: Vec<_> = (0..33).map(|_| Memory::new()).collect();
    let all = Kind::all();
    for kinds in [&[Kind::listed("aes-128")][..], &[Kind::Serpent(32)], &[Kind::listed("xtea")], &all] {
        let messages: Vec<_> = (0..67)
            .map(|at| {
                let len = match at % 5 {
                    0 => random.up_to(600),
                    1 => random.pick(&[0, 1, 8, 16]),
                    _ => random.up_to(80),
                };
                (random.pick(kinds), len)
            })
            .collect();
        let pool = Pool::new(&mut random, how, messages);
        if pool.len() == 0 {
            continue;
        }
        for &direction in how.directions() {
            for form in 0..pool.forms(0) {
                for count in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33].into_iter().step_by(long_or_short(1, 3))
                {
                    for round in 0..long_or_short(4, 1) {
                        // Both buffers at each end of theirs, and the others at either, are all there.
                        let ends = |at: usize| (9 * round) ^ ((at * 11) >> 1 & 31);
                        let members: Vec<_> = (0..count)
                            .map(|at| pool.member(direction, 5 * count + at, form, (at + round) % 3 == 0))
                            .collect();
                        let messages = memory.iter_mut().zip(&members).enumerate();
                        let messages =
                            messages.map(|(at, (memory, member))| memory.take(&member.before, ends(at)));
                        let keys = members.iter().map(|member| member.key);
                        let results = run_packets(how, direction, keys, messages);
                        for (at, (member, result)) in members.iter().zip(results).enumerate() {
                            let held = memory[at].holds(&member.before, ends(at));
                            assert!(
                                result == Ok(()) && held == member.after,
                                "{how:?}, {direction:?}, {at} of {count}, {:?}",
                                member.key.cipher()
                            );
                        }
                    }
                }
            }
        }
    }
}
test_per_how!(memory_ends);
