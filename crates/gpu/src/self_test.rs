//! The self-test of a cipher on a device: every kernel of it against the CPU, before anything else goes through.
//!
//! What judges is the library on the CPU, which shares no code with the kernels: lengths of one block, of some work
//! groups and of a chunk with a bit more; each mode in both directions.

use std::sync::Arc;

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr as CpuCtr, Direction, Xts as CpuXts};
use abreast::rc4::{self, Message, Rc4};
use abreast::xtea::{ByteOrder, Xtea};

use crate::Error;
use crate::cipher::{Cipher, Stopped, raw_blocks};
use crate::gpu::{Gpu, LEAST_CHUNK};
use crate::many::{self, KeyedMessage, Wanted};
use crate::xts::Xts;

/// Bytes of the longest message: several work groups, with a part of one.
const LEN: usize = LEAST_CHUNK + 3 * 16;

/// Bytes without a pattern, the same each time.
fn some_bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let byte = |_| {
        // Xorshift (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    (0..len).map(byte).collect()
}

fn wrong(gpu: &Gpu) -> Error {
    Error::WrongResult { device: gpu.device().name().to_owned() }
}

/// A cipher with blocks in all modes.
pub(crate) fn of_cipher(gpu: &Arc<Gpu>, algorithm: Algorithm) -> Result<(), Error> {
    let key = some_bytes(algorithm.key_len(), 1);
    let cipher = Cipher::untested(gpu, algorithm, &key)?;
    let cpu = algorithm.with_key(&key, None)?;
    let block = algorithm.block_size();
    let error = |Stopped { error, .. }| error;
    for len in [block, LEN] {
        let input = some_bytes(len, 2);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let [mut ours, mut theirs] = [input.clone(), input.clone()];
            match direction {
                Direction::Encrypt => cipher.encrypt_raw_blocks((&mut ours[..]).into()),
                Direction::Decrypt => cipher.decrypt_raw_blocks((&mut ours[..]).into()),
            }
            .map_err(error)?;
            raw_blocks(&*cpu, direction, (&mut theirs[..]).into())?;
            if ours != theirs {
                return Err(wrong(gpu));
            }
        }
        // The lower half of the counter wraps within the first work group.
        let counter = (u128::MAX >> 1 << 64 | u128::from(u64::MAX - 40)).to_be_bytes();
        let [mut ours, mut theirs] = [input.clone(), input.clone()];
        let counter = &counter[16 - block..];
        let whole = if block == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        cipher.ctr(counter, whole)?.apply((&mut ours[..]).into()).map_err(error)?;
        CpuCtr::from_cipher(&*cpu, counter, whole)?.apply(&mut theirs[..])?;
        if ours != theirs {
            return Err(wrong(gpu));
        }
    }
    if block == 16 {
        let tweak_key = some_bytes(algorithm.key_len(), 3);
        let xts = Xts::of(cipher, &key, &tweak_key)?;
        let keyed = |key: &[u8]| algorithm.with_key_128(key, None);
        let cpu = CpuXts::new(keyed(&key)?, keyed(&tweak_key)?)?;
        let input = some_bytes(LEN, 4);
        // Units of all blocks that one tweak can serve, and of two such runs.
        for unit in [512, 1024] {
            let [mut ours, mut theirs] = [input.clone(), input.clone()];
            xts.encrypt_units(5, unit, (&mut ours[..]).into()).map_err(error)?;
            cpu.encrypt_units(5, unit, &mut theirs[..])?;
            if ours != theirs {
                return Err(wrong(gpu));
            }
            xts.decrypt_units(5, unit, (&mut ours[..]).into()).map_err(error)?;
            if ours != input {
                return Err(wrong(gpu));
            }
        }
    }
    Ok(())
}

/// XTEA with a key per message.
pub(crate) fn of_many_keys(gpu: &Arc<Gpu>) -> Result<(), Error> {
    let keys: Vec<[u8; 16]> = some_bytes(16 * 100, 1).as_chunks().0.to_vec();
    let lens = (0..keys.len()).map(|n| 8 * (n % 20));
    for order in [ByteOrder::LittleEndian, ByteOrder::BigEndian] {
        let mut texts: Vec<Vec<u8>> = lens.clone().zip(2..).map(|(len, n)| some_bytes(len, n)).collect();
        let mut expected = texts.clone();
        let kernel = Xtea::kernels().next().ok_or(abreast::Error::KernelUnavailable)?;
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let buffers = keys.iter().zip(&mut texts);
            let mut messages: Vec<_> = buffers
                .map(|(key, text)| KeyedMessage { key, buffer: InOutBuf::from(&mut text[..]) })
                .collect();
            many::run(gpu, direction, order, &mut messages)?;
            for (key, text) in keys.iter().zip(&mut expected) {
                let cipher = Xtea::with_kernel(key, order, 32, kernel)?;
                raw_blocks(&cipher, direction, (&mut text[..]).into())?;
            }
            if texts != expected {
                return Err(wrong(gpu));
            }
        }
        let mut plain = *b"PK\x03\x04 and something more.";
        let mut ciphertext = plain;
        let cipher = Xtea::with_kernel(&keys[77], order, 32, kernel)?;
        raw_blocks(&cipher, Direction::Encrypt, (&mut ciphertext[..]).into())?;
        // A byte that is another and does not count.
        plain[5] ^= 1;
        let mut mask = [0xff; 24];
        mask[5] = 0;
        if many::search(gpu, order, &keys, &ciphertext, &Wanted::masked(&plain, &mask))? != [77] {
            return Err(wrong(gpu));
        }
    }
    Ok(())
}

/// RC4 of many messages.
pub(crate) fn of_rc4(gpu: &Arc<Gpu>) -> Result<(), Error> {
    let keys: Vec<Vec<u8>> = (0..100).map(|n| some_bytes(1 + n * 256 / 100, n as u32)).collect();
    let mut texts: Vec<Vec<u8>> = (0..100).map(|n| some_bytes(n * 37 % 600, n as u32 + 2)).collect();
    let mut expected = texts.clone();
    let buffers = keys.iter().zip(&mut texts).zip(0..);
    let mut messages: Vec<_> = buffers
        .map(|((key, text), n)| Message { key, skip: n % 5, buffer: (&mut text[..]).into() })
        .collect();
    crate::rc4::run(gpu, &mut messages)?;
    for ((key, text), n) in keys.iter().zip(&mut expected).zip(0..) {
        let mut rc4 = Rc4::new(key)?;
        rc4.skip(n % 5);
        rc4.apply(&mut text[..]);
    }
    let ciphertext = &mut b"%PDF-1.3".to_vec();
    let mut message = [Message { key: &keys[33], skip: 3, buffer: (&mut ciphertext[..]).into() }];
    rc4::apply_keys(&mut message)?;
    let found = crate::rc4::search(gpu, &keys, 3, ciphertext, &Wanted::beginning(b"%PDF-"))?;
    if texts != expected || found != [33] { Err(wrong(gpu)) } else { Ok(()) }
}
