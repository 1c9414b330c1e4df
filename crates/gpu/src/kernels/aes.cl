// AES (FIPS 197) with keys of 128, 192 and 256 bits, fixsliced: nothing is looked up.
//
// A work item takes two blocks. Bit `i` of all their bytes is in word `i` (a plane), the byte of row `r` and column `c` of
// block `b` at bit `8 r + 2 c + b`. So a row is a byte of the word, and the next row is a rotation by 8.
//
// `ShiftRows` is never done (Adomnicai and Peyrin, "Fixslicing AES-like ciphers", TCHES 2021). After `k` rounds the element
// of row `r` and column `c` stands in column `c + k r`, and its neighbour in the next row `k` columns on. Round
// keys are laid out to match, with the constant of the S-box in them. All of it is as in the library's
// `ciphers/aes/sliced.rs`, on words of 32 bits.

typedef uint4 block_t;
#define BLOCK_128

// Blocks that a work item takes through the rounds together.
#define BLOCKS 2

#define EACH_PLANE for (uint i = 0; i < 8; i++)

// Exchanges the bits under `mask << shift` of x with those under `mask` of y.
#define SWAP_BITS(mask, shift, x, y) \
    { \
        uint difference = (((x) >> shift) ^ (y)) & mask; \
        x ^= difference << shift; \
        y ^= difference; \
    }

// Transposes the 8 x 8 bits that stand in each byte of eight words: blocks to planes, or back.
void transpose_bits(uint *w)
{
    for (uint i = 0; i < 8; i += 2)
        SWAP_BITS(0x55555555u, 1, w[i], w[i + 1])
    for (uint i = 0; i < 8; i += 4)
        for (uint j = i; j < i + 2; j++)
            SWAP_BITS(0x33333333u, 2, w[j], w[j + 2])
    for (uint i = 0; i < 4; i++)
        SWAP_BITS(0x0f0f0f0fu, 4, w[i], w[i + 4])
}

// The columns of both blocks by turns to planes.
void slice(const block_t *blocks, uint *planes)
{
    planes[0] = blocks[0].x;
    planes[1] = blocks[1].x;
    planes[2] = blocks[0].y;
    planes[3] = blocks[1].y;
    planes[4] = blocks[0].z;
    planes[5] = blocks[1].z;
    planes[6] = blocks[0].w;
    planes[7] = blocks[1].w;
    transpose_bits(planes);
}

void unslice(uint *planes, block_t *blocks)
{
    transpose_bits(planes);
    blocks[0] = (block_t)(planes[0], planes[2], planes[4], planes[6]);
    blocks[1] = (block_t)(planes[1], planes[3], planes[5], planes[7]);
}

// Takes planes of an even number of rounds from the layout without `ShiftRows` to that with it, or back: after `2 mod 4`
// rounds the halves of odd rows have changed places.
void settle_rows(uint *planes, uint rounds)
{
    if (rounds & 2)
        EACH_PLANE
        {
            uint halves = pick(0xf0f0f0f0u, planes[i] << 4, planes[i] >> 4);
            planes[i] = pick(0xff00ff00u, halves, planes[i]);
        }
}

void add_key(uint *planes, constant uint *keys, uint round)
{
    EACH_PLANE planes[i] ^= keys[8 * round + i];
}

// The S-box without its constant. The circuit is by Boyar and Peralta ("A small depth-16 circuit for the AES S-box", 2012,
// and their shorter revision with 113 gates).
void sbox(uint *planes)
{
    // The papers number bits from the most significant one.
    uint x0 = planes[7], x1 = planes[6], x2 = planes[5], x3 = planes[4];
    uint x4 = planes[3], x5 = planes[2], x6 = planes[1], x7 = planes[0];

    // Into the tower field.
    uint y14 = x3 ^ x5;
    uint y13 = x0 ^ x6;
    uint y9 = x0 ^ x3;
    uint y8 = x0 ^ x5;
    uint t0 = x1 ^ x2;
    uint y1 = t0 ^ x7;
    uint y4 = y1 ^ x3;
    uint y12 = y13 ^ y14;
    uint y2 = y1 ^ x0;
    uint y5 = y1 ^ x6;
    uint y3 = y5 ^ y8;
    uint t1 = x4 ^ y12;
    uint y15 = t1 ^ x5;
    uint y20 = t1 ^ x1;
    uint y6 = y15 ^ x7;
    uint y10 = y15 ^ t0;
    uint y11 = y20 ^ y9;
    uint y7 = x7 ^ y11;
    uint y17 = y10 ^ y11;
    uint y19 = y10 ^ y8;
    uint y16 = t0 ^ y11;
    uint y21 = y13 ^ y16;
    uint y18 = x0 ^ y16;

    // Inversion in GF(((2^2)^2)^2).
    uint t2 = y12 & y15;
    uint t3 = y3 & y6;
    uint t4 = t3 ^ t2;
    uint t5 = y4 & x7;
    uint t6 = t5 ^ t2;
    uint t7 = y13 & y16;
    uint t8 = y5 & y1;
    uint t9 = t8 ^ t7;
    uint t10 = y2 & y7;
    uint t11 = t10 ^ t7;
    uint t12 = y9 & y11;
    uint t13 = y14 & y17;
    uint t14 = t13 ^ t12;
    uint t15 = y8 & y10;
    uint t16 = t15 ^ t12;
    uint t17 = t4 ^ t14;
    uint t18 = t6 ^ t16;
    uint t19 = t9 ^ t14;
    uint t20 = t11 ^ t16;
    uint t21 = t17 ^ y20;
    uint t22 = t18 ^ y19;
    uint t23 = t19 ^ y21;
    uint t24 = t20 ^ y18;
    uint t25 = t21 ^ t22;
    uint t26 = t21 & t23;
    uint t27 = t24 ^ t26;
    uint t28 = t25 & t27;
    uint t29 = t28 ^ t22;
    uint t30 = t23 ^ t24;
    uint t31 = t22 ^ t26;
    uint t32 = t31 & t30;
    uint t33 = t32 ^ t24;
    uint t34 = t23 ^ t33;
    uint t35 = t27 ^ t33;
    uint t36 = t24 & t35;
    uint t37 = t36 ^ t34;
    uint t38 = t27 ^ t36;
    uint t39 = t29 & t38;
    uint t40 = t25 ^ t39;
    uint t41 = t40 ^ t37;
    uint t42 = t29 ^ t33;
    uint t43 = t29 ^ t40;
    uint t44 = t33 ^ t37;
    uint t45 = t42 ^ t41;
    uint z0 = t44 & y15;
    uint z1 = t37 & y6;
    uint z2 = t33 & x7;
    uint z3 = t43 & y16;
    uint z4 = t40 & y1;
    uint z5 = t29 & y7;
    uint z6 = t42 & y11;
    uint z7 = t45 & y17;
    uint z8 = t41 & y10;
    uint z9 = t44 & y12;
    uint z10 = t37 & y3;
    uint z11 = t33 & y4;
    uint z12 = t43 & y13;
    uint z13 = t40 & y5;
    uint z14 = t29 & y2;
    uint z15 = t42 & y9;
    uint z16 = t45 & y14;
    uint z17 = t41 & y8;

    // Back, and through the affine map without its constant.
    uint t46 = z15 ^ z16;
    uint t47 = z10 ^ z11;
    uint t48 = z5 ^ z13;
    uint t49 = z9 ^ z10;
    uint t50 = z2 ^ z12;
    uint t51 = z2 ^ z5;
    uint t52 = z7 ^ z8;
    uint t53 = z0 ^ z3;
    uint t54 = z6 ^ z7;
    uint t55 = z16 ^ z17;
    uint t56 = z12 ^ t48;
    uint t57 = t50 ^ t53;
    uint t58 = z4 ^ t46;
    uint t59 = z3 ^ t54;
    uint t60 = t46 ^ t57;
    uint t61 = z14 ^ t57;
    uint t62 = t52 ^ t58;
    uint t63 = t49 ^ t58;
    uint t64 = z4 ^ t59;
    uint t65 = t61 ^ t62;
    uint t66 = z1 ^ t63;
    uint t67 = t64 ^ t65;
    uint s0 = t59 ^ t63;
    uint s6 = t56 ^ t62;
    uint s7 = t48 ^ t60;
    uint s3 = t53 ^ t66;
    uint s4 = t51 ^ t66;
    uint s5 = t47 ^ t65;
    uint s1 = t64 ^ s3;
    uint s2 = t55 ^ t67;

    planes[7] = s0;
    planes[6] = s1;
    planes[5] = s2;
    planes[4] = s3;
    planes[3] = s4;
    planes[2] = s5;
    planes[1] = s6;
    planes[0] = s7;
}

// The linear part of the inverse of the S-box's affine map (FIPS 197, section 5.3.2).
void inverse_affine(uint *planes)
{
    uint old[8];
    EACH_PLANE old[i] = planes[i];
    EACH_PLANE planes[i] = old[(i + 2) % 8] ^ old[(i + 5) % 8] ^ old[(i + 7) % 8];
}

// The inverse S-box of `x ^ 0x63`, by the S-box between two linear maps.
void inverse_sbox(uint *planes)
{
    inverse_affine(planes);
    sbox(planes);
    inverse_affine(planes);
}

// Where the neighbours of `MixColumns` are after `rounds` rounds, `k` modulo 4: the next row's element is `8 + 2 k` bits
// on, or 8 less where that leaves the row; the element two rows on is 16 bits on, give or take half a row.
typedef struct {
    uint next, next_wrapped, next_mask, opposite, opposite_wrapped, opposite_mask;
} shifted_t;

shifted_t shifted(uint rounds)
{
    uint columns = 2 * (rounds & 3), halves = 4 * (rounds & 1);
    shifted_t s;
    s.next = 32 - (8 + columns);
    s.next_wrapped = (32 - columns) & 31;
    s.next_mask = (0xffu >> columns) * 0x01010101u;
    s.opposite = 16 - halves;
    s.opposite_wrapped = 16 + halves;
    s.opposite_mask = (0xffu >> halves) * 0x01010101u;
    return s;
}

// The element of the next row.
uint next_row(uint x, shifted_t s)
{
    return pick(s.next_mask, rotate(x, s.next), rotate(x, s.next_wrapped));
}

// The element of the row after the next.
uint opposite_row(uint x, shifted_t s)
{
    return pick(s.opposite_mask, rotate(x, s.opposite), rotate(x, s.opposite_wrapped));
}

// Adds every element times two in GF(2^8): the planes move up, and the top one is added to four.
void add_doubled(uint *sum, const uint *x)
{
    uint top = x[7];
    sum[0] ^= top;
    sum[1] ^= x[0] ^ top;
    sum[2] ^= x[1];
    sum[3] ^= x[2] ^ top;
    sum[4] ^= x[3] ^ top;
    sum[5] ^= x[4];
    sum[6] ^= x[5];
    sum[7] ^= x[6];
}

// An element becomes `2 (a0 + a1) + a1 + (a2 + a3)`, where `a1` is the next row's element.
void mix_columns(uint *planes, shifted_t s)
{
    uint sums[8];
    EACH_PLANE
    {
        uint next = next_row(planes[i], s);
        sums[i] = planes[i] ^ next;
        planes[i] = next ^ opposite_row(sums[i], s);
    }
    add_doubled(planes, sums);
}

// `InvMixColumns`, which is `MixColumns` after adding `4 (a0 + a2)`.
void inverse_mix_columns(uint *planes, shifted_t s)
{
    uint sums[8], doubled[8];
    EACH_PLANE
    {
        sums[i] = planes[i] ^ opposite_row(planes[i], s);
        doubled[i] = 0;
    }
    add_doubled(doubled, sums);
    add_doubled(planes, doubled);
    mix_columns(planes, s);
}

void encrypt_blocks(block_t *blocks, constant uint *keys, uint rounds, uint order)
{
    uint planes[8];
    slice(blocks, planes);
    add_key(planes, keys, 0);
    for (uint round = 1; round < rounds; round++) {
        sbox(planes);
        mix_columns(planes, shifted(round));
        add_key(planes, keys, round);
    }
    sbox(planes);
    add_key(planes, keys, rounds);
    settle_rows(planes, rounds);
    unslice(planes, blocks);
}

void decrypt_blocks(block_t *blocks, constant uint *keys, uint rounds, uint order)
{
    uint planes[8];
    slice(blocks, planes);
    settle_rows(planes, rounds);
    add_key(planes, keys, rounds);
    inverse_sbox(planes);
    for (uint round = rounds - 1; round > 0; round--) {
        add_key(planes, keys, round);
        inverse_mix_columns(planes, shifted(round));
        inverse_sbox(planes);
    }
    add_key(planes, keys, 0);
    unslice(planes, blocks);
}
