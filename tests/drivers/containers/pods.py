"""Pods as kubelet runs them, with podman: the container of a rendered specification with exactly what that says.

That is the environment with the values of Secrets, user, groups, capabilities, read-only root, memory limit, volumes,
the end by `preStop` and SIGTERM, and the probes with their periods and limits.
"""

import contextlib
import http.client
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.drivers.chaos import Clock
from tests.drivers.containers.network import DOMAIN, NODE, Namespace

Json = dict[str, Any]
SERIAL = itertools.count(1)
UNITS = {"Mi": "m", "Gi": "g"}


def podman(*arguments: str, check: bool = True, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs podman."""
    done = subprocess.run(["podman", *arguments], capture_output=True, text=True, timeout=seconds)
    assert not check or done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done


class Probe:
    """A probe of a container: whether it passed, by its period and limits."""

    def __init__(self, probe: Json, address: str, ports: dict[str, int]) -> None:
        """See the fields of a probe in Kubernetes' documentation; `ports` are those of the container by name."""
        known = {"httpGet", "tcpSocket", "periodSeconds", "failureThreshold", "timeoutSeconds"}
        assert set(probe) <= known, set(probe) - known
        action = probe.get("httpGet") or probe["tcpSocket"]
        self._at = (address, ports[action["port"]])
        self._path: str | None = action.get("path")
        self._timeout = probe.get("timeoutSeconds", 1)
        self._period, self._limit = probe.get("periodSeconds", 10), probe.get("failureThreshold", 3)
        self._due, self.failures = 0.0, 0

    def reset(self) -> None:
        self._due, self.failures = 0.0, 0

    def look(self) -> bool | None:
        """Returns whether it passes if it is time to look, or None. False is only said at the limit of failures."""
        now = time.monotonic()
        if now < self._due:
            return None
        self._due = now + self._period
        if self._passes():
            self.failures = 0
            return True
        self.failures += 1
        return False if self.failures >= self._limit else None

    def _passes(self) -> bool:
        try:
            with socket.create_connection(self._at, self._timeout):
                if self._path is None:
                    return True
            connection = http.client.HTTPConnection(*self._at, timeout=self._timeout)
            with contextlib.closing(connection):
                connection.request("GET", self._path)
                return 200 <= connection.getresponse().status < 400
        except (OSError, http.client.HTTPException):
            return False


class Pod:
    """A pod with one container.

    Attributes:
        component: Such as `api`.
        labels: Its labels.
        namespace: Its namespace.
        started: Whether its container runs and has passed its first probe.
        ready: Whether Services send requests to it.
        restarts: How often its container was started again.
        clock: The clock of its machine, where the test sets clocks.
    """

    def __init__(
        self,
        component: str,
        template: Json,
        secrets: dict[str, dict[str, str]],
        changed: Callable[[], None],
        clocks: Path | None = None,
    ) -> None:
        self.component, self.labels = component, dict(template["metadata"]["labels"])
        self.name = f"{component}-{next(SERIAL)}"
        self.started, self.ready, self.restarts = False, False, 0
        self.namespace: Namespace | None = None
        self._spec = template["spec"]
        (self._container,) = self._spec["containers"]
        self._secrets, self._changed = secrets, changed
        self._folder = Path(tempfile.mkdtemp(prefix="echomind-pod-"))
        self.clock = Clock(clocks, self.name) if clocks else None
        self._ending = threading.Event()
        self._watch = threading.Thread(target=self._run, daemon=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.restarts} restarts)"

    # -- starting ------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Starts it in its namespace, and its probes."""
        podman("rm", "-f", "-i", self._title)
        podman("run", "-d", f"--name={self._title}", *self._options(), self._container["image"])
        self._watch.start()

    def complete(self, seconds: float) -> str:
        """Runs a pod that ends, of a Job; returns what it printed."""
        done = podman(
            "run", "--rm", f"--name={self._title}", *self._options(), self._container["image"], seconds=seconds
        )
        shutil.rmtree(self._folder)
        return done.stdout + done.stderr

    @property
    def _title(self) -> str:
        return f"echomind-test-{self.name}"

    def _options(self) -> list[str]:
        assert self.namespace is not None
        pod, container = self._spec["securityContext"], self._container["securityContext"]
        assert container == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert pod["runAsNonRoot"]
        assert not {"args", "envFrom"} & set(self._container)
        command = self._container.get("command")
        limit = self._container["resources"]["limits"]["memory"]
        return [
            f"--network=ns:{self.namespace.path}",
            *(f"--dns={NODE}", f"--dns-search={DOMAIN}", "--dns-option=ndots:5"),
            *("--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL", "--security-opt=no-new-privileges"),
            *(f"--user={pod['runAsUser']}:{pod['runAsGroup']}", f"--group-add={pod['fsGroup']}"),
            *("--no-healthcheck", "--pull=never", f"--memory={limit[:-2]}{UNITS[limit[-2:]]}"),
            *(f"--env={name}={value}" for name, value in self.environment.items()),
            *([f"--entrypoint={json.dumps(command)}"] if command else []),
            *self._clock_options(),
            *(
                f"--volume={self._volume(mount['name'])}:{mount['mountPath']}"
                for mount in self._container["volumeMounts"]
            ),
        ]

    def _clock_options(self) -> list[str]:
        """The one thing that the manifest does not say: the library that makes its clock wrong."""
        if self.clock is None:
            return []
        found = []
        for name, value in self.clock.environment.items():
            inside = f"/clock/{Path(value).name}"
            found += [f"--volume={value}:{inside}:ro", f"--env={name}={inside}"]
        return found

    @property
    def environment(self) -> dict[str, str]:
        """Its variables, with the values of Secrets."""
        found = {}
        for variable in self._container["env"]:
            if "value" in variable:
                found[variable["name"]] = variable["value"]
            else:
                reference = variable["valueFrom"]["secretKeyRef"]
                found[variable["name"]] = self._secrets[reference["name"]][reference["key"]]
        return found

    def _volume(self, name: str) -> Path:
        """Makes an empty folder as Kubernetes does: for everybody, of the group `fsGroup`."""
        (volume,) = (volume for volume in self._spec["volumes"] if volume["name"] == name)
        assert "emptyDir" in volume
        folder = self._folder / name
        folder.mkdir(exist_ok=True)
        shutil.chown(folder, "root", self._spec["securityContext"]["fsGroup"])
        folder.chmod(0o2777)
        return folder

    # -- its life ------------------------------------------------------------------------------------------------
    def _probe(self, name: str) -> Probe | None:
        """Returns a probe of the container; None if it has none, which passes."""
        assert self.namespace is not None
        if name not in self._container:
            return None
        ports = {port["name"]: port["containerPort"] for port in self._container["ports"]}
        return Probe(self._container[name], self.namespace.address, ports)

    def _run(self) -> None:
        startup, liveness, readiness = (self._probe(f"{name}Probe") for name in ("startup", "liveness", "readiness"))
        process, delay = self._process(), 0.0
        while not self._ending.wait(0.2):
            alive = process.exists()
            if alive and not self.started:
                answer = startup.look() if startup else True
                self.started, alive = answer is True, answer is not False
            elif alive:
                alive = liveness is None or liveness.look() is not False
                if (ready := readiness.look() if readiness else True) is not None:
                    self._is_ready(ready)
            if not alive and not self._ending.is_set():
                self.started = False
                self._is_ready(False)
                self._ending.wait(delay)
                delay = min(2 * delay + 10, 300)
                if not self._ending.is_set():
                    podman("kill", self._title, check=False)
                    podman("start", self._title)
                    self.restarts += 1
                    process = self._process()
                    for probe in (startup, liveness, readiness):
                        if probe:
                            probe.reset()

    def _process(self) -> Path:
        state = self.state()
        return Path(f"/proc/{state['Pid'] or 'none'}")

    def _is_ready(self, ready: bool) -> None:
        if ready != self.ready and not self._ending.is_set():
            self.ready = ready
            self._changed()

    def state(self) -> Json:
        """Returns the state of its container."""
        (described,) = json.loads(podman("inspect", self._title).stdout)
        state: Json = described["State"]
        return state

    def logs(self) -> str:
        done = podman("logs", self._title, check=False)
        return done.stdout + done.stderr

    def execute(self, *command: str, seconds: float = 120) -> subprocess.CompletedProcess[bytes]:
        """Runs a command in its container, as `kubectl exec` does; returns its output as it is."""
        return subprocess.run(["podman", "exec", self._title, *command], capture_output=True, timeout=seconds)

    # -- its end -------------------------------------------------------------------------------------------------
    def kill(self) -> None:
        """Kills its container without a word; it is started again."""
        podman("kill", "--signal=KILL", self._title)

    def freeze(self, seconds: float) -> None:
        """Stops its process for a while; kubelet may kill it meanwhile."""
        process = int(self.state()["Pid"])
        os.kill(process, signal.SIGSTOP)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)

    def end(self) -> tuple[int, float]:
        """Ends it as kubelet does; returns its exit code and the seconds from SIGTERM on."""
        self._ending.set()
        self.ready = False
        self._changed()
        self._watch.join()
        drain = self._container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        time.sleep(drain)
        began = time.monotonic()
        podman("stop", "-t", str(self._spec["terminationGracePeriodSeconds"] - drain), self._title)
        seconds, code = time.monotonic() - began, int(self.state()["ExitCode"])
        self.remove()
        return code, seconds

    def remove(self) -> None:
        """Removes it, whatever it does."""
        self._ending.set()
        podman("rm", "-f", "-i", "-t", "0", self._title)
        if self._watch.ident is not None:
            self._watch.join()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self.namespace is not None:
            self.namespace.remove()
