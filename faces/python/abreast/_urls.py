"""Names of objects: a URL is a scheme, a bucket or root, and the rest unchanged.

Nothing of a name is a query, a fragment, an escape or a pattern. A name that its store would change is refused.
"""

from __future__ import annotations

import os
import re
from typing import Any

from ._extras import require
from ._targets import inner

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)

_CHAIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)+[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)

_ACCESS_POINT = re.compile(r"(arn:aws[a-z-]*:s3[a-z-]*:[a-z0-9-]*:[0-9]*:(?:accesspoint|outpost)[:/][^/]+)/?(.*)", re.DOTALL)

_LONGEST_KEY = 1024
"""Bytes of UTF-8 that the name of an object of S3 may have."""


def split(url: str) -> tuple[str, str]:
    """Returns the scheme of a URL, "" for a path, and all that follows its slashes."""
    if not url:
        raise ValueError("the name of a file is empty; pass a path or a URL such as s3://BUCKET/NAME")
    match = _SCHEME.match(url)
    if match is None:
        if _CHAIN.match(url):
            raise ValueError(f"{url} is a chain of stores; pass the URL of one store, or a local path that begins with ./")
        return "", url
    return match[1], url[match.end() :]


def is_local(url: str) -> bool:
    """True if this is the name of a local file."""
    return split(url)[0].lower() in ("", "file", "local")


def is_s3(url: str) -> bool:
    """True for the name of an object of S3."""
    return split(url)[0] in ("s3", "s3a")


def local_path(url: str) -> str:
    """Returns the absolute path of a local file. Nothing of it is normalised: ``..`` may follow a link."""
    path = split(url)[1]
    if not path or "\0" in path or path.rpartition("/")[2] in ("", ".", ".."):
        raise ValueError(f"{url!r} names no local file; a name has no NUL and does not end in /, . or ..")
    return os.path.join(os.getcwd(), path)


def bucket_and_name(url: str) -> tuple[str, str]:
    """Returns the bucket and the name of an object of S3."""
    rest = split(url)[1]
    match = _ACCESS_POINT.fullmatch(rest)
    bucket, _, name = rest.partition("/") if match is None else (match[1], "/", match[2])
    if not bucket or not name:
        raise ValueError(f"{url} names no object: an object of S3 is s3://BUCKET/NAME")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise ValueError(f"{url!r} is no name of S3: it has a surrogate, and names are UTF-8") from None
    if length > _LONGEST_KEY:
        raise ValueError(f"{url[:60]}... has a name of {length} bytes; S3 takes at most {_LONGEST_KEY}")
    if any(ord(sign) < 32 for sign in name):
        raise ValueError(f"{url!r} has a control character in its name, which S3 cannot list")
    if any(part in (".", "..") for part in name.split("/")):
        raise ValueError(f"{url!r} has a segment . or .. in its name, which requests over HTTP do not keep")
    return bucket, name


def open_store(url: str, options: dict[str, Any]) -> tuple[Any, str]:
    """Returns the file system of fsspec for a URL, and the path there; ValueError if it would be another name."""
    scheme, rest = split(url)
    kind = require("fsspec", "fsspec").get_filesystem_class(scheme)
    of_url: dict[str, Any] = kind._get_kwargs_from_urls(url)
    fs = kind(**{**of_url, **options})
    path: str = fs._strip_protocol(url)
    kept = {rest, "/" + rest}
    if of_url:
        _, slash, name = rest.partition("/")
        kept |= {slash + name, name}
    # A store that takes some names for URLs of others, as memory does with ::, gives them another root than a plain name.
    root: str = fs._strip_protocol(f"{scheme}://x").removesuffix("x")
    is_elsewhere = not of_url and not path.startswith(root)
    if path not in kept or is_elsewhere or fs._strip_protocol(path) != path or path.rpartition("/")[2] in ("", ".", ".."):
        raise ValueError(f"{url!r} is no name that the store {scheme} keeps: it would become {path!r}")
    return fs, path


def identity(url: str, options: dict[str, Any] | None) -> set[tuple[Any, ...]]:
    """Returns the identities of an object in its store: two names with one in common are the same object."""
    options = options or {}
    if is_local(url):
        path = local_path(url)
        folder, name = os.path.split(path)
        found: set[tuple[Any, ...]] = {("path", os.path.join(os.path.realpath(folder), name)), ("path", os.path.realpath(path))}
        try:
            status = os.stat(path)
        except OSError:
            return found
        return found | {("inode", status.st_dev, status.st_ino)}
    if is_s3(url):
        endpoint = options.get("endpoint_url") or (options.get("client_kwargs") or {}).get("endpoint_url")
        return {("s3", endpoint, *bucket_and_name(url))}
    fs, path = inner(*open_store(url, {name: value for name, value in options.items() if name != "allow_gap"}))
    of_url = type(fs)._get_kwargs_from_urls(url)
    where = sorted((name, value) for name, value in of_url.items() if name in ("host", "port"))
    return {(type(fs).__name__, repr(where), path.strip("/"))}
