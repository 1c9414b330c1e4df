//! Ciphers by their types, and keys where they stay: a new key is expanded in the place of the last one, so that nothing is
//! allocated for it, unless a duplicate of the context has the last one too.

use std::mem::MaybeUninit;
use std::sync::{Arc, LazyLock};

use abreast::kernels::{Algorithm, Registered};
use abreast::modes::{Eax, Gcm, Xts};
use abreast::{BlockCipher128, Kernel};

use crate::fault::Fault;

/// A cipher with one size of keys.
pub(crate) trait Cipher: Clone + Send + 'static {
    type Type: Registered;
    const NAME: &'static str;
    const KEY_LEN: usize;
    const BLOCK: usize;

    /// Returns what makes the cipher without a key yet, for the best kernel of this CPU.
    fn blanks() -> Result<impl Fn() -> Self::Type, Fault>;
}

macro_rules! ciphers {
    ($($name:ident: $type:ty, variant $variant:literal, $text:literal, key $key:literal, block $block:literal;)*) => {$(
        #[derive(Clone)]
        pub(crate) struct $name;

        impl Cipher for $name {
            type Type = $type;
            const NAME: &'static str = $text;
            const KEY_LEN: usize = $key;
            const BLOCK: usize = $block;

            #[inline]
            fn blanks() -> Result<impl Fn() -> $type, Fault> {
                static KERNEL: LazyLock<Option<Kernel>> =
                    LazyLock::new(|| Algorithm::from_name($text).and_then(Algorithm::best_kernel));
                Ok(<$type as Registered>::blanks($variant, KERNEL.ok_or(Fault::Other)?)?)
            }
        }
    )*};
}

ciphers! {
    Aes128: abreast::aes::Aes128, variant 0, "aes-128", key 16, block 16;
    Aes192: abreast::aes::Aes192, variant 0, "aes-192", key 24, block 16;
    Aes256: abreast::aes::Aes256, variant 0, "aes-256", key 32, block 16;
    Serpent128: abreast::serpent::Serpent, variant 0, "serpent-128", key 16, block 16;
    Serpent192: abreast::serpent::Serpent, variant 1, "serpent-192", key 24, block 16;
    Serpent256: abreast::serpent::Serpent, variant 2, "serpent-256", key 32, block 16;
    XteaBe: abreast::xtea::Xtea, variant 1, "xtea-be", key 16, block 8;
}

/// The kind of a key: the form that a mode expands its bytes to.
pub(crate) trait KeyKind: Clone + Send + 'static {
    type Keyed: Send + Sync + 'static;
    /// Bytes of a key.
    const LEN: usize;

    /// Takes a key of the right length, in a place of its own.
    fn fresh(key: &[u8]) -> Result<Shared<Self::Keyed>, Fault>;

    /// Takes a key of the right length, in the place of the last one.
    fn rekey(keyed: &mut Self::Keyed, key: &[u8]) -> Result<(), Fault>;
}

/// A value that contexts share. It is made by [`shared`].
pub(crate) type Shared<T> = Arc<T>;

/// Makes a value that contexts share, where it stays: an `Arc` pads what is aligned to cache lines, a move of both would fill that
/// padding from the stack, where parts of keys may be left, and nothing wipes it.
#[inline]
pub(crate) fn shared<T>(make: impl FnOnce() -> T) -> Shared<T> {
    let place = Arc::<T>::new_uninit();
    // SAFETY: nobody else has the place yet, and the value is there when it is said to be.
    unsafe {
        Arc::as_ptr(&place).cast_mut().write(MaybeUninit::new(make()));
        place.assume_init()
    }
}

/// A key, or a place for one, that duplicates of a context share.
pub(crate) struct Key<K: KeyKind> {
    keyed: Option<Shared<K::Keyed>>,
    /// Is there a key? The place is kept for the next one if there is not.
    set: bool,
}

impl<K: KeyKind> Clone for Key<K> {
    fn clone(&self) -> Self {
        Self { keyed: self.keyed.clone(), set: self.set }
    }
}

impl<K: KeyKind> Key<K> {
    pub(crate) const NONE: Self = Self { keyed: None, set: false };

    /// Sets the key. No message may be under way that refers to the last one.
    pub(crate) fn set(&mut self, key: &[u8]) -> Result<(), Fault> {
        if key.len() != K::LEN {
            return Err(Fault::KeyLength);
        }
        self.set = false;
        if let Some(keyed) = self.keyed.as_mut().and_then(Arc::get_mut) {
            K::rekey(keyed, key)?;
        } else {
            self.keyed = Some(K::fresh(key)?);
        }
        self.set = true;
        Ok(())
    }

    /// Lends the key that is set to a message beside it. Counting for each message who shares it took as long as a block.
    ///
    /// # Safety
    /// The message is dropped before this, and before another key is set.
    #[inline]
    pub(crate) unsafe fn lend(&self) -> Result<&'static K::Keyed, Fault> {
        // SAFETY: it stays where it is as long as this refers to it, and is not changed until another one is set.
        self.get().map(|keyed| unsafe { &*Arc::as_ptr(keyed) })
    }

    /// The key that is set.
    #[inline]
    pub(crate) fn get(&self) -> Result<&Shared<K::Keyed>, Fault> {
        self.keyed.as_ref().filter(|_| self.set).ok_or(Fault::NoKey)
    }
}

/// Takes a key in a place of its own, where there is a value without a key first.
#[inline]
fn expanded<K: KeyKind>(blank: impl FnOnce() -> K::Keyed, key: &[u8]) -> Result<Shared<K::Keyed>, Fault> {
    let mut fresh = shared(blank);
    K::rekey(Arc::get_mut(&mut fresh).ok_or(Fault::Other)?, key)?;
    Ok(fresh)
}

/// The cipher itself.
#[derive(Clone)]
pub(crate) struct Plain<C>(C);

impl<C: Cipher> KeyKind for Plain<C> {
    type Keyed = C::Type;
    const LEN: usize = C::KEY_LEN;

    fn fresh(key: &[u8]) -> Result<Shared<C::Type>, Fault> {
        expanded::<Self>(C::blanks()?, key)
    }

    fn rekey(keyed: &mut C::Type, key: &[u8]) -> Result<(), Fault> {
        keyed.rekey(key);
        Ok(())
    }
}

/// GCM, with the powers of its hash key.
#[derive(Clone)]
pub(crate) struct GcmKey<C>(C);

impl<C: Cipher<Type: BlockCipher128>> KeyKind for GcmKey<C> {
    type Keyed = Gcm<C::Type>;
    const LEN: usize = C::KEY_LEN;

    fn fresh(key: &[u8]) -> Result<Shared<Gcm<C::Type>>, Fault> {
        let blank = C::blanks()?;
        expanded::<Self>(|| Gcm::without_powers(blank()), key)
    }

    fn rekey(keyed: &mut Gcm<C::Type>, key: &[u8]) -> Result<(), Fault> {
        keyed.cipher_mut().rekey(key);
        keyed.compute_powers();
        Ok(())
    }
}

/// EAX, with its subkeys.
#[derive(Clone)]
pub(crate) struct EaxKey<C>(C);

impl<C: Cipher> EaxKey<C> {
    fn keyed(key: &[u8]) -> Result<Eax<C::Type>, Fault> {
        let mut cipher = C::blanks()?();
        cipher.rekey(key);
        Ok(Eax::from_cipher(cipher))
    }
}

impl<C: Cipher> KeyKind for EaxKey<C> {
    type Keyed = Eax<C::Type>;
    const LEN: usize = C::KEY_LEN;

    fn fresh(key: &[u8]) -> Result<Shared<Eax<C::Type>>, Fault> {
        Self::keyed(key).map(|keyed| shared(|| keyed))
    }

    fn rekey(keyed: &mut Eax<C::Type>, key: &[u8]) -> Result<(), Fault> {
        *keyed = Self::keyed(key)?;
        Ok(())
    }
}

/// XTS: two keys, that of the data first.
#[derive(Clone)]
pub(crate) struct XtsKey<C>(C);

impl<C: Cipher<Type: BlockCipher128>> XtsKey<C> {
    fn keyed(key: &[u8]) -> Result<Xts<C::Type>, Fault> {
        let blank = C::blanks()?;
        let (mut data, mut tweak) = (blank(), blank());
        let (first, second) = key.split_at(C::KEY_LEN);
        data.rekey(first);
        tweak.rekey(second);
        Ok(Xts::new(data, tweak)?)
    }
}

impl<C: Cipher<Type: BlockCipher128>> KeyKind for XtsKey<C> {
    type Keyed = Xts<C::Type>;
    const LEN: usize = 2 * C::KEY_LEN;

    fn fresh(key: &[u8]) -> Result<Shared<Xts<C::Type>>, Fault> {
        Self::keyed(key).map(|keyed| shared(|| keyed))
    }

    fn rekey(keyed: &mut Xts<C::Type>, key: &[u8]) -> Result<(), Fault> {
        *keyed = Self::keyed(key)?;
        Ok(())
    }
}
