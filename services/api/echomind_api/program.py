"""The program `echomind-api`."""

from echomind_lib.process import garbage


def main() -> None:
    """Runs the service."""
    garbage.begin_loading()
    from echomind_api.main import main as run

    garbage.end_loading()
    run()
