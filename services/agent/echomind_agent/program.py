"""The program `echomind-agent`."""

from echomind_lib.process import garbage


def main() -> None:
    """Runs the service."""
    garbage.begin_loading()
    from echomind_agent.main import main as run

    garbage.end_loading()
    run()
