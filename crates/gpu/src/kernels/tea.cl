// TEA (Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994). A work item takes one block through all cycles.
//
// Every cycle takes the same four words of the key, so no address depends on a secret.

#define DELTA 0x9e3779b9u

uint mixed(uint x, uint sum, uint left, uint right)
{
    return ((x << 4) + left) ^ (x + sum) ^ ((x >> 5) + right);
}

void encrypt_blocks(block_t *blocks, constant uint *keys, uint cycles, uint big_endian)
{
    block_t b = ordered(blocks[0], big_endian);
    uint sum = 0;
    for (uint i = 0; i < cycles; i++) {
        sum += DELTA;
        b.x += mixed(b.y, sum, keys[0], keys[1]);
        b.y += mixed(b.x, sum, keys[2], keys[3]);
    }
    blocks[0] = ordered(b, big_endian);
}

void decrypt_blocks(block_t *blocks, constant uint *keys, uint cycles, uint big_endian)
{
    block_t b = ordered(blocks[0], big_endian);
    uint sum = DELTA * cycles;
    for (uint i = 0; i < cycles; i++) {
        b.y -= mixed(b.x, sum, keys[2], keys[3]);
        b.x -= mixed(b.y, sum, keys[0], keys[1]);
        sum -= DELTA;
    }
    blocks[0] = ordered(b, big_endian);
}
