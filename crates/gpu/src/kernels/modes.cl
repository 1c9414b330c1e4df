// The modes, once for all ciphers: a cipher defines `block_t`, `BLOCKS`, `encrypt_blocks` and `decrypt_blocks`, and
// `BLOCK_128` if its blocks have 128 bits.
//
// A work item takes BLOCKS consecutive blocks of `data`, in place; the host makes their number a multiple of that. `how` is the
// number of blocks, the rounds or cycles, whether words are big-endian, and for XTS the blocks that share a tweak. All
// kernels take the same arguments, so that the host has one way to start them.

#define ITEM \
    uint at = get_global_id(0) * BLOCKS; \
    if (at >= how.x) \
        return; \
    block_t blocks[BLOCKS];

kernel void ecb_encrypt(global block_t *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    ITEM
    EACH_BLOCK blocks[n] = data[at + n];
    encrypt_blocks(blocks, keys, how.y, how.z);
    EACH_BLOCK data[at + n] = blocks[n];
}

kernel void ecb_decrypt(global block_t *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    ITEM
    EACH_BLOCK blocks[n] = data[at + n];
    decrypt_blocks(blocks, keys, how.y, how.z);
    EACH_BLOCK data[at + n] = blocks[n];
}

// The counter `n` after `first`, words from the least significant on, of which the bits under the mask count.
uint4 counter_after(uint4 first, uint n, uint4 mask)
{
    uint4 sum;
    sum.x = first.x + n;
    sum.y = first.y + (sum.x < n);
    sum.z = first.z + (sum.x < n && sum.y == 0);
    sum.w = first.w + (sum.x < n && sum.y == 0 && sum.z == 0);
    return bitselect(first, sum, mask);
}

// SP 800-38A, section 6.5. Counter blocks are big-endian numbers.
kernel void ctr(global block_t *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    ITEM
    EACH_BLOCK
    {
        uint4 counter = counter_after(first, at + n, mask);
#ifdef BLOCK_128
        blocks[n] = (block_t)(swap_bytes(counter.w), swap_bytes(counter.z), swap_bytes(counter.y), swap_bytes(counter.x));
#else
        blocks[n] = (block_t)(swap_bytes(counter.y), swap_bytes(counter.x));
#endif
    }
    encrypt_blocks(blocks, keys, how.y, how.z);
    EACH_BLOCK data[at + n] ^= blocks[n];
}

#ifdef BLOCK_128
// A tweak times x^n in GF(2^128) (IEEE 1619, section 5.2), for `n` from 0 to 31: bits that leave at the top come back by the
// polynomial x^128 + x^7 + x^2 + x + 1.
uint4 times_x(uint4 tweak, uint n)
{
    // A shift by 32 is not defined, so that the shift to the right is done in two steps.
    uint4 out = (tweak >> 1) >> (31 - n);
    uint4 turned = (tweak << n) | (uint4)(0, out.x, out.y, out.z);
    uint top = out.w;
    turned.x ^= top ^ (top << 1) ^ (top << 2) ^ (top << 7);
    // Up to 31 bits come back, so those that are multiplied by x^7 reach the second word.
    turned.y ^= (top >> 31) ^ (top >> 30) ^ (top >> 25);
    return turned;
}

// The tweak of block `at`. Encrypted tweaks are in `data` from block `first.x` on, one for every `how.w` blocks.
uint4 tweak_of(global block_t *data, uint at, uint4 how, uint4 first)
{
    return times_x(data[first.x + at / how.w], at % how.w);
}

kernel void xts_encrypt(global block_t *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    ITEM
    EACH_BLOCK blocks[n] = data[at + n] ^ tweak_of(data, at + n, how, first);
    encrypt_blocks(blocks, keys, how.y, how.z);
    EACH_BLOCK data[at + n] = blocks[n] ^ tweak_of(data, at + n, how, first);
}

kernel void xts_decrypt(global block_t *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    ITEM
    EACH_BLOCK blocks[n] = data[at + n] ^ tweak_of(data, at + n, how, first);
    decrypt_blocks(blocks, keys, how.y, how.z);
    EACH_BLOCK data[at + n] = blocks[n] ^ tweak_of(data, at + n, how, first);
}
#endif
