"""Builds the documentation site in `build/documentation/site`: `python -m tools.site`.

The site needs no server and makes no request to another host. Its navigation is the list of `docs/README.md`; the
reference is made of the contract, the command line and the settings. A link to nothing fails the build.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.site import api_reference

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "documentation"
"""Folder of the pages that the site is built from; the site is in its folder `site`."""
_RUN = re.compile(r"^( *```[a-z]+) run$", re.MULTILINE)
"""Marks of snippets that tests run."""
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?!https?:|#)(?P<file>[^)\s#]+)(?P<part>#[^)\s]*)?\)")
_ENTRY = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<page>[^)#]+\.md)\)")
_DIAGRAMS = ROOT / "web" / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
"""The program that draws diagrams. The site has it, as the theme would load it from another host."""
_DIAGRAM = {"name": "mermaid", "class": "mermaid", "format": "pymdownx.superfences.fence_code_format"}
_OPTIONS: dict[str, Any] = {
    "site_name": "EchoMind",
    "site_description": "Answers with citations from an organization's own documents",
    "use_directory_urls": False,
    "theme": {
        "font": False,
        "features": ["content.code.copy", "navigation.footer", "navigation.path", "navigation.sections"],
        "palette": [
            {"media": "(prefers-color-scheme: light)", "scheme": "default"},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate"},
        ],
    },
    "markdown_extensions": {
        "attr_list": {},
        "tables": {},
        "toc": {"permalink": True},
        "pymdownx.superfences": {"custom_fences": [_DIAGRAM]},
    },
    "extra_javascript": [f"assets/{_DIAGRAMS.name}"],
}


def collect(folder: Path) -> None:
    """Writes the pages and the configuration of the site into a folder.

    Raises:
        CalledProcessError: The contract or the command line cannot be described.
    """
    docs = folder / "docs"
    for source, name in sources().items():
        target = docs / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(linked(source, name), encoding="utf-8")
        else:
            shutil.copyfile(source, target)
    for path, text in api_reference.pages(api_reference.read_contract(ROOT)).items():
        target = docs / "reference" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    command = [str(Path(sys.executable).with_name("typer")), "echomind.cli.app", "utils", "docs", "--name", "echomind"]
    described = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    (docs / "reference" / "command-line.md").write_text(described, encoding="utf-8")
    options = {"project": _OPTIONS | {"site_dir": "site", "nav": navigation(docs)}}
    (folder / "zensical.toml").write_text(_toml(options["project"]), encoding="utf-8")


def sources() -> dict[Path, str]:
    """Returns the files of the site that are in the repository, with their names on the site."""
    measured = sorted((ROOT / "bench" / "results").glob("*.md"))
    return {
        **{file: file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*") if file.is_file()},
        **{file: f"measurements/{file.name}" for file in measured},
        _DIAGRAMS: f"assets/{_DIAGRAMS.name}",
        ROOT / "CONTRIBUTING.md": "contributing.md",
        ROOT / "examples" / "README.md": "examples.md",
    }


def linked(source: Path, name: str) -> str:
    """Returns the text of a page as the site has it: links lead to its files, and fences name a language alone.

    Args:
        source: The page.
        name: Its name on the site. Of a link to a file that the site does not have, the text stays.
    """
    names = sources()

    def link(found: re.Match[str]) -> str:
        file = (source.parent / found["file"]).resolve()
        target = names.get(file / "README.md" if file.is_dir() else file)
        if target is None:
            return found["text"].strip("[]")
        path = os.path.relpath(target, Path(name).parent)
        return f"{found['text']}({path}{found['part'] or ''})"

    return _RUN.sub(r"\1", _LINK.sub(link, source.read_text(encoding="utf-8")))


def navigation(docs: Path) -> list[dict[str, Any]]:
    """Returns the navigation: first the sections of `README.md`, in their order."""
    text = (docs / "README.md").read_text(encoding="utf-8")
    sections: list[dict[str, Any]] = [{"Documentation": "README.md"}]
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        entries = {entry["page"]: entry["title"] for entry in _ENTRY.finditer(body)}
        sections.append({title: [{name[0].upper() + name[1:]: page} for page, name in entries.items()]})
    reference = docs / "reference"
    calls = [{_title(page): str(page.relative_to(docs))} for page in sorted(reference.glob("api/*.md"))]
    sections.append(
        {
            "Reference": [
                {"Command line": "reference/command-line.md"},
                {"Errors": "reference/errors.md"},
                {"API": calls},
            ]
        }
    )
    for title, name in (("Measurements", "measurements"), ("Decisions", "decisions")):
        pages = [page for page in sorted((docs / name).glob("*.md")) if page.name != "README.md"]
        sections.append({title: [{_title(page): str(page.relative_to(docs))} for page in pages]})
    return sections


def build(folder: Path) -> None:
    """Builds the site from what was collected in a folder.

    Raises:
        CalledProcessError: A page cannot be built, or links to nothing.
    """
    zensical = Path(sys.executable).with_name("zensical")
    subprocess.run(
        [zensical, "build", "--strict", "--clean"], cwd=folder, env={**os.environ, "NO_COLOR": "1"}, check=True
    )


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _toml(project: dict[str, Any]) -> str:
    """Returns the configuration as TOML, whose texts, lists and switches are written as in JSON."""
    lines = ["[project]"]
    for name, value in project.items():
        lines.append(f"{name} = {_value(value)}")
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Builds the site."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    collect(OUT)
    build(OUT)
    sys.stdout.write(f"The site is in {(OUT / 'site').relative_to(ROOT)}.\n")


if __name__ == "__main__":
    main()
