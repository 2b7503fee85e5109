"""Writes `docs/settings.md`, the table of the services' settings, from the classes that read them.

`--check` compares instead.
"""

import argparse
import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from echomind_lib.config import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "settings.md"
HEADER = """# Settings

Every service is configured by environment variables. `echomind up` sets those that it needs itself: addresses, ports
and secrets of what it starts. A variable that you set for `echomind up` is passed on, and a server whose address you
give is used instead of the embedded one.

Durations and sizes have the unit that is named. Secrets are never logged.

<!-- Made by tools/settings_table.py from echomind_lib/config/settings.py. Do not edit. -->
"""


def page() -> str:
    """Returns the page."""
    parts = [HEADER]
    own = _descriptions(Settings)
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            title = (inspect.getdoc(section) or "").split(". ")[0].rstrip(".")
            parts.append(f"## {title}\n\n{_table(list(_rows(f'ECHOMIND_{name.upper()}', section)))}")
        else:
            row = _row(f"ECHOMIND_{name.upper()}", field, own.get(name, ""))
            parts.append(f"## The data folder\n\n{_table([row])}")
    return "\n".join(parts)


def _rows(prefix: str, section: type[BaseModel]) -> Iterator[str]:
    """Yields the rows of a section; of settings by name, those of one of them."""
    for name, field in section.model_fields.items():
        variable, kinds = f"{prefix}__{name.upper()}", get_args(field.annotation)
        description = _descriptions(section).get(name, "")
        if kinds and isinstance(kinds[-1], type) and issubclass(kinds[-1], BaseModel):
            yield f"| `{variable}` |  | {description} |"
            yield from _rows(f"{variable}__NAME", kinds[-1])
        else:
            yield _row(variable, field, description)


def _table(rows: list[str]) -> str:
    return "\n".join(["| Variable | Default | Meaning |", "|---|---|---|", *rows]) + "\n"


def _row(variable: str, field: FieldInfo, description: str) -> str:
    cells = (f"`{variable}`", _default(variable, field), " ".join([*_allowed(field), description]).strip())
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


def _default(variable: str, field: FieldInfo) -> str:
    value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    if variable == "ECHOMIND_DATA_DIR":  # differs from machine to machine
        return "the account's"
    return (
        ""
        if value in (None, "", {}, PydanticUndefined)
        else f"`{str(value).lower() if isinstance(value, bool) else value}`"
    )


def _allowed(field: FieldInfo) -> Iterator[str]:
    """Yields the words of a choice and the limits of a number."""
    choices = [value for value in get_args(field.annotation) if isinstance(value, str)]
    if choices and get_origin(field.annotation) is not None:
        yield f"{', '.join(f'`{choice}`' for choice in choices)}."
    limits: dict[str, Any] = {}
    for rule in field.metadata:
        limits |= {name: getattr(rule, name) for name in ("ge", "le") if hasattr(rule, name)}
    if "ge" in limits and "le" in limits:
        yield f"{limits['ge']} to {limits['le']}."


def _descriptions(section: type[BaseModel]) -> dict[str, str]:
    """Returns the texts that stand below the fields of a class."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(section))).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for field, text in zip(definition.body, definition.body[1:], strict=False):
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
            found[field.target.id] = inspect.cleandoc(str(text.value.value))  # type: ignore[attr-defined]
    return found


def main() -> None:
    """Reads the command line and writes or checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if what is there differs")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"{PAGE.relative_to(ROOT)} differs from the settings: run `make gen`.")


if __name__ == "__main__":
    main()
