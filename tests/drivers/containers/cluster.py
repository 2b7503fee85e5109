"""A small cluster for the rendered manifests of the chart: Jobs, Deployments, Services, NetworkPolicies.

It does what Kubernetes would with the fields that the chart uses. Services are a proxy of TCP connections (HAProxy), to
which only pods belong that are ready.
"""

import contextlib
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.drivers.containers.network import NODE, POOL, Namespace, Network, Proxied, matches, rules_of
from tests.drivers.containers.pods import Pod

Json = dict[str, Any]
READY_SECONDS = 180.0


class Cluster:
    """Runs manifests; a context manager.

    Attributes:
        pods: Those that run, by component.
        ends: What pods ended with: name, exit code, seconds from SIGTERM on.
    """

    def __init__(
        self,
        manifests: list[Json],
        secrets: dict[str, dict[str, str]],
        forwards: dict[tuple[str, int], int],
        clocks: Path | None = None,
    ) -> None:
        """Takes what is to run.

        Args:
            manifests: As Helm renders them.
            secrets: Values of Secrets by their names and keys.
            forwards: Ports of this machine by the address in the cluster that leads to them.
            clocks: A folder for clocks of pods, if a test sets them.
        """
        self.manifests, self.network = manifests, Network()
        self.pods: dict[str, list[Pod]] = {}
        self.ends: list[tuple[str, int, float]] = []
        self._secrets, self._forwards, self._clocks = secrets, forwards, clocks
        self._lock = threading.RLock()
        self._stack = contextlib.ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))

    def __enter__(self) -> Self:
        self._stack.enter_context(self.network)
        self._stack.enter_context(self._proxy())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for pod in self.all:
                error.add_note(f"{pod}: {pod.logs()[-3000:]}")
        for pod in self.all:
            pod.remove()
        self._stack.close()

    @property
    def all(self) -> list[Pod]:
        return [pod for pods in self.pods.values() for pod in pods]

    def of_kind(self, kind: str) -> list[Json]:
        return [manifest for manifest in self.manifests if manifest["kind"] == kind]

    # -- Services ------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def _proxy(self) -> Iterator[None]:
        """Runs HAProxy: each Service with a place for each address that a pod may have, and the forwarded ports."""
        lines = [f"global\n stats socket {self._socket} level admin\n maxconn 4000"]
        lines.append("defaults\n mode tcp\n retries 0\n timeout connect 5s\n timeout client 1h\n timeout server 1h")
        for name, service in self._proxied().items():
            lines.append(f"listen {name}\n bind {NODE}:{service.port}")
            lines += [f" server {address} {address}:{service.target} disabled" for address in POOL]
        for (address, port), target in self._forwards.items():
            lines.append(f"listen to-{target}\n bind {address}:{port}\n server it 127.0.0.1:{target}")
        configuration = self._folder / "haproxy.cfg"
        configuration.write_text("\n".join([*lines, ""]))
        process = subprocess.Popen(["haproxy", "-db", "-f", str(configuration)])
        try:
            while not self._socket.exists():
                assert process.poll() is None, "HAProxy has ended"
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait()

    def _proxied(self) -> dict[str, Proxied]:
        """Returns the Services that have an address of their own, by name."""
        found = {}
        for service in self.of_kind("Service"):
            (port,), selector = service["spec"]["ports"], service["spec"]["selector"]
            if service["spec"].get("clusterIP") != "None":
                target = self._port(selector, port["targetPort"])
                found[service["metadata"]["name"]] = Proxied(selector, port["port"], target)
        return found

    @property
    def _socket(self) -> Path:
        return self._folder / "haproxy.sock"

    def _port(self, selector: Json, name: str) -> int:
        """Returns the number of a named port of the pods that are selected."""
        for deployment in self.of_kind("Deployment"):
            template = deployment["spec"]["template"]
            if selector.items() <= template["metadata"]["labels"].items():
                (container,) = template["spec"]["containers"]
                return int(next(port["containerPort"] for port in container["ports"] if port["name"] == name))
        raise AssertionError(f"no pods for {selector}")

    def _changed(self) -> None:
        """Tells Services, names and rules which pods there are, and which are ready."""
        with self._lock:
            ready = {pod.namespace.address: pod for pod in self.all if pod.namespace is not None and pod.ready}
            commands, names = [], {}
            for service in self.of_kind("Service"):
                name, selector = service["metadata"]["name"], service["spec"]["selector"]
                chosen = [at for at, pod in ready.items() if selector.items() <= pod.labels.items()]
                if service["spec"].get("clusterIP") == "None":
                    names[name] = chosen
                else:
                    names[name] = [NODE]
                    states = {at: "ready" if at in chosen else "maint" for at in POOL}
                    commands += [f"set server {name}/{at} state {state}" for at, state in states.items()]
            self._tell(commands)
            self.network.name(names)

    def _tell(self, commands: list[str]) -> None:
        if commands:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self._socket))
                connection.sendall((";".join(commands) + "\n").encode())
                answer = connection.makefile().read()
            assert not answer.strip(), answer

    # -- pods ----------------------------------------------------------------------------------------------------
    def _attach(self, pod: Pod) -> Namespace:
        """Gives a pod its namespace, with its rules; those of the others may name it."""
        with self._lock:
            pod.namespace = namespace = self.network.attach(pod.name)
            placed = [each for each in {*self.all, pod} if each.namespace is not None]
            labels = {each.namespace.address: each.labels for each in placed if each.namespace is not None}
            policies = [policy["spec"] for policy in self.of_kind("NetworkPolicy")]
            services = list(self._proxied().values())
            for each in placed:
                if each.namespace is not None:
                    each.namespace.apply(rules_of(policies, each.labels, labels, services))
            return namespace

    def _start(self, deployment: Json) -> Pod:
        """Starts a pod of a Deployment, and waits until it is ready."""
        template = deployment["spec"]["template"]
        assert matches(deployment["spec"]["selector"], template["metadata"]["labels"])
        component = template["metadata"]["labels"]["app.kubernetes.io/component"]
        pod = Pod(component, template, self._secrets, self._changed, self._clocks)
        with self._lock:
            self.pods.setdefault(pod.component, []).append(pod)
            self._attach(pod)
        pod.start()
        self.wait(lambda: pod.ready, f"{pod.name} is not ready")
        return pod

    def _stop(self, pod: Pod) -> None:
        with self._lock:
            self.pods[pod.component].remove(pod)
        code, seconds = pod.end()
        self.ends.append((pod.name, code, seconds))

    def migrate(self) -> str:
        """Runs the hooks before an install; returns what the migration printed."""
        (job,) = self.of_kind("Job")
        template = job["spec"]["template"]
        pod = Pod("migrate", template, self._secrets, self._changed)
        namespace = self._attach(pod)
        try:
            return pod.complete(job["spec"]["activeDeadlineSeconds"])
        finally:
            namespace.remove()

    def install(self) -> None:
        """Starts all Deployments with their replicas, at the same time."""
        expected = [each for each in self.of_kind("Deployment") for _ in range(each["spec"]["replicas"])]
        with ThreadPoolExecutor(len(expected)) as threads:
            for started in as_completed([threads.submit(self._start, each) for each in expected]):
                started.result()

    def roll(self, component: str) -> None:
        """Replaces the pods of a Deployment as `maxSurge: 1` and `maxUnavailable: 0` say."""
        (deployment,) = (
            each for each in self.of_kind("Deployment") if each["metadata"]["name"].endswith(f"-{component}")
        )
        assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
        for old in list(self.pods[component]):
            self._start(deployment)
            self._stop(old)

    @staticmethod
    def wait(condition: Any, otherwise: str, seconds: float = READY_SECONDS) -> float:
        """Waits until a condition is true; returns the seconds that it took."""
        began = time.monotonic()
        while not condition():
            assert time.monotonic() - began < seconds, otherwise
            time.sleep(0.1)
        return time.monotonic() - began
