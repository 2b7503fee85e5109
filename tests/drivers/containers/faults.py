"""What goes wrong in a cluster: pods and servers die, stand still, are cut off, have wrong clocks and full disks."""

import asyncio
import random
import time
from collections.abc import Callable
from functools import partial

from tests.drivers.chaos import JUMPS, PAUSES, Fault
from tests.drivers.containers.cluster import Cluster
from tests.drivers.containers.pods import Pod
from tests.drivers.containers.servers import Servers

NETWORK_SECONDS = (3.0, 8.0, 17.0)
"""Of a cut or a bad network; the longest is longer than a lease."""
DISK_SECONDS = 5.0
CLOCK_SECONDS = 10.0
"""How long the clock of one machine is wrong."""


def faults_of_cluster(cluster: Cluster, servers: Servers, chance: random.Random) -> list[Fault]:
    """Returns each kind of fault for each service and each server, once.

    Args:
        cluster: Its pods have clocks.
        servers: Those beside it, with their disks.
        chance: Says which pod of a service it is, and for how long.
    """

    def of_pod(kind: str, component: str, happen: Callable[[Pod], None]) -> Fault:
        def choose() -> None:
            pod = chance.choice(cluster.pods[component])
            cluster.wait(lambda: pod.started, f"{pod} is not started again")
            happen(pod)

        return Fault(f"{kind} of {component}", component, lambda: asyncio.to_thread(choose))

    def of_server(kind: str, name: str, happen: Callable[[], None]) -> Fault:
        return Fault(f"{kind} of server {name}", name, lambda: asyncio.to_thread(happen))

    def freeze(pod: Pod) -> None:
        pod.freeze(chance.choice(PAUSES))

    def cut(pod: Pod) -> None:
        _disturb(pod, 1, chance.choice(NETWORK_SECONDS))

    def lossy(pod: Pod) -> None:
        _disturb(pod, 0.2, chance.choice(NETWORK_SECONDS))

    def slow(pod: Pod) -> None:
        assert pod.namespace is not None
        with pod.namespace.slowed("512kbit"):
            time.sleep(chance.choice(NETWORK_SECONDS))

    def jump(pod: Pod) -> None:
        assert pod.clock is not None
        pod.clock.set(chance.choice([seconds for seconds in JUMPS if seconds]))
        time.sleep(CLOCK_SECONDS)
        pod.clock.set(0)

    def kill(name: str) -> None:
        servers.kill(name)
        servers.start_again(name)

    def stop_for_a_while(name: str) -> None:
        servers.freeze(name, chance.choice(PAUSES))

    kinds = {"kill": Pod.kill, "pause": freeze, "cut": cut, "lossy link": lossy, "slow link": slow, "wrong clock": jump}
    services = [component for component in cluster.pods if component != "tools"]
    found = [of_pod(kind, component, happen) for kind, happen in kinds.items() for component in services]
    for name in servers.processes:
        found.append(of_server("kill", name, partial(kill, name)))
        found.append(of_server("pause", name, partial(stop_for_a_while, name)))
    return found + [
        of_server("full disk", name, partial(servers.fill_disk, name, DISK_SECONDS)) for name in servers.disks
    ]


def _disturb(pod: Pod, share: float, seconds: float) -> None:
    assert pod.namespace is not None
    with pod.namespace.losing(share):
        time.sleep(seconds)
