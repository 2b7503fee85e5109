"""The systems that turns are measured on: the bare stub, the peers, and EchoMind."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.children import PEERS, Children
from bench.product import Product

_INSTALL_SECONDS = 1200


@dataclass(frozen=True)
class System:
    """Something that answers turns over HTTP.

    Attributes:
        name: What it is called in the results.
        adapter: The load client's adapter for it.
        base: Its address.
        processes: Its processes by name; `postgres` is counted beside the others.
        options: Options of the adapter.
        profile_suffix: What is added to the stub's profile.
        prepare: Called with the profile before it is loaded with it.
        client: The load client: a file name in `peers`, or a path.
    """

    name: str
    adapter: str
    base: str
    processes: Mapping[str, psutil.Process]
    options: Mapping[str, str] = field(default_factory=dict)
    profile_suffix: str = ""
    prepare: Callable[[str], None] = lambda _: None
    client: str = "loadgen.py"


def raw_stub(stub_url: str) -> System:
    """Returns the stub itself: what the client and the model server take on their own."""
    return System("raw stub", "openai", stub_url, {})


def echomind(
    product: Product, stub_url: str, name: str, profile_suffix: str = "", client: str = "loadgen.py", **options: str
) -> System:
    """Returns the product, answering by the stub's profiles; `options` are the load client's."""
    return System(
        name,
        "echomind",
        product.url,
        product.processes(),
        {"token": product.key, **options},
        profile_suffix,
        lambda profile: product.use_model(stub_url, profile),
        client,
    )


def install_peer(folder: Path, name: str) -> Path | None:
    """Makes a peer's virtual environment from its pinned requirements, unless it is there.

    Args:
        folder: Where the environments are kept between runs.
        name: Stem of its requirements file.

    Returns:
        Its interpreter; None when it cannot be installed, which is printed.
    """
    venv = folder / name
    python, done = venv / "bin" / "python", venv / ".installed"
    requirements = PEERS / "requirements" / f"{name}.txt"
    if done.exists() and done.read_text(encoding="utf-8") == requirements.read_text(encoding="utf-8"):
        return python
    print(f"Installing {name} into {venv} ...", flush=True)
    uv = str(Path(sys.executable).parent / "uv")
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(venv)],
        # Copies, because nltk rejects data files that are hard links.
        [uv, "pip", "install", "--quiet", "--link-mode", "copy", "--python", str(python), "-r", str(requirements)],
    ):
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"{name} is left out: {error}", flush=True)
            return None
        if result.returncode != 0:
            print(f"{name} is left out, it cannot be installed:\n{result.stderr[-1500:]}", flush=True)
            return None
    done.write_text(requirements.read_text(encoding="utf-8"), encoding="utf-8")
    return python


PEERS_OF_TURNS = {
    "proxy": ("FastAPI + httpx pass-through", "openai", "peer_proxy", False),
    "langgraph": ("LangGraph + FastAPI", "sse", "peer_langgraph", True),
    "agno": ("Agno AgentOS", "agno", "peer_agno", True),
}
"""Title, adapter of the load client, application, and whether it needs a PostgreSQL, by name."""


def start_peers(
    children: Children, peers_dir: Path, stub_url: str, profiles: list[str], names: Sequence[str]
) -> list[System]:
    """Starts the peers that can be installed, each with one worker process and a PostgreSQL of its own.

    Args:
        children: Ends them with the rest.
        peers_dir: Where their environments are kept.
        stub_url: The model server.
        profiles: The stub's profiles that they will be asked with.
        names: Which ones, of `PEERS_OF_TURNS`.
    """
    found = []
    for name in names:
        title, adapter, app, needs_postgres = PEERS_OF_TURNS[name]
        python = install_peer(peers_dir, name)
        if python is None:
            continue
        environment = {"STUB_URL": stub_url, "MODELS": ",".join(profiles), "PYTHONPATH": str(PEERS)}
        environment |= {"LANGSMITH_TRACING": "false", "AGNO_TELEMETRY": "false"}
        processes = {}
        if needs_postgres:
            processes["postgres"], environment["DSN"] = children.start_postgres(f"{name}-postgres")
        processes["server"], base = children.start_server(name, _uvicorn(python, app), environment)
        found.append(System(title, adapter, base, processes))
    return found


def _uvicorn(python: Path, app: str) -> Callable[[int], list[str]]:
    options = ["--host", "127.0.0.1", "--log-level", "warning"]
    return lambda port: [str(python), "-m", "uvicorn", f"{app}:app", *options, "--port", str(port)]
