//! Words of 32 bits, as TEA and XTEA compute on them, and the bytes that they come from.

/// The order of the four bytes in a word of key or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    LittleEndian,
    /// Most significant byte first.
    BigEndian,
}

impl ByteOrder {
    /// The word that four bytes make.
    pub(crate) fn word(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::LittleEndian => u32::from_le_bytes(bytes),
            Self::BigEndian => u32::from_be_bytes(bytes),
        }
    }

    /// The bytes that make a word.
    fn bytes(self, word: u32) -> [u8; 4] {
        match self {
            Self::LittleEndian => word.to_le_bytes(),
            Self::BigEndian => word.to_be_bytes(),
        }
    }
}

/// The words `y` and `z` of a block.
pub(crate) fn words_of(order: ByteOrder, block: &[u8; 8]) -> (u32, u32) {
    let [y0, y1, y2, y3, z0, z1, z2, z3] = *block;
    (order.word([y0, y1, y2, y3]), order.word([z0, z1, z2, z3]))
}

/// The block of the words `y` and `z`.
pub(crate) fn block_of(order: ByteOrder, y: u32, z: u32) -> [u8; 8] {
    let mut block = [0; 8];
    block[..4].copy_from_slice(&order.bytes(y));
    block[4..].copy_from_slice(&order.bytes(z));
    block
}
