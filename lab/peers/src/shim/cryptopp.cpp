// Crypto++: objects that keep their keys, and the vector anew for each message.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1
#include <crypto++/aes.h>
#include <crypto++/arc4.h>
#include <crypto++/cmac.h>
#include <crypto++/config_ver.h>
#include <crypto++/eax.h>
#include <crypto++/gcm.h>
#include <crypto++/modes.h>
#include <crypto++/serpent.h>
#include <crypto++/xts.h>

#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "job.h"
}

namespace {

// Messages one after the other, each with the object whose turn it is.
struct Work {
  virtual ~Work() = default;
  virtual void run(const job& job, size_t calls) = 0;
};

// An object for each key, and the function that uses it for a message.
template <typename T, typename F>
struct Objects : Work {
  std::vector<std::unique_ptr<T>> objects;
  F set_key;
  void (*message)(T&, const job&, size_t);

  Objects(const job& job, F set_key, void (*message)(T&, const ::job&, size_t)) : set_key(set_key), message(message) {
    for(size_t k = 0; k <= job.key_mask; k++) {
      objects.push_back(std::make_unique<T>());
      set_key(*objects[k], job, k);
    }
  }

  void run(const job& job, size_t calls) override {
    if(job.keys_only) {
      for(size_t m = 1; m <= calls; m++) set_key(*objects[0], job, m);
      message(*objects[0], job, 0);
      return;
    }
    for(size_t m = 0; m < calls * job.batch; m++) message(*objects[m & job.key_mask], job, m);
  }
};

template <typename T>
std::unique_ptr<Work> work(const job& job, auto set_key, void (*message)(T&, const ::job&, size_t)) {
  return std::make_unique<Objects<T, decltype(set_key)>>(job, set_key, message);
}

// A cipher in ECB and RC4: the key and nothing else.
template <typename T>
std::unique_ptr<Work> plain(const job& job) {
  auto set_key = [](T& object, const ::job& job, size_t m) { object.SetKey(job_key(&job, m), job.key_len); };
  return work<T>(job, set_key, [](T& object, const ::job& job, size_t m) {
    object.ProcessData(job_text(&job, m), job_text(&job, m), job.len);
  });
}

// A mode with a vector, but without a tag.
template <typename T>
std::unique_ptr<Work> with_iv(const job& job) {
  auto set_key = [](T& object, const ::job& job, size_t m) {
    object.SetKeyWithIV(job_key(&job, m), job.key_len, job_iv(&job, m), 16);
  };
  return work<T>(job, set_key, [](T& object, const ::job& job, size_t m) {
    object.Resynchronize(job_iv(&job, m), 16);
    object.ProcessData(job_text(&job, m), job_text(&job, m), job.len);
  });
}

// A mode that encrypts and authenticates.
template <typename T, int nonce>
std::unique_ptr<Work> tagged(const job& job) {
  auto set_key = [](T& object, const ::job& job, size_t m) {
    object.SetKeyWithIV(job_key(&job, m), job.key_len, job_iv(&job, m), nonce);
    if constexpr(nonce == 16) {
      // The first message in EAX comes out wrong (8.7).
      object.EncryptAndAuthenticate(nullptr, job_tag(&job, m), 16, job_iv(&job, m), nonce, nullptr, 0, nullptr, 0);
    }
  };
  return work<T>(job, set_key, [](T& object, const ::job& job, size_t m) {
    object.EncryptAndAuthenticate(job_text(&job, m), job_tag(&job, m), 16, job_iv(&job, m), nonce, job.aad, job.aad_len,
                                  job_text(&job, m), job.len);
  });
}

// Modes of any cipher with blocks of 16 bytes.
template <typename C>
std::unique_ptr<Work> modes(const job& job) {
  using namespace CryptoPP;
  const std::string mode = job.mode;
  if(mode == "ecb") return plain<typename ECB_Mode<C>::Encryption>(job);
  if(mode == "ctr") return with_iv<typename CTR_Mode<C>::Encryption>(job);
  if(mode == "cbc-encrypt") return with_iv<typename CBC_Mode<C>::Encryption>(job);
  if(mode == "cbc-decrypt") return with_iv<typename CBC_Mode<C>::Decryption>(job);
  if(mode == "xts") return with_iv<typename XTS_Mode<C>::Encryption>(job);
  if(mode == "gcm") return tagged<typename GCM<C>::Encryption, 12>(job);
  if(mode == "eax") return tagged<typename EAX<C>::Encryption, 16>(job);
  if(mode == "cmac") {
    auto set_key = [](CMAC<C>& mac, const ::job& job, size_t m) { mac.SetKey(job_key(&job, m), job.key_len); };
    return work<CMAC<C>>(job, set_key, [](CMAC<C>& mac, const ::job& job, size_t m) {
      mac.Update(job_text(&job, m), job.len);
      mac.Final(job_tag(&job, m));
    });
  }
  return nullptr;
}

std::unique_ptr<Work> open(const job& job) {
  const std::string cipher = job.cipher;
  if(cipher == "aes128" || cipher == "aes256") return modes<CryptoPP::AES>(job);
  if(cipher == "serpent256") return modes<CryptoPP::Serpent>(job);
  if(cipher == "rc4") return plain<CryptoPP::Weak::ARC4>(job);
  return nullptr;
}

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

}  // namespace

extern "C" {

const char* cryptopp_version() {
  return TEXT(CRYPTOPP_MAJOR) "." TEXT(CRYPTOPP_MINOR) "." TEXT(CRYPTOPP_REVISION);
}

void* cryptopp_open(const job* job) {
  try {
    return open(*job).release();
  } catch(const std::exception&) {
    // A mode that cannot take such messages.
    return nullptr;
  }
}

void cryptopp_run(void* work, const job* job, size_t calls) { static_cast<Work*>(work)->run(*job, calls); }

void cryptopp_close(void* work) { delete static_cast<Work*>(work); }

}
