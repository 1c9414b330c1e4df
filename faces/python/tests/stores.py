"""A server that speaks S3, which fails, refuses and waits as a test asks it to."""

from __future__ import annotations

import logging
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

Environ = dict[str, Any]

CODES = {403: "AccessDenied", 412: "PreconditionFailed", 500: "InternalError", 503: "SlowDown"}
"""The names of these errors in S3."""


class Server:
    """The server. ``fault`` is called with each request and returns the status of an error, or None to let it pass;
    ``after`` is called once a request was done, and before its answer goes out."""

    def __init__(self) -> None:
        self.fault: Callable[[Environ], int | None] = lambda request: None
        self.after: Callable[[Environ], None] = lambda request: None
        self.requests: list[tuple[str, str]] = []
        app = DomainDispatcherApplication(create_backend_app)

        def wrapped(environ: Environ, start_response: Any) -> Iterable[bytes]:
            path = environ["PATH_INFO"] + "?" + environ.get("QUERY_STRING", "")
            self.requests.append((environ["REQUEST_METHOD"], path))
            status = self.fault(environ)
            if status is not None:
                # Read the body of the request, or the client sees a broken connection and no answer.
                left = int(environ.get("CONTENT_LENGTH") or 0)
                while left > 0 and (piece := environ["wsgi.input"].read(min(left, 1 << 20))):
                    left -= len(piece)
                start_response(f"{status} fault", [("Content-Type", "application/xml")])
                return [f"<Error><Code>{CODES[status]}</Code><Message>as the test asked</Message></Error>".encode()]
            answer: Iterable[bytes] = app(environ, start_response)
            self.after(environ)
            return answer

        self._server = make_server("127.0.0.1", 0, wrapped, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.options = {"key": "test", "secret": "test", "client_kwargs": {"endpoint_url": self.url, "region_name": "us-east-1"}}

    @cached_property
    def client(self) -> Any:
        return boto3.client(
            "s3", endpoint_url=self.url, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test"
        )

    def put(self, name: str, data: bytes) -> None:
        self.client.put_object(Bucket="bucket", Key=name, Body=data)

    def get(self, name: str) -> bytes:
        data: bytes = self.client.get_object(Bucket="bucket", Key=name)["Body"].read()
        return data

    def names(self) -> list[str]:
        return sorted(one["Key"] for one in self.client.list_objects_v2(Bucket="bucket").get("Contents", []))

    def uploads(self) -> list[str]:
        return [one["Key"] for one in self.client.list_multipart_uploads(Bucket="bucket").get("Uploads", [])]

    def __enter__(self) -> Server:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._thread.start()
        # The objects belong to the process and not to the server.
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/moto-api/reset", method="POST"), timeout=30).close()
        self.client.create_bucket(Bucket="bucket")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()


def until(condition: Callable[[], bool], seconds: float) -> None:
    """Waits for something, and not for ever."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
