// abreast for C++17 and later: classes over the functions of abreast.h, in this header alone.
//
// * Handles are freed by themselves and are moved, not copied. Streams keep their keys.
// * Calls give a Status. Functions that make a handle give a Result, which has a Status and, if that is ok, a value. No
//   exception is thrown unless it is asked for: Status::or_throw and Result::value throw Error (and end the program where
//   exceptions are switched off).
// * A Buffer is one span, worked on in place, or two of one length, from the first to the second.
// * A batch is a span of Packets.
//
//     auto key = abreast::Cipher::make("aes-128", bytes);             // Result<Cipher>
//     if (!key.ok()) return key.status().text();
//     abreast::Status done = key->crypt(ABREAST_CTR128, counter, message);
//
// abreast.h describes the arguments and the statuses.

#ifndef ABREAST_HPP
#define ABREAST_HPP

#include "abreast.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif
#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

// Headers of X11 define this one as a macro. Outside of this header the macro is unchanged; where it is defined,
// abreast::Outcome is the same class.
#pragma push_macro("Status")
#undef Status

namespace abreast {

#if defined(__cpp_lib_span)
template <class T>
using Span = std::span<T>;
#else
/// The part of C++20's std::span that is wanted here.
template <class T>
class Span {
public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    /// Refers to anything that has its elements one after the other: std::array, std::vector, another span. Elements of a
    /// class that is derived from T are rejected, since they lie further apart.
    template <class C, class = std::enable_if_t<
                           std::is_convertible_v<
                               std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[], T (*)[]> &&
                           !std::is_same_v<std::remove_cv_t<std::remove_reference_t<C>>, Span>>>
    constexpr Span(C &&container) noexcept : data_(container.data()), size_(container.size()) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t index) const noexcept { return data_[index]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

/// Bytes, of std::uint8_t or std::byte.
template <class T>
class BasicBytes : public Span<T> {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;

public:
    constexpr BasicBytes() noexcept = default;
    using Span<T>::Span;
    constexpr BasicBytes(Span<T> span) noexcept : Span<T>(span) {}
    BasicBytes(Byte *data, std::size_t size) noexcept : Span<T>(reinterpret_cast<T *>(data), size) {}
    template <std::size_t N>
    BasicBytes(Byte (&array)[N]) noexcept : BasicBytes(array, N) {}
    template <class C, class E = std::remove_pointer_t<decltype(std::declval<C &>().data())>,
              class = std::enable_if_t<std::is_same_v<E, std::byte> || std::is_same_v<E, Byte>>>
    BasicBytes(C &&container) noexcept : BasicBytes(static_cast<Byte *>(container.data()), container.size()) {}
};
/// Bytes that are read.
using Bytes = BasicBytes<const std::uint8_t>;
/// Bytes that are written.
using MutBytes = BasicBytes<std::uint8_t>;

/// The bytes of a string.
inline Bytes bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

/// The outcome of a call: ABREAST_OK or another of abreast_status.
class [[nodiscard]] Status {
public:
    constexpr Status(int code) noexcept : code_(code) {}

    constexpr bool ok() const noexcept { return code_ == ABREAST_OK; }
    constexpr int code() const noexcept { return code_; }
    /// A sentence for it.
    const char *text() const noexcept { return abreast_status_text(code_); }
    /// Throws Error unless it is ok.
    void or_throw() const;

    friend constexpr bool operator==(Status a, Status b) noexcept { return a.code_ == b.code_; }
    friend constexpr bool operator!=(Status a, Status b) noexcept { return a.code_ != b.code_; }

private:
    int code_;
};
using Outcome = Status;

#if defined(__cpp_exceptions)
/// A status that is not ok, for those who want it thrown.
class Error : public std::runtime_error {
public:
    explicit Error(Status status) : std::runtime_error(status.text()), status_(status) {}
    Status status() const noexcept { return status_; }

private:
    Status status_;
};

inline void Status::or_throw() const {
    if (!ok()) throw Error(*this);
}
#else
inline void Status::or_throw() const {
    if (!ok()) std::abort();
}
#endif

/// A value, or the status that says why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(Status status, T value) noexcept : status_(status), value_(std::move(value)) {}

    bool ok() const noexcept { return status_.ok(); }
    Status status() const noexcept { return status_; }
    /// The value; Error is thrown if there is none.
    T value() && {
        status_.or_throw();
        return std::move(value_);
    }
    /// The value, which is there if ok() says so. Of a handle that is none, all calls give ABREAST_NULL_POINTER.
    T &operator*() noexcept { return value_; }
    T *operator->() noexcept { return &value_; }

private:
    Status status_;
    T value_;
};

/// A message: one span, worked on in place, or input and output.
class Buffer {
public:
    template <class C, class = std::enable_if_t<std::is_convertible_v<C &&, MutBytes>>>
    Buffer(C &&in_place) noexcept : Buffer(MutBytes(in_place), 0) {}
    /// Both have to have one length. Otherwise calls give ABREAST_BUFFER_LENGTHS; in a batch the item gets no key and so
    /// gives ABREAST_NULL_POINTER.
    Buffer(Bytes input, MutBytes output) noexcept
        : input_(input.data()), output_(output.data()), size_(input.size()), equal_(input.size() == output.size()) {}

    const std::uint8_t *input() const noexcept { return input_; }
    std::uint8_t *output() const noexcept { return output_; }
    std::size_t size() const noexcept { return size_; }
    bool lengths_are_equal() const noexcept { return equal_; }

private:
    Buffer(MutBytes in_place, int) noexcept
        : input_(in_place.data()), output_(in_place.data()), size_(in_place.size()), equal_(true) {}

    const std::uint8_t *input_;
    std::uint8_t *output_;
    std::size_t size_;
    bool equal_;
};

namespace detail {

/// A handle and who frees it.
template <class H, void (*Free)(H *)>
class Handle {
public:
    Handle() noexcept = default;
    /// The handle of C; it stays here.
    H *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }

protected:
    explicit Handle(H *handle) noexcept : handle_(handle) {}

    /// Makes a T of the handle that a function of C puts out.
    template <class T, class Make>
    static Result<T> made(Make make) noexcept {
        H *handle = nullptr;
        int status = make(&handle);
        return {status, T(handle)};
    }

private:
    struct Freeing {
        void operator()(H *handle) const noexcept { Free(handle); }
    };
    std::unique_ptr<H, Freeing> handle_;
};

/// A call with a buffer, if it is one.
template <class Call>
Status with(const Buffer &buffer, Call call) noexcept {
    if (!buffer.lengths_are_equal()) return ABREAST_BUFFER_LENGTHS;
    return call(buffer.input(), buffer.output(), buffer.size());
}

} // namespace detail

/// The version of the library that is loaded.
inline const char *version() noexcept { return abreast_version(); }
/// Known answers of every cipher at every kernel.
inline Status self_test() noexcept { return abreast_self_test(); }

/// A key of a block cipher.
class Cipher : public detail::Handle<abreast_cipher, abreast_cipher_free> {
public:
    Cipher() noexcept = default;

    /// See abreast_cipher_new.
    static Result<Cipher> make(const char *name, Bytes key, const char *kernel = nullptr) noexcept {
        return made<Cipher>([&](abreast_cipher **out) {
            return abreast_cipher_new(name, key.data(), key.size(), kernel, out);
        });
    }
    /// AES alone, without the code of other ciphers in a static program: see abreast_aes_new.
    static Result<Cipher> aes(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Cipher>([&](abreast_cipher **out) { return abreast_aes_new(key.data(), key.size(), kernel, out); });
    }
    /// Serpent alone: see abreast_serpent_new.
    static Result<Cipher> serpent(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Cipher>([&](abreast_cipher **out) {
            return abreast_serpent_new(key.data(), key.size(), kernel, out);
        });
    }
    /// TEA alone, in little-endian words unless big_endian: see abreast_tea_new.
    static Result<Cipher> tea(Bytes key, bool big_endian = false, const char *kernel = nullptr) noexcept {
        if (key.size() != 16) return {ABREAST_KEY_LENGTH, Cipher()};
        return made<Cipher>([&](abreast_cipher **out) { return abreast_tea_new(key.data(), big_endian, kernel, out); });
    }
    /// XTEA in little-endian words, 32 cycles, under the four words of a key.
    static Result<Cipher> xtea(const std::array<std::uint32_t, 4> &key) noexcept {
        std::uint8_t raw[16];
        for (std::size_t i = 0; i < 16; ++i) raw[i] = static_cast<std::uint8_t>(key[i / 4] >> (8 * (i % 4)));
        Result<Cipher> cipher = make("xtea", raw);
        // Stores that the compiler may not leave out.
        for (volatile std::uint8_t &byte : raw) byte = 0;
        return cipher;
    }
    /// XTEA in little-endian words under 64 round keys that were expanded elsewhere.
    static Result<Cipher> xtea_expanded(const std::array<std::uint32_t, 64> &round_keys) noexcept {
        return made<Cipher>([&](abreast_cipher **out) { return abreast_xtea_new_expanded(round_keys.data(), 0, out); });
    }

    const char *name() const noexcept { return abreast_cipher_name(get()); }
    const char *kernel() const noexcept { return abreast_cipher_kernel(get()); }
    std::size_t block_size() const noexcept { return abreast_cipher_block_size(get()); }

    /// A message in one call. The vector of ECB is empty.
    Status crypt(abreast_operation operation, Bytes iv, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_cipher_crypt(get(), operation, iv.data(), iv.size(), in, out, len);
        });
    }
    /// In CBC with padding, in place: len bytes of the buffer are the message; the result is the length of the ciphertext.
    Result<std::size_t> cbc_encrypt_padded(Bytes iv, MutBytes buffer, std::size_t len) const noexcept {
        std::size_t padded = 0;
        int status = abreast_cbc_encrypt_padded(get(), iv.data(), iv.size(), buffer.data(), buffer.size(), len, &padded);
        return {status, padded};
    }
    /// In place; the result is the length of the message.
    Result<std::size_t> cbc_decrypt_padded(Bytes iv, MutBytes buffer) const noexcept {
        std::size_t plain = 0;
        int status = abreast_cbc_decrypt_padded(get(), iv.data(), iv.size(), buffer.data(), buffer.size(), &plain);
        return {status, plain};
    }
    /// Wraps or unwraps a key by this one, to another place; the result is the number of bytes that count. See
    /// abreast_key_wrap.
    Result<std::size_t> key_wrap(abreast_operation operation, Bytes input, MutBytes output) const noexcept {
        std::size_t written = 0;
        int status =
            abreast_key_wrap(get(), operation, input.data(), input.size(), output.data(), output.size(), &written);
        return {status, written};
    }

private:
    using Handle::Handle;
    friend Handle;
    friend class Ciphers;
    friend class CipherInPlace;
};

/// A key of a block cipher in memory of the caller, which stays there until this, and all that was made of it, is gone: see
/// abreast_cipher_init. Nothing is allocated, except on a CPU without AES instructions.
class CipherInPlace : public Cipher {
public:
    CipherInPlace() noexcept = default;
    /// The bytes of memory that a key of a cipher needs; 0 if no cipher has this name.
    static std::size_t room(const char *name) noexcept { return abreast_cipher_size(name); }
    static Result<CipherInPlace> make(MutBytes memory, const char *name, Bytes key,
                                      const char *kernel = nullptr) noexcept {
        abreast_cipher *handle = nullptr;
        int status =
            abreast_cipher_init(memory.data(), memory.size(), name, key.data(), key.size(), kernel, &handle);
        return {status, CipherInPlace(handle)};
    }

private:
    explicit CipherInPlace(abreast_cipher *handle) noexcept : Cipher(handle) {}
};

/// Many keys of one cipher, which are expanded side by side and lie one after the other in memory: see
/// abreast_ciphers_init. Objects made of one of them, such as an Aead, must be destroyed before them.
class Ciphers {
public:
    Ciphers() noexcept = default;
    Ciphers(Ciphers &&) noexcept = default;
    /// The keys that are replaced go before the memory that they lie in.
    Ciphers &operator=(Ciphers &&other) noexcept {
        if (this != &other) {
            ciphers_.clear();
            memory_ = std::move(other.memory_);
            ciphers_ = std::move(other.ciphers_);
        }
        return *this;
    }

    /// Makes a cipher for each of the keys, which are one after the other. Throws std::bad_alloc where there is no memory.
    static Result<Ciphers> make(const char *name, Bytes keys, const char *kernel = nullptr) {
        std::size_t key_len = abreast_cipher_key_size(name), stride = abreast_cipher_size(name);
        if (key_len == 0) return {ABREAST_UNKNOWN_CIPHER, Ciphers()};
        if (keys.size() % key_len != 0) return {ABREAST_KEY_LENGTH, Ciphers()};
        std::size_t count = keys.size() / key_len;
        Ciphers made;
        made.memory_ = std::make_unique<std::uint8_t[]>(count * stride);
        made.ciphers_.reserve(count);
        std::vector<abreast_cipher *> handles(count);
        int status = abreast_ciphers_init(made.memory_.get(), stride, count, name, keys.data(), key_len, kernel,
                                          handles.data());
        if (status != ABREAST_OK) return {status, Ciphers()};
        for (abreast_cipher *handle : handles) made.ciphers_.push_back(Cipher(handle));
        return {status, std::move(made)};
    }

    std::size_t size() const noexcept { return ciphers_.size(); }
    /// Key number i, less than size.
    const Cipher &operator[](std::size_t i) const noexcept { return ciphers_[i]; }

private:
    // In this order: the memory goes last.
    std::unique_ptr<std::uint8_t[]> memory_;
    std::vector<Cipher> ciphers_;
};

/// A string of associated data for AEZ.
struct AdString : abreast_string {
    AdString(Bytes bytes) noexcept : abreast_string{bytes.data(), bytes.size()} {}
};

/// A key of authenticated encryption: in GCM, EAX, SIV, GCM-SIV or AEZ.
class Aead : public detail::Handle<abreast_aead, abreast_aead_free> {
public:
    Aead() noexcept = default;
    static Result<Aead> gcm(const Cipher &cipher) noexcept {
        return made<Aead>([&](abreast_aead **out) { return abreast_gcm_new(cipher.get(), out); });
    }
    /// GCM with AES, without the code of other ciphers in a static program: see abreast_aes_gcm_new.
    static Result<Aead> aes_gcm(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Aead>([&](abreast_aead **out) { return abreast_aes_gcm_new(key.data(), key.size(), kernel, out); });
    }
    /// SIV (RFC 5297) under keys of a cipher with blocks of 128 bits, one for the tag and one for the message.
    static Result<Aead> siv(const Cipher &mac, const Cipher &text) noexcept {
        return made<Aead>([&](abreast_aead **out) { return abreast_siv_new(mac.get(), text.get(), out); });
    }
    static Result<Aead> aes_gcm_siv(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Aead>([&](abreast_aead **out) { return abreast_gcm_siv_new(key.data(), key.size(), kernel, out); });
    }
    static Result<Aead> eax(const Cipher &cipher) noexcept {
        return made<Aead>([&](abreast_aead **out) { return abreast_eax_new(cipher.get(), out); });
    }
    /// Makes a key by a function of C that makes one of bytes, such as abreast_aes_gcm_new: for modes without a name here.
    static Result<Aead> by(int (*maker)(const uint8_t *, size_t, const char *, abreast_aead **), Bytes key,
                           const char *kernel = nullptr) noexcept {
        return made<Aead>([&](abreast_aead **out) { return maker(key.data(), key.size(), kernel, out); });
    }
    static Result<Aead> aez(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Aead>([&](abreast_aead **out) { return abreast_aez_new(key.data(), key.size(), kernel, out); });
    }
    /// Keys in memory of the caller, of gcm_room() bytes and so on: see abreast_gcm_init. It stays there until the key, and all
    /// that was made of it, is gone.
    static std::size_t gcm_room() noexcept { return abreast_gcm_size(); }
    static std::size_t eax_room() noexcept { return abreast_eax_size(); }
    static std::size_t siv_room() noexcept { return abreast_siv_size(); }
    static std::size_t aes_gcm_siv_room() noexcept { return abreast_gcm_siv_size(); }
    static std::size_t aez_room() noexcept { return abreast_aez_size(); }
    static Result<Aead> gcm_in(MutBytes memory, const Cipher &cipher) noexcept {
        return made<Aead>([&](abreast_aead **out) {
            return abreast_gcm_init(memory.data(), memory.size(), cipher.get(), out);
        });
    }
    static Result<Aead> eax_in(MutBytes memory, const Cipher &cipher) noexcept {
        return made<Aead>([&](abreast_aead **out) {
            return abreast_eax_init(memory.data(), memory.size(), cipher.get(), out);
        });
    }
    static Result<Aead> siv_in(MutBytes memory, const Cipher &mac, const Cipher &text) noexcept {
        return made<Aead>([&](abreast_aead **out) {
            return abreast_siv_init(memory.data(), memory.size(), mac.get(), text.get(), out);
        });
    }
    static Result<Aead> aes_gcm_siv_in(MutBytes memory, Bytes key, const char *kernel = nullptr) noexcept {
        return made<Aead>([&](abreast_aead **out) {
            return abreast_gcm_siv_init(memory.data(), memory.size(), key.data(), key.size(), kernel, out);
        });
    }
    static Result<Aead> aez_in(MutBytes memory, Bytes key, const char *kernel = nullptr) noexcept {
        return made<Aead>([&](abreast_aead **out) {
            return abreast_aez_init(memory.data(), memory.size(), key.data(), key.size(), kernel, out);
        });
    }
    const char *kernel() const noexcept { return abreast_aead_kernel(get()); }
    Status encrypt(Bytes nonce, Bytes aad, Buffer buffer, MutBytes tag) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aead_encrypt(get(), nonce.data(), nonce.size(), aad.data(), aad.size(), in, out, len,
                                        tag.data(), tag.size());
        });
    }
    Status decrypt(Bytes nonce, Bytes aad, Buffer buffer, Bytes tag) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aead_decrypt(get(), nonce.data(), nonce.size(), aad.data(), aad.size(), in, out, len,
                                        tag.data(), tag.size());
        });
    }
    /// Encrypts in SIV or AEZ, with any number of strings that lie in one buffer, one after the other, and have these lengths.
    Status encrypt_strings(Bytes nonce, Bytes ad, Span<const std::size_t> lens, Buffer buffer,
                           MutBytes tag) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aead_encrypt_strings(get(), nonce.data(), nonce.size(), ad.data(), ad.size(), lens.data(),
                                                lens.size(), in, out, len, tag.data(), tag.size());
        });
    }
    Status decrypt_strings(Bytes nonce, Bytes ad, Span<const std::size_t> lens, Buffer buffer,
                           Bytes tag) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aead_decrypt_strings(get(), nonce.data(), nonce.size(), ad.data(), ad.size(), lens.data(),
                                                lens.size(), in, out, len, tag.data(), tag.size());
        });
    }
    /// Encrypts in AEZ, with any number of strings.
    Status aez_encrypt(Bytes nonce, Span<const AdString> ad, Buffer buffer, MutBytes tag) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aez_encrypt(get(), nonce.data(), nonce.size(), ad.data(), ad.size(), in, out, len, tag.data(),
                                       tag.size());
        });
    }
    Status aez_decrypt(Bytes nonce, Span<const AdString> ad, Buffer buffer, Bytes tag) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aez_decrypt(get(), nonce.data(), nonce.size(), ad.data(), ad.size(), in, out, len, tag.data(),
                                       tag.size());
        });
    }
    /// Encrypts in AEZ: the last tag_len bytes of the buffer are the tag's.
    Status aez_encrypt_joined(Bytes nonce, Span<const AdString> ad, std::size_t tag_len, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aez_encrypt_joined(get(), nonce.data(), nonce.size(), ad.data(), ad.size(), tag_len, in, out,
                                              len);
        });
    }
    Status aez_decrypt_joined(Bytes nonce, Span<const AdString> ad, std::size_t tag_len, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aez_decrypt_joined(get(), nonce.data(), nonce.size(), ad.data(), ad.size(), tag_len, in, out,
                                              len);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A key for HMAC.
class Hmac : public detail::Handle<abreast_hmac, abreast_hmac_free> {
public:
    Hmac() noexcept = default;
    static Result<Hmac> sha1(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Hmac>([&](abreast_hmac **out) { return abreast_hmac_sha1_new(key.data(), key.size(), kernel, out); });
    }
    static Result<Hmac> sha256(Bytes key, const char *kernel = nullptr) noexcept {
        return made<Hmac>([&](abreast_hmac **out) { return abreast_hmac_sha256_new(key.data(), key.size(), kernel, out); });
    }
    const char *kernel() const noexcept { return abreast_hmac_kernel(get()); }
    Status mac(Bytes message, MutBytes tag) const noexcept {
        return abreast_hmac_mac(get(), message.data(), message.size(), tag.data(), tag.size());
    }
    Status verify(Bytes message, Bytes tag) const noexcept {
        return abreast_hmac_verify(get(), message.data(), message.size(), tag.data(), tag.size());
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A session of SRTP.
class Srtp : public detail::Handle<abreast_srtp, abreast_srtp_free> {
public:
    Srtp() noexcept = default;
    static Result<Srtp> make(abreast_srtp_profile profile, Bytes master_key, Bytes master_salt) noexcept {
        return made<Srtp>([&](abreast_srtp **out) {
            return abreast_srtp_new(profile, master_key.data(), master_key.size(), master_salt.data(), master_salt.size(),
                                    out);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A packet for SRTP, with its session: the first `size` bytes of a buffer, which has room behind them if it is to be protected.
///
/// A packet refers to session and buffer, which must outlive the batch.
struct SrtpPacket : abreast_srtp_packet {
    /// number: see abreast_srtp_packet.
    SrtpPacket(const Srtp &under, abreast_srtp_protocol of, std::uint32_t its_number, MutBytes buffer,
               std::size_t size) noexcept
        : abreast_srtp_packet{under.get(), buffer.data(), size, buffer.size(), 0, 0, its_number, of,
                              ABREAST_NOT_PROCESSED} {}
    SrtpPacket(const Srtp &&under, abreast_srtp_protocol of, std::uint32_t its_number, MutBytes buffer,
               std::size_t size) = delete;
    Status result() const noexcept { return status; }
};
static_assert(sizeof(SrtpPacket) == sizeof(abreast_srtp_packet), "an array of one is an array of the other");

/// Protects packets; see abreast_srtp_protect.
inline Status srtp_protect(Span<SrtpPacket> batch) noexcept {
    return abreast_srtp_protect(batch.data(), batch.size(), sizeof(SrtpPacket));
}

/// Unprotects packets; see abreast_srtp_unprotect.
inline Status srtp_unprotect(Span<SrtpPacket> batch) noexcept {
    return abreast_srtp_unprotect(batch.data(), batch.size(), sizeof(SrtpPacket));
}

/// A security association of IPsec ESP.
class Esp : public detail::Handle<abreast_esp, abreast_esp_free> {
public:
    Esp() noexcept = default;
    /// key, auth_key: see abreast_esp_new.
    static Result<Esp> make(abreast_esp_suite suite, std::uint32_t spi, Bytes key, Bytes auth_key,
                            bool extended = false) noexcept {
        return made<Esp>([&](abreast_esp **out) {
            return abreast_esp_new(suite, spi, key.data(), key.size(), auth_key.data(), auth_key.size(), extended, out);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A packet of ESP, with its association: the first `size` bytes of a buffer, which has room behind them if it is to be sealed.
///
/// A packet refers to association, buffer and vector, which must outlive the batch.
struct EspPacket : abreast_esp_packet {
    /// its_sequence, its_iv: see abreast_esp_packet.
    EspPacket(const Esp &under, std::uint64_t its_sequence, Bytes its_iv, MutBytes buffer, std::size_t size) noexcept
        : abreast_esp_packet{under.get(),   buffer.data(), size, buffer.size(), its_iv.data(),
                             its_iv.size(), 0,             its_sequence, ABREAST_NOT_PROCESSED} {}
    EspPacket(const Esp &&under, std::uint64_t its_sequence, Bytes its_iv, MutBytes buffer, std::size_t size) = delete;
    Status result() const noexcept { return status; }
};
static_assert(sizeof(EspPacket) == sizeof(abreast_esp_packet), "an array of one is an array of the other");

/// Seals packets; see abreast_esp_seal.
inline Status esp_seal(Span<EspPacket> batch) noexcept {
    return abreast_esp_seal(batch.data(), batch.size(), sizeof(EspPacket));
}

/// Opens packets; see abreast_esp_open.
inline Status esp_open(Span<EspPacket> batch) noexcept {
    return abreast_esp_open(batch.data(), batch.size(), sizeof(EspPacket));
}

/// A key of packets of QUIC.
class QuicKey : public detail::Handle<abreast_quic_key, abreast_quic_key_free> {
public:
    QuicKey() noexcept = default;
    /// iv: see abreast_quic_key_new.
    static Result<QuicKey> make(Bytes key, const std::array<std::uint8_t, 12> &iv) noexcept {
        return made<QuicKey>([&](abreast_quic_key **out) {
            return abreast_quic_key_new(key.data(), key.size(), iv.data(), out);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A key of headers of QUIC.
class QuicHeaderKey : public detail::Handle<abreast_quic_header_key, abreast_quic_header_key_free> {
public:
    QuicHeaderKey() noexcept = default;
    static Result<QuicHeaderKey> make(Bytes key) noexcept {
        return made<QuicHeaderKey>([&](abreast_quic_header_key **out) {
            return abreast_quic_header_key_new(key.data(), key.size(), out);
        });
    }
    /// Makes the mask of one header; see abreast_quic_mask.
    Status mask(const std::array<std::uint8_t, 16> &sample, std::array<std::uint8_t, 5> &to) const noexcept {
        return abreast_quic_mask(get(), sample.data(), to.data());
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A packet of QUIC, with its keys.
///
/// A packet refers to keys and bytes, which must outlive the batch.
struct QuicPacket : abreast_quic_packet {
    /// phase_0, phase_1: see abreast_quic_packet; of a key that is not there, an object without one. its_number, begins_at: number
    /// and number_at there.
    QuicPacket(const QuicHeaderKey &header, const QuicKey &phase_0, const QuicKey &phase_1, MutBytes bytes,
               std::size_t begins_at, std::uint64_t its_number) noexcept
        : abreast_quic_packet{header.get(), {phase_0.get(), phase_1.get()}, bytes.data(), bytes.size(), begins_at,
                              its_number,   0,                              ABREAST_NOT_PROCESSED} {}
    QuicPacket(const QuicHeaderKey &&header, const QuicKey &phase_0, const QuicKey &phase_1, MutBytes bytes,
               std::size_t begins_at, std::uint64_t its_number) = delete;
    Status result() const noexcept { return status; }
};
static_assert(sizeof(QuicPacket) == sizeof(abreast_quic_packet), "an array of one is an array of the other");

/// Seals packets; see abreast_quic_seal.
inline Status quic_seal(Span<QuicPacket> batch) noexcept {
    return abreast_quic_seal(batch.data(), batch.size(), sizeof(QuicPacket));
}

/// Opens packets; see abreast_quic_open.
inline Status quic_open(Span<QuicPacket> batch) noexcept {
    return abreast_quic_open(batch.data(), batch.size(), sizeof(QuicPacket));
}
/// A key for CMAC.
class Cmac : public detail::Handle<abreast_cmac, abreast_cmac_free> {
public:
    Cmac() noexcept = default;
    static Result<Cmac> make(const Cipher &cipher) noexcept {
        return made<Cmac>([&](abreast_cmac **out) { return abreast_cmac_new(cipher.get(), out); });
    }
    Status mac(Bytes message, MutBytes tag) const noexcept {
        return abreast_cmac_mac(get(), message.data(), message.size(), tag.data(), tag.size());
    }
    Status verify(Bytes message, Bytes tag) const noexcept {
        return abreast_cmac_verify(get(), message.data(), message.size(), tag.data(), tag.size());
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// The number of a data unit as bytes.
inline std::array<std::uint8_t, 16> unit_number(std::uint64_t number) noexcept {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    return bytes;
}

/// A pair of keys in XTS.
class Xts : public detail::Handle<abreast_xts, abreast_xts_free> {
public:
    Xts() noexcept = default;
    static Result<Xts> make(const Cipher &data, const Cipher &tweak) noexcept {
        return made<Xts>([&](abreast_xts **out) { return abreast_xts_new(data.get(), tweak.get(), out); });
    }
    Status encrypt(const std::array<std::uint8_t, 16> &first, std::size_t unit, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_xts_encrypt(get(), first.data(), unit, in, out, len);
        });
    }
    Status decrypt(const std::array<std::uint8_t, 16> &first, std::size_t unit, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_xts_decrypt(get(), first.data(), unit, in, out, len);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A key in HCTR2.
class Hctr2 : public detail::Handle<abreast_hctr2, abreast_hctr2_free> {
public:
    Hctr2() noexcept = default;
    static Result<Hctr2> make(const Cipher &cipher) noexcept {
        return made<Hctr2>([&](abreast_hctr2 **out) { return abreast_hctr2_new(cipher.get(), out); });
    }
    Status encrypt(Bytes tweak, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_hctr2_encrypt(get(), tweak.data(), tweak.size(), in, out, len);
        });
    }
    Status decrypt(Bytes tweak, Buffer buffer) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_hctr2_decrypt(get(), tweak.data(), tweak.size(), in, out, len);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A message without a tag in pieces: whole blocks in ECB and CBC.
class Stream : public detail::Handle<abreast_stream, abreast_stream_free> {
public:
    Stream() noexcept = default;
    static Result<Stream> make(const Cipher &cipher, abreast_operation operation, Bytes iv) noexcept {
        return made<Stream>([&](abreast_stream **out) {
            return abreast_stream_new(cipher.get(), operation, iv.data(), iv.size(), out);
        });
    }
    /// In memory of the caller, of room() bytes, which stays there until this is gone: see abreast_stream_init.
    static Result<Stream> make_in(MutBytes memory, const Cipher &cipher, abreast_operation operation,
                                  Bytes iv) noexcept {
        return made<Stream>([&](abreast_stream **out) {
            return abreast_stream_init(memory.data(), memory.size(), cipher.get(), operation, iv.data(), iv.size(), out);
        });
    }
    static std::size_t room() noexcept { return abreast_stream_size(); }
    Status apply(Buffer buffer) noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_stream_apply(get(), in, out, len);
        });
    }
    /// Another message under the same key and in the same operation.
    Status reset(Bytes iv) noexcept { return abreast_stream_reset(get(), iv.data(), iv.size()); }
    /// In counter mode.
    Status seek(std::uint64_t byte) noexcept { return abreast_stream_seek(get(), byte); }
    Result<std::uint64_t> position() const noexcept {
        std::uint64_t byte = 0;
        int status = abreast_stream_position(get(), &byte);
        return {status, byte};
    }
    /// The vector or counter block with which the message goes on, as long as a block.
    Status running_iv(MutBytes iv) const noexcept { return abreast_stream_iv(get(), iv.data(), iv.size()); }
    /// Another that goes on as this one would.
    Result<Stream> clone() const noexcept {
        return made<Stream>([&](abreast_stream **out) { return abreast_stream_clone(get(), out); });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A message in ECB or CBC in pieces that are split anywhere, with the padding of PKCS #7 or of whole blocks.
class PaddedStream : public detail::Handle<abreast_padded_stream, abreast_padded_stream_free> {
public:
    PaddedStream() noexcept = default;
    static Result<PaddedStream> make(const Cipher &cipher, abreast_operation operation, Bytes iv,
                                     bool padding = true) noexcept {
        return made<PaddedStream>([&](abreast_padded_stream **out) {
            return abreast_padded_stream_new(cipher.get(), operation, padding, iv.data(), iv.size(), out);
        });
    }
    /// In memory of the caller, of room() bytes, which stays there until this is gone: see abreast_stream_init.
    static Result<PaddedStream> make_in(MutBytes memory, const Cipher &cipher, abreast_operation operation, Bytes iv,
                                        bool padding = true) noexcept {
        return made<PaddedStream>([&](abreast_padded_stream **out) {
            return abreast_padded_stream_init(memory.data(), memory.size(), cipher.get(), operation, padding, iv.data(),
                                              iv.size(), out);
        });
    }
    static std::size_t room() noexcept { return abreast_padded_stream_size(); }
    /// Gives the bytes of output: at most those of the input and 15 more.
    Result<std::size_t> update(Bytes input, MutBytes output) noexcept {
        std::size_t written = 0;
        int status = abreast_padded_stream_update(get(), input.data(), input.size(), output.data(), output.size(),
                                                  &written);
        return {status, written};
    }
    /// Gives the bytes of output: at most a block.
    Result<std::size_t> finish(MutBytes output) noexcept {
        std::size_t written = 0;
        int status = abreast_padded_stream_finish(get(), output.data(), output.size(), &written);
        return {status, written};
    }
    /// Another message under the same key and in the same operation.
    Status reset(Bytes iv) noexcept { return abreast_padded_stream_reset(get(), iv.data(), iv.size()); }
    /// Another that goes on as this one would.
    Result<PaddedStream> clone() const noexcept {
        return made<PaddedStream>([&](abreast_padded_stream **out) { return abreast_padded_stream_clone(get(), out); });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A message in GCM or EAX in pieces.
class AeadStream : public detail::Handle<abreast_aead_stream, abreast_aead_stream_free> {
public:
    AeadStream() noexcept = default;
    static Result<AeadStream> make(const Aead &aead, abreast_direction direction, Bytes nonce, Bytes aad) noexcept {
        return made<AeadStream>([&](abreast_aead_stream **out) {
            return abreast_aead_stream_new(aead.get(), direction, nonce.data(), nonce.size(), aad.data(), aad.size(),
                                           out);
        });
    }
    Status update(Buffer buffer) noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_aead_stream_update(get(), in, out, len);
        });
    }
    /// The next piece of the associated data, all of which comes before the message.
    Status associated_data(Bytes aad) noexcept { return abreast_aead_stream_aad(get(), aad.data(), aad.size()); }
    /// Another that goes on as this one would.
    Result<AeadStream> clone() const noexcept {
        return made<AeadStream>([&](abreast_aead_stream **out) { return abreast_aead_stream_clone(get(), out); });
    }
    /// A stream without a message: `begin` begins each.
    static Result<AeadStream> idle(const Aead &aead) noexcept {
        return made<AeadStream>([&](abreast_aead_stream **out) { return abreast_aead_stream_new_idle(aead.get(), out); });
    }
    /// A stream without a message in memory of the caller, of room() bytes, which stays there until this is gone: see abreast_stream_init.
    static Result<AeadStream> idle_in(MutBytes memory, const Aead &aead) noexcept {
        return made<AeadStream>([&](abreast_aead_stream **out) {
            return abreast_aead_stream_init(memory.data(), memory.size(), aead.get(), out);
        });
    }
    static std::size_t room() noexcept { return abreast_aead_stream_size(); }
    /// A message under the same key, in either direction.
    Status begin(abreast_direction direction, Bytes nonce, Bytes aad) noexcept {
        return abreast_aead_stream_begin(get(), direction, nonce.data(), nonce.size(), aad.data(), aad.size());
    }
    /// Another message under the same key and in the same direction.
    Status reset(Bytes nonce, Bytes aad) noexcept {
        return abreast_aead_stream_reset(get(), nonce.data(), nonce.size(), aad.data(), aad.size());
    }
    Status finish(MutBytes tag) noexcept { return abreast_aead_stream_finish(get(), tag.data(), tag.size()); }
    Status verify(Bytes tag) noexcept { return abreast_aead_stream_verify(get(), tag.data(), tag.size()); }

private:
    using Handle::Handle;
    friend Handle;
};

/// A message for CMAC in pieces.
class CmacStream : public detail::Handle<abreast_cmac_stream, abreast_cmac_stream_free> {
public:
    CmacStream() noexcept = default;
    static Result<CmacStream> make(const Cmac &cmac) noexcept {
        return made<CmacStream>([&](abreast_cmac_stream **out) { return abreast_cmac_stream_new(cmac.get(), out); });
    }
    /// In memory of the caller, of room() bytes, which stays there until this is gone: see abreast_stream_init.
    static Result<CmacStream> make_in(MutBytes memory, const Cmac &cmac) noexcept {
        return made<CmacStream>([&](abreast_cmac_stream **out) {
            return abreast_cmac_stream_init(memory.data(), memory.size(), cmac.get(), out);
        });
    }
    static std::size_t room() noexcept { return abreast_cmac_stream_size(); }
    Status update(Bytes data) noexcept { return abreast_cmac_stream_update(get(), data.data(), data.size()); }
    /// Another message under the same key.
    Status reset() noexcept { return abreast_cmac_stream_reset(get()); }
    /// Another that goes on as this one would.
    Result<CmacStream> clone() const noexcept {
        return made<CmacStream>([&](abreast_cmac_stream **out) { return abreast_cmac_stream_clone(get(), out); });
    }
    Status finish(MutBytes tag) noexcept { return abreast_cmac_stream_finish(get(), tag.data(), tag.size()); }
    Status verify(Bytes tag) noexcept { return abreast_cmac_stream_verify(get(), tag.data(), tag.size()); }

private:
    using Handle::Handle;
    friend Handle;
};

/// A message for HMAC in pieces.
class HmacStream : public detail::Handle<abreast_hmac_stream, abreast_hmac_stream_free> {
public:
    HmacStream() noexcept = default;
    static Result<HmacStream> make(const Hmac &hmac) noexcept {
        return made<HmacStream>([&](abreast_hmac_stream **out) { return abreast_hmac_stream_new(hmac.get(), out); });
    }
    /// In memory of the caller, of room() bytes, which stays there until this is gone: see abreast_stream_init.
    static Result<HmacStream> make_in(MutBytes memory, const Hmac &hmac) noexcept {
        return made<HmacStream>([&](abreast_hmac_stream **out) {
            return abreast_hmac_stream_init(memory.data(), memory.size(), hmac.get(), out);
        });
    }
    static std::size_t room() noexcept { return abreast_hmac_stream_size(); }
    Status update(Bytes data) noexcept { return abreast_hmac_stream_update(get(), data.data(), data.size()); }
    /// Another message under the same key.
    Status reset() noexcept { return abreast_hmac_stream_reset(get()); }
    /// Another that goes on as this one would.
    Result<HmacStream> clone() const noexcept {
        return made<HmacStream>([&](abreast_hmac_stream **out) { return abreast_hmac_stream_clone(get(), out); });
    }
    Status finish(MutBytes tag) noexcept { return abreast_hmac_stream_finish(get(), tag.data(), tag.size()); }
    Status verify(Bytes tag) noexcept { return abreast_hmac_stream_verify(get(), tag.data(), tag.size()); }

private:
    using Handle::Handle;
    friend Handle;
};

/// A stream of RC4.
class Rc4Stream : public detail::Handle<abreast_rc4_stream, abreast_rc4_stream_free> {
public:
    Rc4Stream() noexcept = default;
    static Result<Rc4Stream> make(Bytes key) noexcept {
        return made<Rc4Stream>([&](abreast_rc4_stream **out) {
            return abreast_rc4_stream_new(key.data(), key.size(), out);
        });
    }
    /// In memory of the caller, of room() bytes, which stays there until this is gone: see abreast_stream_init.
    static Result<Rc4Stream> make_in(MutBytes memory, Bytes key) noexcept {
        return made<Rc4Stream>([&](abreast_rc4_stream **out) {
            return abreast_rc4_stream_init(memory.data(), memory.size(), key.data(), key.size(), out);
        });
    }
    static std::size_t room() noexcept { return abreast_rc4_stream_size(); }
    static Result<Rc4Stream> import(const std::array<std::uint8_t, 258> &state) noexcept {
        return made<Rc4Stream>([&](abreast_rc4_stream **out) { return abreast_rc4_stream_import(state.data(), out); });
    }
    Status export_to(std::array<std::uint8_t, 258> &state) const noexcept {
        return abreast_rc4_stream_export(get(), state.data());
    }
    Status apply(Buffer buffer) noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_rc4_stream_apply(get(), in, out, len);
        });
    }
    Status skip(std::uint64_t bytes) noexcept { return abreast_rc4_stream_skip(get(), bytes); }

private:
    using Handle::Handle;
    friend Handle;
};

/// A message under a key of RC4 of its own.
inline Status rc4(Bytes key, std::uint64_t skip, Buffer buffer) noexcept {
    return detail::with(buffer, [&](auto in, auto out, auto len) {
        return abreast_rc4_apply(key.data(), key.size(), skip, in, out, len);
    });
}

/// A message of a batch, with its key: a Cipher, Aead, Cmac, Hmac, Xts or Hctr2, as the operation wants.
///
/// A packet refers to key and buffers, which must outlive the batch.
struct Packet : abreast_packet {
    Packet() noexcept : abreast_packet{} { status = ABREAST_NOT_PROCESSED; }
    template <class Key>
    Packet(const Key &under, Buffer buffer) noexcept : Packet() {
        // Buffers of two lengths are no message: without a key the packet is refused.
        key = buffer.lengths_are_equal() ? under.get() : nullptr;
        input = buffer.input();
        output = buffer.output();
        len = buffer.size();
    }
    template <class Key>
    Packet(const Key &&under, Buffer buffer) = delete;

    Packet &with_iv(Bytes bytes) noexcept {
        iv = bytes.data();
        iv_len = bytes.size();
        return *this;
    }
    Packet &with_aad(Bytes bytes) noexcept {
        aad = bytes.data();
        aad_len = bytes.size();
        return *this;
    }
    Packet &with_tag(MutBytes bytes) noexcept {
        tag = bytes.data();
        tag_len = bytes.size();
        return *this;
    }
    /// The outcome: ABREAST_NOT_PROCESSED before the packet was in a batch.
    Status result() const noexcept { return status; }
};
static_assert(sizeof(Packet) == sizeof(abreast_packet), "an array of Packets is one of abreast_packets");

/// Does an operation for each packet. ABREAST_BATCH if some were not done: result() of each says which.
inline Status packets(abreast_operation operation, Span<Packet> batch) noexcept {
    return abreast_packets(operation, batch.data(), batch.size(), sizeof(Packet));
}

/// A key in a batch, with the key that wraps it.
struct WrapPacket : abreast_wrap_packet {
    WrapPacket(const Cipher &wrapping, Bytes from, MutBytes to) noexcept
        : abreast_wrap_packet{wrapping.get(), from.data(), from.size(), to.data(), to.size(), 0,
                              ABREAST_NOT_PROCESSED} {}
    WrapPacket(const Cipher &&wrapping, Bytes from, MutBytes to) = delete;
    Status result() const noexcept { return status; }
};
static_assert(sizeof(WrapPacket) == sizeof(abreast_wrap_packet), "an array of one is an array of the other");

/// Wraps or unwraps many keys side by side; see abreast_wrap_packets.
inline Status wrap_packets(abreast_operation operation, Span<WrapPacket> batch) noexcept {
    return abreast_wrap_packets(operation, batch.data(), batch.size(), sizeof(WrapPacket));
}

/// A stream of RC4 in a batch, with data for it.
struct Rc4Piece : abreast_rc4_piece {
    Rc4Piece(Rc4Stream &rc4, Buffer buffer) noexcept
        : abreast_rc4_piece{buffer.lengths_are_equal() ? rc4.get() : nullptr, buffer.input(), buffer.output(),
                            buffer.size(), ABREAST_NOT_PROCESSED} {}
    Status result() const noexcept { return status; }
};
static_assert(sizeof(Rc4Piece) == sizeof(abreast_rc4_piece), "an array of one is an array of the other");

inline Status rc4_streams(Span<Rc4Piece> pieces) noexcept {
    return abreast_rc4_apply_streams(pieces.data(), pieces.size(), sizeof(Rc4Piece));
}

/// A message of a batch, with a key of RC4 of its own.
struct Rc4Message : abreast_rc4_message {
    Rc4Message(Bytes under, std::uint64_t skipped, Buffer buffer) noexcept
        : abreast_rc4_message{buffer.lengths_are_equal() ? under.data() : nullptr, under.size(), skipped, buffer.input(),
                              buffer.output(), buffer.size(), ABREAST_NOT_PROCESSED} {}
    Status result() const noexcept { return status; }
};
static_assert(sizeof(Rc4Message) == sizeof(abreast_rc4_message), "an array of one is an array of the other");

inline Status rc4_keys(Span<Rc4Message> messages) noexcept {
    return abreast_rc4_apply_keys(messages.data(), messages.size(), sizeof(Rc4Message));
}

/// A message of a batch, with a key of XTEA of its own, 16 bytes.
struct XteaMessage : abreast_xtea_message {
    XteaMessage(Bytes under, Buffer buffer) noexcept
        : abreast_xtea_message{buffer.lengths_are_equal() && under.size() == 16 ? under.data() : nullptr, buffer.input(),
                               buffer.output(), buffer.size(), ABREAST_NOT_PROCESSED} {}
    Status result() const noexcept { return status; }
};
static_assert(sizeof(XteaMessage) == sizeof(abreast_xtea_message), "an array of one is an array of the other");

/// An OpenCL device in use.
class Device : public detail::Handle<abreast_device, abreast_device_free> {
public:
    Device() noexcept = default;
    /// See abreast_device_new.
    static Result<Device> make(const char *name = nullptr, const char *cache = nullptr,
                               std::uint32_t time_limit = 0) noexcept {
        return made<Device>([&](abreast_device **out) { return abreast_device_new(name, cache, time_limit, out); });
    }
    /// All devices of this machine; none where there is no OpenCL. Throws std::bad_alloc where there is no memory.
    static std::vector<abreast_device_info> list() {
        std::vector<abreast_device_info> devices;
        abreast_device_info info;
        while (abreast_device_at(devices.size(), &info, sizeof info) == ABREAST_OK) devices.push_back(info);
        return devices;
    }

    /// See abreast_device_xtea_apply_keys.
    Status xtea_keys(abreast_direction direction, Span<XteaMessage> messages, bool big_endian = false) const noexcept {
        return abreast_device_xtea_apply_keys(get(), direction, big_endian, messages.data(), messages.size(),
                                              sizeof(XteaMessage));
    }
    /// See abreast_device_rc4_apply_keys.
    Status rc4_keys(Span<Rc4Message> messages) const noexcept {
        return abreast_device_rc4_apply_keys(get(), messages.data(), messages.size(), sizeof(Rc4Message));
    }
    /// The positions of the keys, 16 bytes each, under which the plaintext begins so: see abreast_device_xtea_try_keys. An empty
    /// mask stands for none. Throws std::bad_alloc where there is no memory.
    Result<std::vector<std::size_t>> xtea_try_keys(Bytes keys, Bytes ciphertext, Bytes text, Bytes mask = {},
                                                   bool big_endian = false) const {
        if (keys.size() % 16 != 0) return {ABREAST_KEY_LENGTH, {}};
        if (!mask.empty() && mask.size() != text.size()) return {ABREAST_BUFFER_LENGTHS, {}};
        return found(keys.size() / 16, [&](std::size_t *places, std::size_t room, std::size_t *count) {
            return abreast_device_xtea_try_keys(get(), big_endian, keys.data(), keys.size() / 16, ciphertext.data(),
                                                ciphertext.size(), text.data(), mask.data(), text.size(), places, room,
                                                count);
        });
    }
    /// Tries keys of RC4 of key_len bytes each: see abreast_device_rc4_try_keys.
    Result<std::vector<std::size_t>> rc4_try_keys(Bytes keys, std::size_t key_len, std::uint64_t skip, Bytes ciphertext,
                                                  Bytes text, Bytes mask = {}) const {
        if (key_len == 0 || keys.size() % key_len != 0) return {ABREAST_KEY_LENGTH, {}};
        if (!mask.empty() && mask.size() != text.size()) return {ABREAST_BUFFER_LENGTHS, {}};
        return found(keys.size() / key_len, [&](std::size_t *places, std::size_t room, std::size_t *count) {
            return abreast_device_rc4_try_keys(get(), keys.data(), key_len, keys.size() / key_len, skip,
                                               ciphertext.data(), ciphertext.size(), text.data(), mask.data(),
                                               text.size(), places, room, count);
        });
    }

private:
    using Handle::Handle;
    friend Handle;

    template <class Try>
    static Result<std::vector<std::size_t>> found(std::size_t keys, Try run) {
        std::vector<std::size_t> places(keys);
        std::size_t count = 0;
        int status = run(places.data(), places.size(), &count);
        places.resize(status == ABREAST_OK ? count : 0);
        return {status, std::move(places)};
    }
};

/// A key of a block cipher on a device, which it keeps.
class DeviceCipher : public detail::Handle<abreast_device_cipher, abreast_device_cipher_free> {
public:
    DeviceCipher() noexcept = default;
    /// See abreast_device_cipher_new.
    static Result<DeviceCipher> make(const Device &device, const char *name, Bytes key,
                                     const char *kernel = nullptr) noexcept {
        return made<DeviceCipher>([&](abreast_device_cipher **out) {
            return abreast_device_cipher_new(device.get(), name, key.data(), key.size(), kernel, out);
        });
    }
    /// A message in one call. done: where it goes how many bytes are done if the device fails.
    Status crypt(abreast_operation operation, Bytes iv, Buffer buffer, std::size_t *done = nullptr) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_device_cipher_crypt(get(), operation, iv.data(), iv.size(), in, out, len, done);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

/// A pair of keys in XTS on a device, which they keep.
class DeviceXts : public detail::Handle<abreast_device_xts, abreast_device_xts_free> {
public:
    DeviceXts() noexcept = default;
    /// See abreast_device_xts_new.
    static Result<DeviceXts> make(const Device &device, const char *name, Bytes data, Bytes tweak,
                                  const char *kernel = nullptr) noexcept {
        if (data.size() != tweak.size()) return {ABREAST_DIFFERENT_CIPHERS, DeviceXts()};
        return made<DeviceXts>([&](abreast_device_xts **out) {
            return abreast_device_xts_new(device.get(), name, data.data(), tweak.data(), data.size(), kernel, out);
        });
    }
    Status encrypt(const std::array<std::uint8_t, 16> &first, std::size_t unit, Buffer buffer,
                   std::size_t *done = nullptr) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_device_xts_encrypt(get(), first.data(), unit, in, out, len, done);
        });
    }
    Status decrypt(const std::array<std::uint8_t, 16> &first, std::size_t unit, Buffer buffer,
                   std::size_t *done = nullptr) const noexcept {
        return detail::with(buffer, [&](auto in, auto out, auto len) {
            return abreast_device_xts_decrypt(get(), first.data(), unit, in, out, len, done);
        });
    }

private:
    using Handle::Handle;
    friend Handle;
};

} // namespace abreast

#pragma pop_macro("Status")

#endif
