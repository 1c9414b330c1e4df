//! Claims about modes with associated data and a tag.
//!
//! Decryption is given the right tag: any other makes the library go another way.

use super::{Key, Mode, Subject};
use crate::forms::{Word, number, variables};
use crate::machine::image::Image;
use crate::script::{Argument, Script};
use crate::sizes::sizes;
use crate::spec::{self, Cipher, aez, modes};

/// The bytes of a nonce.
const NONCE: usize = 12;
/// The bytes of a tag.
const TAG: usize = 16;
/// Blocks, with the last one, that GCM-SIV hashes one by one.
const ONE_BY_ONE: usize = 6;

/// A message: everything that its call takes and has to give.
pub(super) struct Message {
    pub(super) nonce: Word,
    pub(super) aad: Word,
    pub(super) input: Word,
    pub(super) output: Word,
    pub(super) tag: Word,
}

/// The numbers of blocks of passes of the hash, and of what is left.
fn passes(mut blocks: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let run = blocks.min(modes::PASS);
        blocks -= run;
        (run > 0).then_some(run)
    })
}

impl Subject {
    /// True if the mode encrypts, and the bytes of associated data.
    fn aead_mode(&self) -> (bool, usize) {
        match self.mode {
            Mode::Gcm(encrypt, aad) | Mode::GcmSiv(encrypt, aad) => (encrypt, aad),
            Mode::Eax(encrypt, aad, _) | Mode::Aez(encrypt, aad) => (encrypt, aad),
            _ => unreachable!("a mode without a tag"),
        }
    }

    /// The numbers of blocks after which the hash of GCM is reduced: those of the associated data, and those of all passes, except
    /// that encryption hashes the last pass with the rest.
    fn runs_of_gcm(&self) -> Vec<usize> {
        let (encrypt, aad) = self.aead_mode();
        let (_, pass) = sizes(self.cipher, &self.kernel, false);
        let whole = (self.len / pass).saturating_sub(usize::from(encrypt));
        let rest = (self.len - whole * pass) / 16;
        let ends = passes(rest - rest % modes::PASS);
        passes(aad.div_ceil(16)).chain(std::iter::repeat_n(pass / 16, whole)).chain(ends).collect()
    }

    /// The numbers of blocks after which that of GCM-SIV is: each one in a short message, and otherwise as many as there are powers.
    fn runs_of_gcm_siv(&self) -> Vec<usize> {
        let (_, aad) = self.aead_mode();
        let [aad, text] = [aad, self.len].map(|len| len.div_ceil(16));
        if aad + text < ONE_BY_ONE {
            return vec![1; aad + text];
        }
        passes(aad).chain(passes(text - text % modes::PASS)).collect()
    }

    /// Makes a message by the specification. What is unknown is the plaintext, or the ciphertext if the tag of one is known without
    /// its plaintext.
    pub(super) fn message(&self, script: &Script, key: &Key) -> Message {
        let key = &script.buffers[key.key].contents;
        let (encrypt, aad) = self.aead_mode();
        let (nonce, aad, data) = (variables(8 * NONCE), variables(8 * aad), variables(8 * self.len));
        let cipher = |key: &[_]| -> Box<dyn Cipher> {
            spec::cipher(self.cipher, key, self.closed()).expect("a specification")
        };
        match self.mode {
            Mode::Gcm(..) => {
                let (output, tag) =
                    modes::gcm(&*cipher(key), encrypt, &nonce, &aad, &data, &self.runs_of_gcm());
                Message { nonce, aad, input: data, output, tag }
            }
            Mode::Eax(_, _, low) => {
                let (output, tag) = modes::eax(&*cipher(key), encrypt, &nonce, &aad, &data, low);
                Message { nonce, aad, input: data, output, tag }
            }
            _ => {
                let (text, tag) = if let Mode::Aez(..) = self.mode {
                    let mut text = aez::encrypt(key, self.closed(), &nonce, &aad, &data, TAG);
                    let tag = text.split_off(data.len());
                    (text, tag)
                } else {
                    modes::gcm_siv(cipher, key, &nonce, &aad, &data, &self.runs_of_gcm_siv())
                };
                let (input, output) = if encrypt { (data, text) } else { (text, data) };
                Message { nonce, aad, input, output, tag }
            }
        }
    }

    /// Prepares a key in the mode, and returns the buffer of its handle.
    pub(super) fn aead_key(&self, script: &mut Script, image: &Image) -> (Key, usize) {
        let (function, derived) = match self.mode {
            Mode::GcmSiv(..) => ("abreast_gcm_siv_new", false),
            Mode::Aez(..) => ("abreast_aez_new", false),
            Mode::Gcm(..) => ("abreast_gcm_new", true),
            _ => ("abreast_eax_new", true),
        };
        if derived {
            let key = self.cipher(script, image);
            let mode = script.buffer("the handle of the mode", number(0, 64), 0);
            let arguments = [Argument::Handle(key.handle), Argument::Buffer(mode)];
            script.call(function, &arguments, &[mode, key.memory]);
            return (key, mode);
        }
        let bytes = super::key_len(self.cipher);
        let key = script.buffer("the key", variables(8 * bytes), 0);
        let kernel = script.text(&self.kernel);
        let handle = script.buffer("the handle of the mode", number(0, 64), 0);
        let arguments =
            [Argument::Buffer(key), Argument::Number(bytes as u64), kernel, Argument::Buffer(handle)];
        script.call(function, &arguments, &[handle]);
        (Key { key, memory: handle, handle }, handle)
    }

    pub(super) fn aead(&self, script: &mut Script, image: &Image) -> Vec<(usize, Word)> {
        let (encrypt, _) = self.aead_mode();
        let (key, handle) = self.aead_key(script, image);
        let Message { nonce, aad, input, output: expected, tag } = self.message(script, &key);
        let (input, output) = self.places(script, input);
        let aad_len = aad.len() as u64 / 8;
        let nonce = script.buffer("the nonce", nonce, 0);
        let aad = script.buffer("the associated data", aad, 0);
        let given = if encrypt { variables(8 * TAG) } else { tag.clone() };
        let tag_at = script.buffer("the tag", given, 0);
        let arguments = [
            Argument::Handle(handle),
            Argument::Buffer(nonce),
            Argument::Number(NONCE as u64),
            Argument::Buffer(aad),
            Argument::Number(aad_len),
            Argument::Buffer(input),
            Argument::Buffer(output),
            Argument::Number(self.len as u64),
            Argument::Buffer(tag_at),
            Argument::Number(TAG as u64),
        ];
        if encrypt {
            script.call("abreast_aead_encrypt", &arguments, &[output, tag_at]);
            vec![(output, expected), (tag_at, tag)]
        } else {
            script.call("abreast_aead_decrypt", &arguments, &[output]);
            vec![(output, expected)]
        }
    }
}
