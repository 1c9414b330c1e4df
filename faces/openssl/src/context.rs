//! Contexts: what OpenSSL holds of a cipher in a mode, and the functions that it calls for it. They are written once, over
//! [`CipherMode`], and the compiler makes a table of them for each cipher in each mode.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use abreast::modes::Direction;
use abreast_simd::Wiped;

use crate::buffers::Buffers;
use crate::core::{Dispatch, Function, Param, data_type, id, name};
use crate::fault::Fault;
use crate::params;
use crate::provider::{self, Provider, guarded};

/// The properties of a cipher that OpenSSL asks for before there is a context.
#[derive(Clone, Copy)]
pub(crate) struct About {
    /// The names of cipher and mode, for the report of bytes.
    pub(crate) cipher: &'static str,
    pub(crate) mode: &'static str,
    /// OpenSSL's number of the mode.
    pub(crate) number: u32,
    pub(crate) key_len: usize,
    pub(crate) iv_len: usize,
    /// Bytes of a block, or 1 if messages have any length.
    pub(crate) block: usize,
    /// Does it make tags?
    pub(crate) aead: bool,
    /// Does the mode look after its vector by itself?
    pub(crate) custom_iv: bool,
}

/// A cipher in a mode, with what a context keeps of a key and a message.
pub(crate) trait CipherMode: Clone + Send + 'static {
    const ABOUT: About;
    /// The parameters of a context that the mode answers, and those that it takes.
    const ANSWERS: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::PADDING, data_type::UNSIGNED_INTEGER),
        Param::described(name::NUM, data_type::UNSIGNED_INTEGER),
        Param::described(name::IV, data_type::OCTET_STRING),
        Param::described(name::UPDATED_IV, data_type::OCTET_STRING),
        Param::described(name::TLS_MAC, data_type::OCTET_PTR),
        Param::END,
    ];
    const TAKES: &'static [Param] = &[
        Param::described(name::PADDING, data_type::UNSIGNED_INTEGER),
        Param::described(name::NUM, data_type::UNSIGNED_INTEGER),
        Param::described(name::USE_BITS, data_type::UNSIGNED_INTEGER),
        Param::described(name::TLS_VERSION, data_type::UNSIGNED_INTEGER),
        Param::described(name::TLS_MAC_SIZE, data_type::UNSIGNED_INTEGER),
        Param::END,
    ];

    fn new() -> Self;

    /// Begins a message, under another key or the last, with another vector or as the mode goes on without one.
    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault>;

    /// Takes the next piece, and gives the bytes of output. Without an output, the piece is associated data.
    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault>;

    /// Ends the message, and gives the bytes of output.
    fn finish(&mut self, buffers: &mut Buffers) -> Result<usize, Fault>;

    /// Does the work of the old function `EVP_Cipher`: a piece without buffering; without an input, the end.
    fn cipher(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        if buffers.has_input() { self.update(buffers) } else { self.finish(buffers) }
    }

    /// Answers a parameter; one that it does not know it leaves as it is.
    fn get(&mut self, param: &mut Param) -> Result<(), Fault>;

    /// Takes a parameter; one that it does not know it passes over.
    fn set(&mut self, param: &Param) -> Result<(), Fault>;

    fn key_len(&self) -> usize {
        Self::ABOUT.key_len
    }

    fn iv_len(&self) -> usize {
        Self::ABOUT.iv_len
    }
}

/// A context.
struct Context<M> {
    /// The provider, which outlives its contexts: OpenSSL tears it down after all of them are freed.
    provider: &'static Provider,
    mode: M,
    direction: Direction,
    /// Bytes since the context is there, where they are counted.
    bytes: u64,
}

impl<M: CipherMode> Context<M> {
    /// # Safety
    /// OpenSSL got it from `new` or `duplicate`, did not free it, and lets nobody else use it for `'c`.
    unsafe fn of<'c>(context: *mut c_void) -> &'c mut Self {
        // SAFETY: the caller says so.
        unsafe { &mut *context.cast() }
    }

    fn count(&mut self, bytes: usize) {
        if let Some(counter) = &self.provider.counter {
            self.bytes += bytes as u64;
            counter.add(bytes);
        }
    }

    /// A step of a message: writes how many bytes of output it gave, and counts what went through.
    ///
    /// # Safety
    /// `written` is a place for a number, of OpenSSL.
    unsafe fn step(
        &mut self,
        mut buffers: Buffers,
        written: *mut usize,
        how: impl FnOnce(&mut M, &mut Buffers) -> Result<usize, Fault>,
    ) -> c_int {
        self.provider.call(|| {
            let done = how(&mut self.mode, &mut buffers)?;
            // SAFETY: the caller says so.
            unsafe { *written = done };
            if buffers.has_output() {
                self.count(buffers.len());
            }
            Ok(())
        })
    }

    fn set(&mut self, list: &[Param]) -> Result<(), Fault> {
        list.iter().try_for_each(|param| self.mode.set(param))
    }
}

/// The table of functions of a cipher in a mode.
pub(crate) const fn functions<M: CipherMode>() -> &'static [Dispatch] {
    const {
        &[
            Dispatch { id: id::CIPHER_NEWCTX, function: Function { new: new::<M> } },
            Dispatch { id: id::CIPHER_FREECTX, function: Function { free: free::<M> } },
            Dispatch { id: id::CIPHER_DUPCTX, function: Function { new: duplicate::<M> } },
            Dispatch { id: id::CIPHER_ENCRYPT_INIT, function: Function { init: encrypt_init::<M> } },
            Dispatch { id: id::CIPHER_DECRYPT_INIT, function: Function { init: decrypt_init::<M> } },
            Dispatch { id: id::CIPHER_UPDATE, function: Function { update: update::<M> } },
            Dispatch { id: id::CIPHER_FINAL, function: Function { finish: finish::<M> } },
            Dispatch { id: id::CIPHER_CIPHER, function: Function { update: cipher::<M> } },
            Dispatch { id: id::CIPHER_GET_PARAMS, function: Function { describe: describe::<M> } },
            Dispatch { id: id::CIPHER_GETTABLE_PARAMS, function: Function { known: described } },
            Dispatch { id: id::CIPHER_GET_CTX_PARAMS, function: Function { get: get::<M> } },
            Dispatch { id: id::CIPHER_SET_CTX_PARAMS, function: Function { set: set::<M> } },
            Dispatch { id: id::CIPHER_GETTABLE_CTX_PARAMS, function: Function { known_of: answers::<M> } },
            Dispatch { id: id::CIPHER_SETTABLE_CTX_PARAMS, function: Function { known_of: takes::<M> } },
            Dispatch::END,
        ]
    }
}

unsafe extern "C" fn new<M: CipherMode>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL gives what `load` gave it, and keeps it for as long as the context.
    let provider = unsafe { provider::of(provider) };
    guarded(null_mut(), || {
        let context = Context { provider, mode: M::new(), direction: Direction::Decrypt, bytes: 0 };
        given(context)
    })
}

/// A context as OpenSSL gets it, in memory that is zeros when it is freed, padding included.
fn given<M: CipherMode>(context: Context<M>) -> *mut c_void {
    Box::into_raw(Box::new(Wiped::new(context))).cast()
}

unsafe extern "C" fn duplicate<M: CipherMode>(context: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL gives a context of this mode.
    let Context { provider, mode, direction, .. } = unsafe { Context::<M>::of(context) };
    guarded(null_mut(), || {
        let context = Context { provider, mode: mode.clone(), direction: *direction, bytes: 0 };
        given(context)
    })
}

unsafe extern "C" fn free<M: CipherMode>(context: *mut c_void) {
    if context.is_null() {
        return;
    }
    // SAFETY: OpenSSL gives back a context of this mode, once.
    let context = unsafe { Box::from_raw(context.cast::<Wiped<Context<M>>>()) };
    guarded((), || {
        if let (Some(counter), 1..) = (&context.provider.counter, context.bytes) {
            let name = format!("{}-{}", M::ABOUT.cipher, M::ABOUT.mode);
            counter.report(&name, context.direction, context.bytes);
        }
        drop(context);
    });
}

/// Bytes that OpenSSL may leave out.
///
/// # Safety
/// `bytes` is NULL, or `len` bytes can be read there for `'b`.
unsafe fn optional<'b>(bytes: *const u8, len: usize) -> Option<&'b [u8]> {
    // SAFETY: the caller says so.
    (!bytes.is_null()).then(|| unsafe { std::slice::from_raw_parts(bytes, len) })
}

macro_rules! init {
    ($name:ident, $direction:expr) => {
        unsafe extern "C" fn $name<M: CipherMode>(
            context: *mut c_void,
            key: *const u8,
            key_len: usize,
            iv: *const u8,
            iv_len: usize,
            list: *const Param,
        ) -> c_int {
            // SAFETY: OpenSSL gives a context of this mode, a key and a vector of these lengths or NULL, and a list that
            // ends.
            let (context, key, iv, list) = unsafe {
                (Context::<M>::of(context), optional(key, key_len), optional(iv, iv_len), params::given(list))
            };
            context.provider.call(|| {
                context.direction = $direction;
                context.mode.begin($direction, key, iv)?;
                context.set(list)
            })
        }
    };
}
init!(encrypt_init, Direction::Encrypt);
init!(decrypt_init, Direction::Decrypt);

unsafe extern "C" fn update<M: CipherMode>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    room: usize,
    input: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: OpenSSL gives a context of this mode, an input and an output of these lengths, or NULL, and a place for a
    // number.
    unsafe { Context::<M>::of(context).step(Buffers::new(input, len, output, room), written, M::update) }
}

unsafe extern "C" fn cipher<M: CipherMode>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    room: usize,
    input: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: as in `update`.
    unsafe { Context::<M>::of(context).step(Buffers::new(input, len, output, room), written, M::cipher) }
}

unsafe extern "C" fn finish<M: CipherMode>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: as in `update`, without an input.
    unsafe { Context::<M>::of(context).step(Buffers::new(null(), 0, output, room), written, M::finish) }
}

/// The parameters by which a cipher describes itself.
static DESCRIBED: [Param; 10] = [
    Param::described(name::MODE, data_type::UNSIGNED_INTEGER),
    Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
    Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
    Param::described(name::BLOCK_SIZE, data_type::UNSIGNED_INTEGER),
    Param::described(name::AEAD, data_type::INTEGER),
    Param::described(name::CUSTOM_IV, data_type::INTEGER),
    Param::described(name::CTS, data_type::INTEGER),
    Param::described(name::TLS1_MULTIBLOCK, data_type::INTEGER),
    Param::described(name::HAS_RAND_KEY, data_type::INTEGER),
    Param::END,
];

unsafe extern "C" fn described(_: *mut c_void) -> *const Param {
    DESCRIBED.as_ptr()
}

unsafe extern "C" fn describe<M: CipherMode>(list: *mut Param) -> c_int {
    // SAFETY: OpenSSL gives a list that ends.
    let asked = unsafe { params::asked(list) };
    let about = M::ABOUT;
    let answer = || {
        for param in asked {
            match param.name() {
                it if it == name::MODE => param.put_number_of_32_bits(about.number)?,
                it if it == name::KEYLEN => param.put_number(about.key_len as u64)?,
                it if it == name::IVLEN => param.put_number(about.iv_len as u64)?,
                it if it == name::BLOCK_SIZE => param.put_number(about.block as u64)?,
                it if it == name::AEAD => param.put_number_of_32_bits(about.aead.into())?,
                it if it == name::CUSTOM_IV => param.put_number_of_32_bits(about.custom_iv.into())?,
                it if [name::CTS, name::TLS1_MULTIBLOCK, name::HAS_RAND_KEY].contains(&it) => {
                    param.put_number_of_32_bits(0)?
                }
                _ => {}
            }
        }
        Ok::<(), Fault>(())
    };
    // Without a context there is no provider whose queue could have the reason.
    guarded(Err(Fault::Panic), answer).is_ok().into()
}

unsafe extern "C" fn get<M: CipherMode>(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: OpenSSL gives a context of this mode and a list that ends.
    let (context, asked) = unsafe { (Context::<M>::of(context), params::asked(list)) };
    context.provider.call(|| {
        for param in asked {
            match param.name() {
                it if it == name::KEYLEN => param.put_number(context.mode.key_len() as u64)?,
                it if it == name::IVLEN => param.put_number(context.mode.iv_len() as u64)?,
                _ => context.mode.get(param)?,
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn set<M: CipherMode>(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: OpenSSL gives a context of this mode and a list that ends.
    let (context, list) = unsafe { (Context::<M>::of(context), params::given(list)) };
    context.provider.call(|| context.set(list))
}

unsafe extern "C" fn answers<M: CipherMode>(_: *mut c_void, _: *mut c_void) -> *const Param {
    M::ANSWERS.as_ptr()
}

unsafe extern "C" fn takes<M: CipherMode>(_: *mut c_void, _: *mut c_void) -> *const Param {
    M::TAKES.as_ptr()
}
