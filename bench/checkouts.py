"""Other checkouts of EchoMind, such as earlier commits, which are measured beside this one in the same run."""

import subprocess
from pathlib import Path

from bench.children import Children
from bench.product import Product

_SEED_SECONDS = 900
_SEED = """
import sys
from pathlib import Path
import psutil
from bench.product import Product
from bench.seeding import seed
product = Product.__new__(Product)
url, key, pid, folder, work, passages = sys.argv[1:]
product.url, product.key, product.root, product.data_dir = url, key, psutil.Process(int(pid)), Path(folder)
seed(product, Path(work), int(passages))
"""
"""Fills a running product by the code of its own checkout, whose schema it knows."""


class Checkout:
    """A checkout with a virtual environment of its own, as `make install` leaves it.

    Attributes:
        name: What it is called in the results.
        client: Its load client, which knows the events of its API.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self._folder = name, folder.resolve()
        self.client = self._folder / "bench" / "peers" / "loadgen.py"

    @classmethod
    def parse(cls, given: str) -> "Checkout":
        """Returns the checkout of an argument `NAME=FOLDER`.

        Raises:
            ValueError: It has another form, or there is no such program.
        """
        name, _, folder = given.partition("=")
        checkout = cls(name, Path(folder))
        if not folder or not checkout._program.exists():
            message = f"{given!r}: give NAME=FOLDER, with {checkout._program} installed"
            raise ValueError(message)
        return checkout

    @property
    def _program(self) -> Path:
        return self._folder / ".venv" / "bin" / "echomind"

    @property
    def gives_titles(self) -> bool:
        """Returns whether its load client can begin conversations with a title."""
        return '"title" in self.options' in self.client.read_text(encoding="utf-8")

    def start(self, children: Children, data_dir: Path, agents: int) -> Product:
        """Starts its product, and waits until its guide is read.

        Args:
            children: Ends it with the rest.
            data_dir: Its data folder; made when it is missing.
            agents: Agent workers.
        """
        product = Product(children, data_dir, agents=agents, name=f"echomind-{self.name}", program=self._program)
        product.settle()
        return product

    def seed(self, product: Product, work: Path, passages: int) -> None:
        """Adds passages, by its own code.

        Raises:
            RuntimeError: That fails; the message has the end of what it said.
        """
        command = [str(self._folder / ".venv" / "bin" / "python"), "-c", _SEED, product.url, product.key]
        command += [str(product.root.pid), str(product.data_dir), str(work), str(passages)]
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, timeout=_SEED_SECONDS, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} cannot be filled:\n{done.stderr[-2000:]}")
