//! The common parts of all forms of Serpent's rounds: the order of the rounds and the linear transformation (section 3 of the
//! submission), on words in general registers or in vectors.

use abreast_simd::Word;

/// The sum of two sets of words.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn xor<W: Word>([a, b, c, d]: [W; 4], [e, f, g, h]: [W; 4]) -> [W; 4] {
    [a ^ e, b ^ f, c ^ g, d ^ h]
}

/// The linear transformation (section 3 of the submission) and the next round key, whose first and third
/// words are turned back to where they are added.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn transform<W: Word>([a, b, c, d]: [W; 4], key: [W; 4]) -> [W; 4] {
    let (a, c) = (a.rotl(13), c.rotl(3));
    let b = (b ^ (a ^ c)).rotl(1);
    let d = ((d ^ c) ^ a.shl(3)).rotl(7);
    let a = ((a ^ key[0]) ^ (b ^ d)).rotl(5);
    let c = (((c ^ key[2]) ^ d) ^ b.shl(7)).rotl(22);
    [a, b ^ key[1], c, d ^ key[3]]
}

/// The inverse of [`transform`] for a round key before it, which has been mixed in advance.
///
/// The last word to be done is the fourth, four operations deep.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn inverse_transform<W: Word>([a, b, c, d]: [W; 4], key: [W; 4]) -> [W; 4] {
    let c = c.rotl(10) ^ (d ^ key[2]) ^ b.shl(7);
    let a = a.rotl(27) ^ b ^ (d ^ key[0]);
    let d = (d.rotl(25) ^ key[3]) ^ c ^ a.shl(3);
    let b = (b.rotl(31) ^ key[1]) ^ a ^ c;
    [a.rotl(19), b, c.rotl(29), d]
}

/// The operations of the rounds with a linear transformation.
pub(super) trait Rounds {
    /// One round: S-box `S`, linear transformation and the round key of that number.
    fn encrypt_round<const S: usize>(&mut self, key: usize);
    /// One round backward: the round key, the linear transformation and S-box `S`.
    fn decrypt_round<const S: usize>(&mut self, key: usize);
}

/// The first 31 rounds (section 3 of the submission), each with the round key after it.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn forward(rounds: &mut impl Rounds) {
    let mut round = 0;
    loop {
        rounds.encrypt_round::<0>(round + 1);
        rounds.encrypt_round::<1>(round + 2);
        rounds.encrypt_round::<2>(round + 3);
        rounds.encrypt_round::<3>(round + 4);
        rounds.encrypt_round::<4>(round + 5);
        rounds.encrypt_round::<5>(round + 6);
        rounds.encrypt_round::<6>(round + 7);
        if round == 24 {
            break;
        }
        rounds.encrypt_round::<7>(round + 8);
        round += 8;
    }
}

/// The inverse of [`forward`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn backward(rounds: &mut impl Rounds) {
    let mut round = 24;
    loop {
        rounds.decrypt_round::<6>(round + 7);
        rounds.decrypt_round::<5>(round + 6);
        rounds.decrypt_round::<4>(round + 5);
        rounds.decrypt_round::<3>(round + 4);
        rounds.decrypt_round::<2>(round + 3);
        rounds.decrypt_round::<1>(round + 2);
        rounds.decrypt_round::<0>(round + 1);
        if round == 0 {
            break;
        }
        rounds.decrypt_round::<7>(round);
        round -= 8;
    }
}
