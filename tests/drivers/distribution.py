"""Which tests one worker has when several run them, and which come first."""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

SHARED_PRODUCT = "up"
TOGETHER = {
    "older version": ("tests/e2e/restarts/upgraded/",),
    "streams": ("tests/integration/streams/",),
    "processing": tuple(
        f"tests/integration/api/{name}.py"
        for name in (
            "test_documents",
            "test_foreign",
            "test_fuzz",
            "test_http",
            "test_openai_file_rights",
            "test_openai_files",
            "test_openapi_fuzz",
            "test_scim",
            "test_superadmins",
        )
    ),
    "uses of tables": ("tests/integration/db/test_ledger", "tests/integration/db/test_owned_tables"),
}
"""Units of several modules, by the beginnings of their paths: what these share takes seconds to start or to find.

They are an installation that an older version has made, two replicas and an agent, the fixture `process` with its
embedding process, and what all modules use.
"""
LONGEST_FIRST = (SHARED_PRODUCT, *TOGETHER, "tests/e2e/", "tests/integration/", "tests/conformance/")
"""What units are called, from their beginning, in the order in which they are run; the others come last."""


def unit_of(test_id: str) -> str:
    """Returns the name of the tests that share a worker with a test.

    They are those of its module, as what a module starts is started once for it, and for the same reason all that use
    the product of the fixture `up`: those of `tests/e2e` but for the folder of the modules that start their own; and
    those that are together.
    """
    module = test_id.partition("::")[0]
    if module.startswith("tests/e2e/") and not module.startswith("tests/e2e/restarts/"):
        return SHARED_PRODUCT
    return next((unit for unit, beginnings in TOGETHER.items() if module.startswith(beginnings)), module)


def place_of(test_id: str) -> int:
    """Returns how many kinds of units are run before a test."""
    unit = unit_of(test_id)
    return next((place for place, name in enumerate(LONGEST_FIRST) if unit.startswith(name)), len(LONGEST_FIRST))


class Distribution(LoadScopeScheduling):  # type: ignore[misc]
    """Hands whole units to workers, in the order in which the tests are.

    The marks `xdist_group` cannot say this: xdist writes them into the tests' ids, which pytest does not read back.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """Puts it in the place of `--dist loadscope`."""
    return Distribution(config, log) if config.getoption("dist") == "loadscope" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the longest units first: what comes last is short, and no worker waits long for another one."""
    items.sort(key=lambda item: place_of(item.nodeid))
