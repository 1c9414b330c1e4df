//! Modes of the library's table that run over AES alone here: the message is in memory as a whole.

use abreast::kernels::Algorithm;
use abreast::modes::Direction;
use abreast::table::{ModeRow, OneOf, TagLengths, Vector};
use abreast::{Error, Kernel};

use super::arguments::NO_TAG;
use super::pump::{BATCH, Pump};
use crate::args::RawRun;
use crate::failure::Failure;

/// The arguments, decoded.
pub(super) struct Sealing<'a> {
    pub(super) run: &'a RawRun,
    pub(super) direction: Direction,
    pub(super) cipher: Algorithm,
    /// The name of the mode.
    pub(super) name: &'a str,
    pub(super) kernel: Option<Kernel>,
    pub(super) key: &'a [u8],
    pub(super) nonce: &'a [u8],
    pub(super) aad: &'a [u8],
}

impl Sealing<'_> {
    /// Does it.
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { run, direction, cipher, name, kernel, key, nonce, aad } = self;
        let cipher = cipher.name();
        let row = ModeRow::from_name(name).filter(|_| cipher.starts_with("aes-"));
        let Some((row, sealing)) = row.and_then(|row| Some((row, row.sealing?))) else {
            return Err(Failure::usage(format_args!("{name} is for AES, not for {cipher}")));
        };
        if !sealing.key_lens.contains(&key.len()) {
            let (lens, given) = (OneOf(sealing.key_lens), key.len());
            return Err(Failure::usage(format_args!("--key: {name} has keys of {lens} bytes, not {given}")));
        }
        if let Vector::Nonce(least, most) = row.vector
            && !(least..=most).contains(&nonce.len())
        {
            let given = nonce.len();
            return Err(Failure::usage(format_args!("--iv: the nonce has {least} bytes, not {given}")));
        }
        let tag_len = match row.tags {
            TagLengths::Of([.., usual]) => *usual,
            _ => 16,
        };
        if let (TagLengths::Of(lens), Some(given)) = (row.tags, run.tag_len)
            && !lens.contains(&given)
        {
            let lens = OneOf(lens);
            return Err(Failure::usage(format_args!(
                "--tag-len: {name} has tags of {lens} bytes, not {given}"
            )));
        }
        let tag_len = run.tag_len.unwrap_or(tag_len);
        let kernel = kernel.or_else(|| sealing.kernels().next());
        let sealer = kernel.ok_or(Error::KernelUnavailable).and_then(|kernel| sealing.make(key, kernel));
        let sealer = sealer.map_err(Failure::usage)?;
        let mut pump = Pump::open(run, BATCH)?;
        match direction {
            Direction::Encrypt => {
                pump.gather(tag_len)?;
                pump.end_with(|buffer, len| {
                    let whole = &mut buffer[..len + tag_len];
                    if sealing.tag_first {
                        whole.copy_within(..len, tag_len);
                    }
                    let (message, tag) = apart(sealing.tag_first, whole, tag_len);
                    sealer.seal(nonce, aad, message.into(), tag).map(|()| len + tag_len)
                })
            }
            Direction::Decrypt => {
                pump.gather(0)?;
                let message = pump.in_front_of(tag_len, NO_TAG)?;
                pump.end_with(|buffer, len| {
                    let whole = &mut buffer[..len];
                    let (text, tag) = apart(sealing.tag_first, whole, tag_len);
                    sealer.open(nonce, aad, text.into(), tag)?;
                    if sealing.tag_first {
                        whole.copy_within(tag_len.., 0);
                    }
                    Ok(message)
                })
            }
        }
    }
}

/// Returns the message and the tag, which are one string.
fn apart(tag_first: bool, whole: &mut [u8], tag_len: usize) -> (&mut [u8], &mut [u8]) {
    if tag_first {
        let (tag, message) = whole.split_at_mut(tag_len);
        (message, tag)
    } else {
        whole.split_at_mut(whole.len() - tag_len)
    }
}
