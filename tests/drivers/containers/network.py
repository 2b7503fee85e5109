"""A network for pods on this machine: a bridge, a namespace with an address for each pod, names, and rules.

Needs root, and the programs ip, iptables and dnsmasq. Nothing of it is reachable from outside of the machine.
"""

import contextlib
import ipaddress
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

BRIDGE = "echomind0"
BRIDGE_ADDRESS = "02:00:0a:4d:00:01"
"""A bridge without one of its own has the lowest of its pods, and is not reached for a while when that pod ends."""
SUBNET = ipaddress.ip_network("10.77.0.0/24")
NODE = "10.77.0.1"
"""Where kubelet's probes, the names and the Services are."""
SERVERS = "10.77.0.2"
"""Where PostgreSQL, Qdrant, S3, the model and its tools are."""
NATS_NODES = ("10.77.0.3", "10.77.0.4", "10.77.0.5")
TOOLS = "10.77.0.7"
"""Where the tools of assistants are."""
STRANGER = "10.77.0.6"
"""A machine that belongs to nothing here."""
POOL = tuple(f"10.77.0.{number}" for number in range(20, 60))
"""Addresses of pods."""
PID_FILE = Path("/run/echomind-test-dnsmasq.pid")
DOMAIN = "default.svc.cluster.local"

Json = dict[str, Any]


def run(*command: str, stdin: str | None = None, check: bool = True) -> str:
    """Runs a program; returns what it printed."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60)
    assert not check or done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@dataclass(frozen=True)
class Namespace:
    """A namespace with an address."""

    name: str
    address: str

    @property
    def path(self) -> str:
        return f"/run/netns/{self.name}"

    def connects(self, address: str, port: int) -> bool:
        """Returns whether a TCP connection from there is accepted."""
        program = f"import socket; socket.create_connection(('{address}', {port}), 3).close()"
        command = ["ip", "netns", "exec", self.name, "python3", "-c", program]
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0

    def apply(self, rules: Iterable[str]) -> None:
        """Replaces the rules of iptables, which say what may come in and go out."""
        text = "\n".join(["*filter", *rules, "COMMIT", ""])
        run("ip", "netns", "exec", self.name, "iptables-restore", "--wait", stdin=text)

    @contextlib.contextmanager
    def losing(self, share: float) -> Iterator[None]:
        """Loses a share of all packets in both directions for the length of a with-block; with 1 all of them."""
        rule = ["-m", "statistic", "--mode", "random", "--probability", str(share), "-j", "DROP"]
        for chain in ("INPUT", "OUTPUT"):
            self._run("iptables", "--wait", "-I", chain, *rule)
        try:
            yield
        finally:
            for chain in ("INPUT", "OUTPUT"):
                self._run("iptables", "--wait", "-D", chain, *rule)

    @contextlib.contextmanager
    def slowed(self, rate: str) -> Iterator[None]:
        """Sends no faster than a rate, such as `512kbit`, for the length of a with-block."""
        self._run("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "16kbit", "latency", "3s")
        try:
            yield
        finally:
            self._run("tc", "qdisc", "del", "dev", "eth0", "root")

    def _run(self, *command: str) -> None:
        run("ip", "netns", "exec", self.name, *command)

    def remove(self) -> None:
        run("ip", "netns", "del", self.name)


class Network:
    """The bridge with the addresses of servers, and names; a context manager."""

    def __init__(self, domain: str = DOMAIN) -> None:
        """`domain` is put after names; empty for none."""
        self._suffix = f".{domain}" if domain else ""
        self._free = list(POOL)
        self._folder = tempfile.TemporaryDirectory()
        self._names = Path(self._folder.name) / "hosts"
        self._dns: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._remove()
        run("ip", "link", "add", BRIDGE, "address", BRIDGE_ADDRESS, "type", "bridge")
        for address in (NODE, SERVERS, *NATS_NODES, STRANGER, TOOLS):
            run("ip", "addr", "add", f"{address}/{SUBNET.prefixlen}", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        self._names.write_text("")
        Path(self._folder.name).chmod(0o755)
        options = ["--keep-in-foreground", "--no-resolv", "--no-hosts", "--user=root", f"--pid-file={PID_FILE}"]
        listen = ["--bind-interfaces", f"--listen-address={NODE}", "--conf-file=/dev/null", "--address=/#/"]
        self._dns = subprocess.Popen(["dnsmasq", *options, *listen, f"--addn-hosts={self._names}", "--local-ttl=1"])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._dns is not None:
            self._dns.terminate()
            self._dns.wait()
        self._remove()
        self._folder.cleanup()

    def _remove(self) -> None:
        """Removes what an earlier run has left."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            process = int(PID_FILE.read_text())
            if Path(f"/proc/{process}/comm").read_text().strip() == "dnsmasq":
                os.kill(process, signal.SIGTERM)
        for line in run("ip", "netns", "list").splitlines():
            if line.startswith("pod-"):
                run("ip", "netns", "del", line.split()[0])
        for link in re.findall(r"^\d+: (em\d+)@", run("ip", "link"), re.MULTILINE):
            run("ip", "link", "del", link, check=False)  # it goes with its namespace, somewhat later
        run("ip", "link", "del", BRIDGE, check=False)

    def name(self, names: dict[str, list[str]]) -> None:
        """Says which addresses each name has."""
        lines = [f"{address} {name}{self._suffix}" for name, addresses in names.items() for address in addresses]
        self._names.write_text("\n".join([*lines, ""]))
        if self._dns is not None:
            self._dns.send_signal(signal.SIGHUP)

    def attach(self, pod: str) -> Namespace:
        """Makes a namespace with an address that was not used before, as far as there are some."""
        namespace = Namespace(f"pod-{pod}", self._free.pop(0))
        self._free.append(namespace.address)
        outer = f"em{namespace.address.rpartition('.')[2]}"
        run("ip", "link", "del", outer, check=False)
        run("ip", "netns", "add", namespace.name)
        run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", namespace.name)
        run("ip", "link", "set", outer, "master", BRIDGE, "up")
        run("ip", "-n", namespace.name, "addr", "add", f"{namespace.address}/{SUBNET.prefixlen}", "dev", "eth0")
        for device in ("eth0", "lo"):
            run("ip", "-n", namespace.name, "link", "set", device, "up")
        return namespace


def matches(selector: Json, labels: dict[str, str]) -> bool:
    """Returns whether a selector by labels selects what has these."""
    assert set(selector) <= {"matchLabels"}, selector
    return bool(selector.get("matchLabels", {}).items() <= labels.items())


@dataclass(frozen=True)
class Proxied:
    """A Service, which is a proxy here: what may connect to its pods may connect to it.

    Attributes:
        selector: Labels of its pods.
        port: Its port.
        target: That of its pods, which policies name.
    """

    selector: dict[str, str]
    port: int
    target: int


def rules_of(
    policies: list[Json], labels: dict[str, str], others: dict[str, dict[str, str]], services: Iterable[Proxied]
) -> list[str]:
    """Translates NetworkPolicies to rules of iptables.

    Args:
        policies: Their specifications.
        labels: Those of the pod whose rules they are.
        others: Labels of the pods by address.
        services: Those that have an address of their own.
    """
    rules = [":INPUT ACCEPT [0:0]", ":FORWARD DROP [0:0]", ":OUTPUT ACCEPT [0:0]"]
    chosen = [policy for policy in policies if matches(policy["podSelector"], labels)]
    for kind, chain, side in (("Ingress", "INPUT", "-s"), ("Egress", "OUTPUT", "-d")):
        limiting = [policy for policy in chosen if kind in policy["policyTypes"]]
        if not limiting:
            continue
        rules.append(f"-A {chain} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT")
        rules.append(f"-A {chain} -{'i' if chain == 'INPUT' else 'o'} lo -j ACCEPT")
        if kind == "Ingress":  # a node always reaches its pods
            rules.append(f"-A {chain} -s {NODE} -j ACCEPT")
        for rule in (rule for policy in limiting for rule in policy.get(kind.lower()) or ()):
            sides = _sides(rule.get("from" if kind == "Ingress" else "to") or (), side, others)
            rules += [f"-A {chain} {each} {port} -j ACCEPT" for each in sides for port in _ports(rule)]
            if kind == "Egress":
                rules += [f"-A {chain} {each} -j ACCEPT" for each in _proxies(rule, services)]
        rules.append(f"-A {chain} -j REJECT")
    return rules


def _sides(peers: Iterable[Json], side: str, others: dict[str, dict[str, str]]) -> list[str]:
    found: list[str] = []
    for peer in peers:
        if block := peer.get("ipBlock"):
            assert set(block) == {"cidr"}, "not translated: " + str(block)
            found.append(f"{side} {block['cidr']}")
        else:
            assert set(peer) == {"podSelector"}, "not translated: " + str(peer)
            found += [f"{side} {at}" for at, labels in others.items() if matches(peer["podSelector"], labels)]
    return found if peers else [""]


def _proxies(rule: Json, services: Iterable[Proxied]) -> list[str]:
    """Returns the Services whose pods a rule lets a pod connect to."""
    selectors = [peer["podSelector"] for peer in rule.get("to") or () if "podSelector" in peer]
    ports = {port["port"] for port in rule.get("ports", ())}
    return [
        f"-d {NODE} -p tcp --dport {service.port}"
        for service in services
        if service.target in ports and any(matches(each, service.selector) for each in selectors)
    ]


def _ports(rule: Json) -> list[str]:
    return [f"-p {port['protocol'].lower()} --dport {port['port']}" for port in rule.get("ports", ())] or [""]
