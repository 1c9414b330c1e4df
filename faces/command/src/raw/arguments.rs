//! Arguments that all of `raw` takes: hexadecimal, kernels, and options that mean nothing.

use abreast::Kernel;
use data_encoding::HEXLOWER_PERMISSIVE;
use zeroize::Zeroizing;

use crate::args::{Hex, RawRun};
use crate::failure::{Exit, Failure};

/// Refuses options that mean nothing to a mode or cipher, and asks for the one that most cannot do without.
pub(super) fn check_options(run: &RawRun, whose: &str, options: &[&str]) -> Result<(), Failure> {
    for (option, given) in [
        ("--iv", run.iv.is_some()),
        ("--aad", !run.aad.is_empty()),
        ("--counter-bits", run.counter_bits.is_some()),
        ("--tag-len", run.tag_len.is_some()),
        ("--unit", run.unit.is_some()),
        ("--drop", run.drop.is_some()),
    ] {
        if given && !options.contains(&option) {
            return Err(Failure::usage(format_args!("{option} means nothing to {whose}")));
        }
    }
    if options.contains(&"--iv") && run.iv.is_none() {
        return Err(Failure::usage(format_args!("{whose} needs --iv")));
    }
    Ok(())
}

/// Decodes hexadecimal, without ever printing it.
pub(super) fn decode(option: &str, hex: &Hex) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = HEXLOWER_PERMISSIVE.decode(hex.0.as_bytes());
    let bytes = bytes.map_err(|_| {
        let digits = hex.0.len();
        if hex.0.bytes().all(|byte| byte.is_ascii_hexdigit()) && digits % 2 == 1 {
            let cause = "and a byte is two: is one missing, perhaps a leading zero?";
            return Failure::usage(format_args!("{option} has an odd number of digits, {digits}, {cause}"));
        }
        Failure::usage(format_args!("{option} is not hexadecimal"))
    })?;
    Ok(Zeroizing::new(bytes))
}

/// Decodes hexadecimal that may be left out.
pub(super) fn decode_or_nothing(option: &str, hex: Option<&Hex>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    hex.map_or_else(|| Ok(Zeroizing::default()), |hex| decode(option, hex))
}

/// The failure of an input that is too short to hold its tag.
pub(super) const NO_TAG: (Exit, &str) = (Exit::Authentication, "shorter than its tag");

/// Returns the kernel that was asked for, if one was, among those of the cipher.
pub(super) fn kernel_of(
    run: &RawRun,
    kernels: impl IntoIterator<Item = Kernel>,
) -> Result<Option<Kernel>, Failure> {
    let Some(name) = &run.kernel else { return Ok(None) };
    let known = kernels.into_iter().find(|kernel| kernel.name() == name);
    let unknown = || {
        let cipher = run.cipher.name();
        Failure::usage(format_args!(
            "--kernel: not one of {cipher} on this CPU; `abreast kernels` lists them"
        ))
    };
    known.map(Some).ok_or_else(unknown)
}
