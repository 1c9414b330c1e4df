//! One message at a time: in one call, as a stream in pieces, and as a stream that goes from place to place.

use abreast::aez::Aez;
use abreast::hmac::{Hmac, HmacHash};
use abreast::modes::{Cbc, Cfb, Cfb8, Ctr, Ofb, Siv, WithTagLen};
use abreast::rc4::{Message, Rc4, apply_keys};
use abreast::{BlockCipher, BlockCipher128, Error, InOutBuf};

use crate::arena::Parcel;
use crate::batches::{begun, rc4_key};
use crate::case::{Case, Spec, code};
use crate::keys::Keyed;
use crate::pool::Pool;
use crate::random::Random;
use crate::subject::{Direction, Mode, Path};

/// Runs the messages of a case one after the other, and returns the status of each.
pub(crate) fn run(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>) -> Vec<i32> {
    let each = case.specs.iter().zip(parcels);
    each.map(|(spec, parcel)| {
        code(match (case.mode, case.path) {
            (Mode::Rc4Keys | Mode::Rc4Streams, _) => rc4(pool, case, spec, parcel),
            (Mode::AezJoined, _) => joined(pool, case, spec, parcel),
            (Mode::XtsUnits, _) => {
                let unit = spec.entry(pool, case.mode).unit;
                whole(keyed(pool, case, spec), case, unit, parcel)
            }
            (_, Path::Alone) => whole(keyed(pool, case, spec), case, spec.len, parcel),
            (_, Path::Pieces) => pieces(keyed(pool, case, spec), case, spec, parcel),
            _ => places(keyed(pool, case, spec), case, spec, parcel),
        })
    })
    .collect()
}

fn keyed<'p>(pool: &'p Pool, case: &Case, spec: &Spec) -> &'p Keyed {
    pool.keyed(spec.kind, spec.entry(pool, case.mode).key, spec.kernel)
}

/// One call; for XTS with units of `unit` bytes.
fn whole(keyed: &Keyed, case: &Case, unit: usize, parcel: Parcel<'_>) -> Result<(), Error> {
    use Direction::{Decrypt, Encrypt};
    let (iv, aad) = (parcel.iv, parcel.aad);
    let (io, tag) = parcel.io();
    let number = || iv.try_into().map(u128::from_le_bytes).map_err(|_| Error::IvLength);
    match (case.mode, case.direction) {
        (Mode::Ecb, Encrypt) => keyed.cipher().encrypt_raw_blocks(io),
        (Mode::Ecb, Decrypt) => keyed.cipher().decrypt_raw_blocks(io),
        (Mode::Xts | Mode::XtsUnits, Encrypt) => keyed.xts().encrypt_units(number()?, unit, io),
        (Mode::Xts | Mode::XtsUnits, Decrypt) => keyed.xts().decrypt_units(number()?, unit, io),
        (Mode::Hctr2, Encrypt) => keyed.hctr2().encrypt(iv, io),
        (Mode::Hctr2, Decrypt) => keyed.hctr2().decrypt(iv, io),
        (Mode::Gcm, Encrypt) => keyed.gcm().with_tag_len(tag.len())?.encrypt_detached(iv, aad, io, tag),
        (Mode::Gcm, Decrypt) => keyed.gcm().with_tag_len(tag.len())?.decrypt_detached(iv, aad, io, tag),
        (Mode::Eax, Encrypt) => keyed.eax().with_tag_len(tag.len())?.encrypt_detached(iv, aad, io, tag),
        (Mode::Eax, Decrypt) => keyed.eax().with_tag_len(tag.len())?.decrypt_detached(iv, aad, io, tag),
        (Mode::Siv, _) => siv(keyed.siv(), case.direction, iv, aad, io, tag),
        (Mode::GcmSiv, Encrypt) => keyed.gcm_siv().encrypt_detached(iv, aad, io, full(tag)?),
        (Mode::GcmSiv, Decrypt) => keyed.gcm_siv().decrypt_detached(iv, aad, io, full(tag)?),
        (Mode::Cmac, Encrypt) => keyed.cmac().with_tag_len(tag.len())?.mac(aad, tag),
        (Mode::Cmac, Decrypt) => keyed.cmac().with_tag_len(tag.len())?.verify(aad, tag),
        (Mode::HmacSha1, direction) => hmac(keyed.sha1(), direction, aad, tag),
        (Mode::HmacSha256, direction) => hmac(keyed.sha256(), direction, aad, tag),
        (Mode::Aez, _) => aez(keyed.aez_with(tag.len())?, case.direction, iv, aad, io, tag),
        _ => streamed(keyed.cipher(), case, iv, io, &[]),
    }
}

/// Returns a tag of 16 bytes.
fn full(tag: &mut [u8]) -> Result<&mut [u8; 16], Error> {
    tag.try_into().map_err(|_| Error::TagLength)
}

/// SIV as batches have it: the associated data is a string, and so is the nonce if there is one.
fn siv(
    siv: &Siv<Box<dyn BlockCipher128>>,
    direction: Direction,
    nonce: &[u8],
    aad: &[u8],
    io: InOutBuf<'_, '_, u8>,
    tag: &mut [u8],
) -> Result<(), Error> {
    let strings = if nonce.is_empty() { &[aad][..] } else { &[aad, nonce] };
    match direction {
        Direction::Encrypt => siv.encrypt_detached(strings, io, full(tag)?),
        Direction::Decrypt => siv.decrypt_detached(strings, io, full(tag)?),
    }
}

fn aez(
    aez: WithTagLen<'_, Aez>,
    direction: Direction,
    nonce: &[u8],
    aad: &[u8],
    io: InOutBuf<'_, '_, u8>,
    tag: &mut [u8],
) -> Result<(), Error> {
    let strings: &[&[u8]] = if aad.is_empty() { &[] } else { &[aad] };
    match direction {
        Direction::Encrypt => aez.encrypt_detached(nonce, strings, io, tag),
        Direction::Decrypt => aez.decrypt_detached(nonce, strings, io, tag),
    }
}

fn hmac<H: HmacHash>(
    hmac: &Hmac<H>,
    direction: Direction,
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), Error> {
    let hmac = hmac.with_tag_len(tag.len())?;
    if direction == Direction::Encrypt { hmac.mac(message, tag) } else { hmac.verify(message, tag) }
}

/// The lengths of the pieces of a message: sometimes all short, sometimes whole blocks.
fn cuts(seed: u64, mut len: usize, grain: usize) -> Vec<usize> {
    let random = &mut Random::new(seed);
    let most = random.log_uniform(0, len);
    let grain = if random.chance(1, 3) { grain.max(16) } else { grain };
    let mut cuts = Vec::new();
    while len > 0 && cuts.len() < 100 {
        let piece = random.log_uniform(0, most).next_multiple_of(grain).min(len);
        cuts.push(piece);
        len -= piece;
    }
    cuts.push(len);
    cuts
}

/// Hands a buffer on piece by piece.
fn each_piece<'a>(
    mut io: InOutBuf<'a, 'a, u8>,
    cuts: &[usize],
    mut piece: impl FnMut(InOutBuf<'a, 'a, u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    for cut in cuts {
        let (now, after) = io.split_at(*cut);
        piece(now)?;
        io = after;
    }
    piece(io)
}

/// The modes that are streams.
fn streamed(
    cipher: &dyn BlockCipher,
    case: &Case,
    iv: &[u8],
    io: InOutBuf<'_, '_, u8>,
    cuts: &[usize],
) -> Result<(), Error> {
    let encrypts = case.direction == Direction::Encrypt;
    match case.mode {
        Mode::Cbc => {
            let mut cbc = Cbc::from_cipher(cipher, iv)?;
            each_piece(io, cuts, |io| if encrypts { cbc.encrypt(io) } else { cbc.decrypt(io) })
        }
        Mode::Cfb => {
            let mut cfb = Cfb::from_cipher(cipher, iv)?;
            each_piece(io, cuts, |io| {
                if encrypts {
                    cfb.encrypt(io)
                } else {
                    cfb.decrypt(io)
                }
                Ok(())
            })
        }
        Mode::Cfb8 => {
            let mut cfb = Cfb8::from_cipher(cipher, iv)?;
            each_piece(io, cuts, |io| {
                if encrypts {
                    cfb.encrypt(io)
                } else {
                    cfb.decrypt(io)
                }
                Ok(())
            })
        }
        Mode::Ofb => {
            let mut ofb = Ofb::from_cipher(cipher, iv)?;
            each_piece(io, cuts, |io| {
                ofb.apply(io);
                Ok(())
            })
        }
        mode => {
            let mut ctr = Ctr::from_cipher(cipher, iv, mode.width().expect("counter mode"))?;
            each_piece(io, cuts, |io| ctr.apply(io))
        }
    }
}

/// A stream in pieces.
fn pieces(keyed: &Keyed, case: &Case, spec: &Spec, parcel: Parcel<'_>) -> Result<(), Error> {
    let (iv, aad) = (parcel.iv, parcel.aad);
    let (io, tag) = parcel.io();
    let grain = if case.mode == Mode::Cbc { spec.cipher().block() } else { 1 };
    let cuts = cuts(spec.cuts, if case.mode.only_authenticates() { aad.len() } else { io.len() }, grain);
    match (case.mode, case.direction) {
        (Mode::Gcm, Direction::Encrypt) => {
            let mut gcm = keyed.gcm().encryptor(iv, aad)?.with_tag_len(tag.len())?;
            each_piece(io, &cuts, |io| gcm.update(io))?;
            gcm.finish(tag)
        }
        (Mode::Gcm, Direction::Decrypt) => {
            let mut gcm = keyed.gcm().decryptor(iv, aad)?.with_tag_len(tag.len())?;
            each_piece(io, &cuts, |io| gcm.update(io))?;
            gcm.verify(tag)
        }
        (Mode::Eax, Direction::Encrypt) => {
            let mut eax = keyed.eax().encryptor(iv, aad).with_tag_len(tag.len())?;
            each_piece(io, &cuts, |io| eax.update(io))?;
            eax.finish(tag)
        }
        (Mode::Eax, Direction::Decrypt) => {
            let mut eax = keyed.eax().decryptor(iv, aad).with_tag_len(tag.len())?;
            each_piece(io, &cuts, |io| eax.update(io))?;
            eax.verify(tag)
        }
        (Mode::HmacSha1, direction) => hmac_pieces(keyed.sha1(), direction, aad, &cuts, tag),
        (Mode::HmacSha256, direction) => hmac_pieces(keyed.sha256(), direction, aad, &cuts, tag),
        (Mode::Cmac, direction) => {
            let mut cmac = keyed.cmac().pieces().with_tag_len(tag.len())?;
            each_part(aad, &cuts, |part| cmac.update(part));
            if direction == Direction::Encrypt { cmac.finish(tag) } else { cmac.verify(tag) }
        }
        _ => streamed(keyed.cipher(), case, iv, io, &cuts),
    }
}

fn hmac_pieces<H: HmacHash>(
    hmac: &Hmac<H>,
    direction: Direction,
    message: &[u8],
    cuts: &[usize],
    tag: &mut [u8],
) -> Result<(), Error> {
    let mut hmac = hmac.pieces().with_tag_len(tag.len())?;
    each_part(message, cuts, |part| hmac.update(part));
    if direction == Direction::Encrypt { hmac.finish(tag) } else { hmac.verify(tag) }
}

/// Hands a message on part by part.
fn each_part(mut message: &[u8], cuts: &[usize], mut part: impl FnMut(&[u8])) {
    for cut in cuts {
        let (now, after) = message.split_at(*cut);
        part(now);
        message = after;
    }
}

/// Counter mode from place to place: the parts of the message in any order.
fn places(keyed: &Keyed, case: &Case, spec: &Spec, parcel: Parcel<'_>) -> Result<(), Error> {
    let iv = parcel.iv;
    let (mut io, _) = parcel.io();
    let mut ctr = Ctr::from_cipher(keyed.cipher(), iv, case.mode.width().expect("counter mode"))?;
    let (mut parts, mut at) = (Vec::new(), 0_usize);
    for cut in cuts(spec.cuts, io.len(), 1) {
        let (part, after) = io.split_at(cut);
        parts.push((at, part));
        (at, io) = (at + cut, after);
    }
    Random::new(!spec.cuts).shuffle(&mut parts);
    for (at, part) in parts {
        let end = (at + part.len()) as u128;
        ctr.seek_to(at as u128)?;
        ctr.apply(part)?;
        if ctr.position() != Some(end) {
            return Err(Error::BufferLengths);
        }
    }
    Ok(())
}

/// AEZ with any number of strings, and the tag after the ciphertext.
fn joined(pool: &Pool, case: &Case, spec: &Spec, parcel: Parcel<'_>) -> Result<(), Error> {
    let entry = spec.entry(pool, case.mode);
    let aez = keyed(pool, case, spec).aez_with(entry.tag_len)?;
    let (strings, iv) = (pool.strings(entry), parcel.iv);
    let (io, _) = parcel.io();
    match case.direction {
        Direction::Encrypt => aez.encrypt_joined(iv, &strings, io),
        Direction::Decrypt => aez.decrypt_joined(iv, &strings, io),
    }
}

/// A stream of RC4, in pieces and by way of its exported state, or a message in one call.
fn rc4(pool: &Pool, case: &Case, spec: &Spec, parcel: Parcel<'_>) -> Result<(), Error> {
    let (key, skip) = (rc4_key(pool, case, spec, parcel.iv), spec.entry(pool, case.mode).skip);
    let (io, _) = parcel.io();
    if case.mode == Mode::Rc4Keys {
        return apply_keys(&mut [Message { key, skip: skip as u64, buffer: io }]);
    }
    let mut state = begun(key, skip);
    let cuts = if case.path == Path::Pieces { cuts(spec.cuts, io.len(), 1) } else { Vec::new() };
    each_piece(io, &cuts, |io| {
        if io.len() % 2 == 1 {
            state = Rc4::import(&state.export())?;
        }
        state.apply(io);
        Ok(())
    })
}
