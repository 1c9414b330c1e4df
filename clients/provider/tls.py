"""Sends a message by Python's ssl to itself and back, by three suites, in memory."""

import ssl

MESSAGE = bytes(range(256)) * 4000
SUITES = [("TLSv1_3", None), ("TLSv1_2", "ECDHE-ECDSA-AES128-GCM-SHA256"), ("TLSv1_2", "ECDHE-ECDSA-AES256-SHA384")]


def ends(version, suite):
    """A client and a server, with the buffers between them."""
    contexts = []
    for purpose in (ssl.Purpose.SERVER_AUTH, ssl.Purpose.CLIENT_AUTH):
        context = ssl.create_default_context(purpose)
        context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
        if suite:
            context.set_ciphers(suite + ":@SECLEVEL=1")
        contexts.append(context)
    contexts[0].load_verify_locations("cert.pem")
    contexts[1].load_cert_chain("cert.pem", "key.pem")
    one, other = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = contexts[0].wrap_bio(one, other, server_hostname="localhost")
    return client, contexts[1].wrap_bio(other, one, server_side=True)


def until_done(*calls):
    """Calls again what wants more to read."""
    left = list(calls)
    while left:
        for call in list(left):
            try:
                call()
                left.remove(call)
            except ssl.SSLWantReadError:
                pass


def main():
    for version, suite in SUITES:
        client, server = ends(version, suite)
        until_done(client.do_handshake, server.do_handshake)
        for sender, receiver in ((client, server), (server, client)):
            sender.write(MESSAGE)
            got = bytearray()
            while len(got) < len(MESSAGE):
                got += receiver.read(1 << 20)
            assert got == MESSAGE, (version, suite)
        print(version, client.cipher()[0], 2 * len(MESSAGE), "bytes and back")


if __name__ == "__main__":
    main()
