//! Batches in Rust, on one thread or on several.

use abreast::packets::{self, AezKey, HmacKey, Packet};
use abreast::rc4::{
    Message, Rc4, Stream, apply_keys_with_kernel, apply_many_with_kernel, try_keys as rc4_try_keys,
};
use abreast::{Error, InOutBuf};
use rayon::ThreadPool;

use crate::arena::Parcel;
use crate::case::{Case, Fault, Spec, code};
use crate::pool::Pool;
use crate::subject::{Direction, Family, Mode, Path};

/// Runs a case as one batch, and returns the status of each message.
pub(crate) fn run(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>, threads: &ThreadPool) -> Vec<i32> {
    use Direction::{Decrypt, Encrypt};
    let threads = (case.path == Path::Parallel).then_some(threads);
    let keyed = |index: usize| {
        let spec = &case.specs[index];
        pool.keyed(spec.kind, spec.entry(pool, case.mode).key, spec.kernel)
    };
    let cipher = |index, _| keyed(index).cipher().into();
    let xts = |index, _| keyed(index).xts().into();
    let hctr2 = |index, _| keyed(index).hctr2().into();
    // A length that a mode does not define is left to the batch to refuse: it differs from the length of the mode.
    let gcm = |index, len| keyed(index).gcm().with_tag_len(len).map_or(keyed(index).gcm().into(), Into::into);
    let eax = |index, len| keyed(index).eax().with_tag_len(len).map_or(keyed(index).eax().into(), Into::into);
    let siv = |index, _| keyed(index).siv().into();
    let gcm_siv = |index, _| keyed(index).gcm_siv();
    let cmac =
        |index, len| keyed(index).cmac().with_tag_len(len).map_or(keyed(index).cmac().into(), Into::into);
    let sha1 = |index, len| {
        let hmac = keyed(index).sha1();
        hmac.with_tag_len(len).map_or(hmac.into(), HmacKey::from)
    };
    let sha256 = |index, len| {
        let hmac = keyed(index).sha256();
        hmac.with_tag_len(len).map_or(hmac.into(), HmacKey::from)
    };
    let aez = |index, len| keyed(index).aez_with(len).map_or(keyed(index).aez().into(), AezKey::from);
    match (case.mode, case.direction) {
        (Mode::Ecb, Encrypt) => packets(threads, parcels, cipher, |all| packets::ecb_encrypt(all)),
        (Mode::Ecb, Decrypt) => packets(threads, parcels, cipher, |all| packets::ecb_decrypt(all)),
        (Mode::Cbc, Encrypt) => packets(threads, parcels, cipher, |all| packets::cbc_encrypt(all)),
        (Mode::Cbc, Decrypt) => packets(threads, parcels, cipher, |all| packets::cbc_decrypt(all)),
        (Mode::Ofb, _) => packets(threads, parcels, cipher, |all| packets::ofb(all)),
        (Mode::Xts, Encrypt) => packets(threads, parcels, xts, |all| packets::xts_encrypt(all)),
        (Mode::Xts, Decrypt) => packets(threads, parcels, xts, |all| packets::xts_decrypt(all)),
        (Mode::Hctr2, Encrypt) => packets(threads, parcels, hctr2, |all| packets::hctr2_encrypt(all)),
        (Mode::Hctr2, Decrypt) => packets(threads, parcels, hctr2, |all| packets::hctr2_decrypt(all)),
        (Mode::Gcm, Encrypt) => packets(threads, parcels, gcm, |all| packets::gcm_encrypt(all)),
        (Mode::Gcm, Decrypt) => packets(threads, parcels, gcm, |all| packets::gcm_decrypt(all)),
        (Mode::Eax, Encrypt) => packets(threads, parcels, eax, |all| packets::eax_encrypt(all)),
        (Mode::Eax, Decrypt) => packets(threads, parcels, eax, |all| packets::eax_decrypt(all)),
        (Mode::Siv, Encrypt) => packets(threads, parcels, siv, |all| packets::siv_encrypt(all)),
        (Mode::Siv, Decrypt) => packets(threads, parcels, siv, |all| packets::siv_decrypt(all)),
        (Mode::GcmSiv, Encrypt) => packets(threads, parcels, gcm_siv, |all| packets::gcm_siv_encrypt(all)),
        (Mode::GcmSiv, Decrypt) => packets(threads, parcels, gcm_siv, |all| packets::gcm_siv_decrypt(all)),
        (Mode::Cmac, Encrypt) => packets(threads, parcels, cmac, |all| packets::cmac(all)),
        (Mode::Cmac, Decrypt) => packets(threads, parcels, cmac, |all| packets::cmac_verify(all)),
        (Mode::HmacSha1, Encrypt) => packets(threads, parcels, sha1, |all| packets::hmac(all)),
        (Mode::HmacSha1, Decrypt) => packets(threads, parcels, sha1, |all| packets::hmac_verify(all)),
        (Mode::HmacSha256, Encrypt) => packets(threads, parcels, sha256, |all| packets::hmac(all)),
        (Mode::HmacSha256, Decrypt) => packets(threads, parcels, sha256, |all| packets::hmac_verify(all)),
        (Mode::Aez, Encrypt) => packets(threads, parcels, aez, |all| packets::aez_encrypt(all)),
        (Mode::Aez, Decrypt) => packets(threads, parcels, aez, |all| packets::aez_decrypt(all)),
        (Mode::Rc4Keys | Mode::Rc4Streams, _) => rc4(pool, case, parcels),
        (Mode::TryKeys | Mode::Rc4TryKeys, _) => search(pool, case),
        (mode, _) => match mode.width() {
            Some(width) => packets(threads, parcels, cipher, |all| packets::ctr(all, width)),
            None => panic!("there are no batches of {}", mode.name()),
        },
    }
}

/// Runs a batch of packets.
fn packets<'a, K: Send>(
    threads: Option<&ThreadPool>,
    parcels: Vec<Parcel<'a>>,
    key: impl Fn(usize, usize) -> K,
    call: impl Fn(&mut [Packet<'a, K>]) + Sync + Send,
) -> Vec<i32> {
    let packet = |(index, parcel): (usize, Parcel<'a>)| {
        let (iv, aad) = (parcel.iv, parcel.aad);
        let (io, tag) = parcel.io();
        let mut packet = Packet::new(key(index, tag.len()), iv, io).with_tag(aad, tag);
        // The previous result does not matter.
        packet.result = [Ok(()), Err(Error::TagMismatch), Err(Error::TagLength)][index % 3];
        packet
    };
    let mut batch: Vec<_> = parcels.into_iter().enumerate().map(packet).collect();
    match threads {
        None => call(&mut batch),
        Some(threads) => threads.install(|| packets::in_parallel(&mut batch, call)),
    }
    batch.iter().map(|packet| code(packet.result)).collect()
}

/// Runs a batch of RC4, in which one key that is refused keeps all messages from being done.
fn rc4(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>) -> Vec<i32> {
    let Some(first) = case.specs.first() else { return Vec::new() };
    let kernel = Family::Rc4.kernels()[first.kernel].kernel;
    let keys: Vec<_> = (case.specs.iter().zip(&parcels))
        .map(|(spec, parcel)| rc4_key(pool, case, spec, parcel.iv))
        .collect();
    let entries = case.specs.iter().map(|spec| spec.entry(pool, case.mode));
    let buffers: Vec<InOutBuf<'_, '_, u8>> = parcels.into_iter().map(|parcel| parcel.io().0).collect();
    let result = if case.mode == Mode::Rc4Keys {
        let messages = keys.iter().zip(entries).zip(buffers);
        let mut messages: Vec<_> =
            messages.map(|((key, entry), buffer)| Message { key, skip: entry.skip as u64, buffer }).collect();
        apply_keys_with_kernel(&mut messages, kernel)
    } else {
        let mut states: Vec<_> =
            keys.iter().zip(entries).map(|(key, entry)| begun(key, entry.skip)).collect();
        let streams = states.iter_mut().zip(buffers);
        let mut streams: Vec<_> = streams.map(|(state, buffer)| Stream { state, buffer }).collect();
        apply_many_with_kernel(&mut streams, kernel)
    };
    vec![code(result); case.specs.len()]
}

/// Searches for the key of the first message among the keys of all. Returns zero for each key that is found, or not
/// found, as it should be.
fn search(pool: &Pool, case: &Case) -> Vec<i32> {
    let Some(first) = case.specs.first() else { return Vec::new() };
    let entry = first.entry(pool, case.mode);
    let plain = &pool.plain(entry, 0)[..first.len];
    let text = &pool.answer(case.mode, first.kind, entry).text[..first.len];
    let mut asked = 0;
    let fits = |candidate: &[u8]| {
        asked += 1;
        candidate == plain
    };
    let found = if case.mode == Mode::TryKeys {
        let key =
            |spec: &Spec| pool.keyed(spec.kind, spec.entry(pool, case.mode).key, spec.kernel).cipher().into();
        let keys: Vec<packets::CipherKey<'_>> = case.specs.iter().map(key).collect();
        packets::try_keys(&keys, text, fits)
    } else {
        let keys: Vec<_> = case.specs.iter().map(|spec| rc4_key(pool, case, spec, &[])).collect();
        rc4_try_keys(&keys, entry.skip as u64, text, fits)
    };
    let found = match found {
        Ok(found) if asked == case.specs.len() => found,
        Ok(_) => return vec![-1; case.specs.len()],
        Err(error) => return vec![code(Err(error)); case.specs.len()],
    };
    let bytes = |spec: &Spec| &pool.bytes(spec.kind, spec.entry(pool, case.mode).key).key;
    let same = |spec: &Spec| spec.kind == first.kind && bytes(spec) == bytes(first);
    let right = |(index, spec): (usize, &Spec)| i32::from(found.binary_search(&index).is_ok() != same(spec));
    case.specs.iter().enumerate().map(right).collect()
}

/// The key of a message: a wrong number of bytes, if that is its fault.
pub(crate) fn rc4_key<'p>(pool: &'p Pool, case: &Case, spec: &Spec, wrong: &'p [u8]) -> &'p [u8] {
    match spec.fault {
        Fault::KeyLength(_) => wrong,
        _ => &pool.bytes(spec.kind, spec.entry(pool, case.mode).key).key,
    }
}

/// A stream after its first `skip` bytes.
pub(crate) fn begun(key: &[u8], skip: usize) -> Rc4 {
    let mut state = Rc4::new(key).expect("a key");
    state.skip(skip as u64);
    state
}
