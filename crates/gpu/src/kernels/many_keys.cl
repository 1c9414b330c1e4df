// A key for each message, and many keys for one message, for ciphers with blocks of two words.
//
// `data` holds messages, each from a multiple of UNIT blocks on, then for each unit the number of its message, then the keys.
// `how` is the number of blocks, the cycles, whether words are big-endian, and the number of keys; `first` says where the
// numbers begin in words and where the keys begin in keys. The blocks behind the end of a message are done too, and
// not looked at.

// Blocks that share the number of a message. The host has the same constant.
#define UNIT 8

uint4 ordered_key(uint4 key, uint big_endian)
{
    return big_endian
        ? (uint4)(swap_bytes(key.x), swap_bytes(key.y), swap_bytes(key.z), swap_bytes(key.w))
        : key;
}

kernel void many_encrypt(global uint2 *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    uint at = get_global_id(0);
    if (at >= how.x)
        return;
    uint message = ((global uint *)data)[first.x + at / UNIT];
    uint4 key = ordered_key(((global uint4 *)data)[first.y + message], how.z);
    data[at] = ordered(encrypt_with_key(ordered(data[at], how.z), key, how.y), how.z);
}

kernel void many_decrypt(global uint2 *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    uint at = get_global_id(0);
    if (at >= how.x)
        return;
    uint message = ((global uint *)data)[first.x + at / UNIT];
    uint4 key = ordered_key(((global uint4 *)data)[first.y + message], how.z);
    data[at] = ordered(decrypt_with_key(ordered(data[at], how.z), key, how.y), how.z);
}

// Under which keys does a ciphertext decrypt to the wanted plaintext? `data` holds a byte for each key, which becomes 1 or 0;
// then `how.x` blocks of the ciphertext, of the wanted plaintext and of a mask of the bits that count; then the keys. `first`
// says where these begin: the blocks in blocks, the keys in keys.
//
// All blocks are looked at, whatever the first of them says: whether a key fits is a secret until all are done.
kernel void try_keys(global uint2 *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    uint at = get_global_id(0);
    if (at >= how.w)
        return;
    uint4 key = ordered_key(((global uint4 *)data)[first.y + at], how.z);
    global uint2 *text = data + first.x;
    uint2 differs = (uint2)(0, 0);
    for (uint i = 0; i < how.x; i++) {
        uint2 b = ordered(decrypt_with_key(ordered(text[i], how.z), key, how.y), how.z);
        differs |= (b ^ text[how.x + i]) & text[2 * how.x + i];
    }
    ((global uchar *)data)[at] = (differs.x | differs.y) == 0;
}
