//! Batches: messages of several lengths, each with a key of its own, in every mode that has batches.

use abreast::kernels::Algorithm;
use abreast::modes::{Cmac, CounterWidth, Eax, Gcm, Hctr2, Siv, Xts};
use abreast::packets::{
    self, CipherKey, CmacKey, EaxKey, GcmKey, Hctr2Key, Packet, SivKey, WrapPacket, XtsKey,
};
use abreast::{BlockCipher, BlockCipher128, Error, Kernel};

use crate::examiner::{Examiner, Extent, Secret, public};

/// Messages of a batch: more than the lanes of any kernel, or few of them.
pub(super) fn counts(x: &Examiner) -> &'static [usize] {
    if x.kernels_only() {
        &[17]
    } else if cfg!(miri) {
        &[9, 2]
    } else {
        &[19, 3]
    }
}

/// The lengths of the messages of a batch: short ones of one length or of several, and one that is long.
pub(super) fn lengths(x: &Examiner, count: usize, grain: usize) -> Vec<Vec<usize>> {
    if x.kernels_only() {
        return vec![(0..count).map(|i| if grain == 1 { 16 + i % 18 } else { 16 + i % 2 * 16 }).collect()];
    }
    let cut = |len: usize| len.max(16) / grain * grain;
    let mixed: Vec<usize> =
        (0..count).map(|i| cut(if i == 1 && !cfg!(miri) { 300 } else { 16 + (i * 7) % 50 })).collect();
    match x.extent {
        Extent::Long if !x.takes_steps() => {
            let same = [16, 64, 256, 700].map(|len| vec![cut(len); count]);
            same.into_iter().chain([mixed]).collect()
        }
        _ => vec![mixed],
    }
}

/// The messages of a batch.
pub(super) struct Messages {
    ivs: Vec<Vec<u8>>,
    aads: Vec<Secret>,
    data: Vec<Secret>,
    tags: Vec<Secret>,
}

impl Messages {
    pub(super) fn new(x: &Examiner, lens: &[usize], iv_len: usize, aad: bool, tag_len: usize) -> Self {
        // The counters of some wrap.
        let iv = |i: usize| {
            let mut iv = public(iv_len, i as u8);
            if let Some(last) = iv.last_mut().filter(|_| i.is_multiple_of(3)) {
                *last = 0xfd;
            }
            iv
        };
        Self {
            ivs: (0..lens.len()).map(iv).collect(),
            aads: (0..lens.len()).map(|i| x.secret(if aad { (5 * i) % 40 } else { 0 })).collect(),
            data: lens.iter().map(|len| x.secret(*len)).collect(),
            tags: lens.iter().map(|_| x.secret(tag_len)).collect(),
        }
    }

    /// Runs a batch, each message of which has to be done.
    pub(super) fn run<K: Copy>(
        &mut self,
        x: &Examiner,
        name: &str,
        keys: &[K],
        call: impl FnOnce(&mut [Packet<'_, K>]),
    ) {
        let results = self.results(x, name, keys, call);
        assert!(results.iter().all(Result::is_ok), "{name}: {results:?}");
    }

    /// Runs a batch in which every tag is wrong, so that every message must be rejected.
    pub(super) fn refuse<K: Copy>(
        &mut self,
        x: &Examiner,
        name: &str,
        keys: &[K],
        call: impl FnOnce(&mut [Packet<'_, K>]),
    ) {
        if x.kernels_only() {
            return;
        }
        for tag in &mut self.tags {
            tag[0] ^= 1;
        }
        let results = self.results(x, name, keys, call);
        assert!(results.iter().all(|result| *result == Err(Error::TagMismatch)), "{name}: {results:?}");
    }

    fn results<K: Copy>(
        &mut self,
        x: &Examiner,
        name: &str,
        keys: &[K],
        call: impl FnOnce(&mut [Packet<'_, K>]),
    ) -> Vec<Result<(), Error>> {
        let rest = self.ivs.iter().zip(&self.aads).zip(&mut self.data).zip(&mut self.tags);
        let mut batch: Vec<Packet<'_, K>> = (keys.iter().zip(rest))
            .map(|(key, (((iv, aad), data), tag))| {
                let packet: Packet<'_, K> = Packet::new(*key, iv, &mut **data);
                packet.with_tag(aad, tag)
            })
            .collect();
        x.run(format_args!("batch of {}, {name}", batch.len()), || call(&mut batch));
        batch
            .iter()
            .map(|packet| {
                x.publish(&packet.result);
                packet.result
            })
            .collect()
    }
}

/// The modes over blocks of any size.
#[inline(never)]
pub(super) fn any(x: &Examiner, algorithm: Algorithm, kernel: Kernel) {
    let size = algorithm.block_size();
    for &count in counts(x) {
        let keys: Vec<Secret> = (0..count).map(|_| x.secret(algorithm.key_len())).collect();
        let cipher = |key: &Secret| algorithm.with_key(key, Some(kernel)).expect("its kernel");
        let ciphers: Vec<Box<dyn BlockCipher>> = keys.iter().map(cipher).collect();
        let plain: Vec<CipherKey<'_>> = ciphers.iter().map(CipherKey::from).collect();
        let eaxes: Vec<_> = ciphers.iter().map(Eax::from_cipher).collect();
        let eax: Vec<EaxKey<'_>> = eaxes.iter().map(EaxKey::from).collect();
        let cmacs: Vec<_> = ciphers.iter().map(Cmac::from_cipher).collect();
        let cmac: Vec<CmacKey<'_>> = cmacs.iter().map(CmacKey::from).collect();
        for lens in lengths(x, count, size) {
            let mut m = Messages::new(x, &lens, size, false, 0);
            m.run(x, "ecb, encrypt", &plain, packets::ecb_encrypt);
            m.run(x, "ecb, decrypt", &plain, packets::ecb_decrypt);
            m.run(x, "cbc, encrypt", &plain, packets::cbc_encrypt);
            m.run(x, "cbc, decrypt", &plain, packets::cbc_decrypt);
        }
        for lens in lengths(x, count, 1) {
            let mut m = Messages::new(x, &lens, size, false, 0);
            m.run(x, "ofb", &plain, packets::ofb);
            m.run(x, "ctr, 32 bits", &plain, |all| packets::ctr(all, CounterWidth::Bits32));
            if !x.kernels_only() {
                m.run(x, "ctr, 64 bits", &plain, |all| packets::ctr(all, CounterWidth::Bits64));
            }
            let mut m = Messages::new(x, &lens, 12, true, size);
            m.run(x, "eax, encrypt", &eax, packets::eax_encrypt);
            m.run(x, "eax, decrypt", &eax, packets::eax_decrypt);
            m.refuse(x, "eax, wrong tags", &eax, packets::eax_decrypt);
            m.run(x, "cmac", &cmac, packets::cmac);
            m.run(x, "cmac, verify", &cmac, packets::cmac_verify);
            m.refuse(x, "cmac, wrong tags", &cmac, packets::cmac_verify);
        }
        if x.kernels_only() {
            return;
        }
        let text = x.secret(2 * size);
        let found =
            x.run(format_args!("search among {count} keys"), || packets::try_keys(&plain, &text, |_| false));
        assert_eq!(found, Ok(Vec::new()));
    }
}

/// The modes over blocks of 128 bits.
#[inline(never)]
pub(super) fn of_128(x: &Examiner, algorithm: Algorithm, kernel: Kernel) {
    for &count in counts(x) {
        let keys: Vec<Secret> = (0..2 * count).map(|_| x.secret(algorithm.key_len())).collect();
        let cipher = |key: &Secret| algorithm.with_key_128(key, Some(kernel)).expect("its kernel");
        let ciphers: Vec<Box<dyn BlockCipher128>> = keys.iter().map(cipher).collect();
        let (first, second) = ciphers.split_at(count);
        let gcms: Vec<_> = first.iter().map(Gcm::from_cipher).collect();
        let gcm: Vec<GcmKey<'_>> = gcms.iter().map(GcmKey::from).collect();
        let sivs: Vec<_> = first.iter().zip(second).map(|(mac, text)| Siv::from_ciphers(mac, text)).collect();
        let siv: Vec<SivKey<'_>> = sivs.iter().map(SivKey::from).collect();
        let xtss: Vec<_> = x.run(format_args!("xts keys"), || {
            first.iter().zip(second).map(|(data, tweak)| Xts::new(data, tweak).expect("two keys")).collect()
        });
        let xts: Vec<XtsKey<'_>> = xtss.iter().map(XtsKey::from).collect();
        let hctr2s: Vec<_> = first.iter().map(Hctr2::from_cipher).collect();
        let hctr2: Vec<Hctr2Key<'_>> = hctr2s.iter().map(Hctr2Key::from).collect();
        for lens in lengths(x, count, 1) {
            for nonce_len in [12, 16] {
                let mut m = Messages::new(x, &lens, nonce_len, true, 16);
                m.run(x, "gcm, encrypt", &gcm, packets::gcm_encrypt);
                m.run(x, "gcm, decrypt", &gcm, packets::gcm_decrypt);
                m.refuse(x, "gcm, wrong tags", &gcm, packets::gcm_decrypt);
            }
            let mut m = Messages::new(x, &lens, 0, true, 16);
            m.run(x, "siv, encrypt", &siv, packets::siv_encrypt);
            m.run(x, "siv, decrypt", &siv, packets::siv_decrypt);
            m.refuse(x, "siv, wrong tags", &siv, packets::siv_decrypt);
            let mut m = Messages::new(x, &lens, 16, false, 0);
            m.run(x, "xts, encrypt", &xts, packets::xts_encrypt);
            m.run(x, "xts, decrypt", &xts, packets::xts_decrypt);
            m.run(x, "hctr2, encrypt", &hctr2, packets::hctr2_encrypt);
            m.run(x, "hctr2, decrypt", &hctr2, packets::hctr2_decrypt);
        }
        wrapped_keys(x, first);
    }
}

/// Runs a batch of key wrap, and returns its results, which are public.
fn wrap_batch(
    x: &Examiner,
    name: &str,
    ciphers: &[Box<dyn BlockCipher128>],
    [inputs, outputs]: [&mut [Secret]; 2],
    call: impl FnOnce(&mut [WrapPacket<'_>]),
) -> Vec<Result<usize, Error>> {
    let mut batch: Vec<_> = (ciphers.iter().zip(inputs).zip(outputs))
        .map(|((cipher, input), output)| WrapPacket::new(cipher, input, output))
        .collect();
    x.run(format_args!("batch of {}, {name}", batch.len()), || call(&mut batch));
    batch
        .iter()
        .map(|packet| {
            x.publish(&packet.result);
            packet.result
        })
        .collect()
}

/// Key wrap, of keys of several lengths, without padding and with it.
#[inline(never)]
fn wrapped_keys(x: &Examiner, ciphers: &[Box<dyn BlockCipher128>]) {
    let lens: Vec<_> = (0..ciphers.len()).map(|at| 16 + 8 * (at % 3)).collect();
    let secrets = |more: usize| -> Vec<_> { lens.iter().map(|len| x.secret(len + more)).collect() };
    let (mut keys, mut wrapped) = (secrets(0), secrets(8));
    let done = wrap_batch(x, "key wrap", ciphers, [&mut keys, &mut wrapped], packets::key_wrap);
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    let done = wrap_batch(x, "key unwrap", ciphers, [&mut wrapped, &mut keys], packets::key_unwrap);
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    for wrapped in &mut wrapped {
        wrapped[0] ^= 1;
    }
    let done = wrap_batch(x, "key unwrap, changed", ciphers, [&mut wrapped, &mut keys], packets::key_unwrap);
    assert!(done.iter().all(|done| *done == Err(Error::TagMismatch)), "{done:?}");
    let done =
        wrap_batch(x, "key wrap, padded", ciphers, [&mut keys, &mut wrapped], packets::key_wrap_padded);
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    let done =
        wrap_batch(x, "key unwrap, padded", ciphers, [&mut wrapped, &mut keys], packets::key_unwrap_padded);
    assert!(done.iter().zip(lens).all(|(done, len)| *done == Ok(len)), "{done:?}");
}
