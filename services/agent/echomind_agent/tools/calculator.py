"""Arithmetic for models: exact in decimals where possible, and bounded in time and memory.

Expressions are read by Python's parser and evaluated node by node; nothing else of the language exists. Every
number is a `Decimal` of at most 100 digits, so no operation can grow beyond that.
"""

import ast
import math
import re
from collections.abc import Callable, Sequence
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
    getcontext,
    localcontext,
)
from functools import partial
from typing import Annotated, Final

from pydantic import Field

from echomind_agent.toolset.registry import ToolContext, ToolError, tool

_DIGITS: Final = 100
_SHOWN_DIGITS: Final = 20
"""Digits shown of an inexact result."""
_FLOAT_DIGITS: Final = 14
"""Correct digits of floating-point functions."""
_MAX_EXPONENT: Final = 10_000
_MAX_FACTORIAL: Final = 1_000
_LENGTH: Final = 1_000
_PLAIN_DIGITS: Final = 40
"""Maximum length of numbers that are written without an exponent."""

# 12.5% is 0.125 before an operator, a bracket, a comma, "of" or the end; otherwise % is the remainder.
_PERCENT = re.compile(r"(?<![\w.])([\d_]*\.?[\d_]+)\s*%\s*(?=$|[-+*/),\]]|of\b)")
_OF = re.compile(r"(?<=/100\))\s*of\b")
_PLAIN = re.compile(r"[\d_]*\.?[\d_]*(e[-+]?[\d_]+)?", re.IGNORECASE)
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "π": "pi", "²": "**2", "³": "**3"})
_NAMES: Final = {
    name: Decimal("".join(digits))
    for name, digits in {
        "pi": (
            "3.1415926535897932384626433832795028841971693993751",
            "0582097494459230781640628620899862803482534211706798",
        ),
        "e": (
            "2.7182818284590452353602874713526624977572470936999",
            "5957496696762772407663035354759457138217852516642743",
        ),
    }.items()
}
"""Constants with more digits than the precision, so that results with them count as inexact."""


class _UnclearError(Exception):
    """An expression without a value; the message says why."""


def calculate(expression: str) -> str:
    """Returns the value of an expression, as a decimal number; prefixed with `about` if it is inexact.

    Raises:
        ToolError: It has no value; the message says why.
    """
    if len(expression) > _LENGTH:
        raise ToolError(f"The expression has {len(expression)} characters; it may have {_LENGTH}. Divide it.")
    source = _OF.sub("*", _PERCENT.sub(r"(\1/100)", expression.translate(_SIGNS).strip()))
    context = Context(
        prec=_DIGITS,
        rounding=ROUND_HALF_EVEN,
        Emin=-_MAX_EXPONENT,
        Emax=_MAX_EXPONENT,
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )
    try:
        tree = ast.parse(source, mode="eval")
        with localcontext(context) as used:
            value = _Evaluation(source).value(tree.body)
            if isinstance(value, list):
                raise _UnclearError("it is a list; use sum, min, max, mean or median to get one number of it")
            inexact = bool(used.flags[Inexact]) and not _is_rounding(tree.body)
            return _shown(value, inexact=inexact)
    except _UnclearError as error:
        raise ToolError(f"{expression} cannot be calculated: {error}.") from error
    except DivisionByZero as error:
        raise ToolError(f"{expression} cannot be calculated: it divides by zero.") from error
    except Overflow as error:
        raise ToolError(f"{expression} cannot be calculated: a number has more than {_MAX_EXPONENT} digits.") from error
    except InvalidOperation as error:
        raise ToolError(
            f"{expression} cannot be calculated: an operation has no result among the real numbers."
        ) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply or holds odd characters"
        raise ToolError(
            f"{expression} is not an arithmetic expression: {reason}. Write for example (1200 - 15% of 1200) / 12, "
            "with a point for decimals and nothing between thousands."
        ) from error


def _shown(value: Decimal, *, inexact: bool) -> str:
    with localcontext() as context:
        if inexact:
            context.prec = _SHOWN_DIGITS
            value = +value
        value = value.normalize()
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise InvalidOperation
    plain = exponent >= -_PLAIN_DIGITS and len(digits) + exponent <= max(_PLAIN_DIGITS, len(digits))
    text = f"{value:f}" if plain else f"{value:E}"
    return f"about {text}" if inexact else "0" if not value else text


class _Evaluation:
    """Evaluates the tree of one expression."""

    def __init__(self, source: str) -> None:
        self._source = source

    def value(self, node: ast.expr) -> Decimal | list[Decimal]:
        """Returns the value of a node: a number, or the numbers of a list."""
        match node:
            case ast.Constant(value=int() | float() as parsed) if not isinstance(parsed, bool):
                # The parser's 0.1 is a binary fraction; the source text is exact.
                text = ast.get_source_segment(self._source, node) or ""
                return +Decimal(text.replace("_", "") if _PLAIN.fullmatch(text) else parsed)
            case ast.Name(id=name) if name in _NAMES:
                return +_NAMES[name]
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._number(element) for element in elements]
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._number(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](self._number(left), self._number(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
                return self._call(name, arguments)
            case ast.Call(func=ast.Name(id=name)):
                raise _UnclearError(f"there is no function {name}; there are {', '.join(sorted(_FUNCTIONS))}")
            case ast.Name(id=name):
                raise _UnclearError(f"{name} has no value; there are {', '.join(_NAMES)}")
        text = ast.get_source_segment(self._source, node) or "a part of it"
        raise _UnclearError(f"{text[:60]} is not arithmetic")

    def _number(self, node: ast.expr) -> Decimal:
        value = self.value(node)
        if isinstance(value, list):
            raise _UnclearError(
                "a list stands where a number is needed; write numbers without anything between thousands"
            )
        return value

    def _call(self, name: str, arguments: Sequence[ast.expr]) -> Decimal:
        function, minimum, maximum = _FUNCTIONS[name]
        values = [self.value(argument) for argument in arguments]
        numbers: list[Decimal] = []
        for value in values:
            if isinstance(value, list) and maximum is not None:
                raise _UnclearError(f"{name} takes no list")
            numbers.extend(value if isinstance(value, list) else [value])
        if len(numbers) < minimum or (maximum is not None and len(numbers) > maximum):
            expected = f"{minimum} or more" if maximum is None else " or ".join(map(str, range(minimum, maximum + 1)))
            raise _UnclearError(f"{name} takes {expected} numbers and was given {len(numbers)}")
        return function(*numbers)


def _is_rounding(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ROUNDINGS


def _remainder(a: Decimal, b: Decimal) -> Decimal:
    """Returns the remainder with the sign of the divisor, as in Python and spreadsheets."""
    rest = a % b
    return rest + b if rest and (rest < 0) != (b < 0) else rest


def _floor_quotient(a: Decimal, b: Decimal) -> Decimal:
    return (a - _remainder(a, b)) / b


def _round(value: Decimal, places: Decimal = Decimal(0), *, rounding: str = ROUND_HALF_UP) -> Decimal:
    count = _whole(places, "the number of decimal places")
    if abs(count) > _DIGITS:
        raise _UnclearError(f"it rounds to {count} decimal places; use {_DIGITS} at most")
    with localcontext() as context:
        # Rounds first, so that the floor of 1/3*3, which is slightly less than 1, is not 0.
        context.prec = _DIGITS - 10
        value = +value
        context.prec = _DIGITS + _MAX_EXPONENT
        return value.quantize(Decimal(1).scaleb(-count), rounding=rounding)


def _whole(value: Decimal, what: str = "the number") -> int:
    if value != value.to_integral_value() or value.adjusted() > _DIGITS:
        raise _UnclearError(f"{what} must be a whole number of at most {_DIGITS} digits")
    return int(value)


def _factorial(value: Decimal) -> Decimal:
    number = _whole(value)
    if not 0 <= number <= _MAX_FACTORIAL:
        raise _UnclearError(f"factorial takes numbers from 0 to {_MAX_FACTORIAL}")
    return +Decimal(math.factorial(number))


def _combinations(n: Decimal, k: Decimal) -> Decimal:
    if not 0 <= _whole(k) <= _whole(n) <= _MAX_FACTORIAL:
        raise _UnclearError(f"comb takes n and k with 0 <= k <= n <= {_MAX_FACTORIAL}")
    return +Decimal(math.comb(int(n), int(k)))


def _whole_numbers(function: Callable[..., int], *values: Decimal) -> Decimal:
    return +Decimal(function(*map(_whole, values)))


def _by_float(function: Callable[..., float], *values: Decimal) -> Decimal:
    """Returns the value of a floating-point function."""
    try:
        result = function(*map(float, values))
    except (ValueError, OverflowError):
        raise InvalidOperation from None
    if not math.isfinite(result) or abs(result) > 10**_FLOAT_DIGITS:
        raise InvalidOperation  # for example the tangent of a right angle
    getcontext().flags[Inexact] = True
    return Decimal(f"{result:.{_FLOAT_DIGITS}f}")


def _log(value: Decimal, base: Decimal) -> Decimal:
    return value.ln() / base.ln()


def _cube_root(value: Decimal) -> Decimal:
    root = abs(value) ** (Decimal(1) / 3)
    return root.copy_sign(value)


def _mean(*values: Decimal) -> Decimal:
    return sum(values, Decimal(0)) / len(values)


def _median(*values: Decimal) -> Decimal:
    ordered, middle = sorted(values), len(values) // 2
    return +ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _deviation(*values: Decimal) -> Decimal:
    """Returns the sample standard deviation."""
    mean = _mean(*values)
    return (sum(((value - mean) ** 2 for value in values), Decimal(0)) / (len(values) - 1)).sqrt()


_OPERATORS: Final[dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: Decimal.__add__,
    ast.Sub: Decimal.__sub__,
    ast.Mult: Decimal.__mul__,
    ast.Div: Decimal.__truediv__,
    ast.FloorDiv: _floor_quotient,
    ast.Mod: _remainder,
    ast.Pow: Decimal.__pow__,
}
_ROUNDINGS: Final = frozenset({"round", "floor", "ceil", "trunc"})
_FUNCTIONS: Final[dict[str, tuple[Callable[..., Decimal], int, int | None]]] = {
    "abs": (abs, 1, 1),
    "sqrt": (Decimal.sqrt, 1, 1),
    "cbrt": (_cube_root, 1, 1),
    "exp": (Decimal.exp, 1, 1),
    "ln": (Decimal.ln, 1, 1),
    "log": (_log, 2, 2),
    "log2": (partial(_log, base=Decimal(2)), 1, 1),
    "log10": (Decimal.log10, 1, 1),
    **{
        name: (partial(_by_float, getattr(math, name)), count, count)
        for name, count in {"sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2}.items()
    },
    "degrees": (lambda angle: angle * 180 / _NAMES["pi"], 1, 1),
    "radians": (lambda angle: angle * _NAMES["pi"] / 180, 1, 1),
    "round": (_round, 1, 2),
    "floor": (partial(_round, rounding=ROUND_FLOOR), 1, 1),
    "ceil": (partial(_round, rounding=ROUND_CEILING), 1, 1),
    "trunc": (partial(_round, rounding=ROUND_DOWN), 1, 1),
    "min": (lambda *values: min(values), 1, None),
    "max": (lambda *values: max(values), 1, None),
    "sum": (lambda *values: sum(values, Decimal(0)), 1, None),
    "mean": (_mean, 1, None),
    "median": (_median, 1, None),
    "stdev": (_deviation, 2, None),
    "factorial": (_factorial, 1, 1),
    "comb": (_combinations, 2, 2),
    "gcd": (partial(_whole_numbers, math.gcd), 1, None),
    "lcm": (partial(_whole_numbers, math.lcm), 1, None),
}
"""By name: the function, and its minimum and maximum number of arguments. Without a maximum, lists are allowed, too."""


@tool(progress=lambda given: f"Calculating {given.expression[:120]}")
async def calculator(
    context: ToolContext,  # noqa: ARG001
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_LENGTH,
            description="For example (1200 - 15% of 1200) / 12, or round(sqrt(2), 3). Point for decimals, nothing "
            "between thousands; + - * / // % ^, 15% for a part, lists in [ ], sin and so on in radians, log(x, base).",
        ),
    ],
) -> str:
    """Calculates with decimal numbers, exactly where that is possible.

    Use it for every calculation with more than a few digits.
    """
    return calculate(expression)
