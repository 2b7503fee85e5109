"""Routes of `google.api.http`: path templates, and the lookup of the template that matches a path.

Subset of https://github.com/googleapis/googleapis/blob/master/google/api/http.proto: literal segments, `{field}` and
`{field.inner}` for one segment, and a verb at the end, `:cancel`. Patterns in variables (`{name=a/*}`) are rejected.
"""

import re
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_VARIABLE = re.compile(r"\{([a-z0-9_.]+)\}")
_TEMPLATE = re.compile(r"(?:/(?:[A-Za-z0-9._~-]+|\{[a-z0-9_.]+\}))+(?::[A-Za-z0-9_]+)?")

Target = TypeVar("Target")


def variables(template: str) -> list[str]:
    """Lists the field paths in a template, in order.

    Raises:
        ValueError: The template is not supported.
    """
    if not _TEMPLATE.fullmatch(template):
        raise ValueError(f"cannot read the path template {template!r}")
    return _VARIABLE.findall(template)


@dataclass
class _Node(Generic[Target]):
    literals: dict[str, "_Node[Target]"] = field(default_factory=dict)
    variable: "_Node[Target] | None" = None
    # By custom verb ("" for none), then by HTTP method.
    targets: dict[str, dict[str, Target]] = field(default_factory=dict)


class Routes(Generic[Target]):
    """Finds the targets of a path, in time that does not grow with the number of routes.

    A literal segment takes precedence over a variable.
    """

    def __init__(self) -> None:
        self._root: _Node[Target] = _Node()

    def add(self, method: str, template: str, target: Target) -> None:
        """Adds a route.

        Raises:
            ValueError: The template is not supported, or the route exists already.
        """
        variables(template)
        path, _, verb = template.partition(":")
        node = self._root
        for segment in path.removeprefix("/").split("/"):
            if segment.startswith("{"):
                node.variable = node.variable or _Node()
                node = node.variable
            else:
                node = node.literals.setdefault(segment, _Node())
        targets = node.targets.setdefault(verb, {})
        if method in targets:
            raise ValueError(f"two methods are bound to {method} {template}")
        targets[method] = target

    def find(self, path: str) -> tuple[dict[str, Target], list[str]]:
        """Returns the targets of a path, by HTTP method (empty if none), and the values of its variables."""
        segments = path.removeprefix("/").split("/")
        last, colon, verb = segments[-1].rpartition(":")
        found = self._find(self._root, [*segments[:-1], last], 0, verb, []) if colon else None
        return found or self._find(self._root, segments, 0, "", []) or ({}, [])

    def _find(
        self, node: _Node[Target], segments: list[str], at: int, verb: str, values: list[str]
    ) -> tuple[dict[str, Target], list[str]] | None:
        if at == len(segments):
            return (node.targets[verb], values) if verb in node.targets else None
        segment = segments[at]
        inner = node.literals.get(segment)
        found = None if inner is None else self._find(inner, segments, at + 1, verb, values)
        if found is None and node.variable is not None and segment:
            return self._find(node.variable, segments, at + 1, verb, [*values, segment])
        return found
