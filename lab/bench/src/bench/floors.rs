//! Floors: how fast the AES and carry-less units of this core could be at best, from the rates that the lab probes.
//!
//! The floor of modes whose blocks go side by side is the AES rounds. The floor of GCM is the AES rounds or
//! the carry-less products, whichever take longer, three products a block (Karatsuba's way; schoolbook takes
//! four): the two kinds overlap on cores that have separate units for them, and reductions, of which there is
//! one for many blocks, are left out. The floor of GCM-SIV is both after each other: the counter of a message that is
//! encrypted is the tag of all of it, and one that is decrypted goes the same way through the library. The keys of a message,
//! which are derived from its nonce, are left out. The floor of SIV is that of CMAC and of counters after it, for the same reason.
//! In modes that are serial, the floor is the latency of the rounds, for messages so long that a core does not see the
//! next one: [`LONG`]. In packets others go beside, so the floor is that of blocks side by side. AEZ does five times four rounds for every two blocks,
//! and some for every message, which are left out. Floors say
//! nothing about memory, so at sizes beyond the caches they are far.

use abreast::Kernel;
use abreast_lab::floor::AesRates;
use abreast_simd::AesLevel;

use super::work::{How, InMode, Mode, What};

/// Carry-less products for a block of GHASH.
const PRODUCTS: f64 = 3.0;
/// AES rounds of AEZ for a block of a long message.
const AEZ_ROUNDS: f64 = 10.0;
/// Bytes of a block.
const BLOCK: f64 = 16.0;
/// Bytes of a message whose rounds are many times what a core has in flight, so that it overlaps with the
/// next by nothing that counts.
const LONG: usize = 16 * 1024;

/// The times that the units of the core take at a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates(AesRates);

impl Rates {
    /// Probes the instructions of a kernel, if it is one of AES instructions.
    pub(crate) fn of(kernel: Kernel) -> Option<Self> {
        let level = AesLevel::detect_all().find(|&level| Kernel::aes_rounds(level) == kernel)?;
        Some(Self(AesRates::of(level)))
    }

    /// The cycles per byte that nothing goes below, in messages of a size; unknown for ciphers that are no
    /// AES, and for short messages in modes whose blocks wait for each other.
    pub(crate) fn floor(self, what: What, size: usize) -> Option<f64> {
        match what {
            What::InMode(what) => self.floor_in_mode(what, size),
            What::Aez(_) => Some(AEZ_ROUNDS * self.0.round / BLOCK),
            What::Rc4(_) | What::Keys(_) => None,
            // Of several threads, two may share the units of a core.
            What::Packets(what) if what.threads.is_some() => None,
            What::Packets(what) => match what.how {
                How::InMode(what) => self.floor_in_packets(what),
                How::Aez | How::AezDecrypt => Some(AEZ_ROUNDS * self.0.round / BLOCK),
                How::Rc4 => None,
            },
        }
    }

    /// Returns the cycles per byte that no batch goes below: messages go side by side, so no mode waits for its own
    /// blocks. EAX and SIV encrypt twice for each block.
    fn floor_in_packets(self, what: InMode) -> Option<f64> {
        let side_by_side = rounds_of(what)? * self.0.round;
        Some(match what.mode {
            Mode::Gcm | Mode::GcmDecrypt => side_by_side.max(PRODUCTS * self.0.product) / BLOCK,
            Mode::Hctr2 | Mode::Hctr2Decrypt => (side_by_side + 2.0 * PRODUCTS * self.0.product) / BLOCK,
            Mode::GcmSiv | Mode::GcmSivDecrypt => (side_by_side + PRODUCTS * self.0.product) / BLOCK,
            Mode::Eax | Mode::EaxDecrypt | Mode::Siv | Mode::SivDecrypt => 2.0 * side_by_side / BLOCK,
            _ => side_by_side / BLOCK,
        })
    }

    fn floor_in_mode(self, what: InMode, size: usize) -> Option<f64> {
        use Mode::*;
        let rounds = rounds_of(what)?;
        let side_by_side = rounds * self.0.round;
        let one_by_one = (size >= LONG).then_some(rounds * self.0.latency);
        Some(match what.mode {
            Ecb | EcbDecrypt | CbcDecrypt | CfbDecrypt | Ctr | Xts | XtsDecrypt | XtsSectors
            | XtsSectorsDecrypt => side_by_side / BLOCK,
            Gcm | GcmDecrypt => side_by_side.max(PRODUCTS * self.0.product) / BLOCK,
            Hctr2 | Hctr2Decrypt => (side_by_side + 2.0 * PRODUCTS * self.0.product) / BLOCK,
            GcmSiv | GcmSivDecrypt => (side_by_side + PRODUCTS * self.0.product) / BLOCK,
            Cbc | Cfb | Ofb | Eax | EaxDecrypt | Cmac => one_by_one? / BLOCK,
            Siv | SivDecrypt => (one_by_one? + side_by_side) / BLOCK,
            // A block for every byte.
            Cfb8 => one_by_one?,
            Cfb8Decrypt => side_by_side,
        })
    }
}

/// AES rounds of a block.
fn rounds_of(what: InMode) -> Option<f64> {
    match what.cipher.name() {
        "aes-128" => Some(10.0),
        "aes-192" => Some(12.0),
        "aes-256" => Some(14.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_follow_from_the_rates() {
        let floor = |name, round, product| {
            let what = What::from_name(name).expect("the name is known");
            Rates(AesRates { round, product, latency: 4.0 }).floor(what, 1600)
        };
        assert_eq!(floor("aes-128-ctr", 0.25, 9.0), Some(0.15625));
        assert_eq!(floor("aes-256-ecb", 0.25, 9.0), Some(0.21875));
        assert_eq!(floor("aes-192-gcm", 0.5, 0.25), Some(0.375));
        assert_eq!(floor("aes-128-gcm-decrypt", 0.125, 0.5), Some(0.09375));
        assert_eq!(floor("aes-128-gcm-siv", 0.5, 0.25), Some(0.359375));
        assert_eq!(floor("packets-aes-128-gcm-siv-decrypt", 0.5, 0.25), Some(0.359375));
        assert_eq!(floor("aes-128-hctr2", 0.5, 0.25), Some(0.40625));
        assert_eq!(floor("aes-256-xts", 0.25, 9.0), floor("aes-256-ecb", 0.25, 9.0));
        assert_eq!(floor("aes-128-cfb8-decrypt", 0.25, 9.0), Some(2.5));
        assert_eq!(floor("serpent-128-ecb", 0.25, 9.0), None);
        for name in ["aez", "aez-decrypt", "aez-batch"] {
            assert_eq!(floor(name, 0.25, 9.0), Some(0.15625), "{name}");
        }
        for name in ["packets-aes-128-cbc", "packets-aes-128-cmac", "packets-aez-decrypt"] {
            assert_eq!(floor(name, 0.25, 9.0), Some(0.15625), "{name}");
        }
        assert_eq!(floor("packets-aes-128-eax", 0.25, 9.0), Some(0.3125));
        assert_eq!(floor("packets-aes-256-siv-decrypt", 0.25, 9.0), Some(0.4375));
        assert_eq!(floor("packets-aes-192-gcm", 0.5, 0.25), Some(0.375));
        assert_eq!(floor("packets-rc4", 0.25, 9.0), None);
        assert_eq!(floor("threads-aes-128-ctr", 0.25, 9.0), None);
    }

    #[test]
    fn blocks_that_wait_have_a_floor_in_long_messages() {
        let floor = |name, size| {
            let what = What::from_name(name).expect("the name is known");
            Rates(AesRates { round: 0.25, product: 9.0, latency: 4.0 }).floor(what, size)
        };
        for name in ["aes-128-cbc", "aes-128-cfb", "aes-128-ofb", "aes-128-eax-decrypt", "aes-128-cmac"] {
            assert_eq!(floor(name, 16 << 10), Some(2.5), "{name}");
            assert_eq!(floor(name, 1600), None, "{name}");
        }
        assert_eq!(floor("aes-128-cfb8", 16 << 10), Some(40.0));
        assert_eq!(floor("aes-128-siv", 16 << 10), Some(2.65625));
    }

    #[test]
    fn kernels_of_aes_instructions_have_rates() {
        for kernel in abreast::aes::Aes128::kernels() {
            let sliced = kernel.name().starts_with("sliced");
            assert_eq!(Rates::of(kernel).is_none(), sliced, "{kernel}");
        }
    }
}
