"""Formats `--help` and usage errors without the names of Python types.

Help is plain text, because rendering it with Rich would double the time of `--help`.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import iscoroutinefunction
from typing import Any, TypeVar

import typer
from typer._click.exceptions import UsageError
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from echomind.cli.api import api_command

WIDTH = 100
_KINDS = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "path": "PATH", "Path": "PATH"}
_TYPE = re.compile(r"<(?:list\[)?(\w+)(?: range)?\]?>")
_WORDS = re.compile(r"(?:list\[)?([^\[\]]*)\]?")


CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])


class PlainCommand(TyperCommand):
    """A command."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Returns the arguments of a command's usage line."""
        arguments = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, TyperArgument)]
        return ["[OPTIONS]", *(_usage(argument) for argument in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the tables of arguments and options."""
        _write_parameters(self, ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line.

        Raises:
            typer.BadParameter: A value is wrong; the message has no word of Pydantic's.
        """
        with _as_json("--json" in args), _plain_words():
            return list(super().parse_args(ctx, args))

    def invoke(self, ctx: Any) -> Any:
        """Runs the command.

        Raises:
            typer.BadParameter: Values do not fit together.
        """
        with _as_json(bool(ctx.params.get("as_json"))):
            return super().invoke(ctx)


class PlainGroup(TyperGroup):
    """A group of commands whose help lists each with its full first sentence."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the tables of options and commands."""
        _write_parameters(self, ctx, formatter)
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                section = getattr(command, "rich_help_panel", None)
                sections.setdefault(section or "Commands", []).append((name, summary(command)))
        for section, commands in sections.items():
            with formatter.section(section):
                formatter.write_dl(commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line, see `PlainCommand.parse_args`."""
        with _as_json("--json" in args), _plain_words():
            return list(super().parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Returns the command that a command line names.

        Raises:
            UsageError: There is none of that name.
        """
        with _as_json("--json" in args):
            return super().resolve_command(ctx, args)


class CommandGroup(typer.Typer):
    """A group of commands whose help is plain text."""

    def __init__(self, text: str) -> None:
        """Creates an empty group with the help `text`."""
        super().__init__(
            help=text,
            cls=PlainGroup,
            no_args_is_help=True,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
            context_settings={"max_content_width": WIDTH},
        )

    def command(self, name: str | None = None, **settings: Any) -> Callable[[CommandFunction], CommandFunction]:
        """Returns a decorator that adds a command.

        A coroutine function is one that talks to the API, see `api_command`.
        """
        settings |= {"cls": PlainCommand, "context_settings": {"max_content_width": WIDTH}}
        add = super().command(name, **settings)

        def decorated(function: CommandFunction) -> CommandFunction:
            add(api_command(function) if iscoroutinefunction(function) else function)
            return function

        return decorated


def summary(command: Any) -> str:
    """Returns the first sentence of a command's description, without its full stop."""
    paragraph = " ".join((command.help or "").strip().split("\n\n")[0].split())
    return re.split(r"(?<=[^.])\.(?: |$)", paragraph, maxsplit=1)[0]


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    parameters = [parameter for parameter in command.get_params(ctx) if not parameter.hidden]
    arguments = [(_name(each), _help(each, ctx)) for each in parameters if isinstance(each, TyperArgument)]
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl(arguments)
    options = [(_spelling(each, ctx), _help(each, ctx)) for each in parameters if isinstance(each, TyperOption)]
    with formatter.section("Options"):
        formatter.write_dl(options)


def _name(argument: TyperArgument) -> str:
    """Returns the placeholder of an argument, as `NAME`, `PATH...`, or `a|b` where it is one of some words."""
    if argument.metavar:
        return argument.metavar
    if argument.type_descriptor.is_choice:
        return "|".join(argument.type_descriptor.choices or ())
    return argument.name.upper().replace("_", "-") + ("..." if argument.nargs != 1 else "")


def _usage(argument: TyperArgument) -> str:
    name = _name(argument)
    return name if argument.required else f"[{name}]"


def _spelling(option: TyperOption, ctx: Any) -> str:
    """Returns an option with the placeholder of its value, as `-y, --yes` or `--limit NUMBER`."""
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        names += f" / {', '.join(option.secondary_opts)}"
    if option.is_flag or option.count:
        return names
    return f"{names} {option.metavar or _value(option.display_type(ctx) or '')}"


def _value(kind: str) -> str:
    """Returns the placeholder for a type name of typer: `NUMBER` for `<int range>`, `a|b` for `list[a|b]`."""
    match = _TYPE.fullmatch(kind)
    if match and match[1] in _KINDS:
        return _KINDS[match[1]]
    return _WORDS.sub(r"\1", kind.removeprefix("<").removesuffix(">"), count=1)


def _help(parameter: Any, ctx: Any) -> str:
    notes = list(_notes(parameter, ctx))
    return (parameter.help or "") + (f"  [{'; '.join(notes)}]" if notes else "")


def _notes(parameter: Any, ctx: Any) -> Iterator[str]:
    if parameter.show_envvar and parameter.envvar:
        yield f"or {parameter.envvar}"
    if isinstance(parameter.show_default, str):
        yield f"default: {parameter.show_default}"
    elif parameter.show_default and not (isinstance(parameter, TyperOption) and parameter.is_flag):
        default = parameter.get_default(ctx)
        if default not in (None, "", [], ()):
            yield f"default: {getattr(default, 'value', default)}"
    elif parameter.show_default and parameter.secondary_opts and parameter.get_default(ctx) is not None:
        yield f"default: {(parameter.opts if parameter.get_default(ctx) else parameter.secondary_opts)[0]}"
    if limits := _limits(parameter.min, parameter.max):
        yield limits
    if isinstance(parameter, TyperOption) and parameter.required:
        yield "required"


def _limits(minimum: float | None, maximum: float | None) -> str:
    if maximum is None:
        return "" if minimum in {None, 0} else f"at least {minimum}"
    return f"{0 if minimum is None else minimum} to {maximum}"


@contextmanager
def _as_json(enabled: bool) -> Iterator[None]:
    """Prints the one object of `--json` when the command was used wrongly."""
    try:
        yield
    except UsageError as error:
        if enabled:
            message = error.format_message()
            print(json.dumps({"error": {"code": "", "reason": "", "message": message, "metadata": {}}}))
        raise


@contextmanager
def _plain_words() -> Iterator[None]:
    """Rewrites the error for an invalid value."""
    try:
        yield
    except typer.BadParameter as error:
        parameter = error.param
        if parameter is not None and isinstance(parameter, TyperArgument):
            error.param_hint = f"'{_name(parameter)}'"
        problems = getattr(error.__cause__, "errors", None)
        if problems is not None:
            from echomind_lib.errors.wording import broken_rule

            problem = problems()[0]
            rule = broken_rule(problem)
            error.message = f"{problem['input']!r} {rule}." if rule.startswith(("must", "is not")) else rule
        raise
