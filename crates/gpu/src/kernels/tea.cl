// TEA (Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994). A work item takes its blocks through all
// cycles together.
//
// Every cycle takes the same four words of the key, so no address depends on a secret.

#define DELTA 0x9e3779b9u

uint mixed(uint x, uint sum, uint left, uint right)
{
    return ((x << 4) + left) ^ (x + sum) ^ ((x >> 5) + right);
}

void encrypt_blocks(block_t *blocks, constant uint *keys, uint cycles, uint big_endian)
{
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
    uint sum = 0;
    for (uint i = 0; i < cycles; i++) {
        sum += DELTA;
        EACH_BLOCK blocks[n].x += mixed(blocks[n].y, sum, keys[0], keys[1]);
        EACH_BLOCK blocks[n].y += mixed(blocks[n].x, sum, keys[2], keys[3]);
    }
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
}

void decrypt_blocks(block_t *blocks, constant uint *keys, uint cycles, uint big_endian)
{
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
    uint sum = DELTA * cycles;
    for (uint i = 0; i < cycles; i++) {
        EACH_BLOCK blocks[n].y -= mixed(blocks[n].x, sum, keys[2], keys[3]);
        EACH_BLOCK blocks[n].x -= mixed(blocks[n].y, sum, keys[0], keys[1]);
        sum -= DELTA;
    }
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
}
