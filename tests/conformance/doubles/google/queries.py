"""The query language of `files.list`, as far as the source uses it (documented: guides/search-files)."""

import re
from collections.abc import Callable
from typing import TypeAlias

from tests.conformance.doubles.google.description import UndescribedError
from tests.conformance.doubles.google.tenant import Node

Test: TypeAlias = Callable[[Node], bool]

_TOKEN = re.compile(r"\s*('(?:[^'\\]|\\.)*'|\(|\)|=|\w+)")


def parse_query(text: str, person: str, is_in_trash: Callable[[str], bool]) -> Test:
    """Returns a query as a test of a file.

    Raises:
        UndescribedError: It is none.
    """
    tokens = _TOKEN.findall(text)
    if "".join(tokens).replace(" ", "") != text.replace(" ", ""):
        raise UndescribedError(f"{text} is no query")
    return _Parser(tokens, person, is_in_trash).any()


class _Parser:
    def __init__(self, tokens: list[str], person: str, is_in_trash: Callable[[str], bool]) -> None:
        self._tokens = tokens
        self._person = person
        self._is_in_trash = is_in_trash

    def any(self) -> Test:
        tests = [self._all()]
        while self._skip("or"):
            tests.append(self._all())
        return lambda node: any(test(node) for test in tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self._skip("and"):
            tests.append(self._one())
        return lambda node: all(test(node) for test in tests)

    def _one(self) -> Test:
        token = self._next()
        if token == "(":
            test = self.any()
            self._expect(")")
            return test
        if token.startswith("'"):
            self._expect("in")
            value, field = re.sub(r"\\(.)", r"\1", token[1:-1]), self._next()
            if field == "parents":
                return lambda node: node.parent == value
            if field == "owners" and value == "me":
                return lambda node: node.owner == self._person
            raise UndescribedError(f"a query cannot look for {value} in {field}")
        self._expect("=")
        value = self._next()
        if token == "trashed" and value in ("true", "false"):
            return lambda node: self._is_in_trash(node.id) == (value == "true")
        if token == "mimeType":
            return lambda node: node.mime_type == value[1:-1]
        raise UndescribedError(f"a query cannot compare {token} with {value}")

    def _next(self) -> str:
        if not self._tokens:
            raise UndescribedError("a query ends too early")
        return self._tokens.pop(0)

    def _skip(self, token: str) -> bool:
        if self._tokens[:1] != [token]:
            return False
        self._tokens.pop(0)
        return True

    def _expect(self, token: str) -> None:
        if (found := self._next()) != token:
            raise UndescribedError(f"a query has {found} instead of {token}")
