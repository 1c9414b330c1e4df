//! The modes as a table, each by the fast code and by the reference.
//!
//! A property of every mode is a function of [`Mode`], and [`test_per_mode`] makes a test of it for each.

use super::{Fast, Random, Subject, same, with_reference};
use abreast::modes::{
    Cbc as FastCbc, Cfb as FastCfb, Cfb8 as FastCfb8, Cmac as FastCmac, CounterWidth, Ctr as FastCtr,
    Direction, Eax as FastEax, Gcm as FastGcm, Hctr2 as FastHctr2, Ofb as FastOfb, Siv as FastSiv,
};
use abreast::{Error, InOutBuf};
use abreast_reference::{cbc, cfb, cmac, eax, ecb, gcm, hctr2, ofb, siv, xts};

/// The inputs of a mode beside the message. Each mode reads the ones that it uses.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    /// A block.
    pub(crate) iv: Vec<u8>,
    /// Blocks before a counter wraps, if it does so near its beginning.
    pub(crate) before_wrap: Option<u128>,
    pub(crate) nonce: Vec<u8>,
    pub(crate) aad: Vec<u8>,
    pub(crate) tag_len: usize,
    /// The number of the first data unit.
    pub(crate) number: u128,
}

impl Inputs {
    pub(crate) fn new(subject: &Subject, random: &mut Random) -> Self {
        let block = subject.cipher.block_size();
        let nonce_len = random.pick(&[12, 12, 1, 16, 100]);
        let aad_len = random.up_to(40);
        Self {
            iv: random.bytes(block),
            before_wrap: (random.up_to(2) > 0).then_some(random.up_to(40) as u128),
            nonce: random.bytes(nonce_len),
            aad: random.bytes(aad_len),
            tag_len: block,
            number: u128::from_be_bytes(random.block()),
        }
    }

    /// The counter block for a width, as a number.
    pub(crate) fn counter(&self, width: CounterWidth) -> u128 {
        let number = self.iv.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        match self.before_wrap {
            Some(before) => (number | u128::MAX >> (128 - width.bits())) - before,
            None => number,
        }
    }
}

/// A message, its ciphertext in a mode, and the tag, which is empty for most.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    pub(crate) plaintext: Vec<u8>,
    pub(crate) ciphertext: Vec<u8>,
    pub(crate) tag: Vec<u8>,
}

/// A mode of operation.
pub(crate) trait Mode {
    fn name(&self) -> String;

    /// Is it for blocks of this many bytes?
    fn suits(&self, _block: usize) -> bool {
        true
    }

    /// Does it take messages of this many bytes?
    fn takes(&self, _len: usize, _block: usize) -> bool {
        true
    }

    /// Bytes at multiples of which a message may be split, if at all.
    fn grain(&self, _block: usize) -> Option<usize> {
        Some(1)
    }

    /// Does each block, or byte, wait for the one before? Then no kernel is any wider than a block.
    fn chains(&self, _direction: Direction) -> bool {
        false
    }

    /// The bytes of a message for which the cipher does one block; a ladder counts such blocks.
    fn bytes_per_block(&self, block: usize) -> usize {
        block
    }

    /// Is the beginning of a ciphertext the ciphertext of the beginning? Not if there is a tag.
    fn has_prefixes(&self) -> bool {
        true
    }

    /// Ciphertext and tag by the reference.
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>);

    /// Encrypts and writes the tag, or decrypts and compares it: in one call.
    fn whole(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.pieces(fast, inputs, direction, io, &[], tag)
    }

    /// Encrypts and writes the tag, or decrypts and compares it: in pieces, split at `cuts`.
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        tag: &mut [u8],
    ) -> Result<(), Error>;
}

/// Takes a buffer piece by piece.
fn each_piece(
    mut rest: InOutBuf<'_, '_, u8>,
    cuts: &[usize],
    mut take: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut at = 0;
    for cut in cuts {
        let (piece, after) = rest.split_at(cut - at);
        take(piece)?;
        (rest, at) = (after, *cut);
    }
    take(rest)
}

/// The raw permutation.
pub(crate) struct Ecb;

impl Mode for Ecb {
    fn name(&self) -> String {
        "ECB".to_owned()
    }
    fn takes(&self, len: usize, block: usize) -> bool {
        len.is_multiple_of(block)
    }
    fn grain(&self, block: usize) -> Option<usize> {
        Some(block)
    }
    fn seal(&self, subject: &Subject, _: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        (with_reference!(&subject.reference, cipher => ecb::encrypt(cipher, plaintext)), Vec::new())
    }
    fn pieces(
        &self,
        fast: &Fast,
        _: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        each_piece(io, cuts, |io| match direction {
            Direction::Encrypt => fast.any().encrypt_raw_blocks(io),
            Direction::Decrypt => fast.any().decrypt_raw_blocks(io),
        })
    }
}

/// The reference of a mode with an initialisation vector.
macro_rules! with_iv {
    ($encrypt:path, $subject:expr, $inputs:expr, $plaintext:expr) => {{
        let iv = $inputs.iv.as_slice();
        let ciphertext = with_reference!(&$subject.reference, cipher => {
            $encrypt(cipher, iv.try_into().expect("a block"), $plaintext)
        });
        (ciphertext, Vec::new())
    }};
}

/// Cipher block chaining, whole blocks.
pub(crate) struct Cbc;

impl Mode for Cbc {
    fn name(&self) -> String {
        "CBC".to_owned()
    }
    fn takes(&self, len: usize, block: usize) -> bool {
        len.is_multiple_of(block)
    }
    fn grain(&self, block: usize) -> Option<usize> {
        Some(block)
    }
    fn chains(&self, direction: Direction) -> bool {
        direction == Direction::Encrypt
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        with_iv!(cbc::encrypt, subject, inputs, plaintext)
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let mut cbc = FastCbc::from_cipher(fast.any(), &inputs.iv)?;
        each_piece(io, cuts, |io| match direction {
            Direction::Encrypt => cbc.encrypt(io),
            Direction::Decrypt => cbc.decrypt(io),
        })
    }
}

/// Cipher feedback by blocks.
pub(crate) struct Cfb;

impl Mode for Cfb {
    fn name(&self) -> String {
        "CFB".to_owned()
    }
    fn chains(&self, direction: Direction) -> bool {
        direction == Direction::Encrypt
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        with_iv!(cfb::encrypt, subject, inputs, plaintext)
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let mut cfb = FastCfb::from_cipher(fast.any(), &inputs.iv)?;
        each_piece(io, cuts, |io| {
            match direction {
                Direction::Encrypt => cfb.encrypt(io),
                Direction::Decrypt => cfb.decrypt(io),
            }
            Ok(())
        })
    }
}

/// Cipher feedback by bytes.
pub(crate) struct Cfb8;

impl Mode for Cfb8 {
    fn name(&self) -> String {
        "CFB8".to_owned()
    }
    fn bytes_per_block(&self, _: usize) -> usize {
        1
    }
    fn chains(&self, direction: Direction) -> bool {
        direction == Direction::Encrypt
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        with_iv!(cfb::encrypt_8, subject, inputs, plaintext)
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let mut cfb = FastCfb8::from_cipher(fast.any(), &inputs.iv)?;
        each_piece(io, cuts, |io| {
            match direction {
                Direction::Encrypt => cfb.encrypt(io),
                Direction::Decrypt => cfb.decrypt(io),
            }
            Ok(())
        })
    }
}

/// Output feedback.
pub(crate) struct Ofb;

impl Mode for Ofb {
    fn name(&self) -> String {
        "OFB".to_owned()
    }
    fn chains(&self, _: Direction) -> bool {
        true
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        with_iv!(ofb::xor, subject, inputs, plaintext)
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        _: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let mut ofb = FastOfb::from_cipher(fast.any(), &inputs.iv)?;
        each_piece(io, cuts, |io| {
            ofb.apply(io);
            Ok(())
        })
    }
}

/// Counter mode with a counter of this width.
pub(crate) struct Ctr(pub(crate) CounterWidth);

impl Mode for Ctr {
    fn name(&self) -> String {
        format!("CTR with {} bits", self.0.bits())
    }
    fn suits(&self, block: usize) -> bool {
        self.0.bits() as usize <= 8 * block
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        (subject.reference.ctr(inputs.counter(self.0), self.0, plaintext), Vec::new())
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        _: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let counter = inputs.counter(self.0).to_be_bytes();
        let mut ctr = FastCtr::from_cipher(fast.any(), &counter[16 - inputs.iv.len()..], self.0)?;
        let mut done = 0;
        each_piece(io, cuts, |io| {
            done += io.len() as u128;
            ctr.apply(io)?;
            assert_eq!(ctr.position(), Some(done), "{}", self.name());
            Ok(())
        })
    }
}

/// Galois/Counter Mode.
pub(crate) struct Gcm;

impl Mode for Gcm {
    fn name(&self) -> String {
        "GCM".to_owned()
    }
    fn suits(&self, block: usize) -> bool {
        block == 16
    }
    fn has_prefixes(&self) -> bool {
        false
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let Inputs { nonce, aad, tag_len, .. } = inputs;
        gcm::seal(subject.reference.of_16(), nonce, aad, plaintext, *tag_len)
    }
    fn whole(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let gcm = FastGcm::from_cipher(fast.of_16().expect("blocks of 16 bytes"));
        match direction {
            Direction::Encrypt => {
                gcm.with_tag_len(tag.len())?.encrypt_detached(&inputs.nonce, &inputs.aad, io, tag)
            }
            Direction::Decrypt => {
                gcm.with_tag_len(tag.len())?.decrypt_detached(&inputs.nonce, &inputs.aad, io, tag)
            }
        }
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let gcm = FastGcm::from_cipher(fast.of_16().expect("blocks of 16 bytes"));
        match direction {
            Direction::Encrypt => {
                let mut encryptor = gcm.encryptor(&inputs.nonce, &inputs.aad)?.with_tag_len(tag.len())?;
                each_piece(io, cuts, |io| encryptor.update(io))?;
                encryptor.finish(tag)
            }
            Direction::Decrypt => {
                let mut decryptor = gcm.decryptor(&inputs.nonce, &inputs.aad)?.with_tag_len(tag.len())?;
                each_piece(io, cuts, |io| decryptor.update(io))?;
                decryptor.verify(tag)
            }
        }
    }
}

/// EAX.
pub(crate) struct Eax;

impl Mode for Eax {
    fn name(&self) -> String {
        "EAX".to_owned()
    }
    fn has_prefixes(&self) -> bool {
        false
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let Inputs { nonce, aad, tag_len, .. } = inputs;
        with_reference!(&subject.reference, cipher => eax::seal(cipher, nonce, aad, plaintext, *tag_len))
    }
    fn whole(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let eax = FastEax::from_cipher(fast.any());
        match direction {
            Direction::Encrypt => {
                eax.with_tag_len(tag.len())?.encrypt_detached(&inputs.nonce, &inputs.aad, io, tag)
            }
            Direction::Decrypt => {
                eax.with_tag_len(tag.len())?.decrypt_detached(&inputs.nonce, &inputs.aad, io, tag)
            }
        }
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let eax = FastEax::from_cipher(fast.any());
        match direction {
            Direction::Encrypt => {
                let mut encryptor = eax.encryptor(&inputs.nonce, &inputs.aad).with_tag_len(tag.len())?;
                each_piece(io, cuts, |io| encryptor.update(io))?;
                encryptor.finish(tag)
            }
            Direction::Decrypt => {
                let mut decryptor = eax.decryptor(&inputs.nonce, &inputs.aad).with_tag_len(tag.len())?;
                each_piece(io, cuts, |io| decryptor.update(io))?;
                decryptor.verify(tag)
            }
        }
    }
}

/// SIV, whose two keys are one here. The associated data and the nonce are strings.
pub(crate) struct Siv;

impl Mode for Siv {
    fn name(&self) -> String {
        "SIV".to_owned()
    }
    fn suits(&self, block: usize) -> bool {
        block == 16
    }
    fn grain(&self, _: usize) -> Option<usize> {
        None
    }
    fn has_prefixes(&self) -> bool {
        false
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let cipher = subject.reference.of_16();
        let (tag, ciphertext) = siv::seal(cipher, cipher, &[&inputs.aad, &inputs.nonce], plaintext);
        (ciphertext, tag.to_vec())
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        _: &[usize],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let cipher = fast.of_16().expect("blocks of 16 bytes");
        let siv = FastSiv::from_ciphers(cipher, cipher);
        let tag = tag.try_into().map_err(|_| Error::TagLength)?;
        match direction {
            Direction::Encrypt => siv.encrypt_detached(&[&inputs.aad, &inputs.nonce], io, tag),
            Direction::Decrypt => siv.decrypt_detached(&[&inputs.aad, &inputs.nonce], io, tag),
        }
    }
}

/// XTS: the message is one data unit, or units of this many bytes.
pub(crate) struct Xts(pub(crate) Option<usize>);

impl Xts {
    fn unit(&self, len: usize) -> usize {
        self.0.unwrap_or(len.max(16))
    }
}

impl Mode for Xts {
    fn name(&self) -> String {
        match self.0 {
            Some(unit) => format!("XTS with units of {unit} bytes"),
            None => "XTS".to_owned(),
        }
    }
    fn suits(&self, block: usize) -> bool {
        block == 16
    }
    fn takes(&self, len: usize, _: usize) -> bool {
        !(1..16).contains(&(len % self.unit(len)))
    }
    fn grain(&self, _: usize) -> Option<usize> {
        None
    }
    fn has_prefixes(&self) -> bool {
        false
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        if plaintext.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let (data, tweak) = (subject.reference.of_16(), subject.tweak_reference.of_16());
        let first = inputs.number.to_le_bytes();
        let ciphertext = match self.0 {
            Some(unit) => xts::encrypt_units(data, tweak, &first, unit, plaintext),
            None => xts::encrypt(data, tweak, &first, plaintext),
        };
        (ciphertext, Vec::new())
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        _: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let Fast::Of16(xts) = fast else { panic!("blocks of 8 bytes") };
        let unit = self.unit(io.len());
        match direction {
            Direction::Encrypt => xts.encrypt_units(inputs.number, unit, io),
            Direction::Decrypt => xts.decrypt_units(inputs.number, unit, io),
        }
    }
}

/// HCTR2, with the associated data as the tweak.
pub(crate) struct Hctr2;

impl Mode for Hctr2 {
    fn name(&self) -> String {
        "HCTR2".to_owned()
    }
    fn suits(&self, block: usize) -> bool {
        block == 16
    }
    fn takes(&self, len: usize, _: usize) -> bool {
        len >= 16
    }
    fn grain(&self, _: usize) -> Option<usize> {
        None
    }
    fn has_prefixes(&self) -> bool {
        false
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        (hctr2::encrypt(subject.reference.of_16(), &inputs.aad, plaintext), Vec::new())
    }
    fn pieces(
        &self,
        fast: &Fast,
        inputs: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        _: &[usize],
        _: &mut [u8],
    ) -> Result<(), Error> {
        let hctr2 = FastHctr2::from_cipher(fast.of_16().expect("blocks of 16 bytes"));
        match direction {
            Direction::Encrypt => hctr2.encrypt(&inputs.aad, io),
            Direction::Decrypt => hctr2.decrypt(&inputs.aad, io),
        }
    }
}

/// CMAC, which leaves the message as it is.
pub(crate) struct Cmac;

impl Mode for Cmac {
    fn name(&self) -> String {
        "CMAC".to_owned()
    }
    fn chains(&self, _: Direction) -> bool {
        true
    }
    fn has_prefixes(&self) -> bool {
        false
    }
    fn seal(&self, subject: &Subject, inputs: &Inputs, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let tag = with_reference!(&subject.reference, cipher => cmac::mac(cipher, plaintext, inputs.tag_len));
        (plaintext.to_vec(), tag)
    }
    fn whole(
        &self,
        fast: &Fast,
        _: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let cmac = FastCmac::from_cipher(fast.any());
        let cmac = cmac.with_tag_len(tag.len())?;
        let message = io.get_in();
        match direction {
            Direction::Encrypt => cmac.mac(message, tag)?,
            Direction::Decrypt => cmac.verify(message, tag)?,
        }
        let _ = io.into_out_with_copied_in();
        Ok(())
    }
    fn pieces(
        &self,
        fast: &Fast,
        _: &Inputs,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
        cuts: &[usize],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let cmac = FastCmac::from_cipher(fast.any());
        let mut pieces = cmac.pieces().with_tag_len(tag.len())?;
        each_piece(io, cuts, |io| {
            pieces.update(io.get_in());
            let _ = io.into_out_with_copied_in();
            Ok(())
        })?;
        match direction {
            Direction::Encrypt => pieces.finish(tag),
            Direction::Decrypt => pieces.verify(tag),
        }
    }
}

/// A test for every mode, which calls a function with it: the table of modes.
macro_rules! test_per_mode {
    ($check:ident) => {
        $crate::common::modes::test_per_mode! { $check:
            ecb: Ecb,
            cbc: Cbc,
            cfb: Cfb,
            cfb8: Cfb8,
            ofb: Ofb,
            ctr_16: Ctr(abreast::modes::CounterWidth::Bits16),
            ctr_32: Ctr(abreast::modes::CounterWidth::Bits32),
            ctr_64: Ctr(abreast::modes::CounterWidth::Bits64),
            ctr_128: Ctr(abreast::modes::CounterWidth::Bits128),
            gcm: Gcm,
            eax: Eax,
            siv: Siv,
            xts: Xts(None),
            xts_units: Xts(Some(37)),
            hctr2: Hctr2,
            cmac: Cmac,
        }
    };
    ($check:ident: $($test:ident: $mode:expr,)*) => {
        mod $check {
            $(
                #[test]
                fn $test() {
                    use $crate::common::modes::*;
                    super::$check(&$mode);
                }
            )*
        }
    };
}
pub(crate) use test_per_mode;

/// The messages of a mode that are beginnings of one long message, as the reference has them.
pub(crate) struct Beginnings {
    longest: Sealed,
}

impl Beginnings {
    /// Prepares the beginnings of `plaintext`, which a mode with prefixes encrypts once, cut to a length that it takes.
    pub(crate) fn new(mode: &dyn Mode, subject: &Subject, inputs: &Inputs, mut plaintext: Vec<u8>) -> Self {
        let ciphertext = if mode.has_prefixes() {
            // Modes that take whole blocks alone get no partial one.
            while !mode.takes(plaintext.len(), subject.cipher.block_size()) {
                plaintext.pop();
            }
            mode.seal(subject, inputs, &plaintext).0
        } else {
            Vec::new()
        };
        Self { longest: Sealed { plaintext, ciphertext, tag: Vec::new() } }
    }

    /// The first `len` bytes.
    pub(crate) fn of(&self, mode: &dyn Mode, subject: &Subject, inputs: &Inputs, len: usize) -> Sealed {
        let plaintext = self.longest.plaintext[..len].to_vec();
        let (ciphertext, tag) = if mode.has_prefixes() {
            (self.longest.ciphertext[..len].to_vec(), Vec::new())
        } else {
            mode.seal(subject, inputs, &plaintext)
        };
        Sealed { plaintext, ciphertext, tag }
    }
}

/// Expects of an operation that it does a message in both directions, tag and all, in all the `ways` that
/// there are to have buffers.
#[track_caller]
pub(crate) fn both_directions(
    sealed: &Sealed,
    what: impl Fn() -> String,
    directions: &[Direction],
    operation: impl Fn(Direction, InOutBuf<'_, '_, u8>, &mut [u8]) -> Result<(), Error>,
    mut ways: impl FnMut(&[u8], &[u8], &dyn Fn() -> String, &mut dyn FnMut(InOutBuf<'_, '_, u8>)),
) {
    let Sealed { plaintext, ciphertext, tag } = sealed;
    for direction in directions {
        let what = || format!("{}, {} bytes, {direction:?}", what(), plaintext.len());
        match direction {
            Direction::Encrypt => ways(plaintext, ciphertext, &what, &mut |io| {
                let mut made = vec![0x77; tag.len()];
                assert_eq!(operation(*direction, io, &mut made), Ok(()), "{}", what());
                same(&made, tag, || format!("{}, the tag", what()));
            }),
            Direction::Decrypt => ways(ciphertext, plaintext, &what, &mut |io| {
                assert_eq!(operation(*direction, io, &mut tag.clone()), Ok(()), "{}", what());
            }),
        }
    }
}

/// Both directions.
pub(crate) const DIRECTIONS: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];
