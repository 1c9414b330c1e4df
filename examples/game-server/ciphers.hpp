// Three ways to encrypt what a tick has to send. A key is prepared when its client logs in.

#ifndef CIPHERS_HPP
#define CIPHERS_HPP

#include "framing.hpp"
#include "messages.hpp"

#include <abreast.hpp>
#include <abreast/xtea.hpp>

#include <cstddef>
#include <memory>
#include <vector>

/// A message on its way: the connection that it goes to, and its frame.
struct Queued {
    std::size_t connection;
    Frame frame;
};

/// A way to encrypt the bodies of frames in place, each under the key of its connection.
class Way {
public:
    virtual ~Way() = default;
    virtual const char *name() const = 0;
    /// Prepares the key of a connection.
    virtual void login(std::size_t connection, const Key &key) = 0;
    virtual void encrypt(std::vector<Queued> &queue) = 0;
};

/// Without the library: one block after the other, by round keys that were expanded when the client came.
class ScalarLoop : public Way {
public:
    explicit ScalarLoop(std::size_t connections) : keys_(connections) {}
    const char *name() const override { return "scalar loop"; }
    void login(std::size_t connection, const Key &key) override { keys_[connection] = xtea::expand_key(key); }
    void encrypt(std::vector<Queued> &queue) override;

private:
    std::vector<xtea::round_keys> keys_;
};

/// The library, one message after the other.
class SingleCalls : public Way {
public:
    explicit SingleCalls(std::size_t connections) : keys_(connections) {}
    const char *name() const override { return "single calls"; }
    void login(std::size_t connection, const Key &key) override;
    void encrypt(std::vector<Queued> &queue) override;

private:
    std::vector<abreast::Cipher> keys_;
};

/// The library, all messages of a tick in one call.
class OneBatch : public Way {
public:
    explicit OneBatch(std::size_t connections) : keys_(connections) {}
    const char *name() const override { return "one batch"; }
    void login(std::size_t connection, const Key &key) override;
    void encrypt(std::vector<Queued> &queue) override;

private:
    /// Each connection has a place for its key, so that a login allocates nothing in the library. The key goes before its place.
    struct Place {
        std::unique_ptr<std::uint8_t[]> memory;
        abreast::CipherInPlace key;
    };
    std::vector<Place> keys_;
    /// Kept from tick to tick for its memory.
    std::vector<abreast::Packet> packets_;
};

#endif
