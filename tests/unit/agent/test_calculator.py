"""Arithmetic for models: exact, and bounded."""

import time
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.tools.calculator import calculate, calculator
from echomind_agent.toolset.registry import ToolError
from tests.drivers.tables import for_each


@for_each(
    ("expression", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("1_000 * 1.10", "1100"),
        ("0.1000000000000000000000000000001 * 10", "1.000000000000000000000000000001"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("2^10 × 3 ÷ 4 − 1", "767"),
        ("-2 ** 2", "-4"),
        ("3²", "9"),
        ("0x1f", "31"),
        ("1.5e3", "1500"),
        ("-0.0", "0"),
        ("1/3", "about 0.33333333333333333333"),
        ("1/3*3", "about 1"),
        ("15%", "0.15"),
        ("15% of 80", "12"),
        ("12.5 % of (40 + 40)", "10"),
        ("200 / 10%", "2000"),
        ("100 * (1 + 3.5%)^2", "107.1225"),
        ("max(5%, 3%)", "0.05"),
        ("17 % 5", "2"),
        ("17%5", "2"),
        ("-7 % 3", "2"),
        ("-7 // 3", "-3"),
        ("7 // -3", "-3"),
        ("sqrt(16)", "4"),
        ("sqrt(2)", "about 1.4142135623730950488"),
        ("cbrt(-27)", "about -3"),
        ("ln(exp(2))", "about 2"),
        ("log10(1000)", "3"),
        ("log2(8)", "about 3"),
        ("log(81, 3)", "about 4"),
        ("sin(radians(30))", "about 0.5"),
        ("cos(pi)", "about -1"),
        ("degrees(atan2(1, 1))", "about 45.000000000000"),
        ("round(2.345, 2)", "2.35"),
        ("round(-2.5)", "-3"),
        ("round(12345, -2)", "12300"),
        ("round(2/3, 3)", "0.667"),
        ("round(2/3, 3) + 1/3", "about 1.0003333333333333333"),
        ("floor(1/3*3)", "1"),
        ("floor(-1.5)", "-2"),
        ("ceil(1.2)", "2"),
        ("trunc(-1.7)", "-1"),
        ("sum([1, 2, 3.5])", "6.5"),
        ("sum(1, 2)", "3"),
        ("min(3, 1, 2) + max([4, 9])", "10"),
        ("mean([1, 2, 6])", "3"),
        ("median([5, 1, 3])", "3"),
        ("median(1, 2, 3, 10)", "2.5"),
        ("stdev([1, 2, 3])", "1"),
        ("factorial(20)", "2432902008176640000"),
        ("comb(52, 5)", "2598960"),
        ("gcd(12, 18) + lcm(4, 6)", "18"),
        ("pi", "about 3.1415926535897932385"),
        ("abs(-1e40)", "1E+40"),
    ],
)
def test_values(expression: str, value: str) -> None:
    if expression.startswith("degrees"):
        assert calculate(f"round({expression}, 9)") == "45"
    else:
        assert calculate(expression) == value


@for_each(
    ("expression", "problem"),
    [
        ("9**9**9", "more than 10000 digits"),
        ("9" + "**9" * 300, "more than 10000 digits"),
        ("exp(1e9)", "more than 10000 digits"),
        ("factorial(1001)", "factorial takes numbers from 0 to 1000"),
        ("factorial(0.5)", "whole number"),
        ("comb(3, 4)", "0 <= k <= n"),
        ("1 / 0", "divides by zero"),
        ("5 % 0", "no result among the real numbers"),
        ("sqrt(-1)", "no result among the real numbers"),
        ("(-8) ** (1/3)", "no result among the real numbers"),
        ("tan(pi/2)", "no result among the real numbers"),
        ("asin(2)", "no result among the real numbers"),
        ("round(1, 1e9)", "100 at most"),
        ("1,234.5 * 2", "is a list|list stands"),
        ("sqrt([1])", "sqrt takes no list"),
        ("sqrt(1, 2)", "sqrt takes 1 numbers and was given 2"),
        ("log(8)", "log takes 2 numbers"),
        ("max()", "max takes 1 or more numbers"),
        ("cosh(1)", "no function cosh; there are abs, acos"),
        ("x + 1", "x has no value; there are pi, e"),
        ("1 +", "not an arithmetic expression: invalid syntax"),
        ("", "not an arithmetic expression"),
        ("(" * 400, "not an arithmetic expression"),
        ("-" * 999 + "1", "nested too deeply"),
        ("2\0", "not an arithmetic expression"),
        ("1" * 1001, "has 1001 characters; it may have 1000"),
        ("1 == 1", "1 == 1 is not arithmetic"),
        ("True", "True is not arithmetic"),
        ("'a' * 10**9", "'a' is not arithmetic"),
        ("[1] * 10**9", "a list stands where a number is needed"),
        ("(1).__class__", "is not arithmetic"),
        ("__import__('os').system('true')", "is not arithmetic"),
        ("__import__('os')", "no function __import__"),
        ("[x for x in (1,)]", "is not arithmetic"),
        ("(lambda: 1)()", "is not arithmetic"),
        ("max(*[1])", "is not arithmetic"),
        ("round(1, places=2)", "no function round|is not arithmetic"),
    ],
)
def test_what_has_no_value_is_explained(expression: str, problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    ["**".join(["9"] * 400), "1.5**" * 190 + "1", "*".join(["ln(7)"] * 160), "1.0000001**9999999999999999", "[" * 999],
)
def test_the_worst_case_takes_little_time(expression: str) -> None:
    started = time.process_time()
    with suppress(ToolError):
        calculate(expression)
    assert time.process_time() - started < 2


_NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=4)


@given(_NUMBERS, _NUMBERS, st.sampled_from(["+", "-", "*"]))
def test_sums_and_products_of_decimals_are_exact(a: Decimal, b: Decimal, sign: str) -> None:
    exact = {"+": Fraction(a) + Fraction(b), "-": Fraction(a) - Fraction(b), "*": Fraction(a) * Fraction(b)}[sign]
    assert Fraction(calculate(f"({a}) {sign} ({b})")) == exact


@given(_NUMBERS, _NUMBERS.filter(bool))
def test_quotient_and_remainder_fit_together(a: Decimal, b: Decimal) -> None:
    assert Fraction(calculate(f"(({a}) // ({b})) * ({b}) + ({a}) % ({b})")) == Fraction(a)
    remainder = Fraction(calculate(f"({a}) % ({b})"))
    assert abs(remainder) < abs(b)
    assert remainder == 0 or (remainder < 0) == (b < 0)


@given(st.text(max_size=60))
def test_any_text_has_a_value_or_an_explanation(text: str) -> None:
    with suppress(ToolError):  # anything else fails
        assert calculate(text)


def test_constants() -> None:
    with localcontext(prec=100):
        assert calculate(f"round(e - {Decimal(1).exp()}, 90)") == "0"
        assert calculate("round(pi - 3.14159265358979323846264338327950288419716939937510582097494459, 60)") == "0"


async def test_as_a_tool() -> None:
    given_ = calculator.parse('{"expression": "1200 - 15% of 1200"}')
    assert calculator.progress(given_) == "Calculating 1200 - 15% of 1200"
    assert await calculator.call(None, given_) == "1020"  # type: ignore[arg-type]
    assert not calculator.untrusted
    assert not calculator.side_effect
