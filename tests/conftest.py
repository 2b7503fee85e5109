"""What every test has: the real servers, started when a test first asks for one."""

from pathlib import Path

import pytest
import structlog

TESTS = Path(__file__).parent

pytest.register_assert_rewrite("tests.drivers", "tests.factories")
pytest_plugins = ["tests.drivers.servers", "tests.factories.rows", "tests.drivers.model_server", "tests.drivers.wire"]

# Tracebacks as the product prints them: drawn with all local variables they would hold the event loop up for a second.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        structlog.dev.ConsoleRenderer(colors=False),
    ]
)

LONGEST_FIRST = ("e2e", "integration", "conformance")
"""Folders in the order in which they are run; the others come last."""


def _folder_order(item: pytest.Item) -> int:
    folder = item.path.relative_to(TESTS).parts[0]
    return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the folders with the longest modules first, and all tests that share the fixture `up` in one worker.

    So what comes last is short and no worker waits long for another one, and the product is started once.
    """
    items.sort(key=_folder_order)
    for item in items:
        shared = "up" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("up" if shared else item.nodeid.partition("::")[0]))
