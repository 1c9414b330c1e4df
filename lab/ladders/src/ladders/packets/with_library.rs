//! The steps that are this library's: one message after the other, and all of them in a call.

use abreast::aes::Aes128;
use abreast::modes::Cbc;
use abreast::packets::{self, Packet};

use super::messages::Messages;
use crate::ladder::Step;

/// A loop over `encrypt`, with the key made each time and with keys that are kept.
pub(super) fn one_by_one(messages: &Messages) -> Vec<Step> {
    vec![
        Step::new(
            "a loop over encrypt",
            "The usual way: for each message a cipher is made from its key, and the message is encrypted. The CPU's AES \
             instructions are used from the start.",
            key_by_key(messages.clone()),
        ),
        Step::new(
            "keys kept",
            "The ciphers are made once, when a connection begins, and not for each message.",
            keys_kept(messages.clone()),
        ),
    ]
}

fn key_by_key(messages: Messages) -> impl FnMut(&[u8], &mut [u8]) {
    move |input, output| {
        messages.each(input, output, |n, message| {
            let cipher = Aes128::new(&messages.keys[n]);
            let mut cbc = Cbc::from_cipher(cipher, &messages.ivs[n]).expect("an IV has 16 bytes");
            cbc.encrypt(message).expect("a message is whole blocks");
        });
    }
}

fn keys_kept(messages: Messages) -> impl FnMut(&[u8], &mut [u8]) {
    let ciphers: Vec<Aes128> = messages.keys.iter().map(Aes128::new).collect();
    move |input, output| {
        messages.each(input, output, |n, message| {
            let mut cbc = Cbc::from_cipher(&ciphers[n], &messages.ivs[n]).expect("an IV has 16 bytes");
            cbc.encrypt(message).expect("a message is whole blocks");
        });
    }
}

/// One call for all messages.
pub(super) fn all_messages(messages: &Messages) -> Step {
    Step::new(
        "library, one call",
        "One call of the library with the list of all messages. It sorts them into groups, keeps as many under way as the \
         CPU has use for, and takes messages of any length, each with its own key and its own error.",
        in_one_call(messages.clone()),
    )
}

fn in_one_call(messages: Messages) -> impl FnMut(&[u8], &mut [u8]) {
    let ciphers: Vec<Aes128> = messages.keys.iter().map(Aes128::new).collect();
    move |input, output| {
        let mut batch = Vec::with_capacity(ciphers.len());
        messages.each(input, output, |n, message| {
            batch.push(Packet::new(&ciphers[n], &messages.ivs[n], message));
        });
        packets::cbc_encrypt(&mut batch);
    }
}
