"""What is in the images, as `make images` has built them. Not part of `make test`, as it needs root and podman."""

import json
import subprocess

import pytest

from tests.drivers.containers.pods import podman
from tools.images import LIMITS


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
