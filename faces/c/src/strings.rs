//! Messages with several strings of associated data, which lie one after the other in one buffer: for AEZ and SIV.

use std::ffi::c_int;

use smallvec::SmallVec;

use crate::buffers::{In, Out, Span, in_out, values};
use crate::handle::KeyPtr;
use crate::modes::aead::{AeadHandle, SivKey};
#[cfg(feature = "aez")]
use crate::modes::aead::{AezKey, with_tag_len};
use crate::status::{Status, call};

/// The lengths of strings in one buffer.
#[repr(transparent)]
#[derive(Debug)]
pub struct Lengths(*const usize);

/// Strings on the stack; more are put elsewhere.
pub(crate) const FEW: usize = 8;

/// Strings in one buffer.
struct Strings<'a> {
    strings: SmallVec<[&'a [u8]; FEW + 1]>,
    /// All that the call reads of them.
    spans: [Span; 2],
}

impl Lengths {
    /// Returns the strings of a buffer, and room for one more.
    fn of<'a>(&'a self, mut rest: &'a [u8], count: usize) -> Result<Strings<'a>, Status> {
        // SAFETY: the caller of the C function says that `count` lengths may be read for as long as the call takes, and
        // that nobody writes them meanwhile.
        let lens = unsafe { values(self.0, count) }?;
        let spans = [Span::of(lens), Span::of(rest)];
        let mut strings = SmallVec::new();
        strings.try_reserve_exact(count.saturating_add(1)).map_err(|_| Status::OutOfMemory)?;
        for len in lens {
            let (string, others) = rest.split_at_checked(*len).ok_or(Status::StringLengths)?;
            strings.push(string);
            rest = others;
        }
        if rest.is_empty() { Ok(Strings { strings, spans }) } else { Err(Status::StringLengths) }
    }
}

impl<'a> Strings<'a> {
    /// Returns the strings as SIV has them: the nonce is the last, if there is one.
    fn with_nonce(&mut self, nonce: &'a [u8]) -> &[&'a [u8]] {
        if !nonce.is_empty() {
            self.strings.push(nonce);
        }
        &self.strings
    }
}

/// Encrypts a message as abreast_aead_encrypt does, under a key of SIV or AEZ, with any number of strings of associated data in
/// one buffer.
///
/// ad: the strings, one after the other, ad_len bytes in all. ad_lens: ad_count lengths of them, in bytes. Strings that are cut
/// elsewhere are others, and an empty one is another thing than none. SIV takes up to 126 of them, the nonce among them, which
/// comes last and is none if it is empty. More than 8 are put into allocated memory.
///
/// ABREAST_STRING_LENGTHS, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG for too many strings too, ABREAST_WRONG_KEY for a key of
/// another mode; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_encrypt_strings(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    ad: In,
    ad_len: usize,
    ad_lens: Lengths,
    ad_count: usize,
    input: In,
    output: Out,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, mut ad) = (nonce.bytes(nonce_len)?, ad_lens.of(ad.bytes(ad_len)?, ad_count)?);
        let [of_lens, of_ad] = ad.spans;
        let tag = tag.bytes(tag_len, &[Span::of(nonce), of_lens, of_ad, input.span(len)?])?;
        let io = in_out(&input, &output, len, &[Span::of(nonce), of_lens, of_ad, Span::of(tag)])?;
        #[cfg(feature = "aez")]
        if let Ok(aez) = aead.about::<AezKey>() {
            let key = with_tag_len(&aez.key.mode, tag_len)?;
            return Ok(key.encrypt_detached(nonce, &ad.strings, io, tag)?);
        }
        let siv = &aead.about::<SivKey>()?.key.mode;
        let tag = tag.try_into().map_err(|_| Status::TagLength)?;
        Ok(siv.encrypt_detached(ad.with_nonce(nonce), io, tag)?)
    })
}

/// Decrypts a message if its tag is right; the inverse of abreast_aead_encrypt_strings.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; the other statuses of abreast_aead_encrypt_strings.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_decrypt_strings(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    ad: In,
    ad_len: usize,
    ad_lens: Lengths,
    ad_count: usize,
    input: In,
    output: Out,
    len: usize,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, mut ad) = (nonce.bytes(nonce_len)?, ad_lens.of(ad.bytes(ad_len)?, ad_count)?);
        let ([of_lens, of_ad], tag) = (ad.spans, tag.bytes(tag_len)?);
        let io = in_out(&input, &output, len, &[Span::of(nonce), of_lens, of_ad, Span::of(tag)])?;
        #[cfg(feature = "aez")]
        if let Ok(aez) = aead.about::<AezKey>() {
            let key = with_tag_len(&aez.key.mode, tag_len)?;
            return Ok(key.decrypt_detached(nonce, &ad.strings, io, tag)?);
        }
        let siv = &aead.about::<SivKey>()?.key.mode;
        let tag = tag.try_into().map_err(|_| Status::TagLength)?;
        Ok(siv.decrypt_detached(ad.with_nonce(nonce), io, tag)?)
    })
}

#[cfg(test)]
impl From<*const usize> for Lengths {
    fn from(lengths: *const usize) -> Self {
        Self(lengths)
    }
}
