//! GCM and EAX: messages with a tag, in pieces, associated data first.

use abreast::modes::{Direction, Eax, Gcm, Streaming};
use abreast::{BlockCipher128, Error, InOutBuf};
use subtle::ConstantTimeEq as _;

use super::tls_records::Records;
use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, data_type, evp_mode, name};
use crate::fault::Fault;
use crate::keys::{Cipher, EaxKey, GcmKey, Key, KeyKind};

/// Bytes of a nonce at most, as in OpenSSL (`GCM_IV_MAX_SIZE`).
pub(crate) const MOST_NONCE: usize = 128;

/// Bytes of a nonce that is drawn at random, at least.
const LEAST_DRAWN: usize = 12;

/// A mode with tags.
pub(crate) trait AeadMode: KeyKind<Keyed: Streaming<State: Send>> {
    const CIPHER: &'static str;
    const NAME: &'static str;
    const NUMBER: u32;
    /// Bytes of a nonce unless it is told.
    const NONCE: usize;

    /// A message in one call, with a tag of 16 bytes.
    fn seal(
        keyed: &Self::Keyed,
        nonce: &[u8],
        aad: &[u8],
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8; 16],
    ) -> Result<(), Error>;
    fn open(
        keyed: &Self::Keyed,
        nonce: &[u8],
        aad: &[u8],
        io: InOutBuf<'_, '_, u8>,
        tag: &[u8; 16],
    ) -> Result<(), Error>;
}

impl<C: Cipher<Type: BlockCipher128>> AeadMode for GcmKey<C> {
    const CIPHER: &'static str = C::NAME;
    const NAME: &'static str = "gcm";
    const NUMBER: u32 = evp_mode::GCM;
    const NONCE: usize = 12;

    fn seal(
        gcm: &Gcm<C::Type>,
        nonce: &[u8],
        aad: &[u8],
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        gcm.encrypt_detached(nonce, aad, io, tag)
    }
    fn open(
        gcm: &Gcm<C::Type>,
        nonce: &[u8],
        aad: &[u8],
        io: InOutBuf<'_, '_, u8>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        gcm.decrypt_detached(nonce, aad, io, tag)
    }
}

impl<C: Cipher<Type: BlockCipher128>> AeadMode for EaxKey<C> {
    const CIPHER: &'static str = C::NAME;
    const NAME: &'static str = "eax";
    const NUMBER: u32 = evp_mode::OTHER;
    const NONCE: usize = 16;

    fn seal(
        eax: &Eax<C::Type>,
        nonce: &[u8],
        aad: &[u8],
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        eax.encrypt_detached(nonce, aad, io, tag)
    }
    fn open(
        eax: &Eax<C::Type>,
        nonce: &[u8],
        aad: &[u8],
        io: InOutBuf<'_, '_, u8>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        eax.decrypt_detached(nonce, aad, io, tag)
    }
}

/// The state of the nonce, which is good for one message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NonceState {
    /// There is none.
    None,
    /// The nonce is set, and no message has begun under it.
    Ready,
    /// A message is under way.
    InUse,
    /// Its message has ended.
    Used,
}

/// The contents of the place of the tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagState {
    /// Nothing that could be read.
    None,
    /// The tag of the message that was encrypted last. It is no tag to compare.
    Made,
}

/// A cipher in one of these modes.
pub(crate) struct Aead<M: AeadMode> {
    pub(super) message: Option<<M::Keyed as Streaming>::State>,
    pub(super) key: Key<M>,
    pub(super) direction: Direction,
    pub(super) nonce: [u8; MOST_NONCE],
    pub(super) nonce_len: usize,
    pub(super) nonce_state: NonceState,
    /// The tag to compare, or that was made, or the associated data of a record.
    pub(super) tag: [u8; 16],
    pub(super) tag_state: TagState,
    /// Bytes of the tag, if one was set or made. A tag that was set is compared with every message until there is another.
    pub(super) tag_len: Option<usize>,
    pub(super) records: Records,
}

// Not derived, which would want keys that can be copied.
impl<M: AeadMode> Clone for Aead<M> {
    fn clone(&self) -> Self {
        Self {
            message: self.message.clone(),
            key: self.key.clone(),
            direction: self.direction,
            nonce: self.nonce,
            nonce_len: self.nonce_len,
            nonce_state: self.nonce_state,
            tag: self.tag,
            tag_state: self.tag_state,
            tag_len: self.tag_len,
            records: self.records.clone(),
        }
    }
}

impl<M: AeadMode> Aead<M> {
    /// The nonce for a message that begins.
    pub(super) fn nonce(&self) -> &[u8] {
        &self.nonce[..self.nonce_len]
    }

    /// Begins a message under the nonce.
    #[inline]
    pub(super) fn start(&mut self) -> Result<(), Fault> {
        self.message = Some(self.key.get()?.begin(self.nonce())?);
        self.nonce_state = NonceState::InUse;
        Ok(())
    }

    /// The key and the message under way, which is begun if it is not. Encryption without a nonce draws one, which programs
    /// read as `updated-iv` (SP 800-38D, section 8.2.2: no less than 96 bits).
    #[inline]
    fn message(&mut self) -> Result<(&M::Keyed, &mut <M::Keyed as Streaming>::State), Fault> {
        if self.nonce_state == NonceState::None {
            self.draw_nonce()?;
        }
        if self.nonce_state == NonceState::Ready {
            self.start()?;
        }
        Ok((self.key.get()?, self.message.as_mut().ok_or(Fault::NoIv)?))
    }

    #[cold]
    fn draw_nonce(&mut self) -> Result<(), Fault> {
        self.key.get()?;
        if self.direction == Direction::Decrypt || self.nonce_len < LEAST_DRAWN {
            return Err(Fault::NoIv);
        }
        getrandom::fill(&mut self.nonce[..self.nonce_len]).map_err(|_| Fault::Random)?;
        self.nonce_state = NonceState::Ready;
        Ok(())
    }

    /// Writes or compares the tag.
    fn end(&mut self) -> Result<(), Fault> {
        let (direction, has_tag) =
            (self.direction, self.tag_len.is_some() && self.tag_state != TagState::Made);
        self.message()?;
        // The message goes on if there is no tag to compare yet.
        if direction == Direction::Decrypt && !has_tag {
            return Err(Fault::NoTag);
        }
        let (keyed, message) = self.message()?;
        let full = keyed.full_tag(message);
        let most = keyed.full_tag_len();
        self.message = None;
        self.nonce_state = NonceState::Used;
        if direction == Direction::Encrypt {
            self.tag = full;
            self.tag_len = Some(most);
            self.tag_state = TagState::Made;
            return Ok(());
        }
        let len = self.tag_len.ok_or(Fault::NoTag)?;
        // Numbers are compared: byte by byte, with a barrier after each, takes as long as a short message.
        let difference = u128::from_le_bytes(full) ^ u128::from_le_bytes(self.tag);
        let equal = (difference << (8 * (full.len() - len))).ct_eq(&0);
        if equal.into() { Ok(()) } else { Err(Fault::TagMismatch) }
    }

    /// A piece, or the end without an input.
    #[inline]
    fn piece(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        if self.records.asked {
            return self.record(buffers);
        }
        if !buffers.has_input() {
            return self.end().map(|()| 0);
        }
        let direction = self.direction;
        let (keyed, message) = self.message()?;
        if !buffers.has_output() {
            keyed.associated_data(message, buffers.input())?;
        } else if buffers.len() > 0 {
            buffers.in_out(|io| Ok(keyed.update(message, direction, io)?))?;
        }
        Ok(buffers.len())
    }

    /// Takes the tag of a message that is decrypted.
    fn set_tag(&mut self, param: &Param) -> Result<(), Fault> {
        let tag = param.bytes()?.ok_or(Fault::Parameter)?;
        if self.direction == Direction::Encrypt {
            return Err(Fault::Parameter);
        }
        let place = self.tag.get_mut(..tag.len()).filter(|place| !place.is_empty());
        place.ok_or(Fault::TagLength)?.copy_from_slice(tag);
        self.tag_state = TagState::None;
        self.tag_len = Some(tag.len());
        Ok(())
    }

    fn set_nonce_len(&mut self, len: u64) -> Result<(), Fault> {
        let len = usize::try_from(len).ok().filter(|len| (1..=MOST_NONCE).contains(len));
        let len = len.ok_or(Fault::IvLength)?;
        // The nonce that was set has another length.
        if len != self.nonce_len && self.nonce_state != NonceState::None {
            self.message = None;
            self.nonce_state = NonceState::Used;
        }
        self.nonce_len = len;
        Ok(())
    }
}

impl<M: AeadMode> CipherMode for Aead<M> {
    const ABOUT: About = About {
        cipher: M::CIPHER,
        mode: M::NAME,
        number: M::NUMBER,
        key_len: M::LEN,
        iv_len: M::NONCE,
        block: 1,
        aead: true,
        custom_iv: true,
    };
    const ANSWERS: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::TAGLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IV, data_type::OCTET_STRING),
        Param::described(name::UPDATED_IV, data_type::OCTET_STRING),
        Param::described(name::TAG, data_type::OCTET_STRING),
        Param::described(name::TLS1_AAD_PAD, data_type::UNSIGNED_INTEGER),
        Param::described(name::TLS1_GET_IV_GEN, data_type::OCTET_STRING),
        Param::END,
    ];
    const TAKES: &'static [Param] = &[
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::TAG, data_type::OCTET_STRING),
        Param::described(name::TLS1_AAD, data_type::OCTET_STRING),
        Param::described(name::TLS1_IV_FIXED, data_type::OCTET_STRING),
        Param::described(name::TLS1_SET_IV_INV, data_type::OCTET_STRING),
        Param::END,
    ];

    fn new() -> Self {
        Self {
            message: None,
            key: Key::NONE,
            direction: Direction::Decrypt,
            nonce: [0; MOST_NONCE],
            nonce_len: M::NONCE,
            nonce_state: NonceState::None,
            tag: [0; 16],
            tag_state: TagState::None,
            tag_len: None,
            records: Records::default(),
        }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        self.direction = direction;
        if let Some(iv) = iv {
            let place = self.nonce.get_mut(..iv.len()).filter(|place| !place.is_empty());
            place.ok_or(Fault::IvLength)?.copy_from_slice(iv);
            self.nonce_len = iv.len();
            self.message = None;
            self.nonce_state = NonceState::Ready;
        }
        if let Some(key) = key {
            // A message that has begun cannot go on under another key, nor may its nonce be used again.
            if self.nonce_state == NonceState::InUse {
                self.message = None;
                self.nonce_state = NonceState::Used;
            }
            self.key.set(key)?;
        }
        Ok(())
    }

    /// An empty piece is none, whatever came before it.
    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        if buffers.len() == 0 { Ok(0) } else { self.piece(buffers) }
    }

    fn finish(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        self.piece(buffers).map(|_| 0)
    }

    fn cipher(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        self.piece(buffers).map(|_| buffers.len())
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::TAGLEN => param.put_number(self.tag_len.unwrap_or(16) as u64),
            it if it == name::IV || it == name::UPDATED_IV => match self.nonce_state {
                NonceState::None => Err(Fault::NoIv),
                _ if param.data_size < self.nonce_len => Err(Fault::Parameter),
                _ => param.put_bytes(&self.nonce[..self.nonce_len]),
            },
            it if it == name::TAG => {
                let made = self.direction == Direction::Encrypt && self.tag_state == TagState::Made;
                if !made || self.nonce_state != NonceState::Used || !(1..=16).contains(&param.data_size) {
                    return Err(Fault::NoTag);
                }
                if param.data_type != data_type::OCTET_STRING {
                    return Err(Fault::Parameter);
                }
                param.put_bytes(&self.tag[..param.data_size])
            }
            it if it == name::TLS1_AAD_PAD => param.put_number(self.records.added() as u64),
            it if it == name::TLS1_GET_IV_GEN => self.generate_nonce(param),
            _ => Ok(()),
        }
    }

    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::IVLEN => self.set_nonce_len(param.number()?),
            it if it == name::TAG => self.set_tag(param),
            it if it == name::TLS1_AAD => self.set_record(param),
            it if it == name::TLS1_IV_FIXED => self.set_fixed_nonce(param),
            it if it == name::TLS1_SET_IV_INV => self.set_explicit_nonce(param),
            _ => Ok(()),
        }
    }

    fn iv_len(&self) -> usize {
        self.nonce_len
    }
}
