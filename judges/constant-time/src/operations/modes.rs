//! Key schedules, and every mode for one message: in one call and in pieces.

use abreast::kernels::Algorithm;
use abreast::modes::{
    BlockBuffer, Cbc, Cfb, Cfb8, Cmac, CounterWidth, Ctr, Direction, Eax, Gcm, Hctr2, KeyWrap, Ofb, Siv, Xts,
};
use abreast::{BlockCipher, BlockCipher128, Error, Kernel};

use crate::examiner::{Examiner, public};

const WIDTHS: [CounterWidth; 4] =
    [CounterWidth::Bits16, CounterWidth::Bits32, CounterWidth::Bits64, CounterWidth::Bits128];

/// Expands a key, and works on a block and on a few.
#[inline(never)]
pub(super) fn key_schedule(x: &Examiner, algorithm: Algorithm, kernel: Kernel) {
    let key = x.secret(algorithm.key_len());
    let cipher = x.run(format_args!("key schedule"), || algorithm.with_key(&key, Some(kernel)));
    let cipher = cipher.expect("its kernel");
    for blocks in [1, 3, 40] {
        let mut data = x.secret(blocks * algorithm.block_size());
        x.try_run(format_args!("ecb {blocks} blocks, encrypt"), || {
            cipher.encrypt_raw_blocks((&mut *data).into())
        });
        x.try_run(format_args!("ecb {blocks} blocks, decrypt"), || {
            cipher.decrypt_raw_blocks((&mut *data).into())
        });
    }
    x.run(format_args!("drop"), || drop(cipher));
}

/// The modes over blocks of any size.
#[inline(never)]
pub(super) fn any(x: &Examiner, algorithm: Algorithm, kernel: Kernel) {
    let key = x.secret(algorithm.key_len());
    let cipher = algorithm.with_key(&key, Some(kernel)).expect("its kernel");
    let cipher: &dyn BlockCipher = &*cipher;
    for &len in x.lengths() {
        unpadded(x, cipher, len);
        padded(x, cipher, len);
        streams(x, cipher, len);
        counters(x, cipher, len);
    }
    tagged(x, cipher);
}

/// Whole blocks in one call, and out of pieces that are split anywhere.
#[inline(never)]
fn unpadded(x: &Examiner, cipher: &dyn BlockCipher, len: usize) {
    let size = cipher.block_size();
    let iv = public(size, 5);
    let mut data = x.secret(len / size * size);
    x.try_run(format_args!("cbc {len}, encrypt"), || Cbc::from_cipher(cipher, &iv)?.encrypt(&mut *data));
    x.try_run(format_args!("cbc {len}, decrypt"), || Cbc::from_cipher(cipher, &iv)?.decrypt(&mut *data));
    let mut out = x.secret(data.len());
    x.try_run(format_args!("cbc {len}, pieces that are split anywhere"), || {
        let mut cbc = Cbc::from_cipher(cipher, &iv)?;
        let mut buffer = BlockBuffer::whole(size);
        let (front, back) = data.split_at(data.len() / 3);
        let done = buffer.update(front, &mut out, |io| cbc.encrypt(io))?;
        buffer.update(back, &mut out[done..], |io| cbc.encrypt(io)).map(drop)
    });
}

/// Padding: how long it is, and whether it was right, is public.
#[inline(never)]
fn padded(x: &Examiner, cipher: &dyn BlockCipher, len: usize) {
    let size = cipher.block_size();
    let iv = public(size, 5);
    let mut data = x.secret(len + size);
    let sealed = x.run(format_args!("cbc {len} padded, encrypt"), || {
        Cbc::from_cipher(cipher, &iv)?.encrypt_pkcs7(&mut data, len).map(|text| text.len())
    });
    let sealed = sealed.expect("room for the padding");
    let mut pieces = x.secret(sealed);
    pieces.copy_from_slice(&data[..sealed]);
    let opened = x.run(format_args!("cbc {len} padded, decrypt"), || {
        Cbc::from_cipher(cipher, &iv)?.decrypt_pkcs7(&mut data[..sealed]).map(|text| text.len())
    });
    x.publish(&opened);
    assert_eq!(opened, Ok(len));
    let mut out = x.secret(sealed);
    let opened = x.run(format_args!("cbc {len} padded, pieces"), || {
        let mut cbc = Cbc::from_cipher(cipher, &iv)?;
        let mut buffer = BlockBuffer::padded(size, Direction::Decrypt);
        let done = buffer.update(&pieces, &mut out, |io| cbc.decrypt(io))?;
        buffer.finish(&mut out[done..], |io| cbc.decrypt(io)).map(|last| done + last)
    });
    x.publish(&opened);
    assert_eq!(opened, Ok(len));
}

/// The modes that are streams, in one piece and in two.
#[inline(never)]
fn streams(x: &Examiner, cipher: &dyn BlockCipher, len: usize) {
    let iv = public(cipher.block_size(), 6);
    let mut data = x.secret(len);
    x.try_run(format_args!("cfb {len}, encrypt"), || {
        let mut cfb = Cfb::from_cipher(cipher, &iv)?;
        cfb.encrypt(&mut *data);
        Ok(())
    });
    x.try_run(format_args!("cfb {len}, decrypt, two pieces"), || {
        let mut cfb = Cfb::from_cipher(cipher, &iv)?;
        let (front, back) = data.split_at_mut(len / 3);
        cfb.decrypt(front);
        cfb.decrypt(back);
        Ok(())
    });
    x.try_run(format_args!("cfb8 {len}, encrypt"), || {
        Cfb8::from_cipher(cipher, &iv)?.encrypt(&mut data[..len.min(64)]);
        Ok(())
    });
    x.try_run(format_args!("cfb8 {len}, decrypt"), || {
        Cfb8::from_cipher(cipher, &iv)?.decrypt(&mut data[..len.min(70)]);
        Ok(())
    });
    x.try_run(format_args!("ofb {len}, two pieces"), || {
        let mut ofb = Ofb::from_cipher(cipher, &iv)?;
        let (front, back) = data.split_at_mut(len / 3);
        ofb.apply(front);
        ofb.apply(back);
        Ok(())
    });
}

/// Counter mode, with counters that wrap too, and from place to place.
#[inline(never)]
fn counters(x: &Examiner, cipher: &dyn BlockCipher, len: usize) {
    let size = cipher.block_size();
    let fits = |width: &CounterWidth| width.bits() as usize <= 8 * size;
    // The width decides how a message is cut, not how a kernel processes the parts.
    let enough = |width: &CounterWidth| !x.kernels_only() || *width == CounterWidth::Bits32;
    for width in WIDTHS.into_iter().filter(|width| fits(width) && enough(width)) {
        // The last bytes are such that the low byte, or all that counts, wraps.
        for wraps in [1, size] {
            let mut counter = public(size, 9);
            counter[size - wraps..].fill(0xff);
            let mut data = x.secret(len);
            let what = format!("ctr {} bits, {wraps} bytes wrap, {len}", width.bits());
            x.try_run(format_args!("{what}"), || {
                Ctr::from_cipher(cipher, &counter, width)?.apply(&mut *data)
            });
            x.try_run(format_args!("{what}, pieces"), || {
                let mut ctr = Ctr::from_cipher(cipher, &counter, width)?;
                let (front, back) = data.split_at_mut(len / 3);
                ctr.apply(front)?;
                ctr.seek_to(7)?;
                ctr.apply(back)
            });
        }
    }
}

/// CMAC and EAX.
#[inline(never)]
fn tagged(x: &Examiner, cipher: &dyn BlockCipher) {
    let size = cipher.block_size();
    let cmac = x.run(format_args!("cmac key"), || Cmac::from_cipher(cipher));
    let eax = x.run(format_args!("eax key"), || Eax::from_cipher(cipher));
    for &len in x.lengths() {
        let mut data = x.secret(len);
        let mut tag = x.secret(size);
        x.try_run(format_args!("cmac {len}"), || cmac.mac(&data, &mut tag));
        x.try_run(format_args!("cmac {len}, verify"), || cmac.verify(&data, &tag));
        x.try_run(format_args!("cmac {len}, pieces"), || {
            let mut pieces = cmac.pieces();
            pieces.update(&data[..len / 3]);
            pieces.update(&data[len / 3..]);
            pieces.verify(&tag)
        });
        tag[size - 1] ^= 1;
        let wrong = x.outcome(format_args!("cmac {len}, a wrong tag"), || cmac.verify(&data, &tag));
        assert_eq!(wrong, Err(Error::TagMismatch));

        let (nonce, aad) = (public(12, 8), x.secret(len / 2));
        x.try_run(format_args!("eax {len}, encrypt"), || {
            eax.encrypt_detached(&nonce, &aad, &mut *data, &mut tag)
        });
        x.try_run(format_args!("eax {len}, decrypt"), || {
            eax.decrypt_detached(&nonce, &aad, &mut *data, &tag)
        });
        x.try_run(format_args!("eax {len}, encrypt, pieces"), || {
            let mut pieces = eax.encryptor(&nonce, &aad);
            let (front, back) = data.split_at_mut(len / 3);
            pieces.update(front)?;
            pieces.update(back)?;
            pieces.finish(&mut tag)
        });
        x.try_run(format_args!("eax {len}, decrypt, pieces, a short tag"), || {
            let mut pieces = eax.decryptor(&nonce, &aad).with_tag_len(size - 1)?;
            let (front, back) = data.split_at_mut(len / 3);
            pieces.update(front)?;
            pieces.update(back)?;
            pieces.verify(&tag[..size - 1])
        });
        tag[0] ^= 1;
        let wrong = x.outcome(format_args!("eax {len}, a wrong tag"), || {
            eax.decrypt_detached(&nonce, &aad, &mut *data, &tag)
        });
        assert_eq!(wrong, Err(Error::TagMismatch));
    }
    x.run(format_args!("cmac and eax, drop"), || drop((cmac, eax)));
}

/// The modes over blocks of 128 bits.
#[inline(never)]
pub(super) fn of_128(x: &Examiner, algorithm: Algorithm, kernel: Kernel) {
    let keys = [(); 2].map(|()| x.secret(algorithm.key_len()));
    let ciphers = keys.each_ref().map(|key| algorithm.with_key_128(key, Some(kernel)).expect("its kernel"));
    let [data, tweak] = ciphers.each_ref().map(|cipher| &**cipher);
    gcm(x, data);
    siv(x, data, tweak);
    xts(x, data, tweak);
    hctr2(x, data);
    key_wrap(x, data);
}

#[inline(never)]
fn hctr2(x: &Examiner, cipher: &dyn BlockCipher128) {
    let hctr2 = x.run(format_args!("hctr2 key"), || Hctr2::from_cipher(cipher));
    for &len in x.lengths().iter().filter(|len| **len >= 16) {
        for tweak_len in [0, 16, 100] {
            let (tweak, mut data) = (public(tweak_len, 8), x.secret(len));
            let what = format!("hctr2 {len}, a tweak of {tweak_len}");
            x.try_run(format_args!("{what}, encrypt"), || hctr2.encrypt(&tweak, &mut *data));
            x.try_run(format_args!("{what}, decrypt"), || hctr2.decrypt(&tweak, &mut *data));
        }
    }
    x.run(format_args!("hctr2, drop"), || drop(hctr2));
}

/// Key wrap: the length of a key without its padding is public once all else was right.
#[inline(never)]
fn key_wrap(x: &Examiner, cipher: &dyn BlockCipher128) {
    let wrapping = KeyWrap::from_cipher(cipher);
    for len in [5, 16, 21, 40] {
        let room = wrapping.padded_len(len).expect("a length that is wrapped");
        let (key, mut wrapped, mut out) = (x.secret(len), x.secret(room), x.secret(room - 8));
        if len.is_multiple_of(8) {
            x.try_run(format_args!("key wrap {len}"), || wrapping.wrap(&key, &mut wrapped));
            x.try_run(format_args!("key unwrap {len}"), || wrapping.unwrap(&wrapped, &mut out));
            wrapped[0] ^= 1;
            let wrong =
                x.outcome(format_args!("key unwrap {len}, changed"), || wrapping.unwrap(&wrapped, &mut out));
            assert_eq!(wrong, Err(Error::TagMismatch));
        }
        x.try_run(format_args!("key wrap {len} padded"), || wrapping.wrap_padded(&key, &mut wrapped));
        let unwrapped =
            x.run(format_args!("key unwrap {len} padded"), || wrapping.unwrap_padded(&wrapped, &mut out));
        x.publish(&unwrapped);
        assert_eq!(unwrapped, Ok(len));
        wrapped[0] ^= 1;
        let wrong = x.outcome(format_args!("key unwrap {len} padded, changed"), || {
            wrapping.unwrap_padded(&wrapped, &mut out).map(drop)
        });
        assert_eq!(wrong, Err(Error::TagMismatch));
    }
}

#[inline(never)]
fn gcm(x: &Examiner, cipher: &dyn BlockCipher128) {
    let gcm = x.run(format_args!("gcm key"), || Gcm::from_cipher(cipher));
    for &len in x.lengths() {
        // A nonce of 12 bytes is the counter; another one is hashed, and the counter is secret.
        for nonce_len in [12, 16] {
            let (nonce, aad, mut data) = (public(nonce_len, 8), x.secret(len / 2), x.secret(len));
            let (mut tag, what) = (x.secret(16), format!("gcm {len}, a nonce of {nonce_len}"));
            x.try_run(format_args!("{what}, encrypt"), || {
                gcm.encrypt_detached(&nonce, &aad, &mut *data, tag.tag())
            });
            x.try_run(format_args!("{what}, decrypt"), || {
                gcm.decrypt_detached(&nonce, &aad, &mut *data, tag.tag())
            });
            x.try_run(format_args!("{what}, encrypt, pieces"), || {
                let mut pieces = gcm.encryptor(&nonce, &aad)?;
                let (front, back) = data.split_at_mut(len / 3);
                pieces.update(front)?;
                pieces.update(back)?;
                pieces.finish(&mut tag)
            });
            x.try_run(format_args!("{what}, decrypt, pieces, a short tag"), || {
                let mut pieces = gcm.decryptor(&nonce, &aad)?.with_tag_len(12)?;
                let (front, back) = data.split_at_mut(len / 3);
                pieces.update(front)?;
                pieces.update(back)?;
                pieces.verify(&tag[..12])
            });
            tag[0] ^= 1;
            let wrong = x.outcome(format_args!("{what}, a wrong tag"), || {
                gcm.decrypt_detached(&nonce, &aad, &mut *data, tag.tag())
            });
            assert_eq!(wrong, Err(Error::TagMismatch));
        }
    }
    x.run(format_args!("gcm, drop"), || drop(gcm));
}

#[inline(never)]
fn siv(x: &Examiner, mac: &dyn BlockCipher128, text: &dyn BlockCipher128) {
    let siv = x.run(format_args!("siv key"), || Siv::from_ciphers(mac, text));
    for &len in x.lengths() {
        let (mut data, aad) = (x.secret(len), x.secret(len / 2));
        let mut vector = [0; 16];
        x.try_run(format_args!("siv {len}, encrypt"), || {
            siv.encrypt_detached(&[&aad], &mut *data, &mut vector)
        });
        x.try_run(format_args!("siv {len}, decrypt"), || siv.decrypt_detached(&[&aad], &mut *data, &vector));
        vector[0] ^= 1;
        let wrong = x.outcome(format_args!("siv {len}, a wrong tag"), || {
            siv.decrypt_detached(&[&aad], &mut *data, &vector)
        });
        assert_eq!(wrong, Err(Error::TagMismatch));
        zeroize::Zeroize::zeroize(&mut vector);
    }
    x.run(format_args!("siv, drop"), || drop(siv));
}

#[inline(never)]
fn xts(x: &Examiner, data: &dyn BlockCipher128, tweak: &dyn BlockCipher128) {
    // Equality of the two keys is public.
    let xts = x.run(format_args!("xts key"), || Xts::new(data, tweak)).expect("two keys");
    for &len in x.lengths().iter().filter(|len| **len >= 16) {
        for units in [1, 3] {
            let mut data = x.secret(len * units);
            x.try_run(format_args!("xts {units} units of {len}, encrypt"), || {
                xts.encrypt_units(7, len, &mut *data)
            });
            x.try_run(format_args!("xts {units} units of {len}, decrypt"), || {
                xts.decrypt_units(7, len, &mut *data)
            });
        }
    }
}
