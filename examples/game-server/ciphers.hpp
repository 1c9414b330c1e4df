// Three ways to encrypt what a tick has to send. Keys are prepared when a way is made.

#ifndef CIPHERS_HPP
#define CIPHERS_HPP

#include "framing.hpp"
#include "messages.hpp"

#include <abreast.hpp>
#include <abreast/xtea.hpp>

#include <vector>

/// A way to encrypt the bodies of frames in place, each under the key of its client: frame i under key i.
class Way {
public:
    virtual ~Way() = default;
    virtual const char *name() const = 0;
    virtual void encrypt(std::vector<Frame> &frames) = 0;
};

/// Without the library: one block after the other, by round keys that were expanded when the client came.
class ScalarLoop : public Way {
public:
    explicit ScalarLoop(const std::vector<Key> &keys);
    const char *name() const override { return "scalar loop"; }
    void encrypt(std::vector<Frame> &frames) override;

private:
    std::vector<xtea::round_keys> keys_;
};

/// The library, one message after the other.
class SingleCalls : public Way {
public:
    explicit SingleCalls(const std::vector<Key> &keys);
    const char *name() const override { return "single calls"; }
    void encrypt(std::vector<Frame> &frames) override;
    /// Returns the name of the kernel that the library uses on this CPU.
    const char *kernel() const { return keys_.front().kernel(); }

private:
    std::vector<abreast::Cipher> keys_;
};

/// The library, all messages of a tick in one call.
class OneBatch : public Way {
public:
    explicit OneBatch(const std::vector<Key> &keys);
    const char *name() const override { return "one batch"; }
    void encrypt(std::vector<Frame> &frames) override;

private:
    /// One after the other in memory. A server whose clients come one by one has a place for a key in each connection,
    /// and prepares it there by abreast_cipher_init.
    abreast::Ciphers keys_;
    /// Kept from tick to tick for its memory.
    std::vector<abreast::Packet> packets_;
};

#endif
