"""The statements of the services, as their modules define them."""

import importlib
import inspect
import itertools
import pkgutil
from collections.abc import Iterator
from typing import Any

import echomind_agent
import echomind_api
import echomind_ingestor
import echomind_lib
from echomind_lib.db.statements import Command, Query
from echomind_lib.runs.finish_statement import finish_statement


def all_statements() -> Iterator[tuple[str, Command | Query[object]]]:
    """Yields the statements that modules define, each under its name."""
    for package in (echomind_lib, echomind_api, echomind_agent, echomind_ingestor):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" in module.name or module.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, (Command, Query)):
                    yield f"{module.name}.{name}", value


def ends_of_runs() -> Iterator[tuple[str, Query[Any]]]:
    """Yields the statements that finish a run, each under what it contains."""
    choices = inspect.signature(finish_statement).parameters
    for values in itertools.product([True, False], repeat=len(choices)):
        shape = dict(zip(choices, values, strict=True))
        yield f"finish_statement{shape}", finish_statement(**shape)
