"""References in the documents exist: files, commands with their options, make targets, settings, paths of the API."""

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, get_args

import pytest
import typer.main
from pydantic import BaseModel
from typer._click import exceptions as typer_exceptions

from echomind.cli.app import app
from echomind_lib.config import Settings
from tests.paths import ROOT
from tools.screenshots import SHOTS
from tools.settings_table import page as settings_page

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
GUIDE = sorted(ROOT.glob("docs/guide/*.md"))
_FENCE = re.compile(r"^```(\w*)(?: run)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
COMMAND: Any = typer.main.get_command(app)
PACKAGES = {
    "services/api/echomind_api": "api",
    "services/agent/echomind_agent": "agent",
    "services/ingestor/echomind_ingestor": "ingestor",
    "echomind_lib": "",
    "echomind": "echomind",
}
"""Packages, each with the first word of their rows in docs/architecture.md."""
_ROUTES = re.compile(r'"(/api/v1/[^"]+)"')


def code(page: Path) -> Iterator[str]:
    """Lines of code in a page: of fenced blocks, with continued lines joined, and inline."""
    text = page.read_text()
    for language, block in _FENCE.findall(text):
        if language in {"", "sh", "bash"}:
            yield from block.replace("\\\n", " ").splitlines()
    yield from _INLINE.findall(_FENCE.sub("", text))


def words(line: str) -> list[str]:
    """Returns a command line's words; a page may show only a part of one, with an open quote."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def own_command(found: list[str]) -> list[str]:
    """Returns EchoMind's command of a line that runs one inside a container; any other line as it is."""
    if found[:3] == ["docker", "compose", "run"] and "tools" in found:
        return ["echomind", *found[found.index("tools") + 1 :]]
    if found[:1] in (["podman"], ["kubectl"]) and "exec" in found and "echomind" in found:
        return found[len(found) - 1 - found[::-1].index("echomind") :]
    return found


def commands(program: str) -> Iterator[tuple[Path, list[str]]]:
    """The commands of one program with their pages, each without its name, up to a pipe or a redirection."""
    for page in PAGES:
        for line in code(page):
            found = own_command(words(line))
            if found and found[0].removeprefix("bin/") == program:
                yield page, list(takewhile(lambda word: word not in {"|", ">"}, found[1:]))


def test_linked_files_exist() -> None:
    targets = [(page, target) for page in PAGES for target in _LINK.findall(_FENCE.sub("", page.read_text()))]
    files = [(page, target.partition("#")[0]) for page, target in targets if not re.match(r"https?:|#", target)]
    assert [(page.name, file) for page, file in files if not (page.parent / file).exists()] == []


def test_named_files_exist() -> None:
    tops = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"dist", "build"}
    names = [(page, name) for page in PAGES for name in _INLINE.findall(_FENCE.sub("", page.read_text()))]
    files = [
        found for found in names if re.fullmatch(r"[\w.-]+(/[\w.-]*)+", found[1]) and found[1].split("/")[0] in tops
    ]
    missing = [found for found in files if not (ROOT / found[1]).exists() and not (ROOT / f"{found[1]}.py").exists()]
    assert missing == []


def test_commands_and_options_exist() -> None:
    for page, given in commands("echomind"):
        command = COMMAND
        line = " ".join(given)
        while given and given[0] in getattr(command, "commands", {}):
            command = command.commands[given.pop(0)]
        is_whole = not getattr(command, "commands", {}) or not given or given[0].startswith("-")
        assert is_whole, (page.name, line)
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in given if word.startswith("--")} <= known | {"--help", "--version"}, (page.name, line)


def test_the_page_of_the_command_line_has_every_command() -> None:
    page = (ROOT / "docs" / "guide" / "command-line.md").read_text()
    named = set(re.findall(r"`echomind ([a-z-]+)", page))
    assert {name for name, command in COMMAND.commands.items() if not command.hidden} - named == set()


def test_commands_in_containers_are_read() -> None:
    """They are checked like others, as long as their form is recognized."""
    pages = {
        page.name: page.read_text() for page in (ROOT / "docs/guide/containers.md", ROOT / "docs/guide/kubernetes.md")
    }
    inside = [given for page, given in commands("echomind") if page.name in pages]
    for name, line in (
        ("containers.md", "docker compose run"),
        ("containers.md", "podman exec"),
        ("kubernetes.md", "kubectl exec"),
    ):
        assert line in pages[name]
    assert inside.count(["backup", "-"]) == 3
    assert sum(given[:1] == ["restore"] for given in inside) == 2


def test_programs_of_the_checkout_are_run_with_its_python() -> None:
    """Nothing needs to be activated, Debian has no `python`, and the system's Python lacks the packages."""
    bare = re.compile(r"(?<![\w./-])python3? (-m (?!venv)|tools/|bench/|db-schema/)")
    assert [(page.name, line) for page in PAGES for line in code(page) if bare.search(line)] == []


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page, given in commands("make"):
        assert {word for word in given if "=" not in word} <= targets, (page.name, given)


def test_settings_exist() -> None:
    options = (ROOT / "echomind" / "cli").rglob("*.py")
    known = set(_settings(Settings, "ECHOMIND_"))
    variable = re.compile(r'(?:envvar=|VARIABLE: Final = )"(\w+)"')
    known |= {name for file in options for name in variable.findall(file.read_text())}
    named = {(page.name, name) for page in PAGES for name in re.findall(r"ECHOMIND_\w+", page.read_text())}
    assert [found for found in sorted(named) if found[1] not in known] == []


def _settings(section: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in section.model_fields.items():
        kinds = get_args(field.annotation)
        if kinds and isinstance(kinds[-1], type) and issubclass(kinds[-1], BaseModel):
            yield f"{prefix}{name.upper()}"
            yield from _settings(kinds[-1], f"{prefix}{name.upper()}__NAME__")
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _settings(field.annotation, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}"


def test_paths_of_the_api_exist() -> None:
    protos = "".join(file.read_text() for file in (ROOT / "src/proto/echomind/public/v1").glob("*.proto"))
    routes = {re.sub(r"\{\w+\}", "*", route) for route in _ROUTES.findall(protos)}
    routes |= {"/api/v1", "/api/v1/openapi.json", "/api/v1/documents:upload", "/api/v1/users/*:export"}
    routes |= {"/api/v1/chat-sessions/*/events/ws"}
    for page in PAGES:
        for path in re.findall(r"/api/v1[\w/:.*-]*\w|/api/v1", page.read_text()):
            assert re.sub(r"/(-|ID|\d+)(?=[/:]|$)", "/*", path) in routes, (page.name, path)


def test_calls_of_the_api_exist() -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    for package, service, method in re.findall(r"(echomind\.\w+\.v1)\.(\w+)/(\w+)", text):
        models = importlib.import_module(f"echomind_lib.models.{package.split('.')[1]}")
        assert method in {known.name for known in getattr(models, service).__methods__}, service


def test_commands_are_understood_as_they_stand() -> None:
    """Each command is read with its values; in a sentence one may be named without its arguments."""
    for page, given in commands("echomind"):
        values = ["7" if word in {"ID", "DELIVERY", "MESSAGE", "STEP", "SESSION", "N"} else word for word in given]
        try:
            _read(COMMAND, [value for value in values if value not in {"...", "…"}])
        except typer_exceptions.MissingParameter:
            continue
        except typer_exceptions.UsageError as error:
            pytest.fail(f"{page.name}: echomind {' '.join(given)}: {error.format_message()}")


def _read(command: Any, arguments: list[str]) -> None:
    while arguments and arguments[0] in getattr(command, "commands", {}):
        command = command.commands[arguments.pop(0)]
    if not getattr(command, "commands", {}) and "--help" not in arguments:
        command.make_context(command.name, arguments)


def test_examples_compile_and_their_imports_exist() -> None:
    programs = sorted(ROOT.glob("examples/*.py"))
    assert programs
    for program in programs:
        for node in ast.walk(ast.parse(program.read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("echomind"):
                for name in node.names:
                    assert importlib.import_module(f"{node.module}.{name.name}")


def test_the_index_names_every_page_of_the_guide() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    assert {page.name for page in GUIDE} == set(re.findall(r"\(guide/([\w-]+\.md)\)", index))


def test_the_architecture_names_every_folder() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    found = {(service, folder) for row in rows for service, folder in _folders(row[1])}
    command_line = page.partition("Inside `echomind`: ")[2].partition("\n\n")[0]
    found |= {("echomind", name) for name in re.findall(r"`(\w+)/`", command_line)}
    for package, name in PACKAGES.items():
        folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        assert folders - {folder for service, folder in found if service == name} == set(), package


def _folders(cell: str) -> Iterator[tuple[str, str]]:
    """The folders of a row with their service; those of the library have none."""
    service = next(iter(re.findall(r"^ `(api|agent|ingestor)`:", cell)), "")
    for name in re.findall(r"`(\w+)/`", cell):
        yield service, name


def test_every_picture_is_one_of_the_script_and_is_shown() -> None:
    shown = {name for page in PAGES for name in re.findall(r"images/([\w-]+)\.webp", page.read_text())}
    assert shown == set(SHOTS) == {picture.stem for picture in ROOT.glob("docs/images/*")}


def test_settings_are_those_of_the_code() -> None:
    assert settings_page() == (ROOT / "docs" / "settings.md").read_text()


def test_guide_pages_have_titles_of_their_own_and_no_questions_as_headings() -> None:
    """The guide is asked about: a heading that repeats a question would be found instead of its answer."""
    titles = []
    for page in GUIDE:
        headings = re.findall(r"^(#+) (.+)$", _FENCE.sub("", page.read_text()), re.MULTILINE)
        titles += [text for marks, text in headings if marks == "#"]
        assert not [text for _, text in headings if text.endswith("?")], page.name
    assert len(set(titles)) == len(titles) == len(GUIDE)
