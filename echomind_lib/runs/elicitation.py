"""What an MCP server asks a person during a tool call (elicitation), and how the person's text answers it.

It is stored in `tool_calls.elicitation`. The server's texts are untrusted: they are shown as they are, never followed.
"""

import json
from datetime import date, datetime
from typing import Any, Final, Literal

import msgspec

from echomind_lib.errors import ValidationFailedError

DECLINE: Final = "decline"
CANCEL: Final = "cancel"
ACCEPT: Final = "accept"
_TRUE: Final = ("true", "yes")
_FALSE: Final = ("false", "no")


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field of a form."""

    name: str
    type: Literal["string", "number", "integer", "boolean", "array"]
    title: str = ""
    description: str = ""
    required: bool = False
    default: Any = None
    options: tuple[str, ...] = ()
    """The only values of a text, or of the entries of a list; empty for any."""
    format: str = ""
    """`email`, `uri`, `date` or `date-time`; empty for none."""
    minimum: float | None = None
    """Smallest number, length of a text, or number of entries; None for no limit."""
    maximum: float | None = None

    def hint(self) -> str:
        """Returns what a person has to know about it, in one line."""
        kind = {"boolean": "yes or no", "array": "several, with commas between them"}.get(self.type, self.type)
        parts = ["one of: " + ", ".join(self.options)] if self.options and self.type == "string" else [kind]
        if self.options and self.type == "array":
            parts.append("of: " + ", ".join(self.options))
        if self.format:
            parts.append(self.format)
        if self.minimum is not None:
            parts.append(f"at least {self.minimum:g}")
        if self.maximum is not None:
            parts.append(f"at most {self.maximum:g}")
        if self.default is not None:
            parts.append(f"otherwise {as_text(self.default)}")
        elif not self.required:
            parts.append("optional")
        about = " - ".join(part for part in (self.title, self.description) if part)
        return f"{self.name} ({', '.join(parts)})" + (f": {about}" if about else "")

    def read(self, value: Any) -> Any:
        """Returns a value that a person gave, in the field's type.

        Raises:
            ValueError: It does not fit; the message says what would.
        """
        match self.type:
            case "boolean":
                read: Any = _boolean(value)
            case "integer" | "number":
                read = self._within(_number(value, whole=self.type == "integer"), "")
            case "array":
                entries = value if isinstance(value, list) else str(value).split(",")
                read = [self._text(str(entry).strip()) for entry in entries]
                self._within(len(read), " entries")
            case _:
                if not isinstance(value, str):
                    raise ValueError("must be a text")
                read = self._text(value)
                self._within(len(read), " characters")
        return read

    def _text(self, text: str) -> str:
        if self.options and text not in self.options:
            raise ValueError(f"must be one of: {', '.join(self.options)}")
        try:
            if self.format == "date":
                date.fromisoformat(text)
            elif self.format == "date-time":
                datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"must be a {self.format}, such as 2026-01-31") from None
        if self.format == "email" and "@" not in text:
            raise ValueError("must be an email address")
        if self.format == "uri" and ":" not in text:
            raise ValueError("must be a URI")
        return text

    def _within(self, value: float, unit: str) -> float:
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"must be at least {self.minimum:g}{unit}")
        if self.maximum is not None and value > self.maximum:
            raise ValueError(f"must be at most {self.maximum:g}{unit}")
        return value


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a person."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = None
    """The values of the fields; only if accepted."""


class Form(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request of a server."""

    key: str
    """The server's name for it."""
    message: str
    fields: tuple[Field, ...] = ()
    answer: Answer | None = None

    @property
    def options(self) -> list[str]:
        """Returns the answers to choose from."""
        if not self.fields:
            return [ACCEPT, DECLINE]
        only = self.fields[0]
        if len(self.fields) > 1 or only.type == "array":
            return [DECLINE]
        return [*(("yes", "no") if only.type == "boolean" else only.options), DECLINE]

    def question(self, server: str) -> str:
        """Returns the question for a person, which names the server that asks."""
        lines = [f"The MCP server {server} asks: {self.message}"]
        lines += [f"- {field.hint()}" for field in self.fields]
        if len(self.fields) > 1:
            lines.append("Answer as `name: value`, each in a line of its own or with `;` between them.")
        lines.append(f"The answer goes to {server}: give it no password, key or other secret. `{DECLINE}` declines.")
        return "\n".join(lines)

    def read(self, text: str) -> Answer:
        """Returns the answer that a person's text gives.

        A text is the value of the only field; the values of several are `name: value`, in lines or with `;` between
        them, or a JSON object.

        Raises:
            ValidationFailedError: It does not fit the fields.
        """
        word = text.strip().casefold()
        is_value = len(self.fields) == 1 and word in (option.casefold() for option in self.fields[0].options)
        if word in (DECLINE, CANCEL) and not is_value:
            return Answer("decline" if word == DECLINE else "cancel")
        if not self.fields:
            if word not in (ACCEPT, *_TRUE):
                raise _invalid(f"Answer `{ACCEPT}` or `{DECLINE}`.")
            return Answer("accept", {})
        return Answer("accept", self._content(self._values(text)))

    def _values(self, text: str) -> dict[str, Any]:
        if text.lstrip().startswith("{"):
            try:
                values = json.loads(text)
            except (ValueError, RecursionError):
                values = None
            if isinstance(values, dict):
                return values
        if len(self.fields) == 1:
            name = self.fields[0].name
            return {name: text.strip().removeprefix(f"{name}:").strip()}
        named: dict[str, Any] = {}
        lines = text.strip().splitlines()
        for line in filter(str.strip, lines if len(lines) > 1 else text.split(";")):
            name, colon, value = line.partition(":")
            if not colon:
                raise _invalid("Answer as `name: value`, each field in a line of its own or with `;` between them.")
            named[name.strip().removeprefix("- ")] = value.strip()
        return named

    def _content(self, values: dict[str, Any]) -> dict[str, Any]:
        known = {field.name for field in self.fields}
        if unknown := [name for name in values if name not in known]:
            raise _invalid(f"There is no field {unknown[0][:100]!r}. The fields are: {', '.join(sorted(known))}.")
        content = {}
        for field in self.fields:
            value = values.get(field.name)
            if value is None or value == "":
                if field.default is not None:
                    content[field.name] = field.default
                elif field.required:
                    raise _invalid(f"{field.name}: is required.")
                continue
            try:
                content[field.name] = field.read(value)
            except ValueError as error:
                raise _invalid(f"{field.name}: {error}.") from None
        return content


class Elicitation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a server asked during one call, with the answers so far."""

    server: str
    forms: tuple[Form, ...]
    state: str | None = None
    """What the server wants back with the answers, unchanged; None for nothing."""
    text: str = ""
    """The person's last answer during the call, as they gave it."""

    @property
    def open(self) -> Form | None:
        """Returns the next form without an answer; None if all have one."""
        return next((form for form in self.forms if form.answer is None), None)

    def answered(self, text: str) -> "Elicitation":
        """Returns it with a person's text as the answer to the open form.

        Raises:
            ValidationFailedError: It does not fit the fields.
        """
        form = self.open
        assert form is not None
        answered = msgspec.structs.replace(form, answer=form.read(text))
        forms = tuple(answered if each is form else each for each in self.forms)
        return msgspec.structs.replace(self, forms=forms, text=text)

    def stored(self) -> dict[str, Any]:
        """Returns it as the column `tool_calls.elicitation`."""
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored


def _invalid(message: str) -> ValidationFailedError:
    return ValidationFailedError(f"The answer does not fit what the MCP server asks. {message}", content=message)


def _boolean(value: Any) -> bool:
    word = str(value).strip().casefold()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError("must be yes or no")
    return word in _TRUE


def _number(value: Any, *, whole: bool) -> float:
    try:
        return int(str(value).strip()) if whole else float(str(value).strip())
    except ValueError:
        raise ValueError("must be a whole number" if whole else "must be a number") from None


def as_text(value: Any) -> str:
    """Returns a value of a field as a person reads and writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
