// OpenCL devices from C++: the classes over the functions that devices.c goes through.

#include <abreast.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

int main() {
    auto device = abreast::Device::make();
    int status = device.status().code();
    if (status == ABREAST_NO_OPENCL || status == ABREAST_NO_DEVICE) {
        std::printf("skipped: %s\n", device.status().text());
        CHECK(abreast::Device::list().empty());
        return 0;
    }
    CHECK(device.ok() && !abreast::Device::list().empty());
    GIVES(ABREAST_DEVICE_NAME, abreast::Device::make("there is none of this name").status().code());

    std::array<std::uint8_t, 16> key{1, 2, 3}, other{4, 5, 6}, iv{7};
    std::vector<std::uint8_t> text(10000), ours(text.size()), theirs(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(i * i >> 3);
    auto cipher = abreast::Cipher::make("aes-128", key).value(), tweak = abreast::Cipher::make("aes-128", other).value();
    CHECK(cipher.crypt(ABREAST_CTR32, iv, {text, theirs}).ok());
    auto on_device = abreast::DeviceCipher::make(*device, "aes-128", key).value();
    std::size_t done = 0;
    CHECK(on_device.crypt(ABREAST_CTR32, iv, {text, ours}, &done).ok());
    CHECK(ours == theirs && done == text.size());
    GIVES(ABREAST_BUFFER_LENGTHS, on_device.crypt(ABREAST_CTR32, iv, {text, abreast::MutBytes(ours.data(), 16)}).code());
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast::DeviceCipher::make(*device, "aes-128", key, "best").status().code());

    auto xts = abreast::Xts::make(cipher, tweak).value();
    auto xts_on_device = abreast::DeviceXts::make(*device, "aes-128", key, other, "auto").value();
    CHECK(xts.encrypt(abreast::unit_number(9), 512, {text, theirs}).ok());
    CHECK(xts_on_device.encrypt(abreast::unit_number(9), 512, {text, ours}).ok());
    CHECK(ours == theirs);
    CHECK(xts_on_device.decrypt(abreast::unit_number(9), 512, ours).ok());
    CHECK(ours == text);

    // Messages with a key each, which come back by the CPU.
    std::vector<abreast::XteaMessage> messages{{key, abreast::MutBytes(ours.data(), 64)},
                                               {other, abreast::MutBytes(ours.data() + 64, 800)}};
    CHECK(messages[0].result() == ABREAST_NOT_PROCESSED);
    CHECK(device->xtea_keys(ABREAST_ENCRYPT, messages).ok() && messages[1].result().ok());
    auto first = abreast::Cipher::make("xtea", key).value(), second = abreast::Cipher::make("xtea", other).value();
    auto found = device->xtea_try_keys(other, abreast::MutBytes(ours.data() + 64, 16), abreast::MutBytes(text.data() + 64, 9));
    CHECK(found.ok() && *found == std::vector<std::size_t>{0});
    CHECK(first.crypt(ABREAST_ECB_DECRYPT, {}, abreast::MutBytes(ours.data(), 64)).ok());
    CHECK(second.crypt(ABREAST_ECB_DECRYPT, {}, abreast::MutBytes(ours.data() + 64, 800)).ok());
    CHECK(ours == text);
    std::vector<abreast::Rc4Message> streams{{key, 0, ours}};
    CHECK(device->rc4_keys(streams).ok() && ours != text);
    CHECK(abreast::rc4_keys(streams).ok() && ours == text);
    abreast::Device none;
    GIVES(ABREAST_NULL_POINTER, none.rc4_keys(streams).code());
    std::printf("%d checks\n", checks);
}
