"""Random kills of processes while runs are in every state: nothing is lost or duplicated.

Each story is a run whose end is known. A client watches it from the beginning as the contract says, connects again when
its connection breaks, and does what the run asks a person for. In the end everything stored is looked at: each message,
step, call, sub-agent, todo, citation and event is there once, and what the client has is what is stored.

`ECHOMIND_CHAOS_RUNS=20 pytest tests/e2e/restarts/test_chaos.py` adds so many rounds of random faults at random moments;
`ECHOMIND_CHAOS_SEED` repeats one. `ECHOMIND_CHAOS_WORK=1000` adds so many runs and documents under constant faults,
and `ECHOMIND_CHAOS_REPORT=FILE` writes the report of that.
"""

import asyncio
import json
import os
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bench.machine import describe
from bench.results import machine_line
from echomind.local.embedded.nats import NatsServer
from echomind.local.parts_file import read_parts
from tests.drivers import much_work
from tests.drivers.chaos import Clock, Faults, faults_of_processes
from tests.drivers.disk import fill, small_disk
from tests.drivers.mcp_server import served
from tests.drivers.model_server import ModelServer
from tests.drivers.much_work import Work
from tests.drivers.paper import Paper
from tests.drivers.readers import Address
from tests.drivers.stage import PATIENCE, PROGRAMS, Stage, Workbench, freeze
from tests.drivers.story import Story
from tests.drivers.up import start_up, stop_up, wait_ready
from tests.factories.stories import KINDS, NOTE, respond

RUNS = int(os.environ.get("ECHOMIND_CHAOS_RUNS", "0"))
SEED = int(os.environ.get("ECHOMIND_CHAOS_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
WORK = int(os.environ.get("ECHOMIND_CHAOS_WORK", "0"))
REPORT = os.environ.get("ECHOMIND_CHAOS_REPORT", "")
RECOVERY_SECONDS = 30.0
DISK_MB = 1200 + 3 * WORK

pytestmark = pytest.mark.timeout(300)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """The product with two agents, an assistant with all that runs do, and a document."""
    folder = tmp_path_factory.mktemp("chaos")
    async with AsyncExitStack() as stack:
        disk = stack.enter_context(small_disk(folder / "disk", DISK_MB))
        settings = {"ECHOMIND_AGENT__RUNS_PER_PERSON": "10000"}
        clock = Clock(folder) if WORK and Clock.is_possible() else None
        settings |= clock.environment if clock else {}
        up = start_up((disk or folder) / "data", "--agents", "2", settings=settings)
        stack.callback(stop_up, up)
        await asyncio.to_thread(wait_ready, up)
        model = await stack.enter_async_context(ModelServer())
        model.respond(respond)
        bench = Workbench()
        url = await stack.enter_async_context(served(server=bench.server()))
        headers = {"Authorization": f"Bearer {up.api_key}"}
        http = await stack.enter_async_context(
            aiohttp.ClientSession(up.url, headers=headers, timeout=aiohttp.ClientTimeout(total=10))
        )
        address = Address(up.url, f"127.0.0.1:{up.grpc_port}", up.api_key)
        made = Stage(address, model, bench, http, iter(range(1, 10**6)), up=up, disk=disk, clock=clock)
        await made.furnish(model.url, url)
        (folder / "printers.txt").write_text(NOTE)
        made.document = asyncio.create_task(
            asyncio.to_thread(up.run_program, "ingest", str(folder / "printers.txt"), "--wait")
        )
        yield made


async def test_runs_in_every_state_survive_the_death_of_each_part(stage: Stage) -> None:
    held = [Story(stage, kind, held=True) for kind in ("tool", "ask", "order", "tree")]
    stories = list(held)
    assert all(await asyncio.gather(*(story.is_under_way() for story in held)))
    recovery = {}
    for name in ("nats", "api", "postgres", "agent"):
        streaming = await _in_mid_stream(stage, stories)
        began = time.monotonic()
        stage.kill(name)
        probe = Story(stage, "quick")
        stories.append(probe)
        await streaming.has_ended()
        await probe.has_ended()
        recovery[name] = ((streaming.taken_over_at or streaming.ended_at) - began, probe.ended_at - began)
    for story in held:
        stage.bench.gate(story.key).set()
    for story in stories:
        await story.has_ended()
        await story.is_whole()
    tool, _, order, tree = held
    # Interrupted calls were repeated, except those that must not be.
    assert min(stage.bench.held[tool.key], stage.bench.held[f"{tree.key}A"]) > 1
    assert stage.bench.recorded[order.key] == 1
    report = "\n".join(
        f"{name}: a run in mid-stream resumes or ends after {one:.1f} s, a new one ends after {two:.1f} s"
        for name, (one, two) in recovery.items()
    )
    print(f"\nfrom the kill on\n{report}")  # noqa: T201 -- what people run it for
    assert max(max(figures) for figures in recovery.values()) < RECOVERY_SECONDS, report


async def _in_mid_stream(stage: Stage, stories: list[Story]) -> Story:
    """Returns a story whose client has read a part of an answer; adds it to the stories, with those that were over."""
    for _ in range(10):
        stories.append(Story(stage, "stream"))
        if await stories[-1].is_under_way():
            return stories[-1]
    raise AssertionError("no client has read a part of an answer")


async def test_a_team_of_three_survives_the_death_of_all_agents(stage: Stage) -> None:
    """No member's run, step, side effect or citation is lost, and none is there twice."""
    team = Story(stage, "team", held=True)
    assert await team.is_under_way()
    stage.kill("agent")
    held = stage.bench.held
    async with asyncio.timeout(PATIENCE), stage.bench.changed:
        await stage.bench.changed.wait_for(lambda: min(held[f"{team.key}A"], held[f"{team.key}B"]) > 1)
    stage.bench.gate(team.key).set()
    await team.has_ended()
    await team.is_whole()
    assert stage.bench.recorded[team.key] == 1


async def test_two_agents_lose_database_and_messages_at_once_while_streams_are_dropped(stage: Stage) -> None:
    stories = [Story(stage, "stream", drop_after=4) for _ in range(4)]
    stories.append(Story(stage, "order", held=True, drop_after=2))
    *streaming, ordering = await asyncio.gather(*(story.is_under_way() for story in stories))
    assert ordering
    assert any(streaming)
    for name in ("postgres", "nats"):
        stage.kill(name)
    stage.bench.gate(stories[-1].key).set()
    stories.append(Story(stage, "quick", drop_after=1))
    for story in stories:
        await story.has_ended()
    for story in stories:
        await story.is_whole()


async def test_documents_survive_the_death_of_each_part_that_processes_them(stage: Stage) -> None:
    papers, recovery = [], {}
    for name in ("ingestor", "embedding", "qdrant", "s3"):
        paper = Paper(stage)
        papers.append(paper)
        await paper.is_under_way()
        began = time.monotonic()
        stage.kill(name)
        if name == "ingestor":
            await paper.is_taken_up()
        else:
            await stage.is_ready()
        recovery[name] = time.monotonic() - began
        await paper.has_ended()
    for paper in papers:
        await paper.is_whole()
    report = "\n".join(f"{name}: back at work after {seconds:.1f} s" for name, seconds in recovery.items())
    print(f"\nfrom the kill on\n{report}")  # noqa: T201 -- what people run it for
    assert max(recovery.values()) < RECOVERY_SECONDS, report


async def test_full_disk_loses_nothing_and_everything_is_back_with_the_room(stage: Stage) -> None:
    if stage.disk is None:
        pytest.skip("this system permits no mount of a small disk")
    assert stage.document is not None
    await asyncio.shield(stage.document)  # other tests need it, and it could not be read while there is no space
    stories = [Story(stage, kind, held=True) for kind in ("tool", "ask", "order", "tree")]
    assert all(await asyncio.gather(*(story.is_under_way() for story in stories)))
    paper = Paper(stage)
    await paper.is_under_way()
    ballast = stage.disk / "ballast"
    await asyncio.to_thread(fill, ballast)
    try:
        await asyncio.sleep(1)  # the free space is cached for that long
        question = {"content": "quick k0", "assistantId": stage.assistant_id}
        for path, body in (("chat-sessions/-/messages", question), (f"documents/{paper.id}:retry", {})):
            status, answer = await stage.status("POST", f"/api/v1/{path}", body)
            assert (status, answer["error"]["reason"]) == (429, "DISK_FULL"), answer
            assert str(stage.disk) in answer["error"]["message"]
        # History is there, and searches find what they found.
        status, answer = await stage.status("GET", f"/api/v1/chat-sessions/{stories[0].session_id}/messages")
        assert (status, len(answer["messages"])) == (200, 2)
        for name in ("qdrant", "nats", "s3", "postgres", "ingestor", "embedding"):
            stage.kill(name)
        seen = await _statuses_until(stage, lambda: _most_failures(stage) > 5)
        assert seen <= {200, 429, 503}, "a full disk is no fault of the product"
        shown = stage.up.run_program("doctor", "--data-dir", str(stage.up.data_dir), "--json", check=False)
        found = json.loads(shown)["checks"]
        assert {check["level"] for check in found if check["name"] == "Disk"} == {"failed"}
        assert any(check["name"].startswith("Part ") for check in found)
        assert stage.up.process.poll() is None
    finally:
        ballast.unlink()
    began = time.monotonic()
    await stage.is_ready()
    ready = time.monotonic() - began
    probe = Story(stage, "quick")
    await probe.has_ended()
    answered = probe.ended_at - began
    for story in stories:
        stage.bench.gate(story.key).set()
    await paper.has_ended()
    await paper.is_whole()
    for story in [*stories, probe]:
        await story.has_ended()
        await story.is_whole()
    report = f"room on the disk: everything is back after {ready:.1f} s, a question is answered after {answered:.1f} s"
    print(f"\n{report}")  # noqa: T201 -- what people run it for
    assert answered < RECOVERY_SECONDS, report


async def _statuses_until(stage: Stage, condition: Callable[[], bool]) -> set[int]:
    """Asks and reads until a condition holds; the statuses of all answers."""
    seen = set()
    async with asyncio.timeout(PATIENCE):
        while not condition():
            for method, path in (("GET", "/api/v1/chat-sessions"), ("POST", "/api/v1/chat-sessions/-/messages")):
                body = {"content": "quick k0", "assistantId": stage.assistant_id} if method == "POST" else None
                seen.add((await stage.status(method, path, body))[0])
            await asyncio.sleep(0.2)
    return seen


def _most_failures(stage: Stage) -> int:
    """Deaths in a row of the part that has died most often."""
    parts = read_parts(stage.up.data_dir / "run" / "parts.json")
    return max((part.failures for part in parts), default=0)


if RUNS:

    @pytest.mark.parametrize("number", range(RUNS))
    async def test_random_faults_at_random_moments(stage: Stage, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stage, "searches_may_fail", True)
        chance = random.Random(SEED + number)
        print(f"\nECHOMIND_CHAOS_SEED={SEED + number}", end=" ")  # noqa: T201 -- to repeat it
        assert stage.document is not None
        await asyncio.shield(stage.document)
        kinds = [kind for kind, of in KINDS.items() if of.content]
        stories = [Story(stage, kind) for kind in chance.choices(kinds, k=chance.randint(4, 10))]
        for _ in range(chance.randint(1, 3)):
            await asyncio.sleep(chance.uniform(0, 4))
            name = chance.choice(list(PROGRAMS))
            if chance.random() < 0.3:
                await freeze(stage, name, chance.choice([0.5, 3.0, 18.0]))
            else:
                stage.kill(name, every=chance.random() < 0.5)
            stories.append(Story(stage, chance.choice(kinds)))
        for story in stories:
            await story.has_ended()
        for story in stories:
            await story.is_whole()


if WORK:

    @pytest.mark.timeout(600 + 10 * WORK)
    async def test_much_work_under_constant_faults_is_done_once_and_whole(
        stage: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stage, "patience", much_work.PATIENCE)
        monkeypatch.setattr(stage, "searches_may_fail", True)
        chance = random.Random(SEED)
        assert stage.document is not None
        await asyncio.shield(stage.document)
        note = "" if stage.clock else "the clock did not jump: there is no C compiler"
        faults = Faults(stage, chance, faults_of_processes(stage, chance), note)
        work = Work(stage, WORK, chance, faults)
        await work.run([_nats_url(stage)])
        report = work.report(SEED)
        print(report)  # noqa: T201 -- what people run it for
        if REPORT:
            page = f"# Chaos\n\n{machine_line(describe())}\n{report}\n"
            await asyncio.to_thread(Path(REPORT).write_text, page, encoding="utf-8")
        assert not work.problems, "\n".join(work.problems)
        assert work.repeated

    def _nats_url(stage: Stage) -> str:
        folder = stage.up.data_dir / "nats"
        password = json.loads((stage.up.data_dir / "secrets.json").read_text())["nats_password"]
        (port,) = re.findall(r'^listen: "[\d.]+:(\d+)"', (folder / "nats.conf").read_text(), re.MULTILINE)
        return NatsServer(folder, int(port), password).url
