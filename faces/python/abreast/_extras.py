"""Packages that only some of the modules need."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Returns a module of an optional dependency, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        needs = f"this needs {module.split('.')[0]}, which is not installed: pip install 'abreast[{extra}]'"
        raise ImportError(needs) from error
