// Serpent (Anderson, Biham and Knudsen, 1998). A work item takes one block through all rounds; the S-boxes are the circuits
// of `serpent_sboxes.cl`, so nothing is looked up.
//
// The rounds and the places where the round keys are added are as in the library's `ciphers/serpent/rounds.rs`: keys
// between two rounds are added inside the linear transformation, turned or mixed to suit.

typedef uint4 block_t;
#define BLOCK_128

// Blocks that a work item takes through the rounds together.
#define BLOCKS 1

uint4 round_key(constant uint *keys, uint round)
{
    return vload4(round, keys);
}

// The linear transformation and the next round key.
uint4 transform(uint4 x, uint4 key)
{
    uint a = rotate(x.x, 13u), c = rotate(x.z, 3u);
    uint b = rotate(x.y ^ a ^ c, 1u);
    uint d = rotate(x.w ^ c ^ (a << 3), 7u);
    a = rotate((a ^ key.x) ^ b ^ d, 5u);
    c = rotate((c ^ key.z) ^ d ^ (b << 7), 22u);
    return (uint4)(a, b ^ key.y, c, d ^ key.w);
}

// The inverse of `transform` for a round key before it.
uint4 inverse_transform(uint4 x, uint4 key)
{
    uint c = rotate(x.z, 10u) ^ (x.w ^ key.z) ^ (x.y << 7);
    uint a = rotate(x.x, 27u) ^ x.y ^ (x.w ^ key.x);
    uint d = (rotate(x.w, 25u) ^ key.w) ^ c ^ (a << 3);
    uint b = (rotate(x.y, 31u) ^ key.y) ^ a ^ c;
    return (uint4)(rotate(a, 19u), b, rotate(c, 29u), d);
}

// The round keys of both directions are there, those of decryption after the 33 of encryption.
void encrypt_blocks(block_t *blocks, constant uint *keys, uint unused, uint order)
{
    uint4 x = blocks[0] ^ round_key(keys, 0);
    for (uint round = 0;; round += 8) {
        x = transform(s0(x), round_key(keys, round + 1));
        x = transform(s1(x), round_key(keys, round + 2));
        x = transform(s2(x), round_key(keys, round + 3));
        x = transform(s3(x), round_key(keys, round + 4));
        x = transform(s4(x), round_key(keys, round + 5));
        x = transform(s5(x), round_key(keys, round + 6));
        x = transform(s6(x), round_key(keys, round + 7));
        if (round == 24)
            break;
        x = transform(s7(x), round_key(keys, round + 8));
    }
    blocks[0] = s7(x) ^ round_key(keys, 32);
}

void decrypt_blocks(block_t *blocks, constant uint *keys, uint unused, uint order)
{
    keys += 33 * 4;
    uint4 x = inverse_s7(blocks[0] ^ round_key(keys, 32));
    for (uint round = 24;; round -= 8) {
        x = inverse_s6(inverse_transform(x, round_key(keys, round + 7)));
        x = inverse_s5(inverse_transform(x, round_key(keys, round + 6)));
        x = inverse_s4(inverse_transform(x, round_key(keys, round + 5)));
        x = inverse_s3(inverse_transform(x, round_key(keys, round + 4)));
        x = inverse_s2(inverse_transform(x, round_key(keys, round + 3)));
        x = inverse_s1(inverse_transform(x, round_key(keys, round + 2)));
        x = inverse_s0(inverse_transform(x, round_key(keys, round + 1)));
        if (round == 0)
            break;
        x = inverse_s7(inverse_transform(x, round_key(keys, round)));
    }
    blocks[0] = x ^ round_key(keys, 0);
}
