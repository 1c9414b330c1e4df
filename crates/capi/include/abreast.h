// abreast: symmetric encryption of many blocks, many messages and many keys side by side.
//
// Made by `cargo xtask header` from the sources of crates/capi: change those.
//
// What holds for all functions:
//
// STATUS. A function that can fail gives an int: ABREAST_OK, which is 0, or another of enum abreast_status, for which
// abreast_status_text has a sentence. Each function names the statuses that are its own. Besides, functions give
// ABREAST_NULL_POINTER, ABREAST_LENGTH, ABREAST_OVERLAP, ABREAST_ALIGNMENT and ABREAST_WRONG_KEY for arguments that
// cannot be, and then nothing was done; and ABREAST_PANIC for a fault in the library.
//
// HANDLES. Keys and streams are made by functions with _new or _import in their names, which write a handle to where
// their last argument points, or NULL if they fail; the _free of the same type frees it. A key may be used by several
// threads at once. A stream may be used by one at a time. Streams, and keys of modes, keep what they were made of:
// the order in which handles are freed does not matter. A handle that was freed must not be used again. A key that is
// NULL is ABREAST_NULL_POINTER, one of another type ABREAST_WRONG_KEY, in single calls and in batches. The place of a
// new handle must be aligned; it is written last, after all that was given was read.
//
// BUFFERS. Lengths are in bytes. `input` and `output` are either the same buffer or have no byte in common; what
// overlaps in part is refused (ABREAST_OVERLAP). What is only read may overlap other things that are only read. What is
// written besides the output (a tag, a length, the state of a stream) and the output itself must have no byte in common
// with anything else that the call reads or writes: nonces, keys, round keys, associated data, the arrays that describe
// strings and packets. This is refused, too. Words, structs, and places of numbers must be aligned (ABREAST_ALIGNMENT).
// Bytes may be anywhere. A pointer may be NULL if its length is 0. Memory belongs to the caller, and nobody else may
// write it during a call.
//
// STRINGS that functions return are there for good. Those that they take end with a zero.
//
// BATCHES are arrays of descriptors, many messages with a key each, done side by side where that is faster. The size
// of a descriptor is an argument, sizeof as the caller's compiler has it, so that structs can grow in later versions. It
// must be a size that the struct had in a released version of this library, of which there is one for each struct so
// far. Any other is ABREAST_STRUCT_SIZE, larger ones too: a program with a newer header may not run with an older
// library, which would ignore the fields that it does not know. Initialise whole descriptors.
//
// Results are in the order of the array, in the status of each item. An item that is refused does not touch the others,
// and its buffers are left as they were, except where the text of a function says zeros. Before a batch begins it sets
// every status to ABREAST_NOT_PROCESSED, so ABREAST_OK means that the item was done, however the batch ended. If the
// array itself is refused (ABREAST_STRUCT_SIZE, ABREAST_LENGTH, ABREAST_NULL_POINTER, ABREAST_ALIGNMENT) no status is
// written.
//
// A key may be in a batch many times, and so may an input, a nonce, associated data and a tag that is compared. An
// output, or a tag that is written, must have no byte in common with any other buffer of the batch. Within one item
// this is checked. Between two items it is not, and the behaviour is undefined. Nothing is allocated.
//
// LIMITS. Ciphers with blocks of 64 bits (XTEA) stop at 2^32 blocks of a message in CTR (ABREAST_COUNTER_EXHAUSTED) and
// CBC (ABREAST_MESSAGE_TOO_LONG), 32 GiB; a key should not encrypt more than some 2^20 blocks. XTS takes two keys of one
// cipher and one length, and units of 16 bytes to 16 MiB: a length of 0 is refused.
//
// Keys are wiped when they are freed. Wipe the buffers that are yours.

#ifndef ABREAST_H
#define ABREAST_H

#include <stddef.h>
#include <stdint.h>

// A key of a block cipher.
typedef struct abreast_cipher abreast_cipher;
// A key in GCM, in EAX, for CMAC; a pair of keys in XTS; a key of AEZ.
typedef struct abreast_gcm abreast_gcm;
typedef struct abreast_eax abreast_eax;
typedef struct abreast_cmac abreast_cmac;
typedef struct abreast_xts abreast_xts;
typedef struct abreast_aez abreast_aez;
// Messages in pieces, split anywhere (CBC at blocks).
typedef struct abreast_ctr_stream abreast_ctr_stream;
typedef struct abreast_cbc_stream abreast_cbc_stream;
typedef struct abreast_cfb_stream abreast_cfb_stream;
typedef struct abreast_ofb_stream abreast_ofb_stream;
typedef struct abreast_gcm_stream abreast_gcm_stream;
typedef struct abreast_eax_stream abreast_eax_stream;
typedef struct abreast_cmac_stream abreast_cmac_stream;
typedef struct abreast_rc4_stream abreast_rc4_stream;


// The version of the interface that the header describes. It grows when something is added; a change that programs
// notice comes with another SONAME instead.
#define ABREAST_ABI_VERSION 1

// What became of a call. Functions give it as an int: later versions may have more.
enum abreast_status {
  // Done.
  ABREAST_OK = 0,
  // The key has a length that the cipher does not take.
  ABREAST_KEY_LENGTH = 1,
  // The kernel belongs to another cipher.
  ABREAST_KERNEL_UNAVAILABLE = 2,
  // The input and the output have different lengths.
  ABREAST_BUFFER_LENGTHS = 3,
  // The data is no whole number of blocks.
  ABREAST_PARTIAL_BLOCK = 4,
  // The counter block has another length than the cipher's blocks.
  ABREAST_COUNTER_LENGTH = 5,
  // The counter is to have more bits than the cipher's blocks, or a number other than 16, 32, 64 or 128.
  ABREAST_COUNTER_WIDTH = 6,
  // The message needs more blocks than the counter has values, so keystream would repeat.
  ABREAST_COUNTER_EXHAUSTED = 7,
  // The initialisation vector, or the number of a sector, has another length than the cipher's blocks.
  ABREAST_IV_LENGTH = 8,
  // The nonce is empty or too long.
  ABREAST_NONCE_LENGTH = 9,
  // The tag has a length that the mode does not define.
  ABREAST_TAG_LENGTH = 10,
  // The buffer is shorter than the tag that it is to hold.
  ABREAST_BUFFER_TOO_SHORT = 11,
  // The message or its associated data is longer than the mode allows under one nonce or vector.
  ABREAST_MESSAGE_TOO_LONG = 12,
  // The padding of a decrypted message is none. The output is zeros.
  ABREAST_PADDING = 13,
  // The two keys of XTS are the same.
  ABREAST_EQUAL_KEYS = 14,
  // A data unit is shorter than a block or longer than 2^20 blocks.
  ABREAST_UNIT_LENGTH = 15,
  // The mode is not defined for ciphers with blocks of this size.
  ABREAST_BLOCK_LENGTH = 16,
  // The number of cycles is not one that the cipher takes.
  ABREAST_CYCLES = 17,
  // What was exported as the state of RC4 is no permutation of all bytes.
  ABREAST_PERMUTATION = 18,
  // The tag does not belong to this message, nonce and key. The output of one-shot calls is zeros.
  ABREAST_TAG_MISMATCH = 19,
  // The packet was not processed: its batch ended before it, and its buffer may still hold what it held. Every item
  // of a batch has this status until it is done.
  ABREAST_NOT_PROCESSED = 20,
  // A pointer is NULL that may not be; for buffers, with a length other than 0.
  ABREAST_NULL_POINTER = 100,
  // A length is more than any buffer can have (more than PTRDIFF_MAX).
  ABREAST_LENGTH = 101,
  // Input and output overlap in part, or an output overlaps something else that the call reads or writes.
  ABREAST_OVERLAP = 102,
  // A pointer to words, structs or a stream, or to where a handle or a number goes, is not aligned as these have to
  // be.
  ABREAST_ALIGNMENT = 103,
  // The size of a struct is not the one that it has in this library: the program was compiled with another header.
  ABREAST_STRUCT_SIZE = 104,
  // There is no cipher of this name.
  ABREAST_UNKNOWN_CIPHER = 105,
  // The cipher has no kernel of this name that this CPU can run.
  ABREAST_UNKNOWN_KERNEL = 106,
  // The key is a handle of another type than the call takes, or is not a handle. (NULL is ABREAST_NULL_POINTER.)
  ABREAST_WRONG_KEY = 107,
  // The direction is neither encryption nor decryption, or not the one of this stream.
  ABREAST_DIRECTION = 108,
  // The stream is finished already.
  ABREAST_FINISHED = 109,
  // Some packets of the batch were not done; the status of each says why.
  ABREAST_BATCH = 110,
  // Some cipher does not give the known answers.
  ABREAST_SELF_TEST = 111,
  // A fault in the library. What the call was to write, and streams that it worked on, are not to be used.
  ABREAST_PANIC = 112,
  // An error of the library that this interface has no number for.
  ABREAST_OTHER = 113,
  // The two keys of XTS are for different ciphers, or of different lengths.
  ABREAST_DIFFERENT_CIPHERS = 114,
};

// Which way a stream goes.
enum abreast_direction {
  // From plaintext to ciphertext.
  ABREAST_ENCRYPT = 0,
  // From ciphertext to plaintext.
  ABREAST_DECRYPT = 1,
};

// A string of associated data.
struct abreast_string {
  // Its bytes; NULL is allowed if there are none.
  const uint8_t *data;
  // How many there are.
  size_t len;
};

// A message of a batch, with its key and what became of it.
//
// What a mode has no use for is NULL and 0: begin with `struct abreast_packet packet = {0};`.
struct abreast_packet {
  // The key: a handle of the type that the batch says.
  const void *key;
  // Initialisation vector, nonce, counter block, or number of a sector.
  const uint8_t *iv;
  // Its bytes.
  size_t iv_len;
  // What is authenticated and not encrypted; of CMAC the message.
  const uint8_t *aad;
  // Its bytes.
  size_t aad_len;
  // The message.
  const uint8_t *input;
  // Where the result goes: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both.
  size_t len;
  // The tag: written by encryption, read by decryption.
  uint8_t *tag;
  // Its bytes.
  size_t tag_len;
  // What became of the packet: a status, as if it had been alone.
  int status;
};

// A stream of a batch, and data for it.
struct abreast_rc4_piece {
  // The stream.
  abreast_rc4_stream *stream;
  // The data.
  const uint8_t *input;
  // Where the result goes: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both.
  size_t len;
  // What became of it.
  int status;
};

// A message of a batch, with a key of its own.
struct abreast_rc4_message {
  // The key.
  const uint8_t *key;
  // Its bytes, 1 to 256.
  size_t key_len;
  // How many bytes of keystream are left out in front of the message.
  uint64_t skip;
  // The message.
  const uint8_t *input;
  // Where the result goes: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both.
  size_t len;
  // What became of it.
  int status;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0". It is not to be freed.
const char *abreast_version(void);

// The ABREAST_ABI_VERSION of the library that is loaded; that of the header may be older.
uint32_t abreast_abi_version(void);

// Known answers of every cipher at every kernel that this CPU can run.
//
// ABREAST_SELF_TEST if one is wrong, or another status that says what went wrong: then nothing of this library is to be
// trusted on this machine.
int abreast_self_test(void);

// The name of a block cipher by its number, from 0; NULL behind the last one. It is not to be freed.
const char *abreast_cipher_at(size_t index);

// Bytes of a key of the block cipher of a name; 0 if there is none of that name.
size_t abreast_cipher_key_size(const char *name);

// The name of a kernel by its number, from 0 and best first, of those that this CPU can run; NULL behind the last one.
// It is not to be freed.
//
// cipher: the name of a block cipher, or "aez", or "rc4". The kernels of RC4 are ways to go about many streams. They are
// listed for information, and abreast_self_test goes through them; a batch of RC4 takes the first, which is the best.
const char *abreast_kernel_at(const char *cipher,
                              size_t index);

// One plain sentence, in English and without a full stop, for a status. It is never NULL, and is not to be freed.
const char *abreast_status_text(int status);

// Prepares a key of a block cipher.
//
// name: one of those that abreast_cipher_at lists: "aes-128", "aes-192", "aes-256", "serpent-128", "serpent-192",
// "serpent-256", "xtea" (little-endian words, 32 cycles), "xtea-be" (big-endian words).
// key: key_len bytes, as many as the name says in bits; 16 for XTEA.
// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists.
// cipher: where the handle goes, NULL if there is none.
//
// ABREAST_UNKNOWN_CIPHER, ABREAST_UNKNOWN_KERNEL, ABREAST_KEY_LENGTH.
int abreast_cipher_new(const char *name,
                       const uint8_t *key,
                       size_t key_len,
                       const char *kernel,
                       abreast_cipher **cipher);

// Frees a handle. The key is wiped when no stream and no other handle needs it any more. NULL is allowed.
void abreast_cipher_free(abreast_cipher *cipher);

// Bytes of a block: 8 or 16. 0 if cipher is NULL.
size_t abreast_cipher_block_size(const abreast_cipher *cipher);

// The name of the cipher, such as "aes-128"; NULL if cipher is. It is not to be freed.
const char *abreast_cipher_name(const abreast_cipher *cipher);

// The name of the kernel in use, such as "avx512"; NULL if cipher is. It is not to be freed.
const char *abreast_cipher_kernel(const abreast_cipher *cipher);

// Encrypts whole blocks, each on its own (ECB). Equal blocks give equal blocks, so this is for protocols that have
// laid it down.
//
// ABREAST_PARTIAL_BLOCK; then nothing was done.
int abreast_ecb_encrypt(const abreast_cipher *cipher,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Decrypts whole blocks; the converse of abreast_ecb_encrypt.
int abreast_ecb_decrypt(const abreast_cipher *cipher,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Prepares a key of XTEA, for 1 to 255 cycles of two rounds.
//
// key: 16 bytes. big_endian: whether key and blocks are big-endian words; 0 for little-endian ones.
// kernel, cipher: as for abreast_cipher_new.
//
// ABREAST_CYCLES, ABREAST_UNKNOWN_KERNEL.
int abreast_xtea_new(const uint8_t *key,
                     int big_endian,
                     uint8_t cycles,
                     const char *kernel,
                     abreast_cipher **cipher);

// Takes the 64 round keys of 32 cycles that were expanded elsewhere: for each cycle the sum and the word of the key
// that it chooses, before the sum grows and after.
int abreast_xtea_new_expanded(const uint32_t *round_keys,
                              int big_endian,
                              abreast_cipher **cipher);

// Encrypts whole blocks of little-endian words under 64 expanded round keys, without a handle and without
// allocating: for what keeps its keys that way. With a handle, abreast_ecb_encrypt spares the copy of the keys.
//
// ABREAST_PARTIAL_BLOCK; then nothing was done.
int abreast_xtea_encrypt(const uint32_t *round_keys,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len);

// Decrypts whole blocks; the converse of abreast_xtea_encrypt.
int abreast_xtea_decrypt(const uint32_t *round_keys,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len);

// Encrypts a message of whole blocks in CBC.
//
// iv: as long as the cipher's blocks; it must be unpredictable.
//
// ABREAST_IV_LENGTH, ABREAST_PARTIAL_BLOCK, and ABREAST_MESSAGE_TOO_LONG for more than 2^32 blocks of 64 bits; then
// nothing was done.
int abreast_cbc_encrypt(const abreast_cipher *cipher,
                        const uint8_t *iv,
                        size_t iv_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Decrypts a message of whole blocks; the converse of abreast_cbc_encrypt.
int abreast_cbc_decrypt(const abreast_cipher *cipher,
                        const uint8_t *iv,
                        size_t iv_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Encrypts a message of any length in CBC with the padding of PKCS #7, in place.
//
// buffer: the message, len bytes, with room for 1 to 16 bytes of padding (8 with blocks of 64 bits): it has capacity
// bytes. padded_len: where the length of the ciphertext goes; outside of the buffer.
//
// ABREAST_BUFFER_LENGTHS if there is no room, ABREAST_IV_LENGTH, ABREAST_MESSAGE_TOO_LONG.
int abreast_cbc_encrypt_padded(const abreast_cipher *cipher,
                               const uint8_t *iv,
                               size_t iv_len,
                               uint8_t *buffer,
                               size_t capacity,
                               size_t len,
                               size_t *padded_len);

// Decrypts a message in CBC with the padding of PKCS #7, in place. Whoever learns whether the padding of a forged
// message was right learns the message: authenticate the ciphertext before it is decrypted.
//
// buffer: the ciphertext, len bytes. plain_len: where the length of the message goes; outside of the buffer.
//
// ABREAST_PADDING, and then the buffer is zeros; also if len is 0, as the ciphertext of an empty message is a block of
// padding. ABREAST_PARTIAL_BLOCK, ABREAST_IV_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_cbc_decrypt_padded(const abreast_cipher *cipher,
                               const uint8_t *iv,
                               size_t iv_len,
                               uint8_t *buffer,
                               size_t len,
                               size_t *plain_len);

// Begins a stream in CBC; see abreast_cbc_encrypt. It is either encrypted or decrypted. The stream keeps the key.
//
// ABREAST_IV_LENGTH.
int abreast_cbc_stream_new(const abreast_cipher *cipher,
                           const uint8_t *iv,
                           size_t iv_len,
                           abreast_cbc_stream **stream);

// Encrypts the next blocks.
//
// ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_cbc_stream_encrypt(abreast_cbc_stream *stream,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Decrypts the next blocks.
//
// ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_cbc_stream_decrypt(abreast_cbc_stream *stream,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_cbc_stream_free(abreast_cbc_stream *stream);

// Encrypts a message of any length in CFB.
//
// bytes: 0 for segments of a block (CFB128, CFB64), anything else for segments of a byte (CFB8). iv: as long as the
// cipher's blocks; it must be unpredictable.
//
// ABREAST_IV_LENGTH; then nothing was done.
int abreast_cfb_encrypt(const abreast_cipher *cipher,
                        int bytes,
                        const uint8_t *iv,
                        size_t iv_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Decrypts a message; the converse of abreast_cfb_encrypt.
int abreast_cfb_decrypt(const abreast_cipher *cipher,
                        int bytes,
                        const uint8_t *iv,
                        size_t iv_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Begins a stream in CFB; see abreast_cfb_encrypt. It is either encrypted or decrypted. The stream keeps the key.
//
// ABREAST_IV_LENGTH.
int abreast_cfb_stream_new(const abreast_cipher *cipher,
                           int bytes,
                           const uint8_t *iv,
                           size_t iv_len,
                           abreast_cfb_stream **stream);

// Encrypts the next piece, of any length.
int abreast_cfb_stream_encrypt(abreast_cfb_stream *stream,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Decrypts the next piece, of any length.
int abreast_cfb_stream_decrypt(abreast_cfb_stream *stream,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_cfb_stream_free(abreast_cfb_stream *stream);

// Makes a key for CMAC of a key of a cipher. It keeps it.
int abreast_cmac_new(const abreast_cipher *cipher, abreast_cmac **cmac);

// Frees a handle. NULL is allowed.
void abreast_cmac_free(abreast_cmac *cmac);

// Writes the tag of a message, as long as the cipher's blocks or cut down to tag_len bytes.
//
// ABREAST_TAG_LENGTH.
int abreast_cmac_mac(const abreast_cmac *cmac,
                     const uint8_t *message,
                     size_t len,
                     uint8_t *tag,
                     size_t tag_len);

// Compares the tag of a message, in constant time.
//
// ABREAST_TAG_MISMATCH, ABREAST_TAG_LENGTH.
int abreast_cmac_verify(const abreast_cmac *cmac,
                        const uint8_t *message,
                        size_t len,
                        const uint8_t *tag,
                        size_t tag_len);

// Begins a message for CMAC that comes in pieces. The stream keeps the key.
int abreast_cmac_stream_new(const abreast_cmac *cmac, abreast_cmac_stream **stream);

// Takes in the next piece, of any length.
//
// ABREAST_FINISHED.
int abreast_cmac_stream_update(abreast_cmac_stream *stream, const uint8_t *data, size_t len);

// Writes the tag. The stream is finished then, even if tag_len is refused.
//
// ABREAST_TAG_LENGTH, ABREAST_FINISHED.
int abreast_cmac_stream_finish(abreast_cmac_stream *stream, uint8_t *tag, size_t tag_len);

// Compares the tag, in constant time. The stream is finished then.
//
// ABREAST_TAG_MISMATCH, ABREAST_TAG_LENGTH, ABREAST_FINISHED.
int abreast_cmac_stream_verify(abreast_cmac_stream *stream, const uint8_t *tag, size_t tag_len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_cmac_stream_free(abreast_cmac_stream *stream);

// Xors the keystream of counter mode into a message: encryption and decryption are the same.
//
// width: how many low bits of the counter block count, big-endian: 16 (SRTP), 32 (GCM, IPsec), 64 (LTE; XTEA) or
// 128. counter: the first counter block, as long as the cipher's blocks. It must never repeat under a key.
//
// ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH; ABREAST_COUNTER_EXHAUSTED for more than 2^width blocks, and with blocks
// of 64 bits (XTEA) for more than 2^32 of them whatever the width is: beyond that, the lack of equal blocks tells the
// keystream from random bytes. Then nothing was done.
int abreast_ctr_apply(const abreast_cipher *cipher,
                      uint32_t width,
                      const uint8_t *counter,
                      size_t counter_len,
                      const uint8_t *input,
                      uint8_t *output,
                      size_t len);

// Begins a stream in counter mode; see abreast_ctr_apply. The stream keeps the key.
//
// ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH.
int abreast_ctr_stream_new(const abreast_cipher *cipher,
                           uint32_t width,
                           const uint8_t *counter,
                           size_t counter_len,
                           abreast_ctr_stream **stream);

// Xors the next keystream into the data.
//
// ABREAST_COUNTER_EXHAUSTED as for abreast_ctr_apply, for the whole of the stream; then nothing was done.
int abreast_ctr_stream_apply(abreast_ctr_stream *stream,
                             const uint8_t *input,
                             uint8_t *output,
                             size_t len);

// Goes to a byte of the stream, from 0.
//
// ABREAST_COUNTER_EXHAUSTED if the stream is not that long; see abreast_ctr_apply.
int abreast_ctr_stream_seek(abreast_ctr_stream *stream, uint64_t byte);

// Tells which byte of the stream comes next.
//
// ABREAST_LENGTH if its number has more than 64 bits.
int abreast_ctr_stream_position(const abreast_ctr_stream *stream, uint64_t *byte);

// Frees a stream and wipes it. NULL is allowed.
void abreast_ctr_stream_free(abreast_ctr_stream *stream);

// Makes a key in EAX of a key of a cipher. It keeps it.
int abreast_eax_new(const abreast_cipher *cipher, abreast_eax **eax);

// Frees a handle. NULL is allowed.
void abreast_eax_free(abreast_eax *eax);

// Encrypts a message and writes its tag.
//
// nonce: of any length. It must never repeat under a key. aad: what is authenticated and not encrypted. tag: as long as
// the cipher's blocks or shorter.
//
// ABREAST_TAG_LENGTH; then nothing was done.
int abreast_eax_encrypt(const abreast_eax *eax,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const uint8_t *aad,
                        size_t aad_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        uint8_t *tag,
                        size_t tag_len);

// Decrypts a message if its tag is right; the converse of abreast_eax_encrypt.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_TAG_LENGTH.
int abreast_eax_decrypt(const abreast_eax *eax,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const uint8_t *aad,
                        size_t aad_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        const uint8_t *tag,
                        size_t tag_len);

// Begins a message in EAX that comes in pieces; see abreast_eax_encrypt. The stream keeps the key.
//
// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
// abreast_eax_stream_verify says so.
//
// ABREAST_DIRECTION.
int abreast_eax_stream_new(const abreast_eax *eax,
                           int direction,
                           const uint8_t *nonce,
                           size_t nonce_len,
                           const uint8_t *aad,
                           size_t aad_len,
                           abreast_eax_stream **stream);

// Encrypts or decrypts the next piece, of any length.
//
// ABREAST_FINISHED; then nothing was done.
int abreast_eax_stream_update(abreast_eax_stream *stream,
                              const uint8_t *input,
                              uint8_t *output,
                              size_t len);

// Writes the tag of an encrypted message. The stream is finished then, even if tag_len is refused.
//
// ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if it decrypts.
int abreast_eax_stream_finish(abreast_eax_stream *stream, uint8_t *tag, size_t tag_len);

// Compares the tag of a decrypted message, in constant time. The stream is finished then.
//
// ABREAST_TAG_MISMATCH: all plaintext is to be thrown away. ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if
// it encrypts.
int abreast_eax_stream_verify(abreast_eax_stream *stream,
                              const uint8_t *tag,
                              size_t tag_len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_eax_stream_free(abreast_eax_stream *stream);

// Makes a key in GCM of a key of a cipher with blocks of 128 bits. It keeps it.
//
// ABREAST_BLOCK_LENGTH.
int abreast_gcm_new(const abreast_cipher *cipher, abreast_gcm **gcm);

// Frees a handle. NULL is allowed.
void abreast_gcm_free(abreast_gcm *gcm);

// Encrypts a message and writes its tag.
//
// nonce: 12 bytes as a rule, at least one. It must never repeat under a key. aad: what is authenticated and not
// encrypted. tag: 16 bytes as a rule; tag_len may be 4, 8 or 12 to 16.
//
// ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_gcm_encrypt(const abreast_gcm *gcm,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const uint8_t *aad,
                        size_t aad_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        uint8_t *tag,
                        size_t tag_len);

// Decrypts a message if its tag is right; the converse of abreast_gcm_encrypt.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; the others as there.
int abreast_gcm_decrypt(const abreast_gcm *gcm,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const uint8_t *aad,
                        size_t aad_len,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        const uint8_t *tag,
                        size_t tag_len);

// Begins a message in GCM that comes in pieces; see abreast_gcm_encrypt. The stream keeps the key.
//
// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
// abreast_gcm_stream_verify says so.
//
// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data.
int abreast_gcm_stream_new(const abreast_gcm *gcm,
                           int direction,
                           const uint8_t *nonce,
                           size_t nonce_len,
                           const uint8_t *aad,
                           size_t aad_len,
                           abreast_gcm_stream **stream);

// Encrypts or decrypts the next piece, of any length.
//
// ABREAST_MESSAGE_TOO_LONG, ABREAST_FINISHED; then nothing was done.
int abreast_gcm_stream_update(abreast_gcm_stream *stream,
                              const uint8_t *input,
                              uint8_t *output,
                              size_t len);

// Writes the tag of an encrypted message. The stream is finished then, even if tag_len is refused.
//
// ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if it decrypts.
int abreast_gcm_stream_finish(abreast_gcm_stream *stream, uint8_t *tag, size_t tag_len);

// Compares the tag of a decrypted message, in constant time. The stream is finished then.
//
// ABREAST_TAG_MISMATCH: all plaintext is to be thrown away. ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if
// it encrypts.
int abreast_gcm_stream_verify(abreast_gcm_stream *stream,
                              const uint8_t *tag,
                              size_t tag_len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_gcm_stream_free(abreast_gcm_stream *stream);

// Xors the keystream of output feedback into a message: encryption and decryption are the same.
//
// iv: as long as the cipher's blocks; it must never repeat under a key.
//
// ABREAST_IV_LENGTH; then nothing was done.
int abreast_ofb_apply(const abreast_cipher *cipher,
                      const uint8_t *iv,
                      size_t iv_len,
                      const uint8_t *input,
                      uint8_t *output,
                      size_t len);

// Begins a stream in OFB; see abreast_ofb_apply. The stream keeps the key.
//
// ABREAST_IV_LENGTH.
int abreast_ofb_stream_new(const abreast_cipher *cipher,
                           const uint8_t *iv,
                           size_t iv_len,
                           abreast_ofb_stream **stream);

// Xors the next keystream into the data.
int abreast_ofb_stream_apply(abreast_ofb_stream *stream,
                             const uint8_t *input,
                             uint8_t *output,
                             size_t len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_ofb_stream_free(abreast_ofb_stream *stream);

// Makes a pair of keys in XTS of two keys of one cipher and one length, with blocks of 128 bits. It keeps them.
//
// ABREAST_EQUAL_KEYS, ABREAST_BLOCK_LENGTH; ABREAST_DIFFERENT_CIPHERS if the two have different names, such as
// "aes-128" and "aes-256".
int abreast_xts_new(const abreast_cipher *data,
                    const abreast_cipher *tweak,
                    abreast_xts **xts);

// Frees a handle. NULL is allowed.
void abreast_xts_free(abreast_xts *xts);

// Encrypts data units, such as sectors, with consecutive numbers.
//
// first: the number of the first one, 16 bytes, little-endian. unit: bytes of a unit, 16 to 2^24; the last one may be
// shorter. A single unit is one call with unit equal to len.
//
// ABREAST_UNIT_LENGTH if unit, or what is left for the last one, is less than 16 bytes or more than 2^24, and if len is
// 0, whatever unit is: there is no data unit without a block. Then nothing was done.
int abreast_xts_encrypt(const abreast_xts *xts,
                        const uint8_t *first,
                        size_t unit,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Decrypts data units; the converse of abreast_xts_encrypt.
int abreast_xts_decrypt(const abreast_xts *xts,
                        const uint8_t *first,
                        size_t unit,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Prepares a key of AEZ v5.
//
// key: of any length; 48 bytes are taken as they are, others are hashed. kernel: NULL for the best one of this CPU, or
// one that abreast_kernel_at lists for "aez".
//
// ABREAST_UNKNOWN_KERNEL.
int abreast_aez_new(const uint8_t *key,
                    size_t key_len,
                    const char *kernel,
                    abreast_aez **aez);

// Frees a handle and wipes the key. NULL is allowed.
void abreast_aez_free(abreast_aez *aez);

// The name of the kernel in use; NULL if aez is. It is not to be freed.
const char *abreast_aez_kernel(const abreast_aez *aez);

// Encrypts a message and writes its tag, which is the end of the ciphertext.
//
// nonce: of any length; one that repeats tells whether the same message was sent again, and nothing else.
// ad: ad_count strings of associated data. None and one empty string are not the same. More than 8 of them are put
// into allocated memory. tag: at most 32 bytes, or none.
//
// ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_aez_encrypt(const abreast_aez *aez,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const struct abreast_string *ad,
                        size_t ad_count,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        uint8_t *tag,
                        size_t tag_len);

// Decrypts a message if its tag is right; the converse of abreast_aez_encrypt.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; the others as there.
int abreast_aez_decrypt(const abreast_aez *aez,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const struct abreast_string *ad,
                        size_t ad_count,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        const uint8_t *tag,
                        size_t tag_len);

// Encrypts a message that tag_len bytes of any content follow; the whole, len bytes, becomes the ciphertext. So tags
// may be of any length.
//
// ABREAST_BUFFER_TOO_SHORT if len is less than tag_len; ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_aez_encrypt_joined(const abreast_aez *aez,
                               const uint8_t *nonce,
                               size_t nonce_len,
                               const struct abreast_string *ad,
                               size_t ad_count,
                               size_t tag_len,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Decrypts a ciphertext, the whole of what abreast_aez_encrypt_joined made, if it is authentic: the output is the
// message and tag_len zeros.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_MESSAGE_TOO_LONG.
int abreast_aez_decrypt_joined(const abreast_aez *aez,
                               const uint8_t *nonce,
                               size_t nonce_len,
                               const struct abreast_string *ad,
                               size_t ad_count,
                               size_t tag_len,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Encrypts or decrypts a message under a key of its own. RC4 is broken and not constant time: this is for what speaks
// it and cannot be changed.
//
// key: 1 to 256 bytes. skip: how many bytes of keystream are left out in front.
//
// ABREAST_KEY_LENGTH.
int abreast_rc4_apply(const uint8_t *key,
                      size_t key_len,
                      uint64_t skip,
                      const uint8_t *input,
                      uint8_t *output,
                      size_t len);

// Begins the stream of a key of 1 to 256 bytes.
//
// ABREAST_KEY_LENGTH.
int abreast_rc4_stream_new(const uint8_t *key, size_t key_len, abreast_rc4_stream **stream);

// Goes on where another stream was, from the 258 bytes that abreast_rc4_stream_export gave.
//
// ABREAST_PERMUTATION.
int abreast_rc4_stream_import(const uint8_t *state, abreast_rc4_stream **stream);

// Writes where a stream is, 258 bytes: S, i and j. Whoever has them has the rest of the keystream.
int abreast_rc4_stream_export(const abreast_rc4_stream *stream, uint8_t *state);

// Leaves out the next bytes of keystream.
int abreast_rc4_stream_skip(abreast_rc4_stream *stream, uint64_t bytes);

// Xors the next keystream into the data.
int abreast_rc4_stream_apply(abreast_rc4_stream *stream,
                             const uint8_t *input,
                             uint8_t *output,
                             size_t len);

// Frees a stream and wipes it. NULL is allowed.
void abreast_rc4_stream_free(abreast_rc4_stream *stream);

// Does as abreast_rc4_stream_apply for each of many streams, which go side by side.
//
// A stream may be there several times: its pieces are done in their order, as by calls one after the other.
// piece_size: sizeof(struct abreast_rc4_piece).
//
// ABREAST_BATCH if some were not done: each has its own status.
int abreast_rc4_apply_streams(struct abreast_rc4_piece *pieces,
                              size_t count,
                              size_t piece_size);

// Does as abreast_rc4_apply for each of many messages, whose key schedules and data go side by side.
//
// message_size: sizeof(struct abreast_rc4_message).
//
// ABREAST_BATCH if some were not done: each has its own status, which may be ABREAST_KEY_LENGTH.
int abreast_rc4_apply_keys(struct abreast_rc4_message *messages,
                           size_t count,
                           size_t message_size);

// Encrypts each packet and writes its tag as abreast_gcm_encrypt does.
//
// key: abreast_gcm. iv: the nonce. Statuses: ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG.
int abreast_packets_gcm_encrypt(struct abreast_packet *packets,
                                size_t count,
                                size_t packet_size);

// Decrypts each packet whose tag is right and fills the others with zeros; the converse of
// abreast_packets_gcm_encrypt.
//
// Statuses: ABREAST_TAG_MISMATCH, and as there.
int abreast_packets_gcm_decrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Encrypts each packet and writes its tag as abreast_eax_encrypt does.
//
// key: abreast_eax. iv: the nonce. Statuses: ABREAST_TAG_LENGTH.
int abreast_packets_eax_encrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Decrypts each packet whose tag is right and fills the others with zeros; the converse of
// abreast_packets_eax_encrypt.
//
// Statuses: ABREAST_TAG_MISMATCH, and as there.
int abreast_packets_eax_decrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Writes the tag of the aad of each packet as abreast_cmac_mac does. There is no input and no output.
//
// key: abreast_cmac. aad: the message. Statuses: ABREAST_TAG_LENGTH.
int abreast_packets_cmac(struct abreast_packet *packets,
                         size_t count,
                         size_t packet_size);

// Compares the tag of the aad of each packet, in constant time.
//
// Statuses: ABREAST_TAG_MISMATCH, and as for abreast_packets_cmac.
int abreast_packets_cmac_verify(struct abreast_packet *packets, size_t count, size_t packet_size);

// Encrypts each packet and writes its tag as abreast_aez_encrypt does with one string of associated data, aad, or with
// none if that is empty.
//
// key: abreast_aez. iv: the nonce. Statuses: ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG.
int abreast_packets_aez_encrypt(struct abreast_packet *packets,
                                size_t count,
                                size_t packet_size);

// Decrypts each packet whose tag is right and fills the others with zeros; the converse of
// abreast_packets_aez_encrypt.
//
// Statuses: ABREAST_TAG_MISMATCH, and as there.
int abreast_packets_aez_decrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Encrypts the blocks of each packet as abreast_ecb_encrypt does.
//
// key: abreast_cipher. Statuses: ABREAST_PARTIAL_BLOCK.
int abreast_packets_ecb_encrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Decrypts the blocks of each packet; the converse of abreast_packets_ecb_encrypt.
int abreast_packets_ecb_decrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Encrypts each packet as abreast_cbc_encrypt does.
//
// key: abreast_cipher. iv: a block. Statuses: ABREAST_IV_LENGTH, ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG.
int abreast_packets_cbc_encrypt(struct abreast_packet *packets,
                                size_t count,
                                size_t packet_size);

// Decrypts each packet; the converse of abreast_packets_cbc_encrypt.
int abreast_packets_cbc_decrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

// Xors the keystream of counter mode into each packet as abreast_ctr_apply does, with counters of width bits.
//
// key: abreast_cipher. iv: the first counter block. Statuses: ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH,
// ABREAST_COUNTER_EXHAUSTED. The call itself gives ABREAST_COUNTER_WIDTH for a width that there is not; then nothing
// was done, and all packets have ABREAST_NOT_PROCESSED.
int abreast_packets_ctr(struct abreast_packet *packets,
                        size_t count,
                        size_t packet_size,
                        uint32_t width);

// Xors the keystream of output feedback into each packet as abreast_ofb_apply does.
//
// key: abreast_cipher. iv: a block. Statuses: ABREAST_IV_LENGTH.
int abreast_packets_ofb(struct abreast_packet *packets, size_t count, size_t packet_size);

// Encrypts each packet, a data unit, as abreast_xts_encrypt does.
//
// key: abreast_xts. iv: the number of the unit, 16 bytes, little-endian. Statuses: ABREAST_IV_LENGTH;
// ABREAST_UNIT_LENGTH for less than 16 bytes (0 too) or more than 2^24.
int abreast_packets_xts_encrypt(struct abreast_packet *packets,
                                size_t count,
                                size_t packet_size);

// Decrypts each packet; the converse of abreast_packets_xts_encrypt.
int abreast_packets_xts_decrypt(struct abreast_packet *packets, size_t count, size_t packet_size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif
