"""What shells complete of other people's texts: nothing that they would run."""

import subprocess
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer._completion_classes import BashComplete, FishComplete, PowerShellComplete, ZshComplete

from echomind.cli.completion import Values, completion
from echomind_lib.contract.client import Client
from tests.drivers.tables import for_each

SHELLS: dict[str, Any] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
    "powershell": PowerShellComplete,
}

# What the shells' scripts of typer do, and zsh's `_arguments`, which evaluates its last words in double quotes.
EVALUATE = """
_arguments() { inner=${1#*((}; eval "words=( ${inner%))} )"; }
case $1 in
zsh) eval $2 ;;
bash) IFS=$'\\n'; words=($2); eval "set -- ${words[*]}" ;;
esac
"""


def complete(shell: str, *values: tuple[str, str], typed: str = "") -> str:
    """Returns what typer's script of a shell is given for an argument that these are the values of."""

    async def fetch(_: Client) -> Values:
        return values

    app = typer.Typer()

    @app.command()
    def show(name: Annotated[str, typer.Argument(autocompletion=completion(fetch))]) -> None:
        """Shows something by its name."""

    environment = {
        "COMP_WORDS": f"echomind {typed}",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": f"echomind {typed}",
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_ECHOMIND_COMPLETE": f"complete_{shell}",
        "ECHOMIND_URL": "http://127.0.0.1:1",
        "ECHOMIND_API_KEY": "k",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        class_ = SHELLS[shell]
        return str(class_(typer.main.get_command(app), {}, "echomind", "_ECHOMIND_COMPLETE").complete())


HOSTILE = [
    r"Minutes \$({})",
    "Minutes $({})",
    r"Minutes \`{}`",
    "Minutes `{}`",
    '"; {}; "',
    r"\"; {}; \"",
    "'$({})'",
    "'; {}; '",
    "'\"$({})\"'",
    "))'; {}; '((",
    "${{x:-$({})}}",
    "; {} #",
    "a\n{}",
]


@for_each("shell, title", [(shell, title) for shell in ("bash", "zsh") for title in HOSTILE])
def test_no_title_is_run(shell: str, title: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    words = title.format(f"touch {made}")
    given = complete(shell, ("17", words[:60] if len(words) < 60 else words), (words, ""), ("18", "Pay"))
    subprocess.run(["bash", "-c", EVALUATE, "bash", shell, given], check=False, capture_output=True)
    was_made = made.exists()
    made.unlink(missing_ok=True)
    assert not was_made
    assert "17" in given
    assert "18" in given


def test_the_check_itself_would_notice(tmp_path: Path) -> None:
    made = tmp_path / "made"
    given = f"""_arguments '*: :(("17":"Minutes \\\\$(touch {made})"))'"""
    subprocess.run(["bash", "-c", EVALUATE, "bash", "zsh", given], check=False, capture_output=True)
    assert made.exists()


def test_descriptions_keep_their_words() -> None:
    about = "Größe – Übersicht, हिन्दी (v2.1): [bold]50%[/] \u202ecod.exe\x1b[31m"
    shown = "Größe – Übersicht, हिन्दी (v2.1): bold 50% / cod.exe 31m"
    assert complete("fish", ("17", about)) == f"17\t{shown}"


@for_each(
    "shell, value, offered",
    [
        ("bash", "R&D's docs", r"R\&D\'s\ docs"),
        ("bash", "--url=http://example.org", ""),
        ("zsh", "Board docs", '"Board docs"'),
        ("zsh", "R&D's docs", "_files"),
        ("fish", "R&D's docs", "R&D's docs"),
        ("fish", "two\nlines", ""),
        ("fish", "a\u202eb", ""),
        ("powershell", "Small", "Small::: "),
        ("powershell", "kim@example.org", "'kim@example.org'::: "),
        ("powershell", "R&D's $(docs)’", "'R&D''s $(docs)’’'::: "),
        ("powershell", "a:::b", ""),
    ],
)
def test_values_are_offered_as_the_shell_takes_them(shell: str, value: str, offered: str) -> None:
    given = complete(shell, (value, ""))
    assert (f"(({offered}))" in given) if shell == "zsh" and offered != "_files" else (given == offered)
