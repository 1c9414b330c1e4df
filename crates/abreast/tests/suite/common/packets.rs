//! Packets, and the judge of them: the same messages one by one, by the modes for one message.

use super::{Random, kernels, same, tally};
use abreast::kernels::{Algorithm, ByType, Registered, algorithms};
use abreast::modes::{Cbc, Cmac, CounterWidth, Ctr, Direction, Eax, Gcm, Hctr2, Ofb, Siv, Xts};
use abreast::packets::{self, CipherKey, CmacKey, EaxKey, GcmKey, Hctr2Key, Packet, SivKey, XtsKey};
use abreast::serpent::Serpent;
use abreast::xtea::{ByteOrder, Xtea};
use abreast::{BlockCipher, BlockCipher128, Error, InOutBuf, Kernel};

/// A mode of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Ecb,
    Cbc,
    Ctr(CounterWidth),
    Ofb,
    Xts,
    Hctr2,
    Gcm,
    Eax,
    Siv,
    Cmac,
}

impl How {
    /// Every mode, with counters of every width.
    pub(crate) const ALL: [Self; 13] = [
        Self::Ecb,
        Self::Cbc,
        Self::Ctr(CounterWidth::Bits16),
        Self::Ctr(CounterWidth::Bits32),
        Self::Ctr(CounterWidth::Bits64),
        Self::Ctr(CounterWidth::Bits128),
        Self::Ofb,
        Self::Xts,
        Self::Hctr2,
        Self::Gcm,
        Self::Eax,
        Self::Siv,
        Self::Cmac,
    ];

    /// The directions between which there is a difference.
    pub(crate) fn directions(self) -> &'static [Direction] {
        match self {
            Self::Ctr(_) | Self::Ofb => &[Direction::Encrypt],
            _ => &[Direction::Encrypt, Direction::Decrypt],
        }
    }

    /// Is there a tag?
    pub(crate) fn has_tags(self) -> bool {
        matches!(self, Self::Gcm | Self::Eax | Self::Siv | Self::Cmac)
    }

    /// Is it defined for a cipher?
    pub(crate) fn suits(self, kind: Kind) -> bool {
        match self {
            Self::Xts | Self::Hctr2 | Self::Gcm | Self::Siv => kind.block() == 16,
            Self::Ctr(width) => width.bits() as usize <= 8 * kind.block(),
            _ => true,
        }
    }

    /// A length near one given that the mode takes.
    pub(crate) fn length(self, len: usize, block: usize) -> usize {
        match self {
            Self::Ecb | Self::Cbc => len / block * block,
            Self::Xts | Self::Hctr2 => len.max(16),
            _ => len,
        }
    }
}

/// Makes a test of a check for every mode of packets.
macro_rules! test_per_how {
    ($check:ident) => {
        $crate::common::packets::test_per_how! { $check:
            ecb: Ecb,
            cbc: Cbc,
            ctr_16: Ctr(CounterWidth::Bits16),
            ctr_32: Ctr(CounterWidth::Bits32),
            ctr_64: Ctr(CounterWidth::Bits64),
            ctr_128: Ctr(CounterWidth::Bits128),
            ofb: Ofb,
            xts: Xts,
            hctr2: Hctr2,
            gcm: Gcm,
            eax: Eax,
            siv: Siv,
            cmac: Cmac,
        }
    };
    ($check:ident: $($test:ident: $how:expr,)*) => {
        mod $check {
            use abreast::modes::CounterWidth;
            use $crate::common::packets::How::*;

            $(
                #[test]
                fn $test() {
                    super::$check($how);
                }
            )*
        }
    };
}
pub(crate) use test_per_how;

/// A cipher with all that its keys depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A cipher of the registry.
    Listed(Algorithm),
    /// Serpent with keys of this many bytes.
    Serpent(usize),
    /// XTEA with this many cycles.
    Xtea(ByteOrder, u8),
}

impl Kind {
    /// Every cipher of the registry, and forms that it does not have.
    pub(crate) fn all() -> Vec<Self> {
        let unlisted = [
            Self::Serpent(17),
            Self::Xtea(ByteOrder::LittleEndian, 16),
            Self::Xtea(ByteOrder::BigEndian, 16),
            Self::Xtea(ByteOrder::LittleEndian, 64),
            Self::Xtea(ByteOrder::BigEndian, 64),
        ];
        algorithms().iter().copied().map(Self::Listed).chain(unlisted).collect()
    }

    /// A cipher of the registry.
    #[track_caller]
    pub(crate) fn listed(name: &str) -> Self {
        Self::Listed(Algorithm::from_name(name).expect("a name of the registry"))
    }

    /// Bytes of a block.
    pub(crate) fn block(self) -> usize {
        self.like().block_size()
    }

    /// Bytes of a key.
    pub(crate) fn key_len(self) -> usize {
        match self {
            Self::Serpent(len) => len,
            _ => self.like().key_len(),
        }
    }

    /// All of its kernels, best first.
    pub(crate) fn kernels(self) -> Vec<Kernel> {
        kernels(self.like())
    }

    /// A cipher of the registry with the same blocks and kernels.
    fn like(self) -> Algorithm {
        let of_name = |name| Algorithm::from_name(name).expect("a name of the registry");
        match self {
            Self::Listed(algorithm) => algorithm,
            Self::Serpent(_) => of_name("serpent-128"),
            Self::Xtea(..) => of_name("xtea"),
        }
    }

    /// A key at a kernel, by its own type or `boxed`, where nothing but the trait is known of it.
    pub(crate) fn key(self, key: &[u8], kernel: Kernel, boxed: bool) -> Box<dyn Key> {
        let of_key = OfKey { key, kernel, boxed };
        match self {
            Self::Listed(algorithm) => algorithm.by_type(of_key),
            Self::Serpent(_) => of_key.of_16(|key| Serpent::with_kernel(key, kernel)),
            Self::Xtea(order, cycles) => {
                of_key.of_8(|key| Xtea::with_kernel(key.try_into().expect("16 bytes"), order, cycles, kernel))
            }
        }
    }
}

/// The bytes, the kernel and the form of a key to be made.
struct OfKey<'k> {
    key: &'k [u8],
    kernel: Kernel,
    boxed: bool,
}

impl OfKey<'_> {
    fn of_8<C: BlockCipher + 'static>(self, make: impl Fn(&[u8]) -> Result<C, Error>) -> Box<dyn Key> {
        let make = || make(self.key).expect("its kernel");
        match self.boxed {
            false => Box::new(Modes::new(make)),
            true => Box::new(Modes::new(|| Box::new(make()) as Box<dyn BlockCipher>)),
        }
    }

    fn of_16<C: BlockCipher128 + 'static>(self, make: impl Fn(&[u8]) -> Result<C, Error>) -> Box<dyn Key> {
        let make = |key: &[u8]| make(key).expect("its kernel");
        match self.boxed {
            false => Box::new(Modes16::new(self.key, make)),
            true => Box::new(Modes16::new(self.key, |key| Box::new(make(key)) as Box<dyn BlockCipher128>)),
        }
    }
}

impl ByType for OfKey<'_> {
    type Out = Box<dyn Key>;

    fn with_64<C: Registered>(self, variant: u8) -> Box<dyn Key> {
        let kernel = self.kernel;
        self.of_8(|key| C::with_key(variant, key, kernel))
    }
    fn with_128<C: Registered + BlockCipher128>(self, variant: u8) -> Box<dyn Key> {
        let kernel = self.kernel;
        self.of_16(|key| C::with_key(variant, key, kernel))
    }
}

/// A key in all the forms in which packets take one.
pub(crate) trait Key {
    fn cipher(&self) -> CipherKey<'_>;
    fn eax(&self, tag_len: usize) -> EaxKey<'_>;
    fn cmac(&self, tag_len: usize) -> CmacKey<'_>;
    /// Returns the key for GCM, if the blocks have 16 bytes.
    fn gcm(&self, tag_len: usize) -> Option<GcmKey<'_>>;
    /// Returns the key for SIV, if the blocks have 16 bytes.
    fn siv(&self) -> Option<SivKey<'_>>;
    /// Returns the key for XTS, if the blocks have 16 bytes.
    fn xts(&self) -> Option<XtsKey<'_>>;
    /// Returns the key for HCTR2, if the blocks have 16 bytes.
    fn hctr2(&self) -> Option<Hctr2Key<'_>>;
    /// One message by itself.
    fn alone(&self, how: How, direction: Direction, one: One<'_>) -> Result<(), Error>;
}

/// A message as it is handed to a mode.
pub(crate) struct One<'a> {
    pub(crate) iv: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) io: InOutBuf<'a, 'a, u8>,
    pub(crate) tag: &'a mut [u8],
}

/// A cipher in the modes for all blocks.
struct Modes<C> {
    cipher: C,
    eax: Eax<C>,
    cmac: Cmac<C>,
}

impl<C: BlockCipher> Modes<C> {
    fn new(make: impl Fn() -> C) -> Self {
        Self { cipher: make(), eax: Eax::from_cipher(make()), cmac: Cmac::from_cipher(make()) }
    }
}

impl<C: BlockCipher> Key for Modes<C> {
    fn cipher(&self) -> CipherKey<'_> {
        (&self.cipher).into()
    }
    fn eax(&self, tag_len: usize) -> EaxKey<'_> {
        self.eax.with_tag_len(tag_len).map_or((&self.eax).into(), Into::into)
    }
    fn cmac(&self, tag_len: usize) -> CmacKey<'_> {
        self.cmac.with_tag_len(tag_len).map_or((&self.cmac).into(), Into::into)
    }
    fn gcm(&self, _: usize) -> Option<GcmKey<'_>> {
        None
    }
    fn siv(&self) -> Option<SivKey<'_>> {
        None
    }
    fn xts(&self) -> Option<XtsKey<'_>> {
        None
    }
    fn hctr2(&self) -> Option<Hctr2Key<'_>> {
        None
    }

    fn alone(&self, how: How, direction: Direction, One { iv, aad, io, tag }: One<'_>) -> Result<(), Error> {
        use Direction::{Decrypt, Encrypt};
        let cipher = &self.cipher;
        match (how, direction) {
            (How::Ecb, Encrypt) => cipher.encrypt_raw_blocks(io),
            (How::Ecb, Decrypt) => cipher.decrypt_raw_blocks(io),
            (How::Cbc, Encrypt) => Cbc::from_cipher(cipher, iv)?.encrypt(io),
            (How::Cbc, Decrypt) => Cbc::from_cipher(cipher, iv)?.decrypt(io),
            (How::Ctr(width), _) => Ctr::from_cipher(cipher, iv, width)?.apply(io),
            (How::Ofb, _) => Ofb::from_cipher(cipher, iv).map(|mut ofb| ofb.apply(io)),
            (How::Eax, Encrypt) => self.eax.with_tag_len(tag.len())?.encrypt_detached(iv, aad, io, tag),
            (How::Eax, Decrypt) => self.eax.with_tag_len(tag.len())?.decrypt_detached(iv, aad, io, tag),
            (How::Cmac, Encrypt) => self.cmac.with_tag_len(tag.len())?.mac(aad, tag),
            (How::Cmac, Decrypt) => self.cmac.with_tag_len(tag.len())?.verify(aad, tag),
            (How::Gcm | How::Siv | How::Xts | How::Hctr2, _) => panic!("{how:?} is for blocks of 16 bytes"),
        }
    }
}

/// A cipher in the modes for all blocks and in those for blocks of 16 bytes.
struct Modes16<C> {
    modes: Modes<C>,
    gcm: Gcm<C>,
    siv: Siv<C>,
    xts: Xts<C>,
    hctr2: Hctr2<C>,
}

impl<C: BlockCipher128> Modes16<C> {
    fn new(key: &[u8], make: impl Fn(&[u8]) -> C) -> Self {
        let other_key: Vec<u8> = key.iter().map(|byte| !byte).collect();
        Self {
            modes: Modes::new(|| make(key)),
            gcm: Gcm::from_cipher(make(key)),
            siv: Siv::from_ciphers(make(key), make(&other_key)),
            xts: Xts::new(make(key), make(&other_key)).expect("different keys"),
            hctr2: Hctr2::from_cipher(make(key)),
        }
    }
}

impl<C: BlockCipher128> Key for Modes16<C> {
    fn cipher(&self) -> CipherKey<'_> {
        self.modes.cipher()
    }
    fn eax(&self, tag_len: usize) -> EaxKey<'_> {
        self.modes.eax(tag_len)
    }
    fn cmac(&self, tag_len: usize) -> CmacKey<'_> {
        self.modes.cmac(tag_len)
    }
    fn gcm(&self, tag_len: usize) -> Option<GcmKey<'_>> {
        Some(self.gcm.with_tag_len(tag_len).map_or((&self.gcm).into(), Into::into))
    }
    fn siv(&self) -> Option<SivKey<'_>> {
        Some((&self.siv).into())
    }
    fn xts(&self) -> Option<XtsKey<'_>> {
        Some((&self.xts).into())
    }
    fn hctr2(&self) -> Option<Hctr2Key<'_>> {
        Some((&self.hctr2).into())
    }

    fn alone(&self, how: How, direction: Direction, one: One<'_>) -> Result<(), Error> {
        let number = |iv: &[u8]| iv.try_into().map(u128::from_le_bytes).map_err(|_| Error::IvLength);
        let One { iv, aad, io, tag } = one;
        match (how, direction) {
            (How::Gcm, Direction::Encrypt) => {
                self.gcm.with_tag_len(tag.len())?.encrypt_detached(iv, aad, io, tag)
            }
            (How::Gcm, Direction::Decrypt) => {
                self.gcm.with_tag_len(tag.len())?.decrypt_detached(iv, aad, io, tag)
            }
            (How::Siv, _) => {
                let strings = [aad, iv];
                let strings = if iv.is_empty() { &strings[..1] } else { &strings };
                let tag = tag.try_into().map_err(|_| Error::TagLength)?;
                match direction {
                    Direction::Encrypt => self.siv.encrypt_detached(strings, io, tag),
                    Direction::Decrypt => self.siv.decrypt_detached(strings, io, tag),
                }
            }
            (How::Xts, Direction::Encrypt) => self.xts.encrypt_units(number(iv)?, io.len(), io),
            (How::Xts, Direction::Decrypt) => self.xts.decrypt_units(number(iv)?, io.len(), io),
            (How::Hctr2, Direction::Encrypt) => self.hctr2.encrypt(iv, io),
            (How::Hctr2, Direction::Decrypt) => self.hctr2.decrypt(iv, io),
            _ => self.modes.alone(how, direction, One { iv, aad, io, tag }),
        }
    }
}

/// The byte that fills an output before a call.
pub(crate) const UNTOUCHED: u8 = 0x3c;

/// All of a message but its key: the inputs, and the places of the outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) iv: Vec<u8>,
    pub(crate) aad: Vec<u8>,
    /// Read.
    pub(crate) input: Vec<u8>,
    /// Written; the input is, if there is none.
    pub(crate) output: Option<Vec<u8>>,
    pub(crate) tag: Vec<u8>,
}

impl Parts {
    fn buffers(&mut self) -> One<'_> {
        let Self { iv, aad, input, output, tag } = self;
        let io = match output {
            None => input.as_mut_slice().into(),
            Some(output) => InOutBuf::new(input, output).expect("equal lengths"),
        };
        One { iv, aad, io, tag }
    }

    /// Returns the bytes that are written: the output, or the input if there is none.
    pub(crate) fn written(&self) -> &[u8] {
        self.output.as_ref().unwrap_or(&self.input)
    }

    /// Makes the message an in-place one, or one with a fresh output.
    pub(crate) fn in_place(mut self, in_place: bool) -> Self {
        self.output = (!in_place).then(|| vec![UNTOUCHED; self.input.len()]);
        self
    }
}

/// A message with its key, and its result by itself.
#[derive(Clone)]
pub(crate) struct Member<'k> {
    pub(crate) key: &'k dyn Key,
    pub(crate) before: Parts,
    pub(crate) after: Parts,
    pub(crate) result: Result<(), Error>,
}

impl<'k> Member<'k> {
    /// Judged by a key, which is the same in another form or at another kernel.
    pub(crate) fn judged(
        how: How,
        direction: Direction,
        judge: &dyn Key,
        key: &'k dyn Key,
        before: Parts,
    ) -> Self {
        let mut after = before.clone();
        let result = judge.alone(how, direction, after.buffers());
        Self { key, before, after, result }
    }

    /// Returns the message with another key.
    pub(crate) fn with(&self, key: &'k dyn Key) -> Self {
        Self { key, ..self.clone() }
    }
}

/// A batch as packets, whatever the mode.
pub(crate) fn run_packets<'a>(
    how: How,
    direction: Direction,
    keys: impl Iterator<Item = &'a dyn Key>,
    messages: impl Iterator<Item = One<'a>>,
) -> Vec<Result<(), Error>> {
    use Direction::{Decrypt, Encrypt};

    fn run<'a, K>(
        keys: impl Iterator<Item = &'a dyn Key>,
        of: impl Fn(&'a dyn Key, usize) -> K,
        messages: impl Iterator<Item = One<'a>>,
        call: impl FnOnce(&mut [Packet<'a, K>]),
    ) -> Vec<Result<(), Error>> {
        let packet = |(at, (key, One { iv, aad, io, tag })): (usize, (&'a dyn Key, One<'a>))| {
            let mut packet = Packet::new(of(key, tag.len()), iv, io).with_tag(aad, tag);
            assert_eq!(packet.result, Err(Error::NotProcessed));
            // An earlier result does not matter.
            packet.result = [Ok(()), Err(Error::NotProcessed), Err(Error::TagLength)][at % 3];
            packet
        };
        let mut batch: Vec<_> = keys.zip(messages).enumerate().map(packet).collect();
        call(&mut batch);
        batch.iter().map(|packet| packet.result).collect()
    }
    let gcm = |key: &'a dyn Key, len| key.gcm(len).expect("blocks of 16 bytes");
    let siv = |key: &'a dyn Key, _| key.siv().expect("blocks of 16 bytes");
    let xts = |key: &'a dyn Key, _| key.xts().expect("blocks of 16 bytes");
    let hctr2 = |key: &'a dyn Key, _| key.hctr2().expect("blocks of 16 bytes");
    match (how, direction) {
        (How::Ecb, Encrypt) => run(keys, |key, _| key.cipher(), messages, |all| packets::ecb_encrypt(all)),
        (How::Ecb, Decrypt) => run(keys, |key, _| key.cipher(), messages, |all| packets::ecb_decrypt(all)),
        (How::Cbc, Encrypt) => run(keys, |key, _| key.cipher(), messages, |all| packets::cbc_encrypt(all)),
        (How::Cbc, Decrypt) => run(keys, |key, _| key.cipher(), messages, |all| packets::cbc_decrypt(all)),
        (How::Ctr(width), _) => run(keys, |key, _| key.cipher(), messages, |all| packets::ctr(all, width)),
        (How::Ofb, _) => run(keys, |key, _| key.cipher(), messages, |all| packets::ofb(all)),
        (How::Xts, Encrypt) => run(keys, xts, messages, |all| packets::xts_encrypt(all)),
        (How::Xts, Decrypt) => run(keys, xts, messages, |all| packets::xts_decrypt(all)),
        (How::Hctr2, Encrypt) => run(keys, hctr2, messages, |all| packets::hctr2_encrypt(all)),
        (How::Hctr2, Decrypt) => run(keys, hctr2, messages, |all| packets::hctr2_decrypt(all)),
        (How::Gcm, Encrypt) => run(keys, gcm, messages, |all| packets::gcm_encrypt(all)),
        (How::Gcm, Decrypt) => run(keys, gcm, messages, |all| packets::gcm_decrypt(all)),
        (How::Eax, Encrypt) => run(keys, |key, len| key.eax(len), messages, |all| packets::eax_encrypt(all)),
        (How::Eax, Decrypt) => run(keys, |key, len| key.eax(len), messages, |all| packets::eax_decrypt(all)),
        (How::Siv, Encrypt) => run(keys, siv, messages, |all| packets::siv_encrypt(all)),
        (How::Siv, Decrypt) => run(keys, siv, messages, |all| packets::siv_decrypt(all)),
        (How::Cmac, Encrypt) => run(keys, |key, len| key.cmac(len), messages, |all| packets::cmac(all)),
        (How::Cmac, Decrypt) => {
            run(keys, |key, len| key.cmac(len), messages, |all| packets::cmac_verify(all))
        }
    }
}

/// Runs a batch and expects the same result for each message as by itself.
#[track_caller]
pub(crate) fn check(what: &str, how: How, direction: Direction, members: &[Member<'_>]) {
    let mut parts: Vec<_> = members.iter().map(|member| member.before.clone()).collect();
    let keys = members.iter().map(|member| member.key);
    let results = run_packets(how, direction, keys, parts.iter_mut().map(Parts::buffers));
    assert_eq!(results.len(), members.len());
    tally::packets(members.len());
    for (at, ((member, got), result)) in members.iter().zip(&parts).zip(results).enumerate() {
        if (got, result) != (&member.after, member.result) {
            let (key, len, count) = (member.key.cipher(), got.input.len(), members.len());
            let what = |part: &'static str| {
                move || {
                    format!("{what}, {how:?}, {direction:?}, {at} of {count}, {key:?}, {len} bytes: {part}")
                }
            };
            assert_eq!(result, member.result, "{}", what("the result")());
            same(got.written(), member.after.written(), what("the text"));
            same(&got.input, &member.after.input, what("the input"));
            same(&got.tag, &member.after.tag, what("the tag"));
            panic!("{}", what("the vector or the associated data")());
        }
    }
}

/// A message for a mode and a cipher, with everything but the length by chance. Tags are long enough that none is
/// right by chance.
pub(crate) fn random_parts(random: &mut Random, how: How, kind: Kind, len: usize) -> Parts {
    let block = kind.block();
    let len = how.length(len, block);
    let iv = match how {
        How::Ecb | How::Cmac => Vec::new(),
        How::Cbc | How::Ofb => random.bytes(block),
        How::Ctr(_) => counter(random, block),
        How::Xts => {
            // All ones at times, and in the lower half.
            let number = random.block().map(|byte| byte | random.pick(&[0, 0, 0xff]));
            number.to_vec()
        }
        How::Gcm => {
            let len = random.pick(&[12, 12, 12, 12, 1, 8, 16, 17, 60]);
            random.bytes(len)
        }
        How::Eax | How::Siv | How::Hctr2 => {
            let len = random.pick(&[12, 16, 0, 1, 8, 33, 100]);
            random.bytes(len)
        }
    };
    let any = random.up_to(100);
    let aad_len = random.pick(&[0, 1, 8, 13, 16, 20, 40, any, any, 300]);
    let tag_len = match how {
        How::Gcm => random.pick(&[16, 16, 16, 12, 13, 14, 15, 8]),
        How::Siv => 16,
        How::Eax | How::Cmac => 8.max(random.up_to(block)),
        _ => 0,
    };
    let (aad_len, input_len) = match how {
        How::Cmac => (len, random.up_to(20)),
        How::Gcm | How::Eax | How::Siv => (aad_len, len),
        _ => (0, len),
    };
    Parts {
        iv,
        aad: random.bytes(aad_len),
        input: random.bytes(input_len),
        output: None,
        tag: vec![UNTOUCHED; tag_len],
    }
}

/// A counter block: near the place where a counter of some width wraps, or anywhere.
fn counter(random: &mut Random, block: usize) -> Vec<u8> {
    let ones = random.pick(&[0, 0, 8, 16, 32, 48, 64, 96, 128]);
    let before = random.up_to(20);
    counter_before(random, block, ones, before)
}

/// A counter block whose last `ones` bits, or all if it has fewer, are ones, less `before`.
pub(crate) fn counter_before(random: &mut Random, block: usize, ones: u32, before: usize) -> Vec<u8> {
    let mask = u128::MAX.checked_shr(128 - ones.min(8 * block as u32)).unwrap_or(0);
    let number = (u128::from_be_bytes(random.block()) | mask).wrapping_sub(before as u128);
    number.to_be_bytes()[16 - block..].to_vec()
}

/// Messages of one mode, with a key each at every kernel and in both forms.
pub(crate) struct Pool {
    pub(crate) how: How,
    pub(crate) kinds: Vec<Kind>,
    /// Each message before and after encryption.
    messages: Vec<[Parts; 2]>,
    /// Message by message, the keys: kernel by kernel, and at the best one `boxed`.
    keys: Vec<Vec<Box<dyn Key>>>,
}

impl Pool {
    /// Makes a pool with a message for each kind and length.
    pub(crate) fn new(
        random: &mut Random,
        how: How,
        messages: impl IntoIterator<Item = (Kind, usize)>,
    ) -> Self {
        Self::with_forms(random, how, messages, usize::MAX)
    }

    /// Makes a pool as [`new`](Self::new) does, with at most `forms` forms of each key, the best kernel first.
    pub(crate) fn with_forms(
        random: &mut Random,
        how: How,
        messages: impl IntoIterator<Item = (Kind, usize)>,
        forms: usize,
    ) -> Self {
        let mut pool = Self { how, kinds: Vec::new(), messages: Vec::new(), keys: Vec::new() };
        for (kind, len) in messages.into_iter().filter(|(kind, _)| how.suits(*kind)) {
            let key = random.bytes(kind.key_len());
            let kernels = kind.kernels();
            let concrete = kernels.iter().map(|kernel| (*kernel, false));
            let forms = concrete.chain([(kernels[0], true)]).take(forms);
            let keys: Vec<_> = forms.map(|(kernel, boxed)| kind.key(&key, kernel, boxed)).collect();
            let plain = random_parts(random, how, kind, len);
            let sealed = Member::judged(how, Direction::Encrypt, &*keys[0], &*keys[0], plain.clone());
            assert_eq!(sealed.result, Ok(()), "{how:?} of {} bytes", plain.input.len());
            pool.messages.push([plain, sealed.after]);
            pool.kinds.push(kind);
            pool.keys.push(keys);
        }
        pool
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns the number of forms of a message's key: its kernels and one more, unless the pool has fewer.
    pub(crate) fn forms(&self, which: usize) -> usize {
        self.keys[which % self.len()].len()
    }

    /// A message to be encrypted or decrypted, and its key in one of its forms.
    pub(crate) fn member(
        &self,
        direction: Direction,
        which: usize,
        form: usize,
        in_place: bool,
    ) -> Member<'_> {
        let which = which % self.len();
        let (from, to) = match (&self.messages[which], direction) {
            ([plain, sealed], Direction::Encrypt) => (plain, sealed),
            ([plain, sealed], Direction::Decrypt) => (sealed, plain),
        };
        let before = from.clone().in_place(in_place);
        let mut after = before.clone();
        if let (Some(output), true) = (&mut after.output, self.how != How::Cmac) {
            output.clone_from(&to.input);
        } else {
            after.input.clone_from(&to.input);
        }
        if direction == Direction::Encrypt {
            after.tag.clone_from(&to.tag);
        }
        Member { key: self.key(which, form), before, after, result: Ok(()) }
    }

    /// The key of a message in one of its forms.
    pub(crate) fn key(&self, which: usize, form: usize) -> &dyn Key {
        let keys = &self.keys[which % self.len()];
        &*keys[form % keys.len()]
    }
}
