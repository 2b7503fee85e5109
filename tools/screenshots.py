"""Takes the pictures of README and guide from the running product, as small WebP files in `docs/images`.

It starts `echomind up` with a data folder of its own, adds the sample documents and a team, asks questions, and
photographs the pages in the light theme at one size. `make screenshots ARGS="chat documents"` takes some of them.
"""

import argparse
import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PROGRAM = str(Path(sys.executable).with_name("echomind"))
SIZE = {"width": 1280, "height": 800}
QUALITY = 80
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
QUESTIONS = ("How many days of paid leave do I get?", "Until when must expense claims be handed in?")


@dataclass
class Product:
    """The running `echomind up`."""

    data_dir: Path
    url: str
    sign_in_link: str

    def run(self, *arguments: str) -> Any:
        """Runs a command of the command line and returns its JSON."""
        command = [PROGRAM, *arguments, "--data-dir", str(self.data_dir), "--json"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ECHOMIND_")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            sys.exit(f"{' '.join(arguments)} failed: {done.stderr}")
        return json.loads(done.stdout)


@contextlib.contextmanager
def product() -> Iterator[Product]:
    """Starts EchoMind on free ports and stops it in the end."""
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder) / "data"
        command = [PROGRAM, "up", "--no-browser", "--http-port", "0", "--grpc-port", "0"]
        command += ["--data-dir", str(data_dir)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ECHOMIND_")}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)
        try:
            assert process.stdout is not None
            printed: dict[str, str] = {}
            for line in process.stdout:
                name, _, value = line.strip().partition(": ")
                printed[name] = value
                if name == "Sign in":
                    break
            if "Sign in" not in printed:
                sys.exit("EchoMind has not started")
            yield Product(data_dir, printed["EchoMind is ready"], printed["Sign in"])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def fill(running: Product) -> None:
    """Adds what the pictures show: documents, people, a group, an assistant, questions."""
    running.run("ingest", str(ROOT / "examples" / "documents"), "--wait")
    handbook = str(ROOT / "examples" / "documents" / "leave.md")
    running.run("ingest", handbook, "--connector", "Handbook", "--scope", "org", "--wait")
    for name in ("ann", "ben"):
        running.run("users", "add", name, f"{name}@example.org", "--group", "sales")
    running.run("assistants", "add", "Travel desk", "--description", "Answers questions about journeys.")
    for question in QUESTIONS:
        running.run("ask", question)


async def open_page(page: Page, path: str, text: str) -> None:
    """Opens a page and waits until it shows a text; one that shows live events never stops loading."""
    await page.goto(path)
    await page.get_by_role("main").get_by_text(text).first.wait_for()


async def chat(page: Page) -> None:
    """A question with its answer, and the cited passage beside it."""
    await page.goto("/")
    await page.get_by_role("textbox").last.fill("When must requests for leave be made?")
    await page.keyboard.press("Enter")
    citation = page.get_by_role("main").get_by_role("button", name=re.compile("^1 ?Leave")).first
    await citation.click()
    await page.locator("mark").first.wait_for()


def at(path: str, text: str) -> Callable[[Page], Awaitable[None]]:
    """Returns what opens a page by its address, until it shows a text."""
    return lambda page: open_page(page, path, text)


SHOTS: dict[str, Callable[[Page], Awaitable[None]]] = {
    "chat": chat,
    "documents": at("/documents", "suppliers.csv"),
    "search": at("/search?q=paid+leave", "Annual leave"),
    "runs": at("/runs", QUESTIONS[0]),
    "assistants": at("/assistants", "Travel desk"),
    "people": at("/admin/people", "ann@example.org"),
    "models": at("/admin/models", "Built-in"),
}
"""The pictures by their names."""


async def photograph(page: Page, name: str) -> int:
    """Stores what a page shows; returns how many bytes it takes."""
    session = await page.context.new_cdp_session(page)
    shot = await session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    picture = base64.b64decode(shot["data"])
    (IMAGES / f"{name}.webp").write_bytes(picture)
    return len(picture)


async def signed_in(browser: Browser, running: Product) -> Page:
    """Returns a page of the owner, in the light theme and in English."""
    context = await browser.new_context(
        base_url=running.url,
        viewport={"width": SIZE["width"], "height": SIZE["height"]},
        color_scheme="light",
        locale="en-GB",
        reduced_motion="reduce",
    )
    page = await context.new_page()
    await page.goto(running.sign_in_link)
    await page.get_by_role("button").first.click()
    await page.get_by_role("button", name="Skip setup").click()
    await page.wait_for_url(lambda url: "/auth/" not in url)
    return page


async def take(running: Product, names: list[str]) -> None:
    """Takes the pictures."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = await signed_in(browser, running)
        for name in names:
            await SHOTS[name](page)
            print(f"docs/images/{name}.webp: {await photograph(page, name) / 1000:.0f} kB")
        await browser.close()


def main() -> None:
    """Reads the command line and takes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="which pictures; none: all", metavar="NAME")
    names = parser.parse_args().names or list(SHOTS)
    if unknown := set(names) - set(SHOTS):
        sys.exit(f"There is no picture {', '.join(sorted(unknown))}. There are: {', '.join(SHOTS)}.")
    if CHROMIUM is None:
        sys.exit("Chromium is missing: install it (Debian: sudo apt-get install chromium).")
    IMAGES.mkdir(exist_ok=True)
    with product() as running:
        fill(running)
        asyncio.run(take(running, names))


if __name__ == "__main__":
    main()
