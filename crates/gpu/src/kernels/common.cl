// The beginning of all programs. OpenCL C 1.2; words are little-endian in memory, on the device as on the host.
//
// A program is this file, a cipher (`xtea.cl`, `tea.cl`, `serpent.cl`, `aes.cl`) and `modes.cl`, or this file and `rc4.cl`.
// Loops over rounds are not unrolled by hand: compilers for GPUs unroll short ones, and compilers for CPU devices take
// seconds for long functions.

// The bytes of a word in the other order.
uint swap_bytes(uint x)
{
    return (rotate(x, 8u) & 0x00ff00ffu) | (rotate(x, 24u) & 0xff00ff00u);
}

// Bits of `a` where the mask has ones, of `b` elsewhere: one instruction with three inputs.
uint pick(uint mask, uint a, uint b)
{
    return bitselect(b, a, mask);
}

// A work item takes BLOCKS blocks, a number that each cipher defines: each round key is read once for all of them.
#define EACH_BLOCK for (uint n = 0; n < BLOCKS; n++)
