//! Nothing of a key stays in the memory of a dropped value.
//!
//! A value is dropped in place, in memory that stays allocated, and that memory is then read back through
//! the file that the kernel has for it. The same is done with two keys: no byte that is found may depend on
//! the key. Each value is also forgotten without its destructor, as if its wipe had been deleted: the test must see that.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::hint::black_box;
use std::mem::forget;
use std::os::unix::fs::FileExt;

use crate::common::{kernels, short};
use abreast::Kernel;
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::aez::Aez;
use abreast::columns::{Keys, Prepare, RowKeys as _};
use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::kernels::{Algorithm, ByType, Registered, algorithms};
use abreast::modes::{
    Cbc, Cfb, Cmac, CounterWidth, Ctr, Eax, Gcm, GcmSiv, Hctr2, KeyWrap, Ofb, Siv, Uiv, Xts,
};
use abreast::serpent::Serpent;
use abreast::table::{Does, MODES, modes_with, sealing_modes};
use abreast::xtea::{ByteOrder, Xtea};

/// The memory of this process.
struct Memory(File);

impl Memory {
    /// None where the file shows another memory than the test's, as under an emulator.
    fn open() -> Option<Self> {
        let memory = Self(File::open("/proc/self/mem").ok()?);
        let known: Box<[u8; 32]> = black_box(Box::new(*b"what is in the memory to be read"));
        let mut found = [0; 32];
        memory.0.read_exact_at(&mut found, (&raw const *known).addr() as u64).ok()?;
        (found == *known).then_some(memory)
    }

    /// Reads `len` bytes from an address on.
    fn at(&self, address: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.0.read_exact_at(&mut bytes, address as u64).expect("memory of this process");
        bytes
    }

    /// The first word of a value that is an address: of the box that it owns.
    fn owned_by(&self, value: &[u8]) -> usize {
        let words = value.as_chunks().0.iter().map(|bytes| usize::from_ne_bytes(*bytes));
        words.into_iter().find(|word| self.has(*word)).expect("an address")
    }

    /// Replaces the words that are addresses by zeros.
    fn without_addresses(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for word in bytes.chunks_exact_mut(size_of::<usize>()) {
            let value = usize::from_ne_bytes((&*word).try_into().expect("a word"));
            if self.has(value) {
                word.fill(0);
            }
        }
        bytes
    }

    /// True if there is memory at an address. Hardly one in 2^30 random words of 64 bits is such an address, and of words of
    /// 32 bits one in some hundreds; the tests ask for fewer bytes than there are.
    fn has(&self, address: usize) -> bool {
        address != 0 && self.0.read_exact_at(&mut [0], address as u64).is_ok()
    }
}

/// Number of places where two stretches of memory differ.
fn differences(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// Overwrites the stack below: a moved value takes along, in its padding, bytes that earlier work left there.
#[inline(never)]
fn scrub_stack() {
    black_box([0_u8; 1 << 16]);
}

/// Makes a value under each of two keys in the same place, uses it, drops it, and compares the bytes left. At least
/// `secret` bytes must have depended on the key before, or the test would pass on nothing. Addresses, which a value
/// or its padding may hold, are no secret.
fn check<T>(what: &str, secret: usize, make: impl Fn(usize) -> T, with: impl Fn(&mut T)) {
    check_owned(what, secret, 0, make, with);
}

/// Checks, as [`check`] does, a value that has `owned` bytes in a box. The allocator keeps their memory, and writes addresses
/// to its beginning.
fn check_owned<T>(what: &str, secret: usize, owned: usize, make: impl Fn(usize) -> T, with: impl Fn(&mut T)) {
    let Some(memory) = Memory::open() else {
        assert!(short(), "the memory of this process cannot be read");
        return;
    };
    let mut place: Box<Option<T>> = black_box(Box::new(None));
    judge(what, secret, |which: usize, end| {
        scrub_stack();
        let value = make(which);
        *place = Some(value);
        scrub_stack();
        let value = Option::as_mut(&mut place).expect("just made");
        with(value);
        // The address of the value alone, without the padding that the `Option` adds.
        let value = (&raw const *black_box(value)).addr();
        let mut live = memory.at(value, size_of::<T>());
        let address = if owned > 0 { memory.owned_by(&live) } else { 0 };
        let elsewhere = || if owned > 0 { memory.at(address, owned) } else { Vec::new() };
        live.extend(elsewhere());
        match end {
            End::Dropped => *place = None,
            End::Forgotten => forget(Option::take(&mut place)),
        }
        black_box(&mut place);
        let mut left = memory.at(value, size_of::<T>());
        left.extend(elsewhere());
        [memory.without_addresses(live), memory.without_addresses(left)]
    });
}

/// The end of a value.
#[derive(Clone, Copy, Debug)]
enum End {
    Dropped,
    /// Without its destructor, as if the wipe had been deleted.
    Forgotten,
}

/// Looks twice at the memory under each of two keys before and after the end of a value, and compares. Nothing may be left of
/// a value that was dropped, and all of one that was forgotten.
fn judge(what: &str, secret: usize, mut look: impl FnMut(usize, End) -> [Vec<u8>; 2]) {
    let dropped = left(what, secret, |which| look(which, End::Dropped));
    assert_eq!(dropped, 0, "{what}: bytes that depend on the key are left of what was dropped");
    let forgotten = left(what, secret, |which| look(which, End::Forgotten));
    assert!(forgotten >= secret, "{what}: {forgotten} bytes of what was not wiped are seen, not {secret}");
}

/// Returns the number of bytes that depend on the key after the end of a value.
fn left(what: &str, secret: usize, look: impl FnMut(usize) -> [Vec<u8>; 2]) -> usize {
    let [[live, zero], [other_live, one], [_, zero_again], [_, one_again]] = [0, 1, 0, 1].map(look);
    let dependent = differences(&live, &other_live);
    assert!(dependent >= secret, "{what}: {dependent} bytes depend on the key, not {secret}");
    // Bytes that differ under one and the same key are padding, with leftovers of the stack, such as a part of an address. A
    // leftover may be the number of the key, too.
    let depends_on_key = |n: &usize| {
        let bytes = (zero[*n], one[*n]);
        bytes.0 != bytes.1 && bytes != (0, 1) && bytes == (zero_again[*n], one_again[*n])
    };
    (0..zero.len()).filter(depends_on_key).count()
}

/// One of two keys.
fn key<const N: usize>(which: usize) -> [u8; N] {
    let mut key = [[0x5a_u8; N], [0xc3; N]][which];
    for (i, byte) in key.iter_mut().enumerate() {
        *byte = byte.wrapping_add((7 * i) as u8);
    }
    key
}

/// Returns every kernel of AES.
fn every_kernel() -> Vec<Kernel> {
    kernels(Algorithm::from_name("aes-128").expect("a cipher"))
}

/// Serpent under each of two keys on every kernel.
fn every_serpent(mut check: impl FnMut([Serpent; 2], String)) {
    for kernel in Serpent::kernels() {
        let of = |which| Serpent::with_kernel(&key::<32>(which), kernel).expect("its kernel");
        check([of(0), of(1)], format!("on {kernel}"));
    }
}

// Some of 16 random bytes are equal by chance; 12 of them hardly ever.

#[test]
fn round_keys() {
    for kernel in every_kernel() {
        // Bit-sliced round keys are in a box, eight planes of 16 bytes for each.
        let planes = if kernel.name().starts_with("sliced") { 8 * 16 } else { 0 };
        let of_128 = |which| Aes128::with_kernel(&key(which), kernel).expect("its kernel");
        check_owned(&format!("AES-128 on {kernel}"), 12 * 11, 11 * planes, of_128, |_| ());
        let of_192 = |which| Aes192::with_kernel(&key(which), kernel).expect("its kernel");
        check_owned(&format!("AES-192 on {kernel}"), 12 * 13, 13 * planes, of_192, |_| ());
        let of_256 = |which| Aes256::with_kernel(&key(which), kernel).expect("its kernel");
        check_owned(&format!("AES-256 on {kernel}"), 12 * 15, 15 * planes, of_256, |_| ());
    }
}

#[test]
fn round_keys_of_serpent_and_xtea() {
    for kernel in Serpent::kernels() {
        let of_serpent = |which| Serpent::with_kernel(&key::<32>(which), kernel).expect("its kernel");
        check(&format!("Serpent on {kernel}"), 12 * 33, of_serpent, |_| ());
        for order in [ByteOrder::LittleEndian, ByteOrder::BigEndian] {
            let of_xtea = |which| Xtea::with_kernel(&key(which), order, 32, kernel).expect("its kernel");
            check(&format!("XTEA on {kernel}"), 3 * 64, of_xtea, |_| ());
        }
    }
}

#[test]
#[cfg(feature = "legacy")]
fn state_of_rc4() {
    let of_rc4 = |which| abreast::rc4::Rc4::new(&key::<20>(which)).expect("a key");
    // A word of it has three bytes that are zero.
    check("RC4", 240, of_rc4, |stream| stream.skip(1000));
}

/// The subkeys, their multiples and doublings, and the keys of bit-sliced rounds beside them; of a hashed key too.
/// One of the multiples is zero.
#[test]
fn subkeys_of_aez() {
    for kernel in every_kernel() {
        let of = |key: &[u8]| Aez::with_kernel(key, kernel).expect("its kernel");
        let work = |aez: &mut Aez| {
            let mut tag = [0; 8];
            let aez = aez.with_tag_len(8).expect("not 0");
            aez.encrypt_detached(b"nonce", &[b"data"], [1; 99].as_mut_slice(), &mut tag).expect("short");
        };
        check(&format!("AEZ on {kernel}"), 12 * 41, |which| of(&key::<48>(which)), work);
        check(
            &format!("AEZ on {kernel}, a key that is hashed"),
            12 * 41,
            |which| of(&key::<20>(which)),
            work,
        );
    }
}

/// Checks each unauthenticated mode of the table.
#[test]
fn every_other_mode_of_the_table() {
    for row in MODES.iter().filter(|row| row.sealing.is_none()) {
        match row.name {
            // They keep the cipher alone, or ciphertext besides.
            "ecb" | "cfb8" => {}
            "cbc" | "cfb" | "ofb" => chaining_value(row.name),
            "ctr" => keystream(),
            "xts" => keys_of_xts(),
            "hctr2" => keys_of_hctr2(),
            "cmac" => subkeys_of_cmac(),
            name => panic!("{name}: nothing here looks at its memory"),
        }
    }
}

/// Checks the state that a mode keeps of a message: a chaining value, or the keystream of a block that was begun.
fn chaining_value(mode: &str) {
    every_serpent(|ciphers, kernel| {
        let (iv, what) = ([9; 16], format!("{mode} {kernel}"));
        match mode {
            "cbc" => {
                let cbc = |which| Cbc::from_cipher(&ciphers[which], &iv).expect("a block");
                check(&what, 12, cbc, |cbc| cbc.encrypt([0; 32].as_mut_slice()).expect("whole blocks"));
            }
            "cfb" => {
                let cfb = |which| Cfb::from_cipher(&ciphers[which], &iv).expect("a block");
                check(&what, 8, cfb, |cfb| cfb.decrypt([0; 37].as_mut_slice()));
            }
            _ => {
                let ofb = |which| Ofb::from_cipher(&ciphers[which], &iv).expect("a block");
                check(&what, 12, ofb, |ofb| ofb.apply([0; 37].as_mut_slice()));
            }
        }
    });
}

/// The tweaks' key too.
fn keys_of_xts() {
    for kernel in Serpent::kernels() {
        let of = |key: &[u8]| Serpent::with_kernel(key, kernel).expect("its kernel");
        let make = |which| {
            Xts::new(of(&key::<32>(which)), of(&key::<32>(which).map(|byte| !byte))).expect("two keys")
        };
        check(&format!("XTS on {kernel}"), 2 * 12 * 33, make, |_| ());
    }
}

/// The powers of the hash key and the offset too.
fn keys_of_hctr2() {
    for kernel in Serpent::kernels() {
        let make =
            |which| Hctr2::from_cipher(Serpent::with_kernel(&key::<32>(which), kernel).expect("its kernel"));
        let run =
            |hctr2: &mut Hctr2<Serpent>| hctr2.encrypt(b"a tweak", [0; 700].as_mut_slice()).expect("long");
        check(&format!("HCTR2 on {kernel}"), 12 * 33 + 1000, make, run);
    }
}

/// The powers of a hash key, the other hash key and the nonce besides the round keys, which bit-sliced kernels have apart.
#[test]
fn keys_of_uiv() {
    for kernel in every_kernel() {
        let round_keys = if kernel.name().starts_with("sliced") { 0 } else { 4 * 11 * 12 };
        let make = |which| Uiv::<Aes128>::with_kernel(&key::<80>(which), kernel).expect("its kernel");
        check(&format!("UIV+ on {kernel}"), round_keys + 10 * 12, make, |uiv| {
            uiv.encrypt(&[1; 17], &mut [0; 509]);
            uiv.update(&[2; 16]);
        });
    }
}

/// The cipher, which is all that key wrap keeps.
#[test]
fn key_that_wraps() {
    for kernel in Serpent::kernels() {
        let make = |which| {
            KeyWrap::from_cipher(Serpent::with_kernel(&key::<32>(which), kernel).expect("its kernel"))
        };
        check(&format!("key wrap on {kernel}"), 12 * 33, make, |wrapping| {
            wrapping.wrap(&[1; 32], &mut [0; 40]).expect("a key that is wrapped");
        });
    }
}

/// The subkeys, and the state of a message in pieces.
fn subkeys_of_cmac() {
    every_serpent(|ciphers, kernel| {
        check(&format!("CMAC {kernel}"), 24, |which| Cmac::from_cipher(&ciphers[which]), |_| ());
        let cmacs = ciphers.each_ref().map(Cmac::from_cipher);
        let make = |which: usize| cmacs[which].pieces();
        check(&format!("CMAC in pieces {kernel}"), 12, make, |pieces| pieces.update(&[1; 53]));
    });
}

/// The subkeys, and the state of a message in pieces. Its ciphertext is given.
#[test]
fn authentication_by_chains() {
    every_serpent(|ciphers, kernel| {
        check(&format!("EAX {kernel}"), 12 * 5, |which| Eax::from_cipher(&ciphers[which]), |_| ());

        let make = |which: usize| Siv::from_ciphers(&ciphers[which], &ciphers[which]);
        check(&format!("SIV {kernel}"), 12 * 3, make, |_| ());

        let eaxes = ciphers.each_ref().map(Eax::from_cipher);
        let make = |which: usize| eaxes[which].decryptor(b"nonce", b"header");
        check(&format!("EAX in pieces {kernel}"), 12 * 4, make, |pieces| {
            pieces.update([1; 53].as_mut_slice()).expect("short");
        });
    });
}

/// The midstates, of keys that were made alone and together, and the state of a message in pieces.
#[test]
fn midstates_of_hmac() {
    fn check_hash<H: HmacHash>() {
        for kernel in Hmac::<H>::kernels() {
            // Some bytes of the words that SHA-1 has not are zero.
            let secret = 2 * H::TAG_LEN - 8;
            let of = |which| Hmac::<H>::with_kernel(&key::<20>(which), kernel).expect("its kernel");
            check(&format!("{} on {kernel}", H::NAME), secret, of, |_| ());
            let of = |which| Hmac::<H>::with_kernel(&key::<99>(which), kernel).expect("its kernel");
            check(&format!("{}, a long key, on {kernel}", H::NAME), secret, of, |_| ());
            let together = |which| {
                let made = Hmac::<H>::many_with_kernel(&[key::<20>(which); 3], kernel).expect("its kernel");
                made.into_iter().next().expect("three")
            };
            check(&format!("{} of many on {kernel}", H::NAME), secret, together, |_| ());
            let hmacs = [of(0), of(1)];
            let make = |which: usize| hmacs[which].pieces();
            check(&format!("{} in pieces on {kernel}", H::NAME), H::TAG_LEN - 4, make, |pieces| {
                pieces.update(&[1; 153]);
            });
        }
    }
    check_hash::<Sha1>();
    check_hash::<Sha256>();
}

#[test]
fn hash_key() {
    for kernel in every_kernel() {
        let ciphers = [0, 1].map(|which| Aes128::with_kernel(&key(which), kernel).expect("its kernel"));
        let make = |which: usize| Gcm::from_cipher(&ciphers[which]);
        check(&format!("GCM on {kernel}"), 12 * 16, make, |_| ());
    }
}

/// A cipher of the registry by its type, in memory that stays allocated.
struct InPlace {
    name: &'static str,
    key_len: usize,
    kernel: Kernel,
}

impl ByType for InPlace {
    type Out = ();

    fn with_64<C: Registered>(self, variant: u8) {
        let Self { name, key_len, kernel } = self;
        let of = |which| C::with_key(variant, &key::<32>(which)[..key_len], kernel).expect("its kernel");
        check(&format!("{name} on {kernel}"), 12, of, |_| ());
    }
}

/// Checks each row of the table of ciphers.
#[test]
fn every_cipher_of_the_registry() {
    let mut visited = Vec::new();
    for &algorithm in algorithms() {
        for kernel in kernels(algorithm) {
            // Bit-sliced round keys are in a box of their own, where `round_keys` looks for them.
            if !kernel.name().starts_with("sliced") {
                let (name, key_len) = (algorithm.name(), algorithm.key_len());
                algorithm.by_type(InPlace { name, key_len, kernel });
            }
        }
        visited.push(algorithm.name());
    }
    let every: Vec<_> = algorithms().iter().map(|algorithm| algorithm.name()).collect();
    assert_eq!(visited, every);
}

/// Bytes at the beginning of freed memory that the allocator takes for itself.
const OF_ALLOCATOR: usize = 16;

/// Looks at a value in a box under each of two keys, before and after it is dropped.
fn check_boxed<T: ?Sized>(what: &str, key_len: usize, make: impl Fn(&[u8]) -> Box<T>) {
    let Some(memory) = Memory::open() else {
        assert!(short(), "the memory of this process cannot be read");
        return;
    };
    judge(what, 12, |which, end| {
        let key: [u8; 64] = key(which);
        scrub_stack();
        let value = black_box(make(&key[..key_len]));
        let at = (&raw const *value).cast::<u8>().addr() + OF_ALLOCATOR;
        let len = size_of_val(&*value) - OF_ALLOCATOR;
        let live = memory.without_addresses(memory.at(at, len));
        // Allocated before, or it would lie where the value was.
        let mut left = vec![0; len];
        match end {
            End::Dropped => drop(value),
            End::Forgotten => forget(value),
        }
        memory.0.read_exact_at(&mut left, at as u64).expect("memory of this process");
        [live, memory.without_addresses(left)]
    });
}

/// Checks each row of the table of modes that is authenticated encryption.
#[test]
fn every_sealing_mode_of_the_table() {
    let mut visited = Vec::new();
    for (row, sealing) in sealing_modes() {
        for (&key_len, kernel) in
            sealing.key_lens.iter().flat_map(|len| sealing.kernels().map(move |it| (len, it)))
        {
            // The key alone may be round keys, which are in a box of their own if they are bit-sliced.
            if !kernel.name().starts_with("sliced") {
                let make = |key: &[u8]| sealing.make(key, kernel).expect("a key");
                check_boxed(&format!("{} with a key of {key_len} on {kernel}", row.name), key_len, make);
            }
        }
        visited.push(row.name);
    }
    let every: Vec<_> = MODES.iter().filter(|row| row.sealing.is_some()).map(|row| row.name).collect();
    assert_eq!(visited, every);
}

/// The keystream of a block that was begun.
fn keystream() {
    for kernel in every_kernel() {
        let ciphers = [0, 1].map(|which| Aes128::with_kernel(&key(which), kernel).expect("its kernel"));
        let make = |which: usize| {
            Ctr::from_cipher(&ciphers[which], &[9; 16], CounterWidth::Bits32).expect("a block")
        };
        check(&format!("CTR on {kernel}"), 12, make, |ctr| {
            ctr.apply([0; 5].as_mut_slice()).expect("short");
            ctr.apply([0; 5].as_mut_slice()).expect("short");
        });
    }
}

/// A message in the middle of a block. The ciphertext is given, and the same under both keys.
fn message_in_pieces(nonce: &[u8]) {
    for kernel in every_kernel() {
        let gcms = [0, 1]
            .map(|which| Gcm::from_cipher(Aes128::with_kernel(&key(which), kernel).expect("its kernel")));
        let make = |which: usize| gcms[which].decryptor(nonce, b"data").expect("a nonce");
        let what = format!("GCM in pieces, a nonce of {} bytes, on {kernel}", nonce.len());
        check(&what, 12 * 2, make, |decryptor| {
            decryptor.update([1; 53].as_mut_slice()).expect("short");
        });
    }
}

#[test]
fn message_in_pieces_with_a_nonce_of_12_bytes() {
    message_in_pieces(&[1; 12]);
}

/// From the hash of a nonce and the nonce, the hash key can be computed.
#[test]
fn message_in_pieces_with_a_hashed_nonce() {
    message_in_pieces(&[1; 16]);
}

/// The keys that a column prepares for its rows, where the rows found them.
fn keys_of_rows<P: Prepare<N>, const N: usize>(what: &str, secret: usize) {
    let Some(memory) = Memory::open() else {
        assert!(short(), "the memory of this process cannot be read");
        return;
    };
    // Once the allocator of glibc has had so large a block back, it takes smaller ones from its heaps and not from the
    // system, to which they would go back when they are freed, and could not be looked at.
    drop(black_box(vec![1_u8; 8 << 20]));
    const ROWS: usize = 5;
    let rows: Vec<_> = (0..ROWS).collect();
    judge(&format!("{what}, prepared for rows"), ROWS * secret, |which, end| {
        let raw: Vec<u8> = (0..ROWS).flat_map(|row| key::<N>(which).map(|byte| byte ^ row as u8)).collect();
        let mut keys = Keys::<P, N>::new(&raw).expect("whole keys");
        let first = keys.with_keys(&rows, |keys| (&raw const *keys[0]).addr()).expect("keys of rows");
        let look = || memory.without_addresses(memory.at(first, ROWS * size_of::<P>()));
        let live = look();
        match end {
            End::Dropped => drop(black_box(keys)),
            End::Forgotten => forget(black_box(keys)),
        }
        [live, look()]
    });
}

/// Checks the keys of each row of the table of modes that has columns.
#[test]
fn keys_prepared_for_columns() {
    for row in modes_with(Does::Column) {
        match row.name {
            "gcm" => {
                keys_of_rows::<Gcm<Aes128>, 16>("GCM", 12 * 11);
                keys_of_rows::<Gcm<Serpent>, 32>("GCM with Serpent", 12 * 33);
            }
            // Bit-sliced round keys of AES are in boxes, where other tests look for them: three subkeys are here.
            "siv" if sliced_aes() => keys_of_rows::<Siv<Aes256>, 64>("SIV", 3 * 12),
            "siv" => keys_of_rows::<Siv<Aes256>, 64>("SIV", 2 * 12 * 15),
            "gcm-siv" => keys_of_rows::<GcmSiv, 16>("GCM-SIV", if sliced_aes() { 0 } else { 12 * 11 }),
            "aez" => keys_of_rows::<Aez, 48>("AEZ", 12 * 8),
            // XTEA keeps only the words of its key: lanes add the sums themselves.
            "ctr" => keys_of_rows::<Xtea, 16>("XTEA", 12),
            name => panic!("{name}: nothing here looks at the keys of its columns"),
        }
    }
}

/// True if the best kernel of AES is bit-sliced.
fn sliced_aes() -> bool {
    Aes256::kernels().next().is_some_and(|best| best.name().starts_with("sliced"))
}
