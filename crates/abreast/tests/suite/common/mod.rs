//! Helpers of the property tests: the kernels to walk, random cases, lengths that matter, and comparisons that report the first
//! difference of two buffers.
#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the fuzz targets compile this too, and use a part of it"
)]

pub(crate) mod aez;
pub(crate) mod boundaries;
pub(crate) mod guarded;
pub(crate) mod modes;
pub(crate) mod packets;
pub(crate) mod tally;

use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::{CounterWidth, Xts};
use abreast::{BlockCipher, BlockCipher128, InOutBuf, Kernel};
use abreast_reference::{BlockCipher as Specified, Named, ctr, gcm, named};
use abreast_simd::AesLevel;

/// Counters of every width.
pub(crate) const WIDTHS: [CounterWidth; 4] =
    [CounterWidth::Bits16, CounterWidth::Bits32, CounterWidth::Bits64, CounterWidth::Bits128];

/// Is the short form asked for, as for emulated CPUs?
pub(crate) fn short() -> bool {
    is_set("ABREAST_SHORT")
}

/// True if an environment variable is 1.
fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}

/// The first number in the long form of a test, the second in the short one.
pub(crate) fn long_or_short(long: usize, in_short: usize) -> usize {
    if short() { in_short } else { long }
}

/// A number from the environment.
pub(crate) fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is not a number")))
}

/// SplitMix64 (Steele, Lea and Flood, 2014): a test that fails prints the seed, and the seed is the case.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number from 0 to `most`.
    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        (self.word() % (most as u64 + 1)) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.up_to(from.len() - 1)]
    }

    /// Fisher and Yates, as Durstenfeld has it.
    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.up_to(last));
        }
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend(self.word().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }

    pub(crate) fn block(&mut self) -> [u8; 16] {
        u128::to_be_bytes(u128::from(self.word()) << 64 | u128::from(self.word()))
    }

    /// A length up to some 4 KiB: half of them near a step of a ladder.
    pub(crate) fn length(&mut self) -> usize {
        match self.up_to(3) {
            0 => self.up_to(64),
            1 => self.up_to(4200),
            _ => {
                let near = 16 * self.pick(&[1, 2, 4, 8, 16, 32, 64]) * (1 + self.up_to(3));
                near + self.pick(&[0, 1, 15, 16, 17, 32]) - self.pick(&[0, 1, 16])
            }
        }
    }
}

/// The kernels of a cipher: those it lists, and those it leaves out because there is a better one under
/// the same name (AES-NI without AVX).
pub(crate) fn kernels(cipher: Algorithm) -> Vec<Kernel> {
    let mut kernels = cipher.kernels();
    let key = vec![0; cipher.key_len()];
    for kernel in AesLevel::detect_all().map(Kernel::aes_rounds) {
        if !kernels.contains(&kernel) && cipher.with_key(&key, Some(kernel)).is_ok() {
            kernels.push(kernel);
        }
    }
    kernels
}

/// A reference with blocks of 16 bytes.
pub(crate) type Reference16 = Box<dyn Specified<16> + Send + Sync>;

/// The reference of a cipher, which has the size of the blocks in its type.
pub(crate) enum Reference {
    Of8(Box<dyn Specified<8> + Send + Sync>),
    Of16(Reference16),
}

impl Reference {
    pub(crate) fn new(cipher: &str, key: &[u8]) -> Self {
        match named(cipher, key) {
            Some(Named::Of8(cipher)) => Self::Of8(cipher),
            Some(Named::Of16(cipher)) => Self::Of16(cipher),
            None => panic!("{cipher} has no reference"),
        }
    }

    /// Returns the reference of a cipher with blocks of 16 bytes.
    #[track_caller]
    pub(crate) fn of_16(&self) -> &Reference16 {
        match self {
            Self::Of16(reference) => reference,
            Self::Of8(_) => panic!("blocks of 8 bytes"),
        }
    }

    /// Counter mode from a counter block, here as a number.
    pub(crate) fn ctr(&self, counter: u128, width: CounterWidth, data: &[u8]) -> Vec<u8> {
        match self {
            Self::Of8(xtea) => ctr::xor(xtea, &(counter as u64).to_be_bytes(), width.bits(), data),
            Self::Of16(reference) => ctr::xor(reference, &counter.to_be_bytes(), width.bits(), data),
        }
    }
}

/// Evaluates an expression with the reference, whichever of the two types it has.
macro_rules! with_reference {
    ($reference:expr, $cipher:ident => $with:expr) => {
        match $reference {
            $crate::common::Reference::Of8($cipher) => $with,
            $crate::common::Reference::Of16($cipher) => $with,
        }
    };
}
pub(crate) use with_reference;

/// A cipher at one kernel; where the blocks are large enough with a second key, for XTS.
pub(crate) enum Fast {
    Of8(Box<dyn BlockCipher>),
    Of16(Xts<Box<dyn BlockCipher128>>),
}

impl Fast {
    fn new(cipher: Algorithm, keys: [&[u8]; 2], kernel: Kernel) -> Self {
        match keys.map(|key| cipher.with_key_128(key, Some(kernel))) {
            [Ok(data), Ok(tweak)] => Self::Of16(Xts::new(data, tweak).expect("different keys")),
            _ => Self::Of8(cipher.with_key(keys[0], Some(kernel)).expect("a kernel of the cipher")),
        }
    }

    pub(crate) fn any(&self) -> &dyn BlockCipher {
        match self {
            Self::Of8(cipher) => cipher,
            Self::Of16(xts) => xts.cipher(),
        }
    }

    /// With blocks of 16 bytes.
    pub(crate) fn of_16(&self) -> Option<&dyn BlockCipher128> {
        match self {
            Self::Of8(_) => None,
            Self::Of16(xts) => Some(&**xts.cipher()),
        }
    }
}

/// One cipher under one key, and a second one for XTS: all its kernels, and the reference.
pub(crate) struct Subject {
    pub(crate) cipher: Algorithm,
    pub(crate) key: Vec<u8>,
    pub(crate) kernels: Vec<Fast>,
    pub(crate) reference: Reference,
    pub(crate) tweak_key: Vec<u8>,
    pub(crate) tweak_reference: Reference,
}

impl Subject {
    pub(crate) fn new(cipher: Algorithm, key: Vec<u8>) -> Self {
        Self::with_kernels(cipher, key, kernels(cipher))
    }

    /// At some kernels.
    pub(crate) fn with_kernels(
        cipher: Algorithm,
        key: Vec<u8>,
        kernels: impl IntoIterator<Item = Kernel>,
    ) -> Self {
        let tweak_key: Vec<u8> = key.iter().map(|byte| !byte).collect();
        let at = |kernel| Fast::new(cipher, [&key, &tweak_key], kernel);
        Self {
            cipher,
            kernels: kernels.into_iter().map(at).collect(),
            reference: Reference::new(cipher.name(), &key),
            tweak_reference: Reference::new(cipher.name(), &tweak_key),
            key,
            tweak_key,
        }
    }

    /// All kernels.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &dyn BlockCipher> {
        self.kernels.iter().map(Fast::any)
    }

    /// All kernels, or none if the blocks have 8 bytes.
    pub(crate) fn kernels_16(&self) -> impl Iterator<Item = &dyn BlockCipher128> {
        self.kernels.iter().filter_map(Fast::of_16)
    }

    /// A counter block, here as a number.
    pub(crate) fn counter(&self, random: &mut Random) -> u128 {
        u128::from_be_bytes(random.block()) >> (128 - 8 * self.cipher.block_size())
    }

    /// A number as a counter block.
    pub(crate) fn counter_block(&self, counter: u128) -> Vec<u8> {
        counter.to_be_bytes()[16 - self.cipher.block_size()..].to_vec()
    }

    /// The binary logarithm of the blocks of the longest message in counter mode.
    pub(crate) fn most_blocks(&self, width: CounterWidth) -> u32 {
        if self.cipher.block_size() == 8 { width.bits().min(32) } else { width.bits() }
    }

    /// The widths of counters that fit into a block.
    pub(crate) fn widths(&self) -> impl Iterator<Item = CounterWidth> + use<> {
        let bits = 8 * self.cipher.block_size();
        WIDTHS.into_iter().filter(move |width| width.bits() as usize <= bits)
    }
}

/// Every cipher under a random key.
pub(crate) fn subjects(random: &mut Random) -> Vec<Subject> {
    algorithms().iter().map(|cipher| Subject::new(*cipher, random.bytes(cipher.key_len()))).collect()
}

/// Every cipher with blocks of 16 bytes under a random key.
pub(crate) fn subjects_16(random: &mut Random) -> Vec<Subject> {
    subjects(random).into_iter().filter(|subject| subject.cipher.block_size() == 16).collect()
}

/// The nonce of a block with which GCM begins at a counter block given, here as a number: that is the hash of the
/// nonce, which is undone.
pub(crate) fn nonce_for(reference: &dyn Specified<16>, first: u128) -> [u8; 16] {
    let h = reference.encrypt_block(&[0; 16]);
    // For J0 = (nonce H + lengths) H, with 1/H = H^(2^128 - 2).
    let (mut inverse, mut power) = ((1_u128 << 127).to_be_bytes(), h);
    for _ in 1..128 {
        power = gcm::multiply(&power, &power);
        inverse = gcm::multiply(&inverse, &power);
    }
    let inner = u128::from_be_bytes(gcm::multiply(&first.to_be_bytes(), &inverse)) ^ 128;
    gcm::multiply(&inner.to_be_bytes(), &inverse)
}

/// Algorithm and kernel, for messages.
pub(crate) fn label(cipher: &dyn BlockCipher) -> String {
    format!("{} on {}", cipher.name(), cipher.kernel())
}

/// Lengths around the steps of every ladder there may be, which are whole numbers of 1, 2, 4, .. 64
/// blocks: alone, and after up to `passes` main passes of 512 bytes.
pub(crate) fn around_steps(passes: usize) -> Vec<usize> {
    let mut lengths = Vec::new();
    for before in 0..=passes {
        for step in [0, 1, 2, 4, 8, 16, 32, 64] {
            let at = 512 * before + 16 * step;
            lengths.extend([at.saturating_sub(16), at.saturating_sub(1), at, at + 1, at + 16]);
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Every length from 0 to `every`, and those around the steps.
pub(crate) fn lengths(every: usize, passes: usize) -> Vec<usize> {
    let steps = around_steps(passes).into_iter().filter(|len| *len > every);
    (0..=every).chain(steps).collect()
}

/// Panics if two buffers differ, with the place where they part.
#[track_caller]
pub(crate) fn same(got: &[u8], expected: &[u8], what: impl FnOnce() -> String) {
    tally::answer();
    if got != expected {
        let at = got.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(got.len().min(expected.len()));
        panic!("{}: byte {at} of {} (expected {}) is wrong", what(), got.len(), expected.len());
    }
}

/// The byte that surrounds a buffer and must stay unchanged.
const MARGIN: u8 = 0xa5;

/// Data in the middle of a larger buffer.
struct Placed {
    bytes: Vec<u8>,
    at: usize,
    len: usize,
}

impl Placed {
    /// Puts data `at` bytes, up to 64, after the start of an allocation.
    fn new(data: &[u8], at: usize) -> Self {
        let mut bytes = vec![MARGIN; data.len() + 128];
        bytes[at..at + data.len()].copy_from_slice(data);
        Self { bytes, at, len: data.len() }
    }

    fn data(&mut self) -> &mut [u8] {
        &mut self.bytes[self.at..self.at + self.len]
    }

    #[track_caller]
    fn is(&self, expected: &[u8], what: impl Fn() -> String) {
        let (before, data) = self.bytes.split_at(self.at);
        let (data, after) = data.split_at(self.len);
        same(data, expected, &what);
        let untouched = |bytes: &[u8]| bytes.iter().all(|byte| *byte == MARGIN);
        assert!(untouched(before) && untouched(after), "{}: written beside the output", what());
    }
}

/// Runs an operation in place and from one buffer to another, at a misalignment given and at others, and
/// expects the same output each time, and no byte written beside it.
#[track_caller]
pub(crate) fn both_ways(
    data: &[u8],
    expected: &[u8],
    at: usize,
    what: impl Fn() -> String,
    mut operation: impl FnMut(InOutBuf<'_, '_, u8>),
) {
    let mut buffer = Placed::new(data, at % 64);
    operation(buffer.data().into());
    buffer.is(expected, || format!("{}, in place", what()));

    let mut input = Placed::new(data, at * 7 % 64);
    let mut output = Placed::new(&vec![0x3c; data.len()], at * 11 % 64);
    operation(InOutBuf::new(input.data(), output.data()).expect("equal lengths"));
    output.is(expected, || format!("{}, from buffer to buffer", what()));
    input.is(data, || format!("{}, the input", what()));
}
