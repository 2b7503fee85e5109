"""Qdrant's own gRPC messages and stubs, which ship with `qdrant-client`."""

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qdrant_client import grpc as pb
else:

    def _load_messages() -> ModuleType:
        # Importing the client around them would cost 60 MB and over a second, so its package is bare meanwhile.
        name = "qdrant_client"
        if name in sys.modules:
            return importlib.import_module(f"{name}.grpc")
        bare = ModuleType(name)
        bare.__path__ = importlib.util.find_spec(name).submodule_search_locations
        sys.modules[name] = bare
        try:
            return importlib.import_module(f"{name}.grpc")
        finally:
            del sys.modules[name]

    pb = _load_messages()

__all__ = ["pb"]
