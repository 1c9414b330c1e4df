//! AES by AES instructions in batches: chains with a message in each lane, and short messages one after the other.

use super::round_keys::{AesKeyPerLane, AesKeyPerRegister, AesLaneKeys, AesRoundKeys, REGISTERS};
use super::rounds::{AesCounter, AesRounds, decrypt_all, encrypt_all};
use crate::engine::backend::{Direction, Secrecy};
use crate::engine::multibuf::{
    Chunk, LaneGroup, MOST_LANES, MultiBuffer, MultiBufferSpec, Rows, ShortMessages,
};
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::{AesIsa, Blocks};
use core::hint::black_box;

impl<I: AesIsa, const RK: usize> MultiBuffer<I> for AesRounds<RK>
where
    Self: MultiBufferSpec<Keys = AesRoundKeys<RK>>,
{
    const LANES: usize = REGISTERS * I::Blocks::LANES;
    const LEAST: usize = 3;

    type Block = [I::Blocks; REGISTERS];
    type Row = [[I::Blocks; REGISTERS]; 1];
    type LaneKeys = AesLaneKeys<I::Blocks, RK>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn no_keys(isa: I) -> Self::LaneKeys {
        AesLaneKeys { keys: [[I::Blocks::splat(isa, &[0; 16]); REGISTERS]; RK], leaves_out: false }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn lay_out(
        isa: I,
        keys: &[&AesRoundKeys<RK>; MOST_LANES],
        direction: Direction,
        out: &mut Self::LaneKeys,
    ) {
        out.leaves_out = keys[0].left_out() != 0;
        for (round, out) in out.keys.iter_mut().enumerate() {
            *out = side_by_side(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| match direction {
                    Direction::Encrypt => &keys[lane].encrypt[round],
                    Direction::Decrypt => &keys[lane].decrypt[round],
                },
            );
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn zero(isa: I) -> Self::Row {
        [[I::Blocks::splat(isa, &[0; 16]); REGISTERS]]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn gather<'b>(isa: I, _: &Self::LaneKeys, row: impl Fn(usize) -> &'b [u8; 16]) -> Self::Row {
        [side_by_side(isa, row)]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn scatter(_: &Self::LaneKeys, [block]: Self::Row, rows: &mut Rows) {
        let bytes = rows.flat_mut();
        for (i, register) in block.into_iter().enumerate() {
            register.store(&mut bytes[i * I::Blocks::BYTES..][..I::Blocks::BYTES]);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "lanes of four rows at a time")]
    fn gather_chunk<'b>(
        isa: I,
        _: &Self::LaneKeys,
        chunk: impl Fn(usize) -> &'b Chunk,
        rows: &mut [Self::Row; 4],
    ) {
        let zero = I::Blocks::splat(isa, &[0; 16]);
        let lanes = I::Blocks::LANES;
        for i in 0..REGISTERS {
            // A vector takes one row of a message for each of its lanes; a transposition sorts them by rows.
            for first in (0..4).step_by(lanes) {
                let mut square = [zero; 4];
                for (lane, vector) in square.iter_mut().enumerate().take(lanes) {
                    let bytes = &chunk(i * lanes + lane)[16 * first..][..I::Blocks::BYTES];
                    *vector = I::Blocks::load(isa, bytes);
                }
                for (row, vector) in turned(square).into_iter().enumerate().take(lanes) {
                    rows[first + row][0][i] = vector;
                }
            }
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "lanes of four rows at a time")]
    fn scatter_chunk(_: &Self::LaneKeys, rows: &[Self::Row; 4], group: &mut LaneGroup<'_>, at: usize) {
        let lanes = I::Blocks::LANES;
        let used = group.used();
        let mut places = group.parts_mut::<64>(at);
        for i in 0..REGISTERS {
            for first in (0..4).step_by(lanes) {
                let mut square = [rows[first][0][i]; 4];
                for (row, vector) in square.iter_mut().enumerate().take(lanes) {
                    *vector = rows[first + row][0][i];
                }
                for (lane, vector) in turned(square).into_iter().enumerate().take(lanes) {
                    // Unused lanes have the place of the first one.
                    if i * lanes + lane < used {
                        let place = places.output(i * lanes + lane);
                        vector.store(&mut place[16 * first..][..I::Blocks::BYTES]);
                    }
                }
            }
        }
        group.wrote(at, 4);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(mut a: Self::Block, b: Self::Block) -> Self::Block {
        for (a, b) in a.iter_mut().zipped(b) {
            *a = *a ^ b;
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_block(isa: I, keys: &Self::LaneKeys, block: Self::Block) -> Self::Block {
        // More than registers can hold, and to be read where they are: the compiler would rather copy them all to
        // the stack before a loop over rows.
        let keys = AesKeyPerLane(black_box(keys));
        encrypt_all::<I, REGISTERS, RK>(
            isa,
            &keys,
            block,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        )
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_block(isa: I, keys: &Self::LaneKeys, block: Self::Block) -> Self::Block {
        decrypt_all::<I, REGISTERS, RK>(isa, &AesKeyPerLane(black_box(keys)), block)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first_half(isa: I, mut block: Self::Block) -> Self::Block {
        let mask = I::Blocks::splat(isa, &u128::from(u64::MAX).to_le_bytes());
        for register in &mut block {
            *register = *register & mask;
        }
        block
    }
}

impl<I: AesIsa, const RK: usize> ShortMessages<I> for AesRounds<RK>
where
    Self: MultiBufferSpec<Keys = AesRoundKeys<RK>>,
{
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn counter_of(isa: I, first: &[u8; 16], secrecy: Secrecy) -> AesCounter<I::Blocks> {
        AesCounter::new(isa, I::Blocks::splat(isa, first).reverse_bytes(), first[15], secrecy)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_each<J: AesIsa, const N: usize>(
        isa: J,
        keys: [&AesRoundKeys<RK>; N],
        registers: [J::Blocks; N],
    ) -> [J::Blocks; N] {
        encrypt_all::<J, N, RK>(
            isa,
            &AesKeyPerRegister(keys),
            registers,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        )
    }
}

/// Transposes a square of vectors, one for each lane; the other vectors stay.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn turned<V: Blocks>([a, b, c, d]: [V; 4]) -> [V; 4] {
    match V::LANES {
        1 => [a, b, c, d],
        2 => {
            let (a, b) = V::unzip(a, b);
            [a, b, c, d]
        }
        _ => {
            let ((even_ab, odd_ab), (even_cd, odd_cd)) = (V::unzip(a, b), V::unzip(c, d));
            let ((a, c), (b, d)) = (V::unzip(even_ab, even_cd), V::unzip(odd_ab, odd_cd));
            [a, b, c, d]
        }
    }
}

/// A block of each lane.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn side_by_side<'b, I: AesIsa>(isa: I, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; REGISTERS] {
    let mut registers = [I::Blocks::splat(isa, &[0; 16]); REGISTERS];
    for (i, register) in registers.iter_mut().enumerate() {
        *register = I::Blocks::gather(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| block(i * I::Blocks::LANES + lane),
        );
    }
    registers
}
