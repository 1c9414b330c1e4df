"""Clients of S3, made of the options that s3fs takes."""

from __future__ import annotations

import copy
from typing import Any

from ._extras import require

Options = dict[str, Any]

ATTEMPTS = 6
"""Attempts at a request that a store answers with an error that may pass."""

_KNOWN = {
    "anon",
    "client_kwargs",
    "config_kwargs",
    "endpoint_url",
    "key",
    "password",
    "profile",
    "requester_pays",
    "s3_additional_kwargs",
    "secret",
    "token",
    "use_ssl",
    "username",
}

_OF_FILES = {
    "cache_regions",
    "default_block_size",
    "default_cache_type",
    "default_fill_cache",
    "fixed_upload_size",
    "listings_expiry_time",
    "max_concurrency",
    "max_paths",
    "skip_instance_cache",
    "use_listings_cache",
}
"""Options about buffers and lists of s3fs, which have nothing to change here."""


class Connection:
    """A client, and the arguments that the options add to its requests."""

    def __init__(self, options: Options) -> None:
        if unknown := sorted(set(options) - _KNOWN - _OF_FILES):
            raise ValueError(f"storage_options for S3 may have {sorted(_KNOWN)}, and not {unknown}")
        boto3, config = require("boto3", "s3"), require("botocore.config", "s3")
        settings: Options = {"retries": {"total_max_attempts": ATTEMPTS, "mode": "standard"}}
        settings |= {"connect_timeout": 20, "read_timeout": 60}
        settings |= options.get("config_kwargs") or {}
        if options.get("anon"):
            settings["signature_version"] = require("botocore", "s3").UNSIGNED
        session = boto3.Session(
            botocore_session=_session(),
            aws_access_key_id=options.get("key") or options.get("username"),
            aws_secret_access_key=options.get("secret") or options.get("password"),
            aws_session_token=options.get("token"),
            profile_name=options.get("profile"),
        )
        # A copy, as boto3 changes the settings that it is given.
        more = copy.deepcopy(options.get("client_kwargs") or {})
        more.setdefault("endpoint_url", options.get("endpoint_url"))
        if "use_ssl" in options:
            more.setdefault("use_ssl", options["use_ssl"])
        ours = config.Config(**settings)
        more["config"] = ours.merge(more["config"]) if "config" in more else ours
        self.client = session.client("s3", **more)
        self._added = dict(options.get("s3_additional_kwargs") or {})
        if options.get("requester_pays"):
            self._added["RequestPayer"] = "requester"
        self._taken: dict[str, Options] = {}

    def added(self, name: str) -> Options:
        """Returns the arguments in the options that a request takes, as s3fs does it."""
        if name not in self._taken:
            meta = self.client.meta
            shape = meta.service_model.operation_model(meta.method_to_api_mapping[name]).input_shape
            self._taken[name] = {one: value for one, value in self._added.items() if one in shape.members}
        return self._taken[name]


_loaders: list[Any] = []
"""The reader of botocore's descriptions of services, once there is one."""


def _session() -> Any:
    """Returns a session of botocore that reads no description again: to parse those of S3 takes ten times as long as the rest."""
    session = require("botocore.session", "s3").get_session()
    if not _loaders:
        _loaders.append(session.get_component("data_loader"))
    session.register_component("data_loader", _loaders[0])
    return session


_connections: dict[str, Connection] = {}
"""Connections by their options: to make one takes longer than to seal a part. Threads share them."""


def _name(value: Any) -> Any:
    """Returns a name that equal options share, also after they were pickled with a task."""
    if isinstance(value, dict):
        return sorted((str(name), _name(one)) for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return [_name(one) for one in value]
    # The text of a Config is its address, but it keeps the options it was made of.
    made_of = getattr(value, "_user_provided_options", None)
    return repr(value) if made_of is None else _name(made_of)


def connection(options: Options) -> Connection:
    """Returns the connection that this process has with these options, or a new one."""
    name = repr(_name(options))
    if name not in _connections:
        _connections[name] = Connection(options)
    return _connections[name]
