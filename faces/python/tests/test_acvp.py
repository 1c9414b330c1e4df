"""Responses to request files of ACVP, NIST's protocol for the validation of algorithms, at every kernel.

The files are those that BoringSSL's `acvptool` is tested with, from Debian's source package
android-platform-external-boringssl 13.0.0+r24: requests of NIST's demonstration server, and BoringSSL's responses. A response of
abreast has to be the same. `python test_acvp.py REQUEST.json` writes that to another request. Monte Carlo tests: ACVP's
specification for symmetric block ciphers, section 6.2 (draft-celi-acvp-symmetric).

Not here: CFB and OFB, of which no package has requests; what abreast does not have, such as CCM and hashes by themselves.
"""

from __future__ import annotations

import bz2
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import abreast
from abreast import keywrap

# What JSON gives for an object, with hexadecimal strings as bytes in a test.
Object = dict[str, Any]

DATA = Path(__file__).parent / "data" / "acvp"
NAMES = sorted(path.name.removesuffix(".request.bz2") for path in DATA.glob("*.request.bz2"))


def read(text: str) -> Object:
    """Returns the vector set of a file, which may have a version in front and more behind it."""
    value, _ = json.JSONDecoder().raw_decode(text)
    return value[-1] if isinstance(value, list) else value


def xor(key: bytes, mask: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(key, mask, strict=True))


def monte_carlo(algorithm: str, group: Object, test: Object, kernel: str | None) -> Object:
    """Returns the hundred results of a Monte Carlo test, a thousand calls each."""
    encrypts = group["direction"] == "encrypt"
    given, made = ("pt", "ct") if encrypts else ("ct", "pt")
    key, data, iv = test["key"], test[given], test.get("iv")
    results = []
    for _ in range(100):
        cipher = abreast.AES(key, kernel=kernel)
        result = {"key": key.hex(), given: data.hex()}
        if algorithm == "ACVP-AES-CBC":
            result["iv"] = iv.hex()
            mode = abreast.CBC(cipher, iv)
            stream = mode.encryptor() if encrypts else mode.decryptor()
            last, out = None, iv
            for _ in range(1000):
                # The vector comes after the first input, and from then on the output before the last.
                last, out, data = out, stream.update(data), out
        else:
            call = cipher.encrypt_blocks if encrypts else cipher.decrypt_blocks
            last, out = None, data
            for _ in range(1000):
                last, out = out, call(out)
        result[made] = out.hex()
        results.append(result)
        key = xor(key, (last + out)[-len(key) :])
        data, iv = (last, out) if algorithm == "ACVP-AES-CBC" else (out, iv)
    return {"resultsArray": results}


def whole(algorithm: str, group: Object, test: Object, kernel: str | None) -> Object:
    """Returns what belongs to a message in a mode without a tag."""
    encrypts = group["direction"] == "encrypt"
    data = test["pt" if encrypts else "ct"]
    if algorithm == "ACVP-AES-XTS":
        half = len(test["key"]) // 2
        mode = abreast.XTS(*(abreast.AES(key, kernel=kernel) for key in (test["key"][:half], test["key"][half:])))
        assert group["tweakMode"] == "number"
        made = (mode.encrypt if encrypts else mode.decrypt)(test["sequenceNumber"], data)
    elif algorithm == "ACVP-AES-ECB":
        cipher = abreast.AES(test["key"], kernel=kernel)
        made = (cipher.encrypt_blocks if encrypts else cipher.decrypt_blocks)(data)
    else:
        mode = {"ACVP-AES-CBC": abreast.CBC, "ACVP-AES-CTR": abreast.CTR}[algorithm]
        mode = mode(abreast.AES(test["key"], kernel=kernel), test["iv"])
        made = (mode.encrypt if encrypts else mode.decrypt)(data)
    return {"ct" if encrypts else "pt": made.hex()}


def checked(algorithm: str, group: Object, test: Object, kernel: str | None) -> Object:
    """Returns what belongs to a message that decryption may refuse."""
    if algorithm in ("ACVP-AES-KW", "ACVP-AES-KWP"):
        assert group["kwCipher"] == "cipher"
        end = "_with_padding" if algorithm == "ACVP-AES-KWP" else ""
        wrapping = abreast.AES(test["key"], kernel=kernel)
        if group["direction"] == "encrypt":
            return {"ct": getattr(keywrap, f"aes_key_wrap{end}")(wrapping, test["pt"]).hex()}
        call = getattr(keywrap, f"aes_key_unwrap{end}")
        arguments = (wrapping, test["ct"])
    else:
        assert group["ivGen"] == "external"
        length = group["tagLen"] // 8
        aead = abreast.AESGCM(test["key"], tag_length=length, kernel=kernel)
        if group["direction"] == "encrypt":
            made = aead.encrypt(test["iv"], test.get("pt", b""), test["aad"])
            return {"ct": made[:-length].hex(), "tag": made[-length:].hex()}
        call = aead.decrypt
        arguments = (test["iv"], test.get("ct", b"") + test["tag"], test["aad"])
    try:
        return {"pt": call(*arguments).hex(), "testPassed": True}
    except (abreast.InvalidTag, keywrap.InvalidUnwrap):
        return {"testPassed": False}


def authenticated(algorithm: str, group: Object, test: Object, kernel: str | None) -> Object:
    """Returns the tag of a message, or whether one is right."""
    length = group["macLen"] // 8
    if algorithm == "CMAC-AES":
        mac = abreast.CMAC(abreast.AES(test["key"], kernel=kernel), tag_length=length)
        mac.update(test["message"])
    else:
        name = {"HMAC-SHA-1": "sha1", "HMAC-SHA2-256": "sha256"}[algorithm]
        mac = abreast.HMAC(test["key"], name, tag_length=length)
        mac.update(test["msg"])
    if group.get("direction") != "ver":
        return {"mac": mac.finalize().hex()}
    try:
        mac.verify(test["mac"])
    except abreast.InvalidSignature:
        return {"testPassed": False}
    return {"testPassed": True}


def respond(request: Object, kernel: str | None = None) -> Object:
    """Returns the response to a vector set."""
    algorithm = request["algorithm"]
    groups = []
    for group in request["testGroups"]:
        if group["testType"] == "MCT":
            answer = monte_carlo
        elif algorithm.startswith(("CMAC", "HMAC")):
            answer = authenticated
        elif algorithm.startswith(("ACVP-AES-GCM", "ACVP-AES-GMAC", "ACVP-AES-KW")):
            answer = checked
        else:
            answer = whole
        tests = []
        for test in group["tests"]:
            parsed = {name: bytes.fromhex(it) if isinstance(it, str) else it for name, it in test.items()}
            tests.append({"tcId": test["tcId"], **answer(algorithm, group, parsed, kernel)})
        groups.append({"tgId": group["tgId"], "tests": tests})
    return {"vsId": request["vsId"], "testGroups": groups}


def test_there_are_requests() -> None:
    assert len(NAMES) == 11


@pytest.mark.parametrize("name", NAMES)
def test_responses(name: str) -> None:
    request, expected = (read(bz2.open(DATA / f"{name}.{kind}.bz2", "rt").read()) for kind in ("request", "response"))
    for kernel in [None] if name.startswith("HMAC") else common_kernels():
        response = respond(request, kernel)
        assert len(response["testGroups"]) == len(expected["testGroups"]) > 0
        for ours, theirs in zip(response["testGroups"], expected["testGroups"], strict=True):
            # Of a decrypted message that was refused, and of a tag without a message, BoringSSL writes an empty string or none.
            assert without_empty(ours) == without_empty(theirs), (name, kernel)


def common_kernels() -> list[str]:
    """Returns the kernels that every length of key has."""
    table = abreast.kernels()
    return [kernel for kernel in table["aes-128"] if all(kernel in table[f"aes-{bits}"] for bits in (192, 256))]


def without_empty(group: Object) -> list[Object]:
    return [{name: it for name, it in test.items() if it != ""} for test in group["tests"]]


if __name__ == "__main__":
    json.dump([{"acvVersion": "1.0"}, respond(read(Path(sys.argv[1]).read_text()))], sys.stdout, indent=1)
