// XTEA (Needham and Wheeler, "Tea extensions", 1997). A work item takes its blocks through all
// cycles together.
//
// Which word of the key a cycle takes follows from the number of the cycle, so no address depends on a secret.

#define DELTA 0x9e3779b9u

// Returns the value that half a cycle adds to the other word.
uint mixed(uint x, uint key)
{
    return (((x << 4) ^ (x >> 5)) + x) ^ key;
}

// Two round keys for each cycle: the sum and the word of the key together.
void encrypt_blocks(block_t *blocks, constant uint *keys, uint cycles, uint big_endian)
{
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
    for (uint i = 0; i < cycles; i++) {
        uint first = keys[2 * i], second = keys[2 * i + 1];
        EACH_BLOCK blocks[n].x += mixed(blocks[n].y, first);
        EACH_BLOCK blocks[n].y += mixed(blocks[n].x, second);
    }
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
}

void decrypt_blocks(block_t *blocks, constant uint *keys, uint cycles, uint big_endian)
{
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
    for (uint i = cycles; i-- > 0;) {
        uint first = keys[2 * i], second = keys[2 * i + 1];
        EACH_BLOCK blocks[n].y -= mixed(blocks[n].x, second);
        EACH_BLOCK blocks[n].x -= mixed(blocks[n].y, first);
    }
    EACH_BLOCK blocks[n] = ordered(blocks[n], big_endian);
}

// Word `n` of a key, without an address in it: a key in registers stays there.
uint key_word(uint4 key, uint n)
{
    uint low = (n & 1) ? key.y : key.x;
    uint high = (n & 1) ? key.w : key.z;
    return (n & 2) ? high : low;
}

block_t encrypt_with_key(block_t b, uint4 key, uint cycles)
{
    uint sum = 0;
    for (uint i = 0; i < cycles; i++) {
        b.x += mixed(b.y, sum + key_word(key, sum));
        sum += DELTA;
        b.y += mixed(b.x, sum + key_word(key, sum >> 11));
    }
    return b;
}

block_t decrypt_with_key(block_t b, uint4 key, uint cycles)
{
    uint sum = DELTA * cycles;
    for (uint i = 0; i < cycles; i++) {
        b.y -= mixed(b.x, sum + key_word(key, sum >> 11));
        sum -= DELTA;
        b.x -= mixed(b.y, sum + key_word(key, sum));
    }
    return b;
}
