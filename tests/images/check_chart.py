"""The Helm chart, started: every rendered container with what its manifest says, through the loss of each part.

Two gateways, two agents, three ingestors and an embedding process, with PostgreSQL, three NATS servers, S3 and vectors
beside them. Not part of `make test`: `make images` runs it, as it needs root, podman, HAProxy and dnsmasq.

`ECHOMIND_CHAOS_WORK=1000` does so many runs and documents under each kind of fault of each part instead of few of them;
`ECHOMIND_CHAOS_SEED` repeats an order, and `ECHOMIND_CHAOS_REPORT=FILE` writes the report.
"""

import asyncio
import io
import itertools
import json
import os
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
import yaml
from minio import Minio

from bench.machine import describe
from bench.results import machine_line
from echomind.backup.restore import verify
from tests.drivers import much_work
from tests.drivers.chaos import Faults, one_of_each
from tests.drivers.containers.cluster import Cluster
from tests.drivers.containers.faults import faults_of_cluster
from tests.drivers.containers.installed import PASSWORD, Installed, add_document, allow_any_host, load, owner_key
from tests.drivers.containers.network import NATS_NODES, NODE, SERVERS, STRANGER, TOOLS, run
from tests.drivers.containers.servers import QDRANT_PORT, S3_PORT, external_servers, start_nats
from tests.drivers.mcp_server import served
from tests.drivers.model_server import ModelServer
from tests.drivers.much_work import Work
from tests.drivers.paper import Paper
from tests.drivers.readers import Address
from tests.drivers.stage import PATIENCE, Workbench
from tests.drivers.story import Story
from tests.factories.stories import respond
from tests.paths import ROOT
from tools import helm

CHART = ROOT / "deploy" / "helm" / "echomind"
KEY = "dGVzdCBrZXkgb2YgdGhlIGltYWdlcyBvZiB0ZXN0cyE="

VALUES = {
    "image": {"registry": "localhost", "tag": "latest"},
    "secrets": {"name": "echomind"},
    "publicUrl": f"http://{NODE}",
    "nats": {"replicas": 3},
    "qdrant": {"url": f"http://{SERVERS}:{QDRANT_PORT}"},
    "s3": {"endpoint": f"http://{SERVERS}:{S3_PORT}"},
    # The guide's pages would be read before the documents of these tests.
    "api": {"settings": {"ECHOMIND_API__GUIDE": "false"}},
    "agent": {"settings": {"ECHOMIND_AGENT__RUNS_PER_PERSON": "10000"}},
    # A connector reads a bucket of the S3 server beside the cluster.
    "tools": {"enabled": True},
    "ingestor": {"replicas": 3, "settings": {"ECHOMIND_FETCH__ALLOWED_HOSTS": SERVERS}},
    "networkPolicy": {
        "egress": [{"ports": [5432, 4222, 6334, 9000, 443], "to": [{"ipBlock": {"cidr": "10.77.0.0/29"}}]}]
    },
}
LONG_DOWN = 70
"""Seconds without PostgreSQL: longer than liveness probes bear failures."""
FROZEN, BAD = 17.0, 8.0
"""Seconds of a pause or a cut, longer than a lease, and of a bad network."""
FILES = 40
"""Of a source that is synced while ingestors are killed."""
FEW = 60
"""Runs and documents under some faults, if nobody asks for many under all."""
WORK = int(os.environ.get("ECHOMIND_CHAOS_WORK", "0"))
SEED = int(os.environ.get("ECHOMIND_CHAOS_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
REPORT = os.environ.get("ECHOMIND_CHAOS_REPORT", "")

pytestmark = [
    pytest.mark.timeout(460),
    # The client of NATS, with which a test repeats messages, drops a connection to a server that dies meanwhile.
    pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning"),
]


def rendered(folder: Path) -> list[dict[str, Any]]:
    """Renders the chart as it is installed here."""
    values = folder / "values.yaml"
    values.write_text(yaml.safe_dump(VALUES))
    text = run(str(helm.path()), "template", "answers", str(CHART), "--values", str(values))
    return [document for document in yaml.safe_load_all(text) if document]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installed]:
    """The chart, installed, with a model, tools and a document."""
    folder = tmp_path_factory.mktemp("chart")
    folder.chmod(0o755)
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(external_servers(folder))
        servers.secret |= {"secret-keys": KEY, "owner-password": PASSWORD}
        model = await stack.enter_async_context(ModelServer())
        model.respond(respond)
        bench = Workbench()
        tools = await stack.enter_async_context(served(allow_any_host, bench.server()))
        servers.forwards[SERVERS, 443] = int(urlsplit(model.url).port or 0)
        servers.forwards[TOOLS, 443] = int(urlsplit(tools).port or 0)
        clocks = folder / "clocks"
        clocks.mkdir()
        secrets = {"echomind": servers.secret}
        cluster = stack.enter_context(Cluster(rendered(folder), secrets, servers.forwards, clocks))
        await asyncio.to_thread(start_nats, servers, servers.secret["nats-url"].split(":")[2].partition("@")[0])
        for _ in range(2):  # the second time as before an upgrade
            assert "The schema is at revision" in await asyncio.to_thread(cluster.migrate)
        await asyncio.to_thread(cluster.install)
        address = Address(f"http://{NODE}", f"{NODE}:50051", await owner_key())
        http = aiohttp.ClientSession(address.http_url, headers=address.headers, timeout=aiohttp.ClientTimeout(total=10))
        await stack.enter_async_context(http)
        scene = Installed(address, model, bench, http, itertools.count(1))
        scene.cluster, scene.servers = cluster, servers
        await scene.furnish(f"http://{SERVERS}:443/v1", f"http://{TOOLS}:443/mcp")
        scene.document = asyncio.create_task(add_document(scene))
        await asyncio.shield(scene.document)
        yield scene


async def test_answers_and_documents_pass_through_the_services(installed: Installed) -> None:
    counts = {component: len(pods) for component, pods in installed.cluster.pods.items()}
    assert counts == {"api": 2, "agent": 2, "ingestor": 3, "embedding": 1, "tools": 1}
    stories = [Story(installed, kind) for kind in ("stream", "tool", "ask", "order", "tree", "team", "quick")]
    for story in stories:
        await story.has_ended()
        await story.is_whole()
    paper = Paper(installed)
    await paper.upload()
    await paper.has_ended()
    await paper.is_whole()
    async with installed.http.get("/") as page:
        assert "<!doctype html>" in (await page.text()).lower()


async def test_the_command_line_runs_in_a_pod_of_its_own(installed: Installed, tmp_path: Path) -> None:
    """As the guide says: `kubectl exec deploy/echomind-tools -- echomind ...`, with and without a key."""
    (pod,) = installed.cluster.pods["tools"]

    async def execute(*words: str) -> bytes:
        done = await asyncio.to_thread(pod.execute, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    key = installed.address.key
    checked = json.loads(await execute("env", f"ECHOMIND_API_KEY={key}", "echomind", "doctor", "--json"))
    levels = {check["name"]: check["level"] for check in checked["checks"]}
    servers = ("PostgreSQL", "NATS", "Qdrant", "Object store", "Embedding process", "Service", "API key")
    assert {name: levels.get(name) for name in servers} == dict.fromkeys(servers, "ok"), checked
    assert "Data folder" not in levels
    assert await execute("echomind", "doctor")
    link = json.loads(await execute("echomind", "users", "recover", "owner", "--json"))["signInLink"]
    assert link.startswith(f"http://{NODE}/"), link
    made = tmp_path / "echomind.backup"
    made.write_bytes(await execute("echomind", "backup", "-"))
    assert verify(made, []).manifest.documents >= 1


async def test_each_service_is_replaced_under_load_without_a_lost_answer(installed: Installed) -> None:
    installed.cluster.ends.clear()
    async with load(installed) as stories:
        for component in ("api", "agent", "ingestor", "embedding"):
            paper = Paper(installed)
            await paper.upload()
            before = len(stories)
            await installed.roll(component)
            await paper.has_ended()
            await paper.is_whole()
            async with asyncio.timeout(PATIENCE):
                while len(stories) <= before:  # noqa: ASYNC110 - others ask
                    await asyncio.sleep(0.1)
    ends = installed.cluster.ends
    print(f"\n{len(stories)} answers while all services were replaced; ends: {ends}")  # noqa: T201 -- what people run it for
    assert len(ends) == 8
    # SIGTERM was heeded well before the time when a pod is killed.
    assert {code for _, code, _ in ends} == {0}, ends
    assert max(seconds for _, _, seconds in ends) < 12, ends


async def test_nothing_is_lost_when_a_pod_of_each_service_is_killed(installed: Installed) -> None:
    recovery = {}
    async with load(installed) as stories:
        for component in ("api", "agent", "ingestor", "embedding"):
            paper = Paper(installed)
            await paper.upload()
            pod = installed.cluster.pods[component][0]
            restarts = pod.restarts
            await asyncio.to_thread(pod.kill)
            probe = Story(installed, "quick")
            stories.append(probe)
            await probe.has_ended()
            wait = installed.cluster.wait
            recovery[component] = await asyncio.to_thread(
                wait, lambda pod=pod, count=restarts: pod.restarts > count and pod.ready, f"{pod} is not back"
            )
            await paper.has_ended()
            await paper.is_whole()
    print(f"\n{len(stories)} answers; seconds until a killed pod is ready: {recovery}")  # noqa: T201


async def test_a_connector_syncs_whole_while_each_ingestor_is_killed(installed: Installed) -> None:
    secret = installed.servers.secret
    store = Minio(
        endpoint=f"127.0.0.1:{installed.servers.forwards[SERVERS, S3_PORT]}",
        access_key=secret["s3-access-key"],
        secret_key=secret["s3-secret-key"],
        secure=False,
    )
    names = {f"contract-{number}.txt" for number in range(FILES)}

    def fill() -> None:
        for name in names:
            data = f"The contract {name} ends in the year 2031.".encode()
            store.put_object(
                bucket_name="echomind", object_name=f"contracts/{name}", data=io.BytesIO(data), length=len(data)
            )

    await asyncio.to_thread(fill)
    keys = {"access_key": secret["s3-access-key"], "secret_key": secret["s3-secret-key"]}
    connector = {"name": "Contracts", "typeName": "storage", "scope": "SCOPE_ORG", "credentials": {"s3": keys}}
    config = {"service": "s3", "bucket": "echomind", "folder": "contracts", "endpoint": f"http://{SERVERS}:{S3_PORT}"}
    made = await installed.call("POST", "connectors", connector | {"config": config})
    await installed.call("POST", f"connectors/{made['id']}:sync", {})
    for pod in installed.cluster.pods["ingestor"]:
        restarts = pod.restarts
        await asyncio.to_thread(pod.kill)
        await asyncio.to_thread(
            installed.cluster.wait, lambda pod=pod, count=restarts: pod.restarts > count and pod.ready, f"{pod}"
        )
    async with asyncio.timeout(PATIENCE):
        while True:
            listed = await installed.call("GET", f"documents?pageSize=100&connectorId={made['id']}")
            found = [document["fileName"] for document in listed.get("documents", [])]
            statuses = {document["status"] for document in listed.get("documents", [])}
            if set(found) == names and statuses == {"DOCUMENT_STATUS_COMPLETED"}:
                break
            assert "DOCUMENT_STATUS_FAILED" not in statuses, listed
            await asyncio.sleep(0.5)
    assert len(found) == FILES


async def test_nothing_is_lost_by_pauses_and_bad_networks(installed: Installed) -> None:
    """A worker that was frozen or cut off for longer than its lease has lost its work to another one."""
    agent, ingestor = (installed.cluster.pods[name][0] for name in ("agent", "ingestor"))
    gateway = installed.cluster.pods["api"][0]
    async with load(installed) as stories:
        paper = Paper(installed)
        await paper.upload()
        await asyncio.gather(*(asyncio.to_thread(pod.freeze, FROZEN) for pod in (agent, ingestor)))
        for pod, fault in (
            (installed.cluster.pods["agent"][1], "losing 1"),
            (gateway, "losing 0.2"),
            (agent, "losing 0.2"),
            (gateway, "slowed 512kbit"),
        ):
            namespace = pod.namespace
            assert namespace
            kind, value = fault.split()
            with namespace.losing(float(value)) if kind == "losing" else namespace.slowed(value):
                await asyncio.sleep(FROZEN if value == "1" else BAD)
            stories.append(probe := Story(installed, "quick"))
            await probe.has_ended()
        await paper.has_ended()
        await paper.is_whole()
    wait = installed.cluster.wait
    await asyncio.to_thread(wait, lambda: all(pod.ready for pod in installed.cluster.all), "not ready again")
    print(f"\n{len(stories)} answers over pauses of {FROZEN:.0f} s, cuts, and lossy and slow links")  # noqa: T201


@pytest.mark.timeout(900 + 3 * WORK)
async def test_nothing_is_lost_or_doubled_when_everything_goes_wrong(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deaths, pauses, cuts, bad links, wrong clocks, full disks, and messages that come twice and out of order."""
    monkeypatch.setattr(installed, "patience", much_work.PATIENCE)
    monkeypatch.setattr(installed, "searches_may_fail", True)
    chance = random.Random(SEED)
    every = faults_of_cluster(installed.cluster, installed.servers, chance)
    faults = Faults(installed, chance, every if WORK else one_of_each(every, chance))
    work = Work(installed, WORK or FEW, chance, faults)
    await work.run(installed.servers.secret["nats-url"].split(","))
    report = work.report(SEED)
    print(report)  # noqa: T201 -- what people run it for
    if REPORT:
        page = f"# Chaos in a cluster\n\n{machine_line(describe())}\n{report}\n"
        await asyncio.to_thread(Path(REPORT).write_text, page, encoding="utf-8")
    assert not work.problems, "\n".join(work.problems)
    assert work.repeated


async def test_one_of_three_nats_servers_may_die(installed: Installed) -> None:
    async with load(installed) as stories:
        for number in range(3):
            await asyncio.to_thread(installed.servers.kill, f"nats-{number}")
            probe = Story(installed, "quick")
            stories.append(probe)
            await probe.has_ended()
            await asyncio.to_thread(installed.servers.start_again, f"nats-{number}")


async def test_pods_reach_and_are_reached_by_what_the_policies_allow_alone(installed: Installed) -> None:
    api, agent, embedding = (installed.cluster.pods[name][0].namespace for name in ("api", "agent", "embedding"))
    assert api
    assert agent
    assert embedding
    found = {
        "agent to PostgreSQL": agent.connects(SERVERS, 5432),
        "agent to NATS": agent.connects(NATS_NODES[0], 4222),
        "agent to embedding": agent.connects(embedding.address, 50061),
        "agent to another port": agent.connects(NATS_NODES[0], 8222),
        "agent to a gateway": agent.connects(api.address, 8080),
        "agent to another network's PostgreSQL": agent.connects(NODE, 80),
        "embedding to PostgreSQL": embedding.connects(SERVERS, 5432),
        "embedding to an agent": embedding.connects(agent.address, 9100),
        "a stranger to a gateway": await _reaches(api.address, 8080),
        "a stranger to embedding": await _reaches(embedding.address, 50061),
    }
    allowed = {name for name, connects in found.items() if connects}
    assert allowed == {"agent to PostgreSQL", "agent to NATS", "agent to embedding", "a stranger to a gateway"}


async def _reaches(address: str, port: int) -> bool:
    """Returns whether a machine that belongs to nothing can connect."""
    try:
        async with asyncio.timeout(3):
            _, writer = await asyncio.open_connection(address, port, local_addr=(STRANGER, 0))
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def test_without_postgresql_nothing_is_restarted_and_all_is_back(installed: Installed) -> None:
    cluster = installed.cluster
    restarts = {pod.name: pod.restarts for pod in cluster.all}
    await asyncio.to_thread(installed.servers.stop, "postgres")
    services = [pod for pod in cluster.all if pod.component not in {"embedding", "tools"}]
    await asyncio.to_thread(cluster.wait, lambda: not any(pod.ready for pod in services), "still ready")
    await asyncio.sleep(LONG_DOWN)
    assert {pod.name: pod.restarts for pod in cluster.all} == restarts
    await asyncio.to_thread(installed.servers.start_again, "postgres")
    back = await asyncio.to_thread(cluster.wait, lambda: all(pod.ready for pod in cluster.all), "not ready again")
    story = Story(installed, "stream")
    await story.has_ended()
    await story.is_whole()
    print(f"\nready {back:.1f} s after PostgreSQL was back")  # noqa: T201
    assert back < 15
