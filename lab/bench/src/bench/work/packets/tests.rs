//! Batches that are measured: their messages, keys and order.

use super::*;
use abreast::aes::Aes256;

fn named(name: &str, batch: usize) -> Packets {
    let what = Packets::all().find(|what| what.to_string() == name).expect("the name is known");
    Packets { batch, ..what }
}

fn texts(messages: &mut Messages) -> Vec<Vec<u8>> {
    messages.turns().map(|turn| turn.data.to_vec()).collect()
}

#[test]
fn the_groups_are_all_there() {
    assert_eq!(Packets::usual().count(), DEFAULT.len());
    assert_eq!(Packets::usual_on_threads().count(), DEFAULT_THREADS.len());
}

#[test]
fn every_message_has_a_key_of_its_own() -> Result<(), Error> {
    let keys = named("packets-aes-128-ctr", 300).keys(16, |key| Ok(key.to_vec()))?;
    for (i, key) in keys.iter().enumerate() {
        assert!(!keys[..i].contains(key), "key {i}");
    }
    Ok(())
}

/// A batch does what the mode does to each message, here under the keys as they are made.
#[test]
fn batches_are_messages() -> Result<(), Error> {
    let what = named("packets-aes-256-cbc", 20);
    let kernel = what.kernels()[0];
    let mut messages = what.messages(48);
    let before = texts(&mut messages);
    (what.calls(kernel)?.run)(&mut messages, 1)?;
    let keys =
        what.keys(32, |key| Aes256::with_kernel(key.try_into().map_err(|_| Error::KeyLength)?, kernel))?;
    let ivs: Vec<_> = messages.turns().map(|turn| turn.header.counter).collect();
    for (((key, iv), mut text), after) in keys.iter().zip(ivs).zip(before).zip(texts(&mut messages)) {
        Cbc::from_cipher(key, &iv)?.encrypt(text.as_mut_slice())?;
        assert_eq!(text, after);
    }
    Ok(())
}

#[test]
fn decryption_gives_the_messages_back_lap_after_lap() -> Result<(), Error> {
    for name in ["packets-aes-128-gcm-decrypt", "packets-xtea-eax-decrypt", "packets-aez-decrypt"] {
        let what = named(name, 9);
        let kernel = what.kernels()[0];
        let mut messages = what.messages(100);
        let halves = |messages: &mut Messages| {
            let pair = |turn: Turn<'_>| {
                let (message, output) = halves(turn.data, 100);
                (message.to_vec(), output.to_vec())
            };
            messages.turns().map(pair).unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (before, _) = halves(&mut messages);
        what.prepare(kernel, &mut messages)?;
        let Calls { run, alone } = what.calls(kernel)?;
        for mut calls in [run].into_iter().chain(alone) {
            messages.reset();
            calls(&mut messages, 3)?;
            let (encrypted, decrypted) = halves(&mut messages);
            assert!(encrypted != before && decrypted == before, "{name}");
        }
    }
    Ok(())
}

/// Tags in each other's places do not go unnoticed.
#[test]
fn the_order_of_tags_counts() {
    let mut messages = Messages::batch(16, 3);
    messages.turns().zip(1..).for_each(|(turn, number)| turn.header.tags[0] = [number; 16]);
    let sum = sum_of_tags(&mut messages);
    messages.turns().zip([2, 1, 3]).for_each(|(turn, number)| turn.header.tags[0] = [number; 16]);
    assert_ne!(sum_of_tags(&mut messages), sum);
}
