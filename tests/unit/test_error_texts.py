"""Errors contain no setting and no driver text in messages for everyone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import echomind_agent
import echomind_api
import echomind_ingestor
import echomind_lib
from echomind_api.calls.middlewares import tell_detail
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import BY_REASON, DependencyUnavailableError

_KINDS = {kind.__name__ for kind in BY_REASON.values()}


def messages() -> Iterator[tuple[str, ast.expr]]:
    """The message of each error that is made in the code, with its place."""
    for package in (echomind_agent, echomind_api, echomind_ingestor, echomind_lib):
        for path in Path(package.__path__[0]).rglob("*.py"):
            if path.relative_to(package.__path__[0]).parts[0] in {"pb", "models"}:  # generated
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in _KINDS
                    and node.args
                ):
                    yield f"{path.name}:{node.lineno}", node.args[0]


def test_no_message_names_a_setting_or_quotes_a_driver() -> None:
    found = dict(messages())
    assert len(found) > 100
    for line, message in found.items():
        source = ast.unparse(message)
        assert "ECHOMIND_" not in source, f"{line}: the name of a setting belongs into `detail`"
        assert ".details()" not in source, f"{line}: the text of a driver belongs into `detail`"


@pytest.mark.parametrize(
    ("role", "received"), [("user", None), ("admin", None), ("superadmin", "at 10.0.0.5"), (None, None)]
)
def test_only_superadmins_see_the_detail_of_an_error(role: str | None, received: str | None) -> None:
    call = CallContext(principal=None if role is None else Principal(1, frozenset({role})))
    error = DependencyUnavailableError("Away.", detail="at 10.0.0.5", dependency="s3")
    tell_detail(call, error)
    assert error.message == "Away."
    assert error.metadata.get("detail") == received
