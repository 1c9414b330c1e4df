//! XTEA as a cipher of RustCrypto's traits, in the forms that the crate `xtea` does not have.

use std::sync::Arc;

use abreast_reference::BlockCipher as Specified;
use abreast_reference::xtea::{ByteOrder, Xtea as Reference};
use cipher::consts::{U1, U8};
use cipher::inout::InOut;
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit, ParBlocksSizeUser,
};

/// XTEA under a key.
#[derive(Clone)]
pub(super) struct Small(Arc<Form>);

enum Form {
    /// Little-endian words and 32 cycles, the form of RustCrypto.
    Usual(xtea::Xtea),
    /// Big-endian words: the same with the bytes of all words in reverse order.
    Reversed(xtea::Xtea),
    /// Another number of cycles.
    Slow(Reference),
}

/// Reverses the bytes of each word.
fn reversed<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
    bytes
}

impl Small {
    pub(super) fn new(key: &[u8], big_endian: bool, cycles: u8) -> Self {
        let key: [u8; 16] = key.try_into().expect("a key of 16 bytes");
        let usual = |key: [u8; 16]| xtea::Xtea::new_from_slice(&key).expect("a key of 16 bytes");
        Self(Arc::new(match (big_endian, cycles) {
            (false, 32) => Form::Usual(usual(key)),
            (true, 32) => Form::Reversed(usual(reversed(key))),
            (_, cycles) => {
                let order = if big_endian { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
                Form::Slow(Reference::new(&key, order, cycles))
            }
        }))
    }
}

impl BlockSizeUser for Small {
    type BlockSize = U8;
}

impl ParBlocksSizeUser for Small {
    type ParBlocksSize = U1;
}

impl BlockCipherEncrypt for Small {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U8>) {
        f.call(self);
    }
}

impl BlockCipherDecrypt for Small {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U8>) {
        f.call(self);
    }
}

impl BlockCipherEncBackend for Small {
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let input = block.clone_in().0;
        block.get_out().0 = match &*self.0 {
            Form::Usual(xtea) => once(input, |block| BlockCipherEncrypt::encrypt_block(xtea, block)),
            Form::Reversed(xtea) => {
                reversed(once(reversed(input), |block| BlockCipherEncrypt::encrypt_block(xtea, block)))
            }
            Form::Slow(xtea) => xtea.encrypt_block(&input),
        };
    }
}

impl BlockCipherDecBackend for Small {
    fn decrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let input = block.clone_in().0;
        block.get_out().0 = match &*self.0 {
            Form::Usual(xtea) => once(input, |block| BlockCipherDecrypt::decrypt_block(xtea, block)),
            Form::Reversed(xtea) => {
                reversed(once(reversed(input), |block| BlockCipherDecrypt::decrypt_block(xtea, block)))
            }
            Form::Slow(xtea) => xtea.decrypt_block(&input),
        };
    }
}

fn once(input: [u8; 8], with: impl FnOnce(&mut Block<xtea::Xtea>)) -> [u8; 8] {
    let mut block = input.into();
    with(&mut block);
    block.0
}
