"""The documentation site: built without a broken link, complete, and without a request to another host."""

import re
from pathlib import Path

import pytest

from echomind_lib.pb.echomind.public.v1 import error_reason_pb2
from tests.paths import ROOT
from tools.site import __main__ as site
from tools.site import api_reference

_LOADED = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?([^\"'\s>]+)|<link[^>]*\shref=[\"']?([^\"'\s>]+)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    made = tmp_path_factory.mktemp("documentation")
    site.collect(made)
    site.build(made)
    return made / "site"


def test_pages_load_nothing_from_other_hosts(folder: Path) -> None:
    pages = list(folder.rglob("*.html"))
    assert len(pages) > 100
    loaded = {file or link for page in pages for file, link in _LOADED.findall(page.read_text(encoding="utf-8"))}
    assert any(name.endswith(".js") for name in loaded)
    assert [name for name in loaded if re.match(r"(https?:)?//", name)] == []


def test_every_page_of_the_guide_is_in_the_navigation(folder: Path) -> None:
    start = (folder / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs" / "guide").glob("*.md"):
        assert f'href="guide/{page.stem}.html"' in start, page.name


def test_the_reference_has_every_call_and_every_reason(folder: Path) -> None:
    contract = api_reference.read_contract(ROOT)
    reference = folder / "reference"
    texts = {page.stem: page.read_text(encoding="utf-8") for page in (reference / "api").glob("*.html")}
    for file in contract.files:
        for service in file.services_by_name.values():
            noun = Path(file.name).stem.removesuffix("_service")
            for method in service.methods:
                assert f'id="{service.name}.{method.name}"' in texts[noun], method.full_name
    errors = (reference / "errors.html").read_text(encoding="utf-8")
    reasons = [name.removeprefix("ERROR_REASON_") for name in error_reason_pb2.ErrorReason.keys()]  # noqa: SIM118 - an enum of protobuf is no mapping
    assert [name for name in reasons if name != "UNSPECIFIED" and f"<code>{name}</code>" not in errors] == []


def test_links_lead_to_the_pages_of_the_site(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "no [file](missing.md), [site](https://example.org) and [below](#part)\n\n```sh run\nls\n```\n"
    page.write_text(text, encoding="utf-8")
    shown = "no file, [site](https://example.org) and [below](#part)\n\n```sh\nls\n```\n"
    assert site.linked(page, "page.md") == shown
    guide = site.linked(ROOT / "docs" / "guide" / "memory.md", "guide/memory.md")
    assert "](../measurements/memory.md)" in guide
    assert "](api/README.md)" not in guide
