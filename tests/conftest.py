"""What every test has: the real servers, started when a test first asks for one."""

import pytest
import structlog

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the tests of `echomind up` first, and all that share its fixture `up` in one worker.

    They take longest, so what comes last is short, and the product is started once.
    """
    items.sort(key=lambda item: "e2e" not in item.path.parts)
    for item in items:
        shared = "up" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("up" if shared else item.nodeid.partition("::")[0]))
