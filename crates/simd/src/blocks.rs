//! 128-bit blocks in one register.

use crate::isa::Isa;
use crate::partial;
use crate::words::{ODD_ROWS, UPPER_ROWS};
use core::ops::{BitAnd, BitXor};

/// A vector of [`LANES`](Self::LANES) blocks of 16 bytes.
///
/// ```
/// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
///
/// #[inline(always)]
/// fn xor_all<I: AesIsa>(isa: I, data: &[u8]) -> [u8; 16] {
///     let mut sum = I::Blocks::splat(isa, &[0; 16]);
///     for part in data.chunks(I::Blocks::BYTES) {
///         sum = sum ^ I::Blocks::load_partial(isa, part);
///     }
///     sum.fold().to_first()
/// }
/// for level in AesLevel::detect_all() {
///     let sum: [u8; 16] = dispatch_aes!(level, isa => xor_all(isa, &[5; 7 * 16]));
///     assert_eq!(sum, [5; 16]);
/// }
/// ```
///
/// [`SoftBlock`](crate::portable::SoftBlock), a vector of one block, needs no detection. Examples of methods that leave blocks
/// where they are use it.
pub trait Blocks: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {
    /// The instruction set that the vector proves.
    type Isa: Isa;
    /// Blocks in the vector.
    const LANES: usize;
    /// Bytes in the vector.
    const BYTES: usize = 16 * Self::LANES;

    /// Fills every lane with `block`.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// #[inline(always)]
    /// fn filled<I: AesIsa>(isa: I, bytes: &mut [u8; 64]) {
    ///     for part in bytes.chunks_mut(I::Blocks::BYTES) {
    ///         I::Blocks::splat(isa, b"sixteen letters!").store(part);
    ///     }
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let mut bytes = [0; 64];
    ///     dispatch_aes!(level, isa => filled(isa, &mut bytes));
    ///     assert!(bytes.chunks(16).all(|block| block == b"sixteen letters!"));
    /// }
    /// ```
    fn splat(isa: Self::Isa, block: &[u8; 16]) -> Self;
    /// Puts `block` into the first lane, and zeros into the others.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// Adds the hash so far to the first block that follows, as GHASH does.
    /// #[inline(always)]
    /// fn add_hash<I: AesIsa>(isa: I, hash: &[u8; 16], blocks: &mut [u8; 64]) {
    ///     let blocks = &mut blocks[..I::Blocks::BYTES];
    ///     (I::Blocks::load(isa, blocks) ^ I::Blocks::first(isa, hash)).store(blocks);
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let mut blocks = [1; 64];
    ///     dispatch_aes!(level, isa => add_hash(isa, &[3; 16], &mut blocks));
    ///     assert_eq!(blocks[..16], [2; 16]);
    ///     assert_eq!(blocks[16..], [1; 48]);
    /// }
    /// ```
    fn first(isa: Self::Isa, block: &[u8; 16]) -> Self;
    /// Returns the block in the first lane.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// #[inline(always)]
    /// fn first_of<I: AesIsa>(isa: I, bytes: &[u8]) -> [u8; 16] {
    ///     I::Blocks::load(isa, &bytes[..I::Blocks::BYTES]).to_first()
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let bytes = b"first block 16 Bsecond block, 16Bthird block, 16 Blast block, 16 B.";
    ///     let first: [u8; 16] = dispatch_aes!(level, isa => first_of(isa, bytes));
    ///     assert_eq!(&first, b"first block 16 B");
    /// }
    /// ```
    fn to_first(self) -> [u8; 16];
    /// Loads the blocks from [`BYTES`](Self::BYTES) bytes, at any address.
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// // Bit 5 of a letter in ASCII is its case.
    /// let mut data = *b"SixteenLettersUP";
    /// (SoftBlock::load(Portable, &data) ^ SoftBlock::splat(Portable, &[0x20; 16])).store(&mut data);
    /// assert_eq!(&data, b"sIXTEENlETTERSup");
    /// ```
    ///
    /// # Panics
    /// If `src` has another length.
    fn load(isa: Self::Isa, src: &[u8]) -> Self;
    /// Stores the blocks in [`BYTES`](Self::BYTES) bytes, at any address; see [`load`](Self::load).
    ///
    /// # Panics
    /// If `dst` has another length.
    fn store(self, dst: &mut [u8]);
    /// Loads blocks from at most [`BYTES`](Self::BYTES) bytes; the rest is zero. Nothing beyond `src` is read.
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// // The block for a nonce of 12 bytes, whose counter begins at zero.
    /// let block = SoftBlock::load_partial(Portable, b"twelve bytes");
    /// assert_eq!(&block.to_first(), b"twelve bytes\0\0\0\0");
    /// ```
    ///
    /// # Panics
    /// If `src` is longer.
    fn load_partial(isa: Self::Isa, src: &[u8]) -> Self;
    /// Stores the first bytes in `dst`, which has at most [`BYTES`](Self::BYTES). Nothing beyond `dst` is written.
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// // A tag that is cut to its first eight bytes, behind a message.
    /// let mut packet = *b"message: ????????";
    /// SoftBlock::splat(Portable, b"0123456789abcdef").store_partial(&mut packet[9..]);
    /// assert_eq!(&packet, b"message: 01234567");
    /// ```
    ///
    /// # Panics
    /// If `dst` is longer.
    fn store_partial(self, dst: &mut [u8]);
    /// Reverses the bytes of every block, as for big-endian numbers of 128 bits.
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// let block = SoftBlock::splat(Portable, &0x1234_u128.to_le_bytes());
    /// assert_eq!(block.reverse_bytes().to_first(), 0x1234_u128.to_be_bytes());
    /// ```
    fn reverse_bytes(self) -> Self;
    /// Adds little-endian words of 32 bits, each to the one at its place; no carry between words.
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// // The counter of AES-GCM wraps after 32 bits, and the nonce beside it stays as it was.
    /// let counter = SoftBlock::splat(Portable, b"\xff\xff\xff\xffnonce of 12 ");
    /// let one = SoftBlock::splat(Portable, &1_u128.to_le_bytes());
    /// assert_eq!(&counter.add_words(one).to_first(), b"\0\0\0\0nonce of 12 ");
    /// ```
    fn add_words(self, other: Self) -> Self;
    /// Makes counters: `base`, `base + 1`, .. in the first 32-bit words of the blocks, zeros elsewhere. They wrap.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// #[inline(always)]
    /// fn counters<I: AesIsa>(isa: I, base: u32) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Blocks::BYTES];
    ///     I::Blocks::count(isa, base).store(&mut bytes);
    ///     bytes
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let bytes: Vec<u8> = dispatch_aes!(level, isa => counters(isa, u32::MAX));
    ///     let expected = [u32::MAX, 0, 1, 2].map(u128::from);
    ///     let counters = bytes.as_chunks().0.iter().map(|block| u128::from_le_bytes(*block));
    ///     assert!(counters.zip(expected).all(|(counter, number)| counter == number));
    /// }
    /// ```
    fn count(isa: Self::Isa, base: u32) -> Self;
    /// XORs all blocks together: their sum is in the first lane, zeros are in the others.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// Bytes of a vector of the blocks 1, 2, 4 and 8, as many as it has, by three functions of it.
    /// #[inline(always)]
    /// fn sums<I: AesIsa>(isa: I) -> [Vec<u8>; 3] {
    ///     let blocks = I::Blocks::splat(isa, &1_u128.to_le_bytes()).times_powers_of_x(isa);
    ///     [blocks.fold(), blocks.total(), blocks.broadcast()].map(|vector| {
    ///         let mut bytes = vec![0; I::Blocks::BYTES];
    ///         vector.store(&mut bytes);
    ///         bytes
    ///     })
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let [fold, total, broadcast]: [Vec<u8>; 3] = dispatch_aes!(level, isa => sums(isa));
    ///     let lanes = fold.len() / 16;
    ///     let sum = (1_u128 << lanes) - 1;
    ///     assert_eq!(fold[..16], sum.to_le_bytes());
    ///     assert!(fold[16..].iter().all(|&byte| byte == 0));
    ///     assert_eq!(total, sum.to_le_bytes().repeat(lanes));
    ///     assert_eq!(broadcast, 1_u128.to_le_bytes().repeat(lanes));
    /// }
    /// ```
    fn fold(self) -> Self;
    /// Copies the first block to every lane; see [`fold`](Self::fold).
    fn broadcast(self) -> Self;
    /// XORs all blocks together: their sum is in every lane; see [`fold`](Self::fold).
    fn total(self) -> Self;
    /// Separates blocks: returns blocks 0, 2, .. of two vectors side by side, and blocks 1, 3, ..
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// Separates blocks in two vectors, or joins them.
    /// #[inline(always)]
    /// fn sort<I: AesIsa>(isa: I, blocks: &[[u8; 16]], join: bool) -> Vec<u8> {
    ///     let (a, b) = blocks[..2 * I::Blocks::LANES].split_at(I::Blocks::LANES);
    ///     let (a, b) = (I::Blocks::load(isa, a.as_flattened()), I::Blocks::load(isa, b.as_flattened()));
    ///     let (a, b) = if join { I::Blocks::zip(a, b) } else { I::Blocks::unzip(a, b) };
    ///     let mut sorted = vec![0; 2 * I::Blocks::BYTES];
    ///     a.store(&mut sorted[..I::Blocks::BYTES]);
    ///     b.store(&mut sorted[I::Blocks::BYTES..]);
    ///     sorted
    /// }
    /// let blocks: [[u8; 16]; 8] = std::array::from_fn(|i| [i as u8; 16]);
    /// for level in AesLevel::detect_all() {
    ///     let sorted: Vec<u8> = dispatch_aes!(level, isa => sort(isa, &blocks, false));
    ///     let sorted = sorted.as_chunks().0;
    ///     // Two vectors of four blocks, for example, become 0, 2, 4, 6 and 1, 3, 5, 7.
    ///     let (firsts, seconds) = sorted.split_at(sorted.len() / 2);
    ///     assert!(firsts.iter().zip(seconds).zip(blocks.as_chunks().0).all(|((a, b), pair)| [*a, *b] == *pair));
    ///     let joined: Vec<u8> = dispatch_aes!(level, isa => sort(isa, sorted, true));
    ///     assert_eq!(joined, blocks.as_flattened()[..joined.len()]);
    /// }
    /// ```
    fn unzip(a: Self, b: Self) -> (Self, Self);
    /// Joins blocks to pairs: undoes [`unzip`](Self::unzip), whose example shows both.
    fn zip(a: Self, b: Self) -> (Self, Self);
    /// Fills lane `i`, counted from 0, with the block `block(i)`.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// A block under the first round keys of different keys, side by side.
    /// #[inline(always)]
    /// fn whitened<I: AesIsa>(isa: I, block: &[u8; 16], keys: &[[u8; 16]; 4]) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Blocks::BYTES];
    ///     let keys = I::Blocks::gather(isa, |lane| &keys[lane]);
    ///     (I::Blocks::splat(isa, block) ^ keys).store(&mut bytes);
    ///     bytes
    /// }
    /// let keys = [[0; 16], [1; 16], [2; 16], [3; 16]];
    /// for level in AesLevel::detect_all() {
    ///     let bytes: Vec<u8> = dispatch_aes!(level, isa => whitened(isa, &[0xf0; 16], &keys));
    ///     assert!(bytes.chunks(16).zip(0xf0..).all(|(block, byte)| block == [byte; 16]));
    /// }
    /// ```
    fn gather<'b>(isa: Self::Isa, block: impl Fn(usize) -> &'b [u8; 16]) -> Self;
    /// Fills lane `i` with the bytes of `part(i)`, at most 16, and with zeros after them.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// The last, partial block of each message.
    /// #[inline(always)]
    /// fn ends<I: AesIsa>(isa: I, messages: &[&str; 4]) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Blocks::BYTES];
    ///     I::Blocks::gather_parts(isa, |lane| messages[lane].as_bytes()).store(&mut bytes);
    ///     bytes
    /// }
    /// let messages = ["Some", "messages", "have not", "one length"];
    /// for level in AesLevel::detect_all() {
    ///     let bytes: Vec<u8> = dispatch_aes!(level, isa => ends(isa, &messages));
    ///     for (block, message) in bytes.chunks(16).zip(messages) {
    ///         assert_eq!(std::str::from_utf8(block).unwrap().trim_end_matches('\0'), message);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    /// If a part is longer.
    fn gather_parts<'b>(isa: Self::Isa, part: impl Fn(usize) -> &'b [u8]) -> Self;
    /// Fills two vectors: lane `i` of one with the first block of `pair(i)`, and that of the other with the second.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, Places, dispatch_aes};
    ///
    /// struct Pairs([[[u8; 16]; 2]; 4]);
    ///
    /// impl Places<[[u8; 16]; 2]> for Pairs {
    ///     fn of(&mut self, lane: usize) -> Option<&mut [[u8; 16]; 2]> {
    ///         self.0.get_mut(lane)
    ///     }
    /// }
    ///
    /// /// Exchanges the blocks of each pair.
    /// #[inline(always)]
    /// fn exchange<I: AesIsa>(isa: I, pairs: &mut Pairs) -> usize {
    ///     let (firsts, seconds) = I::Blocks::gather_pairs(isa, |lane| &pairs.0[lane]);
    ///     I::Blocks::scatter_pairs(seconds, firsts, pairs);
    ///     I::Blocks::LANES
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let mut pairs = Pairs([[[1; 16], [2; 16]]; 4]);
    ///     let lanes: usize = dispatch_aes!(level, isa => exchange(isa, &mut pairs));
    ///     let (exchanged, others) = pairs.0.split_at(lanes);
    ///     assert!(exchanged.iter().all(|pair| *pair == [[2; 16], [1; 16]]));
    ///     assert!(others.iter().all(|pair| *pair == [[1; 16], [2; 16]]));
    /// }
    /// ```
    fn gather_pairs<'b>(isa: Self::Isa, pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (Self, Self);
    /// Writes each block to the place of its lane, if there is one; see [`Places`].
    fn scatter(self, places: &mut impl Places<[u8; 16]>);
    /// Writes pairs of blocks, one of each vector, to the places of their lanes; see [`gather_pairs`](Self::gather_pairs).
    fn scatter_pairs(firsts: Self, seconds: Self, places: &mut impl Places<[[u8; 16]; 2]>);
    /// Returns the last block of `before`, and after it all blocks of this vector but the last: the block in
    /// front of each.
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// XORs each block with the one before it, as decryption in CBC mode does after the rounds.
    /// #[inline(always)]
    /// fn chain<I: AesIsa>(isa: I, data: &mut [u8]) {
    ///     let mut before = I::Blocks::splat(isa, &[0; 16]);
    ///     for part in data.chunks_mut(I::Blocks::BYTES) {
    ///         let blocks = I::Blocks::load(isa, part);
    ///         (blocks ^ blocks.shift_in(before)).store(part);
    ///         before = blocks;
    ///     }
    /// }
    /// for level in AesLevel::detect_all() {
    ///     // Block by block 0, 1, .. 7.
    ///     let mut blocks: [[u8; 16]; 8] = std::array::from_fn(|i| [i as u8; 16]);
    ///     dispatch_aes!(level, isa => chain(isa, blocks.as_flattened_mut()));
    ///     assert_eq!(blocks.map(|block| block[0]), [0, 1, 3, 1, 7, 1, 3, 1]);
    /// }
    /// ```
    fn shift_in(self, before: Self) -> Self;
    /// Multiplies every block, a little-endian polynomial over GF(2), by `x^n` modulo
    /// `x^128 + x^7 + x^2 + x + 1`, `0 < n <= 32`: the field of XTS, CMAC and EAX (NIST SP 800-38B,
    /// section 5.3).
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// let block = SoftBlock::splat(Portable, &(1_u128 << 127 | 1).to_le_bytes());
    /// // x^128 is x^7 + x^2 + x + 1, and 1 times x is x.
    /// assert_eq!(u128::from_le_bytes(block.times_x(1).to_first()), 0b1000_0111 ^ 0b10);
    /// ```
    ///
    /// CMAC numbers bits from the other end. Its subkeys are products of blocks whose bytes are reversed (RFC 4493, section 4):
    ///
    /// ```
    /// use abreast_simd::Blocks;
    /// use abreast_simd::portable::{Portable, SoftBlock};
    ///
    /// let l = SoftBlock::splat(Portable, &0x7df76b0c_1ab899b3_3e42f047_b91b546f_u128.to_be_bytes());
    /// let [k1, k2] = [1, 2].map(|n| l.reverse_bytes().times_x(n).reverse_bytes().to_first());
    /// assert_eq!(u128::from_be_bytes(k1), 0xfbeed618_35713366_7c85e08f_7236a8de);
    /// assert_eq!(u128::from_be_bytes(k2), 0xf7ddac30_6ae266cc_f90bc11e_e46d513b);
    /// ```
    fn times_x(self, n: u32) -> Self;

    /// Multiplies block `i` by `x^i` in the field of [`times_x`](Self::times_x).
    ///
    /// ```
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// #[inline(always)]
    /// fn tweaks<I: AesIsa>(isa: I, number: &[u8; 16]) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Blocks::BYTES];
    ///     I::Blocks::splat(isa, number).times_powers_of_x(isa).store(&mut bytes);
    ///     bytes
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let bytes: Vec<u8> = dispatch_aes!(level, isa => tweaks(isa, &5_u128.to_le_bytes()));
    ///     for (i, block) in bytes.as_chunks().0.iter().enumerate() {
    ///         assert_eq!(u128::from_le_bytes(*block), 5 << i);
    ///     }
    /// }
    /// ```
    #[inline(always)]
    fn times_powers_of_x(self, isa: Self::Isa) -> Self {
        let mut powers = self;
        if Self::LANES > 1 {
            let odd = Self::load(isa, &ODD_ROWS[..Self::BYTES]);
            powers = powers ^ ((powers ^ powers.times_x(1)) & odd);
        }
        if Self::LANES > 2 {
            let upper = Self::load(isa, &UPPER_ROWS[..Self::BYTES]);
            powers = powers ^ ((powers ^ powers.times_x(2)) & upper);
        }
        powers
    }
}

/// The places of the lanes of a vector, of which some may be missing.
///
/// ```
/// use abreast_simd::{AesIsa, AesLevel, Blocks, Places, dispatch_aes};
///
/// /// Blocks of several messages, as many as there are.
/// struct Outputs<'a>(&'a mut [[u8; 16]]);
///
/// impl Places<[u8; 16]> for Outputs<'_> {
///     fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
///         self.0.get_mut(lane)
///     }
/// }
///
/// #[inline(always)]
/// fn number<I: AesIsa>(isa: I, outputs: &mut [[u8; 16]]) {
///     I::Blocks::count(isa, 7).scatter(&mut Outputs(outputs));
/// }
/// for level in AesLevel::detect_all() {
///     // A wide vector has more lanes than there are outputs, and a narrow one fewer.
///     let mut outputs = [[0xff; 16]; 3];
///     dispatch_aes!(level, isa => number(isa, &mut outputs[..1]));
///     assert_eq!(outputs, [7_u128.to_le_bytes(), [0xff; 16], [0xff; 16]]);
/// }
/// ```
pub trait Places<T> {
    /// Returns the place of a lane if there is one.
    fn of(&mut self, lane: usize) -> Option<&mut T>;
}

/// One block on its way between functions, as a little-endian number.
///
/// A number of 128 bits is written to memory in two halves. A vector load of both then finds no single
/// store to take them from and waits until both have left the store buffer, some twenty cycles that
/// short messages notice. This type is written in one piece.
///
/// ```
/// use abreast_simd::Block;
///
/// let block = Block::from_part(b"a part");
/// let mut part = [0; 6];
/// block.to_part(&mut part);
/// assert_eq!((&part, block.as_bytes()[6]), (b"a part", 0));
///
/// // Numbers are little-endian.
/// let sum = Block::from(0x0201_u128) ^ Block::from([0xf0; 16]);
/// assert_eq!(sum.as_bytes()[..3], [0xf1, 0xf2, 0xf0]);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct Block([u8; 16]);

impl Block {
    /// Returns the bytes, from the least significant one.
    #[inline(always)]
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Takes at most 16 bytes, with zeros after them, without a detour through memory.
    ///
    /// ```
    /// use abreast_simd::Block;
    ///
    /// assert_eq!(Block::from_part(&[1, 2]).as_bytes(), &0x0201_u128.to_le_bytes());
    /// ```
    ///
    /// # Panics
    /// If `src` is longer.
    #[inline(always)]
    #[must_use]
    pub fn from_part(src: &[u8]) -> Self {
        partial::read(src).into()
    }

    /// Writes the first bytes, as many as `dst` takes.
    ///
    /// ```
    /// use abreast_simd::Block;
    ///
    /// let mut part = [0; 2];
    /// Block::from(0x0003_0201_u128).to_part(&mut part);
    /// assert_eq!(part, [1, 2]);
    /// ```
    ///
    /// # Panics
    /// If it takes more than there are.
    #[inline(always)]
    pub fn to_part(self, dst: &mut [u8]) {
        partial::write(u128::from_le_bytes(*self.as_bytes()), dst);
    }
}

impl From<[u8; 16]> for Block {
    #[inline(always)]
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl BitXor for Block {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        #[cfg(target_feature = "sse2")]
        {
            Self(crate::x86::xor(&self.0, &other.0))
        }
        #[cfg(not(target_feature = "sse2"))]
        {
            Self((u128::from_ne_bytes(self.0) ^ u128::from_ne_bytes(other.0)).to_ne_bytes())
        }
    }
}

impl From<u128> for Block {
    #[inline(always)]
    fn from(number: u128) -> Self {
        #[cfg(target_feature = "sse2")]
        {
            Self(crate::x86::bytes(number))
        }
        #[cfg(not(target_feature = "sse2"))]
        {
            Self(number.to_le_bytes())
        }
    }
}
