// abreast: symmetric encryption of many blocks, many messages and many keys side by side.
//
// Made by `cargo xtask header` from the sources of faces/c: change those.
//
// Rules for all functions:
//
// STATUS. A function that can fail gives an int: ABREAST_OK, which is 0, or another of enum abreast_status, for which
// abreast_status_text has a sentence. Each function names the statuses that are its own. In addition, every function may return
// ABREAST_NULL_POINTER, ABREAST_LENGTH, ABREAST_OVERLAP, ABREAST_ALIGNMENT or ABREAST_WRONG_KEY for invalid arguments, and then
// nothing was done; and ABREAST_PANIC for a fault in the library.
//
// HANDLES. Keys and streams are made by functions with _new, _import or _init in their names, which write a handle to where their
// last argument points, or NULL if they fail; the _free of the same type frees it. Those with _init put it into memory of the
// caller, as many bytes as the function with _size in its name says; _free wipes them. A key may be used by several threads at once. A
// stream may be used by one thread at a time. Streams, and keys of modes, keep the objects that they were made of: the order in
// which handles are freed does not matter. A handle that was freed must not be used again. A handle that is NULL gives
// ABREAST_NULL_POINTER, one of another type ABREAST_WRONG_KEY, in single calls and in batches. The pointer to where a new
// handle goes must be aligned. A single handle is written last, after all arguments were read, so that it may replace any of
// them, such as the key.
//
// BUFFERS. Lengths are in bytes. `input` and `output` are either the same buffer or have no byte in common. Everything that a
// call writes (the output, a tag, a length, an array of handles), except a single handle, must have no byte in common with
// its other arguments: nonces, keys, round keys, associated data, the arrays that describe strings and packets. Any other
// overlap is refused (ABREAST_OVERLAP); arguments that are only read may overlap each other. The library owns the memory that a
// handle points to; the caller must not write to it, which is not checked. Words, structs, and places of numbers must be
// aligned (ABREAST_ALIGNMENT). Bytes may be anywhere. A pointer may be NULL if its length is 0. Buffers belong to the caller,
// and no other thread may write to them during a call.
//
// STRINGS that functions return stay valid until the library is unloaded. Those that they accept must end with a zero.
//
// BATCHES are arrays of descriptors, many messages with a key each, done side by side where that is faster. The size of a
// descriptor is an argument, its sizeof in the caller's program, so that structs can grow in later versions. It must be the
// size of the struct in this version of the library or in an older one; so far each struct has had one size. Any other is
// ABREAST_STRUCT_SIZE, larger ones too: a program with a newer header may not run with an older library, which would ignore the
// fields that it does not know. Initialise whole descriptors.
//
// Results are in the order of the array, in the status of each item. An item that is refused does not touch the others,
// and its buffers are left unchanged, except where a function is documented to write zeros. Before a batch begins it sets every
// status to ABREAST_NOT_PROCESSED, so ABREAST_OK means that the item was done, however the batch ended. If the array itself is
// refused (ABREAST_STRUCT_SIZE, ABREAST_LENGTH, ABREAST_NULL_POINTER, ABREAST_ALIGNMENT) no status is written.
//
// A key may be in a batch many times, and so may an input, a nonce, associated data and a tag that is compared. An
// output, or a tag that is written, must have no byte in common with any other buffer of the batch. Within one item
// this is checked. Between two items it is not, and the behaviour is undefined. Only the calls under MEMORY allocate.
//
// DEVICES. Functions whose names begin with abreast_device_ do the same on an OpenCL device as those without that prefix on the
// CPU: raw blocks, counter mode and XTS, messages with a key each of XTEA and RC4, and keys tried on one message. The library
// of OpenCL is loaded by the first of these calls: it is not needed to link or to run anything else, and where it is missing
// they return ABREAST_NO_OPENCL. These calls allocate, and wait for the device, but not longer than the limit of
// abreast_device_new. Some blocks of all that comes back are computed by the CPU too: wrong output is not handed out. A device
// whose status is one of ABREAST_DEVICE_WRONG_RESULT, ABREAST_DEVICE_LOST and ABREAST_DEVICE_TIMED_OUT is not used any more,
// and gives ABREAST_DEVICE_DROPPED from then on.
//
// LIMITS. Ciphers with blocks of 64 bits (TEA, XTEA) stop at 2^32 blocks of a message in CTR (ABREAST_COUNTER_EXHAUSTED) and
// CBC (ABREAST_MESSAGE_TOO_LONG), 32 GiB; a key should not encrypt more than some 2^20 blocks. XTS takes two keys of one
// cipher and one length, and units of 16 bytes to 16 MiB: a length of 0 is refused.
//
// MEMORY. A call that gets no memory gives ABREAST_OUT_OF_MEMORY, or NULL if it gives a string, and changes nothing; no call
// ends the program. Functions with _new, _import or _clone in their names allocate a handle. Besides, these allocate:
// abreast_cipher_init, abreast_ciphers_init, abreast_aez_new, abreast_aez_init and abreast_cgo_client_add_hop on a CPU without AES
// instructions or for a kernel "sliced-...", for round keys; abreast_xtea_new for more than 32 cycles; calls with more than eight strings of associated
// data; every message under a key of GCM-SIV whose kernel is "sliced-...", for the round keys of that message;
// abreast_self_test, for its keys; abreast_column_encrypt and abreast_column_decrypt, for the column that they make and for 128 rows
// at a time. Nothing else does, and nothing is kept for the process or a thread. Devices are an
// exception: OpenCL and its drivers may end the program where there is no memory.
//
// STACK. In a release build no call takes more than 32 KiB of stack, and a thread with 64 KiB can make all of them:
// abreast_packets, abreast_wrap_packets, all of SRTP, ESP and QUIC, abreast_self_test, abreast_cgo_relay_new,
// abreast_cgo_client_add_hop, abreast_column_encrypt and abreast_column_decrypt up to 32 KiB; calls of AEZ 16 KiB;
// abreast_aez_new, abreast_gcm_siv_new, the _init of both, other calls that encrypt, decrypt or authenticate one message, abreast_ciphers_init, and batches of RC4 and of cells of Tor 12 KiB;
// those that make a handle 8 KiB; all others 4 KiB.
// The drivers of devices take as much as they like.
//
// FORK. After fork, a child has copies of all keys and streams, and both processes may go on to use and free theirs, if no other
// thread was in a call when it was forked. A stream that goes on in both makes the same keystream twice, and a message in
// GCM the same nonce: go on with it in one of them. For devices see abreast_device_new.
//
// SIGNALS. A handler may call any function that uses a key and buffers of the handler's own and does not allocate. It must not
// use a stream, or free a handle, that the interrupted call uses, nor call a function that allocates or returns a string. The
// library installs no handlers, and no call is cut short by a signal. A handler that leaves a call by longjmp leaves streams
// and outputs of that call unfit for use, and parts of keys on the stack.
//
// DLCLOSE. Free all handles before the library is unloaded, and end all calls. Strings that functions returned are gone with it.
// The library starts no threads, and has no destructors of threads; an OpenCL library, once loaded, stays.
//
// Keys are wiped when they are freed. Wipe the buffers that are yours.

#ifndef ABREAST_H
#define ABREAST_H

#include <stddef.h>
#include <stdint.h>

// The structs of Arrow's C data interface, as its specification has them for every header that uses it.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

// A key of a block cipher.
typedef struct abreast_cipher abreast_cipher;
// A key of authenticated encryption, in GCM, EAX, SIV or GCM-SIV, or of AEZ; a key for CMAC; a pair of keys in XTS; a key in HCTR2;
// one for HMAC; a session of SRTP; a security association of ESP; keys of QUIC, of packets and of headers.
typedef struct abreast_aead abreast_aead;
typedef struct abreast_cmac abreast_cmac;
typedef struct abreast_xts abreast_xts;
typedef struct abreast_hctr2 abreast_hctr2;
typedef struct abreast_hmac abreast_hmac;
typedef struct abreast_srtp abreast_srtp;
typedef struct abreast_esp abreast_esp;
typedef struct abreast_quic_key abreast_quic_key;
typedef struct abreast_quic_header_key abreast_quic_header_key;
// Messages in pieces, split anywhere (by abreast_stream, in ECB and CBC, at blocks). In the order below: without a tag; in ECB
// and CBC, split at any byte, with or without padding; with a tag; for CMAC; for HMAC; of RC4.
typedef struct abreast_stream abreast_stream;
typedef struct abreast_padded_stream abreast_padded_stream;
typedef struct abreast_aead_stream abreast_aead_stream;
typedef struct abreast_cmac_stream abreast_cmac_stream;
typedef struct abreast_hmac_stream abreast_hmac_stream;
typedef struct abreast_rc4_stream abreast_rc4_stream;
// A circuit of Tor at a relay, and at a client.
typedef struct abreast_cgo_relay abreast_cgo_relay;
typedef struct abreast_cgo_client abreast_cgo_client;
// An OpenCL device in use; a key of a block cipher, and a pair of keys in XTS, on it.
typedef struct abreast_device abreast_device;
typedef struct abreast_device_cipher abreast_device_cipher;
typedef struct abreast_device_xts abreast_device_xts;


// The version of the interface that the header describes. It grows when something is added; a change that programs
// notice comes with another SONAME instead.
#define ABREAST_ABI_VERSION 1

// The outcome of a call. Functions return it as an int: later versions may have more.
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
  // The counter is to have more bits than the cipher's blocks.
  ABREAST_COUNTER_WIDTH = 6,
  // The message needs more blocks than the counter has values, so keystream would repeat.
  ABREAST_COUNTER_EXHAUSTED = 7,
  // The initialisation vector, or the number of a sector, has another length than the cipher's blocks.
  ABREAST_IV_LENGTH = 8,
  // The nonce is empty, too long, or not of the one length that the mode takes.
  ABREAST_NONCE_LENGTH = 9,
  // The tag has a length that the mode does not define, or another one than the key is for.
  ABREAST_TAG_LENGTH = 10,
  // The buffer is shorter than the tag that it is to hold.
  ABREAST_BUFFER_TOO_SHORT = 11,
  // The message or its associated data is longer than the mode allows under one nonce or vector.
  ABREAST_MESSAGE_TOO_LONG = 12,
  // The decrypted message does not end with valid padding. The output is zeros.
  ABREAST_PADDING = 13,
  // The two keys of XTS are the same.
  ABREAST_EQUAL_KEYS = 14,
  // A data unit is shorter than a block or longer than 2^20 blocks.
  ABREAST_UNIT_LENGTH = 15,
  // The mode is not defined for ciphers with blocks of this size.
  ABREAST_BLOCK_LENGTH = 16,
  // The number of cycles is not one that the cipher takes.
  ABREAST_CYCLES = 17,
  // The imported state of RC4 is no permutation of all bytes.
  ABREAST_PERMUTATION = 18,
  // The tag does not belong to this message, nonce and key. The output of one-shot calls is zeros.
  ABREAST_TAG_MISMATCH = 19,
  // The packet was not processed: its batch ended before it, and its buffer may be unchanged. Every item of a batch
  // has this status until it is done.
  ABREAST_NOT_PROCESSED = 20,
  // A key to be wrapped, or a wrapped one, has a length that key wrap does not take.
  ABREAST_WRAP_LENGTH = 21,
  // A pointer that must not be NULL is NULL. A buffer may be NULL only if its length is 0.
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
  // The key is a handle of another type or mode than the call takes, or is not a handle. (NULL is
  // ABREAST_NULL_POINTER.)
  ABREAST_WRONG_KEY = 107,
  // The direction is neither encryption nor decryption, or not the one of this stream.
  ABREAST_DIRECTION = 108,
  // The stream is finished already.
  ABREAST_FINISHED = 109,
  // Some packets of the batch were not done; the status of each says why.
  ABREAST_BATCH = 110,
  // Some cipher does not give the known answers.
  ABREAST_SELF_TEST = 111,
  // A fault in the library. The output of the call, and streams that it worked on, must not be used.
  ABREAST_PANIC = 112,
  // An error of the library that this interface has no number for.
  ABREAST_OTHER = 113,
  // The two keys of XTS are for different ciphers, or of different lengths.
  ABREAST_DIFFERENT_CIPHERS = 114,
  // The operation is unknown, or is not one that the call or the stream has.
  ABREAST_OPERATION = 115,
  // The memory is smaller than the key that it is to hold.
  ABREAST_MEMORY_SIZE = 116,
  // Associated data came after data of the message. Nothing was done.
  ABREAST_ASSOCIATED_DATA_LATE = 117,
  // There is no OpenCL library on this machine.
  ABREAST_NO_OPENCL = 118,
  // There is no OpenCL device, or none of this number.
  ABREAST_NO_DEVICE = 119,
  // No OpenCL device has this name, or several have.
  ABREAST_DEVICE_NAME = 120,
  // The device cannot run the kernels: it has no compiler, is big-endian, or is not available.
  ABREAST_DEVICE_UNSUITABLE = 121,
  // The kernels do not compile for the device.
  ABREAST_DEVICE_KERNELS = 122,
  // The device computes something else than the CPU. No wrong output was handed out, and the device is not used any more.
  ABREAST_DEVICE_WRONG_RESULT = 123,
  // The device, or the host for its sake, has not enough memory. It can be used again.
  ABREAST_DEVICE_MEMORY = 124,
  // The device was lost, or its driver gave up. It is not used any more.
  ABREAST_DEVICE_LOST = 125,
  // The device did not answer within its time limit. It is not used any more.
  ABREAST_DEVICE_TIMED_OUT = 126,
  // The device failed in a call before, and is not used any more; or it belongs to the parent process, which took it into
  // use.
  ABREAST_DEVICE_DROPPED = 127,
  // Devices have no kernel for this cipher, mode or length.
  ABREAST_DEVICE_UNSUPPORTED = 128,
  // There is not enough memory. Nothing was done.
  ABREAST_OUT_OF_MEMORY = 129,
  // The message is shorter than a block, which HCTR2 does not take, or the packet than its headers, index and tag.
  ABREAST_MESSAGE_TOO_SHORT = 130,
  // The header of the packet is not one of version 2 of RTP.
  ABREAST_HEADER = 131,
  // The circuit has no hop of this number, or no room for one more.
  ABREAST_NO_HOP = 132,
  // The packet of QUIC is of a phase whose key is not there.
  ABREAST_KEY_PHASE = 133,
  // The stream has had no message yet: it was made without one.
  ABREAST_NOT_BEGUN = 134,
  // The lengths of the strings of associated data do not add up to that of their buffer.
  ABREAST_STRING_LENGTHS = 135,
  // The column is not of binary values, strings, or binary values of one length.
  ABREAST_COLUMN_TYPE = 136,
  // The array of the column is not one of its type, or was released.
  ABREAST_COLUMN = 137,
  // An offset of the column is negative, less than the one before it, or beyond the last.
  ABREAST_COLUMN_OFFSETS = 138,
  // The column of associated data has another number of rows, a null where the other column has a value, or a string for all rows
  // beside it.
  ABREAST_COLUMN_ROWS = 139,
  // The result has more bytes than its offsets can say. Those of 64 bits (Z) can.
  ABREAST_COLUMN_LENGTH = 140,
};

// A mode, and the direction where the two differ. Functions take it as an int: abreast_cipher_crypt, abreast_stream_new
// and abreast_packets, each of which says which of these it has.
enum abreast_operation {
  // Encrypts whole blocks, each on its own (ECB). Equal blocks give equal blocks, so this is only for protocols that
  // prescribe it. There is no initialisation vector.
  ABREAST_ECB_ENCRYPT = 1,
  // The inverse of ABREAST_ECB_ENCRYPT.
  ABREAST_ECB_DECRYPT = 2,
  // Encrypts whole blocks in CBC. The vector is a block; it must be unpredictable. ABREAST_MESSAGE_TOO_LONG for more
  // than 2^32 blocks of 64 bits.
  ABREAST_CBC_ENCRYPT = 3,
  // The inverse of ABREAST_CBC_ENCRYPT.
  ABREAST_CBC_DECRYPT = 4,
  // Encrypts a message of any length in CFB with segments of a block (CFB128, CFB64). The vector is a block; it must
  // be unpredictable.
  ABREAST_CFB_ENCRYPT = 5,
  // The inverse of ABREAST_CFB_ENCRYPT.
  ABREAST_CFB_DECRYPT = 6,
  // ABREAST_CFB_ENCRYPT with segments of a byte (CFB8).
  ABREAST_CFB8_ENCRYPT = 7,
  // The inverse of ABREAST_CFB8_ENCRYPT.
  ABREAST_CFB8_DECRYPT = 8,
  // XORs the keystream of output feedback into a message of any length: encryption and decryption are the same. The
  // vector is a block; it must never repeat under a key.
  ABREAST_OFB = 9,
  // XORs the keystream of counter mode into a message of any length: encryption and decryption are the same. The
  // vector is the first counter block, of which the low 16 bits count, big-endian (SRTP). No counter block may
  // repeat under a key. ABREAST_COUNTER_EXHAUSTED for more than 2^16 blocks.
  ABREAST_CTR16 = 10,
  // Counter mode with 32 bits that count (GCM, IPsec). With blocks of 64 bits (TEA, XTEA), a message of more than 2^32
  // blocks is ABREAST_COUNTER_EXHAUSTED whatever the width is: beyond that, the lack of equal blocks tells the
  // keystream from random bytes.
  ABREAST_CTR32 = 11,
  // Counter mode with 64 bits that count (LTE; TEA, XTEA).
  ABREAST_CTR64 = 12,
  // Counter mode with 128 bits that count, which blocks of 64 bits do not have (ABREAST_COUNTER_WIDTH).
  ABREAST_CTR128 = 13,
  // Encrypts a data unit in XTS.
  ABREAST_XTS_ENCRYPT = 14,
  // The inverse of ABREAST_XTS_ENCRYPT.
  ABREAST_XTS_DECRYPT = 15,
  // Encrypts a message in GCM and writes its tag.
  ABREAST_GCM_ENCRYPT = 16,
  // Decrypts a message in GCM if its tag is right; otherwise the output is zeros.
  ABREAST_GCM_DECRYPT = 17,
  // Encrypts a message in EAX and writes its tag.
  ABREAST_EAX_ENCRYPT = 18,
  // Decrypts a message in EAX if its tag is right; otherwise the output is zeros.
  ABREAST_EAX_DECRYPT = 19,
  // Encrypts a message by AEZ and writes its tag.
  ABREAST_AEZ_ENCRYPT = 20,
  // Decrypts a message by AEZ if its tag is right; otherwise the output is zeros.
  ABREAST_AEZ_DECRYPT = 21,
  // Writes the tag of a message by CMAC.
  ABREAST_CMAC = 22,
  // Compares the tag of a message by CMAC, in constant time.
  ABREAST_CMAC_VERIFY = 23,
  // Encrypts a message in AES-GCM-SIV and writes its tag.
  ABREAST_GCM_SIV_ENCRYPT = 24,
  // Decrypts a message in AES-GCM-SIV if its tag is right; otherwise the output is zeros.
  ABREAST_GCM_SIV_DECRYPT = 25,
  // Encrypts a message in SIV and writes its tag.
  ABREAST_SIV_ENCRYPT = 26,
  // Decrypts a message in SIV if its tag is right; otherwise the output is zeros.
  ABREAST_SIV_DECRYPT = 27,
  // Encrypts a message in HCTR2.
  ABREAST_HCTR2_ENCRYPT = 28,
  // The inverse of ABREAST_HCTR2_ENCRYPT.
  ABREAST_HCTR2_DECRYPT = 29,
  // Wraps a key of 16 bytes or more, a multiple of 8 (KW, RFC 3394), by abreast_key_wrap or abreast_wrap_packets.
  ABREAST_KEY_WRAP = 30,
  // The inverse of ABREAST_KEY_WRAP.
  ABREAST_KEY_UNWRAP = 31,
  // Wraps a key of 1 to 2^32 - 1 bytes, with zeros up to a multiple of 8 (KWP, RFC 5649), by abreast_key_wrap or
  // abreast_wrap_packets.
  ABREAST_KEY_WRAP_PADDED = 32,
  // The inverse of ABREAST_KEY_WRAP_PADDED.
  ABREAST_KEY_UNWRAP_PADDED = 33,
  // Writes the tag of a message by HMAC-SHA-1.
  ABREAST_HMAC_SHA1 = 34,
  // Compares the tag of a message by HMAC-SHA-1, in constant time.
  ABREAST_HMAC_SHA1_VERIFY = 35,
  // Writes the tag of a message by HMAC-SHA-256.
  ABREAST_HMAC_SHA256 = 36,
  // Compares the tag of a message by HMAC-SHA-256, in constant time.
  ABREAST_HMAC_SHA256_VERIFY = 37,
};

// The direction of a stream with a tag.
enum abreast_direction {
  // From plaintext to ciphertext.
  ABREAST_ENCRYPT = 0,
  // From ciphertext to plaintext.
  ABREAST_DECRYPT = 1,
};

// A protection profile of SRTP. Functions take it as an int.
enum abreast_srtp_profile {
  // AES-128 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 3711). A key of 16 bytes, a salt of 14.
  ABREAST_SRTP_AES128_CM_SHA1_80 = 1,
  // ABREAST_SRTP_AES128_CM_SHA1_80 with tags of 4 bytes in RTP.
  ABREAST_SRTP_AES128_CM_SHA1_32 = 2,
  // AES-192 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 6188). A key of 24 bytes, a salt of 14.
  ABREAST_SRTP_AES192_CM_SHA1_80 = 3,
  // ABREAST_SRTP_AES192_CM_SHA1_80 with tags of 4 bytes in RTP.
  ABREAST_SRTP_AES192_CM_SHA1_32 = 4,
  // AES-256 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 6188). A key of 32 bytes, a salt of 14.
  ABREAST_SRTP_AES256_CM_SHA1_80 = 5,
  // ABREAST_SRTP_AES256_CM_SHA1_80 with tags of 4 bytes in RTP.
  ABREAST_SRTP_AES256_CM_SHA1_32 = 6,
  // AES-128 in GCM, tags of 16 bytes (RFC 7714). A key of 16 bytes, a salt of 12.
  ABREAST_SRTP_AES128_GCM = 7,
  // AES-256 in GCM, tags of 16 bytes (RFC 7714). A key of 32 bytes, a salt of 12.
  ABREAST_SRTP_AES256_GCM = 8,
};

// The protocol of a packet for SRTP.
enum abreast_srtp_protocol {
  // A packet of RTP.
  ABREAST_SRTP_RTP = 0,
  // A packet of RTCP, encrypted.
  ABREAST_SRTP_RTCP = 1,
  // A packet of RTCP, authenticated and not encrypted.
  ABREAST_SRTP_CLEAR_RTCP = 2,
};

// The algorithms of a security association. Functions take them as an int.
enum abreast_esp_suite {
  // AES in CBC (RFC 3602), HMAC-SHA1-96 (RFC 2404): a key of 20 bytes to authenticate with, tags of 12.
  ABREAST_ESP_CBC_HMAC_SHA1 = 1,
  // AES in CBC, HMAC-SHA-256-128 (RFC 4868): a key of 32 bytes to authenticate with, tags of 16.
  ABREAST_ESP_CBC_HMAC_SHA256 = 2,
  // AES in counter mode (RFC 3686), HMAC-SHA1-96.
  ABREAST_ESP_CTR_HMAC_SHA1 = 3,
  // AES in counter mode, HMAC-SHA-256-128.
  ABREAST_ESP_CTR_HMAC_SHA256 = 4,
  // AES in GCM (RFC 4106), tags of 16 bytes, and no key to authenticate with.
  ABREAST_ESP_GCM = 5,
};

// A string of associated data.
struct abreast_string {
  // Its bytes; NULL is allowed if there are none.
  const uint8_t *data;
  // The number of bytes.
  size_t len;
};

// A message of a batch, with its key and its result.
//
// Fields that a mode does not use are NULL and 0: begin with `struct abreast_packet packet = {0};`. Anything else in them is
// not read, but must be a valid buffer all the same (see BUFFERS).
struct abreast_packet {
  // The key: a handle of the type that the operation wants.
  const void *key;
  // Initialisation vector, nonce, counter block, or number of a sector.
  const uint8_t *iv;
  // Its bytes.
  size_t iv_len;
  // Associated data: authenticated, not encrypted. For CMAC and HMAC the message.
  const uint8_t *aad;
  // Its bytes.
  size_t aad_len;
  // The message.
  const uint8_t *input;
  // The place of the result: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both.
  size_t len;
  // The tag: written by encryption, read by decryption.
  uint8_t *tag;
  // Its bytes.
  size_t tag_len;
  // The result: the status of a single call.
  int status;
};

// A key of a batch, with the key that wraps it and with its result.
struct abreast_wrap_packet {
  // The wrapping key.
  const abreast_cipher *key;
  // The key to be wrapped, or the wrapped key.
  const uint8_t *input;
  // Its bytes.
  size_t len;
  // The place of the result, apart from input.
  uint8_t *output;
  // Its bytes, as many as for a single call.
  size_t output_len;
  // The bytes of the output that count, if the status is ABREAST_OK.
  size_t written;
  // The result: the status of a single call.
  int status;
};

// A packet for SRTP, with its session and its result.
struct abreast_srtp_packet {
  // The session.
  const abreast_srtp *session;
  // The packet, which is worked on in place.
  uint8_t *packet;
  // Its bytes before.
  size_t len;
  // The bytes that the buffer has, len at least: to protect a packet, up to 16 more than it has for RTP, and 20 for RTCP.
  size_t capacity;
  // The bytes of the packet after, if the status is ABREAST_OK.
  size_t written;
  // The index of the packet, if the status is ABREAST_OK: of RTP 48 bits, of RTCP 31.
  uint64_t index;
  // The number of roll-overs of RTP; the index of a packet of RTCP to be protected, which must not repeat under a session and a
  // sender.
  uint32_t number;
  // One of enum abreast_srtp_protocol. A packet of RTCP that is unprotected says by itself if it was encrypted; that is written
  // here.
  int protocol;
  // The result.
  int status;
};

// A packet of ESP, with its association and its result.
struct abreast_esp_packet {
  // The association.
  const abreast_esp *association;
  // The packet, from SPI to tag, which is worked on in place. To seal it: 8 bytes for SPI and sequence number and iv_len for the
  // vector, which are written; the text, with padding, its length and the next header (RFC 4303, section 2.4); room for the tag.
  uint8_t *packet;
  // Its bytes before, without the tag if it is to be sealed.
  size_t len;
  // The bytes that the buffer has, len at least: to seal a packet, 12 or 16 more for the tag.
  size_t capacity;
  // The vector of a packet to be sealed, apart from it. It must not repeat under a key; the sequence number may serve. In CBC
  // nobody may be able to predict it. To open a packet: NULL.
  const uint8_t *iv;
  // Its bytes: 8, in CBC 16. To open a packet: 0.
  size_t iv_len;
  // The bytes of the packet after, if the status is ABREAST_OK: of one that was opened, to the end of its text, which begins behind
  // the vector.
  size_t written;
  // The sequence number. To open a packet: its upper 32 bits are those of the packet's number, if the association's are extended,
  // and then it is the packet's, if the status is ABREAST_OK.
  uint64_t sequence;
  // The result.
  int status;
};

// A packet of QUIC, with its keys and its result.
struct abreast_quic_packet {
  // The key of its header.
  const abreast_quic_header_key *header_key;
  // The keys of packets of phase 0 and of phase 1, of which one may be NULL. A packet with a long header has the first of them.
  const abreast_quic_key *keys[2];
  // The packet, from its first byte to the end of its tag, which is worked on in place. To seal it: the header in clear, whose
  // first byte says how many bytes of the packet number stand at its end; the payload; 16 bytes for the tag.
  uint8_t *packet;
  // Its bytes, 20 at least from the packet number on.
  size_t len;
  // The bytes before the packet number.
  size_t number_at;
  // The full packet number. To open a packet: the number that is expected, the largest so far plus 1, and then the packet's, if
  // the status is ABREAST_OK.
  uint64_t number;
  // The bytes before the payload, if the status is ABREAST_OK. Those of the payload are 16 less than the rest.
  size_t header_len;
  // The result.
  int status;
};

// A stream of a batch, and data for it.
struct abreast_rc4_piece {
  // The stream.
  abreast_rc4_stream *stream;
  // The data.
  const uint8_t *input;
  // The place of the result: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both.
  size_t len;
  // The result: a status.
  int status;
};

// A message of a batch, with a key of its own.
struct abreast_rc4_message {
  // The key.
  const uint8_t *key;
  // Its bytes, 1 to 256.
  size_t key_len;
  // The number of bytes of keystream to leave out in front of the message.
  uint64_t skip;
  // The message.
  const uint8_t *input;
  // The place of the result: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both.
  size_t len;
  // The result: a status.
  int status;
};

// A message of a batch of XTEA, with a key of its own.
struct abreast_xtea_message {
  // The key, 16 bytes.
  const uint8_t *key;
  // The message.
  const uint8_t *input;
  // The place of the result: input itself, or apart from it.
  uint8_t *output;
  // Bytes of both, whole blocks.
  size_t len;
  // The result: a status.
  int status;
};

// A cell of a batch, with its circuit at a relay.
struct abreast_cgo_cell {
  // The circuit.
  abreast_cgo_relay *relay;
  // The cell without its header, 509 bytes, which are changed in their place. The first 16 are its tag.
  uint8_t *cell;
  // The command byte of the header: 3 for RELAY, 9 for RELAY_EARLY.
  uint8_t command;
  // 1 if the cell is for this relay, or was originated by it, and so has a tag for SENDME; 0 otherwise.
  uint8_t has_tag;
  // This tag, or zeros.
  uint8_t tag[16];
  // The result: a status.
  int status;
};

// An OpenCL device.
struct abreast_device_info {
  // Its name, as its driver has it: abreast_device_new takes it, or a part of it.
  const char *name;
  // "GPU", "accelerator" or "CPU". On a CPU device, such as that of PoCL, everything works; the kernels of
  // abreast_kernel_at are faster there.
  const char *kind;
  // The version of its driver.
  const char *driver;
  // The name of the kernels on it, for abreast_device_cipher_new: "opencl".
  const char *kernel;
  // Why it cannot be used, in one sentence; NULL if it can.
  const char *unusable;
  // Bytes of its memory.
  uint64_t memory;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0". It is not to be freed.
const char *abreast_version(void);

// The ABREAST_ABI_VERSION of the library that is loaded; that of the header may be older.
uint32_t abreast_abi_version(void);

// Checks known answers of every cipher with every kernel that this CPU can run.
//
// ABREAST_SELF_TEST if one is wrong, or another status that names the fault: then nothing of this library is to be
// trusted on this machine.
int abreast_self_test(void);

// The name of a block cipher by its number, from 0; NULL after the last one. It is not to be freed.
const char *abreast_cipher_at(size_t index);

// The number of bytes of a key of the block cipher with this name; 0 if there is no such cipher.
size_t abreast_cipher_key_size(const char *name);

// The name of a kernel by its number, from 0 and best first, of those that this CPU can run; NULL after the last one.
// It is not to be freed.
//
// cipher: the name of a block cipher, or "aez", "hmac-sha-1", "hmac-sha-256", or "rc4". The kernels of RC4 are ways to go about many
// streams. They are listed for information, and abreast_self_test goes through them; a batch of RC4 takes the first, which is the
// best.
const char *abreast_kernel_at(const char *cipher,
                              size_t index);

// One plain sentence, in English and without a full stop, for a status. It is never NULL, and is not to be freed.
const char *abreast_status_text(int status);

// Prepares a key of a block cipher.
//
// name: one of those that abreast_cipher_at lists, such as "aes-256", "serpent-128", "xtea" (little-endian words, 32
// cycles) or "xtea-be" (big-endian words).
// key: key_len bytes; abreast_cipher_key_size says how many the cipher takes.
// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists.
// cipher: where the handle goes, NULL if there is none.
//
// ABREAST_UNKNOWN_CIPHER, ABREAST_UNKNOWN_KERNEL, ABREAST_KEY_LENGTH, ABREAST_OUT_OF_MEMORY.
int abreast_cipher_new(const char *name,
                       const uint8_t *key,
                       size_t key_len,
                       const char *kernel,
                       abreast_cipher **cipher);

// The bytes of memory that abreast_cipher_init needs for a cipher, or 0 if no cipher has this name. Other versions of this
// library may need another number.
size_t abreast_cipher_size(const char *name);

// Prepares a key of a block cipher in memory of the caller, as abreast_cipher_new does in memory that it allocates: a
// server keeps the keys in its connections.
//
// memory: size bytes, abreast_cipher_size of them or more, of any alignment and content. They belong to the library until the
// handle and every stream and key of a mode that keeps it are freed. On a CPU without AES instructions (the kernels
// "sliced-..."), the round keys of AES are allocated even so.
// name, key, key_len, kernel, cipher: as for abreast_cipher_new, and not in memory.
//
// ABREAST_MEMORY_SIZE if size is too small, ABREAST_OVERLAP, and the statuses of abreast_cipher_new.
int abreast_cipher_init(uint8_t *memory,
                        size_t size,
                        const char *name,
                        const uint8_t *key,
                        size_t key_len,
                        const char *kernel,
                        abreast_cipher **cipher);

// Prepares count keys of a block cipher in memory of the caller, as abreast_cipher_init does for one, in a half to a tenth
// of the time: names are looked up once, and keys are expanded side by side.
//
// memory: key number i has abreast_cipher_size bytes, which begin i times stride bytes after memory: an array, or a part of
// each connection in an array of connections. Bytes between them are neither read nor written.
// keys: one after the other, key_len bytes each.
// ciphers: count handles, each to be freed by itself.
// name, key_len, kernel: as for abreast_cipher_new. Neither name, kernel, keys nor ciphers may be in memory.
//
// ABREAST_MEMORY_SIZE if stride is too small, ABREAST_LENGTH if no memory is as large as count says, ABREAST_OVERLAP, and
// the statuses of abreast_cipher_new. Then no key was prepared, and all handles are NULL, unless the argument ciphers itself
// was invalid.
int abreast_ciphers_init(uint8_t *memory,
                         size_t stride,
                         size_t count,
                         const char *name,
                         const uint8_t *keys,
                         size_t key_len,
                         const char *kernel,
                         abreast_cipher **ciphers);

// Frees a handle. The key is wiped when no stream and no other handle needs it any more. NULL is allowed.
void abreast_cipher_free(abreast_cipher *cipher);

// Bytes of a block: 8 or 16. 0 if cipher is NULL.
size_t abreast_cipher_block_size(const abreast_cipher *cipher);

// The name of the cipher, such as "aes-128"; NULL if cipher is. It is not to be freed.
const char *abreast_cipher_name(const abreast_cipher *cipher);

// The name of the kernel in use, such as "avx512"; NULL if cipher is. It is not to be freed.
const char *abreast_cipher_kernel(const abreast_cipher *cipher);

// Prepares a key of AES, of 16, 24 or 32 bytes, as abreast_cipher_new does, without the code of other ciphers in a program
// that links the static library. Calls for any key, such as abreast_cipher_crypt, bring that code in; see
// abreast_aes_gcm_new.
//
// kernel, cipher: as for abreast_cipher_new.
//
// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY.
int abreast_aes_new(const uint8_t *key,
                    size_t key_len,
                    const char *kernel,
                    abreast_cipher **cipher);

// Prepares a key of Serpent, of 16, 24 or 32 bytes, as abreast_aes_new does of AES.
int abreast_serpent_new(const uint8_t *key,
                        size_t key_len,
                        const char *kernel,
                        abreast_cipher **cipher);

// Prepares a key of TEA, as abreast_aes_new does of AES.
//
// key: 16 bytes. big_endian: whether key and blocks are big-endian words; 0 for little-endian ones.
int abreast_tea_new(const uint8_t *key,
                    int big_endian,
                    const char *kernel,
                    abreast_cipher **cipher);

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

// Makes a key from the 64 round keys of 32 cycles, expanded elsewhere: for each cycle two of them, each the sum plus the word
// of the key that the sum selects, before the sum grows and after.
int abreast_xtea_new_expanded(const uint32_t *round_keys,
                              int big_endian,
                              abreast_cipher **cipher);

// Encrypts whole blocks of little-endian words under 64 expanded round keys, without a handle and without
// allocating: for programs that keep their keys that way. With a handle, abreast_cipher_crypt spares the copy of the keys.
//
// ABREAST_PARTIAL_BLOCK; then nothing was done.
int abreast_xtea_encrypt(const uint32_t *round_keys,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len);

// Decrypts whole blocks; the inverse of abreast_xtea_encrypt.
int abreast_xtea_decrypt(const uint32_t *round_keys,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len);

// Begins a message in ECB or CBC that comes in pieces split anywhere: a part of a block is kept for the next piece.
// The stream keeps the key.
//
// operation: ABREAST_ECB_ENCRYPT, ABREAST_ECB_DECRYPT, ABREAST_CBC_ENCRYPT or ABREAST_CBC_DECRYPT. padding: 0 if
// the message is a number of whole blocks; any other number if it has any length and is padded by PKCS #7. iv: none for ECB.
//
// ABREAST_OPERATION, ABREAST_IV_LENGTH.
int abreast_padded_stream_new(const abreast_cipher *cipher,
                              int operation,
                              int padding,
                              const uint8_t *iv,
                              size_t iv_len,
                              abreast_padded_stream **stream);

// The bytes of memory that abreast_padded_stream_init needs. Other versions of this library may need another number.
size_t abreast_padded_stream_size(void);

// Begins a message as abreast_padded_stream_new does, with the stream in memory of the caller: see abreast_stream_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_OPERATION, ABREAST_IV_LENGTH.
int abreast_padded_stream_init(uint8_t *memory,
                               size_t size,
                               const abreast_cipher *cipher,
                               int operation,
                               int padding,
                               const uint8_t *iv,
                               size_t iv_len,
                               abreast_padded_stream **stream);

// Begins another message under the key and in the operation of a stream, whether the one before is finished or not.
// Nothing is allocated.
//
// ABREAST_IV_LENGTH; then the stream is as it was.
int abreast_padded_stream_reset(abreast_padded_stream *stream,
                                const uint8_t *iv,
                                size_t iv_len);

// Takes the next piece, of any length, and writes the blocks that are whole now. When a padded message is decrypted, the
// last block is kept back as long as it may be the end.
//
// output: has capacity bytes; len and 15 more are enough for any cipher. It may be the input, and otherwise has no byte in
// common with it. written: where the number of bytes of output goes.
//
// ABREAST_BUFFER_LENGTHS if the output is too short, ABREAST_MESSAGE_TOO_LONG for CBC, ABREAST_FINISHED; then nothing was
// done.
int abreast_padded_stream_update(abreast_padded_stream *stream,
                                 const uint8_t *input,
                                 size_t len,
                                 uint8_t *output,
                                 size_t capacity,
                                 size_t *written);

// Ends the message. If it is padded, writes the last block when encrypting, and the part of that block that is not padding
// when decrypting. Whoever learns whether the padding of a forged message was right learns the message: authenticate the
// ciphertext before it is decrypted. The stream is finished then.
//
// output: has capacity bytes; a block of the cipher is enough. written: where the number of bytes of output goes.
//
// ABREAST_BUFFER_LENGTHS if the output is too short, ABREAST_PARTIAL_BLOCK if the message is not a multiple of the block: then
// the stream is as it was, and may go on. ABREAST_PADDING, also for an empty ciphertext; ABREAST_MESSAGE_TOO_LONG for CBC,
// ABREAST_FINISHED.
int abreast_padded_stream_finish(abreast_padded_stream *stream,
                                 uint8_t *output,
                                 size_t capacity,
                                 size_t *written);

// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other.
int abreast_padded_stream_clone(const abreast_padded_stream *stream,
                                abreast_padded_stream **clone);

// Frees a stream and wipes it. NULL is allowed.
void abreast_padded_stream_free(abreast_padded_stream *stream);

// Encrypts or decrypts a message in one call.
//
// operation: ABREAST_ECB_ENCRYPT to ABREAST_CTR128 of enum abreast_operation, which gives the requirements of each
// for the vector and the message. iv: the initialisation vector or first counter block, as long as the cipher's
// blocks; none for ECB.
//
// ABREAST_OPERATION, ABREAST_IV_LENGTH, ABREAST_PARTIAL_BLOCK for ECB and CBC, ABREAST_MESSAGE_TOO_LONG for CBC;
// ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH and ABREAST_COUNTER_EXHAUSTED for counter mode. Then nothing was done.
int abreast_cipher_crypt(const abreast_cipher *cipher,
                         int operation,
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

// Begins a message that comes in pieces; see abreast_cipher_crypt. The stream keeps the key.
//
// ABREAST_OPERATION, ABREAST_IV_LENGTH, ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH.
int abreast_stream_new(const abreast_cipher *cipher,
                       int operation,
                       const uint8_t *iv,
                       size_t iv_len,
                       abreast_stream **stream);

// The bytes of memory that abreast_stream_init needs. Other versions of this library may need another number.
size_t abreast_stream_size(void);

// Begins a message as abreast_stream_new does, with the stream in memory of the caller: a server keeps the streams in its
// connections.
//
// memory: size bytes, abreast_stream_size of them or more, of any alignment and content, apart from all other arguments. The
// first abreast_stream_size belong to the library until the stream is freed. What it wrote in them is zeros then. The key is not
// in them.
//
// ABREAST_MEMORY_SIZE if size is too small, ABREAST_OVERLAP, and the statuses of abreast_stream_new.
int abreast_stream_init(uint8_t *memory,
                        size_t size,
                        const abreast_cipher *cipher,
                        int operation,
                        const uint8_t *iv,
                        size_t iv_len,
                        abreast_stream **stream);

// Begins another message under the key and in the operation of a stream. Nothing is allocated.
//
// ABREAST_IV_LENGTH, ABREAST_COUNTER_LENGTH; then the stream is as it was.
int abreast_stream_reset(abreast_stream *stream, const uint8_t *iv, size_t iv_len);

// Encrypts or decrypts the next piece: whole blocks in ECB and CBC, any length in all other modes.
//
// ABREAST_PARTIAL_BLOCK; ABREAST_MESSAGE_TOO_LONG and ABREAST_COUNTER_EXHAUSTED as for abreast_cipher_crypt, for the
// whole of the stream. Then nothing was done.
int abreast_stream_apply(abreast_stream *stream,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len);

// Goes to a byte of a stream in counter mode, from 0.
//
// ABREAST_OPERATION for other modes; ABREAST_COUNTER_EXHAUSTED if the stream is not that long.
int abreast_stream_seek(abreast_stream *stream, uint64_t byte);

// Tells which byte of a stream in counter mode comes next.
//
// ABREAST_OPERATION for other modes; ABREAST_LENGTH if the number of the byte has more than 64 bits.
int abreast_stream_position(const abreast_stream *stream,
                            uint64_t *byte);

// Writes the initialisation vector, or counter block, with which another stream goes on where this one is, if this one is
// between two blocks: in CBC and CFB the last block of ciphertext, in CFB8 the last bytes of ciphertext (at any byte), in OFB
// the last block of keystream, in counter mode the counter block of the next block. Within a block it is the same in OFB and
// counter mode, and in CFB the ciphertext of the block so far with the rest of its keystream, which is secret.
//
// iv: as long as the cipher's blocks.
//
// ABREAST_OPERATION for ECB; ABREAST_IV_LENGTH, ABREAST_COUNTER_LENGTH.
int abreast_stream_iv(const abreast_stream *stream,
                      uint8_t *iv,
                      size_t iv_len);

// Makes a stream that goes on as this one would. Each keeps the key, and neither affects the other.
int abreast_stream_clone(const abreast_stream *stream, abreast_stream **clone);

// Frees a stream and wipes it. NULL is allowed.
void abreast_stream_free(abreast_stream *stream);

// Makes a key in GCM from a key of a cipher with blocks of 128 bits. The new key keeps the cipher's.
//
// ABREAST_BLOCK_LENGTH.
int abreast_gcm_new(const abreast_cipher *cipher,
                    abreast_aead **aead);

// The bytes of memory that abreast_gcm_init needs. Other versions of this library may need another number.
size_t abreast_gcm_size(void);

// Makes a key in GCM as abreast_gcm_new does, in memory of the caller: a server keeps the keys in its connections.
//
// memory: size bytes, abreast_gcm_size of them or more, of any alignment and content, apart from all other arguments. The
// first abreast_gcm_size belong to the library until the handle and every stream that keeps it are freed. What it wrote in them
// is zeros then.
//
// ABREAST_MEMORY_SIZE if size is too small, ABREAST_OVERLAP, ABREAST_BLOCK_LENGTH.
int abreast_gcm_init(uint8_t *memory,
                     size_t size,
                     const abreast_cipher *cipher,
                     abreast_aead **aead);

// Makes a key in GCM of a key of AES, of 16, 24 or 32 bytes: abreast_aes_new and abreast_gcm_new in one call. A program that
// links the static library, and makes keys by this function alone and calls abreast_aead_encrypt and abreast_aead_decrypt
// with them, has the code of AES and of no other cipher.
//
// kernel: as for abreast_cipher_new.
//
// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY.
int abreast_aes_gcm_new(const uint8_t *key,
                        size_t key_len,
                        const char *kernel,
                        abreast_aead **aead);

// Makes a key in EAX from a key of a cipher. The new key keeps the cipher's.
int abreast_eax_new(const abreast_cipher *cipher, abreast_aead **aead);

// The bytes of memory that abreast_eax_init needs. Other versions of this library may need another number.
size_t abreast_eax_size(void);

// Makes a key in EAX as abreast_eax_new does, in memory of the caller: see abreast_gcm_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP.
int abreast_eax_init(uint8_t *memory,
                     size_t size,
                     const abreast_cipher *cipher,
                     abreast_aead **aead);

// Makes a key in AES-GCM-SIV (RFC 8452) of a key of AES-128 or AES-256, of 16 or 32 bytes.
//
// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists for "aes-128".
//
// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL.
int abreast_gcm_siv_new(const uint8_t *key,
                        size_t key_len,
                        const char *kernel,
                        abreast_aead **aead);

// The bytes of memory that abreast_gcm_siv_init needs. Other versions of this library may need another number.
size_t abreast_gcm_siv_size(void);

// Makes a key in AES-GCM-SIV as abreast_gcm_siv_new does, in memory of the caller: see abreast_gcm_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL.
int abreast_gcm_siv_init(uint8_t *memory,
                         size_t size,
                         const uint8_t *key,
                         size_t key_len,
                         const char *kernel,
                         abreast_aead **aead);

// Makes a key in SIV (RFC 5297) from keys of a cipher with blocks of 128 bits, one for the tag and one for the message: of a
// key of AES-SIV, its first and its second half. The new key keeps both.
//
// ABREAST_BLOCK_LENGTH.
int abreast_siv_new(const abreast_cipher *mac,
                    const abreast_cipher *text,
                    abreast_aead **aead);

// The bytes of memory that abreast_siv_init needs. Other versions of this library may need another number.
size_t abreast_siv_size(void);

// Makes a key in SIV as abreast_siv_new does, in memory of the caller: see abreast_gcm_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_BLOCK_LENGTH.
int abreast_siv_init(uint8_t *memory,
                     size_t size,
                     const abreast_cipher *mac,
                     const abreast_cipher *text,
                     abreast_aead **aead);

// Frees a handle of a key of GCM, EAX, SIV, GCM-SIV or AEZ, and wipes what was derived for it. The ciphers' keys under GCM,
// EAX and SIV are wiped when no handle needs them any more. NULL is allowed.
void abreast_aead_free(abreast_aead *aead);

// The name of the kernel in use, such as "avx512"; NULL if aead is. It is not to be freed.
const char *abreast_aead_kernel(const abreast_aead *aead);

// Encrypts a message and writes its tag.
//
// nonce: of GCM 12 bytes as a rule, at least one; of GCM-SIV 12 bytes; of EAX, AEZ and SIV any length. Under a key of
// GCM or EAX it must never repeat. A repeated nonce of GCM-SIV, AEZ or SIV reveals whether the same message was sent again,
// and nothing else; SIV needs none.
// aad: associated data, which is authenticated and not encrypted. AEZ takes it as one string, or as none if it is
// empty; SIV as one string, also if it is empty. For none, one or several strings of both, see abreast_aead_encrypt_strings.
// tag: of GCM 16 bytes as a rule, or 4, 8, 12 to 15; of GCM-SIV and SIV 16; of EAX one byte to a block of the cipher; of AEZ at
// most 32 bytes, or none.
//
// ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_aead_encrypt(const abreast_aead *aead,
                         const uint8_t *nonce,
                         size_t nonce_len,
                         const uint8_t *aad,
                         size_t aad_len,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len,
                         uint8_t *tag,
                         size_t tag_len);

// Decrypts a message if its tag is right; the inverse of abreast_aead_encrypt.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; the other statuses of abreast_aead_encrypt.
int abreast_aead_decrypt(const abreast_aead *aead,
                         const uint8_t *nonce,
                         size_t nonce_len,
                         const uint8_t *aad,
                         size_t aad_len,
                         const uint8_t *input,
                         uint8_t *output,
                         size_t len,
                         const uint8_t *tag,
                         size_t tag_len);

// Begins a message that comes in pieces; see abreast_aead_encrypt. The stream keeps the key, of GCM or EAX: the other
// modes take the whole message at once.
//
// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
// abreast_aead_stream_verify says so.
//
// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data; ABREAST_WRONG_KEY for a key
// of another mode.
int abreast_aead_stream_new(const abreast_aead *aead,
                            int direction,
                            const uint8_t *nonce,
                            size_t nonce_len,
                            const uint8_t *aad,
                            size_t aad_len,
                            abreast_aead_stream **stream);

// Makes a stream without a message, which keeps the key, of GCM or EAX: abreast_aead_stream_begin begins each message in it,
// in whichever direction. A server has a stream for each connection before there is a nonce.
//
// Until then, calls with the stream are ABREAST_NOT_BEGUN, except abreast_aead_stream_clone and abreast_aead_stream_free.
// ABREAST_WRONG_KEY for a key of another mode.
int abreast_aead_stream_new_idle(const abreast_aead *aead,
                                 abreast_aead_stream **stream);

// The bytes of memory that abreast_aead_stream_init needs. Other versions of this library may need another number.
size_t abreast_aead_stream_size(void);

// Makes a stream without a message as abreast_aead_stream_new_idle does, in memory of the caller: see abreast_stream_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_WRONG_KEY.
int abreast_aead_stream_init(uint8_t *memory,
                             size_t size,
                             const abreast_aead *aead,
                             abreast_aead_stream **stream);

// Begins a message under the key of a stream, in either direction and whichever the one before it had, be that finished or not.
// Nothing is allocated.
//
// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT.
//
// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data; then the stream is as it was.
int abreast_aead_stream_begin(abreast_aead_stream *stream,
                              int direction,
                              const uint8_t *nonce,
                              size_t nonce_len,
                              const uint8_t *aad,
                              size_t aad_len);

// Begins another message under the key and in the direction of a stream, whether the one before is finished or not.
// Nothing is allocated.
//
// ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data, ABREAST_NOT_BEGUN if there is no direction yet;
// then the stream is as it was.
int abreast_aead_stream_reset(abreast_aead_stream *stream,
                              const uint8_t *nonce,
                              size_t nonce_len,
                              const uint8_t *aad,
                              size_t aad_len);

// Takes in the next piece of the associated data, after the associated data with which the message began. All of it
// comes before the message: the tag is the same however it is split.
//
// ABREAST_ASSOCIATED_DATA_LATE after data of the message, unless aad is empty; ABREAST_MESSAGE_TOO_LONG for GCM,
// ABREAST_FINISHED. Then nothing was done.
int abreast_aead_stream_aad(abreast_aead_stream *stream,
                            const uint8_t *aad,
                            size_t aad_len);

// Encrypts or decrypts the next piece, of any length.
//
// ABREAST_MESSAGE_TOO_LONG for GCM, ABREAST_FINISHED; then nothing was done.
int abreast_aead_stream_update(abreast_aead_stream *stream,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Writes the tag of an encrypted message. The stream is finished then.
//
// ABREAST_TAG_LENGTH: then the stream is as it was. ABREAST_FINISHED, ABREAST_DIRECTION if it decrypts.
int abreast_aead_stream_finish(abreast_aead_stream *stream,
                               uint8_t *tag,
                               size_t tag_len);

// Compares the tag of a decrypted message, in constant time. The stream is finished then.
//
// ABREAST_TAG_MISMATCH: all plaintext is to be thrown away. ABREAST_TAG_LENGTH: then the stream is as it was.
// ABREAST_FINISHED, ABREAST_DIRECTION if it encrypts.
int abreast_aead_stream_verify(abreast_aead_stream *stream,
                               const uint8_t *tag,
                               size_t tag_len);

// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other. Under
// one nonce, the two must not encrypt different data: go on with one of them only.
int abreast_aead_stream_clone(const abreast_aead_stream *stream,
                              abreast_aead_stream **clone);

// Frees a stream and wipes it. NULL is allowed.
void abreast_aead_stream_free(abreast_aead_stream *stream);

// Makes a key for CMAC from a key of a cipher. The new key keeps the cipher's.
int abreast_cmac_new(const abreast_cipher *cipher, abreast_cmac **cmac);

// Frees a handle. NULL is allowed.
void abreast_cmac_free(abreast_cmac *cmac);

// Writes the tag of a message, as long as the cipher's blocks or cut down to tag_len bytes, at least one.
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

// The bytes of memory that abreast_cmac_stream_init needs. Other versions of this library may need another number.
size_t abreast_cmac_stream_size(void);

// Begins a message as abreast_cmac_stream_new does, with the stream in memory of the caller: see abreast_stream_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP.
int abreast_cmac_stream_init(uint8_t *memory,
                             size_t size,
                             const abreast_cmac *cmac,
                             abreast_cmac_stream **stream);

// Begins another message under the key of a stream, whether the one before is finished or not. Nothing is allocated.
int abreast_cmac_stream_reset(abreast_cmac_stream *stream);

// Takes in the next piece, of any length.
//
// ABREAST_FINISHED.
int abreast_cmac_stream_update(abreast_cmac_stream *stream, const uint8_t *data, size_t len);

// Writes the tag. The stream is finished then.
//
// ABREAST_TAG_LENGTH: then the stream is as it was. ABREAST_FINISHED.
int abreast_cmac_stream_finish(abreast_cmac_stream *stream, uint8_t *tag, size_t tag_len);

// Compares the tag, in constant time. The stream is finished then.
//
// ABREAST_TAG_MISMATCH; ABREAST_TAG_LENGTH, and then the stream is as it was; ABREAST_FINISHED.
int abreast_cmac_stream_verify(abreast_cmac_stream *stream, const uint8_t *tag, size_t tag_len);

// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other: the
// common beginning of several messages is processed once.
int abreast_cmac_stream_clone(const abreast_cmac_stream *stream,
                              abreast_cmac_stream **clone);

// Frees a stream and wipes it. NULL is allowed.
void abreast_cmac_stream_free(abreast_cmac_stream *stream);

// Makes a key in HCTR2 of a key of a cipher with blocks of 128 bits. It keeps it.
//
// ABREAST_BLOCK_LENGTH.
int abreast_hctr2_new(const abreast_cipher *cipher, abreast_hctr2 **hctr2);

// Frees a handle. NULL is allowed.
void abreast_hctr2_free(abreast_hctr2 *hctr2);

// Encrypts a message of 16 bytes to 64 GiB as one wide block. Equal messages with equal tweaks give equal ciphertexts, and
// nothing is authenticated.
//
// tweak: any number of bytes, which may be none.
//
// ABREAST_MESSAGE_TOO_SHORT, ABREAST_MESSAGE_TOO_LONG. Then nothing was done.
int abreast_hctr2_encrypt(const abreast_hctr2 *hctr2,
                          const uint8_t *tweak,
                          size_t tweak_len,
                          const uint8_t *input,
                          uint8_t *output,
                          size_t len);

// Decrypts a message; the inverse of abreast_hctr2_encrypt.
int abreast_hctr2_decrypt(const abreast_hctr2 *hctr2,
                          const uint8_t *tweak,
                          size_t tweak_len,
                          const uint8_t *input,
                          uint8_t *output,
                          size_t len);

// Makes a key for HMAC-SHA-1 of a key of any length, which should have 20 random bytes or more. It is for protocols that prescribe
// it; collisions of SHA-1 do not break it.
//
// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists for "hmac-sha-1".
//
// ABREAST_UNKNOWN_KERNEL.
int abreast_hmac_sha1_new(const uint8_t *key,
                          size_t key_len,
                          const char *kernel,
                          abreast_hmac **hmac);

// Makes a key for HMAC-SHA-256 of a key of any length, which should have 32 random bytes or more.
//
// kernel: as for abreast_hmac_sha1_new.
//
// ABREAST_UNKNOWN_KERNEL.
int abreast_hmac_sha256_new(const uint8_t *key,
                            size_t key_len,
                            const char *kernel,
                            abreast_hmac **hmac);

// Frees a handle. NULL is allowed.
void abreast_hmac_free(abreast_hmac *hmac);

// The name of the kernel in use, such as "sha-ni"; NULL if hmac is. It is not to be freed.
const char *abreast_hmac_kernel(const abreast_hmac *hmac);

// Writes the tag of a message, as long as the hash, 20 or 32 bytes, or cut down to tag_len bytes, at least one.
//
// ABREAST_TAG_LENGTH.
int abreast_hmac_mac(const abreast_hmac *hmac,
                     const uint8_t *message,
                     size_t len,
                     uint8_t *tag,
                     size_t tag_len);

// Compares the tag of a message, in constant time.
//
// ABREAST_TAG_MISMATCH, ABREAST_TAG_LENGTH.
int abreast_hmac_verify(const abreast_hmac *hmac,
                        const uint8_t *message,
                        size_t len,
                        const uint8_t *tag,
                        size_t tag_len);

// Begins a message for HMAC that comes in pieces. The stream keeps the key.
int abreast_hmac_stream_new(const abreast_hmac *hmac, abreast_hmac_stream **stream);

// The bytes of memory that abreast_hmac_stream_init needs. Other versions of this library may need another number.
size_t abreast_hmac_stream_size(void);

// Begins a message as abreast_hmac_stream_new does, with the stream in memory of the caller: see abreast_stream_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP.
int abreast_hmac_stream_init(uint8_t *memory,
                             size_t size,
                             const abreast_hmac *hmac,
                             abreast_hmac_stream **stream);

// Begins another message under the key of a stream, whether the one before is finished or not. Nothing is allocated.
int abreast_hmac_stream_reset(abreast_hmac_stream *stream);

// Takes in the next piece, of any length.
//
// ABREAST_FINISHED.
int abreast_hmac_stream_update(abreast_hmac_stream *stream, const uint8_t *data, size_t len);

// Writes the tag. The stream is finished then.
//
// ABREAST_TAG_LENGTH: then the stream is as it was. ABREAST_FINISHED.
int abreast_hmac_stream_finish(abreast_hmac_stream *stream, uint8_t *tag, size_t tag_len);

// Compares the tag, in constant time. The stream is finished then.
//
// ABREAST_TAG_MISMATCH; ABREAST_TAG_LENGTH, and then the stream is as it was; ABREAST_FINISHED.
int abreast_hmac_stream_verify(abreast_hmac_stream *stream, const uint8_t *tag, size_t tag_len);

// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other: the
// common beginning of several messages is processed once.
int abreast_hmac_stream_clone(const abreast_hmac_stream *stream,
                              abreast_hmac_stream **clone);

// Frees a stream and wipes it. NULL is allowed.
void abreast_hmac_stream_free(abreast_hmac_stream *stream);

// Wraps or unwraps a key with another one, which is that of a cipher with blocks of 128 bits.
//
// operation: ABREAST_KEY_WRAP, ABREAST_KEY_UNWRAP, ABREAST_KEY_WRAP_PADDED or ABREAST_KEY_UNWRAP_PADDED.
// input: len bytes; see the operation.
// output: output_len bytes, which have no byte in common with input. A wrapped key has 8 bytes more than the key, after padding to
// a multiple of 8; the place of an unwrapped one has 8 bytes less than the wrapped.
// written: where the number of bytes that count goes, which is less than output_len if there is padding.
//
// ABREAST_TAG_MISMATCH if the key was not wrapped by this one; then the output is zeros. ABREAST_WRAP_LENGTH,
// ABREAST_BUFFER_LENGTHS if output_len is another number, ABREAST_BLOCK_LENGTH, ABREAST_OPERATION.
int abreast_key_wrap(const abreast_cipher *wrapping,
                     int operation,
                     const uint8_t *input,
                     size_t len,
                     uint8_t *output,
                     size_t output_len,
                     size_t *written);

// Does as abreast_key_wrap for each of many keys, side by side, under one wrapping key or under a key each.
//
// packet_size: sizeof(struct abreast_wrap_packet).
//
// ABREAST_BATCH if some were not done: each has its own status. ABREAST_OPERATION: then nothing was done, and all packets have
// ABREAST_NOT_PROCESSED.
int abreast_wrap_packets(int operation,
                         struct abreast_wrap_packet *packets,
                         size_t count,
                         size_t packet_size);

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
// first: the number of the first one, 16 bytes, little-endian. Numbers wrap from 2^128 - 1 to 0 without an error.
// unit: bytes of a unit, 16 to 2^24; the last one may be shorter. A single unit is one call with unit equal to len.
//
// ABREAST_UNIT_LENGTH if unit, or the last unit, is less than 16 bytes or more than 2^24, and if len is 0, whatever
// unit is: there is no data unit without a block. Then nothing was done.
int abreast_xts_encrypt(const abreast_xts *xts,
                        const uint8_t *first,
                        size_t unit,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Decrypts data units; the inverse of abreast_xts_encrypt.
int abreast_xts_decrypt(const abreast_xts *xts,
                        const uint8_t *first,
                        size_t unit,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len);

// Encrypts a message as abreast_aead_encrypt does, under a key of SIV or AEZ, with any number of strings of associated data in
// one buffer.
//
// ad: the strings, one after the other, ad_len bytes in all. ad_lens: ad_count lengths of them, in bytes. Strings that are cut
// elsewhere are others, and an empty one is another thing than none. SIV takes up to 126 of them, the nonce among them, which
// comes last and is none if it is empty. More than 8 are put into allocated memory.
//
// ABREAST_STRING_LENGTHS, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG for too many strings too, ABREAST_WRONG_KEY for a key of
// another mode; then nothing was done.
int abreast_aead_encrypt_strings(const abreast_aead *aead,
                                 const uint8_t *nonce,
                                 size_t nonce_len,
                                 const uint8_t *ad,
                                 size_t ad_len,
                                 const size_t *ad_lens,
                                 size_t ad_count,
                                 const uint8_t *input,
                                 uint8_t *output,
                                 size_t len,
                                 uint8_t *tag,
                                 size_t tag_len);

// Decrypts a message if its tag is right; the inverse of abreast_aead_encrypt_strings.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; the other statuses of abreast_aead_encrypt_strings.
int abreast_aead_decrypt_strings(const abreast_aead *aead,
                                 const uint8_t *nonce,
                                 size_t nonce_len,
                                 const uint8_t *ad,
                                 size_t ad_len,
                                 const size_t *ad_lens,
                                 size_t ad_count,
                                 const uint8_t *input,
                                 uint8_t *output,
                                 size_t len,
                                 const uint8_t *tag,
                                 size_t tag_len);

// Encrypts each value of a column, and writes another one whose values have all that decryption needs but the key.
//
// aead: a key in SIV, under which equal values become equal, or in GCM. schema, array: binary values, strings, or binary
// values of one length (the formats z, Z, u, U and w of Arrow), from any offset on. They are read, and not released. prefix: bytes
// that come before each value, such as those that name its key; they are not authenticated. nonces: with GCM 12 bytes for each row,
// null ones too, which must never repeat under a key; with SIV none. aad: associated data of all rows; or aad_schema and
// aad_array, a column with a string for each row, null at most where the value is, and NULL otherwise. schema_out, array_out: the
// result, binary values (Z for Z and U, z for the others), nulls where the column has them. Its release callbacks free it; it has no
// name. If the call fails, both are structs that were released. But ABREAST_NULL_POINTER, ABREAST_LENGTH, ABREAST_OVERLAP and
// ABREAST_ALIGNMENT may leave them as they were: set release to NULL before the call.
//
// A value becomes the nonce, its ciphertext and the tag with GCM, and the tag and its ciphertext with SIV.
//
// ABREAST_COLUMN_TYPE, ABREAST_COLUMN, ABREAST_COLUMN_OFFSETS, ABREAST_COLUMN_ROWS, ABREAST_COLUMN_LENGTH,
// ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG, ABREAST_OUT_OF_MEMORY.
int abreast_column_encrypt(const abreast_aead *aead,
                           const struct ArrowSchema *schema,
                           const struct ArrowArray *array,
                           const uint8_t *prefix,
                           size_t prefix_len,
                           const uint8_t *nonces,
                           size_t nonces_len,
                           const uint8_t *aad,
                           size_t aad_len,
                           const struct ArrowSchema *aad_schema,
                           const struct ArrowArray *aad_array,
                           struct ArrowSchema *schema_out,
                           struct ArrowArray *array_out);

// Decrypts a column of abreast_column_encrypt, with the same prefix and associated data, to binary values.
//
// invalid: where the number of rows goes that are not authentic or do not begin with the prefix; they become null. If it is
// NULL, one such row is ABREAST_TAG_MISMATCH, and there is no result.
//
// The bytes of the result are wiped when they are freed. The statuses of abreast_column_encrypt.
int abreast_column_decrypt(const abreast_aead *aead,
                           const struct ArrowSchema *schema,
                           const struct ArrowArray *array,
                           const uint8_t *prefix,
                           size_t prefix_len,
                           const uint8_t *aad,
                           size_t aad_len,
                           const struct ArrowSchema *aad_schema,
                           const struct ArrowArray *aad_array,
                           size_t *invalid,
                           struct ArrowSchema *schema_out,
                           struct ArrowArray *array_out);

// Prepares a key of AEZ v5.
//
// key: of any length; 48 bytes are taken as they are, others are hashed. kernel: NULL for the best one of this CPU, or
// one that abreast_kernel_at lists for "aez".
//
// ABREAST_UNKNOWN_KERNEL.
int abreast_aez_new(const uint8_t *key,
                    size_t key_len,
                    const char *kernel,
                    abreast_aead **aead);

// The bytes of memory that abreast_aez_init needs. Other versions of this library may need another number.
size_t abreast_aez_size(void);

// Prepares a key of AEZ as abreast_aez_new does, in memory of the caller: see abreast_gcm_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_UNKNOWN_KERNEL.
int abreast_aez_init(uint8_t *memory,
                     size_t size,
                     const uint8_t *key,
                     size_t key_len,
                     const char *kernel,
                     abreast_aead **aead);

// Encrypts a message as abreast_aead_encrypt does, with any number of strings of associated data.
//
// ad: ad_count strings. None and one empty string are not the same. More than 8 of them are put into allocated memory.
//
// ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG, ABREAST_WRONG_KEY for a key of another mode; then nothing was done.
int abreast_aez_encrypt(const abreast_aead *aead,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const struct abreast_string *ad,
                        size_t ad_count,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        uint8_t *tag,
                        size_t tag_len);

// Decrypts a message if its tag is right; the inverse of abreast_aez_encrypt.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; the other statuses of abreast_aez_encrypt.
int abreast_aez_decrypt(const abreast_aead *aead,
                        const uint8_t *nonce,
                        size_t nonce_len,
                        const struct abreast_string *ad,
                        size_t ad_count,
                        const uint8_t *input,
                        uint8_t *output,
                        size_t len,
                        const uint8_t *tag,
                        size_t tag_len);

// Encrypts a message that is followed by tag_len bytes of any content; all of it, len bytes, becomes the ciphertext. Tags of
// any length can be had this way.
//
// ABREAST_BUFFER_TOO_SHORT if len is less than tag_len; ABREAST_MESSAGE_TOO_LONG; then nothing was done.
int abreast_aez_encrypt_joined(const abreast_aead *aead,
                               const uint8_t *nonce,
                               size_t nonce_len,
                               const struct abreast_string *ad,
                               size_t ad_count,
                               size_t tag_len,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Decrypts a whole ciphertext from abreast_aez_encrypt_joined, if it is authentic: the output is the message and
// tag_len zeros.
//
// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_MESSAGE_TOO_LONG.
int abreast_aez_decrypt_joined(const abreast_aead *aead,
                               const uint8_t *nonce,
                               size_t nonce_len,
                               const struct abreast_string *ad,
                               size_t ad_count,
                               size_t tag_len,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len);

// Begins a circuit at a relay, in Counter Galois Onion with AES-128, by which Tor encrypts relay cells (proposal 359).
//
// keys: 180 bytes from the handshake: the seeds forward and backward, and the binding, which is not looked at.
// kernel: as for abreast_cipher_new.
//
// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY.
int abreast_cgo_relay_new(const uint8_t *keys,
                          size_t keys_len,
                          const char *kernel,
                          abreast_cgo_relay **relay);

// Frees a circuit and wipes it. NULL is allowed.
void abreast_cgo_relay_free(abreast_cgo_relay *relay);

// Takes cells of many circuits from the clients' side, side by side. A cell that has a tag then is for this relay, and is
// plaintext; others are for the next relay.
//
// A circuit may be there several times: its cells are done in their order, as by calls one after the other.
// cell_size: sizeof(struct abreast_cgo_cell).
//
// ABREAST_BATCH if some were not done: each has its own status.
int abreast_cgo_forward(struct abreast_cgo_cell *cells,
                        size_t count,
                        size_t cell_size);

// Takes cells of many circuits from the side away from the clients, as abreast_cgo_forward does from the other. None has a tag
// then.
int abreast_cgo_backward(struct abreast_cgo_cell *cells,
                         size_t count,
                         size_t cell_size);

// Encrypts cells of this relay for the clients of many circuits, as abreast_cgo_backward does. The payload comes after the first
// 16 bytes, which the tag takes.
int abreast_cgo_originate(struct abreast_cgo_cell *cells,
                          size_t count,
                          size_t cell_size);

// Begins a circuit at a client, without hops.
//
// ABREAST_OUT_OF_MEMORY.
int abreast_cgo_client_new(abreast_cgo_client **client);

// Adds a hop to the end of a circuit.
//
// keys, kernel: as for abreast_cgo_relay_new.
//
// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY; ABREAST_NO_HOP if the circuit has 8 hops already.
int abreast_cgo_client_add_hop(abreast_cgo_client *client,
                               const uint8_t *keys,
                               size_t keys_len,
                               const char *kernel);

// Encrypts a cell for a hop, counted from 0, and makes new keys of that hop.
//
// command: as in struct abreast_cgo_cell.
// cell: 509 bytes, which are changed in their place. The payload comes after the first 16, which the tag takes.
// tag: where the 16 bytes of the cell's tag go.
//
// ABREAST_NO_HOP. Then nothing was done.
int abreast_cgo_client_originate(abreast_cgo_client *client,
                                 size_t hop,
                                 uint8_t command,
                                 uint8_t *cell,
                                 uint8_t *tag);

// Takes the layers off a cell that came back, up to that of the hop that originated it.
//
// command, cell, tag: as for abreast_cgo_client_originate.
// hop: where the number of that hop goes, counted from 0.
//
// ABREAST_TAG_MISMATCH if the cell is from no hop: then it is noise, and Tor closes the circuit.
int abreast_cgo_client_backward(abreast_cgo_client *client,
                                uint8_t command,
                                uint8_t *cell,
                                size_t *hop,
                                uint8_t *tag);

// Frees a circuit and wipes it. NULL is allowed.
void abreast_cgo_client_free(abreast_cgo_client *client);

// Encrypts or decrypts a message under a key of its own. RC4 is broken and not constant time: this is for protocols
// and formats that cannot be changed.
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

// The bytes of memory that abreast_rc4_stream_init needs. Other versions of this library may need another number.
size_t abreast_rc4_stream_size(void);

// Begins the stream of a key as abreast_rc4_stream_new does, in memory of the caller: see abreast_stream_init.
//
// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_KEY_LENGTH.
int abreast_rc4_stream_init(uint8_t *memory,
                            size_t size,
                            const uint8_t *key,
                            size_t key_len,
                            abreast_rc4_stream **stream);

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

// Applies many streams side by side, each as abreast_rc4_stream_apply does.
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

// Does an operation for each of many packets. The fields that it uses:
//
// *ABREAST_ECB_ENCRYPT to ABREAST_CBC_DECRYPT, ABREAST_OFB, ABREAST_CTR16 to ABREAST_CTR128: key is an abreast_cipher,
//   iv the vector. The statuses are those of abreast_cipher_crypt, except that ECB ignores iv.
// *ABREAST_XTS_ENCRYPT, ABREAST_XTS_DECRYPT: key is an abreast_xts, iv the number of the data unit, 16 bytes,
//   little-endian; the message is that unit. ABREAST_IV_LENGTH; ABREAST_UNIT_LENGTH for less than 16 bytes (0 too) or
//   more than 2^24.
// *ABREAST_HCTR2_ENCRYPT, ABREAST_HCTR2_DECRYPT: key is an abreast_hctr2, iv the tweak. The statuses are those of
//   abreast_hctr2_encrypt. Packets that follow each other under one key take less time.
// *ABREAST_GCM_ENCRYPT to ABREAST_AEZ_DECRYPT, ABREAST_GCM_SIV_ENCRYPT to ABREAST_SIV_DECRYPT: key is an abreast_aead of
//   that mode, iv the nonce, aad the associated data. The statuses are those of abreast_aead_encrypt and abreast_aead_decrypt.
// *ABREAST_CMAC, ABREAST_CMAC_VERIFY: key is an abreast_cmac, aad the message; there is no input and no output. The
//   statuses are those of abreast_cmac_mac and abreast_cmac_verify.
// *ABREAST_HMAC_SHA1 to ABREAST_HMAC_SHA256_VERIFY: key is an abreast_hmac for that hash, aad the message; there is no input and
//   no output. The statuses are those of abreast_hmac_mac and abreast_hmac_verify.
//
// packet_size: sizeof(struct abreast_packet).
//
// ABREAST_BATCH if some were not done: each has its own status. ABREAST_OPERATION for CFB and for a number that is no
// operation: then nothing was done, and all packets have ABREAST_NOT_PROCESSED.
int abreast_packets(int operation,
                    struct abreast_packet *packets,
                    size_t count,
                    size_t packet_size);

// Makes a session of SRTP, for packets of RTP and RTCP in one direction: derives its keys from a master key and its salt, once
// for all packets.
//
// profile: one of enum abreast_srtp_profile, which says how long both are.
//
// ABREAST_OPERATION for another profile; ABREAST_KEY_LENGTH; ABREAST_NONCE_LENGTH for the salt.
int abreast_srtp_new(int profile,
                     const uint8_t *master_key,
                     size_t key_len,
                     const uint8_t *master_salt,
                     size_t salt_len,
                     abreast_srtp **session);

// Frees a session. NULL is allowed.
void abreast_srtp_free(abreast_srtp *session);

// The index that a packet of RTP most likely has (RFC 3711, section 3.3.1): the number of roll-overs, times 2^16, and its own
// number.
//
// rollovers, highest: those of the packet with the highest index so far.
// sequence: the number of the packet, its third and fourth byte.
uint64_t abreast_srtp_estimated_index(uint32_t rollovers,
                                      uint16_t highest,
                                      uint16_t sequence);

// Protects packets of RTP and RTCP, each under its session: encrypts them in place, and appends a tag, to RTCP its index too.
// Neither a list against replays nor MKI is part of it.
//
// packet_size: sizeof(struct abreast_srtp_packet).
//
// ABREAST_BATCH if some were not done: each has its own status. ABREAST_MESSAGE_TOO_SHORT for a packet shorter than its headers;
// ABREAST_HEADER; ABREAST_BUFFER_TOO_SHORT; ABREAST_COUNTER_EXHAUSTED for an index of RTCP of more than 31 bits;
// ABREAST_MESSAGE_TOO_LONG for more than 1 MiB to encrypt in counter mode; ABREAST_OPERATION for a protocol that there is none of.
int abreast_srtp_protect(struct abreast_srtp_packet *packets,
                         size_t count,
                         size_t packet_size);

// Unprotects packets of RTP and RTCP, each under its session: compares tags in constant time, and decrypts what is authentic.
//
// ABREAST_BATCH, as for abreast_srtp_protect. ABREAST_TAG_MISMATCH: then the packet is as it was in counter mode, so that another
// number of roll-overs can be tried, and in GCM what was encrypted is zeros.
int abreast_srtp_unprotect(struct abreast_srtp_packet *packets,
                           size_t count,
                           size_t packet_size);

// Makes a security association of IPsec ESP, for packets in one direction.
//
// suite: one of enum abreast_esp_suite.
// spi: the number of the association.
// key: of AES, 16, 24 or 32 bytes, followed in counter mode and in GCM by the 4 bytes of nonce or salt.
// auth_key: the key to authenticate with; NULL and 0 in GCM.
// extended: 1 for sequence numbers of 64 bits (RFC 4303, section 2.2.1), 0 for those of 32.
//
// ABREAST_OPERATION for another suite; ABREAST_KEY_LENGTH for either key.
int abreast_esp_new(int suite,
                    uint32_t spi,
                    const uint8_t *key,
                    size_t key_len,
                    const uint8_t *auth_key,
                    size_t auth_key_len,
                    int extended,
                    abreast_esp **association);

// Frees an association. NULL is allowed.
void abreast_esp_free(abreast_esp *association);

// Seals packets of ESP, each under its association: writes their headers, encrypts them in place, and appends a tag.
//
// packet_size: sizeof(struct abreast_esp_packet).
//
// ABREAST_BATCH if some were not done: each has its own status. ABREAST_MESSAGE_TOO_SHORT for a packet without room for its header;
// ABREAST_BUFFER_TOO_SHORT; ABREAST_PARTIAL_BLOCK for a text that CBC does not take; ABREAST_IV_LENGTH; ABREAST_COUNTER_EXHAUSTED for
// a sequence number of more than 32 bits that is not extended: then it is as it was. ABREAST_MESSAGE_TOO_LONG.
int abreast_esp_seal(struct abreast_esp_packet *packets,
                     size_t count,
                     size_t packet_size);

// Opens packets of ESP, each under its association: compares tags in constant time, and decrypts what is authentic. The SPI is
// authenticated, and not compared with the association's; a list against replays is the caller's.
//
// ABREAST_BATCH, as for abreast_esp_seal. ABREAST_TAG_MISMATCH: then the packet is as it was under HMAC, and in GCM what was
// encrypted is zeros.
int abreast_esp_open(struct abreast_esp_packet *packets,
                     size_t count,
                     size_t packet_size);

// Makes a key of QUIC for the packets of one direction, of one encryption level and, in packets with a short header, one phase
// (RFC 9001, section 5.1), with AES-128-GCM or AES-256-GCM.
//
// key: 16 or 32 bytes, "quic key" of TLS.
// iv: 12 bytes, "quic iv".
//
// ABREAST_KEY_LENGTH.
int abreast_quic_key_new(const uint8_t *key,
                         size_t key_len,
                         const uint8_t *iv,
                         abreast_quic_key **quic_key);

// Frees a key of packets. NULL is allowed.
void abreast_quic_key_free(abreast_quic_key *quic_key);

// Makes a key of QUIC for the headers of one direction and encryption level, with AES-128 or AES-256. It stays when the key of
// packets is updated.
//
// key: 16 or 32 bytes, "quic hp" of TLS.
//
// ABREAST_KEY_LENGTH.
int abreast_quic_header_key_new(const uint8_t *key,
                                size_t key_len,
                                abreast_quic_header_key **header_key);

// Frees a key of headers. NULL is allowed.
void abreast_quic_header_key_free(abreast_quic_header_key *header_key);

// Makes the mask of one header (RFC 9001, section 5.4.3). Batches make those of their packets themselves.
//
// sample: 16 bytes of the ciphertext, from 4 bytes behind the beginning of the packet number.
// mask: where the mask goes, 5 bytes: one for the first byte, and four for the packet number.
int abreast_quic_mask(const abreast_quic_header_key *header_key,
                      const uint8_t *sample,
                      uint8_t *mask);

// Encrypts packets of QUIC (RFC 9001, section 5.3) and protects their headers, each under its keys, in place.
//
// packet_size: sizeof(struct abreast_quic_packet).
//
// ABREAST_BATCH if some were not done: each has its own status, and is as it was. ABREAST_MESSAGE_TOO_SHORT for less than 20 bytes
// from the packet number on, or none before it; ABREAST_KEY_PHASE.
int abreast_quic_seal(struct abreast_quic_packet *packets,
                      size_t count,
                      size_t packet_size);

// Takes the protection off the headers of packets of QUIC and decrypts those that are authentic, each under its keys, in place. The
// reserved bits of an authentic header must be zero (RFC 9001, section 5.4.1), which is left to the caller.
//
// ABREAST_BATCH, as for abreast_quic_seal. ABREAST_TAG_MISMATCH: then the header is without protection, and what was encrypted is
// zeros.
int abreast_quic_open(struct abreast_quic_packet *packets,
                      size_t count,
                      size_t packet_size);

// Describes an OpenCL device by its number, from 0, GPUs first. The strings are there for good.
//
// info_size: sizeof(struct abreast_device_info).
//
// ABREAST_NO_OPENCL if there is no OpenCL library on this machine; ABREAST_NO_DEVICE if there is no device of this number,
// which ends a loop over all.
int abreast_device_at(size_t index,
                      struct abreast_device_info *info,
                      size_t info_size);

// Takes an OpenCL device into use. It may be used by several threads at once, which take turns.
//
// name: NULL for the first that can be used, or a name that abreast_device_at gives, or a part of one, whatever the case; not
// an empty one.
// cache: a folder for compiled kernels and measured constants, which is made if it is not there; whoever may write to it can
// have the device run what they like. NULL, or an empty name, to keep nothing: then kernels are compiled anew in each
// process.
// time_limit: the milliseconds to wait for each copy and each kernel run, of some 16 MiB, before the device is given up
// (ABREAST_DEVICE_TIMED_OUT); 0 for five minutes.
//
// Kernels are compiled, and tested against the CPU, when the first key for them is made: that takes from some tenths of a
// second to some seconds, and time_limit does not apply to it.
//
// A device is of the process that took it into use. In a child of fork, calls on it give ABREAST_DEVICE_DROPPED, or go to the
// CPU if the kernel is "auto"; the child takes the device into use anew. One that let the limit pass may still be at work
// when it is taken into use again, and let it pass again.
//
// ABREAST_NO_OPENCL, ABREAST_NO_DEVICE, ABREAST_DEVICE_NAME, ABREAST_DEVICE_UNSUITABLE, ABREAST_DEVICE_MEMORY,
// ABREAST_DEVICE_LOST, ABREAST_DEVICE_TIMED_OUT.
int abreast_device_new(const char *name,
                       const char *cache,
                       uint32_t time_limit,
                       abreast_device **device);

// Frees a handle. The device is given back when no key on it is there any more. NULL is allowed.
void abreast_device_free(abreast_device *device);

// Prepares a key of a block cipher on a device.
//
// name, key, key_len: as for abreast_cipher_new.
// kernel: "opencl" or NULL to have the device do all whole blocks. "auto" to have each call done by the device or by one
// thread of the CPU, whichever is expected to be faster for its length; if the device fails, the CPU does the rest. The
// expected times follow from constants that are measured when the first such key is made, in about a second, and kept in the
// cache of the device.
//
// ABREAST_UNKNOWN_CIPHER, ABREAST_UNKNOWN_KERNEL, ABREAST_KEY_LENGTH; ABREAST_DEVICE_KERNELS,
// ABREAST_DEVICE_WRONG_RESULT and the other statuses of devices if the device cannot do it.
int abreast_device_cipher_new(const abreast_device *device,
                              const char *name,
                              const uint8_t *key,
                              size_t key_len,
                              const char *kernel,
                              abreast_device_cipher **cipher);

// Frees a handle, and wipes the key on the device. NULL is allowed.
void abreast_device_cipher_free(abreast_device_cipher *cipher);

// Encrypts or decrypts a message in one call, on the device. It may be longer than the memory of the device.
//
// operation, iv, input, output, len: as for abreast_cipher_crypt, which gives the same. Devices have ABREAST_ECB_ENCRYPT,
// ABREAST_ECB_DECRYPT and ABREAST_CTR16 to ABREAST_CTR128.
// done: where to write the number of bytes of output, from the beginning, that are done; or NULL. With ABREAST_OK that is len.
// With the statuses of devices it may be less; the other bytes are unchanged, and abreast_cipher_crypt can go on from there.
// done is not written if a pointer is invalid, or a length is more than any buffer can have.
//
// ABREAST_OPERATION and the other statuses of abreast_cipher_crypt: then nothing was done. ABREAST_DEVICE_WRONG_RESULT,
// ABREAST_DEVICE_LOST, ABREAST_DEVICE_TIMED_OUT, ABREAST_DEVICE_DROPPED, ABREAST_DEVICE_MEMORY: not if the kernel is "auto".
int abreast_device_cipher_crypt(const abreast_device_cipher *cipher,
                                int operation,
                                const uint8_t *iv,
                                size_t iv_len,
                                const uint8_t *input,
                                uint8_t *output,
                                size_t len,
                                size_t *done);

// Prepares a pair of keys in XTS on a device, of a cipher with blocks of 128 bits.
//
// data, tweak: the two keys, key_len bytes each. name, kernel: as for abreast_device_cipher_new.
//
// ABREAST_EQUAL_KEYS, ABREAST_BLOCK_LENGTH, and the statuses of abreast_device_cipher_new.
int abreast_device_xts_new(const abreast_device *device,
                           const char *name,
                           const uint8_t *data,
                           const uint8_t *tweak,
                           size_t key_len,
                           const char *kernel,
                           abreast_device_xts **xts);

// Frees a handle, and wipes the keys on the device. NULL is allowed.
void abreast_device_xts_free(abreast_device_xts *xts);

// Encrypts data units with consecutive numbers on the device, as abreast_xts_encrypt does, whose arguments it has. done: as
// for abreast_device_cipher_crypt.
//
// ABREAST_DEVICE_UNSUPPORTED if unit is no whole number of blocks and the kernel is not "auto"; the last unit may end within
// a block in any case. ABREAST_UNIT_LENGTH as there, and the statuses of abreast_device_cipher_crypt.
int abreast_device_xts_encrypt(const abreast_device_xts *xts,
                               const uint8_t *first,
                               size_t unit,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len,
                               size_t *done);

// Decrypts data units; the inverse of abreast_device_xts_encrypt.
int abreast_device_xts_decrypt(const abreast_device_xts *xts,
                               const uint8_t *first,
                               size_t unit,
                               const uint8_t *input,
                               uint8_t *output,
                               size_t len,
                               size_t *done);

// Encrypts or decrypts many messages by XTEA with 32 cycles on a device, block by block (ECB), each message under a key of its
// own.
//
// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. big_endian: as for abreast_xtea_new.
// message_size: sizeof(struct abreast_xtea_message).
//
// ABREAST_BATCH if some were not done: each has its own status, which may be ABREAST_PARTIAL_BLOCK. The statuses of devices
// if the device failed, in all messages that were not refused: none of them is done then, and those in place are unchanged.
// The call allocates.
int abreast_device_xtea_apply_keys(const abreast_device *device,
                                   int direction,
                                   int big_endian,
                                   struct abreast_xtea_message *messages,
                                   size_t count,
                                   size_t message_size);

// Does as abreast_rc4_apply_keys on a device. RC4 on a device is as broken as elsewhere.
//
// ABREAST_BATCH if some were not done: each has its own status, which may be ABREAST_KEY_LENGTH, or
// ABREAST_DEVICE_UNSUPPORTED if more than 2^20 bytes of keystream are to be left out. The statuses of devices as for
// abreast_device_xtea_apply_keys. The call allocates.
int abreast_device_rc4_apply_keys(const abreast_device *device,
                                  struct abreast_rc4_message *messages,
                                  size_t count,
                                  size_t message_size);

// Tries many keys of XTEA with 32 cycles on one ciphertext, on a device: which of them decrypt it (ECB) to a plaintext that
// begins so? The device tells which these are, and the CPU tries each of them again.
//
// keys: count of them, 16 bytes each, one after the other. big_endian: as for abreast_xtea_new.
// ciphertext: len bytes, whole blocks, 64 at most.
// text: text_len bytes with which the plaintext has to begin. mask: NULL, or text_len bytes, of which the bits that are 1 say
// which bits of text count.
// found: where the positions of these keys go, in their order, room of them at most. found_count: how many keys fit, which
// may be more than there was room for.
//
// ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG, the statuses of devices: then no key was found.
int abreast_device_xtea_try_keys(const abreast_device *device,
                                 int big_endian,
                                 const uint8_t *keys,
                                 size_t count,
                                 const uint8_t *ciphertext,
                                 size_t len,
                                 const uint8_t *text,
                                 const uint8_t *mask,
                                 size_t text_len,
                                 size_t *found,
                                 size_t room,
                                 size_t *found_count);

// Tries many keys of RC4 on one ciphertext, as abreast_device_xtea_try_keys does.
//
// keys: count of them, key_len bytes each, 1 to 256. skip: how many bytes of keystream are left out in front, 2^20 at most.
// ciphertext: len bytes, 64 at most. The other arguments are those of abreast_device_xtea_try_keys.
//
// ABREAST_KEY_LENGTH, ABREAST_MESSAGE_TOO_LONG, ABREAST_DEVICE_UNSUPPORTED if skip is more, the statuses of devices: then no
// key was found.
int abreast_device_rc4_try_keys(const abreast_device *device,
                                const uint8_t *keys,
                                size_t key_len,
                                size_t count,
                                uint64_t skip,
                                const uint8_t *ciphertext,
                                size_t len,
                                const uint8_t *text,
                                const uint8_t *mask,
                                size_t text_len,
                                size_t *found,
                                size_t room,
                                size_t *found_count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif
