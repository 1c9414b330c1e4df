// Botan 3 as a C++ program calls it: objects that keep their keys, and the vector anew for each message.
#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/mac.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#include <algorithm>
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
  F message;

  Objects(const job& job, const std::string& name, auto create, F message) : message(message) {
    for(size_t k = 0; k <= job.key_mask; k++) {
      auto object = create(name);
      if(!object) throw std::runtime_error(name);
      object->set_key(job_key(&job, k), job.key_len);
      objects.push_back(std::move(object));
    }
  }

  void run(const job& job, size_t calls) override {
    if(job.keys_only) {
      for(size_t m = 1; m <= calls; m++) objects[0]->set_key(job_key(&job, m), job.key_len);
      message(*objects[0], job, 0);
      return;
    }
    for(size_t m = 0; m < calls * job.batch; m++) message(*objects[m & job.key_mask], job, m);
  }
};

template <typename T>
std::unique_ptr<Work> work(const job& job, const std::string& name, auto create, auto message) {
  return std::make_unique<Objects<T, decltype(message)>>(job, name, create, message);
}

std::unique_ptr<Work> open(const job& job) {
  using namespace Botan;
  const std::string given = job.cipher, mode = job.mode;
  auto stream = [](const std::string& name) { return StreamCipher::create(name); };
  if(given == "rc4") {
    return work<StreamCipher>(job, "RC4", stream, [](StreamCipher& rc4, const ::job& job, size_t m) {
      rc4.cipher1(job_text(&job, m), job.len);
    });
  }
  const std::string cipher =
      given == "aes128" ? "AES-128" : given == "aes256" ? "AES-256" : given == "serpent256" ? "Serpent" : "";
  if(cipher.empty()) return nullptr;
  if(mode == "ecb") {
    auto create = [](const std::string& name) { return BlockCipher::create(name); };
    return work<BlockCipher>(job, cipher, create, [](BlockCipher& cipher, const ::job& job, size_t m) {
      cipher.encrypt_n(job_text(&job, m), job_text(&job, m), job.len / 16);
    });
  }
  if(mode == "ctr") {
    return work<StreamCipher>(job, "CTR-BE(" + cipher + ")", stream, [](StreamCipher& ctr, const ::job& job, size_t m) {
      ctr.set_iv(job_iv(&job, m), 16);
      ctr.cipher1(job_text(&job, m), job.len);
    });
  }
  if(mode == "cmac") {
    auto create = [](const std::string& name) { return MessageAuthenticationCode::create(name); };
    auto message = [](MessageAuthenticationCode& mac, const ::job& job, size_t m) {
      mac.update(job_text(&job, m), job.len);
      mac.final(job_tag(&job, m));
    };
    return work<MessageAuthenticationCode>(job, "CMAC(" + cipher + ")", create, message);
  }
  if(mode == "gcm" || mode == "eax") {
    const size_t nonce = mode == "gcm" ? 12 : 16;
    auto create = [](const std::string& name) { return AEAD_Mode::create(name, Cipher_Dir::Encryption); };
    // The tag comes out of `finish` after the rest of the message, which is empty.
    auto message = [nonce, tag = secure_vector<uint8_t>()](AEAD_Mode& aead, const ::job& job, size_t m) mutable {
      aead.set_associated_data_n(0, std::span(job.aad, job.aad_len));
      aead.start(job_iv(&job, m), nonce);
      aead.process(job_text(&job, m), job.len);
      tag.clear();
      aead.finish(tag);
      std::copy_n(tag.data(), 16, job_tag(&job, m));
    };
    return work<AEAD_Mode>(job, cipher + (mode == "gcm" ? "/GCM" : "/EAX"), create, message);
  }
  const std::string name =
      mode == "xts" ? "/XTS" : mode == "cbc-encrypt" || mode == "cbc-decrypt" ? "/CBC/NoPadding" : "";
  if(name.empty()) return nullptr;
  const auto direction = mode == "cbc-decrypt" ? Cipher_Dir::Decryption : Cipher_Dir::Encryption;
  auto create = [direction](const std::string& name) { return Cipher_Mode::create(name, direction); };
  return work<Cipher_Mode>(job, cipher + name, create, [](Cipher_Mode& mode, const ::job& job, size_t m) {
    mode.start(job_iv(&job, m), 16);
    mode.process(job_text(&job, m), job.len);
  });
}

}  // namespace

extern "C" {

const char* botan_version() { return Botan::short_version_cstr(); }

void* botan_open(const job* job) {
  try {
    return open(*job).release();
  } catch(const std::exception&) {
    // A mode that this Botan was built without, or that cannot take such messages.
    return nullptr;
  }
}

void botan_run(void* work, const job* job, size_t calls) { static_cast<Work*>(work)->run(*job, calls); }

void botan_close(void* work) { delete static_cast<Work*>(work); }

}
