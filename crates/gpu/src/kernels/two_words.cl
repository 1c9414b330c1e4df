// Shared by XTEA and TEA: a block of two words in either byte order, and a key of its own for each message.

typedef uint2 block_t;

// Blocks that a work item takes through the rounds together.
#define BLOCKS 4

// A block from memory, or to memory, in the byte order of the cipher's words.
block_t ordered(block_t block, uint big_endian)
{
    return big_endian ? (block_t)(swap_bytes(block.x), swap_bytes(block.y)) : block;
}
