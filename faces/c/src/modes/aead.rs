//! Authenticated encryption: one family of functions for GCM, EAX, AEZ, GCM-SIV and SIV.
//!
//! The number in front of every handle says of which mode a key is. So the one type of C stands for handles of several
//! types, each as large as its key, and a batch, which is of one mode, finds its keys without a step in between.

use std::ffi::{c_char, c_int};
#[cfg(feature = "aez")]
use std::slice::from_ref;

use abreast::aes::Aes128;
#[cfg(feature = "aez")]
use abreast::aez::Aez;
#[cfg(feature = "aez")]
use abreast::modes::WithTagLen;
use abreast::modes::{Eax, Gcm, GcmSiv, Siv};
use abreast::packets;
use abreast::{BlockCipher, Error, InOutBuf, Kernel};

use crate::buffers::{Checked, In, Out, Place, Span};
use crate::cipher::{AllocateShared, CipherHandle, Shared, Shared128, kernel_of, shared, shared_128};
use crate::constructors::aes;
use crate::handle::{
    About, FreedKeyPtr, Handle, KeyPtr, Kind, Made, Memory, make, make_alone, make_alone_in, release,
};
use crate::modes::operation::Operation;
use crate::names::Text;
#[cfg(feature = "aez")]
use crate::packets::HALF;
use crate::packets::{Items, PacketItem, QUARTER, Tag, WINDOW, each_tagged};
use crate::status::{Status, call, guarded};
use crate::texts::name_for_c;

impl Kind for Gcm<Shared128> {
    const KIND: u32 = 0xab12_6c30;
}

/// Encrypts a message under a key of a mode and writes its tag.
type EncryptMessage<M> = fn(&M, &[u8], &[u8], InOutBuf<'_, '_, u8>, &mut [u8]) -> Result<(), Error>;
/// Decrypts a message under a key of a mode if its tag is right.
type DecryptMessage<M> = fn(&M, &[u8], &[u8], InOutBuf<'_, '_, u8>, &[u8]) -> Result<(), Error>;

/// A key of a mode and its functions for a message. They are called by way of the key, so that a program that never makes a
/// key of the mode does not get the mode's code with the functions for all modes.
#[derive(Debug)]
pub struct Reached<M> {
    pub(crate) mode: M,
    encrypt: EncryptMessage<M>,
    decrypt: DecryptMessage<M>,
    kernel: fn(&M) -> Kernel,
}

/// A key in AES-GCM-SIV.
pub(crate) type GcmSivKey = Reached<GcmSiv>;
/// A key in SIV.
pub(crate) type SivKey = Reached<Siv<Shared128>>;
/// A key in EAX.
pub(crate) type EaxKey = Reached<Eax<Shared>>;
/// A key of AEZ.
#[cfg(feature = "aez")]
pub(crate) type AezKey = Reached<Aez>;

/// The referent of C's type of these keys: the handle of a key of one of the modes.
#[derive(Debug)]
pub struct AeadHandle(());

impl About<Gcm<Shared128>> for AeadHandle {}

/// The modes that are reached by way of their keys: a variant, the key, and the number of its kind.
macro_rules! reached {
    ($($(#[$cfg:meta])? $variant:ident: $key:ty = $kind:literal;)*) => {
        $(
            $(#[$cfg])?
            impl Kind for $key {
                const KIND: u32 = $kind;
            }

            $(#[$cfg])?
            impl About<$key> for AeadHandle {}
        )*

        /// A key of one of the modes.
        pub(super) enum Aead<'h> {
            Gcm(&'h Handle<Gcm<Shared128>>),
            $($(#[$cfg])? $variant(&'h Handle<$key>),)*
        }

        impl<'h> Aead<'h> {
            #[inline]
            pub(super) fn of(key: &'h KeyPtr<AeadHandle>) -> Result<Self, Status> {
                if let Ok(gcm) = key.about() {
                    return Ok(Self::Gcm(gcm));
                }
                $($(#[$cfg])? if let Ok(reached) = key.about() {
                    return Ok(Self::$variant(reached));
                })*
                key.about().map(Self::Gcm)
            }

            fn kernel(&self) -> Kernel {
                match self {
                    Self::Gcm(gcm) => gcm.key.cipher().kernel(),
                    $($(#[$cfg])? Self::$variant(reached) => (reached.key.kernel)(&reached.key.mode),)*
                }
            }

            #[inline]
            fn encrypt(
                &self,
                nonce: &[u8],
                aad: &[u8],
                io: InOutBuf<'_, '_, u8>,
                tag: &mut [u8],
            ) -> Result<(), Error> {
                match self {
                    // A tag of known length is copied without a call of memcpy.
                    Self::Gcm(gcm) => match tag.try_into() {
                        Ok(tag) => gcm.key.encrypt_detached(nonce, aad, io, tag),
                        Err(_) => gcm.key.with_tag_len(tag.len())?.encrypt_detached(nonce, aad, io, tag),
                    },
                    $($(#[$cfg])? Self::$variant(it) => (it.key.encrypt)(&it.key.mode, nonce, aad, io, tag),)*
                }
            }

            #[inline]
            fn decrypt(
                &self,
                nonce: &[u8],
                aad: &[u8],
                io: InOutBuf<'_, '_, u8>,
                tag: &[u8],
            ) -> Result<(), Error> {
                match self {
                    Self::Gcm(gcm) => match tag.try_into() {
                        Ok(tag) => gcm.key.decrypt_detached(nonce, aad, io, tag),
                        Err(_) => gcm.key.with_tag_len(tag.len())?.decrypt_detached(nonce, aad, io, tag),
                    },
                    $($(#[$cfg])? Self::$variant(it) => (it.key.decrypt)(&it.key.mode, nonce, aad, io, tag),)*
                }
            }

            /// Frees a handle of a key, of whichever mode it is.
            fn release(aead: &FreedKeyPtr<AeadHandle>) {
                if release::<Gcm<Shared128>, _>(aead) {
                    return;
                }
                $($(#[$cfg])? if release::<$key, _>(aead) {
                    return;
                })*
            }
        }
    };
}
reached! {
    Eax: EaxKey = 0xab12_ea30;
    #[cfg(feature = "aez")]
    Aez: AezKey = 0xab12_ae27;
    GcmSiv: GcmSivKey = 0xab12_6c51;
    Siv: SivKey = 0xab12_5172;
}

/// Associated data as AEZ has it: a list of strings.
#[cfg(feature = "aez")]
fn strings<'a>(aad: &'a &'a [u8]) -> &'a [&'a [u8]] {
    if aad.is_empty() { &[] } else { from_ref(aad) }
}

/// Makes a key in GCM from a key of a cipher with blocks of 128 bits. The new key keeps the cipher's.
///
/// ABREAST_BLOCK_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_new(cipher: KeyPtr<CipherHandle>, aead: Place<*mut AeadHandle>) -> c_int {
    make(&aead, || gcm(shared_128(&cipher)?))
}

/// The bytes of memory that abreast_gcm_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_size() -> usize {
    guarded(0, Handle::<Gcm<Shared128>>::room::<()>)
}

/// Makes a key in GCM as abreast_gcm_new does, in memory of the caller: a server keeps the keys in its connections.
///
/// memory: size bytes, abreast_gcm_size of them or more, of any alignment and content, apart from all other arguments. The
/// first abreast_gcm_size belong to the library until the handle and every stream that keeps it are freed. What it wrote in them
/// is zeros then.
///
/// ABREAST_MEMORY_SIZE if size is too small, ABREAST_OVERLAP, ABREAST_BLOCK_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_init(
    memory: Out,
    size: usize,
    cipher: KeyPtr<CipherHandle>,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    let key = || Ok(Gcm::without_powers(shared_128(&cipher)?));
    make_alone_in(Memory::of(&memory, size), &aead, || Ok([cipher.span()]), key, Gcm::compute_powers)
}

/// Allocates a key in GCM.
#[inline(always)]
fn gcm(cipher: Shared128) -> Result<Made<Gcm<Shared128>>, Status> {
    let gcm = Handle::allocate(|place| Ok(place.write(())), |()| Gcm::without_powers(cipher))?;
    Ok(gcm.finish(Gcm::compute_powers))
}

/// Makes a key in GCM of a key of AES, of 16, 24 or 32 bytes: abreast_aes_new and abreast_gcm_new in one call. A program that
/// links the static library, and makes keys by this function alone and calls abreast_aead_encrypt and abreast_aead_decrypt
/// with them, has the code of AES and of no other cipher.
///
/// kernel: as for abreast_cipher_new.
///
/// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aes_gcm_new(
    key: In,
    key_len: usize,
    kernel: Text,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    make(&aead, || {
        let (key, kernel) = (key.bytes(key_len)?, kernel_of(Aes128::kernels(), kernel.get())?);
        gcm(aes(key_len, AllocateShared { key, kernel })?)
    })
}

/// Makes a key in EAX from a key of a cipher. The new key keeps the cipher's.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_new(cipher: KeyPtr<CipherHandle>, aead: Place<*mut AeadHandle>) -> c_int {
    make_alone(&aead, || eax(&cipher))
}

/// The bytes of memory that abreast_eax_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_size() -> usize {
    guarded(0, Handle::<EaxKey>::room::<()>)
}

/// Makes a key in EAX as abreast_eax_new does, in memory of the caller: see abreast_gcm_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_init(
    memory: Out,
    size: usize,
    cipher: KeyPtr<CipherHandle>,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    make_alone_in(Memory::of(&memory, size), &aead, || Ok([cipher.span()]), || eax(&cipher), |_| ())
}

/// Returns a key in EAX for a handle.
fn eax(cipher: &KeyPtr<CipherHandle>) -> Result<EaxKey, Status> {
    Ok(Reached {
        mode: Eax::from_cipher(shared(cipher.keep()?)),
        encrypt: |eax, nonce, aad, io, tag| {
            eax.with_tag_len(tag.len())?.encrypt_detached(nonce, aad, io, tag)
        },
        decrypt: |eax, nonce, aad, io, tag| {
            eax.with_tag_len(tag.len())?.decrypt_detached(nonce, aad, io, tag)
        },
        kernel: |eax| eax.cipher().kernel(),
    })
}

/// Makes a key in AES-GCM-SIV (RFC 8452) of a key of AES-128 or AES-256, of 16 or 32 bytes.
///
/// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists for "aes-128".
///
/// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_siv_new(
    key: In,
    key_len: usize,
    kernel: Text,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    make_alone(&aead, || gcm_siv(key.bytes(key_len)?, &kernel))
}

/// The bytes of memory that abreast_gcm_siv_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_siv_size() -> usize {
    guarded(0, Handle::<GcmSivKey>::room::<()>)
}

/// Makes a key in AES-GCM-SIV as abreast_gcm_siv_new does, in memory of the caller: see abreast_gcm_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_siv_init(
    memory: Out,
    size: usize,
    key: In,
    key_len: usize,
    kernel: Text,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    let read = || Ok([key.span(key_len)?, kernel.span()]);
    let made = || gcm_siv(key.bytes(key_len)?, &kernel);
    make_alone_in(Memory::of(&memory, size), &aead, read, made, |_| ())
}

/// Returns a key in AES-GCM-SIV for a handle.
fn gcm_siv(key: &[u8], kernel: &Text) -> Result<GcmSivKey, Status> {
    let kernel = kernel_of(GcmSiv::kernels(), kernel.get())?;
    Ok(Reached {
        mode: GcmSiv::with_kernel(key, kernel)?,
        encrypt: |key, nonce, aad, io, tag| {
            key.encrypt_detached(nonce, aad, io, tag.try_into().map_err(|_| Error::TagLength)?)
        },
        decrypt: |key, nonce, aad, io, tag| {
            key.decrypt_detached(nonce, aad, io, tag.try_into().map_err(|_| Error::TagLength)?)
        },
        kernel: GcmSiv::kernel,
    })
}

/// Returns associated data as SIV has it in batches: a string, and the nonce if there is one.
fn siv_strings<'a>(aad: &'a [u8], nonce: &'a [u8], both: &'a mut [&'a [u8]; 2]) -> &'a [&'a [u8]] {
    *both = [aad, nonce];
    if nonce.is_empty() { &both[..1] } else { both }
}

/// Makes a key in SIV (RFC 5297) from keys of a cipher with blocks of 128 bits, one for the tag and one for the message: of a
/// key of AES-SIV, its first and its second half. The new key keeps both.
///
/// ABREAST_BLOCK_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_siv_new(
    mac: KeyPtr<CipherHandle>,
    text: KeyPtr<CipherHandle>,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    make_alone(&aead, || siv(&mac, &text))
}

/// The bytes of memory that abreast_siv_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_siv_size() -> usize {
    guarded(0, Handle::<SivKey>::room::<()>)
}

/// Makes a key in SIV as abreast_siv_new does, in memory of the caller: see abreast_gcm_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_BLOCK_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_siv_init(
    memory: Out,
    size: usize,
    mac: KeyPtr<CipherHandle>,
    text: KeyPtr<CipherHandle>,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    make_alone_in(
        Memory::of(&memory, size),
        &aead,
        || Ok([mac.span(), text.span()]),
        || siv(&mac, &text),
        |_| (),
    )
}

/// Returns a key in SIV for a handle.
fn siv(mac: &KeyPtr<CipherHandle>, text: &KeyPtr<CipherHandle>) -> Result<SivKey, Status> {
    Ok(Reached {
        mode: Siv::from_ciphers(shared_128(mac)?, shared_128(text)?),
        encrypt: |siv, nonce, aad, io, tag| {
            let tag = tag.try_into().map_err(|_| Error::TagLength)?;
            siv.encrypt_detached(siv_strings(aad, nonce, &mut [&[]; 2]), io, tag)
        },
        decrypt: |siv, nonce, aad, io, tag| {
            let tag = tag.try_into().map_err(|_| Error::TagLength)?;
            siv.decrypt_detached(siv_strings(aad, nonce, &mut [&[]; 2]), io, tag)
        },
        kernel: |siv| siv.ciphers()[1].kernel(),
    })
}

/// Returns a key of AEZ with tags of `tag_len` bytes. With 0, nothing is authenticated.
#[cfg(feature = "aez")]
#[inline]
pub(crate) fn with_tag_len(aez: &Aez, tag_len: usize) -> Result<WithTagLen<'_, Aez>, Error> {
    if tag_len == 0 { Ok(aez.unauthenticated()) } else { aez.with_tag_len(tag_len) }
}

/// Returns a key of AEZ for a handle.
#[cfg(feature = "aez")]
pub(crate) fn of_aez(mode: Aez) -> AezKey {
    Reached {
        mode,
        encrypt: |aez, nonce, aad, io, tag| {
            with_tag_len(aez, tag.len())?.encrypt_detached(nonce, strings(&aad), io, tag)
        },
        decrypt: |aez, nonce, aad, io, tag| {
            with_tag_len(aez, tag.len())?.decrypt_detached(nonce, strings(&aad), io, tag)
        },
        kernel: Aez::kernel,
    }
}

/// Frees a handle of a key of GCM, EAX, SIV, GCM-SIV or AEZ, and wipes what was derived for it. The ciphers' keys under GCM,
/// EAX and SIV are wiped when no handle needs them any more. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_free(aead: FreedKeyPtr<AeadHandle>) {
    Aead::release(&aead);
}

/// The name of the kernel in use, such as "avx512"; NULL if aead is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_kernel(aead: KeyPtr<AeadHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || {
        let kernel = Aead::of(&aead).map(|key| key.kernel());
        kernel.map_or(null, |kernel| name_for_c(kernel.name()))
    })
}

/// Encrypts a message and writes its tag.
///
/// nonce: of GCM 12 bytes as a rule, at least one; of GCM-SIV 12 bytes; of EAX, AEZ and SIV any length. Under a key of
/// GCM or EAX it must never repeat. A repeated nonce of GCM-SIV, AEZ or SIV reveals whether the same message was sent again,
/// and nothing else; SIV needs none.
/// aad: associated data, which is authenticated and not encrypted. AEZ takes it as one string, or as none if it is
/// empty; SIV as one string, also if it is empty. For none, one or several strings of both, see abreast_aead_encrypt_strings.
/// tag: of GCM 16 bytes as a rule, or 4, 8, 12 to 15; of GCM-SIV and SIV 16; of EAX one byte to a block of the cipher; of AEZ at
/// most 32 bytes, or none.
///
/// ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_encrypt(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    input: In,
    output: Out,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        let tag = tag.bytes(tag_len, &[Span::of(nonce), Span::of(aad), input.span(len)?])?;
        let io = Checked::new(&input, &output, len, [Span::of(nonce), Span::of(aad), Span::of(tag)])?;
        Ok(Aead::of(&aead)?.encrypt(nonce, aad, io.buffers(), tag)?)
    })
}

/// Decrypts a message if its tag is right; the inverse of abreast_aead_encrypt.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; the other statuses of abreast_aead_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_decrypt(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    input: In,
    output: Out,
    len: usize,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, aad, tag) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?, tag.bytes(tag_len)?);
        let io = Checked::new(&input, &output, len, [Span::of(nonce), Span::of(aad), Span::of(tag)])?;
        Ok(Aead::of(&aead)?.decrypt(nonce, aad, io.buffers(), tag)?)
    })
}

/// Does a batch of one of these modes, if the operation is one of them.
#[inline]
pub(crate) fn batch(
    operation: Operation,
    packets: &Items<PacketItem>,
    count: usize,
    size: usize,
) -> Option<c_int> {
    macro_rules! each {
        ($tag:ident, $window:ident, $key:expr, $run:expr) => {
            Some(each_tagged::<$window, _, _>(packets, count, size, Tag::$tag, $key, $run))
        };
    }
    match operation {
        Operation::GcmEncrypt => each!(Written, WINDOW, of_gcm, packets::gcm_encrypt),
        Operation::GcmDecrypt => each!(Compared, WINDOW, of_gcm, packets::gcm_decrypt),
        Operation::EaxEncrypt => each!(Written, QUARTER, of_eax, packets::eax_encrypt),
        Operation::EaxDecrypt => each!(Compared, QUARTER, of_eax, packets::eax_decrypt),
        #[cfg(feature = "aez")]
        Operation::AezEncrypt => each!(Written, HALF, of_aez_key, packets::aez_encrypt),
        #[cfg(feature = "aez")]
        Operation::AezDecrypt => each!(Compared, HALF, of_aez_key, packets::aez_decrypt),
        Operation::GcmSivEncrypt => each!(Written, QUARTER, of_gcm_siv, packets::gcm_siv_encrypt),
        Operation::GcmSivDecrypt => each!(Compared, QUARTER, of_gcm_siv, packets::gcm_siv_decrypt),
        Operation::SivEncrypt => each!(Written, QUARTER, of_siv, packets::siv_encrypt),
        Operation::SivDecrypt => each!(Compared, QUARTER, of_siv, packets::siv_decrypt),
        _ => None,
    }
}

#[inline]
fn of_siv(key: &SivKey, _: usize) -> Result<packets::SivKey<'_>, Error> {
    Ok((&key.mode).into())
}

/// The batch finds out that a tag has a wrong length.
#[inline]
fn of_gcm_siv(key: &GcmSivKey, _: usize) -> Result<packets::GcmSivKey<'_>, Error> {
    Ok(&key.mode)
}

#[inline]
fn of_gcm(gcm: &Gcm<Shared128>, tag_len: usize) -> Result<packets::GcmKey<'_>, Error> {
    Ok(gcm.with_tag_len(tag_len)?.into())
}

#[inline]
fn of_eax(eax: &EaxKey, tag_len: usize) -> Result<packets::EaxKey<'_>, Error> {
    Ok(eax.mode.with_tag_len(tag_len)?.into())
}

#[cfg(feature = "aez")]
#[inline]
fn of_aez_key(aez: &AezKey, tag_len: usize) -> Result<packets::AezKey<'_>, Error> {
    Ok(with_tag_len(&aez.mode, tag_len)?.into())
}
