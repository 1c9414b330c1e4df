//! RC4, of any length and the same in both directions.

use abreast::rc4::Rc4;

use super::arguments::{check_options, decode};
use super::pump::{BATCH, Pump};
use crate::args::RawRun;
use crate::failure::Failure;

/// Runs it, if it is allowed.
pub(super) fn run(run: &RawRun) -> Result<(), Failure> {
    if !run.legacy {
        return Err(Failure::usage(
            "rc4 is broken and keeps nothing secret: --legacy allows it, for what cannot be changed",
        ));
    }
    let key = decode("--key", &run.key)?;
    check_options(run, "rc4", &["--drop"])?;
    if run.kernel.is_some() {
        return Err(Failure::usage("--kernel means nothing to rc4: there is one way to go about one stream"));
    }
    let mut rc4 = Rc4::new(&key).map_err(|_| Failure::usage("--key: rc4 has keys of 1 to 256 bytes"))?;
    let pump = Pump::open(run, BATCH)?;
    rc4.skip(run.drop.unwrap_or(0));
    pump.stream(|io| {
        rc4.apply(io);
        Ok(())
    })
}
