//! Keys of block ciphers, by name.

use std::ffi::{c_char, c_int};
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::slice::ChunksExact;

use abreast::kernels::{Algorithm, ByType, Registered};
use abreast::packets::CipherKey;
use abreast::{BlockCipher, BlockCipher128, CipherRef, Held, Holder, Kernel};
use abreast_simd::inlined::Zipped as _;

use crate::buffers::{In, Out, Place, Places, Span};
use crate::handle::{FreedKeyPtr, Handle, Kept, KeyPtr, Kind, Made, make, release};
use crate::names::Text;
use crate::status::{Status, call, guarded};
use crate::texts::name_for_c;

/// A reference to a cipher under a key, which lies after the handle.
#[derive(Clone, Copy)]
pub struct Cipher(CipherRef<'static>);

/// A handle of a cipher.
pub type CipherHandle = Handle<Cipher>;

impl Kind for Cipher {
    const KIND: u32 = 0xab12_c1f3;
}

/// A key of a handle whose cipher lies after it.
fn key_of<C: BlockCipher>(cipher: &'static C) -> Cipher {
    Cipher(cipher.reference())
}

/// The handle of a cipher that is ready.
#[inline(always)]
pub(crate) fn allocated<C: BlockCipher + 'static>(cipher: C) -> Result<Made<Cipher>, Status> {
    Handle::allocate(|place| Ok(place.write(cipher)), key_of)
}

/// Puts a cipher with its key where it stays.
#[inline(always)]
fn put<'p, C: Registered>(
    place: &'p mut MaybeUninit<C>,
    blank: impl FnOnce() -> C,
    key: &[u8],
) -> Result<&'p mut C, Status> {
    let cipher = place.write(blank());
    // On an error there is nothing to be dropped: a cipher without a key owns no memory.
    cipher.reserve()?;
    cipher.rekey(key);
    Ok(cipher)
}

/// Allocates the handle of an algorithm, whose type it is told.
pub(crate) struct Allocate<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) kernel: Kernel,
}

impl ByType for Allocate<'_> {
    type Out = Result<Made<Cipher>, Status>;

    #[inline(always)]
    fn with_64<C: Registered>(self, variant: u8) -> Self::Out {
        let blank = C::blanks(variant, self.kernel)?;
        Handle::allocate(|place| put(place, blank, self.key), key_of)
    }
}

/// Allocates the handle of a cipher with blocks of 128 bits, whose type it is told, for a mode that keeps it.
pub(crate) struct AllocateShared<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) kernel: Kernel,
}

impl ByType for AllocateShared<'_> {
    type Out = Result<Shared128, Status>;

    fn with_64<C: Registered>(self, _: u8) -> Self::Out {
        Err(Status::BlockLength)
    }

    #[inline(always)]
    fn with_128<C: Registered + BlockCipher128>(self, variant: u8) -> Self::Out {
        let blank = C::blanks(variant, self.kernel)?;
        let mut shared: Option<&'static dyn BlockCipher128> = None;
        let made = Handle::allocate(
            |place| put(place, blank, self.key),
            |cipher: &'static C| {
                shared = Some(cipher);
                key_of(cipher)
            },
        );
        let handle = made?.kept();
        Ok(Held(Counted128 { cipher: shared.ok_or(Status::Other)?, handle }))
    }
}

/// Puts the handle of an algorithm, whose type it is told, into memory of the caller.
struct Init<'a> {
    memory: &'a mut [MaybeUninit<u8>],
    key: &'a [u8],
    kernel: Kernel,
}

impl ByType for Init<'_> {
    type Out = Result<Made<Cipher>, Status>;

    #[inline(always)]
    fn with_64<C: Registered>(self, variant: u8) -> Self::Out {
        let blank = C::blanks(variant, self.kernel)?;
        Handle::place(self.memory, |place| put(place, blank, self.key), key_of)
    }
}

/// Puts handles of an algorithm, whose type it is told, into memory of the caller, one every `stride` bytes.
struct InitEach<'a, F> {
    memory: &'a mut [MaybeUninit<u8>],
    stride: usize,
    /// One key after the other.
    keys: ChunksExact<'a, u8>,
    kernel: Kernel,
    made: F,
}

impl<F: FnMut(Made<Cipher>)> ByType for InitEach<'_, F> {
    type Out = Result<(), Status>;

    fn with_64<C: Registered>(mut self, variant: u8) -> Self::Out {
        let blank = C::blanks(variant, self.kernel)?;
        Handle::place_each(
            self.memory,
            self.stride,
            blank,
            |ciphers| {
                ciphers.iter_mut().try_for_each(|cipher| cipher.reserve())?;
                let keyed = ciphers.iter_mut().zipped(self.keys.by_ref());
                C::set_keys(keyed.map(|(cipher, key)| (&mut **cipher, key)));
                Ok(())
            },
            key_of,
            self.made,
        )
    }
}

/// Bytes of memory for the handle of an algorithm.
struct Room;

impl ByType for Room {
    type Out = usize;

    fn with_64<C: Registered>(self, _: u8) -> usize {
        CipherHandle::room::<C>()
    }
}

/// The algorithm and the kernel of the names that C gives.
fn chosen(name: &str, kernel: Option<&str>, key_len: usize) -> Result<(Algorithm, Kernel), Status> {
    let algorithm = Algorithm::from_name(name).ok_or(Status::UnknownCipher)?;
    if key_len != algorithm.key_len() {
        return Err(Status::KeyLength);
    }
    Ok((algorithm, kernel_of(kernels(algorithm), kernel)?))
}

/// Returns the kernels of an algorithm, best first, without a list that is allocated.
pub(crate) fn kernels(algorithm: Algorithm) -> impl Iterator<Item = Kernel> {
    (0..).map_while(move |at| algorithm.kernel_at(at))
}

/// The handle of a cipher by its name, in memory that is allocated.
pub(crate) fn keyed(name: &str, key: &[u8], kernel: Option<&str>) -> Result<Made<Cipher>, Status> {
    let (algorithm, kernel) = chosen(name, kernel, key.len())?;
    algorithm.by_type(Allocate { key, kernel })
}

/// Returns the cipher of a key that is kept.
pub(crate) fn of_key(key: &Kept<Cipher>) -> &CipherRef<'static> {
    &key.key.0
}

/// Returns the reference for packets.
#[inline]
pub(crate) fn of_packets(cipher: &Cipher) -> CipherKey<'_> {
    (&cipher.0).into()
}

/// The kernel of a name, or the best.
pub(crate) fn kernel_of(
    kernels: impl IntoIterator<Item = Kernel>,
    name: Option<&str>,
) -> Result<Kernel, Status> {
    let wanted = |kernel: &Kernel| name.is_none_or(|name| kernel.name() == name);
    kernels.into_iter().find(wanted).ok_or(Status::UnknownKernel)
}

/// A counted reference to a handle, whose cipher modes hold.
#[derive(Clone, Debug)]
pub struct Counted(Kept<Cipher>);

/// The cipher of a handle, as modes hold it.
pub type Shared = Held<Counted>;

/// Shares the cipher of a reference to a handle.
pub(crate) fn shared(cipher: Kept<Cipher>) -> Shared {
    Held(Counted(cipher))
}

impl Holder for Counted {
    type Cipher = CipherRef<'static>;

    #[inline]
    fn cipher(&self) -> &CipherRef<'static> {
        &self.0.key.0
    }

    #[inline]
    fn reference(&self) -> CipherRef<'_> {
        self.0.key.0
    }
}

/// A counted reference to a handle of a cipher with blocks of 128 bits, which modes hold, and the cipher by its own type:
/// whoever makes it names that type, and a program that names one type has the code of one cipher.
pub struct Counted128 {
    handle: Kept<Cipher>,
    cipher: &'static dyn BlockCipher128,
}

impl fmt::Debug for Counted128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Counted128").field(&self.handle).finish()
    }
}

/// The cipher of a handle with blocks of 128 bits, in the form that modes hold.
pub type Shared128 = Held<Counted128>;

/// Shares the cipher of a handle.
pub(crate) fn shared_128(cipher: &KeyPtr<CipherHandle>) -> Result<Shared128, Status> {
    let handle = cipher.keep()?;
    let cipher = handle.key.0.cipher_128().ok_or(Status::BlockLength)?;
    Ok(Held(Counted128 { handle, cipher }))
}

impl Holder for Counted128 {
    type Cipher = dyn BlockCipher128;

    #[inline]
    fn cipher(&self) -> &Self::Cipher {
        self.cipher
    }

    #[inline]
    fn reference(&self) -> CipherRef<'_> {
        self.handle.key.0
    }
}

/// A cipher under a handle, for one call.
#[inline]
pub(crate) fn cipher(handle: &KeyPtr<CipherHandle>) -> Result<&CipherRef<'static>, Status> {
    Ok(&handle.get()?.key.0)
}

/// Prepares a key of a block cipher.
///
/// name: one of those that abreast_cipher_at lists, such as "aes-256", "serpent-128", "xtea" (little-endian words, 32
/// cycles) or "xtea-be" (big-endian words).
/// key: key_len bytes; abreast_cipher_key_size says how many the cipher takes.
/// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists.
/// cipher: where the handle goes, NULL if there is none.
///
/// ABREAST_UNKNOWN_CIPHER, ABREAST_UNKNOWN_KERNEL, ABREAST_KEY_LENGTH, ABREAST_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_new(
    name: Text,
    key: In,
    key_len: usize,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || keyed(name.need()?, key.bytes(key_len)?, kernel.get()))
}

/// The bytes of memory that abreast_cipher_init needs for a cipher, or 0 if no cipher has this name. Other versions of this
/// library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_size(name: Text) -> usize {
    guarded(0, || name.get().and_then(Algorithm::from_name).map_or(0, |algorithm| algorithm.by_type(Room)))
}

/// Prepares a key of a block cipher in memory of the caller, as abreast_cipher_new does in memory that it allocates: a
/// server keeps the keys in its connections.
///
/// memory: size bytes, abreast_cipher_size of them or more, of any alignment and content. They belong to the library until the
/// handle and every stream and key of a mode that keeps it are freed. On a CPU without AES instructions (the kernels
/// "sliced-..."), the round keys of AES are allocated even so.
/// name, key, key_len, kernel, cipher: as for abreast_cipher_new, and not in memory.
///
/// ABREAST_MEMORY_SIZE if size is too small, ABREAST_OVERLAP, and the statuses of abreast_cipher_new.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_init(
    memory: Out,
    size: usize,
    name: Text,
    key: In,
    key_len: usize,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || {
        let key = key.bytes(key_len)?;
        let memory = memory.room(size, &[name.span(), Span::of(key), kernel.span()])?;
        cipher.get(&[Span::of(memory)])?;
        let (algorithm, kernel) = chosen(name.need()?, kernel.get(), key.len())?;
        algorithm.by_type(Init { memory, key, kernel })
    })
}

/// Prepares count keys of a block cipher in memory of the caller, as abreast_cipher_init does for one, in a half to a tenth
/// of the time: names are looked up once, and keys are expanded side by side.
///
/// memory: key number i has abreast_cipher_size bytes, which begin i times stride bytes after memory: an array, or a part of
/// each connection in an array of connections. Bytes between them are neither read nor written.
/// keys: one after the other, key_len bytes each.
/// ciphers: count handles, each to be freed by itself.
/// name, key_len, kernel: as for abreast_cipher_new. Neither name, kernel, keys nor ciphers may be in memory.
///
/// ABREAST_MEMORY_SIZE if stride is too small, ABREAST_LENGTH if no memory is as large as count says, ABREAST_OVERLAP, and
/// the statuses of abreast_cipher_new. Then no key was prepared, and all handles are NULL, unless the argument ciphers itself
/// was invalid.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ciphers_init(
    memory: Out,
    stride: usize,
    count: usize,
    name: Text,
    keys: In,
    key_len: usize,
    kernel: Text,
    ciphers: Places<*mut CipherHandle>,
) -> c_int {
    call(|| {
        let of_keys = keys.span(count.checked_mul(key_len).ok_or(Status::Length)?)?;
        let handles = ciphers.get(count, &[name.span(), of_keys, kernel.span()])?;
        for handle in &mut *handles {
            handle.write(null_mut());
        }
        let (algorithm, chosen) = chosen(name.need()?, kernel.get(), key_len)?;
        let size = algorithm.by_type(Room);
        if stride < size {
            return Err(Status::MemorySize);
        }
        if count == 0 {
            return Ok(());
        }
        let bytes = (count - 1).checked_mul(stride).and_then(|bytes| bytes.checked_add(size));
        let others = [name.span(), of_keys, kernel.span(), Span::of(handles)];
        let memory = memory.room(bytes.ok_or(Status::Length)?, &others)?;
        let mut next = 0;
        let made = |made: Made<Cipher>| {
            if let Some(handle) = handles.get_mut(next) {
                handle.write(made.into_raw());
                next += 1;
            }
        };
        let keys = keys.bytes(count * key_len)?.chunks_exact(key_len);
        let all = algorithm.by_type(InitEach { memory, stride, keys, kernel: chosen, made });
        if all.is_err() {
            for handle in &mut handles[..next] {
                // SAFETY: written above.
                let key = unsafe { handle.assume_init_read() };
                handle.write(null_mut());
                release::<Cipher, _>(&FreedKeyPtr::from(key));
            }
        }
        all
    })
}

/// Frees a handle. The key is wiped when no stream and no other handle needs it any more. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_free(cipher: FreedKeyPtr<CipherHandle>) {
    release(&cipher);
}

/// Bytes of a block: 8 or 16. 0 if cipher is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_block_size(cipher: KeyPtr<CipherHandle>) -> usize {
    guarded(0, || cipher.get().map_or(0, |cipher| cipher.key.0.block_size()))
}

/// The name of the cipher, such as "aes-128"; NULL if cipher is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_name(cipher: KeyPtr<CipherHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || cipher.get().map_or(null, |cipher| name_for_c(cipher.key.0.name())))
}

/// The name of the kernel in use, such as "avx512"; NULL if cipher is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_kernel(cipher: KeyPtr<CipherHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || cipher.get().map_or(null, |cipher| name_for_c(cipher.key.0.kernel().name())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::made;
    use abreast::kernels::algorithms;

    #[test]
    #[cfg_attr(miri, ignore = "about names, and no pointer is in it")]
    fn every_cipher_of_the_registry_is_here() {
        for cipher in algorithms() {
            for kernel in cipher.kernels() {
                let key = keyed(cipher.name(), &vec![7; cipher.key_len()], Some(kernel.name()));
                let key = made(|place| make(&place, || key));
                let pointer = KeyPtr::from(key);
                let found = self::cipher(&pointer).expect("a key");
                assert_eq!((found.name(), found.kernel()), (cipher.name(), kernel));
                abreast_cipher_free(key.into());
            }
            let short = keyed(cipher.name(), &vec![7; cipher.key_len() - 1], None);
            assert_eq!(short.err(), Some(Status::KeyLength));
        }
    }
}
