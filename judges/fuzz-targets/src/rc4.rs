//! RC4: streams in pieces and many side by side, against the reference.

use abreast::rc4::{Message, Rc4, Stream, apply_keys_with_kernel, apply_many_with_kernel};
use abreast::{Error, Kernel};
use abreast_reference::rc4::Rc4 as Reference;
use arbitrary::Arbitrary;

use crate::common::{Random, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    kernel: u8,
    seed: u64,
    bad_key: bool,
    streams: Vec<One>,
}

#[derive(Arbitrary, Debug)]
struct One {
    key: u8,
    skip: u16,
    len: u16,
    /// True if the stream is exported and imported after each piece.
    exported: bool,
    pieces: Vec<u8>,
}

/// The most streams: more than go side by side.
const MOST: usize = 40;
/// The longest message.
const LONGEST: usize = 1500;

pub(crate) fn run(data: &[u8]) {
    let Some(mut case) = fields::<Case>(data) else { return };
    case.streams.truncate(MOST);
    let kernel = pick(&Rc4::kernels().collect::<Vec<Kernel>>(), case.kernel);
    let mut random = Random::new(case.seed);
    let mut all = Vec::new();
    for one in &case.streams {
        let key = random.bytes(usize::from(one.key) + 1);
        let data = random.bytes(usize::from(one.len) % LONGEST);
        let skip = u64::from(one.skip % 2000);
        let mut reference = Reference::new(&key);
        reference.keystream(skip as usize);
        let expected = reference.apply(&data);
        in_pieces(one, &key, skip, &data, &expected);
        all.push((key, skip, data, expected));
    }

    let mut outputs: Vec<_> = all.iter().map(|(_, _, data, _)| data.clone()).collect();
    let mut batch: Vec<_> = (all.iter().zip(&mut outputs))
        .map(|((key, skip, ..), data)| Message { key, skip: *skip, buffer: data.as_mut_slice().into() })
        .collect();
    let longer = [0; 257];
    if case.bad_key
        && let Some(message) = batch.last_mut()
    {
        message.key = if case.seed % 2 == 0 { &[] } else { &longer };
        assert_eq!(apply_keys_with_kernel(&mut batch, kernel), Err(Error::KeyLength));
        for ((_, _, data, _), output) in all.iter().zip(&outputs) {
            same(output, data, || format!("nothing was to be done by {kernel}"));
        }
    } else {
        assert_eq!(apply_keys_with_kernel(&mut batch, kernel), Ok(()));
        for ((_, _, _, expected), output) in all.iter().zip(&outputs) {
            same(output, expected, || format!("keys side by side by {kernel}"));
        }
    }

    // In two calls, whose pieces end at different places.
    let mut outputs: Vec<_> = all.iter().map(|(_, _, data, _)| data.clone()).collect();
    let mut states: Vec<_> =
        all.iter().map(|(key, ..)| Rc4::new(key).expect("a key of its length")).collect();
    for (state, (_, skip, ..)) in states.iter_mut().zip(&all) {
        state.skip(*skip);
    }
    for second in [false, true] {
        let mut batch: Vec<_> = (states.iter_mut().zip(&mut outputs).zip(&case.streams))
            .map(|((state, data), one)| {
                let cut = usize::from(one.skip) % (data.len() + 1);
                let (head, tail) = data.split_at_mut(cut);
                Stream { state, buffer: if second { tail.into() } else { head.into() } }
            })
            .collect();
        assert_eq!(apply_many_with_kernel(&mut batch, kernel), Ok(()));
    }
    for ((_, _, _, expected), output) in all.iter().zip(&outputs) {
        same(output, expected, || format!("streams side by side by {kernel}"));
    }
}

fn in_pieces(one: &One, key: &[u8], skip: u64, data: &[u8], expected: &[u8]) {
    let mut stream = Rc4::new(key).expect("a key of its length");
    stream.skip(skip);
    let (mut got, mut done) = (data.to_vec(), 0);
    for piece in &one.pieces {
        let end = (done + usize::from(*piece)).min(data.len());
        stream.apply(&mut got[done..end]);
        done = end;
        if one.exported {
            stream = Rc4::import(&stream.export()).expect("what was exported");
        }
    }
    stream.apply(&mut got[done..]);
    same(&got, expected, || format!("{} pieces", one.pieces.len()));
}
