"""Checks of the servers that the gateway depends on, for readiness and for the page of health."""

from importlib.metadata import version

from echomind_api.administration.health import HealthReader
from echomind_api.auth.addresses import Proxies
from echomind_api.dependencies import Dependencies
from echomind_lib.telemetry import Check


def readiness(dependencies: Dependencies) -> dict[str, Check]:
    """Returns the checks of the dependencies that readiness requires, by name."""
    return {
        "postgres": dependencies.check_postgres,
        "nats": dependencies.check_nats,
        "qdrant": dependencies.vectors.check,
        "s3": dependencies.objects.check,
        "embedding": dependencies.check_embedding,
    }


def health_reader(dependencies: Dependencies, proxies: Proxies) -> HealthReader:
    """Returns the health of servers, workers and queues."""

    async def postgres() -> str:
        found: str = await dependencies.database.pool.fetchval("SHOW server_version")
        return found.partition(" ")[0]

    async def nats() -> str:
        return dependencies.bus.server_version

    return HealthReader(
        dependencies.database,
        dependencies.disk,
        readiness(dependencies),
        {"postgres": postgres, "nats": nats, "qdrant": dependencies.vectors.version},
        version("echomind"),
        proxies,
    )
