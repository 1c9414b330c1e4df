"""`raw --mode xts` against disk images that QEMU encrypts (LUKS version 1).

Usage: python3 interop_luks.py PATH_OF_ABREAST

The way from the passphrase to the sectors is done here but for the decryption itself: the header, the
passphrase hash, and the splitting of the master key, as in the LUKS On-Disk Format Specification 1.2.3.
Both the split key and the sectors are decrypted by the command, and sectors that it encrypts are read by
QEMU. Ends with 0 if all cases agree.
"""

import hashlib
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

SECTOR = 512
PASSPHRASE = "open sesame"
# Their names are the same on both sides.
CIPHERS = ["aes-128", "aes-256", "serpent-128", "serpent-192", "serpent-256"]
# In sectors: beyond the batches that the command works in.
SIZE = 2048
# Seconds for a run of a program. The slowest take a few.
LIMIT = 120


def qemu_img(*args):
    """A command of qemu-img, with the passphrase at hand."""
    command = ["qemu-img", args[0], "--object", f"secret,id=passphrase,data={PASSPHRASE}", *args[1:]]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)


def image_options(path):
    """An encrypted image as an argument of qemu-img."""
    return f"driver=luks,file.driver=file,file.filename={path},key-secret=passphrase"


def create(path, cipher):
    """A new image. QEMU measures its passphrase hash first, in vain if that took too little time."""
    options = f"cipher-alg={cipher},cipher-mode=xts,ivgen-alg=plain64,hash-alg=sha256,iter-time=10"
    options += ",key-secret=passphrase"
    for _ in range(50):
        done = qemu_img("create", "-q", "-f", "luks", "-o", options, str(path), str(SIZE * SECTOR))
        if done.returncode == 0:
            return
    sys.exit(f"qemu-img cannot make an image with {cipher}: {done.stderr}")


def xts(binary, direction, cipher, key, first, data):
    """Sectors with numbers from `first` on."""
    args = ["--cipher", cipher, "--mode", "xts", "--unit", str(SECTOR), "--key", key.hex()]
    args += ["--iv", first.to_bytes(16, "little").hex()]
    done = subprocess.run([binary, "raw", direction, *args], input=data, capture_output=True, check=True, timeout=LIMIT)
    return done.stdout


def merged(split, key_len, stripes):
    """The anti-forensic splitter backwards (section 2.4), with SHA-256."""
    key = bytes(key_len)
    for i in range(stripes):
        stripe = split[i * key_len : (i + 1) * key_len]
        key = bytes(a ^ b for a, b in zip(key, stripe))
        if i < stripes - 1:
            parts = [key[at : at + 32] for at in range(0, key_len, 32)]
            hashes = [hashlib.sha256(struct.pack(">I", n) + part).digest() for n, part in enumerate(parts)]
            key = b"".join(digest[: len(part)] for digest, part in zip(hashes, parts))
    return key


def master_key(binary, cipher, image):
    """The master key, and where the sectors begin."""
    magic, version, name, mode, hashed, payload, key_len, digest, digest_salt, digest_rounds = struct.unpack(
        ">6sH32s32s32sII20s32sI", image[:168]
    )
    assert (magic, version) == (b"LUKS\xba\xbe", 1)
    names = [field.rstrip(b"\0").decode() for field in (name, mode, hashed)]
    assert names == [cipher.split("-")[0], "xts-plain64", "sha256"], names
    active, rounds, salt, offset, stripes = struct.unpack(">II32sII", image[208 : 208 + 48])
    assert active == 0x00AC71F3
    slot_key = hashlib.pbkdf2_hmac("sha256", PASSPHRASE.encode(), salt, rounds, key_len)
    sectors = -(-key_len * stripes // SECTOR)
    material = image[offset * SECTOR : (offset + sectors) * SECTOR]
    split = xts(binary, "decrypt", cipher, slot_key, 0, material)
    key = merged(split, key_len, stripes)
    # The digest tells a right passphrase from a wrong one.
    right = hashlib.pbkdf2_hmac("sha256", key, digest_salt, digest_rounds, 20) == digest
    return key if right else None, payload * SECTOR


def compare(binary, folder, cipher):
    """Compares both directions with one cipher and returns the first disagreement, or None."""
    image, plain = folder / f"{cipher}.luks", folder / "plain"
    create(image, cipher)
    written = random.Random(cipher).randbytes(SIZE * SECTOR)
    plain.write_bytes(written)
    done = qemu_img("convert", "-n", "-f", "raw", str(plain), "--target-image-opts", image_options(image))
    assert done.returncode == 0, done.stderr

    bytes_of_image = image.read_bytes()
    key, start = master_key(binary, cipher, bytes_of_image)
    if key is None:
        return "the master key"
    payload = bytes_of_image[start : start + len(written)]
    if xts(binary, "decrypt", cipher, key, 0, payload) != written:
        return "what QEMU encrypted"
    # From a sector in the middle, as a reader of a part would.
    if xts(binary, "decrypt", cipher, key, 1000, payload[1000 * SECTOR :]) != written[1000 * SECTOR :]:
        return "what QEMU encrypted, from sector 1000 on"

    back = written[::-1]
    sealed = xts(binary, "encrypt", cipher, key, 0, back)
    image.write_bytes(bytes_of_image[:start] + sealed + bytes_of_image[start + len(sealed) :])
    done = qemu_img("convert", "--image-opts", image_options(image), "-O", "raw", str(plain))
    assert done.returncode == 0, done.stderr
    return None if plain.read_bytes() == back else "what is encrypted here"


def main():
    """Runs all cases against the command given as the argument."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for cipher in CIPHERS:
            wrong = compare(binary, pathlib.Path(folder), cipher)
            if wrong:
                failed += 1
                print(f"disagree: {cipher}, {wrong}")
    print(f"{len(CIPHERS) - failed} of {len(CIPHERS)} ciphers agree")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
