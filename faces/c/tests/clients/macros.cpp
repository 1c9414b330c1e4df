// The headers after macros that the headers of X11 and Windows define. Their values are such that no code survives them.

#define BROKEN +-+ this is a macro of another header

// X11/X.h, X11/Xlib.h
#define Above BROKEN
#define AllTemporary BROKEN
#define Always BROKEN
#define AnyKey BROKEN
#define Below BROKEN
#define Bool BROKEN
#define Complex BROKEN
#define CurrentTime BROKEN
#define False BROKEN
#define NoSymbol BROKEN
#define None BROKEN
#define Status BROKEN
#define Success BROKEN
#define True BROKEN
#define Unsorted BROKEN
// windows.h, winnt.h, wingdi.h, winuser.h, rpcndr.h, math.h
#define ABSOLUTE BROKEN
#define CONST BROKEN
#define CreateFont BROKEN
#define DELETE BROKEN
#define DIFFERENCE BROKEN
#define DOMAIN BROKEN
#define DrawText BROKEN
#define ERROR BROKEN
#define FAR BROKEN
#define GetMessage BROKEN
#define GetObject BROKEN
#define IGNORE BROKEN
#define IN BROKEN
#define INFINITE BROKEN
#define NEAR BROKEN
#define NO_ERROR BROKEN
#define OPTIONAL BROKEN
#define OUT BROKEN
#define OVERFLOW BROKEN
#define RELATIVE BROKEN
#define STRICT BROKEN
#define SendMessage BROKEN
#define THIS BROKEN
#define TRANSPARENT BROKEN
#define UNDERFLOW BROKEN
#define VOID BROKEN
#define Yield BROKEN
#define far BROKEN
#define hyper BROKEN
#define interface BROKEN
#define max(a, b) BROKEN
#define min(a, b) BROKEN
#define near BROKEN
#define pascal BROKEN
#define small BROKEN

#include <abreast.hpp>
#include <abreast/xtea.hpp>

#include "check.h"

#if !defined(Status) || !defined(Success) || !defined(None)
#error "the macros are what they were"
#endif

int after_macros();

int after_macros() {
    std::array<std::byte, 16> key{}, counter{}, data{}, tag{};
    // std::byte wherever there are bytes, and a key in memory of the caller.
    std::vector<std::byte> memory(abreast::CipherInPlace::room("aes-128"));
    CHECK(!memory.empty() && abreast::CipherInPlace::room("no cipher") == 0);
    auto cipher = abreast::CipherInPlace::make(memory, "aes-128", key);
    CHECK(cipher.ok() && cipher->block_size() == 16);
    abreast::Outcome done = cipher->crypt(ABREAST_CTR128, counter, data);
    CHECK(done.ok() && data[0] == std::byte{0x66});
    auto gcm = abreast::Aead::gcm(*cipher);
    CHECK(gcm->encrypt(counter, {}, data, tag).ok());
    const std::byte raw[16] = {};
    std::byte in_an_array[16] = {};
    auto other = abreast::Cipher::make("aes-128", raw);
    CHECK(other->crypt(ABREAST_CTR128, counter, in_an_array).ok() && in_an_array[0] == std::byte{0x66});
    CHECK(abreast::CipherInPlace::make(abreast::MutBytes(memory.data(), 16), "aes-128", key).status().code() ==
          ABREAST_MEMORY_SIZE);
    std::uint8_t block[9] = {};
    CHECK(abreast::xtea::try_encrypt(block, 9, {}) == ABREAST_PARTIAL_BLOCK);
    return ABREAST_OK;
}
