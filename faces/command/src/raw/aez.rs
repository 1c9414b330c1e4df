//! AEZ: the message and its tag as one, which are in memory as a whole.

use abreast::aez::Aez;
use abreast::modes::Direction;

use super::arguments::{NO_TAG, check_options, decode, decode_or_nothing, kernel_of};
use super::pump::{BATCH, Pump};
use crate::args::RawRun;
use crate::failure::Failure;

/// The longest tag in bytes. AEZ has no limit; a tag beyond this one is a mistake, and would be held in memory.
const MAX_TAG: usize = 16 << 20;

/// Runs it.
pub(super) fn run(run: &RawRun, direction: Direction) -> Result<(), Failure> {
    let key = decode("--key", &run.key)?;
    check_options(run, "aez", &["--iv", "--aad", "--tag-len"])?;
    let kernel = kernel_of(run, Aez::kernels())?;
    let nonce = decode_or_nothing("--iv", run.iv.as_ref())?;
    let strings = run.aad.iter().map(|hex| decode("--aad", hex)).collect::<Result<Vec<_>, _>>()?;
    let strings: Vec<&[u8]> = strings.iter().map(|string| &string[..]).collect();
    let tag_len = run.tag_len.unwrap_or(16);
    if tag_len > MAX_TAG {
        return Err(Failure::usage(format_args!("--tag-len: at most {MAX_TAG} bytes, not {tag_len}")));
    }
    let aez = match kernel {
        Some(kernel) => Aez::with_kernel(&key, kernel).map_err(Failure::usage)?,
        None => Aez::new(&key),
    };
    let aez = if tag_len == 0 {
        aez.unauthenticated()
    } else {
        aez.with_tag_len(tag_len).map_err(Failure::usage)?
    };
    let mut pump = Pump::open(run, BATCH)?;
    match direction {
        Direction::Encrypt => {
            pump.gather(tag_len)?;
            pump.end_with(|buffer, len| {
                let whole = &mut buffer[..len + tag_len];
                aez.encrypt_joined(&nonce, &strings, whole).map(|()| len + tag_len)
            })
        }
        Direction::Decrypt => {
            pump.gather(0)?;
            let message = pump.in_front_of(tag_len, NO_TAG)?;
            pump.end_with(|buffer, len| {
                let whole = &mut buffer[..len];
                aez.decrypt_joined(&nonce, &strings, whole).map(|()| message)
            })
        }
    }
}
