"""Searches of a running EchoMind over its public API, by REST and gRPC, as programs of others search it."""

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Literal

import aiohttp
import grpc
from google.protobuf import json_format

from bench.product import Product
from echomind_lib.contract.call_errors import CallError
from echomind_lib.contract.grpc_client import GrpcTransport
from echomind_lib.contract.rest_client import RestTransport
from echomind_lib.errors import EchoMindError
from echomind_lib.models.public import SearchService

Transport = Literal["rest", "grpc"]
Found = list[dict[str, Any]]
"""Hits in ProtoJSON, the best first."""

_SEARCH = next(method for method in SearchService.__service__.methods if method.name == "Search")
_PAUSE = 0.2


@dataclass
class Asked:
    """What became of searches that were made beside something else."""

    milliseconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    empty: int = 0
    """Searches that found nothing or only a part, without an error."""

    def summary(self) -> dict[str, Any]:
        """Returns their number, how many failed, and how long they took."""
        return {
            "searches": len(self.milliseconds) + len(self.failures),
            "failed": len(self.failures),
            "incomplete": self.empty,
            "p50_ms": round(statistics.median(self.milliseconds), 1) if self.milliseconds else None,
            "max_ms": round(max(self.milliseconds), 1) if self.milliseconds else None,
            "failures": self.failures[:3],
        }


class Searches:
    """Somebody who searches."""

    def __init__(self, rest: RestTransport, grpc_transport: GrpcTransport) -> None:
        self._rest, self._grpc = rest, grpc_transport

    async def search(self, request: dict[str, Any], via: Transport) -> dict[str, Any]:
        """Returns the response in ProtoJSON.

        Args:
            request: `SearchRequest` in ProtoJSON.
            via: How it is called.

        Raises:
            EchoMindError: It was refused.
            CallError: No answer came.
        """
        if via == "rest":
            answer: dict[str, Any] = json.loads(await self._rest.unary(_SEARCH, request))
        else:
            answer = json_format.MessageToDict(await self._grpc.unary(_SEARCH, request))
        return answer

    async def beside(self, work: "asyncio.Task[Any]", requests: Sequence[dict[str, Any]]) -> Asked:
        """Searches again and again until a task is done, by both transports in turn."""
        asked = Asked()
        transports: tuple[Transport, ...] = ("rest", "grpc")
        for request, via in zip(cycle(requests), cycle(transports), strict=False):
            if work.done():
                break
            began = time.perf_counter()
            try:
                answer = await self.search(request, via)
            except (EchoMindError, CallError) as error:
                asked.failures.append(f"{via}: {error}")
            else:
                asked.milliseconds.append(1000 * (time.perf_counter() - began))
                asked.empty += not answer.get("hits") or bool(answer.get("missing"))
            await asyncio.wait([work], timeout=_PAUSE)
        return asked


@asynccontextmanager
async def searching(product: Product) -> AsyncIterator[Searches]:
    """Somebody who searches with the key of the owner."""
    async with aiohttp.ClientSession() as session, grpc.aio.insecure_channel(product.grpc_address) as channel:
        yield Searches(
            RestTransport(product.url, session, {"Authorization": f"Bearer {product.key}"}),
            GrpcTransport(channel, (("authorization", f"Bearer {product.key}"),)),
        )


async def switch_model(product: Product, model_id: str) -> float:
    """Activates an embedding model, and waits until its index answers; returns the seconds that it took.

    Raises:
        RuntimeError: Documents could not be copied, or the filling does not continue.
    """
    models = await asyncio.to_thread(product.call, "GET", "/embedding-models")
    number = next(each["id"] for each in models["embeddingModels"] if each["modelId"] == model_id)
    began = time.perf_counter()
    await asyncio.to_thread(product.call, "POST", f"/embedding-models/{number}:activate", {})
    while True:
        model = await asyncio.to_thread(product.call, "GET", f"/embedding-models/{number}")
        if model["status"] == "EMBEDDING_MODEL_STATUS_ACTIVE":
            return time.perf_counter() - began
        progress = await asyncio.to_thread(product.call, "GET", f"/embedding-models/{number}/progress")
        if progress.get("failed", "0") != "0":
            raise RuntimeError(f"documents could not be copied: {progress}")
        await asyncio.sleep(0.5)
