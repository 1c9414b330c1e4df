//! AEZ and AES-GCM-SIV: the tag depends on the whole message before its first byte comes out, so that a message comes in one
//! piece. Associated data comes before it, and for decryption the tag.

use std::ops::RangeInclusive;

use abreast::modes::Direction;
use abreast::{Error, InOutBuf};
use zeroize::Zeroizing;

use super::aead::MOST_NONCE;
use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, data_type, name};
use crate::fault::Fault;
use crate::keys::{Shared, shared};

/// Bytes of a tag at most, as the library has room for in AEZ.
pub(super) const MOST_TAG: usize = 32;
/// Bytes of a tag unless it is told.
pub(super) const TAG: usize = 16;

/// A mode that takes a message in one piece.
pub(crate) trait WholeMode: Clone + Send + 'static {
    type Keyed: Send + Sync;
    const ABOUT: About;
    /// The lengths of keys, of nonces and of tags.
    const KEYS: RangeInclusive<usize>;
    const NONCES: RangeInclusive<usize>;
    const TAGS: RangeInclusive<usize>;
    /// True if each piece of associated data is a string of its own. Otherwise they are pieces of one string.
    const STRINGS: bool;

    fn keyed(key: &[u8]) -> Result<Self::Keyed, Error>;

    fn seal(
        keyed: &Self::Keyed,
        nonce: &[u8],
        strings: &[&[u8]],
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error>;

    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    fn open(
        keyed: &Self::Keyed,
        nonce: &[u8],
        strings: &[&[u8]],
        io: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error>;
}

/// Appends a piece. A string that has to move is wiped in its old place.
fn extend(string: &mut Zeroizing<Vec<u8>>, piece: &[u8]) {
    let len = string.len() + piece.len();
    if len > string.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(len.max(2 * string.len())));
        larger.extend_from_slice(string);
        *string = larger;
    }
    string.extend_from_slice(piece);
}

/// The state of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// There is no nonce.
    NoNonce,
    /// The nonce is set, and the message has not come.
    Ready,
    /// The message has come; its nonce is used up.
    Done,
    /// The message has failed.
    Failed(Fault),
}

/// The contents of the place of the tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// Nothing that could be read.
    None,
    /// A tag to compare.
    Given,
    /// The tag of the message that was encrypted last.
    Made,
}

/// A mode of this kind with what a context keeps.
pub(crate) struct Whole<M: WholeMode> {
    key: Option<Shared<M::Keyed>>,
    key_len: usize,
    direction: Direction,
    nonce: [u8; MOST_NONCE],
    nonce_len: usize,
    stage: Stage,
    strings: Vec<Zeroizing<Vec<u8>>>,
    tag: [u8; MOST_TAG],
    tag_len: usize,
    tag_state: Tag,
}

// Not derived, which would want keys that can be copied.
impl<M: WholeMode> Clone for Whole<M> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            key_len: self.key_len,
            direction: self.direction,
            nonce: self.nonce,
            nonce_len: self.nonce_len,
            stage: self.stage,
            strings: self.strings.clone(),
            tag: self.tag,
            tag_len: self.tag_len,
            tag_state: self.tag_state,
        }
    }
}

impl<M: WholeMode> Whole<M> {
    /// Encrypts or decrypts the message, and keeps what came of it for the end.
    fn message(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.key.as_ref().ok_or(Fault::NoKey)?;
        let outcome = match self.stage {
            Stage::NoNonce => return Err(Fault::NoIv),
            Stage::Ready => self.first_message(io),
            // A second piece, which must not be taken for a message of its own.
            Stage::Done | Stage::Failed(_) => Err(Fault::OneUpdate),
        };
        self.strings.clear();
        self.stage = outcome.map_or_else(Stage::Failed, |()| Stage::Done);
        outcome
    }

    fn first_message(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let key = self.key.as_ref().ok_or(Fault::NoKey)?;
        let strings: Vec<&[u8]> = self.strings.iter().map(|string| string.as_slice()).collect();
        let (nonce, tag) = (&self.nonce[..self.nonce_len], &mut self.tag[..self.tag_len]);
        let state = std::mem::replace(&mut self.tag_state, Tag::None);
        if self.direction == Direction::Encrypt {
            M::seal(key, nonce, &strings, io, tag)?;
            self.tag_state = Tag::Made;
        } else if state == Tag::Given {
            M::open(key, nonce, &strings, io, tag)?;
        } else {
            return Err(Fault::NoTag);
        }
        Ok(())
    }

    /// Keeps a piece of associated data, which is that of the message to come.
    fn associated_data(&mut self, piece: &[u8]) -> Result<(), Fault> {
        self.key.as_ref().ok_or(Fault::NoKey)?;
        match self.stage {
            Stage::NoNonce => return Err(Fault::NoIv),
            Stage::Ready => {}
            Stage::Done | Stage::Failed(_) => return Err(Fault::AssociatedData),
        }
        match self.strings.last_mut() {
            Some(string) if !M::STRINGS => extend(string, piece),
            _ => self.strings.push(Zeroizing::new(piece.to_vec())),
        }
        Ok(())
    }

    /// Takes the tag of a message that is decrypted, or the length of one alone.
    fn set_tag(&mut self, param: &Param) -> Result<(), Fault> {
        if !M::TAGS.contains(&param.data_size) {
            return Err(Fault::TagLength);
        }
        let tag = param.bytes()?;
        if self.direction == Direction::Decrypt || self.tag_len != param.data_size {
            self.tag_state = Tag::None;
        }
        self.tag_len = param.data_size;
        if let (Direction::Decrypt, Some(tag)) = (self.direction, tag) {
            self.tag[..tag.len()].copy_from_slice(tag);
            self.tag_state = Tag::Given;
        }
        Ok(())
    }

    fn set_nonce_len(&mut self, len: u64) -> Result<(), Fault> {
        let len = usize::try_from(len).ok().filter(|len| M::NONCES.contains(len));
        let len = len.ok_or(Fault::IvLength)?;
        // The nonce that was set has another length.
        if len != self.nonce_len && self.stage == Stage::Ready {
            self.stage = Stage::Failed(Fault::NoIv);
        }
        self.nonce_len = len;
        Ok(())
    }
}

impl<M: WholeMode> CipherMode for Whole<M> {
    const ABOUT: About = M::ABOUT;
    const ANSWERS: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::TAGLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IV, data_type::OCTET_STRING),
        Param::described(name::UPDATED_IV, data_type::OCTET_STRING),
        Param::described(name::TAG, data_type::OCTET_STRING),
        Param::END,
    ];
    const TAKES: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::TAG, data_type::OCTET_STRING),
        Param::END,
    ];

    fn new() -> Self {
        Self {
            key: None,
            key_len: M::ABOUT.key_len,
            direction: Direction::Decrypt,
            nonce: [0; MOST_NONCE],
            nonce_len: M::ABOUT.iv_len,
            stage: Stage::NoNonce,
            strings: Vec::new(),
            tag: [0; MOST_TAG],
            tag_len: TAG,
            tag_state: Tag::None,
        }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        self.direction = direction;
        self.strings.clear();
        if let Some(iv) = iv {
            if !M::NONCES.contains(&iv.len()) {
                return Err(Fault::IvLength);
            }
            self.nonce.get_mut(..iv.len()).ok_or(Fault::IvLength)?.copy_from_slice(iv);
            self.nonce_len = iv.len();
            self.stage = Stage::Ready;
        }
        if let Some(key) = key {
            if key.len() != self.key_len {
                return Err(Fault::KeyLength);
            }
            let keyed = M::keyed(key)?;
            self.key = Some(shared(|| keyed));
        }
        Ok(())
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        if !buffers.has_output() {
            self.associated_data(buffers.input())?;
            return Ok(buffers.len());
        }
        // An empty piece is none: an empty message is one that ends without a piece.
        if buffers.len() == 0 {
            return Ok(0);
        }
        buffers.in_out(|io| self.message(io))?;
        Ok(buffers.len())
    }

    /// Ends the message: its tag was written or compared when it came, unless it is empty and comes now. Programs that look at
    /// the end alone learn here that it failed.
    fn finish(&mut self, _: &mut Buffers) -> Result<usize, Fault> {
        match self.stage {
            Stage::NoNonce => Err(Fault::NoIv),
            Stage::Ready => self.message((&mut [][..]).into()).map(|()| 0),
            Stage::Done => Ok(0),
            Stage::Failed(fault) => Err(fault),
        }
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::TAGLEN => param.put_number(self.tag_len as u64),
            it if it == name::IV || it == name::UPDATED_IV => match self.stage {
                Stage::NoNonce => Err(Fault::NoIv),
                _ if param.data_size < self.nonce_len => Err(Fault::Parameter),
                _ => param.put_bytes(&self.nonce[..self.nonce_len]),
            },
            it if it == name::TAG => {
                let made = self.direction == Direction::Encrypt && self.tag_state == Tag::Made;
                if !made || param.data_size != self.tag_len {
                    return Err(Fault::NoTag);
                }
                param.put_bytes(&self.tag[..self.tag_len])
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::KEYLEN => {
                let len = usize::try_from(param.number()?).ok().filter(|len| M::KEYS.contains(len));
                self.key_len = len.ok_or(Fault::KeyLength)?;
                Ok(())
            }
            it if it == name::IVLEN => self.set_nonce_len(param.number()?),
            it if it == name::TAG => self.set_tag(param),
            _ => Ok(()),
        }
    }

    fn key_len(&self) -> usize {
        self.key_len
    }

    fn iv_len(&self) -> usize {
        self.nonce_len
    }
}
