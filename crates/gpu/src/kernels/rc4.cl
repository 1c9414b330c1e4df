// RC4 of many messages: a work item is a message, since a stream cannot be cut.
//
// RC4 looks up its state at secret places, 256 bytes for each work item. On GPUs these are in local memory, which has 32
// banks of words: byte `n` of the state of lane `l` is in bank `l mod 32`, so no two lanes ever ask one bank, and each
// lookup takes the same time whatever the address. On CPU devices (STATE_IN_LOCAL is not defined) the state is
// in memory with caches, as in all implementations of RC4 on CPUs.
//
// The host defines LANES, the work items of a work group, a multiple of 32.

#ifdef STATE_IN_LOCAL
typedef local uchar *state_t;
#define STATE \
    local uchar all_states[256 * LANES]; \
    state_t state = all_states + 4 * get_local_id(0);
#define AT(n) ((((n) & 0xfc) * LANES) + ((n) & 3))
#else
typedef uchar *state_t;
#define STATE \
    uchar own_state[256]; \
    state_t state = own_state;
#define AT(n) (n)
#endif

// The key schedule.
void schedule(state_t state, global const uchar *key, uint len)
{
    for (uint i = 0; i < 256; i++)
        state[AT(i)] = i;
    uint j = 0, at = 0;
    for (uint i = 0; i < 256; i++) {
        uint x = state[AT(i)];
        j = (j + x + key[at]) & 255;
        state[AT(i)] = state[AT(j)];
        state[AT(j)] = x;
        at = at + 1 == len ? 0 : at + 1;
    }
}

// The next byte of keystream; `place` is the places i and j.
uint next(state_t state, uint2 *place)
{
    uint i = (place->x + 1) & 255;
    uint x = state[AT(i)];
    uint j = (place->y + x) & 255;
    uint y = state[AT(j)];
    state[AT(i)] = y;
    state[AT(j)] = x;
    *place = (uint2)(i, j);
    return state[AT((x + y) & 255)];
}

// The next four bytes, the first of them the lowest.
uint next_word(state_t state, uint2 *place)
{
    uint word = next(state, place);
    word |= next(state, place) << 8;
    word |= next(state, place) << 16;
    return word | next(state, place) << 24;
}

// States between two kernels: word `n` of message `m` is the word `n * messages + m`, so that lanes read side by side.
void save(state_t state, uint2 place, global uint *states, uint messages, uint m)
{
    for (uint n = 0; n < 64; n++) {
        uint at = 4 * n;
        states[n * messages + m] = state[AT(at)] | (uint)state[AT(at + 1)] << 8 | (uint)state[AT(at + 2)] << 16
            | (uint)state[AT(at + 3)] << 24;
    }
    states[64 * messages + m] = place.x | place.y << 8;
}

uint2 restore(state_t state, global const uint *states, uint messages, uint m)
{
    for (uint n = 0; n < 64; n++) {
        uint word = states[n * messages + m];
        for (uint i = 0; i < 4; i++)
            state[AT(4 * n + i)] = word >> (8 * i);
    }
    uint place = states[64 * messages + m];
    return (uint2)(place & 255, place >> 8);
}

// `data` holds a place of `how.y` bytes for each of `how.x` messages, and from the words `first.x`, `first.y` and `first.z`
// on a length for each, how many bytes of keystream to leave out, and the states.

// Makes states of keys, which are where the messages will be.
kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void rc4_schedule(global uint *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    STATE
    uint m = get_global_id(0);
    if (m >= how.x)
        return;
    schedule(state, (global const uchar *)data + m * how.y, data[first.x + m]);
    uint2 place = (uint2)(0, 0);
    for (uint left = data[first.y + m]; left > 0; left--)
        next(state, &place);
    save(state, place, data + first.z, how.x, m);
}

// Xors keystream into the messages, to the end of the word in which each of them ends, and keeps the states.
kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void rc4_apply(global uint *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    STATE
    uint m = get_global_id(0);
    if (m >= how.x)
        return;
    uint words = (data[first.x + m] + 3) / 4;
    if (words == 0)
        return;
    uint2 place = restore(state, data + first.z, how.x, m);
    global uint *text = data + m * (how.y / 4);
    for (uint n = 0; n < words; n++)
        text[n] ^= next_word(state, &place);
    save(state, place, data + first.z, how.x, m);
}

// Under which of `how.x` keys does a ciphertext decrypt to the wanted plaintext? `data` holds a byte for each key, which
// becomes 1 or 0; from word `first.x` on `how.z` words of the ciphertext, of the wanted plaintext and of a mask of the bits
// that count; from `first.y` on the lengths of the keys, and from `first.z` on the keys, `how.y` bytes for each. `how.w` bytes
// of keystream are left out.
kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void rc4_try_keys(global uint *data, constant uint *keys, uint4 how, uint4 first, uint4 mask)
{
    STATE
    uint m = get_global_id(0);
    if (m >= how.x)
        return;
    schedule(state, (global const uchar *)(data + first.z) + m * how.y, data[first.y + m]);
    uint2 place = (uint2)(0, 0);
    for (uint left = how.w; left > 0; left--)
        next(state, &place);
    global const uint *text = data + first.x;
    uint differs = 0;
    for (uint n = 0; n < how.z; n++)
        differs |= (text[n] ^ next_word(state, &place) ^ text[how.z + n]) & text[2 * how.z + n];
    ((global uchar *)data)[m] = differs == 0;
}
