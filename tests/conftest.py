"""What every test has: the real servers, started when a test first asks for one."""

import gc

import pytest
import structlog
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.drivers", "tests.factories")
pytest_plugins = [
    "tests.drivers.compiling",
    "tests.drivers.distribution",
    "tests.drivers.servers",
    "tests.factories.rows",
    "tests.drivers.model_server",
    "tests.drivers.wire",
]

# Plain tracebacks as in the product: rendering all local variables would block the event loop for a second.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        structlog.dev.ConsoleRenderer(colors=False),
    ]
)

# Times measure the machine, which may be busy. Each run draws other examples, so fewer of them find as much in time.
settings.register_profile("tests", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


# What is imported stays, and looking through it again and again takes two fifths of the time of collecting tests.
gc.disable()


def pytest_collection_finish() -> None:
    """Leaves what was imported out of the collections of garbage, which begin now."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keeps how the run ended, for `tools/second_try.py`."""
    if session.config.cache is not None and not hasattr(session.config, "workerinput"):
        session.config.cache.set("echomind/exitstatus", int(exitstatus))
