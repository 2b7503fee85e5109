"""The program `echomind`, also where only a service's part of the distribution is installed."""

import sys


def main() -> None:
    """Runs the command line."""
    try:
        from echomind.cli.app import main as run
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit(
            "The command line and the embedded servers are not installed: pip install 'echomind[all]'. "
            "Among containers, the image echomind-all has them: docs/guide/containers.md, Commands."
        )
    run()
