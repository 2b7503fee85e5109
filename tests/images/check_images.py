"""What is in the images, as `make images` has built them. Not part of `make test`, as it needs root and podman."""

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.containers.pods import podman
from tools.images import LIMITS, save

READY_SECONDS, LOAD_SECONDS = 120.0, 300.0

pytestmark = pytest.mark.timeout(2 * LOAD_SECONDS)


def inside(image: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in an image; returns what it printed."""
    name, *arguments = command
    return podman(
        "run", "--rm", "--network=none", f"--entrypoint={name}", f"localhost/echomind-{image}", *arguments, check=False
    )


@pytest.mark.parametrize("image", LIMITS)
def test_images_are_small_and_have_no_tools(image: str) -> None:
    (described,) = json.loads(podman("image", "inspect", f"localhost/echomind-{image}").stdout)
    assert described["Size"] / 1e6 < LIMITS[image], f"{described['Size'] / 1e6:.0f} MB"
    assert described["Config"]["User"] == "10001:10001"
    found = inside(image, "sh", "-c", "id -u; ls /root/.bash_history; command -v gcc cc pip pip3 curl; true").stdout
    assert found.split() == ["10001"]


def test_images_have_only_their_own_part() -> None:
    for image, module in (("api", "openvino"), ("agent", "fastapi"), ("ingestor", "uvicorn"), ("migrate", "mcp")):
        assert inside(image, "python", "-c", f"import {module}").returncode == 1, (image, module)


def test_an_archive_brings_an_image_to_another_machine(tmp_path: Path) -> None:
    archive = save("migrate", tmp_path)
    with tempfile.TemporaryDirectory() as folder:  # podman takes short paths alone
        storage = [f"--root={folder}/root", f"--runroot={folder}/run", "--storage-driver=vfs"]
        loaded = podman(*storage, "load", "-q", "-i", str(archive), seconds=LOAD_SECONDS)
        assert "echomind-migrate" in loaded.stdout
        (here,) = json.loads(podman("image", "inspect", "localhost/echomind-migrate").stdout)
        (there,) = json.loads(podman(*storage, "image", "inspect", "localhost/echomind-migrate").stdout)
    assert there["RootFS"] == here["RootFS"]
    assert there["Config"] == here["Config"]


@pytest.fixture
def machine() -> Iterator[str]:
    """A container of the image with everything, without a network, when it is ready."""
    name = "echomind-test-all"
    podman("rm", "-f", "-i", name)
    options = ["--network=none", "--no-healthcheck", "--pull=never", "--cap-drop=ALL", "--tmpfs=/tmp"]
    options.append("--env=ECHOMIND_API__OWNER_PASSWORD=correct horse battery")
    podman("run", "-d", f"--name={name}", *options, "localhost/echomind-all")
    try:
        deadline = time.monotonic() + READY_SECONDS  # it indexes its guide at the first start
        while podman("exec", name, "echomind", "status", check=False).returncode:
            assert time.monotonic() < deadline, podman("logs", name).stdout
            time.sleep(1)
        yield name
    finally:
        podman("rm", "-f", "-i", "-t", "20", name)


def test_an_installation_of_the_wheel_answers_without_checkout_and_network(machine: str) -> None:
    """The image is made of the wheels alone, so this is what `pip install` gives somebody."""

    def run(*command: str) -> str:
        return podman("exec", machine, *command, seconds=120).stdout

    run("sh", "-c", "echo 'The door of the archive is painted green.' > /tmp/door.txt")
    run("echomind", "ingest", "/tmp/door.txt", "--wait")
    assert "green" in run("echomind", "ask", "What colour is the door of the archive?")
    page = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8080/').read().decode())"
    assert "<!doctype html>" in run("python", "-c", page).lower()
    assert "ok" in run("echomind", "doctor").lower()
    podman("stop", "-t", "20", machine)
    (state,) = json.loads(podman("inspect", machine).stdout)
    assert state["State"]["ExitCode"] == 0, podman("logs", machine).stdout[-2000:]
