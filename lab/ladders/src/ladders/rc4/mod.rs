//! RC4, which is broken and still spoken.
//!
//! From an article about the RC4 of OpenSolaris on a Sun Fire X4150 (2009), which found with a profiler where the
//! CPU waits, and wrote the loop in three versions, the last of them 15 % faster than the first. The ladder goes on with what such a loop waits for today, and with several streams side by side.
//!
//! A step of RC4 is
//!
//! ```text
//! i += 1;  j += S[i];  swap S[i], S[j];  output S[S[i] + S[j]]
//! ```
//!
//! These are three loads from a table and two stores to it, at addresses that depend on what was loaded. The
//! CPU has to find out whether a load wants what one of the stores before it has just written, and may have
//! to wait for that. No count of instructions says how long, so there is no floor.

pub mod one;
pub mod side_by_side;
pub mod state;

use abreast::InOutBuf;
use abreast::rc4::{Message, Rc4, Stream, apply_keys, apply_many};
use abreast_reference::rc4 as reference;

use crate::ladder::{Ladder, Step, Workload};
use crate::sample::Random;

use state::{Element, KEY, Key, State};

/// The ladder.
pub(super) fn ladder() -> Ladder {
    Ladder {
        name: "rc4",
        title: "RC4",
        about: "Keys of 16 bytes, after an article about the RC4 of OpenSolaris on a Sun Fire X4150 \
                (2009). Key schedules are measured in the last workload only; the others begin with \
                copies of states.",
        instructions: Vec::new(),
        workloads: vec![one_stream(), streams(), key_set_up()],
    }
}

fn one_stream() -> Workload {
    let work = Work::<1> { len: 16 * 1024, with_schedule: false };
    let mut steps = work.one_by_one::<256>();
    let [cipher] = work.keys().map(rc4);
    steps.push(Step::new(
        "library",
        "The kernel of this library for one stream, which is made like the step before.",
        move |input, output| cipher.clone().apply(work.messages(input, output)()),
    ));
    work.workload("16 KiB, one stream", steps)
}

fn streams() -> Workload {
    let work = Work::<8> { len: 2 * 1024, with_schedule: false };
    let mut steps = work.one_by_one::<256>();
    steps.extend(work.side_by_side::<256>());
    let first = work.keys().map(rc4);
    steps.push(Step::new(
        "library",
        "The kernel of this library for several streams: three side by side, or sixteen in the lanes of \
         AVX-512 if there are so many.",
        move |input, output| {
            let mut ciphers = first.clone();
            let mut messages = work.messages(input, output);
            let mut streams = ciphers.each_mut().map(|state| Stream { state, buffer: messages() });
            apply_many(&mut streams);
        },
    ));
    work.workload("16 KiB, 8 streams", steps)
}

fn key_set_up() -> Workload {
    let work = Work::<64> { len: 64, with_schedule: true };
    let mut steps = work.one_by_one::<64>();
    steps.extend(work.side_by_side::<64>());
    let keys = work.keys();
    steps.push(Step::new(
        "library",
        "The function of this library for messages with keys of their own, which takes two of them side by \
         side.",
        move |input, output| {
            let mut messages = work.messages(input, output);
            let mut batch = keys.each_ref().map(|key| Message { key, skip: 0, buffer: messages() });
            apply_keys(&mut batch).expect("keys have 16 bytes");
        },
    ));
    work.workload("key set-up: 64 messages of 64 B", steps)
}

fn rc4(key: Key) -> Rc4 {
    Rc4::new(&key).expect("a key has 16 bytes")
}

/// `MESSAGES` messages of `len` bytes under keys of their own.
#[derive(Clone, Copy)]
struct Work<const MESSAGES: usize> {
    len: usize,
    /// True if key schedules are part of the work; else the states are there.
    with_schedule: bool,
}

impl<const MESSAGES: usize> Work<MESSAGES> {
    fn keys(self) -> [Key; MESSAGES] {
        let mut keys = [[0; KEY]; MESSAGES];
        keys.as_flattened_mut().copy_from_slice(&Random::new(3).bytes(MESSAGES * KEY));
        keys
    }

    fn workload(self, name: &'static str, steps: Vec<Step>) -> Workload {
        let input = Random::new(1).bytes(MESSAGES * self.len);
        let messages = self.keys().into_iter().zip(input.chunks(self.len));
        let expected = messages.flat_map(|(key, message)| reference::Rc4::new(&key).apply(message)).collect();
        Workload { name, bytes: input.len(), input, expected, steps, floor: None }
    }

    /// The messages for the library, one with each call.
    fn messages<'i, 'o>(self, input: &'i [u8], output: &'o mut [u8]) -> impl FnMut() -> InOutBuf<'i, 'o, u8> {
        let mut messages = input.chunks(self.len).zip(output.chunks_mut(self.len));
        move || {
            let (input, output) = messages.next().expect("there is a message for each key");
            InOutBuf::new(input, output).expect("both have the same length")
        }
    }

    /// One message after the other. Where sixteen steps are written out, so they are in the key schedule.
    fn one_by_one<const PASS: usize>(self) -> Vec<Step> {
        let version_3 = self.step(
            "version 3",
            "A byte of keystream is used one step after it was loaded, so that nothing waits for that \
             load. A CPU that executes out of order does most of this by itself.",
            state::schedule,
            |[state], input, output| one::version_3(state, input, output),
        );
        vec![
            self.step(
                "version 1",
                "By the book: swap two elements of a table of bytes, read both again, and use their sum as \
                 an index.",
                state::schedule,
                |[state], input, output| one::version_1(state, input, output),
            ),
            self.step(
                "version 2",
                "What was swapped is still in registers, and need not be loaded again after the stores of \
                 the swap.",
                state::schedule,
                |[state], input, output| one::version_2(state, input, output),
            ),
            if MESSAGES == 1 { version_3.then(1.15) } else { version_3 },
            self.step(
                "version 3, words",
                "The elements are words of 32 bits, as OpenSolaris had them on 64-bit x86. Some CPUs pass \
                 these from a store to a load sooner than bytes: on Zen 3, elements of 8 and 16 bits take \
                 the same time, and those of 32 and 64 bits a fifth less.",
                state::schedule,
                |[state], input, output| one::version_3_words(state, input, output),
            ),
            self.step(
                "next element ahead",
                "S[i] of the next step is loaded before this step stores anything, and put right by a \
                 branch in the one case of 256 where the swap changes it. The chain from step to step is \
                 then one addition to j.",
                state::schedule,
                |[state], input, output| one::next_element_ahead(state, input, output),
            ),
            self.step(
                "four bytes at a time",
                "Four bytes of keystream come together in a register and are stored at once: for each byte \
                 two stores and a quarter, where there were three.",
                state::schedule,
                side_by_side::crypt::<1, 4, PASS>,
            ),
            self.step(
                "sixteen steps written out",
                "In sixteen steps in a row i is an offset that the instructions contain. The key schedule, \
                 if it is measured, is written in the same way.",
                side_by_side::schedule,
                side_by_side::crypt::<1, 16, PASS>,
            ),
        ]
    }

    /// Several messages at once.
    fn side_by_side<const PASS: usize>(self) -> [Step; 3] {
        [
            self.step(
                "2 streams",
                "Two streams take turns, step by step: while one waits for its table, the other goes on.",
                side_by_side::schedule,
                side_by_side::crypt::<2, 16, PASS>,
            ),
            self.step(
                "4 streams",
                "Four streams have less to wait for, but what is kept of each no longer fits into the \
                 registers of x86.",
                side_by_side::schedule,
                side_by_side::crypt::<4, 16, PASS>,
            ),
            self.step(
                "8 streams",
                "With eight streams most of what is kept is loaded and stored in each step.",
                side_by_side::schedule,
                side_by_side::crypt::<8, 16, PASS>,
            ),
        ]
    }

    /// A step that takes `N` messages at a time.
    fn step<const N: usize, T: Element>(
        self,
        name: &'static str,
        change: &'static str,
        schedule: fn(&[Key; N]) -> [State<T>; N],
        crypt: fn(&mut [State<T>; N], &[u8], &mut [u8]),
    ) -> Step {
        let keys = self.keys().as_chunks().0.to_vec();
        let first: Vec<[State<T>; N]> = keys.iter().map(schedule).collect();
        Step::new(name, change, move |input, output| {
            let messages = input.chunks(N * self.len).zip(output.chunks_mut(N * self.len));
            for (n, (input, output)) in messages.enumerate() {
                let mut states = if self.with_schedule { schedule(&keys[n]) } else { first[n] };
                crypt(&mut states, input, output);
            }
        })
    }
}
