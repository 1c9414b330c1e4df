"""Makes ``data/tink.json``, keysets of Tink and values that it encrypted under them, and lets Tink open values of abreast.

    python -m venv there && there/bin/pip install tink==1.16.1
    there/bin/python faces/python/tests/make_tink.py make > faces/python/tests/data/tink.json
    python faces/python/tests/make_tink.py values > values.json
    there/bin/python faces/python/tests/make_tink.py open values.json

``make`` draws, for each template, a keyset whose key was rotated twice, with values of each generation. ``values`` runs where abreast
is, and writes random values that it encrypted under each generation of the same keysets; ``open`` compares what Tink opens. Each call
of ``make`` draws other keys.
"""

from __future__ import annotations

import base64
import json
import random
import sys
from pathlib import Path
from typing import Any

if sys.argv[1] != "values":
    import tink
    from tink import aead, daead, json_proto_keyset_format, proto_keyset_format, secret_key_access
    from tink.proto import tink_pb2

    TOKEN = secret_key_access.TOKEN


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def templates() -> dict[str, Any]:
    """The templates, by their names; those without prefixes are made of the others."""
    found = {
        "AES128_GCM": aead.aead_key_templates.AES128_GCM,
        "AES256_GCM": aead.aead_key_templates.AES256_GCM,
        "AES128_GCM_SIV": aead.aead_key_templates.AES128_GCM_SIV,
        "AES256_GCM_SIV": aead.aead_key_templates.AES256_GCM_SIV,
        "AES256_SIV": daead.deterministic_aead_key_templates.AES256_SIV,
    }
    for name, template in list(found.items()):
        for prefix in ("RAW", "CRUNCHY"):
            other = tink_pb2.KeyTemplate()
            other.CopyFrom(template)
            other.output_prefix_type = getattr(tink_pb2, prefix)
            found[f"{name}_{prefix}"] = other
    return found


def primitive(name: str, handle: tink.KeysetHandle) -> tuple[Any, Any]:
    """The functions of Tink that encrypt and decrypt."""
    if "AES256_SIV" in name:
        one = handle.primitive(daead.DeterministicAead)
        return one.encrypt_deterministically, one.decrypt_deterministically
    one = handle.primitive(aead.Aead)
    return one.encrypt, one.decrypt


def rotated(handle: tink.KeysetHandle, template: Any) -> tink.KeysetHandle:
    """A keyset with a new primary beside the old keys."""
    both = tink_pb2.Keyset.FromString(proto_keyset_format.serialize(handle, TOKEN))
    new = tink_pb2.Keyset.FromString(proto_keyset_format.serialize(tink.new_keyset_handle(template), TOKEN))
    both.key.extend(new.key)
    both.primary_key_id = new.primary_key_id
    return proto_keyset_format.parse(both.SerializeToString(), TOKEN)


def make() -> None:
    rng = random.Random()
    wrapping = tink.new_keyset_handle(aead.aead_key_templates.AES256_GCM)
    wrap = wrapping.primitive(aead.Aead)
    sets = []
    for name, template in templates().items():
        handle = tink.new_keyset_handle(template)
        values = []
        for generation in range(3):
            if generation:
                handle = rotated(handle, template)
            encrypt, _ = primitive(name, handle)
            for length in (0, 1, 16, 40):
                data, context = rng.randbytes(length), rng.choice([b"", b"users.email", rng.randbytes(20)])
                values.append({"data": b64(data), "associated_data": b64(context), "sealed": b64(encrypt(data, context))})
        sets.append(
            {
                "template": name,
                "json": json.loads(json_proto_keyset_format.serialize(handle, TOKEN)),
                "binary": b64(proto_keyset_format.serialize(handle, TOKEN)),
                "wrapped_json": json.loads(json_proto_keyset_format.serialize_encrypted(handle, wrap, b"a ring")),
                "wrapped_binary": b64(proto_keyset_format.serialize_encrypted(handle, wrap, b"a ring")),
                "values": values,
            }
        )
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in sets)
    made_by = json.dumps("faces/python/tests/make_tink.py with tink 1.16.1 for Python")
    clear = json_proto_keyset_format.serialize(wrapping, TOKEN)
    print(f'{{"made by":{made_by},\n"wrapping key":{json.dumps(json.loads(clear))},\n"keysets":[\n{lines}]}}')


def values() -> None:
    import pyarrow as pa

    from abreast.arrow import encrypt_column
    from abreast.keyring import Keyring

    rng, sets = random.Random(), []
    for one in json.loads((Path(__file__).parent / "data" / "tink.json").read_text())["keysets"]:
        ring, found = Keyring(), []
        ring.add_tink("a", one["json"])
        for generation in ring.generations("a"):
            ring.set_primary("a", generation.id)
            rows = [rng.randbytes(int(2 ** rng.uniform(0, 10)) - 1) for _ in range(200)]
            contexts = [rng.randbytes(int(2 ** rng.uniform(0, 6)) - 1) for _ in rows]
            sealed = encrypt_column(pa.array(rows), ring["a"], associated_data=pa.array(contexts, pa.binary())).to_pylist()
            for data, context, value in zip(rows, contexts, sealed, strict=True):
                found.append({"data": b64(data), "associated_data": b64(context), "sealed": b64(value)})
        sets.append({"template": one["template"], "json": one["json"], "values": found})
    print(json.dumps(sets))


def check(path: str) -> None:
    counts: dict[str, int] = {}
    with open(path) as file:
        for one in json.load(file):
            handle = json_proto_keyset_format.parse(json.dumps(one["json"]), TOKEN)
            _, decrypt = primitive(one["template"], handle)
            for value in one["values"]:
                sealed, data, context = (base64.b64decode(value[part]) for part in ("sealed", "data", "associated_data"))
                assert decrypt(sealed, context) == data, one["template"]
                counts[one["template"]] = counts.get(one["template"], 0) + 1
    print(counts, sum(counts.values()))


if sys.argv[1] == "values":
    values()
else:
    aead.register()
    daead.register()
    if sys.argv[1] == "make":
        make()
    else:
        check(sys.argv[2])
